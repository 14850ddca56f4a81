//! What is between `[[` and `]]`.

use super::printer::Printer;
use crate::ast::{BinaryOperator, Condition};

impl Printer {
    pub(super) fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Or(conditions) => self.conditions(conditions, " || "),
            Condition::And(conditions) => self.conditions(conditions, " && "),
            Condition::Not(inner) => {
                self.str("! ");
                self.condition(inner);
            }
            Condition::Group(inner) => {
                self.str("( ");
                self.condition(inner);
                self.str(" )");
            }
            Condition::Word(word) => {
                self.str("-n ");
                self.word(word);
            }
            Condition::Unary(letter, word) => {
                self.text(&[b'-', *letter, b' ']);
                self.word(word);
            }
            Condition::Binary {
                operator,
                left,
                right,
            } => {
                self.word(left);
                self.byte(b' ');
                self.str(operator_text(*operator));
                self.byte(b' ');
                self.word(right);
            }
        }
    }

    fn conditions(&mut self, conditions: &[Condition], separator: &str) {
        for (index, condition) in conditions.iter().enumerate() {
            if index > 0 {
                self.str(separator);
            }
            self.condition(condition);
        }
    }
}

fn operator_text(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Equal => "=",
        BinaryOperator::DoubleEqual => "==",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::Matches => "=~",
        BinaryOperator::Less => "<",
        BinaryOperator::Greater => ">",
        BinaryOperator::NumberEqual => "-eq",
        BinaryOperator::NumberNotEqual => "-ne",
        BinaryOperator::NumberLess => "-lt",
        BinaryOperator::NumberLessOrEqual => "-le",
        BinaryOperator::NumberGreater => "-gt",
        BinaryOperator::NumberGreaterOrEqual => "-ge",
        BinaryOperator::NewerThan => "-nt",
        BinaryOperator::OlderThan => "-ot",
        BinaryOperator::SameFile => "-ef",
    }
}
