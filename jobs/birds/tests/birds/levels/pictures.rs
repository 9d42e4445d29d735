//! Pictures show what is in the level, where it is.

use hatchery_birds::level::{
    BlockShape, Level, LevelElements, LevelPicture, LevelPig, LevelSheet, LevelSurroundings,
    PigKind, Pose,
};
use proptest::prelude::*;
use roxmltree::{Document, Node};

use super::samples::{self, level_of, odd_level, wood};

fn picture<'a>(level: &'a Level, title: &'a str) -> LevelPicture<'a> {
    LevelPicture { level, title, birds: &level.surroundings().birds, arcs: &[] }
}

/// Returns the numbers in an attribute.
fn numbers(node: &Node<'_, '_>, attribute: &str) -> Vec<f64> {
    let value = node.attribute(attribute).unwrap();
    value.split([',', ' ']).map(|number| number.parse().unwrap()).collect()
}

/// Returns the corners of every polygon, in units of the level.
fn polygons(svg: &str) -> Vec<Vec<f64>> {
    let document = Document::parse(svg).unwrap();
    let polygons = document.descendants().filter(|node| node.has_tag_name("polygon"));
    let corners = |node: Node<'_, '_>| -> Vec<f64> {
        let pairs = numbers(&node, "points");
        pairs.chunks(2).flat_map(|pair| [pair[0] / 100.0, -pair[1] / 100.0]).collect()
    };
    polygons.map(corners).collect()
}

fn check_polygon(svg: &str, expected: &[f64]) {
    let is_expected = |polygon: &Vec<f64>| {
        let mut pairs = polygon.iter().zip(expected);
        polygon.len() == expected.len() && pairs.all(|(a, b)| (a - b).abs() < 1e-3)
    };
    assert!(polygons(svg).iter().any(is_expected), "{expected:?} in {svg}");
}

#[test]
fn blocks_are_drawn_where_they_stand() {
    let mut upright = wood(BlockShape::RectBig, 3.0, -2.47);
    upright.pose.degrees = 90.0;
    let blocks = vec![wood(BlockShape::RectSmall, 1.0, -3.39), upright];
    let pigs = vec![LevelPig { kind: PigKind::Small, pose: Pose::at(1.0, -3.045) }];
    let level = level_of(LevelElements { blocks, pigs, ..LevelElements::default() });
    let svg = picture(&level, "two bars").to_svg();
    check_polygon(&svg, &[0.575, -3.5, 1.425, -3.5, 1.425, -3.28, 0.575, -3.28]);
    check_polygon(&svg, &[3.11, -3.5, 3.11, -1.44, 2.89, -1.44, 2.89, -3.5]);
    // The ground, from behind three birds to the right of the bar.
    check_polygon(&svg, &[-10.7, -4.3, 3.61, -4.3, 3.61, -3.5, -10.7, -3.5]);
    assert!(svg.contains("<circle cx=\"100\" cy=\"304.5\" r=\"23.5\""), "{svg}");
    // Three birds, and a pig with a snout.
    assert_eq!(svg.matches("<circle").count(), 5);
}

#[test]
fn pictures_say_what_they_show() {
    let level = odd_level();
    let svg = picture(&level, "a<b & c").to_svg();
    let document = Document::parse(&svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    assert_eq!(numbers(&root, "viewBox"), [-715.0, -416.0, 1698.0, 846.0]);
    let text = |name: &str| {
        document
            .descendants()
            .find(|node| node.has_tag_name(name))
            .unwrap()
            .text()
            .unwrap()
            .to_owned()
    };
    assert_eq!(text("title"), "a<b & c");
    let expected = "Blocks: 3 (wood 1, stone 1, ice 1). Pigs: 2. TNT: 2. Platforms: 2. Birds: 2.";
    assert_eq!(text("desc"), expected);
}

#[test]
fn arcs_are_drawn_and_seen() {
    let level = odd_level();
    let arc = vec![[-5.0, -2.0], [0.0, 11.0], [5.0, -2.0], [f32::NAN, 0.0], [1e9, 0.0]];
    let svg = LevelPicture { level: &level, title: "arc", birds: &[], arcs: &[arc] }.to_svg();
    assert!(svg.contains("points=\"-500,200 0,-1100 500,200\""), "{svg}");
    assert!(svg.contains("viewBox=\"-715 -1150 1698 1580\""), "{svg}");
}

/// The ground ends with the level, 8.75 from the middle.
#[test]
fn the_ground_ends_with_the_level() {
    let blocks = vec![wood(BlockShape::SquareSmall, 10.0, 0.0)];
    let surroundings = LevelSurroundings { width: 1.0, ..LevelSurroundings::with_red_birds(1) };
    let level = Level::new(surroundings, LevelElements { blocks, ..LevelElements::default() });
    let svg = picture(&level.unwrap(), "narrow").to_svg();
    check_polygon(&svg, &[-8.75, -4.3, 8.75, -4.3, 8.75, -3.5, -8.75, -3.5]);
}

#[test]
fn sheets_have_a_picture_for_each_level() {
    let level = odd_level();
    let titles = ["1", "2", "3", "4", "5", "6 > 5"];
    let pictures = titles.map(|title| picture(&level, title)).to_vec();
    let svg = LevelSheet { title: "six", pictures }.to_svg();
    let document = Document::parse(&svg).unwrap();
    let drawings: Vec<_> =
        document.root_element().children().filter(|node| node.has_tag_name("svg")).collect();
    assert_eq!(drawings.len(), 6);
    // Four in a row.
    assert_eq!(drawings[0].attribute("y"), drawings[3].attribute("y"));
    assert_eq!(drawings[0].attribute("x"), drawings[4].attribute("x"));
    assert!(svg.contains(">6 &gt; 5</text>"));
    let empty = LevelSheet { title: "none", pictures: Vec::new() }.to_svg();
    assert!(Document::parse(&empty).is_ok());
}

proptest! {
    #[test]
    fn pictures_are_well_formed(level in samples::level(), title in any::<String>()) {
        let svg = picture(&level, &title).to_svg();
        prop_assert!(Document::parse(&svg).is_ok());
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf\""));
    }
}
