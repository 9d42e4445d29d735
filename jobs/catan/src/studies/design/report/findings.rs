//! The findings: what was learned, the maps that it led to, and their certificates.

mod certificates;
mod maps;
mod method;
mod panel;
mod setups;
mod steps;

use hatchery_core::findings::{FindingSection, KeyFact, RichText};
use hatchery_core::text::{counted, grouped};
use hatchery_core::{Findings, RunSeed};

use self::setups::ReplayedSetups;
use super::steps::{PredictionCounts, StepReport};
use super::summary::DesignSummary;
use crate::rules::Seat;
use crate::studies::table;

/// Returns the findings. With the seed of the run, the setups of some trials are played again to
/// see where the seats settle.
pub(super) fn findings(summary: &DesignSummary<'_>, seed: Option<&RunSeed>) -> Findings {
    Findings {
        title: title(summary).into(),
        summary: finding(summary),
        key_facts: key_facts(summary),
        sections: sections(summary, seed),
        method: method::method(summary),
    }
}

fn title(summary: &DesignSummary<'_>) -> String {
    let wanted = summary.spec.certify.as_ref().map(|certify| {
        let maps = counted(certify.wanted, "map");
        format!(": {maps} wanted with sigma below {} points", certify.margin)
    });
    let (agents, wanted) = (table::four(&summary.spec.agent), wanted.unwrap_or_default());
    match says_nothing(summary) {
        Some(_) => format!("A control, which says nothing about maps: games of {agents}{wanted}"),
        None => format!("Balanced Catan maps by learning, played by {agents}{wanted}"),
    }
}

/// Says that the games tell nothing about the maps, if the agents cannot tell maps apart.
fn says_nothing(summary: &DesignSummary<'_>) -> Option<RichText> {
    table::says_nothing(&[summary.spec.agent; Seat::COUNT])
}

fn sections(summary: &DesignSummary<'_>, seed: Option<&RunSeed>) -> Vec<FindingSection> {
    if summary.maps.is_empty() {
        return Vec::new();
    }
    let setups = ReplayedSetups { summary, seed };
    let mut sections = Vec::new();
    if !summary.steps.is_empty() {
        sections.extend([steps::predictions(summary), steps::learning(summary)]);
        sections.extend(maps::by_chance(summary));
    }
    match summary.spec.certify.as_ref().filter(|certify| certify.panel.is_some()) {
        Some(certify) => sections.push(panel::section(summary, certify, &setups)),
        None => sections.extend(certificates::section(summary, &setups)),
    }
    sections.extend(panel::seats(summary));
    sections.extend(maps::cards(summary, &setups));
    sections.push(maps::table(summary));
    sections
}

fn finding(summary: &DesignSummary<'_>) -> RichText {
    if summary.maps.is_empty() {
        return "No maps have been simulated yet.".into();
    }
    let words =
        [says_nothing(summary), certified(summary), Some(predicted(summary)), unfinished(summary)];
    words.into_iter().flatten().reduce(|all, more| all.plain(" ").join(more)).unwrap_or_default()
}

/// Says how many maps are certified; nothing before the first look.
fn certified(summary: &DesignSummary<'_>) -> Option<RichText> {
    let certify = summary.spec.certify.as_ref()?;
    summary.finalists.iter().find(|finalist| finalist.fresh.games != 0)?;
    let certified = match summary.certified().count() {
        0 => "No map is certified".to_owned(),
        n => format!("{} certified", are(n)),
    };
    let words = RichText::default().strong(certified);
    let agents = super::certificates::agents(summary.spec);
    let partly = summary.panel.iter().filter(|map| map.is_partly_certified()).count();
    let partly = match partly {
        0 => String::new(),
        n => format!(" For some of the agents, {} certified.", are(n)),
    };
    let margin = certify.margin;
    Some(words.plain(format!(
        " to be even for {agents}: the standard deviation of the seats' win rates is below \
         {margin} points.{partly}"
    )))
}

/// Returns the subject and the verb of a sentence about `n` maps.
fn are(n: usize) -> String {
    let verb = if n == 1 { "is" } else { "are" };
    format!("{} {verb}", counted(n, "map"))
}

/// Compares the maps of the latest step with the starting maps.
fn predicted(summary: &DesignSummary<'_>) -> RichText {
    let sigma = |sigma| RichText::estimate(sigma, 2);
    let start = summary.start_sigma();
    let Some(step) = summary.steps.last() else {
        let n = counted(summary.maps.len(), "map");
        let start = start.map_or_else(
            || RichText::new(format!("{n} of the start have been simulated.")),
            |start| {
                let agents = table::four(&summary.spec.agent);
                let words = format!(
                    "The start is {n}, on which the win rates of seats have a standard deviation \
                     (sigma) for {agents} of "
                );
                RichText::new(words).join(sigma(start)).plain(" points.")
            },
        );
        return start.plain(" Nothing has been predicted yet.");
    };
    let [good, bad] = totals(summary);
    let counts = RichText::new(format!("By games of {}, ", table::four(&summary.spec.agent)))
        .strong(format!("{} of {} maps that were called good are good", good.right, good.n))
        .plain(format!(", and {} of {} that were called bad are bad. ", bad.right, bad.n))
        .plain(significance(summary));
    let of_step = [("called good", step.good.sigma), ("called bad", step.bad.sigma)];
    let named = of_step.into_iter().chain([("of the start", start)]);
    let named = named.filter_map(|(name, it)| Some(sigma(it?).plain(format!(" for those {name}"))));
    match named.reduce(|all, more| all.plain(", ").join(more)) {
        None => counts,
        Some(named) => {
            let words = format!(" Sigma in points, at step {}: ", step.number);
            counts.plain(words).join(named).plain(".")
        }
    }
}

/// Returns the sentence about significance. On even maps, right calls are chance.
fn significance(summary: &DesignSummary<'_>) -> String {
    let n_all = counted(summary.steps.len(), "step");
    match super::steps::n_significant(&summary.steps) {
        0 => format!("That may be chance: in none of {n_all} was the difference significant."),
        n => format!("In {n} of {n_all}, the difference was significant."),
    }
}

fn unfinished(summary: &DesignSummary<'_>) -> Option<RichText> {
    (!summary.is_done).then(|| "The run is not finished yet.".into())
}

/// A number of maps, and the number of maps among them that were called right.
#[derive(Clone, Copy, Debug, Default)]
struct CallTotals {
    right: usize,
    n: usize,
}

/// Returns the totals over all steps, for maps called good and for maps called bad.
fn totals(summary: &DesignSummary<'_>) -> [CallTotals; 2] {
    let total = |called: fn(&StepReport<'_>) -> PredictionCounts| {
        let counts = summary.steps.iter().map(called);
        counts.fold(CallTotals::default(), |CallTotals { right, n }, more| CallTotals {
            right: right + more.right,
            n: n + more.n,
        })
    };
    [total(|step| step.good), total(|step| step.bad)]
}

fn key_facts(summary: &DesignSummary<'_>) -> Vec<KeyFact> {
    let certified = summary.spec.certify.as_ref().map(|certify| {
        let n = grouped(summary.certified().count());
        KeyFact {
            name: "Certified maps".to_owned(),
            value: format!("{n}, {} wanted", grouped(certify.wanted)),
            note: format!(
                "sigma below {} points, each wrong with at most {} %",
                certify.margin,
                100.0 * certify.error_rate
            ),
        }
    });
    let [good, bad] = totals(summary);
    let predicted = (!summary.steps.is_empty()).then(|| KeyFact {
        name: "Called right".to_owned(),
        value: format!("{} of {}", good.right + bad.right, good.n + bad.n),
        note: format!("good: {} of {}, bad: {} of {}", good.right, good.n, bad.right, bad.n),
    });
    certified.into_iter().chain(predicted).collect()
}
