//! Filters, by the precedence of their operators.

use super::{
    super::{
        natives,
        syntax::{Operator, Part, Special, Term},
        value::{Map, Value},
    },
    Meaning, Parsed, Parser, Token, is_keyword,
};

/// How an operator takes several of its kind.
#[derive(PartialEq)]
enum Side {
    Left,
    Right,
    Neither,
}

impl Parser<'_> {
    /// Everything: the loosest operator is `|`.
    pub(super) fn pipe(&mut self) -> Parsed<Term> {
        self.check_stack()?;
        let (count, depth) = self.mark();
        if self.is_word("def") {
            self.definition()?;
            let body = self.pipe();
            self.unbind(count, depth);
            return body;
        }
        if self.eat_word("label") {
            let name = match self.next() {
                Token::Variable(name) => name,
                _ => {
                    self.at -= 1;
                    return Err(self.unexpected());
                }
            };
            self.expect("|")?;
            self.bind(Meaning::Label(name));
            let body = self.pipe();
            self.unbind(count, depth);
            return Ok(Term::Label(Box::new(body?)));
        }
        let left = self.comma()?;
        if self.eat("|") {
            let right = self.pipe()?;
            return Ok(Term::Pipe(Box::new(left), Box::new(right)));
        }
        Ok(left)
    }

    fn comma(&mut self) -> Parsed<Term> {
        let mut left = self.operators(0)?;
        while self.eat(",") {
            let right = self.operators(0)?;
            left = Term::Comma(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    /// The operator that comes next: its level and side.
    fn operator(&self) -> Option<(String, u8, Side)> {
        let mark = match self.peek() {
            Token::Punctuation(mark) => *mark,
            Token::Word(word) if word == "and" => "and",
            Token::Word(word) if word == "or" => "or",
            _ => return None,
        };
        let (level, side) = match mark {
            "//" => (1, Side::Right),
            "=" | "|=" | "+=" | "-=" | "*=" | "/=" | "%=" | "//=" => (2, Side::Neither),
            "or" => (3, Side::Left),
            "and" => (4, Side::Left),
            "==" | "!=" | "<" | "<=" | ">" | ">=" => (5, Side::Neither),
            "+" | "-" => (6, Side::Left),
            "*" | "/" | "%" => (7, Side::Left),
            _ => return None,
        };
        Some((mark.to_owned(), level, side))
    }

    pub(super) fn operators(&mut self, least: u8) -> Parsed<Term> {
        self.check_stack()?;
        let mut left = if self.eat("-") {
            match self.operators(7)? {
                Term::Constant(Value::Number(number)) => Term::Constant(Value::Number(-number)),
                term => Term::Negate(Box::new(term)),
            }
        } else {
            self.postfix()?
        };
        let mut last = None;
        while let Some((mark, level, side)) = self.operator() {
            if level < least {
                break;
            }
            if last == Some(level) && side == Side::Neither {
                return Err(self.unexpected());
            }
            last = Some(level);
            self.at += 1;
            let right = self.operators(if side == Side::Right {
                level
            } else {
                level + 1
            })?;
            let (a, b) = (Box::new(left), Box::new(right));
            let binary = |operator| move |a, b| Term::Binary(operator, a, b);
            left = match mark.as_str() {
                "//" => Term::Alternative(a, b),
                "=" => Term::Assign(a, b),
                "|=" => Term::Update(a, b),
                "+=" => Term::Operate(Some(Operator::Add), a, b),
                "-=" => Term::Operate(Some(Operator::Subtract), a, b),
                "*=" => Term::Operate(Some(Operator::Multiply), a, b),
                "/=" => Term::Operate(Some(Operator::Divide), a, b),
                "%=" => Term::Operate(Some(Operator::Modulo), a, b),
                "//=" => Term::Operate(None, a, b),
                "or" => Term::Or(a, b),
                "and" => Term::And(a, b),
                "==" => binary(Operator::Equal)(a, b),
                "!=" => binary(Operator::NotEqual)(a, b),
                "<" => binary(Operator::Less)(a, b),
                "<=" => binary(Operator::LessOrEqual)(a, b),
                ">" => binary(Operator::Greater)(a, b),
                ">=" => binary(Operator::GreaterOrEqual)(a, b),
                "+" => binary(Operator::Add)(a, b),
                "-" => binary(Operator::Subtract)(a, b),
                "*" => binary(Operator::Multiply)(a, b),
                "/" => binary(Operator::Divide)(a, b),
                _ => binary(Operator::Modulo)(a, b),
            };
        }
        Ok(left)
    }

    /// A term with what is written behind it.
    fn postfix(&mut self) -> Parsed<Term> {
        self.check_stack()?;
        if self.eat_word("try") {
            let body = self.postfix_without_as()?;
            let handler = if self.eat_word("catch") {
                Some(Box::new(self.postfix_without_as()?))
            } else {
                None
            };
            return Ok(Term::Try(Box::new(body), handler));
        }
        let term = self.postfix_without_as()?;
        if self.eat_word("as") {
            let (count, depth) = self.mark();
            let binding = self.patterns()?;
            self.expect("|")?;
            let body = self.pipe();
            self.unbind(count, depth);
            return Ok(Term::As(Box::new(term), Box::new(binding), Box::new(body?)));
        }
        Ok(term)
    }

    fn postfix_without_as(&mut self) -> Parsed<Term> {
        if self.is_word("try") || self.is("-") {
            return self.operators(7);
        }
        let mut term = self.term()?;
        loop {
            self.process.spend(8);
            match self.peek().clone() {
                Token::Field(name) => {
                    self.at += 1;
                    let key = Term::Constant(self.text(&name)?);
                    term = Term::Index(Box::new(term), Box::new(key));
                }
                Token::Punctuation(".") if matches!(self.peek_second(), Token::StringStart) => {
                    self.at += 2;
                    let key = self.string(None)?;
                    term = Term::Index(Box::new(term), Box::new(key));
                }
                Token::Punctuation(".")
                    if matches!(self.peek_second(), Token::Punctuation("[")) =>
                {
                    self.at += 2;
                    term = self.bracket(term)?;
                }
                Token::Punctuation("[") => {
                    self.at += 1;
                    term = self.bracket(term)?;
                }
                Token::Punctuation("?") => {
                    self.at += 1;
                    term = Term::Try(Box::new(term), None);
                }
                // `.a?//1` is a default, unless patterns are being read.
                Token::Punctuation("?//") => {
                    if let Some(token) = self.tokens.get_mut(self.at) {
                        token.0 = Token::Punctuation("//");
                    }
                    term = Term::Try(Box::new(term), None);
                    return Ok(term);
                }
                _ => return Ok(term),
            }
        }
    }

    /// What is between `[` and `]` behind a term.
    fn bracket(&mut self, base: Term) -> Parsed<Term> {
        let base = Box::new(base);
        if self.eat("]") {
            return Ok(Term::Each(base));
        }
        if self.eat(":") {
            let to = self.pipe()?;
            self.expect("]")?;
            return Ok(Term::Slice(base, None, Some(Box::new(to))));
        }
        let key = self.pipe()?;
        if self.eat(":") {
            if self.eat("]") {
                return Ok(Term::Slice(base, Some(Box::new(key)), None));
            }
            let to = self.pipe()?;
            self.expect("]")?;
            return Ok(Term::Slice(base, Some(Box::new(key)), Some(Box::new(to))));
        }
        self.expect("]")?;
        Ok(Term::Index(base, Box::new(key)))
    }

    pub(super) fn text(&self, text: &str) -> Parsed<Value> {
        self.heap
            .string(text)
            .map_err(|_| self.wrong("out of memory"))
    }

    fn term(&mut self) -> Parsed<Term> {
        match self.next() {
            Token::Punctuation(".") => {
                if matches!(self.peek(), Token::StringStart) {
                    self.at += 1;
                    let key = self.string(None)?;
                    return Ok(Term::Index(Box::new(Term::Identity), Box::new(key)));
                }
                Ok(Term::Identity)
            }
            Token::Punctuation("..") => Ok(Term::Recurse),
            Token::Field(name) => {
                let key = Term::Constant(self.text(&name)?);
                Ok(Term::Index(Box::new(Term::Identity), Box::new(key)))
            }
            Token::Number(text) => {
                let number = self.heap.literal(&text).ok().flatten();
                let number = number.ok_or_else(|| self.wrong("invalid numeric literal"))?;
                Ok(Term::Constant(number))
            }
            Token::StringStart => self.string(None),
            Token::Format(name) => {
                if !natives::is_format(&name) {
                    self.at -= 1;
                    let name = name.trim_start_matches('@');
                    return Err(self.wrong(&format!("{name} is not a valid format")));
                }
                if matches!(self.peek(), Token::StringStart) {
                    self.at += 1;
                    return self.string(Some(name));
                }
                Ok(Term::Format(name))
            }
            Token::Variable(name) => {
                if name == "__loc__" {
                    return self.location();
                }
                self.variable_term(&name)
            }
            Token::Punctuation("(") => {
                let inside = self.pipe()?;
                self.expect(")")?;
                Ok(inside)
            }
            Token::Punctuation("[") => {
                if self.eat("]") {
                    return Ok(Term::Array(None));
                }
                let inside = self.pipe()?;
                self.expect("]")?;
                Ok(Term::Array(Some(Box::new(inside))))
            }
            Token::Punctuation("{") => self.object(),
            Token::Word(word) => self.word(&word),
            _ => {
                self.at -= 1;
                Err(self.unexpected())
            }
        }
    }

    fn location(&mut self) -> Parsed<Term> {
        let at = self.tokens.get(self.at - 1).map_or(0, |(_, at)| *at);
        let line = self
            .source
            .get(..at)
            .unwrap_or_default()
            .matches('\n')
            .count()
            + 1;
        #[allow(clippy::cast_precision_loss, reason = "lines of a program")]
        let line = Value::Number(line as f64);
        let mut map = Map::default();
        let heap = self.heap.clone();
        let fail = |_| self.wrong("out of memory");
        map.insert(heap.text("file").map_err(fail)?, self.text(&self.place)?);
        map.insert(heap.text("line").map_err(fail)?, line);
        Ok(Term::Constant(heap.object(map).map_err(fail)?))
    }

    fn variable_term(&mut self, name: &str) -> Parsed<Term> {
        let depth = self.scope.depth;
        let found = self
            .scope
            .bound
            .iter()
            .rev()
            .find_map(|bound| match &bound.meaning {
                Meaning::Variable(known) if known == name => Some(bound.depth),
                _ => None,
            });
        if let Some(at) = found {
            return Ok(Term::Variable(depth - at - 1));
        }
        let short = name.split("::").next().unwrap_or(name);
        let data = self.data.iter().rev().find(|(known, _)| {
            known == name || known == short && name == format!("{known}::{known}")
        });
        if let Some((_, value)) = data {
            return Ok(Term::Constant(value.clone()));
        }
        if let Some(value) = self.globals.get(name) {
            return Ok(Term::Constant(value.clone()));
        }
        self.at -= 1;
        Err(self.wrong(&format!("${name} is not defined")))
    }

    fn word(&mut self, word: &str) -> Parsed<Term> {
        match word {
            "if" => self.condition(),
            "reduce" => {
                let (count, depth) = self.mark();
                let source = self.postfix_without_as()?;
                self.expect_word("as")?;
                let binding = self.patterns()?;
                self.expect("(")?;
                // What it begins with does not see the variables, though they are there when it is parsed.
                let start = self.hidden(count, depth)?;
                self.expect(";")?;
                let update = self.pipe()?;
                self.expect(")")?;
                self.unbind(count, depth);
                Ok(Term::Reduce(
                    Box::new(source),
                    Box::new(binding),
                    Box::new(start),
                    Box::new(update),
                ))
            }
            "foreach" => {
                let (count, depth) = self.mark();
                let source = self.postfix_without_as()?;
                self.expect_word("as")?;
                let binding = self.patterns()?;
                self.expect("(")?;
                let start = self.hidden(count, depth)?;
                self.expect(";")?;
                let update = self.pipe()?;
                let extract = if self.eat(";") {
                    Some(Box::new(self.pipe()?))
                } else {
                    None
                };
                self.expect(")")?;
                self.unbind(count, depth);
                Ok(Term::Foreach(
                    Box::new(source),
                    Box::new(binding),
                    Box::new(start),
                    Box::new(update),
                    extract,
                ))
            }
            "break" if matches!(self.peek(), Token::Variable(_)) => {
                let Token::Variable(name) = self.next() else {
                    return Err(self.unexpected());
                };
                let depth = self.scope.depth;
                let found = self
                    .scope
                    .bound
                    .iter()
                    .rev()
                    .find_map(|bound| match &bound.meaning {
                        Meaning::Label(known) if *known == name => Some(bound.depth),
                        _ => None,
                    });
                match found {
                    Some(at) => Ok(Term::Break(depth - at - 1)),
                    None => {
                        self.at -= 1;
                        Err(self.wrong(&format!("$*label-{name} is not defined")))
                    }
                }
            }
            "def" => {
                self.at -= 1;
                let (count, depth) = self.mark();
                self.definition()?;
                let body = self.pipe();
                self.unbind(count, depth);
                body
            }
            word if is_keyword(word) => {
                self.at -= 1;
                Err(self.unexpected())
            }
            name => self.call(name),
        }
    }

    /// A filter that does not see the names since a mark.
    fn hidden(&mut self, count: usize, depth: usize) -> Parsed<Term> {
        let names = self
            .scope
            .bound
            .split_off(count.min(self.scope.bound.len()));
        let before = std::mem::replace(&mut self.scope.depth, depth);
        let term = self.pipe();
        self.scope.bound.truncate(count);
        self.scope.bound.extend(names);
        self.scope.depth = before;
        term
    }

    fn condition(&mut self) -> Parsed<Term> {
        self.check_stack()?;
        let condition = self.pipe()?;
        self.expect_word("then")?;
        let then = self.pipe()?;
        let otherwise = if self.eat_word("elif") {
            self.condition()?
        } else if self.eat_word("else") {
            let otherwise = self.pipe()?;
            self.expect_word("end")?;
            otherwise
        } else {
            self.expect_word("end")?;
            Term::Identity
        };
        Ok(Term::If(
            Box::new(condition),
            Box::new(then),
            Box::new(otherwise),
        ))
    }

    fn call(&mut self, name: &str) -> Parsed<Term> {
        let place = self.at - 1;
        let mut args = Vec::new();
        if self.eat("(") {
            args.push(self.pipe()?);
            while self.eat(";") {
                args.push(self.pipe()?);
            }
            self.expect(")")?;
        }
        let depth = self.scope.depth;
        for bound in self.scope.bound.iter().rev() {
            match &bound.meaning {
                Meaning::Parameter(known) if known == name && args.is_empty() => {
                    return Ok(Term::Parameter(depth - bound.depth - 1));
                }
                Meaning::Function {
                    name: known,
                    arity,
                    id,
                } if known == name && *arity == args.len() => {
                    return Ok(Term::Call(*id, depth - bound.depth, args));
                }
                _ => {}
            }
        }
        if let Some(special) = Special::find(name, args.len()) {
            return Ok(Term::Special(special, args));
        }
        match (name, args.len()) {
            ("map", 1) => {
                let each = Term::Each(Box::new(Term::Identity));
                let body = Term::Pipe(Box::new(each), Box::new(args.remove(0)));
                return Ok(Term::Array(Some(Box::new(body))));
            }
            ("recurse", 0) => return Ok(Term::Recurse),
            ("range", 1) => {
                let zero = Term::Constant(Value::Number(0.0));
                args.insert(0, zero);
                return Ok(Term::Special(Special::Range, args));
            }
            _ => {}
        }
        if let Some(native) = natives::find(name, args.len()) {
            return Ok(Term::Native(native, args));
        }
        if let Some(id) = self.from_prelude(name, args.len())? {
            return Ok(Term::Call(id, depth, args));
        }
        self.at = place;
        Err(self.wrong(&format!("{name}/{} is not defined", args.len())))
    }

    /// A string whose quote was read.
    pub(super) fn string(&mut self, format: Option<String>) -> Parsed<Term> {
        let mut parts = Vec::new();
        loop {
            match self.next() {
                Token::StringText(text) => parts.push(Part::Text(text)),
                Token::InterpolationStart => {
                    let term = self.pipe()?;
                    if self.next() != Token::InterpolationEnd {
                        self.at -= 1;
                        return Err(self.unexpected());
                    }
                    parts.push(Part::Term(term));
                }
                Token::StringEnd => break,
                _ => {
                    self.at -= 1;
                    return Err(self.unexpected());
                }
            }
        }
        match parts.as_slice() {
            [] => Ok(Term::Constant(self.text("")?)),
            [Part::Text(text)] => Ok(Term::Constant(self.text(text)?)),
            _ => Ok(Term::Text(format, parts)),
        }
    }

    fn object(&mut self) -> Parsed<Term> {
        let mut entries = Vec::new();
        if self.eat("}") {
            return Ok(Term::Object(entries));
        }
        loop {
            if self.is("}") && !entries.is_empty() {
                break;
            }
            entries.push(self.object_entry()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(Term::Object(entries))
    }

    /// What a pipe in the value of an object leads to: commas end it.
    fn value_pipe(&mut self) -> Parsed<Term> {
        let first = self.operators(0)?;
        if self.eat("|") {
            return Ok(Term::Pipe(Box::new(first), Box::new(self.value_pipe()?)));
        }
        Ok(first)
    }

    fn object_entry(&mut self) -> Parsed<(Term, Term)> {
        // What stands for both without a colon.
        let (key, short) = match self.next() {
            Token::Variable(name) => {
                let value = if name == "__loc__" {
                    self.location()?
                } else {
                    self.variable_term(&name)?
                };
                (Term::Constant(self.text(&name)?), Some(value))
            }
            Token::Word(name) => {
                let key = Term::Constant(self.text(&name)?);
                let again = Term::Constant(self.text(&name)?);
                (
                    key,
                    Some(Term::Index(Box::new(Term::Identity), Box::new(again))),
                )
            }
            Token::Number(text) => {
                let key = Term::Constant(self.text(&text)?);
                (key, None)
            }
            Token::StringStart | Token::Format(_) => {
                self.at -= 1;
                let place = self.at;
                let key = self.term()?;
                let after = self.at;
                self.at = place;
                let again = self.term()?;
                self.at = after;
                (
                    key,
                    Some(Term::Index(Box::new(Term::Identity), Box::new(again))),
                )
            }
            Token::Punctuation("(") => {
                let key = self.pipe()?;
                self.expect(")")?;
                (key, None)
            }
            _ => {
                self.at -= 1;
                return Err(self.unexpected());
            }
        };
        if self.eat(":") {
            let mut value = self.operators(0)?;
            if self.eat("|") {
                value = Term::Pipe(Box::new(value), Box::new(self.value_pipe()?));
            }
            return Ok((key, value));
        }
        match short {
            Some(value) => Ok((key, value)),
            None => Err(self.unexpected()),
        }
    }
}
