//! Credentials in URLs: `scheme://user:password@host`.

use crate::blocks::denying;
use crate::finding::DetectedSecret;
use crate::placeholders::{is_password, is_placeholder, is_random, is_wordy};

/// The name of the rule.
pub(crate) const RULE: &str = "url-credentials";

/// The rule for a local machine with a throwaway password.
pub(crate) const LOCAL_RULE: &str = "local-credentials";

/// The longest host, and the longest part of a URL with a password that has a slash.
const LONGEST: usize = 400;

/// Names of the local machine, and placeholder host names.
const LOCAL_HOSTS: &[&str] = &[
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

/// The credentials of the URL whose `://` is at an offset.
pub(crate) fn credentials(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let has_scheme = text.get(..at)?.last().is_some_and(u8::is_ascii_alphanumeric);
    // JSON may escape the slashes.
    let start = if text.get(at..)?.starts_with(b":\\/\\/") { at + 5 } else { at + 3 };
    // A token may be long. Each byte is read once: the next `://` ends with a slash.
    let tail = text.get(start..)?;
    let rest = &tail[..tail.len().min(LONGEST)];
    let is_end = |byte: &u8| {
        matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b')' | b' ')
            || byte.is_ascii_control()
    };
    let authority = &tail[..tail.iter().position(is_end).unwrap_or(tail.len())];
    crate::steps::add(2 * authority.len());
    let end = match authority.iter().rposition(|byte| *byte == b'@') {
        Some(end) => end,
        None => after_slash(rest)?,
    };
    let user_info = str::from_utf8(&tail[..end]).ok()?;
    let host = host_of(&tail[end + 1..tail.len().min(end + 1 + LONGEST)]);
    let (user, password) = user_info.split_once(':').unwrap_or((user_info, ""));
    if !has_scheme || (password.is_empty() && !is_random(user)) {
        return None;
    }
    let denies = is_secret(user, password, host) && !is_list(user_info);
    Some(DetectedSecret { rule: rule(password, host), span: start..start + end, denies })
}

/// A list of hosts with credentials each: `://user:pass@host1,user2:pass2@host2`. None of them is secret.
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

/// `user:password@tcp(host)/database`, the form of Go's drivers.
pub(crate) fn data_source(text: &[u8], at: usize) -> Option<DetectedSecret> {
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
    (!password.is_empty()).then_some(DetectedSecret { rule, span: start..at, denies })
}

/// `curl -u user:password`.
pub(crate) fn curl_user(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let rest = text.get(at..text.len().min(at + LONGEST))?;
    let line = &rest[..rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())];
    crate::steps::add(line.len() / 4);
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

/// A password with an unescaped `/` or `#`: `://user:pa/ss@host`.
fn after_slash(rest: &[u8]) -> Option<usize> {
    let is_end = |byte: &u8| {
        matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b' ' | b'?' | b',' | b')')
            || byte.is_ascii_control()
    };
    let end = rest.iter().position(is_end).unwrap_or(rest.len());
    crate::steps::add(2 * end);
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

/// The rule for credentials: `sa:LoremIpsum86@localhost` is not a secret in a test.
fn rule(password: &str, host: &str) -> &'static str {
    let is_made_up = !is_random(password) || is_wordy(password);
    let is_near = is_local_host(host) || !host.contains('.');
    if !password.is_empty() && is_made_up && is_near { LOCAL_RULE } else { RULE }
}

/// Whether a host is the local machine or a placeholder.
fn is_local_host(host: &str) -> bool {
    // `localhost2` and `host1` count too.
    let is_one =
        |part: &str| LOCAL_HOSTS.contains(&part.trim_end_matches(|c: char| c.is_ascii_digit()));
    LOCAL_HOSTS.contains(&host) || host.split('.').any(|part| !part.is_empty() && is_one(part))
}

fn is_secret(user: &str, password: &str, host: &str) -> bool {
    if password.is_empty() {
        // Sentry's URLs name a project by a public key.
        return !host.contains("sentry");
    }
    // A password that repeats the user name or a common word is not secret; a real one has no control characters.
    let is_escaped = ["%0", "%1"].iter().any(|control| password.contains(control));
    if is_placeholder(password)
        || password.eq_ignore_ascii_case(user)
        || host.is_empty()
        || is_escaped
    {
        return false;
    }
    is_random(password) || !is_local_host(host) && is_password(password)
}
