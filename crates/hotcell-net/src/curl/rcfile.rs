//! Files of options: `-K FILE` and `.curlrc`.

use std::io::Write as _;

use bstr::{BString, ByteSlice, ByteVec};

use super::{
    config::{Problem, Reader},
    data,
    options::{self, Kind, wrong},
};

/// Files may name files; whoever goes round ends here.
const MAX_DEPTH: usize = 10;

/// Reads the file of options that everybody has, if there is one.
pub(super) fn read_default(reader: &mut Reader<'_>) -> Result<(), Problem> {
    let Some(mut path) = reader.process.env("HOME") else {
        return Ok(());
    };
    path.push_str("/.curlrc");
    if reader.process.metadata(&path, true).is_err() {
        return Ok(());
    }
    read(reader, &path, "-K")
}

/// Takes the options of a file.
pub(super) fn read(reader: &mut Reader<'_>, file: &[u8], said: &str) -> Result<(), Problem> {
    let unreadable = || Problem::File(wrong(said, "error encountered when reading a file"));
    if reader.depth == MAX_DEPTH {
        return Err(unreadable());
    }
    let Ok(text) = data::read_file(reader.process, file) else {
        let said = format!(
            "curl: cannot read config from '{}'\n",
            bstr::BStr::new(file)
        );
        let _ = reader.process.stderr().write_all(said.as_bytes());
        return Err(unreadable());
    };
    reader.depth += 1;
    for line in text.lines() {
        reader.process.spend(line.len());
        let Some(words) = line_words(line) else {
            continue;
        };
        let args = to_args(words)?;
        let parsed = options::parse(&args)?;
        reader.take_all(parsed)?;
    }
    reader.depth -= 1;
    Ok(())
}

/// The option of a line, and its value.
fn line_words(line: &[u8]) -> Option<(BString, Option<BString>)> {
    let line = line.trim();
    if line.is_empty() || line.starts_with(b"#") {
        return None;
    }
    // A dash option ends at white space; others at a colon or an equals sign, too.
    let is_end = |byte: u8| {
        byte.is_ascii_whitespace() || !line.starts_with(b"-") && matches!(byte, b'=' | b':')
    };
    let end = line
        .iter()
        .position(|byte| is_end(*byte))
        .unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'=' | b':');
    let start = rest
        .iter()
        .position(|byte| !is_between(byte))
        .unwrap_or(rest.len());
    let rest = rest.get(start..).unwrap_or_default();
    let value = match rest {
        [] => None,
        [b'"', quoted @ ..] => Some(unquote(quoted)),
        _ => {
            let end = rest
                .iter()
                .position(u8::is_ascii_whitespace)
                .unwrap_or(rest.len());
            rest.get(..end).map(BString::from)
        }
    };
    Some((name.into(), value))
}

fn unquote(text: &[u8]) -> BString {
    let mut value = BString::default();
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => match bytes.next() {
                Some(b't') => value.push(b'\t'),
                Some(b'n') => value.push(b'\n'),
                Some(b'r') => value.push(b'\r'),
                Some(b'v') => value.push(0x0b),
                Some(other) => value.push(*other),
                None => {}
            },
            other => value.push(*other),
        }
    }
    value
}

fn to_args((name, value): (BString, Option<BString>)) -> Result<Vec<BString>, Problem> {
    let name = if name.starts_with(b"-") {
        name
    } else {
        let text = name.to_str_lossy();
        let (opt, _) = options::find_long(&text)?;
        if opt.kind == Kind::Flag && value.is_some() {
            return Err(wrong(&text, "had unsupported trailing garbage").into());
        }
        format!("--{text}").into()
    };
    let mut args = vec![name];
    args.extend(value);
    Ok(args)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_a_name_and_perhaps_a_value() {
        let words = |line: &str| {
            line_words(line.as_bytes())
                .map(|(name, value)| (name.to_string(), value.map(|text| text.to_string())))
        };
        let pair = |name: &str, value: &str| Some((name.to_owned(), Some(value.to_owned())));
        assert_eq!(words("# url = x"), None);
        assert_eq!(words("  "), None);
        assert_eq!(words("silent"), Some(("silent".to_owned(), None)));
        assert_eq!(words("url = http://x/"), pair("url", "http://x/"));
        assert_eq!(words("url: \"http://x/ y\""), pair("url", "http://x/ y"));
        assert_eq!(words("-o file name"), pair("-o", "file"));
        assert_eq!(
            words("data = \"a\\tb\\\"c\\n\" rest"),
            pair("data", "a\tb\"c\n")
        );
        assert_eq!(words("header = \"A: b\""), pair("header", "A: b"));
    }
}
