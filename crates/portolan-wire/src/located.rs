//! Reading JSON that somebody else wrote: values that know where they stand.
//!
//! Two slips that language models love, trailing commas and comments, are noted and stepped over,
//! so that one reading finds all there is to mend. Everything else must be JSON.

use std::borrow::Cow;
use std::fmt;

/// Deeper nesting is refused: nothing we read needs it, and it keeps the reader's own stack small.
const MAX_DEPTH: u32 = 64;

/// A value and the byte it begins at.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<'a> {
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
    Number(&'a str),
    /// A string, decoded.
    String(Cow<'a, str>),
    /// A list.
    Array(Vec<Located<'a>>),
    /// An object's members, in their order; a name may come twice.
    Object(Vec<Member<'a>>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member<'a> {
    /// Its name, decoded.
    pub name: Cow<'a, str>,
    /// Its value.
    pub value: Located<'a>,
}

impl<'a> Located<'a> {
    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.json {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// The double that a number stands for; beyond the range of doubles, infinity.
    pub fn as_f64(&self) -> Option<f64> {
        match self.json {
            Json::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// A whole number that a double holds exactly, at least 0.
    pub fn as_count(&self) -> Option<u64> {
        /// The largest integer up to which every integer is a double.
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
    pub fn as_object(&self) -> Option<&[Member<'a>]> {
        match &self.json {
            Json::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The member of that name; the last one where it comes twice.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?
            .iter()
            .rev()
            .find(|member| member.name == name)
            .map(|member| &member.value)
    }

    /// The value in a few words, for a message.
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

/// What was stepped over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// A comma with nothing after it.
    TrailingComma,
    /// `// …` or `/* … */`.
    Comment,
}

impl Slip {
    /// What it is, in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::TrailingComma => "trailing comma",
            Self::Comment => "comment",
        }
    }
}

/// A text that was read whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Document<'a> {
    /// The value.
    pub root: Located<'a>,
    /// What was stepped over, with its offset.
    pub slips: Vec<(usize, Slip)>,
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

/// Reads a whole text.
pub fn parse(bytes: &[u8]) -> Result<Document<'_>, SyntaxError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let good = std::str::from_utf8(good).unwrap_or_default();
        let position = positions(good, &[good.len()]).first().copied().unwrap_or((1, 1));
        SyntaxError { position, message: "the text is not UTF-8".to_owned() }
    })?;
    let mut reader = Reader { text, at: 0, slips: Vec::new() };
    let read = reader.document();
    read.map(|root| Document { root, slips: std::mem::take(&mut reader.slips) }).map_err(|fault| {
        let position = positions(text, &[fault.at]).first().copied().unwrap_or((1, 1));
        SyntaxError { position, message: fault.message }
    })
}

/// Line and column (UTF-16 units), from 1, of ascending byte offsets, in one walk over the text.
pub fn positions(text: &str, offsets: &[usize]) -> Vec<(u32, u32)> {
    let mut found = Vec::with_capacity(offsets.len());
    let (mut line, mut column) = (1u32, 1u32);
    let mut chars = text.char_indices().peekable();
    for &offset in offsets {
        while let Some((_, c)) = chars.next_if(|(at, _)| *at < offset) {
            if c == '\n' {
                line = line.saturating_add(1);
                column = 1;
            } else {
                column = column.saturating_add(c.len_utf16() as u32);
            }
        }
        found.push((line, column));
    }
    found
}

/// A fault and its offset.
struct Fault {
    at: usize,
    message: String,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    slips: Vec<(usize, Slip)>,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<Located<'a>, Fault> {
        if self.text.starts_with('\u{FEFF}') {
            self.at = '\u{FEFF}'.len_utf8();
        }
        self.skip_blank()?;
        if self.peek().is_none() {
            return Err(self.fault("the text is empty"));
        }
        let root = self.value(0)?;
        self.skip_blank()?;
        match self.peek() {
            None => Ok(root),
            Some(_) => Err(self.fault("expected the end of the text")),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn fault(&self, message: &str) -> Fault {
        Fault { at: self.at, message: message.to_owned() }
    }

    fn expected(&self, what: &str) -> Fault {
        match self.rest().chars().next() {
            Some(c) => self.fault(&format!("expected {what}, found `{c}`")),
            None => self.fault(&format!("expected {what}, but the text ends")),
        }
    }

    /// Steps over white space, and over comments with a note.
    fn skip_blank(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.rest();
            let blank =
                rest.bytes().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
            self.at += blank;
            let rest = self.rest();
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                let end = rest.get(2..).and_then(|inner| inner.find("*/"));
                end.ok_or_else(|| self.fault("a comment that does not end"))? + 4
            } else {
                return Ok(());
            };
            self.slips.push((self.at, Slip::Comment));
            self.at += length;
        }
    }

    /// One value. Calls itself for what is nested, at most [`MAX_DEPTH`] deep.
    fn value(&mut self, depth: u32) -> Result<Located<'a>, Fault> {
        let at = self.at;
        let json = match self.peek() {
            Some(b'{' | b'[') if depth >= MAX_DEPTH => {
                return Err(self.fault(&format!("nested deeper than {MAX_DEPTH} levels")));
            }
            Some(b'{') => Json::Object(self.object(depth)?),
            Some(b'[') => Json::Array(self.array(depth)?),
            Some(b'"') => Json::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Json::Number(self.number()?),
            _ => self.word()?,
        };
        Ok(Located { at, json })
    }

    fn word(&mut self) -> Result<Json<'a>, Fault> {
        let words =
            [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))];
        let rest = self.rest();
        for (word, json) in words {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(json);
            }
        }
        Err(self.expected("a value"))
    }

    fn array(&mut self, depth: u32) -> Result<Vec<Located<'a>>, Fault> {
        let mut items = Vec::new();
        self.at += 1;
        self.skip_blank()?;
        while self.peek() != Some(b']') {
            items.push(self.value(depth + 1)?);
            self.separator(b']')?;
        }
        self.at += 1;
        Ok(items)
    }

    fn object(&mut self, depth: u32) -> Result<Vec<Member<'a>>, Fault> {
        let mut members = Vec::new();
        self.at += 1;
        self.skip_blank()?;
        while self.peek() != Some(b'}') {
            if self.peek() != Some(b'"') {
                return Err(self.expected("a name in double quotes"));
            }
            let name = self.string()?;
            self.skip_blank()?;
            if self.peek() != Some(b':') {
                return Err(self.expected("`:`"));
            }
            self.at += 1;
            self.skip_blank()?;
            members.push(Member { name, value: self.value(depth + 1)? });
            self.separator(b'}')?;
        }
        self.at += 1;
        Ok(members)
    }

    /// Steps over the comma between two items, or stops at `close`. A comma in front of `close` is
    /// a slip.
    fn separator(&mut self, close: u8) -> Result<(), Fault> {
        self.skip_blank()?;
        let comma = self.at;
        match self.peek() {
            Some(b',') => self.at += 1,
            Some(byte) if byte == close => return Ok(()),
            _ => return Err(self.expected(&format!("`,` or `{}`", char::from(close)))),
        }
        self.skip_blank()?;
        if self.peek() == Some(close) {
            self.slips.push((comma, Slip::TrailingComma));
        }
        Ok(())
    }

    fn number(&mut self) -> Result<&'a str, Fault> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        if count == 0 { Err(self.expected("a digit")) } else { Ok(()) }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.at += 1;
        let start = self.at;
        let mut decoded: Option<String> = None;
        let mut copied = start;
        loop {
            let plain =
                self.rest().bytes().take_while(|b| !matches!(b, b'"' | b'\\' | 0..=0x1F)).count();
            self.at += plain;
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    let decoded = decoded.get_or_insert_default();
                    decoded.push_str(self.text.get(copied..self.at).unwrap_or_default());
                    let c = self.escape()?;
                    decoded.push(c);
                    copied = self.at;
                }
                Some(_) => {
                    return Err(
                        self.fault("a control character in a string; write it as an escape")
                    );
                }
                None => return Err(self.fault("a string that does not end")),
            }
        }
        let tail = self.text.get(copied..self.at).unwrap_or_default();
        self.at += 1;
        Ok(match decoded {
            None => Cow::Borrowed(tail),
            Some(mut decoded) => {
                decoded.push_str(tail);
                Cow::Owned(decoded)
            }
        })
    }

    fn escape(&mut self) -> Result<char, Fault> {
        self.at += 1;
        let c = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.expected("an escape that JSON knows")),
        };
        self.at += 1;
        Ok(c)
    }

    fn unicode_escape(&mut self) -> Result<char, Fault> {
        let unit = self.hex4()?;
        if !(0xD800..0xDC00).contains(&unit) {
            return char::from_u32(unit).ok_or_else(|| self.fault("half of a surrogate pair"));
        }
        if !self.rest().starts_with("\\u") {
            return Err(self.fault("half of a surrogate pair"));
        }
        self.at += 1;
        let low = self.hex4()?;
        if !(0xDC00..0xE000).contains(&low) {
            return Err(self.fault("half of a surrogate pair"));
        }
        let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        char::from_u32(code).ok_or_else(|| self.fault("half of a surrogate pair"))
    }

    /// The `u` and its four digits.
    fn hex4(&mut self) -> Result<u32, Fault> {
        let digits = self.text.get(self.at + 1..self.at + 5);
        let digits = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or_else(|| self.fault("expected four hexadecimal digits"))?;
        self.at += 5;
        Ok(unit)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Json, Located, Slip, parse, positions};

    /// The value as `serde_json` has it.
    fn plain(located: &Located<'_>) -> serde_json::Value {
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
        assert!(document.slips.is_empty());
    }

    #[test]
    fn trailing_commas_and_comments_are_noted_and_stepped_over() {
        let text = "{ // why\n  \"i\": [1, /* two */ 2,],\n}\n# no";
        assert!(parse(text.as_bytes()).is_err());
        let text = text.trim_end_matches("# no");
        let document = parse(text.as_bytes()).unwrap();
        let offsets: Vec<usize> = document.slips.iter().map(|(at, _)| *at).collect();
        assert_eq!(positions(text, &offsets), [(1, 3), (2, 12), (2, 23), (2, 25)]);
        assert_eq!(document.slips[1].1, Slip::Comment);
        assert_eq!(document.slips[2].1, Slip::TrailingComma);
    }

    #[test]
    fn faults_say_where_and_what() {
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
        assert_eq!(fault("\"\\ud800x\""), "not JSON at line 1, column 8: half of a surrogate pair");
        assert_eq!(fault("{} /*"), "not JSON at line 1, column 4: a comment that does not end");
        let error = parse(b"[\n\xFF]").unwrap_err();
        assert_eq!(error.to_string(), "not JSON at line 2, column 1: the text is not UTF-8");
    }

    #[test]
    fn deep_nesting_is_refused_and_not_followed() {
        let deep = "[".repeat(1_000_000);
        assert_eq!(fault(&deep), "not JSON at line 1, column 65: nested deeper than 64 levels");
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(text in "[\\[\\]{},:\"\\\\ua0-9eE.+\\- \ntrlsfn]{0,24}") {
            let ours = parse(text.as_bytes()).ok().filter(|document| document.slips.is_empty());
            let theirs: Option<serde_json::Value> = serde_json::from_str(&text).ok();
            // A number beyond the doubles is refused there and read as infinity here.
            if !text.contains(['e', 'E']) {
                prop_assert_eq!(ours.map(|document| plain(&document.root)), theirs);
            }
        }
    }
}
