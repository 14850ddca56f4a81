//! The other side: ripgrep, if it is installed.

use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) struct Ripgrep {
    /// None if there is no such program here.
    version: Option<String>,
}

impl Ripgrep {
    pub(crate) fn find() -> Self {
        let output = Command::new("rg").arg("--version").output();
        let version = output.ok().filter(|output| output.status.success());
        let version = version.and_then(|output| {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            text.split_whitespace().nth(1).map(str::to_owned)
        });
        Self { version }
    }

    pub(crate) const fn is_there(&self) -> bool {
        self.version.is_some()
    }

    pub(crate) fn name(&self) -> String {
        match &self.version {
            Some(version) => format!("ripgrep {version} -j1"),
            None => "ripgrep".to_owned(),
        }
    }

    /// Runs it in a directory, as a program that waits for its output would.
    pub(crate) fn run(args: &[&str], dir: &Path) {
        let mut command = Command::new("rg");
        // Hidden files and the rules of `.gitignore` outside of a repository: as the tools have it.
        command
            .args(["--no-config", "-j1", "--hidden", "--no-require-git"])
            .args(["--no-heading", "--color=never"])
            .args(args)
            .current_dir(dir)
            .stdin(Stdio::null());
        let output = command.output().unwrap();
        // 1 means that nothing was found.
        assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    }
}
