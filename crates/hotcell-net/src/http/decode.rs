//! Compressed bodies, a piece at a time.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer};

use super::response::ResponseHead;
use crate::error::NetError;

/// What `--compressed` says it can read.
pub(crate) const ACCEPTED: &str = "deflate, gzip, br, zstd";

/// The largest window of zstd that is kept: 8 MiB, as RFC 9659 has it.
const ZSTD_WINDOW: u32 = 23;

/// A piece of input may stand for very much output; so it is made as it is asked for.
pub(crate) enum Decoder {
    Gzip(Box<Decompress>),
    /// Called deflate: zlib's format, or none at all, which is known from the first bytes.
    Deflate(Option<Box<Decompress>>),
    Brotli(Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>),
    Zstd(Box<ZstdDecoder<'static>>),
}

/// What a step took and made.
pub(crate) struct Step {
    pub(crate) taken: usize,
    pub(crate) made: usize,
    pub(crate) is_done: bool,
}

impl Decoder {
    /// What a response needs, if it is compressed.
    pub(crate) fn of(head: &ResponseHead) -> Result<Option<Self>, NetError> {
        let mut names = Vec::new();
        for value in head.all("content-encoding") {
            let parts = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
            names.extend(
                parts.filter(|part| !part.is_empty() && !part.eq_ignore_ascii_case(b"identity")),
            );
        }
        match names.as_slice() {
            [] => Ok(None),
            [name] => Self::named(name).map(Some),
            // One inside of another is how a small answer becomes an endless one.
            _ => Err(NetError::Encoding("it is compressed more than once")),
        }
    }

    fn named(name: &[u8]) -> Result<Self, NetError> {
        match name.to_ascii_lowercase().as_slice() {
            b"gzip" | b"x-gzip" => Ok(Self::Gzip(Box::new(Decompress::new_gzip(15)))),
            b"deflate" => Ok(Self::Deflate(None)),
            b"br" => {
                let alloc = StandardAlloc::default;
                // Strict: windows of 16 MiB at most.
                let state = BrotliState::new_strict(alloc(), alloc(), alloc());
                Ok(Self::Brotli(Box::new(state)))
            }
            b"zstd" => {
                let failed = |_| NetError::Encoding("zstd cannot be set up");
                let mut decoder = ZstdDecoder::new().map_err(failed)?;
                let window = DParameter::WindowLogMax(ZSTD_WINDOW);
                decoder.set_parameter(window).map_err(failed)?;
                Ok(Self::Zstd(Box::new(decoder)))
            }
            _ => Err(NetError::Encoding(
                "the encoding is none that is known here",
            )),
        }
    }

    /// Whether what is done may go on: zstd has frames behind frames.
    pub(crate) fn may_continue(&self) -> bool {
        matches!(self, Self::Zstd(_))
    }

    /// How much memory it may need.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::Gzip(_) | Self::Deflate(_) => 64 << 10,
            Self::Brotli(_) => 17 << 20,
            Self::Zstd(_) => (1 << ZSTD_WINDOW) + (512 << 10),
        }
    }

    /// Makes output of input, as much of both as fits. Without input it gives what it still has.
    pub(crate) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, NetError> {
        match self {
            Self::Gzip(gzip) => inflate(gzip, input, output),
            Self::Deflate(Some(deflate)) => inflate(deflate, input, output),
            Self::Deflate(slot) => {
                let [first, second, ..] = input else {
                    // Both bytes are needed to tell; one alone waits for the other.
                    return Ok(Step {
                        taken: 0,
                        made: 0,
                        is_done: false,
                    });
                };
                let is_zlib =
                    first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0;
                let deflate = slot.insert(Box::new(Decompress::new(is_zlib)));
                inflate(deflate, input, output)
            }
            Self::Brotli(state) => {
                let (mut left_in, mut taken) = (input.len(), 0);
                let (mut left_out, mut made, mut total) = (output.len(), 0, 0);
                let result = BrotliDecompressStream(
                    &mut left_in,
                    &mut taken,
                    input,
                    &mut left_out,
                    &mut made,
                    output,
                    &mut total,
                    state,
                );
                match result {
                    BrotliResult::ResultFailure => Err(NetError::Encoding("it is no brotli")),
                    BrotliResult::ResultSuccess => Ok(Step {
                        taken,
                        made,
                        is_done: true,
                    }),
                    _ => Ok(Step {
                        taken,
                        made,
                        is_done: false,
                    }),
                }
            }
            Self::Zstd(decoder) => {
                let mut from = InBuffer::around(input);
                let mut to = OutBuffer::around(output);
                let hint = decoder
                    .run(&mut from, &mut to)
                    .map_err(|_| NetError::Encoding("it is no zstd"))?;
                let made = to.pos();
                Ok(Step {
                    taken: from.pos,
                    made,
                    is_done: hint == 0,
                })
            }
        }
    }
}

fn inflate(state: &mut Decompress, input: &[u8], output: &mut [u8]) -> Result<Step, NetError> {
    let (before_in, before_out) = (state.total_in(), state.total_out());
    let status = state
        .decompress(input, output, FlushDecompress::None)
        .map_err(|_| NetError::Encoding("it is no deflate or gzip"))?;
    let difference = |now: u64, before: u64| usize::try_from(now - before).unwrap_or(0);
    Ok(Step {
        taken: difference(state.total_in(), before_in),
        made: difference(state.total_out(), before_out),
        is_done: status == Status::StreamEnd,
    })
}
