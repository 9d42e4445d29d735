//! The steps: what was predicted, what games said, and what was learned.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_core::text::{grouped, rounded};
use hatchery_figures::{MeasuredPoint, PointAxis, PointChart, PointSeries, Quantity, SeriesForm};

use super::super::steps::{PredictionCounts, StepReport};
use super::super::summary::DesignSummary;
use crate::experiment::wording;
use crate::seat_balance::percentage_points;

/// Returns the section on predictions and on the games that followed them.
pub(super) fn predictions(summary: &DesignSummary<'_>) -> FindingSection {
    let row = |step: &StepReport<'_>| {
        let StepReport { number, good, bad, .. } = step;
        let called = [called(good, "good"), called(bad, "bad")];
        std::iter::once(number.to_string().into()).chain(called.into_iter().flatten()).collect()
    };
    let evidence = summary.steps.iter().map(|step| step.evidence.sentence(step.number).into());
    let about = "At each step the maps that the classifier called best and worst were simulated. \
                 Right is what the labels say that the new games led to. Sigma is the root of the \
                 mean of the true sigma\u{b2} of these maps, with its 95 % interval: if the \
                 classifier knows something, it is smaller where good was said.";
    let columns = vec![
        TableHead::number("step"),
        TableHead::text("called good: right"),
        TableHead::number("sigma"),
        TableHead::text("called bad: right"),
        TableHead::number("sigma"),
    ];
    let caption = "Sigma of the maps called good and bad by step, and of the maps of the start, \
                   with 95 % intervals: how much the seats' true win rates differ.";
    FindingSection::new(
        "Predicted and simulated",
        vec![
            FindingBlock::text(about),
            FindingBlock::figure("sigma-by-step", chart(summary).picture(), caption),
            FindingBlock::table(
                RichText::default(),
                columns,
                summary.steps.iter().map(row).collect(),
            ),
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

fn called(
    PredictionCounts { n, right, unclear, sigma }: &PredictionCounts,
    name: &str,
) -> [RichText; 2] {
    let unclear = match unclear {
        0 => String::new(),
        unclear => format!(", {unclear} unclear"),
    };
    [format!("{right} of {n} {name}{unclear}").into(), wording::cell(sigma.map(in_points))]
}

fn in_points(sigma: IntervalEstimate) -> RichText {
    RichText::estimate(sigma, 2)
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
    let numbers = [
        "labels: good",
        "bad",
        "none",
        "threshold",
        "class prior used",
        "estimated",
        "eta",
        "lambda",
        "width",
        "validation risk",
    ];
    let columns = std::iter::once(TableHead::number("step"))
        .chain(numbers.into_iter().map(TableHead::number))
        .chain([TableHead::text("candidates called good")])
        .collect();
    let caption = "What the classifier learned from before each step. The class prior is the share \
                   of good maps among random ones as it was used, and as it was estimated: few \
                   labels tell it poorly. The validation risk is the share of wrong calls that \
                   cross-validation estimates, by which eta, lambda and width were chosen: it \
                   reads too low.";
    let rows = summary.steps.iter().map(learning_row).collect();
    let mut blocks = vec![FindingBlock::table(caption, columns, rows)];
    let failures = summary.steps.iter().filter_map(|step| {
        let why = step.record.failure.as_ref()?;
        Some(format!("Step {} was done in a simpler way: {why}.", step.number).into())
    });
    let failures: Vec<RichText> = failures.collect();
    blocks.extend((!failures.is_empty()).then_some(FindingBlock::List(failures)));
    FindingSection::new("What was learned", blocks)
}

fn learning_row(step: &StepReport<'_>) -> Vec<RichText> {
    let StepReport { number, record, learned_from, threshold, .. } = step;
    let number_cell =
        |value: Option<f64>, digits| wording::cell(value.map(|value| rounded(value, digits)));
    let chosen = record.chosen;
    let mut cells = vec![number.to_string().into()];
    cells.extend(learned_from.map(|n| grouped(n).into()));
    cells.extend([
        number_cell(threshold.map(percentage_points), 2),
        number_cell(record.prior.map(|prior| prior.theta), 2),
        number_cell(record.prior.map(|prior| prior.estimate), 2),
        wording::cell(chosen.map(|chosen| wording::short_number(chosen.eta))),
        number_cell(chosen.map(|chosen| chosen.lambda), 3),
        number_cell(chosen.and_then(|chosen| chosen.width), 2),
        number_cell(chosen.and_then(|chosen| chosen.risk), 2),
    ]);
    let (good, all) = record.called_good;
    cells.push(format!("{} of {}", grouped(good), grouped(all)).into());
    cells
}
