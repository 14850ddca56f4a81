//! `read`: a file as text, a page at a time, or as an image.

mod image;
mod window;

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hotcell_vfs::{OpenOptions, VfsFile};

use crate::error::FileToolError;
use crate::limits::{BINARY_PROBE_BYTES, IMAGE_MAX_BYTES, MAX_BYTES, READ_MAX_LINES, size};
use crate::params::ReadParams;
use crate::result::{Content, Details, ToolResult, TruncatedBy, Truncation};
use crate::shown::shown;
use crate::tools::FileTools;
use image::{Kind, Unshown};
use window::Window;

const ACTION: &str = "read file";
/// How much of a file is held at once.
const CHUNK: u64 = 64 * 1024;

pub(crate) fn read(tools: &FileTools, params: &ReadParams) -> Result<ToolResult, FileToolError> {
    let path = &params.path;
    crate::args::require_path("read", path)?;
    crate::args::require_some("read", "limit", params.limit)?;
    let named = || shown(path.as_bytes());
    let told = |error| FileToolError::failed(ACTION, path, &error);
    let Some(place) = tools.workspace().existing(path, ACTION)? else {
        return Err(FileToolError::FileNotFound { path: named() });
    };
    match place.meta {
        Some(meta) if meta.is_dir() => return Err(FileToolError::IsDirectory { path: named() }),
        Some(meta) if !meta.is_file() => return Err(FileToolError::NotRegular { path: named() }),
        _ => {}
    }
    let file = place
        .vfs
        .open(&place.real, &OpenOptions::read().no_follow())
        .map_err(told)?;
    let length = file.stat().map_err(told)?.size;
    // One byte more than there should be, so that a short file needs one read.
    let room = length.saturating_add(1).min(CHUNK);
    let mut chunk = vec![0; usize::try_from(room).unwrap_or(0)];
    let count = file.read_at(0, &mut chunk).map_err(told)?;
    let head = chunk.get(..count).unwrap_or_default();
    if let Some(kind) = Kind::detect(head) {
        return show_image(tools, &*file, path, kind, length);
    }
    if memchr::memchr(0, head.get(..BINARY_PROBE_BYTES).unwrap_or(head)).is_some() {
        return Err(FileToolError::Binary {
            path: named(),
            size: length,
        });
    }
    let mut window = Window::new(params.offset, params.limit);
    let mut at = 0_u64;
    let mut count = count;
    while count > 0 {
        tools.check_cancelled()?;
        window.take(chunk.get(..count).unwrap_or_default());
        at = at.saturating_add(count as u64);
        count = file.read_at(at, &mut chunk).map_err(told)?;
    }
    show_text(window)
}

fn show_text(window: Window) -> Result<ToolResult, FileToolError> {
    let page = window.finish()?;
    let mut text = page.text;
    let mut details = None;
    let first = page.first_line;
    let last = first.saturating_add(page.lines).saturating_sub(1);
    let next = last.saturating_add(1);
    if let Some(by) = page.truncated_by {
        trim_line_end(&mut text);
        let limit = size(MAX_BYTES as u64);
        details = Some(Details::Truncated {
            truncation: Truncation {
                truncated: true,
                truncated_by: by,
                total_lines: Some(page.total_lines),
                total_bytes: Some(page.total_bytes),
                output_lines: page.lines,
                output_bytes: text.len() as u64,
                last_line_partial: page.long_line.is_some(),
                first_line_exceeds_limit: page.long_line.is_some(),
                max_lines: Some(READ_MAX_LINES as u64),
                max_bytes: MAX_BYTES as u64,
            },
        });
        let total = page.total_lines;
        let notice = match (page.long_line, by) {
            (Some(length), _) if last < total => format!(
                "[Line {first} is {}, showing its first {limit}. Use offset={next} to continue with the next line.]",
                size(length)
            ),
            (Some(length), _) => format!(
                "[Line {first} is {}, showing its first {limit}.]",
                size(length)
            ),
            (None, TruncatedBy::Lines) => {
                format!("[Showing lines {first}-{last} of {total}. Use offset={next} to continue.]")
            }
            (None, TruncatedBy::Bytes) => format!(
                "[Showing lines {first}-{last} of {total} ({limit} limit). Use offset={next} to continue.]"
            ),
        };
        text.push_str("\n\n");
        text.push_str(&notice);
    } else if last < page.total_lines {
        trim_line_end(&mut text);
        let more = page.total_lines.saturating_sub(last);
        let _ = write!(
            text,
            "\n\n[{more} more lines in file. Use offset={next} to continue.]"
        );
    }
    if page.invalid_lines > 0 {
        let _ = write!(
            text,
            "\n\n[The file is not valid UTF-8: in {} of these lines, other bytes are shown as U+FFFD.]",
            page.invalid_lines
        );
    }
    Ok(ToolResult::text(text).with_details(details))
}

fn trim_line_end(text: &mut String) {
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
}

fn show_image(
    tools: &FileTools,
    file: &dyn VfsFile,
    path: &str,
    kind: Kind,
    length: u64,
) -> Result<ToolResult, FileToolError> {
    if length > IMAGE_MAX_BYTES {
        return Err(FileToolError::TooLarge {
            action: "show as an image",
            path: shown(path.as_bytes()),
            size: length,
            limit: IMAGE_MAX_BYTES,
        });
    }
    tools.take(usize::try_from(length).unwrap_or(usize::MAX))?;
    let bytes = file
        .read_all()
        .map_err(|error| FileToolError::failed(ACTION, path, &error))?;
    let encode = |bytes: &[u8]| {
        tools.take(bytes.len().div_ceil(3) * 4)?;
        tools.check_cancelled()?;
        Ok(STANDARD.encode(bytes))
    };
    let (mime_type, data, text) = match kind {
        Kind::Shown(mime_type) => (
            mime_type,
            encode(&bytes)?,
            format!("Read image file [{mime_type}]"),
        ),
        Kind::Bmp => {
            let png = image::bmp_to_png(tools, &bytes).map_err(|error| match error {
                Unshown::Told(error) => error,
                Unshown::Broken(reason) => FileToolError::BrokenImage {
                    path: shown(path.as_bytes()),
                    reason,
                },
            })?;
            let text =
                "Read image file [image/png]\n[Image converted from image/bmp to image/png.]";
            ("image/png", encode(&png)?, text.to_owned())
        }
    };
    Ok(ToolResult {
        content: vec![
            Content::Text { text },
            Content::Image {
                mime_type: mime_type.to_owned(),
                data,
            },
        ],
        details: None,
    })
}
