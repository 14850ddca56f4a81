//! What a transfer sends.

use bstr::{BString, ByteSlice};
use hotcell_vfs::OpenOptions;
use url::Url;

use super::{Broken, Transfer};
use crate::{
    curl::{Curl, TRY, config::Resume, failure::Failure, form},
    date,
    upload::{self, Piece, Upload},
};

/// What is sent.
pub(super) struct Body {
    pub(super) upload: Upload,
    pub(super) method: &'static str,
    pub(super) kind: Option<String>,
}

impl Transfer<'_, '_, '_> {
    /// What is sent, and how.
    pub(super) fn body(&mut self, url: &mut Url) -> Result<Body, Broken> {
        let (process, config) = (self.curl.process, self.job.config);
        let mut query: Vec<&[u8]> = config.query.iter().map(|text| text.as_slice()).collect();
        if let (true, Some(data)) = (config.is_get, &config.data) {
            query.push(&data.bytes);
        }
        if !query.is_empty() {
            let mut all = url
                .query()
                .map(|text| vec![text.as_bytes()])
                .unwrap_or_default();
            all.extend(query);
            let joined = bstr::join("&", all);
            url.set_query(Some(&joined.to_str_lossy()));
        }
        if let Some(file) = &self.job.node.upload {
            return self.put(url, file);
        }
        if !config.form.is_empty() {
            let boundary = form::boundary();
            let upload =
                form::body(process, &config.form, &boundary)?.ok_or_else(Failure::reading)?;
            return Ok(Body {
                upload,
                method: "POST",
                kind: Some(format!("multipart/form-data; boundary={boundary}")),
            });
        }
        match config.data.as_ref().filter(|_| !config.is_get) {
            Some(data) => Ok(Body {
                upload: Upload::bytes(data.bytes.clone()),
                method: "POST",
                kind: Some("application/x-www-form-urlencoded".to_owned()),
            }),
            None => Ok(Body {
                upload: Upload::None,
                method: "GET",
                kind: None,
            }),
        }
    }

    /// A file or a stream that is sent.
    pub(super) fn put(&mut self, url: &mut Url, file: &BString) -> Result<Body, Broken> {
        let process = self.curl.process;
        let upload = if file == "-" || file == "." {
            Upload::Stream(process.descriptor(0)?)
        } else {
            if url.path().ends_with('/') {
                let name = file.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
                let encoded =
                    percent_encoding::percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
                let encoded = encoded
                    .to_string()
                    .replace("%2E", ".")
                    .replace("%2D", "-")
                    .replace("%5F", "_");
                let path = format!("{}{encoded}", url.path());
                url.set_path(&path);
            }
            let unreadable = |curl: &Curl<'_>| {
                curl.talk.fail(&format!("Can't open '{file}'!"));
                curl.talk.fail(TRY);
                Failure::reading()
            };
            let Ok(stream) = process.open(file, &OpenOptions::read()) else {
                return Err(unreadable(self.curl).into());
            };
            let start = match self.job.config.resume {
                Some(Resume::At(at)) => at,
                _ => 0,
            };
            match upload::size_of(process, file) {
                Some(size) => Upload::Pieces(vec![Piece::File(
                    file.clone(),
                    start.min(size),
                    size.saturating_sub(start),
                )]),
                None if stream.metadata().is_ok_and(|metadata| metadata.is_dir()) => {
                    return Err(unreadable(self.curl).into());
                }
                None => Upload::Stream(stream),
            }
        };
        Ok(Body {
            upload,
            method: "PUT",
            kind: None,
        })
    }

    /// The time of `-z`, and whether what is newer is wanted.
    pub(super) fn time_condition(&self) -> Result<Option<(bool, i64)>, Broken> {
        let Some(text) = &self.job.config.time_condition else {
            return Ok(None);
        };
        let (text, is_newer) = match text.strip_prefix(b"-") {
            Some(text) => (text, false),
            None => (text.strip_prefix(b"+").unwrap_or(text), true),
        };
        let of_file = || {
            let metadata = self.curl.process.metadata(text, true).ok()?;
            Some(metadata.modified.seconds())
        };
        let seconds = date::parse(text).or_else(of_file);
        if seconds.is_none() {
            self.curl
                .talk
                .warn("Illegal date format for -z, --time-cond (and not a file name). ");
            self.curl
                .talk
                .warn("Disabling time condition. See curl_getdate(3) for valid date syntax.");
        }
        Ok(seconds.map(|seconds| (is_newer, seconds)))
    }
}
