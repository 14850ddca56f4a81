use hotcell_prepare::{Location, code_frame};

use crate::{at, diagnose, only, prepare};

#[test]
fn every_line_terminator_counts_and_crlf_counts_once() {
    for (terminator, name) in [
        ("\n", "lf"),
        ("\r\n", "crlf"),
        ("\r", "cr"),
        ("\u{2028}", "ls"),
        ("\u{2029}", "ps"),
    ] {
        let code = ["f()", "g()", "  process"].join(terminator);
        assert_eq!(only(&code).location, at(3, 3), "{name}");
    }
}

#[test]
fn tabs_count_as_one_column() {
    assert_eq!(only("\t\tprocess").location, at(1, 3));
}

#[test]
fn columns_count_utf16_units() {
    assert_eq!(only("f(\"ü\"); process").location, at(1, 9));
    assert_eq!(only("f(\"😀\"); process").location, at(1, 10));
    assert_eq!(only("/* 日本 */ process").location, at(1, 10));
}

#[test]
fn a_byte_order_mark_is_a_column_and_no_error() {
    let found = only("\u{feff}process");
    assert_eq!(
        (found.rule.as_ref(), found.location),
        ("forbidden_global_access", at(1, 2))
    );
}

#[test]
fn errors_at_the_end_of_the_code_have_a_place() {
    assert_eq!(only("f(").location, at(1, 3));
    assert_eq!(only("f(\n").location.map(|place| place.line), Some(2));
}

#[test]
fn findings_come_in_the_order_of_the_code() {
    let found = diagnose("fetch(1);\nimport(\"x\");\nprocess.exit();\nlet search;");
    let lines: Vec<_> = found.iter().map(|one| one.location.unwrap().line).collect();
    assert_eq!(lines, [1, 2, 3, 4]);
}

#[test]
fn the_engines_byte_columns_become_utf16_columns() {
    let program = prepare("f(\"ü😀\"); g()");
    assert_eq!(Some(program.engine_location(1, 12)), at(1, 9));
    let program = prepare("abc");
    assert_eq!(Some(program.engine_location(1, 3)), at(1, 3));
    assert_eq!(Some(program.engine_location(9, 3)), at(9, 3));
}

#[test]
fn the_engines_places_lead_back_to_fenced_and_typed_code() {
    let code = "Here it is:\n```ts\nconst ü: Größe = f()\n```";
    let program = prepare(code);
    let line = program.transformed.lines().nth(2).unwrap();
    let byte = u32::try_from(line.find("f()").unwrap()).unwrap() + 1;
    assert_eq!(Some(program.engine_location(3, byte)), at(3, 18));
}

#[test]
fn a_frame_shows_three_lines_around_the_place() {
    let code = (1..=9)
        .map(|n| format!("line {n}"))
        .collect::<Vec<_>>()
        .join("\n");
    assert_eq!(
        code_frame(&code, Location { line: 5, column: 3 }),
        "  2 | line 2\n  3 | line 3\n  4 | line 4\n> 5 | line 5\n    |   ^\n  6 | line 6\n  7 | line 7\n  8 | line 8"
    );
}

#[test]
fn a_frame_aligns_numbers_tabs_and_wide_characters() {
    let code = "\n".repeat(9) + "\t😀x";
    let frame = code_frame(
        &code,
        Location {
            line: 10,
            column: 4,
        },
    );
    assert!(frame.ends_with("> 10 | \t😀x\n     | \t  ^"), "{frame}");
}

#[test]
fn a_frame_survives_places_that_do_not_exist() {
    assert_eq!(code_frame("", Location { line: 1, column: 1 }), "");
    assert_eq!(
        code_frame("a", Location { line: 0, column: 0 }),
        "> 1 | a\n    | ^"
    );
    assert_eq!(
        code_frame(
            "a",
            Location {
                line: 99,
                column: 99
            }
        ),
        "> 1 | a\n    |  ^"
    );
    assert_eq!(
        code_frame(
            "a\nb",
            Location {
                line: u32::MAX,
                column: u32::MAX
            }
        )
        .lines()
        .count(),
        3
    );
}

#[test]
fn a_frame_of_a_long_line_shows_the_part_around_the_place() {
    let code = format!("{}HERE{}", "a".repeat(5000), "b".repeat(5000));
    let frame = code_frame(
        &code,
        Location {
            line: 1,
            column: 5001,
        },
    );
    assert!(frame.len() < 400 && frame.contains("HERE"), "{frame}");
    let (line, caret) = frame.split_once('\n').unwrap();
    assert_eq!(line.find("HERE"), caret.find('^'));
}
