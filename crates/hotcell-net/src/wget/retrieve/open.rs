//! From a request to the head of its response, and what is said on the way.

use std::{io, time::Instant};

use bstr::ByteSlice;
use hotcell_process::error_text;

use super::{READ_TIMEOUT, Retrieval, Tried};
use crate::{
    Request,
    deadline::until,
    driver,
    error::{NetError, Phase},
    exchange::Exchange,
    http::response::ResponseHead,
    note::{Note, Notes},
    session::Terms,
    wget::{
        code::{GENERIC, NETWORK, PROTOCOL, TLS},
        log::quoted,
    },
};

impl Retrieval<'_, '_> {
    pub(super) fn open(&mut self, request: &Request) -> io::Result<Result<Exchange, Tried>> {
        let (process, config) = (self.wget.process, self.wget.config);
        let terms = Terms {
            connect_timeout: config.connect_timeout,
            decompresses: config.is_compressed,
            family: config.family,
            ..Terms::default()
        };
        let host = request.url.host_str().unwrap_or_default().to_owned();
        let port = request.url.port_or_known_default().unwrap_or_default();
        let log = &self.wget.log;
        let notes = self.wget.session.notes().clone();
        let is_name = matches!(request.url.host(), Some(url::Host::Domain(_)));
        let mut is_connecting = false;
        let mut tell = |note: Note| {
            match note {
                Note::Resolving => log.full(format!("Resolving {host} ({host})... ")),
                Note::Resolved(addresses) if is_name => {
                    let shown: Vec<_> = addresses
                        .iter()
                        .take(3)
                        .map(|address| address.ip().to_string())
                        .collect();
                    let more = if addresses.len() > 3 { ", ..." } else { "" };
                    log.full(format!("{}{more}\n", shown.join(", ")));
                }
                Note::Trying(address) => {
                    let name = if is_name {
                        format!("{host} ({host})|{}|", address.ip())
                    } else {
                        host.clone()
                    };
                    log.full(format!("Connecting to {name}:{port}... "));
                    is_connecting = true;
                }
                Note::Failed(_, why) => log.full(format!(
                    "failed: {}.\n",
                    why.split(" (os").next().unwrap_or_default()
                )),
                Note::Connected(_) => log.full("connected.\n"),
                Note::Reused => {
                    log.full(format!("Reusing existing connection to {host}:{port}.\n"))
                }
                Note::Resolved(_) | Note::Secured(..) => {}
            }
            Ok(())
        };
        let opened = driver::wait(
            process,
            &notes,
            &mut tell,
            self.wget.session.open(request, &terms),
        )?;
        let error = match opened {
            Ok(exchange) => return Ok(Ok(exchange)),
            Err(error) => error,
        };
        let log = &self.wget.log;
        Ok(Err(match error {
            NetError::Denied(denial) => {
                log.always(format!("{denial}\n"));
                Tried::Done(NETWORK)
            }
            NetError::Resolve { host, .. } => {
                log.full("failed: Name or service not known.\n");
                log.always(format!(
                    "wget: unable to resolve host address {}\n",
                    quoted(host.as_bytes())
                ));
                Tried::Done(NETWORK)
            }
            NetError::Connect { source, .. } => {
                let is_final =
                    source.kind() == io::ErrorKind::ConnectionRefused && !config.retries_refused;
                log.short(format!("failed: {}.\n", error_text(&source)));
                if is_final {
                    Tried::Done(NETWORK)
                } else {
                    Tried::Again(NETWORK)
                }
            }
            NetError::Certificate { host, why } => {
                log.always(format!(
                    "ERROR: cannot verify {host}'s certificate:\n  {why}\n"
                ));
                log.always(format!(
                    "To connect to {host} insecurely, use `--no-check-certificate'.\n"
                ));
                Tried::Done(TLS)
            }
            NetError::Tls { why, .. } => {
                log.always(format!("Unable to establish SSL connection: {why}.\n"));
                Tried::Done(TLS)
            }
            NetError::Timeout {
                phase: Phase::Connect | Phase::Resolve | Phase::Handshake,
                ..
            } => {
                log.full("failed: Connection timed out.\n");
                Tried::Again(NETWORK)
            }
            NetError::Memory(error) => return Err(hotcell_process::limit_error(error)),
            NetError::Request(why) => {
                log.always(format!("wget: {why}\n"));
                Tried::Done(GENERIC)
            }
            other => {
                log.always(format!("{other}.\n"));
                Tried::Again(NETWORK)
            }
        }))
    }

    /// The head of the response, and what is said of it.
    pub(super) fn response(
        &mut self,
        exchange: &mut Exchange,
    ) -> io::Result<Result<ResponseHead, Tried>> {
        let (process, config) = (self.wget.process, self.wget.config);
        let timeout = Instant::now() + config.read_timeout.unwrap_or(READ_TIMEOUT);
        loop {
            let head = driver::wait(
                process,
                &Notes::default(),
                &mut |_| Ok(()),
                until(timeout, exchange.head()),
            )?;
            let head = match head {
                Some(Ok(head)) => head,
                Some(Err(error)) => return Ok(Err(self.broken(&error, "in headers"))),
                None => {
                    self.wget
                        .log
                        .full("Read error (Connection timed out) in headers.\n");
                    return Ok(Err(Tried::Again(NETWORK)));
                }
            };
            if !head.is_informational() {
                return Ok(Ok(head));
            }
        }
    }

    pub(super) fn broken(&self, error: &NetError, place: &str) -> Tried {
        let log = &self.wget.log;
        match error {
            NetError::EmptyReply => {
                log.full("No data received.\n");
                Tried::Again(NETWORK)
            }
            NetError::Receive(error) | NetError::Send(error) => {
                log.full(format!("Read error ({}) {place}.\n", error_text(error)));
                Tried::Again(NETWORK)
            }
            NetError::Timeout { .. } => {
                log.full(format!("Read error (Connection timed out) {place}.\n"));
                Tried::Again(NETWORK)
            }
            NetError::TooLarge { .. } => {
                log.always(format!(
                    "wget: {error}, which the network policy does not allow\n"
                ));
                Tried::Done(GENERIC)
            }
            other => {
                log.full(format!("Malformed status line or headers: {other}.\n"));
                Tried::Done(PROTOCOL)
            }
        }
    }

    pub(super) fn show_status(&self, head: &ResponseHead) {
        let (log, config) = (&self.wget.log, self.wget.config);
        if config.shows_response {
            log.full("\n");
            for line in head.raw.lines().filter(|line| !line.is_empty()) {
                log.forced([b"  ", line, b"\n"].concat());
            }
        } else {
            log.full(format!("{} {}\n", head.status, head.reason));
        }
    }
}
