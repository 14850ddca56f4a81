//! The JSON of requests and answers about files.

use std::borrow::Cow;

use base64::{Engine, prelude::BASE64_STANDARD};
use hotcell_vfs::{
    DirEntry, Errno, Fault, FileType, Metadata, OpenOptions, SetTime, Times, Timestamp, Usage,
    VfsError, VfsPath, VfsPathBuf,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The JSON of a request has at most so many bytes: two paths of 4 KiB, escaped, and some numbers; or many files that were closed.
pub(crate) const MOST_METADATA: usize = 256 << 10;

/// Any request about files: the operation, and what it is about. Which members an operation has is in
/// `docs/worker-protocol.md`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct FileRequest<'a> {
    #[serde(borrow)]
    pub(crate) op: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<Name<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) old_path: Option<Name<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) new_path: Option<Name<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<Name<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<u32>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) flags: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) offset: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) length: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) atime: Option<WireTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mtime: Option<WireTime>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) no_follow: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) resolved: bool,
    /// Files that the worker has closed meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) closed: Vec<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde wants")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A path or a name: text, or `{"bytes": base64}` for what is not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name<'a>(pub(crate) Cow<'a, [u8]>);

impl<'a> Name<'a> {
    pub(crate) fn of(path: &'a VfsPath) -> Self {
        Self(Cow::Borrowed(path.as_bytes()))
    }

    pub(crate) fn path(&self) -> &VfsPath {
        VfsPath::new(&self.0)
    }

    pub(crate) fn into_path(self) -> VfsPathBuf {
        VfsPathBuf::from_vec(self.0.into_owned())
    }
}

impl Serialize for Name<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("bytes", &BASE64_STANDARD.encode(&self.0))?;
                map.end()
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a text, or an object with bytes in base64")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(text.as_bytes())))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(text.as_bytes().to_vec())))
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Name<'de>, A::Error> {
                let Some(("bytes", text)) = map.next_entry::<&str, Cow<'_, str>>()? else {
                    return Err(de::Error::custom("no bytes in it"));
                };
                let bytes = BASE64_STANDARD.decode(&*text).map_err(de::Error::custom)?;
                Ok(Name(Cow::Owned(bytes)))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// A time to set: nanoseconds since 1970, or `"now"`. Left out, it is kept.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum WireTime {
    At(i64),
    Now(Now),
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) enum Now {
    #[serde(rename = "now")]
    Now,
}

impl WireTime {
    pub(crate) fn of(time: SetTime) -> Option<Self> {
        match time {
            SetTime::Keep => None,
            SetTime::Now => Some(Self::Now(Now::Now)),
            SetTime::At(time) => Some(Self::At(time.as_nanos())),
        }
    }

    fn to_time(time: Option<Self>) -> SetTime {
        match time {
            None => SetTime::Keep,
            Some(Self::Now(Now::Now)) => SetTime::Now,
            Some(Self::At(nanos)) => SetTime::At(Timestamp::from_nanos(nanos)),
        }
    }
}

impl FileRequest<'_> {
    pub(crate) fn times(&self) -> Times {
        Times {
            accessed: WireTime::to_time(self.atime),
            modified: WireTime::to_time(self.mtime),
        }
    }
}

/// What can be asked for when a file is opened, a letter each.
pub(crate) fn flags_of(options: &OpenOptions) -> String {
    let flags = [
        (options.read, 'r'),
        (options.write, 'w'),
        (options.append, 'a'),
        (options.create, 'c'),
        (options.create_new, 'x'),
        (options.truncate, 't'),
        (options.no_follow, 'n'),
        (options.directory, 'd'),
    ];
    let set = flags.into_iter().filter(|(is_set, _)| *is_set);
    set.map(|(_, letter)| letter).collect()
}

/// `None` for a letter that is none of them.
pub(crate) fn options_of(flags: &str, mode: Option<u32>) -> Option<OpenOptions> {
    let mut options = OpenOptions {
        read: false,
        ..OpenOptions::read()
    };
    for letter in flags.chars() {
        match letter {
            'r' => options.read = true,
            'w' => options.write = true,
            'a' => options.append = true,
            'c' => options.create = true,
            'x' => options.create_new = true,
            't' => options.truncate = true,
            'n' => options.no_follow = true,
            'd' => options.directory = true,
            _ => return None,
        }
    }
    Some(mode.map_or(options, |mode| options.mode(mode)))
}

const KINDS: [(FileType, &str); 7] = [
    (FileType::File, "file"),
    (FileType::Dir, "dir"),
    (FileType::Symlink, "symlink"),
    (FileType::CharDevice, "chardev"),
    (FileType::BlockDevice, "blockdev"),
    (FileType::Fifo, "fifo"),
    (FileType::Socket, "socket"),
];

fn name_of(kind: FileType) -> &'static str {
    let known = KINDS.iter().find(|(known, _)| *known == kind);
    known.map_or("file", |(_, name)| name)
}

fn kind_of(name: &str) -> FileType {
    let known = KINDS.iter().find(|(_, known)| *known == name);
    known.map_or(FileType::File, |(kind, _)| *kind)
}

/// What `stat` tells. Times are nanoseconds since 1970.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WireMetadata<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    size: u64,
    permissions: u32,
    mtime: i64,
    ctime: i64,
    atime: i64,
    dev: u64,
    ino: u64,
    nlink: u64,
    allocated: u64,
}

impl From<Metadata> for WireMetadata<'static> {
    fn from(metadata: Metadata) -> Self {
        Self {
            kind: Cow::Borrowed(name_of(metadata.kind)),
            size: metadata.size,
            permissions: metadata.mode,
            mtime: metadata.modified.as_nanos(),
            ctime: metadata.changed.as_nanos(),
            atime: metadata.accessed.as_nanos(),
            dev: metadata.dev,
            ino: metadata.ino,
            nlink: metadata.nlink,
            allocated: metadata.allocated,
        }
    }
}

impl From<WireMetadata<'_>> for Metadata {
    fn from(metadata: WireMetadata<'_>) -> Self {
        Self {
            kind: kind_of(&metadata.kind),
            dev: metadata.dev,
            ino: metadata.ino,
            nlink: metadata.nlink,
            mode: metadata.permissions,
            size: metadata.size,
            allocated: metadata.allocated,
            accessed: Timestamp::from_nanos(metadata.atime),
            modified: Timestamp::from_nanos(metadata.mtime),
            changed: Timestamp::from_nanos(metadata.ctime),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WireEntries<'a> {
    #[serde(borrow)]
    entries: Vec<WireEntry<'a>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireEntry<'a> {
    #[serde(borrow)]
    name: Name<'a>,
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    ino: u64,
}

impl WireEntries<'_> {
    pub(crate) fn of(entries: &[DirEntry]) -> WireEntries<'_> {
        let entries = entries.iter().map(|entry| WireEntry {
            name: Name(Cow::Borrowed(&entry.name)),
            kind: Cow::Borrowed(name_of(entry.kind)),
            ino: entry.ino,
        });
        WireEntries {
            entries: entries.collect(),
        }
    }

    pub(crate) fn into_entries(self) -> Vec<DirEntry> {
        let entry = |entry: WireEntry<'_>| DirEntry {
            name: entry.name.0.into_owned(),
            kind: kind_of(&entry.kind),
            ino: entry.ino,
        };
        self.entries.into_iter().map(entry).collect()
    }
}

/// How much is stored. What is left out has no limit.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireUsage {
    bytes: u64,
    files: u64,
    links: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_files: Option<u64>,
    #[serde(default)]
    refusals: u64,
}

impl From<Usage> for WireUsage {
    fn from(usage: Usage) -> Self {
        let Usage {
            bytes,
            files,
            links,
            max_bytes,
            max_files,
            refusals,
        } = usage;
        Self {
            bytes,
            files,
            links,
            max_bytes,
            max_files,
            refusals,
        }
    }
}

impl From<WireUsage> for Usage {
    fn from(usage: WireUsage) -> Self {
        Self {
            bytes: usage.bytes,
            files: usage.files,
            links: usage.links,
            max_bytes: usage.max_bytes,
            max_files: usage.max_files,
            refusals: usage.refusals,
        }
    }
}

/// `{"error":true,"code":"ENOENT","message":"…"}`, with the part of the message that is not the code's, and the call that failed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WireError<'a> {
    pub(crate) error: bool,
    #[serde(borrow)]
    pub(crate) code: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) message: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) syscall: Option<Cow<'a, str>>,
}

impl WireError<'_> {
    pub(crate) fn of(error: &VfsError) -> WireError<'_> {
        WireError {
            error: true,
            code: Cow::Borrowed(error.errno().name()),
            message: Cow::Owned(error.to_string()),
            detail: error.detail().map(Cow::Borrowed),
            syscall: Some(Cow::Borrowed(error.op())),
        }
    }

    pub(crate) fn of_fault(fault: &Fault) -> WireError<'_> {
        WireError {
            error: true,
            code: Cow::Borrowed(fault.errno.name()),
            message: Cow::Borrowed(fault.detail.as_deref().unwrap_or(fault.errno.message())),
            detail: fault.detail.as_deref().map(Cow::Borrowed),
            syscall: None,
        }
    }

    pub(crate) fn fault(&self) -> Fault {
        let errno = Errno::from_name(&self.code).unwrap_or(Errno::EIO);
        Fault {
            errno,
            detail: self.detail.clone().map(|detail| detail.into_owned().into()),
        }
    }
}
