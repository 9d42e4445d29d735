//! Modules as text, and runs of a module in every engine of the build.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use hatchery_core::own_game::{GameReplay, TrialMeasures, Unwatched};
use hatchery_core::{
    Draws, GameFailure, GameModule, GameRunner, Part, RunSeed, StreamRng, TrialWatch,
};
use hatchery_guests::WasmRunner;

/// The cap of memory in tests, in pages.
pub(crate) const PAGES: u32 = 16;

/// The description of a game with a single measure, whose subjects are up to 100 bytes.
pub(crate) const ABOUT: &str = r#"{"abi":1,"name":"test","version":1,"measures":[{"name":"m"}],
    "subject":{"kind":"bytes","most":100}}"#;

/// A trial that does nothing.
pub(crate) const IDLE: &str =
    r#"(func (export "hatchery_trial") (param i32 i32) (result i32) (i32.const 0))"#;

/// Returns the engines of this build.
pub(crate) fn runners() -> &'static [WasmRunner] {
    static RUNNERS: LazyLock<Vec<WasmRunner>> = LazyLock::new(|| {
        vec![
            WasmRunner::interpreter(),
            #[cfg(feature = "jit")]
            WasmRunner::compiler().expect("tests may map executable memory"),
        ]
    });
    &RUNNERS
}

/// Returns a module with the description `about`, all imports, a memory of a page, and `items`.
pub(crate) fn game_text(about: &str, items: &str) -> String {
    let place = (8_u64 << 32) | about.len() as u64;
    let data = about.replace('"', "\\\"").replace('\n', "");
    let place = place - (about.len() - about.replace('\n', "").len()) as u64;
    format!(
        r#"(module
        (import "hatchery" "random" (func $random (result i64)))
        (import "hatchery" "measure" (func $measure (param i32 i64)))
        (import "hatchery" "beat" (func $beat (param i64 i64) (result i32)))
        (import "hatchery" "frame" (func $frame (param i32 i32)))
        (memory (export "memory") 1)
        (data (i32.const 8) "{data}")
        (func (export "hatchery_about") (result i64) (i64.const {place}))
        (func (export "hatchery_alloc") (param i32) (result i32) (i32.const 4096))
        {items})"#
    )
}

/// Returns the bytes of [`game_text`].
pub(crate) fn game(items: &str) -> Vec<u8> {
    wat::parse_str(game_text(ABOUT, items)).expect("the text is right")
}

/// Returns a module with parameters.
pub(crate) fn module_with(wasm: Vec<u8>, params: Vec<u8>) -> GameModule {
    let part = Part::of(&wasm);
    GameModule::new(part, wasm.into(), params.into(), PAGES << 16).expect("the cap is allowed")
}

/// Returns the streams of trials.
pub(crate) fn streams(n: u32) -> impl Iterator<Item = StreamRng> {
    let seed = RunSeed::new("guests", 51).generation(0);
    (0..n).map(move |trial| seed.trial(Draws::Common, 0, trial))
}

pub(crate) fn unwatched() -> Arc<dyn TrialWatch> {
    Arc::new(Unwatched)
}

/// A watch that ends trials after some questions, so that no test waits for a clock.
pub(crate) struct EndAfter(AtomicU32);

impl EndAfter {
    pub(crate) fn questions(n: u32) -> Arc<dyn TrialWatch> {
        Arc::new(Self(AtomicU32::new(n)))
    }
}

impl TrialWatch for EndAfter {
    fn beat(&self, _done: u64, _of: u64) -> ControlFlow<()> {
        self.flow()
    }

    fn flow(&self) -> ControlFlow<()> {
        let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
        if left.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Runs trials in every engine, and returns the result, which must be the same.
pub(crate) fn trials_of(
    module: &GameModule,
    subject: &[u8],
    n: u32,
) -> Result<Vec<TrialMeasures>, GameFailure> {
    same(|runner| runner.trials(module, subject, &mut streams(n), &unwatched()))
}

/// Runs a trial of a module without parameters and subject in every engine.
pub(crate) fn trial(wasm: Vec<u8>) -> Result<TrialMeasures, GameFailure> {
    let trials = trials_of(&module_with(wasm, Vec::new()), &[], 1);
    trials.map(|mut trials| trials.pop().expect("a trial was asked for"))
}

/// Replays a trial in every engine.
pub(crate) fn replay(wasm: Vec<u8>) -> GameReplay {
    let module = module_with(wasm, Vec::new());
    let stream = streams(1).next().expect("a stream was asked for");
    same(|runner| runner.replay(&module, &[], stream.clone(), &unwatched()))
        .expect("the module is allowed")
}

/// Calls `run` with every engine, and returns the result, which must be the same.
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(run: impl Fn(&WasmRunner) -> T) -> T {
    let mut results = runners().iter().map(|runner| (run(runner), runner.engine()));
    let (first, _) = results.next().expect("there is an engine");
    for (other, engine) in results {
        assert_eq!(first, other, "{engine} differs");
    }
    first
}
