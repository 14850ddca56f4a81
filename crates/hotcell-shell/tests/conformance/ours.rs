//! A case in this shell, on files in memory.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use bstr::BString;
use hotcell_meter::{Account, StopToken};
use hotcell_process::{Capture, Environment, Given, Kernel, KernelOptions, Spec};
use hotcell_shell::{ShellPrograms, run_shell};
use hotcell_utilities::Utilities;
use hotcell_vfs::{Clock, DevOptions, MemVfs, MountVfs, Vfs, VfsPath, Walk, dev};

use crate::{
    answer::{Answer, Entry},
    case::Case,
    real::environment,
};

pub(crate) fn run(case: &Case, place: &Path, time: Duration) -> Answer {
    let clock = Clock::from_fn(|| SystemTime::now().into());
    let memory = MemVfs::with(hotcell_vfs::Limits::default(), clock.clone());
    let tree = MountVfs::new(Arc::new(memory));
    let place_text = place.to_string_lossy().into_owned();
    let work = format!("{place_text}/work");
    let path = VfsPath::new(&work);
    for directory in [&work, &format!("{place_text}/home"), "/tmp"] {
        tree.mkdir_all(VfsPath::new(directory), 0o755)
            .expect("there is room");
    }
    tree.mount(VfsPath::new("/dev"), Arc::new(dev(DevOptions::default())))
        .expect("there is a place for /dev");
    for (name, content) in &case.given {
        let file = path.join(name);
        if let Some(parent) = file.parent() {
            tree.mkdir_all(parent, 0o755).expect("there is room");
        }
        tree.write_file(&file, content).expect("there is room");
    }
    let tree: Arc<dyn Vfs> = Arc::new(tree);
    let kernel = Kernel::new(KernelOptions {
        vfs: Arc::clone(&tree),
        programs: Arc::new(ShellPrograms::new(Arc::new(Utilities))),
        stop: StopToken::until(Instant::now() + time),
        account: Account::new("memory", 256 << 20),
        clock,
        ..KernelOptions::default()
    });
    let (out, err) = (
        Capture::new(kernel.account(), 64 << 20),
        Capture::new(kernel.account(), 64 << 20),
    );
    let mut args: Vec<BString> = vec!["bash".into(), "-c".into(), case.script.as_str().into()];
    args.push("bash".into());
    args.extend(case.args.iter().map(|arg| BString::from(arg.as_str())));
    let env: Environment = environment(case, place)
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    let spec = Spec::new(args)
        .cwd(path)
        .env(Arc::new(env))
        .stdin(Arc::new(Given::new(case.stdin.clone())))
        .stdout(Arc::new(out.clone()))
        .stderr(Arc::new(err.clone()));
    let ended = pollster::block_on(kernel.run(spec, run_shell));
    let mut answer = Answer {
        stdout: out.take().bytes,
        stderr: err.take().bytes,
        code: ended.status.code(),
        was_stopped: ended.stopped.is_some(),
        ..Answer::default()
    };
    for entry in Walk::new(&*tree, path).flatten() {
        if let Some((name, entry)) = describe(&*tree, path, &entry.path) {
            answer.files.insert(name, entry);
        }
    }
    answer.placed(place)
}

fn describe(tree: &dyn Vfs, work: &VfsPath, path: &VfsPath) -> Option<(String, Entry)> {
    let name = path.strip_prefix(work)?.to_string_lossy().into_owned();
    let metadata = tree.lstat(path).ok()?;
    if name.is_empty() {
        return None;
    }
    let entry = if metadata.is_file() {
        Entry::File {
            mode: metadata.mode & 0o7777,
            bytes: tree.read_file(path).ok()?,
        }
    } else if metadata.is_symlink() {
        Entry::Link(tree.readlink(path).ok()?.to_string_lossy().into_owned())
    } else if metadata.is_dir() {
        let is_empty = tree.readdir(path).is_ok_and(|names| names.is_empty());
        if !is_empty {
            return None;
        }
        Entry::Dir {
            mode: metadata.mode & 0o7777,
        }
    } else {
        Entry::Other(format!("({:?})", metadata.kind))
    };
    Some((name, entry))
}
