//! The values that a schema allows, in words.

use serde_json::Value as Json;

use super::schema::SchemaNode;

/// Returns the allowed range, in words; `None` if any value of the type is right.
pub(super) fn range(schema: &SchemaNode<'_>) -> Option<String> {
    schema.branches().into_iter().find_map(|branch| {
        let own = branch_range(&branch);
        let inner = branch.items().and_then(|items| branch_range(&items));
        match (own, inner) {
            (Some(own), Some(inner)) => Some(format!("{own}, each {inner}")),
            (None, Some(inner)) => Some(format!("each {inner}")),
            (own, None) => own,
        }
    })
}

/// Returns the allowed values, in words: `an integer from 1 to 100`.
pub(super) fn expected(schema: &SchemaNode<'_>) -> String {
    let choices = schema.choices();
    let mut words: Vec<String> = Vec::new();
    match choices[..] {
        [] => {}
        [only] => words.push(format!("{only:?}")),
        _ => words.push(format!("one of {}", quoted(&choices))),
    }
    for branch in schema.branches().iter().filter(|branch| branch.choices().is_empty()) {
        let branch = branch_words(branch);
        if !words.contains(&branch) {
            words.push(branch);
        }
    }
    words.join(" or ")
}

/// Returns `choices` as TOML writes them.
pub(super) fn quoted(choices: &[&str]) -> String {
    choices.iter().map(|choice| format!("{choice:?}")).collect::<Vec<_>>().join(", ")
}

fn branch_words(branch: &SchemaNode<'_>) -> String {
    let range = branch_range(branch).map(|range| format!(" {range}")).unwrap_or_default();
    let is_32_bit = branch.text("format") == Some("float");
    match branch.text("type").or_else(|| optional(branch)) {
        Some("integer") => format!("an integer{range}{}", type_limit(branch)),
        Some("number") if range.is_empty() && is_32_bit => "a finite 32-bit number".to_owned(),
        Some("number") if range.is_empty() => "a finite number".to_owned(),
        Some("number") => format!("a number{range}"),
        Some("string") if range.is_empty() => "a string".to_owned(),
        Some("string") => format!("a string of{range}"),
        Some("boolean") => "true or false".to_owned(),
        Some("array") => {
            let range = if range.is_empty() { String::new() } else { format!(" of{range}") };
            let inner = branch.items().and_then(|items| branch_range(&items));
            let inner = inner.map(|inner| format!(", each {inner}")).unwrap_or_default();
            format!("a list{range}{inner}")
        }
        Some("object") => "a table".to_owned(),
        _ => "another value".to_owned(),
    }
}

/// Returns the greatest integer of the Rust type, where the schema sets no other limit.
fn type_limit(branch: &SchemaNode<'_>) -> String {
    let is_limited = ["maximum", "exclusiveMaximum"].iter().any(|key| branch.get(key).is_some());
    match branch.type_limits() {
        [_, Some(high)] if !is_limited => format!(" to {high}"),
        _ => String::new(),
    }
}

/// Returns the type of a value that may be left out.
fn optional<'a>(branch: &SchemaNode<'a>) -> Option<&'a str> {
    ["integer", "number", "string", "boolean", "array", "object"]
        .into_iter()
        .find(|name| branch.has_type(name) && branch.has_type("null"))
}

fn branch_range(branch: &SchemaNode<'_>) -> Option<String> {
    let bound = |key: &str| branch.get(key).filter(|bound| bound.is_number());
    let is_open = bound("minimum").or_else(|| bound("exclusiveMinimum")).is_none();
    let below = if is_open { "below" } else { "to below" };
    let parts = [
        bound("exclusiveMinimum").map(|low| format!("above {low}")),
        bound("minimum").map(|low| format!("from {low}")),
        bound("exclusiveMaximum").map(|high| format!("{below} {high}")),
        bound("maximum").map(|high| format!("to {high}")),
        length(bound("minItems"), bound("maxItems"), ["entry", "entries"]),
        length(bound("minLength"), bound("maxLength"), ["character", "characters"]),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Returns a number of things: `1 to 100 entries`.
fn length(low: Option<&Json>, high: Option<&Json>, [one, many]: [&str; 2]) -> Option<String> {
    let things = |n: &Json| if n.as_u64() == Some(1) { one } else { many };
    match (low, high) {
        (Some(low), Some(high)) if low == high => Some(format!("{low} {}", things(low))),
        (Some(low), Some(high)) => Some(format!("{low} to {high} {}", things(high))),
        (Some(low), None) => Some(format!("at least {low} {}", things(low))),
        (None, Some(high)) => Some(format!("at most {high} {}", things(high))),
        (None, None) => None,
    }
}
