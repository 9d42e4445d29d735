//! What the games show.

use hatchery_core::findings::{FindingBlock, FindingSection, KeyFact, RichText, words};
use hatchery_core::text::{counted, grouped};
use hatchery_core::{Findings, error_chain};
use hatchery_figures::{ForestChart, ForestRow, Quantity, ReferenceValue};

use super::deck_tables::DeckTables;
use super::mined::MinedLogs;
use super::scores::{AgentScore, agent_scores};
use super::spec::CheckedLogs;
use super::state::LogsState;

/// Returns the findings.
pub(super) fn findings(checked: &CheckedLogs, state: &LogsState, mined: &MinedLogs) -> Findings {
    let planned = 2 * u64::from(checked.spec.pairs) * checked.series.len() as u64;
    let title = format!(
        "Recorded games of {}: {} by {} ({})",
        counted(checked.decks.len(), "deck"),
        counted(planned, "game"),
        counted(checked.agent_names.len(), "agent"),
        checked.agent_names.join(", ")
    );
    let scores = agent_scores(checked, state);
    let mut sections = Vec::new();
    sections.extend(agents(&scores));
    sections.push(deck_section(checked, mined));
    Findings {
        title: title.into(),
        summary: summary(state, planned, &scores),
        key_facts: key_facts(state, &scores),
        sections,
        method: vec![method()],
    }
}

fn summary(state: &LogsState, planned: u64, scores: &[AgentScore]) -> RichText {
    let (games, placements) = (state.sums.games, state.sums.placements);
    if games == 0 {
        return format!("No game has been recorded yet, of {}.", grouped(planned)).into();
    }
    #[expect(clippy::cast_precision_loss, reason = "for display")]
    let placements = placements as f64 / games as f64;
    let recorded = format!("{} were recorded", counted(games, "game"));
    let words = RichText::default().strong(recorded);
    let words = words.plain(format!(", with {placements:.1} placements each."));
    let Some(AgentScore { names: [a, b], score }) = most_uneven(scores) else { return words };
    words
        .plain(format!(" The agent {a} scores "))
        .join(RichText::percent(*score))
        .plain(format!(" against {b}"))
        .plain(if scores.len() == 1 { "." } else { ", the most uneven of the agents' scores." })
}

/// Returns the score that is farthest from even.
fn most_uneven(scores: &[AgentScore]) -> Option<&AgentScore> {
    let distance = |it: &AgentScore| (it.score.mean - 0.5).abs();
    scores.iter().rev().max_by(|a, b| distance(a).total_cmp(&distance(b)))
}

fn key_facts(state: &LogsState, scores: &[AgentScore]) -> Vec<KeyFact> {
    let games = KeyFact {
        name: "Recorded games".to_owned(),
        value: grouped(state.sums.games),
        note: counted(state.sums.placements, "placement"),
    };
    let score = most_uneven(scores).map(|AgentScore { names: [a, b], score }| KeyFact {
        name: format!("Score of {a} against {b}"),
        value: words::percent(score.mean, 1),
        note: words::percent_interval(score),
    });
    std::iter::once(games).chain(score).collect()
}

/// Returns the agents' scores against each other, or `None` for a single agent and before the
/// games.
fn agents(scores: &[AgentScore]) -> Option<FindingSection> {
    let row = |AgentScore { names: [a, b], score }: &AgentScore| ForestRow {
        name: format!("{a} against {b}"),
        quantity: Quantity::from(*score).scaled(100.0),
    };
    let chart = ForestChart {
        title: "Scores of agents against each other".to_owned(),
        x_label: "score of the first agent, %".to_owned(),
        x_shown: Vec::new(),
        reference: Some(ReferenceValue { name: "even".to_owned(), value: 50.0 }),
        rows: scores.iter().map(row).collect(),
    };
    let n = scores.first()?.score.n;
    let caption = format!(
        "Score of the first agent against the second one: wins and half of the draws. Each is of \
         {}, in which both agents have played both decks; lines are intervals at 95 %.",
        pairs(n)
    );
    Some(FindingSection::new(
        "Agents",
        vec![FindingBlock::figure("agents", chart.picture(), caption)],
    ))
}

fn deck_section(checked: &CheckedLogs, mined: &MinedLogs) -> FindingSection {
    let blocks = match &mined.decks {
        Ok(decks) => DeckTables { checked, used: &mined.used, mined: decks }.blocks(),
        Err(error) => {
            let reason = error_chain(error);
            vec![FindingBlock::text(format!("No decks are made of those of this run: {reason}."))]
        }
    };
    FindingSection::new("Decks", blocks)
}

fn method() -> FindingBlock {
    let about =
        "Both games of a pair have the same shuffles, and each player places first in one. ";
    let files = RichText::new(about).code("games.bin").plain(" has all games, and replays them ");
    let table = files.plain("exactly; ").code("plies.csv");
    FindingBlock::Text(table.plain(" has a row for each placement of the first ones."))
}

fn pairs(n: u64) -> String {
    format!("{} of games", counted(n, "pair"))
}
