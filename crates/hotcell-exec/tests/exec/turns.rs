//! Programs beside each other: one that computes holds neither the others nor their guest.

use std::{
    future::poll_fn,
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_exec::{Capabilities, ExecPolicy, FilePolicy, Grant};
use hotcell_hopper::selector::{
    exec::{StartRequest, State},
    files,
};
use hotcell_vfs::{MemVfs, Vfs, VfsPath};

use crate::harness::{Native, Ran, capabilities, policy, register, registry, with_policy};

/// A guest with a program that computes for a minute, which was started before all others.
fn with_spin() -> (Native, i32, Ran) {
    let mut policy = policy();
    policy.limits.time_limit = Duration::from_secs(60);
    let mut guest = Native::new(with_policy(policy));
    let hub = guest.open(b"");
    let spin = guest.start(hub, 1, ("t/spin", &["spin"]), 2);
    (guest, hub, spin)
}

#[test]
fn a_program_that_computes_leaves_others_their_turns() {
    let (mut guest, hub, spin) = with_spin();
    let echo = guest.start(hub, 2, ("tools/echo", &["echo", "hi"]), 2);
    assert_eq!(guest.read_all(echo.stdout), (0, b"hi\n".to_vec()));
    let cat = guest.start(hub, 3, ("tools/cat", &["cat"]), 3);
    for _ in 0..3 {
        assert_eq!(guest.write(cat.stdin, b"to cat"), 6);
        assert_eq!(guest.read(cat.stdout, 100).1, b"to cat");
    }
    assert_eq!(guest.status(hub, 4, echo.exec_id), (State::Exited, 0));
    assert_eq!(guest.status(hub, 5, spin.exec_id), (State::Running, 0));
}

#[test]
fn what_waits_for_the_guest_does_not_wait_for_what_computes() {
    let (mut guest, hub, spin) = with_spin();
    let cat = guest.start(hub, 2, ("tools/cat", &["cat"]), 3);
    // It waits for its input: the guest is told, though another program has more to do.
    assert_eq!(guest.read(cat.stdout, 10).0, -1);
    // Its output is full, and then its input.
    let data = vec![b'x'; 100_000];
    let mut written = 0;
    loop {
        let count = guest.write(cat.stdin, &data);
        if count == 0 {
            break;
        }
        written += usize::try_from(count).unwrap();
        assert!(written < 1_000_000, "nobody reads");
    }
    guest.end(cat.stdin);
    assert_eq!(guest.read_all(cat.stdout).1.len(), written);
    assert_eq!(guest.status(hub, 3, spin.exec_id), (State::Running, 0));
}

#[test]
fn a_write_to_a_program_that_computes_does_not_wait_for_its_end() {
    for patience in [Duration::ZERO, Duration::from_millis(20)] {
        let mut policy = policy();
        policy.limits.time_limit = Duration::from_secs(60);
        policy.limits.status_patience = patience;
        let mut guest = Native::new(with_policy(policy));
        let hub = guest.open(b"");
        let spin = guest.start(hub, 1, ("t/spin", &["spin"]), 1);
        assert_eq!(guest.write(spin.stdin, &[b'x'; 100_000]), 65_536);
        assert_eq!(guest.write(spin.stdin, b"more"), 0);
        assert_eq!(guest.write(spin.stdin, b"more"), 0);
        assert_eq!(guest.status(hub, 2, spin.exec_id), (State::Running, 0));
        // One that reads makes room in the end, also for a guest that does nothing but try.
        let wc = guest.start(hub, 3, ("tools/wc", &["wc", "-c"]), 3);
        let data = vec![b'x'; 1_000_000];
        let mut rest = &data[..];
        while !rest.is_empty() {
            let count = guest.write(wc.stdin, rest);
            rest = &rest[usize::try_from(count).unwrap()..];
        }
        guest.end(wc.stdin);
        assert_eq!(guest.read_all(wc.stdout).1, b"1000000\n");
    }
}

#[test]
fn much_that_can_be_done_at_once_is_done_in_portions_and_told_as_a_whole() {
    // Lists that take their time to make, and are too long for the queue.
    let tree = MemVfs::new();
    for n in 0..1000 {
        let name = format!("/{}{n}", "long-".repeat(20));
        tree.write_file(VfsPath::new(&name), b"").unwrap();
    }
    let files = FilePolicy::new(Arc::new(tree), VfsPath::new("/")).unwrap();
    let mut guest = Native::new(Capabilities {
        files: Grant::Given(files),
        ..capabilities()
    });
    let hub = guest.open(b"");
    let list = files::LIST.call(files::ListRequest { scope: "" });
    for id in 1..=32 {
        guest.send(hub, &register(0, id, &list));
    }
    let mut buf = vec![0; 1 << 20];
    let mut portions = 0;
    let count = pollster::block_on(poll_fn(|context| {
        portions += 1;
        guest.host.poll_read(context, hub, &mut buf)
    }));
    assert!(portions > 1, "nobody else had a turn");
    buf.truncate(usize::try_from(count.unwrap()).unwrap());
    let told = guest.tell(&buf);
    assert_eq!(told.len(), 32);
    assert_eq!(told[31], "FAILED 32 t_async_overflow");
}

#[test]
fn a_name_that_is_allowed_twice_is_the_program_that_there_is() {
    let mut policy = ExecPolicy::all(registry(), crate::harness::files());
    // Comes before tools/echo, and does not exist.
    policy.allow.insert("a/echo".into());
    let mut guest = Native::new(with_policy(policy));
    let hub = guest.open(b"");
    let request = StartRequest {
        prog_id: "tools/env",
        flags: 2,
        args: &["env", "PATH=/bin", "echo", "hi"],
        env: &[],
    };
    let env = guest.start(hub, 1, (request.prog_id, request.args), request.flags);
    assert_eq!(guest.read_all(env.stdout), (0, b"hi\n".to_vec()));
}

#[test]
fn joins_and_futures_by_the_thousand_are_taken_up_in_little_time() {
    let mut all = capabilities();
    all.max_handles = 61;
    let mut guest = Native::new(all);
    let hubs: Vec<i32> = (0..60).map(|_| guest.open(b"s")).collect();
    // Futures that nobody works on, of another scope, with the one that is waited for behind them.
    let source = hotcell_hopper::Raw(b"\x01\0\0\0\0");
    let in_scope = |id: u64, scope_id: u64| {
        let mut frame = hotcell_hopper::frame::Frame::command(1, 0, id, source);
        frame.scope_id = scope_id;
        hotcell_hopper::Encode::to_vec(&frame).unwrap()
    };
    let mut id = 0;
    for hub in &hubs {
        for _ in 0..8 {
            id += 1;
            guest.send(*hub, &in_scope(id, 1));
        }
    }
    guest.send(hubs[59], &in_scope(id + 1, 2));
    let join = |fuel: u64| {
        let fuel = hotcell_hopper::frame::Fuel(fuel);
        let mut frame = hotcell_hopper::frame::Frame::command(4, 0, 0, fuel);
        frame.scope_id = 2;
        hotcell_hopper::Encode::to_vec(&frame).unwrap()
    };
    for hub in &hubs {
        guest.send(*hub, &join(u64::MAX).repeat(30));
    }
    // Each of these looked at all of those.
    let began = Instant::now();
    let commands = join(0).repeat(37_000);
    let mut rest = &commands[..];
    let mut writes = 0;
    while !rest.is_empty() {
        let count = guest.write(hubs[0], rest);
        assert!(count > 0);
        rest = &rest[usize::try_from(count).unwrap()..];
        writes += 1;
    }
    assert!(
        writes > 100,
        "one call takes up {} commands",
        37_000 / writes
    );
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
}
