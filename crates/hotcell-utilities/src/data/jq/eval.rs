//! Running a program.
//!
//! A filter is given a value and tells what comes of it to a function, once for each result. Where a filter is the last thing to
//! do, nothing is called: the loop goes on with it. So a function that ends by calling itself runs as long as it likes, and what is
//! nested deeper than the stack allows is an error.

mod assign;
mod bind;
mod loops;
mod one;
pub(crate) mod path;

use std::{cell::Cell, rc::Rc};

use hotcell_process::Process;

use self::path::Path;
use super::{
    input::Inputs,
    natives,
    stop::{Flow, Stop},
    syntax::{Part, Program, Term},
    value::{Heap, Map, Value},
};
use crate::languages::budget::Held;

/// What walks through a value, compares or drops it needs this much stack, as deep as values can be.
const STACK_RESERVE: usize = 5 << 20;

/// What names mean where a filter is: variables, arguments and labels, the innermost first.
#[derive(Clone)]
pub(crate) struct Env<'t>(Option<Rc<Node<'t>>>);

struct Node<'t> {
    slot: Slot<'t>,
    parent: Env<'t>,
    _held: Held,
}

enum Slot<'t> {
    Value(Value),
    Filter(&'t Term, Env<'t>),
    Label(u64),
}

impl Drop for Node<'_> {
    // A chain may be long: one at a time.
    fn drop(&mut self) {
        let mut todo = Vec::new();
        todo.extend(self.parent.0.take());
        if let Slot::Filter(_, env) = &mut self.slot {
            todo.extend(env.0.take());
        }
        while let Some(node) = todo.pop() {
            if let Ok(mut node) = Rc::try_unwrap(node) {
                todo.extend(node.parent.0.take());
                if let Slot::Filter(_, env) = &mut node.slot {
                    todo.extend(env.0.take());
                }
            }
        }
    }
}

impl<'t> Env<'t> {
    pub(crate) const EMPTY: Self = Self(None);

    fn get(&self, index: usize) -> Option<&Slot<'t>> {
        let mut node = self.0.as_ref()?;
        for _ in 0..index {
            node = node.parent.0.as_ref()?;
        }
        Some(&node.slot)
    }

    fn without(&self, count: usize) -> Self {
        let mut env = self;
        for _ in 0..count {
            match &env.0 {
                Some(node) => env = &node.parent,
                None => break,
            }
        }
        env.clone()
    }
}

/// A value, and where it was found, if somebody wants to know.
#[derive(Clone)]
pub(crate) struct Item {
    pub(crate) value: Value,
    pub(crate) path: Option<Path>,
}

impl Item {
    pub(crate) fn plain(value: Value) -> Self {
        Self { value, path: None }
    }
}

pub(crate) type Out<'o> = &'o mut dyn FnMut(Item) -> Flow;

/// A program with what it needs to run.
pub(crate) struct Machine<'t, 'p> {
    pub(crate) process: &'p Process,
    pub(crate) program: &'t Program,
    pub(crate) heap: Heap,
    pub(crate) inputs: &'t Inputs<'p>,
    pub(crate) natives: natives::State,
    labels: Cell<u64>,
}

impl<'t, 'p> Machine<'t, 'p> {
    pub(crate) fn new(
        process: &'p Process,
        program: &'t Program,
        heap: &Heap,
        inputs: &'t Inputs<'p>,
    ) -> Self {
        Self {
            process,
            program,
            heap: heap.clone(),
            inputs,
            natives: natives::State::default(),
            labels: Cell::new(0),
        }
    }

    /// Runs the program on a value.
    pub(crate) fn run(&self, value: Value, out: &mut dyn FnMut(Value) -> Flow) -> Flow {
        let main = &self.program.main;
        self.eval(main, &Env::EMPTY, Item::plain(value), &mut |item| {
            out(item.value)
        })
    }

    fn label(&self) -> u64 {
        let label = self.labels.get() + 1;
        self.labels.set(label);
        label
    }

    fn bind(&self, env: &Env<'t>, slot: Slot<'t>) -> Result<Env<'t>, Stop> {
        let held = self.heap.0.hold(96)?;
        Ok(Env(Some(Rc::new(Node {
            slot,
            parent: env.clone(),
            _held: held,
        }))))
    }

    fn with_value(&self, env: &Env<'t>, value: Value) -> Result<Env<'t>, Stop> {
        self.bind(env, Slot::Value(value))
    }

    pub(crate) fn check_stack(&self) -> Flow {
        if self.process.stack_left() < STACK_RESERVE {
            return Err(Stop::Io(std::io::Error::other(
                "stack overflow: the program nests too deeply",
            )));
        }
        Ok(())
    }

    /// Runs a filter on a value; each result goes to `out`.
    fn eval(&self, term: &'t Term, env: &Env<'t>, item: Item, out: Out<'_>) -> Flow {
        self.check_stack()?;
        let (mut term, mut env, mut item) = (term, env.clone(), item);
        loop {
            self.process.spend(24);
            // What has one result needs no function to tell it to.
            if item.path.is_none()
                && let Term::Single(single) = term
            {
                return out(Item::plain(self.owned(single, &env, item.value)?));
            }
            match term {
                Term::Identity => return out(item),
                Term::Single(inner) => term = inner,
                Term::Pipe(first, second) => {
                    if item.path.is_none()
                        && let Term::Single(first) = &**first
                    {
                        item = Item::plain(self.owned(first, &env, item.value)?);
                        term = second;
                        continue;
                    }
                    return self.eval(first, &env, item, &mut |item| {
                        self.eval(second, &env, item, out)
                    });
                }
                Term::Comma(first, second) => {
                    self.eval(first, &env, item.clone(), out)?;
                    term = second;
                }
                Term::If(condition, then, otherwise) => {
                    if let Some(value) = self.one(condition, &env, &item.value) {
                        term = if value?.is_true() { then } else { otherwise };
                        continue;
                    }
                    return self.values(condition, &env, item.value.clone(), &mut |value| {
                        let next = if value.is_true() { then } else { otherwise };
                        self.eval(next, &env, item.clone(), out)
                    });
                }
                Term::As(source, binding, body) => {
                    if let Some(next) = self.bind_one(source, binding, &env, &item.value) {
                        env = next?;
                        term = body;
                        continue;
                    }
                    return self.values(source, &env, item.value.clone(), &mut |value| {
                        self.with_pattern(binding, &env, value, &mut |env| {
                            self.eval(body, env, item.clone(), out)
                        })
                    });
                }
                Term::Call(id, skip, args) => {
                    let Some(function) = self.program.functions.get(*id) else {
                        return Err(Stop::fault());
                    };
                    let mut inner = env.without(*skip);
                    for arg in args {
                        let slot = self.argument(arg, &env);
                        inner = self.bind(&inner, slot)?;
                    }
                    env = inner;
                    term = &function.body;
                }
                Term::Parameter(index) => match env.get(*index) {
                    Some(Slot::Filter(filter, outer)) => {
                        term = filter;
                        let outer = outer.clone();
                        env = outer;
                    }
                    _ => return Err(Stop::fault()),
                },
                Term::Label(body) => {
                    let label = self.label();
                    let env = self.bind(&env, Slot::Label(label))?;
                    return match self.eval(body, &env, item, out) {
                        Err(Stop::Break(to)) if to == label => Ok(()),
                        flow => flow,
                    };
                }
                Term::Break(index) => match env.get(*index) {
                    Some(Slot::Label(label)) => return Err(Stop::Break(*label)),
                    _ => return Err(Stop::fault()),
                },
                Term::Alternative(first, second) => {
                    let mut found = false;
                    // The errors of the first are silent, those of who gets its results are not.
                    let mut is_outer = false;
                    let flow = self.eval(first, &env, item.clone(), &mut |item| {
                        if !item.value.is_true() {
                            return Ok(());
                        }
                        found = true;
                        out(item).inspect_err(|_| is_outer = true)
                    });
                    match flow {
                        Err(Stop::Error(_) | Stop::Message(_)) if !is_outer => {}
                        flow => flow?,
                    }
                    if found {
                        return Ok(());
                    }
                    term = second;
                }
                Term::Try(body, handler) => {
                    let mut is_outer = false;
                    let flow = self.eval(body, &env, item.clone(), &mut |item| {
                        out(item).inspect_err(|_| is_outer = true)
                    });
                    match flow {
                        Err(stop @ (Stop::Error(_) | Stop::Message(_))) if !is_outer => {
                            let error = self.error_value(stop)?;
                            if is_break(&error) {
                                return Ok(());
                            }
                            let Some(handler) = handler else {
                                return Ok(());
                            };
                            term = handler;
                            item = Item::plain(error);
                        }
                        flow => return flow,
                    }
                }
                Term::Recurse => return self.recurse(item, out),
                Term::Each(base) => {
                    return self.eval(base, &env, item, &mut |item| self.each(item, out));
                }
                Term::Index(base, key) => {
                    return self.values(key, &env, item.value.clone(), &mut |key| {
                        self.eval(base, &env, item.clone(), &mut |found| {
                            out(self.index_item(found, key.clone())?)
                        })
                    });
                }
                Term::Slice(base, from, to) => {
                    return self.slice(base, from.as_deref(), to.as_deref(), &env, item, out);
                }
                Term::Reduce(source, binding, start, update) => {
                    return self.reduce(source, binding, (start, update), &env, item, out);
                }
                Term::Foreach(source, binding, start, update, extract) => {
                    return self.foreach(
                        source,
                        binding,
                        (start, update, extract.as_deref()),
                        &env,
                        item,
                        out,
                    );
                }
                Term::Special(special, args) => {
                    return self.special(*special, args, &env, item, out);
                }
                // What follows makes new values, which have no path.
                _ if item.path.is_some() => {
                    let shown = item.path.is_some();
                    return self.values(term, &env, item.value.clone(), &mut |value| {
                        out(Item {
                            path: shown.then(Path::lost),
                            value,
                        })
                    });
                }
                _ => return self.make(term, &env, item.value, out),
            }
        }
    }

    fn argument(&self, arg: &'t Term, env: &Env<'t>) -> Slot<'t> {
        // An argument that is only handed on is the same filter.
        if let Term::Parameter(index) = arg
            && let Some(Slot::Filter(filter, outer)) = env.get(*index)
        {
            return Slot::Filter(filter, outer.clone());
        }
        Slot::Filter(arg, env.clone())
    }

    /// The results of a filter as values.
    fn values(
        &self,
        term: &'t Term,
        env: &Env<'t>,
        value: Value,
        out: &mut dyn FnMut(Value) -> Flow,
    ) -> Flow {
        if let Some(value) = self.one(term, env, &value) {
            return out(value?);
        }
        self.eval(term, env, Item::plain(value), &mut |item| out(item.value))
    }

    /// Filters that make values, with several results.
    fn make(&self, term: &'t Term, env: &Env<'t>, value: Value, out: Out<'_>) -> Flow {
        let out = &mut |value| out(Item::plain(value));
        match term {
            Term::Array(Some(body)) => out(self.collect(body, env, value)?),
            Term::Object(entries) => self.object(entries, env, &value, Vec::new(), out),
            Term::Text(format, parts) => {
                self.text(format.as_deref(), parts, env, &value, String::new(), out)
            }
            Term::Negate(body) => {
                self.values(body, env, value, &mut |value| out(natives::negate(&value)?))
            }
            Term::Binary(operator, a, b) => self.values(b, env, value.clone(), &mut |right| {
                self.values(a, env, value.clone(), &mut |left| {
                    out(natives::binary(self, *operator, left, right.clone())?)
                })
            }),
            Term::And(a, b) => self.values(a, env, value.clone(), &mut |left| {
                if !left.is_true() {
                    return out(Value::Bool(false));
                }
                self.values(b, env, value.clone(), &mut |right| {
                    out(Value::Bool(right.is_true()))
                })
            }),
            Term::Or(a, b) => self.values(a, env, value.clone(), &mut |left| {
                if left.is_true() {
                    return out(Value::Bool(true));
                }
                self.values(b, env, value.clone(), &mut |right| {
                    out(Value::Bool(right.is_true()))
                })
            }),
            Term::Assign(..) | Term::Update(..) | Term::Operate(..) => {
                self.assign(term, env, value, out)
            }
            Term::Native(native, args) => {
                self.native(*native, args, env, &value, &mut Vec::new(), out)
            }
            _ => out(self.single(term, env, &value)?),
        }
    }

    fn native(
        &self,
        native: natives::Native,
        args: &'t [Term],
        env: &Env<'t>,
        value: &Value,
        given: &mut Vec<Value>,
        out: &mut dyn FnMut(Value) -> Flow,
    ) -> Flow {
        // The last argument is the outermost loop.
        match args.split_last() {
            Some((last, rest)) => self.values(last, env, value.clone(), &mut |arg| {
                given.push(arg);
                let flow = self.native(native, rest, env, value, given, out);
                given.pop();
                flow
            }),
            None => {
                let args: Vec<Value> = given.iter().rev().cloned().collect();
                out(native.call(self, value.clone(), &args)?)
            }
        }
    }

    fn collect(&self, body: &'t Term, env: &Env<'t>, value: Value) -> Result<Value, Stop> {
        let mut array = self.heap.array(Vec::new())?;
        self.values(body, env, value, &mut |value| {
            if let Value::Array(array) = &mut array {
                self.heap.array_mut(array)?.push(value)?;
            }
            Ok(())
        })?;
        Ok(array)
    }

    fn object(
        &self,
        entries: &'t [(Term, Term)],
        env: &Env<'t>,
        value: &Value,
        made: Vec<(Value, Value)>,
        out: &mut dyn FnMut(Value) -> Flow,
    ) -> Flow {
        let Some(((key, term), rest)) = entries.split_first() else {
            let mut map = Map::default();
            for (key, value) in made {
                if let Value::String(key) = key {
                    map.insert(key, value);
                }
            }
            return out(self.heap.object(map)?);
        };
        self.check_stack()?;
        self.values(key, env, value.clone(), &mut |key| {
            if key.as_str().is_none() {
                return Err(Stop::message(format!(
                    "Object keys must be strings, not {} ({})",
                    key.type_name(),
                    natives::shown(&key)
                )));
            }
            self.values(term, env, value.clone(), &mut |found| {
                let mut made = made.clone();
                made.push((key.clone(), found));
                self.object(rest, env, value, made, out)
            })
        })
    }

    fn text(
        &self,
        format: Option<&str>,
        parts: &'t [Part],
        env: &Env<'t>,
        value: &Value,
        before: String,
        out: &mut dyn FnMut(Value) -> Flow,
    ) -> Flow {
        let Some((part, rest)) = parts.split_first() else {
            return out(self.heap.string(before)?);
        };
        self.process.spend(before.len());
        let _room = self.heap.0.hold(before.len())?;
        match part {
            Part::Text(text) => self.text(format, rest, env, value, before + text, out),
            Part::Term(term) => self.values(term, env, value.clone(), &mut |inside| {
                let inside = natives::format(self, format.unwrap_or("@text"), inside)?;
                self.text(format, rest, env, value, before.clone() + &inside, out)
            }),
        }
    }

    /// What `try` hands to `catch`.
    pub(crate) fn error_value(&self, stop: Stop) -> Result<Value, Stop> {
        match stop {
            Stop::Error(value) => Ok(value),
            Stop::Message(text) => self.heap.string(text),
            other => Err(other),
        }
    }
}

/// `error` was given what `break` gives.
fn is_break(error: &Value) -> bool {
    matches!(error, Value::Object(object) if object.get("__jq").is_some())
}
