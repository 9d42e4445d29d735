//! Parameters in files: named by path, folder or pattern, read once, and kept with the run.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use crate::inputs::refusal;
use crate::{hatchery, output, printed, result, scratch, text};

/// A level with a pig beside a block at `x`.
fn level(x: f64) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Level width=\"2\">\n\
         <Camera x=\"0\" y=\"2\" minWidth=\"20\" maxWidth=\"30\"/>\n\
         <Birds>\n<Bird type=\"BirdRed\"/>\n</Birds>\n<Slingshot x=\"-8\" y=\"-2.5\"/>\n\
         <GameObjects>\n<Block type=\"RectSmall\" material=\"wood\" x=\"{x}\" y=\"-3.075\" \
         rotation=\"90\"/>\n<Pig type=\"BasicSmall\" x=\"1.6\" y=\"-3.265\" rotation=\"0\"/>\n\
         </GameObjects>\n</Level>\n"
    )
}

/// The spec of an evaluation of these `levels`.
fn evaluation(levels: &str) -> String {
    format!(
        "experiment = \"birds-evaluate\"\nseed = 1\n\n[params]\nplayers = [\"novice\"]\n\
         trials = 2\nphysics = {{ shot_seconds = 4 }}\nlevels = {levels}\n"
    )
}

/// Makes `designs/mine.toml` in `folder`, with two levels beside it.
fn write_designs(folder: &Path) {
    let levels = folder.join("designs/levels");
    fs::create_dir_all(&levels).unwrap();
    fs::write(levels.join("hut.xml"), level(1.0)).unwrap();
    let units: Vec<u8> = level(2.5).encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(levels.join("my tower.xml"), [&[0xff, 0xfe], &units[..]].concat()).unwrap();
    fs::write(levels.join(".hidden"), "").unwrap();
    let spec = evaluation("{ file = \"levels/*.xml\" }");
    fs::write(folder.join("designs/mine.toml"), spec).unwrap();
}

/// The names in the measures of a run.
fn names(result: &Json) -> Vec<&str> {
    let measures = result["measures"].as_array().unwrap();
    measures.iter().map(|measure| measure["name"].as_str().unwrap()).collect()
}

/// The folder of the files changes nothing, and a run needs them only once.
#[test]
fn a_run_keeps_the_files_that_it_names() {
    let folder = scratch();
    let folder = folder.path();
    write_designs(folder);
    let run = ["run", "designs/mine.toml", "--out", "first", "--output", "json"];
    let first = result(folder, &run);
    assert_eq!(
        names(&first),
        ["novice/clear_rate", "hut.xml/novice/clear_rate", "my-tower.xml/novice/clear_rate"]
    );
    // By folder, by pattern and one by one, from elsewhere: the same run.
    for levels in ["{ file = \"designs/levels\" }", "[{ file = \"designs/levels/[hm]*\" }]"] {
        fs::write(folder.join("again.toml"), evaluation(levels)).unwrap();
        assert_eq!(
            result(folder, &["run", "again.toml", "--output", "json"])["digest"],
            first["digest"]
        );
    }
    let set = "levels=[{ file = \"levels/hut.xml\" }, { file = \"levels/my tower.xml\" }]";
    let designs = folder.join("designs");
    let one_by_one = result(&designs, &["run", "mine.toml", "--set", set, "--output", "json"]);
    assert_eq!(names(&one_by_one), names(&first));

    // The levels are gone, but not from the run's folder.
    fs::remove_dir_all(&designs).unwrap();
    let spec = fs::read_to_string(folder.join("first/spec.toml")).unwrap();
    assert!(spec.contains("files = [\"hut.xml\", \"my tower.xml\"]"), "{spec}");
    let other = scratch();
    let kept = folder.join("first/spec.toml");
    let kept = kept.to_str().unwrap();
    let again = result(other.path(), &["run", kept, "--output", "json"]);
    assert_eq!(again["digest"], first["digest"]);
    let first_folder = folder.join("first");
    let resumed = ["run", kept, "--out", first_folder.to_str().unwrap(), "--resume"];
    assert!(output(other.path(), &resumed).status.success());
    let verified = printed(folder, &["verify", "first", "--sample", "100%"]);
    assert!(verified.contains("all results are the same"), "{verified}");
    printed(folder, &["report", "first"]);
    printed(folder, &["replay", "first", "0/1/0"]);
    printed(folder, &["run", "first/spec.toml", "--reuse"]);

    // A kept file that was changed is not taken for the one of the run, and is named. Neither is a
    // device, which never ends, or a pipe that nobody writes to.
    let place = fs::read_dir(folder.join("first/inputs")).unwrap().next().unwrap().unwrap().path();
    let hut = place.join("hut.xml");
    let name = place.file_name().unwrap().to_str().unwrap();
    let part = format!("first/inputs/{name} is not used: its files are not those of the spec");
    fs::write(&hut, level(1.5)).unwrap();
    let make_pipe = || assert!(Command::new("mkfifo").arg(&hut).status().unwrap().success());
    let others: [&dyn Fn(); 3] = [&|| (), &|| symlink("/dev/zero", &hut).unwrap(), &make_pipe];
    for (number, other_kind) in others.into_iter().enumerate() {
        if number != 0 {
            fs::remove_file(&hut).unwrap();
            other_kind();
        }
        let refused = refusal(other.path(), &["run", kept], 13);
        assert!(refused.contains(&part) && refused.contains("levels = "), "{refused}");
    }
    // The folder itself is no spec.
    let said = refusal(folder, &["run", "first"], 2);
    assert!(
        said.contains("first is a folder; give a spec in it, such as first/spec.toml"),
        "{said}"
    );
}

/// A spec comes from standard input, with paths from the current folder, and so do assignments.
#[test]
fn a_spec_is_read_from_standard_input() {
    let folder = scratch();
    let folder = folder.path();
    write_designs(folder);
    let spec = evaluation("[{ file = \"designs/levels/hut.xml\" }]");
    let run = |args: &[&str]| -> Json {
        let mut command = hatchery(folder, &[&["run", "-", "--output", "json"], args].concat());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(spec.as_bytes()).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}", text(&ended.stderr));
        serde_json::from_slice(&ended.stdout).unwrap()
    };
    assert_eq!(names(&run(&[])), ["novice/clear_rate", "hut.xml/novice/clear_rate"]);
    let set = ["--set", "levels={ file = \"designs/levels\" }"];
    assert_eq!(names(&run(&set)).len(), 3);
}

/// The exhibits of a run are the files of another run.
#[test]
fn exhibits_are_named_by_their_path() {
    let folder = scratch();
    let folder = folder.path();
    let evolve = ["run", "tetris-evolve/smoke", "--out", "runs/first", "--output", "quiet"];
    assert!(output(folder, &evolve).status.success());
    let spec = "experiment = \"tetris-evaluate\"\nseed = 1\n[params]\ngames = 2\nmax_pieces = 50\n\
                controllers = { file = \"runs/first/exhibits/champion.toml\" }\n";
    fs::write(folder.join("champion.toml"), spec).unwrap();
    let evaluated = result(folder, &["run", "champion.toml", "--output", "json"]);
    assert!(names(&evaluated)[0].starts_with("champion/"), "{evaluated}");
    // An input that only trials read is its hash, as if it were written so.
    fs::write(folder.join("part.bin"), [7; 100]).unwrap();
    let hash = hatchery_core::Digest::of(&[7; 100]).to_string();
    let named = ["run", "burn/smoke", "--set", "input={ file = \"part.bin\" }", "--output", "json"];
    let hashed = format!("input={{ blake3 = \"{hash}\" }}");
    let hashed = ["run", "burn/smoke", "--set", &hashed, "--input", "part.bin", "--output", "json"];
    assert_eq!(result(folder, &named)["digest"], result(folder, &hashed)["digest"]);
}

/// Nothing starts with half of its files.
#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = scratch();
    let folder = folder.path();
    write_designs(folder);
    let levels = folder.join("designs/levels");
    fs::write(folder.join("secret.xml"), level(1.0)).unwrap();
    let said = |levels: &str| {
        fs::write(folder.join("designs/mine.toml"), evaluation(levels)).unwrap();
        refusal(folder, &["run", "designs/mine.toml", "--out", "refused"], 13)
    };
    let check = |levels: &str, expected: &str| {
        let said = said(levels);
        assert!(said.contains("\ndesigns/mine.toml:8:"), "{said}");
        assert!(said.contains(expected), "{levels}: {said}");
    };
    check("{ file = \"levels/hat.xml\" }", "cannot read designs/levels/hat.xml: No such file");
    check("{ file = \"levels/hat.xml\" }", "(did you mean hut.xml?)");
    check("{ file = \"levels/*.json\" }", "no file is levels/*.json in ");
    check("{ file = \"levels/***\" }", "levels/*** is no pattern");
    check("{ file = \"\" }", "designs");
    check("{ file = \"/dev/zero\" }", "/dev/zero is a device, but a regular file is needed");
    fs::write(levels.join("notes.txt"), "two levels\n").unwrap();
    check("{ file = \"levels\" }", "notes.txt: line 1: neither JSON nor TOML");
    fs::remove_file(levels.join("notes.txt")).unwrap();
    fs::write(levels.join("broken.xml"), level(1.0).replace("x=\"1.6\"", "x=\"a\"")).unwrap();
    check("{ file = \"levels/*.xml\" }", "broken.xml: ");
    check("{ file = \"levels/*.xml\" }", "line 10: `Pig`: `x` is `a`, but must be a finite number");
    fs::write(levels.join("broken.xml"), b"<Level>\n\xfc").unwrap();
    check("{ file = \"levels/*.xml\" }", "broken.xml: line 2: byte 8 is not UTF-8 text");
    fs::remove_file(levels.join("broken.xml")).unwrap();
    symlink(folder.join("secret.xml"), levels.join("link.xml")).unwrap();
    check("{ file = \"levels/*.xml\" }", "designs/levels/link.xml is a link out of ");
    fs::remove_file(levels.join("link.xml")).unwrap();
    let large = fs::File::create(levels.join("large.xml")).unwrap();
    large.set_len(2 << 30).unwrap();
    check("{ file = \"levels/*.xml\" }", "levels/*.xml has more than 67108864 bytes");
    fs::remove_file(levels.join("large.xml")).unwrap();
    fs::create_dir(levels.join("more")).unwrap();
    fs::copy(levels.join("hut.xml"), levels.join("more/hut.xml")).unwrap();
    check("[{ file = \"levels/**/hut.xml\" }]", "two files are called hut.xml");
    assert!(!folder.join("refused").exists(), "what is refused leaves nothing behind");
    // A text that looks like a path is a text.
    let said = said("[{ name = \"a\", xml = \"levels/hut.xml\" }]");
    assert!(said.contains("levels.0.xml is \"levels/hut.xml\""), "{said}");
}

/// A pattern looks at what is there, whatever somebody put there.
#[test]
fn a_pattern_comes_to_an_end_in_any_folder() {
    let folder = scratch();
    let folder = folder.path();
    write_designs(folder);
    let designs = folder.join("designs");
    let run = |levels: &str| {
        fs::write(designs.join("mine.toml"), evaluation(levels)).unwrap();
        result(folder, &["run", "designs/mine.toml", "--output", "json"])["digest"].clone()
    };
    let refused = |levels: &str| {
        fs::write(designs.join("mine.toml"), evaluation(levels)).unwrap();
        refusal(folder, &["run", "designs/mine.toml", "--out", "refused"], 13)
    };
    let expected = run("{ file = \"levels\" }");
    // Links that lead back, a name that is not UTF-8 text in files and folders, links to nothing.
    let odd = OsStr::from_bytes(b"odd \xff.txt");
    symlink(".", designs.join("again")).unwrap();
    symlink("..", designs.join("levels/back")).unwrap();
    symlink("itself", designs.join("itself")).unwrap();
    fs::write(designs.join("levels").join(odd), "").unwrap();
    fs::create_dir(designs.join(odd)).unwrap();
    fs::write(designs.join(odd).join("notes.md"), "").unwrap();
    for pattern in [
        "levels/*.xml",
        "**/*.xml",
        "**/**/*.xml",
        "**/levels/*.xml",
        "levels/**/*.xml",
        "lev*/../levels/*.xml",
        "./lev*/[hm]*.xml",
        "levels/back/levels/*.xml",
    ] {
        assert_eq!(run(&format!("{{ file = \"{pattern}\" }}")), expected, "{pattern}");
    }
    for pattern in ["levels/*", "**/*.txt", "levels/*.t[a-z]t"] {
        let said = refused(&format!("{{ file = \"{pattern}\" }}"));
        assert!(said.contains("the name of designs/levels/odd \u{fffd}.txt is not"), "{said}");
    }
    for pattern in ["**/*.png", "**", "levels/*.xml/", ".*/*.xml", "*.md"] {
        let said = refused(&format!("{{ file = \"{pattern}\" }}"));
        assert!(said.contains(&format!("no file is {pattern} in ")), "{said}");
    }
    let deep = designs.join(["deep"; 70].join("/"));
    fs::create_dir_all(deep).unwrap();
    let said = refused("{ file = \"**/*.png\" }");
    assert!(said.contains("**/*.png leads through more than 64 folders: designs/deep/"), "{said}");
    // Each `*` may go through a link, so there are millions of ways.
    symlink(".", designs.join("and again")).unwrap();
    let said = refused(&format!("{{ file = \"{}.png\" }}", ["*"; 30].join("/")));
    assert!(said.contains(".png leads to more than 100000 names, the last ones in "), "{said}");
}

/// The error of a faulty opening in a file has its line, and the error of a key that takes no files
/// names the keys that do.
#[test]
fn openings_in_files_have_their_place() {
    let folder = scratch();
    let folder = folder.path();
    // The game of nine moves in which white is wiped out.
    fs::write(folder.join("games.txt"), "f5d6 # begun\ne6f4e3f6g5d6e7f5c5\n").unwrap();
    let said = |openings: &str| {
        let openings = format!("openings={openings}");
        refusal(folder, &["run", "othello-match/smoke", "--set", &openings], 13)
    };
    let finished = said("{ kind = 'games', games = { file = 'games.txt' } }");
    let part = "games.txt: line 2: \"e6f4e3f6g5d6e7f5c5\", but must be a beginning of a game that";
    assert!(finished.contains(part), "{finished}");
    let misplaced = said("{ file = 'games.txt' }");
    let part = "openings: takes no file, but one of these in it does: games, positions";
    assert!(misplaced.contains(part), "{misplaced}");
}
