//! The win rates of the agents.

use hatchery_core::DataTable;
use hatchery_core::findings::FindingSection;

use crate::experiment::agent_name;
use crate::experiment::balance::summary::BalanceSummary;

/// Returns the section on agents, if there are different ones.
pub(super) fn section(summary: &BalanceSummary<'_>) -> Option<FindingSection> {
    let agents = &summary.checked.spec.pool.agents;
    let wins: Vec<_> = summary.agent_wins().into_iter().collect();
    let caption = "Wins of each agent in percent of decided games, all maps together and those of \
                   screening included; one with more than one place wins for all of them. Agents \
                   are numbered by their first place in the pool.";
    let places = |idx: usize| agents.iter().filter(|other| **other == agents[idx]).count();
    let table = DataTable::on_page(&wins)
        .count("no.", |(idx, _)| *idx + 1)
        .text("agent", |(idx, _)| agent_name(&agents[*idx]))
        .count("places", |(idx, _)| places(*idx))
        .share("wins", 1, |(_, rate)| *rate)
        .block(caption);
    (!wins.is_empty()).then(|| FindingSection::new("Agents", vec![table]))
}
