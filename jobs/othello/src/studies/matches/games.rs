//! `games.ggf`: every match's first games, or all.

use super::spec::CheckedMatch;
use super::state::{MatchState, StoredPair};
use crate::record::ggf::{self, GgfGame};
use crate::record::{RecordedGame, transcript};
use crate::rules::Position;

/// Returns every match's kept games as lines of GGF.
pub(super) fn games(checked: &CheckedMatch, state: &MatchState) -> String {
    let mut text = String::new();
    for (agents, pairing) in checked.pairings.iter().zip(&state.pairings) {
        let [first, second] = agents.map(|agent| checked.spec.agents[agent].name());
        for pair in &pairing.games {
            for (game, [black, white]) in
                pair.read().into_iter().zip([[first, second], [second, first]])
            {
                let game = GgfGame::new(game).with_players([black, white]);
                text.push_str(&ggf::write(&[game]));
            }
        }
    }
    text
}

impl StoredPair {
    /// Returns the two games, or none if the text is not what this build writes.
    fn read(&self) -> Vec<RecordedGame> {
        let Ok(start) = self.start.parse::<Position>() else { return Vec::new() };
        let games = self.games.iter().map(|moves| transcript::read(moves.as_bytes(), start));
        games.collect::<Result<_, _>>().unwrap_or_default()
    }
}
