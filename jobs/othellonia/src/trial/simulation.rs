//! The simulation that the experiments share: pairs of games between two decks, and learning.

use std::ops::ControlFlow;

use hatchery_core::{
    SceneBase, SceneSink, SceneWriter, Simulation, StreamRng, SubjectStreams, TrialContext, Work,
};

use super::play::{ReadyAgents, play_pair, watch_pair};
use super::results::{LossPoint, RecordedGames, ReplayUse, TrainingResult, TrialResults};
use super::scene::{self, SceneWatcher};
use super::setup::{DeckTable, TrialSetup};
use super::training;

/// Games between two decks, and learning from them.
#[derive(Debug)]
pub struct OthelloniaGames;

impl Simulation for OthelloniaGames {
    type Shared = DeckTable;
    type Subject = TrialSetup;
    type Tally = TrialResults;

    /// Plays two games with the same shuffles: in one the deck of A places first, in the other
    /// that of B. Or plays and records several such pairs, or takes steps of training.
    fn trial(
        decks: &DeckTable,
        setup: &TrialSetup,
        rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> TrialResults {
        run(decks, setup, &mut std::iter::once(rng), context)
    }

    /// Makes every subject's agents ready once.
    fn trials(
        decks: &DeckTable,
        batch: Vec<SubjectStreams<'_, TrialSetup>>,
        context: &TrialContext<'_>,
    ) -> Vec<TrialResults> {
        let batch = batch.into_iter();
        batch
            .map(|SubjectStreams { subject, streams }| run(decks, subject, streams, context))
            .collect()
    }

    fn work(results: &TrialResults) -> Vec<Work> {
        let TrialResults { games, recorded, trained } = results;
        let played = trained.iter().filter_map(|it| it.replay.as_ref()?.played.as_ref());
        let recorded: Vec<_> = recorded.iter().chain(played).collect();
        let recorded_games: u64 = recorded.iter().map(|it| it.games).sum();
        let recorded_placements: u64 = recorded.iter().map(|it| it.placements).sum();
        vec![
            Work::new("games", games.sums.games + recorded_games),
            Work::new("placements", games.sums.placements + recorded_placements),
            Work::new("learning steps", trained.iter().map(|it| it.steps).sum()),
        ]
    }

    /// Shows the games of a trial: a frame for each start and for each placement. Recorded games
    /// and training are only summed up.
    fn replay(
        decks: &DeckTable,
        setup: &TrialSetup,
        rng: StreamRng,
        context: &TrialContext<'_>,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        match setup {
            TrialSetup::Games(setup) => {
                let scene = SceneWriter::begin(sink, &scene::base())?;
                let mut watcher = SceneWatcher::new(scene);
                let mut agents = ReadyAgents::prepare(decks, setup, context);
                watch_pair(decks, setup, &mut agents, rng, &mut watcher);
                watcher.flow()
            }
            TrialSetup::Record(setup) => {
                let mut scene = SceneWriter::begin(sink, &SceneBase::captions())?;
                match training::record(decks, setup, &rng, context) {
                    Some(it) => scene.say(format!(
                        "{} recorded games with {} placements",
                        it.games, it.placements
                    )),
                    None => ControlFlow::Break(()),
                }
            }
            TrialSetup::Train(setup) => {
                let scene = SceneWriter::begin(sink, &SceneBase::captions())?;
                match training::learn(decks, setup, &rng, context) {
                    Some(result) => tell(&result, scene),
                    None => ControlFlow::Break(()),
                }
            }
        }
    }
}

/// Describes the losses in training, the use of games, and the end of training.
fn tell(result: &TrainingResult, mut scene: SceneWriter<'_>) -> ControlFlow<()> {
    let mut done = 0;
    for point in &result.curve {
        let LossPoint { steps, rows, loss_sum: _ } = point;
        done += steps;
        scene.say(format!("step {done}: mean loss {:.4} of {rows} rows", point.mean_loss()))?;
    }
    if let Some(replay) = &result.replay {
        let ReplayUse { played, results: [losses, draws, wins], items, drawn, .. } = replay;
        if let Some(RecordedGames { games, .. }) = played {
            let results = format!("{wins} won, {draws} drawn and {losses} lost");
            scene.say(format!("{games} games between its steps: {results}"))?;
        }
        let age = replay.mean_age();
        scene.say(format!("{drawn} of {items} decisions drawn, each {age:.0} decisions old"))?;
    }
    scene.say(match &result.failure {
        Some(failure) => format!("ended early: {failure}"),
        None => format!("{} steps", result.steps),
    })
}

/// Runs a subject's trials.
fn run(
    decks: &DeckTable,
    setup: &TrialSetup,
    streams: &mut dyn Iterator<Item = StreamRng>,
    context: &TrialContext<'_>,
) -> TrialResults {
    let mut results = TrialResults::default();
    match setup {
        TrialSetup::Games(setup) => {
            let mut agents = ReadyAgents::prepare(decks, setup, context);
            for rng in streams {
                results.games.absorb(play_pair(decks, setup, &mut agents, rng));
            }
        }
        TrialSetup::Record(setup) => {
            let trials = streams.map(|rng| training::record(decks, setup, &rng, context));
            results.recorded.extend(trials.map_while(|recorded| recorded));
        }
        TrialSetup::Train(setup) => {
            let trials = streams.map(|rng| training::learn(decks, setup, &rng, context));
            results.trained.extend(trials.map_while(|task| task));
        }
    }
    results
}
