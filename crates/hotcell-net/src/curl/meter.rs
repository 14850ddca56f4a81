//! The progress meter.

use std::time::Duration;

/// What stands above the numbers.
pub(super) const HEADING: &str = "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n";

/// How far a transfer is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    pub(super) received: u64,
    pub(super) to_receive: Option<u64>,
    pub(super) sent: u64,
    pub(super) to_send: Option<u64>,
    pub(super) took: Duration,
}

impl Progress {
    /// A line of numbers, which takes the place of the last one.
    pub(super) fn line(&self) -> String {
        let percent = |part: u64, whole: Option<u64>| match whole {
            Some(whole @ 1..) => {
                u64::try_from(u128::from(part) * 100 / u128::from(whole)).unwrap_or(100)
            }
            _ => 0,
        };
        let speed = |bytes: u64| {
            let micros = self.took.as_micros().max(1);
            u64::try_from(u128::from(bytes) * 1_000_000 / micros).unwrap_or(u64::MAX)
        };
        // What is not known counts as what came.
        let whole = self.to_receive.unwrap_or(self.received) + self.to_send.unwrap_or(self.sent);
        let is_known = self.to_receive.is_some() || self.to_send.is_some();
        let all = percent(self.received + self.sent, Some(whole).filter(|_| is_known));
        format!(
            "\r{all:3} {}  {:3} {}  {:3} {}  {}  {} {} {} {} {}",
            short(whole),
            percent(self.received, self.to_receive),
            short(self.received),
            percent(self.sent, self.to_send),
            short(self.sent),
            short(speed(self.received)),
            short(speed(self.sent)),
            clock(0),
            clock(self.took.as_secs()),
            clock(0),
            short(speed(self.received + self.sent)),
        )
    }

    /// The bar of `-#`, once all is there.
    pub(super) fn bar(&self) -> String {
        format!("\r{} 100.0%", "#".repeat(72))
    }
}

/// A number in five columns.
fn short(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;
    match bytes {
        0..100_000 => format!("{bytes:5}"),
        _ if bytes < 10_000 * KIB => format!("{:4}k", bytes / KIB),
        _ if bytes < 100 * MIB => format!("{:2}.{}M", bytes / MIB, bytes % MIB * 10 / MIB),
        _ if bytes < 10_000 * MIB => format!("{:4}M", bytes / MIB),
        _ if bytes < 100 * GIB => format!("{:2}.{}G", bytes / GIB, bytes % GIB * 10 / GIB),
        _ => format!("{:4}G", bytes / GIB),
    }
}

fn clock(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0) => "--:--:--".to_owned(),
        (hours @ 0..=99, minutes, seconds) => format!("{hours:2}:{minutes:02}:{seconds:02}"),
        (hours, _, _) => format!("{:3}d {:02}h", hours / 24, hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_columns() {
        assert_eq!(
            Progress::default().line(),
            "\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0"
        );
        let done = Progress {
            received: 147,
            to_receive: Some(147),
            sent: 3,
            to_send: Some(3),
            took: Duration::from_secs(1),
        };
        assert_eq!(
            done.line(),
            "\r100   150  100   147  100     3    147      3 --:--:--  0:00:01 --:--:--   150"
        );
        assert_eq!(short(12_345_678), "11.7M");
        assert_eq!(short(1_000_000), " 976k");
    }
}
