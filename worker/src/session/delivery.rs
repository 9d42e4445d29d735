//! The delivery of values that are too large for a message of the session: parts that trials have
//! written, and large results.

use std::time::Duration;

use hatchery_core::{Part, PartSet};
use hatchery_proto::PART_CHUNK_BYTES;
use hatchery_proto::v1::worker_plane_client::WorkerPlaneClient;
use hatchery_proto::v1::{
    ByteChunk, PartRef, PartsOfJob, PutPartsRequest, PutResultRequest, put_parts_request,
    put_result_request,
};
use prost::bytes::Bytes;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tonic::{Code, Status};

use super::dial::AuthChannel;
use super::fetch::{FIRST_WAIT, LONGEST_WAIT};
use crate::ids::JobKey;
use crate::job_table::delivery::{Delivery, DeliveryContent};

/// The time for which a delivery is repeated. After it the job is better off with another worker.
const RETRY_DEADLINE: Duration = Duration::from_secs(120);

/// The time for one attempt to deliver the parts of a job: the 600 s that a coordinator allows, and
/// a minute to wait for its permit.
const PARTS_DEADLINE: Duration = Duration::from_secs(660);

/// The same for a large result, for which a coordinator allows 480 s.
const RESULT_DEADLINE: Duration = Duration::from_secs(540);

/// The delivery of a session that is in progress: one at a time, in the order of the jobs' ends.
#[derive(Debug, Default)]
pub(crate) struct DeliveryTask {
    tasks: JoinSet<Result<(), Status>>,
    of: Option<JobKey>,
}

impl DeliveryTask {
    /// Returns true if a delivery is in progress.
    pub(crate) fn is_busy(&self) -> bool {
        self.of.is_some()
    }

    /// Starts to deliver, in the session with this id.
    pub(crate) fn start(
        &mut self,
        client: &WorkerPlaneClient<AuthChannel>,
        session: Vec<u8>,
        delivery: Delivery,
    ) {
        self.of = Some(delivery.key);
        self.tasks.spawn(deliver(client.clone(), session, delivery));
    }

    /// Aborts the delivery in progress if `is_wanted` does not hold for its job: other deliveries
    /// wait.
    pub(crate) fn abort_unless(&mut self, is_wanted: impl FnOnce(JobKey) -> bool) {
        if let Some(key) = self.of
            && !is_wanted(key)
        {
            *self = Self::default();
        }
    }

    /// Waits for the delivery to end; `None` if there is none. Nothing is lost if the future is
    /// dropped.
    pub(crate) async fn next(&mut self) -> Option<(JobKey, Result<(), Status>)> {
        let outcome = self.tasks.join_next().await?;
        let key = self.of.take()?;
        let panicked = |_| Err(Status::internal("the delivery panicked"));
        Some((key, outcome.unwrap_or_else(panicked)))
    }
}

/// Returns true if a delivery that ended with `status` can succeed later.
pub(crate) fn is_transient(status: &Status) -> bool {
    !matches!(
        status.code(),
        Code::InvalidArgument
            | Code::FailedPrecondition
            | Code::NotFound
            | Code::OutOfRange
            | Code::PermissionDenied
            | Code::Unauthenticated
            | Code::Unimplemented
    )
}

/// Delivers, again and again until [`RETRY_DEADLINE`] while the error is transient.
async fn deliver(
    mut client: WorkerPlaneClient<AuthChannel>,
    session: Vec<u8>,
    delivery: Delivery,
) -> Result<(), Status> {
    let give_up = Instant::now() + RETRY_DEADLINE;
    let deadline = match &delivery.content {
        DeliveryContent::Parts(_) => PARTS_DEADLINE,
        DeliveryContent::Result(_) => RESULT_DEADLINE,
    };
    let mut wait = FIRST_WAIT;
    loop {
        let attempt = deliver_once(&mut client, session.clone(), delivery.clone());
        let outcome = timeout(deadline, attempt).await.unwrap_or_else(|_| {
            let seconds = deadline.as_secs();
            Err(Status::deadline_exceeded(format!("no answer within {seconds} s")))
        });
        let Err(status) = outcome else { return Ok(()) };
        if !is_transient(&status) || give_up < Instant::now() + wait {
            return Err(status);
        }
        sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

/// Delivers once.
async fn deliver_once(
    client: &mut WorkerPlaneClient<AuthChannel>,
    session: Vec<u8>,
    Delivery { key, ticket, content }: Delivery,
) -> Result<(), Status> {
    match content {
        DeliveryContent::Parts(parts) => {
            let (r#ref, ticket) = (Some(key.to_wire()), ticket.to_wire());
            let job = PartsOfJob { session, r#ref, ticket, n_bytes: parts.n_bytes() };
            client.put_parts(tokio_stream::iter(part_messages(job, parts))).await.map(drop)
        }
        DeliveryContent::Result(bytes) => {
            let messages = result_messages(session, bytes);
            client.put_result(tokio_stream::iter(messages)).await.map(drop)
        }
    }
}

fn part_messages(job: PartsOfJob, parts: PartSet) -> impl Iterator<Item = PutPartsRequest> {
    use put_parts_request::Message;
    let of_part = |(part, bytes): (Part, Bytes)| {
        let name = PartRef { hash: part.hash().as_bytes().to_vec(), n_bytes: part.n_bytes() };
        let chunks = chunks(bytes).map(Message::Chunk);
        std::iter::once(Message::Part(name)).chain(chunks)
    };
    let messages = std::iter::once(Message::Job(job)).chain(parts.into_iter().flat_map(of_part));
    messages.map(|message| PutPartsRequest { message: Some(message) })
}

fn result_messages(session: Vec<u8>, bytes: Bytes) -> impl Iterator<Item = PutResultRequest> {
    use put_result_request::Message;
    let messages =
        std::iter::once(Message::Session(session)).chain(chunks(bytes).map(Message::Chunk));
    messages.map(|message| PutResultRequest { message: Some(message) })
}

/// Cuts bytes into chunks: one, without bytes, if there are none.
fn chunks(bytes: Bytes) -> impl Iterator<Item = ByteChunk> {
    let starts = (0..bytes.len().max(1)).step_by(PART_CHUNK_BYTES);
    starts.map(move |start| {
        let end = bytes.len().min(start + PART_CHUNK_BYTES);
        ByteChunk { data: bytes.slice(start..end) }
    })
}
