//! Decks that are made from a run's decks.

use std::collections::BTreeSet;

use hatchery_core::RunSeed;

use super::spec::CheckedLogs;
use super::state::LogsState;
use crate::mining::{MinedDecks, MiningError, MiningSettings, UsedDeck, mine_decks};
use crate::pool::CostCap;

/// The fewest decks, each with other pieces: three for each deck that is made for evaluation. It is
/// our own choice: the paper has the decks of many players.
const MIN_DECKS: usize = 12;

/// The decks of a run with their results, and the decks that are made from them.
#[derive(Debug)]
pub(super) struct MinedLogs {
    /// The decks of the run, in their order, with the games against other decks by all agents.
    pub(super) used: Vec<UsedDeck>,
    /// The decks that are made from the run's decks.
    pub(super) decks: Result<MinedDecks, MinedLogsError>,
}

/// A reason why no decks are made from a run's decks.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum MinedLogsError {
    /// A deck has no games against other decks.
    #[error("no games of deck {name} against other decks")]
    NoGames {
        /// The name of the deck.
        name: String,
    },
    /// There are too few decks.
    #[error("{found} decks with different pieces, but {MIN_DECKS} or more are needed")]
    FewDecks {
        /// The number of decks.
        found: usize,
    },
    /// The decks cannot be mined.
    #[error(transparent)]
    Mining(#[from] MiningError),
}

impl MinedLogs {
    /// Returns what is made of the decks of a run. The same spec and state give the same decks.
    pub(super) fn of(checked: &CheckedLogs, state: &LogsState) -> Self {
        let used = used_decks(checked, state);
        let decks = mined_decks(checked, &used);
        Self { used, decks }
    }
}

/// Returns the decks with their results against other decks, over all agents.
///
/// In the match-up of two decks, each of the agents has played each deck, so that an advantage of
/// agents cancels out.
fn used_decks(checked: &CheckedLogs, state: &LogsState) -> Vec<UsedDeck> {
    let mut results = vec![[0_u64; 2]; checked.decks.len()];
    for (series, games) in checked.series.iter().zip(&state.series) {
        let [a, b] = series.decks;
        if a == b {
            continue;
        }
        let [losses, draws, wins] = games.counts.games();
        let n_games = losses + draws + wins;
        for (deck, won) in [(a, wins), (b, losses)] {
            results[deck][0] += won;
            results[deck][1] += n_games;
        }
    }
    let used = |(deck, counts): (usize, [u64; 2])| {
        // Runs have at most 200,000 games; a worker with a defect may send more.
        let [wins, games] = counts.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        UsedDeck { definition: checked.decks[deck].definition.clone(), wins, games }
    };
    results.into_iter().enumerate().map(used).collect()
}

fn mined_decks(checked: &CheckedLogs, used: &[UsedDeck]) -> Result<MinedDecks, MinedLogsError> {
    let pieces = |deck: &UsedDeck| deck.definition.pieces.iter().copied().collect();
    let different: BTreeSet<BTreeSet<u32>> = used.iter().map(pieces).collect();
    if different.len() < MIN_DECKS {
        return Err(MinedLogsError::FewDecks { found: different.len() });
    }
    if let Some(deck) = used.iter().position(|deck| deck.games == 0) {
        return Err(MinedLogsError::NoGames { name: checked.decks[deck].name.clone() });
    }
    let settings =
        MiningSettings { cost_cap: CostCap(checked.spec.cost_cap), ..MiningSettings::default() };
    // Draws of training decks alone depend on it: the same decks and results give the same ones.
    let seed = RunSeed::new("othellonia-mined-decks", checked.spec.pool.seed).generation(0);
    Ok(mine_decks(used, &checked.pool, &settings, &mut seed.stream("training"))?)
}
