//! Files and directories.

mod basename;
mod canonical;
mod chmod;
mod copy;
mod cp;
mod dd;
mod df;
mod dirname;
mod du;
mod file;
mod install;
mod links;
mod ln;
mod ls;
mod mkdir;
mod mkfifo;
mod mktemp;
pub(crate) mod mode;
mod mv;
mod owner;
mod pathchk;
pub(crate) mod prompt;
mod rm;
mod rmdir;
mod stat;
mod targets;
mod touch;
mod tree;
mod truncate;

use bstr::BString;
use hotcell_vfs::VfsPath;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[
    basename::UTILITY,
    canonical::READLINK,
    canonical::REALPATH,
    chmod::UTILITY,
    df::UTILITY,
    owner::CHGRP,
    owner::CHOWN,
    cp::UTILITY,
    dd::UTILITY,
    dirname::UTILITY,
    du::UTILITY,
    file::UTILITY,
    install::UTILITY,
    links::LINK,
    links::UNLINK,
    ln::UTILITY,
    ls::DIR,
    ls::LS,
    ls::VDIR,
    mkdir::UTILITY,
    mkfifo::MKFIFO,
    mkfifo::MKNOD,
    mktemp::UTILITY,
    mv::UTILITY,
    pathchk::UTILITY,
    rm::UTILITY,
    rmdir::UTILITY,
    stat::UTILITY,
    touch::UTILITY,
    tree::UTILITY,
    truncate::UTILITY,
];

/// The way from one directory to a file, both absolute and without links.
fn relative_path(from: &VfsPath, to: &VfsPath) -> BString {
    let (mut from, mut to) = (from.components().peekable(), to.components().peekable());
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    let parts: Vec<&[u8]> = from.map(|_| &b".."[..]).chain(to).collect();
    if parts.is_empty() {
        ".".into()
    } else {
        bstr::join("/", parts).into()
    }
}
