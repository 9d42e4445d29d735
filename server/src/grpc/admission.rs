//! Admits calls before their bodies are read. Only submissions may have large bodies. A large body
//! waits until few other large bodies are being read, or is refused.

use std::future::ready;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hatchery_coordinator::control::{MAX_REQUEST_BYTES, SMALL_SUBMISSION_BYTES};
use hatchery_coordinator::{Caller, CallerLimits, CallerPermit};
use hatchery_proto::RETRY_PUSHBACK;
use hyper::body::{Body as HttpBody, Bytes, Frame};
use hyper::{Request, Response};
use tokio::time::{Instant, Sleep};
use tonic::Status;
use tonic::body::Body;
use tonic::metadata::MetadataValue;
use tower::{Layer, Service};

/// The call whose body may be large.
const SUBMIT: &str = "/hatchery.v1.Control/Submit";

/// The calls whose bodies are streams. A session lasts as long as its worker; the other streams
/// have limits of their own. Each message has a limit, too.
const STREAMS: [&str; 4] = [
    "/hatchery.v1.Control/PutInput",
    "/hatchery.v1.WorkerPlane/Session",
    "/hatchery.v1.WorkerPlane/PutParts",
    "/hatchery.v1.WorkerPlane/PutResult",
];

/// The beginning of our other calls: each has one message.
const OURS: &str = "/hatchery.";

/// The longest body of such a call: a list of ten thousand dead jobs.
const MAX_BODY_BYTES: usize = 128 << 10;

/// The time for a body, including the time that it waits: a large spec over a slow network.
const BODY_TIMEOUT: Duration = Duration::from_secs(20);

/// The most submissions at the same time, over all callers and per caller. A small submission holds
/// little memory.
const MAX_SUBMISSIONS: usize = 1024;
const MAX_CALLER_SUBMISSIONS: usize = 512;

/// The most submissions that hold a large body, from its first bytes to their response.
const MAX_LARGE: usize = 4;
const MAX_CALLER_LARGE: usize = 2;

/// The most submissions that wait for this. They are not read meanwhile: each waiting submission
/// holds a window of its connection.
const MAX_WAITING: usize = 16;
const MAX_CALLER_WAITING: usize = 8;

/// The time after which a refused submission may be tried again.
const RETRY_AFTER_MS: u64 = 1000;

/// The layer that admits calls. Clones share their limits.
#[derive(Clone, Debug)]
pub(crate) struct AdmissionLayer(Arc<SubmissionLimits>);

#[derive(Debug)]
struct SubmissionLimits {
    all: CallerLimits,
    large: CallerLimits,
    waiting: CallerLimits,
}

impl Default for AdmissionLayer {
    fn default() -> Self {
        Self(Arc::new(SubmissionLimits {
            all: CallerLimits::new(MAX_SUBMISSIONS, MAX_CALLER_SUBMISSIONS),
            large: CallerLimits::new(MAX_LARGE, MAX_CALLER_LARGE),
            waiting: CallerLimits::new(MAX_WAITING, MAX_CALLER_WAITING),
        }))
    }
}

impl<S> Layer<S> for AdmissionLayer {
    type Service = AdmissionService<S>;

    fn layer(&self, inner: S) -> AdmissionService<S> {
        AdmissionService { limits: Arc::clone(&self.0), inner }
    }
}

/// A service whose calls are admitted.
#[derive(Clone, Debug)]
pub(crate) struct AdmissionService<S> {
    limits: Arc<SubmissionLimits>,
    inner: S,
}

type ResponseFuture<E> = Pin<Box<dyn Future<Output = Result<Response<Body>, E>> + Send>>;

impl<S> Service<Request<Body>> for AdmissionService<S>
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

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        match request.uri().path() {
            SUBMIT => self.submit(request),
            path if !STREAMS.contains(&path) && path.starts_with(OURS) => {
                let request = request.map(|body| LimitedBody::new(body, BodyLimit::Short));
                Box::pin(self.inner.call(request.map(Body::new)))
            }
            _ => Box::pin(self.inner.call(request)),
        }
    }
}

impl<S> AdmissionService<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    fn submit(&mut self, request: Request<Body>) -> ResponseFuture<S::Error> {
        let caller = Caller::of(request.extensions());
        let Some(permit) = self.limits.all.try_acquire(&caller) else {
            return Box::pin(ready(Ok(busy("too many submissions").into_http())));
        };
        let large = Arc::new(OnceLock::new());
        let limit = BodyLimit::Submission(SubmissionBody {
            limits: Arc::clone(&self.limits),
            caller,
            waiting: None,
            large: Arc::clone(&large),
        });
        let request = request.map(|body| Body::new(LimitedBody::new(body, limit)));
        let response = self.inner.call(request);
        Box::pin(async move {
            let response = response.await;
            // The body was read before, and what was made of it lives until now.
            drop((permit, large));
            response
        })
    }
}

/// A body that is short, or is admitted once it is large, and that arrives in time.
struct LimitedBody {
    inner: Body,
    n_bytes: usize,
    limit: BodyLimit,
    deadline: Pin<Box<Sleep>>,
}

enum BodyLimit {
    Short,
    Submission(SubmissionBody),
}

/// The body of a submission.
struct SubmissionBody {
    limits: Arc<SubmissionLimits>,
    caller: Caller,
    /// Resolves when the body is admitted as a large one; `None` until it is large.
    waiting: Option<Pin<Box<dyn Future<Output = CallerPermit> + Send>>>,
    /// The permit of a large body, which the call keeps to its end.
    large: Arc<OnceLock<CallerPermit>>,
}

impl LimitedBody {
    fn new(inner: Body, limit: BodyLimit) -> Self {
        let deadline = Box::pin(tokio::time::sleep_until(Instant::now() + BODY_TIMEOUT));
        Self { inner, n_bytes: 0, limit, deadline }
    }

    /// Resolves when more of the body may be read.
    fn poll_admission(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Status>> {
        let (n_bytes, most) = match &self.limit {
            BodyLimit::Short => (self.n_bytes, MAX_BODY_BYTES),
            BodyLimit::Submission(_) => (self.n_bytes, MAX_REQUEST_BYTES),
        };
        if most < n_bytes {
            return Poll::Ready(Err(Status::out_of_range(format!(
                "the request has more than {most} bytes"
            ))));
        }
        match &mut self.limit {
            BodyLimit::Submission(body) if SMALL_SUBMISSION_BYTES < n_bytes => {
                body.poll_admission(cx)
            }
            BodyLimit::Submission(_) | BodyLimit::Short => Poll::Ready(Ok(())),
        }
    }
}

impl SubmissionBody {
    /// Resolves when the body may be a large one.
    fn poll_admission(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Status>> {
        if self.large.get().is_some() {
            return Poll::Ready(Ok(()));
        }
        let Self { limits, caller, waiting, large } = self;
        let waiting = match waiting {
            Some(waiting) => waiting,
            None => {
                let Some(place) = limits.waiting.try_acquire(caller) else {
                    return Poll::Ready(Err(busy("too many large specs")));
                };
                let (limits, caller) = (Arc::clone(limits), caller.clone());
                waiting.insert(Box::pin(async move {
                    let permit = limits.large.acquire(&caller, 1).await;
                    drop(place);
                    permit
                }))
            }
        };
        let permit = ready!(waiting.as_mut().poll(cx));
        // It is empty: this body alone fills it, once.
        large.set(permit).unwrap_or(());
        Poll::Ready(Ok(()))
    }
}

impl HttpBody for LimitedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.deadline.as_mut().poll(cx).is_ready() {
            let is_waiting = matches!(&self.limit, BodyLimit::Submission(body)
                if body.waiting.is_some() && body.large.get().is_none());
            return Poll::Ready(Some(Err(match is_waiting {
                true => busy("too many large specs"),
                false => Status::deadline_exceeded(format!(
                    "the request did not arrive within {} s",
                    BODY_TIMEOUT.as_secs()
                )),
            })));
        }
        if let Err(status) = ready!(self.poll_admission(cx)) {
            return Poll::Ready(Some(Err(status)));
        }
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(cx)?);
        let data = frame.as_ref().and_then(Frame::data_ref);
        self.n_bytes += data.map_or(0, Bytes::len);
        Poll::Ready(frame.map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }
}

/// Returns the refusal of a submission that may be repeated soon.
fn busy(what: &str) -> Status {
    let mut status = Status::resource_exhausted(format!(
        "{what} at this coordinator now: try another, or again in {} s",
        RETRY_AFTER_MS.div_ceil(1000)
    ));
    status.metadata_mut().insert(RETRY_PUSHBACK, MetadataValue::from(RETRY_AFTER_MS));
    status
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::future::poll_fn;
    use std::task::Waker;

    use tonic::Code;
    use tower::service_fn;

    use hatchery_coordinator::CallerAddress;

    use super::*;

    /// The bytes of a frame.
    const FRAME: usize = 16 << 10;

    /// A body of some frames, which then ends, or never ends.
    struct Frames {
        n_frames: usize,
        end: Poll<()>,
    }

    impl HttpBody for Frames {
        type Data = Bytes;
        type Error = Status;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
            let Some(rest) = self.n_frames.checked_sub(1) else { return self.end.map(|()| None) };
            self.n_frames = rest;
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[0; FRAME])))))
        }
    }

    async fn read(request: Request<Body>) -> Result<Response<Body>, Infallible> {
        let mut body = request.into_body();
        while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            if let Err(status) = frame {
                return Ok(status.into_http());
            }
        }
        Ok(Status::ok("").into_http())
    }

    /// The call of a service that reads the body.
    struct Call(ResponseFuture<Infallible>);

    impl Call {
        fn new(layer: &AdmissionLayer, path: &str, frames: Frames) -> Self {
            Self::from_address(layer, 0, path, frames)
        }

        /// The call of a client whose address ends with `address`.
        fn from_address(layer: &AdmissionLayer, address: u8, path: &str, frames: Frames) -> Self {
            let address = CallerAddress([192, 0, 2, address].into());
            let request = Request::builder().uri(path).extension(address);
            let request = request.body(Body::new(frames)).unwrap();
            Self(layer.layer(service_fn(read)).call(request))
        }

        /// Its answer, or `None` while it waits.
        fn answer(&mut self) -> Option<Status> {
            match self.0.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Pending => None,
                Poll::Ready(Ok(response)) => Status::from_header_map(response.headers()),
            }
        }

        fn code(&mut self) -> Option<Code> {
            self.answer().map(|status| status.code())
        }
    }

    fn whole(n_frames: usize) -> Frames {
        Frames { n_frames, end: Poll::Ready(()) }
    }

    #[tokio::test]
    async fn bodies_have_a_greatest_length() {
        let layer = AdmissionLayer::default();
        let check = |path: &str, n_bytes: usize, code| {
            let found = Call::new(&layer, path, whole(n_bytes / FRAME)).code();
            assert_eq!(found, Some(code), "{path} with {n_bytes} bytes");
        };
        let list = "/hatchery.v1.Control/ListRuns";
        check(list, MAX_BODY_BYTES, Code::Ok);
        check(list, MAX_BODY_BYTES + FRAME, Code::OutOfRange);
        check(SUBMIT, MAX_REQUEST_BYTES, Code::Ok);
        check(SUBMIT, MAX_REQUEST_BYTES + FRAME, Code::OutOfRange);
        for stream in STREAMS {
            check(stream, 10 * MAX_REQUEST_BYTES, Code::Ok);
        }
    }

    /// Submits specs of `n_frames` frames without an end, as each of `addresses`, until a spec is
    /// refused. Returns the number of admitted specs by address.
    fn n_admitted(addresses: &[u8], n_frames: usize) -> Vec<usize> {
        let (layer, mut calls) = (AdmissionLayer::default(), Vec::new());
        let mut n_admitted = |&address: &u8| {
            let begun = calls.len();
            loop {
                let frames = Frames { n_frames, end: Poll::Pending };
                let mut call = Call::from_address(&layer, address, SUBMIT, frames);
                match call.code() {
                    None => calls.push(call),
                    Some(code) => {
                        assert_eq!(code, Code::ResourceExhausted);
                        return calls.len() - begun;
                    }
                }
            }
        };
        addresses.iter().map(&mut n_admitted).collect()
    }

    /// docs/REFERENCE.md states these numbers.
    #[tokio::test]
    async fn submissions_are_limited_by_caller_and_in_all() {
        assert_eq!(n_admitted(&[1, 2, 3], 1), [512, 512, 0], "1,024 in all");
        assert_eq!(n_admitted(&[1, 2, 3], 2), [2 + 8, 2 + 8, 0], "4 that are read, 16 that wait");
    }

    #[tokio::test]
    async fn large_submissions_wait_and_small_ones_do_not() {
        let layer = AdmissionLayer::default();
        let mut calls: Vec<_> = (0..MAX_CALLER_LARGE + MAX_CALLER_WAITING)
            .map(|_| Call::new(&layer, SUBMIT, Frames { n_frames: 2, end: Poll::Pending }))
            .collect();
        assert!(calls.iter_mut().all(|call| call.answer().is_none()));
        let refused = Call::new(&layer, SUBMIT, whole(2)).answer().unwrap();
        assert_eq!(refused.code(), Code::ResourceExhausted);
        assert_eq!(refused.metadata().get(RETRY_PUSHBACK).unwrap(), "1000");
        assert_eq!(Call::new(&layer, SUBMIT, whole(1)).code(), Some(Code::Ok));
        // Their client has gone away, and those that waited are read.
        calls.drain(..MAX_CALLER_LARGE);
        assert!(calls.iter_mut().all(|call| call.answer().is_none()));
        for _ in 0..MAX_CALLER_LARGE {
            calls.push(Call::new(&layer, SUBMIT, whole(2)));
            assert_eq!(calls.last_mut().unwrap().code(), None, "it waits");
        }
        assert_eq!(Call::new(&layer, SUBMIT, whole(2)).code(), Some(Code::ResourceExhausted));
        calls.drain(..MAX_CALLER_WAITING);
        assert!(calls.iter_mut().all(|call| call.code() == Some(Code::Ok)));
    }
}
