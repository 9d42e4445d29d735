//! The exhibits of a state.

mod numbers;
mod origins;

use hatchery_core::text::counted;
use hatchery_core::{Exhibit, IntervalEstimate};
use hatchery_stats::wilson_interval;

use self::numbers::{p_value, rates, to_f64};
use super::histogram;
use super::maps_csv;
use super::summary::{BalanceSummary, MapStage, MapStatistics, MapSummary};
use crate::experiment::{MethodParam, agent_name};
use crate::map::MapFile;
use crate::players::Agent;
use crate::seat_balance::{estimate_in_points, game_lengths, percent_points};

/// The number of best and of worst maps that are drawn.
const DRAWN: usize = 3;

/// Returns the report, the table, the histogram, and the best and the worst maps.
pub(super) fn exhibits(summary: &BalanceSummary<'_>) -> Vec<Exhibit> {
    let mut exhibits = vec![
        Exhibit::new("report.md", "text/markdown", report(summary)),
        Exhibit::new("maps.csv", "text/csv", maps_csv::csv(summary)),
    ];
    if summary.maps_with_statistics().next().is_none() {
        return exhibits;
    }
    exhibits.push(Exhibit::new("win-rates.svg", "image/svg+xml", histogram::svg(summary)));
    let maps = &summary.maps;
    // No map is drawn both as one of the best and as one of the worst.
    let n_best = DRAWN.min(maps.len().div_ceil(2));
    let n_worst = DRAWN.min(maps.len() - n_best);
    for (map, place) in maps.iter().take(n_best).zip(1..) {
        let name = format!("best-{place}");
        exhibits.push(picture(&name, map));
        let file = MapFile { name: Some(map.candidate.name.clone()), map: map.candidate.map };
        let json = file.to_json();
        exhibits.push(Exhibit::new(format!("{name}.json"), "application/json", json));
    }
    for (map, place) in maps.iter().rev().take(n_worst).zip(1..) {
        exhibits.push(picture(&format!("worst-{place}"), map));
    }
    exhibits
}

fn picture(name: &str, map: &MapSummary<'_>) -> Exhibit {
    let sigma = map.statistics.map(|statistics| {
        let IntervalEstimate { low, high, .. } =
            estimate_in_points(statistics.balance.spread.sigma);
        format!(", sigma {low:.2} to {high:.2} points")
    });
    let sigma = sigma.unwrap_or_default();
    let title = format!("{}: {}{sigma}", map.candidate.name, map.stage.name());
    let svg = map.candidate.map.picture(&title);
    Exhibit::new(format!("{name}.svg"), "image/svg+xml", svg)
}

fn report(summary: &BalanceSummary<'_>) -> String {
    let mut parts =
        vec![heading(summary), verdicts(summary), maps(summary), origins::section(summary)];
    parts.extend(agents(summary));
    parts.push(words(summary));
    parts.join("\n")
}

fn heading(summary: &BalanceSummary<'_>) -> String {
    let BalanceSummary { spec, maps, all, .. } = summary;
    let agents = spec.pool.agents.each_ref().map(agent_name);
    let agents = match agents.iter().all(|agent| *agent == agents[0]) {
        true => format!("four times {}", agents[0]),
        false => agents.join(", "),
    };
    let lengths = game_lengths(&all.results);
    format!(
        "# Balance of {}\n\n\
         Seats are numbered by the order of the first settlements: seat 1 places first and last \
         and has the first turn. Rates are percents of decided games.\n\n\
         - agents: {}\n\
         - games shown: {}, of which {} were stopped undecided after {} turns\n\
         - length: {:.1} turns of all players on average, standard deviation {:.1}, longest {}\n\
         - method: {}\n",
        counted(maps.len(), "map"),
        agents,
        all.results.games,
        all.results.undecided(),
        spec.turn_cap,
        lengths.mean(),
        lengths.sd(),
        all.results.turns.longest,
        method(summary),
    )
}

fn method(summary: &BalanceSummary<'_>) -> String {
    let looks = summary.look_schedule.looks();
    let (first, last) = (looks[0], looks[looks.len() - 1]);
    let looks = counted(looks.len(), "look");
    let method = match summary.spec.method {
        MethodParam::Fixed => format!("{first} games of each map, fixed beforehand"),
        MethodParam::GroupSequential { .. } => {
            format!("group-sequential, {looks} after {first} to {last} games")
        }
        MethodParam::Anytime { .. } => {
            format!("anytime-valid, {looks} after {first} to {last} games")
        }
    };
    match summary.spec.halving {
        Some(halving) => format!(
            "{method}, of {} kept by sequential halving; fresh games, not those of screening",
            counted(halving.keep as usize, "map")
        ),
        None => method,
    }
}

fn verdicts(summary: &BalanceSummary<'_>) -> String {
    let margin = summary.spec.margin;
    let rate = 100.0 * summary.look_schedule.error_rate().get();
    let rows = ["fair", "unfair", "undecided", "screened"].map(|name| {
        let n = summary.maps.iter().filter(|map| map.stage.name() == name).count();
        format!("| {name} | {n} |\n")
    });
    let significant = |p: &dyn Fn(&MapStatistics) -> f64| {
        let significant =
            summary.maps_with_statistics().filter(|(_, statistics)| 100.0 * p(statistics) <= rate);
        significant.count()
    };
    let alone = significant(&|statistics| statistics.balance.test.p_value);
    let discoveries = significant(&|statistics| statistics.among.adjusted_p_value);
    format!(
        "## Verdicts\n\n\
         Sigma is the standard deviation of the four true win rates. *Fair*: it is below {margin} \
         points; *unfair*: it is above; each is said wrongly of a map with a probability of at \
         most {rate} %. *Undecided*: more games are needed.\n\n\
         | verdict | maps |\n|---|---|\n{}\n\
         Equal rates are rejected at {rate} % for {}, where chance alone rejects {:.1}; \
         allowing for the number of maps (Benjamini-Hochberg), for {discoveries}.\n",
        rows.concat(),
        counted(alone, "map"),
        rate / 100.0 * to_f64(summary.maps_with_statistics().count()),
    )
}

const MAPS_HEAD: &str = "| map | id | games | undecided | seat 1 | seat 2 | seat 3 | seat 4 | p \
    | spread | sigma | max - min | expected sigma | turns | verdict |\n\
    |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";

/// The most rows of the table of maps in the report; `maps.csv` has all maps.
const MOST_ROWS: usize = 100;

fn maps(summary: &BalanceSummary<'_>) -> String {
    let rows: Vec<String> = summary.maps.iter().take(MOST_ROWS).map(map_row).collect();
    let left_out = summary.maps.len() - rows.len();
    let rest = match left_out {
        0 => String::new(),
        n => format!("\n{} more are in `maps.csv`.\n", counted(n, "map")),
    };
    format!(
        "## Maps\n\nThe best first: by verdict, then by spread without what chance adds.\n\n\
         {MAPS_HEAD}{}{rest}",
        rows.concat()
    )
}

fn map_row(map: &MapSummary<'_>) -> String {
    let MapSummary { candidate, results, stage, statistics } = map;
    let numbers = match statistics {
        None => "- | - | - | - | - | - | - | - | -".to_owned(),
        Some(MapStatistics { balance, among }) => {
            let sigma = estimate_in_points(balance.spread.sigma);
            let range = estimate_in_points(balance.spread.range);
            let expected =
                among.posterior.map(|posterior| format!("{:.2}", percent_points(posterior.sigma)));
            format!(
                "{} | {} | {:.2} | {:.2} ({:.2} to {:.2}) | {:.2} (to {:.2}) | {}",
                rates(balance),
                p_value(balance),
                percent_points(balance.spread.observed),
                sigma.mean,
                sigma.low,
                sigma.high,
                range.mean,
                range.high,
                expected.unwrap_or_else(|| "-".to_owned()),
            )
        }
    };
    format!(
        "| {} | `{:.12}` | {} | {} | {numbers} | {:.1} | {} |\n",
        candidate.name,
        candidate.map.id(),
        results.games,
        results.undecided(),
        game_lengths(results).mean(),
        stage.name(),
    )
}

/// Returns the win rates of the agents, if there are different ones.
fn agents(summary: &BalanceSummary<'_>) -> Option<String> {
    let BalanceSummary { spec, state, look_schedule, .. } = summary;
    let agents = &spec.pool.agents;
    let firsts = agents.iter().enumerate().filter(|(idx, agent)| !agents[..*idx].contains(agent));
    let decided = state.wins_of_agents.iter().sum();
    let row = |(idx, agent): (usize, &Agent)| {
        let wins = state.wins_of_agents[idx];
        let rate = wilson_interval(wins, decided, look_schedule.error_rate()).ok()?;
        let IntervalEstimate { mean, low, high, .. } = estimate_in_points(rate);
        let places = agents.iter().filter(|other| *other == agent).count();
        let name = agent_name(agent);
        Some(format!("| {name} | {places} | {mean:.2} | {low:.2} to {high:.2} |\n"))
    };
    let rows: Vec<String> = firsts.filter_map(row).collect();
    (1 < rows.len()).then(|| {
        format!(
            "## Agents\n\nWins of each agent in percent of decided games, all maps together; one \
             with more than one place wins for all of them.\n\n\
             | agent | places | wins | interval |\n|---|---|---|---|\n{}",
            rows.concat()
        )
    })
}

fn words(summary: &BalanceSummary<'_>) -> String {
    let intervals = match summary.spec.method {
        MethodParam::Fixed => "",
        MethodParam::GroupSequential { .. } => {
            " Intervals are those of a number of games fixed beforehand; that looks were taken is \
             allowed for in verdicts only."
        }
        MethodParam::Anytime { .. } => {
            " Intervals of sigma hold at all looks at once; the others are those of a number of \
             games fixed beforehand."
        }
    };
    let screened = match summary.maps.iter().any(|map| map.stage == MapStage::Screened) {
        true => {
            " *Screened* maps were only compared with others; of those, what is shown is what they \
             were chosen by."
        }
        false => "",
    };
    format!(
        "## Words\n\n\
         - *p*: Pearson's chi-square test of equal rates, 3 degrees of freedom\n\
         - *spread*: the standard deviation (divisor 4) of the observed rates, in points. Fair \
         maps show one too: 0.89 points on average after 2,000 games\n\
         - *sigma*: the same of the true rates: the spread without what chance adds, and its \
         interval\n\
         - *max - min*: of the observed rates, and the upper bound of the true ones' difference\n\
         - *expected sigma*: what is expected of the map, given all maps (empirical Bayes)\n\n\
         Wilson's and simultaneous (Goodman's) intervals of all rates are in `maps.csv`.{intervals}\
         {screened} The best of many maps looks better than it is: judge it again with another \
         seed or more games before it is used.\n"
    )
}
