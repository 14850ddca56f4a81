//! `dirs`, `pushd`, `popd`: the stack of directories, whose top is the working directory.

use bstr::BString;
use hotcell_process::Process;

use super::{
    Builtin, Run,
    arguments::{complain, number, print},
};
use crate::{flow::Outcome, shell::Shell};

pub(super) const DIRS: Builtin = Builtin {
    name: "dirs",
    synopsis: "dirs [-clpv] [+N] [-N]",
    help: "Print the stack of directories that pushd and popd keep.\n\
           -c clear it; -l without ~ for HOME; -p one in a line; -v with numbers; +N the Nth, -N the Nth from the end.",
    is_special: false,
    run: Run::Fields(run_dirs),
};

pub(super) const PUSHD: Builtin = Builtin {
    name: "pushd",
    synopsis: "pushd [-n] [+N | -N | dir]",
    help: "Put a directory on the stack and go there; without one, swap the two topmost; +N or -N rotate the stack.\n\
           -n change the stack only.",
    is_special: false,
    run: Run::Fields(run_pushd),
};

pub(super) const POPD: Builtin = Builtin {
    name: "popd",
    synopsis: "popd [-n] [+N | -N]",
    help: "Take the topmost directory off the stack and go to the next; +N or -N take that one off.\n\
           -n change the stack only.",
    is_special: false,
    run: Run::Fields(run_popd),
};

/// There are not so many directories on the stack.
#[derive(Clone, Copy)]
struct OutOfRange;

/// `+N` or `-N` as an index from the top of a stack of so many.
fn index(text: &[u8], count: usize) -> Option<Result<usize, OutOfRange>> {
    let (sign, digits) = text.split_first()?;
    if !matches!(sign, b'+' | b'-') || digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = number(digits).and_then(|number| usize::try_from(number).ok());
    let index = match sign {
        b'+' => number,
        _ => number.and_then(|number| count.checked_sub(number + 1)),
    };
    Some(index.filter(|index| *index < count).ok_or(OutOfRange))
}

impl Shell {
    /// The whole stack, the working directory first.
    pub(crate) fn directory_stack(&self, process: &Process) -> Vec<BString> {
        let top = BString::from(process.cwd().as_bytes());
        std::iter::once(top)
            .chain(self.directories.iter().cloned())
            .collect()
    }

    /// Goes to the top of a new stack and keeps the rest; says what is wrong if that is not possible.
    fn set_stack(
        &mut self,
        process: &Process,
        name: &str,
        stack: &[BString],
        goes_there: bool,
    ) -> Result<(), i32> {
        let Some((top, rest)) = stack.split_first() else {
            return Ok(());
        };
        if goes_there && let Err(reason) = self.change_directory(process, top, false) {
            let text = [top.as_slice(), b": ", reason.as_bytes()].concat();
            complain(self, process, name, text);
            return Err(1);
        }
        self.directories = rest.into();
        Ok(())
    }

    /// A directory with `~` for the home directory.
    fn shortened(&mut self, process: &Process, directory: &BString) -> BString {
        let home = self
            .variable(process, b"HOME")
            .filter(|home| home.len() > 1);
        let rest = home.and_then(|home| {
            let rest = directory.strip_prefix(home.as_slice())?;
            (rest.is_empty() || rest.starts_with(b"/")).then(|| rest.to_vec())
        });
        match rest {
            Some(rest) => [b"~", rest.as_slice()].concat().into(),
            None => directory.clone(),
        }
    }

    fn print_stack(&mut self, process: &Process) -> Outcome {
        run_dirs(self, process, &["dirs".into()])
    }
}

fn run_dirs(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let (mut long, mut lines, mut numbers) = (false, false, false);
    let stack = shell.directory_stack(process);
    let mut wanted = None;
    for field in fields.iter().skip(1) {
        if field == "--" {
            continue;
        }
        if let Some(index) = index(field, stack.len()) {
            let Ok(index) = index else {
                let text = if stack.len() == 1 {
                    "directory stack empty".into()
                } else {
                    let number = BString::from(field.get(1..).unwrap_or_default());
                    format!("{number}: directory stack index out of range")
                };
                complain(shell, process, "dirs", text);
                return Ok(1);
            };
            wanted = Some(index);
            continue;
        }
        match field.as_slice() {
            b"-c" => {
                shell.directories = std::sync::Arc::default();
                return Ok(0);
            }
            b"-l" => long = true,
            b"-p" => lines = true,
            b"-v" => (lines, numbers) = (true, true),
            other => {
                let text = if other.starts_with(b"-") {
                    format!("{field}: invalid number")
                } else {
                    format!("{field}: invalid argument")
                };
                complain(shell, process, "dirs", text);
                return Ok(DIRS.usage(process));
            }
        }
    }
    let mut text = Vec::new();
    for (number, directory) in stack.iter().enumerate() {
        if wanted.is_some_and(|wanted| wanted != number) {
            continue;
        }
        let shown = if long {
            directory.clone()
        } else {
            shell.shortened(process, directory)
        };
        if numbers {
            text.extend_from_slice(format!("{number:>2}  ").as_bytes());
        }
        text.extend_from_slice(&shown);
        let is_last = wanted.is_some() || number + 1 == stack.len();
        text.push(if lines || is_last { b'\n' } else { b' ' });
    }
    print(shell, process, "dirs", &text)
}

fn run_pushd(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let mut stack = shell.directory_stack(process);
    let mut goes_there = true;
    let mut operand = None;
    for field in fields.iter().skip(1) {
        match field.as_slice() {
            b"-n" => goes_there = false,
            b"--" => {}
            _ => {
                if let Some(index) = index(field, stack.len()) {
                    return rotate(shell, process, stack, field, index, goes_there);
                }
                if field.starts_with(b"-") && field != "-" {
                    complain(shell, process, "pushd", format!("{field}: invalid number"));
                    return Ok(PUSHD.usage(process));
                }
                operand = Some(field.clone());
            }
        }
    }
    match operand {
        None if stack.len() < 2 => {
            complain(shell, process, "pushd", "no other directory");
            return Ok(1);
        }
        None => {
            stack.swap(0, 1);
            if let Err(status) = shell.set_stack(process, "pushd", &stack, goes_there) {
                return Ok(status);
            }
        }
        Some(directory) if !goes_there => {
            stack.insert(1, directory);
            shell.directories = stack.get(1..).unwrap_or_default().into();
        }
        Some(directory) => {
            let target = if directory == "-" {
                shell.variable(process, b"OLDPWD").unwrap_or_default()
            } else {
                directory
            };
            stack.insert(0, target);
            if let Err(status) = shell.set_stack(process, "pushd", &stack, true) {
                return Ok(status);
            }
        }
    }
    shell.print_stack(process)
}

fn rotate(
    shell: &mut Shell,
    process: &Process,
    mut stack: Vec<BString>,
    field: &BString,
    index: Result<usize, OutOfRange>,
    goes_there: bool,
) -> Outcome {
    if stack.len() < 2 {
        complain(shell, process, "pushd", "directory stack empty");
        return Ok(1);
    }
    let Ok(index) = index else {
        let text = format!("{field}: directory stack index out of range");
        complain(shell, process, "pushd", text);
        return Ok(1);
    };
    stack.rotate_left(index);
    if let Err(status) = shell.set_stack(process, "pushd", &stack, goes_there) {
        return Ok(status);
    }
    shell.print_stack(process)
}

fn run_popd(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let mut stack = shell.directory_stack(process);
    let mut goes_there = true;
    let mut taken = 0;
    for field in fields.iter().skip(1) {
        if field == "-n" {
            goes_there = false;
        } else if let Some(index) = index(field, stack.len()) {
            let Ok(index) = index else {
                let text = if stack.len() == 1 {
                    "directory stack empty".into()
                } else {
                    format!("{field}: directory stack index out of range")
                };
                complain(shell, process, "popd", text);
                return Ok(1);
            };
            taken = index;
        } else if field != "--" {
            let text = if field.starts_with(b"-") {
                format!("{field}: invalid number")
            } else {
                format!("{field}: invalid argument")
            };
            complain(shell, process, "popd", text);
            return Ok(POPD.usage(process));
        }
    }
    if stack.len() < 2 {
        complain(shell, process, "popd", "directory stack empty");
        return Ok(1);
    }
    // With -n the working directory stays on top.
    let taken = if taken == 0 && !goes_there { 1 } else { taken };
    stack.remove(taken.min(stack.len() - 1));
    let moves = goes_there && taken == 0;
    if let Err(status) = shell.set_stack(process, "popd", &stack, moves) {
        return Ok(status);
    }
    shell.print_stack(process)
}
