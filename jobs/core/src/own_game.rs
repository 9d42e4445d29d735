//! Own games: games that come as an input of a run, as WebAssembly modules.
//!
//! This module has values and traits only. The crate `guests`, beside the worker, implements
//! [`GameRunner`] with two engines. A trial asks its host for [`OwnGames`]:
//!
//! ```text
//!   TrialContext::own_games -> OwnGames { runner, watch }
//!   GameModule (bytes, parameters, cap of memory)
//!      -> GameRunner::about   what the module says about itself: GameAbout
//!      -> GameRunner::trials  subject and streams -> for each trial the recorded measures
//!      -> GameRunner::replay  one trial as frames of text
//! ```
//!
//! The same module, parameters, subject and stream give the same values and the same failures in
//! every engine and on every machine. Only [`GameFailure::Ended`] depends on time, and the result
//! of an ended trial is dropped.

mod about;
mod failure;
mod module;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

pub use about::{
    GAME_ABI, GameAbout, GameGoal, GameMeasure, GameOption, InvalidAbout, MAX_ABOUT_BYTES,
    MAX_MEASURE_VALUE, MAX_MEASURES, MAX_OPTIONS, MAX_SEATS, MAX_SUBJECT_BYTES, MeasureKind,
    SubjectForm,
};
pub use failure::GameFailure;
pub use module::{DEFAULT_MEMORY_BYTES, GameModule, MAX_MEMORY_BYTES, MAX_PARAM_BYTES};

use crate::seed::StreamRng;

/// A signal between a running game and the host of its trial. It has no borrowed parts, because an
/// engine keeps it inside the game's instance.
pub trait TrialWatch: Send + Sync {
    /// Records that the game has done `done` of `of` steps; breaks if the trial should end. See
    /// [`TrialHost::beat`](crate::TrialHost::beat).
    fn beat(&self, done: u64, of: u64) -> ControlFlow<()>;

    /// Breaks if the trial should end, and records no sign of progress. An engine calls this
    /// function several times a second, also while a game is stuck in an endless loop.
    fn flow(&self) -> ControlFlow<()>;
}

/// A watch over trials that no caller ever asks to end.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl TrialWatch for Unwatched {
    fn beat(&self, _done: u64, _of: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn flow(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The measures that a trial has recorded, in the order of recording: the index of a measure in
/// [`GameAbout::measures`], and a value that [`GameAbout::check_measure`] allows.
pub type TrialMeasures = Vec<(u32, i64)>;

/// The result of a replayed trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameReplay {
    /// The texts that the game showed, in order, also if the trial failed later.
    pub frames: Vec<String>,
    /// The recorded measures, or the reason why the trial failed.
    pub outcome: Result<TrialMeasures, GameFailure>,
}

/// Runs own games. It is called from many threads at once, and compiles each module once.
pub trait GameRunner: Send + Sync {
    /// Returns what the module says about itself.
    ///
    /// # Errors
    /// If the module is refused, or the `watch` ends the call.
    fn about(
        &self,
        module: &GameModule,
        watch: &Arc<dyn TrialWatch>,
    ) -> Result<Arc<GameAbout>, GameFailure>;

    /// Simulates `subject` once per stream, and returns the measures of each trial in the order of
    /// streams.
    ///
    /// # Errors
    /// If the module or the subject is refused, a trial fails, or the `watch` ends a trial. The
    /// results of the other trials are then dropped.
    fn trials(
        &self,
        module: &GameModule,
        subject: &[u8],
        streams: &mut dyn Iterator<Item = StreamRng>,
        watch: &Arc<dyn TrialWatch>,
    ) -> Result<Vec<TrialMeasures>, GameFailure>;

    /// Shows the trial of `stream`, frame by frame. The trial calls the module's replay function,
    /// or its trial function if there is no replay function.
    ///
    /// # Errors
    /// If the module or the subject is refused. A failure inside the trial is an outcome of the
    /// replay.
    fn replay(
        &self,
        module: &GameModule,
        subject: &[u8],
        stream: StreamRng,
        watch: &Arc<dyn TrialWatch>,
    ) -> Result<GameReplay, GameFailure>;
}

/// The own games of a host: who runs them, and the watch over their trials.
#[derive(Clone)]
pub struct OwnGames {
    /// The engine of the process.
    pub runner: Arc<dyn GameRunner>,
    /// The watch over the trials of this host.
    pub watch: Arc<dyn TrialWatch>,
}

impl fmt::Debug for OwnGames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnGames").finish_non_exhaustive()
    }
}
