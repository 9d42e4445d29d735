//! Random games come to the same states on every machine, however many threads play them.

use std::ops::Range;
use std::thread;

use hatchery_core::{Digest, StreamRng};
use hatchery_othellonia::rules::{EffectTarget, Game, GameState, PlayerState, RunningEffect};

use crate::random_decks::{RandomMatch, game_rng, random_action, stream};

const N_GAMES: u64 = 100_000;

/// The games that one thread plays a second time.
const N_AGAIN: u64 = 20_000;

/// The digest of the digests from all games. It changes with the rules, with the generator of decks
/// below `tests`, and with nothing else.
const GOLDEN: &str = "2ebba65637226cb5e64b8d3473f95201bc93fe6d6fb580c162e89ed7f9574411";

fn add_running(bytes: &mut Vec<u8>, running: Option<&RunningEffect>) {
    let Some(RunningEffect { kind, magnitude, target, turns }) = running else {
        bytes.push(u8::MAX);
        return;
    };
    let target = match target {
        EffectTarget::All => 0,
        EffectTarget::God => 1,
        EffectTarget::Demon => 2,
        EffectTarget::Dragon => 3,
    };
    bytes.extend([u8::try_from(kind.index()).expect("24 kinds"), target, *turns]);
    bytes.extend(magnitude.to_le_bytes());
}

fn add_player(bytes: &mut Vec<u8>, player: &PlayerState) {
    for hp in [player.hp, player.highest_hp, player.latched_hp] {
        bytes.extend(hp.to_le_bytes());
    }
    bytes.extend([player.turn, player.drawn]);
    bytes.extend(player.cells.bits().to_le_bytes());
    bytes.extend(player.order);
    bytes.extend(player.hand.map(|piece| piece.unwrap_or(u8::MAX)));
    for state in player.states.iter() {
        add_running(bytes, Some(state));
    }
}

fn add_state(bytes: &mut Vec<u8>, state: &GameState) {
    for player in &state.players {
        add_player(bytes, player);
    }
    for at in &state.board {
        bytes.push(at.piece.unwrap_or(u8::MAX));
        for running in &at.running {
            add_running(bytes, running.as_ref());
        }
    }
    let outcome = state.outcome.expect("the game is over");
    bytes.extend([state.to_move, state.first].map(|player| u8::from(player.index() == 1)));
    bytes.push(outcome.winner.map_or(2, |player| u8::from(player.index() == 1)));
    bytes.extend([state.placements]);
    bytes.extend(outcome.cause.name().as_bytes());
}

/// Returns the digests of games, game after game: a digest covers the game's actions and its last
/// state.
fn play(games: Range<u64>, matches: &StreamRng) -> Vec<u8> {
    let mut digests = Vec::new();
    let mut bytes = Vec::new();
    for number in games {
        let mut rng = game_rng(matches, number);
        let random = RandomMatch::draw(&mut rng);
        let decks = random.build();
        let mut game = Game::start([&decks[0], &decks[1]], random.start);
        bytes.clear();
        while let Some(action) = random_action(&mut rng, &game) {
            bytes.push(action.to_byte());
            game.play(action, &mut ()).expect("a legal action");
        }
        add_state(&mut bytes, game.state());
        digests.extend(Digest::of(&bytes).as_bytes());
    }
    digests
}

/// Plays games on several threads, each with games that follow each other.
fn play_on(n_threads: u64, n_games: u64, matches: &StreamRng) -> Vec<u8> {
    let bound = |thread: u64| n_games * thread / n_threads;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads)
            .map(|thread| scope.spawn(move || play(bound(thread)..bound(thread + 1), matches)))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn random_games_have_the_golden_checksum_on_any_number_of_threads() {
    let matches = stream("checksums");
    let digests = play_on(3, N_GAMES, &matches);
    let again = play(0..N_AGAIN, &matches);
    assert!(digests.starts_with(&again), "threads change a game");
    assert_eq!(Digest::of(&digests).to_string(), GOLDEN);
}
