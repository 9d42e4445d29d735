//! The win rates of the agents.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_stats::wilson_interval;

use crate::experiment::agent_name;
use crate::experiment::balance::summary::BalanceSummary;
use crate::players::Agent;

/// Returns the section on agents, if there are different ones.
pub(super) fn section(summary: &BalanceSummary<'_>) -> Option<FindingSection> {
    let BalanceSummary { spec, state, look_schedule, .. } = summary;
    let agents = &spec.pool.agents;
    let firsts = agents.iter().enumerate().filter(|(idx, agent)| !agents[..*idx].contains(agent));
    let decided = state.wins_of_agents.iter().sum();
    let row = |(idx, agent): (usize, &Agent)| {
        let wins = state.wins_of_agents[idx];
        let rate = wilson_interval(wins, decided, look_schedule.error_rate()).ok()?;
        let places = agents.iter().filter(|other| *other == agent).count();
        Some(vec![agent_name(agent).into(), places.to_string().into(), RichText::percent(rate)])
    };
    let rows: Vec<Vec<RichText>> = firsts.filter_map(row).collect();
    let caption = "Wins of each agent in percent of decided games, all maps together; one with \
                   more than one place wins for all of them.";
    let columns =
        vec![TableHead::text("agent"), TableHead::number("places"), TableHead::number("wins")];
    let table = |rows| FindingBlock::table(caption, columns, rows);
    (1 < rows.len()).then(|| FindingSection::new("Agents", vec![table(rows)]))
}
