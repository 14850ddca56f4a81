//! `patch`.

mod header;
mod hunk;
mod locate;
mod names;
mod options;
mod parse;
mod reject;
mod store;

use std::{
    collections::BTreeSet,
    io::{self, Write},
};

use bstr::{BString, ByteSlice};
use header::{Absent, Header, Move};
use hotcell_process::{Process, error_text, file_error, limit_error};
use hotcell_vfs::Timestamp;
use hunk::Hunk;
use locate::Place;
use options::{Form, Loudness, Options};
use parse::{Malformed, Text};
use store::Change;

use crate::{Utility, calendar, quote, whole::whole};

pub(crate) const UTILITY: Utility = Utility {
    usage: &options::USAGE,
    main,
};

/// Says that nothing can go on, and ends the process.
fn fatal(process: &Process, text: impl AsRef<[u8]>) -> ! {
    process.complain([b"**** ", text.as_ref()].concat());
    process.exit(2)
}

fn main(process: &Process) -> io::Result<i32> {
    let options = Options::new(process);
    if let Some(folder) = options.parsed.value("directory") {
        let path = process.resolve(folder);
        match process.vfs().stat(&path) {
            Ok(there) if there.is_dir() => process.set_cwd(path),
            Ok(_) => fatal(
                process,
                format!("Can't change to directory {folder} : Not a directory"),
            ),
            Err(error) => fatal(
                process,
                format!(
                    "Can't change to directory {folder} : {}",
                    error_text(&file_error(error))
                ),
            ),
        }
    }
    let source = match &options.input {
        Some(name) if name != "-" => Some(name),
        _ => None,
    };
    let (mut text, mut charge) = match source {
        Some(name) => match process.open_input(name) {
            Ok(input) => whole(process, input, 1)?,
            Err(error) => fatal(
                process,
                format!("Can't open patch file {name} : {}", error_text(&error)),
            ),
        },
        None => whole(process, process.stdin(), 1)?,
    };
    let strips_returns = !options.has("binary") && has_returns(&text);
    if strips_returns {
        charge.grow(text.len()).map_err(limit_error)?;
        text = text.replace("\r\n", "\n");
    }
    let mut patch = Patch {
        process,
        text: Text::new(process, &text)?,
        changes: Vec::new(),
        rejects: BTreeSet::new(),
        output: Vec::new(),
        has_failed: false,
        strips_returns,
        options,
    };
    match patch.run() {
        Ok(()) => Ok(i32::from(patch.has_failed)),
        Err(error) => fatal(process, error_text(&error)),
    }
}

/// Whether the headers of a patch end with carriage returns: then it came through a system that adds them.
fn has_returns(text: &[u8]) -> bool {
    let starts: [&[u8]; 3] = [b"--- ", b"*** ", b"@@ -"];
    let first = text
        .lines_with_terminator()
        .find(|line| starts.iter().any(|start| line.starts_with(start)));
    first.is_some_and(|line| line.ends_with(b"\r\n"))
}

struct Patch<'p> {
    process: &'p Process,
    options: Options,
    text: Text<'p>,
    /// What git's patches change waits, so that files can change places.
    changes: Vec<Change>,
    /// Files with rejects that were begun in this run.
    rejects: BTreeSet<BString>,
    /// What goes to the file of `-o`.
    output: Vec<u8>,
    has_failed: bool,
    strips_returns: bool,
}

/// How one patch goes.
struct State {
    reversed: bool,
    skips: bool,
    anyway: bool,
}

impl<'p> Patch<'p> {
    fn run(&mut self) -> io::Result<()> {
        let mut is_first = true;
        loop {
            let process = self.process;
            let is_over = self.text.at >= self.text.count();
            if is_over && !is_first {
                self.say_verbosely("done\n");
                break;
            }
            if self.text.count() > 0 {
                self.say_verbosely("Hmm...");
            }
            let header = self.text.next_header(
                self.options.form,
                self.options.original.is_some(),
                |units| process.spend(units),
            );
            let Some(header) = header else {
                if is_first && self.text.count() > 0 {
                    self.say_verbosely("  I can't seem to find a patch in there anywhere.\n");
                    fatal(process, "Only garbage was found in the patch input.");
                }
                if !is_first {
                    self.say_verbosely("  Ignoring the trailing garbage.\ndone\n");
                }
                break;
            };
            self.one(&header, is_first)?;
            is_first = false;
        }
        store::perform(self.process, &self.options, &mut self.changes)?;
        match self.options.parsed.value("output") {
            Some(name) if name == "-" => self.process.stdout().write_all(&self.output),
            Some(name) if !self.options.has("dry-run") => {
                let path = self.process.resolve(name);
                self.process
                    .vfs()
                    .write_file(&path, &self.output)
                    .map_err(file_error)
            }
            _ => Ok(()),
        }
    }

    fn say(&self, text: impl AsRef<[u8]>) {
        let to_stdout = self
            .options
            .parsed
            .value("output")
            .is_none_or(|name| name != "-");
        let _ = if to_stdout {
            self.process.stdout().write_all(text.as_ref())
        } else {
            self.process.stderr().write_all(text.as_ref())
        };
    }

    /// Says it unless nothing is to be said.
    fn tell(&self, text: impl AsRef<[u8]>) {
        if self.options.loudness != Loudness::Silent {
            self.say(text);
        }
    }

    fn say_verbosely(&self, text: impl AsRef<[u8]>) {
        if self.options.loudness == Loudness::Verbose {
            self.say(text);
        }
    }

    /// Whether the patch is to be taken the other way round. Nobody is there to be asked, so that answers are the usual ones.
    fn may_reverse(&self, state: &mut State, what: &str) -> bool {
        let is_silent = self.options.loudness == Loudness::Silent;
        let (forward, force) = (self.options.has("forward"), self.options.has("force"));
        if forward || !(force && is_silent) {
            self.say(what);
        }
        if forward {
            self.say("  Skipping patch.\n");
            state.skips = true;
        } else if force {
            self.tell("  Applying it anyway.\n");
            state.anyway = true;
        } else if self.options.has("batch") {
            self.say(if state.reversed {
                "  Ignoring -R.\n"
            } else {
                "  Assuming -R.\n"
            });
            return true;
        } else {
            self.say(if state.reversed {
                "  Ignore -R? [n] \n"
            } else {
                "  Assume -R? [n] \n"
            });
            self.say("Apply anyway? [n] \n");
            self.tell("Skipping patch.\n");
            state.skips = true;
        }
        false
    }

    /// The lines before the first hunk, for who has to find out what the patch is for.
    fn show_lead(&self, header: &Header<'_>) {
        if header.start >= header.end {
            return;
        }
        self.say("The text leading up to this was:\n--------------------------\n");
        for number in header.start..header.end {
            let line = self.text.line(number).unwrap_or_default();
            self.say([b"|", line.strip_suffix(b"\n").unwrap_or(line), b"\n"].concat());
        }
        self.say("--------------------------\n");
    }

    fn one(&mut self, header: &Header<'p>, is_first: bool) -> io::Result<()> {
        let mut state = State {
            reversed: self.options.has("reverse"),
            skips: false,
            anyway: false,
        };
        let kind = match header.form {
            Form::Unified => "a unified diff",
            Form::Context => "a new-style context diff",
            Form::Normal => "a normal diff",
        };
        let found = self.names(header, &mut state);
        let start = if is_first { "L" } else { "The next patch l" };
        self.say_verbosely(format!("  {start}ooks like {kind} to me...\n"));
        if self.strips_returns {
            self.tell("(Stripping trailing CRs from patch; use --binary to disable.)\n");
        }
        let Some((input, output, note)) = found else {
            self.say(format!(
                "can't find file to patch at input line {}\n",
                header.end + 1
            ));
            if header.form != Form::Normal {
                self.say(match self.options.strip {
                    None => "Perhaps you should have used the -p or --strip option?\n",
                    Some(_) => "Perhaps you used the wrong -p or --strip option?\n",
                });
            }
            self.show_lead(header);
            if self.options.has("force") || self.options.has("batch") {
                self.say("No file to patch.  Skipping patch.\n");
            } else {
                self.say("File to patch: \nSkip this patch? [y] \nSkipping patch.\n");
            }
            let count = self.ignore_hunks(header)?;
            return self.report_ignored(count);
        };
        if self.options.loudness == Loudness::Verbose {
            self.show_lead(header);
        }
        if header.is_binary {
            self.say(
                [
                    b"File ",
                    quoted(&output).as_slice(),
                    b": git binary diffs are not supported.\n",
                ]
                .concat(),
            );
            self.has_failed = true;
            return Ok(());
        }
        if state.skips {
            let count = self.ignore_hunks(header)?;
            return self.report_ignored(count);
        }
        self.apply(header, state, &input, &output, &note)
    }

    fn ignore_hunks(&mut self, header: &Header<'p>) -> io::Result<usize> {
        let mut count = 0;
        while self.next_hunk(header.form).is_some() {
            self.process.spend(64);
            count += 1;
        }
        Ok(count)
    }

    fn report_ignored(&mut self, count: usize) -> io::Result<()> {
        self.has_failed = true;
        if count > 0 {
            self.say(format!(
                "{count} out of {count} hunk{} ignored\n",
                plural(count)
            ));
        }
        Ok(())
    }

    fn next_hunk(&mut self, form: Form) -> Option<Hunk<'p>> {
        match self.text.next_hunk(form) {
            Ok(hunk) => hunk,
            Err(Malformed::End) => fatal(self.process, "unexpected end of file in patch"),
            Err(Malformed::Chopped) => {
                let text = format!("malformed patch at line {}:  \n", self.text.count());
                fatal(self.process, text)
            }
            Err(Malformed::At(number)) => {
                let line = self.text.line(number - 1).unwrap_or(b"\n");
                let start = format!("malformed patch at line {number}: ");
                fatal(self.process, [start.as_bytes(), line].concat())
            }
        }
    }

    /// The file to read, the one to write, and what is said of the first if they differ.
    fn names(
        &mut self,
        header: &Header<'p>,
        state: &mut State,
    ) -> Option<(BString, BString, BString)> {
        let target = self.options.parsed.value("output").map(BString::from);
        let with_output = |name: BString| match &target {
            Some(target) => {
                let note = [b" (read from ", name.as_slice(), b")"].concat();
                (name, target.clone(), note.into())
            }
            None => (name.clone(), name, BString::default()),
        };
        if let Some(name) = &self.options.original {
            return Some(with_output(name.clone()));
        }
        let strip = self.options.strip;
        let sides = [&header.old, &header.new].map(|side| {
            side.as_ref()
                .and_then(|named| names::stripped(&named.name, strip))
        });
        let exists = |name: &BString| {
            let there = self.process.metadata(name, true).ok();
            let is_gone = self
                .changes
                .iter()
                .any(|change| change.target == *name && change.content.is_none());
            there.filter(|_| !is_gone)
        };
        if let (Some(moves), [Some(old), Some(new)]) = (header.moves, &sides) {
            let (from, to) = if state.reversed {
                (new, old)
            } else {
                (old, new)
            };
            if !names::is_safe(from) || !names::is_safe(to) {
                self.refuse(if names::is_safe(from) { to } else { from });
                return None;
            }
            let word = if moves == Move::Rename {
                "renamed"
            } else {
                "copied"
            };
            if exists(from).is_none() && exists(to).is_some() {
                let note = match moves {
                    Move::Rename => [b" (already renamed from ", from.as_slice(), b")"].concat(),
                    Move::Copy => Vec::new(),
                };
                return Some((to.clone(), to.clone(), note.into()));
            }
            let note = [b" (", word.as_bytes(), b" from ", from.as_slice(), b")"].concat();
            return Some((from.clone(), to.clone(), note.into()));
        }
        let index = header
            .index
            .and_then(|name| names::stripped(name.trim(), strip));
        let mut candidates: Vec<BString> = sides.into_iter().flatten().collect();
        if candidates.is_empty() {
            candidates.extend(index);
        }
        let there: Vec<BString> = candidates
            .iter()
            .filter(|name| exists(name).is_some())
            .cloned()
            .collect();
        let unsafe_name = candidates
            .iter()
            .find(|name| !names::is_safe(name))
            .cloned();
        candidates.retain(|name| names::is_safe(name));
        let found = names::best(there.iter().filter(|name| names::is_safe(name)));
        let [old, new] = header.absent;
        let absent = if state.reversed {
            [new, old]
        } else {
            [old, new]
        };
        if let Some(name) = found {
            let is_empty = exists(name).is_some_and(|there| there.size == 0);
            let creates = absent.first().is_some_and(|side| *side != Absent::No);
            if creates && !is_empty && self.would(state, "create", name, "already exists") {
                state.reversed = !state.reversed;
            }
            return Some(with_output(name.clone()));
        }
        let creates = absent.first().is_some_and(|side| *side != Absent::No);
        if let Some(name) = unsafe_name.filter(|_| creates) {
            self.refuse(&name);
        }
        let name = names::best(candidates.iter())?.clone();
        if absent.get(1).is_some_and(|side| *side == Absent::Surely) {
            if self.would(state, "delete", &name, "does not exist") {
                state.reversed = !state.reversed;
            }
            return Some(with_output(name));
        }
        creates.then(|| with_output(name))
    }

    fn would(&self, state: &mut State, does: &str, name: &BString, why: &str) -> bool {
        let when = if state.reversed {
            ", when reversed,"
        } else {
            ""
        };
        let name = quoted(name);
        let what = format!("The next patch{when} would {does} the file {name},\nwhich {why}!");
        self.may_reverse(state, &what)
    }

    fn refuse(&self, name: &BString) {
        let text = [
            b"Ignoring potentially dangerous file name ",
            quoted(name).as_slice(),
            b"\n",
        ]
        .concat();
        self.say(text);
    }

    fn apply(
        &mut self,
        header: &Header<'p>,
        mut state: State,
        input: &BString,
        output: &BString,
        note: &BString,
    ) -> io::Result<()> {
        let process = self.process;
        let is_same = |change: &Change| change.target == *input && change.source == *input;
        if !header.is_git || self.changes.iter().any(is_same) {
            store::perform(process, &self.options, &mut self.changes)?;
        }
        let there = process
            .metadata(input, self.options.has("follow-symlinks"))
            .ok();
        let is_refused = there.as_ref().is_some_and(|there| !there.is_file());
        if is_refused {
            self.say(
                [
                    b"File ",
                    quoted(input).as_slice(),
                    b" is not a regular file -- refusing to patch\n",
                ]
                .concat(),
            );
            state.skips = true;
        }
        let (original, _charge) = match there {
            Some(_) if !is_refused => whole(process, process.open_input(input)?, 1)?,
            _ => (Vec::new(), process.charge(0)?),
        };
        let mut place = Place {
            input: parse::lines(process, &original)?,
            frozen: 0,
            offset: 0,
            ignores_space: self.options.has("ignore-whitespace"),
        };
        if !is_refused {
            self.introduce(output, note);
        }
        let mut result = Vec::new();
        let mut growth = process.charge(0)?;
        let mut rejected = Vec::new();
        let (mut count, mut failed, mut moved, mut mismatch) = (0, 0, 0_i64, false);
        while let Some(hunk) = self.next_hunk(header.form) {
            count += 1;
            let mut hunk = if state.reversed {
                hunk.reversed()
            } else {
                hunk
            };
            let (before, after) = hunk.context();
            let most = self.options.fuzz.min(before.max(after));
            let mut found = None;
            let mut fuzz = 0;
            while !state.skips && fuzz <= most {
                found = place.locate(process, &hunk, fuzz);
                mismatch |= found.is_none();
                let may_be_reversed = count == 1
                    && found.is_none()
                    && !state.anyway
                    && !self.options.has("force")
                    && state.reversed == self.options.has("reverse");
                if may_be_reversed {
                    let other = hunk.reversed();
                    found = place
                        .locate(process, &other, fuzz)
                        .filter(|_| other.old().next().is_some());
                    if found.is_some() {
                        let what = if state.reversed {
                            "Unreversed"
                        } else {
                            "Reversed (or previously applied)"
                        };
                        if self.may_reverse(&mut state, &format!("{what} patch detected!")) {
                            state.reversed = !state.reversed;
                            hunk = other;
                        } else {
                            found = None;
                            state.anyway = true;
                        }
                    }
                }
                if found.is_some() {
                    break;
                }
                fuzz += 1;
            }
            mismatch |= found.is_none() || fuzz > 0 || place.offset != 0;
            let at = found.unwrap_or(hunk.first);
            let line = i64::try_from(at).unwrap_or(0) + moved;
            growth
                .grow(hunk.lines.iter().map(|line| line.text.len() + 2).sum())
                .map_err(limit_error)?;
            if found.is_some() && insert(&mut place, &hunk, at, &mut result) {
                if self.options.loudness == Loudness::Verbose || fuzz > 0 || place.offset != 0 {
                    let mut text = format!("Hunk #{count} succeeded at {line}");
                    if fuzz > 0 {
                        text.push_str(&format!(" with fuzz {fuzz}"));
                    }
                    if place.offset != 0 {
                        let offset = place.offset;
                        let s = if offset == 1 { "" } else { "s" };
                        text.push_str(&format!(" (offset {offset} line{s})"));
                    }
                    self.tell(text + ".\n");
                }
                let difference = |lines: usize| i64::try_from(lines).unwrap_or(0);
                moved += difference(hunk.new_lines().count()) - difference(hunk.old().count());
                continue;
            }
            failed += 1;
            let form = self
                .options
                .reject_form
                .unwrap_or(if header.form == Form::Unified {
                    Form::Unified
                } else {
                    Form::Context
                });
            if rejected.is_empty() {
                let strip = self.options.strip;
                let sides = [&header.old, &header.new].map(|side| {
                    side.as_ref()
                        .and_then(|named| names::stripped(&named.name, strip))
                });
                let sides = sides
                    .each_ref()
                    .map(|side| side.as_ref().map(|name| name.as_slice()));
                reject::header(&mut rejected, form, sides, header, state.reversed);
            }
            reject::hunk(&mut rejected, form, header.form, &hunk, moved);
            if state.skips {
                self.say_verbosely(format!("Hunk #{count} ignored at {line}.\n"));
            } else {
                self.tell(format!("Hunk #{count} FAILED at {line}.\n"));
            }
        }
        let frozen = place.frozen;
        for line in place.input.get(frozen..).unwrap_or_default() {
            process.spend(line.len() / 16 + 1);
            put(&mut result, line);
        }
        let is_skipped = state.skips;
        if !is_skipped {
            self.finish(
                header,
                &state,
                [input, output],
                result,
                mismatch || failed > 0,
                there.map(|there| there.mode),
            )?;
        }
        if failed > 0 {
            self.has_failed = true;
            let word = if is_skipped { "ignored" } else { "FAILED" };
            self.say(format!(
                "{failed} out of {count} hunk{} {word}",
                plural(count)
            ));
            self.save_rejects(output, &rejected)?;
            self.say("\n");
        }
        Ok(())
    }

    fn introduce(&self, output: &BString, note: &BString) {
        let is_dry = self.options.has("dry-run");
        let verb: &[u8] = if is_dry {
            b"checking file "
        } else {
            b"patching file "
        };
        self.tell([verb, quoted(output).as_slice(), note.as_slice(), b"\n"].concat());
        self.say_verbosely("Using Plan A...\n");
    }

    fn finish(
        &mut self,
        header: &Header<'p>,
        state: &State,
        [input, output]: [&BString; 2],
        result: Vec<u8>,
        mismatch: bool,
        mode: Option<u32>,
    ) -> io::Result<()> {
        if self.options.has("output") {
            self.output.extend_from_slice(&result);
            return Ok(());
        }
        let [old, new] = header.absent;
        let says_gone = if state.reversed { old } else { new } == Absent::Surely;
        let removes = result.is_empty() && (says_gone || self.options.has("remove-empty-files"));
        if says_gone && !result.is_empty() {
            self.tell(
                [
                    b"Not deleting file ",
                    quoted(output).as_slice(),
                    b" as content differs from patch\n",
                ]
                .concat(),
            );
            self.has_failed = true;
        }
        let git_mode = if state.reversed {
            header.old_mode
        } else {
            header.new_mode
        };
        let side = if state.reversed {
            &header.old
        } else {
            &header.new
        };
        let time = side.as_ref().and_then(|named| self.time(named.time));
        let change = Change {
            source: input.clone(),
            target: output.clone(),
            content: (!removes).then_some(result),
            removes_source: input != output && header.moves == Some(Move::Rename),
            mode: git_mode.or(mode),
            backs_up: self.options.backs_up || self.options.backs_up_mismatch && mismatch,
            time,
        };
        if self.options.has("dry-run") {
            return Ok(());
        }
        self.changes.push(change);
        if !header.is_git {
            store::perform(self.process, &self.options, &mut self.changes)?;
        }
        Ok(())
    }

    /// The time that a header tells, if files are to have it.
    fn time(&self, text: &[u8]) -> Option<Timestamp> {
        let zone = if self.options.has("set-utc") {
            calendar::Zone::UTC
        } else if self.options.has("set-time") {
            calendar::zone_of(self.process)
        } else {
            return None;
        };
        let now = self.process.now();
        let (seconds, nanos) =
            calendar::parse(text.trim(), (now.seconds(), now.subsec_nanos()), &zone)?;
        Some(Timestamp::from_parts(seconds, nanos))
    }

    fn save_rejects(&mut self, output: &BString, rejected: &[u8]) -> io::Result<()> {
        let given = self.options.parsed.value("reject-file").map(BString::from);
        if given.as_ref().is_some_and(|name| name == "-") || self.options.has("dry-run") {
            return Ok(());
        }
        let name = given.unwrap_or_else(|| [output.as_slice(), b".rej"].concat().into());
        self.say([b" -- saving rejects to file ", quoted(&name).as_slice()].concat());
        let path = self.process.resolve(&name);
        let done = if self.rejects.insert(name) {
            self.process.vfs().write_file(&path, rejected)
        } else {
            self.process.vfs().append_file(&path, rejected)
        };
        done.map_err(file_error)
    }
}

/// Copies lines up to the hunk, then what the hunk makes of its own. Context stays as the file has it.
fn insert(place: &mut Place<'_>, hunk: &Hunk<'_>, at: usize, result: &mut Vec<u8>) -> bool {
    let start = at.saturating_sub(1);
    if start < place.frozen || start > place.input.len() {
        return false;
    }
    for line in place.input.get(place.frozen..start).unwrap_or_default() {
        put(result, line);
    }
    let mut next = start;
    for line in &hunk.lines {
        if line.sign == b'+' {
            put(result, line.text);
            continue;
        }
        if line.sign == b' '
            && let Some(there) = place.input.get(next)
        {
            put(result, there);
        }
        next += 1;
    }
    place.frozen = next;
    true
}

/// Adds a line; one before it that had no newline gets it.
fn put(result: &mut Vec<u8>, line: &[u8]) {
    if result.last().is_some_and(|last| *last != b'\n') {
        result.push(b'\n');
    }
    result.extend_from_slice(line);
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn quoted(name: &[u8]) -> BString {
    quote::for_shell(name)
}
