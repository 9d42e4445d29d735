//! The simulation that the experiments share: pairs of games between two agents.

use std::ops::ControlFlow;

use hatchery_core::{SceneSink, SceneWriter, Simulation, StreamRng, TrialContext, Work};

use super::export::GameExport;
use super::judge::NaturalnessJudge;
use super::play::{NoWatcher, play_trial};
use super::results::MatchResults;
use super::scene::{self, SceneWatcher};
use super::setup::MatchSetup;
use crate::rules::BoardBackend;

/// Games of Othello between two agents.
#[derive(Debug)]
pub struct OthelloGames;

impl Simulation for OthelloGames {
    type Shared = ();
    type Subject = MatchSetup;
    type Tally = MatchResults;

    /// Plays the pairs of games of a trial.
    fn trial(
        (): &(),
        setup: &MatchSetup,
        rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> MatchResults {
        let backend = BoardBackend::fastest();
        let Some(settings) = &setup.judge else {
            return play_trial(setup, backend, &rng, &mut NoWatcher, context);
        };
        let mut judge = NaturalnessJudge::new(settings, setup, backend);
        let results = play_trial(setup, backend, &rng, &mut judge, context);
        MatchResults { naturalness: judge.into_record().into_iter().collect(), ..results }
    }

    fn work(results: &MatchResults) -> Vec<Work> {
        let sum = |part: fn(&crate::players::SearchEffort) -> u64| {
            results.efforts.iter().map(part).fold(0, u64::saturating_add)
        };
        vec![
            Work::new("games", 2 * results.pairs.len() as u64),
            Work::new("searches", sum(|effort| effort.searches)),
            Work::new("playouts", sum(|effort| effort.playouts)),
        ]
    }

    /// Shows the games of a trial: a frame for each opening and for each move.
    fn replay(
        (): &(),
        setup: &MatchSetup,
        rng: StreamRng,
        context: &TrialContext<'_>,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        let scene = SceneWriter::begin(sink, &scene::base())?;
        let mut watcher = SceneWatcher::new(scene, setup);
        play_trial(setup, BoardBackend::fastest(), &rng, &mut watcher, context);
        watcher.flow()
    }

    /// Returns the games of a trial in GGF, each on a line.
    fn export(
        (): &(),
        setup: &MatchSetup,
        rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> Option<String> {
        let mut games = GameExport::new(setup);
        play_trial(setup, BoardBackend::fastest(), &rng, &mut games, context);
        Some(games.text())
    }
}
