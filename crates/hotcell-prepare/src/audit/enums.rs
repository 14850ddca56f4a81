//! How long the strings get that an enum's values are.
//!
//! Values are calculated when enums are lowered: `enum E { a = "…", b = a + a, c = b + b, … }` doubles with every member.

use std::collections::HashMap;

use oxc_ast::ast::{Expression, TemplateElement};

/// Upper bounds of the lengths of values, by the names of members in whatever enum.
#[derive(Debug, Default)]
pub(super) struct EnumValues<'a> {
    lengths: HashMap<&'a str, usize>,
    enums: usize,
    /// What it takes to calculate them: bytes that are copied, and enums that names are looked up in.
    pub(super) steps: usize,
}

/// The longest number.
const NUMBER: usize = 32;

impl<'a> EnumValues<'a> {
    /// Another enum begins.
    pub(super) fn enter(&mut self) {
        self.enums += 1;
    }

    pub(super) fn set(&mut self, name: &'a str, length: usize) {
        let known = self.lengths.entry(name).or_default();
        *known = length.max(*known);
    }

    /// The length of a value, at most.
    pub(super) fn evaluate(&mut self, value: &Expression<'a>) -> usize {
        let length = match value {
            Expression::StringLiteral(text) => text.value.len(),
            Expression::TemplateLiteral(template) => {
                let text: usize = template.quasis.iter().map(quasi_length).sum();
                let values = template.expressions.iter();
                values
                    .map(|value| self.evaluate(value))
                    .fold(text, usize::saturating_add)
            }
            Expression::BinaryExpression(it) => self
                .evaluate(&it.left)
                .saturating_add(self.evaluate(&it.right)),
            Expression::UnaryExpression(it) => self.evaluate(&it.argument),
            Expression::ParenthesizedExpression(it) => self.evaluate(&it.expression),
            Expression::Identifier(it) => self.look_up(it.name.as_str()),
            Expression::StaticMemberExpression(it) => self.look_up(it.property.name.as_str()),
            Expression::ComputedMemberExpression(it) => match &it.expression {
                Expression::StringLiteral(name) => self.look_up(name.value.as_str()),
                _ => NUMBER,
            },
            _ => NUMBER,
        };
        self.steps = self.steps.saturating_add(length);
        length
    }

    fn look_up(&mut self, name: &str) -> usize {
        self.steps = self.steps.saturating_add(self.enums);
        self.lengths.get(name).copied().unwrap_or(NUMBER)
    }
}

fn quasi_length(quasi: &TemplateElement<'_>) -> usize {
    quasi.value.raw.len()
}
