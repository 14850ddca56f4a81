//! `test` and `[`

use bstr::BString;
use hotcell_process::Process;
use hotcell_utilities::test::{TestError, TestShell, evaluate};

use super::{Builtin, Run, arguments::complain};
use crate::{flow::Outcome, shell::Shell};

pub(super) const TEST: Builtin = Builtin {
    name: "test",
    synopsis: "test [expr]",
    help: "Succeed if a conditional expression is true: `test --help' of the utility lists what there is; beside it\n\
           -v NAME a variable is set, -R NAME it is a reference, -o NAME an option of `set' is on.",
    is_special: false,
    run: Run::Fields(|shell, process, fields| {
        run("test", shell, process, fields.get(1..).unwrap_or_default())
    }),
};

pub(super) const BRACKET: Builtin = Builtin {
    name: "[",
    synopsis: "[ arg... ]",
    help: "As `test', with a closing bracket as its last argument.",
    is_special: false,
    run: Run::Fields(|shell, process, fields| {
        match fields.get(1..).unwrap_or_default().split_last() {
            Some((last, arguments)) if last == "]" => run("[", shell, process, arguments),
            _ => {
                complain(shell, process, "[", "missing `]'");
                Ok(2)
            }
        }
    }),
};

#[expect(clippy::unnecessary_wraps, reason = "what every command comes to")]
fn run(name: &str, shell: &mut Shell, process: &Process, arguments: &[BString]) -> Outcome {
    let result = evaluate(process, arguments, &mut Asked { shell, process });
    match result {
        Ok(holds) => Ok(i32::from(!holds)),
        Err(error) => {
            // bash looks one too far.
            let error = match error {
                TestError::MissingParenthesis(None) if name == "[" => {
                    TestError::MissingParenthesis(Some("]".into()))
                }
                error => error,
            };
            complain(shell, process, name, error.for_shell());
            Ok(2)
        }
    }
}

struct Asked<'a> {
    shell: &'a mut Shell,
    process: &'a Process,
}

impl TestShell for Asked<'_> {
    fn is_set(&mut self, name: &[u8]) -> bool {
        self.shell.is_set(self.process, name)
    }

    fn is_reference(&mut self, name: &[u8]) -> bool {
        self.shell.is_reference(name)
    }

    fn has_option(&mut self, name: &[u8]) -> bool {
        self.shell.has_option_named(name)
    }
}
