//! What the C library's matcher does, as `bash` and `sed` show it: recorded, and asked anew where they are installed.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use hotcell_meter::Pace;
use hotcell_regex::{Flavor, Means, Options, Regex};

/// The match and its groups, or the message: `[ab][a][]`.
fn shown(pattern: &str, flavor: Flavor, text: &str) -> String {
    let regex = match Regex::new(
        pattern.as_bytes(),
        flavor,
        Options::default(),
        &Means::unmetered(),
    ) {
        Ok(regex) => regex,
        Err(error) => return error.to_string(),
    };
    match regex.captures_at(text.as_bytes(), 0, &mut Pace::unwatched()) {
        Err(error) => error.to_string(),
        Ok(None) => "no match".into(),
        Ok(Some(captures)) => {
            let mut shown = String::new();
            for group in 0..captures.len() {
                let found = captures
                    .get(group)
                    .and_then(|found| text.get(found.range()));
                shown.extend(["[", found.unwrap_or(""), "]"]);
            }
            shown
        }
    }
}

#[test]
fn the_longest_of_the_leftmost_matches_counts() {
    for (pattern, text, expected) in [
        ("a|ab", "xabc", "[ab]"),
        ("(a|ab)(c|bcd)(d*)", "abcd", "[abcd][a][bcd][]"),
        ("(a?)(ab)?(b*)", "abb", "[abb][a][][bb]"),
        ("(a?)(ab)?", "ab", "[ab][][ab]"),
        ("((a)|b)*", "ab", "[ab][b][a]"),
        ("x*", "aaa", "[]"),
        ("(foo|foobar)(bar)?", "foobar", "[foobar][foo][bar]"),
        ("(b|ba|bar)(r|ar|)", "bar", "[bar][b][ar]"),
    ] {
        assert_eq!(
            shown(pattern, Flavor::Extended, text),
            expected,
            "{pattern}"
        );
    }
}

#[test]
fn doubtful_patterns_are_what_the_tools_take_them_for() {
    use Flavor::{Bash, Basic, Egrep, Extended, Grep};
    let bad_repeat = "Invalid preceding regular expression";
    for (flavor, pattern, text, expected) in [
        (Bash, "*b", "b", bad_repeat),
        (Bash, "a|*b", "b", bad_repeat),
        (Bash, "^*", "b", bad_repeat),
        (Bash, "a{", "a", "Unmatched \\{"),
        (Bash, "a{x}", "a", "Invalid content of \\{\\}"),
        (Bash, "a)", "a)", "[a)]"),
        (Bash, "(", "a", "Unmatched ( or \\("),
        (Bash, "a{,2}", "aaa", "[aa]"),
        (Bash, "a{40000}", "a", "Regular expression too big"),
        (Bash, "[[:foo:]]", "a", "Invalid character class name"),
        (Bash, "[b-a]", "a", "Invalid range end"),
        (Bash, "[[.space.]]", "a", "Invalid collation character"),
        (Bash, "[a", "a", "Unmatched [, [^, [:, [., or [="),
        (Bash, "a\\", "a", "Trailing backslash"),
        (Bash, "(a)\\2", "a", "Invalid back reference"),
        (Bash, "a||b", "b", "[b]"),
        (Extended, "a)", "a)", "Unmatched ) or \\)"),
        (Extended, "a**", "aa", "[aa]"),
        (Basic, "a**", "aa", bad_repeat),
        (Basic, "*b", "a*b", "[*b]"),
        (Basic, "\\(*b\\)", "a*b", "[*b][*b]"),
        (Basic, "^*b", "*b", "[*b]"),
        (Basic, "a^b$c", "a^b$c", "[a^b$c]"),
        (Basic, "\\{1\\}", "{1}", bad_repeat),
        (Basic, "\\+a", "+a", "[+a]"),
        (Basic, "a\\{1a", "a", "Unmatched \\{"),
        (Basic, "a\\)", "a", "Unmatched ) or \\)"),
        (Basic, "x\\(^a\\)", "xa", "no match"),
        (Basic, "a\\|b", "b", "[b]"),
        (Basic, "a+(b)", "a+(b)", "[a+(b)]"),
        (Grep, "a**", "aa", "[aa]"),
        (Egrep, "*b", "*b", "[b]"),
        (Egrep, "a{", "a{", "[a{]"),
        (Egrep, "a{1a}", "a{1a}", "[a{1a}]"),
        (Egrep, "a{1,2,3}", "a", "Invalid content of \\{\\}"),
    ] {
        assert_eq!(
            shown(pattern, flavor, text),
            expected,
            "{flavor:?} {pattern}"
        );
    }
}

#[test]
fn text_is_utf_8_with_other_bytes_in_between() {
    let find = |pattern: &[u8], text: &[u8], options| {
        let regex =
            Regex::new(pattern, Flavor::Extended, options, &Means::unmetered()).expect("a pattern");
        let found = regex.find_at(text, 0, &mut Pace::unwatched());
        found.expect("a search").map(hotcell_regex::Match::range)
    };
    let plain = Options::default();
    let bytes = Options {
        bytes: true,
        ..plain
    };
    let icase = Options {
        icase: true,
        ..plain
    };
    assert_eq!(find(b"^.$", "é".as_bytes(), plain), Some(0..2));
    assert_eq!(find(b"^..$", "é".as_bytes(), bytes), Some(0..2));
    assert_eq!(find(b"a.b", b"a\xffb", plain), None);
    assert_eq!(find(b"a\xffb", b"a\xffb", plain), Some(0..3));
    assert_eq!(find(b"a[\xff]b", b"a\xffb", plain), Some(0..3));
    assert_eq!(
        find("[[:alpha:]]+".as_bytes(), "1éa2".as_bytes(), plain),
        Some(1..4)
    );
    assert_eq!(find("É".as_bytes(), "é".as_bytes(), icase), Some(0..2));
    assert_eq!(
        find("[à-ü]+".as_bytes(), "xÉx".as_bytes(), icase),
        Some(1..3)
    );
    assert_eq!(
        find(r"\<é\>".as_bytes(), "aé é".as_bytes(), plain),
        Some(4..6)
    );
    assert_eq!(
        find(r"\w+$".as_bytes(), "x ñandú".as_bytes(), plain),
        Some(2..9)
    );
}

#[test]
fn classes_know_characters_beyond_ascii() {
    use hotcell_regex::CharClass;
    for (name, inside, outside) in [
        ("alpha", "aé日٣", "1 -"),
        ("digit", "1", "٣a"),
        ("alnum", "1aé", "-«"),
        ("upper", "AÉ", "aé"),
        ("lower", "aéß", "AÉ"),
        ("space", " \t\u{2003}", "a\u{a0}"),
        ("blank", " \t\u{2003}", "\n"),
        ("punct", "!«€", "aé "),
        ("print", "aé «\u{200b}", "\n\u{7f}\u{378}"),
        ("graph", "aé«", " \n"),
        ("cntrl", "\n\u{85}", "aé"),
        ("xdigit", "1aF", "gé"),
    ] {
        let class = CharClass::from_name(name.as_bytes()).expect("a class");
        for char in inside.chars() {
            assert!(class.contains(char), "{name} {char:?}");
        }
        for char in outside.chars() {
            assert!(!class.contains(char), "{name} {char:?}");
        }
    }
}

#[test]
fn back_references_match_what_their_group_matched() {
    for (pattern, text, expected) in [
        (r"(a*)b\1", "aabaa", "[aabaa][aa]"),
        (r"(.)\1", "abccd", "[cc][c]"),
        (r"^(.*)\1$", "abab", "[abab][ab]"),
        (r"(a|ab)(b?)\1", "ababab", "[abab][ab][]"),
        (r"(a)|b\1", "b", "no match"),
        (r"([a-z]+) \1", "the the", "[the the][the]"),
    ] {
        assert_eq!(
            shown(pattern, Flavor::Extended, text),
            expected,
            "{pattern}"
        );
    }
}

#[test]
fn catastrophic_patterns_end() {
    let text = "a".repeat(3000);
    for pattern in [
        "(a*)*b",
        "(a|aa)*b",
        "(((a*)*)*)*b",
        "(a?){50}a{50}b",
        "(.*)(.*)(.*)x",
    ] {
        assert_eq!(shown(pattern, Flavor::Extended, &text), "no match");
    }
    let deep = "(".repeat(60_000);
    assert_eq!(
        shown(&deep, Flavor::Extended, ""),
        "Regular expression too big"
    );
    let large = "((((a{200}){200}){200}){200})";
    assert_eq!(
        shown(large, Flavor::Extended, ""),
        "Regular expression too big"
    );
    let groups = "(a)".repeat(20_000);
    assert_eq!(
        shown(&groups, Flavor::Extended, ""),
        "Regular expression too big"
    );
    let referring = r"^(a*)(a*)(a*)\1\2\3b";
    assert!(shown(referring, Flavor::Extended, &(text + "xb")).contains("too complex"));
}

#[test]
fn a_search_is_stopped() {
    let token = hotcell_meter::StopToken::new();
    token.cancel();
    let text = "a".repeat(1_000_000);
    let regex = Regex::new(
        b"(a|b|ab)*(c|d)$",
        Flavor::Extended,
        Options::default(),
        &Means::unmetered(),
    );
    let found = regex
        .expect("a pattern")
        .find_at(text.as_bytes(), 0, &mut Pace::new(&token));
    assert!(matches!(found, Err(hotcell_regex::SearchError::Stopped(_))));
}

/// A generator of numbers that needs no crate.
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit
    }

    fn pattern(&mut self, depth: usize) -> String {
        let mut text = String::new();
        for _ in 0..=self.below(3) {
            let piece = match self.below(if depth > 2 { 5 } else { 8 }) {
                0..=2 => ["a", "b", "c"][self.below(3)].to_owned(),
                3 => ".".to_owned(),
                4 => ["[ab]", "[^a]", "a|b", "[[:alpha:]]"][self.below(4)].to_owned(),
                5 => format!("({}|{})", self.pattern(depth + 1), self.pattern(depth + 1)),
                _ => format!("({})", self.pattern(depth + 1)),
            };
            text.push_str(&piece);
            text.push_str(["", "", "", "*", "?", "+", "{2}", "{1,2}"][self.below(8)]);
        }
        text
    }

    fn text(&mut self) -> String {
        (0..self.below(9))
            .map(|_| ['a', 'b', 'c', 'd'][self.below(4)])
            .collect()
    }
}

/// Random patterns and texts, in `bash` and here. `REGEX_CASES` sets how many, `REGEX_SEED` which.
#[test]
fn random_patterns_match_as_in_bash() {
    let number = |name: &str, default| {
        let set = std::env::var(name)
            .ok()
            .and_then(|value| value.parse().ok());
        set.unwrap_or(default)
    };
    let mut rng = Rng(number("REGEX_SEED", 1));
    let cases: Vec<_> = (0..number("REGEX_CASES", 3000))
        .map(|_| {
            let anchors = [("", ""), ("", ""), ("^", ""), ("", "$")][rng.below(4)];
            let pattern = format!("{}{}{}", anchors.0, rng.pattern(0), anchors.1);
            (pattern, rng.text())
        })
        .collect();
    let script = "while IFS=$'\\t' read -r re text; do
        if [[ $text =~ $re ]]; then printf '[%s]' \"${BASH_REMATCH[@]}\"; echo
        else [[ $? == 1 ]] && echo 'no match' || echo error; fi; done";
    let bash = Command::new("bash")
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut bash) = bash else { return };
    let mut input = String::new();
    for (pattern, text) in &cases {
        input.extend([pattern, "\t", text, "\n"]);
    }
    let mut stdin = bash.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = bash.wait_with_output().expect("bash runs");
    writer.join().expect("a thread").expect("bash reads");
    let output = String::from_utf8(output.stdout).expect("text");
    let whole = |shown: &str| shown.split_inclusive(']').next().unwrap_or("").to_owned();
    let mut different = Vec::new();
    for ((pattern, text), expected) in cases.iter().zip(output.lines()) {
        let ours = shown(pattern, Flavor::Bash, text);
        assert_eq!(whole(&ours), whole(expected), "{pattern} on {text:?}");
        if ours != expected {
            different.push(format!(
                "{pattern} on {text:?}: ours {ours}, bash {expected}"
            ));
        }
    }
    // Known: groups that match nothing in a repeated group.
    assert!(
        different.len() * 100 <= cases.len(),
        "groups differ in {} of {}:\n{}",
        different.len(),
        cases.len(),
        different.join("\n")
    );
}
