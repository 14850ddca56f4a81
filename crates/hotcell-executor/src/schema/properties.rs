//! The properties of objects and maps, and of arguments that are given one by one.

use std::borrow::Cow;

use hotcell_cell::{Text, Value};
use jsonschema::json::Object;

use super::{
    instance::{Instance, Seen, Values},
    meter::{Halt, Meter, QUESTION},
};

/// Names of properties may be as long as this: they are matched against patterns without a further look, and a pattern may be
/// one that tries again and again.
pub(super) const MAX_NAME_BYTES: usize = 4 << 10;

/// The properties of an object or a map. What is `undefined` is not there.
#[derive(Clone, Copy)]
pub(super) struct Properties<'a> {
    pub(super) members: Members<'a>,
    pub(super) meter: &'a Meter<'a>,
}

#[derive(Clone, Copy)]
pub(super) enum Members<'a> {
    Properties(&'a [(Text, Value)]),
    Entries(&'a [(Value, Value)]),
    Arguments(&'a [String], &'a [Value]),
}

impl<'a> Members<'a> {
    /// How many there are, those that do not count included.
    fn len(self) -> usize {
        match self {
            Self::Properties(properties) => properties.len(),
            Self::Entries(entries) => entries.len(),
            Self::Arguments(names, values) => names.len().min(values.len()),
        }
    }

    /// Member `index`, if it counts.
    fn get(self, index: usize) -> Option<(Cow<'a, str>, &'a Value)> {
        let (name, value) = match self {
            Self::Properties(properties) => {
                let (name, value) = properties.get(index)?;
                (name.to_str_lossy(), value)
            }
            Self::Entries(entries) => match entries.get(index)? {
                (Value::String(name), value) => (name.to_str_lossy(), value),
                _ => return None,
            },
            Self::Arguments(names, values) => (
                Cow::Borrowed(names.get(index)?.as_str()),
                values.get(index)?,
            ),
        };
        (!value.is_undefined()).then_some((name, value))
    }
}

impl<'a> Properties<'a> {
    pub(super) fn find(&self, name: &str) -> Option<Instance<'a>> {
        self.members()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }
}

impl<'a> Object<'a, Values> for Properties<'a> {
    type Node = Instance<'a>;
    type MemberName = Cow<'a, str>;
    type MembersIter = MembersIter<'a>;

    fn len(&self) -> usize {
        self.members().count()
    }

    fn is_empty(&self) -> bool {
        self.members().next().is_none()
    }

    fn get(&self, key: &String) -> Option<Instance<'a>> {
        self.find(key)
    }

    fn members(&self) -> MembersIter<'a> {
        MembersIter {
            properties: *self,
            next: 0,
        }
    }
}

pub(super) struct MembersIter<'a> {
    properties: Properties<'a>,
    next: usize,
}

impl<'a> Iterator for MembersIter<'a> {
    type Item = (Cow<'a, str>, Instance<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let Properties { members, meter } = self.properties;
        while self.next < members.len() {
            if !meter.spend(QUESTION) {
                return None;
            }
            let member = members.get(self.next);
            self.next += 1;
            let Some((name, value)) = member else {
                continue;
            };
            meter.spend(name.len());
            if name.len() > MAX_NAME_BYTES {
                meter.halt(Halt::LongName);
                return None;
            }
            let seen = Seen::Value(value);
            return Some((name, Instance { seen, meter }));
        }
        None
    }
}
