//! The facts of the whole game: 123 columns.

use crate::features::field::{Field, Labels, block_len};
use crate::features::scale::{ATTRIBUTES, PLAYER_HP, difference, magnitude, scaled, truth};
use crate::features::sight::{GameView, PlayerSight};
use crate::features::sink::{Block, FeatureSink};
use crate::rules::{DECK_PIECES, EffectKind, GameState, Player, PlayerState, legal_cells};

/// The columns of both players.
const BOTH: Labels = Labels::Names(&["own", "enemy"]);

/// The columns of a share of HP, in twentieths.
const TWENTIETHS: Labels = Labels::Numbers { first: 0, len: 21 };

const PLACEMENTS: Field = Field::first("placements", Labels::Numbers { first: 0, len: 34 });
const LOG_TURN: Field = PLACEMENTS.then("log turn", Labels::Single);
const BLACK: Field = LOG_TURN.then("plays black", Labels::Single);
const PASSES: Field = BLACK.then("passes", Labels::Names(&["just before", "so far"]));
const HP: Field = PASSES.then("HP", Labels::Names(&["own", "enemy", "lead"]));
const OWN_HP: Field = HP.then("own HP in twentieths", TWENTIETHS);
const ENEMY_HP: Field = OWN_HP.then("enemy HP in twentieths", TWENTIETHS);
const POISON: Field = ENEMY_HP.then("poison on", BOTH);
const CELLS: Field = POISON.then("cells", Labels::Names(&["own", "enemy", "empty"]));
const MOBILITY: Field = CELLS.then("mobility", BOTH);
const ACTIONS: Field = MOBILITY.then("actions", Labels::Single);
const OWN_DECK: Field = ACTIONS.then("own deck only", Labels::Names(&ATTRIBUTES));
const ENEMY_DECK: Field = OWN_DECK.then("enemy deck only", Labels::Names(&ATTRIBUTES));
const IN_HAND: Field = ENEMY_DECK.then("in hand", BOTH);
const IN_DECK: Field = IN_HAND.then("in deck", BOTH);
const USED: Field = IN_DECK.then("used", BOTH);
const TURN: Field = USED.then("turn", BOTH);
const RESERVED: Field = TURN.then("reserved", Labels::Numbers { first: 1, len: 18 });

/// The fields of the block.
pub(crate) const FIELDS: &[Field] = &[
    PLACEMENTS, LOG_TURN, BLACK, PASSES, HP, OWN_HP, ENEMY_HP, POISON, CELLS, MOBILITY, ACTIONS,
    OWN_DECK, ENEMY_DECK, IN_HAND, IN_DECK, USED, TURN, RESERVED,
];

const _: () = assert!(block_len(FIELDS) == 123);

/// The turn whose logarithm is 1: no player has as many.
const LAST_TURN: f32 = 34.0;

/// The most cells that a player can usually place on, and the most actions.
const MANY_CELLS: u32 = 20;
const MANY_ACTIONS: u32 = 60;

/// Writes what is true of the game; `own` is the player whose turn it is.
pub(crate) fn write<S: FeatureSink>(
    view: GameView<'_>,
    [own, enemy]: [&PlayerSight<'_>; 2],
    mut to: Block<'_, S>,
) {
    let state = view.state;
    let both = [own.state, enemy.state];
    to.mark(PLACEMENTS, usize::from(state.placements).min(PLACEMENTS.len() - 1));
    to.put(LOG_TURN, libm::logf(1.0 + f32::from(own.state.turn)) / libm::logf(LAST_TURN));
    to.put(BLACK, truth(state.to_move == state.first));
    to.put_all(PASSES, [truth(state.has_passed), scaled(passes(state), 8)]);
    write_hp(both, &mut to);
    let mover = state.to_move;
    to.put_all(POISON, [mover, mover.enemy()].map(|player| poison(state, player)));
    let [own_cells, enemy_cells] = both.map(|player| player.cells);
    let cells = [own_cells.len(), enemy_cells.len()];
    let empty = 36 - cells[0] - cells[1];
    to.put_all(CELLS, [cells[0], cells[1], empty].map(|cells| scaled(cells, 36)));
    let mobility = [state.legal, legal_cells(enemy_cells, own_cells)].map(|cells| cells.len());
    to.put_all(MOBILITY, mobility.map(|cells| scaled(cells, MANY_CELLS)));
    to.put(ACTIONS, scaled(mobility[0] * pieces(own.state.hand_pieces()), MANY_ACTIONS));
    for (field, player) in [(OWN_DECK, own), (ENEMY_DECK, enemy)] {
        if let Some(attribute) = player.deck.attribute().filter(|_| player.is_open()) {
            to.mark(field, attribute as usize);
        }
    }
    to.put_all(IN_HAND, both.map(|player| scaled(pieces(player.hand_pieces()), 4)));
    let in_deck = both.map(|player| DECK_PIECES - usize::from(player.drawn));
    to.put_all(IN_DECK, in_deck.map(|left| scaled(pieces(left), 16)));
    to.put_all(USED, [own, enemy].map(|player| scaled(pieces(player.n_used()), 16)));
    to.put_all(TURN, both.map(|player| scaled(player.turn.into(), 16)));
}

fn write_hp<S: FeatureSink>(both: [&PlayerState; 2], to: &mut Block<'_, S>) {
    let [own, enemy] = both.map(|player| player.hp);
    let lead = difference(own, enemy, PLAYER_HP);
    to.put_all(HP, [scaled(own, PLAYER_HP), scaled(enemy, PLAYER_HP), lead]);
    for (field, player) in [OWN_HP, ENEMY_HP].into_iter().zip(both) {
        let twentieths = u64::from(player.hp) * 20 / u64::from(player.highest_hp.max(1));
        let last = field.len() - 1;
        to.mark(field, usize::try_from(twentieths).map_or(last, |twentieths| twentieths.min(last)));
    }
}

/// Returns the passes so far: the turns that were begun before this one, without placements.
fn passes(state: &GameState) -> u32 {
    let turns: u32 = state.players.iter().map(|player| u32::from(player.turn)).sum();
    turns.saturating_sub(u32::from(state.placements) + 1)
}

/// Returns the HP that a player loses to poison at the end of its turn.
fn poison(state: &GameState, player: Player) -> f32 {
    let running = state.running(player.enemy()).map(|(_, running)| running);
    let poisons = running.filter(|running| running.kind == EffectKind::Poison);
    magnitude(EffectKind::Poison, poisons.map(|running| running.magnitude).sum())
}

/// Returns a number of pieces.
fn pieces(n: usize) -> u32 {
    u32::try_from(n).expect("at most 16 pieces")
}
