//! Options as the contract writes them: a JSON object with names in camelCase.

use std::time::Duration;

use hotcell_cell::{Clock, Level, Random, SnapshotKey, Timers};
use serde_json::{Map, Value as Json, json};

use super::{Concurrency, ExecutorOptions};
use crate::{
    isolation::Isolation, module::Module, output::millis, shorten::shorten, store::MemoryStore,
};

/// Why an object is not a set of options.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// It is not even an object.
    #[error("options must be an object")]
    NotAnObject,
    /// There is no such option.
    #[error("unknown option {name:?}: the options are {}", NAMES.join(", "))]
    Unknown {
        /// The name that was given.
        name: String,
    },
    /// The value is of the wrong kind, or outside its range.
    #[error("option {name} is {value}: it must be {expected}")]
    Value {
        /// Which option.
        name: &'static str,
        /// What was given.
        value: String,
        /// What may be.
        expected: &'static str,
    },
}

const NAMES: [&str; 30] = [
    "maxOperations",
    "timeoutMs",
    "cpuTimeMs",
    "runConcurrency",
    "maxQueuedRuns",
    "authorizedImports",
    "maxLogBytes",
    "collectConsoleLevels",
    "memoryLimitBytes",
    "maxHostMemoryBytes",
    "clock",
    "random",
    "timers",
    "maxCodeBytes",
    "maxResultBytes",
    "maxToolCalls",
    "maxToolCallsInFlight",
    "pauseClockDuringTools",
    "isolation",
    "requireJail",
    "modules",
    "snapshotKey",
    "maxSnapshotBytes",
    "maxBackgroundRuns",
    "content",
    "maxContentItems",
    "maxContentBytes",
    "maxNotifications",
    "store",
    "maxStoreBytes",
];

/// Shorter ones are easy to guess.
const LEAST_KEY: usize = 16;

/// Up to here every whole number is one for JavaScript too.
const LARGEST: u64 = (1 << 53) - 1;

impl ExecutorOptions {
    /// Reads the options of `executor.create`. `null` stands for an option that is left out, but for `timeoutMs` beside
    /// `cpuTimeMs`: then a run may take as long as it likes.
    ///
    /// ```
    /// use hotcell_executor::ExecutorOptions;
    /// use serde_json::json;
    ///
    /// assert!(ExecutorOptions::from_json(&json!({ "timeoutMs": 500, "clock": { "fixed": 0 } })).is_ok());
    /// let error = ExecutorOptions::from_json(&json!({ "maxLogBytes": 10 })).unwrap_err();
    /// assert_eq!(error.to_string(), "option maxLogBytes is 10: it must be a whole number of at least 1024");
    /// ```
    pub fn from_json(options: &Json) -> Result<Self, OptionsError> {
        let mut result = Self::default();
        let Json::Object(options) = options else {
            return Err(OptionsError::NotAnObject);
        };
        for (name, value) in options {
            let known = NAMES.iter().find(|known| *known == name);
            let Some(&name) = known else {
                return Err(OptionsError::Unknown { name: name.clone() });
            };
            if !value.is_null() {
                result.set(&Given { name, value })?;
            }
        }
        if options.get("store") == Some(&Json::Bool(true)) {
            // Once it is known how much it may hold.
            let store = MemoryStore::new(result.max_store_bytes);
            result = result.store(store);
        }
        if options.get("timeoutMs").is_some_and(Json::is_null) && result.cpu_time.is_some() {
            result.timeout_ms = None;
        }
        Ok(result)
    }

    fn set(&mut self, given: &Given<'_>) -> Result<(), OptionsError> {
        match given.name {
            // Anything may be given here: the run reports what is wrong with it, under a rule of its own.
            "maxOperations" => self.max_operations = given.value.as_f64().unwrap_or(f64::NAN),
            "timeoutMs" => self.timeout_ms = Some(given.value.as_f64().unwrap_or(f64::NAN)),
            "cpuTimeMs" => self.cpu_time = Some(given.time()?),
            "runConcurrency" => {
                self.run_concurrency = match given.value.as_str() {
                    Some("reject") => Concurrency::Reject,
                    Some("queue") => Concurrency::Queue,
                    _ => return Err(given.must_be("\"reject\" or \"queue\"")),
                }
            }
            "maxQueuedRuns" => self.max_queued_runs = Some(given.size(0)?),
            "authorizedImports" => self.authorized_imports = given.names()?,
            "maxLogBytes" => self.max_log_bytes = given.size(1024)?,
            "collectConsoleLevels" => self.collect_console_levels = given.levels()?,
            "memoryLimitBytes" => self.memory_limit = given.size(1)? as u64,
            "maxHostMemoryBytes" => self.max_host_memory = Some(given.size(1 << 20)?),
            "clock" => self.clock = given.clock()?,
            "random" => self.random = given.random()?,
            "timers" => self.timers = given.timers()?,
            "maxSnapshotBytes" => self.max_snapshot_bytes = given.size(1)?,
            "maxBackgroundRuns" => self.max_background_runs = given.size(0)?,
            "maxCodeBytes" => self.max_code_bytes = given.size(1)?,
            "maxResultBytes" => self.max_result_bytes = given.size(1)?,
            "maxToolCalls" => self.max_tool_calls = given.size(0)?,
            "maxToolCallsInFlight" => self.max_tool_calls_in_flight = given.size(1)?,
            "pauseClockDuringTools" => self.pause_clock_during_tools = given.flag()?,
            "content" => self.content = given.flag()?,
            "maxContentItems" => self.max_content_items = given.size(0)?,
            "maxContentBytes" => self.max_content_bytes = given.size(1)?,
            "maxNotifications" => self.max_notifications = given.size(0)?,
            // It is made in the end.
            "store" => _ = given.flag()?,
            "maxStoreBytes" => self.max_store_bytes = given.size(1)?,
            "isolation" => {
                let isolation = given.value.as_str().and_then(Isolation::from_name);
                self.isolation =
                    isolation.ok_or_else(|| given.must_be("\"thread\" or \"process\""))?;
            }
            "requireJail" => self.require_jail = given.flag()?,
            "snapshotKey" => self.snapshot_key = Some(given.key()?),
            "modules" => self.modules = given.sources()?,
            // In `NAMES`, and nobody has said what it sets.
            name => return Err(OptionsError::Unknown { name: name.into() }),
        }
        Ok(())
    }

    /// The options as the contract writes them. Hooks, rules and transforms are code and not among them, and the key of
    /// snapshots is nobody's business.
    pub fn to_json(&self) -> Json {
        let clock = match self.clock {
            Clock::Off => json!("none"),
            Clock::Real => json!("real"),
            Clock::Fixed(time) => json!({ "fixed": time }),
        };
        let random = match self.random {
            Random::Off => json!("none"),
            Random::Real => json!("real"),
            Random::Seeded(seed) => json!({ "seed": seed }),
        };
        let timers = match self.timers {
            Timers::Off => json!(false),
            Timers::On => json!(true),
            Timers::Persistent => json!({ "persist": true }),
        };
        let levels = self.collect_console_levels.iter();
        let modules = self.modules.iter();
        let modules = modules.map(|(name, module)| (name.clone(), module.to_json()));
        let mut options = json!({
            "maxOperations": number(self.max_operations),
            "timeoutMs": self.timeout_ms.map(number),
            "runConcurrency": self.run_concurrency.as_str(),
            "maxQueuedRuns": self.queue_length(),
            "authorizedImports": self.authorized_imports,
            "maxLogBytes": self.max_log_bytes,
            "collectConsoleLevels": levels.map(|level| level.as_str()).collect::<Vec<_>>(),
            "memoryLimitBytes": self.memory_limit,
            "maxHostMemoryBytes": self.host_memory(),
            "clock": clock,
            "random": random,
            "timers": timers,
            "maxCodeBytes": self.max_code_bytes,
            "maxResultBytes": self.max_result_bytes,
            "maxToolCalls": self.max_tool_calls,
            "maxToolCallsInFlight": self.max_tool_calls_in_flight,
            "pauseClockDuringTools": self.pause_clock_during_tools,
            "isolation": self.isolation.name(),
            "requireJail": self.require_jail,
            "modules": modules.collect::<Map<_, _>>(),
            "maxSnapshotBytes": self.max_snapshot_bytes,
            "maxBackgroundRuns": self.max_background_runs,
            "content": self.content,
            "maxContentItems": self.max_content_items,
            "maxContentBytes": self.max_content_bytes,
            "maxNotifications": self.max_notifications,
            "store": self.has_store(),
            "maxStoreBytes": self.max_store_bytes,
        });
        if let Some(time) = self.cpu_time {
            options["cpuTimeMs"] = number(millis(time));
        }
        options
    }
}

/// A whole number without a fraction, and something that is no number at all for what JSON cannot say.
#[expect(clippy::cast_possible_truncation, reason = "checked to be whole")]
fn number(number: f64) -> Json {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        json!(number as i64)
    } else if number.is_finite() {
        json!(number)
    } else {
        json!(number.to_string())
    }
}

/// An option as it was given.
struct Given<'a> {
    name: &'static str,
    value: &'a Json,
}

impl Given<'_> {
    fn must_be(&self, expected: &'static str) -> OptionsError {
        OptionsError::Value {
            name: self.name,
            value: shorten(&self.value.to_string(), 80).into_owned(),
            expected,
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "the range is checked"
    )]
    fn size(&self, least: u64) -> Result<usize, OptionsError> {
        let number = self.value.as_f64().unwrap_or(f64::NAN);
        if number.fract() == 0.0 && number >= least as f64 && number <= LARGEST as f64 {
            return Ok(number as usize);
        }
        Err(self.must_be(match least {
            0 => "a whole number of at least 0",
            1 => "a whole number of at least 1",
            0x10_0000 => "a whole number of at least 1048576",
            _ => "a whole number of at least 1024",
        }))
    }

    fn flag(&self) -> Result<bool, OptionsError> {
        let flag = self.value.as_bool();
        flag.ok_or_else(|| self.must_be("true or false"))
    }

    fn strings(&self, expected: &'static str) -> Result<Vec<&str>, OptionsError> {
        let strings = self
            .value
            .as_array()
            .and_then(|values| values.iter().map(Json::as_str).collect());
        strings.ok_or_else(|| self.must_be(expected))
    }

    fn names(&self) -> Result<Vec<String>, OptionsError> {
        const EXPECTED: &str = "an array of module names, none of them empty";
        let names = self.strings(EXPECTED)?;
        if names.iter().any(|name| name.trim().is_empty()) {
            return Err(self.must_be(EXPECTED));
        }
        Ok(names.into_iter().map(str::to_owned).collect())
    }

    fn levels(&self) -> Result<Vec<Level>, OptionsError> {
        const EXPECTED: &str = "an array of \"log\", \"info\", \"warn\", \"error\"";
        let level = |name: &str| match name {
            "log" => Ok(Level::Log),
            "info" => Ok(Level::Info),
            "warn" => Ok(Level::Warn),
            "error" => Ok(Level::Error),
            _ => Err(self.must_be(EXPECTED)),
        };
        self.strings(EXPECTED)?.into_iter().map(level).collect()
    }

    /// A secret. It is not repeated in errors.
    fn key(&self) -> Result<SnapshotKey, OptionsError> {
        let secret = self.value.as_str().filter(|key| key.len() >= LEAST_KEY);
        secret
            .map(SnapshotKey::from_secret)
            .ok_or(OptionsError::Value {
                name: self.name,
                value: "not usable".into(),
                expected: "a text of at least 16 bytes that is hard to guess",
            })
    }

    fn clock(&self) -> Result<Clock, OptionsError> {
        match (self.value.as_str(), self.only("fixed")) {
            (Some("none"), _) => Ok(Clock::Off),
            (Some("real"), _) => Ok(Clock::Real),
            (_, Some(time)) if time.is_number() => {
                Ok(Clock::Fixed(time.as_f64().unwrap_or_default()))
            }
            _ => Err(self.must_be("\"none\", \"real\" or {\"fixed\": milliseconds}")),
        }
    }

    /// A time in milliseconds.
    fn time(&self) -> Result<Duration, OptionsError> {
        let millis = self.value.as_f64().filter(|millis| *millis >= 1.0);
        let time = millis.and_then(|millis| Duration::try_from_secs_f64(millis / 1000.0).ok());
        time.ok_or_else(|| self.must_be("a number of at least 1"))
    }

    fn timers(&self) -> Result<Timers, OptionsError> {
        let persist = self.only("persist").and_then(Json::as_bool);
        match (self.value.as_bool(), persist) {
            (Some(false), _) => Ok(Timers::Off),
            (Some(true), _) | (_, Some(false)) => Ok(Timers::On),
            (_, Some(true)) => Ok(Timers::Persistent),
            _ => Err(self.must_be("true, false or {\"persist\": true or false}")),
        }
    }

    fn random(&self) -> Result<Random, OptionsError> {
        let seed = self.only("seed").and_then(Json::as_u64);
        match (self.value.as_str(), seed) {
            (Some("none"), _) => Ok(Random::Off),
            (Some("real"), _) => Ok(Random::Real),
            (_, Some(seed)) => Ok(Random::Seeded(seed)),
            _ => Err(self.must_be("\"none\", \"real\" or {\"seed\": whole number}")),
        }
    }

    /// The value of the one key of an object.
    fn only(&self, key: &str) -> Option<&Json> {
        let object = self.value.as_object().filter(|object| object.len() == 1)?;
        object.get(key)
    }

    fn sources(&self) -> Result<std::collections::BTreeMap<String, Module>, OptionsError> {
        let sources = self.value.as_object().and_then(|modules: &Map<_, _>| {
            let one = |(name, source): (&String, &Json)| {
                Some((name.clone(), Module::source(source.as_str()?)))
            };
            modules.iter().map(one).collect()
        });
        sources.ok_or_else(|| self.must_be("an object of module sources by name"))
    }
}
