//! From bytes to messages, and back: four bytes, the least first, say how long the JSON behind them is.

use std::io::{ErrorKind, Read};

use serde::Serialize;
use serde_json::Value as Json;

use crate::serve::parse_json;

/// The longest message.
pub(super) const MAX_FRAME: usize = 64 << 20;

pub(super) struct Frames<R> {
    from: R,
}

impl<R: Read> Frames<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from }
    }

    /// The next message; `None` where there are no more. An end within a message is an error.
    pub(super) fn next(&mut self) -> Result<Option<Json>, String> {
        let mut length = [0; 4];
        let mut read = 0;
        while read < length.len() {
            match self.from.read(&mut length[read..]) {
                Ok(0) if read == 0 => return Ok(None),
                Ok(0) => return Err("a message ends within its length".into()),
                Ok(count) => read += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(format!("failed to read standard input: {error}")),
            }
        }
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_FRAME {
            return Err(format!(
                "a message of {length} bytes is too long: at most {MAX_FRAME}"
            ));
        }
        // Room is made for what is there, not for what is said to come.
        let mut message = Vec::new();
        let taken = self
            .from
            .by_ref()
            .take(length as u64)
            .read_to_end(&mut message);
        match taken {
            Ok(count) if count == length => parse_json(&message).map(Some),
            Ok(_) => Err("a message is shorter than it is said to be".into()),
            Err(error) => Err(format!("failed to read standard input: {error}")),
        }
    }
}

/// A message as it goes out. An error if it is too long.
pub(super) fn frame(message: &impl Serialize) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message).map_err(|error| error.to_string())?;
    let length = bytes.len() - 4;
    if length > MAX_FRAME {
        return Err(format!(
            "the message would have {length} bytes: at most {MAX_FRAME}"
        ));
    }
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_framed_is_read_again() {
        let message = json!({ "a": [1, "ä"] });
        let mut bytes = frame(&message).unwrap_or_default();
        bytes.extend(frame(&json!(2)).unwrap_or_default());
        let mut frames = Frames::new(&*bytes);
        assert_eq!(frames.next(), Ok(Some(message)));
        assert_eq!(frames.next(), Ok(Some(json!(2))));
        assert_eq!(frames.next(), Ok(None));
    }

    #[test]
    fn what_is_no_frame_is_an_error_that_says_so() {
        let cases: [(&[u8], &str); 4] = [
            (&[1, 0], "within its length"),
            (&[5, 0, 0, 0, b'1'], "shorter"),
            (&[255, 255, 255, 255], "too long"),
            (&[1, 0, 0, 0, b'{'], "JSON"),
        ];
        for (bytes, words) in cases {
            let error = Frames::new(bytes).next().unwrap_err();
            assert!(error.contains(words), "{bytes:?}: {error}");
        }
    }
}
