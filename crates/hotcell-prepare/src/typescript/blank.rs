//! Types, blanked out.
//!
//! Taking text away can change what the rest means, where a line ends without a semicolon or an operator binds tighter
//! than the type syntax did. Each such case is handled where it arises, by one character in the place of the blank, or
//! by giving up: the caller then lowers the code instead.

use oxc_ast::ast::{
    ArrowFunctionExpression, BinaryExpression, Class, ClassElement, Declaration,
    ExportDefaultDeclarationKind, Expression, FormalParameter, Function, ImportDeclaration,
    ImportDeclarationSpecifier, MethodDefinition, MethodDefinitionType, Program,
    PropertyDefinition, PropertyDefinitionType, PropertyKey, Statement, TSAsExpression,
    TSNonNullExpression, TSSatisfiesExpression, TSThisParameter, TSType, TSTypeAnnotation,
    TSTypeAssertion, TSTypeParameterDeclaration, TSTypeParameterInstantiation, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::precedence::{GetPrecedence, Precedence};
use oxc_syntax::scope::ScopeFlags;

use super::trivia::{has_line_break, next_char, skip, words};

/// The text without its types, or `None` if blanking is not enough.
pub(crate) fn blank(text: &str, program: &Program<'_>) -> Option<String> {
    let mut blanker = Blanker {
        text,
        blanks: Vec::new(),
        marks: Vec::new(),
        give_up: false,
    };
    blanker.visit_program(program);
    (!blanker.give_up).then(|| blanker.apply())
}

struct Blanker<'t> {
    text: &'t str,
    blanks: Vec<(usize, usize)>,
    /// Characters to put in the place of others, by offset.
    marks: Vec<(usize, char)>,
    give_up: bool,
}

impl Blanker<'_> {
    fn apply(mut self) -> String {
        self.blanks.sort_unstable();
        self.marks.sort_unstable();
        let mut marks = self.marks.iter().peekable();
        let mut blanks = self.blanks.iter().peekable();
        let mut blank_until = 0;
        let mut out = String::with_capacity(self.text.len());
        for (offset, c) in self.text.char_indices() {
            while let Some(&&(start, end)) = blanks.peek() {
                if start > offset {
                    break;
                }
                blank_until = blank_until.max(end);
                blanks.next();
            }
            let mut mark = None;
            while let Some(&&(at, with)) = marks.peek() {
                if at > offset {
                    break;
                }
                mark = (at == offset).then_some(with);
                marks.next();
            }
            let line_break = matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
            if let Some(mark) = mark {
                out.push(mark);
                (1..c.len_utf16()).for_each(|_| out.push(' '));
            } else if offset < blank_until && !line_break {
                (0..c.len_utf16()).for_each(|_| out.push(' '));
            } else {
                out.push(c);
            }
        }
        out
    }

    fn blank(&mut self, span: Span) {
        self.blanks.push(range(span));
    }

    fn blank_char(&mut self, at: usize) {
        self.blanks.push((at, at + 1));
    }

    /// Blanks a statement or a class element. The semicolon ends what was before it, as the erased text did.
    fn erase(&mut self, span: Span) {
        self.blank(span);
        self.marks.push((range(span).0, ';'));
    }

    /// The offset of the last character before `end`.
    fn last_char(&self, end: usize) -> usize {
        let before = self.text.get(..end).unwrap_or("");
        before.char_indices().next_back().map_or(0, |(at, _)| at)
    }

    fn source(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end).unwrap_or("")
    }

    /// Blanks `as T` or `satisfies T`. What follows on a new line was a new statement, because nothing can be called
    /// or indexed after a type; without the type it could be.
    fn blank_suffix(&mut self, expression: Span, whole: Span) {
        let (start, end) = (range(expression).1, range(whole).1);
        self.blanks.push((start, end));
        if matches!(next_char(self.text, end), Some((_, '(' | '[' | '`'))) {
            self.marks.push((self.last_char(end), ';'));
        }
    }

    /// Blanks the modifiers that only TypeScript has, in front of the name of a class element.
    fn blank_modifiers(&mut self, element: Span, decorators_end: Option<usize>, key: usize) {
        let start = decorators_end.unwrap_or(range(element).0);
        let first = skip(self.text, start);
        for (at, word) in words(self.text, start, key) {
            let modifier = matches!(
                word,
                "public"
                    | "private"
                    | "protected"
                    | "readonly"
                    | "override"
                    | "abstract"
                    | "declare"
            );
            if modifier {
                self.blanks.push((at, at + word.len()));
                if at == first && decorators_end.is_none() {
                    // Else `a = 1⏎ public [b] = 2` would go on with the line before.
                    self.marks.push((at, ';'));
                }
            }
        }
    }

    /// Blanks the `?` or `!` after the name of a class element.
    fn blank_after_key(&mut self, key: &PropertyKey<'_>, computed: bool) {
        let mut at = range(key.span()).1;
        if computed && let Some((bracket, ']')) = next_char(self.text, at) {
            at = bracket + 1;
        }
        if let Some((at, '?' | '!')) = next_char(self.text, at) {
            self.blank_char(at);
        }
    }
}

/// Whether nothing of a declaration exists at run time.
fn is_only_types(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSExternalModuleDeclaration(_)
        | Declaration::TSGlobalDeclaration(_) => true,
        Declaration::TSEnumDeclaration(it) => it.declare,
        Declaration::TSNamespaceDeclaration(it) => it.declare,
        Declaration::VariableDeclaration(it) => it.declare,
        Declaration::FunctionDeclaration(it) => it.declare || it.body.is_none(),
        Declaration::ClassDeclaration(it) => it.declare,
        Declaration::TSImportEqualsDeclaration(it) => it.import_kind.is_type(),
    }
}

/// Whether nothing of a statement exists at run time.
fn is_erasable(statement: &Statement<'_>) -> bool {
    if let Some(declaration) = statement.as_declaration() {
        return is_only_types(declaration);
    }
    match statement {
        Statement::ImportDeclaration(it) => is_type_import(it),
        Statement::ExportAllDeclaration(it) => it.export_kind.is_type(),
        Statement::ExportNamedDeclaration(it) => {
            it.export_kind.is_type()
                || (!it.specifiers.is_empty()
                    && it.specifiers.iter().all(|one| one.export_kind.is_type()))
        }
        Statement::ExportFromDeclaration(it) => {
            it.export_kind.is_type()
                || (!it.specifiers.is_empty()
                    && it.specifiers.iter().all(|one| one.export_kind.is_type()))
        }
        Statement::ExportDeclaration(it) => is_only_types(&it.declaration),
        Statement::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => true,
            ExportDefaultDeclarationKind::FunctionDeclaration(it) => it.body.is_none(),
            _ => false,
        },
        Statement::TSNamespaceExportDeclaration(_) => true,
        _ => false,
    }
}

fn is_type_import(it: &ImportDeclaration<'_>) -> bool {
    it.import_kind.is_type()
        || it.specifiers.as_ref().is_some_and(|specifiers| {
            !specifiers.is_empty()
                && specifiers.iter().all(|one| match one {
                    ImportDeclarationSpecifier::ImportSpecifier(it) => it.import_kind.is_type(),
                    _ => false,
                })
        })
}

fn range(span: Span) -> (usize, usize) {
    // Spans are u32 and usize is at least that on every platform with threads and mmap.
    (span.start as usize, span.end as usize)
}

impl<'a> Visit<'a> for Blanker<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        if is_erasable(it) {
            self.erase(it.span());
            return;
        }
        let lowered = matches!(
            it,
            Statement::TSEnumDeclaration(_)
                | Statement::TSNamespaceDeclaration(_)
                | Statement::TSImportEqualsDeclaration(_)
                | Statement::TSExportAssignment(_)
        );
        if lowered {
            self.give_up = true;
            return;
        }
        walk::walk_statement(self, it);
    }

    fn visit_declaration(&mut self, it: &Declaration<'a>) {
        self.give_up |= matches!(
            it,
            Declaration::TSEnumDeclaration(_)
                | Declaration::TSNamespaceDeclaration(_)
                | Declaration::TSImportEqualsDeclaration(_)
        );
        walk::walk_declaration(self, it);
    }

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.blank(it.span);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.blank(it.span);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.blank(it.span);
    }

    /// Types are never walked: whatever contains one blanks it whole.
    fn visit_ts_type(&mut self, _: &TSType<'a>) {}

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        self.blank(it.span);
        if let Some((comma, ',')) = next_char(self.text, range(it.span).1) {
            self.blank_char(comma);
        }
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        self.give_up |= it.accessibility.is_some() || it.readonly || it.r#override;
        if it.optional
            && let Some((at, '?')) = next_char(self.text, range(it.pattern.span()).1)
        {
            self.blank_char(at);
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite
            && let Some((at, '!')) = next_char(self.text, range(it.id.span()).1)
        {
            self.blank_char(at);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        let start = it
            .decorators
            .last()
            .map_or(range(it.span).0, |last| range(last.span).1);
        for (at, word) in words(self.text, start, range(it.body.span).0) {
            match word {
                "abstract" | "declare" => self.blanks.push((at, at + word.len())),
                "export" | "default" => {}
                _ => break,
            }
        }
        if let Some(last) = it.implements.last() {
            // The clause starts after whatever stands before it in the head.
            let head = [
                it.id.as_ref().map(|id| id.span.end),
                it.type_parameters
                    .as_ref()
                    .map(|parameters| parameters.span.end),
                it.heritage
                    .as_ref()
                    .map(|heritage| heritage.expression.span().end),
                it.heritage
                    .as_ref()
                    .and_then(|heritage| heritage.type_arguments.as_ref())
                    .map(|arguments| arguments.span.end),
            ];
            let clause = match head.into_iter().flatten().max() {
                Some(end) => Some(skip(self.text, end as usize)),
                None => words(self.text, start, range(it.body.span).0)
                    .find_map(|(at, word)| (word == "implements").then_some(at)),
            };
            self.give_up |= clause.is_none();
            self.blanks
                .extend(clause.map(|start| (start, range(last.span).1)));
        }
        if let Some(parameters) = &it.type_parameters {
            self.blank(parameters.span);
        }
        if let Some(heritage) = &it.heritage {
            self.visit_class_heritage(heritage);
        }
        self.visit_class_body(&it.body);
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        let erased = match it {
            ClassElement::TSIndexSignature(_) => true,
            ClassElement::MethodDefinition(it) => {
                it.value.body.is_none()
                    || it.r#type == MethodDefinitionType::TSAbstractMethodDefinition
            }
            ClassElement::PropertyDefinition(it) => {
                it.declare || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition
            }
            // The engine has no accessor fields, a rule says so.
            ClassElement::AccessorProperty(_) => {
                self.give_up = true;
                true
            }
            ClassElement::StaticBlock(_) => false,
        };
        if erased {
            self.erase(it.span());
        } else {
            walk::walk_class_element(self, it);
        }
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        let decorators = it.decorators.last().map(|last| range(last.span).1);
        self.blank_modifiers(it.span, decorators, range(it.key.span()).0);
        if it.optional {
            self.blank_after_key(&it.key, it.computed);
        }
        walk::walk_method_definition(self, it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        let decorators = it.decorators.last().map(|last| range(last.span).1);
        self.blank_modifiers(it.span, decorators, range(it.key.span()).0);
        if it.optional || it.definite {
            self.blank_after_key(&it.key, it.computed);
        }
        if let Some(annotation) = &it.type_annotation
            && it.value.is_none()
        {
            // Else `get: T⏎ x() {}` would become a getter.
            let end = range(annotation.span).1;
            if !matches!(next_char(self.text, end), Some((_, ';' | '}'))) {
                self.marks.push((self.last_char(end), ';'));
            }
        }
        walk::walk_property_definition(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        walk::walk_function(self, it, flags);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        let (open, close) = range(it.params.span);
        if let Some(types) = &it.type_parameters {
            let (start, end) = range(types.span);
            if has_line_break(self.source(start, end)) {
                // `return <⏎T>(x) => x` must not become a `return` and a line of its own.
                if self.source(open, open + 1) == "(" {
                    self.blank_char(open);
                    self.marks.push((start, '('));
                } else {
                    self.give_up = true;
                }
            }
        }
        if let Some(result) = &it.return_type {
            let end = range(result.span).1;
            if has_line_break(self.source(close, end)) {
                // No line may end between `)` and `=>`.
                let paren = close.saturating_sub(1);
                if self.source(paren, close) == ")" {
                    self.blank_char(paren);
                    self.marks.push((self.last_char(end), ')'));
                } else {
                    self.give_up = true;
                }
            }
        }
        walk::walk_arrow_function_expression(self, it);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        // `a + b as T * c` is `(a + b) * c`.
        let typed = matches!(
            it.left,
            Expression::TSAsExpression(_) | Expression::TSSatisfiesExpression(_)
        );
        self.give_up |= typed && it.operator.precedence() > Precedence::Compare;
        walk::walk_binary_expression(self, it);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.blank_suffix(it.expression.span(), it.span);
        self.visit_expression(&it.expression);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.blank_suffix(it.expression.span(), it.span);
        self.visit_expression(&it.expression);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.blank_char(self.last_char(range(it.span).1));
        self.visit_expression(&it.expression);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        let (start, end) = (range(it.span).0, range(it.expression.span()).0);
        let inner = self.text.get(end..).unwrap_or("");
        // At the start of a statement or of an arrow's body these would no longer be expressions.
        let ambiguous = ["{", "function", "class", "async", "let"];
        self.give_up |= has_line_break(self.source(start, end))
            || ambiguous.iter().any(|word| inner.starts_with(word));
        self.blanks.push((start, end));
        self.visit_expression(&it.expression);
    }
}
