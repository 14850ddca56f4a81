//! From words to a program.

mod expression;
mod module;
mod pattern;

use std::collections::HashMap;

use hotcell_process::{Process, error_text};

use super::{
    lexer::{Token, tokens},
    prelude,
    stop::Stop,
    syntax::{Function, Program, Term},
    value::{Heap, Value},
};
use crate::languages::budget::Held;

/// Expressions in each other are parsed only while there is this much stack: what runs them and drops them needs some, too.
const STACK_RESERVE: usize = 8 << 20;

/// What a word takes, as such and as a part of the program.
const WORD_COST: usize = 192;

/// A program that is none.
pub(crate) struct SyntaxError {
    /// What to say, with the place and the line.
    pub(crate) text: String,
}

/// What a name means.
enum Meaning {
    Variable(String),
    Parameter(String),
    Label(String),
    Function {
        name: String,
        arity: usize,
        id: usize,
    },
}

struct Bound {
    meaning: Meaning,
    /// How many variables, arguments and labels were there before.
    depth: usize,
}

#[derive(Default)]
struct Scope {
    bound: Vec<Bound>,
    depth: usize,
}

pub(super) struct Parser<'p> {
    process: &'p Process,
    heap: Heap,
    source: String,
    /// `<top-level>`, or the file of a module.
    place: String,
    tokens: Vec<(Token, usize)>,
    at: usize,
    scope: Scope,
    functions: Vec<Option<Function>>,
    /// Functions of the prelude that are there already.
    known: HashMap<(String, usize), usize>,
    globals: &'p HashMap<String, Value>,
    /// Variables that are files of data: `$name` and `$name::name`.
    data: Vec<(String, Value)>,
    /// Where modules are looked for.
    library: Vec<String>,
    /// Modules that are being read, so that none imports itself.
    loading: Vec<String>,
    /// What the program takes.
    held: Held,
}

type Parsed<T> = Result<T, SyntaxError>;

/// Reads a program. Variables that were set outside are constants.
pub(crate) fn parse(
    process: &Process,
    heap: &Heap,
    source: &str,
    globals: &HashMap<String, Value>,
    library: Vec<String>,
) -> Result<Program, SyntaxError> {
    let mut parser = Parser {
        process,
        heap: heap.clone(),
        source: String::new(),
        place: "<top-level>".to_owned(),
        tokens: Vec::new(),
        at: 0,
        scope: Scope::default(),
        functions: Vec::new(),
        known: HashMap::new(),
        globals,
        data: Vec::new(),
        library,
        loading: Vec::new(),
        held: Held::nothing(&heap.0),
    };
    parser.begin(source)?;
    parser.imports()?;
    let main = if matches!(parser.peek(), Token::End) {
        Term::Identity
    } else {
        parser.program()?
    };
    let mut main = main;
    main.mark();
    let mut functions: Vec<Function> = parser.functions.into_iter().flatten().collect();
    for function in &mut functions {
        function.body.mark();
    }
    Ok(Program {
        functions,
        main,
        _held: parser.held,
    })
}

impl Parser<'_> {
    fn begin(&mut self, source: &str) -> Parsed<()> {
        // Words while it is taken apart, and then the text as it stays for messages.
        let words = source.len().saturating_mul(size_of::<(Token, usize)>() + 1);
        let room = self.heap.0.hold(words);
        let _room = room.map_err(|error| self.stopped(error.into()))?;
        source.clone_into(&mut self.source);
        self.at = 0;
        self.process.spend(source.len());
        self.tokens = match tokens(source) {
            Ok(tokens) => tokens,
            Err((_, at)) => {
                self.tokens = Vec::new();
                return Err(self.wrong_at(
                    "syntax error, unexpected INVALID_CHARACTER (Unix shell quoting issues?)",
                    at,
                ));
            }
        };
        let taken = self.tokens.len().saturating_mul(WORD_COST) + source.len();
        let more = self.held.grow(taken);
        more.map_err(|error| self.stopped(error.into()))
    }

    /// What has nothing to do with the text ended it.
    fn stopped(&self, stop: Stop) -> SyntaxError {
        SyntaxError {
            text: match stop {
                Stop::Io(error) => error_text(&error),
                _ => "cannot be read".to_owned(),
            },
        }
    }

    /// The whole: definitions, and a filter unless nothing follows them.
    fn program(&mut self) -> Parsed<Term> {
        while self.is_word("def") {
            self.definition()?;
            if matches!(self.peek(), Token::End) {
                return Ok(Term::Identity);
            }
        }
        let main = self.pipe()?;
        if !matches!(self.peek(), Token::End) {
            return Err(self.unexpected());
        }
        Ok(main)
    }

    fn peek(&self) -> &Token {
        self.tokens
            .get(self.at)
            .map_or(&Token::End, |(token, _)| token)
    }

    fn peek_second(&self) -> &Token {
        self.tokens
            .get(self.at + 1)
            .map_or(&Token::End, |(token, _)| token)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        self.process.spend(16);
        token
    }

    fn is(&self, mark: &str) -> bool {
        matches!(self.peek(), Token::Punctuation(found) if *found == mark)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found == word)
    }

    fn eat(&mut self, mark: &str) -> bool {
        let is = self.is(mark);
        self.at += usize::from(is);
        is
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, mark: &str) -> Parsed<()> {
        if self.eat(mark) {
            return Ok(());
        }
        Err(self.unexpected())
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        Err(self.unexpected())
    }

    fn unexpected(&self) -> SyntaxError {
        let name = match self.peek() {
            Token::Word(word) if is_keyword(word) => word.clone(),
            Token::Word(_) => "IDENT".to_owned(),
            Token::Field(_) => "FIELD".to_owned(),
            Token::Variable(_) => "BINDING".to_owned(),
            Token::Format(_) => "FORMAT".to_owned(),
            Token::Number(_) => "LITERAL".to_owned(),
            Token::Punctuation(mark) if mark.len() == 1 => format!("'{mark}'"),
            Token::Punctuation(mark) => (*mark).to_owned(),
            Token::StringStart => "QQSTRING_START".to_owned(),
            Token::StringText(_) => "QQSTRING_TEXT".to_owned(),
            Token::InterpolationStart => "QQSTRING_INTERP_START".to_owned(),
            Token::InterpolationEnd => "QQSTRING_INTERP_END".to_owned(),
            Token::StringEnd => "QQSTRING_END".to_owned(),
            Token::Invalid(_) => "INVALID_CHARACTER".to_owned(),
            Token::End => "end of file".to_owned(),
        };
        self.wrong(&format!(
            "syntax error, unexpected {name} (Unix shell quoting issues?)"
        ))
    }

    fn wrong(&self, text: &str) -> SyntaxError {
        let at = self
            .tokens
            .get(self.at)
            .map_or(self.source.len(), |(_, at)| *at);
        self.wrong_at(text, at)
    }

    fn wrong_at(&self, text: &str, at: usize) -> SyntaxError {
        // At the end of the text, the last line that has something is shown.
        let before = self.source.get(..at).unwrap_or(&self.source);
        let before = if at >= self.source.len() {
            before.trim_end()
        } else {
            before
        };
        let line = before.matches('\n').count();
        let shown = self.source.lines().nth(line).unwrap_or_default();
        SyntaxError {
            text: format!("{text} at {}, line {}:\n{shown}", self.place, line + 1),
        }
    }

    fn check_stack(&self) -> Parsed<()> {
        // A shell that is deep already leaves less; then a small share must do.
        if self.process.stack_left() < STACK_RESERVE {
            return Err(self.wrong("program is nested too deeply"));
        }
        Ok(())
    }

    fn bind(&mut self, meaning: Meaning) {
        let depth = self.scope.depth;
        if !matches!(meaning, Meaning::Function { .. }) {
            self.scope.depth += 1;
        }
        self.scope.bound.push(Bound { meaning, depth });
    }

    /// Forgets the names that came since there were `count`.
    fn unbind(&mut self, count: usize, depth: usize) {
        self.scope.bound.truncate(count);
        self.scope.depth = depth;
    }

    /// Where names stand now, for [`Parser::unbind`].
    fn mark(&self) -> (usize, usize) {
        (self.scope.bound.len(), self.scope.depth)
    }

    fn definition(&mut self) -> Parsed<()> {
        self.check_stack()?;
        self.expect_word("def")?;
        let name = match self.next() {
            Token::Word(word) => word,
            _ => {
                self.at -= 1;
                return Err(self.unexpected());
            }
        };
        let mut params = Vec::new();
        if self.eat("(") {
            loop {
                match self.next() {
                    Token::Word(word) => params.push((word, false)),
                    Token::Variable(word) => params.push((word, true)),
                    _ => {
                        self.at -= 1;
                        return Err(self.unexpected());
                    }
                }
                if !self.eat(";") {
                    break;
                }
            }
            self.expect(")")?;
        }
        self.expect(":")?;
        let id = self.functions.len();
        self.functions.push(None);
        self.bind(Meaning::Function {
            name,
            arity: params.len(),
            id,
        });
        let (count, depth) = self.mark();
        for (name, _) in &params {
            self.bind(Meaning::Parameter(name.clone()));
        }
        let mut values = 0;
        for (name, is_value) in &params {
            if *is_value {
                self.bind(Meaning::Variable(name.clone()));
                values += 1;
            }
        }
        let mut body = self.pipe()?;
        self.expect(";")?;
        self.unbind(count, depth);
        let mut left = values;
        for (number, (_, is_value)) in params.iter().enumerate().rev() {
            if *is_value {
                left -= 1;
                // Before it are the parameters and the values that are set already.
                let parameter = Term::Parameter(params.len() + left - 1 - number);
                body = Term::As(
                    Box::new(parameter),
                    Box::new(super::syntax::Binding::one()),
                    Box::new(body),
                );
            }
        }
        if let Some(slot) = self.functions.get_mut(id) {
            *slot = Some(Function { body });
        }
        Ok(())
    }

    /// A function of the prelude by its name, compiled when it is first asked for.
    fn from_prelude(&mut self, name: &str, arity: usize) -> Parsed<Option<usize>> {
        if let Some(id) = self.known.get(&(name.to_owned(), arity)) {
            return Ok(Some(*id));
        }
        let Some(source) = prelude::find(name, arity) else {
            return Ok(None);
        };
        let id = self.apart(source, "<builtin>", |parser| {
            let id = parser.functions.len();
            parser.known.insert((name.to_owned(), arity), id);
            parser.definition()?;
            Ok(id)
        })?;
        Ok(Some(id))
    }

    /// Reads another text with names of its own.
    fn apart<T>(
        &mut self,
        source: &str,
        place: &str,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let before = (
            std::mem::take(&mut self.source),
            std::mem::replace(&mut self.place, place.to_owned()),
            std::mem::take(&mut self.tokens),
            self.at,
            std::mem::take(&mut self.scope),
        );
        let read = match self.begin(source) {
            Ok(()) => read(self),
            Err(error) => Err(error),
        };
        (self.source, self.place, self.tokens, self.at, self.scope) = before;
        read
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "def"
            | "if"
            | "then"
            | "elif"
            | "else"
            | "end"
            | "as"
            | "reduce"
            | "foreach"
            | "try"
            | "catch"
            | "label"
            | "import"
            | "include"
            | "and"
            | "or"
            | "__loc__"
    )
}
