//! How a worker reaches a coordinator.

use std::error::Error;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tonic::transport::{Channel, Endpoint, Uri};

/// How long the connection may take to come about: a few round trips to the other side of the
/// world, with one packet lost.
const CONNECT_DEADLINE: Duration = Duration::from_secs(5);

/// A silence after which the peer is asked whether it is there, and how long it may take to
/// answer: a cut cable is noticed after the sum.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// A way to reach coordinators: [`TcpDial`], or a network that a test makes up.
///
/// Each call gives a connection of its own, which is dropped with the session: a channel that
/// connects again by itself would do so without waiting.
#[tonic::async_trait]
pub trait Dial: Send + Sync {
    /// A connection to the coordinator at `endpoint`.
    async fn dial(&self, endpoint: &str) -> Result<Channel, DialError>;
}

/// Why a coordinator is not reached.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    /// The endpoint is no URL of a host.
    #[error("{endpoint:?} is not a coordinator's address, such as http://127.0.0.1:7700")]
    Malformed {
        /// The endpoint.
        endpoint: String,
    },
    /// The endpoint is not on this machine.
    #[error("{endpoint}: plain TCP is accepted on loopback only")]
    NotLoopback {
        /// The endpoint.
        endpoint: String,
    },
    /// Nobody answers there.
    #[error("{endpoint} can't be reached")]
    Unreachable {
        /// The endpoint.
        endpoint: String,
        /// What the network says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The one connection that there was is used up.
    #[error("{endpoint} is gone for good")]
    UsedUp {
        /// The endpoint.
        endpoint: String,
    },
}

/// Connections over TCP, without encryption: on this machine only.
#[derive(Clone, Copy, Debug)]
pub struct TcpDial;

impl TcpDial {
    /// Checks that `endpoint` may be dialed at all.
    ///
    /// # Errors
    /// If it is no `http` URL, or not on this machine.
    pub fn check(endpoint: &str) -> Result<(), DialError> {
        let malformed = || DialError::Malformed { endpoint: endpoint.to_owned() };
        let uri: Uri = endpoint.parse().map_err(|_| malformed())?;
        // The place for `https`, which may go anywhere.
        let (Some("http"), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err(malformed());
        };
        let ip: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        match ip.map_or(host == "localhost", |ip| ip.is_loopback()) {
            true => Ok(()),
            false => Err(DialError::NotLoopback { endpoint: endpoint.to_owned() }),
        }
    }
}

#[tonic::async_trait]
impl Dial for TcpDial {
    async fn dial(&self, endpoint: &str) -> Result<Channel, DialError> {
        Self::check(endpoint)?;
        let unreachable = |source: tonic::transport::Error| DialError::Unreachable {
            endpoint: endpoint.to_owned(),
            source: Box::new(source),
        };
        let address = Endpoint::from_shared(endpoint.to_owned()).map_err(unreachable)?;
        let address = address
            .connect_timeout(CONNECT_DEADLINE)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
            .keep_alive_timeout(KEEPALIVE_TIMEOUT)
            .keep_alive_while_idle(true);
        address.connect().await.map_err(unreachable)
    }
}

/// One connection that is there already, such as one within this process; there is no second.
#[derive(Debug)]
pub struct Connected(
    // A dialer is shared, and what it has can be taken once.
    Mutex<Option<Channel>>,
);

impl Connected {
    /// The dialer that gives `channel` away.
    #[must_use]
    pub fn new(channel: Channel) -> Self {
        Self(Mutex::new(Some(channel)))
    }
}

#[tonic::async_trait]
impl Dial for Connected {
    async fn dial(&self, endpoint: &str) -> Result<Channel, DialError> {
        let channel = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        channel.ok_or_else(|| DialError::UsedUp { endpoint: endpoint.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(endpoint: &str, expected: Result<(), &str>) {
        let checked = TcpDial::check(endpoint).map_err(|error| error.to_string());
        match expected {
            Ok(()) => assert_eq!(checked, Ok(()), "{endpoint}"),
            Err(end) => assert!(checked.clone().unwrap_err().ends_with(end), "{checked:?}"),
        }
    }

    #[test]
    fn plain_tcp_stays_on_this_machine() {
        for endpoint in
            ["http://127.0.0.1:7700", "http://localhost:1", "http://[::1]:7700", "http://127.9.9.9"]
        {
            check(endpoint, Ok(()));
        }
        let loopback_only = Err("plain TCP is accepted on loopback only");
        for endpoint in [
            "http://192.168.0.1:7700",
            "http://farm.example:7700",
            "http://localhost.example",
            "http://127.0.0.1.example:1",
            "http://127.0.0.1@evil.example:1",
            "http://[2001:db8::1]:7700",
        ] {
            check(endpoint, loopback_only);
        }
        let malformed = Err("is not a coordinator's address, such as http://127.0.0.1:7700");
        for endpoint in ["", "127.0.0.1:7700", "localhost", "https://localhost", "http://", "\0"] {
            check(endpoint, malformed);
        }
    }
}
