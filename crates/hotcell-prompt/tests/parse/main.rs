//! What `parse_code` makes of answers.
//!
//! - `blocks`: which blocks are found, and where they end
//! - `script`: closing marks inside strings, templates, comments and regular expressions
//! - `around`: thoughts, reasoning, observations, line ends
//! - `bare`: answers without a block
//! - `errors`: what the model is told
//! - `properties`: any text, any code

#![expect(clippy::panic, reason = "helpers of tests fail by panicking")]

mod around;
mod bare;
mod blocks;
mod errors;
mod marks;
mod properties;
mod script;

use hotcell_prompt::{CodeTags, ParseError, ParseOptions, ParsedCode, parse_code};

pub(crate) fn parse(answer: &str) -> ParsedCode {
    parse_code(answer, &ParseOptions::default())
        .unwrap_or_else(|error| panic!("{answer:?}: {error}"))
}

pub(crate) fn parse_with(answer: &str, options: &ParseOptions) -> ParsedCode {
    parse_code(answer, options).unwrap_or_else(|error| panic!("{answer:?}: {error}"))
}

pub(crate) fn refuse(answer: &str) -> ParseError {
    match parse_code(answer, &ParseOptions::default()) {
        Ok(parsed) => panic!("{answer:?} gave {parsed:?}"),
        Err(error) => error,
    }
}

pub(crate) fn fenced() -> ParseOptions {
    ParseOptions {
        tags: CodeTags::fenced(),
        ..ParseOptions::default()
    }
}

/// One test per line: a name, an answer, the code in it.
macro_rules! code_of {
    ($($name:ident: $answer:expr => $code:expr;)*) => {
        $(
            #[test]
            fn $name() {
                assert_eq!(crate::parse($answer).code, $code);
            }
        )*
    };
}
pub(crate) use code_of;
