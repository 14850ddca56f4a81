//! What `.gitignore` and `.ignore` files leave out.

use hotcell_vfs::{OpenOptions, Vfs, VfsPath};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::glob::os_path;
use crate::shown::shown;
use crate::tools::FileTools;

/// In the order in which they win over each other: later ones win.
const NAMES: [&[u8]; 2] = [b".gitignore", b".ignore"];
/// The longest such file that is obeyed. Each line becomes a part of an automaton, so that a hostile file could cost
/// far more than its length.
const FILE_MAX: u64 = 256 * 1024;
/// The longest line that is obeyed, in bytes: no path that it could match is longer.
const LINE_MAX: usize = 4096;
/// How many bytes of rules are obeyed at once, in a directory and all above it. Directories nest hundreds deep, and each
/// could have rules that take megabytes of memory.
const RULES_MAX: usize = 1024 * 1024;
/// What rules take of memory, about: for each line a pattern with a name of its own, for each byte a part of it.
const PER_LINE: usize = 1024;
const PER_BYTE: usize = 64;
/// How many of the files that are not obeyed are named.
const NAMED: usize = 3;

/// The rules of a directory and those above it.
#[derive(Default)]
pub(crate) struct Ignored {
    /// One for each directory that has rules; the deepest last.
    rules: Vec<Rules>,
    /// What could not be obeyed.
    notices: Vec<String>,
    /// How many more could not be.
    unnamed: usize,
}

/// The rules of one directory.
struct Rules {
    depth: usize,
    bytes: usize,
    /// What is charged for them.
    room: usize,
    matcher: Gitignore,
}

impl Ignored {
    pub(crate) const fn is_rule_file(name: &[u8]) -> bool {
        matches!(name, b".gitignore" | b".ignore")
    }

    /// Adds the rules of the directory `dir`, which is `depth` deep.
    pub(crate) fn enter(&mut self, tools: &FileTools, vfs: &dyn Vfs, dir: &[u8], depth: usize) {
        let mut builder = GitignoreBuilder::new(os_path(dir));
        let mut any = false;
        let mut bytes = self.rules.iter().map(|rules| rules.bytes).sum::<usize>();
        let above = bytes;
        let mut room = 0;
        for name in NAMES {
            let path = VfsPath::new(dir).join(name);
            match read_rules(vfs, &path) {
                Ok(Some(text)) if bytes + text.len() > RULES_MAX => {
                    self.notice(path.as_bytes(), "comes after 1MB of others");
                }
                Ok(Some(text)) => {
                    let cost = PER_LINE * text.lines().count() + PER_BYTE * text.len();
                    if tools.take(cost).is_err() {
                        self.notice(path.as_bytes(), "takes more memory than there is");
                        continue;
                    }
                    room += cost;
                    bytes += text.len();
                    for line in text.lines().filter(|line| line.len() <= LINE_MAX) {
                        // A line that is no pattern is not obeyed, as in git.
                        any |= builder.add_line(None, line).is_ok();
                    }
                }
                Ok(None) => {}
                Err(reason) => self.notice(path.as_bytes(), reason),
            }
        }
        match any.then(|| builder.build()) {
            Some(Ok(matcher)) => self.rules.push(Rules {
                depth,
                bytes: bytes - above,
                room,
                matcher,
            }),
            Some(Err(_)) => {
                tools.give_back(room);
                self.notice(dir, "has ignore rules that are too complex");
            }
            None => tools.give_back(room),
        }
    }

    /// Forgets the rules of directories that are `depth` deep or deeper.
    pub(crate) fn leave(&mut self, tools: &FileTools, depth: usize) {
        while let Some(rules) = self.rules.pop_if(|rules| rules.depth >= depth) {
            tools.give_back(rules.room);
        }
    }

    /// Whether a path is left out. The directories above it are not.
    pub(crate) fn is_ignored(&self, path: &[u8], is_dir: bool) -> bool {
        if self.rules.is_empty() {
            return false;
        }
        let path = os_path(path);
        for rules in self.rules.iter().rev() {
            let matched = rules.matcher.matched(&path, is_dir);
            if !matched.is_none() {
                return matched.is_ignore();
            }
        }
        false
    }

    /// What the reader has to know about rules that were not obeyed.
    pub(crate) fn into_notices(self) -> Vec<String> {
        let mut notices = self.notices;
        if self.unnamed > 0 {
            notices.push(format!("{} more ignore files: not obeyed", self.unnamed));
        }
        notices
    }

    fn notice(&mut self, path: &[u8], reason: &str) {
        if self.notices.len() == NAMED {
            self.unnamed += 1;
            return;
        }
        self.notices
            .push(format!("{} {reason}: not obeyed", shown(path)));
    }
}

fn read_rules(vfs: &dyn Vfs, path: &VfsPath) -> Result<Option<String>, &'static str> {
    // A link could lead out of the workspace.
    let Ok(file) = vfs.open(path, &OpenOptions::read().no_follow()) else {
        return Ok(None);
    };
    let Ok(meta) = file.stat() else {
        return Ok(None);
    };
    if !meta.is_file() {
        return Ok(None);
    }
    if meta.size > FILE_MAX {
        return Err("is longer than 256KB");
    }
    let bytes = file.read_all().map_err(|_| "could not be read")?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
