//! `join`.

use std::{
    cmp::Ordering,
    io::{self, Write},
    rc::Rc,
};

use bstr::{BStr, ByteSlice};
use hotcell_meter::Charge;
use hotcell_process::{Input, Output, Process};

use crate::{
    Opt, Parsed, Usage, Utility, lines::Lines, list::room_of, operands::complain_of, quote::quote,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "join",
    synopsis: "[OPTION]... FILE1 FILE2",
    summary: "For each pair of input lines with identical join fields, write a line to\n\
              standard output.  The default join field is the first, delimited by blanks.",
    options: &[
        Opt::value(
            'a',
            "",
            "FILENUM",
            "also print unpairable lines from file FILENUM, where\nFILENUM is 1 or 2, corresponding to FILE1 or FILE2",
        ),
        Opt::value(
            'e',
            "",
            "STRING",
            "replace missing (empty) input fields with STRING",
        ),
        Opt::flag(
            'i',
            "ignore-case",
            "ignore differences in case when comparing fields",
        ),
        Opt::value('j', "", "FIELD", "equivalent to '-1 FIELD -2 FIELD'"),
        Opt::value(
            'o',
            "",
            "FORMAT",
            "obey FORMAT while constructing output line",
        ),
        Opt::value(
            't',
            "",
            "CHAR",
            "use CHAR as input and output field separator",
        ),
        Opt::value(
            'v',
            "",
            "FILENUM",
            "like -a FILENUM, but suppress joined output lines",
        ),
        Opt::value('1', "", "FIELD", "join on this FIELD of file 1"),
        Opt::value('2', "", "FIELD", "join on this FIELD of file 2"),
        Opt::flag(
            '\0',
            "check-order",
            "check that the input is correctly sorted, even\nif all input lines are pairable",
        ),
        Opt::flag(
            '\0',
            "nocheck-order",
            "do not check that the input is correctly sorted",
        ),
        Opt::flag(
            '\0',
            "header",
            "treat the first line in each file as field headers,\nprint them without trying to pair them",
        ),
        Opt::flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    notes: "FORMAT is one or more comma or blank separated specifications, each being\n\
            'FILENUM.FIELD' or '0'.  If FORMAT is the keyword 'auto', then the first\n\
            line of each file determines the number of fields output for each line.",
    ..Usage::DEFAULT
};

/// A column of the output.
#[derive(Clone, Copy)]
enum Column {
    Key,
    Field(usize, usize),
}

struct Join {
    /// The field that counts in each file, from 0.
    keys: [usize; 2],
    separator: Option<u8>,
    empty: Vec<u8>,
    format: Option<Vec<Column>>,
    ignores_case: bool,
    unpaired: [bool; 2],
    paired: bool,
    end: u8,
    check: Option<&'static str>,
}

/// A line, taken apart.
struct Row {
    text: Vec<u8>,
    fields: Vec<(usize, usize)>,
    _held: Charge,
}

impl Row {
    fn field(&self, index: usize) -> Option<&[u8]> {
        let (start, end) = self.fields.get(index)?;
        self.text.get(*start..*end)
    }
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let [one, other] = match parsed.operands.as_slice() {
        [] => USAGE.fail(process, "missing operand"),
        [one] => USAGE.fail(
            process,
            [b"missing operand after ", quote(one).as_slice()].concat(),
        ),
        [one, other] => [one, other],
        [_, _, extra, ..] => USAGE.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        ),
    };
    let mut join = Join::from_options(process, &parsed);
    let mut files = Vec::new();
    for (index, name) in [one, other].into_iter().enumerate() {
        match process.open_input(name) {
            Ok(input) => files.push(File::new(process, input, index, &join)?),
            Err(error) => {
                complain_of(process, name, &error);
                return Ok(1);
            }
        }
    }
    let Ok([mut left, mut right]) = <[File<'_>; 2]>::try_from(files) else {
        return Ok(1);
    };
    let mut out = process.stdout();
    let (first, second) = (left.next(&join)?, right.next(&join)?);
    if parsed.values("o").any(|format| format == "auto") {
        let columns = |row: &Option<Rc<Row>>, index: usize| {
            let count = row.as_ref().map_or(0, |row| row.fields.len());
            let key = join.keys.get(index).copied().unwrap_or(0);
            (0..count)
                .filter(move |field| *field != key)
                .map(move |field| Column::Field(index, field))
                .collect::<Vec<_>>()
        };
        join.format = Some([vec![Column::Key], columns(&first, 0), columns(&second, 1)].concat());
    }
    let (mut left_group, mut right_group) = (first, second);
    if parsed.has("header") {
        if left_group.is_some() || right_group.is_some() {
            join.put(left_group.as_deref(), right_group.as_deref(), &mut out)?;
        }
        (left_group, right_group) = (left.next(&join)?, right.next(&join)?);
    }
    while let (Some(one), Some(other)) = (&left_group, &right_group) {
        process.spend(16);
        match join.compare(one, other) {
            Ordering::Less => {
                join.put_unpaired(0, one, &mut out)?;
                // The order matters from the line behind the next on, as in GNU's.
                left_group = left.next(&join)?;
                left.has_unpaired = true;
                right.has_unpaired = true;
            }
            Ordering::Greater => {
                join.put_unpaired(1, other, &mut out)?;
                right_group = right.next(&join)?;
                left.has_unpaired = true;
                right.has_unpaired = true;
            }
            Ordering::Equal => {
                let (ones, next_left) = left.group(Rc::clone(one), &join)?;
                let (others, next_right) = right.group(Rc::clone(other), &join)?;
                if join.paired {
                    for one in &ones {
                        for other in &others {
                            process.spend(16);
                            join.put(Some(one), Some(other), &mut out)?;
                        }
                    }
                }
                (left_group, right_group) = (next_left, next_right);
            }
        }
    }
    while let Some(row) = left_group {
        join.put_unpaired(0, &row, &mut out)?;
        left.has_unpaired = true;
        left_group = left.next(&join)?;
    }
    while let Some(row) = right_group {
        join.put_unpaired(1, &row, &mut out)?;
        right.has_unpaired = true;
        right_group = right.next(&join)?;
    }
    out.flush()?;
    if left.was_reported || right.was_reported {
        process.complain("input is not in sorted order");
        return Ok(1);
    }
    Ok(0)
}

impl Join {
    fn from_options(process: &Process, parsed: &Parsed) -> Self {
        let number = |text: &BStr| match text
            .to_str()
            .ok()
            .and_then(|text| text.parse::<usize>().ok())
        {
            Some(0) | None => {
                process.complain([b"invalid field number: ", quote(text).as_slice()].concat());
                process.exit(1)
            }
            Some(number) => number - 1,
        };
        let file = |text: &BStr| match text.as_bytes() {
            b"1" => 0,
            b"2" => 1,
            _ => {
                process.complain([b"invalid file number: ", quote(text).as_slice()].concat());
                process.exit(1)
            }
        };
        let both = parsed.value("j").map(number);
        let key = |name: &str| parsed.value(name).map(number).or(both).unwrap_or(0);
        let mut unpaired = [false; 2];
        for option in ["a", "v"] {
            for text in parsed.values(option) {
                if let Some(wanted) = unpaired.get_mut(file(text)) {
                    *wanted = true;
                }
            }
        }
        let separator = match parsed.value("t").map(|text| text.as_bytes()) {
            None => None,
            Some(b"") => Some(b'\n'),
            Some([one]) => Some(*one),
            Some(b"\\0") => Some(0),
            Some(other) => {
                process.complain([b"multi-character tab ", quote(other).as_slice()].concat());
                process.exit(1)
            }
        };
        let mut format = Vec::new();
        for text in parsed.values("o").filter(|text| *text != "auto") {
            for part in text
                .split(|byte| matches!(byte, b',' | b' ' | b'\t'))
                .filter(|part| !part.is_empty())
            {
                format.push(column(process, part));
            }
        }
        Self {
            keys: [key("1"), key("2")],
            separator,
            empty: parsed.value("e").unwrap_or_default().to_vec(),
            format: (!format.is_empty()).then_some(format),
            ignores_case: parsed.has("ignore-case"),
            unpaired,
            paired: !parsed.has("v"),
            end: if parsed.has("zero-terminated") {
                0
            } else {
                b'\n'
            },
            check: parsed.last_of(&["check-order", "nocheck-order"]),
        }
    }

    fn key<'r>(&self, row: &'r Row, file: usize) -> &'r [u8] {
        row.field(self.keys.get(file).copied().unwrap_or(0))
            .unwrap_or_default()
    }

    fn compare_keys(&self, one: &[u8], other: &[u8]) -> Ordering {
        if self.ignores_case {
            return one.to_ascii_lowercase().cmp(&other.to_ascii_lowercase());
        }
        one.cmp(other)
    }

    fn compare(&self, left: &Row, right: &Row) -> Ordering {
        self.compare_keys(self.key(left, 0), self.key(right, 1))
    }

    fn put_unpaired(&self, file: usize, row: &Row, out: &mut Output<'_>) -> io::Result<()> {
        if self.unpaired.get(file) != Some(&true) {
            return Ok(());
        }
        if file == 0 {
            self.put(Some(row), None, out)
        } else {
            self.put(None, Some(row), out)
        }
    }

    fn put(&self, left: Option<&Row>, right: Option<&Row>, out: &mut Output<'_>) -> io::Result<()> {
        let rows = [left, right];
        let key = left
            .map(|row| self.key(row, 0))
            .or_else(|| right.map(|row| self.key(row, 1)));
        let mut is_first = true;
        let mut field = |field: Option<&[u8]>| -> io::Result<()> {
            if !std::mem::take(&mut is_first) {
                out.write_all(&[self.separator.unwrap_or(b' ')])?;
            }
            let text = field
                .filter(|field| !field.is_empty())
                .unwrap_or(&self.empty);
            out.write_all(text)
        };
        if let Some(format) = &self.format {
            for column in format {
                field(match column {
                    Column::Key => key,
                    Column::Field(file, index) => rows
                        .get(*file)
                        .copied()
                        .flatten()
                        .and_then(|row| row.field(*index)),
                })?;
            }
        } else {
            field(key)?;
            for (row, skipped) in rows.into_iter().zip(self.keys) {
                let Some(row) = row else { continue };
                for index in (0..row.fields.len()).filter(|index| *index != skipped) {
                    field(row.field(index))?;
                }
            }
        }
        out.write_all(&[self.end])
    }
}

fn column(process: &Process, part: &[u8]) -> Column {
    let invalid = |what: &str| -> ! {
        process.complain([format!("invalid {what}: ").as_bytes(), &quote(part)].concat());
        process.exit(1)
    };
    if part == b"0" {
        return Column::Key;
    }
    let Some((file, field)) = part.split_once_str(".") else {
        invalid("field specifier");
    };
    let file = match file {
        b"1" => 0,
        b"2" => 1,
        _ => invalid("file number in field spec"),
    };
    match field
        .to_str()
        .ok()
        .and_then(|field| field.parse::<usize>().ok())
    {
        Some(field) if field > 0 => Column::Field(file, field - 1),
        _ => invalid("field number"),
    }
}

/// One of the two inputs.
struct File<'p> {
    process: &'p Process,
    lines: Lines<'p, Input<'p>>,
    index: usize,
    line: u64,
    last: Option<Vec<u8>>,
    /// Lines without a partner were seen: from then on the order matters.
    has_unpaired: bool,
    was_reported: bool,
}

impl<'p> File<'p> {
    fn new(process: &'p Process, input: Input<'p>, index: usize, join: &Join) -> io::Result<Self> {
        Ok(Self {
            process,
            lines: Lines::ending_with(process, input, join.end)?,
            index,
            line: 0,
            last: None,
            has_unpaired: false,
            was_reported: false,
        })
    }

    fn next(&mut self, join: &Join) -> io::Result<Option<Rc<Row>>> {
        let Some(line) = self.lines.next_line()? else {
            return Ok(None);
        };
        self.line += 1;
        let text = line.strip_suffix(&[join.end]).unwrap_or(line);
        let separators = text.iter().filter(|byte| match join.separator {
            Some(separator) => **byte == separator,
            None => matches!(byte, b' ' | b'\t'),
        });
        // A field takes more than one letter.
        let fields = separators.count() + 1;
        self.process.spend(text.len() / 8);
        let held = room_of(text) + size_of::<Row>() + fields * 2 * size_of::<(usize, usize)>();
        let held = self.process.charge(held)?;
        let text = text.to_vec();
        let fields = split(&text, join.separator);
        let row = Rc::new(Row {
            text,
            fields,
            _held: held,
        });
        let key = join.key(&row, self.index);
        let is_wrong = self
            .last
            .as_ref()
            .is_some_and(|last| join.compare_keys(last, key) == Ordering::Greater);
        let checks = match join.check {
            Some("check-order") => true,
            Some(_) => false,
            None => self.has_unpaired,
        };
        if is_wrong && checks && !self.was_reported {
            self.was_reported = true;
            let name = self
                .process
                .args()
                .get(self.process.args().len().saturating_sub(2) + self.index);
            let name = name.map_or(&b""[..], |name| name.as_slice());
            let line = format!(":{}: is not sorted: ", self.line);
            self.process
                .complain([name, line.as_bytes(), &row.text].concat());
            if join.check == Some("check-order") {
                self.process.exit(1);
            }
        }
        self.last = Some(key.to_vec());
        Ok(Some(row))
    }

    /// All rows with the key of `first`, and the first one with another.
    fn group(
        &mut self,
        first: Rc<Row>,
        join: &Join,
    ) -> io::Result<(Vec<Rc<Row>>, Option<Rc<Row>>)> {
        let key = join.key(&first, self.index).to_vec();
        let mut rows = vec![first];
        loop {
            let Some(row) = self.next(join)? else {
                return Ok((rows, None));
            };
            if join.compare_keys(&key, join.key(&row, self.index)) != Ordering::Equal {
                return Ok((rows, Some(row)));
            }
            rows.push(row);
        }
    }
}

fn split(text: &[u8], separator: Option<u8>) -> Vec<(usize, usize)> {
    let mut fields = Vec::new();
    match separator {
        Some(separator) => {
            let mut start = 0;
            for end in memchr::memchr_iter(separator, text).chain([text.len()]) {
                fields.push((start, end));
                start = end + 1;
            }
        }
        None => {
            let mut start = None;
            for (at, byte) in text.iter().enumerate() {
                if matches!(byte, b' ' | b'\t') {
                    if let Some(start) = start.take() {
                        fields.push((start, at));
                    }
                } else if start.is_none() {
                    start = Some(at);
                }
            }
            // Blanks at the end have an empty field behind them.
            let is_after_blanks = !fields.is_empty() || start.is_some();
            if is_after_blanks {
                fields.push((start.unwrap_or(text.len()), text.len()));
            }
        }
    }
    fields
}
