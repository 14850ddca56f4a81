//! The request that options ask for.

use bstr::{BString, ByteSlice};
use data_encoding::BASE64;
use hotcell_process::error_text;

use super::{Retrieval, Tried};
use crate::{
    BodyLength, Request, date,
    http::wire::authority,
    redirect,
    upload::{Piece, Upload},
    wget::{VERSION, code::FILE, log::quoted, options::Body},
};

impl Retrieval<'_, '_> {
    pub(super) fn upload(&self) -> Result<Upload, Tried> {
        let (process, config) = (self.wget.process, self.wget.config);
        match config.body.as_ref().filter(|_| self.has_body) {
            None => Ok(Upload::None),
            Some(Body::Data(data)) => Ok(Upload::bytes(data.to_vec())),
            Some(Body::File(file)) => match Piece::file(process, file) {
                Some(piece) => Ok(Upload::Pieces(vec![piece])),
                None => {
                    let why = process
                        .open_input(file)
                        .err()
                        .map_or_else(String::new, |error| error_text(&error));
                    self.wget
                        .log
                        .always(format!("BODY data file {} missing: {why}\n", quoted(file)));
                    Err(Tried::Done(FILE))
                }
            },
        }
    }

    /// The request. Headers stand in the order in which wget sends them.
    pub(super) fn head(&self, start: u64, length: BodyLength, local: Option<&BString>) -> Request {
        let (process, config) = (self.wget.process, self.wget.config);
        let mut url = self.url.clone();
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.set_fragment(None);
        let mut request = Request::new(self.method.clone(), url);
        request.body = length;
        request.is_insecure = config.is_insecure;
        let mut headers: Vec<(&str, BString)> = vec![("Host", authority(&request.url).into())];
        let mut add = |name: &'static str, value: Option<BString>| {
            headers.extend(value.map(|value| (name, value)))
        };
        add("Referer", config.referer.clone());
        if config.no_cache {
            add("Cache-Control", Some("no-cache".into()));
            add("Pragma", Some("no-cache".into()));
        }
        add(
            "Range",
            (start > 0).then(|| format!("bytes={start}-").into()),
        );
        let since = local.filter(|_| config.is_timestamping);
        let since = since.and_then(|file| process.metadata(file, true).ok());
        add(
            "If-Modified-Since",
            since.map(|found| date::format(found.modified.seconds()).into()),
        );
        let agent = config
            .agent
            .clone()
            .unwrap_or_else(|| format!("Wget/{}", VERSION).into());
        add("User-Agent", Some(agent).filter(|agent| !agent.is_empty()));
        add("Accept", Some("*/*".into()));
        add(
            "Accept-Encoding",
            Some(
                if config.is_compressed {
                    "gzip"
                } else {
                    "identity"
                }
                .into(),
            ),
        );
        add("Authorization", self.credentials());
        add(
            "Connection",
            Some(
                if config.keeps_alive {
                    "Keep-Alive"
                } else {
                    "Close"
                }
                .into(),
            ),
        );
        let cookies = self.wget.jar.header(&self.url, process.now().seconds());
        add("Cookie", cookies.filter(|_| config.uses_cookies));
        if let BodyLength::Known(length) = length {
            add(
                "Content-Type",
                Some("application/x-www-form-urlencoded".into()),
            );
            add("Content-Length", Some(length.to_string().into()));
        }
        let is_same = redirect::is_same_origin(&self.url, &self.first);
        for line in &config.headers {
            let Some((name, value)) = line.split_once_str(":") else {
                continue;
            };
            let name = name.to_str_lossy().into_owned();
            let value = BString::from(value.trim_ascii());
            if redirect::is_personal(&name) && !is_same {
                continue;
            }
            let known = headers
                .iter_mut()
                .find(|(known, _)| known.eq_ignore_ascii_case(&name));
            match known {
                Some((_, known)) => *known = value,
                None => request.headers.push((name, value)),
            }
        }
        let own = headers
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        request.headers = own.chain(std::mem::take(&mut request.headers)).collect();
        request
    }

    /// The user and password, if the server asked, and is the one that they are for.
    pub(super) fn credentials(&self) -> Option<BString> {
        let config = self.wget.config;
        if !self.is_challenged || !redirect::is_same_origin(&self.url, &self.first) {
            return None;
        }
        let plain = |text: &str| percent_encoding::percent_decode_str(text).collect::<Vec<u8>>();
        let of_url = Some(plain(self.url.username())).filter(|user| !user.is_empty());
        let user = of_url.or_else(|| config.user.as_ref().map(|user| user.to_vec()))?;
        let password = self.url.password().map(plain);
        let password =
            password.or_else(|| config.password.as_ref().map(|password| password.to_vec()));
        let pair = [user, b":".to_vec(), password.unwrap_or_default()].concat();
        Some(format!("Basic {}", BASE64.encode(&pair)).into())
    }
}
