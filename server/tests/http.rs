//! Responses of the pages over HTTP, byte for byte.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use hatchery_coordinator::{Coordinator, CoordinatorConfig};
use hatchery_core::erased::Catalog;
use hatchery_server::http::{self, HttpAccess, HttpServer, MonitoredProcess};
use hatchery_server::{
    BoundListener, LoadedSecurity, MetricsAccess, TlsFiles, TokenEntry, TokenRole, TokenSecret,
    pki, token_file,
};
use hatchery_store::{EmbeddedStore, Store};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// A process in a state that does not change.
struct Stub {
    is_ready: bool,
    is_alive: bool,
    desired_workers: Option<u32>,
}

impl MonitoredProcess for Stub {
    fn metrics(&self) -> String {
        "# EOF\n".to_owned()
    }

    fn is_ready(&self) -> bool {
        self.is_ready
    }

    fn is_alive(&self) -> bool {
        self.is_alive
    }

    fn desired_workers(&self) -> Option<u32> {
        self.desired_workers
    }
}

const COORDINATOR: Stub = Stub { is_ready: true, is_alive: true, desired_workers: Some(7) };
const WORKER: Stub = Stub { is_ready: false, is_alive: true, desired_workers: None };
const DEAD: Stub = Stub { is_alive: false, ..WORKER };

async fn serve(access: HttpAccess, process: Stub) -> (HttpServer, SocketAddr) {
    let listener = BoundListener::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let address = listener.address();
    (http::serve(listener, access, http::monitoring(process)), address)
}

/// A page: its status, its own headers and its body.
struct Page(&'static str, &'static str, &'static str);

const METRICS: Page = Page(
    "200 OK",
    "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8",
    "# EOF\n",
);
const ALIVE: Page = Page("200 OK", "content-type: text/plain; charset=utf-8", "alive\n");
const READY: Page = Page("200 OK", "content-type: text/plain; charset=utf-8", "ready\n");
const NOT_ALIVE: Page =
    Page("503 Service Unavailable", "content-type: text/plain; charset=utf-8", "dead\n");
const NOT_READY: Page =
    Page("503 Service Unavailable", "content-type: text/plain; charset=utf-8", "not ready\n");
const SEVEN_WORKERS: Page =
    Page("200 OK", "content-type: application/json", "{\"desired_workers\":7}\n");
const NO_PAGE: Page =
    Page("404 Not Found", "content-type: text/plain; charset=utf-8", "no such page\n");
const ONLY_GET: Page = Page(
    "405 Method Not Allowed",
    "content-type: text/plain; charset=utf-8\r\nallow: GET, HEAD",
    "only GET\n",
);
const UNAUTHORIZED: Page = Page(
    "401 Unauthorized",
    "content-type: text/plain; charset=utf-8\r\nwww-authenticate: Bearer",
    "a viewer's or an operator's token is needed\n",
);
const FORBIDDEN: Page = Page(
    "403 Forbidden",
    "content-type: text/plain; charset=utf-8",
    "a viewer's or an operator's token is needed\n",
);

/// Sends the first line and one header of a request, and checks the bytes of the response, its date
/// aside.
async fn check(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    request: &str,
    header: &str,
    page: Page,
) {
    let head = format!("{request} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n{header}\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut found = String::new();
    stream.read_to_string(&mut found).await.unwrap();
    let is_date = |line: &&str| line.starts_with("date: ") && line.ends_with(" GMT\r\n");
    let (date, rest): (Vec<_>, Vec<_>) = found.split_inclusive('\n').partition(is_date);
    assert_eq!(date.len(), 1, "{found}");
    let Page(status, headers, body) = page;
    let length = body.len();
    let sent = if request.starts_with("HEAD ") { "" } else { body };
    let expected = format!(
        "HTTP/1.1 {status}\r\n{headers}\r\nconnection: close\r\n\
         content-length: {length}\r\n\r\n{sent}"
    );
    assert_eq!(rest.concat(), expected, "{request}");
}

#[tokio::test]
async fn each_path_has_its_page() {
    let (_coordinator, coordinator) = serve(HttpAccess::open(), COORDINATOR).await;
    let (_worker, worker) = serve(HttpAccess::open(), WORKER).await;
    let (_dead, dead) = serve(HttpAccess::open(), DEAD).await;
    for (address, request, page) in [
        (coordinator, "GET /metrics", METRICS),
        (coordinator, "HEAD /metrics", METRICS),
        (coordinator, "GET /metrics?x=1", METRICS),
        (coordinator, "GET http://here/metrics", METRICS),
        (coordinator, "GET /healthz", ALIVE),
        (coordinator, "GET /readyz", READY),
        (coordinator, "GET /desired_workers", SEVEN_WORKERS),
        (coordinator, "GET /metrics/", NO_PAGE),
        (coordinator, "GET //metrics", NO_PAGE),
        (coordinator, "GET /%6detrics", NO_PAGE),
        (coordinator, "GET /", NO_PAGE),
        (coordinator, "HEAD /nope", NO_PAGE),
        (coordinator, "POST /metrics", ONLY_GET),
        (coordinator, "POST /nope", ONLY_GET),
        (coordinator, "OPTIONS *", ONLY_GET),
        (coordinator, "TRACE /healthz", ONLY_GET),
        (coordinator, "CONNECT here:80", ONLY_GET),
        (worker, "GET /metrics", METRICS),
        (worker, "GET /healthz", ALIVE),
        (dead, "GET /healthz", NOT_ALIVE),
        (worker, "GET /readyz", NOT_READY),
        (worker, "HEAD /readyz", NOT_READY),
        (worker, "GET /desired_workers", NO_PAGE),
        (worker, "POST /desired_workers", ONLY_GET),
    ] {
        check(TcpStream::connect(address).await.unwrap(), request, "", page).await;
    }
}

/// A folder with certificates and tokens, and the tokens of a worker and of a viewer.
fn credentials(folder: &Path) -> [TokenSecret; 2] {
    pki::init(folder, &["localhost".to_owned()]).unwrap();
    [("lab", TokenRole::Worker), ("eve", TokenRole::Viewer)].map(|(name, role)| {
        let secret = TokenSecret::generate().unwrap();
        let (name, id) = (name.parse().unwrap(), secret.id());
        let token = TokenEntry { name, role: Some(role), id, comment: String::new() };
        token_file::add(&folder.join("tokens"), &token).unwrap();
        secret
    })
}

/// Returns the access that tokens and certificates in a folder give to the metrics.
async fn token_access(folder: &Path) -> HttpAccess {
    let [certificate, key] = ["server.pem", "server.key"].map(|name| folder.join(name));
    let files = TlsFiles { certificate, key, client_ca: None };
    let security = LoadedSecurity::open(Some(files), Some(folder.join("tokens"))).unwrap();
    let store = Store::new(EmbeddedStore::open(&folder.join("store")).unwrap());
    let coordinator =
        Coordinator::start(store, Catalog(&[]), CoordinatorConfig::default()).await.unwrap();
    security.into_access(&coordinator, MetricsAccess::TokenHolders).1
}

#[tokio::test]
async fn a_token_is_asked_for_where_it_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let [worker, viewer] = credentials(folder.path());
    let access = token_access(folder.path()).await;
    assert_eq!(access.scheme(), "https");
    let (_server, address) = serve(access, WORKER).await;
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(folder.path().join("ca.pem")).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_root_certificates(roots).with_no_client_auth());
    let bearer = |secret: &TokenSecret| format!("Authorization: Bearer {}\r\n", secret.reveal());
    let (none, worker, viewer) = (String::new(), bearer(&worker), bearer(&viewer));
    for (request, token, page) in [
        ("GET /metrics", &none, UNAUTHORIZED),
        ("HEAD /metrics", &none, UNAUTHORIZED),
        ("POST /metrics", &none, UNAUTHORIZED),
        ("GET /metrics", &worker, FORBIDDEN),
        ("GET /metrics", &viewer, METRICS),
        ("POST /metrics", &viewer, ONLY_GET),
        ("GET /nope", &none, UNAUTHORIZED),
        ("GET /nope", &viewer, FORBIDDEN),
        ("GET /healthz", &none, ALIVE),
        ("POST /healthz", &none, ONLY_GET),
    ] {
        let stream = TcpStream::connect(address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let stream = TlsConnector::from(Arc::clone(&config)).connect(name, stream).await.unwrap();
        check(stream, request, token, page).await;
    }
}
