//! Modules that code can import.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use hotcell_meter::{Stopped, Watch};
use oxc_allocator::Allocator;
use oxc_parser::Parser;

use crate::aside::{aside, is_for_aside};
use crate::diagnostic::Diagnostic;
use crate::lines::LineIndex;
use crate::options::PrepareOptions;
use crate::position::PositionMap;
use crate::program::{
    Language, PreparedProgram, describe_cost, describe_depth, describe_steps, refusal,
};
use crate::scan::{may_be_typed, scan, stack_bound, too_costly};
use crate::stack::{NoRoom, with_room};
use crate::syntax::{Goal, SyntaxError, parse};
use crate::{audit, rule, typescript};

/// A module that code can import if it is authorised: a source text, or names that the host gives a meaning to.
///
/// Types in a source are stripped, as in programs. Clones share what was found out about it.
///
/// ```
/// use hotcell_prepare::{KnownModule, PrepareOptions, prepare_program};
///
/// let mut options = PrepareOptions::default();
/// options.authorized_imports = vec!["sums".into()];
/// let module = KnownModule::source("export const twice = (n: number) => 2 * n;");
/// options.modules.insert("sums".into(), module);
///
/// let program = prepare_program("import { twice } from 'sums';\ntwice(21)", &options);
/// assert_eq!(&*program.transformed, "const { twice } = await import(\"sums\");\ntwice(21)");
/// ```
#[derive(Clone, Debug)]
pub struct KnownModule(Arc<Kind>);

#[derive(Debug)]
enum Kind {
    Source {
        text: Arc<str>,
        prepared: OnceLock<Result<Source, Diagnostic>>,
    },
    Host(BTreeSet<String>),
}

#[derive(Clone, Debug)]
struct Source {
    program: Arc<PreparedProgram>,
    /// `None` if it also exports what other modules do.
    exports: Option<BTreeSet<String>>,
}

impl KnownModule {
    /// An ECMAScript module, in JavaScript or TypeScript.
    pub fn source(text: impl Into<Arc<str>>) -> Self {
        Self(Arc::new(Kind::Source {
            text: text.into(),
            prepared: OnceLock::new(),
        }))
    }

    /// A module of the host's that exports these names.
    pub fn host<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self(Arc::new(Kind::Host(
            names.into_iter().map(Into::into).collect(),
        )))
    }

    /// The source as it was given; `None` for a module of the host's.
    pub fn text(&self) -> Option<&str> {
        match &*self.0 {
            Kind::Source { text, .. } => Some(text),
            Kind::Host(_) => None,
        }
    }

    /// The names that it exports, if they are known: not for a source that is none, or one with `export *`.
    pub fn exports(
        &self,
        options: &PrepareOptions,
        watch: &dyn Watch,
    ) -> Result<Option<&BTreeSet<String>>, Stopped> {
        if let Kind::Host(names) = &*self.0 {
            return Ok(Some(names));
        }
        let source = self.prepared(options, watch)?;
        let source = source.and_then(|source| source.as_ref().ok());
        Ok(source.and_then(|source| source.exports.as_ref()))
    }

    /// The source as a cell can run it, with the way back to the source as it was given. `None` for a module of the host's; an
    /// error says why the source is no module.
    pub fn program(
        &self,
        options: &PrepareOptions,
        watch: &dyn Watch,
    ) -> Result<Option<Result<&Arc<PreparedProgram>, &Diagnostic>>, Stopped> {
        let source = self.prepared(options, watch)?;
        Ok(source.map(|source| source.as_ref().map(|source| &source.program)))
    }

    fn prepared(
        &self,
        options: &PrepareOptions,
        watch: &dyn Watch,
    ) -> Result<Option<&Result<Source, Diagnostic>>, Stopped> {
        let Kind::Source { text, prepared } = &*self.0 else {
            return Ok(None);
        };
        if let Some(source) = prepared.get() {
            return Ok(Some(source));
        }
        let source = prepare(text, options, watch)?;
        Ok(Some(prepared.get_or_init(|| source)))
    }
}

impl Hash for KnownModule {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &*self.0 {
            Kind::Source { text, .. } => (0, text).hash(state),
            Kind::Host(names) => (1, names).hash(state),
        }
    }
}

type Prepared = Result<Source, Diagnostic>;

fn prepare(
    text: &Arc<str>,
    options: &PrepareOptions,
    watch: &dyn Watch,
) -> Result<Prepared, Stopped> {
    let stack = stack_bound(text);
    if !is_for_aside(text.len(), stack) {
        return in_room(text, options, watch);
    }
    let (text, options) = (Arc::clone(text), options.clone());
    let prepared = aside(stack, watch, move |watch| in_room(&text, &options, watch))?;
    Ok(prepared.unwrap_or_else(|| Err(refusal(&NoRoom::Panicked))))
}

fn in_room(
    text: &Arc<str>,
    options: &PrepareOptions,
    watch: &dyn Watch,
) -> Result<Prepared, Stopped> {
    watch.check()?;
    if let Err(too_deep) = scan(text, options.max_nesting) {
        return Ok(Err(describe_depth(&too_deep, text, options)));
    }
    if let Err(costly) = too_costly(text, options.max_nesting) {
        return Ok(Err(describe_cost(&costly, text)));
    }
    with_room(stack_bound(text), || translate(text, options, watch))
        .unwrap_or_else(|no_room| Ok(Err(refusal(&no_room))))
}

fn translate(
    text: &Arc<str>,
    options: &PrepareOptions,
    watch: &dyn Watch,
) -> Result<Prepared, Stopped> {
    let allocator = Allocator::default();
    let errors = match parse(&allocator, text, Goal::Module, watch)? {
        Ok(program) if !typescript::is_typed(&program) => {
            return Ok(Ok(source(text, None, PositionMap::default())));
        }
        Ok(_) => vec![SyntaxError::typescript()],
        Err(errors) => errors,
    };
    let locate = |error: &SyntaxError| LineIndex::new(&**text).locate(error.offset as usize);
    let refused = |errors: &[SyntaxError]| {
        let first = errors.iter().min_by_key(|error| error.offset);
        let message = first.map_or("the module cannot be parsed", |error| &*error.message);
        let diagnostic = Diagnostic::error(rule::SYNTAX_VALID, message);
        Ok(Err(match first {
            Some(error) => diagnostic.with_location(locate(error)),
            None => diagnostic,
        }))
    };
    if !may_be_typed(text, options.max_nesting) {
        return refused(&errors);
    }
    let Ok(program) = parse(&allocator, text, Goal::TypeScript, watch)? else {
        return refused(&errors);
    };
    if !typescript::module_statements(&program).is_empty() {
        let message =
            "`import x = require()` and `export =` are not possible: use `import` and `export`";
        return Ok(Err(Diagnostic::error(rule::SYNTAX_VALID, message)));
    }
    if let Some(blanked) = typescript::blank(text, &program) {
        let inner = Allocator::default();
        if parse(&inner, &blanked, Goal::Module, watch)?.is_ok() {
            return Ok(Ok(source(text, Some(blanked), PositionMap::default())));
        }
    }
    if let Err(too_many) = audit::audit_lowering(&program) {
        let location = LineIndex::new(&**text).locate(too_many.offset as usize);
        return Ok(Err(describe_steps(&too_many, location)));
    }
    match typescript::lower(text, watch)? {
        Ok((lowered, map)) => Ok(Ok(source(text, Some(lowered), map))),
        Err(errors) => refused(&errors),
    }
}

fn source(original: &Arc<str>, transformed: Option<String>, map: PositionMap) -> Source {
    let language = if transformed.is_some() {
        Language::TypeScript
    } else {
        Language::JavaScript
    };
    let program = PreparedProgram::of_module(original, transformed, map, language);
    let exports = exports(&program.transformed);
    Source {
        program: Arc::new(program),
        exports,
    }
}

/// The names that a module exports; the text parses.
fn exports(text: &str) -> Option<BTreeSet<String>> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, Goal::Module.source_type()).parse();
    let record = parsed.module_record;
    if !record.star_export_entries.is_empty() {
        return None;
    }
    let named = record.exported_bindings.keys().map(ToString::to_string);
    let default = record
        .local_export_entries
        .iter()
        .any(|entry| entry.export_name.is_default());
    Some(named.chain(default.then(|| "default".to_owned())).collect())
}
