//! The worths of the pieces.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};

use super::super::charts;
use super::super::pieces::{ComparedPieces, PieceWorth, PieceWorths};
use super::{MAX_ROWS, MatrixReport};
use crate::experiment::finding_parts::{listed, piece_name, piece_words, signed_points};

/// The most pieces of the chart: those of the largest worths.
const MAX_CHARTED: usize = 24;

impl MatrixReport<'_> {
    /// The worths of the pieces, the largest first.
    pub(super) fn pieces(&self) -> FindingSection {
        let heading = "Dominant pieces";
        let (worths, in_all_decks) = match &self.worths {
            PieceWorths::NotEstimated(reason) => {
                return FindingSection::new(
                    heading,
                    vec![FindingBlock::text(format!("Not tested: {reason}."))],
                );
            }
            PieceWorths::Estimated { worths, in_all_decks } => (worths, in_all_decks),
        };
        let [margin, rate] = [self.checked.dominance_margin, self.checked.error_rate.get()];
        let [margin, rate] = [margin, rate].map(|share| libm::round(1e4 * share) / 1e2);
        let about = format!(
            "Worth: the change of a deck's mean score against the decks of this run, each counted \
             once, when the piece takes the place of an average other one of its cost, by a \
             regression of the scores of the decks on their pieces. If one kind of deck is \
             frequent, pieces that beat it look strong. A worth compared with few pieces depends \
             mainly on those. A piece is dominant if its worth is shown to be above {margin} \
             points, with a false discovery rate of {rate} %; of two pieces that are strong only \
             together, both can be."
        );
        let mut blocks = vec![FindingBlock::text(about)];
        if !in_all_decks.is_empty() {
            let names = in_all_decks.iter().map(|&piece| piece_name(&self.checked.pool, piece));
            blocks.push(FindingBlock::text(format!(
                "Not tested, because all decks have them: {}. Leave them out of some decks.",
                listed(&names.collect::<Vec<_>>())
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
        let columns = vec![
            TableHead::text("Piece"),
            TableHead::number("Decks"),
            TableHead::text("Compared with"),
            TableHead::number("Worth, points"),
            TableHead::number("Standard error"),
            TableHead::number("Adjusted p"),
            TableHead::text("Dominant"),
            TableHead::text("What it is"),
            TableHead::text("Trial"),
        ];
        let rows = worths.iter().take(MAX_ROWS).map(|worth| self.worth_row(worth)).collect();
        blocks.push(FindingBlock::table("", columns, rows));
        FindingSection::new(heading, blocks)
    }

    fn worth_row(&self, worth: &PieceWorth) -> Vec<RichText> {
        let PieceWorth { piece, n_decks, compared, worth, error, adjusted_p, is_dominant, .. } =
            *worth;
        let compared = match compared {
            ComparedPieces::OfCost { n, cost } => format!("{n} of cost {cost}"),
            ComparedPieces::OfAnyCost(n) => format!("{n} of any cost"),
        };
        let has_it = |deck: usize| self.checked.decks[deck].definition.pieces.contains(&piece);
        let dominant = RichText::default();
        vec![
            piece_name(&self.checked.pool, piece).into(),
            n_decks.to_string().into(),
            compared.into(),
            signed_points(worth).into(),
            format!("{:.1}", 100.0 * error).into(),
            p_text(adjusted_p).into(),
            if is_dominant { dominant.strong("yes") } else { dominant.plain("no") },
            piece_words(&self.checked.pool, piece).into(),
            self.trial_with(has_it),
        ]
    }
}

fn p_text(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}
