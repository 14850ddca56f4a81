//! What the host knows of a cell, on its way into a snapshot and out of it.

use std::{collections::HashMap, sync::Arc};

use hotcell_meter::Account;

use super::SnapshotError;
use crate::{
    cell::{MAX_TOOLS, is_slot_name},
    held::{Arguments, Held, over_limit, room},
    host::{Host, PendingCall, ToolSlot, read_values},
    tool::{Answer, ToolError, is_kind_number},
    value::Value,
    wire::{Budget, Reader, WireError, put_number, put_value},
};

/// More is not read, whatever the account would have room for.
const MAX_STATE: usize = 64 << 20;

/// What the host knows of a cell.
pub(crate) struct State {
    pub(crate) memory_size: usize,
    pub(crate) is_running: bool,
    tools: Vec<(Arc<str>, u8)>,
    calls: HashMap<u32, PendingCall>,
    answers: Vec<(u32, Held<Answer>)>,
}

impl State {
    pub(crate) fn of(host: &Host, is_running: bool, memory_size: usize) -> Self {
        Self {
            memory_size,
            is_running,
            tools: host
                .calls
                .tools
                .iter()
                .map(|slot| (Arc::clone(&slot.name), slot.kind))
                .collect(),
            calls: host.calls.pending.clone(),
            answers: host.calls.answers.iter().cloned().collect(),
        }
    }

    pub(crate) fn apply(self, host: &mut Host) {
        host.calls.tools = self
            .tools
            .into_iter()
            .map(|(name, kind)| ToolSlot {
                name,
                tool: None,
                kind,
            })
            .collect();
        host.calls.pending = self.calls;
        host.calls.answers = self.answers.into();
    }

    /// The most bytes that it may take, when what it keeps is charged to `account`.
    pub(super) fn limit(account: &Account) -> usize {
        MAX_STATE.min(room(account))
    }

    /// The error for one that takes more.
    pub(super) fn too_large(account: &Account) -> SnapshotError {
        over_limit(account, Self::limit(account))
            .map_or(SnapshotError::Malformed, SnapshotError::HostMemory)
    }

    /// As a value, since there is a checked codec for those.
    pub(super) fn to_value(&self) -> Value {
        let tools = self
            .tools
            .iter()
            .map(|(name, kind)| Value::array([Value::from(&**name), Value::from(*kind)]));
        let mut calls: Vec<_> = self.calls.iter().collect();
        calls.sort_by_key(|(id, _)| **id);
        let calls = calls.into_iter().map(|(id, call)| {
            Value::array([
                Value::from(*id),
                Value::from(&*call.tool),
                pack(&call.arguments),
            ])
        });
        let answers = self.answers.iter().map(|(id, answer)| {
            let (ok, value) = match &**answer {
                Ok(value) => (true, pack(std::slice::from_ref(value))),
                Err(error) => (false, pack(&[Value::Error(error.error.clone())])),
            };
            Value::array([Value::from(*id), Value::Bool(ok), value])
        });
        #[expect(clippy::cast_precision_loss, reason = "at most 4 GiB")]
        let memory_size = self.memory_size as f64;
        Value::array([
            Value::Number(memory_size),
            Value::Bool(self.is_running),
            Value::array(tools),
            Value::array(calls),
            Value::array(answers),
        ])
    }

    /// Reads what [`State::to_value`] made, or anybody else. What is kept of it is charged to `account`.
    pub(super) fn read(bytes: &[u8], account: &Account) -> Result<Self, SnapshotError> {
        let budget = Budget::bytes(Self::limit(account));
        let mut reader = Reader::new(bytes, budget);
        let value = reader
            .value()
            .and_then(|value| reader.finish().map(|()| value));
        match value {
            Ok(value) => Self::from_value(value, account),
            Err(error) => Err(refused(error, account)),
        }
    }

    fn from_value(value: Value, account: &Account) -> Result<Self, SnapshotError> {
        let [memory_size, is_running, tools, calls, answers] = array(value)?;
        let memory_size = memory_size
            .as_f64()
            .filter(|size| (0.0..=4_294_967_296.0).contains(size))
            .ok_or(SnapshotError::Malformed)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked above"
        )]
        let memory_size = memory_size as usize;
        let mut state = Self {
            memory_size,
            is_running: is_running.as_bool().ok_or(SnapshotError::Malformed)?,
            tools: list(tools, read_tool)?,
            calls: HashMap::new(),
            answers: Vec::new(),
        };
        for (id, call) in list(calls, |call| read_call(call, account))? {
            if state.calls.insert(id, call).is_some() {
                return Err(SnapshotError::Malformed);
            }
        }
        state.answers = list(answers, |answer| read_answer(answer, account))?;
        for (id, _) in &state.answers {
            match state.calls.get_mut(id) {
                Some(call) if !call.is_answered => call.is_answered = true,
                _ => return Err(SnapshotError::Malformed),
            }
        }
        if state.tools.len() > MAX_TOOLS {
            return Err(SnapshotError::Malformed);
        }
        Ok(state)
    }

    /// How many calls have no answer.
    pub(super) fn outstanding(&self) -> usize {
        self.calls.len()
    }
}

fn read_tool(tool: Value) -> Result<(Arc<str>, u8), SnapshotError> {
    let [name, kind] = array(tool)?;
    let name = name.as_str().filter(|name| is_slot_name(name));
    let kind = u8::try_from(index(&kind)?)
        .ok()
        .filter(|kind| is_kind_number(*kind));
    match (name, kind) {
        (Some(name), Some(kind)) => Ok((Arc::from(name), kind)),
        _ => Err(SnapshotError::Malformed),
    }
}

fn read_call(call: Value, account: &Account) -> Result<(u32, PendingCall), SnapshotError> {
    let [id, tool, arguments] = array(call)?;
    let tool = tool.as_str().filter(|name| is_slot_name(name));
    let (values, charge) = unpack(&arguments, account)?;
    let call = PendingCall {
        tool: Arc::from(tool.ok_or(SnapshotError::Malformed)?),
        arguments: Arguments::charged(values, charge),
        has_future: false,
        is_answered: false,
    };
    Ok((index(&id)?, call))
}

fn read_answer(answer: Value, account: &Account) -> Result<(u32, Held<Answer>), SnapshotError> {
    let [id, ok, value] = array(answer)?;
    let (mut values, charge) = unpack(&value, account)?;
    let answer = match (ok.as_bool(), values.pop()) {
        (Some(true), Some(value)) => Ok(value),
        (Some(false), Some(Value::Error(error))) => Err(ToolError::from(error)),
        _ => return Err(SnapshotError::Malformed),
    };
    Ok((index(&id)?, Held::charged(answer, charge)))
}

/// Values as bytes: each counts its objects for itself, which it could not do inside a larger value.
fn pack(values: &[Value]) -> Value {
    let mut bytes = Vec::new();
    put_number(&mut bytes, values.len() as u64);
    for value in values {
        // What cannot be encoded could not have come from a cell.
        if put_value(&mut bytes, value).is_err() {
            bytes.push(0);
        }
    }
    Value::Buffer(bytes)
}

fn unpack(
    value: &Value,
    account: &Account,
) -> Result<(Vec<Value>, hotcell_meter::Charge), SnapshotError> {
    let Value::Buffer(bytes) = value else {
        return Err(SnapshotError::Malformed);
    };
    let budget = Budget::bytes(State::limit(account));
    let mut reader = Reader::new(bytes, budget);
    let values = read_values(&mut reader).map_err(|error| refused(error, account))?;
    let charge = account
        .charge(budget.less(reader.left()))
        .map_err(SnapshotError::HostMemory)?;
    Ok((values, charge))
}

fn refused(error: WireError, account: &Account) -> SnapshotError {
    match error {
        WireError::TooLarge => State::too_large(account),
        _ => SnapshotError::Malformed,
    }
}

fn array<const N: usize>(value: Value) -> Result<[Value; N], SnapshotError> {
    match value {
        Value::Array(elements) => elements.try_into().map_err(|_| SnapshotError::Malformed),
        _ => Err(SnapshotError::Malformed),
    }
}

fn list<T>(
    value: Value,
    read: impl Fn(Value) -> Result<T, SnapshotError>,
) -> Result<Vec<T>, SnapshotError> {
    match value {
        Value::Array(elements) => elements.into_iter().map(read).collect(),
        _ => Err(SnapshotError::Malformed),
    }
}

fn index(value: &Value) -> Result<u32, SnapshotError> {
    let number = value.as_f64().ok_or(SnapshotError::Malformed)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "compared with the original"
    )]
    let integer = number as u32;
    if f64::from(integer).to_bits() == number.to_bits() {
        Ok(integer)
    } else {
        Err(SnapshotError::Malformed)
    }
}
