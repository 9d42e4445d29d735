//! Checks of the parameters of an experiment against their schema.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::erased::AnyExperiment;
use crate::error::error_chain;
use crate::part::PartSet;
use crate::spec::walk::{NodeId, Reached, nodes, reached};
use crate::spec::{SchemaNode, SpecDocument, print};

use super::violation::Violation;

/// The longest list or text that is tried: one more than this must be refused elsewhere.
const MAX_TRIED_LENGTH: u64 = 4_096;

/// Checks every parameter of the experiment: a value below its range, above its range and of a
/// wrong type is refused under its key. The presets and `samples`, each with the inputs that it
/// names, must reach every parameter, every alternative and every word of the schema.
///
/// # Errors
/// [`Violation::Spec`] if a sample is refused, and [`Violation::Wrong`] if a wrong value is not, or
/// if a node of the schema is not reached.
///
/// # Panics
/// If canonical parameters are not JSON, which cannot happen.
pub fn parameters_are_checked(
    experiment: &dyn AnyExperiment,
    samples: &[(&str, PartSet)],
) -> Result<(), Violation> {
    let presets = experiment.presets().iter().map(|preset| (preset.text, PartSet::default()));
    let mut checks = ParameterChecks {
        experiment,
        unreached: nodes(experiment.schema()),
        tried: BTreeSet::new(),
    };
    for (text, inputs) in presets.chain(samples.iter().cloned()) {
        checks.check_spec(text, &inputs)?;
    }
    if checks.unreached.is_empty() {
        return Ok(());
    }
    let mut paths: Vec<_> = checks.unreached.into_values().collect();
    paths.sort_unstable();
    let expected = "in a preset or a sample, so that it is checked";
    Err(Violation::wrong("parameters", paths.join("\n"), expected))
}

/// The checks of all parameters of an experiment, on the way through its specs.
struct ParameterChecks<'a> {
    experiment: &'a dyn AnyExperiment,
    /// The nodes of the schema that no spec has reached, with their paths.
    unreached: BTreeMap<NodeId, String>,
    /// The nodes of the schema whose wrong values were tried.
    tried: BTreeSet<Vec<NodeId>>,
}

impl ParameterChecks<'_> {
    /// Checks the parameters of a spec that no earlier spec has.
    fn check_spec(&mut self, text: &str, inputs: &PartSet) -> Result<(), Violation> {
        let (experiment, schema) = (self.experiment, self.experiment.schema());
        let document = SpecDocument::parse(experiment.name(), text.as_bytes())?;
        let configured = experiment.configure_with(&document, inputs)?;
        let canonical = serde_json::from_str(&configured.canonical_params()).expect("it is JSON");
        let printed = print(&document.head()?, &canonical, schema);
        let printed = SpecDocument::parse(experiment.name(), printed.as_bytes())?;
        // Canonical parameters have all defaults, but a value in one of the forms it may have.
        let written = document.params(schema)?;
        for (document, params) in [(printed, canonical), (document, written)] {
            for value in reached(schema, &params) {
                value.ids.iter().for_each(|id| drop(self.unreached.remove(id)));
                if !value.path.is_empty() && self.tried.insert(value.ids.clone()) {
                    check_value(experiment, &document, inputs, &value)?;
                }
            }
        }
        Ok(())
    }
}

/// Checks that wrong values in place of `reached` are refused under its key.
fn check_value(
    experiment: &dyn AnyExperiment,
    document: &SpecDocument,
    inputs: &PartSet,
    reached: &Reached<'_>,
) -> Result<(), Violation> {
    let key = reached.path.join(".");
    for wrong in wrong_values(&reached.node, &reached.value) {
        let assignment = format!("params.{key}={wrong}");
        let refused = document
            .clone()
            .set(&assignment)
            .and_then(|document| experiment.configure_with(&document, inputs));
        let said = refused.err().map_or_else(|| "accepted".to_owned(), |error| error_chain(&error));
        if !said.contains(&format!("{key} is ")) {
            let shown: String = assignment.chars().take(100).collect();
            return Err(Violation::wrong(shown, said, format!("refused: {key} is ...")));
        }
    }
    Ok(())
}

/// Returns values that `node` does not allow, as TOML; `value` is one that it allows.
fn wrong_values(node: &SchemaNode<'_>, value: &Json) -> Vec<String> {
    let branches = node.branches();
    let types = [("boolean", "true"), ("string", "'?'"), ("array", "[]"), ("object", "{}")];
    let is_wrong = |(name, _): &(&str, &str)| !branches.iter().any(|branch| branch.has_type(name));
    let mut wrong: Vec<String> =
        types.into_iter().find(is_wrong).map(|(_, text)| text.to_owned()).into_iter().collect();
    if !node.choices().is_empty() {
        wrong.push("'?'".to_owned());
    }
    // Where several alternatives are of the value's type, each may allow what the others refuse.
    let has_type = |branch: &&SchemaNode<'_>| types_of(value).iter().any(|it| branch.has_type(it));
    if let [branch] = branches.iter().filter(has_type).collect::<Vec<_>>()[..] {
        match value {
            Json::Number(number) => wrong.extend(wrong_numbers(branch, number.is_f64())),
            Json::Array(_) => wrong.extend(wrong_lists(branch)),
            Json::String(_) => wrong.extend(wrong_texts(branch)),
            _ => {}
        }
    }
    wrong
}

/// Returns the types of a number, a list or a text in a schema.
const fn types_of(value: &Json) -> &'static [&'static str] {
    match value {
        Json::Number(_) => &["integer", "number"],
        Json::Array(_) => &["array"],
        Json::String(_) => &["string"],
        _ => &[],
    }
}

/// Returns numbers that are just too small and just too large.
fn wrong_numbers(node: &SchemaNode<'_>, is_float: bool) -> Vec<String> {
    let bound = |key: &str| node.get(key).and_then(Json::as_f64);
    let [type_low, type_high] = node.type_limits();
    let least = bound("minimum").or(type_low);
    let most = bound("maximum").or(type_high);
    let low = bound("exclusiveMinimum")
        .or_else(|| least.map(|low| if is_float { low - 1e-6 } else { low - 1.0 }));
    let high = bound("exclusiveMaximum")
        .or_else(|| most.map(|high| if is_float { high + 1e-6 } else { high + 1.0 }));
    let beyond = low.into_iter().chain(high);
    // TOML has no integers beyond 64 bits.
    let written = |number: f64| match is_float {
        true => format!("{number:?}"),
        false => format!("{number:.0}"),
    };
    let mut wrong: Vec<String> = beyond
        .filter(|number| number.abs() < 9e18 && !node.allows_number(*number))
        .map(written)
        .collect();
    if is_float {
        wrong.extend(["nan".to_owned(), "inf".to_owned()]);
    }
    wrong
}

/// Returns lists with too few and too many entries. The length is refused before the entries are,
/// so that they can be short: a spec has no room for a thousand tables.
fn wrong_lists(node: &SchemaNode<'_>) -> Vec<String> {
    let lengths = wrong_lengths(node, ["minItems", "maxItems"]);
    lengths
        .into_iter()
        .flatten()
        .map(|length| format!("[{}]", vec!["0"; length].join(", ")))
        .collect()
}

/// Returns texts with too few and too many characters.
fn wrong_texts(node: &SchemaNode<'_>) -> Vec<String> {
    let lengths = wrong_lengths(node, ["minLength", "maxLength"]);
    lengths.into_iter().flatten().map(|length| format!("'{}'", "x".repeat(length))).collect()
}

/// Returns one length less than the least and one more than the most.
fn wrong_lengths(node: &SchemaNode<'_>, [least, most]: [&str; 2]) -> [Option<usize>; 2] {
    let bound = |key: &str| node.get(key)?.as_u64().filter(|length| *length < MAX_TRIED_LENGTH);
    let length = |length: u64| usize::try_from(length).ok();
    let few = bound(least).and_then(|least| length(least.checked_sub(1)?));
    [few, bound(most).and_then(|most| length(most + 1))]
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Serialize;

    use super::*;
    use crate::spec::schema_of;

    #[derive(Serialize, JsonSchema)]
    #[schemars(deny_unknown_fields)]
    struct Table {
        #[schemars(range(min = 1, max = 10))]
        dice: u32,
        #[schemars(range(min = -1.0), extend("exclusiveMaximum" = 1.0))]
        bias: f64,
        seed: u64,
        #[schemars(length(min = 2, max = 3))]
        names: Vec<String>,
        color: Color,
        player: Player,
        prize: Prize,
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "the schema has both alternatives")]
    enum Prize {
        Color(Color),
        Coins(#[schemars(range(max = 9))] u32),
    }

    #[derive(Serialize, JsonSchema)]
    enum Color {
        White,
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(tag = "kind")]
    enum Player {
        Robot { skill: u8 },
    }

    #[test]
    fn wrong_values_are_those_beyond_each_limit() {
        let table = Table {
            dice: 3,
            bias: 0.0,
            seed: 0,
            names: vec!["a".to_owned(), "b".to_owned()],
            color: Color::White,
            player: Player::Robot { skill: 0 },
            prize: Prize::Coins(5),
        };
        let params = serde_json::to_value(table).unwrap();
        for (key, expected) in [
            ("dice", "true, 0, 11"),
            ("bias", "true, -1.000001, 1.0, nan, inf"),
            ("seed", "true, -1"),
            ("names", "true, [0], [0, 0, 0, 0]"),
            ("names.0", "true"),
            ("color", "true, '?'"),
            ("player", "true"),
            ("player.kind", "true, '?'"),
            ("player.skill", "true, -1, 256"),
            ("prize", "true, '?', -1, 10"),
        ] {
            let values = reached(schema_of::<Table>(), &params);
            let value = values.iter().find(|value| value.path.join(".") == key).expect(key);
            assert_eq!(wrong_values(&value.node, &value.value).join(", "), expected, "{key}");
        }
    }
}
