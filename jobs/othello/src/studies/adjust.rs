//! `othello-adjust`: do agents that adjust to their opponent meet it at one half, and how natural
//! do their moves look?

mod arms;
mod cells;
mod changes;
mod check;
mod estimates;
mod findings;
mod spec;
mod state;
mod summary;
mod tables;
mod verdicts;

use hatchery_core::{
    CostTrend, Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue,
    Measure, MeasureValue, Plan, Preset, RunHistory, Series, Step, SubjectTrial, WorkPhase,
    presets,
};

use crate::trial::results::MatchResults;
use crate::trial::simulation::OthelloGames;
use cells::{AdjustCell, cells};
use changes::{LevelLag, change_summaries};
use summary::AdjustSummary;
use verdicts::EVEN;

pub use check::CheckedAdjust;
pub use spec::{AdjustSpec, ArmParam, BotParam, ChangingBotParam, JudgeParam, PeopleParam};
pub use state::{AdjustState, CellResults};

/// Arms x BOTs: Fig. 6 of Takagi et al., with controls.
///
/// Every run includes the controls: without an agent that never adjusts, a score of one half says
/// nothing. One generation plays all games.
#[derive(Debug)]
pub struct OthelloAdjust;

impl Experiment for OthelloAdjust {
    const NAME: &'static str = "othello-adjust";
    const VERSION: u32 = 2;
    const SUMMARY: &'static str =
        "measures whether Othello agents that adjust to their opponent score one half against it";
    const PRESETS: &'static [Preset] = presets![
        "adjust-":
        "quick", "paper", "standard", "spread", "smoke",
    ];

    type Simulation = OthelloGames;
    type Spec = AdjustSpec;
    type Checked = CheckedAdjust;
    type State = AdjustState;

    fn check(spec: AdjustSpec) -> Result<CheckedAdjust, InvalidValue> {
        spec.checked()
    }

    fn warnings(checked: &CheckedAdjust) -> Vec<String> {
        checked.spec.openings.warnings()
    }

    fn generations(_checked: &CheckedAdjust) -> u32 {
        1
    }

    fn phases(checked: &CheckedAdjust) -> Vec<WorkPhase> {
        let cells = cells(checked);
        let n_trials = cells.iter().flat_map(|cell| cell.n_trials).map(u64::from).sum();
        // Trials of different arms cost differently.
        vec![WorkPhase::new(1, n_trials..=n_trials, CostTrend::Unknown)]
    }

    fn begin(
        _checked: &CheckedAdjust,
        _seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<AdjustState, InvalidValue> {
        Ok(AdjustState::default())
    }

    fn plan(checked: &CheckedAdjust, _state: &AdjustState) -> Plan<OthelloGames> {
        let cells = cells(checked);
        let series = cells.iter().flat_map(AdjustCell::series);
        let series = series.map(|(subject, n_trials)| Series::new(subject, n_trials)).collect();
        // Each cell has openings of its own, so that results of different arms are independent.
        Plan { shared: (), series, draws: Draws::PerSubject }
    }

    fn fold(
        checked: &CheckedAdjust,
        mut state: AdjustState,
        tallies: &[MatchResults],
        _seed: &GenerationSeed,
    ) -> Step<AdjustState> {
        let mut tallies = tallies.iter();
        for cell in cells(checked) {
            let mut results = CellResults::default();
            let change = cell.setup.change.as_ref();
            cell.series().zip(&mut tallies).for_each(|(_, tally)| results.add(tally, change));
            state.cells.push(results);
        }
        Step::Done(state)
    }

    /// Returns the games of the arm that met its BOT nearest to one half, controls left out.
    fn best_trial(
        checked: &CheckedAdjust,
        latest: &AdjustState,
        _begun: &AdjustState,
    ) -> Option<SubjectTrial> {
        let summary = AdjustSummary::new(checked, latest);
        let mut n_series = 0;
        let mut best: Option<(f64, usize)> = None;
        for it in &summary.cells {
            let first = n_series;
            n_series += it.cell.series().count();
            let counts = !it.cell.kind.is_control() && it.cell.setup.change.is_none();
            let Some(score) = it.score.filter(|_| counts) else { continue };
            let distance = (score.interval.mean - EVEN).abs();
            if best.is_none_or(|(nearest, _)| distance < nearest) {
                best = Some((distance, first));
            }
        }
        SubjectTrial::first_of(best?.1)
    }

    /// Returns the score of each arm against each BOT. Arms that adjust also get a measure of how
    /// much nearer to one half their score is than the fixed control's score. Scores and lags
    /// against BOTs that change follow, then the number of games.
    fn measures(checked: &CheckedAdjust, state: &AdjustState) -> Vec<Measure> {
        let summary = AdjustSummary::new(checked, state);
        let mut measures = Vec::new();
        for kind in summary.kinds() {
            for cell in summary.bots(kind) {
                let name = format!("{}/{}/score", kind.name(), summary.opponent(cell).name());
                measures.extend(cell.score.map(|it| Measure::new(name, "", it.interval)));
            }
        }
        for kind in summary.kinds().into_iter().filter(|kind| !kind.is_control()) {
            for (cell, verdict) in summary.bots(kind).zip(summary.verdict(kind).bots) {
                let name = format!("{}/{}/nearer", kind.name(), summary.opponent(cell).name());
                measures.extend(verdict.map(|it| Measure::new(name, "", it.nearer)));
            }
        }
        for it in change_summaries(&summary) {
            let name = format!("{}/{}", it.cell.cell.kind.name(), summary.opponent(it.cell).name());
            let score = |what, score: Option<_>| {
                score.map(|score| Measure::new(format!("{name}/score_{what}"), "", score))
            };
            let [_, after, at_end] = it.scores;
            measures.extend([score("after", after), score("at_end", at_end)].into_iter().flatten());
            let lag = match it.lag {
                LevelLag::Games(games) => ("lag", games.into()),
                // The interval is one of too small a number.
                LevelLag::AtLeast(games) => ("lag_at_least", MeasureValue::Number(games.low)),
                LevelLag::NoLevel | LevelLag::NoChange => continue,
            };
            measures.push(Measure::new(format!("{name}/{}", lag.0), "games", lag.1));
        }
        let pairs = |cell: &CellResults| cell.counted.pairs() + cell.first.pairs();
        let games: u64 = state.cells.iter().map(|cell| 2 * pairs(cell)).sum();
        measures.push(Measure::new("games", "games", games));
        measures
    }

    fn exhibits(checked: &CheckedAdjust, state: &AdjustState) -> Vec<Exhibit> {
        let summary = AdjustSummary::new(checked, state);
        if summary.cells.is_empty() {
            return Vec::new();
        }
        let mut exhibits = findings::findings(&summary).exhibits();
        exhibits.extend([
            tables::trials(&summary),
            tables::winrates(&summary, &tables::score_rows(&summary)).csv("winrates.csv"),
            tables::naturalness(&summary),
            tables::levels(&summary),
        ]);
        let changes = change_summaries(&summary);
        if !changes.is_empty() {
            exhibits.push(tables::changes(&summary, &changes).csv("changes.csv"));
        }
        exhibits
    }

    fn findings(
        checked: &CheckedAdjust,
        state: &AdjustState,
        _history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(findings::findings(&AdjustSummary::new(checked, state)))
    }
}
