//! Chooses the engine of the process.

use std::fmt;
use std::sync::Arc;

use hatchery_core::own_game::{GameReplay, TrialMeasures};
use hatchery_core::{GameAbout, GameFailure, GameModule, GameRunner, StreamRng, TrialWatch};

use crate::engine::Engine;
#[cfg(feature = "jit")]
use crate::engine::compiler::Compiler;
use crate::engine::interpreter::Interpreter;
use crate::module_runner::ModuleRunner;

/// An engine of this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// wasmi interprets modules.
    Interpreter,
    /// Wasmtime compiles modules to machine code.
    #[cfg(feature = "jit")]
    Compiler,
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interpreter => Interpreter::NAME,
            #[cfg(feature = "jit")]
            Self::Compiler => Compiler::NAME,
        })
    }
}

/// Runs WebAssembly modules in one engine. The results do not depend on the engine.
pub struct WasmRunner {
    runner: Box<dyn GameRunner>,
    engine: EngineKind,
    fallback: Option<String>,
}

impl WasmRunner {
    /// Returns a runner in the fastest engine that this process may use: the compiler, if this
    /// build has it and the process may map executable memory, else the interpreter.
    #[must_use]
    pub fn new() -> Self {
        #[cfg(feature = "jit")]
        let runner = Self::compiler()
            .unwrap_or_else(|reason| Self { fallback: Some(reason), ..Self::interpreter() });
        #[cfg(not(feature = "jit"))]
        let runner = Self::interpreter();
        runner
    }

    /// Returns a runner in the interpreter.
    #[must_use]
    pub fn interpreter() -> Self {
        let runner = Box::new(ModuleRunner::new(Interpreter::new()));
        Self { runner, engine: EngineKind::Interpreter, fallback: None }
    }

    /// Returns a runner in the compiler.
    ///
    /// # Errors
    /// If the process may not map executable memory: the reason, in the engine's words.
    #[cfg(feature = "jit")]
    pub fn compiler() -> Result<Self, String> {
        let runner = Box::new(ModuleRunner::new(Compiler::new()?));
        Ok(Self { runner, engine: EngineKind::Compiler, fallback: None })
    }

    /// Returns the engine that runs the modules.
    #[must_use]
    pub fn engine(&self) -> EngineKind {
        self.engine
    }

    /// Returns the reason why this runner interprets modules though the build has the compiler.
    #[must_use]
    pub fn fallback(&self) -> Option<&str> {
        self.fallback.as_deref()
    }
}

impl Default for WasmRunner {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for WasmRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { engine, fallback, .. } = self;
        f.debug_struct("WasmRunner")
            .field("engine", engine)
            .field("fallback", fallback)
            .finish_non_exhaustive()
    }
}

impl GameRunner for WasmRunner {
    fn about(
        &self,
        module: &GameModule,
        watch: &Arc<dyn TrialWatch>,
    ) -> Result<Arc<GameAbout>, GameFailure> {
        self.runner.about(module, watch)
    }

    fn trials(
        &self,
        module: &GameModule,
        subject: &[u8],
        streams: &mut dyn Iterator<Item = StreamRng>,
        watch: &Arc<dyn TrialWatch>,
    ) -> Result<Vec<TrialMeasures>, GameFailure> {
        self.runner.trials(module, subject, streams, watch)
    }

    fn replay(
        &self,
        module: &GameModule,
        subject: &[u8],
        stream: StreamRng,
        watch: &Arc<dyn TrialWatch>,
    ) -> Result<GameReplay, GameFailure> {
        self.runner.replay(module, subject, stream, watch)
    }
}
