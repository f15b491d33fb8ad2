//! Reading configuration JSON: key order is kept (the order of `exports` conditions matters), and
//! comments and trailing commas can be allowed for (tsconfig files have both).

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A JSON value whose objects remember the order of their keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Json {
    #[default]
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses strict JSON; a byte order mark is passed over. Nesting is bounded by the parser.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
    }

    /// Parses JSON with comments and trailing commas. Positions in errors are those of the text.
    pub(crate) fn parse_lenient(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        Self::parse(&blank_extras(bytes))
    }

    /// The member of an object. Of a repeated key the last counts, as in JavaScript.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => {
                members.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn members(&self) -> &[(String, Self)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    /// The strings of an array; whatever else is in it is passed over.
    pub(crate) fn strings(&self) -> Vec<String> {
        match self {
            Self::Array(items) => {
                items.iter().filter_map(Self::as_str).map(ToOwned::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Turns comments and trailing commas into spaces, byte by byte.
fn blank_extras(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let mut at = 0;
    let mut comma = None;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                comma = None;
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => {
                let line = bytes[at + 1] == b'/';
                let rest = &bytes[at + 2..];
                let length = if line {
                    rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
                } else {
                    rest.windows(2).position(|pair| pair == b"*/").map_or(rest.len(), |end| end + 2)
                };
                let end = at + 2 + length;
                for byte in &mut out[at..end] {
                    if *byte != b'\n' {
                        *byte = b' ';
                    }
                }
                at = end;
            }
            byte => {
                match byte {
                    b',' => comma = Some(at),
                    b']' | b'}' => {
                        if let Some(trailing) = comma.take() {
                            out[trailing] = b' ';
                        }
                    }
                    b' ' | b'\t' | b'\r' | b'\n' => {}
                    _ => comma = None,
                }
                at += 1;
            }
        }
    }
    out
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "no number of a configuration file is used as more than a double"
    )]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "no number of a configuration file is used as more than a double"
    )]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Json, E> {
        Ok(Json::String(value.to_owned()))
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Json, E> {
        Ok(Json::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = access.next_entry()? {
            members.push(member);
        }
        Ok(Json::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn keys_keep_their_order() {
        let json = Json::parse(br#"{"z":1,"a":2}"#).unwrap();
        assert_eq!(
            json.members().iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(),
            ["z", "a"]
        );
    }

    #[test]
    fn comments_and_trailing_commas_are_passed_over_where_allowed() {
        let text =
            b"\xEF\xBB\xBF{ // c\n \"a\": [1, 2, /* x */ ], \"u\": \"http://x,]\", /* , */ }";
        assert!(Json::parse(text).is_err());
        let json = Json::parse_lenient(text).unwrap();
        assert_eq!(json.get("u").unwrap().as_str(), Some("http://x,]"));
        assert_eq!(json.get("a"), Some(&Json::Array(vec![Json::Number(1.0), Json::Number(2.0)])));
    }

    #[test]
    fn broken_text_is_an_error_never_a_panic() {
        for text in ["", "{", "\"", "\"\\", "/*", "//", "{\"a\":}", "[,]", "\u{feff}"] {
            let _ = Json::parse_lenient(text.as_bytes());
        }
        assert!(Json::parse("[".repeat(100_000).as_bytes()).is_err());
    }
}
