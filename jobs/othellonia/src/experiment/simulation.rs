//! The simulation that the experiments share: pairs of games between two decks.

use std::ops::ControlFlow;

use hatchery_core::{SceneSink, SceneWriter, Simulation, StreamRng, TrialContext, Work};

use super::scene::{self, SceneWatcher};
use crate::play::{play_pair, watch_pair};
use crate::results::DeckMatchResults;
use crate::setup::MatchSetup;

/// Games between two decks.
#[derive(Debug)]
pub struct OthelloniaGames;

impl Simulation for OthelloniaGames {
    type Shared = ();
    type Subject = MatchSetup;
    type Tally = DeckMatchResults;

    /// Plays two games with the same shuffles: in one the deck of A places first, in the other
    /// that of B.
    fn trial(
        (): &(),
        setup: &MatchSetup,
        rng: StreamRng,
        _context: &TrialContext<'_>,
    ) -> DeckMatchResults {
        play_pair(setup, rng)
    }

    fn work(results: &DeckMatchResults) -> Vec<Work> {
        vec![
            Work::new("games", results.sums.games),
            Work::new("placements", results.sums.placements),
        ]
    }

    /// Shows the games of a trial: a frame for each start and for each placement.
    fn replay(
        (): &(),
        setup: &MatchSetup,
        rng: StreamRng,
        _context: &TrialContext<'_>,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        let scene = SceneWriter::begin(sink, &scene::base())?;
        let mut watcher = SceneWatcher::new(scene);
        watch_pair(setup, rng, &mut watcher);
        watcher.flow()
    }
}
