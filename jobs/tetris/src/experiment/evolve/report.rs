//! What a run of `tetris-evolve` shows.

use hatchery_core::{Exhibit, Experiment, Measure};
use hatchery_evolve::Score;
use hatchery_stats::{Summary, mean_estimate};

use super::{Phase, Spec, State};
use crate::experiment::params::GameParams;
use crate::experiment::{TetrisEvaluate, score_measures};

/// While it evolves: the best and the mean fitness of the generation. At its end: what the champion
/// scored in fresh games, and how much better that is than the first generation.
pub(super) fn measures(spec: &Spec, state: &State) -> Vec<Measure> {
    let State { phase, first, latest, best } = state;
    let lines = |name: &str, score: &Score| Measure::new(name, "lines", score.mean());
    let Phase::Done { judged, fit, .. } = phase else {
        return vec![
            lines("best_fitness", best),
            lines("mean_fitness", latest),
            lines("first_mean_fitness", first),
        ];
    };
    let mut measures = score_measures(&|what| format!("champion_{what}"), judged);
    let fitness = mean_estimate(&Summary::of(fit.iter().copied()));
    measures.push(Measure::new("champion_fitness", "lines", fitness));
    measures.push(lines("best_fitness", best));
    measures.push(lines("mean_fitness", latest));
    measures.push(lines("first_mean_fitness", first));
    if 0 < first.total {
        let improvement = fitness.mean / first.mean();
        measures.push(Measure::new("improvement", "times the first generation", improvement));
    }
    debug_assert_eq!(judged.len(), fit.len(), "{} games of each kind", spec.judge.confirm_games);
    measures
}

/// The champion as a spec that evaluates it on the judge's game.
pub(super) fn exhibits(spec: &Spec, state: &State) -> Vec<Exhibit> {
    let (Phase::Confirming { genome } | Phase::Done { genome, .. }) = &state.phase else {
        return Vec::new();
    };
    let GameParams { width, height, pieces, .. } = &spec.judge.game;
    let name = TetrisEvaluate::NAME;
    let weights: Vec<_> = genome.iter().map(|weight| format!("{weight:?}")).collect();
    let toml = format!(
        "# A champion of tetris-evolve; evaluate it again with: hatchery run champion.toml\n\
         experiment = \"{name}\"\n\
         seed = 1\n\
         \n\
         [params]\n\
         games = {}\n\
         boards = [{{ width = {width}, height = {height} }}]\n\
         \n\
         [[params.draws]]\n\
         name = \"judge\"\n\
         pieces = {{ I = {}, O = {}, T = {}, Z = {}, S = {}, J = {}, L = {} }}\n\
         \n\
         [[params.controllers]]\n\
         name = \"champion\"\n\
         network = {{ hidden = {}, weights = [{}] }}\n",
        spec.judge.confirm_games,
        pieces.i,
        pieces.o,
        pieces.t,
        pieces.z,
        pieces.s,
        pieces.j,
        pieces.l,
        spec.hidden,
        weights.join(", "),
    );
    vec![Exhibit::new("champion.toml", "application/toml", toml)]
}
