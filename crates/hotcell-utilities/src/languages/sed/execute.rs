//! Runs a script.

mod addresses;
mod commands;
mod files;
mod writing;

use std::{collections::HashMap, io, rc::Rc};

use bstr::BString;
use hotcell_meter::{Charge, Pace};
use hotcell_process::{Process, error_text, limit_error};
use hotcell_regex::Regex;
use hotcell_vfs::OpenOptions;

use self::{addresses::Range, writing::Appended};
use super::{
    input::Lines,
    list::unambiguous,
    output::{InPlace, Out},
    script::{Action, Script},
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
                        self.out().complete()?;
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
                    if self.is_last()? {
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
                    if self.is_last()? {
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

    /// There is no next line: the cycle ends, with POSIX without printing.
    fn without_next(&self) -> Flow {
        if self.setup.is_posix {
            Flow::EndSilently
        } else {
            Flow::End
        }
    }

    /// Commands after which the next one follows.
    fn act(&mut self, action: &Action) -> io::Result<()> {
        match action {
            Action::Print => self.print_pattern()?,
            Action::PrintFirst => {
                let end = self.setup.end;
                let first = memchr::memchr(end, &self.pattern);
                let has_end = first.is_some() || self.has_end;
                let length = first.unwrap_or(self.pattern.len());
                let text = self.pattern.get(..length).unwrap_or_default();
                match &mut self.edited {
                    Some((_, out)) => out.line(text, has_end)?,
                    None => self.stdout.line(text, has_end)?,
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
                self.has_end = self.hold_has_end;
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
                self.hold_has_end = self.has_end;
                self.hold.push(self.setup.end);
                self.hold.extend_from_slice(&self.pattern);
            }
            Action::Exchange => {
                std::mem::swap(&mut self.pattern, &mut self.hold);
                std::mem::swap(&mut self.has_end, &mut self.hold_has_end);
            }
            Action::List(width) => {
                self.process.spend(self.pattern.len());
                let width = width.unwrap_or(self.setup.width);
                let text = unambiguous(&self.pattern, width, self.setup.end);
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
}
