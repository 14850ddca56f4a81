//! JavaScript as a program of the shell: `js FILE`, `js -e CODE`, `… | js`.
//!
//! The code runs in a cell, with the process around it: its arguments and environment, its standard streams, its exit code,
//! and the files of the shell by a small module `fs` and by the file tools. Nothing else reaches through the wall.
//!
//! ```
//! use std::sync::Arc;
//! use hotcell_js::JsPrograms;
//! use hotcell_process::{Capture, Kernel, KernelOptions, Spec};
//! use hotcell_utilities::Utilities;
//!
//! let kernel = Kernel::new(KernelOptions {
//!     programs: Arc::new(JsPrograms::new(Arc::new(Utilities))),
//!     ..KernelOptions::default()
//! });
//! let output = Capture::new(kernel.account(), 1 << 20);
//! let run = kernel.run(Spec::new(["sh"]).stdout(Arc::new(output.clone())), |process| {
//!     let status = process.execute(process.spec(["js", "-e", "console.log(6 * 7)"]));
//!     Ok(status.map_or(127, |status| status.code()))
//! });
//! assert_eq!(pollster::block_on(run).status.code(), 0);
//! assert_eq!(output.take().bytes, b"42\n");
//! ```
//!
//! # How
//!
//! The process polls the cell, which gives way every millisecond, so that the other processes of a pipeline go on. What the code
//! wants of its process it asks for by one tool; requests wait in a queue, and the process answers them between two polls
//! (`requests`). So whatever a process can be stopped at (a full pipe, a signal, the deadline) stops the code, too.
//! What the code finds when it begins (`fs`, `path`, `process`, `require` …) is written in JavaScript, in `guest/`.

#![forbid(unsafe_code)]

mod bytes;
mod command;
mod files;
mod modules;
mod options;
mod program;
mod report;
mod requests;
mod run;

use std::sync::Arc;

use bstr::BString;
use hotcell_process::{Program, Programs};
use hotcell_vfs::VfsPath;

pub use options::JsOptions;

use program::Js;

/// Programs, with `js` among them.
pub struct JsPrograms {
    inner: Arc<dyn Programs>,
    js: Arc<Js>,
}

impl JsPrograms {
    /// These programs and `js`.
    pub fn new(inner: Arc<dyn Programs>) -> Self {
        Self::with_options(inner, JsOptions::default())
    }

    /// The same, with limits and policies of your own.
    pub fn with_options(inner: Arc<dyn Programs>, options: JsOptions) -> Self {
        let js = Arc::new(Js::new(options));
        Self { inner, js }
    }
}

impl Programs for JsPrograms {
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Program>> {
        if name == command::NAME.as_bytes() {
            return Some(Arc::clone(&self.js) as Arc<dyn Program>);
        }
        self.inner.find(name)
    }

    fn for_file(&self, path: &VfsPath, head: &[u8]) -> Option<Arc<dyn Program>> {
        self.inner.for_file(path, head)
    }

    fn suffix(&self) -> Option<&'static str> {
        self.inner.suffix()
    }

    fn advice(&self, name: &[u8]) -> Option<String> {
        self.inner.advice(name)
    }

    fn names(&self) -> Vec<BString> {
        let mut names = self.inner.names();
        names.push(command::NAME.into());
        names.sort();
        names.dedup();
        names
    }
}
