//! The gRPC server of a coordinator: its services, their health, and the limits of connections.

mod accept;
mod health;

pub(crate) use accept::Accepting;
pub(crate) use health::Health;

use std::future::Future;
use std::time::Duration;

use hatchery_coordinator::{ControlService, Coordinator};
use hatchery_proto::v1::DESCRIPTORS;
use tonic::transport::Server;

use crate::failure::Failure;

/// A silence after which a peer is asked whether it is there, and how long it may take to answer:
/// a cut cable is noticed after the sum.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// How many calls a connection may have at the same time: a worker has its session and a few
/// blobs, a person's client two or three. Each may hold a message of the greatest size.
const MAX_STREAMS: u32 = 8;

/// Whether clients may ask which services and messages there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reflection {
    On,
    Off,
}

/// Serves `coordinator` on what is `accepting`, until `stop` resolves and all calls have ended.
pub(crate) async fn serve(
    coordinator: &Coordinator,
    control: &ControlService,
    health: &Health,
    reflection: Reflection,
    accepting: Accepting,
    stop: impl Future<Output = ()>,
) -> Result<(), Failure> {
    let set_up = |error: tonic_reflection::server::Error| Failure::SetUp(Box::new(error));
    let reflection = match reflection {
        Reflection::Off => None,
        Reflection::On => Some(
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(DESCRIPTORS)
                .build_v1()
                .map_err(set_up)?,
        ),
    };
    Server::builder()
        .http2_keepalive_interval(Some(KEEPALIVE_INTERVAL))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .max_concurrent_streams(MAX_STREAMS)
        .add_service(coordinator.worker_service())
        .add_service(control.server())
        .add_service(health.service())
        .add_optional_service(reflection)
        .serve_with_incoming_shutdown(accepting, stop)
        .await
        .map_err(|error| Failure::SetUp(Box::new(error)))
}
