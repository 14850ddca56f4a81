//! `ed`.

mod address;
mod buffer;
mod editor;
mod substitute;

use std::io;

use bstr::BString;
use hotcell_process::Process;

use self::editor::{Editor, Settings};
use crate::{Opt, Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "ed",
    letters: b"hV",
    synopsis: "[OPTION]... [FILE]",
    summary: "Edit the lines of FILE as commands on standard input say.",
    options: &[
        Opt::flag('E', "extended-regexp", "use extended regular expressions"),
        Opt::flag('G', "traditional", "accepted; commands are the same"),
        Opt::flag(
            'l',
            "loose-exit-status",
            "exit with 0 status even if a command fails",
        ),
        Opt::value(
            'p',
            "prompt",
            "STRING",
            "use STRING as an interactive prompt",
        ),
        Opt::flag('q', "quiet", "accepted; messages stay"),
        Opt::flag('r', "restricted", "run in restricted mode"),
        Opt::flag('s', "silent", "suppress byte counts and '!' prompt"),
        Opt::flag('\0', "script", "same as --silent"),
        Opt::flag(
            '\0',
            "strip-trailing-cr",
            "strip carriage returns at end of text lines",
        ),
        Opt::flag('v', "verbose", "be verbose; equivalent to the 'H' command"),
    ],
    notes: "FILE may begin with '!': then it is a command, and what it prints is read.",
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    // A lone minus is what -s was once.
    let arguments: Vec<BString> = process
        .args()
        .iter()
        .skip(1)
        .map(|argument| {
            if argument == "-" {
                "-s".into()
            } else {
                argument.clone()
            }
        })
        .collect();
    let parsed = USAGE.parse_args(process, &arguments);
    let file = match parsed.operands.as_slice() {
        [] => None,
        [file] => Some(file),
        [_, extra, ..] => USAGE.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        ),
    };
    let settings = Settings {
        is_extended: parsed.has("extended-regexp"),
        is_silent: parsed.has("silent") || parsed.has("script"),
        is_verbose: parsed.has("verbose"),
        is_restricted: parsed.has("restricted"),
        strips_returns: parsed.has("strip-trailing-cr"),
        prompt: parsed.value("prompt").map(BString::from),
    };
    let mut editor = Editor::new(process, settings)?;
    if let Some(file) = file {
        editor.open(file)?;
    }
    let code = editor.run()?;
    Ok(if parsed.has("loose-exit-status") {
        0
    } else {
        code
    })
}
