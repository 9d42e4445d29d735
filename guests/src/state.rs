//! The state of an instance, and what the functions of the host do with it: the same for both
//! engines.

use std::fmt;
use std::sync::Arc;

use hatchery_core::own_game::TrialMeasures;
use hatchery_core::{GameAbout, StreamRng, TrialWatch};

use crate::error::{CallFault, TrapReason};
use crate::interface::Import;
use crate::limits::{MAX_FRAME_BYTES, MAX_REPLAY_BYTES, MAX_TRIAL_MEASURES};

/// The state of an instance beside its memory.
pub(crate) struct GuestState {
    watch: Arc<dyn TrialWatch>,
    trial: Option<RunningTrial>,
    /// Why the instance stopped; set before an engine gets [`Stopped`].
    fault: Option<CallFault>,
}

/// A trial while it runs.
pub(crate) struct RunningTrial {
    about: Arc<GameAbout>,
    stream: StreamRng,
    measures: TrialMeasures,
    /// The frames of a replay; `None` if no caller wants them.
    frames: Option<Vec<String>>,
    n_frame_bytes: usize,
}

impl RunningTrial {
    /// Returns a trial that draws from `stream`.
    pub(crate) fn new(about: Arc<GameAbout>, stream: StreamRng) -> Self {
        Self { about, stream, measures: Vec::new(), frames: None, n_frame_bytes: 0 }
    }

    /// Returns the same trial, whose frames are kept.
    pub(crate) fn with_frames(self) -> Self {
        Self { frames: Some(Vec::new()), ..self }
    }

    /// Returns the recorded measures, and the frames in order.
    pub(crate) fn into_parts(self) -> (TrialMeasures, Vec<String>) {
        (self.measures, self.frames.unwrap_or_default())
    }
}

/// The error by which the host stops an instance; the reason is in the instance's state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the host stopped the instance")
    }
}

impl std::error::Error for Stopped {}

impl GuestState {
    /// Returns the state of a new instance, which no trial uses yet.
    pub(crate) fn new(watch: Arc<dyn TrialWatch>) -> Self {
        Self { watch, trial: None, fault: None }
    }

    /// Begins a trial.
    pub(crate) fn begin_trial(&mut self, trial: RunningTrial) {
        self.trial = Some(trial);
    }

    /// Ends the trial that runs.
    pub(crate) fn end_trial(&mut self) -> Option<RunningTrial> {
        self.trial.take()
    }

    /// Returns the reason why the instance was stopped, if it was.
    pub(crate) fn take_fault(&mut self) -> Option<CallFault> {
        self.fault.take()
    }

    pub(crate) fn stop(&mut self, fault: impl Into<CallFault>) -> Stopped {
        self.fault.get_or_insert_with(|| fault.into());
        Stopped
    }

    fn trial(&mut self, import: Import) -> Result<&mut RunningTrial, Stopped> {
        if self.trial.is_none() {
            self.stop(CallFault::OutsideTrial(import));
        }
        self.trial.as_mut().ok_or(Stopped)
    }

    /// Draws the next 64 bits of the trial's stream.
    pub(crate) fn random(&mut self) -> Result<i64, Stopped> {
        Ok(self.trial(Import::Random)?.stream.next_u64().cast_signed())
    }

    /// Records a value of measure `id`.
    pub(crate) fn measure(&mut self, id: i32, value: i64) -> Result<(), Stopped> {
        let id = id.cast_unsigned();
        let trial = self.trial(Import::Measure)?;
        let fault = match trial.about.check_measure(id, value) {
            Err(error) => CallFault::Measure(error),
            Ok(()) if trial.measures.len() == MAX_TRIAL_MEASURES => CallFault::TooManyMeasures,
            Ok(()) => {
                trial.measures.push((id, value));
                return Ok(());
            }
        };
        Err(self.stop(fault))
    }

    /// Reports progress to the host, and returns 1 if the trial should end. The result of such a
    /// trial is dropped, whatever the module does next.
    pub(crate) fn beat(&mut self, done: i64, of: i64) -> i32 {
        let flow = self.watch.beat(done.cast_unsigned(), of.cast_unsigned());
        if flow.is_break() {
            self.stop(CallFault::Ended);
        }
        flow.is_break().into()
    }

    /// Stops the instance if its trial should end.
    pub(crate) fn flow(&mut self) -> Result<(), Stopped> {
        match self.watch.flow().is_break() {
            true => Err(self.stop(CallFault::Ended)),
            false => Ok(()),
        }
    }

    /// Returns whether a caller wants frames.
    pub(crate) fn wants_frames(&self) -> bool {
        self.trial.as_ref().is_some_and(|trial| trial.frames.is_some())
    }

    /// Shows the text at `address` in `memory`.
    pub(crate) fn frame(
        &mut self,
        memory: &[u8],
        address: i32,
        n_bytes: i32,
    ) -> Result<(), Stopped> {
        let n_bytes = n_bytes.cast_unsigned();
        if MAX_FRAME_BYTES < n_bytes {
            return Err(self.stop(CallFault::LongFrame { n_bytes }));
        }
        let text = match bytes_at(memory, address.cast_unsigned(), n_bytes) {
            Ok(bytes) => std::str::from_utf8(bytes).map_err(|_| CallFault::FrameText),
            Err(fault) => Err(fault),
        };
        let text = text.map_err(|fault| self.stop(fault))?.to_owned();
        let trial = self.trial(Import::Frame)?;
        trial.n_frame_bytes += text.len() + size_of::<String>();
        if MAX_REPLAY_BYTES < trial.n_frame_bytes {
            return Err(self.stop(CallFault::TooManyFrames));
        }
        trial.frames.get_or_insert_default().push(text);
        Ok(())
    }

    /// Returns whether a memory may grow: the maximum of a rewritten module is the cap.
    pub(crate) fn may_grow(desired: usize, maximum: Option<usize>) -> bool {
        maximum.is_none_or(|most| desired <= most)
    }

    /// Stops an instance whose memory could not grow, though the cap allows it: the result would
    /// depend on the machine.
    pub(crate) fn grow_failed(&mut self) -> Stopped {
        self.stop(TrapReason::GrowthFailed)
    }
}

/// Returns the bytes at an address of `memory`.
pub(crate) fn bytes_at(memory: &[u8], address: u32, n_bytes: u32) -> Result<&[u8], CallFault> {
    let range = range_of(memory.len(), address, n_bytes)?;
    Ok(&memory[range])
}

/// Returns the range of indices of `n_bytes` bytes at an address, in a memory of `memory` bytes.
pub(crate) fn range_of(
    memory: usize,
    address: u32,
    n_bytes: u32,
) -> Result<std::ops::Range<usize>, CallFault> {
    let end = u64::from(address) + u64::from(n_bytes);
    match (usize::try_from(address), usize::try_from(end)) {
        (Ok(begin), Ok(end)) if end <= memory => Ok(begin..end),
        _ => Err(CallFault::Pointer { address, n_bytes, memory }),
    }
}
