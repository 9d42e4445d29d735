//! The delivery of values that are too large for a message of the session: parts that trials have
//! written, and large results.

use std::pin::pin;
use std::time::Duration;

use hatchery_core::{Part, PartSet};
use hatchery_proto::PART_CHUNK_BYTES;
use hatchery_proto::v1::{
    ByteChunk, PartRef, PartsOfJob, PutPartsRequest, PutResultRequest, put_parts_request,
    put_result_request,
};
use prost::bytes::Bytes;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tonic::{Code, Status};

use super::dial::SessionCalls;
use super::fetch::{FIRST_WAIT, LONGEST_WAIT};
use crate::ids::JobKey;
use crate::job_table::delivery::{Delivery, DeliveryContent};

/// The time for which a delivery is repeated. After it the job is better off with another worker.
const RETRY_DEADLINE: Duration = Duration::from_secs(120);

/// The number of attempts for which a line may be too slow. Another attempt would be so as well,
/// and workers with better lines may wait for the job.
const MAX_LATE_ATTEMPTS: u32 = 2;

/// The longest time in which a coordinator takes nothing of a delivery: other lines have their
/// turns meanwhile, and large results wait for memory.
const TAKE_DEADLINE: Duration = Duration::from_secs(600);

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

    /// Starts to deliver.
    pub(crate) fn start(&mut self, calls: &SessionCalls, delivery: Delivery) {
        self.of = Some(delivery.key);
        self.tasks.spawn(deliver(calls.clone(), delivery));
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

/// Returns true if a delivery ended with `status` because the line is too slow.
pub(crate) fn is_late(status: &Status) -> bool {
    status.code() == Code::DeadlineExceeded
}

/// Delivers, again and again until [`RETRY_DEADLINE`] while the error is transient.
async fn deliver(mut calls: SessionCalls, delivery: Delivery) -> Result<(), Status> {
    let give_up = Instant::now() + RETRY_DEADLINE;
    let (mut wait, mut n_late) = (FIRST_WAIT, 0);
    loop {
        let (took, taken) = watch::channel(());
        let attempt = deliver_once(&mut calls, delivery.clone(), took);
        let Err(status) = while_taken(taken, attempt).await else { return Ok(()) };
        n_late += u32::from(is_late(&status));
        let is_over = n_late == MAX_LATE_ATTEMPTS || give_up < Instant::now() + wait;
        if !is_transient(&status) || is_over {
            return Err(status);
        }
        sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

/// Delivers once, and says so each time that the connection takes a message.
async fn deliver_once(
    SessionCalls { client, session }: &mut SessionCalls,
    Delivery { key, ticket, content }: Delivery,
    took: watch::Sender<()>,
) -> Result<(), Status> {
    let session = session.clone();
    match content {
        DeliveryContent::Parts(parts) => {
            let (r#ref, ticket) = (Some(key.to_wire()), ticket.to_wire());
            let job = PartsOfJob { session, r#ref, ticket, n_bytes: parts.n_bytes() };
            let messages = part_messages(job, parts).inspect(move |_| took.send_replace(()));
            client.put_parts(tokio_stream::iter(messages)).await.map(drop)
        }
        DeliveryContent::Result(bytes) => {
            let messages = result_messages(session, bytes).inspect(move |_| took.send_replace(()));
            client.put_result(tokio_stream::iter(messages)).await.map(drop)
        }
    }
}

/// Waits for an attempt, as long as a message is taken within [`TAKE_DEADLINE`] of the last one.
async fn while_taken(
    mut taken: watch::Receiver<()>,
    attempt: impl Future<Output = Result<(), Status>>,
) -> Result<(), Status> {
    let mut attempt = pin!(attempt);
    loop {
        tokio::select! {
            // In a fixed order, so that a simulation can be repeated.
            biased;
            outcome = &mut attempt => return outcome,
            // An error means that all messages were taken.
            Ok(()) = taken.changed() => {}
            () = sleep(TAKE_DEADLINE) => {
                let seconds = TAKE_DEADLINE.as_secs();
                let message = format!("the coordinator took nothing for {seconds} s");
                return Err(Status::deadline_exceeded(message));
            }
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

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    /// Returns the time after which an attempt fails that ends never, and whose messages are taken
    /// every nine minutes, `n_taken` in all.
    async fn fails_after(n_taken: u32) -> Duration {
        let (begun, (took, taken)) = (Instant::now(), watch::channel(()));
        let attempt = async {
            for _ in 0..n_taken {
                sleep(TAKE_DEADLINE * 9 / 10).await;
                took.send_replace(());
            }
            drop(took);
            pending().await
        };
        while_taken(taken, attempt).await.unwrap_err();
        begun.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_delivery_lasts_as_long_as_the_coordinator_takes_some_of_it() {
        assert_eq!(fails_after(0).await, TAKE_DEADLINE);
        assert_eq!(fails_after(100).await, TAKE_DEADLINE * 91);
    }
}
