//! The state as a table of values separated by commas.

use super::summary::MatchSummary;
use crate::experiment::crosstable;

/// Returns each match as its first agent sees it.
pub(super) fn crosstable(summary: &MatchSummary<'_>) -> String {
    let mut lines = vec![format!("{},log_likelihood_ratio", crosstable::COLUMNS)];
    for (agents, pairing) in summary.matches() {
        let names = agents.map(|agent| summary.name(agent));
        let row = crosstable::row(names, &pairing.counts, summary.spec.error_rate);
        let llr = pairing.verdict(summary.checked).map(|verdict| format!("{:.4}", verdict.llr));
        lines.push(format!("{row},{}", llr.unwrap_or_default()));
    }
    lines.join("\n") + "\n"
}
