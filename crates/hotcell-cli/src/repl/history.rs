//! What was typed before.

use std::path::{Path, PathBuf};

use rustyline::Editor;
use rustyline::history::FileHistory;

use super::helper::Prompter;
use crate::args::ReplArgs;

/// Loads the history. A file that is not there yet, or cannot be read, is no reason not to begin.
pub(super) fn open(
    args: &ReplArgs,
    editor: &mut Editor<Prompter<'_>, FileHistory>,
) -> Option<PathBuf> {
    if args.no_history {
        return None;
    }
    let path = args.history.clone().or_else(default_file)?;
    let _ = editor.load_history(&path);
    Some(path)
}

pub(super) fn close(path: Option<&Path>, editor: &mut Editor<Prompter<'_>, FileHistory>) {
    let Some(path) = path else { return };
    if let Some(dir) = path.parent() {
        let _ = std::fs::create_dir_all(dir);
    }
    let _ = editor.append_history(path);
}

/// Where the XDG base directories say that such a file belongs.
fn default_file() -> Option<PathBuf> {
    let dir = |name| {
        std::env::var_os(name)
            .filter(|dir| !dir.is_empty())
            .map(PathBuf::from)
    };
    let state =
        dir("XDG_STATE_HOME").or_else(|| dir("HOME").map(|home| home.join(".local/state")))?;
    Some(state.join("hotcell/history"))
}
