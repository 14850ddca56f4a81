//! `**`

use bstr::BString;
use hotcell_process::Process;
use hotcell_vfs::FileType;

use super::Rules;

/// What is wanted of `**`.
pub(super) struct Wanted {
    /// More follows: only what more can be in.
    pub(super) only_directories: bool,
    /// Links to directories are directories, too, though they are not gone into.
    pub(super) follows_last: bool,
    /// The directory itself, where something was written for it, has its slash.
    pub(super) slash_at_top: bool,
}

/// What is in a directory, and in those below it, and the directory itself.
pub(super) fn entries(
    process: &Process,
    top: &BString,
    rules: Rules,
    wanted: &Wanted,
    found: &mut Vec<BString>,
) {
    let first = found.len();
    push_top(top, wanted, found);
    // Depth does not matter: the names are sorted in the end.
    let mut directories = vec![top.clone()];
    while let Some(directory) = directories.pop() {
        let path = process.resolve(&directory);
        let Ok(entries) = process.vfs().readdir(&path) else {
            if directory == *top {
                found.truncate(first);
            }
            continue;
        };
        for entry in entries {
            process.spend(1);
            if entry.name.starts_with(b".") && !rules.dots {
                continue;
            }
            let mut path = directory.clone();
            path.extend_from_slice(&entry.name);
            let is_directory = entry.kind == FileType::Dir;
            let counts_as_one = is_directory
                || wanted.follows_last
                    && entry.kind == FileType::Symlink
                    && super::is_directory(process, &path);
            if !wanted.only_directories || counts_as_one {
                found.push(path.clone());
            }
            if is_directory {
                path.push(b'/');
                directories.push(path);
            }
        }
    }
}

fn push_top(top: &BString, wanted: &Wanted, found: &mut Vec<BString>) {
    if wanted.only_directories {
        // `**/x` begins where it stands; `**/` alone does not name that.
        if !(wanted.follows_last && top.is_empty()) {
            found.push(top.clone());
        }
        return;
    }
    if top.is_empty() {
        return;
    }
    let mut top = top.clone();
    if !wanted.slash_at_top {
        let length = top.len() - 1;
        top.truncate(length);
    }
    found.push(top);
}
