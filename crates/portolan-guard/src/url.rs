//! Credentials in URLs: `scheme://user:password@host`.

use crate::finding::Finding;
use crate::random::{is_password, is_placeholder, is_random};

/// The rule's name.
pub(crate) const RULE: &str = "url-credentials";

/// The longest part of a URL that names a user and a host.
const LONGEST: usize = 400;

/// Names that stand for a machine and are none, or for the one that everybody has.
const NOBODYS: &[&str] = &[
    "example",
    "localhost",
    "127.0.0.1",
    "0.0.0.0",
    "::1",
    "test",
    "invalid",
    "host",
    "hostname",
    "domain",
];

/// The credentials of the URL whose `://` is at a place.
pub(crate) fn credentials(text: &[u8], at: usize) -> Option<Finding> {
    let has_scheme = text.get(..at)?.last().is_some_and(u8::is_ascii_alphanumeric);
    let start = at + 3;
    let rest = text.get(start..text.len().min(start + LONGEST))?;
    let is_end = |byte: &u8| {
        matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b')' | b' ')
            || byte.is_ascii_control()
    };
    let authority = &rest[..rest.iter().position(is_end).unwrap_or(rest.len())];
    let end = match authority.iter().rposition(|byte| *byte == b'@') {
        Some(end) => end,
        None => beyond_slash(rest)?,
    };
    let user_info = str::from_utf8(&rest[..end]).ok()?;
    let host = host_of(&rest[end + 1..]);
    let (user, password) = user_info.split_once(':').unwrap_or((user_info, ""));
    if !has_scheme || (password.is_empty() && !is_random(user)) {
        return None;
    }
    let denies = is_secret(user, password, host);
    Some(Finding { rule: RULE, span: start..start + end, denies })
}

/// A password with a `/` or `#` in it that nobody escaped: `://user:pa/ss@host`.
fn beyond_slash(rest: &[u8]) -> Option<usize> {
    let is_end = |byte: &u8| {
        matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b' ' | b'?' | b',' | b')')
            || byte.is_ascii_control()
    };
    let end = rest.iter().position(is_end).unwrap_or(rest.len());
    let at = rest[..end].iter().position(|byte| *byte == b'@')?;
    let (_, password) = str::from_utf8(&rest[..at]).ok()?.split_once(':')?;
    // `http://host:8080/@scope/name` has no password.
    let is_port = password
        .split('/')
        .next()
        .is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    (!is_port && is_random(&password.replace(['/', '#'], ""))).then_some(at)
}

fn host_of(rest: &[u8]) -> &str {
    let is_end = |byte: &u8| !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    let end = rest.iter().position(is_end).unwrap_or(rest.len());
    str::from_utf8(&rest[..end]).unwrap_or_default()
}

fn is_secret(user: &str, password: &str, host: &str) -> bool {
    if password.is_empty() {
        // Sentry's addresses name a project by a key that pages show to everybody.
        return !host.contains("sentry");
    }
    let is_nobodys =
        NOBODYS.iter().any(|name| host.split('.').any(|part| part == *name) || host == *name);
    // Who repeats the name of the user, or of a thing, has no secret.
    if is_placeholder(password) || password.eq_ignore_ascii_case(user) || host.is_empty() {
        return false;
    }
    is_random(password) || !is_nobodys && is_password(password)
}
