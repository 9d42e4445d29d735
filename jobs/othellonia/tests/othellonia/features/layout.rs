//! Lengths, columns, and dense rows against sparse ones.

use std::collections::BTreeSet;

use hatchery_othellonia::features::{
    FeatureError, FeatureLayout, FeaturePart, Information, PieceEncoding, PieceVectors, SparseRow,
};
use hatchery_othellonia::rules::{
    Action, Effect, EffectChain, Game, GameDeck, GamePiece, MAX_PIECE_HP,
};
use proptest::prelude::*;

use crate::features::positions::{
    KINDS, action_row, decks, encodings, play, pool, rng, start, state_row, vectors, with_position,
};

const INFORMATION: [Information; 2] = [Information::Perfect, Information::Own];

/// Lengths of notes on the seed: 5,649 numbers with vectors however large the pool is, 74,564 with
/// 925 kinds, 234,416 with 3,001.
#[test]
fn lengths_are_those_of_the_layout() {
    let len = |encoding: PieceEncoding<'_>| {
        let layout = FeatureLayout::new(encoding).unwrap();
        assert_eq!(layout.row_len(), layout.state_len() + layout.action_len());
        layout.row_len()
    };
    for kinds in [1, 925, 3_001] {
        assert_eq!(len(PieceEncoding::Vectors(&vectors(kinds))), 5_649);
    }
    assert_eq!(len(PieceEncoding::OneHotPool { kinds: 925 }), 74_564);
    assert_eq!(len(PieceEncoding::OneHotPool { kinds: 3_001 }), 234_416);
    assert_eq!(len(PieceEncoding::OneHotDeck), 4_725);
    let vectors = vectors(KINDS);
    let layout = FeatureLayout::new(PieceEncoding::Vectors(&vectors)).unwrap();
    assert_eq!((layout.state_len(), layout.action_len()), (5_411, 238));
}

/// The table of the module's documentation has the parts as they are.
#[test]
fn parts_are_documented() {
    let vectors = vectors(KINDS);
    let layout = FeatureLayout::new(PieceEncoding::Vectors(&vectors)).unwrap();
    let source = include_str!("../../../src/features.rs");
    for FeaturePart { name, columns } in layout.parts() {
        let (begin, end) =
            (format!("//! | {name} | "), format!(" | {} | {} |", columns.start, columns.len()));
        let is_row = |line: &str| line.starts_with(&begin) && line.ends_with(&end);
        assert!(source.lines().any(is_row), "{name}: {columns:?}");
    }
}

#[test]
fn parts_cover_all_columns_once() {
    let vectors = vectors(KINDS);
    for encoding in encodings(&vectors) {
        let layout = FeatureLayout::new(encoding).unwrap();
        let parts = layout.parts();
        let mut end = 0;
        for part in &parts {
            assert_eq!(part.columns.start, end, "{}", part.name);
            end = part.columns.end;
        }
        assert_eq!(end, layout.row_len());
        let action = parts.iter().find(|part| part.name == "action piece").unwrap();
        assert_eq!(action.columns.start, layout.state_len());
        let described: BTreeSet<_> =
            (0..end).map(|column| layout.describe(column).unwrap()).collect();
        assert_eq!(described.len(), end);
        assert_eq!(layout.describe(end), None);
        assert_eq!(layout.describe(usize::MAX), None);
    }
}

/// Columns that are 0 in all these games: no hand or deck has a plain piece, the own pieces are
/// known, no placement follows the 32nd, and drawn and full games are rare.
const UNUSED: [&str; 15] = [
    "action piece: plain piece",
    "action piece: unknown piece",
    "action: ends the game drawn",
    "board: unknown piece",
    "enemy deck: plain piece",
    "enemy hand: plain piece",
    "game: placements 31",
    "game: placements 32",
    "game: placements 33",
    "own deck: plain piece",
    "own deck: unknown piece",
    "own hand: plain piece",
    "own hand: unknown",
    "own hand: unknown piece",
    "reserved",
];

/// Over random games, the meaning of every other column occurs on some cell or in some slot.
#[test]
fn every_meaning_occurs() {
    let layout = FeatureLayout::new(PieceEncoding::OneHotDeck).unwrap();
    let mut is_used = vec![false; layout.row_len()];
    let mut sparse = SparseRow::default();
    let mut rng = rng(5);
    for seed in 0..1_000 {
        let decks = decks(&pool(KINDS), &mut rng);
        let mut game = Game::start([&decks[0], &decks[1]], start(seed));
        let information = INFORMATION[usize::from(seed % 8 == 0)];
        loop {
            layout.sparse_state(&game, information, &mut sparse).unwrap();
            for &(column, _) in sparse.entries() {
                is_used[column as usize] = true;
            }
            for action in game.actions() {
                layout.sparse_action(&game, action, &mut sparse).unwrap();
                for &(column, _) in sparse.entries() {
                    is_used[layout.state_len() + column as usize] = true;
                }
            }
            if play(&mut game, 1, &mut rng).is_empty() {
                break;
            }
        }
    }
    let meanings = |used: bool| -> BTreeSet<_> {
        let columns = (0..layout.row_len()).filter(|&column| is_used[column] == used);
        columns.map(|column| meaning(&layout.describe(column).unwrap())).collect()
    };
    let unused: Vec<_> = meanings(false).difference(&meanings(true)).cloned().collect();
    assert_eq!(unused, UNUSED);
}

/// Returns what a description says, without its slot or cell.
fn meaning(description: &str) -> String {
    if description.contains("reserved") {
        return "reserved".to_owned();
    }
    let is_cell = |word: &&str| matches!(word.as_bytes(), [b'a'..=b'f', b'1'..=b'6']);
    let is_number = |word: &&str| word.bytes().all(|digit| digit.is_ascii_digit());
    let (slot, field) = description.split_once(": ").unwrap();
    let slot: Vec<_> = slot.split(' ').filter(|it| !is_cell(it) && !is_number(it)).collect();
    // The cells of a plane have one meaning.
    let field: Vec<_> = field.split(' ').filter(|word| !is_cell(word)).collect();
    format!("{}: {}", slot.join(" "), field.join(" "))
}

#[test]
fn bad_input_gets_errors() {
    let check = |values: &[f32], expected: &str| {
        assert_eq!(PieceVectors::new(values).unwrap_err().to_string(), expected);
    };
    check(&[], "0 numbers, but a table has 30 for each of 1 to 20000 kinds");
    check(&[0.0; 31], "31 numbers, but a table has 30 for each of 1 to 20000 kinds");
    let mut values = [0.0; 60];
    values[32] = f32::INFINITY;
    check(&values, "number 2 of the vector of piece 1 is inf, but must be finite");
    for kinds in [0, 20_001, usize::MAX] {
        let found = FeatureLayout::new(PieceEncoding::OneHotPool { kinds }).unwrap_err();
        assert_eq!(found, FeatureError::Kinds { found: kinds });
    }
    with_position(1, 5, |game, _| {
        let few = vectors(3);
        let layout = FeatureLayout::new(PieceEncoding::Vectors(&few)).unwrap();
        let mut row = vec![0.0; layout.state_len()];
        let found = layout.write_state(game, Information::Perfect, &mut row);
        assert!(matches!(found, Err(FeatureError::UnknownPiece { kinds: 3, .. })), "{found:?}");
        let found = layout.write_state(game, Information::Perfect, &mut row[1..]);
        assert_eq!(found, Err(FeatureError::RowLength { found: 5_410, expected: 5_411 }));
        let layout = FeatureLayout::new(PieceEncoding::OneHotDeck).unwrap();
        let mut row = vec![0.0; layout.action_len()];
        let taken = game.state().players[0].cells.iter().next().unwrap();
        let found = layout.write_action(game, Action { cell: taken, slot: 0 }, &mut row);
        assert!(matches!(found, Err(FeatureError::Action(_))), "{found:?}");
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn dense_and_sparse_rows_are_equal(seed in any::<u64>(), plies in 0_usize..32) {
        let vectors = vectors(KINDS);
        with_position(seed, plies, |game, _| {
            for encoding in encodings(&vectors) {
                let layout = FeatureLayout::new(encoding).unwrap();
                let action = game.actions().next().unwrap();
                let mut sparse = SparseRow::default();
                for information in INFORMATION {
                    let state = state_row(layout, game.decks(), game.state(), information);
                    layout.sparse_state(game, information, &mut sparse).unwrap();
                    check_equal(&state, &sparse);
                    let mut row = vec![f32::NAN; layout.row_len()];
                    layout.write_row(game, information, action, &mut row).unwrap();
                    let action = action_row(layout, game, action);
                    assert_eq!(row, [state, action].concat());
                }
                layout.sparse_action(game, action, &mut sparse).unwrap();
                check_equal(&action_row(layout, game, action), &sparse);
            }
        });
    }

    /// With the strongest pieces that the rules allow, and to the end of the game.
    #[test]
    fn values_are_small(seed in any::<u64>()) {
        let vectors = vectors(KINDS);
        let layout = FeatureLayout::new(PieceEncoding::Vectors(&vectors)).unwrap();
        let mut rng = rng(seed);
        let decks = decks(&pool(KINDS), &mut rng).map(|deck| strongest(&deck));
        let mut game = Game::start([&decks[0], &decks[1]], start(seed));
        let mut row = vec![0.0; layout.row_len()];
        let is_small = |row: &[f32]| row.iter().all(|value| (-8.0..=8.0).contains(value));
        while game.outcome().is_none() {
            let actions: Vec<_> = game.actions().collect();
            for &action in &actions {
                layout.write_row(&game, Information::Perfect, action, &mut row).unwrap();
                prop_assert!(is_small(&row));
            }
            let choice = rng.below(u32::try_from(actions.len()).unwrap());
            game.play(actions[choice as usize], &mut ()).unwrap();
        }
        let row = state_row(layout, game.decks(), game.state(), Information::Perfect);
        prop_assert!(is_small(&row));
    }

    /// More kinds change no row with vectors.
    #[test]
    fn pools_grow_without_effect(seed in any::<u64>(), plies in 0_usize..32) {
        let (small, large) = (vectors(KINDS), vectors(3 * KINDS));
        let mut rng = rng(seed);
        let decks = decks(&pool(KINDS), &mut rng);
        let grown = pool(3 * KINDS);
        let same = decks.clone().map(|deck| {
            let pieces = deck.pieces().iter().map(|piece| grown.piece(piece.id).unwrap().clone());
            let pieces: Vec<_> = pieces.collect();
            let pieces = pieces.try_into().unwrap();
            GameDeck::new(pieces, deck.leader()).unwrap()
        });
        let mut game = Game::start([&decks[0], &decks[1]], start(seed));
        let played = play(&mut game, plies, &mut rng);
        let mut other = Game::start([&same[0], &same[1]], start(seed));
        for action in played {
            other.play(action, &mut ()).unwrap();
        }
        let rows = [(&game, &small), (&other, &large)].map(|(game, vectors)| {
            let layout = FeatureLayout::new(PieceEncoding::Vectors(vectors)).unwrap();
            let mut row = vec![0.0; layout.row_len()];
            let action = game.actions().next().unwrap();
            layout.write_row(game, Information::Perfect, action, &mut row).unwrap();
            row
        });
        prop_assert_eq!(&rows[0], &rows[1]);
    }
}

/// Returns the deck with the largest numbers, attacks apart: so that games do not end at once.
fn strongest(deck: &GameDeck) -> GameDeck {
    let largest = |chain: &EffectChain| {
        let effects: Vec<_> = chain
            .iter()
            .map(|effect| Effect { magnitude: effect.kind.largest(), ..*effect })
            .collect();
        EffectChain::new(&effects).unwrap()
    };
    let pieces = deck.pieces().clone().map(|piece| GamePiece {
        hp: MAX_PIECE_HP,
        skill: largest(&piece.skill),
        combo: largest(&piece.combo),
        ..piece
    });
    GameDeck::new(pieces, deck.leader()).unwrap()
}

fn check_equal(dense: &[f32], sparse: &SparseRow) {
    let entries = sparse.entries();
    assert!(entries.is_sorted_by(|a, b| a.0 < b.0));
    assert!(entries.iter().all(|entry| entry.1 != 0.0));
    let mut row = vec![0.0; dense.len()];
    for &(column, value) in entries {
        row[column as usize] = value;
    }
    assert_eq!(dense, row);
}
