//! The published JSON Schemas, by name: the files of `schemas/`, compressed by the build script.

use std::sync::LazyLock;

/// The name and the text of each, sorted by name, each followed by a zero byte.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/schemas.deflate"));

/// Upper bound of the unpacked size.
const MAX_UNPACKED: usize = 1 << 20;

/// Every schema: its name and its text, sorted by name. Unpacked on first use.
pub static ALL: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(PACKED, MAX_UNPACKED);
        String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
    });
    let mut parts = TEXT.split_terminator('\0');
    std::iter::from_fn(|| Some((parts.next()?, parts.next()?))).collect()
});

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
        for (name, text) in ALL.iter() {
            let schema: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(schema["$id"], format!("urn:portolan:schema:{name}"), "{name}");
        }
        assert!(tool_report().contains("portolan.COMMAND"));
    }
}
