//! What `.gitignore` and `.ignore` files leave out.

use hotcell_vfs::{OpenOptions, Vfs, VfsPath};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::glob::os_path;
use crate::shown::shown;

/// In the order in which they win over each other: later ones win.
const NAMES: [&[u8]; 2] = [b".gitignore", b".ignore"];
/// The longest such file that is obeyed. Each line becomes a part of an automaton, so that a hostile file could cost
/// far more than its length.
const FILE_MAX: u64 = 256 * 1024;
/// The longest line that is obeyed, in bytes: no path that it could match is longer.
const LINE_MAX: usize = 4096;

/// The rules of a directory and those above it.
#[derive(Default)]
pub(crate) struct Ignored {
    /// One for each directory that has rules, with its depth; the deepest last.
    rules: Vec<(usize, Gitignore)>,
    /// What could not be obeyed.
    pub(crate) notices: Vec<String>,
}

impl Ignored {
    pub(crate) const fn is_rule_file(name: &[u8]) -> bool {
        matches!(name, b".gitignore" | b".ignore")
    }

    /// Adds the rules of the directory `dir`, which is `depth` deep.
    pub(crate) fn enter(&mut self, vfs: &dyn Vfs, dir: &[u8], depth: usize) {
        let mut builder = GitignoreBuilder::new(os_path(dir));
        let mut any = false;
        for name in NAMES {
            let path = VfsPath::new(dir).join(name);
            match read_rules(vfs, &path) {
                Ok(Some(text)) => {
                    for line in text.lines().filter(|line| line.len() <= LINE_MAX) {
                        // A line that is no pattern is not obeyed, as in git.
                        any |= builder.add_line(None, line).is_ok();
                    }
                }
                Ok(None) => {}
                Err(reason) => self.notice(path.as_bytes(), reason),
            }
        }
        if !any {
            return;
        }
        match builder.build() {
            Ok(rules) => self.rules.push((depth, rules)),
            Err(_) => self.notice(dir, "has ignore rules that are too complex"),
        }
    }

    /// Forgets the rules of directories that are `depth` deep or deeper.
    pub(crate) fn leave(&mut self, depth: usize) {
        while self.rules.last().is_some_and(|(at, _)| *at >= depth) {
            self.rules.pop();
        }
    }

    /// Whether a path is left out. The directories above it are not.
    pub(crate) fn is_ignored(&self, path: &[u8], is_dir: bool) -> bool {
        if self.rules.is_empty() {
            return false;
        }
        let path = os_path(path);
        for (_, rules) in self.rules.iter().rev() {
            let matched = rules.matched(&path, is_dir);
            if !matched.is_none() {
                return matched.is_ignore();
            }
        }
        false
    }

    fn notice(&mut self, path: &[u8], reason: &str) {
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
