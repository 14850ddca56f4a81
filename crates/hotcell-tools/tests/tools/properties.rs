//! Whatever the text, whatever the tree.

use std::collections::BTreeMap;
use std::fmt::Write;

use proptest::prelude::*;
use serde_json::json;

use crate::patch;
use crate::support::mem;

/// Lines of few different characters, so that things happen, with any line ending; the last one may have none.
fn text() -> impl Strategy<Value = Vec<(String, &'static str)>> {
    let line = "[ab \t\u{2019}\u{a0}\u{ff41}é'-]{0,6}";
    let ending = prop::sample::select(vec!["\n", "\r\n"]);
    let last = ("[ab\u{2019} ]{1,6}", Just(""));
    (
        prop::collection::vec((line, ending), 0..8),
        prop::option::of(last),
    )
        .prop_map(|(mut lines, last)| {
            lines.extend(last);
            lines
        })
}

fn joined(lines: &[(String, &str)]) -> String {
    lines
        .iter()
        .map(|(line, end)| format!("{line}{end}"))
        .collect()
}

/// How a model would write a line it has seen: plain characters, no spaces at the end, `\n`.
fn retyped(lines: &[(String, &str)]) -> String {
    lines
        .iter()
        .map(|(line, end)| {
            let plain = line
                .replace('\u{2019}', "'")
                .replace('\u{a0}', " ")
                .replace('\u{ff41}', "a");
            let end = if end.is_empty() { "" } else { "\n" };
            format!("{}{end}", plain.trim_end())
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn an_edit_changes_no_more_lines_than_it_names(
        before in text(),
        target in text(),
        after in text(),
        bom in any::<bool>(),
        retype in any::<bool>(),
        new in "[xyz\n]{0,8}",
    ) {
        let mark = if bom { "\u{feff}" } else { "" };
        let file = format!("{mark}{}{}{}", joined(&before), joined(&target), joined(&after));
        let old = if retype { retyped(&target) } else { joined(&target) };
        let backend = mem();
        backend.put("a", &file);
        let args = [json!("a"), json!(old), json!(new)];
        match backend.tools.call("edit", &args) {
            Err(_) => prop_assert_eq!(backend.get("a"), file.into_bytes()),
            Ok(result) => {
                let now = String::from_utf8(backend.get("a")).unwrap();
                let patch = result["details"]["patch"].as_str().unwrap();
                prop_assert_eq!(&patch::apply(&file, patch), &now);
                // One more where the end of a line was taken, so that the next one joins it.
                let named = old.split('\n').count();
                let removed = patch.lines().skip(2).filter(|line| line.starts_with('-')).count();
                prop_assert!(removed <= named, "{}", patch);
                prop_assert_eq!(now.starts_with('\u{feff}'), bom);
                let count = |text: &str| text.matches(['x', 'y', 'z']).count();
                prop_assert_eq!(count(&now), count(&new));
            }
        }
    }

    #[test]
    fn lines_around_a_marked_line_keep_their_bytes(
        before in text(),
        after in text(),
        padding in "[ \t\u{a0}]{0,3}",
        ending in prop::sample::select(vec!["\n", "\r\n"]),
        whole in any::<bool>(),
    ) {
        let mut before = before;
        for line in &mut before {
            if line.1.is_empty() {
                line.1 = "\n";
            }
        }
        let (start, end) = (joined(&before), joined(&after));
        let backend = mem();
        backend.put("a", format!("{start}the \u{201c}MARK\u{201d}{padding}{ending}{end}"));
        let (old, new) = if whole { ("the \"MARK\"\n", "one\ntwo\n") } else { ("\"MARK\"", "'it'") };
        backend.tools.call("edit", &[json!("a"), json!(old), json!(new)]).unwrap();
        let expected = if whole {
            format!("{start}one{ending}two{ending}{end}")
        } else {
            format!("{start}the 'it'{ending}{end}")
        };
        prop_assert_eq!(String::from_utf8(backend.get("a")).unwrap(), expected);
    }

    #[test]
    fn the_rest_of_a_line_keeps_its_bytes(
        before in "[aé\u{301}\u{1100}\u{1161}\u{11a8}\u{ff76}\u{ff9e}\u{fb01}\u{2019}\u{a0}\u{1e9b}\u{323} ]{0,8}p?",
        after in "(s[aé\u{301}\u{1100}\u{1161}\u{11a8}\u{ff76}\u{ff9e}\u{fb01}\u{2019}\u{a0}\u{1e9b}\u{323} ]{0,8})?",
    ) {
        let backend = mem();
        backend.put("a", format!("{before}\u{201c}MARK\u{201d}{after}\n"));
        backend.tools.call("edit", &[json!("a"), json!("\"MARK\""), json!("x")]).unwrap();
        prop_assert_eq!(String::from_utf8(backend.get("a")).unwrap(), format!("{before}x{after}\n"));
    }

    #[test]
    fn several_edits_are_the_same_as_one_after_the_other(
        lines in prop::collection::vec("[a-c \u{2019}]{0,4}", 1..10),
        picks in prop::collection::btree_set(0_usize..10, 1..4),
        ending in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let picks: Vec<usize> = picks.into_iter().filter(|pick| *pick < lines.len()).collect();
        let file: String = lines.iter().enumerate().map(|(n, line)| format!("{n}:{line}{ending}")).collect();
        let edit = |n: usize| (format!("{n}:{}\n", lines[n].replace('\u{2019}', "'")), format!("new {n}\n"));
        let together = mem();
        together.put("a", &file);
        let edits: Vec<_> = picks.iter().map(|n| { let (old, new) = edit(*n); json!({ "oldText": old, "newText": new }) }).collect();
        let done = together.tools.call("edit", &[json!({ "path": "a", "edits": edits })]);
        prop_assert_eq!(done.is_ok(), !picks.is_empty());
        let one_by_one = mem();
        one_by_one.put("a", &file);
        for n in &picks {
            let (old, new) = edit(*n);
            one_by_one.tools.call("edit", &[json!("a"), json!(old), json!(new)]).unwrap();
        }
        prop_assert_eq!(together.get("a"), one_by_one.get("a"));
    }

    #[test]
    fn what_is_written_is_read(text in "[a-z\\r\\n\u{feff}é\u{1f600} ]{0,200}", path in "[a-z]{1,3}(/[a-z]{1,3}){0,3}") {
        let backend = mem();
        let written = backend.text("write", json!({ "path": path, "content": text }));
        prop_assert_eq!(written, format!("Successfully wrote {} bytes to {path}", text.len()));
        prop_assert_eq!(backend.text("read", json!({ "path": path })), text);
    }

    #[test]
    fn pages_of_a_file_make_up_the_file(lines in prop::collection::vec("[a-z]{0,5}", 1..50), page in 1_usize..20) {
        let text = lines.join("\n");
        let backend = mem();
        backend.put("a", &text);
        let total = text.split_inclusive('\n').count();
        let mut pages = Vec::new();
        for offset in (1..=total).step_by(page) {
            let shown = backend.text("read", json!({ "path": "a", "offset": offset, "limit": page }));
            let body = shown.split("\n\n[").next().unwrap().to_owned();
            if offset + page <= total {
                prop_assert!(shown.ends_with(&format!("Use offset={} to continue.]", offset + page)), "{}", shown);
                pages.push(body);
            } else {
                pages.push(shown);
            }
        }
        prop_assert_eq!(pages.join("\n"), text);
    }

    #[test]
    fn grep_finds_what_looking_at_every_line_finds(
        files in prop::collection::btree_map("(d[ab]{1,2}/){0,2}[ab]{1,2}x?", "[ab\n ]{0,40}", 1..6),
        pattern in prop::sample::select(vec!["a", "ab", "a+b", "^b", "a$", "[ab] ", "b|a ", "^$", "\\bab\\b"]),
        ignore_case in any::<bool>(),
    ) {
        let backend = mem();
        for (path, text) in &files {
            backend.put(path, text);
        }
        let regex = regex::Regex::new(pattern).unwrap();
        let mut expected = String::new();
        // Names in the order of their bytes, directory by directory.
        let sorted: BTreeMap<Vec<&str>, &String> = files.iter().map(|(path, text)| (path.split('/').collect(), text)).collect();
        for (path, text) in sorted {
            for (n, line) in text.split_terminator('\n').enumerate() {
                if regex.is_match(line) {
                    let _ = writeln!(expected, "{}:{}: {line}", path.join("/"), n + 1);
                }
            }
        }
        let found = backend.text("grep", json!({ "pattern": pattern, "ignoreCase": ignore_case, "limit": 10_000 }));
        let expected = if expected.is_empty() { "No matches found" } else { expected.trim_end_matches('\n') };
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn find_finds_what_looking_at_every_name_finds(
        files in prop::collection::btree_set("(d[ab]{1,2}/){0,2}[ab]{1,2}x?", 1..8),
        pattern in "[abd*?x]{1,4}",
    ) {
        let backend = mem();
        let mut all = std::collections::BTreeSet::new();
        for path in &files {
            backend.put(path, "");
            let names: Vec<&str> = path.split('/').collect();
            for depth in 1..=names.len() {
                all.insert((names[..depth].to_vec(), depth < names.len()));
            }
        }
        let expected: Vec<String> = all
            .iter()
            .filter(|(names, _)| glob(pattern.as_bytes(), names.last().unwrap().as_bytes()))
            .map(|(names, is_dir)| names.join("/") + if *is_dir { "/" } else { "" })
            .collect();
        let expected = if expected.is_empty() { "No files found matching pattern".to_owned() } else { expected.join("\n") };
        prop_assert_eq!(backend.text("find", json!({ "pattern": pattern })), expected);
    }

    #[test]
    fn no_arguments_make_a_tool_panic(
        tool in prop::sample::select(vec!["read", "write", "edit", "grep", "find", "ls"]),
        texts in prop::collection::vec("\\PC{0,6}|[*?\\[{}()!/.~@\\\\\n-]{0,6}", 0..4),
        number in any::<i64>(),
    ) {
        let backend = mem();
        backend.put("a/b", "text\n");
        let mut args: Vec<_> = texts.into_iter().map(|text| json!(text)).collect();
        let _ = backend.tools.call(tool, &args);
        args.push(json!(number));
        let _ = backend.tools.call(tool, &args);
    }
}

/// A glob of `*` and `?` against one name.
fn glob(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|skip| glob(rest, &name[skip..])),
        Some((b'?', rest)) => name
            .split_first()
            .is_some_and(|(_, after)| glob(rest, after)),
        Some((byte, rest)) => name
            .split_first()
            .is_some_and(|(first, after)| first == byte && glob(rest, after)),
    }
}
