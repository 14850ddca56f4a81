//! One URL: tries, redirects, its response.

mod head;
mod open;
mod save;

use std::{io, time::Duration};

use bstr::BString;
use url::Url;

use super::{
    Wget,
    code::{AUTHENTICATION, FILE, GENERIC, SERVER},
    log::quoted,
    names::local_name,
};
use crate::{
    driver, exchange::Exchange, http::response::ResponseHead, note::Notes, redirect,
    upload::Stopped,
};
use save::size_of;

/// How much of a body is read at a time.
const PIECE: usize = 64 << 10;

/// What is waited for when nobody says how long.
const READ_TIMEOUT: Duration = Duration::from_mins(15);

/// What a try came to.
enum Tried {
    /// It is over, with this exit code.
    Done(i32),
    /// It may be tried again; without another try it is this exit code.
    Again(i32),
}

/// What comes after a request.
enum Next {
    Over(Tried),
    /// Another URL.
    Redirect,
    /// The same, with credentials.
    Credentials,
}

/// Where a retrieval stands.
pub(super) struct Retrieval<'w, 'p> {
    wget: &'w mut Wget<'p>,
    /// Where the user wanted to go.
    first: Url,
    url: Url,
    redirects: u32,
    method: String,
    has_body: bool,
    /// Credentials go along, because the server asked for them.
    is_challenged: bool,
    file: Option<BString>,
    /// How often it was tried.
    tries: u64,
    /// Bytes that earlier tries have written.
    there: u64,
}

impl<'w, 'p> Retrieval<'w, 'p> {
    pub(super) fn new(wget: &'w mut Wget<'p>, url: Url) -> Self {
        let config = wget.config;
        let default = if config.is_spider { "HEAD" } else { "GET" };
        Self {
            first: url.clone(),
            url,
            redirects: 0,
            method: config.method.clone().unwrap_or_else(|| default.to_owned()),
            has_body: config.body.is_some(),
            is_challenged: config.no_challenge,
            wget,
            file: None,
            tries: 0,
            there: 0,
        }
    }

    /// Does it; returns the exit code.
    pub(super) fn run(&mut self) -> io::Result<i32> {
        let (process, config) = (self.wget.process, self.wget.config);
        if config.keeps_files && config.output.is_none() {
            let name = local_name(config, &self.url);
            if process.metadata(&name, true).is_ok() {
                self.wget.log.full(format!(
                    "File {} already there; not retrieving.\n\n",
                    quoted(&name)
                ));
                return Ok(0);
            }
        }
        if config.is_spider {
            self.wget
                .log
                .full("Spider mode enabled. Check if remote file exists.\n");
        }
        loop {
            self.tries += 1;
            match self.attempt()? {
                Tried::Done(code) => return Ok(code),
                Tried::Again(code) if self.tries >= config.tries => {
                    self.wget.log.full("Giving up.\n\n");
                    return Ok(code);
                }
                Tried::Again(_) => {
                    self.wget.log.full("Retrying.\n\n");
                    let pause = Duration::from_secs(self.tries).min(config.wait_retry);
                    process.sleep(pause);
                }
            }
        }
    }

    /// One try, with its redirects.
    fn attempt(&mut self) -> io::Result<Tried> {
        let mut is_told = false;
        loop {
            if !is_told {
                self.announce();
            }
            match self.request()? {
                Next::Over(tried) => return Ok(tried),
                Next::Redirect => is_told = false,
                Next::Credentials => is_told = true,
            }
        }
    }

    /// Says when what is asked for.
    fn announce(&self) {
        let tries = match self.tries {
            1 => String::new(),
            number => format!("(try:{number:2})  "),
        };
        let mut shown = self.url.clone();
        let has_password = shown.password().is_some();
        if has_password {
            let _ = shown.set_password(Some("password"));
        }
        let shown = match has_password {
            true => shown.as_str().replacen(":password@", ":*password*@", 1),
            false => shown.into(),
        };
        let log = &self.wget.log;
        log.full(format!("--{}--  {tries}{shown}\n", log.now()));
    }

    /// One request.
    fn request(&mut self) -> io::Result<Next> {
        let (process, config) = (self.wget.process, self.wget.config);
        let local = self.local_file();
        let start = match (config.start, config.continues) {
            _ if self.there > 0 => self.there,
            (Some(start), _) => start,
            (None, true) => local.as_ref().map_or(0, |file| size_of(process, file)),
            (None, false) => 0,
        };
        let upload = match self.upload() {
            Ok(upload) => upload,
            Err(tried) => return Ok(Next::Over(tried)),
        };
        let request = self.head(start, upload.length(), local.as_ref());
        let mut exchange = match self.open(&request)? {
            Ok(exchange) => exchange,
            Err(tried) => return Ok(Next::Over(tried)),
        };
        match upload.send(process, &mut exchange, None) {
            Ok(()) => {}
            Err(Stopped::Io(error)) => return Err(error),
            Err(Stopped::Reading) => return Ok(Next::Over(Tried::Done(FILE))),
            Err(Stopped::Net(error)) => {
                return Ok(Next::Over(self.broken(&error, "writing request")));
            }
        }
        self.wget
            .log
            .full("HTTP request sent, awaiting response... ");
        let head = match self.response(&mut exchange)? {
            Ok(head) => head,
            Err(tried) => return Ok(Next::Over(tried)),
        };
        if config.uses_cookies {
            let taken = self
                .wget
                .jar
                .take(&self.url, &head, process.now().seconds());
            taken.map_err(hotcell_process::limit_error)?;
        }
        self.show_status(&head);
        if let Some(next) = self.follow(&head) {
            self.discard(exchange)?;
            return Ok(next);
        }
        self.receive(exchange, &head, start, local).map(Next::Over)
    }

    /// The file that a retrieval goes to, if that is known before.
    fn local_file(&self) -> Option<BString> {
        let config = self.wget.config;
        match &config.output {
            Some(file) if file == "-" => None,
            Some(file) => Some(file.clone()),
            None => {
                let url = if config.trusts_names {
                    &self.url
                } else {
                    &self.first
                };
                Some(self.file.clone().unwrap_or_else(|| local_name(config, url)))
            }
        }
    }

    /// What comes next, if this response is not the last word.
    fn follow(&mut self, head: &ResponseHead) -> Option<Next> {
        let (config, log) = (self.wget.config, &self.wget.log);
        if head.status == 401 {
            let has_user = config.user.is_some() || !self.url.username().is_empty();
            let challenge = head.header("www-authenticate").cloned().unwrap_or_default();
            let is_basic = challenge.to_ascii_lowercase().starts_with(b"basic");
            if !self.is_challenged && has_user && is_basic {
                self.is_challenged = true;
                log.full(format!("Authentication selected: {challenge}\n"));
                return Some(Next::Credentials);
            }
            log.always("\nUsername/Password Authentication Failed.\n");
            return Some(Next::Over(Tried::Done(AUTHENTICATION)));
        }
        let over = |code| Some(Next::Over(Tried::Done(code)));
        let target = match redirect::target(&self.url, head) {
            Ok(target) => target?,
            Err(_) => {
                log.always("The Location of a redirect is no URL.\n");
                return over(SERVER);
            }
        };
        let location = head.header("location").cloned().unwrap_or_default();
        let of_policy = self
            .wget
            .network
            .policy()
            .map_or(0, |policy| policy.limits.redirects);
        let limit = config.max_redirects.min(of_policy);
        log.full(format!("Location: {location} [following]\n"));
        self.redirects += 1;
        if self.redirects > limit {
            log.full(format!("{limit} redirections exceeded.\n"));
            return over(SERVER);
        }
        if !matches!(target.scheme(), "http" | "https")
            || config.https_only && target.scheme() != "https"
        {
            log.always(format!(
                "{target}: Unsupported scheme {}.\n",
                quoted(target.scheme().as_bytes())
            ));
            return over(GENERIC);
        }
        if redirect::becomes_get(
            head.status,
            if self.has_body { "POST" } else { &self.method },
        ) {
            "GET".clone_into(&mut self.method);
            self.has_body = false;
        }
        self.url = target;
        Some(Next::Redirect)
    }

    /// Reads what nobody wants, so that the connection can be used again.
    fn discard(&mut self, mut exchange: Exchange) -> io::Result<()> {
        let mut piece = vec![0; PIECE];
        loop {
            let read = driver::wait(
                self.wget.process,
                &Notes::default(),
                &mut |_| Ok(()),
                exchange.read(&mut piece),
            )?;
            if !matches!(read, Ok(1..)) {
                break;
            }
        }
        self.wget.session.close(exchange);
        Ok(())
    }
}
