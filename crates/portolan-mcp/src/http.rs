//! Serves on a loopback port. Clients need the token.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HeaderValue, ORIGIN, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::ServeOptions;
use crate::server::Server;

/// The address to listen on, and the required token.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The port; 0 for any free one.
    pub port: u16,
    /// A request must have `Authorization: Bearer TOKEN`, or the path `/TOKEN/mcp`.
    pub token: String,
}

/// How many connections there may be at once: fewer than half of the handles that a careful system allows.
const MOST_CONNECTIONS: usize = 48;
/// How many sessions there may be at once. Unused ones end after five minutes.
const MOST_SESSIONS: usize = 256;
/// The longest message to read. Those that are longer than a question may be get an answer that says so.
const LONGEST_MESSAGE: usize = 64 << 20;
/// How long a client may take for the head of a request.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long to wait for handles where there are none.
const PAUSE: Duration = Duration::from_millis(50);

/// A random token.
pub fn new_token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

type Service = StreamableHttpService<Server, LocalSessionManager>;
type HttpResponse = Response<BoxBody<Bytes, Infallible>>;

/// Serves until the process ends. Calls `listening` with the address.
pub fn serve_http(
    options: ServeOptions,
    http: &HttpOptions,
    listening: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let server = Server::new(options).map_err(io::Error::other)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, http.port)).await?;
        listening(listener.local_addr()?);
        accept(listener, server, &http.token).await
    })
}

async fn accept(listener: TcpListener, server: Server, token: &str) -> io::Result<()> {
    // Other origins may not call this server from a browser, neither under our host name nor under theirs.
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*"])
        .with_max_request_body_bytes(LONGEST_MESSAGE);
    let factory = move || Ok(server.clone());
    let sessions: Arc<LocalSessionManager> = Arc::default();
    let service: Service = StreamableHttpService::new(factory, Arc::clone(&sessions), config);
    let door = Door { service, sessions, token: token.into() };
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        // No handles left, or a client that is gone already: neither ends the server.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
            refuse(&stream);
            continue;
        };
        let door = door.clone();
        let answer = service_fn(move |request: Request<Incoming>| {
            let door = door.clone();
            async move { Ok::<HttpResponse, Infallible>(door.answer(request).await) }
        });
        tokio::spawn(async move {
            let _place = place;
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
            // A broken connection is the client's problem.
            let _ = builder.serve_connection(TokioIo::new(stream), answer).await;
        });
    }
}

/// Tells a client that there are too many connections. It may not be listening.
fn refuse(stream: &TcpStream) {
    const BUSY: &[u8] =
        b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\n\
        Content-Length: 30\r\n\r\nthere are too many connections";
    let _ = stream.try_write(BUSY);
}

/// What a request needs to get in.
#[derive(Clone)]
struct Door {
    service: Service,
    sessions: Arc<LocalSessionManager>,
    token: Arc<str>,
}

impl Door {
    async fn answer(&self, request: Request<Incoming>) -> HttpResponse {
        if !has_token(&self.token, &request) {
            return unauthorized();
        }
        if !is_own_origin(&request) {
            return plain(StatusCode::FORBIDDEN, "requests from this origin are not accepted\n");
        }
        let is_new = !request.headers().contains_key("mcp-session-id");
        if is_new && self.sessions.sessions.read().await.len() >= MOST_SESSIONS {
            let text =
                "there are too many sessions: end one (DELETE), or wait until unused ones end\n";
            return plain(StatusCode::SERVICE_UNAVAILABLE, text);
        }
        self.service.handle(request).await
    }
}

/// Whether a request comes from this machine or from no page at all. The header is compared whole: an origin has nothing
/// behind its port.
fn is_own_origin<B>(request: &Request<B>) -> bool {
    request.headers().get_all(ORIGIN).iter().all(|origin| {
        let host = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
        let (host, port) = host.map_or(("", None), |host| match host.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (host, None),
        });
        let is_port = |port: &str| {
            port.parse::<u16>().is_ok() && port.bytes().all(|byte| byte.is_ascii_digit())
        };
        matches!(host, "localhost" | "127.0.0.1") && port.is_none_or(is_port)
    })
}

fn has_token<B>(token: &str, request: &Request<B>) -> bool {
    let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let header = header.and_then(|value| value.strip_prefix("Bearer "));
    let path = request.uri().path().strip_prefix('/').and_then(|path| path.split('/').next());
    [header, path].into_iter().flatten().any(|given| is_same(token, given))
}

/// Compares in constant time.
fn is_same(left: &str, right: &str) -> bool {
    let differing =
        left.bytes().zip(right.bytes()).fold(0, |all, (left, right)| all | (left ^ right));
    left.len() == right.len() && differing == 0
}

fn plain(status: StatusCode, text: &'static str) -> HttpResponse {
    let mut reply = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *reply.status_mut() = status;
    reply
}

fn unauthorized() -> HttpResponse {
    let text = "the request needs the token that the server printed: Authorization: Bearer TOKEN\n";
    let mut reply = plain(StatusCode::UNAUTHORIZED, text);
    reply.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    reply
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::{has_token, is_own_origin};

    fn request(path: &str, authorization: Option<&str>) -> Request<()> {
        let request = Request::builder().uri(path);
        let request = match authorization {
            Some(value) => request.header("authorization", value),
            None => request,
        };
        request.body(()).unwrap()
    }

    #[test]
    fn an_origin_is_compared_whole() {
        let check = |origin: &str| {
            is_own_origin(
                &Request::builder().uri("/mcp").header("origin", origin).body(()).unwrap(),
            )
        };
        for origin in ["http://localhost", "http://localhost:3000", "http://127.0.0.1:80"] {
            assert!(check(origin), "{origin}");
        }
        for origin in [
            "http://localhost.evil.io",
            "http://localhost:3000.evil.io",
            "http://localhost:3000/path",
            "http://localhost:",
            "http://localhost:99999",
            "http://localhost:+80",
            "http://localhost@evil.io",
            "https://localhost",
            "http://evil.io",
            "null",
            "",
        ] {
            assert!(!check(origin), "{origin}");
        }
        assert!(is_own_origin(&Request::builder().uri("/mcp").body(()).unwrap()));
    }

    #[test]
    fn only_requests_with_the_token_are_accepted() {
        let check = |path, header| has_token("secret", &request(path, header));
        assert!(check("/mcp", Some("Bearer secret")));
        assert!(check("/secret/mcp", None));
        assert!(!check("/mcp", None));
        assert!(!check("/", None));
        assert!(!check("/mcp", Some("Bearer secre")));
        assert!(!check("/mcp", Some("secret")));
        assert!(!check("/secret2/mcp", Some("Basic secret")));
    }
}
