//! The options of `tar`.

use bstr::{BStr, BString, ByteSlice};
use hotcell_meter::Charge;
use hotcell_process::{Process, limit_error};
use hotcell_vfs::Timestamp;

use super::names::Transform;
use crate::{
    Opt, Parsed, Usage, archives::codec::Codec, files::mode::ModeChange, quote::quote, time,
    whole::whole,
};

pub(super) const USAGE: Usage = Usage {
    name: "tar",
    synopsis: "[OPTION...] [FILE]...",
    summary: "'tar' saves many files together into a single archive, and can restore individual\n\
              files from the archive.\n\nExamples:\n  \
              tar -cf archive.tar foo bar  # Create archive.tar from files foo and bar.\n  \
              tar -tvf archive.tar         # List all files in archive.tar verbosely.\n  \
              tar -xf archive.tar          # Extract all files from archive.tar.",
    options: &[
        Opt::flag('c', "create", "create a new archive"),
        Opt::flag('x', "extract", "extract files from an archive"),
        Opt::flag('\0', "get", "same as --extract"),
        Opt::flag('t', "list", "list the contents of an archive"),
        Opt::flag('r', "append", "append files to the end of an archive"),
        Opt::flag(
            'u',
            "update",
            "only append files newer than copy in archive",
        ),
        Opt::flag(
            'd',
            "compare",
            "find differences between archive and file system",
        ),
        Opt::flag('\0', "diff", "same as --compare"),
        Opt::flag('A', "concatenate", "append tar files to an archive"),
        Opt::flag('\0', "catenate", "same as --concatenate"),
        Opt::flag('\0', "delete", "delete from the archive"),
        Opt::value('f', "file", "ARCHIVE", "use archive file ARCHIVE"),
        Opt::value('C', "directory", "DIR", "change to directory DIR"),
        Opt::flag('v', "verbose", "verbosely list files processed"),
        Opt::flag('z', "gzip", "filter the archive through gzip"),
        Opt::flag('\0', "gunzip", "same as --gzip"),
        Opt::flag('j', "bzip2", "filter the archive through bzip2"),
        Opt::flag('J', "xz", "filter the archive through xz"),
        Opt::flag('\0', "zstd", "filter the archive through zstd"),
        Opt::value(
            'I',
            "use-compress-program",
            "PROG",
            "filter through PROG: gzip, pigz, bzip2, xz or zstd,\nperhaps with a level such as -9",
        ),
        Opt::flag(
            '\0',
            "no-auto-compress",
            "do not use archive suffix to determine the compression program",
        ),
        Opt::flag(
            'a',
            "auto-compress",
            "use archive suffix to determine the compression program",
        ),
        Opt::flag(
            'k',
            "keep-old-files",
            "don't replace existing files when extracting,\ntreat them as errors",
        ),
        Opt::flag(
            '\0',
            "skip-old-files",
            "don't replace existing files when extracting,\nsilently skip over them",
        ),
        Opt::flag(
            '\0',
            "keep-newer-files",
            "don't replace existing files that are newer than\ntheir archive copies",
        ),
        Opt::flag(
            '\0',
            "overwrite",
            "overwrite existing files when extracting",
        ),
        Opt::flag(
            'U',
            "unlink-first",
            "remove each file prior to extracting over it",
        ),
        Opt::flag('O', "to-stdout", "extract files to standard output"),
        Opt::flag(
            'p',
            "preserve-permissions",
            "extract information about file permissions",
        ),
        Opt::flag('\0', "same-permissions", "same as --preserve-permissions"),
        Opt::flag(
            '\0',
            "no-same-permissions",
            "apply the user's umask when extracting permissions",
        ),
        Opt::flag(
            '\0',
            "same-owner",
            "try extracting files with the same ownership",
        ),
        Opt::flag('o', "no-same-owner", "extract files as yourself"),
        Opt::flag('m', "touch", "don't extract file modified time"),
        Opt::value(
            '\0',
            "strip-components",
            "NUMBER",
            "strip NUMBER leading components from file names",
        ),
        Opt::value(
            '\0',
            "transform",
            "EXPRESSION",
            "use sed replace EXPRESSION to transform file names",
        ),
        Opt::value('\0', "xform", "EXPRESSION", "same as --transform"),
        Opt::value(
            '\0',
            "exclude",
            "PATTERN",
            "exclude files, given as a PATTERN",
        ),
        Opt::value(
            'X',
            "exclude-from",
            "FILE",
            "exclude patterns listed in FILE",
        ),
        Opt::flag(
            '\0',
            "exclude-vcs",
            "exclude version control system directories",
        ),
        Opt::flag('\0', "exclude-backups", "exclude backup and lock files"),
        Opt::flag(
            '\0',
            "exclude-caches",
            "exclude contents of directories containing CACHEDIR.TAG,\nexcept for the tag file itself",
        ),
        Opt::flag(
            '\0',
            "exclude-caches-under",
            "exclude everything under directories containing CACHEDIR.TAG",
        ),
        Opt::flag(
            '\0',
            "exclude-caches-all",
            "exclude directories containing CACHEDIR.TAG",
        ),
        Opt::value(
            '\0',
            "exclude-tag",
            "FILE",
            "exclude contents of directories containing FILE,\nexcept for FILE itself",
        ),
        Opt::value(
            '\0',
            "exclude-tag-under",
            "FILE",
            "exclude everything under directories containing FILE",
        ),
        Opt::value(
            '\0',
            "exclude-tag-all",
            "FILE",
            "exclude directories containing FILE",
        ),
        Opt::value(
            'N',
            "newer",
            "DATE-OR-FILE",
            "only store files newer than DATE-OR-FILE",
        ),
        Opt::value('\0', "after-date", "DATE", "same as --newer"),
        Opt::value(
            '\0',
            "newer-mtime",
            "DATE",
            "compare date and time when data changed only",
        ),
        Opt::value('\0', "add-file", "FILE", "add given FILE to the archive"),
        Opt::flag(
            '\0',
            "clamp-mtime",
            "only set time when the file is more recent than what was\ngiven with --mtime",
        ),
        Opt::flag(
            '\0',
            "hard-dereference",
            "follow hard links; archive and dump the files they refer to",
        ),
        Opt::flag('\0', "utc", "print file modification times in UTC"),
        Opt::flag('\0', "posix", "same as --format=posix"),
        Opt::flag(
            '\0',
            "acls",
            "enable the POSIX ACLs support (no file has one here)",
        ),
        Opt::flag('\0', "no-acls", "disable the POSIX ACLs support"),
        Opt::flag(
            '\0',
            "selinux",
            "enable the SELinux context support (no file has one here)",
        ),
        Opt::flag('\0', "no-selinux", "disable the SELinux context support"),
        Opt::flag(
            '\0',
            "xattrs",
            "enable extended attributes support (no file has one here)",
        ),
        Opt::flag('\0', "no-xattrs", "disable extended attributes support"),
        Opt::flag(
            '\0',
            "force-local",
            "archive file is local even if it has a colon",
        ),
        Opt::flag(
            '\0',
            "overwrite-dir",
            "overwrite metadata of existing directories (default)",
        ),
        Opt::flag(
            '\0',
            "verbatim-files-from",
            "-T reads file names verbatim (the default, here)",
        ),
        Opt::flag(
            '\0',
            "no-null",
            "disable the effect of the previous --null option",
        ),
        Opt::flag('\0', "wildcards", "use wildcards (default for exclusion)"),
        Opt::flag('\0', "no-wildcards", "verbatim string matching"),
        Opt::flag('\0', "anchored", "patterns match file name start"),
        Opt::flag('\0', "no-anchored", "patterns match after any '/'"),
        Opt::value(
            'T',
            "files-from",
            "FILE",
            "get names to extract or create from FILE",
        ),
        Opt::flag('\0', "null", "-T reads null-terminated names"),
        Opt::flag(
            '\0',
            "no-recursion",
            "avoid descending automatically in directories",
        ),
        Opt::flag('\0', "recursion", "recurse into directories (default)"),
        Opt::flag(
            'h',
            "dereference",
            "follow symlinks; archive and dump the files they point to",
        ),
        Opt::flag(
            'P',
            "absolute-names",
            "don't strip leading '/'s from file names",
        ),
        Opt::value('\0', "owner", "NAME", "force NAME as owner for added files"),
        Opt::value('\0', "group", "NAME", "force NAME as group for added files"),
        Opt::flag(
            '\0',
            "numeric-owner",
            "always use numbers for user/group names",
        ),
        Opt::value(
            '\0',
            "mode",
            "CHANGES",
            "force (symbolic) mode CHANGES for added files",
        ),
        Opt::value(
            '\0',
            "mtime",
            "DATE-OR-FILE",
            "set mtime for added files from DATE-OR-FILE",
        ),
        Opt::value('\0', "sort", "ORDER", "directory sorting order: none, name"),
        Opt::value(
            'H',
            "format",
            "FORMAT",
            "create archive of the given format: gnu, ustar, pax, posix",
        ),
        Opt::flag(
            '\0',
            "remove-files",
            "remove files after adding them to the archive",
        ),
        Opt::flag(
            '\0',
            "totals",
            "print total bytes after processing the archive",
        ),
        Opt::flag(
            '\0',
            "one-file-system",
            "stay in local file system when creating archive",
        ),
        Opt::optional(
            '\0',
            "one-top-level",
            "DIR",
            "create a subdirectory to avoid having loose files extracted",
        ),
        Opt::flag('w', "interactive", "ask for confirmation for every action"),
        Opt::flag(
            '\0',
            "ignore-failed-read",
            "do not exit with nonzero on unreadable files",
        ),
        Opt::flag('\0', "full-time", "print file time to its full resolution"),
        Opt::flag('B', "read-full-records", "reblock as we read (for pipes)"),
        Opt::value(
            'b',
            "blocking-factor",
            "BLOCKS",
            "BLOCKS x 512 bytes per record",
        ),
        Opt::flag(
            'i',
            "ignore-zeros",
            "ignore zeroed blocks in archive (means EOF)",
        ),
        Opt::flag(
            'S',
            "sparse",
            "handle sparse files efficiently (they are, here)",
        ),
    ],
    error_code: 64,
    hint: "Try 'NAME --help' or 'NAME --usage' for more information.",
    ..Usage::DEFAULT
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Mode {
    Create,
    Append,
    Update,
    List,
    Extract,
    Compare,
    Delete,
    Concatenate,
}

pub(super) struct Options {
    pub(super) mode: Mode,
    pub(super) parsed: Parsed,
    pub(super) archive: BString,
    pub(super) codec: Option<Codec>,
    /// How well it compresses, if that was said.
    pub(super) level: Option<u32>,
    pub(super) verbose: usize,
    pub(super) absolute: bool,
    pub(super) strip: usize,
    pub(super) transforms: Vec<Transform>,
    pub(super) excluded: Vec<BString>,
    /// For lists of names that were read from files.
    _held: Vec<Charge>,
    /// Names with the directory that each is in.
    pub(super) members: Vec<(BString, BString)>,
    /// The directory that is extracted into.
    pub(super) folder: BString,
    pub(super) mode_change: Option<ModeChange>,
    pub(super) mtime: Option<Timestamp>,
    /// Older files are left out.
    pub(super) newer: Option<Timestamp>,
    /// Files that mark directories whose contents are left out.
    pub(super) tags: Vec<Tag>,
}

/// What a file in a directory says about the directory.
#[derive(Debug, Clone)]
pub(super) struct Tag {
    pub(super) name: BString,
    /// What it has to begin with.
    pub(super) signature: &'static [u8],
    pub(super) keeps: Keeps,
}

/// What is stored of a directory with a tag.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Keeps {
    DirectoryAndTag,
    Directory,
    Nothing,
}

/// What `CACHEDIR.TAG` begins with, as the Cache Directory Tagging Specification has it.
const CACHE_SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";

fn tags(parsed: &Parsed) -> Vec<Tag> {
    let kinds = [
        ("", Keeps::DirectoryAndTag),
        ("-under", Keeps::Directory),
        ("-all", Keeps::Nothing),
    ];
    let mut tags = Vec::new();
    for (suffix, keeps) in kinds {
        let tag_option = format!("exclude-tag{suffix}");
        let given = parsed.values(&tag_option);
        tags.extend(given.map(BString::from).map(|name| Tag {
            name,
            signature: b"",
            keeps,
        }));
        if parsed.has(&format!("exclude-caches{suffix}")) {
            tags.push(Tag {
                name: "CACHEDIR.TAG".into(),
                signature: CACHE_SIGNATURE,
                keeps,
            });
        }
    }
    tags
}

/// Options that say how the archive is compressed.
const COMPRESSION: [&str; 8] = [
    "gzip",
    "gunzip",
    "bzip2",
    "xz",
    "zstd",
    "use-compress-program",
    "auto-compress",
    "no-auto-compress",
];

/// What a program makes, and how well.
fn by_program(process: &Process, command: &BStr) -> (Codec, Option<u32>) {
    let mut words = command.fields();
    let program = words.next().unwrap_or_default();
    let name = program.rsplit_str("/").next().unwrap_or_default();
    let codec = match name {
        b"gzip" | b"pigz" => Codec::Gzip,
        b"bzip2" | b"pbzip2" | b"lbzip2" => Codec::Bzip2,
        b"xz" | b"pixz" | b"pxz" => Codec::Xz,
        b"zstd" | b"zstdmt" | b"pzstd" => Codec::Zstd,
        _ => {
            let text = [program, b": Cannot exec: No such file or directory"].concat();
            process.complain(text);
            process.complain("Error is not recoverable: exiting now");
            process.exit(2)
        }
    };
    let level = words.find_map(|word| word.strip_prefix(b"-")?.to_str().ok()?.parse().ok());
    (codec, level)
}

impl Options {
    pub(super) fn new(process: &Process, args: &[BString], parsed: Parsed) -> Self {
        let modes = [
            ("create", Mode::Create),
            ("extract", Mode::Extract),
            ("get", Mode::Extract),
            ("list", Mode::List),
            ("append", Mode::Append),
            ("update", Mode::Update),
            ("compare", Mode::Compare),
            ("diff", Mode::Compare),
            ("delete", Mode::Delete),
            ("concatenate", Mode::Concatenate),
            ("catenate", Mode::Concatenate),
        ];
        let mut chosen = modes
            .iter()
            .filter(|(name, _)| parsed.has(name))
            .map(|(_, mode)| *mode);
        let Some(mode) = chosen.next() else {
            process.complain(
                "You must specify one of the '-Acdtrux', '--delete' or '--test-label' options",
            );
            hint(process)
        };
        if chosen.any(|other| other != mode) {
            process.complain("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option");
            hint(process)
        }
        let archive = parsed
            .value("file")
            .map_or_else(|| "-".into(), BString::from);
        let mut level = None;
        let codec = match parsed.last_of(&COMPRESSION) {
            Some("gzip" | "gunzip") => Some(Codec::Gzip),
            Some("bzip2") => Some(Codec::Bzip2),
            Some("xz") => Some(Codec::Xz),
            Some("zstd") => Some(Codec::Zstd),
            Some("use-compress-program") => {
                let program = parsed.value("use-compress-program").unwrap_or_default();
                let (codec, given) = by_program(process, program);
                level = given;
                Some(codec)
            }
            Some("auto-compress") => by_suffix(&archive),
            _ => None,
        };
        let strip = match parsed.value("strip-components").map(|text| {
            (
                text,
                text.to_str()
                    .ok()
                    .and_then(|text| text.parse::<usize>().ok()),
            )
        }) {
            None => 0,
            Some((_, Some(count))) => count,
            Some((text, None)) => {
                process.complain(format!("{text}: Invalid number of elements"));
                hint(process)
            }
        };
        let mut transforms = Vec::new();
        for (name, value) in parsed.iter() {
            if matches!(name, "transform" | "xform") {
                match Transform::parse(process, value.unwrap_or_default()) {
                    Ok(more) => transforms.extend(more),
                    Err(message) => {
                        process.complain(message);
                        hint(process)
                    }
                }
            }
        }
        let mut held = Vec::new();
        let mut excluded: Vec<BString> = parsed.values("exclude").map(Into::into).collect();
        for file in parsed.values("exclude-from") {
            excluded.extend(lines_of(process, file, false, 0, &mut held));
        }
        if parsed.has("exclude-backups") {
            excluded.extend([".#*", "*~", "#*#"].map(BString::from));
        }
        if parsed.has("exclude-vcs") {
            excluded.extend(
                [
                    ".git",
                    ".gitignore",
                    ".gitmodules",
                    ".gitattributes",
                    ".svn",
                    ".hg",
                    ".hgignore",
                    "CVS",
                    ".bzr",
                ]
                .map(BString::from),
            );
        }
        let mode_change = parsed
            .value("mode")
            .map(|text| match ModeChange::parse(text) {
                Some(change) => change,
                None => {
                    process.complain("Invalid mode given on option");
                    hint(process)
                }
            });
        let moment = |text: &BStr| {
            let by_file = text.starts_with(b"/") || text.starts_with(b".");
            let found = if by_file {
                process
                    .vfs()
                    .stat(&process.resolve(text))
                    .ok()
                    .map(|meta| meta.modified)
            } else {
                time::parse(process, text)
            };
            found.unwrap_or_else(|| {
                process.complain(
                    [
                        b"Treating date ",
                        quote(text).as_slice(),
                        b" as a date failed",
                    ]
                    .concat(),
                );
                hint(process)
            })
        };
        let mtime = parsed.value("mtime").map(moment);
        let newer = ["newer", "after-date", "newer-mtime"]
            .iter()
            .find_map(|name| parsed.value(name))
            .map(moment);
        let (members, folder) = members(process, args, &parsed, &mut held);
        if mode == Mode::Create && members.is_empty() && !parsed.has("files-from") {
            process.complain("Cowardly refusing to create an empty archive");
            hint(process)
        }
        Self {
            mode,
            archive,
            codec,
            level,
            verbose: parsed.count("verbose"),
            absolute: parsed.has("absolute-names"),
            strip,
            transforms,
            excluded,
            _held: held,
            members,
            folder,
            mode_change,
            mtime,
            newer,
            tags: tags(&parsed),
            parsed,
        }
    }
}

fn hint(process: &Process) -> ! {
    use std::io::Write;
    let _ = process
        .stderr()
        .write_all(b"Try 'tar --help' or 'tar --usage' for more information.\n");
    process.exit(2)
}

/// `tar czf a.tgz x`: letters without a dash, whose values follow in order.
pub(super) fn modern(args: &[BString]) -> Vec<BString> {
    let Some((first, rest)) = args.split_first() else {
        return Vec::new();
    };
    if first.starts_with(b"-") || first.is_empty() {
        return args.to_vec();
    }
    let mut rest = rest.iter();
    let mut result: Vec<BString> = Vec::new();
    for letter in first.iter() {
        result.push([b'-', *letter].as_slice().into());
        if b"fCXTHbgKLNVI".contains(letter) {
            result.extend(rest.next().cloned());
        }
    }
    result.extend(rest.cloned());
    result
}

fn by_suffix(name: &BString) -> Option<Codec> {
    let ends = |endings: &[&str]| {
        endings
            .iter()
            .any(|ending| name.ends_with(ending.as_bytes()))
    };
    if ends(&[".gz", ".tgz", ".taz"]) {
        Some(Codec::Gzip)
    } else if ends(&[".bz2", ".tbz", ".tbz2"]) {
        Some(Codec::Bzip2)
    } else if ends(&[".xz", ".txz"]) {
        Some(Codec::Xz)
    } else if ends(&[".zst", ".tzst"]) {
        Some(Codec::Zstd)
    } else {
        None
    }
}

/// What a name in a list takes beside its bytes, with the directory that it is in.
const NAME: usize = 2 * size_of::<BString>() + 48;

fn lines_of(
    process: &Process,
    file: &BStr,
    by_null: bool,
    besides: usize,
    held: &mut Vec<Charge>,
) -> Vec<BString> {
    let read = process
        .open_input(file)
        .and_then(|input| whole(process, input, 2));
    let text = read.and_then(|(text, mut charge)| {
        // The places of names take more than names of one letter.
        let count = memchr::memchr_iter(if by_null { 0 } else { b'\n' }, &text).count();
        charge
            .grow(count.saturating_mul(NAME + besides))
            .map_err(limit_error)?;
        held.push(charge);
        Ok(text)
    });
    match text {
        Ok(text) if by_null => text
            .split_str("\0")
            .filter(|line| !line.is_empty())
            .map(BString::from)
            .collect(),
        Ok(text) => text
            .lines()
            .filter(|line| !line.is_empty())
            .map(BString::from)
            .collect(),
        Err(error) => {
            let why = hotcell_process::error_text(&error);
            process.complain([file.as_bytes(), b": Cannot open: ", why.as_bytes()].concat());
            process.complain("Error is not recoverable: exiting now");
            process.exit(2)
        }
    }
}

/// The names, each with the directory that a `-C` before it says, and the last such directory.
fn members(
    process: &Process,
    args: &[BString],
    parsed: &Parsed,
    held: &mut Vec<Charge>,
) -> (Vec<(BString, BString)>, BString) {
    let mut folder = BString::default();
    let mut members = Vec::new();
    let enter = |folder: &mut BString, to: &BStr| {
        let joined = if folder.is_empty() || to.starts_with(b"/") {
            to.to_vec()
        } else {
            [folder.as_slice(), b"/", to].concat()
        };
        *folder = joined.into();
        if !process
            .vfs()
            .stat(&process.resolve(&*folder))
            .is_ok_and(|meta| meta.is_dir())
        {
            process.complain([to.as_bytes(), b": Cannot open: No such file or directory"].concat());
            process.complain("Error is not recoverable: exiting now");
            process.exit(2);
        }
    };
    // Options are parsed already; here only their order among the names counts.
    let mut operands = parsed.operands.iter().peekable();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let to = match arg.as_slice() {
            b"-C" | b"--directory" => rest.next().map(|to| to.as_bstr().to_owned()),
            [b'-', b'C', to @ ..] => Some(to.into()),
            other => other
                .strip_prefix(b"--directory=")
                .map(BString::from)
                .or_else(|| {
                    let is_bundle = other.len() > 2
                        && other.starts_with(b"-")
                        && !other.starts_with(b"--")
                        && other.ends_with(b"C");
                    if is_bundle {
                        rest.next().cloned()
                    } else {
                        None
                    }
                }),
        };
        match to {
            Some(to) => enter(&mut folder, to.as_bstr()),
            None if operands.peek() == Some(&arg) => {
                members.push((arg.clone(), folder.clone()));
                operands.next();
            }
            None => {}
        }
    }
    members.extend(operands.map(|name| (name.clone(), folder.clone())));
    members.extend(
        parsed
            .values("add-file")
            .map(|name| (name.into(), folder.clone())),
    );
    let by_null = parsed.last_of(&["null", "no-null"]) == Some("null");
    for file in parsed.values("files-from") {
        members.extend(
            lines_of(process, file, by_null, folder.len(), held)
                .into_iter()
                .map(|name| (name, folder.clone())),
        );
    }
    (members, folder)
}
