//! Grammars of random scripts: files in `tests/grammars`.
//!
//! ```text
//! Lines before the first rule are notes.
//! needs: the programs without which bash's answer says nothing
//!
//! [script]
//! x=«word»; «statement 1-3 ; »
//! [statement]
//! echo «word»
//! [word]
//! a
//! "$x"
//! ${x:-«word»}
//! ```
//!
//! A rule is a name in brackets and its alternatives, one to a line; `[script]` is where a script begins. `«word»` stands for
//! an alternative of that rule, `«word 1-3»` for one to three of them with blanks between, `«word 1-3, »` for as many with what
//! follows the numbers between them (`/n`: a newline, `//`: nothing). `«»` is nothing, `«n»` a newline. The rules of `common.txt`
//! are there for all.

use std::{collections::BTreeMap, fs, path::Path};

use super::chance::Chance;

/// How deep rules are in each other before the shortest way out is taken.
const DEEPEST: usize = 6;

/// A grammar.
pub(crate) struct Grammar {
    pub(crate) name: String,
    /// Programs that the machine must have.
    pub(crate) needs: Vec<String>,
    rules: BTreeMap<String, Vec<Alternative>>,
}

struct Alternative {
    pieces: Vec<Piece>,
    /// How many rules are in each other at least until only text is left.
    height: usize,
}

enum Piece {
    Text(String),
    Rule {
        name: String,
        least: usize,
        most: usize,
        between: String,
    },
}

/// All grammars there are, by name.
pub(crate) fn all() -> Vec<Grammar> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/grammars");
    let read = |path: &Path| fs::read_to_string(path).expect("the grammar can be read");
    let common = read(&folder.join("common.txt"));
    let mut grammars: Vec<Grammar> = fs::read_dir(&folder)
        .expect("there are grammars")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.file_stem().is_some_and(|name| name != "common"))
        .map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            Grammar::new(&name, &[&common, &read(&path)])
        })
        .collect();
    grammars.sort_by(|a, b| a.name.cmp(&b.name));
    grammars
}

impl Grammar {
    fn new(name: &str, texts: &[&str]) -> Self {
        let mut rules: BTreeMap<String, Vec<Alternative>> = BTreeMap::new();
        let mut needs = Vec::new();
        for text in texts {
            let mut rule: Option<&mut Vec<Alternative>> = None;
            for line in text.lines() {
                let head = line
                    .strip_prefix('[')
                    .and_then(|line| line.strip_suffix(']'));
                let is_name = |name: &&str| {
                    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase())
                };
                if let Some(name) = head.filter(is_name) {
                    let alternatives = rules.entry(name.to_owned()).or_default();
                    // What a grammar says of its own comes in the place of what all have.
                    alternatives.clear();
                    rule = Some(alternatives);
                } else if let Some(rule) = &mut rule
                    && !line.is_empty()
                {
                    rule.push(Alternative {
                        pieces: pieces(line),
                        height: usize::MAX,
                    });
                } else if let Some(names) = line.strip_prefix("needs: ") {
                    needs.extend(names.split(' ').map(str::to_owned));
                }
            }
        }
        let mut grammar = Self {
            name: name.to_owned(),
            needs,
            rules,
        };
        grammar.measure();
        grammar
    }

    /// Finds the heights, which are what can be reached from those that have one already.
    fn measure(&mut self) {
        loop {
            let height = |alternatives: &Vec<Alternative>| {
                alternatives.iter().map(|one| one.height).min().unwrap_or(0)
            };
            let heights: BTreeMap<String, usize> = self
                .rules
                .iter()
                .map(|(name, rule)| (name.clone(), height(rule)))
                .collect();
            let mut is_done = true;
            for (name, rule) in &mut self.rules {
                for alternative in rule {
                    let inner = alternative.pieces.iter().map(|piece| match piece {
                        Piece::Text(_) => 0,
                        Piece::Rule { name: inner, .. } => {
                            let found = heights.get(inner);
                            assert!(found.is_some(), "{}: {name}: no rule {inner}", self.name);
                            found.copied().unwrap_or(0)
                        }
                    });
                    let height = inner.max().unwrap_or(0).saturating_add(1);
                    is_done &= height == alternative.height;
                    alternative.height = height;
                }
            }
            if is_done {
                return;
            }
        }
    }

    /// A script: always the same one for a seed.
    pub(crate) fn script(&self, seed: u64) -> String {
        let mut text = String::new();
        self.expand("script", &mut Chance::new(seed), 0, &mut text);
        text
    }

    fn expand(&self, rule: &str, chance: &mut Chance, depth: usize, text: &mut String) {
        let alternatives = &self.rules[rule];
        let alternative = if depth < DEEPEST {
            &alternatives[chance.below(alternatives.len())]
        } else {
            let least = alternatives.iter().map(|one| one.height).min();
            let mut shortest: Vec<&Alternative> = alternatives.iter().collect();
            shortest.retain(|one| Some(one.height) == least);
            shortest[chance.below(shortest.len())]
        };
        for piece in &alternative.pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Rule {
                    name,
                    least,
                    most,
                    between,
                } => {
                    let count = least + chance.below(most - least + 1);
                    for number in 0..count {
                        if number > 0 {
                            text.push_str(between);
                        }
                        self.expand(name, chance, depth + 1, text);
                    }
                }
            }
        }
    }
}

fn pieces(line: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('«') {
        let (inside, after) = after.split_once('»').expect("a mark is closed");
        pieces.push(Piece::Text(before.to_owned()));
        pieces.push(match inside {
            "" => Piece::Text(String::new()),
            "n" => Piece::Text("\n".to_owned()),
            inside => reference(inside),
        });
        rest = after;
    }
    pieces.push(Piece::Text(rest.to_owned()));
    pieces
}

/// `NAME`, or `NAME LEAST-MOST` and what comes between.
fn reference(text: &str) -> Piece {
    let (name, numbers) = text.split_once(' ').unwrap_or((text, "1-1"));
    let (least, rest) = numbers.split_once('-').expect("LEAST-MOST");
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (most, between) = rest.split_at(digits);
    let number = |text: &str| text.parse().expect("a number");
    Piece::Rule {
        name: name.to_owned(),
        least: number(least),
        most: number(most),
        between: match between {
            "" => " ".to_owned(),
            "/n" => "\n".to_owned(),
            "//" => String::new(),
            between => between.to_owned(),
        },
    }
}
