//! Chance: searches against exact expectations.

use std::cmp::Ordering;

use hatchery_search::UctSearch;

use crate::games::{TwoCards, rng, uct};

/// The largest difference between the mean of a root move and its exact value. A mean includes
/// playouts that tried replies other than the best.
const MAX_ERROR: f64 = 0.01;

/// The score of a side that ends with `card` when the other draws a new one.
fn against_a_draw(card: u8) -> f64 {
    (f64::from(card) - 0.5) / f64::from(TwoCards::FACES)
}

/// The score of the side with `card` against `other`.
fn against(card: u8, other: u8) -> f64 {
    match card.cmp(&other) {
        Ordering::Less => 0.0,
        Ordering::Equal => 0.5,
        Ordering::Greater => 1.0,
    }
}

/// The score of the first side with `card` when the second has `other` and decides for the best.
fn against_the_best(card: u8, other: u8) -> f64 {
    against(card, other).min(against_a_draw(card))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    values.sum::<f64>() / f64::from(TwoCards::FACES)
}

/// The exact values of keeping and of swapping `card`.
fn exact(card: u8) -> [f64; 2] {
    let faces = || 1..=TwoCards::FACES;
    let keep = |card| mean(faces().map(|other| against_the_best(card, other)));
    [keep(card), mean(faces().map(keep))]
}

#[test]
fn root_values_are_the_exact_expectations() {
    let mut search = UctSearch::new();
    for card in 1..=TwoCards::FACES {
        let root = TwoCards::dealt(card);
        let report = search.run(&root, &uct(200_000), &mut rng(u64::from(card))).unwrap();
        let expected = exact(card);
        let best = if expected[0] < expected[1] { TwoCards::SWAP } else { TwoCards::KEEP };
        assert_eq!(report.best(), best, "card {card}: {report:?}");
        let first = report.ranked[0];
        let off = first.mean().unwrap() - expected[usize::from(first.mv)];
        assert!(off.abs() <= MAX_ERROR, "card {card}: {report:?}, exact {expected:?}");
    }
}

#[test]
fn a_reply_depends_on_what_chance_dealt() {
    // If the second side had to reply without seeing the cards, keeping a 4 would be worth more.
    let blind = mean((1..=6).map(|other| against(4, other)));
    assert!(MAX_ERROR * 10.0 < blind.min(against_a_draw(4)) - exact(4)[0]);
}
