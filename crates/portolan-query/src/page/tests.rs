//! The page of a repository, drawn in memory.

use std::path::Path;

use portolan_vfs::MemorySystem;
use serde_json::Value;

use super::{PageReport, draw, write};
use portolan_index::map::{CacheMode, MapRequest};
use portolan_index::session::Session;
use portolan_workspace::config;

fn repository(root: &str, files: &[(&str, &str)]) -> MemorySystem {
    let system = MemorySystem::default();
    for (path, text) in files {
        system.put(format!("{root}/{path}"), *text);
    }
    system
}

fn drawn(system: &MemorySystem, root: &str, threads: usize) -> PageReport {
    let config = config::load(system, Path::new(root)).unwrap();
    let session = Session::open(system, MapRequest { config, threads }, CacheMode::Off).unwrap();
    draw(&session).unwrap()
}

/// The data of a page.
fn data(report: &PageReport) -> Value {
    let (_, rest) = report.html.split_once("id=\"data\">").unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap()
}

const FILES: [(&str, &str); 5] = [
    (
        "src/a.ts",
        "/** @module The first. */\nimport { b } from './b';\nexport const a = b;\nfunction local() {}\nconst late = 2;\nlocal.x = 1;\nexport { late };\n",
    ),
    (
        "src/b.ts",
        "import type { A } from './a';\nexport function b(): number;\nexport function b(x: number): number;\nexport function b() { return 1 }\n",
    ),
    ("src/c.ts", "import './a';\nimport 'gone';\n"),
    ("logo.png", "\u{89}PNG\0\0\0"),
    ("README.md", "# Read me\n"),
];

#[test]
fn a_page_carries_files_with_costs_declarations_and_edges() {
    let report = drawn(&repository("/r", &FILES), "/r", 1);
    let data = data(&report);
    let ids = &data["ids"];
    assert_eq!(
        ids["rest"],
        serde_json::json!(["README.md", "gone", "logo.png", "src/a.ts", "b.ts", "c.ts"])
    );
    assert_eq!(ids["shared"], serde_json::json!([0, 0, 0, 0, 4, 4]));
    assert_eq!(data["kinds"], "030000");
    assert_eq!(data["tokens"][1], Value::Null);
    assert_eq!(data["binary"], serde_json::json!([2]));
    assert_eq!(data["descriptions"], serde_json::json!([[3], ["The first."]]));
    let edges = &data["edges"];
    assert_eq!(edges["degrees"], serde_json::json!([0, 0, 0, 1, 1, 2]));
    assert_eq!(edges["targets"], serde_json::json!([4, 3, 1, 2]));
    assert_eq!(edges["masks"], serde_json::json!([9, 2, 1, 1]));
    let declared = &data["declarations"];
    assert_eq!(declared["names"], serde_json::json!(["a", "local", "late", "b"]));
    assert_eq!(declared["counts"], serde_json::json!([0, 0, 0, 3, 1, 0]));
    assert_eq!(declared["lines"], serde_json::json!([3, 1, 1, 2]));
    let is_exported: Vec<u64> = declared["marks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mark| mark.as_u64().unwrap() % 2)
        .collect();
    assert_eq!(is_exported, [1, 0, 1, 1]);
    assert_eq!((report.files, report.declarations), (5, 4));
    assert_eq!(data["changed"], Value::Null);
    assert_eq!(data["name"], "r");
}

#[test]
fn the_same_files_give_the_same_bytes_wherever_they_are() {
    let first = drawn(&repository("/one/r", &FILES), "/one/r", 1).html;
    assert_eq!(drawn(&repository("/other/place/r", &FILES), "/other/place/r", 4).html, first);
    assert!(!first.contains("/one"));
}

#[test]
fn a_denied_file_is_only_a_path() {
    let key = format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8j9K0a1B2c3D4e5F6g7H8");
    let text = format!("/** @module Holds {key} */\nexport const heldBack = '{key}';\n");
    let report = drawn(&repository("/r", &[("src/key.ts", &text)]), "/r", 1);
    assert!(report.html.contains("src/key.ts"));
    assert!(!report.html.contains(&key) && !report.html.contains("heldBack"));
}

#[test]
fn an_excluded_file_is_only_an_id() {
    let config = r#"{"stan-core":{"excludes":["hidden"]}}"#;
    let files = [
        ("stan.config.json", config),
        ("src/a.ts", "import '../hidden/b';\n"),
        ("hidden/b.ts", "/** @module Concealed. */\nexport const concealed = 1;\n"),
    ];
    let report = drawn(&repository("/r", &files), "/r", 1);
    let data = data(&report);
    let at = data["ids"]["rest"].as_array().unwrap().iter().position(|id| id == "hidden/b.ts");
    assert_eq!(data["tokens"][at.unwrap()], Value::Null);
    assert!(!report.html.to_lowercase().contains("concealed"));
}

#[test]
fn a_page_is_written_below_the_workspace_and_nowhere_else() {
    let system = repository("/r", &FILES);
    let config = config::load(&system, Path::new("/r")).unwrap();
    let mut report = drawn(&system, "/r", 1);
    let path = write(&system, &config, &mut report).unwrap();
    assert_eq!(path.as_str(), ".stan/output/view.html");
    let system = repository("/r", &FILES);
    system.put("/elsewhere/x", "");
    system.link("/r/.stan", "/elsewhere");
    let error = write(&system, &config, &mut report).unwrap_err().to_string();
    assert!(error.contains("`.stan` cannot be used"), "{error}");
}
