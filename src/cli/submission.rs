//! Submits a run until the farm has its inputs.

use std::collections::BTreeSet;

use hatchery_core::Digest;
use hatchery_proto::v1::{SubmitRequest, SubmitResponse};
use hatchery_store::RunId;
use tonic::Code;

use super::loaded_spec::LoadedSpec;
use crate::client::{FailoverPolicy, FarmClient};
use crate::error::{CommandError, SearchedFarm};
use crate::inputs::LocalInputs;
use crate::terminal::escape_controls;

/// The most submissions until a farm has all inputs: the answer to the first submission names the
/// missing inputs, and others follow where some have expired, or their coordinator is replaced.
const MAX_SUBMISSIONS: usize = 4;

/// Returns the id that a coordinator gave a run.
///
/// # Errors
/// If it is none.
pub(super) fn run_id(run: &str) -> Result<String, CommandError> {
    match run.parse::<RunId>() {
        Ok(id) => Ok(id.to_string()),
        Err(_) => {
            let message = format!("it returned {:?}, which is not a run id", escape_controls(run));
            Err(CommandError::Coordinator { message })
        }
    }
}

/// Submits `request`. If the farm lacks inputs, uploads the inputs that are on this machine, and
/// submits `request` again. The inner error leaves open whether the run exists.
pub(super) async fn submit_with_inputs(
    farm: &mut FarmClient,
    failover: FailoverPolicy,
    request: &SubmitRequest,
    spec: &LoadedSpec,
    inputs: &mut LocalInputs,
) -> Result<Result<SubmitResponse, CommandError>, CommandError> {
    for _ in 0..MAX_SUBMISSIONS {
        let submitted = match farm.submit(failover, request, spec.inputs.len()).await {
            Ok(Ok(submitted)) => submitted,
            Ok(Err(status)) if status.code() == Code::InvalidArgument => {
                let message = escape_controls(status.message());
                return Err(CommandError::SpecRefused { message });
            }
            Ok(Err(status)) => return Err(CommandError::refused(&status)),
            Err(failure) => return Ok(Err(failure)),
        };
        if submitted.missing_inputs.is_empty() {
            return Ok(Ok(submitted));
        }
        let missing = submitted.missing_inputs.iter();
        let missing: BTreeSet<_> = missing
            .filter_map(|input| Digest::from_bytes(&input.hash))
            .filter(|hash| inputs.is_named(*hash))
            .collect();
        inputs.search_exhibits(missing.iter().copied());
        for hash in missing {
            let Some(part) = inputs.part(hash) else {
                return Err(spec.input_not_found(&inputs.not_found(hash, SearchedFarm::Yes)));
            };
            let bytes = inputs.read(part)?;
            spec.check_input(hash, &bytes)?;
            farm.put_input(failover, &request.idempotency_key, part, &bytes).await?;
        }
    }
    let message = format!("the farm still lacks inputs after {MAX_SUBMISSIONS} submissions");
    Err(CommandError::Coordinator { message })
}
