//! The matches as a table, in the file and in the findings.

use hatchery_core::table::TableColumns;

use super::state::PairingState;
use super::summary::MatchSummary;
use crate::experiment::crosstable::{self, MatchRow};

/// Returns a row for each match.
pub(super) fn match_rows<'a>(summary: &MatchSummary<'a>) -> Vec<MatchRow<'a>> {
    let row = |(subject, (agents, pairing)): (usize, ([usize; 2], &'a PairingState))| MatchRow {
        subject,
        names: agents.map(|agent| summary.name(agent).to_owned()),
        counts: &pairing.counts,
        strength: summary.strength(pairing),
    };
    summary.matches().enumerate().map(row).collect()
}

/// Returns the columns of matches, with their log-likelihood ratios.
pub(super) fn crosstable<'a>(
    summary: &MatchSummary<'_>,
    rows: &'a [MatchRow<'a>],
) -> TableColumns<'a, MatchRow<'a>> {
    let verdict = |row: &MatchRow<'_>| summary.state.pairings[row.subject].verdict(summary.checked);
    crosstable::columns(rows).number("log_likelihood_ratio", 4, |row| Some(verdict(row)?.llr))
}
