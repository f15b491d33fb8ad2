//! Strict JSON (RFC 8259) into a [`Tree`], with a loop instead of recursion.
//!
//! Refused, with line and column: what is no JSON, a key that an object has twice, more nesting
//! than [`MAX_DEPTH`], more values than [`MAX_CELLS`], numbers that no double can hold.

use std::fmt;

use super::{Cell, Kind, NodeIdx, Tree};

/// The deepest nesting of containers that is read.
pub const MAX_DEPTH: usize = 127;

/// The most values and keys that are read. It bounds the memory at a gibibyte or so.
pub const MAX_CELLS: usize = 1 << 26;

/// Text that is not JSON, or not JSON that we read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong.
    pub message: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in UTF-16 units as editors count.
    pub column: u32,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.message, self.line, self.column)
    }
}

impl std::error::Error for JsonError {}

/// Reads one JSON value.
pub fn parse(bytes: &[u8]) -> Result<(Tree<'_>, NodeIdx), JsonError> {
    let source = match std::str::from_utf8(bytes) {
        Ok(source) => source,
        Err(error) => {
            let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            return Err(located(&valid, valid.len(), "invalid UTF-8".into()));
        }
    };
    if u32::try_from(bytes.len()).is_err() {
        return Err(located("", 0, "documents of 4 GiB and more are not read".into()));
    }
    let tree = Tree { source, owned: String::new(), cells: Vec::with_capacity(bytes.len() / 8) };
    let mut parser = Parser { bytes, at: 0, tree, open: Vec::new() };
    parser.document()?;
    Ok((parser.tree, NodeIdx(0)))
}

fn located(text: &str, offset: usize, message: String) -> JsonError {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.bytes().filter(|&byte| byte == b'\n').count() as u32 + 1;
    let start_of_line = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[start_of_line..].encode_utf16().count() as u32 + 1;
    JsonError { message, line, column }
}

struct Parser<'s> {
    bytes: &'s [u8],
    at: usize,
    tree: Tree<'s>,
    /// The containers that are not closed yet.
    open: Vec<u32>,
}

type Parsed<T> = Result<T, JsonError>;

impl Parser<'_> {
    fn document(&mut self) -> Parsed<()> {
        loop {
            self.space();
            if self.value()? {
                continue;
            }
            if !self.after_value()? {
                break;
            }
        }
        self.space();
        if self.at < self.bytes.len() { self.fail("trailing characters") } else { Ok(()) }
    }

    /// Reads a value, of a container only its beginning: up to its first value. Answers whether a
    /// value must follow.
    fn value(&mut self) -> Parsed<bool> {
        match self.peek() {
            Some(b'{') => self.container(Kind::Object),
            Some(b'[') => self.container(Kind::Array),
            Some(b'"') => self.string(Kind::String).map(|()| false),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| false),
            Some(b't') => self.word("true", Kind::True).map(|()| false),
            Some(b'f') => self.word("false", Kind::False).map(|()| false),
            Some(b'n') => self.word("null", Kind::Null).map(|()| false),
            Some(_) => self.fail("expected a value"),
            None => self.fail("unexpected end of the text, expected a value"),
        }
    }

    fn container(&mut self, kind: Kind) -> Parsed<bool> {
        if self.open.len() == MAX_DEPTH {
            return self.fail(&format!("more than {MAX_DEPTH} levels of nesting"));
        }
        let node = self.push(kind, false, self.at, 0)?;
        self.open.push(node);
        self.at += 1;
        self.space();
        match (kind, self.peek()) {
            (Kind::Object, Some(b'}')) | (Kind::Array, Some(b']')) => self.close().map(|()| false),
            (Kind::Object, _) => self.key().map(|()| true),
            _ => Ok(true),
        }
    }

    /// Goes from the end of a value to the next one, closing what ends. Answers whether there is a
    /// next one.
    fn after_value(&mut self) -> Parsed<bool> {
        while let Some(&top) = self.open.last() {
            self.space();
            let cell = &mut self.tree.cells[top as usize];
            cell.len += 1;
            let in_object = cell.kind == Kind::Object;
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    self.space();
                    if in_object {
                        self.key()?;
                    }
                    return Ok(true);
                }
                Some(b'}') if in_object => self.close()?,
                Some(b']') if !in_object => self.close()?,
                Some(_) if in_object => return self.fail("expected `,` or `}`"),
                Some(_) => return self.fail("expected `,` or `]`"),
                None => return self.fail("unexpected end of the text in an object or array"),
            }
        }
        Ok(false)
    }

    fn key(&mut self) -> Parsed<()> {
        match self.peek() {
            Some(b'"') => self.string(Kind::Key)?,
            Some(_) => return self.fail("expected a key in double quotes"),
            None => return self.fail("unexpected end of the text in an object"),
        }
        self.space();
        match self.peek() {
            Some(b':') => self.at += 1,
            _ => return self.fail("expected `:`"),
        }
        Ok(())
    }

    fn close(&mut self) -> Parsed<()> {
        self.at += 1;
        let Some(top) = self.open.pop() else { return Ok(()) };
        let size = self.tree.cells.len() as u32 - top;
        let cell = &mut self.tree.cells[top as usize];
        cell.size = size;
        if cell.kind == Kind::Object { self.refuse_repeated_keys(NodeIdx(top)) } else { Ok(()) }
    }

    fn refuse_repeated_keys(&self, object: NodeIdx) -> Parsed<()> {
        const FEW: usize = 12;
        let tree = &self.tree;
        let mut keys: Vec<&str> =
            tree.members(object).map(|member| tree.text(member.key)).collect();
        let repeated = if keys.len() <= FEW {
            (1..keys.len()).find(|&at| keys[..at].contains(&keys[at])).map(|at| keys[at])
        } else {
            keys.sort_unstable();
            keys.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
        };
        match repeated {
            None => Ok(()),
            Some(key) => {
                let message = format!("the key {key:?} is there twice in the object");
                Err(located(tree.source, tree.source_offset(object), message))
            }
        }
    }

    fn string(&mut self, kind: Kind) -> Parsed<()> {
        self.at += 1;
        let start = self.at;
        self.plain();
        if self.peek() == Some(b'"') {
            self.push(kind, false, start, self.at - start)?;
        } else {
            let owned = self.tree.owned.len();
            self.string_with_escapes(start)?;
            self.push(kind, true, owned, self.tree.owned.len() - owned)?;
        }
        self.at += 1;
        Ok(())
    }

    /// Goes over characters that stand for themselves.
    fn plain(&mut self) {
        let rest = &self.bytes[self.at..];
        let special = |&byte: &u8| byte == b'"' || byte == b'\\' || byte < 0x20;
        self.at += rest.iter().position(special).unwrap_or(rest.len());
    }

    fn string_with_escapes(&mut self, start: usize) -> Parsed<()> {
        let mut copied = start;
        loop {
            self.tree.owned.push_str(&self.tree.source[copied..self.at]);
            match self.peek() {
                Some(b'"') => return Ok(()),
                Some(b'\\') => self.escape()?,
                Some(_) => return self.fail("a control character in a string must be escaped"),
                None => return self.fail("unexpected end of the text in a string"),
            }
            copied = self.at;
            self.plain();
        }
    }

    fn escape(&mut self) -> Parsed<()> {
        let escape = self.bytes.get(self.at + 1).copied();
        let character = match escape {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return self.fail("invalid escape in a string"),
        };
        self.tree.owned.push(character);
        self.at += 2;
        Ok(())
    }

    fn unicode_escape(&mut self) -> Parsed<()> {
        let first = self.code_unit()?;
        let character = match first {
            0xD800..=0xDBFF => {
                let second =
                    if self.bytes[self.at..].starts_with(b"\\u") { self.code_unit()? } else { 0 };
                char::decode_utf16([first, second]).next().and_then(Result::ok)
            }
            _ => char::from_u32(u32::from(first)),
        };
        match character {
            Some(character) => {
                self.tree.owned.push(character);
                Ok(())
            }
            None => self.fail("a surrogate without its other half in a string"),
        }
    }

    /// Reads `\uXXXX`.
    fn code_unit(&mut self) -> Parsed<u16> {
        let digits = self
            .bytes
            .get(self.at + 2..self.at + 6)
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let unit = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u16::from_str_radix(digits, 16).ok());
        match unit {
            Some(unit) => {
                self.at += 6;
                Ok(unit)
            }
            None => self.fail("`\\u` needs four hexadecimal digits"),
        }
    }

    fn number(&mut self) -> Parsed<()> {
        let start = self.at;
        let negative = self.skip(b'-');
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return self.fail("expected a digit"),
        }
        let mut integer = true;
        if self.skip(b'.') {
            integer = false;
            self.digits()?;
        }
        if self.skip(b'e') || self.skip(b'E') {
            integer = false;
            let _sign = self.skip(b'+') || self.skip(b'-');
            self.digits()?;
        }
        let text = &self.tree.source[start..self.at];
        let fits = text.parse::<u64>().is_ok() || text.parse::<i64>().is_ok();
        let integer = integer && fits && !(negative && text == "-0");
        if !integer && !text.parse::<f64>().is_ok_and(f64::is_finite) {
            self.at = start;
            return self.fail("number out of range");
        }
        let kind = if integer { Kind::Integer } else { Kind::Double };
        self.push(kind, false, start, self.at - start).map(drop)
    }

    fn digits(&mut self) -> Parsed<()> {
        let rest = &self.bytes[self.at..];
        let digits = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        self.at += digits;
        if digits == 0 { self.fail("expected a digit") } else { Ok(()) }
    }

    fn word(&mut self, word: &str, kind: Kind) -> Parsed<()> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return self.fail("expected a value");
        }
        self.push(kind, false, self.at, word.len())?;
        self.at += word.len();
        Ok(())
    }

    fn push(&mut self, kind: Kind, owned: bool, at: usize, len: usize) -> Parsed<u32> {
        if self.tree.cells.len() >= MAX_CELLS {
            return self.fail(&format!("more than {MAX_CELLS} values and keys"));
        }
        let node = self.tree.cells.len() as u32;
        self.tree.cells.push(Cell { kind, owned, size: 1, at: at as u32, len: len as u32 });
        Ok(node)
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn skip(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn fail<T>(&self, message: &str) -> Parsed<T> {
        Err(located(self.tree.source, self.at, message.to_owned()))
    }
}
