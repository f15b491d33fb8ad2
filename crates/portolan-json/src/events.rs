//! The grammar: reads a text and yields events.

use std::borrow::Cow;

/// What a reader accepts.
#[derive(Clone, Copy, Debug)]
pub struct ReaderOptions {
    /// Whether to skip and record comments and trailing commas; otherwise they are errors.
    pub deviations: bool,
    /// Whether the text may start with a byte order mark.
    pub mark: bool,
    /// How many containers may be open at once. Deeper nesting is an error.
    pub depth: usize,
}

/// A token and the offset of its first byte.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<'a> {
    /// Offset of its first byte.
    pub at: usize,
    /// The token.
    pub token: JsonToken<'a>,
}

/// The tokens of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonToken<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written.
    Number(&'a str),
    /// A string, decoded; borrowed if it has no escapes.
    String(Cow<'a, str>),
    /// The name of a member, decoded. Its value follows.
    Key(Cow<'a, str>),
    /// `[`
    BeginArray,
    /// `]`
    EndArray,
    /// `{`
    BeginObject,
    /// `}`
    EndObject,
}

/// Something that is not JSON and was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// A comma with nothing after it.
    TrailingComma,
    /// `// …` or `/* … */`.
    Comment,
}

impl Deviation {
    /// What it is, for a message.
    pub fn name(self) -> &'static str {
        match self {
            Self::TrailingComma => "trailing comma",
            Self::Comment => "comment",
        }
    }
}

/// Why a text cannot be read any further, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFault {
    /// Offset in the text.
    pub at: usize,
    /// What was expected.
    pub message: String,
}

/// An open container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Array,
    Object,
}

impl Container {
    fn close(self) -> (u8, JsonToken<'static>) {
        match self {
            Self::Array => (b']', JsonToken::EndArray),
            Self::Object => (b'}', JsonToken::EndObject),
        }
    }
}

/// What must come next.
#[derive(Clone, Copy)]
enum Next {
    Value,
    /// The first item or member of the container just opened, or its end.
    First,
    /// After a value: a comma, or the end of a container or of the text.
    After,
}

/// Reads a text from start to end, one event per call.
pub struct Events<'a> {
    text: &'a str,
    at: usize,
    rules: ReaderOptions,
    open: Vec<Container>,
    next: Next,
    deviations: Vec<(usize, Deviation)>,
}

impl<'a> Events<'a> {
    /// A reader at the start of a text.
    pub fn new(text: &'a str, rules: ReaderOptions) -> Self {
        let marked = rules.mark && text.starts_with('\u{FEFF}');
        let at = if marked { '\u{FEFF}'.len_utf8() } else { 0 };
        Self { text, at, rules, open: Vec::new(), next: Next::Value, deviations: Vec::new() }
    }

    /// What was skipped so far, with its offset.
    pub fn into_deviations(self) -> Vec<(usize, Deviation)> {
        self.deviations
    }

    /// The next event; `None` at the end of valid JSON.
    #[expect(clippy::should_implement_trait, reason = "an error ends the reading; `?` fits a loop")]
    pub fn next(&mut self) -> Result<Option<Event<'a>>, ReadFault> {
        self.skip_blank()?;
        match self.next {
            Next::Value => self.value().map(Some),
            Next::First => match self.open.last() {
                Some(top) if self.peek() == Some(top.close().0) => Ok(Some(self.end(*top))),
                Some(Container::Object) => self.key().map(Some),
                _ => self.value().map(Some),
            },
            Next::After => match self.open.last().copied() {
                Some(top) => self.after(top).map(Some),
                None if self.peek().is_none() => Ok(None),
                None => Err(self.fault("expected the end of the text")),
            },
        }
    }

    /// Continues after an item or member: to the next one, or to the container's end.
    fn after(&mut self, top: Container) -> Result<Event<'a>, ReadFault> {
        let (close, _) = top.close();
        let comma = self.at;
        match self.peek() {
            Some(b',') => self.at += 1,
            Some(byte) if byte == close => return Ok(self.end(top)),
            _ => return Err(self.expected(&format!("`,` or `{}`", char::from(close)))),
        }
        self.skip_blank()?;
        if self.rules.deviations && self.peek() == Some(close) {
            self.deviations.push((comma, Deviation::TrailingComma));
            return Ok(self.end(top));
        }
        match top {
            Container::Array => self.value(),
            Container::Object => self.key(),
        }
    }

    fn end(&mut self, top: Container) -> Event<'a> {
        let at = self.at;
        self.at += 1;
        self.open.pop();
        self.next = Next::After;
        Event { at, token: top.close().1 }
    }

    /// Reads a value; for a container, only its start.
    fn value(&mut self) -> Result<Event<'a>, ReadFault> {
        let at = self.at;
        self.next = Next::After;
        let token = match self.peek() {
            Some(b'{') => self.begin(Container::Object, JsonToken::BeginObject)?,
            Some(b'[') => self.begin(Container::Array, JsonToken::BeginArray)?,
            Some(b'"') => JsonToken::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => JsonToken::Number(self.number()?),
            None if self.open.is_empty() => return Err(self.fault("the text is empty")),
            _ => self.word()?,
        };
        Ok(Event { at, token })
    }

    fn begin(
        &mut self,
        container: Container,
        token: JsonToken<'a>,
    ) -> Result<JsonToken<'a>, ReadFault> {
        if self.open.len() >= self.rules.depth {
            return Err(self.fault(&format!("more than {} levels of nesting", self.rules.depth)));
        }
        self.at += 1;
        self.open.push(container);
        self.next = Next::First;
        Ok(token)
    }

    fn key(&mut self) -> Result<Event<'a>, ReadFault> {
        let at = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.expected("a name in double quotes"));
        }
        let name = self.string()?;
        self.skip_blank()?;
        if self.peek() != Some(b':') {
            return Err(self.expected("`:`"));
        }
        self.at += 1;
        self.next = Next::Value;
        Ok(Event { at, token: JsonToken::Key(name) })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn fault(&self, message: &str) -> ReadFault {
        ReadFault { at: self.at, message: message.to_owned() }
    }

    fn expected(&self, what: &str) -> ReadFault {
        match self.rest().chars().next() {
            Some(c) => self.fault(&format!("expected {what}, found `{c}`")),
            None => self.fault(&format!("expected {what}, but the text ends")),
        }
    }

    /// Skips white space and, if allowed, comments.
    fn skip_blank(&mut self) -> Result<(), ReadFault> {
        loop {
            let rest = self.rest();
            let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
            self.at += rest.bytes().take_while(is_blank).count();
            let rest = self.rest();
            let length = if !self.rules.deviations {
                return Ok(());
            } else if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                let end = rest.get(2..).and_then(|inner| inner.find("*/"));
                end.ok_or_else(|| self.fault("a comment that does not end"))? + 4
            } else {
                return Ok(());
            };
            self.deviations.push((self.at, Deviation::Comment));
            self.at += length;
        }
    }

    fn word(&mut self) -> Result<JsonToken<'a>, ReadFault> {
        let words = [
            ("null", JsonToken::Null),
            ("true", JsonToken::Bool(true)),
            ("false", JsonToken::Bool(false)),
        ];
        let rest = self.rest();
        for (word, token) in words {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(token);
            }
        }
        Err(self.expected("a value"))
    }

    fn number(&mut self) -> Result<&'a str, ReadFault> {
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

    fn digits(&mut self) -> Result<(), ReadFault> {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        if count == 0 { Err(self.expected("a digit")) } else { Ok(()) }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, ReadFault> {
        self.at += 1;
        let mut copied = self.at;
        let mut decoded: Option<String> = None;
        loop {
            let special = |byte: &u8| !matches!(byte, b'"' | b'\\' | 0..=0x1F);
            self.at += self.rest().bytes().take_while(special).count();
            let plain = self.text.get(copied..self.at).unwrap_or_default();
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(match decoded {
                        None => Cow::Borrowed(plain),
                        Some(decoded) => Cow::Owned(decoded + plain),
                    });
                }
                Some(b'\\') => {
                    let c = self.escape()?;
                    let decoded = decoded.get_or_insert_default();
                    decoded.push_str(plain);
                    decoded.push(c);
                    copied = self.at;
                }
                Some(_) => {
                    let message = "a control character in a string; write it as an escape";
                    return Err(self.fault(message));
                }
                None => return Err(self.fault("a string that does not end")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ReadFault> {
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

    fn unicode_escape(&mut self) -> Result<char, ReadFault> {
        const HALF: &str = "a surrogate without its other half in a string";
        let first = self.code_unit()?;
        let second = match first {
            0xD800..0xDC00 if self.rest().starts_with("\\u") => {
                self.at += 1;
                self.code_unit()?
            }
            _ => 0,
        };
        let decoded = char::decode_utf16([first, second]).next();
        decoded.and_then(Result::ok).ok_or_else(|| self.fault(HALF))
    }

    /// Reads the `u` and its four digits.
    fn code_unit(&mut self) -> Result<u16, ReadFault> {
        let digits = self.text.get(self.at + 1..self.at + 5);
        let digits = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or_else(|| self.fault("`\\u` needs four hexadecimal digits"))?;
        self.at += 5;
        Ok(unit)
    }
}
