//! Random modules: mutated bytes of games, and valid modules of random code. No module may panic or
//! hang, and both engines must do the same with it.

use std::collections::BTreeMap;

use arbitrary::Unstructured;
use hatchery_core::{GameFailure, GameRunner, RunSeed, StreamRng};
use hatchery_guests::WasmRunner;
use wasm_smith::{Config, Module};

use crate::common::{ABOUT, EndAfter, game_text, module_with, runners, streams};
use crate::pig::pig;

/// The outcome of a module, as far as both engines must agree.
fn outcome(runner: &WasmRunner, wasm: &[u8]) -> Result<String, GameFailure> {
    let module = module_with(wasm.to_vec(), Vec::new());
    // A question before each trial, and three in a trial that is stuck.
    let watch = || EndAfter::questions(5);
    // One of the subjects has the right length for most mutants.
    let run = |subject: &[u8]| runner.trials(&module, subject, &mut streams(2), &watch());
    let trials = [run(&20_f32.to_le_bytes()), run(&[])];
    match trials {
        [Err(GameFailure::Ended), _] | [_, Err(GameFailure::Ended)] => Err(GameFailure::Ended),
        [Err(failure @ GameFailure::Engine { .. }), _] => Err(failure),
        [_, Err(failure @ GameFailure::Engine { .. })] => Err(failure),
        trials => Ok(format!("{trials:?}")),
    }
}

/// Compiling takes most of the time: every third module is compiled.
const COMPILED: usize = 3;

/// Runs each module in the interpreter and every third in all engines, and returns how many modules
/// there were of each kind of outcome.
fn compare(modules: impl Iterator<Item = Vec<u8>>) -> BTreeMap<&'static str, u32> {
    let mut kinds = BTreeMap::new();
    for (i, wasm) in modules.enumerate() {
        let runners = if i % COMPILED == 0 { runners() } else { &runners()[..1] };
        let outcomes: Vec<_> = runners.iter().map(|runner| outcome(runner, &wasm)).collect();
        for outcome in &outcomes {
            let is_engine = matches!(outcome, Err(GameFailure::Engine { .. }));
            assert!(!is_engine, "module {i}: {outcome:?}");
        }
        // When a trial ends is a matter of time.
        let is_ended = outcomes.contains(&Err(GameFailure::Ended));
        if !is_ended {
            assert!(outcomes.windows(2).all(|two| two[0] == two[1]), "module {i}: {outcomes:#?}");
        }
        let kind = match &outcomes[0] {
            _ if is_ended => "ended",
            Ok(text) if text.contains("Module {") => "refused",
            Ok(text) if text.contains("Trial {") => "failed",
            _ => "done",
        };
        *kinds.entry(kind).or_default() += 1;
    }
    kinds
}

/// A game with floats, calls, a table, and growing memory.
const BUSY: &str = r#"(type $step (func (param i32) (result f64)))
        (table 3 3 funcref) (elem (i32.const 0) $half $down $grow)
        (func $half (type $step) (f64.div (f64.convert_i32_u (local.get 0)) (f64.const 2)))
        (func $down (type $step) (if (result f64) (local.get 0)
          (then (f64.add (f64.const 0.1) (call $down (i32.sub (local.get 0) (i32.const 1)))))
          (else (f64.sqrt (f64.const -1)))))
        (func $grow (type $step) (f64.convert_i32_s (memory.grow (local.get 0))))
        (func (export "hatchery_trial") (param i32 i32) (result i32) (local $i i32)
          (loop $next
            (f64.store (i32.const 512)
              (call_indirect (type $step) (local.get $i) (i32.rem_u (local.get $i) (i32.const 3))))
            (call $measure (i32.const 0)
              (i64.and (i64.load (i32.const 512)) (i64.const 0xffffffffff)))
            (v128.store (i32.const 528)
              (f32x4.mul (v128.load (i32.const 512)) (f32x4.splat (f32.load (local.get 0)))))
            (call $measure (i32.const 0)
              (i64.shr_u (i64.load (i32.const 528)) (i64.const 24)))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $next (i32.lt_u (local.get $i) (i32.const 9))))
          (i32.const 0))"#;

/// Instructions that may stand for each other.
const CLASSES: [&[&str]; 5] = [
    &["i32.add", "i32.sub", "i32.rem_u", "i32.div_s", "i32.shl", "i32.lt_u", "i32.rotr"],
    &["f64.div", "f64.add", "f64.mul", "f64.min", "f64.max", "f64.sub", "f64.copysign"],
    &["i64.and", "i64.or", "i64.xor", "i64.shr_u", "i64.shr_s", "i64.rem_s", "i64.mul"],
    &["f32x4.mul", "f32x4.min", "f32x4.pmax", "f64x2.div", "i16x8.mul", "f64x2.sub", "f32x4.lt"],
    &["0", "1", "-1", "3", "9", "24", "512", "528", "65535", "0x7fffffff", "0x80000000"],
];

/// Replaces some words of a text by other words of their class. Most such modules are valid.
fn reworded(text: &str, rng: &mut StreamRng) -> Vec<u8> {
    let mut words: Vec<_> = text.split_inclusive([' ', ')', '(', '\n']).collect();
    let mut changed = Vec::new();
    for _ in 0..=rng.below(3) {
        let at = below(rng, words.len());
        let at_class = (at..words.len()).find_map(|at| {
            let word = words[at].trim_end_matches([' ', ')', '(', '\n']);
            CLASSES.iter().find(|class| class.contains(&word)).map(|class| (at, word, *class))
        });
        let Some((at, word, class)) = at_class else { continue };
        changed
            .push((at, format!("{}{}", class[below(rng, class.len())], &words[at][word.len()..])));
    }
    for (at, word) in &changed {
        words[*at] = word;
    }
    let items = words.concat();
    // Constants of the wrong size are no text.
    wat::parse_str(game_text(ABOUT, &items)).unwrap_or_default()
}

fn below(rng: &mut StreamRng, n: usize) -> usize {
    rng.below(u32::try_from(n).expect("modules are small")) as usize
}

/// Changes, removes, repeats or moves a few bytes. The bytes are far more often code than not.
fn mutated(wasm: &[u8], rng: &mut StreamRng) -> Vec<u8> {
    let mut wasm = wasm.to_vec();
    for _ in 0..=rng.below(2) {
        let at = 8 + below(rng, wasm.len() - 12);
        match rng.below(8) {
            0 => wasm[at] ^= 1 << rng.below(8),
            1 => drop(wasm.drain(at..at + 1 + below(rng, 3))),
            2 => wasm.insert(at, wasm[at]),
            3 => {
                let other = 8 + below(rng, wasm.len() - 12);
                wasm.swap(at, other);
            }
            4 => wasm.truncate(at.max(12)),
            // Most single bytes of code are instructions or small numbers.
            _ => wasm[at] = u8::try_from(rng.below(256)).expect("it is below 256"),
        }
        if wasm.len() < 24 {
            break;
        }
    }
    wasm
}

#[test]
fn ten_thousand_mutants_do_the_same_in_both_engines() {
    let parents = [pig(), wat::parse_str(game_text(ABOUT, BUSY)).unwrap()];
    let mut rng = RunSeed::new("mutants", 51).generation(0).stream("mutants");
    let mutants = (0..10_000).map(|i| match i % 10 {
        0 => reworded(BUSY, &mut rng),
        _ => mutated(&parents[i % 2], &mut rng),
    });
    let kinds = compare(mutants);
    println!("{kinds:?}");
    for kind in ["refused", "failed", "done"] {
        assert!(50 < kinds[kind], "{kinds:?}");
    }
}

#[test]
fn random_modules_do_the_same_in_both_engines() {
    let interface = wat::parse_str(
        r#"(module (memory 1)
            (func (export "hatchery_about") (result i64) (i64.const 0))
            (func (export "hatchery_alloc") (param i32) (result i32) (i32.const 0))
            (func (export "hatchery_trial") (param i32 i32) (result i32) (i32.const 0)))"#,
    );
    let config = Config {
        exports: Some(interface.unwrap()),
        min_imports: 0,
        max_imports: 0,
        min_memories: 1,
        max_memories: 1,
        min_funcs: 3,
        max_tables: 1,
        max_memory32_bytes: 4 << 16,
        memory_max_size_required: true,
        disallow_traps: false,
        bulk_memory_enabled: true,
        reference_types_enabled: false,
        simd_enabled: true,
        multi_value_enabled: true,
        saturating_float_to_int_enabled: true,
        sign_extension_ops_enabled: true,
        relaxed_simd_enabled: false,
        exceptions_enabled: false,
        gc_enabled: false,
        memory64_enabled: false,
        tail_call_enabled: false,
        threads_enabled: false,
        wide_arithmetic_enabled: false,
        custom_page_sizes_enabled: false,
        extended_const_enabled: false,
        shared_everything_threads_enabled: false,
        custom_descriptors_enabled: false,
        ..Config::default()
    };
    let mut rng = RunSeed::new("random modules", 51).generation(0).stream("modules");
    let modules = (0..300).filter_map(|_| {
        let bytes: Vec<_> = (0..300).flat_map(|_| rng.next_u64().to_le_bytes()).collect();
        let module = Module::new(config.clone(), &mut Unstructured::new(&bytes));
        // The description of random code is a random place: the error tells its value.
        module.ok().map(|module| module.to_bytes())
    });
    let kinds = compare(modules);
    println!("{kinds:?}");
    assert!(100 < kinds["refused"], "{kinds:?}");
}
