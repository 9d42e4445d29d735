//! A farm on a network: certificates of `hatchery pki init`, on one side or on both.

use std::fs::Permissions;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Instant;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use hatchery_test_redis::{PATIENCE, server_with_tls};

use crate::guarded::{Guarded, TOKENS, fail, farm, succeed};
use crate::harness::{Farm, RUN};
use crate::metrics::{get, value};
use crate::process::{Process, until};

/// The TLS files of a coordinator, and of its clients.
const SERVER: [&str; 4] = ["--tls-cert", "pki/server.pem", "--tls-key", "pki/server.key"];
const CLIENT: [&str; 2] = ["--ca", "pki/ca.pem"];
const OWN: [&str; 4] = ["--tls-cert", "pki/worker.pem", "--tls-key", "pki/worker.key"];

/// A farm that listens everywhere, as `hatchery pki init` and `hatchery token` prepare it.
fn on_a_network(more: &[&str]) -> Guarded {
    let farm = farm();
    succeed(&farm, &["pki", "init", "pki", "--host", "localhost,127.0.0.1"]);
    let everywhere = ["--listen", "0.0.0.0:0", "--metrics", "0.0.0.0:0"];
    Guarded::with(farm, &[&everywhere, &SERVER[..], more].concat())
}

/// A worker and a run, with these arguments to reach the coordinator: its digest is the laptop's.
fn compute(guarded: &mut Guarded, reach: &[&str]) {
    let worker = guarded.as_("lab", &[&["worker", "--slots", "1"], reach].concat());
    let worker = Process::start("worker", &mut guarded.farm.hatchery(&worker));
    let submit = ["submit", RUN.preset, "--set", RUN.set[0], "--wait", "--output", "json"];
    let submit = guarded.as_("ada", &[&submit, reach].concat());
    let submitted = Process::start("submit", &mut guarded.farm.hatchery(&submit));
    let document = guarded.farm.finish(submitted);
    assert_eq!(document["digest"], RUN.digest());
    let begun = Instant::now() - PATIENCE;
    worker.wait_for(begun, PATIENCE, |line| line.contains("connected"));
}

/// The status of a page over TLS, with a token or without, and the page.
fn get_tls(farm: &Farm, address: &str, path: &str, token: Option<&str>) -> (u16, String) {
    let ca = std::fs::read(farm.path().join("pki/ca.pem")).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(&ca).unwrap()).unwrap();
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let name = "127.0.0.1".try_into().unwrap();
    let tls = ClientConnection::new(Arc::new(config), name).unwrap();
    let tcp = TcpStream::connect(address).unwrap();
    tcp.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut stream = StreamOwned::new(tls, tcp);
    let secret = token.map(|name| {
        let secret = std::fs::read_to_string(farm.path().join(format!("{name}.token"))).unwrap();
        format!("Authorization: Bearer {}\r\n", secret.trim())
    });
    let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    write!(stream, "{head}{}\r\n", secret.unwrap_or_default()).unwrap();
    let mut answer = Vec::new();
    // The end of the stream need not be a proper one.
    stream.read_to_end(&mut answer).map(|_| ()).unwrap_or(());
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

#[test]
fn a_farm_on_a_network_computes_what_a_laptop_does() {
    let mut guarded = on_a_network(&[]);
    assert!(guarded.url.starts_with("https://"), "{}", guarded.url);
    compute(&mut guarded, &CLIENT);
    // Nobody is trusted whom nobody vouches for.
    let said = fail(&guarded.farm, 10, &guarded.as_("ada", &["list"]));
    assert!(said.contains("UnknownIssuer"), "{said}");
    let plain = guarded.url.replace("https", "http");
    fail(&guarded.farm, 10, &["list", "--coordinator", &plain, "--token-file", "ada.token"]);
    let other = guarded.url.replace("127.0.0.1", "127.0.0.2");
    let args = ["list", "--coordinator", &other, "--token-file", "ada.token"];
    let said = fail(&guarded.farm, 10, &[&args[..], &CLIENT].concat());
    assert!(said.contains("not valid for name"), "{said}");
    for secret in guarded.secrets() {
        assert!(!guarded.log().contains(&secret));
    }
}

#[test]
fn metrics_on_a_network_are_for_those_with_a_token() {
    let guarded = on_a_network(&[]);
    let status = |path: &str, token| get_tls(&guarded.farm, &guarded.metrics, path, token).0;
    for path in ["/metrics", "/desired_workers", "/else"] {
        assert_eq!(status(path, None), 401, "{path}");
        assert_eq!(status(path, Some("old")), 401, "{path}");
        assert_eq!(status(path, Some("stranger")), 401, "{path}");
        assert_eq!(status(path, Some("lab")), 403, "{path}");
    }
    for path in ["/metrics", "/desired_workers"] {
        assert_eq!(status(path, Some("eve")), 200, "{path}");
        assert_eq!(status(path, Some("ada")), 200, "{path}");
    }
    until("it is ready", || status("/readyz", None) == 200);
    assert_eq!(status("/healthz", None), 200);
    assert_eq!(get(&guarded.metrics, "/metrics"), None, "nothing is said without TLS");
    let (_, text) = get_tls(&guarded.farm, &guarded.metrics, "/metrics", Some("eve"));
    let missing = value(&text, "hatchery_auth_failures_total{reason=\"missing\"}");
    assert_eq!(missing, Some(3.0), "{text}");
}

#[test]
fn metrics_are_open_to_all_if_that_is_said() {
    let guarded = on_a_network(&["--metrics-open"]);
    assert_eq!(get(&guarded.metrics, "/metrics").unwrap().0, 200);
}

#[test]
fn both_sides_can_have_certificates() {
    let mut guarded = on_a_network(&["--client-ca", "pki/ca.pem", "--metrics-open"]);
    let own = [&CLIENT[..], &OWN].concat();
    compute(&mut guarded, &own);
    let without = guarded.as_("ada", &[&["list"], &CLIENT[..]].concat());
    fail(&guarded.farm, 10, &without);
    let series = "hatchery_auth_failures_total{reason=\"certificate\"}";
    until("it is counted", || {
        value(&get(&guarded.metrics, "/metrics").unwrap().1, series) > Some(0.0)
    });
    // A certificate is not enough.
    let args = [&["list", "--coordinator", &guarded.url], &own[..]].concat();
    fail(&guarded.farm, 11, &args);
}

#[test]
fn certificates_are_not_written_over() {
    let farm = farm();
    let init = ["pki", "init", "pki", "--host", "localhost"];
    succeed(&farm, &init);
    let before = std::fs::read(farm.path().join("pki/ca.key")).unwrap();
    fail(&farm, 3, &init);
    assert_eq!(std::fs::read(farm.path().join("pki/ca.key")).unwrap(), before);
}

/// The certificate that a server shows.
fn shown(farm: &Farm, address: &str) -> Vec<u8> {
    let ca = std::fs::read(farm.path().join("pki/ca.pem")).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(&ca).unwrap()).unwrap();
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let mut tls = ClientConnection::new(Arc::new(config), "127.0.0.1".try_into().unwrap()).unwrap();
    let mut tcp = TcpStream::connect(address).unwrap();
    tcp.set_read_timeout(Some(PATIENCE)).unwrap();
    tls.complete_io(&mut tcp).unwrap();
    tls.peer_certificates().unwrap()[0].to_vec()
}

/// The certificate in a file.
fn stored(farm: &Farm, path: &str) -> Vec<u8> {
    let pem = std::fs::read(farm.path().join(path)).unwrap();
    CertificateDer::from_pem_slice(&pem).unwrap().to_vec()
}

#[test]
fn certificates_are_replaced_without_a_restart() {
    let mut guarded = on_a_network(&[]);
    let grpc = guarded.url.strip_prefix("https://").unwrap().to_owned();
    let worker = guarded.as_("lab", &[&["worker", "--slots", "1"], &CLIENT[..]].concat());
    let worker = Process::start("worker", &mut guarded.farm.hatchery(&worker));
    let begun = Instant::now() - PATIENCE;
    worker.wait_for(begun, PATIENCE, |line| line.contains("connected"));
    let expiry = || {
        let (_, text) = get_tls(&guarded.farm, &guarded.metrics, "/metrics", Some("eve"));
        value(&text, "hatchery_certificate_expires_timestamp_seconds").unwrap()
    };
    let first = expiry();
    assert!(first > 1.7e9, "{first}");

    // A new certificate is shown to new connections, and the session goes on.
    let issue = ["pki", "issue", "pki", "--name", "server", "--host", "localhost,127.0.0.1"];
    let said = fail(&guarded.farm, 2, &issue);
    assert!(said.contains("--replace"), "{said}");
    let old = stored(&guarded.farm, "pki/server.pem");
    succeed(&guarded.farm, &[&issue[..], &["--replace"]].concat());
    let new = stored(&guarded.farm, "pki/server.pem");
    assert!(old != new);
    for address in [&grpc, &guarded.metrics] {
        until("it is shown", || shown(&guarded.farm, address) == new);
    }
    assert!(first <= expiry());

    // A file that cannot be used changes nothing, and is named once.
    let path = guarded.farm.path().join("pki/server.pem");
    std::fs::write(&path, "no certificate").unwrap();
    guarded.wait_for("server.pem holds no certificate in PEM format");
    assert_eq!(shown(&guarded.farm, &grpc), new);
    std::fs::remove_file(path).unwrap();
    guarded.wait_for("No such file");
    succeed(&guarded.farm, &[&issue[..], &["--replace"]].concat());
    let newer = stored(&guarded.farm, "pki/server.pem");
    until("it is shown", || shown(&guarded.farm, &grpc) == newer);
    let n_logged = |words: &str| guarded.log().matches(words).count();
    until("both are logged", || n_logged("certificates reloaded") == 2);
    assert_eq!(n_logged("holds no certificate"), 1);
    let connected = worker.lines().iter().filter(|line| line.contains(": connected")).count();
    assert_eq!(connected, 1, "{:?}", worker.lines());
    compute(&mut guarded, &CLIENT);
}

/// A worker that runs for months connects to coordinators of an authority that is younger.
#[test]
fn a_worker_reads_its_authority_when_it_reconnects() {
    let mut guarded = on_a_network(&[]);
    let worker = guarded.as_("lab", &[&["worker", "--slots", "1"], &CLIENT[..]].concat());
    let worker = Process::start("worker", &mut guarded.farm.hatchery(&worker));
    let connected = |line: &str| line.contains(": connected");
    worker.wait_for(Instant::now() - PATIENCE, PATIENCE, connected);
    succeed(&guarded.farm, &["pki", "init", "new", "--host", "localhost,127.0.0.1"]);
    for file in ["ca.pem", "server.key", "server.pem"] {
        let path = guarded.farm.path();
        std::fs::copy(path.join("new").join(file), path.join("pki").join(file)).unwrap();
    }
    guarded.wait_for("certificates reloaded");
    let (address, redis) = (guarded.url.replace("https://", ""), guarded.farm.redis.url());
    let begun = Instant::now();
    guarded.farm.coordinators[0].1.kill();
    let args = ["coordinator", "--redis", &redis, "--listen", &address];
    let args = [&args[..], &TOKENS, &SERVER].concat();
    guarded.farm.coordinators[0].1 =
        Process::start("coordinator", &mut guarded.farm.hatchery(&args));
    worker.wait_for(begun, PATIENCE, connected);
}

/// Port scans and probes that come and go leave no place taken, although there are more probes than
/// an address has places, and the time for their handshakes is not over. In between, a client that
/// stays gets in.
#[test]
fn handshakes_that_end_early_take_no_place() {
    let guarded = on_a_network(&[]);
    let address = guarded.url.strip_prefix("https://").unwrap();
    for _ in 0..12 {
        for _ in 0..100 {
            drop(TcpStream::connect(address).unwrap());
        }
        shown(&guarded.farm, address);
    }
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(b"no handshake\r\n").unwrap();
    let mut answer = Vec::new();
    // An alert, a reset, or the end: whatever it is, it is an answer, and not the deadline.
    if let Err(error) = stream.read_to_end(&mut answer) {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "{answer:?}");
    }
    assert!(!guarded.log().contains("too many half-open connections"), "{}", guarded.log());
}

/// A farm whose Redis has an authority of its own and asks for a certificate; the address is in a
/// file, so that no list of processes has its password.
#[test]
fn a_redis_with_its_own_authority() {
    let mut farm = Farm::start(0, 0);
    let (redis, url) = server_with_tls(farm.path(), true);
    farm.redis = redis;
    std::fs::create_dir(farm.path().join("parts")).unwrap();
    let file = farm.path().join("redis.url");
    std::fs::write(&file, format!("{url}/0\n")).unwrap();
    std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    let base = ["coordinator", "--listen", "127.0.0.1:0", "--parts", "parts"];
    let flags = ["--redis-ca", "right.crt", "--redis-cert", "right.crt", "--redis-key"];
    let args = [&base[..], &["--redis-file", "redis.url"], &flags, &["right.key"]].concat();
    let coordinator = farm.ready_coordinator(&mut farm.hatchery(&args));
    farm.coordinators.push(coordinator);
    let mut by_variables = farm.hatchery(&base);
    by_variables.envs([
        ("HATCHERY_REDIS", &*url),
        ("HATCHERY_REDIS_CA", "right.crt"),
        ("HATCHERY_REDIS_CERT", "right.crt"),
        ("HATCHERY_REDIS_KEY", "right.key"),
    ]);
    let coordinator = farm.ready_coordinator(&mut by_variables);
    farm.coordinators.push(coordinator);
    farm.add_worker();
    let submitted = farm.submit(RUN);
    assert_eq!(farm.finish(submitted)["digest"], RUN.digest());
    let args = [&base[..], &["--redis", &url, "--redis-ca", "wrong.crt"]].concat();
    let said = fail(&farm, 10, &args);
    assert!(said.contains("no trusted authority has signed the server's certificate"), "{said}");
}
