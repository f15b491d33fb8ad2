//! Secrets recognized by their format: armoured keys, tokens with claims, headers.

use crate::decode::base64;
use crate::finding::{DetectedSecret, begins_word};
use crate::random::{distinct, is_placeholder, is_random, is_token_body};
use crate::shape::CharSet;

/// How many base64 characters make a real key, and how far to search for its body.
const KEY_BODY: usize = 60;
pub(crate) const KEY_WINDOW: usize = 4096;

/// How much base64 to decode for the first line of an encoded key.
const LONGEST_HEAD: usize = 96;

pub(crate) fn denying(rule: &'static str, start: usize, end: usize) -> DetectedSecret {
    DetectedSecret { rule, span: start..end, denies: true }
}

/// The run of a class that starts at an offset. It may be as long as the text, so a caller must take it at
/// most once per offset; otherwise a text of nothing but prefixes takes quadratic time.
fn run(text: &[u8], at: usize, class: CharSet) -> &str {
    run_of(text, at, |byte| class.has(byte))
}

/// The run of matching ASCII bytes that starts at an offset.
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

/// The first line of a private key, followed by enough of its body. A program that only mentions the line
/// is allowed.
pub(crate) fn private_key(text: &[u8], at: usize) -> Option<DetectedSecret> {
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
    // In a document, a closing fence ends the example.
    let body = &body[..find(body, b"```").unwrap_or(body.len())];
    // A key longer than the window is masked to its end.
    let end = begin + label.len() + body.len();
    let goes_on = |byte: &u8| {
        CharSet::Base64.has(*byte) || byte.is_ascii_whitespace() || matches!(byte, b'\\' | b':')
    };
    let more = if body.len() < window.len() { 0 } else { length_of(text, end, goes_on) };
    is_key_body(body).then(|| denying("private-key", at, end + more))
}

/// How many bytes from an offset on satisfy a predicate.
fn length_of(text: &[u8], at: usize, is_it: impl Fn(&u8) -> bool) -> usize {
    text.get(at..).unwrap_or_default().iter().take_while(|byte| is_it(byte)).count()
}

/// Whether there is enough base64 in long runs. Line breaks may be written as `\n`.
fn is_key_body(body: &[u8]) -> bool {
    let runs = body.split(|byte| !CharSet::Base64.has(*byte));
    let long = runs.filter(|run| run.len() >= 16 && distinct(run) >= 8 && !is_word(run));
    // One line followed by dots is an example of a key.
    let is_elided = body.len() < 2 * KEY_BODY && find(body, b"\n...\n").is_some();
    long.map(<[u8]>::len).sum::<usize>() >= KEY_BODY && !is_elided
}

/// An identifier has no digits between its letters.
fn is_word(run: &[u8]) -> bool {
    run.iter().all(u8::is_ascii_alphabetic) && run.len() < 30
}

/// A `PuTTY` key with its private part.
pub(crate) fn putty_key(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let rest = text.get(at..text.len().min(at + KEY_WINDOW))?;
    let end = find(rest, b"Private-Lines:").or_else(|| (at == 0).then_some(20.min(rest.len())))?;
    Some(denying("private-key", at, at + end))
}

/// An armoured key in base64, as orchestrators store it.
pub(crate) fn encoded_key(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let window = text.get(at..text.len().min(at + KEY_WINDOW))?;
    // Most matches are not keys, and their first line shows it.
    let head = base64(run(&window[..window.len().min(LONGEST_HEAD)], 0, CharSet::Base64))?;
    find(&head, b"PRIVATE KEY")?;
    private_key(&base64(run(window, 0, CharSet::Base64))?, 0)?;
    Some(denying("private-key", at, at + run(text, at, CharSet::Base64).len()))
}

/// `header.claims.signature`.
pub(crate) fn jwt(text: &[u8], at: usize) -> Option<DetectedSecret> {
    if !begins_word(text.get(..at)?) {
        return None;
    }
    let header = header(text, at);
    let claims_at = at + header.len() + 1;
    if header.len() < 12 || text.get(claims_at - 1) != Some(&b'.') {
        return None;
    }
    let claims = run(text, claims_at, CharSet::Dashed);
    let signature_at = claims_at + claims.len() + 1;
    if claims.len() < 10 || text.get(signature_at - 1) != Some(&b'.') {
        return None;
    }
    let signature = run(text, signature_at, CharSet::Dashed);
    if signature.len() < 20 {
        return None;
    }
    let header_text = base64(header)?;
    let claims_text = base64(claims)?;
    let is_token = find(&header_text, b"\"alg\"").is_some() && claims_text.first() == Some(&b'{');
    (is_token && !is_sample(&claims_text) && is_token_body(signature))
        .then(|| denying("jwt", at, signature_at + signature.len()))
}

/// The header of a token. In the base64 of ASCII, only `>` and `~` give a dash, so dashes are few. Another
/// header could start after each one, so the limit bounds how often an offset is scanned.
fn header(text: &[u8], at: usize) -> &str {
    const MOST_DASHES: usize = 8;
    let mut dashes = 0;
    run_of(text, at, |byte| {
        dashes += usize::from(byte == b'-');
        CharSet::Dashed.has(byte) && dashes <= MOST_DASHES
    })
}

/// The sample token of the tutorials, and tokens derived from it.
fn is_sample(claims: &[u8]) -> bool {
    [b"1234567890".as_slice(), b"John Doe", b"example", b"test"]
        .iter()
        .any(|mark| find(claims, mark).is_some())
}

/// A JWT in base64.
pub(crate) fn encoded_jwt(text: &[u8], at: usize) -> Option<DetectedSecret> {
    if !begins_word(text.get(..at)?) {
        return None;
    }
    // The base64 of a token has no `+` or `/`, after which another token could start.
    let encoded = run(text, at, CharSet::Alnum);
    jwt(&base64(encoded)?, 0)?;
    let padding = length_of(text, at + encoded.len(), |byte| *byte == b'=').min(2);
    Some(denying("jwt", at, at + encoded.len() + padding))
}

/// `Authorization: Basic …` with a user name and a password.
pub(crate) fn basic_header(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let start = at + b"Basic ".len();
    let value = run(text, start, CharSet::Base64);
    let decoded = String::from_utf8(base64(value).filter(|_| value.len() >= 12)?).ok()?;
    let (user, password) = decoded.split_once(':')?;
    let is_printable = decoded.chars().all(|c| !c.is_control() && c.is_ascii());
    let is_real = !is_placeholder(password) && password != user;
    (is_printable && is_real).then(|| denying("authorization-header", start, start + value.len()))
}

/// `Authorization: Bearer …`.
pub(crate) fn bearer_header(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let start = at + b"Bearer ".len();
    let value = run(text, start, CharSet::Dotted);
    let is_real = value.len() >= 20 && is_random(value);
    (is_real && !value.starts_with("eyJ"))
        .then(|| denying("authorization-header", start, start + value.len()))
}

/// `"auth": "…"` with a user name and a password, as Docker writes it.
pub(crate) fn docker_auth(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let key = b"\"auth\"".len();
    let rest = text.get(at + key..)?;
    let gap = rest.iter().take(20).position(|byte| !matches!(byte, b' ' | b':' | b'"' | b'\t'))?;
    let start = at + key + gap;
    let value = run(text, start, CharSet::Base64);
    let decoded = String::from_utf8(base64(value).filter(|_| value.len() >= 8)?).ok()?;
    let (_, password) = decoded.split_once(':')?;
    (!is_placeholder(password)).then(|| denying("docker-auth", start, start + value.len()))
}

/// A client's key in a kubeconfig.
pub(crate) fn kube_key(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let key = b"client-key-data".len();
    let rest = text.get(at + key..)?;
    let gap = rest.iter().take(8).position(|byte| !matches!(byte, b' ' | b':' | b'"' | b'\''))?;
    let start = at + key + gap;
    let value = run(text, start, CharSet::Base64);
    (value.len() >= 40 && distinct(value.as_bytes()) >= 8)
        .then(|| denying("kubeconfig", start, start + value.len()))
}

/// A JSON Web Key with its private part.
pub(crate) fn private_jwk(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let from = at.saturating_sub(KEY_WINDOW / 4);
    let window = text.get(from..text.len().min(at + KEY_WINDOW))?;
    // Search only the enclosing object.
    let middle = at - from;
    let start = window[..middle].iter().rposition(|byte| *byte == b'{')?;
    let end = middle
        + window[middle..].iter().position(|byte| *byte == b'}').unwrap_or(window.len() - middle);
    let object = &window[start..end];
    let private = find(object, b"\"d\"").or_else(|| find(object, b"\"k\""))?;
    let value_at = object.get(private + 3..)?.iter().take(8).position(u8::is_ascii_alphanumeric)?;
    let place = from + start + private + 3 + value_at;
    let value = run(text, place, CharSet::Dashed);
    (value.len() >= 32 && is_token_body(value))
        .then(|| denying("private-jwk", place, place + value.len()))
}
