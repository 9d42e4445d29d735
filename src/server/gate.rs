//! Whether a call may be made: judged by its head, before anything of its body is read.

use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hatchery_coordinator::Caller;
use hyper::body::{Body as _, Bytes, Frame};
use hyper::header::AUTHORIZATION;
use hyper::{HeaderMap, Request, Response};
use tonic::Status;
use tonic::body::Body;
use tower::{Layer, Service};

use super::line::{Line, Shown};
use super::refusals::Refusals;
use crate::access::{Grant, Guard, Need, Refusal, Role, calls};

/// How long the other end has to hear why, before its connection is cut.
const LAST_WORD: Duration = Duration::from_secs(1);

/// Lets calls in that show the right token. Clones are the same gate.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    guard: Guard,
    refusals: Arc<Refusals>,
}

impl Gate {
    /// The gate that `guard` keeps.
    pub(crate) fn new(guard: Guard, refusals: Arc<Refusals>) -> Self {
        Self { guard, refusals }
    }

    /// Whose call it is, if somebody has to be anybody.
    fn admit<B>(&self, request: &Request<B>) -> Result<Option<Grant>, Status> {
        let call = request.uri().path();
        let line = request.extensions().get::<Line>();
        let line = line.ok_or_else(|| Status::internal("a call without a connection"))?;
        let shown = request.headers().get(AUTHORIZATION);
        let need = calls::need(call);
        let judged = self.guard.tokens().judge(shown, need);
        let refusal = match judged {
            Ok(None) => return Ok(None),
            Ok(Some(grant)) => {
                self.welcome(line, &grant)?;
                if need == Need::Token(Role::Operator) {
                    tracing::info!(token = %grant.name, call, peer = %line.peer(), "an operator's call");
                }
                return Ok(Some(grant));
            }
            Err(refusal) => refusal,
        };
        self.refusals.refused(line.peer(), call, &refusal);
        if line.is_stranger() {
            cut_later(line.clone(), Line::is_stranger);
        }
        Err(status(&refusal))
    }

    /// Lets `grant` use `line`, until it is revoked.
    fn welcome(&self, line: &Line, grant: &Grant) -> Result<(), Status> {
        match line.show(grant.id) {
            Shown::Before => return Ok(()),
            Shown::Many => return Err(Status::resource_exhausted("too many tokens are shown")),
            Shown::First => {}
        }
        let (line, refusals) = (line.clone(), Arc::clone(&self.refusals));
        let (revoked, name) = (self.guard.revoked(grant.clone()), grant.name.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = line.over() => return,
                () = revoked => {}
            }
            // Calls end with a word of why; who does not read it is cut off all the same.
            refusals.refused(line.peer(), "all that goes on", &Refusal::Revoked(name));
            cut_later(line, |_| true);
        });
        Ok(())
    }
}

/// Cuts `line` after a last word, if `still` holds then: a token may have been shown meanwhile.
fn cut_later(line: Line, still: fn(&Line) -> bool) {
    tokio::spawn(async move {
        tokio::select! {
            () = line.over() => {}
            () = tokio::time::sleep(LAST_WORD) => if still(&line) {
                line.cut();
            },
        }
    });
}

fn status(refusal: &Refusal) -> Status {
    match refusal {
        Refusal::Missing | Refusal::Unknown | Refusal::Revoked(_) => {
            Status::unauthenticated(refusal.to_string())
        }
        Refusal::Role { .. } => Status::permission_denied(refusal.to_string()),
    }
}

/// What stands before all services: a gate, or nothing.
#[derive(Clone, Debug)]
pub(crate) struct Gated(pub(crate) Option<Gate>);

impl<S> Layer<S> for Gated {
    type Service = Behind<S>;

    fn layer(&self, inner: S) -> Behind<S> {
        Behind { gate: self.0.clone(), inner }
    }
}

/// A service behind a gate.
#[derive(Clone, Debug)]
pub(crate) struct Behind<S> {
    gate: Option<Gate>,
    inner: S,
}

type Answering<E> = Pin<Box<dyn Future<Output = Result<Response<Body>, E>> + Send>>;

impl<S> Service<Request<Body>> for Behind<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Answering<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let Some(gate) = &self.gate else { return Box::pin(self.inner.call(request)) };
        let grant = match gate.admit(&request) {
            Ok(grant) => grant,
            Err(status) => return Box::pin(ready(Ok(status.into_http()))),
        };
        let Some(grant) = grant else { return Box::pin(self.inner.call(request)) };
        request.extensions_mut().insert(Caller(grant.name.clone()));
        let why = status(&Refusal::Revoked(grant.name.clone()));
        let revoked: Revoked = Box::pin(gate.guard.revoked(grant));
        let answering = self.inner.call(request);
        Box::pin(async move {
            let response = answering.await?;
            // Of an answer without a body, the head has all.
            Ok(match response.body().is_end_stream() {
                true => response,
                false => response
                    .map(|inner| Body::new(Revocable { inner, revoked: Some((revoked, why)) })),
            })
        })
    }
}

/// An answer that ends when the token of its call is revoked.
struct Revocable {
    inner: Body,
    /// When that is, and what is said then; `None` when it has ended so.
    revoked: Option<(Revoked, Status)>,
}

/// Resolves when a token is revoked.
type Revoked = Pin<Box<dyn Future<Output = ()> + Send>>;

impl hyper::body::Body for Revocable {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let Some((revoked, why)) = &mut self.revoked else { return Poll::Ready(None) };
        if revoked.as_mut().poll(cx).is_ready() {
            let mut trailers = HeaderMap::new();
            let said = why.add_header(&mut trailers);
            self.revoked = None;
            return Poll::Ready(Some(said.map(|()| Frame::trailers(trailers))));
        }
        Pin::new(&mut self.inner).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.revoked.is_none() || self.inner.is_end_stream()
    }
}
