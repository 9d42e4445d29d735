//! Trials that are seen again, as text and as data.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value as Json;

use crate::{output, result, scratch, text};

/// The output of `replay` for a trial of the run in `run`.
fn replay(folder: &Path, more: &[&str]) -> String {
    let output = output(folder, &[&["replay", "run"], more].concat());
    assert!(output.status.success(), "{more:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The scene of a trial, as JSON.
fn scene(folder: &Path, more: &[&str]) -> Json {
    let printed = replay(folder, &[more, &["--output", "json"]].concat());
    let document: Json = serde_json::from_str(&printed).unwrap();
    assert_eq!(document["schema"], "hatchery.scene/1");
    assert_eq!(document["trial"], more[0]);
    document["scene"].clone()
}

/// The things after each frame by the number of the frame: `[symbol, x, y, ...]` by thing.
fn moments(scene: &Json) -> BTreeMap<u64, BTreeMap<u64, Vec<i64>>> {
    let mut things = BTreeMap::new();
    let mut moments = BTreeMap::new();
    for frame in scene["frames"].as_array().unwrap() {
        let changes = frame.get("changes").map_or(&[][..], |it| it.as_array().unwrap());
        for change in changes {
            let change: Vec<i64> = serde_json::from_value(change.clone()).unwrap();
            let thing = u64::try_from(change[0]).unwrap();
            match &change[1..] {
                [] => assert!(things.remove(&thing).is_some(), "thing {thing} is gone twice"),
                pose => drop(things.insert(thing, pose.to_vec())),
            }
        }
        moments.insert(frame["number"].as_u64().unwrap(), things.clone());
    }
    moments
}

fn captions(scene: &Json) -> Vec<&str> {
    let frames = scene["frames"].as_array().unwrap();
    frames.iter().map(|frame| frame["caption"].as_str().unwrap()).collect()
}

#[test]
fn a_game_of_tetris_is_seen_again() {
    let folder = scratch();
    result(folder.path(), &["run", "tetris-evolve/smoke", "--out", "run", "--output", "json"]);
    let shown = replay(folder.path(), &["4/0/3", "--frames", "1..2"]);
    assert!(shown.starts_with("piece 1: ") && shown.contains("██"), "{shown}");
    assert_eq!(shown.matches("piece ").count(), 2, "{shown}");
    let all = replay(folder.path(), &["4/0/3"]);
    assert!(all.starts_with(&shown) && all.contains("the game is over: "), "{all}");
    assert_eq!(replay(folder.path(), &["4/0/3", "--output", "quiet"]), "");

    let whole = scene(folder.path(), &["4/0/3"]);
    assert_eq!(whole["base"]["space"]["kind"], "grid");
    let lines: Vec<_> = all.lines().filter(|line| line.contains(": ")).collect();
    assert_eq!(captions(&whole), lines, "the text has the captions of the data");
    let excerpt = scene(folder.path(), &["4/0/3", "--frames", "3..4"]);
    assert_eq!(captions(&excerpt), lines[2..4]);
    let (whole, excerpt) = (moments(&whole), moments(&excerpt));
    assert_eq!(excerpt.keys().collect::<Vec<_>>(), [&3, &4]);
    assert!(excerpt.iter().all(|(number, things)| whole[number] == *things && !things.is_empty()));
}

#[test]
fn a_game_of_catan_is_exported() {
    let folder = scratch();
    result(folder.path(), &["run", "catan-balance/smoke", "--out", "run", "--output", "json"]);
    assert_eq!(replay(folder.path(), &["0/0/0", "--export", "game.json"]), "game.json\n");
    let game: Json =
        serde_json::from_slice(&std::fs::read(folder.path().join("game.json")).unwrap()).unwrap();
    assert_eq!(game["colors"][0], "RED");
    assert_eq!(game["actions"][0][1], "BUILD_SETTLEMENT");
    let both = ["0/0/0", "--export", "again.json", "--svg", "game.svg"];
    assert_eq!(replay(folder.path(), &both), "game.svg\nagain.json\n");
    let [first, again] = ["game.json", "again.json"].map(|name| folder.path().join(name));
    assert_eq!(std::fs::read(first).unwrap(), std::fs::read(again).unwrap());
    // Standard output has the game alone.
    let shown: Json =
        serde_json::from_str(&replay(folder.path(), &["0/0/0", "--export", "-"])).unwrap();
    assert_eq!(shown, game);
    // Beside it, no paths are printed.
    let beside = ["0/0/0", "--export", "-", "--svg", "beside.svg"];
    let shown: Json = serde_json::from_str(&replay(folder.path(), &beside)).unwrap();
    assert_eq!(shown, game);
    assert!(folder.path().join("beside.svg").exists());
    for first in ["--svg", "--html"] {
        assert!(replay(folder.path(), &["0/0/0", first, "-"]).starts_with('<'), "{first}");
        let (code, message) = refused(folder.path(), &["0/0/0", first, "-", "--export", "-"]);
        let expected = "error: only one of --svg, --html and --export can be -, which is standard \
                        output\n";
        assert_eq!((code, message.as_str()), (Some(2), expected));
    }
    let (code, message) = refused(folder.path(), &["0/0/0", "--export", "x", "--last", "3"]);
    assert_eq!(code, Some(2), "{message}");
}

/// Several games are exported in one call, each to its own file.
#[test]
fn several_games_are_exported_at_once() {
    let folder = scratch();
    result(folder.path(), &["run", "catan-balance/smoke", "--out", "run", "--output", "json"]);
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let trials = ["0/0/0", "0/0/1", "0/1/0"];
    let printed = replay(folder.path(), &[&trials[..], &["--export", "{}.json"]].concat());
    assert_eq!(printed, "0-0-0.json\n0-0-1.json\n0-1-0.json\n");
    for (trial, file) in trials.into_iter().zip(printed.lines()) {
        replay(folder.path(), &[trial, "--export", "one.json"]);
        assert_eq!(read("one.json"), read(file), "{trial}");
    }
    assert_ne!(read("0-0-0.json"), read("0-0-1.json"));
    for more in [&[][..], &["--export", "all.json"], &["--export", "{}", "--svg", "-"]] {
        let (code, message) = refused(folder.path(), &[&trials[..], more].concat());
        let expected = "error: 3 trials are written to a file each: give --export, --svg or \
                        --html, with {} in the name of the file for the trial, such as --export \
                        game-{}.json\n";
        assert_eq!((code, message.as_str()), (Some(2), expected), "{more:?}");
    }
    let (code, message) = refused(folder.path(), &["--export", "{}.json"]);
    assert!(code == Some(2) && message.contains("TRIAL"), "{message}");
}

#[test]
fn trials_without_an_export_format_are_refused() {
    let folder = scratch();
    result(folder.path(), &["run", "pig/smoke", "--out", "run", "--output", "json"]);
    let (code, message) = refused(folder.path(), &["0/0/0", "--export", "game.txt"]);
    let expected = "error: pig has no export format: use --svg, --html or --output json\n";
    assert_eq!((code, message.as_str()), (Some(2), expected));
    assert!(!folder.path().join("game.txt").exists());
}

/// The exit code and what standard error says of a replay that is refused.
fn refused(folder: &Path, more: &[&str]) -> (Option<i32>, String) {
    let output = output(folder, &[&["replay", "run"], more].concat());
    assert_eq!(text(&output.stdout), "", "{more:?}");
    (output.status.code(), text(&output.stderr))
}

/// The address of the best trial.
fn best(folder: &Path) -> String {
    let printed = replay(folder, &["best", "--frames", "1..1", "--output", "json"]);
    let document: Json = serde_json::from_str(&printed).unwrap();
    document["trial"].as_str().unwrap().to_owned()
}

#[test]
fn the_last_frames_are_those_before_the_end() {
    let folder = scratch();
    result(folder.path(), &["run", "pig/smoke", "--out", "run", "--output", "json"]);
    let all = replay(folder.path(), &["0/0/0"]);
    let lines: Vec<_> = all.lines().collect();
    let n = lines.len();
    assert!(3 < n, "{all}");
    let last = replay(folder.path(), &["0/0/0", "--last", "2"]);
    assert_eq!(last.lines().collect::<Vec<_>>(), lines[n - 2..]);
    assert_eq!(replay(folder.path(), &["0/0/0", "--last", "1000000"]), all);
    let scene = scene(folder.path(), &["0/0/0", "--last", "1"]);
    assert_eq!(captions(&scene), lines[n - 1..]);
    assert_eq!(scene["frames"][0]["number"], n);
    for (more, said) in [
        (&["--last", "0"][..], "number would be zero"),
        (&["--last", "2", "--frames", "1..2"], "cannot be used with"),
        (&["--frames", "1000000..1000001"], "no frame 1000000: the trial has"),
    ] {
        let (code, stderr) = refused(folder.path(), &[&["0/0/0"], more].concat());
        assert!(code == Some(2) && stderr.contains(said), "{more:?}: {code:?} {stderr}");
    }
}

#[test]
fn the_best_trial_is_one_of_the_champion() {
    let folder = scratch();
    let run = |spec: &str| {
        if folder.path().join("run").exists() {
            std::fs::remove_dir_all(folder.path().join("run")).unwrap();
        }
        result(folder.path(), &["run", spec, "--out", "run", "--output", "json"]);
    };
    run("tetris-evolve/smoke");
    // The last generation confirms the champion; its game with the most lines is shown.
    let address = best(folder.path());
    assert!(address.starts_with("4/0/"), "{address}");
    let lines = |trial: &str| {
        let shown = replay(folder.path(), &[trial, "--last", "1"]);
        // The game is over, or stopped by its cap.
        let said = shown.rsplit_once(": ").unwrap_or_else(|| panic!("{shown}")).1;
        said.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(lines(&address), lines("best"));
    assert!(lines("4/0/0") <= lines("best") && lines("4/0/1") <= lines("best"));

    run("catan-balance/smoke");
    let of_best = replay(folder.path(), &[&best(folder.path())]);
    assert_eq!(replay(folder.path(), &["best"]), of_best);
    // The last generation whose state is kept and that has the best subject.
    for (spec, generation) in [
        ("birds-evaluate/smoke", "0/"),
        ("othello-match/smoke", "0/"),
        ("othellonia-matrix/smoke", "1/"),
    ] {
        run(spec);
        let address = best(folder.path());
        assert!(address.starts_with(generation), "{spec}: {address}");
    }
    // An experiment without a best subject says what there is.
    run("burn/smoke");
    let (code, stderr) = refused(folder.path(), &["best"]);
    assert_eq!(code, Some(2), "{stderr}");
    for part in ["burn has no best trial", "GENERATION/SUBJECT/TRIAL", "kept are generations 0"] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    let (code, stderr) = refused(folder.path(), &["worst"]);
    assert!(code == Some(2) && stderr.contains("neither `best` nor of the form"), "{stderr}");
}

#[test]
fn a_game_of_catan_is_seen_on_its_board() {
    let folder = scratch();
    result(folder.path(), &["run", "catan-balance/smoke", "--out", "run", "--output", "json"]);
    let shown = replay(folder.path(), &["0/0/0", "--frames", "1..20"]);
    assert!(shown.starts_with("map ") && shown.contains("   +   wheat   +   "), "{shown}");
    let scene = scene(folder.path(), &["0/0/0"]);
    assert_eq!(scene["base"]["space"]["kind"], "hexes");
    // The map, and the buildings and roads of the setup: moves that change nothing show no board.
    let frames = &scene["frames"].as_array().unwrap()[..20];
    let n_changes = frames.iter().filter(|frame| frame.get("changes").is_some()).count();
    let is_of_board = |line: &&str| line.contains("robber") && !line.contains("seat");
    let n_boards = shown.lines().filter(is_of_board).count();
    assert_eq!(n_boards, n_changes, "{shown}");
    assert!((17..20).contains(&n_boards), "{shown}");
    let last = moments(&scene).into_values().next_back().unwrap();
    let name = |pose: &Vec<i64>| {
        let symbol = usize::try_from(pose[0]).unwrap();
        scene["base"]["symbols"][symbol]["name"].as_str().unwrap().to_owned()
    };
    let names: Vec<_> = last.values().map(name).collect();
    assert_eq!(names.iter().filter(|&name| name == "robber").count(), 1, "{names:?}");
    assert!(16 < names.len() && names.iter().any(|name| name == "road of seat 4"), "{names:?}");
}

#[test]
fn a_game_of_othello_shows_the_board_and_what_agents_thought() {
    let folder = scratch();
    result(folder.path(), &["run", "othello-match/smoke", "--out", "run", "--output", "json"]);
    // The match of the adjusting agent with the dynamic one.
    let shown = replay(folder.path(), &["0/15/0"]);
    assert!(shown.starts_with("game 1: black is adjusting among depths"), "{shown}");
    assert!(shown.contains("4| · · · O X · · ·|"), "{shown}");
    assert!(shown.contains("agents would play") && shown.contains("T_s "), "{shown}");
    assert!(shown.contains("game 2: black is dynamic"), "{shown}");
    let scene = scene(folder.path(), &["0/15/0"]);
    assert_eq!(scene["base"]["space"]["kind"], "grid");
    assert_eq!(scene["base"]["symbols"].as_array().unwrap().len(), 5);
    let n_discs = moments(&scene).into_values().map(|things| things.len()).max();
    assert!(n_discs.is_some_and(|n| 40 < n && n <= 64), "{n_discs:?}");
}

#[test]
fn a_game_without_a_board_has_captions() {
    let folder = scratch();
    result(folder.path(), &["run", "pig/smoke", "--out", "run", "--output", "json"]);
    let shown = replay(folder.path(), &["0/0/0"]);
    assert!(shown.lines().all(|line| line.ends_with(" points banked")), "{shown}");
    let scene = scene(folder.path(), &["0/0/0"]);
    assert_eq!(scene["base"]["space"], serde_json::json!({"kind": "captions"}));
    assert_eq!(captions(&scene), shown.lines().collect::<Vec<_>>());
    assert_eq!(scene.get("cut"), None);
}

#[test]
fn a_long_game_is_cut_in_the_middle() {
    let folder = scratch();
    let set = ["games=1", "max_pieces=12000", "boards=[{ width = 10, height = 20 }]"];
    let set = set.iter().flat_map(|assignment| ["--set", assignment]);
    let args = ["run", "tetris-evaluate/quick", "--out", "run", "--output", "json"];
    result(folder.path(), &args.into_iter().chain(set).collect::<Vec<_>>());
    let printed = replay(folder.path(), &["0/0/0", "--output", "json"]);
    assert!(printed.len() <= 4 << 20, "{} bytes", printed.len());
    let cut_scene = scene(folder.path(), &["0/0/0"]);
    let frames = cut_scene["frames"].as_array().unwrap();
    let (first, last) = (&cut_scene["cut"]["first"], &cut_scene["cut"]["last"]);
    let (first, last) = (first.as_u64().unwrap(), last.as_u64().unwrap());
    // 12,000 pieces and the end.
    assert_eq!(frames.len() as u64 + last - first + 1, 12_001);
    assert!(frames.len() <= 10_000, "{}", frames.len());
    let after = (last + 1).to_string();
    let excerpt = scene(folder.path(), &["0/0/0", "--frames", &format!("{after}..{after}")]);
    assert_eq!(moments(&excerpt)[&(last + 1)], moments(&cut_scene)[&(last + 1)]);
}

#[test]
fn a_replay_is_a_picture_and_a_page() {
    let folder = scratch();
    let file = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    for spec in ["tetris-evolve/smoke", "catan-balance/smoke", "othello-match/smoke", "pig/smoke"] {
        let out = folder.path().join("run");
        if out.exists() {
            std::fs::remove_dir_all(&out).unwrap();
        }
        result(folder.path(), &["run", spec, "--out", "run", "--output", "json"]);
        let printed = replay(folder.path(), &["best", "--svg", "a.svg", "--html", "a.html"]);
        assert_eq!(printed, "a.svg\na.html\n");
        replay(folder.path(), &["best", "--svg", "b.svg", "--html", "b.html"]);
        let (svg, page) = (file("a.svg"), file("a.html"));
        assert!(
            svg == file("b.svg") && page == file("b.html"),
            "{spec}: made twice, the same bytes"
        );
        assert!(svg.len() <= 1 << 20 && page.len() <= 3 << 19, "{} and {}", svg.len(), page.len());
        assert!(svg.starts_with("<svg ") && svg.contains("repeatCount=\"indefinite\""), "{spec}");
        assert!(page.contains("Content-Security-Policy") && !page.contains("unsafe-inline"));
        assert!(page.contains("data-scene-player") && !page.contains(" style="), "{spec}");
        let lines = replay(folder.path(), &["best", "--last", "1"]);
        let last = lines.lines().next().unwrap();
        assert!(page.contains(last) || last.contains(['<', '>', '&', '"']), "{spec}: {last}");
        // Nothing is asked of any network: the only addresses are names.
        for text in [&svg, &page] {
            let addresses = text.matches("http").count();
            let names = text.matches("http://www.w3.org/2000/svg").count();
            assert_eq!(addresses, names + text.matches("http-equiv").count(), "{spec}");
        }
    }
    let excerpt = replay(folder.path(), &["0/0/0", "--frames", "2..3", "--svg", "c.svg"]);
    assert_eq!(excerpt, "c.svg\n");
    assert!(file("c.svg").contains("frame 3 of 3"), "{}", file("c.svg"));
    let (code, stderr) = refused(folder.path(), &["best", "--svg", "nowhere/a.svg"]);
    assert!(code == Some(3) && stderr.contains("cannot write nowhere/a.svg"), "{stderr}");
    let (code, stderr) = refused(folder.path(), &["best", "--html", "a.html", "--play"]);
    assert!(code == Some(2) && stderr.contains("cannot be used with"), "{stderr}");
    let (code, stderr) = refused(folder.path(), &["9/0/0", "--svg", "d.svg"]);
    assert!(code == Some(2) && stderr.contains("no generation 9"), "{stderr}");
    assert!(!folder.path().join("d.svg").exists());
}

#[test]
fn a_long_game_of_tetris_is_a_small_page() {
    let folder = scratch();
    let set = ["games=1", "max_pieces=1000", "boards=[{ width = 10, height = 20 }]"];
    let set = set.iter().flat_map(|assignment| ["--set", assignment]);
    let args = ["run", "tetris-evaluate/quick", "--out", "run", "--output", "json"];
    result(folder.path(), &args.into_iter().chain(set).collect::<Vec<_>>());
    let output =
        output(folder.path(), &["replay", "run", "0/0/0", "--svg", "a.svg", "--html", "a.html"]);
    let said = text(&output.stderr);
    assert!(said.contains(" of 1001 frames are shown"), "{said}");
    let size = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().len();
    assert!(size("a.svg") <= 1 << 20 && size("a.html") <= 1 << 20, "{said}");
    assert!(!said.contains("left out"), "{said}");
}

#[test]
fn files_that_are_there_are_respected() {
    let folder = scratch();
    result(folder.path(), &["run", "pig/smoke", "--out", "run", "--output", "json"]);
    let at = |name: &str| folder.path().join(name);
    // A file of the run.
    let (code, message) = refused(folder.path(), &["0/0/0", "--svg", "run/run.redb"]);
    assert_eq!(code, Some(2));
    assert!(message.contains("run/run.redb is a file of a run or a sweep"), "{message}");
    // Nor by a link.
    std::os::unix::fs::symlink("run/run.redb", at("store.svg")).unwrap();
    assert_eq!(refused(folder.path(), &["0/0/0", "--svg", "store.svg"]).0, Some(2));
    assert!(!replay(folder.path(), &["0/0/0"]).is_empty(), "the run is whole");
    // A file that is read-only, and a folder.
    std::fs::write(at("kept.svg"), "kept").unwrap();
    let mut permissions = std::fs::metadata(at("kept.svg")).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(at("kept.svg"), permissions).unwrap();
    std::fs::create_dir(at("folder")).unwrap();
    std::fs::write(at("folder.part"), "kept").unwrap();
    for name in ["kept.svg", "folder"] {
        let (code, message) = refused(folder.path(), &["0/0/0", "--svg", name]);
        assert_eq!(code, Some(3), "{message}");
    }
    for name in ["kept.svg", "folder.part"] {
        assert_eq!(std::fs::read_to_string(at(name)).unwrap(), "kept");
    }
    // Links stay, and lead where they led, to a file or to none yet.
    std::fs::write(at("target.svg"), "old").unwrap();
    for (link, target) in [("link.svg", "target.svg"), ("new.svg", "created.svg")] {
        std::os::unix::fs::symlink(target, at(link)).unwrap();
        replay(folder.path(), &["0/0/0", "--svg", link]);
        assert!(at(link).is_symlink());
        assert!(std::fs::read_to_string(at(target)).unwrap().starts_with("<svg"));
    }
    // A pipe gets the picture, and stays a pipe.
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    let pipe = at("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let reader = std::thread::spawn(move || std::fs::read_to_string(pipe).unwrap());
    replay(folder.path(), &["0/0/0", "--svg", "pipe"]);
    let kind = std::fs::symlink_metadata(at("pipe")).unwrap().file_type();
    assert!(!kind.is_file(), "the pipe was replaced, and nobody writes to its reader");
    assert!(reader.join().unwrap().starts_with("<svg"));
}
