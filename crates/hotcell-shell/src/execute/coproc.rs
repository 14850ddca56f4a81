//! `coproc`

use bstr::BString;
use hotcell_process::{Fd, Process};

use super::pipeline::child_spec;
use crate::{ast::Coproc, flow::Outcome, names::is_name, shell::Shell};

/// The highest descriptor that a shell takes for itself.
pub(crate) const HIGHEST_OWN: Fd = 63;

impl Shell {
    /// Begins a command whose input and output are descriptors of this shell.
    pub(super) fn run_coproc(&mut self, process: &Process, coproc: &Coproc) -> Outcome {
        self.line = coproc.line;
        let name = BString::from(&*coproc.name);
        if !is_name(&name) {
            self.complain(process, format!("`{name}': not a valid identifier"));
            return Ok(self.set_status(1));
        }
        self.reap(process);
        if let Some((pid, other)) = self.jobs.coproc() {
            self.complain(
                process,
                format!("warning: execute_coproc: coproc [{pid}:{other}] still exists"),
            );
        }
        let pipes = process
            .pipe()
            .and_then(|output| Ok((output, process.pipe()?)));
        let ((output, output_writer), (input_reader, input)) = match pipes {
            Ok(pipes) => pipes,
            Err(error) => {
                let text = hotcell_process::error_text(&error);
                self.complain(process, format!("pipe error: {text}"));
                return Ok(self.set_status(1));
            }
        };
        let spec = child_spec(process)
            .stdin(input_reader)
            .stdout(output_writer);
        self.before_stage(process, &coproc.command)?;
        let Some(pid) = self.begin_stage(process, spec, &coproc.command) else {
            return Ok(self.set_status(254));
        };
        // bash moves its pipes to high numbers in this order; those between are the child's.
        let read = free_below(process, HIGHEST_OWN);
        let write = free_below(process, read.saturating_sub(3));
        for (fd, stream) in [(read, output), (write, input)] {
            if let Err(error) = process.set_descriptor(fd, stream) {
                let text = hotcell_process::error_text(&error);
                self.complain(process, format!("{fd}: {text}"));
            }
        }
        let numbers = vec![read.to_string().into(), write.to_string().into()];
        self.set_array(process, &name, numbers)?;
        let pid_name = [name.as_slice(), b"_PID"].concat();
        self.set_variable(process, &pid_name, pid.to_string().into())?;
        self.background = Some(pid);
        let text = [
            &b"coproc "[..],
            name.as_slice(),
            b" ",
            &*crate::print::command_text(&coproc.command),
        ]
        .concat();
        self.jobs.add_coproc(pid, text.into(), name, [read, write]);
        Ok(self.set_status(0))
    }
}

/// The highest number up to `from` that is not open.
pub(crate) fn free_below(process: &Process, from: Fd) -> Fd {
    let descriptors = process.descriptors();
    (0..=from)
        .rev()
        .find(|fd| descriptors.get(*fd).is_err())
        .unwrap_or_else(|| descriptors.free_from(from))
}
