//! The guard: keeps secrets out of every artifact.
//!
//! It answers two questions, wherever text of a file enters an artifact (archive, meta, chart, slice, pack,
//! notice, Markdown):
//!
//! - **May this file contribute text at all?** [`Guard::judge`] decides by its path and its bytes. Of a denied
//!   file only the path appears: no description, no specifiers, no declarations, no text.
//! - **May this text be shown?** [`redact`] masks what looks like a secret in it: credentials in URLs, tokens,
//!   keys. It is for single texts from outside: specifiers, descriptions, messages of tools. It is cheap and
//!   borrows if there is nothing to mask.
//!
//! The result of [`inspect`] depends on the bytes alone, so it can be cached by their digest. The check of the
//! name runs every time. The rules are data: `families` lists tokens by issuer, `names` lists files made to
//! hold secrets, and a few rules have code of their own. They target what is almost certainly a secret: users
//! would switch off a rule that hides ordinary source, and then it would guard nothing. [`rules`] lists them;
//! `docs/secrets.md` is generated from that list.
//!
//! The whole text is searched, in one pass for the prefixes of all rules (`anchors`).
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod anchors;
mod assignment;
mod blocks;
mod calls;
mod decode;
mod env;
mod families;
mod finding;
mod kube;
mod manifest;
mod names;
mod placeholders;
mod shape;
mod steps;
mod url;
mod wrapped;

use std::borrow::Cow;
use std::ops::ControlFlow;

use portolan_types::RepoPath;

/// Replaces a masked secret.
pub const MASK: &str = "***";

/// One rule, as the reference page shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    /// Its stable name.
    pub name: &'static str,
    /// What it denies.
    pub denies: &'static str,
}

/// Rules with code of their own.
const SPECIAL: &[Rule] = &[
    Rule {
        name: "private-key",
        denies: "a PEM, OpenSSH, SSH2, PGP, PuTTY or XML private key with its body, also in base64, and the body before its last line alone",
    },
    Rule { name: "private-jwk", denies: "a JSON Web Key with its private part" },
    Rule {
        name: "kubernetes-secret",
        denies: "a Kubernetes manifest (`kind: Secret`), also in a list, in braces or in JSON, with anchors, tags and escapes, with values under `data` or `stringData`",
    },
    Rule {
        name: kube::WORD_RULE,
        denies: "the same with values that may be words, and `literals` of a `secretGenerator`; not in code, tests and documents",
    },
    Rule { name: "kubeconfig", denies: "a client's key in a kubeconfig (`client-key-data`)" },
    Rule {
        name: url::RULE,
        denies: "credentials in a URL (`postgres://user:password@host`) or a data source (`user:password@tcp(host)/db`), except well-known ones such as `postgres:postgres`",
    },
    Rule {
        name: url::LOCAL_RULE,
        denies: "the same for a local machine (`sa:LoremIpsum86@localhost`, a host without a dot), with a password of words; not in tests and documents",
    },
    Rule {
        name: "authorization-header",
        denies: "`Basic` or `curl -u` with a name and a password, `Bearer` with a token",
    },
    Rule {
        name: "jwt",
        denies: "a JSON Web Token, signed or encrypted, except those whose `sub`, `name`, `iss` or `email` is the one of a tutorial or of `example.com`",
    },
    Rule {
        name: assignment::RULE,
        denies: "a value that looks like a password or a key, assigned to a name such as `password`, `secret`, `token` or `api_key`",
    },
    Rule {
        name: assignment::WORD_RULE,
        denies: "an unquoted word that looks like a password, assigned to a name such as `password`; not in code, where it is the name of a variable",
    },
    Rule {
        name: assignment::LONG_LINE_RULE,
        denies: "the same two in a line of more than 5,000 characters; not in code, pages and source maps, where it is a bundle",
    },
    Rule {
        name: finding::CRAFTED_RULE,
        denies: "a text with so many beginnings of secrets that it would take too long to search all of it (more than 16 steps for each byte)",
    },
];

/// Every rule: by file name, by format, by issuer.
pub fn rules() -> Vec<Rule> {
    let named = names::NAMES.iter().map(|rule| Rule { name: rule.name, denies: rule.denies });
    let issued =
        families::FAMILIES.iter().map(|family| Rule { name: family.name, denies: family.denies });
    named.chain(SPECIAL.iter().copied()).chain(issued).collect()
}

/// Why a file is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Denial {
    /// The name of the first rule that matched.
    pub rule: &'static str,
}

/// The result of searching a file's bytes, independent of its name. It can be cached by their digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inspection(Option<&'static str>);

impl Inspection {
    /// The number to cache: 0 if nothing was found, otherwise one plus the rule's index in [`rules`]. It is valid
    /// only for this version of the rules.
    pub fn code(self) -> u16 {
        let place = self.0.and_then(|name| rules().iter().position(|rule| rule.name == name));
        place.map_or(0, |place| place as u16 + 1)
    }

    /// The result for a cached number; `None` if no rule has this number.
    pub fn from_code(code: u16) -> Option<Self> {
        match code.checked_sub(1) {
            None => Some(Self(None)),
            Some(place) => rules().get(usize::from(place)).map(|rule| Self(Some(rule.name))),
        }
    }

    /// The rule that denies these bytes at a path. Rules that only judge how a value looks do not deny tests,
    /// documents and templates.
    pub fn denial(self, path: &RepoPath) -> Option<Denial> {
        let rule = self.0?;
        let is_strong = !finding::WEAK.contains(&rule);
        let is_usual = match rule {
            assignment::WORD_RULE | kube::WORD_RULE => names::is_code(path),
            assignment::LONG_LINE_RULE => names::is_bundle(path),
            _ => false,
        };
        (is_strong || !is_usual && !names::is_about_others(path)).then_some(Denial { rule })
    }
}

/// Every secret in the bytes of a file: the rule and the matched text, for people who
/// investigate a denial.
pub fn explain(bytes: &[u8]) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for text in readings(bytes) {
        finding::find(&text, |finding| {
            if finding.denies {
                let span = text.get(finding.span).unwrap_or_default();
                found.push((finding.rule, String::from_utf8_lossy(span).into_owned()));
            }
            ControlFlow::Continue(())
        });
    }
    found
}

/// The possible readings of the bytes: more than one if a byte order mark may be wrong, or letters are escaped.
fn readings(bytes: &[u8]) -> impl Iterator<Item = Cow<'_, [u8]>> {
    let text = decode::readable(bytes);
    let unescaped = decode::unescaped(&text).map(Cow::Owned);
    let unmarked = decode::unmarked(bytes).map(Cow::Owned);
    std::iter::once(text).chain(unescaped).chain(unmarked)
}

/// Searches all bytes of a file, in UTF-8 or UTF-16.
pub fn inspect(bytes: &[u8]) -> Inspection {
    let mut found = None;
    for text in readings(bytes) {
        finding::find(&text, |finding| {
            if finding.denies && found.is_none_or(|other| strength(finding.rule) > strength(other))
            {
                found = Some(finding.rule);
            }
            if found.is_some_and(|rule| strength(rule) == STRONGEST) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
    }
    Inspection(found)
}

const STRONGEST: u8 = 2;

/// How strong a rule is: the more kinds of files its matches deny, the stronger.
fn strength(rule: &str) -> u8 {
    match rule {
        assignment::WORD_RULE | assignment::LONG_LINE_RULE | kube::WORD_RULE => 0,
        rule if finding::WEAK.contains(&rule) => 1,
        _ => STRONGEST,
    }
}

/// The rule that denies a file, without regard to the configuration.
pub fn detect(path: &RepoPath, bytes: &[u8]) -> Option<Denial> {
    by_name(path, bytes).or_else(|| inspect(bytes).denial(path))
}

/// The rule that denies a file by its name.
pub fn by_name(path: &RepoPath, bytes: &[u8]) -> Option<Denial> {
    let text = || {
        let readings = readings(bytes).map(|text| String::from_utf8_lossy(&text).into_owned());
        readings.collect::<Vec<_>>().join("\n")
    };
    names::denial(path, text).map(|rule| Denial { rule: rule.name })
}

/// The rule for a file's name, whatever its content: for files that somebody hid, which get no benefit of the
/// doubt.
pub fn by_name_alone(path: &RepoPath) -> Option<Denial> {
    names::about(path).map(|rule| Denial { rule: rule.name })
}

/// The guard with its configuration.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    is_off: bool,
    allowed: Vec<RepoPath>,
}

impl Guard {
    /// A guard that is on or off, with a list of allowed paths.
    pub fn new(is_on: bool, allowed: &[RepoPath]) -> Self {
        Self { is_off: !is_on, allowed: allowed.to_vec() }
    }

    /// Why only the path of a file may appear; `None` if its text may.
    pub fn judge(&self, path: &RepoPath, bytes: &[u8]) -> Option<Denial> {
        if self.allows(path) { None } else { detect(path, bytes) }
    }

    /// The same, with the result of an earlier inspection.
    pub fn judge_inspected(
        &self,
        path: &RepoPath,
        bytes: &[u8],
        inspection: Inspection,
    ) -> Option<Denial> {
        if self.allows(path) {
            None
        } else {
            by_name(path, bytes).or_else(|| inspection.denial(path))
        }
    }

    /// Whether the guard denies nothing.
    pub fn is_off(&self) -> bool {
        self.is_off
    }

    /// A text that changes whenever a verdict may change.
    pub fn fingerprint(&self) -> String {
        let allowed: Vec<&str> = self.allowed.iter().map(RepoPath::as_str).collect();
        format!("{}\0{}", self.is_off, allowed.join("\0"))
    }

    /// Whether a path is allowed without inspection.
    pub fn allows(&self, path: &RepoPath) -> bool {
        self.is_off || self.allowed.contains(path)
    }
}

/// Whether a part of an address looks like a token, and not like a name.
pub fn is_token_like(part: &str) -> bool {
    redact(part) != part || placeholders::is_random(part)
}

/// How often to mask again: what remains of a text may look like a secret only then.
const MOST_PASSES: usize = 8;

/// Whether a file of this name holds settings that are nobody else's: `.env` and its like, but no template.
pub fn is_settings_file(name: &str) -> bool {
    let name = name.to_lowercase();
    env::is_named(&name) && !env::is_template(&name)
}

/// The values of a settings file that are masked wherever they stand: of at least eight characters, and no plain words or
/// numbers.
pub fn settings_values(text: &str) -> Vec<String> {
    env::values(text)
}

/// Masks some values wherever they stand in bytes, the longest first.
pub fn mask_values(bytes: &[u8], values: &[String]) -> Vec<u8> {
    let mut values: Vec<&String> = values.iter().filter(|value| !value.is_empty()).collect();
    values.sort_by_key(|value| (std::cmp::Reverse(value.len()), *value));
    values.dedup();
    let mut masked = bytes.to_vec();
    for value in values {
        let mut out = Vec::with_capacity(masked.len());
        let mut end = 0;
        for at in memchr::memmem::find_iter(&masked, value.as_bytes()) {
            out.extend_from_slice(masked.get(end..at).unwrap_or_default());
            out.extend_from_slice(MASK.as_bytes());
            end = at + value.len();
        }
        if end > 0 {
            out.extend_from_slice(masked.get(end..).unwrap_or_default());
            masked = out;
        }
    }
    masked
}

/// Masks everything in the text that looks like a secret. Masking twice changes nothing.
pub fn redact(text: &str) -> Cow<'_, str> {
    let Some(mut masked) = masked(text) else { return Cow::Borrowed(text) };
    for _ in 1..MOST_PASSES {
        match self::masked(&masked) {
            Some(again) if again != masked => masked = again,
            _ => break,
        }
    }
    Cow::Owned(masked)
}

/// The same for what a tool printed: also tokens that a line end breaks.
pub fn redact_log(text: &str) -> Cow<'_, str> {
    match wrapped::masked(text) {
        None => redact(text),
        Some(masked) => Cow::Owned(redact(&masked).into_owned()),
    }
}

/// Masks the matches in the text; `None` if there are none.
fn masked(text: &str) -> Option<String> {
    let mut spans = Vec::new();
    finding::find(text.as_bytes(), |finding| {
        spans.push(finding.span);
        ControlFlow::Continue(())
    });
    if spans.is_empty() {
        return None;
    }
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for span in spans {
        if span.start >= end {
            out.push_str(text.get(end..span.start).unwrap_or_default());
            out.push_str(MASK);
        }
        end = end.max(span.end);
    }
    out.push_str(text.get(end..).unwrap_or_default());
    Some(out)
}

#[cfg(test)]
mod tests;

/// Identifies the sources of this crate, for caches of what they compute.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
