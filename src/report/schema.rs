//! The check of documented schemas, for tests.

use schemars::JsonSchema;

/// Checks that `docs/NAME.schema.json` is the schema of `T`; renew it with
/// `UPDATE_GOLDEN=1 cargo test schema`.
pub(super) fn check<T: JsonSchema>(name: &str) {
    let path = format!("{}/docs/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(T)).unwrap() + "\n";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &schema).unwrap();
    }
    let documented = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(documented, schema, "{path}: renew it with UPDATE_GOLDEN=1 cargo test schema");
}
