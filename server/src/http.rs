//! The admin server: `/metrics`, `/healthz`, `/readyz` and, of a coordinator, `/desired_workers`
//! over HTTP.
//!
//! It changes nothing and shows no secret. Metrics are for holders of a token, or for everyone.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hatchery_coordinator::Coordinator;
use hatchery_meters::{MEDIA_TYPE, WorkerMeters};
use hyper::header::{ALLOW, AUTHORIZATION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_stream::StreamExt;

use crate::access::{AuthError, TokenFile, calls};
use crate::listener::{BoundListener, HalfOpenLimits, ListenLimits, TlsHandshake};

/// The most connections at the same time: a few scrapers, a person, the probes of an orchestrator.
const MAX_CONNECTIONS: usize = 64;

/// The most connections without a request: most of the connections, so that a newcomer always finds
/// an idle connection to replace.
const HALF_OPEN: HalfOpenLimits = HalfOpenLimits { all: 48, of_address: 32 };

/// The longest time for the head of a request: less than other clients want to wait for a
/// connection.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest life of a connection: scrapers reconnect.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(60);

/// The most bytes of a request's head.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// The media type of plain text.
const TEXT: &str = "text/plain; charset=utf-8";

/// A process whose metrics and health can be read.
pub trait MonitoredProcess: Send + Sync + 'static {
    /// Returns the metrics as OpenMetrics text.
    fn metrics(&self) -> String;
    /// Returns true if the process can do its work now.
    fn is_ready(&self) -> bool;
    /// Returns the number of workers that the farm should have, if the process has computed it.
    fn desired_workers(&self) -> Option<u32>;
}

impl MonitoredProcess for Coordinator {
    fn metrics(&self) -> String {
        self.meters().text()
    }

    fn is_ready(&self) -> bool {
        self.is_ready()
    }

    fn desired_workers(&self) -> Option<u32> {
        Some(self.desired_workers())
    }
}

impl MonitoredProcess for Arc<WorkerMeters> {
    fn metrics(&self) -> String {
        self.text()
    }

    fn is_ready(&self) -> bool {
        self.is_in_session()
    }

    fn desired_workers(&self) -> Option<u32> {
        None
    }
}

/// The clients that may read the pages.
#[derive(Clone, Debug)]
pub struct HttpAccess(AccessPolicy);

#[derive(Clone, Debug)]
enum AccessPolicy {
    /// Everyone who can connect.
    Open,
    /// Holders of a token, over TLS.
    Tokens { token_file: TokenFile, tls: TlsHandshake },
}

impl HttpAccess {
    /// Returns the access of everyone who can connect, without TLS.
    #[must_use]
    pub fn open() -> Self {
        Self(AccessPolicy::Open)
    }

    /// Returns the access of the holders of a token, over TLS.
    pub(crate) fn tokens(token_file: TokenFile, tls: TlsHandshake) -> Self {
        Self(AccessPolicy::Tokens { token_file, tls })
    }

    /// Returns the scheme of the pages' URLs: `http` or `https`.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        match self.0 {
            AccessPolicy::Open => "http",
            AccessPolicy::Tokens { .. } => "https",
        }
    }
}

impl AccessPolicy {
    fn limits(&self) -> ListenLimits {
        let tls = match self {
            Self::Open => None,
            Self::Tokens { tls, .. } => Some(tls.clone()),
        };
        ListenLimits {
            max_connections: MAX_CONNECTIONS,
            half_open: HALF_OPEN,
            first_call_timeout: REQUEST_TIMEOUT,
            tls,
        }
    }

    /// Returns the answer to a forbidden request, and `None` for an allowed request.
    fn refuse<B>(&self, peer: SocketAddr, request: &Request<B>) -> Option<Response<String>> {
        let Self::Tokens { token_file, tls } = self else { return None };
        let path = request.uri().path();
        let header = request.headers().get(AUTHORIZATION);
        let error = token_file.tokens().authenticate(header, calls::required_access(path)).err()?;
        tls.auth_failures.record(peer, path, &error);
        let status = match error {
            AuthError::Role { .. } => StatusCode::FORBIDDEN,
            AuthError::Missing | AuthError::Unknown | AuthError::Revoked(_) => {
                StatusCode::UNAUTHORIZED
            }
        };
        let mut page =
            page(status, TEXT, "a viewer's or an operator's token is needed\n".to_owned());
        if status == StatusCode::UNAUTHORIZED {
            page.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        Some(page)
    }
}

/// A running admin server, which stops when it is dropped.
#[derive(Debug)]
pub struct HttpServer(JoinHandle<()>);

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Starts a server on `listener` that shows `process` to the clients that `access` allows.
pub fn serve(
    listener: BoundListener,
    access: HttpAccess,
    process: impl MonitoredProcess,
) -> HttpServer {
    let HttpAccess(access) = access;
    let (mut incoming, process) = (listener.accept(access.limits()), Arc::new(process));
    let access = Arc::new(access);
    HttpServer(tokio::spawn(async move {
        // Connections end with the server.
        let mut connections = tokio::task::JoinSet::new();
        while let Some(accepted) = incoming.next().await {
            while connections.try_join_next().is_some() {}
            let Ok(connection) = accepted else { continue };
            let (process, access) = (Arc::clone(&process), Arc::clone(&access));
            connections.spawn(async move {
                let handle = connection.handle().clone();
                let service = service_fn(|request| {
                    let refusal = access.refuse(handle.peer(), &request);
                    if refusal.is_none() {
                        handle.record_call();
                    }
                    let response = refusal.unwrap_or_else(|| respond(process.as_ref(), &request));
                    async move { Ok::<_, Infallible>(response) }
                });
                let serving = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(REQUEST_TIMEOUT)
                    .max_buf_size(MAX_HEAD_BYTES)
                    .serve_connection(TokioIo::new(connection), service);
                match timeout(CONNECTION_TIMEOUT, serving).await {
                    Ok(Ok(())) | Err(_) => {}
                    Ok(Err(error)) => tracing::debug!(%error, "an admin connection failed"),
                }
            });
        }
    }))
}

/// Answers a request.
fn respond<B>(process: &dyn MonitoredProcess, request: &Request<B>) -> Response<String> {
    let (ok, missing) = (StatusCode::OK, StatusCode::NOT_FOUND);
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        let mut refusal = page(StatusCode::METHOD_NOT_ALLOWED, TEXT, "only GET\n".to_owned());
        refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return refusal;
    }
    match (request.uri().path(), process.desired_workers()) {
        ("/metrics", _) => page(ok, MEDIA_TYPE, process.metrics()),
        ("/healthz", _) => page(ok, TEXT, "alive\n".to_owned()),
        ("/readyz", _) if process.is_ready() => page(ok, TEXT, "ready\n".to_owned()),
        ("/readyz", _) => page(StatusCode::SERVICE_UNAVAILABLE, TEXT, "not ready\n".to_owned()),
        ("/desired_workers", Some(n)) => {
            page(ok, "application/json", format!("{{\"desired_workers\":{n}}}\n"))
        }
        _ => page(missing, TEXT, "no such page\n".to_owned()),
    }
}

fn page(status: StatusCode, media_type: &'static str, body: String) -> Response<String> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that is ready or not, with the desired number of workers.
    struct Stub(bool, Option<u32>);

    impl MonitoredProcess for Stub {
        fn metrics(&self) -> String {
            "metrics".to_owned()
        }

        fn is_ready(&self) -> bool {
            self.0
        }

        fn desired_workers(&self) -> Option<u32> {
            self.1
        }
    }

    fn check(stub: &Stub, method: Method, path: &str, status: u16, body: &str) {
        let request = Request::builder().method(method).uri(path).body(()).unwrap();
        let response = respond(stub, &request);
        let got = (response.status().as_u16(), response.body().trim_end());
        assert_eq!(got, (status, body), "{path}");
    }

    #[test]
    fn each_path_has_its_page() {
        let coordinator = Stub(true, Some(7));
        let worker = Stub(false, None);
        check(&coordinator, Method::GET, "/metrics", 200, "metrics");
        check(&coordinator, Method::GET, "/readyz", 200, "ready");
        check(&coordinator, Method::GET, "/desired_workers", 200, "{\"desired_workers\":7}");
        check(&coordinator, Method::POST, "/metrics", 405, "only GET");
        check(&worker, Method::GET, "/healthz", 200, "alive");
        check(&worker, Method::GET, "/readyz", 503, "not ready");
        check(&worker, Method::GET, "/desired_workers", 404, "no such page");
        check(&worker, Method::GET, "/", 404, "no such page");
    }
}
