//! The gRPC server of a coordinator: its services, their health, and limits on connections.

mod admission;
mod auth;
mod health;

pub(crate) use auth::Authenticator;
pub use health::HealthMonitor;

use std::future::Future;
use std::time::Duration;

use hatchery_coordinator::{ControlService, Coordinator};
use hatchery_proto::v1::DESCRIPTORS;
use tonic::transport::Server;

use crate::error::ServerError;
use crate::listener::{BoundListener, ListenLimits, TlsHandshake};
use admission::AdmissionLayer;
use auth::AuthLayer;

/// TLS and authentication of calls of gRPC.
#[derive(Debug)]
pub struct GrpcAccess {
    pub(crate) tls: Option<TlsHandshake>,
    /// Checks tokens; `None` lets every call through.
    pub(crate) authenticator: Option<Authenticator>,
}

/// The silence after which a peer is pinged, and the time that it has to answer: a cut cable is
/// noticed after the sum.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// The most calls at the same time over a connection: a worker has its session and a few parts, a
/// command two or three calls. Each call may hold a message of the largest size.
const MAX_STREAMS: u32 = 8;

/// The largest head of a call: it is read before the sender is known.
const MAX_HEAD_BYTES: u32 = 16 << 10;

/// The most bytes that a client may send ahead of the reader of a call. A call that waits to be
/// admitted holds as many bytes. Results from far away need them: 1 MB per second at 250 ms.
const STREAM_WINDOW_BYTES: u32 = 256 << 10;

/// The reflection service, which lists services and messages for clients such as grpcurl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerReflection {
    /// Served.
    On,
    /// Not served.
    Off,
}

/// The optional parts of the gRPC server.
#[derive(Debug)]
pub struct GrpcOptions {
    /// TLS, and the clients that may make calls.
    pub access: GrpcAccess,
    /// The reflection service.
    pub reflection: ServerReflection,
}

/// Serves `coordinator` on `listener` until `stop` resolves and all calls have ended.
///
/// # Errors
///
/// Fails if the server cannot be set up.
pub async fn serve(
    coordinator: &Coordinator,
    control: &ControlService,
    health: &HealthMonitor,
    options: GrpcOptions,
    listener: BoundListener,
    stop: impl Future<Output = ()>,
) -> Result<(), ServerError> {
    let reflection = match options.reflection {
        ServerReflection::Off => None,
        ServerReflection::On => Some(
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(DESCRIPTORS)
                .build_v1()
                .map_err(ServerError::set_up)?,
        ),
    };
    let GrpcAccess { tls, authenticator } = options.access;
    let incoming = listener.accept(ListenLimits::coordinator(tls));
    Server::builder()
        .http2_keepalive_interval(Some(KEEPALIVE_INTERVAL))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .max_concurrent_streams(MAX_STREAMS)
        .http2_max_header_list_size(MAX_HEAD_BYTES)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .layer(AuthLayer(authenticator))
        .layer(AdmissionLayer::default())
        .add_service(coordinator.worker_service())
        .add_service(control.server())
        .add_service(health.service())
        .add_optional_service(reflection)
        .serve_with_incoming_shutdown(incoming, stop)
        .await
        .map_err(ServerError::set_up)
}
