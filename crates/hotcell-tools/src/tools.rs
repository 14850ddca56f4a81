//! The six tools over one workspace.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use hotcell_meter::{Charge, OverLimit};
use hotcell_vfs::{Vfs, VfsPath};
use serde_json::Value;

use crate::args::Args;
use crate::catalog::{CATALOG, Entry, Tool, entry};
use crate::error::FileToolError;
use crate::locks::PathLocks;
use crate::params::{EditParams, FindParams, GrepParams, LsParams, ReadParams, WriteParams};
use crate::result::ToolResult;
use crate::workspace::Workspace;
use crate::{edit, find, grep, ls, read, schema, write};

/// So many small steps are taken between two looks at whether to stop.
pub(crate) const LOOK: usize = 4096;

/// The file tools of one workspace. Clones share the locks that keep edits of one file apart.
#[derive(Clone)]
pub struct FileTools {
    shared: Arc<Shared>,
    cancelled: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
    /// What is taken of memory, if anybody counts it.
    charge: Option<Arc<Mutex<Charge>>>,
}

struct Shared {
    workspace: Workspace,
    locks: PathLocks,
}

/// What a host needs to offer a tool to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolInfo {
    /// The name, such as `read`.
    pub name: &'static str,
    /// Other names it answers to, such as `readTool`.
    pub aliases: &'static [&'static str],
    /// What it does, in one line.
    pub description: &'static str,
    /// The names of its parameters in the order of positional calls.
    pub parameters: Vec<&'static str>,
    /// JSON Schema of the object of arguments. Names are in camelCase; calls may use `snake_case`.
    pub arguments: Value,
    /// JSON Schema of the result.
    pub result: Value,
    /// Whether it changes files.
    pub changes: bool,
}

impl FileTools {
    /// Tools that work in the directory `root` of `vfs` and nowhere else. The directory need not exist yet: `write`
    /// makes it.
    pub fn new(vfs: Arc<dyn Vfs>, root: impl AsRef<VfsPath>) -> Self {
        Self {
            shared: Arc::new(Shared {
                workspace: Workspace::new(vfs, root.as_ref()),
                locks: PathLocks::default(),
            }),
            cancelled: None,
            charge: None,
        }
    }

    /// The same tools, which stop with [`FileToolError::Cancelled`] soon after `cancelled` says true. It is asked often,
    /// from the thread that calls the tool.
    #[must_use]
    pub fn with_cancel(&self, cancelled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self {
            cancelled: Some(Arc::new(cancelled)),
            ..self.clone()
        }
    }

    /// The same tools for one call, which take memory only after `charge` has grown by it, and fail with
    /// [`FileToolError::NoRoom`] if it cannot. It is theirs until they are dropped, so that a result can be charged for before.
    #[must_use]
    pub fn with_charge(&self, charge: Charge) -> Self {
        Self {
            charge: Some(Arc::new(Mutex::new(charge))),
            ..self.clone()
        }
    }

    /// The tools there are.
    pub fn list() -> Vec<ToolInfo> {
        CATALOG.iter().map(info).collect()
    }

    /// Calls a tool by its name or alias with one object of arguments, or with positional ones, or with positional ones and an
    /// object of the others at the end.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use hotcell_tools::FileTools;
    /// # use hotcell_vfs::MemVfs;
    /// use serde_json::json;
    ///
    /// let tools = FileTools::new(Arc::new(MemVfs::new()), "/work");
    /// tools.call("write", &[json!({ "path": "a.txt", "content": "one\ntwo\n" })])?;
    /// let result = tools.call("readTool", &[json!("a.txt"), json!(2)])?;
    /// assert_eq!(result["content"][0]["text"], "two\n");
    /// # Ok::<(), hotcell_tools::FileToolError>(())
    /// ```
    pub fn call(&self, name: &str, args: &[Value]) -> Result<Value, FileToolError> {
        let entry = entry(name).ok_or_else(|| unknown(name))?;
        let args = Args::new(entry, args)?;
        let result = match entry.tool {
            Tool::Read => self.read(&args.read()?),
            Tool::Write => self.write(&args.write()?),
            Tool::Edit => self.edit(&args.edit()?),
            Tool::Grep => self.grep(&args.grep()?),
            Tool::Find => self.find(&args.find()?),
            Tool::Ls => self.ls(&args.ls()?),
        }?;
        Ok(result.into_value())
    }

    /// A file as text, a page at a time, or as an image.
    pub fn read(&self, params: &ReadParams) -> Result<ToolResult, FileToolError> {
        read::read(self, params)
    }

    /// A whole file, new or in place of what was there, in one step.
    pub fn write(&self, params: &WriteParams) -> Result<ToolResult, FileToolError> {
        write::write(self, params)
    }

    /// Some text in place of other text. Lines that are not touched keep their bytes.
    pub fn edit(&self, params: &EditParams) -> Result<ToolResult, FileToolError> {
        edit::edit(self, params)
    }

    /// Lines by regular expression.
    pub fn grep(&self, params: &GrepParams) -> Result<ToolResult, FileToolError> {
        grep::grep(self, params)
    }

    /// Paths by glob.
    pub fn find(&self, params: &FindParams) -> Result<ToolResult, FileToolError> {
        find::find(self, params)
    }

    /// The names in one directory.
    pub fn ls(&self, params: &LsParams) -> Result<ToolResult, FileToolError> {
        ls::ls(self, params)
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        &self.shared.workspace
    }

    pub(crate) fn locks(&self) -> &PathLocks {
        &self.shared.locks
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.as_ref().is_some_and(|cancelled| cancelled())
    }

    /// Takes room for so many bytes, before they are.
    pub(crate) fn take(&self, bytes: usize) -> Result<(), FileToolError> {
        self.charged(|charge| charge.grow(bytes))
            .map_err(FileToolError::NoRoom)
    }

    /// Gives room back for what is no more.
    pub(crate) fn give_back(&self, bytes: usize) {
        let _ = self.charged(|charge| {
            charge.shrink(bytes);
            Ok(())
        });
    }

    fn charged(
        &self,
        adjust: impl FnOnce(&mut Charge) -> Result<(), OverLimit>,
    ) -> Result<(), OverLimit> {
        match &self.charge {
            Some(charge) => adjust(&mut charge.lock().unwrap_or_else(PoisonError::into_inner)),
            None => Ok(()),
        }
    }

    /// How many there are of something that may be without end.
    pub(crate) fn count<T>(&self, all: impl Iterator<Item = T>) -> Result<usize, FileToolError> {
        let mut count = 0_usize;
        for _ in all {
            count += 1;
            if count.is_multiple_of(LOOK) {
                self.check_cancelled()?;
            }
        }
        Ok(count)
    }

    pub(crate) fn check_cancelled(&self) -> Result<(), FileToolError> {
        if self.is_cancelled() {
            return Err(FileToolError::Cancelled);
        }
        Ok(())
    }
}

impl fmt::Debug for FileTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileTools")
            .field("root", &self.shared.workspace.root())
            .finish_non_exhaustive()
    }
}

fn info(entry: &Entry) -> ToolInfo {
    ToolInfo {
        name: entry.name,
        aliases: entry.aliases,
        description: entry.description,
        parameters: entry.params.iter().map(|param| param.name).collect(),
        arguments: schema::arguments(entry),
        result: schema::result(entry),
        changes: matches!(entry.tool, Tool::Write | Tool::Edit),
    }
}

fn unknown(name: &str) -> FileToolError {
    let short: String = name.chars().take(40).collect();
    let names: Vec<&str> = CATALOG.iter().map(|entry| entry.name).collect();
    let nearest = names
        .iter()
        .map(|known| (strsim::normalized_damerau_levenshtein(&short, known), known))
        .filter(|(alike, _)| *alike >= 0.5)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    let all = names.join(", ");
    FileToolError::UnknownTool {
        hint: match nearest {
            Some((_, known)) => format!("Did you mean {known}? There are {all}"),
            None => format!("There are {all}"),
        },
        name: short,
    }
}
