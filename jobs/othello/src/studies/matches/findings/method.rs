//! What was done.

use hatchery_core::findings::RichText;
use hatchery_core::text::{counted, grouped, joined};
use hatchery_stats::EloSprt;

use super::super::spec::MatchMethod;
use super::super::summary::{MatchSummary, unit};
use crate::trial::setup::KeptGames;

/// Returns what was played, how matches end, and where games are.
pub(super) fn method(summary: &MatchSummary<'_>) -> Vec<RichText> {
    let games = format!(
        "{} A pair is two games on one opening with the colors swapped. Openings: {}.",
        end_of_matches(summary),
        summary.spec.openings.text()
    );
    let intervals = format!(
        "Intervals hold with {} %: those of scores and Elo of a match take pairs for independent, \
         and those of the ratings take games.",
        summary.percent()
    );
    let mut method = vec![games.into(), intervals.into()];
    method.extend(learning_agents(summary));
    method.push(files(summary));
    method
}

fn end_of_matches(summary: &MatchSummary<'_>) -> String {
    let pairs = counted(summary.spec.pairs, "pair");
    match summary.spec.method {
        MatchMethod::Fixed => format!("Each match has {pairs} of games."),
        MatchMethod::Sprt { elo0, elo1, model, alpha, beta, most_pairs } => {
            let sprt = summary.checked.sprt.as_ref();
            let (low, high) = sprt.map(EloSprt::bounds).unwrap_or_default();
            format!(
                "Each match is a sequential probability ratio test of {elo0} against {elo1} {}, \
                 with a look after every {pairs}, at most {}. Alpha is {}, the probability of \
                 accepting {elo1} where {elo0} is true, and beta {}, that of accepting {elo0} \
                 where {elo1} is true; the test ends at a log-likelihood ratio of {low:.3} or \
                 {high:.3}. Scores and Elo after a sequential stop overstate the true difference: \
                 the test ends where results happen to be extreme.",
                unit(model),
                grouped(most_pairs),
                alpha.get(),
                beta.get(),
            )
        }
    }
}

/// Names the agents that learn from game to game, and forget after each pair.
fn learning_agents(summary: &MatchSummary<'_>) -> Option<RichText> {
    let agents = summary.spec.agents.iter().zip(&summary.checked.agents);
    let names = agents.filter(|(_, agent)| agent.carries()).map(|(param, _)| param.name());
    let names: Vec<String> = names.map(str::to_owned).collect();
    (!names.is_empty()).then(|| {
        RichText::new(format!(
            "Learning from game to game: {}. A pair of games is a trial of its own, so they begin \
             anew after two games; ",
            joined(&names)
        ))
        .code("othello-adjust")
        .plain(" plays longer sequences.")
    })
}

/// Says which games `games.ggf` has, and how others are replayed.
fn files(summary: &MatchSummary<'_>) -> RichText {
    let stored = summary.state.pairings.iter().map(|pairing| pairing.games.len());
    let (n_matches, most) = (stored.len(), stored.clone().max().unwrap_or(0));
    let with_games = stored.filter(|&n| n != 0).count();
    let of = match with_games == n_matches {
        true => "each match".to_owned(),
        false => format!("the first {with_games} matches"),
    };
    let is_all = summary.spec.kept == KeptGames::All;
    let pairs = if most == 1 { "pair".to_owned() } else { format!("{most} pairs") };
    let games = match most {
        0 => RichText::default(),
        _ if is_all => RichText::default().code("games.ggf").plain(" has all games. "),
        _ => {
            RichText::default().code("games.ggf").plain(format!(" has the first {pairs} of {of}. "))
        }
    };
    let later = match summary.spec.method {
        MatchMethod::Fixed => "",
        MatchMethod::Sprt { .. } => {
            "; later generations have one look each, and only the matches that go on, numbered anew"
        }
    };
    games
        .code("crosstable.csv")
        .plain(" has all numbers of the matches. ")
        .code("hatchery replay RUN 0/SUBJECT/TRIAL")
        .plain(format!(" shows a pair of games of a match{later}."))
}
