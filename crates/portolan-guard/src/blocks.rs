//! Secrets recognized by their format: armoured keys, tokens with claims, headers.

use crate::decode::base64;
use crate::finding::{DetectedSecret, begins_word};
use crate::placeholders::{distinct, is_placeholder, is_random, is_token_body};
use crate::shape::CharSet;
use crate::steps;

/// How many base64 characters make a real key, and how far to search for its body.
const KEY_BODY: usize = 60;
const KEY_WINDOW: usize = 4096;
/// How far the last line of a key may be away, of which each line has something before it.
const FAR_END: usize = 32 << 10;
/// The shortest line of such a body, apart from its last one.
const SHORTEST_LINE: usize = 16;
/// The shortest run of base64 that no header has: more than an initial vector.
const LONGER_THAN_HEADERS: usize = 48;

/// The longest line among the headers of a key.
const LONGEST_HEADER: usize = 16 << 10;

/// The longest name and password in a header.
const LONGEST_BASIC: usize = 1024;

/// How far the braces of a JSON Web Key may be away.
const LONGEST_OBJECT: usize = 64 << 10;

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
    steps::add(end);
    str::from_utf8(&rest[..end]).unwrap_or_default()
}

pub(crate) fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    let found = memchr::memmem::find(text, needle);
    steps::add(32 + found.unwrap_or(text.len()) / 8);
    found
}

/// The first line of a private key, followed by enough of its body. A program that only mentions the line
/// is allowed.
pub(crate) fn private_key(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let head = text.get(at..text.len().min(at + 16))?;
    let begin = head.windows(6).position(|word| word.eq_ignore_ascii_case(b"BEGIN "));
    let begin = at + begin? + b"BEGIN ".len();
    let rest = text.get(begin..)?;
    let label = &rest[..rest.iter().take(60).position(|byte| *byte == b'-')?];
    let upper = label.to_ascii_uppercase();
    let label_words: Vec<&[u8]> =
        upper.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let is_key = |end: &[&[u8]]| label_words.ends_with(end);
    if !(is_key(&[b"PRIVATE", b"KEY"]) || is_key(&[b"PRIVATE", b"KEY", b"BLOCK"])) {
        return None;
    }
    let start = label.len() + headers(&rest[label.len()..]);
    let window = &rest[start..rest.len().min(start + KEY_WINDOW)];
    let ends = [b"-- END".as_slice(), b"--END", b"-- BEGIN", b"--BEGIN"];
    // In a document, a closing fence ends the example.
    let body = ends
        .iter()
        .chain([&b"```".as_slice()])
        .fold(window, |body, end| &body[..find(body, end).unwrap_or(body.len())]);
    steps::add(4 * body.len());
    // A key longer than the window is masked to its end.
    let end = begin + start + body.len();
    let far = || {
        let rest = window_of(text, end, FAR_END)?;
        let mark = ends.iter().filter_map(|mark| find(rest, mark)).min()?;
        // The line that the window ends in counts as a whole.
        let own = memchr::memrchr(b'\n', body).map_or(0, |it| it + 1);
        Some(
            end + body_lines(&text[begin + start + own..end + mark])
                .saturating_sub(body.len() - own),
        )
    };
    if body.len() == window.len()
        && is_key_body(body)
        && let Some(end) = far()
    {
        return Some(denying("private-key", at, end));
    }
    let goes_on = |byte: &u8| {
        CharSet::Base64.has(*byte) || byte.is_ascii_whitespace() || matches!(byte, b'\\' | b':')
    };
    let more = if body.len() < window.len() { 0 } else { length_of(text, end, goes_on) };
    let is_key = is_key_body(body) || is_narrow_body(body);
    is_key.then(|| denying("private-key", at, end + more))
}

/// How long the lines of a key's body are, each of which may have something before it. The last line is that of the mark.
fn body_lines(text: &[u8]) -> usize {
    let mut length = 0;
    while length < text.len() {
        let (line, more) = full_line(&text[length..]);
        steps::add(2 * line.len());
        let is_last = length + more >= text.len();
        // The last line of the body is shorter than the others, and then comes what is before the mark.
        let is_before_last = full_line(&text[length + more..]).1 + length + more >= text.len();
        let least = if is_before_last { 4 } else { SHORTEST_LINE };
        if !(is_last || line.trim_ascii().is_empty() || ends_in_body(line, least)) {
            break;
        }
        length += more;
    }
    length
}

/// The first line of a text, and its length with its end, which a string writes as `\\n`.
fn full_line(text: &[u8]) -> (&[u8], usize) {
    let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    let line = &text[..end];
    match memchr::memmem::find(line, b"\\n") {
        Some(end) => (&line[..end], end + 2),
        None => (line, (end + 1).min(text.len())),
    }
}

/// Whether a line ends in a run of base64, apart from what closes a string or an object.
fn ends_in_body(line: &[u8], least: usize) -> bool {
    let is_edge = |byte: &u8| b" \t\r\"'`*,;\\)]}".contains(byte);
    let tail = line.iter().rev().take_while(|byte| is_edge(byte)).count();
    let line = &line[..line.len() - tail];
    let length = line.iter().rev().take_while(|byte| CharSet::Base64.has(**byte)).count();
    length >= least && distinct(&line[line.len() - length..]) >= 8.min(least)
}

/// Whether a body has many lines of base64, each too short to tell.
fn is_narrow_body(body: &[u8]) -> bool {
    let mut joined = Vec::new();
    for line in body.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
        if !line.iter().all(|byte| CharSet::Base64.has(*byte)) {
            return false;
        }
        joined.extend_from_slice(line);
    }
    joined.len() >= 2 * KEY_BODY && distinct(&joined) >= 24
}

/// The last line of a private key, behind its body: whatever stands at its beginning.
pub(crate) fn key_before_end(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let near = text.get(at.saturating_sub(32)..at)?;
    let mark = near.windows(4).rposition(|word| word.eq_ignore_ascii_case(b"END "))?;
    let is_mark = near[..mark].ends_with(b"--") && !near[mark..].contains(&b'\n');
    if !is_mark {
        return None;
    }
    let line = memchr::memrchr(b'\n', text.get(..at)?)?;
    let from = line.saturating_sub(KEY_WINDOW);
    let before = text.get(from..line)?;
    steps::add(before.len() / 8);
    // What surrounds a line in a string or a comment is no part of it.
    let own = |line: &'_ [u8]| -> usize {
        let is_edge = |byte: &u8| b" \t\r\"'`#/*+,;\\n".contains(byte);
        let lead = line.iter().take_while(|byte| is_edge(byte) && **byte != b'n').count();
        let line = &line[lead..];
        let tail = line.iter().rev().take_while(|byte| is_edge(byte)).count();
        let body = &line[..line.len() - tail];
        let is_body = body.len() >= 4 && body.iter().all(|byte| CharSet::Base64.has(*byte));
        if is_body { body.len() } else { 0 }
    };
    // In a log each line has something before it; the last line of the body is shorter than the others.
    let behind = |line: &[u8], least: usize| {
        let last = line.rsplit(|byte| b" \t|:>".contains(byte)).next().unwrap_or_default();
        let length = own(last);
        if length >= least && distinct(last) >= 8.min(least) { length } else { 0 }
    };
    let (mut length, mut start) = (0, line);
    for (number, line) in before.rsplit(|byte| *byte == b'\n').enumerate() {
        steps::add(2 * line.len());
        let least = if number == 0 { 4 } else { KEY_BODY };
        let own = match own(line) {
            0 => behind(line, least),
            own => own,
        };
        if own == 0 {
            break;
        }
        length += own;
        start = start.saturating_sub(line.len() + 1);
    }
    let body = text.get(start..line)?;
    let is_key = length >= 3 * KEY_BODY && distinct(body) >= 24;
    is_key.then(|| denying("private-key", start, at))
}

/// The private part of a key in XML, as .NET writes it.
pub(crate) fn xml_key(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let start = at + b"<D>".len();
    let value = run(text, start, CharSet::Base64);
    let is_key = value.len() >= KEY_BODY && is_token_body(value);
    let is_closed = text.get(start + value.len()..)?.starts_with(b"</D>");
    (is_key && is_closed).then(|| denying("private-key", start, start + value.len()))
}

/// How long the headers of an armoured key are, with the rest of its first line: `Comment: …`, lines that continue one, and
/// blank lines. All of them may be indented, as in a block of YAML. A string in a program writes line ends as `\\n`.
fn headers(text: &[u8]) -> usize {
    let mut at = text.iter().take_while(|byte| **byte == b'-').count();
    if !line(&text[at..]).0.trim_ascii().is_empty() {
        return 0;
    }
    let (mut is_in_headers, mut has_header) = (true, false);
    while is_in_headers && at < text.len() {
        let (own, length) = line(&text[at..]);
        let said = own.trim_ascii();
        let name = said.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-');
        let name = name.count();
        // The time before a line of a log is no header, nor is what stands before a part of the body.
        let is_named = said.first().is_some_and(u8::is_ascii_alphabetic)
            && said.get(name) == Some(&b':')
            && said.get(name + 1).is_none_or(u8::is_ascii_whitespace)
            && !has_body_run(said);
        let is_continued = has_header && own.first() == Some(&b' ') && !is_body_line(said);
        let is_header = is_named || is_continued;
        let is_next = is_header && find(own, b"BEGIN ").is_some();
        is_in_headers = (is_header || said.is_empty()) && !is_next;
        has_header |= is_named;
        if is_in_headers {
            at += length;
        }
        steps::add(own.len());
    }
    at
}

/// A part of a text.
fn window_of(text: &[u8], at: usize, most: usize) -> Option<&[u8]> {
    text.get(at..text.len().min(at + most))
}

/// Whether a line has a run of base64 that no header has.
fn has_body_run(line: &[u8]) -> bool {
    let mut runs = line.split(|byte| !CharSet::Base64.has(*byte));
    runs.any(|run| run.len() >= LONGER_THAN_HEADERS && distinct(run) >= 16)
}

/// Whether a line looks like one of a key's body: nothing but base64.
fn is_body_line(said: &[u8]) -> bool {
    said.len() >= 16 && said.iter().all(|byte| CharSet::Base64.has(*byte))
}

/// The first line of a text, and its length with its end. Of a line that is longer than any header, only the beginning.
fn line(text: &[u8]) -> (&[u8], usize) {
    let text = &text[..text.len().min(LONGEST_HEADER)];
    steps::add(text.len() / 32);
    let real = memchr::memchr(b'\n', text);
    let head = &text[..real.unwrap_or(text.len())];
    match memchr::memmem::find(head, b"\\n") {
        Some(written) => (&head[..written], written + 2),
        None => (head, (head.len() + 1).min(text.len())),
    }
}

/// How many bytes from an offset on satisfy a predicate.
fn length_of(text: &[u8], at: usize, is_it: impl Fn(&u8) -> bool) -> usize {
    let length = text.get(at..).unwrap_or_default().iter().take_while(|byte| is_it(byte)).count();
    steps::add(length);
    length
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
    if text.get(signature_at - 1) != Some(&b'.') {
        return None;
    }
    let signature = run(text, signature_at, CharSet::Dashed);
    let end = signature_at + signature.len();
    if text.get(end) == Some(&b'.') {
        return encrypted(text, header, end).map(|end| denying("jwt", at, end));
    }
    if claims.len() < 10 || signature.len() < 20 {
        return None;
    }
    let header_text = base64(header)?;
    let claims_text = base64(claims)?;
    let is_token = find(&header_text, b"\"alg\"").is_some()
        && claims_text.trim_ascii_start().first() == Some(&b'{');
    (is_token && !is_sample(&claims_text) && is_token_body(signature))
        .then(|| denying("jwt", at, end))
}

/// The end of an encrypted token, of which the first three of five parts end at an offset.
fn encrypted(text: &[u8], header: &str, third: usize) -> Option<usize> {
    let cipher = run(text, third + 1, CharSet::Dashed);
    let tag_at = third + 1 + cipher.len() + 1;
    if cipher.len() < 12 || text.get(tag_at - 1) != Some(&b'.') {
        return None;
    }
    let tag = run(text, tag_at, CharSet::Dashed);
    let is_token = tag.len() >= 16 && find(&base64(header)?, b"\"enc\"").is_some();
    (is_token && is_token_body(cipher)).then_some(tag_at + tag.len())
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

/// The sample token of the tutorials, and tokens derived from it: whom it is for, or who issued it, says so as a whole. Other
/// claims say nothing about the token.
fn is_sample(claims: &[u8]) -> bool {
    const CLAIMS: [&[u8]; 4] = [b"sub", b"name", b"iss", b"email"];
    const VALUES: [&[u8]; 7] =
        [b"1234567890", b"John Doe", b"Jane Doe", b"example", b"test", b"test-user", b"testuser"];
    const HOSTS: [&[u8]; 3] = [b"example.com", b"example.org", b"example.net"];
    let is_host = |value: &[u8]| {
        let value = value.trim_ascii_end();
        HOSTS.iter().any(|host| {
            let before = value.strip_suffix(*host);
            before.is_some_and(|before| matches!(before.last(), None | Some(b'/' | b'@' | b'.')))
        })
    };
    let texts: Vec<&[u8]> = claims.split(|byte| *byte == b'"').collect();
    (1..texts.len().saturating_sub(1)).any(|at| {
        let (name, gap, value) = (texts[at], texts[at + 1], texts.get(at + 2));
        let is_claim = CLAIMS.contains(&name);
        let number = gap.trim_ascii().strip_prefix(b":").map(<[u8]>::trim_ascii_start);
        let digits = number.map(|number| {
            &number[..number.iter().take_while(|byte| byte.is_ascii_digit()).count()]
        });
        let is_number = digits.is_some_and(|digits| !digits.is_empty() && VALUES.contains(&digits));
        let is_text = gap.trim_ascii() == b":"
            && value.is_some_and(|value| VALUES.contains(value) || is_host(value));
        is_claim && (is_number || is_text)
    })
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
    let value = run(text.get(..text.len().min(start + LONGEST_BASIC))?, start, CharSet::Base64);
    let decoded = String::from_utf8(base64(value).filter(|_| value.len() >= 12)?).ok()?;
    let (user, password) = decoded.split_once(':')?;
    let is_printable = decoded.chars().all(|c| !c.is_control() && c.is_ascii());
    let is_real = !is_placeholder(password) && password != user;
    let end = || start + length_of(text, start, |byte| CharSet::Base64.has(*byte));
    (is_printable && is_real).then(|| denying("authorization-header", start, end()))
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
    // Search only the enclosing object.
    let from = at.saturating_sub(LONGEST_OBJECT);
    steps::add(8 + (at - from) / 8);
    let start = from + memchr::memrchr(b'{', text.get(from..at)?)?;
    let rest = text.get(at..text.len().min(at + LONGEST_OBJECT))?;
    let object = &text[start..at + memchr::memchr(b'}', rest).unwrap_or(rest.len())];
    steps::add(object.len() / 8);
    let names: [&[u8]; 8] = [b"\"d\"", b"'d'", b" d:", b"\td:", b",d:", b"{d:", b"\"k\"", b"'k'"];
    let private = names.iter().find_map(|name| find(object, name))?;
    let value_at = object.get(private + 3..)?.iter().take(8).position(u8::is_ascii_alphanumeric)?;
    let place = start + private + 3 + value_at;
    let value = run(text, place, CharSet::Dashed);
    (value.len() >= 32 && is_token_body(value))
        .then(|| denying("private-jwk", place, place + value.len()))
}
