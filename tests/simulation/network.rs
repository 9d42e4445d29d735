//! The real session plane over the simulated network.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hatchery_proto::v1::worker_plane_server::{WorkerPlane, WorkerPlaneServer};
use hatchery_worker::{DialError, Dialer};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};
use tonic::transport::server::{Connected, Server};
use tonic::transport::{Channel, Endpoint};
use turmoil::net::{TcpListener, TcpStream};

/// Where coordinators listen.
pub(crate) const PORT: u16 = 7700;

/// Connections through the simulated network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurmoilDialer;

#[tonic::async_trait]
impl Dialer for TurmoilDialer {
    async fn dial(&self, endpoint: &str) -> Result<Channel, DialError> {
        let address = endpoint.trim_start_matches("http://").to_owned();
        let connector = tower::service_fn(move |_| {
            let address = address.clone();
            async move { TcpStream::connect(address).await.map(TokioIo::new) }
        });
        let channel = Endpoint::from_shared(endpoint.to_owned())
            .unwrap()
            .connect_timeout(Duration::from_secs(3))
            .http2_keep_alive_interval(Duration::from_secs(5))
            .keep_alive_timeout(Duration::from_secs(5))
            .keep_alive_while_idle(true)
            .connect_with_connector(connector)
            .await;
        let endpoint = endpoint.to_owned();
        channel.map_err(|source| DialError::Unreachable { endpoint, source: Box::new(source) })
    }
}

/// The most bytes that a slow line brings at a time, and the time between: 5 kB/s.
const SLOW_BYTES: usize = 512;
const SLOW_PAUSE: Duration = Duration::from_millis(100);

/// Connections that bring a worker few bytes at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlowDialer;

#[tonic::async_trait]
impl Dialer for SlowDialer {
    async fn dial(&self, endpoint: &str) -> Result<Channel, DialError> {
        let address = endpoint.trim_start_matches("http://").to_owned();
        let connector = tower::service_fn(move |_| {
            let address = address.clone();
            async move {
                let stream = TcpStream::connect(address).await;
                stream.map(|stream| TokioIo::new(SlowLine { stream, rest: None }))
            }
        });
        let channel = Endpoint::from_shared(endpoint.to_owned())
            .unwrap()
            .connect_timeout(Duration::from_secs(3))
            .connect_with_connector(connector)
            .await;
        let endpoint = endpoint.to_owned();
        channel.map_err(|source| DialError::Unreachable { endpoint, source: Box::new(source) })
    }
}

/// A connection over a slow line.
struct SlowLine {
    stream: TcpStream,
    /// The time until more bytes come.
    rest: Option<Pin<Box<Sleep>>>,
}

impl AsyncRead for SlowLine {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(rest) = &mut self.rest {
            ready!(rest.as_mut().poll(cx));
        }
        self.rest = None;
        let mut bytes = [0; SLOW_BYTES];
        let mut few = ReadBuf::new(&mut bytes[..SLOW_BYTES.min(buf.remaining())]);
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut few))?;
        buf.put_slice(few.filled());
        if !few.filled().is_empty() {
            self.rest = Some(Box::pin(sleep(SLOW_PAUSE)));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for SlowLine {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Serves workers until the host crashes.
pub(crate) async fn serve<S: WorkerPlane>(service: WorkerPlaneServer<S>) -> turmoil::Result {
    let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
    let incoming = async_stream(listener);
    Server::builder()
        .http2_keepalive_interval(Some(Duration::from_secs(5)))
        .http2_keepalive_timeout(Some(Duration::from_secs(5)))
        .add_service(service)
        .serve_with_incoming(incoming)
        .await?;
    Ok(())
}

fn async_stream(listener: TcpListener) -> impl tokio_stream::Stream<Item = io::Result<Accepted>> {
    let (send, receive) = tokio::sync::mpsc::channel(64);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if send.send(Ok(Accepted(stream))).await.is_err() {
                return;
            }
        }
    });
    tokio_stream::wrappers::ReceiverStream::new(receive)
}

/// A connection as tonic wants it.
struct Accepted(TcpStream);

impl Connected for Accepted {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl AsyncRead for Accepted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for Accepted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
