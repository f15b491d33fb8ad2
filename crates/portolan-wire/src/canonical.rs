//! Canonical JSON as RFC 8785 defines it: one byte sequence per value.
//!
//! Keys are sorted by UTF-16 code unit, numbers are written as ECMAScript writes them, strings
//! escape only what they must, and there is no white space.

use portolan_types::cmp_utf16;
use serde_json::{Number, Value};

/// Writes a value in canonical form.
///
/// Uses an explicit stack, so deep nesting is safe.
pub fn to_vec(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    write_value(&mut out, value);
    out
}

/// Writes a value in canonical form, as text.
pub fn to_string(value: &Value) -> String {
    // Only ASCII punctuation, `str` slices and number texts are ever pushed.
    String::from_utf8(to_vec(value)).unwrap_or_default()
}

/// A part still to write; the stack has the innermost last.
enum PendingWrite<'a> {
    Value(&'a Value),
    Key(&'a str),
    Punctuation(u8),
}

/// Appends a value in canonical form.
pub fn write_value(out: &mut Vec<u8>, value: &Value) {
    let mut steps = vec![PendingWrite::Value(value)];
    while let Some(step) = steps.pop() {
        match step {
            PendingWrite::Punctuation(byte) => out.push(byte),
            PendingWrite::Key(key) => {
                write_string(out, key);
                out.push(b':');
            }
            PendingWrite::Value(Value::Null) => out.extend_from_slice(b"null"),
            PendingWrite::Value(Value::Bool(true)) => out.extend_from_slice(b"true"),
            PendingWrite::Value(Value::Bool(false)) => out.extend_from_slice(b"false"),
            PendingWrite::Value(Value::Number(number)) => write_number(out, number),
            PendingWrite::Value(Value::String(text)) => write_string(out, text),
            PendingWrite::Value(Value::Array(items)) => {
                out.push(b'[');
                steps.push(PendingWrite::Punctuation(b']'));
                for (index, item) in items.iter().enumerate().rev() {
                    steps.push(PendingWrite::Value(item));
                    if index > 0 {
                        steps.push(PendingWrite::Punctuation(b','));
                    }
                }
            }
            PendingWrite::Value(Value::Object(members)) => {
                out.push(b'{');
                steps.push(PendingWrite::Punctuation(b'}'));
                let mut members: Vec<_> = members.iter().collect();
                members.sort_by(|left, right| cmp_utf16(left.0, right.0));
                for (index, (key, item)) in members.into_iter().enumerate().rev() {
                    steps.push(PendingWrite::Value(item));
                    steps.push(PendingWrite::Key(key));
                    if index > 0 {
                        steps.push(PendingWrite::Punctuation(b','));
                    }
                }
            }
        }
    }
}

/// Appends a string with its quotes.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut copied = 0;
    // Most texts need no escape.
    let first = bytes.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0x00..=0x1F));
    for (at, &byte) in bytes.iter().enumerate().skip(first.unwrap_or(bytes.len())) {
        let escape: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            0x08 => b"\\b",
            b'\t' => b"\\t",
            b'\n' => b"\\n",
            0x0C => b"\\f",
            b'\r' => b"\\r",
            0x00..=0x1F => b"",
            _ => continue,
        };
        out.extend_from_slice(&bytes[copied..at]);
        copied = at + 1;
        if escape.is_empty() {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
        } else {
            out.extend_from_slice(escape);
        }
    }
    out.extend_from_slice(&bytes[copied..]);
    out.push(b'"');
}

/// Appends a number as ECMAScript writes it. There, every number is a double, so integers beyond 2^53 lose
/// digits; the standard requires that.
pub fn write_number(out: &mut Vec<u8>, number: &Number) {
    /// Integers up to this one are doubles, and ECMAScript writes their plain digits.
    const MAX_SAFE: u64 = 1 << 53;
    match (number.as_u64(), number.as_i64()) {
        (Some(int), _) if int <= MAX_SAFE => out.extend_from_slice(int.to_string().as_bytes()),
        (_, Some(int)) if int.unsigned_abs() <= MAX_SAFE => {
            out.extend_from_slice(int.to_string().as_bytes());
        }
        _ => {
            // A `Number` is finite unless arbitrary precision is enabled, which it is not.
            let double = number.as_f64().unwrap_or(0.0);
            out.extend_from_slice(ryu_js::Buffer::new().format_finite(double).as_bytes());
        }
    }
}

/// Writes an object member by member, for objects with parts that are already canonical text.
#[derive(Debug)]
pub struct ObjectWriter {
    out: Vec<u8>,
    last_key: Option<String>,
}

impl Default for ObjectWriter {
    fn default() -> Self {
        Self { out: vec![b'{'], last_key: None }
    }
}

impl ObjectWriter {
    /// An empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty object with capacity for some bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        let mut writer = Self::default();
        writer.out.reserve(bytes);
        writer
    }

    /// Appends a member. Keys must come in canonical order.
    pub fn member(&mut self, key: &str, value: &Value) {
        self.key(key);
        write_value(&mut self.out, value);
    }

    /// Appends a member whose value is already canonical.
    pub fn canonical_member(&mut self, key: &str, canonical: &[u8]) {
        self.key(key);
        self.out.extend_from_slice(canonical);
    }

    fn key(&mut self, key: &str) {
        debug_assert!(
            self.last_key.as_deref().is_none_or(|last| cmp_utf16(last, key).is_lt()),
            "{key} is out of order"
        );
        if self.last_key.replace(key.to_owned()).is_some() {
            self.out.push(b',');
        }
        write_string(&mut self.out, key);
        self.out.push(b':');
    }

    /// The object.
    pub fn finish(mut self) -> Vec<u8> {
        self.out.push(b'}');
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::to_string;

    fn check(input: &str, expected: &str) {
        let value = serde_json::from_str(input).unwrap();
        assert_eq!(to_string(&value), expected);
    }

    #[test]
    fn numbers_are_written_as_ecmascript_does() {
        check(
            "[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,-0,-0.0,1e21,123456789012345680000]",
            "[333333333.3333333,1e+30,4.5,0.002,1e-27,0,0,1e+21,123456789012345680000]",
        );
        check(
            "[9007199254740992,9007199254740993,-9007199254740993,18446744073709551615]",
            "[9007199254740992,9007199254740992,-9007199254740992,18446744073709552000]",
        );
    }

    #[test]
    fn strings_escape_only_what_they_must() {
        check(
            r#""\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/\u007f""#,
            "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\u{7f}\"",
        );
    }

    #[test]
    fn keys_are_sorted_by_utf16_code_unit() {
        check(
            r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#,
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}",
        );
    }

    #[test]
    fn deep_nesting_is_safe() {
        let mut value = serde_json::Value::Null;
        for _ in 0..1_000_000 {
            value = serde_json::Value::Array(vec![value]);
        }
        assert_eq!(super::to_vec(&value).len(), 2_000_004);
        // Dropping such a value would recurse, so take it apart by hand.
        while let serde_json::Value::Array(mut items) = value {
            value = items.pop().unwrap_or_default();
        }
    }
}
