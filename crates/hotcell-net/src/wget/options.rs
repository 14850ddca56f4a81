//! The options of `wget`.

use std::{collections::BTreeSet, time::Duration};

use bstr::{BString, ByteSlice};
use hotcell_process::Process;
use hotcell_utilities::{Opt, Parsed, Usage};

use crate::session::Family;

pub(super) const USAGE: Usage = Usage {
    name: "wget",
    synopsis: "[OPTION]... [URL]...",
    summary: "GNU Wget, a non-interactive network retriever.",
    options: OPTIONS,
    notes: "Requests go where the network policy of the sandbox allows.",
    error_code: 2,
    shows_synopsis: true,
    hint: "\nTry `NAME --help' for more options.",
    ..Usage::DEFAULT
};

#[rustfmt::skip]
const OPTIONS: &[Opt] = &[
    Opt::value('o', "output-file", "FILE", "log messages to FILE"),
    Opt::value('a', "append-output", "FILE", "append messages to FILE"),
    Opt::flag('q', "quiet", "quiet (no output)"),
    Opt::flag('v', "verbose", "be verbose (this is the default)"),
    Opt::flag('\0', "no-verbose", "turn off verboseness, without being quiet"),
    Opt::value('n', "", "LETTERS", "-nv: no-verbose, -nc: no-clobber, -nd: no-directories,\n-nH: no-host-directories"),
    Opt::value('i', "input-file", "FILE", "download URLs found in local FILE"),
    Opt::value('t', "tries", "NUMBER", "set number of retries to NUMBER (0 unlimits)"),
    Opt::flag('\0', "retry-connrefused", "retry even if connection is refused"),
    Opt::value('\0', "retry-on-http-error", "ERRORS", "comma-separated list of HTTP errors to retry"),
    Opt::value('O', "output-document", "FILE", "write documents to FILE"),
    Opt::flag('\0', "no-clobber", "skip downloads that would download to existing files"),
    Opt::flag('c', "continue", "resume getting a partially-downloaded file"),
    Opt::value('\0', "start-pos", "OFFSET", "start downloading from zero-based position OFFSET"),
    Opt::value('\0', "progress", "TYPE", "select progress gauge type"),
    Opt::flag('\0', "show-progress", "display the progress in any verbosity mode"),
    Opt::flag('\0', "no-use-server-timestamps", "don't set the local file's timestamp by the one on the server"),
    Opt::flag('S', "server-response", "print server response"),
    Opt::flag('\0', "spider", "don't download anything"),
    Opt::value('T', "timeout", "SECONDS", "set all timeout values to SECONDS"),
    Opt::flag('N', "timestamping", "don't re-retrieve files unless newer than local"),
    Opt::value('\0', "dns-timeout", "SECS", "set the DNS lookup timeout to SECS"),
    Opt::value('\0', "connect-timeout", "SECS", "set the connect timeout to SECS"),
    Opt::value('\0', "read-timeout", "SECS", "set the read timeout to SECS"),
    Opt::value('w', "wait", "SECONDS", "wait SECONDS between retrievals"),
    Opt::value('\0', "waitretry", "SECONDS", "wait 1..SECONDS between retries of a retrieval"),
    Opt::flag('\0', "no-proxy", "explicitly turn off proxy; none is used here"),
    Opt::value('\0', "limit-rate", "RATE", "limit download rate to RATE"),
    Opt::flag('4', "inet4-only", "connect only to IPv4 addresses"),
    Opt::flag('6', "inet6-only", "connect only to IPv6 addresses"),
    Opt::value('\0', "user", "USER", "set both ftp and http user to USER"),
    Opt::value('\0', "password", "PASS", "set both ftp and http password to PASS"),
    Opt::flag('\0', "no-directories", "don't create directories"),
    Opt::flag('x', "force-directories", "force creation of directories"),
    Opt::flag('\0', "no-host-directories", "don't create host directories"),
    Opt::value('\0', "cut-dirs", "NUMBER", "ignore NUMBER remote directory components"),
    Opt::value('P', "directory-prefix", "PREFIX", "save files to PREFIX/.."),
    Opt::value('\0', "http-user", "USER", "set http user to USER"),
    Opt::value('\0', "http-password", "PASS", "set http password to PASS"),
    Opt::flag('\0', "no-cache", "disallow server-cached data"),
    Opt::value('\0', "default-page", "NAME", "change the default page name (index.html)"),
    Opt::value('\0', "header", "STRING", "insert STRING among the headers"),
    Opt::value('\0', "compression", "TYPE", "choose compression, one of auto, gzip and none. (default: none)"),
    Opt::value('\0', "max-redirect", "NUM", "maximum redirections allowed per page"),
    Opt::value('\0', "referer", "URL", "include 'Referer: URL' header in HTTP request"),
    Opt::flag('\0', "save-headers", "save the HTTP headers to file"),
    Opt::value('U', "user-agent", "AGENT", "identify as AGENT instead of Wget/VERSION"),
    Opt::flag('\0', "no-http-keep-alive", "disable HTTP keep-alive (persistent connections)"),
    Opt::flag('\0', "no-cookies", "don't use cookies"),
    Opt::value('\0', "load-cookies", "FILE", "load cookies from FILE before session"),
    Opt::value('\0', "save-cookies", "FILE", "save cookies to FILE after session"),
    Opt::flag('\0', "keep-session-cookies", "load and save session (non-permanent) cookies"),
    Opt::value('\0', "post-data", "STRING", "use the POST method; send STRING as the data"),
    Opt::value('\0', "post-file", "FILE", "use the POST method; send contents of FILE"),
    Opt::value('\0', "method", "HTTPMethod", "use method \"HTTPMethod\" in the request"),
    Opt::value('\0', "body-data", "STRING", "send STRING as data. --method MUST be set"),
    Opt::value('\0', "body-file", "FILE", "send contents of FILE. --method MUST be set"),
    Opt::flag('\0', "content-disposition", "honor the Content-Disposition header when choosing local file names"),
    Opt::flag('\0', "content-on-error", "output the received content on server errors"),
    Opt::flag('\0', "trust-server-names", "use the name specified by the redirection URL's last component"),
    Opt::flag('\0', "auth-no-challenge", "send Basic HTTP authentication information without first waiting"),
    Opt::flag('\0', "no-check-certificate", "don't validate the server's certificate, if the network policy\nallows that"),
    Opt::flag('\0', "https-only", "only follow secure HTTPS links"),
    Opt::flag('\0', "no-hsts", "disable HSTS, which is not used here"),
    Opt::flag('\0', "no-config", "do not read any config file; none is read here"),
];

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verbosity {
    Quiet,
    Short,
    Full,
}

/// What the options ask for.
pub(super) struct Config {
    pub(super) verbosity: Verbosity,
    pub(super) log: Option<(BString, bool)>,
    pub(super) input: Option<BString>,
    pub(super) tries: u64,
    pub(super) retries_refused: bool,
    pub(super) retry_statuses: BTreeSet<u16>,
    pub(super) output: Option<BString>,
    pub(super) keeps_files: bool,
    pub(super) continues: bool,
    pub(super) start: Option<u64>,
    pub(super) is_timestamping: bool,
    pub(super) warns_of_timestamping: bool,
    pub(super) sets_times: bool,
    pub(super) shows_response: bool,
    pub(super) is_spider: bool,
    pub(super) connect_timeout: Option<Duration>,
    /// How long nothing may come.
    pub(super) read_timeout: Option<Duration>,
    pub(super) wait: Option<Duration>,
    pub(super) wait_retry: Duration,
    pub(super) rate: Option<u64>,
    pub(super) family: Option<Family>,
    pub(super) user: Option<BString>,
    pub(super) password: Option<BString>,
    pub(super) forces_directories: bool,
    pub(super) makes_host_directory: bool,
    pub(super) cut: usize,
    pub(super) prefix: Option<BString>,
    pub(super) default_page: BString,
    pub(super) headers: Vec<BString>,
    pub(super) no_cache: bool,
    pub(super) is_compressed: bool,
    pub(super) max_redirects: u32,
    pub(super) referer: Option<BString>,
    pub(super) saves_headers: bool,
    pub(super) agent: Option<BString>,
    pub(super) keeps_alive: bool,
    pub(super) uses_cookies: bool,
    pub(super) load_cookies: Option<BString>,
    pub(super) save_cookies: Option<BString>,
    pub(super) keeps_session_cookies: bool,
    pub(super) method: Option<String>,
    pub(super) body: Option<Body>,
    pub(super) uses_header_name: bool,
    pub(super) content_on_error: bool,
    pub(super) trusts_names: bool,
    pub(super) no_challenge: bool,
    pub(super) is_insecure: bool,
    pub(super) https_only: bool,
    pub(super) urls: Vec<BString>,
}

/// What is sent.
#[derive(Clone)]
pub(super) enum Body {
    Data(BString),
    File(BString),
}

/// What is wrong with the options, and the exit code.
pub(super) struct Wrong(pub(super) String, pub(super) i32);

impl Config {
    pub(super) fn new(process: &Process) -> Result<Self, Wrong> {
        let parsed = USAGE.parse(process);
        let value = |name: &str| parsed.value(name).map(|text| text.to_owned());
        let letters: Vec<u8> = parsed
            .values("n")
            .flat_map(|text| text.iter().copied())
            .collect();
        let has_letter = |letter: u8| letters.contains(&letter);
        if letters.iter().any(|letter| !b"vcdHp".contains(letter)) {
            USAGE.fail(
                process,
                format!("invalid option -- 'n{}'", bstr::BStr::new(&letters)),
            );
        }
        let times = [
            "timeout",
            "dns-timeout",
            "connect-timeout",
            "read-timeout",
            "wait",
            "waitretry",
        ];
        for name in times {
            time(&parsed, name)?;
        }
        let of_time = |name: &str| {
            time(&parsed, name)
                .ok()
                .flatten()
                .filter(|time| !time.is_zero())
        };
        let all = of_time("timeout");
        let (method, body) = body(&parsed)?;
        let verbosity = if parsed.has("quiet") {
            Verbosity::Quiet
        } else if parsed.has("no-verbose") || has_letter(b'v') {
            Verbosity::Short
        } else {
            Verbosity::Full
        };
        let output = value("output-document");
        let statuses = value("retry-on-http-error").unwrap_or_default();
        let statuses = statuses
            .split(|byte| *byte == b',')
            .filter_map(|text| text.to_str().ok()?.trim().parse().ok());
        let number = |name: &str, default: u64| match value(name) {
            // As wget has it, what is no number is nothing.
            Some(text) => text
                .to_str()
                .ok()
                .and_then(|text| text.parse().ok())
                .unwrap_or(0),
            None => default,
        };
        let compression = value("compression");
        match compression.as_deref().map(|text| text.as_slice()) {
            None | Some(b"auto" | b"gzip" | b"none") => {}
            Some(text) => return Err(invalid("compression", "value", text, ".")),
        }
        let prefix = value("directory-prefix").filter(|prefix| prefix != "." && !prefix.is_empty());
        Ok(Self {
            verbosity,
            log: value("output-file")
                .map(|file| (file, false))
                .or_else(|| value("append-output").map(|file| (file, true))),
            input: value("input-file"),
            tries: match number("tries", 20) {
                0 => u64::MAX,
                tries => tries,
            },
            retries_refused: parsed.has("retry-connrefused"),
            retry_statuses: statuses.collect(),
            keeps_files: parsed.has("no-clobber") || has_letter(b'c'),
            continues: parsed.has("continue"),
            start: parsed.has("start-pos").then(|| number("start-pos", 0)),
            is_timestamping: parsed.has("timestamping") && output.is_none(),
            warns_of_timestamping: parsed.has("timestamping") && output.is_some(),
            sets_times: !parsed.has("no-use-server-timestamps"),
            shows_response: parsed.has("server-response"),
            is_spider: parsed.has("spider"),
            connect_timeout: of_time("connect-timeout").or(all),
            read_timeout: of_time("read-timeout").or(all),
            wait: of_time("wait"),
            wait_retry: time(&parsed, "waitretry")?.unwrap_or(Duration::from_secs(10)),
            rate: value("limit-rate").as_deref().and_then(|text| rate(text)),
            family: match parsed.last_of(&["inet4-only", "inet6-only"]) {
                Some("inet4-only") => Some(Family::Four),
                Some(_) => Some(Family::Six),
                None => None,
            },
            user: value("http-user").or_else(|| value("user")),
            password: value("http-password").or_else(|| value("password")),
            forces_directories: parsed.has("force-directories"),
            makes_host_directory: !parsed.has("no-host-directories") && !has_letter(b'H'),
            cut: usize::try_from(number("cut-dirs", 0)).unwrap_or(usize::MAX),
            prefix,
            default_page: value("default-page").unwrap_or_else(|| "index.html".into()),
            headers: parsed
                .values("header")
                .map(|text| text.to_owned())
                .collect(),
            no_cache: parsed.has("no-cache"),
            is_compressed: compression.is_some_and(|text| text != "none"),
            max_redirects: u32::try_from(number("max-redirect", 20)).unwrap_or(u32::MAX),
            referer: value("referer"),
            saves_headers: parsed.has("save-headers"),
            agent: value("user-agent"),
            keeps_alive: !parsed.has("no-http-keep-alive"),
            uses_cookies: !parsed.has("no-cookies"),
            load_cookies: value("load-cookies"),
            save_cookies: value("save-cookies"),
            keeps_session_cookies: parsed.has("keep-session-cookies"),
            method,
            body,
            uses_header_name: parsed.has("content-disposition"),
            content_on_error: parsed.has("content-on-error"),
            trusts_names: parsed.has("trust-server-names"),
            no_challenge: parsed.has("auth-no-challenge"),
            is_insecure: parsed.has("no-check-certificate"),
            https_only: parsed.has("https-only"),
            output,
            urls: parsed.operands,
        })
    }
}

/// The method and the body that options ask for.
fn body(parsed: &Parsed) -> Result<(Option<String>, Option<Body>), Wrong> {
    let value = |name: &str| parsed.value(name).map(|text| text.to_owned());
    let method = value("method").map(|text| text.to_str_lossy().to_ascii_uppercase());
    let post = value("post-data")
        .map(Body::Data)
        .or_else(|| value("post-file").map(Body::File));
    let body = value("body-data")
        .map(Body::Data)
        .or_else(|| value("body-file").map(Body::File));
    let both = |one: &str, other: &str| parsed.has(one) && parsed.has(other);
    let wrong = |text: &str| Err(Wrong(text.to_owned(), 1));
    if both("post-data", "post-file") {
        return wrong("You cannot specify both --post-data and --post-file.");
    }
    if method.is_some() && post.is_some() {
        return wrong(
            "You cannot use --post-data or --post-file along with --method. --method expects data through --body-data and --body-file options",
        );
    }
    if body.is_some() && method.is_none() {
        return wrong(
            "You must specify a method through --method=HTTPMethod to use with --body-data or --body-file.",
        );
    }
    if both("body-data", "body-file") {
        return wrong("You cannot specify both --body-data and --body-file.");
    }
    let method = method.or_else(|| post.is_some().then(|| "POST".to_owned()));
    Ok((method, post.or(body)))
}

/// A time: `5`, `0.5`, `2m`, `1h`, `1d`.
fn time(parsed: &Parsed, name: &str) -> Result<Option<Duration>, Wrong> {
    let Some(text) = parsed.value(name) else {
        return Ok(None);
    };
    let (number, unit) = match text.last() {
        Some(b's') => (&text[..text.len() - 1], 1.0),
        Some(b'm') => (&text[..text.len() - 1], 60.0),
        Some(b'h') => (&text[..text.len() - 1], 3600.0),
        Some(b'd') => (&text[..text.len() - 1], 86400.0),
        _ => (text, 1.0),
    };
    let number = number
        .to_str()
        .ok()
        .and_then(|number| number.parse::<f64>().ok());
    let time = number.and_then(|number| Duration::try_from_secs_f64(number * unit).ok());
    match time {
        Some(time) => Ok(Some(time)),
        None => Err(invalid(name, "time period", text, "")),
    }
}

fn invalid(option: &str, what: &str, text: &[u8], end: &str) -> Wrong {
    let text = bstr::BStr::new(text);
    Wrong(format!("wget: --{option}: Invalid {what} ‘{text}’{end}"), 2)
}

/// Bytes in a second, with a unit.
fn rate(text: &[u8]) -> Option<u64> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.to_str().ok()?.parse().ok()?;
    let shift = match unit.first().map(u8::to_ascii_lowercase) {
        Some(b'k') => 10,
        Some(b'm') => 20,
        Some(b'g') => 30,
        _ => 0,
    };
    number.checked_shl(shift).filter(|rate| *rate > 0)
}
