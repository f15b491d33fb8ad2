//! The HTTP client for buckets: `reqwest` with the system's certificates and the proxies of the environment.
//!
//! It does not follow redirects: a request is signed for its host.

use std::fmt;
use std::time::Duration;

use object_store::client::{HttpClient, HttpConnector};
use object_store::{ClientConfigKey, ClientOptions};
use reqwest::redirect::Policy;
use reqwest::{Client, NoProxy, Proxy};

/// The connect timeout.
const CONNECT: Duration = Duration::from_secs(5);
/// The longest time to wait for a storage to send something.
const SILENCE: Duration = Duration::from_secs(30);
/// Hosts that no proxy serves.
const LOOPBACK: &str = "localhost,127.0.0.0/8,::1";
const AGENT: &str = concat!("portolan/", env!("CARGO_PKG_VERSION"));

/// Creates clients for `object_store`.
pub(super) struct Connector {
    proxies: Vec<Proxy>,
}

impl Connector {
    /// A connector that uses the proxies of the environment variables, in upper or lower case: `HTTPS_PROXY`,
    /// `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`.
    pub(super) fn from_variables(variables: &[(String, String)]) -> Result<Self, String> {
        let said = |name: &str| {
            let found = variables.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
        };
        let direct = said("NO_PROXY").unwrap_or_default().split(',');
        let direct: Vec<&str> = direct.map(|host| host.trim().trim_start_matches('*')).collect();
        let direct = NoProxy::from_string(&format!("{LOOPBACK},{}", direct.join(",")));
        let mut proxies = Vec::new();
        for (name, is_secure) in [("HTTPS_PROXY", true), ("HTTP_PROXY", false)] {
            let found = said(name).map(|value| (name, value));
            let found = found.or_else(|| Some(("ALL_PROXY", said("ALL_PROXY")?)));
            if let Some((name, value)) = found {
                // The value may hold a password, so the error gives only the name.
                let wrong = || format!("`{name}` is not `http://host:port`");
                let is_http = value.split_once("://").is_none_or(|(scheme, _)| scheme == "http");
                let proxy = if is_secure { Proxy::https(value) } else { Proxy::http(value) };
                let proxy = proxy.ok().filter(|_| is_http).ok_or_else(wrong)?;
                proxies.push(proxy.no_proxy(direct.clone()));
            }
        }
        Ok(Self { proxies })
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connector")
    }
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        // The first caller decides; another provider of the process serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let may_be_plain = options.get_config_value(&ClientConfigKey::AllowHttp);
        let builder = Client::builder()
            .user_agent(AGENT)
            .https_only(may_be_plain.as_deref() != Some("true"))
            .redirect(Policy::none())
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .no_proxy();
        let builder = self.proxies.iter().cloned().fold(builder, reqwest::ClientBuilder::proxy);
        let client = builder.build().map_err(|source| object_store::Error::Generic {
            store: "bucket",
            source: source.into(),
        })?;
        Ok(HttpClient::new(client))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::mpsc::{Receiver, channel};
    use std::thread;

    use object_store::ClientOptions;
    use object_store::client::{HttpConnector as _, HttpRequest, HttpRequestBody};

    use super::Connector;

    /// A server that sends each connection this many answers. Returns its port and the first lines of the requests.
    fn server(each: usize, answer: &'static str) -> (u16, Receiver<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, asked) = channel();
        thread::spawn(move || {
            for (stream, number) in listener.incoming().zip(1..) {
                let (Ok(mut stream), sender) = (stream, sender.clone()) else { return };
                thread::spawn(move || {
                    for _ in 0..each {
                        let mut request = Vec::new();
                        while !request.ends_with(b"\r\n\r\n") {
                            let mut byte = [0];
                            if stream.read_exact(&mut byte).is_err() {
                                return;
                            }
                            request.push(byte[0]);
                        }
                        let text = String::from_utf8(request).unwrap();
                        let line = text.lines().next().unwrap();
                        sender.send(format!("{number}: {line}")).unwrap();
                        stream.write_all(answer.as_bytes()).unwrap();
                    }
                });
            }
        });
        (port, asked)
    }

    const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

    /// Fetches some URLs with one client, one after the other.
    fn get(variables: &[(&str, &str)], may_be_plain: bool, addresses: &[&str]) -> Vec<String> {
        let variables: Vec<(String, String)> =
            variables.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let connector = Connector::from_variables(&variables).unwrap();
        let options = ClientOptions::new().with_allow_http(may_be_plain);
        let client = connector.connect(&options).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let one = async |address: &str| {
            let mut request = HttpRequest::new(HttpRequestBody::empty());
            *request.uri_mut() = address.parse().unwrap();
            match client.execute(request).await {
                Ok(response) => {
                    let bytes = response.into_body().bytes().await.unwrap();
                    String::from_utf8(bytes.to_vec()).unwrap()
                }
                Err(error) => {
                    let mut text = error.to_string();
                    let mut inner: &dyn std::error::Error = &error;
                    while let Some(source) = inner.source() {
                        text = format!("{text}: {source}");
                        inner = source;
                    }
                    text
                }
            }
        };
        runtime.block_on(async {
            let mut texts = Vec::new();
            for address in addresses {
                texts.push(one(address).await);
                // Let the client notice what the server does to the connection.
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
            texts
        })
    }

    #[test]
    fn a_connection_is_reused_until_the_server_closes_it() {
        let (port, asked) = server(2, OK);
        let address = format!("http://127.0.0.1:{port}/a?b=c");
        assert_eq!(get(&[], true, &[&address, &address, &address]), ["ok", "ok", "ok"]);
        let asked: Vec<String> = asked.try_iter().collect();
        let lines = ["1: GET /a?b=c HTTP/1.1", "1: GET /a?b=c HTTP/1.1", "2: GET /a?b=c HTTP/1.1"];
        assert_eq!(asked, lines);
    }

    #[test]
    fn plain_http_needs_permission() {
        let (port, asked) = server(1, OK);
        let answer = get(&[], false, &[&format!("http://127.0.0.1:{port}/")]);
        assert!(answer[0].contains("URL scheme is not allowed"), "{answer:?}");
        assert_eq!(asked.try_iter().count(), 0);
    }

    #[test]
    fn a_proxy_gets_the_full_url_or_a_tunnel_request() {
        let (port, asked) = server(1, OK);
        let proxy = format!("http://me:pw@127.0.0.1:{port}");
        assert_eq!(get(&[("http_proxy", &proxy)], true, &["http://bucket.invalid/x"]), ["ok"]);
        assert_eq!(asked.recv().unwrap(), "1: GET http://bucket.invalid/x HTTP/1.1");
        let (port, asked) = server(1, "HTTP/1.1 407 Who are you\r\n\r\n");
        let proxy = format!("http://127.0.0.1:{port}");
        let refused = get(&[("HTTPS_PROXY", &proxy)], false, &["https://bucket.invalid/x"]);
        assert!(refused[0].contains("proxy authorization required"), "{refused:?}");
        assert_eq!(asked.recv().unwrap(), "1: CONNECT bucket.invalid:443 HTTP/1.1");
    }

    #[test]
    fn a_proxy_serves_its_scheme_except_for_excluded_hosts() {
        let (port, asked) = server(3, OK);
        let proxy = format!("http://127.0.0.1:{port}");
        let said = [
            ("all_proxy", proxy.as_str()),
            ("NO_PROXY", "localhost, .internal.invalid,*.s3.invalid"),
        ];
        let hosts =
            ["http://a.internal.invalid/", "http://b.s3.invalid/", "http://notinternal.invalid/"];
        let answers = get(&said, true, &hosts);
        assert_eq!(answers[2], "ok", "{answers:?}");
        assert_eq!(asked.try_iter().count(), 1, "{answers:?}");
    }

    #[test]
    fn an_error_in_a_proxy_variable_does_not_show_its_password() {
        for value in ["socks5://u:hunter2@p:1", "http://p:port", "http://"] {
            let said = [("HTTPS_PROXY".to_owned(), value.to_owned())];
            let wrong = Connector::from_variables(&said).unwrap_err();
            assert_eq!(wrong, "`HTTPS_PROXY` is not `http://host:port`");
        }
    }
}
