//! The guard: nothing private leaves, whatever door it takes.
//!
//! Two questions, asked wherever text of a file enters an artifact (archive, meta, chart, slice, pack, notice,
//! Markdown):
//!
//! - **May this file speak at all?** [`Guard::judge`], with its path and its bytes. A file that is denied
//!   contributes its path and nothing else: no description, no specifiers, no declarations, no text.
//! - **May this text be shown?** [`redact`] masks what looks like a secret in it: credentials in URLs, tokens,
//!   keys. It is for single texts from outside: specifiers, descriptions, messages of tools. It is cheap where
//!   there is nothing to mask, and borrows.
//!
//! What is in a file ([`inspect`]) depends on its bytes alone, so it can be remembered by their digest; what its
//! name says is asked every time. The rules are data: `families` has tokens by issuer,
//! `names` has files made to hold secrets, and a few rules have code of their own. They aim at what
//! is almost certainly a secret: a rule that hides ordinary source would be switched off, and then it guards
//! nothing. [`rules`] lists them; `docs/secrets.md` is made of that list.
//!
//! All of a text is searched, in one pass for the starts of all rules (`anchors`).
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
mod names;
mod random;
mod shape;
mod url;

use std::borrow::Cow;
use std::ops::ControlFlow;

use portolan_types::RepoPath;

/// What stands in place of what was masked.
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
        denies: "a PEM, OpenSSH, SSH2, PGP or PuTTY private key with its body, also in base64",
    },
    Rule { name: "private-jwk", denies: "a JSON Web Key with its private part" },
    Rule {
        name: "kubernetes-secret",
        denies: "a manifest of Kubernetes (`kind: Secret`), also in a list or in JSON, with values under `data` or `stringData`",
    },
    Rule { name: "kubeconfig", denies: "a client's key in a kubeconfig (`client-key-data`)" },
    Rule {
        name: url::RULE,
        denies: "credentials in a URL (`postgres://user:password@host`) or a data source (`user:password@tcp(host)/db`), but not those that everybody knows, such as `postgres:postgres`",
    },
    Rule {
        name: url::LOCAL_RULE,
        denies: "the same for a machine that nobody else can reach (`sa:LoremIpsum86@localhost`, a host without a dot), with a password of words; not in tests and documents",
    },
    Rule {
        name: "authorization-header",
        denies: "`Basic` or `curl -u` with a name and a password, `Bearer` with a token",
    },
    Rule {
        name: "jwt",
        denies: "a JSON Web Token with its signature, but not the one of the tutorials",
    },
    Rule {
        name: assignment::RULE,
        denies: "a value that looks like a password or a key, given to a name such as `password`, `secret`, `token` or `api_key`",
    },
    Rule {
        name: assignment::WORD_RULE,
        denies: "a word without quotes that looks like a password, given to a name such as `password`; not in code, where it is the name of a variable",
    },
];

/// Every rule: by name of files, by form, by issuer.
pub fn rules() -> Vec<Rule> {
    let named = names::NAMES.iter().map(|rule| Rule { name: rule.name, denies: rule.denies });
    let issued =
        families::FAMILIES.iter().map(|family| Rule { name: family.name, denies: family.denies });
    named.chain(SPECIAL.iter().copied()).chain(issued).collect()
}

/// Why a file is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Denial {
    /// The name of the rule that fired first.
    pub rule: &'static str,
}

/// What the bytes of a file say, whatever its name is. It can be remembered by their digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inspection(Option<&'static str>);

impl Inspection {
    /// The number to remember it by: 0 for nothing found, else one more than the place of the rule in
    /// [`rules`]. It is good for these sources of the rules only.
    pub fn code(self) -> u16 {
        let place = self.0.and_then(|name| rules().iter().position(|rule| rule.name == name));
        place.map_or(0, |place| place as u16 + 1)
    }

    /// What was remembered; `None` where no rule has this number.
    pub fn from_code(code: u16) -> Option<Self> {
        match code.checked_sub(1) {
            None => Some(Self(None)),
            Some(place) => rules().get(usize::from(place)).map(|rule| Self(Some(rule.name))),
        }
    }

    /// The rule that denies these bytes at a path. Rules that go by looks alone do not deny tests, documents
    /// and templates.
    pub fn denial(self, path: &RepoPath) -> Option<Denial> {
        let rule = self.0?;
        let is_strong = !finding::WEAK.contains(&rule);
        let is_variable = rule == assignment::WORD_RULE && names::is_code(path);
        (is_strong || !is_variable && !names::is_about_others(path)).then_some(Denial { rule })
    }
}

/// Every secret in the bytes of a file: the rule that found it, and the text that it found; for people who
/// look into a denial.
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

/// The texts that bytes can be read as: one, or two where a mark may lie.
fn readings(bytes: &[u8]) -> impl Iterator<Item = Cow<'_, [u8]>> {
    std::iter::once(decode::readable(bytes)).chain(decode::unmarked(bytes).map(Cow::Owned))
}

/// Searches the bytes of a file, all of them, in UTF-8 or UTF-16.
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

/// In how many files what a rule finds counts: the more the stronger.
fn strength(rule: &str) -> u8 {
    match rule {
        assignment::WORD_RULE => 0,
        rule if finding::WEAK.contains(&rule) => 1,
        _ => STRONGEST,
    }
}

/// The rule that denies a file, if one does; with the rules as they are, nothing allowed.
pub fn detect(path: &RepoPath, bytes: &[u8]) -> Option<Denial> {
    by_name(path, bytes).or_else(|| inspect(bytes).denial(path))
}

/// The rule about a file's name that denies it.
pub fn by_name(path: &RepoPath, bytes: &[u8]) -> Option<Denial> {
    let text = || {
        let readings = readings(bytes).map(|text| String::from_utf8_lossy(&text).into_owned());
        readings.collect::<Vec<_>>().join("\n")
    };
    names::denial(path, text).map(|rule| Denial { rule: rule.name })
}

/// The rule about a file's name, whatever is in the file: for files that somebody hid, which are not given
/// the benefit of the doubt.
pub fn by_name_alone(path: &RepoPath) -> Option<Denial> {
    names::about(path).map(|rule| Denial { rule: rule.name })
}

/// The guard as the configuration has it.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    is_off: bool,
    allowed: Vec<RepoPath>,
}

impl Guard {
    /// A guard that is on or off, and lets these paths through.
    pub fn new(is_on: bool, allowed: &[RepoPath]) -> Self {
        Self { is_off: !is_on, allowed: allowed.to_vec() }
    }

    /// Why a file must not contribute more than its path; `None` where it may.
    pub fn judge(&self, path: &RepoPath, bytes: &[u8]) -> Option<Denial> {
        if self.lets(path) { None } else { detect(path, bytes) }
    }

    /// The same where the bytes were looked at before.
    pub fn judge_inspected(
        &self,
        path: &RepoPath,
        bytes: &[u8],
        inspection: Inspection,
    ) -> Option<Denial> {
        if self.lets(path) {
            None
        } else {
            by_name(path, bytes).or_else(|| inspection.denial(path))
        }
    }

    /// Whether nothing is denied.
    pub fn is_off(&self) -> bool {
        self.is_off
    }

    /// A text that changes when its verdicts may.
    pub fn fingerprint(&self) -> String {
        let allowed: Vec<&str> = self.allowed.iter().map(RepoPath::as_str).collect();
        format!("{}\0{}", self.is_off, allowed.join("\0"))
    }

    /// Whether a path is let through unseen.
    pub fn lets(&self, path: &RepoPath) -> bool {
        self.is_off || self.allowed.contains(path)
    }
}

/// How often a text is masked again: what is left of it may look like a secret only now.
const MOST_PASSES: usize = 8;

/// The text with everything that looks like a secret masked. Masking it again changes nothing.
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

/// The text with what is found in it masked; `None` where nothing is.
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
mod steps;
#[cfg(test)]
mod tests;
