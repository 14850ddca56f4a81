//! `import` and `include`.

use hotcell_process::error_text;

use super::{
    super::{input::Bytes, json, syntax::Term, value::Value},
    Meaning, Parsed, Parser, Scope, Token,
};

impl Parser<'_> {
    /// What stands before a program: `module {…};`, imports and includes.
    pub(super) fn imports(&mut self) -> Parsed<()> {
        if self.is_word("module") && !matches!(self.peek_second(), Token::Punctuation(_))
            || self.is_module()
        {
            self.at += 1;
            self.postfix_constant()?;
            self.expect(";")?;
        }
        loop {
            let is_include = self.is_word("include");
            if !is_include && !self.is_word("import") {
                return Ok(());
            }
            self.at += 1;
            let path = match self.next() {
                Token::StringStart => match self.string(None)? {
                    Term::Constant(Value::String(text)) => text.text.clone(),
                    _ => return Err(self.wrong("Import path must be constant")),
                },
                _ => {
                    self.at -= 1;
                    return Err(self.unexpected());
                }
            };
            let name = if is_include {
                None
            } else {
                self.expect_word("as")?;
                Some(self.next())
            };
            let mut library = self.library.clone();
            if !self.is(";") {
                let meta = self.postfix_constant()?;
                if let Term::Object(entries) = &meta {
                    for (key, value) in entries {
                        if let (Term::Constant(key), Term::Constant(value)) = (key, value)
                            && key.as_str() == Some("search")
                            && let Some(place) = value.as_str()
                        {
                            library.insert(0, place.to_owned());
                        }
                    }
                }
            }
            self.expect(";")?;
            match name {
                None => self.load(&path, &library, None)?,
                Some(Token::Word(name)) => self.load(&path, &library, Some(name))?,
                Some(Token::Variable(name)) => self.load_data(&path, &library, &name)?,
                Some(_) => return Err(self.unexpected()),
            }
        }
    }

    fn is_module(&self) -> bool {
        self.is_word("module") && matches!(self.peek_second(), Token::Punctuation("{"))
    }

    fn postfix_constant(&mut self) -> Parsed<Term> {
        self.operators(0)
    }

    /// The text of a file of the library.
    fn find(&mut self, path: &str, library: &[String], ending: &str) -> Parsed<(String, Bytes)> {
        let last = path.rsplit('/').next().unwrap_or(path);
        for directory in library {
            let places = [
                format!("{directory}/{path}{ending}"),
                format!("{directory}/{path}/{last}{ending}"),
            ];
            for place in places {
                self.process.spend(64);
                let Ok(mut input) = self.process.open_input(&place) else {
                    continue;
                };
                return match Bytes::read(&self.heap, &mut input) {
                    Ok(text) => Ok((place, text)),
                    Err(error) => {
                        let error = error_text(&error);
                        Err(self.wrong(&format!("Could not read {place}: {error}")))
                    }
                };
            }
        }
        let shown = library.join("\", \"");
        Err(super::SyntaxError {
            text: format!("module not found: {path}\nlooked in \"{shown}\""),
        })
    }

    fn load(&mut self, path: &str, library: &[String], prefix: Option<String>) -> Parsed<()> {
        self.check_stack()?;
        let (place, text) = self.find(path, library, ".jq")?;
        if self.loading.contains(&place) {
            return Err(self.wrong(&format!("{path} imports itself")));
        }
        let text = String::from_utf8_lossy(text.as_slice()).into_owned();
        self.loading.push(place.clone());
        let before = self.library.clone();
        if let Some((directory, _)) = place.rsplit_once('/') {
            self.library.insert(0, directory.to_owned());
        }
        let scope: Parsed<Scope> = self.apart(&text, &place, |parser| {
            parser.imports()?;
            while parser.is_word("def") {
                parser.definition()?;
            }
            if !matches!(parser.peek(), Token::End) {
                return Err(parser.unexpected());
            }
            Ok(std::mem::take(&mut parser.scope))
        });
        self.library = before;
        self.loading.pop();
        for bound in scope?.bound {
            if let Meaning::Function { name, arity, id } = bound.meaning {
                let name = match &prefix {
                    Some(prefix) => format!("{prefix}::{name}"),
                    None => name,
                };
                self.bind(Meaning::Function { name, arity, id });
            }
        }
        Ok(())
    }

    /// A file of data is a variable, whose value is made where it is used.
    fn load_data(&mut self, path: &str, library: &[String], name: &str) -> Parsed<()> {
        let (place, text) = self.find(path, library, ".json")?;
        let value = match json::parse_all(self.process, &self.heap, text.as_slice()) {
            Ok(Ok(value)) => value,
            Ok(Err(_)) => return Err(self.wrong(&format!("{place} is not JSON"))),
            Err(stop) => return Err(self.stopped(stop)),
        };
        self.data.push((name.to_owned(), value));
        Ok(())
    }
}
