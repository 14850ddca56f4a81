//! The archive, as a stream.

use std::io::{self, Read};

use bstr::BString;
use hotcell_process::{Process, error_text};
use hotcell_vfs::OpenOptions;

use super::Tar;
use crate::archives::codec::Codec;

/// Opens the archive for reading, whatever it is compressed with.
pub(super) fn open<'p>(tar: &Tar<'p>) -> io::Result<Box<dyn Read + 'p>> {
    let process: &'p Process = tar.process;
    let name = &tar.options.archive;
    let input = if name == "-" {
        process.stdin()
    } else {
        match process.open(name, &OpenOptions::read()) {
            Ok(stream) => process.input(stream),
            Err(error) => cannot_open(process, name, &error),
        }
    };
    let mut input = input;
    let mut head = vec![0; 6];
    let mut filled = 0;
    while let Some(rest) = head.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        let read = input.read(rest)?;
        if read == 0 {
            break;
        }
        filled += read;
    }
    head.truncate(filled);
    let codec = Codec::of(&head);
    if let (Some(wanted), None) = (tar.options.codec, codec) {
        let program = match wanted {
            Codec::Gzip => "gzip: stdin: not in gzip format",
            Codec::Bzip2 => "bzip2: (stdin) is not a bzip2 file.",
            Codec::Xz => "xz: (stdin): File format not recognized",
            Codec::Zstd => "zstd: /*stdin*\\: unsupported format",
        };
        let _ = io::Write::write_all(&mut process.stderr(), format!("\n{program}\n").as_bytes());
        process.complain("Child returned status 1");
        process.complain("Error is not recoverable: exiting now");
        process.exit(2);
    }
    let whole = io::Cursor::new(head).chain(input);
    match codec {
        Some(codec) => Ok(Box::new(codec.reader(process, whole)?)),
        None => Ok(Box::new(io::BufReader::with_capacity(64 << 10, whole))),
    }
}

pub(super) fn cannot_open(process: &Process, name: &BString, error: &io::Error) -> ! {
    process.complain(
        [
            name.as_slice(),
            b": Cannot open: ",
            error_text(error).as_bytes(),
        ]
        .concat(),
    );
    process.complain("Error is not recoverable: exiting now");
    process.exit(2)
}
