//! `[[ … ]]`

use bstr::BString;
use hotcell_process::Process;
use hotcell_utilities::test;

use crate::{
    ast::{BinaryOperator, Condition, Word},
    flow::{Flow, Outcome},
    settings::Setting,
    shell::Shell,
};

/// What evaluates to neither true nor false.
enum Failure {
    /// A regular expression that is none.
    BadRegex,
    /// A number that is none, with the status that it makes.
    BadNumber(i32),
    Flow(Flow),
}

impl From<Flow> for Failure {
    fn from(flow: Flow) -> Self {
        Self::Flow(flow)
    }
}

impl Shell {
    pub(super) fn run_condition(
        &mut self,
        process: &Process,
        condition: &Condition,
        line: u32,
    ) -> Outcome {
        self.line = line;
        self.before_compound(process, || crate::describe::condition(condition))?;
        let status = match self.holds(process, condition, false) {
            Ok(holds) => i32::from(!holds),
            Err(Failure::BadRegex) => 2,
            Err(Failure::BadNumber(status)) => status,
            Err(Failure::Flow(flow)) => return Err(flow),
        };
        self.pipe_status = vec![status];
        Ok(self.set_status(status))
    }

    /// Whether a condition holds. `negated` is for showing it only.
    fn holds(
        &mut self,
        process: &Process,
        condition: &Condition,
        negated: bool,
    ) -> Result<bool, Failure> {
        process.spend(1);
        match condition {
            Condition::Or(any) => {
                for condition in any {
                    if self.holds(process, condition, false)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Condition::And(all) => {
                for condition in all {
                    if !self.holds(process, condition, false)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Condition::Not(inner) => Ok(!self.holds(process, inner, !negated)?),
            Condition::Group(inner) => self.holds(process, inner, negated),
            Condition::Word(word) => self.holds_unary(process, b'n', word, negated),
            Condition::Unary(letter, word) => self.holds_unary(process, *letter, word, negated),
            Condition::Binary {
                operator,
                left,
                right,
            } => self.holds_binary(process, *operator, left, right, negated),
        }
    }

    fn holds_unary(
        &mut self,
        process: &Process,
        letter: u8,
        word: &Word,
        negated: bool,
    ) -> Result<bool, Failure> {
        let operand = self.expand_string(process, word)?;
        self.trace_condition(process, negated, &[&[b'-', letter], &operand]);
        Ok(match letter {
            b'n' => !operand.is_empty(),
            b'z' => operand.is_empty(),
            b'v' => self.is_set(process, &operand),
            b'R' => self.is_reference(&operand),
            b'o' => self.has_option_named(&operand),
            _ => test::file_test(process, letter, &operand),
        })
    }

    fn holds_binary(
        &mut self,
        process: &Process,
        operator: BinaryOperator,
        left: &Word,
        right: &Word,
        negated: bool,
    ) -> Result<bool, Failure> {
        let left = self.expand_string(process, left)?;
        if let Some(holds) = self.holds_pattern(process, operator, &left, right, negated)? {
            return Ok(holds);
        }
        let right = self.expand_string(process, right)?;
        self.trace_condition(process, negated, &[&left, symbol(operator), &right]);
        Ok(match operator {
            BinaryOperator::Less => left < right,
            BinaryOperator::Greater => left > right,
            BinaryOperator::NewerThan => test::compare_files(process, b"-nt", &left, &right),
            BinaryOperator::OlderThan => test::compare_files(process, b"-ot", &left, &right),
            BinaryOperator::SameFile => test::compare_files(process, b"-ef", &left, &right),
            _ => self.compare_numbers(process, operator, &left, &right)?,
        })
    }

    /// The operators whose right side is not a string.
    fn holds_pattern(
        &mut self,
        process: &Process,
        operator: BinaryOperator,
        left: &BString,
        right: &Word,
        negated: bool,
    ) -> Result<Option<bool>, Failure> {
        match operator {
            BinaryOperator::Equal | BinaryOperator::DoubleEqual | BinaryOperator::NotEqual => {
                if self.has(Setting::XTrace) {
                    let shown = self.expand_pattern_text(process, right)?;
                    self.trace_condition(process, negated, &[left, symbol(operator), &shown]);
                }
                let matches = self.matches_pattern(process, left, right, true)?;
                Ok(Some(matches == (operator != BinaryOperator::NotEqual)))
            }
            BinaryOperator::Matches => {
                if self.has(Setting::XTrace) {
                    let shown = self.expand_pattern_text(process, right)?;
                    self.trace_condition(process, negated, &[left, symbol(operator), &shown]);
                }
                let matches = self.matches_regex(process, left, right)?;
                matches.ok_or(Failure::BadRegex).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn compare_numbers(
        &mut self,
        process: &Process,
        operator: BinaryOperator,
        left: &[u8],
        right: &[u8],
    ) -> Result<bool, Failure> {
        let left = self.condition_number(process, left)?;
        let right = self.condition_number(process, right)?;
        Ok(match operator {
            BinaryOperator::NumberEqual => left == right,
            BinaryOperator::NumberNotEqual => left != right,
            BinaryOperator::NumberLess => left < right,
            BinaryOperator::NumberLessOrEqual => left <= right,
            BinaryOperator::NumberGreater => left > right,
            _ => left >= right,
        })
    }

    fn condition_number(&mut self, process: &Process, text: &[u8]) -> Result<i64, Failure> {
        match self.evaluating(b"[[", |shell| shell.evaluate_text(process, text)) {
            Ok(number) => Ok(number),
            Err(flow) => Err(Failure::BadNumber(Self::as_status(Err(flow))?)),
        }
    }

    fn trace_condition(&mut self, process: &Process, negated: bool, terms: &[&[u8]]) {
        self.trace(process, || {
            let mut text = b"[[ ".to_vec();
            if negated {
                text.extend_from_slice(b"! ");
            }
            for term in terms {
                text.extend_from_slice(if term.is_empty() { b"''" } else { term });
                text.push(b' ');
            }
            text.extend_from_slice(b"]]");
            text
        });
    }

    /// `-o name`
    pub(crate) fn has_option_named(&self, name: &[u8]) -> bool {
        Setting::by_set_name(name).is_some_and(|setting| self.has(setting))
    }
}

fn symbol(operator: BinaryOperator) -> &'static [u8] {
    match operator {
        BinaryOperator::Equal => b"=",
        BinaryOperator::DoubleEqual => b"==",
        BinaryOperator::NotEqual => b"!=",
        BinaryOperator::Matches => b"=~",
        BinaryOperator::Less => b"<",
        BinaryOperator::Greater => b">",
        BinaryOperator::NumberEqual => b"-eq",
        BinaryOperator::NumberNotEqual => b"-ne",
        BinaryOperator::NumberLess => b"-lt",
        BinaryOperator::NumberLessOrEqual => b"-le",
        BinaryOperator::NumberGreater => b"-gt",
        BinaryOperator::NumberGreaterOrEqual => b"-ge",
        BinaryOperator::NewerThan => b"-nt",
        BinaryOperator::OlderThan => b"-ot",
        BinaryOperator::SameFile => b"-ef",
    }
}
