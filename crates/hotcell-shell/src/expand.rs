//! Expansions.
//!
//! What is wrong is printed here, through [`Shell::complain`], and then returned as a [`Flow`]: [`Flow::Discard`]`(1)` for a
//! bad substitution, an arithmetic error, a readonly variable, `failglob`; [`Flow::Exit`] for `${x?}` and unset variables
//! under `set -u`. Where bash does not give up on such an error (`((`, `[[`, `let`, `read`, `for`), the caller
//! turns `Discard` into a status.
//!
//! A word goes through [`brace`](crate::brace), then part by part into [`Fields`](fields::Fields), which split what is to
//! be split and remember what was quoted; what is left of it as a pattern goes through [`glob`](crate::glob). Words that
//! are constant or nothing but `$x`, which most are, take none of these steps.

mod array;
mod assign;
mod fallback;
mod fields;
mod ifs;
mod indirect;
mod operation;
mod parameter;
mod prompt;
mod substring;
mod tilde;
mod transform;
mod unset;
mod value;
mod word;

use std::borrow::Cow;

use bstr::{BString, ByteVec};
use hotcell_process::Process;

use crate::{
    ast::{Argument, Arithmetic, Assignment, AssignmentValue, Part, Subscript, Word},
    brace::{self, Piece},
    flow::Flow,
    marked::Marked,
    pattern::{Pattern, PatternOptions},
    settings::Setting,
    shell::Shell,
};
use fields::{Fields, Gathered};
use word::Around;

pub(crate) use assign::element_text;
pub(crate) use tilde::TildeAt;
pub(crate) use value::{Written, split_element};

/// Where an assignment goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// To the variable that is visible, or a new global one.
    Visible,
    /// To the topmost scope, exported: `x=1 command`.
    Temporary,
    /// To the innermost function's scope: `local x=1`, `declare x=1` in a function.
    Local,
    /// To the global scope: `declare -g x=1`.
    Global,
}

impl Shell {
    /// The arguments of a command: braces, tildes, parameters, substitutions, arithmetic, splitting, file names.
    ///
    /// [`Argument::Assignment`] is one field, `name=value` (the array forms are for the builtins to look at in the tree).
    pub(crate) fn expand_arguments(
        &mut self,
        process: &Process,
        words: &[Argument],
    ) -> Result<Vec<BString>, Flow> {
        let mut fields = Vec::with_capacity(words.len());
        let mut gathered = Gathered::default();
        for word in words {
            match word {
                Argument::Word(word) => {
                    let tilde = TildeAt::for_argument(word);
                    self.expand_fields(process, word, tilde, &mut fields)?;
                }
                Argument::Assignment(assignment) => {
                    self.expand_assignment(process, assignment, &mut fields)?;
                }
            }
            gathered
                .settle(process, &fields)
                .map_err(|error| self.out_of_memory(process, &error))?;
        }
        Ok(fields)
    }

    /// The same for words that are not arguments: `for x in …`.
    pub(crate) fn expand_words(
        &mut self,
        process: &Process,
        words: &[Word],
    ) -> Result<Vec<BString>, Flow> {
        let mut fields = Vec::with_capacity(words.len());
        let mut gathered = Gathered::default();
        for word in words {
            let tilde = TildeAt::for_argument(word);
            self.expand_fields(process, word, tilde, &mut fields)?;
            gathered
                .settle(process, &fields)
                .map_err(|error| self.out_of_memory(process, &error))?;
        }
        Ok(fields)
    }

    /// The fields of a word, with file names.
    pub(crate) fn expand_fields(
        &mut self,
        process: &Process,
        word: &Word,
        tilde: TildeAt,
        fields: &mut Vec<BString>,
    ) -> Result<(), Flow> {
        if let Some(text) = word.constant() {
            fields.push(BString::from(&**text));
            return Ok(());
        }
        if let Some((value, is_quoted)) = self.plain_value(word)
            && (is_quoted || is_one_field(value) && self.variables.has_default_ifs())
        {
            fields.push(value.clone());
            return Ok(());
        }
        if word.may_have_braces() && self.has(Setting::BraceExpand) {
            let words = brace::expand(word.parts(), process)
                .map_err(|error| self.out_of_memory(process, &error))?;
            for pieces in words {
                process.spend(8);
                let mut collected = Fields::split(self.ifs());
                self.expand_pieces(process, &pieces, tilde, &mut collected)?;
                self.glob_all(process, collected, fields)?;
            }
            return Ok(());
        }
        let mut collected = Fields::split(self.ifs());
        let parts = word.parts();
        self.expand_parts(process, parts, Around::PLAIN, tilde, &mut collected)?;
        self.glob_all(process, collected, fields)
    }

    fn glob_all(
        &mut self,
        process: &Process,
        collected: Fields,
        fields: &mut Vec<BString>,
    ) -> Result<(), Flow> {
        for field in collected.finish() {
            if field.may_glob() {
                self.glob(process, field, fields)?;
            } else {
                fields.push(field.text);
            }
        }
        Ok(())
    }

    fn expand_pieces(
        &mut self,
        process: &Process,
        pieces: &[Piece<'_>],
        tilde: TildeAt,
        fields: &mut Fields,
    ) -> Result<(), Flow> {
        for (index, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => {
                    let is_last = index + 1 == pieces.len();
                    let tilde = tilde.of(index, is_last);
                    self.expand_literal(process, text, Around::PLAIN, tilde, fields);
                }
                Piece::Part(part) => self.expand_part(process, part, Around::PLAIN, fields)?,
                Piece::New(part) => self.expand_part(process, part, Around::PLAIN, fields)?,
                Piece::Empty => fields.push_quoted(b""),
            }
            self.settle_fields(process, fields)?;
        }
        Ok(())
    }

    /// `name=value` as an argument of `declare` and its kin.
    fn expand_assignment(
        &mut self,
        process: &Process,
        assignment: &Assignment,
        fields: &mut Vec<BString>,
    ) -> Result<(), Flow> {
        let mut start = BString::from(&*assignment.name);
        if let Some(subscript) = &assignment.subscript {
            start.push_byte(b'[');
            match subscript {
                Subscript::All => start.push_byte(b'@'),
                Subscript::Joined => start.push_byte(b'*'),
                Subscript::Index(word) => {
                    start.push_str(self.expand_joined(process, word, TildeAt::NOWHERE)?.text);
                }
            }
            start.push_byte(b']');
        }
        start.push_str(if assignment.append { "+=" } else { "=" });
        let AssignmentValue::Scalar(word) = &assignment.value else {
            fields.push(start);
            return Ok(());
        };
        if !word.may_have_braces() || !self.has(Setting::BraceExpand) {
            start.push_str(self.expand_joined(process, word, TildeAt::VALUE)?.text);
            fields.push(start);
            return Ok(());
        }
        let mut words = brace::expand(word.parts(), process)
            .map_err(|error| self.out_of_memory(process, &error))?;
        if words.len() == 1 {
            let pieces = words.next().unwrap_or_default();
            let mut collected = Fields::joined(self.ifs());
            self.expand_pieces(process, &pieces, TildeAt::VALUE, &mut collected)?;
            start.push_str(collected.into_one().text);
            fields.push(start);
            return Ok(());
        }
        // What braces make several words of are words like any others.
        for mut pieces in words {
            pieces.insert(0, brace::Piece::Text(start.to_vec()));
            let mut collected = Fields::split(self.ifs());
            self.expand_pieces(process, &pieces, TildeAt::NOWHERE, &mut collected)?;
            self.glob_all(process, collected, fields)?;
        }
        Ok(())
    }

    /// One string: no braces, no splitting, no file names. For `case` words, here-documents, here-strings, `[[`.
    pub(crate) fn expand_string(
        &mut self,
        process: &Process,
        word: &Word,
    ) -> Result<BString, Flow> {
        if let Some(text) = word.constant() {
            return Ok(BString::from(&**text));
        }
        if let Some((value, _)) = self.plain_value(word) {
            return Ok(value.clone());
        }
        Ok(self.expand_joined(process, word, TildeAt::START)?.text)
    }

    /// The target of a redirection: as an argument, but one that becomes several fields is an error of its own
    /// (`ambiguous redirect`), which is the caller's to report: `None`.
    pub(crate) fn expand_target(
        &mut self,
        process: &Process,
        word: &Word,
    ) -> Result<Option<BString>, Flow> {
        let mut fields = Vec::new();
        self.expand_fields(process, word, TildeAt::START, &mut fields)?;
        Ok(match <[BString; 1]>::try_from(fields) {
            Ok([field]) => Some(field),
            Err(_) => None,
        })
    }

    /// A pattern for `case`, or for `[[ x == … ]]` if it is a condition, where groups such as `@(a|b)` always work. What
    /// was quoted matches itself only.
    pub(crate) fn matches_pattern(
        &mut self,
        process: &Process,
        text: &[u8],
        pattern: &Word,
        is_condition: bool,
    ) -> Result<bool, Flow> {
        let icase = self.has(Setting::NoCaseMatch);
        if let Some(constant) = pattern.constant()
            && !icase
        {
            return Ok(**constant == *text);
        }
        let marked = self.expand_joined(process, pattern, TildeAt::START)?;
        Ok(self.matches_marked(process, text, &marked, is_condition))
    }

    /// As [`Shell::matches_pattern`], for one that is expanded already.
    pub(crate) fn matches_marked(
        &self,
        process: &Process,
        text: &[u8],
        pattern: &Marked,
        is_condition: bool,
    ) -> bool {
        let options = PatternOptions {
            extglob: is_condition || self.has(Setting::ExtGlob),
            icase: self.has(Setting::NoCaseMatch),
        };
        process.spend(pattern.text.len());
        let pattern = Pattern::new(pattern, options);
        pattern.matches(text, &|units| process.spend(units))
    }

    /// `$((…))`, `((…))`, the parts of `for ((…))`: expands, parses, evaluates.
    pub(crate) fn evaluate(
        &mut self,
        process: &Process,
        expression: &Arithmetic,
    ) -> Result<i64, Flow> {
        let text = self.arithmetic_text(process, expression)?;
        self.evaluate_text(process, &text)
    }

    /// The text of an arithmetic expression after its expansions, before it is evaluated.
    pub(crate) fn arithmetic_text<'w>(
        &mut self,
        process: &Process,
        expression: &'w Arithmetic,
    ) -> Result<Cow<'w, [u8]>, Flow> {
        if let Some(text) = expression.word.constant() {
            return Ok(Cow::Borrowed(text));
        }
        let parts = match expression.word.parts() {
            [Part::DoubleQuoted(parts)] => &**parts,
            parts => parts,
        };
        let mut fields = Fields::joined(self.ifs());
        self.expand_parts(
            process,
            parts,
            Around::QUOTED,
            TildeAt::NOWHERE,
            &mut fields,
        )?;
        Ok(Cow::Owned(fields.into_one().text.into()))
    }
}

/// Whether an unquoted value is one field and no pattern, where `IFS` is what it mostly is.
fn is_one_field(value: &[u8]) -> bool {
    let is_plain = |byte: &u8| {
        !matches!(
            byte,
            b' ' | b'\t' | b'\n' | b'*' | b'?' | b'[' | b'(' | b'\\'
        )
    };
    !value.is_empty() && value.iter().all(is_plain)
}

/// A pattern or regular expression with backslashes before what was quoted: `set -x` shows it.
pub(crate) fn pattern_text(marked: &Marked) -> BString {
    let mut text = BString::default();
    for (byte, is_quoted) in marked.bytes() {
        if is_quoted {
            text.push_byte(b'\\');
        }
        text.push_byte(byte);
    }
    text
}
