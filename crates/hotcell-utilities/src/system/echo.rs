//! `echo`

use std::io::{self, Write};

use bstr::BString;
use hotcell_process::Process;

use crate::{Opt, Usage, Utility};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "echo",
    synopsis: "[SHORT-OPTION]... [STRING]...\nLONG-OPTION",
    summary: "Echo the STRING(s) to standard output.",
    options: &[
        Opt::flag('n', "", "do not output the trailing newline"),
        Opt::flag('e', "", "enable interpretation of backslash escapes"),
        Opt::flag(
            'E',
            "",
            "disable interpretation of backslash escapes (default)",
        ),
    ],
    notes: "If -e is in effect, these are recognized: \\\\ \\a \\b \\c \\e \\f \\n \\r \\t \\v \\0NNN \\xHH.",
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let args = process.args().get(1..).unwrap_or_default();
    if let [only] = args
        && (only == "--help" || only == "--version")
    {
        USAGE.parse(process);
    }
    let mut out = process.stdout();
    out.write_all(&echo(args, false))?;
    out.flush()?;
    Ok(0)
}

/// What `echo` prints for these arguments, options included. `escapes` is whether it interprets backslashes without being
/// told to.
pub fn echo(args: &[BString], mut escapes: bool) -> Vec<u8> {
    let mut newline = true;
    let mut operands = args;
    while let Some((first, rest)) = operands.split_first()
        && let Some(letters) = first.strip_prefix(b"-")
        && !letters.is_empty()
        && letters.iter().all(|letter| b"neE".contains(letter))
    {
        for letter in letters {
            match letter {
                b'n' => newline = false,
                letter => escapes = *letter == b'e',
            }
        }
        operands = rest;
    }
    let mut out = Vec::new();
    for (index, operand) in operands.iter().enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        if !escapes {
            out.extend_from_slice(operand);
        } else if unescape(operand, &mut out, Octal::AfterZero).is_none() {
            return out;
        }
    }
    if newline {
        out.push(b'\n');
    }
    out
}

/// Which octal escapes there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Octal {
    /// `\0NNN`, as `echo` has it.
    AfterZero,
    /// `\NNN` and `\0NNN`, as `%b` of `printf` has them.
    Any,
    /// `\NNN`, as the format of `printf` has it.
    Plain,
}

/// Appends text with its backslash escapes interpreted; `None` if `\c` ended all output. In the format of `printf` there
/// is no `\c`.
pub fn unescape(text: &[u8], out: &mut Vec<u8>, octal: Octal) -> Option<()> {
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        rest = escape(after, out, octal)?;
    }
    Some(())
}

/// Appends what the escape whose backslash is already read stands for, and returns what follows it.
pub fn escape<'t>(text: &'t [u8], out: &mut Vec<u8>, octal: Octal) -> Option<&'t [u8]> {
    let Some((letter, rest)) = text.split_first() else {
        out.push(b'\\');
        return Some(text);
    };
    let simple = match letter {
        b'a' => 0x07,
        b'b' => 0x08,
        b'e' | b'E' => 0x1b,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'\\' => b'\\',
        b'"' | b'\'' | b'?' if octal == Octal::Plain => *letter,
        b'c' if octal != Octal::Plain => return None,
        b'0'..=b'7' => return Some(octal_escape(text, out, octal)),
        b'x' => return Some(hexadecimal(text, out, 2)),
        b'u' => return Some(hexadecimal(text, out, 4)),
        b'U' => return Some(hexadecimal(text, out, 8)),
        _ => {
            out.push(b'\\');
            return Some(text);
        }
    };
    out.push(simple);
    Some(rest)
}

fn octal_escape<'t>(text: &'t [u8], out: &mut Vec<u8>, octal: Octal) -> &'t [u8] {
    let (start, most) = match (octal, text.first()) {
        (Octal::AfterZero | Octal::Any, Some(b'0')) => (1, 3),
        (Octal::AfterZero, _) => {
            out.push(b'\\');
            return text;
        }
        _ => (0, 3),
    };
    let digits = text.iter().skip(start).take(most);
    let digits: Vec<u8> = digits
        .copied()
        .take_while(|digit| (b'0'..=b'7').contains(digit))
        .collect();
    let value = digits
        .iter()
        .fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0'));
    // Three digits can be more than a byte has.
    out.push(value.to_le_bytes()[0]);
    text.get(start + digits.len()..).unwrap_or_default()
}

/// `\xHH`, `\uHHHH`, `\UHHHHHHHH`; `text` begins with the letter.
fn hexadecimal<'t>(text: &'t [u8], out: &mut Vec<u8>, most: usize) -> &'t [u8] {
    let digits = text.iter().skip(1).take(most);
    let digits: Vec<u8> = digits.copied().take_while(u8::is_ascii_hexdigit).collect();
    if digits.is_empty() {
        out.push(b'\\');
        return text;
    }
    let value = digits.iter().fold(0u32, |value, digit| {
        value << 4 | char::from(*digit).to_digit(16).unwrap_or(0)
    });
    if most == 2 {
        out.push(value.to_le_bytes()[0]);
    } else {
        push_code(out, value);
    }
    text.get(1 + digits.len()..).unwrap_or_default()
}

/// A code point as UTF-8, also one that Unicode does not have.
fn push_code(out: &mut Vec<u8>, code: u32) {
    if let Some(char) = char::from_u32(code) {
        let mut buffer = [0; 4];
        out.extend_from_slice(char.encode_utf8(&mut buffer).as_bytes());
        return;
    }
    // The scheme of UTF-8 goes on to 31 bits.
    let continuations = match code {
        0..0x1_0000 => 2u32,
        0x1_0000..0x20_0000 => 3,
        0x20_0000..0x400_0000 => 4,
        _ => 5,
    };
    let mark = 0xffu32 << (6 - continuations);
    out.push(((mark & 0xff) | (code >> (6 * continuations))).to_le_bytes()[0]);
    for index in (0..continuations).rev() {
        out.push((0x80 | (code >> (6 * index)) & 0x3f).to_le_bytes()[0]);
    }
}
