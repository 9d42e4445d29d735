//! Bad texts give an error that names the place, and never a panic.

use std::error::Error;

use hatchery_catan::map::{Map, MapFile, ReadError, catanatron, catanlog};
use proptest::prelude::*;

const CATANATRON: &str = include_str!("../../data/tournament.catanatron.json");

fn message(result: Result<Map, ReadError>) -> String {
    let error = result.expect_err("the text is bad");
    let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error}{source}")
}

/// Checks the error of reading the rulebook's map file after one change.
#[track_caller]
fn check_file(from: &str, to: &str, expected: &str) {
    assert!(MapFile::RULEBOOK.contains(from));
    let text = MapFile::RULEBOOK.replacen(from, to, 1);
    assert_eq!(message(MapFile::from_json(&text).map(|file| file.map)), expected);
}

#[test]
fn bad_map_files_name_the_place() {
    check_file(
        "\"terrain\": \"wheat\", \"token\": 12",
        "\"terrain\": \"gold\", \"token\": 12",
        "tile 4 (q -1, r -1): unknown terrain `gold`; use one of \
         brick, ore, sheep, wheat, wood, desert",
    );
    check_file("\"ore\"", "\"wood\"", "2 hexes are ore instead of 3");
    check_file("{\"terrain\": \"ore\", \"token\": 10},", "", "18 tiles instead of 19");
    check_file("\"wood\"]", "\"brick\"]", "2 ports are brick instead of 1");
    check_file(
        "\"wood\"]",
        "\"sea\"]",
        "port 9 (sea hex q -2, r -1): unknown port `sea`; use one \
        of generic, brick, ore, sheep, wheat, wood",
    );
    check_file(", \"wood\"]", "]", "8 ports instead of 9");
    check_file(
        "\"desert\"",
        "\"desert\", \"token\": 5",
        "tile 10 (q 0, r 0): the desert has token 5; it has none",
    );
    check_file(
        ", \"token\": 8",
        "",
        "tile 12 (q 2, r 0): no token; every tile but the desert has one",
    );
    check_file(
        "\"token\": 8",
        "\"token\": 7",
        "tile 12 (q 2, r 0): unknown token `7`; use one of \
        2, 3, 4, 5, 6, 8, 9, 10, 11, 12",
    );
    check_file("\"token\": 2}", "\"token\": 12}", "token 2 lies on 0 hexes instead of 1");
    check_file("-map\"", "\"", "`format` is `hatchery-catan` instead of `hatchery-catan-map`");
    check_file("\"version\": 1", "\"version\": 2", "`version` is 2; this program reads version 1");
    check_file("map for", "\\u0000", "`name` has more than 80 characters, or control characters");
    let long = format!("\"certificate\": \"{}\", \"tiles\"", "x".repeat(8_001));
    let expected = "`certificate` has more than 8000 characters, or control characters";
    check_file("\"tiles\"", &long, expected);
    check_file("},", "}", "not the JSON of a map: expected `,` or `]` at line 6 column 37");
    check_file(
        "\"ports\"",
        "\"harbors\"",
        "not the JSON of a map: unknown field `harbors`, expected \
        one of `format`, `version`, `name`, `certificate`, `tiles`, `ports` at line 12 column 11",
    );
}

#[track_caller]
fn check_line(line: &str, expected: &str) {
    assert_eq!(message(line.parse()), expected);
}

#[test]
fn bad_notations_name_the_place() {
    check_line("", "1 parts joined by `-` instead of 3");
    check_line("OSWGBSBGWDWOWOGSBG-A29C64A9B38834556B-3GO3S33BW", "18 tiles instead of 19");
    check_line(
        "OSWGBSXGWDWOWOGSBGS-A29C64A9B38834556B-3GO3S33BW",
        "tile 7 (q 2, r -1): unknown \
        terrain `X`; use one of B (brick), O (ore), S (sheep), G (wheat), W (wood), D (desert)",
    );
    check_line(
        "OSWGBSBGWDWOWOGSBGS-A29C74A9B38834556B-3GO3S33BW",
        "tile 5 (q 0, r -1): unknown \
        token `7`; use one of 2 to 6, 8, 9, A (10), B (11), C (12)",
    );
    check_line(
        "OSWGBSBGWDWOWOGSBGS-A29C64A9B38834556B-2GO3S33BW",
        "port 1 (sea hex q 0, r -3): \
        unknown port `2`; use one of 3 (generic), B (brick), O (ore), S (sheep), G (wheat), \
        W (wood)",
    );
    check_line("OSWGBSBGWWWOWOGSBGS-A29C64A9B38834556B-3GO3S33BW", "5 hexes are wood instead of 4");
    check_line(
        "OSWGBSBGWDWOWOGSBGS-A29C64A9B38834556B-GGO3S33BW",
        "2 ports are wheat instead of 1",
    );
}

#[track_caller]
fn check_catanatron(from: &str, to: &str, expected: &str) {
    assert!(CATANATRON.contains(from));
    assert_eq!(message(catanatron::read(&CATANATRON.replacen(from, to, 1))), expected);
}

#[test]
fn bad_catanatron_maps_name_the_place() {
    check_catanatron("[1, -1, 0]", "[0, 0, 0]", "tile at [0, 0, 0] comes twice");
    check_catanatron(
        "[1, -1, 0]",
        "[9, -9, 0]",
        "tile at [9, -9, 0]: no hex of the base game lies here",
    );
    check_catanatron(
        "[1, -1, 0]",
        "[3, -2, -1]",
        "tile at [3, -2, -1]: the base game has sea here, not land",
    );
    check_catanatron(
        "\"WEST\"",
        "\"EAST\"",
        "tile at [3, -3, 0]: no port of the base game lies here in this direction",
    );
    check_catanatron(
        "\"DESERT\"",
        "\"GOLD\"",
        "tile at [0, 0, 0]: unknown type `GOLD`; use one of \
        RESOURCE_TILE, DESERT, PORT, WATER",
    );
    check_catanatron(
        "\"WHEAT\"",
        "\"GOLD\"",
        "tile at [1, 0, -1]: unknown resource `GOLD`; use one \
        of BRICK, ORE, SHEEP, WHEAT, WOOD",
    );
    assert_eq!(message(catanatron::read("{\"tiles\": []}")), "tile 1 (q 0, r -2) is missing");
}

#[test]
fn bad_catanlogs_name_the_place() {
    let good = catanlog::write(&Map::RULEBOOK);
    let check = |from: &str, to: &str, expected: &str| {
        assert!(good.contains(from));
        assert_eq!(message(catanlog::read(&good.replacen(from, to, 1))), expected);
    };
    check("terrain:", "land:", "line `terrain:` is missing");
    check("numbers:", "ports:\nnumbers:", "line `ports:` comes twice");
    check(
        "wheat",
        "gold",
        "line `terrain:`, word 2: unknown terrain `gold`; use one of \
        brick, ore, sheep, wheat, wood, desert",
    );
    check("None", "5", "line `numbers:`, word 19: the desert has token 5; it has none");
    check("None", "", "18 words after `numbers:` instead of 19");
    check(
        "(2 W)",
        "(3 W)",
        "line `ports:`, word 2: no port of the base game lies here; they are at \
        1 NW, 2 W, 4 W, 5 SW, 6 SE, 8 SE, 9 E, 10 NE, 12 NE",
    );
    check("(2 W)", "(1 NW)", "line `ports:`, word 2 comes twice");
    check("(12 NE)", "", "line `ports:`, word 9: no port; one is written as `3:1(1 NW)`");
}

/// A text with some of its bytes cut out, doubled or replaced.
fn mutated(text: String) -> impl Strategy<Value = String> {
    let edit =
        (any::<prop::sample::Index>(), 0_usize..30, prop::collection::vec(any::<u8>(), 0..6));
    prop::collection::vec(edit, 1..4).prop_map(move |edits| {
        let mut bytes = text.clone().into_bytes();
        for (start, len, with) in edits {
            let start = start.index(bytes.len() + 1);
            let end = bytes.len().min(start + len);
            bytes.splice(start..end, with);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn mutated_texts_never_panic(
        file in mutated(MapFile::RULEBOOK.to_owned()),
        game in mutated(CATANATRON.to_owned()),
        log in mutated(catanlog::write(&Map::RULEBOOK)),
        line in mutated(Map::RULEBOOK.to_string()),
        any in any::<String>(),
    ) {
        for text in [&file, &game, &log, &line, &any] {
            let results = [
                MapFile::from_json(text).map(|file| file.map),
                catanatron::read(text),
                catanlog::read(text),
                text.parse(),
            ];
            for map in results.into_iter().flatten() {
                // Every successful result is a map.
                prop_assert_eq!(map.to_string().parse::<Map>().unwrap(), map);
            }
        }
    }
}
