//! Colours, for those who have some.

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ink {
    /// Nothing in particular.
    Plain,
    /// `null`.
    Bold,
    /// What is not there.
    Dim,
    /// Errors, regular expressions.
    Red,
    /// Strings.
    Green,
    /// Numbers.
    Yellow,
    /// Dates.
    Magenta,
    /// Remarks.
    Cyan,
}

/// Gives text its colour.
pub trait Paint {
    /// The text, in this colour.
    fn ink(&self, ink: Ink, text: &str) -> String;
}

/// No colours.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Paint for Plain {
    fn ink(&self, _: Ink, text: &str) -> String {
        text.to_owned()
    }
}
