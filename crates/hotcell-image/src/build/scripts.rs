//! The scripts that run while the image is made, in their order.

use std::{fs, path::Path};

use anyhow::{Context, Result};

pub(super) struct Script {
    /// How stacks name it.
    pub(super) name: String,
    pub(super) source: String,
}

/// Run as they are.
const BEFORE_LOCKDOWN: &[&str] = &["start.js"];

/// Each is one function `(kit) => exports`; what it exports joins `kit` for those after it.
const KIT_BEFORE_LOCKDOWN: &[&str] = &[
    "error-stack.js",
    "intl/locale.js",
    "intl/decimal.js",
    "intl/number-data.js",
    "intl/number.js",
    "intl/zones.js",
    "intl/date-pattern.js",
    "intl/date.js",
    "intl/text.js",
    "intl/collate.js",
    "intl/segment.js",
    "intl/intl.js",
    "intl/install.js",
];
const KIT: &[&str] = &[
    "web/idl.js",
    "web/url.js",
    "web/encoding.js",
    "inspect/objects.js",
    "inspect/text.js",
    "inspect/layout.js",
    "inspect/parts.js",
    "inspect/error.js",
    "inspect/kinds.js",
    "inspect/web.js",
    "inspect/inspect.js",
    "inspect/format.js",
    "web/console-table.js",
    "web/console.js",
    "wrapped-tools.js",
];

/// `ses` is the text of the SES shim, `folder` holds ours.
pub(super) fn load(folder: &Path, ses: &str) -> Result<Vec<Script>> {
    let read = |file: &str| {
        fs::read_to_string(folder.join(file))
            .with_context(|| format!("failed to read the guest script {file}"))
    };
    let plain = |file: &&str| {
        Ok(Script {
            name: format!("hotcell:{file}"),
            source: read(file)?,
        })
    };
    let kit = |file: &&str| {
        // The file is an expression; as an argument it must not end as a statement.
        let source = read(file)?;
        let expression = source.trim_end().trim_end_matches(';');
        Ok(Script {
            name: format!("hotcell:{file}"),
            source: format!("hotcellBoot.add({expression}\n)"),
        })
    };
    let mut scripts = Vec::new();
    scripts.extend(
        BEFORE_LOCKDOWN
            .iter()
            .map(plain)
            .collect::<Result<Vec<_>>>()?,
    );
    scripts.extend(
        KIT_BEFORE_LOCKDOWN
            .iter()
            .map(kit)
            .collect::<Result<Vec<_>>>()?,
    );
    scripts.push(Script {
        name: "ses".into(),
        source: ses.to_owned(),
    });
    scripts.push(plain(&"lockdown.js")?);
    scripts.extend(KIT.iter().map(kit).collect::<Result<Vec<_>>>()?);
    scripts.push(plain(&"finish.js")?);
    Ok(scripts)
}
