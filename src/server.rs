//! The gRPC server of a coordinator: its services, their health, and the limits of connections.

mod accept;
mod connection;
mod gate;
mod health;
mod line;
mod refusals;

pub(crate) use accept::{Accepting, Listening, Terms, Tls, Tokens};
pub(crate) use gate::{Gate, Gated};
pub(crate) use health::Health;
pub(crate) use refusals::Refusals;

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

/// The largest head of a call: it is read before anything is known of who sends it.
const MAX_HEAD_BYTES: u32 = 16 << 10;

/// Whether clients may ask which services and messages there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reflection {
    On,
    Off,
}

/// Who may come in, and what they may ask besides.
#[derive(Debug)]
pub(crate) struct Door {
    pub(crate) gate: Option<Gate>,
    pub(crate) reflection: Reflection,
}

/// Serves `coordinator` on what is `accepting`, to those that the `door` lets in, until `stop` resolves and all calls have ended.
pub(crate) async fn serve(
    coordinator: &Coordinator,
    control: &ControlService,
    health: &Health,
    door: Door,
    accepting: Accepting,
    stop: impl Future<Output = ()>,
) -> Result<(), Failure> {
    let set_up = |error: tonic_reflection::server::Error| Failure::SetUp(Box::new(error));
    let reflection = match door.reflection {
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
        .http2_max_header_list_size(MAX_HEAD_BYTES)
        .layer(Gated(door.gate))
        .add_service(coordinator.worker_service())
        .add_service(control.server())
        .add_service(health.service())
        .add_optional_service(reflection)
        .serve_with_incoming_shutdown(accepting, stop)
        .await
        .map_err(|error| Failure::SetUp(Box::new(error)))
}
