//! Patterns that take values apart.

use super::{
    super::syntax::{Binding, Entry, Pattern, Term},
    Meaning, Parsed, Parser, Token,
};

impl Binding {
    /// One variable for the whole value.
    pub(crate) fn one() -> Self {
        Self {
            patterns: vec![Pattern::Variable(0)],
            count: 1,
        }
    }
}

impl Parser<'_> {
    /// `P ?// Q ?// R`: the variables of all of them are bound in what follows.
    pub(super) fn patterns(&mut self) -> Parsed<Binding> {
        let mut names = Vec::new();
        let mut patterns = vec![self.pattern(&mut names)?];
        while self.eat("?//") {
            patterns.push(self.pattern(&mut names)?);
        }
        Ok(Binding {
            patterns,
            count: names.len(),
        })
    }

    fn variable(&mut self, names: &mut Vec<String>, name: String) -> usize {
        if let Some(index) = names.iter().position(|known| *known == name) {
            return index;
        }
        self.bind(Meaning::Variable(name.clone()));
        names.push(name);
        names.len() - 1
    }

    fn pattern(&mut self, names: &mut Vec<String>) -> Parsed<Pattern> {
        self.check_stack()?;
        match self.next() {
            Token::Variable(name) => Ok(Pattern::Variable(self.variable(names, name))),
            Token::Punctuation("[") => {
                let mut items = vec![self.pattern(names)?];
                while self.eat(",") {
                    items.push(self.pattern(names)?);
                }
                self.expect("]")?;
                Ok(Pattern::Array(items))
            }
            Token::Punctuation("{") => {
                let mut entries = vec![self.entry(names)?];
                while self.eat(",") {
                    entries.push(self.entry(names)?);
                }
                self.expect("}")?;
                Ok(Pattern::Object(entries))
            }
            _ => {
                self.at -= 1;
                Err(self.unexpected())
            }
        }
    }

    fn entry(&mut self, names: &mut Vec<String>) -> Parsed<Entry> {
        let visible = names.len();
        let mut variable = None;
        let key = match self.next() {
            Token::Variable(name) => {
                let key = Term::Constant(self.text(&name)?);
                variable = Some(self.variable(names, name));
                key
            }
            Token::Word(word) => Term::Constant(self.text(&word)?),
            Token::StringStart => self.string(None)?,
            Token::Punctuation("(") => {
                let key = self.pipe()?;
                self.expect(")")?;
                key
            }
            _ => {
                self.at -= 1;
                return Err(self.unexpected());
            }
        };
        let pattern = if self.eat(":") {
            Some(self.pattern(names)?)
        } else if variable.is_some() {
            None
        } else {
            return Err(self.unexpected());
        };
        Ok(Entry {
            key,
            visible,
            variable,
            pattern,
        })
    }
}
