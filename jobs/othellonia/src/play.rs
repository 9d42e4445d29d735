//! A trial: the two games of a pair.

use hatchery_core::{FastRng, StreamRng};
use hatchery_stats::PairResult;

use crate::record::GameRecord;
use crate::results::{DeckMatchResults, FirstPairs, GameSums};
use crate::rules::{
    Action, EndCause, Game, GameEvent, GameOutcome, GameStart, GameWatcher, Player,
};
use crate::setup::{KeptRecords, MatchSetup};

/// A viewer of the games of a trial.
pub(crate) trait TrialWatcher {
    /// A game begins.
    fn begins(&mut self, game: &Game<'_>);

    /// A player placed a piece; `events` are what happened from then to the next choice.
    fn played(&mut self, action: Action, game: &Game<'_>, events: &[GameEvent]);

    /// Returns false if the trial may stop.
    fn wants_more(&self) -> bool;
}

/// Plays the pair of games of a trial.
pub(crate) fn play_pair(setup: &MatchSetup, mut stream: StreamRng) -> DeckMatchResults {
    let mut sums = GameSums::default();
    let mut records = Vec::new();
    let half_points = games(&mut stream, |start, rng| {
        let mut fired = FiredKinds::default();
        let mut game = Game::start([&setup.decks[0], &setup.decks[1]], start);
        let mut actions = Vec::new();
        while game.outcome().is_none() {
            let action = setup.agents[game.state().to_move.index()].choose(&game, rng);
            game.play(action, &mut fired).expect("agents choose legal actions");
            actions.push(action);
        }
        let outcome = game.outcome().expect("the loop has ended");
        sums.absorb(&fired.sums(outcome, actions.len()));
        if setup.kept == KeptRecords::All {
            records.push(GameRecord { decks: setup.deck_numbers, start, actions });
        }
        outcome
    });
    let pair = PairResult::new(half_points[0], half_points[1]).expect("2 are a win");
    let first_pairs = FirstPairs::of_pair(&sums);
    DeckMatchResults { pairs: vec![pair], sums, first_pairs, records }
}

/// Plays the pair of games of a trial before `watcher`.
pub(crate) fn watch_pair(
    setup: &MatchSetup,
    mut stream: StreamRng,
    watcher: &mut impl TrialWatcher,
) {
    games(&mut stream, |start, rng| {
        let mut game = Game::start([&setup.decks[0], &setup.decks[1]], start);
        watcher.begins(&game);
        while game.outcome().is_none() && watcher.wants_more() {
            let action = setup.agents[game.state().to_move.index()].choose(&game, rng);
            let mut events: Vec<GameEvent> = Vec::new();
            game.play(action, &mut events).expect("agents choose legal actions");
            watcher.played(action, &game, &events);
        }
        let unfinished = GameOutcome { winner: None, cause: EndCause::NoMoves };
        game.outcome().unwrap_or(unfinished)
    });
}

/// Plays two games with the same shuffles, A first and then B; returns the half points of A.
fn games(
    stream: &mut StreamRng,
    mut play: impl FnMut(GameStart, &mut FastRng) -> GameOutcome,
) -> [u8; 2] {
    let seed = stream.next_u64();
    let mut rng = FastRng::seeded_by(stream);
    Player::ALL.map(|first| match play(GameStart { seed, first }, &mut rng).winner {
        Some(Player::A) => 2,
        None => 1,
        Some(Player::B) => 0,
    })
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
