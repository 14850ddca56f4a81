//! `php`, by way of `php-cgi`: the build for WASI is one for web servers, which takes other options.

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use super::Call;

/// What `php` does otherwise than `php-cgi`.
const SETTINGS: &[&str] = &[
    "display_errors=1",
    "html_errors=0",
    "implicit_flush=1",
    "max_execution_time=0",
    "auto_prepend_file=/usr/local/lib/php/before.php",
];

/// The script that runs the code of `-r`.
const RUN_CODE: &str = "/usr/local/lib/php/code.php";

/// Options that `php-cgi` has as `php` does, without a script to run.
const ALONE: &[(&str, &str)] = &[
    ("-v", "--version"),
    ("-i", "--info"),
    ("-m", "--modules"),
    ("-h", "--help"),
];

/// Options about a script that are the same.
const ABOUT_SCRIPT: &[(&str, &str)] = &[
    ("-l", "--syntax-check"),
    ("-w", "--strip"),
    ("-s", "--syntax-highlight"),
];

enum Script {
    Code(BString),
    File(BString),
    Stdin,
}

pub(super) fn call(process: &Process) -> Result<Call, i32> {
    let mut given = process.args().iter().skip(1).peekable();
    let mut args: Vec<BString> = vec!["php".into(), "-q".into(), "-C".into()];
    for setting in SETTINGS {
        args.push("-d".into());
        args.push((*setting).into());
    }
    let mut script = None;
    let mut looks_at = false;
    while let Some(argument) =
        given.next_if(|argument| argument.starts_with(b"-") && *argument != "-")
    {
        if argument == "--" {
            break;
        }
        if let Some((short, _)) = ALONE
            .iter()
            .find(|(short, long)| argument == short || argument == long)
        {
            return Ok(Call {
                args: vec!["php".into(), (*short).into()],
                environment: Vec::new(),
            });
        }
        if let Some((short, _)) = ABOUT_SCRIPT
            .iter()
            .find(|(short, long)| argument == short || argument == long)
        {
            args.push((*short).into());
            looks_at = true;
            continue;
        }
        let (option, attached) = split(argument);
        let mut value = || match attached {
            Some(value) => Ok(value.into()),
            None => given.next().cloned().ok_or_else(|| {
                process.complain(format!("option {option} needs a value"));
                1
            }),
        };
        match option {
            "-r" => script = Some(Script::Code(value()?)),
            "-f" => script = Some(Script::File(value()?)),
            "-d" | "-c" | "-z" => {
                args.push(option.into());
                args.push(value()?);
            }
            "-n" | "-e" => args.push(option.into()),
            "-q" | "-C" => {}
            _ => {
                process.complain(format!(
                    "option {} is not there: this is a php-cgi; use -r CODE, -f FILE, -d KEY=VALUE or a script",
                    argument.as_bstr()
                ));
                return Err(1);
            }
        }
        if matches!(script, Some(Script::Code(_))) {
            given.next_if(|argument| *argument == "--");
            break;
        }
    }
    let script = script.or_else(|| given.next().cloned().map(Script::File));
    let script = script.unwrap_or(Script::Stdin);
    let mut environment = Vec::new();
    match script {
        Script::Code(code) => {
            environment.push(("HOTCELL_PHP_CODE".into(), code));
            args.push(RUN_CODE.into());
        }
        Script::File(file) if file != "-" => {
            // Opened before the program goes to its working directory.
            let path = process.resolve(&file);
            if !looks_at {
                environment.push(("HOTCELL_PHP_SCRIPT".into(), file));
            }
            args.push(path.as_bytes().into());
        }
        Script::File(_) | Script::Stdin => {}
    }
    args.extend(given.cloned());
    Ok(Call { args, environment })
}

/// An option of one letter, and what is attached to it. Long ones are those that have a short one.
fn split(argument: &BString) -> (&str, Option<&[u8]>) {
    match argument.to_str() {
        Ok("--run") => ("-r", None),
        Ok("--file") => ("-f", None),
        Ok("--define") => ("-d", None),
        Ok("--no-php-ini") => ("-n", None),
        Ok("--php-ini") => ("-c", None),
        Ok(long) if long.starts_with("--") => (long, None),
        _ => {
            let option = argument.get(..2).and_then(|option| option.to_str().ok());
            let attached = argument.get(2..).filter(|rest| !rest.is_empty());
            (option.unwrap_or("?"), attached)
        }
    }
}
