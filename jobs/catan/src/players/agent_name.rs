//! Agents as text: their kind and their parameters.

use serde_json::{Value, json};

use super::agent::Agent;

/// Returns the kind of an agent and its parameters as text.
pub(crate) fn agent_name(agent: &Agent) -> String {
    named(&serde_json::to_value(agent).unwrap_or_default(), &Value::Null)
}

/// Returns the kind of an agent and the parameters that differ from the defaults, such as
/// `planner (opening_slack 8)`. This text tells different agents of a list apart.
pub(crate) fn short_agent_name(agent: &Agent) -> String {
    let json = serde_json::to_value(agent).unwrap_or_default();
    let default = serde_json::from_value::<Agent>(json!({ "kind": json["kind"] }));
    let default = default.ok().and_then(|default| serde_json::to_value(default).ok());
    named(&json, &default.unwrap_or_default())
}

/// Returns the kind of an agent as text, with each parameter that differs from `default`.
fn named(json: &Value, default: &Value) -> String {
    let kind = json["kind"].as_str().unwrap_or("unnamed").to_owned();
    let parameters = json.as_object().into_iter().flatten();
    let shown = parameters.filter(|(key, value)| *key != "kind" && default[*key] != **value);
    let shown: Vec<String> = shown.map(|(key, value)| format!("{key} {value}")).collect();
    if shown.is_empty() { kind } else { format!("{kind} ({})", shown.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::PlannerParams;

    #[test]
    fn short_names_have_what_differs() {
        let check = |change: PlannerParams, expected: &str| {
            assert_eq!(short_agent_name(&Agent::Planner(change)), expected);
        };
        check(PlannerParams::VALUE, "planner");
        check(PlannerParams { trade: false, ..PlannerParams::VALUE }, "planner (trade false)");
        check(
            PlannerParams { opening_slack: 8, ..PlannerParams::FAST },
            "planner (variant \"fast\", opening_slack 8)",
        );
        assert_eq!(short_agent_name(&Agent::Value), "value");
        assert!(agent_name(&Agent::Planner(PlannerParams::VALUE)).contains("trade true"));
    }
}
