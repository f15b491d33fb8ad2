//! The published JSON Schemas, by name. They are the files of `schemas/`, compiled in.

/// The wrapper report of the x07 commands. `COMMAND` stands for the command's name with dots.
pub const TOOL_REPORT: &str = include_str!("../../../schemas/tool-report.schema.json");

/// Each schema and its name.
pub const ALL: &[(&str, &str)] = &[
    ("dependency-map", include_str!("../../../schemas/dependency-map.schema.json")),
    ("diff-report", include_str!("../../../schemas/diff-report.schema.json")),
    ("pack", include_str!("../../../schemas/pack.schema.json")),
    ("run-report", include_str!("../../../schemas/run-report.schema.json")),
    ("slice-meta", include_str!("../../../schemas/slice-meta.schema.json")),
    ("slice-report", include_str!("../../../schemas/slice-report.schema.json")),
    ("snap-history", include_str!("../../../schemas/snap-history.schema.json")),
    ("snapshot", include_str!("../../../schemas/snapshot.schema.json")),
    ("tool-report", TOOL_REPORT),
    ("x07diag", include_str!("../../../schemas/x07diag.schema.json")),
];
