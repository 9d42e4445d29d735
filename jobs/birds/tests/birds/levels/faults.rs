//! Texts that are no levels: the messages say where and why.

use hatchery_birds::level::Level;
use hatchery_core::error_chain;

use super::samples::{ODD_FILE, odd_level};

/// Checks the error for the odd file with `old` replaced by `new`.
fn check_xml(old: &str, new: &str, expected: &str) {
    assert!(ODD_FILE.contains(old), "{old}");
    let error = Level::from_xml(&ODD_FILE.replacen(old, new, 1)).unwrap_err();
    assert_eq!(error.to_string(), expected, "{new}");
}

#[test]
fn wrong_numbers_are_refused_with_their_place() {
    check_xml(
        "x=\"4.75\"",
        "x=\"4,75\"",
        "line 10: `Block`: `x` is `4,75`, but must be a finite number",
    );
    for value in ["", "1e999", "NaN", "inf", "-infinity", "0x10", "--1", "1.5m"] {
        let new = format!("x=\"{value}\"");
        let expected = format!("line 10: `Block`: `x` is `{value}`, but must be a finite number");
        check_xml("x=\"4.75\"", &new, &expected);
    }
    check_xml(
        "x=\"4.75\"",
        "x=\"200.1\"",
        "line 10: block 1: x is 200.1, but must be from -200 to 200",
    );
    check_xml(
        "rotation=\"90.00001\"",
        "rotation=\"4000\"",
        "line 11: block 2: rotation is 4000, but must be from -3600 to 3600",
    );
    check_xml(
        "scaleY=\"0.5\"",
        "scaleY=\"0\"",
        "line 18: platform 2: scaleY is 0, but must be from 0.01 to 100",
    );
}

#[test]
fn unknown_words_are_refused_with_those_that_are_known() {
    check_xml(
        "\"RectBig\"",
        "\"RectHuge\"",
        "line 10: `Block`: `type` is `RectHuge`, but must be Circle, CircleSmall, RectBig, \
         RectFat, RectMedium, RectSmall, RectTiny, SquareHole, SquareSmall, SquareTiny, Triangle \
         or TriangleHole",
    );
    for material in ["", "Wood", "glass"] {
        let new = format!("material=\"{material}\"");
        let expected =
            format!("line 10: `Block`: `material` is `{material}`, but must be wood, stone or ice");
        check_xml("material=\"wood\"", &new, &expected);
    }
    check_xml(
        " material=\"wood\"",
        "",
        "line 10: `Block` has no attribute `material`, which must be wood, stone or ice",
    );
    check_xml(
        "\"BasicSmall\"",
        "\"Pig\"",
        "line 13: `Pig`: `type` is `Pig`, but must be BasicSmall, BasicMedium or BasicBig",
    );
    check_xml(
        "\"BirdRed\"",
        "\"BirdGreen\"",
        "line 5: `Bird`: `type` is `BirdGreen`, but must be BirdRed, BirdBlue, BirdYellow, \
         BirdBlack or BirdWhite",
    );
    check_xml(
        "\"Platform\"",
        "\"Cloud\"",
        "line 17: `Platform`: `type` is `Cloud`, but must be Platform",
    );
}

#[test]
fn wrong_surroundings_are_refused() {
    check_xml(
        "width =\"2\"",
        "width=\"1.5\"",
        "line 2: the width is 1.5, but must be a whole number from 1 to 10",
    );
    check_xml(
        "maxWidth=\"17.5\"",
        "maxWidth=\"0\"",
        "line 3: camera 1: maxWidth is 0, but must be from 0.1 to 1000",
    );
    check_xml(
        "<Bird type=\"BirdRed\"/>\n<Bird type=\"BirdBlack\"/>",
        "",
        "line 4: 0 birds, but 1 to 20 are allowed",
    );
    check_xml(
        "<Bird type=\"BirdRed\"/>",
        &"<Bird type=\"BirdRed\"/>\n".repeat(30),
        "line 25: 21 birds, but 1 to 20 are allowed",
    );
}

#[test]
fn what_the_game_would_stumble_over_is_refused() {
    check_xml(
        "rotation=\"0\" />",
        "rotation=\"0\">",
        "line 10: `Block` is not closed before `<Block`; end it with `/>`",
    );
    check_xml(
        "<TNT x=\"9\" y=\"-2.5\"></TNT>",
        "<TNT x=\"9\" y=\"-2.5\">",
        "line 16: `TNT` is not closed before `<Platform`; end it with `/>`",
    );
    let items = "Block, Pig, TNT, Platform or `</GameObjects>`";
    check_xml("</GameObjects>", "", &format!("line 20: found `</Level>`, expected {items}"));
    check_xml("</Level>", "", "line 21: the text ends where `</Level>` should be");
    check_xml("</Level>", "</Levels>", "line 21: the text ends where `</Level>` should be");
    check_xml("<Slingshot", "<Sling", "line 21: the text ends where `<Slingshot` should be");
    check_xml("<Camera", "<GameObjects", "line 21: the text ends where `<Camera` should be");
    check_xml("</Level>", "</Level>x", "line 20: found `x\\n`, expected an element");
    check_xml(
        "<Pig",
        "pig <Pig",
        "line 13: found `pig <Pig type=\"BasicSmall\" material=\"\" x...`, expected an element",
    );
    let many: String = (0..20).map(|idx| format!(" a{idx}=\"\"")).collect();
    check_xml("<Pig", &format!("<Pig{many}"), "line 13: `Pig` has more than 16 attributes");
    check_xml(
        "type='BasicBig'",
        "tpye='BasicBig'",
        "line 14: `Pig` has no attribute `type` (but `tpye`), which must be BasicSmall, \
         BasicMedium or BasicBig",
    );
}

/// The library's own words are behind the place.
#[test]
fn what_is_no_xml_is_refused_with_its_line() {
    for (old, new, line) in [
        ("</Level>\n", "</Level>\n<Level", 21),
        ("x=\"5.1\"", "x=5.1", 13),
        ("y=\"1.2\"", "x=\"1.2\"", 13),
        ("y=\"1.2\"", "y", 13),
        ("x=\"5.1\"", "x=\"&x;\"", 13),
        ("<Pig", "<!-- <Pig", 13),
        ("<Pig", "<![CDATA[<Pig", 13),
    ] {
        let error = Level::from_xml(&ODD_FILE.replacen(old, new, 1)).unwrap_err();
        assert_eq!(error.line, line, "{new}: {error}");
        assert!(error.to_string().starts_with(&format!("line {line}: no XML: ")), "{error}");
    }
}

/// The game looks for elements with known names, and passes over all other elements.
#[test]
fn what_nobody_reads_is_skipped_and_counted() {
    let warnings = |changes: &[(&str, &str)]| -> Vec<String> {
        let text = changes.iter().fold(ODD_FILE.to_owned(), |text, (old, new)| {
            assert!(text.contains(old), "{old}");
            text.replace(old, new)
        });
        let (level, warnings) = Level::read_xml(&text).unwrap();
        assert_eq!(level.pigs().len(), 2, "{text}");
        warnings.iter().map(ToString::to_string).collect()
    };
    assert_eq!(warnings(&[]), [""; 0]);
    assert_eq!(
        warnings(&[("<Birds>", "<Score highScore=\"0\"/>\n<Birds>")]),
        ["`Score` is skipped, 1 time from line 4"]
    );
    let nested = "<Group name=\"a\"><Group><Block/></Group><x>\n</x></Group>\n<Pig t";
    assert_eq!(warnings(&[("<Pig t", nested)]), ["`Group` is skipped, 2 times from line 13"]);
    assert_eq!(
        warnings(&[("rotation=\"0\"", "roation=\"0\" glow=\"1\"")]),
        [
            "`glow` of `Block` is skipped, 1 time from line 10",
            "`roation` of `Block` is skipped, 1 time from line 10: did you mean `rotation`?",
            "`glow` of `Pig` is skipped, 1 time from line 13",
            "`roation` of `Pig` is skipped, 1 time from line 13: did you mean `rotation`?",
            "`glow` of `TNT` is skipped, 1 time from line 15",
            "`roation` of `TNT` is skipped, 1 time from line 15: did you mean `rotation`?",
            "`glow` of `Platform` is skipped, 1 time from line 18",
            "`roation` of `Platform` is skipped, 1 time from line 18: did you mean `rotation`?",
        ]
    );
    assert_eq!(
        warnings(&[(
            "<Platform type=\"Platform\" material",
            "<platform type=\"Platform\" material"
        )]),
        ["`platform` is skipped, 1 time from line 17: did you mean `Platform`?"]
    );
    assert_eq!(warnings(&[("</Level>", "<Scores/></Level>\n<more/>")]).len(), 2);
}

/// The game's editor does not close the list of birds before the slingshot.
#[test]
fn files_of_the_editor_are_read() {
    let text = ODD_FILE.replace("</Birds>\n", "").replace("</Level>", "</Birds>\n</Level>");
    assert_eq!(Level::from_xml(&text), Ok(odd_level()));
    let text = ODD_FILE.replace("scaleX=\"4\"", "scaleX=\"-4\"");
    assert_eq!(Level::from_xml(&text), Ok(odd_level()), "a mirrored platform is the same");
}

fn check_json(old: &str, new: &str, expected: &str) {
    let json = odd_level().to_json();
    assert!(json.contains(old), "{old} in {json}");
    let error = Level::from_json(&json.replacen(old, new, 1)).unwrap_err();
    assert_eq!(error_chain(&error), expected, "{new}");
}

#[test]
fn json_that_is_no_level_is_refused() {
    check_json(
        "level\"",
        "map\"",
        "`format` is `hatchery-birds-map` instead of `hatchery-birds-level`",
    );
    check_json("\"version\": 1", "\"version\": 2", "`version` is 2; this program reads version 1");
    check_json("-3.38", "-338.0", "block 1: y is -338, but must be from -200 to 200");
    check_json(
        "\"wood\"",
        "\"glass\"",
        "it cannot be read: unknown material `glass`; use one of wood, stone, ice at line 9 \
         column 44",
    );
    check_json(
        "\"x\": 4.75",
        "\"z\": 4.75",
        "it cannot be read: unknown field `z`, expected one of `shape`, `material`, `x`, \
         `y`, `degrees` at line 9 column 48",
    );
    check_json(
        "\"pigs\": [",
        "\"pigs\": [], \"pigs\": [",
        "it cannot be read: duplicate field `pigs` at line 13 column 20",
    );
    check_json("-3.38", "1e400", "it cannot be read: number out of range at line 9 column 66");
    check_json(
        "}\n  ]\n}\n",
        "}\n  ]\n}\n{}",
        "it cannot be read: trailing characters at line 26 column 1",
    );
}
