//! Ways out of the files, and games with devices.

use std::{
    fs,
    os::unix::fs::symlink,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use hotcell_sandbox::{Command, Mount, Sandbox, SandboxOptions};

use crate::{alone, run, says, survives};

#[test]
fn every_way_up_ends_at_the_root() {
    let _alone = alone();
    for way in [
        "cat /../../../../etc/hostname",
        "cd /; cat ../../etc/hostname",
        "ln -s / r; cat r/../../workspace/r/etc/hostname",
        "ln -s ../../../../../../etc e; cat e/hostname",
        "cd -P /proc/self/cwd; cat ../../etc/hostname",
        "mkdir a; cd a; rm -r ../a; cat ../../etc/hostname /etc/hostname",
        "cat /proc/self/../../etc/hostname",
        "js -p \"require('fs').readFileSync('/../../etc/hostname', 'utf8')\"",
    ] {
        says(way, "hotcell");
    }
    for way in [
        "cat /proc/1/environ",
        "cat /proc/self/root/etc/shadow",
        "ls /sys",
        "cat /etc/shadow",
        "cat /proc/self/maps",
        "cat /proc/kcore",
    ] {
        says(way, "No such file or directory");
    }
}

#[test]
fn devices_give_and_take_nothing_else() {
    let _alone = alone();
    says("echo x > /dev/full", "No space left on device");
    says("mkdir /dev/new", "Read-only file system");
    says("rm /dev/null", "Read-only file system");
    says("mv /dev/null x", "");
    says("ln /dev/zero z", "");
    says("mknod b b 8 0", "");
    says("cat /dev/sda", "No such file or directory");
    says(
        "cat /dev/fd/99999999999999999999",
        "No such file or directory",
    );
    says("exec 3< /dev/tcp/127.0.0.1/22", "");
    says("echo x > /dev/udp/127.0.0.1/53", "");
    says("cat /proc/self/mem", "");
    survives("cp -r /dev copy & sleep 0.3; kill %1");
    survives("dd if=/dev/zero of=f bs=1M count=100000");
    survives("truncate -s 1T f && cp f g && cat f | head -c 10 | xxd && sort f");
    survives("cat /dev/stdin < /dev/stdin; cat /dev/fd/0 <&-");
    survives("exec 0>&- 1>&- 2>&-; ls");
    survives("exec > /proc/version; ls; exec < /dev/stdout; cat");
    survives("mkfifo p; echo x > p & rm p; cat p; kill %1");
    survives("ln -s a b; ln -s b a; cat a; cp -rL a c; find -L . ; ls -LR");
    survives(
        "mkdir d; ln -s ../d d/d; find -L d | head; ls -RL d; du -L d; tar chf - d | wc -c; rg x d; grep -R x d",
    );
}

#[test]
fn odd_names_are_names() {
    let _alone = alone();
    survives(
        "touch -- -rf $'a\\nb' $'\\xff' '*' ' ' '$(id)' '`id`' ';ls'; rm -- -rf; for f in *; do cat \"./$f\"; done; ls | xargs cat",
    );
    survives(
        "touch \"$(printf '%255s' | tr ' ' x)\"; touch \"$(printf '%256s' | tr ' ' x)\"; cat \"$(yes x/ | tr -d '\\n' | head -c 9000)\"",
    );
    survives("mkdir -p \"$(printf 'd/%.0s' {1..600})\"");
}

#[test]
fn a_mounted_directory_is_no_way_to_the_hosts_other_files() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
    fs::create_dir_all(&inside).unwrap();
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("secret"), "SECRET").unwrap();
    symlink(&outside, inside.join("absolute")).unwrap();
    symlink("../out", inside.join("relative")).unwrap();
    symlink("/etc/passwd", inside.join("passwd")).unwrap();
    for mount in [
        Mount::ReadOnly(inside.clone()),
        Mount::Overlay(inside.clone()),
        Mount::ReadWrite(inside.clone()),
    ] {
        let kind = mount.kind();
        let sandbox = Sandbox::create(SandboxOptions::default().mount("/m", mount)).unwrap();
        let shown = run(
            &sandbox,
            "cd /m; cat absolute/secret relative/secret ../out/secret passwd; cp -rL . /tmp/copy; grep -r SECRET /tmp / 2> /dev/null; tar chf - . | tar xf - -C /tmp -O; js -p \"require('fs').readFileSync('relative/secret', 'utf8')\"",
        );
        let told = format!("{}{}", shown.stdout_text(), shown.stderr_text());
        assert!(!told.contains("SECRET"), "{kind}: {told}");
        // What links say is meant in the sandbox.
        assert!(told.contains("user:x:1000"), "{kind}: {told}");
        run(
            &sandbox,
            "cd /m; echo x > absolute/new; echo x > relative/secret; mv passwd absolute/; ln -s ../out/secret l; cat l",
        );
        assert_eq!(
            fs::read_to_string(outside.join("secret")).unwrap(),
            "SECRET"
        );
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "{kind}");
    }
}

#[test]
fn a_race_for_a_link_is_never_won() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
    fs::create_dir_all(inside.join("real")).unwrap();
    fs::create_dir_all(&outside).unwrap();
    fs::write(inside.join("real/f"), "harmless").unwrap();
    fs::write(outside.join("f"), "SECRET").unwrap();
    symlink(&outside, inside.join("link")).unwrap();
    let over = Arc::new(AtomicBool::new(false));
    let swapper = {
        let (over, inside) = (over.clone(), inside.clone());
        thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                for (from, to) in [("real", "d"), ("d", "real"), ("link", "d"), ("d", "link")] {
                    let _ = fs::rename(inside.join(from), inside.join(to));
                }
            }
        })
    };
    for mount in [
        Mount::ReadOnly(inside.clone()),
        Mount::ReadWrite(inside.clone()),
    ] {
        let sandbox = Sandbox::create(SandboxOptions::default().mount("/m", mount)).unwrap();
        let script = "while :; do cat /m/d/f 2> /dev/null; echo overwritten 2> /dev/null > /m/d/f; done | grep -m1 -c SECRET";
        let result =
            pollster::block_on(sandbox.run(Command::new(script).timeout(Duration::from_secs(2))))
                .unwrap();
        assert_eq!(result.exit_code, 124, "{}", result.stdout_text());
    }
    over.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    assert_eq!(fs::read_to_string(outside.join("f")).unwrap(), "SECRET");
}

#[test]
fn the_machine_cannot_be_seen() {
    let _alone = alone();
    let sandbox = Sandbox::create(SandboxOptions::default()).unwrap();
    let shown = run(
        &sandbox,
        "env; set; declare -p; cat /proc/*/* /proc/self/* 2> /dev/null; ls -laR / ; js -p 'JSON.stringify(process.env)'; uname -a; hostname; id; uptime; df; nproc",
    );
    let told = format!("{}{}", shown.stdout_text(), shown.stderr_text());
    for (name, value) in std::env::vars() {
        let is_telling = value.len() > 12 && !["PATH", "LANG", "HOME"].contains(&&*name);
        assert!(
            !is_telling || !told.contains(&value),
            "{name} of the host is told"
        );
    }
}
