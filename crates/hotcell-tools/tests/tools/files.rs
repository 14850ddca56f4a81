//! Unusual files, unusual arguments: a clear error or a right answer, and nothing written halfway.

use hotcell_tools::{EDIT_MAX_BYTES, FileToolError, IMAGE_MAX_BYTES, MAX_BYTES};
use hotcell_vfs::{Limits, MemVfs, Vfs, VfsPath};
use serde_json::{Value, json};

use crate::support::{backends, mem};

#[test]
fn directory_in_place_of_a_file() {
    for backend in backends() {
        backend.put("dir/x", "");
        let error = |tool: &str, params: Value| backend.error(tool, params).to_string();
        assert_eq!(
            error("read", json!({ "path": "dir" })),
            "Path is a directory, not a file: dir. Use ls to see what is in it"
        );
        assert_eq!(
            error("write", json!({ "path": "dir", "content": "" })),
            "Could not write file: dir. Error code: EISDIR."
        );
        assert_eq!(
            error("write", json!({ "path": "new/", "content": "" })),
            "Could not write file: new/. Error code: EISDIR."
        );
        assert_eq!(
            error(
                "edit",
                json!({ "path": "dir", "oldText": "a", "newText": "b" })
            ),
            "Could not edit file: dir. Error code: EISDIR."
        );
        assert_eq!(
            error("ls", json!({ "path": "dir/x" })),
            "Not a directory: dir/x"
        );
        assert_eq!(
            error("find", json!({ "path": "dir/x", "pattern": "*" })),
            "Not a directory: dir/x"
        );
        assert_eq!(
            error("write", json!({ "path": "dir/x/y", "content": "" })),
            "Could not write file: dir/x/y. Error code: ENOTDIR."
        );
    }
}

#[test]
fn missing_paths() {
    for backend in backends() {
        for (tool, params) in [
            ("ls", json!({ "path": "none" })),
            ("find", json!({ "path": "none", "pattern": "*" })),
            ("grep", json!({ "path": "none", "pattern": "x" })),
        ] {
            assert_eq!(
                backend.error(tool, params).to_string(),
                "Path not found: none"
            );
        }
        for tool in ["read", "write", "edit"] {
            let params = json!({ "path": "", "content": "", "oldText": "a", "newText": "b" });
            let mut params = params.as_object().unwrap().clone();
            params.retain(|name, _| match tool {
                "read" => name == "path",
                "write" => name == "path" || name == "content",
                _ => name != "content",
            });
            let error = backend.error(tool, Value::Object(params)).to_string();
            assert_eq!(error, format!("{tool}: path must not be empty"));
        }
        assert!(matches!(
            backend.error("read", json!({ "path": "a\0b" })),
            FileToolError::Failed { .. }
        ));
    }
}

#[test]
fn binary_files() {
    for backend in backends() {
        backend.put("x.bin", b"\x00\x01\x02needle\n");
        assert_eq!(
            backend
                .error("read", json!({ "path": "x.bin" }))
                .to_string(),
            "Binary file: x.bin (10B). Only text and PNG, JPEG, GIF, WebP and BMP images can be used"
        );
        assert!(matches!(
            backend.error(
                "edit",
                json!({ "path": "x.bin", "oldText": "needle", "newText": "x" })
            ),
            FileToolError::Binary { .. }
        ));
        assert_eq!(
            backend.text("grep", json!({ "pattern": "needle" })),
            "No matches found"
        );
        assert_eq!(
            backend.text("grep", json!({ "pattern": "needle", "path": "x.bin" })),
            "No matches found\n\n[x.bin is a binary file and was not searched to its end]"
        );
    }
}

#[test]
fn text_that_is_not_utf8_is_shown_and_edited_around() {
    for backend in backends() {
        backend.put("latin.txt", b"caf\xe9\nplain\nna\xefve\n");
        assert_eq!(
            backend.text("read", json!({ "path": "latin.txt" })),
            "caf\u{fffd}\nplain\nna\u{fffd}ve\n\n\n[The file is not valid UTF-8: in 2 of these lines, other bytes are shown as U+FFFD.]"
        );
        let result = backend
            .tools
            .call(
                "edit",
                &[json!("latin.txt"), json!("plain"), json!("changed")],
            )
            .unwrap();
        assert_eq!(backend.get("latin.txt"), b"caf\xe9\nchanged\nna\xefve\n");
        assert_eq!(result["details"].get("patch"), None);
        // What was shown in place of the bytes is not what is there.
        let error = backend.error(
            "edit",
            json!({ "path": "latin.txt", "oldText": "caf\u{fffd}", "newText": "x" }),
        );
        assert!(matches!(error, FileToolError::TextNotFound { .. }));
        assert_eq!(
            backend.text("grep", json!({ "pattern": "caf" })),
            "latin.txt:1: caf\u{fffd}"
        );
    }
}

#[test]
fn empty_file_and_offsets_at_its_edges() {
    for backend in backends() {
        backend.put("empty", "");
        backend.put("two", "a\nb\n");
        let read = |params: Value| backend.text("read", params);
        assert_eq!(read(json!({ "path": "empty" })), "");
        assert_eq!(read(json!({ "path": "empty", "offset": 1 })), "");
        assert_eq!(read(json!({ "path": "two", "offset": 0 })), "a\nb\n");
        assert_eq!(read(json!({ "path": "two", "offset": 2 })), "b\n");
        assert_eq!(read(json!({ "path": "two", "limit": u64::MAX })), "a\nb\n");
        let error = |params: Value| backend.error("read", params).to_string();
        assert_eq!(
            error(json!({ "path": "two", "offset": 3 })),
            "Offset 3 is beyond end of file (2 lines total)"
        );
        assert_eq!(
            error(json!({ "path": "two", "offset": u64::MAX })),
            format!("Offset {} is beyond end of file (2 lines total)", u64::MAX)
        );
        assert_eq!(
            error(json!({ "path": "two", "limit": 0 })),
            "read: limit must be a whole number of at least 1, got 0"
        );
        assert_eq!(
            error(json!({ "path": "empty", "offset": 2 })),
            "Offset 2 is beyond end of file (0 lines total)"
        );
    }
}

#[test]
fn a_line_longer_than_the_limit_is_shown_in_part() {
    for backend in backends() {
        // Characters of two bytes, so that the limit could fall into one.
        backend.put("long", format!("x{}\nnext\n", "é".repeat(200_000)));
        let result = backend.tools.call("read", &[json!("long")]).unwrap();
        let text = result["content"][0]["text"].as_str().unwrap();
        let (line, notice) = text.split_once("\n\n").unwrap();
        assert_eq!(line.len(), MAX_BYTES - 1);
        assert_eq!(
            notice,
            "[Line 1 is 390.6KB, showing its first 50.0KB. Use offset=2 to continue with the next line.]"
        );
        assert_eq!(
            result["details"]["truncation"]["firstLineExceedsLimit"],
            true
        );
        assert_eq!(result["details"]["truncation"]["totalLines"], 2);
        assert_eq!(
            backend.text("read", json!({ "path": "long", "offset": 2 })),
            "next\n"
        );
    }
}

#[test]
fn text_just_at_the_limit_is_whole() {
    let backend = mem();
    backend.put("at", "x".repeat(MAX_BYTES));
    backend.put("beyond", "x\n".repeat(MAX_BYTES / 2) + "y");
    assert_eq!(
        backend.text("read", json!({ "path": "at" })).len(),
        MAX_BYTES
    );
    let lines = "x\n".repeat(2000);
    backend.put("lines", &lines);
    assert_eq!(backend.text("read", json!({ "path": "lines" })), lines);
}

#[test]
fn a_sparse_gigabyte_is_answered_at_once() {
    for backend in backends() {
        backend.put("sparse", "text\n");
        let path = VfsPath::new("/work/sparse");
        backend.vfs.truncate(path, 1 << 30).unwrap();
        assert!(matches!(
            backend.error("read", json!({ "path": "sparse" })),
            FileToolError::Binary { .. }
        ));
        assert!(matches!(
            backend.error(
                "edit",
                json!({ "path": "sparse", "oldText": "text", "newText": "x" })
            ),
            FileToolError::TooLarge {
                limit: EDIT_MAX_BYTES,
                ..
            }
        ));
        let found = backend.text("grep", json!({ "pattern": "text" }));
        assert!(found.starts_with("No matches found") || found.starts_with("sparse:1: text"));
        backend.vfs.write_file(path, b"\x89PNG").unwrap();
        backend.vfs.truncate(path, 1 << 30).unwrap();
        assert!(matches!(
            backend.error("read", json!({ "path": "sparse" })),
            FileToolError::TooLarge {
                limit: IMAGE_MAX_BYTES,
                ..
            }
        ));
    }
}

#[test]
fn names_with_line_breaks_cannot_forge_lines() {
    for backend in backends() {
        backend.put("a\nb.txt", "needle\n");
        assert_eq!(backend.names(), "\"a\\nb.txt\"");
        assert_eq!(
            backend.text("find", json!({ "pattern": "*.txt" })),
            "\"a\\nb.txt\""
        );
        assert_eq!(
            backend.text("grep", json!({ "pattern": "needle" })),
            "\"a\\nb.txt\":1: needle"
        );
        assert_eq!(
            backend.text("read", json!({ "path": "a\nb.txt" })),
            "needle\n"
        );
        assert_eq!(
            backend
                .error("read", json!({ "path": "no\nsuch" }))
                .to_string(),
            "File not found: \"no\\nsuch\""
        );
    }
}

#[test]
fn empty_old_text_and_no_change_are_errors() {
    for backend in backends() {
        backend.put("a", "x\n");
        assert_eq!(
            backend
                .error(
                    "edit",
                    json!({ "path": "a", "oldText": "", "newText": "y" })
                )
                .to_string(),
            "edit: oldText must not be empty: give the text to replace, or use write for a new file"
        );
        assert_eq!(
            backend
                .error("edit", json!({ "path": "a", "edits": [{ "oldText": "x", "newText": "y" }, { "oldText": "", "newText": "y" }] }))
                .to_string(),
            "edit: edits[1].oldText must not be empty: give the text to replace, or use write for a new file"
        );
        assert_eq!(
            backend
                .error(
                    "edit",
                    json!({ "path": "a", "oldText": "x", "newText": "x" })
                )
                .to_string(),
            "No changes made to a. The new text is the same as the old text"
        );
        assert_eq!(backend.get("a"), b"x\n");
    }
}

#[test]
fn writing_keeps_the_mode_and_minds_read_only() {
    for backend in backends() {
        backend.put("run.sh", "old");
        let path = VfsPath::new("/work/run.sh");
        backend.vfs.chmod(path, 0o755).unwrap();
        backend.text("write", json!({ "path": "run.sh", "content": "new" }));
        backend.text(
            "edit",
            json!({ "path": "run.sh", "oldText": "new", "newText": "newer" }),
        );
        assert_eq!(backend.vfs.stat(path).unwrap().mode & 0o777, 0o755);
        backend.vfs.chmod(path, 0o555).unwrap();
        assert_eq!(
            backend
                .error("write", json!({ "path": "run.sh", "content": "x" }))
                .to_string(),
            "Could not write file: run.sh. Error code: EACCES."
        );
        assert_eq!(backend.get("run.sh"), b"newer");
        assert_eq!(backend.names(), "run.sh");
    }
}

#[test]
fn a_full_file_system_keeps_the_old_content_and_leaves_nothing_behind() {
    let limits = Limits {
        bytes: 100,
        ..Limits::default()
    };
    let vfs = std::sync::Arc::new(MemVfs::with(limits, hotcell_vfs::Clock::None));
    let tools = hotcell_tools::FileTools::new(vfs.clone(), "/");
    tools.call("write", &[json!("a"), json!("old")]).unwrap();
    let error = tools
        .call("write", &[json!("a"), json!("x".repeat(200))])
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("Could not write file: a. Error code: ENOSPC. "),
        "{error}"
    );
    let error = tools
        .call("edit", &[json!("a"), json!("old"), json!("x".repeat(200))])
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("Could not edit file: a. Error code: ENOSPC. "),
        "{error}"
    );
    assert_eq!(vfs.read_file(VfsPath::new("/a")).unwrap(), b"old");
    assert_eq!(vfs.readdir(VfsPath::ROOT).unwrap().len(), 1);
}

#[test]
fn a_directory_with_an_at_sign_keeps_it() {
    let backend = mem();
    backend.put("@types/a.d.ts", "a");
    backend.text("write", json!({ "path": "@types/b.d.ts", "content": "b" }));
    assert_eq!(backend.get("@types/b.d.ts"), b"b");
    assert_eq!(
        backend.text("read", json!({ "path": "@types/b.d.ts" })),
        "b"
    );
    backend.text("write", json!({ "path": "@notes.txt", "content": "n" }));
    assert_eq!(backend.get("notes.txt"), b"n");
}

#[test]
fn text_that_begins_like_an_image_is_text() {
    let backend = mem();
    backend.put("a.txt", "BMW makes cars\n");
    assert_eq!(
        backend.text("read", json!({ "path": "a.txt" })),
        "BMW makes cars\n"
    );
}

#[test]
fn broken_images_are_an_error() {
    let mut head = b"BM".to_vec();
    head.extend([0; 12]);
    head.extend(40_u32.to_le_bytes());
    let sizes = [
        (1_u32, 1_u32),
        (u32::MAX, 1),
        (1 << 30, 1 << 30),
        (30_000, 30_000),
        (0, 0),
    ];
    for (width, height) in sizes {
        for (bits, compression) in [
            (1_u16, 0_u32),
            (4, 2),
            (8, 1),
            (16, 3),
            (24, 0),
            (32, 3),
            (7, 9),
        ] {
            let mut bytes = head.clone();
            bytes.extend(width.to_le_bytes());
            bytes.extend(height.to_le_bytes());
            bytes.extend(1_u16.to_le_bytes());
            bytes.extend(bits.to_le_bytes());
            bytes.extend(compression.to_le_bytes());
            bytes.extend([0xff; 60]);
            let backend = mem();
            backend.put("x.bmp", bytes);
            // Some are pictures by accident.
            if let Err(error) = backend.tools.call("read", &[json!("x.bmp")]) {
                assert!(
                    matches!(error, FileToolError::BrokenImage { .. }),
                    "{error}"
                );
            }
        }
    }
}
