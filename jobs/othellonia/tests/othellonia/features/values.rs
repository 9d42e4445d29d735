//! Columns against the state and the events that they tell about.

use std::collections::BTreeMap;

use hatchery_othellonia::features::{FeatureLayout, Information, PieceEncoding};
use hatchery_othellonia::rules::{
    Action, CellSet, EffectKind, Game, GameEvent, HpChange, Player, legal_cells,
};
use proptest::prelude::*;

use crate::features::positions::with_position;

/// The columns of a state and an action that are not 0, by their descriptions.
struct DescribedRow(BTreeMap<String, f32>);

impl DescribedRow {
    fn new(game: &Game<'_>, action: Action) -> Self {
        let layout = FeatureLayout::new(PieceEncoding::OneHotDeck).unwrap();
        let mut row = vec![0.0; layout.row_len()];
        layout.write_row(game, Information::Perfect, action, &mut row).unwrap();
        let described = |(column, value)| (layout.describe(column).unwrap(), value);
        Self(row.into_iter().enumerate().filter(|it| it.1 != 0.0).map(described).collect())
    }

    fn check(&self, column: &str, expected: f32) {
        let found = self.0.get(column).copied().unwrap_or(0.0);
        assert!((found - expected).abs() < 1e-6, "{column} = {found}, not {expected}");
    }

    fn check_cells(&self, plane: impl Fn(&str) -> String, expected: CellSet) {
        for cell in CellSet::ALL {
            let column = plane(&cell.to_string());
            self.check(&column, if expected.contains(cell) { 1.0 } else { 0.0 });
        }
    }
}

fn share(amount: u32, scale: u16) -> f32 {
    (amount as f32 / f32::from(scale)).min(8.0)
}

fn check_state(row: &DescribedRow, game: &Game<'_>) {
    let state = game.state();
    let names = [(state.to_move, "own"), (state.to_move.enemy(), "enemy")];
    for (player, name) in names {
        let own = state.player(player);
        row.check(&format!("game: HP {name}"), share(own.hp, 30_000));
        row.check(&format!("{name} status: highest HP"), share(own.highest_hp, 30_000));
        row.check(&format!("game: turn {name}"), share(own.turn.into(), 16));
        row.check_cells(|cell| format!("board {cell}: is {name}"), own.cells);
        let standing = own.cells.iter().filter(|&cell| state.at(cell).piece.is_some());
        let attributes = ["god", "demon", "dragon"];
        let sum: f32 = attributes
            .iter()
            .filter_map(|it| row.0.get(&format!("{name} status: standing {it}")))
            .sum();
        assert!((sum * 16.0 - standing.count() as f32).abs() < 1e-4);
        let in_place = |place: &str| {
            let column = |at| format!("{name} deck {at}: in {place}");
            (1..=16).filter(|&at| row.0.contains_key(&column(at))).count()
        };
        assert_eq!(in_place("hand"), own.hand_pieces());
        assert_eq!(in_place("deck"), 16 - usize::from(own.drawn));
        assert_eq!(
            in_place("board") + in_place("used"),
            usize::from(own.drawn) - own.hand_pieces()
        );
    }
    row.check_cells(|cell| format!("board {cell}: legal"), state.legal);
}

fn check_action(row: &DescribedRow, game: &Game<'_>, action: Action) {
    let mut events = Vec::new();
    let after = game.preview(action, &mut events).unwrap();
    let player: Player = game.state().to_move;
    let mut fired = [false; 24];
    let mut lost = [0; 3];
    for event in events {
        match event {
            GameEvent::Placed { flipped, .. } => {
                row.check_cells(|cell| format!("action: flips {cell}"), flipped);
            }
            GameEvent::Fired { kind, .. } => fired[kind.index()] = true,
            GameEvent::Lost { player: loser, amount, .. } if loser == player => lost[2] += amount,
            GameEvent::Lost { amount, cause, .. } => {
                lost[usize::from(cause != HpChange::Attack)] += amount;
            }
            _ => {}
        }
    }
    for kind in EffectKind::ALL {
        let expected = if fired[kind.index()] { 1.0 } else { 0.0 };
        row.check(&format!("action: fires {}", kind.name()), expected);
    }
    for (column, amount) in ["damage", "special damage", "own damage"].into_iter().zip(lost) {
        row.check(&format!("action: {column}"), share(amount, 10_000));
    }
    let [own, enemy] = [player, player.enemy()].map(|it| after.state().player(it));
    row.check("action: HP after own", share(own.hp, 30_000));
    row.check("action: HP after enemy", share(enemy.hp, 30_000));
    let has_won = after.outcome().is_some_and(|outcome| outcome.winner == Some(player));
    row.check("action: ends the game won", if has_won { 1.0 } else { 0.0 });
    let goes_on = after.outcome().is_none();
    let cells = if goes_on { legal_cells(enemy.cells, own.cells) } else { CellSet::EMPTY };
    row.check_cells(|cell| format!("action: then the enemy can place on {cell}"), cells);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn columns_tell_the_state_and_what_happens(seed in any::<u64>(), plies in 0_usize..32) {
        with_position(seed, plies, |game, _| {
            for action in game.actions().step_by(5) {
                let row = DescribedRow::new(game, action);
                check_state(&row, game);
                check_action(&row, game, action);
            }
        });
    }
}
