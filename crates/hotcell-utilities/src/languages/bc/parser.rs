//! From words to statements.
//!
//! Precedence is that of GNU bc, where assignments bind closer than comparisons, and a sign closer than a power.

use std::{cell::OnceCell, collections::HashMap};

use hotcell_process::Process;

use super::{
    lexer::{Fault, Lexer, Token},
    syntax::{
        Argument, Builtin, Expr, For, Function, Id, Item, Local, Operator, Printed, Statement,
        Target, Variable,
    },
};

/// What has to be left of the stack for one more level.
const STACK_RESERVE: usize = 256 << 10;

type Result<T> = std::result::Result<T, Fault>;

/// Names and their numbers.
#[derive(Default)]
pub(super) struct Names {
    known: HashMap<String, Id>,
}

impl Names {
    fn id(&mut self, name: &str) -> Id {
        let next = self.known.len();
        *self.known.entry(name.to_owned()).or_insert(next)
    }

    pub(super) fn name(&self, id: Id) -> &str {
        let found = self.known.iter().find(|(_, known)| **known == id);
        found.map_or("", |(name, _)| name)
    }
}

pub(super) struct Parser<'p> {
    process: &'p Process,
    pub(super) lexer: Lexer<'p>,
    /// The next token, if it was looked at.
    token: Option<Token>,
    pub(super) variables: Names,
    pub(super) arrays: Names,
    pub(super) functions: Names,
    loops: usize,
    is_in_function: bool,
}

impl<'p> Parser<'p> {
    /// The line of what is wrong: bc has counted a newline already when it finds that it should not be there.
    pub(super) fn line(&self) -> usize {
        self.lexer.source.line + usize::from(self.lexer.is_at_end())
    }

    pub(super) fn new(process: &'p Process, lexer: Lexer<'p>) -> Self {
        Self {
            process,
            lexer,
            token: None,
            variables: Names::default(),
            arrays: Names::default(),
            functions: Names::default(),
            loops: 0,
            is_in_function: false,
        }
    }

    /// The number of a function that is there from the beginning.
    pub(super) fn function_id(&mut self, name: char) -> Id {
        self.functions.id(&name.to_string())
    }

    fn peek(&mut self) -> Result<&Token> {
        if self.token.is_none() {
            self.process.spend(8);
            self.token = Some(self.lexer.next()?);
        }
        Ok(self.token.as_ref().unwrap_or(&Token::End))
    }

    fn advance(&mut self) -> Result<Token> {
        self.peek()?;
        Ok(self.token.take().unwrap_or(Token::End))
    }

    fn take_if(&mut self, token: &Token) -> Result<bool> {
        let is_there = self.peek()? == token;
        if is_there {
            self.token = None;
        }
        Ok(is_there)
    }

    fn expect(&mut self, mark: u8) -> Result<()> {
        if self.take_if(&Token::Mark(mark))? {
            return Ok(());
        }
        Err(wrong())
    }

    fn is_name(&mut self, name: &str) -> Result<bool> {
        Ok(matches!(self.peek()?, Token::Name(next) if next == name))
    }

    fn skip_newlines(&mut self) -> Result<()> {
        while self.take_if(&Token::Newline)? {}
        Ok(())
    }

    fn check_depth(&self) -> Result<()> {
        if self.process.stack_left() < STACK_RESERVE {
            return Err(Fault::Syntax("nested too deeply".into()));
        }
        Ok(())
    }

    /// After a mistake: the rest of the line is nothing.
    pub(super) fn recover(&mut self) {
        if self.token != Some(Token::Newline) {
            self.lexer.skip_line();
        }
        self.token = None;
        self.loops = 0;
        self.is_in_function = false;
    }

    /// What stands on the next line or lines; `None` at the end.
    pub(super) fn item(&mut self) -> Result<Option<Item>> {
        self.loops = 0;
        self.is_in_function = false;
        if *self.peek()? == Token::End {
            return Ok(None);
        }
        if self.is_name("define")? {
            return self.define().map(Some);
        }
        let mut statements = Vec::new();
        loop {
            match self.peek()? {
                Token::Newline => {
                    self.token = None;
                    return Ok(Some(Item::Statements(statements)));
                }
                Token::End => return Ok(Some(Item::Statements(statements))),
                Token::Mark(b';') => self.token = None,
                Token::Name(name) if name == "quit" => return Ok(Some(Item::Quit)),
                _ => {
                    let Some(statement) = self.statement()? else {
                        return Ok(Some(Item::Quit));
                    };
                    statements.push(statement);
                    if !matches!(
                        self.peek()?,
                        Token::Newline | Token::Mark(b';') | Token::End
                    ) {
                        return Err(wrong());
                    }
                }
            }
        }
    }

    fn define(&mut self) -> Result<Item> {
        self.token = None;
        let mut is_void = false;
        let mut name = self.advance()?;
        if name == Token::Name("void".into()) {
            is_void = true;
            name = self.advance()?;
        }
        let Token::Name(name) = name else {
            return Err(wrong());
        };
        let id = self.functions.id(&name);
        self.expect(b'(')?;
        let parameters = self.locals(b')')?;
        self.expect(b')')?;
        self.skip_newlines()?;
        self.expect(b'{')?;
        self.is_in_function = true;
        self.skip_separators()?;
        let mut locals = Vec::new();
        while self.is_name("auto")? {
            self.token = None;
            locals.extend(self.locals(b';')?);
            if !matches!(self.advance()?, Token::Newline | Token::Mark(b';')) {
                return Err(wrong());
            }
            self.skip_separators()?;
        }
        let body = self.statements()?;
        self.is_in_function = false;
        match body {
            Some(body) => Ok(Item::Define(
                id,
                Function {
                    parameters,
                    locals,
                    body,
                    is_void,
                },
            )),
            None => Ok(Item::Quit),
        }
    }

    fn skip_separators(&mut self) -> Result<()> {
        while matches!(self.peek()?, Token::Newline | Token::Mark(b';')) {
            self.token = None;
        }
        Ok(())
    }

    /// Names between commas, up to `end` or the end of the line.
    fn locals(&mut self, end: u8) -> Result<Vec<Local>> {
        let mut locals = Vec::new();
        loop {
            let next = self.peek()?.clone();
            if next == Token::Mark(end) || next == Token::Newline {
                return Ok(locals);
            }
            let is_reference = matches!(
                next,
                Token::Operator(Operator::Multiply) | Token::Mark(b'&')
            );
            if is_reference {
                self.token = None;
            }
            let Token::Name(name) = self.advance()? else {
                return Err(wrong());
            };
            let is_array = self.take_if(&Token::Mark(b'['))?;
            if is_array {
                self.expect(b']')?;
            }
            locals.push(match (is_array, is_reference) {
                (true, true) => Local::Reference(self.arrays.id(&name)),
                (true, false) => Local::Array(self.arrays.id(&name)),
                (false, _) => Local::Variable(self.variables.id(&name)),
            });
            if !self.take_if(&Token::Mark(b','))? {
                return Ok(locals);
            }
        }
    }

    /// Statements up to a closing brace, which is taken, too. `None` if one of them quits.
    fn statements(&mut self) -> Result<Option<Vec<Statement>>> {
        let mut statements = Vec::new();
        loop {
            match self.peek()? {
                Token::Newline | Token::Mark(b';') => self.token = None,
                Token::Mark(b'}') => {
                    self.token = None;
                    return Ok(Some(statements));
                }
                Token::End => return Err(wrong()),
                _ => {
                    let Some(statement) = self.statement()? else {
                        return Ok(None);
                    };
                    statements.push(statement);
                    if !matches!(self.peek()?, Token::Newline | Token::Mark(b';' | b'}')) {
                        return Err(wrong());
                    }
                }
            }
        }
    }

    /// A statement. `None` for one that quits, which happens when it is read.
    fn statement(&mut self) -> Result<Option<Statement>> {
        self.check_depth()?;
        let keyword = match self.peek()? {
            Token::Name(name) => name.clone(),
            Token::Mark(b'{') => {
                self.token = None;
                return Ok(self.statements()?.map(Statement::Block));
            }
            Token::Text(_) => {
                let Token::Text(text) = self.advance()? else {
                    return Err(wrong());
                };
                return Ok(Some(Statement::Text(text)));
            }
            Token::Mark(b';') | Token::Newline => return Ok(Some(Statement::Nothing)),
            _ => String::new(),
        };
        Ok(Some(match keyword.as_str() {
            "quit" => return Ok(None),
            "halt" => self.word(Statement::Halt),
            "limits" => self.word(Statement::Limits),
            "warranty" => self.word(Statement::Warranty),
            "break" if self.loops == 0 => {
                return Err(Fault::Syntax("Break outside a for/while".into()));
            }
            "break" => self.word(Statement::Break),
            "continue" if self.loops == 0 => {
                return Err(Fault::Syntax("Continue outside a for".into()));
            }
            "continue" => self.word(Statement::Continue),
            "print" => {
                self.token = None;
                Statement::Print(self.printed()?)
            }
            "return" => {
                self.token = None;
                if !self.is_in_function {
                    return Err(Fault::Syntax("Return outside of a function.".into()));
                }
                Statement::Return(self.optional_expression()?)
            }
            "if" => return self.if_statement(),
            "while" => return self.while_statement(),
            "for" => return self.for_statement(),
            _ => {
                let (expr, prints) = self.expression()?;
                Statement::Expression { expr, prints }
            }
        }))
    }

    fn word(&mut self, statement: Statement) -> Statement {
        self.token = None;
        statement
    }

    fn printed(&mut self) -> Result<Vec<Printed>> {
        let mut printed = Vec::new();
        loop {
            printed.push(if let Token::Text(_) = self.peek()? {
                match self.advance()? {
                    Token::Text(text) => Printed::Text(text),
                    _ => return Err(wrong()),
                }
            } else {
                Printed::Value(self.expression()?.0)
            });
            if !self.take_if(&Token::Mark(b','))? {
                return Ok(printed);
            }
        }
    }

    fn optional_expression(&mut self) -> Result<Option<Expr>> {
        match self.peek()? {
            Token::Newline | Token::Mark(b';' | b'}' | b')') | Token::End => Ok(None),
            _ => Ok(Some(self.expression()?.0)),
        }
    }

    fn condition(&mut self) -> Result<Expr> {
        self.token = None;
        self.expect(b'(')?;
        let condition = self.expression()?.0;
        self.expect(b')')?;
        self.skip_newlines()?;
        Ok(condition)
    }

    fn loop_body(&mut self) -> Result<Option<Statement>> {
        self.loops += 1;
        let body = self.statement();
        self.loops = self.loops.saturating_sub(1);
        body
    }

    fn if_statement(&mut self) -> Result<Option<Statement>> {
        let condition = self.condition()?;
        let Some(yes) = self.statement()? else {
            return Ok(None);
        };
        let mut no = None;
        if self.is_name("else")? {
            self.token = None;
            self.skip_newlines()?;
            let Some(statement) = self.statement()? else {
                return Ok(None);
            };
            no = Some(Box::new(statement));
        }
        Ok(Some(Statement::If(condition, Box::new(yes), no)))
    }

    fn while_statement(&mut self) -> Result<Option<Statement>> {
        let condition = self.condition()?;
        let body = self.loop_body()?;
        Ok(body.map(|body| Statement::While(condition, Box::new(body))))
    }

    fn for_statement(&mut self) -> Result<Option<Statement>> {
        self.token = None;
        self.expect(b'(')?;
        let first = self.optional_expression()?;
        self.expect(b';')?;
        let condition = self.optional_expression()?;
        self.expect(b';')?;
        let step = self.optional_expression()?;
        self.expect(b')')?;
        self.skip_newlines()?;
        let body = self.loop_body()?;
        Ok(body.map(|body| {
            Statement::For(Box::new(For {
                first,
                condition,
                step,
                body,
            }))
        }))
    }

    /// An expression, and whether its value is printed if it is a statement: assignments are not.
    fn expression(&mut self) -> Result<(Expr, bool)> {
        self.check_depth()?;
        let expr = self.or()?;
        let prints = !matches!(expr, Expr::Assign(..));
        Ok((expr, prints))
    }

    fn or(&mut self) -> Result<Expr> {
        let mut left = self.and()?;
        while self.take_if(&Token::Or)? {
            left = Expr::Or(Box::new((left, self.and()?)));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr> {
        let mut left = self.not()?;
        while self.take_if(&Token::And)? {
            left = Expr::And(Box::new((left, self.not()?)));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Expr> {
        if self.take_if(&Token::Not)? {
            self.check_depth()?;
            return Ok(Expr::Not(Box::new(self.not()?)));
        }
        self.relation()
    }

    fn relation(&mut self) -> Result<Expr> {
        let mut left = self.additive()?;
        while let Token::Relation(relation) = *self.peek()? {
            self.token = None;
            left = Expr::Compare(relation, Box::new((left, self.additive()?)));
        }
        Ok(left)
    }

    fn additive(&mut self) -> Result<Expr> {
        let mut left = self.multiplicative()?;
        while let Token::Operator(operator @ (Operator::Add | Operator::Subtract)) = *self.peek()? {
            self.token = None;
            left = Expr::Binary(operator, Box::new((left, self.multiplicative()?)));
        }
        Ok(left)
    }

    fn multiplicative(&mut self) -> Result<Expr> {
        let mut left = self.power()?;
        while let Token::Operator(
            operator @ (Operator::Multiply | Operator::Divide | Operator::Remainder),
        ) = *self.peek()?
        {
            self.token = None;
            left = Expr::Binary(operator, Box::new((left, self.power()?)));
        }
        Ok(left)
    }

    fn power(&mut self) -> Result<Expr> {
        let left = self.unary()?;
        if !self.take_if(&Token::Operator(Operator::Power))? {
            return Ok(left);
        }
        self.check_depth()?;
        let right = self.power()?;
        Ok(Expr::Binary(Operator::Power, Box::new((left, right))))
    }

    fn unary(&mut self) -> Result<Expr> {
        if self.take_if(&Token::Operator(Operator::Subtract))? {
            self.check_depth()?;
            return Ok(Expr::Negate(Box::new(self.unary()?)));
        }
        self.primary()
    }

    fn primary(&mut self) -> Result<Expr> {
        match self.advance()? {
            Token::Number(digits) => Ok(Expr::Number(digits, OnceCell::new())),
            Token::Dot => self.behind_target(Target::Variable(Variable::Last)),
            Token::Mark(b'(') => {
                let (inner, _) = self.expression()?;
                self.expect(b')')?;
                // In parentheses an assignment is a value like others.
                Ok(match inner {
                    inner @ Expr::Assign(..) => Expr::Group(Box::new(inner)),
                    inner => inner,
                })
            }
            token @ (Token::Increment | Token::Decrement) => {
                let target = self.target()?;
                Ok(Expr::Step {
                    target: Box::new(target),
                    is_up: token == Token::Increment,
                    is_prefix: true,
                })
            }
            Token::Name(name) => self.name(&name),
            _ => Err(wrong()),
        }
    }

    fn name(&mut self, name: &str) -> Result<Expr> {
        let is_call = *self.peek()? == Token::Mark(b'(');
        match name {
            "length" | "sqrt" => return self.builtin(name),
            "scale" if is_call => return self.builtin(name),
            "read" | "random" if is_call => {
                self.token = None;
                self.expect(b')')?;
                return Ok(if name == "read" {
                    Expr::Read
                } else {
                    Expr::Random
                });
            }
            "define" | "auto" | "if" | "else" | "while" | "for" | "break" | "continue"
            | "return" | "quit" | "halt" | "print" | "limits" | "warranty" => return Err(wrong()),
            _ => {}
        }
        if is_call {
            self.token = None;
            let arguments = self.arguments()?;
            return Ok(Expr::Call(self.functions.id(name), arguments));
        }
        let target = self.target_named(name)?;
        self.behind_target(target)
    }

    fn builtin(&mut self, name: &str) -> Result<Expr> {
        self.expect(b'(')?;
        let (inner, _) = self.expression()?;
        self.expect(b')')?;
        let builtin = match name {
            "length" => Builtin::Length,
            "sqrt" => Builtin::Sqrt,
            _ => Builtin::Scale,
        };
        Ok(Expr::Builtin(builtin, Box::new(inner)))
    }

    fn arguments(&mut self) -> Result<Vec<Argument>> {
        let mut arguments = Vec::new();
        if self.take_if(&Token::Mark(b')'))? {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.argument()?);
            if self.take_if(&Token::Mark(b')'))? {
                return Ok(arguments);
            }
            self.expect(b',')?;
        }
    }

    /// A value, or an array: `name[]`.
    fn argument(&mut self) -> Result<Argument> {
        let Token::Name(name) = self.peek()?.clone() else {
            return Ok(Argument::Value(self.expression()?.0));
        };
        let (token, position) = (self.token.clone(), self.lexer.position());
        self.token = None;
        if self.take_if(&Token::Mark(b'['))? && self.take_if(&Token::Mark(b']'))? {
            return Ok(Argument::Array(self.arrays.id(&name)));
        }
        self.token = token;
        self.lexer.return_to(position);
        Ok(Argument::Value(self.expression()?.0))
    }

    fn target(&mut self) -> Result<Target> {
        match self.advance()? {
            Token::Name(name) => self.target_named(&name),
            Token::Dot => Ok(Target::Variable(Variable::Last)),
            _ => Err(wrong()),
        }
    }

    fn target_named(&mut self, name: &str) -> Result<Target> {
        if self.take_if(&Token::Mark(b'['))? {
            let id = self.arrays.id(name);
            let (index, _) = self.expression()?;
            self.expect(b']')?;
            return Ok(Target::Element(id, Box::new(index)));
        }
        Ok(Target::Variable(match name {
            "scale" => Variable::Scale,
            "ibase" => Variable::Ibase,
            "obase" => Variable::Obase,
            "last" => Variable::Last,
            name => Variable::Named(self.variables.id(name)),
        }))
    }

    /// What may follow something that can be assigned to.
    fn behind_target(&mut self, target: Target) -> Result<Expr> {
        match *self.peek()? {
            Token::Assign(operator) => {
                self.token = None;
                self.check_depth()?;
                let value = self.additive()?;
                Ok(Expr::Assign(operator, Box::new((target, value))))
            }
            Token::Increment | Token::Decrement => {
                let is_up = self.advance()? == Token::Increment;
                Ok(Expr::Step {
                    target: Box::new(target),
                    is_up,
                    is_prefix: false,
                })
            }
            _ => Ok(Expr::Get(target)),
        }
    }
}

fn wrong() -> Fault {
    Fault::Syntax("syntax error".into())
}
