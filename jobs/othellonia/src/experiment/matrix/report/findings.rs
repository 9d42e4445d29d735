//! The findings at the top of the report.

use std::fmt::Write as _;

use hatchery_core::text::TAKES_ALL;

use super::super::measures::first_points;
use super::super::pieces::PieceWorths;
use super::super::state::first_score;
use super::super::table;
use super::{MatrixReport, interval};

/// The part of samples of the scores in which a deck is played if it belongs to the equilibrium.
const MOST_SAMPLES: f64 = 0.5;

impl MatrixReport<'_> {
    /// Says what a balance planner asks first.
    pub(super) fn findings(&self) -> String {
        let mut text = "## Findings\n\n".to_owned();
        let lines = [self.dominant(), self.uneven(), self.played(), self.first_player()];
        for line in lines.into_iter().flatten() {
            writeln!(text, "- {line}").expect(TAKES_ALL);
        }
        text
    }

    fn dominant(&self) -> Option<String> {
        let found = match &self.worths {
            PieceWorths::NotEstimated(reason) => format!("not tested: {reason}"),
            PieceWorths::Estimated { worths, .. } => {
                let named = worths.iter().filter(|it| it.is_dominant);
                let names: Vec<_> =
                    named.map(|it| table::piece_name(self.checked, it.piece)).collect();
                if names.is_empty() { "none found".to_owned() } else { names.join(", ") }
            }
        };
        Some(format!("dominant pieces: {found}"))
    }

    fn uneven(&self) -> Option<String> {
        let (mut n_uneven, mut n, mut widths) = (0, 0, Vec::new());
        for (_, _, matchup) in self.distinct_matchups() {
            let score = matchup.score(self.checked)?.interval;
            n_uneven += u32::from(score.high < 0.5 || 0.5 < score.low);
            n += 1;
            widths.push(50.0 * (score.high - score.low));
        }
        widths.sort_by(f64::total_cmp);
        let width = widths.get(widths.len() / 2)?;
        let by_chance = f64::from(n) * self.checked.error_rate.get();
        Some(format!(
            "match-ups shown to be uneven: {n_uneven} of {n}, where about {by_chance:.1} would be \
             by chance if all were even; the others may be uneven as well: half of the intervals \
             reach {width:.1} points or more to each side"
        ))
    }

    fn played(&self) -> Option<String> {
        let shares = self.shares.as_ref()?.iter().enumerate();
        let played = shares.filter(|(_, it)| MOST_SAMPLES < it.is_played);
        let played: Vec<_> = played
            .map(|(deck, it)| {
                format!("{} {:.2} ({:.2} to {:.2})", self.name(deck), it.share, it.low, it.high)
            })
            .collect();
        let is_uneven = self.distinct_matchups().any(|(_, _, matchup)| {
            let score = matchup.score(self.checked).map(|score| score.interval);
            score.is_some_and(|score| score.high < 0.5 || 0.5 < score.low)
        });
        Some(match played.as_slice() {
            _ if !is_uneven => {
                "equilibrium: no match-up is shown to be uneven, so the shares of decks are chance"
                    .to_owned()
            }
            [] => "decks played in most samples of the equilibrium: none".to_owned(),
            played => format!(
                "decks played in most samples of the equilibrium, with their shares: {}",
                played.join(", ")
            ),
        })
    }

    fn first_player(&self) -> Option<String> {
        let score = first_score(&first_points(self.state), self.checked)?;
        let score = interval(score.interval);
        Some(format!(
            "score of the player who places first: {score}; `hatchery replay RUN 0/0/0` is a pair \
             of games"
        ))
    }
}
