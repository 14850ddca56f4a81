//! Values on their way between the two engines: in three pieces of memory instead of one Node-API call per property.
//!
//! A value is a row of numbers: an operation, then what it needs. Strings and bytes lie beside it, in the order in which the
//! row asks for them. `lib/pack.cjs` and `lib/unpack.cjs` are the other half; the table of operations is theirs too.
//!
//! The two directions differ in how strings travel, each in the way that is cheapest for V8: inwards as one long string
//! that the row cuts up, outwards as a table of strings that the row points into, where a key that many objects share
//! stands once.

mod read;
mod write;

pub(crate) use read::{Malformed, Reader};
pub(crate) use write::{Packed, Piece, pack};

/// What a row of numbers can say. Behind each operation stands what follows it; a `text` is a length inwards and an index
/// outwards.
mod op {
    macro_rules! operations {
        ($($(#[$doc:meta])* $name:ident = $number:literal,)*) => {
            $($(#[$doc])* pub(super) const $name: u32 = $number;)*
        };
    }
    operations! {
        UNDEFINED = 0,
        NULL = 1,
        FALSE = 2,
        TRUE = 3,
        /// The number.
        NUMBER = 4,
        /// A text.
        STRING = 5,
        /// A text: the digits, hexadecimal, after a `-` if it is negative. A large one is not written down: outwards it stands
        /// in the table itself; inwards the text is empty, and it is the next of those beside the row.
        BIGINT = 6,
        /// The length; that many elements, or fewer and `HOLES`.
        ARRAY = 7,
        /// How many.
        HOLES = 8,
        /// How many; for each a text and a value.
        OBJECT = 9,
        /// Milliseconds.
        DATE = 10,
        /// Two texts.
        REGEXP = 11,
        /// How many; for each two values.
        MAP = 12,
        /// How many; that many values.
        SET = 13,
        /// How many bytes.
        BUFFER = 14,
        /// Kind, offset, length; a buffer or a reference to one.
        VIEW = 15,
        /// Three texts (name, message, stack), 1 and the cause or 0, then as for `OBJECT`.
        ERROR = 16,
        /// A primitive.
        BOXED = 17,
        /// Which object.
        REFERENCE = 18,
    }
}

#[cfg(test)]
mod tests;
