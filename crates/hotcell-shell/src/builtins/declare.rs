//! `declare`, `typeset`, `local`, `export`, `readonly`: variables and functions with attributes.

use std::sync::Arc;

use bstr::BString;
use hotcell_process::Process;

use super::{Builtin, Operand, Run, arguments::print};
use crate::{
    expand::Target,
    flow::{Flow, Outcome},
    names::is_name,
    settings::Setting,
    shell::{Function, Shell},
    variables::{Attributes, Place, Value, Variable, base_name, declaration, listing},
};

pub(super) const DECLARE: Builtin = Builtin {
    name: "declare",
    synopsis: "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]",
    help: "Declare variables and give them attributes, or take these away with + instead of -; in a function they are local.\n\
           -a array; -A associative array; -i integer; -l lower case; -u upper case; -n reference; -r readonly; -t trace;\n\
           -x export; -g global even in a function; -I inherit from the variable of that name outside;\n\
           -p print; -f functions; -F names of functions.",
    is_special: false,
    run: Run::Operands(|shell, process, operands| run(&DECLARE, shell, process, operands)),
};

pub(super) const TYPESET: Builtin = Builtin {
    name: "typeset",
    synopsis: "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]",
    run: Run::Operands(|shell, process, operands| run(&TYPESET, shell, process, operands)),
    ..DECLARE
};

pub(super) const LOCAL: Builtin = Builtin {
    name: "local",
    synopsis: "local [option] name[=value] ...",
    help: "Declare variables of a function, with the options of `declare'. `local -' keeps changes of options to it.",
    is_special: false,
    run: Run::Operands(|shell, process, operands| run(&LOCAL, shell, process, operands)),
};

pub(super) const EXPORT: Builtin = Builtin {
    name: "export",
    synopsis: "export [-fn] [name[=value] ...] or export -p",
    help: "Export variables, or functions with -f, to the programs that are run. -n takes that back; -p prints.",
    is_special: true,
    run: Run::Operands(|shell, process, operands| run(&EXPORT, shell, process, operands)),
};

pub(super) const READONLY: Builtin = Builtin {
    name: "readonly",
    synopsis: "readonly [-aAf] [name[=value] ...] or readonly -p",
    help: "Make variables, or functions with -f, unchangeable. -a and -A declare arrays; -p prints.",
    is_special: true,
    run: Run::Operands(|shell, process, operands| run(&READONLY, shell, process, operands)),
};

/// What the options ask for.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one option")]
struct Request {
    add: Attributes,
    remove: Attributes,
    functions: bool,
    names_only: bool,
    prints: bool,
    global: bool,
    inherits: bool,
}

fn run(
    builtin: &'static Builtin,
    shell: &mut Shell,
    process: &Process,
    operands: &[Operand<'_>],
) -> Outcome {
    let (request, rest) = match options(builtin, shell, process, operands) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let is_local = builtin.name == "local";
    if is_local && !shell.variables.is_in_function() {
        builtin.complain(shell, process, "can only be used in a function");
        return Ok(1);
    }
    if request.functions {
        return declare_functions(builtin, shell, process, &request, rest);
    }
    if rest.is_empty() || request.prints {
        return show(builtin, shell, process, &request, rest);
    }
    let mut status = 0;
    for operand in rest {
        process.spend(1);
        if is_local && matches!(operand, Operand::Field(field) if field == "-") {
            let settings = shell.settings;
            shell.local_settings.get_or_insert(settings);
            continue;
        }
        let declared = shell.evaluating(builtin.name.as_bytes(), |shell| {
            declare(builtin, shell, process, &request, operand)
        });
        match declared {
            Ok(()) => {}
            // Where there is no room for a value, nothing goes on that could add another.
            Err(Flow::Discard(_)) if !shell.variables.is_over() => status = 1,
            Err(flow) => return Err(flow),
        }
    }
    Ok(status)
}

/// Takes the options off.
fn options<'a, 'b>(
    builtin: &Builtin,
    shell: &mut Shell,
    process: &Process,
    operands: &'a [Operand<'b>],
) -> Result<(Request, &'a [Operand<'b>]), i32> {
    let mut request = Request::default();
    let letters: &[u8] = match builtin.name {
        "export" => b"fnp",
        "readonly" => b"aAfp",
        _ => b"aAfFgiIlnrtuxpc",
    };
    let mut rest = operands.get(1..).unwrap_or_default();
    while let Some((Operand::Field(field), after)) = rest.split_first() {
        let (on, cluster) = match field.as_slice() {
            b"--" => {
                rest = after;
                break;
            }
            [b'-', cluster @ ..] if !cluster.is_empty() => (true, cluster),
            [b'+', cluster @ ..] if !cluster.is_empty() && letters.contains(&b'g') => {
                (false, cluster)
            }
            _ => break,
        };
        rest = after;
        for letter in cluster {
            if !letters.contains(letter) {
                let sign = if on { b'-' } else { b'+' };
                return Err(builtin.invalid_option(shell, process, &[sign, *letter]));
            }
            request.set(builtin, *letter, on);
        }
    }
    match builtin.name {
        "export" if !request.remove.has(Attributes::EXPORT) => request.add |= Attributes::EXPORT,
        "readonly" => request.add |= Attributes::READONLY,
        _ => {}
    }
    Ok((request, rest))
}

impl Request {
    fn set(&mut self, builtin: &Builtin, letter: u8, on: bool) {
        match letter {
            b'f' => self.functions = true,
            b'F' => (self.functions, self.names_only) = (true, true),
            b'p' => self.prints = on,
            b'g' => self.global = on,
            b'I' => self.inherits = on,
            // `export -n` takes away what `declare -n` has nothing to do with.
            b'n' if builtin.name == "export" => self.remove |= Attributes::EXPORT,
            letter => {
                let Some(attribute) = Attributes::by_letter(letter) else {
                    return;
                };
                if on {
                    self.add |= attribute;
                } else {
                    self.remove |= attribute;
                }
            }
        }
    }

    fn target(&self, builtin: &Builtin, shell: &Shell) -> Target {
        let scoped = !matches!(builtin.name, "export" | "readonly");
        if self.global {
            Target::Global
        } else if scoped && shell.variables.is_in_function() {
            Target::Local
        } else {
            Target::Visible
        }
    }
}

/// `name`, what is assigned to it, and whether that is appended.
fn take_apart(field: &BString) -> (BString, Option<BString>, bool) {
    // An equals sign in a subscript is part of it.
    let mut depth = 0usize;
    for (index, byte) in field.iter().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            b'=' if depth == 0 => {
                let name = field.get(..index).unwrap_or_default();
                let value = field.get(index + 1..).unwrap_or_default();
                return match name.strip_suffix(b"+") {
                    Some(name) => (name.into(), Some(value.into()), true),
                    None => (name.into(), Some(value.into()), false),
                };
            }
            _ => {}
        }
    }
    (field.clone(), None, false)
}

fn is_element(name: &[u8]) -> bool {
    name.len() > base_name(name).len()
}

fn declare(
    builtin: &'static Builtin,
    shell: &mut Shell,
    process: &Process,
    request: &Request,
    operand: &Operand<'_>,
) -> Result<(), Flow> {
    let (written, name, value, append) = match operand {
        Operand::Field(field) => {
            let (name, value, append) = take_apart(field);
            (field.clone(), name, value, append)
        }
        Operand::Array(assignment) => {
            let name = BString::from(&*assignment.name);
            (name.clone(), name, None, assignment.append)
        }
    };
    let base = BString::from(base_name(&name));
    let is_valid = is_name(&base) && (!is_element(&name) || name.ends_with(b"]"));
    if !is_valid {
        let text = [b"`", written.as_slice(), b"': not a valid identifier"].concat();
        builtin.complain(shell, process, text);
        return Err(Flow::Discard(1));
    }
    let target = request.target(builtin, shell);
    let follows = !request.add.has(Attributes::NAMEREF) && !request.remove.has(Attributes::NAMEREF);
    let base = if follows && target != Target::Local {
        shell.referred_name(&base)
    } else {
        base
    };
    check(
        builtin,
        shell,
        process,
        request,
        &base,
        value.is_some() || matches!(operand, Operand::Array(_)),
    )?;
    if request.add.has(Attributes::NAMEREF)
        && let Some(value) = &value
    {
        check_reference(builtin, shell, process, &base, value)?;
    }
    prepare(shell, request, operand, &name, &base, target);
    let is_reference = request.add.has(Attributes::NAMEREF);
    let assigned = match operand {
        Operand::Array(assignment) => shell.assign(process, assignment, target),
        Operand::Field(_) => match value {
            None => Ok(()),
            Some(value) if is_reference => {
                shell.variables.update(&base, place(target), |variable| {
                    variable.value = Value::Scalar(value);
                });
                Ok(())
            }
            Some(value) => {
                if matches!(builtin.name, "export" | "readonly") {
                    let quoted = crate::quote::shown(&value);
                    let quoted = if value.is_empty() { Vec::new() } else { quoted };
                    shell.trace(process, || [name.as_slice(), b"=", &*quoted].concat());
                }
                let full = if is_element(&name) {
                    name.clone()
                } else {
                    base.clone()
                };
                shell.store(process, &full, value, append, target)
            }
        },
    };
    // Last: what is readonly could not get its value.
    if request.add.has(Attributes::READONLY) {
        shell.variables.update(&base, place(target), |variable| {
            variable.attributes |= Attributes::READONLY;
        });
    }
    assigned
}

fn place(target: Target) -> Place {
    match target {
        Target::Visible => Place::Visible,
        Target::Temporary => Place::Topmost,
        Target::Local => Place::Local,
        Target::Global => Place::Global,
    }
}

/// Refuses what cannot be done to a variable.
fn check(
    builtin: &'static Builtin,
    shell: &mut Shell,
    process: &Process,
    request: &Request,
    name: &BString,
    assigns: bool,
) -> Result<(), Flow> {
    let Some(variable) = shell.variables.get_reference(name) else {
        return Ok(());
    };
    let attributes = variable.attributes;
    let problem = if attributes.has(Attributes::READONLY)
        && (assigns || request.remove.has(Attributes::READONLY))
    {
        Some("readonly variable")
    } else if attributes.has(Attributes::ASSOCIATIVE) && request.add.has(Attributes::INDEXED) {
        Some("cannot convert associative to indexed array")
    } else if attributes.has(Attributes::INDEXED) && request.add.has(Attributes::ASSOCIATIVE) {
        let is_fresh =
            request.target(builtin, shell) == Target::Local && !shell.variables.is_local(name);
        (!is_fresh).then_some("cannot convert indexed to associative array")
    } else if attributes.has_any(request.remove & Attributes::ARRAY) {
        Some("cannot destroy array variables in this way")
    } else {
        None
    };
    match problem {
        // Those two do not say who it is that complains.
        Some(problem @ "readonly variable") if matches!(builtin.name, "readonly" | "export") => {
            shell.complain(process, format!("{name}: {problem}"));
            let ends = shell.has(Setting::Posix) || shell.has(Setting::ErrExit);
            Err(if ends && !shell.is_interactive {
                Flow::Exit(1)
            } else {
                Flow::Discard(1)
            })
        }
        Some(problem) => {
            builtin.complain(shell, process, format!("{name}: {problem}"));
            Err(Flow::Discard(1))
        }
        None => Ok(()),
    }
}

fn check_reference(
    builtin: &'static Builtin,
    shell: &mut Shell,
    process: &Process,
    name: &BString,
    value: &BString,
) -> Result<(), Flow> {
    let problem = if !is_name(base_name(value)) {
        format!("`{value}': invalid variable name for name reference")
    } else if value == name && !shell.variables.is_in_function() {
        format!("{name}: nameref variable self references not allowed")
    } else {
        return Ok(());
    };
    builtin.complain(shell, process, problem);
    Err(Flow::Discard(1))
}

/// Makes the variable with its attributes, before it gets its value.
fn prepare(
    shell: &mut Shell,
    request: &Request,
    operand: &Operand<'_>,
    name: &BString,
    base: &BString,
    target: Target,
) {
    let mut add = request.add & !Attributes::READONLY;
    let is_array = matches!(operand, Operand::Array(_)) || is_element(name);
    let inherits = request.inherits || shell.has(Setting::LocalVarInherit);
    let inherited = (inherits && target == Target::Local && !shell.variables.is_local(base))
        .then(|| shell.variables.get_reference(base).cloned())
        .flatten();
    shell.variables.update(base, place(target), |variable| {
        if let Some(Variable {
            value, attributes, ..
        }) = inherited
        {
            variable.value = value;
            variable.attributes |= attributes & !Attributes::NAMEREF;
        }
        if is_array && !(variable.attributes | add).has(Attributes::ASSOCIATIVE) {
            add |= Attributes::INDEXED;
        }
        // Of these only one can be.
        let cases = Attributes::LOWER | Attributes::UPPER | Attributes::CAPITALIZE;
        if add.has_any(cases) {
            variable.attributes = variable.attributes & !cases;
        }
        variable.attributes = (variable.attributes | add) & !request.remove;
        if add.has(Attributes::INDEXED) && !matches!(variable.value, Value::Unset) {
            variable.indexed_mut();
        }
        if add.has(Attributes::ASSOCIATIVE) && matches!(variable.value, Value::Scalar(_)) {
            variable.value = match std::mem::replace(&mut variable.value, Value::Unset) {
                Value::Scalar(value) => {
                    let mut array = crate::variables::AssociativeArray::default();
                    array.set("0".into(), value);
                    Value::Associative(Arc::new(array))
                }
                other => other,
            };
        }
    });
}

/// Prints variables: those named, or all with the attributes asked for.
fn show(
    builtin: &'static Builtin,
    shell: &mut Shell,
    process: &Process,
    request: &Request,
    names: &[Operand<'_>],
) -> Outcome {
    let mut text = Vec::new();
    let mut status = 0;
    if names.is_empty() {
        let is_local = builtin.name == "local";
        let all = if is_local {
            shell.variables.locals()
        } else {
            shell.variables.sorted()
        };
        // Plain `declare` lists like `set`.
        let as_set = !request.prints && request.add == Attributes::NONE && !is_local;
        for (name, variable) in all {
            process.spend(1);
            if !variable.has(request.add) || is_unseen(variable) {
                continue;
            }
            if as_set {
                if let Some(line) = listing(name, variable) {
                    push_line(&mut text, &line);
                }
            } else {
                push_line(&mut text, &declaration(name, variable));
            }
        }
        if as_set {
            for (name, function) in &shell.functions {
                text.extend_from_slice(&crate::print::function_text(name, &function.body));
                text.push(b'\n');
            }
        }
    }
    for operand in names {
        let Operand::Field(name) = operand else {
            continue;
        };
        let shown = shell.variables.get_reference(name).map(|variable| {
            match &variable.value {
                // What it is right now.
                Value::Dynamic(_) => None,
                _ => Some(declaration(name, variable)),
            }
        });
        match shown {
            Some(Some(line)) => push_line(&mut text, &line),
            Some(None) => {
                let line = shell.dynamic_declaration(process, name);
                push_line(&mut text, &line);
            }
            None if request.functions => {}
            None => {
                if request.names_only && shell.functions.contains_key(name) {
                    push_line(&mut text, name);
                } else {
                    builtin.complain(shell, process, format!("{name}: not found"));
                    status = 1;
                }
            }
        }
    }
    let printed = print(shell, process, builtin.name, &text)?;
    Ok(status.max(printed))
}

fn push_line(text: &mut Vec<u8>, line: &[u8]) {
    text.extend_from_slice(line);
    text.push(b'\n');
}

/// A placeholder that nobody has declared.
fn is_unseen(variable: &Variable) -> bool {
    matches!(variable.value, Value::Unset)
        && variable.attributes == Attributes::NONE
        && variable.depth == 0
}

impl Shell {
    /// The line of `declare -p` for a variable that the shell makes up.
    fn dynamic_declaration(&mut self, process: &Process, name: &[u8]) -> BString {
        let attributes = self
            .variables
            .get_reference(name)
            .map_or(Attributes::NONE, |variable| variable.attributes);
        let value = self.whole_value(process, name);
        let variable = Variable {
            value,
            attributes,
            depth: 0,
        };
        declaration(name, &variable)
    }

    /// The name that a reference leads to, or the name itself.
    fn referred_name(&self, name: &BString) -> BString {
        match self.variables.follow(name) {
            crate::variables::Referred::Other(target) => target,
            _ => name.clone(),
        }
    }

    /// What `set` prints: all variables that have a value, and all functions.
    pub(crate) fn print_all_variables(&mut self, process: &Process) -> Outcome {
        let request = Request::default();
        show(&DECLARE, self, process, &request, &[])
    }
}

fn declare_functions(
    builtin: &'static Builtin,
    shell: &mut Shell,
    process: &Process,
    request: &Request,
    names: &[Operand<'_>],
) -> Outcome {
    let changes = (request.add | request.remove)
        .has_any(Attributes::EXPORT | Attributes::READONLY | Attributes::TRACE);
    if names.is_empty() {
        let mut text = Vec::new();
        for (name, function) in &shell.functions {
            let is_wanted = (!request.add.has(Attributes::EXPORT) || function.is_exported)
                && (!request.add.has(Attributes::READONLY) || function.is_readonly);
            if is_wanted {
                text.extend_from_slice(&function_lines(name, function, request.names_only));
            }
        }
        return print(shell, process, builtin.name, &text);
    }
    let mut text = Vec::new();
    let mut status = 0;
    for operand in names {
        let Operand::Field(name) = operand else {
            continue;
        };
        if name.contains(&b'=') && builtin.name != "export" {
            builtin.complain(shell, process, "cannot use `-f' to make functions");
            return Ok(1);
        }
        let Some(function) = shell.functions.get(name).cloned() else {
            if matches!(builtin.name, "export" | "readonly") {
                builtin.complain(shell, process, format!("{name}: not a function"));
            }
            status = 1;
            continue;
        };
        if !changes || request.prints {
            if request.names_only {
                let line = if shell.has(Setting::ExtDebug) {
                    format!("{name} {} {}\n", function.line, function.source)
                } else {
                    format!("{name}\n")
                };
                text.extend_from_slice(line.as_bytes());
            } else {
                text.extend_from_slice(&crate::print::function_text(name, &function.body));
                text.push(b'\n');
                if request.prints {
                    text.extend_from_slice(&attribute_line(name, &function));
                }
            }
            continue;
        }
        if function.is_readonly && request.remove.has(Attributes::READONLY) {
            builtin.complain(shell, process, format!("{name}: readonly function"));
            status = 1;
            continue;
        }
        let after = |attribute: Attributes, now: bool| {
            (now || request.add.has(attribute)) && !request.remove.has(attribute)
        };
        let function = Function {
            body: Arc::clone(&function.body),
            source: function.source.clone(),
            line: function.line,
            is_exported: after(Attributes::EXPORT, function.is_exported),
            is_readonly: after(Attributes::READONLY, function.is_readonly),
            is_traced: after(Attributes::TRACE, function.is_traced),
            weight: function.weight,
        };
        shell.functions.insert(name.clone(), Arc::new(function));
    }
    let printed = print(shell, process, builtin.name, &text)?;
    Ok(status.max(printed))
}

/// A function as `declare -f` and `declare -F` list it.
fn function_lines(name: &BString, function: &Function, names_only: bool) -> Vec<u8> {
    if names_only {
        return format!("declare -f{} {name}\n", attribute_letters(function)).into_bytes();
    }
    let mut text = crate::print::function_text(name, &function.body);
    text.push(b'\n');
    text.extend_from_slice(&attribute_line(name, function));
    text
}

fn attribute_letters(function: &Function) -> String {
    let mut letters = String::new();
    for (is_set, letter) in [
        (function.is_readonly, 'r'),
        (function.is_traced, 't'),
        (function.is_exported, 'x'),
    ] {
        if is_set {
            letters.push(letter);
        }
    }
    letters
}

fn attribute_line(name: &BString, function: &Function) -> Vec<u8> {
    let letters = attribute_letters(function);
    if letters.is_empty() {
        return Vec::new();
    }
    format!("declare -f{letters} {name}\n").into_bytes()
}
