//! From the words of the command line to a [`Query`].

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_regex::{Flavor, Options};
use hotcell_vfs::{FileType, Metadata, Timestamp};

use super::{
    expression::{Action, Amount, Command, Node, Permissions, Query, Test, Which},
    format::Format,
    walk::Follow,
};
use crate::{
    files::mode::ModeChange,
    identity,
    quote::quote,
    regexes::{compile, shown},
    time,
};

/// How deep parentheses may nest.
const MOST_NESTED: usize = 200;

const DAY: i64 = 86_400;

const UNCLOSED: &str = "invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra \
                        predicate after '('";

struct Parser<'p> {
    process: &'p Process,
    words: &'p [BString],
    at: usize,
    query: Query,
    has_action: bool,
    flavor: Flavor,
    /// Ages are counted from here.
    from: Timestamp,
    nested: usize,
}

/// Takes the expression apart. What is wrong with it is told, and ends the process.
pub(super) fn parse(process: &Process, words: &[BString], follow: Follow) -> Query {
    let query = Query {
        root: Node::And(Vec::new()),
        follow,
        depth_first: false,
        least_depth: 0,
        most_depth: usize::MAX,
        one_file_system: false,
        files: None,
        outputs: Vec::new(),
        batches: Vec::new(),
    };
    let mut parser = Parser {
        process,
        words,
        at: 0,
        query,
        has_action: false,
        flavor: Flavor::Emacs,
        from: process.now(),
        nested: 0,
    };
    let root = if words.is_empty() {
        Node::And(Vec::new())
    } else {
        parser.list()
    };
    if let Some(word) = parser.peek() {
        let text = match word.as_slice() {
            b")" => "you have too many ')'".to_owned(),
            _ => format!("paths must precede expression: `{word}'"),
        };
        parser.fail(text);
    }
    let root = if parser.has_action {
        root
    } else {
        Node::And(vec![
            root,
            Node::Action(Action::Print {
                output: None,
                end: b'\n',
            }),
        ])
    };
    Query {
        root,
        ..parser.query
    }
}

impl<'p> Parser<'p> {
    fn fail(&self, text: impl AsRef<[u8]>) -> ! {
        self.process.complain(text);
        self.process.exit(1)
    }

    fn peek(&self) -> Option<&'p BString> {
        self.words.get(self.at)
    }

    fn eat(&mut self, words: &[&str]) -> bool {
        let is_it = self
            .peek()
            .is_some_and(|word| words.iter().any(|known| word == known));
        self.at += usize::from(is_it);
        is_it
    }

    fn list(&mut self) -> Node {
        let mut nodes = vec![self.or()];
        while self.eat(&[","]) {
            nodes.push(self.or());
        }
        single(nodes, Node::List)
    }

    fn or(&mut self) -> Node {
        let mut nodes = vec![self.and()];
        while self
            .peek()
            .is_some_and(|word| word == "-o" || word == "-or")
        {
            let operator = self.words.get(self.at).cloned().unwrap_or_default();
            self.at += 1;
            if self.peek().is_none() {
                self.fail(format!("expected an expression after '{operator}'"));
            }
            nodes.push(self.and());
        }
        single(nodes, Node::Or)
    }

    fn and(&mut self) -> Node {
        let mut nodes = vec![self.not()];
        loop {
            if self
                .peek()
                .is_some_and(|word| word == "-a" || word == "-and")
            {
                let operator = self.words.get(self.at).cloned().unwrap_or_default();
                self.at += 1;
                if self.peek().is_none() {
                    self.fail(format!("expected an expression after '{operator}'"));
                }
                nodes.push(self.not());
                continue;
            }
            let ends = |word: &BString| [")", ",", "-o", "-or"].iter().any(|end| word == end);
            match self.peek() {
                Some(word) if !ends(word) => nodes.push(self.not()),
                _ => return single(nodes, Node::And),
            }
        }
    }

    fn not(&mut self) -> Node {
        let mut negated = false;
        while let Some(word) = self.peek().filter(|word| *word == "!" || *word == "-not") {
            self.at += 1;
            negated = !negated;
            if self.peek().is_none() {
                self.fail(format!("expected an expression after '{word}'"));
            }
        }
        let node = self.primary();
        if negated {
            Node::Not(Box::new(node))
        } else {
            node
        }
    }

    fn primary(&mut self) -> Node {
        let Some(word) = self.peek() else {
            self.fail("invalid expression; expected more");
        };
        self.at += 1;
        if word == "(" {
            self.nested += 1;
            if self.nested > MOST_NESTED {
                self.fail(format!(
                    "more than {MOST_NESTED} parentheses within each other"
                ));
            }
            if self.peek().is_none() {
                self.fail(UNCLOSED);
            }
            if self.eat(&[")"]) {
                self.fail("invalid expression; empty parentheses are not allowed.");
            }
            let node = self.list();
            if !self.eat(&[")"]) {
                self.fail(UNCLOSED);
            }
            self.nested -= 1;
            return node;
        }
        if word == ")" {
            self.fail(
                "invalid expression; you have used a binary operator ')' with nothing before it.",
            );
        }
        if matches!(word.as_slice(), b"-o" | b"-or" | b"-a" | b"-and" | b",") {
            self.fail(format!("invalid expression; you have used a binary operator '{word}' with nothing before it."));
        }
        if !word.starts_with(b"-") {
            self.fail(format!("paths must precede expression: `{word}'"));
        }
        self.predicate(word.as_bstr())
    }

    /// The word behind a predicate.
    fn value(&mut self, name: &BStr) -> &'p BStr {
        let Some(value) = self.peek() else {
            self.fail(format!("missing argument to `{name}'"));
        };
        self.at += 1;
        value.as_bstr()
    }

    fn amount(&mut self, name: &BStr) -> Amount {
        let text = self.value(name);
        match amount(text) {
            Some(amount) => amount,
            None => self.fail(format!("invalid argument `{text}' to `{name}'")),
        }
    }

    fn stat(&self, file: &BStr) -> Metadata {
        match self
            .process
            .vfs()
            .stat(&self.process.resolve(file))
            .map_err(file_error)
        {
            Ok(meta) => meta,
            Err(error) => {
                self.fail([quote(file).as_slice(), b": ", error_text(&error).as_bytes()].concat())
            }
        }
    }

    fn output(&mut self, name: &BStr) -> usize {
        let file = self.value(name);
        let outputs = &mut self.query.outputs;
        match outputs.iter().position(|known| known == file) {
            Some(index) => index,
            None => {
                outputs.push(file.into());
                outputs.len() - 1
            }
        }
    }

    fn predicate(&mut self, name: &BStr) -> Node {
        let pattern = |parser: &mut Self| BString::from(parser.value(name));
        let age = |parser: &mut Self, which, unit| {
            let (amount, from) = (parser.amount(name), parser.from);
            Test::Age {
                which,
                amount,
                unit,
                from,
            }
        };
        let newer = |parser: &mut Self, which| {
            let than = parser.value(name);
            Test::Newer {
                which,
                than: parser.stat(than).modified,
            }
        };
        let test = match name.as_bytes() {
            b"-true"
            | b"-noleaf"
            | b"-warn"
            | b"-nowarn"
            | b"-ignore_readdir_race"
            | b"-noignore_readdir_race" => Test::Always(true),
            b"-false" | b"-nouser" | b"-nogroup" => Test::Always(false),
            b"-name" => Test::Name {
                pattern: pattern(self),
                ignores_case: false,
            },
            b"-iname" => Test::Name {
                pattern: pattern(self),
                ignores_case: true,
            },
            b"-path" | b"-wholename" => Test::Path {
                pattern: pattern(self),
                ignores_case: false,
            },
            b"-ipath" | b"-iwholename" => Test::Path {
                pattern: pattern(self),
                ignores_case: true,
            },
            b"-lname" => Test::Link {
                pattern: pattern(self),
                ignores_case: false,
            },
            b"-ilname" => Test::Link {
                pattern: pattern(self),
                ignores_case: true,
            },
            b"-regex" => self.regex(name, false),
            b"-iregex" => self.regex(name, true),
            b"-regextype" => self.regextype(name),
            b"-type" => self.kinds(name, false),
            b"-xtype" => self.kinds(name, true),
            b"-size" => self.size(name),
            b"-empty" => Test::Empty,
            b"-amin" => age(self, Which::Accessed, 60),
            b"-cmin" => age(self, Which::Changed, 60),
            b"-mmin" => age(self, Which::Modified, 60),
            b"-atime" => age(self, Which::Accessed, DAY),
            b"-ctime" => age(self, Which::Changed, DAY),
            b"-mtime" => age(self, Which::Modified, DAY),
            b"-anewer" => newer(self, Which::Accessed),
            b"-cnewer" => newer(self, Which::Changed),
            b"-newer" => newer(self, Which::Modified),
            [b'-', b'n', b'e', b'w', b'e', b'r', one, other] => self.newer_xy(name, *one, *other),
            b"-used" => Test::Used(self.amount(name)),
            b"-perm" => self.permissions(name),
            b"-links" => Test::Links(self.amount(name)),
            b"-inum" => Test::Inode(self.amount(name)),
            b"-uid" | b"-gid" => Test::Owner(self.amount(name)),
            b"-user" | b"-group" => self.owner(name),
            b"-samefile" => {
                let file = self.value(name);
                let meta = self.stat(file);
                Test::Same {
                    dev: meta.dev,
                    ino: meta.ino,
                }
            }
            b"-readable" => Test::Access(0o4),
            b"-writable" => Test::Access(0o2),
            b"-executable" => Test::Access(0o1),
            b"-fstype" => Test::FileSystem(pattern(self)),
            b"-depth" | b"-d" => {
                self.query.depth_first = true;
                Test::Always(true)
            }
            b"-follow" => {
                self.query.follow = Follow::Always;
                Test::Always(true)
            }
            b"-mount" | b"-xdev" => {
                self.query.one_file_system = true;
                Test::Always(true)
            }
            b"-daystart" => {
                // Counted from the end of today.
                let zone = time::zone(self.process);
                if let Some(midnight) = time::start_of_day(self.process.now(), &zone) {
                    self.from = Timestamp::from_parts(midnight.seconds() + DAY, 0);
                }
                Test::Always(true)
            }
            b"-maxdepth" => {
                self.query.most_depth = self.level(name);
                Test::Always(true)
            }
            b"-mindepth" => {
                self.query.least_depth = self.level(name);
                Test::Always(true)
            }
            b"-files0-from" => {
                self.query.files = Some(pattern(self));
                Test::Always(true)
            }
            _ => return self.action(name),
        };
        Node::Test(test)
    }

    fn level(&mut self, name: &BStr) -> usize {
        let text = self.value(name);
        match text.to_str().ok().and_then(|text| text.parse().ok()) {
            Some(level) if text.iter().all(u8::is_ascii_digit) => level,
            _ => self.fail(format!(
                "Expected a positive decimal integer argument to {name}, but got {}",
                quote(text)
            )),
        }
    }

    fn regex(&mut self, name: &BStr, icase: bool) -> Test {
        let text = self.value(name);
        match compile(
            self.process,
            text,
            self.flavor,
            Options {
                icase,
                ..Options::default()
            },
        ) {
            Ok(regex) => Test::Regex(Box::new(regex)),
            Err(error) => self.fail(format!(
                "failed to compile regular expression '{}': {error}",
                shown(text)
            )),
        }
    }

    fn regextype(&mut self, name: &BStr) -> Test {
        let text = self.value(name);
        self.flavor = match text.as_bytes() {
            b"findutils-default" | b"emacs" => Flavor::Emacs,
            b"posix-extended" | b"posix-minimal-extended" => Flavor::Extended,
            b"egrep" | b"posix-egrep" => Flavor::Egrep,
            b"awk" | b"gnu-awk" | b"posix-awk" => Flavor::Awk,
            b"grep" => Flavor::Grep,
            b"sed" | b"ed" | b"posix-basic" | b"posix-minimal-basic" => Flavor::Basic,
            _ => self.fail(format!("Unknown regular expression type {}", quote(text))),
        };
        Test::Always(true)
    }

    fn kinds(&mut self, name: &BStr, follows: bool) -> Test {
        let text = self.value(name);
        let mut kinds = Vec::new();
        for part in text.split_str(",") {
            kinds.push(match part {
                b"f" => FileType::File,
                b"d" => FileType::Dir,
                b"l" => FileType::Symlink,
                b"c" => FileType::CharDevice,
                b"b" => FileType::BlockDevice,
                b"p" => FileType::Fifo,
                b"s" => FileType::Socket,
                [] => self.fail(format!(
                    "Arguments to {name} should contain at least one letter"
                )),
                [_] => self.fail(format!("Unknown argument to {name}: {}", part.as_bstr())),
                _ => self.fail(format!(
                    "Must separate multiple arguments to {name} using: ','"
                )),
            });
        }
        Test::Kind { kinds, follows }
    }

    fn size(&mut self, name: &BStr) -> Test {
        let text = self.value(name);
        let (digits, unit) = match text.split_last() {
            Some((b'c', digits)) => (digits, 1),
            Some((b'w', digits)) => (digits, 2),
            Some((b'b', digits)) => (digits, 512),
            Some((b'k', digits)) => (digits, 1 << 10),
            Some((b'M', digits)) => (digits, 1 << 20),
            Some((b'G', digits)) => (digits, 1 << 30),
            _ => (text.as_bytes(), 512),
        };
        match amount(digits.as_bstr()) {
            Some(amount) => Test::Size { amount, unit },
            None => self.fail(format!("Invalid argument `{text}' to {name}")),
        }
    }

    fn newer_xy(&mut self, name: &BStr, one: u8, other: u8) -> Test {
        let which = match one {
            b'a' => Which::Accessed,
            b'c' => Which::Changed,
            b'm' => Which::Modified,
            _ => self.fail(format!("unknown predicate `{name}'")),
        };
        let text = self.value(name);
        let than = match other {
            b't' => match time::parse(self.process, text) {
                Some(time) => time,
                None => self.fail(format!(
                    "I cannot figure out how to interpret {} as a date or time",
                    quote(text)
                )),
            },
            b'a' => self.stat(text).accessed,
            b'c' => self.stat(text).changed,
            b'm' => self.stat(text).modified,
            _ => self.fail(format!("unknown predicate `{name}'")),
        };
        Test::Newer { which, than }
    }

    fn permissions(&mut self, name: &BStr) -> Test {
        let text = self.value(name);
        let (kind, mode): (fn(u32) -> Permissions, &[u8]) = match text.split_first() {
            Some((b'-', mode)) => (Permissions::All, mode),
            Some((b'/', mode)) => (Permissions::Any, mode),
            _ => (Permissions::Exactly, text.as_bytes()),
        };
        match ModeChange::parse(mode) {
            Some(change) => Test::Permissions {
                zero_umask: kind(change.apply(0, false, 0)),
                for_dirs: kind(change.apply(0, true, 0)),
            },
            None => self.fail(format!("invalid mode {}", quote(text))),
        }
    }

    fn owner(&mut self, name: &BStr) -> Test {
        let text = self.value(name);
        if text == identity::NAME {
            return Test::Always(true);
        }
        match text.to_str().ok().and_then(|text| text.parse::<u32>().ok()) {
            Some(id) => Test::Always(id == identity::ID),
            None => {
                let what = if name == "-user" { "user" } else { "group" };
                self.fail(format!("{} is not the name of a known {what}", quote(text)))
            }
        }
    }

    fn action(&mut self, name: &BStr) -> Node {
        let action = match name.as_bytes() {
            b"-print" => Action::Print {
                output: None,
                end: b'\n',
            },
            b"-print0" => Action::Print {
                output: None,
                end: 0,
            },
            b"-fprint" => Action::Print {
                output: Some(self.output(name)),
                end: b'\n',
            },
            b"-fprint0" => Action::Print {
                output: Some(self.output(name)),
                end: 0,
            },
            b"-printf" => Action::Format {
                output: None,
                format: self.format(name),
            },
            b"-fprintf" => {
                let output = Some(self.output(name));
                Action::Format {
                    output,
                    format: self.format(name),
                }
            }
            b"-ls" => Action::List { output: None },
            b"-fls" => Action::List {
                output: Some(self.output(name)),
            },
            b"-delete" => {
                self.query.depth_first = true;
                Action::Delete
            }
            b"-prune" => return Node::Action(Action::Prune),
            b"-quit" => return Node::Action(Action::Quit),
            b"-exec" | b"-execdir" | b"-ok" | b"-okdir" => self.command(name),
            _ => self.fail(format!("unknown predicate `{name}'")),
        };
        self.has_action = true;
        Node::Action(action)
    }

    fn format(&mut self, name: &BStr) -> Format {
        let text = self.value(name);
        match Format::parse(text) {
            Ok(format) => format,
            Err(message) => self.fail(message),
        }
    }

    fn command(&mut self, name: &BStr) -> Action {
        let start = self.at;
        let in_folder = name.ends_with(b"dir");
        let asks = name.starts_with(b"-ok");
        while let Some(word) = self.peek() {
            let words = self.words.get(start..self.at).unwrap_or_default();
            let is_batch = word == "+" && !asks && words.last().is_some_and(|last| last == "{}");
            if word != ";" && !is_batch {
                self.at += 1;
                continue;
            }
            self.at += 1;
            if words.is_empty() {
                break;
            }
            if is_batch {
                let words = words.get(..words.len() - 1).unwrap_or_default();
                if words.is_empty() {
                    break;
                }
                if words.iter().any(|word| word == "{}") {
                    self.fail(format!(
                        "Only one instance of {{}} is supported with {name} ... +"
                    ));
                }
                self.query.batches.push(Command {
                    words: words.to_vec(),
                    in_folder,
                });
                return Action::Batch(self.query.batches.len() - 1);
            }
            return Action::Run {
                command: Command {
                    words: words.to_vec(),
                    in_folder,
                },
                asks,
            };
        }
        self.fail(format!("missing argument to `{name}'"))
    }
}

fn single(mut nodes: Vec<Node>, join: fn(Vec<Node>) -> Node) -> Node {
    match nodes.pop() {
        Some(only) if nodes.is_empty() => only,
        Some(last) => {
            nodes.push(last);
            join(nodes)
        }
        None => join(nodes),
    }
}

fn amount(text: &BStr) -> Option<Amount> {
    let (kind, digits): (fn(i64) -> Amount, &[u8]) = match text.split_first()? {
        (b'+', digits) => (Amount::More, digits),
        (b'-', digits) => (Amount::Less, digits),
        _ => (Amount::Exactly, text.as_bytes()),
    };
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| digits.to_str().ok()?.parse().ok().map(kind))?
}
