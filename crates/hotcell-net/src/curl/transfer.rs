//! One URL: its requests, its redirects, its response.

mod body;
mod progress;

use std::{io, sync::Arc, time::Instant};

use bstr::{BString, ByteSlice};
use hotcell_process::Stream;
use url::Url;

use super::{
    Curl,
    config::{Config, Fails, Node, Resume},
    failure::{Failure, Received},
    output::{self, Sink},
    report::Report,
    request::{Hop, parse_url},
};
use crate::{
    BodyLength, date, driver, error::NetError, exchange::Exchange, http::response::ResponseHead,
    note::Notes, redirect, session::Terms, upload::Upload,
};

/// What curl follows without being told how many.
const MAX_REDIRECTS: i64 = 50;

/// How much of a body is read at a time.
const PIECE: usize = 64 << 10;

/// What is to be transferred.
pub(super) struct Job<'a> {
    pub(super) config: &'a Config,
    pub(super) node: &'a Node,
    pub(super) url: BString,
    /// What stands for `#1` … in names of files.
    pub(super) patterns: Vec<BString>,
    pub(super) number: u64,
}

/// A failure of the transfer, or of the process itself.
pub(super) enum Broken {
    Failed(Failure),
    Io(io::Error),
}

impl From<Failure> for Broken {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A transfer under way.
pub(super) struct Transfer<'a, 'c, 'p> {
    curl: &'c mut Curl<'p>,
    job: &'a Job<'a>,
    began: Instant,
    terms: Terms,
    pub(super) report: Report,
    pub(super) is_metered: bool,
}

impl<'a, 'c, 'p> Transfer<'a, 'c, 'p> {
    pub(super) fn new(curl: &'c mut Curl<'p>, job: &'a Job<'a>) -> Self {
        let config = job.config;
        let began = Instant::now();
        Self {
            curl,
            job,
            began,
            terms: Terms {
                connect_timeout: config.connect_timeout,
                deadline: config.max_time.and_then(|time| began.checked_add(time)),
                response_bytes: config.max_size.filter(|size| *size > 0),
                decompresses: config.is_compressed,
                family: config.family,
                needs_tls13: config.needs_tls13,
            },
            report: Report {
                given: job.url.clone(),
                number: job.number,
                ..Report::default()
            },
            is_metered: false,
        }
    }

    /// Does it, and keeps what is known about it.
    pub(super) fn run(&mut self) -> io::Result<()> {
        let result = self.perform();
        self.report.times.total = self.began.elapsed();
        if self.is_metered {
            self.show_progress(true);
        }
        match result {
            Ok(()) => Ok(()),
            Err(Broken::Failed(failure)) => {
                self.report.failure = Some(failure);
                Ok(())
            }
            Err(Broken::Io(error)) => Err(error),
        }
    }

    fn perform(&mut self) -> Result<(), Broken> {
        let (process, config) = (self.curl.process, self.job.config);
        let mut url = parse_url(&self.job.url, config)?;
        self.report.url = Some(url.clone());
        let body = self.body(&mut url)?;
        self.report.url = Some(url.clone());
        let mut sink = Sink::new(
            config,
            self.job.node.output.as_ref(),
            &url,
            &self.job.patterns,
        )?;
        let resume_at = match config.resume {
            None => None,
            Some(Resume::At(at)) => Some(at),
            Some(Resume::AtEnd) => {
                Some(sink.file().map_or(0, |file| output::size_of(process, file)))
            }
        };
        if resume_at.is_some() {
            sink.append();
        }
        let sends = !matches!(body.upload, Upload::None);
        let method = match (&config.method, config.is_head) {
            (Some(method), _) => method.clone(),
            (None, true) => "HEAD".to_owned(),
            (None, false) => body.method.to_owned(),
        };
        let hop = Hop {
            method,
            length: body.upload.length(),
            kind: body.kind.clone(),
            first: url.clone(),
            url,
            referer: config.referer.clone(),
            resume_at: resume_at.filter(|at| *at > 0 && !sends),
            cookies: None,
            if_modified: self.time_condition()?,
        };
        let done = self.follow(hop, body.upload, &mut sink);
        for warning in std::mem::take(&mut sink.warnings) {
            self.curl.talk.warn(&warning);
        }
        self.report.file = sink.file().cloned();
        if done.is_err() && config.removes_on_error {
            sink.remove(process);
        }
        done
    }

    /// Makes requests until there is something to show.
    fn follow(&mut self, mut hop: Hop, mut upload: Upload, sink: &mut Sink) -> Result<(), Broken> {
        let config = self.job.config;
        let head_stream = match &config.head_file {
            Some(file) => {
                let opened = output::open_or_stdout(self.curl.process, file);
                Some(opened.map_err(|_| Failure::opening())?)
            }
            None => None,
        };
        loop {
            let (mut exchange, head) =
                self.exchange(&mut hop, &upload, sink, head_stream.as_ref())?;
            let target = redirect::target(&hop.url, &head).ok().flatten();
            self.report.redirect_url = target.clone().filter(|_| !config.follows);
            let Some(url) = target.filter(|_| config.follows) else {
                return self.receive(exchange, &hop, &head, sink);
            };
            self.curl.talk.note("Ignoring the response-body");
            let mut piece = vec![0; PIECE];
            loop {
                let count = self.read(&mut exchange, &mut piece)?;
                self.curl.talk.data('{', count as u64);
                if count == 0 {
                    break;
                }
            }
            self.finish(exchange, &hop);
            self.report.redirects += 1;
            let allowed = config.max_redirects.unwrap_or(MAX_REDIRECTS);
            if allowed >= 0 && i64::from(self.report.redirects) > allowed {
                self.report.redirects -= 1;
                return Err(
                    Failure::new(47, format!("Maximum ({allowed}) redirects followed")).into(),
                );
            }
            let of_policy = self
                .curl
                .network
                .policy()
                .map_or(0, |policy| policy.limits.redirects);
            if self.report.redirects > of_policy {
                let error = NetError::Redirects { limit: of_policy };
                return Err(self.failure(&error, Received::default()).into());
            }
            self.report.times.redirects = self.began.elapsed();
            if self.redirect(&mut hop, url, head.status)? {
                upload = Upload::None;
            }
        }
    }

    /// Makes the next hop of this one; says whether the body is left behind.
    fn redirect(&mut self, hop: &mut Hop, url: Url, status: u16) -> Result<bool, Broken> {
        let config = self.job.config;
        let protocols = config.redirect_protocols.unwrap_or(config.protocols);
        if !matches!(url.scheme(), "http" | "https") {
            let why = "The redirect target URL could not be parsed: Unsupported URL scheme";
            return Err(Failure::new(1, why).into());
        }
        if !protocols.allow(url.scheme()) {
            return Err(Failure::protocol(url.scheme()).into());
        }
        self.curl
            .talk
            .note(&format!("Issue another request to this URL: '{url}'"));
        if config.refers_automatically {
            let mut referer = hop.url.clone();
            let _ = referer.set_username("");
            let _ = referer.set_password(None);
            hop.referer = Some(referer.as_str().into());
        }
        hop.url = url;
        self.report.url = Some(hop.url.clone());
        let keeps = match status {
            301 => config.keeps_post[0],
            302 => config.keeps_post[1],
            303 => config.keeps_post[2],
            _ => false,
        };
        // With -X the user says what the method is, but not that the body goes along.
        let sent = if hop.length == BodyLength::None {
            hop.method.as_str()
        } else {
            "POST"
        };
        let sent = if self.job.node.upload.is_some() {
            "PUT"
        } else {
            sent
        };
        if keeps || !redirect::becomes_get(status, sent) {
            return Ok(false);
        }
        if config.method.is_none() {
            "GET".clone_into(&mut hop.method);
        }
        hop.length = BodyLength::None;
        hop.kind = None;
        Ok(true)
    }

    /// Sends a request and reads the head of its response.
    fn exchange(
        &mut self,
        hop: &mut Hop,
        upload: &Upload,
        sink: &mut Sink,
        head_stream: Option<&Arc<dyn Stream>>,
    ) -> Result<(Exchange, ResponseHead), Broken> {
        let (process, config) = (self.curl.process, self.job.config);
        hop.cookies = self.curl.jar.header(&hop.url, now(process));
        let request = hop.request(config);
        self.report.method.clone_from(&request.method);
        self.report.referer.clone_from(&hop.referer);
        self.start_meter(sink);
        let host = request.url.host_str().unwrap_or_default().to_owned();
        let notes = self.curl.session.notes().clone();
        let (talk, number) = (&self.curl.talk, self.curl.connections);
        let opened = driver::wait(
            process,
            &notes,
            &mut |note| talk.connecting(&note, &host, number),
            self.curl.session.open(&request, &self.terms),
        )?;
        let mut exchange = opened.map_err(|error| self.failure(&error, Received::default()))?;
        self.curl.connections = self.curl.connections.max(exchange.number() + 1);
        self.report.connected(&exchange);
        if exchange.is_reused() {
            let number = exchange.number();
            self.curl.talk.note(&format!(
                "Re-using existing connection #{number} with host {host}"
            ));
        }
        self.curl.talk.head(">", exchange.shown());
        self.report.to_send = match upload.length() {
            BodyLength::Known(length) => Some(length),
            _ => None,
        };
        // Without a body of its own the head is sent when the response is waited for.
        let sent = upload.send(process, &mut exchange, config.rate);
        self.report.sent = exchange.sent();
        if let Err(stopped) = sent {
            return Err(Failure::stopped(stopped, self.began.elapsed())?.into());
        }
        self.curl.talk.data('}', exchange.sent());
        loop {
            let head = driver::wait(process, &Notes::default(), &mut |_| Ok(()), exchange.head())?;
            let head = head.map_err(|error| self.failure(&error, Received::default()))?;
            self.report.took(
                &exchange,
                exchange.times.began.saturating_duration_since(self.began),
            );
            self.curl.talk.head("<", &head.raw);
            self.report.head_bytes += head.raw.len();
            if let Some(stream) = head_stream {
                process
                    .write_all(stream, &head.raw)
                    .map_err(|_| Failure::writing("header", None))?;
            }
            let hides = config.fails == Fails::WithoutBody && head.status >= 400;
            if config.includes_head && !hides {
                sink.write(process, &head.raw)?;
            }
            if head.is_informational() {
                continue;
            }
            if self.curl.keeps_cookies {
                let taken = self.curl.jar.take(&hop.url, &head, now(process));
                taken
                    .map_err(|error| self.failure(&NetError::Memory(error), Received::default()))?;
            }
            self.report.head = Some(head.clone());
            return Ok((exchange, head));
        }
    }

    /// Takes in the body of the last response.
    fn receive(
        &mut self,
        mut exchange: Exchange,
        hop: &Hop,
        head: &ResponseHead,
        sink: &mut Sink,
    ) -> Result<(), Broken> {
        let (process, config) = (self.curl.process, self.job.config);
        let length = head
            .header("content-length")
            .and_then(|text| text.to_str().ok()?.trim().parse().ok());
        self.report.to_receive = length;
        let failure = (head.status >= 400 && config.fails != Fails::Never).then(|| {
            Failure::new(
                22,
                format!("The requested URL returned error: {}", head.status),
            )
        });
        if let Some(failure) = failure
            .clone()
            .filter(|_| config.fails == Fails::WithoutBody)
        {
            return Err(failure.into());
        }
        if let Some(at) = hop.resume_at {
            let is_range = head.status == 206
                || head
                    .header("content-range")
                    .is_some_and(|range| range.to_str_lossy().contains(&format!(" {at}-")));
            let is_complete = head.status == 416;
            if is_complete {
                self.finish(exchange, hop);
                return Ok(());
            }
            if !is_range && head.status < 400 {
                return Err(Failure::new(
                    33,
                    "HTTP server doesn't seem to support byte ranges. Cannot resume.",
                )
                .into());
            }
        }
        if config.uses_header_name {
            sink.rename(config, head);
        }
        let mut piece = vec![0; PIECE];
        let _charge = process.charge(PIECE)?;
        loop {
            let count = self.read(&mut exchange, &mut piece)?;
            if count == 0 {
                break;
            }
            self.curl.talk.data('{', count as u64);
            self.report.received += count as u64;
            sink.write(process, piece.get(..count).unwrap_or_default())?;
            driver::pace(process, count, config.rate);
        }
        if !sink.is_stdout() {
            sink.open(process)?;
        }
        self.finish(exchange, hop);
        let modified = head.header("last-modified").filter(|_| config.sets_time);
        if let Some(seconds) = modified.and_then(|text| date::parse(text)) {
            sink.set_time(process, seconds);
        }
        match failure {
            Some(failure) => Err(failure.into()),
            None => Ok(()),
        }
    }

    fn finish(&mut self, exchange: Exchange, hop: &Hop) {
        let number = exchange.number();
        let host = hop.url.host_str().unwrap_or_default().to_owned();
        if self.curl.session.close(exchange) {
            self.curl
                .talk
                .note(&format!("Connection #{number} to host {host} left intact"));
        } else {
            self.curl.talk.note(&format!("Closing connection {number}"));
        }
    }

    fn read(&mut self, exchange: &mut Exchange, piece: &mut [u8]) -> Result<usize, Broken> {
        let read = driver::wait(
            self.curl.process,
            &Notes::default(),
            &mut |_| Ok(()),
            exchange.read(piece),
        )?;
        let received = Received {
            bytes: exchange.received(),
            of: self.report.to_receive,
        };
        Ok(read.map_err(|error| self.failure(&error, received))?)
    }

    fn failure(&self, error: &NetError, received: Received) -> Failure {
        let took = self.began.elapsed();
        // What a program asked for is told in its own words.
        match (error, self.job.config.max_size) {
            (
                NetError::TooLarge {
                    what: "response",
                    limit,
                },
                Some(size),
            ) if *limit == size => Failure::new(63, "Maximum file size exceeded"),
            _ => Failure::net(error, took, received),
        }
    }
}

/// Seconds since 1970.
pub(super) fn now(process: &hotcell_process::Process) -> i64 {
    process.now().seconds()
}
