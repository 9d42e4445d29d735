//! The rules of the interface: instances, parameters, memory, replays, ends.

use hatchery_core::{GameFailure, GameRunner};

use crate::common::{
    ABOUT, EndAfter, IDLE, game, game_text, module_with, replay, runners, same, streams, trial,
    trials_of, unwatched,
};

/// Measures how often the instance was used.
const COUNTING: &str = r#"(global $n (mut i64) (i64.const 0))
    (func (export "hatchery_trial") (param i32 i32) (result i32)
      (global.set $n (i64.add (global.get $n) (i64.const 1)))
      (call $measure (i32.const 0) (global.get $n)) (i32.const 0))"#;

#[test]
fn each_trial_has_an_instance_of_its_own_unless_the_game_is_stateless() {
    let fresh = trials_of(&module_with(game(COUNTING), Vec::new()), &[], 3);
    assert_eq!(fresh, Ok(vec![vec![(0, 1)]; 3]));
    let about = ABOUT.replace("\"abi\"", "\"stateless\":true,\"abi\"");
    let stateless = wat::parse_str(game_text(&about, COUNTING)).unwrap();
    let shared = trials_of(&module_with(stateless, Vec::new()), &[], 3);
    assert_eq!(shared, Ok(vec![vec![(0, 1)], vec![(0, 2)], vec![(0, 3)]]));
}

#[test]
fn instances_get_their_parameters_and_subjects() {
    let items = r#"(global $sum (mut i64) (i64.const 0))
        (func $add (param $at i32) (param $n i32)
          (loop $next
            (if (local.get $n) (then
              (global.set $sum
                (i64.add (global.get $sum) (i64.load8_u (local.get $at))))
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (local.set $n (i32.sub (local.get $n) (i32.const 1)))
              (br $next)))))
        (func (export "hatchery_begin") (param i32 i32)
          (call $add (local.get 0) (local.get 1)))
        (func (export "hatchery_trial") (param i32 i32) (result i32)
          (call $add (local.get 0) (local.get 1))
          (call $measure (i32.const 0) (global.get $sum)) (i32.const 0))"#;
    let module = module_with(game(items), vec![1, 20]);
    assert_eq!(trials_of(&module, &[200, 100], 2), Ok(vec![vec![(0, 321)]; 2]));
    let without = trials_of(&module_with(game(IDLE), vec![1]), &[], 1).unwrap_err();
    let expected = "the module is refused: in `hatchery_begin`: it takes no parameters, but there \
                    are 1 bytes of parameters";
    assert_eq!(without.to_string(), expected);
}

#[test]
fn memory_grows_to_the_cap_and_no_further() {
    let items = r#"(func (export "hatchery_trial") (param i32 i32) (result i32)
        (call $measure (i32.const 0) (i64.extend_i32_s (memory.grow (i32.const 16))))
        (call $measure (i32.const 0) (i64.extend_i32_s (memory.grow (i32.const -1))))
        (call $measure (i32.const 0) (i64.extend_i32_s (memory.grow (i32.const 15))))
        (call $measure (i32.const 0) (i64.extend_i32_s (memory.grow (i32.const 1))))
        (call $measure (i32.const 0) (i64.extend_i32_s (memory.grow (i32.const 0))))
        (memory.fill (i32.const 0) (i32.const 7) (i32.const 1048576))
        (call $measure (i32.const 0) (i64.load (i32.const 1048568)))
        (i32.const 0))"#;
    let low = items.replace("(i64.load (i32", "(i64.load8_u (i32");
    assert_eq!(trial(game(&low)), Ok([-1, -1, 1, -1, 16, 7].map(|value| (0, value)).to_vec()));
}

#[test]
fn a_replay_shows_frames_and_is_the_same_trial() {
    let items = r#"(data (i32.const 2048) "first\e2\82\acsecond")
        (func (export "hatchery_trial") (param i32 i32) (result i32)
          (call $frame (i32.const 2048) (i32.const 8))
          (call $measure (i32.const 0) (i64.shr_u (call $random) (i64.const 32)))
          (call $frame (i32.const 2056) (i32.const 6))
          (i32.const 0))"#;
    let shown = replay(game(items));
    assert_eq!(shown.frames, ["first€", "second"]);
    assert_eq!(shown.outcome, trial(game(items)));
    let check = |frame: &str, expected: &str| {
        let shown = replay(game(&items.replace("(i32.const 2056) (i32.const 6)", frame)));
        assert_eq!(shown.frames, ["first€"]);
        let error = shown.outcome.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(
        "(i32.const 2054) (i32.const 1)",
        "in `hatchery_trial`: it showed a frame that is no UTF-8",
    );
    check("(i32.const 0) (i32.const -1)", "a frame of 4294967295 bytes, and at most 65536");
    check("(i32.const 65530) (i32.const 7)", "7 bytes at address 65530, but its memory has 65536");
}

#[test]
fn a_replay_function_is_used_where_there_is_one() {
    let items = r#"(data (i32.const 2048) "shown")
        (func (export "hatchery_replay") (param i32 i32) (result i32)
          (call $frame (i32.const 2048) (i32.const 5)) unreachable)"#;
    let shown = replay(game(&format!("{IDLE}{items}")));
    assert_eq!(shown.frames, ["shown"]);
    let error = shown.outcome.unwrap_err().to_string();
    assert!(error.contains("in `hatchery_replay`: it reached `unreachable`"), "{error}");
}

#[test]
fn frames_of_a_replay_are_bounded() {
    let items = r#"(memory.fill (i32.const 8192) (i32.const 65) (i32.const 50000))
        (loop $next (call $frame (i32.const 8192) (i32.const 50000)) (br $next))
        (i32.const 0)"#;
    let header = r#"(func (export "hatchery_trial") (param i32 i32) (result i32)"#;
    let shown = replay(game(&format!("{header}{items})")));
    assert_eq!(shown.frames.len(), (16 << 20) / 50_024);
    let error = shown.outcome.unwrap_err().to_string();
    assert!(error.contains("it showed more than 16777216 bytes of frames"), "{error}");
}

#[test]
fn a_game_that_is_stuck_anywhere_is_ended() {
    let loops = "(loop $again (br $again))";
    let filling = "(loop $again (memory.fill (i32.const 0) (i32.const 0) (i32.const 65536))
        (br $again))";
    let trial = |body: &str| {
        format!(
            r#"(func (export "hatchery_trial") (param i32 i32) (result i32) {body} (i32.const 0))"#
        )
    };
    let begin =
        |body: &str| format!(r#"{IDLE} (func (export "hatchery_begin") (param i32 i32) {body})"#);
    let texts = [
        game_text(ABOUT, &trial(loops)),
        game_text(ABOUT, &trial(filling)),
        game_text(ABOUT, &begin(loops)),
        game_text(ABOUT, &format!("{IDLE} (func $start {loops}) (start $start)")),
        game_text(ABOUT, IDLE).replace("(i64.const ", &format!("{loops} (i64.const ")),
        game_text(ABOUT, IDLE).replace(
            "(result i32) (i32.const 4096)",
            &format!("(result i32) {loops} (i32.const 4096)"),
        ),
        // The import asks the host, and the game does not obey.
        game_text(ABOUT, &trial("(drop (call $beat (i64.const 1) (i64.const 2)))")),
    ];
    for text in texts {
        let module = module_with(wat::parse_str(&text).unwrap(), Vec::new());
        let questions = if text.contains("(call $beat (i64") { 1 } else { 2 };
        let outcome = same(|runner| {
            runner.trials(&module, &[], &mut streams(1), &EndAfter::questions(questions))
        });
        assert_eq!(outcome, Err(GameFailure::Ended), "{text}");
    }
}

#[test]
fn the_answer_to_a_beat_reaches_the_game() {
    let items = r#"(func (export "hatchery_trial") (param i32 i32) (result i32)
        (call $measure (i32.const 0)
          (i64.extend_i32_u (call $beat (i64.const 1) (i64.const 2)))) (i32.const 0))"#;
    assert_eq!(trial(game(items)), Ok(vec![(0, 0)]));
}

#[test]
fn threads_share_a_runner() {
    let module = module_with(game(COUNTING), Vec::new());
    for runner in runners() {
        let play = || runner.trials(&module, &[], &mut streams(20), &unwatched());
        std::thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(play));
            for thread in threads {
                assert_eq!(thread.join().unwrap(), Ok(vec![vec![(0, 1)]; 20]));
            }
        });
    }
}
