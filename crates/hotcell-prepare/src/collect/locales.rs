//! Locales that code asks for by name.

use oxc_ast::ast::{Argument, Expression};
use oxc_span::GetSpan;

use super::Collector;

impl<'a> Collector<'a, '_> {
    /// A call or construction of `callee`.
    pub(super) fn note_locale(&mut self, callee: &Expression<'a>, arguments: &[Argument<'a>]) {
        let Expression::StaticMemberExpression(member) = callee else {
            return;
        };
        let method = member.property.name.as_str();
        let position = match method {
            "toLocaleString" | "toLocaleDateString" | "toLocaleTimeString"
            | "toLocaleUpperCase" | "toLocaleLowerCase" => 0,
            "localeCompare" => 1,
            _ if matches!(&member.object, Expression::Identifier(it) if it.name == "Intl") => 0,
            _ => return,
        };
        if let Some(Argument::StringLiteral(tag)) = arguments.get(position) {
            let offset = tag.span().start;
            self.facts.locales.push((offset, tag.value.as_str()));
        }
    }
}
