//! The network against servers on loopback addresses. Nothing here goes further than this machine.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

// What tests share.
mod events;
mod playground;
mod server;
mod shell;

// What is allowed: rules, addresses in all their spellings, names that change their meaning.
mod addresses;
mod decisions;
mod policies;
mod rebinding;

// What happens to a request.
mod dns;
mod fetching;
mod hostile;
mod secrets;
mod tcp;
mod tls;

// The programs.
mod conformance;
