//! Rules against paths, and against another implementation of the same.

use hotcell_ignore::{Rules, Stopped};
use ignore::gitignore::GitignoreBuilder;
use proptest::prelude::*;

fn verdict(rules: &str, path: &str) -> Option<bool> {
    let (path, is_dir) = match path.strip_suffix('/') {
        Some(dir) => (dir, true),
        None => (path, false),
    };
    let rules = Rules::parse(rules, |_| true);
    let verdict = rules.verdict(path.as_bytes(), is_dir, |_| true);
    verdict.expect("nobody stops it")
}

#[test]
fn rules_mean_what_they_mean_to_git() {
    let (out, kept, none) = (Some(true), Some(false), None);
    for (rules, path, expected) in [
        ("a.txt", "a.txt", out),
        ("a.txt", "d/e/a.txt", out),
        ("a.txt", "d/a.txt/b", none),
        ("/a.txt", "a.txt", out),
        ("/a.txt", "d/a.txt", none),
        ("d/a", "d/a", out),
        ("d/a", "e/d/a", none),
        ("a/", "a", none),
        ("a/", "a/", out),
        ("a/", "d/a/", out),
        ("*.log\n!b.log", "b.log", kept),
        ("!b.log\n*.log", "b.log", out),
        ("# a comment", "# a comment", none),
        ("\\#a", "#a", out),
        ("\\!a", "!a", out),
        ("a  ", "a", out),
        ("a\\ ", "a ", out),
        ("**/a", "a", out),
        ("**/a", "b/c/a", out),
        ("a/**", "a/", none),
        ("a/**", "a/b", out),
        ("a/**", "a/b/c", out),
        ("a/**/b", "a/b", out),
        ("a/**/b", "a/x/y/b", out),
        ("a/**/b", "a/x/y/c", none),
        ("**", "a/b", out),
        ("a*b/c", "a/b/c", none),
        ("a**b", "axxb", out),
        ("a**b", "a/b", none),
        ("?", "a", out),
        ("?", "", none),
        ("[a-c]x", "bx", out),
        ("[!a-c]x", "bx", none),
        ("[^a-c]x", "dx", out),
        ("[]a]", "]", out),
        ("[a-]", "-", out),
        ("[a", "[a", out),
        ("x[a/b", "x[a/b", out),
        ("*.{rs,toml}", "a.toml", out),
        ("{a,b{c,d}}.x", "bd.x", out),
        ("{a", "{a", out),
        ("a}", "a}", out),
        ("*a*b*c*d", "xaxbxcxd", out),
        ("*a*b*c*d", "xaxbxdxc", none),
        ("\u{feff}a", "a", out),
        ("a\r\nb", "a", out),
        ("/", "a", none),
        ("a\\", "a", none),
    ] {
        assert_eq!(verdict(rules, path), expected, "{rules:?} {path:?}");
    }
}

#[test]
fn what_there_is_no_room_for_is_not_kept() {
    let mut room = 1000;
    let rules = Rules::parse(&"*.log\n".repeat(1000), |bytes| {
        room -= i64::try_from(bytes).unwrap();
        room >= 0
    });
    assert!(rules.is_short_of_room());
}

#[test]
fn long_work_can_be_stopped() {
    let rules = Rules::parse(&format!("{}b\n", "*a".repeat(2000)).repeat(50), |_| true);
    let path = "a".repeat(4000);
    let mut looks = 0;
    let verdict = rules.verdict(path.as_bytes(), false, |_| {
        looks += 1;
        looks < 3
    });
    assert_eq!((verdict, looks), (Err(Stopped), 3));
}

#[test]
fn what_stands_for_too_many_is_not_obeyed() {
    let rules = Rules::parse(&"{a,b}".repeat(30), |_| true);
    assert_eq!((rules.unread(), rules.is_empty()), (1, true));
    let nested = "{".repeat(2000) + &"}".repeat(2000);
    assert_eq!(Rules::parse(&nested, |_| true).unread(), 1);
}

proptest! {
    #[test]
    fn they_agree_with_the_library_that_ripgrep_has(
        lines in prop::collection::vec("!?/?(a|b|\\*|\\?|\\*\\*/|/|\\[ab\\]){1,6}/?", 1..4),
        path in "[ab]{1,3}(/[ab]{1,3}){0,3}",
        is_dir: bool,
    ) {
        // Empty names are something to them.
        let one_slash = |line: &String| line.replace("///", "/").replace("//", "/").replace("//", "/");
        let lines: Vec<_> = lines.iter().map(one_slash).collect();
        let mut builder = GitignoreBuilder::new("/w");
        for line in &lines {
            builder.add_line(None, line).unwrap();
        }
        let matched = builder.build().unwrap();
        let matched = matched.matched(format!("/w/{path}"), is_dir);
        let expected = (!matched.is_none()).then(|| matched.is_ignore());
        let rules = Rules::parse(&lines.join("\n"), |_| true);
        prop_assert_eq!(rules.verdict(path.as_bytes(), is_dir, |_| true), Ok(expected), "{:?}", lines);
    }

    #[test]
    fn any_text_is_an_answer(text: String, path in prop::collection::vec(any::<u8>(), 0..40)) {
        let rules = Rules::parse(&text, |_| true);
        let _ = rules.verdict(&path, false, |_| true).unwrap();
    }
}
