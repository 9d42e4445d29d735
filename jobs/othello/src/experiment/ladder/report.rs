//! The report: the ladder and the effort in words.

use hatchery_core::IntervalEstimate;
use hatchery_stats::{PolynomialDegree, PolynomialFit};

use super::effort_shape::EffortShape;
use super::summary::{DepthSummary, LadderSummary, SelfPlayEffort, intervals_overlap};
use crate::experiment::wording;

/// All that the text of the paper says of its ladder and of its times.
const LADDER_OF_THE_PAPER: &str = "980 to 1300 on Othello Quest, about 320 points; the rating \
    rises with the depth and saturates at 25, and depth 30 is slightly below 25 (Takagi et al., \
    §4.1, Fig. 4)";
const TIMES_OF_THE_PAPER: &str = "4.3 s a move at depth 5, 6.0 s at depth 15 (1.40 times as much), \
    and level above (Takagi et al., §4.2, Fig. 5)";

/// Returns the report.
pub(super) fn report(summary: &LadderSummary<'_>) -> String {
    [heading(summary), strength(summary), neighbors(summary), fits(summary), effort(summary)]
        .join("\n")
}

fn heading(summary: &LadderSummary<'_>) -> String {
    let spec = summary.spec;
    format!(
        "# Othello ladder\n\n\
         - agents: Monte-Carlo tree search of depths {}, {}\n\
         - matches: {} pairs of games between each two agents; a pair is two games on one opening \
         with the colors swapped\n\
         - self-play: {} pairs of games of each agent against itself\n\
         - openings: {}\n\
         - intervals hold with {} %; those of Elo take games for independent, those of scores \
         pairs of games\n{}",
        wording::list(&depths(summary.spec.depths.iter())),
        wording::search(&spec.search),
        spec.pairs,
        spec.self_play_pairs,
        spec.openings.text(),
        summary.percent(),
        replays(summary),
    )
}

/// Says which subject of a replay is which match.
fn replays(summary: &LadderSummary<'_>) -> String {
    let depth = |at: usize| summary.spec.depths[at];
    let names = summary.matches().map(|([a, b], _)| format!("{} against {}", depth(a), depth(b)));
    let names = names.zip(0..).map(|(name, subject)| format!("{subject}: {name}"));
    let names: Vec<String> = names.collect();
    format!(
        "- `hatchery replay RUN 0/SUBJECT/TRIAL` shows a pair of games; the subjects are the \
         matches of depth {}, then each pair of self-play\n",
        names.join(", ")
    )
}

fn strength(summary: &LadderSummary<'_>) -> String {
    let row = |one: &DepthSummary| {
        let score = one.score.map_or_else(|| "-".to_owned(), |it| wording::interval(it, 3));
        format!("| {} | {} | {} | {score} |\n", one.depth, one.games, one.rating.text())
    };
    let rows: String = summary.depths.iter().map(row).collect();
    let facts = [unrated(summary), Some(scores(summary)), Some(span(summary))];
    let facts: String = facts.into_iter().flatten().map(|fact| format!("- {fact}\n")).collect();
    format!(
        "## Strength\n\n\
         Most likely ratings of the Bradley-Terry model in Elo points, with a mean of 0 and no \
         prior.\n\n\
         | depth | games | Elo | score against depth {} |\n|---|---|---|---|\n{rows}\n{facts}",
        summary.deepest()
    )
}

/// Names the depths that have no finite rating.
fn unrated(summary: &LadderSummary<'_>) -> Option<String> {
    let unrated = summary.unrated();
    let reasons = unrated.iter().map(|(depth, reason)| format!("depth {depth} ({reason})"));
    let reasons: Vec<String> = reasons.collect();
    (!reasons.is_empty()).then(|| {
        format!(
            "**No finite rating: {}.** They have no measure `depth-N/elo`; the ratings, the span, \
             the neighbors and the curves below are those of the others.",
            wording::list(&reasons)
        )
    })
}

/// Says if the scores against the deepest agent rise strictly.
fn scores(summary: &LadderSummary<'_>) -> String {
    let deepest = summary.deepest();
    let scored: Vec<(u32, f64)> =
        summary.depths.iter().filter_map(|one| Some((one.depth, one.score?.mean))).collect();
    let falls = scored.windows(2).filter(|pair| pair[1].1 <= pair[0].1);
    let falls: Vec<String> = falls
        .map(|pair| {
            let [(shallow, high), (deep, low)] = [pair[0], pair[1]];
            format!("depth {deep} scores {low:.3}, and depth {shallow} {high:.3}")
        })
        .collect();
    let over = wording::list(&depths(scored.iter().map(|(depth, _)| depth)));
    match (scored.len(), falls.is_empty()) {
        (0, _) => format!("Scores against depth {deepest}: no games yet."),
        (1, _) => format!("Scores against depth {deepest}: of depth {over} only."),
        (_, true) => {
            format!("The scores against depth {deepest} rise strictly over depths {over}.")
        }
        (_, false) => format!(
            "The scores against depth {deepest} do not rise strictly over depths {over}: {}.",
            wording::list(&falls)
        ),
    }
}

fn span(summary: &LadderSummary<'_>) -> String {
    let ours = summary.span().map_or_else(
        || "unknown, as fewer than two depths have a finite rating".to_owned(),
        |span| {
            let [lowest, highest] = span.depths;
            format!(
                "{:.0} Elo ({:.0} to {:.0}) from depth {lowest}, the lowest, to depth {highest}, \
                 the highest; of equal agents, one is the highest by chance",
                span.difference.mean, span.difference.low, span.difference.high
            )
        },
    );
    format!("Span: {ours}. That of the paper: {LADDER_OF_THE_PAPER}.")
}

/// Compares each two neighbors, and names all depths whose intervals overlap.
fn neighbors(summary: &LadderSummary<'_>) -> String {
    let overlapping = summary.overlapping();
    let row = |(depths, difference): ([u32; 2], Option<IntervalEstimate>)| {
        let [shallow, deep] = depths;
        let difference = difference.map(wording::elo);
        let overlap = match (&difference, overlapping.contains(&depths)) {
            (None, _) => "-",
            (Some(_), true) => "yes",
            (Some(_), false) => "no",
        };
        let difference = difference.unwrap_or_else(|| "-".to_owned());
        format!("| {shallow} | {deep} | {difference} | {overlap} |\n")
    };
    let rows: String = summary.neighbors().into_iter().map(row).collect();
    let pairs: Vec<String> = overlapping.iter().map(|[a, b]| format!("{a} with {b}")).collect();
    let n_rated = summary.depths.len() - summary.unrated().len();
    let overlaps = match (n_rated, pairs.is_empty()) {
        (0 | 1, _) => {
            "Fewer than two depths have a finite rating: none can be compared.".to_owned()
        }
        (_, true) => "No Elo intervals of any two rated depths overlap.".to_owned(),
        (_, false) => format!(
            "Of all rated depths, these Elo intervals overlap: {}. All others are apart.",
            wording::list(&pairs)
        ),
    };
    format!(
        "## Neighbors\n\n\
         The difference is the interval to compare two depths by; intervals that do not overlap \
         say more than that.\n\n\
         | depth | next depth | difference in Elo | intervals overlap |\n|---|---|---|---|\n\
         {rows}\n{overlaps}\n"
    )
}

fn fits(summary: &LadderSummary<'_>) -> String {
    let row = |(name, degree): (&str, PolynomialDegree)| {
        let text = summary.fit(degree).map_or_else(
            || "too few depths have a finite rating".to_owned(),
            |fit| polynomial(&fit, summary.r_squared(&fit)),
        );
        format!("- {name}: {text}\n")
    };
    let rows =
        [("straight line", PolynomialDegree::Linear), ("parabola", PolynomialDegree::Quadratic)];
    format!(
        "## Curves\n\n\
         The best curves for Elo as a function of the depth d, with weights of 1 / standard error \
         squared.\n\n{}",
        rows.map(row).concat()
    )
}

fn polynomial(fit: &PolynomialFit, r_squared: Option<f64>) -> String {
    let coefficients = fit.coefficients();
    let powers = ["", " d", " d^2"];
    let terms = coefficients.iter().zip(powers).zip([1, 2, 4]);
    let terms: Vec<String> =
        terms.map(|((value, power), digits)| format!("{value:+.digits$}{power}")).collect();
    let r_squared = r_squared.map_or_else(String::new, |it| format!("; R^2 = {it:.3}"));
    let top = match coefficients[..] {
        [_, linear, square] if square < 0.0 => {
            format!("; its top is at depth {:.1}", -linear / (2.0 * square))
        }
        _ => String::new(),
    };
    format!("{}{r_squared}{top}", terms.join(" "))
}

fn effort(summary: &LadderSummary<'_>) -> String {
    let row = |one: &DepthSummary| {
        let Some(effort) = &one.effort else {
            return format!("| {} | 0 | - | - | - | - |\n", one.depth);
        };
        let SelfPlayEffort { total, playouts, nodes, deepest_leaf } = effort;
        format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            one.depth,
            total.searches,
            wording::interval(*playouts, 1),
            wording::interval(*nodes, 1),
            wording::interval(*deepest_leaf, 2),
            total.deepest_leaf
        )
    };
    let rows: String = summary.depths.iter().map(row).collect();
    format!(
        "## Effort\n\n\
         Per searched move in self-play; a move without a choice is not searched for. A search \
         does as much on every machine; its seconds are its playouts by the playouts per second \
         of the machine.\n\n\
         | depth | searches | playouts | nodes | deepest leaf | deepest of all |\n\
         |---|---|---|---|---|---|\n{rows}\n- {}\n- The paper: {TIMES_OF_THE_PAPER}.\n",
        shape(summary)
    )
}

/// Describes how playouts depend on the depth.
fn shape(summary: &LadderSummary<'_>) -> String {
    let efforts = summary.depths.iter().map(|one| Some((one.depth, one.effort.as_ref()?.playouts)));
    let Some(efforts) = efforts.collect::<Option<Vec<_>>>() else {
        return "No games yet.".to_owned();
    };
    let playouts: Vec<IntervalEstimate> = efforts.iter().map(|(_, playouts)| *playouts).collect();
    let factor = |at: usize| playouts[at].mean / playouts[0].mean;
    let (depth, last) = (|at: usize| efforts[at].0, efforts.len() - 1);
    let (first, deepest) = (depth(0), depth(last));
    match EffortShape::of(&playouts) {
        EffortShape::Level => "Playouts are level: all intervals overlap.".to_owned(),
        EffortShape::Rising => format!(
            "Playouts rise with every depth, to {:.2} times those of depth {first} at depth \
             {deepest}.",
            factor(last)
        ),
        EffortShape::RisingThenLevel(from) => format!(
            "Playouts rise up to depth {}, to {:.2} times those of depth {first}, and are level \
             from there: the intervals of depths {} to {deepest} overlap.",
            depth(from),
            factor(from),
            depth(from)
        ),
        EffortShape::Uneven => {
            let falls = (1..=last).filter(|&at| {
                playouts[at].mean < playouts[at - 1].mean
                    && !intervals_overlap(playouts[at], playouts[at - 1])
            });
            let falls: Vec<String> =
                falls.map(|at| format!("from depth {} to {}", depth(at - 1), depth(at))).collect();
            match falls.is_empty() {
                true => "Playouts neither rise with every depth nor level off.".to_owned(),
                false => format!("Playouts fall {}.", wording::list(&falls)),
            }
        }
    }
}

fn depths<'a>(depths: impl Iterator<Item = &'a u32>) -> Vec<String> {
    depths.map(u32::to_string).collect()
}
