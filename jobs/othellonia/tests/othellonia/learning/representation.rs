//! Vectors of pieces, learned from what their placement leads to.

use hatchery_nets::tensors::TensorFile;
use hatchery_nets::{AdamState, Network, NetworkShape};
use hatchery_othellonia::features::{FeatureLayout, PieceEncoding, PieceVectors, SparseRow};
use hatchery_othellonia::learning::representation::{
    N_OUTPUTS, Representation, RepresentationSettings, TurnOutcome, neighbors,
};
use hatchery_othellonia::learning::samples::TrainingGames;
use hatchery_othellonia::learning::{LearnError, LearnFailure, LearnSummary};
use hatchery_othellonia::rules::{EffectKind, GamePiece, PieceId};

use crate::learning::games::{DECKS, POOL, go_on, held_out, known_for_a_while, stream, training};

const KINDS: usize = 925;

pub(crate) fn new(hidden: usize) -> Representation {
    Representation::new(KINDS, &[hidden], &training(), &mut stream("representation")).unwrap()
}

pub(crate) fn learn(to: &mut Representation, steps: u64) -> LearnSummary {
    let settings = RepresentationSettings {
        decisions: 8,
        dropout: 0.1,
        stretch: 5,
        ..RepresentationSettings::default()
    };
    to.learn(&training(), &settings, steps, &stream("learn"), &mut go_on).unwrap()
}

/// Returns the kind that a skill comes to.
fn skill_kind(piece: &GamePiece) -> Option<EffectKind> {
    piece.skill.iter().last().map(|effect| effect.kind)
}

/// Takes the three nearest neighbors of every piece in `pieces`, among `pieces`. Returns the number
/// of neighbors that are like their piece, the number expected from random neighbors, and the
/// variance of that number. The variance is a little too large, as the neighbors of a piece are
/// different pieces.
fn like_neighbors(
    vectors: &PieceVectors,
    pieces: &[PieceId],
    are_like: impl Fn(&GamePiece, &GamePiece) -> bool,
) -> [f64; 3] {
    let like = |a: PieceId, b: PieceId| are_like(POOL.piece(a).unwrap(), POOL.piece(b).unwrap());
    let mut sums = [0.0; 3];
    for &piece in pieces {
        let nearest = neighbors(vectors, piece, pieces.iter().copied(), 3);
        let others = pieces.iter().filter(|other| **other != piece);
        let n_like = others.filter(|&&other| like(piece, other)).count();
        let number = |n: usize| f64::from(u32::try_from(n).unwrap());
        let chance = number(n_like) / number(pieces.len() - 1);
        sums[0] += number(nearest.iter().filter(|near| like(piece, near.piece)).count());
        sums[1] += 3.0 * chance;
        sums[2] += 3.0 * chance * (1.0 - chance);
    }
    sums
}

#[test]
fn like_pieces_get_like_vectors() {
    let mut learned = new(32);
    let settings = RepresentationSettings {
        decisions: 32,
        rate: 5e-3,
        explored: 0.5,
        ..RepresentationSettings::default()
    };
    let counts = training().placements(KINDS);
    let pieces: Vec<_> = (0..u16::try_from(KINDS).unwrap())
        .filter(|&piece| 20 <= counts[usize::from(piece)])
        .map(PieceId)
        .collect();
    assert!(60 < pieces.len());
    let before = learned.mean_losses(&held_out(), 3).unwrap();
    let random = learned.vectors();
    let summary =
        learned.learn(&training(), &settings, 1_000, &stream("learn"), &mut go_on).unwrap();
    let after = learned.mean_losses(&held_out(), 3).unwrap();
    // Each part of the loss falls in games that were not seen: numbers, kinds, skill and end.
    for (part, (before, after)) in before.into_iter().zip(after).enumerate() {
        assert!(after < 0.6 * before, "part {part}: {before}, then {after}");
    }
    let losses: Vec<_> = summary.curve.iter().map(|point| point.mean_loss()).collect();
    assert!(losses[..5].is_sorted_by(|a, b| b < a) && losses[9] < losses[4], "{losses:?}");

    let kinds = |a: &GamePiece, b: &GamePiece| skill_kind(a) == skill_kind(b);
    // 5 standard deviations: random neighbors pass in one of 10^6 seeds. Random vectors, which stay
    // below 3 in all but one of 1,000, have none.
    let [n_like, expected, variance] = like_neighbors(&learned.vectors(), &pieces, kinds);
    let deviation = variance.sqrt();
    assert!(expected + 5.0 * deviation < n_like, "{n_like} like neighbors, {expected} by chance");
    let [n_like, ..] = like_neighbors(&random, &pieces, kinds);
    assert!(n_like < expected + 3.0 * deviation, "{n_like} of random vectors");
}

#[test]
fn learning_twice_or_in_two_halves_gives_the_same_bytes() {
    let [mut once, mut again, mut halves] = [(); 3].map(|()| new(8));
    let summary = learn(&mut once, 20);
    assert_eq!(learn(&mut again, 20), summary);
    assert!(again == once && again.encode() == once.encode());

    let first = learn(&mut halves, 10);
    let mut halves = Representation::decode(&halves.encode()).unwrap();
    let second = learn(&mut halves, 10);
    assert!(halves == once, "learning in two halves gives other numbers");
    assert_eq!((first.curve[1], second.curve[1]), (summary.curve[1], summary.curve[3]));
    assert_eq!(once.steps(), 20);
}

/// Fixed vectors stay as they are to the bit, in steps and in the file; free ones are learned.
#[test]
fn fixed_vectors_stay() {
    let fixed = PieceVectors::random(600, &mut stream("fixed")).unwrap();
    let mut once = new(8).with_fixed(&fixed).unwrap();
    let before = once.vectors();
    learn(&mut once, 10);
    let mut halves = new(8).with_fixed(&fixed).unwrap();
    learn(&mut halves, 5);
    let mut halves = Representation::decode(&halves.encode()).unwrap();
    assert_eq!(halves.n_fixed(), 600);
    learn(&mut halves, 5);
    assert!(halves == once, "learning in two halves gives other numbers");

    let bits = |vectors: &PieceVectors, piece| vectors.vector(piece).unwrap().map(f32::to_bits);
    let after = once.vectors();
    let counts = training().placements(KINDS);
    for (piece, n) in (0..).map(PieceId).zip(counts) {
        if piece.0 < 600 {
            assert_eq!(bits(&after, piece), bits(&fixed, piece), "{piece:?}");
        } else if 50 < n {
            assert_ne!(bits(&after, piece), bits(&before, piece), "{piece:?}");
        }
    }
    let too_many = PieceVectors::random(KINDS + 1, &mut stream("fixed")).unwrap();
    assert!(new(8).with_fixed(&too_many).is_err());
}

/// A file that fixes more vectors than it has is refused.
#[test]
fn a_malformed_number_of_fixed_vectors_is_refused() {
    for found in ["926", "0", "-1", "many", ""] {
        let mut file = TensorFile::decode(&new(4).encode()).unwrap();
        file.metadata.insert("fixed_kinds".to_owned(), found.to_owned());
        let error = Representation::decode(&file.encode()).unwrap_err().to_string();
        let expected = format!(
            "a representation with `fixed_kinds` = `{found}`, but this build needs `a number from \
             1 to 925`"
        );
        assert_eq!(error, expected);
    }
}

/// The steps before the one that fails are in the weights, and in the summary.
#[test]
fn a_failure_comes_with_the_steps_before_it() {
    let (games, kinds) = known_for_a_while();
    let settings = RepresentationSettings { decisions: 1, ..RepresentationSettings::default() };
    let mut failed = Representation::new(kinds, &[4], &games, &mut stream("failed")).unwrap();
    let mut stopped = failed.clone();
    let learn = |to: &mut Representation, steps| {
        to.learn(&games, &settings, steps, &stream("learn"), &mut go_on)
    };
    let LearnFailure { summary, error } = learn(&mut failed, 100_000).unwrap_err();
    assert!(matches!(error, LearnError::Feature(_)), "{error:?}");
    assert!(0 < summary.steps && summary.steps == failed.steps(), "{summary:?}");
    assert_eq!(learn(&mut stopped, summary.steps), Ok(summary));
    assert!(stopped == failed, "the weights are those of other steps");
}

/// The outcome is what the preview among the features of the action says, which is other code.
#[test]
fn outcomes_are_those_of_the_features() {
    let layout = FeatureLayout::new(PieceEncoding::OneHotDeck).unwrap();
    let columns: Vec<_> = (layout.state_len()..layout.row_len())
        .map(|column| layout.describe(column).unwrap())
        .collect();
    let games = held_out();
    let mut row = SparseRow::default();
    let mut seen = [false; 6];
    for number in (0..games.n_decisions()).step_by(3) {
        let game = games.decision(number).game;
        for action in game.actions() {
            layout.sparse_action(&game, action, &mut row).unwrap();
            let value = |name: &str| {
                let column = columns.iter().position(|it| it == &format!("action: {name}"));
                let column = u32::try_from(column.unwrap()).unwrap();
                let entry = row.entries().iter().find(|(at, _)| *at == column);
                entry.map_or(0.0, |(_, value)| *value)
            };
            let outcome = TurnOutcome::of(&game, action).unwrap();
            let same = [
                ("damage", 0, 10_000.0),
                ("special damage", 1, 10_000.0),
                ("own damage", 2, 10_000.0),
                ("healed", 3, 10_000.0),
                ("HP after own", 4, 30_000.0),
                ("HP after enemy", 5, 30_000.0),
                ("number of combos that fire", 6, 4.0),
                ("lasting effects started", 7, 4.0),
                ("enemy effects ended", 8, 4.0),
            ];
            for (name, at, scale) in same {
                let expected = outcome.regressed[at] / scale;
                assert!((value(name) - expected).abs() < 1e-6, "{name} of {action}");
            }
            for (at, kind) in EffectKind::ALL.into_iter().enumerate() {
                let fires = value(&format!("fires {}", kind.name())) != 0.0;
                assert_eq!(outcome.fired >> at & 1 == 1, fires, "{} of {action}", kind.name());
            }
            let fires = value("skill fires") != 0.0;
            assert_eq!(outcome.skill != EffectKind::ALL.len(), fires, "skill of {action}");
            assert!(!fires || outcome.fired >> outcome.skill & 1 == 1);
            for (at, end) in ["won", "lost", "drawn"].into_iter().enumerate() {
                let ends = value(&format!("ends the game {end}")) != 0.0;
                assert_eq!(outcome.end == at + 1, ends, "{end} by {action}");
            }
            seen[0] |= outcome.end == 1;
            seen[1] |= fires;
            seen[2] |= outcome.regressed[9] != 0.0;
            seen[3] |= outcome.regressed[10] != 0.0;
            seen[4] |= outcome.regressed[2] != 0.0;
            seen[5] |= outcome.regressed[6] != 0.0;
        }
    }
    assert_eq!(seen, [true; 6]);
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let games = training();
    let refused = |kinds, games: &TrainingGames<'_>| {
        Representation::new(kinds, &[4], games, &mut stream("refused")).unwrap_err()
    };
    assert!(matches!(refused(0, &games), LearnError::Feature(_)));
    assert!(matches!(refused(20_001, &games), LearnError::Feature(_)));
    let none = TrainingGames::new(&*DECKS, []).unwrap();
    assert_eq!(refused(KINDS, &none), LearnError::NoDecisions);

    let mut few = Representation::new(2, &[4], &games, &mut stream("few")).unwrap();
    let settings = RepresentationSettings::default();
    let mut fails = |games: &TrainingGames<'_>| {
        few.learn(games, &settings, 1, &stream("learn"), &mut go_on).unwrap_err().error
    };
    assert!(matches!(fails(&games), LearnError::Feature(_)));
    assert_eq!(fails(&none), LearnError::NoDecisions);
}

/// The input is that of the features without the slots of pieces, so its length is known.
#[test]
fn the_network_has_the_sizes_of_masked_rows() {
    let vectors = PieceVectors::random(1, &mut stream("vectors")).unwrap();
    let layout = FeatureLayout::new(PieceEncoding::Vectors(&vectors)).unwrap();
    let shape = NetworkShape {
        state_len: layout.state_len() - 76 * 30,
        action_len: layout.action_len(),
        hidden: vec![8],
        n_outputs: N_OUTPUTS,
    };
    assert_eq!((shape.state_len, shape.action_len, shape.n_outputs), (3_131, 238, 64));
    let file = TensorFile::decode(&new(8).encode()).unwrap();
    assert_eq!(file.tensors["network.layers.0.weight"].shape, [3_131 + 238, 8]);
    assert_eq!(file.tensors["network.layers.1.weight"].shape, [8, 64]);
    let network = Network::from_tensors("network.", &file, 3_131).unwrap();
    assert_eq!(network.shape(), shape);
    assert!(AdamState::from_tensors("adam.", &file, &network).is_ok());
}
