//! The trait [`Simulation`], which a worker runs, and the values that its trials return.

use std::fmt;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::scene::SceneSink;
use crate::seed::StreamRng;
use crate::trial_context::TrialContext;
use crate::wire::WireValue;

/// Seeded trials of subjects, such as the games of a player. A worker runs nothing else.
///
/// The experiments of a game share a simulation, which is a fact about the game. Functions have no
/// `self`, so nothing can leak from one trial to another. The functions are pure: the same
/// arguments give the same bytes on every machine.
pub trait Simulation: Send + Sync + 'static {
    /// The number of trials, over all subjects, that a call of [`trials`](Self::trials) should get,
    /// unless the trials take long. It is above 1 if trials are much cheaper in a batch.
    const BATCH: u32 = 1;

    /// Immutable input common to a generation's trials; a worker fetches it once.
    type Shared: WireValue;
    /// The thing simulated: an individual, a map, a pairing, a level.
    type Subject: WireValue;
    /// The value that trials return.
    type Tally: Tally;

    /// Returns the number of trials of `subject` that make [`trials`](Self::trials) fast, such as
    /// the number that fills vectors. That many trials stay in one job even if they take hours. By
    /// default 1.
    fn lanes(_subject: &Self::Subject) -> u32 {
        1
    }

    /// Simulates `subject` once.
    ///
    /// Bad input was refused when it was decoded, so a failure in a trial is a bug and panics; the
    /// worker catches the panic. A trial that may take more than some seconds
    /// [beats](TrialContext::beat).
    fn trial(
        shared: &Self::Shared,
        subject: &Self::Subject,
        rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> Self::Tally;

    /// Simulates each subject once per stream, absorbs the subject's tallies in order, and returns
    /// the sums in the order of subjects.
    ///
    /// A simulation that can run many trials at once overrides this function. The result must equal
    /// the default's result.
    fn trials(
        shared: &Self::Shared,
        batch: Vec<SubjectStreams<'_, Self::Subject>>,
        context: &TrialContext<'_>,
    ) -> Vec<Self::Tally> {
        let sum = |SubjectStreams { subject, streams }: SubjectStreams<'_, Self::Subject>| {
            let first = streams.next().expect("a subject of a batch has at least one trial");
            let mut tally = Self::trial(shared, subject, first, context);
            for rng in streams {
                tally.absorb(Self::trial(shared, subject, rng, context));
            }
            tally
        };
        batch.into_iter().map(sum).collect()
    }

    /// Returns the tally of a single subject; see [`trials`](Self::trials).
    fn trials_of(
        shared: &Self::Shared,
        subject: &Self::Subject,
        streams: &mut dyn Iterator<Item = StreamRng>,
        context: &TrialContext<'_>,
    ) -> Self::Tally {
        let tallies = Self::trials(shared, vec![SubjectStreams { subject, streams }], context);
        tallies.into_iter().next().expect("a tally for each subject")
    }

    /// Returns the work in the trials of `tally`, such as pieces placed.
    ///
    /// Counts are exact and add up when tallies are absorbed. The units and their order are always
    /// the same.
    fn work(tally: &Self::Tally) -> Vec<Work>;

    /// Shows one trial as a scene, frame by frame, until the trial ends or `sink` breaks.
    ///
    /// The scene goes through a [`SceneWriter`](crate::scene::SceneWriter) and has at least one
    /// frame.
    fn replay(
        shared: &Self::Shared,
        subject: &Self::Subject,
        rng: StreamRng,
        context: &TrialContext<'_>,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()>;

    /// Returns a trial as a file in a format of other programs; `None`, the default, if there is no
    /// such format. It is the trial that [`trial`](Self::trial) runs with the same arguments.
    fn export(
        shared: &Self::Shared,
        subject: &Self::Subject,
        rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> Option<String> {
        let _ = (shared, subject, rng, context);
        None
    }
}

/// A subject with the streams of its trials.
pub struct SubjectStreams<'a, S> {
    /// The thing simulated.
    pub subject: &'a S,
    /// The streams of the trials, in order; at least one stream.
    pub streams: &'a mut dyn Iterator<Item = StreamRng>,
}

impl<S: fmt::Debug> fmt::Debug for SubjectStreams<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubjectStreams").field("subject", self.subject).finish_non_exhaustive()
    }
}

/// A result of trials that merges exactly.
///
/// A tally consists of integers or lists, never of running float sums, so that `absorb` is
/// associative to the byte and job sizes cannot change a result.
///
/// A tally from the network is decoded only if each count in it is possible for its number of
/// trials. Each count must also be so small that the counts of a whole series, of fewer than 2^32
/// trials, add up without an overflow.
pub trait Tally: WireValue {
    /// Returns the number of trials in the tally.
    fn n_trials(&self) -> u64;

    /// Adds `later`, the tally of the trials that follow the trials of this tally.
    fn absorb(&mut self, later: Self);
}

/// An exact count of work done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The thing counted, in the plural, such as `pieces`.
    pub unit: String,
    /// The count.
    pub count: u64,
}

impl Work {
    /// Returns `count` of `unit`.
    pub fn new(unit: impl Into<String>, count: u64) -> Self {
        Self { unit: unit.into(), count }
    }

    /// Adds `more` to `sum`, unit by unit. Counts stop at the largest number.
    pub fn add(sum: &mut Vec<Self>, more: &[Self]) {
        for work in more {
            match sum.iter_mut().find(|known| known.unit == work.unit) {
                Some(known) => known.count = known.count.saturating_add(work.count),
                None => sum.push(work.clone()),
            }
        }
    }
}
