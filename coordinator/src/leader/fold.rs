//! Folds a generation, and follows the state of its run meanwhile.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;

use hatchery_core::erased::{ClosedGeneration, ConfiguredExperiment, ExperimentError};
use hatchery_core::{GenerationMeasures, GenerationSeed, Part, RunHistory, Step};
use hatchery_store::operation::ReadStanding;
use hatchery_store::{RunState, StoreError};
use tokio::time::{Instant, sleep};

use super::outcome::{LeadError, RunOutcome};
use super::{POLL, RunLeader, StepOutcome, outcome_of};
use crate::base::event::Event;
use crate::run::machine::{FoldInput, FoldOutput, MAX_STATE_PART_BYTES, MachineInput, RunFailure};
use crate::run::record::GenerationRecord;
use crate::run::summary::RunFinding;

/// The state of the run while a generation is folded.
enum FoldPermit {
    /// The fold may be committed.
    Granted,
    /// The run is paused.
    Withheld,
    /// The run has ended.
    Ended(RunOutcome),
}

impl RunLeader<'_> {
    /// Folds a generation, and reports a fold that takes long. The outcome is dropped if the run
    /// ends meanwhile. While the run is paused, the outcome waits: the leader of a paused run is
    /// stopped after a while, and the next leader folds again.
    ///
    /// A dropped fold still runs to its end, because no thread can be stopped.
    pub(super) async fn fold(&mut self, input: FoldInput) -> Result<StepOutcome, LeadError> {
        let (run, generation) = (self.led.lead.run, input.generation);
        let n_bytes = input.n_bytes();
        let seed = self.seed.generation(generation);
        let procedure = Arc::clone(&self.opened.procedure);
        let begun = Instant::now();
        let fold = self.context.compute_pool.run(move || fold(procedure.as_ref(), input, &seed));
        let mut fold = pin!(fold);
        let mut permit = FoldPermit::Granted;
        let mut is_told = false;
        let folded = loop {
            tokio::select! {
                // In a fixed order, so that a simulation can be repeated.
                biased;
                folded = &mut fold => break folded,
                () = sleep(POLL) => permit = self.fold_permit().await?,
            }
            if let FoldPermit::Ended(ended) = permit {
                tracing::info!(%run, generation, "the outcome of a fold is dropped: the run ended");
                return Ok(StepOutcome::Ended(ended));
            }
            if !std::mem::replace(&mut is_told, true) {
                let event = Event::GenerationFolding { generation, bytes: n_bytes };
                self.event_writer.keep(event).await?;
            }
        };
        if is_told {
            let took_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            tracing::warn!(%run, generation, took_ms, n_bytes, "the fold took long");
            permit = self.fold_permit().await?;
        }
        while let FoldPermit::Withheld = permit {
            sleep(POLL).await;
            permit = self.fold_permit().await?;
        }
        if let FoldPermit::Ended(ended) = permit {
            return Ok(StepOutcome::Ended(ended));
        }
        let folded = folded.map_err(RunFailure::said).and_then(|folded| folded);
        Ok(StepOutcome::Input(match folded {
            Ok(folded) => {
                let finding = self.finding(generation, &folded).await?;
                MachineInput::Computed(FoldOutput { finding, ..folded })
            }
            Err(failure) => MachineInput::Failed(failure.during("fold", generation)),
        }))
    }

    /// Returns the finding of the run if `folded`, the outcome of this generation, is its last
    /// outcome. A run whose findings fail still has its result.
    async fn finding(
        &self,
        generation: u32,
        folded: &FoldOutput,
    ) -> Result<Option<RunFinding>, LeadError> {
        let Step::Done(state) = &folded.step else { return Ok(None) };
        let records = self.records().await?;
        let mut history: Vec<_> =
            records.iter().map(GenerationRecord::generation_measures).collect();
        history.push(GenerationMeasures { generation, measures: folded.measures.clone() });
        let (procedure, seed) = (Arc::clone(&self.opened.procedure), self.seed.clone());
        let state = state.clone();
        let found = self.context.compute_pool.run(move || {
            let history = RunHistory { seed: &seed, generations: &history };
            procedure.findings(&state, &history).map(|found| found.as_ref().map(RunFinding::from))
        });
        let found = found.await.map_err(RunFailure::said);
        let found = found.and_then(|found| found.map_err(RunFailure::from));
        Ok(found.unwrap_or_else(|failure| {
            let error = failure.message;
            tracing::error!(run = %self.led.lead.run, error, "the findings of a run failed");
            None
        }))
    }

    /// Asks whether the outcome of a fold may be committed.
    async fn fold_permit(&self) -> Result<FoldPermit, StoreError> {
        let standing = ReadStanding { lead: self.led.lead };
        let state = self.context.store.leader().execute(standing).await?.state;
        Ok(match outcome_of(&state) {
            Some(ended) => FoldPermit::Ended(ended),
            None if state == RunState::Paused => FoldPermit::Withheld,
            None => FoldPermit::Granted,
        })
    }
}

/// Folds the tallies of a generation into the next state.
fn fold(
    procedure: &dyn ConfiguredExperiment,
    input: FoldInput,
    seed: &GenerationSeed,
) -> Result<FoldOutput, RunFailure> {
    let FoldInput { generation: _, state, digest, classes, tallies } = input;
    let closed = procedure.close(&state, &classes, &tallies, seed)?;
    let ClosedGeneration { step, work, known, parts, measures } = closed;
    let (Step::Continue(next) | Step::Done(next)) = &step;
    let digest = digest.fold(&tallies, next);
    check_parts(&parts, known)?;
    Ok(FoldOutput { step, digest, parts, measures, work, finding: None })
}

/// Checks that all `parts` that a state names exist: known before, or written by trials.
fn check_parts(parts: &[Part], known: Vec<Part>) -> Result<(), RunFailure> {
    let (parts, known): (BTreeSet<&Part>, BTreeSet<Part>) =
        (parts.iter().collect(), known.into_iter().collect());
    if let Some(part) = parts.iter().find(|part| !known.contains(part)) {
        let message = format!(
            "the new state names part {part}, which no tally and not the state before names"
        );
        return Err(RunFailure::said(message));
    }
    let n_bytes: u64 = parts.iter().map(|part| part.n_bytes()).sum();
    if n_bytes <= MAX_STATE_PART_BYTES {
        return Ok(());
    }
    Err(RunFailure::said(format!(
        "the new state names parts of {n_bytes} bytes, but at most {MAX_STATE_PART_BYTES} are \
         allowed"
    )))
}

impl From<ExperimentError> for RunFailure {
    fn from(error: ExperimentError) -> Self {
        Self::of(&error)
    }
}
