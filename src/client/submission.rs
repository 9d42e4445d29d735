//! Submitting a run, and uploading its inputs.

use hatchery_core::Part;
use hatchery_proto::PART_CHUNK_BYTES;
use hatchery_proto::v1::{
    ByteChunk, InputHead, PartRef, PutInputRequest, SubmitRequest, SubmitResponse,
    put_input_request,
};
use prost::bytes::Bytes;
use tonic::{Response, Status};

use super::farm::{
    CALL_DEADLINE, CoordinatorClient, FailoverPolicy, FarmClient, TRANSFER_DEADLINE,
};
use crate::error::CommandError;

impl FarmClient {
    /// Submits a run whose spec names `n_inputs` inputs: a farm that copies some may take long.
    pub(crate) async fn submit(
        &mut self,
        failover: FailoverPolicy,
        request: &SubmitRequest,
        n_inputs: usize,
    ) -> Result<Result<SubmitResponse, Status>, CommandError> {
        let act = async |mut client: CoordinatorClient| {
            client.submit(request.clone()).await.map(Response::into_inner)
        };
        let deadline = if n_inputs == 0 { CALL_DEADLINE } else { TRANSFER_DEADLINE };
        self.call_within(deadline, failover, act).await
    }

    /// Uploads `bytes`, the part `input`, for the run that will be submitted under
    /// `idempotency_key`.
    pub(crate) async fn put_input(
        &mut self,
        failover: FailoverPolicy,
        idempotency_key: &str,
        input: Part,
        bytes: &Bytes,
    ) -> Result<(), CommandError> {
        let act = async |mut client: CoordinatorClient| {
            let messages = tokio_stream::iter(input_messages(idempotency_key, input, bytes));
            client.put_input(messages).await
        };
        let put = self.call_within(TRANSFER_DEADLINE, failover, act).await?;
        put.map(drop).map_err(|status| CommandError::refused(&status))
    }
}

/// Returns the messages that carry an input.
fn input_messages(
    idempotency_key: &str,
    input: Part,
    bytes: &Bytes,
) -> impl Iterator<Item = PutInputRequest> + Send + 'static {
    let hash = input.hash().as_bytes().to_vec();
    let head = InputHead {
        idempotency_key: idempotency_key.to_owned(),
        input: Some(PartRef { hash, n_bytes: input.n_bytes() }),
    };
    let bytes = bytes.clone();
    let starts = (0..bytes.len().max(1)).step_by(PART_CHUNK_BYTES);
    let chunks = starts.map(move |start| {
        let end = bytes.len().min(start + PART_CHUNK_BYTES);
        put_input_request::Message::Chunk(ByteChunk { data: bytes.slice(start..end) })
    });
    let messages = std::iter::once(put_input_request::Message::Head(head)).chain(chunks);
    messages.map(|message| PutInputRequest { message: Some(message) })
}
