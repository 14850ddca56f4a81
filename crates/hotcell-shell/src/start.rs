//! A shell at its beginning.

use std::sync::Arc;

use bstr::{BString, ByteSlice};
use hotcell_process::{Environment, Pid, Process};
use hotcell_vfs::VfsPathBuf;

use crate::{
    ast::Command,
    execute::DEFAULT_PATH,
    holdings::Holdings,
    jobs::Jobs,
    parse::Parser,
    regex::RegexCache,
    settings::Settings,
    shell::{Function, Shell, WEIGHT_OF_TEXT},
    traps::Traps,
    variables::{Attributes, Place, Value, Variables},
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
        let variables = variables(&options);
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
            holdings: Holdings::default(),
            jobs: Jobs::default(),
            status: 0,
            pipe_status: Vec::new(),
            background: None,
            pid: Pid(0),
            last_argument: Arc::default(),
            line: 0,
            subshell_depth: 0,
            execution_string: None,
            is_interactive: false,
            reads_stdin: false,
            frames: Vec::new(),
            main_source: "environment".into(),
            evaluator: BString::default(),
            current: None,
            substituted: None,
            open_substitutions: Vec::new(),
            forgiven: 0,
            loops: 0,
            sets_arguments: false,
            program_killed_by: None,
            local_settings: None,
            is_last: false,
            is_subshell: false,
            is_bare_stage: false,
            is_substitution: false,
            option_place: (1, 0),
            standard_path: None,
            trace_depth: 0,
            pending_flow: None,
            successor: None,
            killed_by: None,
            has_exited: false,
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
        shell.import_functions(process);
        shell
    }

    /// Functions that were exported: `BASH_FUNC_name%%=() { …`.
    fn import_functions(&mut self, process: &Process) {
        let environment = process.environment();
        for (key, text) in environment.iter() {
            let name = key
                .strip_prefix(b"BASH_FUNC_")
                .and_then(|name| name.strip_suffix(b"%%"));
            let Some(name) = name.filter(|_| text.starts_with(b"() {")) else {
                continue;
            };
            let definition = [name, b" ", text.as_slice()].concat();
            let mut parser = Parser::new(&definition, self.parse_options(1));
            let parsed = self.parse_next(process, &mut parser);
            // Nothing but the definition of that function is taken from the environment.
            let Ok(Some(command)) = parsed else { continue };
            if let [item] = &*command.list.items
                && let Some(Command::Function(function)) = item.command.first.only()
                && item.command.rest.is_empty()
            {
                let function = Function {
                    body: Arc::clone(&function.body),
                    source: "environment".into(),
                    line: 0,
                    is_exported: true,
                    is_readonly: false,
                    is_traced: false,
                    weight: text.len().saturating_mul(WEIGHT_OF_TEXT),
                };
                self.functions.insert(name.into(), Arc::new(function));
            }
        }
    }
}

/// The variables of a new shell: what it inherits, and what it makes of that.
fn variables(options: &ShellOptions) -> Variables {
    let mut variables = Variables::default();
    variables.import(&options.environment);
    let mut set = |name: &str, value: BString, exported: bool| {
        variables.update(name.as_bytes(), Place::Visible, |variable| {
            variable.value = Value::Scalar(value);
            if exported {
                variable.attributes |= Attributes::EXPORT;
            }
        });
    };
    let given = |name: &str| options.environment.get(name.as_bytes());
    let level = given("SHLVL")
        .and_then(|level| level.to_str().ok()?.parse::<u32>().ok())
        .unwrap_or(0);
    set("SHLVL", level.saturating_add(1).to_string().into(), true);
    set("PWD", options.cwd.as_bytes().into(), true);
    if given("PATH").is_none() {
        set("PATH", DEFAULT_PATH.into(), false);
    }
    if given("SHELL").is_none() {
        set("SHELL", "/bin/bash".into(), false);
    }
    variables.update(b"OLDPWD", Place::Visible, |variable| {
        variable.attributes |= Attributes::EXPORT;
    });
    variables
}
