//! The command line.

use std::collections::HashMap;

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use super::{
    super::jq::{
        json,
        print::Style,
        stop::Stop,
        value::{Heap, Map, Value},
    },
    format::Format,
};
use crate::{Opt, Usage};

pub(super) const USAGE: Usage = Usage {
    name: "yq",
    synopsis: "[eval|eval-all] [OPTIONS] [FILTER] [FILE]...",
    summary: "Apply FILTER, a program of jq, to each document of the FILEs, or of standard input, and print the results.",
    options: &[
        Opt::value(
            'p',
            "input-format",
            "FORMAT",
            "yaml, json, toml, csv, tsv or auto, which goes by the name of the file",
        ),
        Opt::value(
            'o',
            "output-format",
            "FORMAT",
            "one of these; auto is that of the input",
        ),
        Opt::flag('i', "inplace", "replace each FILE by the results"),
        Opt::flag('\0', "in-place", "the same as --inplace"),
        Opt::flag('n', "null-input", "use null as the single input value"),
        Opt::flag('s', "slurp", "read all documents into one array"),
        Opt::optional_long(
            'r',
            "raw-output",
            "BOOL",
            "print strings without quotes, as is done for YAML unless BOOL is false",
        ),
        Opt::flag('c', "compact-output", "print each result on one line"),
        Opt::flag(
            'y',
            "yaml-output",
            "print YAML, with '---' between all results",
        ),
        Opt::flag('j', "tojson", "print JSON"),
        Opt::flag(
            'P',
            "prettyPrint",
            "print YAML in block style, unless another format is asked for",
        ),
        Opt::value('I', "indent", "N", "indent with N spaces"),
        Opt::flag('S', "sort-keys", "sort the keys of each object"),
        Opt::flag('N', "no-doc", "print no '---' between documents"),
        Opt::flag(
            'e',
            "exit-status",
            "exit with 1 if the last result is null or false, or there is none",
        ),
        Opt::value('\0', "arg", "NAME VALUE", "set $NAME to the string VALUE"),
        Opt::value('\0', "argjson", "NAME VALUE", "set $NAME to the JSON VALUE"),
        Opt::flag('h', "help", "display this help and exit"),
        Opt::flag('V', "version", "output version information and exit"),
    ],
    notes: "Comments, tags and styles of YAML are not kept; anchors are replaced by what they stand for, and '<<' is merged.\nWith eval-all (ea), FILTER is applied to one array of all documents, as with -s. Without FILTER, it is '.'.",
    error_code: 2,
    ..Usage::DEFAULT
};

pub(super) struct Arguments {
    pub(super) program: String,
    pub(super) globals: HashMap<String, Value>,
    pub(super) files: Vec<BString>,
    /// `None`: by the name of the file.
    pub(super) input: Option<Format>,
    /// `None`: as the input.
    pub(super) output: Option<Format>,
    pub(super) in_place: bool,
    pub(super) null_input: bool,
    pub(super) slurps: bool,
    pub(super) is_raw: bool,
    /// Strings have quotes in YAML where they need some.
    pub(super) is_wrapped: bool,
    pub(super) separates_all: bool,
    pub(super) no_separators: bool,
    pub(super) exit_status: bool,
    pub(super) style: Style,
    pub(super) indent: usize,
}

pub(super) fn read(process: &Process, heap: &Heap) -> Result<Arguments, String> {
    let mut args = Vec::new();
    let mut given = process.args().iter().skip(1).peekable();
    let first = given.peek().map(|arg| arg.as_slice());
    let is_command = matches!(first, Some(b"eval" | b"e" | b"eval-all" | b"ea"));
    let is_all = matches!(first, Some(b"eval-all" | b"ea"));
    if is_command {
        given.next();
    }
    // These have two values, which are made one: no name has an equals sign.
    while let Some(arg) = given.next() {
        let mut arg = arg.clone();
        if arg == "--arg" || arg == "--argjson" {
            let (Some(name), Some(value)) = (given.next(), given.next()) else {
                return Err(format!("{arg} takes two parameters: name and value"));
            };
            for part in [b"=", name.as_slice(), b"=", value.as_slice()] {
                arg.extend_from_slice(part);
            }
        }
        if let Some(value) = arg.strip_prefix(b"-r=") {
            arg = [b"--raw-output=", value].concat().into();
        }
        args.push(arg);
    }
    let parsed = USAGE.parse_args(process, &args);
    let format = |name: &str| match parsed.value(name) {
        Some(format) => Format::named(without_equals(&format.to_str_lossy())),
        None => Ok(None),
    };
    let (input, mut output) = (format("input-format")?, format("output-format")?);
    if output.is_none() {
        if parsed.has("tojson") {
            output = Some(Format::Json);
        } else if parsed.has("yaml-output") || parsed.has("prettyPrint") {
            output = Some(Format::Yaml);
        }
    }
    let indent = match parsed.value("indent") {
        Some(text) => match text
            .to_str()
            .ok()
            .and_then(|text| without_equals(text).parse().ok())
        {
            Some(number @ 0..=16) => number,
            _ => return Err(format!("'{text}' is no indentation from 0 to 16")),
        },
        None => 2,
    };
    let raw = parsed.value("raw-output").map(|value| value.to_str_lossy());
    let raw = raw.as_deref().map(without_equals);
    let is_wrapped = match raw {
        None | Some("true") => false,
        Some("false") => true,
        Some(other) => return Err(format!("'{other}' is neither true nor false")),
    };
    let is_compact = parsed.has("compact-output") || indent == 0;
    let mut operands = parsed.operands.iter().cloned();
    let mut program = operands.next();
    let mut files: Vec<BString> = operands.collect();
    // The only operand may be a file, and the filter is left out.
    if let Some(name) = &program
        && files.is_empty()
        && !parsed.has("null-input")
        && process
            .metadata(name, true)
            .is_ok_and(|meta| meta.is_file())
    {
        files.extend(program.take());
    }
    let in_place = parsed.has("inplace") || parsed.has("in-place");
    if in_place && files.is_empty() {
        return Err("-i needs a file".to_owned());
    }
    Ok(Arguments {
        program: program.map_or_else(|| ".".to_owned(), |text| text.to_str_lossy().into_owned()),
        globals: globals(process, heap, &parsed).map_err(|stop| match stop {
            Stop::Message(text) => text,
            _ => "variables take too much memory".to_owned(),
        })?,
        files,
        input,
        output,
        in_place,
        null_input: parsed.has("null-input"),
        slurps: parsed.has("slurp") || is_all,
        is_raw: parsed.has("raw-output") && !is_wrapped,
        is_wrapped,
        separates_all: parsed.has("yaml-output"),
        no_separators: parsed.has("no-doc"),
        exit_status: parsed.has("exit-status"),
        style: Style {
            indent: (!is_compact).then(|| " ".repeat(indent)),
            sorts: parsed.has("sort-keys"),
            ..Style::COMPACT
        },
        indent,
    })
}

/// A value as it is: `-o=json` is `-o json`.
fn without_equals(value: &str) -> &str {
    value.strip_prefix('=').unwrap_or(value)
}

/// The variables that are set from outside.
fn globals(
    process: &Process,
    heap: &Heap,
    parsed: &crate::Parsed,
) -> Result<HashMap<String, Value>, Stop> {
    let mut globals = HashMap::new();
    let mut named = heap.open_object()?;
    for (option, value) in parsed.iter() {
        let Some((name, value)) = value.and_then(|value| value.split_once_str("=")) else {
            continue;
        };
        let value = match option {
            "arg" => heap.string_of(value)?,
            "argjson" => match json::parse_one(process, heap, value)? {
                Ok(Some(value)) => value,
                _ => return Err(Stop::message("Invalid JSON text passed to --argjson")),
            },
            _ => continue,
        };
        let name = name.to_str_lossy().into_owned();
        named.set(heap.text(name.clone())?, value.clone())?;
        globals.entry(name).or_insert(value);
    }
    let mut env = Map::default();
    for (name, value) in process.environment().iter() {
        let value = heap.string_of(value)?;
        env.insert(heap.text(name.to_str_lossy().into_owned())?, value);
    }
    let positional = heap.array(Vec::new())?;
    let args = heap.record([("positional", positional), ("named", named.close())])?;
    globals.entry("ENV".to_owned()).or_insert(heap.object(env)?);
    globals.insert("__prog_args".to_owned(), Value::Null);
    globals.entry("ARGS".to_owned()).or_insert(args);
    Ok(globals)
}
