//! `write`: a whole file.

use hotcell_vfs::{DIR_MODE, Errno, VfsPath};

use crate::error::FileToolError;
use crate::params::WriteParams;
use crate::replace::replace;
use crate::result::ToolResult;
use crate::shown::shown;
use crate::tools::FileTools;
use crate::workspace::Place;

const ACTION: &str = "write file";

pub(crate) fn write(tools: &FileTools, params: &WriteParams) -> Result<ToolResult, FileToolError> {
    let WriteParams { path, content } = params;
    crate::args::require_path("write", path)?;
    let place = tools.workspace().target(path, ACTION)?;
    check(path, &place)?;
    tools.locks().with(&place.real, || {
        let vfs = place.vfs;
        let dir = place.real.parent().unwrap_or(VfsPath::ROOT);
        vfs.mkdir_all(dir, DIR_MODE)
            .and_then(|()| {
                let mode = place.meta.map(|meta| meta.mode);
                replace(vfs, &place.real, content.as_bytes(), mode)
            })
            .map_err(|error| FileToolError::failed(ACTION, path, &error))
    })?;
    Ok(ToolResult::text(format!(
        "Successfully wrote {} bytes to {}",
        content.len(),
        shown(path.as_bytes())
    )))
}

fn check(path: &str, place: &Place<'_>) -> Result<(), FileToolError> {
    match place.meta {
        Some(meta) if meta.is_dir() => Err(FileToolError::refused(ACTION, path, Errno::EISDIR)),
        Some(meta) if !meta.is_file() => Err(FileToolError::NotRegular {
            path: shown(path.as_bytes()),
        }),
        // File systems here store modes and leave it to others to mind them.
        Some(meta) if meta.mode & 0o222 == 0 => {
            Err(FileToolError::refused(ACTION, path, Errno::EACCES))
        }
        _ => Ok(()),
    }
}
