//! Rules as text: `[SCHEME://]HOST[:PORTS][/PATH] [METHODS]`.

use std::{fmt, ops::RangeInclusive, str::FromStr};

use super::{Methods, Rule, Scheme};
use crate::policy::PolicyError;

impl FromStr for Rule {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let wrong = |why: &'static str| PolicyError::Rule {
            text: text.to_owned(),
            why,
        };
        let mut words = text.split_whitespace();
        let target = words.next().ok_or_else(|| wrong("it is empty"))?;
        let methods = words.next().map_or_else(Methods::default, parse_methods);
        if words.next().is_some() {
            return Err(wrong(
                "it is TARGET METHODS, with commas between methods, as in api.example.com GET,POST",
            ));
        }
        let (schemes, rest) = match target.split_once("://") {
            Some((names, rest)) => {
                let names = names.to_ascii_lowercase();
                let schemes: Option<Vec<_>> = names.split('+').map(Scheme::of).collect();
                let schemes = schemes.ok_or_else(|| wrong("the scheme is https, http or tcp"))?;
                (Some(schemes), rest)
            }
            None => (None, target),
        };
        let (authority, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, ""),
        };
        // The colon of a port stands behind the bracket of an address.
        let colon = match authority.rfind(']') {
            Some(bracket) => authority[bracket..].find(':').map(|colon| bracket + colon),
            None => authority.find(':'),
        };
        let (host, ports) = match colon {
            Some(colon) => (&authority[..colon], parse_ports(&authority[colon + 1..])),
            None => (authority, Some(Vec::new())),
        };
        let ports =
            ports.ok_or_else(|| wrong("ports are numbers, as in 443, 80,443 or 8000-8100"))?;
        let rule = Self {
            host: host.parse()?,
            schemes: schemes.unwrap_or_else(|| schemes_for(&ports)),
            ports,
            methods,
            path_prefix: (!path.is_empty()).then(|| path.to_owned()),
        };
        rule.check()?;
        Ok(rule)
    }
}

/// What is meant by ports without a scheme.
pub(super) fn schemes_for(ports: &[RangeInclusive<u16>]) -> Vec<Scheme> {
    match ports {
        [] => vec![Scheme::Https],
        [only] if *only == (443..=443) => vec![Scheme::Https],
        [only] if *only == (80..=80) => vec![Scheme::Http],
        _ => vec![Scheme::Https, Scheme::Http],
    }
}

pub(super) fn parse_methods(text: &str) -> Methods {
    if text == "*" {
        return Methods::Any;
    }
    let methods = text.split(',').map(str::to_ascii_uppercase);
    Methods::Only(methods.collect())
}

fn parse_ports(text: &str) -> Option<Vec<RangeInclusive<u16>>> {
    text.split(',').map(parse_port).collect()
}

pub(super) fn parse_port(text: &str) -> Option<RangeInclusive<u16>> {
    if text == "*" {
        return Some(1..=u16::MAX);
    }
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some(first.parse().ok()?..=last.parse().ok()?)
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Several schemes stand as https+http.
        if self.path_prefix.is_some() || self.schemes != schemes_for(&self.ports) {
            let names: Vec<_> = self.schemes.iter().map(|scheme| scheme.as_str()).collect();
            write!(f, "{}://", names.join("+"))?;
        }
        write!(f, "{}", self.host)?;
        let usual = self
            .schemes
            .iter()
            .filter_map(|scheme| scheme.default_port());
        let ports: Vec<String> = if self.ports.is_empty() {
            usual.map(|port| port.to_string()).collect()
        } else {
            self.ports.iter().map(describe_ports).collect()
        };
        if !ports.is_empty() {
            write!(f, ":{}", ports.join(","))?;
        }
        f.write_str(self.path_prefix.as_deref().unwrap_or_default())?;
        if self.schemes == [Scheme::Tcp] {
            return Ok(());
        }
        match &self.methods {
            Methods::Any => f.write_str(" *"),
            Methods::Only(methods) => write!(f, " {}", methods.join(",")),
        }
    }
}

pub(super) fn describe_ports(ports: &RangeInclusive<u16>) -> String {
    match (*ports.start(), *ports.end()) {
        (1, u16::MAX) => "*".to_owned(),
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_rule_are_the_same() {
        for text in [
            "api.example.com:443 GET,HEAD",
            "api.example.com:80 GET,HEAD",
            "*.example.com:8000-8100,9000 *",
            "https://api.example.com:443/v1/ GET,POST",
            "[::1]:* GET,HEAD",
            "*:443 GET,HEAD",
            "http://a.b:8080 DELETE",
            "tcp://db.example.com:5432",
            "https+http://a.b:443,80/x *",
        ] {
            let rule: Rule = text.parse().unwrap();
            assert_eq!(rule.to_string(), text);
        }
    }

    #[test]
    fn what_is_left_out_is_narrow() {
        let shown = |text: &str| text.parse::<Rule>().unwrap().to_string();
        assert_eq!(shown("a.b"), "a.b:443 GET,HEAD");
        assert_eq!(shown("http://a.b"), "http://a.b:80 GET,HEAD");
        assert_eq!(shown("a.b:443"), "a.b:443 GET,HEAD");
        assert_eq!(shown("a.b:3000 post"), "a.b:3000 POST");
    }

    #[test]
    fn a_wrong_rule_says_what_a_right_one_is() {
        let why = |text: &str| text.parse::<Rule>().unwrap_err().to_string();
        assert_eq!(
            why("a.b GET POST"),
            "rule \"a.b GET POST\": it is TARGET METHODS, with commas between methods, as in api.example.com GET,POST"
        );
        assert!(why("ftp://a.b").contains("https, http or tcp"));
        assert!(why("a.b:x").contains("ports are numbers"));
        assert!(why("a.b:0").contains("0 is no port"));
        assert!(why("a.b:9-1").contains("lower to the higher"));
        assert!(why("tcp://a.b").contains("tcp needs a port"));
        assert!(why("a.b/x/../y").contains("path prefix"));
        assert!(why("a b\tc").contains("TARGET METHODS"));
        assert!(why("").contains("empty"));
        assert!(why("a.b G!T").contains("capital letters"));
    }
}
