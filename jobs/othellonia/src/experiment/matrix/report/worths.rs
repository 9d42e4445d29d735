//! The worths of pieces in the report.

use std::fmt::Write as _;

use hatchery_core::text::TAKES_ALL;

use super::super::pieces::{ComparedPieces, PieceWorth, PieceWorths};
use super::super::table;
use super::{MAX_ROWS, MatrixReport};

impl MatrixReport<'_> {
    /// The worths of the pieces, the largest first.
    pub(super) fn pieces(&self) -> String {
        let mut text = "## Dominant pieces\n\n".to_owned();
        let (worths, in_all_decks) = match &self.worths {
            PieceWorths::NotEstimated(reason) => {
                writeln!(text, "Not tested: {reason}.").expect(TAKES_ALL);
                return text;
            }
            PieceWorths::Estimated { worths, in_all_decks } => (worths, in_all_decks),
        };
        writeln!(
            text,
            "Worth: the change of a deck's mean score against the decks of this run, each counted \
             once, when the piece takes the place of an average other one of its cost, by a \
             regression of the scores of the decks on their pieces. If one kind of deck is \
             frequent, pieces that beat it look strong. A worth compared with few pieces depends \
             mainly on those. A piece is dominant if its worth is shown to be above {}, with a \
             false discovery rate of {}; of two pieces that are strong only together, both can \
             be.\n",
            self.checked.dominance_margin,
            self.checked.error_rate.get(),
        )
        .expect(TAKES_ALL);
        if !in_all_decks.is_empty() {
            let names: Vec<_> =
                in_all_decks.iter().map(|&piece| table::piece_name(self.checked, piece)).collect();
            writeln!(
                text,
                "Not tested, because all decks have them: {}. Leave them out of some decks.\n",
                names.join(", ")
            )
            .expect(TAKES_ALL);
        }
        text.push_str(
            "| piece | decks | compared with | worth | standard error | adjusted p | dominant | \
             what it is | replay |\n|---|---|---|---|---|---|---|---|---|\n",
        );
        for worth in worths.iter().take(MAX_ROWS) {
            let PieceWorth { piece, n_decks, compared, worth, error, adjusted_p, is_dominant } =
                *worth;
            let compared = match compared {
                ComparedPieces::OfCost { n, cost } => format!("{n} of cost {cost}"),
                ComparedPieces::OfAnyCost(n) => format!("{n} of any cost"),
            };
            writeln!(
                text,
                "| {} | {n_decks} | {compared} | {worth:+.3} | {error:.3} | {} | {} | {} | {} |",
                table::piece_name(self.checked, piece),
                p_text(adjusted_p),
                if is_dominant { "**yes**" } else { "no" },
                table::piece_text(self.checked, piece),
                self.replay_with(|deck| {
                    self.checked.decks[deck].definition.pieces.contains(&piece)
                }),
            )
            .expect(TAKES_ALL);
        }
        text
    }
}

fn p_text(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}
