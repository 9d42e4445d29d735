//! The method in sentences that no parameter says: terms, intervals and the lengths of games.

use hatchery_core::findings::{FindingBlock, RichText, words};
use hatchery_core::text::{grouped, rounded};
use hatchery_stats::mean_estimate;

use crate::params::method::MethodParam;
use crate::studies::balance::summary::{BalanceSummary, MapStage};
use crate::studies::wording;
use crate::trial::seat_balance::game_lengths;

/// The other numbers of tables.
const OTHER_NUMBERS: &str = "Max - min is the range of the observed rates, and the upper bound of \
    the true ones' difference. Expected sigma is what is expected of the map, given all maps, with \
    the probability that it is below the margin (empirical Bayes).";

/// Returns what was done.
pub(super) fn method(summary: &BalanceSummary<'_>) -> Vec<FindingBlock> {
    let n_seats = summary.checked.look_schedule.n_seats();
    let terms = wording::terms(n_seats) + " " + OTHER_NUMBERS;
    let texts = [Some(terms.into()), Some(intervals(summary)), games(summary)];
    texts.into_iter().flatten().map(FindingBlock::Text).collect()
}

/// Says how long games were; nothing before the first game.
fn games(summary: &BalanceSummary<'_>) -> Option<RichText> {
    let results = &summary.all.results;
    let lengths = game_lengths(results);
    (results.games != 0).then(|| {
        RichText::new(format!(
            "Games shown: {}, of which {} were stopped undecided. A game has ",
            grouped(results.games),
            grouped(results.undecided())
        ))
        .join(RichText::estimate(mean_estimate(&lengths), 1))
        .plain(format!(
            " turns of all players on average, standard deviation {}, and the longest has {}.",
            rounded(lengths.sd(), 1),
            grouped(results.turns.longest)
        ))
    })
}

fn intervals(summary: &BalanceSummary<'_>) -> RichText {
    let looks = match summary.checked.spec.method {
        MethodParam::Fixed => "",
        MethodParam::GroupSequential { .. } => {
            " The error rate is the share of the look. Other intervals are those of a number of \
             games fixed beforehand."
        }
        MethodParam::Anytime { .. } => {
            " Those hold at all looks at once; other intervals are those of a number of games \
             fixed beforehand."
        }
    };
    let screened = match summary.maps.iter().any(|map| map.stage == MapStage::Screened) {
        true => {
            " Screened maps were only compared with others; of those, what is shown is what they \
             were chosen by."
        }
        false => "",
    };
    let level = words::trimmed(100.0 * (1.0 - summary.checked.look_schedule.error_rate().get()), 4);
    let turns = if level == "95" { "" } else { ", those of turns at 95 %" };
    RichText::new(format!(
        "Intervals are at {level} %{turns}. That of a judged map's sigma is an exception: it \
         consists of the two bounds that the verdict goes by. Each is wrong with at most the error \
         rate, so that the interval of a fair map ends below the margin, and one of the \
         two with at most twice that.{looks} Wilson's and simultaneous (Goodman's) intervals of \
         all rates are in "
    ))
    .code("maps.csv")
    .plain(format!(
        ".{screened} The best of many maps looks better than it is: judge it again with \
         another seed or more games before it is used."
    ))
}
