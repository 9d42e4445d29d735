//! Properties of judgements and records, on positions of random games with evidence at random.

use hatchery_core::{RunSeed, StreamRng};
use hatchery_othello::naturalness::{
    GameNaturalness, JudgeOpinion, LevelChoices, MoveEvent, MoveEvidence, MoveJudgement,
};
use hatchery_othello::rules::{
    DiscColor, MoveValue, Position, SolvedPosition, Square, SquareSet, TurnState,
};
use hatchery_search::{DepthCap, RootMove};
use proptest::prelude::*;

use super::solved;
use crate::{generator, naive};

/// Evidence that owns its lists.
#[derive(Clone, Debug)]
struct OwnedEvidence {
    position: Position,
    played: Square,
    solved: Option<SolvedPosition>,
    judge: Vec<RootMove<Square>>,
    own_rank: Option<u32>,
    reference: Option<Vec<RootMove<Square>>>,
    strongest: Square,
    near: Option<Vec<Vec<Square>>>,
}

impl OwnedEvidence {
    /// Draws evidence of a move in `position`, which has several.
    fn random(position: Position, rng: &mut StreamRng) -> Self {
        let legal = shuffled(position.legal_moves(), rng);
        let root_moves = |rng: &mut StreamRng| {
            let mut one = |mv| {
                let visits = 1 + rng.below(1_000);
                RootMove { mv, visits, half_points: rng.below(2 * visits + 1) }
            };
            legal.iter().map(|&mv| one(mv)).collect::<Vec<_>>()
        };
        let judge = root_moves(rng);
        let reference = (rng.below(4) != 0).then(|| root_moves(rng));
        let near = (rng.below(2) == 0).then(|| {
            let n = 1 + rng.below(3);
            (0..n).map(|_| shuffled(position.legal_moves(), rng)).collect()
        });
        let solved = (rng.below(2) == 0).then(|| {
            let one = |&square| MoveValue { square, value: 64 - rng.below(129).cast_signed() };
            SolvedPosition { value: 0, moves: legal.iter().map(one).collect(), nodes: 0 }
        });
        let n_legal = u32::try_from(legal.len()).expect("below 64");
        let own_rank = (rng.below(2) == 0).then(|| 1 + rng.below(n_legal));
        let strongest = legal[0];
        let played = legal[rng.below(n_legal) as usize];
        Self { position, played, solved, judge, own_rank, reference, strongest, near }
    }

    fn judge(&self) -> MoveJudgement {
        let opinion = match &self.solved {
            Some(solved) => JudgeOpinion::Exact(solved),
            None => JudgeOpinion::Estimated(&self.judge),
        };
        let levels =
            self.near.as_ref().map(|near| LevelChoices { strongest: self.strongest, near });
        let evidence = MoveEvidence {
            position: self.position,
            played: self.played,
            opinion,
            own_rank: self.own_rank,
            reference: self.reference.as_deref(),
            levels,
        };
        evidence.judge().expect("the evidence is sound")
    }

    /// Returns the evidence under symmetry `number` of the board.
    fn image(&self, number: u8) -> Self {
        let map = |square| generator::image(number, square);
        let root_moves = |moves: &Vec<RootMove<Square>>| {
            moves.iter().map(|one| RootMove { mv: map(one.mv), ..*one }).collect()
        };
        let discs = |color| {
            let discs = self.position.discs(color).bits();
            SquareSet::from_bits(generator::image_of(number, discs))
        };
        let (black, white) = (discs(DiscColor::Black), discs(DiscColor::White));
        let position = Position::new(black, white, self.position.turn()).expect("no square twice");
        let solved = self.solved.as_ref().map(|solved| {
            let one = |it: &MoveValue| MoveValue { square: map(it.square), ..*it };
            SolvedPosition { moves: solved.moves.iter().map(one).collect(), ..*solved }
        });
        let choices = |list: &Vec<Square>| list.iter().map(|&square| map(square)).collect();
        Self {
            position,
            played: map(self.played),
            solved,
            judge: root_moves(&self.judge),
            own_rank: self.own_rank,
            reference: self.reference.as_ref().map(root_moves),
            strongest: map(self.strongest),
            near: self.near.as_ref().map(|lists| lists.iter().map(choices).collect()),
        }
    }
}

fn shuffled(squares: SquareSet, rng: &mut StreamRng) -> Vec<Square> {
    let mut squares: Vec<_> = squares.iter().collect();
    for last in (1..squares.len()).rev() {
        let end = u32::try_from(last).expect("below 64") + 1;
        squares.swap(last, rng.below(end) as usize);
    }
    squares
}

fn stream(seed: u64) -> StreamRng {
    RunSeed::new("naturalness tests", seed).generation(0).stream("")
}

/// Returns the positions of a random game before each move of black.
fn turns_of_black(rng: &mut StreamRng) -> Vec<Position> {
    let mut position = Position::START;
    let mut turns = Vec::new();
    for square in naive::random_game(rng).0 {
        position = position.settled();
        if position.turn() == DiscColor::Black {
            turns.push(position);
        }
        position = position.apply(square).expect("it is legal");
    }
    turns
}

/// Returns a record of a random game, with evidence at random.
fn random_record(rng: &mut StreamRng) -> GameNaturalness {
    let mut game = GameNaturalness::begin();
    for position in turns_of_black(rng) {
        if position.legal_moves().len() == 1 {
            game.add_forced();
        } else {
            game.add(&OwnedEvidence::random(position, rng).judge());
        }
    }
    // A game that ends early has few moves to change the depth at.
    let n_moves = u32::try_from(game.moves() + game.forced()).expect("at most 60");
    let n_depths = rng.below(20).min(n_moves);
    let depths: Vec<_> =
        (0..n_depths).filter_map(|_| DepthCap::new(1 + rng.below(60)).ok()).collect();
    game.add_depths(&depths);
    game
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..<_>::default() })]

    #[test]
    fn judgements_are_the_same_on_symmetric_boards(seed: u64) {
        let rng = &mut stream(seed);
        for position in turns_of_black(rng) {
            if position.legal_moves().len() < 2 {
                continue;
            }
            let evidence = OwnedEvidence::random(position, rng);
            let judgement = evidence.judge();
            for symmetry in 1..8 {
                let image = evidence.image(symmetry);
                prop_assert_eq!(&image.judge(), &judgement, "{} of {:?}", symmetry, evidence);
            }
        }
    }

    #[test]
    fn the_solver_judges_symmetric_boards_alike(seed: u64) {
        let rng = &mut stream(seed);
        let near_end = |position: &Position| position.count().empties() <= 7;
        for position in turns_of_black(rng).into_iter().filter(near_end) {
            if position.legal_moves().len() < 2 {
                continue;
            }
            let mut evidence = OwnedEvidence::random(position, rng);
            evidence.solved = Some(solved(&position));
            for symmetry in 1..8 {
                let mut image = evidence.image(symmetry);
                image.solved = Some(solved(&image.position));
                prop_assert_eq!(image.judge(), evidence.judge());
            }
        }
    }

    #[test]
    fn counts_never_exceed_moves(seed: u64) {
        let game = random_record(&mut stream(seed));
        for event in MoveEvent::ALL {
            prop_assert!(game.count(event) <= game.moves(), "{}", event.name());
        }
        prop_assert!(game.moves() + game.forced() <= 60);
        prop_assert_eq!(GameNaturalness::from_counts(&game.counts()).ok(), Some(game));
    }

    #[test]
    fn absorbing_is_the_same_in_any_grouping(seed: u64, n in 2_u32..7) {
        let rng = &mut stream(seed);
        let games: Vec<_> = (0..n).map(|_| random_record(rng)).collect();
        let sum = |games: &[&GameNaturalness]| {
            let mut sum = games[0].clone();
            games[1..].iter().for_each(|game| sum.absorb(game));
            sum
        };
        let forward: Vec<_> = games.iter().collect();
        let backward: Vec<_> = games.iter().rev().collect();
        let (first, rest) = forward.split_at(1 + rng.below(n - 1) as usize);
        let whole = sum(&forward);
        prop_assert_eq!(&sum(&backward), &whole);
        prop_assert_eq!(&sum(&[&sum(rest), &sum(first)]), &whole);
        prop_assert_eq!(whole.games(), u64::from(n));
        prop_assert_eq!(GameNaturalness::from_counts(&whole.counts()).ok(), Some(whole));
    }

    /// Whatever is read is either refused or has exactly these numbers again.
    #[test]
    fn hostile_numbers_are_refused_or_kept(seed: u64, place: prop::sample::Index, value: u64) {
        let mut counts = random_record(&mut stream(seed)).counts();
        for value in [value, value % 100, u64::MAX, 0] {
            counts[place.index(GameNaturalness::N_COUNTS)] = value;
            if let Ok(game) = GameNaturalness::from_counts(&counts) {
                prop_assert_eq!(game.counts(), counts);
                prop_assert!(game.moves() + game.forced() <= 60 * game.games());
            }
        }
        let all = [value; GameNaturalness::N_COUNTS];
        prop_assert!(GameNaturalness::from_counts(&all).is_err());
    }
}

/// A game where no side can move has no evidence, but its record is sound.
#[test]
fn positions_without_moves_are_refused() {
    let over: Position = format!("{:X<64} X", "").parse().expect("it is a position");
    assert_eq!(over.state(), TurnState::Over);
    let solved = solved(&over);
    let opinion = JudgeOpinion::Exact(&solved);
    let square = Square::new(0).expect("a1");
    assert!(super::evidence(over, square, opinion).judge().is_err());
    let empty = GameNaturalness::begin();
    assert_eq!(GameNaturalness::from_counts(&empty.counts()).ok(), Some(empty));
}
