//! HTTP/1.1 for buckets: persistent connections, TLS with the system's certificates, and proxies.
//!
//! It does not follow redirects: a request is signed for its host. Errors have a kind that tells `object_store`
//! which requests it may retry.

use std::collections::BTreeMap;
use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use std::{fmt, io};

use bytes::Bytes;
use data_encoding::BASE64;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{HOST, HeaderValue, PROXY_AUTHORIZATION, USER_AGENT};
use hyper::http::uri::{PathAndQuery, Uri};
use hyper_util::rt::TokioIo;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
    HttpResponse, HttpResponseBody, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tokio_rustls::TlsConnector;

use super::proxy::{Proxies, Proxy};

/// The connect timeout.
const CONNECT: Duration = Duration::from_secs(5);
/// The longest time to wait for a storage to send something.
const SILENCE: Duration = Duration::from_secs(30);
/// The slowest upload speed to expect, in bytes per second.
const SLOWEST: u64 = 50_000;
/// The longest response of a proxy to `CONNECT`.
const LONGEST_WELCOME: usize = 8 << 10;
const AGENT: &str = concat!("portolan/", env!("CARGO_PKG_VERSION"));

type BoxError = Box<dyn Error + Send + Sync>;
type Sender = SendRequest<HttpRequestBody>;

/// Creates clients for `object_store`.
pub(super) struct Connector {
    proxies: Proxies,
}

impl Connector {
    /// A connector that uses the proxies of the environment variables.
    pub(super) fn from_variables(variables: &[(String, String)]) -> Result<Self, String> {
        Ok(Self { proxies: Proxies::from_variables(variables)? })
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connector")
    }
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let may_be_plain = options.get_config_value(&ClientConfigKey::AllowHttp);
        Ok(HttpClient::new(BucketClient {
            proxies: self.proxies.clone(),
            may_be_plain: may_be_plain.as_deref() == Some("true"),
            kept: Mutex::default(),
        }))
    }
}

/// The endpoint of a connection.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Origin {
    is_secure: bool,
    host: String,
    port: u16,
}

impl Origin {
    fn of(uri: &Uri) -> Option<Self> {
        let is_secure = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let host = uri.host()?.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
        Some(Self { is_secure, host, port })
    }
}

/// A client and its connections.
struct BucketClient {
    proxies: Proxies,
    may_be_plain: bool,
    /// Idle connections. A busy or closed one reports that itself.
    kept: Mutex<BTreeMap<Origin, Vec<Sender>>>,
}

impl fmt::Debug for BucketClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BucketClient")
    }
}

type ResponseFuture<'a> =
    Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl HttpService for BucketClient {
    fn call<'s, 'a>(&'s self, request: HttpRequest) -> ResponseFuture<'a>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(self.ask(request))
    }
}

impl BucketClient {
    async fn ask(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let never =
            |reason: &'static str| HttpError::new_boxed(HttpErrorKind::Unknown, reason.into());
        let origin = Origin::of(request.uri()).ok_or_else(|| never("this is not a URL"))?;
        if !origin.is_secure && !self.may_be_plain {
            return Err(never("the URL is not https (AWS_ALLOW_HTTP=true allows it)"));
        }
        let proxy = self.proxies.of(&origin.host, origin.is_secure);
        prepare_request(&mut request, &origin, proxy)
            .map_err(|error| HttpError::new_boxed(HttpErrorKind::Unknown, error))?;
        let mut sender = match self.take(&origin) {
            Some(sender) => sender,
            None => timeout(CONNECT, connect(&origin, proxy))
                .await
                .map_err(timed_out)?
                .map_err(connect_error)?,
        };
        let length = request.body().content_length() as u64;
        let patience = SILENCE + Duration::from_secs(length / SLOWEST);
        let response = timeout(patience, sender.send_request(request)).await.map_err(timed_out)?;
        let response = response.map_err(broken)?;
        self.keep(origin, sender);
        let (parts, body) = response.into_parts();
        let body = TimedBody { body, silence: Box::pin(sleep(SILENCE)) };
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body)))
    }

    /// An idle connection.
    fn take(&self, origin: &Origin) -> Option<Sender> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let senders = kept.get_mut(origin)?;
        senders.retain(|sender| !sender.is_closed());
        let ready = senders.iter().position(Sender::is_ready)?;
        Some(senders.swap_remove(ready))
    }

    fn keep(&self, origin: Origin, sender: Sender) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.entry(origin).or_default().push(sender);
    }
}

/// Adds the headers of every request and reduces the URL to its path, since the connection determines the host.
fn prepare_request(
    request: &mut HttpRequest,
    origin: &Origin,
    proxy: Option<&Proxy>,
) -> Result<(), BoxError> {
    let uri = request.uri().clone();
    let authority = uri.authority().map_or("", |it| it.as_str());
    let host = HeaderValue::from_str(authority.rsplit('@').next().unwrap_or(authority))?;
    let headers = request.headers_mut();
    headers.entry(HOST).or_insert(host);
    headers.entry(USER_AGENT).or_insert(HeaderValue::from_static(AGENT));
    if let Some(proxy) = proxy.filter(|_| !origin.is_secure) {
        if let Some(credentials) = &proxy.credentials {
            headers.insert(PROXY_AUTHORIZATION, HeaderValue::from_str(&basic(credentials))?);
        }
    } else {
        let path = uri.path_and_query().cloned();
        *request.uri_mut() = path.unwrap_or(PathAndQuery::from_static("/")).into();
    }
    Ok(())
}

fn basic(credentials: &str) -> String {
    format!("Basic {}", BASE64.encode(credentials.as_bytes()))
}

/// Any stream of bytes in both directions.
trait ByteStream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> ByteStream for T {}

async fn connect(origin: &Origin, proxy: Option<&Proxy>) -> Result<Sender, BoxError> {
    let (host, port) = match proxy {
        Some(proxy) => (proxy.address.0.as_str(), proxy.address.1),
        None => (origin.host.as_str(), origin.port),
    };
    let mut stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    let line: Box<dyn ByteStream> = if origin.is_secure {
        if let Some(proxy) = proxy {
            tunnel(&mut stream, origin, proxy).await?;
        }
        let name = ServerName::try_from(origin.host.clone())?;
        Box::new(tls_connector()?.connect(name, stream).await?)
    } else {
        Box::new(stream)
    };
    let (mut sender, connection) = handshake(TokioIo::new(line)).await?;
    // The requests of a connection report its errors.
    tokio::spawn(async move { drop(connection.await) });
    sender.ready().await?;
    Ok(sender)
}

/// Asks a proxy for a tunnel to the endpoint.
async fn tunnel(stream: &mut TcpStream, origin: &Origin, proxy: &Proxy) -> Result<(), BoxError> {
    let host = Some(&origin.host).filter(|host| host.contains(':')).map(|host| format!("[{host}]"));
    let place = format!("{}:{}", host.as_ref().unwrap_or(&origin.host), origin.port);
    let known = proxy.credentials.as_deref().map(basic);
    let known = known.map(|known| format!("Proxy-Authorization: {known}\r\n")).unwrap_or_default();
    let wish = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{known}\r\n");
    stream.write_all(wish.as_bytes()).await?;
    let mut welcome = Vec::new();
    // The bytes after the empty line no longer come from the proxy.
    while !welcome.ends_with(b"\r\n\r\n") && welcome.len() < LONGEST_WELCOME {
        welcome.push(stream.read_u8().await?);
    }
    let first = welcome.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first);
    match first.split(' ').nth(1) {
        Some(code) if code.starts_with('2') => Ok(()),
        _ => Err(format!("the proxy refuses: {first}").into()),
    }
}

/// TLS with the certificates that the system trusts, loaded once.
fn tls_connector() -> Result<TlsConnector, BoxError> {
    static CONFIG: OnceLock<Result<Arc<ClientConfig>, String>> = OnceLock::new();
    let config = CONFIG.get_or_init(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            let hint = "`ca-certificates` brings some, `SSL_CERT_FILE` names others";
            return Err(format!("the system has no certificates to trust: {hint}"));
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config =
            ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.map_err(|error| error.to_string())?;
        Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
    });
    config.clone().map(TlsConnector::from).map_err(Into::into)
}

/// A body with a timeout for each part.
struct TimedBody {
    body: Incoming,
    silence: Pin<Box<Sleep>>,
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(frame) => {
                self.silence.as_mut().reset(Instant::now() + SILENCE);
                Poll::Ready(frame.map(|frame| frame.map_err(broken)))
            }
            Poll::Pending => self.silence.as_mut().poll(context).map(|()| {
                let silent = io::Error::from(io::ErrorKind::TimedOut);
                Some(Err(HttpError::new(HttpErrorKind::Timeout, silent)))
            }),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn timed_out(_: tokio::time::error::Elapsed) -> HttpError {
    let silent = io::Error::new(io::ErrorKind::TimedOut, "no response in time");
    HttpError::new(HttpErrorKind::Timeout, silent)
}

/// A refused connection may succeed later; an untrusted certificate will not.
fn connect_error(error: BoxError) -> HttpError {
    let is_passing =
        error.downcast_ref::<io::Error>().is_some_and(|it| it.kind() != io::ErrorKind::InvalidData);
    let kind = if is_passing { HttpErrorKind::Connect } else { HttpErrorKind::Unknown };
    HttpError::new_boxed(kind, error)
}

/// The error of a request on a broken connection.
fn broken(error: hyper::Error) -> HttpError {
    let source = error.source().and_then(|it| it.downcast_ref::<io::Error>()).map(io::Error::kind);
    let kind = if error.is_closed() || error.is_canceled() || error.is_incomplete_message() {
        // The server closed an idle connection.
        HttpErrorKind::Request
    } else if error.is_timeout() || source == Some(io::ErrorKind::TimedOut) {
        HttpErrorKind::Timeout
    } else if source.is_some() {
        HttpErrorKind::Interrupted
    } else {
        HttpErrorKind::Unknown
    };
    HttpError::new(kind, error)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::mpsc::{Receiver, channel};
    use std::thread;

    use object_store::ClientOptions;
    use object_store::client::{HttpConnector as _, HttpRequestBody};

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
            let request = hyper::Request::builder().uri(address);
            let request = request.body(HttpRequestBody::empty()).unwrap();
            match client.execute(request).await {
                Ok(response) => {
                    let bytes = response.into_body().bytes().await.unwrap();
                    String::from_utf8(bytes.to_vec()).unwrap()
                }
                Err(error) => error.to_string(),
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
        assert!(answer[0].contains("not https"), "{answer:?}");
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
        assert!(refused[0].contains("the proxy refuses: HTTP/1.1 407 Who are you"), "{refused:?}");
        assert_eq!(asked.recv().unwrap(), "1: CONNECT bucket.invalid:443 HTTP/1.1");
    }
}
