//! `rm`.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::{Errno, Metadata, VfsPath};

use super::prompt::confirm;
use crate::{Opt, Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "rm",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Remove (unlink) the FILE(s).",
    options: &[
        Opt::flag(
            'f',
            "force",
            "ignore nonexistent files and arguments, never prompt",
        ),
        Opt::flag('i', "", "prompt before every removal"),
        Opt::flag(
            'I',
            "",
            "prompt once before removing more than three files, or\nwhen removing recursively",
        ),
        Opt::optional(
            '\0',
            "interactive",
            "WHEN",
            "prompt according to WHEN: never, once (-I), or always (-i)",
        ),
        Opt::flag(
            '\0',
            "one-file-system",
            "when removing a hierarchy recursively, skip any\ndirectory that is on a different file system",
        ),
        Opt::flag('\0', "no-preserve-root", "do not treat '/' specially"),
        Opt::optional('\0', "preserve-root", "all", "do not remove '/' (default)"),
        Opt::flag(
            'r',
            "recursive",
            "remove directories and their contents recursively",
        ),
        Opt::flag('R', "", "same as -r"),
        Opt::flag('d', "dir", "remove empty directories"),
        Opt::flag('v', "verbose", "explain what is being done"),
    ],
    ..Usage::DEFAULT
};

#[derive(Clone, Copy, PartialEq)]
enum Asks {
    Never,
    Once,
    Always,
}

struct Remove<'p> {
    process: &'p Process,
    force: bool,
    asks: Asks,
    recursive: bool,
    dir: bool,
    verbose: bool,
    /// The file system to stay on.
    device: Option<u64>,
    has_failed: bool,
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let mut asks = Asks::Never;
    for (name, value) in parsed.iter() {
        asks = match (name, value.map(|value| value.as_bytes())) {
            ("force", _) | ("interactive", Some(b"never" | b"no" | b"none")) => Asks::Never,
            ("I", _) | ("interactive", Some(b"once")) => Asks::Once,
            ("i", _) | ("interactive", None | Some(b"always" | b"yes")) => Asks::Always,
            ("interactive", Some(other)) => USAGE.fail(
                process,
                [
                    b"invalid argument ",
                    quote(other).as_slice(),
                    b" for '--interactive'",
                ]
                .concat(),
            ),
            _ => asks,
        };
    }
    let recursive = parsed.has("recursive") || parsed.has("R");
    if parsed.operands.is_empty() && !parsed.has("force") {
        USAGE.fail(process, "missing operand");
    }
    if asks == Asks::Once && (recursive || parsed.operands.len() > 3) {
        let count = parsed.operands.len();
        let noun = if count == 1 { "argument" } else { "arguments" };
        let how = if recursive { " recursively" } else { "" };
        if !confirm(process, format!("remove {count} {noun}{how}?").as_bytes()) {
            return Ok(0);
        }
    }
    let mut remove = Remove {
        process,
        force: parsed.last_of(&["force", "i", "I", "interactive"]) == Some("force"),
        asks,
        recursive,
        dir: parsed.has("dir"),
        verbose: parsed.has("verbose"),
        device: None,
        has_failed: false,
    };
    for name in &parsed.operands {
        let trimmed = name.trim_end_with(|c| c == '/');
        if recursive
            && !parsed.has("no-preserve-root")
            && trimmed.is_empty()
            && name.starts_with(b"/")
        {
            process.complain("it is dangerous to operate recursively on '/'");
            process.complain("use --no-preserve-root to override this failsafe");
            remove.has_failed = true;
            continue;
        }
        if matches!(
            VfsPath::new(name)
                .as_bytes()
                .rsplit_str("/")
                .find(|part| !part.is_empty()),
            Some(b"." | b"..")
        ) && (recursive || parsed.has("dir"))
        {
            let text = [
                b"refusing to remove '.' or '..' directory: skipping ",
                quote(name).as_slice(),
            ]
            .concat();
            process.complain(text);
            remove.has_failed = true;
            continue;
        }
        remove.device = parsed.has("one-file-system").then(|| {
            process
                .vfs()
                .lstat(&process.resolve(name))
                .map_or(0, |meta| meta.dev)
        });
        remove.operand(name.as_bstr());
    }
    Ok(i32::from(remove.has_failed))
}

impl Remove<'_> {
    fn fail(&mut self, name: &BStr, error: &io::Error) {
        let text = [
            b"cannot remove ",
            quote(name).as_slice(),
            b": ",
            error_text(error).as_bytes(),
        ]
        .concat();
        self.process.complain(text);
        self.has_failed = true;
    }

    fn operand(&mut self, name: &BStr) {
        match self.lstat(name) {
            Err(error) if self.force && matches!(error.raw_os_error(), Some(2 | 20)) => {}
            Err(error) => self.fail(name, &error),
            Ok(meta) if meta.is_dir() => {
                if self.recursive {
                    self.tree(name);
                } else if self.dir {
                    self.empty_directory(name);
                } else {
                    self.fail(name, &io::Error::from_raw_os_error(Errno::EISDIR.code()));
                }
            }
            Ok(meta) => self.file(name, &meta),
        }
    }

    fn lstat(&self, name: &BStr) -> io::Result<Metadata> {
        if name.is_empty() {
            return Err(io::Error::from_raw_os_error(Errno::ENOENT.code()));
        }
        self.process
            .vfs()
            .lstat(&self.process.resolve(name))
            .map_err(file_error)
    }

    fn file(&mut self, name: &BStr, meta: &Metadata) {
        if self.asks == Asks::Always {
            let kind = match meta.kind {
                hotcell_vfs::FileType::Symlink => "symbolic link",
                hotcell_vfs::FileType::Fifo => "fifo",
                _ if meta.size == 0 => "regular empty file",
                _ => "regular file",
            };
            let question = [format!("remove {kind} ").as_bytes(), &quote(name), b"?"].concat();
            if !confirm(self.process, &question) {
                return;
            }
        }
        match self
            .process
            .vfs()
            .unlink(&self.process.resolve(name))
            .map_err(file_error)
        {
            Ok(()) => self.say(b"removed ", name),
            Err(error) => self.fail(name, &error),
        }
    }

    fn say(&self, what: &[u8], name: &BStr) {
        if self.verbose {
            let _ = self
                .process
                .stdout()
                .write_all(&[what, quote(name).as_slice(), b"\n"].concat());
        }
    }

    fn empty_directory(&mut self, name: &BStr) -> bool {
        if self.asks == Asks::Always {
            let question = [b"remove directory ", quote(name).as_slice(), b"?"].concat();
            if !confirm(self.process, &question) {
                return false;
            }
        }
        match self
            .process
            .vfs()
            .rmdir(&self.process.resolve(name))
            .map_err(file_error)
        {
            Ok(()) => {
                self.say(b"removed directory ", name);
                true
            }
            Err(error) => {
                self.fail(name, &error);
                false
            }
        }
    }

    /// A directory with all that is in it, without calling itself as deep as it goes.
    fn tree(&mut self, name: &BStr) {
        enum Step {
            Enter(BString),
            Leave(BString),
        }
        let mut steps = vec![Step::Enter(name.into())];
        while let Some(step) = steps.pop() {
            self.process.spend(64);
            let name = match step {
                Step::Leave(name) => {
                    self.empty_directory(name.as_bstr());
                    continue;
                }
                Step::Enter(name) => name,
            };
            let meta = match self.lstat(name.as_bstr()) {
                Ok(meta) => meta,
                Err(error) => {
                    self.fail(name.as_bstr(), &error);
                    continue;
                }
            };
            if !meta.is_dir() {
                self.file(name.as_bstr(), &meta);
                continue;
            }
            if self.device.is_some_and(|device| device != meta.dev) {
                let text = [
                    b"skipping ",
                    quote(&name).as_slice(),
                    b", since it's on a different device",
                ]
                .concat();
                self.process.complain(text);
                self.has_failed = true;
                continue;
            }
            let entries = match self
                .process
                .vfs()
                .readdir(&self.process.resolve(&name))
                .map_err(file_error)
            {
                Ok(entries) => entries,
                Err(error) => {
                    self.fail(name.as_bstr(), &error);
                    continue;
                }
            };
            if self.asks == Asks::Always && !entries.is_empty() {
                let question = [b"descend into directory ", quote(&name).as_slice(), b"?"].concat();
                if !confirm(self.process, &question) {
                    continue;
                }
            }
            let base = name.trim_end_with(|c| c == '/').to_vec();
            steps.push(Step::Leave(name));
            for entry in entries.into_iter().rev() {
                steps.push(Step::Enter(
                    [base.as_slice(), b"/", &entry.name].concat().into(),
                ));
            }
        }
    }
}
