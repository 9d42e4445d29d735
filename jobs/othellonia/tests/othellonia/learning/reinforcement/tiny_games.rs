//! Games of a few plies, whose values are known: all that can happen in them is enumerated with the
//! real rules. They are played at random, so that the enemy is a random player.

use std::sync::LazyLock;

use hatchery_core::FastRng;
use hatchery_othellonia::features::Information;
use hatchery_othellonia::generate::{DEFAULT_COST_CAP, shipped_decks};
use hatchery_othellonia::learning::reinforcement::{
    LearnedMoves, ReinforcementLearner, ReinforcementSettings, Returns,
};
use hatchery_othellonia::learning::samples::TrainingGames;
use hatchery_othellonia::players::GameAgent;
use hatchery_othellonia::players::model::ModelEncoding;
use hatchery_othellonia::record::GameRecord;
use hatchery_othellonia::rules::{Game, GameDeck, GameStart, Player};

use crate::learning::games::{POOL, go_on, stream};

const DISCOUNT: f64 = 0.9;

/// Two of the shipped decks, with so few HP that games end after three to five plies.
static TINY_DECKS: LazyLock<Vec<GameDeck>> = LazyLock::new(|| {
    let decks = shipped_decks().map(|deck| {
        let mut pieces = deck.build(&POOL, DEFAULT_COST_CAP).unwrap().pieces().clone();
        pieces.iter_mut().for_each(|piece| piece.hp = 140);
        GameDeck::new(pieces, 0).unwrap()
    });
    decks[..2].to_vec()
});

/// The number of starts: with their draws, games have some 77,000 positions.
const N_STARTS: u64 = 3;

fn start(number: u64) -> GameStart {
    GameStart { seed: number, first: Player::A }
}

fn start_game(number: u64) -> Game<'static> {
    Game::start([&TINY_DECKS[0], &TINY_DECKS[1]], start(number))
}

/// What the player who is valued does later.
#[derive(Clone, Copy)]
enum Policy {
    /// The best: what one-step targets learn.
    Best,
    /// Anything: what is learned from the results of games.
    Random,
}

/// Returns the value of a game after an action of `player`, whose enemy plays at random.
fn value_after(game: &Game<'_>, player: Player, policy: Policy) -> f64 {
    if let Some(outcome) = game.outcome() {
        return outcome.winner.map_or(0.5, |winner| if winner == player { 1.0 } else { 0.0 });
    }
    let values: Vec<_> = action_values(game, player, policy);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    match policy {
        _ if game.state().to_move != player => mean,
        Policy::Best => DISCOUNT * values.iter().copied().fold(0.0, f64::max),
        Policy::Random => DISCOUNT * mean,
    }
}

/// Returns every legal action's value for `player`.
fn action_values(game: &Game<'_>, player: Player, policy: Policy) -> Vec<f64> {
    let after = game.actions().map(|action| {
        let mut after = game.clone();
        after.play(action, &mut ()).unwrap();
        value_after(&after, player, policy)
    });
    after.collect()
}

fn random_games(n: u64) -> TrainingGames<'static> {
    let mut rng = FastRng::seeded_by(&mut stream("tiny games"));
    let record = |number| {
        let mut game = start_game(number % N_STARTS);
        let mut actions = Vec::new();
        while game.outcome().is_none() {
            let action = GameAgent::Random.choose(&game, &mut rng);
            game.play(action, &mut ()).unwrap();
            actions.push(action);
        }
        GameRecord { decks: [0, 1], start: start(number % N_STARTS), actions }
    };
    TrainingGames::new(&*TINY_DECKS, (0..n).map(record)).unwrap()
}

/// Calls `look` with every position in every game where a player decides, and with its ply.
fn each_position(look: &mut impl FnMut(&Game<'_>, usize)) {
    fn below(game: &Game<'_>, ply: usize, look: &mut impl FnMut(&Game<'_>, usize)) {
        if game.outcome().is_some() {
            return;
        }
        look(game, ply);
        for action in game.actions() {
            let mut after = game.clone();
            after.play(action, &mut ()).unwrap();
            below(&after, ply + 1, look);
        }
    }
    (0..N_STARTS).for_each(|number| below(&start_game(number), 0, look));
}

/// Returns the mean error of a learner's values for the first actions in every game.
fn first_error(learner: &ReinforcementLearner, policy: Policy) -> f64 {
    let (mut n_actions, mut sum) = (0.0, 0.0);
    for number in 0..N_STARTS {
        let game = start_game(number);
        let exact = action_values(&game, Player::A, policy);
        for (exact, (_, found)) in exact.iter().zip(learner.model().values(&game)) {
            sum += (exact - f64::from(found)).abs();
            n_actions += 1.0;
        }
    }
    sum / n_actions
}

/// Checks the values of actions that end a game, and the choice among them and others, at the third
/// ply: most games end there.
fn check_last_moves(learner: &ReinforcementLearner, policy: Policy) {
    let mut buffers = learner.model().buffers();
    let (mut n_ends, mut errors) = (0.0, 0.0);
    let (mut n_positions, mut n_best) = (0.0, 0.0);
    each_position(&mut |game, ply| {
        if ply != 2 {
            return;
        }
        let exact = action_values(game, game.state().to_move, policy);
        let found = learner.model().evaluate(game, &mut buffers);
        for (&(action, found), exact) in found.iter().zip(&exact) {
            if game.preview(action, &mut ()).unwrap().outcome().is_some() {
                n_ends += 1.0;
                errors += (exact - f64::from(found)).abs();
            }
        }
        let chosen = (0..found.len()).reduce(|a, b| if found[a].1 < found[b].1 { b } else { a });
        let most = exact.iter().copied().fold(0.0, f64::max);
        n_positions += 1.0;
        n_best += f64::from(u8::from(most - exact[chosen.unwrap()] < 1e-9));
    });
    assert!(errors / n_ends < 0.05, "{errors} of {n_ends} ends");
    assert!(0.95 < n_best / n_positions, "{n_best} of {n_positions} choices");
}

/// Returns a learner that has learned from random games.
fn learned(returns: Returns) -> ReinforcementLearner {
    let settings = ReinforcementSettings {
        returns,
        discount: DISCOUNT,
        moves: LearnedMoves::Both,
        target_steps: 100,
        capacity: 50_000,
        // The full correction for unequal probabilities: values are then means.
        beta: 1.0,
        noise: 0.0,
        ..ReinforcementSettings::default()
    };
    let games = random_games(12_000);
    let (encoding, mut rng) = (ModelEncoding::DeckOneHot, stream("tiny network"));
    let information = Information::Perfect;
    let learner = ReinforcementLearner::new(encoding, information, &[32], &settings, &mut rng);
    let mut learner = learner.unwrap();
    learner.absorb(&games);
    learner.learn(&games, 1_500, &stream("tiny steps"), &mut go_on).unwrap();
    learner
}

#[test]
fn results_teach_the_values_of_random_play() {
    let learner = learned(Returns::End);
    check_last_moves(&learner, Policy::Random);
    let [own, other] = [Policy::Random, Policy::Best].map(|it| first_error(&learner, it));
    assert!(own < 0.1 && 0.2 < other, "{own} and {other}");
}

#[test]
fn one_step_targets_teach_the_values_of_the_best_play() {
    let learner = learned(Returns::Steps(1));
    check_last_moves(&learner, Policy::Best);
    let [own, other] = [Policy::Best, Policy::Random].map(|it| first_error(&learner, it));
    assert!(own < 0.03 && 0.15 < other, "{own} and {other}");
}
