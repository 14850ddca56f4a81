//! Makes hostile code, always the same for the same seed.

use super::material::{FUNCTIONS, NESTS, NUMBERS, PROGRAMS, STRINGS, TOKENS, VALUES};

/// How often programs stand inside programs.
const MAX_DEPTH: u32 = 3;

/// `SplitMix64`: enough to choose with, and it will give the same numbers for ever.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap()
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// One program after the other.
pub(crate) struct Generator<'a> {
    chance: Chance,
    /// Programs that are no harm.
    tame: &'a [String],
}

impl<'a> Generator<'a> {
    pub(crate) fn new(seed: u64, tame: &'a [String]) -> Self {
        Self {
            chance: Chance::new(seed),
            tame,
        }
    }

    pub(crate) fn program(&mut self) -> String {
        match self.chance.below(100) {
            0..55 => self.hostile(0),
            55..60 => self.wrapped(),
            60..70 => self.tokens(),
            70..78 => self.nested(),
            78..82 => self.huge(),
            82..96 => self.mutated(),
            96..98 => self.bytes(),
            _ => self.characters(),
        }
    }

    /// One of the programs, filled in.
    fn hostile(&mut self, depth: u32) -> String {
        let pattern = self.chance.pick(PROGRAMS);
        self.fill(pattern, depth)
    }

    fn fill(&mut self, pattern: &str, depth: u32) -> String {
        let mut result = String::new();
        let mut rest = pattern;
        while let Some(at) = rest.find('#') {
            let (before, from) = rest.split_at(at);
            result.push_str(before);
            let kind = from.as_bytes().get(1).copied();
            let filled = match kind {
                Some(b'n') => self.chance.pick(NUMBERS).to_owned(),
                Some(b'v') => self.chance.pick(VALUES).to_owned(),
                Some(b's') => self.chance.pick(STRINGS).to_owned(),
                Some(b'f') => self.chance.pick(FUNCTIONS).to_owned(),
                Some(b'i') => self.chance.below(8).to_string(),
                Some(b'c') if depth < MAX_DEPTH => self.hostile(depth + 1),
                Some(b'c') => "1".to_owned(),
                Some(b'p') if depth < MAX_DEPTH => literal(&self.hostile(depth + 1)),
                Some(b'p') => "'1'".to_owned(),
                _ => {
                    result.push('#');
                    rest = &from[1..];
                    continue;
                }
            };
            // Numbers may have a sign, and the place a dot after it.
            if kind == Some(b'n') {
                result.push('(');
            }
            result.push_str(&filled);
            if kind == Some(b'n') {
                result.push(')');
            }
            rest = &from[2..];
        }
        result.push_str(rest);
        result
    }

    /// A program that tries to survive its own end.
    fn wrapped(&mut self) -> String {
        let inner = self.hostile(1);
        let text = literal(&inner);
        match self.chance.below(8) {
            0 => format!(
                "try {{ {inner} }} catch (e) {{ console.log(e); throw e }} finally {{ final_answer(1) }}"
            ),
            1 => format!("await (async () => {{ {inner} }})().catch(e => e)"),
            2 => format!("```ts\n{inner}\n```"),
            3 => format!("Sure! Here is the code:\n~~~~js\n{inner}\n~~~~\nand then ```x```"),
            4 => format!(
                "for (let i = 0; i < 3; i++) {{ try {{ eval({text}) }} catch (e) {{ console.error(e) }} }}"
            ),
            5 => format!("{inner}\n;enum Late {{ A }}"),
            6 => format!(
                "await Promise.allSettled([{text}, {text}].map(async code => (0, eval)(code)))"
            ),
            _ => format!(
                "new Compartment({{ globals: {{ console, echo, final_answer }}, __options__: true }}).evaluate({text})"
            ),
        }
    }

    fn tokens(&mut self) -> String {
        let count = 1 + self.chance.below(40);
        let separator = self.chance.pick(&["", " ", " ", "\n"]);
        let tokens: Vec<&str> = (0..count).map(|_| self.chance.pick(TOKENS)).collect();
        tokens.join(separator)
    }

    fn nested(&mut self) -> String {
        let depth = self
            .chance
            .pick(&[2, 10, 50, 99, 250, 499, 501, 1000, 5000]);
        let (before, middle, after) = self.chance.pick(NESTS);
        let mut code = String::new();
        if self.chance.below(4) == 0 {
            // A mix, in the right order backwards.
            let layers: Vec<_> = (0..depth.min(500))
                .map(|_| self.chance.pick(NESTS))
                .collect();
            code.extend(layers.iter().map(|layer| layer.0));
            code.push_str(middle);
            code.extend(layers.iter().rev().map(|layer| layer.2));
        } else {
            code.push_str(&before.repeat(depth));
            code.push_str(middle);
            // Sometimes the end is missing.
            let ends = self.chance.pick(&[depth, depth, depth, depth / 2, 0]);
            code.push_str(&after.repeat(ends));
        }
        code
    }

    fn huge(&mut self) -> String {
        let size = self.chance.pick(&[100, 1000, 10_000]);
        let item = self.chance.pick(VALUES);
        match self.chance.below(10) {
            0 => format!("[{}]", format!("{item},").repeat(size / 10)),
            1 => format!("'{}'", "x".repeat(size)),
            2 => "9".repeat(size),
            3 => format!("{}n", "9".repeat(size)),
            4 => format!("let {} = 1", "a".repeat(size)),
            5 => many(size / 10, |i| format!("var v{i} = {i};")),
            6 => format!("f({})", "x,".repeat(size)),
            7 => format!("({{{}}})", many(size / 10, |i| format!("k{i}:{item},"))),
            8 => format!(
                "switch (1) {{ {} }}",
                many(size / 10, |i| format!("case {i}: {i};"))
            ),
            _ => format!("`{}`", "${1}".repeat(size / 10)),
        }
    }

    /// A program that was no harm, changed here and there.
    fn mutated(&mut self) -> String {
        let mut code: Vec<char> = self.tame_one().chars().collect();
        for _ in 0..=self.chance.below(4) {
            let at = self.chance.below(code.len() + 1);
            let end = (at + self.chance.below(20)).min(code.len());
            match self.chance.below(6) {
                0 => drop(code.drain(at..end)),
                1 => {
                    let copy = code[at..end].to_vec();
                    code.splice(at..at, copy);
                }
                2 => drop(code.splice(at..at, self.chance.pick(TOKENS).chars())),
                3 => drop(code.splice(at..end, self.chance.pick(VALUES).chars())),
                4 => {
                    let other: Vec<char> = self.tame_one().chars().collect();
                    let from = self.chance.below(other.len());
                    code.truncate(at);
                    code.extend(&other[from..]);
                }
                _ => code.swap_range(at, end),
            }
        }
        code.into_iter().collect()
    }

    fn tame_one(&mut self) -> &'a str {
        &self.tame[self.chance.below(self.tame.len())]
    }

    fn bytes(&mut self) -> String {
        let count = self.chance.below(200);
        let bytes: Vec<u8> = (0..count)
            .map(|_| u8::try_from(self.chance.below(256)).unwrap())
            .collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn characters(&mut self) -> String {
        let count = self.chance.below(100);
        (0..count)
            .filter_map(|_| {
                let bound = self.chance.pick(&[0x80, 0x800, 0x1_0000, 0x11_0000]);
                char::from_u32(u32::try_from(self.chance.below(bound)).unwrap())
            })
            .collect()
    }
}

fn many(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect::<Vec<_>>().concat()
}

/// Code as a string in code.
fn literal(code: &str) -> String {
    serde_json::to_string(code).unwrap()
}

trait SwapRange {
    /// Turns a range around.
    fn swap_range(&mut self, from: usize, to: usize);
}

impl SwapRange for Vec<char> {
    fn swap_range(&mut self, from: usize, to: usize) {
        self[from..to].reverse();
    }
}
