//! Privileges: none, and no way to any.

use rustix::{
    process::{
        DumpableBehavior, Pid, Signal, getppid, set_dumpable_behavior,
        set_parent_process_death_signal,
    },
    thread::{
        CapabilitySet, CapabilitySets, clear_ambient_capability_set,
        remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
    },
};

use super::report::Held;

pub(super) fn drop_all() -> Held {
    // Whoever has the right to may also give up that a program that is started could have any. No program can be started here,
    // so it is no loss if not.
    for capability in CapabilitySet::all() {
        let _ = remove_capability_from_bounding_set(capability);
    }
    let _ = clear_ambient_capability_set();
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    if let Err(error) = set_capabilities(None, none) {
        return Held::No(format!("capabilities are kept: {error}"));
    }
    if let Err(error) = set_no_new_privs(true) {
        return Held::No(format!("no_new_privs cannot be set: {error}"));
    }
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        return Held::No(format!("others can look into it: {error}"));
    }
    Held::Yes("no capabilities, no_new_privs, not traceable".to_owned())
}

/// The kernel kills this process when its parent dies. After what changes privileges: that forgets it.
pub(super) fn die_with_parent(parent: i32) -> Held {
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return Held::No(format!("no signal when the parent dies: {error}"));
    }
    // It may have died before.
    if Pid::as_raw(getppid()) != parent {
        return Held::No("there is no parent any more".to_owned());
    }
    Held::Yes("dies with its parent".to_owned())
}
