//! Types are read from values as `serde_json` reads them.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;

/// A struct with every kind of type that a parameter can have.
#[derive(Debug, PartialEq, Deserialize)]
struct Everything {
    flag: bool,
    byte: u8,
    number: i64,
    count: u64,
    ratio: f32,
    share: f64,
    letter: char,
    name: String,
    maybe: Option<u32>,
    wrapped: Wrapped,
    pair: (u32, String),
    triple: [f64; 3],
    list: Vec<u16>,
    by_name: BTreeMap<String, u32>,
    by_kind: BTreeMap<Kind, i32>,
    kind: Kind,
    choice: Choice,
    tagged: Tagged,
    either: Either,
    #[serde(flatten)]
    rest: BTreeMap<String, Json>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Wrapped(u32);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
enum Kind {
    Small,
    Large,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Choice {
    Nothing,
    One(u32),
    Two(u32, bool),
    Named { x: f64, y: Option<f64> },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields)]
enum Tagged {
    Plain,
    Weighted { weights: Vec<f64> },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Either {
    Number(u32),
    Text(String),
    List(Vec<i8>),
}

/// Returns a value that reads as `Everything`.
fn whole() -> Json {
    json!({
        "flag": true, "byte": 255, "number": -5, "count": u64::MAX, "ratio": 0.1, "share": 3,
        "letter": "x", "name": "a name", "maybe": 7, "wrapped": 1, "pair": [1, "two"],
        "triple": [1, 2.5, -3], "list": [0, 65535], "by_name": {"a": 1, "b": 2},
        "by_kind": {"Small": 1, "Large": -2}, "kind": "Large", "choice": {"Two": [1, false]},
        "tagged": {"kind": "Weighted", "weights": [0.5, 1]}, "either": [-1, 2], "more": {"of": [1]},
    })
}

/// Values that fit some of the fields.
fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        (-2_i64..300).prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        prop_oneof!["Small", "Nothing", "One", "Named", "Plain", "x", "long text"]
            .prop_map(Json::from),
    ];
    let key = prop_oneof!["Small", "Nothing", "One", "Two", "Named", "x", "y", "kind", "weights"];
    leaf.prop_recursive(3, 12, 4, move |inner| {
        // Never an empty table: it is a variant without fields here, and none for `serde_json`.
        let entries = vec((key.clone(), inner.clone()), 1..3);
        prop_oneof![
            vec(inner, 0..4).prop_map(Json::from),
            entries.prop_map(|entries| Json::Object(entries.into_iter().collect())),
        ]
    })
}

fn check(json: &Json) {
    let expected = serde_json::from_value::<Everything>(json.clone());
    let read = TextValue::from(json.clone()).read::<Everything>();
    match (read, expected) {
        (Ok(read), Ok(expected)) => assert_eq!(read, expected, "{json}"),
        (Err(_), Err(_)) => {}
        (read, expected) => panic!("{json} is {read:?}, but serde_json says {expected:?}"),
    }
}

#[test]
fn the_sample_can_be_read() {
    let read = TextValue::from(whole()).read::<Everything>().unwrap();
    assert_eq!((read.byte, read.count, read.ratio), (255, u64::MAX, 0.1));
    check(&whole());
}

proptest! {
    #[test]
    fn types_are_read_as_serde_json_reads_them(
        key in proptest::sample::select(
            whole().as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        ),
        value in proptest::option::weighted(0.95, value()),
    ) {
        let mut json = whole();
        let entries = json.as_object_mut().unwrap();
        match value {
            Some(value) => _ = entries.insert(key, value),
            None => _ = entries.remove(&key),
        }
        check(&json);
    }
}

/// The error says where the refused value is.
#[test]
fn errors_have_the_path_of_the_value() {
    for (path, value, expected) in [
        ("pair.1", json!([1, 2]), "invalid type: integer `2`, expected a string"),
        ("triple", json!([1, 2, 3, 4]), "invalid length 4, expected 3 entries"),
        (
            "choice.Named.x",
            json!({"Named": {"x": "1"}}),
            "invalid type: string \"1\", expected f64",
        ),
        ("choice", json!({"One": 1, "Two": 2}), "invalid length 2, expected a table with one key"),
        ("list.1", json!([1, -1]), "invalid value: integer `-1`, expected u16"),
    ] {
        let mut json = whole();
        let key = path.split('.').next().unwrap();
        json[key] = value;
        let error = TextValue::from(json).read::<Everything>().unwrap_err();
        assert_eq!(error.to_string(), format!("{path}: {expected}"));
    }
}

/// Numbers that are not finite and dates are in TOML alone.
#[test]
fn numbers_of_toml_are_read() {
    let read = |text: &str| {
        let tree = SpecTree::parse(text.to_owned()).unwrap();
        TextValue::from(tree.as_item()).read::<BTreeMap<String, f64>>()
    };
    assert!(read("x = nan").unwrap()["x"].is_nan());
    assert_eq!(
        read("x = -inf\ny = 1").unwrap(),
        [("x".into(), f64::NEG_INFINITY), ("y".into(), 1.0)].into()
    );
    let error = read("x = 1979-05-27").unwrap_err();
    assert_eq!(error.to_string(), "x: invalid type: date, expected f64");
}
