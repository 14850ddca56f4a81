//! Commands.

mod commands;
mod files;
mod global;
mod lines;
mod printing;
mod search;

use std::{
    collections::VecDeque,
    io::{self, Write},
    rc::Rc,
};

use bstr::BString;
use hotcell_meter::Pace;
use hotcell_process::{Input, Output, Process};
use hotcell_regex::Regex;

use super::{
    address::Addresses,
    buffer::{Buffer, Line},
    substitute::Substitution,
};
use crate::{characters, languages::budget::Budget, lines::Lines};

/// Why a command was not done.
pub(super) enum Fault {
    /// It is told with a question mark.
    Mistake(String),
    /// The buffer was changed and not written; asking again is enough.
    Modified,
    Io(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

pub(super) type Result<T> = std::result::Result<T, Fault>;

pub(super) fn mistake(message: impl Into<String>) -> Fault {
    Fault::Mistake(message.into())
}

/// What `ed` was told when it was called.
#[expect(clippy::struct_excessive_bools, reason = "each is one option")]
pub(crate) struct Settings {
    pub(crate) is_extended: bool,
    pub(crate) is_silent: bool,
    pub(crate) is_verbose: bool,
    pub(crate) is_restricted: bool,
    pub(crate) strips_returns: bool,
    pub(crate) prompt: Option<BString>,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Quit,
}

/// How lines are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Print {
    pub(super) is_plain: bool,
    pub(super) is_numbered: bool,
    pub(super) is_listed: bool,
}

impl Print {
    fn is_wanted(self) -> bool {
        self != Self::default()
    }
}

pub(crate) struct Editor<'p> {
    pub(super) process: &'p Process,
    settings: Settings,
    out: Output<'p>,
    input: Lines<'p, Input<'p>>,
    pub(super) buffer: Buffer,
    /// The command line that is read, and how far.
    pub(super) line: Vec<u8>,
    pub(super) at: usize,
    /// Lines of a global command that are yet to be read.
    commands: Option<VecDeque<Vec<u8>>>,
    file: BString,
    shows_prompt: bool,
    explains: bool,
    explanation: String,
    pub(super) last_pattern: Option<Rc<Regex>>,
    pub(super) last_substitution: Option<Rc<Substitution>>,
    cut: Vec<Line>,
    last_command: Vec<u8>,
    window: usize,
    is_global: bool,
    pace: Pace<'p>,
    is_bytes: bool,
    code: i32,
    /// The last command was a warning that the buffer is modified.
    is_warned: bool,
}

impl<'p> Editor<'p> {
    pub(crate) fn new(process: &'p Process, settings: Settings) -> io::Result<Self> {
        let budget = Budget::new(process)?;
        Ok(Self {
            process,
            out: process.stdout(),
            input: Lines::new(process, process.stdin())?,
            buffer: Buffer::new(budget),
            line: Vec::new(),
            at: 0,
            commands: None,
            file: BString::default(),
            shows_prompt: settings.prompt.is_some(),
            explains: settings.is_verbose,
            explanation: String::new(),
            last_pattern: None,
            last_substitution: None,
            cut: Vec::new(),
            last_command: Vec::new(),
            window: 22,
            is_global: false,
            pace: Pace::new(process.stop_token()),
            is_bytes: characters::are_bytes(process),
            code: 0,
            is_warned: false,
            settings,
        })
    }

    /// Begins with a file.
    pub(crate) fn open(&mut self, name: &[u8]) -> io::Result<()> {
        if !name.starts_with(b"!") {
            self.file = name.into();
        }
        match self.read_into(name, 0) {
            Ok(()) => {
                self.buffer.set_modified(false);
                Ok(())
            }
            Err(Fault::Io(error)) => Err(error),
            Err(Fault::Mistake(message)) => {
                self.explanation = message;
                let is_new = self
                    .process
                    .vfs()
                    .stat(&self.process.resolve(name))
                    .is_err();
                if !is_new {
                    self.out.write_all(b"?\n")?;
                    self.code = 1;
                }
                Ok(())
            }
            Err(Fault::Modified) => Ok(()),
        }
    }

    /// Reads and does commands until there are no more; the exit code.
    pub(crate) fn run(&mut self) -> io::Result<i32> {
        loop {
            if self.shows_prompt {
                let prompt = self.settings.prompt.clone();
                self.out.write_all(&prompt.unwrap_or_else(|| "*".into()))?;
            }
            self.out.flush()?;
            let line = self.input.next_line()?;
            let Some(line) = line else {
                if self.buffer.is_modified() && !self.is_warned {
                    self.complain("Warning: buffer modified")?;
                    self.code = 2;
                }
                break;
            };
            self.line = line.strip_suffix(b"\n").unwrap_or(line).to_vec();
            self.at = 0;
            let was_warned = std::mem::take(&mut self.is_warned);
            match self.command(was_warned) {
                Ok(Flow::On) => {}
                Ok(Flow::Quit) => break,
                Err(fault) => {
                    self.commands = None;
                    self.is_global = false;
                    self.buffer.unselect_all();
                    match fault {
                        Fault::Mistake(message) => self.complain(&message)?,
                        Fault::Modified => {
                            self.complain("Warning: buffer modified")?;
                            self.is_warned = true;
                        }
                        Fault::Io(error) => {
                            self.out.flush()?;
                            return Err(error);
                        }
                    }
                    self.code = 1;
                }
            }
        }
        self.out.flush()?;
        Ok(self.code)
    }

    fn complain(&mut self, message: &str) -> io::Result<()> {
        self.out.write_all(b"?\n")?;
        message.clone_into(&mut self.explanation);
        if self.explains {
            writeln!(self.out, "{message}")?;
        }
        Ok(())
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    pub(super) fn rest(&self) -> &[u8] {
        self.line.get(self.at..).unwrap_or_default()
    }

    /// The next line of input: of a global command, or of standard input.
    fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        match &mut self.commands {
            Some(commands) => Ok(commands.pop_front()),
            None => {
                let line = self.input.next_line()?;
                Ok(line.map(|line| line.strip_suffix(b"\n").unwrap_or(line).to_vec()))
            }
        }
    }

    /// A line that follows one which ended with a backslash.
    pub(super) fn continuation(&mut self) -> Result<Vec<u8>> {
        let line = self.next_line()?;
        line.ok_or_else(|| mistake("Unexpected end-of-file"))
    }

    fn command(&mut self, was_warned: bool) -> Result<Flow> {
        self.process.spend(16);
        let addresses = self.addresses()?;
        self.skip_blanks();
        let command = self.peek();
        self.at += usize::from(command.is_some());
        let Some(command) = command else {
            // An empty line prints the next one.
            let number = if addresses.count > 0 {
                addresses.last
            } else if self.is_global {
                self.buffer.current()
            } else {
                self.buffer.current() + 1
            };
            let line = Addresses {
                first: number,
                last: number,
                count: 1,
            };
            self.check(line, false)?;
            self.print(number, number, Print::default())?;
            return Ok(Flow::On);
        };
        match command {
            b'a' | b'i' | b'c' => self.add(command, addresses)?,
            b'd' => {
                self.check(addresses, false)?;
                let print = self.suffix()?;
                self.checkpoint();
                self.delete(addresses.first, addresses.last, true);
                self.print_current(print)?;
            }
            b'e' | b'E' => self.edit(command == b'E' || was_warned, addresses)?,
            b'f' => self.file_name(addresses)?,
            b'g' | b'v' | b'G' | b'V' => self.global(command, addresses)?,
            b'h' | b'H' => {
                no_address(addresses)?;
                self.suffix()?;
                if command == b'H' {
                    self.explains = !self.explains;
                }
                if (command == b'h' || self.explains) && !self.explanation.is_empty() {
                    let explanation = self.explanation.clone();
                    writeln!(self.out, "{explanation}")?;
                }
            }
            b'j' => self.join(addresses)?,
            b'k' => {
                let letter = self.peek();
                self.at += usize::from(letter.is_some());
                if letter.is_none() {
                    return Err(mistake("Invalid command suffix"));
                }
                let Some(letter) = letter.filter(u8::is_ascii_lowercase) else {
                    return Err(mistake("Invalid mark character"));
                };
                if addresses.last == 0 {
                    return Err(mistake("Invalid address"));
                }
                let print = self.suffix()?;
                self.buffer.set_mark(letter, addresses.last);
                self.print_current(print)?;
            }
            b'l' | b'n' | b'p' => {
                self.check(addresses, false)?;
                let mut print = self.suffix()?;
                match command {
                    b'l' => print.is_listed = true,
                    b'n' => print.is_numbered = true,
                    _ => print.is_plain = true,
                }
                self.print(addresses.first, addresses.last, print)?;
            }
            b'm' | b't' => self.transfer(command, addresses)?,
            b'P' => {
                no_address(addresses)?;
                self.suffix()?;
                self.shows_prompt = !self.shows_prompt;
            }
            b'q' | b'Q' => {
                no_address(addresses)?;
                self.suffix()?;
                if command == b'q' && self.buffer.is_modified() && !was_warned {
                    return Err(Fault::Modified);
                }
                return Ok(Flow::Quit);
            }
            b'r' => self.read(addresses)?,
            b's' => self.substitute(addresses)?,
            b'u' => {
                no_address(addresses)?;
                let print = self.suffix()?;
                if !self.buffer.undo() {
                    return Err(mistake("Nothing to undo"));
                }
                self.print_current(print)?;
            }
            b'w' | b'W' => return self.write(command == b'W', addresses, was_warned),
            b'x' => {
                let print = self.suffix()?;
                if self.cut.is_empty() {
                    return Err(mistake("Nothing to put"));
                }
                self.checkpoint();
                let lines = self.cut.clone();
                let lines = self.fresh(lines)?;
                self.buffer.insert(addresses.last, lines);
                self.print_current(print)?;
            }
            b'y' => {
                self.check(addresses, false)?;
                let print = self.suffix()?;
                self.cut = self.buffer.copies(addresses.first, addresses.last);
                self.print_current(print)?;
            }
            b'z' => self.scroll(addresses)?,
            b'=' => {
                let print = self.suffix()?;
                let number = if addresses.count > 0 {
                    addresses.last
                } else {
                    self.buffer.last()
                };
                writeln!(self.out, "{number}")?;
                self.print_current(print)?;
            }
            b'!' => {
                no_address(addresses)?;
                self.shell()?;
            }
            b'#' => {}
            _ => return Err(mistake("Unknown command")),
        }
        Ok(Flow::On)
    }

    /// The addresses are lines, in order.
    fn check(&self, addresses: Addresses, allows_zero: bool) -> Result<()> {
        let least = usize::from(!allows_zero);
        let is_right = addresses.first <= addresses.last
            && addresses.first >= least
            && addresses.last <= self.buffer.last();
        if is_right {
            return Ok(());
        }
        Err(mistake("Invalid address"))
    }

    /// What a command has by default where none is given.
    fn or_all(&self, addresses: Addresses) -> Addresses {
        if addresses.count > 0 {
            return addresses;
        }
        Addresses {
            first: usize::from(self.buffer.last() > 0),
            last: self.buffer.last(),
            count: 0,
        }
    }

    /// `l`, `n` and `p` behind a command.
    pub(super) fn suffix(&mut self) -> Result<Print> {
        let mut print = Print::default();
        while let Some(byte) = self.peek() {
            match byte {
                b'l' => print.is_listed = true,
                b'n' => print.is_numbered = true,
                b'p' => print.is_plain = true,
                _ => return Err(mistake("Invalid command suffix")),
            }
            self.at += 1;
        }
        Ok(print)
    }

    /// Remembers how things are, once for all commands of a global one.
    pub(super) fn checkpoint(&mut self) {
        if !self.is_global {
            self.process.spend(self.buffer.last());
            self.buffer.checkpoint();
        }
    }

    /// Commands of a global command may find nothing to do.
    pub(super) fn is_in_global(&self) -> bool {
        self.is_global
    }

    pub(super) fn check_lines(&self, addresses: Addresses) -> Result<()> {
        self.check(addresses, false)
    }
}

fn no_address(addresses: Addresses) -> Result<()> {
    if addresses.count > 0 {
        return Err(mistake("Unexpected address"));
    }
    Ok(())
}
