//! `chown` and `chgrp`. Files have no owners here: they are the one user's, and giving them to that user changes nothing;
//! giving them to anybody else is refused, as it is to everybody but root.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, error_text, file_error};

use crate::{Opt, Parsed, Usage, Utility, identity, quote::quote};

pub(crate) const CHOWN: Utility = Utility {
    usage: &CHOWN_USAGE,
    main: |process| main(process, &CHOWN_USAGE, true),
};
pub(crate) const CHGRP: Utility = Utility {
    usage: &CHGRP_USAGE,
    main: |process| main(process, &CHGRP_USAGE, false),
};

const CHOWN_USAGE: Usage = Usage {
    name: "chown",
    synopsis: "[OPTION]... [OWNER][:[GROUP]] FILE...\n[OPTION]... --reference=RFILE FILE...",
    summary: "Change the owner and/or group of each FILE to OWNER and/or GROUP.",
    options: OPTIONS,
    ..Usage::DEFAULT
};

const CHGRP_USAGE: Usage = Usage {
    name: "chgrp",
    synopsis: "[OPTION]... GROUP FILE...\n[OPTION]... --reference=RFILE FILE...",
    summary: "Change the group of each FILE to GROUP.",
    options: OPTIONS,
    ..Usage::DEFAULT
};

const OPTIONS: &[Opt] = &[
    Opt::flag(
        'c',
        "changes",
        "like verbose but report only when a change is made",
    ),
    Opt::flag('f', "silent", "suppress most error messages"),
    Opt::flag('\0', "quiet", "same as --silent"),
    Opt::flag(
        'v',
        "verbose",
        "output a diagnostic for every file processed",
    ),
    Opt::flag(
        '\0',
        "dereference",
        "affect the referent of each symbolic link (the default)",
    ),
    Opt::flag(
        'h',
        "no-dereference",
        "affect symbolic links instead of any referenced file",
    ),
    Opt::value(
        '\0',
        "from",
        "CURRENT_OWNER:CURRENT_GROUP",
        "change only files with that owner and/or group",
    ),
    Opt::flag(
        '\0',
        "no-preserve-root",
        "do not treat '/' specially (the default)",
    ),
    Opt::flag('\0', "preserve-root", "fail to operate recursively on '/'"),
    Opt::value('\0', "reference", "RFILE", "use RFILE's owner and group"),
    Opt::flag(
        'R',
        "recursive",
        "operate on files and directories recursively",
    ),
    Opt::flag(
        'H',
        "",
        "if a command line argument is a link to a directory, traverse it",
    ),
    Opt::flag(
        'L',
        "",
        "traverse every symbolic link to a directory encountered",
    ),
    Opt::flag('P', "", "do not traverse any symbolic links (default)"),
];

fn main(process: &Process, usage: &Usage, is_owner: bool) -> io::Result<i32> {
    let parsed = usage.parse(process);
    let mut operands = parsed.operands.iter();
    let mut wanted = Wanted {
        is_ours: true,
        shown: identity::NAME.into(),
    };
    if let Some(reference) = parsed.value("reference") {
        if let Err(error) = process.metadata(reference, true) {
            let name = quote(reference);
            process.complain(format!(
                "failed to get attributes of {name}: {}",
                error_text(&error)
            ));
            return Ok(1);
        }
    } else {
        let Some(text) = operands.next() else {
            usage.fail(process, "missing operand");
        };
        if operands.as_slice().is_empty() {
            usage.fail(process, format!("missing operand after {}", quote(text)));
        }
        wanted = match Wanted::parse(text, is_owner) {
            Ok(wanted) => wanted,
            Err(message) => {
                process.complain(message);
                return Ok(1);
            }
        };
    }
    let mut is_good = true;
    if let Some(from) = parsed.value("from") {
        match Wanted::parse(&BString::from(from), true) {
            // They are all that one's.
            Ok(from) if from.is_ours => {}
            Ok(_) => return Ok(0),
            Err(message) => {
                process.complain(message);
                return Ok(1);
            }
        }
    }
    let keeps_root =
        parsed.last_of(&["preserve-root", "no-preserve-root"]) == Some("preserve-root");
    for name in operands {
        let path = process.resolve(name).normalize();
        if keeps_root && parsed.has("recursive") && path.as_bytes() == b"/" {
            process.complain("it is dangerous to operate recursively on '/'");
            process.complain("use --no-preserve-root to override this failsafe");
            is_good = false;
            continue;
        }
        is_good &= tree(process, &parsed, &wanted, is_owner, name.as_bstr())?;
    }
    Ok(i32::from(!is_good))
}

/// Whom files are to be given to.
struct Wanted {
    is_ours: bool,
    shown: BString,
}

impl Wanted {
    fn parse(text: &BString, is_owner: bool) -> Result<Self, String> {
        let (user, group) = match text.find_byteset(":") {
            Some(at) if is_owner => (text.get(..at), text.get(at + 1..)),
            _ if is_owner => (Some(text.as_slice()), None),
            _ => (None, Some(text.as_slice())),
        };
        let mut is_ours = true;
        for (part, kind) in [(user, "user"), (group, "group")] {
            let part = part.unwrap_or_default();
            let number: Option<u32> = part.to_str().ok().and_then(|part| part.parse().ok());
            let id = match number {
                Some(id) => id,
                None if part.is_empty() || part == identity::NAME.as_bytes() => identity::ID,
                None if part == b"root" => 0,
                None => return Err(format!("invalid {kind}: {}", quote(text))),
            };
            is_ours &= id == identity::ID;
        }
        Ok(Self {
            is_ours,
            shown: text.clone(),
        })
    }
}

fn tree(
    process: &Process,
    parsed: &Parsed,
    wanted: &Wanted,
    is_owner: bool,
    name: &BStr,
) -> io::Result<bool> {
    let is_silent = parsed.has("silent") || parsed.has("quiet");
    let what = if is_owner { "ownership" } else { "group" };
    let mut is_good = true;
    let mut names = vec![BString::from(name)];
    while let Some(name) = names.pop() {
        process.spend(64);
        let path = process.resolve(&name);
        let follows = !parsed.has("no-dereference") && !parsed.has("recursive");
        let meta = match process.metadata(&name, follows) {
            Ok(meta) => meta,
            Err(error) => {
                is_good = false;
                if !is_silent {
                    // A link that leads nowhere is there itself.
                    let verb = if follows && process.metadata(&name, false).is_ok() {
                        "dereference"
                    } else {
                        "access"
                    };
                    process.complain(format!(
                        "cannot {verb} {}: {}",
                        quote(&name),
                        error_text(&error)
                    ));
                }
                continue;
            }
        };
        if !wanted.is_ours {
            is_good = false;
            if !is_silent {
                process.complain(format!(
                    "changing {what} of {}: Operation not permitted",
                    quote(&name)
                ));
            }
        } else if parsed.has("verbose") {
            let line = format!("{what} of {} retained as {}\n", quote(&name), wanted.shown);
            process.stdout().write_all(line.as_bytes())?;
        }
        if parsed.has("recursive") && meta.is_dir() {
            match process.vfs().readdir(&path).map_err(file_error) {
                Ok(entries) => {
                    let base = name.trim_end_with(|letter| letter == '/');
                    let below = entries.iter().rev();
                    names.extend(
                        below.map(|entry| BString::from([base, b"/", &entry.name].concat())),
                    );
                }
                Err(error) => {
                    is_good = false;
                    let text = format!(
                        "cannot read directory {}: {}",
                        quote(&name),
                        error_text(&error)
                    );
                    process.complain(text);
                }
            }
        }
    }
    Ok(is_good)
}
