//! Which files are searched, in which order.

use std::io;

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::{DirEntry, FileType, Timestamp, VfsPath, VfsPathBuf};

use super::{
    hold,
    options::{Settings, SortBy},
    rules::{self, Matcher, Rules, os_path},
};

/// A file to be searched.
pub(super) struct Found {
    /// How it is shown.
    pub(super) shown: BString,
    /// It was named, not met on the way.
    pub(super) is_named: bool,
}

pub(super) struct Walker<'p> {
    process: &'p Process,
    settings: &'p Settings,
    given: Vec<Matcher>,
    pub(super) has_failed: bool,
}

/// A directory that is being visited.
struct Level {
    entries: std::vec::IntoIter<DirEntry>,
    /// How it is shown; empty for the working directory that nobody named.
    shown: BString,
    path: VfsPathBuf,
    rules: Rules,
    identity: (u64, u64),
}

type Visit<'v> = dyn FnMut(&Found) -> io::Result<bool> + 'v;

impl<'p> Walker<'p> {
    pub(super) fn new(process: &'p Process, settings: &'p Settings) -> io::Result<Self> {
        let uses_given = settings.obeys_rules && !settings.has("no-ignore-files");
        let names = settings.parsed.values("ignore-file").filter(|_| uses_given);
        let given = names.map(|name| rules::given(process, name));
        let given: io::Result<Vec<_>> = given.collect();
        Ok(Self {
            process,
            settings,
            given: given?.into_iter().flatten().collect(),
            has_failed: false,
        })
    }

    /// Calls `visit` with each file until it says false.
    pub(super) fn each(
        &mut self,
        mut visit: impl FnMut(&Found) -> io::Result<bool>,
    ) -> io::Result<()> {
        let (by, is_reversed) = self.settings.sort;
        if by == SortBy::Path && !is_reversed {
            return self.all(&mut visit);
        }
        let mut files: Vec<(Timestamp, Found)> = Vec::new();
        let mut charge = self.process.charge(0)?;
        let mut held = 0;
        let process = self.process;
        self.all(&mut |found| {
            held += found.shown.len() + size_of::<(Timestamp, Found)>() * 2;
            hold(&mut charge, held)?;
            let time = process.metadata(&found.shown, true).map(|meta| match by {
                SortBy::Accessed => meta.accessed,
                SortBy::Created => meta.changed,
                _ => meta.modified,
            });
            let found = Found {
                shown: found.shown.clone(),
                is_named: found.is_named,
            };
            files.push((time.unwrap_or_default(), found));
            Ok(true)
        })?;
        if by != SortBy::Path {
            process.spend(files.len() * 16);
            files.sort_by_key(|(time, _)| *time);
        }
        if is_reversed {
            files.reverse();
        }
        for (_, found) in &files {
            if !visit(found)? {
                break;
            }
        }
        Ok(())
    }

    fn all(&mut self, visit: &mut Visit<'_>) -> io::Result<()> {
        for name in &self.settings.paths {
            let name = name.as_bstr();
            let named = Found {
                shown: name.into(),
                is_named: true,
            };
            if name == "-" {
                if !visit(&named)? {
                    return Ok(());
                }
                continue;
            }
            match self.process.metadata(name, true) {
                Err(error) => self.complain(name, &error),
                Ok(meta) if meta.is_dir() => {
                    if self.settings.max_depth > 0 && !self.tree(name, visit)? {
                        return Ok(());
                    }
                }
                Ok(_) => {
                    if !visit(&named)? {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn complain(&mut self, name: &BStr, error: &io::Error) {
        self.has_failed = true;
        if !self.settings.has("no-messages") {
            let number = error.raw_os_error().unwrap_or_default();
            let text = error_text(error);
            self.process.complain(
                [
                    name.as_bytes(),
                    format!(": {text} (os error {number})").as_bytes(),
                ]
                .concat(),
            );
        }
    }

    /// Everything below a directory; whether to go on.
    fn tree(&mut self, root: &BStr, visit: &mut Visit<'_>) -> io::Result<bool> {
        let above = self.rules_above(root)?;
        let shown = if self.settings.is_implied {
            "".into()
        } else {
            root
        };
        let mut levels = Vec::new();
        self.enter(shown.into(), self.process.resolve(root), &mut levels)?;
        loop {
            self.process.spend(64);
            let depth = levels.len();
            let Some(level) = levels.last_mut() else {
                return Ok(true);
            };
            let Some(entry) = level.entries.next() else {
                levels.pop();
                continue;
            };
            let path = level.path.join(&entry.name);
            let shown: BString = match level.shown.as_slice() {
                b"" => entry.name.clone().into(),
                base if base.ends_with(b"/") => [base, &entry.name].concat().into(),
                base => [base, b"/", &entry.name].concat().into(),
            };
            let mut kind = entry.kind;
            if kind.is_symlink() {
                if !self.settings.has("follow") {
                    continue;
                }
                match self.process.vfs().stat(&path) {
                    Ok(meta) => kind = meta.kind,
                    Err(error) => {
                        self.complain(shown.as_bstr(), &file_error(error));
                        continue;
                    }
                }
            }
            let rules = above.iter().chain(levels.iter().map(|level| &level.rules));
            if self.is_left_out(rules, &path, &entry.name, kind.is_dir()) {
                continue;
            }
            if kind.is_dir() {
                if depth < self.settings.max_depth {
                    self.enter(shown, path, &mut levels)?;
                }
            } else if kind == FileType::File && !self.is_too_large(&path) {
                let found = Found {
                    shown,
                    is_named: false,
                };
                if !visit(&found)? {
                    return Ok(false);
                }
            }
        }
    }

    fn is_too_large(&self, path: &VfsPath) -> bool {
        let Some(most) = self.settings.max_size else {
            return false;
        };
        let meta = self.process.vfs().stat(path);
        meta.is_ok_and(|meta| meta.size > most)
    }

    /// The rules of the directories that the start is in hold below it.
    fn rules_above(&self, root: &BStr) -> io::Result<Vec<Rules>> {
        let mut above = Vec::new();
        if !self.settings.obeys_rules || self.settings.has("no-ignore-parent") {
            return Ok(above);
        }
        let path = self.process.resolve(root);
        let Ok(real) = self.process.vfs().realpath(&path) else {
            return Ok(above);
        };
        let mut at = VfsPathBuf::root();
        for name in real.components() {
            above.push(Rules::read(self.process, self.settings, &at)?);
            at.push(name);
        }
        Ok(above)
    }

    fn enter(
        &mut self,
        shown: BString,
        path: VfsPathBuf,
        levels: &mut Vec<Level>,
    ) -> io::Result<()> {
        let vfs = self.process.vfs();
        let read = vfs
            .stat(&path)
            .and_then(|meta| Ok((meta, vfs.readdir(&path)?)));
        let (meta, entries) = match read {
            Ok(read) => read,
            Err(error) => {
                self.complain(shown.as_bstr(), &file_error(error));
                return Ok(());
            }
        };
        let identity = (meta.dev, meta.ino);
        if self.settings.has("follow")
            && let Some(ancestor) = levels.iter().find(|level| level.identity == identity)
        {
            self.has_failed = true;
            if !self.settings.has("no-messages") {
                let base = &ancestor.shown;
                self.process.complain(format!(
                    "File system loop found: {shown} points to an ancestor {base}"
                ));
            }
            return Ok(());
        }
        levels.push(Level {
            entries: entries.into_iter(),
            shown,
            rules: Rules::read(self.process, self.settings, &path)?,
            path,
            identity,
        });
        Ok(())
    }

    /// Globs of the command line decide alone; then ignore files, then types, then whether it is hidden.
    fn is_left_out<'r>(
        &self,
        rules: impl DoubleEndedIterator<Item = &'r Rules> + Clone,
        path: &VfsPath,
        name: &[u8],
        is_dir: bool,
    ) -> bool {
        let os = os_path(path.as_bytes());
        let by_glob = self.settings.globs.matched(&os, is_dir);
        if !by_glob.is_none() {
            return by_glob.is_ignore();
        }
        let mut is_wanted = false;
        let needs_git = !self.settings.has("no-require-git");
        match rules::verdict(
            self.process,
            rules,
            &self.given,
            path.as_bytes(),
            is_dir,
            needs_git,
        ) {
            Some(true) => return true,
            Some(false) => is_wanted = true,
            None => {}
        }
        let by_type = self.settings.types.matched(&os, is_dir);
        if by_type.is_ignore() {
            return true;
        }
        is_wanted |= by_type.is_whitelist();
        !is_wanted && !self.settings.shows_hidden && name.starts_with(b".")
    }
}
