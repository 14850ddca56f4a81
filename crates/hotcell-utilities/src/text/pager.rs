//! `less` and `more`. There is no terminal to page on, so that both copy, as the real ones do then.

use std::io::{self, Read, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::{Process, error_text};
use hotcell_vfs::Errno;

use crate::{Opt, Usage, Utility};

const LESS_USAGE: Usage = Usage {
    name: "less",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Show files, one screen after the other. Without a terminal, as here, they are copied.",
    options: LESS_OPTIONS,
    ..Usage::DEFAULT
};

pub(crate) const LESS: Utility = Utility {
    usage: &LESS_USAGE,
    main: less,
};

/// How things look on a screen; without one, they change nothing.
const LESS_OPTIONS: &[Opt] = &[
    Opt::flag('a', "search-skip-screen", "search skips what is displayed"),
    Opt::flag(
        'A',
        "SEARCH-SKIP-SCREEN",
        "search starts just after the target line",
    ),
    Opt::value('b', "buffers", "N", "number of buffers"),
    Opt::flag('B', "auto-buffers", "do not allocate buffers for pipes"),
    Opt::flag(
        'c',
        "clear-screen",
        "repaint by clearing rather than scrolling",
    ),
    Opt::flag('d', "dumb", "dumb terminal"),
    Opt::flag('e', "quit-at-eof", "quit at end of file"),
    Opt::flag('E', "QUIT-AT-EOF", "quit at end of file"),
    Opt::flag('f', "force", "force open non-regular files"),
    Opt::flag(
        'F',
        "quit-if-one-screen",
        "quit if entire file fits on first screen",
    ),
    Opt::flag(
        'g',
        "hilite-search",
        "highlight only last match for searches",
    ),
    Opt::flag(
        'G',
        "HILITE-SEARCH",
        "do not highlight any matches for searches",
    ),
    Opt::value('h', "max-back-scroll", "N", "backward scroll limit"),
    Opt::flag('i', "ignore-case", "ignore case in searches"),
    Opt::flag(
        'I',
        "IGNORE-CASE",
        "ignore case in searches and in patterns",
    ),
    Opt::value('j', "jump-target", "N", "screen position of target lines"),
    Opt::flag('J', "status-column", "display a status column"),
    Opt::flag('K', "quit-on-intr", "exit in response to ctrl-C"),
    Opt::flag(
        'L',
        "no-lessopen",
        "ignore the LESSOPEN environment variable",
    ),
    Opt::flag('m', "long-prompt", "prompt style"),
    Opt::flag('M', "LONG-PROMPT", "prompt style"),
    Opt::flag('n', "line-numbers", "suppress line numbers in prompts"),
    Opt::flag(
        'N',
        "LINE-NUMBERS",
        "display line number at start of each line",
    ),
    Opt::value('p', "pattern", "PATTERN", "start at pattern"),
    Opt::value('P', "prompt", "PROMPT", "define a prompt"),
    Opt::flag('q', "quiet", "quiet the terminal bell"),
    Opt::flag('Q', "QUIET", "quiet the terminal bell"),
    Opt::flag('r', "raw-control-chars", "output raw control characters"),
    Opt::flag('R', "RAW-CONTROL-CHARS", "output color escape sequences"),
    Opt::flag('s', "squeeze-blank-lines", "squeeze multiple blank lines"),
    Opt::flag(
        'S',
        "chop-long-lines",
        "chop long lines rather than wrapping",
    ),
    Opt::flag('u', "underline-special", "backspaces as they are"),
    Opt::flag('U', "UNDERLINE-SPECIAL", "backspaces as control characters"),
    Opt::flag(
        'w',
        "hilite-unread",
        "highlight first new line after forward-screen",
    ),
    Opt::flag(
        'W',
        "HILITE-UNREAD",
        "highlight first new line after any forward movement",
    ),
    Opt::value('x', "tabs", "N", "set tab stops"),
    Opt::flag('X', "no-init", "do not use termcap init strings"),
    Opt::value('y', "max-forw-scroll", "N", "forward scroll limit"),
    Opt::value('z', "window", "N", "set size of window"),
    Opt::value('#', "shift", "N", "horizontal scroll amount"),
    Opt::flag('~', "tilde", "do not display tildes after end of file"),
];

fn less(process: &Process) -> io::Result<i32> {
    let args = process.args().get(1..).unwrap_or_default();
    let without_commands = |arg: &&BString| !(arg.starts_with(b"+") && arg.len() > 1);
    let args: Vec<BString> = args.iter().filter(without_commands).cloned().collect();
    // An option that it does not have is told of, and left out.
    let mut known: Vec<BString> = Vec::new();
    for arg in args {
        let is_operand = known.iter().any(|arg| arg == "--");
        if !is_operand && let Some(unknown) = unknown_option(std::slice::from_ref(&arg)) {
            let text = format!("There is no {unknown} option (\"less --help\" for help)\n");
            process.stderr().write_all(text.as_bytes())?;
        } else {
            known.push(arg);
        }
    }
    let args = known;
    let parsed = LESS_USAGE.parse_args(process, &args);
    let operands = match parsed.operands.as_slice() {
        [] => vec![BString::from("-")],
        operands => operands.to_vec(),
    };
    let mut out = process.stdout();
    for name in &operands {
        // What went wrong is shown where the text would be.
        let mut input = match process.open_input(name) {
            Ok(input) => input,
            Err(error) if error.raw_os_error() == Some(Errno::EISDIR.code()) => {
                writeln!(out, "{name} is a directory")?;
                continue;
            }
            Err(error) => {
                writeln!(out, "{name}: {}", error_text(&error))?;
                continue;
            }
        };
        copy(&mut input, &mut out)?;
    }
    out.flush()?;
    Ok(0)
}

/// The first option that `less` does not have, as it would name it.
fn unknown_option(args: &[BString]) -> Option<BString> {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "--" {
            return None;
        }
        if let Some(long) = arg.strip_prefix(b"--") {
            let name = long.split_str("=").next().unwrap_or_default();
            let begins = |opt: &Opt| {
                opt.long
                    .is_some_and(|known| known.as_bytes().starts_with(name))
            };
            if !LESS_OPTIONS.iter().any(begins) && name != b"help" && name != b"version" {
                return Some(name.into());
            }
        } else if let Some(mut letters) = arg.strip_prefix(b"-") {
            while let Some((letter, rest)) = letters.split_first() {
                letters = rest;
                let Some(opt) = LESS_OPTIONS.iter().find(|opt| opt.short == Some(*letter)) else {
                    return Some(BString::from(vec![*letter]));
                };
                if matches!(opt.value, crate::options::OptValue::Required(_)) {
                    if rest.is_empty() {
                        args.next();
                    }
                    break;
                }
            }
        }
    }
    None
}

const MORE_USAGE: Usage = Usage {
    name: "more",
    letters: b"hV",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Show files, one screen after the other. Without a terminal, as here, they are copied.",
    options: &[
        Opt::flag('d', "silent", "display help instead of ringing bell"),
        Opt::flag('f', "logical", "count logical rather than screen lines"),
        Opt::flag('l', "no-pause", "suppress pause after form feed"),
        Opt::flag(
            'c',
            "print-over",
            "do not scroll, display text and clean line ends",
        ),
        Opt::flag(
            'p',
            "clean-print",
            "do not scroll, clean screen and display text",
        ),
        Opt::flag('e', "exit-on-eof", "exit on end-of-file"),
        Opt::flag('s', "squeeze", "squeeze multiple blank lines into one"),
        Opt::flag('u', "plain", "suppress underlining and bold"),
        Opt::value('n', "lines", "NUMBER", "the number of lines per screenful"),
    ],
    ..Usage::DEFAULT
};

pub(crate) const MORE: Utility = Utility {
    usage: &MORE_USAGE,
    main: more,
};

fn more(process: &Process) -> io::Result<i32> {
    let parsed = MORE_USAGE.parse(process);
    let operands = match parsed.operands.as_slice() {
        [] => vec![BString::from("-")],
        operands => operands.to_vec(),
    };
    let mut out = process.stdout();
    for name in &operands {
        let mut input = match process.open_input(name) {
            Ok(input) => input,
            Err(error) if error.raw_os_error() == Some(Errno::EISDIR.code()) => {
                write!(out, "\n*** {name}: directory ***\n\n")?;
                continue;
            }
            Err(error) => {
                out.flush()?;
                process.complain(format!("cannot open {name}: {}", error_text(&error)));
                continue;
            }
        };
        if name != "-" {
            write!(out, "::::::::::::::\n{name}\n::::::::::::::\n")?;
        }
        copy(&mut input, &mut out)?;
    }
    out.flush()?;
    Ok(0)
}

fn copy(input: &mut impl Read, out: &mut impl Write) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = input.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        out.write_all(buffer.get(..read).unwrap_or_default())?;
    }
}
