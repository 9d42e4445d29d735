//! The exhibits of a state: report, cross table and games.

use std::fmt::Write as _;

use hatchery_core::Exhibit;
use hatchery_core::text::TAKES_ALL;
use hatchery_stats::{EloSprt, MIN_SUPERIORITY_RESULTS, MatchStrength, SprtDecision};

use super::spec::{CheckedMatch, EloModelParam, MatchMethod, MatchSpec};
use super::state::{MatchState, PairingState, StoredPair};
use crate::experiment::crosstable;
use crate::experiment::ratings::AgentRatings;
use crate::experiment::scene::agent_text;
use crate::experiment::wording;
use crate::record::ggf::{self, GgfGame, GgfText};
use crate::record::{RecordedGame, transcript};
use crate::rules::Position;

/// Returns the report, the cross table, and the first games of each match.
pub(super) fn exhibits(spec: &MatchSpec, state: &MatchState) -> Vec<Exhibit> {
    let checked = spec.checked();
    let summary = MatchSummary { spec, checked: &checked, state };
    vec![
        Exhibit::new("report.md", "text/markdown", summary.report()),
        Exhibit::new("crosstable.csv", "text/csv", summary.crosstable()),
        Exhibit::new("games.ggf", "text/plain", summary.games()),
    ]
}

struct MatchSummary<'a> {
    spec: &'a MatchSpec,
    checked: &'a CheckedMatch,
    state: &'a MatchState,
}

impl MatchSummary<'_> {
    fn name(&self, agent: usize) -> &str {
        self.spec.agents[agent].name()
    }

    fn matches(&self) -> impl Iterator<Item = ([usize; 2], &PairingState)> {
        self.checked.pairings.iter().copied().zip(&self.state.pairings)
    }

    fn strength(&self, pairing: &PairingState) -> Option<MatchStrength> {
        crosstable::strength(&pairing.counts, self.checked.error_rate)
    }

    fn report(&self) -> String {
        [self.heading(), self.rating_table(), self.match_table(), self.effort_table()].join("\n")
    }

    fn heading(&self) -> String {
        let method = match self.spec.method {
            MatchMethod::Fixed => format!("{} pairs of games of each match", self.spec.pairs),
            MatchMethod::Sprt { elo0, elo1, model, alpha, beta, most_pairs } => {
                let bounds = self.checked.sprt.as_ref().map(EloSprt::bounds).unwrap_or_default();
                format!(
                    "sequential probability ratio test of {elo0} against {elo1} {}, a look after \
                     every {} pairs, at most {most_pairs}; alpha {alpha}, the probability of \
                     accepting {elo1} where {elo0} is true, and beta {beta}, that of accepting \
                     {elo0} where {elo1} is true; it ends at a log-likelihood ratio of {:.3} or \
                     {:.3}. Scores and Elo after a sequential stop are biased away from the start: \
                     the test ends where results happen to be extreme",
                    unit(model),
                    self.spec.pairs,
                    bounds.0,
                    bounds.1,
                )
            }
        };
        let percent = 100.0 * (1.0 - self.checked.error_rate.get());
        let mut text = format!(
            "# Othello match\n\n\
             - agents: {}\n\
             - method: {method}\n\
             - openings: {}\n\
             - a pair is two games on one opening with the colors swapped; intervals hold with \
             {percent} %, those of scores and Elo of a match take pairs for independent, and those \
             of the ratings take games\n{}{}\n\
             | agent | kind | settings |\n|---|---|---|\n",
            self.spec.agents.len(),
            self.spec.openings.text(),
            self.learning_agents().unwrap_or_default(),
            self.stored_games(),
        );
        for (param, agent) in self.spec.agents.iter().zip(&self.checked.agents) {
            let settings = wording::agent_settings(agent);
            let settings = settings.as_deref().unwrap_or("-");
            writeln!(text, "| {} | {} | {settings} |", param.name(), agent_text(agent))
                .expect(TAKES_ALL);
        }
        text
    }

    /// Names the agents that learn from game to game, and forget after each pair.
    fn learning_agents(&self) -> Option<String> {
        let agents = self.spec.agents.iter().zip(&self.checked.agents);
        let names = agents.filter(|(_, agent)| agent.carries()).map(|(param, _)| param.name());
        let names: Vec<String> = names.map(str::to_owned).collect();
        (!names.is_empty()).then(|| {
            format!(
                "- learning from game to game: {}; a pair of games is a trial of its own, so they \
                 begin anew after two games, and `othello-adjust` plays longer sequences\n",
                wording::list(&names)
            )
        })
    }

    /// Says which games `games.ggf` has.
    fn stored_games(&self) -> String {
        let stored = self.state.pairings.iter().map(|pairing| pairing.games.len());
        let (n_matches, most) = (self.state.pairings.len(), stored.clone().max().unwrap_or(0));
        let with_games = stored.filter(|&n| n != 0).count();
        let of = match with_games == n_matches {
            true => "each match".to_owned(),
            false => format!("the first {with_games} matches"),
        };
        let pairs = if most == 1 { "pair".to_owned() } else { format!("{most} pairs") };
        format!("- `games.ggf` has the first {pairs} of {of}\n")
    }

    fn rating_table(&self) -> String {
        let results = self.matches().map(|(agents, pairing)| (agents, &pairing.counts));
        let n_agents = self.checked.agents.len();
        let found = AgentRatings::new(n_agents, results, self.checked.error_rate).all();
        let mut text = "## Ratings\n\n\
             Most likely ratings of the Bradley-Terry model in Elo points, with a mean of 0 and no \
             prior. Their intervals take games, not pairs, for independent.\n\n\
             | agent | Elo |\n|---|---|\n"
            .to_owned();
        for (agent, rating) in found.iter().enumerate() {
            writeln!(text, "| {} | {} |", self.name(agent), rating.text()).expect(TAKES_ALL);
        }
        text
    }

    fn match_table(&self) -> String {
        let mut text = format!(
            "## Matches\n\n\
             As the first agent sees them. Superior: the probability that the first agent is the \
             stronger one, from {MIN_SUPERIORITY_RESULTS} pairs on. `hatchery replay RUN \
             0/SUBJECT/TRIAL` shows a pair of games of a match{}\n\n\
             | subject | first | second | pairs | losses, draws, wins | score | Elo | superior | \
             verdict |\n|---|---|---|---|---|---|---|---|---|\n",
            match self.spec.method {
                MatchMethod::Fixed => ".",
                MatchMethod::Sprt { .. } => {
                    "; later generations have one look each, and only the matches that go on, \
                     numbered anew."
                }
            }
        );
        for (subject, ([a, b], pairing)) in self.matches().enumerate() {
            let [losses, draws, wins] = pairing.counts.games();
            let strength = self.strength(pairing).map_or_else(
                || "- | - | -".to_owned(),
                |it| {
                    let score = wording::interval(it.score.interval, 3);
                    let superior = it.superiority.map(|it| format!("{it:.3}"));
                    let superior = superior.unwrap_or_else(|| "-".to_owned());
                    format!("{score} | {} | {superior}", wording::match_elo(it.elo))
                },
            );
            writeln!(
                text,
                "| {subject} | {} | {} | {} | {losses}, {draws}, {wins} | {strength} | {} |",
                self.name(a),
                self.name(b),
                pairing.counts.pairs(),
                self.verdict(pairing)
            )
            .expect(TAKES_ALL);
        }
        text
    }

    fn verdict(&self, pairing: &PairingState) -> String {
        let MatchMethod::Sprt { elo0, elo1, model, .. } = self.spec.method else {
            return "-".to_owned();
        };
        let Some(verdict) = pairing.verdict(self.checked) else {
            return "not looked at".to_owned();
        };
        let decision = match verdict.decision {
            SprtDecision::AcceptH0 => format!("{elo0} rather than {elo1} {}", unit(model)),
            SprtDecision::AcceptH1 => format!("{elo1} rather than {elo0} {}", unit(model)),
            SprtDecision::Continue => "undecided".to_owned(),
        };
        format!("{decision} (log-likelihood ratio {:.2})", verdict.llr)
    }

    fn effort_table(&self) -> String {
        let mut text = "## Effort\n\n\
             Per search: means over all matches of the agent. Moves without a choice are not \
             searched for.\n\n\
             | agent | searches | playouts | nodes | deepest leaf |\n|---|---|---|---|---|\n"
            .to_owned();
        for agent in 0..self.checked.agents.len() {
            let mut all = crate::players::SearchEffort::default();
            for (agents, pairing) in self.matches() {
                let seats = agents.iter().zip(&pairing.efforts);
                seats.filter(|(seat, _)| **seat == agent).for_each(|(_, one)| all.absorb(one));
            }
            let means = all.mean().map_or_else(
                || "- | - | -".to_owned(),
                |mean| {
                    format!("{:.0} | {:.0} | {:.1}", mean.playouts, mean.nodes, mean.deepest_leaf)
                },
            );
            writeln!(text, "| {} | {} | {means} |", self.name(agent), all.searches)
                .expect(TAKES_ALL);
        }
        text
    }

    fn crosstable(&self) -> String {
        let mut text = format!("{},log_likelihood_ratio\n", crosstable::COLUMNS);
        for ([a, b], pairing) in self.matches() {
            let names = [self.name(a), self.name(b)];
            let row = crosstable::row(names, &pairing.counts, self.checked.error_rate);
            let llr = pairing.verdict(self.checked).map(|verdict| format!("{:.4}", verdict.llr));
            writeln!(text, "{row},{}", llr.unwrap_or_default()).expect(TAKES_ALL);
        }
        text
    }

    /// Returns the first games of each match in GGF, a line each.
    fn games(&self) -> String {
        let mut text = String::new();
        for (agents, pairing) in self.matches() {
            let [first, second] = agents.map(|agent| self.name(agent));
            for pair in &pairing.games {
                for (game, [black, white]) in
                    pair.read().into_iter().zip([[first, second], [second, first]])
                {
                    text.push_str(&ggf_line(game, black, white));
                }
            }
        }
        text
    }
}

/// Returns the unit of hypotheses.
fn unit(model: EloModelParam) -> &'static str {
    match model {
        EloModelParam::Logistic => "logistic Elo points",
        EloModelParam::Normalized => "normalized Elo points",
    }
}

impl StoredPair {
    /// Returns the two games, or none if the text is not what this build writes.
    fn read(&self) -> Vec<RecordedGame> {
        let Ok(start) = self.start.parse::<Position>() else { return Vec::new() };
        let games = self.games.iter().map(|moves| transcript::read(moves.as_bytes(), start));
        games.collect::<Result<_, _>>().unwrap_or_default()
    }
}

fn ggf_line(game: RecordedGame, black: &str, white: &str) -> String {
    let mut game = GgfGame::new(game);
    game.place = GgfText::new("PC", "hatchery").ok();
    game.black = GgfText::new("PB", black).ok();
    game.white = GgfText::new("PW", white).ok();
    ggf::write(&[game])
}
