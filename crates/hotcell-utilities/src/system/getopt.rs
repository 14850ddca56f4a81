//! `getopt` of util-linux: options of shell scripts, sorted out.

use std::io::{self, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use crate::{Opt, Parsed, Usage, Utility};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "getopt",
    letters: b"hV",
    synopsis: "<optstring> <parameters>\n[options] [--] <optstring> <parameters>\n[options] -o|--options <optstring> [options] [--] <parameters>",
    summary: "Parse command options.",
    options: &[
        Opt::flag(
            'a',
            "alternative",
            "allow long options starting with single -",
        ),
        Opt::value(
            'l',
            "longoptions",
            "longopts",
            "the long options to be recognized",
        ),
        Opt::value(
            'n',
            "name",
            "progname",
            "the name under which errors are reported",
        ),
        Opt::value(
            'o',
            "options",
            "optstring",
            "the short options to be recognized",
        ),
        Opt::flag('q', "quiet", "disable error reporting by getopt(3)"),
        Opt::flag('Q', "quiet-output", "no normal output"),
        Opt::value(
            's',
            "shell",
            "shell",
            "set quoting conventions to those of <shell>",
        ),
        Opt::flag('T', "test", "test for getopt(1) version"),
        Opt::flag('u', "unquoted", "do not quote the output"),
    ],
    error_code: 2,
    stops_at_operand: true,
    ..Usage::DEFAULT
};

/// How options and operands may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Permuted,
    /// The first operand ends the options.
    Strict,
    /// Operands stay where they are.
    InPlace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Argument {
    None,
    Required,
    Optional,
}

struct Scan<'p> {
    process: &'p Process,
    name: BString,
    short: Vec<(u8, Argument)>,
    long: Vec<(BString, Argument)>,
    order: Order,
    has_single_dash: bool,
    is_quiet: bool,
    is_quoted: bool,
    is_csh: bool,
    out: Vec<u8>,
    has_failed: bool,
}

fn main(process: &Process) -> io::Result<i32> {
    let args = process.args().get(1..).unwrap_or_default();
    let is_old = process.env("GETOPT_COMPATIBLE").is_some()
        || args.first().is_some_and(|first| !first.starts_with(b"-"));
    let mut parsed = if is_old {
        let mut parsed = Parsed::default();
        parsed.operands.extend_from_slice(args);
        parsed
    } else {
        USAGE.parse(process)
    };
    if parsed.has("test") {
        return Ok(4);
    }
    let mut operands = std::mem::take(&mut parsed.operands).into_iter();
    let short = match parsed.value("options") {
        Some(short) => BString::from(short),
        None => match operands.next() {
            Some(short) => short,
            None => USAGE.fail(process, "missing optstring argument"),
        },
    };
    let is_csh = match parsed.value("shell").map(|shell| shell.to_vec()).as_deref() {
        None | Some(b"sh" | b"bash") => false,
        Some(b"csh" | b"tcsh") => true,
        Some(_) => USAGE.fail(process, "unknown shell after -s or --shell argument"),
    };
    let (order, short) = match short.first() {
        Some(b'+') => (Order::Strict, short.get(1..)),
        Some(b'-') => (Order::InPlace, short.get(1..)),
        _ if process.env("POSIXLY_CORRECT").is_some() => (Order::Strict, Some(short.as_slice())),
        _ => (Order::Permuted, Some(short.as_slice())),
    };
    let mut scan = Scan {
        process,
        name: parsed.value("name").unwrap_or(process.name()).into(),
        short: letters(short.unwrap_or_default()),
        long: parsed
            .values("longoptions")
            .flat_map(|list| names(list))
            .collect(),
        order,
        has_single_dash: parsed.has("alternative"),
        is_quiet: parsed.has("quiet"),
        is_quoted: !is_old && !parsed.has("unquoted"),
        is_csh,
        out: Vec::new(),
        has_failed: false,
    };
    scan.all(operands);
    if !parsed.has("quiet-output") {
        scan.out.push(b'\n');
        let mut out = process.stdout();
        out.write_all(&scan.out)?;
        out.flush()?;
    }
    Ok(i32::from(scan.has_failed))
}

/// What colons behind an option say.
fn argument(colons: usize) -> Argument {
    match colons {
        0 => Argument::None,
        1 => Argument::Required,
        _ => Argument::Optional,
    }
}

fn letters(text: &[u8]) -> Vec<(u8, Argument)> {
    let mut letters = Vec::new();
    let mut rest = text;
    while let Some((letter, after)) = rest.split_first() {
        let colons = after
            .iter()
            .take(2)
            .take_while(|byte| **byte == b':')
            .count();
        rest = after.get(colons..).unwrap_or_default();
        if *letter != b':' {
            letters.push((*letter, argument(colons)));
        }
    }
    letters
}

fn names(list: &[u8]) -> Vec<(BString, Argument)> {
    let parts = list.split(|byte| b", \t\n".contains(byte));
    parts
        .filter(|part| !part.is_empty())
        .map(|part| {
            let name = part.trim_end_with(|letter| letter == ':');
            (name.into(), argument(part.len() - name.len()))
        })
        .collect()
}

impl Scan<'_> {
    fn all(&mut self, mut args: impl Iterator<Item = BString>) {
        let mut operands: Vec<BString> = Vec::new();
        while let Some(arg) = args.next() {
            self.process.spend(arg.len() + 16);
            match arg.as_slice() {
                b"--" => {
                    operands.extend(args.by_ref());
                }
                [b'-', b'-', long @ ..] => self.long(long, &mut args, "--"),
                [b'-', letters @ ..] if !letters.is_empty() => {
                    let is_long = self.has_single_dash
                        && (letters.len() > 1 || !self.short.iter().any(|(l, _)| [*l] == letters))
                        && self.knows(letters);
                    if is_long {
                        self.long(letters, &mut args, "-");
                    } else {
                        self.letters(letters, &mut args);
                    }
                }
                _ => match self.order {
                    Order::Permuted => operands.push(arg),
                    Order::InPlace => self.put(&arg),
                    Order::Strict => {
                        operands.push(arg);
                        operands.extend(args.by_ref());
                    }
                },
            }
        }
        self.out.extend_from_slice(b" --");
        for operand in operands {
            self.put(&operand);
        }
    }

    fn knows(&self, arg: &[u8]) -> bool {
        let name = arg.split_once_str("=").map_or(arg, |(name, _)| name);
        self.long.iter().any(|(long, _)| long.starts_with(name))
    }

    fn long(&mut self, arg: &[u8], args: &mut impl Iterator<Item = BString>, dashes: &str) {
        let (name, value) = match arg.split_once_str("=") {
            Some((name, value)) => (name, Some(BString::from(value))),
            None => (arg, None),
        };
        let exact: Vec<_> = self.long.iter().filter(|(long, _)| long == name).collect();
        let near: Vec<_> = if exact.is_empty() {
            let starts = |(long, _): &&(BString, Argument)| long.starts_with(name);
            self.long.iter().filter(starts).collect()
        } else {
            exact.into_iter().take(1).collect()
        };
        let (long, argument) = match near.as_slice() {
            [one] => (one.0.clone(), one.1),
            [] => return self.fail(&format!("unrecognized option '{dashes}{}'", name.as_bstr())),
            several => {
                let all: Vec<String> = several
                    .iter()
                    .map(|(long, _)| format!(" '{dashes}{long}'"))
                    .collect();
                let text = format!(
                    "option '{dashes}{}' is ambiguous; possibilities:{}",
                    arg.as_bstr(),
                    all.concat()
                );
                return self.fail(&text);
            }
        };
        let value = match (argument, value) {
            (Argument::None, Some(_)) => {
                return self.fail(&format!(
                    "option '{dashes}{long}' doesn't allow an argument"
                ));
            }
            (Argument::None, None) => None,
            (Argument::Required, None) => match args.next() {
                Some(value) => Some(value),
                None => return self.fail(&format!("option '{dashes}{long}' requires an argument")),
            },
            (_, value) => Some(value.unwrap_or_default()),
        };
        self.out.extend_from_slice(b" --");
        self.out.extend_from_slice(&long);
        if let Some(value) = value {
            self.put(&value);
        }
    }

    fn letters(&mut self, letters: &[u8], args: &mut impl Iterator<Item = BString>) {
        let mut rest = letters;
        while let Some((letter, after)) = rest.split_first() {
            rest = after;
            let known = self.short.iter().find(|(known, _)| known == letter);
            let Some((_, argument)) = known.copied() else {
                self.fail(&format!("invalid option -- '{}'", [*letter].as_bstr()));
                continue;
            };
            let value = match argument {
                Argument::None => None,
                Argument::Optional => Some(BString::from(std::mem::take(&mut rest))),
                Argument::Required if !rest.is_empty() => {
                    Some(BString::from(std::mem::take(&mut rest)))
                }
                Argument::Required => match args.next() {
                    Some(value) => Some(value),
                    None => {
                        let text =
                            format!("option requires an argument -- '{}'", [*letter].as_bstr());
                        return self.fail(&text);
                    }
                },
            };
            self.out.extend_from_slice(&[b' ', b'-', *letter]);
            if let Some(value) = value {
                self.put(&value);
            }
        }
    }

    fn fail(&mut self, text: &str) {
        self.has_failed = true;
        if !self.is_quiet {
            let line = [self.name.as_slice(), b": ", text.as_bytes(), b"\n"].concat();
            let _ = self.process.stderr().write_all(&line);
        }
    }

    /// An argument, so that the shell reads it as one word.
    fn put(&mut self, text: &[u8]) {
        self.out.push(b' ');
        if !self.is_quoted {
            self.out.extend_from_slice(text);
            return;
        }
        self.out.push(b'\'');
        for byte in text {
            match byte {
                b'\'' => self.out.extend_from_slice(b"'\\''"),
                b'!' if self.is_csh => self.out.extend_from_slice(b"'\\!'"),
                b'\\' if self.is_csh => self.out.extend_from_slice(b"\\\\"),
                b'\n' if self.is_csh => self.out.extend_from_slice(b"\\n"),
                byte => self.out.push(*byte),
            }
        }
        self.out.push(b'\'');
    }
}
