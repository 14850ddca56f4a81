//! The data of `-d` and its kin.

use std::io;

use bstr::{BString, ByteSlice};
use hotcell_meter::Charge;
use hotcell_process::Process;

pub(super) use crate::driver::read_file;

/// All data of a request.
#[derive(Default)]
pub(super) struct Data {
    pub(super) bytes: Vec<u8>,
    pub(super) is_json: bool,
    is_begun: bool,
    charges: Vec<Charge>,
}

impl Data {
    /// Puts more behind what is there: `a=1&b=2`, or texts of JSON one behind the other.
    pub(super) fn add(&mut self, option: &str, more: &[u8], charge: Charge) {
        if self.is_begun && option != "json" {
            self.bytes.push(b'&');
        }
        self.bytes.extend_from_slice(more);
        self.is_begun = true;
        self.charges.push(charge);
    }
}

/// What an option gives, read from where it says.
pub(super) fn read(
    process: &Process,
    option: &str,
    value: &[u8],
    warnings: &mut Vec<String>,
) -> io::Result<BString> {
    if option == "data-raw" {
        return Ok(value.into());
    }
    if option == "data-urlencode" {
        return encoded(process, value, warnings);
    }
    let Some(file) = value.strip_prefix(b"@") else {
        return Ok(value.into());
    };
    let mut text = read_or_warn(process, file, warnings)?;
    if option == "data" || option == "data-ascii" {
        text.retain(|byte| !matches!(byte, b'\r' | b'\n' | 0));
    }
    Ok(text)
}

/// `content`, `=content`, `name=content`, `@file` and `name@file`, with the content encoded.
fn encoded(process: &Process, value: &[u8], warnings: &mut Vec<String>) -> io::Result<BString> {
    let mark = value.find_byteset(b"=@");
    let (name, content) = match mark {
        Some(mark) => {
            let (name, rest) = value.split_at(mark);
            let content = match rest {
                [b'@', file @ ..] => read_or_warn(process, file, warnings)?,
                [_, content @ ..] => content.into(),
                [] => BString::default(),
            };
            (name, content)
        }
        None => (&b""[..], value.into()),
    };
    let mut text = BString::from(name);
    if !name.is_empty() {
        text.push(b'=');
    }
    for byte in content.iter() {
        process.spend(1);
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => text.push(*byte),
            b' ' => text.push(b'+'),
            _ => text.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
    Ok(text)
}

fn read_or_warn(process: &Process, file: &[u8], warnings: &mut Vec<String>) -> io::Result<BString> {
    match read_file(process, file) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::OutOfMemory => Err(error),
        Err(_) => {
            let file = bstr::BStr::new(file);
            warnings.push(format!(
                "Couldn't read data from file \"{file}\", this makes an empty POST."
            ));
            Ok(BString::default())
        }
    }
}
