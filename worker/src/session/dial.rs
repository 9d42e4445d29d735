//! How a worker reaches a coordinator.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint, Uri};
use tonic::{Request, Status};

/// How long the connection may take to come about, and how long the handshake after it: a few round
/// trips to the other side of the world, with one packet lost.
const CONNECT_DEADLINE: Duration = Duration::from_secs(5);

/// A silence after which the peer is asked whether it is there, and how long it may take to
/// answer: a cut cable is noticed after the sum.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// A way to reach coordinators: [`TcpDialer`], or a network that a test makes up.
///
/// Each call gives a connection of its own, which is dropped with the session: a channel that
/// connects again by itself would do so without waiting.
#[tonic::async_trait]
pub trait Dialer: Send + Sync {
    /// A connection to the coordinator at `endpoint`.
    async fn dial(&self, endpoint: &str) -> Result<Channel, DialError>;

    /// What is shown to it with each call.
    fn credential(&self) -> CallCredentials {
        CallCredentials::default()
    }
}

/// A connection over which a credential is shown.
pub type AuthChannel = InterceptedService<Channel, CallCredentials>;

/// The token that is shown with each call, if there is one.
#[derive(Clone, Default)]
pub struct CallCredentials(Option<MetadataValue<Ascii>>);

impl CallCredentials {
    /// The token `secret`; `None` if a header can't have it.
    #[must_use]
    pub fn bearer(secret: &str) -> Option<Self> {
        let mut value: MetadataValue<Ascii> = format!("Bearer {secret}").parse().ok()?;
        value.set_sensitive(true);
        Some(Self(Some(value)))
    }
}

impl Interceptor for CallCredentials {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(value) = &self.0 {
            request.metadata_mut().insert("authorization", value.clone());
        }
        Ok(request)
    }
}

impl fmt::Debug for CallCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = if self.0.is_some() { "a token" } else { "nothing" };
        write!(f, "Credential({shown})")
    }
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
    #[error("{endpoint}: plain TCP is accepted on loopback only: use https://")]
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

/// Connections over TCP: with TLS to anywhere (`https`), without it on this machine only (`http`),
/// so that no token is ever readable on a network.
#[derive(Clone, Default)]
pub struct TcpDialer {
    tls: ClientTlsConfig,
    credential: CallCredentials,
}

impl TcpDialer {
    /// Connections that trust what `tls` says, and show `credential`.
    #[must_use]
    pub fn new(tls: ClientTlsConfig, credential: CallCredentials) -> Self {
        Self { tls, credential }
    }

    /// Checks that `endpoint` may be dialed at all.
    ///
    /// # Errors
    /// If it is neither an `https` URL nor an `http` URL of this machine.
    pub fn check(endpoint: &str) -> Result<(), DialError> {
        Self::scheme(endpoint).map(|_| ())
    }

    fn scheme(endpoint: &str) -> Result<UrlScheme, DialError> {
        let malformed = || DialError::Malformed { endpoint: endpoint.to_owned() };
        let uri: Uri = endpoint.parse().map_err(|_| malformed())?;
        let (scheme, host) = match (uri.scheme_str(), uri.host()) {
            (Some("https"), Some(host)) if !host.is_empty() => (UrlScheme::Tls, host),
            (Some("http"), Some(host)) => (UrlScheme::Plain, host),
            _ => return Err(malformed()),
        };
        let ip: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        match scheme == UrlScheme::Tls || ip.map_or(host == "localhost", |ip| ip.is_loopback()) {
            true => Ok(scheme),
            false => Err(DialError::NotLoopback { endpoint: endpoint.to_owned() }),
        }
    }
}

/// Whether a connection is encrypted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UrlScheme {
    Plain,
    Tls,
}

// What it holds is secret.
impl fmt::Debug for TcpDialer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TcpDialer").field("credential", &self.credential).finish_non_exhaustive()
    }
}

#[tonic::async_trait]
impl Dialer for TcpDialer {
    async fn dial(&self, endpoint: &str) -> Result<Channel, DialError> {
        let scheme = Self::scheme(endpoint)?;
        let unreachable = |source: tonic::transport::Error| DialError::Unreachable {
            endpoint: endpoint.to_owned(),
            source: Box::new(source),
        };
        let address = Endpoint::from_shared(endpoint.to_owned()).map_err(unreachable)?;
        let address = match scheme {
            UrlScheme::Plain => address,
            UrlScheme::Tls => {
                let tls = self.tls.clone().timeout(CONNECT_DEADLINE);
                address.tls_config(tls).map_err(unreachable)?
            }
        };
        let address = address
            .connect_timeout(CONNECT_DEADLINE)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
            .keep_alive_timeout(KEEPALIVE_TIMEOUT)
            .keep_alive_while_idle(true);
        address.connect().await.map_err(unreachable)
    }

    fn credential(&self) -> CallCredentials {
        self.credential.clone()
    }
}

/// One connection that is there already, such as one within this process; there is no second.
#[derive(Debug)]
pub struct PreconnectedDialer(
    // A dialer is shared, and what it has can be taken once.
    Mutex<Option<Channel>>,
);

impl PreconnectedDialer {
    /// The dialer that gives `channel` away.
    #[must_use]
    pub fn new(channel: Channel) -> Self {
        Self(Mutex::new(Some(channel)))
    }
}

#[tonic::async_trait]
impl Dialer for PreconnectedDialer {
    async fn dial(&self, endpoint: &str) -> Result<Channel, DialError> {
        let channel = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        channel.ok_or_else(|| DialError::UsedUp { endpoint: endpoint.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(endpoint: &str, expected: Result<(), &str>) {
        let checked = TcpDialer::check(endpoint).map_err(|error| error.to_string());
        match expected {
            Ok(()) => assert_eq!(checked, Ok(()), "{endpoint}"),
            Err(end) => assert!(checked.clone().unwrap_err().ends_with(end), "{checked:?}"),
        }
    }

    #[test]
    fn a_token_is_not_shown_to_people() {
        let secret = "hatchery_5ec2e7";
        let dial = TcpDialer::new(ClientTlsConfig::new(), CallCredentials::bearer(secret).unwrap());
        assert!(!format!("{dial:?}").contains(secret));
        let mut credential = dial.credential();
        let request = credential.call(Request::new(())).unwrap();
        assert!(!format!("{request:?}").contains(secret), "{request:?}");
        assert!(CallCredentials::bearer("two\nlines").is_none());
    }

    #[test]
    fn plain_tcp_stays_on_this_machine() {
        for endpoint in
            ["http://127.0.0.1:7700", "http://localhost:1", "http://[::1]:7700", "http://127.9.9.9"]
        {
            check(endpoint, Ok(()));
        }
        for endpoint in ["https://localhost:7700", "https://192.0.2.1", "https://farm.example:1"] {
            check(endpoint, Ok(()));
        }
        let loopback_only = Err("plain TCP is accepted on loopback only: use https://");
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
        for endpoint in ["", "127.0.0.1:7700", "localhost", "ftp://localhost", "http://", "\0"] {
            check(endpoint, malformed);
        }
    }
}
