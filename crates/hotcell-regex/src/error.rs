//! What can be wrong with a pattern, in the words of the GNU C library.

use hotcell_meter::OverLimit;

/// A pattern that is not one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegexError {
    /// `a**` where that is not allowed, `*` with nothing before it.
    #[error("Invalid preceding regular expression")]
    BadRepeat,
    /// `\{` that is not closed.
    #[error("Unmatched \\{{")]
    UnmatchedBrace,
    /// `\{2,1\}`, `\{x\}`
    #[error("Invalid content of \\{{\\}}")]
    BadBrace,
    /// `(`
    #[error("Unmatched ( or \\(")]
    UnmatchedOpen,
    /// `)`
    #[error("Unmatched ) or \\)")]
    UnmatchedClose,
    /// `[a`
    #[error("Unmatched [, [^, [:, [., or [=")]
    UnmatchedBracket,
    /// `[b-a]`
    #[error("Invalid range end")]
    BadRange,
    /// `[[:foo:]]`
    #[error("Invalid character class name")]
    BadClass,
    /// `[[.foo.]]`
    #[error("Invalid collation character")]
    BadCollation,
    /// `a\`
    #[error("Trailing backslash")]
    TrailingBackslash,
    /// `\1` without a group before it.
    #[error("Invalid back reference")]
    BadReference,
    /// A text that is too long to be a pattern.
    #[error("Regular expression too big: more than {limit} bytes")]
    TooLong {
        /// The longest one.
        limit: usize,
    },
    /// There is no memory for it.
    #[error(transparent)]
    OverLimit(#[from] OverLimit),
    /// Counts or nesting beyond what is compiled.
    #[error("Regular expression too big")]
    TooBig,
}
