//! `hexdump` and `hd`.

mod format;

use std::io::{self, Read, Write};

use bstr::{BString, ByteSlice};
use format::Format;
use hotcell_process::{Process, error_text};
use hotcell_vfs::Errno;

use crate::{Opt, Usage, Utility, lines::Lines};

const OPTIONS: &[Opt] = &[
    Opt::flag('b', "one-byte-octal", "one-byte octal display"),
    Opt::flag('c', "one-byte-char", "one-byte character display"),
    Opt::flag('C', "canonical", "canonical hex+ASCII display"),
    Opt::flag('d', "two-bytes-decimal", "two-byte decimal display"),
    Opt::flag('o', "two-bytes-octal", "two-byte octal display"),
    Opt::flag('x', "two-bytes-hex", "two-byte hexadecimal display"),
    Opt::value(
        'e',
        "format",
        "FORMAT",
        "format string to be used for displaying data",
    ),
    Opt::value(
        'f',
        "format-file",
        "FILE",
        "file that contains format strings",
    ),
    Opt::value(
        'n',
        "length",
        "LENGTH",
        "interpret only LENGTH bytes of input",
    ),
    Opt::value(
        's',
        "skip",
        "OFFSET",
        "skip OFFSET bytes from the beginning",
    ),
    Opt::flag('v', "no-squeezing", "output identical lines"),
];

const USAGE: Usage = Usage {
    name: "hexdump",
    letters: b"hV",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Display file contents in hexadecimal, decimal, octal, or ascii.",
    options: OPTIONS,
    ..Usage::DEFAULT
};

const HD_USAGE: Usage = Usage {
    name: "hd",
    ..USAGE
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

pub(crate) const HD: Utility = Utility {
    usage: &HD_USAGE,
    main,
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let mut formats = Vec::new();
    for (name, value) in parsed.iter() {
        let built_in = match name {
            "one-byte-octal" => Some(r#""%07.7_ax " 16/1 "%03o " "\n""#),
            "one-byte-char" => Some(r#""%07.7_ax " 16/1 "%3_c " "\n""#),
            "two-bytes-decimal" => Some(r#""%07.7_ax " 8/2 "  %05u " "\n""#),
            "two-bytes-octal" => Some(r#""%07.7_ax " 8/2 " %06o " "\n""#),
            "two-bytes-hex" => Some(r#""%07.7_ax " 8/2 "   %04x " "\n""#),
            _ => None,
        };
        if let Some(text) = built_in {
            add(process, &mut formats, br#""%07.7_Ax\n""#);
            add(process, &mut formats, text.as_bytes());
        }
        match (name, value) {
            ("canonical", _) => add_canonical(process, &mut formats),
            ("format", Some(text)) => add(process, &mut formats, text),
            ("format-file", Some(file)) => {
                let mut lines = Lines::new(process, process.open_input(file)?)?;
                while let Some(line) = lines.next_line()? {
                    let line = line.trim();
                    if !line.is_empty() && !line.starts_with(b"#") {
                        add(process, &mut formats, line);
                    }
                }
            }
            _ => {}
        }
    }
    if formats.is_empty() && process.name() == "hd" {
        add_canonical(process, &mut formats);
    }
    if formats.is_empty() {
        add(process, &mut formats, br#""%07.7_Ax\n""#);
        add(process, &mut formats, br#""%07.7_ax " 8/2 "%04x " "\n""#);
    }
    let number = |name: &str, what: &str| {
        let text = parsed.value(name)?;
        Some(size(text).unwrap_or_else(|| {
            process.complain(format!(
                "failed to parse {what}: '{text}': Invalid argument"
            ));
            process.exit(1)
        }))
    };
    let length = number("length", "length");
    let skip = number("skip", "offset").unwrap_or(0);
    let block = formats.iter().map(Format::size).max().unwrap_or(0);
    // What one block takes is held twice, to see whether it repeats.
    let _charge = process.charge(block.saturating_mul(2))?;
    for format in &mut formats {
        format.fill(block);
    }
    let mut dump = Dump {
        process,
        files: parsed.operands.clone(),
        next: 0,
        input: None,
        has_opened: length == Some(0),
        code: 0,
    };
    dump.all(&formats, block, skip, length, parsed.has("no-squeezing"))?;
    if !dump.has_opened {
        process.complain("all input file arguments failed");
        return Ok(1);
    }
    Ok(dump.code)
}

fn add(process: &Process, formats: &mut Vec<Format>, text: &[u8]) {
    match Format::parse(text) {
        Ok(format) => formats.push(format),
        Err(message) => {
            process.complain(message);
            process.exit(1)
        }
    }
}

fn add_canonical(process: &Process, formats: &mut Vec<Format>) {
    add(process, formats, br#""%08.8_Ax\n""#);
    add(
        process,
        formats,
        br#""%08.8_ax  " 8/1 "%02x " "  " 8/1 "%02x " "#,
    );
    add(process, formats, br#""  |" 16/1 "%_p" "|\n""#);
}

/// A number as C has them, with a suffix for its size.
fn size(text: &[u8]) -> Option<u64> {
    let text = text.to_str().ok()?;
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    let end = digits
        .find(|c: char| !c.is_digit(radix))
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let number = u64::from_str_radix(digits, radix).ok()?;
    let base: u64 = if suffix.ends_with('B') && suffix.len() == 2 {
        1000
    } else {
        1024
    };
    let power = match suffix.trim_end_matches("iB").trim_end_matches('B') {
        "" if suffix.is_empty() => 0,
        "K" | "k" => 1,
        "M" | "m" => 2,
        "G" | "g" => 3,
        "T" | "t" => 4,
        _ => return None,
    };
    number.checked_mul(base.checked_pow(power)?)
}

struct Dump<'p> {
    process: &'p Process,
    files: Vec<BString>,
    next: usize,
    input: Option<hotcell_process::Input<'p>>,
    has_opened: bool,
    code: i32,
}

impl Dump<'_> {
    /// Reads from one file after the other.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(input) = &mut self.input {
                let read = input.read(buffer)?;
                if read > 0 {
                    return Ok(read);
                }
                self.input = None;
            }
            let name = match self.files.get(self.next) {
                Some(name) => name.clone(),
                None if self.files.is_empty() && self.next == 0 => "-".into(),
                None => return Ok(0),
            };
            self.next += 1;
            let input = if self.files.is_empty() {
                Ok(self.process.stdin())
            } else {
                // `-` is a name like any other.
                let path = if name == "-" { b"./-" } else { name.as_slice() };
                self.process.open_input(path)
            };
            match input {
                Ok(input) => {
                    self.has_opened = true;
                    self.input = Some(input);
                }
                Err(error) => {
                    self.process
                        .complain(format!("{name}: {}", error_text(&error)));
                    // A directory can be opened, and is found out by reading it.
                    if error.raw_os_error() == Some(Errno::EISDIR.code()) {
                        self.has_opened = true;
                    } else {
                        self.code = 1;
                    }
                }
            }
        }
    }

    fn all(
        &mut self,
        formats: &[Format],
        block: usize,
        skip: u64,
        length: Option<u64>,
        shows_all: bool,
    ) -> io::Result<()> {
        let mut out = self.process.stdout();
        let mut left_to_skip = skip;
        let mut piece = vec![0; 64 << 10];
        while left_to_skip > 0 {
            let most = usize::try_from(left_to_skip)
                .unwrap_or(usize::MAX)
                .min(piece.len());
            let read = self.read(piece.get_mut(..most).unwrap_or_default())?;
            if read == 0 {
                break;
            }
            left_to_skip -= read as u64;
        }
        if left_to_skip > 0 {
            return Ok(());
        }
        let mut left = length.unwrap_or(u64::MAX);
        let mut address = skip;
        let mut before: Option<Vec<u8>> = None;
        let mut is_repeating = false;
        let mut buffer = vec![0; block];
        if block == 0 {
            // Nothing asks for data.
            return Ok(());
        }
        loop {
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(block);
            let mut filled = 0;
            while filled < most {
                let read = self.read(buffer.get_mut(filled..most).unwrap_or_default())?;
                if read == 0 {
                    break;
                }
                filled += read;
            }
            left -= filled as u64;
            if filled == 0 {
                break;
            }
            let data = buffer.get(..filled).unwrap_or_default();
            let is_same = !shows_all
                && filled == block
                && before
                    .as_ref()
                    .is_some_and(|before| before.starts_with(data));
            if is_same {
                if !std::mem::replace(&mut is_repeating, true) {
                    out.write_all(b"*\n")?;
                }
            } else {
                is_repeating = false;
                for format in formats {
                    self.process.spend(block);
                    format.print(&mut out, data, block, address)?;
                }
                before = Some(data.to_vec());
            }
            address += filled as u64;
            if filled < block {
                break;
            }
        }
        if address > skip {
            // Of several, the last one tells where the input ends.
            if let Some(format) = formats.iter().rfind(|format| format.is_end()) {
                format.print_end(&mut out, address)?;
            }
        }
        out.flush()
    }
}
