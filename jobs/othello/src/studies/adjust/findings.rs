//! The findings: which arms adapt, in sentences, figures and tables.

mod changes;
mod levels;
mod method;
mod naturalness;
mod scores;
mod verdicts;

use hatchery_core::Findings;
use hatchery_core::findings::{KeyFact, RichText};
use hatchery_core::text::grouped;

use super::arms::ArmKind;
use super::summary::AdjustSummary;
use super::verdicts::ArmConclusion;

/// Returns the findings. Parts about what was not played are left out.
pub(super) fn findings(summary: &AdjustSummary<'_>) -> Findings {
    let mut sections = Vec::new();
    if !summary.cells.is_empty() {
        let has_bots = summary.bots(ArmKind::Fixed).next().is_some();
        if has_bots {
            sections.push(verdicts::verdicts(summary));
            sections.extend([scores::scores(summary), scores::ladder(summary)]);
        }
        sections.extend(changes::changes(summary));
        sections.extend(levels::learned_levels(summary));
        sections.extend(scores::people(summary));
        if has_bots {
            sections.push(naturalness::naturalness(summary));
        }
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
        method: vec![method::method(summary)],
    }
}

/// Returns the verdict on each arm, and its lag behind each BOT that changes.
fn finding(summary: &AdjustSummary<'_>) -> RichText {
    if summary.cells.is_empty() {
        return "No games have been played yet.".into();
    }
    if verdicts::adjusting(summary).next().is_none() {
        return RichText::new("There are no verdicts: ")
            .code("arms")
            .plain(" lists no arm that adjusts.");
    }
    let sentences = verdicts::conclusions(summary).into_iter().chain(changes::lags(summary));
    sentences
        .reduce(|words, sentence| words.plain(" ").join(sentence))
        .unwrap_or_else(|| "No arm learns from game to game, so none follows a change.".into())
}

fn key_facts(summary: &AdjustSummary<'_>) -> Vec<KeyFact> {
    if summary.cells.is_empty() {
        return Vec::new();
    }
    let judged: Vec<_> = verdicts::adjusting(summary)
        .map(|(_, verdict)| verdict)
        .filter(|verdict| verdict.bots.iter().any(Option::is_some))
        .collect();
    let adapts = judged.iter().filter(|it| it.conclusion == ArmConclusion::Adapts).count();
    let arms = (!judged.is_empty()).then(|| KeyFact {
        name: "Arms that adapt".to_owned(),
        value: format!("{adapts} of {}", judged.len()),
        note: "to weaker and to stronger BOTs than the control".to_owned(),
    });
    let games: u64 = summary
        .cells
        .iter()
        .map(|cell| 2 * (cell.results.counted.pairs() + cell.results.first.pairs()))
        .sum();
    let games = KeyFact {
        name: "Games".to_owned(),
        value: grouped(games),
        note: format!("{} of each arm against each BOT count", grouped(summary.spec.games)),
    };
    arms.into_iter().chain([games]).collect()
}
