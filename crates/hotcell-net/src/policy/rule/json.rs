//! Rules as JSON: a text, or an object with `host`, `schemes`, `ports`, `methods` and `pathPrefix`.

use std::{fmt, ops::RangeInclusive};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::{
    Methods, Rule, Scheme,
    text::{describe_ports, parse_port, schemes_for},
};
use crate::policy::HostPattern;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Fields {
    host: HostPattern,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schemes: Option<Vec<Scheme>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ports: Vec<Port>,
    /// `["*"]` is any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    methods: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path_prefix: Option<String>,
}

/// A number, or a range as text.
#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a port, or a range of ports as text: 443 or \"8000-8100\""
)]
enum Port {
    One(u16),
    Range(String),
}

impl From<&Rule> for Fields {
    fn from(rule: &Rule) -> Self {
        let port = |ports: &RangeInclusive<u16>| match (*ports.start(), *ports.end()) {
            (first, last) if first == last => Port::One(first),
            _ => Port::Range(describe_ports(ports)),
        };
        Self {
            host: rule.host.clone(),
            schemes: Some(rule.schemes.clone()),
            ports: rule.ports.iter().map(port).collect(),
            methods: Some(match &rule.methods {
                Methods::Any => vec!["*".to_owned()],
                Methods::Only(methods) => methods.clone(),
            }),
            path_prefix: rule.path_prefix.clone(),
        }
    }
}

impl Fields {
    fn into_rule<E: de::Error>(self) -> Result<Rule, E> {
        let port = |port: Port| match port {
            Port::One(port) => Ok(port..=port),
            Port::Range(text) => parse_port(&text)
                .ok_or_else(|| E::custom(format!("{text:?} is no port, and no range of ports"))),
        };
        let ports = self
            .ports
            .into_iter()
            .map(port)
            .collect::<Result<Vec<_>, E>>()?;
        let methods = match self.methods {
            None => Methods::default(),
            Some(methods) if methods == ["*"] => Methods::Any,
            Some(methods) => Methods::Only(
                methods
                    .iter()
                    .map(|name| name.to_ascii_uppercase())
                    .collect(),
            ),
        };
        let rule = Rule {
            host: self.host,
            schemes: self.schemes.unwrap_or_else(|| schemes_for(&ports)),
            ports,
            methods,
            path_prefix: self.path_prefix,
        };
        rule.check().map_err(E::custom)?;
        Ok(rule)
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Fields::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Rule;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a rule, as text (\"api.example.com GET\") or as an object with a host")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Rule, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Rule, A::Error> {
                Fields::deserialize(MapAccessDeserializer::new(map))?.into_rule()
            }
        }

        deserializer.deserialize_any(Either)
    }
}
