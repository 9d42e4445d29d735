//! Checks of the presets of an experiment.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::erased::{Beginning, erased};
use crate::experiment::{Experiment, Preset};
use crate::seed::RunSeed;
use crate::spec::{SpecDocument, make_schema, print};

use super::violation::{Difference, Violation};

/// Checks the names of the experiment and its presets. Checks that undeclared parameters are
/// refused, and that each preset begins without inputs, plans trials, states its purpose and its
/// time, and is the same after it was printed and read again.
///
/// # Errors
/// [`Violation::Wrong`] in most cases.
pub fn presets<E: Experiment>() -> Result<(), Violation> {
    if !is_kebab(E::NAME) {
        return Err(Violation::wrong("the experiment's name", E::NAME, "in kebab-case"));
    }
    if E::SUMMARY.is_empty() || E::SUMMARY.lines().count() != 1 {
        return Err(Violation::wrong("the summary", format!("{:?}", E::SUMMARY), "one line"));
    }
    check_closed("", &make_schema::<E::Spec>())?;
    let mut names = BTreeSet::new();
    for preset in E::PRESETS {
        let Preset { name, .. } = preset;
        if !is_kebab(name) || !names.insert(name) {
            let expected = "in kebab-case, and unlike the others";
            return Err(Violation::wrong("a preset's name", format!("{name:?}"), expected));
        }
        check_preset::<E>(preset)?;
    }
    match names.contains(&"smoke") {
        true => Ok(()),
        false => Err(Violation::wrong("preset smoke", "missing", "there, and take no time")),
    }
}

fn check_preset<E: Experiment>(preset: &Preset) -> Result<(), Violation> {
    let experiment = erased::<E>();
    let name = format!("{}/{}", E::NAME, preset.name);
    let document = SpecDocument::parse(&name, preset.text.as_bytes())?;
    let head = document.head()?;
    if head.experiment != E::NAME {
        let what = format!("the experiment of preset {}", preset.name);
        return Err(Violation::wrong(what, head.experiment, E::NAME));
    }
    for (key, text) in [("about", &head.about), ("takes", &head.takes)] {
        if text.is_empty() {
            return Err(Violation::wrong(format!("`{key}` of {name}"), "empty", "in words"));
        }
    }
    let configured = experiment.configure(&document)?;
    let Beginning { state, .. } =
        configured.begin(&RunSeed::new(E::NAME, head.seed).generation(0), &[])?;
    configured.plan(&state)?;

    let params = configured.canonical_params();
    let json = serde_json::from_str(&params).expect("canonical parameters are JSON");
    let printed = print(&head, &json, experiment.schema());
    let printed = SpecDocument::parse(&format!("{name}, printed"), printed.as_bytes())?;
    let head_again = format!("{:?}", printed.head()?);
    let params_again = experiment.configure(&printed)?.canonical_params();
    Difference::check(&name, head_again.as_bytes(), format!("{head:?}").as_bytes())
        .and_then(|()| Difference::check(&name, params_again.as_bytes(), params.as_bytes()))
        .map_err(Violation::Reencoded)
}

/// Checks that each table of `schema`, which is at `path`, allows declared keys only: a typing
/// error must not go unnoticed.
fn check_closed(path: &str, schema: &Json) -> Result<(), Violation> {
    // A map has a schema there for its values.
    let is_closed = ["additionalProperties", "unevaluatedProperties"]
        .iter()
        .any(|key| schema[key] == false || schema[key].is_object());
    if schema["properties"].is_object() && !is_closed {
        let expected = "closed by #[serde(deny_unknown_fields)]";
        return Err(Violation::wrong(
            format!("the table of parameters at \"{path}\""),
            "open",
            expected,
        ));
    }
    match schema {
        Json::Object(nodes) => nodes
            .iter()
            .filter(|(key, _)| *key != "default")
            .try_for_each(|(key, node)| check_closed(&format!("{path}/{key}"), node)),
        Json::Array(nodes) => nodes
            .iter()
            .zip(0..)
            .try_for_each(|(node, idx)| check_closed(&format!("{path}/{idx}"), node)),
        _ => Ok(()),
    }
}

fn is_kebab(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(is_plain)
        && !name.ends_with('-')
}
