//! A whole game.

mod streams;
mod words;

pub use streams::{Stream, Streams};

use crate::players::Player;
use crate::rules::{Action, Island, Move, Seat, State};

/// How a game went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Who won; nobody if the game was stopped undecided.
    pub winner: Option<Seat>,
    /// Turns begun, those of all players counted.
    pub turns: u16,
    /// Actions of all seats, those of the setup included.
    pub actions: u32,
    /// Points of each seat at the end, hidden cards included.
    pub points: [u8; Seat::COUNT],
    /// Who had the longest road at the end.
    pub longest_road: Option<Seat>,
    /// Who had the largest army at the end.
    pub largest_army: Option<Seat>,
    /// Offers made.
    pub offers: u32,
    /// Trades among players.
    pub trades: u32,
    /// Trades with the bank.
    pub maritime_trades: u32,
}

/// Plays a game to its end, or until `turn_cap` turns are over: then nobody has won.
pub fn play<P: Player>(
    island: &Island,
    players: &mut [P; Seat::COUNT],
    streams: &mut Streams,
    turn_cap: u16,
) -> Record {
    play_watched(island, players, streams, turn_cap, |_, _| {})
}

/// The same, and shows every move to `watch`, with the state before it.
pub fn play_watched<P: Player>(
    island: &Island,
    players: &mut [P; Seat::COUNT],
    streams: &mut Streams,
    turn_cap: u16,
    mut watch: impl FnMut(&State, Move),
) -> Record {
    let mut state = State::new(island);
    let (mut actions, mut offers, mut trades, mut maritime_trades) = (0, 0, 0, 0);
    while state.winner().is_none() && state.turn() <= turn_cap {
        let seat = state.actor().index();
        let options = state.options();
        let action = players[seat].act(island, &state, &options, &mut streams.policy[seat]);
        let step = Move { action, outcome: streams.outcome(&state, action) };
        watch(&state, step);
        state.apply(island, step);
        actions += 1;
        match action {
            Action::Offer(_) => offers += 1,
            Action::TradeWith(_) => trades += 1,
            Action::Maritime { .. } => maritime_trades += 1,
            _ => {}
        }
    }
    Record {
        // Who would win at the start of the first turn beyond the cap is too late.
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
