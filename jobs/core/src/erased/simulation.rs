//! Simulations in bytes: the trials that a worker runs.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use crate::part::Part;
use crate::scene::SceneSink;
use crate::seed::StreamRng;
use crate::simulation::{Simulation, SubjectStreams, Tally};
use crate::trial_context::TrialContext;
use crate::wire::{DecodeError, WireValue};

use super::EncodedBytes;
use super::tallies::{TallyAccumulator, accumulator};

/// A simulation without its types.
pub trait AnySimulation: Send + Sync {
    /// Returns [`Simulation::BATCH`].
    fn batch(&self) -> u32;
    /// Returns the simulation with the shared input of a generation.
    ///
    /// # Errors
    /// If `shared` is malformed.
    fn prepare(&self, shared: &[u8]) -> Result<Box<dyn PreparedSimulation>, DecodeError>;
    /// Returns an accumulator without tallies for `n_series` series.
    fn accumulator(&self, n_series: usize) -> Box<dyn TallyAccumulator>;
    /// Returns the parts that `tally` names.
    ///
    /// # Errors
    /// If the tally is malformed.
    fn parts(&self, tally: &[u8]) -> Result<Vec<Part>, DecodeError>;
    /// Checks that `tally` is a tally of `n_trials` trials, and returns the parts that it names.
    ///
    /// # Errors
    /// If the tally is malformed, or has another number of trials.
    fn check_tally(&self, tally: &[u8], n_trials: u32) -> Result<Vec<Part>, DecodeError>;
}

/// A simulation with the shared input of a generation.
pub trait PreparedSimulation: Send + Sync {
    /// Returns [`Simulation::BATCH`].
    fn batch(&self) -> u32;
    /// Returns `subject`, decoded and ready to be simulated.
    ///
    /// # Errors
    /// If `subject` is malformed.
    fn subject<'a>(&'a self, subject: &[u8]) -> Result<Box<dyn PreparedSubject + 'a>, DecodeError>;
    /// Returns `subjects`, decoded and ready to be simulated together.
    ///
    /// # Errors
    /// If a subject is malformed.
    fn subjects<'a>(
        &'a self,
        subjects: &mut dyn Iterator<Item = &[u8]>,
    ) -> Result<Box<dyn PreparedSubjects + 'a>, DecodeError>;
    /// Returns an accumulator without tallies for `n_series` series.
    fn accumulator(&self, n_series: usize) -> Box<dyn TallyAccumulator>;
}

/// Subjects, ready to be simulated together.
pub trait PreparedSubjects: Send + Sync {
    /// Returns the tallies of the entries of `batch`. An entry is the index of a subject, and the
    /// streams of its trials, at least one; see [`Simulation::trials`].
    ///
    /// # Panics
    /// If no subject has an index of `batch`.
    fn trials(
        &self,
        batch: Vec<(usize, &mut dyn Iterator<Item = StreamRng>)>,
        context: &TrialContext<'_>,
    ) -> Vec<EncodedBytes>;
}

/// A subject, ready to be simulated.
pub trait PreparedSubject: Send + Sync {
    /// Returns the tally of the trials with these `streams`, at least one; see
    /// [`Simulation::trials`].
    fn trials(
        &self,
        streams: &mut dyn Iterator<Item = StreamRng>,
        context: &TrialContext<'_>,
    ) -> EncodedBytes;
    /// Shows one trial as a scene; see [`Simulation::replay`].
    fn replay(
        &self,
        rng: StreamRng,
        context: &TrialContext<'_>,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()>;
    /// Returns one trial as a file for other programs; see [`Simulation::export`].
    fn export(&self, rng: StreamRng, context: &TrialContext<'_>) -> Option<String>;
}

/// Returns `S` without its types.
pub(super) const fn simulation<S: Simulation>() -> &'static dyn AnySimulation {
    &ErasedSimulation::<S>(PhantomData)
}

struct ErasedSimulation<S>(PhantomData<S>);

impl<S: Simulation> AnySimulation for ErasedSimulation<S> {
    fn batch(&self) -> u32 {
        S::BATCH
    }

    fn prepare(&self, shared: &[u8]) -> Result<Box<dyn PreparedSimulation>, DecodeError> {
        Ok(Box::new(DecodedShared::<S> { shared: S::Shared::decode(shared)? }))
    }

    fn accumulator(&self, n_series: usize) -> Box<dyn TallyAccumulator> {
        accumulator::<S::Tally>(n_series)
    }

    fn parts(&self, tally: &[u8]) -> Result<Vec<Part>, DecodeError> {
        Ok(S::Tally::decode(tally)?.parts())
    }

    fn check_tally(&self, tally: &[u8], n_trials: u32) -> Result<Vec<Part>, DecodeError> {
        let tally = S::Tally::decode(tally)?;
        let found = tally.n_trials();
        match found == u64::from(n_trials) {
            true => Ok(tally.parts()),
            false => Err(DecodeError::field("trials", &found, n_trials.to_string())),
        }
    }
}

struct DecodedShared<S: Simulation> {
    shared: S::Shared,
}

impl<S: Simulation> PreparedSimulation for DecodedShared<S> {
    fn batch(&self) -> u32 {
        S::BATCH
    }

    fn subject<'a>(&'a self, subject: &[u8]) -> Result<Box<dyn PreparedSubject + 'a>, DecodeError> {
        let subject = S::Subject::decode(subject)?;
        Ok(Box::new(DecodedSubject::<S> { shared: &self.shared, subject }))
    }

    fn subjects<'a>(
        &'a self,
        subjects: &mut dyn Iterator<Item = &[u8]>,
    ) -> Result<Box<dyn PreparedSubjects + 'a>, DecodeError> {
        let subjects = subjects.map(S::Subject::decode).collect::<Result<_, _>>()?;
        Ok(Box::new(DecodedSubjects::<S> { shared: &self.shared, subjects }))
    }

    fn accumulator(&self, n_series: usize) -> Box<dyn TallyAccumulator> {
        accumulator::<S::Tally>(n_series)
    }
}

struct DecodedSubjects<'a, S: Simulation> {
    shared: &'a S::Shared,
    subjects: Vec<S::Subject>,
}

impl<S: Simulation> PreparedSubjects for DecodedSubjects<'_, S> {
    fn trials(
        &self,
        batch: Vec<(usize, &mut dyn Iterator<Item = StreamRng>)>,
        context: &TrialContext<'_>,
    ) -> Vec<EncodedBytes> {
        let batch = batch.into_iter();
        let batch = batch
            .map(|(idx, streams)| SubjectStreams { subject: &self.subjects[idx], streams })
            .collect();
        S::trials(self.shared, batch, context).iter().map(WireValue::encode).collect()
    }
}

struct DecodedSubject<'a, S: Simulation> {
    shared: &'a S::Shared,
    subject: S::Subject,
}

impl<S: Simulation> PreparedSubject for DecodedSubject<'_, S> {
    fn trials(
        &self,
        streams: &mut dyn Iterator<Item = StreamRng>,
        context: &TrialContext<'_>,
    ) -> EncodedBytes {
        S::trials_of(self.shared, &self.subject, streams, context).encode()
    }

    fn replay(
        &self,
        rng: StreamRng,
        context: &TrialContext<'_>,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        S::replay(self.shared, &self.subject, rng, context, sink)
    }

    fn export(&self, rng: StreamRng, context: &TrialContext<'_>) -> Option<String> {
        S::export(self.shared, &self.subject, rng, context)
    }
}
