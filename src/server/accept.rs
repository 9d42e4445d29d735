//! Connections as they come in, up to a limit.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::Sleep;
use tokio_stream::Stream;
use tonic::transport::server::{Connected, TcpConnectInfo};

use crate::failure::Failure;

/// The most connections at the same time: far more than a coordinator has workers, and few enough
/// for the usual limit of open files. Others wait in the system's queue.
const MAX_CONNECTIONS: usize = 4096;

/// How long a connection may take to say its first word: one that says nothing takes a place that
/// others wait for.
const FIRST_WORD: Duration = Duration::from_secs(10);

/// How long to wait when no connection can be accepted, for lack of files or memory: at once, it
/// would fail again.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The connections that come in at an address; each is given up when it is dropped.
#[derive(Debug)]
pub(crate) struct Accepting {
    connections: mpsc::Receiver<Connection>,
    task: JoinHandle<()>,
}

/// A connection that counts.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    /// When its first word must have come; `None` once it has.
    silence: Option<Pin<Box<Sleep>>>,
    _place: OwnedSemaphorePermit,
}

impl Connection {
    fn new(stream: TcpStream, place: OwnedSemaphorePermit, first_word: Duration) -> Self {
        let silence = Some(Box::pin(tokio::time::sleep(first_word)));
        Self { stream, silence, _place: place }
    }
}

impl Accepting {
    /// Begins to accept connections at `address`; returns the address that it is.
    pub(crate) async fn bind(address: SocketAddr) -> Result<(Self, SocketAddr), Failure> {
        Self::bind_for(address, MAX_CONNECTIONS, FIRST_WORD).await
    }

    /// As [`bind`](Self::bind), with at most so many connections, which have so long for their first
    /// word.
    pub(crate) async fn bind_for(
        address: SocketAddr,
        most: usize,
        first_word: Duration,
    ) -> Result<(Self, SocketAddr), Failure> {
        let failed = |source| Failure::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let real = listener.local_addr().map_err(failed)?;
        let (accepted, connections) = mpsc::channel(1);
        let places = Arc::new(Semaphore::new(most));
        let task = tokio::spawn(accept(listener, places, first_word, accepted));
        Ok((Self { connections, task }, real))
    }
}

async fn accept(
    listener: TcpListener,
    places: Arc<Semaphore>,
    first_word: Duration,
    accepted: mpsc::Sender<Connection>,
) {
    loop {
        let place = Arc::clone(&places).acquire_owned().await;
        let place = place.expect("nobody closes the semaphore");
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Without it, small messages wait for the acknowledgment of the one before.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%peer, %error, "a connection was gone at once");
                    continue;
                }
                if accepted.send(Connection::new(stream, place, first_word)).await.is_err() {
                    return;
                }
            }
            Err(error) => {
                tracing::warn!(%error, "no connection can be accepted now");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

impl Drop for Accepting {
    fn drop(&mut self) {
        // The address is free for the next one.
        self.task.abort();
    }
}

impl Stream for Accepting {
    type Item = io::Result<Connection>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.connections.poll_recv(cx).map(|connection| connection.map(Ok))
    }
}

impl Connected for Connection {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.stream.connect_info()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_read(cx, buffer) {
            Poll::Pending => {
                let silence = self.silence.as_mut();
                let is_over = silence.is_some_and(|end| end.as_mut().poll(cx).is_ready());
                if is_over {
                    Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
                } else {
                    Poll::Pending
                }
            }
            ready => {
                self.silence = None;
                ready
            }
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_stream::StreamExt;

    use super::*;

    #[tokio::test]
    async fn connections_have_a_limit() {
        let any_port = "127.0.0.1:0".parse().unwrap();
        let (mut accepting, address) = Accepting::bind_for(any_port, 2, FIRST_WORD).await.unwrap();
        let mut clients = Vec::new();
        for _ in 0..3 {
            clients.push(TcpStream::connect(address).await.unwrap());
        }
        let first = accepting.next().await.unwrap().unwrap();
        let _second = accepting.next().await.unwrap().unwrap();
        assert!(first.stream.nodelay().unwrap());
        assert!(accepting.connections.try_recv().is_err(), "the third has no place");
        drop(first);
        let deadline = Duration::from_secs(10);
        let third = tokio::time::timeout(deadline, accepting.next()).await.unwrap();
        third.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_connection_that_says_nothing_is_given_up() {
        let any_port = "127.0.0.1:0".parse().unwrap();
        let short = Duration::from_millis(100);
        let (mut accepting, address) = Accepting::bind_for(any_port, 2, short).await.unwrap();
        let mut talker = TcpStream::connect(address).await.unwrap();
        let mut heard = accepting.next().await.unwrap().unwrap();
        let _silent = TcpStream::connect(address).await.unwrap();
        let mut unheard = accepting.next().await.unwrap().unwrap();
        talker.write_all(b"hello").await.unwrap();
        heard.read_exact(&mut [0; 5]).await.unwrap();
        let error = unheard.read_u8().await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        let waiting = tokio::time::timeout(2 * short, heard.read_u8()).await;
        assert!(waiting.is_err(), "a connection may rest once it has said something");
    }

    #[tokio::test]
    async fn an_address_in_use_is_named() {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = taken.local_addr().unwrap();
        let failure = Accepting::bind(address).await.unwrap_err();
        assert_eq!(failure.to_string(), format!("{address} can't be listened on"));
    }
}
