//! Expressions, loosest first.

use std::rc::Rc;

use super::{
    super::{
        lexer::{Keyword, Token},
        syntax::{
            Argument, Arithmetic, ArrayExpr, Builtin, Expr, Kind, Regex, Relation, Source,
            Subscript, Target, Variable,
        },
        text::Text,
    },
    Parser, PassedOn, Result, is_pure,
};

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<Expr> {
        self.check_depth()?;
        self.ternary()
    }

    fn ternary(&mut self) -> Result<Expr> {
        let condition = self.or()?;
        if !self.take_if(&Token::Question)? {
            return Ok(condition);
        }
        self.check_depth()?;
        self.skip_newlines()?;
        let yes = self.ternary()?;
        self.skip_newlines()?;
        self.expect(&Token::Colon)?;
        self.skip_newlines()?;
        let no = self.ternary()?;
        Ok(Expr::Conditional(Box::new((condition, yes, no))))
    }

    fn or(&mut self) -> Result<Expr> {
        let mut left = self.and()?;
        while self.take_if(&Token::Or)? {
            self.skip_newlines()?;
            left = Expr::Or(Box::new((left, self.and()?)));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr> {
        let mut left = self.membership()?;
        while self.take_if(&Token::And)? {
            self.skip_newlines()?;
            left = Expr::And(Box::new((left, self.membership()?)));
        }
        Ok(left)
    }

    fn membership(&mut self) -> Result<Expr> {
        let mut left = self.matching()?;
        while self.is_keyword(Keyword::In) {
            self.advance()?;
            let array = self.array()?;
            left = Expr::In(vec![left], Box::new(array));
        }
        Ok(left)
    }

    fn matching(&mut self) -> Result<Expr> {
        let mut left = self.relation()?;
        while let Token::Match(is_positive) = self.token {
            self.advance()?;
            let right = self.relation()?;
            left = Expr::Match {
                text: Box::new(left),
                regex: as_regex(right),
                is_negated: !is_positive,
            };
        }
        Ok(left)
    }

    fn relation(&mut self) -> Result<Expr> {
        let left = self.concatenation()?;
        let Some(relation) = self.relation_here() else {
            return Ok(left);
        };
        self.advance()?;
        let right = self.concatenation()?;
        if self.relation_here().is_some() {
            return Err(self.unexpected());
        }
        Ok(Expr::Compare(relation, Box::new((left, right))))
    }

    fn relation_here(&self) -> Option<Relation> {
        match self.token {
            Token::Relation(Relation::Greater) if !self.is_greater_allowed => None,
            Token::Relation(relation) => Some(relation),
            _ => None,
        }
    }

    pub(super) fn concatenation(&mut self) -> Result<Expr> {
        let mut left = self.additive()?;
        loop {
            if matches!(self.token, Token::Pipe | Token::PipeBoth) {
                if !self.is_getline_next()? {
                    return Ok(left);
                }
                left = self.command_getline(left)?;
            } else if self.begins_operand() {
                let right = self.additive()?;
                left = match left {
                    Expr::Concat(mut parts) => {
                        parts.push(right);
                        Expr::Concat(parts)
                    }
                    left => Expr::Concat(vec![left, right]),
                };
            } else {
                return Ok(left);
            }
        }
    }

    /// Whether the token can begin an operand that is joined to what stands before it.
    fn begins_operand(&self) -> bool {
        match self.token {
            Token::Keyword(keyword) => keyword == Keyword::Getline,
            Token::Name(_)
            | Token::Callee(_)
            | Token::Builtin(_)
            | Token::Number(_)
            | Token::Text(_)
            | Token::Dollar
            | Token::Not
            | Token::OpenParen
            | Token::Increment
            | Token::Decrement
            | Token::At => true,
            _ => false,
        }
    }

    /// Whether `getline` follows a pipe. It is all that may follow one within an expression.
    fn is_getline_next(&mut self) -> Result<bool> {
        Ok(self.lexer.peek_token()? == Token::Keyword(Keyword::Getline))
    }

    fn command_getline(&mut self, command: Expr) -> Result<Expr> {
        let is_both = self.advance()? == Token::PipeBoth;
        self.advance()?;
        let target = self.optional_target()?;
        let source = if is_both {
            Source::Both(command)
        } else {
            Source::Command(command)
        };
        Ok(Expr::Getline(Box::new((target, source))))
    }

    fn additive(&mut self) -> Result<Expr> {
        let mut left = self.multiplicative()?;
        while let Token::Operator(operator @ (Arithmetic::Add | Arithmetic::Subtract)) = self.token
        {
            self.advance()?;
            let right = self.multiplicative()?;
            left = Expr::Arithmetic(operator, Box::new((left, right)));
        }
        Ok(left)
    }

    fn multiplicative(&mut self) -> Result<Expr> {
        let mut left = self.unary()?;
        while let Token::Operator(
            operator @ (Arithmetic::Multiply | Arithmetic::Divide | Arithmetic::Remainder),
        ) = self.token
        {
            self.advance()?;
            let is_group = self.token == Token::OpenParen;
            let right = self.unary()?;
            // What is a zero before the program runs is a mistake of the program's.
            if matches!(right, Expr::Number(number) if number == 0.0) && !is_group {
                let message = match operator {
                    Arithmetic::Divide => Some("error: division by zero attempted"),
                    Arithmetic::Remainder => Some("error: division by zero attempted in `%'"),
                    _ => None,
                };
                if let Some(message) = message {
                    return Err(self.lexer.error_at_line(message));
                }
            }
            left = Expr::Arithmetic(operator, Box::new((left, right)));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr> {
        let is_sign = matches!(
            self.token,
            Token::Not | Token::Operator(Arithmetic::Subtract | Arithmetic::Add)
        );
        if !is_sign || self.pending.is_some() {
            return self.power();
        }
        self.check_depth()?;
        let sign = self.advance()?;
        let inner = self.unary()?;
        Ok(match (sign, inner) {
            (Token::Not, inner) => Expr::Not(Box::new(inner)),
            (Token::Operator(Arithmetic::Add), inner) => Expr::Plus(Box::new(inner)),
            (_, Expr::Number(number)) => Expr::Number(-number),
            (_, inner) => Expr::Negate(Box::new(inner)),
        })
    }

    fn power(&mut self) -> Result<Expr> {
        let left = self.postfix()?;
        if self.token != Token::Operator(Arithmetic::Power) {
            return Ok(left);
        }
        self.check_depth()?;
        self.advance()?;
        // It groups to the right, and a sign may stand behind it.
        let right = self.unary()?;
        Ok(Expr::Arithmetic(Arithmetic::Power, Box::new((left, right))))
    }

    fn postfix(&mut self) -> Result<Expr> {
        let operand = self.primary()?;
        let by = match self.token {
            Token::Increment => 1.0,
            Token::Decrement => -1.0,
            Token::Assign | Token::Update(_) => return self.assignment(operand),
            _ => return Ok(operand),
        };
        match as_target(operand) {
            Ok(target) => {
                self.advance()?;
                Ok(Expr::Step {
                    target: Box::new(target),
                    by,
                    is_prefix: false,
                })
            }
            Err(operand) => Ok(operand),
        }
    }

    /// An assignment, wherever something that can be assigned to stands before a sign of equality.
    fn assignment(&mut self, operand: Expr) -> Result<Expr> {
        let target = match as_target(operand) {
            Ok(target) => target,
            // `a / b /= c` and the like: the caller finds out that it makes no sense.
            Err(operand) => return Ok(operand),
        };
        let operator = self.advance()?;
        self.skip_newlines()?;
        self.check_depth()?;
        let value = self.ternary()?;
        Ok(match operator {
            Token::Update(operator) => Expr::Update(operator, Box::new((target, value))),
            _ => make_assignment(target, value),
        })
    }

    pub(super) fn primary(&mut self) -> Result<Expr> {
        if let Some(pending) = self.pending.take() {
            return Ok(pending);
        }
        match &self.token {
            Token::Number(number) => {
                let number = *number;
                self.advance()?;
                Ok(Expr::Number(number))
            }
            Token::Text(_) => {
                let Token::Text(text) = self.advance()? else {
                    return Err(self.unexpected());
                };
                Ok(Expr::Text(self.text(&text)?))
            }
            Token::Operator(Arithmetic::Divide) | Token::Update(Arithmetic::Divide) => {
                Ok(Expr::Matches(Rc::new(self.regex()?)))
            }
            Token::Dollar => {
                self.check_depth()?;
                self.advance()?;
                let number = self.field_number()?;
                Ok(match number {
                    Expr::Number(number) => field_at(number),
                    number => Expr::Field(Box::new(number)),
                })
            }
            Token::Increment | Token::Decrement => {
                let by = if self.advance()? == Token::Increment {
                    1.0
                } else {
                    -1.0
                };
                let operand = self.primary()?;
                let target = as_target(operand).map_err(|_| self.unexpected())?;
                Ok(Expr::Step {
                    target: Box::new(target),
                    by,
                    is_prefix: true,
                })
            }
            Token::OpenParen => self.group(),
            Token::Keyword(Keyword::Getline) => self.getline(),
            Token::Builtin(builtin) => {
                let builtin = *builtin;
                self.builtin(builtin)
            }
            Token::Callee(_) => self.call(),
            Token::Name(_) => self.name(),
            Token::At => self.at(),
            _ => Err(self.unexpected()),
        }
    }

    /// What may stand behind `$` without parentheses.
    fn field_number(&mut self) -> Result<Expr> {
        self.check_depth()?;
        match self.token {
            Token::Operator(Arithmetic::Subtract) => {
                self.advance()?;
                Ok(Expr::Negate(Box::new(self.field_number()?)))
            }
            Token::Operator(Arithmetic::Add) => {
                self.advance()?;
                Ok(Expr::Plus(Box::new(self.field_number()?)))
            }
            Token::Not => {
                self.advance()?;
                Ok(Expr::Not(Box::new(self.field_number()?)))
            }
            _ => self.primary(),
        }
    }

    fn group(&mut self) -> Result<Expr> {
        self.check_depth()?;
        self.advance()?;
        let list = self.in_parentheses(|parser| {
            parser.skip_newlines()?;
            parser.list()
        })?;
        self.skip_newlines()?;
        self.expect(&Token::CloseParen)?;
        self.grouped(list)
    }

    /// What stood in parentheses, as an operand.
    pub(super) fn grouped(&mut self, mut list: Vec<Expr>) -> Result<Expr> {
        if list.len() > 1 {
            if !self.is_keyword(Keyword::In) {
                return Err(self.unexpected());
            }
            self.advance()?;
            let array = self.array()?;
            return Ok(Expr::In(list, Box::new(array)));
        }
        let inner = list.pop().ok_or_else(|| self.unexpected())?;
        Ok(match inner {
            Expr::Variable(_) | Expr::FieldAt(_) | Expr::Field(_) | Expr::Element(_) => {
                Expr::Group(Box::new(inner))
            }
            other => other,
        })
    }

    /// Reads something in parentheses or brackets, where `>` compares again.
    pub(super) fn in_parentheses<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let before = std::mem::replace(&mut self.is_greater_allowed, true);
        let result = read(self);
        self.is_greater_allowed = before;
        result
    }

    /// Expressions between commas.
    pub(super) fn list(&mut self) -> Result<Vec<Expr>> {
        let mut list = vec![self.expression()?];
        while self.take_if(&Token::Comma)? {
            self.skip_newlines()?;
            list.push(self.expression()?);
        }
        Ok(list)
    }

    fn getline(&mut self) -> Result<Expr> {
        self.advance()?;
        let target = self.optional_target()?;
        let source = if self.token == Token::Relation(Relation::Less) {
            self.advance()?;
            // No concatenation: `getline < "a" "b"` reads from `a`.
            let file = match self.token {
                Token::Operator(Arithmetic::Add | Arithmetic::Subtract) => self.unary()?,
                _ => {
                    let file = self.primary()?;
                    self.file_operand(file)?
                }
            };
            Source::File(file)
        } else {
            Source::Input
        };
        Ok(Expr::Getline(Box::new((target, source))))
    }

    /// `getline < file++` is rare, but allowed.
    fn file_operand(&mut self, operand: Expr) -> Result<Expr> {
        let by = match self.token {
            Token::Increment => 1.0,
            Token::Decrement => -1.0,
            _ => return Ok(operand),
        };
        match as_target(operand) {
            Ok(target) => {
                self.advance()?;
                Ok(Expr::Step {
                    target: Box::new(target),
                    by,
                    is_prefix: false,
                })
            }
            Err(operand) => Ok(operand),
        }
    }

    fn optional_target(&mut self) -> Result<Option<Target>> {
        if !matches!(self.token, Token::Dollar | Token::Name(_)) {
            return Ok(None);
        }
        let operand = self.primary()?;
        as_target(operand).map(Some).map_err(|_| self.unexpected())
    }

    fn name(&mut self) -> Result<Expr> {
        let Token::Name(name) = self.advance()? else {
            return Err(self.unexpected());
        };
        let variable = self.variable(&name)?;
        if self.token != Token::OpenBracket {
            return Ok(Expr::Variable(variable));
        }
        let (array, subscript) = self.element(variable)?;
        Ok(Expr::Element(Box::new((array, subscript))))
    }

    /// What stands in brackets behind a variable, and behind those.
    pub(super) fn element(&mut self, variable: Variable) -> Result<(ArrayExpr, Subscript)> {
        let mut array = ArrayExpr::Variable(variable);
        self.uses_array(&array)?;
        loop {
            self.check_depth()?;
            self.expect(&Token::OpenBracket)?;
            let subscript = self.in_parentheses(Self::list)?;
            self.expect(&Token::CloseBracket)?;
            if self.token != Token::OpenBracket {
                return Ok((array, subscript));
            }
            array = ArrayExpr::Element(Box::new((array, subscript)));
        }
    }

    /// The name of an array, or of an element that is one.
    pub(super) fn array(&mut self) -> Result<ArrayExpr> {
        let Token::Name(name) = self.token.clone() else {
            return Err(self.unexpected());
        };
        self.advance()?;
        let variable = self.variable(&name)?;
        if self.token == Token::OpenBracket {
            let element = self.element(variable)?;
            return Ok(ArrayExpr::Element(Box::new(element)));
        }
        let array = ArrayExpr::Variable(variable);
        self.uses_array(&array)?;
        Ok(array)
    }

    fn arguments(&mut self) -> Result<Vec<Expr>> {
        self.expect(&Token::OpenParen)?;
        self.in_parentheses(|parser| {
            parser.skip_newlines()?;
            if parser.token == Token::CloseParen {
                return Ok(Vec::new());
            }
            parser.list()
        })
        .and_then(|list| {
            self.skip_newlines()?;
            self.expect(&Token::CloseParen)?;
            Ok(list)
        })
    }

    fn call(&mut self) -> Result<Expr> {
        self.check_depth()?;
        let Token::Callee(name) = self.token.clone() else {
            return Err(self.unexpected());
        };
        let callee = self.function_number(&name);
        self.advance()?;
        let arguments = self.arguments()?;
        if let Some(function) = self.function {
            for (argument, expr) in arguments.iter().enumerate() {
                if let Expr::Variable(Variable::Local(parameter)) = expr {
                    self.passed_on.push(PassedOn {
                        function,
                        parameter: *parameter,
                        callee,
                        argument,
                    });
                }
            }
        }
        Ok(Expr::Call(callee, arguments))
    }

    /// `@name(…)` calls the function that a variable names; `@/…/` is a regular expression as a value.
    fn at(&mut self) -> Result<Expr> {
        self.advance()?;
        match self.token.clone() {
            Token::Callee(name) => {
                let variable = self.variable(&name)?;
                self.advance()?;
                let arguments = self.arguments()?;
                Ok(Expr::CallNamed(variable, arguments))
            }
            Token::Operator(Arithmetic::Divide) | Token::Update(Arithmetic::Divide) => {
                let regex = self.lexer.regex()?;
                let text = self.text(&regex)?;
                self.advance()?;
                Ok(Expr::Text(text))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn text(&self, bytes: &[u8]) -> Result<Text> {
        Text::new(&self.budget, bytes).map_err(|error| self.lexer.error(error.to_string()))
    }

    fn builtin(&mut self, builtin: Builtin) -> Result<Expr> {
        self.check_depth()?;
        self.advance()?;
        if builtin == Builtin::Length && self.token != Token::OpenParen {
            return Ok(Expr::Builtin(builtin, Vec::new()));
        }
        self.expect(&Token::OpenParen)?;
        let arguments = self.in_parentheses(|parser| parser.builtin_arguments(builtin))?;
        let (least, most) = builtin.arity();
        if arguments.len() < least || arguments.len() > most {
            return Err(self.lexer.error(format!(
                "{} is invalid as number of arguments for {}",
                arguments.len(),
                builtin.name()
            )));
        }
        self.expect(&Token::CloseParen)?;
        Ok(Expr::Builtin(builtin, arguments))
    }

    fn builtin_arguments(&mut self, builtin: Builtin) -> Result<Vec<Argument>> {
        let mut arguments = Vec::new();
        self.skip_newlines()?;
        while self.token != Token::CloseParen {
            let argument = match builtin.kind(arguments.len()) {
                Kind::Value => Argument::Value(self.expression()?),
                Kind::Regex => Argument::Regex(as_regex(self.expression()?)),
                Kind::Array => Argument::Array(self.array()?),
                Kind::Target => match as_target(self.expression()?) {
                    Ok(target) => Argument::Target(target),
                    // The result has nowhere to go, which is allowed, if pointless.
                    Err(value) => Argument::Value(value),
                },
                Kind::Any => match self.expression()? {
                    Expr::Variable(variable) => Argument::Array(ArrayExpr::Variable(variable)),
                    Expr::Element(element) => Argument::Array(ArrayExpr::Element(element)),
                    other => Argument::Value(other),
                },
            };
            arguments.push(argument);
            self.skip_newlines()?;
            if self.token != Token::CloseParen {
                self.expect(&Token::Comma)?;
                self.skip_newlines()?;
                if self.token == Token::CloseParen {
                    return Err(self.unexpected());
                }
            }
        }
        Ok(arguments)
    }
}

/// A regular expression where one is wanted: as it is written, or what an expression gives.
pub(super) fn as_regex(expr: Expr) -> Regex {
    match expr {
        Expr::Matches(constant) => Regex::Constant(constant),
        other => Regex::Dynamic(Box::new(other)),
    }
}

pub(super) fn as_target(expr: Expr) -> std::result::Result<Target, Expr> {
    match expr {
        Expr::Variable(variable) => Ok(Target::Variable(variable)),
        Expr::FieldAt(number) => Ok(Target::Field(Box::new(Expr::Number(
            u32::try_from(number).map_or(f64::MAX, f64::from),
        )))),
        Expr::Field(number) => Ok(Target::Field(number)),
        Expr::Element(element) => Ok(Target::Element(element)),
        other => Err(other),
    }
}

fn field_at(number: f64) -> Expr {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a small whole number"
    )]
    if number >= 0.0 && number < f64::from(u32::MAX) {
        Expr::FieldAt(number as usize)
    } else {
        Expr::Field(Box::new(Expr::Number(number)))
    }
}

/// `x = x y` adds to `x` in place, so that building a long string piece by piece takes linear time.
fn make_assignment(target: Target, value: Expr) -> Expr {
    match (target, value) {
        (Target::Variable(variable), Expr::Concat(mut parts))
            if !matches!(variable, Variable::Special(_))
                && matches!(parts.first(), Some(Expr::Variable(first)) if *first == variable)
                && parts.iter().skip(1).all(is_pure) =>
        {
            let rest = match parts.len() {
                2 => parts.pop().unwrap_or(Expr::Concat(Vec::new())),
                _ => {
                    parts.remove(0);
                    Expr::Concat(parts)
                }
            };
            Expr::Append(variable, Box::new(rest))
        }
        (target, value) => Expr::Assign(Box::new((target, value))),
    }
}
