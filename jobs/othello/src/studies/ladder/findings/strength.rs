//! The strength of agents: ratings, cross table, neighbors and curves.

use hatchery_core::DataTable;
use hatchery_core::findings::{FindingBlock, FindingSection, RichText};
use hatchery_core::text::{counted, joined, rounded};
use hatchery_stats::{PolynomialDegree, PolynomialFit};

use super::super::charts;
use super::super::summary::LadderSummary;
use super::super::tables;
use crate::studies::wording;

/// All that the text of the paper says of its ladder.
const LADDER_OF_THE_PAPER: &str = "The ladder of the paper goes from 980 to 1,300 on Othello \
    Quest, about 320 points; the rating rises with the depth and saturates at 25, and depth 30 is \
    slightly below 25 (Takagi et al., §4.1, Fig. 4).";

/// Returns the sections on strength.
pub(super) fn sections(summary: &LadderSummary<'_>) -> Vec<FindingSection> {
    vec![strength(summary), crosstable(summary), neighbors(summary)]
}

fn strength(summary: &LadderSummary<'_>) -> FindingSection {
    let caption = format!(
        "Elo by depth, with {} % intervals, from {}. The curves are the straight line and the \
         parabola that fit best, weighted by 1 / standard error squared: {}; {}.",
        summary.percent(),
        counted(summary.n_games(), "game"),
        fit(summary, "line", PolynomialDegree::Linear),
        fit(summary, "parabola", PolynomialDegree::Quadratic),
    );
    let mut blocks: Vec<FindingBlock> =
        unrated(summary).into_iter().map(FindingBlock::Text).collect();
    blocks.extend([
        FindingBlock::figure("ladder", charts::ladder(summary).picture(), caption),
        FindingBlock::List(vec![scores(summary).into(), span(summary), LADDER_OF_THE_PAPER.into()]),
        tables::ladder(summary).block(RichText::default()),
    ]);
    FindingSection::new("Strength", blocks)
}

/// Names the depths that have no finite rating.
fn unrated(summary: &LadderSummary<'_>) -> Option<RichText> {
    let unrated = summary.unrated();
    let reasons = unrated.iter().map(|one| format!("depth {} ({})", one.depth, one.rating.text()));
    let reasons: Vec<String> = reasons.collect();
    (!reasons.is_empty()).then(|| {
        RichText::default()
            .strong(format!("No finite rating: {}.", joined(&reasons)))
            .plain(" They have no measure ")
            .code("depth-N/elo")
            .plain("; the ratings, the span, the neighbors and the curves are those of the others.")
    })
}

/// Says if the scores against the deepest agent rise strictly.
fn scores(summary: &LadderSummary<'_>) -> String {
    let deepest = summary.deepest();
    let scored: Vec<(u32, f64)> =
        summary.depths.iter().filter_map(|one| Some((one.depth, one.score?.mean))).collect();
    let percent = |score: f64| format!("{} %", rounded(100.0 * score, 1));
    let falls = scored.windows(2).filter(|pair| pair[1].1 <= pair[0].1);
    let falls: Vec<String> = falls
        .map(|pair| {
            let [(shallow, high), (deep, low)] = [pair[0], pair[1]];
            format!("depth {deep} scores {}, and depth {shallow} {}", percent(low), percent(high))
        })
        .collect();
    let over = joined(depths(scored.iter().map(|(depth, _)| depth)));
    match (scored.len(), falls.is_empty()) {
        (0, _) => format!("No games against depth {deepest} yet."),
        (1, _) => format!("Only depth {over} has a score against depth {deepest}."),
        (_, true) => {
            format!("The scores against depth {deepest} rise strictly over depths {over}.")
        }
        (_, false) => format!(
            "The scores against depth {deepest} do not rise strictly over depths {over}: {}.",
            joined(&falls)
        ),
    }
}

fn span(summary: &LadderSummary<'_>) -> RichText {
    let Some(span) = summary.span() else {
        return "The span of the ladder is unknown, as fewer than two depths have a finite rating."
            .into();
    };
    let [lowest, highest] = span.depths;
    RichText::new("The ladder spans ").join(RichText::estimate(span.difference, 0)).plain(format!(
        " Elo, from depth {lowest}, the lowest, to depth {highest}, the highest. It is the \
             largest of all differences, so it reads too high: of equal agents, one is the highest \
             by chance."
    ))
}

fn crosstable(summary: &LadderSummary<'_>) -> FindingSection {
    let caption = format!(
        "The score of each depth (row) against each other one (column), in percent: points per \
         game, one half for a draw. Blue is above one half, red below; each cell has {}.",
        counted(2 * u64::from(summary.spec.pairs), "game")
    );
    let figure = FindingBlock::figure("crosstable", charts::crosstable(summary).picture(), caption);
    FindingSection::new("Cross table", vec![figure])
}

/// Compares each two neighbors, and names all depths whose intervals overlap.
fn neighbors(summary: &LadderSummary<'_>) -> FindingSection {
    let overlapping = summary.overlapping();
    let neighbors = summary.neighbors();
    let table = DataTable::on_page(&neighbors)
        .count("depth", |([shallow, _], _)| *shallow)
        .count("next depth", |([_, deep], _)| *deep)
        .words("difference in Elo", |(_, difference)| difference.map(wording::elo))
        .flag("intervals overlap", |(depths, difference)| {
            difference.is_some().then(|| overlapping.contains(depths))
        })
        .block(RichText::default());
    let pairs: Vec<String> = overlapping.iter().map(|[a, b]| format!("{a} with {b}")).collect();
    let n_rated = summary.depths.len() - summary.unrated().len();
    let overlaps = match (n_rated, pairs.is_empty()) {
        (0 | 1, _) => {
            "Fewer than two depths have a finite rating: none can be compared.".to_owned()
        }
        (_, true) => "No Elo intervals of any two rated depths overlap.".to_owned(),
        (_, false) => format!(
            "Of all rated depths, these Elo intervals overlap: {}. All others are apart.",
            joined(&pairs)
        ),
    };
    let about = "The difference is the interval to compare two depths by; intervals that do not \
                 overlap say more than that.";
    let blocks = vec![FindingBlock::text(about), table, FindingBlock::text(overlaps)];
    FindingSection::new("Neighbors", blocks)
}

/// Returns a fitted curve as a formula for Elo.
fn fit(summary: &LadderSummary<'_>, name: &str, degree: PolynomialDegree) -> String {
    summary.fit(degree).map_or_else(
        || format!("too few depths have a finite rating for a {name}"),
        |fit| polynomial(&fit, summary.r_squared(&fit)),
    )
}

fn polynomial(fit: &PolynomialFit, r_squared: Option<f64>) -> String {
    let coefficients = fit.coefficients();
    let powers = ["", " d", " d\u{b2}"];
    let terms = coefficients.iter().zip(powers).zip([1, 2, 4]);
    let terms: Vec<String> =
        terms.map(|((value, power), digits)| format!("{value:+.digits$}{power}")).collect();
    let r_squared = r_squared.map(|it| format!("R\u{b2} = {it:.3}"));
    let top = match coefficients[..] {
        [_, linear, square] if square < 0.0 => {
            Some(format!("its top at depth {:.1}", -linear / (2.0 * square)))
        }
        _ => None,
    };
    let notes: Vec<String> = r_squared.into_iter().chain(top).collect();
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    format!("{} for depth d{notes}", terms.join(" "))
}

pub(super) fn depths<'a>(depths: impl Iterator<Item = &'a u32>) -> Vec<String> {
    depths.map(u32::to_string).collect()
}
