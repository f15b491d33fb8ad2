//! Values given to names such as `password`, `secret` and `token`, in whatever language.


use crate::finding::Finding;
use crate::random::{is_password, is_placeholder, is_random};

/// What a name says of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// People choose it: it need not look random.
    Password,
    /// Machines make it.
    Secret,
    /// The same, and the name ends with the word: `GITHUB_PAT`, not `GITHUB_PATH`.
    Last,
    /// It opens a registry, whatever it looks like.
    Registry,
}

/// The rule's name.
pub(crate) const RULE: &str = "secret-assignment";

/// The rule for a word without quotes, which in code is the name of a variable.
pub(crate) const WORD_RULE: &str = "password-word";

/// The words that such names have in them.
pub(crate) const WORDS: &[(&str, Kind)] = &[
    ("password", Kind::Password),
    ("passwd", Kind::Password),
    ("passphrase", Kind::Password),
    ("passwort", Kind::Password),
    ("pwd", Kind::Password),
    ("_pass", Kind::Password),
    ("dbpass", Kind::Password),
    ("\"pass\"", Kind::Password),
    ("\"Pass\"", Kind::Password),
    ("'pass'", Kind::Password),
    ("secret", Kind::Secret),
    ("token", Kind::Secret),
    ("apikey", Kind::Secret),
    ("api_key", Kind::Secret),
    ("api-key", Kind::Secret),
    ("access_key", Kind::Secret),
    ("accesskey", Kind::Secret),
    ("account_key", Kind::Secret),
    ("auth_key", Kind::Secret),
    ("authkey", Kind::Secret),
    ("app_key", Kind::Secret),
    ("private_key", Kind::Secret),
    ("privatekey", Kind::Secret),
    ("encryption_key", Kind::Secret),
    ("encryptionkey", Kind::Secret),
    ("signing_key", Kind::Secret),
    ("signingkey", Kind::Secret),
    ("master_key", Kind::Secret),
    ("masterkey", Kind::Secret),
    ("service_key", Kind::Secret),
    ("credential", Kind::Secret),
    ("_auth", Kind::Secret),
    ("_pat", Kind::Last),
    ("server_key", Kind::Secret),
    ("serverkey", Kind::Secret),
    ("validationkey", Kind::Secret),
    ("decryptionkey", Kind::Secret),
    ("logged_in_key", Kind::Secret),
    ("nonce_key", Kind::Secret),
    ("_salt", Kind::Last),
    ("_key", Kind::Last),
    ("-key", Kind::Last),
    ("sessionid", Kind::Secret),
    ("sonar.login", Kind::Secret),
    ("sonar_login", Kind::Secret),
    ("_authtoken", Kind::Registry),
    (":_auth", Kind::Registry),
    (":_password", Kind::Registry),
];

/// What a name ends with that tells of a secret and does not hold it: `passwordField`, `token_url`.
const ABOUT: &str = "\
    algorithm arn class count email encryption endpoint error expires expiry field file form format hash \
    hasher hashers help hint id input label length link message name page path policy prefix provider \
    ref reset schema sha256 status title ttl type uri url validator validators version view";

/// The longest rest of a name, and the longest value.
const LONGEST_NAME: usize = 48;
const LONGEST_VALUE: usize = 512;
/// A value of this length may go on.
const LONGEST_WHOLE: usize = LONGEST_VALUE - 1;

/// The ways in which a word is written within names: `api_key`, `API_KEY`, `Api_Key`, `apiKey`, `ApiKey`.
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

/// A value of a name, and how it is written.
struct Value<'a> {
    text: &'a str,
    at: usize,
    is_quoted: bool,
}

/// The secret that is given to the name with a word of a kind at a place.
pub(crate) fn value(kind: Kind, text: &[u8], start: usize, end: usize) -> Option<Finding> {
    let goes_on = text
        .get(end)
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if kind == Kind::Last && (goes_on || is_shown(text, start)) {
        return None;
    }
    let value = given(text, start, end)?;
    if kind == Kind::Password && is_app_password(text.get(value.at..)?) {
        let span = value.at..value.at + APP_PASSWORD;
        return Some(Finding { rule: RULE, span, denies: true });
    }
    if !is_secret(kind, &value) {
        return None;
    }
    // What is longer than what is looked at is masked to its end.
    let rest = text.get(value.at + value.text.len()..).unwrap_or_default();
    let more = match value.text.len() {
        0..LONGEST_WHOLE => 0,
        _ => rest.iter().take_while(|byte| !ends_word(**byte)).count(),
    };
    #[cfg(test)]
    crate::steps::add(more);
    let rule = if is_variable(&value) { WORD_RULE } else { RULE };
    Some(Finding { rule, span: value.at..value.at + value.text.len() + more, denies: true })
}

/// The length of a password that Google makes for an application.
const APP_PASSWORD: usize = 19;

/// Four times four small letters, which are no words: `qkzv wxtr mhpl bdnc`.
fn is_app_password(text: &[u8]) -> bool {
    let Some(groups) = text.get(..APP_PASSWORD) else { return false };
    let goes_on =
        text.get(APP_PASSWORD).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b' ');
    let is_spoken = |group: &[u8]| group.iter().any(|byte| b"aeiouy".contains(byte));
    let is_group = |group: &[u8]| group.len() == 4 && group.iter().all(u8::is_ascii_lowercase);
    let mut parts = groups.split(|byte| *byte == b' ');
    !goes_on && parts.clone().all(is_group) && parts.any(|group| !is_spoken(group))
}

/// Whether a name says that everybody may see its value, or that it finds a thing and opens none.
fn is_shown(text: &[u8], start: usize) -> bool {
    const WORDS: &str = "CACHE FOREIGN PRIMARY PUBLIC PUBLISHABLE SEARCH SITE STORAGE";
    let before = text.get(..start).unwrap_or_default();
    let name = before.get(before.len() - name_length(before)..).unwrap_or_default();
    let name = String::from_utf8_lossy(name).to_ascii_uppercase();
    WORDS.split_ascii_whitespace().any(|word| name.contains(word))
}

/// Whether a value may as well be the name of a variable: `Password: pwd2,`.
fn is_variable(value: &Value<'_>) -> bool {
    let bytes = value.text.as_bytes();
    !value.is_quoted
        && bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        && !is_random(value.text)
}

fn is_secret(kind: Kind, value: &Value<'_>) -> bool {
    let text = value.text;
    // A place, an expression or a path is no secret.
    let is_place = text.contains("://")
        || text.contains("::")
        || text.starts_with('/')
        || text.starts_with("./")
        || text.starts_with("..");
    let is_code = !value.is_quoted && is_expression(text);
    // What carries claims is judged by them; versions are written where tokens of a grammar are.
    let is_other =
        ["eyJ", "npm:", "workspace:", "^", "~", "phc_"].iter().any(|start| text.starts_with(start));
    if is_place || is_code || is_other {
        return false;
    }
    match kind {
        Kind::Registry => text.len() >= 8 && !is_placeholder(text),
        Kind::Secret | Kind::Last => is_random(text),
        Kind::Password if value.is_quoted => is_password(text) || is_random(text),
        Kind::Password => is_random(text) || (is_password(text) && !text.contains('.')),
    }
}

/// `process.env.TOKEN`, `make(x)`, `a[0]`.
fn is_expression(text: &str) -> bool {
    let (head, tail) = text.split_once('.').unwrap_or((text, ""));
    let is_member =
        !tail.is_empty() && head.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    // `base64BufPool.Get()`, cut where the bracket opens or not.
    let is_name =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_call = tail
        .split_once('(')
        .is_some_and(|(name, _)| !name.is_empty() && is_name(name) && is_name(head));
    is_member
        || is_call
        || text.contains(['(', '[', '{', '$', '\\', '*', '=', '%']) && !is_random(text)
}

/// Whether a name goes on with a word that makes it a name of something else.
fn is_about(rest: &[u8]) -> bool {
    let rest = rest.to_ascii_lowercase();
    ABOUT.split_ascii_whitespace().any(|word| rest.ends_with(word.as_bytes()))
}

/// The value that a name is given, if it is given one.
fn given(text: &[u8], start: usize, end: usize) -> Option<Value<'_>> {
    let rest = text.get(end..text.len().min(end + LONGEST_NAME))?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let name_end = end + rest.iter().take_while(|byte| is_name(byte)).count();
    let mut at = name_end + count(text, name_end, 3, b"\"'`])\\");
    let spaces = count(text, at, 24, b" \t");
    at += spaces;
    let next = *text.get(at)?;
    let instead = instead(text, at);
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
        _ if instead.is_some() => {
            must_be_quoted = true;
            at = instead?;
        }
        // `var password string = "…"`.
        _ if spaces > 0 && is_typed_name(text, at) => {}
        _ if spaces > 0 && (is_flag(text, start) || is_environment(text, start)) => {}
        _ if spaces > 0 && is_statement(text, start, at) => {}
        _ => at = named_value(text, at)?,
    }
    at += count(text, at, 24, b" \t");
    // In a list the next line has the next thing.
    let below = || if next == b',' { None } else { below(text, at) };
    let value = typed(text, at).or_else(below).or_else(|| wrapped(text, at));
    let value = value.or_else(|| literal(text, at))?;
    // Asked last: few names are given anything.
    let is_given = value.is_quoted || !must_be_quoted;
    (is_given && !is_about(text.get(end..name_end)?)).then_some(value)
}

/// `SecretValue.of("…")`: what is made of a text that looks random.
fn wrapped(text: &[u8], at: usize) -> Option<Value<'_>> {
    let rest = text.get(at..text.len().min(at + 64))?;
    let is_name = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'[' | b']')
    };
    let length = rest.iter().take_while(|byte| is_name(byte)).count();
    let is_call = length > 0 && rest.get(length) == Some(&b'(');
    let value = is_call.then(|| literal(text, at + length + 1)).flatten()?;
    (value.is_quoted && is_random(value.text)).then_some(value)
}

/// Behind what says what to take where there is none: `process.env.SECRET || "…"`, `?? "…"`, `or "…"`.
fn instead(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let operators = [b"||".as_slice(), b"??", b"?:", b"or "];
    operators.iter().find(|operator| rest.starts_with(operator)).map(|found| at + found.len())
}

/// A value on the lines below: in quotes, maybe behind a bracket, or folded as YAML has it.
fn below(text: &[u8], at: usize) -> Option<Value<'_>> {
    const GAP: &[u8] = b" \t\r\n";
    match text.get(at)? {
        b'\r' | b'\n' if default_below(text, at).is_some() => default_below(text, at),
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

/// `user admin insecure-password VALUE`: words, and behind them all that is left of the line, which looks random.
fn is_statement(text: &[u8], start: usize, at: usize) -> bool {
    const LONGEST_LINE: usize = 80;
    let before = text.get(start.saturating_sub(LONGEST_LINE)..start).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b" \t-_.@".contains(byte);
    let Some(value) = literal(text, at).filter(|value| !value.is_quoted) else { return false };
    let is_last = matches!(text.get(value.at + value.text.len()), None | Some(b'\r' | b'\n'));
    is_last && line.iter().all(is_word) && is_random(value.text)
}

/// `ENV PASSWORD value`, as a Dockerfile has it.
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

/// How long the name is that these bytes end with.
fn name_length(before: &[u8]) -> usize {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    before.iter().rev().take(LONGEST_NAME).take_while(|byte| is_name(byte)).count()
}

/// Behind an operator: `=`, `:`, `:=`, `=>`, `,`.
fn operator(text: &[u8], at: usize) -> Option<usize> {
    let after = match text.get(at..at + 3)? {
        // `${PASSWORD:+given}` says that there is one; `Tokens::Name` is a path.
        [b'=', b'=', ..] | [b':', b'+' | b'?' | b':', ..] => return None,
        [b':', b'=', ..] | [b'=', b'>', ..] => at + 2,
        _ => at + 1,
    };
    Some(after)
}

/// `token: string = "…"`: the value is behind the type.
fn typed(text: &[u8], at: usize) -> Option<Value<'_>> {
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

/// `string = "…"` behind a name: one word and an equals sign by itself, which attributes of a tag do not have.
fn is_typed_name(text: &[u8], at: usize) -> bool {
    let rest = text.get(at..text.len().min(at + 40)).unwrap_or_default();
    let is_type = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'*' | b'[' | b']');
    let length = rest.iter().take_while(|byte| is_type(byte)).count();
    let is_assigned = rest.get(length..).is_some_and(|rest| rest.starts_with(b" = "));
    length > 0 && is_assigned && typed(text, at).is_some_and(|value| value.is_quoted)
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

/// What `Default:` says on one of the next lines, as templates of clouds have it.
fn default_below(text: &[u8], at: usize) -> Option<Value<'_>> {
    const WORD: &[u8] = b"Default: ";
    let block = text.get(at..text.len().min(at + 160))?;
    let word = block.windows(WORD.len()).position(|window| window == WORD)?;
    let is_near = block[..word].split(|byte| *byte == b'\n').count() <= 4;
    is_near.then(|| literal(text, at + word + WORD.len())).flatten()
}

/// Behind `default =` in the block that opens at a place.
fn default_of(text: &[u8], at: usize) -> Option<usize> {
    const WORD: &[u8] = b"default";
    let block = text.get(at..text.len().min(at + 300))?;
    let block = &block[..block.iter().position(|byte| *byte == b'}').unwrap_or(block.len())];
    let word = block.windows(WORD.len()).position(|window| window == WORD)? + WORD.len();
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

/// A literal: in quotes, or a word.
fn literal(text: &[u8], at: usize) -> Option<Value<'_>> {
    let rest = text.get(at..)?;
    // `b"…"`, `f'…'`, `r#"…"#`, and a quote within a string.
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
        // `"""`, behind which there may be a line end.
        let is_tripled = rest.starts_with(&[quote; 3]) && quote != b'`';
        // `"\"…\""`: a text within a text.
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
        let text = str::from_utf8(&body[..end]).ok()?;
        return Some(Value { text, at: at + prefix + opening, is_quoted: true });
    }
    let body = rest.get(..rest.len().min(LONGEST_VALUE))?;
    let end = body.iter().position(|byte| ends_word(*byte)).unwrap_or(body.len());
    Some(Value { text: str::from_utf8(&body[..end]).ok()?, at, is_quoted: false })
}

/// Whether a byte ends a value that is not quoted.
fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b'<' | b'&' | b')' | b'}' | b']')
}
