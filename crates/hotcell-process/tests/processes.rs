//! Processes, through the public interface.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
    time::{Duration, Instant},
};

use bstr::BString;
use hotcell_meter::{Account, StopToken, Stopped};
use hotcell_process::{
    Capture, Disposition, Ended, Kernel, KernelOptions, Limits, Pid, Process, Program, Programs,
    Signal, Spec, Status,
};
use hotcell_vfs::{MemVfs, OpenOptions, Vfs, VfsPath};

fn run(
    options: KernelOptions,
    main: impl FnOnce(&Process) -> std::io::Result<i32> + Send + 'static,
) -> (Ended, String) {
    let kernel = Kernel::new(options);
    let output = Capture::new(kernel.account(), 1 << 20);
    let both: Arc<Capture> = Arc::new(output.clone());
    let spec = Spec::new(["test"]).stdout(both.clone()).stderr(both);
    let ended = pollster::block_on(kernel.run(spec, main));
    (ended, String::from_utf8(output.take().bytes).unwrap())
}

fn yes(process: &Process) -> std::io::Result<i32> {
    let mut out = process.stdout();
    loop {
        out.write_all(b"y\n")?;
    }
}

#[test]
fn a_writer_whose_reader_has_enough_is_ended_by_sigpipe() {
    let (ended, output) = run(KernelOptions::default(), |process| {
        let (reader, writer) = process.pipe()?;
        let child = process.spawn(process.spec(["yes"]).stdout(writer), yes)?;
        let mut lines = BufReader::new(process.input(reader)).lines();
        writeln!(process.stdout(), "{}", lines.next().unwrap()?)?;
        drop(lines);
        writeln!(
            process.stdout(),
            "{:?}",
            process.wait(child).unwrap().code()
        )?;
        Ok(3)
    });
    assert_eq!(output, "y\n141\n");
    assert_eq!(
        ended,
        Ended {
            status: Status::Exited(3),
            stopped: None
        }
    );
}

#[test]
fn a_call_that_ends_by_a_signal_does_not_end_its_caller() {
    let (ended, output) = run(KernelOptions::default(), |process| {
        let (reader, writer) = process.pipe()?;
        drop(reader);
        let status = process.call(process.spec(["yes"]).stdout(writer), yes);
        writeln!(process.stdout(), "{}", status.code())?;
        let status = process.call(process.spec(["exit"]), |callee| callee.exit(300));
        writeln!(process.stdout(), "{}", status.code())?;
        Ok(0)
    });
    assert_eq!(output, "141\n44\n");
    assert!(ended.status.is_success());
}

#[test]
fn what_does_not_end_is_ended_at_the_deadline_and_unwound() {
    struct Flag(Arc<AtomicBool>);
    impl Drop for Flag {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let loops: [fn(&Process); 4] = [
        |process| loop {
            process.spend(1);
        },
        |process| process.sleep(Duration::from_hours(1)),
        |process| {
            let (reader, _writer) = process.pipe().unwrap();
            let _ = process.input(reader).read(&mut [0]);
        },
        |process| {
            let child = process.spec(["child"]);
            let child = process.spawn(child, |child| {
                child.sleep(Duration::MAX);
                Ok(0)
            });
            process.wait(child.unwrap());
        },
    ];
    for endless in loops {
        let unwound = Arc::new(AtomicBool::new(false));
        let flag = Flag(Arc::clone(&unwound));
        let stop = StopToken::until(Instant::now() + Duration::from_millis(20));
        let options = KernelOptions {
            stop,
            ..KernelOptions::default()
        };
        let (ended, _) = run(options, move |process| {
            let _flag = flag;
            endless(process);
            Ok(0)
        });
        assert_eq!(ended.stopped, Some(Stopped::Deadline));
        assert_eq!(ended.status, Status::Signaled(Signal::KILL));
        assert!(unwound.load(Ordering::Relaxed));
    }
}

#[test]
fn dropping_a_run_unwinds_its_processes() {
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let kernel = Kernel::new(KernelOptions::default());
    let mut run = Box::pin(kernel.run(Spec::new(["sleep"]), move |process| {
        let output = process.stdout();
        process.sleep(Duration::MAX);
        drop((output, held));
        Ok(0)
    }));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert_eq!(run.as_mut().poll(&mut context), Poll::Pending);
    assert_eq!(Arc::strong_count(&alive), 2);
    drop(run);
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn a_run_may_go_on_on_another_thread() {
    let kernel = Kernel::new(KernelOptions::default());
    let run = kernel.run(Spec::new(["nap"]), |process| {
        let numbers = std::rc::Rc::new(vec![1, 2, 3]);
        process.sleep(Duration::from_millis(5));
        Ok(numbers.iter().sum())
    });
    let mut run = Box::pin(run);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert_eq!(run.as_mut().poll(&mut context), Poll::Pending);
    let ended = std::thread::spawn(|| pollster::block_on(run))
        .join()
        .unwrap();
    assert_eq!(ended.status.code(), 6);
}

#[test]
fn signals_end_are_ignored_or_wait_to_be_taken() {
    let (_, output) = run(KernelOptions::default(), |process| {
        let sleeper = |dispositions: &'static [(Signal, Disposition)]| {
            process.spawn(process.spec(["sleeper"]), move |child| {
                for (signal, disposition) in dispositions {
                    child.set_disposition(*signal, *disposition);
                }
                let caught = child.interruptible(|| Poll::<()>::Pending);
                assert_eq!(caught, None);
                Ok(child.take_caught().unwrap().number())
            })
        };
        let plain = sleeper(&[])?;
        let deaf = sleeper(&[
            (Signal::TERM, Disposition::Ignore),
            (Signal::USR1, Disposition::Catch),
        ])?;
        process.give_way();
        for signal in [Signal::TERM, Signal::USR1] {
            process.kill(plain, signal);
            process.kill(deaf, signal);
            process.give_way();
        }
        let mut out = process.stdout();
        for child in [plain, deaf] {
            writeln!(out, "{}", process.wait(child).unwrap().code())?;
        }
        writeln!(out, "{}", process.kill(Pid(99), Signal::TERM))?;
        Ok(0)
    });
    assert_eq!(output, "143\n10\nfalse\n");
}

#[test]
fn more_processes_than_allowed_are_refused() {
    let limits = Limits {
        processes: 10,
        ..Limits::default()
    };
    let options = KernelOptions {
        limits,
        ..KernelOptions::default()
    };
    let (ended, output) = run(options, |process| {
        for _ in 0.. {
            let child = process.spec(["child"]);
            process.spawn(child, |child| {
                child.sleep(Duration::from_millis(1));
                Ok(0)
            })?;
        }
        Ok(0)
    });
    assert_eq!(output, "test: Resource temporarily unavailable\n");
    assert_eq!(ended.status, Status::Exited(1));
}

#[test]
fn what_pipes_hold_is_charged() {
    let account = Account::new("memory", 100_000);
    let options = KernelOptions {
        account: account.clone(),
        ..KernelOptions::default()
    };
    let (_, output) = run(options, |process| {
        let mut pipes = Vec::new();
        loop {
            let (reader, writer) = process.pipe()?;
            process.write_all(&writer, &vec![0; 40_000])?;
            pipes.push((reader, writer));
        }
    });
    assert!(output.contains("memory limit exceeded"), "{output}");
    assert_eq!(account.used(), 0);
}

#[test]
fn a_fault_in_a_program_ends_that_program_only() {
    let (ended, output) = run(KernelOptions::default(), |process| {
        let status = process.call(process.spec(["faulty"]), |_| {
            std::panic::resume_unwind(Box::new("a fault"));
        });
        Ok(status.code() - 100)
    });
    assert_eq!(ended.status.code(), 34);
    assert_eq!(output, "faulty: internal error: please report it\n");
}

struct Few;

impl Programs for Few {
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Program>> {
        let program: Arc<dyn Program> = match name {
            b"args" | b"sh" => Arc::new(|process: &Process| {
                writeln!(
                    process.stdout(),
                    "{}",
                    bstr::join(" ", process.args()).escape_ascii()
                )?;
                Ok(0)
            }),
            _ => return None,
        };
        Some(program)
    }

    fn names(&self) -> Vec<BString> {
        vec!["args".into(), "sh".into()]
    }
}

#[test]
fn names_lead_to_programs_and_files_to_their_interpreters() {
    let vfs = MemVfs::new();
    vfs.mkdir(VfsPath::new("/d"), 0o755).unwrap();
    for (name, text) in [
        ("/d/script", "#!/usr/bin/args -x y\n"),
        ("/d/plain", "echo\n"),
        ("/d/nested", "#!/d/script\n"),
        ("/d/lost", "#!/no/such\n"),
        ("/d/binary", "\u{0}\u{1}"),
        ("/d/text", "echo\n"),
    ] {
        vfs.write_file(VfsPath::new(name), text.as_bytes()).unwrap();
        let mode = if name == "/d/text" { 0o644 } else { 0o755 };
        vfs.chmod(VfsPath::new(name), mode).unwrap();
    }
    let options = KernelOptions {
        vfs: Arc::new(vfs),
        programs: Arc::new(Few),
        ..KernelOptions::default()
    };
    let (_, output) = run(options, |process| {
        for name in [
            "args",
            "/bin/args",
            "/d/script",
            "/d/plain",
            "/d/nested",
            "/d/lost",
            "/d/binary",
            "/d/text",
            "/d",
            "/no",
            "no",
        ] {
            match process.execute(process.spec([name, "1"])) {
                Ok(_) => {}
                Err(error) => writeln!(process.stdout(), "{name}: {error} {}", error.code())?,
            }
        }
        Ok(0)
    });
    assert_eq!(
        output,
        "args 1\n/bin/args 1\n/usr/bin/args -x y /d/script 1\n/bin/sh /d/plain 1\n\
         /usr/bin/args -x y /d/script /d/nested 1\n\
         /d/lost: cannot execute: required file not found 127\n\
         /d/binary: cannot execute binary file: Exec format error 126\n\
         /d/text: Permission denied 126\n/d: Is a directory 126\n/no: No such file or directory 127\n\
         no: command not found 127\n"
    );
}

#[test]
fn files_have_one_position_for_all_who_share_them() {
    let (_, output) = run(KernelOptions::default(), |process| {
        let file = process.open("data", &OpenOptions::read_write().create())?;
        process.write_all(&file, b"one\ntwo\n")?;
        file.seek(std::io::SeekFrom::Start(0))?;
        process.call(process.spec(["head"]).stdin(file.clone()), |callee| {
            let mut four = [0; 4];
            callee.stdin().read_exact(&mut four)?;
            Ok(0)
        });
        let mut rest = String::new();
        process.input(file).read_to_string(&mut rest)?;
        write!(process.stdout(), "{rest}")?;
        Ok(0)
    });
    assert_eq!(output, "two\n");
}

struct Shouter;

impl Program for Shouter {
    fn run(&self, process: &Process) -> std::io::Result<i32> {
        let said = process
            .kill(process.pid(), Signal::CHLD)
            .then(|| bstr::join(" ", process.args()).to_ascii_uppercase());
        process.stdout().write_all(&said.unwrap())?;
        Ok(7)
    }

    fn needs_process(&self) -> bool {
        true
    }
}

#[test]
fn a_program_that_needs_a_process_can_be_sent_signals_when_it_is_called() {
    let (ended, output) = run(KernelOptions::default(), |process| {
        let program: Arc<dyn Program> = Arc::new(Shouter);
        let status = process.call_program(process.spec(["loud", "now"]), &program)?;
        Ok(status.code())
    });
    assert_eq!((ended.status.code(), output.as_str()), (7, "LOUD NOW"));
}

#[test]
fn exec_puts_another_program_in_the_place_of_a_process() {
    struct Flag(Arc<AtomicBool>);
    impl Drop for Flag {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let unwound = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&unwound);
    let (_, output) = run(KernelOptions::default(), move |process| {
        let before = process.pid();
        let child = process.spawn(process.spec(["old"]), move |child| {
            let _flag = Flag(flag);
            child.set_disposition(Signal::USR1, Disposition::Catch);
            let next: Arc<dyn Program> = Arc::new(move |next: &Process| {
                assert_eq!(next.parent(), before);
                assert_eq!(next.disposition(Signal::USR1), Disposition::Default);
                write!(next.stdout(), "{} {}", next.name(), next.pid())?;
                Ok(9)
            });
            child.exec(child.spec(["new"]), next)
        })?;
        let status = process.wait(child).unwrap();
        write!(process.stdout(), " {child} {}", status.code())?;
        Ok(0)
    });
    assert_eq!(output, "new 2 2 9");
    assert!(unwound.load(Ordering::Relaxed));
}

#[test]
fn a_process_that_becomes_a_program_keeps_its_number() {
    let (ended, output) = run(KernelOptions::default(), |process| {
        let status = process.become_program(process.spec(["other"]), |other| {
            write!(other.stdout(), "{} {}", other.name(), other.pid())?;
            other.exit(4)
        });
        Ok(status.code())
    });
    assert_eq!((ended.status.code(), output.as_str()), (4, "other 1"));
}

#[test]
fn a_signal_that_a_caller_catches_does_not_end_its_call() {
    let (_, output) = run(KernelOptions::default(), |process| {
        process.set_disposition(Signal::USR1, Disposition::Catch);
        let me = process.pid();
        let status = process.call(process.spec(["callee"]), |callee| {
            callee.kill(me, Signal::USR1);
            callee.sleep(Duration::from_millis(1));
            Ok(3)
        });
        let caught = process.take_caught().map(Signal::name);
        write!(process.stdout(), "{} {caught:?}", status.code())?;
        Ok(0)
    });
    assert_eq!(output, "3 Some(\"USR1\")");
}

#[test]
fn a_signal_that_interrupts_ends_the_call_and_is_left_for_the_caller() {
    let (_, output) = run(KernelOptions::default(), |process| {
        process.set_disposition(Signal::TERM, Disposition::Interrupt);
        let me = process.pid();
        process.spawn(process.spec(["killer"]), move |killer| {
            killer.kill(me, Signal::TERM);
            Ok(0)
        })?;
        let status = process.call(process.spec(["sleeper"]), |sleeper| {
            sleeper.sleep(Duration::MAX);
            Ok(0)
        });
        let caught = process.take_caught().map(Signal::name);
        write!(process.stdout(), "{} {caught:?}", status.code())?;
        Ok(0)
    });
    assert_eq!(output, "143 Some(\"TERM\")");
}

#[test]
fn a_call_can_send_signals_to_itself() {
    let (_, output) = run(KernelOptions::default(), |process| {
        let status = process.call(process.spec(["suicidal"]), |callee| {
            callee.kill(callee.pid(), Signal::USR1);
            Ok(0)
        });
        write!(process.stdout(), "{}", status.code())?;
        Ok(0)
    });
    assert_eq!(output, "138");
}

#[test]
fn a_line_is_read_without_what_follows_it() {
    let (_, output) = run(KernelOptions::default(), |process| {
        let file = process.open("data", &OpenOptions::read_write().create())?;
        process.write_all(&file, b"one\ntwo\n")?;
        file.seek(std::io::SeekFrom::Start(0))?;
        let (reader, writer) = process.pipe()?;
        process.write_all(&writer, b"one\ntwo\n")?;
        drop(writer);
        let given: Arc<dyn hotcell_process::Stream> =
            Arc::new(hotcell_process::Given::new("one\ntwo\n"));
        for stream in [file, reader, given] {
            let mut buf = [0; 100];
            let count =
                process.block_on_poll(|waker| stream.poll_read_until(b'\n', &mut buf, waker))?;
            let mut rest = String::new();
            process.input(stream).read_to_string(&mut rest)?;
            write!(
                process.stdout(),
                "{} {rest:?} ",
                buf[..count].escape_ascii()
            )?;
        }
        Ok(0)
    });
    assert_eq!(output, r#"one\n "two\n" "#.repeat(3));
}

#[test]
fn a_signal_to_a_tree_reaches_what_calls_have_begun() {
    let (_, output) = run(KernelOptions::default(), |process| {
        let child = process.spawn(process.spec(["child"]), |child| {
            let status = child.call(child.spec(["callee"]), |callee| {
                let grandchild = callee.spawn(callee.spec(["grandchild"]), |grandchild| {
                    grandchild.sleep(Duration::MAX);
                    Ok(0)
                })?;
                callee.wait(grandchild);
                Ok(0)
            });
            Ok(status.code())
        })?;
        process.give_way();
        process.give_way();
        let sent = process.kill_tree(child, Signal::TERM);
        let status = process.wait(child).unwrap();
        write!(process.stdout(), "{sent} {}", status.code())?;
        Ok(0)
    });
    // The run has ended, so the grandchild has, too.
    assert_eq!(output, "true 143");
}

#[test]
fn an_environment_stays_in_the_order_it_was_given_until_it_is_changed() {
    let pair = |name: &str, value: &str| (BString::from(name), BString::from(value));
    let given = vec![pair("B", "1"), pair("A", "2"), pair("B", "3")];
    let spec = Spec::new(["main"]).environ(given.clone());
    let kernel = Kernel::new(KernelOptions::default());
    let ended = pollster::block_on(kernel.run(spec, move |process| {
        assert_eq!(*process.environ(), *given);
        assert_eq!(process.env("B").unwrap(), "1", "the first counts");
        let child = process.spec(["child"]);
        let inherited = process.call(child, |child| {
            let list = child.environ();
            Ok(i32::try_from(list.len()).unwrap())
        });
        assert_eq!(inherited.code(), 3);
        let mut changed = (*process.environment()).clone();
        changed.insert("C".into(), "4".into());
        process.set_environment(changed.into()).unwrap();
        let names: Vec<_> = process
            .environ()
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        assert_eq!(names, ["A", "B", "C"]);
        Ok(0)
    }));
    assert_eq!(ended.status, Status::Exited(0));
}
