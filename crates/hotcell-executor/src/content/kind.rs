//! What an item can be, and how its bytes show that.

use super::{ContentItem, svg};

/// What can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Plain,
    Json,
    Svg,
    Png,
    Jpeg,
    Gif,
    Webp,
    Wav,
    Mp3,
    Ogg,
    Flac,
}

/// Which of the functions shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Text,
    Image,
    Audio,
}

impl Kind {
    const ALL: [Self; 11] = [
        Self::Plain,
        Self::Json,
        Self::Svg,
        Self::Png,
        Self::Jpeg,
        Self::Gif,
        Self::Webp,
        Self::Wav,
        Self::Mp3,
        Self::Ogg,
        Self::Flac,
    ];

    /// Its type, by its usual name.
    pub(super) fn mime(self) -> &'static str {
        match self {
            Self::Plain => "text/plain",
            Self::Json => "application/json",
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Wav => "audio/wav",
            Self::Mp3 => "audio/mpeg",
            Self::Ogg => "audio/ogg",
            Self::Flac => "audio/flac",
        }
    }

    pub(super) fn family(self) -> Family {
        match self {
            Self::Plain | Self::Json => Family::Text,
            Self::Svg | Self::Png | Self::Jpeg | Self::Gif | Self::Webp => Family::Image,
            Self::Wav | Self::Mp3 | Self::Ogg | Self::Flac => Family::Audio,
        }
    }

    /// The kind of that type, whose name may be one of those that are in use beside the right one, with parameters.
    pub(super) fn of_mime(mime: &str) -> Option<Self> {
        let mime = mime.split(';').next().unwrap_or_default();
        let mime = mime.trim().to_ascii_lowercase();
        let mime = match &*mime {
            "image/jpg" | "image/pjpeg" => "image/jpeg",
            "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => "audio/wav",
            "audio/mp3" => "audio/mpeg",
            "application/ogg" => "audio/ogg",
            "audio/x-flac" => "audio/flac",
            other => other,
        };
        Self::ALL.into_iter().find(|kind| kind.mime() == mime)
    }

    pub(super) fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == number)
    }

    /// What bytes are, as far as their beginning says. Text is not told that way.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        Some(match bytes {
            // The header has to be there, with a size: what is cut behind the signature is no picture.
            [
                0x89,
                b'P',
                b'N',
                b'G',
                b'\r',
                b'\n',
                0x1a,
                b'\n',
                0,
                0,
                0,
                13,
                b'I',
                b'H',
                b'D',
                b'R',
                rest @ ..,
            ] if has_size(rest) => Self::Png,
            [0xff, 0xd8, 0xff, ..] => Self::Jpeg,
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Self::Gif,
            [b'R', b'I', b'F', b'F', _, _, _, _, rest @ ..] => match rest {
                [b'W', b'E', b'B', b'P', ..] => Self::Webp,
                [b'W', b'A', b'V', b'E', ..] => Self::Wav,
                _ => return None,
            },
            [b'I', b'D', b'3', ..] => Self::Mp3,
            // Eleven bits of a frame's begin, then a version, a layer and a rate that exist.
            [0xff, second, third, ..]
                if second & 0xe0 == 0xe0
                    && second & 0x18 != 0x08
                    && second & 0x06 == 0x02
                    && third & 0xf0 != 0xf0
                    && third & 0x0c != 0x0c =>
            {
                Self::Mp3
            }
            [b'O', b'g', b'g', b'S', ..] => Self::Ogg,
            [b'f', b'L', b'a', b'C', ..] => Self::Flac,
            _ => return None,
        })
    }

    /// An item of this kind with that in it, if it is what it is said to be.
    pub(super) fn checked(self, body: &[u8]) -> Option<ContentItem> {
        match self {
            Self::Plain | Self::Json => {
                let text = std::str::from_utf8(body).ok()?;
                Some(ContentItem::text_of(self, text))
            }
            Self::Svg => {
                let text = std::str::from_utf8(body).ok()?;
                svg::check(text, &hotcell_meter::Unwatched).ok()?;
                Some(ContentItem::text_of(self, text))
            }
            kind => (Self::of_bytes(body) == Some(kind)).then(|| ContentItem::data_of(kind, body)),
        }
    }
}

/// Whether width and height are there, and are none of them 0.
fn has_size(header: &[u8]) -> bool {
    let is_some = |at: usize| header.get(at..at + 4).is_some_and(|size| size != [0; 4]);
    is_some(0) && is_some(4)
}

impl Family {
    /// The types of this family, for an error.
    pub(super) fn types(self) -> String {
        let kinds = Kind::ALL.into_iter().filter(|kind| kind.family() == self);
        kinds.map(Kind::mime).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_by_their_beginning() {
        let cases: [(&[u8], Option<Kind>); 12] = [
            (
                b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01",
                Some(Kind::Png),
            ),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\x01", None),
            (b"\x89PNG\r\n\x1a\n", None),
            (b"\xff\xd8\xff\xe0", Some(Kind::Jpeg)),
            (b"GIF89a", Some(Kind::Gif)),
            (b"GIF88a", None),
            (b"RIFF\0\0\0\0WEBP", Some(Kind::Webp)),
            (b"RIFF\0\0\0\0WAVE", Some(Kind::Wav)),
            (b"RIFF\0\0\0\0AVI ", None),
            (b"\xff\xfb\x90\x00", Some(Kind::Mp3)),
            (b"\xff\xff\xff\xff", None),
            (b"", None),
        ];
        for (bytes, kind) in cases {
            assert_eq!(Kind::of_bytes(bytes), kind, "{bytes:?}");
        }
    }

    #[test]
    fn a_type_is_found_by_the_names_in_use() {
        assert_eq!(Kind::of_mime("IMAGE/JPG; q=1"), Some(Kind::Jpeg));
        assert_eq!(Kind::of_mime("audio/x-wav"), Some(Kind::Wav));
        assert_eq!(Kind::of_mime("image/tiff"), None);
        for kind in Kind::ALL {
            assert_eq!(Kind::of_mime(kind.mime()), Some(kind));
            assert_eq!(Kind::of_number(kind as u8), Some(kind));
        }
    }
}
