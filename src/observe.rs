//! What can be seen of a process from outside, over plain HTTP: `/metrics`, `/healthz`, `/readyz` and,
//! of a coordinator, `/desired_workers`.
//!
//! Nothing can be changed here and nothing secret is said; what runs there is for whoever has a
//! token, or for everybody if that is wanted.

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

use crate::access::{Guard, Refusal, calls};
use crate::server::{Listening, Terms, Tls, Tokens};

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

/// Who may look.
#[derive(Clone, Debug)]
pub(crate) enum Door {
    /// Everybody who gets there.
    Open,
    /// Whoever has a token, over TLS.
    Guarded { guard: Guard, tls: Tls },
}

impl Door {
    fn terms(&self) -> Terms {
        let tls = match self {
            Self::Open => None,
            Self::Guarded { tls, .. } => Some(tls.clone()),
        };
        // Places are few already, and a probe has no token.
        Terms { most: MAX_CONNECTIONS, first_word: ASK_WITHIN, tls, tokens: Tokens::Not }
    }

    /// What is answered to a request instead of what it asks for, if anything.
    fn refusal<B>(&self, peer: SocketAddr, request: &Request<B>) -> Option<Response<String>> {
        let Self::Guarded { guard, tls } = self else { return None };
        let path = request.uri().path();
        let shown = request.headers().get(AUTHORIZATION);
        let refusal = guard.tokens().judge(shown, calls::need(path)).err()?;
        tls.refusals.refused(peer, path, &refusal);
        let status = match refusal {
            Refusal::Role { .. } => StatusCode::FORBIDDEN,
            Refusal::Missing | Refusal::Unknown | Refusal::Revoked(_) => StatusCode::UNAUTHORIZED,
        };
        let mut page =
            page(status, TEXT, "a viewer's or an operator's token is needed\n".to_owned());
        if status == StatusCode::UNAUTHORIZED {
            page.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        Some(page)
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

/// Answers whoever asks and may look.
pub(crate) fn serve(listening: Listening, door: Door, observed: impl Observed) -> Server {
    let (mut accepting, observed) = (listening.accept(door.terms()), Arc::new(observed));
    let door = Arc::new(door);
    Server(tokio::spawn(async move {
        // Connections end with the server.
        let mut connections = tokio::task::JoinSet::new();
        while let Some(accepted) = accepting.next().await {
            while connections.try_join_next().is_some() {}
            let Ok(connection) = accepted else { continue };
            let (observed, door) = (Arc::clone(&observed), Arc::clone(&door));
            connections.spawn(async move {
                let peer = connection.line().peer();
                let service = service_fn(|request| {
                    let refusal = door.refusal(peer, &request);
                    let response = refusal.unwrap_or_else(|| respond(observed.as_ref(), &request));
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
