//! Code from files.

use std::io::Read as _;
use std::path::Path;

use crate::exit::CliError;

/// Larger files are refused before they are read; prepare has a smaller limit of its own.
const MAX_BYTES: u64 = 64 << 20;

/// A text with the name to show for it.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<Source, CliError> {
    let is_stdin = path.as_os_str() == "-";
    let mut bytes = Vec::new();
    let taken = if is_stdin {
        std::io::stdin()
            .lock()
            .take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
    };
    taken.map_err(CliError::file("read", path))?;
    let name = if is_stdin {
        "<stdin>".to_owned()
    } else {
        path.display().to_string()
    };
    if bytes.len() as u64 > MAX_BYTES {
        return Err(CliError::Content {
            file: name,
            problem: "it is larger than 64 MiB".into(),
        });
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source { name, text }),
        Err(_) => Err(CliError::NotText(name)),
    }
}
