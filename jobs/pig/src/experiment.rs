//! The simulation: games of Pig, played alone. The experiment: compare players, drop the slower
//! half, repeat.

use std::ops::ControlFlow;

use hatchery_core::{
    Draws, Exhibit, Experiment, Frames, GenerationSeed, InvalidParam, Measure, Plan, Preset,
    Series, Simulation, Step, StreamRng, Work,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::game;
use crate::wire::{Player, Turns};

/// Games of Pig, each played alone.
#[derive(Debug)]
pub struct PigGames;

impl Simulation for PigGames {
    type Shared = ();
    type Subject = Player;
    type Tally = Turns;

    fn trial((): &(), player: &Player, mut rng: StreamRng) -> Turns {
        Turns { games: 1, turns: game(player.hold_at, &mut rng).count() as u64 }
    }

    fn work(tally: &Turns) -> Vec<Work> {
        vec![Work::new("games", tally.games), Work::new("turns", tally.turns)]
    }

    fn replay(
        (): &(),
        player: &Player,
        mut rng: StreamRng,
        frames: &mut Frames<'_>,
    ) -> ControlFlow<()> {
        game(player.hold_at, &mut rng).try_for_each(|sum| frames(&format!("{sum} points banked")))
    }
}

/// The number of points to hold at, found by halving.
#[derive(Debug)]
pub struct Pig;

/// What a person writes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Games per player and generation.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub games: u32,
    /// The players: the points that each holds at.
    #[schemars(length(min = 1, max = 100), inner(range(min = 1, max = 100)))]
    pub hold_at: Vec<u32>,
}

/// The players that are left, the best first, and their games so far.
#[derive(Debug, Serialize, Deserialize)]
pub struct State(Vec<(u32, u64, u64)>);

impl Experiment for Pig {
    const NAME: &'static str = "pig";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "a dice game: at how many points should a turn end?";
    const PRESETS: &'static [Preset] = &[
        Preset { name: "quick", text: include_str!("../specs/quick.toml") },
        Preset { name: "smoke", text: include_str!("../specs/smoke.toml") },
    ];

    type Simulation = PigGames;
    type Spec = Spec;
    type State = State;

    fn generations(spec: &Spec) -> u32 {
        // Halving a list of n entries down to one takes the number of bits of n - 1.
        (spec.hold_at.len() - 1).checked_ilog2().map_or(1, |log| log + 1)
    }

    fn begin(spec: &Spec, _seed: &GenerationSeed) -> Result<State, InvalidParam> {
        Ok(State(spec.hold_at.iter().map(|&hold_at| (hold_at, 0, 0)).collect()))
    }

    fn plan(spec: &Spec, State(players): &State) -> Plan<PigGames> {
        let series = players
            .iter()
            .map(|&(hold_at, ..)| Series { subject: Player { hold_at }, n_trials: spec.games });
        Plan { shared: (), series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(_: &Spec, mut state: State, tallies: Vec<Turns>, _: &GenerationSeed) -> Step<State> {
        for ((_, games, turns), tally) in state.0.iter_mut().zip(tallies) {
            *games += tally.games;
            *turns += tally.turns;
        }
        // All players left have played the same number of games.
        state.0.sort_by_key(|&(hold_at, _, turns)| (turns, hold_at));
        state.0.truncate(state.0.len().div_ceil(2));
        if state.0.len() == 1 { Step::Done(state) } else { Step::Continue(state) }
    }

    fn measures(_spec: &Spec, State(players): &State) -> Vec<Measure> {
        let (hold_at, games, turns) = players[0];
        vec![
            Measure::new("best_hold_at", "points", u64::from(hold_at)),
            Measure::new("mean_turns", "turns", turns as f64 / games.max(1) as f64),
        ]
    }

    fn exhibits(_spec: &Spec, State(players): &State) -> Vec<Exhibit> {
        let row = |(hold_at, games, turns): &_| format!("{hold_at},{games},{turns}\n");
        let rows: String = players.iter().map(row).collect();
        vec![Exhibit::new("players.csv", "text/csv", format!("hold_at,games,turns\n{rows}"))]
    }
}
