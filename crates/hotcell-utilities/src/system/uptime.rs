//! `uptime`: how long the run has gone on, which is all that is up here.

use std::io::{self, Write};

use hotcell_process::Process;

use crate::{Opt, Usage, Utility, calendar};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "uptime",
    synopsis: "[options]",
    summary: "Tell how long the system has been running.",
    options: &[
        Opt::flag('p', "pretty", "show uptime in pretty format"),
        Opt::flag('h', "help", "display this help and exit"),
        Opt::flag('s', "since", "system up since"),
        Opt::flag('V', "version", "output version information and exit"),
    ],
    hint: HINT,
    ..Usage::DEFAULT
};

const HINT: &str = "
Usage:
 uptime [options]

Options:
 -p, --pretty   show uptime in pretty format
 -h, --help     display this help and exit
 -s, --since    system up since
 -V, --version  output version information and exit

For more details see uptime(1).";

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    if !parsed.operands.is_empty() {
        writeln!(process.stderr(), "{HINT}")?;
        return Ok(1);
    }
    let seconds = process.up_for().as_secs();
    let now = process.now().seconds();
    let zone = calendar::zone_of(process);
    let mut text = Vec::new();
    if parsed.has("since") {
        let since = now.saturating_sub(i64::try_from(seconds).unwrap_or(0));
        if let Some(time) = calendar::at(since, 0, &zone) {
            calendar::format(&mut text, b"%Y-%m-%d %H:%M:%S", &time, 64);
        }
    } else if parsed.has("pretty") {
        text = pretty(seconds).into_bytes();
    } else {
        if let Some(time) = calendar::at(now, 0, &zone) {
            calendar::format(&mut text, b" %H:%M:%S", &time, 64);
        }
        let (days, hours, minutes) = (seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60);
        write!(text, " up ")?;
        match days {
            0 => {}
            1 => write!(text, "1 day, ")?,
            days => write!(text, "{days} days, ")?,
        }
        match hours {
            0 => write!(text, "{minutes} min, ")?,
            hours => write!(text, "{hours:2}:{minutes:02}, ")?,
        }
        // Nobody is logged in, and no load is measured.
        write!(text, " 0 user,  load average: 0.00, 0.00, 0.00")?;
    }
    text.push(b'\n');
    process.stdout().write_all(&text)?;
    Ok(0)
}

fn pretty(seconds: u64) -> String {
    let parts = [
        (seconds / (86400 * 7), "week"),
        (seconds / 86400 % 7, "day"),
        (seconds / 3600 % 24, "hour"),
        (seconds / 60 % 60, "minute"),
    ];
    let shown = parts
        .iter()
        .filter(|(count, unit)| *count > 0 || (*unit == "minute" && seconds < 60));
    let shown: Vec<String> = shown
        .map(|(count, unit)| format!("{count} {unit}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    format!("up {}", shown.join(", "))
}
