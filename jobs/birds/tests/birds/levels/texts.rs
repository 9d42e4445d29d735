//! Levels as level files of Science Birds, as JSON and as messages.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use hatchery_birds::level::{Level, LevelElements, LevelSurroundings};
use hatchery_core::WireValue;
use proptest::prelude::*;

use super::game_reader;
use super::samples::{self, ODD_FILE, level_of, odd_level};

#[test]
fn odd_files_of_the_game_are_read() {
    assert_eq!(Level::from_xml(ODD_FILE), Ok(odd_level()));
    let with_mark = format!("\u{feff}{ODD_FILE}");
    assert_eq!(Level::from_xml(&with_mark), Ok(odd_level()));
    assert_eq!(Level::from_xml(&ODD_FILE.replace('\n', "\r\n")), Ok(odd_level()));
    let (_, headless) = ODD_FILE.split_once('\n').unwrap();
    assert_eq!(Level::from_xml(headless), Ok(odd_level()));
    let late = ODD_FILE.replace("</GameObjects>", "</GameObjects></Slingshot>\n</Camera>");
    assert_eq!(Level::from_xml(&late), Ok(odd_level()));
    let closed = ODD_FILE.replacen("y=\"-2.5\">", "y=\"-2.5\"></Slingshot>", 1);
    assert_eq!(Level::from_xml(&closed), Ok(odd_level()));
    let commented = ODD_FILE.replace("<Pig", "<!-- a <Pig> -- or a hog --><Pig");
    assert_eq!(Level::from_xml(&commented), Ok(odd_level()));
    let of_width_one = Level::from_xml(&ODD_FILE.replace(" width =\"2\"", "")).unwrap();
    assert!((of_width_one.surroundings().width - 1.0).abs() < f32::EPSILON);
}

/// Returns what is between `begin` and `end` in the README.
fn in_readme(begin: &str, end: &str) -> &'static str {
    let (_, after) = include_str!("../../../README.md").split_once(begin).expect("it is there");
    after.split_once(end).expect("it ends").0
}

#[test]
fn the_levels_of_the_readme_are_read() {
    let xml = Level::from_xml(in_readme("xml = '''\n", "'''")).unwrap();
    assert_eq!((xml.blocks().len(), xml.pigs().len()), (0, 1));
    let json = Level::from_json(in_readme("```json\n", "```")).unwrap();
    assert_eq!((json.blocks().len(), json.pigs().len(), json.platforms().len()), (1, 1, 1));
}

#[test]
fn files_are_written_as_documented() {
    let level = odd_level().to_xml();
    let expected = r#"<?xml version="1.0" encoding="utf-8"?>
<Level width="2">
  <Camera x="0.0" y="-1.0" minWidth="15.0" maxWidth="17.5" />
  <Birds>
    <Bird type="BirdRed" />
    <Bird type="BirdBlack" />
  </Birds>
  <Slingshot x="-5.0" y="-2.5" />
  <GameObjects>
    <Block type="RectBig" material="wood" x="4.75" y="-3.38" rotation="0.0" />
    <Block type="Triangle" material="ice" x="4.75" y="-2.85" rotation="90.00001" />
    <Block type="SquareHole" material="stone" x="4.5" y="-0.5" rotation="0.0" />
    <Pig type="BasicSmall" x="5.1" y="1.2" rotation="0.0" />
    <Pig type="BasicBig" x="7.0" y="-3.0" rotation="0.0" />
    <TNT type="" x="8.0" y="-2.5" rotation="0.0" />
    <TNT type="" x="9.0" y="-2.5" rotation="0.0" />
    <Platform type="Platform" x="1.0" y="2.0" rotation="0.0" scaleX="1.0" scaleY="1.0" />
    <Platform type="Platform" x="1.0" y="3.5" rotation="0.0" scaleX="4.0" scaleY="0.5" />
  </GameObjects>
</Level>
"#;
    assert_eq!(level, expected);
}

/// The emulation is one: files that make the game stumble make it stumble.
#[test]
fn the_game_stumbles_where_it_should() {
    let xml = odd_level().to_xml();
    assert_eq!(game_reader::load(&xml), Ok(odd_level()));
    // All that are not closed can still be looked for.
    let unclosed = xml.replace("maxWidth=\"17.5\" />", "maxWidth=\"17.5\">");
    assert_eq!(game_reader::load(&unclosed), Ok(odd_level()));
    let refused = |text: &str| game_reader::load(text).unwrap_err();
    let commented = xml.replace("    <Pig", "    <!-- a pig -->\n    <Pig");
    assert_eq!(refused(&commented), "no element: Comment");
    let closed = xml.replace("<Bird type=\"BirdRed\" />", "<Bird type=\"BirdRed\"></Bird>");
    assert!(refused(&closed).starts_with("no element: Text"), "{}", refused(&closed));
    assert_eq!(refused(&xml.replace("4.75", "4,75")), "x: 4,75");
    assert_eq!(refused(&xml.replace("4.75", "475e-2")), "x: 475e-2");
    assert!(refused(&xml.replace("width=\"2\"", "width=\"2.0\"")).starts_with("width"));
    // Without white space between elements, every second one is skipped.
    let (head, objects) = xml.split_once("<Pig").unwrap();
    let tight = format!("{head}<Pig{}", objects.replace("/>\n    ", "/>"));
    assert_eq!(refused(&tight), "no element: Text(\"\\n  \")");
}

#[test]
fn a_level_without_elements_is_read_back() {
    let empty = level_of(LevelElements::default());
    assert_eq!(game_reader::load(&empty.to_xml()), Ok(empty.clone()));
    assert_eq!(Level::from_xml(&empty.to_xml()), Ok(empty.clone()));
    assert_eq!(Level::from_json(&empty.to_json()).unwrap(), empty);
    assert_eq!(Level::decode(&empty.encode()).unwrap(), empty);
}

/// A level with the most elements, each as long as it can be, is not too long to be read.
#[test]
fn the_longest_level_is_read_back() {
    let mut elements = odd_level_elements();
    let mut platform = elements.platforms[0];
    platform.scale = [0.010_000_001; 2];
    platform.pose.x = -f32::MIN_POSITIVE;
    platform.pose.y = -f32::MIN_POSITIVE;
    platform.pose.degrees = -f32::MIN_POSITIVE;
    elements.platforms = vec![platform; Level::MAX_ELEMENTS];
    (elements.blocks, elements.pigs, elements.tnts) = (vec![], vec![], vec![]);
    let level = level_of(elements);
    assert_eq!(Level::from_xml(&level.to_xml()), Ok(level.clone()));
    assert_eq!(Level::from_json(&level.to_json()).unwrap(), level);
}

fn odd_level_elements() -> LevelElements {
    let level = odd_level();
    LevelElements {
        blocks: level.blocks().to_vec(),
        pigs: level.pigs().to_vec(),
        tnts: level.tnts().to_vec(),
        platforms: level.platforms().to_vec(),
    }
}

#[test]
fn widths_are_whole() {
    let surroundings = LevelSurroundings { width: 1.5, ..LevelSurroundings::with_red_birds(1) };
    let error = Level::new(surroundings, LevelElements::default()).unwrap_err();
    assert_eq!(error.to_string(), "the width is 1.5, but must be a whole number from 1 to 10");
}

/// Runs `xmllint` where there is one; `tests/run` sees to it that there is.
#[test]
fn xmllint_accepts_what_is_written() {
    for text in [odd_level().to_xml(), level_of(LevelElements::default()).to_xml()] {
        let lint = Command::new("xmllint").args(["--noout", "-"]).stdin(Stdio::piped()).spawn();
        let mut lint = match lint {
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            lint => lint.unwrap(),
        };
        lint.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(lint.wait().unwrap().success(), "{text}");
    }
}

/// Returns true if every number of `a` has the same bits as in `b`. Texts and messages show the
/// bits.
fn has_equal_bits(a: &Level, b: &Level) -> bool {
    a == b && a.to_xml() == b.to_xml() && a.encode() == b.encode()
}

proptest! {
    #[test]
    fn level_files_are_accepted_and_come_back(level in samples::level()) {
        let xml = level.to_xml();
        prop_assert!(roxmltree::Document::parse(&xml).is_ok(), "{xml}");
        prop_assert!(!xml.contains('\'') && xml.is_ascii());
        prop_assert!(has_equal_bits(&Level::from_xml(&xml).unwrap(), &level));
        prop_assert!(has_equal_bits(&game_reader::load(&xml).unwrap(), &level));
    }

    #[test]
    fn json_and_messages_come_back(level in samples::level()) {
        let json = level.to_json();
        let back = Level::from_json(&json).unwrap();
        prop_assert!(has_equal_bits(&back, &level));
        prop_assert_eq!(back.to_json(), json);
        let bytes = level.encode();
        let back = Level::decode(&bytes).unwrap();
        prop_assert!(has_equal_bits(&back, &level));
        prop_assert_eq!(back.encode(), bytes);
    }
}
