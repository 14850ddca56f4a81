//! Files of sandboxes. Relative paths begin where the next command does.

use std::path::PathBuf;
use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hotcell::sandbox::Mount;
use hotcell::vfs::{FileType, Metadata, Timestamp};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::super::error::RpcError;
use super::super::message::{Reply, result};
use super::super::params::params;
use super::super::session::Session;
use super::bytes::Bytes;
use super::{SandboxEntry, aside};

/// Params that are members of these names, and the sandbox.
macro_rules! takes {
    ($name:ident { $($(#[$meta:meta])* $field:ident: $kind:ty),* $(,)? }) => {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "camelCase")]
        struct $name {
            #[serde(rename = "sandbox")]
            _sandbox: String,
            $($(#[$meta])* $field: $kind,)*
        }
    };
}

takes!(Path { path: String });
takes!(Write {
    path: String,
    content: Bytes
});
takes!(Stat { path: String, follow: Option<bool> });
takes!(Mkdir {
    path: String,
    #[serde(default)]
    parents: bool
});
takes!(Remove {
    path: String,
    #[serde(default)]
    recursive: bool
});
takes!(Rename {
    path: String,
    to: String
});
takes!(Chmod {
    path: String,
    mode: u32
});
takes!(Symlink {
    path: String,
    target: String
});
takes!(Import {
    path: String,
    archive: String
});
takes!(MountParams { path: String, directory: Option<PathBuf>, access: String });

pub(crate) async fn read(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let Path { path, .. } = params(given)?;
    let content = aside(&entry, move |sandbox| sandbox.read_file(&*path)).await?;
    result(&json!({ "content": Bytes(content) }))
}

pub(crate) async fn write(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let Write { path, content, .. } = params(given)?;
    aside(&entry, move |sandbox| sandbox.write_file(&*path, content.0)).await?;
    result(&json!({}))
}

pub(crate) async fn append(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let Write { path, content, .. } = params(given)?;
    aside(&entry, move |sandbox| {
        sandbox.append_file(&*path, content.0)
    })
    .await?;
    result(&json!({}))
}

pub(crate) async fn stat(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let Stat { path, follow, .. } = params(given)?;
    let known = aside(&entry, move |sandbox| match follow {
        Some(false) => sandbox.lstat(&*path),
        _ => sandbox.stat(&*path),
    })
    .await?;
    result(&told(&known))
}

pub(crate) async fn read_dir(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let Path { path, .. } = params(given)?;
    let entries = aside(&entry, move |sandbox| sandbox.list(&*path)).await?;
    let entries = entries
        .into_iter()
        .map(|entry| json!({ "name": Bytes(entry.name), "type": name_of(entry.kind) }));
    result(&json!({ "entries": entries.collect::<Vec<_>>() }))
}

pub(crate) async fn mkdir(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let Mkdir { path, parents, .. } = params(given)?;
    aside(&entry, move |sandbox| sandbox.mkdir(&*path, parents)).await?;
    result(&json!({}))
}

pub(crate) async fn remove(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let Remove {
        path, recursive, ..
    } = params(given)?;
    aside(&entry, move |sandbox| sandbox.remove(&*path, recursive)).await?;
    result(&json!({}))
}

pub(crate) async fn rename(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let Rename { path, to, .. } = params(given)?;
    aside(&entry, move |sandbox| sandbox.rename(&*path, &*to)).await?;
    result(&json!({}))
}

pub(crate) async fn chmod(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let Chmod { path, mode, .. } = params(given)?;
    aside(&entry, move |sandbox| sandbox.chmod(&*path, mode)).await?;
    result(&json!({}))
}

/// Makes a symbolic link at `path` that says `target`.
pub(crate) async fn symlink(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let Symlink { path, target, .. } = params(given)?;
    aside(&entry, move |sandbox| sandbox.symlink(&*target, &*path)).await?;
    result(&json!({}))
}

/// Everything below a directory, as a tar archive.
pub(crate) async fn export(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let Path { path, .. } = params(given)?;
    let archive = aside(&entry, move |sandbox| sandbox.export(&*path)).await?;
    result(&json!({ "archive": STANDARD.encode(archive) }))
}

/// Puts what is in a tar archive below a directory.
pub(crate) async fn import(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let Import { path, archive, .. } = params(given)?;
    let archive = STANDARD
        .decode(archive)
        .map_err(|error| RpcError::params(format!("archive is not base64: {error}")))?;
    aside(&entry, move |sandbox| sandbox.import(&*path, &*archive)).await?;
    result(&json!({}))
}

pub(crate) async fn mount(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let MountParams {
        path,
        directory,
        access,
        ..
    } = params(given)?;
    let mount = match (&*access, directory) {
        ("memory", None) => Mount::Memory,
        ("readOnly", Some(directory)) => Mount::ReadOnly(directory),
        ("overlay", Some(directory)) => Mount::Overlay(directory),
        ("readWrite", Some(directory)) => Mount::ReadWrite(directory),
        _ => {
            return Err(RpcError::params(
                "expected access readOnly, overlay or readWrite with a directory of this machine, or memory without one",
            ));
        }
    };
    aside(&entry, move |sandbox| sandbox.mount(&*path, mount)).await?;
    result(&json!({}))
}

pub(crate) async fn unmount(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let Path { path, .. } = params(given)?;
    aside(&entry, move |sandbox| sandbox.unmount(&*path)).await?;
    result(&json!({}))
}

fn told(known: &Metadata) -> Json {
    json!({
        "type": name_of(known.kind),
        "size": known.size,
        "mode": known.mode,
        "modifiedMs": milliseconds(known.modified),
        "accessedMs": milliseconds(known.accessed),
        "changedMs": milliseconds(known.changed),
        "links": known.nlink,
    })
}

/// Since 1970, with a fraction.
#[expect(
    clippy::cast_precision_loss,
    reason = "JSON's numbers are floats for most readers"
)]
fn milliseconds(time: Timestamp) -> f64 {
    time.as_nanos() as f64 / 1e6
}

fn name_of(kind: FileType) -> &'static str {
    match kind {
        FileType::File => "file",
        FileType::Dir => "directory",
        FileType::Symlink => "symlink",
        FileType::CharDevice => "characterDevice",
        FileType::BlockDevice => "blockDevice",
        FileType::Fifo => "fifo",
        FileType::Socket => "socket",
        _ => "unknown",
    }
}
