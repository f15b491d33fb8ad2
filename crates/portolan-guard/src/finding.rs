//! Finds secrets: one pass finds where a secret may start, then the matching rule looks closer.

use std::ops::{ControlFlow, Range};
use std::sync::LazyLock;

use crate::anchors::{self, Anchors};
use crate::assignment::{self, ValueKind};
use crate::calls::{self, CALLS, COMMANDS};
use crate::families::{FAMILIES, Family, RequiredPrefix};
use crate::placeholders::{distinct, is_random, is_token_body};
use crate::shape::{CharSet, TokenPart, TokenShape};
use crate::{blocks, kube, steps, url};

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DetectedSecret {
    /// The name of the rule.
    pub(crate) rule: &'static str,
    /// The range to mask.
    pub(crate) span: Range<usize>,
    /// Whether it denies the file. Well-known credentials (`postgres:postgres`) are masked but are no reason to
    /// hide a file.
    pub(crate) denies: bool,
}

/// Rules that only judge how a value looks. In tests, documents and templates they nearly always find placeholders,
/// so there they mask but do not deny.
pub(crate) const WEAK: &[&str] = &[
    assignment::RULE,
    assignment::WORD_RULE,
    assignment::LONG_LINE_RULE,
    kube::WORD_RULE,
    url::LOCAL_RULE,
    "jwt",
];

/// The rule for texts that cannot be searched in a reasonable time.
pub(crate) const CRAFTED_RULE: &str = "unsearchable";

/// What it costs to look at a hint at all, and at one in the middle of a word. Numbers have many of those.
const STEPS_OF_A_HINT: usize = 120;
const STEPS_INSIDE_A_WORD: usize = 16;

/// Checks an offset of a text for a secret.
type CheckFn = fn(&[u8], usize) -> Option<DetectedSecret>;

/// The rule that a text points to.
#[derive(Clone, Copy)]
enum Hint {
    Token(TokenHint),
    Name(ValueKind),
    Special(CheckFn),
    Kind,
    Call((&'static str, usize)),
    Command((&'static str, &'static [&'static str])),
}

/// A token that may start here: its issuer, its shape, its prefix, and what must precede it.
#[derive(Clone, Copy)]
struct TokenHint {
    family: &'static Family,
    shape: &'static TokenShape,
    start: &'static str,
    lead: Option<RequiredPrefix>,
}

/// Texts with checks of their own.
const SPECIAL: &[(&str, CheckFn)] = &[
    ("://", url::credentials),
    (":\\/\\/", url::credentials),
    ("@tcp(", url::data_source),
    ("@unix(", url::data_source),
    ("curl ", url::curl_user),
    ("-- BEGIN ", blocks::private_key),
    ("---BEGIN ", blocks::private_key),
    ("---begin ", blocks::private_key),
    ("---Begin ", blocks::private_key),
    ("PRIVATE KEY---", blocks::key_before_end),
    ("private key---", blocks::key_before_end),
    ("<D>", blocks::xml_key),
    ("PuTTY-User-Key-File-", blocks::putty_key),
    ("eyJ", blocks::jwt),
    ("eyAg", blocks::jwt),
    ("eyAi", blocks::jwt),
    ("ewki", blocks::jwt),
    ("ewog", blocks::jwt),
    ("ewoJ", blocks::jwt),
    ("ewoi", blocks::jwt),
    ("ew0K", blocks::jwt),
    ("ZXlK", blocks::encoded_jwt),
    ("Basic ", blocks::basic_header),
    ("basic ", blocks::basic_header),
    ("Bearer ", blocks::bearer_header),
    ("bearer ", blocks::bearer_header),
    ("\"auth\"", blocks::docker_auth),
    ("client-key-data", blocks::kube_key),
    ("secretGenerator", kube::generated),
    ("b64enc", kube::encoded_text),
    ("\"kty\"", blocks::private_jwk),
    ("'kty'", blocks::private_jwk),
    ("kty:", blocks::private_jwk),
    ("LS0tLS1CRUdJTi", blocks::encoded_key),
    ("--password-stdin", calls::echoed_password),
    ("jdbc:oracle:thin:", calls::oracle_url),
    (" pass: '", calls::short_name),
    (" pass: \"", calls::short_name),
    (" pass='", calls::short_name),
    (" pass=\"", calls::short_name),
    ("?key=", calls::query_key),
    ("&key=", calls::query_key),
    ("\"Jwt\"", calls::nested_key),
    ("\"jwt\"", calls::nested_key),
    ("'crypt'", calls::nested_key),
];

/// The ways to write the key of what a manifest is.
const KINDS: &[&str] = &["kind:", "kind :", "kind\"", "kind\\\"", "kind'", "? kind"];

/// The texts to search for, and the hint that each gives.
struct Hints {
    anchors: Anchors,
    hints: Vec<(Hint, usize)>,
}

static HINTS: LazyLock<Hints> = LazyLock::new(|| {
    let mut texts: Vec<Vec<u8>> = Vec::new();
    let mut hints = Vec::new();
    let mut add = |text: Vec<u8>, length: usize, hint: Hint| {
        texts.push(text);
        hints.push((hint, length));
    };
    for family in FAMILIES {
        let lead = family.lead();
        for shape in family.shapes {
            for start in shape.starts {
                for text in search_texts(start, shape) {
                    let token = TokenHint { family, shape, start, lead };
                    add(text, start.len(), Hint::Token(token));
                }
            }
        }
    }
    for (text, look) in SPECIAL {
        add(text.as_bytes().to_vec(), text.len(), Hint::Special(*look));
    }
    for kind in KINDS {
        add(kind.as_bytes().to_vec(), kind.len(), Hint::Kind);
    }
    for call in CALLS {
        add(call.0.as_bytes().to_vec(), call.0.len(), Hint::Call(*call));
    }
    for command in COMMANDS {
        add(command.0.as_bytes().to_vec(), command.0.len(), Hint::Command(*command));
    }
    for (word, kind) in assignment::WORDS {
        for spelling in assignment::spellings(word) {
            let length = spelling.len();
            add(spelling.into_bytes(), length, Hint::Name(*kind));
        }
    }
    Hints { anchors: Anchors::new(texts), hints }
});

/// The texts to search for: the prefix or, if it is too short, the prefix with every possible next byte.
fn search_texts(start: &str, shape: &TokenShape) -> Vec<Vec<u8>> {
    match shape.parts.first() {
        Some(TokenPart::Run(class, ..)) if start.len() < anchors::SHORTEST => {
            let next = (0..=u8::MAX).filter(|byte| class.has(*byte));
            next.map(|byte| [start.as_bytes(), &[byte]].concat()).collect()
        }
        _ => vec![start.as_bytes().to_vec()],
    }
}

/// Reports every secret in a text, roughly in order of position, until the callback breaks.
pub(crate) fn find(text: &[u8], mut report: impl FnMut(DetectedSecret) -> ControlFlow<()>) {
    let Hints { anchors, hints } = &*HINTS;
    let limit = steps::limit(text.len());
    steps::restart();
    // The end of the last match of each kind. No match of the same kind starts before it, so a text of nothing but
    // prefixes is not searched again for each.
    let (mut named, mut special) = (0, 0);
    // A text is read as YAML once.
    let mut is_parsed = false;
    anchors.find(text, |number, at| {
        let Some((hint, length)) = hints.get(number) else { return true };
        let is_inside = matches!(hint, Hint::Token(TokenHint { lead: None, .. }))
            && text[..at].last().is_some_and(u8::is_ascii_alphanumeric);
        steps::add(if is_inside { STEPS_INSIDE_A_WORD } else { STEPS_OF_A_HINT });
        if steps::count() > limit {
            // What was not searched counts as a secret.
            let span = at..text.len();
            let _ = report(DetectedSecret { rule: CRAFTED_RULE, span, denies: true });
            return false;
        }
        let finding = match hint {
            Hint::Token(wanted) => token(wanted, text, at),
            Hint::Name(_) if at < named => None,
            Hint::Name(kind) => assignment::value(*kind, text, at, at + length)
                .filter(|finding| !is_public(text, &finding.span))
                .map(|finding| in_long_line(text, finding)),
            Hint::Special(_) | Hint::Kind if at < special => None,
            Hint::Special(look) => look(text, at),
            Hint::Kind => kube::manifest(text, at).or_else(|| {
                let may_be =
                    !is_parsed && !steps::is_spent(text.len()) && kube::may_be_secret(text, at);
                is_parsed |= may_be;
                may_be.then(|| kube::structured(text, at)).flatten()
            }),
            Hint::Call(call) => calls::argument(text, at, *call),
            Hint::Command(command) => calls::flag(text, at, *command),
        };
        let Some(finding) = finding else { return true };
        match hint {
            Hint::Name(_) => named = named.max(finding.span.end),
            Hint::Special(_) | Hint::Kind if finding.denies => {
                special = special.max(finding.span.end);
            }
            _ => {}
        }
        report(finding).is_continue()
    });
}

/// Whether a key is public because a web page uses it for searching: it is next to an application id and an
/// index name.
fn is_public(text: &[u8], span: &Range<usize>) -> bool {
    const AROUND: usize = 160;
    steps::add(AROUND);
    let around = text.get(span.start.saturating_sub(AROUND)..text.len().min(span.end + AROUND));
    let around = around.unwrap_or_default();
    blocks::find(around, b"appId").is_some() && blocks::find(around, b"indexName").is_some()
}

/// The same secret by the rule for long lines, if its line is too long for a person to have written.
fn in_long_line(text: &[u8], finding: DetectedSecret) -> DetectedSecret {
    const LONGEST_LINE: usize = 5000;
    let span = &finding.span;
    let before = text.get(span.start.saturating_sub(LONGEST_LINE)..span.start).unwrap_or_default();
    let after = text.get(span.end..text.len().min(span.end + LONGEST_LINE)).unwrap_or_default();
    let to_start = memchr::memrchr(b'\n', before).map_or(before.len(), |at| before.len() - at);
    let to_end = memchr::memchr(b'\n', after).unwrap_or(after.len());
    steps::add((to_start + to_end) / 8);
    if to_start + to_end < LONGEST_LINE || is_notebook(text) {
        return finding;
    }
    DetectedSecret { rule: assignment::LONG_LINE_RULE, ..finding }
}

/// Whether a text is a notebook. People wrote its lines, though often all in one.
fn is_notebook(text: &[u8]) -> bool {
    let head = text.get(..text.len().min(400)).unwrap_or_default();
    let has = |word: &[u8]| head.windows(word.len()).any(|window| window == word);
    head.trim_ascii_start().starts_with(b"{") && (has(b"\"cell_type\"") || has(b"\"nbformat\""))
}

/// Public keys: the one of Azure's storage emulator.
const KNOWN: &[&str] = &["Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1"];

fn token(wanted: &TokenHint, text: &[u8], at: usize) -> Option<DetectedSecret> {
    let TokenHint { family, shape, start, lead: wanted } = *wanted;
    let before = text.get(..at)?;
    // A distinctive prefix may be part of a name: `GITHUB_TOKEN_ghp_…`.
    let begins = begins_word(before) || before.ends_with(b"_") && is_distinctive(start);
    let lead = match wanted {
        None if !begins || !is_distinctive(start) && is_encoded(before) => return None,
        None | Some(RequiredPrefix::Any) => 0,
        Some(RequiredPrefix::Run(class, least, most)) => {
            let length =
                before.iter().rev().take(most + 1).take_while(|byte| class.has(**byte)).count();
            steps::add(length);
            (least..=most).contains(&length).then_some(length)?
        }
    };
    let rest = text.get(at..)?;
    let length = shape.length(start, rest)?;
    let body = str::from_utf8(rest.get(start.len()..length)?).ok()?;
    let led = str::from_utf8(before.get(at - lead..)?).ok()?;
    let is_real = if lead > 0 && body.len() < 8 {
        is_random(led)
    } else if is_distinctive(start) || wanted.is_some() || shape.parts.len() > 2 {
        is_token_body(body)
    } else {
        is_random(body)
    };
    let is_known = KNOWN.iter().any(|known| body.starts_with(known));
    // Hexadecimal digits alone are not a token of mixed-case letters.
    let is_number = start == "00" && body.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_alone = family.name == WITH_TOKEN && !has_token_near(rest.get(length..)?);
    let is_real = is_real && !is_known && !is_number && !is_alone;
    let span = at - lead..at + length;
    is_real.then_some(DetectedSecret { rule: family.name, span, denies: true })
}

/// Whether a text ends in the middle of a picture or another file in base64, where any letters may stand.
fn is_encoded(before: &[u8]) -> bool {
    const LINE: usize = 60;
    let line = before.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let is_amid = before.ends_with(b"/") || before.ends_with(b"+");
    let (run, least) = line.map_or((before, LINE / 2), |line| (line, LINE));
    if line.is_none() && !is_amid {
        return false;
    }
    let count = run.iter().rev().take(least).take_while(|byte| CharSet::Base64.has(**byte)).count();
    steps::add(count);
    count == least
}

/// The family whose tokens are names: only the password beside one is secret.
const WITH_TOKEN: &str = "twilio-account";

/// Whether a token of 32 hexadecimal digits follows soon.
fn has_token_near(rest: &[u8]) -> bool {
    const NEAR: usize = 160;
    let rest = &rest[..rest.len().min(NEAR)];
    steps::add(rest.len());
    rest.split(|byte| !byte.is_ascii_alphanumeric()).any(|word| {
        word.len() == 32 && word.iter().all(u8::is_ascii_hexdigit) && distinct(word) >= 8
    })
}

/// Whether this prefix is never written by accident.
fn is_distinctive(start: &str) -> bool {
    start.len() >= 4
        && !matches!(
            start,
            "key-"
                | "key_"
                | "sdk-"
                | "api-"
                | "API-"
                | "pat."
                | "sat."
                | "LTAI"
                | "AKID"
                | "4b1d"
                | "live_"
                | "test_"
                | "perm:"
                | "perm-"
        )
        || start == "hf_"
}

/// Whether a word can start after these bytes: no word continues, unless its last letters are an escape.
pub(crate) fn begins_word(before: &[u8]) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    match before {
        [] => true,
        [.., last] if !is_word(*last) => true,
        _ => ends_escape(before) || ends_colour(before),
    }
}

/// `\n`, `\x3d`, `\u003d` and `\075` in a string; `%3D` in a URL; `=3D` in mail.
fn ends_escape(before: &[u8]) -> bool {
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match before {
        [.., b'\\', b'n' | b'r' | b't' | b'e'] | [.., b'%', _, _] | [.., b'=', b'3', b'D'] => true,
        [.., b'\\', b'x', a, b] => is_hex(&[*a, *b]),
        [.., b'\\', b'u', a, b, c, d] => is_hex(&[*a, *b, *c, *d]),
        [.., b'\\', a, b, c] => [a, b, c].iter().all(|digit| digit.is_ascii_digit()),
        _ => false,
    }
}

/// A terminal colour code: `[32m`, with whatever precedes it.
fn ends_colour(before: &[u8]) -> bool {
    const LONGEST: usize = 16;
    let Some((last, rest)) = before.split_last() else { return false };
    let rest = rest.get(rest.len().saturating_sub(LONGEST)..).unwrap_or_default();
    let Some(open) = rest.iter().rposition(|byte| *byte == b'[') else { return false };
    let (lead, numbers) = (&rest[..open], &rest[open + 1..]);
    let is_numbers =
        numbers.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b':'));
    last.is_ascii_alphabetic() && is_numbers && (!numbers.is_empty() || lead.ends_with(&[0x1B]))
}
