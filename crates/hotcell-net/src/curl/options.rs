//! The options of `curl`, and taking arguments apart by them.

use bstr::BString;

/// An option.
#[derive(Debug)]
pub(super) struct Opt {
    /// Its letter, if it has one.
    pub(super) short: Option<u8>,
    /// Its long name.
    pub(super) long: &'static str,
    pub(super) kind: Kind,
    /// What it does.
    help: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// On, or off as `--no-NAME`.
    Flag,
    /// Done at once.
    Act,
    /// Has a value, which help calls this.
    Value(&'static str),
    /// Known, and not to be had here.
    Missing,
}

const fn opt(short: char, long: &'static str, kind: Kind, help: &'static str) -> Opt {
    Opt {
        short: if short == ' ' {
            None
        } else {
            Some(short as u8)
        },
        long,
        kind,
        help,
    }
}

use Kind::{Act, Flag, Missing, Value};

/// The options, by name.
#[rustfmt::skip]
const OPTIONS: &[Opt] = &[
    opt(' ', "basic", Flag, "Use HTTP Basic Authentication"),
    opt(' ', "compressed", Flag, "Request compressed response"),
    opt('K', "config", Value("file"), "Read config from a file"),
    opt(' ', "connect-timeout", Value("seconds"), "Maximum time allowed for connection"),
    opt('C', "continue-at", Value("offset"), "Resumed transfer offset"),
    opt('b', "cookie", Value("data|filename"), "Send cookies from string/file"),
    opt('c', "cookie-jar", Value("filename"), "Write cookies to <filename> after operation"),
    opt(' ', "create-dirs", Flag, "Create necessary local directory hierarchy"),
    opt('d', "data", Value("data"), "HTTP POST data"),
    opt(' ', "data-ascii", Value("data"), "HTTP POST ASCII data"),
    opt(' ', "data-binary", Value("data"), "HTTP POST binary data"),
    opt(' ', "data-raw", Value("data"), "HTTP POST data, '@' allowed"),
    opt(' ', "data-urlencode", Value("data"), "HTTP POST data url encoded"),
    opt('q', "disable", Flag, "Disable .curlrc"),
    opt('D', "dump-header", Value("filename"), "Write the received headers to <filename>"),
    opt('f', "fail", Flag, "Fail fast with no output on HTTP errors"),
    opt(' ', "fail-early", Flag, "Fail on first transfer error, do not continue"),
    opt(' ', "fail-with-body", Flag, "Fail on HTTP errors but save the body"),
    opt('F', "form", Value("name=content"), "Specify multipart MIME data"),
    opt(' ', "form-string", Value("name=string"), "Specify multipart MIME data"),
    opt('G', "get", Flag, "Put the post data in the URL and use GET"),
    opt('g', "globoff", Flag, "Disable URL sequences and ranges using {} and []"),
    opt('I', "head", Flag, "Show document info only"),
    opt('H', "header", Value("header/@file"), "Pass custom header(s) to server"),
    opt('h', "help", Act, "Get help for commands"),
    opt('0', "http1.0", Act, "Use HTTP 1.0"),
    opt(' ', "http1.1", Act, "Use HTTP 1.1"),
    opt('i', "include", Flag, "Include protocol response headers in the output"),
    opt('k', "insecure", Flag, "Allow insecure server connections, if the network policy does"),
    opt('4', "ipv4", Act, "Resolve names to IPv4 addresses"),
    opt('6', "ipv6", Act, "Resolve names to IPv6 addresses"),
    opt(' ', "json", Value("data"), "HTTP POST JSON"),
    opt('j', "junk-session-cookies", Flag, "Ignore session cookies read from file"),
    opt(' ', "keepalive", Flag, "TCP keepalive, which is not used here"),
    opt('l', "list-only", Missing, ""),
    opt(' ', "limit-rate", Value("speed"), "Limit transfer speed to RATE"),
    opt('L', "location", Flag, "Follow redirects"),
    opt(' ', "location-trusted", Flag, "Like --location, and send auth to other hosts"),
    opt('M', "manual", Missing, ""),
    opt(' ', "max-filesize", Value("bytes"), "Maximum file size to download"),
    opt(' ', "max-redirs", Value("num"), "Maximum number of redirects allowed"),
    opt('m', "max-time", Value("seconds"), "Maximum time allowed for transfer"),
    opt(' ', "buffer", Flag, "Output is never buffered here"),
    opt('N', "no-buffer", Act, "Disable buffering of the output stream"),
    opt(' ', "clobber", Flag, "Overwrite files that already exist"),
    opt(' ', "noproxy", Value("no-proxy-list"), "Hosts that do not use a proxy; none does here"),
    opt(':', "next", Act, "Make next URL use its separate set of options"),
    opt(' ', "oauth2-bearer", Value("token"), "OAuth 2 Bearer Token"),
    opt('o', "output", Value("file"), "Write to file instead of stdout"),
    opt(' ', "output-dir", Value("dir"), "Directory to save files in"),
    opt(' ', "post301", Flag, "Do not switch to GET after following a 301"),
    opt(' ', "post302", Flag, "Do not switch to GET after following a 302"),
    opt(' ', "post303", Flag, "Do not switch to GET after following a 303"),
    opt('#', "progress-bar", Flag, "Display transfer progress as a bar"),
    opt(' ', "progress-meter", Flag, "Show the progress meter"),
    opt(' ', "proto", Value("protocols"), "Enable/disable PROTOCOLS"),
    opt(' ', "proto-default", Value("protocol"), "Use PROTOCOL for any URL missing a scheme"),
    opt(' ', "proto-redir", Value("protocols"), "Enable/disable PROTOCOLS on redirect"),
    opt('r', "range", Value("range"), "Retrieve only the bytes within RANGE"),
    opt(' ', "raw", Missing, ""),
    opt('e', "referer", Value("URL"), "Referrer URL"),
    opt('J', "remote-header-name", Flag, "Use the header-provided filename"),
    opt('O', "remote-name", Act, "Write output to a file named as the remote file"),
    opt(' ', "remote-name-all", Flag, "Use the remote file name for all URLs"),
    opt('R', "remote-time", Flag, "Set the remote file's time on the local output"),
    opt(' ', "remove-on-error", Flag, "Remove output file on errors"),
    opt('X', "request", Value("method"), "Specify request method to use"),
    opt(' ', "retry", Value("num"), "Retry request if transient problems occur"),
    opt(' ', "retry-all-errors", Flag, "Retry all errors (use with --retry)"),
    opt(' ', "retry-connrefused", Flag, "Retry on connection refused (use with --retry)"),
    opt(' ', "retry-delay", Value("seconds"), "Wait time between retries"),
    opt(' ', "retry-max-time", Value("seconds"), "Retry only within this period"),
    opt('S', "show-error", Flag, "Show error even when -s is used"),
    opt('s', "silent", Flag, "Silent mode"),
    opt('Y', "speed-limit", Missing, ""),
    opt('y', "speed-time", Missing, ""),
    opt(' ', "stderr", Value("file"), "Where to redirect stderr"),
    opt(' ', "styled-output", Flag, "Styled output for HTTP headers, on terminals"),
    opt(' ', "tcp-nodelay", Flag, "Use the TCP_NODELAY option, as always here"),
    opt('z', "time-cond", Value("time"), "Transfer based on a time condition"),
    opt('1', "tlsv1", Act, "Use TLSv1.0 or greater"),
    opt(' ', "tlsv1.0", Act, "Use TLSv1.0 or greater"),
    opt(' ', "tlsv1.1", Act, "Use TLSv1.1 or greater"),
    opt(' ', "tlsv1.2", Act, "Use TLSv1.2 or greater, as always here"),
    opt(' ', "tlsv1.3", Act, "Use TLSv1.3 or greater"),
    opt('T', "upload-file", Value("file"), "Transfer local FILE to destination"),
    opt(' ', "url", Value("url"), "URL to work with"),
    opt(' ', "url-query", Value("data"), "Add a URL query part"),
    opt('u', "user", Value("user:password"), "Server user and password"),
    opt('A', "user-agent", Value("name"), "Send User-Agent <name> to server"),
    opt('v', "verbose", Flag, "Make the operation more talkative"),
    opt('V', "version", Act, "Show version number and quit"),
    opt('w', "write-out", Value("format"), "Use output FORMAT after completion"),
    // Known to curl, and not to be had here: where a request goes is for the policy to say.
    opt('x', "proxy", Missing, ""),
    opt('p', "proxytunnel", Missing, ""),
    opt('U', "proxy-user", Missing, ""),
    opt(' ', "preproxy", Missing, ""),
    opt(' ', "socks4", Missing, ""),
    opt(' ', "socks4a", Missing, ""),
    opt(' ', "socks5", Missing, ""),
    opt(' ', "socks5-hostname", Missing, ""),
    opt(' ', "resolve", Missing, ""),
    opt(' ', "connect-to", Missing, ""),
    opt(' ', "interface", Missing, ""),
    opt(' ', "local-port", Missing, ""),
    opt(' ', "dns-servers", Missing, ""),
    opt(' ', "doh-url", Missing, ""),
    opt(' ', "unix-socket", Missing, ""),
    opt(' ', "abstract-unix-socket", Missing, ""),
    opt(' ', "request-target", Missing, ""),
    opt(' ', "path-as-is", Missing, ""),
    opt(' ', "cacert", Missing, ""),
    opt(' ', "capath", Missing, ""),
    opt('E', "cert", Missing, ""),
    opt(' ', "key", Missing, ""),
    opt(' ', "ciphers", Missing, ""),
    opt(' ', "tls-max", Missing, ""),
    opt(' ', "http0.9", Missing, ""),
    opt(' ', "http2", Missing, ""),
    opt(' ', "http2-prior-knowledge", Missing, ""),
    opt(' ', "http3", Missing, ""),
    opt(' ', "anyauth", Missing, ""),
    opt(' ', "digest", Missing, ""),
    opt(' ', "ntlm", Missing, ""),
    opt(' ', "negotiate", Missing, ""),
    opt(' ', "aws-sigv4", Missing, ""),
    opt('n', "netrc", Missing, ""),
    opt(' ', "netrc-file", Missing, ""),
    opt(' ', "netrc-optional", Missing, ""),
    opt('Z', "parallel", Missing, ""),
    opt(' ', "parallel-max", Missing, ""),
    opt(' ', "parallel-immediate", Missing, ""),
    opt(' ', "trace", Missing, ""),
    opt(' ', "trace-ascii", Missing, ""),
    opt(' ', "trace-time", Missing, ""),
    opt('Q', "quote", Missing, ""),
    opt('P', "ftp-port", Missing, ""),
    opt('B', "use-ascii", Missing, ""),
    opt('a', "append", Missing, ""),
    opt('t', "telnet-option", Missing, ""),
];

/// An argument, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Arg {
    /// A flag, and whether it is on; or something to do, which is always on.
    Flag(&'static str, bool),
    /// An option with a value, and what the user called it.
    Value(&'static str, BString, String),
    /// A URL.
    Url(BString),
}

/// What is wrong with arguments: `curl: option NAME: WHY`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) option: String,
    pub(super) why: &'static str,
}

/// Why an option is wrong that curl knows, and that is not here.
pub(super) const NOT_HERE: &str = "the installed libcurl version doesn't support this";

/// Takes arguments apart.
pub(super) fn parse(args: &[BString]) -> Result<Vec<Arg>, Wrong> {
    let mut parsed = Vec::new();
    let mut args = args.iter();
    let mut is_over = false;
    while let Some(arg) = args.next() {
        match arg.as_slice() {
            b"--" if !is_over => is_over = true,
            [b'-', b'-', name @ ..] if !is_over => {
                let name = String::from_utf8_lossy(name);
                let said = format!("--{name}");
                let (opt, is_on) = find_long(&name)?;
                parsed.push(match opt.kind {
                    Kind::Value(_) => {
                        let value = args.next().cloned();
                        let value = value.ok_or_else(|| wrong(&said, "requires parameter"))?;
                        Arg::Value(opt.long, value, said)
                    }
                    Kind::Flag | Kind::Act => Arg::Flag(opt.long, is_on),
                    Kind::Missing => return Err(wrong(&said, NOT_HERE)),
                });
            }
            [b'-', letters @ ..] if !is_over && !letters.is_empty() => {
                parse_short(letters, &mut args, &mut parsed)?;
            }
            _ => parsed.push(Arg::Url(arg.clone())),
        }
    }
    Ok(parsed)
}

fn parse_short<'a>(
    letters: &[u8],
    args: &mut impl Iterator<Item = &'a BString>,
    parsed: &mut Vec<Arg>,
) -> Result<(), Wrong> {
    let mut rest = letters;
    while let Some((letter, after)) = rest.split_first() {
        rest = after;
        let said = format!("-{}", char::from(*letter));
        let opt = OPTIONS.iter().find(|opt| opt.short == Some(*letter));
        let opt = opt.ok_or_else(|| wrong(&said, "is unknown"))?;
        match opt.kind {
            Kind::Flag | Kind::Act => parsed.push(Arg::Flag(opt.long, true)),
            Kind::Missing => return Err(wrong(&said, NOT_HERE)),
            Kind::Value(_) => {
                let attached = std::mem::take(&mut rest);
                let value = if attached.is_empty() {
                    args.next().cloned()
                } else {
                    Some(attached.into())
                };
                let value = value.ok_or_else(|| wrong(&said, "requires parameter"))?;
                parsed.push(Arg::Value(opt.long, value, said));
            }
        }
    }
    Ok(())
}

/// An option by its name, by a beginning that no other has, or turned off.
pub(super) fn find_long(name: &str) -> Result<(&'static Opt, bool), Wrong> {
    let said = format!("--{name}");
    let exact = |name: &str| OPTIONS.iter().find(|opt| opt.long == name);
    if let Some(opt) = exact(name) {
        return Ok((opt, true));
    }
    if let Some(opt) = name.strip_prefix("no-").and_then(exact) {
        if opt.kind == Kind::Flag {
            return Ok((opt, false));
        }
        return Err(wrong(&said, "used '--no-' for option that isn't a boolean"));
    }
    let mut near = OPTIONS
        .iter()
        .filter(|opt| opt.long.starts_with(name) && !name.is_empty());
    match (near.next(), near.next()) {
        (Some(opt), None) => Ok((opt, true)),
        (Some(_), Some(_)) => Err(wrong(&said, "is ambiguous")),
        _ => Err(wrong(&said, "is unknown")),
    }
}

pub(super) fn wrong(option: &str, why: &'static str) -> Wrong {
    Wrong {
        option: option.to_owned(),
        why,
    }
}

/// What `--help` prints.
pub(super) fn help() -> String {
    let mut text = String::from("Usage: curl [options...] <url>\n");
    for opt in OPTIONS.iter().filter(|opt| opt.kind != Kind::Missing) {
        let short = match opt.short {
            Some(letter) => format!("-{},", char::from(letter)),
            None => "   ".to_owned(),
        };
        let value = match opt.kind {
            Kind::Value(name) => format!(" <{name}>"),
            _ => String::new(),
        };
        let name = format!("--{}{value}", opt.long);
        text.push_str(&format!(" {short} {name:<28} {}\n", opt.help));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &[&str]) -> Result<Vec<Arg>, String> {
        let args: Vec<BString> = args.iter().map(|arg| (*arg).into()).collect();
        parse(&args).map_err(|wrong| format!("option {}: {}", wrong.option, wrong.why))
    }

    #[test]
    fn letters_stand_together_and_values_stick_to_them() {
        let value = |long, value: &str, said: &str| Arg::Value(long, value.into(), said.to_owned());
        assert_eq!(
            parsed(&["-sSLofile", "-XPOST", "-o", "-", "u", "--", "-s"]).unwrap(),
            [
                Arg::Flag("silent", true),
                Arg::Flag("show-error", true),
                Arg::Flag("location", true),
                value("output", "file", "-o"),
                value("request", "POST", "-X"),
                value("output", "-", "-o"),
                Arg::Url("u".into()),
                Arg::Url("-s".into()),
            ]
        );
    }

    #[test]
    fn long_names_may_be_short_and_flags_turned_off() {
        assert_eq!(parsed(&["--sile"]).unwrap(), [Arg::Flag("silent", true)]);
        assert_eq!(
            parsed(&["--no-silent"]).unwrap(),
            [Arg::Flag("silent", false)]
        );
        let why = |args: &[&str]| parsed(args).unwrap_err();
        assert_eq!(why(&["--foo"]), "option --foo: is unknown");
        assert_eq!(why(&["--silent=1"]), "option --silent=1: is unknown");
        assert_eq!(why(&["--he"]), "option --he: is ambiguous");
        assert_eq!(why(&["-$"]), "option -$: is unknown");
        assert_eq!(why(&["--output"]), "option --output: requires parameter");
        assert_eq!(why(&["-so"]), "option -o: requires parameter");
        assert_eq!(
            why(&["--no-output"]),
            "option --no-output: used '--no-' for option that isn't a boolean"
        );
        assert_eq!(why(&["-x", "p"]), format!("option -x: {NOT_HERE}"));
    }

    #[test]
    fn each_option_has_one_name_and_one_letter() {
        for (number, opt) in OPTIONS.iter().enumerate() {
            let others = || OPTIONS.iter().skip(number + 1);
            assert!(others().all(|other| other.long != opt.long), "{}", opt.long);
            assert!(
                opt.short.is_none() || others().all(|other| other.short != opt.short),
                "{}",
                opt.long
            );
        }
    }
}
