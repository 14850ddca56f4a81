//! `tr`.

mod set;

use std::io::{self, Write};

use hotcell_process::Process;
use set::{Class, Set, SetError};

use crate::{Opt, Usage, Utility, piece::Piece, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "tr",
    synopsis: "[OPTION]... STRING1 [STRING2]",
    summary: "Translate, squeeze, and/or delete characters from standard input,\nwriting to standard output.",
    options: &[
        Opt::flag('c', "complement", "use the complement of STRING1"),
        Opt::flag('C', "", "same as -c"),
        Opt::flag(
            'd',
            "delete",
            "delete characters in STRING1, do not translate",
        ),
        Opt::flag(
            's',
            "squeeze-repeats",
            "replace each sequence of a repeated character\nthat is listed in the last specified STRING,\nwith a single occurrence of that character",
        ),
        Opt::flag(
            't',
            "truncate-set1",
            "first truncate STRING1 to length of STRING2",
        ),
    ],
    notes: "STRINGs are specified as strings of characters.  Interpreted sequences are:\n\
            \\NNN octal, \\\\, \\a, \\b, \\f, \\n, \\r, \\t, \\v, CHAR1-CHAR2, [CHAR*], [CHAR*REPEAT],\n\
            [:alnum:] [:alpha:] [:blank:] [:cntrl:] [:digit:] [:graph:] [:lower:] [:print:]\n\
            [:punct:] [:space:] [:upper:] [:xdigit:], and [=CHAR=].",
    stops_at_operand: true,
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let (complement, delete) = (
        parsed.has("complement") || parsed.has("C"),
        parsed.has("delete"),
    );
    let squeeze = parsed.has("squeeze-repeats");
    let translates = !delete && (parsed.operands.len() == 2 || !squeeze);
    check_operands(process, &parsed.operands, delete, squeeze);
    let read = |index: usize, is_second: bool| -> Option<Set> {
        let text = parsed.operands.get(index)?;
        match Set::parse(text, is_second) {
            Ok(set) => Some(set),
            Err(error) => refuse(process, &error),
        }
    };
    let Some(mut first) = read(0, false) else {
        USAGE.fail(process, "missing operand");
    };
    let complemented = complement.then(|| first.clone());
    if complement {
        first = first.complement();
    }
    let second = read(1, true);
    let mut table: [u8; 256] = std::array::from_fn(|byte| u8::try_from(byte).unwrap_or(0));
    let mut deleted = [false; 256];
    let mut squeezed = [false; 256];
    if delete {
        first
            .bytes()
            .for_each(|byte| deleted[usize::from(byte)] = true);
    }
    if translates {
        let second = second.clone().unwrap_or_default();
        let truncate = parsed.has("truncate-set1");
        match map(&first, &second, complemented.as_ref(), truncate) {
            Ok(pairs) => pairs
                .into_iter()
                .for_each(|(from, to)| table[usize::from(from)] = to),
            Err(error) => refuse(process, &error),
        }
    }
    if squeeze {
        let last = if translates || delete {
            second.unwrap_or_default()
        } else {
            first
        };
        let last = last.filled(0);
        last.bytes()
            .for_each(|byte| squeezed[usize::from(byte)] = true);
    }
    copy(process, &table, &deleted, &squeezed)
}

fn check_operands(process: &Process, operands: &[bstr::BString], delete: bool, squeeze: bool) {
    let (least, most) = match (delete, squeeze) {
        (true, true) | (false, false) => (2, 2),
        (true, false) => (1, 1),
        (false, true) => (1, 2),
    };
    let more = |text: &str| -> ! {
        let note = match (delete, squeeze) {
            (true, true) => "\nTwo strings must be given when both deleting and squeezing repeats.",
            (true, false) => {
                "\nOnly one string may be given when deleting without squeezing repeats."
            }
            _ => "\nTwo strings must be given when translating.",
        };
        let note = if operands.is_empty() || (operands.len() > 2) {
            ""
        } else {
            note
        };
        USAGE.fail(process, format!("{text}{note}"))
    };
    if operands.len() < least {
        match operands.last() {
            None => more("missing operand"),
            Some(last) => more(&format!("missing operand after {}", quote(last))),
        }
    }
    if let Some(extra) = operands.get(most) {
        more(&format!("extra operand {}", quote(extra)));
    }
}

fn refuse(process: &Process, error: &SetError) -> ! {
    process.complain(error.to_string());
    process.exit(1)
}

/// Which byte becomes which. `complement` is what the first set is the complement of, if it is one.
fn map(
    first: &Set,
    second: &Set,
    complement: Option<&Set>,
    truncate: bool,
) -> Result<Vec<(u8, u8)>, SetError> {
    // Case is changed class by class; everything else goes position by position.
    let case = |class: Class| matches!(class, Class::Lower | Class::Upper);
    if second.classes().any(|(_, class)| !case(class)) {
        return Err(SetError::ClassInSecond);
    }
    let is_complement = complement.is_some();
    let misaligned = !is_complement
        && second.classes().any(|(at, class)| {
            case(class)
                && !first
                    .classes()
                    .any(|(other, partner)| other == at && case(partner))
        });
    if misaligned {
        return Err(SetError::MisalignedCase);
    }
    let length = first.len();
    if !truncate && length > second.filled(length).len() {
        if second.is_empty() {
            return Err(SetError::EmptySecond);
        }
        if second.ends_with_class() {
            return Err(SetError::ClassAtEnd);
        }
    }
    let has_class = complement.is_some_and(|of| of.classes().next().is_some());
    if has_class && !second.is_one_byte() {
        return Err(SetError::ComplementedClass);
    }
    let from: Vec<u8> = first.bytes().collect();
    let to: Vec<u8> = second.filled(length).bytes().collect();
    let Some(last) = to.last().copied() else {
        return Ok(Vec::new());
    };
    let pairs = from
        .into_iter()
        .enumerate()
        .filter_map(|(at, from)| match to.get(at) {
            Some(to) => Some((from, *to)),
            None if truncate => None,
            None => Some((from, last)),
        });
    Ok(pairs.collect())
}

fn copy(
    process: &Process,
    table: &[u8; 256],
    deleted: &[bool; 256],
    squeezed: &[bool; 256],
) -> io::Result<i32> {
    let mut input = process.stdin();
    let mut out = process.stdout();
    let mut pieces = Piece::default();
    let mut result = Vec::new();
    let is_simple = !deleted.contains(&true) && !squeezed.contains(&true);
    let mut last = None;
    loop {
        let piece = pieces.read(&mut input)?;
        if piece.is_empty() {
            break;
        }
        process.spend(piece.len() / 4);
        if is_simple {
            piece
                .iter_mut()
                .for_each(|byte| *byte = table[usize::from(*byte)]);
            out.write_all(piece)?;
            continue;
        }
        result.clear();
        for byte in piece.iter() {
            if deleted[usize::from(*byte)] {
                continue;
            }
            let to = table[usize::from(*byte)];
            if squeezed[usize::from(to)] && last == Some(to) {
                continue;
            }
            last = Some(to);
            result.push(to);
        }
        out.write_all(&result)?;
    }
    out.flush()?;
    Ok(0)
}
