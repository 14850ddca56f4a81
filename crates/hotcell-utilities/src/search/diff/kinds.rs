//! What is not compared line by line: links, and files of two kinds.

use std::io::{self, Write};

use bstr::{BStr, ByteSlice};
use hotcell_process::{Output, Process, file_error};
use hotcell_vfs::{FileType, Metadata};

use super::options::Options;

/// What the file system says of a name.
pub(super) fn look(process: &Process, options: &Options, name: &BStr) -> io::Result<Metadata> {
    let path = process.resolve(name);
    let found = if options.follows {
        process.vfs().stat(&path)
    } else {
        process.vfs().lstat(&path)
    };
    found.map_err(file_error)
}

/// What a name stands for.
pub(super) fn kind(process: &Process, options: &Options, name: &BStr) -> Option<FileType> {
    look(process, options, name).ok().map(|meta| meta.kind)
}

/// Says that two files are not of one kind.
pub(super) fn unlike(process: &Process, one: &BStr, other: &BStr) -> Vec<u8> {
    [
        b"File ",
        one.as_bytes(),
        b" is a ",
        kind_words(process, one).as_bytes(),
        b" while file ",
        other,
        b" is a ",
        kind_words(process, other).as_bytes(),
        b"\n",
    ]
    .concat()
}

/// Compares symbolic links by what they say, if either is one that is not to be followed.
pub(super) fn links<'p>(
    process: &'p Process,
    options: &Options,
    [one, other]: [&BStr; 2],
    out: &mut Output<'p>,
) -> io::Result<Option<i32>> {
    if options.follows {
        return Ok(None);
    }
    let is_link = |name| kind(process, options, name) == Some(FileType::Symlink);
    let text = match (is_link(one), is_link(other)) {
        (false, false) => return Ok(None),
        (true, true) => {
            let target = |name| process.vfs().readlink(&process.resolve(name));
            let target = |name| target(name).map_err(file_error);
            if target(one)? == target(other)? {
                return Ok(Some(0));
            }
            [
                b"Symbolic links ",
                one.as_bytes(),
                b" and ",
                other,
                b" differ\n",
            ]
            .concat()
        }
        _ => unlike(process, one, other),
    };
    out.write_all(&text)?;
    Ok(Some(1))
}

fn kind_words(process: &Process, name: &BStr) -> &'static str {
    match process.vfs().lstat(&process.resolve(name)) {
        Ok(Metadata {
            kind: FileType::Dir,
            ..
        }) => "directory",
        Ok(Metadata {
            kind: FileType::Symlink,
            ..
        }) => "symbolic link",
        Ok(Metadata {
            kind: FileType::File,
            size: 0,
            ..
        }) => "regular empty file",
        Ok(Metadata {
            kind: FileType::File,
            ..
        }) => "regular file",
        Ok(Metadata {
            kind: FileType::Fifo,
            ..
        }) => "fifo",
        _ => "special file",
    }
}
