//! The grammar: text in, events out.

use std::borrow::Cow;

/// What a reader allows.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Whether comments and trailing commas are noted and stepped over, or refused.
    pub slips: bool,
    /// Whether a byte order mark may stand in front.
    pub mark: bool,
    /// How many containers may be open at once. More is refused.
    pub depth: usize,
}

/// Something that the text says, and the byte it begins at.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<'a> {
    /// Offset of its first byte.
    pub at: usize,
    /// What it is.
    pub token: Token<'a>,
}

/// What a text consists of.
#[derive(Clone, Debug, PartialEq)]
pub enum Token<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written.
    Number(&'a str),
    /// A string, decoded; borrowed where the text has it as it is.
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

/// Why a text cannot be read on, and the byte where that shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Offset in the text.
    pub at: usize,
    /// What was expected.
    pub message: String,
}

/// A container that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Array,
    Object,
}

impl Container {
    fn close(self) -> (u8, Token<'static>) {
        match self {
            Self::Array => (b']', Token::EndArray),
            Self::Object => (b'}', Token::EndObject),
        }
    }
}

/// What must come next.
#[derive(Clone, Copy)]
enum Next {
    Value,
    /// The first item or member of the container that was just opened, or its end.
    First,
    /// What follows a value: a comma, the end of a container or of the text.
    After,
}

/// Reads a text from its beginning to its end, one event a call.
pub struct Events<'a> {
    text: &'a str,
    at: usize,
    rules: Rules,
    open: Vec<Container>,
    next: Next,
    slips: Vec<(usize, Slip)>,
}

impl<'a> Events<'a> {
    /// A reader at the beginning of a text.
    pub fn new(text: &'a str, rules: Rules) -> Self {
        let marked = rules.mark && text.starts_with('\u{FEFF}');
        let at = if marked { '\u{FEFF}'.len_utf8() } else { 0 };
        Self { text, at, rules, open: Vec::new(), next: Next::Value, slips: Vec::new() }
    }

    /// What has been stepped over so far, with its offset.
    pub fn into_slips(self) -> Vec<(usize, Slip)> {
        self.slips
    }

    /// The next event; nothing at the end of a text that is JSON.
    #[expect(clippy::should_implement_trait, reason = "a fault ends the reading; `?` fits a loop")]
    pub fn next(&mut self) -> Result<Option<Event<'a>>, Fault> {
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

    /// Goes on after an item or member: over a comma to the next, or to the container's end.
    fn after(&mut self, top: Container) -> Result<Event<'a>, Fault> {
        let (close, _) = top.close();
        let comma = self.at;
        match self.peek() {
            Some(b',') => self.at += 1,
            Some(byte) if byte == close => return Ok(self.end(top)),
            _ => return Err(self.expected(&format!("`,` or `{}`", char::from(close)))),
        }
        self.skip_blank()?;
        if self.rules.slips && self.peek() == Some(close) {
            self.slips.push((comma, Slip::TrailingComma));
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

    /// A value; of a container only its beginning.
    fn value(&mut self) -> Result<Event<'a>, Fault> {
        let at = self.at;
        self.next = Next::After;
        let token = match self.peek() {
            Some(b'{') => self.begin(Container::Object, Token::BeginObject)?,
            Some(b'[') => self.begin(Container::Array, Token::BeginArray)?,
            Some(b'"') => Token::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Token::Number(self.number()?),
            None if self.open.is_empty() => return Err(self.fault("the text is empty")),
            _ => self.word()?,
        };
        Ok(Event { at, token })
    }

    fn begin(&mut self, container: Container, token: Token<'a>) -> Result<Token<'a>, Fault> {
        if self.open.len() >= self.rules.depth {
            return Err(self.fault(&format!("more than {} levels of nesting", self.rules.depth)));
        }
        self.at += 1;
        self.open.push(container);
        self.next = Next::First;
        Ok(token)
    }

    fn key(&mut self) -> Result<Event<'a>, Fault> {
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
        Ok(Event { at, token: Token::Key(name) })
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

    /// Steps over white space, and where slips are allowed over comments with a note.
    fn skip_blank(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.rest();
            let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
            self.at += rest.bytes().take_while(is_blank).count();
            let rest = self.rest();
            let length = if !self.rules.slips {
                return Ok(());
            } else if rest.starts_with("//") {
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

    fn word(&mut self) -> Result<Token<'a>, Fault> {
        let words =
            [("null", Token::Null), ("true", Token::Bool(true)), ("false", Token::Bool(false))];
        let rest = self.rest();
        for (word, token) in words {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(token);
            }
        }
        Err(self.expected("a value"))
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

    /// The `u` and its four digits.
    fn code_unit(&mut self) -> Result<u16, Fault> {
        let digits = self.text.get(self.at + 1..self.at + 5);
        let digits = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or_else(|| self.fault("`\\u` needs four hexadecimal digits"))?;
        self.at += 5;
        Ok(unit)
    }
}
