//! `md5sum` and its like: one program under many names.

mod check;

use std::io::{self, Read, Write};

use bstr::{BStr, BString, ByteSlice};
use digest::{Digest, DynDigest};
use hotcell_process::{Input, Process};

use crate::{Opt, Parsed, Usage, Utility, operands::complain_of};

/// A way to make a checksum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Blake2b,
}

impl Algorithm {
    pub(super) const ALL: [Self; 7] = [
        Self::Md5,
        Self::Sha1,
        Self::Sha224,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
        Self::Blake2b,
    ];

    /// What it is called in a line with a tag.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Self::Md5 => "MD5",
            Self::Sha1 => "SHA1",
            Self::Sha224 => "SHA224",
            Self::Sha256 => "SHA256",
            Self::Sha384 => "SHA384",
            Self::Sha512 => "SHA512",
            Self::Blake2b => "BLAKE2b",
        }
    }

    fn hasher(self) -> Box<dyn DynDigest> {
        match self {
            Self::Md5 => Box::new(md5::Md5::new()),
            Self::Sha1 => Box::new(sha1::Sha1::new()),
            Self::Sha224 => Box::new(sha2::Sha224::new()),
            Self::Sha256 => Box::new(sha2::Sha256::new()),
            Self::Sha384 => Box::new(sha2::Sha384::new()),
            Self::Sha512 => Box::new(sha2::Sha512::new()),
            Self::Blake2b => Box::new(blake2::Blake2b512::new()),
        }
    }

    /// The checksum of all that comes.
    pub(super) fn sum(self, process: &Process, mut input: Input<'_>) -> io::Result<String> {
        let mut hasher = self.hasher();
        let mut buffer = vec![0; 32 << 10];
        loop {
            let read = input.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            process.spend(read);
            hasher.update(buffer.get(..read).unwrap_or_default());
        }
        Ok(hasher
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect())
    }
}

/// What all of them have.
pub(super) const CHECK_OPTIONS: [Opt; 7] = [
    Opt::flag('c', "check", "read checksums from the FILEs and check them"),
    Opt::flag(
        'z',
        "zero",
        "end each output line with NUL, not newline,\nand disable file name escaping",
    ),
    Opt::flag(
        '\0',
        "ignore-missing",
        "don't fail or report status for missing files",
    ),
    Opt::flag(
        '\0',
        "quiet",
        "don't print OK for each successfully verified file",
    ),
    Opt::flag(
        '\0',
        "status",
        "don't output anything, status code shows success",
    ),
    Opt::flag(
        '\0',
        "strict",
        "exit non-zero for improperly formatted checksum lines",
    ),
    Opt::flag(
        'w',
        "warn",
        "warn about improperly formatted checksum lines",
    ),
];

const OPTIONS: [Opt; 10] = {
    let [check, zero, missing, quiet, status, strict, warn] = CHECK_OPTIONS;
    [
        Opt::flag('b', "binary", "read in binary mode"),
        check,
        Opt::flag('\0', "tag", "create a BSD-style checksum"),
        Opt::flag('t', "text", "read in text mode (default)"),
        zero,
        missing,
        quiet,
        status,
        strict,
        warn,
    ]
};

macro_rules! checksum {
    ($constant:ident, $usage:ident, $name:literal, $algorithm:ident, $words:literal) => {
        pub(crate) const $constant: Utility = Utility {
            usage: &$usage,
            main: |process| main(process, &$usage, Algorithm::$algorithm),
        };

        const $usage: Usage = Usage {
            name: $name,
            synopsis: "[OPTION]... [FILE]...",
            summary: concat!(
                "Print or check ",
                $words,
                " checksums.\n\nWith no FILE, or when FILE is -, read standard input."
            ),
            options: &OPTIONS,
            ..Usage::DEFAULT
        };
    };
}

checksum!(MD5SUM, MD5SUM_USAGE, "md5sum", Md5, "MD5 (128-bit)");
checksum!(SHA1SUM, SHA1SUM_USAGE, "sha1sum", Sha1, "SHA1 (160-bit)");
checksum!(
    SHA224SUM,
    SHA224SUM_USAGE,
    "sha224sum",
    Sha224,
    "SHA224 (224-bit)"
);
checksum!(
    SHA256SUM,
    SHA256SUM_USAGE,
    "sha256sum",
    Sha256,
    "SHA256 (256-bit)"
);
checksum!(
    SHA384SUM,
    SHA384SUM_USAGE,
    "sha384sum",
    Sha384,
    "SHA384 (384-bit)"
);
checksum!(
    SHA512SUM,
    SHA512SUM_USAGE,
    "sha512sum",
    Sha512,
    "SHA512 (512-bit)"
);
checksum!(B2SUM, B2SUM_USAGE, "b2sum", Blake2b, "BLAKE2b (512-bit)");

fn main(process: &Process, usage: &Usage, algorithm: Algorithm) -> io::Result<i32> {
    let parsed = usage.parse(process);
    if parsed.has("check") {
        return check::check(process, usage, &parsed, Some(algorithm));
    }
    refuse_check_options(process, usage, &parsed);
    let style = Style {
        tag: parsed.has("tag"),
        mark: if parsed.last_of(&["binary", "text"]) == Some("binary") {
            b'*'
        } else {
            b' '
        },
        zero: parsed.has("zero"),
    };
    print(process, &parsed.operands, algorithm, &style)
}

/// Options that only make sense when checking.
pub(super) fn refuse_check_options(process: &Process, usage: &Usage, parsed: &Parsed) {
    for name in ["ignore-missing", "status", "warn", "quiet", "strict"] {
        if parsed.has(name) {
            usage.fail(
                process,
                format!("the --{name} option is meaningful only when verifying checksums"),
            );
        }
    }
}

pub(super) use check::check;

/// How a line looks.
pub(super) struct Style {
    pub(super) tag: bool,
    pub(super) mark: u8,
    pub(super) zero: bool,
}

/// Prints the checksum of each file.
pub(super) fn print(
    process: &Process,
    names: &[BString],
    algorithm: Algorithm,
    style: &Style,
) -> io::Result<i32> {
    let stdin = [BString::from("-")];
    let names = if names.is_empty() { &stdin } else { names };
    let mut out = process.stdout();
    let mut code = 0;
    for name in names {
        match process
            .open_input(name)
            .and_then(|input| algorithm.sum(process, input))
        {
            Err(error) => {
                complain_of(process, name, &error);
                code = 1;
            }
            Ok(sum) => {
                let escaped = if style.zero {
                    None
                } else {
                    escape(name.as_bstr())
                };
                if escaped.is_some() {
                    out.write_all(b"\\")?;
                }
                let shown = escaped.as_deref().unwrap_or(name);
                if style.tag {
                    write!(out, "{} (", algorithm.tag())?;
                    out.write_all(shown)?;
                    write!(out, ") = {sum}")?;
                } else {
                    write!(out, "{sum} {}", char::from(style.mark))?;
                    out.write_all(shown)?;
                }
                out.write_all(if style.zero { b"\0" } else { b"\n" })?;
            }
        }
    }
    out.flush()?;
    Ok(code)
}

/// A name that would break its line, escaped.
fn escape(name: &BStr) -> Option<Vec<u8>> {
    name.find_byteset(b"\\\n\r")?;
    Some(
        name.replace("\\", "\\\\")
            .replace("\n", "\\n")
            .replace("\r", "\\r"),
    )
}
