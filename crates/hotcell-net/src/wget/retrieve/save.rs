//! The body of a response, and where it goes.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use bstr::{BString, ByteSlice};
use hotcell_process::{Process, Stream, error_text};
use hotcell_vfs::{OpenOptions, SetTime, Times, Timestamp, VfsPath};

use super::{PIECE, READ_TIMEOUT, Retrieval, Tried};
use crate::{
    date,
    deadline::until,
    driver,
    error::{NetError, Phase},
    exchange::Exchange,
    http::response::ResponseHead,
    note::Notes,
    wget::{
        code::{FILE, GENERIC, NETWORK, PROTOCOL, SERVER},
        log::{Dots, human, quoted, rate},
        names::{free_name, given_name, local_name},
    },
};

/// What is written to, and its name if it has one.
type Destination = (Arc<dyn Stream>, Option<BString>);

impl Retrieval<'_, '_> {
    /// Takes in the last response.
    pub(super) fn receive(
        &mut self,
        exchange: Exchange,
        head: &ResponseHead,
        start: u64,
        local: Option<BString>,
    ) -> io::Result<Tried> {
        let config = self.wget.config;
        let length: Option<u64> = head
            .header("content-length")
            .and_then(|text| text.to_str().ok()?.trim().parse().ok());
        let retrieved = "\n    The file is already fully retrieved; nothing to do.\n\n";
        if let (304, Some(file)) = (head.status, &local) {
            let name = quoted(file);
            self.wget.log.full(format!(
                "File {name} not modified on server. Omitting download.\n\n"
            ));
            self.discard(exchange)?;
            return Ok(Tried::Done(0));
        }
        if head.status == 416 && start > 0 {
            self.wget.log.full(retrieved);
            self.discard(exchange)?;
            return Ok(Tried::Done(0));
        }
        if head.status >= 400 && !config.content_on_error {
            let code = self.server_error(head);
            self.discard(exchange)?;
            return Ok(code);
        }
        if start > 0 && head.status == 200 && config.continues && length == Some(start) {
            self.wget.log.full(retrieved);
            self.discard(exchange)?;
            return Ok(Tried::Done(0));
        }
        // A server that begins anew gives again what is there already.
        let skipped = if head.status == 206 { 0 } else { start };
        let start = if head.status == 206 { start } else { 0 };
        if head.status < 400 {
            self.show_length(head, length, start);
        }
        if config.is_spider {
            self.wget.log.full("Remote file exists.\n\n");
            let url = &self.url;
            self.wget.log.short(format!(
                "{} URL: {url} {} {}\n",
                self.wget.log.now(),
                head.status,
                head.reason
            ));
            self.discard(exchange)?;
            return Ok(Tried::Done(0));
        }
        self.save(exchange, head, (start, skipped), length, local)
    }

    pub(super) fn server_error(&self, head: &ResponseHead) -> Tried {
        let log = &self.wget.log;
        if self.wget.config.is_spider {
            log.full("Remote file does not exist -- broken link!!!\n\n");
            log.short(format!(
                "{}:\nRemote file does not exist -- broken link!!!\n",
                self.url
            ));
            return Tried::Done(SERVER);
        }
        let again = self.wget.config.retry_statuses.contains(&head.status);
        log.short(format!("{}:\n", self.url));
        let end = if again { "" } else { "\n" };
        log.full(format!(
            "{} ERROR {}: {}.\n{end}",
            log.now(),
            head.status,
            head.reason
        ));
        log.short(format!(
            "{} ERROR {}: {}.\n",
            log.now(),
            head.status,
            head.reason
        ));
        if again {
            Tried::Again(SERVER)
        } else {
            Tried::Done(SERVER)
        }
    }

    pub(super) fn show_length(&self, head: &ResponseHead, length: Option<u64>, start: u64) {
        let kind = head.header("content-type").map(|kind| {
            kind.split(|byte| *byte == b';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_vec()
        });
        let kind = kind
            .map(|kind| format!(" [{}]", bstr::BStr::new(&kind)))
            .unwrap_or_default();
        let shown = match length {
            None => "unspecified".to_owned(),
            Some(length) => {
                let with = |bytes: u64| match human(bytes) {
                    Some(human) => format!("{bytes} ({human})"),
                    None => bytes.to_string(),
                };
                let rest = if start > 0 {
                    format!(", {} remaining", with(length))
                } else {
                    String::new()
                };
                format!("{}{rest}", with(start + length))
            }
        };
        self.wget.log.full(format!("Length: {shown}{kind}\n"));
    }

    /// Writes the body where it belongs.
    pub(super) fn save(
        &mut self,
        mut exchange: Exchange,
        head: &ResponseHead,
        (start, mut skipped): (u64, u64),
        length: Option<u64>,
        local: Option<BString>,
    ) -> io::Result<Tried> {
        let (process, config) = (self.wget.process, self.wget.config);
        let (stream, name) = match self.open_output(head, start + skipped, local) {
            Ok(opened) => opened,
            Err((name, error)) => {
                self.wget.log.always(format!(
                    "{name}: {}\n\nCannot write to {} ({}).\n",
                    error_text(&error),
                    quoted(&name),
                    error_text(&error)
                ));
                return Ok(Tried::Done(FILE));
            }
        };
        let shown = name
            .as_ref()
            .map_or_else(|| "‘STDOUT’".to_owned(), |name| quoted(name));
        self.wget.log.full(format!("Saving to: {shown}\n"));
        if config.saves_headers {
            process.write_all(&stream, &head.raw)?;
        }
        let total = length
            .filter(|_| !config.is_compressed)
            .map(|length| start + length);
        let mut dots = Dots::new(total);
        self.wget.log.full(dots.skip(start));
        let began = Instant::now();
        let mut piece = vec![0; PIECE];
        let _charge = process.charge(PIECE)?;
        let mut received: u64 = 0;
        let failure = loop {
            let timeout = Instant::now() + config.read_timeout.unwrap_or(READ_TIMEOUT);
            let read = until(timeout, exchange.read(&mut piece));
            let count = match driver::wait(process, &Notes::default(), &mut |_| Ok(()), read)? {
                Some(Ok(0)) => break None,
                Some(Ok(count)) => count,
                Some(Err(error)) => break Some(error),
                None => {
                    let limit = config.read_timeout.unwrap_or(READ_TIMEOUT);
                    break Some(NetError::Timeout {
                        phase: Phase::Transfer,
                        limit,
                    });
                }
            };
            received += count as u64;
            let known = usize::try_from(skipped).unwrap_or(count).min(count);
            skipped -= known as u64;
            if let Err(error) =
                process.write_all(&stream, piece.get(known..count).unwrap_or_default())
            {
                self.wget.log.always(format!(
                    "\n\nCannot write to {shown} ({}).\n",
                    error_text(&error)
                ));
                return Ok(Tried::Done(FILE));
            }
            self.wget
                .log
                .full(dots.advance(count as u64, began.elapsed()));
            driver::pace(process, count, config.rate);
        };
        let took = began.elapsed();
        self.wget.log.full(dots.finish(took));
        self.ended(
            head,
            name.as_ref(),
            failure.as_ref(),
            (received, start, length),
            took,
        );
        match failure {
            Some(NetError::TooLarge { limit, .. }) => {
                self.wget.log.always(format!("wget: the response is larger than {limit} bytes, which the network policy does not allow\n"));
                return Ok(Tried::Done(GENERIC));
            }
            Some(NetError::Encoding(why)) => {
                self.wget
                    .log
                    .always(format!("wget: the body cannot be decompressed: {why}\n"));
                return Ok(Tried::Done(GENERIC));
            }
            Some(NetError::Protocol(why)) => {
                self.wget.log.always(format!("wget: {why}\n"));
                return Ok(Tried::Done(PROTOCOL));
            }
            Some(_) => {
                self.there = self.there.max(start + received);
                return Ok(Tried::Again(NETWORK));
            }
            None => self.wget.session.close(exchange),
        };
        self.set_time(head, name.as_ref());
        if head.status >= 400 {
            return Ok(self.server_error(head));
        }
        self.wget.downloads += 1;
        Ok(Tried::Done(0))
    }

    /// Says how it ended.
    pub(super) fn ended(
        &self,
        head: &ResponseHead,
        name: Option<&BString>,
        failure: Option<&NetError>,
        (received, start, length): (u64, u64, Option<u64>),
        took: Duration,
    ) {
        let log = &self.wget.log;
        if head.status >= 400 && failure.is_none() {
            return;
        }
        let (now, speed) = (log.now(), rate(received, took));
        let done = start + received;
        let of = length
            .map(|length| format!("/{}", start + length))
            .unwrap_or_default();
        match failure {
            None => {
                let what = match name {
                    Some(name) => format!("{} saved", quoted(name)),
                    None => "written to stdout".to_owned(),
                };
                log.full(format!("{now} ({speed}) - {what} [{done}{of}]\n\n"));
                let shown = name.map_or_else(|| "-".to_owned(), ToString::to_string);
                let count = self.wget.downloads + 1;
                log.short(format!(
                    "{now} URL:{} [{done}{of}] -> \"{shown}\" [{count}]\n",
                    self.url
                ));
            }
            Some(NetError::Partial { .. }) => log.full(format!(
                "{now} ({speed}) - Connection closed at byte {done}. "
            )),
            Some(NetError::Timeout { .. }) => {
                log.full(format!(
                    "{now} ({speed}) - Read error at byte {done}{of} (Connection timed out). "
                ));
            }
            Some(NetError::Receive(error)) => {
                log.full(format!(
                    "{now} ({speed}) - Read error at byte {done}{of} ({}). ",
                    error_text(error)
                ));
            }
            Some(_) => {}
        }
    }

    /// Opens what is written to, and tells its name.
    pub(super) fn open_output(
        &mut self,
        head: &ResponseHead,
        start: u64,
        local: Option<BString>,
    ) -> Result<Destination, (BString, io::Error)> {
        let (process, config) = (self.wget.process, self.wget.config);
        if let Some(stream) = &self.wget.document {
            let name = config.output.clone().filter(|name| name != "-");
            return Ok((Arc::clone(stream), name));
        }
        let mut name = local.unwrap_or_else(|| local_name(config, &self.url));
        if config.uses_header_name
            && let Some(given) = given_name(config, head)
        {
            name = given;
        }
        let is_again = self.file.is_some();
        if !(config.continues || config.is_timestamping || is_again) {
            name = free_name(process, name);
        }
        if let Some(parent) = VfsPath::new(&name).parent() {
            // If it cannot be made, the file cannot either, and says why.
            let _ = process
                .vfs()
                .mkdir_all(&process.resolve(parent.as_bytes()), 0o755);
        }
        let options = if start > 0 {
            OpenOptions::append()
        } else {
            OpenOptions::write().truncate()
        };
        let opened = process.open(&name, &options.create());
        let stream = opened.map_err(|error| (name.clone(), error))?;
        self.file = Some(name.clone());
        Ok((stream, Some(name)))
    }

    pub(super) fn set_time(&self, head: &ResponseHead, name: Option<&BString>) {
        let (process, config) = (self.wget.process, self.wget.config);
        let modified = head.header("last-modified");
        if modified.is_none() && config.is_timestamping {
            self.wget
                .log
                .full("Last-modified header missing -- time-stamps turned off.\n");
        }
        let seconds = modified
            .and_then(|text| date::parse(text))
            .filter(|_| config.sets_times);
        if let (Some(seconds), Some(name)) = (seconds, name) {
            let times = Times::both(SetTime::At(Timestamp::from_parts(seconds, 0)));
            // As with wget, the time is not worth failing for.
            let _ = process.vfs().set_times(&process.resolve(name), times, true);
        }
    }
}

/// How long a file is; nothing if it is not there.
pub(super) fn size_of(process: &Process, file: &BString) -> u64 {
    process.metadata(file, true).map_or(0, |found| found.size)
}
