//! Settings files: the names of `.env` and similar ones, and whether the content of others is harmless.

use crate::placeholders::{is_placeholder, is_random};

/// Parts of a name that mark a template to fill in.
const TEMPLATES: &str = "\
    example examples sample template tmpl tpl dist schema skeleton stub";
/// Extensions of code and documents about settings.
pub(crate) const OTHERS: [&str; 20] = [
    "md", "mdx", "ts", "tsx", "js", "mjs", "cjs", "jsx", "py", "rb", "go", "rs", "java", "kt",
    "php", "cs", "html", "vue", "svelte", "css",
];

/// Parts of a name that mark a template that somebody has filled in: `.env.example.local`.
const FILLED_IN: &str = "local real live own mine private prod production secret";

/// Whether a lower-case name is that of a template.
pub(crate) fn is_template(name: &str) -> bool {
    let mut parts = name.split(['.', '-', '_']);
    let is_filled_in = parts.clone().next_back().is_some_and(|last| is_in(FILLED_IN, last));
    !is_filled_in && parts.any(|part| is_in(TEMPLATES, part))
}

/// Whether a lower-case name is that of a settings file.
pub(crate) fn is_named(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    if name.starts_with(".env") && OTHERS.contains(&last) {
        return false;
    }
    match name.strip_prefix(".env").or_else(|| name.strip_prefix(".dev.vars")) {
        Some("" | "rc") => true,
        Some(rest) if rest.starts_with("rc.") => true,
        Some(rest) => rest.starts_with(|c: char| !c.is_ascii_alphabetic()),
        None => {
            name.strip_suffix(".env").is_some_and(|kind| !kind.is_empty())
                || name.ends_with(".env.local")
                || matches!(name, "env.local" | "env.prod" | "env.production")
                || [".flaskenv", ".secrets"].iter().any(|own| {
                    name.strip_prefix(own)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                })
        }
    }
}

/// The least characters of a value that is masked wherever it stands.
const LEAST_VALUE: usize = 8;

/// The values of a settings file that are no plain words or numbers: whoever prints one gives it away.
pub(crate) fn values(text: &str) -> Vec<String> {
    let mut values: Vec<String> = text.lines().filter_map(value).collect();
    values.retain(|value| is_telling(value));
    values
}

/// The value of a line, without its quotes and what is said about it.
fn value(line: &str) -> Option<String> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    if name.trim().is_empty() || !name.trim().chars().all(is_name) {
        return None;
    }
    let value = value.trim();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let value = match quote {
        Some(quote) => {
            let inside = value.get(1..).unwrap_or_default();
            inside.split_once(quote).map_or(inside, |(inside, _)| inside)
        }
        None => value.split_once(" #").map_or(value, |(value, _)| value).trim_end(),
    };
    Some(value.to_owned())
}

/// Whether a value is long enough, and no plain word or number.
fn is_telling(value: &str) -> bool {
    let is_word = value.chars().all(char::is_alphabetic);
    let is_number = value.chars().all(|c| c.is_ascii_digit() || "+-.,:_".contains(c));
    value.chars().count() >= LEAST_VALUE && !is_word && !is_number
}

/// Whether every setting is clearly harmless. Lines that are not understood are not.
pub(crate) fn is_harmless(text: &str) -> bool {
    text.lines().all(|line| {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let is_comment = line.is_empty() || line.starts_with('#') || line.starts_with("//");
        is_comment
            || line
                .split_once('=')
                .is_some_and(|(name, value)| is_harmless_setting(name.trim(), value.trim()))
    })
}

fn is_harmless_setting(name: &str, value: &str) -> bool {
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
    let value = value.split(" #").next().unwrap_or_default().trim().trim_end_matches(';');
    let value = value.strip_prefix(['"', '\'']).unwrap_or(value);
    let value = value.strip_suffix(['"', '\'']).unwrap_or(value);
    is_name && (is_placeholder(value) || is_plain(name, value))
}

/// Whether a value is safe to show: a word, a number, a URL, a path.
fn is_plain(name: &str, value: &str) -> bool {
    let is_sensitive = sensitivity(name);
    if value.contains("://") {
        // A query or a path may hold a secret that no rule finds.
        return !value.contains('@') && !mixes(value) && is_address_only(value);
    }
    let is_word = value.chars().all(|c| c.is_alphanumeric() || "_-./:,\\$@ *".contains(c));
    let is_word = is_word && value.split_ascii_whitespace().count() < SEED_WORDS;
    let has_digits_in_words = is_random(value) || mixes(value);
    match is_sensitive {
        Sensitivity::None if is_revision(name, value) => true,
        Sensitivity::Secret => false,
        Sensitivity::Key => is_word && !has_digits_in_words && value.len() < 10,
        Sensitivity::None => is_word && !has_digits_in_words && value.len() < 80,
    }
}

/// A commit id, which is public.
fn is_revision(name: &str, value: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_named = ["commit", "revision", "sha"].iter().any(|word| lower.contains(word));
    is_named
        && matches!(value.len(), 7..=12 | 40)
        && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A URL whose query has only short words.
fn is_address_only(value: &str) -> bool {
    let query = value.split_once('?').map_or("", |(_, query)| query);
    query.split('&').all(|pair| pair.len() < 40 && !mixes(pair))
}

/// Whether a longer word mixes letters and digits, as codes do.
fn mixes(value: &str) -> bool {
    value.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        word.len() >= 8 && digits >= 2 && digits < word.len()
    })
}

/// Fewer words than any phrase that a wallet is restored from.
const SEED_WORDS: usize = 10;

/// Whether the name of a setting says that its value is secret.
pub(crate) fn is_sensitive(name: &str) -> bool {
    !matches!(sensitivity(name), Sensitivity::None)
}

enum Sensitivity {
    Secret,
    Key,
    None,
}

fn sensitivity(name: &str) -> Sensitivity {
    const SECRETS: &[&str] = &[
        "secret",
        "token",
        "pass",
        "pwd",
        "pw",
        "psk",
        "seed",
        "mnemonic",
        "phrase",
        "kennwort",
        "geheim",
        "motdepasse",
        "mdp",
        "senha",
        "wachtwoord",
        "credential",
        "private",
        "salt",
        "cookie",
        "signature",
        "pin",
        "cert",
        "webhook",
        "dsn",
    ];
    let lower = name.to_ascii_lowercase();
    let has = |word: &str| lower.contains(word);
    if SECRETS.iter().any(|word| has(word)) {
        Sensitivity::Secret
    } else if has("key") || has("auth") || has("license") {
        Sensitivity::Key
    } else {
        Sensitivity::None
    }
}

/// Whether a list of words contains a word.
fn is_in(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|other| other == word)
}
