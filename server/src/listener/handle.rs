//! The state of a connection besides its bytes.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hatchery_coordinator::CallerAddress;
use tokio::sync::watch;

use super::waiting::{WaitingConnections, WaitingEntry, WaitingTable};
use crate::access::secret::TokenId;

/// The most tokens that may be shown over one connection, as by a proxy that many clients share.
const MAX_TOKENS: usize = 64;

/// A connection, for code that authenticates its calls or closes it. Clones are the same
/// connection.
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
    /// The table of idle connections.
    idle: WaitingTable,
    /// Calls over one connection begin and end at the same time.
    calls: Mutex<OpenCalls>,
}

/// The calls of a connection that have not ended.
#[derive(Debug, Default)]
struct OpenCalls {
    n_open: usize,
    /// The entry of a connection that made calls, all of which have ended.
    idle: Option<WaitingEntry>,
}

/// A call over a connection, until it is dropped.
#[derive(Debug)]
pub(crate) struct OpenCall(ConnectionHandle);

#[derive(Debug)]
struct PresentedTokens {
    /// The entry of a connection that has made no call yet; where tokens are needed, of a
    /// connection that has shown no token.
    half_open: Option<WaitingEntry>,
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
    /// Creates the handle of the connection to `peer`. The connection counts as half-open in
    /// `waiting` until it makes a call, and as idle between its calls.
    pub(super) fn new(peer: SocketAddr, waiting: &WaitingConnections) -> Self {
        let closed = watch::Sender::new(false);
        let entry = waiting.half_open.add(CallerAddress(peer.ip()), closed.clone());
        let tokens = Mutex::new(PresentedTokens { half_open: Some(entry), ids: Vec::new() });
        let (idle, calls) = (waiting.idle.clone(), Mutex::default());
        Self { peer, state: Arc::new(ConnectionState { closed, tokens, idle, calls }) }
    }

    /// Returns the address of the peer.
    pub(crate) fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// Returns the address of the peer without its port.
    pub(crate) fn address(&self) -> CallerAddress {
        CallerAddress(self.peer.ip())
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

    /// Closes the connection after `timeout` if it is still half-open then, whatever it has sent.
    pub(super) fn expect_call_within(&self, timeout: Duration) {
        let connection = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = connection.closed() => {}
                () = tokio::time::sleep(timeout) => if connection.is_half_open() {
                    tracing::debug!(peer = %connection.peer, "no call was made in time");
                    connection.close();
                },
            }
        });
    }

    /// Returns true if the connection has made no call yet; where tokens are needed, if the
    /// connection has shown no token.
    pub(crate) fn is_half_open(&self) -> bool {
        let tokens = self.state.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.half_open.is_some()
    }

    /// Records that a call was made that needs no token: the connection may stay.
    pub(crate) fn record_call(&self) {
        let mut tokens = self.state.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.half_open = None;
    }

    /// Begins a call. The connection is not idle until the returned value is dropped.
    pub(crate) fn begin_call(&self) -> OpenCall {
        let mut calls = self.state.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.n_open += 1;
        calls.idle = None;
        OpenCall(self.clone())
    }

    /// Records that a valid token was shown, which makes the connection an authenticated
    /// connection.
    pub(crate) fn present_token(&self, token: TokenId) -> TokenPresentation {
        let mut tokens = self.state.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.half_open = None;
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

impl Drop for OpenCall {
    fn drop(&mut self) {
        let Self(connection) = self;
        let state = &connection.state;
        let mut calls = state.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.n_open -= 1;
        // A half-open connection is in the other table.
        if calls.n_open == 0 && !connection.is_half_open() {
            calls.idle = Some(state.idle.add(connection.address(), state.closed.clone()));
        }
    }
}
