//! Calls within calls: both engines stop at the same depth, before their own stacks end.

use hatchery_core::GameModule;

use crate::common::{game, module_with, trial, trials_of};

/// Recurses by `function` as deep as the subject says, and measures the depth reached.
fn recursive(function: &str) -> GameModule {
    let wasm = game(&format!(
        r#"(type $recursion (func (param i32) (result i32)))
        (table 1 1 funcref) (elem (i32.const 0) func $down)
        {function}
        (func (export "hatchery_trial") (param i32 i32) (result i32)
          (call $measure (i32.const 0)
            (i64.extend_i32_u (call $down (i32.load (local.get 0)))))
          (i32.const 0))"#
    ));
    module_with(wasm, Vec::new())
}

fn shapes() -> Vec<(&'static str, String)> {
    let simple = "(func $down (param i32) (result i32)
        (if (result i32) (local.get 0)
          (then (i32.add (i32.const 1) (call $down (i32.sub (local.get 0) (i32.const 1)))))
          (else (i32.const 0))))";
    // Every local is used after the call, so all have to be in the frame.
    let many = |local_type: &str, load: &str, n: u32| {
        let place = "(i32.and (local.get 0) (i32.const 1023))";
        let reads = (1..=n).map(|i| format!("(local.set {i} ({load} offset={} {place}))", 16 * i));
        let writes =
            (1..=n).map(|i| format!("({}.store (i32.const 512) (local.get {i}))", &local_type));
        format!(
            "(func $down (param i32) (result i32) (local {}) (local $sum i32)
               (if (i32.eqz (local.get 0)) (then (return (i32.const 0))))
               {} (local.set $sum (call $down (i32.sub (local.get 0) (i32.const 1))))
               {} (i32.add (local.get $sum) (i32.const 1)))",
            format!("{local_type} ").repeat(n as usize),
            reads.collect::<String>(),
            writes.collect::<String>(),
        )
    };
    let operands = {
        let load =
            |i| format!("(i64.load offset={} (i32.and (local.get 0) (i32.const 1023)))", 8 * i);
        let loads: String = (0..300).map(load).collect();
        let sums = "i64.add ".repeat(299);
        format!(
            "(func $down (param i32) (result i32) (local $sum i32)
               (if (i32.eqz (local.get 0)) (then (return (i32.const 0))))
               {loads} (local.set $sum (call $down (i32.sub (local.get 0) (i32.const 1))))
               {sums} drop (i32.add (local.get $sum) (i32.const 1)))"
        )
    };
    let hoisted = {
        let value = |i: u32| format!("(i64.mul (local.get $p) (i64.const {}))", 2 * i + 3);
        let store = |i| format!("(i64.store offset={} (local.get $i) {})", 8 * i, value(i));
        let stores: String = (0..300).map(store).collect();
        format!(
            "(func $down (param i32) (result i32) (local $sum i32) (local $i i32) (local $p i64)
               (if (i32.eqz (local.get 0)) (then (return (i32.const 0))))
               (local.set $p (i64.load (i32.const 64)))
               (loop $next
                 (local.set $sum (call $down (i32.sub (local.get 0) (i32.const 1))))
                 {stores}
                 (local.set $i (i32.add (local.get $i) (i32.const 1)))
                 (br_if $next (i32.lt_u (local.get $i) (i32.const 1))))
               (i32.add (local.get $sum) (i32.const 1)))"
        )
    };
    let next = "(i32.sub (local.get 0) (i32.const 1))";
    let by_table = simple.replace(
        &format!("(call $down {next})"),
        &format!("(call_indirect (type $recursion) {next} (i32.const 0))"),
    );
    assert_ne!(by_table, simple);
    vec![
        ("simple", simple.to_owned()),
        ("by table", by_table),
        ("integers", many("i64", "i64.load", 500)),
        ("floats", many("f64", "f64.load", 500)),
        ("vectors", many("v128", "v128.load", 500)),
        ("operands", operands),
        ("hoisted", hoisted),
    ]
}

#[test]
fn recursion_ends_at_the_same_depth_in_both_engines() {
    for (name, function) in shapes() {
        let module = recursive(&function);
        let reaches = |depth: i32| match trials_of(&module, &depth.to_le_bytes(), 1) {
            Ok(trials) => {
                assert_eq!(trials, [[(0, i64::from(depth))]]);
                true
            }
            Err(failure) => {
                let text = failure.to_string();
                let expected = "in `hatchery_trial`: its calls are nested too deeply";
                assert!(text.contains(expected), "{name}: {text}");
                false
            }
        };
        assert!(!reaches(i32::MAX), "{name}");
        // The depth that is just possible is the same, or one of the engines would differ here.
        let (mut low, mut high) = (0, 1 << 20);
        while low + 1 < high {
            let middle = (low + high) / 2;
            if reaches(middle) { low = middle } else { high = middle }
        }
        let least = if name == "simple" || name == "by table" { 50_000 } else { 200 };
        println!("{name} reaches {low}");
        assert!(least < low, "{name} reaches {low}");
    }
}

#[test]
fn calls_in_sequence_give_their_room_back() {
    let items = r#"(func $leaf (param i32) (result i32) (i32.mul (local.get 0) (i32.const 3)))
        (func $middle (param i32) (result i32) (call $leaf (call $leaf (local.get 0))))
        (func (export "hatchery_trial") (param i32 i32) (result i32) (local $i i32) (local $x i32)
          (local.set $x (i32.const 1))
          (loop $next
            (local.set $x (call $middle (local.get $x)))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $next (i32.lt_u (local.get $i) (i32.const 200000))))
          (call $measure (i32.const 0) (i64.extend_i32_u (local.get $x))) (i32.const 0))"#;
    let expected = (0..400_000).fold(1_u32, |x, _| x.wrapping_mul(3));
    assert_eq!(trial(game(items)), Ok(vec![(0, i64::from(expected))]));
}
