//! Records that are none: each error names the place, what was found and what would be right.

use std::error::Error;

use hatchery_othello::record::{RecordError, RecordedGame, ggf, obf, transcript, wthor};
use hatchery_othello::rules::{Position, Square};
use proptest::prelude::{Strategy, any, prop};
use proptest::{prop_assert, proptest};

use super::records::DRAWN_GAME;

/// Returns the messages of an error and its sources, as the binary prints them.
fn chain<T>(result: Result<T, RecordError>) -> String {
    let error = result.err().expect("a record was accepted");
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        message.push_str(": ");
        message.push_str(&error.to_string());
        source = error.source();
    }
    message
}

#[test]
fn transcripts() {
    let check = |text: &str, expected: &str| {
        assert_eq!(chain(transcript::read(text.as_bytes(), Position::START)), expected);
    };
    check("f5d6c", "byte 4: `c` is half a move; each move has a letter and a digit");
    check("f5i6", "ply 2, byte 2: not a move: `i6` is no square; squares are a1 to h8");
    check(" f5d9", "ply 2, byte 3: not a move: `d9` is no square; squares are a1 to h8");
    check("f5pa", "ply 2: illegal move: white cannot pass; it can play f4 d6 f6");
    check("1. f5 1d6", "ply 2, byte 6: not a move: `1` is no square; squares are a1 to h8");
    check("f5d6 34-30", "the game stops after ply 2, where black can still move");
    check("f5d6 34-31", "field result: `34-31`; it is the discs of both players, such as 34-30");
    check(&format!("{DRAWN_GAME} 33-31"), "the result is 2, but the game ends 0 for black");
    check("f5f5", "ply 2: illegal move: f5 is occupied; white can play f4 d6 f6");
    check("f5a1", "ply 2: illegal move: a1 flips no disc; white can play f4 d6 f6");
    check(
        &format!("{DRAWN_GAME}a1"),
        "ply 61: illegal move: a1 comes after the end of the game: neither player has a move",
    );
    let opening = transcript::read(b"f5d6", Position::START).unwrap();
    let message = "the game stops after ply 2, where black can still move";
    assert_eq!(chain(opening.require_end()), message);
}

const BOARD: &str = "BO[8 ---------------------------O*------*O--------------------------- *]";

#[test]
fn ggf_games() {
    let check = |text: &str, expected: &str| {
        let text = text.replace("BOARD", BOARD);
        assert_eq!(chain(ggf::read(text.as_bytes())), expected, "{text}");
    };
    check("(;GM[Othello];)", "game 1: field BO is missing");
    check("(;GM[Othello]B[f5];)", "game 1: field BO before the moves is missing");
    check("(;BOARD;)", "game 1: field GM is missing");
    check("(;GM[Go]BOARD;)", "game 1: field GM: `Go`; it is Othello");
    check(
        "(;GM[Othello]TY[10]BOARD;)",
        "game 1: field TY: `10`; it is 8, 8r18 with a random start or 8k with komi, each also as a \
         pair: s8r18",
    );
    check("(;GM[Othello]GM[Othello]BOARD;)", "game 1: byte 16: field GM comes twice");
    check("(;GM[Othello]BOARDBOARD;)", "game 1: byte 88: field BO comes twice");
    let after_property = "expected a property such as `PB[name]`, or `;)` after the last one";
    check("(;GM[Othello]BOARD", &format!("game 1: byte 85: {after_property}, found the end"));
    check("(;GM[Othello]BOARD)", &format!("game 1: byte 85: {after_property}, found `)`"));
    check(
        "(;GM[Othello]BOARD;",
        "game 1: byte 86: expected `)` after `;`, which ends a game, found the end",
    );
    check(
        "(;GM[Othello",
        "game 1: byte 12: expected `]` after the value of a property, found the end",
    );
    check(
        "(;GM[Othello]PB[a[b]BOARD;)",
        "game 1: byte 17: expected `]` after the value of a property, found `[b]BO[8 ----`",
    );
    check(
        "(;GM[Othello]BOARD;) x",
        "game 2: byte 88: expected a game, which begins with `(;`, found `x`",
    );
    let cells = "-".repeat(63);
    let start = |board: &str| format!("(;GM[Othello]BO[{board}];)");
    check(
        &start(&format!("8 {cells} *")),
        "game 1: byte 16: not a board: 63 cells; a board has 64",
    );
    check(
        &start(&format!("8 {cells}- ?")),
        "game 1: byte 16: not a board: the player to move is `?`; it is `X` or `O`",
    );
    check(
        &start(&format!("8 {cells}? *")),
        "game 1: byte 16: not a board: cell 63 is `?`; cells are `X`, `O` and `-`",
    );
    check(
        &start("10 ---"),
        "game 1: field BO: `10 ---`; it is `8`, 64 cells and the player to move",
    );
}

#[test]
fn ggf_moves() {
    let check = |moves: &str, expected: &str| {
        let text = format!("(;GM[Othello]{BOARD}{moves};)");
        assert_eq!(chain(ggf::read(text.as_bytes())), format!("game 1: {expected}"), "{moves}");
    };
    check("B[i5]", "ply 1, byte 87: not a move: `i5` is no square; squares are a1 to h8");
    check("W[f5]", "ply 1: a move of white, but black is to move");
    check("B[f5]B[f6]", "ply 2: a move of black, but white is to move");
    check("B[f5]W[f5]", "ply 2: illegal move: f5 is occupied; white can play f4 d6 f6");
    check("B[PA]", "ply 1: illegal move: black cannot pass; it can play d3 c4 f5 e6");
    check("B[f5]W[pass]", "ply 2: illegal move: white cannot pass; it can play f4 d6 f6");
    check(
        "B[f5/a]",
        "field evaluation of ply 1: `a`; it is a decimal number such as -2.5, within 2000000",
    );
    check(
        "B[f5//99999999]",
        "field time of ply 1: `99999999`; it is a decimal number such as -2.5, within 2000000",
    );
    check("B[f5/1/2/3]", "field move: `f5/1/2/3`; it is a square, evaluation and time");
    check("RE[+64]B[f5]", "the game stops after ply 1, where white can still move");
    let scores = "it is a whole score from -64 to +64, then :r, :t or :s if the game stopped";
    check("RE[+65:r]B[f5]", &format!("field RE: `+65:r`; {scores}"));
    check("RE[0.5]", &format!("field RE: `0.5`; {scores}"));
    check("RE[+2:x]", &format!("field RE: `+2:x`; {scores}"));

    let game = transcript::read(DRAWN_GAME.as_bytes(), Position::START).unwrap();
    let text = ggf::write(&[ggf::GgfGame::new(game)]);
    let won = text.replace("RE[+0]", "RE[+2]");
    let message = "game 1: the result is 2, but the game ends 0 for black";
    assert_eq!(chain(ggf::read(won.as_bytes())), message);
    let longer = text.replace(";)", "B[a1];)");
    let message = "game 1: ply 61: illegal move: a1 comes after the end of the game: neither \
                   player has a move";
    assert_eq!(chain(ggf::read(longer.as_bytes())), message);
    let longer = text.replace(";)", "B[PA];)");
    let message = "game 1: ply 61: illegal move: a pass comes after the end of the game: neither \
                   player has a move";
    assert_eq!(chain(ggf::read(longer.as_bytes())), message);
}

/// A wthor file with one game of these moves.
fn wthor_file(moves: &[u8]) -> Vec<u8> {
    let mut file = vec![0; 16 + 68];
    file[4] = 1;
    file[12] = 8;
    file[24..24 + moves.len()].copy_from_slice(moves);
    file
}

#[test]
fn wthor_files() {
    let check = |file: &[u8], expected: &str| assert_eq!(chain(wthor::read(file)), expected);
    let file = wthor_file(&[56, 64]);
    assert_eq!(transcript::write(wthor::read(&file).unwrap().games[0].game()), "f5d6");
    check(&file[..83], "83 bytes; a file of 1 games has 16 + 68 x 1 = 84");
    check(&[&file[..], &[0]].concat(), "85 bytes; a file of 1 games has 16 + 68 x 1 = 84");
    check(&[&file[..], &[0; 68]].concat(), "152 bytes; a file of 1 games has 16 + 68 x 1 = 84");
    check(&file[..15], "15 bytes; a file of 0 games has 16 + 68 x 0 = 16");
    let with = |place: usize, byte| {
        let mut file = file.clone();
        file[place] = byte;
        file
    };
    check(&with(12, 10), "field board size: `10`; it is 8, or 0 for 8");
    check(&with(13, 1), "field type: `1`; it is 0, a file of games");
    check(&with(22, 65), "game 1: field black's score: `65`; it is at most 64");
    check(&with(23, 65), "game 1: field theoretical score: `65`; it is at most 64");
    let expected = "expected a move: 10 x row + column, both 1 to 8";
    check(&with(25, 9), &format!("game 1: byte 25: {expected}, found 9"));
    check(&with(25, 99), &format!("game 1: byte 25: {expected}, found 99"));
    check(&with(27, 11), "game 1: byte 27: expected 0 after the last move, found 11");
    check(&with(25, 56), "game 1: ply 2: illegal move: f5 is occupied; white can play f4 d6 f6");
    let start = Position::START.apply("f5".parse::<Square>().unwrap()).unwrap();
    let message = chain(wthor::WthorGame::new(RecordedGame::begin(start)));
    assert!(message.ends_with("it is the start of the game"), "{message}");
}

#[test]
fn obf_lines() {
    let start = Position::START.cells();
    let check = |text: &str, expected: &str| {
        let text = format!("% comment\n{}", text.replace("START", &start));
        assert_eq!(chain(obf::read(text.as_bytes())), format!("line 2: {expected}"));
    };
    let cells = "-".repeat(63);
    check(&format!("{cells} X"), "byte 10: not a board: 63 cells; a board has 64");
    check("START", "byte 10: not a board: the player to move is ``; it is `X` or `O`");
    check("START X;i1:+2", "ply 1, byte 77: not a move: `i1` is no square; squares are a1 to h8");
    check("START X;;d3:+2", "ply 1, byte 77: not a move: `` is no square; squares are a1 to h8");
    check("START X;a1:+2", "ply 1: illegal move: a1 flips no disc; black can play d3 c4 f5 e6");
    check("START X;d3:+65", "field d3: `65`; it is a score from -64 to +64");
    check("START X;d3:x", "field d3: `x`; it is a score from -64 to +64");
    check("START X;d3", "field d3: ``; it is a score from -64 to +64");
    check("START X;d3:0;d3:0", "field d3: `0`; it is judged once");
}

/// Valid files, to be mutated.
fn valid_files() -> Vec<Vec<u8>> {
    let game = transcript::read(DRAWN_GAME.as_bytes(), Position::START).expect("it is valid");
    let mut ggf = ggf::GgfGame::new(game.clone());
    ggf.notes_mut()[0].evaluation = Some(ggf::Thousandths(-2_500));
    ggf.notes_mut()[1].seconds = Some(ggf::Thousandths(125));
    let wthor = wthor::WthorFile {
        header: wthor::WthorHeader { date: [20, 26, 1, 2], n_names: 0, game_year: 2026, depth: 22 },
        games: vec![wthor::WthorGame::new(game).expect("it is valid")],
    };
    vec![
        DRAWN_GAME.as_bytes().to_vec(),
        ggf::write(&[ggf]).into_bytes(),
        wthor::write(&wthor).expect("it is valid"),
        include_bytes!("../data/ffo-1-19.obf")[..700].to_vec(),
    ]
}

/// What is done to a byte of a valid file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mutation {
    Set(u8),
    Insert(u8),
    Remove,
    Truncate,
}

pub(crate) fn mutation() -> impl Strategy<Value = (usize, Mutation)> {
    let kind = prop::sample::select(vec![0_u8, 0, 0, 1, 2, 3]);
    (any::<usize>(), kind, any::<u8>()).prop_map(|(place, kind, byte)| {
        let mutations =
            [Mutation::Set(byte), Mutation::Insert(byte), Mutation::Remove, Mutation::Truncate];
        (place, mutations[usize::from(kind)])
    })
}

/// Returns a file after mutations at these places.
pub(crate) fn damaged(mut file: Vec<u8>, mutations: Vec<(usize, Mutation)>) -> Vec<u8> {
    for (place, mutation) in mutations {
        let place = place % file.len().max(1);
        match mutation {
            _ if file.is_empty() => {}
            Mutation::Set(byte) => file[place] = byte,
            Mutation::Insert(byte) => file.insert(place, byte),
            Mutation::Remove => drop(file.remove(place)),
            Mutation::Truncate => file.truncate(place),
        }
    }
    file
}

/// Reads with every reader. What is accepted must come back the same after it was written.
fn read_all(bytes: &[u8]) -> bool {
    let games = transcript::read(bytes, Position::START).is_ok_and(|game| {
        transcript::read(transcript::write(&game).as_bytes(), Position::START) != Ok(game)
    });
    let ggf =
        ggf::read(bytes).is_ok_and(|games| ggf::read(ggf::write(&games).as_bytes()) != Ok(games));
    let wthor = wthor::read(bytes)
        .is_ok_and(|file| wthor::read(&wthor::write(&file).expect("it is valid")) != Ok(file));
    let obf =
        obf::read(bytes).is_ok_and(|lines| obf::read(obf::write(&lines).as_bytes()) != Ok(lines));
    !(games || ggf || wthor || obf)
}

proptest! {
    #[test]
    fn readers_never_panic_on_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(read_all(&bytes));
    }

    #[test]
    fn readers_never_panic_on_text(text in "[-(;)\\[\\]GMBOWthelo8*XPA/.:+ a-h1-8\n]{0,200}") {
        prop_assert!(read_all(text.as_bytes()));
    }

    #[test]
    fn readers_never_panic_on_mutated_files(
        file in prop::sample::select(valid_files()),
        mutations in prop::collection::vec(mutation(), 1..4),
    ) {
        prop_assert!(read_all(&damaged(file, mutations)));
    }
}
