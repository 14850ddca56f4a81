//! Statements.

use std::rc::Rc;

use super::{
    super::{
        lexer::{Keyword, Token},
        syntax::{
            Arithmetic, Block, Case, Expr, For, ForIn, Label, Redirect, RedirectKind, Relation,
            Statement, StatementKind, Switch, Target,
        },
    },
    Parser, Result,
};

impl Parser<'_> {
    /// Refuses a statement that cannot be in the rule that is being read.
    fn refuse_in_rule(&self, statement: &str, rules: &[&str]) -> Result<()> {
        match self.rule {
            Some(rule) if rules.contains(&rule) => {
                let message = format!("error: `{statement}' used in {rule} action");
                Err(self.lexer.error_at_line(message))
            }
            _ => Ok(()),
        }
    }

    /// A statement with what ends it, except for a closing brace.
    pub(super) fn statement(&mut self) -> Result<Statement> {
        self.check_depth()?;
        let place = self.lexer.place();
        let kind = match self.token {
            Token::OpenBrace => StatementKind::Block(self.braces()?),
            Token::Semicolon => {
                self.advance()?;
                StatementKind::Nothing
            }
            Token::Keyword(Keyword::If) => self.if_statement()?,
            Token::Keyword(Keyword::While) => {
                let condition = self.condition()?;
                // `while (…);` has no body.
                let body = self.loop_body()?;
                StatementKind::While(condition, body)
            }
            Token::Keyword(Keyword::Do) => self.do_statement()?,
            Token::Keyword(Keyword::For) => self.for_statement()?,
            Token::Keyword(Keyword::Switch) => self.switch_statement()?,
            _ => {
                let statement = self.simple_statement()?;
                self.end_of_statement()?;
                return Ok(statement);
            }
        };
        Ok(Statement { place, kind })
    }

    fn end_of_statement(&mut self) -> Result<()> {
        match self.token {
            Token::Newline | Token::Semicolon => {
                self.advance()?;
                Ok(())
            }
            Token::CloseBrace => Ok(()),
            _ => Err(self.unexpected()),
        }
    }

    /// The keyword, and a condition in parentheses.
    fn condition(&mut self) -> Result<Expr> {
        self.advance()?;
        self.expect(&Token::OpenParen)?;
        self.skip_newlines()?;
        let condition = self.in_parentheses(Self::expression)?;
        self.skip_newlines()?;
        self.expect(&Token::CloseParen)?;
        Ok(condition)
    }

    /// One statement, or several in braces, as a block.
    fn body(&mut self) -> Result<Block> {
        self.skip_newlines()?;
        let statement = self.statement()?;
        Ok(match statement.kind {
            StatementKind::Block(block) => block,
            StatementKind::Nothing => Vec::new(),
            _ => vec![statement],
        })
    }

    fn loop_body(&mut self) -> Result<Block> {
        self.loops += 1;
        let body = self.body();
        self.loops -= 1;
        body
    }

    fn if_statement(&mut self) -> Result<StatementKind> {
        let condition = self.condition()?;
        let yes = self.body()?;
        self.skip_ends()?;
        let no = if self.is_keyword(Keyword::Else) {
            self.advance()?;
            self.body()?
        } else {
            Vec::new()
        };
        Ok(StatementKind::If(condition, yes, no))
    }

    fn do_statement(&mut self) -> Result<StatementKind> {
        self.advance()?;
        let body = self.loop_body()?;
        self.skip_ends()?;
        if !self.is_keyword(Keyword::While) {
            return Err(self.unexpected());
        }
        let condition = self.condition()?;
        self.end_of_statement()?;
        Ok(StatementKind::DoWhile(body, condition))
    }

    fn for_statement(&mut self) -> Result<StatementKind> {
        self.advance()?;
        self.expect(&Token::OpenParen)?;
        if let Token::Name(name) = self.token.clone()
            && self.lexer.peek_token()? == Token::Keyword(Keyword::In)
        {
            self.advance()?;
            self.advance()?;
            let target = Target::Variable(self.variable(&name)?);
            let array = self.array()?;
            self.expect(&Token::CloseParen)?;
            let body = self.loop_body()?;
            return Ok(StatementKind::ForIn(Box::new(ForIn {
                target,
                array,
                body,
            })));
        }
        let first = match self.token {
            Token::Semicolon => None,
            _ => Some(self.in_parentheses(Self::simple_statement)?),
        };
        self.expect(&Token::Semicolon)?;
        self.skip_newlines()?;
        let condition = match self.token {
            Token::Semicolon => None,
            _ => Some(self.in_parentheses(Self::expression)?),
        };
        self.expect(&Token::Semicolon)?;
        self.skip_newlines()?;
        let step = match self.token {
            Token::CloseParen => None,
            _ => Some(self.in_parentheses(Self::simple_statement)?),
        };
        self.skip_newlines()?;
        self.expect(&Token::CloseParen)?;
        let body = self.loop_body()?;
        Ok(StatementKind::For(Box::new(For {
            first,
            condition,
            step,
            body,
        })))
    }

    fn switch_statement(&mut self) -> Result<StatementKind> {
        let subject = self.condition()?;
        self.skip_newlines()?;
        self.expect(&Token::OpenBrace)?;
        self.switches += 1;
        let mut cases: Vec<Case> = Vec::new();
        loop {
            self.skip_ends()?;
            if self.take_if(&Token::CloseBrace)? {
                break;
            }
            if matches!(self.token, Token::Keyword(Keyword::Case | Keyword::Default)) {
                let label = self.label()?;
                if matches!(label, Label::Default)
                    && cases
                        .iter()
                        .any(|case| matches!(case.label, Label::Default))
                {
                    return Err(self
                        .lexer
                        .error("duplicate `default' detected in switch body"));
                }
                self.skip_newlines()?;
                self.expect(&Token::Colon)?;
                cases.push(Case {
                    label,
                    body: Vec::new(),
                });
                continue;
            }
            if cases.is_empty() {
                return Err(self.unexpected());
            }
            let statement = self.statement()?;
            if let Some(case) = cases.last_mut() {
                case.body.push(statement);
            }
        }
        self.switches -= 1;
        Ok(StatementKind::Switch(Box::new(Switch { subject, cases })))
    }

    fn label(&mut self) -> Result<Label> {
        if self.advance()? == Token::Keyword(Keyword::Default) {
            return Ok(Label::Default);
        }
        let sign = match self.token {
            Token::Operator(Arithmetic::Subtract) => -1.0,
            Token::Operator(Arithmetic::Add) => 1.0,
            Token::Operator(Arithmetic::Divide) | Token::Update(Arithmetic::Divide) => {
                return Ok(Label::Regex(Rc::new(self.regex()?)));
            }
            Token::Text(_) => return Ok(Label::Value(self.primary()?)),
            _ => 0.0,
        };
        if sign != 0.0 {
            self.advance()?;
        }
        match self.advance()? {
            Token::Number(number) if sign < 0.0 => Ok(Label::Value(Expr::Number(-number))),
            Token::Number(number) => Ok(Label::Value(Expr::Number(number))),
            _ => Err(self.unexpected()),
        }
    }

    /// A statement that may also stand in the head of a `for`.
    fn simple_statement(&mut self) -> Result<Statement> {
        let place = self.lexer.place();
        let Token::Keyword(keyword) = self.token else {
            let kind = StatementKind::Expression(self.expression()?);
            return Ok(Statement { place, kind });
        };
        let kind = match keyword {
            Keyword::Print | Keyword::Printf => {
                self.advance()?;
                self.print(keyword == Keyword::Printf)?
            }
            Keyword::Delete => {
                self.advance()?;
                self.delete()?
            }
            Keyword::Break | Keyword::Continue => {
                let is_break = keyword == Keyword::Break;
                if self.loops == 0 && !(is_break && self.switches > 0) {
                    return Err(self.lexer.error_at_line(if is_break {
                        "error: `break' is not allowed outside a loop or switch"
                    } else {
                        "error: `continue' is not allowed outside a loop"
                    }));
                }
                self.advance()?;
                if is_break {
                    StatementKind::Break
                } else {
                    StatementKind::Continue
                }
            }
            Keyword::Next => {
                self.refuse_in_rule("next", &["BEGIN", "END", "BEGINFILE", "ENDFILE"])?;
                self.advance()?;
                StatementKind::Next
            }
            Keyword::NextFile => {
                self.refuse_in_rule("nextfile", &["BEGIN", "END", "ENDFILE"])?;
                self.advance()?;
                StatementKind::NextFile
            }
            Keyword::Exit => {
                self.advance()?;
                StatementKind::Exit(self.optional_expression()?)
            }
            Keyword::Return => {
                if self.function.is_none() {
                    return Err(self.lexer.error("`return' used outside function context"));
                }
                self.advance()?;
                StatementKind::Return(self.optional_expression()?)
            }
            _ => StatementKind::Expression(self.expression()?),
        };
        Ok(Statement { place, kind })
    }

    fn optional_expression(&mut self) -> Result<Option<Expr>> {
        match self.token {
            Token::Newline | Token::Semicolon | Token::CloseBrace | Token::End => Ok(None),
            _ => self.expression().map(Some),
        }
    }

    fn delete(&mut self) -> Result<StatementKind> {
        let has_paren = self.take_if(&Token::OpenParen)?;
        let (Token::Name(name) | Token::Callee(name)) = self.token.clone() else {
            return Err(self.unexpected());
        };
        let kind = if self.lexer.peek_token()? == Token::OpenBracket {
            self.advance()?;
            let variable = self.variable(&name)?;
            let (array, subscript) = self.element(variable)?;
            StatementKind::Delete(array, Some(subscript))
        } else {
            StatementKind::Delete(self.array()?, None)
        };
        if has_paren {
            self.expect(&Token::CloseParen)?;
        }
        Ok(kind)
    }

    fn print(&mut self, is_printf: bool) -> Result<StatementKind> {
        let before = std::mem::replace(&mut self.is_greater_allowed, false);
        let arguments = self.print_arguments()?;
        if is_printf && arguments.is_empty() {
            return Err(self.unexpected());
        }
        let kind = match self.token {
            Token::Relation(Relation::Greater) => Some(RedirectKind::Write),
            Token::Append => Some(RedirectKind::Append),
            Token::Pipe => Some(RedirectKind::Pipe),
            Token::PipeBoth => Some(RedirectKind::Both),
            _ => None,
        };
        let redirect = match kind {
            None => None,
            Some(kind) => {
                self.advance()?;
                let to = self.concatenation()?;
                Some(Redirect { kind, to })
            }
        };
        self.is_greater_allowed = before;
        Ok(if is_printf {
            StatementKind::Printf(arguments, redirect)
        } else {
            StatementKind::Print(arguments, redirect)
        })
    }

    fn print_arguments(&mut self) -> Result<Vec<Expr>> {
        if self.ends_print() {
            return Ok(Vec::new());
        }
        if self.token == Token::OpenParen {
            self.advance()?;
            let list = self.in_parentheses(|parser| {
                parser.skip_newlines()?;
                parser.list()
            })?;
            self.skip_newlines()?;
            self.expect(&Token::CloseParen)?;
            if self.ends_print() {
                return Ok(list);
            }
            // It was the first part of a longer expression.
            let first = self.grouped(list)?;
            self.pending = Some(first);
        }
        self.list()
    }

    fn ends_print(&self) -> bool {
        matches!(
            self.token,
            Token::Newline
                | Token::Semicolon
                | Token::CloseBrace
                | Token::CloseParen
                | Token::End
                | Token::Relation(Relation::Greater)
                | Token::Append
                | Token::Pipe
                | Token::PipeBoth
        )
    }
}
