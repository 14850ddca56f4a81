//! A program that runs: what its host functions work on.

mod chance;
mod clocks;

use std::{collections::BTreeMap, io, sync::Arc};

use bstr::BString;
use hotcell_meter::{Account, Charge};
use hotcell_process::{Descriptors, Disposition, Process, Signal};

pub(crate) use chance::Chance;
pub(crate) use clocks::Clocks;

use crate::{
    fds::{Descriptor, Fds, Place},
    files::{Files, Naming},
    limiter::Limiter,
    mailbox::Mailbox,
    options::WasiOptions,
};

/// What a variable takes beside its name and its value.
const ENTRY: usize = 2 * size_of::<BString>();

/// A program that runs.
pub(crate) struct Guest {
    /// Set when it is first used.
    pub(crate) memory: Option<wasmtime::Memory>,
    pub(crate) limiter: Limiter,
    pub(crate) args: Vec<BString>,
    /// `NAME=VALUE`.
    pub(crate) environment: Vec<BString>,
    /// For the environment.
    _charge: Charge,
    pub(crate) fds: Fds,
    pub(crate) files: Files,
    pub(crate) clocks: Clocks,
    pub(crate) chance: Chance,
    pub(crate) mailbox: Mailbox,
    /// What is kept here for the program is charged to it.
    pub(crate) account: Account,
    /// Writing to a pipe that nobody reads ends the program.
    pub(crate) dies_of_pipe: bool,
}

impl Guest {
    /// A program with what its process has. The streams of the process are moved: what the program closes is closed.
    pub(crate) fn new(
        process: &Process,
        options: &WasiOptions,
        naming: Naming,
        args: Vec<BString>,
        extra: &[(BString, BString)],
    ) -> io::Result<Self> {
        let (environment, charge) = environment(process, extra)?;
        let mut kept = Descriptors::new();
        if let Ok(stderr) = process.descriptor(2) {
            kept.set(2, stderr);
        }
        let mut inherited = process.replace_descriptors(kept);
        let mut fds = Fds::new(process.limits().descriptors);
        for fd in 0..3 {
            if let Ok(stream) = inherited.get(fd) {
                fds.put(fd, Descriptor::inherited(Arc::clone(stream)));
            }
            inherited.close(fd);
        }
        fds.put(3, Descriptor::preopened(Place::Root));
        fds.put(4, Descriptor::preopened(Place::Here));
        let mailbox = Mailbox::default();
        Ok(Self {
            memory: None,
            limiter: Limiter::new(process.account(), options.memory_limit),
            args,
            environment,
            _charge: charge,
            fds,
            files: Files {
                vfs: Arc::clone(process.vfs()),
                cwd: process.cwd().to_owned(),
                umask: process.umask(),
                naming,
                inherited,
            },
            clocks: Clocks::new(options.clock, process.clock(), &mailbox),
            chance: Chance::new(options.random),
            mailbox,
            account: process.account().clone(),
            dies_of_pipe: process.disposition(Signal::PIPE) == Disposition::Default,
        })
    }
}

/// The environment of a process, with what a program needs unless the process says otherwise. `PWD` is true.
fn environment(
    process: &Process,
    extra: &[(BString, BString)],
) -> io::Result<(Vec<BString>, Charge)> {
    let given = process.environment();
    let cwd = process.cwd().as_bytes().to_owned();
    let mut variables: BTreeMap<&[u8], &[u8]> = BTreeMap::new();
    for (name, value) in extra {
        variables.entry(name).or_insert(value);
    }
    for (name, value) in given.iter() {
        variables.insert(name, value);
    }
    variables.insert(b"PWD", &cwd);
    let bytes = variables
        .iter()
        .map(|(name, value)| name.len() + value.len() + ENTRY);
    let charge = process.charge(bytes.sum())?;
    let texts = variables
        .into_iter()
        .map(|(name, value)| [name, b"=".as_slice(), value].concat().into());
    Ok((texts.collect(), charge))
}
