//! What the arguments of `curl` ask for.

use std::{io, time::Duration};

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use super::{
    data::{self, Data},
    form::Part,
    options::{Arg, NOT_HERE, Wrong, wrong},
    rcfile,
};
use crate::session::Family;

/// What one set of options asks for. `--next` begins another.
#[derive(Default)]
pub(super) struct Config {
    /// URLs, and where each goes to and comes from.
    pub(super) nodes: Vec<Node>,
    pub(super) method: Option<String>,
    pub(super) is_head: bool,
    pub(super) is_get: bool,
    pub(super) headers: Vec<BString>,
    pub(super) data: Option<Data>,
    pub(super) query: Vec<BString>,
    pub(super) form: Vec<Part>,
    pub(super) agent: Option<BString>,
    pub(super) referer: Option<BString>,
    pub(super) refers_automatically: bool,
    pub(super) user: Option<BString>,
    pub(super) bearer: Option<BString>,
    /// `name=value` pairs.
    pub(super) cookies: Vec<BString>,
    pub(super) cookie_files: Vec<BString>,
    pub(super) cookie_jar: Option<BString>,
    pub(super) junks_session_cookies: bool,
    pub(super) range: Option<BString>,
    pub(super) resume: Option<Resume>,
    pub(super) time_condition: Option<BString>,
    pub(super) is_compressed: bool,
    pub(super) is_old: bool,
    pub(super) is_insecure: bool,
    pub(super) family: Option<Family>,
    pub(super) needs_tls13: bool,
    pub(super) follows: bool,
    pub(super) trusts_others: bool,
    pub(super) max_redirects: Option<i64>,
    pub(super) keeps_post: [bool; 3],
    pub(super) protocols: Protocols,
    pub(super) redirect_protocols: Option<Protocols>,
    pub(super) default_protocol: Option<String>,
    pub(super) max_time: Option<Duration>,
    pub(super) connect_timeout: Option<Duration>,
    pub(super) max_size: Option<u64>,
    pub(super) rate: Option<u64>,
    pub(super) retries: u64,
    pub(super) retry_delay: Option<Duration>,
    pub(super) retry_time: Option<Duration>,
    pub(super) retries_all: bool,
    pub(super) retries_refused: bool,
    pub(super) fails: Fails,
    pub(super) fails_early: bool,
    pub(super) includes_head: bool,
    pub(super) head_file: Option<BString>,
    pub(super) write_out: Option<BString>,
    pub(super) uses_remote_names: bool,
    pub(super) uses_header_name: bool,
    pub(super) output_dir: Option<BString>,
    pub(super) creates_directories: bool,
    pub(super) keeps_files: bool,
    pub(super) removes_on_error: bool,
    pub(super) sets_time: bool,
    pub(super) is_globbing_off: bool,
}

/// What all sets of options share.
#[derive(Default)]
pub(super) struct Global {
    pub(super) is_silent: bool,
    pub(super) shows_errors: bool,
    pub(super) is_verbose: bool,
    pub(super) hides_progress: bool,
    pub(super) is_bar: bool,
    pub(super) stderr: Option<BString>,
    pub(super) act: Option<Act>,
}

/// What is done in the place of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Help,
    Version,
}

/// A URL, where what it gives goes to, and what is sent to it.
#[derive(Default)]
pub(super) struct Node {
    pub(super) url: Option<BString>,
    pub(super) output: Option<Output>,
    pub(super) upload: Option<BString>,
}

#[derive(Clone)]
pub(super) enum Output {
    File(BString),
    RemoteName,
}

/// Where a transfer goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resume {
    /// Where the file ends.
    AtEnd,
    At(u64),
}

/// What becomes of an answer of 400 or more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Fails {
    #[default]
    Never,
    WithoutBody,
    WithBody,
}

/// Which schemes may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Protocols {
    pub(super) http: bool,
    pub(super) https: bool,
}

impl Default for Protocols {
    fn default() -> Self {
        Self {
            http: true,
            https: true,
        }
    }
}

impl Protocols {
    pub(super) fn allow(self, scheme: &str) -> bool {
        match scheme {
            "http" => self.http,
            "https" => self.https,
            _ => false,
        }
    }

    /// `=https`, `-http`, `http,https`, `-all,https`.
    fn parse(text: &str) -> Option<Self> {
        let mut protocols = Self::default();
        for word in text.split(',') {
            let (sign, name) = match word.as_bytes().first()? {
                b'+' | b'-' | b'=' => word.split_at(1),
                _ => ("+", word),
            };
            if sign == "=" {
                protocols = Self {
                    http: false,
                    https: false,
                };
            }
            let is_on = sign != "-";
            match name {
                "all" => {
                    protocols = Self {
                        http: is_on,
                        https: is_on,
                    }
                }
                "http" => protocols.http = is_on,
                "https" => protocols.https = is_on,
                // Others are never spoken here.
                _ => {}
            }
        }
        Some(protocols)
    }
}

/// What can go wrong while options are read.
pub(super) enum Problem {
    Wrong(Wrong),
    /// A file could not be read: the exit code, and the option.
    File(Wrong),
    Io(io::Error),
}

impl From<Wrong> for Problem {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong(wrong)
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads arguments, and the files that they name.
pub(super) struct Reader<'p> {
    pub(super) process: &'p Process,
    pub(super) global: Global,
    pub(super) configs: Vec<Config>,
    /// What the reader should know, unless it wants to know nothing.
    pub(super) warnings: Vec<String>,
    /// Files within files.
    pub(super) depth: usize,
}

impl<'p> Reader<'p> {
    pub(super) fn new(process: &'p Process) -> Self {
        Self {
            process,
            global: Global::default(),
            configs: vec![Config::default()],
            warnings: Vec::new(),
            depth: 0,
        }
    }

    pub(super) fn take_all(&mut self, args: Vec<Arg>) -> Result<(), Problem> {
        args.into_iter().try_for_each(|arg| self.take(arg))
    }

    fn take(&mut self, arg: Arg) -> Result<(), Problem> {
        self.process.spend(64);
        match arg {
            Arg::Flag(name, is_on) => self.take_flag(name, is_on),
            Arg::Value(name, value, said) => self.take_value(name, value, &said)?,
            Arg::Url(url) => self.node(|node| node.url.is_none()).url = Some(url),
        }
        Ok(())
    }

    fn config(&mut self) -> &mut Config {
        if self.configs.is_empty() {
            self.configs.push(Config::default());
        }
        let last = self.configs.len() - 1;
        // There is one: see above.
        &mut self.configs[last]
    }

    /// The first node that still lacks something.
    fn node(&mut self, lacks: impl Fn(&Node) -> bool) -> &mut Node {
        let nodes = &mut self.config().nodes;
        let index = nodes.iter().position(lacks).unwrap_or_else(|| {
            nodes.push(Node::default());
            nodes.len() - 1
        });
        &mut nodes[index]
    }

    fn take_flag(&mut self, name: &str, is_on: bool) {
        match name {
            "silent" => self.global.is_silent = is_on,
            "show-error" => self.global.shows_errors = is_on,
            "verbose" => self.global.is_verbose = is_on,
            "progress-meter" => self.global.hides_progress = !is_on,
            "progress-bar" => self.global.is_bar = is_on,
            "help" => self.global.act = self.global.act.or(Some(Act::Help)),
            "version" => self.global.act = self.global.act.or(Some(Act::Version)),
            "next" => self.configs.push(Config::default()),
            "remote-name" => {
                let node = self.node(|node| node.output.is_none());
                node.output = Some(Output::RemoteName);
            }
            _ => self.config().take_flag(name, is_on),
        }
    }

    fn take_value(&mut self, name: &str, value: BString, said: &str) -> Result<(), Problem> {
        let process = self.process;
        match name {
            "url" => self.node(|node| node.url.is_none()).url = Some(value),
            "output" => {
                let node = self.node(|node| node.output.is_none());
                node.output = Some(Output::File(value));
            }
            "upload-file" => self.node(|node| node.upload.is_none()).upload = Some(value),
            "stderr" => self.global.stderr = Some(value),
            "config" => rcfile::read(self, &value, said)?,
            "data" | "data-ascii" | "data-binary" | "data-raw" | "data-urlencode" | "json" => {
                let read = data::read(process, name, &value, &mut self.warnings)?;
                let charge = process.charge(read.len())?;
                let config = self.config();
                let data = config.data.get_or_insert_with(Data::default);
                data.add(name, &read, charge);
                if name == "json" {
                    data.is_json = true;
                }
            }
            "url-query" => {
                let query = match value.strip_prefix(b"+") {
                    Some(raw) => raw.into(),
                    None => data::read(process, "data-urlencode", &value, &mut self.warnings)?,
                };
                self.config().query.push(query);
            }
            "form" | "form-string" => {
                let part = Part::parse(&value, name == "form-string");
                let Some(part) = part else {
                    self.warnings
                        .push("Illegally formatted input field!".to_owned());
                    return Err(wrong(said, BADLY).into());
                };
                self.config().form.push(part);
            }
            "header" => match value.strip_prefix(b"@") {
                Some(file) => {
                    let text = self.read_or_warn(file);
                    let lines = text.lines().filter(|line| !line.is_empty());
                    self.config().headers.extend(lines.map(BString::from));
                }
                None => self.config().headers.push(value),
            },
            "write-out" => {
                let format = match value.strip_prefix(b"@") {
                    Some(file) => self.read_or_warn(file),
                    None => value,
                };
                self.config().write_out = Some(format);
            }
            "limit-rate" | "max-filesize" => {
                let Some(size) = size(&value) else {
                    let what = if name == "limit-rate" { "rate" } else { name };
                    self.warnings
                        .push(format!("unsupported {what} unit. Use G, M, K or B!"));
                    return Err(wrong(said, BADLY).into());
                };
                let config = self.config();
                let target = if name == "limit-rate" {
                    &mut config.rate
                } else {
                    &mut config.max_size
                };
                *target = Some(size).filter(|size| *size > 0);
            }
            _ => self.config().take_value(name, value, said)?,
        }
        Ok(())
    }

    /// A file of headers or of a format. Without it the rest is done all the same.
    fn read_or_warn(&mut self, file: &[u8]) -> BString {
        data::read_file(self.process, file).unwrap_or_else(|_| {
            self.warnings
                .push(format!("Failed to open {}!", bstr::BStr::new(file)));
            BString::default()
        })
    }
}

/// What curl says of a value that makes no sense.
const BADLY: &str = "is badly used here";

impl Config {
    fn take_flag(&mut self, name: &str, is_on: bool) {
        match name {
            "compressed" => self.is_compressed = is_on,
            "create-dirs" => self.creates_directories = is_on,
            "fail" => {
                self.fails = if is_on {
                    Fails::WithoutBody
                } else {
                    Fails::Never
                }
            }
            "fail-with-body" => self.fails = if is_on { Fails::WithBody } else { Fails::Never },
            "fail-early" => self.fails_early = is_on,
            "get" => self.is_get = is_on,
            "globoff" => self.is_globbing_off = is_on,
            "head" => {
                self.is_head = is_on;
                self.includes_head |= is_on;
            }
            "http1.0" => self.is_old = true,
            "http1.1" => self.is_old = false,
            "include" => self.includes_head = is_on,
            "insecure" => self.is_insecure = is_on,
            "ipv4" => self.family = Some(Family::Four),
            "ipv6" => self.family = Some(Family::Six),
            "junk-session-cookies" => self.junks_session_cookies = is_on,
            "location" => self.follows = is_on,
            "location-trusted" => {
                self.follows = is_on;
                self.trusts_others = is_on;
            }
            "clobber" => self.keeps_files = !is_on,
            "post301" => self.keeps_post[0] = is_on,
            "post302" => self.keeps_post[1] = is_on,
            "post303" => self.keeps_post[2] = is_on,
            "remote-header-name" => self.uses_header_name = is_on,
            "remote-name-all" => self.uses_remote_names = is_on,
            "remote-time" => self.sets_time = is_on,
            "remove-on-error" => self.removes_on_error = is_on,
            "retry-all-errors" => self.retries_all = is_on,
            "retry-connrefused" => self.retries_refused = is_on,
            "tlsv1.3" => self.needs_tls13 = true,
            "tlsv1" | "tlsv1.0" | "tlsv1.1" | "tlsv1.2" => self.needs_tls13 = false,
            // What is always so: basic, buffer, no-buffer, disable, keepalive, styled-output, tcp-nodelay.
            _ => {}
        }
    }

    fn take_value(&mut self, name: &str, value: BString, said: &str) -> Result<(), Wrong> {
        let text = || value.to_str_lossy().into_owned();
        let number = || {
            let number = value
                .to_str()
                .ok()
                .and_then(|text| text.parse::<i64>().ok());
            number.ok_or_else(|| wrong(said, "expected a proper numerical parameter"))
        };
        let positive = || {
            let number = u64::try_from(number()?);
            number.map_err(|_| wrong(said, "expected a positive numerical parameter"))
        };
        match name {
            "connect-timeout" => self.connect_timeout = seconds(&value, said)?,
            "max-time" => self.max_time = seconds(&value, said)?,
            "continue-at" => {
                self.resume = Some(if value == "-" {
                    Resume::AtEnd
                } else {
                    Resume::At(positive()?)
                });
            }
            "cookie" => {
                if value.contains(&b'=') {
                    self.cookies.push(value);
                } else {
                    self.cookie_files.push(value);
                }
            }
            "cookie-jar" => self.cookie_jar = Some(value),
            "dump-header" => self.head_file = Some(value),
            "max-redirs" => self.max_redirects = Some(number()?),
            "oauth2-bearer" => self.bearer = Some(value),
            "output-dir" => self.output_dir = Some(value),
            "proto" => self.protocols = Protocols::parse(&text()).unwrap_or_default(),
            "proto-redir" => self.redirect_protocols = Protocols::parse(&text()),
            "proto-default" => match value.as_slice() {
                b"http" | b"https" => self.default_protocol = Some(text()),
                _ => {
                    return Err(wrong(
                        said,
                        "a specified protocol is unsupported by libcurl",
                    ));
                }
            },
            "range" => {
                // A single number is where to begin.
                let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
                self.range = Some(if is_number {
                    format!("{value}-").into()
                } else {
                    value
                });
            }
            "referer" => {
                let (referer, is_automatic) = match value.strip_suffix(b";auto") {
                    Some(referer) => (referer, true),
                    None => (value.as_slice(), false),
                };
                self.refers_automatically = is_automatic;
                self.referer = (!referer.is_empty()).then(|| referer.into());
            }
            "request" => self.method = Some(text()),
            "retry" => self.retries = positive()?,
            "retry-delay" => self.retry_delay = Some(Duration::from_secs(positive()?)),
            "retry-max-time" => self.retry_time = Some(Duration::from_secs(positive()?)),
            "time-cond" => self.time_condition = Some(value),
            "user" => self.user = Some(value),
            "user-agent" => self.agent = Some(value),
            "noproxy" => {}
            _ => return Err(wrong(said, NOT_HERE)),
        }
        Ok(())
    }
}

/// Seconds, which may have a fraction; nothing for 0.
fn seconds(text: &[u8], said: &str) -> Result<Option<Duration>, Wrong> {
    let number = text.to_str().ok().and_then(|text| text.parse::<f64>().ok());
    let time = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    let time = time.ok_or_else(|| wrong(said, "expected a proper numerical parameter"))?;
    Ok((!time.is_zero()).then_some(time))
}

/// Bytes, with a unit: `100K`.
fn size(text: &[u8]) -> Option<u64> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.to_str().ok()?.parse().ok()?;
    let shift = match unit {
        b"" | b"b" | b"B" => 0,
        b"k" | b"K" => 10,
        b"m" | b"M" => 20,
        b"g" | b"G" => 30,
        _ => return None,
    };
    number.checked_shl(shift)
}
