//! JavaScript values as JSON: the `$`-tagged form of the stdio protocol, which every front door shares.
//!
//! Plain JSON where JSON can say it. Everything else is an object whose key `$` names its kind. No value is lost or
//! altered on the way: `from_json(&to_json(&value))` is `value`.
//!
//! ```
//! use hotcell_cell::Value;
//! use hotcell_executor::json::{from_json, to_json};
//!
//! let value = Value::object([("n", Value::from(42)), ("nothing", Value::Undefined)]);
//! let json = to_json(&value);
//! assert_eq!(json.to_string(), r#"{"n":42,"nothing":{"$":"undefined"}}"#);
//! assert_eq!(from_json(&json)?, value);
//! # Ok::<(), hotcell_executor::json::JsonValueError>(())
//! ```
//!
//! # The kinds
//!
//! | kind | members beside `$` | is |
//! |---|---|---|
//! | `undefined` | | `undefined` |
//! | `number` | `value`: `"NaN"`, `"Infinity"`, `"-Infinity"`, `"-0"` | a number that JSON lacks |
//! | `bigint` | `value`: decimal digits; `0x…` or `-0x…` if there were more than 4,300 | a `BigInt` |
//! | `date` | `value`: ISO 8601, `null` if invalid | a `Date` |
//! | `bytes` | `base64`, `type?` | a `Uint8Array` or what `type` says, with a buffer of its own |
//! | `map` | `entries`: pairs | a `Map` |
//! | `set` | `values` | a `Set` |
//! | `regexp` | `source`, `flags?` | a `RegExp` |
//! | `error` | `name?`, `message?`, `stack?`, `cause?`, `properties?` | an error |
//! | `object` | `entries`: pairs | an object that plain JSON cannot say, such as one with the key `$` |
//! | `def` | `id`, `value` | an object that comes again below or later |
//! | `ref` | `id` | that object again |
//!
//! The protocol leaves some values open. They have kinds and members of ours:
//!
//! | kind | members beside `$` | is |
//! |---|---|---|
//! | `hole` | | a missing element, as in `[1, , 3]`; only inside an array |
//! | `string` | `units`: UTF-16 code units | a string with a lone surrogate; also as a key, source, name or message |
//! | `boxed` | `value`: a primitive | `new Number(1)` and its like |
//! | `bytes` | `type`: `"ArrayBuffer"`, `"DataView"`, `"Float64Array"` … | another whole buffer or view than `Uint8Array` |
//! | `view` | `type`, `offset`, `length`, `buffer` | a view of a part of a buffer, or of a shared one |
//! | `date` | `value`: a number, the time value in milliseconds | what no ISO date can say |
//! | `error` | `properties`: an object, or pairs | its other properties, such as `code` |
//! | `too-deep` | | stands for what is nested beyond [`MAX_DEPTH`]; [`from_json`] refuses it |
//!
//! An integer that JSON can spell but a JavaScript number cannot hold exactly becomes the nearest number, as in
//! `JSON.parse`; `bigint` keeps it. Keys of an object keep their order.

pub(crate) mod date;
mod decode;
mod digits;
pub(crate) mod encode;
mod path;
mod sink;
mod view;

#[cfg(doc)]
use hotcell_cell::MAX_DEPTH;
use hotcell_cell::Value;
use hotcell_meter::{Stopped, Unwatched, Watch};

pub use digits::digits;
pub use path::JsonValueError;

/// `value` as JSON.
///
/// It never fails: what is nested more than [`MAX_DEPTH`] levels deep, which no cell gives or takes, is marked `too-deep`.
/// As a tree it takes up to twelve times the memory of the value; [`to_text`] writes text without one.
pub fn to_json(value: &Value) -> serde_json::Value {
    // Nobody stops it.
    encode::tree(value, &Unwatched, None).unwrap_or_default()
}

/// `value` as the text of JSON, in one line, in time that grows with its size, and for as long as `watch` lets it.
///
/// ```
/// use hotcell_cell::Value;
/// use hotcell_executor::json::to_text;
/// use hotcell_meter::{Stopped, Unwatched, Watch};
///
/// let value = Value::array([Value::from(1), Value::Undefined]);
/// assert_eq!(to_text(&value, &Unwatched)?, r#"[1,{"$":"undefined"}]"#);
/// # Ok::<(), hotcell_meter::Stopped>(())
/// ```
pub fn to_text(value: &Value, watch: &dyn Watch) -> Result<String, Stopped> {
    encode::text(value, watch)
}

/// How many bytes [`to_text`] would write, for who has to make room for them first: up to six times as many as a text has.
pub fn text_length(value: &Value, watch: &dyn Watch) -> Result<usize, Stopped> {
    encode::length(value, watch)
}

/// The value that `json` says.
///
/// `json` may be anything; the error says what is wrong and where. It may be nested as deeply as it likes: this takes at
/// most half a thread's usual stack of 2 MiB, and stops at [`MAX_DEPTH`].
pub fn from_json(json: &serde_json::Value) -> Result<Value, JsonValueError> {
    decode::decode(json)
}
