//! `tee`.

use std::io::{self, Write};

use hotcell_process::{Disposition, Output, Process, Signal};
use hotcell_vfs::OpenOptions;

use crate::{Opt, Usage, Utility, operands::complain_of, piece::Piece, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "tee",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Copy standard input to each FILE, and also to standard output.",
    options: &[
        Opt::flag('a', "append", "append to the given FILEs, do not overwrite"),
        Opt::flag('i', "ignore-interrupts", "ignore interrupt signals"),
        Opt::flag('p', "", "operate in a more appropriate mode with pipes"),
        Opt::optional(
            '\0',
            "output-error",
            "MODE",
            "set behavior on write error:\nwarn, warn-nopipe, exit, exit-nopipe",
        ),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    if parsed.has("ignore-interrupts") {
        process.set_disposition(Signal::INT, Disposition::Ignore);
    }
    let mode = parsed
        .value("output-error")
        .map(std::string::ToString::to_string);
    let mode = match mode.as_deref() {
        None if parsed.has("p") || parsed.has("output-error") => "warn-nopipe",
        None => "",
        Some(mode) if ["warn", "warn-nopipe", "exit", "exit-nopipe"].contains(&mode) => mode,
        Some(mode) => USAGE.fail(
            process,
            [
                b"invalid argument ",
                quote(mode.as_bytes()).as_slice(),
                b" for '--output-error'",
            ]
            .concat(),
        ),
    };
    if !mode.is_empty() {
        process.set_disposition(Signal::PIPE, Disposition::Ignore);
    }
    let mut code = 0;
    let mut outs: Vec<(Vec<u8>, Output<'_>)> =
        vec![(b"standard output".to_vec(), process.stdout().unbuffered())];
    let options = if parsed.has("append") {
        OpenOptions::append().create()
    } else {
        OpenOptions::write().create().truncate()
    };
    for name in &parsed.operands {
        match process.open(name, &options) {
            Ok(stream) => outs.push((name.to_vec(), process.output(stream).unbuffered())),
            Err(error) => {
                complain_of(process, name, &error);
                code = 1;
            }
        }
    }
    let mut input = process.stdin();
    let mut pieces = Piece::default();
    while !outs.is_empty() {
        let piece = pieces.read(&mut input)?;
        if piece.is_empty() {
            break;
        }
        outs.retain_mut(|(name, out)| {
            let Err(error) = out.write_all(piece) else {
                return true;
            };
            let is_pipe = error.kind() == io::ErrorKind::BrokenPipe;
            if !(is_pipe && mode.ends_with("nopipe")) {
                complain_of(process, name, &error);
                code = 1;
                if mode.starts_with("exit") {
                    process.exit(1);
                }
            }
            false
        });
    }
    Ok(code)
}
