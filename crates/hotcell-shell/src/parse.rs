//! From bytes to commands.
//!
//! ```
//! use hotcell_meter::Unwatched;
//! use hotcell_shell::parse::{NoAliases, Options, Parser};
//!
//! let mut parser = Parser::new(b"echo one\necho two; fi\n", Options::default());
//! let first = parser.next_command(&NoAliases, &Unwatched)?;
//! assert!(first.is_some(), "the first line can run before the second is read");
//! let error = parser.next_command(&NoAliases, &Unwatched).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "line 2: syntax error near unexpected token `fi'\nline 2: `echo two; fi'"
//! );
//! # Ok::<(), hotcell_shell::parse::SyntaxError>(())
//! ```
//!
//! Scripts are hostile. The parser takes time and memory in proportion to the script (up to [`Options::max_memory`] for one
//! command), and nests no more deeply than [`Options::max_depth`], so that neither it nor whoever walks the tree runs out
//! of stack.
//!
//! How it is done: `grammar.rs` is a recursive descent over the tokens of `lexer.rs`, which reads words, quotes and expansions
//! as it goes; `$(…)` and `<(…)` call the grammar again. Which words are reserved, which are assignments and where
//! aliases are expanded depends on where a token stands, so whoever looks at the next token says what it expects there.
//! Functions that call each other in a circle are not inlined, because what is on the stack of one alternative would be
//! on the stack of all.

use hotcell_meter::Watch;

use crate::ast::{CompleteCommand, Text, Word};

mod ansi;
mod arithmetic;
mod array;
mod builder;
mod bytes;
mod case;
mod compound;
mod condition;
mod coproc;
mod dollar;
mod error;
mod function;
mod grammar;
mod here_document;
mod input;
mod lexer;
mod list;
mod loops;
mod memo;
mod parameter;
mod quotes;
mod redirect;
mod simple;
mod substitution;
mod token;
mod word;

pub(crate) use ansi::decode as decode_ansi;
pub use error::{ErrorKind, Message, SyntaxError};
use grammar::Grammar;
use input::Input;

/// What a parser does differently for different shells.
#[derive(Debug, Clone)]
pub struct Options {
    /// `shopt -s extglob`: `@(a|b)` is part of a word.
    pub extglob: bool,
    /// `set -o posix`: aliases are expanded in substitutions when these are read, but reserved words are no aliases;
    /// `command` in front of `export` and its kin changes nothing; `'` in `"${x:-…}"` is a character like any other.
    pub posix: bool,
    /// More text may follow the end of the script: a here-document without its last line is
    /// [`Incomplete`](ErrorKind::Incomplete), and so is a line that ends with a backslash.
    pub interactive: bool,
    /// The number of the first line.
    pub first_line: u32,
    /// How deeply commands, substitutions and expansions may be nested in each other. In an optimised build parsing takes
    /// up to 2 KiB of stack per level, so the default is safe with 512 KiB; printing and dropping the tree takes less.
    pub max_depth: u32,
    /// How many bytes the tree of one complete command may take, roughly, and what is read again to make it.
    pub max_memory: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            extglob: false,
            posix: false,
            interactive: false,
            first_line: 1,
            max_depth: 200,
            max_memory: 512 * 1024 * 1024,
        }
    }
}

/// The aliases of a shell.
pub trait Aliases {
    /// What the alias `name` stands for, if there is one and the shell expands aliases.
    fn expansion(&self, name: &[u8]) -> Option<Text>;
}

/// A shell that does not expand aliases.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAliases;

impl Aliases for NoAliases {
    fn expansion(&self, _name: &[u8]) -> Option<Text> {
        None
    }
}

/// Reads a script, one complete command at a time.
pub struct Parser {
    input: Input,
    options: Options,
    /// What the tree of the last command takes.
    memory: usize,
}

impl Parser {
    /// A parser at the start of a script.
    pub fn new(source: &[u8], options: Options) -> Self {
        Self {
            input: Input::new(source, options.first_line),
            options,
            memory: 0,
        }
    }

    /// Reads up to the end of the next line that ends a command. `None` at the end of the script.
    ///
    /// After an error the parser is behind the line that it noticed it in. bash stops there, except after
    /// [`ErrorKind::Assignment`].
    pub fn next_command(
        &mut self,
        aliases: &dyn Aliases,
        watch: &dyn Watch,
    ) -> Result<Option<CompleteCommand>, SyntaxError> {
        let mut grammar = Grammar::new(&mut self.input, &self.options, aliases, watch);
        let result = grammar.complete_command();
        if result.is_err() {
            grammar.skip_line();
        }
        self.memory = grammar.memory();
        result
    }

    /// The options, for `shopt` and `set` between one command and the next.
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// About how many bytes the tree of the last command takes.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// How many bytes of the script were read.
    pub fn consumed(&self) -> usize {
        self.input.consumed()
    }

    /// The line that comes next, from [`Options::first_line`].
    pub fn line(&self) -> u32 {
        self.input.line()
    }
}

/// Reads a text as the inside of double quotes, in which `"` stands for itself: what a prompt or a value is expanded by.
pub fn parse_quoted(
    text: &[u8],
    options: &Options,
    watch: &dyn Watch,
) -> Result<Word, SyntaxError> {
    let mut input = Input::new(b"", options.first_line);
    Grammar::new(&mut input, options, &NoAliases, watch).quoted_text(text, options.first_line)
}

/// Whether a word has a meaning of its own where a command may begin.
pub fn is_reserved(word: &[u8]) -> bool {
    token::Reserved::from_text(word).is_some()
}
