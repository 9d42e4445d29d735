//! The claims of the paper beside what a run shows.

use std::fmt::Write as _;

use hatchery_core::IntervalEstimate;
use hatchery_core::text::TAKES_ALL;

use crate::experiment::encoding_param::EncodingParam;
use crate::experiment::selfplay::report::arms::{ArmCurve, ArmLook};
use crate::experiment::selfplay::spec::CheckedSelfplay;

/// Returns the claims.
pub(super) fn claims(checked: &CheckedSelfplay, curves: &[ArmCurve<'_>]) -> String {
    let mut text =
        "\n## Claims of the paper\n\n| Kono et al., 9.3 | here |\n|---|---|\n".to_owned();
    let claim = "the win rate per game is about equal with vectors and with one-hot";
    for line in vectors_and_one_hot(checked, curves) {
        writeln!(text, "| {claim} | {line} |").expect(TAKES_ALL);
    }
    text.push_str(
        "| inputs of 5,649 and 3,964 columns | 5,649 and, as `deck_one_hot`, 4,725 |\n\
         | 3 decks, 9 match-ups, 1,000 greedy games each | see `matchups.csv` |\n\n\
         Hidden sizes, batch, rate, win rates and the number of games are in images of the paper \
         that our copy lacks: no number here is the paper's. Its opponents, pieces and decks \
         also differ from ours. A network that knows nothing wins about half of its games against \
         the random agent: the agents by rule are the yardstick.\n",
    );
    text
}

/// Returns how far the win rates with vectors and with one-hot are apart at the last look that both
/// have, a line for each opponent.
fn vectors_and_one_hot(checked: &CheckedSelfplay, curves: &[ArmCurve<'_>]) -> Vec<String> {
    let curve = |arm| curves.iter().find(|curve| curve.arm == arm);
    let one_hot = curve(EncodingParam::DeckOneHot).or_else(|| curve(EncodingParam::OneHot));
    let (Some(vectors), Some(one_hot)) = (curve(EncodingParam::Vectors), one_hot) else {
        return vec!["not run: it needs the arms `vectors` and `deck_one_hot`".to_owned()];
    };
    let mut pairs = vectors.looks.iter().rev().filter_map(|look| {
        Some((look, one_hot.looks.iter().find(|other| other.games == look.games)?))
    });
    let Some((look, other)) = pairs.next() else {
        return vec!["no look at both after as many games".to_owned()];
    };
    let opponents = checked.opponents.iter().enumerate();
    let lines = opponents.filter_map(|(at, opponent)| {
        let difference = look.difference(other, at)?;
        Some(format!("against {} {}", opponent.name, in_words(look, other, &difference)))
    });
    lines.collect()
}

fn in_words(look: &ArmLook, other: &ArmLook, difference: &IntervalEstimate) -> String {
    let IntervalEstimate { mean, low, high, .. } = difference;
    let [mean, low, high] = [mean, low, high].map(|it| 100.0 * it);
    let verdict = if 0.0 < low {
        "vectors win more"
    } else if high < 0.0 {
        "one-hot wins more"
    } else {
        "equal within the interval"
    };
    let over = match look.by_network.len().min(other.by_network.len()) {
        0 | 1 => "games",
        _ => "networks",
    };
    format!(
        "after {} games: {verdict}; vectors less one-hot is {mean:.1} points ({low:.1} to \
         {high:.1}, over {over})",
        look.games
    )
}
