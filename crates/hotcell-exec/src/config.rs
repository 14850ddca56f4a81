//! `config.get.v1` and `config.list.v1`: values by key, as they were when the run began.

use std::{collections::BTreeMap, fmt, ops::Bound};

use hotcell_hopper::{
    Encode,
    selector::config::{ConfigValue, Key, KeyRequest, Keys, key_flags},
    trace::{self, Trace},
};

/// The configuration that a guest sees. It does not change while the guest runs.
#[derive(Clone)]
pub struct Config {
    values: BTreeMap<String, Entry>,
    /// Whether `config.get.v1` keeps secrets to itself.
    pub masks_secrets: bool,
    /// Whether `config.list.v1` answers.
    pub lists: bool,
    /// The longest key.
    pub max_key_len: usize,
    /// The longest value.
    pub max_val_len: usize,
    /// Keys in one list.
    pub max_items: usize,
}

#[derive(Clone)]
struct Entry {
    value: Vec<u8>,
    is_secret: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            values: BTreeMap::new(),
            masks_secrets: true,
            lists: true,
            max_key_len: 255,
            max_val_len: 32 << 10,
            max_items: 1024,
        }
    }
}

impl Config {
    /// With this value.
    #[must_use]
    pub fn value(self, key: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.with(key.into(), value.into(), false)
    }

    /// With this value, which lists only name, and which `config.get.v1` gives only if
    /// [`masks_secrets`](Self::masks_secrets) is off.
    #[must_use]
    pub fn secret(self, key: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.with(key.into(), value.into(), true)
    }

    fn with(mut self, key: String, value: Vec<u8>, is_secret: bool) -> Self {
        self.values.insert(key, Entry { value, is_secret });
        self
    }

    pub(crate) fn get(&self, params: &[u8]) -> Result<Vec<u8>, Trace> {
        let key = self.key(params)?;
        let entry = self.values.get(key).filter(|_| !key.is_empty());
        let entry = entry.ok_or(trace::CONFIG_NOT_FOUND)?;
        if entry.is_secret && self.masks_secrets {
            return Err(trace::CONFIG_REDACTED);
        }
        if entry.value.len() > self.max_val_len {
            return Err(trace::CONFIG_TOO_LARGE);
        }
        encoded(&ConfigValue(&entry.value))
    }

    pub(crate) fn list(&self, params: &[u8]) -> Result<Vec<u8>, Trace> {
        let prefix = self.key(params)?;
        if !self.lists {
            return Err(trace::CONFIG_NOT_LISTABLE);
        }
        let from = (Bound::Included(prefix), Bound::Unbounded);
        let from = self.values.range::<str, _>(from);
        let found = from.take_while(|(key, _)| key.starts_with(prefix));
        let keys: Vec<_> = found
            .take(self.max_items + 1)
            .map(|(key, entry)| Key {
                key,
                flags: key_flags::READONLY | (u32::from(entry.is_secret) * key_flags::SECRET),
            })
            .collect();
        if keys.len() > self.max_items {
            return Err(trace::ASYNC_OVERFLOW);
        }
        encoded(&Keys(&keys))
    }

    fn key<'a>(&self, params: &'a [u8]) -> Result<&'a str, Trace> {
        let request = KeyRequest::decode(params).map_err(|_| trace::ASYNC_BAD_PARAMS)?;
        let key = request.key;
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if key.len() > self.max_key_len || !key.bytes().all(is_letter) || key.contains("..") {
            return Err(trace::CONFIG_BAD_KEY);
        }
        Ok(key)
    }
}

pub(crate) fn encoded(value: &impl Encode) -> Result<Vec<u8>, Trace> {
    value.to_vec().map_err(|_| trace::ASYNC_OVERFLOW)
}

impl fmt::Debug for Config {
    /// Keys alone: values may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}
