//! Workers that only ever hold transfers: they begin to fetch a part or to send a large result, and
//! stop in the middle, or go on as slowly as a coordinator allows.

use std::time::Duration;

use hatchery_core::Digest;
use hatchery_proto::PART_CHUNK_BYTES;
use hatchery_proto::v1::put_result_request::Message as Content;
use hatchery_proto::v1::worker_plane_client::WorkerPlaneClient;
use hatchery_proto::v1::{
    ByteChunk, GetPartRequest, Hello, PutResultRequest, to_coordinator, to_worker,
};
use hatchery_store::RunId;
use hatchery_worker::Dialer as _;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use turmoil::Sim;

use crate::COORDINATORS;
use crate::client::{Client, hello};
use crate::network::{NarrowDialer, PORT};

/// The number of the workers. Each coordinator has more of them than turns to receive a large
/// result, and their fetches are more than its turns to send a part.
const N_HOLDERS: usize = 30;

/// The time between two chunks of a result: a coordinator waits hardly longer.
const CHUNK_PAUSE: Duration = Duration::from_secs(14);

/// The time for which nothing of a part is read: a coordinator waits less long.
const READ_PAUSE: Duration = Duration::from_secs(20);

/// The wait before the next attempt, as the coordinator may be away.
const RETRY: Duration = Duration::from_secs(1);

/// Adds the workers. They fetch this part of the run, which has several chunks.
pub(crate) fn add(sim: &mut Sim<'_>, run: RunId, part: Digest) {
    sim.host("holders", move || async move {
        let mut holders = JoinSet::new();
        for idx in 0..N_HOLDERS {
            holders.spawn(async move {
                loop {
                    // The coordinator may be away, or end the session.
                    hold(idx, run, part).await.unwrap_or(());
                    sleep(RETRY).await;
                }
            });
        }
        holders.join_all().await;
        Ok(())
    });
}

/// Holds transfers for as long as a session lasts.
async fn hold(idx: usize, run: RunId, part: Digest) -> Option<()> {
    let endpoint = format!("http://{}:{PORT}", COORDINATORS[idx % COORDINATORS.len()]);
    let channel = NarrowDialer.dial(&endpoint).await.ok()?;
    let hello = Hello { experiments: Vec::new(), ..hello(1_000_000 + idx as u128) };
    let hello = to_coordinator::Message::Hello(hello);
    let mut client = Client::open(channel.clone(), hello).await.ok()?;
    let Ok(Some(to_worker::Message::Welcome(welcome))) = client.hear().await else { return None };
    client.keep_alive();
    let (session, calls) = (welcome.session, WorkerPlaneClient::new(channel));
    let request = GetPartRequest {
        hash: part.as_bytes().to_vec(),
        run: run.to_bytes().to_vec(),
        first_chunk: 0,
        session: session.clone(),
    };
    tokio::select! {
        // In a fixed order, so that a simulation can be repeated.
        biased;
        () = async { while let Ok(Some(_)) = client.hear.message().await {} } => {}
        () = hold_part(calls.clone(), request.clone()) => {}
        () = hold_part(calls.clone(), request) => {}
        () = hold_result(calls, session) => {}
    }
    Some(())
}

/// Fetches a part again and again, and reads nothing of it.
async fn hold_part(mut calls: WorkerPlaneClient<Channel>, request: GetPartRequest) {
    loop {
        let unread = calls.get_part(request.clone()).await;
        // After the last fold that names the part, there is none.
        sleep(if unread.is_ok() { READ_PAUSE } else { RETRY }).await;
    }
}

/// Sends a result without end, a chunk from time to time, again and again.
async fn hold_result(mut calls: WorkerPlaneClient<Channel>, session: Vec<u8>) {
    loop {
        let (send, messages) = mpsc::channel(1);
        let chunks = async {
            let mut next = Content::Session(session.clone());
            while send.send(PutResultRequest { message: Some(next) }).await.is_ok() {
                sleep(CHUNK_PAUSE).await;
                next = Content::Chunk(ByteChunk { data: vec![0; PART_CHUNK_BYTES].into() });
            }
        };
        tokio::select! {
            biased;
            _ = calls.put_result(ReceiverStream::new(messages)) => {}
            () = chunks => {}
        }
        sleep(RETRY).await;
    }
}
