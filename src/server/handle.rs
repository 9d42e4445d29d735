//! The state of a connection besides its bytes.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, watch};

use crate::access::secret::TokenId;

/// The most tokens that may be shown over one connection, as by a proxy that many clients share.
const MAX_TOKENS: usize = 64;

/// A connection, for those who authenticate its calls or close it. Clones are the same connection.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionHandle {
    peer: SocketAddr,
    state: Arc<ConnectionState>,
}

#[derive(Debug)]
struct ConnectionState {
    /// True once the connection is closed.
    closed: watch::Sender<bool>,
    /// The tokens that were shown; calls over one connection are authenticated at the same time.
    tokens: Mutex<PresentedTokens>,
}

#[derive(Debug)]
struct PresentedTokens {
    /// The permit of a connection that has shown no token yet.
    unauthenticated: Option<OwnedSemaphorePermit>,
    ids: Vec<TokenId>,
}

/// The result of showing a token over a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenPresentation {
    /// The token was not shown before.
    First,
    /// The token was shown before.
    Repeated,
    /// The connection has shown as many tokens as it may.
    TooMany,
}

impl ConnectionHandle {
    /// Creates the handle of the connection to `peer`, which holds the permit `unauthenticated`
    /// until it shows a token, if it has to show one.
    pub(crate) fn new(peer: SocketAddr, unauthenticated: Option<OwnedSemaphorePermit>) -> Self {
        let tokens = Mutex::new(PresentedTokens { unauthenticated, ids: Vec::new() });
        Self {
            peer,
            state: Arc::new(ConnectionState { closed: watch::Sender::new(false), tokens }),
        }
    }

    /// Returns the address of the peer.
    pub(crate) fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// Closes the connection at once, whatever is being sent.
    pub(crate) fn close(&self) {
        self.state.closed.send_replace(true);
    }

    /// Resolves when the connection is closed.
    pub(crate) fn closed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut closed = self.state.closed.subscribe();
        async move {
            // An error means that all handles are gone, and so is the connection.
            closed.wait_for(|&closed| closed).await.map(|_| ()).unwrap_or_default();
        }
    }

    /// Closes the connection after `timeout` if it has shown no token by then.
    pub(crate) fn expect_token_within(&self, timeout: Duration) {
        let connection = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = connection.closed() => {}
                () = tokio::time::sleep(timeout) => if connection.is_unauthenticated() {
                    tracing::debug!(peer = %connection.peer, "no token was shown in time");
                    connection.close();
                },
            }
        });
    }

    /// Returns true if the connection has to show a token and has not done so.
    pub(crate) fn is_unauthenticated(&self) -> bool {
        let tokens = self.state.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.unauthenticated.is_some()
    }

    /// Records that a valid token was shown, which makes the connection an authenticated one.
    pub(crate) fn present_token(&self, token: TokenId) -> TokenPresentation {
        let mut tokens = self.state.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.unauthenticated = None;
        if tokens.ids.contains(&token) {
            return TokenPresentation::Repeated;
        }
        if tokens.ids.len() == MAX_TOKENS {
            return TokenPresentation::TooMany;
        }
        tokens.ids.push(token);
        TokenPresentation::First
    }
}
