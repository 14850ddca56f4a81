//! Going through the trees.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Output, Process, error_text, file_error, limit_error};
use hotcell_vfs::{DirEntry, FileType, Metadata, OpenOptions, Timestamp};

use super::{expression::Query, run::Batches};
use crate::{ancestors::Ancestors, quote::quote};

/// When links are followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Follow {
    Never,
    Named,
    Always,
}

/// A file that was found.
pub(super) struct Found {
    /// As it is printed.
    pub(super) path: BString,
    /// How long the part is that was named.
    pub(super) root: usize,
    pub(super) depth: usize,
    pub(super) meta: Metadata,
}

/// Where `find` is.
pub(super) struct State<'p> {
    pub(super) process: &'p Process,
    pub(super) query: &'p Query,
    pub(super) out: Output<'p>,
    pub(super) outputs: Vec<Output<'p>>,
    pub(super) batches: Batches,
    pub(super) code: i32,
    /// Do not go into this directory.
    pub(super) prunes: bool,
    pub(super) quits: bool,
}

impl State<'_> {
    pub(super) fn complain(&mut self, path: &BStr, error: &io::Error) {
        let _ = self.out.flush();
        self.process
            .complain([quote(path).as_slice(), b": ", error_text(error).as_bytes()].concat());
        self.code = 1;
    }
}

enum Step {
    Visit {
        path: BString,
        root: usize,
        depth: usize,
        /// What the directory said of it, if that is all there is to know.
        known: Option<Metadata>,
    },
    /// A directory whose content was seen.
    Leave(Found),
}

pub(super) fn run(process: &Process, query: &Query, paths: &[BString]) -> io::Result<i32> {
    let mut outputs = Vec::new();
    for name in &query.outputs {
        match process.open(name, &OpenOptions::write().create().truncate()) {
            Ok(stream) => outputs.push(process.output(stream)),
            Err(error) => {
                process.complain(
                    [quote(name).as_slice(), b": ", error_text(&error).as_bytes()].concat(),
                );
                return Ok(1);
            }
        }
    }
    let mut state = State {
        process,
        query,
        out: process.stdout(),
        outputs,
        batches: Batches::new(query.batches.len()),
        code: 0,
        prunes: false,
        quits: false,
    };
    for path in paths {
        if state.quits {
            break;
        }
        tree(&mut state, path)?;
    }
    state.run_batches()?;
    state.out.flush()?;
    for output in &mut state.outputs {
        output.flush()?;
    }
    Ok(state.code)
}

fn tree(state: &mut State<'_>, path: &BString) -> io::Result<()> {
    let process = state.process;
    let mut charge = process.charge(0)?;
    let mut device = None;
    let mut steps = vec![Step::Visit {
        path: path.clone(),
        root: path.len(),
        depth: 0,
        known: None,
    }];
    let needs_metadata = state.query.root.needs_metadata();
    let mut ancestors = Ancestors::default();
    while let Some(step) = steps.pop() {
        if state.quits {
            return Ok(());
        }
        process.spend(64);
        let (path, root, depth, known) = match step {
            Step::Leave(found) => {
                if found.depth >= state.query.least_depth {
                    state.evaluate(&found)?;
                }
                continue;
            }
            Step::Visit {
                path,
                root,
                depth,
                known,
            } => (path, root, depth, known),
        };
        charge.shrink(path.len() + size_of::<Step>());
        let meta = match known.map_or_else(|| stat(state, path.as_bstr(), depth), Ok) {
            Ok(meta) => meta,
            Err(error) => {
                state.complain(path.as_bstr(), &error);
                continue;
            }
        };
        let found = Found {
            path,
            root,
            depth,
            meta,
        };
        if meta.is_dir() && !ancestors.enter(&found.path, &meta) {
            let text = [
                b"File system loop detected; ",
                quote(&found.path).as_slice(),
                b" is part of the same file system loop",
            ]
            .concat();
            process.complain(text);
            state.code = 1;
            continue;
        }
        let top = *device.get_or_insert(meta.dev);
        let depth_first = state.query.depth_first;
        state.prunes = false;
        if !depth_first && depth >= state.query.least_depth {
            state.evaluate(&found)?;
        }
        let is_other = state.query.one_file_system && meta.dev != top;
        let enters = meta.is_dir() && depth < state.query.most_depth && !state.prunes && !is_other;
        if !enters {
            if depth_first && depth >= state.query.least_depth {
                state.evaluate(&found)?;
            }
            continue;
        }
        let entries = match process
            .vfs()
            .readdir(&process.resolve(&found.path))
            .map_err(file_error)
        {
            Ok(entries) => entries,
            Err(error) => {
                state.complain(found.path.as_bstr(), &error);
                Vec::new()
            }
        };
        let base = if found.path.ends_with(b"/") {
            found.path.clone()
        } else {
            [found.path.as_slice(), b"/"].concat().into()
        };
        if depth_first {
            steps.push(Step::Leave(found));
        }
        for entry in entries.into_iter().rev() {
            let path: BString = [base.as_slice(), &entry.name].concat().into();
            charge
                .grow(path.len() + size_of::<Step>())
                .map_err(limit_error)?;
            steps.push(Step::Visit {
                path,
                root,
                depth: depth + 1,
                known: (!needs_metadata)
                    .then(|| told_by(&entry, meta.dev, state.query.follow))
                    .flatten(),
            });
        }
    }
    Ok(())
}

/// What a directory tells of a file, where that is enough to go on: not for a directory, which may be of another file system,
/// nor for a link that is followed.
fn told_by(entry: &DirEntry, dev: u64, follow: Follow) -> Option<Metadata> {
    let is_enough = match entry.kind {
        FileType::Dir => false,
        FileType::Symlink => follow != Follow::Always,
        _ => true,
    };
    is_enough.then_some(Metadata {
        kind: entry.kind,
        dev,
        ino: entry.ino,
        nlink: 1,
        mode: 0,
        size: 0,
        allocated: 0,
        accessed: Timestamp::default(),
        modified: Timestamp::default(),
        changed: Timestamp::default(),
    })
}

fn stat(state: &State<'_>, path: &BStr, depth: usize) -> io::Result<Metadata> {
    let process = state.process;
    let full = process.resolve(path);
    let follows = match state.query.follow {
        Follow::Never => false,
        Follow::Named => depth == 0,
        Follow::Always => true,
    };
    if path.is_empty() {
        return Err(io::Error::from_raw_os_error(2));
    }
    let meta = if follows {
        process
            .vfs()
            .stat(&full)
            .or_else(|_| process.vfs().lstat(&full))
    } else {
        process.vfs().lstat(&full)
    };
    meta.map_err(file_error)
}
