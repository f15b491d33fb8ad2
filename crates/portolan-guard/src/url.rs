//! Credentials in URLs: `scheme://user:password@host`.

use crate::blocks::denying;
use crate::finding::Finding;
use crate::random::{is_password, is_placeholder, is_random, is_wordy};

/// The rule's name.
pub(crate) const RULE: &str = "url-credentials";

/// The rule for what opens a machine that nobody else can reach, with a password that somebody made up for it.
pub(crate) const LOCAL_RULE: &str = "local-credentials";

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
    // In JSON the slashes may be escaped.
    let start = if text.get(at..)?.starts_with(b":\\/\\/") { at + 5 } else { at + 3 };
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
    let denies = is_secret(user, password, host) && !is_list(user_info);
    Some(Finding { rule: rule(password, host), span: start..start + end, denies })
}

/// Several hosts, each with its own: `://user:pass@host1,user2:pass2@host2`. None of them is a secret.
fn is_list(user_info: &str) -> bool {
    let mut parts = user_info.split(',');
    let last = parts.next_back().unwrap_or_default();
    let (user, password) = last.split_once(':').unwrap_or((last, ""));
    let is_harmless = |part: &str| {
        part.rsplit_once('@').is_some_and(|(info, host)| {
            let (user, password) = info.split_once(':').unwrap_or((info, ""));
            !is_secret(user, password, host_of(host.as_bytes()))
        })
    };
    user_info.contains(',')
        && parts.all(|part| is_harmless(part) || !part.contains('@'))
        && (password.is_empty() || is_placeholder(password) || password.eq_ignore_ascii_case(user))
}

/// `user:password@tcp(host)/database`, as Go's drivers take it.
pub(crate) fn data_source(text: &[u8], at: usize) -> Option<Finding> {
    let before = text.get(at.saturating_sub(LONGEST / 2)..at)?;
    let is_end = |byte: &u8| {
        matches!(byte, b'"' | b'\'' | b'`' | b'=' | b',' | b'(' | b'/') || *byte <= b' '
    };
    let start = at - before.iter().rev().take_while(|byte| !is_end(byte)).count();
    let (user, password) = str::from_utf8(text.get(start..at)?).ok()?.split_once(':')?;
    let open = at + text.get(at..)?.iter().position(|byte| *byte == b'(')? + 1;
    let host = host_of(text.get(open..text.len().min(open + LONGEST))?);
    let denies = is_secret(user, password, host);
    let rule = rule(password, host);
    (!password.is_empty()).then_some(Finding { rule, span: start..at, denies })
}

/// `curl -u user:password`.
pub(crate) fn curl_user(text: &[u8], at: usize) -> Option<Finding> {
    let rest = text.get(at..text.len().min(at + LONGEST))?;
    let line = &rest[..rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())];
    let flags = [b" -u ".as_slice(), b" --user ", b" --user=", b" -u"];
    let (flag, length) = flags.iter().find_map(|flag| {
        let found = line.windows(flag.len()).position(|window| window == *flag)?;
        Some((found, flag.len()))
    })?;
    let given = line.get(flag + length..)?;
    let quotes = given.iter().take_while(|byte| matches!(byte, b'"' | b'\'' | b'\\')).count();
    let value = given.get(quotes..)?;
    let is_end =
        |byte: &u8| matches!(byte, b'"' | b'\'' | b'\\' | b'`' | b'|' | b';') || *byte <= b' ';
    let value = &value[..value.iter().position(is_end).unwrap_or(value.len())];
    let (user, password) = str::from_utf8(value).ok()?.split_once(':')?;
    let is_real = !password.eq_ignore_ascii_case(user)
        && !user.contains('/')
        && (is_random(password) || is_password(password));
    let start = at + flag + length + quotes;
    is_real.then(|| denying("authorization-header", start, start + value.len()))
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

/// The rule that credentials are found by: `sa:LoremIpsum86@localhost` is no secret in a test.
fn rule(password: &str, host: &str) -> &'static str {
    let is_made_up = !is_random(password) || is_wordy(password);
    let is_near = is_nobodys(host) || !host.contains('.');
    if !password.is_empty() && is_made_up && is_near { LOCAL_RULE } else { RULE }
}

/// Whether a name stands for no machine, or for the one that everybody has.
fn is_nobodys(host: &str) -> bool {
    // `localhost2` and `host1` are as much as one.
    let is_one =
        |part: &str| NOBODYS.contains(&part.trim_end_matches(|c: char| c.is_ascii_digit()));
    NOBODYS.contains(&host) || host.split('.').any(|part| !part.is_empty() && is_one(part))
}

fn is_secret(user: &str, password: &str, host: &str) -> bool {
    if password.is_empty() {
        // Sentry's addresses name a project by a key that pages show to everybody.
        return !host.contains("sentry");
    }
    // Who repeats the name of the user, or of a thing, has no secret; nor has a password control characters.
    let is_escaped = ["%0", "%1"].iter().any(|control| password.contains(control));
    if is_placeholder(password)
        || password.eq_ignore_ascii_case(user)
        || host.is_empty()
        || is_escaped
    {
        return false;
    }
    is_random(password) || !is_nobodys(host) && is_password(password)
}
