//! Functions that are given to methods of arrays, and cannot do there what they were meant for.

use oxc_ast::ast::{CallExpression, Expression, FunctionBody, Statement};

use super::Collector;
use crate::view::{CallResult, Callback, CallbackFault};

impl<'a> Collector<'a, '_> {
    /// A call whose result is used in this way.
    pub(super) fn note_callback(&mut self, call: &CallExpression<'a>, result: CallResult<'a>) {
        let Expression::StaticMemberExpression(method) = &call.callee else {
            return;
        };
        let method = method.property.name.as_str();
        let Some(function) = call.arguments.first().and_then(|one| one.as_expression()) else {
            return;
        };
        let (is_async, body) = match function.get_inner_expression() {
            Expression::ArrowFunctionExpression(it) => (it.r#async, it.body.as_function_body()),
            Expression::FunctionExpression(it) if !it.generator => (it.r#async, it.body.as_deref()),
            _ => return,
        };
        let fault = match method {
            "forEach" if is_async => CallbackFault::NotAwaited,
            "filter" | "find" | "findIndex" | "findLast" | "findLastIndex" | "some" | "every"
                if is_async =>
            {
                CallbackFault::AlwaysTrue
            }
            "map" | "flatMap" if result == CallResult::Discarded => return,
            "map" | "flatMap" | "filter" | "find" | "findIndex" | "findLast" | "findLastIndex"
            | "some" | "every"
                if body.is_some_and(|body| gives_nothing(body)) =>
            {
                CallbackFault::NoValue
            }
            _ => return,
        };
        let offset = call.span.start;
        self.facts.callbacks.push(Callback {
            offset,
            method,
            fault,
        });
    }
}

/// Whether a body only looks as if it had a value: `{ user.name }`, or `{ name: user.name }`, which is a label.
fn gives_nothing(body: &FunctionBody<'_>) -> bool {
    let is_plain = |statement: &Statement<'_>| {
        matches!(
            statement,
            Statement::ExpressionStatement(_)
                | Statement::LabeledStatement(_)
                | Statement::VariableDeclaration(_)
        )
    };
    let ends_in_value = match body.statements.last() {
        Some(Statement::ExpressionStatement(_)) => true,
        Some(Statement::LabeledStatement(it)) => {
            matches!(it.body, Statement::ExpressionStatement(_))
        }
        _ => false,
    };
    ends_in_value && body.statements.iter().all(is_plain)
}
