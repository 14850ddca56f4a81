//! The options and numbers among the arguments of builtins.

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::Process;

use super::Builtin;
use crate::{
    flow::{Flow, Outcome},
    shell::Shell,
};

/// The status of a builtin that was called wrongly.
pub(crate) const USAGE: i32 = 2;

/// The arguments of a builtin, taken apart.
#[derive(Debug, Default)]
pub(crate) struct Parsed<'a> {
    given: Vec<(u8, Option<&'a BStr>)>,
    /// What is no option.
    pub(crate) operands: &'a [BString],
}

impl<'a> Parsed<'a> {
    /// Whether an option was given.
    pub(crate) fn has(&self, letter: u8) -> bool {
        self.given.iter().any(|(given, _)| *given == letter)
    }

    /// The value of an option, the last one if it was given several times.
    pub(crate) fn value(&self, letter: u8) -> Option<&'a BStr> {
        let mut given = self.given.iter().rev();
        given
            .find(|(given, _)| *given == letter)
            .and_then(|(_, value)| *value)
    }

    /// All options in order, with their values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u8, Option<&'a BStr>)> {
        self.given.iter().copied()
    }

    /// Which of these options was given last.
    pub(crate) fn last_of(&self, letters: &[u8]) -> Option<u8> {
        let mut given = self.given.iter().rev().map(|(letter, _)| *letter);
        given.find(|letter| letters.contains(letter))
    }
}

impl Builtin {
    /// Takes arguments apart: `letters` are the options, with a colon behind those that have a value. A wrong one has
    /// been complained about when this returns the status.
    pub(crate) fn parse<'a>(
        &self,
        shell: &mut Shell,
        process: &Process,
        fields: &'a [BString],
        letters: &str,
    ) -> Result<Parsed<'a>, i32> {
        let mut parsed = Parsed {
            given: Vec::new(),
            operands: fields.get(1..).unwrap_or_default(),
        };
        while let Some((first, rest)) = parsed.operands.split_first() {
            if first == "--" {
                parsed.operands = rest;
                break;
            }
            let Some(mut cluster) = first.strip_prefix(b"-").filter(|text| !text.is_empty()) else {
                break;
            };
            parsed.operands = rest;
            while let Some((letter, after)) = cluster.split_first() {
                cluster = after;
                let position = letters
                    .find(char::from(*letter))
                    .filter(|_| *letter != b':');
                let Some(position) = position else {
                    return Err(self.invalid_option(shell, process, &[b'-', *letter]));
                };
                let takes_value = letters.as_bytes().get(position + 1) == Some(&b':');
                if !takes_value {
                    parsed.given.push((*letter, None));
                    continue;
                }
                let value = if cluster.is_empty() {
                    let Some((value, rest)) = parsed.operands.split_first() else {
                        let option = char::from(*letter);
                        self.complain(
                            shell,
                            process,
                            format!("-{option}: option requires an argument"),
                        );
                        return Err(self.usage(process));
                    };
                    parsed.operands = rest;
                    value.as_bstr()
                } else {
                    std::mem::take(&mut cluster).as_bstr()
                };
                parsed.given.push((*letter, Some(value)));
            }
        }
        Ok(parsed)
    }

    /// `NAME: -x: invalid option`, with the usage.
    pub(crate) fn invalid_option(
        &self,
        shell: &mut Shell,
        process: &Process,
        option: &[u8],
    ) -> i32 {
        self.complain(shell, process, [option, b": invalid option"].concat());
        self.usage(process)
    }

    /// `NAME: usage: …`
    pub(crate) fn usage(&self, process: &Process) -> i32 {
        use std::io::Write;
        let line = format!("{}: usage: {}\n", self.name, self.synopsis);
        let _ = process.stderr().write_all(line.as_bytes());
        USAGE
    }

    /// `bash: line 1: NAME: TEXT`
    pub(crate) fn complain(&self, shell: &Shell, process: &Process, text: impl AsRef<[u8]>) {
        complain(shell, process, self.name, text);
    }
}

/// `bash: line 1: NAME: TEXT`
pub(crate) fn complain(shell: &Shell, process: &Process, name: &str, text: impl AsRef<[u8]>) {
    let text = [name.as_bytes(), b": ", text.as_ref()].concat();
    // Whatever the format of other messages is.
    shell.complain_at(process, shell.line, text);
}

/// A decimal number with a sign or without, and blanks around it.
pub(crate) fn number(text: &[u8]) -> Option<i64> {
    text.trim_ascii().to_str().ok()?.parse().ok()
}

/// The only argument of `break`, `shift` and the like: a number, or `default` without one. What is none ends the
/// shell.
pub(crate) fn only_number(
    shell: &mut Shell,
    process: &Process,
    fields: &[BString],
    default: i64,
) -> Result<i64, Flow> {
    let name = fields.first().map(ToString::to_string).unwrap_or_default();
    let mut operands = fields.get(1..).unwrap_or_default();
    if let Some((first, rest)) = operands.split_first()
        && first == "--"
    {
        operands = rest;
    }
    match operands {
        [] => Ok(default),
        [first, rest @ ..] => match number(first) {
            None => {
                complain(
                    shell,
                    process,
                    &name,
                    [first.as_slice(), b": numeric argument required"].concat(),
                );
                Err(Flow::Exit(128))
            }
            Some(_) if !rest.is_empty() => {
                complain(shell, process, &name, "too many arguments");
                Err(Flow::Abort(1))
            }
            Some(number) => Ok(number),
        },
    }
}

/// A status of the shell from any number.
pub(crate) fn status_of(number: i64) -> i32 {
    i32::from(number.to_le_bytes()[0])
}

/// Writes to standard output, and says so if that fails. The status.
#[expect(clippy::unnecessary_wraps, reason = "what every command comes to")]
pub(crate) fn print(shell: &Shell, process: &Process, name: &str, text: &[u8]) -> Outcome {
    use std::io::Write;
    let mut out = process.stdout();
    match out.write_all(text).and_then(|()| out.flush()) {
        Ok(()) => Ok(0),
        Err(error) => {
            let reason = hotcell_process::error_text(&error);
            complain(shell, process, name, format!("write error: {reason}"));
            Ok(1)
        }
    }
}
