//! No files: Landlock without a single exception.

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, Ruleset,
    RulesetAttr, RulesetStatus, Scope,
};

use super::report::Held;

/// What Landlock can hold.
pub(super) struct Forbidden {
    pub(super) files: Held,
    pub(super) network: Held,
}

/// From here on nothing in any file system can be opened, made, moved or removed by name, no TCP port bound or connected to,
/// no abstract socket outside reached, and no process outside signalled.
pub(super) fn forbid() -> Forbidden {
    let restricted = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V5))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(ABI::V4)))
        .and_then(|rules| rules.scope(Scope::from_all(ABI::V6)))
        .and_then(Ruleset::create)
        .and_then(landlock::RulesetCreated::restrict_self);
    let no = |reason: String| Forbidden {
        files: Held::No(reason.clone()),
        network: Held::No(reason),
    };
    let status = match restricted {
        Ok(status) => status,
        Err(error) => return no(format!("no Landlock: {error}")),
    };
    let abi = match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => effective_abi,
        _ => ABI::Unsupported,
    };
    if status.ruleset == RulesetStatus::NotEnforced || abi == ABI::Unsupported {
        return no("no Landlock: the kernel does not have it, or it is off".to_owned());
    }
    if std::fs::File::open("/").is_ok() {
        return no("Landlock is on, and a directory can be opened nevertheless".to_owned());
    }
    let number = abi as i32;
    let network = if abi >= ABI::V4 {
        Held::Yes("Landlock, no TCP".to_owned())
    } else {
        Held::No(format!("Landlock {number} knows no network"))
    };
    Forbidden {
        files: Held::Yes(format!("Landlock, ABI {number}: nothing can be opened")),
        network,
    }
}
