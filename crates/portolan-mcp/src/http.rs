//! Serves on a loopback port. Clients need the token.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

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
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*"]);
    let factory = move || Ok(server.clone());
    let service: Service = StreamableHttpService::new(factory, Arc::default(), config);
    let token: Arc<str> = token.into();
    loop {
        let (stream, _) = listener.accept().await?;
        let (service, token) = (service.clone(), Arc::clone(&token));
        let answer = service_fn(move |request: Request<Incoming>| {
            let (service, token) = (service.clone(), Arc::clone(&token));
            async move { Ok::<HttpResponse, Infallible>(authorize(&service, &token, request).await) }
        });
        tokio::spawn(async move {
            // A broken connection is the client's problem.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
        });
    }
}

async fn authorize(service: &Service, token: &str, request: Request<Incoming>) -> HttpResponse {
    if !has_token(token, &request) {
        return unauthorized();
    }
    service.handle(request).await
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

fn unauthorized() -> HttpResponse {
    let text = "the request needs the token that the server printed: Authorization: Bearer TOKEN\n";
    let mut reply = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *reply.status_mut() = StatusCode::UNAUTHORIZED;
    reply.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    reply
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::has_token;

    fn request(path: &str, authorization: Option<&str>) -> Request<()> {
        let request = Request::builder().uri(path);
        let request = match authorization {
            Some(value) => request.header("authorization", value),
            None => request,
        };
        request.body(()).unwrap()
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
