//! The published JSON Schemas, by name. They are the files of `schemas/`, compiled in.

/// The wrapper report of the x07 commands. `COMMAND` stands for the command's name with dots.
pub const TOOL_REPORT: &str = include_str!("../../../schemas/tool-report.schema.json");

/// Every schema: its name and its text, sorted by name.
pub const ALL: &[(&str, &str)] = &[
    ("answer", include_str!("../../../schemas/answer.schema.json")),
    ("apply-journal", include_str!("../../../schemas/apply-journal.schema.json")),
    ("apply-report", include_str!("../../../schemas/apply-report.schema.json")),
    ("atlas-chart", include_str!("../../../schemas/atlas-chart.schema.json")),
    ("atlas-find", include_str!("../../../schemas/atlas-find.schema.json")),
    ("atlas-look", include_str!("../../../schemas/atlas-look.schema.json")),
    ("atlas-query", include_str!("../../../schemas/atlas-query.schema.json")),
    ("chart-report", include_str!("../../../schemas/chart-report.schema.json")),
    ("check-report", include_str!("../../../schemas/check-report.schema.json")),
    ("config", include_str!("../../../schemas/config.schema.json")),
    ("context-pack", include_str!("../../../schemas/context-pack.schema.json")),
    ("diagnostics", include_str!("../../../schemas/diagnostics.schema.json")),
    ("diff-report", include_str!("../../../schemas/diff-report.schema.json")),
    ("export-report", include_str!("../../../schemas/export-report.schema.json")),
    ("find-report", include_str!("../../../schemas/find-report.schema.json")),
    ("graph", include_str!("../../../schemas/graph.schema.json")),
    ("graph-stats", include_str!("../../../schemas/graph-stats.schema.json")),
    ("init-report", include_str!("../../../schemas/init-report.schema.json")),
    ("look-report", include_str!("../../../schemas/look-report.schema.json")),
    ("map", include_str!("../../../schemas/map.schema.json")),
    ("meta", include_str!("../../../schemas/meta.schema.json")),
    ("pack", include_str!("../../../schemas/pack.schema.json")),
    ("prompt-report", include_str!("../../../schemas/prompt-report.schema.json")),
    ("read-report", include_str!("../../../schemas/read-report.schema.json")),
    ("reply-report", include_str!("../../../schemas/reply-report.schema.json")),
    ("run-report", include_str!("../../../schemas/run-report.schema.json")),
    ("select-importers", include_str!("../../../schemas/select-importers.schema.json")),
    ("select-report", include_str!("../../../schemas/select-report.schema.json")),
    ("select-why", include_str!("../../../schemas/select-why.schema.json")),
    ("slice-meta", include_str!("../../../schemas/slice-meta.schema.json")),
    ("slice-report", include_str!("../../../schemas/slice-report.schema.json")),
    ("snap-history", include_str!("../../../schemas/snap-history.schema.json")),
    ("snap-report", include_str!("../../../schemas/snap-report.schema.json")),
    ("snapshot", include_str!("../../../schemas/snapshot.schema.json")),
    ("state", include_str!("../../../schemas/state.schema.json")),
    ("tool-report", TOOL_REPORT),
    ("verify-report", include_str!("../../../schemas/verify-report.schema.json")),
    ("view-report", include_str!("../../../schemas/view-report.schema.json")),
    ("x07diag", include_str!("../../../schemas/x07diag.schema.json")),
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
