//! `othello-games`, and openings from archives.

use hatchery_core::conformance::Recording;
use hatchery_core::spec::{FileReference, SpecDocument};
use hatchery_core::{Experiment, PartSet, RunSeed, Simulation, TrialContext, conformance, erased};
use hatchery_othello::naturalness::{LossZone, NaturalnessMetric};
use hatchery_othello::players::DepthReading;
use hatchery_othello::record::{ggf, transcript};
use hatchery_othello::rules::{DiscColor, Position};
use hatchery_othello::trial::opening::OpeningRule;
use hatchery_othello::trial::review::{GameReviews, MoveVerdict, PlayedGame, ReviewRules};
use hatchery_othello::trial::setup::{JudgeSettings, MatchSetup};
use hatchery_othello::{OthelloArchive, OthelloGames, OthelloMatch, OthelloReviews};

use super::agents::{all_kinds, mcts};
use super::archives::BOARD;
use super::naive;
use super::records::DRAWN_GAME;
use super::reports::exhibits;

const SMOKE: &str = include_str!("../../specs/games-smoke.toml");

#[test]
fn judged_games_conform() {
    conformance::check::<OthelloArchive>(SMOKE).unwrap();
    conformance::presets::<OthelloArchive>().unwrap();
}

/// Two players have two games or more; the third has one, and a game has no names.
#[test]
fn players_moves_and_games_are_tables() {
    let exhibits = exhibits(erased::<OthelloArchive>(), SMOKE);
    let file = |name: &str| &exhibits.iter().find(|(found, _)| found == name).unwrap().1;
    let players: Vec<_> = file("players.csv").lines().collect();
    assert_eq!(players.len(), 3, "{players:?}");
    assert!(players[0].starts_with("player,games,score,moves,loss_estimated,"), "{players:?}");
    let mut rows: Vec<_> = players[1..].iter().map(|row| &row[..6]).collect();
    rows.sort_unstable();
    assert_eq!(rows, ["Ann,3,", "Bob,2,"]);
    let moves = file("moves.csv");
    // The opening and the only moves are left out.
    assert!(
        moves.starts_with("trial,game,ply,player,color,move,unit,best,loss,events\n"),
        "{moves}"
    );
    assert!(moves.contains("\n0/0/0,\"games.0, game 1 (line 1)\",3,Ann,black,"), "{moves}");
    assert!(moves.contains("\n0/3/0,\"games.1, game 1 (line 1)\",3,unknown,black,"), "{moves}");
    assert_eq!(ggf::read(file("games.ggf").as_bytes()).unwrap().len(), 4);
    assert!(
        file("naturalness.csv").contains("\n(all players),loss_mean_exact,clearly_losing,discs,")
    );
    let report = file("report.md");
    for expected in [
        " points (",
        " discs near the end (",
        " loses least per move before the end",
        " loses least near the end",
        " has the fewest clear losses",
        "Naturalness by player",
        "a search with 100 playouts per move",
        "All 4 games are judged.",
        "| `opening` | `2` |",
    ] {
        assert!(report.contains(expected), "{expected:?} is not in {report}");
    }
    let recording = Recording::<OthelloArchive>::new(SMOKE).unwrap();
    let numbers = |reviews: &GameReviews| {
        let review = &reviews.games[0];
        let [mut both, white] = review.naturalness();
        both.absorb(&white);
        let loss = NaturalnessMetric::LossMean(LossZone::Estimated).value(&both);
        (loss, Some(review.moves.len() as u64))
    };
    assert_eq!(conformance::listed_trials_replay(&recording, numbers).unwrap(), 4);
}

/// Returns a file as an input, and its reference.
fn input(inputs: &mut PartSet, name: &str, text: &str) -> String {
    let files = [(name.to_owned(), text.to_owned().into())];
    let (reference, bytes) = FileReference::pack(&files).expect("one small file");
    inputs.add(bytes);
    format!("{{ file = '{name}', blake3 = '{}' }}", reference.hash())
}

#[test]
fn parameters_of_judged_games_are_checked() {
    let mut inputs = PartSet::default();
    let archive = input(&mut inputs, "a.txt", "f5d6\nf5d6c3\n");
    let two = [("a.txt".to_owned(), "f5".into()), ("b.txt".to_owned(), "f5".into())];
    let (both, bytes) = FileReference::pack(&two).unwrap();
    inputs.add(bytes);
    let text = format!(
        "experiment = 'othello-games'\nseed = 1\n[params]\nplayers = ['ann']\n\
         games = [{archive}, {{ files = ['a.txt', 'b.txt'], blake3 = '{}' }}, \
         '(;GM[Othello]PB[Ann]{BOARD}B[f5];)']\n",
        both.hash()
    );
    conformance::parameters_are_checked(erased::<OthelloArchive>(), &[(&text, inputs)]).unwrap();
}

fn refusal<E: Experiment>(params: &str, inputs: &PartSet) -> String {
    let text = format!("experiment = '{}'\nseed = 1\n[params]\n{params}\n", E::NAME);
    let document = SpecDocument::parse("test", text.as_bytes()).expect("it is TOML");
    let refused = erased::<E>().configure_with(&document, inputs).err();
    refused.expect("the spec is refused").message
}

#[test]
fn unknown_players_and_broken_games_are_refused() {
    let check = |params: &str, expected: &str| {
        let found = refusal::<OthelloArchive>(params, &PartSet::default());
        assert_eq!(found, expected);
    };
    let game = format!("games = ['(;GM[Othello]PB[Anna]PW[Bob]{BOARD}B[f5];)']");
    check(
        &format!("players = ['Anne']\n{game}"),
        "players.0 is \"Anne\", but must be a player of the games; did you mean \"Anna\"?",
    );
    check(
        &format!("players = ['Zoe']\n{game}"),
        "players.0 is \"Zoe\", but must be a player of the games: \"Anna\", \"Bob\"",
    );
    check(
        "games = ['f5d6', \"f5f5\\nd3d3\"]",
        "games.1 is \"f5f5\\nd3d3\", but must be a game as a transcript or GGF: none of the games \
         can be read, such as the first: line 1: ply 2: illegal move: f5 is occupied; white can \
         play f4 d6 f6",
    );
    check(
        "games = ['f5d6', 'f5f5']",
        "games.1 is \"f5f5\", but must be a game as a transcript or GGF: line 1: ply 2: illegal \
         move: f5 is occupied; white can play f4 d6 f6",
    );
}

/// In the perfect game, no move of the solved end loses anything.
#[test]
fn a_perfect_end_loses_nothing() {
    let rules = judge_rules(10, 51);
    let game = transcript::read(DRAWN_GAME.as_bytes(), Position::START).unwrap();
    let players = ["Ann".to_owned(), String::new()];
    let played = PlayedGame { players, game };
    let rng = RunSeed::new("review", 1).generation(0).stream("a");
    let reviews = OthelloReviews::trial(&rules, &played, rng.clone(), &TrialContext::ALONE);
    let [review] = &reviews.games[..] else { panic!("one game") };
    assert_eq!(review.moves.len(), 60);
    assert!(review.moves[..51].iter().all(|it| it.verdict == MoveVerdict::Opening));
    assert!(review.judged().count() > 2 && review.judged().all(|it| it.loss() == 0));
    assert_eq!(review.moves[51].color, DiscColor::White);
    let exported = OthelloReviews::export(&rules, &played, rng, &TrialContext::ALONE).unwrap();
    let read = ggf::read(exported.as_bytes()).unwrap();
    assert_eq!(read[0].black.as_ref().unwrap().as_str(), "Ann");
    assert_eq!(read[0].white.as_ref().unwrap().as_str(), "unknown");
    let evaluations = read[0].notes().iter().filter_map(|it| it.evaluation);
    assert!(evaluations.clone().count() > 2 && evaluations.clone().all(|it| it.0 == 0));
}

fn judge_rules(empties: u32, opening: u32) -> ReviewRules {
    let agent = mcts(60, 100, DepthReading::TreeCap);
    ReviewRules { judge: JudgeSettings { agent, empties }, opening }
}

#[test]
fn openings_come_from_archives() {
    let mut inputs = PartSet::default();
    let lines = "f5d6c3\nf5d6c4\nf5f6e6\nd3c5\nf5d6c3d3\nf5f5\n";
    let archive = input(&mut inputs, "games.txt", lines);
    let spec = |openings: &str| {
        format!(
            "pairs = 1\nsearch = {{ playouts = 9 }}\n\
             openings = {{ kind = 'archive', {openings} }}\n\
             agents = [{{ name = 'a', kind = 'random' }}, {{ name = 'b', kind = 'random' }}]"
        )
    };
    let begun = |openings: &str| {
        let text = format!("experiment = 'othello-match'\nseed = 1\n[params]\n{}", spec(openings));
        let document = SpecDocument::parse("test", text.as_bytes()).unwrap();
        let configured = erased::<OthelloMatch>().configure_with(&document, &inputs).unwrap();
        (configured.warnings(), configured.canonical_params())
    };
    let (warnings, params) = begun(&format!("games = [{archive}], plies = 2"));
    let expected = "skipped 1 of 6 games: games.txt, game 6 (line 6): ply 2: illegal move: f5 is \
                    occupied; white can play f4 d6 f6";
    assert_eq!(warnings, [expected]);
    assert!(params.contains("\"plies\":2") && params.contains("\"most\":1000"), "{params}");
    let refused =
        refusal::<OthelloMatch>(&spec(&format!("games = [{archive}], plies = 9")), &inputs);
    let expected = "openings.plies is 9, but must be fewer: no game goes on after so many moves";
    assert_eq!(refused, expected);
    // The position of most games comes first.
    let text = format!(
        "experiment = 'othello-match'\nseed = 1\n[params]\n{}",
        spec(&format!("games = [{archive}], plies = 2, most = 1"))
    );
    conformance::check_with_inputs::<OthelloMatch>(&text, inputs).unwrap();
}

/// A trial of a match is its games in GGF, also where an agent changes.
#[test]
fn a_trial_of_a_match_is_exported() {
    let kinds = all_kinds();
    let opening = OpeningRule::random(6, 8).unwrap();
    let setup = MatchSetup::new([kinds[0].clone(), kinds[1].clone()], opening, 10);
    let trial = OthelloGames::trial(&(), &setup, naive::stream("export"), &TrialContext::ALONE);
    let text =
        OthelloGames::export(&(), &setup, naive::stream("export"), &TrialContext::ALONE).unwrap();
    let games = ggf::read(text.as_bytes()).unwrap();
    assert_eq!(games.len(), 20);
    let kept = trial.records.iter().flat_map(|pair| &pair.games);
    assert!(games.iter().map(ggf::GgfGame::game).zip(kept).all(|(one, other)| one == other));
    let black = |at: usize| games[at].black.clone().unwrap();
    assert_eq!(black(0), games[1].white.clone().unwrap());
    assert_ne!(black(0), black(1));
}

/// With `kept = "all"`, `games.ggf` has all games.
#[test]
fn a_match_keeps_all_its_games() {
    let text = "experiment = 'othello-match'\nseed = 1\n[params]\npairs = 12\nkept = 'all'\n\
                search = { playouts = 9 }\nagents = [{ name = 'a', kind = 'random' }, \
                { name = 'b', kind = 'random' }]\n";
    conformance::check::<OthelloMatch>(text).unwrap();
    let (_, games) = exhibits(erased::<OthelloMatch>(), text)
        .into_iter()
        .find(|(name, _)| name == "games.ggf")
        .unwrap();
    assert_eq!(ggf::read(games.as_bytes()).unwrap().len(), 24);
    let too_many = text.replace("pairs = 12", "pairs = 20_001");
    let document = SpecDocument::parse("test", too_many.as_bytes()).unwrap();
    let refused = erased::<OthelloMatch>().configure(&document).err().unwrap().message;
    assert!(refused.starts_with("kept is \"all\", but must be \"first\""), "{refused}");
}
