//! Names of views.

use hotcell_cell::ViewKind;

/// The name of an `ArrayBuffer` itself.
pub(super) const BUFFER: &str = "ArrayBuffer";
/// What bytes are that do not say.
pub(super) const BYTES: &str = "Uint8Array";

const NAMES: [(ViewKind, &str); 13] = [
    (ViewKind::Uint8Clamped, "Uint8ClampedArray"),
    (ViewKind::Int8, "Int8Array"),
    (ViewKind::Uint8, BYTES),
    (ViewKind::Int16, "Int16Array"),
    (ViewKind::Uint16, "Uint16Array"),
    (ViewKind::Int32, "Int32Array"),
    (ViewKind::Uint32, "Uint32Array"),
    (ViewKind::BigInt64, "BigInt64Array"),
    (ViewKind::BigUint64, "BigUint64Array"),
    (ViewKind::Float16, "Float16Array"),
    (ViewKind::Float32, "Float32Array"),
    (ViewKind::Float64, "Float64Array"),
    (ViewKind::DataView, "DataView"),
];

pub(super) fn name(kind: ViewKind) -> &'static str {
    NAMES
        .iter()
        .find(|(other, _)| *other == kind)
        .map_or(BYTES, |(_, name)| name)
}

pub(super) fn kind(name: &str) -> Option<ViewKind> {
    NAMES
        .iter()
        .find(|(_, other)| *other == name)
        .map(|(kind, _)| *kind)
}
