//! Pictures, with their sizes.

use super::{Kind, Numbers};

pub(super) fn kind(bytes: &[u8]) -> Option<Kind> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some(png(bytes));
    }
    if bytes.starts_with(b"\xff\xd8\xff") {
        return Some(jpeg(bytes));
    }
    if let Some(version) = bytes.strip_prefix(b"GIF8")
        && let [version @ (b'7' | b'9'), b'a', ..] = version
    {
        let numbers = Numbers {
            bytes,
            is_big: false,
        };
        let mut text = format!("GIF image data, version 8{}a", char::from(*version));
        if let (Some(width), Some(height)) = (numbers.u16(6), numbers.u16(8)) {
            text.push_str(&format!(", {width} x {height}"));
        }
        return Some(Kind::binary(text, "image/gif"));
    }
    if bytes.starts_with(b"RIFF") {
        return riff(bytes);
    }
    if bytes.starts_with(b"BM") {
        return bitmap(bytes);
    }
    None
}

fn png(bytes: &[u8]) -> Kind {
    let numbers = Numbers {
        bytes,
        is_big: true,
    };
    let mut text = String::from("PNG image data");
    if let (Some(width), Some(height), Some([depth, color, _, _, interlace, ..])) =
        (numbers.u32(16), numbers.u32(20), bytes.get(24..29))
    {
        let color = match color {
            0 => " grayscale",
            2 => "/color RGB",
            3 => " colormap",
            4 => " gray+alpha",
            6 => "/color RGBA",
            _ => "",
        };
        let interlace = if *interlace == 0 {
            "non-interlaced"
        } else {
            "interlaced"
        };
        text.push_str(&format!(
            ", {width} x {height}, {depth}-bit{color}, {interlace}"
        ));
    }
    Kind::binary(text, "image/png")
}

fn jpeg(bytes: &[u8]) -> Kind {
    let numbers = Numbers {
        bytes,
        is_big: true,
    };
    let mut text = String::from("JPEG image data");
    if bytes.get(6..11) == Some(b"JFIF\0") {
        jfif(&numbers, &mut text);
    }
    // Segments follow each other up to the one that has the size.
    let mut at = 2;
    while let Some([0xff, marker]) = bytes.get(at..at + 2) {
        match marker {
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                frame(&numbers, *marker, at, &mut text);
                break;
            }
            0xd9 | 0xda => break,
            _ => {}
        }
        let Some(length) = numbers.u16(at + 2) else {
            break;
        };
        at += 2 + usize::from(length);
    }
    Kind::binary(text, "image/jpeg")
}

fn jfif(numbers: &Numbers<'_>, text: &mut String) {
    let Some([major, minor, unit, ..]) = numbers.bytes.get(11..14) else {
        return;
    };
    let unit = match unit {
        0 => "aspect ratio",
        1 => "resolution (DPI)",
        _ => "resolution (DPCM)",
    };
    text.push_str(&format!(", JFIF standard {major}.{minor:02}, {unit}"));
    if let (Some(x), Some(y), Some(length)) = (numbers.u16(14), numbers.u16(16), numbers.u16(4)) {
        text.push_str(&format!(", density {x}x{y}, segment length {length}"));
    }
}

fn frame(numbers: &Numbers<'_>, marker: u8, at: usize, text: &mut String) {
    let how = match marker {
        0xc0 => "baseline",
        0xc1 => "extended sequential",
        0xc2 => "progressive",
        _ => return,
    };
    let bytes = numbers.bytes;
    if let (Some(precision), Some(height), Some(width), Some(components)) = (
        bytes.get(at + 4),
        numbers.u16(at + 5),
        numbers.u16(at + 7),
        bytes.get(at + 9),
    ) {
        text.push_str(&format!(
            ", {how}, precision {precision}, {width}x{height}, components {components}"
        ));
    }
}

fn riff(bytes: &[u8]) -> Option<Kind> {
    let numbers = Numbers {
        bytes,
        is_big: false,
    };
    let start = "RIFF (little-endian) data";
    match bytes.get(8..12)? {
        b"WEBP" => {
            let mut text = format!("{start}, Web/P image");
            match bytes.get(12..16) {
                Some(b"VP8 ") if bytes.get(23..26) == Some(b"\x9d\x01\x2a") => {
                    let (width, height) = (numbers.u16(26)?, numbers.u16(28)?);
                    let scale = |size: u16| match size >> 14 {
                        0 => "none",
                        1 => "5/4",
                        2 => "5/3",
                        _ => "2",
                    };
                    text.push_str(&format!(
                        ", VP8 encoding, {}x{}, Scaling: [{}]x[{}], YUV color, decoders should clamp",
                        width & 0x3fff,
                        height & 0x3fff,
                        scale(width),
                        scale(height)
                    ));
                }
                _ => {}
            }
            Some(Kind::binary(text, "image/webp"))
        }
        b"WAVE" => {
            let mut text = format!("{start}, WAVE audio");
            if let (Some(1), Some(channels), Some(rate), Some(bits)) = (
                numbers.u16(20),
                numbers.u16(22),
                numbers.u32(24),
                numbers.u16(34),
            ) {
                let channels = match channels {
                    1 => "mono".to_owned(),
                    2 => "stereo".to_owned(),
                    other => format!("{other} channels"),
                };
                text.push_str(&format!(
                    ", Microsoft PCM, {bits} bit, {channels} {rate} Hz"
                ));
            }
            Some(Kind::binary(text, "audio/x-wav"))
        }
        b"AVI " => Some(Kind::binary(format!("{start}, AVI"), "video/x-msvideo")),
        _ => Some(Kind::binary(start, "application/octet-stream")),
    }
}

fn bitmap(bytes: &[u8]) -> Option<Kind> {
    let numbers = Numbers {
        bytes,
        is_big: false,
    };
    if numbers.u32(14)? != 40 {
        return None;
    }
    let (size, offset) = (numbers.u32(2)?, numbers.u32(10)?);
    let (width, height, bits) = (numbers.u32(18)?, numbers.u32(22)?, numbers.u16(28)?);
    let mut text = format!("PC bitmap, Windows 3.x format, {width} x {height} x {bits}");
    let (image, across, down) = (numbers.u32(34)?, numbers.u32(38)?, numbers.u32(42)?);
    if image > 0 {
        text.push_str(&format!(", image size {image}"));
    }
    if across > 0 {
        text.push_str(&format!(", resolution {across} x {down} px/m"));
    }
    text.push_str(&format!(", cbSize {size}, bits offset {offset}"));
    Some(Kind::binary(text, "image/bmp"))
}
