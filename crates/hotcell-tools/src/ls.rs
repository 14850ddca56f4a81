//! `ls`: the names in one directory.

use crate::error::FileToolError;
use crate::limits::LS_LIMIT;
use crate::listing::Listing;
use crate::params::LsParams;
use crate::result::ToolResult;
use crate::shown::{show, shown};
use crate::tools::FileTools;

const ACTION: &str = "list directory";

pub(crate) fn ls(tools: &FileTools, params: &LsParams) -> Result<ToolResult, FileToolError> {
    crate::args::require_some("ls", "limit", params.limit)?;
    let path = crate::args::or_workspace(params.path.as_deref());
    let named = || shown(path.as_bytes());
    let Some(place) = tools.workspace().existing(path, ACTION)? else {
        return Err(FileToolError::PathNotFound { path: named() });
    };
    if place.meta.is_none_or(|meta| !meta.is_dir()) {
        return Err(FileToolError::NotDirectory { path: named() });
    }
    let entries = place
        .vfs
        .readdir(&place.real)
        .map_err(|error| FileToolError::failed(ACTION, path, &error))?;
    let limit = crate::args::limit(params.limit, LS_LIMIT);
    let mut listing = Listing::default();
    for entry in entries.iter().take(limit) {
        let fits = listing.add(|line| {
            show(&entry.name, line);
            if entry.kind.is_dir() {
                line.push('/');
            }
        });
        if !fits {
            break;
        }
    }
    let mut notices = Vec::new();
    if entries.len() > limit && !listing.is_full() {
        notices.push(format!(
            "{limit} entries limit reached. Use limit={} for more",
            limit.saturating_mul(2)
        ));
    }
    Ok(listing.finish(
        "(empty directory)",
        notices,
        "Use find with a pattern to see others",
    ))
}
