//! The findings of `tetris-evolve`: how the population learned, and what its champion is worth.

use hatchery_core::findings::{FindingBlock, FindingSection, KeyFact, RichText};
use hatchery_core::text::{grouped, rounded};
use hatchery_core::{Findings, GenerationMeasures, Measure, MeasureValue};
use hatchery_evolve::{MeanScore, OptimizerKind};
use hatchery_figures::{
    HeatStrip, MeasuredPoint, PointAxis, PointChart, PointSeries, QuantileColumn, SeriesForm,
};

use super::report::{BEST, CHAMPION, CHAMPION_FITNESS, MEAN, QUANTILES, measures};
use super::spec::{CheckedEvolve, EvolveSpec};
use super::state::{EvolvePhase, EvolveState};
use crate::studies::genotype::ControllerKind;
use crate::studies::wording::{self, lines, lines_interval};

/// Returns the findings of a run in `state`.
pub(super) fn findings(
    checked: &CheckedEvolve,
    state: &EvolveState,
    history: &[GenerationMeasures],
) -> Findings {
    // The record of a generation knows more than its state.
    let spec = &checked.spec;
    let measures =
        history.last().map_or_else(|| measures(checked, state), |it| it.measures.clone());
    let controllers = match spec.controller {
        ControllerKind::Network | ControllerKind::NetworkWithDiversity => "Networks",
        ControllerKind::Linear | ControllerKind::LinearWithDiversity => "Linear controllers",
    };
    let article = match spec.optimizer {
        OptimizerKind::Genetic => "a ",
        OptimizerKind::CmaEs => "",
        OptimizerKind::CrossEntropy => "the ",
    };
    let optimizer = wording::optimizer(spec.optimizer);
    let game = &spec.fitness.game;
    let title = format!(
        "{controllers} that play Tetris, evolved by {article}{optimizer} on {}x{}",
        game.width, game.height
    );
    Findings {
        title: title.into(),
        summary: summary(spec, state, &measures),
        key_facts: if is_scored(state) { key_facts(&measures) } else { Vec::new() },
        sections: learning(history).into_iter().collect(),
        method: vec![method()],
    }
}

/// Returns true once a generation has been scored.
fn is_scored(state: &EvolveState) -> bool {
    state.latest != MeanScore::default()
}

fn summary(spec: &EvolveSpec, state: &EvolveState, measures: &[Measure]) -> RichText {
    let lines = |name| number(measures, name).unwrap_or_else(|| "an unknown number of".to_owned());
    if let EvolvePhase::Done { .. } = state.phase {
        let judge = &spec.judge.game;
        let mut text = RichText::default()
            .strong(format!("The champion clears {} lines", lines(CHAMPION)))
            .join(interval(measures, CHAMPION))
            .plain(format!(" in a game on {}x{}", judge.width, judge.height));
        if let Some(fitness) = number(measures, CHAMPION_FITNESS) {
            text = text
                .plain(format!(", and {fitness} lines"))
                .join(interval(measures, CHAMPION_FITNESS))
                .plain(" in fresh games of the fitness");
        }
        let times = measures.iter().find(|measure| measure.name == "improvement");
        let times = times.map(|times| rounded(times.value.point(), 0));
        return match times {
            Some(times) => text.plain(format!(": {times} times the mean of the first generation.")),
            None => text.plain("."),
        };
    }
    if !is_scored(state) {
        return "No generation has been scored yet.".into();
    }
    RichText::default()
        .strong(format!("The population clears {} lines", lines(MEAN)))
        .join(interval(measures, MEAN))
        .plain(format!(
            " a game on average so far. The best individual is at {} lines, biased upward as the \
             best of its generation.",
            lines(BEST)
        ))
}

/// Returns the value of a measure in words.
fn number(measures: &[Measure], name: &str) -> Option<String> {
    let measure = measures.iter().find(|measure| measure.name == name)?;
    Some(lines(measure.value.point()))
}

/// Returns the interval of a measure that has one.
fn interval(measures: &[Measure], name: &str) -> RichText {
    let measure = measures.iter().find(|measure| measure.name == name);
    match measure.map(|measure| measure.value) {
        Some(MeasureValue::Estimate(estimate)) => {
            RichText::default().soft(format!(" ({})", lines_interval(estimate)))
        }
        _ => RichText::default(),
    }
}

fn key_facts(measures: &[Measure]) -> Vec<KeyFact> {
    let fact = |name: &str, label: &str| {
        let measure = measures.iter().find(|measure| measure.name == name)?;
        let note = match measure.selected_from {
            Some(n) => format!("best of {}, so biased upward", grouped(n)),
            None => {
                let interval = interval(measures, name).to_string();
                interval.trim().trim_matches(['(', ')']).to_owned()
            }
        };
        let value = format!("{} lines", lines(measure.value.point()));
        Some(KeyFact { name: label.to_owned(), value, note })
    };
    let facts = [
        fact(CHAMPION, "Champion, judged in fresh games"),
        fact(MEAN, "Mean of the population").filter(|_| number(measures, CHAMPION).is_none()),
        fact(BEST, "Best of the last generation"),
    ];
    facts.into_iter().flatten().collect()
}

/// Returns the learning curve, once there are two generations.
fn learning(history: &[GenerationMeasures]) -> Option<FindingSection> {
    // Later generations, in which the champion plays, repeat the fitness of the last population.
    let is_scored = |measures: &[Measure]| measures.iter().any(|it| it.name == QUANTILES[0]);
    let scored: Vec<_> = history.iter().filter(|record| is_scored(&record.measures)).collect();
    let series = |name: &str, label: &str, form| {
        let points = scored.iter().filter_map(|GenerationMeasures { generation, measures }| {
            let measure = measures.iter().find(|measure| measure.name == name)?;
            Some(MeasuredPoint { x: f64::from(*generation), y: measure.value.into() })
        });
        PointSeries { name: label.to_owned(), form, points: points.collect() }
    };
    let series = vec![
        series(BEST, "best", SeriesForm::SelectedLine),
        series(MEAN, "mean", SeriesForm::Line),
    ];
    if series.iter().all(|series| series.points.len() < 2) {
        return None;
    }
    let chart = PointChart {
        title: "Fitness by generation".to_owned(),
        x_label: "generation".to_owned(),
        y_label: "lines a game".to_owned(),
        x_axis: PointAxis::Numbers,
        y_shown: vec![0.0],
        reference: None,
        series,
    };
    let caption = "Fitness by generation, with 95 % intervals where games tell them. The best \
                   individual of a generation, dashed, is the best by luck as well: it is worth \
                   less in other games, and its interval is biased upward with it. The mean is \
                   that of all individuals.";
    let curve = FindingBlock::figure("learning-curve", chart.picture(), caption);
    let blocks = [Some(curve), population_strip(history)].into_iter().flatten().collect();
    Some(FindingSection::new("How the population learned", blocks))
}

/// Returns the distribution of fitness in each generation, once there are two.
fn population_strip(history: &[GenerationMeasures]) -> Option<FindingBlock> {
    let columns = history.iter().filter_map(|GenerationMeasures { generation, measures }| {
        let mut quantiles = [0.0; 5];
        for (quantile, name) in quantiles.iter_mut().zip(QUANTILES) {
            *quantile = measures.iter().find(|measure| measure.name == name)?.value.point();
        }
        Some(QuantileColumn { x: f64::from(*generation), quantiles })
    });
    let columns: Vec<_> = columns.collect();
    if columns.len() < 2 {
        return None;
    }
    let strip = HeatStrip {
        title: "Fitness in the population".to_owned(),
        x_label: "generation".to_owned(),
        value_label: "lines a game".to_owned(),
        columns,
    };
    let caption = "How fitness is spread among the individuals of each generation, by the games \
                   that they played in it.";
    Some(FindingBlock::figure("population-strip", strip.picture(), caption))
}

fn method() -> FindingBlock {
    let about = "Fitness is the mean number of lines that an individual clears in games of its \
                 own. The best individual at the end is the champion. Its numbers are those of \
                 more games, with other sequences of pieces, so that luck in being chosen does not \
                 count.";
    FindingBlock::text(about)
}
