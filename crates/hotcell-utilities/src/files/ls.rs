//! `ls`, and `dir` and `vdir`, which are the same with other defaults.

mod columns;
mod entry;
mod long;
mod options;
mod style;

use std::{
    cmp::Ordering,
    io::{self, Write},
};

use bstr::{BStr, BString, ByteSlice};
use entry::Entry;
use hotcell_process::{Output, Process, error_text, file_error, limit_error};
use options::{Format, Options, Sort};

use crate::{
    Usage, Utility,
    ancestors::Ancestors,
    quote::{self, quote},
    version,
};

pub(crate) const LS: Utility = Utility {
    usage: &options::USAGE,
    main: |process| main(process, &options::USAGE, None),
};
pub(crate) const DIR: Utility = Utility {
    usage: &options::DIR_USAGE,
    main: |process| main(process, &options::DIR_USAGE, Some(Format::Columns)),
};
pub(crate) const VDIR: Utility = Utility {
    usage: &options::VDIR_USAGE,
    main: |process| main(process, &options::VDIR_USAGE, Some(Format::Long)),
};

fn main(process: &Process, usage: &Usage, format: Option<Format>) -> io::Result<i32> {
    let parsed = usage.parse(process);
    let options = Options::new(process, usage, &parsed, format);
    let mut list = List {
        process,
        options,
        out: process.stdout(),
        code: 0,
        any: false,
        ancestors: Ancestors::default(),
    };
    let here = [BString::from(".")];
    let names = if parsed.operands.is_empty() {
        &here
    } else {
        parsed.operands.as_slice()
    };
    list.run(names)?;
    list.out.flush()?;
    Ok(list.code)
}

struct List<'p> {
    process: &'p Process,
    options: Options,
    out: Output<'p>,
    code: i32,
    /// Something was printed: what follows is set apart.
    any: bool,
    ancestors: Ancestors,
}

impl List<'_> {
    fn complain(&mut self, what: &str, name: &[u8], error: &io::Error, code: i32) {
        let _ = self.out.flush();
        let text = [
            what.as_bytes(),
            b" ",
            &quote(name),
            b": ",
            error_text(error).as_bytes(),
        ]
        .concat();
        self.process.complain(text);
        self.code = self.code.max(code);
    }

    fn run(&mut self, names: &[BString]) -> io::Result<()> {
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for name in names {
            match Entry::named(self.process, name.as_bstr(), &self.options) {
                Ok(entry) if entry.is_folder() && !self.options.directories_themselves => {
                    folders.push(entry);
                }
                Ok(entry) => files.push(entry),
                Err(error) => self.complain("cannot access", name, &error, 2),
            }
        }
        self.sort(&mut files);
        self.sort(&mut folders);
        if !files.is_empty() {
            self.print(&files)?;
            self.any = true;
        }
        let headers = names.len() > 1 || self.options.recursive;
        let mut pending: Vec<(BString, usize)> = folders
            .into_iter()
            .rev()
            .map(|folder| (folder.name, 0))
            .collect();
        while let Some((name, depth)) = pending.pop() {
            self.process.spend(64);
            let inner = self.folder(name.as_bstr(), headers, depth)?;
            pending.extend(inner.into_iter().rev().map(|name| (name, depth + 1)));
        }
        Ok(())
    }

    /// Lists a directory; returns those in it that are to be listed next.
    fn folder(&mut self, name: &BStr, header: bool, depth: usize) -> io::Result<Vec<BString>> {
        let path = self.process.resolve(name);
        if self.options.recursive
            && let Ok(meta) = self.process.vfs().stat(&path)
            && !self.ancestors.enter(path.as_bytes(), &meta)
        {
            self.out.flush()?;
            let text = b": not listing already-listed directory";
            self.process
                .complain([quote::name(name).as_slice(), text].concat());
            self.code = 2;
            return Ok(Vec::new());
        }
        let found = match self.process.vfs().readdir(&path).map_err(file_error) {
            Ok(found) => found,
            Err(error) => {
                self.complain(
                    "cannot open directory",
                    name,
                    &error,
                    if depth == 0 { 2 } else { 1 },
                );
                return Ok(Vec::new());
            }
        };
        let mut charge = self.process.charge(0)?;
        let mut names: Vec<BString> = found.into_iter().map(|entry| entry.name.into()).collect();
        if self.options.shows_dots {
            names.extend([BString::from("."), BString::from("..")]);
        }
        let mut entries = Vec::new();
        for file in names {
            self.process.spend(64);
            if !self.options.shows(&file) {
                continue;
            }
            charge
                .grow(size_of::<Entry>() + file.len() * 2)
                .map_err(limit_error)?;
            let base = if name.ends_with(b"/") {
                name.to_vec()
            } else {
                [name.as_bytes(), b"/"].concat()
            };
            match Entry::inside(self.process, &base, file, &self.options) {
                Ok(entry) => entries.push(entry),
                Err((file, error)) => {
                    self.complain("cannot access", &[base, file.into()].concat(), &error, 1);
                }
            }
        }
        self.sort(&mut entries);
        if std::mem::replace(&mut self.any, true) {
            self.out.write_all(b"\n")?;
        }
        if header {
            self.out.write_all(&self.options.style.quoted(name))?;
            self.out.write_all(b":\n")?;
        }
        if self.options.format == Format::Long || self.options.sizes {
            let blocks: u64 = entries.iter().map(Entry::blocks).sum();
            let total = self.options.size(blocks * 1024, true);
            writeln!(self.out, "total {total}")?;
        }
        self.print(&entries)?;
        if !self.options.recursive {
            return Ok(Vec::new());
        }
        let base = if name.ends_with(b"/") {
            name.to_vec()
        } else {
            [name.as_bytes(), b"/"].concat()
        };
        let folders = entries
            .iter()
            .filter(|entry| entry.is_real_folder() && entry.name != "." && entry.name != "..");
        Ok(folders
            .map(|entry| BString::from([base.as_slice(), &entry.name].concat()))
            .collect())
    }

    fn sort(&self, entries: &mut [Entry]) {
        let options = &self.options;
        if options.sort != Sort::None {
            let extension = |entry: &Entry| -> Vec<u8> {
                let dot = entry.name.rfind_byte(b'.').filter(|dot| *dot > 0);
                dot.and_then(|dot| entry.name.get(dot..))
                    .unwrap_or_default()
                    .to_vec()
            };
            entries.sort_by(|one, other| {
                self.process.spend(8);
                let ordering = match options.sort {
                    Sort::Name | Sort::None => Ordering::Equal,
                    Sort::Size => other.meta.size.cmp(&one.meta.size),
                    Sort::Time => other.time(options).cmp(&one.time(options)),
                    Sort::Extension => extension(one).cmp(&extension(other)),
                    Sort::Version => version::compare(&one.name, &other.name),
                    Sort::Width => one.name.len().cmp(&other.name.len()),
                };
                let ordering = ordering.then_with(|| one.name.cmp(&other.name));
                if options.reverse {
                    ordering.reverse()
                } else {
                    ordering
                }
            });
        } else if options.reverse {
            entries.reverse();
        }
        if options.directories_first {
            entries.sort_by_key(|entry| !entry.is_folder());
        }
    }

    fn print(&mut self, entries: &[Entry]) -> io::Result<()> {
        match self.options.format {
            Format::Long => long::print(self.process, &mut self.out, entries, &self.options),
            _ => columns::print(self.process, &mut self.out, entries, &self.options),
        }
    }
}
