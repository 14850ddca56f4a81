//! `type` and `command`: what a name means.

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::Process;

use super::{
    Builtin, Run,
    arguments::{complain, print},
    find, parse,
};
use crate::{flow::Outcome, settings::Setting, shell::Shell};

pub(super) const TYPE: Builtin = Builtin {
    name: "type",
    synopsis: "type [-afptP] name [name ...]",
    help: "Say what each name means as a command.\n\
           -a everything it could mean; -f functions left out; -t one word for it; -p the file it would run;\n\
           -P the file on PATH even if it means something else.",
    is_special: false,
    run: Run::Fields(run_type),
};

pub(super) const COMMAND: Builtin = Builtin {
    name: "command",
    synopsis: "command [-pVv] command [arg ...]",
    help: "Run a command, but not a function of that name.\n\
           -p look on the standard PATH; -v print what the name means; -V say it in words.",
    is_special: false,
    run: Run::Fields(run_command),
};

/// Where programs are by default.
const STANDARD_PATH: &[u8] = b"/bin:/usr/bin:/sbin:/usr/sbin";

/// The words that the parser takes for itself.
pub(super) const KEYWORDS: [&str; 22] = [
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do",
    "done", "in", "function", "time", "{", "}", "!", "[[", "]]", "coproc",
];

/// What a name can mean.
pub(crate) enum Meaning {
    Alias(BString),
    Keyword,
    Function,
    Builtin,
    Hashed(BString),
    File(BString),
}

impl Shell {
    /// What a name means, in the order in which the shell looks; only the first unless `all`.
    pub(crate) fn meanings(&mut self, process: &Process, name: &BStr, all: bool) -> Vec<Meaning> {
        let mut found = Vec::new();
        if self.has(Setting::ExpandAliases)
            && let Some(value) = self.aliases.get(name)
        {
            found.push(Meaning::Alias(value.clone()));
        }
        if KEYWORDS.iter().any(|keyword| name == *keyword) {
            found.push(Meaning::Keyword);
        }
        if self.functions.contains_key(name) {
            found.push(Meaning::Function);
        }
        if find(name).is_some_and(|builtin| !self.disabled.contains(builtin.name)) {
            found.push(Meaning::Builtin);
        }
        if found.is_empty()
            && !all
            && let Some((path, _)) = self.hashed.get(name)
        {
            found.push(Meaning::Hashed(path.clone()));
        }
        if found.is_empty() || all {
            let files = self.files_named(process, name, all);
            found.extend(files.into_iter().map(Meaning::File));
        }
        if !all {
            found.truncate(1);
        }
        found
    }

    /// The files on `PATH` that a name could run.
    fn files_named(&mut self, process: &Process, name: &BStr, all: bool) -> Vec<BString> {
        if name.is_empty() {
            return Vec::new();
        }
        let path = self.search_path(process);
        let count = if all { usize::MAX } else { 1 };
        process
            .all_in(name, &path)
            .take(count)
            .map(|path| path.into_bytes().into())
            .collect()
    }
}

fn run_type(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(TYPE, shell, process, fields, "afptP");
    let all = parsed.has(b'a');
    let style = parsed.last_of(b"tpP");
    let mut text = Vec::new();
    let mut status = 0;
    for name in parsed.operands {
        process.spend(1);
        let meanings = if style == Some(b'P') {
            let files = shell.files_named(process, name.as_bstr(), all);
            files.into_iter().map(Meaning::File).collect()
        } else {
            let mut meanings = shell.meanings(process, name.as_bstr(), all || parsed.has(b'f'));
            if parsed.has(b'f') {
                meanings.retain(|meaning| !matches!(meaning, Meaning::Function));
                meanings.truncate(if all { usize::MAX } else { 1 });
            }
            meanings
        };
        if meanings.is_empty() {
            status = 1;
            if style.is_none() {
                complain(shell, process, "type", format!("{name}: not found"));
            }
            continue;
        }
        for meaning in &meanings {
            match style {
                Some(b't') => text.extend_from_slice(word(meaning).as_bytes()),
                Some(_) => match meaning {
                    Meaning::File(path) | Meaning::Hashed(path) => text.extend_from_slice(path),
                    _ => continue,
                },
                None => text.extend_from_slice(&shell.sentence(name, meaning)),
            }
            text.push(b'\n');
        }
    }
    let printed = print(shell, process, "type", &text)?;
    Ok(status.max(printed))
}

fn word(meaning: &Meaning) -> &'static str {
    match meaning {
        Meaning::Alias(_) => "alias",
        Meaning::Keyword => "keyword",
        Meaning::Function => "function",
        Meaning::Builtin => "builtin",
        Meaning::Hashed(_) | Meaning::File(_) => "file",
    }
}

impl Shell {
    /// What a name means, in words.
    fn sentence(&self, name: &BString, meaning: &Meaning) -> Vec<u8> {
        let mut text = name.to_vec();
        match meaning {
            Meaning::Alias(value) => {
                text.extend_from_slice(b" is aliased to `");
                text.extend_from_slice(value);
                text.push(b'\'');
            }
            Meaning::Keyword => text.extend_from_slice(b" is a shell keyword"),
            Meaning::Function => {
                text.extend_from_slice(b" is a function\n");
                if let Some(function) = self.functions.get(name) {
                    text.extend_from_slice(&crate::print::function_text(name, &function.body));
                }
            }
            Meaning::Builtin => {
                let special = self.has(Setting::Posix)
                    && find(name).is_some_and(|builtin| builtin.is_special);
                let kind = if special { "special " } else { "" };
                text.extend_from_slice(format!(" is a {kind}shell builtin").as_bytes());
            }
            Meaning::Hashed(path) => {
                text.extend_from_slice(b" is hashed (");
                text.extend_from_slice(path);
                text.push(b')');
            }
            Meaning::File(path) => {
                text.extend_from_slice(b" is ");
                text.extend_from_slice(path);
            }
        }
        text
    }

    /// Runs fields as a command, functions aside.
    pub(crate) fn run_words(&mut self, process: &Process, fields: &[BString]) -> Outcome {
        let Some(name) = fields.first() else {
            return Ok(0);
        };
        match find(name).filter(|builtin| !self.disabled.contains(builtin.name)) {
            Some(builtin) => self.call_builtin(process, builtin, fields),
            None => self.run_external(process, fields.to_vec(), false),
        }
    }
}

fn run_command(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(COMMAND, shell, process, fields, "pvV");
    let style = parsed.last_of(b"vV");
    let Some(style) = style else {
        if parsed.operands.is_empty() {
            return Ok(0);
        }
        if !parsed.has(b'p') {
            return shell.run_words(process, parsed.operands);
        }
        let known = std::mem::take(&mut shell.hashed);
        let own = shell.standard_path.replace(STANDARD_PATH.into());
        let outcome = shell.run_words(process, parsed.operands);
        shell.standard_path = own;
        shell.hashed = known;
        return outcome;
    };
    let mut text = Vec::new();
    let mut found = false;
    for name in parsed.operands {
        let meanings = shell.meanings(process, name.as_bstr(), false);
        let Some(meaning) = meanings.first() else {
            if style == b'V' {
                complain(shell, process, "command", format!("{name}: not found"));
            }
            continue;
        };
        found = true;
        if style == b'V' {
            text.extend_from_slice(&shell.sentence(name, meaning));
        } else {
            match meaning {
                Meaning::Alias(value) => {
                    text.extend_from_slice(b"alias ");
                    text.extend_from_slice(name);
                    text.push(b'=');
                    text.extend_from_slice(&crate::quote::single(value));
                }
                Meaning::Hashed(path) | Meaning::File(path) => text.extend_from_slice(path),
                _ => text.extend_from_slice(name),
            }
        }
        text.push(b'\n');
    }
    let printed = print(shell, process, "command", &text)?;
    Ok(printed.max(i32::from(!found)))
}
