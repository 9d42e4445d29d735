//! Documents that name their schema.

use schemars::JsonSchema;
use serde::Serialize;

use crate::terminal::escape_json;

/// A document that a verb prints, with a schema.
pub(crate) trait JsonDocument: Serialize {
    /// The schema's name and version.
    const SCHEMA: &'static str;
}

/// Formats `document` on one line, for a stream of documents.
pub(crate) fn line<A: JsonDocument>(document: A) -> String {
    let named = SchemaTagged { schema: A::SCHEMA, document };
    escape_json(&serde_json::to_string(&named).expect("documents are plain data"))
}

/// Formats `document` over several lines.
pub(crate) fn json<A: JsonDocument>(document: A) -> String {
    let named = SchemaTagged { schema: A::SCHEMA, document };
    escape_json(&serde_json::to_string_pretty(&named).expect("documents are plain data")) + "\n"
}

// A document as it is printed. A doc comment here would be the description of all of them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{A}")]
pub(in crate::report) struct SchemaTagged<A> {
    /// The name and the version of this document's schema.
    schema: &'static str,
    #[serde(flatten)]
    document: A,
}
