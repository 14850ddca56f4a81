//! `echo`

use bstr::BString;
use hotcell_process::Process;

use super::{Builtin, Run, arguments::print};
use crate::{flow::Outcome, settings::Setting, shell::Shell};

pub(super) const ECHO: Builtin = Builtin {
    name: "echo",
    synopsis: "echo [-neE] [arg ...]",
    help: "Print the arguments with blanks between them.\n\
           -n no newline at the end; -e interpret backslashes; -E do not, which is the default.",
    is_special: false,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let arguments = fields.get(1..).unwrap_or_default();
    let text = hotcell_utilities::echo::echo(arguments, shell.has(Setting::XpgEcho));
    print(shell, process, "echo", &text)
}
