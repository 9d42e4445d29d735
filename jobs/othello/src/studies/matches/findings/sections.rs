//! The sections of the findings: ratings, matches, their course, effort.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText};
use hatchery_core::text::{counted, leading_digits};
use hatchery_core::{DataTable, GenerationMeasures};
use hatchery_stats::{MIN_SUPERIORITY_RESULTS, SprtDecision};

use super::super::charts;
use super::super::spec::MatchMethod;
use super::super::state::PairingState;
use super::super::summary::{self, MatchSummary, unit};
use crate::studies::crosstable::MatchRow;

/// The largest factor for which [`further_pairs`] gives a number of pairs.
const MOST_TIMES: f64 = 1_000.0;

/// Returns all sections; none before the first game.
pub(super) fn sections(
    summary: &MatchSummary<'_>,
    history: &[GenerationMeasures],
) -> Vec<FindingSection> {
    if summary.n_games() == 0 {
        return Vec::new();
    }
    let mut sections = vec![ratings(summary)];
    sections.extend(course(summary, history));
    sections.extend([matches(summary), effort(summary)]);
    sections
}

fn ratings(summary: &MatchSummary<'_>) -> FindingSection {
    let caption = format!(
        "Elo of each agent, the strongest first, with {} % intervals: the most likely ratings of \
         the Bradley-Terry model, with a mean of 0 and no prior. Intervals take games, not pairs, \
         for independent.",
        summary.percent()
    );
    // The ranking as it is: agents without a finite rating come before and after the others.
    let ranking = summary.ranking();
    let mut blocks = Vec::new();
    for group in ranking.chunk_by(|(_, a), (_, b)| a.rated().is_some() == b.rated().is_some()) {
        if group.iter().any(|(_, rating)| rating.rated().is_some()) {
            let picture = charts::ratings(summary).picture();
            blocks.push(FindingBlock::figure("ratings", picture, caption.clone()));
            continue;
        }
        let unrated = group.iter().map(|(agent, rating)| {
            RichText::new(format!("{} has no finite rating: ", summary.name(*agent)))
                .join(rating.text())
                .plain(".")
        });
        blocks.push(FindingBlock::List(unrated.collect()));
    }
    FindingSection::new("Ratings", blocks)
}

fn course(summary: &MatchSummary<'_>, history: &[GenerationMeasures]) -> Option<FindingSection> {
    let chart = charts::course(summary, history)?;
    let caption = match summary.state.pairings.len() {
        1 => {
            "The log-likelihood ratio after each look. The match ends when it leaves the band of \
             the two bounds."
        }
        _ => {
            "Elo after each look, with bands of intervals. Looks after a match has ended add only \
             the games of the others."
        }
    };
    let figure = FindingBlock::figure("course", chart.picture(), caption);
    Some(FindingSection::new("Course", vec![figure]))
}

fn matches(summary: &MatchSummary<'_>) -> FindingSection {
    let mut blocks = Vec::new();
    if 1 < summary.state.pairings.len() {
        let caption = "The score of each agent (row) against each other one (column), in percent: \
                       points per game, one half for a draw. Blue is above one half, red below.";
        let picture = charts::crosstable(summary).picture();
        blocks.push(FindingBlock::figure("crosstable", picture, caption));
    }
    let caption = format!(
        "Matches as the first agent sees them. Superior: the probability that the first agent is \
         the stronger one, from {MIN_SUPERIORITY_RESULTS} pairs on."
    );
    let rows = summary::match_rows(summary);
    let tested = |row: &MatchRow<'_>| {
        let words = verdict(summary, &summary.state.pairings[row.subject]);
        words.unwrap_or_else(|| "not looked at".to_owned())
    };
    let is_tested = summary.checked.sprt.is_some();
    let table = summary::crosstable(summary, &rows)
        .only_if(is_tested, |table| table.text(("", "verdict"), tested));
    blocks.push(table.block(caption));
    FindingSection::new("Matches", blocks)
}

/// Returns the verdict of the sequential test at the last look; `None` without a test or a look.
pub(super) fn verdict(summary: &MatchSummary<'_>, pairing: &PairingState) -> Option<String> {
    let MatchMethod::Sprt { elo0, elo1, model, .. } = summary.spec.method else { return None };
    let verdict = pairing.verdict(summary.checked)?;
    let decision = match verdict.decision {
        SprtDecision::AcceptH0 => format!("{elo0} rather than {elo1} {}", unit(model)),
        SprtDecision::AcceptH1 => format!("{elo1} rather than {elo0} {}", unit(model)),
        SprtDecision::Continue => match further_pairs(summary, pairing, verdict.llr) {
            Some(pairs) => {
                let pairs = counted(leading_digits(pairs), "more pair");
                format!("undecided; about {pairs} would decide it, if the results stay as they are")
            }
            None => "undecided".to_owned(),
        },
    };
    Some(format!("{decision} (log-likelihood ratio {:.2})", verdict.llr))
}

/// Returns the pairs after which the log-likelihood ratio would leave the bounds if it went on as
/// it did so far; `None` if it has hardly moved.
fn further_pairs(summary: &MatchSummary<'_>, pairing: &PairingState, llr: f64) -> Option<u64> {
    let (low, high) = summary.checked.sprt.as_ref()?.bounds();
    let bound = if llr < 0.0 { low } else { high };
    let times = (bound - llr) / llr;
    let so_far = pairing.counts.pairs();
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "far fewer than 2^53 pairs"
    )]
    let further = libm::ceil(times * so_far as f64) as u64;
    (times <= MOST_TIMES).then_some(further.max(1))
}

fn effort(summary: &MatchSummary<'_>) -> FindingSection {
    let agents = 0..summary.checked.agents.len();
    let rows: Vec<_> = agents.map(|agent| (summary.name(agent), summary.effort(agent))).collect();
    let caption = "Per search: means over all matches of the agent. Moves without a choice are \
                   not searched for.";
    let table = DataTable::on_page(&rows)
        .text("agent", |(name, _)| *name)
        .count("searches", |(_, effort)| effort.searches)
        .count("playouts", |(_, effort)| Some(whole(effort.mean()?.playouts)))
        .count("nodes", |(_, effort)| Some(whole(effort.mean()?.nodes)))
        .number("deepest leaf, plies", 1, |(_, effort)| Some(effort.mean()?.deepest_leaf))
        .block(caption);
    FindingSection::new("Effort", vec![table])
}

/// Returns the whole number that is nearest to a number that is not negative.
fn whole(number: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let whole = libm::round(number) as u64;
    whole
}
