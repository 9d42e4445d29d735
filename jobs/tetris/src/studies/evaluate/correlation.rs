//! The correlation of controllers' means between conditions: whether one game can stand for
//! another.

use hatchery_core::findings::{FindingSection, RichText};
use hatchery_core::{DataTable, IntervalEstimate, Measure};
use hatchery_stats::{ErrorRate, spearman};

use super::condition::{PlayedCondition, PlayedController};
use super::spec::EvaluateSpec;
use crate::studies::player_results::PlayerResults;

/// The correlation between the means under a condition and the means under the first condition.
struct ConditionCorrelation<'a> {
    first: &'a PlayedCondition<'a>,
    other: &'a PlayedCondition<'a>,
    /// Spearman's rank correlation over the controllers.
    correlation: Result<IntervalEstimate, NoCorrelation<'a>>,
}

/// The reason why means cannot be correlated.
enum NoCorrelation<'a> {
    /// Splitting saw no game of this controller end.
    NoMean(&'a str),
    /// All means of a condition are equal.
    EqualMeans,
}

/// Returns the correlation between each condition and the first condition, or no correlations
/// unless the spec asks for them.
fn correlations<'a>(
    spec: &EvaluateSpec,
    conditions: &'a [PlayedCondition<'a>],
) -> Vec<ConditionCorrelation<'a>> {
    let (true, Some((first, others))) = (spec.correlate, conditions.split_first()) else {
        return Vec::new();
    };
    let pair = |other: &'a PlayedCondition<'a>| ConditionCorrelation {
        first,
        other,
        correlation: correlation(first, other),
    };
    others.iter().map(pair).collect()
}

fn correlation<'a>(
    first: &PlayedCondition<'a>,
    other: &PlayedCondition<'a>,
) -> Result<IntervalEstimate, NoCorrelation<'a>> {
    let point = |(a, b): (&PlayedController<'a>, &PlayedController<'a>)| {
        let point = a.mean.zip(b.mean).map(|(a, b)| [a.mean, b.mean]);
        point.ok_or(NoCorrelation::NoMean(&a.params.name))
    };
    let controllers = first.controllers.iter().zip(&other.controllers);
    let points = controllers.map(point).collect::<Result<Vec<_>, _>>()?;
    // There are enough controllers, and their means are finite.
    spearman(&points, ErrorRate::FIVE_PERCENT).map_err(|_| NoCorrelation::EqualMeans)
}

/// Returns a measure for each condition after the first: its correlation with the first condition.
pub(super) fn measures(spec: &EvaluateSpec, results: &[PlayerResults]) -> Vec<Measure> {
    let conditions = PlayedCondition::all(spec, results);
    let measure = |it: ConditionCorrelation<'_>| {
        let name = format!("rank_correlation/{}", it.other.path());
        Some(Measure::new(name, "", it.correlation.ok()?))
    };
    correlations(spec, &conditions).into_iter().filter_map(measure).collect()
}

/// Returns the section of the correlations.
pub(super) fn section(
    spec: &EvaluateSpec,
    conditions: &[PlayedCondition<'_>],
) -> Option<FindingSection> {
    let found = correlations(spec, conditions);
    let first = found.first()?.first.name();
    let words = |it: &ConditionCorrelation<'_>| match &it.correlation {
        Ok(correlation) => RichText::estimate(*correlation, 2),
        Err(NoCorrelation::NoMean(name)) => format!("none: {name} has no mean").into(),
        Err(NoCorrelation::EqualMeans) => "none: all means of a condition are equal".into(),
    };
    let caption = format!(
        "Spearman's rank correlation of the means of {} controllers with those on {first}, with \
         95 % intervals (Fisher's z; Bonett & Wright 2000). The means have errors of their own, so \
         that the correlation of the true means is higher.",
        spec.controllers.len()
    );
    let table = DataTable::on_page(&found)
        .text("condition", |it| it.other.name())
        .words("rank correlation", words)
        .block(caption);
    Some(FindingSection::new(format!("How well other games stand for {first}"), vec![table]))
}
