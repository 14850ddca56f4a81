//! A shell at its beginning.

use std::sync::Arc;

use bstr::BString;
use hotcell_process::{Environment, Pid, Process};
use hotcell_vfs::VfsPathBuf;

use crate::{
    jobs::Jobs, regex::RegexCache, settings::Settings, shell::Shell, traps::Traps,
    variables::Variables,
};

/// What a [`Shell`] begins with.
#[derive(Debug, Clone)]
pub struct ShellOptions {
    /// `$0`, which messages begin with.
    pub name: BString,
    /// `$1`, `$2`…
    pub arguments: Vec<BString>,
    /// What it inherits: its exported variables.
    pub environment: Environment,
    /// Where it is: an absolute path.
    pub cwd: VfsPathBuf,
    /// Bits that new files do not get.
    pub umask: u32,
}

impl Default for ShellOptions {
    /// `bash` in `/`, without an environment.
    fn default() -> Self {
        Self {
            name: "bash".into(),
            arguments: Vec::new(),
            environment: Environment::new(),
            cwd: VfsPathBuf::root(),
            umask: 0o022,
        }
    }
}

impl Shell {
    /// A shell that has not run anything yet.
    pub fn new(options: ShellOptions) -> Self {
        let mut variables = Variables::default();
        variables.import(&options.environment);
        Self {
            variables,
            regexes: RegexCache::default(),
            name: options.name,
            arguments: options.arguments.into(),
            settings: Settings::default(),
            functions: imbl::OrdMap::new(),
            aliases: imbl::OrdMap::new(),
            traps: Traps::default(),
            hashed: imbl::OrdMap::new(),
            hashed_for: BString::default(),
            disabled: std::collections::BTreeSet::new(),
            directories: Arc::default(),
            history: Arc::default(),
            completions: imbl::OrdMap::new(),
            jobs: Jobs::default(),
            status: 0,
            pipe_status: vec![0],
            background: None,
            pid: Pid(0),
            last_argument: BString::default(),
            line: 0,
            subshell_depth: 0,
            execution_string: None,
            reads_stdin: false,
            frames: Vec::new(),
            main_source: "environment".into(),
            evaluator: BString::default(),
            current: None,
            substituted: None,
            open_substitutions: Vec::new(),
            forgiven: 0,
            loops: 0,
            local_settings: None,
            is_last: false,
            is_subshell: false,
            is_substitution: false,
            option_place: (1, 0),
            standard_path: None,
            trace_depth: 0,
            successor: None,
            killed_by: None,
            cwd: options.cwd,
            umask: options.umask,
        }
    }

    /// A shell for a process, from its environment.
    pub(crate) fn for_process(process: &Process, name: BString, arguments: Vec<BString>) -> Self {
        let mut shell = Self::new(ShellOptions {
            name,
            arguments,
            environment: (*process.environment()).clone(),
            cwd: process.cwd().to_owned(),
            umask: process.umask(),
        });
        shell.pid = process.pid();
        shell
    }
}
