//! Whether a text is a picture, and nothing but a picture.
//!
//! Whoever shows an item may show it in a browser. There SVG is a document: it can run code, load what is elsewhere, and hold HTML.
//! What can do any of that is refused here, and what is not well-formed is, so that nobody behind reads it in another way. This is
//! no parser that builds anything: one pass, one stack of names.

use hotcell_meter::{Pace, Stopped, Watch};

/// The largest that is looked at.
const MAX_BYTES: usize = 1 << 20;
/// Elements within elements.
const MAX_DEPTH: usize = 256;

/// Elements that run, load or hold something else than a picture.
const REFUSED: [&str; 10] = [
    "script",
    "foreignobject",
    "iframe",
    "object",
    "embed",
    "audio",
    "video",
    "handler",
    "listener",
    "base",
];
/// What in a style loads something, beside `url()`, which may name a part of the picture.
const LOADING: [&str; 8] = [
    "@import",
    "src(",
    "image(",
    "image-set(",
    "cross-fade(",
    "element(",
    "expression(",
    "progid:",
];
/// Types of pictures that may be within one.
const INSIDE: [&str; 4] = [
    "data:image/png",
    "data:image/jpeg",
    "data:image/gif",
    "data:image/webp",
];

/// Why a text is not shown as a picture.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Problem {
    #[error("it has {0} bytes, and at most {MAX_BYTES} are looked at")]
    TooLarge(usize),
    #[error("line {line}: {what}")]
    At { line: usize, what: String },
    /// The code does not get to see this: it ends where it stands.
    #[error("{0}")]
    Stopped(#[from] Stopped),
}

pub(super) fn check(text: &str, watch: &dyn Watch) -> Result<(), Problem> {
    if text.len() > MAX_BYTES {
        return Err(Problem::TooLarge(text.len()));
    }
    let mut scan = Scan {
        rest: text.strip_prefix('\u{feff}').unwrap_or(text),
        open: Vec::new(),
        style: None,
        pace: Pace::new(watch),
    };
    match scan.document() {
        Ok(()) => Ok(()),
        Err(Failed::Stopped(stopped)) => Err(stopped.into()),
        Err(Failed::At(what)) => {
            let read = &text.as_bytes()[..text.len() - scan.rest.len()];
            let line = read.split(|byte| *byte == b'\n').count();
            Err(Problem::At { line, what })
        }
    }
}

enum Failed {
    At(String),
    Stopped(Stopped),
}

impl From<Stopped> for Failed {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

fn at<T>(what: impl Into<String>) -> Result<T, Failed> {
    Err(Failed::At(what.into()))
}

type Step = Result<(), Failed>;

struct Scan<'a> {
    /// What is not read yet: the end of the text.
    rest: &'a str,
    /// Names of the elements that are open.
    open: Vec<&'a str>,
    /// What the style sheet that is open says so far.
    style: Option<String>,
    pace: Pace<'a>,
}

impl<'a> Scan<'a> {
    fn document(&mut self) -> Step {
        // And no other instruction, such as <?xml-stylesheet.
        let declared = self.rest.strip_prefix("<?xml");
        if declared.is_some_and(|rest| rest.starts_with(char::is_whitespace)) {
            self.until("?>", "the declaration of XML has no end")?;
        }
        self.between()?;
        if self
            .rest
            .get(..9)
            .is_some_and(|word| word.eq_ignore_ascii_case("<!doctype"))
        {
            let before = self.until(">", "the document type has no end")?;
            if before.contains('[') {
                return at("a document type may not declare anything");
            }
            if !is_known_type(&before[9..]) {
                return at(
                    "a document type other than the W3C's leads out of the picture: write <!DOCTYPE svg>",
                );
            }
            self.between()?;
        }
        if !self.rest.starts_with('<') {
            return at("there is no element at its beginning: a picture begins with <svg");
        }
        self.element()?;
        while !self.open.is_empty() {
            self.content()?;
        }
        self.between()?;
        if self.rest.is_empty() {
            Ok(())
        } else {
            at("there is something behind the end of the picture")
        }
    }

    /// White space and comments.
    fn between(&mut self) -> Step {
        loop {
            self.rest = self.rest.trim_start();
            if !self.rest.starts_with("<!--") {
                return Ok(());
            }
            self.comment()?;
        }
    }

    fn comment(&mut self) -> Step {
        self.rest = &self.rest[4..];
        let comment = self.until("-->", "a comment has no end")?;
        if comment.contains("--") || comment.starts_with('>') || comment.ends_with('-') {
            return at("a comment holds two dashes");
        }
        Ok(())
    }

    /// What is before the next `end`, which is taken, too.
    fn until(&mut self, end: &str, missing: &str) -> Result<&'a str, Failed> {
        let Some((before, after)) = self.rest.split_once(end) else {
            return at(missing);
        };
        self.pace.spend(before.len())?;
        self.rest = after;
        Ok(before)
    }

    /// Text up to the next mark, and what that mark begins.
    fn content(&mut self) -> Step {
        let length = self.rest.find('<').unwrap_or(self.rest.len());
        self.pace.spend(length)?;
        let text = &self.rest[..length];
        let meant = decoded(text)?;
        if let Some(style) = &mut self.style {
            style.push_str(&meant);
        }
        self.rest = &self.rest[length..];
        if self.rest.starts_with("<!--") {
            return self.comment();
        }
        if let Some(rest) = self.rest.strip_prefix("<![CDATA[") {
            self.rest = rest;
            let text = self.until("]]>", "a CDATA section has no end")?;
            if let Some(style) = &mut self.style {
                style.push_str(text);
            }
            return Ok(());
        }
        if let Some(rest) = self.rest.strip_prefix("</") {
            self.rest = rest;
            return self.close();
        }
        if self.rest.starts_with("<!") || self.rest.starts_with("<?") {
            return at("neither declarations nor processing instructions may stand in a picture");
        }
        if self.rest.is_empty() {
            let open = self.open.last().copied().unwrap_or_default();
            return at(format!("<{open}> has no end"));
        }
        self.element()
    }

    fn close(&mut self) -> Step {
        let name = self.name()?;
        self.rest = self.rest.trim_start();
        let Some(rest) = self.rest.strip_prefix('>') else {
            return at(format!("</{name} has no end"));
        };
        match self.open.pop() {
            Some(open) if open == name => {}
            open => {
                let open = open.unwrap_or_default();
                return at(format!("</{name}> ends <{open}>"));
            }
        }
        self.rest = rest;
        if local(name) == "style"
            && let Some(style) = self.style.take()
        {
            css(&style)?;
        }
        Ok(())
    }

    /// From `<` to `>`.
    fn element(&mut self) -> Step {
        self.rest = &self.rest[1..];
        let name = self.name()?;
        let kind = local(name);
        if self.open.is_empty() && kind != "svg" {
            return at(format!(
                "it begins with <{name}>: a picture begins with <svg"
            ));
        }
        if REFUSED.contains(&&*kind) {
            return at(format!("<{name}> is not for pictures"));
        }
        if self.style.is_some() {
            return at("a style sheet holds an element");
        }
        loop {
            let before = self.rest.len();
            self.rest = self.rest.trim_start();
            if let Some(rest) = self.rest.strip_prefix("/>") {
                self.rest = rest;
                return Ok(());
            }
            if let Some(rest) = self.rest.strip_prefix('>') {
                self.rest = rest;
                break;
            }
            if self.rest.len() == before {
                return at(format!(
                    "<{name} has no end, or no space before an attribute"
                ));
            }
            self.attribute(name)?;
        }
        if self.open.len() >= MAX_DEPTH {
            return at(format!("elements are nested more than {MAX_DEPTH} deep"));
        }
        self.open.push(name);
        if kind == "style" {
            self.style = Some(String::new());
        }
        Ok(())
    }

    fn attribute(&mut self, element: &str) -> Step {
        let name = self.name()?;
        let rest = self.rest.trim_start().strip_prefix('=');
        let rest = rest.map(str::trim_start).unwrap_or_default();
        let quote = rest
            .chars()
            .next()
            .filter(|quote| matches!(quote, '"' | '\''));
        let Some(quote) = quote else {
            return at(format!("the attribute {name} has no value in quotes"));
        };
        self.rest = &rest[1..];
        let end = if quote == '"' { "\"" } else { "'" };
        let value = self.until(end, "the value of an attribute has no end")?;
        if value.contains('<') {
            return at(format!("the value of {name} holds a <"));
        }
        let value = decoded(value)?;
        let key = local(name);
        if key.len() > 2 && key.starts_with("on") {
            return at(format!("{name} would run code"));
        }
        // Nothing of this is told apart by spaces or by upper and lower case.
        let plain: String = value
            .chars()
            .filter(|c| !c.is_whitespace() && !c.is_control())
            .collect();
        let plain = plain.to_ascii_lowercase();
        if plain.contains("javascript:") || plain.contains("vbscript:") {
            return at(format!("{name} would run code"));
        }
        match &*key {
            "base" => return at(format!("{name} leads out of the picture")),
            "href" | "src" => {
                if !is_inside(&plain) {
                    return at(format!(
                        "{name} of <{element}> leads out of the picture: it may name a part of it (#id) or hold a PNG, JPEG, GIF or WebP as a data URL"
                    ));
                }
            }
            // What an animation changes is not looked at again.
            "attributename" if plain.ends_with("href") || plain.starts_with("on") => {
                return at(format!("<{element}> may not change {value}"));
            }
            _ if is_words(name, &key) => {}
            _ => css(&value)?,
        }
        Ok(())
    }

    fn name(&mut self) -> Result<&'a str, Failed> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-' | '.');
        let length = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(length);
        let begins = name.chars().next();
        if !begins.is_some_and(|c| c.is_alphabetic() || c == '_') {
            let shown: String = self.rest.chars().take(10).collect();
            return at(format!("{shown:?} stands where a name should"));
        }
        self.pace.spend(length)?;
        self.rest = rest;
        Ok(name)
    }
}

/// A name without its prefix. Who reads SVG as HTML knows no upper case.
fn local(name: &str) -> String {
    let name = name.rsplit(':').next().unwrap_or(name);
    name.to_ascii_lowercase()
}

/// Whether what follows the word is the type of a picture: its name alone, or with where the W3C has described it.
fn is_known_type(rest: &str) -> bool {
    let words: String = rest
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('\'', "\"");
    let Some(known) = words.strip_prefix("svg") else {
        return false;
    };
    let Some(names) = known.strip_prefix(" PUBLIC \"-//W3C//DTD SVG ") else {
        return known.is_empty();
    };
    let place = names.split_once("\" \"").map(|(_, place)| place);
    place.is_some_and(|place| {
        let place = place.strip_suffix('"').unwrap_or_default();
        let place = place.split_once("://").map(|(_, place)| place);
        place.is_some_and(|place| {
            place.starts_with("www.w3.org/") && !place.contains(['"', ' ', '?', '#'])
        })
    })
}

/// Whether an attribute is for people, or for who drew the picture, and styles nothing.
fn is_words(name: &str, key: &str) -> bool {
    name.contains(':')
        || key.starts_with("aria-")
        || key.starts_with("data-")
        || matches!(key, "id" | "class" | "title" | "alt")
}

/// Whether a reference stays within the picture.
fn is_inside(reference: &str) -> bool {
    reference.is_empty()
        || reference.starts_with('#')
        || INSIDE.iter().any(|kind| reference.starts_with(kind))
}

/// Refuses styles that load something.
fn css(style: &str) -> Step {
    let style = style.to_ascii_lowercase();
    // Any letter of what follows could be written with one.
    if style.contains('\\') {
        return at("a style holds a backslash: write the character itself");
    }
    if LOADING.iter().any(|word| style.contains(word)) {
        return at("a style loads what is elsewhere");
    }
    let mut rest = &*style;
    while let Some((_, after)) = rest.split_once("url(") {
        let reference = after
            .trim_start()
            .trim_start_matches(['"', '\''])
            .trim_start();
        if !is_inside(reference) || reference.is_empty() {
            return at(
                "a style loads what is elsewhere: url() may name a part of the picture (#id)",
            );
        }
        rest = after;
    }
    Ok(())
}

/// A text with its references taken for what they mean.
fn decoded(text: &str) -> Result<String, Failed> {
    let mut parts = text.split('&');
    let mut meant = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((name, after)) = part.split_once(';') else {
            return at("an & stands alone: write &amp;");
        };
        let code = match name.strip_prefix('#') {
            Some(digits) => match digits.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16).ok(),
                None => digits.parse().ok(),
            },
            None => match name {
                "amp" => Some(u32::from('&')),
                "lt" => Some(u32::from('<')),
                "gt" => Some(u32::from('>')),
                "quot" => Some(u32::from('"')),
                "apos" => Some(u32::from('\'')),
                _ => None,
            },
        };
        let Some(character) = code.and_then(char::from_u32).filter(|c| *c != '\0') else {
            let shown: String = name.chars().take(20).collect();
            return at(format!("&{shown}; stands for nothing here"));
        };
        meant.push(character);
        meant.push_str(after);
    }
    Ok(meant)
}

#[cfg(test)]
mod tests {
    use hotcell_meter::Unwatched;

    use super::*;

    fn problem(text: &str) -> Option<String> {
        check(text, &Unwatched)
            .err()
            .map(|problem| problem.to_string())
    }

    #[test]
    fn pictures_are_taken() {
        for picture in [
            "<svg/>",
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox=\"0 0 1 1\"><path d='M0 0'/></svg>",
            "\u{feff}<?xml version='1.0'?>\n<!-- made -->\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n<svg></svg>\n<!-- end -->\n",
            "<s:svg xmlns:s='x'><s:g fill='url(#a)' style='fill: url( \"#b\" )'>a &lt; b &#169; &#xe9;</s:g></s:svg>",
            "<svg><style>text { fill: red }</style><style><![CDATA[ a > b { } ]]></style></svg>",
            "<svg><use xlink:href='#a'/><image href='data:image/png;base64,AA=='/><a href='#a'/></svg>",
            "<!DOCTYPE svg><svg id='a\\b' aria-label='image(1)' inkscape:label='C:\\a' xmlns:inkscape='x'/>",
            "<svg><text>once upon on &amp; on</text><g id='on'/></svg>",
        ] {
            assert_eq!(problem(picture), None, "{picture}");
        }
    }

    #[test]
    fn what_is_no_picture_or_more_than_one_is_refused() {
        let cases = [
            ("", "no element"),
            ("hello", "no element"),
            ("<html><svg/></html>", "begins with <html>"),
            ("<svg>", "<svg> has no end"),
            ("<svg", "has no end"),
            ("<svg><g></svg></g>", "</svg> ends <g>"),
            ("<svg></svg><svg/>", "behind the end"),
            ("<svg a></svg>", "no value in quotes"),
            ("<svg a='1'b='2'/>", "no space before"),
            ("<svg>a & b</svg>", "an & stands alone"),
            ("<svg>&nbsp;</svg>", "stands for nothing"),
            ("<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>", "may not declare"),
            ("<svg><?php 1 ?></svg>", "processing instructions"),
            ("<svg><!-- a -- b --></svg>", "two dashes"),
            (
                "<svg><script>1</script></svg>",
                "<script> is not for pictures",
            ),
            ("<svg><s:SCRIPT xmlns:s='x'/></svg>", "is not for pictures"),
            ("<svg><foreignObject/></svg>", "is not for pictures"),
            ("<svg onload='x()'/>", "would run code"),
            ("<svg OnLoad='x()'/>", "would run code"),
            (
                "<svg><a href='java&#10;script:x()'/></svg>",
                "would run code",
            ),
            ("<svg><image href='https://a.b/c.png'/></svg>", "leads out"),
            ("<svg><use href='other.svg#a'/></svg>", "leads out"),
            (
                "<svg><image href='data:image/svg+xml,x'/></svg>",
                "leads out",
            ),
            (
                "<svg><set attributeName='href' to='x'/></svg>",
                "may not change",
            ),
            ("<svg><g style='fill:url(https://a.b)'/></svg>", "elsewhere"),
            ("<svg><g fill='URL( //a.b/c )'/></svg>", "elsewhere"),
            ("<svg><style>@import 'x';</style></svg>", "elsewhere"),
            (
                "<svg><style>@im<![CDATA[port 'x']]></style></svg>",
                "elsewhere",
            ),
            ("<svg><style>a{b:\\75rl(x)}</style></svg>", "backslash"),
            ("<svg><style><g/></style></svg>", "holds an element"),
            (
                "<?xml-stylesheet type='text/xsl' href='x'?><svg/>",
                "where a name should",
            ),
            (
                "<?xml version='1.0'?><?xml-stylesheet href='x'?><svg/>",
                "where a name should",
            ),
            ("<!DOCTYPE svg SYSTEM \"http://x\"><svg/>", "leads out"),
            (
                "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://x/www.w3.org/\"><svg/>",
                "leads out",
            ),
            ("<svg><g fill='u\\72l(//x)'/></svg>", "backslash"),
            ("<svg><g style='fill:u\\72l(//x)'/></svg>", "backslash"),
            (
                "<svg><style>@font-face{src:src(\"//x\")}</style></svg>",
                "elsewhere",
            ),
            (
                "<svg><g style=\"background:image('//x')\"/></svg>",
                "elsewhere",
            ),
            ("<svg><a xlink:href='http://x'/></svg>", "leads out"),
            ("<svg xml:base='http://x/'/>", "leads out"),
        ];
        for (text, words) in cases {
            let problem = problem(text).unwrap_or_default();
            assert!(problem.contains(words), "{text}: {problem:?}");
        }
    }

    #[test]
    fn a_problem_has_its_line_and_much_is_not_looked_at() {
        assert_eq!(
            problem("<svg>\n\n<g>\n</svg>").as_deref(),
            Some("line 4: </svg> ends <g>")
        );
        let deep = format!("<svg>{}{}</svg>", "<g>".repeat(300), "</g>".repeat(300));
        assert!(
            problem(&deep)
                .unwrap_or_default()
                .contains("more than 256 deep")
        );
        let large = format!("<svg>{}</svg>", " ".repeat(MAX_BYTES));
        assert!(problem(&large).unwrap_or_default().contains("bytes"));
    }
}
