//! The command line of `js`.

use std::io::Read;

use bstr::{BString, ByteSlice};
use hotcell_process::{Process, error_text};
use hotcell_utilities::{Opt, Usage};

pub(crate) const NAME: &str = "js";

const USAGE: Usage = Usage {
    name: NAME,
    synopsis: "[OPTION]... [FILE | -] [ARG]...",
    summary: "Run JavaScript or TypeScript from FILE or standard input.\n\nThe code has fs, path, process, require and console, and import for its own files and these modules.",
    options: &[
        Opt::value('e', "eval", "CODE", "run CODE"),
        Opt::value('p', "print", "CODE", "run CODE and print its value"),
    ],
    stops_at_operand: true,
    ..Usage::DEFAULT
};

/// What is to be run.
pub(crate) struct Command {
    pub(crate) code: String,
    /// What stacks call it: the path of a file, or a name in brackets.
    pub(crate) name: String,
    /// What `process.argv` has behind the name of the program.
    pub(crate) arguments: Vec<BString>,
    /// Whether the value is printed.
    pub(crate) prints: bool,
}

/// Reads the command line, and the code. An exit code comes back if there is nothing to run.
pub(crate) fn read(process: &Process) -> Result<Command, i32> {
    let parsed = USAGE.parse(process);
    let given = parsed.last_of(&["eval", "print"]);
    let (code, name, arguments, prints) = if let Some(option) = given {
        let code = parsed.value(option).unwrap_or_default();
        (
            code.to_vec(),
            "[eval]".to_owned(),
            parsed.operands.clone(),
            option == "print",
        )
    } else {
        let file = parsed.operands.first().filter(|file| *file != "-");
        let code = code_of(process, file).ok_or(1)?;
        let name = file.map_or_else(
            || "[stdin]".to_owned(),
            |file| process.resolve(file).to_string(),
        );
        (code, name, parsed.operands.clone(), false)
    };
    let Ok(code) = String::from_utf8(code) else {
        process.complain(format!("{name}: the code is not UTF-8"));
        return Err(1);
    };
    Ok(Command {
        code,
        name,
        arguments,
        prints,
    })
}

/// What a file holds, or standard input. `None` if that was complained about.
fn code_of(process: &Process, file: Option<&BString>) -> Option<Vec<u8>> {
    let (input, name) = match file {
        Some(file) => (process.open_input(file), file.as_bstr()),
        None => (Ok(process.stdin()), b"-".as_bstr()),
    };
    let mut code = Vec::new();
    let read = input.and_then(|input| {
        let most = hotcell_prepare::PrepareOptions::default().max_code_bytes as u64;
        input.take(most + 1).read_to_end(&mut code)
    });
    match read {
        Ok(_) => Some(code),
        Err(error) => {
            process.complain(format!("cannot read {name}: {}", error_text(&error)));
            None
        }
    }
}
