//! Strict JSON (RFC 8259) into a [`Tree`].
//!
//! Refused, with line and column: what is no JSON, a key that an object has twice, more nesting
//! than [`MAX_DEPTH`], more values than [`MAX_CELLS`], numbers that no double can hold.

use std::borrow::Cow;
use std::fmt;

use portolan_json::{Event, Events, Fault, Rules, Token, positions};

use super::{Cell, Kind, NodeIdx, Tree};

/// The deepest nesting of containers that is read.
pub const MAX_DEPTH: usize = 127;

/// The most values and keys that are read. It bounds the memory: a gibibyte for them, and as much
/// again for a canonical copy.
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
            let fault = Fault { at: valid.len(), message: "the text is not UTF-8".into() };
            return Err(located(&valid, fault));
        }
    };
    if u32::try_from(bytes.len()).is_err() {
        let message = "documents of 4 GiB and more are not read".into();
        return Err(located("", Fault { at: 0, message }));
    }
    let tree = Tree { source, owned: String::new(), cells: Vec::with_capacity(bytes.len() / 8) };
    let mut builder = Builder { tree, open: Vec::new() };
    builder.document().map_err(|fault| located(source, fault))?;
    Ok((builder.tree, NodeIdx(0)))
}

fn located(text: &str, fault: Fault) -> JsonError {
    let (line, column) = positions(text, &[fault.at]).first().copied().unwrap_or((1, 1));
    JsonError { message: fault.message, line, column }
}

/// Makes cells of what the reader says.
struct Builder<'s> {
    tree: Tree<'s>,
    /// The containers that are not closed yet.
    open: Vec<u32>,
}

impl<'s> Builder<'s> {
    fn document(&mut self) -> Result<(), Fault> {
        let rules = Rules { slips: false, mark: false, depth: MAX_DEPTH };
        let mut reader = Events::new(self.tree.source, rules);
        while let Some(Event { at, token }) = reader.next()? {
            if self.tree.cells.len() >= MAX_CELLS {
                return Err(Fault {
                    at,
                    message: format!("more than {MAX_CELLS} values and keys"),
                });
            }
            match token {
                Token::Null => self.value(Kind::Null, at, 0),
                Token::Bool(true) => self.value(Kind::True, at, 0),
                Token::Bool(false) => self.value(Kind::False, at, 0),
                Token::Number(text) => self.value(number(at, text)?, at, text.len()),
                Token::String(text) => {
                    self.count();
                    self.text(Kind::String, at, text);
                }
                Token::Key(name) => self.text(Kind::Key, at, name),
                Token::BeginArray => self.begin(Kind::Array, at),
                Token::BeginObject => self.begin(Kind::Object, at),
                Token::EndArray | Token::EndObject => self.end()?,
            }
        }
        Ok(())
    }

    /// Counts a value as one of the innermost container.
    fn count(&mut self) {
        if let Some(&top) = self.open.last() {
            self.tree.cells[top as usize].len += 1;
        }
    }

    fn value(&mut self, kind: Kind, at: usize, len: usize) {
        self.count();
        self.push(kind, false, at, len);
    }

    /// A string or key. What has no escapes stays in the source, behind its quote.
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

    fn end(&mut self) -> Result<(), Fault> {
        let Some(top) = self.open.pop() else { return Ok(()) };
        let size = self.tree.cells.len() as u32 - top;
        let cell = &mut self.tree.cells[top as usize];
        cell.size = size;
        if cell.kind == Kind::Object { self.refuse_repeated_keys(NodeIdx(top)) } else { Ok(()) }
    }

    fn refuse_repeated_keys(&self, object: NodeIdx) -> Result<(), Fault> {
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
                Err(Fault { at: tree.source_offset(object), message })
            }
        }
    }

    fn push(&mut self, kind: Kind, owned: bool, at: usize, len: usize) {
        self.tree.cells.push(Cell { kind, owned, size: 1, at: at as u32, len: len as u32 });
    }
}

/// What a number is; one that no double can hold is refused.
fn number(at: usize, text: &str) -> Result<Kind, Fault> {
    let fits = text.parse::<u64>().is_ok() || text.parse::<i64>().is_ok();
    if fits && text != "-0" {
        Ok(Kind::Integer)
    } else if text.parse::<f64>().is_ok_and(f64::is_finite) {
        Ok(Kind::Double)
    } else {
        Err(Fault { at, message: "number out of range".into() })
    }
}
