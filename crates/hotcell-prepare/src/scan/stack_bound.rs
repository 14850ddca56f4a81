//! How much stack a text can make a recursive parser use.

/// Bytes of stack that one more level costs, at most, by what makes the level. Measured over parse, semantic analysis,
/// TypeScript lowering, code generation and our own walk, for every form of nesting in `tests/hostile.rs`, then about
/// doubled; unoptimised code has larger frames.
const SCALE: usize = if cfg!(debug_assertions) { 8 } else { 1 };
const BRACKET: usize = 3584 * SCALE;
const OPERATOR: usize = 1024 * SCALE;
/// `namespace A.B.C` nests at every dot, and its lowering makes functions of the parts.
const NAMESPACE: usize = 10 * 1024 * SCALE;

/// What a parse uses before it descends at all.
const BASE: usize = 32 * 1024 * SCALE;

/// An upper bound of the stack that `code` needs, whatever it is.
///
/// Every level of recursion consumes a token, so the sum of what all tokens can cost bounds the depth of any tree that
/// any tokenisation of the text can give.
pub(crate) fn stack_bound(code: &str) -> usize {
    let bytes = code.as_bytes();
    let mut need = BASE;
    let has_namespace = code.contains("namespace") || code.contains("module");
    let mut word_start = None;
    for (at, &byte) in bytes.iter().enumerate() {
        let class = CLASS[usize::from(byte)];
        if class == Class::Word {
            word_start = word_start.or(Some(at));
            continue;
        }
        if let Some(start) = word_start.take() {
            need += word_need(bytes.get(start..at).unwrap_or(&[]));
        }
        need += match class {
            Class::Bracket => BRACKET,
            Class::Operator if byte == b'.' && has_namespace => NAMESPACE,
            Class::Operator => OPERATOR,
            Class::Word | Class::Flat => 0,
        };
    }
    need + word_start.map_or(0, |start| word_need(bytes.get(start..).unwrap_or(&[])))
}

/// A keyword can be a level by itself (`new new new …`, `do do do …`); a name needs an operator beside it.
///
/// A word with an escape in it counts too: parsers that recover from errors take it for the keyword it spells.
fn word_need(word: &[u8]) -> usize {
    if matches!(word, b"namespace" | b"module") {
        return NAMESPACE;
    }
    let keyword = matches!(
        word,
        b"abstract"
            | b"as"
            | b"asserts"
            | b"async"
            | b"await"
            | b"case"
            | b"catch"
            | b"class"
            | b"declare"
            | b"default"
            | b"delete"
            | b"do"
            | b"else"
            | b"enum"
            | b"export"
            | b"extends"
            | b"finally"
            | b"for"
            | b"function"
            | b"get"
            | b"if"
            | b"import"
            | b"in"
            | b"infer"
            | b"instanceof"
            | b"is"
            | b"keyof"
            | b"new"
            | b"of"
            | b"readonly"
            | b"return"
            | b"satisfies"
            | b"set"
            | b"static"
            | b"switch"
            | b"throw"
            | b"try"
            | b"typeof"
            | b"unique"
            | b"using"
            | b"void"
            | b"while"
            | b"with"
            | b"yield"
    );
    if keyword || word.contains(&b'\\') {
        OPERATOR
    } else {
        0
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Flat,
    Word,
    Operator,
    Bracket,
}

static CLASS: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Flat; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "the loop ends at 255")]
        let c = byte as u8;
        table[byte] = match c {
            b'(' | b'[' | b'{' | b'<' | b'`' => Class::Bracket,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' | b'\\' | 0x80.. => Class::Word,
            b'=' | b'?' | b':' | b'!' | b'~' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|'
            | b'^' | b'>' | b'.' | b'@' | b'#' => Class::Operator,
            _ => Class::Flat,
        };
        byte += 1;
    }
    table
}
