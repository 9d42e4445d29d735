//! The method, as the findings tell it: games, intervals and where the numbers come from.

use hatchery_core::findings::{RichText, words};
use hatchery_core::text::{counted, grouped, rounded};
use hatchery_stats::mean_estimate;

use crate::params::method::MethodParam;
use crate::players::agent_name::agent_name;
use crate::studies::balance::summary::{BalanceSummary, MapStage};
use crate::studies::wording;
use crate::trial::seat_balance::game_lengths;

/// Returns what was done.
pub(super) fn method(summary: &BalanceSummary<'_>) -> Vec<RichText> {
    let terms = format!("{} {} {}", wording::SPREAD, wording::SIGMA, wording::P_VALUE);
    vec![
        games(summary),
        wording::SEATS.into(),
        judging(summary),
        terms.into(),
        other_numbers(),
        intervals(summary),
    ]
}

fn games(summary: &BalanceSummary<'_>) -> RichText {
    let (spec, all) = (&summary.checked.spec, &summary.all);
    let agents = spec.pool.agents.each_ref().map(agent_name);
    let agents = match agents.iter().all(|agent| *agent == agents[0]) {
        true => format!("four times {}", agents[0]),
        false => agents.join(", "),
    };
    let words = RichText::new(format!("Agents: {agents}. "));
    if all.results.games == 0 {
        return words.plain(format!("Games are stopped undecided after {} turns.", spec.turn_cap));
    }
    let lengths = game_lengths(&all.results);
    words
        .plain(format!(
            "Games shown: {}, of which {} were stopped undecided after {} turns. A game has ",
            grouped(all.results.games),
            grouped(all.results.undecided()),
            grouped(spec.turn_cap)
        ))
        .join(RichText::estimate(mean_estimate(&lengths), 1))
        .plain(format!(
            " turns of all players on average, standard deviation {}, and the longest has {}.",
            rounded(lengths.sd(), 1),
            grouped(all.results.turns.longest)
        ))
}

fn judging(summary: &BalanceSummary<'_>) -> RichText {
    let looks = summary.checked.look_schedule.looks();
    let [first, last] = [looks.first(), looks.last()].map(|games| grouped(*games.unwrap_or(&0)));
    let looks = counted(looks.len(), "look");
    let method = match summary.checked.spec.method {
        MethodParam::Fixed => format!("Maps are judged after {first} games each, fixed beforehand"),
        MethodParam::GroupSequential { .. } => {
            format!("Maps are judged group-sequentially: {looks} after {first} to {last} games")
        }
        MethodParam::Anytime { .. } => {
            format!("Maps are judged anytime-valid: {looks} after {first} to {last} games")
        }
    };
    match summary.checked.spec.halving {
        Some(halving) => format!(
            "{method}, of {} kept by sequential halving, by fresh games, not those of screening.",
            counted(halving.keep, "map")
        ),
        None => format!("{method}."),
    }
    .into()
}

fn other_numbers() -> RichText {
    "Max - min is the range of the observed rates, and the upper bound of the true ones' \
     difference. Expected sigma is what is expected of the map, given all maps, with the \
     probability that it is below the margin (empirical Bayes)."
        .into()
}

fn intervals(summary: &BalanceSummary<'_>) -> RichText {
    let looks = match summary.checked.spec.method {
        MethodParam::Fixed => "",
        MethodParam::GroupSequential { .. } => {
            " The error rate is the share of the look. Other intervals are those of a number of \
             games fixed beforehand."
        }
        MethodParam::Anytime { .. } => {
            " Those hold at all looks at once; other intervals are those of a number of games \
             fixed beforehand."
        }
    };
    let screened = match summary.maps.iter().any(|map| map.stage == MapStage::Screened) {
        true => {
            " Screened maps were only compared with others; of those, what is shown is what they \
             were chosen by."
        }
        false => "",
    };
    let level = words::trimmed(100.0 * (1.0 - summary.checked.look_schedule.error_rate().get()), 4);
    let turns = if level == "95" { "" } else { ", those of turns at 95 %" };
    RichText::new(format!(
        "Intervals are at {level} %{turns}. That of a judged map's sigma is an exception: it \
         consists of the two bounds that the verdict goes by. Each is wrong with at most the error \
         rate, so that the interval of a fair map ends below the margin, and one of the \
         two with at most twice that.{looks} Wilson's and simultaneous (Goodman's) intervals of \
         all rates are in "
    ))
    .code("maps.csv")
    .plain(format!(
        ".{screened} The best of many maps looks better than it is: judge it again with \
         another seed or more games before it is used."
    ))
}
