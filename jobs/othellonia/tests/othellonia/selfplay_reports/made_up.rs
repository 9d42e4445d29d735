//! Specs and states.

use hatchery_core::part::{LargeValue, Part};
use hatchery_core::spec::SpecDocument;
use hatchery_core::{Experiment, GenerationSeed, InitialParts, RunSeed};
use hatchery_othellonia::OthelloniaSelfplay;
use hatchery_othellonia::learning::StoredLearner;
use hatchery_othellonia::studies::specs::{
    LearnerState, LearningPeriod, OpponentLook, SelfplaySpec, SelfplayState, Snapshot, StrengthLook,
};
use hatchery_stats::{PairCounts, PairResult};

use crate::CheckedSpec as _;

/// Two decks and two opponents; one arm, in the mode `wide`: generations of 4, 6 and 6 games.
pub(crate) const WIDE: &str = r#"
experiment = "othellonia-selfplay"
seed = 1
[params]
mode = { kind = "wide", games = 16, first = 4, growth = 1.5, most = 8, pairs_per_trial = 1 }
arms = ["vectors"]
hidden = [8]
evaluation = { pairs = 2 }
decks = [
    { kind = "shipped", name = "burst", archetype = "burst" },
    { kind = "shipped", name = "tricky", archetype = "tricky" },
]
"#;

/// Two arms of two seeds and four opponents, in the mode `paper`.
pub(crate) const PAPER: &str = r#"
experiment = "othellonia-selfplay"
seed = 1
[params]
mode = { kind = "paper", games = 1000 }
arms = ["vectors", "deck_one_hot"]
seeds = 2
hidden = [8]
decks = [{ kind = "shipped", name = "burst", archetype = "burst" }]
[params.evaluation]
pairs = 100
opponents = [
    { kind = "random" },
    { kind = "rule", temperature = 0.5 },
    { kind = "rule", preset = "hard" },
    { kind = "lookahead" },
]
"#;

pub(crate) fn spec(text: &str) -> SelfplaySpec {
    let document = SpecDocument::parse("made-up", text.as_bytes()).expect("it is valid");
    document.params(&schemars::schema_for!(SelfplaySpec).to_value()).expect("it is valid")
}

pub(crate) fn begin(spec: &SelfplaySpec) -> SelfplayState {
    let seed: GenerationSeed = RunSeed::new("reports", 1).generation(0);
    OthelloniaSelfplay::begin(&spec.checked(), &seed, &mut InitialParts::default())
        .expect("it is valid")
}

/// Returns the results of pairs: `won` of both games, and `lost` of both.
pub(crate) fn pairs(won: usize, lost: usize) -> PairCounts {
    let pair = |half_points| PairResult::new(half_points, half_points).expect("it is valid");
    let mut counts = PairCounts::default();
    counts.add(&vec![pair(2); won]);
    counts.add(&vec![pair(0); lost]);
    counts
}

/// Returns a look whose results against each opponent are the same with all decks.
pub(crate) fn look(games: u64, n_matchups: usize, opponents: &[[usize; 2]]) -> StrengthLook {
    let opponents = opponents
        .iter()
        .map(|&[won, lost]| OpponentLook { matchups: vec![pairs(won, lost); n_matchups] });
    StrengthLook { games, steps: 2 * games, opponents: opponents.collect() }
}

/// Returns a period of 28 decisions a game, each drawn four times.
pub(crate) fn period(games: u64, learned: [u64; 2], results: [u64; 3]) -> LearningPeriod {
    let [before_games, learned_games] = learned;
    let [before, learned] = learned.map(|games| 28 * games);
    let drawn = 4 * (learned - before);
    LearningPeriod {
        games,
        steps: 2 * learned_games,
        own_steps: 2 * (learned_games - before_games),
        mean_loss: 3.0 + 1.0 / (1.0 + learned as f64),
        items: learned,
        drawn,
        age_sum: 56 * drawn,
        results,
    }
}

fn learner(model: &[u8]) -> StoredLearner {
    let memory = LargeValue::new(vec![Part::of(b"memory")]);
    StoredLearner { model: Part::of(model), memory }
}

/// Returns the state of [`WIDE`] after its first period.
pub(crate) fn one_period(spec: &SelfplaySpec) -> SelfplayState {
    let mut state = begin(spec);
    state.networks[0] = LearnerState {
        learner: Some(learner(b"model")),
        games: 10,
        periods: vec![period(10, [0, 4], [1, 1, 2])],
        ..LearnerState::default()
    };
    state
}

/// Returns the state of [`WIDE`] after its last look.
pub(crate) fn wide(spec: &SelfplaySpec) -> SelfplayState {
    let mut state = one_period(spec);
    let network = &mut state.networks[0];
    network.games = 16;
    network.snapshots = vec![Snapshot { games: 16, model: Part::of(b"model") }];
    network.periods.extend([period(16, [4, 10], [3, 0, 3]), period(16, [10, 16], [0, 0, 0])]);
    let rates = [(4, [[1, 1], [0, 2]]), (10, [[1, 1], [1, 1]]), (16, [[2, 0], [2, 0]])];
    network.looks = rates.iter().map(|(games, rates)| look(*games, 4, rates)).collect();
    state
}

/// Returns the state of [`PAPER`] after two looks; the last network ended after the first one.
pub(crate) fn paper(spec: &SelfplaySpec) -> SelfplayState {
    let mut state = begin(spec);
    for (number, network) in state.networks.iter_mut().enumerate() {
        network.learner = Some(learner(&[u8::try_from(number).expect("few")]));
        let n_periods = if number == 3 { 1 } else { 2 };
        for at in 1..=n_periods {
            let games = 250 * at;
            network.games = games;
            network.periods.push(period(games, [games - 250, games], [125, 0, 125]));
            let won = 40 * usize::try_from(at).expect("few") + number;
            let rates = [won + 10, won, won - 10, won - 20].map(|won| [won, 100 - won]);
            network.looks.push(look(games, 1, &rates));
        }
    }
    state.networks[3].failure = Some("the loss of step 4010 is not finite".to_owned());
    state
}
