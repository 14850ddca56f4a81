//! edit beyond the cases.

use serde_json::{Value, json};

use crate::support::{Backend, backends, mem};

fn edited(before: &str, old: &str, new: &str) -> String {
    let backend = mem();
    backend.put("a", before);
    backend.text(
        "edit",
        json!({ "path": "a", "oldText": old, "newText": new }),
    );
    String::from_utf8(backend.get("a")).unwrap()
}

fn details(backend: &Backend, old: &str, new: &str) -> Value {
    let args = [json!("a"), json!(old), json!(new)];
    backend.tools.call("edit", &args).unwrap()["details"].clone()
}

#[test]
fn new_lines_end_like_the_line_they_begin_in() {
    let mixed = "one\r\ntwo\nthree\r\n";
    assert_eq!(edited(mixed, "one", "1\n1"), "1\r\n1\r\ntwo\nthree\r\n");
    assert_eq!(edited(mixed, "two\n", "2\n2\n"), "one\r\n2\n2\nthree\r\n");
    assert_eq!(edited("one\r\nlast", "last", "x\ny"), "one\r\nx\r\ny");
    assert_eq!(edited("one\ntwo\n", "two\r\n", "2\r\n2\r\n"), "one\n2\n2\n");
    // Where there is no line break, the new text brings its own.
    assert_eq!(edited("single", "single", "a\r\nb"), "a\r\nb");
}

#[test]
fn text_across_lines_of_different_endings_is_found() {
    assert_eq!(edited("a\r\nb\nc\r\n", "a\nb\nc\n", "x\n"), "x\r\n");
    assert_eq!(edited("a\r\nb\r\n", "a\nb", "ab"), "ab\r\n");
}

#[test]
fn an_exact_match_is_preferred_to_one_that_looks_the_same() {
    assert_eq!(
        edited("say \u{2018}x\u{2019}\nsay 'x'\n", "say 'x'", "told"),
        "say \u{2018}x\u{2019}\ntold\n"
    );
}

#[test]
fn what_looks_the_same_twice_is_refused() {
    let backend = mem();
    backend.put("a", "say \u{2018}x\u{2019}\nsay \u{201b}x\u{2019}\n");
    let error = backend.error(
        "edit",
        json!({ "path": "a", "oldText": "say 'x'", "newText": "" }),
    );
    assert!(
        error
            .to_string()
            .starts_with("Found 2 occurrences of the text in a.")
    );
}

#[test]
fn part_of_a_character_stays() {
    assert_eq!(edited("the \u{fb01}le\n", "ile", "ine"), "the fine\n");
    assert_eq!(edited("a\u{fb01}b\n", "af", "x"), "xib\n");
    assert_eq!(edited("e\u{301}t\u{e9}\n", "\u{e9}t", "x"), "x\u{e9}\n");
}

#[test]
fn spaces_at_the_end_of_the_old_text_mean_the_end_of_a_line() {
    assert_eq!(edited("foo\nfoobar\n", "foo  ", "x"), "x\nfoobar\n");
    assert_eq!(edited("foo\u{a0}bar\n", "foo ", "x"), "xbar\n");
    let backend = mem();
    backend.put("a", "foobar\n");
    let error = backend.error(
        "edit",
        json!({ "path": "a", "oldText": "foo ", "newText": "x" }),
    );
    assert!(
        error
            .to_string()
            .starts_with("Could not find the exact text in a.")
    );
}

#[test]
fn an_edit_that_begins_or_ends_at_a_line_break_leaves_the_spaces_beyond_it() {
    assert_eq!(
        edited("a  \n\u{2018}b\u{2019}\n  \nc\n", "\n'b'\n", "\nB\n"),
        "a  \nB\n  \nc\n"
    );
}

#[test]
fn the_diff_numbers_lines_and_shows_what_it_leaves_out() {
    for backend in backends() {
        let text: String = (1..=30).map(|n| format!("line {n}\n")).collect();
        backend.put("a", text);
        let details = details(&backend, "line 15\n", "fifteen\nand a half\n");
        assert_eq!(
            details["diff"],
            "    ...\n 11 line 11\n 12 line 12\n 13 line 13\n 14 line 14\n-15 line 15\n+15 fifteen\n\
             +16 and a half\n 16 line 16\n 17 line 17\n 18 line 18\n 19 line 19\n    ..."
        );
        assert_eq!(details["firstChangedLine"], 15);
        assert_eq!(
            details["patch"],
            "--- a/a\n+++ b/a\n@@ -11,9 +11,10 @@\n line 11\n line 12\n line 13\n line 14\n-line 15\n\
             +fifteen\n+and a half\n line 16\n line 17\n line 18\n line 19\n"
        );
    }
}

#[test]
fn a_change_of_a_line_ending_alone_is_shown() {
    let backend = mem();
    backend.put("a", "one\ntwo\n");
    let details = details(&backend, "two\n", "two");
    assert_eq!(details["diff"], " 1 one\n-2 two\n+2 two");
    assert_eq!(details["firstChangedLine"], 2);
    assert_eq!(backend.get("a"), b"one\ntwo");
}

#[test]
fn a_replacement_of_many_lines_takes_no_time_to_speak_of() {
    let backend = mem();
    let old: String = (0..20_000).map(|n| format!("old {n}\n")).collect();
    let new: String = (0..20_000).map(|n| format!("new {n}\n")).collect();
    backend.put("a", format!("start\n{old}end\n"));
    let details = details(&backend, &old, &new);
    assert_eq!(details["firstChangedLine"], 2);
    assert_eq!(backend.get("a"), format!("start\n{new}end\n").into_bytes());
}
