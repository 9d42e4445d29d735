//! Parameters that differ between runs.

use hatchery_core::spec::toml_value;
use serde_json::Value as Json;

/// A parameter that is not the same in all runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::report) struct ParamDifference {
    /// The path below `params`, such as `players.0.depth`.
    pub(in crate::report) path: String,
    /// The value in each run, as a spec has it; `None` where it is not set.
    pub(in crate::report) values: Vec<Option<String>>,
}

/// Returns the parameters that are not the same in all of `params`, in their order. Of tables, and
/// of lists of tables, each entry is a parameter of its own.
pub(super) fn differences(params: &[&Json]) -> Vec<ParamDifference> {
    let mut found = Vec::new();
    let values: Vec<_> = params.iter().map(|&value| Some(value)).collect();
    collect("", &values, &mut found);
    found
}

/// Adds what differs at `path` or below. A spec is nested at most 64 deep.
fn collect(path: &str, values: &[Option<&Json>], found: &mut Vec<ParamDifference>) {
    let values: Vec<_> = values.iter().map(|value| value.filter(|it| !it.is_null())).collect();
    if values.windows(2).all(|pair| pair[0] == pair[1]) {
        return;
    }
    let set = || values.iter().flatten();
    let entry = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    if set().all(|value| value.is_object()) {
        for key in keys(set().copied()) {
            let entries = values.iter().map(|value| value.and_then(|it| it.get(key)));
            collect(&entry(key), &entries.collect::<Vec<_>>(), found);
        }
    } else if set().all(|value| is_table_list(value)) {
        let n_entries = set().filter_map(|value| value.as_array()).map(Vec::len).max();
        for idx in 0..n_entries.unwrap_or_default() {
            let entries = values.iter().map(|value| value.and_then(|it| it.get(idx)));
            collect(&entry(&idx.to_string()), &entries.collect::<Vec<_>>(), found);
        }
    } else {
        let values = values.iter().map(|value| value.map(toml_value)).collect();
        found.push(ParamDifference { path: path.to_owned(), values });
    }
}

/// Returns the keys of the `tables`, each once, in the order of the first table that has it.
fn keys<'a>(tables: impl Iterator<Item = &'a Json>) -> Vec<&'a str> {
    let mut keys = Vec::new();
    for key in tables.filter_map(Json::as_object).flat_map(|table| table.keys()) {
        if !keys.contains(&key.as_str()) {
            keys.push(key.as_str());
        }
    }
    keys
}

fn is_table_list(value: &Json) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Json::is_object))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Differences as `path: value | value`, where `-` is not set.
    fn check(params: &[Json], expected: &[&str]) {
        let line = |ParamDifference { path, values }: ParamDifference| {
            let values = values.into_iter().map(|value| value.unwrap_or_else(|| "-".to_owned()));
            format!("{path}: {}", values.collect::<Vec<_>>().join(" | "))
        };
        let found = differences(&params.iter().collect::<Vec<_>>());
        assert_eq!(found.into_iter().map(line).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn only_what_differs_is_found() {
        let a = json!({"games": 5, "hold_at": [1, 2], "search": {"depth": 3, "kind": "uct"}});
        check(&[a.clone(), a.clone()], &[]);
        let b = json!({"games": 6, "hold_at": [1, 3], "search": {"depth": 4, "kind": "uct"}});
        check(
            &[a.clone(), b, a],
            &["games: 5 | 6 | 5", "hold_at: [1, 2] | [1, 3] | [1, 2]", "search.depth: 3 | 4 | 3"],
        );
    }

    #[test]
    fn what_a_run_does_not_set_is_found() {
        // A key that is null, and one that is not there.
        check(&[json!({"a": null}), json!({})], &[]);
        check(&[json!({"a": null, "b": 1}), json!({"a": "x"})], &["a: - | \"x\"", "b: 1 | -"]);
        check(
            &[json!({"a": {"b": 1, "c": {"d": 2}}}), json!({"a": null})],
            &["a.b: 1 | -", "a.c.d: 2 | -"],
        );
        // A table in one run, and a word in the other.
        check(&[json!({"a": {"b": 1}}), json!({"a": "x"})], &["a: { b = 1 } | \"x\""]);
    }

    #[test]
    fn entries_of_lists_of_tables_are_compared_one_by_one() {
        let [a, b] = [
            json!({"players": [{"depth": 1, "name": "a"}]}),
            json!({"players": [{"depth": 2, "name": "a"}, {"depth": 3, "name": "b"}]}),
        ];
        let expected =
            ["players.0.depth: 1 | 2", "players.1.depth: - | 3", "players.1.name: - | \"b\""];
        check(&[a, b], &expected);
        check(&[json!({"a": []}), json!({"a": [1]})], &["a: [] | [1]"]);
        check(&[json!({"a": []}), json!({"a": [{"b": 1}]})], &["a.0.b: - | 1"]);
    }
}
