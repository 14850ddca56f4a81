//! What `exec.start.v1` refuses. The first thing that is wrong decides.

use std::sync::Arc;

use hotcell_exec::{Capabilities, ExecPolicy, Registry};
use hotcell_hopper::{
    Encode, Raw,
    selector::exec::{self, StartRequest},
};
use hotcell_vfs::{MemVfs, Vfs, VfsPath};

use crate::harness::{Native, capabilities, policy, vector, with_policy};

fn params(params: &[u8]) -> String {
    params_to(capabilities(), params)
}

fn params_to(capabilities: Capabilities, params: &[u8]) -> String {
    let mut guest = Native::new(capabilities);
    let hub = guest.open(b"");
    let told = guest.call(hub, 1, &exec::START.call(Raw(params)));
    assert_eq!(guest.host.started(), usize::from(told.starts_with("OK")));
    told.strip_prefix("FAILED 1 ")
        .unwrap_or(&told[..2])
        .to_owned()
}

/// E1 with something else in it.
fn echo(change: impl FnOnce(&mut StartRequest<'_>)) -> String {
    echo_to(capabilities(), change)
}

fn echo_to(capabilities: Capabilities, change: impl FnOnce(&mut StartRequest<'_>)) -> String {
    let mut request = StartRequest {
        prog_id: "tools/echo",
        flags: 6,
        args: &["echo", "hi"],
        env: &[],
    };
    change(&mut request);
    params_to(capabilities, &request.to_vec().unwrap())
}

#[test]
fn e1_is_fine() {
    assert_eq!(params(&vector("E1")), "OK");
    assert_eq!(params(&vector("E15")), "OK");
}

#[test]
fn the_published_length_of_prog_id_is_malformed() {
    let mut printed = vector("E1");
    printed[0] = 9;
    assert_eq!(params(&printed), "t_async_bad_params");
}

#[test]
fn unknown_flags_are_refused() {
    assert_eq!(echo(|request| request.flags = 8), "t_async_bad_params");
    assert_eq!(
        echo(|request| request.flags = 1 << 31),
        "t_async_bad_params"
    );
}

#[test]
fn a_byte_more_or_less_is_refused() {
    let mut more = vector("E1");
    more.push(0);
    assert_eq!(params(&more), "t_async_bad_params");
    let e1 = vector("E1");
    for length in 0..e1.len() {
        assert_eq!(params(&e1[..length]), "t_async_bad_params");
    }
}

#[test]
fn a_count_that_cannot_be_is_refused_at_once() {
    let mut many = vector("E1");
    many[18..22].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(params(&many), "t_async_bad_params");
    let mut many = vector("E1");
    let end = many.len() - 4;
    many[end..].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(params(&many), "t_async_bad_params");
}

#[test]
fn texts_that_are_none_are_refused() {
    let mut wrong = vector("E1");
    let at = wrong.len() - 6;
    for bytes in [[0xc3, 0x28], [0x0a, b'i'], [b'h', 0], [b'\t', b'i']] {
        wrong[at..at + 2].copy_from_slice(&bytes);
        assert_eq!(params(&wrong), "t_exec_bad_encoding", "{bytes:?}");
    }
    assert_eq!(
        echo(|request| request.prog_id = "a\nb"),
        "t_exec_bad_encoding"
    );
    assert_eq!(
        echo(|request| request.env = &[("A", "b\u{1}")]),
        "t_exec_bad_encoding"
    );
}

#[test]
fn ids_that_are_none_are_refused() {
    for id in [
        "../echo",
        "tools//echo",
        "",
        "/tools/echo",
        "tools/echo/",
        "/",
        "tools/../echo",
        "tools echo",
        "tools/écho",
        "C:echo",
        "tools\\echo",
        ".",
    ] {
        assert_eq!(
            echo(|request| request.prog_id = id),
            "t_exec_bad_prog",
            "{id:?}"
        );
    }
}

#[test]
fn more_than_the_limits_of_arguments_and_environment_is_refused() {
    let mut policy = policy();
    policy.limits.max_args = 3;
    policy.limits.max_env = 2;
    policy.limits.max_argv_bytes = 20;
    policy.limits.max_env_bytes = 10;
    let try_it = |args: &[&str], env: &[(&str, &str)]| {
        let request = StartRequest {
            prog_id: "tools/echo",
            flags: 6,
            args,
            env,
        };
        params_to(with_policy(policy.clone()), &request.to_vec().unwrap())
    };
    assert_eq!(try_it(&["echo", "a", "b"], &[("A", "1"), ("B", "2")]), "OK");
    assert_eq!(try_it(&["echo", "a", "b", "c"], &[]), "t_exec_bad_args");
    assert_eq!(
        try_it(&["echo"], &[("A", ""), ("B", ""), ("C", "")]),
        "t_exec_bad_args"
    );
    assert_eq!(try_it(&["echo", "0123456789abcdef"], &[]), "OK");
    assert_eq!(
        try_it(&["echo", "0123456789abcdefg"], &[]),
        "t_exec_bad_args"
    );
    assert_eq!(try_it(&["echo"], &[("A", "123456789")]), "OK");
    assert_eq!(try_it(&["echo"], &[("A", "1234567890")]), "t_exec_bad_args");
}

#[test]
fn names_of_variables_that_are_none_are_refused() {
    assert_eq!(
        echo(|request| request.env = &[("A=B", "x")]),
        "t_exec_bad_args"
    );
    assert_eq!(
        echo(|request| request.env = &[("", "x")]),
        "t_exec_bad_args"
    );
    assert_eq!(echo(|request| request.env = &[("A", "x=y")]), "OK");
}

#[test]
fn only_what_is_allowed_is_started() {
    assert_eq!(
        echo(|request| request.prog_id = "tools/rm"),
        "t_exec_not_allowed"
    );
    assert_eq!(
        echo(|request| request.prog_id = "nothing"),
        "t_exec_not_allowed"
    );
}

#[test]
fn what_is_allowed_and_not_there_is_not_found() {
    let mut policy = policy();
    policy.allow.insert("tools/ghost".into());
    let told = echo_to(with_policy(policy), |request| {
        request.prog_id = "tools/ghost";
    });
    assert_eq!(told, "t_exec_not_found");
}

#[test]
fn a_script_without_its_file_is_not_found() {
    let files = Arc::new(MemVfs::new());
    let mut registry = Registry::new();
    let cat: Arc<dyn hotcell_process::Program> =
        hotcell_process::Programs::find(&hotcell_utilities::Utilities, b"cat").unwrap();
    let path = VfsPath::new("/script");
    registry.script("my/script", ("cat", cat), path).unwrap();
    let policy = ExecPolicy::all(registry, Arc::clone(&files) as Arc<dyn Vfs>);
    let start = || {
        echo_to(with_policy(policy.clone()), |request| {
            request.prog_id = "my/script";
        })
    };
    assert_eq!(start(), "t_exec_not_found");
    files.write_file(path, b"text").unwrap();
    assert_eq!(start(), "OK");
}

#[test]
fn the_quota_of_starts_is_kept() {
    let mut policy = policy();
    policy.limits.max_starts = 2;
    let mut guest = Native::new(with_policy(policy));
    let hub = guest.open(b"");
    for (id, told) in [(1, "OK 1"), (2, "OK 2"), (3, "FAILED 3 t_exec_limits")] {
        let answer = guest.call(hub, id, &Raw(&vector("E3")));
        assert!(answer.starts_with(told), "{answer}");
        guest.read_all(i32::try_from(id * 2 + 2).unwrap());
    }
}

#[test]
fn buffers_that_have_no_memory_are_the_quota() {
    let mut poor = capabilities();
    poor.host_memory = 100_000;
    assert_eq!(echo_to(poor, |_| {}), "t_exec_limits");
}

#[test]
fn all_handles_that_are_wanted_or_none() {
    let mut few = capabilities();
    few.max_handles = 3;
    let mut guest = Native::new(few);
    let hub = guest.open(b"");
    let start = |flags| {
        exec::START.call(StartRequest {
            prog_id: "tools/cat",
            flags,
            args: &["cat"],
            env: &[],
        })
    };
    assert_eq!(
        guest.call(hub, 1, &start(7)),
        "FAILED 1 t_exec_too_many_handles"
    );
    // None was taken: the next number is still the next.
    let cat = guest.start(hub, 2, ("tools/cat", &["cat"]), 3);
    assert_eq!((cat.stdin, cat.stdout), (4, 5));
    assert_eq!(
        guest.call(hub, 3, &start(1)),
        "FAILED 3 t_exec_too_many_handles"
    );
    // What has ended does not count.
    guest.end(cat.stdin);
    guest.read_all(cat.stdout);
    let cat = guest.start(hub, 4, ("tools/cat", &["cat"]), 3);
    assert_eq!((cat.stdin, cat.stdout), (6, 7));
    // Nor does the input of a program that is gone, also if nobody ended it.
    let other = guest.start(hub, 5, ("tools/true", &["true"]), 0);
    assert_ne!(other.exec_id, cat.exec_id);
}

#[test]
fn programs_beyond_their_slots_are_too_many() {
    let mut policy = policy();
    policy.limits.max_running = 2;
    let mut guest = Native::new(with_policy(policy));
    let hub = guest.open(b"");
    let first = guest.start(hub, 1, ("tools/cat", &["cat"]), 7);
    guest.start(hub, 2, ("tools/cat", &["cat"]), 7);
    let call = Raw(&vector("E3")).to_vec().unwrap();
    assert_eq!(guest.call(hub, 3, &Raw(&call)), "FAILED 3 t_exec_busy");
    guest.end(first.stdin);
    assert!(guest.call(hub, 4, &Raw(&call)).starts_with("OK"));
    // One that can end by itself makes room by itself.
    assert!(guest.call(hub, 5, &Raw(&call)).starts_with("OK"));
}
