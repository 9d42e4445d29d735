//! Trials of a known cost.

use std::ops::ControlFlow;

use hatchery_core::{
    Part, SceneBase, SceneSink, SceneWriter, Simulation, StreamRng, TrialContext, Work,
};

use crate::noise::{burn_long, noise};
use crate::wire::{BurnShared, BurnSubject, BurnTally};

/// Trials of a known cost.
#[derive(Debug)]
pub struct BurnTrials;

impl Simulation for BurnTrials {
    type Shared = BurnShared;
    type Subject = BurnSubject;
    type Tally = BurnTally;

    fn trial(
        shared: &BurnShared,
        subject: &BurnSubject,
        rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> BurnTally {
        let end = burn_long(subject.rounds, start(shared, subject, rng, context), context);
        let written = subject.part_bytes.map(|n_bytes| context.write(noise(end, n_bytes)));
        let filling = match subject.tally_bytes {
            0 => Vec::new(),
            n_bytes => vec![noise(end, n_bytes).into()],
        };
        BurnTally { trials: 1, sum: end, written: written.into_iter().collect(), filling }
    }

    fn work(tally: &BurnTally) -> Vec<Work> {
        vec![Work::new("trials", tally.trials)]
    }

    fn replay(
        shared: &BurnShared,
        subject: &BurnSubject,
        rng: StreamRng,
        context: &TrialContext<'_>,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        let start = start(shared, subject, rng, context);
        let end = burn_long(subject.rounds, start, context);
        let mut scene = SceneWriter::begin(sink, &SceneBase::captions())?;
        scene.say(format!("{} rounds from {start:016x} to {end:016x}", subject.rounds))
    }
}

/// Returns the start of a trial: a drawn number, combined with eight bytes each of the shared
/// input, the run's input and a part, at drawn positions. So other bytes give another tally.
fn start(
    shared: &BurnShared,
    subject: &BurnSubject,
    mut rng: StreamRng,
    context: &TrialContext<'_>,
) -> u64 {
    let mut start = rng.next_u64() ^ eight_bytes(&shared.bytes, &mut rng);
    if let Some(input) = &subject.input {
        start ^= eight_bytes(&context.read(input), &mut rng);
    }
    let n_parts = u32::try_from(subject.parts.len()).expect("the wire admits fewer parts");
    if n_parts == 0 {
        return start;
    }
    let part: &Part = &subject.parts[rng.below(n_parts) as usize];
    start ^ eight_bytes(&context.read(part), &mut rng)
}

/// Returns eight bytes from a drawn position on; 0 for empty bytes.
fn eight_bytes(bytes: &[u8], rng: &mut StreamRng) -> u64 {
    if bytes.is_empty() {
        return 0;
    }
    let n_bytes = u32::try_from(bytes.len()).expect("an input has at most 64 MiB");
    let first = rng.below(n_bytes) as usize;
    u64::from_le_bytes(std::array::from_fn(|idx| bytes[(first + idx) % bytes.len()]))
}
