//! The findings: how evenly the seats of the maps win, in sentences, figures and tables.

mod maps;
mod method;
mod origins;
mod verdicts;

use hatchery_core::findings::{FindingSection, KeyFact, RichText};
use hatchery_core::text::{counted, grouped, leading_digits, rounded};
use hatchery_core::{DataTable, Findings, RunSeed};
use hatchery_stats::{FairnessVerdict, deciding_chance, further_samples};

use super::summary::{AlikeMaps, BalanceSummary, MapStage, MapSummary};
use crate::players::agent_name::agent_name;
use crate::studies::{table, wording};
use crate::trial::seat_balance::{estimate_in_points, percentage_points};

/// The verdicts in the order of texts.
const VERDICTS: [FairnessVerdict; 3] =
    [FairnessVerdict::Fair, FairnessVerdict::Unfair, FairnessVerdict::Undecided];

/// Returns the findings. With the seed of the run, the setups of some trials are played again to
/// see where the seats settle.
pub(super) fn findings(summary: &BalanceSummary<'_>, seed: Option<&RunSeed>) -> Findings {
    let mut sections = Vec::new();
    if summary.all.results.games != 0 {
        sections.push(verdicts::section(summary));
        sections.extend(maps::cards(summary, seed));
        sections.extend([maps::tables(summary), origins::section(summary)]);
        sections.extend(maps::variation(summary));
        sections.extend(agents_section(summary));
    }
    Findings {
        title: title(summary).into(),
        summary: finding(summary),
        key_facts: key_facts(summary),
        sections,
        method: method::method(summary),
    }
}

fn title(summary: &BalanceSummary<'_>) -> String {
    let n_maps = counted(summary.maps.len(), "Catan map");
    let agents = table::in_words(&summary.checked.spec.pool.agents);
    match says_nothing(summary) {
        Some(_) => format!("A control, which says nothing about {n_maps}: games of {agents}"),
        None => {
            let n_seats = wording::NUMBERS[summary.checked.look_schedule.n_seats() - 1];
            format!("How evenly the {n_seats} seats win on {n_maps} for {agents}")
        }
    }
}

/// Says that the games tell nothing about the maps, if the agents cannot tell maps apart.
fn says_nothing(summary: &BalanceSummary<'_>) -> Option<RichText> {
    let agents = &summary.checked.spec.pool.agents;
    table::says_nothing(agents).or_else(|| {
        let AlikeMaps { n_maps, most_sd } = summary.alike_maps()?;
        let words = format!(
            ": on {} drawn at random, each seat of {} wins about equally often (the standard \
             deviation of its true rate is at most {} percentage points).",
            counted(n_maps, "map"),
            table::in_words(agents),
            rounded(percentage_points(most_sd), 2)
        );
        Some(RichText::new("The games ").strong("say nothing about the maps").plain(words))
    })
}

fn finding(summary: &BalanceSummary<'_>) -> RichText {
    if summary.all.results.games == 0 {
        return "No games have been played yet.".into();
    }
    if summary.all.balance.is_none() {
        let agents = table::in_words(&summary.checked.spec.pool.agents);
        return format!("No game of {agents} was won: all of them were stopped.").into();
    }
    let about_maps = match says_nothing(summary) {
        Some(says_nothing) => [Some(says_nothing), None],
        None => [verdict_counts(summary), most_even(summary)],
    };
    let words = about_maps.into_iter().chain([undecided(summary), seats(summary)]);
    let words = words.flatten().chain(unfinished(summary));
    words.reduce(|all, more| all.plain(" ").join(more)).unwrap_or_default()
}

/// Says for whom how many of the judged maps have each verdict.
fn verdict_counts(summary: &BalanceSummary<'_>) -> Option<RichText> {
    let counts = VERDICTS.map(|verdict| (MapStage::Judged(verdict), summary.n_judged(verdict)));
    let n_judged: usize = counts.iter().map(|(_, n)| n).sum();
    let mut found = counts.into_iter().filter(|(_, n)| *n != 0);
    let (first, n) = found.next()?;
    let rest: Vec<String> = found.map(|(stage, n)| format!("{n} {}", stage.name())).collect();
    let subject = match (n == n_judged, n) {
        (true, 1) => "the judged map is ".to_owned(),
        (true, _) => format!("all {n} judged maps are "),
        (false, _) => {
            format!("{n} of {n_judged} judged maps {} ", if n == 1 { "is" } else { "are" })
        }
    };
    let agents = table::in_words(&summary.checked.spec.pool.agents);
    let words =
        RichText::new(format!("For {agents}, ")).strong(format!("{subject}{}", first.name()));
    Some(match rest.is_empty() {
        true => words.plain("."),
        false => {
            let named = (n_judged <= MAX_NAMED_MAPS).then(|| verdict_names(summary));
            words.plain(format!(", {}.{}", rest.join(", "), named.unwrap_or_default()))
        }
    })
}

/// The most judged maps whose verdicts are said by name.
const MAX_NAMED_MAPS: usize = 6;

/// Says which map has which verdict: ` Fair: a, b. Undecided: c.`
fn verdict_names(summary: &BalanceSummary<'_>) -> String {
    let of = |verdict| {
        let stage = MapStage::Judged(verdict);
        let maps = summary.maps.iter().filter(|map| map.stage == stage);
        let names: Vec<&str> = maps.map(|map| map.candidate.name.as_str()).collect();
        let mut word = stage.name().to_owned();
        word.get_mut(..1).map(str::make_ascii_uppercase);
        (!names.is_empty()).then(|| format!(" {word}: {}.", names.join(", ")))
    };
    VERDICTS.into_iter().filter_map(of).collect()
}

fn most_even(summary: &BalanceSummary<'_>) -> Option<RichText> {
    let (map, statistics) = summary.most_even()?;
    let sigma = statistics.balance.spread.sigma;
    let others = || summary.maps_with_statistics().filter(|(it, _)| it.stage == map.stage);
    if others().count() < 2 {
        let words = "The standard deviation of the seats' true win rates is estimated as ";
        let words = RichText::new(words).join(wording::points(sigma));
        return Some(words.plain(" percentage points."));
    }
    let is_apart = |other: &MapSummary<'_>, low: f64| std::ptr::eq(other, map) || sigma.high < low;
    let is_shown = others().all(|(it, of)| is_apart(it, of.balance.spread.sigma.low));
    let fair = match map.stage {
        MapStage::Judged(_) => {
            format!(", where less than {} counts as fair.", summary.checked.spec.margin)
        }
        MapStage::Screened => {
            format!(" for {}.", table::in_words(&summary.checked.spec.pool.agents))
        }
    };
    let name = &map.candidate.name;
    let words = match is_shown {
        true => RichText::default().strong(format!("The seats win most evenly on {name}")),
        false => {
            format!("The most even estimate is that of {name}, and others may be as even").into()
        }
    };
    Some(
        words
            .plain(": the standard deviation of the seats' true win rates is estimated as ")
            .join(wording::points(sigma))
            .plain(format!(" percentage points{fair}")),
    )
}

/// Says how many more games the undecided maps need, if there are some.
fn undecided(summary: &BalanceSummary<'_>) -> Option<RichText> {
    if says_nothing(summary).is_some() {
        return None;
    }
    let undecided = MapStage::Judged(FairnessVerdict::Undecided);
    let maps = summary.maps_with_statistics().filter(|(map, _)| map.stage == undecided);
    let margin = summary.checked.spec.margin / 100.0;
    let further = maps.map(|(_, it)| further_samples(&it.balance.spread.sigma, margin));
    let further: Vec<Option<u64>> = further.collect();
    let known = || further.iter().flatten().map(|&games| leading_digits(games.max(1)));
    let games = |games: u64| counted(games, "more game");
    let words = match (further.len(), known().min().zip(known().max())) {
        (0, _) => return None,
        (_, None) => {
            "The undecided maps are so close to the margin that thousands of times as many games \
             may not decide them"
                .to_owned()
        }
        (1, Some((least, _))) => format!("About {} would decide the undecided map", games(least)),
        (n, Some((least, most))) => format!(
            "About {} to {} of each would decide {} of the {n} undecided maps",
            grouped(least),
            games(most),
            known().count()
        ),
    };
    let chance = match known().next() {
        Some(_) => format!(" {}", deciding_chance()),
        None => String::new(),
    };
    Some(format!("{words}{chance}, if sigma is as estimated.").into())
}

/// Says which seats win most and least over all maps.
fn seats(summary: &BalanceSummary<'_>) -> Option<RichText> {
    let rates = summary.all.balance?.rates;
    let by_mean = |a: &usize, b: &usize| rates[*a].mean.total_cmp(&rates[*b].mean);
    let (least, most) = ((0..rates.len()).min_by(by_mean)?, (0..rates.len()).max_by(by_mean)?);
    let games = if summary.maps.len() == 1 { "Of its games" } else { "Over all games shown" };
    Some(
        RichText::new(format!("{games}, seat {} wins most, ", most + 1))
            .join(RichText::percent(rates[most]))
            .plain(format!(", and seat {} least, ", least + 1))
            .join(RichText::percent(rates[least]))
            .plain("."),
    )
}

fn unfinished(summary: &BalanceSummary<'_>) -> Option<RichText> {
    let is_done = summary.state.seated_series(summary.checked).is_empty();
    let is_screening = summary.maps.iter().all(|map| map.stage == MapStage::Screened);
    match (is_done, is_screening) {
        (true, _) => None,
        (false, true) => Some("The run is not finished: no map has been judged yet.".into()),
        (false, false) => Some("The run is not finished: undecided maps are played on.".into()),
    }
}

fn key_facts(summary: &BalanceSummary<'_>) -> Vec<KeyFact> {
    let verdicts = VERDICTS.map(|verdict| {
        let n = summary.n_judged(verdict);
        (n, format!("{n} {}", MapStage::Judged(verdict).name()))
    });
    let is_judged = verdicts.iter().any(|(n, _)| *n != 0);
    // Undecided maps are named if there are some.
    let shown = verdicts.into_iter().enumerate().filter(|(idx, (n, _))| *idx < 2 || *n != 0);
    let shown: Vec<String> = shown.map(|(_, (_, words))| words).collect();
    let percent = 100.0 * summary.checked.look_schedule.error_rate().get();
    let verdicts = is_judged.then(|| KeyFact {
        name: "Verdicts".to_owned(),
        value: shown.join(", "),
        note: match says_nothing(summary) {
            Some(_) => "a control: they say nothing about the maps".to_owned(),
            None => format!("each wrong with at most {percent} %"),
        },
    });
    let most_even = summary.most_even().map(|(map, statistics)| {
        let sigma = estimate_in_points(statistics.balance.spread.sigma);
        let [mean, low, high] = [sigma.mean, sigma.low, sigma.high].map(|it| rounded(it, 2));
        let n = summary.maps_with_statistics().count();
        KeyFact {
            name: "Most even map".to_owned(),
            value: map.candidate.name.clone(),
            note: format!("sigma {mean} ({low} to {high}) points, selected from {n}"),
        }
    });
    verdicts.into_iter().chain(most_even).collect()
}

/// Returns the section on agents, if there are different ones.
fn agents_section(summary: &BalanceSummary<'_>) -> Option<FindingSection> {
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
