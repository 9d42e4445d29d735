//! The schema of an experiment's parameters, and the ranges it sets.

use std::ops::Range;

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value as Json;
use toml_edit::{Item, TableLike};

/// The JSON schema of the parameters `S`: types, ranges, defaults and meanings.
#[must_use]
pub fn schema_of<S: JsonSchema>() -> Json {
    SchemaGenerator::default().into_root_schema_for::<S>().into()
}

/// A node of a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schema<'a> {
    root: &'a Json,
    node: &'a Json,
}

impl<'a> Schema<'a> {
    pub(super) fn root(root: &'a Json) -> Self {
        Self { root, node: root }
    }

    fn at(self, node: &'a Json) -> Self {
        Self { node, ..self }.resolved()
    }

    fn resolved(self) -> Self {
        let target = self.node["$ref"]
            .as_str()
            .and_then(|reference| self.root.pointer(reference.strip_prefix('#')?));
        target.map_or(self, |node| self.at(node))
    }

    /// The alternatives that this node leaves: itself, unless it is a choice.
    fn branches(self) -> Vec<Self> {
        let choice = ["oneOf", "anyOf", "allOf"].iter().find_map(|key| self.node[key].as_array());
        match choice {
            Some(nodes) => nodes.iter().flat_map(|node| self.at(node).branches()).collect(),
            None => vec![self],
        }
    }

    /// The alternative that describes a table whose entry `key` is the string `value(key)`.
    fn branch_for(self, value: impl Fn(&str) -> Option<String>) -> Self {
        let fits = |branch: &Self| {
            branch.node["properties"].as_object().is_some_and(|properties| {
                properties.iter().all(|(key, property)| {
                    property["const"].as_str().is_none_or(|tag| value(key).as_deref() == Some(tag))
                })
            })
        };
        self.branches().into_iter().find(fits).unwrap_or(self)
    }

    /// The schema of the table `item`, the alternative that its tag chooses.
    pub(super) fn of_table(self, table: &dyn TableLike) -> Self {
        self.branch_for(|key| Some(table.get(key)?.as_str()?.to_owned()))
    }

    /// The schema of the JSON object `object`, the alternative that its tag chooses.
    pub(super) fn of_object(self, object: &serde_json::Map<String, Json>) -> Self {
        self.branch_for(|key| Some(object.get(key)?.as_str()?.to_owned()))
    }

    /// The schema of the property `key`, and its node before references are followed: that is
    /// where what is said of the property itself stands.
    pub(super) fn property(self, key: &str) -> Option<Self> {
        Some(Self { node: self.node.get("properties")?.get(key)?, ..self })
    }

    pub(super) fn items(self) -> Option<Self> {
        let array = self.resolved().branches().into_iter().find(|b| !b.node["items"].is_null())?;
        Some(self.at(&array.node["items"]))
    }

    pub(super) fn follow(self) -> Self {
        self.resolved()
    }

    pub(super) fn text(self, key: &str) -> Option<&'a str> {
        self.node[key].as_str()
    }

    pub(super) fn default(self) -> Option<&'a Json> {
        self.node.get("default")
    }

    /// The strings that are allowed, where only some are.
    pub(super) fn choices(self) -> Vec<&'a str> {
        let of_branch = |branch: Self| -> Vec<&'a str> {
            match branch.node["enum"].as_array() {
                Some(values) => values.iter().filter_map(Json::as_str).collect(),
                None => branch.text("const").into_iter().collect(),
            }
        };
        self.resolved().branches().into_iter().flat_map(of_branch).collect()
    }

    /// The range that is allowed, in words; `None` where any value of the type is right.
    pub(super) fn range(self) -> Option<String> {
        self.resolved().branches().into_iter().find_map(|branch| {
            let above = branch.node.get("exclusiveMinimum").map(|low| format!("above {low}"));
            let below = branch.node.get("exclusiveMaximum").map(|high| format!("below {high}"));
            let from = branch.node.get("minimum").map(|low| format!("from {low}"));
            let to = branch.node.get("maximum").map(|high| format!("to {high}"));
            let least = branch.node.get("minItems").map(|n| format!("at least {n} entries"));
            let most = branch.node.get("maxItems").map(|n| format!("at most {n} entries"));
            let parts: Vec<_> =
                [above, from, to, below, least, most].into_iter().flatten().collect();
            (!parts.is_empty()).then(|| parts.join(" "))
        })
    }

    fn allows_number(self, number: f64) -> bool {
        let bound = |key: &str| self.node[key].as_f64();
        bound("minimum").is_none_or(|low| low <= number)
            && bound("maximum").is_none_or(|high| number <= high)
            && bound("exclusiveMinimum").is_none_or(|low| low < number)
            && bound("exclusiveMaximum").is_none_or(|high| number < high)
    }

    fn allows_length(self, length: usize) -> bool {
        let bound = |key: &str| self.node[key].as_u64().and_then(|n| usize::try_from(n).ok());
        bound("minItems").is_none_or(|low| low <= length)
            && bound("maxItems").is_none_or(|high| length <= high)
    }
}

/// A value outside the range that its schema sets.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) key: String,
    pub(super) item: Item,
    pub(super) expected: String,
    pub(super) span: Option<Range<usize>>,
}

/// Checks every number and every array length in `item` against the ranges of `schema`. Types and
/// unknown keys are left to deserialization, which names them better.
pub(super) fn check_ranges(schema: Schema<'_>, item: &Item, key: &str) -> Result<(), Box<Fault>> {
    let below = |part: &str| if key.is_empty() { part.to_owned() } else { format!("{key}.{part}") };
    let schema = schema.resolved();
    if let Some(table) = item.as_table_like() {
        let schema = schema.of_table(table);
        return table.iter().try_for_each(|(part, item)| match schema.property(part) {
            Some(schema) => check_ranges(schema, item, &below(part)),
            None => Ok(()),
        });
    }
    #[expect(clippy::cast_precision_loss, reason = "bounds are far below 2^53")]
    let number = item.as_float().or_else(|| item.as_integer().map(|integer| integer as f64));
    let length = item
        .as_array()
        .map(toml_edit::Array::len)
        .or_else(|| item.as_array_of_tables().map(toml_edit::ArrayOfTables::len));
    let fits = schema.branches().into_iter().any(|branch| {
        number.is_none_or(|number| branch.allows_number(number))
            && length.is_none_or(|length| branch.allows_length(length))
    });
    if !fits {
        let expected = schema.range().unwrap_or_default();
        let (key, item, span) = (key.to_owned(), item.clone(), item.span());
        return Err(Box::new(Fault { key, item, expected, span }));
    }
    let Some(items) = schema.items() else { return Ok(()) };
    (0..length.unwrap_or(0)).try_for_each(|idx| {
        let element = item.get(idx).cloned().or_else(|| element_of_array(item, idx));
        element.map_or(Ok(()), |element| check_ranges(items, &element, &below(&idx.to_string())))
    })
}

/// Element `idx` of an array of values as an item, its span kept.
fn element_of_array(item: &Item, idx: usize) -> Option<Item> {
    item.as_array()?.get(idx).cloned().map(Item::Value)
}
