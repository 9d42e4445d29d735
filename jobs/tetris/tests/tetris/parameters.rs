//! The parameters of the experiments: each is checked, in a preset or in a sample.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use hatchery_core::spec::FileReference;
use hatchery_core::{Experiment, PartSet, conformance, erased};
use hatchery_tetris::{TetrisCompare, TetrisEvaluate, TetrisEvolve};

/// Checks the parameters of `E` with samples that name files of `inputs`.
#[track_caller]
fn check<E: Experiment>(samples: &[&str], inputs: &PartSet) {
    let sample =
        |params: &&str| format!("experiment = '{}'\nseed = 1\n[params]\n{params}", E::NAME);
    let samples: Vec<String> = samples.iter().map(sample).collect();
    let samples: Vec<_> = samples.iter().map(|text| (text.as_str(), inputs.clone())).collect();
    conformance::parameters_are_checked(erased::<E>(), &samples).unwrap();
}

#[test]
fn parameters_of_evaluations_are_checked() {
    let mut inputs = PartSet::default();
    let mut pack = |names: &[&str]| {
        let file = |name: &&str| {
            ((*name).to_owned(), format!("name = '{name}'\nweights = {{}}\n").into_bytes().into())
        };
        let files: Vec<_> = names.iter().map(file).collect();
        let (reference, bytes) = FileReference::pack(&files).unwrap();
        inputs.add(bytes);
        reference.hash()
    };
    let (one, two) = (pack(&["a"]), pack(&["b", "c"]));
    let params = format!(
        "
games = 6
overflow = 'clears-first'
draws = [
    {{ name = 'list', list = 'SZ' }},
    {{ name = 'seeded', seed = 18, queue = {{ randomizer = 'bag', preview = 1, hold = true }} }},
    {{ name = 'drawn', queue = {{ randomizer = 'independent', preview = 2 }} }},
]
controllers = [
    {{ name = 'zero', weights = {{}} }},
    {{
        name = 'standing',
        full_rows = 'standing',
        sky = 'nothing',
        weights = {{ rows_removed = 1, aggregate_height = -1, bumpiness = -1 }},
    }},
    {{ name = 'removed', full_rows = 'removed', sky = 'empty', weights = {{}} }},
    {{ file = 'a', blake3 = '{one}' }},
    {{ files = ['b', 'c'], blake3 = '{two}' }},
]
"
    );
    check::<TetrisEvaluate>(&[&params], &inputs);
}

#[test]
fn parameters_of_evolutions_are_checked() {
    let uniform = "
replicates = 1
generations = 1
population = 20
wells = 'fast'
lookahead = { weights = 'frequency' }
optimizer = 'cross-entropy'
ga = { scheme = 'steady-state', crossover = 'uniform' }
judge = { choose_games = 1, confirm_games = 1, game = { overflow = 'clears-first' } }

[params.fitness]
games = 1
game = { queue = { randomizer = 'bag', preview = 1, hold = true } }
allocation = { exposure = 1, further = [{ share = 0.5, games = 1 }] }
splitting = { climbs = [4000] }
";
    let blx_alpha = "
replicates = 1
generations = 1
population = 20
lookahead = {}
ga = { crossover = 'blx-alpha' }
judge = { choose_games = 1, confirm_games = 1, game = {} }
fitness = { games = 1, game = { queue = { randomizer = 'independent', preview = 1 } } }
";
    check::<TetrisEvolve>(&[uniform, blx_alpha], &PartSet::default());
}

#[test]
fn parameters_of_comparisons_are_checked() {
    let with_linear = "
pieces = 1
generations = 1
replicates = 6
points = 1
point_games = 1
controller = 'linear-with-diversity'
wells = 'fast'
game = { overflow = 'clears-first', queue = { randomizer = 'bag', preview = 1, hold = true } }

[[params.searches]]
name = 'uniform'
population = 20
games = 1
ga = { scheme = 'steady-state', crossover = 'uniform' }

[[params.searches]]
name = 'blx-alpha'
population = 20
games = 1
ga = { crossover = 'blx-alpha' }
cma = { start = [1, 0, 0, 0, 0, 0, 0, 0, 0] }
";
    let with_networks = "
pieces = 1
generations = 1
replicates = 6
points = 1
point_games = 1
controller = 'network-with-diversity'
game = { queue = { randomizer = 'independent', preview = 1 } }
searches = [{ name = 'genetic', population = 20, games = 1 }]
";
    check::<TetrisCompare>(&[with_linear, with_networks], &PartSet::default());
}
