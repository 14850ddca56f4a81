//! `cd` and `pwd`

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::{Errno, VfsPathBuf};

use super::{
    Builtin, Run,
    arguments::{complain, print},
    parse,
};
use crate::{flow::Outcome, settings::Setting, shell::Shell};

pub(super) const CD: Builtin = Builtin {
    name: "cd",
    synopsis: "cd [-L|[-P [-e]] [-@]] [dir]",
    help: "Go to another directory: HOME without an argument, the previous one for `-'. A relative name is looked for in\n\
           the directories of CDPATH, too.\n\
           -L keep the names of symbolic links (the default); -P replace them; -e with -P, fail if the result is unknown.",
    is_special: false,
    run: Run::Fields(run),
};

pub(super) const PWD: Builtin = Builtin {
    name: "pwd",
    synopsis: "pwd [-LP]",
    help: "Print the name of the working directory.\n\
           -L as the shell keeps it (the default); -P without symbolic links.",
    is_special: false,
    run: Run::Fields(run_pwd),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(CD, shell, process, fields, "LPe@");
    let physical = match parsed.last_of(b"LP") {
        Some(letter) => letter == b'P',
        None => shell.has(Setting::Physical),
    };
    let mut prints = false;
    let target = match parsed.operands {
        [] => {
            if let Some(home) = shell.variable(process, b"HOME") {
                home
            } else {
                complain(shell, process, "cd", "HOME not set");
                return Ok(1);
            }
        }
        [only] if only == "-" => {
            if let Some(old) = shell.variable(process, b"OLDPWD") {
                prints = true;
                old
            } else {
                complain(shell, process, "cd", "OLDPWD not set");
                return Ok(1);
            }
        }
        [only] => only.clone(),
        _ => {
            complain(shell, process, "cd", "too many arguments");
            return Ok(1);
        }
    };
    if let Some(found) = shell.find_on_cdpath(process, target.as_bstr())
        && shell.change_directory(process, &found, physical).is_ok()
    {
        return shell.print_directory(process);
    }
    match shell.change_directory(process, &target, physical) {
        Ok(()) if prints => shell.print_directory(process),
        Ok(()) => Ok(0),
        Err(_)
            if shell.has(Setting::CdableVars)
                && let Some(value) = shell.variable(process, &target)
                && shell.change_directory(process, &value, physical).is_ok() =>
        {
            shell.print_directory(process)
        }
        Err(reason) => {
            let text = [target.as_slice(), b": ", reason.as_bytes()].concat();
            complain(shell, process, "cd", text);
            Ok(1)
        }
    }
}

fn run_pwd(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(PWD, shell, process, fields, "LP");
    let physical = match parsed.last_of(b"LP") {
        Some(letter) => letter == b'P',
        None => shell.has(Setting::Physical),
    };
    if !physical {
        return shell.print_directory(process);
    }
    let real = process.vfs().realpath(&process.cwd());
    match real {
        Ok(path) => print(shell, process, "pwd", &[path.as_bytes(), b"\n"].concat()),
        Err(error) => {
            let reason = error_text(&file_error(error));
            let text = format!(
                "error retrieving current directory: getcwd: cannot access parent directories: {reason}"
            );
            complain(shell, process, "pwd", text);
            Ok(1)
        }
    }
}

impl Shell {
    fn print_directory(&mut self, process: &Process) -> Outcome {
        let line = [process.cwd().as_bytes(), b"\n"].concat();
        print(self, process, "pwd", &line)
    }

    /// Where a relative name is below one of the directories of `CDPATH`.
    fn find_on_cdpath(&mut self, process: &Process, target: &BStr) -> Option<BString> {
        let is_relative = !target.starts_with(b"/")
            && !matches!(target.as_bytes(), b"." | b".." | b"")
            && !target.starts_with(b"./")
            && !target.starts_with(b"../");
        if !is_relative || !self.variables.has(b"CDPATH") {
            return None;
        }
        let path = self.variable(process, b"CDPATH")?;
        let mut directories = path.split_str(":");
        directories.find_map(|directory| {
            if directory.is_empty() || directory == b"." {
                return None;
            }
            let candidate = BString::from([directory, b"/", target].concat());
            let metadata = process.vfs().stat(&process.resolve(&candidate));
            metadata
                .is_ok_and(|metadata| metadata.is_dir())
                .then_some(candidate)
        })
    }

    /// Goes to a directory and sets `PWD` and `OLDPWD`, or says why not.
    pub(crate) fn change_directory(
        &mut self,
        process: &Process,
        target: &[u8],
        physical: bool,
    ) -> Result<(), String> {
        let path = if target.is_empty() {
            process.cwd().to_owned()
        } else {
            process.resolve(target)
        };
        // A directory that is gone can still be left.
        let is_gone = process.vfs().stat(&process.cwd()).is_err();
        let path = if is_gone { path.normalize() } else { path };
        let text = |error| error_text(&file_error(error));
        // What is written is looked up first: `missing/..` does not exist.
        let metadata = process.vfs().stat(&path).map_err(text)?;
        if !metadata.is_dir() {
            return Err(error_text(&hotcell_process::errno(Errno::ENOTDIR)));
        }
        let real = process.vfs().realpath(&path).map_err(text)?;
        let mut new = if physical {
            real
        } else {
            let logical = path.normalize();
            // `..` goes back by names, which is the same place unless a link leads elsewhere: then the names win.
            match process.vfs().stat(&logical) {
                Ok(there) if there.is_dir() => logical,
                _ => real,
            }
        };
        if new.as_bytes().is_empty() {
            new = VfsPathBuf::root();
        }
        let old = BString::from(process.cwd().as_bytes());
        let shown = BString::from(new.as_bytes());
        process.set_cwd(new);
        // A readonly PWD is complained about, and the shell is there all the same.
        let _ = self.set_variable(process, b"OLDPWD", old);
        let _ = self.set_variable(process, b"PWD", shown);
        Ok(())
    }
}
