//! Images, told by their first bytes and never by their names.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use zune_bmp::BmpDecoder;
use zune_bmp::zune_core::bytestream::ZCursor;
use zune_bmp::zune_core::colorspace::ColorSpace;

use crate::error::FileToolError;
use crate::tools::FileTools;

/// The most bytes a decoded picture may take: a small file can claim any size.
const DECODED_MAX: usize = 128 * 1024 * 1024;
/// How many bytes of pixels are compressed between two looks at whether to stop.
const AT_ONCE: usize = 64 * 1024;
/// Lengths of the headers that follow the first 14 bytes, one for each version of the format.
const BMP_HEADERS: [u32; 8] = [12, 16, 40, 52, 56, 64, 108, 124];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A kind that models can see, by its media type.
    Shown(&'static str),
    /// Has to be converted.
    Bmp,
}

impl Kind {
    pub(super) fn detect(head: &[u8]) -> Option<Self> {
        let is_webp = || head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP".as_slice());
        if head.starts_with(b"\x89PNG") {
            Some(Self::Shown("image/png"))
        } else if head.starts_with(b"\xff\xd8") {
            Some(Self::Shown("image/jpeg"))
        } else if head.starts_with(b"GIF8") {
            Some(Self::Shown("image/gif"))
        } else if is_webp() {
            Some(Self::Shown("image/webp"))
        } else if is_bmp(head) {
            Some(Self::Bmp)
        } else {
            None
        }
    }
}

/// `BM` alone may be the beginning of a text.
fn is_bmp(head: &[u8]) -> bool {
    let word = |at: usize| -> Option<u32> {
        let bytes = head.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    head.starts_with(b"BM")
        && word(6) == Some(0)
        && word(14).is_some_and(|length| BMP_HEADERS.contains(&length))
}

/// Why a picture is not shown.
pub(super) enum Unshown {
    /// There is no time or room for it.
    Told(FileToolError),
    Broken(String),
}

impl From<FileToolError> for Unshown {
    fn from(error: FileToolError) -> Self {
        Self::Told(error)
    }
}

impl From<String> for Unshown {
    fn from(reason: String) -> Self {
        Self::Broken(reason)
    }
}

impl From<png::EncodingError> for Unshown {
    fn from(error: png::EncodingError) -> Self {
        Self::Broken(error.to_string())
    }
}

/// The same picture as PNG, or what is wrong with it.
pub(super) fn bmp_to_png(tools: &FileTools, bytes: &[u8]) -> Result<Vec<u8>, Unshown> {
    // The bytes are a stranger's. Whatever the decoder may trip over must not take the host with it.
    catch_unwind(AssertUnwindSafe(|| convert(tools, bytes)))
        .unwrap_or_else(|_| Err("it cannot be decoded".to_owned().into()))
}

fn convert(tools: &FileTools, bytes: &[u8]) -> Result<Vec<u8>, Unshown> {
    let mut decoder = BmpDecoder::new(ZCursor::new(bytes));
    let told = |error| format!("{error:?}");
    decoder.decode_headers().map_err(told)?;
    let size = decoder
        .output_buf_size()
        .filter(|size| *size <= DECODED_MAX);
    let (Some(size), Some((width, height))) = (size, decoder.dimensions()) else {
        return Err(format!("it would take more than {DECODED_MAX} bytes").into());
    };
    // The pixels, and the picture that is made of them, which is hardly larger in the worst case.
    tools.take(size.saturating_mul(2).saturating_add(size / 16))?;
    tools.check_cancelled()?;
    let pixels = decoder.decode().map_err(told)?;
    let color = match decoder.colorspace() {
        Some(ColorSpace::RGB) => png::ColorType::Rgb,
        Some(ColorSpace::RGBA) => png::ColorType::Rgba,
        Some(ColorSpace::Luma) => png::ColorType::Grayscale,
        other => return Err(format!("its colours are not supported: {other:?}").into()),
    };
    let mut out = Vec::new();
    let pixels_wide = |side: usize| u32::try_from(side).map_err(|error| error.to_string());
    let mut encoder = png::Encoder::new(&mut out, pixels_wide(width)?, pixels_wide(height)?);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    let mut stream = writer.stream_writer()?;
    for part in pixels.chunks(AT_ONCE) {
        tools.check_cancelled()?;
        let written = stream.write_all(part);
        written.map_err(|error| error.to_string())?;
    }
    stream.finish()?;
    writer.finish()?;
    Ok(out)
}
