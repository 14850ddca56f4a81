//! Programs and libraries in ELF.

use bstr::BStr;

use super::{Kind, Numbers};

/// More headers are not looked at, as in the real one.
const MOST_HEADERS: u16 = 2048;

/// So much of a segment is looked at: many headers may share one that is long.
const MOST_CONTENT: usize = 64 << 10;

pub(super) fn kind(bytes: &[u8]) -> Option<Kind> {
    let rest = bytes.strip_prefix(b"\x7fELF")?;
    let ([class @ 1..=2, order @ 1..=2, _, system, ..], true) = (rest, bytes.len() >= 52) else {
        return Some(Kind::binary("ELF", "application/octet-stream"));
    };
    let elf = Elf {
        numbers: Numbers {
            bytes,
            is_big: *order == 2,
        },
        is_64: *class == 2,
    };
    Some(elf.kind(*system))
}

struct Elf<'b> {
    numbers: Numbers<'b>,
    is_64: bool,
}

/// What program headers tell.
#[derive(Default)]
struct Segments<'b> {
    is_dynamic: bool,
    is_pie: bool,
    interpreter: Option<&'b BStr>,
    build_id: Option<&'b [u8]>,
    system: Option<(u32, u32, u32)>,
}

impl<'b> Elf<'b> {
    /// A word at one of two places.
    fn word(&self, at_32: usize, at_64: usize) -> usize {
        let word = if self.is_64 {
            self.numbers.u64(at_64)
        } else {
            self.numbers.u32(at_32).map(u64::from)
        };
        word.and_then(|word| usize::try_from(word).ok())
            .unwrap_or(usize::MAX)
    }

    fn kind(&self, system: u8) -> Kind {
        let segments = self.segments();
        let (what, mime) = match self.numbers.u16(16) {
            Some(1) => ("relocatable", "application/x-object"),
            Some(2) => ("executable", "application/x-executable"),
            Some(3) if segments.is_pie => ("pie executable", "application/x-pie-executable"),
            Some(3) => ("shared object", "application/x-sharedlib"),
            Some(4) => ("core file", "application/x-coredump"),
            _ => ("unknown type", "application/octet-stream"),
        };
        let machine = match self.numbers.u16(18) {
            Some(3) => "Intel 80386",
            Some(8) => "MIPS",
            Some(20) => "PowerPC or cisco 4500",
            Some(21) => "64-bit PowerPC or cisco 7500",
            Some(22) => "IBM S/390",
            Some(40) => "ARM",
            Some(62) => "x86-64",
            Some(183) => "ARM aarch64",
            Some(243) => "UCB RISC-V",
            Some(247) => "eBPF",
            _ => "unknown arch",
        };
        let system = match system {
            0 => "SYSV",
            3 => "GNU/Linux",
            9 => "FreeBSD",
            _ => "unknown",
        };
        let mut text = format!(
            "ELF {}-bit {} {what}, {machine}, version 1 ({system})",
            if self.is_64 { 64 } else { 32 },
            if self.numbers.is_big { "MSB" } else { "LSB" }
        );
        if matches!(self.numbers.u16(16), Some(2 | 3)) {
            text.push_str(if segments.is_dynamic {
                ", dynamically linked"
            } else {
                ", statically linked"
            });
        }
        if let Some(interpreter) = segments.interpreter {
            text.push_str(&format!(", interpreter {interpreter}"));
        }
        if let Some(id) = segments.build_id {
            let kind = match id.len() {
                20 => "[sha1]",
                16 => "[md5/uuid]",
                8 => "[xxHash]",
                _ => "",
            };
            let digits: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
            text.push_str(&format!(", BuildID{kind}={digits}"));
        }
        if let Some((major, minor, patch)) = segments.system {
            text.push_str(&format!(", for GNU/Linux {major}.{minor}.{patch}"));
        }
        text.push_str(if self.has_symbols() {
            ", not stripped"
        } else {
            ", stripped"
        });
        Kind::binary(text, mime)
    }

    fn segments(&self) -> Segments<'b> {
        let mut found = Segments::default();
        let start = self.word(28, 32);
        let (size, count) = if self.is_64 { (54, 56) } else { (42, 44) };
        let size = usize::from(self.numbers.u16(size).unwrap_or(0));
        let count = self.numbers.u16(count).unwrap_or(0).min(MOST_HEADERS);
        for index in 0..usize::from(count) {
            let Some(at) = index
                .checked_mul(size)
                .and_then(|offset| offset.checked_add(start))
                .filter(|at| *at < self.numbers.bytes.len())
            else {
                break;
            };
            let offset = self.word(at + 4, at + 8);
            let length = self.word(at + 16, at + 32);
            let end = offset.checked_add(length.min(MOST_CONTENT));
            let content = end.and_then(|end| self.numbers.bytes.get(offset..end));
            let content = content.unwrap_or_default();
            match self.numbers.u32(at) {
                Some(2) => {
                    found.is_dynamic = true;
                    found.is_pie = self.is_pie(content);
                }
                Some(3) => {
                    found.interpreter = content.split(|byte| *byte == 0).next().map(BStr::new);
                }
                Some(4) => self.notes(content, &mut found),
                _ => {}
            }
        }
        found
    }

    /// Whether a flag in the dynamic section says that this is a program.
    fn is_pie(&self, content: &[u8]) -> bool {
        const FLAGS_1: u64 = 0x6fff_fffb;
        const PIE: u64 = 0x0800_0000;
        let numbers = Numbers {
            bytes: content,
            is_big: self.numbers.is_big,
        };
        let size = if self.is_64 { 8 } else { 4 };
        let word = |at| {
            if self.is_64 {
                numbers.u64(at)
            } else {
                numbers.u32(at).map(u64::from)
            }
        };
        (0..content.len())
            .step_by(size * 2)
            .any(|at| word(at) == Some(FLAGS_1) && word(at + size).is_some_and(|f| f & PIE != 0))
    }

    fn notes(&self, content: &'b [u8], found: &mut Segments<'b>) {
        let numbers = Numbers {
            bytes: content,
            is_big: self.numbers.is_big,
        };
        let mut at = 0usize;
        while let (Some(name), Some(length), Some(kind)) =
            (numbers.u32(at), numbers.u32(at + 4), numbers.u32(at + 8))
        {
            let (name, length) = (name as usize, length as usize);
            let start = at + 12 + name.div_ceil(4) * 4;
            let Some(body) = content.get(start..start.saturating_add(length)) else {
                break;
            };
            if content.get(at + 12..at + 16) == Some(b"GNU\0") {
                match kind {
                    1 => {
                        let word = |place| numbers.u32(start + place).unwrap_or(0);
                        found.system = Some((word(4), word(8), word(12)));
                    }
                    3 => found.build_id = Some(body),
                    _ => {}
                }
            }
            at = start + length.div_ceil(4) * 4;
        }
    }

    /// Whether there is a section with symbols.
    fn has_symbols(&self) -> bool {
        let start = self.word(32, 40);
        let (size, count) = if self.is_64 { (58, 60) } else { (46, 48) };
        let size = usize::from(self.numbers.u16(size).unwrap_or(0));
        let count = usize::from(self.numbers.u16(count).unwrap_or(0));
        (0..count).any(|index| {
            let at = index
                .checked_mul(size)
                .and_then(|offset| offset.checked_add(start))
                .and_then(|at| at.checked_add(4));
            at.and_then(|at| self.numbers.u32(at)) == Some(2)
        })
    }
}
