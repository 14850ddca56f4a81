//! Commands that are run for what was found.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_meter::Charge;
use hotcell_process::{Spec, limit_error};

use super::{
    evaluate::base_name,
    expression::Command,
    walk::{Found, State},
};
use crate::{files::prompt::said_yes, quote::quote};

/// Bytes of arguments that one command gets.
const MOST_BYTES: usize = 128 << 10;

/// Arguments that wait until there are enough.
pub(super) struct Batches(Vec<Batch>);

#[derive(Default)]
struct Batch {
    names: Vec<BString>,
    bytes: usize,
    folder: Option<BString>,
    charge: Option<Charge>,
}

impl Batches {
    pub(super) fn new(count: usize) -> Self {
        Self((0..count).map(|_| Batch::default()).collect())
    }
}

impl State<'_> {
    /// Runs a command for one file; true if it succeeded.
    pub(super) fn run_command(
        &mut self,
        command: &Command,
        asks: bool,
        found: &Found,
    ) -> io::Result<bool> {
        let (name, folder) = place(command, found);
        let words: Vec<BString> = command
            .words
            .iter()
            .map(|word| word.replace("{}", &name).into())
            .collect();
        if asks {
            let first = words.first().cloned().unwrap_or_default();
            self.out.flush()?;
            let question = [
                b"< ",
                first.as_slice(),
                b" ... ",
                found.path.as_slice(),
                b" > ? ",
            ]
            .concat();
            self.process.stderr().write_all(&question)?;
            if !said_yes(self.process) {
                return Ok(false);
            }
        }
        Ok(self.execute(words, folder.as_ref())? == 0)
    }

    fn execute(&mut self, words: Vec<BString>, folder: Option<&BString>) -> io::Result<i32> {
        self.out.flush()?;
        for output in &mut self.outputs {
            output.flush()?;
        }
        let name = words.first().cloned().unwrap_or_default();
        let mut spec: Spec = self.process.spec(words);
        if let Some(folder) = folder {
            spec.cwd = self.process.resolve(folder);
        }
        match self.process.execute(spec) {
            Ok(status) => Ok(status.code()),
            Err(error) => {
                let why = match error {
                    hotcell_process::LookupError::NotFound => {
                        "No such file or directory".to_owned()
                    }
                    other => other.to_string(),
                };
                self.process
                    .complain([quote(&name).as_slice(), b": ", why.as_bytes()].concat());
                Ok(127)
            }
        }
    }

    pub(super) fn add_to_batch(&mut self, index: usize, found: &Found) -> io::Result<()> {
        let Some(command) = self.query.batches.get(index) else {
            return Ok(());
        };
        let (name, folder) = place(command, found);
        let is_full = self.batches.0.get(index).is_some_and(|batch| {
            batch.bytes + name.len() > MOST_BYTES
                || command.in_folder && batch.folder.is_some() && batch.folder != folder
        });
        if is_full {
            self.run_batch(index)?;
        }
        let process = self.process;
        if let Some(batch) = self.batches.0.get_mut(index) {
            let bytes = name.len() + size_of::<BString>();
            match &mut batch.charge {
                Some(charge) => charge.grow(bytes).map_err(limit_error)?,
                none => *none = Some(process.charge(bytes)?),
            }
            batch.bytes += bytes;
            batch.names.push(name);
            batch.folder = folder;
        }
        Ok(())
    }

    pub(super) fn run_batches(&mut self) -> io::Result<()> {
        (0..self.query.batches.len()).try_for_each(|index| self.run_batch(index))
    }

    fn run_batch(&mut self, index: usize) -> io::Result<()> {
        let batch = self.batches.0.get_mut(index).map(std::mem::take);
        let (Some(batch), Some(command)) = (batch, self.query.batches.get(index)) else {
            return Ok(());
        };
        if batch.names.is_empty() {
            return Ok(());
        }
        let words = command.words.iter().cloned().chain(batch.names).collect();
        if self.execute(words, batch.folder.as_ref())? != 0 {
            self.code = 1;
        }
        Ok(())
    }
}

/// What a command gets for a file, and where it runs.
fn place(command: &Command, found: &Found) -> (BString, Option<BString>) {
    if !command.in_folder {
        return (found.path.clone(), None);
    }
    let name = base_name(&found.path);
    let folder = found.path.trim_end_with(|c| c == '/');
    let folder = folder.rfind_byte(b'/').map_or(&b"."[..], |slash| {
        folder.get(..slash.max(1)).unwrap_or(b".")
    });
    let name = if name.starts_with(b"/") {
        name.to_owned()
    } else {
        BString::from([b"./", name.as_bytes()].concat())
    };
    (name, Some(BStr::new(folder).to_owned()))
}
