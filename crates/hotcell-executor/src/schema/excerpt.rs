//! As much of a value as an error needs to repeat.

use jsonschema::json::{Array as _, Object as _};
use serde_json::{Map, Value as Tree};

use super::instance::{Instance, Kind};
use crate::shorten::shorten;

const MAX_TEXT_BYTES: usize = 100;
const MAX_MEMBERS: usize = 5;
const MAX_DEPTH: usize = 2;

/// The beginning of a value, as JSON. Where something is left out stands an ellipsis.
pub(super) fn excerpt(instance: &Instance<'_>) -> Tree {
    part(instance, MAX_DEPTH)
}

fn part(instance: &Instance<'_>, depth: usize) -> Tree {
    let left_out = || Tree::from("…");
    match instance.kind() {
        Kind::Null => Tree::Null,
        Kind::Bool(bool) => Tree::Bool(bool),
        Kind::Number(number) => number.to_tree().unwrap_or_default(),
        Kind::String(text) => Tree::from(&*shorten(&text, MAX_TEXT_BYTES)),
        Kind::Array(elements) => {
            let mut list = Vec::new();
            for (count, element) in elements.elements().enumerate() {
                if depth == 0 || count >= MAX_MEMBERS {
                    list.push(left_out());
                    break;
                }
                list.push(part(&element, depth - 1));
            }
            Tree::Array(list)
        }
        Kind::Object(properties) => {
            let mut object = Map::new();
            for (count, (name, value)) in properties.members().enumerate() {
                if depth == 0 || count >= MAX_MEMBERS {
                    object.insert("…".into(), left_out());
                    break;
                }
                let name = shorten(&name, MAX_TEXT_BYTES).into_owned();
                object.insert(name, part(&value, depth - 1));
            }
            Tree::Object(object)
        }
    }
}
