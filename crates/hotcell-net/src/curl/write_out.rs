//! `-w`: what is printed after a transfer.

use std::time::Duration;

use bstr::{BString, ByteSlice};
use serde_json::{Map, Value, json};

use super::report::Report;

/// The variables that one may ask for, by name; all but the last few are in `%{json}`, too.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "content_type", "errormsg", "exitcode", "filename_effective", "http_code", "http_connect", "http_version", "local_ip",
    "local_port", "method", "num_connects", "num_headers", "num_redirects", "redirect_url", "referer", "remote_ip",
    "remote_port", "response_code", "scheme", "size_download", "size_header", "size_request", "size_upload",
    "speed_download", "speed_upload", "ssl_verify_result", "time_appconnect", "time_connect", "time_namelookup",
    "time_pretransfer", "time_redirect", "time_starttransfer", "time_total", "url", "url_effective", "urlnum",
];

/// Fills in a format: what is printed, and whether on standard error.
pub(super) fn fill(format: &[u8], report: &Report) -> Vec<(bool, BString)> {
    let mut printed = Vec::new();
    let mut text = BString::default();
    let mut is_error = false;
    let mut rest = format;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match (byte, rest) {
            (b'%', [b'%', more @ ..]) => {
                text.push(b'%');
                rest = more;
            }
            (b'%', [b'{', more @ ..]) => {
                let Some((name, more)) = more.split_once_str("}") else {
                    text.extend_from_slice(b"%{");
                    rest = more;
                    continue;
                };
                rest = more;
                match name {
                    b"stderr" | b"stdout" => {
                        printed.push((is_error, std::mem::take(&mut text)));
                        is_error = name == b"stderr";
                    }
                    b"onerror" if report.failure.is_none() => break,
                    b"onerror" => {}
                    _ => match value(&name.to_str_lossy(), report) {
                        Some(value) => text.extend_from_slice(&shown(&name.to_str_lossy(), &value)),
                        None => {
                            let name = bstr::BStr::new(name);
                            printed.push((is_error, std::mem::take(&mut text)));
                            printed.push((
                                true,
                                format!("curl: unknown --write-out variable: '{name}'\n").into(),
                            ));
                        }
                    },
                }
            }
            (b'%', _) if rest.starts_with(b"header{") => {
                let more = rest.get(7..).unwrap_or_default();
                let Some((name, more)) = more.split_once_str("}") else {
                    text.extend_from_slice(b"%header{");
                    rest = more;
                    continue;
                };
                rest = more;
                let value = report
                    .head
                    .as_ref()
                    .and_then(|head| head.header(&name.to_str_lossy()));
                text.extend(value.into_iter().flat_map(|value| value.iter().copied()));
            }
            (b'\\', [letter, more @ ..]) => {
                rest = more;
                match letter {
                    b'n' => text.push(b'\n'),
                    b'r' => text.push(b'\r'),
                    b't' => text.push(b'\t'),
                    other => text.extend_from_slice(&[b'\\', *other]),
                }
            }
            (byte, _) => text.push(*byte),
        }
    }
    printed.push((is_error, text));
    printed.retain(|(_, text)| !text.is_empty());
    printed
}

/// A variable's value. Texts that are not there are null.
fn value(name: &str, report: &Report) -> Option<Value> {
    let text = |text: Option<String>| text.map_or(Value::Null, Value::String);
    let seconds = |time: Duration| json!(time.as_secs_f64());
    let rate = |bytes: u64| {
        let micros = report.times.total.as_micros().max(1);
        json!(u64::try_from(u128::from(bytes) * 1_000_000 / micros).unwrap_or(u64::MAX))
    };
    let times = &report.times;
    let head = report.head.as_ref();
    Some(match name {
        "content_type" => text(
            head.and_then(|head| head.header("content-type"))
                .map(ToString::to_string),
        ),
        "errormsg" => text(
            report
                .failure
                .as_ref()
                .map(|failure| failure.message.clone()),
        ),
        "exitcode" => json!(report.code()),
        "filename_effective" => text(report.file.as_ref().map(ToString::to_string)),
        "http_code" | "response_code" => json!(report.status()),
        "http_connect" | "ssl_verify_result" => json!(0),
        "http_version" => Value::String(head.map_or_else(
            || "0".to_owned(),
            |head| {
                if head.minor == 0 {
                    "1.0".to_owned()
                } else {
                    "1.1".to_owned()
                }
            },
        )),
        "local_ip" => Value::String(
            report
                .local
                .map(|local| local.ip().to_string())
                .unwrap_or_default(),
        ),
        "local_port" => json!(report.local.map_or(0, |local| local.port())),
        "method" => text(Some(report.method.clone())),
        "num_connects" => json!(report.connections),
        "num_headers" => json!(head.map_or(0, |head| head.headers.len())),
        "num_redirects" => json!(report.redirects),
        "redirect_url" => text(report.redirect_url.as_ref().map(ToString::to_string)),
        "referer" => text(report.referer.as_ref().map(ToString::to_string)),
        "remote_ip" => Value::String(
            report
                .remote
                .map(|remote| remote.ip().to_string())
                .unwrap_or_default(),
        ),
        "remote_port" => json!(report.remote.map_or(0, |remote| remote.port())),
        "scheme" => Value::String(report.scheme().to_ascii_uppercase()),
        "size_download" => json!(report.received),
        "size_header" => json!(report.head_bytes),
        "size_request" => json!(report.request_bytes),
        "size_upload" => json!(report.sent),
        "speed_download" => rate(report.received),
        "speed_upload" => rate(report.sent),
        "time_appconnect" => seconds(times.secured),
        "time_connect" => seconds(times.connected),
        "time_namelookup" => seconds(times.resolved),
        "time_pretransfer" => seconds(times.sent),
        "time_redirect" => seconds(times.redirects),
        "time_starttransfer" => seconds(times.first_byte),
        "time_total" => seconds(times.total),
        "url" => text(Some(report.given.to_string())),
        "url_effective" => {
            let url = report.url.as_ref().map(ToString::to_string);
            text(url.or_else(|| Some(report.given.to_string())))
        }
        "urlnum" => json!(report.number),
        "json" => {
            let all = NAMES
                .iter()
                .filter_map(|name| Some(((*name).to_owned(), value(name, report)?)));
            let mut all: Map<String, Value> = all.collect();
            let version = format!("libcurl/{}", super::VERSION);
            all.insert("curl_version".to_owned(), Value::String(version));
            Value::Object(all)
        }
        "header_json" => {
            let mut all = Map::new();
            for (name, value) in head.iter().flat_map(|head| &head.headers) {
                let name = name.to_str_lossy().to_ascii_lowercase();
                let values = all.entry(name).or_insert_with(|| json!([]));
                if let Value::Array(values) = values {
                    values.push(Value::String(value.to_string()));
                }
            }
            Value::Object(all)
        }
        _ => return None,
    })
}

/// A value as text: statuses have three digits, times six behind the point.
fn shown(name: &str, value: &Value) -> Vec<u8> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) => text.clone().into_bytes(),
        Value::Number(number) if matches!(name, "http_code" | "response_code" | "http_connect") => {
            format!("{:03}", number.as_u64().unwrap_or(0)).into_bytes()
        }
        Value::Number(number) if name.starts_with("time_") => {
            format!("{:.6}", number.as_f64().unwrap_or(0.0)).into_bytes()
        }
        Value::Object(all) if name == "header_json" => {
            let lines = all
                .iter()
                .map(|(name, values)| format!("{}:{values}", Value::from(name.as_str())));
            format!("{{{}\n}}", lines.collect::<Vec<_>>().join(",\n")).into_bytes()
        }
        other => other.to_string().into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(format: &str) -> String {
        let report = Report {
            given: "u".into(),
            ..Report::default()
        };
        let printed = fill(format.as_bytes(), &report);
        printed
            .iter()
            .map(|(is_error, text)| format!("{}{text}", if *is_error { "!" } else { "" }))
            .collect()
    }

    #[test]
    fn formats_are_filled_in() {
        assert_eq!(filled("%{http_code} %{url}\\n%%\\x"), "000 u\n%\\x");
        assert_eq!(filled("a%{stderr}b%{stdout}c"), "a!bc");
        assert_eq!(filled("%{time_total}"), "0.000000");
        assert_eq!(filled("a%{onerror}b"), "a");
        assert_eq!(filled("%{unknown"), "%{unknown");
        assert_eq!(filled("%{scheme}|%header{x}|%"), "||%");
        assert_eq!(
            filled("a%{nope}b"),
            "a!curl: unknown --write-out variable: 'nope'\nb"
        );
    }

    #[test]
    fn every_variable_has_a_value() {
        for name in NAMES {
            assert!(value(name, &Report::default()).is_some(), "{name}");
        }
    }
}
