//! Asking and doing what the expression says.

use std::io::{self, Write};

use bstr::{BStr, ByteSlice};
use hotcell_meter::Pace;
use hotcell_process::file_error;
use hotcell_vfs::{Errno, Metadata, Timestamp};

use super::{
    expression::{Action, Node, Permissions, Test, Which},
    walk::{Found, State},
};
use crate::wildcard;

impl State<'_> {
    /// Does for a file what the whole expression says.
    pub(super) fn evaluate(&mut self, found: &Found) -> io::Result<()> {
        let query = self.query;
        self.node(&query.root, found).map(|_| ())
    }

    fn node(&mut self, node: &Node, found: &Found) -> io::Result<bool> {
        match node {
            Node::And(nodes) => {
                for node in nodes {
                    if self.quits || !self.node(node, found)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Node::Or(nodes) => {
                for node in nodes {
                    if self.quits || self.node(node, found)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::List(nodes) => {
                let mut last = false;
                for node in nodes {
                    last = self.node(node, found)?;
                }
                Ok(last)
            }
            Node::Not(node) => Ok(!self.node(node, found)?),
            Node::Test(test) => self.test(test, found),
            Node::Action(action) => self.action(action, found),
        }
    }

    fn test(&mut self, test: &Test, found: &Found) -> io::Result<bool> {
        let meta = &found.meta;
        Ok(match test {
            Test::Always(answer) => *answer,
            Test::Name {
                pattern,
                ignores_case,
            } => {
                self.process.spend(pattern.len() + found.path.len());
                wildcard::matches_with(pattern, base_name(&found.path), *ignores_case)
            }
            Test::Path {
                pattern,
                ignores_case,
            } => {
                self.process.spend(pattern.len() + found.path.len());
                wildcard::matches_with(pattern, &found.path, *ignores_case)
            }
            Test::Link {
                pattern,
                ignores_case,
            } => {
                meta.is_symlink()
                    && self
                        .process
                        .vfs()
                        .readlink(&self.process.resolve(&found.path))
                        .is_ok_and(|target| {
                            wildcard::matches_with(pattern, target.as_bytes(), *ignores_case)
                        })
            }
            Test::Regex(regex) => {
                let mut pace = Pace::new(self.process.stop_token());
                let whole = regex
                    .find_at(&found.path, 0, &mut pace)
                    .map_err(io::Error::other)?;
                whole.is_some_and(|whole| (whole.start, whole.end) == (0, found.path.len()))
            }
            Test::Kind { kinds, follows } => {
                let mut kind = meta.kind;
                if *follows && meta.is_symlink() {
                    let target = self.process.vfs().stat(&self.process.resolve(&found.path));
                    kind = target.map_or(kind, |target| target.kind);
                }
                kinds.contains(&kind)
            }
            Test::Size { amount, unit } => {
                amount.fits(i64::try_from(meta.size.div_ceil(*unit)).unwrap_or(i64::MAX))
            }
            Test::Empty => self.is_empty(found),
            Test::Age {
                which,
                amount,
                unit,
                from,
            } => {
                let age = from.seconds() - time_of(meta, *which).seconds();
                // Minutes are rounded up, days down, as GNU does.
                let units = if *unit == 60 {
                    age.div_euclid(*unit) + i64::from(age.rem_euclid(*unit) > 0)
                } else {
                    age.div_euclid(*unit)
                };
                amount.fits(units)
            }
            Test::Newer { which, than } => time_of(meta, *which) > *than,
            Test::Used(amount) => {
                let days = (meta.accessed.seconds() - meta.changed.seconds()).div_euclid(86_400);
                amount.fits(days)
            }
            Test::Permissions {
                zero_umask,
                for_dirs,
            } => {
                let mode = meta.mode & 0o7777;
                match if meta.is_dir() { for_dirs } else { zero_umask } {
                    Permissions::Exactly(wanted) => mode == *wanted,
                    Permissions::All(wanted) => mode & wanted == *wanted,
                    Permissions::Any(wanted) => *wanted == 0 || mode & wanted != 0,
                }
            }
            Test::Links(amount) => amount.fits(i64::try_from(meta.nlink).unwrap_or(i64::MAX)),
            Test::Inode(amount) => amount.fits(i64::try_from(meta.ino).unwrap_or(i64::MAX)),
            Test::Owner(amount) => amount.fits(i64::from(crate::identity::ID)),
            Test::Same { dev, ino } => (meta.dev, meta.ino) == (*dev, *ino),
            // There is one user, who owns everything: its bits count, though nobody is kept from anything.
            Test::Access(bit) => {
                let meta = self.process.vfs().stat(&self.process.resolve(&found.path));
                meta.is_ok_and(|meta| meta.mode >> 6 & bit != 0)
            }
            Test::FileSystem(kind) => kind == "tmpfs",
        })
    }

    fn is_empty(&self, found: &Found) -> bool {
        if found.meta.is_dir() {
            let entries = self
                .process
                .vfs()
                .readdir(&self.process.resolve(&found.path));
            return entries.is_ok_and(|entries| entries.is_empty());
        }
        found.meta.is_file() && found.meta.size == 0
    }

    fn action(&mut self, action: &Action, found: &Found) -> io::Result<bool> {
        match action {
            Action::Print { output, end } => {
                let line = [found.path.as_slice(), &[*end]].concat();
                self.write(*output, &line)?;
                Ok(true)
            }
            Action::Format { output, format } => {
                let (text, _charge) = format.show(self.process, found)?;
                self.write(*output, &text)?;
                Ok(true)
            }
            Action::List { output } => {
                let line = super::format::list_line(self.process, found);
                self.write(*output, &line)?;
                Ok(true)
            }
            Action::Delete => self.delete(found),
            Action::Prune => {
                self.prunes = true;
                Ok(true)
            }
            Action::Quit => {
                self.quits = true;
                Ok(true)
            }
            Action::Run { command, asks } => self.run_command(command, *asks, found),
            Action::Batch(index) => {
                self.add_to_batch(*index, found)?;
                Ok(true)
            }
        }
    }

    fn write(&mut self, output: Option<usize>, text: &[u8]) -> io::Result<()> {
        match output.and_then(|index| self.outputs.get_mut(index)) {
            Some(output) => output.write_all(text),
            None => self.out.write_all(text),
        }
    }

    fn delete(&mut self, found: &Found) -> io::Result<bool> {
        if found.path == "." {
            return Ok(true);
        }
        let path = self.process.resolve(&found.path);
        let vfs = self.process.vfs();
        let deleted = if found.meta.is_dir() {
            vfs.rmdir(&path)
        } else {
            vfs.unlink(&path)
        };
        match deleted {
            Ok(()) => Ok(true),
            Err(error) => {
                let is_missing = error.errno() == Errno::ENOENT;
                let error = file_error(error);
                if !is_missing {
                    let _ = self.out.flush();
                    let text = [
                        b"cannot delete ",
                        crate::quote::quote(&found.path).as_slice(),
                        b": ",
                        hotcell_process::error_text(&error).as_bytes(),
                    ]
                    .concat();
                    self.process.complain(text);
                    self.code = 1;
                }
                Ok(is_missing)
            }
        }
    }
}

/// The last name of a path; a path of slashes is one.
pub(super) fn base_name(path: &[u8]) -> &BStr {
    let trimmed = path.trim_end_with(|c| c == '/');
    if trimmed.is_empty() {
        return BStr::new(path.get(..1).unwrap_or(path));
    }
    BStr::new(trimmed.rsplit_str("/").next().unwrap_or(trimmed))
}

fn time_of(meta: &Metadata, which: Which) -> Timestamp {
    match which {
        Which::Accessed => meta.accessed,
        Which::Changed => meta.changed,
        Which::Modified => meta.modified,
    }
}
