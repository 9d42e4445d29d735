//! A server with TLS, and certificates for it.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use crate::Redis;

/// Makes `NAME.key` and a certificate `NAME.crt` for this machine, which is its own authority.
fn certify(folder: &Path, name: &str) {
    let (key, certificate) = (format!("{name}.key"), format!("{name}.crt"));
    let mut openssl = Command::new("openssl");
    openssl.current_dir(folder).args(["req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"]);
    openssl.args(["-pkeyopt", "ec_paramgen_curve:prime256v1"]);
    openssl.args(["-subj", &format!("/CN={name}")]);
    openssl.args(["-addext", "subjectAltName=IP:127.0.0.1"]);
    // An authority may not be what it certifies.
    openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    let output = openssl.args(["-keyout", &key, "-out", &certificate]).output();
    let output = output.expect("openssl is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A server with TLS on the port that is returned, with the certificate `right`. It takes only
/// clients with a certificate that `right` has signed, if it `asks_for_one`. The folder also gets
/// the certificate `wrong`.
///
/// # Panics
/// If openssl or redis-server is not installed, or redis-server has no TLS.
#[must_use]
pub fn server_with_tls(folder: &Path, asks_for_one: bool) -> (Redis, String) {
    for name in ["right", "wrong"] {
        certify(folder, name);
    }
    let path = |name: &str| folder.join(name).display().to_string();
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = free.expect("a port is free").port().to_string();
    let (key, certificate) = (path("right.key"), path("right.crt"));
    let server = Redis::start_with(&[
        "--tls-port",
        &port,
        "--tls-auth-clients",
        if asks_for_one { "yes" } else { "no" },
        "--tls-key-file",
        &key,
        "--tls-cert-file",
        &certificate,
        "--tls-ca-cert-file",
        &certificate,
    ]);
    (server.expect("redis-server has TLS"), format!("rediss://127.0.0.1:{port}"))
}
