//! Whole games of players that take any legal action.

mod acceptance;
mod card_counter;
mod catanatron;
mod invariants;
mod naive;
mod planner;
mod trails;

use hatchery_catan::map::{Map, Terrain};
use hatchery_catan::players::Player;
use hatchery_catan::rules::{GameMove, GameState, GameVariant, Island, Seat};
use hatchery_catan::streams::{FastRng, GameStreams};
use hatchery_catan::trial::game::{GameRecord, play_watched};
use hatchery_catan::{Hex, Node, PortPlace};
use hatchery_core::RunSeed;

/// Longer than all but about one in 50,000 games of random players.
const TURN_CAP: u16 = 2_000;

/// Returns the streams of a game, and a map in free random order.
fn deal(purpose: &str, game: u64) -> (Island, GameStreams) {
    deal_variant(purpose, game, GameVariant::BASE)
}

/// Returns the streams of a game of `variant`, and a map in free random order.
fn deal_variant(purpose: &str, game: u64, variant: GameVariant) -> (Island, GameStreams) {
    let trial = RunSeed::new(purpose, 1).generation(0).stream("games").part(game);
    let mut streams = GameStreams::new(trial);
    let map = free_map(&mut streams.board);
    (Island::of_variant(map, variant), streams)
}

/// Plays a game of equal players, and keeps every move with the state before it.
fn log<P: Player + Copy>(
    player: P,
    island: &Island,
    mut streams: GameStreams,
    turn_cap: u16,
) -> (GameRecord, Vec<(GameState, GameMove)>) {
    let mut log = Vec::new();
    let watch = |state: &GameState, step| log.push((*state, step));
    let mut players = vec![player; usize::from(island.variant().n_players)];
    let record = play_watched(island, &mut players, &mut streams, turn_cap, watch);
    (record, log)
}

/// Returns the seat that has a settlement or city on `node`.
fn owner(state: &GameState, node: Node) -> Option<Seat> {
    let buildings = |seat: &Seat| state.settlements(*seat).union(state.cities(*seat));
    Seat::ALL.into_iter().find(|seat| buildings(seat).contains(node))
}

/// Draws the pieces of the base game in random order: every arrangement is equally likely.
fn free_map(stream: &mut FastRng) -> Map {
    let parts = Map::RULEBOOK;
    let mut terrain = Hex::ALL.map(|hex| parts.terrain(hex));
    let mut ports = PortPlace::ALL.map(|place| parts.port(place));
    let mut tokens: Vec<u8> = Hex::ALL.iter().filter_map(|hex| parts.token(*hex)).collect();
    shuffle(&mut terrain, stream);
    shuffle(&mut ports, stream);
    shuffle(&mut tokens, stream);
    let tokens = terrain.map(|terrain| match terrain {
        Terrain::Desert => 0,
        Terrain::Land(_) => tokens.pop().expect("a token per hex of land"),
    });
    Map::new(terrain, tokens, ports).expect("the parts of a map")
}

fn shuffle<T>(items: &mut [T], stream: &mut FastRng) {
    for last in (1..items.len()).rev() {
        let n = u32::try_from(last + 1).expect("few items");
        items.swap(last, stream.below(n) as usize);
    }
}
