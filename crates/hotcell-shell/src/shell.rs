//! The state of a shell.

use std::{collections::BTreeSet, io::Write, sync::Arc};

use bstr::{BStr, BString, ByteVec};
use hotcell_process::{Fd, Pid, Process, Program, Signal, Spec};
use hotcell_vfs::VfsPathBuf;
use imbl::OrdMap;

use crate::{
    ast::{CompoundCommand, SimpleCommand},
    flow::Flow,
    holdings::Holdings,
    jobs::Jobs,
    positional::Positional,
    regex::RegexCache,
    settings::{Setting, Settings},
    traps::Traps,
    variables::Variables,
};

/// A shell: everything that one command leaves for the next.
///
/// The working directory, the umask, the descriptors and the environment that programs get are those of the
/// [`Process`] that runs it. What can grow is shared with clones until one of them changes it: a subshell is a clone.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Shell {
    /// The variables with their scopes.
    pub(crate) variables: Variables,
    /// Regular expressions of `[[` that were compiled.
    pub(crate) regexes: RegexCache,
    /// `$0`
    pub(crate) name: BString,
    /// `$1`, `$2`…
    pub(crate) arguments: Positional,
    /// What `set` and `shopt` set.
    pub(crate) settings: Settings,
    /// Functions, by name.
    pub(crate) functions: OrdMap<BString, Arc<Function>>,
    /// Aliases, by name.
    pub(crate) aliases: OrdMap<BString, BString>,
    /// What `trap` set.
    pub(crate) traps: Traps,
    /// What `hash` knows: where names lead, and how often each was used.
    pub(crate) hashed: OrdMap<BString, (BString, u32)>,
    /// The `PATH` that it knows that for.
    pub(crate) hashed_for: BString,
    /// Builtins that `enable -n` turned off.
    pub(crate) disabled: BTreeSet<&'static str>,
    /// The directories below the working directory on the stack of `pushd`, topmost first.
    pub(crate) directories: Arc<[BString]>,
    /// What `history` lists.
    pub(crate) history: Arc<Vec<BString>>,
    /// What `complete` was told.
    pub(crate) completions: OrdMap<BString, BString>,
    /// What it keeps of these, and what that weighs.
    pub(crate) holdings: Holdings,
    /// What runs in the background.
    pub(crate) jobs: Jobs,
    /// `$?`
    pub(crate) status: i32,
    /// `PIPESTATUS`
    pub(crate) pipe_status: Vec<i32>,
    /// `$!`
    pub(crate) background: Option<Pid>,
    /// `$$`: of the shell that subshells are clones of.
    pub(crate) pid: Pid,
    /// `$_`
    pub(crate) last_argument: Arc<BString>,
    /// `LINENO`
    pub(crate) line: u32,
    /// `BASH_SUBSHELL`
    pub(crate) subshell_depth: u32,
    /// `BASH_EXECUTION_STRING`: the argument of `-c`.
    pub(crate) execution_string: Option<Arc<[u8]>>,
    /// It was told to be interactive.
    pub(crate) is_interactive: bool,
    /// It reads its commands from standard input.
    pub(crate) reads_stdin: bool,
    /// The functions and sourced files that are being run, innermost last: for `FUNCNAME`, `BASH_SOURCE`, `BASH_LINENO`.
    pub(crate) frames: Vec<Frame>,
    /// What `BASH_SOURCE` says of functions that are defined outside of any file: `main`, `environment`, or the script.
    pub(crate) main_source: BString,
    /// Whose errors arithmetic reports: `((`, `[[`, `let`, `declare`; empty for expansions.
    pub(crate) evaluator: BString,
    /// The command that is being run, for `BASH_COMMAND`.
    pub(crate) current: Option<Current>,
    /// The status of the last command substitution of the command that is being run.
    pub(crate) substituted: Option<i32>,
    /// Descriptors of process substitutions that are open.
    pub(crate) open_substitutions: Vec<Fd>,
    /// How many commands around this one test its status, so that its failure is nobody's business.
    pub(crate) forgiven: u32,
    /// How many loops this command is in, within its function.
    pub(crate) loops: usize,
    /// `set` was used to change the positional parameters of a sourced file.
    pub(crate) sets_arguments: bool,
    /// The signal that has ended the program of the command that is being run.
    pub(crate) program_killed_by: Option<Signal>,
    /// The settings to return to at the end of the function: it has said `local -`.
    pub(crate) local_settings: Option<Settings>,
    /// The next simple command is the last thing that the process does.
    pub(crate) is_last: bool,
    /// It is a clone with a process of its own.
    pub(crate) is_subshell: bool,
    /// It is a clone that runs one simple command of a pipeline or in the background: for `-c` that is no subshell.
    pub(crate) is_bare_stage: bool,
    /// It runs for `$(…)`.
    pub(crate) is_substitution: bool,
    /// Where `getopts` is: the argument, from 1, and the letter within it.
    pub(crate) option_place: (usize, usize),
    /// Where programs are looked for instead of `PATH`, during `command -p`.
    pub(crate) standard_path: Option<BString>,
    /// How many evals, sourced files and substitutions it is in, for `set -x`.
    pub(crate) trace_depth: usize,
    /// What a trap that ran between the stages of a pipeline came to.
    pub(crate) pending_flow: Option<Flow>,
    /// The program that takes the place of the shell.
    pub(crate) successor: Option<(Spec, Arc<dyn Program>)>,
    /// The signal that ends it after its `EXIT` trap.
    pub(crate) killed_by: Option<Signal>,
    /// The last command that it was given has ended it: by `exit`, `exec` or a signal.
    pub(crate) has_exited: bool,
    /// Where it is between two runs.
    pub(crate) cwd: VfsPathBuf,
    /// Its umask between two runs.
    pub(crate) umask: u32,
}

/// What [`Shell::current`] holds.
#[derive(Debug, Clone)]
pub(crate) enum Current {
    /// A simple command, whose text is made when it is asked for.
    Simple(Arc<SimpleCommand>),
    /// The text of another one.
    Text(BString),
}

/// About how many bytes of a tree come of a byte of a script.
pub(crate) const WEIGHT_OF_TEXT: usize = 16;

/// A function.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// What it does.
    pub(crate) body: Arc<CompoundCommand>,
    /// The file it was defined in, for `BASH_SOURCE`: `main` or `environment` if there was none.
    pub(crate) source: BString,
    /// The line of its definition.
    pub(crate) line: u32,
    /// `export -f`
    pub(crate) is_exported: bool,
    /// `readonly -f`
    pub(crate) is_readonly: bool,
    /// `declare -ft`
    pub(crate) is_traced: bool,
    /// About how many bytes its body takes.
    pub(crate) weight: usize,
}

/// A function call or a sourced file that is being run.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// The function, or `source`.
    pub(crate) name: BString,
    /// The file that its commands are in.
    pub(crate) source: BString,
    /// The line that it was called from.
    pub(crate) called_from: u32,
    /// Its arguments, for `BASH_ARGV` under `extdebug`.
    pub(crate) arguments: Arc<[BString]>,
    /// What it is.
    pub(crate) kind: FrameKind,
}

/// The kinds of [`Frame`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// The script itself: the outermost frame, if there is a script.
    Main,
    /// A function.
    Function,
    /// A sourced file.
    Source,
}

impl Shell {
    /// Whether an option is on.
    pub(crate) fn has(&self, setting: Setting) -> bool {
        self.settings.has(setting)
    }

    /// `$-`
    pub(crate) fn flags(&self) -> BString {
        let on = Setting::SET.iter().filter(|setting| self.has(**setting));
        let mut letters: Vec<u8> = on
            .filter_map(|setting| u8::try_from(setting.letter()).ok())
            .filter(|letter| *letter != b' ')
            .collect();
        if self.is_interactive {
            letters.push(b'i');
        }
        // bash's own order: small letters before large ones, then how it was invoked.
        letters.sort_by_key(|letter| (letter.is_ascii_uppercase(), *letter));
        if self.execution_string.is_some() {
            letters.push(b'c');
        }
        if self.reads_stdin {
            letters.push(b's');
        }
        letters.into()
    }

    /// How many functions are being run.
    pub(crate) fn function_depth(&self) -> usize {
        let functions = self.frames.iter().rev();
        functions
            .filter(|frame| frame.kind == FrameKind::Function)
            .count()
    }

    /// What messages begin with: the name of the script, or of the file that the running function is from.
    pub(crate) fn name_for_messages(&self) -> &BStr {
        let source = self.frames.last().map(|frame| &frame.source);
        BStr::new(source.unwrap_or(&self.name))
    }

    /// Says what is wrong as bash does: `bash: line 3: TEXT`.
    pub(crate) fn complain(&self, process: &Process, text: impl AsRef<[u8]>) {
        if self.has(Setting::GnuErrFmt) {
            let head = format!("{}:{}: ", self.name_for_messages(), self.line);
            let message = [head.as_bytes(), text.as_ref(), b"\n"].concat();
            let _ = process.stderr().write_all(&message);
            return;
        }
        self.complain_at(process, self.line, text);
    }

    /// As [`Shell::complain`], about another line.
    pub(crate) fn complain_at(&self, process: &Process, line: u32, text: impl AsRef<[u8]>) {
        let mut message = self.name_for_messages().to_owned();
        // Whoever types sees the line.
        if self.is_interactive {
            message.push_str(": ");
        } else {
            message.push_str(format!(": line {line}: "));
        }
        message.push_str(text.as_ref());
        message.push_byte(b'\n');
        // If standard error is gone there is nobody left to tell.
        let _ = process.stderr().write_all(&message);
    }
}
