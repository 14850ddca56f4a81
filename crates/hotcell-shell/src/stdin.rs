//! A script on standard input, of which no more is taken than is run: the rest is for the commands in it.

use std::io::{Read, SeekFrom};

use bstr::BString;
use hotcell_process::Process;

use crate::{
    flow::{Flow, Outcome},
    parse::{ErrorKind, Parser},
    settings::Setting,
    shell::Shell,
    substitute::read_all,
    text::Origin,
};

/// So many lines of an unfinished command are read one by one. Then some more at once, so that reading it again and again
/// does not take longer than the script is long.
const PATIENCE: usize = 64;

impl Shell {
    /// Runs the commands on standard input.
    pub(crate) fn run_stdin(&mut self, process: &Process) -> Outcome {
        let Ok(stream) = process.descriptor(0) else {
            return Ok(0);
        };
        match stream.seek(SeekFrom::Current(0)) {
            Ok(start) => self.run_seekable(process, start),
            Err(_) => self.run_unseekable(process),
        }
    }

    /// A file: it is read as a whole, and its position is set behind each command before that runs.
    fn run_seekable(&mut self, process: &Process, start: u64) -> Outcome {
        let stream = process.descriptor(0).map_err(|_| Flow::Exit(1))?;
        let mut text = Vec::new();
        if let Err(error) = read_all(process, stream.clone(), &mut text) {
            self.complain_of(process, b"stdin", &error);
            return Ok(1);
        }
        let mut parser = Parser::new(&text, self.parse_options(1));
        let mut parser_start = start;
        let mut status = 0;
        loop {
            process.spend(1);
            let next = self.parse_next(process, &mut parser);
            let position = parser_start.saturating_add(parser.consumed() as u64);
            let _ = stream.seek(SeekFrom::Start(position));
            match next {
                Ok(None) => return Ok(status),
                Ok(Some(command)) => {
                    if let Some(last) = self.run_complete(process, &command, true)? {
                        status = last;
                    }
                    let options = parser.options_mut();
                    options.extglob = self.has(Setting::ExtGlob);
                    options.posix = self.has(Setting::Posix);
                    // Who reads from the same file moves it.
                    if let Ok(now) = stream.seek(SeekFrom::Current(0))
                        && now != position
                    {
                        let offset = usize::try_from(now.saturating_sub(start));
                        let rest = offset.ok().and_then(|offset| text.get(offset..));
                        let options = self.parse_options(parser.line());
                        parser = Parser::new(rest.unwrap_or_default(), options);
                        parser_start = now;
                    }
                }
                Err(error) => {
                    let status = self.report_syntax_error(process, &error, Origin::Script);
                    if error.kind != ErrorKind::Assignment {
                        return Err(Flow::Exit(status));
                    }
                }
            }
        }
    }

    /// A pipe: it is read line by line until a command is complete.
    fn run_unseekable(&mut self, process: &Process) -> Outcome {
        let mut pending = BString::default();
        let mut line = 1;
        let mut status = 0;
        let mut is_over = false;
        loop {
            process.spend(1);
            let mut lines = 0;
            let next = loop {
                if pending.is_empty() && !is_over {
                    is_over = !read_line(process, &mut pending);
                }
                let mut options = self.parse_options(line);
                options.interactive = !is_over;
                let mut parser = Parser::new(&pending, options);
                let next = self.parse_next(process, &mut parser);
                let is_incomplete = matches!(&next, Err(error) if error.is_incomplete());
                if !is_incomplete || is_over {
                    if !self.has(Setting::NoExec) || next.is_err() {
                        line = parser.line();
                    }
                    let consumed = parser.consumed().min(pending.len());
                    pending.drain(..consumed);
                    break next;
                }
                for _ in 0..=(lines / PATIENCE) {
                    lines += 1;
                    is_over = is_over || !read_line(process, &mut pending);
                }
            };
            match next {
                Ok(None) if is_over => return Ok(status),
                Ok(None) => {}
                Ok(Some(command)) => {
                    if let Some(last) = self.run_complete(process, &command, true)? {
                        status = last;
                    }
                }
                Err(error) => {
                    let status = self.report_syntax_error(process, &error, Origin::Script);
                    if error.kind != ErrorKind::Assignment {
                        return Err(Flow::Exit(status));
                    }
                }
            }
        }
    }
}

/// Appends a line of standard input; false at its end.
fn read_line(process: &Process, text: &mut BString) -> bool {
    let mut input = process.stdin();
    let mut byte = [0];
    loop {
        match input.read(&mut byte) {
            Ok(1..) => text.push(byte[0]),
            Ok(0) | Err(_) => return false,
        }
        if byte == *b"\n" {
            return true;
        }
    }
}
