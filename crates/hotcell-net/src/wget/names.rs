//! What downloads are called.

use bstr::BString;
use hotcell_process::Process;
use percent_encoding::percent_decode_str;
use url::Url;

use super::options::Config;
use crate::http::response::ResponseHead;

/// Numbers that are tried behind a name that is taken.
const MAX_TRIES: u32 = 10_000;

/// The file for a URL: `dir/name?query`, below the prefix.
pub(super) fn local_name(config: &Config, url: &Url) -> BString {
    let mut segments: Vec<&str> = url.path_segments().into_iter().flatten().collect();
    let name = segments.pop().unwrap_or_default();
    let mut name = if name.is_empty() {
        config.default_page.clone()
    } else {
        decoded(name)
    };
    if let Some(query) = url.query() {
        name.push(b'?');
        name.extend_from_slice(&decoded(query));
    }
    let mut parts: Vec<BString> = config.prefix.clone().into_iter().collect();
    if config.forces_directories {
        if config.makes_host_directory {
            let host = url.host_str().unwrap_or_default();
            let port = url
                .port()
                .map(|port| format!(":{port}"))
                .unwrap_or_default();
            parts.push(format!("{host}{port}").into());
        }
        let directories = segments
            .into_iter()
            .filter(|part| !part.is_empty())
            .skip(config.cut);
        parts.extend(directories.map(decoded));
    }
    parts.push(name);
    bstr::join("/", parts).into()
}

/// A part of a URL as a name: decoded, but for what would make it another path or cannot be shown.
fn decoded(text: &str) -> BString {
    let mut name = BString::default();
    for byte in percent_decode_str(text) {
        match byte {
            b'/' | 0..0x20 | 0x7f => name.extend_from_slice(format!("%{byte:02X}").as_bytes()),
            other => name.push(other),
        }
    }
    match name.as_slice() {
        b"." => "%2E".into(),
        b".." => "%2E%2E".into(),
        _ => name,
    }
}

/// The name that a server gives, below the prefix.
pub(super) fn given_name(config: &Config, head: &ResponseHead) -> Option<BString> {
    let name = head.file_name()?;
    let parts = config.prefix.iter().chain([&name]);
    Some(bstr::join("/", parts).into())
}

/// The name itself if it is free, otherwise with a number behind it.
pub(super) fn free_name(process: &Process, name: BString) -> BString {
    let is_taken = |name: &BString| process.metadata(name, false).is_ok();
    if !is_taken(&name) {
        return name;
    }
    let numbered = (1..=MAX_TRIES).map(|number| BString::from(format!("{name}.{number}")));
    let mut numbered = numbered.inspect(|_| process.spend(64));
    numbered.find(|name| !is_taken(name)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_name() {
        assert_eq!(decoded("a%20b"), "a b");
        assert_eq!(decoded("..%2F..%2Fetc"), "..%2F..%2Fetc");
        assert_eq!(decoded("%2e%2e"), "%2E%2E");
        assert_eq!(decoded("."), "%2E");
        assert_eq!(decoded("a%0Ab%00"), "a%0Ab%00");
    }
}
