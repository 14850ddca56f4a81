//! What a text is to the shell that runs it.

use bstr::{BString, ByteSlice as _};
use hotcell_process::Process;
use serde::{Deserialize, Serialize};

use crate::{
    flow::Outcome,
    shell::{Frame, FrameKind, Shell},
    text::Origin,
};

/// Where the shell has a text from: bash makes a difference, above all of errors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CommandKind {
    /// It is one of several, and the shell waits for the next one.
    #[default]
    Session,
    /// So it is, and somebody has typed it: an error that ends a script does not end the shell.
    Typed,
    /// It is the argument of `bash -c`: when it ends, the shell does.
    Argument,
    /// It is a script, whose name is `$0`: when it ends, the shell does.
    Script,
    /// There is none: the script is on standard input, which its commands read, too.
    Input,
}

impl CommandKind {
    /// Whether it is all that the shell runs.
    pub(crate) fn is_whole(self) -> bool {
        !matches!(self, Self::Session | Self::Typed)
    }
}

impl Shell {
    /// Gets ready for a text.
    pub(crate) fn expect(&mut self, kind: CommandKind, text: &[u8]) {
        self.is_interactive = kind == CommandKind::Typed;
        match kind {
            CommandKind::Session | CommandKind::Typed => {}
            CommandKind::Argument => self.execution_string = Some(text.into()),
            CommandKind::Script => {
                self.main_source.clone_from(&self.name);
                self.frames.push(Frame {
                    name: "main".into(),
                    source: self.name.clone(),
                    called_from: 0,
                    arguments: (*self.arguments).into(),
                    kind: FrameKind::Main,
                });
            }
            CommandKind::Input => {
                self.reads_stdin = true;
                self.main_source = BString::from("main");
            }
        }
    }

    /// Runs a text that it is ready for.
    pub(crate) fn run_kind(
        &mut self,
        process: &Process,
        kind: CommandKind,
        text: &[u8],
    ) -> Outcome {
        match kind {
            CommandKind::Session | CommandKind::Typed => {
                self.list_in_history(process, text.trim_end())?;
                self.run_text(process, text, Origin::Argument)
            }
            CommandKind::Argument => self.run_text(process, text, Origin::Argument),
            CommandKind::Script => self.run_text(process, text, Origin::Script),
            CommandKind::Input => self.run_stdin(process),
        }
    }
}
