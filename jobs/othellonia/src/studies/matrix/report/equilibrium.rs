//! The decks that would be played.

use hatchery_core::DataTable;
use hatchery_core::findings::{FindingBlock, FindingSection, words};
use hatchery_core::text::grouped;
use hatchery_figures::Quantity;

use super::super::equilibrium::RESAMPLES;
use super::super::pieces::mean_scores;
use super::MatrixReport;

impl MatrixReport<'_> {
    /// The decks that have a share of the equilibrium.
    pub(super) fn equilibrium(&self) -> Option<FindingSection> {
        let shares = self.shares.as_ref()?;
        let means = mean_scores(self.checked, self.state).unwrap_or_default();
        let about = format!(
            "The mixture of decks against which no deck wins more than half of the points (Nash \
             equilibrium of the matrix, the most even one). Shares depend much on small \
             differences: the interval, which always has the share itself, and the part of samples \
             come from {RESAMPLES} samples of the scores within their errors. A deck that is \
             played in most samples belongs to the environment. A circle of decks that beat each \
             other has shares for all of them, and is no fault of balance."
        );
        let mut order: Vec<_> = shares.iter().enumerate().collect();
        order.sort_by(|(_, a), (_, b)| {
            b.share.total_cmp(&a.share).then(b.is_played.total_cmp(&a.is_played))
        });
        let n_played = shares.iter().filter(|it| 0.0 < it.share || 0.0 < it.is_played).count();
        let table = DataTable::on_page(&order[..n_played])
            .text("Deck", |&(deck, _)| self.name(deck))
            .share("Share", 1, |(_, it)| Quantity::estimate(it.share, [it.low, it.high]))
            .words("Played in samples", |(_, it)| words::percent(it.is_played, 0))
            .words("Mean score against the others", |&(deck, _)| {
                words::percent(means.get(deck).copied().unwrap_or_default(), 1)
            })
            .text("Trial", |&(deck, _)| self.trial_with(|other| other == deck));
        let mut blocks = vec![FindingBlock::text(about)];
        blocks.extend(self.played().map(FindingBlock::text));
        blocks.push(table.block(""));
        match shares.len() - n_played {
            0 => {}
            1 => blocks.push(FindingBlock::text("One more deck is played in no sample.")),
            n => {
                let n = grouped(n);
                blocks.push(FindingBlock::text(format!("{n} more decks are played in no sample.")));
            }
        }
        Some(FindingSection::new("Equilibrium", blocks))
    }
}
