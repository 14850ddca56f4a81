//! `printf`

use bstr::BString;
use hotcell_process::Process;
use hotcell_utilities::format::{PrintfHost, printf};

use super::{
    Builtin, Run,
    arguments::{complain, print},
    parse,
};
use crate::{flow::Outcome, names::is_name, quote, shell::Shell, variables::base_name};

pub(super) const PRINTF: Builtin = Builtin {
    name: "printf",
    synopsis: "printf [-v var] format [arguments]",
    help: "Print arguments as FORMAT says; `printf --help' of the utility lists what there is. Beside it %(FORMAT)T prints a\n\
           time in seconds, -1 for now; %Q quotes like %q; -v VAR assigns the result.",
    is_special: false,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(PRINTF, shell, process, fields, "v:");
    let variable = parsed.value(b'v');
    if let Some(name) = variable
        && !can_be_set(shell, process, name)
    {
        return Ok(2);
    }
    let Some((format, arguments)) = parsed.operands.split_first() else {
        return Ok(PRINTF.usage(process));
    };
    let environment = shell.variables.environment(process);
    if let Err(error) = environment.and_then(|environment| process.set_environment(environment)) {
        shell.complain_of(process, b"printf", &error);
        return Ok(1);
    }
    let formatted = printf(process, &mut Host { shell, process }, format, arguments);
    let formatted = match formatted {
        Ok(formatted) => formatted,
        Err(error) => {
            shell.complain_of(process, b"printf", &error);
            return Ok(1);
        }
    };
    let formatted_status = formatted.status;
    let status = match variable {
        Some(name) => {
            let mut formatted = formatted.bytes;
            // No variable holds a NUL, or what is behind one.
            let end = memchr::memchr(0, &formatted).unwrap_or(formatted.len());
            formatted.truncate(end);
            let set = shell.evaluating(b"printf", |shell| {
                shell.set_variable(process, name, formatted.into())
            });
            Shell::as_status(set.map(|()| 0))?
        }
        None => print(shell, process, "printf", &formatted.bytes)?,
    };
    Ok(status.max(formatted_status))
}

struct Host<'a> {
    shell: &'a mut Shell,
    process: &'a Process,
}

impl PrintfHost for Host<'_> {
    fn is_shell(&self) -> bool {
        true
    }

    fn complain(&mut self, text: Vec<u8>) {
        complain(self.shell, self.process, "printf", text);
    }

    fn quoted(&self, text: &[u8]) -> Vec<u8> {
        quote::escaped(text)
    }

    fn set(&mut self, name: &[u8], value: BString) -> bool {
        if name.is_empty() {
            return true;
        }
        // A readonly variable has been complained about.
        can_be_set(self.shell, self.process, name)
            && self.shell.set_variable(self.process, name, value).is_ok()
    }
}

/// Whether there can be a variable or an element of this name; says so if not.
fn can_be_set(shell: &mut Shell, process: &Process, name: &[u8]) -> bool {
    let base = base_name(name);
    let is_fine = is_name(base) && (base.len() == name.len() || name.ends_with(b"]"));
    if !is_fine {
        let text = [&b"`"[..], name, b"': not a valid identifier"].concat();
        complain(shell, process, "printf", text);
    }
    is_fine
}
