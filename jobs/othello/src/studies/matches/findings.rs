//! The findings: ratings, matches and their course in sentences, figures and tables.

mod method;
mod sections;

use hatchery_core::findings::{KeyFact, RichText};
use hatchery_core::text::{counted, grouped, joined, rounded};
use hatchery_core::{Findings, GenerationMeasures};

use super::state::PairingState;
use super::summary::MatchSummary;
use crate::studies::ratings::{AgentRating, UnboundedSide};
use crate::studies::wording;

/// The most agents that a title names.
const MAX_NAMES: usize = 4;

/// Returns the findings.
pub(super) fn findings(summary: &MatchSummary<'_>, history: &[GenerationMeasures]) -> Findings {
    Findings {
        title: title(summary).into(),
        summary: finding(summary),
        key_facts: key_facts(summary),
        sections: sections::sections(summary, history),
        method: method::method(summary),
    }
}

fn title(summary: &MatchSummary<'_>) -> String {
    let agents = &summary.spec.agents;
    let names: Vec<String> = agents.iter().map(|agent| agent.name().to_owned()).collect();
    match &names[..] {
        [first, second] => format!("Othello: {first} against {second}"),
        names if names.len() <= MAX_NAMES => format!("Othello: {}", joined(names)),
        names => format!("{} Othello agents against each other", names.len()),
    }
}

fn finding(summary: &MatchSummary<'_>) -> RichText {
    if summary.n_games() == 0 {
        return "No games have been played yet.".into();
    }
    match &summary.state.pairings[..] {
        [pairing] => single_match(summary, pairing),
        _ => strongest(summary),
    }
}

/// Says what the only match shows.
fn single_match(summary: &MatchSummary<'_>, pairing: &PairingState) -> RichText {
    let [first, second] = [0, 1].map(|agent| summary.name(agent));
    let Some(strength) = summary.strength(pairing) else {
        return "The match has not been looked at yet.".into();
    };
    let score = strength.score.interval;
    let verdict = match (0.5 < score.low, score.high < 0.5) {
        (true, _) => "is stronger than",
        (_, true) => "is weaker than",
        _ => "is not shown to be stronger or weaker than",
    };
    let words = RichText::default()
        .strong(format!("{first} {verdict} {second}"))
        .plain(": it scores ")
        .join(RichText::percent(score))
        .plain(format!(" in {}. ", counted(2 * pairing.counts.pairs(), "game")))
        .plain("The difference of their ratings is ")
        .join(wording::match_elo(strength.elo))
        .plain(" Elo.");
    match sections::verdict(summary, pairing) {
        Some(verdict) => words.plain(format!(" The sequential test: {verdict}.")),
        None => words,
    }
}

/// Names the agents that won all their games, and compares the two with the highest ratings.
fn strongest(summary: &MatchSummary<'_>) -> RichText {
    let ranking = summary.ranking();
    let won_all = ranking.iter().filter_map(|(agent, rating)| match rating {
        AgentRating::Unbounded(it) if it.side == UnboundedSide::Above => {
            Some(it.sentence(summary.name(*agent)))
        }
        _ => None,
    });
    match won_all.reduce(|all, more| all.plain(" ").join(more)) {
        None => highest_rated(summary, &ranking, RichText::default()),
        Some(won_all) => {
            let others = won_all.clone().plain(" Of the others, ");
            match ranking.iter().filter(|(_, rating)| rating.rated().is_some()).count() {
                0 | 1 => won_all,
                _ => highest_rated(summary, &ranking, others),
            }
        }
    }
}

/// Compares the two agents with the highest ratings, after other words.
fn highest_rated(
    summary: &MatchSummary<'_>,
    ranking: &[(usize, AgentRating)],
    words: RichText,
) -> RichText {
    let rated: Vec<_> =
        ranking.iter().filter_map(|(agent, rating)| Some((*agent, rating.rated()?))).collect();
    let [(first, elo), (second, _), ..] = rated[..] else {
        return "Fewer than two agents have a finite rating yet.".into();
    };
    let words = words
        .strong(format!("{} is rated highest", summary.name(first)))
        .plain(": against an average agent, ")
        .join(wording::expected_score(elo))
        .plain(".");
    let Some(difference) = summary.difference(first, second) else { return words };
    let verdict = match 0.0 < difference.low {
        true => " It is ahead of ",
        false => " It is not shown to be ahead of ",
    };
    words
        .plain(format!("{verdict}{}, the next: ", summary.name(second)))
        .join(wording::expected_score(difference))
        .plain(".")
}

fn key_facts(summary: &MatchSummary<'_>) -> Vec<KeyFact> {
    let games = KeyFact {
        name: "Games".to_owned(),
        value: grouped(summary.n_games()),
        note: match summary.checked.pairings.len() {
            1 => "in 1 match".to_owned(),
            n => format!("in {} matches", grouped(n)),
        },
    };
    let tested = summary.checked.sprt.is_some().then(|| {
        let n = summary.state.pairings.len();
        let decided = summary.state.pairings.iter().filter(|it| it.is_decided).count();
        KeyFact {
            name: "Matches decided".to_owned(),
            value: format!("{decided} of {n}"),
            note: "by a sequential test".to_owned(),
        }
    });
    let best = summary.ranking().into_iter().find_map(|(agent, rating)| {
        let agent = summary.name(agent);
        let (value, note) = match rating {
            AgentRating::Unbounded(it) if it.side == UnboundedSide::Above => {
                let bound = it.bound().unwrap_or_else(|| "unbounded above".to_owned());
                (bound, format!("{agent} {}", it.games()))
            }
            rating => {
                let elo = rating.rated()?;
                let [low, high] = [elo.low, elo.high].map(|end| rounded(end, 0));
                (format!("{} Elo", rounded(elo.mean, 0)), format!("{low} to {high}, {agent}"))
            }
        };
        Some(KeyFact { name: "Highest rating".to_owned(), value, note })
    });
    let best = best.filter(|_| 1 < summary.state.pairings.len());
    std::iter::once(games).chain(tested.or(best)).collect()
}
