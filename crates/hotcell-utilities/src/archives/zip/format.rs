//! The format of zip archives: a directory at the end tells where members are.
//!
//! Our own: what is read is spent and charged for, and members that do not change are copied as they are.

use std::io::{self, Read};

use bstr::BString;
use flate2::{Crc, bufread::DeflateDecoder};
use hotcell_process::Process;
use hotcell_vfs::Timestamp;

use crate::{
    archives::codec::Watched,
    calendar::{self, Zone},
    list::List,
};

pub(super) const STORED: u16 = 0;
pub(super) const DEFLATED: u16 = 8;

/// A member, as the directory has it.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) name: BString,
    pub(super) method: u16,
    /// How hard it was compressed, and whether it is encrypted.
    pub(super) flags: u16,
    pub(super) crc: u32,
    pub(super) packed: u64,
    pub(super) size: u64,
    /// In the archive's own form: date above, time below.
    pub(super) dos_time: u32,
    /// Seconds since 1970, if it tells.
    pub(super) seconds: Option<i64>,
    pub(super) attributes: u32,
    pub(super) made_by: u16,
    /// Where its local header is.
    pub(super) offset: u64,
}

impl Member {
    pub(super) fn is_folder(&self) -> bool {
        self.name.ends_with(b"/")
    }

    /// The mode of a Unix file, if it was one.
    pub(super) fn mode(&self) -> Option<u32> {
        (self.made_by >> 8 == 3).then_some(self.attributes >> 16)
    }

    /// Year, month, day, hour, minute.
    pub(super) fn shown_time(&self, zone: &Zone) -> [i64; 5] {
        if let Some(time) = self
            .seconds
            .and_then(|seconds| calendar::at(seconds, 0, zone))
        {
            let civil = time.civil;
            let parts = [civil.month(), civil.day(), civil.hour(), civil.minute()];
            let [month, day, hour, minute] = parts.map(i64::from);
            return [i64::from(civil.year()), month, day, hour, minute];
        }
        let bits = |from: u32, count: u32| i64::from(self.dos_time >> from & ((1 << count) - 1));
        [
            bits(25, 7) + 1980,
            bits(21, 4),
            bits(16, 5),
            bits(11, 5),
            bits(5, 6),
        ]
    }

    pub(super) fn modified(&self, zone: &Zone) -> Timestamp {
        let seconds = self.seconds.or_else(|| {
            let [year, month, day, hour, minute] = self.shown_time(zone);
            let second = i64::from(self.dos_time & 31) * 2;
            let text = format!("{year}-{month}-{day} {hour}:{minute}:{second}");
            calendar::parse(text.as_bytes(), (0, 0), zone).map(|(seconds, _)| seconds)
        });
        Timestamp::from_parts(seconds.unwrap_or(0), 0)
    }
}

/// A time in the archive's own form. It begins with 1980 and counts two seconds.
pub(super) fn dos_time(seconds: i64, zone: &Zone) -> u32 {
    let Some(time) = calendar::at(seconds, 0, zone) else {
        return 1 << 21 | 1 << 16;
    };
    let civil = time.civil;
    let year = u32::try_from(i32::from(civil.year()) - 1980)
        .ok()
        .filter(|year| *year < 128);
    let Some(year) = year else {
        return 1 << 21 | 1 << 16;
    };
    let part = |value: i8| u32::try_from(value).unwrap_or(0);
    year << 25
        | part(civil.month()) << 21
        | part(civil.day()) << 16
        | part(civil.hour()) << 11
        | part(civil.minute()) << 5
        | (part(civil.second()) / 2)
}

fn short(data: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(data.get(at..at + 2)?.try_into().ok()?))
}

fn word(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(data.get(at..at + 4)?.try_into().ok()?))
}

fn long(data: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(data.get(at..at + 8)?.try_into().ok()?))
}

/// Where the end of the directory is, which may be followed by a comment.
fn end_record(data: &[u8]) -> Option<usize> {
    let from = data.len().saturating_sub(22 + 0xffff);
    let found = memchr::memmem::rfind(data.get(from..)?, b"PK\x05\x06")?;
    (from + found + 22 <= data.len()).then_some(from + found)
}

/// All members, or `None` if it is no archive.
pub(super) fn members(process: &Process, data: &[u8]) -> io::Result<Option<List<Member>>> {
    let mut members = List::new(process)?;
    let mut refused = None;
    let all = read_members(process, data, |member| {
        let held = members.hold(member.name.len() + NAME);
        refused = held.and_then(|()| members.push(member)).err();
        refused.is_none().then_some(())
    });
    match refused {
        Some(error) => Err(error),
        None => Ok(all.map(|()| members)),
    }
}

/// What a name takes beside its bytes.
const NAME: usize = 16;

/// Goes through the directory, until `take` has no use for more.
fn read_members(
    process: &Process,
    data: &[u8],
    mut take: impl FnMut(Member) -> Option<()>,
) -> Option<()> {
    let end = end_record(data)?;
    let mut count = u64::from(short(data, end + 10)?);
    let mut at = u64::from(word(data, end + 16)?);
    // Archives beyond what 32 bits hold have a second record.
    if (count == 0xffff || at == 0xffff_ffff)
        && let Some(locator) = end.checked_sub(20)
        && data.get(locator..locator + 4) == Some(b"PK\x06\x07")
    {
        let record = usize::try_from(long(data, locator + 8)?).ok()?;
        count = long(data, record.checked_add(32)?)?;
        at = long(data, record.checked_add(48)?)?;
    }
    let mut at = usize::try_from(at).ok()?;
    for _ in 0..count {
        process.spend(64);
        let head = data.get(at..at.checked_add(46)?)?;
        if !head.starts_with(b"PK\x01\x02") {
            return None;
        }
        let name_length = usize::from(short(head, 28)?);
        let extra_length = usize::from(short(head, 30)?);
        let comment_length = usize::from(short(head, 32)?);
        let name = data.get(at + 46..at + 46 + name_length)?;
        let extra = data.get(at + 46 + name_length..at + 46 + name_length + extra_length)?;
        let mut member = Member {
            name: name.into(),
            made_by: short(head, 4)?,
            flags: short(head, 8)?,
            method: short(head, 10)?,
            dos_time: word(head, 12)?,
            seconds: None,
            crc: word(head, 16)?,
            packed: u64::from(word(head, 20)?),
            size: u64::from(word(head, 24)?),
            attributes: word(head, 38)?,
            offset: u64::from(word(head, 42)?),
        };
        take_extra(&mut member, extra);
        take(member)?;
        at += 46 + name_length + extra_length + comment_length;
    }
    Some(())
}

/// Times of Unix, and sizes beyond 32 bits.
fn take_extra(member: &mut Member, mut extra: &[u8]) {
    while let (Some(id), Some(length)) = (short(extra, 0), short(extra, 2)) {
        let end = 4 + usize::from(length);
        let data = extra.get(4..end).unwrap_or_default();
        if id == 0x5455 && data.first().is_some_and(|flags| flags & 1 == 1) {
            member.seconds = word(data, 1).map(|seconds| i64::from(seconds.cast_signed()));
        }
        if id == 1 {
            let mut at = 0;
            for value in [&mut member.size, &mut member.packed, &mut member.offset] {
                if *value == 0xffff_ffff
                    && let Some(found) = long(data, at)
                {
                    *value = found;
                    at += 8;
                }
            }
        }
        extra = extra.get(end..).unwrap_or_default();
    }
}

/// The bytes of a member as they are in the archive.
pub(super) fn packed<'d>(data: &'d [u8], member: &Member) -> Option<&'d [u8]> {
    let at = usize::try_from(member.offset).ok()?;
    let head = data.get(at..at.checked_add(30)?)?;
    if !head.starts_with(b"PK\x03\x04") {
        return None;
    }
    let start = at + 30 + usize::from(short(head, 26)?) + usize::from(short(head, 28)?);
    data.get(start..start.checked_add(usize::try_from(member.packed).ok()?)?)
}

/// What is wrong with a member.
pub(super) enum Bad {
    Method,
    Encrypted,
    Data,
    Crc(u32),
    Io(io::Error),
}

/// Unpacks a member, piece by piece. It may be any size: whoever takes the pieces is bounded.
pub(super) fn unpack(
    process: &Process,
    data: &[u8],
    member: &Member,
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> Result<(), Bad> {
    if member.flags & 1 == 1 {
        return Err(Bad::Encrypted);
    }
    let packed = packed(data, member).ok_or(Bad::Data)?;
    let mut input: Box<dyn Read + '_> = match member.method {
        STORED => Box::new(packed),
        DEFLATED => Box::new(DeflateDecoder::new(Watched::new(process, packed))),
        _ => return Err(Bad::Method),
    };
    // An empty one is work, too.
    process.spend(4 << 10);
    let mut crc = Crc::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = input.read(&mut buffer).map_err(|_| Bad::Data)?;
        let piece = buffer.get(..read).unwrap_or_default();
        if piece.is_empty() {
            break;
        }
        crc.update(piece);
        process.spend(piece.len());
        take(piece).map_err(Bad::Io)?;
    }
    if crc.sum() == member.crc {
        Ok(())
    } else {
        Err(Bad::Crc(crc.sum()))
    }
}

/// Adds a member with its bytes as they will be in the archive.
pub(super) fn put_member(out: &mut Vec<u8>, member: &mut Member, packed: &[u8]) {
    member.offset = out.len() as u64;
    out.extend_from_slice(b"PK\x03\x04\x14\0");
    put_common(out, member);
    let extra = time_extra(member);
    put_lengths(out, member, extra.len());
    out.extend_from_slice(&member.name);
    out.extend_from_slice(&extra);
    out.extend_from_slice(packed);
}

/// Adds the directory.
pub(super) fn put_directory(out: &mut Vec<u8>, members: &[Member]) {
    let start = out.len();
    for member in members {
        out.extend_from_slice(b"PK\x01\x02");
        out.extend_from_slice(&member.made_by.to_le_bytes());
        out.extend_from_slice(b"\x14\0");
        put_common(out, member);
        let extra = time_extra(member);
        put_lengths(out, member, extra.len());
        out.extend_from_slice(&[0; 6]);
        out.extend_from_slice(&member.attributes.to_le_bytes());
        out.extend_from_slice(&clipped(member.offset));
        out.extend_from_slice(&member.name);
        out.extend_from_slice(&extra);
    }
    let length = out.len() - start;
    let count = u16::try_from(members.len())
        .unwrap_or(u16::MAX)
        .to_le_bytes();
    out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    out.extend_from_slice(&count);
    out.extend_from_slice(&count);
    out.extend_from_slice(&clipped(length as u64));
    out.extend_from_slice(&clipped(start as u64));
    out.extend_from_slice(b"\0\0");
}

fn clipped(value: u64) -> [u8; 4] {
    u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes()
}

fn put_common(out: &mut Vec<u8>, member: &Member) {
    // Sizes stand before the data here, so that none follow it.
    out.extend_from_slice(&(member.flags & !8).to_le_bytes());
    out.extend_from_slice(&member.method.to_le_bytes());
    out.extend_from_slice(&member.dos_time.to_le_bytes());
    out.extend_from_slice(&member.crc.to_le_bytes());
    out.extend_from_slice(&clipped(member.packed));
    out.extend_from_slice(&clipped(member.size));
}

fn put_lengths(out: &mut Vec<u8>, member: &Member, extra: usize) {
    let name = u16::try_from(member.name.len()).unwrap_or(u16::MAX);
    out.extend_from_slice(&name.to_le_bytes());
    out.extend_from_slice(&u16::try_from(extra).unwrap_or(0).to_le_bytes());
}

fn time_extra(member: &Member) -> Vec<u8> {
    let Some(seconds) = member
        .seconds
        .and_then(|seconds| i32::try_from(seconds).ok())
    else {
        return Vec::new();
    };
    let mut extra = b"UT\x05\0\x01".to_vec();
    extra.extend_from_slice(&seconds.to_le_bytes());
    extra
}

/// How much smaller it became, in percent, rounded.
pub(super) fn percent(size: u64, packed: u64) -> u64 {
    let saved = size.saturating_sub(packed);
    match size {
        0 => 0,
        _ => {
            ((u128::from(saved) * 200 / u128::from(size))
                .div_ceil(2)
                .min(100)) as u64
        }
    }
}
