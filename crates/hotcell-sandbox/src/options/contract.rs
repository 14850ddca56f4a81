//! Options as other languages write them: a JSON object with names in camelCase.

mod network;
mod programs;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hotcell_cell::{Random, SnapshotKey};
use hotcell_vfs::{Clock, Timestamp};
use serde_json::Value as Json;

use super::{Concurrency, SandboxOptions};
use crate::{boundary::Isolation, mount::Mount};

/// Why an object is not a set of options.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// It is not even an object.
    #[error("options must be an object")]
    NotAnObject,
    /// There is no such option.
    #[error("unknown option {name:?}: the options are {}", known.join(", "))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The names that there are.
        known: &'static [&'static str],
    },
    /// The value is of the wrong kind, or outside its range.
    #[error("option {name} is {value}: it must be {expected}")]
    Value {
        /// Which option.
        name: String,
        /// What was given.
        value: String,
        /// What may be.
        expected: &'static str,
    },
    /// A part of a value is wrong. The rest of it is not repeated, as a secret may stand there.
    #[error("option {name}: {problem}")]
    Part {
        /// Which option.
        name: &'static str,
        /// What is wrong.
        problem: String,
    },
}

const NAMES: &[&str] = &[
    "timeoutMs",
    "limits",
    "env",
    "cwd",
    "files",
    "mounts",
    "allowedCommands",
    "programs",
    "network",
    "clock",
    "random",
    "concurrency",
    "isolation",
    "requireJail",
    "snapshotKey",
];

const LIMITS: &[&str] = &[
    "commandBytes",
    "outputBytes",
    "files",
    "fileBytes",
    "processes",
    "descriptors",
    "memoryBytes",
    "timeMs",
    "cpuTimeMs",
    "recursion",
    "queuedRuns",
    "history",
];

/// Shorter ones are easy to guess.
const LEAST_KEY: usize = 16;

/// Up to here every whole number is one for JavaScript too.
const LARGEST: f64 = 9_007_199_254_740_991.0;

impl SandboxOptions {
    /// Reads the options of `sandbox.create`. `null` stands for an option that is left out.
    ///
    /// ```
    /// use hotcell_sandbox::SandboxOptions;
    /// use serde_json::json;
    ///
    /// let options = json!({ "timeoutMs": 500, "limits": { "files": 100 }, "files": { "a.txt": "hello" } });
    /// assert!(SandboxOptions::from_json(&options).is_ok());
    /// let error = SandboxOptions::from_json(&json!({ "limits": { "files": -1 } })).unwrap_err();
    /// assert_eq!(error.to_string(), "option limits.files is -1: it must be a whole number of at least 0");
    /// ```
    pub fn from_json(options: &Json) -> Result<Self, OptionsError> {
        let mut result = Self::default();
        for given in Given::all("", options, NAMES)? {
            result.set(&given)?;
        }
        Ok(result)
    }

    fn set(&mut self, given: &Given<'_>) -> Result<(), OptionsError> {
        match given.key {
            "timeoutMs" => self.limits.time = given.time()?,
            "limits" => {
                if !given.value.is_object() {
                    return Err(given.must_be("an object of limits by name"));
                }
                for limit in Given::all("limits.", given.value, LIMITS)? {
                    self.set_limit(&limit)?;
                }
            }
            "env" => {
                for (name, value) in given.texts()? {
                    self.environment.insert(name.into(), value.into());
                }
            }
            "cwd" => {
                let cwd = given.text("an absolute path")?;
                if !cwd.starts_with('/') || cwd.contains('\0') {
                    return Err(given.must_be("an absolute path"));
                }
                self.cwd = cwd.into();
            }
            "files" => {
                for (path, content) in given.contents()? {
                    self.files.push((path.into(), content));
                }
            }
            "mounts" => {
                for (path, mount) in given.mounts()? {
                    self.mounts.push((path.into(), mount));
                }
            }
            "allowedCommands" => {
                let names = given.names()?;
                let names = names.into_iter().map(bstr::BString::from);
                self.allowed = Some(Arc::new(names.collect()));
            }
            "programs" => self.set_programs(given)?,
            "network" => {
                let network = network::read(given.value)?;
                self.network = Some(Arc::new(network));
            }
            "clock" => self.clock = given.clock()?,
            "random" => self.random = given.random()?,
            "concurrency" => {
                self.concurrency = match given.value.as_str() {
                    Some("queue") => Concurrency::Queue,
                    Some("refuse") => Concurrency::Refuse,
                    _ => return Err(given.must_be("\"queue\" or \"refuse\"")),
                }
            }
            "isolation" => {
                let isolation = given.value.as_str().and_then(Isolation::from_name);
                self.isolation =
                    isolation.ok_or_else(|| given.must_be("\"thread\" or \"process\""))?;
            }
            "requireJail" => {
                let require = given.value.as_bool();
                self.require_jail = require.ok_or_else(|| given.must_be("true or false"))?;
            }
            _ => self.snapshot_key = Some(given.secret()?),
        }
        Ok(())
    }

    fn set_limit(&mut self, given: &Given<'_>) -> Result<(), OptionsError> {
        let limits = &mut self.limits;
        match given.key {
            "commandBytes" => limits.command_bytes = given.size()?,
            "outputBytes" => limits.output_bytes = given.size()?,
            "files" => limits.files = given.size()? as u64,
            "fileBytes" => limits.file_bytes = given.size()? as u64,
            "processes" => limits.processes = given.size()?,
            "descriptors" => limits.descriptors = given.size()?,
            "memoryBytes" => limits.memory = given.size()?,
            "timeMs" => limits.time = given.time()?,
            "cpuTimeMs" => limits.cpu_time = given.time()?,
            "recursion" => limits.recursion = given.size()?,
            "queuedRuns" => limits.queued_runs = given.size()?,
            _ => limits.history = given.size()?,
        }
        Ok(())
    }
}

/// An option as it was given.
struct Given<'a> {
    /// Before its name, for messages.
    group: &'static str,
    key: &'static str,
    value: &'a Json,
}

impl<'a> Given<'a> {
    /// Those of an object that are not left out.
    fn all(
        group: &'static str,
        object: &'a Json,
        known: &'static [&'static str],
    ) -> Result<Vec<Self>, OptionsError> {
        let Json::Object(object) = object else {
            return Err(OptionsError::NotAnObject);
        };
        let mut all = Vec::new();
        for (name, value) in object {
            let Some(&key) = known.iter().find(|known| *known == name) else {
                let name = format!("{group}{name}");
                return Err(OptionsError::Unknown { name, known });
            };
            if !value.is_null() {
                all.push(Self { group, key, value });
            }
        }
        Ok(all)
    }

    fn must_be(&self, expected: &'static str) -> OptionsError {
        let text = self.value.to_string();
        OptionsError::Value {
            name: format!("{}{}", self.group, self.key),
            value: text.chars().take(80).collect(),
            expected,
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked"
    )]
    fn size(&self) -> Result<usize, OptionsError> {
        let number = self.value.as_f64().unwrap_or(f64::NAN);
        if number.fract() == 0.0 && (0.0..=LARGEST).contains(&number) {
            return Ok(number as usize);
        }
        Err(self.must_be("a whole number of at least 0"))
    }

    fn time(&self) -> Result<Duration, OptionsError> {
        let number = self.value.as_f64().filter(|number| *number >= 1.0);
        number
            .and_then(|number| Duration::try_from_secs_f64(number / 1000.0).ok())
            .ok_or_else(|| self.must_be("a number of milliseconds, at least 1"))
    }

    fn text(&self, expected: &'static str) -> Result<&'a str, OptionsError> {
        self.value.as_str().ok_or_else(|| self.must_be(expected))
    }

    fn names(&self) -> Result<Vec<&'a str>, OptionsError> {
        let names = self.value.as_array().map(|names| names.iter());
        let names = names.and_then(|names| names.map(Json::as_str).collect());
        names.ok_or_else(|| self.must_be("an array of names"))
    }

    fn texts(&self) -> Result<BTreeMap<&'a str, &'a str>, OptionsError> {
        let texts = self.value.as_object().and_then(|texts| {
            let one = |(name, value): (&'a String, &'a Json)| {
                let is_name = !name.is_empty() && !name.contains(['=', '\0']);
                let value = value.as_str().filter(|value| !value.contains('\0'))?;
                is_name.then_some((&**name, value))
            };
            texts.iter().map(one).collect()
        });
        texts.ok_or_else(|| self.must_be("an object of texts by name"))
    }

    fn contents(&self) -> Result<Vec<(&'a str, Vec<u8>)>, OptionsError> {
        let contents = self.value.as_object().and_then(|contents| {
            let one = |(path, content): (&'a String, &'a Json)| Some((&**path, bytes(content)?));
            contents.iter().map(one).collect()
        });
        contents.ok_or_else(|| {
            self.must_be("an object of contents by path: texts, or {\"base64\": \"…\"}")
        })
    }

    fn mounts(&self) -> Result<Vec<(&'a str, Mount)>, OptionsError> {
        const EXPECTED: &str = "an object by path, of {\"directory\": path, \"access\": \"readOnly\", \"overlay\" or \"readWrite\"} or {\"access\": \"memory\"}";
        let one = |(path, mount): (&'a String, &'a Json)| {
            let mount = mount.as_object()?;
            let known = mount
                .keys()
                .all(|key| key == "directory" || key == "access");
            let directory = mount.get("directory").map(Json::as_str);
            let access = mount.get("access").and_then(Json::as_str);
            let mount = match (access, directory) {
                (Some("memory"), None) => Mount::Memory,
                (Some("readOnly") | None, Some(Some(directory))) => {
                    Mount::ReadOnly(PathBuf::from(directory))
                }
                (Some("overlay"), Some(Some(directory))) => Mount::Overlay(directory.into()),
                (Some("readWrite"), Some(Some(directory))) => Mount::ReadWrite(directory.into()),
                _ => return None,
            };
            (known && path.starts_with('/')).then_some((&**path, mount))
        };
        let mounts = self.value.as_object().map(|mounts| mounts.iter().map(one));
        let mounts = mounts.and_then(Iterator::collect);
        mounts.ok_or_else(|| self.must_be(EXPECTED))
    }

    /// A secret. It is not repeated in errors.
    fn secret(&self) -> Result<SnapshotKey, OptionsError> {
        let secret = self.value.as_str().filter(|key| key.len() >= LEAST_KEY);
        secret
            .map(SnapshotKey::from_secret)
            .ok_or_else(|| OptionsError::Value {
                name: self.key.into(),
                value: "not usable".into(),
                expected: "a text of at least 16 bytes that is hard to guess",
            })
    }

    fn clock(&self) -> Result<Clock, OptionsError> {
        match (
            self.value.as_str(),
            self.only("fixed").and_then(Json::as_f64),
        ) {
            (Some("none"), _) => Ok(Clock::None),
            (Some("real"), _) => Ok(Clock::from_fn(|| std::time::SystemTime::now().into())),
            (_, Some(milliseconds)) => {
                #[expect(clippy::cast_possible_truncation, reason = "casts saturate")]
                let nanos = (milliseconds * 1e6) as i64;
                Ok(Clock::Fixed(Timestamp::from_nanos(nanos)))
            }
            _ => Err(self.must_be("\"none\", \"real\" or {\"fixed\": milliseconds}")),
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
    fn only(&self, key: &str) -> Option<&'a Json> {
        let object = self.value.as_object().filter(|object| object.len() == 1)?;
        object.get(key)
    }
}

/// Bytes as other languages write them: text, or base64.
fn bytes(json: &Json) -> Option<Vec<u8>> {
    match json {
        Json::String(text) => Some(text.clone().into_bytes()),
        Json::Object(object) if object.len() == 1 => {
            STANDARD.decode(object.get("base64")?.as_str()?).ok()
        }
        _ => None,
    }
}
