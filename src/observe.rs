//! What can be seen of a process from outside, over plain HTTP: `/metrics`, `/healthz`, `/readyz` and,
//! of a coordinator, `/desired_workers`.
//!
//! Nothing can be changed here and nothing secret is said, so it may listen on any interface.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hatchery_coordinator::Coordinator;
use hatchery_meters::{MEDIA_TYPE, WorkerMeters};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_stream::StreamExt;

use crate::failure::Failure;
use crate::server::Accepting;

/// The most connections at the same time: a few scrapers, a person, the probes of an orchestrator.
const MAX_CONNECTIONS: usize = 64;

/// How long a connection may take to ask: less than others want to wait for its place.
const ASK_WITHIN: Duration = Duration::from_secs(5);

/// How long a connection may last in all: scrapers come back.
const LONGEST_CONNECTION: Duration = Duration::from_secs(60);

/// The most bytes of a request's head.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// Plain text, in HTTP's words.
const TEXT: &str = "text/plain; charset=utf-8";

/// A process that can be observed.
pub(crate) trait Observed: Send + Sync + 'static {
    /// What Prometheus reads.
    fn metrics(&self) -> String;
    /// Whether it can do its work now.
    fn is_ready(&self) -> bool;
    /// How many workers the farm should have, if it is its business.
    fn desired_workers(&self) -> Option<u32>;
}

impl Observed for Coordinator {
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

impl Observed for Arc<WorkerMeters> {
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

/// An address that is listened on.
#[derive(Debug)]
pub(crate) struct Listening {
    accepting: Accepting,
    address: SocketAddr,
}

impl Listening {
    /// Begins to listen.
    pub(crate) async fn bind(address: SocketAddr) -> Result<Self, Failure> {
        let (accepting, address) =
            Accepting::bind_for(address, MAX_CONNECTIONS, ASK_WITHIN).await?;
        Ok(Self { accepting, address })
    }

    /// The address, with its port.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

/// A server of what is observed; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Server(JoinHandle<()>);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Answers whoever asks.
pub(crate) fn serve(listening: Listening, observed: impl Observed) -> Server {
    let (mut accepting, observed) = (listening.accepting, Arc::new(observed));
    Server(tokio::spawn(async move {
        // Connections end with the server.
        let mut connections = tokio::task::JoinSet::new();
        while let Some(accepted) = accepting.next().await {
            while connections.try_join_next().is_some() {}
            let Ok(connection) = accepted else { continue };
            let observed = Arc::clone(&observed);
            connections.spawn(async move {
                let service = service_fn(|request| {
                    let response = respond(observed.as_ref(), &request);
                    async move { Ok::<_, Infallible>(response) }
                });
                let serving = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(ASK_WITHIN)
                    .max_buf_size(MAX_HEAD_BYTES)
                    .serve_connection(TokioIo::new(connection), service);
                match timeout(LONGEST_CONNECTION, serving).await {
                    Ok(Ok(())) | Err(_) => {}
                    Ok(Err(error)) => tracing::debug!(%error, "a request for metrics broke off"),
                }
            });
        }
    }))
}

/// The answer to a request.
fn respond<B>(observed: &dyn Observed, request: &Request<B>) -> Response<String> {
    let (ok, missing) = (StatusCode::OK, StatusCode::NOT_FOUND);
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        let mut refusal = page(StatusCode::METHOD_NOT_ALLOWED, TEXT, "only GET\n".to_owned());
        refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return refusal;
    }
    match (request.uri().path(), observed.desired_workers()) {
        ("/metrics", _) => page(ok, MEDIA_TYPE, observed.metrics()),
        ("/healthz", _) => page(ok, TEXT, "alive\n".to_owned()),
        ("/readyz", _) if observed.is_ready() => page(ok, TEXT, "ready\n".to_owned()),
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

    /// A process that is ready or not.
    struct Stub(bool, Option<u32>);

    impl Observed for Stub {
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
    fn each_path_says_one_thing() {
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
