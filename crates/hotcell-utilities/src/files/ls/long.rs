//! The long format.

use std::io::{self, Write};

use bstr::ByteSlice;
use hotcell_process::{Output, Process};
use hotcell_vfs::{FileType, Timestamp};

use super::{entry::Entry, options::Options};
use crate::{files::mode, identity, time};

/// About half a year: what is older shows its year instead of its time of day.
const RECENT: i64 = 15_778_476;

pub(super) fn print(
    process: &Process,
    out: &mut Output<'_>,
    entries: &[Entry],
    options: &Options,
) -> io::Result<()> {
    let zone = time::zone(process);
    let now = process.now();
    let owner = if options.numeric {
        identity::ID.to_string()
    } else {
        identity::NAME.to_owned()
    };
    let size = |entry: &Entry| match entry.meta.kind {
        FileType::CharDevice | FileType::BlockDevice => {
            format!("{}, {}", entry.meta.dev >> 8, entry.meta.ino & 0xff)
        }
        _ => options.size(entry.meta.size, false),
    };
    let widest = |text: &dyn Fn(&Entry) -> String| {
        entries
            .iter()
            .map(|entry| text(entry).len())
            .max()
            .unwrap_or(0)
    };
    let inode = |entry: &Entry| entry.meta.ino.to_string();
    let blocks = |entry: &Entry| options.size(entry.blocks() * 1024, true);
    let links = |entry: &Entry| entry.meta.nlink.to_string();
    let (inodes, blocks_width, links_width, sizes) = (
        widest(&inode),
        widest(&blocks),
        widest(&links),
        widest(&size),
    );
    for entry in entries {
        process.spend(64);
        if options.inodes {
            write!(out, "{:>inodes$} ", inode(entry))?;
        }
        if options.sizes {
            write!(out, "{:>blocks_width$} ", blocks(entry))?;
        }
        write!(
            out,
            "{} {:>links_width$}",
            mode::show(&entry.meta),
            links(entry)
        )?;
        if options.owner {
            write!(out, " {owner}")?;
        }
        if options.group {
            write!(out, " {owner}")?;
        }
        if options.author {
            write!(out, " {owner}")?;
        }
        let when = entry.time(options);
        let stamp = time::show(when, &zone, &format(options, when, now));
        write!(out, " {:>sizes$} {stamp} ", size(entry))?;
        out.write_all(&options.style.name(entry).0)?;
        if let Some((target, meta)) = &entry.link {
            out.write_all(b" -> ")?;
            out.write_all(&options.style.target(target.as_bstr(), meta.as_ref()))?;
        }
        out.write_all(&[options.end])?;
    }
    Ok(())
}

fn format(options: &Options, when: Timestamp, now: Timestamp) -> String {
    let age = now.seconds() - when.seconds();
    let is_recent = (0..RECENT).contains(&age);
    match options.time_style.as_deref() {
        Some("full-iso") => "%Y-%m-%d %H:%M:%S.%N %z".into(),
        Some("long-iso") => "%Y-%m-%d %H:%M".into(),
        Some("iso") if is_recent => "%m-%d %H:%M".into(),
        Some("iso") => "%Y-%m-%d ".into(),
        Some(custom) if custom.starts_with('+') => {
            // A second line is for recent files.
            let mut forms = custom.get(1..).unwrap_or_default().split('\n');
            let old = forms.next().unwrap_or_default();
            let recent = forms.next().unwrap_or(old);
            if is_recent { recent.into() } else { old.into() }
        }
        _ if is_recent => "%b %e %H:%M".into(),
        _ => "%b %e  %Y".into(),
    }
}
