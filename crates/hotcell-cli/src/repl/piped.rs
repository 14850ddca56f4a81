//! Code from a pipe or a file, line by line.

use std::io::{BufRead, Read as _};
use std::path::Path;

use hotcell::prepare::PrepareOptions;

use super::unfinished::is_unfinished;
use crate::exit::CliError;

/// What there is to do next.
pub(super) enum Said {
    /// A command, or code that is complete or will never be.
    Line(String),
    /// A line that cannot be either. It was passed over.
    Refused(CliError),
    End,
}

/// Lines from a reader. No more of one is held than code may have.
pub(super) struct Piped<R> {
    from: R,
    most: usize,
}

impl<R: BufRead> Piped<R> {
    pub(super) fn new(from: R) -> Self {
        Self {
            from,
            most: PrepareOptions::default().max_code_bytes,
        }
    }

    pub(super) fn next(&mut self) -> Result<Said, CliError> {
        let mut said = String::new();
        loop {
            let line = match self.line()? {
                // Code that ends before it is complete says so itself.
                None if !said.is_empty() => return Ok(Said::Line(said)),
                None => return Ok(Said::End),
                Some(Ok(line)) => line,
                Some(Err(refused)) => return Ok(Said::Refused(refused)),
            };
            said.push_str(&line);
            if said.trim_start().starts_with('.') || !is_unfinished(&said) {
                return Ok(Said::Line(said));
            }
            said.push('\n');
        }
    }

    fn line(&mut self) -> Result<Option<Result<String, CliError>>, CliError> {
        let failed = || CliError::file("read", Path::new("-"));
        let mut line = Vec::new();
        // One more for the end of the line.
        let mut part = self.from.by_ref().take(self.most as u64 + 1);
        part.read_until(b'\n', &mut line).map_err(failed())?;
        if line.is_empty() {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() > self.most {
            self.from.skip_until(b'\n').map_err(failed())?;
            let most = self.most;
            return Ok(Some(Err(CliError::Usage(format!(
                "a line is longer than {most} bytes, the most that code may have: it was passed over; divide it into several lines"
            )))));
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        let text = String::from_utf8(line).map_err(|_| CliError::NotText("a line".into()));
        Ok(Some(text))
    }
}

#[cfg(test)]
mod tests {
    use super::{Piped, Said};

    fn all(text: &[u8], most: usize) -> Vec<String> {
        let mut piped = Piped { from: text, most };
        std::iter::from_fn(|| match piped.next() {
            Ok(Said::Line(line)) => Some(line),
            Ok(Said::Refused(error)) => Some(format!("refused: {error}")),
            Ok(Said::End) => None,
            Err(error) => Some(format!("failed: {error}")),
        })
        .collect()
    }

    #[test]
    fn code_goes_on_in_the_next_line_until_it_is_complete() {
        let text = b"1 + 1\r\n\nfunction f() {\n  return 7 }\n.help\n  .5\n(1";
        let said = [
            "1 + 1",
            "",
            "function f() {\n  return 7 }",
            ".help",
            "  .5",
            "(1\n",
        ];
        assert_eq!(all(text, 100), said);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let said = all(b"'0123456789'\n12345678\n'\xe9'\n2", 8);
        assert_eq!(said.len(), 4, "{said:?}");
        assert!(
            said[0].starts_with("refused: a line is longer than 8 bytes"),
            "{said:?}"
        );
        assert_eq!(said[1], "12345678");
        assert!(said[2].contains("not text in UTF-8"), "{said:?}");
        assert_eq!(said[3], "2");
    }
}
