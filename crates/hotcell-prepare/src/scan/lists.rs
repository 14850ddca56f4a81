//! Lists of what code imports and exports, wherever such a list could be.

/// What all such lists hold together.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub(super) imported: usize,
    /// Names in lists, and declarations other than those of variables.
    pub(super) exported: usize,
    /// The first place where variables are exported.
    pub(super) first_variables: Option<usize>,
    /// The last place where anything is exported.
    pub(super) last: usize,
}

/// Finds them; none come back if they overlap too much to be looked at.
pub(super) fn find_lists(code: &str) -> Option<Lists> {
    let mut lists = Lists::default();
    let mut reader = Reader {
        bytes: code.as_bytes(),
        at: 0,
        // A list may be inside of another one's strings. Where many are, it takes more than a few passes.
        fuel: code.len().saturating_mul(4).saturating_add(4096),
    };
    while reader.fuel > 0 && reader.at < code.len() {
        let start = reader.at;
        let word = reader.word();
        let end = reader.at;
        if spells(word, b"export") {
            reader.export(start, &mut lists);
        } else if spells(word, b"import") {
            reader.import(&mut lists);
        }
        reader.at = if word.is_empty() { end + 1 } else { end };
    }
    (reader.fuel > 0).then_some(lists)
}

/// Whether a word is this keyword, written as it is or with escapes: parsers complain about those and go on.
fn spells(word: &[u8], keyword: &[u8]) -> bool {
    if !word.contains(&b'\\') {
        return word == keyword;
    }
    let mut rest = word;
    for &wanted in keyword {
        let (spelled, after) = match rest {
            [b'\\', b'u', b'{', digits @ ..] => {
                let length = digits.iter().take_while(|byte| **byte != b'}').count();
                let (digits, after) = digits.split_at(length);
                (hexadecimal(digits), after.get(1..))
            }
            [b'\\', b'u', a, b, c, d, after @ ..] => (hexadecimal(&[*a, *b, *c, *d]), Some(after)),
            [byte, after @ ..] => (Some(u32::from(*byte)), Some(after)),
            [] => return false,
        };
        let (Some(spelled), Some(after)) = (spelled, after) else {
            return false;
        };
        if spelled != u32::from(wanted) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |number: u32, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        number.checked_mul(16)?.checked_add(digit)
    })
}

/// Names of another alphabet count as white space, which there also is, so that nothing is overlooked.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\\')
}

struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
    fuel: usize,
}

impl<'t> Reader<'t> {
    /// Reads on after the word `export`.
    fn export(&mut self, start: usize, lists: &mut Lists) {
        self.trivia();
        match self.peek() {
            b'{' => lists.exported += self.list(),
            b'*' => lists.exported += 1,
            _ => match self.word() {
                b"let" | b"const" | b"var" => {
                    lists.exported += 1;
                    lists.first_variables = lists.first_variables.or(Some(start));
                }
                b"abstract" | b"async" | b"class" | b"declare" | b"default" | b"enum"
                | b"function" | b"import" | b"interface" | b"module" | b"namespace" | b"type" => {
                    lists.exported += 1;
                }
                _ => return,
            },
        }
        lists.last = start;
    }

    /// Reads on after the word `import`.
    fn import(&mut self, lists: &mut Lists) {
        self.trivia();
        // Neither `import("a")` nor `import "a"` binds a name.
        if is_name(self.peek()) || matches!(self.peek(), b'{' | b'*') {
            lists.imported += self.list();
        }
    }

    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes).min(self.bytes.len());
        self.fuel = self.fuel.saturating_sub(bytes);
    }

    /// Goes on to behind the end of something.
    fn skip_past(&mut self, ends: &[&[u8]]) {
        while self.fuel > 0 && self.at < self.bytes.len() {
            if let Some(end) = ends.iter().find(|end| self.rest().starts_with(end)) {
                return self.skip(end.len());
            }
            self.skip(1);
        }
    }

    fn trivia(&mut self) {
        while self.fuel > 0 {
            match self.rest() {
                [b'/', b'/', ..] => {
                    self.skip_past(&[b"\n", b"\r", "\u{2028}".as_bytes(), "\u{2029}".as_bytes()]);
                }
                [b'/', b'*', ..] => {
                    self.skip(2);
                    self.skip_past(&[b"*/"]);
                }
                [b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C | 0x80.., ..] => self.skip(1),
                _ => return,
            }
        }
    }

    fn word(&mut self) -> &'t [u8] {
        let start = self.at;
        loop {
            while is_name(self.peek()) {
                self.skip(1);
            }
            let word = self.bytes.get(start..self.at).unwrap_or(&[]);
            if !(self.peek() == b'{' && word.ends_with(b"\\u")) {
                return word;
            }
            self.skip(1);
            while self.peek().is_ascii_hexdigit() {
                self.skip(1);
            }
            self.skip(usize::from(self.peek() == b'}'));
        }
    }

    /// How many names a list could hold that goes on from here.
    fn list(&mut self) -> usize {
        let mut names = 1;
        while self.fuel > 0 {
            self.trivia();
            match self.peek() {
                b',' => {
                    names += 1;
                    self.skip(1);
                }
                b'{' | b'}' | b'*' => self.skip(1),
                b'"' => self.string(b"\""),
                b'\'' => self.string(b"'"),
                byte if is_name(byte) => {
                    self.word();
                }
                _ => break,
            }
        }
        names
    }

    fn string(&mut self, quote: &[u8]) {
        self.skip(1);
        self.skip_past(&[quote, b"\n"]);
    }
}
