//! Archives as servers, programs and people write them, good and bad.

use hatchery_core::spec::RawFile;
use hatchery_othello::record::archive::GameArchive;
use hatchery_othello::record::ggf::Thousandths;
use hatchery_othello::record::wthor::{WthorFile, WthorGame, WthorHeader, WthorNames};
use hatchery_othello::record::{RecordedGame, ggf, transcript, wthor};
use hatchery_othello::rules::{Position, TurnState};
use proptest::prelude::{any, prop};
use proptest::{prop_assert, proptest};

use super::naive;
use super::records::DRAWN_GAME;

pub(crate) const BOARD: &str =
    "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";

pub(crate) fn file(name: &str, bytes: impl Into<Vec<u8>>) -> RawFile {
    RawFile { name: name.to_owned(), bytes: bytes.into().into() }
}

fn games(text: &str) -> Vec<String> {
    let archive = GameArchive::of_text(text.as_bytes()).expect("it has games");
    assert_eq!(archive.skipped(), None, "{text}");
    archive.games().iter().map(|it| transcript::write(&it.game)).collect()
}

/// Returns the message that refuses a file.
fn refusal(file: RawFile) -> String {
    GameArchive::of_files(&[file]).expect_err("the file is refused").to_string()
}

/// A match of two synchronized games from a random start, times without evaluations, evaluations
/// without times, a pass, a timeout, NBoard's type and a komi.
#[test]
fn ggf_of_servers_is_read() {
    let text = format!(
        "2 (;GM[Othello]PC[GGS/os]DT[2026.01.02_03:04:05.UTC]PB[ann]PW[bob]RB[1500.12]RW[1490.00]\
         TI[05:00//02:00]TY[s8r18]RE[?]{BOARD}B[d3//0.01]W[c5/-1.50]B[f6/2.00/0.50];)\
         (;GM[Othello]PC[GGS/os]PB[bob]PW[ann]TB[05:00]TW[01:00]TY[s8r18]RE[+64:t]{BOARD}B[f5];)\n\
         1 (;GM[Othello]PC[NBoard]PB[ann]PW[ntest]RE[?]TY[0]{BOARD}B[F5]W[D6];)\n"
    );
    assert_eq!(games(&text), ["d3c5f6", "f5", "f5d6"]);
    let archive = GameArchive::of_text(text.as_bytes()).unwrap();
    let [first, second, third] = archive.games() else { panic!("{archive:?}") };
    assert_eq!(
        (first.place.line, second.place.line, third.place.line),
        (Some(1), Some(1), Some(2))
    );
    assert_eq!((&*first.black, &*second.black, &*third.white), ("ann", "bob", "ntest"));
    assert_eq!(first.event, "GGS/os 2026.01.02_03:04:05.UTC");
    // The result of a game with komi is black's score less the komi.
    let komi = format!("(;GM[Othello]TY[8k]KM[-0.500]RE[+0.500]{BOARD}MOVES;)");
    let squares = DRAWN_GAME.as_bytes().chunks(2).map(String::from_utf8_lossy);
    let moves = squares.zip(['B', 'W'].into_iter().cycle());
    let moves: String = moves.map(|(square, color)| format!("{color}[{square}]")).collect();
    let read = ggf::read(komi.replace("MOVES", &moves).as_bytes()).unwrap();
    assert_eq!((read[0].komi, read[0].result().unwrap().black_score), (Some(Thousandths(-500)), 0));
    assert_eq!(ggf::read(ggf::write(&read).as_bytes()), Ok(read));
    let whole = komi.replace("MOVES", &moves).replace("+0.500", "+1.000");
    assert!(ggf::read(whole.as_bytes()).is_err());
}

#[test]
fn transcripts_are_read_as_people_paste_them() {
    for text in [
        "f5d6c3d3c4",
        "F5D6C3D3C4",
        "f5 d6 c3 d3 c4",
        "f5, d6, c3, d3, c4",
        "f5,d6,c3,d3,c4",
        "1. f5 d6 2. c3 d3 3. c4",
        "1.f5 2.d6 3.c3 4.d3 5.c4",
        "# ours\n1. f5 d6\n2. c3 d3\n3. c4\n",
        "\u{feff}f5d6c3d3c4".trim_start_matches('\u{feff}'),
    ] {
        assert_eq!(games(text), ["f5d6c3d3c4"], "{text}");
    }
    let drawn = [DRAWN_GAME.to_lowercase()];
    assert_eq!(games(&format!("{DRAWN_GAME} 32-32")), drawn);
    let tagged = format!(
        "[Event \"Final\"]\n[Date \"1999\"]\n[Black \"Ann\"]\n[White \"Bob\"]\n[Result \"32-32\"]\n\
         1. {}\n20. {}\n32-32\n\n[Black \"Bob\"]\n1. F5 D6\n",
        &DRAWN_GAME[..40],
        &DRAWN_GAME[40..]
    );
    assert_eq!(games(&tagged), [&drawn[0][..], "f5d6"]);
    let archive = GameArchive::of_text(tagged.as_bytes()).unwrap();
    let [first, second] = archive.games() else { panic!("{archive:?}") };
    assert_eq!((&*first.black, &*first.white, &*first.event), ("Ann", "Bob", "Final 1999"));
    assert_eq!((&*second.black, &*second.white, second.place.line), ("Bob", "", Some(10)));
}

#[test]
fn passes_are_read_in_all_words() {
    let mut rng = naive::stream("passes");
    let passed = |game: &RecordedGame| {
        let colors: Vec<_> = game.turns().map(|turn| turn.position.turn()).collect();
        colors.windows(2).position(|two| two[0] == two[1])
    };
    let mut random =
        || RecordedGame::new(Position::START, &naive::random_game(&mut rng).0).unwrap();
    let game = std::iter::repeat_with(&mut random).find(|game| passed(game).is_some()).unwrap();
    let at = passed(&game).unwrap() + 1;
    let text = transcript::write(&game);
    for pass in ["PA", "PS", "--", "pass", " Pass "] {
        let written = format!("{}{pass}{}", &text[..2 * at], &text[2 * at..]);
        assert_eq!(transcript::read(written.as_bytes(), Position::START).as_ref(), Ok(&game));
        let twice = written.replace(pass, &pass.repeat(2));
        assert!(transcript::read(twice.as_bytes(), Position::START).is_err(), "{twice}");
    }
}

#[test]
fn notations_that_are_not_read_are_named() {
    let refused = |text: &str| {
        let error = GameArchive::of_text(text.as_bytes()).unwrap_err();
        hatchery_core::error_chain(&error)
    };
    let check = |text: &str, expected: &str| {
        let found = refused(text);
        assert!(found.contains(expected), "{text}: {found}");
    };
    check(
        "   A B C D E F G H\n 1 - - - - - - - - 1\n",
        "line 1: this is a board as servers show it",
    );
    check(&format!("{} X;\n", "-".repeat(64)), "this is a position, as OBF has it, not a game");
    check(
        "56 64 33 43",
        "this is moves as numbers; games are transcripts such as `f5d6c3`, GGF or",
    );
    check("[Event]", "this is a tag of PGN");
    check("(;GM[1]SZ[19];B[dd])", "field GM: `1`; it is Othello");
    let zipped = refusal(file("games.ggf.bz2", b"BZh91AY&SY\xff\xfe".to_vec()));
    assert_eq!(zipped, "games.ggf.bz2: this is a compressed file; unpack it first");
}

/// The names stand beside the games, in files whose names may be in either case.
#[test]
fn wthor_has_the_names_of_its_files() {
    let game = transcript::read(b"f5d6c3", Position::START).unwrap();
    let mut game = WthorGame::new(game).unwrap();
    (game.tournament, game.black, game.white) = (1, 0, 9);
    let header = WthorHeader { date: [20, 26, 1, 2], n_names: 0, game_year: 1999, depth: 22 };
    let games = wthor::write(&WthorFile { header, games: vec![game] }).unwrap();
    let names = |each: usize, names: &[&[u8]]| {
        let mut bytes = vec![0; 16];
        bytes[8] = u8::try_from(names.len()).unwrap();
        for name in names {
            let end = bytes.len() + each;
            bytes.extend(*name);
            bytes.resize(end, 0);
        }
        bytes
    };
    let players = names(20, &[b"M\xfcller Ann", b"Bob"]);
    let tournaments = names(26, &[b"Open", b"Masters"]);
    assert_eq!(WthorNames::Players.read(&players).unwrap(), ["Müller Ann", "Bob"]);
    let files = [
        file("WTHOR.JOU", players.clone()),
        file("WTHOR.TRN", tournaments),
        file("WTH_1999.WTB", games.clone()),
    ];
    let archive = GameArchive::of_files(&files).unwrap();
    let [found] = archive.games() else { panic!("{archive:?}") };
    assert_eq!((&*found.black, &*found.white), ("Müller Ann", "player 9"));
    assert_eq!(
        (&*found.event, &*found.place.to_string()),
        ("Masters 1999", "WTH_1999.WTB, game 1")
    );
    let alone = GameArchive::of_files(&files[2..]).unwrap();
    assert_eq!(
        (&*alone.games()[0].black, &*alone.games()[0].event),
        ("player 0", "tournament 1 1999")
    );
    let short =
        GameArchive::of_files(&[file("a.jou", &players[..55]), file("a.wtb", games.clone())]);
    let expected = "a.jou: 55 bytes; a file of 2 players has 16 + 20 x 2 = 56";
    assert_eq!(short.unwrap_err().to_string(), expected);
    let expected = "a.wtb: 83 bytes; a file of 1 games has 16 + 68 x 1 = 84";
    assert_eq!(refusal(file("a.wtb", &games[..83])), expected);
    let mut other_board = games;
    other_board[12] = 10;
    let expected = "a.wtb: field board size: `10`; it is 8, or 0 for 8";
    assert_eq!(refusal(file("a.wtb", other_board)), expected);
}

/// Ten thousand games of which three are broken: the errors have the games and their lines.
#[test]
fn three_broken_games_of_ten_thousand_are_skipped() {
    let mut lines = vec![format!("(;GM[Othello]TY[8]{BOARD}B[f5]W[d6]B[c3];)"); 10_000];
    lines[16] = lines[16].replace("W[d6]", "W[a1]");
    lines[4_000] = lines[4_000].replace(";)", "");
    lines[9_999] = format!("(;GM[Othello]TY[10]BO[10 {} *];)", "-".repeat(100));
    let archive = GameArchive::of_text(lines.join("\n").as_bytes()).unwrap();
    assert_eq!(archive.games().len(), 9_997);
    let skipped = archive.skipped().unwrap();
    for expected in [
        "skipped 3 of 10,000 games: game 17 (line 17): ply 2: illegal move: a1 flips no disc",
        "game 4001 (line 4001): byte ",
        "game 10000 (line 10000): field TY: `10`; it is 8",
    ] {
        assert!(skipped.contains(expected), "{skipped}");
    }
    assert_eq!(archive.games()[4_000].place.line, Some(4_003));
}

#[test]
fn games_are_skipped_for_their_own_faults() {
    let good = format!("(;GM[Othello]{BOARD}B[f5];)");
    let check = |bad: &str, expected: &str| {
        let text = format!("{good}\n{bad}\n{good}");
        let archive = GameArchive::of_text(text.as_bytes()).unwrap();
        assert_eq!(archive.games().len(), 2, "{bad}");
        let skipped = archive.skipped().unwrap();
        let expected = format!("skipped 1 of 3 games: game 2 (line 2): {expected}");
        assert!(skipped.starts_with(&expected), "{skipped}");
    };
    let game = |rest: &str| format!("(;GM[Othello]{rest};)");
    check(&game(&format!("RE[+2]{BOARD}B[f5]")), "the game stops after ply 1");
    check(&game(&format!("TY[8a]{BOARD}B[f5]")), "field TY: `8a`");
    check(&game(&format!("KM[x]{BOARD}B[f5]")), "field KM: `x`");
    check(&game(BOARD), "the game has no moves");
    check(&game("BO[8 --- *]"), "byte 116: not a board: 3 cells");
    let many = GameArchive::of_text(format!("{good}\n{}", "(;x;)\n".repeat(9)).as_bytes()).unwrap();
    assert!(many.skipped().unwrap().ends_with("; and 4 more"));
    // A match that lacks its second game.
    let half = GameArchive::of_text(format!("2 {good}\n1 {good}").as_bytes()).unwrap();
    assert_eq!(half.games().len(), 2);
    let expected =
        "skipped 1 of 3 games: game 2 (line 2): byte 102: expected another game of the match";
    assert!(half.skipped().unwrap().starts_with(expected), "{:?}", half.skipped());
    let names =
        [&b"(;GM[Othello]PB[M\xfcller]"[..], BOARD.as_bytes(), b"B[f5];)\n", good.as_bytes()];
    let archive = GameArchive::of_files(&[file("a.ggf", names.concat())]).unwrap();
    let expected =
        "skipped 1 of 2 games: a.ggf, game 1 (line 1): field PB: `M\\xfcller`; it is UTF-8";
    assert_eq!(archive.skipped().as_deref(), Some(expected));
}

#[test]
fn files_without_a_game_are_refused() {
    assert_eq!(
        refusal(file("a.txt", "f5f5\nd3d3\n")),
        "a.txt: none of the games can be read, such as the first: line 1: ply 2: illegal move: \
         f5 is occupied; white can play f4 d6 f6"
    );
    assert_eq!(
        refusal(file("a.txt", "# nothing\n")),
        "a.txt: no game is here; games are in WTHOR, \
                in GGF, or transcripts, a line each"
    );
    let utf16: Vec<u8> = "f5d6".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let expected = "a.txt: line 1: has a zero byte, so that it is no text: save as UTF-8";
    assert_eq!(refusal(file("a.txt", utf16.clone())), expected);
    let marked = file("a.txt", [&b"\xfe\xff"[..], &utf16].concat());
    assert_eq!(GameArchive::of_files(&[marked]).unwrap().games().len(), 1);
    let many = "f5\n".repeat(GameArchive::MAX_GAMES + 1);
    let expected = "a.txt: more than 300000 games; take fewer files, or cut this one into several";
    assert_eq!(refusal(file("a.txt", many)), expected);
}

proptest! {
    /// Whatever bytes a file has, they are refused, or every game in them is a game.
    #[test]
    fn no_bytes_are_too_strange(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        name in prop::sample::select(vec!["a.wtb", "a.jou", "a.trn", "a.ggf", "a.txt"]),
        begin in prop::sample::select(vec!["", "2 (;GM[Othello]", "1. f5", "[Black \"a\"]\nf5"]),
    ) {
        let bytes = [begin.as_bytes(), &bytes].concat();
        if let Ok(archive) = GameArchive::of_files(&[file(name, bytes)]) {
            for found in archive.games() {
                prop_assert!(!found.game.moves().is_empty());
                prop_assert!(found.game.state() != TurnState::MustPass);
            }
        }
    }

    /// Likewise for good files with a few other bytes.
    #[test]
    fn damaged_archives_keep_their_good_games(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let good = format!("2 (;GM[Othello]{BOARD}B[f5]W[d6];)(;GM[Othello]{BOARD}B[d3];)\n");
        let mut bytes = good.repeat(8).into_bytes();
        for (place, byte) in &places {
            let at = place.index(bytes.len());
            bytes[at] = *byte;
        }
        let archive = GameArchive::of_text(&bytes).unwrap();
        // A byte breaks one game, or two if it joins them.
        prop_assert!(16 <= archive.games().len() + 2 * places.len(), "{:?}", archive.skipped());
    }
}
