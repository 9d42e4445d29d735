//! Whole games.

use crate::board::Node;
use crate::players::Player;
use crate::rules::{Action, GameMove, GameState, Island, Seat};
use crate::streams::GameStreams;

/// The record of a finished or stopped game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The winner; none if the game was stopped undecided.
    pub winner: Option<Seat>,
    /// Turns begun by all players together.
    pub turns: u16,
    /// The number of actions that the seats took, setup included.
    pub actions: u32,
    /// Each seat's points at the end, including hidden cards; 0 for a seat without a player.
    pub points: [u8; Seat::COUNT],
    /// The holder of the longest road at the end.
    pub longest_road: Option<Seat>,
    /// The holder of the largest army at the end.
    pub largest_army: Option<Seat>,
    /// Offers made.
    pub offers: u32,
    /// Trades among players.
    pub trades: u32,
    /// Trades with the bank.
    pub maritime_trades: u32,
}

/// Plays the setup of a game, and returns the settlements of the seats in their order.
///
/// With the players and the streams of a game, these are the first settlements of that game.
pub fn first_settlements<P: Player>(
    island: &Island,
    players: &mut [P],
    streams: &mut GameStreams,
) -> Vec<(Seat, Node)> {
    // The setup is turn 0.
    const SETUP_ONLY: u16 = 0;
    let mut settlements = Vec::new();
    play_watched(island, players, streams, SETUP_ONLY, |state, step| {
        if let Action::Settlement(node) = step.action {
            settlements.push((state.actor(), node));
        }
    });
    settlements
}

/// Plays a game to its end, or until `turn_cap` turns are over: then it has no winner.
pub fn play<P: Player>(
    island: &Island,
    players: &mut [P],
    streams: &mut GameStreams,
    turn_cap: u16,
) -> GameRecord {
    play_watched(island, players, streams, turn_cap, |_, _| {})
}

/// Plays a game like [`play`], and passes every move to `watch` together with the state before it.
pub fn play_watched<P: Player>(
    island: &Island,
    players: &mut [P],
    streams: &mut GameStreams,
    turn_cap: u16,
    mut watch: impl FnMut(&GameState, GameMove),
) -> GameRecord {
    let mut state = GameState::new(island);
    let is_counted = players.iter_mut().any(|player| player.card_counter().is_some());
    let (mut actions, mut offers, mut trades, mut maritime_trades) = (0, 0, 0, 0);
    while state.winner().is_none() && state.turn() <= turn_cap {
        let seat = state.actor().index();
        let legal = state.legal_actions();
        let action = players[seat].act(island, &state, &legal, &mut streams.policy[seat]);
        let step = GameMove { action, outcome: streams.outcome(&state, action) };
        watch(&state, step);
        let before = is_counted.then_some(state);
        state.apply(island, step);
        if let Some(before) = before {
            for (player, seat) in players.iter_mut().zip(Seat::ALL) {
                if let Some(counter) = player.card_counter() {
                    counter.observe(seat, &before, step, &state);
                }
            }
        }
        actions += 1;
        match action {
            Action::Offer(_) => offers += 1,
            Action::TradeWith(_) => trades += 1,
            Action::Maritime { .. } => maritime_trades += 1,
            _ => {}
        }
    }
    GameRecord {
        // A victory at the start of the first turn beyond the cap comes too late.
        winner: state.winner().filter(|_| state.turn() <= turn_cap),
        turns: state.turn().min(turn_cap),
        actions,
        points: Seat::ALL.map(|seat| state.points(seat)),
        longest_road: state.longest_road(),
        largest_army: state.largest_army(),
        offers,
        trades,
        maritime_trades,
    }
}
