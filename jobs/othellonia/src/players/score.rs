//! The table of scores, in damage. All weights are our own choice, tuned by games between agents.

use super::worth::{effect_worth, running_worth};
use crate::rules::{
    Action, Cell, CellClass, CellSet, Game, GameEvent, GameState, GameWatcher, Player, WIDTH,
    legal_cells, outflanked_lines,
};

/// The score of an action that wins; one that loses has its negative.
const LETHAL: i64 = 100_000;

/// Weights in percent of what they weigh.
mod percent {
    /// The enemy's loss of HP.
    pub(super) const DAMAGE: i64 = 100;
    /// The player's own loss of HP.
    pub(super) const OWN_LOSS: i64 = 90;
    /// HP healed, as far as they count.
    pub(super) const HEALED: i64 = 70;
    /// The worth of what begins to run for the player.
    pub(super) const PLACED: i64 = 60;
    /// The worth of what ends for the enemy.
    pub(super) const ENDED: i64 = 50;
    /// The worth of what runs on own pieces that the enemy can flip.
    pub(super) const EXPOSED: i64 = 30;
}

/// A piece in a corner: it cannot be flipped.
const CORNER: i64 = 800;

/// A piece diagonally beside an empty corner.
const X_CELL: i64 = -400;

/// A piece on the border beside an empty corner.
const C_CELL: i64 = -200;

/// Each cell where the enemy can place next.
const ENEMY_CELL: i64 = -60;

/// A skill that did not fire.
const WASTED_SKILL: i64 = -800;

/// Each combo skill of the enemy that is flipped.
const FLIPPED_COMBO: i64 = 100;

/// Returns the score of a legal action; that of an illegal one is below any other.
pub(super) fn action_score(game: &Game<'_>, action: Action) -> i64 {
    let mut seen = SeenEvents::default();
    let Ok(after) = game.preview(action, &mut seen) else { return i64::MIN / 2 };
    let (before, state) = (game.state(), after.state());
    let player = before.to_move;
    let enemy = player.enemy();
    if let Some(winner) = after.outcome().and_then(|outcome| outcome.winner) {
        return if winner == player { LETHAL } else { -LETHAL };
    }
    let enemy_loss = lost(before, state, enemy);
    let own_loss = i64::from(seen.lost[player.index()]);
    let healed = i64::from(seen.healed);
    let [own_before, own_after] = [before, state].map(|it| running_worth(it, player));
    let [enemy_before, enemy_after] = [before, state].map(|it| running_worth(it, enemy));
    let weighed = enemy_loss * percent::DAMAGE - own_loss * percent::OWN_LOSS
        + healed * percent::HEALED
        + (own_after - own_before) * percent::PLACED
        + (enemy_before - enemy_after) * percent::ENDED
        - exposed_worth(state, player) * percent::EXPOSED;
    let flipped_combos = combos_in(game, enemy, seen.flipped);
    weighed / 100
        + cell_score(before, action.cell)
        + ENEMY_CELL * enemy_cells(state, player)
        + FLIPPED_COMBO * flipped_combos
        + if is_skill_wasted(game, action, &seen) { WASTED_SKILL } else { 0 }
}

/// Returns the action with the best score; the first of equals.
pub(super) fn first_best(scored: impl Iterator<Item = (i64, Action)>) -> Option<Action> {
    let mut best: Option<(i64, Action)> = None;
    for (score, action) in scored {
        if best.is_none_or(|(best, _)| best < score) {
            best = Some((score, action));
        }
    }
    best.map(|(_, action)| action)
}

/// The numbers that a score needs of the events of an action.
#[derive(Default)]
struct SeenEvents {
    lost: [u32; 2],
    healed: u32,
    skill_fired: bool,
    flipped: CellSet,
}

impl GameWatcher for SeenEvents {
    #[inline]
    fn event(&mut self, event: GameEvent) {
        match event {
            GameEvent::Lost { player, amount, .. } => self.lost[player.index()] += amount,
            GameEvent::Healed { amount, .. } => self.healed += amount,
            GameEvent::Fired { source, .. } => self.skill_fired |= !source.is_combo,
            GameEvent::Placed { flipped, .. } => self.flipped = flipped,
            _ => {}
        }
    }
}

fn lost(before: &GameState, after: &GameState, player: Player) -> i64 {
    let [before, after] = [before, after].map(|state| i64::from(state.player(player).hp));
    before - after
}

fn is_skill_wasted(game: &Game<'_>, action: Action, seen: &SeenEvents) -> bool {
    let player = game.state().to_move;
    let piece = game.state().player(player).hand[usize::from(action.slot)];
    let piece = piece.map(|piece| &game.decks()[player.index()].pieces()[usize::from(piece)]);
    !seen.skill_fired && piece.is_some_and(|piece| !piece.skill.is_none())
}

/// Returns the number of combo skills that the enemy had on `cells`.
fn combos_in(game: &Game<'_>, enemy: Player, cells: CellSet) -> i64 {
    let pieces = game.decks()[enemy.index()].pieces();
    let standing = cells.iter().filter_map(|cell| game.state().at(cell).piece);
    standing.map(|piece| i64::from(!pieces[usize::from(piece)].combo.is_none())).sum()
}

/// Returns the score of a cell by its place.
fn cell_score(state: &GameState, cell: Cell) -> i64 {
    let outer = |at: u8| if at < WIDTH / 2 { 0 } else { WIDTH - 1 };
    let (column, row) = (cell.column(), cell.row());
    let corner = Cell::at(outer(column), outer(row));
    let is_open = corner.is_some_and(|corner| state.owner(corner).is_none());
    let beside = |at: u8| at.abs_diff(outer(at)) <= 1;
    match cell.class() {
        CellClass::Corner => CORNER,
        CellClass::X if is_open => X_CELL,
        CellClass::Edge if is_open && beside(column) && beside(row) => C_CELL,
        _ => 0,
    }
}

fn enemy_cells(after: &GameState, player: Player) -> i64 {
    let [own, enemy] = [player, player.enemy()].map(|it| after.player(it).cells);
    legal_cells(enemy, own).len().into()
}

/// Returns the worth of what runs on the player's pieces that the enemy can flip.
fn exposed_worth(after: &GameState, player: Player) -> i64 {
    let [own, enemy] = [player, player.enemy()].map(|it| after.player(it).cells);
    let running = after.player(player).running;
    if running.is_empty() {
        return 0;
    }
    let mut exposed = CellSet::EMPTY;
    for cell in legal_cells(enemy, own) {
        exposed = exposed.or(outflanked_lines(cell, enemy, own).flipped.and(running));
    }
    let exposed = exposed.iter().flat_map(|cell| after.at(cell).running.iter().flatten());
    exposed.map(effect_worth).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{DEFAULT_COST_CAP, PoolSettings, generate_pieces, shipped_decks};
    use crate::pool::PiecePool;
    use crate::rules::{GameStart, Player};

    #[test]
    fn cells_have_the_scores_of_their_classes() {
        let pool = PiecePool::new(generate_pieces(&PoolSettings::default())).unwrap();
        let [deck, ..] = shipped_decks().map(|deck| deck.build(&pool, DEFAULT_COST_CAP).unwrap());
        let game = Game::start([&deck, &deck], GameStart { seed: 1, first: Player::A });
        let letters: String = CellSet::ALL
            .iter()
            .map(|cell| match cell_score(game.state(), cell) {
                CORNER => 'O',
                X_CELL => 'X',
                C_CELL => 'C',
                _ => '.',
            })
            .collect();
        assert_eq!(letters, "OC..COCX..XC............CX..XCOC..CO");
    }
}
