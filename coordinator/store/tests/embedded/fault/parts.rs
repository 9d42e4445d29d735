//! What is done wrong with parts.

use hatchery_store::conformance::{JobState, Model, OpenPart, Run, RunParts};
use hatchery_store::operation::{
    CompleteJobs, CreateRun, DeleteRun, EnqueueAndLease, FinishPart, FoldResults, RewindRun,
    WritePart,
};
use hatchery_store::{RunState, StoreAnswer as Answer, StoreCall as Call, StoreVerdict};

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
            (Self::FoldKeepsAllParts, Call::FoldResults(FoldResults { fold, .. })) => {
                fold.keep = None;
            }
            (Self::RewindKeepsAllParts, Call::RewindRun(RewindRun { keep, .. })) => *keep = None,
            (Self::RepeatedFoldDropsParts, Call::FoldResults(FoldResults { lead, fold })) => {
                let run = model.runs.get_mut(&lead.run);
                if let (Some(run), Some(kept)) = (run, &fold.keep) {
                    run.parts.whole.retain(|hash, _| kept.contains(hash));
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
            (
                Self::FoldKeepsOpenParts | Self::FoldDropsItsOwnParts,
                Call::FoldResults(FoldResults { lead, fold }),
            ) => {
                let (Some(then), Some(run)) =
                    (before.runs.get(&lead.run), model.runs.get_mut(&lead.run))
                else {
                    return;
                };
                if then.position == run.position {
                    return;
                }
                let RunParts { whole, open } = &mut run.parts;
                match (self, &fold.keep) {
                    (Self::FoldKeepsOpenParts, _) => open.clone_from(&then.parts.open),
                    (_, Some(kept)) => whole.retain(|hash, _| kept.contains(hash)),
                    (_, None) => {}
                }
            }
            _ => {}
        }
    }
}
