//! The input of a prediction: a decision whose placed piece is masked, and its free vector.

use hatchery_core::FastRng;
use hatchery_nets::InputBatch;

use super::outcome::TurnOutcome;
use super::settings::RepresentationSettings;
use super::table::VectorTable;
use crate::features::{
    FeatureError, FeatureLayout, Information, PieceEncoding, PieceVectors, SparseRow, VECTOR_LEN,
};
use crate::learning::samples::{Decision, TrainingGames};
use crate::rules::{Action, Game, HAND_SLOTS, PieceId};

/// The columns of masked rows, and the memory to write them.
pub(super) struct MaskedRows {
    /// Vectors of zeros: slots of the state tell of their pieces by status only.
    zeros: PieceVectors,
    /// The first column of a state's row that is kept.
    first_column: u32,
    /// For each slot of the hand the columns that are left out.
    hidden: [[std::ops::Range<u32>; 2]; HAND_SLOTS],
    /// The columns of an action's row that are kept.
    kept: Vec<std::ops::Range<u32>>,
    row: SparseRow,
    entries: Vec<(u32, f32)>,
}

/// The rows of a step with what they lead to.
pub(super) struct MaskedBatch {
    pub(super) input: InputBatch,
    pub(super) pieces: Vec<PieceId>,
    pub(super) targets: Vec<TurnOutcome>,
}

/// Returns the lengths of masked rows of states and of actions.
pub(super) fn row_lens() -> [usize; 2] {
    let zeros = zeros(1);
    let layout = layout(&zeros);
    [layout.state_len() - first_column(&layout), layout.action_len()]
}

impl MaskedRows {
    /// Returns the columns for pieces of `kinds` kinds.
    pub(super) fn new(kinds: usize) -> Self {
        let zeros = zeros(kinds);
        let layout = layout(&zeros);
        let narrow = |columns: std::ops::Range<usize>| {
            let [start, end] = [columns.start, columns.end].map(column);
            start..end
        };
        let mut slots = 0..;
        let hidden = [(); HAND_SLOTS].map(|()| {
            let slot = slots.next().expect("slots are counted without end");
            layout.hand_piece_columns(slot).map(narrow)
        });
        let kept = layout.placement_columns().into_iter().map(narrow).collect();
        let first_column = column(first_column(&layout));
        let (row, entries) = (SparseRow::default(), Vec::new());
        Self { zeros, first_column, hidden, kept, row, entries }
    }

    /// Adds a decision that takes `action`.
    fn push(
        &mut self,
        game: &Game<'_>,
        action: Action,
        table: &VectorTable,
        to: &mut MaskedBatch,
    ) -> Result<(), FeatureError> {
        let layout = layout(&self.zeros);
        layout.sparse_state(game, Information::Perfect, &mut self.row)?;
        let hidden = &self.hidden[usize::from(action.slot)];
        let is_seen = |at: u32| !hidden.iter().any(|columns| columns.contains(&at));
        let seen = self.row.entries().iter().filter(|(at, _)| is_seen(*at));
        self.entries.clear();
        self.entries.extend(seen.map(|&(at, value)| (at - self.first_column, value)));
        to.input.push_state(&self.entries);

        layout.sparse_action(game, action, &mut self.row)?;
        let is_kept = |at: u32| self.kept.iter().any(|columns| columns.contains(&at));
        let piece = placed_piece(game, action);
        self.entries.clear();
        self.entries.extend((0..).zip(table.vector(piece).iter().copied()));
        self.entries.extend(self.row.entries().iter().filter(|(at, _)| is_kept(*at)));
        to.input.push_action(&self.entries);
        to.pieces.push(piece);
        to.targets.push(TurnOutcome::of(game, action).map_err(FeatureError::from)?);
        Ok(())
    }
}

impl MaskedBatch {
    pub(super) fn new() -> Self {
        let [state_len, action_len] = row_lens();
        let input = InputBatch::new(state_len, action_len);
        Self { input, pieces: Vec::new(), targets: Vec::new() }
    }

    /// Removes all rows; keeps the memory.
    pub(super) fn clear(&mut self) {
        self.input.clear();
        self.pieces.clear();
        self.targets.clear();
    }

    /// Draws the decisions of a step.
    pub(super) fn draw(
        &mut self,
        rows: &mut MaskedRows,
        table: &VectorTable,
        games: &TrainingGames<'_>,
        settings: &RepresentationSettings,
        rng: &mut FastRng,
    ) -> Result<(), FeatureError> {
        self.clear();
        for _ in 0..settings.decisions {
            let Decision { game, chosen, .. } = games.decision(rng.below(games.n_decisions()));
            let action = if rng.unit_f64() < settings.explored {
                let n_actions = u32::try_from(game.actions().count()).expect("at most 144 actions");
                let drawn = rng.below(n_actions) as usize;
                game.actions().nth(drawn).expect("a decision has actions")
            } else {
                chosen
            };
            rows.push(&game, action, table, self)?;
        }
        Ok(())
    }

    /// Adds a decision as it was taken.
    pub(super) fn push(
        &mut self,
        rows: &mut MaskedRows,
        table: &VectorTable,
        decision: &Decision<'_>,
    ) -> Result<(), FeatureError> {
        rows.push(&decision.game, decision.chosen, table, self)
    }
}

/// Returns the piece that a legal action places.
fn placed_piece(game: &Game<'_>, action: Action) -> PieceId {
    let player = game.state().to_move;
    let piece = game.state().player(player).hand[usize::from(action.slot)];
    let piece = piece.expect("a legal action places a piece");
    game.decks()[player.index()].pieces()[usize::from(piece)].id
}

fn zeros(kinds: usize) -> PieceVectors {
    PieceVectors::new(&vec![0.0; kinds * VECTOR_LEN]).expect("the number of kinds was checked")
}

fn layout(zeros: &PieceVectors) -> FeatureLayout<'_> {
    FeatureLayout::new(PieceEncoding::Vectors(zeros)).expect("a table has kinds")
}

/// Returns the first column after the columns that say which piece is in each slot.
fn first_column(layout: &FeatureLayout<'_>) -> usize {
    layout.parts()[0].columns.end
}

fn column(column: usize) -> u32 {
    u32::try_from(column).expect("a row has a few thousand columns")
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;
    use crate::generate::{
        Archetype, DEFAULT_COST_CAP, PoolSettings, generate_deck, generate_pieces,
    };
    use crate::pool::PiecePool;
    use crate::rules::{Attribute, GameDeck, GamePiece, GameStart, Player};

    fn pool() -> PiecePool {
        PiecePool::new(generate_pieces(&PoolSettings::default())).unwrap()
    }

    /// Returns `deck` with another piece of the same HP in one place.
    fn with_other(deck: &GameDeck, place: usize, other: &GamePiece) -> GameDeck {
        let mut pieces = deck.pieces().clone();
        pieces[place] = GamePiece { hp: pieces[place].hp, ..other.clone() };
        GameDeck::new(pieces, deck.leader()).unwrap()
    }

    /// Returns the rows of an action, and the same without a mask.
    fn rows(game: &Game<'_>, action: Action, table: &VectorTable) -> [Vec<(u32, f32)>; 3] {
        let (mut masked, mut batch) = (MaskedRows::new(pool().len()), MaskedBatch::new());
        masked.push(game, action, table, &mut batch).unwrap();
        let after_vector = |&&(at, _): &&(u32, f32)| column(VECTOR_LEN) <= at;
        let action_row = batch.input.actions.row(0).iter().filter(after_vector).copied();
        let layout = layout(&masked.zeros);
        let mut row = SparseRow::default();
        layout.sparse_action(game, action, &mut row).unwrap();
        let state_row = batch.input.states.row(0).to_vec();
        [state_row, action_row.collect(), row.entries().to_vec()]
    }

    /// Starts a game and plays its first legal action `plies` times.
    fn played<'a>(decks: [&'a GameDeck; 2], seed: u64, plies: usize) -> Game<'a> {
        let mut game = Game::start(decks, GameStart { seed, first: Player::A });
        for _ in 0..plies {
            let action = game.actions().next().expect("the first plies end no game");
            game.play(action, &mut ()).unwrap();
        }
        game
    }

    /// Nothing in the input reveals which piece is placed: with another piece in its place, only
    /// the free vector differs.
    #[test]
    fn the_input_does_not_tell_which_piece_is_placed() {
        let pool = pool();
        let mut stream = RunSeed::new("mask", 1).generation(0).stream("table");
        let table = VectorTable::random(pool.len(), 1.0, &mut stream);
        let deck = |archetype| {
            let deck = generate_deck(&pool, archetype, 1, DEFAULT_COST_CAP).unwrap();
            deck.build(&pool, DEFAULT_COST_CAP).unwrap()
        };
        let [own, enemy] = [Archetype::Burst, Archetype::Tricky].map(deck);
        // Two pieces of another attribute, so that all may change theirs.
        let gods =
            pool.definitions().iter().zip(0..).filter(|(it, _)| it.attribute == Attribute::God);
        let gods = gods.filter_map(|(_, id)| pool.piece(PieceId(id)));
        let gods: Vec<_> =
            gods.filter(|god| own.pieces().iter().all(|it| it.id != god.id)).collect();
        let own = with_other(&with_other(&own, 3, gods[0]), 11, gods[1]);
        let (mut compared, mut unmasked_differ) = (0, 0);
        for (seed, plies) in (0..4).zip([0, 2, 6, 8]) {
            let game = played([&own, &enemy], seed, plies);
            for action in game.actions().step_by(3) {
                let held = game.state().players[0].hand[usize::from(action.slot)].unwrap();
                for id in (1..900).step_by(60).map(PieceId) {
                    let is_own = own.pieces().iter().any(|piece| piece.id == id);
                    let other = pool.piece(id).filter(|_| !is_own);
                    let Some(other) = other else { continue };
                    let changed = with_other(&own, usize::from(held), other);
                    let other_game = played([&changed, &enemy], seed, plies);
                    let [a, b] = [&game, &other_game].map(|game| rows(game, action, &table));
                    assert_eq!(a[0], b[0], "state, {action} of seed {seed}, {id:?}");
                    assert_eq!(a[1], b[1], "action, {action} of seed {seed}, {id:?}");
                    unmasked_differ += u32::from(a[2] != b[2]);
                    compared += 1;
                }
            }
        }
        assert!(100 < compared && unmasked_differ == compared, "{unmasked_differ} of {compared}");
    }
}
