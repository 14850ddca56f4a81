//! `xargs`.

mod split;

use std::io::{self, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::{Input, Null, Pid, Process, Status, limit_error};
use split::Splitter;

use crate::{Opt, Parsed, Usage, Utility, files::prompt::said_yes, list::room_of, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "xargs",
    synopsis: "[OPTION]... COMMAND [INITIAL-ARGS]...",
    summary: "Run COMMAND with arguments INITIAL-ARGS and more arguments read from input.",
    options: &[
        Opt::flag(
            '0',
            "null",
            "items are separated by a null, not whitespace;\ndisables quote and backslash processing and\nlogical EOF processing",
        ),
        Opt::value(
            'a',
            "arg-file",
            "FILE",
            "read arguments from FILE, not standard input",
        ),
        Opt::value(
            'd',
            "delimiter",
            "CHARACTER",
            "items in input stream are separated by CHARACTER",
        ),
        Opt::value('E', "", "END", "set logical EOF string"),
        Opt::optional(
            'e',
            "eof",
            "END",
            "equivalent to -E END if END is specified",
        ),
        Opt::value('I', "", "R", "same as --replace=R"),
        Opt::optional(
            'i',
            "replace",
            "R",
            "replace R in INITIAL-ARGS with names read\nfrom standard input, split at newlines",
        ),
        Opt::value(
            'L',
            "max-lines",
            "MAX-LINES",
            "use at most MAX-LINES non-blank input lines per\ncommand line",
        ),
        Opt::optional(
            'l',
            "",
            "MAX-LINES",
            "similar to -L but defaults to at most one line",
        ),
        Opt::value(
            'n',
            "max-args",
            "MAX-ARGS",
            "use at most MAX-ARGS arguments per command line",
        ),
        Opt::flag(
            'o',
            "open-tty",
            "reopen stdin as /dev/tty in the child process",
        ),
        Opt::value(
            'P',
            "max-procs",
            "MAX-PROCS",
            "run at most MAX-PROCS processes at a time",
        ),
        Opt::flag('p', "interactive", "prompt before running commands"),
        Opt::value(
            '\0',
            "process-slot-var",
            "VAR",
            "set environment variable VAR in child processes",
        ),
        Opt::flag(
            'r',
            "no-run-if-empty",
            "if there are no arguments, then do not run COMMAND",
        ),
        Opt::value(
            's',
            "max-chars",
            "MAX-CHARS",
            "limit length of command line to MAX-CHARS",
        ),
        Opt::flag('\0', "show-limits", "show limits on command-line length"),
        Opt::flag('t', "verbose", "print commands before executing them"),
        Opt::flag('x', "exit", "exit if the size (see -s) is exceeded"),
    ],
    stops_at_operand: true,
    ..Usage::DEFAULT
};

/// How long a command line may be: what GNU xargs takes by default.
const MOST_CHARS: usize = 128 << 10;

struct Xargs<'p> {
    process: &'p Process,
    command: Vec<BString>,
    replace: Option<BString>,
    most_args: usize,
    most_lines: usize,
    most_chars: usize,
    most_procs: usize,
    asks: bool,
    verbose: bool,
    exits: bool,
    slot_variable: Option<BString>,
    /// Commands that run now.
    children: Vec<(Pid, usize)>,
    code: i32,
}

/// How items become arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// `-I`: each line takes the place of a text.
    Replace,
    /// `-L`: so many lines at once.
    Lines,
    /// `-n`: so many arguments at once.
    Arguments,
}

/// Of the options that say how, the last one holds, and the one before is warned of. `-n 1` is what `-I` means anyway.
fn mode(process: &Process, parsed: &Parsed) -> Option<Mode> {
    let mut chosen: Option<(Mode, &str)> = None;
    for (name, value) in parsed.iter() {
        let (mode, short, long) = match name {
            "I" | "replace" => (Mode::Replace, "--replace/-I/-i", "--replace"),
            "max-lines" => (Mode::Lines, "-L", "--max-lines"),
            "l" => (Mode::Lines, "--max-lines/-l", "--max-lines"),
            "max-args" => (Mode::Arguments, "--max-args/-n", "--max-args"),
            _ => continue,
        };
        if let Some((before, option)) = chosen.filter(|(before, _)| *before != mode) {
            let is_one = value.is_some_and(|value| value == "1");
            if before == Mode::Replace && mode == Mode::Arguments && is_one {
                continue;
            }
            process.complain(format!(
                "warning: options {option} and {short} are mutually exclusive, ignoring previous {option} value"
            ));
        }
        chosen = Some((mode, long));
    }
    chosen.map(|(mode, _)| mode)
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let number = |name: &str, least: usize| {
        let letter = match name {
            "max-lines" => 'L',
            "max-procs" => 'P',
            "max-chars" => 's',
            _ => 'n',
        };
        parsed.value(name).map(|text| {
            match text
                .to_str()
                .ok()
                .and_then(|text| text.parse::<usize>().ok())
            {
                Some(number) if number >= least => number,
                Some(_) => {
                    process.complain(format!(
                        "value {text} for -{letter} option should be >= {least}"
                    ));
                    process.exit(1)
                }
                None => USAGE.fail(
                    process,
                    format!("invalid number \"{text}\" for -{letter} option"),
                ),
            }
        })
    };
    let mode = mode(process, &parsed);
    let replace = (mode == Some(Mode::Replace)).then(|| {
        let last = parsed.last_of(&["I", "replace"]).unwrap_or("I");
        parsed
            .value(last)
            .map_or_else(|| "{}".into(), BString::from)
    });
    let lines =
        number("max-lines", 1).or_else(|| parsed.has("l").then(|| number("l", 1).unwrap_or(1)));
    let mut command = parsed.operands.clone();
    if command.is_empty() {
        command.push("echo".into());
    }
    let mut xargs = Xargs {
        process,
        command,
        most_args: match mode {
            Some(Mode::Replace) => 1,
            Some(Mode::Arguments) => number("max-args", 1).unwrap_or(usize::MAX),
            Some(Mode::Lines) | None => usize::MAX,
        },
        most_lines: match mode {
            Some(Mode::Replace) => 1,
            Some(Mode::Lines) => lines.unwrap_or(usize::MAX),
            Some(Mode::Arguments) | None => usize::MAX,
        },
        replace,
        most_chars: number("max-chars", 1).unwrap_or(MOST_CHARS).min(MOST_CHARS),
        most_procs: match number("max-procs", 0) {
            Some(0) => usize::MAX,
            Some(count) => count,
            None => 1,
        },
        asks: parsed.has("interactive"),
        verbose: parsed.has("verbose") || parsed.has("interactive"),
        exits: parsed.has("exit")
            || parsed.has("I")
            || parsed.has("replace")
            || parsed.has("max-lines"),
        slot_variable: parsed.value("process-slot-var").map(Into::into),
        children: Vec::new(),
        code: 0,
    };
    let input = match parsed.value("arg-file") {
        None => process.stdin(),
        Some(name) => match process.open_input(name) {
            Ok(input) => input,
            Err(error) => {
                let text = [b"Cannot open input file ", quote(name).as_slice(), b": "].concat();
                process.complain(
                    [
                        text.as_slice(),
                        hotcell_process::error_text(&error).as_bytes(),
                    ]
                    .concat(),
                );
                return Ok(1);
            }
        },
    };
    let splitter = splitter(process, &parsed, &xargs, input)?;
    xargs.run(splitter, parsed.has("no-run-if-empty"))?;
    xargs.wait_for(0)?;
    Ok(xargs.code)
}

fn splitter<'p>(
    process: &'p Process,
    parsed: &Parsed,
    xargs: &Xargs<'_>,
    input: Input<'p>,
) -> io::Result<Splitter<'p>> {
    let delimiter = match parsed.last_of(&["null", "delimiter"]) {
        Some("null") => Some(0),
        Some(_) => Some(delimiter(
            process,
            parsed.value("delimiter").unwrap_or_default(),
        )),
        None => None,
    };
    let end = parsed
        .value("E")
        .or_else(|| parsed.value("eof"))
        .map(BString::from)
        .filter(|_| delimiter.is_none());
    Splitter::new(process, input, delimiter, xargs.replace.is_some(), end)
}

fn delimiter(process: &Process, text: &[u8]) -> u8 {
    match text {
        [one] => *one,
        b"\\n" => b'\n',
        b"\\t" => b'\t',
        b"\\0" => 0,
        b"\\r" => b'\r',
        b"\\a" => 0x07,
        b"\\b" => 0x08,
        b"\\f" => 0x0c,
        b"\\v" => 0x0b,
        b"\\\\" => b'\\',
        [b'\\', b'x', hex @ ..]
            if hex
                .to_str()
                .is_ok_and(|hex| u8::from_str_radix(hex, 16).is_ok()) =>
        {
            hex.to_str()
                .ok()
                .and_then(|hex| u8::from_str_radix(hex, 16).ok())
                .unwrap_or(0)
        }
        [b'\\', octal @ ..]
            if octal
                .to_str()
                .is_ok_and(|octal| u8::from_str_radix(octal, 8).is_ok()) =>
        {
            octal
                .to_str()
                .ok()
                .and_then(|octal| u8::from_str_radix(octal, 8).ok())
                .unwrap_or(0)
        }
        other => {
            let text = [b"Invalid input delimiter specification ", other.as_bstr().as_bytes(), b": the delimiter must be either a single character or an escape sequence starting with \\."].concat();
            process.complain(text);
            process.exit(1)
        }
    }
}

impl Xargs<'_> {
    fn run(&mut self, mut items: Splitter<'_>, skips_empty: bool) -> io::Result<()> {
        let fixed: usize = self.command.iter().map(|word| word.len() + 1).sum();
        let mut args: Vec<BString> = Vec::new();
        let mut charge = self.process.charge(0)?;
        let (mut chars, mut lines, mut any) = (fixed, 0, false);
        while let Some(item) = items.next_item()? {
            if self.replace.is_some() {
                any = true;
                self.replaced(&item.text)?;
                continue;
            }
            let size = item.text.len() + 1;
            if fixed + size > self.most_chars {
                self.process.complain("argument line too long");
                self.code = 1;
                self.wait_for(0)?;
                self.process.exit(1);
            }
            let is_full = args.len() >= self.most_args
                || chars + size > self.most_chars
                || lines >= self.most_lines;
            if is_full && !args.is_empty() {
                if chars + size > self.most_chars && self.exits && self.most_lines < usize::MAX {
                    self.process.complain("argument list too long");
                    self.process.exit(1);
                }
                any = true;
                self.start(std::mem::take(&mut args))?;
                charge.resize(0).map_err(limit_error)?;
                (chars, lines) = (fixed, 0);
            }
            charge.grow(room_of(&item.text)).map_err(limit_error)?;
            chars += size;
            args.push(item.text);
            lines += usize::from(item.ends_line);
        }
        if !args.is_empty() || !any && !skips_empty && self.replace.is_none() {
            self.start(args)?;
        }
        Ok(())
    }

    /// A command in which a text is replaced by the item.
    fn replaced(&mut self, item: &[u8]) -> io::Result<()> {
        let pattern = self.replace.clone().unwrap_or_default();
        let words: Vec<BString> = if pattern.is_empty() {
            self.command.clone()
        } else {
            self.command
                .iter()
                .map(|word| word.replace(&pattern, item).into())
                .collect()
        };
        let size: usize = words.iter().map(|word| word.len() + 1).sum();
        if size > self.most_chars {
            self.process.complain("command too long");
            self.process.exit(1);
        }
        self.execute(words)
    }

    fn start(&mut self, args: Vec<BString>) -> io::Result<()> {
        let words = self.command.iter().cloned().chain(args).collect();
        self.execute(words)
    }

    fn execute(&mut self, words: Vec<BString>) -> io::Result<()> {
        let process = self.process;
        if self.verbose {
            let mut line = bstr::join(" ", words.iter().map(|word| crate::quote::for_shell(word)));
            line.extend_from_slice(if self.asks { b" ?..." } else { b"\n" });
            process.stderr().write_all(&line)?;
            if self.asks && !said_yes(process) {
                return Ok(());
            }
        }
        let name = words.first().cloned().unwrap_or_default();
        let mut spec = process.spec(words).stdin(std::sync::Arc::new(Null));
        if let Some(variable) = &self.slot_variable {
            let slot = (0..)
                .find(|slot| !self.children.iter().any(|(_, used)| used == slot))
                .unwrap_or(0);
            let mut env = process.copy_environment()?;
            env.insert(variable.clone(), slot.to_string().into());
            spec = spec.env(env.into());
        }
        let failed = |error: hotcell_process::LookupError| -> io::Result<()> {
            let why = match &error {
                hotcell_process::LookupError::NotFound => "No such file or directory".to_owned(),
                other => other.to_string(),
            };
            process.complain([name.as_slice(), b": ", why.as_bytes()].concat());
            process.exit(error.code())
        };
        if self.most_procs == 1 {
            match process.execute(spec) {
                Ok(status) => return self.note(&name, status),
                Err(error) => return failed(error),
            }
        }
        self.wait_for(self.most_procs - 1)?;
        let slot = (0..)
            .find(|slot| !self.children.iter().any(|(_, used)| used == slot))
            .unwrap_or(0);
        match process.execute_beside(spec) {
            Ok(child) => {
                self.children.push((child?, slot));
                Ok(())
            }
            Err(error) => failed(error),
        }
    }

    /// Waits until no more than so many commands run.
    fn wait_for(&mut self, most: usize) -> io::Result<()> {
        while self.children.len() > most {
            let process = self.process;
            let ended = process.block_on_poll(|_| {
                let found = self
                    .children
                    .iter()
                    .enumerate()
                    .find_map(|(at, (child, _))| match process.try_wait(*child) {
                        std::task::Poll::Ready(status) => Some((at, status)),
                        std::task::Poll::Pending => None,
                    });
                found.map_or(std::task::Poll::Pending, std::task::Poll::Ready)
            });
            let (at, status) = ended;
            self.children.remove(at);
            if let Some(status) = status {
                let name = self.command.first().cloned().unwrap_or_default();
                self.note(&name, status)?;
            }
        }
        Ok(())
    }

    fn note(&mut self, name: &BString, status: Status) -> io::Result<()> {
        match status {
            Status::Exited(255) => {
                self.process
                    .complain([name.as_slice(), b": exited with status 255; aborting"].concat());
                self.process.exit(124)
            }
            Status::Signaled(signal) => {
                let text = format!("{name}: terminated by signal {}", signal.number());
                self.process.complain(text);
                self.process.exit(125)
            }
            Status::Exited(0) => Ok(()),
            Status::Exited(code @ (126 | 127)) => self.process.exit(i32::from(code)),
            Status::Exited(_) => {
                self.code = 123;
                Ok(())
            }
        }
    }
}
