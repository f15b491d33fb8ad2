//! The names of x07AST: dotted names, local names, type names.

use std::fmt::{self, Write};

/// A text in double quotes, with quotes, backslashes and control characters escaped.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                _ if character.is_control() => write!(f, "{}", character.escape_debug())?,
                _ => f.write_char(character)?,
            }
        }
        f.write_char('"')
    }
}

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Checks module ids, symbols, brands and export names: segments joined by dots. The messages
/// always say module id.
pub fn check_dotted(text: &str) -> Result<(), String> {
    let name = text.trim();
    if name.is_empty() {
        return Err("module_id must not be empty".into());
    }
    if name.contains(['/', '\\']) {
        return Err(format!(
            "invalid module_id (path separators are not allowed): {}",
            Quoted(name)
        ));
    }
    for segment in name.split('.') {
        let Some(&first) = segment.as_bytes().first() else {
            return Err(format!("invalid module_id (empty segment): {}", Quoted(name)));
        };
        let problem = if !starts_name(first) {
            "start (must be [A-Za-z_])"
        } else if !segment.bytes().all(|byte| continues_name(byte) || byte == b'-') {
            "char (allowed [A-Za-z0-9_-])"
        } else {
            continue;
        };
        return Err(format!(
            "invalid module_id segment {problem}: {} segment={}",
            Quoted(name),
            Quoted(segment)
        ));
    }
    Ok(())
}

/// Checks the names of parameters, type parameters, type variables and links.
pub(super) fn check_local(text: &str) -> Result<(), String> {
    check_plain(text, "local name", "[A-Za-z_]", starts_name)
}

/// Checks the heads of types, and bounds.
pub(super) fn check_type_name(text: &str) -> Result<(), String> {
    check_plain(text, "type name", "[A-Za-z]", |byte| byte.is_ascii_alphabetic())
}

fn check_plain(
    text: &str,
    what: &str,
    start: &str,
    starts: impl Fn(u8) -> bool,
) -> Result<(), String> {
    let name = text.trim();
    match name.as_bytes() {
        [] => Err(format!("{what} must be non-empty")),
        [first, ..] if !starts(*first) => {
            Err(format!("invalid {what} start (must be {start}): {}", Quoted(name)))
        }
        bytes if !bytes.iter().copied().all(continues_name) => {
            Err(format!("invalid {what} char (allowed [A-Za-z0-9_]): {}", Quoted(name)))
        }
        _ => Ok(()),
    }
}
