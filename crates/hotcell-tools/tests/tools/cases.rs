//! The cases of `tests/data/file-tools.json`, each on every kind of file system and in every way of calling.
//!
//! `hotcell-executor` runs this file too, with a `support` of its own that calls the tools from JavaScript.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hotcell_vfs::VfsPath;
use regex::Regex;
use serde_json::Value;

use crate::patch;
use crate::support::{Backend, ROOT, all_backends, text_of};

const DATA: &str = include_str!("../data/file-tools.json");

fn run(id: &str) {
    let data: Value = serde_json::from_str(DATA).unwrap();
    let case = ["cases", "further"]
        .iter()
        .flat_map(|list| data[list].as_array().unwrap())
        .find(|case| case["id"] == id)
        .unwrap_or_else(|| panic!("no case {id}"));
    let mut calls = vec![vec![case["params"].clone()]];
    calls.push(vec![case["params_snake_case"].clone()]);
    calls.extend(case["positional"].as_array().cloned());
    let tool = case["tool"].as_str().unwrap();
    for args in &calls {
        for name in [tool.to_owned(), format!("{tool}Tool")] {
            for backend in all_backends() {
                Run::new(&backend, case, &name, args).check();
            }
        }
    }
}

struct Run<'a> {
    backend: &'a Backend,
    case: &'a Value,
    before: Vec<(String, Vec<u8>)>,
    result: Result<Value, String>,
    about: String,
}

impl<'a> Run<'a> {
    fn new(backend: &'a Backend, case: &'a Value, tool: &str, args: &[Value]) -> Self {
        let mut before = Vec::new();
        for step in case["setup"].as_array().unwrap() {
            set_up(backend, step, &mut before);
        }
        Self {
            backend,
            case,
            before,
            result: backend.call(tool, args),
            about: format!("{} {tool}{args:?} on {}", case["id"], backend.name),
        }
    }

    fn check(&self) {
        let expected = &self.case["expected"];
        match expected["kind"].as_str().unwrap() {
            "ok" => self.check_result(expected),
            "error" => {
                if let Some(message) = expected["message"].as_str() {
                    assert_eq!(self.message(), message, "{}", self.about);
                }
                self.message();
            }
            other => panic!("unknown kind {other}"),
        }
        for (file, content) in expected["files_after"].as_object().into_iter().flatten() {
            assert_eq!(self.file(file), content.as_str().unwrap(), "{}", self.about);
        }
        for rule in self.case["must_also_hold"].as_array().unwrap() {
            self.check_rule(rule);
        }
    }

    fn check_result(&self, expected: &Value) {
        let result = self.ok();
        if let Some(text) = expected["text"].as_str() {
            assert_eq!(self.text(), text, "{}", self.about);
        }
        if let Some(parts) = expected.get("text_generated") {
            let text = lines(&parts["lines"]) + parts["then"].as_str().unwrap();
            assert_eq!(self.text(), text, "{}", self.about);
        }
        match expected.get("details") {
            Some(Value::Null) => assert_eq!(result.get("details"), None, "{}", self.about),
            Some(Value::Object(details)) => {
                for (key, value) in details {
                    assert_eq!(&result["details"][key], value, "{}: {key}", self.about);
                }
            }
            _ => {}
        }
        match expected.get("image") {
            Some(Value::Null) => assert_eq!(self.image(), None, "{}", self.about),
            Some(image) => assert_eq!(self.image(), Some(image), "{}", self.about),
            None => {}
        }
    }

    fn check_rule(&self, rule: &Value) {
        let value = || rule["value"].as_str().unwrap();
        let about = format!("{}: {rule}", self.about);
        let matches = |text: &str| Regex::new(value()).unwrap().is_match(text);
        let file = || self.file(rule["file"].as_str().unwrap());
        let detail = || {
            let path = rule["path"].as_str().unwrap().replace('.', "/");
            self.ok()["details"]
                .pointer(&format!("/{path}"))
                .cloned()
                .unwrap_or_else(|| panic!("{about}"))
        };
        let holds = match rule["op"].as_str().unwrap() {
            "text_equals" => self.text() == value(),
            "text_contains" => self.text().contains(value()),
            "text_not_contains" => !self.text().contains(value()),
            "text_matches" => matches(&self.text()),
            "line_present" => self.text().lines().any(|line| line == value()),
            "line_absent" => self.text().lines().all(|line| line != value()),
            "error_matches" => matches(self.message()),
            "error_contains" => self.message().contains(value()),
            "details_equals" => detail() == rule["value"],
            "details_contains" => detail().as_str().unwrap().contains(value()),
            "file_equals" => file() == value(),
            "file_contains" => file().contains(value()),
            "no_image_block" => self.image().is_none(),
            "image_block" => {
                let image = self.image().unwrap();
                let data = STANDARD.decode(image["data"].as_str().unwrap()).unwrap();
                image["mimeType"] == rule["mimeType"] && !data.is_empty()
            }
            "patch_applies" => {
                let name = rule["file"].as_str().unwrap();
                let (_, before) = self.before.iter().find(|(file, _)| file == name).unwrap();
                let before = std::str::from_utf8(before).unwrap();
                let patch = self.ok()["details"]["patch"].as_str().unwrap();
                patch::apply(before, patch) == file()
            }
            other => panic!("unknown rule {other}"),
        };
        assert!(holds, "{about}\n{:?}", self.result);
    }

    fn ok(&self) -> &Value {
        match &self.result {
            Ok(result) => result,
            Err(error) => panic!("{}: {error}", self.about),
        }
    }

    fn message(&self) -> &str {
        match &self.result {
            Ok(result) => panic!("{}: {result}", self.about),
            Err(error) => error,
        }
    }

    fn text(&self) -> String {
        text_of(self.ok())
    }

    fn image(&self) -> Option<&Value> {
        let parts = self.ok()["content"].as_array().unwrap();
        parts.iter().find(|part| part["type"] == "image")
    }

    fn file(&self, name: &str) -> String {
        String::from_utf8(self.backend.get(name)).unwrap()
    }
}

fn set_up(backend: &Backend, step: &Value, before: &mut Vec<(String, Vec<u8>)>) {
    let path = |name: &str| VfsPath::new(ROOT).join(name);
    if let Some(dir) = step["mkdir"].as_str() {
        backend.vfs.mkdir_all(&path(dir), 0o755).unwrap();
        return;
    }
    let name = step["file"].as_str().unwrap();
    let content = if let Some(text) = step["content"].as_str() {
        text.as_bytes().to_vec()
    } else if let Some(data) = step["base64"].as_str() {
        STANDARD.decode(data).unwrap()
    } else {
        lines(&step["lines"]).into_bytes()
    };
    backend.put(name, &content);
    if let Some(mode) = step["mode"].as_str() {
        let mode = u32::from_str_radix(mode, 8).unwrap();
        backend.vfs.chmod(&path(name), mode).unwrap();
    }
    before.push((name.to_owned(), content));
}

fn lines(made: &Value) -> String {
    let template = made["template"].as_str().unwrap();
    let lines: Vec<String> = (1..=made["count"].as_u64().unwrap())
        .map(|n| {
            template
                .replace("{n}", &n.to_string())
                .replace("{x200}", &"x".repeat(200))
        })
        .collect();
    lines.join(made["join"].as_str().unwrap())
}

macro_rules! cases {
    ($($id:ident)*) => {
        $(#[test] fn $id() { run(stringify!($id)); })*

        #[test]
        fn every_case_is_run() {
            let data: Value = serde_json::from_str(DATA).unwrap();
            let run = [$(stringify!($id)),*];
            for case in ["cases", "further"].iter().flat_map(|list| data[list].as_array().unwrap()) {
                assert!(run.contains(&case["id"].as_str().unwrap()), "{}", case["id"]);
            }
        }
    };
}

cases! {
    test_read_01 test_read_02 test_read_03 test_read_04 test_read_05 test_read_06
    test_read_07 test_read_08 test_read_09 test_read_10 test_read_11
    test_write_12 test_write_13
    test_edit_14 test_edit_15 test_edit_16 test_edit_17 test_edit_18 test_edit_19
    test_edit_20 test_edit_21 test_edit_22 test_edit_23 test_edit_24 test_edit_25
    test_edit_26 test_edit_27 test_edit_28 test_edit_29
    test_grep_30 test_grep_31 test_find_32 test_ls_33
    edit_nfkc_punctuation edit_nfkc_compatibility_forms edit_several_edits
    edit_edits_match_the_original edit_edits_empty edit_edits_overlap edit_edits_all_or_none
    edit_fuzzy_keeps_untouched_lines edit_fuzzy_equal_to_nearby_line edit_several_edits_crlf_bom
    edit_missing_file edit_read_only_file edit_patch edit_nearest_lines
    grep_pattern_like_a_flag grep_pattern_like_a_flag_found grep_gitignore
    find_pattern_like_a_flag find_bad_glob find_gitignore
    read_bmp read_jpeg read_gif read_webp
    read_path_nfd read_path_curly read_path_narrow_space read_path_unusual_spaces
    read_path_at read_path_home
}
