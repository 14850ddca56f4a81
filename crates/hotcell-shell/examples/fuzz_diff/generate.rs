//! Random scripts of expansions, arithmetic and patterns.

use std::fmt::Write as _;

/// A source of random choices that gives the same ones for the same seed.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap_or(0) % limit
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn one_in(&mut self, limit: usize) -> bool {
        self.below(limit) == 0
    }

    fn many(
        &mut self,
        least: usize,
        most: usize,
        separator: &str,
        make: fn(&mut Self) -> String,
    ) -> String {
        let count = least + self.below(most - least + 1);
        (0..count)
            .map(|_| make(self))
            .collect::<Vec<_>>()
            .join(separator)
    }
}

const VALUES: &[&str] = &[
    "abc",
    "a b",
    "'  lead and trail  '",
    "''",
    "'a*b'",
    "'*'",
    "'z?'",
    "'[ab]'",
    r"'a\b'",
    r"'\*'",
    "'a:b:c'",
    "':x::y:'",
    "'é ü'",
    "'日本語'",
    "12",
    "'-5'",
    "007",
    "'1+2'",
    "'x y'",
    "'A.B-C'",
    "'a/b/c.tar.gz'",
    "'~'",
    "'$x'",
    "'{1,2}'",
    r"$'t\tn\n'",
    "'\"q\"'",
    "\"it's\"",
    "'a,b'",
    "'=~'",
    "'!x'",
    "'#h'",
    "'&<>|;'",
    "'foo(bar)'",
    "'@(a|b)'",
    "'+(b)'",
    "'HELLO world'",
    "'ß'",
    r"$'\xff\xfe'",
    "'[:alpha:]'",
    "'%d'",
    "'-n'",
];

const SCALARS: &[&str] = &["x", "y", "z", "e", "u"];
const IFS: &[&str] = &[
    "' '",
    "':'",
    "''",
    "' :'",
    "$' \\t\\n'",
    "',.'",
    "'a'",
    "'-'",
    "'/:'",
];

/// A whole script. What it prints is the same in every shell that is like bash.
pub(crate) fn script(seed: u64) -> String {
    let chance = &mut Chance::new(seed);
    let mut lines = vec![prologue(chance)];
    for _ in 0..2 + chance.below(5) {
        lines.push(statement(chance));
    }
    lines.join("\n")
}

fn prologue(chance: &mut Chance) -> String {
    let mut text = String::new();
    for option in [
        "extglob",
        "nullglob",
        "dotglob",
        "nocasematch",
        "globstar",
        "nocaseglob",
    ] {
        if chance.one_in(8) || (option == "extglob" && chance.one_in(2)) {
            let _ = write!(text, "shopt -s {option}; ");
        }
    }
    if chance.one_in(10) {
        text += "set -f; ";
    }
    if chance.one_in(12) {
        text += "set -u; ";
    }
    if chance.one_in(3) {
        let _ = write!(text, "IFS={}; ", chance.of(IFS));
    }
    let _ = write!(
        text,
        "x={} y={} z={} e=; ",
        value(chance),
        value(chance),
        value(chance)
    );
    let _ = write!(text, "a=({}); ", chance.many(0, 4, " ", value));
    if chance.one_in(2) {
        let _ = write!(text, "a[{}]={}; ", chance.below(9), value(chance));
    }
    let _ = write!(
        text,
        "declare -A m=([k]={} ['k 2']={}); ",
        value(chance),
        value(chance)
    );
    text + &format!("set -- {}", chance.many(0, 3, " ", value))
}

fn value(chance: &mut Chance) -> String {
    let text = chance.of(VALUES);
    if text.contains(' ') && !text.contains(['\'', '"']) {
        return format!("'{text}'");
    }
    text.to_owned()
}

fn statement(chance: &mut Chance) -> String {
    match chance.below(16) {
        0..=6 => format!("show {}", chance.many(1, 3, " ", word)),
        7 => format!("{}={}; show \"${{{}}}\"", "x", word(chance), "x"),
        8 => format!(
            "a=({}); show \"${{a[@]}}\" \"${{!a[@]}}\"",
            chance.many(0, 3, " ", word)
        ),
        9 => format!(
            "case {} in {}) show yes;; *) show no;; esac",
            word(chance),
            pattern(chance)
        ),
        10 => format!(
            "[[ {} {} {} ]] && show yes || show no",
            word(chance),
            chance.of(&["==", "!=", "<", "="]),
            pattern(chance)
        ),
        11 => format!(
            "[[ {} =~ {} ]] && show yes \"${{BASH_REMATCH[@]}}\" || show no",
            word(chance),
            regex(chance)
        ),
        12 | 13 => format!("show $(( {} ))", expression(chance, 0)),
        14 => format!(
            "for i in {}; do show \"$i\"; done",
            chance.many(0, 3, " ", word)
        ),
        _ => match chance.below(5) {
            0 => format!(
                "{}+={}; show \"$x\" \"$y\"",
                chance.of(&["x", "y"]),
                word(chance)
            ),
            1 => format!(
                "a[{}]={}; show \"${{a[@]}}\"",
                expression(chance, 2),
                word(chance)
            ),
            2 => format!(
                "m[{}]={}; show \"${{m[k]}}\" ${{#m[@]}}",
                chance.of(&["k", "j", "'k 2'", "$x$y"]),
                word(chance)
            ),
            3 => format!("IFS={}; show {}", chance.of(IFS), word(chance)),
            _ => format!("(( {} )); show $? $x", expression(chance, 0)),
        },
    }
}

fn word(chance: &mut Chance) -> String {
    let mut text = String::new();
    for _ in 0..=chance.below(3) {
        text += &part(chance, 0);
    }
    text
}

fn part(chance: &mut Chance, depth: usize) -> String {
    match chance.below(if depth > 2 { 9 } else { 16 }) {
        0 | 1 => literal(chance),
        2 => format!(
            "'{}'",
            chance.of(&["a", "a b", "*", "$x", "", "\\", "~", "é"])
        ),
        3 => format!(
            "\\{}",
            chance.of(&["*", "a", "\\", "$", " ", "'", "\"", "[", "é"])
        ),
        4 => format!(
            "${}",
            chance.of(&["x", "y", "e", "1", "@", "*", "#", "a", "?", "u"])
        ),
        5 | 6 => parameter(chance, depth),
        7 => format!("\"{}\"", quoted(chance, depth)),
        8 => chance
            .of(&[
                "$'a\\tb'",
                "{a,b}",
                "{1..3}",
                "~",
                "$(echo 'q  r')",
                "`echo '*'`",
                "{x,$x}",
                "z*",
                "?",
                "[a-z]",
            ])
            .to_owned(),
        9 => format!("\"{}\"", quoted(chance, depth + 1)),
        10 => format!("$(( {} ))", expression(chance, depth + 1)),
        11 => format!("$(show {})", part(chance, depth + 1)),
        12 => format!(
            "{{{},{}}}",
            part(chance, depth + 1),
            part(chance, depth + 1)
        ),
        13 => format!("\"${{a[@]}}\"{}", literal(chance)),
        14 => format!("\"$@\"{}", literal(chance)),
        _ => parameter(chance, depth + 1),
    }
}

fn literal(chance: &mut Chance) -> String {
    chance
        .of(&[
            "a", "b", "z", "1", "*", "?", "[az]", "z1", "a/", ".", "~", "=", ":", "-", "a=~", "é",
            "x", "{", "}", ",", "]", "[", "@", "%", "^", "+", "!",
        ])
        .to_owned()
}

fn quoted(chance: &mut Chance, depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..chance.below(4) {
        let piece = match chance.below(8) {
            0 | 1 => chance
                .of(&[
                    "a", " ", "*", "'", "\\\\", "\\$", "\\a", "é", "~", "{1,2}", "!",
                ])
                .to_owned(),
            2 => format!("${}", chance.of(&["x", "y", "e", "1", "@", "*", "u", "#"])),
            3..=5 => parameter(chance, depth + 1),
            6 => format!("$(( {} ))", expression(chance, depth + 1)),
            _ => format!("$(show {})", chance.of(&["\"a  b\"", "$x", "\"$x\"", "*"])),
        };
        text += &piece;
    }
    text
}

fn name(chance: &mut Chance) -> String {
    match chance.below(12) {
        0..=4 => chance.of(SCALARS).to_owned(),
        5 => chance.of(&["1", "2", "9"]).to_owned(),
        6 => chance.of(&["@", "*"]).to_owned(),
        7 | 8 => chance.of(&["a[@]", "a[*]", "m[@]"]).to_owned(),
        9 => format!("a[{}]", chance.of(&["0", "1", "-1", "x", "1+1", "7"])),
        10 => chance
            .of(&["m[k]", "m[k 2]", "m[$x]", "m[nope]"])
            .to_owned(),
        _ => "a".to_owned(),
    }
}

fn parameter(chance: &mut Chance, depth: usize) -> String {
    let name = name(chance);
    let is_list = name.contains('@') || name.contains('*');
    match chance.below(20) {
        0 => format!("${{#{}}}", if is_list { "a[@]".to_owned() } else { name }),
        1..=4 => {
            let operator = chance.of(&["-", ":-", "+", ":+", "-", ":-"]);
            let inner = if depth > 2 {
                literal(chance)
            } else {
                inner_word(chance, depth + 1)
            };
            format!("${{{name}{operator}{inner}}}")
        }
        5..=7 => format!(
            "${{{name}{}{}}}",
            chance.of(&["#", "##", "%", "%%"]),
            pattern(chance)
        ),
        8..=10 => {
            let operator = chance.of(&["/", "//", "/#", "/%"]);
            let replacement = chance.of(&[
                "", "/", "/-", "/[&]", "/'&'", "/\\&", "/$y", "/\"$y\"", "/a b",
            ]);
            format!("${{{name}{operator}{}{replacement}}}", pattern(chance))
        }
        11 => format!(
            "${{{name}:{}}}",
            chance.of(&[
                "0", "1", " -2", "2", "$((1))", "0:1", "1:2", " -3:2", "0:0", "9", "1:9"
            ])
        ),
        12 => format!(
            "${{{name}{}{}}}",
            chance.of(&["^", "^^", ",", ",,", "~", "~~"]),
            chance.of(&["", "", "[a-m]", "?", "é"])
        ),
        13 | 14 => format!(
            "${{{name}@{}}}",
            chance.of(&["Q", "U", "u", "L", "E", "a", "A", "K", "k"])
        ),
        15 => chance
            .of(&["${!a[@]}", "${!m[@]}", "${!x*}", "${!u@}", "${!a[*]}"])
            .to_owned(),
        16 => "${!i-none}".replace("i-none", "e-none").replace("!e", "e"),
        _ => format!("${{{name}}}"),
    }
}

fn inner_word(chance: &mut Chance, depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..chance.below(3) {
        let piece = match chance.below(6) {
            0 => chance.of(&["a", "b c", "*", " ", "é", "x y"]).to_owned(),
            1 => "'q r'".to_owned(),
            2 => format!("\"{}\"", chance.of(&["$x", "a b", "$@", ""])),
            3 => format!("${}", chance.of(&["x", "y", "@", "*"])),
            4 => parameter(chance, depth + 1),
            _ => chance.of(&["~", "\\ ", "$((1+1))", "1"]).to_owned(),
        };
        text += &piece;
    }
    text
}

fn pattern(chance: &mut Chance) -> String {
    let mut text = String::new();
    for _ in 0..=chance.below(3) {
        let piece = match chance.below(10) {
            0..=2 => chance
                .of(&["a", "b", "c", " ", ":", "é", ".", "x", "B"])
                .replace(' ', "' '"),
            3 | 4 => "*".to_owned(),
            5 => "?".to_owned(),
            6 => chance
                .of(&[
                    "[a-c]",
                    "[!a]",
                    "[[:alpha:]]",
                    "[[:space:]]",
                    "[^[:digit:]]",
                    "[]a]",
                    "[a-]",
                    "[.]",
                ])
                .to_owned(),
            7 => chance
                .of(&["'*'", "\\*", "\"$x\"", "'a'", "\\["])
                .to_owned(),
            8 => chance.of(&["$x", "$y", "$1", "${z}"]).to_owned(),
            _ => chance.of(&["a*", "*a", "*:*", "?*", "**"]).to_owned(),
        };
        text += &piece;
    }
    text
}

fn regex(chance: &mut Chance) -> String {
    let mut text = String::new();
    for _ in 0..=chance.below(3) {
        let piece = match chance.below(9) {
            0..=2 => chance.of(&["a", "b", "c", "x", "é"]).to_owned(),
            3 => ".".to_owned(),
            4 => chance
                .of(&["(a|b)", "(.)(.)", "(b?)", "([a-z]+)", "(a*)"])
                .to_owned(),
            5 => chance
                .of(&["[a-c]", "[^a]", "[[:alpha:]]", "[[:space:]]"])
                .to_owned(),
            6 => chance.of(&["'.'", "\"*\"", "\\.", "'a'"]).to_owned(),
            7 => chance
                .of(&["^a", "b$", "a*", ".*", "b+", "a{2}"])
                .to_owned(),
            _ => "$y".to_owned(),
        };
        text += &piece;
    }
    text
}

fn expression(chance: &mut Chance, depth: usize) -> String {
    if depth > 3 {
        return chance.of(&["1", "2", "0", "n", "7"]).to_owned();
    }
    match chance.below(14) {
        0..=2 => chance
            .of(&[
                "1",
                "2",
                "0",
                "10",
                "0x1f",
                "017",
                "2#101",
                "36#z",
                "9223372036854775807",
            ])
            .to_owned(),
        3 => chance
            .of(&[
                "n", "j", "x", "${#x}", "$#", "a[0]", "a[1]", "m[k]", "u", "e",
            ])
            .to_owned(),
        4..=7 => {
            let operator = chance.of(&[
                "+", "-", "*", "/", "%", "**", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&",
                "|", "^", "&&", "||", ",",
            ]);
            format!(
                "{} {operator} {}",
                expression(chance, depth + 1),
                expression(chance, depth + 1)
            )
        }
        8 => format!("({})", expression(chance, depth + 1)),
        9 => format!(
            "{}{}",
            chance.of(&["-", "+", "!", "~", "- -"]),
            expression(chance, depth + 1)
        ),
        10 => format!(
            "{} ? {} : {}",
            expression(chance, depth + 1),
            expression(chance, depth + 1),
            expression(chance, depth + 1)
        ),
        11 => format!(
            "n {} {}",
            chance.of(&["=", "+=", "-=", "*=", "<<=", "|=", "%="]),
            expression(chance, depth + 1)
        ),
        12 => chance
            .of(&["n++", "++n", "j--", "--j", "n++ + ++n", "j-- - 1"])
            .to_owned(),
        _ => chance
            .of(&["$((1+1))", "$x", "1 +", "08", "1/0", "3 4", "@"])
            .to_owned(),
    }
}
