//! Members with names as they were given: the library would make `a` of `./a`.

use std::io::{self, Read, Write};

use tar::{Builder, EntryType, Header};

/// What fits into a header.
const FIELD: usize = 100;
/// What fits into the field for directories of a POSIX header.
const PREFIX: usize = 155;

/// Why a member is not stored.
pub(super) enum Refused {
    /// In words.
    Name(&'static str),
    Write(io::Error),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// Writes a header, with a name and what it links to, and the content behind it.
pub(super) fn append<W: Write>(
    builder: &mut Builder<W>,
    header: &mut Header,
    name: &[u8],
    target: &[u8],
    content: impl Read,
) -> Result<(), Refused> {
    if header.as_gnu().is_some() {
        for (text, kind) in [
            (target, EntryType::GNULongLink),
            (name, EntryType::GNULongName),
        ] {
            if text.len() > FIELD {
                append_long(builder, kind, text)?;
            }
        }
        put(&mut header.as_old_mut().name, name);
    } else {
        let (prefix, rest) = split(name).ok_or(Refused::Name(
            "file name is too long (cannot be split); not dumped",
        ))?;
        if target.len() > FIELD {
            return Err(Refused::Name("link name is too long; not dumped"));
        }
        put(&mut header.as_old_mut().name, rest);
        if let Some(posix) = header.as_ustar_mut() {
            put(&mut posix.prefix, prefix);
        }
    }
    put(&mut header.as_old_mut().linkname, target);
    header.set_cksum();
    Ok(builder.append(header, content)?)
}

/// A member that holds what does not fit into the header of the next one.
fn append_long<W: Write>(builder: &mut Builder<W>, kind: EntryType, text: &[u8]) -> io::Result<()> {
    let mut header = Header::new_gnu();
    put(&mut header.as_old_mut().name, b"././@LongLink");
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(text.len() as u64 + 1);
    header.set_entry_type(kind);
    header.set_cksum();
    builder.append(&header, text.chain(&b"\0"[..]))
}

/// Directories and the rest, at a slash where both fit.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    if name.len() <= FIELD {
        return Some((b"", name));
    }
    let first = name.len() - FIELD - 1;
    let slash = (first..=PREFIX.min(name.len() - 2)).find(|at| name.get(*at) == Some(&b'/'))?;
    Some((name.get(..slash)?, name.get(slash + 1..)?))
}

fn put(field: &mut [u8], text: &[u8]) {
    field.fill(0);
    for (byte, letter) in field.iter_mut().zip(text) {
        *byte = *letter;
    }
}
