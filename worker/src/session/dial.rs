//! Ways to reach a coordinator.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hatchery_proto::v1::worker_plane_client::WorkerPlaneClient;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint, Uri};
use tonic::{Request, Status};

/// The longest time to connect, and the longest time for the TLS handshake after it: a few round
/// trips to the other side of the world, with one packet lost.
const CONNECT_DEADLINE: Duration = Duration::from_secs(5);

/// The silence after which the peer is pinged, and the longest wait for its answer: a cut cable is
/// noticed after the sum of both.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// A way to reach coordinators: [`TcpDialer`], or the simulated network of a test.
///
/// Each call returns a new connection, which is dropped with the session: a channel that reconnects
/// by itself would do so without waiting.
#[tonic::async_trait]
pub trait Dialer: Send + Sync {
    /// Connects to the coordinator at `endpoint`.
    async fn dial(&self, endpoint: &str) -> Result<Channel, DialError>;

    /// Returns the credentials that each call carries.
    fn credentials(&self) -> CallCredentials {
        CallCredentials::default()
    }
}

/// A connection that adds credentials to each call.
pub type AuthChannel = InterceptedService<Channel, CallCredentials>;

/// The way to make calls beside a session.
#[derive(Clone, Debug)]
pub(crate) struct SessionCalls {
    pub(super) client: WorkerPlaneClient<AuthChannel>,
    /// The id of the session.
    pub(super) session: Vec<u8>,
}

/// The bearer token that each call carries, if there is one.
#[derive(Clone, Default)]
pub struct CallCredentials(Option<MetadataValue<Ascii>>);

impl CallCredentials {
    /// The credentials with the token `secret`; `None` if it does not fit into a header.
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
        let content = if self.0.is_some() { "a token" } else { "nothing" };
        write!(f, "CallCredentials({content})")
    }
}

/// The reason for which a coordinator cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    /// The endpoint is not the URL of a host.
    #[error("{endpoint:?} is not a coordinator's address, such as http://127.0.0.1:7700")]
    Malformed {
        /// The endpoint.
        endpoint: String,
    },
    /// The endpoint's port is not a number from 1 to 65535.
    #[error("{endpoint:?}: the port is {port:?}, but must be from 1 to 65535")]
    BadPort {
        /// The endpoint.
        endpoint: String,
        /// The text after the colon.
        port: String,
    },
    /// The endpoint is not on this machine.
    #[error("{endpoint}: plain TCP is accepted on loopback only: use https://")]
    NotLoopback {
        /// The endpoint.
        endpoint: String,
    },
    /// No coordinator answers at the endpoint.
    #[error("cannot reach {endpoint}")]
    Unreachable {
        /// The endpoint.
        endpoint: String,
        /// The error of the network.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The only connection was used before.
    #[error("the only connection to {endpoint} is used up")]
    UsedUp {
        /// The endpoint.
        endpoint: String,
    },
}

/// Connects over TCP: with TLS to any machine (`https`), without it to this machine only (`http`),
/// so that no token can be read on a network.
#[derive(Clone, Default)]
pub struct TcpDialer {
    tls: ClientTlsConfig,
    credentials: CallCredentials,
}

impl TcpDialer {
    /// A dialer that verifies coordinators with `tls` and adds `credentials` to each call.
    #[must_use]
    pub fn new(tls: ClientTlsConfig, credentials: CallCredentials) -> Self {
        Self { tls, credentials }
    }

    /// Returns the URL of a coordinator as a person gives it. The person may leave out the scheme:
    /// `http` on this machine, and `https` on other machines. Nothing is checked.
    #[must_use]
    pub fn url(given: &str) -> String {
        let given = given.trim();
        let local = format!("http://{given}");
        match given {
            given if given.is_empty() || given.contains("://") => given.to_owned(),
            _ if Self::check(&local).is_ok() => local,
            given => format!("https://{given}"),
        }
    }

    /// Checks that `endpoint` may be dialed.
    ///
    /// # Errors
    /// If the endpoint is neither an `https` URL nor an `http` URL whose host is
    /// `localhost` or a loopback address, or if its port is not a number from 1 to 65535.
    pub fn check(endpoint: &str) -> Result<(), DialError> {
        Self::scheme(endpoint).map(|_| ())
    }

    fn scheme(endpoint: &str) -> Result<UrlScheme, DialError> {
        let malformed = || DialError::Malformed { endpoint: endpoint.to_owned() };
        let uri: Uri = endpoint.parse().map_err(|_| malformed())?;
        let (scheme, host) = match (uri.scheme_str(), uri.host()) {
            (Some("https"), Some(host)) if !host.is_empty() => (UrlScheme::Https, host),
            (Some("http"), Some(host)) => (UrlScheme::Http, host),
            _ => return Err(malformed()),
        };
        // A port that does not fit would be taken for none, and so for the usual one.
        if let Some(port) = port_text(&uri)
            && (uri.port_u16().unwrap_or(0) == 0 || !port.bytes().all(|c| c.is_ascii_digit()))
        {
            return Err(DialError::BadPort {
                endpoint: endpoint.to_owned(),
                port: port.to_owned(),
            });
        }
        let ip: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        match scheme == UrlScheme::Https || ip.map_or(host == "localhost", |ip| ip.is_loopback()) {
            true => Ok(scheme),
            false => Err(DialError::NotLoopback { endpoint: endpoint.to_owned() }),
        }
    }
}

/// Returns what a URL has in the place of a port, if it has a colon there.
fn port_text(uri: &Uri) -> Option<&str> {
    let authority = uri.authority()?.as_str();
    let host_on = authority.rsplit_once('@').map_or(authority, |(_, host_on)| host_on);
    let after_host = host_on.rsplit_once(']').map_or(host_on, |(_, after)| after);
    after_host.split_once(':').map(|(_, port)| port)
}

/// The scheme of an endpoint's URL.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UrlScheme {
    /// Plain TCP.
    Http,
    /// TLS.
    Https,
}

// Its fields are secrets.
impl fmt::Debug for TcpDialer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TcpDialer").field("credentials", &self.credentials).finish_non_exhaustive()
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
            UrlScheme::Http => address,
            UrlScheme::Https => {
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

    fn credentials(&self) -> CallCredentials {
        self.credentials.clone()
    }
}

/// A dialer with one connection that exists already, such as one within this process.
#[derive(Debug)]
pub struct PreconnectedDialer(
    // Behind a lock, as a dialer is shared and the connection can be taken once.
    Mutex<Option<Channel>>,
);

impl PreconnectedDialer {
    /// A dialer that returns `channel` once.
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
        let dialer =
            TcpDialer::new(ClientTlsConfig::new(), CallCredentials::bearer(secret).unwrap());
        assert!(!format!("{dialer:?}").contains(secret));
        let mut credentials = dialer.credentials();
        let request = credentials.call(Request::new(())).unwrap();
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
        for (given, url) in [
            ("127.0.0.1:7700", "http://127.0.0.1:7700"),
            (" localhost:7700", "http://localhost:7700"),
            ("[::1]:7700", "http://[::1]:7700"),
            ("farm.example:7700", "https://farm.example:7700"),
            ("192.0.2.1", "https://192.0.2.1"),
            ("127.0.0.1@evil.example:1", "https://127.0.0.1@evil.example:1"),
            ("http://farm.example:7700", "http://farm.example:7700"),
            (" ", ""),
        ] {
            assert_eq!(TcpDialer::url(given), url);
        }
        let malformed = Err("is not a coordinator's address, such as http://127.0.0.1:7700");
        for endpoint in ["", "127.0.0.1:7700", "localhost", "ftp://localhost", "http://", "\0"] {
            check(endpoint, malformed);
        }
    }

    #[test]
    fn a_port_that_is_none_is_refused() {
        for (endpoint, port) in [
            ("http://127.0.0.1:99999", "99999"),
            ("https://farm.example:65536", "65536"),
            ("http://[::1]:65536", "65536"),
            ("http://localhost:", ""),
            ("https://name@farm.example:", ""),
            ("https://farm.example:0", "0"),
        ] {
            check(endpoint, Err(&format!("the port is {port:?}, but must be from 1 to 65535")));
        }
    }
}
