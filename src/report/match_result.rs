//! What the results of a match say about two players: for `hatchery elo` and `hatchery sprt`.

use clap::ValueEnum;
use hatchery_core::IntervalEstimate;
use hatchery_core::text::{grouped, rounded};
use hatchery_core::words::{percent, percent_interval, signed};
use hatchery_stats::{
    ELO_LIMIT, EloModel, EloSprt, ErrorRate, MIN_SUPERIORITY_RESULTS, MatchCounts, SprtDecision,
    StatsError, match_elo, match_strength,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::farm::JsonDocument;

/// The difference between two players as a match shows it. The first player is the one whose wins
/// are counted.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct MatchDocument {
    /// The number of games; a pair is two.
    games: u64,
    /// The counts by points of the first player, from the lowest: losses, draws and wins of single
    /// games, or pairs of games with 0, 1/2, 1, 3/2 and 2 points.
    counts: Vec<u64>,
    /// The points per game, from 0 to 1, with Student's interval.
    score: IntervalEstimate,
    /// The Elo difference of that score. -1,199.8 and 1,199.8 stand for unbounded differences.
    elo: IntervalEstimate,
    /// The normalized Elo: the mean over the standard deviation of a game's score, in units of
    /// 347.4 points. `null` if all results are the same.
    normalized_elo: Option<IntervalEstimate>,
    /// The likelihood of superiority (LOS): the probability that the first player is the stronger
    /// one. `null` for fewer than 20 games or pairs.
    superiority: Option<f64>,
}

impl JsonDocument for MatchDocument {
    const SCHEMA: &'static str = "hatchery.elo/1";
}

impl MatchDocument {
    /// Returns what the results `counts` show, with intervals of `error_rate`.
    pub(crate) fn new(counts: &MatchCounts, error_rate: ErrorRate) -> Self {
        let strength = match_strength(counts, error_rate);
        Self {
            games: counts.games(),
            counts: counts.bins().to_vec(),
            score: strength.score.interval,
            elo: strength.elo,
            normalized_elo: match_elo(counts, error_rate).normalized,
            superiority: strength.superiority,
        }
    }

    /// Returns the document as text for people.
    pub(crate) fn text(&self) -> String {
        aligned(&self.lines())
    }

    /// Returns the names and values of the document.
    fn lines(&self) -> Vec<(&'static str, String)> {
        let score = &self.score;
        let mut lines = vec![
            ("games", self.results()),
            ("score", format!("{} ({})", percent(score.mean, 1), percent_interval(score))),
            ("Elo", elo_estimate(&self.elo)),
        ];
        lines.extend(self.normalized_elo.map(|it| ("normalized Elo", elo_estimate(&it))));
        let superiority = match self.superiority {
            Some(share) => superiority_text(share),
            None => format!("unknown before {MIN_SUPERIORITY_RESULTS} games or pairs"),
        };
        lines.push(("LOS", superiority));
        lines.push(("intervals", format!("{} confidence", percent(self.score.confidence, 1))));
        lines
    }

    /// Returns the number of games and the counts in words.
    fn results(&self) -> String {
        let games = grouped(self.games);
        let counts: Vec<String> = self.counts.iter().copied().map(grouped).collect();
        match &counts[..] {
            [losses, draws, wins] => {
                format!("{games} ({wins} won, {draws} drawn, {losses} lost)")
            }
            pairs => {
                format!("{games} in pairs ({} with 0, 1/2, 1, 3/2 and 2 points)", pairs.join(", "))
            }
        }
    }
}

/// Returns lines with their names in a column.
fn aligned(lines: &[(&str, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    lines.iter().map(|(name, value)| format!("{name:width$}  {value}\n")).collect()
}

/// Returns an Elo difference and its interval, such as `+58.5 (+0.8 to +117.2)`.
fn elo_estimate(it: &IntervalEstimate) -> String {
    let [mean, low, high] = [it.mean, it.low, it.high].map(elo_text);
    format!("{mean} ({low} to {high})")
}

fn elo_text(elo: f64) -> String {
    // The limit itself is rounded.
    match elo.abs() < ELO_LIMIT - 0.01 {
        true => signed(elo, 1),
        false if elo < 0.0 => "unbounded below".to_owned(),
        false => "unbounded above".to_owned(),
    }
}

/// Returns a probability in percent that is neither 0 nor 100.
fn superiority_text(share: f64) -> String {
    match share {
        small if small < 0.000_5 => "below 0.1 %".to_owned(),
        large if 0.999_5 <= large => "above 99.9 %".to_owned(),
        _ => percent(share, 1),
    }
}

/// A test of two hypotheses on how much stronger the first player is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct EloHypotheses {
    /// The hypothesis of no or little difference, in the unit of `model`.
    pub(crate) elo0: f64,
    /// The hypothesis of a difference, above `elo0`.
    pub(crate) elo1: f64,
    /// The unit of the hypotheses.
    pub(crate) model: EloUnit,
}

/// The unit of an Elo difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EloUnit {
    /// Elo points, a function of the mean score: from -1,000 to 1,000
    Logistic,
    /// Normalized Elo points, which hardly depend on the share of draws: from -200 to 200
    Normalized,
}

impl EloHypotheses {
    /// Returns the test of the hypotheses.
    ///
    /// # Errors
    /// As [`EloSprt::new`].
    pub(crate) fn test(&self, alpha: ErrorRate, beta: ErrorRate) -> Result<EloSprt, StatsError> {
        let model = match self.model {
            EloUnit::Logistic => EloModel::Logistic,
            EloUnit::Normalized => EloModel::Normalized,
        };
        EloSprt::new(model, [self.elo0, self.elo1], alpha, beta)
    }
}

/// The verdict of a sequential probability ratio test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum SprtWord {
    /// The difference is `elo0` rather than `elo1`.
    AcceptElo0,
    /// The difference is `elo1` rather than `elo0`.
    AcceptElo1,
    /// More games are needed.
    Continue,
}

impl From<SprtDecision> for SprtWord {
    fn from(decision: SprtDecision) -> Self {
        match decision {
            SprtDecision::AcceptH0 => Self::AcceptElo0,
            SprtDecision::AcceptH1 => Self::AcceptElo1,
            SprtDecision::Continue => Self::Continue,
        }
    }
}

/// The answer of a sequential probability ratio test to the results of a match.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SprtDocument {
    #[serde(flatten)]
    strength: MatchDocument,
    #[serde(flatten)]
    hypotheses: EloHypotheses,
    /// The log-likelihood ratio of `elo1` to `elo0`.
    llr: f64,
    /// The bound of the ratio: `elo0` is accepted there and below.
    lower: f64,
    /// The bound of the ratio: `elo1` is accepted there and above.
    upper: f64,
    /// The verdict.
    verdict: SprtWord,
}

impl JsonDocument for SprtDocument {
    const SCHEMA: &'static str = "hatchery.sprt/1";
}

impl SprtDocument {
    /// Returns the answer of `test`, which tests `hypotheses`, to the results `counts`, whose
    /// `strength` is known.
    pub(crate) fn new(
        strength: MatchDocument,
        hypotheses: EloHypotheses,
        test: &EloSprt,
        counts: &MatchCounts,
    ) -> Self {
        let ((lower, upper), verdict) = (test.bounds(), test.verdict(counts));
        let (llr, verdict) = (verdict.llr, verdict.decision.into());
        Self { strength, hypotheses, llr, lower, upper, verdict }
    }

    /// Returns the document as text for people.
    pub(crate) fn text(&self) -> String {
        let EloHypotheses { elo0, elo1, model } = self.hypotheses;
        let unit = match model {
            EloUnit::Logistic => "Elo",
            EloUnit::Normalized => "normalized Elo",
        };
        let verdict = match self.verdict {
            SprtWord::AcceptElo0 => format!("{elo0} rather than {elo1}: the match can end"),
            SprtWord::AcceptElo1 => format!("{elo1} rather than {elo0}: the match can end"),
            SprtWord::Continue => "none yet: continue the match".to_owned(),
        };
        let [llr, lower, upper] = [self.llr, self.lower, self.upper].map(|it| rounded(it, 3));
        let mut lines = self.strength.lines();
        lines.push(("hypotheses", format!("{elo0} and {elo1} {unit}")));
        lines.push(("LLR", format!("{llr} (bounds {lower} and {upper})")));
        lines.push(("verdict", verdict));
        aligned(&lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::farm::SchemaTagged;
    use crate::report::schema;

    #[test]
    fn the_schemas_are_documented() {
        schema::check::<SchemaTagged<MatchDocument>>("elo");
        schema::check::<SchemaTagged<SprtDocument>>("sprt");
    }

    #[test]
    fn one_sided_results_are_unbounded() {
        let of = |results| {
            let counts = MatchCounts::of_games(results).unwrap();
            MatchDocument::new(&counts, ErrorRate::FIVE_PERCENT).text()
        };
        let text = of([0, 0, 30]);
        assert!(
            text.contains("Elo        unbounded above (+") && text.contains("to unbounded above)"),
            "{text}"
        );
        assert!(text.contains("LOS        above 99.9 %"), "{text}");
        assert!(!text.contains("normalized"), "{text}");
        let text = of([3, 0, 0]);
        assert!(text.contains("unbounded below (unbounded below to "), "{text}");
        assert!(text.contains("LOS        unknown before 20 games"), "{text}");
    }
}
