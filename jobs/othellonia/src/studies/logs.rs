//! `othellonia-logs`: games as records, for programs that learn from games.

mod deck_tables;
mod fragment;
mod mined;
mod plies;
mod report;
mod scores;
mod spec;
mod state;

use hatchery_core::{
    CostTrend, Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue,
    Measure, NamedInput, Part, Plan, Preset, RunHistory, Series, Step, WireValue, WorkPhase,
    presets,
};

use crate::params::agent_param::{CheckedAgent, check_weights};
use crate::params::deck_param::deck_table;
use crate::record::{GameFile, GameRecord, GameSeries};
use crate::trial::results::TrialResults;
use crate::trial::series::deck_numbers;
use crate::trial::setup::{KeptRecords, MatchSetup, TrialSetup};
use crate::trial::simulation::OthelloniaGames;

use mined::MinedLogs;
use scores::AgentScore;
pub use spec::{CheckedLogs, LogsSpec};
pub use state::{LogsState, SeriesGames};

/// Games between decks by agents of several strengths, as records that replay exactly.
#[derive(Debug)]
pub struct OthelloniaLogs;

impl Experiment for OthelloniaLogs {
    const NAME: &'static str = "othellonia-logs";
    const VERSION: u32 = 2;
    const SUMMARY: &'static str = "records games of a card game by rule-based and exploring agents";
    const PRESETS: &'static [Preset] = presets!["logs-": "decks", "quick", "smoke"];

    type Simulation = OthelloniaGames;
    type Spec = LogsSpec;
    type Checked = CheckedLogs;
    type State = LogsState;

    fn check(spec: LogsSpec) -> Result<CheckedLogs, InvalidValue> {
        spec.check()
    }

    fn generations(_checked: &CheckedLogs) -> u32 {
        1
    }

    fn phases(checked: &CheckedLogs) -> Vec<WorkPhase> {
        let n_trials = checked.series.len() as u64 * u64::from(checked.spec.pairs);
        let n_trials = n_trials..=n_trials;
        vec![WorkPhase::new(1, n_trials, CostTrend::Unknown)]
    }

    fn inputs(checked: &CheckedLogs) -> Vec<NamedInput> {
        let agents = checked.spec.agents.iter().enumerate();
        agents.filter_map(|(at, agent)| agent.input(&format!("agents.{at}"))).collect()
    }

    fn check_input(
        checked: &CheckedLogs,
        input: &NamedInput,
        bytes: &[u8],
    ) -> Result<(), InvalidValue> {
        check_weights(input, bytes, &deck_table(&checked.decks))
    }

    fn begin(
        checked: &CheckedLogs,
        _seed: &GenerationSeed,
        parts: &mut InitialParts,
    ) -> Result<LogsState, InvalidValue> {
        let inputs = checked.agents.iter().filter_map(CheckedAgent::input);
        let mut weights: Vec<_> = inputs.map(|input| parts.input(input)).collect();
        // Several agents may have the same file.
        weights.sort_unstable();
        weights.dedup();
        Ok(LogsState { weights, ..LogsState::default() })
    }

    fn parts(state: &LogsState) -> Vec<Part> {
        state.weights.clone()
    }

    fn plan(checked: &CheckedLogs, state: &LogsState) -> Plan<OthelloniaGames> {
        let agents = checked.agents.iter().map(|agent| agent.of_match(&state.weights));
        let agents: Vec<_> = agents.collect();
        let series = checked.series.iter().map(|series| {
            let setup = MatchSetup {
                decks: deck_numbers(series.decks),
                agents: series.agents.map(|agent| agents[agent].clone()),
                kept: KeptRecords::All,
            };
            Series::new(TrialSetup::Games(setup), checked.spec.pairs)
        });
        let shared = deck_table(&checked.decks);
        Plan { shared, series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(
        _checked: &CheckedLogs,
        mut state: LogsState,
        tallies: &[TrialResults],
        _seed: &GenerationSeed,
    ) -> Step<LogsState> {
        state.add(tallies);
        Step::Done(state)
    }

    fn measures(checked: &CheckedLogs, state: &LogsState) -> Vec<Measure> {
        let (games, placements) = (state.sums.games, state.sums.placements);
        let mut measures = vec![
            Measure::new("games", "games", games),
            Measure::new("placements", "placements", placements),
        ];
        let scores = scores::agent_scores(checked, state);
        measures.extend(scores.into_iter().map(|AgentScore { names: [a, b], score }| {
            Measure::new(format!("{a}/{b}/score"), "", score)
        }));
        measures
    }

    fn exhibits(checked: &CheckedLogs, state: &LogsState) -> Vec<Exhibit> {
        let file = game_file(checked, state);
        let mined = MinedLogs::of(checked, state);
        let mut exhibits = report::findings(checked, state, &mined).exhibits();
        exhibits.push(Exhibit::new("games.bin", "application/protobuf", file.encode_message()));
        exhibits.push(plies::ply_table(&file, checked.spec.table_games));
        if let Ok(decks) = &mined.decks {
            let text = fragment::fragment(checked, decks);
            exhibits.push(Exhibit::new("mined-decks.toml", "application/toml", text));
        }
        exhibits
    }

    fn findings(
        checked: &CheckedLogs,
        state: &LogsState,
        _history: &RunHistory<'_>,
    ) -> Option<Findings> {
        let mined = MinedLogs::of(checked, state);
        Some(report::findings(checked, state, &mined))
    }
}

/// Returns the games of a run. Records of other decks than the series has are none of its games: a
/// worker with a defect has sent them, and no table could show them.
fn game_file(checked: &CheckedLogs, state: &LogsState) -> GameFile {
    let decks = checked.decks.iter().map(|deck| (deck.name.clone(), deck.deck.clone()));
    let series = checked.series.iter().zip(&state.series).map(|(series, games)| {
        let numbers = deck_numbers(series.decks);
        let records = games.records.iter().filter_map(|record| GameRecord::decode(record).ok());
        let records = records.filter(|record| record.decks == numbers);
        GameSeries {
            agents: series.agents.map(|agent| checked.agent_names[agent].clone()),
            records: records.collect(),
        }
    });
    GameFile { decks: decks.collect(), series: series.collect() }
}
