//! The claims of the paper beside what a run shows.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText};
use hatchery_core::text::counted;

use crate::params::encoding_param::EncodingParam;
use crate::studies::finding_parts::claim_table;
use crate::studies::selfplay::check::CheckedSelfplay;
use crate::studies::selfplay::report::arms::ArmCurve;
use crate::studies::win_rates::{NetworkGames, comparison};

/// Returns the claims.
pub(super) fn claims(checked: &CheckedSelfplay, curves: &[ArmCurve<'_>]) -> FindingSection {
    let claim = "The win rate per game is about equal with vectors and with one-hot";
    let ours = vectors_and_one_hot(checked, curves).into_iter();
    let mut rows: Vec<_> = ours.map(|line| (claim, line)).collect();
    rows.push(("Inputs of 5,649 and 3,964 columns", "5,649 and, as deck one-hot, 4,725".into()));
    rows.push((
        "3 decks, 9 match-ups, 1,000 greedy games each",
        RichText::new("see ").code("matchups.csv"),
    ));
    let limits = "Hidden sizes, batch, rate, win rates and the number of games are in images of \
                  the paper that our copy lacks: no number here is the paper's. Its opponents, \
                  pieces and decks also differ from ours. A network that knows nothing wins about \
                  half of its games against the random agent: the rule-based agents are the \
                  yardstick.";
    let blocks = vec![claim_table("Kono et al., 9.3", &rows), FindingBlock::text(limits)];
    FindingSection::new("Claims of the paper", blocks)
}

/// Returns how far the win rates with vectors and with one-hot are apart at the last look that both
/// have, a line for each opponent.
fn vectors_and_one_hot(checked: &CheckedSelfplay, curves: &[ArmCurve<'_>]) -> Vec<RichText> {
    let curve = |arm| curves.iter().find(|curve| curve.arm == arm);
    let one_hot = curve(EncodingParam::DeckOneHot).or_else(|| curve(EncodingParam::OneHot));
    let (Some(vectors), Some(one_hot)) = (curve(EncodingParam::Vectors), one_hot) else {
        return vec!["not run: it needs the arms vectors and deck one-hot".into()];
    };
    let mut pairs = vectors.looks.iter().rev().filter_map(|look| {
        Some((look, one_hot.looks.iter().find(|other| other.games == look.games)?))
    });
    let Some((look, other)) = pairs.next() else {
        return vec!["no look at both after as many games".into()];
    };
    let names = ["vectors", one_hot.arm.words()];
    let opponents = checked.opponents.iter().enumerate();
    let lines = opponents.filter_map(|(at, opponent)| {
        let games = [look, other].map(|look| look.of_networks(at));
        let words = comparison(names, [NetworkGames(&games[0]), NetworkGames(&games[1])])?;
        let after = counted(look.games, "game");
        Some(RichText::new(format!("against {} after {after}, ", opponent.name)).join(words))
    });
    lines.collect()
}
