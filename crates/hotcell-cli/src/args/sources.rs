//! What the code is given: variables, modules, time and chance.

use std::path::PathBuf;
use std::str::FromStr;

use hotcell::cell::{Clock, Random, Timers, Value};
use hotcell::json::from_json;

/// `name=json`.
#[derive(Clone)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) value: Value,
}

impl FromStr for Assignment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, json) = text
            .split_once('=')
            .ok_or("expected name=json, such as count=3 or city='\"Oslo\"'")?;
        let json = serde_json::from_str(json).map_err(|error| {
            format!("the value of {name} is not JSON ({error}); a text needs its quotes, such as {name}='\"text\"'")
        })?;
        let value = from_json(&json).map_err(|error| error.within(name).to_string())?;
        Ok(Self {
            name: name.to_owned(),
            value,
        })
    }
}

/// `name=path`.
#[derive(Clone)]
pub(crate) struct ImportArg {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

impl FromStr for ImportArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok(Self {
                name: name.to_owned(),
                path: path.into(),
            }),
            _ => Err("expected name=path, such as lodash=vendor/lodash.mjs".into()),
        }
    }
}

/// `name`, or `name=path`.
#[derive(Clone)]
pub(crate) struct KnownImport {
    pub(crate) name: String,
    pub(crate) path: Option<PathBuf>,
}

impl FromStr for KnownImport {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, path) = match text.split_once('=') {
            Some((name, path)) => (name, Some(path.into())),
            None => (text, None),
        };
        if name.trim().is_empty() {
            return Err("expected name or name=path, such as lodash=vendor/lodash.mjs".into());
        }
        Ok(Self {
            name: name.to_owned(),
            path,
        })
    }
}

pub(super) fn parse_clock(text: &str) -> Result<Clock, String> {
    match text {
        "none" => Ok(Clock::Off),
        "real" => Ok(Clock::Real),
        _ => text
            .parse::<i64>()
            .ok()
            .filter(|ms| ms.abs() <= 8_640_000_000_000_000)
            // Exact: the range is below 2^53.
            .map(|ms| {
                #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
                Clock::Fixed(ms as f64)
            })
            .ok_or_else(|| "expected none, real, or milliseconds since 1970".into()),
    }
}

pub(super) fn parse_random(text: &str) -> Result<Random, String> {
    match text {
        "none" => Ok(Random::Off),
        "real" => Ok(Random::Real),
        _ => text
            .parse()
            .map(Random::Seeded)
            .map_err(|_| "expected none, real, or a whole number as the seed".into()),
    }
}

pub(super) fn parse_timers(text: &str) -> Result<Timers, String> {
    match text {
        "none" => Ok(Timers::Off),
        "run" => Ok(Timers::On),
        "persist" => Ok(Timers::Persistent),
        _ => Err("expected none, run or persist".into()),
    }
}
