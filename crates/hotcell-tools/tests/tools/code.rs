//! Files as code wants them.

use hotcell_meter::Account;
use hotcell_tools::{CODE_MAX_BYTES, FileToolError, FileTools, Lines, PAGE_LINES};

use crate::support::{all_backends, mem};

#[test]
fn a_text_comes_whole_and_with_nothing_added() {
    for backend in all_backends() {
        let text = "id,name\r\n".to_owned() + &"1,tea\n".repeat(20_000);
        backend.put("data.csv", &text);
        assert_eq!(backend.tools.read_text("data.csv").unwrap(), text);
        assert_eq!(backend.tools.read_text("./data.csv").unwrap(), text);
    }
}

#[test]
fn bytes_come_in_parts_too() {
    let backend = mem();
    backend.put("b.bin", [0, 255, 1, 2]);
    let read = |offset, length| backend.tools.read_bytes("b.bin", offset, length).unwrap();
    assert_eq!(read(0, None), [0, 255, 1, 2]);
    assert_eq!(read(1, Some(2)), [255, 1]);
    assert_eq!(read(3, Some(100)), [2]);
    assert_eq!(read(100, None), b"");
    assert!(matches!(
        backend.tools.read_text("b.bin"),
        Err(FileToolError::NotText { .. })
    ));
}

#[test]
fn what_is_too_large_says_how_to_read_it() {
    let backend = mem();
    let size = usize::try_from(CODE_MAX_BYTES).unwrap() + 1;
    backend.put("big", "x\n".repeat(size / 2) + "y");
    let error = backend.tools.read_text("big").unwrap_err().to_string();
    assert!(error.contains("readLines"), "{error}");
    assert_eq!(
        backend.tools.read_bytes("big", 10, Some(4)).unwrap(),
        b"x\nx\n"
    );
}

#[test]
fn lines_come_page_by_page_and_none_is_lost() {
    for backend in all_backends() {
        let lines: Vec<String> = (0..60_000).map(|n| format!("row {n}")).collect();
        for (text, expected) in [
            (lines.join("\n"), lines.clone()),
            (lines.join("\r\n") + "\r\n", lines.clone()),
            (String::new(), vec![]),
            ("\n\n".to_owned(), vec![String::new(), String::new()]),
            // Many more lines than their bytes would let one think.
            ("\n".repeat(100_000), vec![String::new(); 100_000]),
            ("\n".repeat(PAGE_LINES), vec![String::new(); PAGE_LINES]),
            (
                "\n".repeat(PAGE_LINES) + "x",
                [vec![String::new(); PAGE_LINES], vec!["x".to_owned()]].concat(),
            ),
            (
                "x".repeat(600_000) + "\ny",
                vec!["x".repeat(600_000), "y".to_owned()],
            ),
        ] {
            backend.put("rows", text);
            let (mut found, mut at, mut pages) = (Vec::new(), 0, 0);
            loop {
                let Lines { lines, next } = backend.tools.read_lines("rows", at).unwrap();
                assert!(lines.len() <= PAGE_LINES);
                found.extend(lines);
                pages += 1;
                match next {
                    Some(next) => at = next,
                    None => break,
                }
            }
            assert!(found == expected, "{} of {}", found.len(), expected.len());
            assert!(pages > 1 || expected.len() < 3, "{pages}");
        }
    }
}

#[test]
fn a_list_is_names_and_with_recursion_paths() {
    for backend in all_backends() {
        backend.put("b.txt", "");
        backend.put("a/deep/c.txt", "");
        backend.put(".hidden", "");
        let list =
            |path: Option<&str>, recursive| backend.tools.list_names(path, recursive).unwrap();
        assert_eq!(list(None, false), [".hidden", "a/", "b.txt"]);
        assert_eq!(list(Some("a"), false), ["deep/"]);
        assert_eq!(
            list(Some("."), true),
            [".hidden", "a/", "a/deep/", "a/deep/c.txt", "b.txt"]
        );
        assert!(matches!(
            backend.tools.list_names(Some("b.txt"), false),
            Err(FileToolError::NotDirectory { .. })
        ));
        assert!(matches!(
            backend.tools.list_names(Some("nowhere"), false),
            Err(FileToolError::PathNotFound { .. })
        ));
    }
}

#[test]
fn what_exists_is_known_and_what_is_elsewhere_is_not_told() {
    for backend in all_backends() {
        backend.put("a/b", "");
        assert!(backend.tools.exists("a/b").unwrap());
        assert!(backend.tools.exists("a").unwrap());
        assert!(!backend.tools.exists("a/c").unwrap());
        for path in ["../x", "/etc/passwd"] {
            assert!(
                matches!(
                    backend.tools.exists(path),
                    Err(FileToolError::OutsideWorkspace { .. })
                ),
                "{}",
                backend.name
            );
            assert!(backend.tools.read_text(path).is_err());
            assert!(backend.tools.read_lines(path, 0).is_err());
            assert!(backend.tools.list_names(Some(path), true).is_err());
            assert!(backend.tools.write_text(path, "x".into()).is_err());
        }
    }
}

#[test]
fn a_text_is_written_whole() {
    for backend in all_backends() {
        assert_eq!(
            backend.tools.write_text("new/é.txt", "é".into()).unwrap(),
            2
        );
        assert_eq!(backend.get("new/é.txt"), "é".as_bytes());
    }
}

#[test]
fn what_is_read_is_charged_before_and_until_the_tools_are_gone() {
    let backend = mem();
    backend.put("text", "x".repeat(1_000_000));
    backend.put("lines", "\n".repeat(1_000_000));
    backend.put("line", "x".repeat(5_000_000));
    for number in 0..1000 {
        backend.put(&format!("names/{number}"), "");
    }
    let account = Account::new("memory", 4 << 20);
    let tools = || backend.tools.with_charge(account.none());
    for (work, least) in [
        (
            (|tools| tools.read_text("text").map(drop)) as fn(&FileTools) -> _,
            1_000_000,
        ),
        (
            |tools| tools.read_lines("lines", 0).map(drop),
            100 * PAGE_LINES,
        ),
        (
            |tools| tools.list_names(Some("names"), false).map(drop),
            100_000,
        ),
    ] {
        let tools = tools();
        work(&tools).unwrap();
        assert!(account.used() >= least, "{} of {least}", account.used());
        drop(tools);
        assert_eq!(account.used(), 0);
        let small = Account::new("memory", least / 2);
        let error = work(&backend.tools.with_charge(small.none())).unwrap_err();
        assert!(matches!(error, FileToolError::NoRoom(_)), "{error}");
        assert_eq!(small.used(), 0);
    }
    let error = tools().read_lines("line", 0).unwrap_err();
    assert!(matches!(error, FileToolError::NoRoom(_)), "{error}");
}

#[test]
fn reading_stops_when_told_to() {
    let backend = mem();
    backend.put("a", "x");
    let tools = backend.tools.with_cancel(|| true);
    for error in [
        tools.read_text("a").unwrap_err(),
        tools.read_lines("a", 0).unwrap_err(),
        tools.list_names(None, true).unwrap_err(),
    ] {
        assert_eq!(error, FileToolError::Cancelled);
    }
    assert!(tools.read_lines("a", u64::MAX).is_err());
}
