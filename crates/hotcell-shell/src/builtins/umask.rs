//! `umask`

use bstr::BString;
use hotcell_process::Process;

use super::{
    Builtin, Run,
    arguments::{complain, print},
    parse,
};
use crate::{flow::Outcome, shell::Shell};

pub(super) const UMASK: Builtin = Builtin {
    name: "umask",
    synopsis: "umask [-p] [-S] [mode]",
    help: "Print or set which permissions new files do not get: octal, or symbolic as for chmod.\n\
           -S print symbolically; -p print as a command.",
    is_special: false,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(UMASK, shell, process, fields, "Sp");
    let Some(mode) = parsed.operands.first() else {
        let shown = if parsed.has(b'S') {
            symbolic(process.umask())
        } else {
            format!("{:04o}", process.umask())
        };
        let line = match (parsed.has(b'p'), parsed.has(b'S')) {
            (true, true) => format!("umask -S {shown}\n"),
            (true, false) => format!("umask {shown}\n"),
            _ => format!("{shown}\n"),
        };
        return print(shell, process, "umask", line.as_bytes());
    };
    let new = if mode.first().is_some_and(u8::is_ascii_digit) {
        octal(mode).ok_or_else(|| format!("{mode}: octal number out of range"))
    } else {
        from_symbolic(mode, process.umask())
    };
    match new {
        Ok(new) => process.set_umask(new),
        Err(text) => {
            complain(shell, process, "umask", text);
            return Ok(1);
        }
    }
    if parsed.has(b'S') {
        let line = format!("{}\n", symbolic(process.umask()));
        return print(shell, process, "umask", line.as_bytes());
    }
    Ok(0)
}

fn octal(text: &[u8]) -> Option<u32> {
    let number = u32::from_str_radix(std::str::from_utf8(text).ok()?, 8).ok()?;
    (number <= 0o777).then_some(number)
}

/// `u=rwx,g=rx,o=rx`: what is allowed.
fn symbolic(umask: u32) -> String {
    let allowed = !umask;
    let part = |who: char, shift: u32| {
        let bits = allowed >> shift;
        let mut text = format!("{who}=");
        for (bit, letter) in [(4, 'r'), (2, 'w'), (1, 'x')] {
            if bits & bit != 0 {
                text.push(letter);
            }
        }
        text
    };
    [part('u', 6), part('g', 3), part('o', 0)].join(",")
}

/// `u=rwx,g-w,o+r`, which says what is allowed.
fn from_symbolic(text: &[u8], umask: u32) -> Result<u32, String> {
    let mut allowed = !umask & 0o777;
    for clause in text.split(|byte| *byte == b',') {
        let end = clause.iter().position(|byte| !b"ugoa".contains(byte));
        let (who, mut rest) = clause.split_at(end.unwrap_or(clause.len()));
        let who = who.iter().fold(0, |mask, who| {
            mask | match who {
                b'u' => 0o700,
                b'g' => 0o070,
                b'o' => 0o007,
                _ => 0o777,
            }
        });
        let who = if who == 0 { 0o777 } else { who };
        loop {
            let operator = match rest.split_first() {
                Some((operator @ (b'+' | b'-' | b'='), after)) => {
                    rest = after;
                    *operator
                }
                other => {
                    let found = other.map_or('\0', |(byte, _)| char::from(*byte));
                    return Err(format!("`{found}': invalid symbolic mode operator"));
                }
            };
            let end = rest.iter().position(|byte| b"+-=".contains(byte));
            let (letters, after) = rest.split_at(end.unwrap_or(rest.len()));
            rest = after;
            let bits = permissions(letters, allowed)? & who;
            allowed = match operator {
                b'+' => allowed | bits,
                b'-' => allowed & !bits,
                _ => allowed & !who | bits,
            };
            if rest.is_empty() {
                break;
            }
        }
    }
    Ok(!allowed & 0o777)
}

/// The bits of letters for all three classes.
fn permissions(letters: &[u8], allowed: u32) -> Result<u32, String> {
    let mut bits = 0;
    for letter in letters {
        bits |= match letter {
            b'r' => 0o444,
            b'w' => 0o222,
            b'x' => 0o111,
            b'X' => 0o111 * u32::from(allowed & 0o111 != 0),
            b'u' => (allowed >> 6 & 7) * 0o111,
            b'g' => (allowed >> 3 & 7) * 0o111,
            b'o' => (allowed & 7) * 0o111,
            b's' | b't' => 0,
            other => {
                let letter = char::from(*other);
                return Err(format!("`{letter}': invalid symbolic mode character"));
            }
        };
    }
    Ok(bits)
}
