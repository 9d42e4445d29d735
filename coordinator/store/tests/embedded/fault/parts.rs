//! The faults with parts.

use hatchery_store::conformance::{JobState, Model, OpenPart, Run, RunParts};
use hatchery_store::operation::{
    CompleteJobs, CreateRun, DeleteRun, EnqueueAndLease, FinishPart, FoldResults, RewindRun,
    WritePart,
};
use hatchery_store::{
    PartRetention, RunState, StoreAnswer as Answer, StoreCall as Call, StoreVerdict,
};

use super::Fault;
use super::after::Outcome;

impl Fault {
    /// Does it wrong before the model answers.
    pub(super) fn of_parts(self, model: &mut Model, call: &mut Call) {
        match (self, call) {
            (Self::CreateDropsParts, Call::CreateRun(CreateRun { run, .. })) => {
                model.uncreated.remove(run);
            }
            (Self::CreateWritesNoParts, Call::CreateRun(CreateRun { parts, .. })) => parts.clear(),
            (Self::ChangesWholeParts, Call::WritePart(WritePart { run, part, chunk, .. })) => {
                let whole = model.runs.get_mut(run).map(|run| &mut run.parts.whole);
                if let Some(bytes) = whole.and_then(|whole| whole.get_mut(&part.hash())) {
                    *bytes = chunk.clone().into();
                }
            }
            (
                Self::KeepsChunksOfAnotherLength,
                Call::WritePart(WritePart { run, part, .. })
                | Call::FinishPart(FinishPart { run, part }),
            ) => {
                let open = model.runs.get_mut(run).map(|run| &mut run.parts.open);
                if let Some(open) = open.and_then(|open| open.get_mut(&part.hash())) {
                    open.part = *part;
                }
            }
            (Self::TakesResultsWithoutParts, Call::CompleteJobs(CompleteJobs { results, .. })) => {
                results.iter_mut().for_each(|(_, result)| result.parts.clear());
            }
            (
                Self::TakesResultsWithPartsOfAnyLength,
                Call::CompleteJobs(CompleteJobs { run, results }),
            ) => {
                let Some(run) = model.runs.get(run) else { return };
                for part in results.iter_mut().flat_map(|(_, result)| &mut result.parts) {
                    *part = run.parts.find(&part.hash()).unwrap_or(*part);
                }
            }
            (_, Call::FoldResults(operation)) => self.of_folded_parts(model, operation),
            (Self::RewindKeepsAllParts, Call::RewindRun(RewindRun { keep, .. })) => *keep = None,
            _ => {}
        }
    }

    fn of_folded_parts(self, model: &mut Model, FoldResults { lead, fold }: &mut FoldResults) {
        match (self, &fold.retention) {
            (Self::FoldKeepsAllParts, PartRetention::Keep(_))
            | (Self::FoldKeepsDroppedParts, PartRetention::Drop(_)) => {
                fold.retention = PartRetention::All;
            }
            (Self::RepeatedFoldDropsParts, retention) => {
                if let Some(run) = model.runs.get_mut(&lead.run) {
                    retain(&mut run.parts, retention);
                }
            }
            _ => {}
        }
    }

    /// Does it wrong after the model has answered.
    pub(super) fn with_parts(
        self,
        before: &Model,
        model: &mut Model,
        call: &Call,
        answer: &mut Outcome,
    ) {
        match (self, call) {
            (Self::SharesParts, Call::EnqueueAndLease(EnqueueAndLease { lead, .. })) => {
                let parts = model.runs.get(&lead.run).map(|run| run.parts.whole.clone());
                for other in model.runs.values_mut() {
                    other.parts.whole.extend(parts.clone().unwrap_or_default());
                }
            }
            (Self::DeleteKeepsParts, Call::DeleteRun(DeleteRun { run })) => {
                let parts = before.parts(*run).cloned();
                model.uncreated.extend(parts.map(|parts| (*run, parts)));
            }
            (Self::FinishesHalfParts, Call::FinishPart(FinishPart { run, part })) => {
                let Some(run) = model.runs.get_mut(run) else { return };
                if let Some(OpenPart { chunks, .. }) = run.parts.open.remove(&part.hash()) {
                    let bytes = chunks.into_values().flatten().collect();
                    run.parts.whole.insert(part.hash(), bytes);
                    *answer = Ok(Answer::FinishPart(true));
                }
            }
            (Self::TakesPartsOfAnEndedRun, Call::WritePart(WritePart { run, .. })) => {
                if let (Some(run), Err(_)) = (model.runs.get(run), &answer)
                    && run.position.state != RunState::Active
                {
                    *answer = Ok(Answer::WritePart(()));
                }
            }
            (Self::AsksForPartsOfDoneJobs, Call::CompleteJobs(CompleteJobs { run, results })) => {
                let (Some(run), Ok(Answer::CompleteJobs(verdicts))) =
                    (before.runs.get(run), answer)
                else {
                    return;
                };
                for ((id, result), verdict) in results.iter().zip(verdicts) {
                    let is_done = |run: &Run| {
                        let job = run.jobs.get(&id.index);
                        job.is_some_and(|job| matches!(job.state, JobState::Done(_)))
                    };
                    let has_parts = result.parts.iter().all(|part| run.parts.is_whole(part));
                    if *verdict != StoreVerdict::Unknown && is_done(run) && !has_parts {
                        *verdict = StoreVerdict::PartsMissing;
                    }
                }
            }
            (_, Call::FoldResults(FoldResults { lead, fold })) => {
                let runs = (before.runs.get(&lead.run), model.runs.get_mut(&lead.run));
                if let (Some(before), Some(run)) = runs
                    && before.position != run.position
                {
                    self.with_folded_parts(&before.parts, &mut run.parts, &fold.retention);
                }
            }
            _ => {}
        }
    }

    fn with_folded_parts(self, before: &RunParts, parts: &mut RunParts, retention: &PartRetention) {
        match (self, retention) {
            (Self::FoldKeepsOpenParts, PartRetention::Keep(_))
            | (Self::FoldKeepsDroppedOpenParts, PartRetention::Drop(_)) => {
                parts.open.clone_from(&before.open);
            }
            (Self::FoldDropsItsOwnParts, PartRetention::Keep(_))
            | (Self::FoldDropsWhatItWrites, PartRetention::Drop(_)) => retain(parts, retention),
            _ => {}
        }
    }
}

/// Removes whole parts, also parts that a fold brings.
fn retain(parts: &mut RunParts, retention: &PartRetention) {
    match retention {
        PartRetention::All => {}
        PartRetention::Keep(kept) => parts.whole.retain(|hash, _| kept.contains(hash)),
        PartRetention::Drop(dropped) => parts.whole.retain(|hash, _| !dropped.contains(hash)),
    }
}
