//! The memory that every cell begins with, as something that can be mapped.
//!
//! It is a part of the program, hence of a file that the system has in memory anyway: cells map that file once more, each
//! for itself, and share its pages until they write to them. Where the file cannot be found, a copy in memory serves.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    os::{fd::AsFd, unix::fs::FileExt},
    sync::OnceLock,
};

/// What is in the memory of a fresh cell. Everything outside of these pages is zero.
#[derive(Debug)]
pub struct FreshMemory {
    bytes: Bytes,
    start: usize,
    file: Option<Mapped>,
}

#[derive(Debug)]
enum Bytes {
    OfProgram(&'static [u8]),
    Copied(Box<[u8]>),
}

/// A file that has these pages, and where in it they begin.
#[derive(Debug)]
struct Mapped {
    file: File,
    offset: u64,
}

impl FreshMemory {
    /// `image` from `at` on, which is a part of this program.
    pub(crate) fn in_program(image: &'static [u8], at: usize, start: usize) -> Self {
        /// Where the system has the image from. Looked up once: there is one image in a program, and later the process has
        /// as many mappings as it has cells.
        static SOURCE: OnceLock<Option<Mapped>> = OnceLock::new();
        let bytes = &image[at..];
        let file = SOURCE.get_or_init(|| source_of(image)).as_ref();
        let file = file.and_then(|source| {
            Some(Mapped {
                file: source.file.try_clone().ok()?,
                offset: source.offset.checked_add(at as u64)?,
            })
        });
        Self {
            bytes: Bytes::OfProgram(bytes),
            start,
            file: file.or_else(|| in_memory(bytes)),
        }
    }

    pub(crate) fn copied(bytes: &[u8], start: usize) -> Self {
        Self {
            bytes: Bytes::Copied(bytes.into()),
            start,
            file: in_memory(bytes),
        }
    }

    /// The pages.
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::OfProgram(bytes) => bytes,
            Bytes::Copied(bytes) => bytes,
        }
    }

    /// Where in a cell's memory they begin.
    pub fn start(&self) -> usize {
        self.start
    }

    /// A file that has the pages, and where in it they begin, if this system can map such a file. To be mapped privately:
    /// it may be the program's own.
    pub fn file(&self) -> Option<(impl AsFd, u64)> {
        self.file
            .as_ref()
            .map(|mapped| (&mapped.file, mapped.offset))
    }
}

/// The file that `image` was mapped from, as the system tells.
fn source_of(image: &'static [u8]) -> Option<Mapped> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let maps = BufReader::with_capacity(4096, File::open("/proc/self/maps").ok()?);
    let (offset, path) = maps
        .lines()
        .map_while(Result::ok)
        .find_map(|line| find_in(&line, image.as_ptr().addr()))?;
    // The path may lead to another file by now, say a newer version of this program. The first one is right for
    // whatever is in the program itself.
    ["/proc/self/exe", &path].into_iter().find_map(|path| {
        let file = File::open(path).ok()?;
        is_image(&file, offset, image).then_some(Mapped { file, offset })
    })
}

/// Reads a line of `maps`: if it is about `address`, where in which file that is.
fn find_in(line: &str, address: usize) -> Option<(u64, String)> {
    let mut fields = line.splitn(6, ' ');
    let (first, last) = fields.next()?.split_once('-')?;
    let first = usize::from_str_radix(first, 16).ok()?;
    let last = usize::from_str_radix(last, 16).ok()?;
    let rights = fields.next()?;
    let offset = u64::from_str_radix(fields.next()?, 16).ok()?;
    let path = fields.nth(2)?.trim_start();
    let is_here =
        (first..last).contains(&address) && rights.ends_with('p') && path.starts_with('/');
    is_here.then(|| (offset + (address - first) as u64, path.to_owned()))
}

/// Whether `file` has the image there. Its header names the build, and the length is that of the whole.
fn is_image(file: &File, offset: u64, image: &[u8]) -> bool {
    let mut header = [0; crate::format::HEADER_LEN];
    let page = rustix::param::page_size() as u64;
    let is_long_enough = file.metadata().is_ok_and(|file| {
        file.is_file() && file.len().checked_sub(offset) >= Some(image.len() as u64)
    });
    offset.is_multiple_of(page)
        && is_long_enough
        && file.read_exact_at(&mut header, offset).is_ok()
        && image.starts_with(&header)
}

/// A file that exists in memory only and can no longer be changed.
#[cfg(target_os = "linux")]
fn in_memory(bytes: &[u8]) -> Option<Mapped> {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    use std::io::Write;

    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let mut file = File::from(memfd_create("hotcell-memory", flags).ok()?);
    file.write_all(bytes).ok()?;
    let seals = SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE;
    fcntl_add_seals(&file, seals).ok()?;
    Some(Mapped { file, offset: 0 })
}

#[cfg(not(target_os = "linux"))]
fn in_memory(_: &[u8]) -> Option<Mapped> {
    None
}
