//! One walk over the tree that collects what the rules look at.

mod arguments;
mod callbacks;
mod lists;
mod locales;
mod summary;

use std::collections::{HashMap, HashSet};

use oxc_ast::ast::{
    AccessorProperty, ArrowFunctionExpression, AssignmentExpression, AssignmentTarget,
    AwaitExpression, BinaryExpression, BindingIdentifier, BindingPattern, CallExpression, Class,
    ClassBody, ComputedMemberExpression, Decorator, ExportAllDeclaration, ExportDeclaration,
    ExportDefaultDeclaration, ExportFromDeclaration, ExportNamedDeclaration, Expression,
    ExpressionStatement, ForOfStatement, FormalParameter, Function, IdentifierReference,
    IfStatement, ImportDeclaration, ImportExpression, ImportMeta, LabelIdentifier,
    MethodDefinition, MethodDefinitionType, NewExpression, Program, PropertyDefinition,
    PropertyDefinitionType, ReturnStatement, SpreadElement, StaticMemberExpression, StringLiteral,
    TSAsExpression, TSEnumDeclaration, TSExportAssignment, TSExternalModuleDeclaration,
    TSGlobalDeclaration, TSImportEqualsDeclaration, TSIndexSignature, TSInstantiationExpression,
    TSInterfaceDeclaration, TSNamespaceDeclaration, TSNamespaceExportDeclaration,
    TSNonNullExpression, TSSatisfiesExpression, TSThisParameter, TSTypeAliasDeclaration,
    TSTypeAnnotation, TSTypeAssertion, TSTypeParameterDeclaration, TSTypeParameterInstantiation,
    TaggedTemplateExpression, TemplateLiteral, UnaryExpression, VariableDeclaration,
    VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::Scoping;
use oxc_span::{GetSpan, Span};
use oxc_syntax::operator::{AssignmentOperator, BinaryOperator, UnaryOperator};
use oxc_syntax::reference::Reference;
use oxc_syntax::scope::ScopeFlags;
use oxc_syntax::symbol::SymbolId;

use crate::view::{
    AsyncCall, Call, CallResult, Facts, IMPORT_META, Identifier, Import, ImportKind, Origin,
    ResultUsed, Role, StringText,
};
use arguments::argument;
use summary::{declarations, dynamic_import, first_statement, imported_names, lone_function};

/// What is wanted beside the rest, because it costs something.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wanted {
    /// String literals.
    pub(crate) strings: bool,
    /// The arguments of calls.
    pub(crate) arguments: bool,
}

/// Collects from a program. Without the `scoping` of its names all of them count as global.
pub(crate) fn collect<'a>(
    program: &Program<'a>,
    scoping: Option<&Scoping>,
    wanted: Wanted,
) -> Facts<'a> {
    let mut collector = Collector {
        scoping,
        wanted,
        facts: Facts::default(),
        functions: 0,
        results: Vec::new(),
        type_test: None,
        results_of: HashMap::new(),
        lists_of: HashMap::new(),
        async_functions: HashSet::new(),
        local_calls: Vec::new(),
        assigned: None,
        last_statement: program.body.last().map(GetSpan::span),
    };
    collector.facts.lone_function = lone_function(program);
    collector.facts.first_statement = first_statement(program);
    collector.facts.declarations = scoping.map(declarations).unwrap_or_default();
    collector.visit_program(program);
    collector.settle_async_calls();
    collector.facts
}

struct Collector<'a, 's> {
    scoping: Option<&'s Scoping>,
    wanted: Wanted,
    facts: Facts<'a>,
    functions: u32,
    /// What parents know about the results of the calls below them, by their spans. The call that is visited next is the
    /// last: parents add those of their children in reverse.
    results: Vec<(Span, CallResult<'a>)>,
    type_test: Option<Span>,
    /// Variables that hold what a call returned, and of which function.
    results_of: HashMap<SymbolId, Held>,
    /// Variables that hold an array of what calls returned, and of which function.
    lists_of: HashMap<SymbolId, String>,
    /// Async functions that the program declares, and calls of what it declares: a function may stand behind its calls.
    async_functions: HashSet<SymbolId>,
    local_calls: Vec<(SymbolId, AsyncCall<'a>)>,
    /// A member that is assigned to.
    assigned: Option<Span>,
    last_statement: Option<Span>,
}

/// What a variable holds.
struct Held {
    callee: String,
    origin: Origin,
}

impl<'a> Collector<'a, '_> {
    fn expect_result(&mut self, expression: &Expression<'a>, result: CallResult<'a>) {
        match expression.get_inner_expression() {
            Expression::CallExpression(call) => self.results.push((call.span, result)),
            Expression::Identifier(name) => self.use_result(name, result),
            Expression::ComputedMemberExpression(member) => {
                if let Expression::Identifier(list) = &member.object {
                    self.use_list(list, result);
                }
            }
            _ => {}
        }
    }

    /// Something is done with what may be an array of promises, or one of them.
    fn use_list(&mut self, name: &IdentifierReference<'a>, how: CallResult<'a>) {
        let symbol = self.reference(name).and_then(Reference::symbol_id);
        if let Some(callee) = symbol.and_then(|symbol| self.lists_of.get(&symbol)) {
            self.facts.results_used.push(ResultUsed {
                offset: name.span.start,
                name: name.name.as_str(),
                callee: callee.clone(),
                origin: Origin::List,
                how,
            });
        }
    }

    /// Something is done with a variable that may hold what a call returned.
    fn use_result(&mut self, name: &IdentifierReference<'a>, how: CallResult<'a>) {
        let symbol = self.reference(name).and_then(Reference::symbol_id);
        if let Some(held) = symbol.and_then(|symbol| self.results_of.get(&symbol)) {
            self.facts.results_used.push(ResultUsed {
                offset: name.span.start,
                name: name.name.as_str(),
                callee: held.callee.clone(),
                origin: held.origin,
                how,
            });
        }
        if how == CallResult::Printed {
            self.use_list(name, how);
        }
    }

    /// Which of the calls were calls of async functions.
    fn settle_async_calls(&mut self) {
        let calls = std::mem::take(&mut self.local_calls).into_iter();
        let of_async = calls.filter(|(symbol, _)| self.async_functions.contains(symbol));
        self.facts.async_calls = of_async.map(|(_, call)| call).collect();
    }

    fn is_global(&self, name: &IdentifierReference<'a>) -> bool {
        self.reference(name)
            .is_none_or(|reference| reference.symbol_id().is_none())
    }

    fn reference(&self, name: &IdentifierReference<'a>) -> Option<&Reference> {
        Some(self.scoping?.get_reference(name.reference_id.get()?))
    }

    fn import(&mut self, span: Span, kind: ImportKind, module: Option<&'a str>) {
        self.facts.imports.push(Import {
            offset: span.start,
            end: span.end,
            kind,
            module,
        });
    }

    /// `console.log` of a callee, and whether its first name is global.
    fn path(&self, callee: &Expression<'a>) -> (String, bool) {
        let mut names: [&str; 4] = [""; 4];
        let mut length = 0;
        let mut expression = callee;
        loop {
            let Some(slot) = names.get_mut(length) else {
                return (String::new(), false);
            };
            length += 1;
            match expression {
                Expression::Identifier(name) => {
                    *slot = name.name.as_str();
                    break (
                        join(names.get(..length).unwrap_or(&[])),
                        self.is_global(name),
                    );
                }
                Expression::StaticMemberExpression(member) => {
                    *slot = member.property.name.as_str();
                    expression = &member.object;
                }
                _ => return (String::new(), false),
            }
        }
    }
}

fn join(names: &[&str]) -> String {
    let mut path = String::new();
    for name in names.iter().rev() {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(name);
    }
    path
}

impl<'a> Visit<'a> for Collector<'a, '_> {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        let reference = self.reference(it);
        let symbol = reference.and_then(Reference::symbol_id);
        let role = Role::Reference {
            global: symbol.is_none(),
            top_level: symbol.zip(self.scoping).is_some_and(|(symbol, scoping)| {
                scoping.symbol_scope_id(symbol) == scoping.root_scope_id()
            }),
            write: reference.is_some_and(|reference| reference.flags().is_write()),
            type_test: self.type_test == Some(it.span),
        };
        self.facts.identifiers.push(Identifier {
            name: it.name.as_str(),
            offset: it.span.start,
            role,
        });
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        let (name, offset) = (it.name.as_str(), it.span.start);
        self.facts.identifiers.push(Identifier {
            name,
            offset,
            role: Role::Binding,
        });
    }

    fn visit_label_identifier(&mut self, it: &LabelIdentifier<'a>) {
        let (name, offset) = (it.name.as_str(), it.span.start);
        self.facts.identifiers.push(Identifier {
            name,
            offset,
            role: Role::Label,
        });
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        if it.operator == UnaryOperator::Typeof {
            self.type_test = Some(it.argument.get_inner_expression().span());
        }
        walk::walk_unary_expression(self, it);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        if self.functions == 0 {
            let last = self
                .last_statement
                .is_some_and(|last| last.contains_inclusive(it.span));
            let result = if last {
                CallResult::Completion
            } else {
                CallResult::Discarded
            };
            self.expect_result(&it.expression, result);
        }
        walk::walk_expression_statement(self, it);
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        self.expect_result(&it.argument, CallResult::Awaited);
        walk::walk_await_expression(self, it);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if let AssignmentTarget::StaticMemberExpression(member) = &it.left
            && it.operator == AssignmentOperator::Assign
        {
            self.assigned = Some(member.span);
        }
        if it.operator != AssignmentOperator::Assign && !it.operator.is_logical() {
            self.expect_result(&it.right, CallResult::Operand);
        }
        walk::walk_assignment_expression(self, it);
    }

    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        self.expect_result(&it.test, CallResult::Operand);
        walk::walk_if_statement(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        if !it.r#await {
            self.expect_result(&it.right, CallResult::Parts);
        }
        self.note_elements_of_loop(it);
        walk::walk_for_of_statement(self, it);
    }

    fn visit_spread_element(&mut self, it: &SpreadElement<'a>) {
        self.expect_result(&it.argument, CallResult::Parts);
        walk::walk_spread_element(self, it);
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        if let Expression::Identifier(object) = &it.object
            && object.name == "globalThis"
            && self.is_global(object)
        {
            self.facts.identifiers.push(Identifier {
                name: it.property.name.as_str(),
                offset: it.span.start,
                role: Role::GlobalMember {
                    write: self.assigned == Some(it.span),
                    type_test: self.type_test == Some(it.span),
                },
            });
        }
        self.expect_result(&it.object, CallResult::Member(it.property.name.as_str()));
        walk::walk_static_member_expression(self, it);
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        self.expect_result(&it.object, CallResult::Member(""));
        walk::walk_computed_member_expression(self, it);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        if is_like_type_arguments(it) {
            self.facts.like_type_arguments.push(it.span.start);
        }
        let result = match it.operator {
            BinaryOperator::Addition if !is_text(&it.left) && !is_text(&it.right) => {
                Some(CallResult::Operand)
            }
            BinaryOperator::Addition => Some(CallResult::Printed),
            // Whether it is a promise may be the question.
            BinaryOperator::Instanceof | BinaryOperator::In => None,
            _ => Some(CallResult::Operand),
        };
        if let Some(result) = result {
            self.expect_result(&it.right, result);
            self.expect_result(&it.left, result);
        }
        walk::walk_binary_expression(self, it);
    }

    fn visit_template_literal(&mut self, it: &TemplateLiteral<'a>) {
        for expression in it.expressions.iter().rev() {
            self.expect_result(expression, CallResult::Printed);
        }
        if self.wanted.strings
            && let [only] = it.quasis.as_slice()
            && let Some(text) = &only.value.cooked
        {
            let (text, offset) = (text.as_str(), it.span.start);
            self.facts.strings.push(StringText { text, offset });
        }
        walk::walk_template_literal(self, it);
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        self.facts.tagged_templates.push(it.quasi.span.start);
        if let Expression::TemplateLiteral(tag) = &it.tag {
            self.facts.tagged_templates.push(tag.span.start);
        }
        // The substitutions of a tagged template go to its tag as they are.
        self.visit_expression(&it.tag);
        for expression in &it.quasi.expressions {
            self.visit_expression(expression);
        }
    }

    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        if self.wanted.strings {
            let (text, offset) = (it.value.as_str(), it.span.start);
            self.facts.strings.push(StringText { text, offset });
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.note_elements_of_call(it);
        let (callee, global) = self.path(&it.callee);
        let expected = self.results.pop_if(|(span, _)| *span == it.span);
        let result = expected.map_or(CallResult::Used, |(_, result)| result);
        if let Expression::Identifier(name) = &it.callee
            && let Some(symbol) = self.reference(name).and_then(Reference::symbol_id)
        {
            let call = AsyncCall {
                offset: it.span.start,
                name: name.name.as_str(),
                result,
            };
            self.local_calls.push((symbol, call));
        }
        self.note_callback(it, result);
        self.note_locale(&it.callee, &it.arguments);
        if global && (callee.starts_with("console.") || callee == "JSON.stringify") {
            for argument in it.arguments.iter().rev() {
                if let Some(expression) = argument.as_expression() {
                    self.expect_result(expression, CallResult::Printed);
                }
            }
        }
        self.facts.calls.push(Call {
            callee,
            offset: it.span.start,
            result,
            global,
            arguments: if self.wanted.arguments && global {
                it.arguments.iter().map(argument).collect()
            } else {
                Vec::new()
            },
        });
        walk::walk_call_expression(self, it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        self.note_locale(&it.callee, &it.arguments);
        walk::walk_new_expression(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.facts.typed |= it.declare || it.body.is_none();
        if let Some(symbol) = it.id.as_ref().and_then(|id| id.symbol_id.get())
            && it.r#async
            && !it.generator
        {
            self.async_functions.insert(symbol);
        }
        self.functions += 1;
        walk::walk_function(self, it, flags);
        self.functions -= 1;
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.functions += 1;
        walk::walk_arrow_function_expression(self, it);
        self.functions -= 1;
    }

    fn visit_class_body(&mut self, it: &ClassBody<'a>) {
        self.functions += 1;
        walk::walk_class_body(self, it);
        self.functions -= 1;
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        if self.functions == 0 {
            self.facts.returns_at_top.push(it.span.start);
        }
        walk::walk_return_statement(self, it);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        if it.phase.is_some() {
            self.facts
                .unsupported
                .push((it.span.start, "import phases are not supported"));
        }
        let module = match it.source.get_inner_expression() {
            Expression::StringLiteral(text) => Some(text.value.as_str()),
            Expression::TemplateLiteral(text) => match text.quasis.as_slice() {
                [only] => only.value.cooked.map(|text| text.as_str()),
                _ => None,
            },
            _ => None,
        };
        self.import(it.span, ImportKind::Dynamic, module);
        walk::walk_import_expression(self, it);
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        self.facts.typed |= it.import_kind.is_type();
        if it.phase.is_some() {
            self.facts
                .unsupported
                .push((it.span.start, "import phases are not supported"));
        }
        let kind = ImportKind::Static {
            instead: dynamic_import(it),
            names: imported_names(it),
        };
        self.import(it.span, kind, Some(it.source.value.as_str()));
        walk::walk_import_declaration(self, it);
    }

    fn visit_export_all_declaration(&mut self, it: &ExportAllDeclaration<'a>) {
        self.import(it.span, ImportKind::Export, Some(it.source.value.as_str()));
    }

    fn visit_export_from_declaration(&mut self, it: &ExportFromDeclaration<'a>) {
        self.import(it.span, ImportKind::Export, Some(it.source.value.as_str()));
    }

    fn visit_export_named_declaration(&mut self, it: &ExportNamedDeclaration<'a>) {
        self.import(it.span, ImportKind::Export, None);
        walk::walk_export_named_declaration(self, it);
    }

    fn visit_export_declaration(&mut self, it: &ExportDeclaration<'a>) {
        self.import(it.span, ImportKind::Export, None);
        walk::walk_export_declaration(self, it);
    }

    fn visit_export_default_declaration(&mut self, it: &ExportDefaultDeclaration<'a>) {
        self.import(it.span, ImportKind::Export, None);
        walk::walk_export_default_declaration(self, it);
    }

    fn visit_import_meta(&mut self, it: &ImportMeta) {
        self.facts.unsupported.push((it.span.start, IMPORT_META));
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.facts.unsupported.push((
            it.span.start,
            "decorators are not supported: write what they do as a call",
        ));
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        self.facts
            .unsupported
            .push((it.span.start, "`accessor` fields are not supported"));
        walk::walk_accessor_property(self, it);
    }

    // The parser lets much TypeScript pass in JavaScript. What follows notices it.

    fn visit_class(&mut self, it: &Class<'a>) {
        self.facts.typed |= it.r#abstract || it.declare || !it.implements.is_empty();
        walk::walk_class(self, it);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        self.facts.typed |= it.r#override
            || it.optional
            || it.accessibility.is_some()
            || it.r#type == MethodDefinitionType::TSAbstractMethodDefinition;
        walk::walk_method_definition(self, it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        self.facts.typed |= it.declare
            || it.r#override
            || it.optional
            || it.definite
            || it.readonly
            || it.accessibility.is_some()
            || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition;
        walk::walk_property_definition(self, it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        self.facts.typed |=
            it.optional || it.readonly || it.r#override || it.accessibility.is_some();
        walk::walk_formal_parameter(self, it);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        self.facts.typed |= it.declare;
        walk::walk_variable_declaration(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        self.facts.typed |= it.definite;
        if let (BindingPattern::BindingIdentifier(name), Some(init)) = (&it.id, &it.init)
            && let Expression::CallExpression(call) = init
            && let Some((symbol, scoping)) = name.symbol_id.get().zip(self.scoping)
            && !scoping.symbol_is_mutated(symbol)
        {
            let (callee, global) = self.path(&call.callee);
            if global && !callee.is_empty() {
                let origin = Origin::Call;
                self.results_of.insert(symbol, Held { callee, origin });
            }
            if let Some(callee) = self.promises_of(init) {
                self.lists_of.insert(symbol, callee);
            }
        }
        if let (BindingPattern::BindingIdentifier(name), Some(init)) = (&it.id, &it.init)
            && is_async_function(init)
            && let Some((symbol, scoping)) = name.symbol_id.get().zip(self.scoping)
            && !scoping.symbol_is_mutated(symbol)
        {
            self.async_functions.insert(symbol);
        }
        if let (BindingPattern::ObjectPattern(_) | BindingPattern::ArrayPattern(_), Some(init)) =
            (&it.id, &it.init)
        {
            self.expect_result(init, CallResult::Parts);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_ts_type_annotation(&mut self, _: &TSTypeAnnotation<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_type_parameter_declaration(&mut self, _: &TSTypeParameterDeclaration<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_type_parameter_instantiation(&mut self, _: &TSTypeParameterInstantiation<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_this_parameter(&mut self, _: &TSThisParameter<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_index_signature(&mut self, _: &TSIndexSignature<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_as_expression(&mut self, _: &TSAsExpression<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_satisfies_expression(&mut self, _: &TSSatisfiesExpression<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_type_assertion(&mut self, _: &TSTypeAssertion<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_non_null_expression(&mut self, _: &TSNonNullExpression<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_instantiation_expression(&mut self, _: &TSInstantiationExpression<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_enum_declaration(&mut self, _: &TSEnumDeclaration<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_interface_declaration(&mut self, _: &TSInterfaceDeclaration<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_type_alias_declaration(&mut self, _: &TSTypeAliasDeclaration<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_namespace_declaration(&mut self, _: &TSNamespaceDeclaration<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_external_module_declaration(&mut self, _: &TSExternalModuleDeclaration<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_global_declaration(&mut self, _: &TSGlobalDeclaration<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_import_equals_declaration(&mut self, _: &TSImportEqualsDeclaration<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_export_assignment(&mut self, _: &TSExportAssignment<'a>) {
        self.facts.typed = true;
    }

    fn visit_ts_namespace_export_declaration(&mut self, _: &TSNamespaceExportDeclaration<'a>) {
        self.facts.typed = true;
    }
}

fn is_async_function(expression: &Expression<'_>) -> bool {
    match expression.get_inner_expression() {
        Expression::ArrowFunctionExpression(it) => it.r#async,
        Expression::FunctionExpression(it) => it.r#async && !it.generator,
        _ => false,
    }
}

fn is_text(expression: &Expression<'_>) -> bool {
    matches!(
        expression.get_inner_expression(),
        Expression::StringLiteral(_) | Expression::TemplateLiteral(_)
    )
}

/// `f<T>(x)`, which in JavaScript compares twice.
fn is_like_type_arguments(it: &BinaryExpression<'_>) -> bool {
    it.operator == BinaryOperator::GreaterThan
        && matches!(
            it.right,
            Expression::ParenthesizedExpression(_) | Expression::TemplateLiteral(_)
        )
        && matches!(
            &it.left,
            Expression::BinaryExpression(left) if left.operator == BinaryOperator::LessThan
                && matches!(left.right, Expression::Identifier(_))
        )
}
