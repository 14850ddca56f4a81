//! Damaged snapshots, with the right checksum: restored and used, they cost at worst the cell.
//!
//! The damage knows the format, so that it gets past what is checked and into the guest: fields of the header, lengths, the
//! state of the host, page numbers, pointers in live pages. A part of it runs with the other tests;
//! `HOTCELL_DAMAGED_SNAPSHOTS=10000` makes as many.

use std::time::Duration;

use hotcell_cell::{
    Account, Cell, CellError, CellOptions, Program, Progress, Tool, Value, encode_for_fuzzing,
    seal_for_fuzzing, unseal_for_fuzzing,
};

use crate::support::{cell, engine, eval};

const PAGE: usize = 4096;
const ENTRY: usize = 4 + PAGE;
const MEMORY_LIMIT: u64 = 16 << 20;
const HOST_LIMIT: usize = 4 << 20;

/// splitmix64.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap()
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// A snapshot taken apart.
#[derive(Clone)]
struct Parts {
    state: Vec<u8>,
    pages: Vec<(u32, Vec<u8>)>,
}

impl Parts {
    fn of(snapshot: &[u8]) -> Self {
        let content = unseal_for_fuzzing(snapshot);
        let length = u32::from_le_bytes(content[..4].try_into().unwrap()) as usize;
        let pages = content[4 + length..]
            .chunks_exact(ENTRY)
            .map(|entry| {
                let number = u32::from_le_bytes(entry[..4].try_into().unwrap());
                (number, entry[4..].to_vec())
            })
            .collect();
        Self {
            state: content[4..4 + length].to_vec(),
            pages,
        }
    }

    fn content(&self) -> Vec<u8> {
        let mut content = u32::try_from(self.state.len())
            .unwrap()
            .to_le_bytes()
            .to_vec();
        content.extend_from_slice(&self.state);
        for (number, page) in &self.pages {
            content.extend_from_slice(&number.to_le_bytes());
            content.extend_from_slice(page);
        }
        content
    }

    /// A place in a page at which a pointer could be, and a number that could be a pointer.
    fn pointer(&self, rng: &mut Rng) -> (usize, usize, u32) {
        for _ in 0..200 {
            let page = rng.below(self.pages.len());
            let at = rng.below(PAGE / 4) * 4;
            let word = u32::from_le_bytes(self.pages[page].1[at..at + 4].try_into().unwrap());
            if word > 65536 && u64::from(word) < MEMORY_LIMIT && word % 4 == 0 {
                return (page, at, word);
            }
        }
        (0, 0, 0)
    }
}

/// Cells in states worth damaging, and a seed for the damage of each.
fn origins() -> Vec<Vec<u8>> {
    let options = || CellOptions::default().memory_limit(MEMORY_LIMIT);
    let mut rich = engine().cell(options()).unwrap();
    rich.define_tool("tool", Tool::sync(|_| Ok(Value::Null)))
        .unwrap();
    eval(
        &mut rich,
        "let x = { a: [1, 2, { b: 'text' }], m: new Map([[1, { k: 2 }]]), s: new Set('abc') };
         class A { #p = 1; get p() { return this.#p } }
         const a = new A(), kept = tool, big = (1n << 200n), re = /(a+)b/gi, date = new Date(0);
         function* g() { yield* [1, 2, 3] }
         const it = g(); it.next();
         const closure = (() => { let n = 0; return () => ++n })();
         const never = new Promise(() => {});
         const chain = Promise.resolve(1).then(() => never);
         const weak = new WeakMap([[x, a]]), proxy = new Proxy(x, {}), u8 = new Uint8Array(100).fill(7);
         0",
    );
    let mut waiting = engine().cell(options()).unwrap();
    waiting
        .define_tools([
            ("ask", Tool::deferred()),
            ("tool", Tool::sync(|_| Ok(Value::Null))),
        ])
        .unwrap();
    waiting
        .start("let x = { a: [1] }; const all = await Promise.all([ask(1), ask({ q: 'text' }), ask([1, 2, 3])]); all.length")
        .unwrap();
    assert!(matches!(
        pollster::block_on(waiting.step()),
        Ok(Progress::Waiting)
    ));
    let id = waiting.outstanding()[1].id;
    waiting.answer(id, Ok(Value::from("answer"))).unwrap();
    let mut large = engine().cell(options()).unwrap();
    eval(
        &mut large,
        "let x = { a: Array.from({ length: 20_000 }, (_, i) => ({ i, text: 'k' + i })) }; 0",
    );
    let mut small = engine().cell(options()).unwrap();
    eval(&mut small, "let x = 1");
    vec![
        rich.snapshot().unwrap(),
        waiting.snapshot().unwrap(),
        large.snapshot().unwrap(),
        small.snapshot().unwrap(),
    ]
}

/// The state of a snapshot with something in it that cannot be, or should not.
fn odd_state(rng: &mut Rng) -> Vec<u8> {
    let odd = |rng: &mut Rng| -> Value {
        match rng.below(12) {
            0 => Value::Number(f64::NAN),
            1 => Value::Number(-1.0),
            2 => Value::Number(1e300),
            3 => Value::Number(4_294_967_295.0),
            4 => Value::from(""),
            5 => Value::from("not a name"),
            6 => Value::from("tool"),
            7 => Value::array([]),
            8 => Value::Buffer(vec![1, 2, 3]),
            9 => Value::Bool(true),
            10 => Value::Null,
            _ => Value::Number(f64::from(u32::try_from(rng.below(70_000)).unwrap())),
        }
    };
    let list = |rng: &mut Rng, make: &dyn Fn(&mut Rng) -> Value| {
        let length = rng.of(&[0, 1, 2, 3, 100, 40_000]);
        let one = make(rng);
        let mut all = vec![one; length];
        if let Some(last) = all.last_mut() {
            *last = make(rng);
        }
        Value::Array(all)
    };
    let good_call = Value::array([
        Value::from(0),
        Value::from("ask"),
        Value::Buffer(vec![1, 4, 2]),
    ]);
    let memory = rng.of(&[
        0.0,
        65_536.0,
        4_194_304.0,
        8_388_608.0,
        16_777_216.0,
        16_842_752.0,
        4_294_967_296.0,
        1.5,
        f64::NAN,
        -65_536.0,
    ]);
    let tools = list(rng, &|rng| Value::array([odd(rng), odd(rng)]));
    let calls = if rng.below(2) == 0 {
        Value::Array(vec![good_call; rng.of(&[1, 2, 5000])])
    } else {
        list(rng, &|rng| Value::array([odd(rng), odd(rng), odd(rng)]))
    };
    let answers = list(rng, &|rng| Value::array([odd(rng), odd(rng), odd(rng)]));
    let parts = [
        Value::Number(memory),
        if rng.below(8) == 0 {
            odd(rng)
        } else {
            Value::Bool(rng.below(2) == 0)
        },
        tools,
        calls,
        answers,
    ];
    let keep = rng.of(&[5, 5, 5, 4, 0]);
    encode_for_fuzzing(&Value::array(parts.into_iter().take(keep))).unwrap_or_default()
}

/// A snapshot with one kind of damage, and which.
fn damage(origins: &[Vec<u8>], rng: &mut Rng) -> (&'static str, Vec<u8>) {
    let origin = rng.below(origins.len());
    match rng.below(16) {
        0 => ("a field of the header", alter_header(&origins[origin], rng)),
        1 => {
            let bytes = &origins[origin];
            ("cut off", bytes[..rng.below(bytes.len())].to_vec())
        }
        2 => ("a length", alter_length(&origins[origin], rng)),
        _ => {
            let mut parts = Parts::of(&origins[origin]);
            let other = Parts::of(&origins[rng.below(origins.len())]);
            let name = parts.damage(other, rng);
            (name, seal_for_fuzzing(&parts.content()))
        }
    }
}

fn alter_header(origin: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = origin.to_vec();
    let at = rng.below(96);
    bytes[at] = bytes[at].wrapping_add(u8::try_from(1 + rng.below(255)).unwrap());
    bytes
}

fn alter_length(origin: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut content = Parts::of(origin).content();
    match rng.below(3) {
        0 => content.truncate(rng.below(content.len())),
        1 => content.extend(std::iter::repeat_n(0, rng.below(9000))),
        _ => {
            let length = rng.of(&[0u32, 1, 100, 1 << 20, u32::MAX]);
            content[..4].copy_from_slice(&length.to_le_bytes());
        }
    }
    seal_for_fuzzing(&content)
}

impl Parts {
    /// Damages the state, or pages. Says how.
    fn damage(&mut self, mut other: Self, rng: &mut Rng) -> &'static str {
        let page = rng.below(self.pages.len());
        match rng.below(13) {
            0 => {
                let at = rng.below(self.state.len());
                self.state[at] ^= 1 << rng.below(8);
                "a bit of the state"
            }
            1 | 2 => {
                self.state = odd_state(rng);
                "an odd state"
            }
            3 => {
                self.state = other.state;
                "the state of another snapshot"
            }
            4 => {
                let number = &mut self.pages[page].0;
                let next = number.wrapping_add(1);
                let anywhere = u32::try_from(rng.below(1 << 20)).unwrap();
                *number = rng.of(&[0, 1, u32::MAX, anywhere, next]);
                "a page number"
            }
            5 => {
                let copy = self.pages[rng.below(self.pages.len())].1.clone();
                self.pages[page].1 = copy;
                "a page in the place of another"
            }
            6 => {
                self.pages.remove(page);
                "a page that is missing"
            }
            7 => {
                self.pages[page].1.fill(rng.of(&[0u8, 0xff, 0x41, 1]));
                "a page of one byte"
            }
            8 => {
                let foreign = other.pages.swap_remove(rng.below(other.pages.len()));
                match self
                    .pages
                    .iter_mut()
                    .find(|(number, _)| *number == foreign.0)
                {
                    Some(found) => *found = foreign,
                    None => self.pages[page].1 = foreign.1,
                }
                "a page of another snapshot"
            }
            9 | 10 => {
                (0..=rng.below(4)).for_each(|_| self.forge_pointer(rng));
                "pointers"
            }
            11 => {
                for _ in 0..=rng.below(8) {
                    let page = rng.below(self.pages.len());
                    self.pages[page].1[rng.below(PAGE)] ^= 1 << rng.below(8);
                }
                "bits of live pages"
            }
            _ => {
                for _ in 0..rng.below(300) {
                    let page = rng.below(self.pages.len());
                    let at = rng.below(PAGE / 4) * 4;
                    let word = rng.next().to_le_bytes();
                    self.pages[page].1[at..at + 4].copy_from_slice(&word[..4]);
                }
                "words of live pages"
            }
        }
    }

    fn forge_pointer(&mut self, rng: &mut Rng) {
        let (page, at, word) = self.pointer(rng);
        let (_, _, elsewhere) = self.pointer(rng);
        let itself = self.pages[page].0 * 4096 + u32::try_from(at).unwrap();
        let forged = rng.of(&[
            0,
            elsewhere,
            word.wrapping_add(4),
            word.wrapping_sub(8),
            u32::MAX - 3,
            itself,
        ]);
        self.pages[page].1[at..at + 4].copy_from_slice(&forged.to_le_bytes());
    }
}

/// Everything that one can do with a cell, whatever comes of it. True if it would have gone on for ever between runs.
fn use_it(cell: &mut Cell) -> bool {
    let short = |code: &'static str| Program::new(code).timeout(Duration::from_millis(20));
    let value = Value::object([("list", Value::array([1, 2, 3].map(Value::from)))]);
    let defined = cell
        .set_variables([("given", &value), ("other", &Value::from("text"))])
        .and_then(|()| {
            let tool = Tool::sync(|call| Ok(call.argument(0).clone()));
            cell.define_tools([("tool", tool)])
        });
    for call in cell.outstanding() {
        let _ = cell.answer(call.id, Ok(Value::from(1)));
    }
    // A run that was under way.
    match pollster::block_on(cell.step()) {
        Ok(Progress::Waiting) => drop(cell.stop()),
        Ok(Progress::Done(_)) | Err(_) => {}
    }
    let twin = cell.fork();
    for cell in std::iter::once(cell).chain(twin.ok().as_mut()) {
        for code in [
            "typeof x === 'undefined' ? 0 : JSON.stringify(x)?.length",
            "const made = []; for (let i = 0; i < 1000; i++) made.push({ i }); made.length",
            "tool(given)",
            "console.log(globalThis); structuredClone(x); [closure?.(), it?.next(), a?.p]",
        ] {
            let _ = pollster::block_on(cell.evaluate(short(code)));
        }
        let _ = cell.snapshot();
    }
    defined.is_err_and(|error| error.to_string().contains("when it should have ended"))
}

#[test]
fn a_damaged_snapshot_costs_at_most_its_cell() {
    let count = std::env::var("HOTCELL_DAMAGED_SNAPSHOTS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(1_500);
    let origins = origins();
    let mut rng = Rng(0x0dd5);
    let (mut refused, mut dead, mut alive, mut endless) = (0, 0, 0, 0);
    for _ in 0..count {
        let (name, bytes) = damage(&origins, &mut rng);
        let account = Account::new("host memory", HOST_LIMIT);
        let options = CellOptions::default()
            .memory_limit(MEMORY_LIMIT)
            .timeout(Duration::from_millis(20))
            .account(account.clone());
        let mut cell = match engine().restore(&bytes, options) {
            Ok(cell) => cell,
            Err(CellError::Snapshot(_)) => {
                refused += 1;
                continue;
            }
            Err(other) => panic!("{name}: {other:?}"),
        };
        endless += u32::from(use_it(&mut cell));
        // A run that follows one that ran out gets a little more, up to 4 MiB.
        let most = MEMORY_LIMIT + (4 << 20);
        assert!(cell.stats().peak_memory_bytes <= most, "{name}");
        assert!(account.peak() <= HOST_LIMIT, "{name}");
        if cell.is_alive() {
            alive += 1;
        } else {
            dead += 1;
        }
        drop(cell);
        assert_eq!(account.used(), 0, "{name}");
    }
    println!(
        "{count} snapshots: {refused} refused, {alive} cells alive after all, {dead} gone, {endless} endless between runs"
    );
    assert!(refused > count / 10 && alive > count / 10 && dead > 0);
    // And the next cell is as good as any.
    assert_eq!(
        eval(&mut cell(), "[1, 2].map(x => x * 2).join()"),
        Value::from("2,4")
    );
}
