//! The other side: a process of the machine's bash for each command, which starts one for each utility.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use tempfile::TempDir;

use crate::samples;

pub(crate) struct Machine {
    folder: TempDir,
}

impl Machine {
    /// With the samples on its disk.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        samples::write(folder.path());
        Self { folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What it is, version included.
    pub(crate) fn name() -> String {
        let output = Command::new("bash").arg("--version").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().next().unwrap_or("bash").to_owned()
    }

    /// What the command prints.
    pub(crate) fn run(&self, script: &str) -> Vec<u8> {
        let output = Command::new("bash")
            .args(["-c", script])
            .env("LC_ALL", "C")
            .current_dir(self.folder())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{script}");
        output.stdout
    }
}
