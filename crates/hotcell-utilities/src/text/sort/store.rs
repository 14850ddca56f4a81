//! Lines in memory and, when there are too many, in files.

use std::{
    cmp::Ordering,
    io::{self, Read, SeekFrom, Write},
    sync::Arc,
};

use hotcell_meter::Charge;
use hotcell_process::{Input, Output, Process, Stream, limit_error};
use hotcell_vfs::{OpenOptions, VfsPathBuf};

use super::{key::Comparison, plain};
use crate::lines::Lines;

/// What a line in memory takes beside its bytes.
const OVERHEAD: usize = size_of::<Line>();

#[derive(Clone, Copy)]
pub(super) struct Line {
    /// What tells the order of most lines without looking at them.
    pub(super) rank: u64,
    pub(super) start: usize,
    pub(super) length: usize,
}

impl Line {
    pub(super) fn text<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        bytes
            .get(self.start..self.start + self.length)
            .unwrap_or_default()
    }
}

/// Takes lines in any order and gives them back in theirs.
pub(super) struct Store<'p> {
    process: &'p Process,
    comparison: &'p Comparison,
    end: u8,
    bytes: Vec<u8>,
    lines: Vec<Line>,
    charge: Charge,
    /// How much may be in memory at once.
    budget: usize,
    folder: VfsPathBuf,
    /// Sorted lines in files.
    runs: Vec<Arc<dyn Stream>>,
}

impl<'p> Store<'p> {
    pub(super) fn new(
        process: &'p Process,
        comparison: &'p Comparison,
        end: u8,
        budget: usize,
        folder: VfsPathBuf,
    ) -> io::Result<Self> {
        Ok(Self {
            process,
            comparison,
            end,
            bytes: Vec::new(),
            lines: Vec::new(),
            charge: process.charge(0)?,
            budget,
            folder,
            runs: Vec::new(),
        })
    }

    pub(super) fn read(&mut self, input: Input<'_>) -> io::Result<()> {
        let mut lines = Lines::ending_with(self.process, input, self.end)?;
        while let Some(line) = lines.next_line()? {
            self.add(line.strip_suffix(&[self.end]).unwrap_or(line))?;
        }
        Ok(())
    }

    fn add(&mut self, line: &[u8]) -> io::Result<()> {
        let used = self.bytes.len() + self.lines.len() * OVERHEAD;
        let wanted = used + line.len() + OVERHEAD;
        if wanted > self.charge.bytes() {
            // In large steps, and doubling as the buffers do.
            let step = wanted
                .saturating_mul(2)
                .max(64 << 10)
                .min(self.budget.max(wanted));
            let is_full = wanted > self.budget || self.charge.resize(step).is_err();
            if is_full && !self.lines.is_empty() {
                self.spill()?;
                return self.add(line);
            }
            if is_full {
                self.charge.resize(wanted).map_err(limit_error)?;
            }
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(line);
        let (rank, length) = (self.comparison.rank(line), line.len());
        self.lines.push(Line {
            rank,
            start,
            length,
        });
        Ok(())
    }

    fn sort(&mut self) {
        if self.comparison.is_plain() {
            plain::sort(self.process, &self.bytes, &mut self.lines);
            if self.comparison.whole.reverse {
                // Lines that compare as equal are the same here, so that their order is nobody's business.
                self.lines.reverse();
            }
            return;
        }
        let (bytes, comparison, process) = (&self.bytes, self.comparison, self.process);
        self.lines.sort_unstable_by(|one, other| {
            process.spend(8);
            one.rank.cmp(&other.rank)
        });
        for run in self
            .lines
            .chunk_by_mut(|one, other| one.rank == other.rank)
            .filter(|run| run.len() > 1)
        {
            let by_place = |one: &Line, other: &Line| one.start.cmp(&other.start);
            if comparison.has_one_key() && has_one_text(comparison, bytes, run) {
                process.spend(run.len() * 4);
                if comparison.is_stable || comparison.is_unique {
                    run.sort_unstable_by(by_place);
                } else {
                    run.sort_unstable_by(|one, other| {
                        process.spend((one.length + other.length) / 16 + 8);
                        comparison.last_resort(one.text(bytes), other.text(bytes))
                    });
                }
                continue;
            }
            // The order in which lines came is in their places: that makes the quicker sort a stable one.
            run.sort_unstable_by(|one, other| {
                process.spend((one.length + other.length) / 8 + 8);
                comparison
                    .compare(one.text(bytes), other.text(bytes))
                    .then_with(|| by_place(one, other))
            });
        }
    }

    /// Writes what is in memory to a file, sorted.
    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        let file = self.temporary()?;
        let mut out = self.process.output(Arc::clone(&file));
        self.put_lines(&mut out)?;
        out.flush()?;
        drop(out);
        file.seek(SeekFrom::Start(0))?;
        self.runs.push(file);
        self.bytes.clear();
        self.lines.clear();
        if self.runs.len() >= MOST_RUNS {
            self.merge_runs()?;
        }
        Ok(())
    }

    /// Makes one run of all.
    fn merge_runs(&mut self) -> io::Result<()> {
        let runs = std::mem::take(&mut self.runs);
        let file = self.temporary()?;
        let mut out = self.process.output(Arc::clone(&file));
        let inputs = runs
            .into_iter()
            .map(|run| self.process.input(run))
            .collect();
        merge(self.process, self.comparison, self.end, inputs, &mut out)?;
        out.flush()?;
        drop(out);
        file.seek(SeekFrom::Start(0))?;
        self.runs.push(file);
        Ok(())
    }

    /// A file that nobody else sees, and that is gone when it is closed.
    fn temporary(&self) -> io::Result<Arc<dyn Stream>> {
        let name = format!("sort-{}-{}", self.process.pid(), self.runs.len());
        let path = self.folder.join(name.as_bytes());
        let options = OpenOptions::read_write().create().truncate().mode(0o600);
        let file = self.process.open(&path, &options)?;
        let _ = self.process.vfs().unlink(&self.process.resolve(&path));
        Ok(file)
    }

    fn put_lines(&self, out: &mut impl Write) -> io::Result<()> {
        let mut last: Option<&[u8]> = None;
        for line in &self.lines {
            let text = line.text(&self.bytes);
            if self.comparison.is_unique
                && last.is_some_and(|last| self.comparison.keys(last, text) == Ordering::Equal)
            {
                continue;
            }
            last = Some(text);
            out.write_all(text)?;
            out.write_all(&[self.end])?;
        }
        Ok(())
    }

    /// Everything, in order.
    pub(super) fn write(mut self, out: &mut Output<'_>) -> io::Result<()> {
        if self.runs.is_empty() {
            self.sort();
            return self.put_lines(out);
        }
        if !self.lines.is_empty() {
            self.spill()?;
        }
        (self.bytes, self.lines) = (Vec::new(), Vec::new());
        self.charge.resize(0).map_err(limit_error)?;
        let inputs = self
            .runs
            .drain(..)
            .map(|run| self.process.input(run))
            .collect();
        merge(self.process, self.comparison, self.end, inputs, out)
    }
}

/// Whether the first keys of all these lines are the same bytes, so that they need not be compared one by one.
fn has_one_text(comparison: &Comparison, bytes: &[u8], run: &[Line]) -> bool {
    let Some((first, others)) = run.split_first() else {
        return true;
    };
    let key = comparison.first_key(first.text(bytes));
    others
        .iter()
        .all(|line| comparison.first_key(line.text(bytes)) == key)
}

/// Files that are merged at once.
const MOST_RUNS: usize = 64;

/// Merges inputs that are sorted already.
pub(super) fn merge(
    process: &Process,
    comparison: &Comparison,
    end: u8,
    inputs: Vec<Input<'_>>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut heads: Vec<Head<'_, Input<'_>>> = Vec::new();
    for input in inputs {
        let mut head = Head {
            lines: Lines::ending_with(process, input, end)?,
            line: Vec::new(),
        };
        if head.advance(end)? {
            heads.push(head);
        }
    }
    // Earlier inputs come first among equals, so the last place is for what comes next.
    let order = |one: &Head<'_, Input<'_>>, other: &Head<'_, Input<'_>>| {
        comparison.compare(&other.line, &one.line)
    };
    let mut queue: Vec<(usize, Head<'_, Input<'_>>)> = heads.into_iter().enumerate().collect();
    queue.sort_by(|one, other| order(&one.1, &other.1).then(other.0.cmp(&one.0)));
    let mut last: Option<Vec<u8>> = None;
    while let Some((number, mut head)) = queue.pop() {
        process.spend(16);
        let is_repeated = comparison.is_unique
            && last
                .as_ref()
                .is_some_and(|last| comparison.keys(last, &head.line) == Ordering::Equal);
        if !is_repeated {
            out.write_all(&head.line)?;
            out.write_all(&[end])?;
            if comparison.is_unique {
                last = Some(head.line.clone());
            }
        }
        if head.advance(end)? {
            let place = queue.partition_point(|(other_number, other)| {
                order(other, &head).then(number.cmp(other_number)) == Ordering::Less
            });
            queue.insert(place, (number, head));
        }
    }
    Ok(())
}

/// The next line of an input.
struct Head<'p, R> {
    lines: Lines<'p, R>,
    line: Vec<u8>,
}

impl<R: Read> Head<'_, R> {
    fn advance(&mut self, end: u8) -> io::Result<bool> {
        let Some(line) = self.lines.next_line()? else {
            return Ok(false);
        };
        self.line.clear();
        self.line
            .extend_from_slice(line.strip_suffix(&[end]).unwrap_or(line));
        Ok(true)
    }
}
