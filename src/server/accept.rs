//! Connections as they come in, up to a limit, and their handshakes.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_stream::Stream;

use super::connection::{Connection, Transport};
use super::line::Line;
use super::refusals::Refusals;
use crate::failure::Failure;

/// The most connections at the same time: far more than a coordinator has workers, and few enough
/// for the usual limit of open files. Others wait in the system's queue.
const MAX_CONNECTIONS: usize = 4096;

/// How many connections may wait in the system's queue.
const QUEUE: u32 = 4096;

/// How long a connection may take to say its first word: one that says nothing takes a place that
/// others wait for.
const FIRST_WORD: Duration = Duration::from_secs(10);

/// How long a TLS handshake may take: a few round trips to the other side of the world.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// The most connections that have not shown a token yet, where one is needed, and how long they may
/// take, their handshakes included: those who have a token show it at once. Others wait in the
/// system's queue, and would find nobody there after 10 seconds.
const MAX_STRANGERS: usize = 256;
const TOKEN_WITHIN: Duration = Duration::from_secs(8);

/// How long to wait when no connection can be accepted, for lack of files or memory: at once, it
/// would fail again.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// An address that is taken.
#[derive(Debug)]
pub(crate) struct Listening {
    listener: TcpListener,
    address: SocketAddr,
}

/// Listens with a queue that has room for as many workers as come at once, as far as the system
/// allows (`net.core.somaxconn`).
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // A coordinator that was killed is replaced at once.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(QUEUE)
}

/// Whether connections have to show a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tokens {
    Needed,
    /// Or are asked for elsewhere.
    Not,
}

/// What connections have to keep to.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// How many there may be at the same time.
    pub(crate) most: usize,
    /// How long each may take for its first word.
    pub(crate) first_word: Duration,
    pub(crate) tls: Option<Tls>,
    pub(crate) tokens: Tokens,
}

/// How connections are encrypted, and where it is said that somebody has no certificate.
#[derive(Clone)]
pub(crate) struct Tls {
    pub(crate) acceptor: TlsAcceptor,
    pub(crate) refusals: Arc<Refusals>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls(..)")
    }
}

impl Terms {
    /// Those of a coordinator.
    pub(crate) fn coordinator(tls: Option<Tls>, tokens: Tokens) -> Self {
        Self { most: MAX_CONNECTIONS, first_word: FIRST_WORD, tls, tokens }
    }
}

impl Listening {
    /// Takes `address`; connections wait until they are accepted.
    pub(crate) async fn bind(address: SocketAddr) -> Result<Self, Failure> {
        let failed = |source| Failure::Listen { address, source };
        let listener = listen(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }

    /// The address, with its port.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Begins to accept connections.
    pub(crate) fn accept(self, terms: Terms) -> Accepting {
        // All that have a place are taken from the system's queue at once: it is short, and those that
        // find it full are turned away.
        let (accepted, connections) = mpsc::channel(terms.most);
        let task = tokio::spawn(accept(self.listener, terms, accepted));
        Accepting { connections, task }
    }
}

/// The connections that come in at an address; each is given up when it is dropped.
#[derive(Debug)]
pub(crate) struct Accepting {
    connections: mpsc::Receiver<Connection>,
    task: JoinHandle<()>,
}

async fn accept(listener: TcpListener, terms: Terms, accepted: mpsc::Sender<Connection>) {
    let places = Arc::new(Semaphore::new(terms.most));
    let strangers = Arc::new(Semaphore::new(MAX_STRANGERS));
    loop {
        let place = place(&places).await;
        let stranger = match terms.tokens {
            Tokens::Needed => Some(self::place(&strangers).await),
            Tokens::Not => None,
        };
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Without it, small messages wait for the acknowledgment of the one before.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%peer, %error, "a connection was gone at once");
                    continue;
                }
                let line = Line::new(peer, stranger);
                if terms.tokens == Tokens::Needed {
                    line.expect_token_within(TOKEN_WITHIN);
                }
                let first_word = terms.first_word;
                let Some(tls) = terms.tls.clone() else {
                    let stream = Transport::Plain(stream);
                    let connection = Connection::new(stream, line, place, first_word);
                    if accepted.send(connection).await.is_err() {
                        return;
                    }
                    continue;
                };
                let accepted = accepted.clone();
                tokio::spawn(async move {
                    let Some(stream) = shake_hands(&tls, stream, peer).await else {
                        // Its place among strangers is free at once.
                        return line.cut();
                    };
                    let connection = Connection::new(stream, line, place, first_word);
                    // Nobody accepts any more.
                    accepted.send(connection).await.unwrap_or(());
                });
            }
            Err(error) => {
                tracing::warn!(%error, "no connection can be accepted now");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn place(places: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    let place = Arc::clone(places).acquire_owned().await;
    place.expect("nobody closes the semaphore")
}

async fn shake_hands(tls: &Tls, stream: TcpStream, peer: SocketAddr) -> Option<Transport> {
    let error = match tokio::time::timeout(HANDSHAKE, tls.acceptor.accept(stream)).await {
        Ok(Ok(stream)) => return Some(Transport::Tls(Box::new(stream))),
        Ok(Err(error)) => error,
        Err(_) => io::ErrorKind::TimedOut.into(),
    };
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    match cause {
        Some(rustls::Error::NoCertificatesPresented | rustls::Error::InvalidCertificate(_)) => {
            tls.refusals.without_certificate(peer, &error);
        }
        _ => tracing::debug!(%peer, %error, "no handshake"),
    }
    None
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

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_stream::StreamExt;

    use super::*;

    async fn listen(most: usize, first_word: Duration, tokens: Tokens) -> (Accepting, SocketAddr) {
        let listening = Listening::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = listening.address();
        (listening.accept(Terms { most, first_word, tls: None, tokens }), address)
    }

    #[tokio::test]
    async fn connections_have_a_limit() {
        let (mut accepting, address) = listen(2, FIRST_WORD, Tokens::Not).await;
        let mut clients = Vec::new();
        for _ in 0..3 {
            clients.push(TcpStream::connect(address).await.unwrap());
        }
        let first = accepting.next().await.unwrap().unwrap();
        let _second = accepting.next().await.unwrap().unwrap();
        assert!(first.tcp().nodelay().unwrap());
        assert!(accepting.connections.try_recv().is_err(), "the third has no place");
        drop(first);
        let deadline = Duration::from_secs(10);
        let third = tokio::time::timeout(deadline, accepting.next()).await.unwrap();
        third.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_connection_that_says_nothing_is_given_up() {
        let short = Duration::from_millis(100);
        let (mut accepting, address) = listen(2, short, Tokens::Not).await;
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
    async fn strangers_have_fewer_places_until_they_show_a_token() {
        let (mut accepting, address) = listen(1000, FIRST_WORD, Tokens::Needed).await;
        let mut clients = Vec::new();
        let mut strangers = Vec::new();
        for _ in 0..MAX_STRANGERS {
            clients.push(TcpStream::connect(address).await.unwrap());
            strangers.push(accepting.next().await.unwrap().unwrap());
        }
        clients.push(TcpStream::connect(address).await.unwrap());
        assert!(accepting.connections.try_recv().is_err(), "one too many has no place");
        let token = crate::access::Secret::generate().unwrap().id();
        strangers[0].line().show(token);
        let deadline = Duration::from_secs(5);
        let next = tokio::time::timeout(deadline, accepting.next()).await.unwrap();
        next.unwrap().unwrap();
        assert!(!strangers[0].line().is_stranger() && strangers[1].line().is_stranger());
        strangers[1].line().cut();
        let cut = tokio::time::timeout(deadline, strangers[1].read_u8()).await.unwrap();
        assert_eq!(cut.unwrap_err().kind(), io::ErrorKind::ConnectionAborted);
    }

    #[tokio::test]
    async fn an_address_in_use_is_named() {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = taken.local_addr().unwrap();
        let failure = Listening::bind(address).await.unwrap_err();
        assert_eq!(failure.to_string(), format!("{address} can't be listened on"));
    }
}
