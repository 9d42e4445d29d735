//! The simulation: games of Pig, played alone. The experiment: compare players, drop the slower
//! half, repeat.

use std::ops::ControlFlow;

use hatchery_core::findings::{FindingBlock, FindingSection, KeyFact, RichText};
use hatchery_core::table::TableColumns;
use hatchery_core::text::counted;
use hatchery_core::{
    CostTrend, DataTable, Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts,
    InvalidValue, Measure, Plan, Preset, RunHistory, SceneBase, SceneSink, SceneWriter, Series,
    Simulation, Step, StreamRng, SubjectTrial, TrialContext, Work, WorkPhase, presets,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::game;
use crate::wire::{PigPlayer, PigTally};

/// Games of Pig, each played alone.
#[derive(Debug)]
pub struct PigGames;

impl Simulation for PigGames {
    type Shared = ();
    type Subject = PigPlayer;
    type Tally = PigTally;

    fn trial((): &(), player: &PigPlayer, mut rng: StreamRng, _: &TrialContext<'_>) -> PigTally {
        PigTally { games: 1, turns: game(player.hold_at, &mut rng).count() as u64 }
    }

    fn work(tally: &PigTally) -> Vec<Work> {
        vec![Work::new("games", tally.games), Work::new("turns", tally.turns)]
    }

    fn replay(
        (): &(),
        player: &PigPlayer,
        mut rng: StreamRng,
        _: &TrialContext<'_>,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        let mut scene = SceneWriter::begin(sink, &SceneBase::captions())?;
        game(player.hold_at, &mut rng).try_for_each(|sum| scene.say(format!("{sum} points banked")))
    }
}

/// The number of points to hold at, found by halving.
#[derive(Debug)]
pub struct Pig;

/// The parameters of a run.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PigSpec {
    /// Games per player and generation.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub games: u32,
    /// The players: the points that each holds at.
    #[schemars(length(min = 1, max = 100), inner(range(min = 1, max = 100)))]
    pub hold_at: Vec<u32>,
}

/// The remaining players, the best first, each with its hold, its games and its turns so far.
#[derive(Debug, Serialize, Deserialize)]
pub struct PigState(Vec<(u32, u64, u64)>);

impl Experiment for Pig {
    const NAME: &'static str = "pig";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "a dice game: at how many points should a turn end?";
    const PRESETS: &'static [Preset] = presets!["": "quick", "smoke"];

    type Simulation = PigGames;
    type Spec = PigSpec;
    type Checked = PigSpec;
    type State = PigState;

    fn check(spec: PigSpec) -> Result<PigSpec, InvalidValue> {
        Ok(spec)
    }

    fn generations(spec: &PigSpec) -> u32 {
        // Halving a list of n entries down to one takes the number of bits of n - 1.
        (spec.hold_at.len() - 1).checked_ilog2().map_or(1, |log| log + 1)
    }

    fn phases(spec: &PigSpec) -> Vec<WorkPhase> {
        let halved = |&n_players: &u64| (2 < n_players).then(|| n_players.div_ceil(2));
        let n_players = std::iter::successors(Some(spec.hold_at.len() as u64), halved);
        let n_trials = n_players.map(|n_players| n_players * u64::from(spec.games));
        // A turn ends after a few throws, at whatever number of points a player holds.
        let phase = |n_trials| WorkPhase::new(1, n_trials..=n_trials, CostTrend::Steady);
        n_trials.map(phase).collect()
    }

    fn begin(
        spec: &PigSpec,
        _seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<PigState, InvalidValue> {
        Ok(PigState(spec.hold_at.iter().map(|&hold_at| (hold_at, 0, 0)).collect()))
    }

    fn plan(spec: &PigSpec, PigState(players): &PigState) -> Plan<PigGames> {
        let series =
            players.iter().map(|&(hold_at, ..)| Series::new(PigPlayer { hold_at }, spec.games));
        Plan { shared: (), series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(
        _: &PigSpec,
        mut state: PigState,
        tallies: &[PigTally],
        _: &GenerationSeed,
    ) -> Step<PigState> {
        for ((_, games, turns), tally) in state.0.iter_mut().zip(tallies) {
            *games += tally.games;
            *turns += tally.turns;
        }
        // All players left have played the same number of games.
        state.0.sort_by_key(|&(hold_at, _, turns)| (turns, hold_at));
        state.0.truncate(state.0.len().div_ceil(2));
        if state.0.len() == 1 { Step::Done(state) } else { Step::Continue(state) }
    }

    /// Returns the first game of the best player.
    fn best_trial(_spec: &PigSpec, latest: &PigState, begun: &PigState) -> Option<SubjectTrial> {
        let (best, ..) = latest.0[0];
        SubjectTrial::first_of(begun.0.iter().position(|&(hold_at, ..)| hold_at == best)?)
    }

    fn measures(_spec: &PigSpec, PigState(players): &PigState) -> Vec<Measure> {
        let (hold_at, games, turns) = players[0];
        vec![
            Measure::new("best_hold_at", "points", u64::from(hold_at)),
            Measure::new("mean_turns", "turns", turns as f64 / games.max(1) as f64),
        ]
    }

    fn findings(_spec: &PigSpec, state: &PigState, _: &RunHistory<'_>) -> Option<Findings> {
        Some(findings(state))
    }

    fn exhibits(_spec: &PigSpec, PigState(players): &PigState) -> Vec<Exhibit> {
        vec![player_columns(players).csv("players.csv")]
    }
}

/// Returns the findings. The state has sums, without a spread that intervals could be made from. So
/// turns are given as counts over the played games, not as estimates for other games.
fn findings(PigState(players): &PigState) -> Findings {
    let played: Vec<_> = players.iter().copied().filter(|(_, games, _)| *games != 0).collect();
    let (mut summary, mut key_facts) = (RichText::new("No games have been played yet."), vec![]);
    let mut sections = Vec::new();
    if let Some((hold_at, games, turns)) = played.first() {
        let points = counted(*hold_at, "point");
        let (games, turns) = (counted(*games, "game"), counted(*turns, "turn"));
        let so_far = if played.len() == 1 { "" } else { " so far" };
        summary = RichText::default()
            .strong(format!("The player that holds at {points} took the fewest turns{so_far}"))
            .plain(format!(": {turns} in {games}."));
        let note = format!("{turns} in {games}");
        key_facts = vec![KeyFact { name: "Hold at".to_owned(), value: points, note }];
        let table = player_columns(&played).block("Players that have not dropped out.");
        sections = vec![FindingSection::new("The players left", vec![table])];
    }
    let method = "A player plays Pig alone, until 100 points are banked. After each generation the \
                  slower half drops out. The best of several was partly lucky: in other games it \
                  may take more turns.";
    Findings {
        title: "Pig: at how many points should a turn end?".into(),
        summary,
        key_facts,
        sections,
        method: vec![FindingBlock::text(method)],
    }
}

/// Returns the columns of the table of players, each with its hold, its games and its turns.
fn player_columns(players: &[(u32, u64, u64)]) -> TableColumns<'_, (u32, u64, u64)> {
    DataTable::of(players)
        .count(("hold_at", "hold at, points"), |(hold_at, ..)| *hold_at)
        .count(("games", "games"), |(_, games, _)| *games)
        .count(("turns", "turns"), |(.., turns)| *turns)
}
