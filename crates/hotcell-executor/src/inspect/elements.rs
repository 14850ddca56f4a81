//! What typed arrays hold.

use hotcell_cell::{View, ViewKind};

use super::number;

/// The elements of a view of `bytes`; fewer if it reaches beyond them.
pub(super) fn elements<'a>(view: &View, bytes: &'a [u8]) -> impl Iterator<Item = String> + 'a {
    let size = view.kind.element_size() as usize;
    let kind = view.kind;
    bytes
        .get(view.offset as usize..)
        .unwrap_or_default()
        .chunks_exact(size)
        .take(view.length as usize)
        .map(move |bytes| element(kind, bytes))
}

fn element(kind: ViewKind, bytes: &[u8]) -> String {
    let mut wide = [0; 8];
    for (to, from) in wide.iter_mut().zip(bytes) {
        *to = *from;
    }
    let bits = u64::from_le_bytes(wide);
    let [a, b, c, d, ..] = wide;
    match kind {
        ViewKind::Uint8 | ViewKind::Uint8Clamped | ViewKind::DataView => a.to_string(),
        ViewKind::Int8 => a.cast_signed().to_string(),
        ViewKind::Int16 => i16::from_le_bytes([a, b]).to_string(),
        ViewKind::Uint16 => u16::from_le_bytes([a, b]).to_string(),
        ViewKind::Int32 => i32::from_le_bytes([a, b, c, d]).to_string(),
        ViewKind::Uint32 => u32::from_le_bytes([a, b, c, d]).to_string(),
        ViewKind::BigInt64 => format!("{}n", bits.cast_signed()),
        ViewKind::BigUint64 => format!("{bits}n"),
        ViewKind::Float16 => number(half(u16::from_le_bytes([a, b]))),
        ViewKind::Float32 => number(f64::from(f32::from_le_bytes([a, b, c, d]))),
        ViewKind::Float64 => number(f64::from_bits(bits)),
    }
}

/// A number of 16 bits: one for the sign, five for the exponent, ten for the fraction.
fn half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    sign * match exponent {
        0 => fraction * 2f64.powi(-14),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}
