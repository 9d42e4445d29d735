//! Modules that are broken or mean harm: typed errors that name what and where.

use hatchery_core::GameFailure;
use hatchery_guests::{MAX_MODULE_BYTES, ModuleError, check_module};

use crate::common::{ABOUT, IDLE, PAGES, game, game_text, module_with, trial, trials_of};
use crate::pig::pig;

fn refused(wasm: Vec<u8>, expected: &str) {
    let failure = trial(wasm).expect_err("it is refused");
    let GameFailure::Module { reason } = &failure else { panic!("{failure}") };
    assert!(reason.contains(expected), "{reason}");
}

fn refused_text(text: &str, expected: &str) {
    refused(wat::parse_str(text).unwrap_or_else(|error| panic!("{text}: {error}")), expected);
}

/// Checks a failure in the body of a trial.
fn fails(body: &str, expected: &str) {
    let head = r#"(table 2 2 funcref) (func $other (param i64)) (elem (i32.const 1) func $other)
        (type $none (func))
        (func (export "hatchery_trial") (param i32 i32) (result i32)"#;
    let failure = trial(game(&format!("{head} {body} (i32.const 0))"))).expect_err("it fails");
    let GameFailure::Trial { trial_idx: 0, reason } = &failure else { panic!("{failure}") };
    assert_eq!(reason, &format!("in `hatchery_trial`: {expected}"));
}

#[test]
fn bytes_that_are_no_module_are_refused() {
    refused(Vec::new(), "unexpected end-of-file (at offset 0x0)");
    refused(b"MZ\x90\0 a program".to_vec(), "magic header not detected");
    let pig = pig();
    refused(pig[..pig.len() / 2].to_vec(), "(at offset 0x");
    refused(b"\0asm\x0d\0\x01\0".to_vec(), "component");
    let error = check_module(&vec![0; MAX_MODULE_BYTES + 1], PAGES).unwrap_err();
    assert!(matches!(error, ModuleError::TooLong { n_bytes } if n_bytes == MAX_MODULE_BYTES + 1));
}

#[test]
fn every_prefix_of_a_module_is_refused() {
    let pig = pig();
    let allowed = (0..pig.len()).filter(|n| check_module(&pig[..*n], PAGES).is_ok());
    assert_eq!(allowed.count(), 2, "only the data and the names at the end may be missing");
}

#[test]
fn features_that_engines_or_machines_disagree_on_are_refused() {
    let text = |items: &str| game_text(ABOUT, &format!("{IDLE} {items}"));
    refused_text(
        &text("(func (return_call 0))")
            .replace("(func (return_call 0))", "(func $tail (return_call $tail))"),
        "tail calls support is not enabled",
    );
    refused_text(&text("(func (drop (i32.atomic.load (i32.const 0))))"), "threads support is not");
    refused_text(
        &text(
            "(func (drop (f32x4.relaxed_madd (v128.const i64x2 0 0)
        (v128.const i64x2 0 0) (v128.const i64x2 0 0))))",
        ),
        "relaxed SIMD support is not enabled",
    );
    refused_text(&text("").replace("\"memory\") 1)", "\"memory\") i64 1)"), "memory64 must be");
    refused_text(&text("(memory 1)"), "multiple memories");
    refused_text(&text("(tag)"), "exceptions");
    refused_text(&text("(type (struct))"), "gc");
    refused_text(&text("(global externref (ref.null extern))"), "type");
    refused_text(
        &text("(table 1 funcref) (func (drop (table.grow 0 (ref.null func) (i32.const 1))))"),
        "has `table.grow` at offset 0x",
    );
}

#[test]
fn imports_and_exports_are_checked_by_name_and_type() {
    let with =
        |first: &str| game_text(ABOUT, IDLE).replacen("(module", &format!("(module {first}"), 1);
    refused_text(
        &with(r#"(import "wasi_snapshot_preview1" "clock_time_get" (func (result i64)))"#),
        "it imports `wasi_snapshot_preview1.clock_time_get`, and the host has only \
         hatchery.random, hatchery.measure, hatchery.beat, hatchery.frame",
    );
    refused_text(&with(r#"(import "hatchery" "clock" (func))"#), "it imports `hatchery.clock`");
    refused_text(
        &with(r#"(import "hatchery" "random" (func (param i32) (result i32)))"#),
        "it imports `hatchery.random` as (i32) -> i32, but it is () -> i64",
    );
    refused_text(
        &with(r#"(import "hatchery" "random" (global i64))"#),
        "it imports `hatchery.random` as a global, but it is () -> i64",
    );
    refused_text(&with(r#"(import "env" "table" (table 1 funcref))"#), "it imports `env.table`");
    let text = |items: &str| game_text(ABOUT, &format!("{IDLE} {items}"));
    refused_text(&text(r#"(func (export "hatchery_tick"))"#), "it exports `hatchery_tick`");
    refused_text(
        &text(r#"(global (export "hatchery_stack_left") i32 (i32.const 0))"#),
        "exports `h",
    );
    refused_text(
        &text(r#"(func (export "hatchery_begin") (param i32))"#),
        "it exports `hatchery_begin` as (i32), but it must be (i32, i32)",
    );
    refused_text(
        &text(r#"(global (export "hatchery_begin") i32 (i32.const 0))"#),
        "it exports `hatchery_begin` as a global, but it must be (i32, i32)",
    );
    refused_text(&game_text(ABOUT, ""), "it does not export `hatchery_trial`");
    refused_text("(module)", "it does not export `hatchery_about`");
    let other =
        text(r#"(func (export "_start")) (global (export "__heap_base") i32 (i32.const 9))"#);
    assert_eq!(trial(wat::parse_str(other).unwrap()), Ok(Vec::new()));
}

#[test]
fn sizes_are_bounded() {
    let text = |items: &str| game_text(ABOUT, &format!("{IDLE} {items}"));
    let memory = |pages: u32| {
        game_text(ABOUT, IDLE).replace("\"memory\") 1)", &format!("\"memory\") {pages})"))
    };
    refused_text(&memory(17), "its memory begins with 17 pages of 64 KiB, and the cap is 16");
    refused_text(&memory(65_536), "its memory begins with 65536 pages");
    assert_eq!(trial(wat::parse_str(memory(16)).unwrap()), Ok(Vec::new()));
    let memoryless = game_text(ABOUT, IDLE)
        .replace("(memory (export \"memory\") 1)", "")
        .lines()
        .filter(|line| !line.contains("(data"))
        .collect::<String>();
    refused_text(&memoryless, "it has no memory");
    refused_text(
        &text("(table 65537 funcref)"),
        "it has 65537 elements of a table, and at most 65536",
    );
    refused_text(&text("(table 1 funcref) (table 1 funcref)"), "it has 2 tables");
    let globals = "(global i64 (i64.const 0))".repeat(10_001);
    refused_text(&text(&globals), "it has 10001 globals, and at most 10000 are allowed");
    let locals = format!("(func (local {}))", "i64 ".repeat(5_000));
    refused_text(&text(&locals), "function 7 has 5000 locals, and at most 4096 are allowed");
    let operands = format!("(func {} {})", "i32.const 1 ".repeat(5_000), "drop ".repeat(5_000));
    refused_text(&text(&operands), "function 7 has 5000 operands, and at most 4096 are allowed");
    let long = format!("(func {})", "nop ".repeat(600_000));
    refused_text(&text(&long), "function 7 has 600");
    refused_text(
        &text("(data (i32.const 65535) \"ab\")"),
        "data segment 1 does not fit into its memory",
    );
    refused_text(&text("(data (i32.const -1) \"ab\")"), "data segment 1 does not fit");
    refused_text(
        &text("(table 1 funcref) (elem (i32.const 1) func 0)"),
        "element segment 0 does not fit into its table",
    );
}

#[test]
fn descriptions_that_lie_are_refused() {
    let about = |place: u64| {
        let text = game_text(ABOUT, IDLE);
        let from = text.find("(i64.const ").unwrap();
        let to = from + text[from..].find(')').unwrap();
        format!("{}(i64.const {}{}", &text[..from], place.cast_signed(), &text[to..])
    };
    refused_text(
        &about(8 << 32 | 70_000),
        "in `hatchery_about`: it gave the host 70000 bytes at address 8, but its memory has 65536",
    );
    refused_text(&about(u64::MAX), "4294967295 bytes at address 4294967295");
    refused_text(&about(0), "its description is refused: EOF while parsing");
    refused_text(&about(8 << 32 | 20), "its description is refused: EOF while parsing");
    refused_text(&about(65_536), "at line 1 column 1; it begins with `");
    refused_text(&about(65_530 << 32 | 6), "expected value at line 1 column 1");
    refused_text(
        &game_text(&ABOUT.replace("\"abi\":1", "\"abi\":2"), IDLE),
        "abi is 2, but must be",
    );
    refused_text(&game_text("[1, 2]", IDLE), "in `hatchery_about`: its description is refused");
    let outside =
        game_text(ABOUT, IDLE).replace("(i64.const ", "(drop (call $random)) (i64.const ");
    refused_text(&outside, "in `hatchery_about`: it called `hatchery.random` outside of a trial");
    let start = "(func $start (call $measure (i32.const 0) (i64.const 0))) (start $start)";
    refused_text(
        &game_text(ABOUT, &format!("{IDLE} {start}")),
        "in the start function: it called `hatchery.measure` outside of a trial",
    );
}

#[test]
fn failures_have_the_same_words_in_both_engines() {
    fails("unreachable", "it reached `unreachable`, such as by a panic or a failed assertion");
    fails("(drop (i32.load (i32.const 65533)))", "it used an address outside of its memory");
    fails(
        "(memory.fill (i32.const 1) (i32.const 0) (i32.const -1))",
        "it used an address outside of its memory",
    );
    fails("(call_indirect (type $none) (i32.const 2))", "it used an index outside of its table");
    fails("(drop (table.get (i32.const 2)))", "it used an index outside of its table");
    fails("(call_indirect (type $none) (i32.const 0))", "it called an empty element of its table");
    fails(
        "(call_indirect (type $none) (i32.const 1))",
        "it called a function of another type through its table",
    );
    fails("(drop (i32.rem_u (i32.const 1) (i32.const 0)))", "it divided an integer by zero");
    let overflow = "an integer overflowed in a division or a conversion";
    fails("(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))", overflow);
    fails("(drop (i32.trunc_f64_s (f64.const 1e10)))", overflow);
    fails(
        "(drop (i64.trunc_f32_u (f32.const nan)))",
        "it converted a float that is no number to an integer",
    );
}

#[test]
fn measures_are_checked_and_counted() {
    fails(
        "(call $measure (i32.const 1) (i64.const 0))",
        "it recorded a wrong value: the id of a measure is 1, but must be from 0 to 0",
    );
    fails(
        "(call $measure (i32.const -1) (i64.const 0))",
        "it recorded a wrong value: the id of a measure is 4294967295, but must be from 0 to 0",
    );
    fails(
        "(call $measure (i32.const 0) (i64.const 0x10000000001))",
        "it recorded a wrong value: m is 1099511627777, but must be from -1099511627776 to \
         1099511627776",
    );
    fails(
        "(loop $more (call $measure (i32.const 0) (i64.const 0)) (br $more))",
        "it recorded more than 4096 values",
    );
}

#[test]
fn pointers_of_the_allocator_are_checked() {
    let text = game_text(ABOUT, IDLE).replace("(i32.const 4096)", "(i32.const 65530)");
    let module = module_with(wat::parse_str(text).unwrap(), Vec::new());
    assert_eq!(trials_of(&module, &[1; 6], 1), Ok(vec![Vec::new()]));
    let failure = trials_of(&module, &[1; 7], 1).unwrap_err();
    let expected = "trial 0 of the call failed: in `hatchery_alloc`: it gave the host 7 bytes at \
                    address 65530, but its memory has 65536";
    assert_eq!(failure.to_string(), expected);
}

#[test]
fn a_game_may_refuse_a_subject_or_fail_in_a_late_trial() {
    let refuses = IDLE.replace("(i32.const 0)", "(i32.const -2)");
    let failure = trial(game(&refuses)).unwrap_err();
    assert_eq!(failure, GameFailure::RefusedSubject { trial_idx: 0, code: u32::MAX - 1 });
    let rare = r#"(func (export "hatchery_trial") (param i32 i32) (result i32)
        (if (i64.eqz (i64.rem_u (call $random) (i64.const 50))) (then unreachable))
        (i32.const 0))"#;
    let failure = trials_of(&module_with(game(rare), Vec::new()), &[], 1_000).unwrap_err();
    let GameFailure::Trial { trial_idx, reason } = failure else { panic!("{failure}") };
    assert!(0 < trial_idx && reason.contains("it reached `unreachable`"), "{trial_idx}: {reason}");
}
