//! The usual Unix utilities, as functions on streams and a virtual file system.
//!
//! Each is a [`Utility`]: a name with a [`Usage`], and a function that is given its [`Process`].
//! They behave as the GNU tools do, options and messages included, and start no process of the machine.
//!
//! ```
//! use hotcell_process::{Capture, Kernel, KernelOptions, Programs, Spec};
//! use hotcell_utilities::Utilities;
//! use std::sync::Arc;
//!
//! let kernel = Kernel::new(KernelOptions { programs: Arc::new(Utilities), ..KernelOptions::default() });
//! let output = Capture::new(kernel.account(), 1 << 20);
//! let run = kernel.run(Spec::new(["sh"]).stdout(Arc::new(output.clone())), |process| {
//!     let status = process.execute(process.spec(["basename", "/usr/lib/x.so", ".so"]));
//!     Ok(status.map_or(127, |status| status.code()))
//! });
//! assert_eq!(pollster::block_on(run).status.code(), 0);
//! assert_eq!(output.take().bytes, b"x\n");
//! ```
//!
//! # Where things are
//!
//! A family of utilities is a module with a table; a utility is a file in the folder of its family. What several need is
//! beside them: [`Usage`] parses options, `lines` reads lines, `operands` goes through files.
//!
//! # Adding a utility
//!
//! Write `FAMILY/NAME.rs` with a `USAGE` and a `main`, and add it to the table in `FAMILY.rs`. Cases go to
//! `tests/cases/NAME.txt`, which the test runner finds by itself. Every loop reads, writes or calls
//! [`spend`](hotcell_process::Process::spend); whatever grows with the input is charged.
//!
//! # What is promised
//!
//! Input is hostile: no panic, no work that cannot be stopped, no memory that is not charged, on any bytes.

#![forbid(unsafe_code)]
#![allow(
    clippy::unnecessary_wraps,
    reason = "the main functions of utilities have one type, whether they fail or not"
)]
#![allow(
    clippy::single_match_else,
    reason = "what goes wrong with an argument reads best beside what goes right"
)]
// What is here for a reason of the whole crate, not of one place.
#![allow(
    clippy::match_same_arms,
    reason = "arms are rows of the tables in the manuals, one for each"
)]
#![allow(
    clippy::struct_excessive_bools,
    reason = "options are flags, as they are for the user"
)]
#![allow(
    clippy::float_cmp,
    reason = "awk and jq compare numbers as their users wrote it"
)]
#![allow(
    clippy::too_many_lines,
    reason = "a match over all commands of a language reads best in one piece"
)]
// What is still to be gone through, file by file.
#![allow(
    clippy::assigning_clones,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::decimal_bitwise_operands,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::large_enum_variant,
    clippy::manual_let_else,
    clippy::match_wildcard_for_single_variants,
    clippy::maybe_infinite_iter,
    clippy::naive_bytecount,
    clippy::needless_for_each,
    clippy::needless_pass_by_value,
    clippy::nonminimal_bool,
    clippy::similar_names,
    clippy::struct_field_names,
    clippy::trivially_copy_pass_by_ref,
    clippy::type_complexity,
    clippy::unnecessary_box_returns,
    clippy::unused_self,
    clippy::while_let_loop,
    clippy::wrong_self_convention,
    reason = "written in one go and held beside the GNU tools"
)]

mod ancestors;
mod archives;
mod blanks;
mod calendar;
mod characters;
mod data;
mod digests;
mod entropy;
mod files;
mod identity;
mod languages;
mod lines;
mod list;
mod long_double;
mod number;
mod operands;
mod options;
mod perl;
mod piece;
mod printf;
mod quote;
mod regexes;
mod search;
mod size;
mod system;
mod text;
mod time;
mod version;
mod whole;
mod wildcard;

pub use system::{echo, printf as format, test};

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, LazyLock},
};

use bstr::BString;
use hotcell_process::{Process, Program, Programs};

pub use identity::ID as USER_ID;
pub use options::{Opt, Parsed, Usage};

/// A utility.
#[derive(Clone, Copy)]
pub struct Utility {
    /// Its name, options and help.
    pub usage: &'static Usage,
    /// What it does.
    pub main: fn(&Process) -> io::Result<i32>,
}

/// So many bytes of arguments are for nothing: what a utility makes of them is small.
const FREE_ARGUMENTS: usize = 64 << 10;

/// What a utility may make of a byte of its arguments: copies, lists of names, the steps of a program, the words of an error.
const PER_ARGUMENT_BYTE: usize = 24;

impl Program for Utility {
    fn run(&self, process: &Process) -> io::Result<i32> {
        let given = process.args().iter().map(|arg| arg.len() + 1);
        let given = given.sum::<usize>().saturating_sub(FREE_ARGUMENTS);
        let _held = process.charge(given.saturating_mul(PER_ARGUMENT_BYTE))?;
        (self.main)(process)
    }
}

/// All of them by name, aliases included.
static BY_NAME: LazyLock<BTreeMap<&'static str, Arc<Utility>>> = LazyLock::new(|| {
    let families = [
        archives::COMPRESSORS,
        archives::UTILITIES,
        data::UTILITIES,
        digests::UTILITIES,
        files::UTILITIES,
        languages::UTILITIES,
        search::UTILITIES,
        system::SIMPLE,
        system::UTILITIES,
        text::UTILITIES,
    ];
    let all = families.into_iter().flatten();
    all.map(|utility| (utility.usage.name, Arc::new(*utility)))
        .collect()
});

/// Every utility of this crate.
#[derive(Debug, Clone, Copy, Default)]
pub struct Utilities;

impl Utilities {
    /// The utility of this name.
    pub fn get(&self, name: &str) -> Option<&'static Utility> {
        BY_NAME.get(name).map(|utility| &**utility)
    }

    /// All of them, by name.
    pub fn all(&self) -> impl Iterator<Item = &'static Utility> {
        BY_NAME.values().map(|utility| &**utility)
    }
}

impl Programs for Utilities {
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Program>> {
        let utility = BY_NAME.get(std::str::from_utf8(name).ok()?)?;
        Some(Arc::clone(utility) as Arc<dyn Program>)
    }

    fn names(&self) -> Vec<BString> {
        BY_NAME.keys().map(|name| BString::from(*name)).collect()
    }
}
