//! The published JSON Schemas, by name: the files of `schemas/`.

/// Every schema: its name and its text, sorted by name. The build script lists them.
pub static ALL: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/schemas.rs"));

/// The text of a schema.
pub fn find(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The report envelope of the x07 commands. `COMMAND` stands for the command's name with dots.
pub fn tool_report() -> &'static str {
    find("tool-report").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{ALL, tool_report};

    #[test]
    fn names_are_sorted_and_each_schema_has_its_own() {
        assert!(ALL.is_sorted_by_key(|(name, _)| *name));
        for (name, text) in ALL {
            let schema: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(schema["$id"], format!("urn:portolan:schema:{name}"), "{name}");
        }
        assert!(tool_report().contains("portolan.COMMAND"));
    }
}
