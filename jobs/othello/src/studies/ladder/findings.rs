//! The findings: the ladder and the effort in sentences, figures and tables.

mod effort;
mod strength;

use hatchery_core::Findings;
use hatchery_core::findings::{FindingBlock, KeyFact, RichText};
use hatchery_core::text::{grouped, joined, rounded};

use super::summary::LadderSummary;
use crate::studies::wording;

/// Returns the findings.
pub(super) fn findings(summary: &LadderSummary<'_>) -> Findings {
    let depths = joined(strength::depths(summary.spec.depths.iter()));
    let title =
        format!("How strong Othello agents of depths {depths} are, and how much they search");
    let sections = match summary.n_games() {
        0 => Vec::new(),
        _ => [strength::sections(summary), vec![effort::section(summary)]].concat(),
    };
    Findings {
        title: title.into(),
        summary: finding(summary),
        key_facts: key_facts(summary),
        sections,
        method: method(summary),
    }
}

/// Compares the deepest agent with the shallowest: two that nobody chose by their results.
fn finding(summary: &LadderSummary<'_>) -> RichText {
    let (deep, shallow) = (summary.deepest(), summary.spec.depths.first().copied().unwrap_or(0));
    if summary.n_games() == 0 {
        return "No games have been played yet.".into();
    }
    let words = match summary.deepest_over_shallowest() {
        Some(elo) => {
            let verdict = match (0.0 < elo.low, elo.high < 0.0) {
                (true, _) => "is stronger than",
                (_, true) => "is weaker than",
                _ => "is not shown to be stronger or weaker than",
            };
            RichText::default()
                .strong(format!("Depth {deep} {verdict} depth {shallow}"))
                .plain(": ")
                .join(wording::expected_score(elo))
                .plain(".")
        }
        None => shallowest_score(summary, [shallow, deep]),
    };
    match effort::shape(summary) {
        Some(shape) => words.plain(format!(" {shape}")),
        None => words,
    }
}

/// Says how the shallowest agent did against the deepest, where their ratings cannot be compared.
fn shallowest_score(summary: &LadderSummary<'_>, [shallow, deep]: [u32; 2]) -> RichText {
    let score = summary.depths.first().and_then(|one| one.score);
    let Some(score) = score else { return "No game of two depths has been played yet.".into() };
    RichText::new(format!("Depth {shallow} scores "))
        .join(RichText::percent(score))
        .plain(format!(" against depth {deep}; not all depths have a finite rating."))
}

fn key_facts(summary: &LadderSummary<'_>) -> Vec<KeyFact> {
    let span = summary.span().map(|span| {
        let ([lowest, highest], elo) = (span.depths, span.difference);
        let [low, high] = [elo.low, elo.high].map(|end| rounded(end, 0));
        KeyFact {
            name: "Span of the ladder".to_owned(),
            value: format!("{} Elo", rounded(elo.mean, 0)),
            note: format!("{low} to {high}, from depth {lowest} to {highest}"),
        }
    });
    let effort = effort::growth(summary).map(|(factor, [shallow, deep])| KeyFact {
        name: "Playouts".to_owned(),
        value: format!("{factor:.2} times"),
        note: format!("per move, depth {deep} against depth {shallow}"),
    });
    span.into_iter().chain(effort).collect()
}

fn method(summary: &LadderSummary<'_>) -> Vec<FindingBlock> {
    let about = format!(
        "A pair is two games on one opening with the colors swapped. Ratings are the most likely \
         ones of the Bradley-Terry model in Elo points, with a mean of 0 and no prior. Intervals \
         hold with {} %: those of Elo take games for independent, those of scores and effort take \
         pairs of games.",
        summary.percent()
    );
    vec![FindingBlock::text(about), FindingBlock::Text(replays(summary))]
}

/// Says which subject of a replay is which match.
fn replays(summary: &LadderSummary<'_>) -> RichText {
    let depth = |at: usize| summary.spec.depths[at];
    let names = summary.matches().map(|([a, b], _)| format!("{} against {}", depth(a), depth(b)));
    let names: Vec<String> =
        names.zip(0_u64..).map(|(name, at)| format!("{}: {name}", grouped(at))).collect();
    RichText::default().code("hatchery replay RUN 0/SUBJECT/TRIAL").plain(format!(
        " shows a pair of games. The subjects are the matches of depth {}, then each pair of \
         self-play.",
        names.join(", ")
    ))
}
