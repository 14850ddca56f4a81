//! Files and variables of sandboxes, for the host.

use hotcell::sandbox::{Mount, Sandbox};
use hotcell::vfs::{FileType, Metadata};
use napi::{
    Result,
    bindgen_prelude::{Buffer, Either},
};
use napi_derive::napi;
use serde_json::json;

use super::NativeSandbox;
use crate::{fault::mistake, outcome::Outcome, snapshot::SnapshotBytes};

type Done = std::result::Result<Outcome, hotcell::sandbox::SandboxError>;

fn nothing((): ()) -> Outcome {
    Outcome::Nothing
}

#[napi]
impl NativeSandbox {
    /// What is in a file.
    #[napi]
    pub fn read_file(&self, operation: u32, path: String) -> bool {
        self.start(operation, move |it| {
            it.read_file(&*path).map(Outcome::Bytes)
        })
    }

    /// Writes a file anew, or at its end.
    #[napi]
    pub fn write_file(
        &self,
        operation: u32,
        path: String,
        content: Either<String, Buffer>,
        appends: bool,
    ) -> bool {
        let content = match content {
            Either::A(text) => text.into_bytes(),
            Either::B(bytes) => bytes.to_vec(),
        };
        self.start(operation, move |it| {
            if appends {
                return it.append_file(&*path, content).map(nothing);
            }
            it.write_file(&*path, content).map(nothing)
        })
    }

    /// What there is to say about a file.
    #[napi]
    pub fn stat(&self, operation: u32, path: String, follows: bool) -> bool {
        self.start(operation, move |it| {
            let known = if follows {
                it.stat(&*path)
            } else {
                it.lstat(&*path)
            };
            known.map(|known| told(&known))
        })
    }

    /// Whether there is something by that name.
    #[napi]
    pub fn exists(&self, operation: u32, path: String) -> bool {
        self.start(operation, move |it| Ok(Outcome::data(&it.exists(&*path)?)))
    }

    /// What is in a directory.
    #[napi]
    pub fn list(&self, operation: u32, path: String) -> bool {
        self.start(operation, move |it| {
            let entries = it.list(&*path)?.into_iter().map(|entry| {
                let name = String::from_utf8_lossy(&entry.name).into_owned();
                json!({ "name": name, "type": name_of(entry.kind) })
            });
            Ok(Outcome::data(&entries.collect::<Vec<_>>()))
        })
    }

    /// Makes a directory.
    #[napi]
    pub fn mkdir(&self, operation: u32, path: String, parents: bool) -> bool {
        self.start(operation, move |it| it.mkdir(&*path, parents).map(nothing))
    }

    /// Removes a file or a directory.
    #[napi]
    pub fn remove(&self, operation: u32, path: String, recursive: bool) -> bool {
        self.start(operation, move |it| {
            it.remove(&*path, recursive).map(nothing)
        })
    }

    /// Gives something another name.
    #[napi]
    pub fn rename(&self, operation: u32, from: String, to: String) -> bool {
        self.start(operation, move |it| it.rename(&*from, &*to).map(nothing))
    }

    /// Changes who may do what with a file.
    #[napi]
    pub fn chmod(&self, operation: u32, path: String, mode: u32) -> bool {
        self.start(operation, move |it| it.chmod(&*path, mode).map(nothing))
    }

    /// Makes a symbolic link.
    #[napi]
    pub fn symlink(&self, operation: u32, target: String, path: String) -> bool {
        self.start(operation, move |it| {
            it.symlink(&*target, &*path).map(nothing)
        })
    }

    /// Everything below a directory, as a tar archive.
    #[napi]
    pub fn export_tar(&self, operation: u32, path: String) -> bool {
        self.start(operation, move |it| it.export(&*path).map(Outcome::Bytes))
    }

    /// Unpacks a tar archive below a directory.
    #[napi]
    pub fn import_tar(&self, operation: u32, path: String, archive: &mut SnapshotBytes) -> bool {
        let archive = archive.take();
        self.start(operation, move |it| {
            it.import(&*path, &*archive).map(|_| Outcome::Nothing)
        })
    }

    /// Puts a directory of the machine, or an empty one in memory, at a path.
    #[napi]
    pub fn mount(
        &self,
        operation: u32,
        path: String,
        access: String,
        directory: Option<String>,
    ) -> Result<bool> {
        let mount = match (&*access, directory) {
            ("memory", None) => Mount::Memory,
            ("readOnly", Some(directory)) => Mount::ReadOnly(directory.into()),
            ("overlay", Some(directory)) => Mount::Overlay(directory.into()),
            ("readWrite", Some(directory)) => Mount::ReadWrite(directory.into()),
            _ => {
                return Err(mistake(
                    "mount needs { directory, access: 'readOnly' | 'overlay' | 'readWrite' } or { access: 'memory' }",
                ));
            }
        };
        Ok(self.start(operation, move |it| it.mount(&*path, mount).map(nothing)))
    }

    /// Takes away what was mounted at a path.
    #[napi]
    pub fn unmount(&self, operation: u32, path: String) -> bool {
        self.start(operation, move |it| it.unmount(&*path).map(nothing))
    }

    /// Everything it holds, as bytes.
    #[napi]
    pub fn snapshot(&self, operation: u32) -> bool {
        self.start(operation, |it| it.snapshot().map(Outcome::Bytes))
    }

    /// The value of a variable, or `null`.
    #[napi]
    pub fn get_env(&self, operation: u32, name: String) -> bool {
        self.start(operation, move |it| {
            let value = it.get_env(name)?.map(|value| value.to_string());
            Ok(Outcome::data(&value))
        })
    }

    /// Sets a variable, or removes it.
    #[napi]
    pub fn set_env(&self, operation: u32, name: String, value: Option<String>) -> bool {
        self.start(operation, move |it| match value {
            Some(value) => it.set_env(name, value).map(nothing),
            None => it.unset_env(name).map(nothing),
        })
    }

    /// The commands that ran.
    #[napi]
    pub fn history(&self, operation: u32) -> bool {
        self.start(operation, history)
    }

    /// Where the next command begins.
    #[napi]
    pub fn cwd(&self, operation: u32) -> bool {
        self.start(operation, |it| Ok(Outcome::data(&it.cwd()?.to_string())))
    }
}

fn history(sandbox: &Sandbox) -> Done {
    let entries = sandbox.history()?.into_iter().map(|entry| {
        let mut told = json!({
            "command": entry.command.to_string(),
            "exitCode": entry.exit_code,
            "durationMs": entry.duration.as_secs_f64() * 1000.0,
        });
        if let Some(class) = entry.error_class {
            told["errorClass"] = class.name().into();
        }
        told
    });
    Ok(Outcome::data(&entries.collect::<Vec<_>>()))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "JavaScript's times are floats in milliseconds"
)]
fn told(known: &Metadata) -> Outcome {
    Outcome::data(&json!({
        "type": name_of(known.kind),
        "size": known.size,
        "mode": known.mode,
        "modifiedMs": known.modified.as_nanos() as f64 / 1e6,
    }))
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
