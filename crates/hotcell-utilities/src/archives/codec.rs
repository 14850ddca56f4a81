//! Ways to make bytes fewer, and more again.

use std::io::{self, BufRead, BufReader, Read, Write};

use hotcell_meter::Charge;
use hotcell_process::Process;

/// A compressed format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Codec {
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

/// What a gzip file says of the file that it was made of.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origin {
    /// Its name, without directories.
    pub(crate) name: Option<Vec<u8>>,
    /// When it was changed, in seconds since 1970; 0 if nobody knows.
    pub(crate) modified: u32,
}

impl Origin {
    /// What the beginning of a gzip file says.
    pub(crate) fn of<R: Read>(input: R) -> Self {
        let decoder = flate2::bufread::GzDecoder::new(BufReader::new(input));
        let header = decoder.header();
        Self {
            name: header.and_then(|header| Some(header.filename()?.to_vec())),
            modified: header.map_or(0, flate2::GzHeader::mtime),
        }
    }
}

/// The largest window of a Zstandard frame that is taken: what the format asks every decoder to support.
const ZSTD_WINDOW_LOG: u32 = 23;

impl Codec {
    /// What a file that begins like this is compressed with.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        [Self::Gzip, Self::Bzip2, Self::Xz, Self::Zstd]
            .into_iter()
            .find(|codec| head.starts_with(codec.magic()))
    }

    fn magic(self) -> &'static [u8] {
        match self {
            Self::Gzip => b"\x1f\x8b",
            Self::Bzip2 => b"BZh",
            Self::Xz => b"\xfd7zXZ\0",
            Self::Zstd => b"\x28\xb5\x2f\xfd",
        }
    }

    /// Memory that it takes to compress at a level, and to decompress: near enough, and bounded.
    fn memory(self, level: u32, compresses: bool) -> usize {
        match (self, compresses) {
            (Self::Gzip, _) => 512 << 10,
            (Self::Bzip2, _) => 8 << 20,
            (Self::Xz, true) => xz_dictionary(level).saturating_mul(12) + (1 << 20),
            // A reader is limited when it is made.
            (Self::Xz, false) => 0,
            (Self::Zstd, true) => (8 << 20) << (level / 6).min(4),
            (Self::Zstd, false) => 10 << 20,
        }
    }

    /// What `input` is, decompressed. Members and frames that follow each other are one.
    pub(crate) fn reader<'r, R: Read + 'r>(
        self,
        process: &'r Process,
        input: R,
    ) -> io::Result<Reader<'r>> {
        let input = Watched::new(process, input);
        let mut charge = process.charge(self.memory(0, false))?;
        let inner: Box<dyn Read + 'r> = match self {
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(input)),
            Self::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(input)),
            Self::Xz => {
                // Half of what is left, and never more: the size of the dictionary is for the file to say.
                let account = process.account();
                let most = (account.limit() - account.used().min(account.limit())) / 2;
                let most = most.min(256 << 20);
                charge
                    .grow(most.min(16 << 20))
                    .map_err(hotcell_process::limit_error)?;
                let kib = u32::try_from(most >> 10).unwrap_or(u32::MAX);
                Box::new(lzma_rust2::XzReader::new_mem_limit(input, true, kib))
            }
            Self::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(input)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
        };
        Ok(Reader {
            process,
            inner,
            _charge: charge,
        })
    }

    /// Compresses what is written, until it is finished.
    pub(crate) fn writer<'w, W: Write + 'w>(
        self,
        process: &Process,
        output: W,
        level: u32,
    ) -> io::Result<Writer<'w>> {
        self.writer_of(process, output, level, Origin::default())
    }

    /// The same, for a file that is to be remembered.
    pub(crate) fn writer_of<'w, W: Write + 'w>(
        self,
        process: &Process,
        output: W,
        level: u32,
        origin: Origin,
    ) -> io::Result<Writer<'w>> {
        let charge = process.charge(self.memory(level, true))?;
        let inner: Box<dyn Finish + 'w> = match self {
            Self::Gzip => {
                // As gzip on Unix says.
                let mut builder = flate2::GzBuilder::new().operating_system(3);
                builder = builder.mtime(origin.modified);
                if let Some(name) = origin.name {
                    builder = builder.filename(name);
                }
                Box::new(builder.write(output, flate2::Compression::new(level.clamp(1, 9))))
            }
            Self::Bzip2 => Box::new(bzip2::write::BzEncoder::new(
                output,
                bzip2::Compression::new(level.clamp(1, BZIP2_LEVEL)),
            )),
            Self::Xz => {
                let mut options = lzma_rust2::XzOptions::with_preset(level.min(9));
                options.lzma_options.dict_size =
                    u32::try_from(xz_dictionary(level)).unwrap_or(1 << 20);
                Box::new(Xz(lzma_rust2::XzWriter::new(output, options)?))
            }
            Self::Zstd => {
                let level = i32::try_from(level).unwrap_or(3).clamp(1, 19);
                let mut encoder = zstd::stream::write::Encoder::new(output, level)?;
                encoder.include_checksum(true)?;
                encoder.window_log(ZSTD_WINDOW_LOG.min(17 + level.unsigned_abs() / 3))?;
                Box::new(encoder)
            }
        };
        Ok(Writer {
            inner,
            _charge: charge,
        })
    }
}

/// The highest level of bzip2, which says how many 100 KB a block has. A block is sorted in one go, during which nobody can be
/// killed: one of 300 KB that repeats itself takes up to 55 ms, and one of 200 KB compresses some percent worse.
const BZIP2_LEVEL: u32 = 2;

/// Smaller than `xz` itself takes at the higher levels: the memory of a sandbox is not that of a machine.
fn xz_dictionary(level: u32) -> usize {
    (256 << 10) << level.min(5).div_ceil(2)
}

/// What it costs to ask for input at least: a member that holds nothing is decompressed in some microseconds, and there may be
/// many of them before there is any output.
const ASKING: usize = 256;

/// Compressed bytes. Whoever takes them says that there is work, also when nothing comes out of it.
pub(super) struct Watched<'p, R> {
    process: &'p Process,
    input: BufReader<R>,
}

impl<'p, R: Read> Watched<'p, R> {
    pub(super) fn new(process: &'p Process, input: R) -> Self {
        Self {
            process,
            input: BufReader::with_capacity(64 << 10, input),
        }
    }
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buf)?;
        self.process.spend(count + ASKING);
        Ok(count)
    }
}

impl<R: Read> BufRead for Watched<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.process.spend(ASKING);
        // So much at once that a decoder comes back soon, whatever it makes of it.
        let all = self.input.fill_buf()?;
        Ok(all.get(..PIECE).unwrap_or(all))
    }

    fn consume(&mut self, amount: usize) {
        self.process.spend(amount);
        self.input.consume(amount);
    }
}

/// How much input a decoder is shown at once.
const PIECE: usize = 16 << 10;

/// Decompresses.
pub(crate) struct Reader<'r> {
    process: &'r Process,
    inner: Box<dyn Read + 'r>,
    _charge: Charge,
}

impl Read for Reader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buf)?;
        self.process.spend(count);
        Ok(count)
    }
}

/// Compresses.
pub(crate) struct Writer<'w> {
    inner: Box<dyn Finish + 'w>,
    _charge: Charge,
}

impl Writer<'_> {
    /// Writes the end of the format.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.inner.finish()
    }
}

impl Write for Writer<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.inner.write(data)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

trait Finish: Write {
    fn finish(self: Box<Self>) -> io::Result<()>;
}

impl<W: Write> Finish for flate2::write::GzEncoder<W> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish()?.flush()
    }
}

impl<W: Write> Finish for bzip2::write::BzEncoder<W> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish()?.flush()
    }
}

impl<W: Write> Finish for zstd::stream::write::Encoder<'_, W> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish()?.flush()
    }
}

struct Xz<W: Write>(lzma_rust2::XzWriter<W>);

impl<W: Write> Write for Xz<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.0.write(data)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write> Finish for Xz<W> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        self.0.finish()?.flush()
    }
}
