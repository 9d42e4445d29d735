//! Prints what own games cost in each engine of the build: an instance with a game of pig, a kernel
//! of floats with and without canonical NaNs, and the compilation of a module.
//!
//! `cargo run --release -p hatchery-guests --all-features --example figures`

#![expect(clippy::print_stdout, reason = "it prints figures")]
#![expect(clippy::unwrap_used, reason = "the modules are right")]

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hatchery_core::own_game::Unwatched;
use hatchery_core::{Draws, GameModule, GameRunner, Part, RunSeed, TrialWatch};
use hatchery_guests::WasmRunner;

const PIG: &str = include_str!("../tests/guests/pig.wat");

/// Iterates a map of floats. The result of each step is stored, where `STORE` stands.
const KERNEL: &str = r#"(func (export "hatchery_trial") (param i32 i32) (result i32)
    (local $i i32) (local $x f64) (local $y f64)
    (local.set $x (f64.const 0.4)) (local.set $y (f64.const 0.3))
    (loop $next
      (local.set $x (f64.sub (f64.mul (local.get $x) (local.get $x)) (f64.const 1.1)))
      (local.set $y (f64.add (f64.mul (local.get $y) (f64.const 0.5)) (local.get $x)))
      STORE
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const 20000000))))
    (f64.store (i32.const 2048) (local.get $y))
    (call $measure (i32.const 0) (i64.shr_u (i64.load (i32.const 2048)) (i64.const 24)))
    (i32.const 0))"#;

fn module(items: &str, is_stateless: bool) -> GameModule {
    let about = format!(
        r#"{{"abi":1,"name":"figures","version":1,"measures":[{{"name":"m"}}],
        "subject":{{"kind":"bytes","most":4}},"stateless":{is_stateless}}}"#
    )
    .replace('\n', " ");
    let place = (8_u64 << 32) | about.len() as u64;
    let data = about.replace('"', "\\\"");
    let text = format!(
        r#"(module (import "hatchery" "random" (func $random (result i64)))
        (import "hatchery" "measure" (func $measure (param i32 i64)))
        (memory 1) (data (i32.const 8) "{data}")
        (func (export "hatchery_about") (result i64) (i64.const {place}))
        (func (export "hatchery_alloc") (param i32) (result i32) (i32.const 4096))
        {items})"#
    );
    let wasm = wat::parse_str(text).unwrap();
    GameModule::new(Part::of(&wasm), wasm.into(), Vec::new().into(), 64 << 20).unwrap()
}

/// A module of many functions, each with some arithmetic and calls.
fn large() -> GameModule {
    let mut items = String::new();
    for i in 0..1_000 {
        let callee = i / 2;
        write!(
            items,
            "(func $f{i} (param i32 f64) (result f64) (local $x f64)
               (local.set $x (f64.mul (local.get 1) (f64.const {i}.5)))
               (if (i32.gt_u (local.get 0) (i32.const {i})) (then
                 (f64.store offset={i} (i32.and (local.get 0) (i32.const 255)) (local.get $x))
                 (local.set $x (call $f{callee} (i32.shr_u (local.get 0) (i32.const 1))
                   (f64.add (f64.load offset={i} (local.get 0)) (local.get $x))))))
               (f64.sqrt (f64.sub (local.get $x) (f64.convert_i32_s (local.get 0)))))"
        )
        .unwrap();
    }
    let idle = r#"(func (export "hatchery_trial") (param i32 i32) (result i32) (i32.const 0))"#;
    module(&format!("{items}{idle}"), false)
}

fn trials(runner: &WasmRunner, module: &GameModule, n: u32) -> Duration {
    let seed = RunSeed::new("figures", 1).generation(0);
    let mut streams = (0..n).map(|trial| seed.trial(Draws::Common, 0, trial));
    let watch: Arc<dyn TrialWatch> = Arc::new(Unwatched);
    let begin = Instant::now();
    runner.trials(module, &20_f32.to_le_bytes(), &mut streams, &watch).unwrap();
    begin.elapsed()
}

fn print(runner: &WasmRunner) {
    let engine = runner.engine();
    for (name, is_stateless) in [("fresh", false), ("shared", true)] {
        let pig = module(PIG, is_stateless);
        trials(runner, &pig, 10);
        let each = trials(runner, &pig, 50_000) / 50_000;
        println!("{engine}: pig with a {name} instance: {each:?} a trial");
    }
    let pig = module(PIG, false);
    let calls: Duration = (0..5_000).map(|_| trials(runner, &pig, 1)).sum();
    println!("{engine}: pig with a call of the runner for each trial: {:?}", calls / 5_000);
    for (name, store) in [
        ("all in locals", ""),
        ("a store with a canonical NaN", "(f64.store (i32.const 2056) (local.get $y))"),
        (
            "the store of a sum as an integer",
            "(f64.store (i32.const 2056) (f64.convert_i32_u (local.get $i)))",
        ),
    ] {
        let kernel = module(&KERNEL.replace("STORE", store), false);
        println!("{engine}: float kernel, {name}: {:?}", trials(runner, &kernel, 1));
    }
    let large = large();
    let n_bytes = large.bytes().len();
    println!("{engine}: compiling {n_bytes} bytes: {:?}", trials(runner, &large, 1));
}

fn main() {
    print(&WasmRunner::interpreter());
    let fastest = WasmRunner::new();
    println!("the fastest engine is {}; {:?}", fastest.engine(), fastest.fallback());
    print(&fastest);
}
