//! Going through one file.

use std::io::{self, Read, Seek, SeekFrom};

use bstr::{BStr, ByteSlice as _};
use hotcell_process::{Input, limit_error};

use super::{
    Grep,
    context::Before,
    is_binary,
    options::{BinaryFiles, List},
    print::Place,
};
use crate::{lines::Lines, list};

/// How much is searched at once.
const BLOCK: usize = 128 << 10;

/// Searches a file and prints what is to be printed. Whether a line was selected.
pub(super) fn file(grep: &mut Grep<'_>, name: &BStr, input: Input<'_>) -> io::Result<bool> {
    let options = grep.options;
    if options.most == 0 {
        return Ok(false);
    }
    let is_plain = !options.wants_groups
        && !options.invert
        && options.end == b'\n'
        && options.most == u64::MAX;
    let mut scan = Scan {
        before: Before::new(options.before),
        after: 0,
        last: 0,
        selected: 0,
        is_binary: false,
        is_over: false,
        printed: false,
    };
    if is_plain && grep.matcher.takes_blocks() && !options.offsets {
        scan.blocks(grep, name, input)?;
    } else {
        scan.lines(grep, name, input)?;
    }
    let selected = scan.selected > 0;
    match options.list {
        _ if options.quiet => {}
        List::WithMatch if selected => grep.out.name(name)?,
        List::WithoutMatch if !selected => grep.out.name(name)?,
        List::None if options.count => grep.out.count(name, scan.selected)?,
        List::None if scan.is_binary && selected && scan.printed => grep.say_binary(name)?,
        _ => {}
    }
    Ok(selected)
}

struct Scan {
    before: Before,
    /// Lines that are still to be printed after a match.
    after: usize,
    /// The number of the last line that was printed.
    last: u64,
    selected: u64,
    is_binary: bool,
    is_over: bool,
    /// Something would have been printed, were it no binary file.
    printed: bool,
}

impl Scan {
    /// Whether lines are printed at all.
    fn prints(grep: &Grep<'_>) -> bool {
        !grep.options.quiet && !grep.options.count && grep.options.list == List::None
    }

    /// Looks for matches in many lines at once.
    fn blocks(&mut self, grep: &mut Grep<'_>, name: &BStr, mut input: Input<'_>) -> io::Result<()> {
        let mut buffer: Vec<u8> = Vec::new();
        let mut charge = grep.process.charge(0)?;
        let mut number = 1;
        let mut is_first = true;
        loop {
            let kept = buffer.len();
            let wanted = kept + kept.max(BLOCK);
            charge.resize(wanted).map_err(limit_error)?;
            buffer.resize(wanted, 0);
            let read = input.read(buffer.get_mut(kept..).unwrap_or_default())?;
            buffer.truncate(kept + read);
            if std::mem::take(&mut is_first) && is_binary(grep.options, &buffer) {
                self.is_binary = true;
                if grep.options.binary_files == BinaryFiles::WithoutMatch {
                    return Ok(());
                }
            }
            if self.is_binary {
                end_lines_at_nul(buffer.get_mut(kept..).unwrap_or_default());
            }
            // Whole lines; the rest waits for more.
            let end = if read == 0 {
                buffer.len()
            } else {
                memchr::memrchr(b'\n', buffer.get(kept..).unwrap_or_default())
                    .map_or(0, |at| kept + at + 1)
            };
            let block = buffer.get(..end).unwrap_or_default();
            if grep.options.only_matching && Self::prints(grep) && !self.is_binary {
                self.parts(grep, name, block, &mut number)?;
            } else {
                self.block(grep, name, block, &mut number)?;
            }
            if self.is_over || read == 0 {
                return Ok(());
            }
            buffer.drain(..end);
        }
    }

    /// Prints what matches in a block, for `-o`: where the lines are does not matter then, but for their numbers.
    fn parts(
        &mut self,
        grep: &mut Grep<'_>,
        name: &BStr,
        block: &[u8],
        number: &mut u64,
    ) -> io::Result<()> {
        let numbers = grep.options.numbers;
        let mut counted = 0;
        let mut count_to = |to: usize| {
            if numbers {
                let passed = block.get(counted..to).unwrap_or_default();
                *number += memchr::memchr_iter(b'\n', passed).count() as u64;
                counted = to;
            }
            *number
        };
        let mut at = 0;
        while at <= block.len() {
            let Some((start, end)) = grep.matcher.find(block, at)? else {
                break;
            };
            grep.process.spend((end - at) / 16 + 8);
            if start == block.len() && block.last().is_none_or(|last| *last == b'\n') {
                // A pattern that matches nothing found it behind the last line.
                break;
            }
            // A line that matches with nothing is selected, too.
            self.selected += 1;
            if end == start {
                at = start + 1;
                continue;
            }
            let place = Place {
                number: count_to(start),
                offset: 0,
            };
            let text = block.get(start..end).unwrap_or_default();
            if self.is_no_text(grep, text) {
                return Ok(());
            }
            grep.out.part(name, place, text)?;
            at = end;
        }
        count_to(block.len());
        grep.process.spend(block.len() / 16);
        Ok(())
    }

    fn block(
        &mut self,
        grep: &mut Grep<'_>,
        name: &BStr,
        block: &[u8],
        number: &mut u64,
    ) -> io::Result<()> {
        let numbers = grep.options.numbers;
        let mut at = 0;
        while at < block.len() {
            let rest = block.get(at..).unwrap_or_default();
            let Some((start, _)) = grep.matcher.find(rest, 0)? else {
                break;
            };
            let begin = memchr::memrchr(b'\n', rest.get(..start).unwrap_or_default())
                .map_or(0, |newline| newline + 1);
            let tail = rest.get(begin..).unwrap_or_default();
            if tail.is_empty() {
                // A pattern that matches nothing found it behind the last line.
                break;
            }
            let length = memchr::memchr(b'\n', tail).map_or(tail.len(), |newline| newline + 1);
            let line = tail.get(..length).unwrap_or(tail);
            if numbers {
                *number += memchr::memchr_iter(b'\n', rest.get(..begin).unwrap_or_default()).count()
                    as u64;
            }
            grep.process.spend(length / 8 + 8);
            self.select(
                grep,
                name,
                Place {
                    number: *number,
                    offset: 0,
                },
                line,
            )?;
            if self.is_over {
                return Ok(());
            }
            at += begin + length;
            *number += 1;
        }
        if numbers {
            let rest = block.get(at..).unwrap_or_default();
            *number += memchr::memchr_iter(b'\n', rest).count() as u64;
        }
        grep.process.spend(block.len() / 16);
        Ok(())
    }

    /// Looks at line after line.
    fn lines(&mut self, grep: &mut Grep<'_>, name: &BStr, mut input: Input<'_>) -> io::Result<()> {
        let start = input.stream_position().ok();
        let stream = input.stream().clone();
        let options = grep.options;
        let mut lines = Lines::ending_with(grep.process, input, options.end)?;
        let mut charge = grep.process.charge(0)?;
        let mut zapped = Vec::new();
        let mut place = Place {
            number: 1,
            offset: 0,
        };
        while let Some(line) = lines.next_line()? {
            if place.number == 1 && is_binary(options, line) {
                self.is_binary = true;
                if options.binary_files == BinaryFiles::WithoutMatch {
                    return Ok(());
                }
            }
            self.is_binary |= is_binary(options, line);
            let mut text = line.strip_suffix(&[options.end]).unwrap_or(line);
            if self.is_binary && text.contains(&0) {
                zapped.clear();
                zapped.extend_from_slice(text);
                end_lines_at_nul(&mut zapped);
                text = &zapped;
            }
            let is_match = self.after_limit(options.most) || grep.matcher.find(text, 0)?.is_some();
            if is_match != options.invert && !self.after_limit(options.most) {
                self.select(grep, name, place, line)?;
            } else if self.after > 0 && Self::prints(grep) {
                self.after -= 1;
                let is_shown = !self.is_binary && !options.only_matching;
                if is_shown && !self.is_no_text(grep, line) {
                    grep.out.line(name, place, line, false, &[])?;
                }
                self.last = place.number;
            } else {
                let grown = self.before.keep(place, line);
                let bytes = charge.bytes().saturating_add_signed(grown);
                charge.resize(bytes).map_err(limit_error)?;
            }
            place.number += 1;
            place.offset += line.len() as u64;
            let is_done = self.after_limit(options.most) && self.after == 0;
            if self.is_over || is_done {
                // What was read too much is for the next reader of the same file.
                if let Some(start) = start {
                    let _ = stream.seek(SeekFrom::Start(start + place.offset));
                }
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether what is about to be printed is no text, which ends the printing.
    fn is_no_text(&mut self, grep: &Grep<'_>, text: &[u8]) -> bool {
        if grep.options.binary_files == BinaryFiles::Text || text.is_ascii() || text.is_utf8() {
            return false;
        }
        self.is_binary = true;
        self.printed = true;
        self.is_over = true;
        true
    }

    fn after_limit(&self, most: u64) -> bool {
        self.selected >= most
    }

    fn select(
        &mut self,
        grep: &mut Grep<'_>,
        name: &BStr,
        place: Place,
        line: &[u8],
    ) -> io::Result<()> {
        let options = grep.options;
        self.selected += 1;
        if options.quiet || options.list != List::None {
            self.is_over = true;
            return Ok(());
        }
        if options.count {
            return Ok(());
        }
        if self.is_binary {
            self.printed = true;
            self.is_over = true;
            return Ok(());
        }
        if options.wants_groups && !options.only_matching {
            let first = self.before.first_number().unwrap_or(place.number);
            if grep.has_groups && (self.last == 0 || first > self.last + 1) {
                grep.out.gap()?;
            }
            grep.has_groups = true;
            for (place, line) in std::mem::take(&mut self.before).drain() {
                if self.is_no_text(grep, &line) {
                    return Ok(());
                }
                grep.out.line(name, place, &line, false, &[])?;
            }
            self.before = Before::new(options.before);
            self.after = options.after;
            self.last = place.number;
        }
        let text = line.strip_suffix(&[options.end]).unwrap_or(line);
        if options.only_matching {
            if !options.invert {
                for &(start, end) in matches(grep, text)?.iter() {
                    let place = Place {
                        offset: place.offset + start as u64,
                        ..place
                    };
                    let part = text.get(start..end).unwrap_or_default();
                    if self.is_no_text(grep, part) {
                        return Ok(());
                    }
                    grep.out.part(name, place, part)?;
                }
            }
            return Ok(());
        }
        if self.is_no_text(grep, line) {
            return Ok(());
        }
        let painted = if options.color && !options.invert {
            matches(grep, text)?
        } else {
            list::List::new(grep.process)?
        };
        grep.out.line(name, place, line, true, &painted)
    }
}

/// In a file that is no text, lines end at NULs, too.
fn end_lines_at_nul(bytes: &mut [u8]) {
    for byte in bytes {
        if *byte == 0 {
            *byte = b'\n';
        }
    }
}

/// All matches in a line that are not empty.
fn matches(grep: &Grep<'_>, text: &[u8]) -> io::Result<list::List<(usize, usize)>> {
    let mut found = list::List::new(grep.process)?;
    let mut at = 0;
    while at <= text.len() {
        grep.process.spend(8);
        let Some((start, end)) = grep.matcher.find(text, at)? else {
            break;
        };
        if end > start {
            found.push((start, end))?;
            at = end;
        } else {
            at = start + 1;
        }
    }
    Ok(found)
}
