//! What gzip remembers of a file, and which files it leaves alone.

use std::io;

use bstr::{BString, ByteSlice};
use hotcell_process::error_text;
use hotcell_vfs::{Errno, Metadata, OpenOptions};

use super::Job;
use crate::archives::codec::{Codec, Origin};

impl Job<'_> {
    /// gzip replaces no file that has other names, and no link, unless it is told to.
    pub(super) fn refuses(&mut self, name: &BString, meta: &Metadata) -> bool {
        if self.codec != Codec::Gzip || self.to_stdout || self.parsed.has("force") {
            return false;
        }
        if meta.is_symlink() {
            let error = io::Error::from_raw_os_error(Errno::ELOOP.code());
            self.fail([name.as_slice(), b": ", error_text(&error).as_bytes()].concat());
            return true;
        }
        let others = meta.nlink.saturating_sub(1);
        if others > 0 {
            let ending = if others == 1 { "" } else { "s" };
            self.warn(format!(
                "{name} has {others} other link{ending} -- file ignored"
            ));
        }
        others > 0
    }

    /// What is remembered of a file that is compressed, or known of one that was.
    pub(super) fn origin(&self, name: &BString, meta: &Metadata) -> Origin {
        let is_off = self.parsed.last_of(&["no-name", "name"]) == Some("no-name");
        if self.decompresses {
            return self.said_origin(name);
        }
        if self.codec != Codec::Gzip || is_off {
            return Origin::default();
        }
        Origin {
            name: name.rsplit_str("/").next().map(<[u8]>::to_vec),
            modified: u32::try_from(meta.modified.seconds()).unwrap_or(0),
        }
    }

    /// What a compressed file says of the one that it was made of, if `-N` asks for that.
    pub(super) fn said_origin(&self, name: &BString) -> Origin {
        let is_asked = self.parsed.last_of(&["no-name", "name"]) == Some("name");
        if self.codec != Codec::Gzip || !is_asked {
            return Origin::default();
        }
        let input = self.process.open(name, &OpenOptions::read());
        input.map_or_else(
            |_| Origin::default(),
            |stream| Origin::of(self.process.input(stream)),
        )
    }
}

/// The last part of a name that a file brought along, if it is one that a file can have.
pub(super) fn plain_name(name: &[u8]) -> Option<&[u8]> {
    let last = name.rsplit_str("/").next()?;
    (!matches!(last, b"" | b"." | b"..")).then_some(last)
}
