//! The address of the server, and the client for it.

use redis::io::tcp::TcpSettings;
use redis::{Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, TlsCertificates};

use super::error::RedisFailure;
use crate::StoreError;

/// Returns a client for the server at `url`, and its address as it may be shown. With `authorities`
/// in PEM, the client trusts only these authorities.
pub(super) fn client(
    url: &str,
    authorities: Option<&[u8]>,
) -> Result<(Client, String), StoreError> {
    // The error of the crate might show parts of the URL.
    let info = url.into_connection_info().map_err(|_| StoreError::Unsuitable {
        place: "the Redis URL".to_owned(),
        what: "it is not of the form redis://[USER:PASSWORD@]HOST[:PORT][/DB]".to_owned(),
    })?;
    let is_tls = matches!(info.addr(), ConnectionAddr::TcpTls { .. });
    let scheme = if is_tls { "rediss" } else { "redis" };
    let place = format!("{scheme}://{}/{}", info.addr(), info.redis_settings().db());
    if is_tls {
        // Whoever chose another one for this process before may keep it.
        rustls::crypto::ring::default_provider().install_default().ok();
    }
    let client = build(info, authorities.filter(|_| is_tls));
    let client = client.map_err(|error| RedisFailure::from(error).at(&place))?;
    Ok((client, place))
}

fn build(info: ConnectionInfo, authorities: Option<&[u8]>) -> redis::RedisResult<Client> {
    // Without it, small calls wait for the acknowledgment of the one before.
    let info = info.set_tcp_settings(TcpSettings::default().set_nodelay(true));
    match authorities {
        None => Client::open(info),
        Some(pem) => {
            let root_cert = Some(pem.to_owned());
            Client::build_with_tls(info, TlsCertificates { client_tls: None, root_cert })
        }
    }
}
