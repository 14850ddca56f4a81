//! `find`: paths by glob.

use std::ops::ControlFlow;

use crate::error::FileToolError;
use crate::glob::PathGlob;
use crate::limits::FIND_LIMIT;
use crate::listing::Listing;
use crate::params::FindParams;
use crate::result::ToolResult;
use crate::shown::{show, shown};
use crate::tools::FileTools;
use crate::walk::walk;

const ACTION: &str = "search directory";

pub(crate) fn find(tools: &FileTools, params: &FindParams) -> Result<ToolResult, FileToolError> {
    crate::args::require_some("find", "limit", params.limit)?;
    let path = crate::args::or_workspace(params.path.as_deref());
    let named = || shown(path.as_bytes());
    let glob = PathGlob::new(&params.pattern)?;
    let Some(place) = tools.workspace().existing(path, ACTION)? else {
        return Err(FileToolError::PathNotFound { path: named() });
    };
    if place.meta.is_none_or(|meta| !meta.is_dir()) {
        return Err(FileToolError::NotDirectory { path: named() });
    }
    let limit = crate::args::limit(params.limit, FIND_LIMIT);
    let mut found = 0;
    let mut more = false;
    let mut listing = Listing::default();
    let mut notices = walk(tools, &place, |entry| {
        let is_dir = entry.kind.is_dir();
        if !glob.matches(entry.below, entry.name, is_dir) {
            return Ok(ControlFlow::Continue(()));
        }
        if found == limit {
            more = true;
            return Ok(ControlFlow::Break(()));
        }
        found += 1;
        let fits = listing.add(|line| {
            show(entry.shown, line);
            if is_dir {
                line.push('/');
            }
        });
        Ok(if fits {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    })?;
    if more {
        let twice = limit.saturating_mul(2);
        notices.insert(
            0,
            format!("{limit} results limit reached. Use limit={twice} for more, or refine pattern"),
        );
    }
    Ok(listing.finish(
        "No files found matching pattern",
        notices,
        "Refine the pattern or search a smaller directory",
    ))
}
