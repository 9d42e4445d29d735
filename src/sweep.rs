//! Sweeps: runs of a spec with several values of some keys.
//!
//! ```text
//! --sweep seed=1..20 --sweep population=50,100 -> axes -> points -> a run of each -> joint table
//! ```
//!
//! The runs of a sweep are called `SWEEP/POINT`, such as
//! `pig-smoke-sweep-3kx9fz/seed=1,games=50`: on a farm by name, and on one machine by the folder
//! below `runs/`. Nothing else says that they belong together.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::str::FromStr;

use hatchery_core::Digest;
use hatchery_proto::MAX_RUN_NAME_BYTES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most runs of a sweep.
pub(crate) const MAX_RUNS: usize = 10_000;

/// The key whose runs are replicates: a joint table has means over its values.
pub(crate) const SEED: &str = "seed";

/// The longest name of a sweep: the longest number of a point, `10000`, must fit behind it.
pub(crate) const MAX_SWEEP_NAME_BYTES: usize = MAX_RUN_NAME_BYTES - "/10000".len();

/// The separator of sweep and point in the name of a run.
const SEPARATOR: char = '/';

/// The key that distinguishes points whose values are unknown.
const NUMBER: &str = "number";

/// The number of hash digits in the folder name of a point whose adjusted name another point has,
/// too.
const FOLDER_DIGITS: usize = 6;

/// A key of a spec, and the values that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SweepAxis {
    key: String,
    values: Vec<String>,
}

/// A sweep that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SweepError {
    #[error("--sweep {key} is given twice: list all values in one, such as {key}=1,2,3")]
    TwiceSwept { key: String },
    #[error("{key} is both set and swept: leave one of them out")]
    SetAndSwept { key: String },
    #[error("{first} and {second} are the same run: give each value once")]
    SameRun { first: String, second: String },
    #[error("the sweep has {n_runs} runs ({product}), but at most {MAX_RUNS} are allowed")]
    TooManyRuns { n_runs: u128, product: String },
    #[error(
        "--name has {n_bytes} bytes, but that of a sweep has at most {MAX_SWEEP_NAME_BYTES}, so \
         that its runs can be named"
    )]
    LongName { n_bytes: usize },
}

impl FromStr for SweepAxis {
    type Err = String;

    /// Parses `KEY=VALUE,VALUE,...`. A value `A..B` means the whole numbers from A to B, both
    /// included. A comma in quotes or brackets is a part of a value.
    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected KEY=VALUES, such as seed=1..20 or population=50,100";
        let (key, values) = text.split_once('=').ok_or(expected)?;
        let key = key.trim().to_owned();
        if key.is_empty() {
            return Err(expected.to_owned());
        }
        let mut all = Vec::new();
        for value in split_list(values)? {
            let value = value.trim();
            if value.is_empty() {
                return Err(format!("{key} has an empty value; {expected}"));
            }
            match parse_range(value)? {
                Some(range) => {
                    let n_values = range.end().abs_diff(*range.start());
                    if u64::try_from(MAX_RUNS).is_ok_and(|most| most <= n_values) {
                        let n_values = u128::from(n_values) + 1;
                        return Err(format!(
                            "{value} has {n_values} values, but at most {MAX_RUNS} are allowed"
                        ));
                    }
                    all.extend(range.map(|number| number.to_string()));
                }
                None => all.push(value.to_owned()),
            }
        }
        let mut seen = BTreeSet::new();
        match all.iter().find(|value| !seen.insert(*value)) {
            Some(twice) => Err(format!("{key} has the value {twice} twice")),
            None => Ok(Self { key, values: all }),
        }
    }
}

/// Splits a list at its commas, except commas in quotes or brackets; all quotes and brackets must
/// be closed.
fn split_list(text: &str) -> Result<Vec<&str>, String> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_usize, None);
    for (at, letter) in text.char_indices() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(letter),
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth = depth.saturating_sub(1),
            (',', None) if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    match (quote, depth) {
        (Some(open), _) => Err(format!("{open} is not closed: put the value into other quotes")),
        (None, 0) => Ok(parts),
        (None, _) => Err("a bracket is not closed: put the value into quotes".to_owned()),
    }
}

/// Parses `A..B`, if the value has this form outside of quotes and brackets.
fn parse_range(value: &str) -> Result<Option<RangeInclusive<i64>>, String> {
    let Some((low, high)) = value.split_once("..") else { return Ok(None) };
    if value.contains(['"', '\'', '[', '{', '/']) {
        return Ok(None);
    }
    let number = |text: &str| text.trim().parse::<i64>();
    let (Ok(low), Ok(high)) = (number(low), number(high)) else {
        return Err(format!(
            "{value} is no range: expected whole numbers below 2^63, such as 1..20"
        ));
    };
    if high < low {
        return Err(format!("the range {value} is empty: expected the lower number first"));
    }
    Ok(Some(low..=high))
}

impl SweepAxis {
    /// Returns the key.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }
}

/// A key of a spec with its value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub(crate) struct KeyValue {
    /// The key.
    pub(crate) key: String,
    /// The value, as the command line has it.
    pub(crate) value: String,
}

/// A point of a sweep: a value for each of its keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SweepPoint {
    /// The name of the point, such as `seed=1,population=50`.
    #[serde(rename = "point")]
    pub(crate) name: String,
    /// Each key with its value, in the order of the command line.
    pub(crate) values: Vec<KeyValue>,
}

impl KeyValue {
    fn new(key: &str, value: &str) -> Self {
        Self { key: key.to_owned(), value: value.to_owned() }
    }

    /// Returns `KEY=VALUE`.
    fn assignment(&self) -> String {
        let Self { key, value } = self;
        format!("{key}={value}")
    }
}

impl SweepPoint {
    /// Returns the sweep and the point of the run called `name`; `None` if it is of no sweep. The
    /// values of a point that is named by its number are not known: it has this number for a value.
    pub(crate) fn of_run(name: &str) -> Option<(&str, Self)> {
        let (sweep, point) = name.split_once(SEPARATOR)?;
        let values = point.split(',').filter_map(|part| part.split_once('='));
        let mut values: Vec<_> = values.map(|(key, value)| KeyValue::new(key, value)).collect();
        if values.is_empty() {
            values.push(KeyValue::new(NUMBER, point));
        }
        Some((sweep, Self { name: point.to_owned(), values }))
    }

    /// Returns true if the run called `name` belongs to the sweep called `sweep`.
    pub(crate) fn is_of(name: &str, sweep: &str) -> bool {
        Self::of_run(name).is_some_and(|(of, _)| of == sweep)
    }

    /// Returns the values in the order of their keys, whatever the order on the command line.
    pub(crate) fn sorted_values(&self) -> Vec<&KeyValue> {
        let mut sorted: Vec<_> = self.values.iter().collect();
        sorted.sort();
        sorted
    }

    /// Returns the keys of the point.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|it| &*it.key)
    }

    /// Returns the point as the assignments that make its spec.
    pub(crate) fn assignments(&self) -> impl Iterator<Item = String> {
        self.values.iter().map(KeyValue::assignment)
    }

    /// Returns the name of the run's folder in the sweep's folder. No name leads out of the sweep's
    /// folder, and no two runs have the same name.
    pub(crate) fn folder_name(&self) -> String {
        let name: String = self.name.chars().map(plain).collect();
        let is_ours = name.contains('=') || name.parse::<usize>().is_ok();
        if name == self.name && is_ours && !name.starts_with('.') {
            return name;
        }
        // Names from other clients may have any form.
        let digits = Digest::of(self.name.as_bytes()).to_string();
        format!("{}-{}", name.trim_start_matches('.'), &digits[..FOLDER_DIGITS])
    }

    /// Returns the name of the run of this point of the sweep called `sweep`.
    pub(crate) fn run_name(&self, sweep: &str) -> String {
        format!("{sweep}{SEPARATOR}{}", self.name)
    }
}

/// Returns all points of the sweep called `sweep` over `axes`, the values of the last axis changing
/// first. `set` are the keys that have one value in all runs.
///
/// A point is named by its values, such as `seed=1,population=50`. If that would be too long for
/// the name of a run, if two points were called the same, or if a value has a comma, all are named
/// by their numbers.
///
/// # Errors
/// If a key is swept twice, or swept and set, or there are more than [`MAX_RUNS`] points.
pub(crate) fn points<'a>(
    sweep: &str,
    axes: &[SweepAxis],
    set: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<SweepPoint>, SweepError> {
    let mut keys = BTreeSet::new();
    for SweepAxis { key, .. } in axes {
        if !keys.insert(plain_key(key)) {
            return Err(SweepError::TwiceSwept { key: key.clone() });
        }
    }
    if let Some(key) = set.into_iter().find(|key| keys.contains(plain_key(key))) {
        return Err(SweepError::SetAndSwept { key: key.to_owned() });
    }
    let factors = axes.iter().map(|axis| axis.values.len());
    let n_runs = factors.clone().fold(1_u128, |all, n| all.saturating_mul(n as u128));
    if MAX_RUNS as u128 <= n_runs.saturating_sub(1) {
        let product = factors.map(|n| n.to_string()).collect::<Vec<_>>().join(" x ");
        return Err(SweepError::TooManyRuns { n_runs, product });
    }
    let mut all = vec![Vec::new()];
    for SweepAxis { key, values } in axes {
        all = all
            .iter()
            .flat_map(|point: &Vec<_>| {
                values.iter().map(|value| {
                    let mut point = point.clone();
                    point.push(KeyValue::new(key, value));
                    point
                })
            })
            .collect();
    }
    let names: Vec<_> = all.iter().map(|point| name_of(point)).collect();
    let fits = |name: &String| sweep.len() + 1 + name.len() <= MAX_RUN_NAME_BYTES;
    let by_values = names.iter().all(fits)
        && names.iter().collect::<BTreeSet<_>>().len() == all.len()
        && axes.iter().flat_map(|axis| &axis.values).all(|value| !value.contains(','));
    let named = all.into_iter().zip(names).zip(1..).map(|((values, name), number)| SweepPoint {
        name: if by_values { name } else { number.to_string() },
        values,
    });
    Ok(named.collect())
}

/// Returns `name` as the name of a sweep: without what separates a sweep from a point, and no
/// longer than [`MAX_SWEEP_NAME_BYTES`].
pub(crate) fn sweep_name(name: &str) -> String {
    match &name[..name.floor_char_boundary(MAX_SWEEP_NAME_BYTES)] {
        "" => "sweep".to_owned(),
        name => name.replace(SEPARATOR, "-"),
    }
}

/// Returns `key` as all its spellings have it: `params.` may be left out.
fn plain_key(key: &str) -> &str {
    key.strip_prefix("params.").unwrap_or(key)
}

/// Returns the letter, or a hyphen in place of a letter that is not portable in file names.
fn plain(letter: char) -> char {
    if letter.is_ascii_alphanumeric() || "._=,".contains(letter) { letter } else { '-' }
}

fn name_of(point: &[KeyValue]) -> String {
    let parts: Vec<_> = point.iter().map(KeyValue::assignment).collect();
    parts.join(",").chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(text: &str) -> SweepAxis {
        text.parse().expect(text)
    }

    #[test]
    fn values_are_lists_and_ranges() {
        let check = |text: &str, expected: &[&str]| assert_eq!(axis(text).values, expected);
        check("seed=1..4", &["1", "2", "3", "4"]);
        check("seed=-1..1,7", &["-1", "0", "1", "7"]);
        check("ga.rate=0.1,0.25", &["0.1", "0.25"]);
        check("maps=[1, 2],[3]", &["[1, 2]", "[3]"]);
        check("agents=[{ kind = \"a,b\" }],\"..\"", &["[{ kind = \"a,b\" }]", "\"..\""]);
        check("file=../a.toml", &["../a.toml"]);
        check("seed=5..5", &["5"]);
    }

    #[test]
    fn wrong_axes_are_refused() {
        let check = |text: &str, part: &str| {
            let error = text.parse::<SweepAxis>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        };
        check("seed", "expected KEY=VALUES");
        check("=1", "expected KEY=VALUES");
        check("seed=", "seed has an empty value");
        check("seed=1,,2", "seed has an empty value");
        check("seed=20..1", "the range 20..1 is empty");
        check("seed=0.5..1", "0.5..1 is no range");
        check("seed=1..", "1.. is no range");
        check("seed=0..10000", "0..10000 has 10001 values, but at most 10000");
        check("seed=-9223372036854775808..9223372036854775807", "18446744073709551616 values");
        check("seed=1,2,1", "the value 1 twice");
        check("seed=1..3,2", "the value 2 twice");
        check("about=a[1,b", "a bracket is not closed");
        check("about=it's,b", "' is not closed");
    }

    #[test]
    fn the_last_axis_changes_first() {
        let axes = [axis("population=50,100"), axis("seed=1..2")];
        let points = points("s", &axes, ["games"]).unwrap();
        let names: Vec<_> = points.iter().map(|point| point.name.as_str()).collect();
        let expected = [
            "population=50,seed=1",
            "population=50,seed=2",
            "population=100,seed=1",
            "population=100,seed=2",
        ];
        assert_eq!(names, expected);
        assert_eq!(points[3].run_name("s"), "s/population=100,seed=2");
        let assignments: Vec<_> = points[3].assignments().collect();
        assert_eq!(assignments, ["population=100", "seed=2"]);
    }

    #[test]
    fn points_that_have_no_name_of_their_own_are_numbered() {
        let numbered = |axes: &[SweepAxis]| {
            let points = points("s", axes, []).unwrap();
            points.iter().map(|point| point.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(numbered(&[axis("a=\"x y\",\"x/y\"")]), ["1", "2"]);
        assert_eq!(numbered(&[axis(&format!("a=1,{}", "9".repeat(200)))]), ["1", "2"]);
        assert_eq!(numbered(&[axis("a=\"..\"")]), ["a=-..-"]);
        assert_eq!(numbered(&[axis("a=[1,2],[3]")]), ["1", "2"]);
    }

    #[test]
    fn points_are_known_by_the_names_of_their_runs() {
        let axes = [axis("ga.rate=0.1,0.2"), axis("seed=7")];
        for point in points("s", &axes, []).unwrap() {
            assert_eq!(SweepPoint::of_run(&point.run_name("s")), Some(("s", point)));
        }
        assert_eq!(SweepPoint::of_run("pig-smoke"), None);
        let of_number = SweepPoint::of_run("s/12").map(|(_, point)| point.values);
        assert_eq!(of_number, Some(vec![KeyValue::new("number", "12")]));
    }

    #[test]
    fn folders_of_points_stay_in_that_of_the_sweep_and_apart() {
        let folder = |name: &str| SweepPoint::of_run(&format!("s/{name}")).unwrap().1.folder_name();
        assert_eq!(folder("seed=1,a=0.5"), "seed=1,a=0.5");
        assert_eq!(folder("12"), "12");
        let foreign = ["", ".", "..", "a b=1", "a-b=1", "../x=1", "a/b=1", "sweep.json", "=."];
        let folders: BTreeSet<_> = foreign.iter().map(|name| folder(name)).collect();
        assert_eq!(folders.len(), foreign.len());
        let stays = |name: &String| !name.contains('/') && !name.starts_with('.');
        assert!(folders.iter().all(stays) && !folders.contains("sweep.json"), "{folders:?}");
    }

    #[test]
    fn names_of_sweeps_leave_room_for_points() {
        assert_eq!(sweep_name(""), "sweep");
        assert_eq!(sweep_name("a/b"), "a-b");
        let long = sweep_name(&"ü".repeat(100));
        let axes = [axis("seed=1..100"), axis("games=1..100")];
        let points = points(&long, &axes, []).unwrap();
        let names = points.iter().map(|point| point.run_name(&long));
        assert!(names.map(|name| name.len()).max() <= Some(MAX_RUN_NAME_BYTES));
    }

    #[test]
    fn contradictions_are_refused() {
        let check = |axes: &[SweepAxis], set: &[&str], part: &str| {
            let error = points("s", axes, set.iter().copied()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        check(&[axis("a=1"), axis("params.a=2")], &[], "--sweep params.a is given twice");
        check(&[axis("seed=1,2")], &["seed"], "seed is both set and swept");
        let hundred = ["a", "b", "c"].map(|key| axis(&format!("{key}=1..100")));
        check(&hundred, &[], "1000000 runs (100 x 100 x 100), but at most 10000");
        assert_eq!(points("s", &hundred[..2], []).map(|all| all.len()), Ok(10_000));
    }
}
