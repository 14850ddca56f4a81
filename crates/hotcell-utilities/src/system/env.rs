//! `env`.

use std::io::{self, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::{Environment, LookupError, Process};
use hotcell_vfs::VfsPathBuf;

use crate::{Opt, Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "env",
    synopsis: "[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]",
    summary: "Set each NAME to VALUE in the environment and run COMMAND.",
    options: &[
        Opt::flag('i', "ignore-environment", "start with an empty environment"),
        Opt::flag('0', "null", "end each output line with NUL, not newline"),
        Opt::value('u', "unset", "NAME", "remove variable from the environment"),
        Opt::value('C', "chdir", "DIR", "change working directory to DIR"),
        Opt::value(
            'S',
            "split-string",
            "S",
            "process and split S into separate arguments;\nused to pass multiple arguments on shebang lines",
        ),
        Opt::flag(
            'v',
            "debug",
            "print verbose information for each processing step",
        ),
    ],
    error_code: 125,
    stops_at_operand: true,
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let args = split_strings(process, process.args().get(1..).unwrap_or_default());
    let parsed = USAGE.parse_args(process, &args);
    let mut operands = parsed.operands.as_slice();
    let mut empty = parsed.has("ignore-environment");
    if let Some((first, rest)) = operands.split_first().filter(|(first, _)| *first == "-") {
        let _ = first;
        empty = true;
        operands = rest;
    }
    let mut env = if empty {
        Environment::new()
    } else {
        process.copy_environment()?
    };
    for name in parsed.values("unset") {
        if name.is_empty() || name.contains(&b'=') {
            process.complain(
                [
                    b"cannot unset ",
                    quote(name).as_slice(),
                    b": Invalid argument",
                ]
                .concat(),
            );
            return Ok(125);
        }
        env.remove(name);
    }
    while let Some((name, value)) = operands.first().and_then(|word| word.split_once_str("=")) {
        env.insert(name.into(), value.into());
        operands = operands.get(1..).unwrap_or_default();
    }
    if operands.is_empty() {
        if parsed.has("chdir") {
            USAGE.fail(process, "must specify command with --chdir (-C)");
        }
        let mut out = process.stdout();
        // What nobody changes stays in its order.
        let is_changed = env != *process.environment();
        let list = if is_changed {
            env.into_iter().collect()
        } else {
            process.environ()
        };
        for (name, value) in list.iter() {
            let end: &[u8] = if parsed.has("null") { b"\0" } else { b"\n" };
            out.write_all(&[name.as_slice(), b"=", value, end].concat())?;
        }
        out.flush()?;
        return Ok(0);
    }
    if parsed.has("null") {
        USAGE.fail(process, "cannot specify --null (-0) with command");
    }
    let mut spec = process.spec(operands.iter().cloned()).env(env.into());
    if let Some(folder) = parsed.value("chdir") {
        let path: VfsPathBuf = process.resolve(folder);
        match process
            .vfs()
            .stat(&path)
            .map_err(hotcell_process::file_error)
        {
            Ok(meta) if meta.is_dir() => spec.cwd = path,
            Ok(_) => {
                process.complain(
                    [
                        b"cannot change directory to ",
                        quote(folder).as_slice(),
                        b": Not a directory",
                    ]
                    .concat(),
                );
                return Ok(125);
            }
            Err(error) => {
                let text = hotcell_process::error_text(&error);
                process.complain(
                    [
                        b"cannot change directory to ",
                        quote(folder).as_slice(),
                        b": ",
                        text.as_bytes(),
                    ]
                    .concat(),
                );
                return Ok(125);
            }
        }
    }
    // The program is looked up on the path that it will see.
    let shown = operands.first().cloned().unwrap_or_default();
    let status = process.call(spec, |inner| {
        let spec = inner.spec(inner.args().iter().cloned());
        match inner.execute(spec) {
            Ok(status) => Ok(status.code()),
            Err(error) => {
                let why = match &error {
                    LookupError::NotFound => "No such file or directory".to_owned(),
                    other => other.to_string(),
                };
                process.complain([quote(&shown).as_slice(), b": ", why.as_bytes()].concat());
                Ok(error.code())
            }
        }
    });
    Ok(status.code())
}

/// `-S 'a b'` is `a b`, as on a line with `#!`.
fn split_strings(process: &Process, args: &[BString]) -> Vec<BString> {
    let mut result = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let text = match arg.as_slice() {
            b"-S" | b"--split-string" => rest.next().cloned(),
            [b'-', b'S', text @ ..] => Some(text.into()),
            other => other.strip_prefix(b"--split-string=").map(Into::into),
        };
        match text {
            Some(text) => {
                result.extend(split(process, &text));
                result.extend(rest.by_ref().cloned());
            }
            None => {
                let is_option = arg.starts_with(b"-") && arg.len() > 1;
                result.push(arg.clone());
                let takes_value = matches!(arg.as_slice(), b"-u" | b"--unset" | b"-C" | b"--chdir");
                if takes_value {
                    result.extend(rest.next().cloned());
                }
                if !is_option || arg == "--" {
                    result.extend(rest.by_ref().cloned());
                }
            }
        }
    }
    result
}

fn split(process: &Process, text: &BString) -> Vec<BString> {
    let mut words: Vec<BString> = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quoted = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quoted) {
            (b' ' | b'\t' | b'\n', None) => words.extend(word.take().map(BString::from)),
            (b'#', None) if word.is_none() => break,
            (quote @ (b'\'' | b'"'), None) => {
                quoted = Some(quote);
                word.get_or_insert_default();
            }
            (byte, Some(quote)) if byte == quote => quoted = None,
            (b'\\', Some(b'\'')) => word.get_or_insert_default().push(b'\\'),
            (b'\\', _) => {
                let byte = match bytes.next() {
                    Some(b'n') => b'\n',
                    Some(b't') => b'\t',
                    Some(b'r') => b'\r',
                    Some(b'_') => b' ',
                    Some(b'c') => return words,
                    Some(other) => other,
                    None => USAGE.fail(process, "invalid backslash at end of string in -S"),
                };
                word.get_or_insert_default().push(byte);
            }
            (byte, _) => word.get_or_insert_default().push(byte),
        }
    }
    if quoted.is_some() {
        USAGE.fail(process, "no terminating quote in -S string");
    }
    words.extend(word.map(BString::from));
    words
}
