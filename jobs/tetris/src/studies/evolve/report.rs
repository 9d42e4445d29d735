//! The measures and exhibits of `tetris-evolve`.

use hatchery_core::spec::{FileList, FileValue};
use hatchery_core::{Exhibit, Experiment, Measure, TrialRow};
use hatchery_evolve::MeanScore;
use serde::Serialize;

use super::spec::{CheckedEvolve, EvolveSpec, JudgeParams};
use super::state::{EvolvePhase, EvolveState};
use crate::features::{FullRows, SkyRule};
use crate::params::controller_params::{ControllerParams, FeatureWeights};
use crate::params::game_params::{DrawParams, GameParams};
use crate::players::NetworkParams;
use crate::studies::TetrisEvaluate;
use crate::studies::evaluate::EvaluateSpec;
use crate::studies::genotype::ControllerKind;
use crate::studies::player_results::PlayerResults;

/// The names of measures that the findings tell.
pub(super) const BEST: &str = "best_fitness";
pub(super) const MEAN: &str = "mean_fitness";
/// The five-number summary of fitness in the population.
pub(super) const QUANTILES: [&str; 5] = [
    "fitness_lowest",
    "fitness_lower_quartile",
    "fitness_median",
    "fitness_upper_quartile",
    "fitness_highest",
];
pub(super) const CHAMPION: &str = "champion_mean";
pub(super) const CHAMPION_FITNESS: &str = "champion_fitness";

/// Returns the measures of a state. During evolution: the best and the mean fitness of the
/// generation. At the end: the champion's scores in fresh games, and their ratio to the first
/// generation.
pub(super) fn measures(checked: &CheckedEvolve, state: &EvolveState) -> Vec<Measure> {
    let CheckedEvolve { spec, fitness: fitness_trial, judge: judge_trial } = checked;
    let EvolveState { phase, first, latest, best } = state;
    let lines = |name: &str, score: &MeanScore| Measure::new(name, "lines", score.mean());
    // The best was chosen by this score.
    let n_individuals = u64::from(spec.replicates) * u64::from(spec.population);
    let best_of = |best: &MeanScore| lines(BEST, best).selected_from(n_individuals);
    let EvolvePhase::Done { genome, judged, fit } = phase else {
        return vec![best_of(best), lines(MEAN, latest), lines("first_mean_fitness", first)];
    };
    let genome = genome.as_slice();
    let judge = spec.player(genome, judge_trial);
    let mut measures = judged.measures(&|what| format!("champion_{what}"), &judge);
    let fitness = fit.mean(fitness_trial.game.rules.size);
    measures.extend(fitness.map(|fitness| Measure::new(CHAMPION_FITNESS, "lines", fitness)));
    measures.push(best_of(best));
    measures.push(lines(MEAN, latest));
    measures.push(lines("first_mean_fitness", first));
    if let Some(fitness) = fitness
        && 0 < first.total
    {
        let improvement = fitness.mean / first.mean();
        measures.push(Measure::new("improvement", "times the first generation", improvement));
    }
    measures
}

/// Returns the champion as a spec that evaluates it on the judge's game, and at the end the table
/// of the games that confirm it, unless both estimators are splitting.
pub(super) fn exhibits(checked: &CheckedEvolve, state: &EvolveState) -> Vec<Exhibit> {
    let (EvolvePhase::Confirming { genome } | EvolvePhase::Done { genome, .. }) = &state.phase
    else {
        return Vec::new();
    };
    let toml = champion(checked, genome).unwrap_or_else(|error| format!("# {error}\n"));
    let mut exhibits = vec![Exhibit::new("champion.toml", "application/toml", toml)];
    if let EvolvePhase::Done { judged, fit, .. } = &state.phase {
        let games: Vec<_> = confirming_games(&checked.spec, judged, fit).collect();
        exhibits.extend((!games.is_empty()).then(|| Exhibit::trials(games)));
    }
    exhibits
}

/// Returns the games of the last generation: the champion in the judge's game, then in the game of
/// the fitness, which are its subjects.
fn confirming_games<'a>(
    spec: &EvolveSpec,
    judged: &'a PlayerResults,
    fit: &'a PlayerResults,
) -> impl Iterator<Item = TrialRow<'a>> {
    let last = spec.n_generations().saturating_sub(1);
    judged.trial_rows(last, 0, "judge").chain(fit.trial_rows(last, 1, "fitness"))
}

/// Returns a spec of `tetris-evaluate` for the controller of `genome` and the judge's game.
fn champion(checked: &CheckedEvolve, genome: &[f32]) -> Result<String, toml::ser::Error> {
    let spec = &checked.spec;
    let JudgeParams { game, estimator, splitting, confirm_games, choose_games: _ } =
        spec.judge.clone();
    let GameParams { width: _, height: _, pieces, overflow, max_pieces, queue } = game;
    let (weights, network) = match spec.controller {
        ControllerKind::Network | ControllerKind::NetworkWithDiversity => {
            let diversity = spec.controller == ControllerKind::NetworkWithDiversity;
            let weights = genome.to_vec();
            (None, Some(NetworkParams { hidden: spec.hidden, diversity, weights }))
        }
        ControllerKind::Linear | ControllerKind::LinearWithDiversity => {
            (Some(FeatureWeights::from_genes(genome)), None)
        }
    };
    let params = EvaluateSpec {
        games: confirm_games,
        estimator,
        splitting,
        overflow,
        max_pieces,
        correlate: false,
        boards: vec![checked.judge.game.rules.size],
        draws: vec![DrawParams { queue, ..DrawParams::new("judge", pieces) }],
        controllers: FileList::from_iter([ControllerParams {
            name: "champion".to_owned(),
            wells: spec.wells,
            full_rows: FullRows::Removed,
            sky: SkyRule::Empty,
            weights: weights.map(FileValue::from),
            surface: None,
            network: network.map(FileValue::from),
            lookahead: spec.lookahead.and_then(|lookahead| lookahead.used_in(queue)),
        }]),
    };
    let document = EvaluateDocument { experiment: TetrisEvaluate::NAME, seed: 1, params };
    let about =
        "# A champion of tetris-evolve; evaluate it again with: hatchery run champion.toml\n";
    Ok(about.to_owned() + &toml::to_string(&document)?)
}

/// A spec file.
#[derive(Serialize)]
struct EvaluateDocument {
    experiment: &'static str,
    seed: u64,
    params: EvaluateSpec,
}
