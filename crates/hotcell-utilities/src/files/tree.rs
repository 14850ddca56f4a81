//! `tree`.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Output, Process, file_error, limit_error};
use hotcell_vfs::{FileType, Metadata};

use super::mode;
use crate::{Opt, Parsed, Usage, Utility, identity, size, time, version, wildcard};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "tree",
    synopsis: "[-adfghilnopqrstuvxACDFJQNSUX] [-L level] [-P pattern] [-I pattern] [directory ...]",
    summary: "List contents of directories in a tree-like format.",
    options: &[
        Opt::flag('a', "", "all files are listed"),
        Opt::flag('d', "", "list directories only"),
        Opt::flag('l', "", "follow symbolic links like directories"),
        Opt::flag('f', "", "print the full path prefix for each file"),
        Opt::flag('x', "", "stay on current filesystem only"),
        Opt::value('L', "", "level", "descend only level directories deep"),
        Opt::value(
            'P',
            "",
            "pattern",
            "list only those files that match the pattern given",
        ),
        Opt::value(
            'I',
            "",
            "pattern",
            "do not list files that match the given pattern",
        ),
        Opt::flag('\0', "ignore-case", "ignore case when pattern matching"),
        Opt::flag(
            '\0',
            "matchdirs",
            "include directory names in -P pattern matching",
        ),
        Opt::flag('\0', "prune", "prune empty directories from the output"),
        Opt::flag(
            '\0',
            "noreport",
            "turn off file/directory count at end of tree listing",
        ),
        Opt::value(
            '\0',
            "filelimit",
            "#",
            "do not descend dirs with more than # files in them",
        ),
        Opt::flag('p', "", "print the protections for each file"),
        Opt::flag('u', "", "displays file owner or UID number"),
        Opt::flag('g', "", "displays file group owner or GID number"),
        Opt::flag('s', "", "print the size in bytes of each file"),
        Opt::flag('h', "", "print the size in a more human readable way"),
        Opt::flag('D', "", "print the date of last modification"),
        Opt::flag(
            'F',
            "",
            "appends '/', '=', '*', '@', '|' or '>' as per ls -F",
        ),
        Opt::flag('i', "", "don't print indentation lines"),
        Opt::flag('Q', "", "quote filenames with double quotes"),
        Opt::flag('N', "", "print non-printable characters as is"),
        Opt::flag('n', "", "turn colorization off always"),
        Opt::flag('C', "", "turn colorization on always"),
        Opt::flag('v', "", "sort files alphanumerically by version"),
        Opt::flag('t', "", "sort files by last modification time"),
        Opt::flag('U', "", "leave files unsorted"),
        Opt::flag('r', "", "reverse the order of the sort"),
        Opt::flag('\0', "dirsfirst", "list directories before files"),
        Opt::value(
            '\0',
            "charset",
            "X",
            "use charset X for indentation lines: ascii or utf-8",
        ),
        Opt::flag('J', "", "prints out a JSON representation of the tree"),
        Opt::value('o', "", "filename", "output to file instead of stdout"),
    ],
    ..Usage::DEFAULT
};

struct Tree<'p> {
    process: &'p Process,
    parsed: Parsed,
    out: Output<'p>,
    levels: usize,
    folders: u64,
    files: u64,
    ascii: bool,
}

struct Entry {
    name: BString,
    path: BString,
    meta: Metadata,
    link: Option<(BString, Option<Metadata>)>,
}

impl Entry {
    fn is_folder(&self, follows: bool) -> bool {
        self.meta.is_dir()
            || follows
                && self
                    .link
                    .as_ref()
                    .is_some_and(|(_, target)| target.is_some_and(|meta| meta.is_dir()))
    }

    fn is_shown_as_folder(&self) -> bool {
        self.is_folder(true)
    }
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let levels = match parsed.value("L") {
        None => usize::MAX,
        Some(text) => match text
            .to_str()
            .ok()
            .and_then(|text| text.parse::<usize>().ok())
            .filter(|level| *level > 0)
        {
            Some(level) => level,
            None => {
                process.complain("Invalid level, must be greater than 0.");
                return Ok(1);
            }
        },
    };
    let out = match parsed.value("o") {
        None => process.stdout(),
        Some(name) => process
            .output(process.open(name, &hotcell_vfs::OpenOptions::write().create().truncate())?),
    };
    let ascii = parsed
        .value("charset")
        .is_some_and(|charset| charset.to_ascii_lowercase().contains_str("ascii"));
    let here = [BString::from(".")];
    let roots = if parsed.operands.is_empty() {
        here.to_vec()
    } else {
        parsed.operands.clone()
    };
    let mut tree = Tree {
        process,
        parsed,
        out,
        levels,
        folders: 0,
        files: 0,
        ascii,
    };
    let mut code = 0;
    if tree.parsed.has("J") {
        tree.out.write_all(b"[\n")?;
    }
    for (at, root) in roots.iter().enumerate() {
        if tree.parsed.has("J") && at > 0 {
            tree.out.write_all(b",\n")?;
        }
        if !tree.root(root.as_bstr())? {
            code = 2;
        }
    }
    tree.report()?;
    tree.out.flush()?;
    Ok(code)
}

impl Tree<'_> {
    fn root(&mut self, root: &BStr) -> io::Result<bool> {
        let path = self.process.resolve(root);
        let meta = self.process.vfs().stat(&path).map_err(file_error);
        let json = self.parsed.has("J");
        let meta = match meta {
            Ok(meta) if meta.is_dir() => meta,
            _ => {
                self.out.write_all(root)?;
                self.out.write_all(b"  [error opening dir]\n")?;
                return Ok(false);
            }
        };
        if json {
            self.folders += 1;
            write!(
                self.out,
                "  {{\"type\":\"directory\",\"name\":{}",
                json_text(root)
            )?;
            self.json(root, 2)?;
            self.out.write_all(b"}")?;
            return Ok(true);
        }
        let entry = Entry {
            name: root.into(),
            path: root.into(),
            meta,
            link: None,
        };
        self.line(&[], &entry)?;
        self.walk(root)?;
        Ok(true)
    }

    /// Lists what is below, without calling itself as deep as it goes.
    fn walk(&mut self, root: &BStr) -> io::Result<()> {
        struct Level {
            entries: std::vec::IntoIter<Entry>,
        }
        let mut levels = vec![Level {
            entries: self.entries(root, 1)?.into_iter(),
        }];
        // For each level above, whether more follows there.
        let mut more: Vec<bool> = Vec::new();
        while let Some(level) = levels.last_mut() {
            let Some(entry) = level.entries.next() else {
                levels.pop();
                more.pop();
                continue;
            };
            self.process.spend(64);
            let has_more = level.entries.len() > 0;
            let mut marks = more.clone();
            marks.push(has_more);
            self.line(&marks, &entry)?;
            let enters = entry.is_folder(self.parsed.has("l")) && levels.len() < self.levels;
            if enters {
                let entries = self.entries(entry.path.as_bstr(), levels.len() + 1)?;
                more.push(has_more);
                levels.push(Level {
                    entries: entries.into_iter(),
                });
            }
        }
        Ok(())
    }

    fn json(&mut self, folder: &BStr, indent: usize) -> io::Result<()> {
        if self.process.stack_left() < 64 << 10 {
            return Err(io::Error::other("directories are nested too deeply"));
        }
        let entries = self.entries(folder, indent / 2)?;
        let count = entries.len();
        if count == 0 && indent > 2 {
            return Ok(());
        }
        self.out.write_all(b",\"contents\":[")?;
        for (at, entry) in entries.into_iter().enumerate() {
            self.process.spend(64);
            self.count(&entry);
            let kind = match entry.meta.kind {
                FileType::Dir => "directory",
                FileType::Symlink => "link",
                FileType::Fifo => "fifo",
                FileType::File => "file",
                _ => "unknown",
            };
            write!(
                self.out,
                "\n{:width$}{{\"type\":\"{kind}\",\"name\":{}",
                "",
                json_text(&entry.name),
                width = indent + 2
            )?;
            if let Some((target, _)) = &entry.link {
                write!(self.out, ",\"target\":{}", json_text(target))?;
            }
            if self.parsed.has("p") {
                write!(
                    self.out,
                    ",\"mode\":\"{:04o}\",\"prot\":\"{}\"",
                    entry.meta.mode & 0o7777,
                    mode::show(&entry.meta)
                )?;
            }
            if self.parsed.has("s") || self.parsed.has("h") {
                write!(self.out, ",\"size\":{}", entry.meta.size)?;
            }
            if entry.is_folder(self.parsed.has("l")) && indent / 2 < self.levels {
                self.json(entry.path.as_bstr(), indent + 2)?;
            }
            self.out
                .write_all(if at + 1 < count { b"}," } else { b"}" })?;
        }
        write!(self.out, "\n{:width$}]", "", width = indent)
    }

    /// What is in a directory, as it is to be listed.
    fn entries(&mut self, folder: &BStr, depth: usize) -> io::Result<Vec<Entry>> {
        let path = self.process.resolve(folder);
        let Ok(found) = self.process.vfs().readdir(&path) else {
            return Ok(Vec::new());
        };
        let base: Vec<u8> = if folder.ends_with(b"/") {
            folder.to_vec()
        } else {
            [folder.as_bytes(), b"/"].concat()
        };
        let ignores_case = self.parsed.has("ignore-case");
        let matches = |option: &str, name: &[u8]| {
            let patterns = self
                .parsed
                .values(option)
                .flat_map(|list| list.split_str("|"));
            patterns
                .into_iter()
                .any(|pattern| wildcard::matches_with(pattern, name, ignores_case))
        };
        let mut charge = self.process.charge(0)?;
        let mut entries = Vec::new();
        for file in found {
            self.process.spend(32);
            if file.name.starts_with(b".") && !self.parsed.has("a") {
                continue;
            }
            let full = path.join(&file.name);
            let Ok(meta) = self.process.vfs().lstat(&full) else {
                continue;
            };
            let link = meta.is_symlink().then(|| {
                let target = self
                    .process
                    .vfs()
                    .readlink(&full)
                    .map(|target| BString::from(target.into_bytes()));
                (
                    target.unwrap_or_default(),
                    self.process.vfs().stat(&full).ok(),
                )
            });
            charge
                .grow(size_of::<Entry>() + file.name.len() * 2 + base.len())
                .map_err(limit_error)?;
            let entry = Entry {
                path: [base.as_slice(), &file.name].concat().into(),
                name: file.name.into(),
                meta,
                link,
            };
            let is_folder = entry.is_folder(self.parsed.has("l"));
            let is_wanted = !matches("I", &entry.name)
                && (!self.parsed.has("d") || entry.is_shown_as_folder())
                && (!self.parsed.has("P")
                    || is_folder && !self.parsed.has("matchdirs")
                    || matches("P", &entry.name));
            if is_wanted {
                entries.push(entry);
            }
        }
        if let Some(limit) = self
            .parsed
            .value("filelimit")
            .and_then(|text| text.to_str().ok()?.parse::<usize>().ok())
            && entries.len() > limit
            && depth > 1
        {
            return Ok(Vec::new());
        }
        self.sort(&mut entries);
        if self.parsed.has("prune") {
            entries.retain(|entry| !entry.is_folder(false) || self.has_files(entry.path.as_bstr()));
        }
        Ok(entries)
    }

    fn has_files(&self, folder: &BStr) -> bool {
        let mut pending = vec![self.process.resolve(folder)];
        while let Some(path) = pending.pop() {
            self.process.spend(32);
            for entry in self.process.vfs().readdir(&path).unwrap_or_default() {
                let is_hidden = entry.name.starts_with(b".") && !self.parsed.has("a");
                let is_listed = self
                    .parsed
                    .values("P")
                    .flat_map(|list| list.split_str("|"))
                    .any(|pattern| wildcard::matches(pattern, &entry.name));
                if entry.kind == FileType::Dir {
                    pending.push(path.join(&entry.name));
                } else if !is_hidden && (!self.parsed.has("P") || is_listed) {
                    return true;
                }
            }
        }
        false
    }

    fn sort(&self, entries: &mut [Entry]) {
        if !self.parsed.has("U") {
            entries.sort_by(|one, other| {
                self.process.spend(8);
                let ordering = if self.parsed.has("t") {
                    one.meta
                        .modified
                        .cmp(&other.meta.modified)
                        .then_with(|| one.name.cmp(&other.name))
                } else if self.parsed.has("v") {
                    version::compare(&one.name, &other.name)
                } else {
                    one.name.cmp(&other.name)
                };
                if self.parsed.has("r") {
                    ordering.reverse()
                } else {
                    ordering
                }
            });
        }
        if self.parsed.has("dirsfirst") {
            entries.sort_by_key(|entry| !entry.is_shown_as_folder());
        }
    }

    fn count(&mut self, entry: &Entry) {
        if entry.is_shown_as_folder() {
            self.folders += 1;
        } else {
            self.files += 1;
        }
    }

    fn line(&mut self, marks: &[bool], entry: &Entry) -> io::Result<()> {
        self.count(entry);
        if !self.parsed.has("i") {
            let (bar, tee, corner) = if self.ascii {
                ("|   ", "|-- ", "`-- ")
            } else {
                ("│\u{a0}\u{a0} ", "├── ", "└── ")
            };
            if let Some((last, above)) = marks.split_last() {
                for more in above {
                    self.out
                        .write_all(if *more { bar.as_bytes() } else { b"    " })?;
                }
                self.out.write_all(if *last {
                    tee.as_bytes()
                } else {
                    corner.as_bytes()
                })?;
            }
        }
        let facts = self.facts(&entry.meta);
        if !facts.is_empty() {
            write!(self.out, "[{}]  ", facts.join(" "))?;
        }
        let shown = if self.parsed.has("f") {
            &entry.path
        } else {
            &entry.name
        };
        let name = if self.parsed.has("Q") {
            [b"\"", shown.as_slice(), b"\""].concat()
        } else {
            shown.to_vec()
        };
        self.paint(&name, &entry.meta)?;
        if let Some((target, meta)) = &entry.link {
            self.out.write_all(b" -> ")?;
            match meta {
                Some(meta) => self.paint(target, meta)?,
                None => self.out.write_all(target)?,
            }
        }
        if self.parsed.has("F") {
            let meta = entry
                .link
                .as_ref()
                .and_then(|(_, target)| *target)
                .unwrap_or(entry.meta);
            let mark = match meta.kind {
                FileType::Dir => "/",
                FileType::Fifo => "|",
                FileType::File if meta.mode & 0o111 != 0 => "*",
                _ => "",
            };
            self.out.write_all(mark.as_bytes())?;
        }
        self.out.write_all(b"\n")
    }

    fn facts(&self, meta: &Metadata) -> Vec<String> {
        let mut facts = Vec::new();
        if self.parsed.has("p") {
            facts.push(mode::show(meta));
        }
        for option in ["u", "g"] {
            if self.parsed.has(option) {
                facts.push(format!("{:<8}", identity::NAME));
            }
        }
        if self.parsed.has("h") {
            facts.push(format!("{:>4}", size::human(meta.size, 1024)));
        } else if self.parsed.has("s") {
            facts.push(format!("{:>11}", meta.size));
        }
        if self.parsed.has("D") {
            facts.push(time::show(
                meta.modified,
                &time::zone(self.process),
                "%b %e %H:%M",
            ));
        }
        facts
    }

    fn paint(&mut self, name: &[u8], meta: &Metadata) -> io::Result<()> {
        let color = match meta.kind {
            FileType::Dir => "01;34",
            FileType::Symlink => "01;36",
            FileType::File if meta.mode & 0o111 != 0 => "01;32",
            _ => "",
        };
        if !self.parsed.has("C") || self.parsed.has("n") || color.is_empty() {
            return self.out.write_all(name);
        }
        write!(self.out, "\x1b[{color}m")?;
        self.out.write_all(name)?;
        self.out.write_all(b"\x1b[0m")
    }

    fn report(&mut self) -> io::Result<()> {
        let folders = self.folders;
        if self.parsed.has("J") {
            if self.parsed.has("noreport") {
                return self.out.write_all(b"\n]\n");
            }
            write!(
                self.out,
                "\n,\n  {{\"type\":\"report\",\"directories\":{folders}"
            )?;
            if !self.parsed.has("d") {
                write!(self.out, ",\"files\":{}", self.files)?;
            }
            return self.out.write_all(b"}\n]\n");
        }
        if self.parsed.has("noreport") {
            return Ok(());
        }
        let word = if folders == 1 {
            "directory"
        } else {
            "directories"
        };
        write!(self.out, "\n{folders} {word}")?;
        if !self.parsed.has("d") {
            let word = if self.files == 1 { "file" } else { "files" };
            write!(self.out, ", {} {word}", self.files)?;
        }
        self.out.write_all(b"\n")
    }
}

fn json_text(text: &[u8]) -> String {
    let mut json = String::from("\"");
    for c in text.to_str_lossy().chars() {
        match c {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\t' => json.push_str("\\t"),
            c if c.is_control() => json.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}
