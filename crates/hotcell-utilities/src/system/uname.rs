//! `uname` and `arch`.

use std::io::{self, Write};

use hotcell_process::Process;

use crate::{Opt, Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};
pub(crate) const ARCH: Utility = Utility {
    usage: &ARCH_USAGE,
    main: arch,
};

const USAGE: Usage = Usage {
    name: "uname",
    synopsis: "[OPTION]...",
    summary: "Print certain system information.  With no OPTION, same as -s.",
    options: &[
        Opt::flag(
            'a',
            "all",
            "print all information, in the following order,\nexcept omit -p and -i if unknown",
        ),
        Opt::flag('s', "kernel-name", "print the kernel name"),
        Opt::flag('n', "nodename", "print the network node hostname"),
        Opt::flag('r', "kernel-release", "print the kernel release"),
        Opt::flag('v', "kernel-version", "print the kernel version"),
        Opt::flag('m', "machine", "print the machine hardware name"),
        Opt::flag('p', "processor", "print the processor type (non-portable)"),
        Opt::flag(
            'i',
            "hardware-platform",
            "print the hardware platform (non-portable)",
        ),
        Opt::flag('o', "operating-system", "print the operating system"),
    ],
    ..Usage::DEFAULT
};

const ARCH_USAGE: Usage = Usage {
    name: "arch",
    synopsis: "[OPTION]...",
    summary: "Print machine architecture.",
    ..Usage::DEFAULT
};

/// The machine that programs here believe in. It is not the host's: what runs is the same everywhere.
const MACHINE: &str = "x86_64";

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    if let Some(extra) = parsed.operands.first() {
        USAGE.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        );
    }
    let all = parsed.has("all");
    let node = super::host_name(process);
    let version = concat!("#1 hotcell ", env!("CARGO_PKG_VERSION"));
    let parts = [
        ("kernel-name", "Linux", true),
        ("nodename", node.as_str(), true),
        ("kernel-release", "6.1.0-hotcell", true),
        ("kernel-version", version, true),
        ("machine", MACHINE, true),
        ("processor", "unknown", false),
        ("hardware-platform", "unknown", false),
        ("operating-system", "GNU/Linux", true),
    ];
    let none = parsed.iter().next().is_none();
    let shown = parts.iter().filter(|(name, _, in_all)| {
        parsed.has(name) || all && *in_all || none && *name == "kernel-name"
    });
    let words: Vec<&str> = shown.map(|(_, word, _)| *word).collect();
    let mut out = process.stdout();
    writeln!(out, "{}", words.join(" "))?;
    out.flush()?;
    Ok(0)
}

fn arch(process: &Process) -> io::Result<i32> {
    ARCH_USAGE.parse(process);
    let mut out = process.stdout();
    writeln!(out, "{MACHINE}")?;
    out.flush()?;
    Ok(0)
}
