//! Games of agents against a person, who is a script here.

use std::ops::ControlFlow;

use hatchery_core::scene::SceneText;
use hatchery_core::{RunSeed, StreamRng};
use hatchery_othello::person_game::{
    AgentThought, GameView, NextTurn, PersonGame, PersonGameTurn, PersonResult,
};
use hatchery_othello::players::{
    AdjustingAgent, AgentPlayer, BoardTurn, MatchingRules, OthelloAgent, OthelloGame,
};
use hatchery_othello::rules::{BoardBackend, DiscColor, PlainOps, Position, Square};
use hatchery_search::{TurnPlayer, play_match};

use super::agents::{all_kinds, choices, stream};
use super::naive;

const COLORS: [DiscColor; 2] = [DiscColor::Black, DiscColor::White];

fn fastest() -> BoardBackend {
    BoardBackend::fastest()
}

pub(crate) fn adjusting() -> OthelloAgent {
    let rules = MatchingRules::default();
    OthelloAgent::Adjusting(AdjustingAgent { choices: choices(&[2, 5, 9]), rules })
}

/// Returns the person's move: any legal one, with its own numbers for each position.
fn scripted(position: &Position, script: &StreamRng) -> Square {
    let legal = position.legal_moves();
    let count = position.count();
    let n = script.part((count.black + count.white).into()).below(legal.len());
    legal.iter().nth(n as usize).expect("below the number of moves")
}

/// Makes the next turn. Returns the turns made, or `None` if the game is over.
fn step<'g>(
    game: &'g mut PersonGame,
    script: &StreamRng,
    backend: BoardBackend,
) -> Option<&'g [PersonGameTurn]> {
    match game.next_turn() {
        NextTurn::Person => {
            let square = scripted(game.position(), script);
            Some(game.play(square, backend).expect("a legal move"))
        }
        NextTurn::Agent => Some(game.reply(backend).expect("its turn")),
        NextTurn::Over => None,
    }
}

pub(crate) fn played(
    seed: u64,
    agent: OthelloAgent,
    person: DiscColor,
    n_steps: usize,
) -> PersonGame {
    let mut game = PersonGame::new(seed, agent, person).expect("the agent can play");
    let script = stream("script");
    for _ in 0..n_steps {
        if step(&mut game, &script, fastest()).is_none() {
            break;
        }
    }
    game
}

/// The person and the agent at a match.
enum ScriptedPlayer {
    Person(StreamRng),
    Agent(AgentPlayer),
}

impl TurnPlayer<OthelloGame<PlainOps>> for ScriptedPlayer {
    fn choose(
        &mut self,
        game: &OthelloGame<PlainOps>,
        _moves: &[BoardTurn],
        stream: &StreamRng,
    ) -> BoardTurn {
        let position = game.position();
        BoardTurn::Play(match self {
            Self::Person(script) => scripted(&position, script),
            Self::Agent(player) => player.choose(&position, stream).square,
        })
    }

    fn observe(&mut self, game: &OthelloGame<PlainOps>, turn: BoardTurn, stream: &StreamRng) {
        if let (Self::Agent(player), BoardTurn::Play(square)) = (self, turn) {
            player.observe(&game.position(), square, stream);
        }
    }
}

/// The name of the seed's tree is part of the format: with another one, saved games are others.
#[test]
fn a_game_is_the_match_of_its_seed() {
    for agent in all_kinds() {
        for person in COLORS {
            let game = played(5, agent.clone(), person, usize::MAX);
            let mut seats = [
                ScriptedPlayer::Person(stream("script")),
                ScriptedPlayer::Agent(AgentPlayer::new(agent.clone(), fastest())),
            ];
            if person == DiscColor::White {
                seats.reverse();
            }
            let [first, second] = &mut seats;
            let numbers = RunSeed::new("othello-person-game", 5).generation(0).stream("game");
            let start = OthelloGame::<PlainOps>::new(&Position::START);
            let found = play_match(start, first, second, &numbers).unwrap();
            let turns: Vec<BoardTurn> = game.turns().iter().map(|turn| turn.turn).collect();
            assert_eq!(turns, found.moves, "{agent:?} against {person}");
            let result = found.margin.0 * if person == DiscColor::Black { 1 } else { -1 };
            let expected = match result {
                1.. => PersonResult::Won,
                0 => PersonResult::Drawn,
                _ => PersonResult::Lost,
            };
            assert_eq!(game.result(), Some(expected));
        }
    }
}

#[test]
fn games_saved_at_any_ply_come_back() {
    for (number, agent) in all_kinds().into_iter().chain([adjusting()]).enumerate() {
        for person in COLORS {
            let mut game = PersonGame::new(3, agent.clone(), person).unwrap();
            let script = stream("script");
            // One of the last kinds at every ply, the others at every tenth and at the end.
            let every = if number == all_kinds().len() { 1 } else { 10 };
            for ply in 0.. {
                let is_over = game.next_turn() == NextTurn::Over;
                if ply % every == 0 || is_over {
                    let read = PersonGame::from_json(game.to_json().as_bytes(), fastest());
                    let read = read.unwrap();
                    assert_eq!(read, game, "{agent:?} against {person}, ply {ply}");
                    assert_eq!(read.estimate(), game.estimate());
                    assert_eq!((read.to_json(), read.digest()), (game.to_json(), game.digest()));
                }
                if step(&mut game, &script, fastest()).is_none() {
                    break;
                }
            }
            assert_eq!(game.next_turn(), NextTurn::Over);
            let observed = game.estimate().n();
            assert_eq!(observed != 0, matches!(agent, OthelloAgent::Adjusting(_)), "{agent:?}");
        }
    }
}

#[test]
fn replies_are_the_same_on_every_code_path() {
    for agent in all_kinds() {
        for person in COLORS {
            let games = BoardBackend::available().into_iter().map(|backend| {
                let mut game = PersonGame::new(11, agent.clone(), person).unwrap();
                while step(&mut game, &stream("script"), backend).is_some() {}
                game
            });
            let games: Vec<PersonGame> = games.collect();
            assert!(games.windows(2).all(|two| two[0] == two[1]), "{agent:?}");
        }
    }
    // Another seed, other replies.
    let moves = |seed| played(seed, adjusting(), DiscColor::White, 20).record().moves().to_vec();
    assert_ne!(moves(1), moves(2));
}

/// Returns true if the player to move has no move, by the plain rules.
fn is_stuck(position: &Position) -> bool {
    let discs = |color| position.discs(color).bits();
    naive::legal_moves(discs(position.turn()), discs(position.turn().opponent())) == 0
}

#[test]
fn passes_are_made_and_reported() {
    // By color of the person: passes of the person, and of the agent.
    let mut n_passes = [[0; 2]; 2];
    for (person, n_passes) in COLORS.into_iter().zip(&mut n_passes) {
        for seed in 0..100 {
            let mut game = PersonGame::new(seed, OthelloAgent::Random, person).unwrap();
            let script = stream("passes").part(seed);
            let mut n_turns = 0;
            while let Some(made) = step(&mut game, &script, fastest()) {
                assert_ne!(made[0].turn, BoardTurn::Pass);
                let (n_made, last) = (made.len(), made.last().unwrap().clone());
                n_turns += n_made;
                if n_made == 2 {
                    assert_eq!(last.turn, BoardTurn::Pass);
                    assert_eq!(last.thought, AgentThought::None);
                    n_passes[usize::from(last.color() != person)] += 1;
                    // The player that moved moves again.
                    let is_person = game.next_turn() == NextTurn::Person;
                    assert_eq!(is_person, last.color() != person);
                }
            }
            assert_eq!(game.turns().len(), n_turns);
            for (turn, next) in game.turns().iter().zip(&game.turns()[1..]) {
                let after = match turn.turn {
                    BoardTurn::Play(square) => turn.position.apply(square).unwrap(),
                    BoardTurn::Pass => turn.position.pass().unwrap(),
                };
                assert_eq!(next.position, after);
            }
            for turn in game.turns() {
                assert_eq!(turn.turn == BoardTurn::Pass, is_stuck(&turn.position));
            }
            let read = PersonGame::from_json(game.to_json().as_bytes(), fastest()).unwrap();
            assert_eq!(read, game);
        }
    }
    assert!(n_passes.as_flattened().iter().all(|&n| 10 < n), "{n_passes:?}");
}

#[test]
fn a_full_turn_is_taken_back() {
    for (agent, person) in [(adjusting(), COLORS[0]), (all_kinds()[5].clone(), COLORS[1])] {
        let script = stream("script");
        let mut game = PersonGame::new(9, agent, person).unwrap();
        if person == DiscColor::White {
            game.reply(fastest()).unwrap();
        }
        let message = "there is nothing to take back: the person has not moved yet";
        assert_eq!(game.undo().unwrap_err().to_string(), message);
        let mut before = Vec::new();
        loop {
            if game.next_turn() == NextTurn::Person {
                before.push(game.clone());
            }
            if step(&mut game, &script, fastest()).is_none() {
                break;
            }
        }
        let whole = game.clone();
        assert!(20 < before.len());
        for (number, earlier) in before.iter().enumerate().rev() {
            let undone = game.undo().unwrap();
            assert_eq!(&game, earlier, "turn {number} of the person");
            assert_eq!(undone[0].color(), person);
            let again = [earlier.turns(), &undone].concat();
            assert_eq!(again, before.get(number + 1).unwrap_or(&whole).turns());
        }
        assert_eq!(game.undo().unwrap_err().to_string(), message);
        // The same moves lead to the same game, whatever was taken back.
        while step(&mut game, &script, fastest()).is_some() {}
        assert_eq!(game, whole);
    }
}

#[test]
fn turns_of_the_wrong_player_are_refused() {
    let square = |text: &str| text.parse::<Square>().unwrap();
    let mut game = PersonGame::new(1, OthelloAgent::Random, DiscColor::Black).unwrap();
    let before = game.clone();
    let message = "the agent cannot reply: it is the turn of the person, black, who can play d3 \
                   c4 f5 e6";
    assert_eq!(game.reply(fastest()).unwrap_err().to_string(), message);
    let error = game.play(square("a1"), fastest()).unwrap_err();
    let message = "ply 1: illegal move: a1 flips no disc; black can play d3 c4 f5 e6";
    assert_eq!(hatchery_core::error_chain(&error), message);
    assert_eq!(game, before);
    game.play(square("f5"), fastest()).unwrap();
    let error = game.play(square("f6"), fastest()).unwrap_err().to_string();
    assert_eq!(error, "the person cannot play f6: it is the turn of the agent, which is white");
    assert_eq!(game.result(), None);

    let mut game = played(1, OthelloAgent::Random, DiscColor::Black, usize::MAX);
    let before = game.clone();
    let error = game.reply(fastest()).unwrap_err().to_string();
    assert_eq!(error, "the agent cannot reply: the game is over");
    let error = game.play(square("a1"), fastest()).unwrap_err();
    let message = "a1 comes after the end of the game: neither player has a move";
    assert!(hatchery_core::error_chain(&error).ends_with(message), "{error}");
    assert_eq!(game, before);
}

/// The same game has the same text and the same hash in every version of this format.
#[test]
fn saved_games_are_stable() {
    let mut game = played(18, adjusting(), DiscColor::White, 8);
    let choice = |depth: u32| {
        [
            &format!(r#"{{"depth":{depth},"search":{{"playouts":30,"reading":"tree-cap","#),
            r#""plies_per_doubling":4.0,"exploration":0.7071067811865476}}"#,
        ]
        .concat()
    };
    let expected = [
        r#"{"format":1,"seed":18,"person":"white","agent":{"kind":"adjusting","choices":["#,
        &[2, 5, 9].map(choice).join(","),
        r#"],"rules":{"choices":3,"several":"mean","unmatched":"skip","first":"middle","#,
        r#""tie":"lower","forced":false,"carry":false}},"moves":"d3c5e6f3d6c4e3e2"}"#,
    ]
    .concat();
    assert_eq!(game.to_json(), expected);
    assert_eq!(
        game.digest().to_string(),
        "b0dd425e719bce785582d1e2bba8e20b17a5a2cd497b0d709078a316a17eeaae"
    );
    assert_eq!(game.digest(), hatchery_core::Digest::of(expected.as_bytes()));
    let digest = game.digest();
    game.undo().unwrap();
    assert_ne!(game.digest(), digest);
}

/// Returns what a scene shows.
fn shown(game: &PersonGame, view: GameView) -> String {
    let mut shown = String::new();
    let mut text = SceneText::new(|frame: &str| {
        shown.push_str(frame);
        shown.push('\n');
        ControlFlow::Continue(())
    });
    assert!(game.show(view, &mut text).is_continue());
    shown
}

#[test]
fn the_person_sees_no_estimate() {
    let game = played(2, adjusting(), DiscColor::Black, usize::MAX);
    let [person, operator] = [GameView::Person, GameView::Operator].map(|view| shown(&game, view));
    let first = "black is the person, white is the agent";
    assert!(person.starts_with(&format!("{first}\n")), "{person}");
    assert!(operator.starts_with(&format!("{first}: adjusting among depths [2, 5, 9]\n")));
    for (view, text) in [(GameView::Person, &person), (GameView::Operator, &operator)] {
        let sees_all = view == GameView::Operator;
        for secret in ["T_s", "agents would play", "depth", "choice"] {
            assert_eq!(text.contains(secret), sees_all, "{secret} in {view:?}");
        }
        let moves = game.record().moves().len();
        assert_eq!(text.matches(" plays ").count(), moves);
        assert!(text.contains(" black discs, "), "{text}");
    }
}
