//! The worths of the pieces.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, words};
use hatchery_core::table::{DataTable, TableColumns};
use hatchery_core::text::joined;

use super::super::charts;
use super::super::pieces::{PieceWorth, PieceWorths};
use super::super::power::{CLEAR_WORTH, TestPower, WANTED_POWER};
use super::{MAX_ROWS, MatrixReport};
use crate::params::deck_param::MAX_DECKS;
use crate::studies::finding_parts::{piece_name, piece_words};

/// The most pieces in the chart: it shows the pieces with the largest worths.
const MAX_CHARTED: usize = 24;

impl MatrixReport<'_> {
    /// The worths of the pieces, the largest first.
    pub(super) fn pieces(&self) -> FindingSection {
        let heading = "Dominant pieces";
        let (worths, in_all_decks, alone_in_cost, power) = match &self.worths {
            PieceWorths::NotEstimated(reason) => {
                return FindingSection::new(
                    heading,
                    vec![FindingBlock::text(format!("Not tested: {reason}."))],
                );
            }
            PieceWorths::Estimated { worths, in_all_decks, alone_in_cost, power } => {
                (worths, in_all_decks, alone_in_cost, power)
            }
        };
        let [margin, rate] = [self.checked.spec.dominance_margin, self.checked.error_rate.get()];
        let [margin, rate] = [margin, rate].map(|share| libm::round(1e4 * share) / 1e2);
        let about = format!(
            "Worth: the change of a deck's mean score against the decks of this run, each counted \
             once, when the piece takes the place of a usual one of its cost, by a regression of \
             the scores of the decks on their pieces. Usual is what the line of worth by cost \
             through the other pieces says. Fair pieces scatter about that line, so a worth at a \
             cost that few others have is less sure. If one kind of deck is frequent, pieces that \
             beat it look strong. A piece is dominant if its worth is shown to be above {margin} \
             points, with a false discovery rate of {rate} %; of two pieces that are strong only \
             together, both can be."
        );
        let mut blocks = vec![FindingBlock::text(about), FindingBlock::Text(self.power(power))];
        let name = |&piece: &u32| piece_name(&self.checked.pool, piece);
        if !in_all_decks.is_empty() {
            blocks.push(FindingBlock::text(format!(
                "Not tested, because all decks have them: {}. Leave them out of some decks.",
                joined(in_all_decks.iter().map(name))
            )));
        }
        if let Some(piece) = alone_in_cost {
            blocks.push(FindingBlock::text(format!(
                "Not tested, because it alone has its cost and all others have the same: {}.",
                name(piece)
            )));
        }
        let charted = &worths[..worths.len().min(MAX_CHARTED)];
        let caption = format!(
            "Worths of the pieces, the largest first, {MAX_CHARTED} at most. The intervals account \
             for the number of pieces: a dominant piece is right of the line with its whole \
             interval, and no other piece is."
        );
        let chart = charts::worth_chart(self.checked, charted).picture();
        blocks.push(FindingBlock::figure("worths", chart, caption));
        let shown = &worths[..worths.len().min(MAX_ROWS)];
        blocks.push(self.worth_columns(shown).block(""));
        FindingSection::new(heading, blocks)
    }

    /// Returns what a test of this size finds, and the size that would do.
    fn power(&self, power: &TestPower) -> RichText {
        let percent = |share: f64| libm::round(100.0 * share);
        let worth = |beyond: f64| words::signed_points(self.checked.spec.dominance_margin + beyond);
        let TestPower { of_clear, named, decks } = *power;
        let (clear, wanted) = (worth(CLEAR_WORTH), percent(WANTED_POWER));
        let words = RichText::new(format!(
            "Power: a piece worth {clear} points is named in about {} of 100 runs like this, and \
             one worth {} points in {wanted}.",
            percent(of_clear),
            worth(named),
        ));
        let words = if WANTED_POWER <= of_clear {
            words
        } else {
            let more = match decks {
                Some(decks) => format!("{decks} decks of these pieces would do"),
                None => {
                    format!("{MAX_DECKS} decks of these pieces are too few: draw from fewer pieces")
                }
            };
            words
                .plain(" ")
                .strong("The run is too small")
                .plain(format!(" to find a piece worth {clear} points in {wanted} of 100: {more}."))
        };
        words
            .plain(" To measure a piece that is suspected, run ")
            .code("othellonia-impact")
            .plain(": it plays the same games with and without the piece, which takes seconds.")
    }

    fn worth_columns<'a>(&self, worths: &'a [PieceWorth]) -> TableColumns<'a, PieceWorth> {
        let dominant = |worth: &PieceWorth| match worth.is_dominant {
            true => RichText::default().strong("yes"),
            false => "no".into(),
        };
        let trial = |worth: &PieceWorth| {
            let decks = &self.checked.decks;
            self.trial_with(|deck| decks[deck].definition.pieces.contains(&worth.piece))
        };
        DataTable::on_page(worths)
            .text("Piece", |worth| piece_name(&self.checked.pool, worth.piece))
            .count("Decks", |worth| worth.n_decks)
            .words("Cost", |worth| worth.cost.to_string())
            .count("Others of its cost", |worth| worth.n_of_cost)
            .words("Worth, points", |worth| words::signed_points(worth.worth))
            .number("Standard error", 1, |worth| 100.0 * worth.error)
            .words("Adjusted p", |worth| words::p_value(worth.adjusted_p, 4))
            .text("Dominant", dominant)
            .text("What it is", |worth| piece_words(&self.checked.pool, worth.piece))
            .text("Trial", trial)
    }
}
