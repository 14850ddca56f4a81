//! Expansions. (A place for them, with the signatures that execution counts on.)
//!
//! All of them print what is wrong themselves, through [`Shell::complain`], and then return a [`Flow`]:
//! [`Flow::Discard`]`(1)` for a bad substitution, an arithmetic error, a readonly variable, `failglob`;
//! [`Flow::Exit`]`(127)` for `${x?}` and unset variables under `set -u`.
//!
//! Where bash does not give up on such an error (`((`, `[[`, `let`, `read`, `for`), the caller turns `Discard` into a
//! status.

use bstr::BString;
use hotcell_process::Process;

use crate::{
    ast::{Argument, Arithmetic, Assignment, Subscript, Word},
    flow::Flow,
    shell::Shell,
};

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
        let mut fields = Vec::new();
        for word in words {
            match word {
                Argument::Word(word) => fields.push(self.expand_string(process, word)?),
                Argument::Assignment(_) => {}
            }
        }
        Ok(fields)
    }

    /// The same for words that are not arguments: `for x in …`, the elements of an array.
    pub(crate) fn expand_words(
        &mut self,
        process: &Process,
        words: &[Word],
    ) -> Result<Vec<BString>, Flow> {
        words
            .iter()
            .map(|word| self.expand_string(process, word))
            .collect()
    }

    /// One string: no braces, no splitting, no file names. For `case` words, here-documents, here-strings, `[[`.
    pub(crate) fn expand_string(
        &mut self,
        process: &Process,
        word: &Word,
    ) -> Result<BString, Flow> {
        let _ = process;
        Ok(word
            .constant()
            .map_or_else(BString::default, |text| BString::from(&**text)))
    }

    /// The target of a redirection: as an argument, but one that becomes several fields is an error of its own
    /// (`ambiguous redirect`), which is the caller's to report: `None`.
    pub(crate) fn expand_target(
        &mut self,
        process: &Process,
        word: &Word,
    ) -> Result<Option<BString>, Flow> {
        self.expand_string(process, word).map(Some)
    }

    /// A pattern for `case` and `[[ x == … ]]`, in which what was quoted matches itself only.
    pub(crate) fn matches_pattern(
        &mut self,
        process: &Process,
        text: &[u8],
        pattern: &Word,
    ) -> Result<bool, Flow> {
        Ok(self.expand_string(process, pattern)? == text)
    }

    /// `[[ text =~ regex ]]`: sets `BASH_REMATCH`. `None` if the expression is not valid (status 2, no message).
    pub(crate) fn matches_regex(
        &mut self,
        process: &Process,
        text: &[u8],
        regex: &Word,
    ) -> Result<Option<bool>, Flow> {
        Ok(Some(self.expand_string(process, regex)? == text))
    }

    /// `$((…))`, `((…))`, the parts of `for ((…))`: expands, parses, evaluates.
    pub(crate) fn evaluate(
        &mut self,
        process: &Process,
        expression: &Arithmetic,
    ) -> Result<i64, Flow> {
        let text = self.expand_string(process, &expression.word)?;
        self.evaluate_text(process, &text)
    }

    /// Text that is an expression: `let`, `[[ x -eq y ]]`, `declare -i`, `${x:offset}`.
    pub(crate) fn evaluate_text(&mut self, process: &Process, text: &[u8]) -> Result<i64, Flow> {
        let _ = (process, text);
        Ok(0)
    }

    /// Makes an assignment, arrays included. The message about a readonly variable and the like is printed here.
    pub(crate) fn assign(
        &mut self,
        process: &Process,
        assignment: &Assignment,
        target: Target,
    ) -> Result<(), Flow> {
        let _ = (process, assignment, target);
        Ok(())
    }

    /// Sets a variable to a string, as `for`, `read`, `getopts`, `printf -v` do: attributes and namerefs count.
    /// `name` may have a subscript (`a[1]`), except for `for`, where the caller has checked.
    pub(crate) fn set_variable(
        &mut self,
        process: &Process,
        name: &[u8],
        value: BString,
    ) -> Result<(), Flow> {
        let _ = (process, name, value);
        Ok(())
    }

    /// Sets an element of an array: for `{fd[1]}>`.
    pub(crate) fn set_element(
        &mut self,
        process: &Process,
        name: &[u8],
        subscript: &Subscript,
        value: BString,
    ) -> Result<(), Flow> {
        let _ = (process, name, subscript, value);
        Ok(())
    }

    /// Makes a variable an indexed array of these: for `mapfile`, `read -a`, `coproc`.
    pub(crate) fn set_array(
        &mut self,
        process: &Process,
        name: &[u8],
        values: Vec<BString>,
    ) -> Result<(), Flow> {
        let _ = (process, name, values);
        Ok(())
    }

    /// The value of a variable as `$name` has it, dynamic ones (`RANDOM`, `LINENO`, `FUNCNAME`…) included.
    pub(crate) fn variable(&mut self, process: &Process, name: &[u8]) -> Option<BString> {
        let _ = (process, name);
        None
    }

    /// Text as in a prompt, with its backslash escapes and expansions: `PS4`, `${x@P}`.
    pub(crate) fn expand_prompt(&mut self, process: &Process, text: &[u8]) -> BString {
        let _ = process;
        text.into()
    }
}
