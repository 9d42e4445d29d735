//! The verdicts on arms, in sentences.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, words};
use hatchery_core::text::{counted, joined};

use super::super::arms::ArmKind;
use super::super::summary::AdjustSummary;
use super::super::verdicts::{
    ArmConclusion, ArmVerdict, BotStrength, BotVerdict, NearnessOutcome, ScoreShift,
};

/// Returns the arms that adjust, with their verdicts.
pub(super) fn adjusting<'s>(
    summary: &'s AdjustSummary<'_>,
) -> impl Iterator<Item = (ArmKind, ArmVerdict)> + 's {
    let kinds = summary.kinds().into_iter().filter(|kind| !kind.is_control());
    kinds.map(|kind| (kind, summary.verdict(kind)))
}

/// Returns the verdict on each arm, with its scores against the shallowest and the deepest BOT.
pub(super) fn conclusions(summary: &AdjustSummary<'_>) -> Vec<RichText> {
    let sentence = |(kind, verdict): (ArmKind, ArmVerdict)| {
        let has_games = verdict.bots.iter().flatten().next().is_some();
        has_games.then(|| conclusion(kind, &verdict).join(scores_of(summary, kind)))
    };
    adjusting(summary).filter_map(sentence).collect()
}

fn conclusion(kind: ArmKind, verdict: &ArmVerdict) -> RichText {
    let n_bots = verdict.bots.iter().flatten().count();
    let words = RichText::new(format!("The {} arm ", kind.name()));
    let of_bots = |n: usize| match n == n_bots {
        true if n_bots == 1 => "the only BOT".to_owned(),
        true => format!("all {n_bots} BOTs"),
        false => format!("{n} of {}", counted(n_bots, "BOT")),
    };
    let shifted = |score, word: &str| {
        let n = verdict.count_scores(score);
        (n != 0).then(|| format!("{word} than the control against {}", of_bots(n)))
    };
    let shifts = [(ScoreShift::Lower, "weaker"), (ScoreShift::Higher, "stronger")];
    let shifts: Vec<String> =
        shifts.into_iter().filter_map(|(score, word)| shifted(score, word)).collect();
    let shifts = joined(shifts.iter().map(String::as_str));
    let nearer = |bot| verdict.count(Some(bot), NearnessOutcome::Nearer);
    let sides = [(BotStrength::Weaker, "weaker"), (BotStrength::Stronger, "stronger")];
    let words = match verdict.conclusion {
        ArmConclusion::Adapts => {
            let [weaker, stronger] =
                sides.map(|(bot, word)| counted(nearer(bot), &format!("{word} BOT")));
            words.strong("adapts").plain(format!(
                ": it is nearer to one half than the control against {weaker} and {stronger}"
            ))
        }
        ArmConclusion::Weaker => words
            .strong("does not adapt, it is merely weaker")
            .plain(format!(" than the control against {}", of_bots(n_bots))),
        ArmConclusion::Stronger => words
            .strong("does not adapt, it is merely stronger")
            .plain(format!(" than the control against {}", of_bots(n_bots))),
        ArmConclusion::NoContrast => {
            let has = |bot| verdict.bots.iter().flatten().any(|it| it.bot == bot);
            let lacking = sides.into_iter().filter(|(bot, _)| !has(*bot));
            let lacking: Vec<_> = lacking.map(|(_, word)| format!("none is {word}")).collect();
            words.strong("cannot be shown to adapt").plain(format!(
                ": of {}, {} than the control",
                counted(n_bots, "BOT"),
                joined(lacking.iter().map(String::as_str))
            ))
        }
        ArmConclusion::NotShown => words.strong("is not shown to adapt").plain(format!(
            ": it is nearer to one half than the control against {}",
            of_bots(verdict.count(None, NearnessOutcome::Nearer))
        )),
    };
    let names_direction =
        matches!(verdict.conclusion, ArmConclusion::NoContrast | ArmConclusion::NotShown);
    let words = match names_direction && !shifts.is_empty() {
        true => words.plain(format!("; it is {shifts}")),
        false => words,
    };
    match verdict.count(None, NearnessOutcome::Farther) {
        0 => words.plain("."),
        n => words.plain(format!("; it is farther from one half against {}.", of_bots(n))),
    }
}

/// Returns the scores against the shallowest and the deepest BOT.
fn scores_of(summary: &AdjustSummary<'_>, kind: ArmKind) -> RichText {
    let mut scored = summary
        .bots(kind)
        .filter_map(|cell| Some((summary.opponent(cell).agent.depth(), cell.score?.interval)));
    let (Some((shallow, of_shallow)), Some((deep, of_deep))) = (scored.next(), scored.last())
    else {
        return RichText::default();
    };
    RichText::new(" It scores ")
        .join(RichText::percent(of_shallow))
        .plain(format!(" against depth {shallow} and "))
        .join(RichText::percent(of_deep))
        .plain(format!(" against depth {deep}."))
}

/// Returns a sentence for each arm and BOT.
pub(super) fn verdicts(summary: &AdjustSummary<'_>) -> FindingSection {
    let rate = summary.spec.error_rate.get();
    let about = RichText::new("An arm is nearer to one half than the control ")
        .code("fixed")
        .plain(format!(
            " against a BOT if the difference of their distances from one half is above 0 after \
             the correction of Benjamini and Hochberg over the BOTs, with an error rate of {rate}. \
             It is farther if the difference is below 0 in the same way. Intervals of the \
             difference are corrected in the same way (Benjamini and Yekutieli)."
        ));
    let guide = "An arm adapts if it is nearer to one half than the control against a BOT that is \
                 weaker than the control and against one that is stronger, both shown by the \
                 control's own scores. Nearer against one kind only is no adapting: an arm that is \
                 merely weaker is nearer to one half against weak BOTs and farther against strong \
                 ones. Its verdict then names that direction, with the BOTs against which the arm \
                 scores less than the control, corrected in the same way.";
    let mut items = Vec::new();
    for (kind, verdict) in adjusting(summary) {
        for (cell, it) in summary.bots(kind).zip(verdict.bots) {
            let depth = summary.opponent(cell).agent.depth();
            items.extend(it.map(|it| sentence(kind, depth, &it)));
        }
    }
    let mut blocks = vec![FindingBlock::Text(about), FindingBlock::text(guide)];
    if !items.is_empty() {
        blocks.push(FindingBlock::List(items));
    }
    FindingSection::new("Verdicts", blocks)
}

fn sentence(kind: ArmKind, depth: u32, verdict: &BotVerdict) -> RichText {
    let strength = match verdict.bot {
        BotStrength::Weaker => ", weaker than the control: ",
        BotStrength::Stronger => ", stronger than the control: ",
        BotStrength::NotShown => ": ",
    };
    let text = RichText::new(format!("{}, BOT {depth}{strength}", kind.name()));
    let text = match verdict.outcome {
        NearnessOutcome::Nearer => text.strong("nearer").plain(" to one half by "),
        NearnessOutcome::Farther => text
            .strong("farther")
            .plain(" from one half than an agent that never adjusts, nearer by "),
        NearnessOutcome::NotShown => {
            text.plain("not shown to differ from an agent that never adjusts, nearer by ")
        }
    };
    let p = words::p_words(verdict.p_value, 4);
    text.join(words::points(verdict.nearer)).plain(format!("; {p}"))
}
