//! Listing archives.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_vfs::Timestamp;
use tar::{Archive, Entry, EntryType, Header};

use super::{Tar, names, source};
use crate::{files::mode::show_bits, time};

pub(super) fn list(tar: &mut Tar<'_>) -> io::Result<()> {
    let mut archive = Archive::new(source::open(tar)?);
    archive.set_ignore_zeros(tar.options.parsed.has("ignore-zeros"));
    let mut out = tar.process.stdout();
    let mut wanted = Wanted::new(tar);
    for entry in archive.entries()? {
        let entry = checked(tar, entry)?;
        tar.process.spend(256);
        let name = name_of(&entry);
        if !wanted.takes(tar, &name) {
            continue;
        }
        let mut shown: BString = name;
        for transform in &tar.options.transforms {
            shown = transform.apply(tar.process, &shown)?.into();
        }
        let target = entry
            .link_name_bytes()
            .map(|target| BString::from(target.into_owned()));
        let modified = Timestamp::from_parts(
            i64::try_from(entry.header().mtime().unwrap_or(0)).unwrap_or(0),
            0,
        );
        let line = line(
            tar,
            entry.header(),
            shown.as_bstr(),
            target.as_ref().map(|target| target.as_bstr()),
            tar.options.verbose + 1,
            modified,
        );
        out.write_all(&line)?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    wanted.report(tar);
    Ok(())
}

/// An entry, or the words for an archive that is none.
pub(super) fn checked<'a, R: io::Read>(
    tar: &Tar<'_>,
    entry: io::Result<Entry<'a, R>>,
) -> io::Result<Entry<'a, R>> {
    entry.map_err(|error| {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            return error;
        }
        // The library has no kind for an archive that ends in a member.
        if error.to_string().contains("EOF") {
            return io::ErrorKind::UnexpectedEof.into();
        }
        if error.raw_os_error().is_none() {
            tar.process
                .complain("This does not look like a tar archive");
            tar.process
                .complain("Exiting with failure status due to previous errors");
            tar.process.exit(2);
        }
        error
    })
}

pub(super) fn name_of<R: io::Read>(entry: &Entry<'_, R>) -> BString {
    entry.path_bytes().into_owned().into()
}

/// The members that were named, and which of them were found.
pub(super) struct Wanted {
    names: Vec<(BString, bool)>,
    wildcards: bool,
    /// Which of the names the last member that was taken has.
    last: Option<usize>,
}

impl Wanted {
    pub(super) fn new(tar: &Tar<'_>) -> Self {
        let names = tar
            .options
            .members
            .iter()
            .map(|(name, _)| (name.clone(), false))
            .collect();
        let wildcards =
            tar.options.parsed.last_of(&["wildcards", "no-wildcards"]) == Some("wildcards");
        Self {
            names,
            wildcards,
            last: None,
        }
    }

    /// The directory that goes with the name of the last member that was taken.
    pub(super) fn folder(&self, tar: &Tar<'_>) -> BString {
        let member = self.last.and_then(|last| tar.options.members.get(last));
        let folder = member.map_or(&tar.options.folder, |(_, folder)| folder);
        folder.clone()
    }

    /// Whether no member was named.
    pub(super) fn is_for_nobody(&self) -> bool {
        self.names.is_empty()
    }

    pub(super) fn takes(&mut self, tar: &Tar<'_>, name: &BString) -> bool {
        if tar
            .options
            .excluded
            .iter()
            .any(|pattern| names::matches(pattern, name, true, tar.options.parsed.has("anchored")))
        {
            return false;
        }
        if self.names.is_empty() {
            return true;
        }
        let mut found = false;
        for (at, (wanted, was_found)) in self.names.iter_mut().enumerate() {
            tar.process.spend(8);
            if names::matches(
                wanted,
                name,
                self.wildcards,
                tar.options.parsed.last_of(&["anchored", "no-anchored"]) != Some("no-anchored"),
            ) {
                *was_found = true;
                if !found {
                    self.last = Some(at);
                }
                found = true;
            }
        }
        found
    }

    /// Says which were not there.
    pub(super) fn report(&self, tar: &mut Tar<'_>) {
        for (name, was_found) in &self.names {
            if !was_found {
                tar.fail([name.as_slice(), b": Not found in archive"].concat());
            }
        }
    }
}

/// A member in one line: its name, or all about it.
pub(super) fn line(
    tar: &Tar<'_>,
    header: &Header,
    name: &BStr,
    target: Option<&BStr>,
    detail: usize,
    modified: Timestamp,
) -> Vec<u8> {
    let mut shown = escape(name);
    if detail < 2 {
        return shown;
    }
    let kind = match header.entry_type() {
        EntryType::Directory => 'd',
        EntryType::Symlink => 'l',
        EntryType::Link => 'h',
        EntryType::Char => 'c',
        EntryType::Block => 'b',
        EntryType::Fifo => 'p',
        _ => '-',
    };
    let name_or = |name: Option<&[u8]>, id: io::Result<u64>| {
        let name = name.filter(|name| !name.is_empty() && !tar.options.parsed.has("numeric-owner"));
        name.map_or_else(
            || id.unwrap_or(0).to_string(),
            |name| name.to_str_lossy().into_owned(),
        )
    };
    let owner = format!(
        "{}/{}",
        name_or(header.username_bytes(), header.uid()),
        name_or(header.groupname_bytes(), header.gid())
    );
    let size = header.size().unwrap_or(0).to_string();
    // The columns grow with what was shown before; this is what GNU begins with.
    let width = 19usize.saturating_sub(owner.len() + 1).max(size.len());
    let zone = if tar.options.parsed.has("utc") {
        crate::calendar::Zone::UTC
    } else {
        time::zone(tar.process)
    };
    let format = if tar.options.parsed.has("full-time") {
        "%Y-%m-%d %H:%M:%S"
    } else {
        "%Y-%m-%d %H:%M"
    };
    let mode = show_bits(header.mode().unwrap_or(0));
    let mut line = format!(
        "{kind}{mode} {owner} {size:>width$} {} ",
        time::show(modified, &zone, format)
    )
    .into_bytes();
    line.append(&mut shown);
    if let Some(target) = target.filter(|_| kind == 'l' || kind == 'h') {
        line.extend_from_slice(if kind == 'l' { b" -> " } else { b" link to " });
        line.extend_from_slice(&escape(target));
    }
    line
}

fn escape(name: &BStr) -> Vec<u8> {
    let mut shown = Vec::with_capacity(name.len());
    for byte in name.iter() {
        match byte {
            b'\\' => shown.extend_from_slice(b"\\\\"),
            b'\n' => shown.extend_from_slice(b"\\n"),
            b'\t' => shown.extend_from_slice(b"\\t"),
            byte if byte.is_ascii_control() => {
                shown.extend_from_slice(format!("\\{byte:03o}").as_bytes());
            }
            byte => shown.push(*byte),
        }
    }
    shown
}
