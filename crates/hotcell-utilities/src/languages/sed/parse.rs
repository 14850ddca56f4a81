//! From the text of a script to its commands.

use std::{collections::HashMap, rc::Rc};

use bstr::{BString, ByteSlice};
use hotcell_process::Process;
use hotcell_regex::{Flavor, Options, Regex};

use super::{
    cursor::{Cursor, Origin, ScriptError},
    escapes::{Kind, convert},
    script::{Action, Address, Command, Pattern, Script, Sink, Substitution, Translation},
};
use crate::characters;

mod replacement;

type Result<T> = std::result::Result<T, ScriptError>;

/// How a script is to be understood.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) is_extended: bool,
    pub(crate) is_posix: bool,
    pub(crate) is_sandbox: bool,
    pub(crate) is_bytes: bool,
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
        }
    }

    /// Reads a piece of the script.
    pub(crate) fn piece(&mut self, text: &[u8], origin: Origin) -> Result<()> {
        let mut cursor = Cursor::new(text, origin);
        self.pieces += 1;
        if let Some((command, begun)) = self.pending.take() {
            let text = self.text(&mut cursor, command, begun.unwrap_or_default());
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
                        let text = self.text(cursor, number, Vec::new());
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

    fn address(&mut self, cursor: &mut Cursor<'_>, first: u8) -> Result<Option<Address>> {
        Ok(Some(match first {
            b'/' | b'\\' => {
                let delimiter = if first == b'\\' {
                    cursor.next()
                } else {
                    Some(first)
                };
                let unterminated = "unterminated address regex";
                let Some(delimiter) = delimiter else {
                    return Err(cursor.error(unterminated));
                };
                let Some(pattern) = until(cursor, delimiter, true) else {
                    return Err(cursor.error(unterminated));
                };
                let mut options = self.options();
                loop {
                    match cursor.next_nonblank() {
                        Some(b'I') => options.icase = true,
                        Some(b'M') => options.newline = true,
                        other => {
                            cursor.put_back(other);
                            break;
                        }
                    }
                }
                Address::Regex(self.pattern(cursor, &pattern, options)?)
            }
            b'0'..=b'9' => {
                let line = cursor.number(first);
                match cursor.next_nonblank() {
                    Some(b'~') if !self.dialect.is_posix => {
                        let step = required_number(cursor)?;
                        if step > 0 {
                            Address::Step(line, step)
                        } else {
                            Address::Line(line)
                        }
                    }
                    other => {
                        cursor.put_back(other);
                        Address::Line(line)
                    }
                }
            }
            b'+' if !self.dialect.is_posix => Address::Plus(required_number(cursor)?),
            b'~' if !self.dialect.is_posix => match required_number(cursor)? {
                0 => Address::Line(0),
                multiple => Address::Multiple(multiple),
            },
            b'$' => Address::Last,
            _ => return Ok(None),
        }))
    }

    fn options(&self) -> Options {
        Options {
            bytes: self.dialect.is_bytes,
            ..Options::default()
        }
    }

    /// Compiles a pattern; the empty one stands for the last that was used.
    fn pattern(&self, cursor: &Cursor<'_>, source: &[u8], options: Options) -> Result<Pattern> {
        if source.is_empty() {
            if options.icase || options.newline {
                return Err(cursor.error("cannot specify modifiers on empty regexp"));
            }
            return Ok(None);
        }
        self.process.spend(source.len().saturating_mul(64));
        let flavor = if self.dialect.is_extended {
            Flavor::Extended
        } else {
            Flavor::Basic
        };
        let mut source = convert(source, Kind::Regex);
        if self.dialect.is_posix && !self.dialect.is_extended {
            source = without_gnu_operators(&source);
        }
        let regex = Regex::new(&source, flavor, options);
        let regex = regex.map_err(|error| cursor.error(error.to_string()))?;
        Ok(Some(Rc::new(regex)))
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

    /// `a`, `i` and `c`. Their text begins on the next line behind a backslash, or, as GNU allows, right here.
    fn text_command(
        &mut self,
        cursor: &mut Cursor<'_>,
        letter: u8,
        number: usize,
    ) -> Result<Action> {
        let expected = "expected \\ after `a', `c' or `i'";
        let first = cursor.next_nonblank();
        match first {
            None => return Err(cursor.error(expected)),
            Some(b'\\') => {
                // What follows the backslash is text as it is, unless it is the end of the line.
                let next = cursor.next();
                if next != Some(b'\n') {
                    if self.dialect.is_posix && next.is_some() {
                        return Err(cursor.error(expected));
                    }
                    cursor.put_back(next);
                }
                if next.is_none() {
                    self.pending = Some((number, None));
                    return Ok(make_text(letter, Vec::new()));
                }
            }
            first => {
                if self.dialect.is_posix {
                    return Err(cursor.error(expected));
                }
                cursor.put_back(first);
            }
        }
        let text = self.text(cursor, number, Vec::new());
        Ok(make_text(letter, text))
    }

    /// Text up to a newline without a backslash. It may go on in the next piece of the script.
    fn text(&mut self, cursor: &mut Cursor<'_>, number: usize, start: Vec<u8>) -> Vec<u8> {
        let mut text = start;
        loop {
            match cursor.next() {
                None | Some(b'\n') => break,
                Some(b'\\') => match cursor.next() {
                    None => {
                        let mut begun = text.clone();
                        begun.extend_from_slice(b"\\\n");
                        self.pending = Some((number, Some(begun)));
                        break;
                    }
                    Some(next) => text.extend([b'\\', next]),
                },
                Some(byte) => text.push(byte),
            }
        }
        without_escapes(&text)
    }

    /// The text of a command that began in an earlier piece.
    fn set_text(&mut self, number: usize, text: Vec<u8>) {
        let command = self.script.commands.get_mut(number);
        if let Some(Command {
            action: Action::Append(to) | Action::Insert(to) | Action::Change(to),
            ..
        }) = command
        {
            *to = text;
        }
    }

    fn substitute(&mut self, cursor: &mut Cursor<'_>) -> Result<Action> {
        let unterminated = "unterminated `s' command";
        let Some(delimiter) = cursor.next() else {
            return Err(cursor.error(unterminated));
        };
        let Some(source) = until(cursor, delimiter, true) else {
            return Err(cursor.error(unterminated));
        };
        let Some(replacement) = until(cursor, delimiter, false) else {
            return Err(cursor.error(unterminated));
        };
        let mut substitution = Substitution {
            pattern: None,
            replacement: Vec::new(),
            needs_groups: false,
            changes_case: false,
            is_global: false,
            number: 0,
            prints: false,
            prints_first: false,
            executes: false,
            writes: None,
        };
        let mut options = self.options();
        self.flags(cursor, &mut substitution, &mut options)?;
        substitution.number = substitution.number.max(1);
        substitution.pattern = self.pattern(cursor, &source, options)?;
        replacement::read(&mut substitution, &replacement);
        let groups = substitution
            .pattern
            .as_ref()
            .map(|pattern| pattern.groups());
        let highest = replacement::highest_group(&substitution.replacement);
        if groups.is_some_and(|groups| highest > groups) {
            return Err(cursor.error(format!(
                "invalid reference \\{highest} on `s' command's RHS"
            )));
        }
        Ok(Action::Substitute(Box::new(substitution)))
    }

    fn flags(
        &mut self,
        cursor: &mut Cursor<'_>,
        substitution: &mut Substitution,
        options: &mut Options,
    ) -> Result<()> {
        loop {
            match cursor.next() {
                Some(b'i' | b'I') => options.icase = true,
                Some(b'm' | b'M') => options.newline = true,
                Some(b'e') => {
                    self.refuse_in_sandbox(cursor)?;
                    substitution.executes = true;
                }
                Some(b'p') => {
                    if substitution.prints {
                        return Err(cursor.error("multiple `p' options to `s' command"));
                    }
                    substitution.prints = true;
                    substitution.prints_first = !substitution.executes;
                }
                Some(b'g') => {
                    if substitution.is_global {
                        return Err(cursor.error("multiple `g' options to `s' command"));
                    }
                    substitution.is_global = true;
                }
                Some(b'w') => {
                    self.refuse_in_sandbox(cursor)?;
                    let name = file_name(cursor)?;
                    substitution.writes = Some(self.sink(name));
                    return Ok(());
                }
                Some(digit @ b'0'..=b'9') => {
                    if substitution.number > 0 {
                        return Err(cursor.error("multiple number options to `s' command"));
                    }
                    let number = cursor.number(digit);
                    if number == 0 {
                        return Err(cursor.error("number option to `s' command may not be zero"));
                    }
                    substitution.number = usize::try_from(number).unwrap_or(usize::MAX);
                }
                other @ Some(b'}' | b'#') => {
                    cursor.put_back(other);
                    return Ok(());
                }
                None | Some(b'\n' | b';') => return Ok(()),
                Some(b' ' | b'\t' | b'\r') => {}
                Some(_) => return Err(cursor.error("unknown option to `s'")),
            }
        }
    }

    fn translate(&mut self, cursor: &mut Cursor<'_>) -> Result<Action> {
        let unterminated = "unterminated `y' command";
        let Some(delimiter) = cursor.next() else {
            return Err(cursor.error(unterminated));
        };
        let Some(from) = until(cursor, delimiter, false) else {
            return Err(cursor.error(unterminated));
        };
        let Some(to) = until(cursor, delimiter, false) else {
            return Err(cursor.error(unterminated));
        };
        let is_bytes = self.dialect.is_bytes || (from.is_ascii() && to.is_ascii());
        let from = characters_of(&from, is_bytes);
        let to = characters_of(&to, is_bytes);
        if from.len() != to.len() {
            return Err(cursor.error("strings for `y' command are different lengths"));
        }
        end_of_command(cursor)?;
        let translation = if is_bytes {
            let mut table = [0; 256];
            for (byte, place) in (0..=u8::MAX).zip(&mut table) {
                *place = byte;
            }
            // Of a character that is there twice, the first counts.
            for (from, to) in from.iter().zip(&to).rev() {
                if let (Some(from), Some(to)) = (from.first(), to.first())
                    && let Some(place) = table.get_mut(usize::from(*from))
                {
                    *place = *to;
                }
            }
            Translation::Bytes(table)
        } else {
            Translation::Characters(from.into_iter().zip(to).collect())
        };
        Ok(Action::Translate(Box::new(translation)))
    }
}

fn make_text(letter: u8, text: Vec<u8>) -> Action {
    match letter {
        b'a' => Action::Append(text),
        b'i' => Action::Insert(text),
        _ => Action::Change(text),
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

fn end_of_command(cursor: &mut Cursor<'_>) -> Result<()> {
    match cursor.next_nonblank() {
        None | Some(b'\n' | b';') => Ok(()),
        other @ Some(b'}' | b'#') => {
            cursor.put_back(other);
            Ok(())
        }
        Some(b'\r') => Ok(()),
        Some(_) => Err(cursor.error("extra characters after command")),
    }
}

fn optional_number(cursor: &mut Cursor<'_>) -> Option<u64> {
    match cursor.next_nonblank() {
        Some(digit @ b'0'..=b'9') => Some(cursor.number(digit)),
        other => {
            cursor.put_back(other);
            None
        }
    }
}

fn required_number(cursor: &mut Cursor<'_>) -> Result<u64> {
    match cursor.next_nonblank() {
        Some(digit @ b'0'..=b'9') => Ok(cursor.number(digit)),
        _ => Err(cursor.error("expected a number after `+' or `~'")),
    }
}

/// A label, up to a blank or a semicolon.
fn label(cursor: &mut Cursor<'_>) -> BString {
    let mut label = BString::default();
    let mut byte = cursor.next_nonblank();
    while let Some(next) = byte
        && !next.is_ascii_whitespace()
        && !b";}#".contains(&next)
    {
        label.push(next);
        byte = cursor.next();
    }
    cursor.put_back(byte);
    label
}

/// The name of a file, up to the end of the line.
fn file_name(cursor: &mut Cursor<'_>) -> Result<BString> {
    let mut name = BString::default();
    let mut byte = cursor.next_nonblank();
    while let Some(next) = byte
        && next != b'\n'
    {
        name.push(next);
        byte = cursor.next();
    }
    if name.is_empty() {
        return Err(cursor.error("missing filename in r/R/w/W commands"));
    }
    Ok(name)
}

/// Text up to the delimiter, which is taken, too. A delimiter with a backslash is itself.
fn until(cursor: &mut Cursor<'_>, delimiter: u8, is_regex: bool) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    // In brackets the delimiter is one of the characters, and `]` right behind the bracket is, too.
    let mut bracket: Option<usize> = None;
    loop {
        let byte = cursor.next()?;
        match byte {
            _ if byte == delimiter && bracket.is_none() => return Some(text),
            b'\n' if is_regex => {
                cursor.put_back(Some(byte));
                return None;
            }
            b'\\' => {
                let next = cursor.next()?;
                if next == delimiter && (is_regex || next != b'&') {
                    text.push(next);
                } else if next == b'n' && is_regex {
                    text.push(b'\n');
                } else if next == b'\n' {
                    text.extend_from_slice(if is_regex { b"\n" } else { b"\\\n" });
                } else {
                    text.extend([b'\\', next]);
                }
                continue;
            }
            b'[' if is_regex && bracket.is_none() => bracket = Some(text.len()),
            b']' if bracket.is_some_and(|start| closes_bracket(&text, start)) => bracket = None,
            _ => {}
        }
        text.push(byte);
    }
}

/// Whether a `]` behind this text closes the bracket that was opened at `start`.
fn closes_bracket(text: &[u8], start: usize) -> bool {
    let inside = text.get(start + 1..).unwrap_or_default();
    let inside = inside.strip_prefix(b"^").unwrap_or(inside);
    if inside.is_empty() {
        return false;
    }
    // `[:alpha:` and its kin are closed by a `]` of their own.
    let open = [&b"[:"[..], b"[.", b"[="]
        .into_iter()
        .filter_map(|open| Some((inside.rfind(open)?, open)))
        .max();
    match open {
        Some((at, open)) => {
            let rest = inside.get(at + 2..).unwrap_or_default();
            let close = open.get(1..).unwrap_or_default();
            // Just being closed, or closed before.
            rest.find(close).is_some_and(|at| {
                let behind = rest.get(at + 1..).unwrap_or_default();
                behind.starts_with(b"]")
            })
        }
        None => true,
    }
}

/// In POSIX basic expressions `\+`, `\?` and `\|` are no operators.
fn without_gnu_operators(source: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len());
    let mut bytes = source.iter();
    while let Some(byte) = bytes.next() {
        match (byte, bytes.as_slice().first()) {
            (b'\\', Some(b'+' | b'?' | b'|')) => {}
            (b'\\', Some(next)) => {
                out.extend([b'\\', *next]);
                bytes.next();
            }
            (byte, _) => out.push(*byte),
        }
    }
    out
}

/// Text without the backslashes that protect it.
fn without_escapes(text: &[u8]) -> Vec<u8> {
    let converted = convert(text, Kind::Text);
    let mut out = Vec::with_capacity(converted.len() + 1);
    let mut bytes = converted.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next() {
                Some(b'n') => out.push(b'\n'),
                other => out.extend(other),
            },
            byte => out.push(*byte),
        }
    }
    out.push(b'\n');
    out
}

/// The characters of an operand of `y`.
fn characters_of(text: &[u8], is_bytes: bool) -> Vec<BString> {
    let text = convert(text, Kind::Text);
    let mut characters = Vec::new();
    let mut rest = text.as_slice();
    while !rest.is_empty() {
        rest = match rest {
            [b'\\', b'n', rest @ ..] => {
                characters.push("\n".into());
                rest
            }
            [b'\\', rest @ ..] if !rest.is_empty() => {
                let length = if is_bytes { 1 } else { characters::first(rest) };
                let (character, rest) = rest.split_at(length.min(rest.len()));
                characters.push(character.into());
                rest
            }
            rest => {
                let length = if is_bytes { 1 } else { characters::first(rest) };
                let (character, rest) = rest.split_at(length.min(rest.len()));
                characters.push(character.into());
                rest
            }
        };
    }
    characters
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
