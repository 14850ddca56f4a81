//! Utilities that say one thing.

use std::io::{self, Write};

use bstr::ByteSlice;
use hotcell_process::Process;

use crate::{Opt, Usage, Utility, identity, quote::quote};

/// A utility of which each of these is one.
macro_rules! simple {
    ($($constant:ident, $usage:ident, $name:literal, $synopsis:literal, $summary:literal, $options:expr, $main:expr;)*) => {
        $(
            pub(crate) const $constant: Utility = Utility { usage: &$usage, main: $main };

            const $usage: Usage = Usage {
                name: $name,
                synopsis: $synopsis,
                summary: $summary,
                options: &$options,
                ..Usage::DEFAULT
            };
        )*

        pub(crate) const UTILITIES: &[Utility] = &[$($constant),*];
    };
}

simple! {
    FALSE, FALSE_USAGE, "false", "[ignored command line arguments]\nOPTION", "Exit with a status code indicating failure.", [], |_| Ok(1);
    TRUE, TRUE_USAGE, "true", "[ignored command line arguments]\nOPTION", "Exit with a status code indicating success.", [], |_| Ok(0);
    WHOAMI, WHOAMI_USAGE, "whoami", "[OPTION]...", "Print the user name associated with the current effective user ID.", [],
        |process| one(process, &WHOAMI_USAGE, identity::NAME);
    LOGNAME, LOGNAME_USAGE, "logname", "[OPTION]", "Print the name of the current user.", [],
        |process| one(process, &LOGNAME_USAGE, identity::NAME);
    USERS, USERS_USAGE, "users", "[OPTION]... [FILE]", "Output who is currently logged in according to FILE.", [],
        |process| one(process, &USERS_USAGE, identity::NAME);
    GROUPS, GROUPS_USAGE, "groups", "[OPTION]... [USERNAME]...",
        "Print group memberships for each USERNAME or, if no USERNAME is specified, for\nthe current process.", [], groups;
    HOSTNAME, HOSTNAME_USAGE, "hostname", "[OPTION]...", "Print the name of the host.",
        [Opt::flag('s', "short", "short host name"), Opt::flag('f', "fqdn", "long host name (FQDN)"),
         Opt::flag('i', "ip-address", "addresses for the host name"), Opt::flag('I', "all-ip-addresses", "all addresses for the host")],
        hostname;
    NPROC, NPROC_USAGE, "nproc", "[OPTION]...",
        "Print the number of processing units available to the current process.",
        [Opt::flag('\0', "all", "print the number of installed processors"),
         Opt::value('\0', "ignore", "N", "if possible, exclude N processing units")],
        |process| {
            let parsed = NPROC_USAGE.parse(process);
            if let Some(extra) = parsed.operands.first() {
                NPROC_USAGE.fail(process, [b"extra operand ", quote(extra).as_slice()].concat());
            }
            if let Some(text) = parsed.value("ignore")
                && text.to_str().ok().and_then(|text| text.parse::<u64>().ok()).is_none()
            {
                process.complain([b"invalid number: ", quote(text).as_slice()].concat());
                return Ok(1);
            }
            say(process, "1")
        };
    TTY, TTY_USAGE, "tty", "[OPTION]...", "Print the file name of the terminal connected to standard input.",
        [Opt::flag('s', "silent", "print nothing, only return an exit status"), Opt::flag('\0', "quiet", "same as --silent")], tty;
    SYNC, SYNC_USAGE, "sync", "[OPTION] [FILE]...", "Synchronize cached writes to persistent storage.",
        [Opt::flag('d', "data", "sync only file data, no unneeded metadata"),
         Opt::flag('f', "file-system", "sync the file systems that contain the files")], sync;
    PRINTENV, PRINTENV_USAGE, "printenv", "[OPTION]... [VARIABLE]...",
        "Print the values of the specified environment VARIABLE(s).\nIf no VARIABLE is specified, print name and value pairs for them all.",
        [Opt::flag('0', "null", "end each output line with NUL, not newline")], printenv;
    PWD, PWD_USAGE, "pwd", "[OPTION]...", "Print the full filename of the current working directory.",
        [Opt::flag('L', "logical", "use PWD from environment, even if it contains symlinks"),
         Opt::flag('P', "physical", "avoid all symlinks")], pwd;
}

fn say(process: &Process, text: &str) -> io::Result<i32> {
    let mut out = process.stdout();
    writeln!(out, "{text}")?;
    out.flush()?;
    Ok(0)
}

fn one(process: &Process, usage: &Usage, text: &str) -> io::Result<i32> {
    let parsed = usage.parse(process);
    if let Some(extra) = parsed.operands.first() {
        usage.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        );
    }
    say(process, text)
}

fn groups(process: &Process) -> io::Result<i32> {
    let parsed = GROUPS_USAGE.parse(process);
    let mut code = 0;
    let mut out = process.stdout();
    if parsed.operands.is_empty() {
        writeln!(out, "{}", identity::NAME)?;
    }
    for name in &parsed.operands {
        if name == identity::NAME {
            writeln!(out, "{name} : {}", identity::NAME)?;
        } else {
            process.complain([quote(name).as_slice(), b": no such user"].concat());
            code = 1;
        }
    }
    out.flush()?;
    Ok(code)
}

fn hostname(process: &Process) -> io::Result<i32> {
    let parsed = HOSTNAME_USAGE.parse(process);
    if !parsed.operands.is_empty() {
        process.complain("you must be root to change the host name");
        return Ok(1);
    }
    if parsed.has("ip-address") || parsed.has("all-ip-addresses") {
        return say(process, "127.0.0.1");
    }
    say(process, &super::host_name(process))
}

fn tty(process: &Process) -> io::Result<i32> {
    let parsed = TTY_USAGE.parse(process);
    let is_silent = parsed.has("silent") || parsed.has("quiet");
    let is_terminal = process.stdin().stream().is_terminal();
    if !is_silent {
        say(process, if is_terminal { "/dev/tty" } else { "not a tty" })?;
    }
    Ok(i32::from(!is_terminal))
}

fn sync(process: &Process) -> io::Result<i32> {
    let parsed = SYNC_USAGE.parse(process);
    let mut code = 0;
    for name in &parsed.operands {
        // Files here are as safe as they get; what is asked for must be there all the same.
        if let Err(error) = process
            .vfs()
            .stat(&process.resolve(name))
            .map_err(hotcell_process::file_error)
        {
            let text = [
                b"error opening ",
                quote(name).as_slice(),
                b": ",
                hotcell_process::error_text(&error).as_bytes(),
            ]
            .concat();
            process.complain(text);
            code = 1;
        }
    }
    Ok(code)
}

fn printenv(process: &Process) -> io::Result<i32> {
    let parsed = PRINTENV_USAGE.parse(process);
    let end = if parsed.has("null") { 0 } else { b'\n' };
    let environment = process.environment();
    let mut out = process.stdout();
    let mut code = 0;
    if parsed.operands.is_empty() {
        for (name, value) in process.environ().iter() {
            out.write_all(&[name.as_slice(), b"=", value, &[end]].concat())?;
        }
    }
    for name in &parsed.operands {
        match environment.get(name) {
            Some(value) => out.write_all(&[value.as_slice(), &[end]].concat())?,
            None => code = 1,
        }
    }
    out.flush()?;
    Ok(code)
}

fn pwd(process: &Process) -> io::Result<i32> {
    let parsed = PWD_USAGE.parse(process);
    if let Some(extra) = parsed.operands.first() {
        let _ = extra;
        process.complain("ignoring non-option arguments");
    }
    let cwd = process.cwd().to_owned();
    let logical = process
        .env("PWD")
        .filter(|_| parsed.last_of(&["logical", "physical"]) == Some("logical"));
    let same = |path: &[u8]| {
        let stat = |path: &hotcell_vfs::VfsPath| {
            process
                .vfs()
                .stat(path)
                .map(|meta| (meta.dev, meta.ino))
                .ok()
        };
        path.starts_with(b"/") && stat(hotcell_vfs::VfsPath::new(path)) == stat(&cwd)
    };
    let shown = match logical.filter(|path| same(path)) {
        Some(path) => path.to_vec(),
        None => process
            .vfs()
            .realpath(&cwd)
            .unwrap_or(cwd.clone())
            .into_bytes(),
    };
    let mut out = process.stdout();
    out.write_all(&shown)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(0)
}
