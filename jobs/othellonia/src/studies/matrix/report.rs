//! The findings of a state, and its exhibits: report, tables and pictures.

mod equilibrium;
mod games;
mod matchups;
mod summary;
mod worths;

use hatchery_core::findings::{FindingBlock, RichText};
use hatchery_core::text::counted;
use hatchery_core::{Exhibit, Findings, RunHistory, RunSeed};

use super::equilibrium::{DeckShare, deck_shares};
use super::pieces::{PieceWorths, piece_worths};
use super::spec::CheckedMatrix;
use super::state::MatrixState;
use super::table::{MatchupRow, matchup_rows, trial};
use super::{charts, table};
use crate::params::agent_param::CheckedAgent;

/// The most decks whose matrix and pieces are tables of the report.
const MAX_TABLE_DECKS: usize = 12;

/// The most rows of a table of the report: the others are in the CSV files.
const MAX_ROWS: usize = 60;

/// Returns what the decks show.
pub(super) fn findings(
    checked: &CheckedMatrix,
    state: &MatrixState,
    history: &RunHistory<'_>,
) -> Findings {
    let shares = deck_shares(checked, state);
    let worths = piece_worths(checked, state);
    MatrixReport { checked, state, shares, worths }.findings(history)
}

/// Returns the report, the tables and the pictures.
pub(super) fn exhibits(checked: &CheckedMatrix, state: &MatrixState) -> Vec<Exhibit> {
    let history = RunHistory { seed: &RunSeed::new("no history", 0), generations: &[] };
    let mut exhibits = findings(checked, state, &history).exhibits();
    let matchups: Vec<_> = matchup_rows(checked, state).flat_map(MatchupRow::both).collect();
    exhibits.push(table::matchups(&matchups, checked).csv("matrix.csv"));
    let pieces = checked.decks.iter().flat_map(|deck| table::deck_pieces(checked, deck));
    exhibits.push(table::pieces(&pieces.collect::<Vec<_>>(), checked).csv("decks.csv"));
    exhibits
}

/// A run as its findings see it.
struct MatrixReport<'a> {
    checked: &'a CheckedMatrix,
    state: &'a MatrixState,
    shares: Option<Vec<DeckShare>>,
    worths: PieceWorths,
}

impl MatrixReport<'_> {
    fn findings(&self, history: &RunHistory<'_>) -> Findings {
        let title = format!(
            "Which of {} beats which, played by the agent {}",
            counted(self.checked.decks.len(), "deck"),
            self.checked.spec.agent.text()
        );
        let mut sections = Vec::new();
        if self.state.looks != 0 {
            sections.push(self.matrix(history));
            sections.push(self.matchups());
            sections.extend(self.equilibrium());
            sections.push(self.pieces());
            sections.push(self.ends());
            sections.extend(self.decks());
        }
        Findings {
            title: title.into(),
            summary: self.summary(),
            key_facts: self.key_facts(),
            sections,
            method: vec![self.method()],
        }
    }

    fn name(&self, deck: usize) -> &str {
        &self.checked.decks[deck].name
    }

    /// Iterates over all match-ups.
    fn all_matchups(&self) -> impl Iterator<Item = MatchupRow<'_>> {
        matchup_rows(self.checked, self.state)
    }

    /// Iterates over the match-ups of two different decks.
    fn distinct_matchups(&self) -> impl Iterator<Item = MatchupRow<'_>> {
        self.all_matchups().filter(MatchupRow::is_distinct)
    }

    /// Returns the first pair of games in the first match-up between two different decks if one or
    /// both decks are `wanted`.
    fn trial_with(&self, wanted: impl Fn(usize) -> bool) -> Option<RichText> {
        let found = self.distinct_matchups().find(|row| row.decks.into_iter().any(&wanted))?;
        Some(trial(found.subject, 0))
    }

    /// Returns the picture with every score.
    fn matrix_figure(&self) -> FindingBlock {
        let chart = charts::matrix_chart(self.checked, self.state);
        let caption = "Score of the deck of the row against the deck of the column, in percent: \
                       wins and half of the draws. Blue decks win more than they lose. Hover a \
                       cell for its interval and a trial to replay.";
        FindingBlock::figure("matrix", chart.picture(), caption)
    }

    /// Returns true if the agent is a learned one.
    fn is_learned(&self) -> bool {
        matches!(self.checked.agent, CheckedAgent::Network(_))
    }
}

/// Returns what a column of trials is for.
fn about_trials() -> RichText {
    let about =
        RichText::new("A trial is a pair of games, which ").code("hatchery replay RUN TRIAL");
    about.plain(" shows. RUN is the run's folder, or its id on a farm.")
}
