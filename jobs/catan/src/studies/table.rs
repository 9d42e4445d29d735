//! The agents that play games together, in words, and whether their games tell maps apart.

use hatchery_core::findings::RichText;
use hatchery_core::text::joined;

use crate::players::Agent;
use crate::players::agent_name::short_agent_name;
use crate::rules::Seat;

use super::wording;

/// Returns who plays, equal agents together: `four planners (opening slack 48)`, `one weighted
/// agent and three random agents`.
pub(super) fn in_words(agents: &[Agent]) -> String {
    let firsts = (0..agents.len()).filter(|&idx| !agents[..idx].contains(&agents[idx]));
    let kind = |idx: usize| {
        let agent = &agents[idx];
        let n = agents.iter().filter(|other| *other == agent).count();
        let number = wording::NUMBERS[n - 1];
        let plural = if n == 1 { "" } else { "s" };
        // A short name has the kind and, in parentheses, what differs from the defaults.
        let name = short_agent_name(agent);
        let parameters = name.find(" (").map_or("", |at| &name[at..]);
        format!("{number} {}{plural}{}", noun(agent), parameters.replace('_', " "))
    };
    joined(firsts.map(kind))
}

/// Returns who plays if all four seats have the same agent.
pub(super) fn four(agent: &Agent) -> String {
    in_words(&[*agent; Seat::COUNT])
}

/// Returns whether all agents choose where they settle by chance, without a look at the map. All
/// maps are about equally even for such agents: of 100,000 games of random agents on the rulebook's
/// map, the seats win 24.8 to 25.2 %.
fn settles_by_chance(agents: &[Agent]) -> bool {
    agents.iter().all(|agent| matches!(agent, Agent::Random | Agent::Weighted))
}

/// Says that games tell nothing about the maps, if all agents settle by chance.
pub(super) fn says_nothing(agents: &[Agent]) -> Option<RichText> {
    settles_by_chance(agents).then(|| {
        RichText::new("The games ").strong("say nothing about the maps").plain(format!(
            ": {} choose where they settle by chance, and for such agents all maps are about \
             equally even. This is a control.",
            in_words(agents)
        ))
    })
}

fn noun(agent: &Agent) -> &'static str {
    match agent {
        Agent::Random => "random agent",
        Agent::Weighted => "weighted agent",
        Agent::Value => "value player",
        Agent::Mcts(_) => "tree searcher",
        Agent::Planner(_) => "planner",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::PlannerParams;

    #[test]
    fn equal_agents_are_named_together() {
        let slack = Agent::Planner(PlannerParams { opening_slack: 48, ..PlannerParams::VALUE });
        assert_eq!(four(&slack), "four planners (opening slack 48)");
        assert_eq!(four(&Agent::Random), "four random agents");
        let mixed = [Agent::Random, Agent::Weighted, Agent::Random, Agent::Random];
        assert_eq!(in_words(&mixed), "three random agents and one weighted agent");
    }

    #[test]
    fn an_agent_that_looks_at_the_map_tells_maps_apart() {
        assert!(settles_by_chance(&[Agent::Random, Agent::Weighted]));
        assert!(!settles_by_chance(&[Agent::Random, Agent::Value]));
    }
}
