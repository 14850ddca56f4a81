//! What the host is told, kept for a test to look at.

use std::{
    collections::HashMap,
    io,
    net::IpAddr,
    sync::{Arc, Mutex},
};

use hotcell_net::{Network, NetworkBuilder, NetworkEvent, NetworkPolicy, Resolve, Resolving};

#[derive(Clone, Default)]
pub(crate) struct Events(Arc<Mutex<Vec<NetworkEvent>>>);

impl Events {
    pub(crate) fn all(&self) -> Vec<NetworkEvent> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn push(&self, event: &NetworkEvent) {
        self.0.lock().unwrap().push(event.clone());
    }

    /// Events by their kinds.
    pub(crate) fn kinds(&self) -> Vec<String> {
        let kind = |event: &NetworkEvent| {
            let json = serde_json::to_value(event).unwrap();
            json["type"].as_str().unwrap().to_owned()
        };
        self.all().iter().map(kind).collect()
    }

    pub(crate) fn json(&self) -> String {
        serde_json::to_string(&self.all()).unwrap()
    }

    pub(crate) fn listen(&self, builder: NetworkBuilder) -> Network {
        let events = self.clone();
        builder
            .on_event(move |event| events.push(event))
            .build()
            .unwrap()
    }
}

/// Names that mean what a test wants, each time something else if it has several answers. Counts lookups.
#[derive(Clone, Default)]
pub(crate) struct FakeNames(Arc<Mutex<HashMap<String, Answers>>>);

/// One after the other, and how many were given.
type Answers = (Vec<Vec<IpAddr>>, usize);

impl FakeNames {
    pub(crate) fn with(self, name: &str, answers: &[&[&str]]) -> Self {
        let parse = |answer: &&[&str]| answer.iter().map(|text| text.parse().unwrap()).collect();
        let answers = answers.iter().map(parse).collect();
        self.0.lock().unwrap().insert(name.to_owned(), (answers, 0));
        self
    }

    pub(crate) fn lookups(&self, name: &str) -> usize {
        self.0
            .lock()
            .unwrap()
            .get(name)
            .map_or(0, |(_, count)| *count)
    }
}

impl Resolve for FakeNames {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        Box::pin(async move {
            let mut names = self.0.lock().unwrap();
            let (answers, count) = names.get_mut(name).ok_or(io::ErrorKind::NotFound)?;
            let answer = answers
                .get((*count).min(answers.len() - 1))
                .unwrap()
                .clone();
            *count += 1;
            Ok(answer)
        })
    }
}

/// A network on which one server's port is open, wherever names lead.
pub(crate) fn network(rules: &[&str]) -> Network {
    Network::new(policy(rules)).unwrap()
}

pub(crate) fn policy(rules: &[&str]) -> NetworkPolicy {
    let mut policy = NetworkPolicy::new().allow_private();
    for rule in rules {
        policy = policy.allow(rule).unwrap();
    }
    policy
}
