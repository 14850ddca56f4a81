//! `$ref`: every referenced schema becomes a type with a name, so that cycles cost nothing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use super::ty::Ty;
use crate::names;

/// Steps taken in search of cycles for one document; beyond that a reference counts as one.
const MAX_STEPS: usize = 50_000;

/// How deep branches are followed in search of direct references.
const MAX_BRANCH_DEPTH: usize = 24;

/// Types that TypeScript or its library has already; declaring them again would change their meaning.
const KNOWN_TYPES: &[&str] = &[
    "Array",
    "ArrayBuffer",
    "BigInt",
    "Boolean",
    "DataView",
    "Date",
    "Error",
    "Exclude",
    "Extract",
    "Function",
    "Infinity",
    "Iterable",
    "Iterator",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Omit",
    "Partial",
    "Pick",
    "Promise",
    "PromiseLike",
    "Proxy",
    "Readonly",
    "ReadonlyArray",
    "Record",
    "Reflect",
    "RegExp",
    "Required",
    "Set",
    "String",
    "Symbol",
    "Uint8Array",
    "WeakMap",
    "WeakSet",
];

/// A referenced schema that still has to be declared.
pub(crate) struct Pending<'a> {
    pub(crate) pointer: String,
    pub(crate) name: String,
    pub(crate) schema: &'a Value,
}

/// The references of one document.
pub(crate) struct Refs<'a> {
    root: &'a Value,
    /// What the document belongs to, as a type name: `SearchArgs`. Names the root and settles clashes.
    owner: String,
    avoid: BTreeSet<String>,
    by_pointer: BTreeMap<String, String>,
    taken: BTreeSet<String>,
    /// The last number used to tell names apart, by name.
    numbers: BTreeMap<String, u64>,
    pending: VecDeque<Pending<'a>>,
    /// The reference whose type is being declared.
    current: Option<String>,
    steps: usize,
}

impl<'a> Refs<'a> {
    /// `avoid` holds names that mean something else elsewhere in the same prompt.
    pub(crate) fn new(root: &'a Value, owner: String, avoid: BTreeSet<String>) -> Self {
        Self {
            root,
            owner,
            avoid,
            by_pointer: BTreeMap::new(),
            taken: BTreeSet::new(),
            numbers: BTreeMap::new(),
            pending: VecDeque::new(),
            current: None,
            steps: 0,
        }
    }

    /// The type a reference stands for. `direct` as in [`super::schema::At`].
    pub(crate) fn name(&mut self, reference: &str, direct: bool) -> Ty {
        let Some(pointer) = to_pointer(reference) else {
            return Ty::unknown();
        };
        let Some(schema) = self.root.pointer(&pointer) else {
            return Ty::unknown();
        };
        if direct && self.closes_circle(&pointer) {
            return Ty::unknown();
        }
        if let Some(name) = self.by_pointer.get(&pointer) {
            return Ty::word(name.clone());
        }
        let name = self.choose_name(&pointer);
        self.taken.insert(name.clone());
        self.by_pointer.insert(pointer.clone(), name.clone());
        self.pending.push_back(Pending {
            pointer,
            name: name.clone(),
            schema,
        });
        Ty::word(name)
    }

    /// The next type to declare; what is converted after this belongs to it.
    pub(crate) fn next_pending(&mut self) -> Option<Pending<'a>> {
        let next = self.pending.pop_front();
        self.current = next.as_ref().map(|pending| pending.pointer.clone());
        next
    }

    /// The schema behind a chain of references, for those who need its shape and not its name.
    pub(crate) fn follow(&self, mut schema: &'a Value) -> &'a Value {
        for _ in 0..MAX_BRANCH_DEPTH {
            let next = schema
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(to_pointer)
                .and_then(|pointer| self.root.pointer(&pointer));
            match next {
                Some(next) => schema = next,
                None => break,
            }
        }
        schema
    }

    /// Whether the type being declared would be defined by itself if it named `pointer` here.
    fn closes_circle(&mut self, pointer: &str) -> bool {
        let Some(current) = self.current.clone() else {
            return false;
        };
        let mut seen = BTreeSet::new();
        let mut open = vec![pointer.to_owned()];
        while let Some(pointer) = open.pop() {
            self.steps += 1;
            if pointer == current || self.steps > MAX_STEPS {
                return true;
            }
            if let Some(schema) = self.root.pointer(&pointer) {
                let mut next = Vec::new();
                direct_references(schema, MAX_BRANCH_DEPTH, &mut next);
                self.steps += next.len();
                open.extend(
                    next.into_iter()
                        .filter(|pointer| seen.insert(pointer.clone())),
                );
            }
        }
        false
    }

    fn choose_name(&mut self, pointer: &str) -> String {
        // Keywords and positions on the way say nothing about what the type is.
        let named = pointer
            .rsplit('/')
            .filter(|segment| {
                *segment != "items" && !segment.bytes().all(|byte| byte.is_ascii_digit())
            })
            .map(|segment| names::to_type_name(&segment.replace("~1", "/").replace("~0", "~")))
            .find(|name| !name.is_empty());
        let mut base = named.unwrap_or_else(|| self.owner.clone());
        if KNOWN_TYPES.contains(&base.as_str()) {
            base.push_str("Type");
        }
        let free = |name: &String| !self.taken.contains(name) && !self.avoid.contains(name);
        if free(&base) {
            return base;
        }
        let owned = format!("{}{base}", self.owner);
        let mut name = owned.clone();
        let mut number = self.numbers.get(&owned).copied().unwrap_or(1);
        while !free(&name) {
            number += 1;
            name = format!("{owned}{number}");
        }
        self.numbers.insert(owned, number);
        name
    }
}

/// References that are part of a schema's own type: its `$ref`, and those of its branches.
fn direct_references(schema: &Value, depth: usize, found: &mut Vec<String>) {
    if let Some(pointer) = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(to_pointer)
    {
        found.push(pointer);
    }
    if depth == 0 {
        return;
    }
    for key in ["allOf", "anyOf", "oneOf"] {
        for branch in schema
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            direct_references(branch, depth - 1, found);
        }
    }
}

/// The JSON pointer in a reference to the same document; references elsewhere, and to anchors, are not followed.
fn to_pointer(reference: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    if !fragment.is_empty() && !fragment.starts_with('/') {
        return None;
    }
    decode_percent(fragment)
}

fn decode_percent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
