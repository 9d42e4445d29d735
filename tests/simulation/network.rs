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
        let with_pings = |endpoint: Endpoint| {
            let interval = Duration::from_secs(5);
            endpoint
                .http2_keep_alive_interval(interval)
                .keep_alive_timeout(interval)
                .keep_alive_while_idle(true)
        };
        connect(endpoint, with_pings, |stream| stream).await
    }
}

/// The most bytes that a slow line carries at a time, each way, and the time between: 5 kB/s.
const SLOW_BYTES: usize = 512;
const SLOW_PAUSE: Duration = Duration::from_millis(100);

/// Connections that carry few bytes at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlowDialer;

#[tonic::async_trait]
impl Dialer for SlowDialer {
    async fn dial(&self, endpoint: &str) -> Result<Channel, DialError> {
        connect(endpoint, |endpoint| endpoint, SlowLine::new).await
    }
}

/// Connections whose calls take 64 KiB ahead of their reader: the least that is allowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NarrowDialer;

#[tonic::async_trait]
impl Dialer for NarrowDialer {
    async fn dial(&self, endpoint: &str) -> Result<Channel, DialError> {
        let narrow = |endpoint: Endpoint| endpoint.initial_stream_window_size(65_535);
        connect(endpoint, narrow, |stream| stream).await
    }
}

/// Connects to `endpoint` over the line that `line` makes of the simulated connection.
async fn connect<Line>(
    endpoint: &str,
    configure: fn(Endpoint) -> Endpoint,
    line: fn(TcpStream) -> Line,
) -> Result<Channel, DialError>
where
    Line: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let address = endpoint.trim_start_matches("http://").to_owned();
    let connector = tower::service_fn(move |_| {
        let address = address.clone();
        async move { TcpStream::connect(address).await.map(|stream| TokioIo::new(line(stream))) }
    });
    let configured = Endpoint::from_shared(endpoint.to_owned()).unwrap();
    let configured = configure(configured.connect_timeout(Duration::from_secs(3)));
    let channel = configured.connect_with_connector(connector).await;
    let endpoint = endpoint.to_owned();
    channel.map_err(|source| DialError::Unreachable { endpoint, source: Box::new(source) })
}

/// A connection over a slow line.
struct SlowLine {
    stream: TcpStream,
    /// The times until more bytes may come and go.
    read_rest: SlowRest,
    write_rest: SlowRest,
}

/// The time until a slow line carries more bytes one way.
#[derive(Default)]
struct SlowRest(Option<Pin<Box<Sleep>>>);

impl SlowRest {
    /// Waits until the line carries more bytes.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(rest) = &mut self.0 {
            ready!(rest.as_mut().poll(cx));
        }
        self.0 = None;
        Poll::Ready(())
    }

    /// Begins the time after the line has carried bytes.
    fn begin(&mut self) {
        self.0 = Some(Box::pin(sleep(SLOW_PAUSE)));
    }
}

impl SlowLine {
    fn new(stream: TcpStream) -> Self {
        Self { stream, read_rest: SlowRest::default(), write_rest: SlowRest::default() }
    }
}

impl AsyncRead for SlowLine {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.read_rest.poll(cx));
        let mut bytes = [0; SLOW_BYTES];
        let mut few = ReadBuf::new(&mut bytes[..SLOW_BYTES.min(buf.remaining())]);
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut few))?;
        buf.put_slice(few.filled());
        if !few.filled().is_empty() {
            self.read_rest.begin();
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
        ready!(self.write_rest.poll(cx));
        let few = &buf[..SLOW_BYTES.min(buf.len())];
        let n_bytes = ready!(Pin::new(&mut self.stream).poll_write(cx, few))?;
        self.write_rest.begin();
        Poll::Ready(Ok(n_bytes))
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
