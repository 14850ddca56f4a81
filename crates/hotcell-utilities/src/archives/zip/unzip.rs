//! `unzip`.

use std::io::{self, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::{OpenOptions, SetTime, Times};

use super::format::{self, Bad, DEFLATED, Member};
use crate::{Opt, Parsed, Usage, Utility, calendar, quote, whole::whole, wildcard};

const USAGE: Usage = Usage {
    name: "unzip",
    synopsis: "[-cfjlnopqtuv] FILE[.zip] [MEMBER]... [-x MEMBER]... [-d DIR]",
    summary: "Extract files from zip archives.",
    options: &[
        Opt::flag('c', "", "extract to standard output, with names"),
        Opt::flag('f', "", "freshen existing files, create none"),
        Opt::flag('j', "", "junk paths: make no directories"),
        Opt::flag('l', "", "list files"),
        Opt::flag('n', "", "never overwrite existing files"),
        Opt::flag('o', "", "overwrite files without asking"),
        Opt::flag('p', "", "extract to standard output, no messages"),
        Opt::flag('q', "", "quiet; twice, quieter"),
        Opt::flag('t', "", "test compressed data"),
        Opt::flag('u', "", "update files, create if necessary"),
        Opt::flag('v', "", "list verbosely"),
        Opt::flag('C', "", "match names without regard to case"),
        Opt::value('d', "", "DIR", "extract files into DIR"),
        Opt::flag('x', "", "exclude the files that follow"),
        Opt::flag('Z', "", "list as zipinfo does (only -Z1)"),
        Opt::flag('1', "", "with -Z, only names"),
    ],
    error_code: 10,
    ..Usage::DEFAULT
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

struct Unzip<'p> {
    process: &'p Process,
    parsed: Parsed,
    wanted: Vec<BString>,
    unwanted: Vec<BString>,
    /// What was answered for all that follow.
    overwrites: Option<bool>,
    /// Symbolic links, which are made when nothing can be written through them any more.
    links: Vec<(BString, BString)>,
    code: i32,
}

fn main(process: &Process) -> io::Result<i32> {
    // What follows `-x` are members until the next option.
    let mut args: Vec<BString> = Vec::new();
    let mut unwanted = Vec::new();
    let mut is_excluding = false;
    for arg in process.args().get(1..).unwrap_or_default() {
        if arg.starts_with(b"-") && arg.len() > 1 {
            is_excluding = arg == "-x";
            args.push(arg.clone());
        } else if is_excluding {
            unwanted.push(arg.clone());
        } else {
            args.push(arg.clone());
        }
    }
    let parsed = USAGE.parse_args(process, &args);
    let Some((archive, wanted)) = parsed.operands.split_first() else {
        process.stdout().write_all(USAGE.help().as_bytes())?;
        return Ok(0);
    };
    if parsed.has("Z") && !parsed.has("1") {
        USAGE.fail(process, "only -Z1 is supported");
    }
    let (archive, wanted) = (archive.clone(), wanted.to_vec());
    let found = ["", ".zip", ".ZIP"].iter().find_map(|ending| {
        let name = BString::from([archive.as_slice(), ending.as_bytes()].concat());
        let there = process.metadata(&name, true);
        there.is_ok_and(|there| there.is_file()).then_some(name)
    });
    let Some(name) = &found else {
        let archive = quote::shortened(&archive);
        let text =
            format!("unzip:  cannot find or open {archive}, {archive}.zip or {archive}.ZIP.\n");
        process.stderr().write_all(text.as_bytes())?;
        return Ok(9);
    };
    let (data, _charge) = whole(process, process.open_input(name)?, 1)?;
    let is_quiet = parsed.has("p") || parsed.has("q") || parsed.has("Z");
    let mut out = process.stdout();
    if !is_quiet || (parsed.has("l") || parsed.has("v")) && !parsed.has("q") {
        out.write_all(&[b"Archive:  ", name.as_slice(), b"\n"].concat())?;
        out.flush()?;
    }
    let Some(members) = format::members(process, &data)? else {
        let text = format!(
            "  End-of-central-directory signature not found.  Either this file is not
  a zipfile, or it constitutes one disk of a multi-part archive.  In the
  latter case the central directory and zipfile comment will be found on
  the last disk(s) of this archive.
unzip:  cannot find zipfile directory in one of {archive} or
        {archive}.zip, and cannot find {archive}.ZIP, period.\n"
        );
        process.stderr().write_all(text.as_bytes())?;
        return Ok(9);
    };
    let overwrites = parsed.last_of(&["o", "n"]).map(|name| name == "o");
    let mut unzip = Unzip {
        process,
        wanted,
        unwanted,
        overwrites,
        links: Vec::new(),
        code: 0,
        parsed,
    };
    unzip.run(&data, &members, name)?;
    Ok(unzip.code)
}

impl Unzip<'_> {
    fn run(&mut self, data: &[u8], members: &[Member], archive: &BString) -> io::Result<()> {
        let mut matched = vec![false; self.wanted.len()];
        let mut chosen = Vec::new();
        for member in members {
            self.process
                .spend(64 + (self.wanted.len() + self.unwanted.len()) * 16);
            let ignores_case = self.parsed.has("C");
            let matches =
                |pattern: &BString| wildcard::matches_with(pattern, &member.name, ignores_case);
            let mut is_wanted = self.wanted.is_empty();
            for (pattern, matched) in self.wanted.iter().zip(&mut matched) {
                if matches(pattern) {
                    (is_wanted, *matched) = (true, true);
                }
            }
            if is_wanted && !self.unwanted.iter().any(matches) {
                chosen.push(member);
            }
        }
        if self.parsed.has("Z") {
            let mut out = self.process.stdout();
            for member in &chosen {
                out.write_all(&[member.name.as_slice(), b"\n"].concat())?;
            }
        } else if self.parsed.has("v") || self.parsed.has("l") {
            self.list(&chosen)?;
        } else if self.parsed.has("t") {
            self.test(data, &chosen, archive)?;
        } else if self.parsed.has("p") || self.parsed.has("c") {
            self.print(data, &chosen)?;
        } else {
            if !self.make_folder()? {
                return Ok(());
            }
            for member in &chosen {
                self.extract(data, member)?;
            }
            self.make_links()?;
        }
        for (pattern, matched) in self.wanted.iter().zip(matched) {
            if !matched {
                let text = format!("caution: filename not matched:  {pattern}\n");
                self.process.stderr().write_all(text.as_bytes())?;
                self.code = 11;
            }
        }
        Ok(())
    }

    fn list(&self, members: &[&Member]) -> io::Result<()> {
        let mut out = self.process.stdout();
        let zone = calendar::zone_of(self.process);
        let is_long = self.parsed.has("v");
        let is_bare = self.parsed.count("q") > 1;
        if !is_bare {
            out.write_all(if is_long { b" Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n--------  ------  ------- ---- ---------- ----- --------  ----\n" } else { b"  Length      Date    Time    Name\n---------  ---------- -----   ----\n".as_slice() })?;
        }
        let (mut size, mut packed) = (0_u64, 0_u64);
        for member in members {
            size = size.saturating_add(member.size);
            packed = packed.saturating_add(member.packed);
            let [year, month, day, hour, minute] = member.shown_time(&zone);
            let when = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}");
            if is_long {
                let ratio = format::percent(member.size, member.packed);
                let line = format!(
                    "{:8}  {:<6} {:8} {ratio:3}% {when} {:08x}  ",
                    member.size,
                    method(member),
                    member.packed,
                    member.crc
                );
                out.write_all(line.as_bytes())?;
            } else {
                write!(out, "{:9}  {when}   ", member.size)?;
            }
            out.write_all(shown(&member.name).as_bytes())?;
            out.write_all(b"\n")?;
        }
        if is_bare {
            return out.flush();
        }
        let count = members.len();
        let s = if count == 1 { "" } else { "s" };
        if is_long {
            let ratio = format::percent(size, packed);
            writeln!(
                out,
                "--------          -------  ---                            -------"
            )?;
            writeln!(
                out,
                "{size:8}         {packed:8} {ratio:3}%                            {count} file{s}"
            )?;
        } else {
            writeln!(out, "---------                     -------")?;
            writeln!(out, "{size:9}                     {count} file{s}")?;
        }
        out.flush()
    }

    fn complain_of(&mut self, member: &Member, bad: Bad, to_stdout: bool) -> io::Result<()> {
        let name = shown(&member.name);
        let (text, code) = match bad {
            Bad::Method => (
                format!(
                    "   skipping: {name:<22}  unsupported compression method {}\n",
                    member.method
                ),
                81,
            ),
            Bad::Encrypted => (
                format!("   skipping: {name:<22}  unable to get password\n"),
                82,
            ),
            Bad::Data => (
                "  error:  invalid compressed data to inflate\n".to_owned(),
                2,
            ),
            Bad::Crc(found) => (
                format!(" bad CRC {found:08x}  (should be {:08x})\n", member.crc),
                2,
            ),
            Bad::Io(error) => return Err(error),
        };
        self.code = self.code.max(code);
        if to_stdout {
            return self.process.stdout().write_all(text.as_bytes());
        }
        self.process.stderr().write_all(text.as_bytes())
    }

    fn test(&mut self, data: &[u8], members: &[&Member], archive: &BString) -> io::Result<()> {
        let mut failed = 0;
        for member in members {
            let mut out = self.process.stdout();
            if !self.parsed.has("q") {
                write!(out, "    testing: {:<22}  ", shown(&member.name))?;
            }
            let tested = format::unpack(self.process, data, member, |_| Ok(()));
            match tested {
                Ok(()) if !self.parsed.has("q") => out.write_all(b" OK\n")?,
                Ok(()) => {}
                Err(bad) => {
                    out.flush()?;
                    failed += 1;
                    self.complain_of(member, bad, true)?;
                }
            }
        }
        let mut out = self.process.stdout();
        if failed > 0 {
            writeln!(out, "At least one error was detected in {archive}.")?;
        } else if self.wanted.is_empty() && self.unwanted.is_empty() {
            writeln!(out, "No errors detected in compressed data of {archive}.")?;
        } else {
            let count = members.len();
            let s = if count == 1 { "" } else { "s" };
            writeln!(
                out,
                "No errors detected in {archive} for the {count} file{s} tested."
            )?;
        }
        out.flush()
    }

    fn print(&mut self, data: &[u8], members: &[&Member]) -> io::Result<()> {
        for member in members.iter().filter(|member| !member.is_folder()) {
            let mut out = self.process.stdout();
            let is_loud = self.parsed.has("c") && !self.parsed.has("q");
            if is_loud {
                writeln!(out, "{}: {:<22}  ", verb(member), shown(&member.name))?;
            }
            let done = format::unpack(self.process, data, member, |piece| out.write_all(piece));
            if is_loud {
                out.write_all(b"\n")?;
            }
            out.flush()?;
            if let Err(bad) = done {
                self.complain_of(member, bad, false)?;
            }
        }
        Ok(())
    }

    /// A name that stays below the directory, with a word about what was taken away.
    fn safe_name(&mut self, member: &Member) -> io::Result<BString> {
        let name = &member.name;
        let mut parts: Vec<&[u8]> = name
            .split_str("/")
            .filter(|part| !part.is_empty() && *part != b".")
            .collect();
        let mut warning = "";
        if name.starts_with(b"/") {
            warning = "stripped absolute path spec from";
        }
        if parts.contains(&&b".."[..]) {
            parts.retain(|part| *part != b"..");
            warning = "skipped \"../\" path component(s) in";
        }
        if !warning.is_empty() {
            let text = format!("warning:  {warning} {}\n", shown(name));
            self.process.stderr().write_all(text.as_bytes())?;
            self.code = self.code.max(1);
        }
        Ok(bstr::join("/", parts).into())
    }

    fn extract(&mut self, data: &[u8], member: &Member) -> io::Result<()> {
        let process = self.process;
        let mut name = self.safe_name(member)?;
        let is_junking = self.parsed.has("j");
        if member.is_folder() && is_junking || name.is_empty() {
            return Ok(());
        }
        if is_junking {
            name = name.rsplit_str("/").next().unwrap_or_default().into();
        }
        if let Some(folder) = self.parsed.value("d") {
            let folder = folder.trim_end_with(|c| c == '/');
            name = [folder, b"/", name.as_slice()].concat().into();
        }
        let path = process.resolve(&name);
        let vfs = process.vfs();
        let is_quiet = self.parsed.has("q");
        let freshens = self.parsed.has("f");
        if freshens || self.parsed.has("u") {
            let written = member.modified(&calendar::zone_of(process)).seconds();
            let is_new = match vfs.lstat(&path) {
                Ok(there) => there.is_dir() || there.modified.seconds() < written,
                Err(_) => !freshens,
            };
            if !is_new {
                return Ok(());
            }
        }
        if member.is_folder() {
            if !vfs.exists(&path) {
                vfs.mkdir_all(&path, 0o777 & !process.umask())
                    .map_err(file_error)?;
                if !is_quiet {
                    process
                        .stdout()
                        .write_all(format!("   creating: {}/\n", shown(&name)).as_bytes())?;
                }
            }
            return Ok(());
        }
        if let Some(parent) = path.parent()
            && !vfs.exists(parent)
        {
            vfs.mkdir_all(parent, 0o777 & !process.umask())
                .map_err(file_error)?;
        }
        if vfs.lstat(&path).is_ok() {
            if !self.may_overwrite(&name)? {
                return Ok(());
            }
            // A link must not lead what is written elsewhere.
            if vfs.lstat(&path).is_ok_and(|there| there.is_symlink()) {
                vfs.unlink(&path).map_err(file_error)?;
            }
        }
        if let Some(mode) = member.mode()
            && mode & 0o170_000 == 0o120_000
        {
            return self.link(data, member, &name);
        }
        if !is_quiet {
            let line = format!("{}: {:<22}  \n", verb(member), shown(&name));
            process.stdout().write_all(line.as_bytes())?;
        }
        let stream = match process.open(&name, &OpenOptions::write().create().truncate()) {
            Ok(stream) => stream,
            Err(error) => {
                let text = format!(
                    "error:  cannot create {}\n        {}\n",
                    shown(&name),
                    error_text(&error)
                );
                self.code = 50;
                return process.stderr().write_all(text.as_bytes());
            }
        };
        let mut out = process.output(stream);
        let done = format::unpack(self.process, data, member, |piece| out.write_all(piece));
        out.flush()?;
        drop(out);
        if let Some(mode) = member.mode() {
            vfs.chmod(&path, mode & 0o777 & !process.umask())
                .map_err(file_error)?;
        }
        let time = SetTime::At(member.modified(&calendar::zone_of(process)));
        vfs.set_times(&path, Times::both(time), true)
            .map_err(file_error)?;
        match done {
            Ok(()) => Ok(()),
            Err(bad) => self.complain_of(member, bad, false),
        }
    }

    fn link(&mut self, data: &[u8], member: &Member, name: &BString) -> io::Result<()> {
        let mut target = Vec::new();
        let done = format::unpack(self.process, data, member, |piece| {
            // No path is longer.
            if target.len() + piece.len() > 4096 {
                return Err(io::Error::other("File name too long"));
            }
            target.extend_from_slice(piece);
            Ok(())
        });
        if let Err(bad) = done {
            return self.complain_of(member, bad, false);
        }
        if !self.parsed.has("q") {
            let line = format!("    linking: {:<22}  -> {} \n", shown(name), shown(&target));
            self.process.stdout().write_all(line.as_bytes())?;
        }
        self.links.push((name.clone(), target.into()));
        Ok(())
    }

    fn make_links(&mut self) -> io::Result<()> {
        if !self.links.is_empty() && !self.parsed.has("q") {
            let text = b"finishing deferred symbolic links:\n";
            self.process.stdout().write_all(text)?;
        }
        for (name, target) in std::mem::take(&mut self.links) {
            if !self.parsed.has("q") {
                let line = format!("  {:<22} -> {}\n", shown(&name), shown(&target));
                self.process.stdout().write_all(line.as_bytes())?;
            }
            let path = self.process.resolve(&name);
            let _ = self.process.vfs().unlink(&path);
            let target = hotcell_vfs::VfsPath::new(&target);
            let made = self.process.vfs().symlink(target, &path);
            made.map_err(file_error)?;
        }
        Ok(())
    }

    /// Makes the directory of `-d`, but none above it.
    fn make_folder(&mut self) -> io::Result<bool> {
        let Some(folder) = self.parsed.value("d") else {
            return Ok(true);
        };
        let path = self.process.resolve(folder);
        let vfs = self.process.vfs();
        if vfs.exists(&path) {
            return Ok(true);
        }
        let Err(error) = vfs.mkdir(&path, 0o777 & !self.process.umask()) else {
            return Ok(true);
        };
        let error = error_text(&file_error(error));
        let text = format!(
            "checkdir:  cannot create extraction directory: {folder}\n           {error}\n"
        );
        self.process.stderr().write_all(text.as_bytes())?;
        self.code = 2;
        Ok(false)
    }

    fn may_overwrite(&mut self, name: &BString) -> io::Result<bool> {
        if let Some(answer) = self.overwrites {
            return Ok(answer);
        }
        loop {
            let text = format!(
                "replace {}? [y]es, [n]o, [A]ll, [N]one, [r]ename: ",
                shown(name)
            );
            self.process.stderr().write_all(text.as_bytes())?;
            let Some(answer) = super::read_answer(self.process)? else {
                let text = b" NULL\n(EOF or read error, treating as \"[N]one\" ...)\n";
                self.process.stderr().write_all(text)?;
                self.overwrites = Some(false);
                self.code = self.code.max(1);
                return Ok(false);
            };
            match answer.first() {
                Some(b'y' | b'Y') => return Ok(true),
                Some(b'n') => return Ok(false),
                Some(b'A') => self.overwrites = Some(true),
                Some(b'N') => self.overwrites = Some(false),
                _ => {
                    let text = format!("error:  invalid response [{}]\n", shown(&answer));
                    self.process.stderr().write_all(text.as_bytes())?;
                    continue;
                }
            }
            return Ok(self.overwrites.unwrap_or(false));
        }
    }
}

/// A name without what a terminal would act on.
fn shown(name: &[u8]) -> String {
    let mut text = String::new();
    for c in name.to_str_lossy().chars() {
        match c {
            '\0'..='\x1f' => {
                text.push('^');
                text.push(char::from(u8::try_from(u32::from(c)).unwrap_or(0) + 64));
            }
            _ => text.push(c),
        }
    }
    text
}

fn verb(member: &Member) -> &'static str {
    if member.method == DEFLATED {
        "  inflating"
    } else {
        " extracting"
    }
}

fn method(member: &Member) -> String {
    match member.method {
        0 => "Stored".to_owned(),
        DEFLATED => {
            let level = match member.flags >> 1 & 3 {
                0 => 'N',
                1 => 'X',
                2 => 'F',
                _ => 'S',
            };
            format!("Defl:{level}")
        }
        other => format!("Unk:{other:03}"),
    }
}
