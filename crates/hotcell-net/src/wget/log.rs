//! What `wget` says of its doings.

use std::{sync::Arc, time::Duration};

use bstr::BStr;
use hotcell_process::{Process, Stream};

use super::options::Verbosity;

/// Standard error or a file, and what is said there.
pub(super) struct Log<'p> {
    process: &'p Process,
    stream: Arc<dyn Stream>,
    verbosity: Verbosity,
}

impl<'p> Log<'p> {
    pub(super) fn new(process: &'p Process, stream: Arc<dyn Stream>, verbosity: Verbosity) -> Self {
        Self {
            process,
            stream,
            verbosity,
        }
    }

    fn write(&self, text: impl AsRef<[u8]>) {
        // If the log is gone, there is nobody left to tell.
        let _ = self.process.write_all(&self.stream, text.as_ref());
    }

    /// For those who want to hear all.
    pub(super) fn full(&self, text: impl AsRef<[u8]>) {
        if self.verbosity == Verbosity::Full {
            self.write(text);
        }
    }

    /// For those who want to hear little.
    pub(super) fn short(&self, text: impl AsRef<[u8]>) {
        if self.verbosity == Verbosity::Short {
            self.write(text);
        }
    }

    /// For all but those who want to hear nothing.
    pub(super) fn always(&self, text: impl AsRef<[u8]>) {
        if self.verbosity != Verbosity::Quiet {
            self.write(text);
        }
    }

    /// For all, also those who want to hear nothing.
    pub(super) fn forced(&self, text: impl AsRef<[u8]>) {
        self.write(text);
    }

    /// The time, as it stands in messages.
    pub(super) fn now(&self) -> String {
        let seconds = self.process.now().seconds();
        let time = jiff::Timestamp::from_second(seconds).unwrap_or_default();
        time.to_zoned(jiff::tz::TimeZone::UTC)
            .strftime("%F %T")
            .to_string()
    }
}

/// `236 KB/s`.
pub(super) fn rate(bytes: u64, took: Duration) -> String {
    let (rate, unit) = scaled(bytes, took);
    format!("{rate} {}", ["B/s", "KB/s", "MB/s", "GB/s"][unit])
}

/// Bytes in a second with three digits, and which of bytes, kilo-, mega- and gigabytes these are.
fn scaled(bytes: u64, took: Duration) -> (String, usize) {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let mut rate = bytes as f64 / took.as_secs_f64().max(0.000_001);
    let mut unit = 0;
    while rate >= 1024.0 && unit < 3 {
        rate /= 1024.0;
        unit += 1;
    }
    let digits = match rate {
        99.95.. => 0,
        9.995.. => 1,
        _ => 2,
    };
    (format!("{rate:.digits$}"), unit)
}

/// `1.5K`, from a kibibyte on.
pub(super) fn human(bytes: u64) -> Option<String> {
    if bytes < 1024 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let mut number = bytes as f64 / 1024.0;
    let mut units = "KMGTPE".chars();
    let mut unit = units.next()?;
    while number >= 1023.5 {
        number /= 1024.0;
        unit = units.next()?;
    }
    Some(if number < 9.95 {
        format!("{number:.1}{unit}")
    } else {
        format!("{number:.0}{unit}")
    })
}

/// Dots, one for each kibibyte, fifty in a row.
pub(super) struct Dots {
    total: Option<u64>,
    done: u64,
    dots: u64,
    rows: u64,
    /// Bytes since the last dot.
    rest: u64,
    row_began: Duration,
}

const DOT: u64 = 1 << 10;
const IN_ROW: u64 = 50;
const SPACING: u64 = 10;

impl Dots {
    pub(super) fn new(total: Option<u64>) -> Self {
        Self {
            total,
            done: 0,
            dots: 0,
            rows: 0,
            rest: 0,
            row_began: Duration::ZERO,
        }
    }

    /// What is to be shown for bytes that are there already: commas.
    pub(super) fn skip(&mut self, bytes: u64) -> String {
        let mut text = String::new();
        if bytes == 0 {
            return text;
        }
        self.done = bytes;
        self.rows = bytes / (DOT * IN_ROW);
        self.begin_row(&mut text);
        for _ in 0..bytes / DOT % IN_ROW {
            if self.dots.is_multiple_of(SPACING) {
                text.push(' ');
            }
            text.push(',');
            self.dots += 1;
        }
        text
    }

    /// What is to be shown for more bytes.
    pub(super) fn advance(&mut self, bytes: u64, took: Duration) -> String {
        let mut text = String::new();
        self.rest += bytes;
        self.done += bytes;
        while self.rest >= DOT {
            self.rest -= DOT;
            self.begin_row(&mut text);
            if self.dots.is_multiple_of(SPACING) {
                text.push(' ');
            }
            text.push('.');
            self.dots += 1;
            if self.dots == IN_ROW {
                self.rows += 1;
                self.dots = 0;
                self.end_row(&mut text, DOT * IN_ROW, took, true);
            }
        }
        text
    }

    /// What is to be shown at the end.
    pub(super) fn finish(&mut self, took: Duration) -> String {
        let mut text = String::new();
        self.begin_row(&mut text);
        for dot in self.dots..IN_ROW {
            text.push_str(if dot % SPACING == 0 { "  " } else { " " });
        }
        let bytes = self.dots * DOT + self.rest;
        self.end_row(&mut text, bytes, took, false);
        text.push('=');
        text.push_str(&seconds(took));
        text.push_str("s\n\n");
        text
    }

    fn begin_row(&self, text: &mut String) {
        if self.dots == 0 {
            text.push_str(&format!("\n{:6}K", self.rows * IN_ROW));
        }
    }

    fn end_row(&mut self, text: &mut String, bytes: u64, took: Duration, is_inner: bool) {
        if let Some(total @ 1..) = self.total {
            let shown = self.done.min(total);
            text.push_str(&format!(
                "{:3}%",
                u128::from(shown) * 100 / u128::from(total)
            ));
        }
        let (rate, unit) = scaled(bytes, took.saturating_sub(self.row_began));
        text.push_str(&format!(" {rate:>4}{}", [" ", "K", "M", "G"][unit]));
        self.row_began = took;
        let left = self
            .total
            .and_then(|total| total.checked_sub(self.done))
            .filter(|left| *left > 0);
        if let Some(left) = left.filter(|_| is_inner && self.done > 0) {
            #[expect(clippy::cast_precision_loss, reason = "a guess")]
            let guess = took.as_secs_f64() * left as f64 / self.done as f64;
            text.push_str(&format!(" {guess:.0}s"));
        }
    }
}

/// Seconds as wget shows them: as few digits as say something.
fn seconds(took: Duration) -> String {
    match took.as_secs_f64() {
        time @ 9.95.. => format!("{time:.0}"),
        time @ 0.95.. => format!("{time:.1}"),
        time @ 0.095.. => format!("{time:.1}"),
        time @ 0.0095.. => format!("{time:.2}"),
        time @ 0.001.. => format!("{time:.3}"),
        _ => "0".to_owned(),
    }
}

/// A name in quotes.
pub(super) fn quoted(name: &[u8]) -> String {
    format!("‘{}’", BStr::new(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_as_wgets() {
        let mut small = Dots::new(Some(6));
        assert_eq!(small.advance(6, Duration::ZERO), "");
        let end = small.finish(Duration::from_secs(2));
        assert_eq!(
            end,
            "\n     0K                                                       100% 3.00 =2.0s\n\n"
        );
        let mut large = Dots::new(None);
        let row = large.advance(51 * 1024, Duration::from_secs(1));
        assert_eq!(
            row,
            "\n     0K .......... .......... .......... .......... .......... 50.0K\n    50K ."
        );
    }

    #[test]
    fn sizes_are_as_people_read_them() {
        assert_eq!(human(1023), None);
        assert_eq!(human(1024).unwrap(), "1.0K");
        assert_eq!(human(2_097_152).unwrap(), "2.0M");
        assert_eq!(human(123_456).unwrap(), "121K");
        assert_eq!(rate(236 * 1024, Duration::from_secs(1)), "236 KB/s");
    }
}
