//! `[[ … ]]`

use bstr::BString;
use hotcell_process::Process;
use hotcell_utilities::test;

use crate::{
    ast::{BinaryOperator, Condition, Word},
    expand::{TildeAt, pattern_text},
    flow::{Flow, Outcome},
    settings::Setting,
    shell::Shell,
};

/// What a condition comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    True,
    False,
    /// A regular expression that is none: false, and 2 if nothing else makes the whole true.
    Broken,
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
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
        let status = match self.holds(process, condition, false)? {
            Truth::True => 0,
            Truth::False => 1,
            Truth::Broken => 2,
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
    ) -> Result<Truth, Flow> {
        process.spend(1);
        match condition {
            Condition::Or(any) => {
                let mut truth = Truth::False;
                for condition in any {
                    truth = self.holds(process, condition, false)?;
                    if truth == Truth::True {
                        break;
                    }
                }
                Ok(truth)
            }
            Condition::And(all) => {
                let mut truth = Truth::True;
                for condition in all {
                    truth = self.holds(process, condition, false)?;
                    if truth != Truth::True {
                        break;
                    }
                }
                Ok(truth)
            }
            Condition::Not(inner) => {
                let truth = self.holds(process, inner, !negated)?;
                Ok((truth != Truth::True).into())
            }
            Condition::Group(inner) => self.holds(process, inner, negated),
            Condition::Word(word) => {
                let holds = self.holds_unary(process, b'n', word, negated)?;
                Ok(holds.into())
            }
            Condition::Unary(letter, word) => {
                let holds = self.holds_unary(process, *letter, word, negated)?;
                Ok(holds.into())
            }
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
    ) -> Result<bool, Flow> {
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
    ) -> Result<Truth, Flow> {
        let left = self.expand_string(process, left)?;
        if let Some(truth) = self.holds_pattern(process, operator, &left, right, negated)? {
            return Ok(truth);
        }
        let right = self.expand_string(process, right)?;
        self.trace_condition(process, negated, &[&left, symbol(operator), &right]);
        let holds = match operator {
            BinaryOperator::Less => left < right,
            BinaryOperator::Greater => left > right,
            BinaryOperator::NewerThan => test::compare_files(process, b"-nt", &left, &right),
            BinaryOperator::OlderThan => test::compare_files(process, b"-ot", &left, &right),
            BinaryOperator::SameFile => test::compare_files(process, b"-ef", &left, &right),
            _ => self.compare_numbers(process, operator, &left, &right)?,
        };
        Ok(holds.into())
    }

    /// The operators whose right side is not a string.
    fn holds_pattern(
        &mut self,
        process: &Process,
        operator: BinaryOperator,
        left: &BString,
        right: &Word,
        negated: bool,
    ) -> Result<Option<Truth>, Flow> {
        match operator {
            BinaryOperator::Equal | BinaryOperator::DoubleEqual | BinaryOperator::NotEqual => {
                let matches = if self.has(Setting::XTrace) {
                    let marked = self.expand_joined(process, right, TildeAt::START)?;
                    let shown = pattern_text(&marked);
                    self.trace_condition(process, negated, &[left, symbol(operator), &shown]);
                    self.matches_marked(process, left, &marked, true)
                } else {
                    self.matches_pattern(process, left, right, true)?
                };
                let holds = matches == (operator != BinaryOperator::NotEqual);
                Ok(Some(holds.into()))
            }
            BinaryOperator::Matches => {
                let marked = self.expand_joined(process, right, TildeAt::START)?;
                if self.has(Setting::XTrace) {
                    let shown = pattern_text(&marked);
                    self.trace_condition(process, negated, &[left, symbol(operator), &shown]);
                }
                let matches = self.matches_regex(process, left, &marked)?;
                Ok(Some(matches.map_or(Truth::Broken, Truth::from)))
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
    ) -> Result<bool, Flow> {
        let Some(left) = self.condition_number(process, left)? else {
            return Ok(false);
        };
        let Some(right) = self.condition_number(process, right)? else {
            return Ok(false);
        };
        Ok(match operator {
            BinaryOperator::NumberEqual => left == right,
            BinaryOperator::NumberNotEqual => left != right,
            BinaryOperator::NumberLess => left < right,
            BinaryOperator::NumberLessOrEqual => left <= right,
            BinaryOperator::NumberGreater => left > right,
            _ => left >= right,
        })
    }

    /// The number that a text comes to; `None` if there is none, which has been said.
    fn condition_number(&mut self, process: &Process, text: &[u8]) -> Result<Option<i64>, Flow> {
        match self.evaluating(b"[[", |shell| shell.evaluate_text(process, text)) {
            Ok(number) => Ok(Some(number)),
            Err(flow) => Self::as_status(Err(flow)).map(|_| None),
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
