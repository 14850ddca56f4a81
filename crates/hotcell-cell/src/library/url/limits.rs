//! How large a URL may be.
//!
//! The parser cannot be stopped. It takes time in proportion to the text, but for the host: a label of it is decoded from
//! Punycode, and encoded to it, in time that grows with the square of its length. So a host may have far less than the rest.

use super::{Component, Parts, is_special, parse, set};
use crate::tool::ToolError;

/// A URL, with the base it is resolved against or the value that is to change it.
pub(crate) const MAX_LENGTH: usize = 512 << 10;

/// A host, where names of more than 253 bytes are nobody's.
const MAX_HOST: usize = 4096;

/// As [`parse`], for a text that may be anything.
pub(crate) fn parse_limited(input: &str, base: Option<&str>) -> Result<Option<Parts>, ToolError> {
    check_length(input.len() + base.map_or(0, str::len))?;
    check_host(input)?;
    base.map_or(Ok(()), check_host)?;
    Ok(parse(input, base))
}

/// As [`set`], for texts that may be anything.
pub(crate) fn set_limited(
    href: &str,
    component: Component,
    value: &str,
) -> Result<Option<Parts>, ToolError> {
    check_length(href.len() + value.len())?;
    check_host(href)?;
    if matches!(component, Component::Host | Component::Hostname) {
        let end = value.find(['/', '\\', '?', '#']).unwrap_or(value.len());
        check_host_length(&value[..end])?;
    }
    Ok(set(href, component, value))
}

/// The error for a URL of that length.
pub(crate) fn too_long(length: usize) -> ToolError {
    refuse(format!(
        "Invalid URL: it may have at most {MAX_LENGTH} bytes here, this one has {length}"
    ))
}

fn check_length(length: usize) -> Result<(), ToolError> {
    if length > MAX_LENGTH {
        Err(too_long(length))
    } else {
        Ok(())
    }
}

fn check_host(text: &str) -> Result<(), ToolError> {
    host(text).map_or(Ok(()), check_host_length)
}

fn check_host_length(host: &str) -> Result<(), ToolError> {
    if host.len() > MAX_HOST {
        return Err(refuse(format!(
            "Invalid URL: its host may have at most {MAX_HOST} bytes, this one has {}",
            host.len()
        )));
    }
    Ok(())
}

fn refuse(message: String) -> ToolError {
    ToolError::new("TypeError", message).with("code", "ERR_INVALID_URL")
}

/// What the parser could take for the host of `text`, or more than that. `None` if it has none that matters: that of a scheme
/// that is not special is not a domain name.
fn host(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| c <= ' ');
    let (scheme, rest) = match text.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => {
            (scheme.replace(UNSEEN, "").to_ascii_lowercase(), rest)
        }
        _ => (String::new(), text),
    };
    let after = rest.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    let slashes = rest[..rest.len() - after.len()]
        .matches(['/', '\\'])
        .count();
    let is_host = match scheme.as_str() {
        // Relative to a base.
        "" => slashes >= 2,
        "file" => slashes == 2,
        scheme => is_special(scheme),
    };
    let end = after.find(['/', '\\', '?', '#']).unwrap_or(after.len());
    let authority = &after[..end];
    is_host.then(|| {
        authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host)
    })
}

/// What the parser leaves out wherever it stands.
const UNSEEN: [char; 3] = ['\t', '\n', '\r'];

fn is_scheme(text: &str) -> bool {
    // Longer ones are not special, whatever they are.
    text.len() <= 64
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.\t\n\r".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_found_wherever_the_parser_finds_one() {
        for (text, expected) in [
            ("http://h/p", Some("h")),
            ("https:\\\\h\\p", Some("h")),
            (" h\tttp:h?q", Some("h")),
            ("//u:p@h#f", Some("h")),
            ("http://u@v@h:80/", Some("h:80")),
            ("HTTP:////h", Some("h")),
            ("file:///C:/x", None),
            ("file://h/x", Some("h")),
            ("foo://h/", None),
            ("data:abc", None),
            ("abc/def", None),
            ("/abc", None),
            ("http:/abc", Some("abc")),
            ("", None),
        ] {
            assert_eq!(host(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_host_is_an_error_and_a_long_path_is_none() {
        let name = "x".repeat(MAX_HOST);
        assert!(
            parse_limited(&format!("http://{name}/"), None)
                .unwrap()
                .is_some()
        );
        for long in [
            format!("http://{name}x/"),
            format!("\thttp:\n//{name}x"),
            format!("ws:\\/u:p@{name}x?q"),
        ] {
            let error = parse_limited(&long, None).unwrap_err();
            assert!(
                error
                    .to_string()
                    .contains("its host may have at most 4096 bytes"),
                "{error}"
            );
        }
        assert!(
            parse_limited(&format!("http://h/{}", "x".repeat(100_000)), None)
                .unwrap()
                .is_some()
        );
        assert!(
            parse_limited(&format!("data:{}", "é".repeat(100_000)), None)
                .unwrap()
                .is_some()
        );
        assert!(set_limited("http://h/", Component::Host, &format!("{name}x")).is_err());
        assert!(
            set_limited("http://h/", Component::Hash, &format!("{name}x"))
                .unwrap()
                .is_some()
        );
    }

    #[test]
    fn a_long_url_is_an_error_that_names_the_limit() {
        let error = parse_limited(&"x".repeat(MAX_LENGTH), Some("http://h/")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "TypeError: Invalid URL: it may have at most 524288 bytes here, this one has 524297"
        );
    }
}
