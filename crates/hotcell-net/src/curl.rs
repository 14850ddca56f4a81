//! `curl`: what libcurl's own program does for HTTP, as 7.88 does it.

mod config;
mod data;
mod failure;
mod form;
mod glob;
mod meter;
mod options;
mod output;
mod rcfile;
mod report;
mod request;
mod talk;
mod transfer;
mod write_out;

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use bstr::{BString, ByteSlice};
use hotcell_process::{Disposition, Process, Signal};

use crate::{
    cookies::{CURL_HEADING, Jar},
    date,
    network::Network,
    note::Notes,
    session::Session,
};
use config::{Act, Config, Global, Problem, Reader};
use glob::Glob;
use report::Report;
use talk::Talk;
use transfer::{Job, Transfer, now};

/// The version whose behaviour this is.
pub(crate) const VERSION: &str = "7.88.1";

/// Where whoever gives wrong arguments is sent.
const TRY: &str = "try 'curl --help' or 'curl --manual' for more information";

/// The longest pause between tries.
const MAX_PAUSE: Duration = Duration::from_mins(10);

/// One run of the program.
struct Curl<'p> {
    process: &'p Process,
    network: &'p Network,
    global: Global,
    session: Session,
    talk: Talk<'p>,
    jar: Jar,
    /// Cookies of responses go into the jar.
    keeps_cookies: bool,
    /// Connections that were made.
    connections: u32,
    has_heading: bool,
}

/// Runs it; returns the exit code.
pub(crate) fn main(process: &Process, network: &Network) -> io::Result<i32> {
    // Who closes the pipe is told about like every other that cannot be written to.
    process.set_disposition(Signal::PIPE, Disposition::Ignore);
    let args = process.args().get(1..).unwrap_or_default();
    let mut reader = Reader::new(process);
    let is_disabled = args.first().is_some_and(|first| {
        first == "--disable" || first.starts_with(b"-q") && !first.starts_with(b"--")
    });
    let mut read = Ok(());
    if !is_disabled && !args.is_empty() {
        read = rcfile::read_default(&mut reader);
    }
    let read = read.and_then(|()| {
        let parsed = options::parse(args)?;
        reader.take_all(parsed)
    });
    let stderr = match &reader.global.stderr {
        Some(file) => output::open_or_stdout(process, file).or_else(|_| process.descriptor(2)),
        None => process.descriptor(2),
    };
    let stderr = stderr.unwrap_or_else(|_| Arc::new(hotcell_process::Null));
    // What is wrong with options is said also to those who want to hear nothing.
    let always = Talk::new(process, &Global::default(), Arc::clone(&stderr));
    match read {
        Ok(()) => {}
        Err(Problem::Io(error)) => return Err(error),
        Err(Problem::Wrong(wrong) | Problem::File(wrong)) if wrong.option.is_empty() => {
            return Ok(2);
        }
        Err(problem) => {
            let (wrong, code) = match problem {
                Problem::File(wrong) => (wrong, 26),
                Problem::Wrong(wrong) => (wrong, 2),
                Problem::Io(error) => return Err(error),
            };
            reader
                .warnings
                .iter()
                .for_each(|warning| always.warn(warning));
            always.fail(&format!("option {}: {}", wrong.option, wrong.why));
            if wrong.why == options::NOT_HERE {
                always.fail("this curl speaks HTTP/1.1, and where to is for the sandbox's network policy to say");
            }
            always.fail(TRY);
            return Ok(code);
        }
    }
    let Reader {
        global,
        configs,
        warnings,
        ..
    } = reader;
    match global.act {
        Some(Act::Help) => return print(process, &options::help()),
        Some(Act::Version) => return print(process, &version()),
        None => {}
    }
    let talk = Talk::new(process, &global, stderr);
    warnings.iter().for_each(|warning| talk.warn(warning));
    if configs
        .iter()
        .all(|config| config.nodes.iter().all(|node| node.url.is_none()))
    {
        if !args.is_empty() {
            always.fail("no URL specified!");
        }
        always.fail(TRY);
        return Ok(2);
    }
    let notes = if global.is_verbose {
        Notes::kept()
    } else {
        Notes::default()
    };
    let mut curl = Curl {
        process,
        network,
        global,
        session: Session::new(network, process.account(), notes),
        talk,
        jar: Jar::new(process.account()),
        keeps_cookies: false,
        connections: 0,
        has_heading: false,
    };
    curl.run_all(&configs)
}

fn print(process: &Process, text: &str) -> io::Result<i32> {
    let stdout = process.descriptor(1)?;
    process.write_all(&stdout, text.as_bytes())?;
    Ok(0)
}

fn version() -> String {
    format!(
        "curl {VERSION} (hotcell {}) rustls\nProtocols: http https\nFeatures: brotli IDN IPv6 libz SSL zstd\n",
        env!("CARGO_PKG_VERSION")
    )
}

impl Curl<'_> {
    fn run_all(&mut self, configs: &[Config]) -> io::Result<i32> {
        let mut code = 0;
        let mut number = 0;
        for config in configs {
            if let Some(wrong) = contradiction(config) {
                self.talk.warn(&wrong);
                return Ok(2);
            }
            self.load_cookies(config)?;
            for node in &config.nodes {
                let Some(pattern) = &node.url else {
                    self.talk.fail(TRY);
                    return Ok(2);
                };
                let glob = if config.is_globbing_off {
                    Ok(Glob::literal(pattern))
                } else {
                    Glob::parse(pattern)
                };
                let glob = match glob {
                    Ok(glob) => glob,
                    Err(error) => {
                        let (why, position) = (error.why, error.position);
                        let pointer = " ".repeat(position.saturating_sub(1));
                        self.talk.fail(&format!(
                            "(3) {why} in URL position {position}:\n{pattern}\n{pointer}^"
                        ));
                        code = 3;
                        continue;
                    }
                };
                for index in 0..glob.len() {
                    let (url, patterns) = glob.get(index);
                    let job = Job {
                        config,
                        node,
                        url,
                        patterns,
                        number,
                    };
                    code = self.run_job(&job)?;
                    number += 1;
                    if code != 0 && config.fails_early {
                        self.save_cookies(config)?;
                        return Ok(code);
                    }
                }
            }
            self.save_cookies(config)?;
        }
        Ok(code)
    }

    /// Transfers one URL, several times if it has to be; returns the exit code.
    fn run_job(&mut self, job: &Job<'_>) -> io::Result<i32> {
        let config = job.config;
        let began = Instant::now();
        let mut left = config.retries;
        let mut pause = config.retry_delay.unwrap_or(Duration::from_secs(1));
        loop {
            let mut transfer = Transfer::new(self, job);
            transfer.run()?;
            let report = std::mem::take(&mut transfer.report);
            if let Some(failure) = &report.failure {
                self.talk
                    .fail(&format!("({}) {}", failure.code, failure.message));
            }
            if let Some(why) = worth_a_retry(config, &report).filter(|_| left > 0) {
                let asked = retry_after(&report, now(self.process));
                let this = asked.unwrap_or(pause).min(MAX_PAUSE);
                let is_late = config
                    .retry_time
                    .is_some_and(|time| began.elapsed() + this > time);
                if !is_late {
                    let seconds = this.as_secs();
                    self.talk.warn(&format!(
                        "Problem {why}. Will retry in {seconds} seconds. {left} retries left."
                    ));
                    left -= 1;
                    self.process.sleep(this);
                    if config.retry_delay.is_none() {
                        pause = (pause * 2).min(MAX_PAUSE);
                    }
                    continue;
                }
            }
            self.write_out(config, &report)?;
            return Ok(report.code());
        }
    }

    fn write_out(&self, config: &Config, report: &Report) -> io::Result<()> {
        let Some(format) = &config.write_out else {
            return Ok(());
        };
        let printed = write_out::fill(format, report);
        for (is_error, text) in &printed {
            if *is_error {
                self.talk.say(text);
            } else {
                let stdout = self.process.descriptor(1)?;
                // As curl has it, nobody asks whether this was written.
                let _ = self.process.write_all(&stdout, text);
            }
        }
        Ok(())
    }

    fn load_cookies(&mut self, config: &Config) -> io::Result<()> {
        self.keeps_cookies = !config.cookie_files.is_empty() || config.cookie_jar.is_some();
        for file in config.cookie_files.iter().filter(|file| !file.is_empty()) {
            // A file that is not there has no cookies.
            if let Ok(text) = data::read_file(self.process, file) {
                let takes_session = !config.junks_session_cookies;
                let read = self.jar.read(&text, takes_session, now(self.process));
                read.map_err(hotcell_process::limit_error)?;
            }
        }
        Ok(())
    }

    fn save_cookies(&self, config: &Config) -> io::Result<()> {
        let Some(file) = &config.cookie_jar else {
            return Ok(());
        };
        let text = self.jar.write(CURL_HEADING, true);
        let written = output::open_or_stdout(self.process, file)
            .and_then(|stream| self.process.write_all(&stream, &text));
        if written.is_err() {
            self.talk.warn(&format!("failed to save cookies in {file}"));
        }
        Ok(())
    }
}

/// Options that cannot be meant together.
fn contradiction(config: &Config) -> Option<String> {
    let uploads = config.nodes.iter().any(|node| node.upload.is_some());
    let ways = [
        (uploads, "PUT (-T, --upload-file)"),
        (config.data.is_some() && !config.is_get, "POST (-d, --data)"),
        (!config.form.is_empty(), "multipart formpost (-F, --form)"),
        (config.is_head, "HEAD (-I, --head)"),
    ];
    let mut asked = ways.into_iter().filter(|(is_asked, _)| *is_asked);
    let (one, other) = (asked.next()?.1, asked.next()?.1);
    Some(format!(
        "You can only select one HTTP request method! You asked for both {one} and {other}."
    ))
}

/// Why a transfer should be tried again, if it should.
fn worth_a_retry(config: &Config, report: &Report) -> Option<&'static str> {
    if config.retries == 0 {
        return None;
    }
    let failure = report.failure.as_ref();
    match report.status() {
        _ if failure.is_some_and(|failure| failure.code == 28) => Some(": timeout"),
        _ if failure.is_some_and(|failure| failure.is_transient) => Some(": DNS"),
        _ if config.retries_refused && failure.is_some_and(|failure| failure.is_refused) => {
            Some(": connection refused")
        }
        408 | 429 | 500 | 502 | 503 | 504 if failure.is_none_or(|failure| failure.code == 22) => {
            Some(": HTTP error")
        }
        _ if config.retries_all && failure.is_some() => Some("(retrying all errors)"),
        _ => None,
    }
}

/// How long the server asks to wait.
fn retry_after(report: &Report, now: i64) -> Option<Duration> {
    let value: &BString = report.head.as_ref()?.header("retry-after")?;
    if let Some(seconds) = value
        .to_str()
        .ok()
        .and_then(|text| text.trim().parse().ok())
    {
        return Some(Duration::from_secs(seconds));
    }
    let then = date::parse(value)?;
    Some(Duration::from_secs(u64::try_from(then - now).unwrap_or(0)))
}
