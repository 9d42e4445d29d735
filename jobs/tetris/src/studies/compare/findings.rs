//! The findings of `tetris-compare`: learning curves, and the lines at their last common point.

use hatchery_core::findings::{FindingBlock, FindingSection, KeyFact, RichText, words};
use hatchery_core::text::{counted, rounded};
use hatchery_core::{DataTable, Findings, IntervalEstimate};
use hatchery_figures::{ForestChart, ForestRow};
use hatchery_stats::mean_ratio;

use super::repetition::SearchRepetition;
use super::report::{self, LearningCurve};
use super::spec::CompareSpec;
use crate::studies::wording::{self, lines, lines_estimate, lines_interval};

/// The searches at the last point that every search has reached.
struct CommonPoint<'a> {
    pieces: u64,
    /// The searches in the order of the spec, with their mean lines.
    searches: Vec<(&'a str, IntervalEstimate)>,
}

/// Returns the findings.
pub(super) fn findings(spec: &CompareSpec, repetitions: &[SearchRepetition]) -> Findings {
    let curves = report::learning_curves(spec, repetitions);
    let common = CommonPoint::of(&curves);
    let is_done = repetitions.iter().all(SearchRepetition::is_done);
    let optimizers = counted(spec.searches.len(), "optimizer");
    let mut sections = Vec::new();
    if curves.iter().any(|curve| !curve.points.is_empty()) {
        sections.push(curves_section(spec, &curves));
    }
    sections.extend(common.as_ref().map(common_section));
    Findings {
        title: format!(
            "{optimizers} of Tetris controllers with {} each",
            counted(spec.pieces, "piece")
        )
        .into(),
        summary: summary(common.as_ref(), is_done),
        key_facts: common.as_ref().map(key_facts).unwrap_or_default(),
        sections,
        method: vec![method()],
    }
}

impl<'a> CommonPoint<'a> {
    /// Returns the last point that all curves have.
    fn of(curves: &[LearningCurve<'a>]) -> Option<Self> {
        let at = |curve: &LearningCurve<'a>, pieces: u64| {
            let point = curve.points.iter().find(|(at, _)| *at == pieces);
            point.map(|(_, mean)| (curve.name, *mean))
        };
        curves.first()?.points.iter().rev().find_map(|&(pieces, _)| {
            let searches: Option<Vec<_>> = curves.iter().map(|it| at(it, pieces)).collect();
            Some(Self { pieces, searches: searches? })
        })
    }

    /// Returns the searches by their means, the highest first.
    fn ranking(&self) -> Vec<(&'a str, IntervalEstimate)> {
        let mut ranking = self.searches.clone();
        ranking.sort_by(|(_, a), (_, b)| b.mean.total_cmp(&a.mean));
        ranking
    }
}

fn summary(common: Option<&CommonPoint<'_>>, is_done: bool) -> RichText {
    let Some(common) = common else {
        return match is_done {
            true => "No point of the learning curves was reached by all repetitions.".into(),
            false => "No point of the learning curves has been reached by all searches yet.".into(),
        };
    };
    let ranking = common.ranking();
    let (first, mean) = ranking[0];
    let after = if is_done { "After " } else { "So far, after " };
    let words = RichText::new(format!("{after}{} each, ", counted(common.pieces, "piece")))
        .strong(format!("{first} has found the best controllers"))
        .plain(format!(": {} lines a game on average", lines(mean.mean)))
        .soft(format!(" ({})", lines_interval(mean)));
    let next = ranking.get(1).and_then(|(next, it)| Some((*next, mean_ratio([mean, *it])?)));
    wording::beside_next(words, next, ". It is not")
}

fn key_facts(common: &CommonPoint<'_>) -> Vec<KeyFact> {
    let ranking = common.ranking();
    let (first, mean) = ranking[0];
    let after = counted(common.pieces, "piece");
    let best = KeyFact {
        name: format!("Lines after {after}"),
        value: lines(mean.mean),
        note: format!("{}; {first}, best of {}", lines_interval(mean), ranking.len()),
    };
    let ahead = ranking.get(1).and_then(|(next, it)| {
        let times = mean_ratio([mean, *it])?;
        let interval = words::interval(&times, |end| rounded(end, 2));
        Some(KeyFact {
            name: "Best against the next".to_owned(),
            value: format!("{} times", rounded(times.mean, 2)),
            note: format!("{interval}, against {next}"),
        })
    });
    std::iter::once(best).chain(ahead).collect()
}

fn curves_section(spec: &CompareSpec, curves: &[LearningCurve<'_>]) -> FindingSection {
    let caption = "Mean lines of the best controllers of each search's repetitions in fresh games, \
                   by the pieces that each repetition had spent, on logarithmic axes. Bands and \
                   whiskers are intervals at 95 % over repetitions. A curve ends with the last \
                   generation that all repetitions complete within their pieces.";
    let picture = report::chart(spec, curves).picture();
    let mut blocks = vec![FindingBlock::figure("learning-curves", picture, caption)];
    let pieces = |end: Option<&(u64, IntervalEstimate)>| end.map(|(pieces, _)| *pieces);
    let mean = |end: Option<&(u64, IntervalEstimate)>| end.map(|(_, mean)| lines_estimate(*mean));
    let table = DataTable::on_page(curves)
        .text("search", |curve| curve.name)
        .count("pieces at the first point", |curve| pieces(curve.points.first()))
        .words("mean lines", |curve| mean(curve.points.first()))
        .count("pieces at the last point", |curve| pieces(curve.points.last()))
        .words("mean lines", |curve| mean(curve.points.last()));
    blocks.push(table.block("The ends of each curve."));
    FindingSection::new("Learning curves", blocks)
}

fn common_section(common: &CommonPoint<'_>) -> FindingSection {
    let pieces = counted(common.pieces, "piece");
    let ranking = common.ranking();
    let rows = ranking
        .iter()
        .map(|(name, mean)| ForestRow { name: (*name).to_owned(), quantity: (*mean).into() });
    let chart = ForestChart {
        title: format!("Mean lines after {pieces} (95 % intervals)"),
        x_label: "mean lines a game".to_owned(),
        x_shown: vec![0.0],
        reference: None,
        rows: rows.collect(),
    };
    let caption = "Mean lines at the last point that all searches have reached: dots with \
                   intervals at 95 % over repetitions. The first was partly lucky and reads \
                   slightly too high.";
    let (base, base_mean) = common.searches[0];
    let times = |(name, mean): &(&str, IntervalEstimate)| {
        mean_ratio([*mean, base_mean]).filter(|_| *name != base)
    };
    let table = DataTable::on_page(&ranking)
        .text("search", |(name, _)| *name)
        .words("mean lines", |(_, mean)| lines_estimate(*mean))
        .estimate(format!("times {base}"), 2, times);
    let about = format!("Ratios compare means with that of {base}, the first search in the spec.");
    FindingSection::new(
        format!("After {pieces}"),
        vec![FindingBlock::figure("common-point", chart.picture(), caption), table.block(about)],
    )
}

fn method() -> FindingBlock {
    let about = RichText::new(
        "Each time a repetition had spent a set number of pieces, its best controller so far \
         played fresh games, from which the search learned nothing and whose pieces do not count. \
         A point is the mean over all repetitions, if all of them have reached it, with an \
         interval at 95 % on the logarithmic scale with Student's quantile. A repetition without a \
         line counts as one line in all its games. Ratios combine the intervals of both means \
         (MOVER, Zou & Donner 2008); they are not corrected for the number of comparisons. ",
    );
    FindingBlock::Text(about.code("learning-curves.csv").plain(" has all points."))
}
