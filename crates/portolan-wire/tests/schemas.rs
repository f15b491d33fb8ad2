//! The schemas in `schemas/` are generated from the types. `UPDATE_SCHEMAS=1 cargo test -p portolan-wire`
//! rewrites them.

use std::path::Path;

use portolan_wire::answer::AnswerV1;
use portolan_wire::atlas_report::{
    AtlasChartV1, AtlasFindV1, AtlasLookV1, AtlasQueryV1, ExportReportV1,
};
use portolan_wire::context::ContextPackV2;
use portolan_wire::declarations::{LookReportV1, PathReportV1, ReadReportV1};
use portolan_wire::diagnostics::DiagnosticsV1;
use portolan_wire::diff_report::DiffReportV1;
use portolan_wire::history::HistoryV1;
use portolan_wire::journal::JournalV1;
use portolan_wire::map::MapV1;
use portolan_wire::reports::{
    ApplyReportV1, CacheReportV1, ChartReportV1, CheckReportV1, GraphStatsV1, InitReportV1,
    PromptReportV1, ReplyReportV1, SnapReportV1, VerifyReportV1, ViewReportV1,
};
use portolan_wire::run_report::RunReportV1;
use portolan_wire::search::SearchReportV1;
use portolan_wire::snapshot::SnapshotV1;
use serde_json::Value;

#[test]
fn published_schemas_match_the_types() {
    let schemas: [(&str, Value); 29] = [
        ("search-report", SearchReportV1::schema()),
        ("map", MapV1::schema()),
        ("snapshot", SnapshotV1::schema()),
        ("diff-report", DiffReportV1::schema()),
        ("snap-history", HistoryV1::schema()),
        ("run-report", RunReportV1::schema()),
        ("answer", AnswerV1::schema()),
        ("init-report", InitReportV1::schema()),
        ("reply-report", ReplyReportV1::schema()),
        ("apply-report", ApplyReportV1::schema()),
        ("apply-journal", JournalV1::schema()),
        ("snap-report", SnapReportV1::schema()),
        ("chart-report", ChartReportV1::schema()),
        ("check-report", CheckReportV1::schema()),
        ("cache-report", CacheReportV1::schema()),
        ("graph-stats", GraphStatsV1::schema()),
        ("prompt-report", PromptReportV1::schema()),
        ("verify-report", VerifyReportV1::schema()),
        ("view-report", ViewReportV1::schema()),
        ("read-report", ReadReportV1::schema()),
        ("look-report", LookReportV1::schema()),
        ("path-report", PathReportV1::schema()),
        ("export-report", ExportReportV1::schema()),
        ("atlas-look", AtlasLookV1::schema()),
        ("atlas-find", AtlasFindV1::schema()),
        ("atlas-chart", AtlasChartV1::schema()),
        ("atlas-query", AtlasQueryV1::schema()),
        ("diagnostics", DiagnosticsV1::schema()),
        ("context-pack", ContextPackV2::schema()),
    ];
    for (name, schema) in schemas {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../schemas/{name}.schema.json"));
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        if std::env::var_os("UPDATE_SCHEMAS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(published, text, "{name}: run with UPDATE_SCHEMAS=1");
    }
}

#[test]
fn the_embedded_schemas_are_the_published_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), portolan_wire::schemas::ALL.len());
    for (name, text) in portolan_wire::schemas::ALL {
        let file = folder.join(format!("{name}.schema.json"));
        assert_eq!(std::fs::read_to_string(file).unwrap(), *text, "{name}");
    }
}
