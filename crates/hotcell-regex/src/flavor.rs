//! The dialects: one grammar with switches, as in the GNU C library.

/// Which language a pattern is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flavor {
    /// Basic, as `sed`, `expr` and `csplit` have it: `\( \) \{ \} \| \+ \?` are operators.
    Basic,
    /// Extended, as `sed -E` has it.
    Extended,
    /// Extended, as `[[ =~ ]]` of bash has it: a `)` alone is itself.
    Bash,
    /// Basic, as `grep` has it, which forgives more.
    Grep,
    /// Extended, as `grep -E` has it, which forgives more.
    Egrep,
    /// Extended, as `awk` has it: backslash escapes work in brackets, no back-references.
    Awk,
    /// As `find -regex` has it by default: `\( \) \|` but `+ ?`, no intervals.
    Emacs,
}

/// How a pattern is to be understood beside its [`Flavor`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "these are independent switches"
)]
pub struct Options {
    /// Letters match whatever their case.
    pub icase: bool,
    /// `^` and `$` match at lines, `.` and `[^a]` do not match a newline (`REG_NEWLINE`).
    pub newline: bool,
    /// The text is searched many lines at once: a match lies within one of them, so nothing matches a newline.
    pub within_lines: bool,
    /// Characters are bytes and letters are ASCII's, as in the C locale. Else text is UTF-8; a byte that is not matches
    /// nothing but itself.
    pub bytes: bool,
}

/// The switches of a [`Flavor`].
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "these are independent switches"
)]
pub(crate) struct Syntax {
    /// Groups, intervals and `|` need a backslash.
    pub(crate) escaped_operators: bool,
    /// `+` and `?` need a backslash.
    pub(crate) escaped_plus: bool,
    /// `^`, `$` and `*` are what they are only where they can be.
    pub(crate) by_context: bool,
    pub(crate) intervals: bool,
    /// An interval that is none is text.
    pub(crate) lenient_intervals: bool,
    /// An operator without an operand: an error, or else nothing (if not `by_context`).
    pub(crate) strict_operators: bool,
    /// `\{` at the start is an error, and so is `a**`.
    pub(crate) strict_repeats: bool,
    pub(crate) lone_close_is_text: bool,
    pub(crate) escapes_in_brackets: bool,
    pub(crate) references: bool,
    /// A newline is `|`.
    pub(crate) newline_alternates: bool,
    /// `[^a]` matches no newline.
    pub(crate) complement_without_newline: bool,
    /// An operator without an operand is worth a warning.
    pub(crate) warns: bool,
}

impl Flavor {
    pub(crate) fn syntax(self) -> Syntax {
        let basic = Syntax {
            escaped_operators: true,
            escaped_plus: true,
            by_context: true,
            intervals: true,
            lenient_intervals: false,
            strict_operators: false,
            strict_repeats: true,
            lone_close_is_text: false,
            escapes_in_brackets: false,
            references: true,
            newline_alternates: false,
            complement_without_newline: false,
            warns: false,
        };
        let extended = Syntax {
            escaped_operators: false,
            escaped_plus: false,
            by_context: false,
            strict_operators: true,
            strict_repeats: false,
            ..basic
        };
        match self {
            Self::Basic => basic,
            Self::Extended => extended,
            Self::Bash => Syntax {
                lone_close_is_text: true,
                ..extended
            },
            Self::Grep => Syntax {
                strict_repeats: false,
                newline_alternates: true,
                complement_without_newline: true,
                ..basic
            },
            Self::Egrep => Syntax {
                lenient_intervals: true,
                strict_operators: false,
                lone_close_is_text: true,
                newline_alternates: true,
                complement_without_newline: true,
                warns: true,
                ..extended
            },
            Self::Awk => Syntax {
                lenient_intervals: true,
                strict_operators: false,
                lone_close_is_text: true,
                escapes_in_brackets: true,
                references: false,
                ..extended
            },
            Self::Emacs => Syntax {
                escaped_plus: false,
                intervals: false,
                strict_repeats: false,
                ..basic
            },
        }
    }
}
