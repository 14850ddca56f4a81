//! Commands as `BASH_COMMAND`, `set -x` and messages about jobs show them.

use std::sync::Arc;

use crate::{
    ast::{Arithmetic, Case, Command, Condition, For, SimpleCommand},
    print,
};

/// A simple command.
pub(crate) fn simple_command(command: &Arc<SimpleCommand>) -> Vec<u8> {
    print::command_text(&Command::Simple(Arc::clone(command)))
}

/// `case word in`
pub(crate) fn case_head(case: &Case) -> Vec<u8> {
    [b"case ", &*print::word_text(&case.word), b" in"].concat()
}

/// `for name in words`, or `select` instead of `for`.
pub(crate) fn for_head(keyword: &[u8], command: &For) -> Vec<u8> {
    let mut text = [keyword, b" ", &*print::word_text(&command.variable), b" in"].concat();
    match &command.words {
        Some(words) => {
            for word in words {
                text.push(b' ');
                text.extend_from_slice(&print::word_text(word));
            }
        }
        None => text.extend_from_slice(b" \"$@\""),
    }
    text
}

/// `[[ condition ]]`
pub(crate) fn condition(condition: &Condition) -> Vec<u8> {
    [b"[[ ", &*print::condition_text(condition), b" ]]"].concat()
}

/// `((expression))`
pub(crate) fn arithmetic(expression: &Arithmetic) -> Vec<u8> {
    [b"((", &*print::arithmetic_text(expression), b"))"].concat()
}
