//! Secrets that are told by their form: keys in their armour, tokens that carry their claims, headers.

use crate::decode::base64;
use crate::finding::{Finding, begins_word};
use crate::random::{distinct, is_placeholder, is_random, is_token_body};
use crate::shape::Class;

/// How many characters of base64 make a key a real one, and how far its body is looked for.
const KEY_BODY: usize = 60;
pub(crate) const KEY_WINDOW: usize = 4096;

/// How much of a key in base64 has its first line.
const LONGEST_HEAD: usize = 96;

pub(crate) fn denying(rule: &'static str, start: usize, end: usize) -> Finding {
    Finding { rule, span: start..end, denies: true }
}

/// The run of a class that begins at a place. It may be as long as the text: whoever takes it must do so once
/// for a place, or a text of nothing but beginnings takes for ever.
fn run(text: &[u8], at: usize, class: Class) -> &str {
    run_of(text, at, |byte| class.has(byte))
}

/// The run of bytes of a sort that begins at a place; they are ASCII.
fn run_of(text: &[u8], at: usize, mut is_it: impl FnMut(u8) -> bool) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    let end = rest.iter().position(|byte| !is_it(*byte)).unwrap_or(rest.len());
    #[cfg(test)]
    crate::steps::add(end);
    str::from_utf8(&rest[..end]).unwrap_or_default()
}

pub(crate) fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    text.windows(needle.len()).position(|window| window == needle)
}

/// A first line of a private key, and then enough of its body: a program that only mentions the line
/// is let through.
pub(crate) fn private_key(text: &[u8], at: usize) -> Option<Finding> {
    let begin = at + find(text.get(at..)?, b"BEGIN ")? + b"BEGIN ".len();
    let rest = text.get(begin..)?;
    let label = &rest[..rest.iter().take(60).position(|byte| *byte == b'-')?];
    let is_key = |end: &[u8]| label.trim_ascii_end().ends_with(end);
    if !(is_key(b"PRIVATE KEY") || is_key(b"PRIVATE KEY BLOCK")) {
        return None;
    }
    let window = &rest[label.len()..rest.len().min(label.len() + KEY_WINDOW)];
    let body = &window
        [..find(window, b"-- END").or_else(|| find(window, b"--END")).unwrap_or(window.len())];
    // In a document, the fence ends what is shown of one.
    let body = &body[..find(body, b"```").unwrap_or(body.len())];
    // A key longer than what is looked at is masked to its end.
    let end = begin + label.len() + body.len();
    let goes_on = |byte: &u8| {
        Class::Base64.has(*byte) || byte.is_ascii_whitespace() || matches!(byte, b'\\' | b':')
    };
    let more = if body.len() < window.len() { 0 } else { length_of(text, end, goes_on) };
    is_key_body(body).then(|| denying("private-key", at, end + more))
}

/// How many bytes from a place on are of a sort.
fn length_of(text: &[u8], at: usize, is_it: impl Fn(&u8) -> bool) -> usize {
    text.get(at..).unwrap_or_default().iter().take_while(|byte| is_it(byte)).count()
}

/// Whether there is enough base64 (line ends may be written as `\n`) in long runs.
fn is_key_body(body: &[u8]) -> bool {
    let runs = body.split(|byte| !Class::Base64.has(*byte));
    let long = runs.filter(|run| run.len() >= 16 && distinct(run) >= 8 && !is_word(run));
    // One line and dots behind it show what a key looks like.
    let is_elided = body.len() < 2 * KEY_BODY && find(body, b"\n...\n").is_some();
    long.map(<[u8]>::len).sum::<usize>() >= KEY_BODY && !is_elided
}

/// A name in a program has no digits between its letters.
fn is_word(run: &[u8]) -> bool {
    run.iter().all(u8::is_ascii_alphabetic) && run.len() < 30
}

/// A `PuTTY` key with its private lines.
pub(crate) fn putty_key(text: &[u8], at: usize) -> Option<Finding> {
    let rest = text.get(at..text.len().min(at + KEY_WINDOW))?;
    let end = find(rest, b"Private-Lines:").or_else(|| (at == 0).then_some(20.min(rest.len())))?;
    Some(denying("private-key", at, at + end))
}

/// A key in its armour that was encoded once more, as orchestrators do.
pub(crate) fn encoded_key(text: &[u8], at: usize) -> Option<Finding> {
    let window = text.get(at..text.len().min(at + KEY_WINDOW))?;
    // Most of what begins so is no key: its first line says it.
    let head = base64(run(&window[..window.len().min(LONGEST_HEAD)], 0, Class::Base64))?;
    find(&head, b"PRIVATE KEY")?;
    private_key(&base64(run(window, 0, Class::Base64))?, 0)?;
    Some(denying("private-key", at, at + run(text, at, Class::Base64).len()))
}

/// `header.claims.signature`.
pub(crate) fn jwt(text: &[u8], at: usize) -> Option<Finding> {
    if !begins_word(text.get(..at)?) {
        return None;
    }
    let header = header(text, at);
    let claims_at = at + header.len() + 1;
    if header.len() < 12 || text.get(claims_at - 1) != Some(&b'.') {
        return None;
    }
    let claims = run(text, claims_at, Class::Dashed);
    let signature_at = claims_at + claims.len() + 1;
    if claims.len() < 10 || text.get(signature_at - 1) != Some(&b'.') {
        return None;
    }
    let signature = run(text, signature_at, Class::Dashed);
    if signature.len() < 20 {
        return None;
    }
    let header_text = base64(header)?;
    let claims_text = base64(claims)?;
    let is_token = find(&header_text, b"\"alg\"").is_some() && claims_text.first() == Some(&b'{');
    (is_token && !is_sample(&claims_text) && is_token_body(signature))
        .then(|| denying("jwt", at, signature_at + signature.len()))
}

/// The header of a token. In the base64 of ASCII a dash stands for `>` or `~` alone, so there are few; behind
/// each another header could begin, and no place is gone over more often than that.
fn header(text: &[u8], at: usize) -> &str {
    const MOST_DASHES: usize = 8;
    let mut dashes = 0;
    run_of(text, at, |byte| {
        dashes += usize::from(byte == b'-');
        Class::Dashed.has(byte) && dashes <= MOST_DASHES
    })
}

/// The token that every tutorial shows, and those made after it.
fn is_sample(claims: &[u8]) -> bool {
    [b"1234567890".as_slice(), b"John Doe", b"example", b"test"]
        .iter()
        .any(|mark| find(claims, mark).is_some())
}

/// A JWT that was encoded once more.
pub(crate) fn encoded_jwt(text: &[u8], at: usize) -> Option<Finding> {
    if !begins_word(text.get(..at)?) {
        return None;
    }
    // No byte of a token is written with `+` or `/`, behind which another one could begin.
    let encoded = run(text, at, Class::Alnum);
    jwt(&base64(encoded)?, 0)?;
    let padding = length_of(text, at + encoded.len(), |byte| *byte == b'=').min(2);
    Some(denying("jwt", at, at + encoded.len() + padding))
}

/// `Authorization: Basic …`, where it holds a name and a password.
pub(crate) fn basic_header(text: &[u8], at: usize) -> Option<Finding> {
    let start = at + b"Basic ".len();
    let value = run(text, start, Class::Base64);
    let decoded = String::from_utf8(base64(value).filter(|_| value.len() >= 12)?).ok()?;
    let (user, password) = decoded.split_once(':')?;
    let is_printable = decoded.chars().all(|c| !c.is_control() && c.is_ascii());
    let is_real = !is_placeholder(password) && password != user;
    (is_printable && is_real).then(|| denying("authorization-header", start, start + value.len()))
}

/// `Authorization: Bearer …`.
pub(crate) fn bearer_header(text: &[u8], at: usize) -> Option<Finding> {
    let start = at + b"Bearer ".len();
    let value = run(text, start, Class::Dotted);
    let is_real = value.len() >= 20 && is_random(value);
    (is_real && !value.starts_with("eyJ"))
        .then(|| denying("authorization-header", start, start + value.len()))
}

/// `"auth": "…"` with a name and a password, as Docker writes it.
pub(crate) fn docker_auth(text: &[u8], at: usize) -> Option<Finding> {
    let key = b"\"auth\"".len();
    let rest = text.get(at + key..)?;
    let gap = rest.iter().take(20).position(|byte| !matches!(byte, b' ' | b':' | b'"' | b'\t'))?;
    let start = at + key + gap;
    let value = run(text, start, Class::Base64);
    let decoded = String::from_utf8(base64(value).filter(|_| value.len() >= 8)?).ok()?;
    let (_, password) = decoded.split_once(':')?;
    (!is_placeholder(password)).then(|| denying("docker-auth", start, start + value.len()))
}

/// A client's key in a kubeconfig.
pub(crate) fn kube_key(text: &[u8], at: usize) -> Option<Finding> {
    let key = b"client-key-data".len();
    let rest = text.get(at + key..)?;
    let gap = rest.iter().take(8).position(|byte| !matches!(byte, b' ' | b':' | b'"' | b'\''))?;
    let start = at + key + gap;
    let value = run(text, start, Class::Base64);
    (value.len() >= 40 && distinct(value.as_bytes()) >= 8)
        .then(|| denying("kubeconfig", start, start + value.len()))
}

/// A JSON Web Key with its private part.
pub(crate) fn private_jwk(text: &[u8], at: usize) -> Option<Finding> {
    let from = at.saturating_sub(KEY_WINDOW / 4);
    let window = text.get(from..text.len().min(at + KEY_WINDOW))?;
    // Only the object around it.
    let middle = at - from;
    let start = window[..middle].iter().rposition(|byte| *byte == b'{')?;
    let end = middle
        + window[middle..].iter().position(|byte| *byte == b'}').unwrap_or(window.len() - middle);
    let object = &window[start..end];
    let private = find(object, b"\"d\"").or_else(|| find(object, b"\"k\""))?;
    let value_at = object.get(private + 3..)?.iter().take(8).position(u8::is_ascii_alphanumeric)?;
    let place = from + start + private + 3 + value_at;
    let value = run(text, place, Class::Dashed);
    (value.len() >= 32 && is_token_body(value))
        .then(|| denying("private-jwk", place, place + value.len()))
}
