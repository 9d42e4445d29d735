//! Checks of the inputs that a spec names.

use serde::Deserialize;
use serde_json::Value as Json;

use crate::erased::stored_files;
use crate::experiment::Experiment;
use crate::input::{NamedInput, PartInput};
use crate::spec::NamedFiles;

use super::recording::Recording;
use super::violation::Violation;

/// Checks that the experiment lists every input in its parameters under its key, and no other
/// input: an input that is not listed is not searched for.
///
/// # Errors
/// [`Violation::Wrong`]
pub fn inputs_are_listed<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    let params = recording.configured.canonical_params();
    let mut named = named_in(&params);
    named.extend(stored_files(&params)?.iter().map(NamedFiles::input));
    let listed = recording.configured.inputs()?;
    if let Some(input) = named.iter().find(|input| !listed.contains(input)) {
        return Err(Violation::wrong("the input", input.to_string(), "listed under its key"));
    }
    match listed.into_iter().find(|input| !named.contains(input)) {
        Some(input) => {
            Err(Violation::wrong("the listed input", input.to_string(), "among the parameters"))
        }
        None => Ok(()),
    }
}

/// Returns the inputs in canonical parameters.
fn named_in(params: &str) -> Vec<NamedInput> {
    let params = serde_json::from_str(params).expect("canonical parameters are JSON");
    let mut named = Vec::new();
    find(&params, "", &mut named);
    named
}

/// Adds the inputs in `value`, which is at `path`, to `found`.
fn find(value: &Json, path: &str, found: &mut Vec<NamedInput>) {
    let below = |key: &str| match path {
        "" => key.to_owned(),
        path => format!("{path}.{key}"),
    };
    if let Ok(input) = PartInput::deserialize(value) {
        return found.push(input.named(path));
    }
    match value {
        Json::Object(table) => {
            table.iter().for_each(|(key, value)| find(value, &below(key), found));
        }
        Json::Array(values) => {
            (0..).zip(values).for_each(|(idx, value): (usize, _)| {
                find(value, &below(&idx.to_string()), found);
            });
        }
        _ => {}
    }
}
