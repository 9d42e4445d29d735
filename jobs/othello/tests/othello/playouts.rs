//! Random games: the same with all instruction sets, whole, fair, and cut short where asked.

use hatchery_othello::record::RecordedGame;
use hatchery_othello::rules::{
    BoardBackend, BoardJob, BoardOps, Position, RandomGameEnd, ScoreRule, dispatch,
};

use super::naive;

struct Games<'a> {
    start: &'a Position,
    n_games: u64,
    max_moves: u32,
}

impl BoardJob for Games<'_> {
    type Output = Vec<RandomGameEnd>;

    #[inline(always)]
    fn run<B: BoardOps>(self) -> Vec<RandomGameEnd> {
        let rng = naive::stream("playouts");
        let board = self.start.board::<B>();
        let play = |game| {
            let mut rng = rng.part(game);
            board.playout(self.max_moves, || rng.next_u64())
        };
        (0..self.n_games).map(play).collect()
    }
}

fn games(start: &Position, max_moves: u32, backend: BoardBackend) -> Vec<RandomGameEnd> {
    dispatch(backend, Games { start, n_games: 10_000, max_moves })
}

#[test]
fn all_instruction_sets_play_the_same_games() {
    let second = Position::START.apply("f5".parse().unwrap()).unwrap();
    for start in [Position::START, second] {
        for max_moves in [0, 1, 7, 20, 59, u32::MAX] {
            let plain = games(&start, max_moves, BoardBackend::Plain);
            for backend in BoardBackend::available() {
                assert_eq!(games(&start, max_moves, backend), plain);
            }
            assert!(plain.iter().all(|end| end.moves <= max_moves));
            for end in plain.iter().filter(|end| end.moves <= 1) {
                let discs = start.count();
                assert_eq!(end.own + end.other, discs.black + discs.white + end.moves);
            }
        }
    }
}

#[test]
fn ends_are_those_of_the_player_that_begins() {
    for end in games(&Position::START, 1, BoardBackend::fastest()) {
        assert_eq!(end, RandomGameEnd { own: 4, other: 1, moves: 1 });
        assert_eq!(end.score(ScoreRule::DiscDifference), 3);
    }
    for end in games(&Position::START, 2, BoardBackend::fastest()) {
        assert_eq!((end.own, end.other, end.moves), (3, 3, 2));
    }
}

/// Four moves, which flip one, two, three and four discs. 16.27 is passed by chance once in 1,000
/// seeds: chi-square with 3 degrees of freedom.
#[test]
fn moves_are_uniform() {
    let empty_row = "--------";
    let rows =
        ["XO------", "XOO-----", "XOOO----", "XOOOO---"].map(|row| format!("{row}{empty_row}"));
    let position: Position = format!("{} X", rows.concat()).parse().unwrap();
    assert_eq!(position.legal_moves().to_string(), "c1 d3 e5 f7");
    let mut counts = [0_u32; 4];
    for end in games(&position, 1, BoardBackend::fastest()) {
        counts[end.own as usize - 6] += 1;
    }
    let off = counts.map(|n| f64::from(n) - 2_500.0);
    let chi_square: f64 = off.iter().map(|off| off * off / 2_500.0).sum();
    assert!(chi_square < 16.27, "{counts:?} gives {chi_square}");
}

/// Final scores have the same distribution as in games that draw each move by itself. The test is
/// chi-square for two samples with 9 degrees of freedom; chance exceeds 27.88 once in 1,000 seeds.
#[test]
fn scores_are_those_of_independent_draws() {
    let bin = |score: i32| usize::try_from((score + 64) / 4).unwrap().clamp(11, 20) - 11;
    let mut counts = [[0_i32; 10]; 2];
    for end in games(&Position::START, u32::MAX, BoardBackend::fastest()) {
        counts[0][bin(end.score(ScoreRule::DiscDifference))] += 1;
    }
    let mut rng = naive::stream("independent draws");
    for _ in 0..10_000 {
        let (moves, _) = naive::random_game(&mut rng);
        let game = RecordedGame::new(Position::START, &moves).unwrap();
        let score = game.last_position().count().black_score(ScoreRule::DiscDifference);
        counts[1][bin(score)] += 1;
    }
    let part = |(a, b): (&i32, &i32)| f64::from((a - b) * (a - b)) / f64::from(a + b);
    let chi_square: f64 = counts[0].iter().zip(&counts[1]).map(part).sum();
    assert!(chi_square < 27.88, "{counts:?} gives {chi_square}");
}
