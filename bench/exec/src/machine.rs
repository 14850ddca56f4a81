//! The same with processes of the machine.

use std::{
    io::Read as _,
    process::{Command, Stdio},
};

use bench_measure::seconds;

use crate::STREAM;

/// µs for a process that is started, read and waited for.
pub(crate) fn cycle() -> f64 {
    let times = 200;
    let took = seconds(|| {
        for _ in 0..times {
            let mut child = Command::new("/bin/true")
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut output = Vec::new();
            child
                .stdout
                .take()
                .unwrap()
                .read_to_end(&mut output)
                .unwrap();
            assert!(child.wait().unwrap().success());
        }
    });
    took * 1e6 / f64::from(times)
}

/// ms for a million bytes through a pipe.
pub(crate) fn stream() -> f64 {
    let took = seconds(|| {
        let mut child = Command::new("head")
            .args(["-c", &STREAM.to_string(), "/dev/zero"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut piece = vec![0; 64 << 10];
        let mut total = 0;
        loop {
            match stdout.read(&mut piece).unwrap() {
                0 => break,
                count => total += count as u64,
            }
        }
        assert_eq!(total, STREAM);
        child.wait().unwrap();
    });
    took * 1e9 / f64::from(u32::try_from(STREAM).unwrap_or(u32::MAX))
}
