//! JSON values that know their offsets.

use std::borrow::Cow;
use std::fmt;

use crate::events::{Deviation, Event, Events, JsonToken, ReadFault, ReaderOptions};
use crate::place::position;

/// Deeper nesting is an error: no input needs it, and dropping a value recurses as deep.
const MAX_DEPTH: usize = 64;

/// A value and the offset of its first byte.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedJson<'a> {
    /// Offset of its first byte.
    pub at: usize,
    /// The value.
    pub json: Json<'a>,
}

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written.
    Number(Cow<'a, str>),
    /// A string, decoded.
    String(Cow<'a, str>),
    /// A list.
    Array(Vec<LocatedJson<'a>>),
    /// An object's members, in source order. A name may occur twice.
    Object(Vec<JsonMember<'a>>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonMember<'a> {
    /// Its name, decoded.
    pub name: Cow<'a, str>,
    /// Its value.
    pub value: LocatedJson<'a>,
}

impl<'a> LocatedJson<'a> {
    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.json {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// The double that a number denotes; infinity if it is out of range.
    pub fn as_f64(&self) -> Option<f64> {
        match &self.json {
            Json::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// A non-negative integer that a double represents exactly.
    pub fn as_count(&self) -> Option<u64> {
        /// Every integer up to this one is a double.
        const MAX_SAFE: f64 = 9_007_199_254_740_992.0;
        let number = self.as_f64()?;
        #[expect(clippy::cast_sign_loss, reason = "the range is checked")]
        (number.fract() == 0.0 && (0.0..=MAX_SAFE).contains(&number)).then_some(number as u64)
    }

    /// The items of a list.
    pub fn as_array(&self) -> Option<&[Self]> {
        match &self.json {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&[JsonMember<'a>]> {
        match &self.json {
            Json::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The value of `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        match self.json {
            Json::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The members of an object; empty for other values.
    pub fn members(&self) -> &[JsonMember<'a>] {
        self.as_object().unwrap_or_default()
    }

    /// The strings of a list; skips its other items.
    pub fn strings(&self) -> Vec<String> {
        let items = self.as_array().unwrap_or_default();
        items.iter().filter_map(Self::as_str).map(ToOwned::to_owned).collect()
    }

    /// The same value without borrowed text. Recurses as deep as the value, which [`parse`] bounds.
    pub fn into_owned(self) -> LocatedJson<'static> {
        let own = |text: Cow<'a, str>| Cow::Owned(text.into_owned());
        let json = match self.json {
            Json::Null => Json::Null,
            Json::Bool(value) => Json::Bool(value),
            Json::Number(text) => Json::Number(own(text)),
            Json::String(text) => Json::String(own(text)),
            Json::Array(items) => Json::Array(items.into_iter().map(Self::into_owned).collect()),
            Json::Object(members) => Json::Object(
                members
                    .into_iter()
                    .map(|member| JsonMember {
                        name: own(member.name),
                        value: member.value.into_owned(),
                    })
                    .collect(),
            ),
        };
        LocatedJson { at: self.at, json }
    }

    /// The member with a name; the last one if it occurs twice.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?
            .iter()
            .rev()
            .find(|member| member.name == name)
            .map(|member| &member.value)
    }

    /// A short description of the value, for a message.
    pub fn describe(&self) -> String {
        match &self.json {
            Json::Null => "`null`".to_owned(),
            Json::Bool(value) => format!("`{value}`"),
            Json::Number(text) => format!("`{}`", clip(text)),
            Json::String(text) => format!("\"{}\"", clip(text)),
            Json::Array(items) if items.is_empty() => "an empty list".to_owned(),
            Json::Array(items) => format!("a list of {}", items.len()),
            Json::Object(_) => "an object".to_owned(),
        }
    }
}

/// The first characters of a text, for a message.
fn clip(text: &str) -> Cow<'_, str> {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// A parsed text.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonDocument<'a> {
    /// The value.
    pub root: LocatedJson<'a>,
    /// What was skipped, with its offset.
    pub deviations: Vec<(usize, Deviation)>,
}

/// Why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Line and column from 1, the column in UTF-16 units.
    pub position: (u32, u32),
    /// What was expected.
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.position;
        write!(f, "not JSON at line {line}, column {column}: {}", self.message)
    }
}

impl std::error::Error for SyntaxError {}

/// Parses a text. Skips a byte order mark at the start.
pub fn parse(bytes: &[u8]) -> Result<JsonDocument<'_>, SyntaxError> {
    parse_by(bytes, true)
}

/// Parses a text and skips nothing: comments and trailing commas are errors.
pub fn parse_strict(bytes: &[u8]) -> Result<JsonDocument<'_>, SyntaxError> {
    parse_by(bytes, false)
}

fn parse_by(bytes: &[u8], deviations: bool) -> Result<JsonDocument<'_>, SyntaxError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let good = std::str::from_utf8(good).unwrap_or_default();
        let message = "the text is not UTF-8".to_owned();
        SyntaxError { position: position(good, good.len()), message }
    })?;
    let mut reader = Events::new(text, ReaderOptions { deviations, mark: true, depth: MAX_DEPTH });
    match build(&mut reader) {
        Ok(root) => Ok(JsonDocument { root, deviations: reader.into_deviations() }),
        Err(fault) => {
            let position = position(text, fault.at);
            Err(SyntaxError { position, message: fault.message })
        }
    }
}

/// Builds a value from a reader's events.
fn build<'a>(reader: &mut Events<'a>) -> Result<LocatedJson<'a>, ReadFault> {
    let mut open: Vec<Partial<'a>> = Vec::new();
    let mut root = LocatedJson { at: 0, json: Json::Null };
    while let Some(Event { at, token }) = reader.next()? {
        let value = match token {
            JsonToken::Null => Some(Json::Null),
            JsonToken::Bool(value) => Some(Json::Bool(value)),
            JsonToken::Number(text) => Some(Json::Number(Cow::Borrowed(text))),
            JsonToken::String(text) => Some(Json::String(text)),
            JsonToken::Key(name) => {
                if let Some(top) = open.last_mut() {
                    top.name = name;
                }
                None
            }
            JsonToken::BeginArray => Partial::begin(&mut open, at, Json::Array(Vec::new())),
            JsonToken::BeginObject => Partial::begin(&mut open, at, Json::Object(Vec::new())),
            JsonToken::EndArray | JsonToken::EndObject => {
                if let Some(done) = open.pop() {
                    put(&mut open, &mut root, done.value);
                }
                None
            }
        };
        if let Some(json) = value {
            put(&mut open, &mut root, LocatedJson { at, json });
        }
    }
    Ok(root)
}

/// A container that is not closed yet.
struct Partial<'a> {
    value: LocatedJson<'a>,
    /// The name of the member that comes next.
    name: Cow<'a, str>,
}

impl<'a> Partial<'a> {
    /// Opens a container. It becomes a value when it is closed.
    fn begin(open: &mut Vec<Self>, at: usize, json: Json<'a>) -> Option<Json<'a>> {
        open.push(Self { value: LocatedJson { at, json }, name: Cow::Borrowed("") });
        None
    }
}

/// Adds a value to the innermost container, or makes it the root.
fn put<'a>(open: &mut [Partial<'a>], root: &mut LocatedJson<'a>, value: LocatedJson<'a>) {
    let Some(top) = open.last_mut() else {
        *root = value;
        return;
    };
    match &mut top.value.json {
        Json::Array(items) => items.push(value),
        Json::Object(members) => {
            members.push(JsonMember { name: std::mem::take(&mut top.name), value });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Json, LocatedJson, parse, parse_strict};
    use crate::{Deviation, positions};

    /// The value as `serde_json` has it.
    fn plain(located: &LocatedJson<'_>) -> serde_json::Value {
        match &located.json {
            Json::Null => serde_json::Value::Null,
            Json::Bool(value) => (*value).into(),
            Json::Number(text) => serde_json::from_str(text).unwrap(),
            Json::String(text) => text.as_ref().into(),
            Json::Array(items) => items.iter().map(plain).collect(),
            Json::Object(members) => members
                .iter()
                .map(|member| (member.name.to_string(), plain(&member.value)))
                .collect(),
        }
    }

    fn fault(text: &str) -> String {
        parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn reads_what_json_allows() {
        let text = "\u{FEFF} {\"a\\u00e9\\ud83d\\ude00\\n\": [1, -2.5e-3, 0, true, false, null, \"\", {}], \"b\":[]}";
        let document = parse(text.as_bytes()).unwrap();
        let expected: serde_json::Value =
            serde_json::from_str(text.trim_start_matches('\u{FEFF}')).unwrap();
        assert_eq!(plain(&document.root), expected);
        assert!(document.deviations.is_empty());
    }

    #[test]
    fn trailing_commas_and_comments_are_skipped_and_recorded() {
        let text = "{ // why\n  \"i\": [1, /* two */ 2,],\n}\n# no";
        assert!(parse(text.as_bytes()).is_err());
        let text = text.trim_end_matches("# no");
        let document = parse(text.as_bytes()).unwrap();
        let offsets: Vec<usize> = document.deviations.iter().map(|(at, _)| *at).collect();
        assert_eq!(positions(text, &offsets), [(1, 3), (2, 12), (2, 23), (2, 25)]);
        assert_eq!(document.deviations[1].1, Deviation::Comment);
        assert_eq!(document.deviations[2].1, Deviation::TrailingComma);
    }

    #[test]
    fn errors_say_where_and_what() {
        assert_eq!(fault(""), "not JSON at line 1, column 1: the text is empty");
        assert_eq!(
            fault("{'a': 1}"),
            "not JSON at line 1, column 2: expected a name in double quotes, found `'`"
        );
        assert_eq!(
            fault("[1\n 2]"),
            "not JSON at line 2, column 2: expected `,` or `]`, found `2`"
        );
        assert_eq!(
            fault("[\"é\" \"😀\"x"),
            "not JSON at line 1, column 6: expected `,` or `]`, found `\"`"
        );
        assert_eq!(fault("[1,,2]"), "not JSON at line 1, column 4: expected a value, found `,`");
        assert_eq!(fault("[,]"), "not JSON at line 1, column 2: expected a value, found `,`");
        assert_eq!(fault("\"a"), "not JSON at line 1, column 3: a string that does not end");
        assert_eq!(fault("01"), "not JSON at line 1, column 2: expected the end of the text");
        assert_eq!(
            fault("\"\\ud800x\""),
            "not JSON at line 1, column 8: a surrogate without its other half in a string"
        );
        assert_eq!(fault("{} /*"), "not JSON at line 1, column 4: a comment that does not end");
        let error = parse(b"[\n\xFF]").unwrap_err();
        assert_eq!(error.to_string(), "not JSON at line 2, column 1: the text is not UTF-8");
    }

    #[test]
    fn a_strict_parse_skips_nothing() {
        for (text, expected) in [
            ("[1,]", "not JSON at line 1, column 4: expected a value, found `]`"),
            (
                "{\"a\":1,}",
                "not JSON at line 1, column 8: expected a name in double quotes, found `}`",
            ),
            ("[1]//", "not JSON at line 1, column 4: expected the end of the text"),
        ] {
            assert_eq!(parse_strict(text.as_bytes()).unwrap_err().to_string(), expected);
            assert_eq!(parse(text.as_bytes()).unwrap().deviations.len(), 1, "{text}");
        }
    }

    #[test]
    fn members_keep_their_order_and_the_last_duplicate_wins() {
        let document = parse(br#"{"z":1,"a":["x",2,"y"],"z":true}"#).unwrap();
        let root = document.root.into_owned();
        let names: Vec<&str> = root.members().iter().map(|member| member.name.as_ref()).collect();
        assert_eq!(names, ["z", "a", "z"]);
        assert_eq!(root.get("z").and_then(LocatedJson::as_bool), Some(true));
        assert_eq!(
            root.get("a").map(LocatedJson::strings),
            Some(vec!["x".to_owned(), "y".to_owned()])
        );
    }

    #[test]
    fn deep_nesting_is_rejected_without_recursion() {
        let deep = "[".repeat(1_000_000);
        assert_eq!(fault(&deep), "not JSON at line 1, column 65: more than 64 levels of nesting");
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(text in "[\\[\\]{},:\"\\\\ua0-9eE.+\\- \ntrlsfn]{0,24}") {
            let ours = parse(text.as_bytes()).ok().filter(|document| document.deviations.is_empty());
            let theirs: Option<serde_json::Value> = serde_json::from_str(&text).ok();
            // `serde_json` rejects a number beyond the doubles; we read it as infinity.
            if !text.contains(['e', 'E']) {
                prop_assert_eq!(ours.map(|document| plain(&document.root)), theirs);
            }
        }
    }
}
