//! Numbers and settings in the words of reports.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::{RichText, words};
use hatchery_core::text::grouped;
use hatchery_stats::{ELO_LIMIT, score_of_elo};

use crate::players::{
    AdjustingAgent, AgentChoices, DepthReading, DynamicSettings, FirstReply, MatchingRules,
    MctsAgent, NearestTie, OthelloAgent, SearchSettings, SeveralMatch, SoftmaxSettings,
    StrengthControl, Unmatched,
};

/// Returns an Elo difference and its interval in whole points, with their signs.
pub(super) fn elo(it: IntervalEstimate) -> RichText {
    words::quantity(it.into(), signed, "")
}

/// Says what a player that is ahead by this Elo difference scores on average.
pub(super) fn expected_score(elo: IntervalEstimate) -> RichText {
    let score = |elo| score_of_elo(elo).unwrap_or(0.5);
    let [mean, low, high] = [elo.mean, elo.low, elo.high].map(score);
    let score = IntervalEstimate { mean, low, high, ..elo };
    RichText::new("it is expected to score ").join(RichText::percent(score))
}

/// Returns a percentage without decimal places, or with one if it is not whole.
pub(super) fn whole_or_tenth(percent: f64) -> String {
    words::trimmed(percent, 1)
}

/// Returns a whole number with its sign; zero has none.
pub(super) fn signed(number: f64) -> String {
    words::signed(number, 0)
}

/// Returns the Elo difference that a match shows, in whole points with their signs; differences at
/// [`ELO_LIMIT`] are unbounded.
pub(super) fn match_elo(it: IntervalEstimate) -> RichText {
    let text = |elo: f64| {
        if elo.abs() < ELO_LIMIT {
            return signed(elo);
        }
        let side = if elo < 0.0 { "below" } else { "above" };
        format!("unbounded {side}")
    };
    words::quantity(it.into(), text, "")
}

/// Describes the search of agents that differ in depth.
pub(super) fn search(settings: &SearchSettings) -> String {
    let SearchSettings { playouts, reading, plies_per_doubling, exploration } = *settings;
    let playouts = grouped(playouts);
    let ends = match reading {
        DepthReading::TreeCap => {
            format!("reading A: {playouts} playouts a move, and the tree ends at the depth")
        }
        DepthReading::DepthReached => format!(
            "reading B: a search ends when a leaf at the depth is reached, or after {playouts} \
             playouts"
        ),
        DepthReading::Horizon => {
            format!("reading C: {playouts} playouts a move, and tree and playouts end at the depth")
        }
        DepthReading::GrowingBudget => format!(
            "reading D: {playouts} playouts a move at depth 5, twice as many with every \
             {plies_per_doubling} plies more, and the tree ends at the depth"
        ),
    };
    format!("{ends}; exploration {exploration:.4}")
}

/// Describes all settings that an agent has; `None` if it has no settings.
pub(super) fn agent_settings(agent: &OthelloAgent) -> Option<String> {
    Some(match agent {
        OthelloAgent::Random => return None,
        OthelloAgent::Mcts(agent) => search(agent.settings()),
        OthelloAgent::Adjusting(AdjustingAgent { choices, rules }) => {
            format!("{}; {}", searches(choices), matching_rules(rules))
        }
        OthelloAgent::Dynamic { search: agent, settings } => {
            format!("{}; {}", search(agent.settings()), dynamic(settings))
        }
        OthelloAgent::Softmax { search: agent, settings } => {
            format!("{}; {}", search(agent.settings()), softmax(settings))
        }
        OthelloAgent::RandomAgent(choices) => searches(choices),
        OthelloAgent::Solver { search: agent, .. } => search(agent.settings()),
    })
}

fn searches(choices: &AgentChoices) -> String {
    let mut texts: Vec<String> =
        choices.agents().iter().map(MctsAgent::settings).map(search).collect();
    texts.dedup();
    texts.join(", or ")
}

/// Describes the rules of an estimate.
fn matching_rules(rules: &MatchingRules) -> String {
    let MatchingRules { choices, several, unmatched, first, tie, forced, carry } = *rules;
    let several = match several {
        SeveralMatch::Lowest => "the lowest",
        SeveralMatch::Highest => "the highest",
        SeveralMatch::Mean => "their mean",
        SeveralMatch::Nearest => "the one nearest to the estimate",
    };
    let unmatched = match unmatched {
        Unmatched::Skip => "does not count",
        Unmatched::Lowest => "counts as the lowest depth",
    };
    let first = match first {
        FirstReply::Lowest => "lowest",
        FirstReply::Middle => "middle",
        FirstReply::Highest => "highest",
    };
    let tie = match tie {
        NearestTie::Lower => "lower",
        NearestTie::Higher => "higher",
    };
    let compared = match choices {
        1 => "only the first choice of each agent is compared".to_owned(),
        _ => format!("{choices} choices of each agent are compared"),
    };
    let forced = if forced { "count, too" } else { "do not count" };
    let carry = if carry { "is kept from game to game" } else { "starts anew with each game" };
    format!(
        "{compared}; of several depths that match, {several} \
         counts; a move that no agent would make {unmatched}; forced moves {forced}; at first the \
         {first} agent replies, and of two equally near ones the {tie}; the estimate {carry}"
    )
}

/// Describes the settings of dynamic adjustment.
fn dynamic(settings: &DynamicSettings) -> String {
    let DynamicSettings { target, band, min_visits } = *settings;
    format!(
        "above a score of {:.4} it takes the move nearest to {target}, of those with at least \
         {min_visits} of the visits of the most visited one",
        target + band
    )
}

/// Describes the settings of a softmax agent.
fn softmax(settings: &SoftmaxSettings) -> String {
    let SoftmaxSettings { z, lowest_z, highest_z, min_visits, control, step, discount, min_step } =
        *settings;
    let control = match control {
        StrengthControl::None => "never changes".to_owned(),
        StrengthControl::WithinGame => {
            format!("changes after each search of a game by {step} times the lead")
        }
        StrengthControl::BetweenGames => format!(
            "changes after each game by {step} at first, then by {discount} of the step before, at \
             least {min_step}"
        ),
    };
    format!(
        "z begins at {z}, stays from {lowest_z} to {highest_z}, and {control}; moves below \
         {min_visits} of the visits of the most visited one are never taken"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unbounded_differences_are_called_so() {
        let elo = |mean, low, high| {
            match_elo(IntervalEstimate { mean, low, high, n: 50, confidence: 0.95 }).to_string()
        };
        assert_eq!(elo(40.2, -3.0, 90.0), "+40 (-3 to +90)");
        assert_eq!(elo(1199.8262, 141.4, 1199.8262), "unbounded above (+141 to unbounded above)");
        assert_eq!(elo(-800.0, -1199.8262, -10.0), "-800 (unbounded below to -10)");
    }
}
