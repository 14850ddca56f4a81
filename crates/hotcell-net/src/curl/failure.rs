//! Exit codes of `curl`, and its words for them.

use std::{io, time::Duration};

use hotcell_process::error_text;

use crate::{
    error::{NetError, Phase},
    upload::Stopped,
};

/// Why a transfer failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) code: i32,
    pub(super) message: String,
    /// May be tried again without anybody saying so.
    pub(super) is_transient: bool,
    pub(super) is_refused: bool,
}

impl Failure {
    pub(super) fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            is_transient: false,
            is_refused: false,
        }
    }

    pub(super) fn url() -> Self {
        Self::new(3, "URL using bad/illegal format or missing URL")
    }

    pub(super) fn protocol(scheme: &str) -> Self {
        Self::new(
            1,
            format!("Protocol \"{scheme}\" not supported or disabled in libcurl"),
        )
    }

    /// What should be sent cannot be read.
    pub(super) fn reading() -> Self {
        Self::new(26, "Failed to open/read local data from file/application")
    }

    /// What was received cannot be written anywhere.
    pub(super) fn opening() -> Self {
        Self::new(23, "Failure writing output to destination")
    }

    /// What was received cannot be written. A limit of the sandbox keeps its own words.
    pub(super) fn writing(what: &str, error: Option<&io::Error>) -> Self {
        let mut message = format!("Failed writing {what}");
        if let Some(error) = error.filter(|error| error.raw_os_error().is_none()) {
            message.push_str(": ");
            message.push_str(&error_text(error));
        }
        Self::new(23, message)
    }

    /// What the network said. `took` is how long it was tried, `received` what came until then.
    pub(super) fn net(error: &NetError, took: Duration, received: Received) -> Self {
        let ms = took.as_millis();
        match error {
            NetError::Denied(denial) => Self::new(7, denial.to_string()),
            NetError::Url(_) => Self::url(),
            NetError::Request(why) => Self::new(43, why.clone()),
            NetError::Resolve { host, .. } => Self {
                is_transient: true,
                ..Self::new(6, format!("Could not resolve host: {host}"))
            },
            NetError::Connect { host, port, source } => Self {
                is_refused: source.kind() == io::ErrorKind::ConnectionRefused,
                ..Self::new(
                    7,
                    format!(
                        "Failed to connect to {host} port {port} after {ms} ms: Couldn't connect to server"
                    ),
                )
            },
            NetError::Certificate { why, .. } => {
                let problem = if why.starts_with("no alternative") {
                    "SSL:"
                } else {
                    "SSL certificate problem:"
                };
                Self::new(60, format!("{problem} {why}\n{UNTRUSTED}"))
            }
            NetError::Tls { why, .. } => Self::new(35, format!("TLS connect error: {why}")),
            NetError::Timeout { phase, .. } => Self {
                is_transient: true,
                ..Self::new(28, timeout(*phase, ms, received))
            },
            NetError::EmptyReply => Self::new(52, "Empty reply from server"),
            NetError::Send(error) => Self::new(55, format!("Send failure: {}", error_text(error))),
            NetError::Receive(error) => {
                Self::new(56, format!("Recv failure: {}", error_text(error)))
            }
            NetError::Partial {
                missing: Some(missing),
                ..
            } => Self::new(
                18,
                format!("transfer closed with {missing} bytes remaining to read"),
            ),
            NetError::Partial { missing: None, .. } => {
                Self::new(18, "transfer closed with outstanding read data remaining")
            }
            NetError::Protocol(why) if why.contains("begin with HTTP/") => {
                Self::new(1, "Received HTTP/0.9 when not allowed")
            }
            NetError::Protocol(why) if why.contains("chunk") => {
                Self::new(56, format!("Malformed encoding: {why}"))
            }
            NetError::Protocol(why) => Self::new(8, format!("Weird server reply: {why}")),
            NetError::Encoding(why) => Self::new(
                61,
                format!("Error while processing content unencoding: {why}"),
            ),
            NetError::TooLarge { what, limit } => Self::new(
                63,
                format!(
                    "Exceeded the maximum allowed file size: the {what} is larger than {limit} bytes"
                ),
            ),
            NetError::Redirects { limit } => {
                Self::new(47, format!("Maximum ({limit}) redirects followed"))
            }
            NetError::Memory(error) => Self::new(27, format!("Out of memory: {error}")),
        }
    }

    pub(super) fn stopped(stopped: Stopped, took: Duration) -> io::Result<Self> {
        match stopped {
            Stopped::Reading => Ok(Self::reading()),
            Stopped::Net(error) => Ok(Self::net(&error, took, Received::default())),
            Stopped::Io(error) => Err(error),
        }
    }
}

/// How much of a body came.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Received {
    pub(super) bytes: u64,
    pub(super) of: Option<u64>,
}

fn timeout(phase: Phase, ms: u128, received: Received) -> String {
    match (phase, received.of) {
        (Phase::Queue, _) => format!(
            "Timed out after {ms} milliseconds, waiting for other transfers of this sandbox"
        ),
        (Phase::Resolve, _) => format!("Resolving timed out after {ms} milliseconds"),
        (Phase::Connect, _) => format!("Connection timed out after {ms} milliseconds"),
        (Phase::Handshake, _) => "SSL connection timeout".to_owned(),
        (Phase::Transfer, None) => {
            format!(
                "Operation timed out after {ms} milliseconds with {} bytes received",
                received.bytes
            )
        }
        (Phase::Transfer, Some(of)) => {
            format!(
                "Operation timed out after {ms} milliseconds with {} out of {of} bytes received",
                received.bytes
            )
        }
    }
}

const UNTRUSTED: &str = "More details here: https://curl.se/docs/sslcerts.html\n\n\
curl failed to verify the legitimacy of the server and therefore could not\n\
establish a secure connection to it. To learn more about this situation and\n\
how to fix it, please visit the web page mentioned above.";
