//! `set` and `shopt`

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use super::{
    Builtin, Run,
    arguments::{complain, print},
    parse,
};
use crate::{
    flow::Outcome,
    settings::{Setting, Settings},
    shell::Shell,
};

pub(super) const SET: Builtin = Builtin {
    name: "set",
    synopsis: "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]",
    help: "Set options, or unset them with + instead of -, and positional parameters. Without arguments, list variables and\n\
           functions. `set -o' lists the options by name.\n\
           -a allexport  -b notify  -e errexit  -f noglob  -h hashall  -k keyword  -m monitor  -n noexec  -p privileged\n\
           -t onecmd  -u nounset  -v verbose  -x xtrace  -B braceexpand  -C noclobber  -E errtrace  -H histexpand\n\
           -P physical  -T functrace",
    is_special: true,
    run: Run::Fields(run_set),
};

pub(super) const SHOPT: Builtin = Builtin {
    name: "shopt",
    synopsis: "shopt [-pqsu] [-o] [optname ...]",
    help: "Set and unset options of the shell, or list them.\n\
           -s set; -u unset; -q print nothing, the status tells; -p print as commands; -o the options of `set -o'.",
    is_special: false,
    run: Run::Fields(run_shopt),
};

fn run_set(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let mut operands = fields.get(1..).unwrap_or_default();
    if operands.is_empty() {
        return shell.print_all_variables(process);
    }
    let mut settings = shell.settings;
    while let Some((first, rest)) = operands.split_first() {
        let on = match first.as_slice() {
            b"--" => {
                shell.change_settings(process, settings);
                shell.set_arguments(rest);
                return Ok(0);
            }
            b"-" => {
                settings.set(Setting::XTrace, false);
                settings.set(Setting::Verbose, false);
                shell.change_settings(process, settings);
                if !rest.is_empty() {
                    shell.set_arguments(rest);
                }
                return Ok(0);
            }
            [b'-', ..] => true,
            [b'+', ..] => false,
            _ => break,
        };
        operands = rest;
        for letter in first.iter().skip(1) {
            if *letter == b'o' {
                let name = operands
                    .split_first()
                    .filter(|(name, _)| !name.starts_with(b"-"));
                let Some((name, rest)) = name else {
                    shell.change_settings(process, settings);
                    let text = list_set_options(settings, on);
                    let status = print(shell, process, "set", &text)?;
                    if operands.is_empty() {
                        return Ok(status);
                    }
                    continue;
                };
                operands = rest;
                let Some(setting) = Setting::by_set_name(name) else {
                    complain(
                        shell,
                        process,
                        "set",
                        format!("{name}: invalid option name"),
                    );
                    return Ok(2);
                };
                settings.set(setting, on);
                continue;
            }
            if let Some(setting) = Setting::by_letter(*letter) {
                settings.set(setting, on);
            } else {
                let sign = if on { b'-' } else { b'+' };
                return Ok(SET.invalid_option(shell, process, &[sign, *letter]));
            }
        }
    }
    shell.change_settings(process, settings);
    if !operands.is_empty() {
        shell.set_arguments(operands);
    }
    Ok(0)
}

impl Shell {
    fn set_arguments(&mut self, arguments: &[BString]) {
        self.arguments = arguments.into();
        self.sets_arguments = true;
    }

    /// Sets options, with what else follows from them.
    fn change_settings(&mut self, process: &Process, mut settings: Settings) {
        let _ = process;
        // One turns the other off.
        if settings.has(Setting::Vi) && !self.has(Setting::Vi) {
            settings.set(Setting::Emacs, false);
        } else if settings.has(Setting::Emacs) && !self.has(Setting::Emacs) {
            settings.set(Setting::Vi, false);
        }
        let comments = settings.has(Setting::InteractiveComments);
        settings.set(Setting::InteractiveCommentsShopt, comments);
        self.settings = settings;
    }
}

/// What `set -o` prints, or `set +o` for commands.
pub(crate) fn list_set_options(settings: Settings, readable: bool) -> Vec<u8> {
    let all = Setting::SET.iter();
    all.flat_map(|setting| line(settings, *setting, readable, true))
        .collect()
}

/// What `shopt` prints, or `shopt -p`.
pub(crate) fn list_shopt_options(settings: Settings, readable: bool) -> Vec<u8> {
    let all = Setting::SHOPT.iter();
    all.flat_map(|setting| line(settings, *setting, readable, false))
        .collect()
}

fn line(settings: Settings, setting: Setting, readable: bool, of_set: bool) -> Vec<u8> {
    let on = settings.has(setting);
    let name = setting.name();
    let text = match (readable, of_set) {
        (true, _) => format!("{name:<15}\t{}\n", if on { "on" } else { "off" }),
        (false, true) => format!("set {}o {name}\n", if on { '-' } else { '+' }),
        (false, false) => format!("shopt -{} {name}\n", if on { 's' } else { 'u' }),
    };
    text.into_bytes()
}

fn run_shopt(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(SHOPT, shell, process, fields, "psuoq");
    let (sets, unsets) = (parsed.has(b's'), parsed.has(b'u'));
    if sets && unsets {
        let text = "cannot set and unset shell options simultaneously";
        complain(shell, process, "shopt", text);
        return Ok(1);
    }
    let of_set = parsed.has(b'o');
    let readable = !parsed.has(b'p');
    let quiet = parsed.has(b'q');
    let mut text = Vec::new();
    if parsed.operands.is_empty() {
        let all = if of_set { Setting::SET } else { Setting::SHOPT };
        for setting in all {
            let on = shell.has(*setting);
            if !quiet && ((!sets && !unsets) || on == sets) {
                text.extend_from_slice(&line(shell.settings, *setting, readable, of_set));
            }
        }
        return print(shell, process, "shopt", &text);
    }
    let mut status = 0;
    for name in parsed.operands {
        let setting = if of_set {
            Setting::by_set_name(name.as_bytes())
        } else {
            Setting::by_shopt_name(name.as_bytes())
        };
        let Some(setting) = setting else {
            let kind = if of_set { "option" } else { "shell option" };
            complain(
                shell,
                process,
                "shopt",
                format!("{name}: invalid {kind} name"),
            );
            status = 1;
            continue;
        };
        if sets || unsets {
            let mut settings = shell.settings;
            // How it was started is not for it to say.
            if !matches!(setting, Setting::RestrictedShell | Setting::LoginShell) {
                settings.set(setting, sets);
            }
            shell.change_settings(process, settings);
            continue;
        }
        if !shell.has(setting) {
            status = 1;
        }
        if !quiet {
            text.extend_from_slice(&line(shell.settings, setting, readable, of_set));
        }
    }
    let printed = print(shell, process, "shopt", &text)?;
    Ok(status.max(printed))
}
