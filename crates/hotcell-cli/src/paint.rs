//! Colours, where somebody sees them.

use std::fmt::Display;
use std::io::{self, IsTerminal};

pub(crate) use hotcell::inspect::Ink;

/// Whether to use colours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint(bool);

impl Paint {
    pub(crate) fn stdout() -> Self {
        Self(io::stdout().is_terminal() && allowed())
    }

    pub(crate) fn stderr() -> Self {
        Self(io::stderr().is_terminal() && allowed())
    }

    pub(crate) fn ink(self, ink: Ink, text: impl Display) -> String {
        let code = match ink {
            Ink::Bold => "1",
            Ink::Dim => "90",
            Ink::Red => "31",
            Ink::Green => "32",
            Ink::Yellow => "33",
            Ink::Magenta => "35",
            Ink::Cyan => "36",
            _ => return text.to_string(),
        };
        if self.0 {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_string()
        }
    }
}

/// See <https://no-color.org>: any value but an empty one counts.
fn allowed() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

impl hotcell::inspect::Paint for Paint {
    fn ink(&self, ink: Ink, text: &str) -> String {
        Paint::ink(*self, ink, text)
    }
}
