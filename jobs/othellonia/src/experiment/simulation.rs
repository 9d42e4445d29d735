//! The simulation that the experiments share: pairs of games between two decks.

use std::ops::ControlFlow;

use hatchery_core::{SceneSink, SceneWriter, Simulation, StreamRng, TrialContext, Work};

use super::scene::{self, SceneWatcher};
use crate::play::{ReadyAgents, play_pair, watch_pair};
use crate::results::TrialResults;
use crate::setup::{DeckTable, TrialSetup};

/// Games between two decks.
#[derive(Debug)]
pub struct OthelloniaGames;

impl Simulation for OthelloniaGames {
    type Shared = DeckTable;
    type Subject = TrialSetup;
    type Tally = TrialResults;

    /// Plays two games with the same shuffles: in one the deck of A places first, in the other
    /// that of B.
    fn trial(
        decks: &DeckTable,
        setup: &TrialSetup,
        rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> TrialResults {
        Self::trials(decks, setup, std::iter::once(rng), context)
    }

    /// Makes the agents ready once.
    fn trials(
        decks: &DeckTable,
        setup: &TrialSetup,
        streams: impl Iterator<Item = StreamRng>,
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
        }
        results
    }

    fn work(results: &TrialResults) -> Vec<Work> {
        let TrialResults { games } = results;
        vec![Work::new("games", games.sums.games), Work::new("placements", games.sums.placements)]
    }

    /// Shows the games of a trial: a frame for each start and for each placement.
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
        }
    }
}
