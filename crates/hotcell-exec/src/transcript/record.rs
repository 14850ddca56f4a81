//! Writing a transcript.

use std::io::{self, Write};

use super::{Bytes, MAX_REQUEST, Record};

/// Writes down what happens.
pub(crate) struct Recorder {
    out: Box<dyn Write + Send>,
    next: u64,
}

impl Recorder {
    pub(crate) fn new(out: Box<dyn Write + Send>) -> io::Result<Self> {
        let mut recorder = Self { out, next: 0 };
        recorder.line(&Record::Head { v: 1 })?;
        Ok(recorder)
    }

    pub(crate) fn control(&mut self, request: &[u8], reply: Option<&[u8]>) -> io::Result<()> {
        let i = self.number();
        let kept = request.get(..MAX_REQUEST).unwrap_or(request);
        self.line(&Record::CtlReq {
            i,
            len: (kept.len() != request.len()).then_some(request.len()),
            b64: bytes(kept),
        })?;
        self.line(&Record::CtlRes {
            i,
            ret: reply.is_none().then_some(-1),
            b64: bytes(reply.unwrap_or_default()),
        })
    }

    /// A read of at most `cap` bytes, which gave `ret` and these.
    pub(crate) fn read(&mut self, h: i32, cap: usize, ret: i32, got: &[u8]) -> io::Result<()> {
        let i = self.number();
        let b64 = bytes(got);
        self.line(&Record::Read {
            i,
            h,
            cap,
            ret,
            b64,
        })
    }

    /// A write of these bytes, of which `ret` were taken.
    pub(crate) fn write(&mut self, h: i32, offered: &[u8], ret: i32) -> io::Result<()> {
        let i = self.number();
        let taken = usize::try_from(ret).unwrap_or(0);
        let b64 = bytes(offered.get(..taken).unwrap_or(offered));
        let len = (taken != offered.len()).then_some(offered.len());
        self.line(&Record::Write {
            i,
            h,
            ret,
            len,
            b64,
        })
    }

    pub(crate) fn end(&mut self, h: i32) -> io::Result<()> {
        let i = self.number();
        self.line(&Record::End { i, h })
    }

    pub(crate) fn log(&mut self, topic: &[u8], msg: &[u8]) -> io::Result<()> {
        let i = self.number();
        self.line(&Record::Log {
            i,
            topic_b64: bytes(topic),
            msg_b64: bytes(msg),
        })
    }

    /// The last line.
    pub(crate) fn exit(&mut self, trap: Option<&str>) -> io::Result<()> {
        let i = self.number();
        self.line(&Record::Exit {
            i,
            trap: trap.map(str::to_owned),
        })?;
        self.out.flush()
    }

    fn number(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        number
    }

    fn line(&mut self, record: &Record) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, record)?;
        self.out.write_all(b"\n")
    }
}

fn bytes(bytes: &[u8]) -> Bytes {
    Bytes(bytes.to_vec())
}
