//! Snapshots that were damaged on purpose, and sealed with a checksum that fits: what they say of tools, names, calls, logs and
//! files, and where they say that it is. `hotcell-cell` does the same to the memory of the cell in them.

use std::time::Duration;

use hotcell_cell::Value;
use hotcell_executor::{
    AgentTool, Answer, ErrorCode, Executor, ExecutorOptions, Files, Started, State,
};
use pollster::block_on;
use serde_json::{Map, Value as Json, json};

use crate::support::{ready, run};

/// Magic, seal, checksum; then the lengths of what it knew, its files, its companion, and what its run has shown.
const HEADER: usize = 8 + 32 + 8;
const LENGTHS: usize = 4;
const OPERATIONS: u64 = 1000;

/// A sequence of numbers that is the same every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % end.max(1)
    }
}

/// A snapshot in its parts.
#[derive(Clone)]
struct Parts {
    magic: Vec<u8>,
    memory: Json,
    files: Vec<u8>,
    companion: Vec<u8>,
    shown: Vec<u8>,
    cell: Vec<u8>,
    /// By how much the lengths lie.
    lies: [u64; LENGTHS],
}

impl Parts {
    fn of(snapshot: &[u8]) -> Self {
        let mut rest = &snapshot[HEADER + 8 * LENGTHS..];
        let mut part = |index: usize| {
            let at = HEADER + 8 * index;
            let length = u64::from_le_bytes(snapshot[at..at + 8].try_into().unwrap());
            let (part, after) = rest.split_at(usize::try_from(length).unwrap());
            rest = after;
            part.to_vec()
        };
        let (memory, files, companion, shown) = (part(0), part(1), part(2), part(3));
        Self {
            magic: snapshot[..8].to_vec(),
            memory: serde_json::from_slice(&memory).unwrap(),
            files,
            companion,
            shown,
            cell: rest.to_vec(),
            lies: [0; LENGTHS],
        }
    }

    fn sealed(&self) -> Vec<u8> {
        let parts = [
            serde_json::to_vec(&self.memory).unwrap(),
            self.files.clone(),
            self.companion.clone(),
            self.shown.clone(),
        ];
        let lengths: Vec<u8> = parts
            .iter()
            .zip(self.lies)
            .flat_map(|(part, lie)| (part.len() as u64).wrapping_add(lie).to_le_bytes())
            .collect();
        let known = parts.concat();
        let checksum = xxhash_rust::xxh3::xxh3_64(&known).to_le_bytes();
        [
            &self.magic[..],
            &[0; 32],
            &checksum,
            &lengths,
            &known,
            &self.cell,
        ]
        .concat()
    }

    fn damage(&mut self, chance: &mut Chance) {
        match chance.below(13) {
            0 => {
                let lie = [1, u64::MAX, 1 << 40, u64::MAX - 7][chance.below(4)];
                self.lies[chance.below(LENGTHS)] = lie;
            }
            1 | 2 if !self.files.is_empty() => {
                let at = chance.below(self.files.len());
                self.files[at] ^= 1 << chance.below(8);
            }
            3 if !self.files.is_empty() => self.files.truncate(chance.below(self.files.len())),
            4 => self.companion = vec![7; chance.below(100)],
            5 => {
                let byte = u8::try_from(chance.below(256)).unwrap();
                self.shown = vec![byte; chance.below(100)];
            }
            _ => {
                let mut places = Vec::new();
                paths(&self.memory, &mut String::new(), &mut places);
                let place = &places[chance.below(places.len())];
                let other = self
                    .memory
                    .pointer(&places[chance.below(places.len())])
                    .cloned();
                if let Some(value) = self.memory.pointer_mut(place) {
                    *value = hostile(chance, value.clone(), other.unwrap_or_default());
                }
            }
        }
    }
}

/// The places of all values.
fn paths(json: &Json, at: &mut String, found: &mut Vec<String>) {
    found.push(at.clone());
    let length = at.len();
    let mut below = |key: &str, inner: &Json| {
        at.push('/');
        at.push_str(&key.replace('~', "~0").replace('/', "~1"));
        paths(inner, at, found);
        at.truncate(length);
    };
    match json {
        Json::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                below(&index.to_string(), value);
            }
        }
        Json::Object(properties) => {
            for (key, value) in properties {
                below(key, value);
            }
        }
        _ => {}
    }
}

/// What stands in the place of a value.
fn hostile(chance: &mut Chance, value: Json, other: Json) -> Json {
    match chance.below(16) {
        0 => Json::Null,
        1 => json!(-1),
        2 => json!(u64::MAX),
        3 => json!(1e308),
        4 => json!(""),
        5 => json!("x".repeat(1 << chance.below(18))),
        6 => json!("\u{0}é\u{1f600}".repeat(50)),
        7 => (0..chance.below(100)).fold(value, |inner, _| json!([inner])),
        8 => Json::Array(vec![value; 1 << chance.below(10)]),
        9 => json!([]),
        10 => json!({}),
        11 => match value {
            Json::Object(properties) => {
                let kept = properties.into_iter().filter(|_| chance.below(2) == 0);
                Json::Object(kept.collect::<Map<_, _>>())
            }
            Json::Array(mut values) if !values.is_empty() => {
                let left = chance.below(values.len());
                values.rotate_left(left);
                Json::Array(values)
            }
            _ => json!(0),
        },
        12 => json!({ "$": "map", "entries": [[value, other]] }),
        13 => json!("for (;;);"),
        14 => json!(true),
        _ => other,
    }
}

fn options() -> ExecutorOptions {
    ExecutorOptions::default()
        .timeout(Duration::from_millis(100))
        .max_operations(OPERATIONS)
        .memory_limit(16 << 20)
        .max_host_memory(16 << 20)
}

fn origins() -> Vec<Parts> {
    let plain = ready(options());
    block_on(plain.send_tools([("tool", AgentTool::sync(|_| Ok(Value::from(1))))])).unwrap();
    run(
        &plain,
        "let kept = 1; const list = [1, 'two', { three: 3 }]",
    );

    let waiting = ready(options());
    let ask = AgentTool::suspending()
        .parameters(json!({ "type": "object", "properties": { "n": { "type": "number" } } }));
    block_on(waiting.send_tools([("ask", ask)])).unwrap();
    let code = "console.log('a'); console.warn('b'); let kept = 1; await Promise.all([ask({ n: 1 }), ask({ n: 2 })])";
    assert!(matches!(
        block_on(waiting.start(code)),
        Started::Suspended(_)
    ));

    let with_files = ready(options());
    block_on(with_files.enable_files(&Files::memory())).unwrap();
    run(
        &with_files,
        "let kept = 1; await writeText('a/b.txt', 'x'.repeat(5000)); await writeText('c', '')",
    );
    [plain, waiting, with_files]
        .map(|executor| Parts::of(&block_on(executor.snapshot()).unwrap()))
        .into()
}

/// Everything that a host does with an executor that it restored.
fn use_it(executor: &Executor) {
    let _ = block_on(executor.enable_files(&Files::memory()));
    let tool = || AgentTool::sync(|_| Ok(Value::from(1)));
    let _ = block_on(executor.send_variables([("given", Value::array([1, 2].map(Value::from)))]));
    let _ = block_on(executor.send_tools([("tool", tool()), ("ask", AgentTool::suspending())]));
    if let Some(suspension) = block_on(executor.suspension()) {
        let ids = suspension.calls.into_iter().map(|call| call.id);
        let answers: Vec<_> = ids.map(|id| (id, Answer::Value(Value::from(1)))).collect();
        let _ = block_on(executor.resume(answers));
        let _ = block_on(executor.abandon());
    }
    for code in [
        "typeof kept + typeof list",
        "[tool(), (await readText('a/b.txt')).length]",
    ] {
        let _ = block_on(executor.execute(code));
    }
    let _ = block_on(executor.snapshot());
    let _ = block_on(executor.fork()).map(|twin| block_on(twin.execute("1")));
    let _ = executor.validate("kep; tol()");
}

#[test]
fn a_damaged_snapshot_costs_at_most_its_executor_and_brings_no_limits() {
    let origins = origins();
    let mut chance = Chance(0x0dd5);
    let (mut restored, mut refused) = (0, 0);
    for round in 0..3_000 {
        let mut parts = origins[round % origins.len()].clone();
        for _ in 0..=chance.below(3) {
            parts.damage(&mut chance);
        }
        let executor = match Executor::restore(&parts.sealed(), Some(options())) {
            Ok(executor) => executor,
            Err(error) => {
                assert_eq!(error.code, ErrorCode::ValidationFailed, "{error}");
                refused += 1;
                continue;
            }
        };
        restored += 1;
        use_it(&executor);
        // Whatever it says it may do, it may do what it was given here. (It is dirty if what it was to do took too long.)
        if executor.state() == State::Ready {
            let error = block_on(executor.run("for (let i = 0; i < 1e6; i++);")).unwrap_err();
            assert_eq!(error.code, ErrorCode::MaxOpsExceeded, "{error}");
            assert_eq!(error.details["maxOperations"], json!(OPERATIONS));
        }
    }
    assert!(restored > 500 && refused > 500, "{restored} {refused}");
}
