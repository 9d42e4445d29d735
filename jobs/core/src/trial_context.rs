//! The context of a trial: its parts, and whether its tally is still wanted.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use prost::bytes::Bytes;

use crate::own_game::OwnGames;
use crate::panic::refuse;
use crate::part::{LargeValue, Part, PartSet};

/// A worker or [`PartMemory`]: it runs trials, and has their parts.
pub trait TrialHost: Sync {
    /// Records that `done` of `of` steps of a trial are done; breaks if the trial should end.
    fn beat(&self, done: u64, of: u64) -> ControlFlow<()>;
    /// Returns the bytes of a part that the trial may read; `None` for other parts.
    fn read(&self, part: &Part) -> Option<Bytes>;
    /// Keeps the bytes that a trial has written.
    fn write(&self, part: Part, bytes: Bytes);
    /// Returns the means to run own games; `None`, the default, if the host has none.
    fn own_games(&self) -> Option<OwnGames> {
        None
    }
}

/// The surroundings of a trial. The tally of a trial depends on nothing here except the parts that
/// its subject and the shared input name.
#[derive(Clone, Copy)]
pub struct TrialContext<'a>(&'a dyn TrialHost);

impl TrialContext<'static> {
    /// The context of trials without parts, which no caller ever asks to end.
    pub const ALONE: Self = Self(&NoHost);
}

impl<'a> TrialContext<'a> {
    /// Returns the context of the trials that `host` runs.
    #[must_use]
    pub fn new(host: &'a dyn TrialHost) -> Self {
        Self(host)
    }

    /// Reports that `done` of `of` steps of the trial are done, such as 7 of 200 games; `of` is 0
    /// if the number of steps is not known. A trial that may take more than some seconds reports
    /// several times a second: a trial that is silent for long counts as hanging.
    ///
    /// # Errors
    /// Breaks when the tally is not wanted any more: the run was cancelled or paused, or its worker
    /// stops. The trial then returns at once, and its result is dropped.
    pub fn beat(&self, done: u64, of: u64) -> ControlFlow<()> {
        self.0.beat(done, of)
    }

    /// Returns the pulse of a trial of `of` steps; 0 if their number is not known.
    #[must_use]
    pub fn pulse(self, of: u64) -> TrialPulse<'a> {
        TrialPulse { context: self, done: 0, of, flow: ControlFlow::Continue(()) }
    }

    /// Returns the bytes of a part.
    ///
    /// # Panics
    /// If neither the subject nor the shared input [names](crate::WireValue::parts) the part. That
    /// is a bug in the simulation, as is every failure of a trial.
    #[must_use]
    pub fn read(&self, part: &Part) -> Bytes {
        let bytes = self.0.read(part);
        bytes.unwrap_or_else(|| panic!("neither subject nor shared input names part {part}"))
    }

    /// Returns the bytes of a large value; see [`read`](Self::read).
    #[must_use]
    pub fn read_large(&self, value: &LargeValue) -> Bytes {
        match value.parts() {
            [part] => self.read(part),
            parts => parts.iter().flat_map(|part| self.read(part)).collect(),
        }
    }

    /// Returns the means to run own games; `None` if the host has none.
    #[must_use]
    pub fn own_games(&self) -> Option<OwnGames> {
        self.0.own_games()
    }

    /// Ends the trial because it cannot use an input of the run. The user is told the `reason`.
    ///
    /// The program that starts a run [checks](crate::Experiment::check_input) the inputs before the
    /// run begins, if it has their bytes. Refuse only an input that could not be checked. Every
    /// other failure of a trial is a bug, and panics.
    ///
    /// # Panics
    /// Always; the host of the trial reports the reason alone.
    pub fn refuse_input(&self, reason: impl Into<String>) -> ! {
        refuse(reason.into())
    }

    /// Keeps `bytes` as a part, for the tally to name: parts that no tally names are lost.
    ///
    /// # Panics
    /// If `bytes` has more than [`MAX_PART_BYTES`](crate::part::MAX_PART_BYTES).
    pub fn write(&self, bytes: impl Into<Bytes>) -> Part {
        let bytes = bytes.into();
        let part = Part::of(&bytes);
        self.0.write(part, bytes);
        part
    }

    /// Keeps any number of bytes, cut into parts.
    pub fn write_large(&self, bytes: impl Into<Bytes>) -> LargeValue {
        let pieces = bytes.into();
        LargeValue::new(LargeValue::pieces(&pieces).map(|piece| self.write(piece)).collect())
    }
}

impl fmt::Debug for TrialContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrialContext").finish_non_exhaustive()
    }
}

/// The pulse of a single trial. It beats step by step, and never again once it has broken.
#[derive(Debug)]
pub struct TrialPulse<'a> {
    context: TrialContext<'a>,
    done: u64,
    of: u64,
    flow: ControlFlow<()>,
}

impl TrialPulse<'_> {
    /// [Beats](TrialContext::beat) before the next step.
    ///
    /// # Errors
    /// Breaks, now and from now on, when the trial should end.
    pub fn step(&mut self) -> ControlFlow<()> {
        self.flow?;
        self.flow = self.context.beat(self.done, self.of);
        self.done += 1;
        self.flow
    }

    /// Returns whether the trial should continue, without a beat.
    ///
    /// # Errors
    /// Breaks if the trial should end.
    pub fn flow(&self) -> ControlFlow<()> {
        self.flow
    }
}

/// The host of [`TrialContext::ALONE`].
struct NoHost;

impl TrialHost for NoHost {
    fn beat(&self, _done: u64, _of: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn read(&self, _part: &Part) -> Option<Bytes> {
        None
    }

    fn write(&self, _part: Part, _bytes: Bytes) {}
}

/// A host that has all parts in memory, and never asks a trial to end.
#[derive(Debug, Default)]
pub struct PartMemory {
    inputs: PartSet,
    written: Mutex<PartSet>,
}

impl PartMemory {
    /// Returns a host whose trials may read `inputs`.
    #[must_use]
    pub fn new(inputs: PartSet) -> Self {
        Self { inputs, written: Mutex::default() }
    }

    /// Returns the parts that trials have written.
    #[must_use]
    pub fn into_written(self) -> PartSet {
        self.written.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TrialHost for PartMemory {
    fn beat(&self, _done: u64, _of: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn read(&self, part: &Part) -> Option<Bytes> {
        self.inputs.get(part)
    }

    fn write(&self, part: Part, bytes: Bytes) {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).insert(part, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panic::catch_panic;

    #[test]
    fn a_trial_reads_what_it_was_given_and_not_what_another_wrote() {
        let mut inputs = PartSet::default();
        let given = inputs.add_large(vec![5; 3]);
        let host = PartMemory::new(inputs);
        let context = TrialContext::new(&host);
        assert_eq!(context.read_large(&given), vec![5; 3]);
        let written = context.write(vec![6; 2]);
        assert_eq!(host.read(&written), None);
        assert_eq!(context.write_large(vec![6; 2]).parts(), [written]);
        assert_eq!(host.into_written().get(&written), Some(vec![6; 2].into()));
    }

    #[test]
    fn a_refused_input_is_no_panic() {
        let refusal = catch_panic(|| TrialContext::ALONE.refuse_input("weights of another game"));
        assert_eq!(refusal.unwrap_err().to_string(), "weights of another game");
    }

    #[test]
    #[should_panic(expected = "neither subject nor shared input names part")]
    fn a_part_that_nobody_named_is_a_bug() {
        let part = Part::of(b"weights");
        drop(TrialContext::ALONE.read(&part));
    }
}
