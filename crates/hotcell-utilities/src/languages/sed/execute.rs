//! Runs a script.

use std::{
    collections::HashMap,
    io::{self, Read},
    rc::Rc,
};

use bstr::BString;
use hotcell_meter::{Charge, Pace};
use hotcell_process::{Process, error_text, limit_error};
use hotcell_regex::{Regex, SearchError};
use hotcell_vfs::OpenOptions;

use super::{
    input::Lines,
    list::unambiguous,
    output::{InPlace, Out},
    script::{Action, Address, Command, Script, Sink, Substitution},
};

/// How a script is run.
pub(crate) struct Setup {
    pub(crate) files: Vec<BString>,
    pub(crate) is_quiet: bool,
    pub(crate) is_separate: bool,
    /// Files are edited, with this suffix for what they were.
    pub(crate) in_place: Option<BString>,
    pub(crate) follows_links: bool,
    pub(crate) is_unbuffered: bool,
    pub(crate) is_posix: bool,
    pub(crate) is_bytes: bool,
    /// What ends a line.
    pub(crate) end: u8,
    /// How wide `l` writes.
    pub(crate) width: usize,
    /// Where the script ends, for messages.
    pub(crate) place: String,
}

/// Whether a command that has two addresses is between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    Outside,
    /// Up to and with this line.
    UntilLine(u64),
    /// Until the second address is met.
    Open,
    /// It began at a line that does not come again.
    Over,
}

/// What a range is once it was left.
fn left(first: &Address) -> Range {
    match first {
        Address::Line(_) => Range::Over,
        _ => Range::Outside,
    }
}

/// What is written at the end of the cycle.
enum Appended {
    Text(Vec<u8>),
    File(BString),
}

/// How a cycle goes on.
enum Flow {
    /// With the next line, after this one is printed.
    End,
    /// With the next line, and this one is not printed.
    EndSilently,
    /// Without reading a line.
    Restart,
    Quit(i32),
    QuitSilently(i32),
}

pub(crate) struct Sed<'p> {
    pub(super) process: &'p Process,
    setup: Setup,
    names: std::vec::IntoIter<BString>,
    lines: Option<Lines<'p>>,
    /// The name of the file that the line is from.
    name: BString,
    /// That of the next line, if it is from another.
    next_name: Option<BString>,
    /// The exit code that files which cannot be read make.
    code: i32,
    stdout: Out<'p>,
    /// Where lines go while a file is edited.
    edited: Option<(InPlace<'p>, Out<'p>)>,
    stderr: Out<'p>,
    sinks: Vec<Out<'p>>,
    pub(super) pattern: Vec<u8>,
    hold: Vec<u8>,
    pub(super) spare: Vec<u8>,
    /// The line in the pattern space had its end.
    has_end: bool,
    hold_has_end: bool,
    line: u64,
    is_replaced: bool,
    appended: Vec<Appended>,
    /// Files that `R` reads.
    read: HashMap<BString, Option<Lines<'p>>>,
    ranges: Vec<Range>,
    last_regex: Option<Rc<Regex>>,
    pub(super) pace: Pace<'p>,
    /// What the pattern and hold spaces hold.
    pub(super) charge: Charge,
    pub(super) is_bytes: bool,
}

impl<'p> Sed<'p> {
    pub(crate) fn new(process: &'p Process, script: &Script, setup: Setup) -> io::Result<Self> {
        let out = |output| Out::new(output, setup.end, setup.is_unbuffered);
        let mut sinks = Vec::new();
        for name in &script.files {
            let options = OpenOptions::write().create().truncate();
            match process.open(name, &options) {
                Ok(stream) => sinks.push(out(process.output(stream))),
                Err(error) => {
                    process.complain(format!("couldn't open file {name}: {}", error_text(&error)));
                    process.exit(4);
                }
            }
        }
        let mut sed = Self {
            process,
            names: setup.files.clone().into_iter(),
            lines: None,
            name: "-".into(),
            next_name: None,
            code: 0,
            stdout: out(process.stdout()),
            edited: None,
            stderr: out(process.stderr()),
            sinks,
            pattern: Vec::new(),
            hold: Vec::new(),
            spare: Vec::new(),
            has_end: true,
            hold_has_end: true,
            line: 0,
            is_replaced: false,
            appended: Vec::new(),
            read: HashMap::new(),
            ranges: Vec::new(),
            last_regex: None,
            pace: Pace::new(process.stop_token()),
            charge: process.charge(0)?,
            is_bytes: setup.is_bytes,
            setup,
        };
        sed.reset_ranges(script);
        Ok(sed)
    }

    /// Runs the script on all lines; the exit code.
    pub(crate) fn run(&mut self, script: &Script) -> io::Result<i32> {
        let mut quit = None;
        'lines: while self.read_line(script, false)? {
            loop {
                let flow = self.cycle(script)?;
                match flow {
                    Flow::End | Flow::Quit(_) if !self.setup.is_quiet => self.print_pattern()?,
                    _ => {}
                }
                match flow {
                    Flow::Quit(code) => {
                        self.write_appended()?;
                        quit = Some(code);
                        break 'lines;
                    }
                    Flow::QuitSilently(code) => {
                        quit = Some(code);
                        break 'lines;
                    }
                    Flow::Restart => self.write_appended()?,
                    Flow::End | Flow::EndSilently => break,
                }
            }
        }
        self.write_appended()?;
        if quit.is_some()
            && let Some(lines) = &mut self.lines
        {
            lines.give_back();
        }
        self.finish_file()?;
        for sink in &mut self.sinks {
            sink.flush()?;
        }
        self.stdout.flush()?;
        Ok(quit.unwrap_or(self.code))
    }

    fn reset_ranges(&mut self, script: &Script) {
        let begin = |command: &Command| match (&command.first, &command.last) {
            // The pattern that ends the range is looked for in the first line, too.
            (Some(Address::Line(0)), Some(_)) => Range::Open,
            _ => Range::Outside,
        };
        self.ranges = script.commands.iter().map(begin).collect();
    }

    /// Reads the next line into the pattern space, or behind what is in it.
    #[inline]
    fn read_line(&mut self, script: &Script, appends: bool) -> io::Result<bool> {
        if !self.appended.is_empty() {
            self.write_appended()?;
        }
        self.is_replaced = false;
        loop {
            if let Some(lines) = &mut self.lines {
                if !appends {
                    self.pattern.clear();
                }
                let length = self.pattern.len();
                let read = lines.next(self.setup.end, &mut self.pattern);
                match read {
                    Ok(Some(has_end)) => {
                        self.has_end = has_end;
                        self.line += 1;
                        if let Some(name) = self.next_name.take() {
                            self.name = name;
                        }
                        self.process.spend((self.pattern.len() - length) / 16 + 1);
                        self.check_room(0)?;
                        return Ok(true);
                    }
                    Ok(None) => self.finish_file()?,
                    Err(error) => return Err(self.read_failed(&error)),
                }
            }
            if !self.open_next(script)? {
                return Ok(false);
            }
        }
    }

    fn read_failed(&self, error: &io::Error) -> io::Error {
        io::Error::new(
            error.kind(),
            format!("read error on {}: {}", self.name, error_text(error)),
        )
    }

    /// Opens the next file; false if there is none.
    fn open_next(&mut self, script: &Script) -> io::Result<bool> {
        loop {
            self.process.spend(1);
            let Some(name) = self.names.next() else {
                return Ok(false);
            };
            let is_edited = self.setup.in_place.is_some() && name != "-";
            if is_edited && !self.is_regular(&name) {
                self.process
                    .complain(format!("couldn't edit {name}: not a regular file"));
                self.code = 4;
                continue;
            }
            match self.process.open_input(&name) {
                Ok(input) => self.lines = Some(Lines::new(self.process, input)?),
                Err(error) if error.raw_os_error() == Some(hotcell_vfs::Errno::EISDIR.code()) => {
                    self.name = name;
                    return Err(self.read_failed(&error));
                }
                Err(error) => {
                    self.process
                        .complain(format!("can't read {name}: {}", error_text(&error)));
                    self.code = 2;
                    continue;
                }
            }
            if is_edited {
                let begun = InPlace::begin(self.process, &name, self.setup.follows_links);
                match begun {
                    Ok((file, output)) => {
                        let out = Out::new(output, self.setup.end, false);
                        self.edited = Some((file, out));
                    }
                    Err(error) => {
                        self.process.complain(format!(
                            "couldn't open temporary file beside {name}: {}",
                            error_text(&error)
                        ));
                        self.process.exit(4);
                    }
                }
            }
            if self.setup.is_separate {
                self.line = 0;
                self.reset_ranges(script);
            }
            self.name = name;
            return Ok(true);
        }
    }

    /// Whether it can be edited. What is not there at all is refused when it is opened.
    fn is_regular(&self, name: &BString) -> bool {
        let meta = self.process.vfs().stat(&self.process.resolve(name));
        meta.map_or(true, |meta| meta.is_file())
    }

    /// The file that was read is done with: what was made of it takes its place.
    fn finish_file(&mut self) -> io::Result<()> {
        self.lines = None;
        if let Some((file, mut out)) = self.edited.take() {
            out.flush()?;
            drop(out);
            file.finish(
                self.setup
                    .in_place
                    .as_ref()
                    .map_or(&b""[..], |suffix| suffix),
            )?;
        }
        Ok(())
    }

    /// Whether the line is the last one: of its file, or of all.
    fn is_last(&mut self) -> io::Result<bool> {
        loop {
            if let Some(lines) = &mut self.lines
                && lines.has_more()?
            {
                return Ok(false);
            }
            if self.setup.is_separate {
                return Ok(true);
            }
            // Files that are empty, or not there, have no lines.
            let Some(name) = self.names.next() else {
                return Ok(true);
            };
            match self.process.open_input(&name) {
                Ok(input) => {
                    self.lines = Some(Lines::new(self.process, input)?);
                    self.next_name = Some(name);
                }
                Err(error) => {
                    self.process
                        .complain(format!("can't read {name}: {}", error_text(&error)));
                    self.code = 2;
                }
            }
        }
    }

    /// Whether there is no line to go on with.
    fn is_over(&mut self) -> io::Result<bool> {
        if !self.setup.is_separate {
            return self.is_last();
        }
        let has_more = match &mut self.lines {
            Some(lines) => lines.has_more()?,
            None => false,
        };
        Ok(!has_more && self.names.len() == 0)
    }

    fn out(&mut self) -> &mut Out<'p> {
        match &mut self.edited {
            Some((_, out)) => out,
            None => &mut self.stdout,
        }
    }

    fn print_pattern(&mut self) -> io::Result<()> {
        let (text, has_end) = (&self.pattern, self.has_end);
        match &mut self.edited {
            Some((_, out)) => out.line(text, has_end),
            None => self.stdout.line(text, has_end),
        }
    }

    fn sink(&mut self, sink: Sink) -> Option<&mut Out<'p>> {
        match sink {
            Sink::Stdout => Some(&mut self.stdout),
            Sink::Stderr => Some(&mut self.stderr),
            Sink::File(number) => self.sinks.get_mut(number),
        }
    }

    /// Writes what `a`, `r` and `R` have put by.
    fn write_appended(&mut self) -> io::Result<()> {
        for appended in std::mem::take(&mut self.appended) {
            match appended {
                Appended::Text(text) => self.out().text(&text)?,
                Appended::File(name) => {
                    let Ok(mut input) = self.process.open_input(&name) else {
                        continue;
                    };
                    let mut buffer = vec![0; 32 << 10];
                    loop {
                        let Ok(count) = input.read(&mut buffer) else {
                            break;
                        };
                        if count == 0 {
                            break;
                        }
                        self.out().text(buffer.get(..count).unwrap_or_default())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes sure that there is memory for the spaces, and for so much more.
    fn check_room(&mut self, more: usize) -> io::Result<()> {
        let needed = (self.pattern.capacity() + self.hold.capacity()).saturating_add(more);
        if needed > self.charge.bytes() {
            self.charge
                .resize(needed.saturating_add(needed / 2))
                .map_err(limit_error)?;
        }
        Ok(())
    }

    /// A regular expression, or the last one that was used.
    pub(super) fn regex(&mut self, pattern: Option<&Rc<Regex>>) -> io::Result<Rc<Regex>> {
        if let Some(pattern) = pattern {
            let is_known = self
                .last_regex
                .as_ref()
                .is_some_and(|last| Rc::ptr_eq(last, pattern));
            if !is_known {
                self.last_regex = Some(Rc::clone(pattern));
            }
            return Ok(Rc::clone(pattern));
        }
        match &self.last_regex {
            Some(last) => Ok(Rc::clone(last)),
            None => {
                let place = self.setup.place.clone();
                let _ = self.out().flush();
                self.process
                    .complain(format!("{place}no previous regular expression"));
                self.process.exit(1);
            }
        }
    }

    pub(super) fn search_failed(&self, error: SearchError) -> io::Error {
        if let SearchError::Stopped(_) = error {
            // The process ends here.
            self.process.spend(usize::MAX);
        }
        io::Error::other(error)
    }

    fn matches(&mut self, address: &Address) -> io::Result<bool> {
        Ok(match address {
            Address::Line(line) => self.line == *line,
            Address::Step(first, step) => {
                self.line >= *first && (self.line - first).is_multiple_of(*step.max(&1))
            }
            Address::Last => self.is_last()?,
            Address::Regex(pattern) => {
                let regex = self.regex(pattern.as_ref())?;
                self.process.spend(self.pattern.len() / 16);
                let is_match = regex.is_match(&self.pattern, &mut self.pace);
                is_match.map_err(|error| self.search_failed(error))?
            }
            Address::Plus(_) | Address::Multiple(_) => false,
        })
    }

    /// Whether a command applies to this line.
    #[inline]
    fn is_selected(&mut self, number: usize, command: &Command) -> io::Result<bool> {
        let Some(first) = &command.first else {
            return Ok(!command.is_negated);
        };
        let is_selected = match &command.last {
            None => self.matches(first)?,
            Some(last) => self.is_in_range(number, first, last)?,
        };
        Ok(is_selected != command.is_negated)
    }

    fn is_in_range(&mut self, number: usize, first: &Address, last: &Address) -> io::Result<bool> {
        let range = self.ranges.get(number).copied().unwrap_or(Range::Outside);
        let (is_inside, next) = match range {
            Range::Outside => self.enter_range(first, last)?,
            Range::UntilLine(end) => {
                // Lines may have been skipped: then a line that is named is over, but one that is counted is not.
                let is_inside = self.line <= end || !matches!(last, Address::Line(_));
                (
                    is_inside,
                    if self.line >= end { left(first) } else { range },
                )
            }
            Range::Open => {
                let next = if self.matches(last)? {
                    left(first)
                } else {
                    range
                };
                (true, next)
            }
            Range::Over => (false, range),
        };
        if let Some(place) = self.ranges.get_mut(number) {
            *place = next;
        }
        Ok(is_inside)
    }

    /// Whether a range begins at this line, and what it is then.
    fn enter_range(&mut self, first: &Address, last: &Address) -> io::Result<(bool, Range)> {
        let begins = match first {
            // The line itself may have been skipped.
            Address::Line(line) => self.line >= *line,
            first => self.matches(first)?,
        };
        if !begins {
            return Ok((false, Range::Outside));
        }
        let end = match last {
            Address::Line(line) => {
                let is_first = matches!(first, Address::Line(first) if self.line == *first);
                if self.line > *line && matches!(first, Address::Line(_)) && !is_first {
                    return Ok((false, Range::Over));
                }
                *line
            }
            Address::Plus(count) => self.line.saturating_add(*count),
            Address::Multiple(of) => {
                let of = (*of).max(1);
                (self.line / of + 1).saturating_mul(of)
            }
            _ => return Ok((true, Range::Open)),
        };
        if end <= self.line {
            return Ok((true, left(first)));
        }
        Ok((true, Range::UntilLine(end)))
    }

    /// Runs the commands on what is in the pattern space.
    fn cycle(&mut self, script: &Script) -> io::Result<Flow> {
        let mut at = 0;
        while let Some(command) = script.commands.get(at) {
            self.process.spend(1);
            let is_selected = self.is_selected(at, command)?;
            at += 1;
            if !is_selected {
                if let Action::Block(end) = command.action {
                    at = end;
                }
                continue;
            }
            match &command.action {
                Action::Block(_) | Action::Nothing => {}
                Action::Substitute(substitution) => {
                    if self.substitute(substitution)? {
                        self.is_replaced = true;
                        self.substituted(substitution)?;
                    }
                }
                Action::Branch(to) => at = *to,
                Action::BranchIf(to) => {
                    if std::mem::take(&mut self.is_replaced) {
                        at = *to;
                    }
                }
                Action::BranchUnless(to) => {
                    if !std::mem::take(&mut self.is_replaced) {
                        at = *to;
                    }
                }
                Action::Delete => return Ok(Flow::EndSilently),
                Action::DeleteFirst => {
                    let newline = memchr::memchr(self.setup.end, &self.pattern);
                    let Some(newline) = newline else {
                        return Ok(Flow::EndSilently);
                    };
                    self.pattern.drain(..=newline);
                    return Ok(Flow::Restart);
                }
                Action::Next => {
                    if self.is_over()? {
                        return Ok(self.without_next());
                    }
                    if !self.setup.is_quiet {
                        self.print_pattern()?;
                    }
                    if !self.read_line(script, false)? {
                        return Ok(Flow::EndSilently);
                    }
                }
                Action::NextAppend => {
                    if self.is_over()? {
                        return Ok(self.without_next());
                    }
                    self.check_room(1)?;
                    self.pattern.push(self.setup.end);
                    if !self.read_line(script, true)? {
                        self.pattern.pop();
                        return Ok(Flow::End);
                    }
                }
                Action::Quit(code) => return Ok(Flow::Quit(*code)),
                Action::QuitSilently(code) => return Ok(Flow::QuitSilently(*code)),
                Action::Change(text) => {
                    // In a range, once at its end.
                    let is_inside = command.last.is_some()
                        && !command.is_negated
                        && matches!(
                            self.ranges.get(at - 1),
                            Some(Range::Open | Range::UntilLine(_))
                        );
                    if !is_inside {
                        self.out().text(text)?;
                    }
                    return Ok(Flow::EndSilently);
                }
                action => self.act(action)?,
            }
        }
        Ok(Flow::End)
    }

    /// There is no next line: POSIX quits without printing, GNU prints.
    fn without_next(&self) -> Flow {
        if self.setup.is_posix {
            Flow::QuitSilently(self.code)
        } else {
            Flow::Quit(self.code)
        }
    }

    /// Commands after which the next one follows.
    fn act(&mut self, action: &Action) -> io::Result<()> {
        match action {
            Action::Print => self.print_pattern()?,
            Action::PrintFirst => {
                let end = self.setup.end;
                let length = memchr::memchr(end, &self.pattern).unwrap_or(self.pattern.len());
                let text = self.pattern.get(..length).unwrap_or_default();
                match &mut self.edited {
                    Some((_, out)) => out.line(text, true)?,
                    None => self.stdout.line(text, true)?,
                }
            }
            Action::Append(text) => self.appended.push(Appended::Text(text.clone())),
            Action::Insert(text) => self.out().text(text)?,
            Action::LineNumber => {
                let text = self.line.to_string();
                self.out().line(text.as_bytes(), true)?;
            }
            Action::FileName => {
                let name = self.name.clone();
                self.out().line(&name, true)?;
            }
            Action::Get => {
                self.pattern.clear();
                self.has_end = self.hold_has_end;
                self.check_room(self.hold.len())?;
                self.pattern.extend_from_slice(&self.hold);
            }
            Action::GetAppend => {
                self.check_room(self.hold.len() + 1)?;
                self.process.spend(self.hold.len() / 16);
                self.has_end |= self.hold_has_end;
                self.pattern.push(self.setup.end);
                self.pattern.extend_from_slice(&self.hold);
            }
            Action::Hold => {
                self.hold.clear();
                self.hold_has_end = self.has_end;
                self.check_room(self.pattern.len())?;
                self.hold.extend_from_slice(&self.pattern);
            }
            Action::HoldAppend => {
                self.check_room(self.pattern.len() + 1)?;
                self.process.spend(self.pattern.len() / 16);
                self.hold_has_end |= self.has_end;
                self.hold.push(self.setup.end);
                self.hold.extend_from_slice(&self.pattern);
            }
            Action::Exchange => {
                std::mem::swap(&mut self.pattern, &mut self.hold);
                std::mem::swap(&mut self.has_end, &mut self.hold_has_end);
            }
            Action::List(width) => {
                self.process.spend(self.pattern.len());
                let text = unambiguous(&self.pattern, width.unwrap_or(self.setup.width));
                self.out().text(&text)?;
            }
            Action::Read(name) => self.appended.push(Appended::File(name.clone())),
            Action::ReadLine(name) => self.queue_line(name)?,
            Action::Write(sink) => self.write_pattern(*sink, false)?,
            Action::WriteFirst(sink) => self.write_pattern(*sink, true)?,
            Action::Translate(translation) => self.translate(translation),
            Action::Zap => self.pattern.clear(),
            Action::Execute(Some(command)) => {
                let output = self.output_of(command)?;
                self.out().text(&output)?;
            }
            Action::Execute(None) => self.execute_pattern()?,
            _ => {}
        }
        Ok(())
    }

    /// What the flags of `s` ask for once something was replaced.
    fn substituted(&mut self, substitution: &Substitution) -> io::Result<()> {
        self.check_room(0)?;
        if substitution.executes {
            if substitution.prints && substitution.prints_first {
                self.print_pattern()?;
            }
            self.execute_pattern()?;
        }
        if substitution.prints && !(substitution.executes && substitution.prints_first) {
            self.print_pattern()?;
        }
        if let Some(sink) = substitution.writes {
            self.write_pattern(sink, false)?;
        }
        Ok(())
    }

    fn write_pattern(&mut self, sink: Sink, is_first_line: bool) -> io::Result<()> {
        let pattern = std::mem::take(&mut self.pattern);
        let length = if is_first_line {
            memchr::memchr(self.setup.end, &pattern).unwrap_or(pattern.len())
        } else {
            pattern.len()
        };
        let has_end = self.has_end || is_first_line;
        let written = match self.sink(sink) {
            Some(out) => {
                let written = out.line(pattern.get(..length).unwrap_or_default(), has_end);
                // Others may read it while we write.
                written.and_then(|()| out.flush())
            }
            None => Ok(()),
        };
        self.pattern = pattern;
        written
    }

    /// `R`: the next line of a file is put by.
    fn queue_line(&mut self, name: &BString) -> io::Result<()> {
        if !self.read.contains_key(name) {
            let lines = match self.process.open_input(name) {
                Ok(input) => Some(Lines::new(self.process, input)?),
                Err(_) => None,
            };
            self.read.insert(name.clone(), lines);
        }
        if let Some(Some(lines)) = self.read.get_mut(name) {
            let mut line = Vec::new();
            if let Some(has_end) = lines.next(self.setup.end, &mut line)? {
                if has_end {
                    line.push(self.setup.end);
                }
                self.appended.push(Appended::Text(line));
            }
        }
        Ok(())
    }

    /// Runs what is in the pattern space, and puts what it prints there.
    fn execute_pattern(&mut self) -> io::Result<()> {
        let command = std::mem::take(&mut self.pattern);
        let mut output = self.output_of(&command)?;
        if output.last() == Some(&self.setup.end) {
            output.pop();
        }
        self.pattern = output;
        self.check_room(0)
    }

    /// What a command prints.
    fn output_of(&mut self, command: &[u8]) -> io::Result<Vec<u8>> {
        self.out().flush()?;
        let (reader, writer) = self.process.pipe()?;
        let spec = self
            .process
            .spec([&b"sh"[..], b"-c", command])
            .stdout(writer);
        let pid = match self.process.execute_beside(spec) {
            Ok(pid) => pid?,
            Err(error) => {
                self.process.complain(format!("sh: {error}"));
                return Ok(Vec::new());
            }
        };
        let mut output = Vec::new();
        let mut buffer = vec![0; 16 << 10];
        let mut charge = self.process.charge(0)?;
        loop {
            let count = self.process.read(&reader, &mut buffer)?;
            if count == 0 {
                break;
            }
            charge.grow(count).map_err(limit_error)?;
            output.extend_from_slice(buffer.get(..count).unwrap_or_default());
        }
        self.process.wait(pid);
        Ok(output)
    }
}
