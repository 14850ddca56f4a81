//! The one edit made to the engine of regular expressions, `libregexp.c`.

use anyhow::{Result, ensure};

/// How many steps it makes between two looks at whether the run is to end. A step costs some tens of nanoseconds here.
pub(super) const FIND: &str = "#define INTERRUPT_COUNTER_INIT 10000";
pub(super) const REPLACE: &str = "#define INTERRUPT_COUNTER_INIT 1000";

pub(super) fn edit(source: &str) -> Result<String> {
    ensure!(
        source.matches(FIND).count() == 1,
        "libregexp.c no longer says how often it looks for an interrupt: was the rquickjs-sys version changed?"
    );
    Ok(source.replace(FIND, REPLACE))
}
