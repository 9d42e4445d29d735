//! The steps: what was predicted, what games said, and what was learned.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText};
use hatchery_core::{DataTable, IntervalEstimate};
use hatchery_figures::{MeasuredPoint, PointAxis, PointChart, PointSeries, Quantity, SeriesForm};

use super::super::steps::{PredictionCounts, StepReport};
use super::super::summary::DesignSummary;
use super::super::tables;

/// Returns the section on predictions and on the games that followed them.
pub(super) fn predictions(summary: &DesignSummary<'_>) -> FindingSection {
    let evidence = summary.steps.iter().map(|step| step.evidence.sentence(step.number).into());
    let about = "At each step the maps that the classifier called best and worst were simulated. \
                 Right is what the labels say that the new games led to. Sigma is the root of the \
                 mean of the true sigma\u{b2} of these maps, with its 95 % interval: if the \
                 classifier knows something, it is smaller where good was said.";
    let table = DataTable::on_page(&summary.steps)
        .count("step", |step| step.number)
        .text("called good: right", |step| called(&step.good, "good"))
        .estimate("sigma", 2, |step| step.good.sigma)
        .text("called bad: right", |step| called(&step.bad, "bad"))
        .estimate("sigma", 2, |step| step.bad.sigma)
        .block("");
    let caption = "Sigma of the maps called good and bad by step, and of the maps of the start, \
                   with 95 % intervals: how much the seats' true win rates differ.";
    FindingSection::new(
        "Predicted and simulated",
        vec![
            FindingBlock::text(about),
            FindingBlock::figure("sigma-by-step", chart(summary).picture(), caption),
            table,
            FindingBlock::List(evidence.collect()),
            FindingBlock::text(
                "Maps are compared with even ones by the chi-square test of all of them together, \
                 and those called bad with those called good by Wilcoxon's rank-sum test of their \
                 debiased variances, to one side. Each step is tested at 5 % divided by the number \
                 of steps (Bonferroni), so that the chance of any false positive is at most 5 %.",
            ),
        ],
    )
}

fn called(PredictionCounts { n, right, unclear, .. }: &PredictionCounts, name: &str) -> String {
    let unclear = match unclear {
        0 => String::new(),
        unclear => format!(", {unclear} unclear"),
    };
    format!("{right} of {n} {name}{unclear}")
}

fn chart(summary: &DesignSummary<'_>) -> PointChart {
    let point = |step: usize, sigma: Option<IntervalEstimate>| {
        let x = f64::from(u32::try_from(step).unwrap_or(u32::MAX));
        sigma.map(|sigma| MeasuredPoint { x, y: Quantity::from(sigma) })
    };
    let series = |name: &str, form, points: Vec<_>| {
        (!points.is_empty()).then(|| PointSeries { name: name.to_owned(), form, points })
    };
    let called = |called: fn(&StepReport<'_>) -> PredictionCounts| {
        let steps = summary.steps.iter();
        steps.filter_map(|step| point(step.number, called(step).sigma)).collect()
    };
    let start = point(0, summary.start_sigma()).into_iter().collect();
    let all = [
        series("called good", SeriesForm::JoinedPoints, called(|step| step.good)),
        series("called bad", SeriesForm::JoinedPoints, called(|step| step.bad)),
        series("maps of the start", SeriesForm::Points, start),
    ];
    PointChart {
        title: "Sigma of predicted maps".to_owned(),
        x_label: "step; 0 is the start".to_owned(),
        y_label: "sigma, percentage points".to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0],
        reference: None,
        series: all.into_iter().flatten().collect(),
    }
}

/// Returns the section on what was learned.
pub(super) fn learning(summary: &DesignSummary<'_>) -> FindingSection {
    let caption = "What the classifier learned from before each step. The class prior is the share \
                   of good maps among random ones as it was used, and as it was estimated: few \
                   labels tell it poorly. The validation risk is the share of wrong calls that \
                   cross-validation estimates, by which eta, lambda and width were chosen: it \
                   reads too low.";
    let mut blocks = vec![tables::steps(&summary.steps).block(caption)];
    let failures = summary.steps.iter().filter_map(|step| {
        let why = step.record.failure.as_ref()?;
        Some(format!("Step {} was done in a simpler way: {why}.", step.number).into())
    });
    let failures: Vec<RichText> = failures.collect();
    blocks.extend((!failures.is_empty()).then_some(FindingBlock::List(failures)));
    FindingSection::new("What was learned", blocks)
}
