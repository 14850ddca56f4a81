//! The state of a shell.

use std::{io::Write, sync::Arc};

use bstr::{BStr, BString, ByteVec};
use hotcell_process::{Pid, Process};
use imbl::OrdMap;

use crate::{
    ast::CompoundCommand,
    settings::{Setting, Settings},
    variables::Variables,
};

/// A shell: everything that one command leaves for the next.
///
/// The working directory, the umask, the descriptors and the environment that programs get are those of the
/// [`Process`] that runs it. What can grow is shared with clones until one of them changes it: a subshell is a clone.
#[derive(Clone)]
pub struct Shell {
    /// The variables with their scopes.
    pub(crate) variables: Variables,
    /// `$0`
    pub(crate) name: BString,
    /// `$1`, `$2`…
    pub(crate) arguments: Arc<[BString]>,
    /// What `set` and `shopt` set.
    pub(crate) settings: Settings,
    /// Functions, by name.
    pub(crate) functions: OrdMap<BString, Arc<Function>>,
    /// Aliases, by name.
    pub(crate) aliases: OrdMap<BString, BString>,
    /// What `hash` knows: where names lead, and how often each was used.
    pub(crate) hashed: OrdMap<BString, (BString, u32)>,
    /// The directories below the working directory on the stack of `pushd`, topmost first.
    pub(crate) directories: Arc<[BString]>,
    /// `$?`
    pub(crate) status: i32,
    /// `PIPESTATUS`
    pub(crate) pipe_status: Vec<i32>,
    /// `$!`
    pub(crate) background: Option<Pid>,
    /// `$$`: of the shell that subshells are clones of.
    pub(crate) pid: Pid,
    /// `LINENO`
    pub(crate) line: u32,
    /// `BASH_SUBSHELL`
    pub(crate) subshell_depth: u32,
    /// The functions and sourced files that are being run, innermost last: for `FUNCNAME`, `BASH_SOURCE`, `BASH_LINENO`.
    pub(crate) frames: Vec<Frame>,
    /// Whose errors arithmetic reports: `((`, `[[`, `let`, `declare`; empty for expansions.
    pub(crate) evaluator: BString,
    /// `BASH_COMMAND`
    pub(crate) command_text: BString,
}

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
    /// Whether it is a function: `return` and `local` tell them apart.
    pub(crate) is_function: bool,
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
        // bash's own order: small letters before large ones, then how it was invoked.
        letters.sort_by_key(|letter| (letter.is_ascii_uppercase(), *letter));
        letters.push(b'c');
        letters.into()
    }

    /// What messages begin with: the name of the script, or of the file that the running function is from.
    fn name_for_messages(&self) -> &BStr {
        let source = self.frames.last().map(|frame| &frame.source);
        BStr::new(source.unwrap_or(&self.name))
    }

    /// Says what is wrong as bash does: `bash: line 3: TEXT`.
    pub(crate) fn complain(&self, process: &Process, text: impl AsRef<[u8]>) {
        self.complain_at(process, self.line, text);
    }

    /// As [`Shell::complain`], about another line.
    pub(crate) fn complain_at(&self, process: &Process, line: u32, text: impl AsRef<[u8]>) {
        let mut message = self.name_for_messages().to_owned();
        message.push_str(format!(": line {line}: "));
        message.push_str(text.as_ref());
        message.push_byte(b'\n');
        // If standard error is gone there is nobody left to tell.
        let _ = process.stderr().write_all(&message);
    }
}
