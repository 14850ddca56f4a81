//! Making archives.

use std::{
    collections::HashMap,
    io::{self, Read, SeekFrom, Write},
};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Output, error_text, file_error, limit_error};
use hotcell_vfs::{FileType, Metadata, OpenOptions, Timestamp};
use tar::{Builder, EntryType, Header};

use super::{
    Tar, list, names,
    options::{Keeps, Mode, Tag},
    source,
    stored::{self, Refused},
};
use crate::{archives::codec::Writer, files::prompt::confirm, identity};

/// Where the archive goes.
enum Sink<'p> {
    Plain(Output<'p>),
    Packed(Box<Writer<'p>>),
}

impl Write for Sink<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(out) => out.write(data),
            Self::Packed(out) => out.write(data),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.flush(),
            Self::Packed(out) => out.flush(),
        }
    }
}

struct Creation<'p> {
    builder: Builder<Sink<'p>>,
    /// Files with several names, and the name that was written.
    links: HashMap<(u64, u64), BString>,
    /// The archive itself, which is left out.
    archive: Option<(u64, u64)>,
    /// When the members of an archive that is updated were changed.
    newest: HashMap<BString, i64>,
}

pub(super) fn create(tar: &mut Tar<'_>) -> io::Result<()> {
    let process = tar.process;
    let name = tar.options.archive.clone();
    let out = if name == "-" {
        process.stdout()
    } else {
        match process.open(&name, &OpenOptions::write().create().truncate()) {
            Ok(stream) => process.output(stream),
            Err(error) => source::cannot_open(process, &name, &error),
        }
    };
    let archive = out
        .stream()
        .metadata()
        .ok()
        .filter(hotcell_vfs::Metadata::is_file)
        .map(|meta| (meta.dev, meta.ino));
    let sink = match tar.options.codec {
        None => Sink::Plain(out),
        Some(codec) => Sink::Packed(Box::new(codec.writer(
            process,
            out,
            tar.options.level.unwrap_or(match codec {
                crate::archives::codec::Codec::Zstd => 3,
                _ => 6,
            }),
        )?)),
    };
    run(tar, sink, archive, HashMap::new())
}

/// Adds to an archive that is there.
pub(super) fn append(tar: &mut Tar<'_>) -> io::Result<()> {
    let process = tar.process;
    if tar.options.codec.is_some() {
        process.complain("Cannot update compressed archives");
        process.exit(2);
    }
    let name = tar.options.archive.clone();
    let mut newest = HashMap::new();
    let mut end = 0;
    if process
        .vfs()
        .stat(&process.resolve(&name))
        .is_ok_and(|meta| meta.size > 0)
    {
        let mut archive = tar::Archive::new(source::open(tar)?);
        for entry in archive.entries()? {
            process.spend(256);
            let entry = entry?;
            newest.insert(
                BString::from(entry.path_bytes().into_owned()),
                i64::try_from(entry.header().mtime()?).unwrap_or(i64::MAX),
            );
            end = entry.raw_file_position() + entry.size().next_multiple_of(512);
        }
    }
    let stream = match process.open(&name, &OpenOptions::read_write().create()) {
        Ok(stream) => stream,
        Err(error) => source::cannot_open(process, &name, &error),
    };
    stream.seek(SeekFrom::Start(end))?;
    let archive = stream.metadata().ok().map(|meta| (meta.dev, meta.ino));
    if tar.options.mode == Mode::Append {
        newest.clear();
    }
    run(tar, Sink::Plain(process.output(stream)), archive, newest)
}

fn run(
    tar: &mut Tar<'_>,
    sink: Sink<'_>,
    archive: Option<(u64, u64)>,
    newest: HashMap<BString, i64>,
) -> io::Result<()> {
    let mut creation = Creation {
        builder: Builder::new(sink),
        links: HashMap::new(),
        archive,
        newest,
    };
    let mut removed = Vec::new();
    for (name, folder) in tar.options.members.clone() {
        add(tar, &mut creation, &name, &folder, &mut removed)?;
    }
    let mut sink = creation.builder.into_inner()?;
    // GNU tar writes whole records of twenty blocks; who reads does not mind.
    match &mut sink {
        Sink::Plain(out) => out.flush()?,
        Sink::Packed(_) => {}
    }
    if let Sink::Packed(writer) = sink {
        writer.finish()?;
    }
    for path in removed.into_iter().rev() {
        let _ = tar
            .process
            .vfs()
            .unlink(&path)
            .or_else(|_| tar.process.vfs().rmdir(&path));
    }
    Ok(())
}

/// Adds a file, or a tree.
fn add(
    tar: &mut Tar<'_>,
    creation: &mut Creation<'_>,
    name: &BString,
    folder: &BString,
    removed: &mut Vec<hotcell_vfs::VfsPathBuf>,
) -> io::Result<()> {
    let process = tar.process;
    let base = process.resolve(folder);
    let mut charge = process.charge(0)?;
    let mut pending = vec![name.clone()];
    let mut device = None;
    while let Some(name) = pending.pop() {
        process.spend(128);
        let is_excluded = tar.options.excluded.iter().any(|pattern| {
            names::matches(pattern, &name, true, tar.options.parsed.has("anchored"))
        });
        if is_excluded {
            continue;
        }
        let path = base.join(&name);
        let follows = tar.options.parsed.has("dereference");
        let meta = if follows {
            process.vfs().stat(&path)
        } else {
            process.vfs().lstat(&path)
        };
        let meta = match meta.map_err(file_error) {
            Ok(meta) => meta,
            Err(error) => {
                let text = [
                    name.as_slice(),
                    b": Cannot stat: ",
                    error_text(&error).as_bytes(),
                ]
                .concat();
                if tar.options.parsed.has("ignore-failed-read") {
                    process.complain(text);
                } else {
                    tar.fail(text);
                }
                continue;
            }
        };
        if creation.archive == Some((meta.dev, meta.ino)) {
            process.complain(
                [
                    tar.options.archive.as_slice(),
                    b": archive cannot contain itself; not dumped",
                ]
                .concat(),
            );
            continue;
        }
        if tar.options.parsed.has("one-file-system") && *device.get_or_insert(meta.dev) != meta.dev
        {
            continue;
        }
        if tar.options.parsed.has("interactive")
            && !confirm(process, &[b"add ", name.as_slice(), b"?"].concat())
        {
            continue;
        }
        let tag = if meta.is_dir() {
            tag_in(tar, &path)
        } else {
            None
        };
        if tag.as_ref().is_some_and(|tag| tag.keeps == Keeps::Nothing) {
            continue;
        }
        let is_old = creation
            .newest
            .get(&name)
            .is_some_and(|written| *written >= meta.modified.seconds())
            || !meta.is_dir() && is_older(tar, &meta);
        if !is_old {
            member(tar, creation, &name, &path, &meta)?;
        }
        if tar.options.parsed.has("remove-files") {
            removed.push(path.clone());
        }
        let recurses =
            tar.options.parsed.last_of(&["recursion", "no-recursion"]) != Some("no-recursion");
        if meta.is_dir() && recurses {
            let entries = process.vfs().readdir(&path).map_err(file_error);
            match entries {
                Ok(entries) => {
                    let stem = name.trim_end_with(|c| c == '/').to_vec();
                    let stem = if stem.is_empty() {
                        b"/".to_vec()
                    } else {
                        [stem.as_slice(), b"/"].concat()
                    };
                    for entry in entries.into_iter().rev() {
                        let is_kept = tag.as_ref().is_none_or(|tag| {
                            tag.keeps == Keeps::DirectoryAndTag && tag.name == entry.name
                        });
                        if !is_kept {
                            continue;
                        }
                        charge
                            .grow(stem.len() + entry.name.len() + 32)
                            .map_err(limit_error)?;
                        pending.push([stem.as_slice(), &entry.name].concat().into());
                    }
                }
                Err(error) => tar.fail(
                    [
                        name.as_slice(),
                        b": Cannot open: ",
                        error_text(&error).as_bytes(),
                    ]
                    .concat(),
                ),
            }
        }
    }
    Ok(())
}

/// Whether a file is older than what is asked for; its status counts as well, unless only its content is to.
fn is_older(tar: &Tar<'_>, meta: &Metadata) -> bool {
    let is_content = tar.options.parsed.has("newer-mtime");
    let newest = if is_content {
        meta.modified
    } else {
        meta.modified.max(meta.changed)
    };
    tar.options.newer.is_some_and(|newer| newest <= newer)
}

/// The mark of a directory whose contents are left out, if it has one; that is said.
fn tag_in(tar: &Tar<'_>, path: &hotcell_vfs::VfsPath) -> Option<Tag> {
    let process = tar.process;
    let mut tags = tar.options.tags.iter();
    let tag = tags.find(|tag| {
        let file = process
            .vfs()
            .open(&path.join(&tag.name), &OpenOptions::read());
        file.is_ok_and(|file| {
            let mut head = vec![0; tag.signature.len()];
            let read = file.read_at(0, &mut head);
            head.is_empty() || read.is_ok_and(|count| count == head.len()) && head == tag.signature
        })
    })?;
    let dumped = match tag.keeps {
        Keeps::DirectoryAndTag | Keeps::Directory => "contents not dumped",
        Keeps::Nothing => "directory not dumped",
    };
    let what = match tag.signature {
        b"" => "a tag file",
        _ => "a cache directory tag",
    };
    process.complain(format!("{path}/: contains {what} {}; {dumped}", tag.name));
    Some(tag.clone())
}

fn header(tar: &Tar<'_>, meta: &Metadata) -> Header {
    let mut header = if tar
        .options
        .parsed
        .value("format")
        .is_some_and(|format| format == "ustar")
    {
        Header::new_ustar()
    } else {
        Header::new_gnu()
    };
    let mode = tar
        .options
        .mode_change
        .as_ref()
        .map_or(meta.mode & 0o7777, |change| {
            change.apply(meta.mode, meta.is_dir(), 0)
        });
    header.set_mode(mode);
    header.set_size(0);
    let time = match tar.options.mtime {
        Some(most) if tar.options.parsed.has("clamp-mtime") => most.min(meta.modified),
        Some(time) => time,
        None => meta.modified,
    };
    header.set_mtime(u64::try_from(time.seconds()).unwrap_or(0));
    let owner = |option: &str| {
        let text = tar.options.parsed.value(option)?;
        Some(match text.split_once_str(":") {
            Some((name, id)) => (name.to_vec(), id.to_str().ok()?.parse().ok()?),
            None => match text.to_str().ok().and_then(|text| text.parse::<u64>().ok()) {
                Some(id) => (Vec::new(), id),
                None => (
                    text.to_vec(),
                    if text == "root" {
                        0
                    } else {
                        u64::from(identity::ID)
                    },
                ),
            },
        })
    };
    let usual = || (identity::NAME.as_bytes().to_vec(), u64::from(identity::ID));
    let (user, uid) = owner("owner").unwrap_or_else(usual);
    let (group, gid) = owner("group").unwrap_or_else(usual);
    header.set_uid(uid);
    header.set_gid(gid);
    if !tar.options.parsed.has("numeric-owner") {
        let _ = header.set_username(&String::from_utf8_lossy(&user));
        let _ = header.set_groupname(&String::from_utf8_lossy(&group));
    }
    header
}

/// Writes one member.
fn member(
    tar: &mut Tar<'_>,
    creation: &mut Creation<'_>,
    name: &BString,
    path: &hotcell_vfs::VfsPath,
    meta: &Metadata,
) -> io::Result<()> {
    let process = tar.process;
    let mut stored = tar.safe_name(name);
    for transform in &tar.options.transforms {
        stored = transform.apply(process, &stored)?.into();
    }
    if meta.is_dir() && !stored.ends_with(b"/") {
        stored.push(b'/');
    }
    let mut header = header(tar, meta);
    let mut target = None;
    match meta.kind {
        FileType::Dir => header.set_entry_type(EntryType::Directory),
        FileType::Symlink => {
            header.set_entry_type(EntryType::Symlink);
            target = Some(
                process
                    .vfs()
                    .readlink(path)
                    .map_err(file_error)?
                    .into_bytes(),
            );
        }
        FileType::File => {
            let is_alone = tar.options.parsed.has("hard-dereference");
            let known = creation.links.get(&(meta.dev, meta.ino));
            if let Some(first) = known.filter(|_| !is_alone) {
                header.set_entry_type(EntryType::Link);
                target = Some(first.to_vec());
            } else {
                header.set_entry_type(EntryType::Regular);
                header.set_size(meta.size);
                if meta.nlink > 1 {
                    creation.links.insert((meta.dev, meta.ino), stored.clone());
                }
            }
        }
        FileType::Fifo => header.set_entry_type(EntryType::Fifo),
        _ => {
            process.complain(
                [
                    name.as_slice(),
                    b": file is of a kind that cannot be archived; ignored",
                ]
                .concat(),
            );
            return Ok(());
        }
    }
    if tar.options.verbose > 0 {
        let line = list::line(
            tar,
            &header,
            stored.as_bstr(),
            target.as_deref().map(BStr::new),
            tar.options.verbose,
            Timestamp::from_parts(i64::try_from(header.mtime()?).unwrap_or(0), 0),
        );
        tar.say(&line, tar.options.archive == "-")?;
    }
    let target = target.unwrap_or_default();
    if header.entry_type() != EntryType::Regular {
        return store(tar, creation, &mut header, &stored, &target, io::empty());
    }
    let file = match process.vfs().open(path, &OpenOptions::read()) {
        Ok(file) => file,
        Err(error) => {
            let error = file_error(error);
            tar.fail(
                [
                    name.as_slice(),
                    b": Cannot open: ",
                    error_text(&error).as_bytes(),
                ]
                .concat(),
            );
            return Ok(());
        }
    };
    let input = process.input(std::sync::Arc::new(hotcell_process::OpenFile::new(
        file, false,
    )));
    // A file that has shrunk is filled up with zeros: the size is in the header already.
    let content = input.chain(io::repeat(0)).take(meta.size);
    store(tar, creation, &mut header, &stored, &target, content)
}

fn store(
    tar: &mut Tar<'_>,
    creation: &mut Creation<'_>,
    header: &mut Header,
    name: &BString,
    target: &[u8],
    content: impl Read,
) -> io::Result<()> {
    match stored::append(&mut creation.builder, header, name, target, content) {
        Ok(()) => Ok(()),
        Err(Refused::Write(error)) => Err(error),
        Err(Refused::Name(why)) => {
            tar.fail([name.as_slice(), b": ", why.as_bytes()].concat());
            Ok(())
        }
    }
}
