//! What ignore files leave out.
//!
//! `.rgignore` wins over `.ignore`, and that over `.gitignore` and `.git/info/exclude`; of each kind the deepest directory's
//! counts. Git's hold only in a repository, and not beyond it.

use std::{borrow::Cow, path::Path};

use bstr::ByteSlice;
use hotcell_meter::Charge;
use hotcell_process::Process;
use hotcell_vfs::{OpenOptions, VfsPath};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{hold, options::Settings};

/// The longest file and line of rules that are obeyed: each line becomes part of an automaton.
const FILE_MAX: u64 = 256 << 10;
const LINE_MAX: usize = 4096;
/// An automaton takes some times the text that it is made of.
const COST: usize = 16;

/// The kinds, in the order in which they win.
const KINDS: [&[u8]; 4] = [
    b".rgignore",
    b".ignore",
    b".gitignore",
    b".git/info/exclude",
];
const FIRST_OF_GIT: usize = 2;

/// The rules of one directory.
#[derive(Default)]
pub(super) struct Rules {
    kinds: [Option<Gitignore>; KINDS.len()],
    is_repository: bool,
    charge: Option<Charge>,
}

impl Rules {
    pub(super) fn read(
        process: &Process,
        settings: &Settings,
        dir: &VfsPath,
    ) -> std::io::Result<Self> {
        let mut rules = Self::default();
        if !settings.obeys_rules {
            return Ok(rules);
        }
        rules.is_repository = process.vfs().lstat(&dir.join(b".git")).is_ok();
        let mut charge = process.charge(0)?;
        let mut held = 0;
        for (kind, name) in KINDS.iter().enumerate() {
            let is_git = kind >= FIRST_OF_GIT;
            if settings.has(if is_git {
                "no-ignore-vcs"
            } else {
                "no-ignore-dot"
            }) {
                continue;
            }
            let Some(text) = text(process, &dir.join(name)) else {
                continue;
            };
            held += text.len() * COST;
            hold(&mut charge, held)?;
            if let Some(slot) = rules.kinds.get_mut(kind) {
                *slot = matcher(process, dir.as_bytes(), &text);
            }
        }
        rules.charge = Some(charge);
        Ok(rules)
    }
}

/// What `--ignore-file` names: its globs are from the working directory.
pub(super) fn given(process: &Process, name: &[u8]) -> Option<Gitignore> {
    let text = text(process, &process.resolve(name))?;
    let cwd = process.cwd().to_owned();
    matcher(process, cwd.as_bytes(), &text)
}

fn matcher(process: &Process, dir: &[u8], text: &str) -> Option<Gitignore> {
    process.spend(text.len() * COST);
    let mut builder = GitignoreBuilder::new(os_path(dir));
    for line in text.lines() {
        if line.len() > LINE_MAX {
            let dir = dir.as_bstr();
            process.complain(format!(
                "{dir}: a rule of more than {LINE_MAX} bytes is not obeyed"
            ));
            continue;
        }
        // A line that is no pattern is not obeyed, as in git.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}

fn text(process: &Process, path: &VfsPath) -> Option<String> {
    let file = process.vfs().open(path, &OpenOptions::read()).ok()?;
    let meta = file.stat().ok()?;
    if !meta.is_file() {
        return None;
    }
    if meta.size > FILE_MAX {
        process.complain(format!(
            "{path}: more than {FILE_MAX} bytes of rules are not obeyed"
        ));
        return None;
    }
    Some(String::from_utf8_lossy(&file.read_all().ok()?).into_owned())
}

/// What the rules of the directories above a path, the deepest last, say of it: whether it is left out.
pub(super) fn verdict<'r>(
    above: impl DoubleEndedIterator<Item = &'r Rules> + Clone,
    given: &[Gitignore],
    path: &[u8],
    is_dir: bool,
    needs_git: bool,
) -> Option<bool> {
    let path = os_path(path);
    let is_in_git = !needs_git || above.clone().any(|rules| rules.is_repository);
    for kind in 0..KINDS.len() {
        if kind >= FIRST_OF_GIT && !is_in_git {
            break;
        }
        for rules in above.clone().rev() {
            if let Some(Some(matcher)) = rules.kinds.get(kind) {
                let matched = matcher.matched(&path, is_dir);
                if !matched.is_none() {
                    return Some(matched.is_ignore());
                }
            }
            if kind >= FIRST_OF_GIT && rules.is_repository {
                break;
            }
        }
    }
    for matcher in given.iter().rev() {
        let matched = matcher.matched(&path, is_dir);
        if !matched.is_none() {
            return Some(matched.is_ignore());
        }
    }
    None
}

/// Bytes as the path type of the libraries.
#[cfg(unix)]
pub(super) fn os_path(bytes: &[u8]) -> Cow<'_, Path> {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    Cow::Borrowed(Path::new(OsStr::from_bytes(bytes)))
}

/// Bytes as the path type of the libraries.
#[cfg(not(unix))]
pub(super) fn os_path(bytes: &[u8]) -> Cow<'_, Path> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
        Cow::Owned(text) => Cow::Owned(text.into()),
    }
}
