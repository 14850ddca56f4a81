//! What data is written in.

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Format {
    Yaml,
    Json,
    Toml,
    Csv,
    Tsv,
}

impl Format {
    /// By its name; `auto` is none.
    pub(super) fn named(name: &str) -> Result<Option<Self>, String> {
        Ok(Some(match name {
            "auto" | "a" => return Ok(None),
            "yaml" | "yml" | "y" => Self::Yaml,
            "json" | "j" => Self::Json,
            "toml" => Self::Toml,
            "csv" | "c" => Self::Csv,
            "tsv" | "t" => Self::Tsv,
            other => return Err(format!("unknown format '{other}'")),
        }))
    }

    /// By the ending of a file's name.
    pub(super) fn of_file(name: &[u8]) -> Self {
        let ending = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
        match ending.to_ascii_lowercase().as_slice() {
            b"json" => Self::Json,
            b"toml" => Self::Toml,
            b"csv" => Self::Csv,
            b"tsv" => Self::Tsv,
            _ => Self::Yaml,
        }
    }
}
