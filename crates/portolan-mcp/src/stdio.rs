//! Serves on standard input and output, for the client that started the process.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::Notify;

use crate::ServeOptions;
use crate::server::Server;

/// How long to wait for almost finished answers after the client closed the input.
const GRACE: Duration = Duration::from_millis(50);

/// The longest message to read. Those that are longer than a question may be get an answer that says so.
const LONGEST_MESSAGE: usize = 64 << 20;

/// An input that signals its end. Otherwise the protocol's loop would wait for running questions.
struct NotifyingInput<R> {
    input: R,
    ended: Arc<Notify>,
}

impl<R: AsyncRead + Unpin> AsyncRead for NotifyingInput<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.input).poll_read(context, buffer);
        let has_ended = match &polled {
            Poll::Ready(Ok(())) => buffer.filled().len() == before && buffer.capacity() > before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if has_ended {
            self.ended.notify_one();
        }
        polled
    }
}

/// Serves until the input is closed, then exits at once, even with questions running.
pub fn serve_stdio(options: ServeOptions) -> io::Result<()> {
    let server = Server::new(options).map_err(io::Error::other)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(serve(server));
    // Running questions end with the process.
    runtime.shutdown_background();
    served
}

async fn serve(server: Server) -> io::Result<()> {
    let ended = Arc::new(Notify::new());
    let (input, output) = stdio_pipes();
    let input = NotifyingInput { input, ended: Arc::clone(&ended) };
    let transport = AsyncRwTransport::new(input, output).with_max_line_length(LONGEST_MESSAGE);
    let running = match server.serve(transport).await {
        Ok(running) => running,
        // A client that disconnects before its first message is not an error.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(io::Error::other(error.to_string())),
    };
    let mut waiting = std::pin::pin!(running.waiting());
    tokio::select! {
        done = &mut waiting => {
            done.map_err(io::Error::other)?;
        }
        () = ended.notified() => {
            let _ = tokio::time::timeout(GRACE, waiting).await;
        }
    }
    Ok(())
}
