//! Reading a patch: its headers, then its hunks, in the form they have.

use std::io;

use bstr::ByteSlice;
use hotcell_process::Process;

use super::{
    header::{self, Header},
    hunk::{Hunk, Line},
    options::Form,
};
use crate::list::List;

/// The patch, line by line.
pub(super) struct Text<'t> {
    lines: List<&'t [u8]>,
    /// The next line, from 0.
    pub(super) at: usize,
}

/// What is wrong with a patch.
pub(super) enum Malformed {
    /// This line, from 1, makes no sense here.
    At(usize),
    /// It ends too early.
    End,
    /// It ends so early that a chopped empty line cannot be why.
    Chopped,
}

/// The lines of a text, with what ends them.
pub(super) fn lines<'t>(process: &Process, text: &'t [u8]) -> io::Result<List<&'t [u8]>> {
    let mut lines = List::new(process)?;
    for line in text.lines_with_terminator() {
        process.spend(line.len() / 16 + 1);
        lines.push(line)?;
    }
    Ok(lines)
}

impl<'t> Text<'t> {
    pub(super) fn new(process: &Process, text: &'t [u8]) -> io::Result<Self> {
        Ok(Self {
            lines: lines(process, text)?,
            at: 0,
        })
    }

    pub(super) fn line(&self, number: usize) -> Option<&'t [u8]> {
        self.lines.get(number).copied()
    }

    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    fn peek(&self) -> Option<&'t [u8]> {
        self.line(self.at)
    }

    /// The next patch: its header is read, and the first hunk is next. `None` if there is no more.
    pub(super) fn next_header(
        &mut self,
        form: Option<Form>,
        is_named: bool,
        spend: impl Fn(usize),
    ) -> Option<Header<'t>> {
        let mut header = Header::new(self.at);
        let mut is_git = false;
        while let Some(line) = self.peek() {
            spend(line.len() / 16 + 1);
            let next = self.line(self.at + 1).unwrap_or_default();
            let takes = |one: Form| form.is_none_or(|form| form == one);
            if line.starts_with(b"diff --git ") {
                if is_git && header.is_change() {
                    return Some(header.ending(self.at, Form::Unified));
                }
                header = Header::new(header.start);
                is_git = true;
                header.git_names(line);
            } else if is_git && header.take_git(line) {
            } else if let Some(name) = line.strip_prefix(b"Index:") {
                header.index = Some(name.as_bstr());
            } else if takes(Form::Unified)
                && line.starts_with(b"--- ")
                && next.starts_with(b"+++ ")
                && let Some(range) = self.line(self.at + 2)
                && range.starts_with(b"@@ -")
            {
                header.old = header::named(line, 4);
                header.new = header::named(next, 4);
                self.at += 2;
                header.says_from_range(range);
                return Some(header.ending(self.at, Form::Unified));
            } else if takes(Form::Unified) && line.starts_with(b"@@ -") {
                header.says_from_range(line);
                return Some(header.ending(self.at, Form::Unified));
            } else if takes(Form::Context)
                && line.starts_with(b"*** ")
                && next.starts_with(b"--- ")
                && self
                    .line(self.at + 2)
                    .is_some_and(|stars| stars.starts_with(b"********"))
            {
                header.old = header::named(line, 4);
                header.new = header::named(next, 4);
                self.at += 2;
                header.says_from_context(self.line(self.at + 1).unwrap_or_default());
                return Some(header.ending(self.at, Form::Context));
            } else if takes(Form::Normal)
                // Nothing in it tells the name, so that what looks like one may be text.
                && (is_named || form.is_some() || header.index.is_some())
                && normal_command(line).is_some()
                && (next.starts_with(b"< ") || next.starts_with(b"> "))
            {
                return Some(header.ending(self.at, Form::Normal));
            }
            self.at += 1;
        }
        (is_git && header.is_change()).then(|| header.ending(self.at, Form::Unified))
    }

    /// The next hunk of the patch whose header was read.
    pub(super) fn next_hunk(&mut self, form: Form) -> Result<Option<Hunk<'t>>, Malformed> {
        match form {
            Form::Unified => self.unified(),
            Form::Context => self.context(),
            Form::Normal => self.normal(),
        }
    }

    /// The text of a line behind its sign. The line that follows may say that it has no newline.
    fn text(&mut self, from: usize) -> &'t [u8] {
        let line = self.peek().unwrap_or_default();
        self.at += 1;
        let text = line.get(from..).unwrap_or_default();
        if self.peek().is_some_and(|next| next.starts_with(b"\\ ")) {
            self.at += 1;
            return text.strip_suffix(b"\n").unwrap_or(text);
        }
        text
    }

    fn unified(&mut self) -> Result<Option<Hunk<'t>>, Malformed> {
        let Some(rest) = self.peek().and_then(|line| line.strip_prefix(b"@@ -")) else {
            return Ok(None);
        };
        let at = self.at + 1;
        let (old, rest) = range(rest).ok_or(Malformed::At(at))?;
        let rest = rest.strip_prefix(b" +").ok_or(Malformed::At(at))?;
        let (new, rest) = range(rest).ok_or(Malformed::At(at))?;
        let rest = rest.strip_prefix(b" @@").ok_or(Malformed::At(at))?;
        self.at += 1;
        let (mut olds, mut news) = (old.1, new.1);
        let mut lines = Vec::new();
        while olds > 0 || news > 0 {
            let Some(line) = self.peek() else {
                // Mailers cut empty lines off the end.
                if olds == news && olds < 3 {
                    lines.extend((0..olds).map(|_| Line {
                        sign: b' ',
                        text: b"\n",
                    }));
                    break;
                }
                let is_near = olds.max(news) < 3;
                return Err(if is_near {
                    Malformed::Chopped
                } else {
                    Malformed::End
                });
            };
            let (sign, from) = match line {
                [sign @ (b' ' | b'-' | b'+'), ..] => (*sign, 1),
                [b'\t', ..] | [b'\n'] | [b'\r', b'\n'] => (b' ', 0),
                _ => return Err(Malformed::At(self.at + 1)),
            };
            let is_over = sign != b'+' && olds == 0 || sign != b'-' && news == 0;
            if is_over {
                return Err(Malformed::At(self.at + 1));
            }
            olds -= usize::from(sign != b'+');
            news -= usize::from(sign != b'-');
            let text = self.text(from);
            lines.push(Line { sign, text });
        }
        Ok(Some(Hunk {
            at,
            first: old.0 + usize::from(old.1 == 0),
            new_first: new.0 + usize::from(new.1 == 0),
            lines,
            function: rest.strip_suffix(b"\n").unwrap_or(rest).as_bstr(),
        }))
    }

    fn context(&mut self) -> Result<Option<Hunk<'t>>, Malformed> {
        let Some(stars) = self.peek().filter(|line| line.starts_with(b"********")) else {
            return Ok(None);
        };
        let at = self.at + 1;
        let function = stars
            .trim_start_with(|c| c == '*')
            .trim_end_with(|c| c == '\n');
        self.at += 1;
        let old = self.context_range(b"*** ", b" ****")?;
        let olds = self.context_lines(old.1, b'-')?;
        let new = self.context_range(b"--- ", b" ----")?;
        let news = self.context_lines(new.1, b'+')?;
        let lines = merged(&olds, &news).ok_or(Malformed::At(at))?;
        let count = |sign: u8| lines.iter().filter(|line| line.sign != sign).count();
        if count(b'+') != old.1 || count(b'-') != new.1 {
            return Err(Malformed::At(at));
        }
        Ok(Some(Hunk {
            at,
            first: old.0 + usize::from(old.1 == 0),
            new_first: new.0 + usize::from(new.1 == 0),
            function: function.as_bstr(),
            lines,
        }))
    }

    fn context_range(&mut self, start: &[u8], end: &[u8]) -> Result<(usize, usize), Malformed> {
        let line = self.peek().ok_or(Malformed::End)?;
        let wrong = Malformed::At(self.at + 1);
        let Some(rest) = line.strip_prefix(start) else {
            return Err(wrong);
        };
        let Some((first, rest)) = number(rest) else {
            return Err(wrong);
        };
        let (last, rest) = match rest.strip_prefix(b",") {
            Some(rest) => match number(rest) {
                Some(found) => found,
                None => return Err(wrong),
            },
            None => (first, rest),
        };
        if !rest.starts_with(end) {
            return Err(wrong);
        }
        self.at += 1;
        // A lone zero is no line at all.
        if first == 0 {
            return Ok((0, 0));
        }
        if last < first {
            return Ok((first - 1, 0));
        }
        Ok((first, last - first + 1))
    }

    /// At most so many lines of one side; none at all if the other side tells them.
    fn context_lines(&mut self, most: usize, own: u8) -> Result<Vec<Line<'t>>, Malformed> {
        let mut lines = Vec::new();
        while lines.len() < most {
            let Some(line) = self.peek() else {
                break;
            };
            let (sign, from) = match line {
                [b' ', b' ', ..] => (b' ', 2),
                [b'!', b' ', ..] => (b'!', 2),
                [sign, b' ', ..] if *sign == own => (own, 2),
                [b'\t', ..] => (b' ', 0),
                [b'\n'] => (b' ', 0),
                _ if lines.is_empty() => break,
                _ => return Err(Malformed::At(self.at + 1)),
            };
            let text = self.text(from);
            lines.push(Line { sign, text });
        }
        Ok(lines)
    }

    fn normal(&mut self) -> Result<Option<Hunk<'t>>, Malformed> {
        let Some((old, command, new)) = self.peek().and_then(normal_command) else {
            return Ok(None);
        };
        let at = self.at + 1;
        self.at += 1;
        let mut lines = Vec::new();
        if command != b'a' {
            self.normal_lines(b"< ", b'-', old.1 - old.0 + 1, &mut lines)?;
        }
        if command == b'c' {
            if self.peek().is_none_or(|line| !line.starts_with(b"---")) {
                return Err(Malformed::At(self.at + 1));
            }
            self.at += 1;
        }
        if command != b'd' {
            self.normal_lines(b"> ", b'+', new.1 - new.0 + 1, &mut lines)?;
        }
        Ok(Some(Hunk {
            at,
            first: old.0 + usize::from(command == b'a'),
            new_first: new.0 + usize::from(command == b'd'),
            lines,
            function: b"".as_bstr(),
        }))
    }

    fn normal_lines(
        &mut self,
        start: &[u8],
        sign: u8,
        count: usize,
        lines: &mut Vec<Line<'t>>,
    ) -> Result<(), Malformed> {
        for _ in 0..count {
            let line = self.peek().ok_or(Malformed::End)?;
            if !line.starts_with(start) && line != b"<\n" && line != b">\n" {
                return Err(Malformed::At(self.at + 1));
            }
            let text = self.text(2.min(line.len().saturating_sub(1)));
            lines.push(Line { sign, text });
        }
        Ok(())
    }
}

/// The two sides of a context difference as one. A side that is not there is what the other says of it.
fn merged<'t>(olds: &[Line<'t>], news: &[Line<'t>]) -> Option<Vec<Line<'t>>> {
    let (mut old, mut new) = (olds.iter().peekable(), news.iter().peekable());
    let mut lines = Vec::new();
    loop {
        while let Some(line) = old.next_if(|line| line.sign != b' ') {
            lines.push(Line {
                sign: b'-',
                text: line.text,
            });
        }
        while let Some(line) = new.next_if(|line| line.sign != b' ') {
            lines.push(Line {
                sign: b'+',
                text: line.text,
            });
        }
        let line = match (old.next(), new.next()) {
            (Some(line), Some(_)) => line,
            (Some(line), None) if news.is_empty() => line,
            (None, Some(line)) if olds.is_empty() => line,
            (None, None) => return Some(lines),
            _ => return None,
        };
        lines.push(*line);
    }
}

/// A number, and what follows it.
pub(super) fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(digits);
    // Lines are counted in a few more steps, which must not overflow.
    let number = digits.to_str().ok()?.parse::<u32>().ok()?;
    Some((usize::try_from(number).ok()?, rest))
}

/// `FIRST[,COUNT]`.
pub(super) fn range(text: &[u8]) -> Option<((usize, usize), &[u8])> {
    let (first, rest) = number(text)?;
    match rest.strip_prefix(b",") {
        Some(rest) => number(rest).map(|(count, rest)| ((first, count), rest)),
        None => Some(((first, 1), rest)),
    }
}

/// `N[,N]{a,c,d}N[,N]`, as ranges from first to last.
fn normal_command(line: &[u8]) -> Option<((usize, usize), u8, (usize, usize))> {
    let side = |text| {
        let (first, rest) = number(text)?;
        match rest.strip_prefix(b",") {
            Some(rest) => number(rest).map(|(last, rest)| ((first, last), rest)),
            None => Some(((first, first), rest)),
        }
    };
    let (old, rest) = side(line)?;
    let (command, rest) = rest.split_first()?;
    let (new, rest) = side(rest)?;
    let is_right = matches!(command, b'a' | b'c' | b'd')
        && old.0 <= old.1
        && new.0 <= new.1
        && rest.trim_end().is_empty();
    is_right.then_some((old, *command, new))
}
