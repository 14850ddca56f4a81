//! What `CAPS_DESCRIBE` tells: every limit that is in force, as JSON with sorted keys.

use std::time::Duration;

use hotcell_hopper::{
    control::cap_flags::{CAN_OPEN, MAY_BLOCK, PRODUCES_HANDLES, PURE},
    selector::{config, exec, files, net},
    trace::Trace,
};
use serde_json::{Value, json};

use crate::{
    control::MAX_PAYLOAD,
    exec::{KILLED, LIMIT, TIMEOUT},
    hub::{MAX_JOINS, MAX_OWNER_LEN, MAX_OWNERS, MAX_SESSION_ID},
    options::Capabilities,
    work::granted,
};

/// The capabilities that this host knows, sorted as `CAPS_LIST` has them.
pub(crate) const KNOWN: &[Known] = &[
    Known {
        kind: "async",
        name: "default",
        flags: CAN_OPEN | MAY_BLOCK | PRODUCES_HANDLES,
        which: Which::Hub,
    },
    Known {
        kind: "config",
        name: "default",
        flags: PURE,
        which: Which::Config,
    },
    Known {
        kind: "exec",
        name: "default",
        flags: MAY_BLOCK | PRODUCES_HANDLES,
        which: Which::Exec,
    },
    Known {
        kind: "file",
        name: "view",
        flags: MAY_BLOCK | PRODUCES_HANDLES,
        which: Which::Files,
    },
    Known {
        kind: "net",
        name: "tcp",
        flags: MAY_BLOCK | PRODUCES_HANDLES,
        which: Which::Net,
    },
];

/// A capability.
pub(crate) struct Known {
    pub(crate) kind: &'static str,
    pub(crate) name: &'static str,
    pub(crate) flags: u32,
    which: Which,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Hub,
    Config,
    Exec,
    Files,
    Net,
}

pub(crate) fn find(kind: &str, name: &str) -> Option<&'static Known> {
    KNOWN
        .iter()
        .find(|known| known.kind == kind && known.name == name)
}

impl Known {
    /// Whether the guest has it.
    pub(crate) fn grant(&self, capabilities: &Capabilities) -> Result<(), Trace> {
        match self.which {
            Which::Hub => granted(&capabilities.hub).map(drop),
            Which::Config => granted(&capabilities.config).map(drop),
            Which::Exec => granted(&capabilities.exec).map(drop),
            Which::Files => granted(&capabilities.files).map(drop),
            Which::Net => granted(&capabilities.net).map(drop),
        }
    }

    /// Whether it is opened, and not called.
    pub(crate) fn opens(&self) -> bool {
        self.which == Which::Hub
    }

    pub(crate) fn describe(&self, capabilities: &Capabilities) -> Vec<u8> {
        let described = match self.which {
            Which::Hub => hub(capabilities),
            Which::Config => config(capabilities),
            Which::Exec => exec(capabilities),
            Which::Files => files(capabilities),
            Which::Net => net(capabilities),
        };
        described.unwrap_or(Value::Null).to_string().into_bytes()
    }
}

// The keys are written in their order here, and serde_json keeps it.

fn hub(capabilities: &Capabilities) -> Option<Value> {
    let limits = capabilities.hub.given()?;
    Some(json!({
        "cancel_on_join": false,
        "host_memory_bytes": capabilities.host_memory,
        "max_control_bytes": MAX_PAYLOAD,
        "max_event_queue_bytes": limits.max_queue_bytes,
        "max_futures_per_handle": limits.max_futures,
        "max_handles": capabilities.max_handles,
        "max_joins_per_handle": MAX_JOINS,
        "max_owner_len": MAX_OWNER_LEN,
        "max_owners": MAX_OWNERS,
        "max_payload_bytes": limits.max_payload_bytes,
        "max_session_id_len": MAX_SESSION_ID,
        "opaque_sources": false,
    }))
}

fn exec(capabilities: &Capabilities) -> Option<Value> {
    let policy = capabilities.exec.given()?;
    let limits = &policy.limits;
    let mut selectors = vec![exec::START.selector];
    selectors.extend(policy.tells_status.then_some(exec::STATUS.selector));
    Some(json!({
        "allowlist": policy.allow,
        "backpressure": "block",
        "cpu_time_ms": millis(limits.cpu_time),
        "cwd_default": String::from_utf8_lossy(policy.cwd.as_bytes()),
        "exit_map": { "killed": KILLED, "limits": LIMIT, "timeout": TIMEOUT },
        // The network is blocked; nothing is inherited; no signals, no terminals.
        "flags": 1,
        "max_args": limits.max_args,
        "max_argv_bytes": limits.max_argv_bytes,
        "max_env": limits.max_env,
        "max_env_bytes": limits.max_env_bytes,
        "max_handles": capabilities.max_handles,
        "max_running": limits.max_running,
        "max_starts": limits.max_starts,
        "max_stdin_bytes": limits.max_stdin_bytes,
        "max_stdout_bytes": limits.max_stdout_bytes,
        "mem_limit_bytes": limits.mem_limit_bytes,
        "prog_id_syntax": "[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*",
        "selectors": selectors,
        // The least; in fact statuses are kept for the whole run.
        "status_grace_ms": 500,
        "status_patience_ms": millis(limits.status_patience),
        "stream_buffer_bytes": limits.stream_buffer_bytes,
        "time_limit_ms": millis(limits.time_limit),
    }))
}

fn files(capabilities: &Capabilities) -> Option<Value> {
    let policy = capabilities.files.given()?;
    Some(json!({
        // Files can be listed and opened; ids are not paths.
        "flags": 3,
        "max_display_len": policy.max_display_len,
        "max_entries": policy.max_entries,
        "max_id_len": policy.max_id_len,
        "max_read_bytes": policy.max_read_bytes,
        "max_scope_len": policy.max_scope_len,
        "selectors": [files::LIST.selector, files::OPEN.selector],
    }))
}

fn config(capabilities: &Capabilities) -> Option<Value> {
    let config = capabilities.config.given()?;
    let flags = u32::from(config.masks_secrets) | (u32::from(!config.lists) << 2);
    Some(json!({
        "flags": flags,
        "key_charset": "[A-Za-z0-9._-]",
        "max_items": config.max_items,
        "max_key_len": config.max_key_len,
        "max_val_len": config.max_val_len,
        "mutation": false,
        "selectors": [config::GET.selector, config::LIST.selector],
        "snapshot": true,
    }))
}

fn net(capabilities: &Capabilities) -> Option<Value> {
    let policy = capabilities.net.given()?;
    Some(json!({
        "allowlist": policy.allowlist,
        "determinism": "record",
        // Names are looked up only if a request allows it.
        "flags": 0,
        "host_syntax": "a name or an address, without spaces",
        "max_conns": policy.max_conns,
        "max_host_len": policy.max_host_len,
        "max_inflight": policy.max_conns,
        "max_meta_bytes": 0,
        "selectors": [net::CONNECT.selector],
        "timeouts": { "connect_ms": millis(policy.connect_timeout) },
    }))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
