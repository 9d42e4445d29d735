//! What a balance planner asks first, and what was done.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::{FindingBlock, KeyFact, RichText, words};
use hatchery_core::text::{counted, grouped, joined};

use super::super::measures::{first_points, uneven_matchups};
use super::super::pieces::PieceWorths;
use super::super::power::{CLEAR_WORTH, WANTED_POWER};
use super::super::state::first_score;
use super::super::table::{MatchupRow, turned};
use super::MatrixReport;
use crate::studies::finding_parts::piece_name;

/// A deck belongs to the equilibrium if it is played in more than this share of the score samples.
const MOST_SAMPLES: f64 = 0.5;

impl MatrixReport<'_> {
    pub(super) fn summary(&self) -> RichText {
        if self.state.looks == 0 {
            return "No game has been played yet.".into();
        }
        let (n_uneven, n) = uneven_matchups(self.checked, self.state);
        let words = RichText::default().strong(match n_uneven {
            0 => format!("None of {} is shown to be uneven", counted(n, "match-up")),
            n_uneven => format!("{} of {}", grouped(n_uneven), counted(n, "match-up")),
        });
        let words = match n_uneven {
            0 => words.plain("."),
            1 => words.plain(" is shown to be uneven."),
            _ => words.plain(" are shown to be uneven."),
        };
        let words = match self.most_uneven() {
            Some(([winner, loser], score)) if 0 < n_uneven => words
                .plain(format!(" Most of all, {winner} beats {loser} with a score of "))
                .join(RichText::percent(score))
                .plain("."),
            _ => words,
        };
        let words = match self.checked.spec.agent.caveat() {
            Some(caveat) => words.plain(" ").plain(caveat),
            None => words,
        };
        words.plain(" ").join(self.dominant())
    }

    /// Returns the names of the decks of the most uneven match-up, the better one first, and its
    /// score.
    fn most_uneven(&self) -> Option<([&str; 2], IntervalEstimate)> {
        let scores =
            self.distinct_matchups().filter_map(|MatchupRow { decks: [a, b], matchup, .. }| {
                let score = matchup.score(self.checked)?.interval;
                Some(if score.mean < 0.5 { ([b, a], turned(score)) } else { ([a, b], score) })
            });
        let (decks, score) = scores.max_by(|(_, a), (_, b)| a.low.total_cmp(&b.low))?;
        Some((decks.map(|deck| self.name(deck)), score))
    }

    fn dominant(&self) -> RichText {
        match &self.worths {
            PieceWorths::NotEstimated(reason) => {
                RichText::new("Dominant pieces were not tested: ").plain(format!("{reason}."))
            }
            PieceWorths::Estimated { power, .. } => match self.dominant_names().as_slice() {
                [] if power.of_clear < WANTED_POWER => format!(
                    "No piece is shown to be dominant, but one worth {} points would be named in \
                     only {:.0} of 100 runs like this.",
                    words::signed_points(self.checked.spec.dominance_margin + CLEAR_WORTH),
                    100.0 * power.of_clear
                )
                .into(),
                [] => "No piece is shown to be dominant.".into(),
                [name] => RichText::new("One piece is dominant: ").strong(name.clone()).plain("."),
                names => RichText::new(format!("{} pieces are dominant: ", names.len()))
                    .strong(joined(names))
                    .plain("."),
            },
        }
    }

    fn dominant_names(&self) -> Vec<String> {
        let PieceWorths::Estimated { worths, .. } = &self.worths else { return Vec::new() };
        let named = worths.iter().filter(|it| it.is_dominant);
        named.map(|it| piece_name(&self.checked.pool, it.piece)).collect()
    }

    pub(super) fn key_facts(&self) -> Vec<KeyFact> {
        if self.state.looks == 0 {
            return Vec::new();
        }
        let (n_uneven, n) = uneven_matchups(self.checked, self.state);
        let uneven = KeyFact {
            name: "Uneven match-ups".to_owned(),
            value: words::of_all(n_uneven, n),
            note: format!("about {:.1} by chance if all were even", self.by_chance(n)),
        };
        let first = first_score(&first_points(self.state), self.checked);
        let first = first.map(|score| KeyFact {
            name: "Score of who places first".to_owned(),
            value: words::percent(score.interval.mean, 1),
            note: words::percent_interval(&score.interval),
        });
        std::iter::once(uneven).chain(first).collect()
    }

    /// Returns the number of even match-ups that would be shown to be uneven.
    #[expect(clippy::cast_precision_loss, reason = "few match-ups")]
    fn by_chance(&self, n: u64) -> f64 {
        n as f64 * self.checked.error_rate.get()
    }

    /// Returns how many match-ups are uneven, and how sure that is.
    pub(super) fn uneven(&self) -> RichText {
        let (n_uneven, n) = uneven_matchups(self.checked, self.state);
        let scores = self.distinct_matchups().filter_map(|it| it.score(self.checked));
        let widths = scores.map(|score| 50.0 * (score.high - score.low));
        let mut widths: Vec<f64> = widths.collect();
        widths.sort_by(f64::total_cmp);
        let width = widths.get(widths.len() / 2).copied().unwrap_or_default();
        let by_chance = self.by_chance(n);
        format!(
            "Match-ups shown to be uneven: {} of {}, where about {by_chance:.1} would be by chance \
             if all were even. The others may be uneven as well: half of the intervals reach \
             {width:.1} points or more to each side.",
            grouped(n_uneven),
            grouped(n),
        )
        .into()
    }

    /// Returns the decks that are played in most samples of the equilibrium.
    pub(super) fn played(&self) -> Option<RichText> {
        let shares = self.shares.as_ref()?.iter().enumerate();
        let played = shares.filter(|(_, it)| MOST_SAMPLES < it.is_played);
        let played: Vec<_> = played
            .map(|(deck, it)| {
                let [share, low, high] = [it.share, it.low, it.high].map(|it| 100.0 * it);
                format!("{} {share:.0} % ({low:.0} to {high:.0})", self.name(deck))
            })
            .collect();
        Some(match played.as_slice() {
            _ if uneven_matchups(self.checked, self.state).0 == 0 => {
                "No match-up is shown to be uneven, so the shares of decks are chance.".into()
            }
            [] => "No deck is played in most samples of the equilibrium.".into(),
            played => RichText::new("Decks played in most samples of the equilibrium, with their ")
                .plain(format!("shares: {}.", joined(played))),
        })
    }

    pub(super) fn method(&self) -> FindingBlock {
        let checked = self.checked;
        let percent = libm::round(1e6 * (1.0 - checked.error_rate.get())) / 1e4;
        let (looks, together) = match checked.spec.looks {
            1 => ("", ""),
            _ => (
                " A match-up whose interval excludes one half at a look is settled and not played \
                 on, so its score is biased away from one half.",
                ", for all looks together",
            ),
        };
        let known = match self.is_learned() {
            false => "Agents know both hands and decks",
            true => "The agent knows the hands and decks that its file says",
        };
        FindingBlock::text(format!(
            "{known}, but not the order of draws. A pair is two games with the same shuffles, in \
             which each deck places first once.{looks} Scores are wins and half of the draws; \
             intervals hold with {percent} %{together}."
        ))
    }
}
