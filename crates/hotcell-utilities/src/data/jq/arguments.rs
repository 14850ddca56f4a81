//! The command line.

use std::{
    collections::HashMap,
    io::{self, Write as _},
    rc::Rc,
};

use bstr::{BString, ByteSlice};
use hotcell_process::{Process, error_text};

use super::{
    input::{Bytes, Mode},
    json,
    print::{Colors, Style},
    stop::Stop,
    value::{Heap, Map, Value},
};
use crate::{Opt, Usage};

pub(super) const USAGE: Usage = Usage {
    name: "jq",
    synopsis: "[OPTIONS] FILTER [FILE]...\n[OPTIONS] --args FILTER [ARGUMENT]...\n[OPTIONS] --jsonargs FILTER [JSON]...",
    summary: "Apply FILTER to each JSON value of the FILEs, or of standard input, and print the results as JSON.",
    options: &[
        Opt::flag('n', "null-input", "use null as the single input value"),
        Opt::flag(
            'R',
            "raw-input",
            "read each line as a string instead of JSON",
        ),
        Opt::flag(
            's',
            "slurp",
            "read all inputs into one array, or string with -R",
        ),
        Opt::flag('c', "compact-output", "print each result on one line"),
        Opt::flag(
            'r',
            "raw-output",
            "print strings without quotes and escapes",
        ),
        Opt::flag('\0', "raw-output0", "as -r, with NUL behind each result"),
        Opt::flag('j', "join-output", "as -r, with nothing behind each result"),
        Opt::flag('a', "ascii-output", "escape characters that are not ASCII"),
        Opt::flag('S', "sort-keys", "sort the keys of each object"),
        Opt::flag('C', "color-output", "colorize the output"),
        Opt::flag('M', "monochrome-output", "do not colorize the output"),
        Opt::flag('\0', "tab", "indent with tabs"),
        Opt::value('\0', "indent", "N", "indent with N spaces, at most 7"),
        Opt::flag('\0', "unbuffered", "flush the output after each result"),
        Opt::flag('\0', "stream", "read the input as a stream of events"),
        Opt::flag('\0', "seq", "use the media type application/json-seq"),
        Opt::value('f', "from-file", "FILE", "read the filter from FILE"),
        Opt::value(
            'L',
            "library-path",
            "DIRECTORY",
            "search for modules in DIRECTORY",
        ),
        Opt::flag('e', "exit-status", "set the exit status by the last result"),
        Opt::value('\0', "arg", "NAME VALUE", "set $NAME to the string VALUE"),
        Opt::value('\0', "argjson", "NAME VALUE", "set $NAME to the JSON VALUE"),
        Opt::value(
            '\0',
            "slurpfile",
            "NAME FILE",
            "set $NAME to an array of the values in FILE",
        ),
        Opt::value(
            '\0',
            "rawfile",
            "NAME FILE",
            "set $NAME to the text of FILE",
        ),
        Opt::flag(
            '\0',
            "args",
            "the remaining arguments are strings, not files",
        ),
        Opt::flag(
            '\0',
            "jsonargs",
            "the remaining arguments are JSON values, not files",
        ),
        Opt::flag('h', "help", "display this help and exit"),
        Opt::flag('V', "version", "output version information and exit"),
        Opt::flag('\0', "build-configuration", "show how jq was built"),
    ],
    error_code: 2,
    ..Usage::DEFAULT
};

pub(super) struct Arguments {
    pub(super) program: String,
    pub(super) globals: HashMap<String, Value>,
    pub(super) library: Vec<String>,
    pub(super) files: Vec<BString>,
    pub(super) mode: Mode,
    pub(super) style: Style,
    pub(super) null_input: bool,
    pub(super) is_raw: bool,
    pub(super) end: &'static str,
    pub(super) exit_status: bool,
    pub(super) is_sequence: bool,
    pub(super) unbuffered: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Rest {
    Files,
    Strings,
    Json,
}

/// What is gathered while arguments are read.
struct Reader<'p> {
    process: &'p Process,
    heap: &'p Heap,
    parsed: Arguments,
    indent: Option<usize>,
    tab: bool,
    colors: bool,
    from_file: Option<BString>,
    program: Option<BString>,
    named: Map,
    positional: Vec<Value>,
}

/// Reads the arguments; an exit code if that is all.
pub(super) fn read(process: &Process, heap: &Heap) -> io::Result<Result<Arguments, i32>> {
    let reader = Reader {
        process,
        heap,
        parsed: Arguments {
            program: String::new(),
            globals: HashMap::new(),
            library: Vec::new(),
            files: Vec::new(),
            mode: Mode::default(),
            style: Style::COMPACT,
            null_input: false,
            is_raw: false,
            end: "\n",
            exit_status: false,
            is_sequence: false,
            unbuffered: false,
        },
        indent: Some(2),
        tab: false,
        colors: false,
        from_file: None,
        program: None,
        named: Map::default(),
        positional: Vec::new(),
    };
    match reader.read() {
        Ok(result) => Ok(result),
        Err(Stop::Io(error)) => Err(error),
        Err(_) => Ok(Err(2)),
    }
}

impl Reader<'_> {
    fn fail(&self, text: impl AsRef<[u8]>) -> Result<Arguments, i32> {
        let mut line = b"error: ".to_vec();
        line.extend_from_slice(text.as_ref());
        self.process.complain(line);
        let _ = self.process.stderr().write_all(
            b"Use jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://jqlang.github.io/jq\n",
        );
        Err(2)
    }

    fn read(mut self) -> Result<Result<Arguments, i32>, Stop> {
        let args: Vec<BString> = self.process.args().get(1..).unwrap_or_default().to_vec();
        let mut args = args.into_iter();
        let mut rest = Rest::Files;
        let mut options_end = false;
        while let Some(arg) = args.next() {
            let is_option = !options_end && arg.len() > 1 && arg.starts_with(b"-");
            if !is_option {
                if self.program.is_none() {
                    self.program = Some(arg);
                } else {
                    match rest {
                        Rest::Files => self.parsed.files.push(arg),
                        Rest::Strings => {
                            let text = self.heap.string(arg.to_str_lossy().into_owned())?;
                            self.positional.push(text);
                        }
                        Rest::Json => match json::parse_one(self.process, self.heap, &arg)? {
                            Ok(Some(value)) => self.positional.push(value),
                            _ => {
                                let text =
                                    [b"Invalid JSON text passed to --", b"jsonargs".as_slice()]
                                        .concat();
                                return Ok(self.fail(text));
                            }
                        },
                    }
                }
                continue;
            }
            if let Some(long) = arg.strip_prefix(b"--") {
                if long.is_empty() {
                    options_end = true;
                    continue;
                }
                match long.to_str().unwrap_or_default() {
                    "args" => rest = Rest::Strings,
                    "jsonargs" => rest = Rest::Json,
                    name @ ("arg" | "argjson" | "slurpfile" | "rawfile") => {
                        let (Some(key), Some(value)) = (args.next(), args.next()) else {
                            let example = match name {
                                "arg" => "--arg takes two parameters (e.g. --arg varname value)"
                                    .to_owned(),
                                "argjson" => {
                                    "--argjson takes two parameters (e.g. --argjson varname text)"
                                        .to_owned()
                                }
                                name => format!(
                                    "--{name} takes two parameters (e.g. --{name} varname filename)"
                                ),
                            };
                            return Ok(self.fail(example));
                        };
                        if let Err(text) = self.named(name, &key, &value)? {
                            return Ok(self.fail(text));
                        }
                    }
                    "indent" => {
                        let Some(value) = args.next() else {
                            return Ok(self.fail("--indent takes one parameter"));
                        };
                        let number: Option<i32> = value
                            .to_str()
                            .ok()
                            .and_then(|text| text.trim().parse().ok());
                        match number {
                            Some(number) if number < 0 => {
                                return Ok(self.fail("Cannot indent less than zero characters"));
                            }
                            Some(number) if number > 7 => {
                                return Ok(self.fail("Cannot indent more than 7 characters"));
                            }
                            number => {
                                let number = usize::try_from(number.unwrap_or(0)).unwrap_or(0);
                                self.indent = Some(number).filter(|number| *number > 0);
                                self.tab = false;
                            }
                        }
                    }
                    name @ ("from-file" | "library-path") => {
                        let letter = if name == "from-file" { b'f' } else { b'L' };
                        let Some(value) = args.next() else {
                            return Ok(self.fail(format!("--{name} takes a parameter")));
                        };
                        self.with_value(letter, value);
                    }
                    name => match long_letter(name) {
                        Some(letter) => {
                            if let Some(code) = self.flag(letter) {
                                return Ok(Err(code));
                            }
                        }
                        None => {
                            let text = [b"Unknown option: ".as_slice(), &arg].concat();
                            return Ok(self.fail(text));
                        }
                    },
                }
                continue;
            }
            let mut letters = arg.get(1..).unwrap_or_default();
            while let Some((letter, after)) = letters.split_first() {
                letters = after;
                match letter {
                    b'L' | b'f' => {
                        let attached = (*letter == b'L' && !letters.is_empty())
                            .then(|| BString::from(letters));
                        if attached.is_some() {
                            letters = b"";
                        }
                        let Some(value) = attached.or_else(|| args.next()) else {
                            return Ok(
                                self.fail(format!("-{} takes a parameter", char::from(*letter)))
                            );
                        };
                        self.with_value(*letter, value);
                    }
                    letter if b"nRscrjaSCMehV".contains(letter) => {
                        if let Some(code) = self.flag(*letter) {
                            return Ok(Err(code));
                        }
                    }
                    _ => {
                        let text = [b"Unknown arguments".as_slice()].concat();
                        let _ = text;
                        return Ok(self.fail([b"Unknown option: ".as_slice(), &arg].concat()));
                    }
                }
            }
        }
        self.finish()
    }

    fn with_value(&mut self, letter: u8, value: BString) {
        if letter == b'f' {
            self.from_file = Some(value);
        } else {
            self.parsed.library.push(value.to_str_lossy().into_owned());
        }
    }

    /// An option without a value, by its letter; capital ones of ours for those without one.
    fn flag(&mut self, letter: u8) -> Option<i32> {
        let parsed = &mut self.parsed;
        match letter {
            b'n' => parsed.null_input = true,
            b'R' => parsed.mode.is_raw = true,
            b's' => parsed.mode.slurps = true,
            b'c' => self.indent = None,
            b'r' => parsed.is_raw = true,
            b'j' => (parsed.is_raw, parsed.end) = (true, ""),
            b'0' => (parsed.is_raw, parsed.end) = (true, "\0"),
            b'a' => parsed.style.ascii = true,
            b'S' => parsed.style.sorts = true,
            b'C' => self.colors = true,
            b'M' => self.colors = false,
            b'e' => parsed.exit_status = true,
            b't' => self.tab = true,
            b'u' => parsed.unbuffered = true,
            b'x' => parsed.mode.streams = true,
            b'q' => (parsed.is_sequence, parsed.mode.is_sequence) = (true, true),
            b'h' => {
                let _ = self.process.stdout().write_all(USAGE.help().as_bytes());
                return Some(0);
            }
            b'b' => {
                let _ = self.process.stdout().write_all(b"hotcell\n");
                return Some(0);
            }
            _ => {
                let _ = self.process.stdout().write_all(b"jq-1.7.1\n");
                return Some(0);
            }
        }
        None
    }

    /// Sets a variable.
    fn named(&mut self, kind: &str, name: &[u8], value: &[u8]) -> Result<Result<(), String>, Stop> {
        let name = name.to_str_lossy().into_owned();
        let made = match kind {
            "arg" => self.heap.string(value.to_str_lossy().into_owned())?,
            "argjson" => match json::parse_one(self.process, self.heap, value)? {
                Ok(Some(value)) => value,
                _ => return Ok(Err("Invalid JSON text passed to --argjson".to_string())),
            },
            _ => {
                let shown = value.to_str_lossy();
                let text = match self.file(value) {
                    Ok(text) => text,
                    Err(error) => {
                        return Ok(Err(format!(
                            "Bad JSON in --{kind} {name} {shown}: Could not open {shown}: {}",
                            error_text(&error)
                        )));
                    }
                };
                if kind == "rawfile" {
                    text.into_string(self.heap)?
                } else {
                    match json::parse_all(self.process, self.heap, text.as_slice())? {
                        Ok(all) => all,
                        Err(wrong) => {
                            return Ok(Err(format!(
                                "Bad JSON in --{kind} {name} {shown}: {wrong}"
                            )));
                        }
                    }
                }
            }
        };
        let key = self.heap.text(name.clone())?;
        if let std::collections::hash_map::Entry::Vacant(e) = self.parsed.globals.entry(name) {
            e.insert(made.clone());
            self.named.insert(key, made);
        }
        Ok(Ok(()))
    }

    fn file(&self, name: &[u8]) -> io::Result<Bytes> {
        Bytes::read(self.heap, &mut self.process.open_input(name)?)
    }

    fn finish(mut self) -> Result<Result<Arguments, i32>, Stop> {
        if let Some(file) = self.from_file.take() {
            // What would be the program is the first file then.
            if let Some(first) = self.program.take() {
                self.parsed.files.insert(0, first);
            }
            match self.file(&file) {
                Ok(text) => self.program = Some(text.as_slice().into()),
                Err(error) => {
                    self.process.complain(format!(
                        "error: Could not open {}: {}",
                        file.to_str_lossy(),
                        error_text(&error)
                    ));
                    return Ok(Err(2));
                }
            }
        }
        let Some(program) = self.program.take() else {
            let _ = self.process.stderr().write_all(
                b"Usage:\tjq [OPTIONS] FILTER [FILES...]\n\tjq [OPTIONS] --args FILTER [ARGUMENTS...]\n\tjq [OPTIONS] --jsonargs FILTER [JSON_VALUES...]\n",
            );
            return Ok(Err(2));
        };
        self.parsed.program = program.to_str_lossy().into_owned();
        self.parsed.style.indent = match (self.tab, self.indent) {
            (true, _) => Some("\t".to_owned()),
            (false, Some(count)) => Some(" ".repeat(count)),
            (false, None) => None,
        };
        if self.colors {
            let given = self.process.env("JQ_COLORS");
            let given = given.as_ref().map(|text| text.to_str_lossy().into_owned());
            self.parsed.style.colors = Some(Rc::new(Colors::new(given.as_deref())));
        }
        let heap = self.heap;
        let mut env = Map::default();
        for (name, value) in self.process.environment().iter() {
            let value = heap.string(value.to_str_lossy().into_owned())?;
            env.insert(heap.text(name.to_str_lossy().into_owned())?, value);
        }
        let env = heap.object(env)?;
        let named = heap.object(self.named)?;
        let positional = heap.array(self.positional)?;
        let args = heap.record([("positional", positional), ("named", named)])?;
        self.parsed.globals.entry("ENV".to_owned()).or_insert(env);
        self.parsed
            .globals
            .insert("__prog_args".to_owned(), Value::Null);
        self.parsed.globals.entry("ARGS".to_owned()).or_insert(args);
        if self.parsed.library.is_empty() {
            let home = self
                .process
                .env("HOME")
                .map(|home| home.to_str_lossy().into_owned());
            self.parsed
                .library
                .extend(home.map(|home| format!("{home}/.jq")));
        }
        Ok(Ok(self.parsed))
    }
}

fn long_letter(name: &str) -> Option<u8> {
    Some(match name {
        "null-input" => b'n',
        "raw-input" => b'R',
        "slurp" => b's',
        "compact-output" => b'c',
        "raw-output" => b'r',
        "join-output" => b'j',
        "raw-output0" => b'0',
        "ascii-output" => b'a',
        "sort-keys" => b'S',
        "color-output" => b'C',
        "monochrome-output" => b'M',
        "exit-status" => b'e',
        "tab" => b't',
        "unbuffered" => b'u',
        "stream" => b'x',
        "seq" => b'q',
        "help" => b'h',
        "build-configuration" => b'b',
        "version" => b'V',
        _ => return None,
    })
}
