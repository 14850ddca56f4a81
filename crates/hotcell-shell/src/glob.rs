//! File names that match a pattern.

mod recurse;

use bstr::BString;
use hotcell_process::Process;

use crate::{
    flow::Flow,
    marked::Marked,
    pattern::{Pattern, PatternOptions},
    settings::Setting,
    shell::Shell,
};

/// A part of a path between slashes.
enum Component {
    /// A name, or nothing.
    Name(BString),
    Pattern(Pattern),
    /// `**` under `globstar`.
    Recursive,
}

/// What a pattern is matched under.
#[derive(Clone, Copy)]
struct Rules {
    /// A dot at the start of a name needs no dot in the pattern.
    dots: bool,
    /// `.` and `..` are never matched.
    skips_dots: bool,
}

impl Shell {
    /// The files that a field names, in order. The field itself if it is no pattern, or there are none.
    pub(crate) fn glob(
        &mut self,
        process: &Process,
        field: Marked,
        fields: &mut Vec<BString>,
    ) -> Result<(), Flow> {
        if self.has(Setting::NoGlob) {
            fields.push(field.text);
            return Ok(());
        }
        let Some(components) = self.components(&field) else {
            fields.push(field.text);
            return Ok(());
        };
        let mut names = self
            .walk(process, &components)
            .map_err(|error| self.out_of_memory(process, &error))?;
        self.drop_ignored(process, &mut names);
        if !names.is_empty() {
            names.sort_unstable();
            names.dedup();
            fields.append(&mut names);
        } else if self.has(Setting::FailGlob) {
            self.complain(process, [b"no match: ", field.text.as_slice()].concat());
            return Err(Flow::Discard(1));
        } else if !self.has(Setting::NullGlob) {
            fields.push(field.text);
        }
        Ok(())
    }

    /// The components of a path with a pattern in it; `None` if there is none.
    fn components(&self, field: &Marked) -> Option<Vec<Component>> {
        let options = PatternOptions {
            extglob: self.has(Setting::ExtGlob),
            icase: self.has(Setting::NoCaseGlob),
        };
        let bytes: Vec<(u8, bool)> = field.bytes().collect();
        let mut has_pattern = false;
        let mut components = Vec::new();
        for component in bytes.split(|(byte, _)| *byte == b'/') {
            if component == [(b'*', false); 2] && self.has(Setting::GlobStar) {
                has_pattern = true;
                components.push(Component::Recursive);
                continue;
            }
            let pattern = Pattern::from_bytes(component, options);
            if pattern.is_special() {
                has_pattern = true;
                components.push(Component::Pattern(pattern));
            } else {
                components.push(Component::Name(without_escapes(component)));
            }
        }
        // What looks like a group is a pattern to bash even where it is none, and so may match nothing.
        let has_group = bytes
            .windows(2)
            .any(|pair| matches!(pair, [(b'+' | b'@' | b'!', false), (b'(', false)]));
        (has_pattern || has_group).then_some(components)
    }

    fn rules(&mut self, process: &Process) -> Rules {
        let ignores = self
            .variable(process, b"GLOBIGNORE")
            .is_some_and(|ignore| !ignore.is_empty());
        Rules {
            dots: self.has(Setting::DotGlob) || ignores,
            skips_dots: self.has(Setting::GlobSkipDots) || ignores,
        }
    }

    /// Goes down the components, with the paths that match so far.
    fn walk(
        &mut self,
        process: &Process,
        components: &[Component],
    ) -> std::io::Result<Vec<BString>> {
        let rules = self.rules(process);
        let mut charge = process.charge(0)?;
        let mut paths: Vec<BString> = vec![BString::default()];
        let mut is_written = true;
        for (index, component) in components.iter().enumerate() {
            let is_last = index + 1 == components.len();
            let next_is_end = matches!(
                components.get(index + 1..),
                Some([Component::Name(name)]) if name.is_empty()
            );
            let mut found = Vec::new();
            for path in &paths {
                process.spend(1);
                match component {
                    Component::Name(name) => {
                        extend_with_name(process, path, name, is_last, is_written, &mut found);
                    }
                    Component::Pattern(pattern) => {
                        matching_entries(process, path, pattern, rules, !is_last, &mut found);
                    }
                    Component::Recursive => recurse::entries(
                        process,
                        path,
                        rules,
                        &recurse::Wanted {
                            only_directories: !is_last,
                            follows_last: next_is_end,
                            slash_at_top: is_written,
                        },
                        &mut found,
                    ),
                }
                let size: usize = found.iter().map(|path: &BString| path.len() + 32).sum();
                charge.resize(size).map_err(hotcell_process::limit_error)?;
            }
            is_written &= matches!(component, Component::Name(_));
            if !is_last {
                for path in &mut found {
                    // Nothing stands before the slash that a path begins with, or the top of `**`.
                    let is_top = path.is_empty() && !matches!(component, Component::Name(_));
                    let is_ended =
                        path.ends_with(b"/") && matches!(component, Component::Recursive);
                    if !is_top && !is_ended {
                        path.push(b'/');
                    }
                }
            }
            found.sort_unstable();
            found.dedup();
            paths = found;
        }
        Ok(paths)
    }

    /// Takes out what `GLOBIGNORE` names.
    fn drop_ignored(&mut self, process: &Process, names: &mut Vec<BString>) {
        let Some(ignore) = self.variable(process, b"GLOBIGNORE") else {
            return;
        };
        if ignore.is_empty() {
            return;
        }
        let options = PatternOptions {
            extglob: self.has(Setting::ExtGlob),
            icase: self.has(Setting::NoCaseGlob),
        };
        let patterns: Vec<Pattern> = ignored_patterns(&ignore)
            .map(|pattern| Pattern::new(&Marked::unquoted(pattern), options))
            .collect();
        let spend = |units| process.spend(units);
        names.retain(|name| !patterns.iter().any(|pattern| pattern.matches(name, &spend)));
    }
}

/// The patterns between the colons that are not in brackets.
fn ignored_patterns(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut is_in_bracket = false;
    text.split(move |byte| {
        match byte {
            b'[' => is_in_bracket = true,
            b']' => is_in_bracket = false,
            _ => {}
        }
        *byte == b':' && !is_in_bracket
    })
}

/// A path with a name behind it. Behind a pattern it has to exist.
fn extend_with_name(
    process: &Process,
    path: &BString,
    name: &BString,
    is_last: bool,
    is_written: bool,
    found: &mut Vec<BString>,
) {
    let mut longer = path.clone();
    longer.extend_from_slice(name);
    let exists = match (is_last, name.is_empty()) {
        // The slash at the end: it has to be a directory.
        (true, true) => is_directory(process, path),
        (true, false) => is_there(process, &longer),
        (false, _) => is_written || name.is_empty() || is_directory(process, &longer),
    };
    if exists {
        found.push(longer);
    }
}

/// The entries of a directory that match.
fn matching_entries(
    process: &Process,
    directory: &BString,
    pattern: &Pattern,
    rules: Rules,
    only_directories: bool,
    found: &mut Vec<BString>,
) {
    let Ok(entries) = process.vfs().readdir(&process.resolve(directory)) else {
        return;
    };
    let spend = |units| process.spend(units);
    let special = [&b"."[..], b".."];
    let special = special.iter().copied().filter(|_| !rules.skips_dots);
    let names = entries
        .iter()
        .map(|entry| (entry.name.as_slice(), entry.kind));
    let directory_kind = hotcell_vfs::FileType::Dir;
    for (name, kind) in special.map(|name| (name, directory_kind)).chain(names) {
        process.spend(1);
        let matches = if rules.dots && name != b"." && name != b".." {
            pattern.matches(name, &spend)
        } else {
            pattern.matches_name(name, &spend)
        };
        if !matches {
            continue;
        }
        let mut path = directory.clone();
        path.extend_from_slice(name);
        let is_kept = !only_directories
            || match kind {
                hotcell_vfs::FileType::Dir => true,
                hotcell_vfs::FileType::Symlink => is_directory(process, &path),
                _ => false,
            };
        if is_kept {
            found.push(path);
        }
    }
}

fn is_directory(process: &Process, path: &BString) -> bool {
    let path = process.resolve(path);
    process.vfs().stat(&path).is_ok_and(|meta| meta.is_dir())
}

fn is_there(process: &Process, path: &BString) -> bool {
    process.vfs().lstat(&process.resolve(path)).is_ok()
}

/// The text that a component without a pattern stands for.
fn without_escapes(component: &[(u8, bool)]) -> BString {
    let mut name = BString::default();
    let mut bytes = component.iter();
    while let Some((byte, is_quoted)) = bytes.next() {
        match bytes.as_slice().first() {
            Some((next, _)) if *byte == b'\\' && !is_quoted => {
                name.push(*next);
                bytes.next();
            }
            _ => name.push(*byte),
        }
    }
    name
}
