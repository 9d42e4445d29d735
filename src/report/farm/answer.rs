//! Documents that name their schema.

use schemars::JsonSchema;
use serde::Serialize;

/// What a verb answers: a document with a schema.
pub(crate) trait Answer: Serialize {
    /// The schema's name and version.
    const SCHEMA: &'static str;
}

/// `answer` on one line, for a stream of them.
pub(crate) fn line<A: Answer>(answer: A) -> String {
    serde_json::to_string(&Named { schema: A::SCHEMA, answer }).expect("documents are plain data")
}

/// `answer` spread over lines.
pub(crate) fn json<A: Answer>(answer: A) -> String {
    let named = Named { schema: A::SCHEMA, answer };
    serde_json::to_string_pretty(&named).expect("documents are plain data") + "\n"
}

// A document as it is printed. A doc comment here would be the description of all of them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{A}")]
pub(super) struct Named<A> {
    /// The name and the version of this document's schema.
    schema: &'static str,
    #[serde(flatten)]
    answer: A,
}
