//! The environment, processes, time.

mod cal;
mod date;
mod duration;
pub mod echo;
mod env;
mod getopt;
mod id;
mod prefixes;
pub mod printf;
mod simple;
mod sleep;
pub mod test;
mod time;
mod timeout;
mod uname;
mod uptime;
mod which;
mod xargs;

use hotcell_process::Process;

use crate::{Utility, identity};

pub(crate) const SIMPLE: &[Utility] = simple::UTILITIES;

pub(crate) const UTILITIES: &[Utility] = &[
    cal::UTILITY,
    date::UTILITY,
    echo::UTILITY,
    env::UTILITY,
    getopt::UTILITY,
    id::UTILITY,
    prefixes::NICE,
    prefixes::NOHUP,
    prefixes::SETSID,
    prefixes::STDBUF,
    printf::UTILITY,
    sleep::UTILITY,
    test::BRACKET,
    test::UTILITY,
    time::UTILITY,
    timeout::UTILITY,
    uname::ARCH,
    uname::UTILITY,
    uptime::UTILITY,
    which::UTILITY,
    xargs::UTILITY,
];

/// What the machine is called.
fn host_name(process: &Process) -> String {
    process
        .env("HOSTNAME")
        .map_or_else(|| identity::HOST.to_owned(), |name| name.to_string())
}
