//! `e`: commands that are run.

use std::io;

use hotcell_process::limit_error;

use super::Sed;

impl Sed<'_> {
    /// Runs what is in the pattern space, and puts what it prints there.
    pub(super) fn execute_pattern(&mut self) -> io::Result<()> {
        let command = std::mem::take(&mut self.pattern);
        let mut output = self.output_of(&command)?;
        if output.last() == Some(&self.setup.end) {
            output.pop();
        }
        self.pattern = output;
        self.check_room(0)
    }

    /// What a command prints.
    pub(super) fn output_of(&mut self, command: &[u8]) -> io::Result<Vec<u8>> {
        self.out().flush()?;
        let (reader, writer) = self.process.pipe()?;
        let spec = self
            .process
            .spec([&b"sh"[..], b"-c", command])
            .stdout(writer);
        let pid = match self.process.execute_beside(spec) {
            Ok(pid) => pid?,
            Err(error) => {
                self.process.complain(format!("sh: {error}"));
                return Ok(Vec::new());
            }
        };
        let mut output = Vec::new();
        let mut buffer = vec![0; 16 << 10];
        let mut charge = self.process.charge(0)?;
        loop {
            let count = self.process.read(&reader, &mut buffer)?;
            if count == 0 {
                break;
            }
            charge.grow(count).map_err(limit_error)?;
            output.extend_from_slice(buffer.get(..count).unwrap_or_default());
        }
        self.process.wait(pid);
        Ok(output)
    }
}
