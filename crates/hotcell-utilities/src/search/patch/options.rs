//! What `patch` was asked for.

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use crate::{Opt, Parsed, Usage};

pub(super) const USAGE: Usage = Usage {
    name: "patch",
    synopsis: "[OPTION]... [ORIGFILE [PATCHFILE]]",
    summary: "Apply a diff file to an original.",
    options: &[
        Opt::value(
            'p',
            "strip",
            "NUM",
            "strip NUM leading components from file names",
        ),
        Opt::value(
            'F',
            "fuzz",
            "LINES",
            "set the fuzz factor to LINES for inexact matching",
        ),
        Opt::flag(
            'l',
            "ignore-whitespace",
            "ignore white space changes between patch and input",
        ),
        Opt::flag(
            'c',
            "context",
            "interpret the patch as a context difference",
        ),
        Opt::flag('e', "ed", "interpret the patch as an ed script (refused)"),
        Opt::flag('n', "normal", "interpret the patch as a normal difference"),
        Opt::flag(
            'u',
            "unified",
            "interpret the patch as a unified difference",
        ),
        Opt::flag(
            'N',
            "forward",
            "ignore patches that appear to be reversed or already applied",
        ),
        Opt::flag(
            'R',
            "reverse",
            "assume patches were created with old and new files swapped",
        ),
        Opt::value(
            'i',
            "input",
            "PATCHFILE",
            "read patch from PATCHFILE instead of stdin",
        ),
        Opt::value('o', "output", "FILE", "output patched files to FILE"),
        Opt::value('r', "reject-file", "FILE", "output rejects to FILE"),
        Opt::flag(
            'E',
            "remove-empty-files",
            "remove output files that are empty after patching",
        ),
        Opt::flag(
            'Z',
            "set-utc",
            "set times of patched files, assuming diff uses UTC (GMT)",
        ),
        Opt::flag('T', "set-time", "likewise, assuming local time"),
        Opt::flag('b', "backup", "back up the original contents of each file"),
        Opt::flag(
            '\0',
            "backup-if-mismatch",
            "back up if the patch does not match exactly",
        ),
        Opt::flag(
            '\0',
            "no-backup-if-mismatch",
            "back up mismatches only if otherwise requested",
        ),
        Opt::value(
            'V',
            "version-control",
            "STYLE",
            "use STYLE version control: simple, numbered or existing",
        ),
        Opt::value(
            'B',
            "prefix",
            "PREFIX",
            "prepend PREFIX to backup file names",
        ),
        Opt::value(
            'Y',
            "basename-prefix",
            "PREFIX",
            "prepend PREFIX to backup file basenames",
        ),
        Opt::value(
            'z',
            "suffix",
            "SUFFIX",
            "append SUFFIX to backup file names",
        ),
        Opt::flag(
            't',
            "batch",
            "ask no questions; skip bad-Prereq patches; assume reversed",
        ),
        Opt::flag(
            'f',
            "force",
            "like -t, but ignore bad-Prereq patches, and assume unreversed",
        ),
        Opt::flag('s', "quiet", "work silently unless an error occurs"),
        Opt::flag('\0', "silent", "the same"),
        Opt::flag(
            '\0',
            "verbose",
            "output extra information about the work being done",
        ),
        Opt::flag(
            '\0',
            "dry-run",
            "do not actually change any files; just print what would happen",
        ),
        Opt::flag('\0', "posix", "conform to the POSIX standard"),
        Opt::value(
            'd',
            "directory",
            "DIR",
            "change the working directory to DIR first",
        ),
        Opt::value(
            '\0',
            "reject-format",
            "FORMAT",
            "create 'context' or 'unified' rejects",
        ),
        Opt::flag('\0', "binary", "read and write data in binary mode"),
        Opt::flag(
            '\0',
            "follow-symlinks",
            "allow input files to be symbolic links",
        ),
    ],
    error_code: 2,
    hint: "NAME: Try 'NAME --help' for more information.",
    ..Usage::DEFAULT
};

/// How much is said.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Loudness {
    Silent,
    Default,
    Verbose,
}

/// A form of difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Unified,
    Context,
    Normal,
}

pub(super) struct Options {
    pub(super) strip: Option<usize>,
    pub(super) fuzz: usize,
    pub(super) form: Option<Form>,
    pub(super) reject_form: Option<Form>,
    pub(super) loudness: Loudness,
    pub(super) input: Option<BString>,
    pub(super) original: Option<BString>,
    pub(super) backs_up: bool,
    pub(super) backs_up_mismatch: bool,
    pub(super) parsed: Parsed,
}

impl Options {
    pub(super) fn new(process: &Process) -> Self {
        let parsed = USAGE.parse(process);
        if let Some(extra) = parsed.operands.get(2) {
            USAGE.fail(process, [extra.as_slice(), b": extra operand"].concat());
        }
        if parsed.has("ed") {
            super::fatal(process, "ed scripts are not supported");
        }
        let number =
            |name: &str, what: &str| {
                let text = parsed.value(name)?;
                let number = text
                    .to_str()
                    .ok()
                    .and_then(|text| text.parse::<usize>().ok());
                Some(number.unwrap_or_else(|| {
                    super::fatal(process, format!("{what} {text} is not a number"))
                }))
            };
        let form = match parsed.last_of(&["context", "normal", "unified"]) {
            Some("context") => Some(Form::Context),
            Some("normal") => Some(Form::Normal),
            Some(_) => Some(Form::Unified),
            None => None,
        };
        let reject_form = parsed
            .value("reject-format")
            .map(|form| match form.as_bytes() {
                b"context" => Form::Context,
                b"unified" => Form::Unified,
                _ => USAGE.fail(
                    process,
                    format!("invalid argument '{form}' for '--reject-format'"),
                ),
            });
        let is_posix = parsed.has("posix") || process.env("POSIXLY_CORRECT").is_some();
        let loudness = match parsed.last_of(&["quiet", "silent", "verbose"]) {
            Some("verbose") => Loudness::Verbose,
            Some(_) => Loudness::Silent,
            None => Loudness::Default,
        };
        let mismatch = parsed.last_of(&["backup-if-mismatch", "no-backup-if-mismatch"]);
        Self {
            strip: number("strip", "strip count"),
            fuzz: number("fuzz", "fuzz factor").unwrap_or(2),
            form,
            reject_form,
            loudness,
            input: parsed
                .value("input")
                .map(BString::from)
                .or_else(|| parsed.operands.get(1).cloned()),
            original: parsed.operands.first().cloned(),
            backs_up: parsed.has("backup"),
            backs_up_mismatch: mismatch.map_or(!is_posix, |name| name == "backup-if-mismatch"),
            parsed,
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.parsed.has(name)
    }
}
