//! The simulation that the experiments share: a level is made or given, settles, and is played.

use std::ops::ControlFlow;

use hatchery_core::{SceneSink, Simulation, StreamRng, TrialContext, Work};

use super::results::{EvolutionRecord, LevelResult, LevelResults, PlayRecord, SettlingRecord};
use super::scene;
use super::settled_level::{EvolvedSettledLevel, SettledLevel};
use super::setup::{LevelSource, LevelTask, StudyRules};
use crate::players;

/// The part of a trial's stream that an evolution has.
const EVOLUTION_PART: u64 = 0;

/// The part of a trial's stream that a player has.
const PLAYER_PART: u64 = 1;

/// Levels that are evolved or given, and play-outs of these levels.
#[derive(Debug)]
pub struct BirdsLevels;

/// Returns the level of `task`, the record of its evolution and the time steps of that; breaks if
/// `context` does.
fn settled_level(
    rules: &StudyRules,
    task: &LevelTask,
    rng: &StreamRng,
    context: &TrialContext<'_>,
) -> ControlFlow<(), (SettledLevel, Option<EvolutionRecord>, u64)> {
    let stream = rng.part(EVOLUTION_PART);
    ControlFlow::Continue(match &task.source {
        LevelSource::Given(level) => (SettledLevel::new(level.clone(), &rules.physics), None, 0),
        LevelSource::Evolved(goal) => {
            let evolved = EvolvedSettledLevel::new(rules, *goal, &stream, context)?;
            (evolved.settled, Some(evolved.record), evolved.n_steps)
        }
    })
}

/// Runs a trial; breaks if `context` does.
fn result(
    rules: &StudyRules,
    task: &LevelTask,
    rng: &StreamRng,
    context: &TrialContext<'_>,
) -> ControlFlow<(), LevelResult> {
    let (settled, evolution, mut n_steps) = settled_level(rules, task, rng, context)?;
    let SettledLevel { level, world, settling } = settled;
    n_steps += u64::from(settling.n_steps);
    let mut play = None;
    if let Some(player) = &task.player {
        let n_birds = level.surroundings().birds.len();
        let mut pulse = context.pulse(n_birds as u64);
        let stream = &mut rng.part(PLAYER_PART);
        let playout = players::play_while(world, player, stream, || pulse.step())?;
        n_steps += u64::from(playout.result().n_steps);
        play = Some(PlayRecord::of(&playout, n_birds));
    }
    let n = |elements: usize| u32::try_from(elements).unwrap_or(u32::MAX);
    let per_second = u64::from(rules.physics.steps_per_second);
    ControlFlow::Continue(LevelResult {
        blocks: n(level.blocks().len()),
        pigs: n(level.pigs().len()),
        settled: SettlingRecord::of(&settling),
        evolution,
        play,
        simulated_ms: u32::try_from(1000 * n_steps / per_second).unwrap_or(u32::MAX),
        level: task.keeps_level.then_some(level),
    })
}

impl Simulation for BirdsLevels {
    type Shared = StudyRules;
    type Subject = LevelTask;
    type Tally = LevelResults;

    fn trial(
        rules: &StudyRules,
        task: &LevelTask,
        rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> LevelResults {
        let result = result(rules, task, &rng, context).continue_value();
        LevelResults { trials: result.into_iter().collect() }
    }

    fn work(results: &LevelResults) -> Vec<Work> {
        let sum = |of: fn(&LevelResult) -> u64| results.trials.iter().map(of).sum();
        vec![
            Work::new("evaluations", sum(LevelResult::n_evaluations)),
            Work::new("play-outs", sum(|result| u64::from(result.play.is_some()))),
            Work::new("simulated milliseconds", sum(|result| result.simulated_ms.into())),
        ]
    }

    /// Shows the level's play-out; without a player, the level after it has settled.
    fn replay(
        rules: &StudyRules,
        task: &LevelTask,
        rng: StreamRng,
        context: &TrialContext<'_>,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        let (settled, ..) = settled_level(rules, task, &rng, context)?;
        let shots = task.player.as_ref().map(|player| {
            let mut rng = rng.part(PLAYER_PART);
            players::play(settled.world.clone(), player, &mut rng).shots().to_vec()
        });
        scene::replay(&settled.level, settled.world, &shots.unwrap_or_default(), sink)
    }
}
