//! Secrets assigned to names such as `password`, `secret` and `token`, in any language.

use crate::finding::DetectedSecret;
use crate::placeholders::{
    SHORTEST_PASSWORD, SHORTEST_RANDOM, is_password, is_placeholder, is_random,
};

/// What a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// People choose it, so it need not look random.
    Password,
    /// A machine generated it.
    Secret,
    /// The same, but only if the name ends with the word: `GITHUB_PAT`, not `GITHUB_PATH`.
    Last,
    /// It grants access to a registry, whatever it looks like.
    Registry,
}

/// The name of the rule.
pub(crate) const RULE: &str = "secret-assignment";

/// The rule for an unquoted word, which in code is the name of a variable.
pub(crate) const WORD_RULE: &str = "password-word";

/// The rule for generated lines, which in code are a bundle.
pub(crate) const LONG_LINE_RULE: &str = "long-line-assignment";

/// The words in such names.
pub(crate) const WORDS: &[(&str, ValueKind)] = &[
    ("password", ValueKind::Password),
    ("passwd", ValueKind::Password),
    ("passphrase", ValueKind::Password),
    ("passwort", ValueKind::Password),
    ("kennwort", ValueKind::Password),
    ("pwd", ValueKind::Password),
    ("_pass", ValueKind::Password),
    ("dbpass", ValueKind::Password),
    ("\"pass\"", ValueKind::Password),
    ("\"Pass\"", ValueKind::Password),
    ("'pass'", ValueKind::Password),
    ("secret", ValueKind::Secret),
    ("token", ValueKind::Secret),
    ("apikey", ValueKind::Secret),
    ("api_key", ValueKind::Secret),
    ("api-key", ValueKind::Secret),
    ("access_key", ValueKind::Secret),
    ("accesskey", ValueKind::Secret),
    ("account_key", ValueKind::Secret),
    ("auth_key", ValueKind::Secret),
    ("authkey", ValueKind::Secret),
    ("app_key", ValueKind::Secret),
    ("private_key", ValueKind::Secret),
    ("privatekey", ValueKind::Secret),
    ("encryption_key", ValueKind::Secret),
    ("encryptionkey", ValueKind::Secret),
    ("signing_key", ValueKind::Secret),
    ("signingkey", ValueKind::Secret),
    ("master_key", ValueKind::Secret),
    ("masterkey", ValueKind::Secret),
    ("service_key", ValueKind::Secret),
    ("credential", ValueKind::Secret),
    ("_auth", ValueKind::Secret),
    ("_pat", ValueKind::Last),
    ("server_key", ValueKind::Secret),
    ("serverkey", ValueKind::Secret),
    ("validationkey", ValueKind::Secret),
    ("decryptionkey", ValueKind::Secret),
    ("logged_in_key", ValueKind::Secret),
    ("nonce_key", ValueKind::Secret),
    ("_salt", ValueKind::Last),
    ("_key", ValueKind::Last),
    ("-key", ValueKind::Last),
    ("sessionid", ValueKind::Secret),
    ("sonar.login", ValueKind::Secret),
    ("sonar_login", ValueKind::Secret),
    ("_authtoken", ValueKind::Registry),
    (":_auth", ValueKind::Registry),
    (":_password", ValueKind::Registry),
];

/// Suffixes of names that describe a secret but do not hold it: `passwordField`, `token_url`.
const DESCRIPTIVE: &str = "\
    algorithm arn class count email encryption endpoint error expires expiry field file form format hash \
    hasher hashers help hint id input label length link message name page path policy prefix provider \
    ref reset schema sha256 status title ttl type uri url validator validators version view";

/// The longest rest of a name, and the longest value.
const LONGEST_NAME: usize = 48;
const LONGEST_VALUE: usize = 512;
/// A value at least this long may continue beyond the window.
const LONGEST_WHOLE: usize = LONGEST_VALUE - 1;

/// The spellings of a word in names: `api_key`, `API_KEY`, `Api_Key`, `apiKey`, `ApiKey`.
pub(crate) fn spellings(word: &str) -> Vec<String> {
    let mut spellings = vec![word.to_owned(), word.to_ascii_uppercase(), capitalised(word)];
    if let Some(at) = word.find("key").filter(|at| *at > 0) {
        let (head, tail) = word.split_at(at);
        for head in [head.to_owned(), capitalised(head)] {
            spellings.push(format!("{head}{}", capitalised(tail)));
        }
    }
    if word == "_authtoken" {
        spellings.push("_authToken".to_owned());
    }
    spellings.sort();
    spellings.dedup();
    spellings
}

fn capitalised(word: &str) -> String {
    let head = word.get(..1).unwrap_or_default().to_ascii_uppercase();
    head + word.get(1..).unwrap_or_default()
}

/// A value and how it is written.
struct AssignedValue<'a> {
    text: &'a str,
    at: usize,
    is_quoted: bool,
}

/// The secret assigned to the name that has one of [`WORDS`] from `start` to `end`.
pub(crate) fn value(
    kind: ValueKind,
    text: &[u8],
    start: usize,
    end: usize,
) -> Option<DetectedSecret> {
    let goes_on = text
        .get(end)
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if kind == ValueKind::Last && (goes_on || is_public_name(text, start)) {
        return None;
    }
    let value = assigned_value(text, start, end)?;
    if kind == ValueKind::Password && is_app_password(text.get(value.at..)?) {
        let span = value.at..value.at + APP_PASSWORD;
        return Some(DetectedSecret { rule: RULE, span, denies: true });
    }
    if !is_secret(kind, &value) {
        return None;
    }
    // A value longer than the window is masked to its end.
    let rest = text.get(value.at + value.text.len()..).unwrap_or_default();
    let more = match value.text.len() {
        0..LONGEST_WHOLE => 0,
        _ => rest.iter().take_while(|byte| !ends_word(**byte)).count(),
    };
    crate::steps::add(more);
    let rule = if is_variable(&value) { WORD_RULE } else { RULE };
    Some(DetectedSecret { rule, span: value.at..value.at + value.text.len() + more, denies: true })
}

/// The length of an application password that Google generates.
const APP_PASSWORD: usize = 19;

/// Four groups of four lower-case letters that are not words: `qkzv wxtr mhpl bdnc`.
fn is_app_password(text: &[u8]) -> bool {
    let Some(groups) = text.get(..APP_PASSWORD) else { return false };
    let goes_on =
        text.get(APP_PASSWORD).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b' ');
    let is_spoken = |group: &[u8]| group.iter().any(|byte| b"aeiouy".contains(byte));
    let is_group = |group: &[u8]| group.len() == 4 && group.iter().all(u8::is_ascii_lowercase);
    let mut parts = groups.split(|byte| *byte == b' ');
    !goes_on && parts.clone().all(is_group) && parts.any(|group| !is_spoken(group))
}

/// Whether the name says that its value is public, or that it identifies something and grants no access.
fn is_public_name(text: &[u8], start: usize) -> bool {
    const WORDS: &str = "CACHE FOREIGN PRIMARY PUBLIC PUBLISHABLE SEARCH SITE STORAGE";
    let before = text.get(..start).unwrap_or_default();
    let name = before.get(before.len() - name_length(before)..).unwrap_or_default();
    let name = String::from_utf8_lossy(name).to_ascii_uppercase();
    WORDS.split_ascii_whitespace().any(|word| name.contains(word))
}

/// Whether the value may be the name of a variable: `Password: pwd2,`.
fn is_variable(value: &AssignedValue<'_>) -> bool {
    let bytes = value.text.as_bytes();
    !value.is_quoted
        && bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        && !is_random(value.text)
}

fn is_secret(kind: ValueKind, value: &AssignedValue<'_>) -> bool {
    let text = value.text;
    let shortest = match kind {
        ValueKind::Registry => 8,
        ValueKind::Secret | ValueKind::Last => SHORTEST_RANDOM,
        ValueKind::Password => SHORTEST_PASSWORD,
    };
    if text.len() < shortest {
        return false;
    }
    crate::steps::add(2 * text.len());
    // A URL, an expression or a path is not a secret.
    let is_place = text.contains("://")
        || text.contains("::")
        || text.starts_with('/')
        || text.starts_with("./")
        || text.starts_with("..");
    let is_code = !value.is_quoted && is_expression(text);
    // A token with claims is judged by its claims; a version may follow a grammar's token names.
    let is_other =
        ["eyJ", "npm:", "workspace:", "^", "~", "phc_"].iter().any(|start| text.starts_with(start));
    if is_place || is_code || is_other {
        return false;
    }
    match kind {
        ValueKind::Registry => text.len() >= 8 && !is_placeholder(text),
        ValueKind::Secret | ValueKind::Last => is_random(text),
        ValueKind::Password if value.is_quoted => is_password(text) || is_random(text),
        ValueKind::Password => is_random(text) || (is_password(text) && !text.contains('.')),
    }
}

/// `process.env.TOKEN`, `make(x)`, `a[0]`.
fn is_expression(text: &str) -> bool {
    let (head, tail) = text.split_once('.').unwrap_or((text, ""));
    let is_member =
        !tail.is_empty() && head.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    // `base64BufPool.Get()`, whether or not it is cut at the bracket.
    let is_name =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_call = tail
        .split_once('(')
        .is_some_and(|(name, _)| !name.is_empty() && is_name(name) && is_name(head));
    is_member
        || is_call
        || text.contains(['(', '[', '{', '$', '\\', '*', '=', '%']) && !is_random(text)
}

/// Whether the name continues with a word that makes it the name of something else.
fn is_descriptive(rest: &[u8]) -> bool {
    // Most names end with the word that makes them secret.
    if rest.is_empty() {
        return false;
    }
    let rest = rest.to_ascii_lowercase();
    DESCRIPTIVE.split_ascii_whitespace().any(|word| rest.ends_with(word.as_bytes()))
}

/// The value assigned to a name, if there is one.
fn assigned_value(text: &[u8], start: usize, end: usize) -> Option<AssignedValue<'_>> {
    let rest = text.get(end..text.len().min(end + LONGEST_NAME))?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let name_end = end + rest.iter().take_while(|byte| is_name(byte)).count();
    let mut at = name_end + count(text, name_end, 3, b"\"'`])\\");
    let spaces = count(text, at, 24, b" \t");
    at += spaces;
    let next = *text.get(at)?;
    let fallback = fallback(text, at);
    let mut must_be_quoted = false;
    match next {
        b'=' | b':' => at = operator(text, at)?,
        b',' => {
            must_be_quoted = true;
            at = named_value(text, at + 1).unwrap_or(at + 1);
        }
        b'>' if name_end == at => at += 1,
        b'"' | b'\'' if spaces > 0 => {}
        b'(' if spaces == 0 && is_setter(text, start) => {
            must_be_quoted = true;
            at += 1;
        }
        _ if fallback.is_some() => {
            must_be_quoted = true;
            at = fallback?;
        }
        // `var password string = "…"`.
        _ if spaces > 0 && is_typed_name(text, at) => {}
        _ if spaces > 0 && (is_flag(text, start) || is_environment(text, start)) => {}
        _ if spaces > 0 && is_statement(text, start, at) => {}
        _ => at = named_value(text, at)?,
    }
    at += count(text, at, 24, b" \t");
    // In a list, the next line is the next item.
    let below = || if next == b',' { None } else { value_below(text, at) };
    let value = typed_value(text, at).or_else(below).or_else(|| wrapped_value(text, at));
    let value = value.or_else(|| literal(text, at))?;
    // Checked last, because few names have a value.
    let is_given = value.is_quoted || !must_be_quoted;
    (is_given && !is_descriptive(text.get(end..name_end)?)).then_some(value)
}

/// `SecretValue.of("…")`: a call with a random-looking string.
fn wrapped_value(text: &[u8], at: usize) -> Option<AssignedValue<'_>> {
    let rest = text.get(at..text.len().min(at + 64))?;
    let is_name = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'[' | b']')
    };
    let length = rest.iter().take_while(|byte| is_name(byte)).count();
    let is_call = length > 0 && rest.get(length) == Some(&b'(');
    let value = is_call.then(|| literal(text, at + length + 1)).flatten()?;
    (value.is_quoted && is_random(value.text)).then_some(value)
}

/// The offset after a fallback operator: `process.env.SECRET || "…"`, `?? "…"`, `or "…"`.
fn fallback(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let operators = [b"||".as_slice(), b"??", b"?:", b"or "];
    operators.iter().find(|operator| rest.starts_with(operator)).map(|found| at + found.len())
}

/// A value on the following lines: quoted, possibly after a bracket, or folded as in YAML.
fn value_below(text: &[u8], at: usize) -> Option<AssignedValue<'_>> {
    const GAP: &[u8] = b" \t\r\n";
    let first = *text.get(at)?;
    let is_line_end = matches!(first, b'\r' | b'\n');
    if let Some(default) = is_line_end.then(|| default_below(text, at)).flatten() {
        return Some(default);
    }
    match first {
        b'\r' | b'\n' | b'(' => {
            let mut at = at + count(text, at, 40, GAP);
            if text.get(at) == Some(&b'(') {
                at += 1 + count(text, at + 1, 40, GAP);
            }
            literal(text, at).filter(|value| value.is_quoted)
        }
        b'>' | b'|' => {
            let at = at + 1 + count(text, at + 1, 2, b"-+");
            let gap = count(text, at, 40, GAP);
            let is_next_line = text.get(at..at + gap)?.contains(&b'\n');
            is_next_line.then(|| literal(text, at + gap)).flatten()
        }
        _ => None,
    }
}

/// `user admin insecure-password VALUE`: words, followed by a random-looking rest of the line.
fn is_statement(text: &[u8], start: usize, at: usize) -> bool {
    const LONGEST_LINE: usize = 80;
    let before = text.get(start.saturating_sub(LONGEST_LINE)..start).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b" \t-_.@".contains(byte);
    let Some(value) = literal(text, at).filter(|value| !value.is_quoted) else { return false };
    let is_last = matches!(text.get(value.at + value.text.len()), None | Some(b'\r' | b'\n'));
    is_last && line.iter().all(is_word) && is_random(value.text)
}

/// `ENV PASSWORD value` in a Dockerfile.
fn is_environment(text: &[u8], start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let before = &before[..before.len() - name_length(before)];
    before.ends_with(b"ENV ")
        && matches!(before.get(..before.len() - 4), Some([] | [.., b'\n' | b' ']))
}

/// `.setPassword("…")`, `.withPassword("…")`, `.password("…")`.
fn is_setter(text: &[u8], start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let (before, name) = before.split_at(before.len() - name_length(before));
    name.starts_with(b"set")
        || name.starts_with(b"with")
        || name.is_empty() && before.last() == Some(&b'.')
}

/// The length of the name that these bytes end with.
fn name_length(before: &[u8]) -> usize {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    before.iter().rev().take(LONGEST_NAME).take_while(|byte| is_name(byte)).count()
}

/// The offset after an operator: `=`, `:`, `:=`, `=>`, `,`.
fn operator(text: &[u8], at: usize) -> Option<usize> {
    let after = match text.get(at..at + 3)? {
        // `${PASSWORD:+given}` only tests whether it is set; `Tokens::Name` is a path.
        [b'=', b'=', ..] | [b':', b'+' | b'?' | b':', ..] => return None,
        [b':', b'=', ..] | [b'=', b'>', ..] => at + 2,
        _ => at + 1,
    };
    Some(after)
}

/// `token: string = "…"`: the value follows the type.
fn typed_value(text: &[u8], at: usize) -> Option<AssignedValue<'_>> {
    let rest = text.get(at..text.len().min(at + 40))?;
    let is_type = |byte: &u8| {
        byte.is_ascii_alphabetic()
            || matches!(byte, b'&' | b'\'' | b'<' | b'>' | b'|' | b' ' | b'?' | b'[' | b']')
    };
    let length = rest.iter().take_while(|byte| is_type(byte)).count();
    let is_assigned = rest.get(length) == Some(&b'=')
        && rest.get(length + 1).is_some_and(|byte| !matches!(byte, b'=' | b'>'));
    if length == 0 || !is_assigned {
        return None;
    }
    let at = at + length + 1;
    literal(text, at + count(text, at, 24, b" \t"))
}

/// `string = "…"` after a name: one word, then an equals sign with spaces, which tag attributes do not have.
fn is_typed_name(text: &[u8], at: usize) -> bool {
    let rest = text.get(at..text.len().min(at + 40)).unwrap_or_default();
    let is_type = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'*' | b'[' | b']');
    let length = rest.iter().take_while(|byte| is_type(byte)).count();
    let is_assigned = rest.get(length..).is_some_and(|rest| rest.starts_with(b" = "));
    length > 0 && is_assigned && typed_value(text, at).is_some_and(|value| value.is_quoted)
}

/// `--password VALUE`.
fn is_flag(text: &[u8], start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let name = before
        .iter()
        .rev()
        .take(LONGEST_NAME)
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-')
        .count();
    before.get(before.len() - name..).is_some_and(|name| name.starts_with(b"--"))
}

/// `<add key="Password" value="…"/>`, `{"key": "password", "value": "…"}`, and `- name: PASSWORD` with
/// `value: …` on the next line; `<key>Secret</key><string>…`; `variable "password" { default = "…" }`.
fn named_value(text: &[u8], at: usize) -> Option<usize> {
    if let Some(rest) = text.get(at..)?.strip_prefix(b"</key>") {
        let gap = count(rest, 0, 40, b" \t\r\n");
        let is_text = rest.get(gap..)?.starts_with(b"<string>");
        return is_text.then_some(at + b"</key>".len() + gap + b"<string>".len());
    }
    if text.get(at) == Some(&b'{') {
        return default_of(text, at);
    }
    let at = at + count(text, at, 40, b" \t\r\n");
    let at = at + count(text, at, 1, b"\"'");
    let rest = text.get(at..)?.strip_prefix(b"value")?;
    let gap = count(rest, 0, 2, b"\"'");
    matches!(rest.get(gap), Some(b'=' | b':')).then_some(at + b"value".len() + gap + 1)
}

/// The value of `Default:` on one of the next lines, as in cloud templates.
fn default_below(text: &[u8], at: usize) -> Option<AssignedValue<'_>> {
    const WORD: &[u8] = b"Default: ";
    const MOST_LINES: usize = 4;
    let block = text.get(at..text.len().min(at + 160))?;
    // The word begins one of the lines.
    let mut line_at = at;
    for line in block.split(|byte| *byte == b'\n').take(MOST_LINES) {
        crate::steps::add(8 + line.len() / 8);
        let lead = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if line[lead..].starts_with(WORD) {
            return literal(text, line_at + lead + WORD.len());
        }
        line_at += line.len() + 1;
    }
    None
}

/// The offset after `default =` in the block that opens at an offset.
fn default_of(text: &[u8], at: usize) -> Option<usize> {
    const WORD: &[u8] = b"default";
    let block = text.get(at..text.len().min(at + 300))?;
    let block = &block[..block.iter().position(|byte| *byte == b'}').unwrap_or(block.len())];
    let word = crate::blocks::find(block, WORD)? + WORD.len();
    let gap = count(block, word, 24, b" \t");
    (block.get(word + gap) == Some(&b'=')).then_some(at + word + gap + 1)
}

fn count(text: &[u8], at: usize, most: usize, set: &[u8]) -> usize {
    text.get(at..)
        .unwrap_or_default()
        .iter()
        .take(most)
        .take_while(|byte| set.contains(byte))
        .count()
}

/// A literal: a quoted string, or a word.
fn literal(text: &[u8], at: usize) -> Option<AssignedValue<'_>> {
    let rest = text.get(at..)?;
    // `b"…"`, `f'…'`, `r#"…"#`, and a quote inside a string.
    let prefix = match rest {
        [b'b' | b'r' | b'f' | b'u' | b'L' | b'N' | b'@' | b'\\', b'"' | b'\'', ..] => 1,
        [b'r', b'#', ..] => {
            let hashes = count(rest, 1, 8, b"#");
            if rest.get(1 + hashes) == Some(&b'"') { 1 + hashes } else { 0 }
        }
        _ => 0,
    };
    let rest = rest.get(prefix..)?;
    let quote = *rest.first()?;
    if matches!(quote, b'"' | b'\'' | b'`') {
        // `"""`, which a line break may follow.
        let is_tripled = rest.starts_with(&[quote; 3]) && quote != b'`';
        // `"\"…\""`: a string inside a string.
        let is_nested = rest.get(1..3) == Some(b"\\\"");
        let opening = match () {
            () if is_tripled => 3 + count(rest, 3, 40, b" \t\r\n"),
            () if is_nested => 3,
            () => 1,
        };
        let body = rest.get(opening..rest.len().min(opening - 1 + LONGEST_VALUE))?;
        let is_end = |byte: &u8| *byte == quote || matches!(byte, b'\n' | b'\\');
        let end = body
            .iter()
            .position(is_end)
            .or_else(|| (body.len() >= LONGEST_WHOLE).then_some(body.len()))?;
        crate::steps::add(end);
        let text = str::from_utf8(&body[..end]).ok()?;
        return Some(AssignedValue { text, at: at + prefix + opening, is_quoted: true });
    }
    let body = rest.get(..rest.len().min(LONGEST_VALUE))?;
    let end = body.iter().position(|byte| ends_word(*byte)).unwrap_or(body.len());
    crate::steps::add(end);
    Some(AssignedValue { text: str::from_utf8(&body[..end]).ok()?, at, is_quoted: false })
}

/// Whether a byte ends an unquoted value.
fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b'<' | b'&' | b')' | b'}' | b']')
}
