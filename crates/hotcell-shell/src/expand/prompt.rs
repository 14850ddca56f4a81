//! Prompts: `PS1`, `PS4`, `${x@P}`.

use bstr::{BString, ByteSlice, ByteVec};
use hotcell_process::Process;
use jiff::{Timestamp, tz::TimeZone};

use crate::{settings::Setting, shell::Shell};

impl Shell {
    /// Text as in a prompt, with its backslash escapes and expansions: `PS4`, `${x@P}`.
    pub(crate) fn expand_prompt(&mut self, process: &Process, text: &[u8]) -> BString {
        let decoded = self.decode_prompt(process, text);
        if !self.has(Setting::PromptVars) {
            return decoded;
        }
        // What the expansions set is theirs, but not the status.
        let status = self.status;
        let expanded = self.expand_text(process, &decoded);
        self.status = status;
        expanded.unwrap_or(decoded)
    }

    fn decode_prompt(&mut self, process: &Process, text: &[u8]) -> BString {
        let mut decoded = BString::default();
        let mut rest = text;
        while let [byte, after @ ..] = rest {
            rest = after;
            if *byte != b'\\' {
                decoded.push_byte(*byte);
                continue;
            }
            let Some((&kind, after)) = rest.split_first() else {
                decoded.push_byte(b'\\');
                break;
            };
            if matches!(kind, b'0'..=b'7') {
                rest = octal(rest, &mut decoded);
                continue;
            }
            rest = after;
            if kind == b'D'
                && let Some(inside) = rest.strip_prefix(b"{")
                && let Some(end) = inside.find_byte(b'}')
            {
                let format = inside.get(..end).unwrap_or_default();
                let format = if format.is_empty() { b"%X" } else { format };
                decoded.push_str(self.time_in(process, format));
                rest = inside.get(end + 1..).unwrap_or_default();
                continue;
            }
            match self.prompt_escape(process, kind) {
                Some(value) => decoded.push_str(value),
                None => decoded.push_str([b'\\', kind]),
            }
        }
        decoded
    }

    fn prompt_escape(&mut self, process: &Process, kind: u8) -> Option<BString> {
        Some(match kind {
            b'a' => "\x07".into(),
            b'e' => "\x1b".into(),
            b'n' => "\n".into(),
            b'r' => "\r".into(),
            b'\\' => "\\".into(),
            // What is between these does not take room on a line; nothing here counts that.
            b'[' | b']' => BString::default(),
            b'$' => {
                let is_root = self.variable(process, b"EUID").is_some_and(|id| id == "0");
                if is_root { "#" } else { "$" }.into()
            }
            b'!' => (self.history.len() + 1).to_string().into(),
            b'#' => "1".into(),
            b'j' => self.jobs.iter().count().to_string().into(),
            b'l' => "tty".into(),
            b's' => {
                let name = &self.name;
                let start = name.rfind_byte(b'/').map_or(0, |slash| slash + 1);
                name.get(start..).unwrap_or_default().into()
            }
            b'u' => match self.variable(process, b"USER") {
                Some(user) => user,
                None => "root".into(),
            },
            b'h' | b'H' => {
                let name = self.variable(process, b"HOSTNAME").unwrap_or_default();
                match name.find_byte(b'.').filter(|_| kind == b'h') {
                    Some(dot) => name.get(..dot).unwrap_or_default().into(),
                    None => name,
                }
            }
            b'v' => "5.2".into(),
            b'V' => "5.2.15".into(),
            b'w' | b'W' => self.prompt_directory(process, kind == b'W'),
            b't' => self.time_in(process, b"%H:%M:%S"),
            b'T' => self.time_in(process, b"%I:%M:%S"),
            b'@' => self.time_in(process, b"%I:%M %p"),
            b'A' => self.time_in(process, b"%H:%M"),
            b'd' => self.time_in(process, b"%a %b %d"),
            _ => return None,
        })
    }

    fn prompt_directory(&mut self, process: &Process, only_last: bool) -> BString {
        let cwd = match self.variable(process, b"PWD") {
            Some(pwd) => pwd,
            None => process.cwd().as_bytes().into(),
        };
        let home = self.variable(process, b"HOME").unwrap_or_default();
        if only_last {
            if cwd == home && !home.is_empty() {
                return "~".into();
            }
            let start = cwd.rfind_byte(b'/').map_or(0, |slash| slash + 1);
            let last = cwd.get(start..).unwrap_or_default();
            return if last.is_empty() { cwd } else { last.into() };
        }
        match cwd.strip_prefix(home.as_slice()) {
            Some(rest) if home.len() > 1 && (rest.is_empty() || rest.starts_with(b"/")) => {
                [b"~", rest].concat().into()
            }
            _ => cwd,
        }
    }

    /// The time in a format of `strftime`, in the zone that `TZ` names.
    fn time_in(&mut self, process: &Process, format: &[u8]) -> BString {
        let now = process.now();
        let zone = self.variable(process, b"TZ");
        let zone = zone
            .and_then(|zone| TimeZone::get(zone.to_str().ok()?).ok())
            .unwrap_or(TimeZone::UTC);
        let nanos = i32::try_from(now.subsec_nanos()).unwrap_or_default();
        let Ok(time) = Timestamp::new(now.seconds(), nanos) else {
            return BString::default();
        };
        let time = time.to_zoned(zone);
        jiff::fmt::strtime::format(format, &time)
            .unwrap_or_default()
            .into()
    }
}

/// Up to three octal digits.
fn octal<'t>(text: &'t [u8], out: &mut BString) -> &'t [u8] {
    let count = text
        .iter()
        .take(3)
        .take_while(|digit| matches!(digit, b'0'..=b'7'))
        .count();
    let (digits, rest) = text.split_at_checked(count).unwrap_or((text, b""));
    let value = digits.iter().fold(0u8, |value, digit| {
        value.wrapping_mul(8).wrapping_add(digit - b'0')
    });
    out.push_byte(value);
    rest
}
