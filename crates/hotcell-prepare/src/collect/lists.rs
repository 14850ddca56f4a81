//! Arrays of promises: what `map` makes of calls that nobody awaits, and what is then done with its elements.

use oxc_ast::ast::{
    ArrowFunctionExpression, BindingPattern, CallExpression, Expression, ForOfStatement,
    ForStatementLeft, Statement,
};
use oxc_semantic::Reference;
use oxc_span::GetSpan;

use super::{Collector, Held};
use crate::view::{CallResult, Origin, ResultUsed};

/// The parameters of the functions that these methods call which are elements of the array.
fn elements_of(method: &str) -> &'static [usize] {
    match method {
        "map" | "flatMap" | "filter" | "forEach" | "find" | "findLast" | "some" | "every" => &[0],
        "reduce" | "reduceRight" => &[1],
        "sort" | "toSorted" => &[0, 1],
        _ => &[],
    }
}

impl<'a> Collector<'a, '_> {
    /// The function whose promises an expression is an array of.
    pub(super) fn promises_of(&self, expression: &Expression<'a>) -> Option<String> {
        match expression.get_inner_expression() {
            Expression::Identifier(name) => {
                let symbol = self.reference(name).and_then(Reference::symbol_id)?;
                self.lists_of.get(&symbol).cloned()
            }
            Expression::CallExpression(call) => {
                let Expression::StaticMemberExpression(method) = &call.callee else {
                    return None;
                };
                let function = function_of(call).filter(|_| method.property.name == "map")?;
                let (callee, global) = self.path(&returned_call(function)?.callee);
                (global && !callee.is_empty()).then_some(callee)
            }
            _ => None,
        }
    }

    /// A method that goes through an array: its function gets a promise for each element.
    pub(super) fn note_elements_of_call(&mut self, call: &CallExpression<'a>) {
        let Expression::StaticMemberExpression(method) = &call.callee else {
            return;
        };
        let elements = elements_of(method.property.name.as_str());
        let (false, Some(function)) = (elements.is_empty(), function_of(call)) else {
            return;
        };
        let Some(callee) = self.promises_of(&method.object) else {
            return;
        };
        for element in elements {
            if let Some(parameter) = function.params.items.get(*element) {
                self.note_element(&method.object, &parameter.pattern, &callee);
            }
        }
    }

    /// A loop over an array: its variable is a promise.
    pub(super) fn note_elements_of_loop(&mut self, it: &ForOfStatement<'a>) {
        if let (false, ForStatementLeft::VariableDeclaration(variable)) = (it.r#await, &it.left)
            && let [only] = variable.declarations.as_slice()
            && let Some(callee) = self.promises_of(&it.right)
        {
            self.note_element(&it.right, &only.id, &callee);
        }
    }

    fn note_element(&mut self, list: &Expression<'a>, element: &BindingPattern<'a>, callee: &str) {
        match element {
            BindingPattern::BindingIdentifier(name) => {
                if let Some(symbol) = name.symbol_id.get() {
                    let held = Held {
                        callee: callee.to_owned(),
                        origin: Origin::Element,
                    };
                    self.results_of.insert(symbol, held);
                }
            }
            BindingPattern::ObjectPattern(pattern) => {
                if let Expression::Identifier(name) = list.get_inner_expression() {
                    self.facts.results_used.push(ResultUsed {
                        offset: pattern.span().start,
                        name: name.name.as_str(),
                        callee: callee.to_owned(),
                        origin: Origin::List,
                        how: CallResult::Parts,
                    });
                }
            }
            _ => {}
        }
    }
}

/// The arrow function that a call is given first.
fn function_of<'e, 'a>(call: &'e CallExpression<'a>) -> Option<&'e ArrowFunctionExpression<'a>> {
    match call
        .arguments
        .first()?
        .as_expression()?
        .get_inner_expression()
    {
        Expression::ArrowFunctionExpression(function) => Some(function),
        _ => None,
    }
}

/// The call that a function gives back the result of. What an async function awaits it gives back as a promise.
fn returned_call<'e, 'a>(
    function: &'e ArrowFunctionExpression<'a>,
) -> Option<&'e CallExpression<'a>> {
    let returned = match function.body.as_expression() {
        Some(expression) => expression,
        None => match function.body.as_function_body()?.statements.last()? {
            Statement::ReturnStatement(it) => it.argument.as_ref()?,
            _ => return None,
        },
    };
    match returned.get_inner_expression() {
        Expression::CallExpression(call) => Some(call),
        Expression::AwaitExpression(it) => match it.argument.get_inner_expression() {
            Expression::CallExpression(call) => Some(call),
            _ => None,
        },
        _ => None,
    }
}
