//! A run, read from its store or from a farm.

use hatchery_coordinator::StampedEvent;
use hatchery_coordinator::run::record::{Checkpoint, GenerationRecord, RunRecord, hashes};
use hatchery_core::erased::{ConfiguredExperiment, stored_files};
use hatchery_core::spec::NamedFiles;
use hatchery_core::{
    AnyExperiment, Digest, Exhibit, Findings, GenerationMeasures, Measure, PartSet, RunHistory,
    RunSeed,
};
use hatchery_proto::PROTOCOL;
use hatchery_proto::v1::{RunExport, RunStatus, State};
use hatchery_store::operation::{
    ControlView, ReadCheckpoint, ReadGenerations, ReadOverviews, ReadPosition, ReadRecord,
};
use hatchery_store::parts::{read_all, read_whole};
use hatchery_store::{RunId, RunPosition, RunState, Store, StoreError};
use prost::Message;
use prost::bytes::Bytes;
use ulid::Ulid;

use crate::error::{CommandError, VersionError};
use crate::program::catalog;
use crate::spec_files::SpecFiles;

/// Everything that a store or a farm has of a run except the states of past generations.
pub(crate) struct StoredRun {
    pub(crate) id: RunId,
    pub(crate) record: RunRecord,
    /// The files that its parameters name.
    files: PartSet,
    pub(crate) state: RunState,
    /// The current generation, or the last generation.
    pub(crate) generation: u32,
    pub(crate) checkpoint: Checkpoint,
    /// The state that the checkpoint names.
    last_state: Bytes,
    pub(crate) generations: Vec<GenerationRecord>,
    /// When a leader first took the run, and when the run ended, in milliseconds since 1970.
    pub(crate) started_unix_ms: Option<u64>,
    pub(crate) ended_unix_ms: Option<u64>,
    /// True if this machine has computed the run, and not a farm.
    pub(crate) is_local: bool,
    pub(crate) procedure: Box<dyn ConfiguredExperiment>,
}

impl StoredRun {
    /// Returns whether the state that `generation` started from is kept: all are, of a run of an
    /// earlier version.
    pub(crate) fn keeps_state(&self, generation: u32) -> bool {
        let kept = &self.checkpoint.kept;
        kept.is_empty() || kept.iter().any(|state| state.generation == generation)
    }

    /// Returns the generations whose trials can be replayed, in their order: generations that have
    /// begun and whose state is kept.
    pub(crate) fn replayable_generations(&self) -> Vec<u32> {
        let folded = self.generations.iter().map(|record| record.generation);
        let mut generations: Vec<_> = folded.filter(|&it| self.keeps_state(it)).collect();
        if self.generations.len() as u64 == u64::from(self.generation) {
            generations.push(self.generation);
        }
        generations
    }

    /// Returns the files that the run's parameters name.
    pub(crate) fn files(&self) -> Result<SpecFiles, CommandError> {
        let mut files = SpecFiles::default();
        for NamedFiles { reference, .. } in stored_files(&self.record.params)? {
            if let Some(bytes) = self.files.find(reference.hash()) {
                files.add(reference, bytes);
            }
        }
        Ok(files)
    }

    /// Returns whether the run has its result.
    pub(crate) fn is_done(&self) -> bool {
        self.state == RunState::Done
    }

    /// Returns the latest state: the run's result, once it is done.
    pub(crate) fn latest_state(&self) -> &[u8] {
        &self.last_state
    }

    /// Reads run `id` from `store`.
    pub(crate) async fn read(store: &Store, id: RunId) -> Result<Self, CommandError> {
        let record = store.execute(ReadRecord { run: id }).await?;
        let record = decode::<RunRecord>(&record, "record")?;
        let files = read_all(store.view::<ControlView>(), id, &file_hashes(&record)?).await?;
        let checkpoint = store.execute(ReadCheckpoint { run: id }).await?;
        let generations = store.execute(ReadGenerations { run: id, from: 0 }).await?;
        let RunPosition { state, generation, .. } = store.execute(ReadPosition { run: id }).await?;
        let checkpoint = decode::<Checkpoint>(&checkpoint, "checkpoint")?;
        let last_state = read_state(store, id, &checkpoint).await?;
        let checkpoint = (checkpoint, last_state);
        let overview = store.execute(ReadOverviews { runs: vec![id] }).await?.pop().flatten();
        let time = |event: Option<Vec<u8>>| {
            serde_json::from_slice::<StampedEvent>(&event?).ok().map(|stamped| stamped.unix_ms)
        };
        let (first, last) = overview.map(|run| (run.first_event, run.last_event)).unzip();
        let has_ended = !matches!(state, RunState::Active | RunState::Paused);
        let record = (record, files);
        let run = Self::decode(id, (state, generation), record, checkpoint, &generations)?;
        Ok(Self {
            started_unix_ms: time(first.flatten()),
            ended_unix_ms: time(last.flatten()).filter(|_| has_ended),
            is_local: true,
            ..run
        })
    }

    /// Decodes the run that a farm exported; `read` returns the run's part with a hash.
    pub(crate) async fn exported(
        export: &RunExport,
        mut read: impl AsyncFnMut(RunId, Digest) -> Result<Option<Bytes>, CommandError>,
    ) -> Result<Self, CommandError> {
        let RunExport { protocol, status, record, checkpoint, generations, state: last, .. } =
            export;
        let status = status.as_ref().filter(|_| *protocol == PROTOCOL);
        let id = status.and_then(|status| Ulid::from_string(&status.run).ok());
        let (Some(status), Some(id)) = (status, id) else {
            return Err(VersionError::Protocol { protocol: *protocol }.into());
        };
        let state = state_of(status);
        // A status counts folded generations; the position of a finished run is its last one.
        let n_after_last = u32::from(state == RunState::Done);
        let position = (state, status.generation.saturating_sub(n_after_last));
        let checkpoint = decode::<Checkpoint>(checkpoint, "checkpoint")?;
        let checkpoint = (checkpoint, last.clone().into());
        let record = decode::<RunRecord>(record, "record")?;
        let mut files = PartSet::default();
        for hash in file_hashes(&record)? {
            if let Some(bytes) = read(RunId(id), hash).await? {
                files.add(bytes);
            }
        }
        let record = (record, files);
        let run = Self::decode(RunId(id), position, record, checkpoint, generations)?;
        Ok(Self {
            started_unix_ms: Some(status.started_unix_ms).filter(|&ms| ms != 0),
            ended_unix_ms: Some(status.ended_unix_ms).filter(|&ms| ms != 0),
            ..run
        })
    }

    fn decode(
        id: RunId,
        (state, generation): (RunState, u32),
        (record, files): (RunRecord, PartSet),
        (checkpoint, last_state): (Checkpoint, Bytes),
        generations: &[Vec<u8>],
    ) -> Result<Self, CommandError> {
        let generations = generations.iter().map(|bytes| decode(bytes, "generation"));
        let generations = generations.collect::<Result<Vec<_>, _>>()?;
        let procedure = open(&record, &files)?;
        Ok(Self {
            id,
            record,
            files,
            state,
            generation,
            checkpoint,
            last_state,
            generations,
            started_unix_ms: None,
            ended_unix_ms: None,
            is_local: false,
            procedure,
        })
    }

    /// Returns the run's measures from the last folded generation: none before a generation is
    /// folded, although the initial state may have some.
    pub(super) fn measures(&self) -> Vec<Measure> {
        self.generations.last().map(GenerationRecord::measures).unwrap_or_default()
    }

    /// Returns the measures by folded generation, in their order.
    pub(crate) fn history(&self) -> Vec<GenerationMeasures> {
        self.generations.iter().map(GenerationRecord::generation_measures).collect()
    }

    /// Returns the findings of the run with this history: nothing before a generation is folded.
    pub(super) fn findings(
        &self,
        history: &[GenerationMeasures],
    ) -> Result<Option<Findings>, CommandError> {
        if self.generations.is_empty() {
            return Ok(None);
        }
        let seed = RunSeed::new(&self.record.experiment, self.record.seed);
        let history = RunHistory { seed: &seed, generations: history };
        Ok(self.procedure.findings(&self.last_state, &history)?)
    }

    /// Returns the one-line description of the run's experiment.
    pub(super) fn summary(&self) -> &'static str {
        catalog().find(&self.record.experiment).map_or("", AnyExperiment::summary)
    }

    /// Returns the run's exhibits: none before a generation is folded.
    pub(super) fn exhibits(&self) -> Result<Vec<Exhibit>, CommandError> {
        match self.generations.is_empty() {
            true => Ok(Vec::new()),
            false => Ok(self.procedure.exhibits(&self.last_state)?),
        }
    }
}

/// Returns the state that a checkpoint in `store` names.
async fn read_state(
    store: &Store,
    run: RunId,
    checkpoint: &Checkpoint,
) -> Result<Bytes, CommandError> {
    if checkpoint.state_parts.is_empty() {
        return Ok(checkpoint.state.clone().into());
    }
    let mut state = Vec::new();
    for hash in hashes(&checkpoint.state_parts) {
        let part = read_whole(store.view::<ControlView>(), run, hash).await?;
        let missing = || StoreError::Damaged {
            place: format!("run {run}"),
            what: "the last state is missing".to_owned(),
        };
        state.extend_from_slice(&part.ok_or_else(missing)?);
    }
    Ok(state.into())
}

/// Returns the state of a run with this status. An unknown state counts as active.
fn state_of(status: &RunStatus) -> RunState {
    match status.state() {
        State::Unspecified | State::Active => RunState::Active,
        State::Paused => RunState::Paused,
        State::Done => RunState::Done,
        State::Failed => RunState::Failed { reason: status.reason.clone() },
        State::Cancelled => RunState::Cancelled,
    }
}

/// Returns the hashes of the files that the parameters of a stored run name.
fn file_hashes(record: &RunRecord) -> Result<Vec<Digest>, CommandError> {
    let files = stored_files(&record.params)?;
    Ok(files.iter().map(|files| files.reference.hash()).collect())
}

/// Opens the experiment of a stored run with its parameters, which name `files`.
///
/// # Errors
///
/// Fails if this build has another version of the experiment.
fn open(
    record: &RunRecord,
    files: &PartSet,
) -> Result<Box<dyn ConfiguredExperiment>, CommandError> {
    let RunRecord { experiment, version, .. } = record;
    let known = catalog().find(experiment).filter(|known| known.version() == *version);
    let Some(known) = known else {
        let (experiment, version) = (experiment.clone(), *version);
        return Err(VersionError::Experiment { experiment, version }.into());
    };
    Ok(known.reopen(&record.params, files)?)
}

fn decode<M: Message + Default>(bytes: &[u8], what: &'static str) -> Result<M, CommandError> {
    M::decode(bytes).map_err(|source| {
        CommandError::Drive(hatchery_coordinator::LeadError::Decode { what, source })
    })
}
