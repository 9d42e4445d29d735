//! TLS: with the right authority, and with wrong authorities only.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use hatchery_store::RedisStore;
use hatchery_store::operation::ListRuns;
use hatchery_store::{Store, StoreError};
use hatchery_test_redis::Redis;

use super::play::{RUN, begin, chain};

/// Makes `NAME.key` and a certificate `NAME.crt` for this machine, which is its own authority.
fn certify(folder: &Path, name: &str) {
    let (key, certificate) = (format!("{name}.key"), format!("{name}.crt"));
    let mut openssl = Command::new("openssl");
    openssl.current_dir(folder).args(["req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"]);
    openssl.args(["-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=redis"]);
    openssl.args(["-addext", "subjectAltName=IP:127.0.0.1"]);
    // An authority may not be what it certifies.
    openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    let output = openssl.args(["-keyout", &key, "-out", &certificate]).output();
    let output = output.expect("openssl is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn a_connection_is_as_secure_as_its_url_says() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["right", "wrong"] {
        certify(folder.path(), name);
    }
    let path = |name: &str| folder.path().join(name).into_os_string().into_string().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let (key, certificate) = (path("right.key"), path("right.crt"));
    let _server = Redis::start_with(&[
        "--tls-port",
        &port,
        "--tls-auth-clients",
        "no",
        "--tls-key-file",
        &key,
        "--tls-cert-file",
        &certificate,
    ])
    .unwrap();
    let url = format!("rediss://127.0.0.1:{port}");
    let pem = |name: &str| std::fs::read(path(name)).unwrap();
    let store = RedisStore::open_trusting(&url, &pem("right.crt")).await.unwrap();
    let store = Store::new(store);
    begin(&store).await;
    assert_eq!(store.execute(ListRuns).await.unwrap(), [RUN]);
    for refused in [
        RedisStore::open(&url).await,
        RedisStore::open_trusting(&url, &pem("wrong.crt")).await,
        RedisStore::open_trusting(&url, b"no certificate").await,
    ] {
        let error = refused.expect_err("nobody vouches for this server");
        assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
        let said = chain(&error);
        assert!(said.contains("certificate") || said.contains("PEM"), "{said}");
    }
}
