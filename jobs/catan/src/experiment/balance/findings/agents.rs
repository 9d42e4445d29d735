//! The win rates of the agents.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};

use crate::experiment::agent_name;
use crate::experiment::balance::summary::BalanceSummary;

/// Returns the section on agents, if there are different ones.
pub(super) fn section(summary: &BalanceSummary<'_>) -> Option<FindingSection> {
    let agents = &summary.spec.pool.agents;
    let row = |(idx, rate): (usize, IntervalEstimate)| {
        let agent = &agents[idx];
        let places = agents.iter().filter(|other| *other == agent).count();
        let [number, places] = [idx + 1, places].map(|n| n.to_string().into());
        vec![number, agent_name(agent).into(), places, RichText::percent(rate)]
    };
    let rows: Vec<Vec<RichText>> = summary.agent_wins().into_iter().map(row).collect();
    let caption = "Wins of each agent in percent of decided games, all maps together and those of \
                   screening included; one with more than one place wins for all of them. Agents \
                   are numbered by their first place in the pool.";
    let columns = vec![
        TableHead::number("no."),
        TableHead::text("agent"),
        TableHead::number("places"),
        TableHead::number("wins"),
    ];
    let table = |rows| FindingBlock::table(caption, columns, rows);
    (!rows.is_empty()).then(|| FindingSection::new("Agents", vec![table(rows)]))
}
