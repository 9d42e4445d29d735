//! Checkpoints and the end of a generation.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use hatchery_core::{Digest, Part, PartMessage, Step, Work};
use hatchery_store::{AfterFold, FoldCommit, PartRetention};
use prost::Message;

use super::{FoldInput, FoldOutput, MachineEffect, RunFailure, RunMachine, RunPhase};
use crate::base::event::Event;
use crate::run::large_value;
use crate::run::record::{self, Checkpoint, CostTotals, GenerationRecord, TallyMap, WorkCount};
use crate::run::state_thinning::{self, KeptState, thinned};

/// The most bytes of tallies that a checkpoint itself holds.
const MAX_INLINE_TALLY_BYTES: usize = 256 << 10;

impl RunMachine {
    /// Writes a checkpoint within the generation when half of the window is used up.
    pub(super) fn commit_part(&mut self, now: Duration, effects: &mut VecDeque<MachineEffect>) {
        let RunPhase::Simulating(simulating) = &mut self.phase else { return };
        let Some(absorbed) = simulating.ledger.n_first_jobs() else { return };
        if absorbed - simulating.folded < self.window / 2 {
            return;
        }
        simulating.folded = absorbed;
        let before = std::mem::take(&mut self.checkpoint.tally_parts);
        let parts = put_tallies(&mut self.checkpoint, simulating.ledger.tallies());
        // Each checkpoint has new ones: until the end of the generation they would add up.
        let superseded = superseded_parts(&before, &self.checkpoint, simulating.shared);
        self.checkpoint.origin = simulating.ledger.origin();
        self.checkpoint.spent = CostTotals {
            elapsed_ns: self.checkpoint.spent.elapsed_ns + tick(&mut self.clock, now),
            ..simulating.ledger.spent()
        };
        effects.push_back(MachineEffect::Commit(FoldCommit {
            generation: self.generation,
            folded: absorbed,
            checkpoint: self.checkpoint.encode_to_vec(),
            summary: self.summary.encode_to_vec(),
            then: AfterFold::SameGeneration,
            parts,
            retention: PartRetention::Drop(superseded),
        }));
    }

    pub(super) fn fold(&mut self, tallies: Vec<Vec<u8>>, effects: &mut VecDeque<MachineEffect>) {
        let RunPhase::Simulating(simulating) =
            std::mem::replace(&mut self.phase, RunPhase::Planning)
        else {
            return;
        };
        let classes = simulating.ledger.classes().to_vec();
        self.phase = RunPhase::Folding(simulating);
        let Some(digest) = Digest::from_bytes(&self.checkpoint.digest) else {
            let message = "the checkpoint holds no digest".to_owned();
            return self.fail(RunFailure { message, trial: None }, effects);
        };
        effects.push_back(MachineEffect::Compute(FoldInput {
            generation: self.generation,
            state: self.state.clone(),
            digest,
            classes,
            tallies,
        }));
    }

    pub(super) fn computed(
        &mut self,
        now: Duration,
        computed: FoldOutput,
        effects: &mut VecDeque<MachineEffect>,
    ) {
        let FoldOutput { step, digest, parts, measures, work, finding } = computed;
        let RunPhase::Folding(simulating) = std::mem::replace(&mut self.phase, RunPhase::Planning)
        else {
            return;
        };
        let spent = CostTotals {
            elapsed_ns: self.checkpoint.spent.elapsed_ns + tick(&mut self.clock, now),
            ..simulating.ledger.spent()
        };
        let record = GenerationRecord {
            generation: self.generation,
            state_parts: self.checkpoint.state_parts.clone(),
            digest: digest.as_bytes().to_vec(),
            spent,
            cuts: simulating.table.cuts,
            measures: serde_json::to_string(&measures).unwrap_or_default(),
            work: WorkCount::of(&work, &spent),
            origin: simulating.ledger.origin(),
            ..GenerationRecord::default()
        };
        self.summary.fold(&record, &measures);
        self.summary.finding = finding;
        let total_work = self.total_work(&record.work);
        let work = record.work.iter().cloned().map(Work::from).collect();
        let record = record.encode_to_vec();
        let (state, then) = match step {
            Step::Continue(state) => (state, AfterFold::NextGeneration { record }),
            Step::Done(state) => (state, AfterFold::Done { record }),
        };
        let done = matches!(then, AfterFold::Done { .. });
        self.state = state.clone().into();
        let (state_parts, pieces) = large_value::cut(state);
        let kept = self.kept_states(&state_parts, &parts);
        let mut keep = state_thinning::hashes(&kept);
        if !done {
            // The next generation often has the same.
            keep.insert(simulating.shared);
        }
        self.checkpoint = Checkpoint {
            state_parts,
            digest: digest.as_bytes().to_vec(),
            total: self.checkpoint.total.plus(spent),
            work: total_work,
            kept,
            ..Checkpoint::default()
        };
        effects.push_back(MachineEffect::Commit(FoldCommit {
            generation: self.generation,
            folded: simulating.cursor,
            checkpoint: self.checkpoint.encode_to_vec(),
            summary: self.summary.encode_to_vec(),
            then,
            parts: pieces.iter().map(|piece| piece.to_vec()).collect(),
            retention: PartRetention::Keep(keep.into_iter().collect()),
        }));
        effects.push_back(MachineEffect::Keep(Event::GenerationFolded {
            generation: self.generation,
            jobs: spent.jobs,
            trials: spent.trials,
            cpu_ns: spent.cpu_ns,
            digest: digest.to_string(),
            work,
            measures,
        }));
        if done {
            self.phase = RunPhase::Ended;
            effects.push_back(MachineEffect::Keep(Event::RunDone { digest: digest.to_string() }));
        } else {
            self.generation += 1;
            effects.push_back(MachineEffect::Plan { state: self.state.clone() });
        }
    }

    /// Returns the work of all folded generations, plus `more`.
    fn total_work(&self, more: &[WorkCount]) -> Vec<WorkCount> {
        let Checkpoint { work, total, .. } = &self.checkpoint;
        let known = work.iter().cloned();
        let mut sum = known.map(|work| work.or_cpu(total.cpu_ns)).collect();
        WorkCount::add(&mut sum, more);
        sum
    }

    /// Returns the states that are kept from now on: the new state, which has the parts `state` and
    /// names `named`, and some earlier states.
    fn kept_states(&self, state: &[PartMessage], named: &[Part]) -> Vec<KeptState> {
        let next = self.generation.saturating_add(1);
        let mut kept = thinned(self.checkpoint.kept.clone(), next);
        kept.push(KeptState::new(next, state, named));
        kept
    }
}

/// Puts tallies into a checkpoint: small tallies as bytes, large tallies as parts. Returns the
/// bytes of these parts.
fn put_tallies(checkpoint: &mut Checkpoint, tallies: BTreeMap<u32, Vec<u8>>) -> Vec<Vec<u8>> {
    let n_bytes: usize = tallies.values().map(Vec::len).sum();
    if n_bytes <= MAX_INLINE_TALLY_BYTES {
        (checkpoint.tallies, checkpoint.tally_parts) = (tallies, Vec::new());
        return Vec::new();
    }
    let (names, pieces) = large_value::cut(TallyMap { tallies }.encode_to_vec());
    (checkpoint.tallies, checkpoint.tally_parts) = (BTreeMap::new(), names);
    pieces.iter().map(|piece| piece.to_vec()).collect()
}

/// Returns the parts of the earlier tallies, given as `before`, that neither `checkpoint` nor the
/// jobs of its generation need. Equal bytes are one part, whatever names them.
fn superseded_parts(
    before: &[PartMessage],
    checkpoint: &Checkpoint,
    shared: Digest,
) -> Vec<Digest> {
    let mut needed = state_thinning::hashes(&checkpoint.kept);
    needed.extend(record::hashes(&checkpoint.state_parts));
    needed.extend(record::hashes(&checkpoint.tally_parts));
    needed.insert(shared);
    record::hashes(before).into_iter().filter(|hash| !needed.contains(hash)).collect()
}

/// Returns the time since `clock`, and sets `clock` to `now`.
fn tick(clock: &mut Duration, now: Duration) -> u64 {
    let elapsed = now.saturating_sub(std::mem::replace(clock, now));
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_supersedes_the_tallies_of_the_one_before() {
        let part = |tag: u8| Part::of(&[tag]).to_message();
        let digest = |tag: u8| Digest::of(&[tag]);
        let mut checkpoint = Checkpoint {
            state_parts: vec![part(1)],
            kept: vec![KeptState::new(0, &[part(2)], &[Part::of(&[3])])],
            ..Checkpoint::default()
        };
        // Those that are also a state, its input, the shared input, or a tally that is the same.
        let before: Vec<_> = (1..=7).map(part).collect();
        let large = vec![9; MAX_INLINE_TALLY_BYTES + 1];
        let parts = put_tallies(&mut checkpoint, BTreeMap::from([(0, large)]));
        assert_eq!(hashes_of(&parts), record::hashes(&checkpoint.tally_parts));
        checkpoint.tally_parts.push(part(5));
        let superseded = superseded_parts(&before, &checkpoint, digest(4));
        assert_eq!(superseded, [digest(6), digest(7)]);
        // Small tallies supersede large ones.
        let large = std::mem::take(&mut checkpoint.tally_parts);
        assert!(put_tallies(&mut checkpoint, BTreeMap::new()).is_empty());
        let superseded = superseded_parts(&large, &checkpoint, digest(4));
        assert_eq!(superseded, record::hashes(&large));
    }

    fn hashes_of(parts: &[Vec<u8>]) -> Vec<Digest> {
        parts.iter().map(|bytes| Digest::of(bytes)).collect()
    }
}
