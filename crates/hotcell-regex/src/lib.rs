//! Regular expressions as POSIX and GNU have them.
//!
//! `grep`, `sed`, `awk`, `expr`, `find` and `[[ =~ ]]` share one grammar with small differences ([`Flavor`]), and one rule
//! that engines in the manner of Perl do not have: of the matches that begin leftmost, the longest counts.
//!
//! ```
//! use hotcell_meter::Pace;
//! use hotcell_regex::{Flavor, Means, Options, Regex};
//!
//! let mut pace = Pace::unwatched();
//! let regex = Regex::new(br"\(a\|ab\)\(c\|bcd\)", Flavor::Basic, Options::default(), &Means::unmetered())?;
//! let captures = regex.captures_at(b"xabcd", 0, &mut pace)?.ok_or("no match")?;
//! assert_eq!(captures.get(0).map(|found| found.range()), Some(1..5));
//! assert_eq!(captures.get(2).map(|found| found.range()), Some(2..5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it works
//!
//! A pattern is read into a tree of our own, which becomes automata of `regex-automata`. Its matchers find where the
//! leftmost match begins, which is the same for both rules. Where the first match may not be the longest, a matcher of
//! ours finds the longest from there, and if groups are wanted and differ, the groups of that one. Text that is ASCII is
//! searched with smaller automata than other text.
//!
//! # Bounds
//!
//! Patterns and texts may be hostile. A pattern is limited in bytes before it is read, its tree in size before anything is
//! compiled, automata in size while they are; groups are limited in depth. So compiling takes some tens of milliseconds at
//! worst, which whoever wants it is told of before ([`Means`]), and what a pattern and its searches hold is charged.
//! Searching takes time in proportion to the text times the size of the automaton, and asks now and then whether to go on.
//! Only back-references need more: each state is tried once, and too many are an error.
//!
//! # Known differences from the C library
//!
//! - Groups in a repeated group that can match nothing (`(a*)*`) may be unset here and empty there.
//! - Collating elements of several characters (`[[.space.]]`) are refused, as they are in its `C.UTF-8`.
//! - Which characters are letters beyond ASCII comes from the Unicode tables of `regex-syntax`, which may be of another
//!   version.

#![forbid(unsafe_code)]

mod captures;
mod engine;
mod error;
mod flavor;
mod means;
mod parse;
mod references;
mod regex;
mod set;
mod simulate;
mod tree;
mod weight;

pub use error::RegexError;
pub use flavor::{Flavor, Options};
pub use means::Means;
pub use regex::{Captures, Match, Regex, SearchError, Subject};
pub use set::CharClass;
pub use weight::{MAX_LIST, MAX_PATTERN};
