//! A run as its store or a farm has it.

use hatchery_catalog::CATALOG;
use hatchery_coordinator::record::{Checkpoint, GenerationRecord, RunRecord};
use hatchery_coordinator::store::Position;
use hatchery_coordinator::{RunId, RunState, Store};
use hatchery_core::erased::ConfiguredExperiment;
use hatchery_core::{Exhibit, Measure};
use hatchery_proto::PROTOCOL;
use hatchery_proto::v1::{RunExport, RunStatus, State};
use prost::Message;
use ulid::Ulid;

use crate::failure::Failure;

/// All that a store or a farm says of a run, but its states.
pub(crate) struct StoredRun {
    pub(crate) id: RunId,
    pub(crate) record: RunRecord,
    pub(crate) state: RunState,
    /// The current generation, or the last one.
    pub(crate) generation: u32,
    pub(crate) checkpoint: Checkpoint,
    pub(crate) generations: Vec<GenerationRecord>,
    pub(crate) procedure: Box<dyn ConfiguredExperiment>,
}

impl StoredRun {
    /// Reads run `id` from `store`.
    pub(crate) async fn read(store: &dyn Store, id: RunId) -> Result<Self, Failure> {
        let record = store.record(id).await?;
        let checkpoint = store.checkpoint(id).await?;
        let generations = store.generations(id, 0).await?;
        let Position { state, generation, .. } = store.position(id).await?;
        Self::decode(id, (state, generation), &record, &checkpoint, &generations)
    }

    /// The run that a farm exported.
    pub(crate) fn exported(export: &RunExport) -> Result<Self, Failure> {
        let RunExport { protocol, status, record, checkpoint, generations, events: _ } = export;
        let status = status.as_ref().filter(|_| *protocol == PROTOCOL);
        let id = status.and_then(|status| Ulid::from_string(&status.run).ok());
        let (Some(status), Some(id)) = (status, id) else {
            return Err(Failure::OtherVersion(format!(
                "the farm speaks version {protocol} of the protocol, but this build version \
                 {PROTOCOL}: use the farm's build"
            )));
        };
        let state = state_of(status);
        // What a status counts is folded; a run that is done stays at its last generation.
        let n_after_last = u32::from(state == RunState::Done);
        let position = (state, status.generation.saturating_sub(n_after_last));
        Self::decode(RunId(id), position, record, checkpoint, generations)
    }

    fn decode(
        id: RunId,
        (state, generation): (RunState, u32),
        record: &[u8],
        checkpoint: &[u8],
        generations: &[Vec<u8>],
    ) -> Result<Self, Failure> {
        let record = decode::<RunRecord>(record, "record")?;
        let checkpoint = decode::<Checkpoint>(checkpoint, "checkpoint")?;
        let generations = generations.iter().map(|bytes| decode(bytes, "generation"));
        let generations = generations.collect::<Result<Vec<_>, _>>()?;
        let procedure = open(&record)?;
        Ok(Self { id, record, state, generation, checkpoint, generations, procedure })
    }

    /// What the run measured: nothing before a generation is folded, whatever the state that it
    /// begins with would say.
    pub(super) fn measures(&self) -> Result<Vec<Measure>, Failure> {
        match self.generations.is_empty() {
            true => Ok(Vec::new()),
            false => Ok(self.procedure.measures(&self.checkpoint.state)?),
        }
    }

    /// The files that it shows; as for [`measures`](Self::measures).
    pub(super) fn exhibits(&self) -> Result<Vec<Exhibit>, Failure> {
        match self.generations.is_empty() {
            true => Ok(Vec::new()),
            false => Ok(self.procedure.exhibits(&self.checkpoint.state)?),
        }
    }
}

/// The state of a run of which a farm says `status`. One that this build does not know goes on.
fn state_of(status: &RunStatus) -> RunState {
    match status.state() {
        State::Unspecified | State::Active => RunState::Active,
        State::Paused => RunState::Paused,
        State::Done => RunState::Done,
        State::Failed => RunState::Failed { reason: status.reason.clone() },
        State::Cancelled => RunState::Cancelled,
    }
}

/// The experiment and parameters of a stored run; refused if this build has another version.
fn open(record: &RunRecord) -> Result<Box<dyn ConfiguredExperiment>, Failure> {
    let RunRecord { experiment, version, .. } = record;
    let known = CATALOG.find(experiment).filter(|known| known.version() == *version);
    let Some(known) = known else {
        return Err(Failure::OtherVersion(format!(
            "the run is of {experiment} version {version}, which this build does not have: use the \
             build that began it"
        )));
    };
    Ok(known.reopen(&record.params)?)
}

fn decode<M: Message + Default>(bytes: &[u8], what: &'static str) -> Result<M, Failure> {
    M::decode(bytes)
        .map_err(|source| Failure::Drive(hatchery_coordinator::DriveError::Decode { what, source }))
}
