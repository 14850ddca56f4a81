//! Words that could go on: commands, files, variables, as the shell's own `compgen` knows them.

use std::time::Duration;

use hotcell::sandbox::{Command, Sandbox};
use hotcell::vfs::VfsPath;
use rustyline::{
    Context, Helper, completion::Completer, highlight::Highlighter, hint::Hinter,
    validate::Validator,
};

/// A person waits for this.
const PATIENCE: Duration = Duration::from_secs(1);

/// What has a meaning of its own in a word.
const SPECIAL: &str = " \t\n\\'\"`$&|;<>()[]{}*?!#~";

/// What ends a word.
const ENDS: &str = " \t\n|&;<>()=";

/// A command that has little time.
pub(super) fn brief(text: &str) -> Command {
    Command::new(text).timeout(PATIENCE)
}

/// Knows the words of a sandbox.
pub(super) struct Words {
    sandbox: Sandbox,
}

impl Words {
    pub(super) fn of(sandbox: &Sandbox) -> Self {
        Self {
            sandbox: sandbox.clone(),
        }
    }

    /// What `compgen` says, in a twin that is thrown away.
    fn ask(&self, action: &str, word: &str) -> Vec<String> {
        let quoted = word.replace('\'', r"'\''");
        let command = brief(&format!("compgen {action} -- '{quoted}' | sort -u"));
        let twin = self.sandbox.fork();
        let result = twin.and_then(|twin| pollster::block_on(twin.run(command)));
        let Ok(result) = result else {
            return Vec::new();
        };
        result.stdout_text().lines().map(str::to_owned).collect()
    }

    fn is_directory(&self, path: &str) -> bool {
        let stat = self.sandbox.stat(VfsPath::new(path));
        stat.is_ok_and(|meta| meta.is_dir())
    }

    /// Where the last word of a line begins, and what could stand there.
    fn candidates(&self, line: &str) -> (usize, Vec<String>) {
        let start = word_start(line);
        let (before, word) = line.split_at(start);
        if let Some(name) = word.strip_prefix('$') {
            let names = self.ask("-v", name).into_iter();
            return (start, names.map(|name| format!("${name}")).collect());
        }
        let word = unescaped(word);
        let found = if is_command_place(before) && !word.contains('/') {
            self.ask("-c", &word)
        } else {
            self.ask("-f", &word)
        };
        let is_only = found.len() == 1;
        let found = found.into_iter().map(|name| {
            let end = match (self.is_directory(&name), is_only) {
                (true, _) => "/",
                (false, true) => " ",
                (false, false) => "",
            };
            escaped(&name) + end
        });
        (start, found.collect())
    }
}

/// Where the last word begins: behind the last character that ends a word and has no backslash before it.
fn word_start(line: &str) -> usize {
    let mut start = 0;
    let mut characters = line.char_indices();
    while let Some((at, character)) = characters.next() {
        if character == '\\' {
            characters.next();
        } else if ENDS.contains(character) {
            start = at + character.len_utf8();
        }
    }
    start
}

/// Whether a word behind this is the name of a command.
fn is_command_place(before: &str) -> bool {
    let before = before.trim_end();
    let last = before.rsplit(char::is_whitespace).next().unwrap_or("");
    let words = [
        "then", "do", "else", "elif", "if", "while", "until", "!", "{", "time",
    ];
    before.is_empty() || before.ends_with(['|', '&', ';', '(']) || words.contains(&last)
}

fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for character in name.chars() {
        if SPECIAL.contains(character) {
            text.push('\\');
        }
        text.push(character);
    }
    text
}

fn unescaped(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    let mut characters = word.chars();
    while let Some(character) = characters.next() {
        text.extend(match character {
            '\\' => characters.next(),
            other => Some(other),
        });
    }
    text
}

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.candidates(line.get(..at).unwrap_or_default()))
    }
}

impl Validator for Words {}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}

impl Helper for Words {}
