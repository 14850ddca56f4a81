//! `complete`, `compgen`, `compopt`: what could be meant by the beginning of a word.

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::Process;

use super::{
    ALL, Builtin, Run,
    arguments::{Parsed, complain, print},
    parse,
    type_::KEYWORDS,
};
use crate::{
    ast::{Part, Word},
    flow::{Flow, Outcome},
    quote,
    settings::Setting,
    shell::Shell,
    text::Origin,
    variables::Value,
};

const LETTERS: &str = "abcdefgjksuvo:A:G:W:F:C:X:P:S:prDEI";

pub(super) const COMPLETE: Builtin = Builtin {
    name: "complete",
    synopsis: "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]",
    help: "Say how the arguments of commands are completed, print that with -p, or forget it with -r.",
    is_special: false,
    run: Run::Fields(run_complete),
};

pub(super) const COMPGEN: Builtin = Builtin {
    name: "compgen",
    synopsis: "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [word]",
    help: "Print what a word could be completed to: -a aliases, -b builtins, -c commands, -d directories, -e exported\n\
           variables, -f files, -k keywords, -v variables, -W the words of a list, -A function, or what -F or -C print.",
    is_special: false,
    run: Run::Fields(run_compgen),
};

pub(super) const COMPOPT: Builtin = Builtin {
    name: "compopt",
    synopsis: "compopt [-o|+o option] [-DEI] [name ...]",
    help: "Change options of completions while one is being made.",
    is_special: false,
    run: Run::Fields(|shell, process, _| {
        let text = "not currently executing completion function";
        complain(shell, process, "compopt", text);
        Ok(1)
    }),
};

fn run_complete(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(COMPLETE, shell, process, fields, LETTERS);
    if parsed.has(b'r') {
        if parsed.operands.is_empty() {
            shell.completions.clear();
            return Ok(0);
        }
        let mut status = 0;
        for name in parsed.operands {
            if shell.completions.remove(name).is_none() {
                complain(
                    shell,
                    process,
                    "complete",
                    format!("{name}: no completion specification"),
                );
                status = 1;
            }
        }
        return Ok(status);
    }
    if parsed.has(b'p') || parsed.operands.is_empty() && fields.len() == 1 {
        let mut text = Vec::new();
        let mut status = 0;
        if parsed.operands.is_empty() {
            for specification in shell.completions.values() {
                text.extend_from_slice(specification);
            }
        }
        for name in parsed.operands {
            if let Some(specification) = shell.completions.get(name) {
                text.extend_from_slice(specification);
            } else {
                let text = format!("{name}: no completion specification");
                complain(shell, process, "complete", text);
                status = 1;
            }
        }
        let printed = print(shell, process, "complete", &text)?;
        return Ok(status.max(printed));
    }
    let options = shown_options(&parsed);
    let default = [(b'D', "-D"), (b'E', "-E"), (b'I', "-I")];
    let special = default.iter().find(|(letter, _)| parsed.has(*letter));
    let names: Vec<BString> = match special {
        Some((_, name)) => vec![(*name).into()],
        None => parsed.operands.to_vec(),
    };
    if names.is_empty() {
        return Ok(COMPLETE.usage(process));
    }
    for name in names {
        let line = format!("complete {options}{name}\n");
        shell.completions.insert(name, line.into());
    }
    Ok(0)
}

/// The options as `complete -p` prints them.
fn shown_options(parsed: &Parsed<'_>) -> BString {
    let mut text = BString::default();
    for (letter, value) in parsed.iter() {
        if b"prDEI".contains(&letter) {
            continue;
        }
        text.extend_from_slice(&[b'-', letter, b' ']);
        if let Some(value) = value {
            let quoted = match letter {
                b'o' | b'A' | b'F' => value.to_vec(),
                _ => quote::single(value),
            };
            text.extend_from_slice(&quoted);
            text.push(b' ');
        }
    }
    text
}

fn run_compgen(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let letters = LETTERS.trim_end_matches("prDEI");
    let parsed = parse!(COMPGEN, shell, process, fields, letters);
    let word = parsed.operands.first().cloned().unwrap_or_default();
    let mut found: Vec<BString> = Vec::new();
    for (letter, value) in parsed.iter() {
        let action = match letter {
            b'A' => {
                if let Some(letter) = action_letter(value.unwrap_or_default()) {
                    letter
                } else {
                    let name = value.unwrap_or_default();
                    complain(
                        shell,
                        process,
                        "compgen",
                        format!("{name}: invalid action name"),
                    );
                    return Ok(2);
                }
            }
            letter => letter,
        };
        let candidates = shell.candidates(process, action, value, word.as_bstr())?;
        // What a function or a command says is taken as it is.
        let filters = !matches!(action, b'F' | b'C' | b'G');
        found.extend(
            candidates
                .into_iter()
                .filter(|candidate| !filters || candidate.starts_with(&word)),
        );
    }
    let (prefix, suffix) = (
        parsed.value(b'P').unwrap_or_default(),
        parsed.value(b'S').unwrap_or_default(),
    );
    let mut text = Vec::new();
    for candidate in &found {
        if let Some(pattern) = parsed.value(b'X')
            && shell.is_filtered(process, pattern, candidate)?
        {
            continue;
        }
        text.extend_from_slice(prefix);
        text.extend_from_slice(candidate);
        text.extend_from_slice(suffix);
        text.push(b'\n');
    }
    if text.is_empty() {
        return Ok(1);
    }
    print(shell, process, "compgen", &text)
}

/// The letter for an action of `-A`.
fn action_letter(name: &[u8]) -> Option<u8> {
    Some(match name {
        b"alias" => b'a',
        b"builtin" | b"enabled" => b'b',
        b"command" => b'c',
        b"directory" => b'd',
        b"export" => b'e',
        b"file" => b'f',
        b"function" => b'z',
        b"group" => b'g',
        b"job" | b"running" | b"stopped" => b'j',
        b"keyword" => b'k',
        b"service" | b"hostname" | b"binding" | b"helptopic" | b"arrayvar" | b"disabled" => b's',
        b"setopt" => b'1',
        b"shopt" => b'2',
        b"signal" => b'3',
        b"user" => b'u',
        b"variable" => b'v',
        _ => return None,
    })
}

impl Shell {
    /// Everything of a kind, sorted.
    fn candidates(
        &mut self,
        process: &Process,
        kind: u8,
        value: Option<&BStr>,
        word: &BStr,
    ) -> Result<Vec<BString>, Flow> {
        let value = value.unwrap_or_default();
        let builtins = || ALL.iter().map(|builtin| BString::from(builtin.name));
        Ok(match kind {
            b'a' => self.aliases.keys().cloned().collect(),
            b'b' => builtins().collect(),
            b'k' => KEYWORDS.iter().map(|word| BString::from(*word)).collect(),
            b'z' => self.functions.keys().cloned().collect(),
            b'1' => Setting::SET
                .iter()
                .map(|setting| setting.name().into())
                .collect(),
            b'2' => Setting::SHOPT
                .iter()
                .map(|setting| setting.name().into())
                .collect(),
            b'3' => hotcell_process::Signal::all()
                .map(|signal| format!("SIG{}", signal.name()).into())
                .collect(),
            b'v' | b'e' => {
                let exported = crate::variables::Attributes::EXPORT;
                let all = self.variables.sorted().into_iter();
                all.filter(|(_, variable)| kind == b'v' || variable.has(exported))
                    .map(|(name, _)| BString::from(&**name))
                    .collect()
            }
            b'c' => {
                let mut names: Vec<BString> = builtins().collect();
                names.extend(KEYWORDS.iter().map(|word| BString::from(*word)));
                names.extend(self.functions.keys().cloned());
                names.extend(self.aliases.keys().cloned());
                names.extend(process.program_names());
                names.sort();
                names.dedup();
                names
            }
            b'f' | b'd' => files(process, word, kind == b'd'),
            b'u' | b'g' => vec!["root".into()],
            b'j' => self.jobs.iter().map(|job| job.text.clone()).collect(),
            // Both are words that are expanded, the former without file names.
            b'W' => {
                self.output_lines(process, &[&b"set -f; printf '%s\\n' "[..], value].concat())?
            }
            b'G' => self.output_lines(process, &[&b"printf '%s\\n' "[..], value].concat())?,
            b'F' => self.complete_by_function(process, value, word)?,
            b'C' => {
                let word = quote::single(word);
                self.output_lines(process, &[&**value, b" '' ", &*word, b" ''"].concat())?
            }
            _ => Vec::new(),
        })
    }

    fn is_filtered(
        &mut self,
        process: &Process,
        pattern: &[u8],
        candidate: &[u8],
    ) -> Result<bool, Flow> {
        let (pattern, inverted) = match pattern.strip_prefix(b"!") {
            Some(rest) => (rest, true),
            None => (pattern, false),
        };
        let word = Word::new(vec![Part::Literal(pattern.into())]);
        Ok(self.matches_pattern(process, candidate, &word, false)? != inverted)
    }

    /// What commands print, line by line.
    fn output_lines(&mut self, process: &Process, text: &[u8]) -> Result<Vec<BString>, Flow> {
        let output = self.output_of(process, |shell, child| {
            shell.run_text(child, text, Origin::Eval(1))
        })?;
        Ok(output.lines().map(BString::from).collect())
    }

    /// What a function leaves in `COMPREPLY`.
    fn complete_by_function(
        &mut self,
        process: &Process,
        name: &BStr,
        word: &BStr,
    ) -> Result<Vec<BString>, Flow> {
        let Some(function) = self.functions.get(name).cloned() else {
            complain(self, process, "compgen", format!("{name}: not a function"));
            return Ok(Vec::new());
        };
        let call = [
            name.to_owned(),
            "compgen".into(),
            word.to_owned(),
            "".into(),
        ];
        self.call_function(process, &function, &call, &[])?;
        let replies = self
            .variables
            .get(b"COMPREPLY")
            .map(|variable| match &variable.value {
                Value::Indexed(array) => array.values().cloned().collect(),
                Value::Scalar(value) => vec![value.clone()],
                _ => Vec::new(),
            });
        Ok(replies.unwrap_or_default())
    }
}

/// The names below the directory that a word begins with.
fn files(process: &Process, word: &BStr, only_directories: bool) -> Vec<BString> {
    let start = word.rfind_byte(b'/').map_or(0, |slash| slash + 1);
    let (directory, _) = word.split_at(start);
    let path = process.resolve(if directory.is_empty() {
        b"."
    } else {
        directory
    });
    let Ok(entries) = process.vfs().readdir(&path) else {
        return Vec::new();
    };
    entries
        .into_iter()
        .filter(|entry| {
            let name = entry.name.as_slice();
            let is_wanted = !only_directories
                || process
                    .vfs()
                    .stat(&path.join(name))
                    .is_ok_and(|metadata| metadata.is_dir());
            is_wanted && (!name.starts_with(b".") || word.contains(&b'.'))
        })
        .map(|entry| [directory, entry.name.as_slice()].concat().into())
        .collect()
}
