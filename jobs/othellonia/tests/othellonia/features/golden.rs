//! Rows as text.

use std::fmt::Write as _;

use hatchery_othellonia::features::{FeatureLayout, Information, PieceEncoding, SparseRow};
use hatchery_othellonia::rules::Game;

use crate::features::positions::{KINDS, decks, play, pool, rng, start};

/// Checks the rows of the position after some plies of a random game, as text.
/// `UPDATE_GOLDEN=1 cargo test -p hatchery-othellonia-tests` renews the file: then raise
/// `FEATURE_VERSION`.
#[expect(clippy::disallowed_methods, reason = "a test may renew its golden file")]
fn check(name: &str, information: Information, plies: usize, expected: &str) {
    let mut rng = rng(21);
    let decks = decks(&pool(KINDS), &mut rng);
    let mut game = Game::start([&decks[0], &decks[1]], start(21));
    assert_eq!(play(&mut game, plies, &mut rng).len(), plies);
    let layout = FeatureLayout::new(PieceEncoding::OneHotDeck).unwrap();
    let mut row = SparseRow::default();
    layout.sparse_state(&game, information, &mut row).unwrap();
    let mut found = String::new();
    write_row(&mut found, layout, 0, &row);
    let action = game.actions().last().unwrap();
    layout.sparse_action(&game, action, &mut row).unwrap();
    write_row(&mut found, layout, layout.state_len(), &row);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/othellonia/features/golden");
        std::fs::write(format!("{folder}/{name}.txt"), found).unwrap();
        return;
    }
    assert_eq!(found, expected, "{name}");
}

fn write_row(text: &mut String, layout: FeatureLayout<'_>, first: usize, row: &SparseRow) {
    for &(column, value) in row.entries() {
        let description = layout.describe(first + column as usize).unwrap();
        writeln!(text, "{description} = {value}").unwrap();
    }
}

#[test]
fn rows_at_the_start_are_as_they_were() {
    check("start", Information::Own, 0, include_str!("golden/start.txt"));
}

#[test]
fn rows_in_the_middle_are_as_they_were() {
    check("middle", Information::Perfect, 11, include_str!("golden/middle.txt"));
}
