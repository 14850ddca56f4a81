//! `link` and `unlink`: the bare system calls.

use std::io;

use hotcell_process::{Process, error_text, file_error};

use crate::{Usage, Utility, quote::quote};

pub(crate) const LINK: Utility = Utility {
    usage: &LINK_USAGE,
    main: link,
};
pub(crate) const UNLINK: Utility = Utility {
    usage: &UNLINK_USAGE,
    main: unlink,
};

const LINK_USAGE: Usage = Usage {
    name: "link",
    synopsis: "FILE1 FILE2\nOPTION",
    summary: "Call the link function to create a link named FILE2 to an existing FILE1.",
    ..Usage::DEFAULT
};

const UNLINK_USAGE: Usage = Usage {
    name: "unlink",
    synopsis: "FILE\nOPTION",
    summary: "Call the unlink function to remove the specified FILE.",
    ..Usage::DEFAULT
};

fn link(process: &Process) -> io::Result<i32> {
    let parsed = LINK_USAGE.parse(process);
    let [from, to] = match parsed.operands.as_slice() {
        [] => LINK_USAGE.fail(process, "missing operand"),
        [one] => LINK_USAGE.fail(
            process,
            [b"missing operand after ", quote(one).as_slice()].concat(),
        ),
        [from, to] => [from, to],
        [_, _, extra, ..] => LINK_USAGE.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        ),
    };
    if let Err(error) = process
        .vfs()
        .link(&process.resolve(from), &process.resolve(to))
        .map_err(file_error)
    {
        let text = [
            b"cannot create link ",
            quote(to).as_slice(),
            b" to ",
            quote(from).as_slice(),
            b": ",
            error_text(&error).as_bytes(),
        ]
        .concat();
        process.complain(text);
        return Ok(1);
    }
    Ok(0)
}

fn unlink(process: &Process) -> io::Result<i32> {
    let parsed = UNLINK_USAGE.parse(process);
    let file = match parsed.operands.as_slice() {
        [] => UNLINK_USAGE.fail(process, "missing operand"),
        [file] => file,
        [_, extra, ..] => UNLINK_USAGE.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        ),
    };
    if let Err(error) = process
        .vfs()
        .unlink(&process.resolve(file))
        .map_err(file_error)
    {
        process.complain(
            [
                b"cannot unlink ",
                quote(file).as_slice(),
                b": ",
                error_text(&error).as_bytes(),
            ]
            .concat(),
        );
        return Ok(1);
    }
    Ok(0)
}
