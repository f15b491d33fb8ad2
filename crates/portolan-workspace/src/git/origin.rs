//! Where a repository comes from, as far as that may be shown: no credentials, no local path.

use std::path::Path;

use portolan_vfs::System;

use super::GitEnvironment;
use super::config::ConfigReader;
use super::revision::RepositoryHandle;

/// Host and path of the remote `origin`, such as `github.com/owner/name`; `None` if there is none, or if it
/// is a local folder.
pub fn origin(system: &dyn System, root: &Path) -> Option<String> {
    let repository = RepositoryHandle::open(system, root).ok()?;
    let environment = GitEnvironment::default();
    let mut reader = ConfigReader::new(system, &environment, repository.git_dir());
    reader.read(&repository.common().join("config"));
    place(&reader.config.origin?)
}

/// Host and path of a URL.
fn place(address: &str) -> Option<String> {
    let address = address.trim();
    let (host, path) = match address.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split_once('/')?,
        // `git@host:path`; a single letter before the colon is a drive.
        None => {
            address.split_once(':').filter(|(host, _)| host.len() > 1 && !host.contains('/'))?
        }
    };
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = host.split(':').next().unwrap_or(host).to_ascii_lowercase();
    let path = path.split(['?', '#']).next().unwrap_or(path).trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_matches('/');
    let is_plain = |text: &str| {
        !text.is_empty()
            && text.chars().all(|it| !it.is_control() && !it.is_whitespace() && it != '@')
            && text.split('/').all(|part| !matches!(part, "" | "." | ".."))
    };
    // Some hosts accept a token as a part of the path.
    let is_token = |part: &str| portolan_guard::is_token_like(part);
    let is_secret = host.split('.').chain(path.split('/')).any(is_token);
    (is_plain(&host) && is_plain(path) && !is_secret).then(|| format!("{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn a_url_loses_its_credentials_and_a_local_folder_is_not_shown() {
        let check = |address: &str, expected: Option<&str>| {
            assert_eq!(place(address).as_deref(), expected, "{address}");
        };
        let known = Some("github.com/colinhacks/zod");
        check("https://github.com/colinhacks/zod.git", known);
        check("https://user:secret@GitHub.com/colinhacks/zod/?token=x", known);
        check("git@github.com:colinhacks/zod.git", known);
        check("ssh://git@github.com:22/colinhacks/zod", known);
        check("/srv/git/zod", None);
        check("C:\\git\\zod", None);
        check("file:///srv/git/zod", None);
        check("https://host/a@b/c", None);
        check("../zod", None);
        let token = format!("{}{}", "k7qz2xf9lm4vt8rb3nw6yc1hs5jd", "0pgtqwezukagxmpbvcnersydh");
        check(&format!("https://acme.visualstudio.com/{token}/_git/app"), None);
        check(&format!("https://host/a/{}_k7Qz2Xf9Lm4Vt8Rb3Nw6Yc1Hs5Jd0PgTqWeZ/app", "ghp"), None);
        check(
            "https://acme.visualstudio.com/Team/_git/app",
            Some("acme.visualstudio.com/Team/_git/app"),
        );
    }
}
