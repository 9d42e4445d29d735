//! The method, as the findings tell it: games, intervals and where the numbers come from.

use hatchery_core::findings::RichText;
use hatchery_core::text::grouped;

use super::super::summary::DesignSummary;
use crate::players::agent_name::agent_name;
use crate::studies::design::spec::DesignSpec;
use crate::studies::wording;
use crate::trial::results::GameResults;

/// Returns what was done.
pub(super) fn method(summary: &DesignSummary<'_>) -> Vec<RichText> {
    let terms = format!("{} {} {}", wording::SPREAD, wording::SIGMA, wording::P_VALUE);
    let intervals = "Intervals are at 95 %.";
    vec![
        games(summary),
        wording::SEATS.into(),
        format!("{terms} {intervals}").into(),
        RichText::new("All maps are in ")
            .code("maps.csv")
            .plain(", with the line of each, and ")
            .plain("the steps in ")
            .code("steps.csv")
            .plain("."),
    ]
}

fn games(summary: &DesignSummary<'_>) -> RichText {
    let DesignSummary { spec, maps, finalists, .. } = summary;
    // The games by which finalists were chosen are not added, because maps of the steps bring
    // theirs along.
    let of_maps = maps.iter().map(|shown| &shown.simulated.results);
    let all = of_maps.chain(finalists.iter().map(|finalist| &finalist.fresh));
    let all = GameResults::together(all);
    RichText::new(format!(
        "Players: {} on all seats. Games on each map of the start and of the steps: {}. Games of \
         the steps, and fresh ones of finalists: {}, of which {} were stopped undecided after {} \
         turns. Maps learned from and chosen from: ",
        agent_name(&spec.agent),
        grouped(spec.games),
        grouped(all.games),
        grouped(all.undecided()),
        grouped(spec.turn_cap),
    ))
    .code(spec.policy.name())
    .plain(".")
    .plain(panel(spec))
}

/// Returns the sentence about the agents of the panel in full; empty without a panel.
fn panel(spec: &DesignSpec) -> String {
    let panel = spec.certify.as_ref().and_then(|certify| certify.panel.as_deref());
    let Some(panel) = panel else { return String::new() };
    let names: Vec<String> = panel.iter().map(agent_name).collect();
    let what = match spec.round_agents() == panel {
        true => "Games of rounds and fresh games",
        false => "Fresh games",
    };
    format!(
        " {what} of finalists have four copies of each agent of the panel in turn: {}.",
        names.join("; ")
    )
}
