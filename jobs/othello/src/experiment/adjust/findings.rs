//! The findings: which arms adapt, in sentences, figures and tables.

mod levels;
mod method;
mod naturalness;
mod scores;

use hatchery_core::Findings;
use hatchery_core::findings::{FindingBlock, FindingSection, KeyFact, RichText};
use hatchery_core::text::{grouped, grouped_count};

use super::arms::ArmKind;
use super::summary::{AdaptOutcome, AdaptVerdict, AdjustSummary};
use crate::experiment::wording;

/// Returns the findings. Parts about what was not played are left out.
pub(super) fn findings(summary: &AdjustSummary<'_>) -> Findings {
    let mut sections = Vec::new();
    if !summary.cells.is_empty() {
        sections.push(verdicts(summary));
        sections.extend([scores::scores(summary), scores::ladder(summary)]);
        sections.extend(levels::learned_levels(summary));
        sections.extend(scores::people(summary));
        sections.push(naturalness::naturalness(summary));
    }
    sections.push(method::arms(summary));
    if !summary.cells.is_empty() {
        sections.push(method::replays(summary));
    }
    Findings {
        title: "Do Othello agents that adjust to their opponent score one half against it?".into(),
        summary: finding(summary),
        key_facts: key_facts(summary),
        sections,
        method: method::method(summary),
    }
}

/// Returns the arms that adjust, with their verdicts.
fn adjusting<'s>(
    summary: &'s AdjustSummary<'_>,
) -> impl Iterator<Item = (ArmKind, Vec<Option<AdaptVerdict>>)> + 's {
    let kinds = summary.kinds().into_iter().filter(|kind| !kind.is_control());
    kinds.map(|kind| (kind, summary.verdicts(kind)))
}

/// Counts the BOTs of each verdict, arm by arm.
fn finding(summary: &AdjustSummary<'_>) -> RichText {
    if summary.cells.is_empty() {
        return "No games have been played yet.".into();
    }
    let mut words = RichText::default();
    for (kind, verdicts) in adjusting(summary) {
        let n = verdicts.iter().flatten().count();
        let count = |outcome| {
            verdicts.iter().flatten().filter(|verdict| verdict.outcome == outcome).count()
        };
        let [adapts, farther] = [AdaptOutcome::Adapts, AdaptOutcome::Farther].map(count);
        if !words.is_empty() {
            words = words.plain(" ");
        }
        let verdict = match adapts {
            0 => "is not shown to adapt to any".to_owned(),
            _ => format!("adapts to {adapts}"),
        };
        words = words.plain(format!("The {} arm ", kind.name())).strong(verdict);
        let farther = match farther {
            0 => String::new(),
            _ => format!(", and is farther from one half than the control against {farther}"),
        };
        words = words.plain(format!(" of {}{farther}.", grouped_count(n as u64, "BOT")));
        words = words.join(scores_of(summary, kind));
    }
    if words.is_empty() {
        return RichText::new("There are no verdicts: ")
            .code("arms")
            .plain(" lists no arm that adjusts.");
    }
    words
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

fn key_facts(summary: &AdjustSummary<'_>) -> Vec<KeyFact> {
    let verdicts: Vec<AdaptVerdict> =
        adjusting(summary).flat_map(|(_, verdicts)| verdicts).flatten().collect();
    let adapts = verdicts.iter().filter(|it| it.outcome == AdaptOutcome::Adapts).count();
    let of_all = KeyFact {
        name: "Arms and BOTs".to_owned(),
        value: format!("{adapts} of {} adapt", verdicts.len()),
        note: format!("error rate {} over the BOTs of an arm", summary.checked.error_rate.get()),
    };
    let games: u64 = summary
        .cells
        .iter()
        .map(|cell| 2 * (cell.results.counted.pairs() + cell.results.first.pairs()))
        .sum();
    let games = KeyFact {
        name: "Games".to_owned(),
        value: grouped(games),
        note: format!("{} of each arm against each BOT count", grouped(summary.spec.games.into())),
    };
    match (verdicts.is_empty(), summary.cells.is_empty()) {
        (_, true) => Vec::new(),
        (true, false) => vec![games],
        (false, false) => vec![of_all, games],
    }
}

/// Returns a sentence for each arm and BOT.
fn verdicts(summary: &AdjustSummary<'_>) -> FindingSection {
    let about = RichText::new(
        "An arm adapts to a BOT if its score is shown to be nearer to one half than that of the \
         control ",
    )
    .code("fixed")
    .plain(format!(
        ": the difference of their distances from one half is above 0 after the correction of \
         Benjamini and Hochberg over the BOTs, with an error rate of {}. It is farther if the \
         difference is below 0 in the same way. Intervals of the difference are corrected in the \
         same way (Benjamini and Yekutieli).",
        summary.checked.error_rate.get()
    ));
    let mut items = Vec::new();
    for (kind, verdicts) in adjusting(summary) {
        for (cell, verdict) in summary.bots(kind).zip(verdicts) {
            let depth = summary.opponent(cell).agent.depth();
            items.extend(verdict.map(|verdict| sentence(kind, depth, &verdict)));
        }
    }
    let guide =
        RichText::new("An adjusting arm that is not nearer to one half than ").code("fixed").plain(
            " has adjusted nothing, however near to one half it is. An arm weaker than the control \
             is nearer to one half against weak BOTs and farther against strong ones: read all \
             BOTs together.",
        );
    let mut blocks = vec![FindingBlock::Text(about)];
    if !items.is_empty() {
        blocks.extend([FindingBlock::List(items), FindingBlock::Text(guide)]);
    }
    FindingSection::new("Verdicts", blocks)
}

fn sentence(kind: ArmKind, depth: u32, verdict: &AdaptVerdict) -> RichText {
    let points = wording::points(verdict.nearer);
    let p = p_value_text(verdict.p_value);
    let words = RichText::new(format!("{}, BOT {depth}: ", kind.name()));
    match verdict.outcome {
        AdaptOutcome::Adapts => {
            words.strong("adapts").plain(", nearer to one half by ").join(points)
        }
        AdaptOutcome::Farther => words
            .strong("farther")
            .plain(" from one half than an agent that never adjusts, nearer by ")
            .join(points),
        AdaptOutcome::NotShown => words
            .plain("not shown to differ from an agent that never adjusts, nearer by ")
            .join(points),
    }
    .plain(format!("; {p}"))
}

/// Returns a p-value in four decimal places, or that it is too small for them.
fn p_value_text(p: f64) -> String {
    if p < 1e-4 { "p < 0.0001".to_owned() } else { format!("p = {p:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_p_values_are_not_called_zero() {
        assert_eq!(p_value_text(0.0357), "p = 0.0357");
        assert_eq!(p_value_text(0.000_1), "p = 0.0001");
        assert_eq!(p_value_text(3e-9), "p < 0.0001");
    }
}
