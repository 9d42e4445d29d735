//! Incoming connections: their limits and their TLS handshakes.

mod connection;
mod handle;
mod waiting;

pub(crate) use handle::{ConnectionHandle, OpenCall, TokenPresentation};
pub(crate) use waiting::HalfOpenLimits;

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_stream::Stream;

use connection::{ServerConnection, ServerStream};
use waiting::WaitingConnections;

use crate::access::AuthFailureLog;
use crate::error::ServerError;
use crate::tls::{AppProtocol, ServerTls};

/// The most connections at the same time, if the limit of open files allows them: far more than a
/// coordinator has workers. One more closes the oldest connection that waits. If no connection
/// waits, the new one waits in the system's queue.
const MAX_CONNECTIONS: usize = 4096;

/// The open files that are kept for other purposes than connections of the gRPC server: the store,
/// connections to Redis, parts in a directory, the HTTP server, credentials, standard streams, and
/// connections that are being accepted or closed.
const RESERVED_FILES: usize = 200;

/// The least number of connections, if the limit of open files is lower than what is reserved.
const MIN_CONNECTIONS: usize = 16;

/// The share of all connections that may be half-open, and that may be half-open from one address:
/// from one address as many as a hall of machines may open at once. Above the limit the oldest
/// connection is closed. New connections do not wait, because an honest client would have waited
/// too long.
const HALF_OPEN_SHARE: usize = 2;
const HALF_OPEN_SHARE_OF_ADDRESS: usize = 4;

/// The most connections that wait in the system's queue.
const BACKLOG: u32 = 4096;

/// The time for a TLS handshake: a few round trips to the other side of the world.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// The time from the connection to the head of its first call, including the TLS handshake and the
/// preface of HTTP/2, however the bytes come. Where tokens are needed, the call has to show a
/// token.
const FIRST_CALL_TIMEOUT: Duration = Duration::from_secs(8);

/// The pause after a connection could not be accepted for lack of files or memory: an immediate
/// retry would fail again.
const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(100);

/// A socket that is bound to an address, with connections still to be accepted.
#[derive(Debug)]
pub struct BoundListener {
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

/// The limits of connections.
#[derive(Clone, Debug)]
pub(crate) struct ListenLimits {
    /// The most connections at the same time.
    pub(crate) max_connections: usize,
    /// The most connections without a call.
    pub(crate) half_open: HalfOpenLimits,
    /// The time within which each connection must make its first call.
    pub(crate) first_call_timeout: Duration,
    pub(crate) tls: Option<TlsHandshake>,
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
    ///
    /// They depend on the process's limit of open files.
    pub(crate) fn coordinator(tls: Option<TlsHandshake>) -> Self {
        let max_open_files = getrlimit(Resource::Nofile).current;
        let max_open_files = max_open_files.and_then(|limit| usize::try_from(limit).ok());
        let max_connections = connections_within(max_open_files.unwrap_or(usize::MAX));
        Self {
            max_connections,
            half_open: half_open_within(max_connections),
            first_call_timeout: FIRST_CALL_TIMEOUT,
            tls,
        }
    }
}

/// Returns the most connections of a process that may open this number of files.
fn connections_within(max_open_files: usize) -> usize {
    max_open_files.saturating_sub(RESERVED_FILES).clamp(MIN_CONNECTIONS, MAX_CONNECTIONS)
}

/// Returns the limits of half-open connections among this number of connections.
fn half_open_within(max_connections: usize) -> HalfOpenLimits {
    let share = |share: usize| (max_connections / share).max(1);
    HalfOpenLimits { all: share(HALF_OPEN_SHARE), of_address: share(HALF_OPEN_SHARE_OF_ADDRESS) }
}

impl BoundListener {
    /// Binds `address`; connections wait until they are accepted.
    ///
    /// # Errors
    ///
    /// Fails if the address cannot be bound, as when another process listens on it.
    pub async fn bind(address: SocketAddr) -> Result<Self, ServerError> {
        let failed = |source| ServerError::Listen { address, source };
        let listener = listen(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }

    /// Returns the address, with the actual port.
    pub fn address(&self) -> SocketAddr {
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
    let waiting = WaitingConnections::new(limits.half_open);
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(connected) => connected,
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections now");
                // Its files are needed.
                waiting.close_oldest();
                tokio::time::sleep(ACCEPT_RETRY_PAUSE).await;
                continue;
            }
        };
        // Otherwise small messages wait until the one before is acknowledged.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%peer, %error, "a connection closed before it was set up");
            continue;
        }
        let permit = match Arc::clone(&all).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                waiting.close_oldest();
                let permit = Arc::clone(&all).acquire_owned().await;
                permit.expect("the semaphore is never closed")
            }
        };
        let handle = ConnectionHandle::new(peer, &waiting);
        handle.expect_call_within(limits.first_call_timeout);
        let Some(tls) = limits.tls.clone() else {
            let connection = ServerConnection::new(ServerStream::Plain(stream), handle, permit);
            if accepted.send(connection).await.is_err() {
                return;
            }
            // Connections that were accepted get on before the next one makes them give way.
            tokio::task::yield_now().await;
            continue;
        };
        tokio::spawn(finish(tls, stream, handle, permit, accepted.clone()));
        tokio::task::yield_now().await;
    }
}

/// Passes a connection on after its TLS handshake.
async fn finish(
    tls: TlsHandshake,
    stream: TcpStream,
    handle: ConnectionHandle,
    permit: OwnedSemaphorePermit,
    accepted: mpsc::Sender<ServerConnection>,
) {
    let stream = tokio::select! {
        stream = shake_hands(&tls, stream, handle.peer()) => stream,
        () = handle.closed() => None,
    };
    let Some(stream) = stream else {
        // It counts as half-open until then.
        return handle.close();
    };
    // An error means that the server has stopped.
    accepted.send(ServerConnection::new(stream, handle, permit)).await.unwrap_or(());
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
        half_open: HalfOpenLimits,
        first_call_timeout: Duration,
    ) -> (IncomingConnections, SocketAddr) {
        let listener = BoundListener::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = listener.address();
        let limits = ListenLimits { max_connections, half_open, first_call_timeout, tls: None };
        (listener.accept(limits), address)
    }

    /// Connects, and returns both ends.
    async fn connect(
        incoming: &mut IncomingConnections,
        address: SocketAddr,
    ) -> (TcpStream, ServerConnection) {
        let client = TcpStream::connect(address).await.unwrap();
        let next = tokio::time::timeout(PATIENCE, incoming.next()).await.unwrap();
        (client, next.unwrap().unwrap())
    }

    /// How a connection ends that sends nothing more.
    async fn end(connection: &mut ServerConnection) -> io::ErrorKind {
        let read = tokio::time::timeout(PATIENCE, connection.read_u8()).await;
        read.unwrap().unwrap_err().kind()
    }

    const PATIENCE: Duration = Duration::from_secs(60);

    const HALF_OPEN: HalfOpenLimits = HalfOpenLimits { all: 100, of_address: 100 };

    #[test]
    fn the_limit_of_open_files_bounds_the_connections() {
        assert_eq!(connections_within(1024), 824);
        assert_eq!(connections_within(64), 16);
        assert_eq!(connections_within(usize::MAX), 4096);
        assert_eq!(half_open_within(4096), HalfOpenLimits { all: 2048, of_address: 1024 });
    }

    /// A connection whose calls have ended gives way to a newcomer; a connection with a call stays.
    #[tokio::test]
    async fn a_newcomer_gets_the_place_of_an_idle_connection() {
        let (mut incoming, address) = listen(2, HALF_OPEN, FIRST_CALL_TIMEOUT).await;
        let (_first_client, first) = connect(&mut incoming, address).await;
        first.handle().record_call();
        let _call = first.handle().begin_call();
        let (_second_client, mut second) = connect(&mut incoming, address).await;
        second.handle().record_call();
        let calls = [second.handle().begin_call(), second.handle().begin_call()];
        drop(calls);
        let _third_client = TcpStream::connect(address).await.unwrap();
        assert_eq!(end(&mut second).await, io::ErrorKind::ConnectionAborted);
        drop(second);
        let third = tokio::time::timeout(PATIENCE, incoming.next()).await.unwrap();
        third.unwrap().unwrap();
        drop(first);
    }

    #[tokio::test]
    async fn connections_have_a_limit() {
        let (mut incoming, address) = listen(2, HALF_OPEN, FIRST_CALL_TIMEOUT).await;
        let (_first_client, first) = connect(&mut incoming, address).await;
        let (_second_client, second) = connect(&mut incoming, address).await;
        assert!(first.tcp().nodelay().unwrap());
        first.handle().record_call();
        second.handle().record_call();
        let _calls = [first.handle().begin_call(), second.handle().begin_call()];
        let _third_client = TcpStream::connect(address).await.unwrap();
        assert!(incoming.connections.try_recv().is_err(), "the third has no permit");
        drop(first);
        let third = tokio::time::timeout(PATIENCE, incoming.next()).await.unwrap();
        third.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_newcomer_gets_the_place_of_a_half_open_connection() {
        let (mut incoming, address) = listen(2, HALF_OPEN, FIRST_CALL_TIMEOUT).await;
        let (_first_client, first) = connect(&mut incoming, address).await;
        first.handle().record_call();
        let (_second_client, mut second) = connect(&mut incoming, address).await;
        let _third_client = TcpStream::connect(address).await.unwrap();
        assert_eq!(end(&mut second).await, io::ErrorKind::ConnectionAborted);
        drop(second);
        let third = tokio::time::timeout(PATIENCE, incoming.next()).await.unwrap();
        third.unwrap().unwrap();
        drop(first);
    }

    #[tokio::test]
    async fn a_connection_without_a_call_is_closed_whatever_it_sends() {
        // Long enough to record a call on a machine with other work as well.
        let short = Duration::from_secs(2);
        let (mut incoming, address) = listen(3, HALF_OPEN, short).await;
        let (mut caller, mut called) = connect(&mut incoming, address).await;
        called.handle().record_call();
        let (_silent, mut unheard) = connect(&mut incoming, address).await;
        let (mut talker, mut heard) = connect(&mut incoming, address).await;
        let talking = async {
            while talker.write_all(b".").await.is_ok() {
                tokio::time::sleep(short / 20).await;
            }
        };
        let hearing = async {
            loop {
                if let Err(error) = heard.read_u8().await {
                    return error.kind();
                }
            }
        };
        let heard = tokio::time::timeout(PATIENCE, async {
            tokio::select! {
                () = talking => panic!("the other end is still there"),
                kind = hearing => kind,
            }
        });
        assert_eq!(heard.await.unwrap(), io::ErrorKind::ConnectionAborted);
        assert_eq!(end(&mut unheard).await, io::ErrorKind::ConnectionAborted);
        caller.write_all(b"hello").await.unwrap();
        called.read_exact(&mut [0; 5]).await.unwrap();
    }

    #[tokio::test]
    async fn the_oldest_half_open_connection_of_an_address_gives_way() {
        let half_open = HalfOpenLimits { all: 10, of_address: 2 };
        let (mut incoming, address) = listen(1000, half_open, FIRST_CALL_TIMEOUT).await;
        let mut pairs = Vec::new();
        for _ in 0..2 {
            pairs.push(connect(&mut incoming, address).await);
        }
        let token = crate::access::TokenSecret::generate().unwrap().id();
        pairs[0].1.handle().present_token(token);
        for _ in 0..2 {
            pairs.push(connect(&mut incoming, address).await);
        }
        assert_eq!(end(&mut pairs[1].1).await, io::ErrorKind::ConnectionAborted);
        for (idx, is_half_open) in [(0, false), (2, true), (3, true)] {
            let waiting = tokio::time::timeout(Duration::ZERO, pairs[idx].1.read_u8()).await;
            assert!(waiting.is_err(), "connection {idx} is open");
            assert_eq!(pairs[idx].1.handle().is_half_open(), is_half_open, "{idx}");
        }
    }

    #[tokio::test]
    async fn an_address_in_use_is_named() {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = taken.local_addr().unwrap();
        let failure = BoundListener::bind(address).await.unwrap_err();
        assert_eq!(failure.to_string(), format!("cannot listen on {address}"));
    }
}
