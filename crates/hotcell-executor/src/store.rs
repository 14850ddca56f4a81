//! `store(key, value)` and `load(key)`: small values that outlive cells, in the hands of the host.

use std::{
    collections::BTreeMap,
    fmt,
    future::{Future, ready},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use hotcell_cell::{Tool, ToolCall, ToolError, Value};
use hotcell_prompt::ToolSpec;
use serde_json::json;

use crate::{hooks::Hooks, options::ExecutorOptions, tool::AgentTool};

/// The longest key.
const MAX_KEY_BYTES: usize = 256;
/// What an entry takes beside its key and value.
const ENTRY_BYTES: usize = 128;

/// What a store does, in its time.
pub type StoreFuture<'s, T> = Pin<Box<dyn Future<Output = Result<T, ToolError>> + Send + 's>>;

/// Where `store(key, value)` puts values and `load(key)` finds them: [`ExecutorOptions::store`].
///
/// Code waits for it, and gets an error of its own where this gives one. Keys have at most 256 bytes; keys and values come from
/// code and mean nothing.
pub trait Store: Send + Sync {
    /// The value of a key; `None` if it has none.
    fn load<'s>(&'s self, key: &'s str) -> StoreFuture<'s, Option<Value>>;

    /// Keeps a value under a key, in place of an earlier one. `None` takes the key away.
    fn store<'s>(&'s self, key: &'s str, value: Option<Value>) -> StoreFuture<'s, ()>;
}

/// A [`Store`] in memory. Cheap to clone; clones are one, so that several executors may share it.
#[derive(Clone)]
pub struct MemoryStore {
    state: Arc<Mutex<State>>,
    max_bytes: usize,
}

#[derive(Default)]
struct State {
    values: BTreeMap<String, (Arc<Value>, usize)>,
    bytes: usize,
}

impl MemoryStore {
    /// An empty one that holds at most so many bytes.
    pub fn new(max_bytes: usize) -> Self {
        Self {
            state: Arc::default(),
            max_bytes,
        }
    }

    /// How many bytes it holds.
    pub fn bytes(&self) -> usize {
        self.state().bytes
    }

    /// The keys that have values, in their order.
    pub fn keys(&self) -> Vec<String> {
        self.state().values.keys().cloned().collect()
    }

    fn get(&self, key: &str) -> Option<Value> {
        let value = {
            let state = self.state();
            state.values.get(key).map(|(value, _)| Arc::clone(value))
        };
        // A copy takes a while, and is not made behind the lock.
        value.map(|value| (*value).clone())
    }

    fn put(&self, key: &str, value: Option<Value>) -> Result<(), ToolError> {
        let value = value.map(|value| {
            let bytes = ENTRY_BYTES + key.len() + value.heap_size();
            (Arc::new(value), bytes)
        });
        let new = value.as_ref().map_or(0, |(_, bytes)| *bytes);
        let mut state = self.state();
        let old = state.values.get(key).map_or(0, |(_, bytes)| *bytes);
        let with = (state.bytes - old).saturating_add(new);
        let most = self.max_bytes;
        if with > most && new > old {
            let used = state.bytes;
            drop(state);
            return Err(ToolError::new(
                "RangeError",
                format!(
                    "the store holds {used} of {most} bytes (maxStoreBytes), and with this value it would be {with}: store less, or take something away with store(key, undefined)"
                ),
            ));
        }
        state.bytes = with;
        let dropped = match value {
            Some(value) => state.values.insert(key.to_owned(), value),
            None => state.values.remove(key),
        };
        drop(state);
        drop(dropped);
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore")
            .field("bytes", &self.bytes())
            .field("max_bytes", &self.max_bytes)
            .finish_non_exhaustive()
    }
}

impl Store for MemoryStore {
    fn load<'s>(&'s self, key: &'s str) -> StoreFuture<'s, Option<Value>> {
        Box::pin(ready(Ok(self.get(key))))
    }

    fn store<'s>(&'s self, key: &'s str, value: Option<Value>) -> StoreFuture<'s, ()> {
        Box::pin(ready(self.put(key, value)))
    }
}

/// Both functions, for an executor that has a store.
pub(crate) fn tools(hooks: &Arc<Hooks>, store: &Arc<dyn Store>) -> [(&'static str, AgentTool); 2] {
    let options = Arc::clone(&hooks.options);
    let to = Arc::clone(store);
    let put = Tool::blocking(move |call| {
        let (options, to) = (Arc::clone(&options), Arc::clone(&to));
        async move {
            let key = key_of(&call)?;
            let value = call.argument(1);
            check_size(&key, value, &options)?;
            let value = (!value.is_undefined()).then(|| value.clone());
            to.store(&key, value).await?;
            Ok(Value::Undefined)
        }
    });
    let from = Arc::clone(store);
    let get = Tool::blocking(move |call| {
        let from = Arc::clone(&from);
        async move {
            let key = key_of(&call)?;
            let value = from.load(&key).await?;
            Ok(value.unwrap_or(Value::Undefined))
        }
    });
    let key = json!({ "type": "string", "maxLength": MAX_KEY_BYTES });
    let spec = |description: &str, parameters, returns| {
        ToolSpec::default()
            .description(description)
            .parameters(parameters)
            .returns(returns)
            .positional()
    };
    let of_put = spec(
        "Keeps a value for later code; undefined takes it away.",
        json!({ "type": "object", "properties": { "key": key, "value": {} }, "required": ["key", "value"] }),
        json!({ "type": "null" }),
    );
    let of_get = spec(
        "What store(key, value) kept, or undefined.",
        json!({ "type": "object", "properties": { "key": key }, "required": ["key"] }),
        json!({}),
    );
    [
        ("store", AgentTool::own(put, of_put)),
        ("load", AgentTool::own(get, of_get)),
    ]
}

fn key_of(call: &ToolCall) -> Result<String, ToolError> {
    let key = match call.argument(0) {
        Value::String(key) => key.as_str().filter(|key| !key.is_empty()),
        _ => None,
    };
    let key =
        key.ok_or_else(|| ToolError::new("TypeError", "the key must be a text that is not empty"))?;
    if key.len() > MAX_KEY_BYTES {
        return Err(ToolError::new(
            "RangeError",
            format!("the key has {} bytes: at most {MAX_KEY_BYTES}", key.len()),
        ));
    }
    Ok(key.to_owned())
}

/// Whatever store it is, code cannot give it more at once than it is said to hold.
fn check_size(key: &str, value: &Value, options: &ExecutorOptions) -> Result<(), ToolError> {
    let bytes = ENTRY_BYTES + key.len() + value.heap_size();
    let most = options.max_store_bytes;
    if bytes <= most {
        return Ok(());
    }
    Err(ToolError::new(
        "RangeError",
        format!(
            "the value takes {bytes} bytes, and a store {most} in all (maxStoreBytes): store less"
        ),
    ))
}
