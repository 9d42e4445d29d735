//! The findings of `tetris-evaluate`: the lines that each controller clears, and how scores spread.

mod method;
mod reference;
mod sections;
mod spread;

use hatchery_core::Findings;
use hatchery_core::findings::{KeyFact, RichText};
use hatchery_core::text::{counted, rounded};

use super::condition::PlayedCondition;
use super::correlation;
use super::spec::EvaluateSpec;
use crate::studies::player_results::PlayerResults;
use crate::studies::wording;

/// The most conditions that the summary describes.
const MAX_TOLD: usize = 3;

/// Returns the findings of a run with these results; none before the games are played.
pub(super) fn findings(spec: &EvaluateSpec, results: &[PlayerResults]) -> Findings {
    let conditions = PlayedCondition::all(spec, results);
    let mut sections = sections::sections(spec, &conditions);
    sections.extend(correlation::section(spec, &conditions));
    sections.extend(conditions.first().and_then(spread::section));
    Findings {
        title: title(spec).into(),
        summary: summary(&conditions),
        key_facts: key_facts(&conditions),
        sections,
        method: method::method(spec, results),
    }
}

fn title(spec: &EvaluateSpec) -> String {
    let place = match (&spec.boards[..], &spec.draws[..]) {
        ([board], [_]) => format!("on {board}"),
        ([board], draws) => {
            format!("on {board} with {} to draw pieces", counted(draws.len(), "way"))
        }
        (boards, _) => format!("on {}", counted(boards.len(), "board")),
    };
    let verb = if spec.controllers.len() == 1 { "clears" } else { "clear" };
    let controllers = counted(spec.controllers.len(), "Tetris controller");
    format!("How many lines {controllers} {verb} {place}")
}

fn summary(conditions: &[PlayedCondition<'_>]) -> RichText {
    if conditions.is_empty() {
        return "No games have been played yet.".into();
    }
    let mut words = RichText::default();
    for condition in conditions.iter().take(MAX_TOLD) {
        let space = if words.is_empty() { "" } else { " " };
        words = words.plain(space).join(best(condition));
    }
    match conditions.len().saturating_sub(MAX_TOLD) {
        0 => words,
        n => words.plain(format!(" {} follow below.", counted(n, "more condition"))),
    }
}

/// Says which controller clears the most lines, and if it is ahead of the next.
fn best(condition: &PlayedCondition<'_>) -> RichText {
    let name = condition.name();
    let ranking = condition.ranking();
    let Some((first, mean)) = ranking.first().and_then(|it| Some((it, it.mean?))) else {
        return format!("On {name}, no game has ended.").into();
    };
    let (player, lines) = (&first.params.name, wording::lines(mean.mean));
    let most = if ranking.len() == 1 { "" } else { " the most:" };
    let words = RichText::new(format!("On {name}, "))
        .strong(format!("{player} clears{most} {lines} lines a game"))
        .soft(format!(" ({})", wording::lines_interval(mean)));
    let next =
        ranking.get(1).and_then(|next| Some((next.params.name.as_str(), first.times(next)?)));
    wording::beside_next(words, next, ", but it is not")
}

fn key_facts(conditions: &[PlayedCondition<'_>]) -> Vec<KeyFact> {
    let lines = |condition: &PlayedCondition<'_>| {
        let ranking = condition.ranking();
        let first = ranking.first()?;
        let mean = first.mean?;
        let interval = wording::lines_interval(mean);
        let (name, note) = match ranking.len() {
            1 => ("Lines", interval),
            n => ("Most lines", format!("{interval}; {}, best of {n}", first.params.name)),
        };
        Some(KeyFact {
            name: format!("{name} on {}", condition.name()),
            value: wording::lines(mean.mean),
            note,
        })
    };
    let ahead = |condition: &PlayedCondition<'_>| {
        let ranking = condition.ranking();
        let [first, second, ..] = &ranking[..] else { return None };
        let times = first.times(second)?;
        let [mean, low, high] = [times.mean, times.low, times.high].map(|it| rounded(it, 2));
        Some(KeyFact {
            name: "Best against the next".to_owned(),
            value: format!("{mean} times"),
            note: format!("{low} to {high}, against {}", second.params.name),
        })
    };
    let facts = match conditions {
        [] => [None, None],
        [only] => [lines(only), ahead(only)],
        [first, second, ..] => [lines(first), lines(second)],
    };
    facts.into_iter().flatten().collect()
}
