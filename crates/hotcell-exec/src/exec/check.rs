//! What has to be right before a program is started, in the order in which it is looked at.

use std::sync::Arc;

use bstr::BString;
use hotcell_hopper::{
    selector::exec::{Start, WANT_ALL},
    trace::{self, Trace},
};
use hotcell_process::Program;

use super::Execs;
use crate::registry::is_prog_id;

/// A request to start a program that may be.
pub(crate) struct Request {
    pub(super) program: Arc<dyn Program>,
    pub(super) flags: u32,
    pub(super) args: Vec<BString>,
    pub(super) env: Vec<(BString, BString)>,
}

impl Execs {
    /// Whether this may be started. The first thing that is wrong decides.
    pub(crate) fn check(&self, params: &[u8]) -> Result<Request, Trace> {
        let policy = &self.policy;
        let limits = &policy.limits;
        let start = Start::decode(params).map_err(|_| trace::ASYNC_BAD_PARAMS)?;
        if start.flags & !WANT_ALL != 0 {
            return Err(trace::ASYNC_BAD_PARAMS);
        }
        if !start.is_text() {
            return Err(trace::EXEC_BAD_ENCODING);
        }
        let prog_id = std::str::from_utf8(start.prog_id)
            .ok()
            .filter(|id| is_prog_id(id))
            .ok_or(trace::EXEC_BAD_PROG)?;
        let arg_bytes: usize = start.args.iter().map(<[u8]>::len).sum();
        let pair_len = |(key, value): (&[u8], &[u8])| key.len() + value.len();
        let env_bytes: usize = start.env.iter().map(pair_len).sum();
        let is_name = |(key, _): (&[u8], &[u8])| !key.is_empty() && !key.contains(&b'=');
        if start.args.len() > limits.max_args
            || start.env.len() > limits.max_env
            || arg_bytes > limits.max_argv_bytes
            || env_bytes > limits.max_env_bytes
            || !start.env.iter().all(is_name)
        {
            return Err(trace::EXEC_BAD_ARGS);
        }
        if !policy.allow.contains(prog_id) {
            return Err(trace::EXEC_NOT_ALLOWED);
        }
        let program = policy.registry.find(prog_id, &*policy.vfs);
        let pair = |(key, value): (&[u8], &[u8])| (BString::from(key), BString::from(value));
        Ok(Request {
            program: program.ok_or(trace::EXEC_NOT_FOUND)?,
            flags: start.flags,
            args: start.args.iter().map(BString::from).collect(),
            env: start.env.iter().map(pair).collect(),
        })
    }
}
