//! The parameters of the experiments: each is checked, in a preset or in a sample.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use hatchery_core::spec::FileReference;
use hatchery_core::{Experiment, PartSet, conformance, erased};
use hatchery_othello::{OthelloAdjust, OthelloLadder, OthelloMatch};

/// Checks the parameters of `E` with samples: `params` with each kind of opening that is not the
/// default.
#[track_caller]
fn check<E: Experiment>([with_start, with_games, with_positions]: [&str; 3]) {
    let mut inputs = PartSet::default();
    let mut pack = |names: &[&str]| {
        let file = |name: &&str| ((*name).to_owned(), b"f5\n"[..].into());
        let files: Vec<_> = names.iter().map(file).collect();
        let (reference, bytes) = FileReference::pack(&files).unwrap();
        inputs.add(bytes);
        reference.hash()
    };
    let (one, two) = (pack(&["a"]), pack(&["b", "c"]));
    let games = format!(
        "'f5', {{ file = 'a', blake3 = '{one}' }}, {{ files = ['b', 'c'], blake3 = '{two}' }}"
    );
    let cells = "---------------------------OX------XO---------------------------";
    let samples = [
        format!("{with_start}\nopenings = {{ kind = 'start' }}\n"),
        format!("{with_games}\nopenings = {{ kind = 'games', games = [{games}] }}\n"),
        format!(
            "{with_positions}\nopenings = {{ kind = 'positions', positions = ['{cells} X'] }}\n"
        ),
        format!(
            "{with_positions}\nopenings = {{ kind = 'archive', games = [{games}], plies = 1 }}\n"
        ),
    ];
    let samples =
        samples.map(|params| format!("experiment = '{}'\nseed = 1\n[params]\n{params}", E::NAME));
    let samples: Vec<_> = samples.iter().map(|text| (text.as_str(), inputs.clone())).collect();
    conformance::parameters_are_checked(erased::<E>(), &samples).unwrap();
}

#[test]
fn parameters_of_matches_are_checked() {
    let all = "
pairs = 1
search = { playouts = 9 }
pairing = 'first'
kept = 'all'
method = { kind = 'sprt', elo1 = 9, model = 'logistic', most_pairs = 1 }
agents = [
    { name = 'a', kind = 'mcts', depth = 3, search = { playouts = 9, reading = 'growing-budget' } },
    { name = 'b', kind = 'softmax', agent = 'a', rule = { control = 'none' } },
    { name = 'c', kind = 'softmax', agent = 'a', rule = { control = 'within-game' } },
    { name = 'd', kind = 'adjusting', choices = ['a'], rules = { several = 'lowest' } },
    { name = 'e', kind = 'adjusting', choices = ['a'], rules = { several = 'highest' } },
    { name = 'f', kind = 'adjusting', choices = ['a'], rules = { several = 'nearest' } },
    { name = 'g', kind = 'adjusting', choices = ['a'], rules = { unmatched = 'lowest' } },
    { name = 'h', kind = 'adjusting', choices = ['a'], rules = { first = 'lowest' } },
    { name = 'i', kind = 'adjusting', choices = ['a'], rules = { first = 'highest' } },
    { name = 'j', kind = 'adjusting', choices = ['a'], rules = { tie = 'higher' } },
]
";
    let few = "
pairs = 1
kept = 'first'
search = { playouts = 9 }
agents = [{ name = 'a', kind = 'random' }, { name = 'b', kind = 'random' }]
";
    check::<OthelloMatch>([all, few, few]);
}

#[test]
fn parameters_of_ladders_are_checked() {
    check::<OthelloLadder>([
        "depths = [1, 2]\npairs = 1\nsearch = { playouts = 9, reading = 'tree-cap' }",
        "depths = [1, 2]\npairs = 1\nsearch = { playouts = 9, reading = 'horizon' }",
        "depths = [1, 2]\npairs = 1\nsearch = { playouts = 9 }",
    ]);
}

#[test]
fn parameters_of_adjustment_are_checked() {
    let lowest = "
games = 2
search = { playouts = 9, reading = 'horizon' }
bots = [{ from = 5, to = 25, at = 8 }]
rules = { several = 'lowest', unmatched = 'lowest', first = 'lowest' }
softmax = { control = 'none' }
";
    let highest = "
games = 2
search = { playouts = 9 }
rules = { several = 'highest', first = 'highest', tie = 'higher' }
softmax = { control = 'within-game' }
";
    let nearest = "
games = 2
search = { playouts = 9 }
rules = { several = 'nearest' }
";
    check::<OthelloAdjust>([lowest, highest, nearest]);
}
