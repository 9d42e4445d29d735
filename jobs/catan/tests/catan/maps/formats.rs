//! Formats read what they write, and what other programs wrote.

use hatchery_catan::board::SYMMETRIES;
use hatchery_catan::map::{Map, MapFile, MapPolicy, catanatron, catanlog};
use proptest::prelude::*;
use roxmltree::Node;

use super::{maps, rng};

const RULEBOOK: &str = "OSWGBSBGWDWOWOGSBGS-A29C64A9B38834556B-3GO3S33BW";

/// The README of the project compares the rulebook's map with another one.
#[test]
fn the_readme_compares_the_rulebook_with_another_map() {
    let readme = include_str!("../../../../../README.md");
    let line = readme.split("maps = [\"rulebook\", \"").nth(1).unwrap().split('"').next().unwrap();
    assert!(line != RULEBOOK && line.parse::<Map>().is_ok(), "{line}");
}

/// The map that Catanatron calls `TOURNAMENT`, row by row from its source.
const TOURNAMENT: &str = "WSSGOGWWBDOGGOWSBSB-638245A5969AB3C84B-3S33BW3GO";

/// The key `tiles` of such a game, written by Catanatron 3.2.1.
const CATANATRON: &str = include_str!("../../data/tournament.catanatron.json");

/// The header that the specification of catanlog gives as its example (header.feature, 0.10).
const CATANLOG: &str = "\
catanlog v0.10.0
timestamp: 2016-02-15 22:45:00
players: 4
name: ross, color: red, seat: 1
name: zach, color: orange, seat: 2
name: josh, color: blue, seat: 3
name: yuri, color: green, seat: 4
terrain: wood wheat ore wheat sheep brick sheep wheat wood ore brick desert \
    wheat sheep wood ore sheep wood brick
numbers: 6 4 8 3 6 4 8 11 5 3 9 None 9 12 5 10 2 10 11
ports: 3:1(1 NW) wood(2 W) brick(4 W) 3:1(5 SW) 3:1(6 SE) sheep(8 SE) 3:1(9 E) \
    ore(10 NE) wheat(12 NE)
...CATAN!
red rolls 8
";

#[test]
fn shipped_maps_are_those_of_their_sources() {
    let rulebook = MapFile::from_json(MapFile::RULEBOOK).unwrap();
    assert_eq!((rulebook.map, rulebook.map.to_string()), (Map::RULEBOOK, RULEBOOK.to_owned()));
    assert_eq!(rulebook.to_json(), MapFile::RULEBOOK);
    let tournament = MapFile::from_json(MapFile::TOURNAMENT).unwrap();
    assert_eq!(tournament.map.to_string(), TOURNAMENT);
    assert_eq!(tournament.to_json(), MapFile::TOURNAMENT);
}

#[test]
fn catanatron_reads_the_same() {
    let map = catanatron::read(CATANATRON).unwrap();
    assert_eq!(map.to_string(), TOURNAMENT);
    let tiles =
        |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["tiles"].clone();
    assert_eq!(tiles(&catanatron::write(&map)), tiles(CATANATRON));
}

/// By hand: tiles 1, 12, 11 are the top row, 2, 13, 18, 10 the second, 3, 14, 19, 17, 9 the third,
/// 4, 15, 16, 8 the fourth, 5, 6, 7 the last.
#[test]
fn catanlog_reads_the_same() {
    let map = catanlog::read(CATANLOG).unwrap();
    assert_eq!(map.to_string(), "WDBGGWOOSBSWGWOGSBS-6949A38CB2535AB648-3GO3S33BW");
    let lines: Vec<&str> = CATANLOG.lines().skip(7).take(3).collect();
    assert_eq!(catanlog::write(&map), lines.join("\n") + "\n");
}

/// The hash of [`RULEBOOK`]'s canonical form, computed by the program `b3sum`.
#[test]
fn ids_can_be_checked_by_anyone() {
    let canonical = Map::RULEBOOK.canonical().to_string();
    assert_eq!(canonical, "BGSWOGSGWDWOGBSBOSW-56B83459B38C64AA29-33S3OG3WB");
    let id = Map::RULEBOOK.id();
    assert_eq!(format!("{id:.12}"), "522e326a04d6");
    assert_eq!(id.to_string().len(), 64);
}

proptest! {
    #[test]
    fn all_formats_read_what_they_write(map in maps(), name in "[ -~äöü漢]{0,80}") {
        prop_assert_eq!(map.to_string().parse::<Map>().unwrap(), map);
        prop_assert_eq!(map.to_string().to_lowercase().parse::<Map>().unwrap(), map);
        prop_assert_eq!(catanatron::read(&catanatron::write(&map)).unwrap(), map);
        prop_assert_eq!(catanlog::read(&catanlog::write(&map)).unwrap(), map);
        for name in [None, Some(name)] {
            let file = MapFile { certificate: name.clone(), name, map };
            prop_assert_eq!(MapFile::from_json(&file.to_json()).unwrap(), file);
        }
    }

    #[test]
    fn images_share_their_canonical_form(map in maps()) {
        let images: Vec<Map> = SYMMETRIES.iter().map(|symmetry| map.moved(symmetry)).collect();
        prop_assert!(images.contains(&map.canonical()));
        for image in images {
            prop_assert_eq!(image.canonical(), map.canonical());
            prop_assert_eq!(image.id(), map.id());
        }
    }

    #[test]
    fn pictures_are_xml(map in maps(), title in any::<String>()) {
        let picture = map.picture(&title);
        let document = roxmltree::Document::parse(&picture).unwrap();
        let texts = |text: &str| {
            let has_text = |node: &Node<'_, '_>| node.is_text() && node.text() == Some(text);
            document.descendants().filter(has_text).count()
        };
        prop_assert_eq!((texts("3:1"), texts("2:1"), texts("desert")), (4, 5, 1));
        let is_token = |node: &Node<'_, '_>| node.attribute("font-size") == Some("25");
        let tokens = document.descendants().filter(is_token);
        let is_red = |node: &Node<'_, '_>| node.attribute("fill") == Some("#c0281c");
        let (red, black): (Vec<_>, Vec<_>) = tokens.partition(is_red);
        prop_assert_eq!((red.len(), black.len()), (4, 14));
        prop_assert!(red.iter().all(|node| matches!(node.text(), Some("6" | "8"))));
    }
}

#[test]
fn different_maps_have_different_ids() {
    let mut rng = rng(1);
    let mut ids: Vec<_> = (0..1000).map(|_| MapPolicy::Free.draw(&mut rng).id()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 1000);
}
