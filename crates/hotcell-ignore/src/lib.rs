//! Rules of `.gitignore` files, matched as they stand.
//!
//! Rules come with the files of strangers, thousands at a time. So nothing is compiled of them: a rule is matched on its own
//! text, in memory that was there before, in steps that can be counted and stopped. What is kept is charged before it is.
//!
//! ```
//! use hotcell_ignore::Rules;
//!
//! let rules = Rules::parse("*.log\n!kept.log\n/build/", |_| true);
//! let verdict = |path: &str, is_dir| rules.verdict(path.as_bytes(), is_dir, |_| true);
//! assert_eq!(verdict("a/b.log", false), Ok(Some(true)));
//! assert_eq!(verdict("a/kept.log", false), Ok(Some(false)));
//! assert_eq!(verdict("build", true), Ok(Some(true)));
//! assert_eq!(verdict("a/build", true), Ok(None));
//! ```
//!
//! # What a rule means
//!
//! What it means to git, and to ripgrep, where those two agree: the last rule that matches decides; `!` makes an exception; a
//! slash at the end is for directories; a slash elsewhere ties the rule to the directory of its file. `*` and `?` stay within a
//! name, `**` between slashes stands for any directories, `[a-z]` and `[!a-z]` for a byte, `\` takes a character for itself.
//! As in ripgrep `{a,b}` is one of several. A rule that cannot be read is not obeyed.

mod alternatives;
mod matching;

use alternatives::alternatives;
use matching::{is_class, matches_name, matches_path};

/// Between two looks at whether to go on, about as many bytes are compared.
const LOOK: usize = 64 << 10;
/// The longest rule that is obeyed, in bytes: no path that it could match is longer.
pub const RULE_MAX: usize = 4096;
/// How many rules `{a,b}{c,d}` may stand for.
pub const ALTERNATIVES_MAX: usize = 256;

/// The rules of one file, or of several in the order in which they come.
#[derive(Debug, Default)]
pub struct Rules {
    text: Vec<u8>,
    list: Vec<Rule>,
    unread: usize,
    is_short_of_room: bool,
}

#[derive(Debug)]
struct Rule {
    /// Where it ends in the text; it begins where the one before ends.
    end: usize,
    is_exception: bool,
    for_directories: bool,
    /// It is a name, and no path: it holds at every depth.
    is_name: bool,
}

/// Whoever was asked did not want to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

impl Rules {
    /// Reads the lines of a file. Before anything is kept, `take` is asked for room for so many bytes; if there is none, the rest
    /// is not read ([`Rules::is_short_of_room`]).
    pub fn parse(text: &str, take: impl FnMut(usize) -> bool) -> Self {
        let mut rules = Self::default();
        rules.add(text, take);
        rules
    }

    /// Adds the lines of another file, which win over those that are there.
    pub fn add(&mut self, text: &str, mut take: impl FnMut(usize) -> bool) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for line in text.lines() {
            if line.len() > RULE_MAX {
                self.unread += 1;
                continue;
            }
            if !self.add_line(line, &mut take) {
                self.is_short_of_room = true;
                return;
            }
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many lines are not obeyed because they are too long, or stand for too many rules.
    pub fn unread(&self) -> usize {
        self.unread
    }

    /// Whether rules are missing because there was no room for them.
    pub fn is_short_of_room(&self) -> bool {
        self.is_short_of_room
    }

    /// Whether a path, which is relative to the directory of these rules, is left out; `None` if no rule says anything of it.
    /// Directories above it are not looked at. `go_on` hears now and then how many bytes were compared, about, and says
    /// whether there is time for more.
    pub fn verdict(
        &self,
        path: &[u8],
        is_dir: bool,
        mut go_on: impl FnMut(usize) -> bool,
    ) -> Result<Option<bool>, Stopped> {
        let name = match memchr::memrchr(b'/', path) {
            Some(slash) => path.get(slash + 1..).unwrap_or_default(),
            None => path,
        };
        let mut steps = 0;
        let mut verdict = None;
        for (at, rule) in self.list.iter().enumerate().rev() {
            let start = at.checked_sub(1).and_then(|before| self.list.get(before));
            let start = start.map_or(0, |before| before.end);
            let glob = self.text.get(start..rule.end).unwrap_or_default();
            if rule.for_directories && !is_dir {
                steps += 1;
                continue;
            }
            let (is_match, target) = if rule.is_name {
                (matches_name(glob, name), name)
            } else {
                (matches_path(glob, path), path)
            };
            // At the worst: each byte of the one with each of the other.
            steps += 16 + glob.len().saturating_mul(target.len()) / 8;
            if is_match {
                verdict = Some(!rule.is_exception);
                break;
            }
            if steps >= LOOK && !go_on(std::mem::take(&mut steps)) {
                return Err(Stopped);
            }
        }
        if steps > 0 && !go_on(steps) {
            return Err(Stopped);
        }
        Ok(verdict)
    }

    /// False if there is no room for it.
    fn add_line(&mut self, line: &str, take: &mut impl FnMut(usize) -> bool) -> bool {
        if line.starts_with('#') {
            return true;
        }
        let mut line = line;
        if !line.ends_with("\\ ") {
            line = line.trim_end();
        }
        let mut is_exception = false;
        let mut is_tied = false;
        if let Some(rest) = line.strip_prefix('!') {
            (is_exception, line) = (true, rest);
        }
        if let Some(rest) = line.strip_prefix('/') {
            (is_tied, line) = (true, rest);
        }
        let mut for_directories = false;
        if let Some(rest) = line.strip_suffix('/') {
            for_directories = true;
            line = rest.strip_suffix('\\').unwrap_or(rest);
        }
        let is_name = !is_tied && !line.contains('/');
        let Some(globs) = alternatives(line, ALTERNATIVES_MAX) else {
            self.unread += 1;
            return true;
        };
        for glob in globs {
            // In a directory is not the directory itself.
            let inside = if glob.ends_with("/**") { "/*" } else { "" };
            // A bracket that nobody closes gets a sign before it.
            let bytes = size_of::<Rule>() + 2 * glob.len() + inside.len();
            // Vectors grow by doubling, and both are there meanwhile.
            if !take(3 * bytes) {
                return false;
            }
            if glob.is_empty() {
                continue;
            }
            keep(&mut self.text, glob.as_bytes());
            self.text.extend_from_slice(inside.as_bytes());
            self.list.push(Rule {
                end: self.text.len(),
                is_exception,
                for_directories,
                is_name,
            });
        }
        true
    }
}

/// Writes a glob down so that a `[` always begins a class.
fn keep(text: &mut Vec<u8>, mut glob: &[u8]) {
    let mut may_be_class = true;
    while let Some((byte, rest)) = glob.split_first() {
        let mut width = 1;
        match byte {
            b'\\' if !rest.is_empty() => width = 2,
            b'[' if may_be_class => {
                if let Some(length) = is_class(rest) {
                    width = 1 + length;
                } else {
                    // Nor is one after it.
                    may_be_class = false;
                    text.push(b'\\');
                }
            }
            b'[' => text.push(b'\\'),
            b'/' => may_be_class = true,
            _ => {}
        }
        let (this, after) = glob.split_at_checked(width).unwrap_or((glob, &[]));
        text.extend_from_slice(this);
        glob = after;
    }
}
