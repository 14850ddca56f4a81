//! `times` and `ulimit`

use bstr::BString;
use hotcell_process::Process;

use super::{
    Builtin, Run,
    arguments::{complain, print},
    parse,
};
use crate::{flow::Outcome, shell::Shell};

pub(super) const TIMES: Builtin = Builtin {
    name: "times",
    synopsis: "times",
    help: "Print how long the shell and the programs it ran have computed.",
    is_special: true,
    run: Run::Fields(|shell, process, _| {
        let busy = process.busy();
        let minutes = busy.as_secs() / 60;
        let seconds = busy.as_secs_f64() % 60.0;
        let text = format!("{minutes}m{seconds:.3}s 0m0.000s\n0m0.000s 0m0.000s\n");
        print(shell, process, "times", text.as_bytes())
    }),
};

pub(super) const ULIMIT: Builtin = Builtin {
    name: "ulimit",
    synopsis: "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]",
    help: "Print the limits of this run. They are set from outside: a limit can be given here only as it is.\n\
           -a all of them; -n open files; -u processes; -v memory (kbytes); -p pipe size (512 bytes)…",
    is_special: false,
    run: Run::Fields(run_ulimit),
};

struct Resource {
    letter: u8,
    description: &'static str,
    unit: &'static str,
}

const fn resource(letter: u8, description: &'static str, unit: &'static str) -> Resource {
    Resource {
        letter,
        description,
        unit,
    }
}

/// In the order of `ulimit -a`.
const RESOURCES: [Resource; 17] = [
    resource(b'R', "real-time non-blocking time", "microseconds, "),
    resource(b'c', "core file size", "blocks, "),
    resource(b'd', "data seg size", "kbytes, "),
    resource(b'e', "scheduling priority", ""),
    resource(b'f', "file size", "blocks, "),
    resource(b'i', "pending signals", ""),
    resource(b'l', "max locked memory", "kbytes, "),
    resource(b'm', "max memory size", "kbytes, "),
    resource(b'n', "open files", ""),
    resource(b'p', "pipe size", "512 bytes, "),
    resource(b'q', "POSIX message queues", "bytes, "),
    resource(b'r', "real-time priority", ""),
    resource(b's', "stack size", "kbytes, "),
    resource(b't', "cpu time", "seconds, "),
    resource(b'u', "max user processes", ""),
    resource(b'v', "virtual memory", "kbytes, "),
    resource(b'x', "file locks", ""),
];

impl Resource {
    /// What is allowed; `None` if there is no limit.
    fn limit(&self, process: &Process) -> Option<usize> {
        let limits = process.limits();
        match self.letter {
            b'c' | b'e' | b'i' | b'l' | b'q' | b'r' => Some(0),
            b'n' => Some(limits.descriptors),
            b'p' => Some(limits.pipe_bytes / 512),
            b'u' => Some(limits.processes),
            b'd' | b'm' | b'v' => match process.account().limit() {
                usize::MAX => None,
                bytes => Some(bytes / 1024),
            },
            _ => None,
        }
    }

    fn shown(&self, process: &Process) -> String {
        self.limit(process)
            .map_or_else(|| "unlimited".to_owned(), |limit| limit.to_string())
    }

    /// The line of `ulimit -a`.
    fn line(&self, process: &Process) -> String {
        let unit = format!("({}-{})", self.unit, char::from(self.letter));
        let width = 40 - self.description.len();
        format!(
            "{}{unit:>width$} {}\n",
            self.description,
            self.shown(process)
        )
    }
}

fn run_ulimit(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(ULIMIT, shell, process, fields, "SHabcdefiklmnpqrstuvxPRT");
    if parsed.has(b'a') {
        let text: String = RESOURCES
            .iter()
            .map(|resource| resource.line(process))
            .collect();
        return print(shell, process, "ulimit", text.as_bytes());
    }
    let mut wanted: Vec<&Resource> = Vec::new();
    for (letter, _) in parsed.iter() {
        if matches!(letter, b'S' | b'H') {
            continue;
        }
        if let Some(resource) = RESOURCES.iter().find(|resource| resource.letter == letter) {
            wanted.push(resource);
        } else {
            let text = format!("cannot get limit: {}: Invalid argument", char::from(letter));
            complain(shell, process, "ulimit", text);
            return Ok(1);
        }
    }
    if wanted.is_empty() {
        wanted.extend(RESOURCES.iter().find(|resource| resource.letter == b'f'));
    }
    let Some(limit) = parsed.operands.first() else {
        let text: String = match wanted.as_slice() {
            [only] => format!("{}\n", only.shown(process)),
            several => several
                .iter()
                .map(|resource| resource.line(process))
                .collect(),
        };
        return print(shell, process, "ulimit", text.as_bytes());
    };
    for resource in wanted {
        let now = resource.shown(process);
        let is_same = *limit == now || matches!(limit.as_slice(), b"hard" | b"soft");
        let is_number = limit == "unlimited" || limit.iter().all(u8::is_ascii_digit);
        if !is_number && !is_same {
            complain(shell, process, "ulimit", format!("{limit}: invalid number"));
            return Ok(1);
        }
        if !is_same {
            let text = format!(
                "{}: cannot modify limit: Operation not permitted",
                resource.description
            );
            complain(shell, process, "ulimit", text);
            return Ok(1);
        }
    }
    Ok(0)
}
