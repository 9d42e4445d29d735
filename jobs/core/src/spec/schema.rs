//! The JSON schema of an experiment's parameters.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value as Json;

/// Returns the JSON schema of the parameters `S`: types, ranges, defaults and meanings.
///
/// A process makes each schema once, because that takes longer than all other work on a small spec.
#[must_use]
pub fn schema_of<S: JsonSchema + 'static>() -> &'static Json {
    static MADE: Mutex<BTreeMap<TypeId, &'static Json>> = Mutex::new(BTreeMap::new());
    // A panic while a schema is made leaves the map as it was.
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(TypeId::of::<S>()).or_insert_with(|| Box::leak(Box::new(make_schema::<S>())))
}

/// Makes the schema that [`schema_of`] keeps.
pub(crate) fn make_schema<S: JsonSchema>() -> Json {
    SchemaGenerator::default().into_root_schema_for::<S>().into()
}

/// A node of a schema, as `schemars` derives them.
#[derive(Clone, Debug)]
pub(crate) struct SchemaNode<'a> {
    root: &'a Json,
    /// The node and the nodes that it refers to; all of them hold. A property's own words come
    /// before the words of its type.
    layers: Vec<&'a Json>,
}

/// The keys of a table, with the values that are strings.
pub(crate) type TableOutline<'a> = BTreeMap<&'a str, Option<&'a str>>;

impl<'a> SchemaNode<'a> {
    pub(crate) fn root(root: &'a Json) -> Self {
        Self::at(root, root)
    }

    fn at(root: &'a Json, node: &'a Json) -> Self {
        let mut layers = vec![node];
        let mut referring = node;
        while let Some(target) = referring["$ref"]
            .as_str()
            .and_then(|reference| root.pointer(reference.strip_prefix('#')?))
        {
            layers.push(target);
            referring = target;
        }
        Self { root, layers }
    }

    /// Returns the node and the nodes that it refers to.
    pub(crate) fn layers(&self) -> &[&'a Json] {
        &self.layers
    }

    /// Returns an empty node, which allows everything.
    pub(crate) fn anything(&self) -> Self {
        Self { root: self.root, layers: Vec::new() }
    }

    /// Returns the first value of `key`.
    pub(crate) fn get(&self, key: &str) -> Option<&'a Json> {
        self.layers.iter().find_map(|layer| layer.get(key))
    }

    pub(crate) fn text(&self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_str()
    }

    pub(crate) fn default(&self) -> Option<&'a Json> {
        self.get("default")
    }

    /// Returns the alternatives of this node, or the node itself if it is no choice. TOML has no
    /// null, so an optional value has no alternative for its absence.
    pub(crate) fn branches(&self) -> Vec<Self> {
        let choice =
            |layer: &&'a Json| ["oneOf", "anyOf"].iter().find_map(|key| layer.get(key)?.as_array());
        match self.layers.iter().find_map(choice) {
            Some(nodes) => nodes
                .iter()
                .flat_map(|node| Self::at(self.root, node).branches())
                .filter(|branch| branch.types() != ["null"])
                .collect(),
            None => vec![self.clone()],
        }
    }

    /// Returns the allowed types; empty if any type is allowed.
    fn types(&self) -> Vec<&'a str> {
        match self.get("type") {
            Some(Json::String(name)) => vec![name],
            Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn has_type(&self, name: &str) -> bool {
        let types = self.types();
        types.is_empty() || types.contains(&name)
    }

    /// Returns the alternative for a table with the keys `outline`: the alternative that the
    /// table's tag names, or the alternative with most of the table's keys. `None` if the tag names
    /// no alternative.
    pub(crate) fn of_table(&self, outline: &TableOutline<'_>) -> Option<Self> {
        let branches = self.branches().into_iter().filter(|branch| branch.has_type("object"));
        let fits = |branch: &Self| {
            branch.tags().all(|(key, tag)| outline.get(key).is_some_and(|it| *it == Some(tag)))
        };
        let n_unknown =
            |branch: &Self| outline.keys().filter(|key| branch.property(key).is_none()).count();
        let branches: Vec<_> = branches.collect();
        // Where tags tell alternatives apart, one without a tag must have a key of the table.
        let is_tagged = branches.iter().any(|branch| branch.tags().next().is_some());
        let is_likely = |branch: &Self| {
            !is_tagged || branch.tags().next().is_some() || n_unknown(branch) < outline.len()
        };
        branches.into_iter().filter(fits).filter(is_likely).min_by_key(n_unknown)
    }

    /// Returns the tags: keys whose value decides which alternative a table is, with that value.
    pub(crate) fn tags(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let properties = self.layers.iter().filter_map(|layer| layer["properties"].as_object());
        properties
            .flatten()
            .filter_map(|(key, property)| Some((key.as_str(), property["const"].as_str()?)))
    }

    /// Returns the tag of a choice between tables: its key and all its values.
    pub(crate) fn tag(&self) -> Option<(&'a str, Vec<&'a str>)> {
        let tags: Vec<_> = self.branches().iter().flat_map(Self::tags).collect();
        let (key, _) = *tags.first()?;
        Some((key, tags.iter().filter(|tag| tag.0 == key).map(|tag| tag.1).collect()))
    }

    pub(crate) fn property(&self, key: &str) -> Option<Self> {
        let of_layer = |layer: &&'a Json| {
            let own = layer.get("properties").and_then(|properties| properties.get(key));
            own.or_else(|| layer.get("additionalProperties").filter(|node| node.is_object()))
        };
        Some(Self::at(self.root, self.layers.iter().find_map(of_layer)?))
    }

    /// Returns the keys that a table can have.
    pub(crate) fn keys(&self) -> Vec<&'a str> {
        let properties = self.layers.iter().filter_map(|layer| layer["properties"].as_object());
        properties.flatten().map(|(key, _)| key.as_str()).collect()
    }

    /// Returns the keys that a table must have.
    pub(crate) fn required(&self) -> impl Iterator<Item = &'a str> {
        let lists = self.layers.iter().filter_map(|layer| layer["required"].as_array());
        lists.flatten().filter_map(Json::as_str)
    }

    /// Returns true if a table can have known keys only.
    pub(crate) fn is_closed(&self) -> bool {
        ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .any(|key| self.get(key) == Some(&Json::Bool(false)))
    }

    /// Returns the schema of the entries of a list.
    pub(crate) fn items(&self) -> Option<Self> {
        let items = self.branches().iter().find_map(|branch| branch.get("items"))?;
        Some(Self::at(self.root, items))
    }

    /// Returns the allowed strings; empty if any string is allowed.
    pub(crate) fn choices(&self) -> Vec<&'a str> {
        let of_branch = |branch: &Self| -> Vec<&'a str> {
            match branch.get("enum").and_then(Json::as_array) {
                Some(values) => values.iter().filter_map(Json::as_str).collect(),
                None => branch.text("const").into_iter().collect(),
            }
        };
        self.branches().iter().flat_map(of_branch).collect()
    }

    /// Returns true if `text` is an allowed string.
    pub(crate) fn allows_text(&self, text: &str) -> bool {
        let choices = self.choices();
        choices.is_empty() || choices.contains(&text)
    }

    pub(crate) fn allows_number(&self, number: f64) -> bool {
        let bound = |key: &str| self.get(key).and_then(Json::as_f64);
        let [low, high] = self.type_limits();
        number.is_finite()
            && low.is_none_or(|low| low <= number)
            && high.is_none_or(|high| number <= high)
            && bound("minimum").is_none_or(|low| low <= number)
            && bound("maximum").is_none_or(|high| number <= high)
            && bound("exclusiveMinimum").is_none_or(|low| low < number)
            && bound("exclusiveMaximum").is_none_or(|high| number < high)
    }

    /// Returns true if a list can have `length` entries, or a string as many characters.
    pub(crate) fn allows_length(&self, length: usize) -> bool {
        let bound = |keys: [&str; 2]| {
            let bound = keys.iter().find_map(|key| self.get(key)?.as_u64());
            bound.and_then(|n| usize::try_from(n).ok())
        };
        bound(["minItems", "minLength"]).is_none_or(|low| low <= length)
            && bound(["maxItems", "maxLength"]).is_none_or(|high| length <= high)
    }

    /// Returns the least and the greatest number of the Rust type, if the schema names a type
    /// smaller than TOML's numbers.
    pub(crate) fn type_limits(&self) -> [Option<f64>; 2] {
        let limits = |low: f64, high: f64| [Some(low), Some(high)];
        match self.text("format") {
            Some("uint8") => limits(0.0, u8::MAX.into()),
            Some("uint16") => limits(0.0, u16::MAX.into()),
            Some("uint32") => limits(0.0, u32::MAX.into()),
            Some("int8") => limits(i8::MIN.into(), i8::MAX.into()),
            Some("int16") => limits(i16::MIN.into(), i16::MAX.into()),
            Some("int32") => limits(i32::MIN.into(), i32::MAX.into()),
            Some("float") => limits(f32::MIN.into(), f32::MAX.into()),
            _ => [None, None],
        }
    }
}
