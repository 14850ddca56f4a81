//! `tsort`.

use std::{
    collections::{HashMap, VecDeque},
    io::{self, Read, Write},
};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, limit_error};

use crate::{Usage, Utility, operands::complain_of, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "tsort",
    synopsis: "[OPTION] [FILE]",
    summary: "Write totally ordered list consistent with the partial ordering in FILE.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    ..Usage::DEFAULT
};

#[derive(Default)]
struct Graph {
    numbers: HashMap<BString, usize>,
    names: Vec<BString>,
    after: Vec<Vec<usize>>,
    /// How many come before, and are not written yet.
    before: Vec<usize>,
    is_done: Vec<bool>,
}

impl Graph {
    fn number(&mut self, name: &[u8]) -> usize {
        if let Some(number) = self.numbers.get(BStr::new(name)) {
            return *number;
        }
        let number = self.names.len();
        self.numbers.insert(name.into(), number);
        self.names.push(name.into());
        self.after.push(Vec::new());
        self.before.push(0);
        self.is_done.push(false);
        number
    }

    fn add(&mut self, one: usize, other: usize) {
        if one != other {
            if let Some(after) = self.after.get_mut(one) {
                after.push(other);
            }
            if let Some(before) = self.before.get_mut(other) {
                *before += 1;
            }
        }
    }

    /// Nodes of a cycle, in its order.
    fn cycle(&self, process: &Process) -> Vec<usize> {
        // Who is left has somebody before it that is left. Going back long enough ends in a cycle.
        let mut previous = vec![usize::MAX; self.names.len()];
        for (one, after) in self.after.iter().enumerate() {
            process.spend(after.len());
            if self.is_done.get(one) == Some(&false) {
                for other in after {
                    if let Some(place) = previous.get_mut(*other) {
                        *place = one;
                    }
                }
            }
        }
        let Some(mut at) = self.is_done.iter().position(|done| !done) else {
            return Vec::new();
        };
        let mut seen = vec![false; self.names.len()];
        while seen.get(at) == Some(&false) {
            seen[at] = true;
            at = previous.get(at).copied().unwrap_or(usize::MAX);
            process.spend(1);
        }
        let start = at;
        let mut cycle = Vec::new();
        loop {
            cycle.push(at);
            at = previous.get(at).copied().unwrap_or(start);
            if at == start || cycle.len() > self.names.len() {
                break;
            }
        }
        cycle.reverse();
        cycle
    }
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    if let Some(extra) = parsed.operands.get(1) {
        USAGE.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        );
    }
    let name = parsed
        .operands
        .first()
        .map_or(BStr::new("-"), |name| name.as_bstr());
    let mut text = Vec::new();
    let mut charge = process.charge(0)?;
    let mut input = match process.open_input(name) {
        Ok(input) => input,
        Err(error) => {
            complain_of(process, name, &error);
            return Ok(1);
        }
    };
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = input.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        // A name costs its bytes twice, its place in the tables and its edges.
        charge.grow(read * 40).map_err(limit_error)?;
        text.extend_from_slice(buffer.get(..read).unwrap_or_default());
    }
    let mut graph = Graph::default();
    let mut first = None;
    for word in text.fields_with(|c| matches!(c, ' ' | '\t' | '\n')) {
        process.spend(word.len() + 16);
        let number = graph.number(word);
        match first.take() {
            None => first = Some(number),
            Some(one) => graph.add(one, number),
        }
    }
    let shown = if name == "-" { BStr::new("-") } else { name };
    if first.is_some() {
        process.complain(
            [
                shown.as_bytes(),
                b": input contains an odd number of tokens",
            ]
            .concat(),
        );
        return Ok(1);
    }
    write(process, &mut graph, shown)
}

fn write(process: &Process, graph: &mut Graph, name: &BStr) -> io::Result<i32> {
    let mut out = process.stdout();
    let mut code = 0;
    // GNU goes through the names in the order of their bytes to begin with.
    let mut free: Vec<usize> = (0..graph.names.len())
        .filter(|node| graph.before.get(*node) == Some(&0))
        .collect();
    free.sort_by(|one, other| graph.names.get(*one).cmp(&graph.names.get(*other)));
    let mut queue: VecDeque<usize> = free.into();
    let mut left = graph.names.len();
    while left > 0 {
        while let Some(node) = queue.pop_front() {
            left -= 1;
            if let Some(done) = graph.is_done.get_mut(node) {
                *done = true;
            }
            if let Some(name) = graph.names.get(node) {
                out.write_all(name)?;
                out.write_all(b"\n")?;
            }
            // The ones that were named last come first.
            let after = graph
                .after
                .get_mut(node)
                .map(std::mem::take)
                .unwrap_or_default();
            for next in after.into_iter().rev() {
                process.spend(4);
                if let Some(before) = graph.before.get_mut(next) {
                    *before = before.saturating_sub(1);
                    if *before == 0 && graph.is_done.get(next) == Some(&false) {
                        queue.push_back(next);
                    }
                }
            }
        }
        if left == 0 {
            break;
        }
        code = 1;
        out.flush()?;
        process.complain([name.as_bytes(), b": input contains a loop:"].concat());
        let cycle = graph.cycle(process);
        for node in &cycle {
            if let Some(name) = graph.names.get(*node) {
                process.complain(name);
            }
        }
        // One edge of it is left out.
        let (Some(one), Some(other)) = (cycle.last().copied(), cycle.first().copied()) else {
            break;
        };
        if let Some(after) = graph.after.get_mut(one) {
            let edges = after.len();
            after.retain(|next| *next != other);
            let removed = edges - after.len();
            if let Some(before) = graph.before.get_mut(other) {
                *before = before.saturating_sub(removed);
                if *before == 0 {
                    queue.push_back(other);
                }
            }
        }
    }
    out.flush()?;
    Ok(code)
}
