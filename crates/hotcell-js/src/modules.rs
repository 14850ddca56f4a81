//! What `import` finds: the modules that `guest/` makes, and files.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Arc, OnceLock},
};

use hotcell_cell::{Import, Text, ToolError, Value};
use hotcell_vfs::{Vfs, VfsPath, VfsPathBuf};

/// What is tried for a name, as people leave the ends of names out.
const ENDINGS: [&str; 5] = ["", ".js", ".mjs", "/index.js", "/index.mjs"];

/// Where modules come from.
pub(crate) struct Modules {
    vfs: Arc<dyn Vfs>,
    /// What relative names are relative to.
    directory: VfsPathBuf,
    /// The program, if it is a module itself.
    main: Option<(String, String)>,
    /// The sources of those that `guest/` makes.
    own: OnceLock<BTreeMap<String, String>>,
}

impl Modules {
    pub(crate) fn new(
        vfs: Arc<dyn Vfs>,
        directory: VfsPathBuf,
        main: Option<(String, String)>,
    ) -> Arc<Self> {
        Arc::new(Self {
            vfs,
            directory,
            main,
            own: OnceLock::new(),
        })
    }

    /// Takes note of the modules that there are now: their names with the names that each exports.
    pub(crate) fn know(&self, modules: &Value) {
        let mut sources = BTreeMap::new();
        if let Value::Object(modules) = modules {
            for (name, exports) in modules {
                let name = name.to_string();
                let source = source_of(&name, exports);
                sources.insert(format!("node:{name}"), source.clone());
                sources.insert(name, source);
            }
        }
        // It is only asked for once.
        let _ = self.own.set(sources);
    }

    /// The source of a module.
    pub(crate) fn find(&self, import: &Import<'_>) -> Result<String, ToolError> {
        let name = import.name;
        if let Some((_, code)) = self.main.as_ref().filter(|(main, _)| main == name) {
            return Ok(code.clone());
        }
        if let Some(source) = self.own.get().and_then(|own| own.get(name)) {
            return Ok(source.clone());
        }
        if !name.starts_with("./") && !name.starts_with("../") && !name.starts_with('/') {
            let known = self.own.get().into_iter().flat_map(BTreeMap::keys);
            let known: Vec<_> = known.filter(|name| !name.starts_with("node:")).collect();
            let known = known
                .iter()
                .map(|name| name.as_str())
                .collect::<Vec<_>>()
                .join(", ");
            return Err(not_found(format!(
                "cannot find module '{name}': there are {known}, and files by names that begin with ./ or /"
            )));
        }
        self.file(name)
    }

    fn file(&self, name: &str) -> Result<String, ToolError> {
        for ending in ENDINGS {
            let path = self.directory.join(&format!("{name}{ending}"));
            if !self.vfs.stat(&path).is_ok_and(|found| found.is_file()) {
                continue;
            }
            let bytes = self.vfs.read_file(&path);
            let bytes = bytes.map_err(|error| ToolError::from(error.to_string()))?;
            let text = String::from_utf8(bytes)
                .map_err(|_| ToolError::from(format!("the module {path} is not UTF-8")))?;
            return Ok(if is_json(&path) {
                format!("export default JSON.parse({});", quoted(&text))
            } else {
                text
            });
        }
        let path = self.directory.join(name);
        Err(not_found(format!("cannot find module '{path}'")))
    }
}

fn is_json(path: &VfsPath) -> bool {
    path.as_bytes().ends_with(b".json")
}

/// A text as JavaScript writes it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for unit in text.chars() {
        match unit {
            '"' | '\\' => out.extend(['\\', unit]),
            // Line ends, and what is not to be seen in code.
            unit if unit < ' ' || matches!(unit, '\u{2028}' | '\u{2029}') => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(unit));
            }
            unit => out.push(unit),
        }
    }
    out.push('"');
    out
}

fn not_found(message: String) -> ToolError {
    ToolError::new("Error", message).with("code", Text::from("ERR_MODULE_NOT_FOUND"))
}

/// A module with the properties of an object that `require` gives.
fn source_of(name: &str, exports: &Value) -> String {
    let mut source = format!("const it = require('{name}');\nexport default it;\n");
    if let Value::Array(names) = exports {
        for name in names.iter().filter_map(Value::as_str) {
            let _ = writeln!(source, "export const {name} = it.{name};");
        }
    }
    source
}
