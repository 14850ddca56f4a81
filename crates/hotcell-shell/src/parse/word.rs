//! Words.

use super::builder::Builder;
use super::bytes::{ByteSet, is_meta, is_name, is_name_byte};
use super::grammar::{Grammar, Result};
use super::lexer::Mode;
use super::quotes::Quoting;
use super::token::Token;
use crate::ast::{
    ArrayElement, Assignment, AssignmentValue, Part, RedirectDescriptor, Subscript, Text, Word,
};

/// What unquoted text ends at, or has to be looked at more closely.
static PLAIN: ByteSet = ByteSet::new(b" \t\n|&;()<>'\"`$\\");
/// The same where an assignment may stand.
static ASSIGNING: ByteSet = ByteSet::new(b" \t\n|&;()<>'\"`$\\=[");
/// The same where `@(a|b)` is part of a word.
static MATCHING: ByteSet = ByteSet::new(b" \t\n|&;()<>'\"`$\\?*+@!");
static ASSIGNING_MATCHING: ByteSet = ByteSet::new(b" \t\n|&;()<>'\"`$\\=[?*+@!");
/// What is special between parentheses or brackets that are part of a word.
static GROUP: ByteSet = ByteSet::new(b"\n()[]<>'\"`$\\");

/// What is in front of `=`.
struct Left {
    name: Text,
    subscript: Option<Subscript>,
    append: bool,
}

/// What was found at `=`.
struct Assigned {
    left: Box<Left>,
    elements: Option<Box<[ArrayElement]>>,
}

impl Grammar<'_> {
    /// A word, or an assignment or a descriptor where such may stand.
    #[inline(never)]
    pub(super) fn word(&mut self, mode: Mode) -> Result<Token> {
        let mut builder = Builder::default();
        let mut left = None;
        let mut assigning = mode.may_assign();
        let matching = self.options.extglob || mode == Mode::Pattern;
        loop {
            let stop = match (assigning, matching) {
                (false, false) => &PLAIN,
                (true, false) => &ASSIGNING,
                (false, true) => &MATCHING,
                (true, true) => &ASSIGNING_MATCHING,
            };
            let taken = self.input.take_until(stop, builder.literal());
            self.spend(taken + 1)?;
            let Some(byte) = self.input.peek() else { break };
            if !stop.contains(byte) {
                continue;
            }
            match byte {
                b'=' if assigning => {
                    assigning = false;
                    match self.equals(&mut builder, mode)? {
                        Some(Assigned {
                            left: found,
                            elements: None,
                        }) => left = Some(found),
                        Some(Assigned {
                            left: found,
                            elements: Some(elements),
                        }) => {
                            return Ok(assignment(*found, AssignmentValue::Array(elements)));
                        }
                        None => {}
                    }
                }
                b'[' if assigning => {
                    if begins_subscript(&builder, mode) {
                        self.group(&mut builder, b'[', b']')?;
                    } else {
                        builder.byte(byte);
                        self.input.advance();
                    }
                }
                b'?' | b'*' | b'+' | b'@' | b'!' => {
                    builder.byte(byte);
                    self.input.advance();
                    if self.input.peek() == Some(b'(') {
                        self.group(&mut builder, b'(', b')')?;
                    }
                }
                b'(' if mode == Mode::Regex => self.group(&mut builder, b'(', b')')?,
                b'|' if mode == Mode::Regex => {
                    builder.byte(byte);
                    self.input.advance();
                }
                b'<' | b'>' if self.input.peek_second() == Some(b'(') => {
                    self.process_substitution(&mut builder)?;
                }
                _ if is_meta(byte) => break,
                _ => self.special(byte, &mut builder, Quoting::Plain)?,
            }
        }
        self.finish_word(builder, left)
    }

    /// At the first `=` of a word: what is assigned to, if it is an assignment, and its value if that is an array.
    #[inline(never)]
    fn equals(&mut self, builder: &mut Builder, mode: Mode) -> Result<Option<Assigned>> {
        self.input.advance();
        let Some(left) = take_left(builder, mode) else {
            builder.byte(b'=');
            return Ok(None);
        };
        let is_array = self.input.peek() == Some(b'(');
        if mode == Mode::AssignmentText {
            left.restore(builder);
            if is_array {
                self.group(builder, b'(', b')')?;
            }
            return Ok(None);
        }
        let mut elements = if is_array { Some(self.array()?) } else { None };
        // `x=(a b)c` is text after all.
        if self.input.peek().is_some_and(|byte| !is_meta(byte))
            && let Some(elements) = elements.take()
        {
            restore_array(&elements, builder);
        }
        Ok(Some(Assigned { left, elements }))
    }

    #[inline(never)]
    fn finish_word(&mut self, builder: Builder, left: Option<Box<Left>>) -> Result<Token> {
        if let Some(left) = left {
            let value = AssignmentValue::Scalar(self.finish(builder)?);
            self.charge(size_of::<Assignment>() + 32)?;
            return Ok(assignment(*left, value));
        }
        if matches!(self.input.peek(), Some(b'<' | b'>'))
            && let Some(descriptor) = descriptor(&builder)
        {
            return Ok(Token::Descriptor(Box::new(descriptor)));
        }
        Ok(Token::Word(self.finish(builder)?))
    }

    /// The word that was collected, whose memory is accounted for.
    pub(super) fn finish(&mut self, builder: Builder) -> Result<Word> {
        self.charge(builder.memory())?;
        Ok(builder.into_word())
    }

    /// Parentheses or brackets that are part of a word, blanks and all, up to the matching one. At `open`.
    #[inline(never)]
    pub(super) fn group(&mut self, builder: &mut Builder, open: u8, close: u8) -> Result<()> {
        let line = self.input.line();
        let mut depth = 0_usize;
        loop {
            let taken = self.input.take_until(&GROUP, builder.literal());
            self.spend(taken + 1)?;
            let Some(byte) = self.input.peek() else {
                return Err(super::SyntaxError::unmatched(line, close));
            };
            if byte == open {
                depth += 1;
            } else if byte == close {
                depth -= 1;
                if depth == 0 {
                    builder.byte(byte);
                    self.input.advance();
                    return Ok(());
                }
            } else if matches!(byte, b'\'' | b'"' | b'`' | b'$' | b'\\') {
                self.special(byte, builder, Quoting::Plain)?;
                continue;
            } else if matches!(byte, b'<' | b'>') && self.input.peek_second() == Some(b'(') {
                self.process_substitution(builder)?;
                continue;
            }
            if GROUP.contains(byte) {
                builder.byte(byte);
                self.input.advance();
            }
        }
    }
}

impl Mode {
    fn may_assign(self) -> bool {
        matches!(
            self,
            Self::Command | Self::Declaration | Self::AssignmentText | Self::Element
        )
    }
}

impl Left {
    /// Makes text of it again, with the `=`.
    fn restore(self, builder: &mut Builder) {
        builder.literal().extend_from_slice(&self.name);
        if let Some(subscript) = self.subscript {
            restore_subscript(&subscript, builder);
        }
        if self.append {
            builder.byte(b'+');
        }
        builder.byte(b'=');
    }
}

fn restore_array(elements: &[ArrayElement], builder: &mut Builder) {
    builder.byte(b'(');
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            builder.byte(b' ');
        }
        let value = match element {
            ArrayElement::Word(word) => word,
            ArrayElement::Keyed {
                subscript,
                append,
                value,
            } => {
                restore_subscript(subscript, builder);
                builder
                    .literal()
                    .extend(if *append { &b"+="[..] } else { b"=" });
                value
            }
        };
        builder.extend(value);
    }
    builder.byte(b')');
}

fn restore_subscript(subscript: &Subscript, builder: &mut Builder) {
    builder.byte(b'[');
    match subscript {
        Subscript::All => builder.byte(b'@'),
        Subscript::Joined => builder.byte(b'*'),
        Subscript::Index(word) => builder.extend(word),
    }
    builder.byte(b']');
}

fn assignment(left: Left, value: AssignmentValue) -> Token {
    let Left {
        name,
        subscript,
        append,
    } = left;
    Token::Assignment(Box::new(Assignment {
        name,
        subscript,
        append,
        value,
    }))
}

/// Whether a `[` that comes next begins a subscript, in which blanks are part of the word.
fn begins_subscript(builder: &Builder, mode: Mode) -> bool {
    match mode {
        Mode::Command => builder.only_literal().is_some_and(is_name),
        Mode::Element => builder.is_empty(),
        _ => false,
    }
}

/// Takes what was collected, if it is what may stand in front of `=`.
fn take_left(builder: &mut Builder, mode: Mode) -> Option<Box<Left>> {
    let element = mode == Mode::Element;
    if let Some(text) = builder.only_literal() {
        let append = text.last() == Some(&b'+');
        let name = text.strip_suffix(b"+").unwrap_or(text);
        if is_name(name) && !element {
            let name = Text::from(name);
            *builder = Builder::default();
            return Some(Box::new(Left {
                name,
                subscript: None,
                append,
            }));
        }
        if !text.contains(&b'[') {
            return None;
        }
    }
    let (name, subscript, rest) = split_subscript(builder.parts())?;
    let append = match &*rest {
        b"" => false,
        b"+" => true,
        _ => return None,
    };
    if element != name.is_empty() {
        return None;
    }
    *builder = Builder::default();
    Some(Box::new(Left {
        name,
        subscript: Some(subscript),
        append,
    }))
}

/// `2` or `{name}` in front of a redirection.
fn descriptor(builder: &Builder) -> Option<RedirectDescriptor> {
    let text = builder.only_literal()?;
    if !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
        let number = std::str::from_utf8(text).ok()?.parse().ok()?;
        return Some(RedirectDescriptor::Number(number));
    }
    let name = text.strip_prefix(b"{")?.strip_suffix(b"}")?;
    if is_name(name) {
        return Some(RedirectDescriptor::Variable {
            name: name.into(),
            subscript: None,
        });
    }
    let parts = [Part::Literal(name.into())];
    let (name, subscript, rest) = split_subscript(&parts)?;
    (rest.is_empty() && !name.is_empty()).then_some(RedirectDescriptor::Variable {
        name,
        subscript: Some(subscript),
    })
}

/// Takes `name[subscript]rest` apart, where `name` and `rest` may be empty and the brackets are not quoted.
fn split_subscript(parts: &[Part]) -> Option<(Text, Subscript, Text)> {
    let Some(Part::Literal(first)) = parts.first() else {
        return None;
    };
    let length = first.iter().take_while(|&&byte| is_name_byte(byte)).count();
    let (name, after) = first.split_at_checked(length)?;
    let mut literal = after.strip_prefix(b"[")?;
    if !name.is_empty() && !is_name(name) {
        return None;
    }
    let mut inside = Builder::default();
    let mut depth = 1_usize;
    let mut others = parts.get(1..)?.iter();
    loop {
        for (index, &byte) in literal.iter().enumerate() {
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let rest = literal.get(index + 1..)?;
                let last = others.next().is_none();
                return last.then(|| (name.into(), subscript(inside), rest.into()));
            }
            inside.byte(byte);
        }
        literal = &[];
        match others.next()? {
            Part::Literal(text) => literal = text,
            other => inside.push(other.clone()),
        }
    }
}

/// What is between brackets.
pub(super) fn subscript(inside: Builder) -> Subscript {
    match inside.only_literal() {
        Some(b"@") => Subscript::All,
        Some(b"*") => Subscript::Joined,
        _ => Subscript::Index(inside.into_word()),
    }
}
