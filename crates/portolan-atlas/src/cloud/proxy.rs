//! Proxies from the environment: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`.

/// A proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Proxy {
    /// Its host and port.
    pub(super) address: (String, u16),
    /// `user:password`, as in the variable.
    pub(super) credentials: Option<String>,
}

/// The proxies by scheme.
#[derive(Clone, Default)]
pub(super) struct Proxies {
    secure: Option<Proxy>,
    plain: Option<Proxy>,
    /// Hosts without a proxy, including their subdomains.
    direct: Vec<String>,
}

impl Proxies {
    /// Reads the variables, in upper or lower case.
    pub(super) fn from_variables(variables: &[(String, String)]) -> Result<Self, String> {
        let said = |name: &str| {
            let found = variables.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
        };
        let proxy = |name: &'static str| -> Result<Option<Proxy>, String> {
            let found = said(name).map(|value| (name, value));
            let found = found.or_else(|| Some(("ALL_PROXY", said("ALL_PROXY")?)));
            // The value may hold a password, so the error gives only the name.
            let read = |(name, value)| {
                parse(value).ok_or_else(|| format!("`{name}` is not `http://host:port`"))
            };
            found.map(read).transpose()
        };
        let direct = said("NO_PROXY").unwrap_or_default().split(',');
        let direct =
            direct.map(|host| host.trim().trim_start_matches(['*', '.']).to_ascii_lowercase());
        Ok(Self {
            secure: proxy("HTTPS_PROXY")?,
            plain: proxy("HTTP_PROXY")?,
            direct: direct.filter(|host| !host.is_empty()).collect(),
        })
    }

    /// The proxy for a host.
    pub(super) fn of(&self, host: &str, is_secure: bool) -> Option<&Proxy> {
        let is_below = |direct: &String| {
            let rest = host.strip_suffix(direct.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        let is_direct = is_loopback(host) || self.direct.iter().any(is_below);
        let proxy = if is_secure { self.secure.as_ref() } else { self.plain.as_ref() };
        proxy.filter(|_| !is_direct)
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn parse(value: &str) -> Option<Proxy> {
    let rest = match value.split_once("://") {
        Some(("http", rest)) => rest,
        Some(_) => return None,
        None => value,
    };
    let rest = rest.trim_end_matches('/');
    let (credentials, place) = match rest.rsplit_once('@') {
        Some((credentials, place)) => (Some(credentials.to_owned()), place),
        None => (None, rest),
    };
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
        _ => (place, 80),
    };
    let is_host = !host.is_empty() && !host.contains(['/', ' ', '?', '#']);
    is_host.then(|| Proxy { address: (host.to_owned(), port), credentials })
}

#[cfg(test)]
mod tests {
    use super::Proxies;

    fn proxies(said: &[(&str, &str)]) -> Result<Proxies, String> {
        let said: Vec<(String, String)> =
            said.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Proxies::from_variables(&said)
    }

    #[test]
    fn a_proxy_serves_its_scheme_except_for_excluded_hosts() {
        let said = [
            ("https_proxy", "http://user:pass@proxy.org:3128/"),
            ("NO_PROXY", "localhost, .internal.org,*.s3.local"),
        ];
        let found = proxies(&said).unwrap();
        let of = |host: &str, is_secure| found.of(host, is_secure).map(|it| it.address.1);
        assert_eq!(of("bucket.s3.amazonaws.com", true), Some(3128));
        assert_eq!(of("bucket.s3.amazonaws.com", false), None);
        assert_eq!(of("a.internal.org", true), None);
        assert_eq!(of("s3.local", true), None);
        assert_eq!(of("notinternal.org", true), Some(3128));
        assert_eq!(of("127.0.0.1", true), None);
        let credentials = found.of("x.org", true).and_then(|it| it.credentials.as_deref());
        assert_eq!(credentials, Some("user:pass"));
    }

    #[test]
    fn one_proxy_can_serve_all_and_errors_do_not_show_secrets() {
        let found = proxies(&[("ALL_PROXY", "proxy:8080")]).unwrap();
        assert_eq!(found.of("x.org", false), found.of("x.org", true));
        assert!(found.of("x.org", true).is_some());
        let wrong = |value: &str| proxies(&[("HTTPS_PROXY", value)]).map(|_| ()).unwrap_err();
        for value in ["socks5://u:hunter2@p:1", "http://p:port", "http://"] {
            assert_eq!(wrong(value), "`HTTPS_PROXY` is not `http://host:port`");
        }
    }
}
