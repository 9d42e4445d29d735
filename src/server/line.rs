//! What is known of a connection besides its bytes.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, watch};

use crate::access::secret::TokenId;

/// The most tokens that are shown over one connection, as by a proxy that many share.
const MAX_TOKENS: usize = 64;

/// A connection, for those who judge what comes over it. Clones are the same connection.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    peer: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Whether it is over.
    over: watch::Sender<bool>,
    /// Who has come in; calls over one connection are judged at the same time.
    guests: Mutex<Guests>,
}

#[derive(Debug)]
struct Guests {
    /// The place among strangers, until a token is shown.
    stranger: Option<OwnedSemaphorePermit>,
    tokens: Vec<TokenId>,
}

/// Whether a token was shown over the same connection before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    First,
    Before,
    /// There are too many already.
    Many,
}

impl Line {
    /// The connection to `peer`, which takes a place among strangers if they have to show something.
    pub(crate) fn new(peer: SocketAddr, stranger: Option<OwnedSemaphorePermit>) -> Self {
        let guests = Mutex::new(Guests { stranger, tokens: Vec::new() });
        Self { peer, shared: Arc::new(Shared { over: watch::Sender::new(false), guests }) }
    }

    /// Who is at the other end.
    pub(crate) fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// Ends the connection, whatever is on its way.
    pub(crate) fn cut(&self) {
        self.shared.over.send_replace(true);
    }

    /// Resolves when the connection is over.
    pub(crate) fn over(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut over = self.shared.over.subscribe();
        async move {
            // Nobody is left who could use it otherwise.
            over.wait_for(|&over| over).await.map(|_| ()).unwrap_or_default();
        }
    }

    /// Ends the connection of one who is still a stranger after `time`.
    pub(crate) fn expect_token_within(&self, time: Duration) {
        let line = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = line.over() => {}
                () = tokio::time::sleep(time) => if line.is_stranger() {
                    tracing::debug!(peer = %line.peer, "no token was shown in time");
                    line.cut();
                },
            }
        });
    }

    /// Whether it has a place among strangers.
    pub(crate) fn is_stranger(&self) -> bool {
        self.shared.guests.lock().unwrap_or_else(PoisonError::into_inner).stranger.is_some()
    }

    /// A token was shown that is good: this is no stranger any more.
    pub(crate) fn show(&self, token: TokenId) -> Shown {
        let mut guests = self.shared.guests.lock().unwrap_or_else(PoisonError::into_inner);
        guests.stranger = None;
        if guests.tokens.contains(&token) {
            return Shown::Before;
        }
        if guests.tokens.len() == MAX_TOKENS {
            return Shown::Many;
        }
        guests.tokens.push(token);
        Shown::First
    }
}
