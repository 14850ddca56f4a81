//! Commands that are functions of the host's.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use hotcell_sandbox::{Command, CommandCall, ErrorClass, HostCommand, Sandbox};

use crate::{run, text, with};

fn with_command<F, A>(name: &str, function: F) -> Sandbox
where
    F: Fn(CommandCall) -> A + Send + Sync + 'static,
    A: Future<Output = io::Result<i32>> + Send + 'static,
{
    with(crate::options().command(name, HostCommand::new(function)))
}

#[test]
fn it_gets_arguments_environment_place_and_files() {
    let sandbox = with_command("show", |mut call: CommandCall| async move {
        let file = call
            .vfs
            .read_file(&call.resolve(call.arg(1).unwrap_or_default()))?;
        let secret = call.env.get(&b"A"[..]).cloned().unwrap_or_default();
        let line = format!(
            "{:?} {secret} {} {}",
            call.args,
            call.cwd,
            String::from_utf8_lossy(&file)
        );
        call.stdout.write_all(line.as_bytes()).await?;
        call.stderr.write_all(b"to error\n").await?;
        Ok(7)
    });
    text(&sandbox, "mkdir d; cd d; echo content > f");
    let result = run(&sandbox, "A=1 show f 'b c'");
    assert_eq!(result.exit_code, 7);
    assert_eq!(
        result.stdout_text(),
        "[\"show\", \"f\", \"b c\"] 1 /workspace/d content\n"
    );
    assert_eq!(result.stderr, b"to error\n");
}

#[test]
fn it_stands_in_pipelines_substitutions_and_scripts() {
    let sandbox = with_command("double", |mut call: CommandCall| async move {
        let mut buffer = [0; 10];
        loop {
            let count = call.stdin.read(&mut buffer).await?;
            if count == 0 {
                return Ok(0);
            }
            for byte in &buffer[..count] {
                call.stdout.write_all(&[*byte, *byte]).await?;
            }
        }
    });
    assert_eq!(
        text(&sandbox, "printf abc | double | double | rev"),
        "ccccbbbbaaaa"
    );
    assert_eq!(
        text(
            &sandbox,
            "x=$(printf z | double); echo $x; echo 'printf q | double' > s; bash s; echo x | xargs -I{} sh -c 'echo {} | double'"
        ),
        "zz\nqqxx\n\n"
    );
    assert_eq!(
        text(&sandbox, "command -v double; compgen -c doub"),
        "/usr/local/bin/double\ndouble\n"
    );
    assert_eq!(
        text(
            &sandbox,
            "yes | double | head -c 4; seq 100000 | double | wc -c"
        ),
        "yy\n\n1177790\n"
    );
}

#[test]
fn its_failures_are_the_commands() {
    let sandbox = with_command("fails", |call: CommandCall| async move {
        match call.args.len() {
            1 => Err(io::Error::other("no luck")),
            2 => panic!("a mistake of the host's"),
            _ => Err(io::Error::from(io::ErrorKind::NotFound)),
        }
    });
    let result = run(&sandbox, "fails");
    assert_eq!(
        (result.exit_code, result.stderr_text().as_ref()),
        (1, "fails: no luck\n")
    );
    let result = run(&sandbox, "fails x");
    assert_eq!(
        (result.exit_code, result.stderr_text().as_ref()),
        (1, "fails: the host's function for it panicked\n")
    );
    assert_eq!(result.error_class, None);
    assert_eq!(
        text(&sandbox, "fails x 2> /dev/null || echo alive"),
        "alive\n"
    );
}

/// Tells that it was dropped.
struct Told(Arc<AtomicBool>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn it_is_dropped_when_the_run_is_killed() {
    let dropped = Arc::new(AtomicBool::new(false));
    let told = dropped.clone();
    let sandbox = with_command("hang", move |_| {
        let told = Told(told.clone());
        async move {
            std::future::pending::<()>().await;
            drop(told);
            Ok(0)
        }
    });
    let result = run(
        &sandbox,
        Command::new("echo begun; hang").timeout(Duration::from_millis(30)),
    );
    assert_eq!(
        (result.error_class, &*result.stdout),
        (Some(ErrorClass::Timeout), &b"begun\n"[..])
    );
    assert!(dropped.load(Ordering::Relaxed));
}

#[test]
fn one_that_writes_and_reads_without_end_is_killed_too() {
    let sandbox = with_command("flood", |mut call: CommandCall| async move {
        loop {
            call.stdout.write_all(b"x").await?;
            if call.args.len() > 1 {
                call.stdin.read(&mut [0]).await?;
            }
        }
    });
    for script in [
        "flood > /dev/null",
        "flood r < /dev/zero > /dev/null",
        "flood | cat > /dev/null",
    ] {
        let result = run(
            &sandbox,
            Command::new(script).timeout(Duration::from_millis(50)),
        );
        assert_eq!(result.error_class, Some(ErrorClass::Timeout), "{script}");
    }
    // Nobody reads any more.
    assert_eq!(
        text(&sandbox, "flood | head -c 3; echo \" ${PIPESTATUS[0]}\""),
        "xxx 141\n"
    );
}

#[test]
fn a_list_of_allowed_commands_holds_for_them_too() {
    let options = crate::options()
        .command("one", HostCommand::new(|_| async { Ok(0) }))
        .command("two", HostCommand::new(|_| async { Ok(0) }))
        .allow_only(["one"]);
    let sandbox = with(options);
    assert_eq!(run(&sandbox, "one").exit_code, 0);
    assert_eq!(
        run(&sandbox, "two").error_class,
        Some(ErrorClass::CapabilityDenied)
    );
}

#[test]
fn one_of_the_host_comes_before_one_of_ours() {
    let options = crate::options().command(
        "sort",
        HostCommand::new(|mut call: CommandCall| async move {
            call.stdout.write_all(b"mine\n").await?;
            Ok(0)
        }),
    );
    let sandbox = with(options);
    assert_eq!(
        text(&sandbox, "seq 3 | sort; seq 3 | /usr/bin/sort"),
        "mine\nmine\n"
    );
    let fork = sandbox.fork().unwrap();
    assert_eq!(text(&fork, "sort"), "mine\n");
}

#[test]
fn it_may_run_another_sandbox() {
    let sandbox = with_command("inner", |mut call: CommandCall| async move {
        let inner = Sandbox::create(crate::options()).map_err(io::Error::other)?;
        let script = call.arg(1).unwrap_or_default();
        let result = inner.run(script.as_str()).await.map_err(io::Error::other)?;
        call.stdout.write_all(&result.stdout).await?;
        Ok(result.exit_code)
    });
    assert_eq!(
        text(&sandbox, "inner 'seq 3 | tac'; inner 'sleep 0.01; echo x'"),
        "3\n2\n1\nx\n"
    );
    let result = run(
        &sandbox,
        Command::new("inner 'while :; do :; done'").timeout(Duration::from_millis(50)),
    );
    assert_eq!(result.error_class, Some(ErrorClass::Timeout));
}
