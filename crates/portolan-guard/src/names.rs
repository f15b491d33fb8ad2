//! Files made to hold secrets, recognized by name, and copies of them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use portolan_types::RepoPath;

use crate::env;

/// The content that a file must have to be denied by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContentRule {
    /// Any content.
    Any,
    /// A literal value of one of these keys, or credentials in a URL.
    Keys(&'static [&'static str]),
    /// Settings, at least one of which is not clearly harmless.
    Settings,
    /// A line of 16 or more hexadecimal digits.
    HexKey,
}

/// A rule about file names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameRule {
    pub(crate) name: &'static str,
    pub(crate) denies: &'static str,
    /// Whole names, or path suffixes if they contain a `/`; in lower case.
    files: &'static [&'static str],
    /// Extensions.
    extensions: &'static [&'static str],
    content: ContentRule,
}

/// The rule that matches names with its own code.
const ENV_FILE: &str = "env-file";

/// A folder with nothing but credentials.
const CREDENTIAL_FOLDER: &str = ".aws/sso/cache/";

/// The rule for the credentials of tools.
const CREDENTIAL_FILE: &str = "credential-file";

/// Every rule about names, in order.
pub(crate) const NAMES: &[NameRule] = &[
    NameRule {
        name: ENV_FILE,
        denies: "`.env`, `.env.*`, `.env-*`, `.env1`, `.envrc`, `*.env`, `env.local`, `.dev.vars`, `.flaskenv`, `.secrets`, files in a folder `.env` or `.envs`, and copies of them, whatever their values; templates (`.example`, `.sample`, `.template`, `.dist`) only for what the rules below find in them",
        files: &[],
        extensions: &[],
        content: ContentRule::Any,
    },
    NameRule {
        name: "private-key-file",
        denies: "`id_rsa`, `id_dsa`, `id_ecdsa`, `id_ed25519` (also `_sk`), `*.ppk`, `*.p12`, `*.pfx`, `*.pkcs12`, `*.jks`, `*.bks`, `*.keystore`, `*.kdbx`, `*.keychain`, `*.agekey`, `secring.gpg`",
        files: &[
            "id_rsa",
            "id_dsa",
            "id_ecdsa",
            "id_ed25519",
            "id_ecdsa_sk",
            "id_ed25519_sk",
            "id_xmss",
            "secring.gpg",
            ".ssh/identity",
        ],
        extensions: &[
            "ppk", "p12", "pfx", "pkcs12", "jks", "bks", "keystore", "kdbx", "kdb", "keychain",
            "agekey",
        ],
        content: ContentRule::Any,
    },
    NameRule {
        name: CREDENTIAL_FILE,
        denies: "`.aws/credentials`, `.azure/accessTokens.json`, `.kube/config`, `kubeconfig`, `application_default_credentials.json`, `credentials.tfrc.json`, `.git-credentials`, `.htpasswd`, `.pgpass`, `.vault-token`, `.cargo/credentials.toml`, `.gem/credentials`, `.config/gh/hosts.yml`, `shadow`, `gshadow`, `sudoers` and similar files",
        files: &[
            ".aws/credentials",
            ".azure/accesstokens.json",
            ".azure/msal_token_cache.json",
            ".kube/config",
            "kubeconfig",
            "kubeconfig.yaml",
            "kubeconfig.yml",
            ".config/git/credentials",
            ".databrickscfg",
            ".erlang.cookie",
            "fish_history",
            ".vault-password",
            ".vault_password",
            "application_default_credentials.json",
            "credentials.tfrc.json",
            ".git-credentials",
            ".htpasswd",
            ".pgpass",
            "pgpass.conf",
            ".vault-token",
            ".vault_pass",
            ".vault-pass",
            ".cargo/credentials",
            ".cargo/credentials.toml",
            ".gem/credentials",
            ".config/gh/hosts.yml",
            ".config/hub",
            ".config/gcloud/credentials.db",
            ".config/gcloud/access_tokens.db",
            ".config/doctl/config.yaml",
            ".rediscli_auth",
            "rclone.conf",
            ".rclone.conf",
            "hudson.util.secret",
            ".mysql_history",
            ".psql_history",
            ".bash_history",
            ".zsh_history",
            ".python_history",
            ".node_repl_history",
            ".rediscli_history",
            ".mc/config.json",
            ".sops/age/keys.txt",
            ".config/sops/age/keys.txt",
            "filezilla.xml",
            "sitemanager.xml",
            "recentservers.xml",
            ".s3cfg",
            ".boto",
            ".passwd-s3fs",
            ".netrc.gpg",
            "settings-security.xml",
            "shadow",
            "shadow-",
            "gshadow",
            "gshadow-",
            "master.passwd",
            "opasswd",
            "sudoers",
            ".aws/config",
        ],
        extensions: &["kubeconfig"],
        content: ContentRule::Any,
    },
    NameRule {
        name: "terraform-state",
        denies: "`*.tfstate` and its backups: Terraform keeps every secret in them",
        files: &[],
        extensions: &["tfstate"],
        content: ContentRule::Any,
    },
    NameRule {
        name: "terraform-variables",
        denies: "`*.tfvars` and `*.tfvars.json`, unless every value in them is clearly harmless",
        files: &[],
        extensions: &["tfvars", "tfvars.json"],
        content: ContentRule::Settings,
    },
    NameRule {
        name: "rails-master-key",
        denies: "`master.key`, `config/credentials/*.key` and `secret_key_base` files with a key",
        files: &["master.key", "secret_key_base"],
        extensions: &["key"],
        content: ContentRule::HexKey,
    },
    NameRule {
        name: "npmrc-token",
        denies: "`.npmrc`, `.yarnrc` and `.yarnrc.yml` with an authentication token or password",
        files: &[".npmrc", "npmrc", ".yarnrc.yml", ".yarnrc"],
        extensions: &[],
        content: ContentRule::Keys(&[
            "_authtoken",
            "_auth",
            "_password",
            "npmauthtoken",
            "npmauthident",
        ]),
    },
    NameRule {
        name: "pypirc-password",
        denies: "`.pypirc`, `pip.conf` and `pip.ini` with a password, a token or credentials in a URL",
        files: &[".pypirc", "pip.conf", "pip.ini", ".config/pip/pip.conf"],
        extensions: &[],
        content: ContentRule::Keys(&["password", "token"]),
    },
    NameRule {
        name: "netrc-password",
        denies: "`.netrc` and `_netrc`",
        files: &[".netrc", "_netrc"],
        extensions: &[],
        content: ContentRule::Any,
    },
    NameRule {
        name: "docker-auth",
        denies: "`.docker/config.json`, `.dockercfg` and `.dockerconfigjson` with an `auth` value; elsewhere, where it holds a name and a password",
        files: &[".docker/config.json", ".dockercfg", ".dockerconfigjson"],
        extensions: &[],
        content: ContentRule::Keys(&["auth", "identitytoken"]),
    },
    NameRule {
        name: "client-password",
        denies: "`.my.cnf`, `.mylogin.cnf`, `.ftpconfig`, `sftp.json`, `sftp-config.json`, `ftp-sync.json`, `settings.xml` of Maven, `gradle.properties`, `auth.json` of Composer, `.terraformrc`, `secrets.yml`, `secrets.toml`, `credentials.json`, `client_secret.json` and their like with a password, a token or credentials in a URL",
        files: &[
            ".my.cnf",
            ".mylogin.cnf",
            ".ftpconfig",
            "sftp.json",
            "sftp-config.json",
            "ftp-sync.json",
            ".remote-sync.json",
            "settings.xml",
            "maven-settings.xml",
            ".terraformrc",
            "auth.json",
            "gradle.properties",
            ".jenkins/credentials.xml",
            "secrets.yml",
            "secrets.yaml",
            "secrets.json",
            "secrets.toml",
            "secrets.ini",
            "credentials.json",
            "credentials.yml",
            "credentials.yaml",
            "credentials.toml",
            "credentials.ini",
            "client_secret.json",
            "client_secrets.json",
        ],
        extensions: &[],
        content: ContentRule::Keys(&[
            "password",
            "passwd",
            "pwd",
            "passphrase",
            "storepass",
            "keypass",
            "token",
            "secret",
            "apikey",
            "api_key",
            "\"github.com\"",
            "\"gitlab.com\"",
        ]),
    },
];

impl NameRule {
    fn is_about(&self, path: &str, name: &str) -> bool {
        let is_end = |rest: &str| rest.is_empty() || rest.ends_with('/');
        let is_file = |file: &str| {
            *name == *file || file.contains('/') && path.strip_suffix(file).is_some_and(is_end)
        };
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let has_extension =
            |extension: &&str| name.strip_suffix(extension).is_some_and(|rest| rest.ends_with('.'));
        match self.content {
            _ if self.name == ENV_FILE => env::is_named(name) || is_in_env_folder(path, name),
            // Other keys are recognized by their content.
            ContentRule::HexKey if extension == Some("key") && !self.files.contains(&name) => {
                path.contains("credentials/")
            }
            _ => {
                self.files.iter().any(|file| is_file(file))
                    || self.extensions.iter().any(has_extension)
                    || self.name == CREDENTIAL_FILE && path.contains(CREDENTIAL_FOLDER)
            }
        }
    }

    fn holds(&self, text: &str) -> bool {
        match self.content {
            ContentRule::Any => true,
            ContentRule::Keys(keys) => {
                let text = text.to_ascii_lowercase();
                keys.iter().any(|key| has_value(&text, key)) || has_credentials(&text)
            }
            ContentRule::Settings => !env::is_harmless(text),
            ContentRule::HexKey => text.lines().any(|line| {
                let line = line.trim();
                line.len() >= 16 && line.bytes().all(|byte| byte.is_ascii_hexdigit())
            }),
        }
    }
}

/// Whether a file is in a folder of settings: `.env/prod`, `.envs/.local/.postgres`. A folder `.env` may also be a virtual
/// environment of Python, with files of other kinds.
fn is_in_env_folder(path: &str, name: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    let is_bare = !name.trim_start_matches('.').contains('.');
    let is_own = is_bare && folders.next() == Some(".env");
    is_own || path.split('/').rev().skip(1).any(|folder| folder == ".envs")
}

/// Words in a path that mark content as a stand-in for something else.
const ABOUT_OTHERS: &str = "\
    demo doc docs e2e example examples fixture fixtures lock md mdx mock mocks playground readme rst \
    sample samples seed seeds snap spec specs stories template templates test testdata tests";

/// Whether a file is a test, a document, a template or a lockfile.
pub(crate) fn is_about_others(path: &RepoPath) -> bool {
    // `jvmTest` is a test too.
    let mut spread = String::with_capacity(path.as_str().len() + 8);
    let mut before = ' ';
    for c in path.as_str().chars() {
        if before.is_ascii_lowercase() && c.is_ascii_uppercase() {
            spread.push(' ');
        }
        spread.push(c.to_ascii_lowercase());
        before = c;
    }
    let mut words = spread.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| ABOUT_OTHERS.split_ascii_whitespace().any(|other| other == word))
}

/// Extensions of code, where an unquoted word is the name of a variable.
const CODE: &str = "\
    c cc cjs cpp cs cts cxx dart ex exs go h hpp java js jsx kt kts m mjs mts php py pyi rb rs scala \
    svelte swift ts tsx vue";

/// Further extensions of files that tools write in one line: pages, styles, pictures, source maps.
const BUNDLES: &str = "css htm html map svg xhtml";

/// Whether a file is code, judged by its name.
pub(crate) fn is_code(path: &RepoPath) -> bool {
    has_extension(path, CODE)
}

/// Whether a long line is usual in a file: a tool joined and shortened what people wrote.
pub(crate) fn is_bundle(path: &RepoPath) -> bool {
    is_code(path) || has_extension(path, BUNDLES)
}

fn has_extension(path: &RepoPath, list: &str) -> bool {
    let lower = path.file_name().to_ascii_lowercase();
    let extension = lower.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| list.split_ascii_whitespace().any(|other| other == extension))
}

/// The rule that denies a file by its name, if its `text` meets the condition.
pub(crate) fn denial(path: &RepoPath, text: impl Fn() -> String) -> Option<&'static NameRule> {
    let rule = about(path)?;
    (rule.content == ContentRule::Any || rule.holds(&text())).then_some(rule)
}

/// The rule for a file's name, if there is one.
pub(crate) fn about(path: &RepoPath) -> Option<&'static NameRule> {
    if is_ordinary(path.file_name()) {
        return None;
    }
    let own = path.file_name().to_ascii_lowercase();
    // A listed name may end like a copy of another: `keys.txt`.
    let name = if LISTED.files.contains(own.as_str()) { own.as_str() } else { original(&own) };
    let place = match path.parent() {
        Some(folder) => format!("{}/{name}", folder.to_ascii_lowercase()),
        None => name.to_owned(),
    };
    if !may_have_rule(&place, name) {
        return None;
    }
    // A template has placeholders where a settings file has values. A key has no template.
    let is_template = env::is_template(name);
    let mut rules = NAMES.iter().filter(|rule| !is_template || rule.name != ENV_FILE);
    rules.find(|rule| rule.is_about(&place, name))
}

/// The names and the extensions of all rules.
struct ListedNames {
    /// Whole names, and the last parts of paths.
    files: BTreeSet<&'static str>,
    extensions: BTreeSet<&'static str>,
}

static LISTED: LazyLock<ListedNames> = LazyLock::new(|| {
    let last = |file: &&'static str| file.rsplit('/').next().unwrap_or(file);
    ListedNames {
        files: NAMES.iter().flat_map(|rule| rule.files.iter().map(last)).collect(),
        extensions: NAMES.iter().flat_map(|rule| rule.extensions.iter().copied()).collect(),
    }
});

/// Whether some rule may be about a file. Asking every rule about every file of a walk takes longer than opening it.
fn may_have_rule(path: &str, name: &str) -> bool {
    let mut endings = name.match_indices('.').map(|(at, _)| &name[at + 1..]);
    LISTED.files.contains(name)
        || endings.any(|ending| LISTED.extensions.contains(ending))
        || env::is_named(name)
        || is_in_env_folder(path, name)
        || path.contains(CREDENTIAL_FOLDER)
}

/// Whether a name is an ordinary one of code or prose that no rule matches. Most are, so this check comes first.
fn is_ordinary(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && !name.contains(' ')
        && extension.is_some_and(|extension| env::OTHERS.contains(&extension))
}

/// The original name of a copy: `.env` for `.env~`, `.env copy 2`, `copy of .env`, `.env.bak`, `.env.1`.
fn original(name: &str) -> &str {
    const ENDS: &[&str] = &[
        "~",
        ".bak",
        ".backup",
        ".old",
        ".orig",
        ".save",
        ".saved",
        ".swp",
        ".swo",
        ".tmp",
        ".copy",
        " (copy)",
        " - copy",
        " copy",
        "-copy",
        "_copy",
        "-backup",
        "_backup",
        "-bak",
        "_bak",
        "-old",
        "_old",
        ".disabled",
        ".off",
        ".rej",
        ".txt",
        ".enc.dec",
        ".",
    ];
    let mut rest = name;
    rest = rest.strip_prefix("copy of ").unwrap_or(rest);
    rest = rest.strip_prefix("backup of ").unwrap_or(rest);
    if let Some(hidden) = rest.strip_prefix(".#").or_else(|| rest.strip_prefix('#')) {
        rest = hidden.strip_suffix('#').unwrap_or(hidden);
    }
    loop {
        let shorter = ENDS.iter().find_map(|end| rest.strip_suffix(end)).unwrap_or(rest);
        let shorter = without_number(shorter);
        // `.bak2` is a backup, too.
        let bare = shorter.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_counted = ENDS.iter().any(|end| bare.ends_with(end));
        let shorter = if is_counted { bare } else { shorter };
        // Vim's `.name.swp` for a name with a leading dot of its own.
        if shorter.is_empty() || shorter.len() == rest.len() {
            break;
        }
        rest = shorter;
    }
    match rest.strip_prefix("..") {
        Some(_) => &rest[1..],
        None => rest,
    }
}

/// Removes ` 2`, ` (1)`, `.1` or `-2` at the end.
fn without_number(name: &str) -> &str {
    let bare = name.strip_suffix(')').unwrap_or(name);
    let digits = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    if digits.len() == bare.len() {
        return name;
    }
    [" (", "(", " ", ".", "-", "_"].iter().find_map(|gap| digits.strip_suffix(gap)).unwrap_or(name)
}

/// Whether a text gives a key a literal value: not empty, not a reference to the environment. The value is on the line of
/// its key or, as in JSON, XML and YAML, below it.
fn has_value(text: &str, key: &str) -> bool {
    text.match_indices(key).any(|(at, _)| {
        let line = text[..at].rsplit('\n').next().unwrap_or_default().trim_start();
        if line.starts_with(['#', ';', '!']) {
            return false;
        }
        let rest = &text[at + key.len()..];
        let named = rest.trim_start_matches(['"', '\'']);
        let value = named.trim_start_matches([' ', '\t', '=', ':', '"', '\'', '>', '|']);
        let is_quoted = named.len() < rest.len() || key.ends_with('"');
        let may_go_on = is_quoted
            || named.starts_with('>')
            || rest[..rest.len() - value.len()].ends_with(['|', '>']);
        let is_assigned = named.len() > value.len();
        // `>-` and `|+` open a value below.
        let value = value
            .strip_prefix(['-', '+'])
            .filter(|rest| rest.starts_with(['\r', '\n']))
            .unwrap_or(value);
        let value = if may_go_on {
            value.trim_start_matches([' ', '\t', '\r', '\n', '"', '\'', ':'])
        } else {
            value
        };
        is_assigned
            && !value.is_empty()
            && !value.starts_with(['$', '<', '}', ',', '{', '%', '\r', '\n'])
    })
}

/// Whether a text has a URL with a password, or a name alone, before its host.
fn has_credentials(text: &str) -> bool {
    text.match_indices("://").any(|(at, _)| {
        let rest = &text[at + 3..];
        let end =
            rest.find(['/', '?', '#', '"', '\'', '<', '>', ' ', '\n', '\r']).unwrap_or(rest.len());
        let credentials = rest[..end].rsplit_once('@').map(|(credentials, _)| credentials);
        credentials.is_some_and(|credentials| {
            let password = credentials.split_once(':').map_or("", |(_, password)| password);
            !password.is_empty() && !password.starts_with(['$', '{', '%', '<'])
        })
    })
}

#[cfg(test)]
mod tests {
    use portolan_types::RepoPath;

    use super::{CREDENTIAL_FILE, ENV_FILE, NAMES, about, env, is_ordinary, may_have_rule};

    #[test]
    fn a_listed_name_that_ends_like_a_copy_is_that_file() {
        let rule = |path: &str| about(&RepoPath::new(path).unwrap()).map(|rule| rule.name);
        assert_eq!(rule(".sops/age/keys.txt"), Some(CREDENTIAL_FILE));
        assert_eq!(rule("docs/keys.txt"), None);
    }

    #[test]
    fn no_rule_matches_an_ordinary_name() {
        for rule in NAMES {
            for name in rule.files {
                let name = name.rsplit('/').next().unwrap_or_default();
                assert!(!is_ordinary(name), "{name}");
            }
            for extension in rule.extensions {
                assert!(!env::OTHERS.contains(extension), "{extension}");
            }
            // The rule with its own matching knows these extensions too.
            assert!(rule.name != ENV_FILE || !env::is_named("prod.env.ts"));
        }
        for name in ["a.rs", "id_rsa.pub.md", "Main.java", "_x.py"] {
            assert!(is_ordinary(name), "{name}");
        }
        for name in [".dev.vars.ts", ".env.ts", "copy of .env", "a", "prod.env", "x.RS"] {
            assert!(!is_ordinary(name), "{name}");
        }
    }

    #[test]
    fn no_rule_is_about_a_name_that_is_not_looked_up() {
        let files = NAMES.iter().flat_map(|rule| rule.files).map(|file| (*file).to_owned());
        let extensions = NAMES.iter().flat_map(|rule| rule.extensions).map(|it| format!("a.{it}"));
        let others = [".env", "prod.env", "a/.env/prod", "a/.envs/.local/.postgres"].into_iter();
        let others = others.chain([".dev.vars", "a/.aws/sso/cache/b", "config/credentials/a.key"]);
        for listed in files.chain(extensions).chain(others.map(str::to_owned)) {
            for path in [listed.clone(), format!("a/{listed}"), format!("a/b{listed}")] {
                let name = path.rsplit('/').next().unwrap();
                let has_rule = NAMES.iter().any(|rule| rule.is_about(&path, name));
                assert!(!has_rule || may_have_rule(&path, name), "{path}");
            }
        }
    }
}
