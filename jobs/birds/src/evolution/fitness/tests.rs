//! Worked numbers of the fitness.

use std::f64::consts::PI;

use hatchery_evolve::score::ranks_in_order;

use super::*;

#[test]
fn the_nearest_ideal_passes_the_check() {
    let numbers = [f64::NAN, -1.0, 0.0, 3.36, 99.5, 1e300, f64::INFINITY];
    for block_term in [BlockTerm::Clamped, BlockTerm::Paper] {
        let settings = FitnessSettings { block_term, ..FitnessSettings::default() };
        for pigs in numbers {
            for blocks in numbers {
                let ideal = IdealCounts { pigs, blocks };
                let nearest = settings.nearest_ideal(ideal);
                assert_eq!(settings.check(nearest), Ok(()), "{ideal:?}");
                if settings.check(ideal).is_ok() && blocks <= 99.0 {
                    assert_eq!(nearest, ideal);
                }
            }
        }
    }
}
use crate::level::{BlockMaterial, LevelBlock, LevelElements, LevelPig, LevelSurroundings};
use crate::level::{PigKind, Pose};

fn check_total(settings: FitnessSettings, ideal: [f64; 2], counts: [usize; 2], expected: f64) {
    let ideal = IdealCounts { pigs: ideal[0], blocks: ideal[1] };
    let total = settings.fitness_of_counts(counts[1], counts[0], 0.05, ideal).total();
    assert!((total - expected).abs() < 5e-7, "{total} instead of {expected}");
}

/// By hand: v = 0.05, b = 30, B = 40, p = 3, P = 3.36, Max_b = 100.
#[test]
fn worked_numbers_of_both_equations() {
    let proposed = FitnessSettings::default();
    let conventional = FitnessSettings { pig_term: PigTerm::Conventional, ..proposed };
    check_total(proposed, [3.36, 40.0], [3, 30], 0.394_748);
    check_total(conventional, [3.36, 40.0], [3, 30], 0.466_667);
    let paper = FitnessSettings { block_term: BlockTerm::Paper, ..proposed };
    check_total(paper, [3.36, 40.0], [3, 30], 0.394_748);
    // B = 80 and no blocks: 80 / 20, or 1; one pig as wanted.
    check_total(paper, [1.0, 80.0], [1, 0], 4.05);
    check_total(proposed, [1.0, 80.0], [1, 0], 1.05);
    // B is limited to 99.
    check_total(proposed, [1.0, 200.0], [1, 99], 0.05);
    check_total(proposed, [1.0, 200.0], [1, 98], 1.05);
}

#[test]
fn speeds_are_clamped_and_empty_levels_are_worst() {
    let settings = FitnessSettings::default();
    let ideal = IdealCounts { pigs: 1.0, blocks: 0.0 };
    for (speed, expected) in [(-1.0, 0.0), (7.0, 1.0), (f64::NAN, 1.0), (0.25, 0.25)] {
        let total = settings.fitness_of_counts(0, 1, speed, ideal).total();
        assert_eq!(total.to_bits(), f64::to_bits(expected));
    }
    let empty = settings.fitness_of_counts(0, 0, 0.0, ideal);
    assert_eq!(empty.total().to_bits(), f64::INFINITY.to_bits());
    let of = |n_pigs| settings.fitness_of_counts(0, n_pigs, 0.0, ideal);
    assert!(ranks_in_order(&[empty, of(4), of(3), of(2), of(1)]));
}

#[test]
fn impossible_ideals_are_refused() {
    let clamped = FitnessSettings::default();
    let paper = FitnessSettings { block_term: BlockTerm::Paper, ..clamped };
    let key = |settings: FitnessSettings, pigs, blocks| {
        settings.check(IdealCounts { pigs, blocks }).err().map(|error| error.key)
    };
    assert_eq!(key(clamped, 20.0, 100.0), None);
    assert_eq!(key(paper, 20.0, 99.0), None);
    assert_eq!(key(paper, 20.0, 100.0).as_deref(), Some("blocks"));
    for pigs in [-0.5, 20.1, f64::NAN] {
        assert_eq!(key(clamped, pigs, 10.0).as_deref(), Some("pigs"));
    }
    for blocks in [-1.0, f64::INFINITY, f64::NAN] {
        assert_eq!(key(clamped, 1.0, blocks).as_deref(), Some("blocks"));
    }
    let pig_density = FitnessTerm { weight: f64::NAN, target: 0.0 };
    let weighted = FitnessSettings { pig_density, ..clamped };
    assert_eq!(key(weighted, 1.0, 10.0).as_deref(), Some("pig_density.weight"));
}

/// Four blocks of two shapes, as often: ln 2 / ln 12; areas by hand.
#[test]
fn other_terms_are_those_of_a_level_worked_by_hand() {
    let shapes = [BlockShape::SquareHole, BlockShape::RectFat];
    let pose = Pose::at(0.0, 0.0);
    let block = |shape| LevelBlock { shape, material: BlockMaterial::Ice, pose };
    let blocks = shapes.into_iter().cycle().take(4).map(block).collect();
    let pigs = vec![LevelPig { kind: PigKind::Small, pose }; 3];
    let elements = LevelElements { blocks, pigs, ..LevelElements::default() };
    let level = Level::new(LevelSurroundings::with_red_birds(3), elements).unwrap();
    let entropy = std::f64::consts::LN_2 / libm::log(12.0);
    let blocks = 2.0 * (0.84 * 0.84 + 0.85 * 0.43) / 405.3;
    let pigs = 3.0 * PI * 0.235 * 0.235 / 405.3;
    let term = |target| FitnessTerm { weight: 2.0, target };
    let none = FitnessTerm::default();
    for (terms, expected) in [
        ([term(1.0), none, none], 2.0 * (1.0 - entropy)),
        ([none, term(0.5), none], 2.0 * (0.5 - blocks)),
        ([none, none, term(0.0)], 2.0 * pigs),
        ([none; 3], 0.0),
    ] {
        let [shape_entropy, block_density, pig_density] = terms;
        let settings = FitnessSettings {
            shape_entropy,
            block_density,
            pig_density,
            ..FitnessSettings::default()
        };
        let ideal = IdealCounts { pigs: 3.0, blocks: 4.0 };
        let fitness = settings.fitness(&level, 0.0, ideal);
        assert!((fitness.total() - expected).abs() < 1e-6, "{fitness:?} for {expected}");
    }
}

#[test]
fn a_chosen_number_of_blocks_is_below_the_most() {
    let settings = FitnessSettings::default();
    assert_eq!(settings.check_blocks("blocks", 99.0), Ok(()));
    for blocks in [99.5, 100.0, -0.1, f64::NAN, f64::INFINITY] {
        let error = settings.check_blocks("kinds.0.blocks", blocks).unwrap_err().to_string();
        let expected = format!(
            "kinds.0.blocks is {blocks}, but must be from 0 to 99, one below fitness.max_blocks"
        );
        assert_eq!(error, expected);
    }
}
