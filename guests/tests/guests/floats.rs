//! Floats, checked against arithmetic in Rust: results that are numbers keep every bit, and each
//! NaN of arithmetic is the canonical NaN.

use std::cmp::Ordering;
use std::fmt::Write;

use crate::common::{game, trial};

/// Zeros, subnormals, limits of conversions, infinities, and NaNs with payloads and both signs.
const NUMBERS_32: [u32; 17] = [
    0,
    0x8000_0000,
    1,
    0x807f_ffff,
    0x0080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4049_0fdb,
    0x4b00_0001,
    0x4f00_0000,
    0x5f00_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc1_2345,
    0x7fa0_0001,
];

const NUMBERS_64: [u64; 17] = [
    0,
    1 << 63,
    1,
    0x800f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff8_0000_0000_0000,
    0x4009_21fb_5444_2d18,
    0x4330_0000_0000_0001,
    0x41e0_0000_0000_0000,
    0x43e0_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xfff8_0000_1234_5678,
    0x7ff4_0000_0000_0001,
];

type Op<T> = (&'static str, fn(T, T) -> T);

macro_rules! operations {
    ($float:ty) => {
        [
            ("add", |a, b| a + b),
            ("sub", |a, b| a - b),
            ("mul", |a, b| a * b),
            ("div", |a, b| a / b),
            ("min", |a, b| match a.partial_cmp(&b) {
                None => <$float>::NAN,
                Some(Ordering::Less) => a,
                Some(Ordering::Equal) => <$float>::from_bits(a.to_bits() | b.to_bits()),
                Some(Ordering::Greater) => b,
            }),
            ("max", |a, b| match a.partial_cmp(&b) {
                None => <$float>::NAN,
                Some(Ordering::Less) => b,
                Some(Ordering::Equal) => <$float>::from_bits(a.to_bits() & b.to_bits()),
                Some(Ordering::Greater) => a,
            }),
            ("sqrt", |a, _| a.sqrt()),
            ("ceil", |a, _| a.ceil()),
            ("floor", |a, _| a.floor()),
            ("trunc", |a, _| a.trunc()),
            ("nearest", |a, _| a.round_ties_even()),
            ("abs", |a, _| a.abs()),
            ("neg", |a, _| -a),
        ]
    };
}

const OPS_32: [Op<f32>; 13] = operations!(f32);
const OPS_64: [Op<f64>; 13] = operations!(f64);

const TEXT: &str = "a string takes any text";

/// The hash of the module: each value is mixed into 64 bits.
fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x0000_0100_0000_01b3)
}

const MIX: &str = "(func $mix (param i64 i64) (result i64)
    (i64.mul (i64.xor (local.get 0) (local.get 1)) (i64.const 0x100000001b3)))";

/// Returns the hash that a trial measured in two parts.
fn hashes(measures: &[(u32, i64)]) -> Vec<u64> {
    let pairs = measures.chunks(2).map(|pair| (pair[0].1 | pair[1].1 << 32).cast_unsigned());
    pairs.collect()
}

/// Returns a trial that applies each of `folds` to every pair of numbers from a table, and measures
/// a hash for each. A fold is an expression of `i64` over the addresses `$a` and `$b`.
fn folding(table: &[u8], width: usize, folds: &[String]) -> Vec<u8> {
    let end = 256 + table.len();
    let data: String = table.iter().fold(String::new(), |mut data, byte| {
        write!(data, "\\{byte:02x}").expect(TEXT);
        data
    });
    let (mut functions, mut calls) = (String::new(), String::new());
    for (i, fold) in folds.iter().enumerate() {
        write!(
            functions,
            "(func $fold{i} (result i64) (local $hash i64) (local $a i32) (local $b i32)
               (local.set $a (i32.const 256))
               (loop $each_a
                 (local.set $b (i32.const 256))
                 (loop $each_b
                   (local.set $hash (call $mix (local.get $hash) {fold}))
                   (local.set $b (i32.add (local.get $b) (i32.const {width})))
                   (br_if $each_b (i32.lt_u (local.get $b) (i32.const {end}))))
                 (local.set $a (i32.add (local.get $a) (i32.const {width})))
                 (br_if $each_a (i32.lt_u (local.get $a) (i32.const {end}))))
               (local.get $hash))"
        )
        .expect(TEXT);
        write!(
            calls,
            "(local.set $hash (call $fold{i}))
             (call $measure (i32.const 0)
               (i64.and (local.get $hash) (i64.const 0xffffffff)))
             (call $measure (i32.const 0) (i64.shr_u (local.get $hash) (i64.const 32)))"
        )
        .expect(TEXT);
    }
    game(&format!(
        r#"(data (i32.const 256) "{data}") {MIX} {functions}
        (func (export "hatchery_trial") (param i32 i32) (result i32) (local $hash i64)
          {calls} (i32.const 0))"#
    ))
}

fn table_32() -> Vec<u8> {
    NUMBERS_32.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn table_64() -> Vec<u8> {
    NUMBERS_64.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Returns the hash over all pairs of a function of bits.
fn expected<T: Copy>(numbers: &[T], of: impl Fn(T, T) -> u64) -> u64 {
    let pairs = numbers.iter().flat_map(|a| numbers.iter().map(move |b| (*a, *b)));
    pairs.fold(0, |hash, (a, b)| mix(hash, of(a, b)))
}

fn bits_32(number: f32) -> u64 {
    u64::from(if number.is_nan() { 0x7fc0_0000 } else { number.to_bits() })
}

fn bits_64(number: f64) -> u64 {
    if number.is_nan() { 0x7ff8_0000_0000_0000 } else { number.to_bits() }
}

/// Returns the instruction `op` over one or two `operands`.
fn apply(float: &str, op: &str, operands: [&str; 2]) -> String {
    let unary = ["sqrt", "ceil", "floor", "trunc", "nearest", "abs", "neg"].contains(&op);
    let [a, b] = operands;
    if unary { format!("({float}.{op} {a})") } else { format!("({float}.{op} {a} {b})") }
}

#[test]
fn scalars_of_32_bits_are_those_of_ieee_with_one_nan() {
    let operands = ["(f32.load (local.get $a))", "(f32.load (local.get $b))"];
    let mut folds = Vec::new();
    for (op, _) in OPS_32 {
        let result = apply("f32", op, operands);
        folds.push(format!("(i64.extend_i32_u (i32.reinterpret_f32 {result}))"));
        folds.push(format!(
            "(block (result i64) (f32.store (i32.const 0) {result}) (i64.load32_u (i32.const 0)))"
        ));
    }
    let found = hashes(&trial(folding(&table_32(), 4, &folds)).unwrap());
    for (i, (op, native)) in OPS_32.into_iter().enumerate() {
        let of = |a, b| bits_32(native(f32::from_bits(a), f32::from_bits(b)));
        let expected = expected(&NUMBERS_32, of);
        assert_eq!(found[2 * i..2 * i + 2], [expected, expected], "f32.{op}");
    }
}

#[test]
fn scalars_of_64_bits_are_those_of_ieee_with_one_nan() {
    let operands = ["(f64.load (local.get $a))", "(f64.load (local.get $b))"];
    let folds =
        OPS_64.map(|(op, _)| format!("(i64.reinterpret_f64 {})", apply("f64", op, operands)));
    let found = hashes(&trial(folding(&table_64(), 8, &folds)).unwrap());
    for ((op, native), found) in OPS_64.into_iter().zip(found) {
        let of = |a, b| bits_64(native(f64::from_bits(a), f64::from_bits(b)));
        assert_eq!(found, expected(&NUMBERS_64, of), "f64.{op}");
    }
}

#[test]
fn a_copy_by_floats_keeps_all_bits_and_a_sign_of_a_nan_is_canonical() {
    let folds = [
        "(block (result i64)
           (f32.store (i32.const 0) (f32.load (local.get $a))) (i64.load32_u (i32.const 0)))",
        "(i64.extend_i32_u (i32.reinterpret_f32 (f32.const nan:0x200001)))",
        "(i64.extend_i32_u (i32.reinterpret_f32
           (f32.copysign (f32.const 1) (f32.sub (f32.load (local.get $a)) (f32.const inf)))))",
        "(i64.extend_i32_u (i32.reinterpret_f32
           (f32.demote_f64 (f64.promote_f32 (f32.load (local.get $a))))))",
    ];
    let wasm = folding(&table_32(), 4, &folds.map(str::to_owned));
    let found = hashes(&trial(wasm).unwrap());
    let sign = |a: u32| {
        let difference = f32::from_bits(a) - f32::INFINITY;
        let is_below = !difference.is_nan() && difference.is_sign_negative();
        u64::from(if is_below { (-1_f32).to_bits() } else { 1_f32.to_bits() })
    };
    assert_eq!(
        found,
        [
            expected(&NUMBERS_32, |a, _| a.into()),
            expected(&NUMBERS_32, |_, _| 0x7fa0_0001),
            expected(&NUMBERS_32, |a, _| sign(a)),
            expected(&NUMBERS_32, |a, _| bits_32(f32::from_bits(a))),
        ]
    );
}

#[test]
fn lanes_are_those_of_ieee_with_one_nan() {
    let mut folds = Vec::new();
    let [a, b] = ["$a", "$b"].map(|at| format!("(v128.load32_splat (local.get {at}))"));
    let fold = |result: &str| {
        format!(
            "(block (result i64) (v128.store (i32.const 0) {result})
               (i64.xor (i64.load (i32.const 0)) (i64.shl (i64.load (i32.const 8)) (i64.const 1))))"
        )
    };
    for (op, _) in OPS_32 {
        folds.push(fold(&apply("f32x4", op, [&a, &b])));
    }
    // A chain settles its last result alone.
    folds.push(fold(&format!("(f32x4.sqrt (f32x4.add (f32x4.mul {a} {b}) {a}))")));
    let found = hashes(&trial(folding(&table_32(), 4, &folds)).unwrap());
    let lanes = |bits: u64| {
        let half = bits | bits << 32;
        half ^ half << 1
    };
    for ((op, native), found) in OPS_32.into_iter().zip(&found) {
        let of = |a, b| {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            let result = native(a, b);
            // These two only move bits.
            let moves = ["abs", "neg"].contains(&op);
            lanes(if moves { result.to_bits().into() } else { bits_32(result) })
        };
        assert_eq!(*found, expected(&NUMBERS_32, of), "f32x4.{op}");
    }
    let chain = |a, b| {
        let (a, b) = (f32::from_bits(a), f32::from_bits(b));
        lanes(bits_32((a * b + a).sqrt()))
    };
    assert_eq!(found.last(), Some(&expected(&NUMBERS_32, chain)));
}

#[test]
fn both_engines_agree_on_vectors_and_conversions() {
    let [a, b] = ["$a", "$b"].map(|at| format!("(v128.load (local.get {at}))"));
    let binary = "i8x16.swizzle i8x16.add_sat_s i8x16.sub_sat_u i8x16.avgr_u i8x16.min_s i16x8.mul \
        i16x8.q15mulr_sat_s i16x8.extmul_low_i8x16_s i32x4.dot_i16x8_s i32x4.mul i64x2.mul \
        i64x2.lt_s i8x16.narrow_i16x8_u i16x8.narrow_i32x4_s f32x4.pmin f32x4.pmax f64x2.pmin \
        f64x2.pmax f64x2.add f64x2.sub f64x2.mul f64x2.div f64x2.min f64x2.max f32x4.eq f32x4.lt \
        f64x2.ge f32x4.ne v128.andnot";
    let unary = "i8x16.popcnt i16x8.extadd_pairwise_i8x16_s i32x4.trunc_sat_f32x4_s \
        i32x4.trunc_sat_f32x4_u i32x4.trunc_sat_f64x2_s_zero i32x4.trunc_sat_f64x2_u_zero \
        f32x4.convert_i32x4_s f32x4.convert_i32x4_u f64x2.convert_low_i32x4_u \
        f32x4.demote_f64x2_zero f64x2.promote_low_f32x4 f64x2.sqrt f64x2.ceil f64x2.floor \
        f64x2.trunc f64x2.nearest f64x2.neg f64x2.abs i64x2.abs v128.not i32x4.neg";
    let scalar = "i32.trunc_sat_f32_s i32.trunc_sat_f32_u";
    let fold = |result: &str| {
        format!(
            "(block (result i64) (v128.store (i32.const 0) {result})
               (i64.xor (i64.load (i32.const 0)) (i64.shl (i64.load (i32.const 8)) (i64.const 1))))"
        )
    };
    let mut folds: Vec<_> =
        binary.split_whitespace().map(|op| fold(&format!("({op} {a} {b})"))).collect();
    folds.extend(unary.split_whitespace().map(|op| fold(&format!("({op} {a})"))));
    folds.extend(
        scalar
            .split_whitespace()
            .map(|op| format!("(i64.extend_i32_u ({op} (f32.load (local.get $a))))")),
    );
    folds.push("(i64.trunc_sat_f32_s (f32.load (local.get $a)))".to_owned());
    folds.push("(i64.trunc_sat_f64_u (f64.load (local.get $a)))".to_owned());
    folds.push(
        "(i64.extend_i32_u (i32.reinterpret_f32
        (f32.convert_i64_u (i64.load (local.get $a)))))"
            .to_owned(),
    );
    // NaNs of scalars that become lanes.
    for lane in ["f32x4.splat", "f32x4.replace_lane 2 (v128.const i64x2 0 0)"] {
        folds.push(fold(&format!("({lane} (f32.sub (f32.load (local.get $a)) (f32.const inf)))")));
    }
    folds.push(fold("(f64x2.splat (f64.sqrt (f64.load (local.get $a))))"));
    // Twelve bytes of zeros let vectors be read at every number.
    let table = [table_32(), vec![0; 16]].concat();
    let found = trial(folding(&table[..17 * 4], 4, &folds)).unwrap();
    assert_eq!(hashes(&found).len(), folds.len());
}
