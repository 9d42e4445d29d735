//! A section for each condition: the mean lines of its controllers as a chart and as a table.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText};
use hatchery_core::text::counted;
use hatchery_core::{DataTable, MeasureValue};
use hatchery_figures::{ForestChart, ForestRow, Quantity};

use super::reference::PaperGame;
use crate::params::controller_params::ControllerParams;
use crate::params::estimator_param::EstimatorParam;
use crate::studies::evaluate::condition::{PlayedCondition, PlayedController};
use crate::studies::evaluate::spec::EvaluateSpec;
use crate::studies::wording::{STOPPED, lines, lines_estimate};

/// The most conditions that have a section, and the most controllers in one.
const MAX_CONDITIONS: usize = 8;
const MAX_ROWS: usize = 40;
/// A chart shows the paper's mean if the best controller reaches at least this share of the mean.
/// Otherwise all other points would be a heap at the left.
const LEAST_SHARE: f64 = 0.1;

/// Returns the sections of the conditions.
pub(super) fn sections(
    spec: &EvaluateSpec,
    conditions: &[PlayedCondition<'_>],
) -> Vec<FindingSection> {
    let shown = conditions.iter().take(MAX_CONDITIONS).enumerate();
    let mut sections: Vec<_> = shown.map(|(idx, it)| section(spec, it, idx + 1)).collect();
    if let Some(last) = sections.last_mut()
        && MAX_CONDITIONS < conditions.len()
    {
        let n = counted(conditions.len(), "condition");
        let words = RichText::new(format!("These are the first {MAX_CONDITIONS} of {n}; "));
        last.blocks.push(FindingBlock::Text(words.code("table.md").plain(" has all.")));
    }
    sections
}

fn section(spec: &EvaluateSpec, condition: &PlayedCondition<'_>, number: usize) -> FindingSection {
    let ranking = condition.ranking();
    let shown = &ranking[..ranking.len().min(MAX_ROWS)];
    let paper = PaperGame::of(condition);
    let caption = if condition.draw.is_fixed() {
        "Lines of each controller, the highest first: all have the same pieces."
    } else {
        "Mean lines a game of each controller, the highest first: dots with intervals at 95 %. The \
         first of several was partly lucky and reads slightly too high."
    };
    let picture = chart(condition, shown, paper).picture();
    let mut blocks = vec![FindingBlock::figure(format!("lines-{number}"), picture, caption)];
    blocks.extend(paper.map(|paper| FindingBlock::Text(paper.text())));
    blocks.push(table(spec, condition, shown));
    if shown.len() < ranking.len() {
        let n = counted(ranking.len(), "controller");
        let words = RichText::new(format!("These are the best {MAX_ROWS} of {n}; "));
        blocks.push(FindingBlock::Text(words.code("table.md").plain(" has all.")));
    }
    FindingSection::new(format!("On {}", condition.name()), blocks)
}

fn chart(
    condition: &PlayedCondition<'_>,
    shown: &[PlayedController<'_>],
    paper: Option<PaperGame>,
) -> ForestChart {
    let most = shown.iter().filter_map(|it| it.mean).map(|mean| mean.high).fold(0.0, f64::max);
    let (scale, unit) = match most {
        0.0..1e4 => (1.0, ""),
        1e4..1e6 => (1e3, "thousand "),
        _ => (1e6, "million "),
    };
    let paper = paper.filter(|paper| LEAST_SHARE * paper.lines() <= most);
    let rows = shown.iter().filter_map(|it| {
        let quantity = Quantity::from(it.mean?).scaled(1.0 / scale);
        Some(ForestRow { name: it.params.name.clone(), quantity })
    });
    ForestChart {
        title: format!("Mean lines on {} (95 % intervals)", condition.name()),
        x_label: format!("mean, {unit}lines a game"),
        x_shown: Vec::new(),
        reference: paper.map(|paper| paper.reference(scale)),
        rows: rows.collect(),
    }
}

fn table(
    spec: &EvaluateSpec,
    condition: &PlayedCondition<'_>,
    shown: &[PlayedController<'_>],
) -> FindingBlock {
    let base = &condition.controllers[0];
    let is_split = spec.estimator == EstimatorParam::Splitting;
    // A game that reaches the end of its list is complete.
    let is_complete = condition.draw.list.is_some();
    let is_stopped = !is_complete && shown.iter().any(|it| it.results.n_capped() != 0);
    let times = |it: &PlayedController<'_>| {
        it.times(base).filter(|_| !std::ptr::eq(it.params, base.params))
    };
    let median = |it: &PlayedController<'_>| match it.results.median() {
        MeasureValue::Estimate(median) => lines_estimate(median),
        median => lines(median.point()).into(),
    };
    let sd = |it: &PlayedController<'_>| {
        (1 < it.results.lines.len()).then(|| lines(it.results.summary().sd()))
    };
    let table = DataTable::on_page(shown)
        .text("controller", |it| &it.params.name)
        .text("kind", |it| kind(it.params))
        .words("mean lines", |it| it.mean.map(lines_estimate))
        .estimate(format!("times {}", base.params.name), 2, times)
        .only_if(is_split, |table| table.count("ends seen", |it| it.results.n_ends()))
        .only_if(!is_split, |table| table.words("median", median).words("sd", sd))
        .only_if(is_stopped, |table| table.count("stopped games", |it| it.results.n_capped()));
    let spread = match is_split {
        true => "Ends are those that splitting has seen in all replicates.",
        false => "The standard deviation (sd) is that of the games played.",
    };
    let stopped = if is_stopped { format!(" {STOPPED}") } else { String::new() };
    let caption = format!(
        "Intervals are at 95 %. Ratios compare means with that of {}, the first in the spec. \
         {spread}{stopped}",
        base.params.name
    );
    table.block(caption)
}

/// Returns the kind of a controller in a few words.
fn kind(params: &ControllerParams) -> String {
    let kind = match &params.network {
        Some(network) => format!("network, {} hidden", network.hidden),
        None if params.surface.is_some() => "linear, with surface".to_owned(),
        None => "linear".to_owned(),
    };
    match params.lookahead {
        Some(_) => format!("{kind}, two levels"),
        None => kind,
    }
}
