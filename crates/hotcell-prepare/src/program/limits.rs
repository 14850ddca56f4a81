//! Size and depth that are too much.

use crate::diagnostic::Diagnostic;
use crate::lines::LineIndex;
use crate::options::PrepareOptions;
use crate::rule;
use crate::scan::TooDeep;
use crate::stack::NoRoom;

pub(crate) fn too_large(bytes: usize, options: &PrepareOptions) -> Diagnostic {
    let limit = options.max_code_bytes;
    Diagnostic::error(
        rule::CODE_TOO_LARGE,
        format!("the code has {bytes} bytes, more than the limit of {limit}"),
    )
    .with_fix("split it into several runs: top-level declarations stay available to later ones")
}

pub(crate) fn refusal(no_room: &NoRoom) -> Diagnostic {
    match no_room {
        NoRoom::TooLarge => Diagnostic::error(
            rule::CODE_TOO_DEEP,
            "the code is too large and too dense to be parsed safely",
        )
        .with_fix("split it into several runs, and pass data in as variables"),
        NoRoom::Panicked => Diagnostic::error(rule::SYNTAX_VALID, "the parser failed on this code")
            .with_fix("write the code in a simpler way"),
    }
}

pub(crate) fn describe_depth(
    too_deep: &TooDeep,
    text: &str,
    options: &PrepareOptions,
) -> Diagnostic {
    let (offset, message, fix) = match *too_deep {
        TooDeep::Nesting { offset } => (
            offset,
            format!(
                "the code is nested more than {} levels deep",
                options.max_nesting
            ),
            "take the inner parts out into variables or functions",
        ),
        TooDeep::Chain { offset } => (
            offset,
            "one statement has too many operators".to_owned(),
            "split it into several statements, or use a loop",
        ),
    };
    Diagnostic::error(rule::CODE_TOO_DEEP, message)
        .with_location(LineIndex::new(text).locate(offset))
        .with_fix(fix)
}
