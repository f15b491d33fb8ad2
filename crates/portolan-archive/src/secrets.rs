//! Files that commonly hold secrets, told by their names and by their first bytes.
//!
//! Each rule has a stable name, so that a denial can say which one fired. The rules aim at what is
//! almost certainly a secret: a rule that hides ordinary source would be switched off, and then it
//! guards nothing. Placeholders (`${TOKEN}`, `xxxx…`, `EXAMPLE`) are let through.

use portolan_types::RepoPath;

/// How much of a file is searched.
pub const SEARCHED_BYTES: usize = 64 * 1024;
/// How many base64 characters after its first line make a private key a real one.
const KEY_BODY: usize = 40;
/// A real token is not one character again and again.
const MIN_DISTINCT: usize = 8;

/// One rule, as the reference page shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretRule {
    /// Its stable name.
    pub name: &'static str,
    /// What it denies.
    pub denies: &'static str,
}

macro_rules! rules {
    ($($constant:ident = $name:literal, $denies:literal;)+) => {
        $(const $constant: SecretRule = SecretRule { name: $name, denies: $denies };)+

        /// Every rule, in the order they are tried.
        pub const RULES: &[SecretRule] = &[$($constant,)+];
    };
}

rules! {
    ENV_FILE = "env-file", "`.env`, `.env.*`, `.env-*`, `.env_*`, `.envrc` and `*.env`, but not `.env.example`, `.env.sample` and `.env.template`";
    KEY_FILE = "private-key-file", "`id_rsa`, `id_dsa`, `id_ecdsa`, `id_ed25519`, `*.ppk`, `*.p12`, `*.pfx`, `*.jks`, `*.keystore`";
    CREDENTIAL_FILE = "credential-file", "`.aws/credentials`, `.azure/accessTokens.json`, `.kube/config`, `application_default_credentials.json`, `credentials.tfrc.json`, `.git-credentials`, `.htpasswd`";
    NPMRC = "npmrc-token", "`.npmrc` and `.yarnrc.yml` with an authentication token or password";
    PYPIRC = "pypirc-password", "`.pypirc` with a password";
    NETRC = "netrc-password", "`.netrc` and `_netrc` with a password";
    DOCKER = "docker-auth", "`.docker/config.json` and `.dockercfg` with an `auth` value";
    PRIVATE_KEY = "private-key", "a PEM, OpenSSH, PGP or PuTTY private key with its body";
    AWS_KEY = "aws-access-key", "an AWS access key id (`AKIA…`, `ASIA…`)";
    GITHUB_TOKEN = "github-token", "a GitHub token (`ghp_…`, `gho_…`, `ghu_…`, `ghs_…`, `ghr_…`, `github_pat_…`)";
    GITLAB_TOKEN = "gitlab-token", "a GitLab token (`glpat-…`)";
    SLACK_TOKEN = "slack-token", "a Slack token (`xoxb-…`, `xoxp-…`, `xoxa-…`, `xoxr-…`, `xoxs-…`)";
    STRIPE_KEY = "stripe-live-key", "a live Stripe key (`sk_live_…`, `rk_live_…`)";
    OPENAI_KEY = "openai-key", "an OpenAI key (`sk-proj-…`, `sk-svcacct-…`)";
    ANTHROPIC_KEY = "anthropic-key", "an Anthropic key (`sk-ant-api…`)";
    NPM_TOKEN = "npm-token", "an npm access token (`npm_…`)";
    PYPI_TOKEN = "pypi-token", "a PyPI token (`pypi-AgEI…`)";
    HF_TOKEN = "huggingface-token", "a Hugging Face token (`hf_…`)";
    SENDGRID_KEY = "sendgrid-key", "a SendGrid key (`SG.….…`)";
    DIGITALOCEAN_TOKEN = "digitalocean-token", "a DigitalOcean token (`dop_v1_…`)";
}

/// The rule that denies a file, if one does.
pub fn detect(path: &RepoPath, bytes: &[u8]) -> Option<SecretRule> {
    let head = &bytes[..bytes.len().min(SEARCHED_BYTES)];
    by_name(path).or_else(|| by_name_and_content(path, head)).or_else(|| by_content(head))
}

/// The rule that denies a file whatever is in it.
pub fn by_name(path: &RepoPath) -> Option<SecretRule> {
    const KEYS: [&str; 4] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
    const KEY_STORES: [&str; 5] = ["ppk", "p12", "pfx", "jks", "keystore"];
    const CREDENTIALS: [&str; 7] = [
        ".aws/credentials",
        ".azure/accesstokens.json",
        ".kube/config",
        "application_default_credentials.json",
        "credentials.tfrc.json",
        ".git-credentials",
        ".htpasswd",
    ];
    let whole = path.as_str().to_ascii_lowercase();
    let name = path.file_name().to_ascii_lowercase();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    if is_env_file(&name) {
        return Some(ENV_FILE);
    }
    if KEYS.contains(&name.as_str())
        || extension.is_some_and(|extension| KEY_STORES.contains(&extension))
    {
        return Some(KEY_FILE);
    }
    let is_credential = |tail: &str| whole == tail || whole.ends_with(&format!("/{tail}"));
    CREDENTIALS.into_iter().any(is_credential).then_some(CREDENTIAL_FILE)
}

fn is_env_file(name: &str) -> bool {
    const HARMLESS: [&str; 3] = ["example", "sample", "template"];
    match name.strip_prefix(".env") {
        Some("" | "rc") => true,
        Some(rest) => {
            rest.strip_prefix(['.', '-', '_']).is_some_and(|kind| !HARMLESS.contains(&kind))
        }
        None => name.strip_suffix(".env").is_some_and(|kind| !HARMLESS.contains(&kind)),
    }
}

/// Files that are harmless unless they hold the thing they are made for.
fn by_name_and_content(path: &RepoPath, head: &[u8]) -> Option<SecretRule> {
    let (keys, rule): (&[&str], SecretRule) = match path.file_name().to_ascii_lowercase().as_str() {
        ".npmrc" | ".yarnrc.yml" => {
            (&["_authtoken", "_auth", "_password", "npmauthtoken", "npmauthident"], NPMRC)
        }
        ".pypirc" => (&["password"], PYPIRC),
        ".netrc" | "_netrc" => (&["password"], NETRC),
        ".dockercfg" => (&["auth"], DOCKER),
        "config.json" if path.parent().is_some_and(|parent| parent.ends_with(".docker")) => {
            (&["auth"], DOCKER)
        }
        _ => return None,
    };
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    text.lines().any(|line| keys.iter().any(|key| has_value(line, key))).then_some(rule)
}

/// Whether a line gives a key a value of its own: not nothing, not a reference to the environment.
fn has_value(line: &str, key: &str) -> bool {
    let line = line.trim_start();
    if line.starts_with(['#', ';']) {
        return false;
    }
    line.match_indices(key).any(|(at, _)| {
        let rest = line[at + key.len()..].trim_start_matches(['"', '\'']);
        let value = rest.trim_start_matches([' ', '\t', '=', ':', '"', '\'']);
        rest.len() > value.len()
            && !value.is_empty()
            && !value.starts_with('$')
            && !value.starts_with('<')
    })
}

/// One pass over the head: a token or a key begins where no word goes on.
fn by_content(head: &[u8]) -> Option<SecretRule> {
    const PUTTY: &[u8] = b"PuTTY-User-Key-File-";
    if head.starts_with(PUTTY) {
        return Some(PRIVATE_KEY);
    }
    let mut is_inside_a_word = false;
    for (at, byte) in head.iter().enumerate() {
        if !is_inside_a_word && let Some(rule) = begins_here(&head[at..]) {
            return Some(rule);
        }
        is_inside_a_word = word(*byte);
    }
    None
}

fn begins_here(rest: &[u8]) -> Option<SecretRule> {
    match rest.first()? {
        b'-' => is_private_key(rest).then_some(PRIVATE_KEY),
        b'A' | b'S' | b'd' | b'g' | b'h' | b'n' | b'p' | b'r' | b's' | b'x' => {
            TOKENS.iter().find(|token| token.is_at(rest)).map(|token| token.rule)
        }
        _ => None,
    }
}

/// A first line of a private key, and then enough of its body: a program that only mentions the
/// line is let through.
fn is_private_key(rest: &[u8]) -> bool {
    let Some(rest) = rest.strip_prefix(b"-----BEGIN ") else { return false };
    let label = &rest[..rest.iter().take(40).position(|byte| *byte == b'-').unwrap_or(0)];
    (label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK"))
        && has_key_body(&rest[label.len()..])
}

/// Whether one of the next lines (line ends may be written as `\n`) is a long run of base64.
fn has_key_body(rest: &[u8]) -> bool {
    let window = &rest[..rest.len().min(1024)];
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    window.split(|byte| !is_base64(byte)).any(|run| {
        // In `\nMIIE…` the `n` belongs to the line end; one character does not matter.
        run.len() >= KEY_BODY && distinct(run) >= MIN_DISTINCT
    })
}

/// A token with a fixed start, known characters and a known length.
struct Token {
    rule: SecretRule,
    prefixes: &'static [&'static str],
    allowed: fn(u8) -> bool,
    min: usize,
    max: usize,
}

fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn dashed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn dotted(byte: u8) -> bool {
    dashed(byte) || byte == b'.'
}

const LONG: usize = 500;

const TOKENS: &[Token] = &[
    Token { rule: AWS_KEY, prefixes: &["AKIA", "ASIA"], allowed: upper, min: 16, max: 16 },
    Token {
        rule: GITHUB_TOKEN,
        prefixes: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        allowed: alphanumeric,
        min: 36,
        max: 255,
    },
    Token { rule: GITHUB_TOKEN, prefixes: &["github_pat_"], allowed: word, min: 60, max: 255 },
    Token { rule: GITLAB_TOKEN, prefixes: &["glpat-"], allowed: dashed, min: 20, max: LONG },
    Token {
        rule: SLACK_TOKEN,
        prefixes: &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-"],
        allowed: dashed,
        min: 24,
        max: LONG,
    },
    Token {
        rule: STRIPE_KEY,
        prefixes: &["sk_live_", "rk_live_"],
        allowed: alphanumeric,
        min: 20,
        max: LONG,
    },
    Token {
        rule: OPENAI_KEY,
        prefixes: &["sk-proj-", "sk-svcacct-"],
        allowed: dashed,
        min: 40,
        max: LONG,
    },
    Token { rule: ANTHROPIC_KEY, prefixes: &["sk-ant-api"], allowed: dashed, min: 80, max: LONG },
    Token { rule: NPM_TOKEN, prefixes: &["npm_"], allowed: alphanumeric, min: 36, max: 36 },
    Token { rule: PYPI_TOKEN, prefixes: &["pypi-AgEI"], allowed: dashed, min: 50, max: LONG },
    Token { rule: HF_TOKEN, prefixes: &["hf_"], allowed: alphanumeric, min: 34, max: 40 },
    Token { rule: SENDGRID_KEY, prefixes: &["SG."], allowed: dotted, min: 60, max: 70 },
    Token {
        rule: DIGITALOCEAN_TOKEN,
        prefixes: &["dop_v1_"],
        allowed: alphanumeric,
        min: 64,
        max: 64,
    },
];

impl Token {
    fn is_at(&self, rest: &[u8]) -> bool {
        let bodies = self.prefixes.iter().filter_map(|prefix| rest.strip_prefix(prefix.as_bytes()));
        bodies.into_iter().any(|body| self.is_real(body))
    }

    fn is_real(&self, rest: &[u8]) -> bool {
        let length = rest.iter().take_while(|byte| (self.allowed)(**byte)).count();
        let body = &rest[..length];
        (self.min..=self.max).contains(&length)
            && distinct(body) >= MIN_DISTINCT
            && !body.windows(7).any(|window| window == b"EXAMPLE")
    }
}

fn distinct(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    for byte in bytes {
        seen[usize::from(*byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count()
}

#[cfg(test)]
mod tests {
    use portolan_types::RepoPath;

    use super::{RULES, detect};

    #[track_caller]
    fn check(path: &str, content: &str, expected: Option<&str>) {
        let rule = detect(&RepoPath::new(path).unwrap(), content.as_bytes());
        assert_eq!(rule.map(|rule| rule.name), expected, "{path}: {content:.40}");
        assert!(rule.is_none_or(|rule| RULES.contains(&rule)));
    }

    /// Put together here, so that no scanner takes this file for a leak.
    fn token(prefix: &str, length: usize) -> String {
        let body = "a1B2c3D4e5F6g7H8j9K0".chars().cycle().take(length);
        format!("const t = \"{prefix}{}\";", body.collect::<String>())
    }

    fn key(label: &str, line_end: &str) -> String {
        format!(
            "-----BEGIN {label}-----{line_end}{}{line_end}-----END",
            "MIIEvQIBADANBgkq".repeat(4)
        )
    }

    #[test]
    fn environment_files_are_denied_but_their_templates_are_not() {
        for path in [
            ".env",
            "app/.env.local",
            ".env.production",
            ".ENV",
            ".envrc",
            ".env-live",
            ".env_live",
            "deploy/prod.env",
        ] {
            check(path, "", Some("env-file"));
        }
        for path in [
            ".env.example",
            ".env.sample",
            "a/.env.template",
            "src/env.ts",
            ".environment",
            "x.env.md",
            "example.env",
        ] {
            check(path, "A=1", None);
        }
    }

    #[test]
    fn keys_are_denied_by_name() {
        for path in ["id_rsa", ".ssh/id_ed25519", "cert/site.pfx", "android/release.keystore"] {
            check(path, "", Some("private-key-file"));
        }
        for path in ["id_rsa.pub", "src/keystore.ts", "cert.pem"] {
            check(path, "", None);
        }
    }

    #[test]
    fn keys_are_denied_by_content_and_only_with_a_body() {
        for label in
            ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
        {
            check("notes.txt", &key(label, "\n"), Some("private-key"));
        }
        check(
            "service.json",
            &format!("{{\"private_key\": \"{}\"}}", key("PRIVATE KEY", "\\n")),
            Some("private-key"),
        );
        check("cert.pem", &key("CERTIFICATE", "\n"), None);
        check(
            "src/pem.ts",
            "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) { return parse(text) }",
            None,
        );
        check("doc.md", &format!("-----BEGIN PRIVATE KEY-----\n{}\n", "x".repeat(64)), None);
    }

    #[test]
    fn credential_files_are_denied_with_a_value_only() {
        check(".npmrc", "//registry.npmjs.org/:_authToken=abc123", Some("npmrc-token"));
        check(".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}\nsave-exact=true", None);
        check(".npmrc", "# _authToken=abc", None);
        check(".pypirc", "[pypi]\nusername = __token__\npassword = abc", Some("pypirc-password"));
        check(".netrc", "machine x login y password z", Some("netrc-password"));
        check(".netrc", "machine x login y", None);
        check(
            ".docker/config.json",
            "{\"auths\":{\"x\":{\"auth\":\"abc=\"}}}",
            Some("docker-auth"),
        );
        check("src/config.json", "{\"auth\":\"abc=\"}", None);
        check("home/.aws/credentials", "", Some("credential-file"));
        check(".kube/config", "", Some("credential-file"));
    }

    #[test]
    fn tokens_are_denied_by_their_shape() {
        for (prefix, length, rule) in [
            ("ghp_", 36, "github-token"),
            ("github_pat_", 82, "github-token"),
            ("glpat-", 20, "gitlab-token"),
            ("xoxb-", 40, "slack-token"),
            ("sk_live_", 24, "stripe-live-key"),
            ("sk-proj-", 48, "openai-key"),
            ("sk-ant-api", 95, "anthropic-key"),
            ("npm_", 36, "npm-token"),
            ("pypi-AgEI", 80, "pypi-token"),
            ("hf_", 34, "huggingface-token"),
            ("SG.", 66, "sendgrid-key"),
            ("dop_v1_", 64, "digitalocean-token"),
        ] {
            check("src/a.ts", &token(prefix, length), Some(rule));
            check("src/a.ts", &token(prefix, 8), None);
            check("src/a.ts", &token(&format!("my{prefix}"), length), None);
        }
        check("src/a.ts", &format!("{}{}", "AKIA", "Z7Q2M4X9B1C8D3F6"), Some("aws-access-key"));
    }

    #[test]
    fn every_token_begins_with_a_letter_that_is_looked_for() {
        for token in super::TOKENS {
            for prefix in token.prefixes {
                let body: String = "a1B2c3D4e5F6g7H8j9K0".chars().cycle().take(token.min).collect();
                let text = format!(
                    "{prefix}{}",
                    if *prefix == "AKIA" || *prefix == "ASIA" { body.to_uppercase() } else { body }
                );
                assert_eq!(super::by_content(text.as_bytes()), Some(token.rule), "{prefix}");
            }
        }
    }

    #[test]
    fn every_rule_is_in_the_documentation() {
        let page = include_str!("../../../docs/archives.md");
        for rule in RULES {
            assert!(
                page.contains(&format!("| `{}` | {} |", rule.name, rule.denies)),
                "{}",
                rule.name
            );
        }
    }

    #[test]
    fn placeholders_are_let_through() {
        check("src/a.ts", &format!("ghp_{}", "x".repeat(36)), None);
        check("docs.md", &format!("{}{}", "AKIA", "IOSFODNN7EXAMPLE"), None);
    }
}
