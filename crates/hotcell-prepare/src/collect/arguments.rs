//! Arguments of calls, as far as their text tells what they are.

use oxc_ast::ast::{Argument as Node, Expression, ObjectPropertyKind, PropertyKey};

use crate::signature::{Argument, Kind};

pub(super) fn argument<'a>(node: &Node<'a>) -> Argument<'a> {
    let Some(expression) = node.as_expression() else {
        return Argument::Spread;
    };
    let Expression::ObjectExpression(object) = expression.get_inner_expression() else {
        return Argument::Other(kind(expression));
    };
    let mut properties = Vec::new();
    let mut is_open = false;
    for property in &object.properties {
        match property {
            ObjectPropertyKind::ObjectProperty(property) => match &property.key {
                PropertyKey::StaticIdentifier(name) => {
                    properties.push((name.name.as_str(), kind(&property.value)));
                }
                PropertyKey::StringLiteral(name) => {
                    properties.push((name.value.as_str(), kind(&property.value)));
                }
                _ => is_open = true,
            },
            ObjectPropertyKind::SpreadProperty(_) => is_open = true,
        }
    }
    Argument::Object {
        properties,
        is_open,
    }
}

fn kind(expression: &Expression<'_>) -> Option<Kind> {
    Some(match expression.get_inner_expression() {
        Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => Kind::String,
        Expression::NumericLiteral(_) => Kind::Number,
        Expression::BooleanLiteral(_) => Kind::Boolean,
        Expression::NullLiteral(_) => Kind::Null,
        Expression::ArrayExpression(_) => Kind::Array,
        Expression::ObjectExpression(_) => Kind::Object,
        _ => return None,
    })
}
