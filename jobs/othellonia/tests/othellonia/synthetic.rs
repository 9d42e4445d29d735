//! Runs of matrices whose results are made up: what was put in must come out.

use hatchery_core::{Experiment, FastRng, GenerationSeed, InitialParts, RunSeed, Step};
use hatchery_othellonia::OthelloniaMatrix;
use hatchery_othellonia::generate::PoolSettings;
use hatchery_othellonia::params::agent_param::{AgentParam, RandomParam};
use hatchery_othellonia::params::deck_param::{DeckParam, ListedDeckParam};
use hatchery_othellonia::pool::PieceDefinition;
use hatchery_othellonia::rules::Attribute;
use hatchery_othellonia::studies::specs::{MatrixSpec, MatrixState, MirrorMatches};
use hatchery_othellonia::trial::results::{DeckMatchResults, FirstPairs, GameSums, TrialResults};
use hatchery_othellonia::trial::setup::{MatchSetup, TrialSetup};
use hatchery_stats::PairResult;

use crate::CheckedSpec as _;

/// The number of the first own piece: one is generated, as a pool needs one.
pub(crate) const FIRST_PIECE: u32 = 1;

pub(crate) fn seed() -> GenerationSeed {
    RunSeed::new("synthetic matrices", 1).generation(0)
}

/// Returns `n` own pieces, `own-1` and so on.
pub(crate) fn own_pieces(n: u32) -> Vec<PieceDefinition> {
    let piece = |number: u32| PieceDefinition {
        name: format!("own-{number}"),
        attribute: Attribute::God,
        cost: 10,
        hp: 1_000,
        attack: 1_000,
        skill: None,
        combo: None,
    };
    (FIRST_PIECE..).map(piece).take(n as usize).collect()
}

pub(crate) fn listed(name: &str, pieces: impl IntoIterator<Item = u32>) -> DeckParam {
    let pieces: Vec<_> = pieces.into_iter().collect();
    let leader = pieces[0];
    DeckParam::Listed(ListedDeckParam { name: name.to_owned(), pieces, leader })
}

/// Returns a spec of these decks from 24 own pieces.
pub(crate) fn spec(decks: Vec<DeckParam>, pairs: u32, looks: u32) -> MatrixSpec {
    MatrixSpec {
        decks: decks.into(),
        random_decks: None,
        pool: PoolSettings { kinds: FIRST_PIECE, ..PoolSettings::default() },
        pieces: own_pieces(24).into(),
        cost_cap: 200,
        agent: AgentParam::Random(RandomParam {}),
        pairs,
        looks,
        mirrors: MirrorMatches::Played,
        dominance_margin: 0.05,
        error_rate: 0.05,
    }
}

pub(crate) fn begin(spec: &MatrixSpec) -> MatrixState {
    let begun =
        OthelloniaMatrix::begin(&spec.checked(), &seed(), &mut InitialParts::new(Vec::new()));
    begun.expect("the spec is valid")
}

/// Plays a look: `pairs` returns the results of a match-up.
pub(crate) fn look(
    spec: &MatrixSpec,
    state: MatrixState,
    mut pairs: impl FnMut(&MatchSetup) -> Vec<PairResult>,
) -> Step<MatrixState> {
    let plan = OthelloniaMatrix::plan(&spec.checked(), &state);
    let tallies = plan.series.iter().map(|series| {
        let pairs = pairs(games(&series.subject));
        assert_eq!(pairs.len(), series.n_trials as usize);
        results(pairs)
    });
    OthelloniaMatrix::fold(&spec.checked(), state, &tallies.collect::<Vec<_>>(), &seed())
}

/// Returns a setup as one of games, as all of a matrix are.
pub(crate) fn games(setup: &TrialSetup) -> &MatchSetup {
    let TrialSetup::Games(setup) = setup else { panic!("a matrix has games only") };
    setup
}

/// Returns results whose games all end by HP 0 after 20 placements.
fn results(pairs: Vec<PairResult>) -> TrialResults {
    let games = 2 * pairs.len() as u64;
    let mut sums = GameSums { games, placements: 20 * games, ..GameSums::default() };
    sums.causes[0] = games;
    let first_pairs = FirstPairs::of_pair(&sums);
    let records = Vec::new();
    TrialResults::of_games(DeckMatchResults { pairs, sums, first_pairs, records })
}

/// Returns 10 pairs, or a multiple: the first deck wins so many tenths of the games in both orders.
pub(crate) fn tenths(won: u32, pairs: u32) -> Vec<PairResult> {
    assert_eq!(pairs % 10, 0);
    let pair = |number: u32| {
        let half_points = |at: u32| if at % 10 < won { 2 } else { 0 };
        PairResult::new(half_points(number), half_points(number + 3)).expect("2 are a win")
    };
    (0..pairs).map(pair).collect()
}

/// Returns pairs of independent games, each won with the probability `score`.
pub(crate) fn random_pairs(score: f64, pairs: u32, rng: &mut FastRng) -> Vec<PairResult> {
    let mut game = || if rng.unit_f64() < score { 2 } else { 0 };
    (0..pairs).map(|_| PairResult::new(game(), game()).expect("2 are a win")).collect()
}

/// Returns an exhibit of a state as a text.
pub(crate) fn exhibit(spec: &MatrixSpec, state: &MatrixState, name: &str) -> String {
    let exhibits = OthelloniaMatrix::exhibits(&spec.checked(), state);
    let exhibit = exhibits.iter().find(|exhibit| exhibit.name == name).expect("it is shown");
    let bytes = exhibit.content.bytes().expect("it is no part").to_vec();
    String::from_utf8(bytes).expect("it is a text")
}

/// Returns a measure of a state; `None` if it has none of this name.
pub(crate) fn measure(spec: &MatrixSpec, state: &MatrixState, name: &str) -> Option<f64> {
    let measures = OthelloniaMatrix::measures(&spec.checked(), state);
    Some(measures.iter().find(|measure| measure.name == name)?.value.point())
}

/// Returns the state after a look, whether the run continues or not.
pub(crate) fn state_of(step: Step<MatrixState>) -> MatrixState {
    match step {
        Step::Continue(state) | Step::Done(state) => state,
    }
}
