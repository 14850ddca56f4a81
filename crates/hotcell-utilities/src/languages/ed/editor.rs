//! Commands.

use std::{
    io::{self, Read, Write},
    rc::Rc,
};

use bstr::{BString, ByteSlice};
use hotcell_meter::Pace;
use hotcell_process::{Input, Output, Process, error_text, limit_error};
use hotcell_regex::{Flavor, Options, Regex, SearchError};
use hotcell_vfs::OpenOptions;

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
    commands: Option<Vec<Vec<u8>>>,
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
            Some(commands) if commands.is_empty() => Ok(None),
            Some(commands) => Ok(Some(commands.remove(0))),
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

    pub(super) fn print_current(&mut self, print: Print) -> Result<()> {
        if !print.is_wanted() {
            return Ok(());
        }
        let current = self.buffer.current();
        if current == 0 {
            return Err(mistake("Invalid address"));
        }
        self.print(current, current, print)
    }

    fn print(&mut self, first: usize, last: usize, print: Print) -> Result<()> {
        for number in first..=last {
            let text = self.buffer.text(number);
            if print.is_numbered {
                write!(self.out, "{number}\t")?;
            }
            if print.is_listed {
                self.out.write_all(&listed(&text.bytes))?;
            } else {
                self.out.write_all(&text.bytes)?;
                self.out.write_all(b"\n")?;
            }
            self.buffer.set_current(number);
        }
        Ok(())
    }

    /// Copies of lines that are lines of their own.
    fn fresh(&mut self, lines: Vec<Line>) -> Result<Vec<Line>> {
        lines
            .into_iter()
            .map(|line| Ok(self.buffer.line(line.text.bytes.clone())?))
            .collect()
    }

    fn delete(&mut self, first: usize, last: usize, keeps: bool) {
        self.process.spend(self.buffer.last() / 16);
        let removed = self.buffer.remove(first, last);
        if keeps {
            self.cut = removed;
        }
        self.buffer.set_current(first.min(self.buffer.last()));
    }

    /// `a`, `i` and `c`: lines up to a point.
    fn add(&mut self, command: u8, addresses: Addresses) -> Result<()> {
        let after = match command {
            b'a' => addresses.last,
            b'i' => addresses.last.saturating_sub(1),
            _ => {
                self.check(addresses, false)?;
                addresses.first - 1
            }
        };
        let print = self.suffix()?;
        self.checkpoint();
        if command == b'c' {
            self.delete(addresses.first, addresses.last, true);
            // Without new lines the line behind the old ones is the current one.
            self.buffer.set_current((after + 1).min(self.buffer.last()));
        }
        let mut after = after;
        let is_in_global = self.commands.is_some();
        loop {
            let Some(mut line) = self.next_line()? else {
                break;
            };
            // In a global command each line but the last ends with a backslash, which was taken off.
            if line == b"." {
                break;
            }
            if is_in_global && line.ends_with(b"\\") {
                line.pop();
            }
            if line == b"." {
                break;
            }
            let line = self.buffer.line(line)?;
            self.process.spend(self.buffer.last() / 16);
            self.buffer.insert(after, vec![line]);
            after += 1;
        }
        self.print_current(print)
    }

    fn join(&mut self, addresses: Addresses) -> Result<()> {
        let current = self.buffer.current();
        let addresses = if addresses.count > 0 {
            addresses
        } else {
            Addresses {
                first: current,
                last: current + 1,
                count: 0,
            }
        };
        self.check(addresses, false)?;
        let print = self.suffix()?;
        if addresses.first < addresses.last {
            self.checkpoint();
            let mut joined = Vec::new();
            for number in addresses.first..=addresses.last {
                joined.extend_from_slice(&self.buffer.text(number).bytes);
            }
            let line = self.buffer.line(joined)?;
            self.delete(addresses.first, addresses.last, true);
            self.buffer.insert(addresses.first - 1, vec![line]);
        }
        self.print_current(print)
    }

    /// `m` and `t`: to behind another line.
    fn transfer(&mut self, command: u8, addresses: Addresses) -> Result<()> {
        self.check(addresses, false)?;
        let to = self.addresses()?;
        let target = if to.count > 0 {
            to.last
        } else {
            self.buffer.current()
        };
        let print = self.suffix()?;
        let (first, last) = (addresses.first, addresses.last);
        if command == b't' {
            self.checkpoint();
            let copies = self.buffer.copies(first, last);
            let copies = self.fresh(copies)?;
            self.buffer.insert(target, copies);
        } else {
            if (first..last).contains(&target) {
                return Err(mistake("Invalid destination"));
            }
            self.checkpoint();
            self.process.spend(self.buffer.last() / 16);
            let moved = self.buffer.remove(first, last);
            let count = last - first + 1;
            let target = if target >= last {
                target - count
            } else {
                target
            };
            self.buffer.put_back(target, moved);
        }
        self.print_current(print)
    }

    fn scroll(&mut self, addresses: Addresses) -> Result<()> {
        let first = if addresses.count > 0 {
            addresses.last
        } else {
            self.buffer.current() + usize::from(!self.is_global)
        };
        let line = Addresses {
            first,
            last: first,
            count: 1,
        };
        self.check(line, false)?;
        if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            let window = usize::try_from(self.number()?).unwrap_or(usize::MAX);
            self.window = window.max(1);
        }
        let mut print = self.suffix()?;
        print.is_plain = true;
        let last = first
            .saturating_add(self.window - 1)
            .min(self.buffer.last());
        self.print(first, last, print)
    }

    fn file_name(&mut self, addresses: Addresses) -> Result<()> {
        no_address(addresses)?;
        match self.name()? {
            Some(name) if name.starts_with(b"!") => return Err(mistake("Invalid redirection")),
            Some(name) => self.file = name,
            None => {}
        }
        if self.file.is_empty() {
            return Err(mistake("No current filename"));
        }
        let file = self.file.clone();
        self.out.write_all(&file)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }

    /// The name of a file behind a command, or `!` and a command of the shell.
    fn name(&mut self) -> Result<Option<BString>> {
        if !matches!(self.peek(), None | Some(b' ' | b'\t')) {
            return Err(mistake("Unexpected command suffix"));
        }
        self.skip_blanks();
        let name = BString::from(self.rest());
        self.at = self.line.len();
        if self.settings.is_restricted && (name.contains(&b'/') || name.starts_with(b"!")) {
            return Err(mistake("Shell access restricted"));
        }
        Ok((!name.is_empty()).then_some(name))
    }

    fn edit(&mut self, is_forced: bool, addresses: Addresses) -> Result<()> {
        no_address(addresses)?;
        let name = self.name()?;
        if self.buffer.is_modified() && !is_forced {
            return Err(Fault::Modified);
        }
        let name = name.unwrap_or_else(|| self.file.clone());
        if name.is_empty() {
            return Err(mistake("No current filename"));
        }
        let last = self.buffer.last();
        if last > 0 {
            self.delete(1, last, false);
        }
        self.buffer.forget();
        self.buffer.set_modified(false);
        if !name.starts_with(b"!") {
            self.file.clone_from(&name);
        }
        self.read_into(&name, 0)?;
        self.buffer.forget();
        self.buffer.set_modified(false);
        Ok(())
    }

    fn read(&mut self, addresses: Addresses) -> Result<()> {
        let name = self.name()?;
        let after = if addresses.count > 0 {
            addresses.last
        } else {
            self.buffer.last()
        };
        let name = name.unwrap_or_else(|| self.file.clone());
        if name.is_empty() {
            return Err(mistake("No current filename"));
        }
        if self.file.is_empty() && !name.starts_with(b"!") {
            self.file.clone_from(&name);
        }
        self.checkpoint();
        self.read_into(&name, after)?;
        Ok(())
    }

    /// Reads a file, or what a command prints, to behind a line.
    fn read_into(&mut self, name: &[u8], after: usize) -> Result<()> {
        let content = match name.strip_prefix(b"!") {
            Some(command) => self.output_of(command)?,
            None => self.content_of(name)?,
        };
        let mut size = content.len();
        let mut lines = Vec::new();
        for line in content.lines_with_terminator() {
            self.process.spend(line.len() / 16 + 1);
            let mut line = line.strip_suffix(b"\n").unwrap_or(line);
            if self.settings.strips_returns {
                line = line.strip_suffix(b"\r").unwrap_or(line);
            }
            lines.push(self.buffer.line(line.to_vec())?);
        }
        if !content.is_empty() && !content.ends_with(b"\n") {
            size += 1;
            if !self.settings.is_silent {
                self.out.write_all(b"Newline appended\n")?;
            }
        }
        drop(content);
        self.buffer.insert(after, lines);
        if !self.settings.is_silent {
            writeln!(self.out, "{size}")?;
        }
        Ok(())
    }

    fn content_of(&mut self, name: &[u8]) -> Result<Vec<u8>> {
        let opened = self.process.open_input(name);
        let content = opened.and_then(|input| self.read_all(input));
        content.map_err(|error| self.refused(name, &error, "Cannot open input file"))
    }

    /// Says that a file cannot be used, and why.
    fn refused(&mut self, name: &[u8], error: &io::Error, message: &str) -> Fault {
        let mut text = name.to_vec();
        text.extend_from_slice(b": ");
        text.extend_from_slice(error_text(error).as_bytes());
        text.push(b'\n');
        let _ = self.out.flush();
        let _ = self.process.stderr().write_all(&text);
        mistake(message)
    }

    fn read_all(&self, mut input: Input<'_>) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        let mut charge = self.process.charge(0)?;
        let mut piece = vec![0; 32 << 10];
        loop {
            let count = input.read(&mut piece)?;
            if count == 0 {
                return Ok(content);
            }
            charge.grow(count).map_err(limit_error)?;
            content.extend_from_slice(piece.get(..count).unwrap_or_default());
        }
    }

    fn output_of(&mut self, command: &[u8]) -> Result<Vec<u8>> {
        self.out.flush()?;
        let (reader, writer) = self.process.pipe()?;
        let spec = self
            .process
            .spec([&b"sh"[..], b"-c", command])
            .stdout(writer);
        let pid = match self.process.execute_beside(spec) {
            Ok(pid) => pid?,
            Err(error) => return Err(mistake(format!("sh: {error}"))),
        };
        let content = self.read_all(self.process.input(reader))?;
        self.process.wait(pid);
        Ok(content)
    }

    fn write(&mut self, appends: bool, addresses: Addresses, was_warned: bool) -> Result<Flow> {
        let quits = matches!(self.peek(), Some(b'q' | b'Q'));
        let is_forced = self.peek() == Some(b'Q') || was_warned;
        self.at += usize::from(quits);
        let name = self.name()?;
        let addresses = self.or_all(addresses);
        if self.buffer.last() > 0 || addresses.count > 0 {
            self.check(addresses, false)?;
        }
        let name = name.unwrap_or_else(|| self.file.clone());
        if name.is_empty() {
            return Err(mistake("No current filename"));
        }
        if self.file.is_empty() && !name.starts_with(b"!") {
            self.file.clone_from(&name);
        }
        let size = match name.strip_prefix(b"!") {
            Some(command) => self.write_to_command(command, addresses)?,
            None => {
                let options = if appends {
                    OpenOptions::append().create()
                } else {
                    OpenOptions::write().create().truncate()
                };
                let stream = match self.process.open(&name, &options) {
                    Ok(stream) => stream,
                    Err(error) => {
                        return Err(self.refused(&name, &error, "Cannot open output file"));
                    }
                };
                let mut output = self.process.output(stream);
                self.write_lines(&mut output, addresses)?
            }
        };
        if !self.settings.is_silent {
            writeln!(self.out, "{size}")?;
        }
        let is_all = addresses.first <= 1 && addresses.last == self.buffer.last();
        if is_all && !name.starts_with(b"!") {
            self.buffer.set_modified(false);
        }
        if !quits {
            return Ok(Flow::On);
        }
        if self.buffer.is_modified() && !is_forced {
            return Err(Fault::Modified);
        }
        Ok(Flow::Quit)
    }

    fn write_lines(&mut self, output: &mut Output<'_>, addresses: Addresses) -> Result<usize> {
        let mut size = 0;
        if addresses.first > 0 {
            for number in addresses.first..=addresses.last {
                let text = self.buffer.text(number);
                output.write_all(&text.bytes)?;
                output.write_all(b"\n")?;
                size += text.bytes.len() + 1;
            }
        }
        output.flush()?;
        Ok(size)
    }

    fn write_to_command(&mut self, command: &[u8], addresses: Addresses) -> Result<usize> {
        self.out.flush()?;
        let (reader, writer) = self.process.pipe()?;
        let spec = self
            .process
            .spec([&b"sh"[..], b"-c", command])
            .stdin(reader);
        let pid = match self.process.execute_beside(spec) {
            Ok(pid) => pid?,
            Err(error) => return Err(mistake(format!("sh: {error}"))),
        };
        let mut output = self.process.output(writer);
        let size = self.write_lines(&mut output, addresses)?;
        drop(output);
        self.process.wait(pid);
        Ok(size)
    }

    /// `!`: runs a command; `%` in it is the file, `!` at its beginning the last command.
    fn shell(&mut self) -> Result<()> {
        if self.settings.is_restricted {
            return Err(mistake("Shell access restricted"));
        }
        let text = self.rest().to_vec();
        self.at = self.line.len();
        let mut command = Vec::new();
        let mut is_changed = false;
        let mut bytes = text.iter().peekable();
        if bytes.next_if_eq(&&b'!').is_some() {
            if self.last_command.is_empty() {
                return Err(mistake("No previous command"));
            }
            command.extend_from_slice(&self.last_command);
            is_changed = true;
        }
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' if bytes.next_if_eq(&&b'%').is_some() => command.push(b'%'),
                b'%' => {
                    if self.file.is_empty() {
                        return Err(mistake("No current filename"));
                    }
                    command.extend_from_slice(&self.file);
                    is_changed = true;
                }
                byte => command.push(*byte),
            }
        }
        if is_changed {
            self.out.write_all(&command)?;
            self.out.write_all(b"\n")?;
        }
        self.out.flush()?;
        self.last_command.clone_from(&command);
        let spec = self.process.spec([&b"sh"[..], b"-c", &command]);
        if let Err(error) = self.process.execute(spec) {
            return Err(mistake(format!("sh: {error}")));
        }
        if !self.settings.is_silent {
            self.out.write_all(b"!\n")?;
        }
        Ok(())
    }

    /// `g` and `v`, and `G` and `V`, which ask for each line.
    fn global(&mut self, command: u8, addresses: Addresses) -> Result<()> {
        if self.is_global {
            return Err(mistake("Cannot nest global commands"));
        }
        let addresses = self.or_all(addresses);
        self.check(addresses, false)?;
        let delimiter = self.peek();
        let delimiter = delimiter.filter(|delimiter| !matches!(delimiter, b' ' | b'\n'));
        let Some(delimiter) = delimiter else {
            return Err(mistake("Invalid pattern delimiter"));
        };
        let pattern = self.pattern(delimiter)?;
        if self.peek() == Some(delimiter) {
            self.at += 1;
        }
        let wants_match = matches!(command, b'g' | b'G');
        for number in addresses.first..=addresses.last {
            let text = self.buffer.text(number);
            if self.is_match(&pattern, &text.bytes)? == wants_match {
                self.buffer.select(number);
            }
        }
        let is_interactive = matches!(command, b'G' | b'V');
        let commands = if is_interactive {
            self.suffix()?;
            Vec::new()
        } else {
            self.command_list()?
        };
        self.checkpoint();
        self.is_global = true;
        let done = self.each_selected(&commands, is_interactive);
        self.is_global = false;
        self.commands = None;
        self.buffer.unselect_all();
        done
    }

    /// The commands of `g`: the rest of the line, and more lines as long as they end with a backslash.
    fn command_list(&mut self) -> Result<Vec<Vec<u8>>> {
        let mut commands = Vec::new();
        let mut line = self.rest().to_vec();
        self.at = self.line.len();
        while line.ends_with(b"\\") {
            line.pop();
            commands.push(std::mem::take(&mut line));
            line = self.continuation()?;
        }
        commands.push(line);
        if commands.iter().all(Vec::is_empty) {
            commands = vec![b"p".to_vec()];
        }
        Ok(commands)
    }

    fn each_selected(&mut self, commands: &[Vec<u8>], is_interactive: bool) -> Result<()> {
        let mut from = 0;
        let mut last: Option<Vec<u8>> = None;
        while let Some(number) = self.buffer.take_selected(from) {
            self.process.spend(16 + number.abs_diff(from));
            // The line may be gone after the command, and the next one in its place.
            from = number - 1;
            self.buffer.set_current(number);
            if !is_interactive {
                self.run_commands(commands.to_vec())?;
                continue;
            }
            self.print(number, number, Print::default())?;
            self.out.flush()?;
            let Some(mut line) = self.next_line()? else {
                return Err(mistake("Unexpected end-of-file"));
            };
            if line.is_empty() {
                continue;
            }
            if line == b"&" {
                line = last.clone().ok_or_else(|| mistake("No previous command"))?;
            }
            last = Some(line.clone());
            self.run_commands(vec![line])?;
        }
        Ok(())
    }

    fn run_commands(&mut self, commands: Vec<Vec<u8>>) -> Result<()> {
        self.commands = Some(commands);
        while let Some(line) = self.next_line()? {
            self.line = line;
            self.at = 0;
            self.command(false)?;
            if self.commands.as_ref().is_none_or(Vec::is_empty) {
                break;
            }
        }
        self.commands = None;
        Ok(())
    }

    /// A pattern between delimiters; the empty one is the last that was used. The closing delimiter is not taken.
    pub(super) fn pattern(&mut self, delimiter: u8) -> Result<Rc<Regex>> {
        self.at += 1;
        let mut source = Vec::new();
        let mut bracket: Option<usize> = None;
        while let Some(byte) = self.peek() {
            match byte {
                _ if byte == delimiter && bracket.is_none() => break,
                b'\\' => {
                    self.at += 1;
                    let next = self
                        .peek()
                        .ok_or_else(|| mistake("Trailing backslash (\\)"))?;
                    if next != delimiter {
                        source.push(b'\\');
                    }
                    source.push(next);
                    self.at += 1;
                    continue;
                }
                b'[' if bracket.is_none() => bracket = Some(source.len()),
                b']' if bracket.is_some_and(|start| source.len() > start + 1) => bracket = None,
                _ => {}
            }
            source.push(byte);
            self.at += 1;
        }
        if source.is_empty() {
            let last = self.last_pattern.clone();
            return last.ok_or_else(|| mistake("No previous pattern"));
        }
        self.process.spend(source.len().saturating_mul(64));
        let flavor = if self.settings.is_extended {
            Flavor::Extended
        } else {
            Flavor::Basic
        };
        let options = Options {
            bytes: self.is_bytes,
            ..Options::default()
        };
        let regex = Regex::new(&source, flavor, options);
        let regex = Rc::new(regex.map_err(|error| mistake(error.to_string()))?);
        self.last_pattern = Some(Rc::clone(&regex));
        Ok(regex)
    }

    pub(super) fn is_match(&mut self, regex: &Regex, text: &[u8]) -> Result<bool> {
        self.process.spend(text.len() / 16 + 1);
        let found = regex.is_match(text, &mut self.pace);
        found.map_err(|error| self.search_failed(error))
    }

    pub(super) fn captures(
        &mut self,
        regex: &Regex,
        text: &[u8],
        start: usize,
    ) -> Result<Option<hotcell_regex::Captures>> {
        self.process
            .spend(text.len().saturating_sub(start) / 16 + 1);
        let found = regex.captures_at(text, start, &mut self.pace);
        found.map_err(|error| self.search_failed(error))
    }

    fn search_failed(&self, error: SearchError) -> Fault {
        if let SearchError::Stopped(_) = error {
            // The process ends here.
            self.process.spend(usize::MAX);
        }
        mistake(error.to_string())
    }

    /// The next line that matches, from the current one on and around.
    pub(super) fn search(&mut self, regex: &Regex, is_forward: bool) -> Result<usize> {
        let last = self.buffer.last();
        let mut number = self.buffer.current();
        for _ in 0..last {
            number = match (is_forward, number) {
                (true, number) if number >= last => 1,
                (true, number) => number + 1,
                (false, number) if number <= 1 => last,
                (false, number) => number - 1,
            };
            let text = self.buffer.text(number);
            if self.is_match(regex, &text.bytes)? {
                return Ok(number);
            }
        }
        Err(mistake("No match"))
    }

    pub(super) fn character_at(&self, text: &[u8], at: usize) -> usize {
        if self.is_bytes {
            return 1;
        }
        characters::first(text.get(at..).unwrap_or_default())
    }

    pub(super) fn replace_line(&mut self, number: usize, lines: Vec<Line>) {
        let count = lines.len();
        self.process.spend(self.buffer.last() / 16);
        self.buffer.remove(number, number);
        self.buffer.insert(number - 1, lines);
        self.buffer.set_current(number - 1 + count);
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

/// A line so that everything in it can be seen.
fn listed(text: &[u8]) -> Vec<u8> {
    const WIDTH: usize = 72;
    let mut out = Vec::with_capacity(text.len() + 2);
    let mut column = 0;
    for byte in text {
        let shown: Vec<u8> = match byte {
            b'\\' => b"\\\\".to_vec(),
            b'$' => b"\\$".to_vec(),
            7 => b"\\a".to_vec(),
            8 => b"\\b".to_vec(),
            12 => b"\\f".to_vec(),
            b'\r' => b"\\r".to_vec(),
            b'\t' => b"\\t".to_vec(),
            11 => b"\\v".to_vec(),
            b' '..=b'~' => vec![*byte],
            byte => format!("\\{byte:03o}").into_bytes(),
        };
        if column + shown.len() > WIDTH {
            out.extend_from_slice(b"\\\n");
            column = 0;
        }
        column += shown.len();
        out.extend(shown);
    }
    out.extend_from_slice(b"$\n");
    out
}
