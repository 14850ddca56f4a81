//! Where lines break.

use std::fmt::Write as _;

use super::{Ink, Paint, Plain};

/// What fits on one line goes there.
const WIDTH: usize = 76;

/// A part of what is shown.
pub(super) enum Piece {
    Atom(Ink, String),
    Pair(Box<(Piece, Piece)>, &'static str),
    Group {
        before: Option<(Ink, String)>,
        open: String,
        items: Vec<Piece>,
        close: &'static str,
        /// Several short items may share a line even if not all of them do.
        dense: bool,
    },
}

impl Piece {
    pub(super) fn atom(ink: Ink, text: impl Into<String>) -> Self {
        Self::Atom(ink, text.into())
    }

    pub(super) fn pair(key: Self, between: &'static str, value: Self) -> Self {
        Self::Pair(Box::new((key, value)), between)
    }

    pub(super) fn group(open: impl Into<String>, items: Vec<Self>, close: &'static str) -> Self {
        Self::Group {
            before: None,
            open: open.into(),
            items,
            close,
            dense: false,
        }
    }

    pub(super) fn list(open: impl Into<String>, items: Vec<Self>, close: &'static str) -> Self {
        Self::Group {
            before: None,
            open: open.into(),
            dense: items.len() > 6
                && items
                    .iter()
                    .all(|item| matches!(item, Self::Atom(_, text) if text.len() <= 24)),
            items,
            close,
        }
    }

    /// The same, with a text before it.
    pub(super) fn before(self, ink: Ink, text: String) -> Self {
        match self {
            Self::Group {
                open,
                items,
                close,
                dense,
                before,
            } => Self::Group {
                before: Some(match before {
                    None => (ink, text),
                    Some((inner, more)) => (inner, text + &more),
                }),
                open,
                items,
                close,
                dense,
            },
            Self::Atom(of, rest) => Self::Atom(of, text + &rest),
            pair @ Self::Pair(..) => pair,
        }
    }

    /// On one line, without colours.
    pub(super) fn plain(&self) -> String {
        let mut out = String::new();
        self.flat(&Plain, &mut out);
        out
    }

    fn flat(&self, paint: &dyn Paint, out: &mut String) {
        match self {
            Self::Atom(ink, text) => out.push_str(&paint.ink(*ink, text)),
            Self::Pair(pair, between) => {
                pair.0.flat(paint, out);
                out.push_str(between);
                pair.1.flat(paint, out);
            }
            Self::Group {
                before,
                open,
                items,
                close,
                ..
            } => {
                if let Some((ink, text)) = before {
                    out.push_str(&paint.ink(*ink, text));
                }
                out.push_str(open);
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at == 0 { " " } else { ", " });
                    item.flat(paint, out);
                }
                if !items.is_empty() {
                    out.push(' ');
                }
                out.push_str(close);
            }
        }
    }

    fn fits(&self, indent: usize) -> bool {
        let plain = self.plain();
        !plain.contains('\n') && indent + plain.chars().count() <= WIDTH
    }
}

pub(super) fn render(piece: &Piece, paint: &dyn Paint) -> String {
    let mut out = String::new();
    broken(piece, paint, 0, &mut out);
    out
}

fn broken(piece: &Piece, paint: &dyn Paint, indent: usize, out: &mut String) {
    match piece {
        _ if piece.fits(indent) => piece.flat(paint, out),
        Piece::Atom(ink, text) => {
            let margin = format!("\n{:indent$}", "");
            out.push_str(&paint.ink(*ink, &text.replace('\n', &margin)));
        }
        Piece::Pair(pair, between) => {
            pair.0.flat(paint, out);
            out.push_str(between);
            broken(&pair.1, paint, indent, out);
        }
        Piece::Group {
            before,
            open,
            items,
            close,
            dense,
        } => {
            if let Some((ink, text)) = before {
                let margin = format!("\n{:indent$}", "");
                out.push_str(&paint.ink(*ink, &text.replace('\n', &margin)));
            }
            out.push_str(open);
            let inner = indent + 2;
            let mut column = usize::MAX;
            for (at, item) in items.iter().enumerate() {
                let width = item.plain().chars().count();
                if *dense && column.saturating_add(width) < WIDTH {
                    out.push(' ');
                    column += width + 2;
                } else {
                    _ = write!(out, "\n{:inner$}", "");
                    column = inner + width + 2;
                }
                broken(item, paint, inner, out);
                if at + 1 < items.len() {
                    out.push(',');
                }
            }
            if !items.is_empty() {
                _ = write!(out, "\n{:indent$}", "");
            }
            out.push_str(close);
        }
    }
}
