//! `select`

use std::io::{Read, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use super::loops::Round;
use crate::{ast::For, flow::Outcome, shell::Shell};

/// How wide the menu may be if `COLUMNS` does not say.
const DEFAULT_COLUMNS: usize = 80;

impl Shell {
    pub(super) fn run_select(&mut self, process: &Process, command: &For, line: u32) -> Outcome {
        self.line = line;
        let Some(name) = self.loop_variable(process, command) else {
            return Ok(self.set_status(1));
        };
        self.trace_select(process, command);
        self.before_compound(process, || crate::describe::for_head(b"select", command))?;
        let words = match &command.words {
            Some(words) => self.expand_words(process, words)?,
            None => self.arguments.to_vec(),
        };
        if words.is_empty() {
            return Ok(self.set_status(0));
        }
        self.looping(|shell| {
            let mut status = 0;
            let mut shows_menu = true;
            loop {
                let Some(reply) = shell.ask(process, &words, shows_menu)? else {
                    status = 1;
                    break;
                };
                let choice = reply
                    .trim_ascii()
                    .to_str()
                    .ok()
                    .and_then(|reply| reply.parse::<usize>().ok())
                    .and_then(|number| words.get(number.checked_sub(1)?));
                shell.set_variable(process, &name, choice.cloned().unwrap_or_default())?;
                shell.set_variable(process, b"REPLY", reply)?;
                if let Round::End = shell.run_round(process, &command.body, &mut status)? {
                    break;
                }
                let reply = shell.variable(process, b"REPLY").unwrap_or_default();
                shows_menu = reply.is_empty();
            }
            Ok(shell.set_status(status))
        })
    }

    /// Prints the menu and the prompt, and reads a line that is not empty; `None` at the end of the input.
    fn ask(
        &mut self,
        process: &Process,
        words: &[BString],
        mut shows_menu: bool,
    ) -> Result<Option<BString>, crate::flow::Flow> {
        loop {
            process.spend(1);
            if shows_menu {
                let columns = self.variable(process, b"COLUMNS");
                let columns = columns.and_then(|text| text.to_str().ok()?.parse().ok());
                let menu = menu(words, columns.unwrap_or(DEFAULT_COLUMNS));
                let _ = process.stderr().write_all(&menu);
            }
            let prompt = self.variable(process, b"PS3");
            let prompt = prompt.unwrap_or_else(|| "#? ".into());
            let _ = process.stderr().write_all(&prompt);
            match read_line(process) {
                Some(line) if line.is_empty() => shows_menu = true,
                Some(line) => return Ok(Some(line)),
                None => {
                    let _ = process.stdout().write_all(b"\n");
                    return Ok(None);
                }
            }
        }
    }
}

/// A line of standard input, without its newline.
fn read_line(process: &Process) -> Option<BString> {
    let mut input = process.stdin();
    let mut line = Vec::new();
    let mut byte = [0];
    loop {
        match input.read(&mut byte) {
            Ok(1..) if byte == *b"\n" => return Some(line.into()),
            Ok(1..) => line.extend_from_slice(&byte),
            Ok(0) | Err(_) => return (!line.is_empty()).then(|| line.into()),
        }
    }
}

/// The words with their numbers, in as many columns as fit.
fn menu(words: &[BString], columns: usize) -> Vec<u8> {
    let digits = words.len().to_string().len();
    let widest = words.iter().map(|word| word.chars().count()).max();
    let width = widest.unwrap_or(0) + digits + 2 + 2;
    let per_line = (columns / width).max(1);
    let rows = words.len().div_ceil(per_line);
    // A menu that would fit into one line is a list all the same.
    let rows = if rows == 1 { words.len() } else { rows };
    let first_digits = rows.to_string().len();
    let other_digits = digits;
    let mut menu = Vec::new();
    for row in 0..rows {
        let mut position = 0;
        let mut index = row;
        while let Some(word) = words.get(index) {
            let digits = if position == 0 {
                first_digits
            } else {
                other_digits
            };
            let shown = format!("{:>digits$}) {word}", index + 1);
            menu.extend_from_slice(shown.as_bytes());
            index += rows;
            if index < words.len() {
                let used = word.chars().count() + digits + 2;
                tab_to(&mut menu, position + used, position + width);
                position += width;
            }
        }
        menu.push(b'\n');
    }
    menu
}

/// Goes from one column to another with tabs where they fit, as bash indents.
fn tab_to(menu: &mut Vec<u8>, mut from: usize, to: usize) {
    while from < to {
        if to / 8 > from / 8 {
            menu.push(b'\t');
            from += 8 - from % 8;
        } else {
            menu.push(b' ');
            from += 1;
        }
    }
}
