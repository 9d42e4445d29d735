//! The HTTP server of a process: one [`Router`] of pages, behind limits and, where it is needed, a
//! token.
//!
//! [`monitoring`] has the pages of metrics and health. [`Router::merge`] adds more pages; [`serve`]
//! puts limits and access around all pages.

mod monitoring;

pub use monitoring::{MonitoredProcess, monitoring};

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::header::{ALLOW, AUTHORIZATION, CONTENT_LENGTH, WWW_AUTHENTICATE};
use axum::http::{Method, Request, StatusCode};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_stream::StreamExt;
use tower::ServiceExt;

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

    /// Returns the answer to a request that is not allowed; `None` for an allowed request.
    fn refuse<B>(&self, peer: SocketAddr, request: &Request<B>) -> Option<Response> {
        const NEEDED: &str = "a viewer's or an operator's token is needed\n";
        let Self::Tokens { token_file, tls } = self else { return None };
        let path = request.uri().path();
        let header = request.headers().get(AUTHORIZATION);
        let error = token_file.tokens().authenticate(header, calls::required_access(path)).err()?;
        tls.auth_failures.record(peer, path, &error);
        Some(match error {
            AuthError::Role { .. } => (StatusCode::FORBIDDEN, NEEDED).into_response(),
            AuthError::Missing
            | AuthError::Unknown
            | AuthError::Revoked(_)
            | AuthError::Unlisted(_)
            | AuthError::RoleChanged(_) => {
                (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], NEEDED).into_response()
            }
        })
    }
}

/// A running server, which stops when it is dropped.
#[derive(Debug)]
pub struct HttpServer(JoinHandle<()>);

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Starts a server on `listener` that shows `pages` to the clients that `access` allows.
pub fn serve(listener: BoundListener, access: HttpAccess, pages: Router) -> HttpServer {
    let HttpAccess(access) = access;
    let mut incoming = listener.accept(access.limits());
    let access = Arc::new(access);
    let pages = pages.fallback(unknown_path).method_not_allowed_fallback(only_get);
    HttpServer(tokio::spawn(async move {
        // Connections end with the server.
        let mut connections = tokio::task::JoinSet::new();
        while let Some(accepted) = incoming.next().await {
            while connections.try_join_next().is_some() {}
            let Ok(connection) = accepted else { continue };
            let (pages, access) = (pages.clone(), Arc::clone(&access));
            connections.spawn(async move {
                let handle = connection.handle().clone();
                // Access is asked for before any page, whatever the path.
                let service = service_fn(|request| {
                    let refusal = access.refuse(handle.peer(), &request);
                    if refusal.is_none() {
                        handle.record_call();
                    }
                    let (pages, call) = (pages.clone(), handle.begin_call());
                    async move {
                        let _call = call;
                        match refusal {
                            Some(refusal) => Ok(refusal),
                            None => respond(pages, request).await,
                        }
                    }
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

/// Answers a request that is allowed.
///
/// HEAD is answered like GET: hyper leaves the body out. Hyper also takes the length from the body,
/// and appends it after all other headers.
async fn respond(pages: Router, mut request: Request<Incoming>) -> Result<Response, Infallible> {
    if request.method() == Method::HEAD {
        *request.method_mut() = Method::GET;
    }
    let mut response = pages.oneshot(request).await?;
    response.headers_mut().remove(CONTENT_LENGTH);
    Ok(response)
}

async fn unknown_path(method: Method) -> Response {
    match method {
        Method::GET => no_such_page().await.into_response(),
        _ => only_get().await.into_response(),
    }
}

async fn no_such_page() -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "no such page\n")
}

async fn only_get() -> impl IntoResponse {
    (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, HEAD")], "only GET\n")
}
