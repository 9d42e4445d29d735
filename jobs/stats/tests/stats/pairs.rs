//! Tests and intervals for pairs of numbers: how often they are wrong, by simulation with fixed
//! seeds.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hatchery_core::{RunSeed, StreamRng};
use hatchery_stats::{ErrorRate, ZeroTreatment, signed_rank_test, spearman};

const SAMPLES: u32 = 2000;

fn stream(name: &str) -> StreamRng {
    RunSeed::new("pairs", 1).generation(0).stream(name)
}

/// The sum of twelve uniform numbers is nearly normal.
fn normal(rng: &mut StreamRng) -> f64 {
    (0..12).map(|_| rng.unit_f64()).sum::<f64>() - 6.0
}

/// Returns the shares of samples of `n` differences whose exact and normal two-sided p-values are
/// at most 5 %.
fn rejections(n: u32, zeros: ZeroTreatment, mut draw: impl FnMut() -> f64) -> [f64; 2] {
    let mut rejected = [0_u32; 2];
    for _ in 0..SAMPLES {
        let differences: Vec<f64> = (0..n).map(|_| draw()).collect();
        let test = signed_rank_test(&differences, zeros).unwrap();
        for (count, tails) in rejected.iter_mut().zip([test.exact.unwrap(), test.normal]) {
            *count += u32::from(tails.two_sided <= 0.05);
        }
    }
    rejected.map(|count| f64::from(count) / f64::from(SAMPLES))
}

/// An exact test rejects at most 5 % where nothing differs, here but for 1.5 points of sampling
/// error (3 standard errors), and hardly less where there are no ties.
#[test]
fn signed_ranks_reject_no_more_than_they_claim() {
    let mut rng = stream("null");
    for n in [6, 18, 60] {
        let [exact, approximate] = rejections(n, ZeroTreatment::Drop, || normal(&mut rng));
        assert!((0.02..=0.065).contains(&exact), "{exact} for n = {n}");
        assert!((0.02..=0.065).contains(&approximate), "{approximate} for n = {n}");
    }
    // 18 players' numbers of levels cleared of five: many ties and zeros.
    for zeros in [ZeroTreatment::Drop, ZeroTreatment::RankFirst] {
        let mut cleared = || f64::from((0..5).map(|_| rng.below(2)).sum::<u32>());
        let [exact, approximate] = rejections(18, zeros, || cleared() - cleared());
        assert!((0.02..=0.065).contains(&exact), "{exact} for {zeros:?}");
        assert!((0.02..=0.07).contains(&approximate), "{approximate} for {zeros:?}");
    }
}

/// A shift by a standard deviation is found in 18 pairs more than nine times of ten; Student's test
/// finds it 98 times of 100.
#[test]
fn signed_ranks_find_what_is_there() {
    let mut rng = stream("shift");
    let [exact, _] = rejections(18, ZeroTreatment::Drop, || normal(&mut rng) + 1.0);
    assert!(0.94 < exact, "{exact}");
}

/// Normal coordinates with the correlation r have Spearman's correlation 6 / pi arcsin(r / 2). The
/// limits are the sampling error, 1.5 points, and as much for the approximation.
#[test]
fn intervals_of_spearman_cover() {
    for (n, correlation, least, most) in [
        (18, 0.0, 0.92, 0.975),
        (18, 0.7, 0.92, 0.975),
        (60, 0.4, 0.93, 0.97),
        (60, 0.9, 0.92, 0.97),
    ] {
        let mut rng = stream("spearman");
        let truth = 6.0 / core::f64::consts::PI * libm::asin(correlation / 2.0);
        let rest = libm::sqrt(1.0 - correlation * correlation);
        let mut covers = |_| {
            let point = |_| {
                let x = normal(&mut rng);
                [x, correlation * x + rest * normal(&mut rng)]
            };
            let points: Vec<[f64; 2]> = (0..n).map(point).collect();
            let found = spearman(&points, ErrorRate::FIVE_PERCENT).unwrap();
            found.low <= truth && truth <= found.high
        };
        let hits: u32 = (0..SAMPLES).map(|sample| u32::from(covers(sample))).sum();
        let got = f64::from(hits) / f64::from(SAMPLES);
        assert!((least..=most).contains(&got), "{got} for n = {n}, r = {correlation}");
    }
}
