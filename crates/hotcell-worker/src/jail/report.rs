//! What of the jail is there.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A part of the jail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Part {
    /// No privileges, and none to be had.
    Privileges,
    /// No files.
    Files,
    /// No network.
    Network,
    /// Few system calls.
    SystemCalls,
    /// Limits of memory and everything else.
    Limits,
    /// No descriptors but those it needs.
    Descriptors,
    /// No environment.
    Environment,
    /// It dies with its parent.
    Parent,
    /// What is forbidden was tried, and failed.
    SelfTest,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Privileges,
        Self::Files,
        Self::Network,
        Self::SystemCalls,
        Self::Limits,
        Self::Descriptors,
        Self::Environment,
        Self::Parent,
        Self::SelfTest,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Privileges => "privileges",
            Self::Files => "files",
            Self::Network => "network",
            Self::SystemCalls => "system calls",
            Self::Limits => "limits",
            Self::Descriptors => "descriptors",
            Self::Environment => "environment",
            Self::Parent => "parent",
            Self::SelfTest => "self-test",
        }
    }
}

/// Whether a part holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Held {
    /// It does; by what.
    Yes(String),
    /// It does not; why.
    No(String),
}

impl Held {
    /// Whether it does.
    pub fn is_yes(&self) -> bool {
        matches!(self, Self::Yes(_))
    }

    /// By what, or why not.
    pub fn words(&self) -> &str {
        match self {
            Self::Yes(words) | Self::No(words) => words,
        }
    }
}

/// What of the jail is there, part by part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JailReport {
    parts: Vec<(Part, Held)>,
}

impl JailReport {
    pub(super) fn note(&mut self, part: Part, held: Held) {
        self.parts.retain(|(known, _)| *known != part);
        self.parts.push((part, held));
    }

    /// Whether a part holds, and by what. A part that was not reported does not.
    pub fn part(&self, part: Part) -> Held {
        let found = self.parts.iter().find(|(known, _)| *known == part);
        found.map_or_else(
            || Held::No("the worker did not say".to_owned()),
            |(_, held)| held.clone(),
        )
    }

    /// Whether all parts hold.
    pub fn is_complete(&self) -> bool {
        self.missing().is_empty()
    }

    /// The parts that do not hold, with why.
    pub fn missing(&self) -> Vec<String> {
        let parts = Part::ALL.into_iter().map(|part| (part, self.part(part)));
        let missing = parts.filter(|(_, held)| !held.is_yes());
        missing
            .map(|(part, held)| format!("{}: {}", part.name(), held.words()))
            .collect()
    }
}

impl fmt::Display for JailReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in Part::ALL {
            let held = self.part(part);
            let mark = if held.is_yes() { "yes" } else { "NO" };
            writeln!(f, "{:<13} {mark:<4} {}", part.name(), held.words())?;
        }
        Ok(())
    }
}

/// Holds if any of several does; tells of all.
pub(super) fn any<const N: usize>(what: &str, held: [Held; N]) -> Held {
    let words = |is_yes: bool| {
        let those = held.iter().filter(|held| held.is_yes() == is_yes);
        let words: Vec<_> = those.map(Held::words).collect();
        words.join("; ")
    };
    let (by, without) = (words(true), words(false));
    match (by.is_empty(), without.is_empty()) {
        (true, _) => Held::No(without),
        (false, true) => Held::Yes(format!("{what}: {by}")),
        (false, false) => Held::Yes(format!("{what}: {by} (without: {without})")),
    }
}
