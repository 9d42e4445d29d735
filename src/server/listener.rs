//! Incoming connections: their limits and their TLS handshakes.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_stream::Stream;

use super::auth_failures::AuthFailureLog;
use super::connection::{ServerConnection, ServerStream};
use super::handle::ConnectionHandle;
use crate::error::CommandError;
use crate::tls::{AppProtocol, ServerTls};

/// The most connections at the same time: far more than a coordinator has workers, and few enough
/// for the usual limit of open files. Others wait in the system's queue.
const MAX_CONNECTIONS: usize = 4096;

/// The most connections that wait in the system's queue.
const BACKLOG: u32 = 4096;

/// The time for a connection's first byte: a silent connection holds a permit that others wait for.
const FIRST_BYTE_TIMEOUT: Duration = Duration::from_secs(10);

/// The time for a TLS handshake: a few round trips to the other side of the world.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// The most connections that have not shown a token yet, where one is needed, and the time that
/// they have, their handshakes included: clients with a token show it at once. More connections
/// wait in the system's queue, from where clients give up after 10 seconds.
const MAX_UNAUTHENTICATED: usize = 256;
const TOKEN_TIMEOUT: Duration = Duration::from_secs(8);

/// The pause after a connection could not be accepted for lack of files or memory: an immediate
/// retry would fail again.
const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(100);

/// A socket that is bound to an address, with connections still to be accepted.
#[derive(Debug)]
pub(crate) struct BoundListener {
    listener: TcpListener,
    address: SocketAddr,
}

/// Listens with a queue for as many workers as may connect at once, as far as the system allows
/// (`net.core.somaxconn`).
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // A coordinator that was killed can be replaced at once.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// The need of connections to show a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenRequirement {
    /// Each connection has to show one in time.
    Needed,
    /// Connections need none, or requests are checked one by one.
    NotHere,
}

/// The limits of connections.
#[derive(Clone, Debug)]
pub(crate) struct ListenLimits {
    /// The most connections at the same time.
    pub(crate) max_connections: usize,
    /// The time for the first byte of each.
    pub(crate) first_byte_timeout: Duration,
    pub(crate) tls: Option<TlsHandshake>,
    pub(crate) tokens: TokenRequirement,
}

/// The TLS handshake of connections, and the log of clients without a trusted certificate.
#[derive(Clone)]
pub(crate) struct TlsHandshake {
    pub(crate) tls: ServerTls,
    pub(crate) protocol: AppProtocol,
    pub(crate) auth_failures: Arc<AuthFailureLog>,
}

impl std::fmt::Debug for TlsHandshake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls(..)")
    }
}

impl ListenLimits {
    /// Returns the limits of a coordinator's gRPC server.
    pub(crate) fn coordinator(tls: Option<TlsHandshake>, tokens: TokenRequirement) -> Self {
        let first_byte_timeout = FIRST_BYTE_TIMEOUT;
        Self { max_connections: MAX_CONNECTIONS, first_byte_timeout, tls, tokens }
    }
}

impl BoundListener {
    /// Binds `address`; connections wait until they are accepted.
    pub(crate) async fn bind(address: SocketAddr) -> Result<Self, CommandError> {
        let failed = |source| CommandError::Listen { address, source };
        let listener = listen(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }

    /// Returns the address, with the actual port.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Starts to accept connections.
    pub(crate) fn accept(self, limits: ListenLimits) -> IncomingConnections {
        // Connections within the limit leave the system's queue at once: it is short, and turns
        // away those that find it full.
        let (accepted, connections) = mpsc::channel(limits.max_connections);
        let task = tokio::spawn(accept(self.listener, limits, accepted));
        IncomingConnections { connections, task }
    }
}

/// The accepted connections of an address, as a stream; dropping it frees the address.
#[derive(Debug)]
pub(crate) struct IncomingConnections {
    connections: mpsc::Receiver<ServerConnection>,
    task: JoinHandle<()>,
}

async fn accept(
    listener: TcpListener,
    limits: ListenLimits,
    accepted: mpsc::Sender<ServerConnection>,
) {
    let all = Arc::new(Semaphore::new(limits.max_connections));
    let unauthenticated = Arc::new(Semaphore::new(MAX_UNAUTHENTICATED));
    loop {
        let permit = acquire(&all).await;
        let token_permit = match limits.tokens {
            TokenRequirement::Needed => Some(acquire(&unauthenticated).await),
            TokenRequirement::NotHere => None,
        };
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Otherwise small messages wait until the one before is acknowledged.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%peer, %error, "a connection closed before it was set up");
                    continue;
                }
                let handle = ConnectionHandle::new(peer, token_permit);
                if limits.tokens == TokenRequirement::Needed {
                    handle.expect_token_within(TOKEN_TIMEOUT);
                }
                let timeout = limits.first_byte_timeout;
                let Some(tls) = limits.tls.clone() else {
                    let stream = ServerStream::Plain(stream);
                    let connection = ServerConnection::new(stream, handle, permit, timeout);
                    if accepted.send(connection).await.is_err() {
                        return;
                    }
                    continue;
                };
                let accepted = accepted.clone();
                tokio::spawn(async move {
                    let Some(stream) = shake_hands(&tls, stream, peer).await else {
                        // This releases the permit of unauthenticated connections at once.
                        return handle.close();
                    };
                    let connection = ServerConnection::new(stream, handle, permit, timeout);
                    // An error means that the server has stopped.
                    accepted.send(connection).await.unwrap_or(());
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections now");
                tokio::time::sleep(ACCEPT_RETRY_PAUSE).await;
            }
        }
    }
}

async fn acquire(semaphore: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    let permit = Arc::clone(semaphore).acquire_owned().await;
    permit.expect("the semaphore is never closed")
}

async fn shake_hands(
    tls: &TlsHandshake,
    stream: TcpStream,
    peer: SocketAddr,
) -> Option<ServerStream> {
    let accepting = tls.tls.acceptor(tls.protocol).accept(stream);
    let error = match tokio::time::timeout(HANDSHAKE_TIMEOUT, accepting).await {
        Ok(Ok(stream)) => return Some(ServerStream::Tls(Box::new(stream))),
        Ok(Err(error)) => error,
        Err(_) => io::ErrorKind::TimedOut.into(),
    };
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    match cause {
        Some(rustls::Error::NoCertificatesPresented | rustls::Error::InvalidCertificate(_)) => {
            tls.auth_failures.record_certificate(peer, &error);
        }
        _ => tracing::debug!(%peer, %error, "TLS handshake failed"),
    }
    None
}

impl Drop for IncomingConnections {
    fn drop(&mut self) {
        // The address is free again.
        self.task.abort();
    }
}

impl Stream for IncomingConnections {
    type Item = io::Result<ServerConnection>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.connections.poll_recv(cx).map(|connection| connection.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_stream::StreamExt;

    use super::*;

    async fn listen(
        max_connections: usize,
        first_byte_timeout: Duration,
        tokens: TokenRequirement,
    ) -> (IncomingConnections, SocketAddr) {
        let listener = BoundListener::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = listener.address();
        let limits = ListenLimits { max_connections, first_byte_timeout, tls: None, tokens };
        (listener.accept(limits), address)
    }

    #[tokio::test]
    async fn connections_have_a_limit() {
        let (mut accepting, address) =
            listen(2, FIRST_BYTE_TIMEOUT, TokenRequirement::NotHere).await;
        let mut clients = Vec::new();
        for _ in 0..3 {
            clients.push(TcpStream::connect(address).await.unwrap());
        }
        let first = accepting.next().await.unwrap().unwrap();
        let _second = accepting.next().await.unwrap().unwrap();
        assert!(first.tcp().nodelay().unwrap());
        assert!(accepting.connections.try_recv().is_err(), "the third has no permit");
        drop(first);
        let deadline = Duration::from_secs(10);
        let third = tokio::time::timeout(deadline, accepting.next()).await.unwrap();
        third.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_silent_connection_times_out() {
        let short = Duration::from_millis(100);
        let (mut accepting, address) = listen(2, short, TokenRequirement::NotHere).await;
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
    async fn unauthenticated_connections_have_a_lower_limit() {
        let (mut accepting, address) =
            listen(1000, FIRST_BYTE_TIMEOUT, TokenRequirement::Needed).await;
        let mut clients = Vec::new();
        let mut connections = Vec::new();
        for _ in 0..MAX_UNAUTHENTICATED {
            clients.push(TcpStream::connect(address).await.unwrap());
            connections.push(accepting.next().await.unwrap().unwrap());
        }
        clients.push(TcpStream::connect(address).await.unwrap());
        assert!(accepting.connections.try_recv().is_err(), "one too many has no permit");
        let token = crate::access::TokenSecret::generate().unwrap().id();
        connections[0].handle().present_token(token);
        let deadline = Duration::from_secs(5);
        let next = tokio::time::timeout(deadline, accepting.next()).await.unwrap();
        next.unwrap().unwrap();
        assert!(!connections[0].handle().is_unauthenticated());
        assert!(connections[1].handle().is_unauthenticated());
        connections[1].handle().close();
        let closed = tokio::time::timeout(deadline, connections[1].read_u8()).await.unwrap();
        assert_eq!(closed.unwrap_err().kind(), io::ErrorKind::ConnectionAborted);
    }

    #[tokio::test]
    async fn an_address_in_use_is_named() {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = taken.local_addr().unwrap();
        let failure = BoundListener::bind(address).await.unwrap_err();
        assert_eq!(failure.to_string(), format!("cannot listen on {address}"));
    }
}
