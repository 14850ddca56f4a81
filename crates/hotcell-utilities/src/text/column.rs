//! `column`.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Output, Process, limit_error};

use super::ranges::Ranges;
use crate::{
    Opt, Parsed, Usage, Utility,
    blanks::put_blanks,
    lines::Lines,
    operands::{complain_of, each_file_or},
    quote::quote,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "column",
    letters: b"hV",
    synopsis: "[options] [<file>...]",
    summary: "Columnate lists.",
    options: &[
        Opt::flag('t', "table", "create a table"),
        Opt::value('n', "table-name", "name", "table name for JSON output"),
        Opt::value(
            'O',
            "table-order",
            "columns",
            "specify order of output columns",
        ),
        Opt::value(
            'N',
            "table-columns",
            "names",
            "comma separated columns names",
        ),
        Opt::value(
            'R',
            "table-right",
            "columns",
            "right align text in these columns",
        ),
        Opt::value('H', "table-hide", "columns", "don't print the columns"),
        Opt::value(
            'E',
            "table-noextreme",
            "columns",
            "don't count long text from the columns to column width",
        ),
        Opt::flag('d', "table-noheadings", "don't print header"),
        Opt::flag('L', "keep-empty-lines", "don't ignore empty lines"),
        Opt::flag('J', "json", "use JSON output format for table"),
        Opt::value(
            'c',
            "output-width",
            "width",
            "width of output in number of characters",
        ),
        Opt::value(
            'o',
            "output-separator",
            "string",
            "columns separator for table output (default is two spaces)",
        ),
        Opt::value('s', "separator", "string", "possible table delimiters"),
        Opt::value(
            'l',
            "table-columns-limit",
            "num",
            "maximal number of input columns",
        ),
        Opt::flag('x', "fillrows", "fill rows before columns"),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let mut lines: Vec<BString> = Vec::new();
    let mut charge = process.charge(0)?;
    let keeps_empty = parsed.has("keep-empty-lines");
    let failed = each_file_or(process, &parsed.operands, complain_of, |_, input| {
        let mut all = Lines::new(process, input)?;
        while let Some(line) = all.next_line()? {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            if text.trim_ascii().is_empty() && !keeps_empty {
                continue;
            }
            charge.grow(text.len() * 3 + 64).map_err(limit_error)?;
            lines.push(text.into());
        }
        Ok(())
    });
    let mut out = process.stdout();
    let is_table = parsed.has("table") || parsed.has("json");
    if is_table {
        table(process, &parsed, &lines, &mut out)?;
    } else {
        fill(process, &parsed, &lines, &mut out)?;
    }
    out.flush()?;
    // What was printed counts for more than what could not be read.
    Ok(match lines.is_empty() {
        true if !is_table => failed,
        false if is_table => 0,
        _ => i32::from(failed > 0),
    })
}

/// What a cell of a table takes beside its text, with what is kept for its column.
const CELL: usize = 64;

/// How many cells there may be in a line.
fn cells_at_most(line: &[u8], separator: Option<&BStr>) -> usize {
    let separators = line.iter().filter(|byte| match separator {
        Some(separator) => separator.contains(byte),
        None => byte.is_ascii_whitespace(),
    });
    separators.count() + 1
}

fn width_of(text: &[u8]) -> usize {
    crate::characters::columns(text)
}

fn output_width(process: &Process, parsed: &Parsed) -> usize {
    let text = parsed
        .value("output-width")
        .map(BString::from)
        .or_else(|| process.env("COLUMNS"));
    match text {
        None => 80,
        Some(text) if text == "unlimited" => usize::MAX,
        Some(text) => text
            .to_str()
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or_else(|| {
                process.complain(format!("invalid columns argument: {}", quote(&text)));
                process.exit(1)
            }),
    }
}

/// Entries beside each other, as many as fit, at tab stops.
fn fill(
    process: &Process,
    parsed: &Parsed,
    lines: &[BString],
    out: &mut Output<'_>,
) -> io::Result<()> {
    let longest = lines.iter().map(|line| width_of(line)).max().unwrap_or(0);
    let width = output_width(process, parsed);
    let cell = (longest + 8) / 8 * 8;
    if longest >= width || lines.is_empty() {
        return lines
            .iter()
            .try_for_each(|line| out.write_all(&[line.as_slice(), b"\n"].concat()));
    }
    let columns = (width / cell).max(1);
    let rows = lines.len().div_ceil(columns);
    for row in 0..rows {
        let mut column = 0;
        loop {
            process.spend(16);
            let at = if parsed.has("fillrows") {
                row * columns + column
            } else {
                column * rows + row
            };
            let Some(line) = lines.get(at) else { break };
            out.write_all(line)?;
            let next = if parsed.has("fillrows") {
                at + 1
            } else {
                at + rows
            };
            let is_last = next >= lines.len() || parsed.has("fillrows") && column + 1 == columns;
            if is_last {
                break;
            }
            let tabs = (cell - width_of(line)).div_ceil(8);
            out.write_all("\t".repeat(tabs).as_bytes())?;
            column += 1;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

struct Table {
    header: Vec<BString>,
    rows: Vec<Vec<BString>>,
}

fn table(
    process: &Process,
    parsed: &Parsed,
    lines: &[BString],
    out: &mut Output<'_>,
) -> io::Result<()> {
    let limit = parsed
        .value("table-columns-limit")
        .and_then(|text| text.to_str().ok()?.parse::<usize>().ok())
        .unwrap_or(usize::MAX);
    let header: Vec<BString> = parsed.value("table-columns").map(names).unwrap_or_default();
    let mut rows = Vec::new();
    let mut held = process.charge(0)?;
    for line in lines {
        process.spend(line.len() + 16);
        // A cell takes more than its text.
        let cells = cells_at_most(line, parsed.value("separator"));
        held.grow(cells.saturating_mul(CELL)).map_err(limit_error)?;
        rows.push(split(line, parsed.value("separator"), limit));
    }
    let count = rows
        .iter()
        .map(Vec::len)
        .max()
        .unwrap_or(0)
        .max(header.len());
    let table = Table { header, rows };
    let chosen = |option: &str| -> Vec<bool> {
        let mut flags = vec![false; count];
        for text in parsed.values(option) {
            for part in text.split_str(",") {
                for at in table.places(part, count) {
                    if let Some(flag) = flags.get_mut(at) {
                        *flag = true;
                    }
                }
            }
        }
        flags
    };
    let hidden = chosen("table-hide");
    let mut order: Vec<usize> = Vec::new();
    if let Some(text) = parsed.value("table-order") {
        for part in text.split_str(",") {
            order.extend(table.places(part, count));
        }
    }
    let mut placed = vec![false; count];
    for column in &order {
        if let Some(placed) = placed.get_mut(*column) {
            *placed = true;
        }
    }
    order.extend((0..count).filter(|column| placed.get(*column) != Some(&true)));
    order.retain(|column| hidden.get(*column) != Some(&true));
    if parsed.has("json") {
        return json(parsed, &table, &order, out);
    }
    let right = chosen("table-right");
    let separator = parsed.value("output-separator").unwrap_or(BStr::new("  "));
    let shows_header = !table.header.is_empty() && !parsed.has("table-noheadings");
    let all = || {
        table
            .header
            .iter()
            .take(if shows_header { usize::MAX } else { 0 })
    };
    let mut widths = vec![0; count];
    for (column, name) in all().enumerate() {
        if let Some(width) = widths.get_mut(column) {
            *width = (*width).max(width_of(name));
        }
    }
    for row in &table.rows {
        process.spend(row.len());
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(width_of(cell));
        }
    }
    let empty = BString::default();
    let mut print = |row: &[BString]| -> io::Result<()> {
        for (at, column) in order.iter().enumerate() {
            let cell = row.get(*column).unwrap_or(&empty);
            let padding = widths.get(*column).copied().unwrap_or(0) - width_of(cell);
            let is_last = at + 1 == order.len();
            if right.get(*column) == Some(&true) {
                put_blanks(out, padding)?;
                out.write_all(cell)?;
            } else {
                out.write_all(cell)?;
                if !is_last {
                    put_blanks(out, padding)?;
                }
            }
            if !is_last {
                out.write_all(separator)?;
            }
        }
        out.write_all(b"\n")
    };
    if shows_header {
        print(&table.header)?;
    }
    for row in &table.rows {
        process.spend(row.len() * 8);
        if row.is_empty() {
            print(&[])?;
        } else {
            print(row)?;
        }
    }
    Ok(())
}

fn names(list: &BStr) -> Vec<BString> {
    list.split_str(",").map(BString::from).collect()
}

fn split(line: &BString, separators: Option<&BStr>, limit: usize) -> Vec<BString> {
    match separators {
        None => {
            let mut words: Vec<BString> = line
                .fields_with(|c| c == ' ' || c == '\t')
                .map(BString::from)
                .collect();
            if words.len() > limit && limit > 0 {
                let rest = words.split_off(limit - 1);
                words.push(bstr::join(" ", rest).into());
            }
            words
        }
        Some(separators) => {
            let mut cells: Vec<BString> = Vec::new();
            let mut rest = line.as_slice();
            while cells.len() + 1 < limit
                && let Some(at) = rest.find_byteset(separators)
            {
                cells.push(rest.get(..at).unwrap_or_default().into());
                rest = rest.get(at + 1..).unwrap_or_default();
            }
            cells.push(rest.into());
            cells
        }
    }
}

impl Table {
    /// The columns that a name, a number or a range stands for; `-` is the last one, `0` all.
    fn places(&self, part: &[u8], count: usize) -> Vec<usize> {
        if part == b"0" {
            return (0..count).collect();
        }
        if part == b"-" {
            return count.checked_sub(1).into_iter().collect();
        }
        if let Some(at) = self.header.iter().position(|name| name == part) {
            return vec![at];
        }
        match Ranges::parse(part, "column") {
            Ok(ranges) => (0..count)
                .filter(|column| ranges.contains(*column as u64 + 1))
                .collect(),
            Err(_) => Vec::new(),
        }
    }
}

fn json(parsed: &Parsed, table: &Table, order: &[usize], out: &mut Output<'_>) -> io::Result<()> {
    let text = |text: &[u8]| {
        let mut json = String::from("\"");
        for c in text.to_str_lossy().chars() {
            match c {
                '"' => json.push_str("\\\""),
                '\\' => json.push_str("\\\\"),
                c if c.is_control() => json.push_str(&format!("\\u{:04x}", u32::from(c))),
                c => json.push(c),
            }
        }
        json.push('"');
        json
    };
    let name = parsed.value("table-name").unwrap_or(BStr::new("table"));
    writeln!(out, "{{\n   {}: [", text(name))?;
    if !table.rows.is_empty() {
        out.write_all(b"      {\n")?;
    }
    for (at, row) in table.rows.iter().enumerate() {
        for (place, column) in order.iter().enumerate() {
            let key = table
                .header
                .get(*column)
                .map_or(&b""[..], |name| name.as_slice())
                .to_ascii_lowercase();
            let value = row
                .get(*column)
                .map_or_else(|| "null".to_owned(), |cell| text(cell));
            let comma = if place + 1 < order.len() { "," } else { "" };
            writeln!(out, "         {}: {value}{comma}", text(&key))?;
        }
        out.write_all(if at + 1 < table.rows.len() {
            b"      },{\n"
        } else {
            b"      }\n"
        })?;
    }
    out.write_all(b"   ]\n}\n")
}
