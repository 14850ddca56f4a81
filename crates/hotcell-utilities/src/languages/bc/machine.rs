//! Runs a program.

use std::{cell::RefCell, collections::BTreeMap, io, rc::Rc};

use hotcell_process::Process;

use super::{
    parser::Parser,
    printer::Printer,
    syntax::{
        Argument, Builtin, Expr, Function, Id, Local, Operator, Printed, Relation, Statement,
        Target, Variable,
    },
};
use crate::languages::decimal::{Decimal, Math};

/// What has to be left of the stack for one more level.
const STACK_RESERVE: usize = 256 << 10;

/// The highest index of an array, as in GNU bc.
const MAX_INDEX: i64 = 16_777_215;

/// Why a line does not go on.
pub(super) enum Trap {
    /// A mistake, and in which function.
    Runtime(String),
    Halt,
    Io(io::Error),
}

impl From<io::Error> for Trap {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

pub(super) type Result<T> = std::result::Result<T, Trap>;

/// How a statement ended.
enum Flow {
    On,
    Break,
    Continue,
    Return(Option<Decimal>),
}

type Array = Rc<RefCell<BTreeMap<i64, Decimal>>>;

/// What a call hides, and brings back at its end.
enum Hidden {
    Variable(Id, Option<Decimal>),
    Array(Id, Option<Array>),
}

pub(super) struct Machine<'p> {
    process: &'p Process,
    math: Math<'p>,
    pub(super) printer: Printer<'p>,
    variables: Vec<Option<Decimal>>,
    arrays: Vec<Option<Array>>,
    pub(super) functions: Vec<Option<Rc<Function>>>,
    /// Functions of the library, by their number.
    library: BTreeMap<Id, u8>,
    scale: usize,
    ibase: u32,
    obase: u32,
    last: Decimal,
    zero: Decimal,
    one: Decimal,
    /// The function that runs.
    function: Option<Id>,
    random: u64,
}

impl<'p> Machine<'p> {
    pub(super) fn new(process: &'p Process, printer: Printer<'p>) -> io::Result<Self> {
        let math = Math::new(process)?;
        let (zero, one) = (math.whole(0)?, math.whole(1)?);
        Ok(Self {
            process,
            math,
            printer,
            variables: Vec::new(),
            arrays: Vec::new(),
            functions: Vec::new(),
            library: BTreeMap::new(),
            scale: 0,
            ibase: 10,
            obase: 10,
            last: zero.clone(),
            zero,
            one,
            function: None,
            random: 1,
        })
    }

    /// Makes the functions of `-l` known, and sets the scale that goes with them.
    pub(super) fn use_library(&mut self, parser: &mut Parser<'_>) {
        self.scale = 20;
        for name in *b"scaelj" {
            let id = parser.function_id(char::from(name));
            self.library.insert(id, name);
        }
    }

    pub(super) fn define(&mut self, id: Id, function: Function) {
        if self.functions.len() <= id {
            self.functions.resize_with(id + 1, || None);
        }
        self.library.remove(&id);
        if let Some(place) = self.functions.get_mut(id) {
            *place = Some(Rc::new(function));
        }
    }

    /// Runs what stood on a line.
    pub(super) fn run(&mut self, statements: &[Statement], parser: &mut Parser<'p>) -> Result<()> {
        self.function = None;
        for statement in statements {
            self.statement(statement, parser)?;
        }
        Ok(())
    }

    /// Says what went wrong, and where.
    pub(super) fn explain(&mut self, message: &str, parser: &Parser<'_>) -> io::Result<()> {
        use std::io::Write;
        self.printer.flush()?;
        let function = match self.function.take() {
            Some(function) => parser.functions.name(function),
            None => "(main)",
        };
        let text = format!("Runtime error (func={function}): {message}\n");
        self.process.stderr().write_all(text.as_bytes())
    }

    fn warn(&mut self, message: &str, parser: &Parser<'_>) -> io::Result<()> {
        use std::io::Write;
        self.printer.flush()?;
        let function = self
            .function
            .map_or("(main)", |it| parser.functions.name(it));
        let text = format!("Runtime warning (func={function}): {message}\n");
        self.process.stderr().write_all(text.as_bytes())
    }

    fn statement(&mut self, statement: &Statement, parser: &mut Parser<'p>) -> Result<Flow> {
        self.process.spend(4);
        match statement {
            Statement::Nothing => {}
            Statement::Expression { expr, prints } => {
                if *prints {
                    if let Some(value) = self.value_of_statement(expr, parser)? {
                        self.print(&value)?;
                        self.printer.newline()?;
                        self.last = value;
                    }
                } else {
                    self.evaluate(expr, parser)?;
                }
            }
            Statement::Text(text) => self.printer.text(text)?,
            Statement::Print(list) => {
                for printed in list {
                    match printed {
                        Printed::Text(text) => self.printer.escaped(text)?,
                        Printed::Value(expr) => {
                            let value = self.evaluate(expr, parser)?;
                            self.print(&value)?;
                            self.last = value;
                        }
                    }
                }
            }
            Statement::If(condition, yes, no) => {
                if self.is_true(condition, parser)? {
                    return self.statement(yes, parser);
                } else if let Some(no) = no {
                    return self.statement(no, parser);
                }
            }
            Statement::While(condition, body) => {
                while self.is_true(condition, parser)? {
                    match self.statement(body, parser)? {
                        Flow::On | Flow::Continue => {}
                        Flow::Break => break,
                        other => return Ok(other),
                    }
                }
            }
            Statement::For(it) => {
                if let Some(first) = &it.first {
                    self.evaluate(first, parser)?;
                }
                loop {
                    if let Some(condition) = &it.condition
                        && !self.is_true(condition, parser)?
                    {
                        break;
                    }
                    match self.statement(&it.body, parser)? {
                        Flow::On | Flow::Continue => {}
                        Flow::Break => break,
                        other => return Ok(other),
                    }
                    if let Some(step) = &it.step {
                        self.evaluate(step, parser)?;
                    }
                }
            }
            Statement::Block(statements) => {
                for statement in statements {
                    match self.statement(statement, parser)? {
                        Flow::On => {}
                        other => return Ok(other),
                    }
                }
            }
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Return(value) => {
                let value = match value {
                    Some(value) => Some(self.evaluate(value, parser)?),
                    None => None,
                };
                return Ok(Flow::Return(value));
            }
            Statement::Halt => return Err(Trap::Halt),
            Statement::Limits => self.printer.text(LIMITS)?,
            Statement::Warranty => self.printer.text(WARRANTY)?,
        }
        Ok(Flow::On)
    }

    fn print(&mut self, value: &Decimal) -> Result<()> {
        let text = self.math.show(value, self.obase)?;
        self.printer.text(&text)?;
        Ok(())
    }

    fn is_true(&mut self, expr: &Expr, parser: &mut Parser<'p>) -> Result<bool> {
        self.process.spend(1);
        Ok(!self.evaluate(expr, parser)?.is_zero())
    }

    /// The value of an expression that is a statement: a void function has none.
    fn value_of_statement(
        &mut self,
        expr: &Expr,
        parser: &mut Parser<'p>,
    ) -> Result<Option<Decimal>> {
        match expr {
            Expr::Call(function, arguments) => self.call(*function, arguments, parser),
            expr => self.evaluate(expr, parser).map(Some),
        }
    }

    fn evaluate(&mut self, expr: &Expr, parser: &mut Parser<'p>) -> Result<Decimal> {
        Ok(match expr {
            Expr::Number(digits, kept) => {
                if self.ibase == 10 {
                    if let Some(number) = kept.get() {
                        return Ok(number.clone());
                    }
                    let number = self.math.read(digits, 10)?;
                    return Ok(kept.get_or_init(|| number).clone());
                }
                self.math.read(digits, self.ibase)?
            }
            Expr::Get(target) => self.get(target, parser)?,
            Expr::Assign(operator, it) => {
                let value = match operator {
                    None => self.evaluate(&it.1, parser)?,
                    Some(operator) => {
                        let before = self.get(&it.0, parser)?;
                        let value = self.evaluate(&it.1, parser)?;
                        self.compute(*operator, &before, &value, parser)?
                    }
                };
                self.set(&it.0, value.clone(), parser)?;
                value
            }
            Expr::Step {
                target,
                is_up,
                is_prefix,
            } => {
                let before = self.get(target, parser)?;
                let after = if *is_up {
                    self.math.add(&before, &self.one)?
                } else {
                    self.math.subtract(&before, &self.one)?
                };
                self.set(target, after.clone(), parser)?;
                if *is_prefix { after } else { before }
            }
            Expr::Binary(operator, sides) => {
                let left = self.evaluate(&sides.0, parser)?;
                let right = self.evaluate(&sides.1, parser)?;
                self.compute(*operator, &left, &right, parser)?
            }
            Expr::Compare(relation, sides) => {
                let left = self.evaluate(&sides.0, parser)?;
                let right = self.evaluate(&sides.1, parser)?;
                let ordering = self.math.compare(&left, &right)?;
                self.truth(match relation {
                    Relation::Equal => ordering.is_eq(),
                    Relation::NotEqual => ordering.is_ne(),
                    Relation::Less => ordering.is_lt(),
                    Relation::LessOrEqual => ordering.is_le(),
                    Relation::Greater => ordering.is_gt(),
                    Relation::GreaterOrEqual => ordering.is_ge(),
                })
            }
            Expr::And(sides) => {
                let both = self.is_true(&sides.0, parser)? && self.is_true(&sides.1, parser)?;
                self.truth(both)
            }
            Expr::Or(sides) => {
                let either = self.is_true(&sides.0, parser)? || self.is_true(&sides.1, parser)?;
                self.truth(either)
            }
            Expr::Not(inner) => {
                let is_true = self.is_true(inner, parser)?;
                self.truth(!is_true)
            }
            Expr::Negate(inner) => {
                let value = self.evaluate(inner, parser)?;
                self.math.negate(&value)
            }
            Expr::Group(inner) => self.evaluate(inner, parser)?,
            Expr::Call(function, arguments) => {
                let value = self.call(*function, arguments, parser)?;
                value.unwrap_or_else(|| self.zero.clone())
            }
            Expr::Builtin(builtin, inner) => {
                let value = self.evaluate(inner, parser)?;
                match builtin {
                    Builtin::Length => self.count(value.length())?,
                    Builtin::Scale => self.count(value.scale())?,
                    Builtin::Sqrt => self
                        .math
                        .square_root(&value, self.scale)?
                        .ok_or_else(|| runtime("Square root of a negative number"))?,
                }
            }
            Expr::Read => self.read(parser)?,
            Expr::Random => {
                // Whichever; GNU's is not seeded either.
                self.random = self
                    .random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                self.math
                    .whole(i64::try_from(self.random >> 33).unwrap_or(0))?
            }
        })
    }

    fn truth(&self, condition: bool) -> Decimal {
        if condition {
            self.one.clone()
        } else {
            self.zero.clone()
        }
    }

    fn count(&self, count: usize) -> io::Result<Decimal> {
        self.math.whole(i64::try_from(count).unwrap_or(i64::MAX))
    }

    fn compute(
        &mut self,
        operator: Operator,
        left: &Decimal,
        right: &Decimal,
        parser: &Parser<'_>,
    ) -> Result<Decimal> {
        Ok(match operator {
            Operator::Add => self.math.add(left, right)?,
            Operator::Subtract => self.math.subtract(left, right)?,
            Operator::Multiply => self.math.multiply(left, right, self.scale)?,
            Operator::Divide => self
                .math
                .divide(left, right, self.scale)?
                .ok_or_else(|| runtime("Divide by zero"))?,
            Operator::Remainder => {
                let rest = self.math.divide_with_rest(left, right, self.scale)?;
                rest.ok_or_else(|| runtime("Modulo by zero"))?.1
            }
            Operator::Power => {
                if right.scale() > 0 && !self.is_whole(right)? {
                    self.warn("non-zero scale in exponent", parser)?;
                }
                let Some(exponent) = right.to_i64() else {
                    return Err(runtime("exponent too large in raise"));
                };
                self.math
                    .power(left, exponent, self.scale)?
                    .ok_or_else(|| runtime("Divide by zero"))?
            }
        })
    }

    fn is_whole(&self, number: &Decimal) -> io::Result<bool> {
        let whole = self.math.with_scale(number, 0)?;
        Ok(self.math.compare(&whole, number)?.is_eq())
    }

    fn get(&mut self, target: &Target, parser: &mut Parser<'p>) -> Result<Decimal> {
        Ok(match target {
            Target::Variable(Variable::Named(id)) => {
                let value = self.variables.get(*id).and_then(Option::as_ref);
                value.unwrap_or(&self.zero).clone()
            }
            Target::Variable(Variable::Scale) => self.count(self.scale)?,
            Target::Variable(Variable::Ibase) => self.math.whole(i64::from(self.ibase))?,
            Target::Variable(Variable::Obase) => self.math.whole(i64::from(self.obase))?,
            Target::Variable(Variable::Last) => self.last.clone(),
            Target::Element(id, index) => {
                let index = self.index(index, parser)?;
                let array = self.array(*id);
                let value = array.borrow().get(&index).cloned();
                value.unwrap_or_else(|| self.zero.clone())
            }
        })
    }

    fn set(&mut self, target: &Target, value: Decimal, parser: &mut Parser<'p>) -> Result<()> {
        match target {
            Target::Variable(Variable::Named(id)) => {
                if self.variables.len() <= *id {
                    self.variables.resize(*id + 1, None);
                }
                if let Some(place) = self.variables.get_mut(*id) {
                    *place = Some(value);
                }
            }
            Target::Variable(Variable::Last) => self.last = value,
            Target::Variable(Variable::Scale) => {
                if value.is_negative() {
                    self.warn("negative scale, set to 0", parser)?;
                    self.scale = 0;
                } else {
                    let scale = value.to_i64().and_then(|scale| i32::try_from(scale).ok());
                    let Some(scale) = scale else {
                        return Err(runtime("scale too large, above 2147483647"));
                    };
                    self.scale = usize::try_from(scale).unwrap_or(0);
                }
            }
            Target::Variable(Variable::Ibase) => {
                let base = value.to_i64().unwrap_or(i64::MAX);
                if base < 2 {
                    self.warn("ibase too small, set to 2", parser)?;
                } else if base > 16 {
                    self.warn("ibase too large, set to 16", parser)?;
                }
                self.ibase = u32::try_from(base.clamp(2, 16)).unwrap_or(10);
            }
            Target::Variable(Variable::Obase) => {
                let base = value.to_i64().unwrap_or(i64::MAX);
                if base < 2 {
                    self.warn("obase too small, set to 2", parser)?;
                } else if base > i64::from(i32::MAX) {
                    self.warn("obase too large, set to 2147483647", parser)?;
                }
                self.obase = u32::try_from(base.clamp(2, i64::from(i32::MAX))).unwrap_or(10);
            }
            Target::Element(id, index) => {
                let index = self.index(index, parser)?;
                let array = self.array(*id);
                array.borrow_mut().insert(index, value);
            }
        }
        Ok(())
    }

    fn index(&mut self, index: &Expr, parser: &mut Parser<'p>) -> Result<i64> {
        let index = self.evaluate(index, parser)?.to_i64();
        match index {
            Some(index) if (0..=MAX_INDEX).contains(&index) => Ok(index),
            _ => Err(runtime("Array subscript out of bounds.")),
        }
    }

    fn array(&mut self, id: Id) -> Array {
        if self.arrays.len() <= id {
            self.arrays.resize(id + 1, None);
        }
        match self.arrays.get_mut(id) {
            Some(place) => Rc::clone(place.get_or_insert_with(Array::default)),
            None => Array::default(),
        }
    }

    fn read(&mut self, parser: &mut Parser<'p>) -> Result<Decimal> {
        self.printer.flush()?;
        let Some(line) = parser.lexer.read_line()? else {
            return Ok(self.zero.clone());
        };
        let text: Vec<u8> = line
            .iter()
            .copied()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect();
        let (is_negative, digits) = match text.strip_prefix(b"-") {
            Some(digits) => (true, digits),
            None => (false, text.as_slice()),
        };
        let number = self.math.read(digits, self.ibase)?;
        Ok(if is_negative {
            self.math.negate(&number)
        } else {
            number
        })
    }

    fn call(
        &mut self,
        id: Id,
        arguments: &[Argument],
        parser: &mut Parser<'p>,
    ) -> Result<Option<Decimal>> {
        if let Some(name) = self.library.get(&id) {
            return self.call_library(*name, arguments, parser).map(Some);
        }
        let Some(function) = self.functions.get(id).cloned().flatten() else {
            let name = parser.functions.name(id);
            return Err(runtime(format!("Function {name} not defined.")));
        };
        if self.process.stack_left() < STACK_RESERVE {
            return Err(runtime("functions call each other too deeply"));
        }
        self.process.spend(16);
        if arguments.len() != function.parameters.len() {
            return Err(runtime("Parameter number mismatch"));
        }
        let mut given = Vec::with_capacity(arguments.len());
        for (argument, parameter) in arguments.iter().zip(&function.parameters) {
            given.push(self.argument(argument, *parameter, parser)?);
        }
        let mut hidden: Vec<Hidden> = given.into_iter().map(|given| self.hide(given)).collect();
        for local in &function.locals {
            let fresh = match local {
                Local::Variable(id) => Hidden::Variable(*id, None),
                Local::Array(id) | Local::Reference(id) => Hidden::Array(*id, None),
            };
            hidden.push(self.hide(fresh));
        }
        let caller = self.function.replace(id);
        let mut result = Ok(Flow::On);
        for statement in &function.body {
            result = self.statement(statement, parser);
            if !matches!(result, Ok(Flow::On)) {
                break;
            }
        }
        if result.is_ok() {
            self.function = caller;
        }
        for before in hidden.into_iter().rev() {
            self.hide(before);
        }
        let value = match result? {
            Flow::Return(Some(value)) => value,
            _ => self.zero.clone(),
        };
        Ok((!function.is_void).then_some(value))
    }

    fn argument(
        &mut self,
        argument: &Argument,
        parameter: Local,
        parser: &mut Parser<'p>,
    ) -> Result<Hidden> {
        match (argument, parameter) {
            (Argument::Value(expr), Local::Variable(id)) => {
                Ok(Hidden::Variable(id, Some(self.evaluate(expr, parser)?)))
            }
            (Argument::Array(array), Local::Array(id)) => {
                let array = self.array(*array);
                self.process.spend(array.borrow().len());
                let copy = Rc::new(RefCell::new(array.borrow().clone()));
                Ok(Hidden::Array(id, Some(copy)))
            }
            (Argument::Array(array), Local::Reference(id)) => {
                Ok(Hidden::Array(id, Some(self.array(*array))))
            }
            _ => Err(runtime("Parameter type mismatch")),
        }
    }

    /// Puts something in the place of a variable or an array, and returns what was there.
    fn hide(&mut self, new: Hidden) -> Hidden {
        match new {
            Hidden::Variable(id, value) => {
                if self.variables.len() <= id {
                    self.variables.resize(id + 1, None);
                }
                let before = self.variables.get_mut(id);
                let before = before.and_then(|place| std::mem::replace(place, value));
                Hidden::Variable(id, before)
            }
            Hidden::Array(id, array) => {
                if self.arrays.len() <= id {
                    self.arrays.resize(id + 1, None);
                }
                let before = self.arrays.get_mut(id);
                let before = before.and_then(|place| std::mem::replace(place, array));
                Hidden::Array(id, before)
            }
        }
    }

    fn call_library(
        &mut self,
        name: u8,
        arguments: &[Argument],
        parser: &mut Parser<'p>,
    ) -> Result<Decimal> {
        let mut values = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Value(expr) => values.push(self.evaluate(expr, parser)?),
                Argument::Array(_) => return Err(runtime("Parameter type mismatch")),
            }
        }
        let (math, scale) = (&self.math, self.scale);
        Ok(match (name, values.as_slice()) {
            (b's', [number]) => math.sine(number, scale)?,
            (b'c', [number]) => math.cosine(number, scale)?,
            (b'a', [number]) => math.arctangent(number, scale)?,
            (b'e', [number]) => math.exponential(number, scale)?,
            (b'l', [number]) => math.logarithm(number, scale)?,
            (b'j', [order, number]) => {
                let Some(order) = order.to_i64() else {
                    return Err(runtime("the order of a Bessel function is too large"));
                };
                math.bessel(order, number, scale)?
            }
            _ => return Err(runtime("Parameter number mismatch")),
        })
    }
}

fn runtime(message: impl Into<String>) -> Trap {
    Trap::Runtime(message.into())
}

const LIMITS: &[u8] = b"BC_BASE_MAX     = 2147483647\n\
BC_DIM_MAX      = 16777215\n\
BC_SCALE_MAX    = 2147483647\n\
BC_STRING_MAX   = 2147483647\n\
MAX Exponent    = 9223372036854775807\n";

const WARRANTY: &[u8] =
    b"This program comes with the warranty of hotcell, which is none: see its licence.\n";
