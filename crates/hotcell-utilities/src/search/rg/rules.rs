//! What ignore files leave out.
//!
//! `.rgignore` wins over `.ignore`, and that over `.gitignore` and `.git/info/exclude`; of each kind the deepest directory's
//! counts. Git's hold only in a repository, and not beyond it.

use std::{borrow::Cow, io, path::Path};

use hotcell_meter::Charge;
use hotcell_process::Process;
use hotcell_vfs::{OpenOptions, VfsPath};

use super::{hold, options::Settings};

/// The longest file of rules that is obeyed: every path is held against every rule.
const FILE_MAX: u64 = 256 << 10;

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
    kinds: [Option<Matcher>; KINDS.len()],
    is_repository: bool,
}

/// The rules of one file.
pub(super) struct Matcher {
    /// What its paths are relative to.
    dir: Vec<u8>,
    rules: hotcell_ignore::Rules,
    _charge: Charge,
}

impl Rules {
    pub(super) fn read(process: &Process, settings: &Settings, dir: &VfsPath) -> io::Result<Self> {
        let mut rules = Self::default();
        if !settings.obeys_rules {
            return Ok(rules);
        }
        rules.is_repository = process.vfs().lstat(&dir.join(b".git")).is_ok();
        for (kind, name) in KINDS.iter().enumerate() {
            let is_git = kind >= FIRST_OF_GIT;
            if settings.has(if is_git {
                "no-ignore-vcs"
            } else {
                "no-ignore-dot"
            }) {
                continue;
            }
            let matcher = Matcher::read(process, dir.as_bytes(), &dir.join(name))?;
            if let Some(slot) = rules.kinds.get_mut(kind) {
                *slot = matcher;
            }
        }
        Ok(rules)
    }
}

/// What `--ignore-file` names: its globs are from the working directory.
pub(super) fn given(process: &Process, name: &[u8]) -> io::Result<Option<Matcher>> {
    let cwd = process.cwd().to_owned();
    Matcher::read(process, cwd.as_bytes(), &process.resolve(name))
}

impl Matcher {
    fn read(process: &Process, dir: &[u8], path: &VfsPath) -> io::Result<Option<Self>> {
        let mut charge = process.charge(0)?;
        let Some(text) = text(process, path, &mut charge)? else {
            return Ok(None);
        };
        let mut held = charge.bytes();
        let mut room = Ok(());
        let rules = hotcell_ignore::Rules::parse(&text, |bytes| {
            process.spend(bytes);
            held += bytes;
            room = hold(&mut charge, held);
            room.is_ok()
        });
        room?;
        if rules.unread() > 0 {
            let unread = rules.unread();
            process.complain(format!(
                "{path}: {unread} rules that are too long or stand for too many are not obeyed"
            ));
        }
        Ok((!rules.is_empty()).then(|| Self {
            dir: dir.to_vec(),
            rules,
            _charge: charge,
        }))
    }

    /// What these rules say of a path.
    fn verdict(&self, process: &Process, path: &[u8], is_dir: bool) -> Option<bool> {
        let below = path.strip_prefix(&*self.dir).and_then(|below| {
            if self.dir.ends_with(b"/") {
                Some(below)
            } else {
                below.strip_prefix(b"/")
            }
        });
        let verdict = self.rules.verdict(below.unwrap_or(path), is_dir, |steps| {
            // If the process is to end, this does not come back.
            process.spend(steps);
            true
        });
        verdict.ok().flatten()
    }
}

fn text(process: &Process, path: &VfsPath, charge: &mut Charge) -> io::Result<Option<String>> {
    let Ok(file) = process.vfs().open(path, &OpenOptions::read()) else {
        return Ok(None);
    };
    let Ok(meta) = file.stat() else {
        return Ok(None);
    };
    if !meta.is_file() {
        return Ok(None);
    }
    if meta.size > FILE_MAX {
        process.complain(format!(
            "{path}: more than {FILE_MAX} bytes of rules are not obeyed"
        ));
        return Ok(None);
    }
    // Its bytes, and its text, in which a byte may become three.
    hold(
        charge,
        usize::try_from(meta.size)
            .unwrap_or(usize::MAX)
            .saturating_mul(4),
    )?;
    let bytes = file.read_all().ok();
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// What the rules of the directories above a path, the deepest last, say of it: whether it is left out.
pub(super) fn verdict<'r>(
    process: &Process,
    above: impl DoubleEndedIterator<Item = &'r Rules> + Clone,
    given: &[Matcher],
    path: &[u8],
    is_dir: bool,
    needs_git: bool,
) -> Option<bool> {
    let is_in_git = !needs_git || above.clone().any(|rules| rules.is_repository);
    for kind in 0..KINDS.len() {
        if kind >= FIRST_OF_GIT && !is_in_git {
            break;
        }
        for rules in above.clone().rev() {
            if let Some(Some(matcher)) = rules.kinds.get(kind)
                && let Some(verdict) = matcher.verdict(process, path, is_dir)
            {
                return Some(verdict);
            }
            if kind >= FIRST_OF_GIT && rules.is_repository {
                break;
            }
        }
    }
    let mut given = given.iter().rev();
    given.find_map(|matcher| matcher.verdict(process, path, is_dir))
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
