//! What belongs to an executor's state though it is not in its cell: the sandbox whose files and shell its tools work on.

use std::{collections::BTreeSet, sync::Arc};

use crate::{error::ExecutorError, executor::Executor, options::ExecutorOptions, tool::AgentTool};

/// Something beside an executor that is forked, saved and restored with it. Its tools reach it, and those of a twin reach the
/// twin's own.
pub trait Companion: Send + Sync {
    /// The tools that work on it.
    fn tools(&self) -> Vec<(String, AgentTool)>;

    /// A second one in the same state.
    fn fork(&self) -> Result<Arc<dyn Companion>, String>;

    /// Its state as bytes. They may come back from anywhere: see [`ExecutorOptions::on_companion`].
    fn snapshot(&self) -> Result<Vec<u8>, String>;
}

/// Makes a companion from its bytes.
pub(crate) type OnCompanion =
    Arc<dyn Fn(&[u8]) -> Result<Arc<dyn Companion>, String> + Send + Sync>;

/// A companion, and which of the executor's tools are its own.
#[derive(Clone)]
pub(crate) struct Attached {
    pub(crate) companion: Arc<dyn Companion>,
    pub(crate) tools: BTreeSet<String>,
}

impl Attached {
    /// With its tools, as they are to be sent.
    pub(crate) fn new(companion: Arc<dyn Companion>) -> (Self, Vec<(String, AgentTool)>) {
        let tools = companion.tools();
        let names = tools.iter().map(|(name, _)| name.clone()).collect();
        let attached = Self {
            companion,
            tools: names,
        };
        (attached, tools)
    }

    /// A twin of it. Its tools are those that the host has not replaced since.
    pub(crate) fn fork(&self) -> Result<(Self, Vec<(String, AgentTool)>), ExecutorError> {
        let companion = self.companion.fork().map_err(|why| failed(&why))?;
        let mut tools = companion.tools();
        tools.retain(|(name, _)| self.tools.contains(name));
        let attached = Self {
            companion,
            tools: self.tools.clone(),
        };
        Ok((attached, tools))
    }
}

pub(crate) fn failed(why: &str) -> ExecutorError {
    ExecutorError::refused(hotcell_prepare::Diagnostic::error("companion", why))
}

impl Executor {
    /// Sends the tools of a companion, and keeps it: a fork of this executor has a fork of it, and a snapshot holds it. In
    /// `READY`; `cleanup` lets it go.
    pub async fn attach(&self, companion: Arc<dyn Companion>) -> Result<(), ExecutorError> {
        let (attached, tools) = Attached::new(companion);
        self.send_tools(tools).await?;
        let old = self.set_companion(Some(attached));
        drop(old);
        Ok(())
    }
}

impl ExecutorOptions {
    /// What makes a companion of the bytes that a snapshot has of one. Without it a restored executor has none, and the calls of
    /// its tools fail.
    pub fn on_companion(
        mut self,
        restore: impl Fn(&[u8]) -> Result<Arc<dyn Companion>, String> + Send + Sync + 'static,
    ) -> Self {
        self.on_companion = Some(Arc::new(restore));
        self
    }
}
