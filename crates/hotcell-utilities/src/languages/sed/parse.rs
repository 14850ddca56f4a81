//! From the text of a script to its commands.

mod address;
mod replacement;
mod substitute;
mod text;
mod words;

use std::collections::HashMap;

use bstr::{BString, ByteSlice};
use hotcell_meter::Charge;
use hotcell_process::Process;

use self::words::{end_of_command, file_name, label, optional_number};
use super::{
    cursor::{Cursor, Origin, ScriptError},
    script::{Action, Address, Command, Script, Sink},
};

type Result<T> = std::result::Result<T, ScriptError>;

/// How a script is to be understood.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) is_extended: bool,
    pub(crate) is_posix: bool,
    pub(crate) is_sandbox: bool,
    pub(crate) is_bytes: bool,
    /// What ends a line.
    pub(crate) end: u8,
}

pub(crate) struct Parser<'p> {
    process: &'p Process,
    dialect: Dialect,
    script: Script,
    /// Open blocks: the command, and what to say if it stays open.
    blocks: Vec<(usize, ScriptError)>,
    labels: HashMap<BString, usize>,
    /// Branches, and where they want to go.
    jumps: Vec<(usize, BString)>,
    /// A command whose text goes on in the next piece of the script, and what there is of it.
    pending: Option<(usize, Option<Vec<u8>>)>,
    pieces: usize,
    /// What the commands take.
    held: Vec<Charge>,
}

impl<'p> Parser<'p> {
    pub(crate) fn new(process: &'p Process, dialect: Dialect) -> Self {
        Self {
            process,
            dialect,
            script: Script::default(),
            blocks: Vec::new(),
            labels: HashMap::new(),
            jumps: Vec::new(),
            pending: None,
            pieces: 0,
            held: Vec::new(),
        }
    }

    /// Keeps what was charged for a piece of the script as long as the script.
    pub(crate) fn hold(&mut self, held: Charge) {
        self.held.push(held);
    }

    /// Reads a piece of the script.
    pub(crate) fn piece(&mut self, text: &[u8], origin: Origin) -> Result<()> {
        let mut cursor = Cursor::new(text, origin);
        self.pieces += 1;
        if let Some((command, begun)) = self.pending.take() {
            let text = self.text(&mut cursor, command, begun.unwrap_or_default(), b'\n');
            self.set_text(command, text);
        }
        loop {
            let first = loop {
                match cursor.next() {
                    Some(b';' | b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) => {}
                    other => break other,
                }
            };
            let Some(first) = first else { return Ok(()) };
            self.process.spend(64);
            self.command(&mut cursor, first)?;
        }
    }

    /// The script, once all pieces are read.
    pub(crate) fn finish(mut self) -> Result<Script> {
        if let Some((_, error)) = self.blocks.pop() {
            return Err(error);
        }
        for (command, label) in std::mem::take(&mut self.jumps) {
            let target = if label.is_empty() {
                self.script.commands.len()
            } else {
                let known = self.labels.get(&label).copied();
                known.ok_or_else(|| ScriptError {
                    message: format!("can't find label for jump to `{label}'"),
                    code: 4,
                })?
            };
            if let Some(command) = self.script.commands.get_mut(command)
                && let Action::Branch(to) | Action::BranchIf(to) | Action::BranchUnless(to) =
                    &mut command.action
            {
                *to = target;
            }
        }
        self.script.held = self.held;
        Ok(self.script)
    }

    fn command(&mut self, cursor: &mut Cursor<'_>, first: u8) -> Result<()> {
        let (mut letter, mut addresses) = (Some(first), (None, None));
        if let Some(address) = self.address(cursor, first)? {
            if matches!(address, Address::Plus(_) | Address::Multiple(_)) {
                return Err(cursor.error("invalid usage of +N or ~N as first address"));
            }
            letter = cursor.next_nonblank();
            if letter == Some(b',') {
                let begin = cursor.next_nonblank();
                let last = match begin {
                    Some(begin) => self.address(cursor, begin)?,
                    None => None,
                };
                let Some(last) = last else {
                    return Err(cursor.error("unexpected `,'"));
                };
                addresses.1 = Some(last);
                letter = cursor.next_nonblank();
            }
            let is_regex = matches!(addresses.1, Some(Address::Regex(_)));
            if matches!(address, Address::Line(0)) && (!is_regex || self.dialect.is_posix) {
                return Err(cursor.error("invalid usage of line address 0"));
            }
            addresses.0 = Some(address);
        }
        let is_negated = letter == Some(b'!');
        if is_negated {
            letter = cursor.next_nonblank();
            if letter == Some(b'!') {
                return Err(cursor.error("multiple `!'s"));
            }
        }
        let Some(letter) = letter else {
            return Err(cursor.error("missing command"));
        };
        let number = self.script.commands.len();
        self.script.commands.push(Command {
            first: addresses.0,
            last: addresses.1,
            is_negated,
            action: Action::Nothing,
        });
        let action = self.action(cursor, letter, number)?;
        match action {
            Some(action) => {
                if let Some(command) = self.script.commands.get_mut(number) {
                    command.action = action;
                }
            }
            // A comment is no command.
            None => {
                self.script.commands.truncate(number);
            }
        }
        Ok(())
    }

    /// What a letter does; nothing for comments and labels.
    fn action(
        &mut self,
        cursor: &mut Cursor<'_>,
        letter: u8,
        number: usize,
    ) -> Result<Option<Action>> {
        let command = self.script.commands.get(number);
        let has_address = command.is_some_and(|command| command.first.is_some());
        let has_two = command.is_some_and(|command| command.last.is_some());
        Ok(Some(match letter {
            b'#' => {
                if has_address {
                    return Err(cursor.error("comments don't accept any addresses"));
                }
                self.comment(cursor);
                return Ok(None);
            }
            b':' => {
                if has_address {
                    return Err(cursor.error(": doesn't want any addresses"));
                }
                let label = label(cursor);
                if label.is_empty() {
                    return Err(cursor.error("\":\" lacks a label"));
                }
                self.labels.insert(label, number);
                return Ok(None);
            }
            b'{' => {
                self.blocks
                    .push((number, cursor.error_at_start("unmatched `{'")));
                Action::Block(usize::MAX)
            }
            b'}' => {
                let Some((open, _)) = self.blocks.pop() else {
                    return Err(cursor.error("unexpected `}'"));
                };
                if has_address {
                    return Err(cursor.error("`}' doesn't want any addresses"));
                }
                end_of_command(cursor)?;
                if let Some(open) = self.script.commands.get_mut(open) {
                    open.action = Action::Block(number);
                }
                return Ok(None);
            }
            b'a' | b'i' | b'c' => return self.text_command(cursor, letter, number).map(Some),
            b'b' | b't' | b'T' => {
                self.jumps.push((number, label(cursor)));
                match letter {
                    b'b' => Action::Branch(0),
                    b't' => Action::BranchIf(0),
                    _ => Action::BranchUnless(0),
                }
            }
            b'e' => {
                self.refuse_in_sandbox(cursor)?;
                let first = cursor.next_nonblank();
                match first {
                    None | Some(b'\n') => Action::Execute(None),
                    first => {
                        cursor.put_back(first);
                        let text = self.text(cursor, number, Vec::new(), b'\n');
                        Action::Execute(Some(text.strip_suffix(b"\n").unwrap_or(&text).to_vec()))
                    }
                }
            }
            b'q' | b'Q' => {
                if has_two {
                    return Err(cursor.error("command only uses one address"));
                }
                let code =
                    optional_number(cursor).map_or(0, |code| i32::try_from(code).unwrap_or(255));
                end_of_command(cursor)?;
                if letter == b'q' {
                    Action::Quit(code)
                } else {
                    Action::QuitSilently(code)
                }
            }
            b'l' => {
                let width = optional_number(cursor);
                end_of_command(cursor)?;
                Action::List(width.map(|width| usize::try_from(width).unwrap_or(usize::MAX)))
            }
            b'r' | b'R' | b'w' | b'W' => {
                self.refuse_in_sandbox(cursor)?;
                let name = file_name(cursor)?;
                match letter {
                    b'r' => Action::Read(name),
                    b'R' => Action::ReadLine(name),
                    b'w' => Action::Write(self.sink(name)),
                    _ => Action::WriteFirst(self.sink(name)),
                }
            }
            b's' => return self.substitute(cursor).map(Some),
            b'y' => return self.translate(cursor).map(Some),
            b'v' => {
                let version = label(cursor);
                if is_newer(&version) {
                    return Err(cursor.error("expected newer version of sed"));
                }
                return Ok(None);
            }
            _ => {
                let Some(action) = plain_action(letter) else {
                    let shown = char::from(letter);
                    return Err(cursor.error(format!("unknown command: `{shown}'")));
                };
                end_of_command(cursor)?;
                action
            }
        }))
    }

    fn refuse_in_sandbox(&self, cursor: &Cursor<'_>) -> Result<()> {
        if self.dialect.is_sandbox {
            return Err(cursor.error("e/r/w commands disabled in sandbox mode"));
        }
        Ok(())
    }

    /// Behind `#`. As the first line of a script, `#n` is the option `-n`.
    fn comment(&mut self, cursor: &mut Cursor<'_>) {
        let is_first = self.pieces == 1 && cursor.position() == 1;
        let mut byte = cursor.next();
        if byte == Some(b'n') && is_first {
            byte = cursor.next();
            if matches!(byte, None | Some(b'\n')) {
                self.script.is_quiet = true;
            }
        }
        while !matches!(byte, None | Some(b'\n')) {
            byte = cursor.next();
        }
    }

    fn sink(&mut self, name: BString) -> Sink {
        match name.as_slice() {
            b"/dev/stdout" => return Sink::Stdout,
            b"/dev/stderr" => return Sink::Stderr,
            _ => {}
        }
        let files = &mut self.script.files;
        let known = files.iter().position(|known| *known == name);
        Sink::File(known.unwrap_or_else(|| {
            files.push(name);
            files.len() - 1
        }))
    }
}

/// Commands that are a letter and nothing else.
fn plain_action(letter: u8) -> Option<Action> {
    Some(match letter {
        b'=' => Action::LineNumber,
        b'd' => Action::Delete,
        b'D' => Action::DeleteFirst,
        b'F' => Action::FileName,
        b'g' => Action::Get,
        b'G' => Action::GetAppend,
        b'h' => Action::Hold,
        b'H' => Action::HoldAppend,
        b'n' => Action::Next,
        b'N' => Action::NextAppend,
        b'p' => Action::Print,
        b'P' => Action::PrintFirst,
        b'x' => Action::Exchange,
        b'z' => Action::Zap,
        _ => return None,
    })
}

/// Whether a script asks for a sed that is newer than 4.9, which this one is like.
fn is_newer(version: &BString) -> bool {
    let mut numbers = version.split_str(".").map(|part| {
        let digits = part.to_str().unwrap_or_default();
        digits.parse::<u32>().unwrap_or(0)
    });
    let (major, minor) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    (major, minor) > (4, 9)
}
