//! The elements of arrays, sets, buffers and views: bytes stay bytes, and each is a number when it is looked at.

use hotcell_cell::{Value, View, ViewKind};
use jsonschema::json::Array;

use super::{
    instance::{Instance, Seen, Values},
    meter::{Meter, QUESTION},
    unique::is_unique,
};

/// The elements of an array, a set, a buffer or a view.
#[derive(Clone, Copy)]
pub(super) struct Elements<'a> {
    pub(super) items: Items<'a>,
    pub(super) meter: &'a Meter<'a>,
}

#[derive(Clone, Copy)]
pub(super) enum Items<'a> {
    Values(&'a [Value]),
    Bytes(&'a [u8], ViewKind),
}

impl<'a> Items<'a> {
    pub(super) fn of_buffer(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes, ViewKind::Uint8)
    }

    /// `None` if its buffer stands elsewhere in the value.
    pub(super) fn of_view(view: &'a View) -> Option<Self> {
        let Value::Buffer(bytes) = &view.buffer else {
            return None;
        };
        let start = view.offset as usize;
        let length = (view.length as usize).checked_mul(view.kind.element_size() as usize)?;
        let bytes = bytes.get(start..start.checked_add(length)?)?;
        Some(Self::Bytes(bytes, view.kind))
    }

    fn len(self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Bytes(bytes, kind) => bytes.len() / kind.element_size() as usize,
        }
    }

    fn get(self, index: usize) -> Option<Seen<'a>> {
        match self {
            Self::Values(values) => values.get(index).map(Seen::Value),
            Self::Bytes(bytes, kind) => {
                let size = kind.element_size() as usize;
                let start = index.checked_mul(size)?;
                element(kind, bytes.get(start..start.checked_add(size)?)?)
            }
        }
    }
}

/// One element of a view, from its bytes.
fn element(kind: ViewKind, bytes: &[u8]) -> Option<Seen<'static>> {
    let two = || bytes.try_into().ok();
    let four = || bytes.try_into().ok();
    let eight = || bytes.try_into().ok();
    Some(match kind {
        ViewKind::Uint8Clamped | ViewKind::Uint8 | ViewKind::DataView => {
            Seen::Integer(i64::from(*bytes.first()?))
        }
        ViewKind::Int8 => Seen::Integer(i64::from(bytes.first()?.cast_signed())),
        ViewKind::Int16 => Seen::Integer(i64::from(i16::from_le_bytes(two()?))),
        ViewKind::Uint16 => Seen::Integer(i64::from(u16::from_le_bytes(two()?))),
        ViewKind::Int32 => Seen::Integer(i64::from(i32::from_le_bytes(four()?))),
        ViewKind::Uint32 => Seen::Integer(i64::from(u32::from_le_bytes(four()?))),
        ViewKind::BigInt64 => Seen::Integer(i64::from_le_bytes(eight()?)),
        ViewKind::BigUint64 => {
            let number = u64::from_le_bytes(eight()?);
            #[expect(clippy::cast_precision_loss, reason = "beyond what an integer can say")]
            i64::try_from(number).map_or(Seen::Float(number as f64), Seen::Integer)
        }
        ViewKind::Float16 => Seen::Float(half(u16::from_le_bytes(two()?))),
        ViewKind::Float32 => Seen::Float(f64::from(f32::from_le_bytes(four()?))),
        ViewKind::Float64 => Seen::Float(f64::from_le_bytes(eight()?)),
    })
}

/// A number of sixteen bits: a sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match (bits >> 10) & 0x1f {
        0 => fraction * f64::powi(2.0, -24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        exponent => (1024.0 + fraction) * f64::powi(2.0, i32::from(exponent) - 25),
    };
    if bits & 0x8000 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

impl<'a> Array<'a, Values> for Elements<'a> {
    type Node = Instance<'a>;
    type ElementsIter = ElementsIter<'a>;

    fn len(&self) -> usize {
        self.items.len()
    }

    fn elements(&self) -> ElementsIter<'a> {
        ElementsIter {
            elements: *self,
            next: 0,
        }
    }

    fn is_unique(&self) -> bool {
        is_unique(self)
    }
}

pub(super) struct ElementsIter<'a> {
    elements: Elements<'a>,
    next: usize,
}

impl<'a> Iterator for ElementsIter<'a> {
    type Item = Instance<'a>;

    fn next(&mut self) -> Option<Instance<'a>> {
        let Elements { items, meter } = self.elements;
        if !meter.spend(QUESTION) {
            return None;
        }
        let seen = items.get(self.next)?;
        self.next += 1;
        Some(Instance { seen, meter })
    }
}
