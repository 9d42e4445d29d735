//! A trial: the two games of a pair.

mod agents;
mod self_play;

pub(crate) use agents::{ReadyAgents, ValuedActions, ready_model};
pub(crate) use self_play::SelfPlay;

use hatchery_core::{FastRng, StreamRng};
use hatchery_stats::PairResult;

use super::results::{DeckMatchResults, FirstPairs, GameSums};
use super::setup::{DeckTable, KeptRecords, MatchSetup};
use crate::record::GameRecord;
use crate::rules::{
    Action, Game, GameDeck, GameEvent, GameOutcome, GameStart, GameWatcher, Player,
};

/// A viewer of the games of a trial.
pub(crate) trait TrialWatcher {
    /// A game begins.
    fn begins(&mut self, game: &Game<'_>);

    /// A learned agent is about to choose, and has valued the legal actions.
    fn valued(&mut self, game: &Game<'_>, actions: &ValuedActions<'_>);

    /// A player placed a piece; `events` are what happened from then to the next choice.
    fn played(&mut self, action: Action, game: &Game<'_>, events: &[GameEvent]);

    /// Returns false if the trial may stop.
    fn wants_more(&self) -> bool;
}

/// Plays the pair of games of a trial with decks of `table` and the agents of `setup`.
pub(crate) fn play_pair(
    table: &DeckTable,
    setup: &MatchSetup,
    agents: &mut ReadyAgents,
    mut stream: StreamRng,
) -> DeckMatchResults {
    let decks = table.pair(setup.decks);
    let mut sums = GameSums::default();
    let mut records = Vec::new();
    let (starts, mut rng) = pair_of_starts(&mut stream);
    let [as_first, as_second] = starts.map(|start| {
        let mut fired = FiredKinds::default();
        let choose = |game: &Game<'_>| agents.choose(game, &mut rng);
        let (actions, outcome) = play_game(decks, start, choose, &mut fired);
        sums.absorb(&fired.sums(outcome, actions.len()));
        if setup.kept == KeptRecords::All {
            records.push(GameRecord { decks: setup.decks, start, actions });
        }
        half_points(outcome)
    });
    let pair = PairResult::new(as_first, as_second).expect("2 are a win");
    let first_pairs = FirstPairs::of_pair(&sums);
    DeckMatchResults { pairs: vec![pair], sums, first_pairs, records }
}

/// Plays the pair of games of a trial before `watcher`.
pub(crate) fn watch_pair(
    table: &DeckTable,
    setup: &MatchSetup,
    agents: &mut ReadyAgents,
    mut stream: StreamRng,
    watcher: &mut impl TrialWatcher,
) {
    let decks = table.pair(setup.decks);
    let (starts, mut rng) = pair_of_starts(&mut stream);
    for start in starts {
        let mut game = Game::start(decks, start);
        watcher.begins(&game);
        while game.outcome().is_none() && watcher.wants_more() {
            let action = agents.choose(&game, &mut rng);
            if let Some(valued) = agents.valued(&game) {
                watcher.valued(&game, &valued);
            }
            let mut events: Vec<GameEvent> = Vec::new();
            game.play(action, &mut events).expect("agents choose legal actions");
            watcher.played(action, &game, &events);
        }
    }
}

/// Plays a game with the actions that `choose` returns, which are legal, and returns them with the
/// outcome.
fn play_game(
    decks: [&GameDeck; 2],
    start: GameStart,
    mut choose: impl FnMut(&Game<'_>) -> Action,
    watcher: &mut impl GameWatcher,
) -> (Vec<Action>, GameOutcome) {
    let mut game = Game::start(decks, start);
    let mut actions = Vec::new();
    loop {
        if let Some(outcome) = game.outcome() {
            return (actions, outcome);
        }
        let action = choose(&game);
        game.play(action, watcher).expect("agents choose legal actions");
        actions.push(action);
    }
}

/// Draws the starts of two games with the same shuffles, A first and then B, and the stream of the
/// choices in both.
fn pair_of_starts(stream: &mut StreamRng) -> ([GameStart; 2], FastRng) {
    let seed = stream.next_u64();
    let rng = FastRng::seeded_by(stream);
    (Player::ALL.map(|first| GameStart { seed, first }), rng)
}

/// Returns the half points of A.
fn half_points(outcome: GameOutcome) -> u8 {
    match outcome.winner {
        Some(Player::A) => 2,
        None => 1,
        Some(Player::B) => 0,
    }
}

/// Notes the kinds of effects that fire in a game.
#[derive(Default)]
struct FiredKinds {
    kinds: u32,
}

impl FiredKinds {
    fn sums(&self, outcome: GameOutcome, placements: usize) -> GameSums {
        let mut sums = GameSums { games: 1, placements: placements as u64, ..GameSums::default() };
        sums.causes[outcome.cause as usize] = 1;
        for (kind, fired) in sums.fired.iter_mut().enumerate() {
            *fired = u64::from(self.kinds >> kind & 1);
        }
        sums
    }
}

impl GameWatcher for FiredKinds {
    #[inline]
    fn event(&mut self, event: GameEvent) {
        if let GameEvent::Fired { kind, .. } = event {
            self.kinds |= 1 << kind.index();
        }
    }
}
