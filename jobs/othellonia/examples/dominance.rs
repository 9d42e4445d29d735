//! Finds how often the test for dominant pieces names a piece: one that was planted, or any other.
//!
//! `cargo run --release -p hatchery-othellonia --example dominance --` takes words with numbers:
//!
//! * `first=1001 pools=40`: the seeds of the pools. Decks are drawn from the first 20 pieces.
//! * `decks=30 pairs=4 draw=1`: random decks, pairs of games per match-up, the seed of the decks.
//! * `percent=100`: HP and attack of the 20th piece, in percent of what they are.
#![expect(clippy::print_stdout, reason = "it prints tables")]

use hatchery_core::{Experiment, InitialParts, RunSeed, Simulation, Step, TrialContext};
use hatchery_othellonia::generate::{DEFAULT_COST_CAP, PoolSettings, generate_pieces};
use hatchery_othellonia::params::agent_param::{AgentParam, AgentPreset, RuleParam};
use hatchery_othellonia::params::deck_param::RandomDecksParam;
use hatchery_othellonia::pool::PieceDefinition;
use hatchery_othellonia::studies::specs::{MatrixSpec, MatrixState, MirrorMatches};
use hatchery_othellonia::{OthelloniaGames, OthelloniaMatrix};

/// The pieces that decks are drawn from.
const N_PIECES: u32 = 20;

/// The first words of the row of the planted piece.
const PLANTED: &str = "| planted (924) | ";

fn main() {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let number = |name: &str, usual: u32| {
        let mut values = words.iter().filter_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        values.next_back().map_or(usual, |value| value.parse().expect("a number after ="))
    };
    let (first, pools) = (number("first", 1_001), number("pools", 40));
    let [mut n_planted, mut n_with_others] = [0, 0];
    for seed in first..first + pools {
        let percent = number("percent", 100);
        let decks = RandomDecksParam {
            count: number("decks", 30),
            pieces: (0..N_PIECES - 1).chain([PoolSettings::default().kinds]).collect(),
            seed: number("draw", 1).into(),
        };
        let spec =
            spec(PoolSettings { seed: seed.into(), ..PoolSettings::default() }, decks, percent);
        let report = report(MatrixSpec { pairs: number("pairs", 4), ..spec }, seed);
        let rows = report.lines().filter(|line| line.contains("| **yes** |"));
        let (planted, others): (Vec<_>, Vec<_>) = rows.partition(|row| row.starts_with(PLANTED));
        n_planted += planted.len();
        n_with_others += usize::from(!others.is_empty());
        let row = report.lines().find(|line| line.starts_with(PLANTED)).unwrap_or_default();
        println!("pool {seed}: {row}");
        others.iter().for_each(|row| println!("  named: {row}"));
    }
    println!("planted named in {n_planted}, another piece in {n_with_others} of {pools} pools");
}

fn spec(pool: PoolSettings, decks: RandomDecksParam, percent: u32) -> MatrixSpec {
    let settings = PoolSettings { seed: pool.seed, ..PoolSettings::default() };
    let planted = &generate_pieces(&settings)[N_PIECES as usize - 1];
    let [hp, attack] = [planted.hp, planted.attack].map(|it| (it * percent / 100).min(9_999));
    let planted = PieceDefinition { name: "planted".to_owned(), hp, attack, ..planted.clone() };
    MatrixSpec {
        decks: Vec::new().into(),
        random_decks: Some(decks),
        pool,
        pieces: vec![planted].into(),
        cost_cap: DEFAULT_COST_CAP.0,
        agent: AgentParam::Rule(RuleParam { preset: AgentPreset::Standard, temperature: None }),
        pairs: 1,
        looks: 1,
        mirrors: MirrorMatches::LeftOut,
        dominance_margin: 0.05,
        error_rate: 0.05,
    }
}

/// Returns the report after all games.
fn report(spec: MatrixSpec, seed: u32) -> String {
    let checked = OthelloniaMatrix::check(spec).expect("the spec is valid");
    let seed = RunSeed::new("dominance", seed.into()).generation(0);
    let begun = OthelloniaMatrix::begin(&checked, &seed, &mut InitialParts::new(Vec::new()));
    let state: MatrixState = begun.expect("the spec is valid");
    let plan = OthelloniaMatrix::plan(&checked, &state);
    let tallies = plan.series.iter().zip(0..).map(|(series, subject)| {
        let mut streams = (0..series.n_trials).map(|trial| seed.trial(plan.draws, subject, trial));
        let context = &TrialContext::ALONE;
        OthelloniaGames::trials_of(&plan.shared, &series.subject, &mut streams, context)
    });
    let (Step::Continue(state) | Step::Done(state)) =
        OthelloniaMatrix::fold(&checked, state, &tallies.collect::<Vec<_>>(), &seed);
    let exhibits = OthelloniaMatrix::exhibits(&checked, &state);
    let report = exhibits.iter().find(|exhibit| exhibit.name == "report.md").expect("a report");
    String::from_utf8(report.content.bytes().expect("bytes").to_vec()).expect("a text")
}
