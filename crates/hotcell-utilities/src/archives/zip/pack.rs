//! `zip`.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use bstr::{BString, ByteSlice};
use flate2::{Compression, Crc, write::DeflateEncoder};
use hotcell_meter::Charge;
use hotcell_process::{Process, file_error, limit_error};

use super::format::{self, DEFLATED, Member, STORED};
use crate::{
    Opt, Parsed, Usage, Utility,
    ancestors::Ancestors,
    calendar::{self, Zone},
    lines::Lines,
    list::List,
    whole::whole,
    wildcard,
};

const USAGE: Usage = Usage {
    name: "zip",
    synopsis: "[OPTION]... ARCHIVE[.zip] [FILE]... [-x PATTERN]... [-i PATTERN]...",
    summary: "Package and compress files. `-` is standard input or output.",
    options: &[
        Opt::flag('r', "recurse-paths", "recurse into directories"),
        Opt::flag('j', "junk-paths", "store only names, no directories"),
        Opt::flag('D', "no-dir-entries", "add no entries for directories"),
        Opt::flag('q', "quiet", "quiet operation"),
        Opt::flag('v', "verbose", "verbose operation"),
        Opt::flag('d', "delete", "delete entries of the archive"),
        Opt::flag('u', "update", "only changed or new files"),
        Opt::flag('f', "freshen", "only changed files that are in the archive"),
        Opt::flag(
            'm',
            "move",
            "move into the archive: delete files afterwards",
        ),
        Opt::flag('y', "symlinks", "store symbolic links as such"),
        Opt::flag('X', "no-extra", "store no extra file attributes"),
        Opt::flag('T', "test", "test the archive's integrity"),
        Opt::flag('@', "names-stdin", "read names from standard input"),
        Opt::flag('0', "store", "store only"),
        Opt::flag('1', "fast", "compress faster"),
        Opt::flag('2', "level-2", "compress"),
        Opt::flag('3', "level-3", "compress"),
        Opt::flag('4', "level-4", "compress"),
        Opt::flag('5', "level-5", "compress"),
        Opt::flag('6', "level-6", "compress"),
        Opt::flag('7', "level-7", "compress"),
        Opt::flag('8', "level-8", "compress"),
        Opt::flag('9', "best", "compress better"),
        Opt::flag('x', "exclude", "exclude the names that follow"),
        Opt::flag('i', "include", "include only the names that follow"),
    ],
    error_code: 16,
    ..Usage::DEFAULT
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const LEVELS: [&str; 10] = [
    "store", "fast", "level-2", "level-3", "level-4", "level-5", "level-6", "level-7", "level-8",
    "best",
];

struct Zip<'p> {
    process: &'p Process,
    parsed: Parsed,
    excluded: Vec<BString>,
    included: Vec<BString>,
    zone: Zone,
    level: usize,
    to_stdout: bool,
    /// The archive as it will be: names in their order, with the bytes that each has in it.
    members: Vec<(Member, Vec<u8>)>,
    by_name: BTreeMap<BString, usize>,
    charge: Charge,
    code: i32,
    added: Vec<BString>,
    totals: (u64, u64),
}

fn main(process: &Process) -> io::Result<i32> {
    let (mut args, mut excluded, mut included) = (Vec::new(), Vec::new(), Vec::new());
    let mut list: Option<&mut Vec<BString>> = None;
    for arg in process.args().get(1..).unwrap_or_default() {
        let is_option = arg.starts_with(b"-") && arg.len() > 1;
        match (arg.as_slice(), &mut list) {
            (b"-x", _) => list = Some(&mut excluded),
            (b"-i", _) => list = Some(&mut included),
            (b"@", Some(_)) => list = None,
            (_, Some(names)) if !is_option => names.push(arg.clone()),
            _ => {
                if is_option {
                    list = None;
                }
                args.push(arg.clone());
            }
        }
    }
    let parsed = USAGE.parse_args(process, &args);
    let Some((archive, operands)) = parsed.operands.split_first() else {
        process.stdout().write_all(USAGE.help().as_bytes())?;
        return Ok(0);
    };
    let to_stdout = archive == "-";
    let base = archive.rsplit_str("/").next().unwrap_or_default();
    let archive: BString = if to_stdout || base.contains(&b'.') {
        archive.clone()
    } else {
        [archive.as_slice(), b".zip"].concat().into()
    };
    let operands = operands.to_vec();
    let level = parsed
        .last_of(&LEVELS)
        .and_then(|name| LEVELS.iter().position(|level| *level == name));
    let mut zip = Zip {
        process,
        excluded,
        included,
        zone: calendar::zone_of(process),
        level: level.unwrap_or(6),
        to_stdout,
        members: Vec::new(),
        by_name: BTreeMap::new(),
        charge: process.charge(0)?,
        code: 0,
        added: Vec::new(),
        totals: (0, 0),
        parsed,
    };
    zip.run(&archive, operands)
}

impl Zip<'_> {
    fn fail(&self, text: &str, code: i32) -> ! {
        let _ = self.note(format!("\nzip error: {text}\n").as_bytes());
        self.process.exit(code)
    }

    /// Says it where the archive does not go.
    fn note(&self, text: &[u8]) -> io::Result<()> {
        if self.to_stdout {
            self.process.stderr().write_all(text)
        } else {
            self.process.stdout().write_all(text)
        }
    }

    fn say(&self, text: &[u8]) -> io::Result<()> {
        if self.parsed.has("quiet") {
            return Ok(());
        }
        self.note(text)
    }

    fn warn(&mut self, name: &[u8]) -> io::Result<()> {
        let text = [b"\tzip warning: name not matched: ", name, b"\n"].concat();
        self.note(&text)
    }

    fn run(&mut self, archive: &BString, mut operands: Vec<BString>) -> io::Result<i32> {
        if self.parsed.has("names-stdin") {
            let mut lines = Lines::new(self.process, self.process.stdin())?;
            while let Some(line) = lines.next_line()? {
                let name = line.strip_suffix(b"\n").unwrap_or(line);
                self.charge.grow(name.len() + 32).map_err(limit_error)?;
                operands.push(name.into());
            }
        }
        let is_there = !self.to_stdout && self.process.metadata(archive, true).is_ok();
        if is_there {
            self.read(archive)?;
        }
        if self.parsed.has("delete") {
            return self.delete(archive, &operands);
        }
        if self.parsed.has("freshen") && operands.is_empty() {
            operands = self
                .members
                .iter()
                .map(|(member, _)| member.name.clone())
                .collect();
        }
        if operands.is_empty() && !(self.parsed.has("test") && is_there) {
            self.fail(&format!("Nothing to do! ({archive})"), 12);
        }
        for operand in &operands {
            self.add(operand, archive)?;
        }
        if self.added.is_empty() && !operands.is_empty() {
            if is_there && (self.parsed.has("update") || self.parsed.has("freshen")) {
                return Ok(12);
            }
            self.fail(&format!("Nothing to do! ({archive})"), 12);
        }
        if !operands.is_empty() {
            self.write(archive)?;
        }
        if self.parsed.has("verbose") {
            let (size, packed) = self.totals;
            let saved = format::percent(size, packed);
            self.say(
                format!("total bytes={size}, compressed={packed} -> {saved}% savings\n").as_bytes(),
            )?;
        }
        if self.parsed.has("test") && !self.to_stdout {
            self.test(archive)?;
        }
        if self.parsed.has("move") {
            for name in self.added.iter().rev() {
                let path = self.process.resolve(name);
                let vfs = self.process.vfs();
                let is_folder = vfs.lstat(&path).is_ok_and(|there| there.is_dir());
                let _ = if is_folder {
                    vfs.rmdir(&path)
                } else {
                    vfs.unlink(&path)
                };
            }
        }
        Ok(self.code)
    }

    fn read(&mut self, archive: &BString) -> io::Result<()> {
        let (data, charge) = whole(self.process, self.process.open_input(archive)?, 1)?;
        self.charge.grow(charge.bytes() * 2).map_err(limit_error)?;
        let members = if data.is_empty() {
            Some(List::new(self.process)?)
        } else {
            format::members(self.process, &data)?
        };
        let Some(members) = members else {
            self.fail(&format!("Zip file structure invalid ({archive})"), 3);
        };
        for member in members.iter().cloned() {
            self.process.spend(256);
            let Some(packed) = format::packed(&data, &member) else {
                self.fail(&format!("Zip file structure invalid ({archive})"), 3);
            };
            let packed = packed.to_vec();
            self.put(member, packed)?;
        }
        Ok(())
    }

    fn put(&mut self, member: Member, packed: Vec<u8>) -> io::Result<()> {
        self.charge
            .grow(packed.len() + member.name.len() + 256)
            .map_err(limit_error)?;
        match self
            .by_name
            .get(&member.name)
            .and_then(|index| self.members.get_mut(*index))
        {
            Some(place) => *place = (member, packed),
            None => {
                self.by_name.insert(member.name.clone(), self.members.len());
                self.members.push((member, packed));
            }
        }
        Ok(())
    }

    fn delete(&mut self, archive: &BString, patterns: &[BString]) -> io::Result<i32> {
        let mut kept = Vec::new();
        let mut matched = vec![false; patterns.len()];
        for (member, packed) in std::mem::take(&mut self.members) {
            self.process.spend(64 + patterns.len() * 16);
            let mut is_deleted = false;
            for (pattern, matched) in patterns.iter().zip(&mut matched) {
                if wildcard::matches(pattern, &member.name) {
                    (is_deleted, *matched) = (true, true);
                }
            }
            if is_deleted {
                self.say(&[b"deleting: ", member.name.as_slice(), b"\n"].concat())?;
            } else {
                kept.push((member, packed));
            }
        }
        for (pattern, matched) in patterns.iter().zip(&matched) {
            if !matched {
                self.warn(pattern)?;
            }
        }
        if !matched.contains(&true) {
            self.fail(&format!("Nothing to do! ({archive})"), 12);
        }
        self.members = kept;
        if self.members.is_empty() {
            let text = b"\tzip warning: zip file empty\n";
            self.note(text)?;
        }
        self.write(archive)?;
        Ok(0)
    }

    /// Adds a file, or a directory with what is in it.
    fn add(&mut self, operand: &BString, archive: &BString) -> io::Result<()> {
        let process = self.process;
        if operand == "-" {
            let (data, _charge) = whole(process, process.stdin(), 1)?;
            return self.store("-".into(), data, 0o010_600, process.now().seconds());
        }
        let mut waiting = vec![operand.clone()];
        let mut ancestors = Ancestors::default();
        let mut is_first = true;
        while let Some(name) = waiting.pop() {
            process.spend(256);
            let follows = !self.parsed.has("symlinks");
            let Ok(there) = process.metadata(&name, follows) else {
                if is_first {
                    self.warn(&name)?;
                    self.code = 0;
                }
                continue;
            };
            is_first = false;
            if name == *archive {
                continue;
            }
            let path = process.resolve(&name);
            let mut stored = self.stored_name(&name);
            let seconds = there.modified.seconds();
            if there.is_dir() && !ancestors.enter(path.as_bytes(), &there) {
                let text = b": leads back to a directory that is being archived, and is left out";
                process.complain([b"warning: ", name.as_slice(), text].concat());
                continue;
            }
            if there.is_dir() {
                stored.extend_from_slice(b"/");
                let is_entry = !self.parsed.has("no-dir-entries")
                    && !self.parsed.has("junk-paths")
                    && stored != "/";
                if is_entry && self.is_wanted(&stored, seconds) {
                    self.store(stored, Vec::new(), 0o040_000 | there.mode & 0o7777, seconds)?;
                    self.added.push(name.clone());
                }
                if self.parsed.has("recurse-paths") {
                    let entries = process.vfs().readdir(&path).map_err(file_error)?;
                    let start = name.trim_end_with(|c| c == '/');
                    let start = if name == "/" { b"".as_slice() } else { start };
                    self.charge
                        .grow(entries.len() * (start.len() + 64))
                        .map_err(limit_error)?;
                    for entry in entries.iter().rev() {
                        let entry: &[u8] = entry.name.as_ref();
                        waiting.push([start, b"/", entry].concat().into());
                    }
                }
                continue;
            }
            if !self.is_wanted(&stored, seconds) {
                continue;
            }
            let (data, mode) = if there.is_symlink() {
                let target = process.vfs().readlink(&path).map_err(file_error)?;
                (target.into_bytes(), 0o120_777)
            } else {
                let (data, charge) = whole(process, process.open_input(&name)?, 1)?;
                drop(charge);
                (data, 0o100_000 | there.mode & 0o7777)
            };
            self.store(stored, data, mode, seconds)?;
            self.added.push(name);
        }
        Ok(())
    }

    /// The name in the archive: never from the root.
    fn stored_name(&self, name: &BString) -> BString {
        let name = name.trim_end_with(|c| c == '/');
        if self.parsed.has("junk-paths") {
            return name.rsplit_str("/").next().unwrap_or_default().into();
        }
        let parts = name
            .split_str("/")
            .filter(|part| !part.is_empty() && *part != b".");
        bstr::join("/", parts).into()
    }

    fn is_wanted(&self, name: &BString, seconds: i64) -> bool {
        let matches = |pattern: &BString| wildcard::matches(pattern, name);
        if self.excluded.iter().any(matches)
            || !self.included.is_empty() && !self.included.iter().any(matches)
        {
            return false;
        }
        let before = self
            .by_name
            .get(name)
            .and_then(|index| self.members.get(*index));
        match before {
            Some((member, _)) if self.parsed.has("update") || self.parsed.has("freshen") => {
                member.modified(&self.zone).seconds() < seconds
            }
            None => !self.parsed.has("freshen"),
            Some(_) => true,
        }
    }

    fn store(&mut self, name: BString, data: Vec<u8>, mode: u32, seconds: i64) -> io::Result<()> {
        let _work = self.process.charge(data.len() * 2)?;
        let mut crc = Crc::new();
        let level = u32::try_from(self.level).unwrap_or(6);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
        for piece in data.chunks(64 << 10) {
            self.process.spend(piece.len());
            crc.update(piece);
            if self.level > 0 {
                encoder.write_all(piece)?;
            }
        }
        let deflated = encoder.finish()?;
        let is_deflated = self.level > 0 && deflated.len() < data.len();
        let size = data.len() as u64;
        let packed = if is_deflated { deflated } else { data };
        let speed = match self.level {
            8 | 9 => 2,
            1 => 6,
            2 => 4,
            _ => 0,
        };
        let member = Member {
            method: if is_deflated { DEFLATED } else { STORED },
            flags: if is_deflated { speed } else { 0 },
            crc: crc.sum(),
            packed: packed.len() as u64,
            size,
            dos_time: format::dos_time(seconds, &self.zone),
            seconds: (!self.parsed.has("no-extra")).then_some(seconds),
            attributes: mode << 16 | u32::from(mode & 0o170_000 == 0o040_000) << 4,
            made_by: 3 << 8 | 30,
            offset: 0,
            name,
        };
        let verb: &[u8] = match (
            self.by_name.contains_key(&member.name),
            self.parsed.has("freshen"),
        ) {
            (true, true) => b"freshening: ",
            (true, false) => b"updating: ",
            (false, _) => b"  adding: ",
        };
        let kind = if is_deflated { "deflated" } else { "stored" };
        let saved = format::percent(member.size, member.packed);
        let sizes = if self.parsed.has("verbose") {
            format!("\t(in={}) (out={})", member.size, member.packed)
        } else {
            String::new()
        };
        let end = format!("{sizes} ({kind} {saved}%)\n");
        self.say(&[verb, member.name.as_slice(), end.as_bytes()].concat())?;
        self.totals.0 += member.size;
        self.totals.1 += member.packed;
        if member.name == "-" {
            self.added.push("-".into());
        }
        self.put(member, packed)
    }

    fn write(&mut self, archive: &BString) -> io::Result<()> {
        let total: usize = self
            .members
            .iter()
            .map(|(member, packed)| packed.len() + member.name.len() * 2 + 128)
            .sum();
        // Neither sizes nor offsets have more than 32 bits.
        if total > u32::MAX as usize || self.members.len() >= usize::from(u16::MAX) {
            self.fail(
                &format!("Entry too big to split, read, or write ({archive})"),
                6,
            );
        }
        let _charge = self.process.charge(total)?;
        let mut out = Vec::with_capacity(total);
        let mut directory = Vec::new();
        for (member, packed) in &self.members {
            self.process.spend(256 + packed.len() / 16);
            let mut member = member.clone();
            format::put_member(&mut out, &mut member, packed);
            directory.push(member);
        }
        format::put_directory(&mut out, &directory);
        if self.to_stdout {
            return self.process.stdout().write_all(&out);
        }
        let path = self.process.resolve(archive);
        if let Err(error) = self
            .process
            .vfs()
            .write_file(&path, &out)
            .map_err(file_error)
        {
            let text = hotcell_process::error_text(&error);
            let _ = writeln!(self.process.stderr(), "zip I/O error: {text}");
            self.fail(&format!("Could not create output file ({archive})"), 15);
        }
        Ok(())
    }

    fn test(&mut self, archive: &BString) -> io::Result<()> {
        let (data, _charge) = whole(self.process, self.process.open_input(archive)?, 1)?;
        let members = format::members(self.process, &data)?;
        let is_right = members
            .iter()
            .flat_map(|members| members.iter())
            .all(|member| format::unpack(self.process, &data, member, |_| Ok(())).is_ok());
        if is_right {
            return self.say(&[b"test of ", archive.as_slice(), b" OK\n"].concat());
        }
        self.fail(&format!("Zip file invalid, could not spawn unzip, or wrong unzip (original files unmodified) ({archive})"), 8)
    }
}
