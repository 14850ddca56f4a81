//! `wget`: what GNU's does for HTTP, as 1.21 does it, without recursion.

mod code;
mod log;
mod names;
mod options;
mod retrieve;

use std::{io, sync::Arc};

use bstr::{BString, ByteSlice};
use hotcell_process::{Disposition, Process, Signal, Stream, error_text};
use hotcell_vfs::OpenOptions;
use url::Url;

use crate::{cookies::Jar, network::Network, note::Notes, session::Session};
use code::GENERIC;
use log::{Log, quoted};
use options::{Config, Verbosity};
use retrieve::Retrieval;

/// The version whose behaviour this is.
const VERSION: &str = "1.21.3";

/// What stands above cookies.
const HEADING: &str = "# HTTP Cookie File\n";

/// One run of the program.
struct Wget<'p> {
    process: &'p Process,
    network: &'p Network,
    config: &'p Config,
    session: Session,
    log: Log<'p>,
    jar: Jar,
    /// Where all documents go to, with `-O`.
    document: Option<Arc<dyn Stream>>,
    downloads: u64,
}

/// Runs it; returns the exit code.
pub(crate) fn main(process: &Process, network: &Network) -> io::Result<i32> {
    process.set_disposition(Signal::PIPE, Disposition::Ignore);
    let config = match Config::new(process) {
        Ok(config) => config,
        Err(wrong) => return say(process, &format!("{}\n", wrong.0)).map(|()| wrong.1),
    };
    if config.urls.is_empty() && config.input.is_none() {
        let code = GENERIC;
        process.complain("missing URL");
        say(
            process,
            "Usage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.\n",
        )?;
        return Ok(code);
    }
    let log = match &config.log {
        None => process.descriptor(2),
        Some((file, is_appending)) => {
            let options = if *is_appending {
                OpenOptions::append()
            } else {
                OpenOptions::write().truncate()
            };
            process.open(file, &options.create())
        }
    };
    let log = match (log, &config.log) {
        (Ok(log), _) => log,
        (Err(error), Some((file, _))) => {
            process.complain(format!("{file}: {}", error_text(&error)));
            return Ok(GENERIC);
        }
        (Err(_), None) => Arc::new(hotcell_process::Null),
    };
    let log = Log::new(process, log, config.verbosity);
    if config.warns_of_timestamping {
        log.always("WARNING: timestamping does nothing in combination with -O. See the manual\nfor details.\n\n");
    }
    let document = match &config.output {
        None => None,
        Some(file) if file == "-" => Some(process.descriptor(1)?),
        Some(_) if config.is_spider => None,
        Some(file) => {
            let options = if config.continues {
                OpenOptions::append()
            } else {
                OpenOptions::write().truncate()
            };
            match process.open(file, &options.create()) {
                Ok(stream) => Some(stream),
                Err(error) => {
                    log.forced(format!("{file}: {}\n", error_text(&error)));
                    return Ok(GENERIC);
                }
            }
        }
    };
    let notes = if config.verbosity == Verbosity::Full {
        Notes::kept()
    } else {
        Notes::default()
    };
    let mut wget = Wget {
        process,
        network,
        config: &config,
        session: Session::new(network, process.account(), notes),
        log,
        jar: Jar::new(process.account()),
        document,
        downloads: 0,
    };
    wget.load_cookies()?;
    let code = wget.retrieve_all()?;
    wget.save_cookies();
    Ok(code)
}

fn say(process: &Process, text: &str) -> io::Result<()> {
    let stderr = process.descriptor(2)?;
    process.write_all(&stderr, text.as_bytes())
}

impl Wget<'_> {
    fn retrieve_all(&mut self) -> io::Result<i32> {
        let mut urls = self.config.urls.clone();
        if let Some(file) = &self.config.input {
            let found = self.urls_of(file);
            if found.is_empty() {
                self.log.always(format!("No URLs found in {file}.\n"));
            }
            urls.extend(found);
        }
        let mut code = 0;
        for (index, text) in urls.iter().enumerate() {
            if let Some(wait) = self.config.wait.filter(|_| index > 0) {
                self.process.sleep(wait);
            }
            let this = match self.parse_url(text) {
                Some(url) => Retrieval::new(self, url).run()?,
                None => GENERIC,
            };
            // The lower a code, the worse; nothing is best.
            code = match (code, this) {
                (0, this) => this,
                (code, 0) => code,
                (code, this) => code.min(this),
            };
        }
        Ok(code)
    }

    /// A URL as users write it: `http://` is understood.
    fn parse_url(&self, text: &BString) -> Option<Url> {
        let text = text.to_str_lossy();
        let whole = match text.split_once("://") {
            Some((scheme, _))
                if matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") =>
            {
                text.to_string()
            }
            Some((scheme, _)) => {
                let scheme = quoted(scheme.as_bytes());
                self.log
                    .always(format!("{text}: Unsupported scheme {scheme}.\n"));
                return None;
            }
            None => format!("http://{text}"),
        };
        match crate::request::parse_url(&whole) {
            Ok(url) => Some(url),
            Err(error) => {
                self.log.always(format!("{text}: {error}.\n"));
                None
            }
        }
    }

    /// The lines of a file that are URLs.
    fn urls_of(&self, file: &BString) -> Vec<BString> {
        match crate::driver::read_file(self.process, file) {
            Ok(text) => {
                let lines = text.lines().map(<[u8]>::trim_ascii);
                lines
                    .filter(|line| !line.is_empty() && !line.starts_with(b"#"))
                    .map(BString::from)
                    .collect()
            }
            Err(error) => {
                self.log.always(format!("{file}: {}\n", error_text(&error)));
                Vec::new()
            }
        }
    }

    fn load_cookies(&mut self) -> io::Result<()> {
        let Some(file) = &self.config.load_cookies else {
            return Ok(());
        };
        // A file that is not there has no cookies.
        if let Ok(text) = crate::driver::read_file(self.process, file) {
            let read = self.jar.read(&text, true, self.process.now().seconds());
            read.map_err(hotcell_process::limit_error)?;
        }
        Ok(())
    }

    fn save_cookies(&self) {
        let Some(file) = &self.config.save_cookies else {
            return;
        };
        let text = self.jar.write(HEADING, self.config.keeps_session_cookies);
        let options = OpenOptions::write().create().truncate();
        let written = self
            .process
            .open(file, &options)
            .and_then(|stream| self.process.write_all(&stream, &text));
        if let Err(error) = written {
            self.log.always(format!(
                "Cannot open cookies file {}: {}\n",
                quoted(file),
                error_text(&error)
            ));
        }
    }
}
