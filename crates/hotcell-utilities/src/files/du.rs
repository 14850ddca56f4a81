//! `du`.

use std::{
    collections::HashSet,
    io::{self, Write},
};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Output, Process, error_text, file_error, limit_error};
use hotcell_vfs::{Metadata, Timestamp};

use crate::{
    Opt, Parsed, Usage, Utility, ancestors::Ancestors, operands::names_from, quote::quote, size,
    time, wildcard,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "du",
    synopsis: "[OPTION]... [FILE]...\n[OPTION]... --files0-from=F",
    summary: "Summarize device usage of the set of FILEs, recursively for directories.",
    options: &[
        Opt::flag('0', "null", "end each output line with NUL, not newline"),
        Opt::flag(
            'a',
            "all",
            "write counts for all files, not just directories",
        ),
        Opt::flag(
            '\0',
            "apparent-size",
            "print apparent sizes rather than device usage",
        ),
        Opt::value(
            'B',
            "block-size",
            "SIZE",
            "scale sizes by SIZE before printing them",
        ),
        Opt::flag(
            'b',
            "bytes",
            "equivalent to '--apparent-size --block-size=1'",
        ),
        Opt::flag('c', "total", "produce a grand total"),
        Opt::flag(
            'D',
            "dereference-args",
            "dereference only symlinks that are listed on the command line",
        ),
        Opt::flag('H', "", "equivalent to --dereference-args (-D)"),
        Opt::value(
            'd',
            "max-depth",
            "N",
            "print the total for a directory only if it is N or\nfewer levels below the command line argument",
        ),
        Opt::value(
            '\0',
            "files0-from",
            "F",
            "summarize device usage of the NUL-terminated\nfile names specified in file F",
        ),
        Opt::flag(
            'h',
            "human-readable",
            "print sizes in human readable format (e.g., 1K 234M 2G)",
        ),
        Opt::flag(
            '\0',
            "inodes",
            "list inode usage information instead of block usage",
        ),
        Opt::flag('k', "", "like --block-size=1K"),
        Opt::flag('L', "dereference", "dereference all symbolic links"),
        Opt::flag('l', "count-links", "count sizes many times if hard linked"),
        Opt::flag('m', "", "like --block-size=1M"),
        Opt::flag(
            'P',
            "no-dereference",
            "don't follow any symbolic links (this is the default)",
        ),
        Opt::flag(
            'S',
            "separate-dirs",
            "for directories do not include size of subdirectories",
        ),
        Opt::flag('\0', "si", "like -h, but use powers of 1000 not 1024"),
        Opt::flag('s', "summarize", "display only a total for each argument"),
        Opt::value(
            't',
            "threshold",
            "SIZE",
            "exclude entries smaller than SIZE if positive,\nor entries greater than SIZE if negative",
        ),
        Opt::flag('\0', "time", "show time of the last modification"),
        Opt::value(
            'X',
            "exclude-from",
            "FILE",
            "exclude files that match any pattern in FILE",
        ),
        Opt::value(
            '\0',
            "exclude",
            "PATTERN",
            "exclude files that match PATTERN",
        ),
        Opt::flag(
            'x',
            "one-file-system",
            "skip directories on different file systems",
        ),
    ],
    ..Usage::DEFAULT
};

/// How sizes are shown.
#[derive(Clone, Copy)]
enum Units {
    Blocks(u64),
    Human(u64),
}

struct Usages<'p> {
    process: &'p Process,
    parsed: Parsed,
    out: Output<'p>,
    units: Units,
    most_depth: usize,
    threshold: i64,
    excluded: Vec<BString>,
    seen: HashSet<(u64, u64)>,
    code: i32,
}

/// What a directory comes to so far.
struct Folder {
    path: BString,
    own: u64,
    below: u64,
    newest: Timestamp,
    depth: usize,
    entries: std::vec::IntoIter<BString>,
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let depth = parsed.value("max-depth").map(|text| {
        match text
            .to_str()
            .ok()
            .and_then(|text| text.parse::<usize>().ok())
        {
            Some(depth) => depth,
            None => USAGE.fail(
                process,
                [b"invalid maximum depth ", quote(text).as_slice()].concat(),
            ),
        }
    });
    if parsed.has("summarize") {
        if parsed.has("all") {
            USAGE.fail(process, "cannot both summarize and show all entries");
        }
        if let Some(depth) = depth.filter(|depth| *depth > 0) {
            USAGE.fail(
                process,
                format!("warning: summarizing conflicts with --max-depth={depth}"),
            );
        }
    }
    let mut units = Units::Blocks(1024);
    for (name, value) in parsed.iter() {
        units = match name {
            "human-readable" => Units::Human(1024),
            "si" => Units::Human(1000),
            "bytes" => Units::Blocks(1),
            "k" => Units::Blocks(1024),
            "m" => Units::Blocks(1 << 20),
            "block-size" => match size::block_size(value.unwrap_or_default()) {
                Some(size) => Units::Blocks(size),
                None => {
                    process.complain(
                        [
                            b"invalid --block-size argument ",
                            quote(value.unwrap_or_default()).as_slice(),
                        ]
                        .concat(),
                    );
                    return Ok(1);
                }
            },
            "inodes" => Units::Blocks(1),
            _ => units,
        };
    }
    let threshold = parsed.value("threshold").map_or(Some(0), |text| {
        let (sign, digits) = text
            .strip_prefix(b"-")
            .map_or((1, text.as_bytes()), |digits| (-1, digits));
        crate::number::with_suffix(digits)
            .and_then(|size| i64::try_from(size).ok())
            .map(|size| size * sign)
    });
    let Some(threshold) = threshold else {
        process.complain(
            [
                b"invalid --threshold argument ",
                quote(parsed.value("threshold").unwrap_or_default()).as_slice(),
            ]
            .concat(),
        );
        return Ok(1);
    };
    let mut excluded: Vec<BString> = parsed.values("exclude").map(Into::into).collect();
    for file in parsed.values("exclude-from") {
        let text = process
            .vfs()
            .read_file(&process.resolve(file))
            .map_err(file_error)?;
        excluded.extend(text.lines().map(BString::from));
    }
    let names = match parsed.value("files0-from") {
        Some(list) => names_from(process, list)?,
        None if parsed.operands.is_empty() => vec![".".into()],
        None => parsed.operands.clone(),
    };
    let most_depth = if parsed.has("summarize") {
        0
    } else {
        depth.unwrap_or(usize::MAX)
    };
    let mut usages = Usages {
        process,
        parsed,
        out: process.stdout(),
        units,
        most_depth,
        threshold,
        excluded,
        seen: HashSet::new(),
        code: 0,
    };
    let mut total = 0;
    let mut newest = Timestamp::EPOCH;
    for name in &names {
        let (size, time) = usages.tree(name)?;
        total += size;
        newest = newest.max(time);
    }
    if usages.parsed.has("total") {
        usages.print(total, newest, BStr::new("total"))?;
    }
    usages.out.flush()?;
    Ok(usages.code)
}

impl Usages<'_> {
    fn size_of(&self, meta: &Metadata) -> u64 {
        if self.parsed.has("inodes") {
            1
        } else if self.parsed.has("apparent-size") || self.parsed.has("bytes") {
            meta.size
        } else {
            meta.allocated.div_ceil(4096) * 4096
        }
    }

    fn print(&mut self, size: u64, newest: Timestamp, path: &BStr) -> io::Result<()> {
        let signed = i64::try_from(size).unwrap_or(i64::MAX);
        if self.threshold > 0 && signed < self.threshold
            || self.threshold < 0 && signed > -self.threshold
        {
            return Ok(());
        }
        match self.units {
            Units::Blocks(block) => write!(self.out, "{}", size.div_ceil(block))?,
            Units::Human(base) => write!(self.out, "{}", size::human(size, base))?,
        }
        if self.parsed.has("time") {
            let zone = time::zone(self.process);
            write!(
                self.out,
                "\t{}",
                time::show(newest, &zone, "%Y-%m-%d %H:%M")
            )?;
        }
        self.out.write_all(b"\t")?;
        self.out.write_all(path)?;
        self.out.write_all(if self.parsed.has("null") {
            b"\0"
        } else {
            b"\n"
        })
    }

    fn stat(&mut self, path: &BStr, depth: usize) -> Option<Metadata> {
        let full = self.process.resolve(path);
        let follows = self.parsed.last_of(&["dereference", "no-dereference"])
            == Some("dereference")
            || depth == 0 && (self.parsed.has("dereference-args") || self.parsed.has("H"));
        let vfs = self.process.vfs();
        let meta = if follows {
            vfs.stat(&full)
        } else {
            vfs.lstat(&full)
        };
        match meta.map_err(file_error) {
            Ok(meta) => Some(meta),
            Err(error) => {
                let _ = self.out.flush();
                self.process.complain(
                    [
                        b"cannot access ",
                        quote(path).as_slice(),
                        b": ",
                        error_text(&error).as_bytes(),
                    ]
                    .concat(),
                );
                self.code = 1;
                None
            }
        }
    }

    fn is_excluded(&self, path: &BStr) -> bool {
        let base = path.rsplit_str("/").next().unwrap_or(path);
        self.excluded
            .iter()
            .any(|pattern| wildcard::matches(pattern, base) || wildcard::matches(pattern, path))
    }

    /// Whether a file counts here: one with several names counts once.
    fn counts(&mut self, meta: &Metadata) -> bool {
        let has_names = meta.nlink > 1 && !meta.is_dir() && !self.parsed.has("count-links");
        !has_names || self.seen.insert((meta.dev, meta.ino))
    }

    /// Goes through a tree and prints as it leaves each directory. Returns what it comes to.
    fn tree(&mut self, root: &BString) -> io::Result<(u64, Timestamp)> {
        let mut charge = self.process.charge(0)?;
        let mut stack: Vec<Folder> = Vec::new();
        let mut next = Some((root.clone(), 0));
        let mut device = None;
        let mut total = (0, Timestamp::EPOCH);
        let mut ancestors = Ancestors::default();
        loop {
            self.process.spend(64);
            if let Some((path, depth)) = next.take()
                && !self.is_excluded(path.as_bstr())
                && let Some(meta) = self.stat(path.as_bstr(), depth)
                && self.counts(&meta)
                && (!self.parsed.has("one-file-system")
                    || *device.get_or_insert(meta.dev) == meta.dev)
                && (!meta.is_dir() || ancestors.enter(&path, &meta))
            {
                let size = self.size_of(&meta);
                if meta.is_dir() {
                    let names = self.names(path.as_bstr());
                    charge
                        .grow(names.iter().map(|name| name.len() + 32).sum())
                        .map_err(limit_error)?;
                    stack.push(Folder {
                        path,
                        own: size,
                        below: 0,
                        newest: meta.modified,
                        depth,
                        entries: names.into_iter(),
                    });
                } else {
                    if depth == 0 || self.parsed.has("all") && depth <= self.most_depth {
                        self.print(size, meta.modified, path.as_bstr())?;
                    }
                    match stack.last_mut() {
                        Some(folder) => {
                            folder.own += size;
                            folder.newest = folder.newest.max(meta.modified);
                        }
                        None => total = (size, meta.modified),
                    }
                }
            }
            let Some(folder) = stack.last_mut() else {
                return Ok(total);
            };
            if let Some(path) = folder.entries.next() {
                next = Some((path, folder.depth + 1));
                continue;
            }
            let Some(folder) = stack.pop() else { continue };
            let all = folder.own + folder.below;
            if folder.depth <= self.most_depth {
                let shown = if self.parsed.has("separate-dirs") {
                    folder.own
                } else {
                    all
                };
                self.print(shown, folder.newest, folder.path.as_bstr())?;
            }
            match stack.last_mut() {
                Some(parent) => {
                    parent.below += all;
                    parent.newest = parent.newest.max(folder.newest);
                }
                None => total = (all, folder.newest),
            }
        }
    }

    fn names(&mut self, folder: &BStr) -> Vec<BString> {
        let base: Vec<u8> = if folder.ends_with(b"/") {
            folder.to_vec()
        } else {
            [folder.as_bytes(), b"/"].concat()
        };
        match self
            .process
            .vfs()
            .readdir(&self.process.resolve(folder))
            .map_err(file_error)
        {
            Ok(entries) => entries
                .iter()
                .map(|entry| BString::from([base.as_slice(), &entry.name].concat()))
                .collect(),
            Err(error) => {
                self.process.complain(
                    [
                        b"cannot read directory ",
                        quote(folder).as_slice(),
                        b": ",
                        error_text(&error).as_bytes(),
                    ]
                    .concat(),
                );
                self.code = 1;
                Vec::new()
            }
        }
    }
}
