//! Runs games in one engine.

use std::sync::{Arc, OnceLock};

use hatchery_core::own_game::{GameReplay, TrialMeasures};
use hatchery_core::{GameAbout, GameFailure, GameModule, GameRunner, StreamRng, TrialWatch};

use crate::cache::ModuleCache;
use crate::engine::Engine;
use crate::error::{CallError, CallFault, ModuleError};
use crate::guest::{CompiledModule, Guest};
use crate::inspect::inspect;
use crate::interface::Export;
use crate::rewrite::rewrite;
use crate::state::RunningTrial;

/// An engine with its compiled modules.
pub(crate) struct ModuleRunner<E: Engine> {
    engine: E,
    cache: ModuleCache<Result<LoadedModule<E>, ModuleError>>,
}

struct LoadedModule<E: Engine> {
    compiled: CompiledModule<E>,
    about: OnceLock<Arc<GameAbout>>,
}

impl<E: Engine> ModuleRunner<E> {
    pub(crate) fn new(engine: E) -> Self {
        Self { engine, cache: ModuleCache::new() }
    }

    /// Calls `act` with the compiled module.
    fn with_module<T>(
        &self,
        module: &GameModule,
        act: impl FnOnce(&LoadedModule<E>) -> Result<T, GameFailure>,
    ) -> Result<T, GameFailure> {
        let key = (module.part().hash(), module.memory_pages());
        let bytes = module.bytes();
        let entry = self.cache.get(key, bytes.len(), || self.load(bytes, module.memory_pages()));
        match entry.get().expect("the cache has made it") {
            Ok(loaded) => E::with_stack(|| act(loaded)),
            Err(error) => Err(GameFailure::Module { reason: error.to_string() }),
        }
    }

    fn load(&self, wasm: &[u8], memory_pages: u32) -> Result<LoadedModule<E>, ModuleError> {
        let facts = inspect(wasm, memory_pages)?;
        let rewritten = rewrite(wasm, &facts, memory_pages)?;
        let module = self.engine.compile(&rewritten).map_err(ModuleError::Compile)?;
        let compiled =
            CompiledModule { module, has_start: facts.start.is_some(), exports: facts.exports };
        Ok(LoadedModule { compiled, about: OnceLock::new() })
    }

    /// Returns the description of the game. Threads that ask at once may each ask the module.
    fn about_of(
        &self,
        loaded: &LoadedModule<E>,
        watch: &Arc<dyn TrialWatch>,
    ) -> Result<Arc<GameAbout>, GameFailure> {
        if let Some(about) = loaded.about.get() {
            return Ok(Arc::clone(about));
        }
        let guest = Guest::start(&self.engine, &loaded.compiled, watch);
        let about = guest.and_then(|mut guest| guest.about()).map_err(module_failure::<E>)?;
        Ok(Arc::clone(loaded.about.get_or_init(|| Arc::new(about))))
    }

    /// Returns an instance that has its parameters.
    fn guest(
        &self,
        loaded: &LoadedModule<E>,
        module: &GameModule,
        watch: &Arc<dyn TrialWatch>,
    ) -> Result<Guest<E::Instance>, GameFailure> {
        let begun = Guest::start(&self.engine, &loaded.compiled, watch).and_then(|mut guest| {
            guest.begin(module.params(), &loaded.compiled.exports)?;
            Ok(guest)
        });
        begun.map_err(module_failure::<E>)
    }
}

impl<E: Engine> GameRunner for ModuleRunner<E> {
    fn about(
        &self,
        module: &GameModule,
        watch: &Arc<dyn TrialWatch>,
    ) -> Result<Arc<GameAbout>, GameFailure> {
        self.with_module(module, |loaded| self.about_of(loaded, watch))
    }

    fn trials(
        &self,
        module: &GameModule,
        subject: &[u8],
        streams: &mut dyn Iterator<Item = StreamRng>,
        watch: &Arc<dyn TrialWatch>,
    ) -> Result<Vec<TrialMeasures>, GameFailure> {
        self.with_module(module, |loaded| {
            let about = self.about_of(loaded, watch)?;
            about.check_subject(subject)?;
            let mut kept = None;
            let mut trials = Vec::new();
            for (trial_idx, stream) in streams.enumerate() {
                if watch.flow().is_break() {
                    return Err(GameFailure::Ended);
                }
                let mut guest = match kept.take() {
                    Some(guest) => guest,
                    None => self.guest(loaded, module, watch)?,
                };
                let trial = RunningTrial::new(Arc::clone(&about), stream);
                let (trial, played) = guest.play(Export::Trial, subject, trial);
                played.map_err(|error| trial_failure::<E>(trial_idx, error))?;
                trials.push(trial.into_parts().0);
                kept = about.stateless.then_some(guest);
            }
            Ok(trials)
        })
    }

    fn replay(
        &self,
        module: &GameModule,
        subject: &[u8],
        stream: StreamRng,
        watch: &Arc<dyn TrialWatch>,
    ) -> Result<GameReplay, GameFailure> {
        self.with_module(module, |loaded| {
            let about = self.about_of(loaded, watch)?;
            about.check_subject(subject)?;
            let mut guest = self.guest(loaded, module, watch)?;
            let has_replay = loaded.compiled.exports.contains(&Export::Replay);
            let export = if has_replay { Export::Replay } else { Export::Trial };
            let trial = RunningTrial::new(about, stream).with_frames();
            let (trial, played) = guest.play(export, subject, trial);
            let (measures, frames) = trial.into_parts();
            let outcome = played.map(|()| measures).map_err(|error| trial_failure::<E>(0, error));
            Ok(GameReplay { frames, outcome })
        })
    }
}

/// Returns the failure of a call before all trials: no trial of the module can have a result.
#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn module_failure<E: Engine>(error: CallError) -> GameFailure {
    common_failure::<E>(&error).unwrap_or_else(|| GameFailure::Module { reason: error.to_string() })
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn trial_failure<E: Engine>(trial_idx: usize, error: CallError) -> GameFailure {
    common_failure::<E>(&error).unwrap_or_else(|| match error.fault {
        CallFault::Refused(code) => GameFailure::RefusedSubject { trial_idx, code },
        _ => GameFailure::Trial { trial_idx, reason: error.to_string() },
    })
}

/// Returns the failure of a call, if the module is not to blame.
fn common_failure<E: Engine>(error: &CallError) -> Option<GameFailure> {
    match &error.fault {
        CallFault::Ended => Some(GameFailure::Ended),
        CallFault::Engine(reason) => {
            Some(GameFailure::Engine { engine: E::NAME, reason: reason.clone() })
        }
        _ => None,
    }
}
