//! Which files are searched.

use std::io;

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::file_error;
use hotcell_vfs::{FileType, OpenOptions};

use super::Grep;
use crate::ancestors::Ancestors;

/// Searches a file that was named, or the files below it. `is_implied` is the working directory that nobody named.
pub(super) fn each(grep: &mut Grep<'_>, name: &BStr, is_implied: bool) -> io::Result<()> {
    if name == "-" {
        let input = grep.process.stdin();
        return grep.file(name, input);
    }
    let path = grep.process.resolve(name);
    let meta = match grep.process.vfs().stat(&path).map_err(file_error) {
        Ok(meta) => meta,
        Err(error) => {
            grep.complain(name, &error);
            return Ok(());
        }
    };
    if !meta.is_dir() {
        if !grep.options.includes(name) {
            return Ok(());
        }
        return open(grep, name);
    }
    if grep.options.skips_directories {
        return Ok(());
    }
    if !grep.options.recursive {
        grep.failed = true;
        if !grep.options.no_messages {
            grep.out.flush()?;
            grep.process
                .complain([name.as_bytes(), b": Is a directory"].concat());
        }
        return Ok(());
    }
    let prefix = if is_implied {
        BString::default()
    } else {
        name.into()
    };
    tree(grep, prefix)
}

/// Everything below a directory, which is named as it is shown; the empty name is the working directory.
fn tree(grep: &mut Grep<'_>, root: BString) -> io::Result<()> {
    let mut pending = vec![(root, FileType::Dir)];
    let mut ancestors = Ancestors::default();
    while let Some((name, kind)) = pending.pop() {
        if grep.is_done() {
            break;
        }
        grep.process.spend(64);
        if kind != FileType::Dir {
            open(grep, name.as_bstr())?;
            continue;
        }
        let path = if name.is_empty() {
            grep.process.resolve(b".")
        } else {
            grep.process.resolve(&name)
        };
        if grep.options.follows
            && let Ok(meta) = grep.process.vfs().stat(&path)
            && !ancestors.enter(path.as_bytes(), &meta)
        {
            grep.out.flush()?;
            let text = b": warning: recursive directory loop";
            grep.process.complain([name.as_slice(), text].concat());
            continue;
        }
        let entries = match grep.process.vfs().readdir(&path).map_err(file_error) {
            Ok(entries) => entries,
            Err(error) => {
                grep.complain(name.as_bstr(), &error);
                continue;
            }
        };
        for entry in entries.into_iter().rev() {
            let shown: BString = match name.as_slice() {
                b"" => entry.name.clone().into(),
                base if base.ends_with(b"/") => [base, entry.name.as_slice()].concat().into(),
                base => [base, b"/", entry.name.as_slice()].concat().into(),
            };
            let mut kind = entry.kind;
            if kind == FileType::Symlink {
                if !grep.options.follows {
                    continue;
                }
                match grep.process.vfs().stat(&path.join(&entry.name)) {
                    Ok(meta) => kind = meta.kind,
                    Err(error) => {
                        grep.complain(shown.as_bstr(), &file_error(error));
                        continue;
                    }
                }
            }
            let is_wanted = match kind {
                FileType::Dir => grep.options.enters(&shown),
                FileType::File => grep.options.includes(&shown),
                _ => !grep.options.skips_devices && grep.options.includes(&shown),
            };
            if is_wanted {
                pending.push((shown, kind));
            }
        }
    }
    Ok(())
}

fn open(grep: &mut Grep<'_>, name: &BStr) -> io::Result<()> {
    match grep.process.open(name, &OpenOptions::read()) {
        Ok(stream) => {
            let input = grep.process.input(stream);
            grep.file(name, input)
        }
        Err(error) => {
            grep.complain(name, &error);
            Ok(())
        }
    }
}
