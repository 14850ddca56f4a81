//! `hotcell inspect`.

use std::fmt::Write as _;
use std::path::Path;

use hotcell::{ExecutorOptions, SnapshotInfo, inspect_snapshot};

use crate::args::InspectArgs;
use crate::exit::{CliError, Exit};
use crate::{print, setup, wait};

/// No larger file is looked at.
const MAX_BYTES: u64 = 1 << 30;

pub(crate) fn inspect(args: &InspectArgs) -> Result<Exit, CliError> {
    let mut options = ExecutorOptions::default();
    if let Some(path) = &args.snapshot_key {
        options = options.snapshot_key(setup::snapshot_key(path)?);
    }
    let most = usize::try_from(MAX_BYTES).unwrap_or(usize::MAX);
    let options = options.max_snapshot_bytes(most);
    let snapshot = setup::read_at_most(&args.file, MAX_BYTES)?;
    show(&snapshot, &args.file, &options, args.json)
}

/// Shows what is in a snapshot.
pub(crate) fn show(
    snapshot: &[u8],
    file: &Path,
    options: &ExecutorOptions,
    as_json: bool,
) -> Result<Exit, CliError> {
    let info =
        inspect_snapshot(snapshot, options).map_err(|error| setup::no_snapshot(file, &error))?;
    if as_json {
        print::line(serde_json::to_string(&info).unwrap_or_default());
    } else {
        print::guest_line(&told(&info));
    }
    Ok(Exit::Success)
}

fn told(info: &SnapshotInfo) -> String {
    let mut text = String::new();
    let mut row = |name: &str, value: &str| {
        // Whoever wrote the snapshot wrote this, and must not make two lines of it.
        let _ = writeln!(text, "{name:<8} {}", value.replace('\n', "\\n"));
    };
    row("state", info.state.as_str());
    let build = info.build.to_string();
    let place = if info.is_current {
        "this one"
    } else {
        "another one than this: only that can restore it"
    };
    row("build", &format!("{build} ({place})"));
    row(
        "size",
        &format!("{} bytes, {} unpacked", info.bytes, info.unpacked),
    );
    row("sealed", if info.is_sealed { "yes" } else { "no" });
    if info.has_base {
        row(
            "base",
            "needed: it holds what has changed since another snapshot",
        );
    }
    if !info.tools.is_empty() {
        row("tools", &info.tools.join(", "));
    }
    if let Some(run) = &info.run {
        row("run", &format!("{} ({})", run.id, run.name));
        for call in &run.made {
            let (outcome, _) = call.outcome.told();
            row("called", &format!("{}: {outcome}", call.tool));
        }
        for item in &run.content {
            row("shown", &format!("{}, {} bytes", item.mime, item.bytes));
        }
        for call in &run.calls {
            let arguments = call.arguments.as_ref().map_or_else(
                || "…".to_owned(),
                |values| {
                    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
                    texts.join(", ")
                },
            );
            row(
                "waits",
                &wait::line(&call.id, &call.tool, &arguments, call.reason),
            );
        }
    }
    text.trim_end().to_owned()
}
