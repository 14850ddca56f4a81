//! The code of installed programs, which is in files that a worker cannot open.
//!
//! A worker asks for the code of a program when that is first run, by the number that the program has among those of its sandbox, and
//! gets it compiled: from the host's cache, in which it is since it was added. It is sealed with a key that was made for this one
//! worker, so that its engine loads nothing else. It keeps what it was given, so that it gets it once.

use std::{
    collections::BTreeMap,
    future::Future,
    io,
    pin::Pin,
    task::{Context, Poll},
};

use hotcell_wasi::{Installed, Sealing};
use hotcell_worker::{Called, Message, Parent, Refusal, Worker};
use serde_json::json;

use crate::options::SandboxOptions;

/// What a worker is given, for as long as it lives: a command may be over before what it has asked for is there.
pub(super) struct Handed {
    /// What its engine knows code of ours by.
    pub(super) seal: [u8; 32],
    programs: BTreeMap<usize, Hand>,
}

enum Hand {
    /// The code is on its way, as the answer to this request.
    Preparing(u64, Sealing),
    Given,
}

impl Handed {
    /// Nothing yet. An error is the machine's: it has no randomness.
    pub(super) fn new() -> io::Result<Self> {
        let mut seal = [0; 32];
        getrandom::fill(&mut seal)
            .map_err(|_| io::Error::other("there is no source of randomness"))?;
        Ok(Self {
            seal,
            programs: BTreeMap::new(),
        })
    }

    /// Takes a request up. False if nobody of ours would make it.
    pub(super) fn ask(&mut self, id: u64, program: usize, options: &SandboxOptions) -> bool {
        let Some(installed) = options.installed.get(program) else {
            return false;
        };
        if self.programs.contains_key(&program) {
            return false;
        }
        let sealing = Sealing::begin(installed, &options.wasi, self.seal);
        self.programs.insert(program, Hand::Preparing(id, sealing));
        true
    }

    /// Offers what is ready.
    pub(super) fn settle(&mut self, context: &mut Context<'_>, worker: &mut Worker) {
        self.programs.retain(|_, hand| {
            let Hand::Preparing(id, sealing) = hand else {
                return true;
            };
            let Poll::Ready(sealed) = Pin::new(sealing).poll(context) else {
                return true;
            };
            let answer = match sealed {
                Ok(sealed) => Ok(Message::new(&json!({}), sealed)),
                Err(problem) => Err(Refusal::new("ENOEXEC", problem)),
            };
            let was_given = answer.is_ok();
            worker.offer(*id, answer);
            *hand = Hand::Given;
            // What could not be had can be asked for again.
            was_given
        });
    }
}

/// The worker's side: the programs that were described, whose code is asked for.
pub(super) fn programs(descriptions: &[String], parent: &Parent) -> Vec<Installed> {
    let described = descriptions.iter().enumerate();
    let programs = described.filter_map(|(program, description)| {
        let parent = parent.clone();
        Installed::elsewhere(description, move || ask(&parent, program))
    });
    programs.collect()
}

fn ask(parent: &Parent, program: usize) -> io::Result<Vec<u8>> {
    let answer = match parent.call("module", &json!({ "program": program }), Vec::new()) {
        Called::Now(answer) => answer,
        // On the thread that loads programs, while the one that runs them takes answers in.
        Called::Later(call) => pollster::block_on(call),
    };
    let answer = answer.map_err(|refusal| io::Error::other(refusal.message))?;
    Ok(answer.binary)
}
