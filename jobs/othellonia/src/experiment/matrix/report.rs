//! The exhibits of a state: report, tables and picture.

mod findings;
mod games;
mod matchups;
mod worths;

use hatchery_core::{Exhibit, IntervalEstimate};

use crate::experiment::agent_param::CheckedAgent;

use super::equilibrium::{DeckShare, deck_shares};
use super::pieces::{PieceWorths, piece_worths};
use super::spec::{CheckedMatrix, MatrixSpec};
use super::state::{MatchupState, MatrixState};
use super::{charts, table};

/// The most decks whose matrix and pieces are tables of the report.
const MAX_TABLE_DECKS: usize = 12;

/// The most rows of a table of the report: the others are in the CSV files.
const MAX_ROWS: usize = 60;

/// Returns the report, the tables and the picture.
pub(super) fn exhibits(spec: &MatrixSpec, state: &MatrixState) -> Vec<Exhibit> {
    let checked = spec.checked();
    let shares = deck_shares(&checked, state);
    let worths = piece_worths(&checked, state);
    let report = MatrixReport { spec, checked: &checked, state, shares, worths };
    let mut exhibits = vec![
        Exhibit::new("report.md", "text/markdown", report.text()),
        Exhibit::new("matrix.csv", "text/csv", table::matrix_csv(&checked, state)),
        Exhibit::new("decks.csv", "text/csv", table::decks_csv(&checked)),
    ];
    if state.looks != 0 {
        let picture = charts::matrix_svg(&checked, state);
        exhibits.push(Exhibit::new("matrix.svg", "image/svg+xml", picture));
    }
    exhibits
}

struct MatrixReport<'a> {
    spec: &'a MatrixSpec,
    checked: &'a CheckedMatrix,
    state: &'a MatrixState,
    shares: Option<Vec<DeckShare>>,
    worths: PieceWorths,
}

impl MatrixReport<'_> {
    fn text(&self) -> String {
        if self.state.looks == 0 {
            return format!("{}No game has been played yet.\n", self.heading());
        }
        let sections = [
            self.heading(),
            self.findings(),
            self.matrix(),
            self.matchups(),
            self.equilibrium(),
            self.pieces(),
            self.ends(),
            self.decks(),
        ];
        sections.into_iter().filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n")
    }

    fn heading(&self) -> String {
        let spec = self.spec;
        let percent = libm::round(1e6 * (1.0 - self.checked.error_rate.get())) / 1e4;
        let (looks, together) = match spec.looks {
            1 => (String::new(), ""),
            looks => {
                let text = format!(
                    " at each look, up to {looks} looks; a match-up whose interval excludes one \
                     half is settled and not played on, so its score is biased away from one half"
                );
                (text, ", for all looks together")
            }
        };
        let known = match self.checked.agent {
            CheckedAgent::Rule(_) => "agents know both hands and decks",
            CheckedAgent::Network(_) => "it knows the hands and decks that its file says",
        };
        format!(
            "# Othellonia: decks against decks\n\n\
             - {} decks, all played by the agent {}; {known}, but not the order of draws\n\
             - {} pairs of games of each match-up{looks}; a pair is two games with the same \
             shuffles, in which each deck places first once\n\
             - a score is wins and half of the draws; intervals hold with {percent} %{together}\n\
             - the pieces of the decks are in `decks.csv`\n",
            self.checked.decks.len(),
            spec.agent.text(),
            spec.pairs,
        )
    }

    fn name(&self, deck: usize) -> &str {
        &self.checked.decks[deck].name
    }

    /// Iterates over all match-ups with their subject and decks.
    fn all_matchups(&self) -> impl Iterator<Item = (usize, [usize; 2], &MatchupState)> {
        let matchups = self.checked.matchups.iter().zip(&self.state.matchups).enumerate();
        matchups.map(|(subject, (&decks, matchup))| (subject, decks, matchup))
    }

    /// Returns the command that replays a pair of games of the first match-up of two different
    /// decks one of which is `wanted`.
    fn replay_with(&self, wanted: impl Fn(usize) -> bool) -> String {
        let found = self.distinct_matchups().find(|(_, [a, b], _)| wanted(*a) || wanted(*b));
        found.map_or_else(
            || "-".to_owned(),
            |(subject, ..)| format!("`hatchery replay RUN 0/{subject}/0`"),
        )
    }

    /// Iterates over the match-ups of two different decks.
    fn distinct_matchups(&self) -> impl Iterator<Item = (usize, [usize; 2], &MatchupState)> {
        self.all_matchups().filter(|(_, [a, b], _)| a != b)
    }
}

fn interval(it: IntervalEstimate) -> String {
    format!("{:.3} ({:.3} to {:.3})", it.mean, it.low, it.high)
}
