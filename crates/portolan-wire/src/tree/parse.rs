//! Parses strict JSON (RFC 8259) into a [`Tree`].
//!
//! Rejects, with line and column: invalid JSON, duplicate keys in an object, deeper nesting than
//! [`MAX_DEPTH`], more values than [`MAX_CELLS`], and numbers that no double can represent.

use std::borrow::Cow;
use std::fmt;

use portolan_json::{Event, Events, JsonToken, ReadFault, ReaderOptions, positions};

use super::{Cell, Kind, NodeIdx, Tree};

/// The deepest nesting of containers.
pub const MAX_DEPTH: usize = 127;

/// The most values and keys. It bounds the memory: a gibibyte for them, and as much
/// again for a canonical copy.
pub const MAX_CELLS: usize = 1 << 26;

/// The text is not JSON, or exceeds a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The message.
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
            let fault = ReadFault { at: valid.len(), message: "the text is not UTF-8".into() };
            return Err(located(&valid, fault));
        }
    };
    if u32::try_from(bytes.len()).is_err() {
        let message = "documents of 4 GiB and more are not read".into();
        return Err(located("", ReadFault { at: 0, message }));
    }
    let tree = Tree { source, owned: String::new(), cells: Vec::with_capacity(bytes.len() / 8) };
    let mut builder = Builder { tree, open: Vec::new() };
    builder.document().map_err(|fault| located(source, fault))?;
    Ok((builder.tree, NodeIdx(0)))
}

fn located(text: &str, fault: ReadFault) -> JsonError {
    let (line, column) = positions(text, &[fault.at]).first().copied().unwrap_or((1, 1));
    JsonError { message: fault.message, line, column }
}

/// Builds cells from the reader's events.
struct Builder<'s> {
    tree: Tree<'s>,
    /// The open containers.
    open: Vec<u32>,
}

impl<'s> Builder<'s> {
    fn document(&mut self) -> Result<(), ReadFault> {
        let rules = ReaderOptions { deviations: false, mark: false, depth: MAX_DEPTH };
        let mut reader = Events::new(self.tree.source, rules);
        while let Some(Event { at, token }) = reader.next()? {
            if self.tree.cells.len() >= MAX_CELLS {
                return Err(ReadFault {
                    at,
                    message: format!("more than {MAX_CELLS} values and keys"),
                });
            }
            match token {
                JsonToken::Null => self.value(Kind::Null, at, 0),
                JsonToken::Bool(true) => self.value(Kind::True, at, 0),
                JsonToken::Bool(false) => self.value(Kind::False, at, 0),
                JsonToken::Number(text) => self.value(number(at, text)?, at, text.len()),
                JsonToken::String(text) => {
                    self.count();
                    self.text(Kind::String, at, text);
                }
                JsonToken::Key(name) => self.text(Kind::Key, at, name),
                JsonToken::BeginArray => self.begin(Kind::Array, at),
                JsonToken::BeginObject => self.begin(Kind::Object, at),
                JsonToken::EndArray | JsonToken::EndObject => self.end()?,
            }
        }
        Ok(())
    }

    /// Counts a value in the innermost container.
    fn count(&mut self) {
        if let Some(&top) = self.open.last() {
            self.tree.cells[top as usize].len += 1;
        }
    }

    fn value(&mut self, kind: Kind, at: usize, len: usize) {
        self.count();
        self.push(kind, false, at, len);
    }

    /// Adds a string or key. Without escapes, its text stays in the source, after its quote.
    fn text(&mut self, kind: Kind, at: usize, text: Cow<'s, str>) {
        match text {
            Cow::Borrowed(plain) => self.push(kind, false, at + 1, plain.len()),
            Cow::Owned(decoded) => {
                let start = self.tree.owned.len();
                self.tree.owned.push_str(&decoded);
                self.push(kind, true, start, decoded.len());
            }
        }
    }

    fn begin(&mut self, kind: Kind, at: usize) {
        self.count();
        self.open.push(self.tree.cells.len() as u32);
        self.push(kind, false, at, 0);
    }

    fn end(&mut self) -> Result<(), ReadFault> {
        let Some(top) = self.open.pop() else { return Ok(()) };
        let size = self.tree.cells.len() as u32 - top;
        let cell = &mut self.tree.cells[top as usize];
        cell.size = size;
        if cell.kind == Kind::Object { self.refuse_repeated_keys(NodeIdx(top)) } else { Ok(()) }
    }

    fn refuse_repeated_keys(&self, object: NodeIdx) -> Result<(), ReadFault> {
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
                Err(ReadFault { at: tree.source_offset(object), message })
            }
        }
    }

    fn push(&mut self, kind: Kind, owned: bool, at: usize, len: usize) {
        self.tree.cells.push(Cell { kind, owned, size: 1, at: at as u32, len: len as u32 });
    }
}

/// The kind of a number; an error if no double can represent it.
fn number(at: usize, text: &str) -> Result<Kind, ReadFault> {
    let fits = text.parse::<u64>().is_ok() || text.parse::<i64>().is_ok();
    if fits && text != "-0" {
        Ok(Kind::Integer)
    } else if text.parse::<f64>().is_ok_and(f64::is_finite) {
        Ok(Kind::Double)
    } else {
        Err(ReadFault { at, message: "number out of range".into() })
    }
}
