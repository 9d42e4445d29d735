//! Checks of how trials use their context: the pulse and parts.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use prost::bytes::Bytes;

use crate::erased::EncodedBytes;
use crate::experiment::{Experiment, SharedOf, TallyOf};
use crate::part::{Part, PartSet};
use crate::simulation::Simulation;
use crate::trial_context::{PartMemory, TrialHost};
use crate::wire::WireValue;

use super::recording::{Block, Generation, Recording};
use super::violation::Violation;

/// The number of leading bytes of a hash that are searched for in the bytes of a value.
const HASH_BYTES: usize = 32;

/// Checks that a trial whose pulse breaks returns at once: no beat follows the break.
///
/// # Errors
/// [`Violation::Wrong`]
pub fn trials_heed_their_pulse<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    for generation in recording.some_generations() {
        let shared = generation.shared::<E::Simulation>()?;
        for block in generation.blocks::<E::Simulation>()? {
            let pulse = BreakingPulse::new(&block);
            block.play_on(&pulse, &shared, 0);
            let n_beats = pulse.n_beats.into_inner();
            if 1 < n_beats {
                let what = format!("the beats of trial 0 of {} that must end", block.of);
                return Err(Violation::wrong(what, n_beats.to_string(), "at most 1"));
            }
        }
    }
    Ok(())
}

/// A host that asks every trial to end.
struct BreakingPulse {
    n_beats: AtomicU64,
    memory: PartMemory,
}

impl BreakingPulse {
    fn new<S: Simulation>(block: &Block<S>) -> Self {
        Self { n_beats: AtomicU64::new(0), memory: PartMemory::new(block.inputs.clone()) }
    }
}

impl TrialHost for BreakingPulse {
    fn beat(&self, _done: u64, _of: u64) -> ControlFlow<()> {
        self.n_beats.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Break(())
    }

    fn read(&self, part: &Part) -> Option<Bytes> {
        self.memory.read(part)
    }

    fn write(&self, part: Part, bytes: Bytes) {
        self.memory.write(part, bytes);
    }
}

/// Checks that values name every part whose hash is in their bytes, that these parts exist, and
/// that a trial writes only parts that its tally names.
///
/// A part that a value holds without naming it would be removed, and a part that does not exist
/// cannot be fetched.
///
/// # Errors
/// [`Violation::Wrong`]
pub fn parts_are_named<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    let mut all = recording.inputs.clone();
    for Generation { parts, written, .. } in &recording.generations {
        all.extend(parts.clone());
        all.extend(written.clone());
    }
    if all.is_empty() {
        return Ok(());
    }
    for (what, state) in recording.states() {
        check_named(&what, &recording.configured.parts(state)?, state, &all)?;
    }
    for generation in &recording.generations {
        let (number, known) = (generation.number, &generation.parts);
        let plan = &generation.plan;
        let shared = SharedOf::<E>::decode(&plan.shared)?.parts();
        check_named(
            &format!("the shared input of generation {number}"),
            &shared,
            &plan.shared,
            known,
        )?;
        let mut named: BTreeSet<Part> = BTreeSet::new();
        for (idx, (series, tally)) in plan.series.iter().zip(&generation.tallies).enumerate() {
            let of = format!("series {idx} of generation {number}");
            check_named(&format!("the subject of {of}"), &series.parts, &series.subject, known)?;
            let parts = TallyOf::<E>::decode(tally)?.parts();
            check_named(&format!("the tally of {of}"), &parts, tally, &all)?;
            named.extend(parts);
        }
        if let Some((part, _)) = generation.written.iter().find(|(part, _)| !named.contains(part)) {
            let what = format!("a part that trials of generation {number} write");
            return Err(Violation::wrong(what, part.to_string(), "named by a tally"));
        }
    }
    Ok(())
}

/// Checks that `named`, the parts that a value names, are among `known`, and that they include
/// every part of `known` whose hash is in the value's `bytes`.
fn check_named(
    what: &str,
    named: &[Part],
    bytes: &EncodedBytes,
    known: &PartSet,
) -> Result<(), Violation> {
    if let Some(part) = named.iter().find(|part| known.get(part).is_none()) {
        let expected = "written before, and named by the state until then";
        return Err(Violation::wrong(
            format!("a part that {what} names"),
            part.to_string(),
            expected,
        ));
    }
    let windows: BTreeSet<&[u8]> = bytes.windows(HASH_BYTES).collect();
    let hidden = known
        .iter()
        .map(|(part, _)| part)
        .find(|part| !named.contains(part) && windows.contains(part.hash().as_bytes().as_slice()));
    match hidden {
        None => Ok(()),
        Some(part) => {
            let expected = "among the parts that it names";
            Err(Violation::wrong(format!("a part in {what}"), part.to_string(), expected))
        }
    }
}
