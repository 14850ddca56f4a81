//! Modules that are made of functions and values of Node's.

use std::sync::Arc;

use hotcell::cell::Value;
use hotcell::{ExecutorOptions, Module};
use napi::{
    Result,
    bindgen_prelude::{BigInt, Utf16String},
};
use napi_derive::napi;
use serde::Deserialize;

use super::tools;
use crate::{
    bridge::{Bridge, Lane},
    fault::{bug, mistake},
    packed::Reader,
    sent::Borrowed,
};

/// What `lib/modules.cjs` tells of a module.
#[derive(Clone, Deserialize)]
struct Given {
    name: String,
    /// As for `sendTools`, in JSON.
    functions: String,
    /// The names of its values, which are packed one after the other.
    values: Vec<String>,
}

/// Modules that are made of functions and values of Node's.
#[napi]
pub struct NativeModules {
    given: Vec<Given>,
    /// The set that their functions are in.
    set: u32,
    values: Vec<Value>,
}

#[napi]
impl NativeModules {
    /// `specs` says what there is, in JSON; the values of all modules are packed.
    #[napi(constructor)]
    pub fn new(
        specs: String,
        set: u32,
        row: &[f64],
        text: Utf16String,
        bytes: &[u8],
        bigints: Option<Vec<BigInt>>,
    ) -> Result<Self> {
        let given: Vec<Given> = serde_json::from_str(&specs).map_err(bug)?;
        let pieces = Borrowed {
            row,
            text,
            bytes,
            bigints,
        };
        let count = given.iter().map(|module| module.values.len()).sum();
        let read = |mut reader: Reader<'_>| {
            let mut values = Vec::new();
            for _ in 0..count {
                values.push(reader.value()?);
            }
            reader.finish()?;
            Ok(values)
        };
        let values = pieces.into_owned().read(read).map_err(bug)?;
        Ok(Self { given, set, values })
    }

    /// The options with these modules.
    pub(super) fn add_to(
        &self,
        mut options: ExecutorOptions,
        bridge: &Arc<Bridge>,
        lane: &Lane,
    ) -> Result<ExecutorOptions> {
        let mut values = self.values.iter().cloned();
        for given in &self.given {
            let mut module = Module::new();
            let functions = tools::read(bridge, lane, self.set, &given.functions, &[]);
            for (function, tool) in functions.map_err(mistake)? {
                let own = function.rsplit('#').next().unwrap_or(&function);
                module = module.function(own, tool);
            }
            for export in &given.values {
                module = module.value(export, values.next().unwrap_or(Value::Undefined));
            }
            options = options.module(&*given.name, module);
        }
        Ok(options)
    }
}
