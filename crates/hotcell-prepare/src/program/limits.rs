//! Size and depth that are too much.

use crate::audit::{Cause, TooManySteps};
use crate::diagnostic::{Diagnostic, Location};
use crate::lines::LineIndex;
use crate::options::PrepareOptions;
use crate::rule;
use crate::scan::{Costly, TooDeep};
use crate::stack::NoRoom;

pub(crate) fn too_large(bytes: usize, options: &PrepareOptions) -> Diagnostic {
    let limit = options.max_code_bytes;
    Diagnostic::error(
        rule::CODE_TOO_LARGE,
        format!("the code has {bytes} bytes, more than the limit of {limit}"),
    )
    .with_fix("split it into several runs: top-level declarations stay available to later ones")
}

/// For TypeScript that would be too large once it is JavaScript.
pub(crate) fn too_large_lowered(bytes: usize, limit: usize) -> Diagnostic {
    Diagnostic::error(
        rule::CODE_TOO_LARGE,
        format!(
            "as JavaScript the code would have about {bytes} bytes, more than the limit of {limit}"
        ),
    )
    .with_fix("use objects instead of enums and namespaces")
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

pub(crate) fn describe_cost(costly: &Costly, text: &str) -> Diagnostic {
    let (offset, message, fix) = match *costly {
        Costly::NamedGroups { offset } => (
            offset,
            "the code has too many named groups on one line",
            "use groups without names, or several regular expressions",
        ),
        Costly::Digits { offset } => (
            offset,
            "a number has too many digits",
            "make it from a string: `BigInt(\"0x…\")`",
        ),
        Costly::Exports { offset } => (
            offset,
            "the code exports too many names",
            "remove the exports: top-level declarations stay available to later runs",
        ),
        Costly::Flags => (
            0,
            "too many regular expressions have wrong flags",
            "the flags are d, g, i, m, s, u, v and y, each at most once",
        ),
    };
    Diagnostic::error(rule::CODE_TOO_DEEP, message)
        .with_location(LineIndex::new(text).locate(offset))
        .with_fix(fix)
}

pub(crate) fn describe_steps(too_many: &TooManySteps, location: Location) -> Diagnostic {
    let (message, fix) = match too_many.cause {
        Cause::Names => (
            "too many names are so much alike that they take too long to tell apart",
            "use an array or a Map instead of many variables",
        ),
        Cause::Depth => (
            "too many names are used too deep inside other code",
            "take the inner parts out into functions",
        ),
        Cause::PrivateNames => (
            "too many private names are used in classes with too many elements",
            "use fewer classes, or names without `#`",
        ),
        Cause::Labels => (
            "too many labels, or jumps to labels that do not exist",
            "use functions and `return` instead of labels",
        ),
        Cause::Exports => (
            "too many exports of names that do not exist",
            "export what is declared",
        ),
        Cause::Namespaces => (
            "the code has too many namespaces",
            "use objects instead of namespaces",
        ),
        Cause::Enums => (
            "the values of the enums are too long, or refer to too many others",
            "use an object instead of an enum",
        ),
    };
    Diagnostic::error(rule::CODE_TOO_DEEP, message)
        .with_location(location)
        .with_fix(fix)
}
