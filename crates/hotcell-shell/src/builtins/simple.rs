//! `:`, `true`, `false`

use super::{Builtin, Run};

pub(super) const COLON: Builtin = Builtin {
    name: ":",
    synopsis: ":",
    help: "Do nothing, successfully.",
    is_special: true,
    run: Run::Fields(|_, _, _| Ok(0)),
};

pub(super) const TRUE: Builtin = Builtin {
    name: "true",
    synopsis: "true",
    help: "Succeed.",
    is_special: false,
    run: Run::Fields(|_, _, _| Ok(0)),
};

pub(super) const FALSE: Builtin = Builtin {
    name: "false",
    synopsis: "false",
    help: "Fail.",
    is_special: false,
    run: Run::Fields(|_, _, _| Ok(1)),
};
