//! Levels in specs.

use hatchery_birds::level::{BlockShape, Level, LevelElements};
use hatchery_birds::params::level_param::{LevelParam, level_entries, read_levels};
use hatchery_core::spec::{MAX_SPEC_BYTES, SpecDocument};
use serde::Deserialize;

use super::samples::{ODD_FILE, level_of, odd_level, small_pig, wood};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    levels: Vec<LevelParam>,
}

fn params(toml: &str) -> Vec<LevelParam> {
    toml::from_str::<Params>(toml).unwrap().levels
}

/// Checks the error for two levels whose second is this entry.
fn check(entry: &str, expected: &str) {
    let first = format!("{{ name = \"one\", xml = '''{ODD_FILE}''' }}");
    let error = read_levels(&params(&format!("levels = [{first}, {entry}]"))).unwrap_err();
    assert_eq!(error.to_string(), expected, "{entry}");
}

#[test]
fn levels_are_read_in_either_form() {
    let json = odd_level().to_json();
    let text = format!(
        "levels = [{{ name = \"mine\", xml = '''\n{ODD_FILE}''' }}, {{ name = \"again\", json = \
         '''{json}''' }}]"
    );
    let levels = read_levels(&params(&text)).unwrap();
    assert_eq!(levels.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["mine", "again"]);
    assert!(levels.iter().all(|it| it.level == odd_level()));
}

#[test]
fn wrong_levels_are_refused_with_their_key() {
    check(
        "{ name = \"two\", xml = \"<Level><Camera x='1' />\" }",
        "levels.1.xml is \"<Level><Camera x='1' />\", but must be a level of Science Birds: \
         line 1: `Camera` has no attribute `y`, which must be a finite number",
    );
    check(
        "{ name = \"two\", json = \"{}\" }",
        "levels.1.json is \"{}\", but must be the JSON of a level: it cannot be read: missing \
         field `format` at line 1 column 2",
    );
    check(
        "{ name = \"two\" }",
        "levels.1 is a name only, but must be a name with either `xml` or `json`",
    );
    check(
        "{ name = \"two\", xml = \"\", json = \"\" }",
        "levels.1 is both `xml` and `json`, but must be a name with either `xml` or `json`",
    );
    check(
        "{ name = \"one\", xml = \"\" }",
        "levels.1.name is \"one\", but must be unlike the names of the levels before",
    );
    for name in ["", "a b", "a/b", "é"] {
        let expected = format!(
            "levels.1.name is \"{name}\", but must be 1 to 80 letters, digits, `-`, `_` or `.`"
        );
        check(&format!("{{ name = \"{name}\", xml = \"\" }}"), &expected);
    }
    let none = read_levels(&[]).unwrap_err();
    assert_eq!(none.to_string(), "levels is 0 levels, but must be from 1 to 1000 levels");
}

/// 999 blocks on one place took half a minute to settle.
#[test]
fn a_heap_of_blocks_on_one_place_is_refused() {
    let blocks = vec![wood(BlockShape::SquareHole, 2.0, 0.5); 999];
    let heap = level_of(LevelElements { blocks, ..LevelElements::default() });
    let entry = format!("levels = [{{ name = \"heap\", xml = '''\n{}''' }}]", heap.to_xml());
    let error = read_levels(&params(&entry)).unwrap_err();
    assert_eq!(
        (error.key.as_str(), error.expected.as_str()),
        (
            "levels.0.xml",
            "a level with fewer elements inside of each other: block 1 at (2, 0.5) overlaps 998 \
             other elements, and 498501 pairs of elements overlap, but at most 50000 are allowed",
        )
    );
}

/// Returns named levels that differ.
fn many(n: u16) -> Vec<(String, Level)> {
    let level = |idx| {
        let blocks = vec![wood(BlockShape::Circle, f32::from(idx) / 16.0, 0.0); 30];
        let pigs = vec![small_pig()];
        let elements = LevelElements { blocks, pigs, ..LevelElements::default() };
        (format!("level-{idx:03}"), level_of(elements))
    };
    (1..=n).map(level).collect()
}

#[test]
fn entries_are_a_parameter_that_reads_back() {
    let levels = many(3);
    let entries = level_entries(levels.iter().map(|(name, level)| (name.as_str(), level)), 1 << 20);
    assert_eq!(entries.n_left_out, 0);
    assert!(entries.toml.starts_with("levels = [\n  { name = \"level-001\", xml = '''\n<?xml"));
    let back = read_levels(&params(&entries.toml)).unwrap();
    assert!(back.iter().map(|it| (&it.name, &it.level)).eq(levels.iter().map(|(a, b)| (a, b))));
}

#[test]
fn entries_stop_where_the_spec_is_full() {
    let levels = many(600);
    let all = || levels.iter().map(|(name, level)| (name.as_str(), level));
    let entries = level_entries(all(), MAX_SPEC_BYTES - 1000);
    assert!(entries.toml.len() <= MAX_SPEC_BYTES - 1000);
    let back = read_levels(&params(&entries.toml)).unwrap();
    assert!(200 < back.len() && back.len() + entries.n_left_out == 600, "{}", back.len());
    assert!(back.iter().map(|it| &it.level).eq(levels.iter().take(back.len()).map(|it| &it.1)));
    let comment = format!(
        "# The first {} of 600 levels: {} are left out, as a spec holds no more.\nlevels = [\n",
        back.len(),
        entries.n_left_out
    );
    assert!(entries.toml.starts_with(&comment), "{}", &entries.toml[..200]);
    // It is a spec that can be parsed.
    let spec = format!("experiment = \"birds-evaluate\"\nseed = 1\n\n[params]\n{}", entries.toml);
    assert!(SpecDocument::parse("levels.toml", spec.as_bytes()).is_ok());
    let none = level_entries(all(), 100);
    assert_eq!(none.n_left_out, 600);
    assert!(none.toml.len() <= 200 && none.toml.ends_with("levels = [\n]\n"));
}

/// The shortest levels: so many that their number is the limit.
#[test]
fn a_spec_may_hold_the_most_levels() {
    let pigs = vec![small_pig()];
    let level = level_of(LevelElements { pigs, ..LevelElements::default() });
    let names: Vec<_> = (0..1100).map(|idx| format!("{idx}")).collect();
    let entries = level_entries(names.iter().map(|name| (name.as_str(), &level)), MAX_SPEC_BYTES);
    assert_eq!(entries.n_left_out, 100);
    assert_eq!(read_levels(&params(&entries.toml)).unwrap().len(), LevelParam::MAX_LEVELS);
    let spec = format!("experiment = \"birds-evaluate\"\nseed = 1\n\n[params]\n{}", entries.toml);
    assert!(SpecDocument::parse("levels.toml", spec.as_bytes()).is_ok());
}
