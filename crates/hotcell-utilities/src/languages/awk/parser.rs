//! From the words of a program to its tree.
//!
//! Two things make this grammar unlike others, and both are dealt with where they arise: whether `/` divides or begins a
//! regular expression depends on what stands before it, so the parser asks the [`Lexer`] for the latter; and `>` behind
//! `print` is a redirection unless it is in parentheses, which `is_greater_allowed` remembers.

mod expression;
mod statement;

use std::collections::HashMap;

use hotcell_process::Process;

use super::{
    lexer::{Keyword, Lexer, SourceText, SyntaxError, Token},
    regexes::{Constant, Regexes},
    syntax::{
        ARGC, ARRAYS, ArrayExpr, Block, Expr, Function, Parameter, Pattern, Place, Program, Rule,
        Special, Variable,
    },
};
use crate::languages::budget::Budget;

/// What has to be left of the stack for one more level.
const STACK_RESERVE: usize = 256 << 10;

type Result<T> = std::result::Result<T, SyntaxError>;

pub(crate) struct Parser<'s> {
    lexer: Lexer<'s>,
    token: Token,
    process: &'s Process,
    regexes: Regexes<'s>,
    budget: Budget,
    program: Program,
    globals: HashMap<String, usize>,
    functions: HashMap<String, usize>,
    /// The function that is being read.
    function: Option<usize>,
    /// Calls that pass a parameter on: that function's parameter is an array if this one's is.
    passed_on: Vec<PassedOn>,
    /// `>` compares.
    is_greater_allowed: bool,
    /// An operand that was read already.
    pending: Option<Expr>,
    loops: usize,
    switches: usize,
    ranges: usize,
    /// The special rule that is being read: `BEGIN`, `END`…
    rule: Option<&'static str>,
}

struct PassedOn {
    function: usize,
    parameter: usize,
    callee: usize,
    argument: usize,
}

/// A program and what its author should be told.
pub(crate) struct Parsed {
    pub(crate) program: Program,
    pub(crate) warnings: Vec<(Place, String)>,
}

/// Reads a program.
pub(crate) fn parse(
    process: &Process,
    budget: &Budget,
    sources: &[SourceText],
    is_bytes: bool,
) -> Result<Parsed> {
    let mut parser = Parser {
        lexer: Lexer::new(sources),
        token: Token::Newline,
        process,
        regexes: Regexes::new(process, is_bytes),
        budget: budget.clone(),
        program: Program::default(),
        globals: HashMap::new(),
        functions: HashMap::new(),
        function: None,
        passed_on: Vec::new(),
        is_greater_allowed: true,
        pending: None,
        loops: 0,
        switches: 0,
        ranges: 0,
        rule: None,
    };
    for name in ARRAYS {
        parser.global(name);
    }
    let argc = parser.global("ARGC");
    debug_assert_eq!(argc, ARGC);
    parser.advance()?;
    parser.program()?;
    parser.check_calls()?;
    parser.find_arrays();
    Ok(Parsed {
        program: parser.program,
        warnings: parser.lexer.warnings,
    })
}

impl Parser<'_> {
    fn advance(&mut self) -> Result<Token> {
        self.process.spend(8);
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn take_if(&mut self, token: &Token) -> Result<bool> {
        let is_there = self.token == *token;
        if is_there {
            self.advance()?;
        }
        Ok(is_there)
    }

    fn expect(&mut self, token: &Token) -> Result<()> {
        if self.take_if(token)? {
            return Ok(());
        }
        Err(self.unexpected())
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.token == Token::Keyword(keyword)
    }

    fn unexpected(&self) -> SyntaxError {
        self.lexer.error(match self.token {
            Token::End | Token::Newline => "unexpected newline or end of string",
            _ => "syntax error",
        })
    }

    fn check_depth(&self) -> Result<()> {
        if self.process.stack_left() < STACK_RESERVE {
            return Err(self.lexer.error("the program is nested too deeply"));
        }
        Ok(())
    }

    fn skip_newlines(&mut self) -> Result<()> {
        while self.token == Token::Newline {
            self.advance()?;
        }
        Ok(())
    }

    fn skip_ends(&mut self) -> Result<()> {
        while matches!(self.token, Token::Newline | Token::Semicolon) {
            self.advance()?;
        }
        Ok(())
    }

    fn program(&mut self) -> Result<()> {
        loop {
            self.skip_ends()?;
            match self.token {
                Token::End => return Ok(()),
                Token::Keyword(Keyword::Function) => self.function()?,
                Token::Keyword(
                    kind @ (Keyword::Begin | Keyword::End | Keyword::BeginFile | Keyword::EndFile),
                ) => {
                    self.advance()?;
                    let name = match kind {
                        Keyword::Begin => "BEGIN",
                        Keyword::End => "END",
                        Keyword::BeginFile => "BEGINFILE",
                        _ => "ENDFILE",
                    };
                    if self.token != Token::OpenBrace {
                        let message = format!("{name} blocks must have an action part");
                        return Err(match self.token {
                            Token::Comma => self.lexer.error("syntax error"),
                            Token::End => self.lexer.error_at_line(message),
                            _ => self.lexer.error(message),
                        });
                    }
                    self.rule = Some(name);
                    let block = self.braces()?;
                    self.rule = None;
                    match kind {
                        Keyword::Begin => self.program.begin.push(block),
                        Keyword::End => self.program.end.push(block),
                        Keyword::BeginFile => self.program.begin_file.push(block),
                        _ => self.program.end_file.push(block),
                    }
                }
                _ => self.rule()?,
            }
        }
    }

    fn rule(&mut self) -> Result<()> {
        let pattern = if self.token == Token::OpenBrace {
            Pattern::Always
        } else {
            let first = self.expression()?;
            if self.take_if(&Token::Comma)? {
                self.skip_newlines()?;
                let last = self.expression()?;
                self.ranges += 1;
                Pattern::Range(first, last, self.ranges - 1)
            } else {
                Pattern::When(first)
            }
        };
        let action = match self.token {
            Token::OpenBrace => Some(self.braces()?),
            Token::Newline | Token::Semicolon | Token::End => None,
            _ => return Err(self.unexpected()),
        };
        self.program.rules.push(Rule { pattern, action });
        Ok(())
    }

    fn function(&mut self) -> Result<()> {
        self.advance()?;
        let (Token::Name(name) | Token::Callee(name)) = self.token.clone() else {
            return Err(self.unexpected());
        };
        if Special::named(&name).is_some() || self.globals.contains_key(&name) {
            return Err(self.lexer.error(format!(
                "function name `{name}' previously defined as a variable"
            )));
        }
        let number = self.function_number(&name);
        if self
            .program
            .functions
            .get(number)
            .is_some_and(|it| it.is_defined)
        {
            return Err(self
                .lexer
                .error(format!("function name `{name}' previously defined")));
        }
        self.advance()?;
        self.expect(&Token::OpenParen)?;
        let mut parameters: Vec<Parameter> = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.take_if(&Token::CloseParen)? {
                break;
            }
            let Token::Name(parameter) = self.token.clone() else {
                return Err(self.unexpected());
            };
            let problem = if parameter == name {
                Some(format!(
                    "function `{name}': cannot use function name as parameter name"
                ))
            } else if Special::named(&parameter).is_some() {
                Some(format!(
                    "function `{name}': cannot use special variable `{parameter}' as a function parameter"
                ))
            } else if parameters.iter().any(|known| known.name == parameter) {
                Some(format!(
                    "function `{name}': parameter `{parameter}' is there twice"
                ))
            } else {
                None
            };
            if let Some(problem) = problem {
                return Err(self.lexer.error(problem));
            }
            parameters.push(Parameter {
                name: parameter,
                is_array: false,
            });
            self.advance()?;
            self.skip_newlines()?;
            if self.token != Token::CloseParen {
                self.expect(&Token::Comma)?;
            }
        }
        self.skip_newlines()?;
        if let Some(function) = self.program.functions.get_mut(number) {
            function.parameters = parameters;
            function.is_defined = true;
        }
        self.function = Some(number);
        let body = self.braces()?;
        self.function = None;
        if let Some(function) = self.program.functions.get_mut(number) {
            function.body = body;
        }
        Ok(())
    }

    fn braces(&mut self) -> Result<Block> {
        self.check_depth()?;
        self.expect(&Token::OpenBrace)?;
        let mut block = Vec::new();
        loop {
            self.skip_ends()?;
            if self.take_if(&Token::CloseBrace)? {
                return Ok(block);
            }
            block.push(self.statement()?);
        }
    }

    /// The number of a function, which may be defined later.
    fn function_number(&mut self, name: &str) -> usize {
        if let Some(number) = self.functions.get(name) {
            return *number;
        }
        let number = self.program.functions.len();
        self.program.functions.push(Function {
            name: name.to_owned(),
            called_at: self.lexer.place(),
            ..Function::default()
        });
        self.functions.insert(name.to_owned(), number);
        number
    }

    fn global(&mut self, name: &str) -> usize {
        if let Some(number) = self.globals.get(name) {
            return *number;
        }
        let number = self.program.globals.len();
        self.program.globals.push(name.to_owned());
        self.globals.insert(name.to_owned(), number);
        number
    }

    fn variable(&mut self, name: &str) -> Result<Variable> {
        let function = self.function.and_then(|it| self.program.functions.get(it));
        if let Some(function) = function
            && let Some(number) = function
                .parameters
                .iter()
                .position(|parameter| parameter.name == name)
        {
            return Ok(Variable::Local(number));
        }
        if let Some(special) = Special::named(name) {
            return Ok(Variable::Special(special));
        }
        if matches!(name, "SYMTAB" | "FUNCTAB") {
            return Err(self.lexer.error(format!("`{name}' is not supported")));
        }
        if let Some(function) = self.functions.get(name)
            && self
                .program
                .functions
                .get(*function)
                .is_some_and(|function| function.is_defined)
        {
            return Err(self.lexer.error(format!(
                "function `{name}' called with space between name and `('\nor used as a variable or an array"
            )));
        }
        Ok(Variable::Global(self.global(name)))
    }

    /// Notes that a variable is used as an array.
    fn uses_array(&mut self, array: &ArrayExpr) -> Result<()> {
        let variable = match array {
            ArrayExpr::Variable(variable) => *variable,
            ArrayExpr::Element(_) => return Ok(()),
        };
        match variable {
            Variable::Local(number) => {
                let function = self
                    .function
                    .and_then(|it| self.program.functions.get_mut(it));
                let parameter = function.and_then(|it| it.parameters.get_mut(number));
                if let Some(parameter) = parameter {
                    parameter.is_array = true;
                }
                Ok(())
            }
            Variable::Special(special) => Err(self.lexer.error(format!(
                "attempt to use scalar `{}' as an array",
                special.name()
            ))),
            Variable::Global(_) => Ok(()),
        }
    }

    fn check_calls(&self) -> Result<()> {
        match self.program.functions.iter().find(|it| !it.is_defined) {
            None => Ok(()),
            Some(function) => Err(SyntaxError {
                place: function.called_at,
                column: None,
                message: format!("fatal: function `{}' not defined", function.name),
                code: 2,
            }),
        }
    }

    /// A parameter that is passed on to a function which uses it as an array is one.
    fn find_arrays(&mut self) {
        let functions = &mut self.program.functions;
        loop {
            let mut has_changed = false;
            self.process.spend(self.passed_on.len());
            for call in &self.passed_on {
                let is_array = functions
                    .get(call.callee)
                    .and_then(|callee| callee.parameters.get(call.argument))
                    .is_some_and(|parameter| parameter.is_array);
                let parameter = functions
                    .get_mut(call.function)
                    .and_then(|function| function.parameters.get_mut(call.parameter));
                if let Some(parameter) = parameter
                    && is_array
                    && !parameter.is_array
                {
                    parameter.is_array = true;
                    has_changed = true;
                }
            }
            if !has_changed {
                return;
            }
        }
    }

    /// A regular expression that is written down; the token is its first slash.
    fn regex(&mut self) -> Result<Constant> {
        let regex = self.lexer.regex()?;
        let constant = Constant::new(regex);
        // A mistake in it is found before anything runs.
        if let Err(message) = self.regexes.constant(&constant) {
            return Err(SyntaxError {
                place: self.lexer.place(),
                column: None,
                message: format!("error: {message}"),
                code: 1,
            });
        }
        self.advance()?;
        Ok(constant)
    }
}

/// Whether an expression has no side effects and calls nothing that might.
fn is_pure(expr: &Expr) -> bool {
    match expr {
        Expr::Number(_) | Expr::Text(_) | Expr::Variable(_) | Expr::FieldAt(_) => true,
        Expr::Field(inner) | Expr::Negate(inner) | Expr::Plus(inner) | Expr::Group(inner) => {
            is_pure(inner)
        }
        Expr::Arithmetic(_, sides) => is_pure(&sides.0) && is_pure(&sides.1),
        Expr::Concat(parts) => parts.iter().all(is_pure),
        _ => false,
    }
}
