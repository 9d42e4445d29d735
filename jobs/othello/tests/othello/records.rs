//! Records of games: known ones, and round trips of random ones.

use hatchery_othello::record::ggf::{
    GameEnding, GgfGame, GgfResult, GgfText, MoveNotes, Thousandths,
};
use hatchery_othello::record::obf::{ObfPosition, ObfValue};
use hatchery_othello::record::wthor::{WthorFile, WthorGame, WthorHeader};
use hatchery_othello::record::{RecordedGame, ggf, obf, transcript, wthor};
use hatchery_othello::rules::{DiscCount, Position, TurnState};

use super::naive;

/// The perfect game of Takizawa, "Othello is Solved" (arXiv 2310.19387), figure 1.
pub(crate) const DRAWN_GAME: &str = "F5D6C3D3C4F4F6F3E6E7D7C5B6D8C6C7D2B5A5A6A7G5E3B4C8G6G4C2E8D1\
                                     F7E2G3H4F1E1F2G1B1F8G8B3H3B2H5B7A3A4A1A2C1H2H1G2B8A8G7H8H7H6";

const N_GAMES: usize = 10_000;

/// Returns random games, and the number of games with a pass.
fn random_games() -> (Vec<RecordedGame>, usize) {
    let mut rng = naive::stream("records");
    let mut n_passes = 0;
    let mut game = |_| {
        let (moves, passes) = naive::random_game(&mut rng);
        n_passes += usize::from(passes);
        RecordedGame::new(Position::START, &moves).expect("they are legal")
    };
    let games = (0..N_GAMES).map(&mut game).collect();
    (games, n_passes)
}

#[test]
fn the_perfect_game_is_a_draw() {
    let game = transcript::read(DRAWN_GAME.as_bytes(), Position::START).unwrap();
    assert_eq!(game.moves().len(), 60);
    assert_eq!(game.last_position().count(), DiscCount { black: 32, white: 32 });
    assert_eq!(game.state(), TurnState::Over);
    assert_eq!(transcript::write(&game), DRAWN_GAME.to_lowercase());
    assert_eq!(GgfGame::new(game.clone()).result().unwrap().to_string(), "+0");
    let last = game.turns().last().unwrap();
    assert_eq!(last.position.apply(last.square).as_ref(), Ok(game.last_position()));
    assert_eq!(game.clone().require_end(), Ok(game));
}

#[test]
fn transcripts_of_random_games_come_back() {
    let (games, n_passes) = random_games();
    assert!(100 < n_passes, "only {n_passes} games have a pass");
    for game in games {
        let text = transcript::write(&game);
        assert_eq!(transcript::read(text.as_bytes(), Position::START).as_ref(), Ok(&game));
        let shouted = format!("\n {} \n", text.to_uppercase());
        assert_eq!(transcript::read(shouted.as_bytes(), Position::START), Ok(game));
    }
}

#[test]
fn ggf_of_random_games_comes_back() {
    let mut rng = naive::stream("notes");
    let (games, _) = random_games();
    let text = |value: &str| Some(GgfText::new("PB", value).unwrap());
    let with_notes = |(number, game): (usize, RecordedGame)| {
        let mut ggf = GgfGame::new(game);
        if number % 2 == 0 {
            ggf.place = text("hatchery");
            ggf.date = text("2026-11-23");
            (ggf.black, ggf.white) = (text("depth-5"), text("ä (; strange) name"));
            (ggf.black_rating, ggf.white_rating) = (text("980"), text(""));
            ggf.time_limits = text("5:00");
        }
        for notes in ggf.notes_mut() {
            let mut thousandths = || match rng.below(3) {
                0 => None,
                1 => Some(Thousandths(rng.next_u32().cast_signed())),
                _ => Some(Thousandths(rng.next_u32().cast_signed() % 2000)),
            };
            *notes = MoveNotes { evaluation: thousandths(), seconds: thousandths() };
        }
        ggf
    };
    let games: Vec<_> = games.into_iter().enumerate().map(with_notes).collect();
    let text = ggf::write(&games);
    assert!(text.contains("[PA]"), "no game has a pass");
    assert_eq!(ggf::read(text.as_bytes()), Ok(games));
}

#[test]
fn wthor_of_random_games_comes_back() {
    let (games, _) = random_games();
    let game = |(number, game): (u16, RecordedGame)| {
        let black_discs = u8::try_from(game.last_position().count().black).unwrap();
        let mut wthor = WthorGame::new(game).unwrap();
        (wthor.tournament, wthor.black, wthor.white) = (number, number + 1, 40_000 + number);
        (wthor.black_discs, wthor.theoretical_discs) = (black_discs, 32);
        wthor
    };
    let games: Vec<_> = (0..).zip(games).map(game).collect();
    let header = WthorHeader { date: [20, 26, 11, 23], n_names: 0, game_year: 2026, depth: 22 };
    let file = WthorFile { header, games };
    let bytes = wthor::write(&file).unwrap();
    assert_eq!(bytes.len(), 16 + 68 * N_GAMES);
    assert_eq!(wthor::read(&bytes), Ok(file));
}

#[test]
fn obf_of_random_positions_comes_back() {
    let (games, _) = random_games();
    let mut positions = Vec::new();
    for (number, game) in games.iter().enumerate() {
        let Some(turn) = game.turns().nth(number % 60) else { continue };
        let value = |(place, square): (i8, _)| ObfValue { square, score: 64 - 5 * place };
        let values = (0..).zip(turn.position.legal_moves()).map(value).collect();
        positions.push(ObfPosition::new(turn.position, values).unwrap());
    }
    assert!(9_000 < positions.len());
    let text = obf::write(&positions);
    assert_eq!(obf::read(text.as_bytes()), Ok(positions));
}

#[test]
fn files_of_other_programs_are_read() {
    let text = "\n(;GM[Othello]PC[NBoard]DT[2003-12-15 13:24:03]PB[Fred, x]PW[ntest]RE[?]TI[5:00]\
                TY[8]XX[unknown]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- \
                -------- -------- *]\nB[F5//1.23]W[f6/-0.5/2]\nB[E6/+1.2345];)\n(;GM[othello]BO[8\
                ---------------------------O*------*O---------------------------O];)";
    let games = ggf::read(text.as_bytes()).unwrap();
    let [game, other] = &games[..] else { panic!("{} games", games.len()) };
    assert_eq!(transcript::write(game.game()), "f5f6e6");
    assert_eq!(game.black.as_ref().unwrap().as_str(), "Fred, x");
    assert_eq!(game.result(), None);
    let notes: Vec<_> = game.notes().iter().map(|it| (it.evaluation, it.seconds)).collect();
    let some = |thousandths| Some(Thousandths(thousandths));
    assert_eq!(notes, [(None, some(1_230)), (some(-500), some(2_000)), (some(1_234), None)]);
    assert_eq!(other.start().to_string().chars().last(), Some('O'));

    let text = "% a comment\r\n\r\n---------------------------OX------XO---------------------------\
                \x20x; D3 : +0 ;c4:-2;\r\n";
    let positions = obf::read(text.as_bytes()).unwrap();
    assert_eq!(*positions[0].position(), Position::START);
    let values: Vec<_> = positions[0].values().iter().map(|it| it.score).collect();
    assert_eq!(values, [0, -2]);
}

#[test]
fn games_that_stop_have_a_result_that_says_so() {
    let game = transcript::read(b"f5d6", Position::START).unwrap();
    let result = |ending| Some(GgfResult { black_score: 64, ending });
    let ggf = GgfGame::new(game);
    for ending in [GameEnding::Resigned, GameEnding::TimedOut, GameEnding::Agreed] {
        let stopped = ggf.clone().with_result(result(ending)).unwrap();
        assert_eq!(
            ggf::read(ggf::write(std::slice::from_ref(&stopped)).as_bytes()),
            Ok(vec![stopped])
        );
    }
    let error = ggf.with_result(result(GameEnding::Played)).unwrap_err();
    assert_eq!(error.to_string(), "the game stops after ply 2, where black can still move");
}
