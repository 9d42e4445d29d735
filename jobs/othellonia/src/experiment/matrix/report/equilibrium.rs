//! The decks that would be played.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_core::text::grouped;

use super::super::equilibrium::{DeckShare, RESAMPLES};
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
        let mut order: Vec<usize> = (0..shares.len()).collect();
        order.sort_by(|&a, &b| {
            let [a, b] = [a, b].map(|deck| (shares[deck].share, shares[deck].is_played));
            b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
        });
        let n_played = shares.iter().filter(|it| 0.0 < it.share || 0.0 < it.is_played).count();
        let row = |deck: usize| {
            let DeckShare { share, low, high, is_played } = shares[deck];
            let [share, low, high] = [share, low, high].map(|share| 100.0 * share);
            let score = means.get(deck).copied().unwrap_or_default();
            vec![
                self.name(deck).into(),
                RichText::new(format!("{share:.1} %")).soft(format!(" ({low:.1} to {high:.1})")),
                format!("{:.0} %", 100.0 * is_played).into(),
                format!("{:.1} %", 100.0 * score).into(),
                self.trial_with(|other| other == deck),
            ]
        };
        let columns = vec![
            TableHead::text("Deck"),
            TableHead::number("Share"),
            TableHead::number("Played in samples"),
            TableHead::number("Mean score against the others"),
            TableHead::text("Trial"),
        ];
        let rows = order.into_iter().take(n_played).map(row).collect();
        let mut blocks = vec![FindingBlock::text(about)];
        blocks.extend(self.played().map(FindingBlock::text));
        blocks.push(FindingBlock::table("", columns, rows));
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
