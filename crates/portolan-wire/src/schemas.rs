//! The JSON Schema of every artifact, by name.

/// Every schema: its name and its text, sorted by name.
pub const ALL: &[(&str, &str)] = &[
    ("dependency.graph", include_str!("../../../schemas/dependency.graph.schema.json")),
    ("dependency.meta.v2", include_str!("../../../schemas/dependency.meta.v2.schema.json")),
    ("dependency.state.v2", include_str!("../../../schemas/dependency.state.v2.schema.json")),
    ("select.importers.v1", include_str!("../../../schemas/select.importers.v1.schema.json")),
    ("select.v1", include_str!("../../../schemas/select.v1.schema.json")),
    ("select.why.v1", include_str!("../../../schemas/select.why.v1.schema.json")),
];

/// The text of a schema.
pub fn find(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn names_are_sorted_and_each_schema_has_its_own() {
        assert!(ALL.is_sorted_by_key(|(name, _)| *name));
        for (name, text) in ALL {
            let schema: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(schema["$id"], format!("urn:portolan:schema:{name}"), "{name}");
        }
    }
}
