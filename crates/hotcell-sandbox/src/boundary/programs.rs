//! Programs that stay outside of the worker, because they are the host's: its functions, and what reaches its network.
//!
//! In the worker such a program is a process that carries bytes: what the host's side prints goes to its streams, and when that
//! waits for input, it reads some. So nothing is read that the program has not asked for.

use std::{collections::BTreeSet, io, sync::Arc};

use bstr::{BStr, BString};
use hotcell_process::{Process, Program, Programs};
use hotcell_vfs::VfsPath;
use hotcell_worker::{Called, Message, Parent, Refusal};
use serde::Deserialize;
use serde_json::json;

use super::{packed, proxies::poll_call, wire::Step};
use crate::network::{Network, NoNetwork};

/// How much of its input goes over at once.
const PIECE: usize = 64 << 10;

/// The programs outside, as what the worker has in the place of a network.
pub(super) struct Outside {
    parent: Parent,
    names: Arc<BTreeSet<BString>>,
    has_network: bool,
}

impl Outside {
    pub(super) fn new(
        parent: &Parent,
        names: impl Iterator<Item = BString>,
        has_network: bool,
    ) -> Self {
        Self {
            parent: parent.clone(),
            names: Arc::new(names.collect()),
            has_network,
        }
    }
}

impl Network for Outside {
    fn programs(&self, inner: Arc<dyn Programs>) -> Arc<dyn Programs> {
        let inner = if self.has_network {
            inner
        } else {
            Arc::new(NoNetwork::new(inner))
        };
        Arc::new(WithOutside {
            inner,
            parent: self.parent.clone(),
            names: Arc::clone(&self.names),
        })
    }
}

struct WithOutside {
    inner: Arc<dyn Programs>,
    parent: Parent,
    names: Arc<BTreeSet<BString>>,
}

impl Programs for WithOutside {
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Program>> {
        if let Some(name) = self.names.get(BStr::new(name)) {
            return Some(Arc::new(Carrier {
                parent: self.parent.clone(),
                name: name.clone(),
            }));
        }
        self.inner.find(name)
    }

    fn for_file(&self, path: &VfsPath, head: &[u8]) -> Option<Arc<dyn Program>> {
        self.inner.for_file(path, head)
    }

    fn suffix(&self) -> Option<&'static str> {
        self.inner.suffix()
    }

    fn advice(&self, name: &[u8]) -> Option<String> {
        self.inner.advice(name)
    }

    fn names(&self) -> Vec<BString> {
        let mut names = self.inner.names();
        names.extend(self.names.iter().cloned());
        names.sort();
        names.dedup();
        names
    }
}

/// What runs in the place of a program outside.
struct Carrier {
    parent: Parent,
    /// What it was found by; what it was called by may be a path.
    name: BString,
}

/// Tells the host that nobody waits for the program any more, however that comes.
struct Begun<'a> {
    parent: &'a Parent,
    program: u64,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        let request = json!({ "op": "end", "program": self.program });
        // One that has ended already is none.
        let _ = self.parent.ask(&Message::new(&request, Vec::new()));
    }
}

#[derive(Deserialize)]
struct Started {
    program: u64,
}

fn failed(refusal: &Refusal) -> io::Error {
    io::Error::other(refusal.message.clone())
}

fn unreadable(_: serde_json::Error) -> io::Error {
    io::Error::other("the answer of the host cannot be read")
}

impl Program for Carrier {
    fn run(&self, process: &Process) -> io::Result<i32> {
        let parent = &self.parent;
        let begun = Begun {
            parent,
            program: begin(parent, &self.name, process)?,
        };
        let (mut input, mut eof) = (Vec::new(), false);
        loop {
            let about = json!({ "program": begun.program, "eof": eof });
            let answer = match parent.call("step", &about, std::mem::take(&mut input)) {
                Called::Now(answer) => answer,
                Called::Later(mut call) => {
                    process.block_on_poll(|waker| poll_call(&mut call, waker))
                }
            };
            let answer = answer.map_err(|refusal| failed(&refusal))?;
            let step: Step = answer.read().map_err(unreadable)?;
            let (out, err) = answer.binary.split_at(step.stdout.min(answer.binary.len()));
            for (fd, printed) in [(1, out), (2, err)] {
                if !printed.is_empty() {
                    process.write_all(&process.descriptor(fd)?, printed)?;
                }
            }
            if let Some(code) = step.code {
                return Ok(code);
            }
            if step.wants {
                input = vec![0; PIECE];
                let count = process.read(&process.descriptor(0)?, &mut input)?;
                input.truncate(count);
                eof = count == 0;
            }
        }
    }
}

fn begin(parent: &Parent, name: &BString, process: &Process) -> io::Result<u64> {
    let mut packed = packed::pack([name]);
    packed.extend(packed::pack(process.args()));
    packed::push(&mut packed, process.cwd().as_bytes());
    for (name, value) in process.environment().iter() {
        packed::push(
            &mut packed,
            &[name.as_slice(), b"=", value.as_slice()].concat(),
        );
    }
    let request =
        json!({ "op": "program", "args": process.args().len(), "umask": process.umask() });
    let answer = parent.ask(&Message::new(&request, packed));
    let answer = answer.map_err(|refusal| failed(&refusal))?;
    let started: Started = answer.read().map_err(unreadable)?;
    Ok(started.program)
}
