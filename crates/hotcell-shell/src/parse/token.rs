//! What the grammar is made of.

use crate::ast::{Assignment, RedirectDescriptor, RedirectOperator, Word};

/// A token.
#[derive(Debug, Clone)]
pub(super) enum Token {
    /// A word, reserved or not: that depends on where it stands.
    Word(Word),
    /// `name=value` where an assignment may stand.
    Assignment(Box<Assignment>),
    /// `2` or `{name}` in front of `<` or `>`.
    Descriptor(Box<RedirectDescriptor>),
    Operator(Operator),
    Redirect(RedirectOperator),
    /// `<<` or `<<-`
    HereDocument {
        strip_tabs: bool,
    },
    Newline,
    /// The end of the script.
    End,
}

/// What joins and ends commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Semicolon,
    Ampersand,
    Bar,
    BarAmpersand,
    And,
    Or,
    DoubleSemicolon,
    SemicolonAmpersand,
    DoubleSemicolonAmpersand,
    Open,
    Close,
}

/// Words that have a meaning where a command may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reserved {
    If,
    Then,
    Else,
    Elif,
    Fi,
    Case,
    Esac,
    For,
    Select,
    While,
    Until,
    Do,
    Done,
    In,
    Function,
    Time,
    OpenBrace,
    CloseBrace,
    Bang,
    OpenCondition,
    CloseCondition,
    Coproc,
}

impl Operator {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Semicolon => ";",
            Self::Ampersand => "&",
            Self::Bar => "|",
            Self::BarAmpersand => "|&",
            Self::And => "&&",
            Self::Or => "||",
            Self::DoubleSemicolon => ";;",
            Self::SemicolonAmpersand => ";&",
            Self::DoubleSemicolonAmpersand => ";;&",
            Self::Open => "(",
            Self::Close => ")",
        }
    }
}

impl Reserved {
    pub(super) fn from_text(text: &[u8]) -> Option<Self> {
        Some(match text {
            b"if" => Self::If,
            b"then" => Self::Then,
            b"else" => Self::Else,
            b"elif" => Self::Elif,
            b"fi" => Self::Fi,
            b"case" => Self::Case,
            b"esac" => Self::Esac,
            b"for" => Self::For,
            b"select" => Self::Select,
            b"while" => Self::While,
            b"until" => Self::Until,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"in" => Self::In,
            b"function" => Self::Function,
            b"time" => Self::Time,
            b"{" => Self::OpenBrace,
            b"}" => Self::CloseBrace,
            b"!" => Self::Bang,
            b"[[" => Self::OpenCondition,
            b"]]" => Self::CloseCondition,
            b"coproc" => Self::Coproc,
            _ => return None,
        })
    }
}

impl Reserved {
    /// Whether it ends the list in front of it.
    pub(super) fn closes(self) -> bool {
        matches!(
            self,
            Self::Then
                | Self::Else
                | Self::Elif
                | Self::Fi
                | Self::Do
                | Self::Done
                | Self::Esac
                | Self::CloseBrace
        )
    }

    /// Whether a compound command begins with it.
    pub(super) fn opens(self) -> bool {
        matches!(
            self,
            Self::OpenBrace
                | Self::If
                | Self::While
                | Self::Until
                | Self::For
                | Self::Select
                | Self::Case
                | Self::OpenCondition
        )
    }
}

impl Token {
    /// Which reserved word it is, if it stands where such are recognised.
    pub(super) fn reserved(&self) -> Option<Reserved> {
        match self {
            Self::Word(word) => Reserved::from_text(word.literal()?),
            _ => None,
        }
    }

    /// Whether a command can begin with it, or `!` and the like in front of one.
    pub(super) fn may_begin_command(&self) -> bool {
        match self {
            Self::Word(_) => !self.reserved().is_some_and(|reserved| {
                reserved.closes() || matches!(reserved, Reserved::In | Reserved::CloseCondition)
            }),
            Self::Operator(operator) => *operator == Operator::Open,
            Self::Newline | Self::End => false,
            _ => true,
        }
    }

    pub(super) fn is(&self, operator: Operator) -> bool {
        matches!(self, Self::Operator(found) if *found == operator)
    }
}
