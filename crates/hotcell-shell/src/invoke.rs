//! `bash` and `sh` as programs: their command line.

use std::io::{self, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::{Process, Program, error_text};
use hotcell_vfs::OpenOptions;

use crate::{
    flow::{Flow, Outcome},
    kind::CommandKind,
    settings::{Setting, Settings},
    shell::Shell,
    substitute::read_all,
};

/// The version of bash that this shell is like.
pub(crate) const VERSION: &str = "5.2.15(1)-release";

/// The shell as a program.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Interpreter;

impl Program for Interpreter {
    fn run(&self, process: &Process) -> io::Result<i32> {
        let arguments = match Invocation::parse(process) {
            Ok(invocation) => invocation,
            Err(code) => return Ok(code),
        };
        Ok(arguments.run(process))
    }

    fn needs_process(&self) -> bool {
        true
    }
}

/// What the command line asks for.
#[derive(Default)]
struct Invocation {
    settings: Settings,
    command: Option<BString>,
    reads_stdin: bool,
    is_interactive: bool,
    /// `--norc` and `--noprofile`
    skips_startup: (bool, bool),
    rc_file: Option<BString>,
    operands: Vec<BString>,
}

impl Invocation {
    /// Takes the arguments apart; the exit code if there is nothing to run.
    fn parse(process: &Process) -> Result<Self, i32> {
        let mut invocation = Self::default();
        if process.name() == "sh" {
            invocation.settings.set(Setting::Posix, true);
        }
        let mut arguments = process.args().iter().skip(1).peekable();
        let mut takes_command = false;
        while let Some(argument) = arguments.peek() {
            match argument.as_slice() {
                b"-" | b"--" => {
                    arguments.next();
                    break;
                }
                [b'-', b'-', name @ ..] => {
                    arguments.next();
                    if matches!(name, b"rcfile" | b"init-file") {
                        invocation.rc_file = arguments.next().cloned();
                    } else {
                        invocation.long_option(process, name)?;
                    }
                }
                [sign @ (b'-' | b'+'), letters @ ..] if !letters.is_empty() => {
                    arguments.next();
                    for letter in letters {
                        match letter {
                            b'c' => takes_command = true,
                            b'o' => invocation.named(process, arguments.next(), *sign == b'-')?,
                            b'O' => invocation.shopt(process, arguments.next(), *sign == b'-')?,
                            letter => invocation.letter(process, *letter, *sign == b'-')?,
                        }
                    }
                }
                _ => break,
            }
        }
        invocation.operands = arguments.cloned().collect();
        if takes_command {
            if invocation.operands.is_empty() {
                complain(process, "-c: option requires an argument");
                return Err(2);
            }
            invocation.command = Some(invocation.operands.remove(0));
        }
        Ok(invocation)
    }

    fn long_option(&mut self, process: &Process, name: &[u8]) -> Result<(), i32> {
        match name {
            b"posix" => self.settings.set(Setting::Posix, true),
            b"verbose" => self.settings.set(Setting::Verbose, true),
            b"login" => self.settings.set(Setting::LoginShell, true),
            b"restricted" => return Err(no_restriction(process)),
            b"norc" => self.skips_startup.0 = true,
            b"noprofile" => self.skips_startup.1 = true,
            // There is no editing to be left out.
            b"noediting" => {}
            b"version" => {
                let _ = writeln!(
                    process.stdout(),
                    "GNU bash, version {VERSION} compatible: hotcell-shell {}",
                    env!("CARGO_PKG_VERSION")
                );
                return Err(0);
            }
            b"help" => {
                let _ = process.stdout().write_all(HELP.as_bytes());
                return Err(0);
            }
            _ => {
                let option = [b"--", name].concat();
                return Err(invalid_option(process, &option));
            }
        }
        Ok(())
    }

    fn letter(&mut self, process: &Process, letter: u8, on: bool) -> Result<(), i32> {
        match letter {
            b's' => self.reads_stdin = on,
            b'l' => self.settings.set(Setting::LoginShell, on),
            b'i' => {
                self.is_interactive = on;
                self.settings.set(Setting::ExpandAliases, on);
            }
            b'r' => return Err(no_restriction(process)),
            letter => match Setting::by_letter(letter) {
                Some(setting) => self.settings.set(setting, on),
                None => return Err(invalid_option(process, &[b'-', letter])),
            },
        }
        Ok(())
    }

    fn named(&mut self, process: &Process, name: Option<&BString>, on: bool) -> Result<(), i32> {
        let Some(name) = name else {
            let _ = process
                .stdout()
                .write_all(&crate::builtins::list_set_options(self.settings, on));
            return Err(0);
        };
        if let Some(setting) = Setting::by_set_name(name) {
            self.settings.set(setting, on);
            Ok(())
        } else {
            complain(
                process,
                format!("line 0: bash: {name}: invalid option name"),
            );
            Err(2)
        }
    }

    fn shopt(&mut self, process: &Process, name: Option<&BString>, on: bool) -> Result<(), i32> {
        let Some(name) = name else {
            let _ = process
                .stdout()
                .write_all(&crate::builtins::list_shopt_options(self.settings, on));
            return Err(0);
        };
        if let Some(setting) = Setting::by_shopt_name(name) {
            self.settings.set(setting, on);
            Ok(())
        } else {
            complain(
                process,
                format!("line 0: {name}: invalid shell option name"),
            );
            Err(2)
        }
    }

    fn run(self, process: &Process) -> i32 {
        let own_name = process.args().first().cloned().unwrap_or_default();
        let startup = Startup {
            is_login: self.settings.has(Setting::LoginShell),
            is_interactive: self.is_interactive,
            skips: self.skips_startup,
            rc_file: self.rc_file,
        };
        let mut operands = self.operands.into_iter();
        if let Some(command) = self.command {
            let name = operands.next().unwrap_or(own_name);
            let mut shell = Shell::for_process(process, name, operands.collect());
            shell.settings = self.settings;
            return startup.run_all(shell, process, CommandKind::Argument, &command);
        }
        if self.reads_stdin || operands.len() == 0 {
            let mut shell = Shell::for_process(process, own_name, operands.collect());
            shell.settings = self.settings;
            return startup.run_all(shell, process, CommandKind::Input, b"");
        }
        let script = operands.next().unwrap_or_default();
        let text = match read_script(process, &script) {
            Ok(text) => text,
            Err(code) => return code,
        };
        let mut shell = Shell::for_process(process, script, operands.collect());
        shell.settings = self.settings;
        startup.run_all(shell, process, CommandKind::Script, &text)
    }
}

/// The files that are run before anything else.
struct Startup {
    is_login: bool,
    is_interactive: bool,
    skips: (bool, bool),
    rc_file: Option<BString>,
}

impl Startup {
    /// Runs those files and then all that the shell is there for; what it ends with.
    fn run_all(self, mut shell: Shell, process: &Process, kind: CommandKind, text: &[u8]) -> i32 {
        shell.expect(kind, text);
        let outcome = self
            .run(&mut shell, process)
            .and_then(|_| shell.run_kind(process, kind, text));
        shell.finish(process, outcome)
    }

    fn run(self, shell: &mut Shell, process: &Process) -> Outcome {
        shell.is_interactive = self.is_interactive;
        let (no_rc, no_profile) = self.skips;
        if self.is_login && !no_profile {
            shell.run_startup(process, b"/etc/profile")?;
            let own = [".bash_profile", ".bash_login", ".profile"];
            for name in own {
                if let Some(file) = shell.home_file(process, name)
                    && shell.run_startup(process, &file)?
                {
                    break;
                }
            }
        } else if self.is_interactive && !no_rc {
            let file = match self.rc_file {
                Some(file) => Some(file),
                None => shell.home_file(process, ".bashrc"),
            };
            if let Some(file) = file {
                shell.run_startup(process, &file)?;
            }
        } else if !self.is_interactive
            && !shell.has(Setting::Posix)
            && let Some(name) = shell.variable(process, b"BASH_ENV")
        {
            let file = shell.expand_prompt(process, &name);
            shell.run_startup(process, &file)?;
        }
        Ok(0)
    }
}

impl Shell {
    fn home_file(&mut self, process: &Process, name: &str) -> Option<BString> {
        let home = self.variable(process, b"HOME")?;
        Some([home.as_slice(), b"/", name.as_bytes()].concat().into())
    }

    /// Runs a file if it is there; says whether it is.
    fn run_startup(&mut self, process: &Process, file: &[u8]) -> Result<bool, Flow> {
        let mut text = Vec::new();
        let read = process
            .open(file, &OpenOptions::read())
            .and_then(|stream| read_all(process, stream, &mut text));
        if file.is_empty() || read.is_err() {
            return Ok(false);
        }
        self.source(process, file.into(), &text, &[]).map(|_| true)
    }
}

/// The text of a script, or the code to end with.
fn read_script(process: &Process, name: &BString) -> Result<Vec<u8>, i32> {
    let mut text = Vec::new();
    let read = process
        .open(find_script(process, name), &OpenOptions::read())
        .and_then(|stream| {
            if stream.file().is_some() && stream.metadata()?.is_dir() {
                return Err(hotcell_process::errno(hotcell_vfs::Errno::EISDIR));
            }
            read_all(process, stream, &mut text)
        });
    if let Err(error) = read {
        let is_directory = error.raw_os_error() == Some(hotcell_vfs::Errno::EISDIR.code());
        let shell = if is_directory {
            name.clone()
        } else {
            process.args().first().cloned().unwrap_or_default()
        };
        let message = format!("{shell}: {name}: {}\n", error_text(&error));
        let _ = process.stderr().write_all(message.as_bytes());
        return Err(if is_directory { 126 } else { 127 });
    }
    if is_binary(&text) {
        let message = format!("{name}: {name}: cannot execute binary file\n");
        let _ = process.stderr().write_all(message.as_bytes());
        return Err(126);
    }
    Ok(text)
}

/// Where a script is: in the working directory, or else on `PATH`.
fn find_script(process: &Process, name: &BString) -> BString {
    if name.contains(&b'/') || process.metadata(name, true).is_ok() {
        return name.clone();
    }
    match process.which(name) {
        Some(path) => path.into_bytes().into(),
        None => name.clone(),
    }
}

/// Whether the first line of a text, or what there is of it, has a byte that no text has.
pub(crate) fn is_binary(text: &[u8]) -> bool {
    let head = text.get(..80).unwrap_or(text);
    let line = head.lines().next().unwrap_or_default();
    line.contains(&0)
}

fn complain(process: &Process, text: impl AsRef<[u8]>) {
    process.complain(text);
}

fn no_restriction(process: &Process) -> i32 {
    let text = "restricted shells are not there: what a shell may do is for its sandbox to say";
    complain(process, text);
    2
}

fn invalid_option(process: &Process, option: &[u8]) -> i32 {
    complain(process, [option, b": invalid option"].concat());
    let _ = process.stderr().write_all(HELP.as_bytes());
    2
}

const HELP: &str = "\
Usage:\tbash [option] ... [script-file [argument ...]]
\tbash [option] ... -c command [name [argument ...]]
\tbash [option] ... -s [argument ...]
Options:
\t--help --init-file FILE --login --noediting --noprofile --norc --posix --rcfile FILE --verbose --version
\t-c\trun the first operand as a command
\t-s\tread commands from standard input
\t-i\tread ~/.bashrc and expand aliases
\t-l\tact as a login shell
\t-O NAME, +O NAME\tset or unset an option of `shopt'
\t-abefhkmnptuvxBCEHPT or -o NAME\tset an option of `set'; + instead of - unsets it
Type `bash -c \"help set\"' for more information about shell options.
";
