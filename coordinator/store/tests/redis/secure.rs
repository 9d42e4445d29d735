//! TLS: with the right authority, and with wrong authorities only.

use hatchery_store::operation::ListRuns;
use hatchery_store::{PartDirectoryOptions, RedisOptions, RedisStore};
use hatchery_store::{Store, StoreError};
use hatchery_test_redis::server_with_tls;

use super::play::{RUN, begin, chain};

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
