//! TLS: with the right authority, and with wrong authorities only.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use hatchery_store::operation::ListRuns;
use hatchery_store::{PartDirectoryOptions, RedisOptions, RedisStore};
use hatchery_store::{Store, StoreError};
use hatchery_test_redis::Redis;

use super::play::{RUN, begin, chain};

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
/// clients with a certificate that `right` has signed, if it `asks_for_one`.
fn server_with_tls(folder: &Path, asks_for_one: bool) -> (Redis, String) {
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

/// Checks that a connection with these options is refused, and that the error says `expected`.
async fn refused(options: &RedisOptions, expected: &str) {
    let error = RedisStore::open_with(options).await.expect_err("the certificates do not fit");
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
    let said = chain(&error);
    assert!(said.contains(expected), "{said}");
}

#[tokio::test]
async fn a_connection_is_as_secure_as_its_url_says() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, url) = server_with_tls(folder.path(), false);
    let pem = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let options = RedisOptions::new(&url);
    let store = RedisStore::open_with(&options.clone().trusting(&pem("right.crt"))).await.unwrap();
    let store = Store::new(store);
    begin(&store).await;
    assert_eq!(store.execute(ListRuns).await.unwrap(), [RUN]);
    refused(&options, "no trusted authority has signed the server's certificate").await;
    refused(
        &options.clone().trusting(&pem("wrong.crt")),
        "no trusted authority has signed the server's certificate",
    )
    .await;
    let other_name = url.replace("127.0.0.1", "localhost");
    refused(
        &RedisOptions::new(&other_name).trusting(&pem("right.crt")),
        "the server's certificate is for another name",
    )
    .await;
}

/// As redis-server does without `tls-auth-clients no`.
#[tokio::test]
async fn a_server_may_ask_for_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, url) = server_with_tls(folder.path(), true);
    let pem = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let options = RedisOptions::new(&url).trusting(&pem("right.crt"));
    let known = options.clone().showing(&pem("right.crt"), &pem("right.key"));
    let parts = folder.path().join("parts");
    std::fs::create_dir(&parts).unwrap();
    let directory = PartDirectoryOptions::new(&parts);
    let store = RedisStore::open_with(&known.with_parts_in(directory)).await.unwrap();
    begin(&Store::new(store)).await;
    refused(&options, "the server asks for a client certificate").await;
    let unknown = options.clone().showing(&pem("wrong.crt"), &pem("wrong.key"));
    refused(&unknown, "the server does not accept the client certificate").await;
    let mixed = options.showing(&pem("right.crt"), &pem("wrong.key"));
    refused(&mixed, "the key does not belong to the client certificate").await;
}
