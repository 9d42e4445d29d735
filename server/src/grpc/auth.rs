//! The authentication layer: the head of a call is checked before any of the call's body is read.

use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hatchery_coordinator::AuthenticatedUser;
use hyper::body::{Body as _, Bytes, Frame, SizeHint};
use hyper::header::AUTHORIZATION;
use hyper::{HeaderMap, Request, Response};
use tonic::Status;
use tonic::body::Body;
use tower::{Layer, Service};

use crate::access::{
    AuthError, AuthFailureLog, CallAccess, Principal, TokenFile, TokenRole, calls,
};
use crate::listener::{ConnectionHandle, OpenCall, TokenPresentation};

/// The time that a peer has to read why it was refused, before its connection is closed.
const CLOSE_DELAY: Duration = Duration::from_secs(1);

/// Authenticates calls. Clones share their state.
#[derive(Clone, Debug)]
pub(crate) struct Authenticator {
    token_file: TokenFile,
    auth_failures: Arc<AuthFailureLog>,
}

impl Authenticator {
    /// Creates an authenticator that accepts the tokens of `token_file`.
    pub(crate) fn new(token_file: TokenFile, auth_failures: Arc<AuthFailureLog>) -> Self {
        Self { token_file, auth_failures }
    }

    /// Returns the caller of `request`, or `None` if the call needs no token.
    fn authenticate<B>(&self, request: &Request<B>) -> Result<Option<Principal>, Status> {
        let call = request.uri().path();
        let connection = request.extensions().get::<ConnectionHandle>();
        let connection =
            connection.ok_or_else(|| Status::internal("a call without a connection"))?;
        let header = request.headers().get(AUTHORIZATION);
        let required = calls::required_access(call);
        let error = match self.token_file.tokens().authenticate(header, required) {
            Ok(None) => return Ok(None),
            Ok(Some(principal)) => {
                self.admit(connection, &principal)?;
                if required == CallAccess::Role(TokenRole::Operator) {
                    let (token, peer) = (&principal.name, connection.peer());
                    tracing::info!(%token, call, %peer, "operator call");
                }
                return Ok(Some(principal));
            }
            Err(error) => error,
        };
        self.auth_failures.record(connection.peer(), call, &error);
        if connection.is_half_open() {
            close_later(connection.clone(), ConnectionHandle::is_half_open);
        }
        Err(status(&error))
    }

    /// Marks `connection` as used by `principal`, and closes it when the token is revoked.
    fn admit(&self, connection: &ConnectionHandle, principal: &Principal) -> Result<(), Status> {
        match connection.present_token(principal.id) {
            TokenPresentation::Repeated => return Ok(()),
            TokenPresentation::TooMany => {
                return Err(Status::resource_exhausted("too many tokens over one connection"));
            }
            TokenPresentation::First => {}
        }
        let (connection, auth_failures) = (connection.clone(), Arc::clone(&self.auth_failures));
        let revocation = self.token_file.revocation(principal.clone());
        tokio::spawn(async move {
            let error = tokio::select! {
                () = connection.closed() => return,
                error = revocation => error,
            };
            // Calls end with an error that says why; a peer that does not read it is cut off as
            // well.
            auth_failures.record(connection.peer(), "all open calls", &error);
            close_later(connection, |_| true);
        });
        Ok(())
    }
}

/// Closes `connection` after a moment if `condition` still holds then: meanwhile the connection may
/// have shown a token.
fn close_later(connection: ConnectionHandle, condition: fn(&ConnectionHandle) -> bool) {
    tokio::spawn(async move {
        tokio::select! {
            () = connection.closed() => {}
            () = tokio::time::sleep(CLOSE_DELAY) => if condition(&connection) {
                connection.close();
            },
        }
    });
}

fn status(error: &AuthError) -> Status {
    match error {
        AuthError::Missing
        | AuthError::Unknown
        | AuthError::Revoked(_)
        | AuthError::Unlisted(_)
        | AuthError::RoleChanged(_) => Status::unauthenticated(error.to_string()),
        AuthError::Role { .. } => Status::permission_denied(error.to_string()),
    }
}

/// The layer in front of every service. Without an authenticator, it lets every call through.
#[derive(Clone, Debug)]
pub(crate) struct AuthLayer(pub(crate) Option<Authenticator>);

impl<S> Layer<S> for AuthLayer {
    type Service = AuthService<S>;

    fn layer(&self, inner: S) -> AuthService<S> {
        AuthService { authenticator: self.0.clone(), inner }
    }
}

/// A service whose calls are authenticated.
#[derive(Clone, Debug)]
pub(crate) struct AuthService<S> {
    authenticator: Option<Authenticator>,
    inner: S,
}

type ResponseFuture<E> = Pin<Box<dyn Future<Output = Result<Response<Body>, E>> + Send>>;

impl<S> Service<Request<Body>> for AuthService<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = ResponseFuture<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let connection = request.extensions().get::<ConnectionHandle>().cloned();
        if let Some(connection) = &connection {
            request.extensions_mut().insert(connection.address());
        }
        let call = connection.as_ref().map(ConnectionHandle::begin_call);
        let Some(authenticator) = &self.authenticator else {
            if let Some(connection) = connection.filter(|_| calls::is_known(request.uri().path())) {
                connection.record_call();
            }
            return until_ended(self.inner.call(request), call);
        };
        let principal = match authenticator.authenticate(&request) {
            Ok(principal) => principal,
            Err(status) => return Box::pin(ready(Ok(status.into_http()))),
        };
        let Some(principal) = principal else {
            return until_ended(self.inner.call(request), call);
        };
        request.extensions_mut().insert(AuthenticatedUser(principal.name.clone()));
        let revocation: RevocationFuture = Box::pin(authenticator.token_file.revocation(principal));
        let response = self.inner.call(request);
        let revocable = async move {
            let response = response.await?;
            // The head of a response without a body is all of it.
            Ok(match response.body().is_end_stream() {
                true => response,
                false => response
                    .map(|inner| Body::new(RevocableBody { inner, revocation: Some(revocation) })),
            })
        };
        until_ended(revocable, call)
    }
}

/// Keeps `call` until the response has ended.
fn until_ended<E>(
    response: impl Future<Output = Result<Response<Body>, E>> + Send + 'static,
    call: Option<OpenCall>,
) -> ResponseFuture<E> {
    Box::pin(async move {
        let response = response.await?;
        Ok(match response.body().is_end_stream() {
            true => response,
            false => response.map(|inner| Body::new(CountedBody { inner, _call: call })),
        })
    })
}

/// A response body whose connection is not idle before the body has ended.
struct CountedBody {
    inner: Body,
    _call: Option<OpenCall>,
}

impl hyper::body::Body for CountedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        Pin::new(&mut self.inner).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// A response body that ends when the token of its call is revoked.
struct RevocableBody {
    inner: Body,
    /// Resolves at the revocation; `None` once the status that ends the body was sent.
    revocation: Option<RevocationFuture>,
}

/// Resolves when a token is no longer valid, with the reason.
type RevocationFuture = Pin<Box<dyn Future<Output = AuthError> + Send>>;

impl hyper::body::Body for RevocableBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let Some(revocation) = &mut self.revocation else { return Poll::Ready(None) };
        if let Poll::Ready(reason) = revocation.as_mut().poll(cx) {
            let mut trailers = HeaderMap::new();
            let added = status(&reason).add_header(&mut trailers);
            self.revocation = None;
            return Poll::Ready(Some(added.map(|()| Frame::trailers(trailers))));
        }
        Pin::new(&mut self.inner).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.revocation.is_none() || self.inner.is_end_stream()
    }
}
