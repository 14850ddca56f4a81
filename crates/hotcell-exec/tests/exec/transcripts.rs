//! Recording, replaying, and chunk schedules.

use std::{
    io::{self, BufReader, Cursor, Write},
    sync::{Arc, Mutex},
};

use hotcell_exec::{Capabilities, Host, HostError, Schedule};
use hotcell_hopper::{
    Raw,
    selector::exec::{self, StartRequest, State},
    trace,
};

use crate::harness::{Native, capabilities, register, standard, vector};

/// A transcript in memory.
#[derive(Clone, Default)]
pub(crate) struct Tape(Arc<Mutex<Vec<u8>>>);

impl Write for Tape {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Tape {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    pub(crate) fn writer(&self) -> Box<dyn Write + Send> {
        Box::new(self.clone())
    }

    pub(crate) fn reader(text: &str) -> Box<dyn io::BufRead + Send> {
        Box::new(BufReader::new(Cursor::new(text.to_owned())))
    }
}

fn recording(capabilities: Capabilities, input: &[u8]) -> (Native, Tape) {
    let tape = Tape::default();
    let (standard, output) = standard(input);
    let host = Host::new(capabilities, standard);
    let host = host.record(tape.writer()).unwrap();
    (Native::with(host, output), tape)
}

fn replaying(text: &str) -> Native {
    let (standard, output) = standard(b"not this");
    Native::with(Host::replay(Tape::reader(text), standard), output)
}

/// A guest that uses everything: what it saw.
fn session(guest: &mut Native, argument: &str) -> Result<Vec<String>, HostError> {
    let mut told = Vec::new();
    let (count, input) = guest.try_read(0, 100)?;
    told.push(format!("{count} {input:?}"));
    let reply = guest.host.control(&vector("C10"), 1024)?.unwrap();
    let hub = i32::from(reply[24]);
    let start = StartRequest {
        prog_id: "tools/cat",
        flags: 7,
        args: &["cat", "-", argument],
        env: &[("LANG", "C")],
    };
    guest.try_write(hub, &register(1, 1, &exec::START.call(start)))?;
    let (_, events) = guest.try_read(hub, 4096)?;
    told.push(format!("{:?}", guest.tell(&events)));
    told.push(format!("{}", guest.try_write(4, b"to cat")?));
    guest.host.end(4)?;
    for handle in [5, 6] {
        loop {
            let (count, bytes) = guest.try_read(handle, 5)?;
            told.push(format!("{handle}: {count} {bytes:?}"));
            if count <= 0 {
                break;
            }
        }
    }
    told.push(format!("{}", guest.try_write(99, b"nobody")?));
    told.push(format!("{:?}", guest.host.control(b"short", 100)?));
    guest.host.log(b"topic", b"message")?;
    guest.try_write(1, b"the output")?;
    guest.host.end(1)?;
    Ok(told)
}

#[test]
fn a_run_is_replayed_without_its_host() {
    let (mut guest, tape) = recording(capabilities(), b"the input");
    let first = session(&mut guest, "/work/poem.txt").unwrap();
    guest.host.finish(None).unwrap();
    let output = guest.output.take().bytes;
    assert!(
        first
            .iter()
            .any(|line| line.contains("to cat") || line.starts_with("5:"))
    );

    let mut again = replaying(&tape.text());
    assert_eq!(session(&mut again, "/work/poem.txt").unwrap(), first);
    again.host.finish(None).unwrap();
    assert_eq!(again.output.take().bytes, output);
    assert_eq!(again.host.started(), 0, "nothing was run");
}

#[test]
fn a_transcript_is_the_same_twice() {
    let record = || {
        let (mut guest, tape) = recording(capabilities(), b"the input");
        session(&mut guest, "/work/poem.txt").unwrap();
        guest.host.finish(None).unwrap();
        tape.text()
    };
    assert_eq!(record(), record());
}

#[test]
fn a_replay_can_be_recorded_and_is_the_same_transcript() {
    let (mut guest, tape) = recording(capabilities(), b"the input");
    session(&mut guest, "/work/poem.txt").unwrap();
    guest.host.finish(None).unwrap();
    let (standard, output) = standard(b"");
    let second = Tape::default();
    let host = Host::replay(Tape::reader(&tape.text()), standard);
    let mut again = Native::with(host.record(second.writer()).unwrap(), output);
    session(&mut again, "/work/poem.txt").unwrap();
    again.host.finish(None).unwrap();
    assert_eq!(second.text(), tape.text());
}

#[test]
fn another_argument_is_a_mismatch() {
    let (mut guest, tape) = recording(capabilities(), b"the input");
    session(&mut guest, "/work/poem.txt").unwrap();
    guest.host.finish(None).unwrap();
    let mut again = replaying(&tape.text());
    let error = session(&mut again, "/work/poem.txs").unwrap_err();
    let HostError::Diverged(divergence) = error else {
        panic!("{error}");
    };
    assert_eq!(divergence.trace, trace::SPECIMEN_WRITE_MISMATCH);
    let context = divergence.context.clone().unwrap();
    assert!(context.recorded.contains("74"), "{}", context.recorded);
    assert_ne!(context.recorded, context.came);
    // The bytes are for who asks for them.
    let told = format!("{divergence} {divergence:?}");
    assert!(
        told.contains("from byte") && !told.contains("74 78 74"),
        "{told}"
    );
}

/// What a change of the transcript is told as.
fn changed(change: impl Fn(String) -> String) -> &'static str {
    let (mut guest, tape) = recording(capabilities(), b"the input");
    session(&mut guest, "/work/poem.txt").unwrap();
    guest.host.finish(None).unwrap();
    let mut again = replaying(&change(tape.text()));
    let result = session(&mut again, "/work/poem.txt").and_then(|_| again.host.finish(None));
    match result {
        Err(HostError::Diverged(divergence)) => divergence.trace.code,
        Err(error) => panic!("{error}"),
        Ok(()) => "same",
    }
}

#[test]
fn every_kind_of_difference_has_its_name() {
    let without = |kind: &'static str| {
        move |text: String| -> String {
            let marker = format!("\"k\":\"{kind}\"");
            let line = text.lines().find(|line| line.contains(&marker)).unwrap();
            text.replacen(&format!("{line}\n"), "", 1)
        }
    };
    assert_eq!(changed(|text| text), "same");
    let longer = |text: String| {
        text.replacen(
            "\"k\":\"ctl_req\",\"i\":1,\"b64\":\"Wk",
            "\"k\":\"ctl_req\",\"i\":1,\"b64\":\"Xk",
            1,
        )
    };
    assert_eq!(changed(longer), "t_specimen_ctl_mismatch");
    assert_eq!(changed(without("end")), "t_specimen_eof");
    assert_eq!(changed(without("log")), "t_specimen_eof");
    assert_eq!(
        changed(|text| text + "{\"k\":\"end\",\"i\":99,\"h\":1}\n"),
        "t_specimen_unused"
    );
    let half = |text: String| text[..text.len() / 2].to_owned();
    assert_eq!(changed(half), "t_specimen_eof");
    assert_eq!(changed(|_| String::new()), "t_specimen_eof");
    assert_eq!(changed(|_| "no json\n".into()), "t_specimen_eof");
    // What is not known is passed over.
    let noted = |text: String| {
        text.replacen(
            '\n',
            "\n{\"k\":\"handle\",\"h\":3,\"kind\":\"async\"}\n\n{\"k\":\"new\",\"x\":[1]}\n",
            1,
        )
    };
    assert_eq!(changed(noted), "same");
    assert_eq!(
        changed(|text| text.replace("{\"k\":\"head\",\"v\":1}\n", "")),
        "same"
    );
    // Also if it is deep, or of other types than what is known.
    for unknown in [
        format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("[{}1]", "1,".repeat(1_000_000)),
        "5".to_owned(),
    ] {
        let line = format!("{{\"h\":{unknown},\"k\":\"new\",\"i\":\"x\"}}\n");
        assert_eq!(changed(|text| format!("{line}{text}")), "same");
    }
}

#[test]
fn a_line_that_is_none_is_not_shown() {
    let told = |line: &str| {
        let error = replaying(line).try_read(0, 10).unwrap_err();
        format!("{error} {error:?}")
    };
    for (line, expected) in [
        (
            "{\"k\":\"read\",\"i\":\"hunter2\"}\n",
            "not a record of its kind",
        ),
        (
            "{\"k\":\"read\",\"i\":0,\"h\":0,\"ret\":1}\n",
            "not a record of its kind",
        ),
        (
            "{\"k\":\"read\",\"i\":0,\"h\":0,\"cap\":1,\"ret\":1,\"b64\":\"hunter2\"}\n",
            "not a record",
        ),
        ("{\"k\":\"hunter2\n", "not JSON, from column"),
        ("{\"k\":7,\"x\":\"hunter2\"}\n", "not a record of its kind"),
        ("hunter2\n", "not JSON, from column 1 on"),
    ] {
        let told = told(line);
        assert!(told.contains(expected), "{told}");
        assert!(!told.contains("hunter"), "{told}");
    }
    let long = format!("{{\"k\":\"new\",\"x\":\"{}\"}}\n", "x".repeat(33 << 20));
    assert!(told(&long).contains("longer than"), "{}", told(&long));
}

#[test]
fn records_of_other_calls_are_passed_over_up_to_a_bound() {
    let other = format!(
        "{{\"k\":\"read\",\"i\":0,\"h\":9,\"cap\":9,\"ret\":{},\"b64\":\"{}\"}}\n",
        3 << 20,
        "AAAA".repeat(1 << 20)
    );
    let wanted = "{\"k\":\"read\",\"i\":0,\"h\":0,\"cap\":9,\"ret\":2,\"b64\":\"aGk=\"}\n";
    let few = other.repeat(10) + wanted;
    assert_eq!(replaying(&few).try_read(0, 10).unwrap().1, b"hi");
    let many = other.repeat(20) + wanted;
    let error = replaying(&many).try_read(0, 10).unwrap_err().to_string();
    assert!(
        error.ends_with("within 16 records of other calls"),
        "{error}"
    );
}

#[test]
fn calls_and_requests_of_any_size_are_recorded_and_replayed() {
    // A call moves no more than a line can hold, and no more is kept of a request than is looked at.
    let large = vec![b'x'; 20 << 20];
    let mut request = vector("C1");
    request[20..24].copy_from_slice(&(20_u32 << 20).to_le_bytes());
    request.extend(&large);
    let session = |guest: &mut Native, request: &[u8]| -> Result<_, HostError> {
        let read = guest.try_read(0, 20 << 20)?;
        let written = guest.try_write(1, &large)?;
        let reply = guest.host.control(request, 1000)?;
        guest.host.finish(None)?;
        Ok((read, written, reply))
    };
    let (mut guest, tape) = recording(capabilities(), &large);
    let first = session(&mut guest, &request).unwrap();
    assert_eq!((first.0.0, first.1), (16 << 20, 16 << 20));
    assert_eq!(first.2.as_ref().unwrap()[20], 0, "an overflow");
    assert!(tape.text().lines().last().unwrap().len() < 1000);
    assert_eq!(
        session(&mut replaying(&tape.text()), &request).unwrap(),
        first
    );
    request.push(b'x');
    let error = session(&mut replaying(&tape.text()), &request).unwrap_err();
    assert!(
        error.to_string().starts_with("t_specimen_ctl_mismatch"),
        "{error}"
    );
}

#[test]
fn a_forged_transcript_is_not_believed() {
    let read = |ret: &str, b64: &str| {
        let text = format!(
            "{{\"k\":\"read\",\"i\":0,\"h\":0,\"cap\":9,\"ret\":{ret},\"b64\":\"{b64}\"}}\n"
        );
        replaying(&text).try_read(0, 10)
    };
    assert_eq!(read("2", "aGk=").unwrap().1, b"hi");
    assert_eq!(read("-1", "").unwrap().0, -1);
    // Counts that no call returns: the guest would go on with bytes that it does not have.
    for (ret, b64) in [
        ("3", "aGk="),
        ("1", "aGk="),
        ("-1", "aGk="),
        ("-2", ""),
        ("2147483647", ""),
        ("2147483648", ""),
        ("11", "aGVsbG8gd29ybGQ="),
    ] {
        let error = read(ret, b64).unwrap_err();
        assert!(matches!(error, HostError::Diverged(_)), "{ret} {error}");
    }
    let write = |ret: &str| {
        let text = format!("{{\"k\":\"write\",\"i\":0,\"h\":1,\"ret\":{ret},\"b64\":\"aGk=\"}}\n");
        replaying(&text).try_write(1, b"hi")
    };
    assert_eq!(write("2").unwrap(), 2);
    for ret in ["3", "1", "-1", "-7", "1000000"] {
        let error = write(ret).unwrap_err();
        assert!(matches!(error, HostError::Diverged(_)), "{ret} {error}");
    }
    // A reply longer than the guest has room for is none.
    let reply = "{\"k\":\"ctl_req\",\"i\":0,\"b64\":\"aGk=\"}\n{\"k\":\"ctl_res\",\"i\":0,\"b64\":\"aGVsbG8=\"}\n";
    assert_eq!(replaying(reply).host.control(b"hi", 4).unwrap(), None);
}

#[test]
fn a_transcript_has_the_form_that_is_documented() {
    let (mut guest, tape) = recording(capabilities(), b"hi");
    guest.read(0, 1024);
    guest.write(1, b"hello\n");
    guest.end(1);
    guest.host.log(b"t", b"m").unwrap();
    guest.control(&vector("C1"), 8);
    guest.write(1, b"x");
    guest.host.finish(Some("unreachable")).unwrap();
    assert_eq!(
        tape.text(),
        "{\"k\":\"head\",\"v\":1}\n\
         {\"k\":\"read\",\"i\":0,\"h\":0,\"cap\":1024,\"ret\":2,\"b64\":\"aGk=\"}\n\
         {\"k\":\"write\",\"i\":1,\"h\":1,\"ret\":6,\"b64\":\"aGVsbG8K\"}\n\
         {\"k\":\"end\",\"i\":2,\"h\":1}\n\
         {\"k\":\"log\",\"i\":3,\"topic_b64\":\"dA==\",\"msg_b64\":\"bQ==\"}\n\
         {\"k\":\"ctl_req\",\"i\":4,\"b64\":\"WkNMMQEAAQABAAAAAAAAAAAAAAAAAAAA\"}\n\
         {\"k\":\"ctl_res\",\"i\":4,\"ret\":-1,\"b64\":\"\"}\n\
         {\"k\":\"write\",\"i\":5,\"h\":1,\"ret\":-1,\"len\":1,\"b64\":\"\"}\n\
         {\"k\":\"exit\",\"i\":6,\"trap\":\"unreachable\"}\n"
    );
}

#[test]
fn a_transcript_that_cannot_be_written_ends_the_run() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (standard, _) = standard(b"");
    assert!(
        Host::new(capabilities(), standard)
            .record(Box::new(Full))
            .is_err()
    );
}

pub(crate) const SCHEDULES: [Schedule; 6] = [
    Schedule::All,
    Schedule::Byte,
    Schedule::Pow2,
    Schedule::Crlf,
    Schedule::Random(1),
    Schedule::Random(99),
];

#[test]
fn the_same_comes_out_under_every_schedule() {
    let run = |schedule: Option<Schedule>| {
        let (standard, output) = standard(b"one\r\ntwo\r\n\r\nthree\n");
        let mut host = Host::new(capabilities(), standard);
        if let Some(schedule) = schedule {
            host = host.chunks(schedule);
        }
        let mut guest = Native::with(host, output);
        let (end, input) = guest.read_all(0);
        assert_eq!(end, 0);
        let hub = guest.open(b"");
        let tac = guest.start(hub, 1, ("tools/sort", &["sort"]), 7);
        guest.write(tac.stdin, &input);
        guest.end(tac.stdin);
        let sorted = guest.read_all(tac.stdout);
        let both = guest.start(hub, 2, ("t/both", &["both"]), 6);
        let outputs = (guest.read_all(both.stdout), guest.read_all(both.stderr));
        let status = guest.status(hub, 3, both.exec_id);
        assert_eq!(status, (State::Exited, 3));
        (input, sorted, outputs)
    };
    let plain = run(None);
    assert_eq!(plain.0, b"one\r\ntwo\r\n\r\nthree\n");
    for schedule in SCHEDULES {
        assert_eq!(run(Some(schedule)), plain, "{schedule:?}");
    }
}

#[test]
fn a_schedule_gives_what_it_says() {
    let sizes = |schedule, input: &[u8]| -> Vec<i32> {
        let (standard, output) = standard(input);
        let host = Host::new(Capabilities::default(), standard).chunks(schedule);
        let mut guest = Native::with(host, output);
        let mut sizes = Vec::new();
        loop {
            let (count, _) = guest.read(0, 100);
            sizes.push(count);
            if count <= 0 {
                return sizes;
            }
        }
    };
    assert_eq!(sizes(Schedule::Byte, b"abc"), [1, 1, 1, 0]);
    assert_eq!(sizes(Schedule::Pow2, &[0; 10]), [1, 2, 4, 3, 0]);
    assert_eq!(sizes(Schedule::Crlf, b"ab\r\ncd\n"), [3, 1, 3, 0]);
    assert_eq!(sizes(Schedule::All, &[0; 150]), [100, 50, 0]);
    let random = sizes(Schedule::Random(7), &[0; 1000]);
    assert!(random.len() > 10);
    assert_eq!(random, sizes(Schedule::Random(7), &[0; 1000]));
    assert_ne!(random, sizes(Schedule::Random(8), &[0; 1000]));
    assert_eq!("random:8".parse(), Ok(Schedule::Random(8)));
    assert!("often".parse::<Schedule>().is_err());
}

#[test]
fn schedules_do_not_hide_the_end_or_a_failure() {
    let (standard, output) = standard(b"");
    let host = Host::new(capabilities(), standard).chunks(Schedule::Byte);
    let mut guest = Native::with(host, output);
    let hub = guest.open(b"");
    assert_eq!(guest.read(hub, 10).0, -1);
    guest.send(hub, &vector("E4"));
    assert_eq!(guest.events(hub).len(), 2);
    assert_eq!(guest.read(0, 0).0, 0);
    assert_eq!(guest.read(0, 1).0, 0);
    assert_eq!(guest.read(77, 1).0, -1);
}

#[test]
fn nothing_is_granted_by_a_replay() {
    // A transcript is an answer, not a right: what is not in it is not done.
    let text = "{\"k\":\"head\",\"v\":1}\n";
    let mut guest = replaying(text);
    let frame = register(1, 1, &Raw(&vector("E3")));
    let error = guest.try_write(3, &frame).unwrap_err();
    assert!(matches!(error, HostError::Diverged(_)), "{error}");
}
