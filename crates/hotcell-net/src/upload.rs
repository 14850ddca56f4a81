//! Bodies that programs send.

use std::{
    io::{self, Read},
    sync::Arc,
};

use bstr::BString;
use hotcell_process::{Input, Process, Stream};
use hotcell_vfs::OpenOptions;

use crate::{BodyLength, driver, error::NetError, exchange::Exchange, note::Notes};

/// How much is read and sent at a time.
const PIECE: usize = 64 << 10;

/// A body.
pub(crate) enum Upload {
    None,
    /// Pieces that are there before it begins.
    Pieces(Vec<Piece>),
    /// Whatever comes. It comes once.
    Stream(Arc<dyn Stream>),
}

/// A part of a body.
pub(crate) enum Piece {
    Bytes(Vec<u8>),
    /// A file, from a place on, and how many bytes of it.
    File(BString, u64, u64),
}

/// Why a body was not sent.
pub(crate) enum Stopped {
    /// What should be sent cannot be read.
    Reading,
    Net(NetError),
    Io(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Piece {
    /// A whole file, if it can be read.
    pub(crate) fn file(process: &Process, path: &[u8]) -> Option<Self> {
        let length = size_of(process, path)?;
        Some(Self::File(path.into(), 0, length))
    }

    fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::File(_, _, length) => *length,
        }
    }
}

/// The size of a file that can be read.
pub(crate) fn size_of(process: &Process, path: &[u8]) -> Option<u64> {
    let input = process.open_input(path).ok()?;
    let metadata = input.stream().metadata().ok()?;
    metadata.is_file().then_some(metadata.size)
}

impl Upload {
    /// A body of these bytes.
    pub(crate) fn bytes(bytes: Vec<u8>) -> Self {
        Self::Pieces(vec![Piece::Bytes(bytes)])
    }

    pub(crate) fn length(&self) -> BodyLength {
        match self {
            Self::None => BodyLength::None,
            Self::Pieces(pieces) => BodyLength::Known(pieces.iter().map(Piece::len).sum()),
            Self::Stream(_) => BodyLength::Unknown,
        }
    }

    /// Sends it. It can be sent again, unless it is a stream.
    pub(crate) fn send(
        &self,
        process: &Process,
        exchange: &mut Exchange,
        limit: Option<u64>,
    ) -> Result<(), Stopped> {
        match self {
            Self::None => Ok(()),
            Self::Pieces(pieces) => pieces.iter().try_for_each(|piece| match piece {
                Piece::Bytes(bytes) => bytes
                    .chunks(PIECE)
                    .try_for_each(|part| send(process, exchange, part, limit)),
                Piece::File(path, start, length) => {
                    let stream = process
                        .open(path, &OpenOptions::read())
                        .map_err(|_| Stopped::Reading)?;
                    stream
                        .seek(io::SeekFrom::Start(*start))
                        .map_err(|_| Stopped::Reading)?;
                    send_from(
                        process,
                        exchange,
                        process.input(stream),
                        Some(*length),
                        limit,
                    )
                }
            }),
            Self::Stream(stream) => {
                let input = process.input(Arc::clone(stream));
                send_from(process, exchange, input, None, limit)
            }
        }
    }
}

/// Sends as much as is there, or exactly so much.
fn send_from(
    process: &Process,
    exchange: &mut Exchange,
    mut input: Input<'_>,
    length: Option<u64>,
    limit: Option<u64>,
) -> Result<(), Stopped> {
    let mut piece = vec![0; PIECE];
    let _charge = process.charge(PIECE)?;
    let mut left = length;
    while left != Some(0) && !exchange.is_refused() {
        let wanted = left.map_or(PIECE, |left| {
            usize::try_from(left).unwrap_or(PIECE).min(PIECE)
        });
        let room = piece.get_mut(..wanted).unwrap_or_default();
        let count = input.read(room).map_err(|_| Stopped::Reading)?;
        if count == 0 {
            // A file that became shorter cannot be what was said.
            return if left.is_none() {
                Ok(())
            } else {
                Err(Stopped::Reading)
            };
        }
        send(
            process,
            exchange,
            piece.get(..count).unwrap_or_default(),
            limit,
        )?;
        left = left.map(|left| left - count as u64);
    }
    Ok(())
}

fn send(
    process: &Process,
    exchange: &mut Exchange,
    data: &[u8],
    limit: Option<u64>,
) -> Result<(), Stopped> {
    let sent = driver::wait(
        process,
        &Notes::default(),
        &mut |_| Ok(()),
        exchange.send(data),
    )?;
    driver::pace(process, data.len(), limit);
    sent.map_err(Stopped::Net)
}
