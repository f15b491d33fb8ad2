//! The graph vectors: small repositories and their expected graphs.
//!
//! Vectors are compared as maps and sets. Deliberate differences are listed exactly in
//! [`DIFFERENCES`], with the reason; anything more or less fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use portolan_graph::{Graph, graph_file};
use portolan_index::map::{self, MapRequest};
use portolan_vfs::{MemorySystem, System};
use portolan_workspace::config::{GitEnvironment, Loaded, Settings, Stores};
use serde_json::Value;

const VECTORS: &str = include_str!("../conformance/graph.jsonl");

/// The folder of the fixtures in memory. `<BASE>` in a vector means this folder.
const BASE: &str = "/base";

/// Vectors that we deliberately do not match exactly: name, reason, differences. This list may only
/// shrink.
const DIFFERENCES: &[(&str, &str, &[&str])] = &[
    ("barrel-augmentation-bundler", AUGMENTATION, &["+ aug.ts -> a.ts type explicit"]),
    (
        "barrel-augmentation-external",
        AUGMENTATION,
        &["+ aug.d.ts -> node_modules/p/i.d.ts type explicit"],
    ),
    (
        "barrel-gitignored-and-mts",
        "D10: .mts files are analysed",
        &["+ b.mts -> x.ts runtime explicit"],
    ),
    (
        "doc-external-and-mts",
        "D10: .mts files are described",
        &["~ m.mts: description null is \"mts doc\""],
    ),
    (
        "doc-inline-tag-line",
        "D23: text on the tag line is used where there is no other",
        &[
            "~ a.ts: description null is \"Text after the tag\"",
            "~ b.ts: description null is \"My package\"",
        ],
    ),
    (
        "doc-regex-with-quote",
        "D23: comments come from the parser",
        &[
            "~ a.ts: description null is \"after regex quote\"",
            "~ b.ts: description \"before\" is \"after, longer text\"",
        ],
    ),
    (
        "doc-surrogate-split",
        "D23: the cut is at a whole character",
        &[
            "~ a.ts: description \"ab\u{fffd}...\" is \"ab...\"",
            "~ b.ts: description \"😀\u{fffd}...\" is \"😀...\"",
        ],
    ),
    (
        "form-commonjs",
        "D26: CommonJS exports count where they are clear",
        &["+ use.ts -> cj.js runtime implicit"],
    ),
    (
        "form-jsdoc-imports",
        "D15: types imported in JSDoc count",
        &[
            "+ a.js -> lib.ts type explicit",
            "+ b.js -> lib.ts type explicit",
            "+ b.js -> lib.ts type implicit",
        ],
    ),
    (
        "form-require-not-counted",
        "the issue: require.resolve is a dynamic edge",
        &["+ a.js -> lib.ts dynamic explicit"],
    ),
    (
        "inc-options-change",
        "issue 13: of what `excludes` names the map has the id only",
        &[
            "second ~ c.ts: metadata {\"hash\":\"691155a2fba7d0b83fcf1f9005d61a4361fed11320d05593ed6e12349dad4c24\",\"size\":20} is null",
        ],
    ),
    (
        "misc-kind-depends-on-order",
        "D39: the kind follows from the path",
        &["~ packages/a/dist/index.d.ts: kind \"external\" is \"source\""],
    ),
    (
        "misc-prototype-named-file",
        "D29: no name is special",
        &["+ node a.ts", "+ node constructor"],
    ),
    (
        "misc-small-app",
        "D22: an asset is a file; D11: `export type … from` is a type edge",
        &[
            "- node ./style.css",
            "- src/app/index.ts -> src/app/types.ts runtime explicit",
            "+ src/app/index.ts -> src/app/types.ts type explicit",
            "- src/main.tsx -> ./style.css runtime explicit",
            "+ src/main.tsx -> src/style.css runtime explicit",
        ],
    ),
    (
        "resolve-cwd-is-symlink",
        "D17: the root is made real once",
        &[
            "- node /base/real/node_modules/p/index.d.ts",
            "+ node node_modules/p/index.d.ts",
            "- src/a.ts -> /base/real/node_modules/p/index.d.ts runtime explicit",
            "+ src/a.ts -> node_modules/p/index.d.ts runtime explicit",
        ],
    ),
    (
        "resolve-exports-node10",
        "D22: JSON is a file",
        &[
            "- node dual/package.json",
            "+ node node_modules/dual/package.json",
            "- use.ts -> dual/package.json runtime explicit",
            "+ use.ts -> node_modules/dual/package.json runtime explicit",
        ],
    ),
    (
        "resolve-outside-root-relative",
        "D16: a file outside the root is an external",
        &[
            "~ /base/out/barrel.ts: kind \"source\" is \"external\"",
            "~ /base/out/x.ts: kind \"source\" is \"external\"",
        ],
    ),
    (
        "universe-backslash-filename",
        "D30: a node with its real name",
        &["+ node a\\b.ts", "+ node c.ts"],
    ),
    (
        "universe-exclude-negated",
        "D07: a negated pattern takes back what earlier ones matched, here nothing",
        &["+ node b.ts", "+ node c/d.ts"],
    ),
    (
        "universe-include-dot-slash-throws",
        "D06: `./x` is `x`",
        &["+ node .gitignore", "+ node gen/a.ts"],
    ),
    (
        "universe-include-star-star",
        "issue 13: only an include that names node_modules brings it back",
        &["- node node_modules/p/i.js"],
    ),
    (
        "universe-nested-node-modules",
        "D03: node_modules is out at any depth",
        &[
            "~ packages/a/node_modules/dep/index.js: kind \"source\" is \"external\"",
            "- node packages/a/node_modules/dep/x.js",
            "- packages/a/node_modules/dep/index.js -> packages/a/node_modules/dep/x.js runtime explicit",
        ],
    ),
    (
        "universe-uppercase-extension",
        "D12: extensions count in any case",
        &["+ Bar.TS -> foo.ts runtime explicit", "+ x.JS -> foo.ts runtime explicit"],
    ),
];

const AUGMENTATION: &str = "the issue: `declare module` in a module is a type edge";

#[test]
fn every_vector_gives_its_graph() {
    let mut failures = String::new();
    for line in VECTORS.lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let name = vector["name"].as_str().unwrap();
        if cfg!(windows) && name == "universe-backslash-filename" {
            // On this system a name cannot contain a backslash.
            continue;
        }
        let (actual, expected) = (differences(&vector), accepted_differences(name));
        if actual != expected {
            let about = vector["about"].as_str().unwrap_or_default();
            let _ = writeln!(failures, "{name}: {about}\n  {}", actual.join("\n  "));
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

fn accepted_differences(name: &str) -> Vec<String> {
    if name == "universe-symlink-dir-loop" {
        // D05: a link to a folder is not followed, so the 40 copies are not there.
        return (1..=40).map(|depth| format!("- node d/{}a.ts", "loop/".repeat(depth))).collect();
    }
    let accepted = DIFFERENCES.iter().find(|(known, _, _)| *known == name);
    accepted
        .map(|(_, _, lines)| lines.iter().map(ToString::to_string).collect())
        .unwrap_or_default()
}

fn differences(vector: &Value) -> Vec<String> {
    let system = MemorySystem::default();
    let mut lines = Vec::new();
    apply(&system, &vector["files"], &vector["symlinks"]);
    let graph = build(&system, &[&vector["options"]]);
    compare("", &vector["expected"], &vector["wanted"], &vector["divergent"], &graph, &mut lines);
    if let Some(second) = vector.get("second") {
        for path in second["delete"].as_array().into_iter().flatten() {
            system.remove_file(&Path::new(BASE).join(path.as_str().unwrap())).unwrap();
        }
        apply(&system, &second["write"], &second["symlinks"]);
        let graph = build(&system, &[&vector["options"], &second["options"]]);
        // A second run must always equal a cold one.
        let expected = vector.get("expectedSecondCold").unwrap_or(&vector["expectedSecond"]);
        compare("second ", expected, &vector["wantedSecond"], &Value::Null, &graph, &mut lines);
    }
    lines
}

fn apply(system: &MemorySystem, files: &Value, links: &Value) {
    system.create_dir_all(Path::new(BASE)).unwrap();
    for (path, content) in files.as_object().into_iter().flatten() {
        let bytes = match content {
            Value::String(text) => text.clone().into_bytes(),
            other => {
                data_encoding::BASE64.decode(other["base64"].as_str().unwrap().as_bytes()).unwrap()
            }
        };
        system.put(Path::new(BASE).join(path), bytes);
    }
    for (path, target) in links.as_object().into_iter().flatten() {
        system.link(Path::new(BASE).join(path), target.as_str().unwrap());
    }
}

fn build(system: &MemorySystem, options: &[&Value]) -> Result<Graph, String> {
    let option =
        |key: &str| options.iter().rev().map(|layer| &layer[key]).find(|value| !value.is_null());
    let strings = |value: Option<&Value>| -> Vec<String> {
        value
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|v| v.as_str().map(ToOwned::to_owned))
            .collect()
    };
    let cwd = Path::new(BASE).join(option("cwd").and_then(Value::as_str).unwrap_or("."));
    let patterns = |key: &str| strings(option("config").map(|config| &config[key]));
    let mut settings = Settings {
        includes: patterns("includes"),
        excludes: patterns("excludes"),
        ..Settings::default()
    };
    if let Some(limit) = option("nodeDescriptionLimit") {
        // 3.7 cuts where 3 does.
        settings.descriptions.limit = limit.to_string().split('.').next().unwrap().parse().unwrap();
    }
    if let Some(tags) = option("nodeDescriptionTags") {
        settings.descriptions.tags = strings(Some(tags));
    }
    let root: PathBuf = system.real_path(&cwd).unwrap();
    let git = GitEnvironment::default();
    let config = Loaded {
        root,
        config_path: None,
        settings,
        here: String::new(),
        notices: Vec::new(),
        git,
        stores: Stores::default(),
        user_cache: None,
        only: Vec::new(),
    };
    map::build(system, &MapRequest { config, threads: 2 })
        .map(|report| report.raw)
        .map_err(|error| error.to_string())
}

fn compare(
    which: &str,
    expected: &Value,
    wanted: &Value,
    divergent: &Value,
    actual: &Result<Graph, String>,
    lines: &mut Vec<String>,
) {
    let graph = match actual {
        Ok(graph) => serde_json::from_slice::<Value>(&graph_file(graph).to_bytes()).unwrap(),
        Err(error) => {
            if expected.get("throws").is_none() {
                lines.push(format!("{which}failed: {error}"));
            }
            return;
        }
    };
    let (edges, nodes) = (edges_of(&graph), nodes_of(&graph));
    if !wanted.is_null() {
        for (source, list) in wanted["edges"].as_object().into_iter().flatten() {
            diff_sets(which, source, &wanted_edges(list), edges.get(source), true, lines);
        }
        for (source, list) in wanted["edgesInclude"].as_object().into_iter().flatten() {
            diff_sets(which, source, &wanted_edges(list), edges.get(source), false, lines);
        }
        return;
    }
    if expected.get("throws").is_some() && divergent.is_null() {
        lines.push(format!("{which}should have failed: {}", expected["throws"]));
        return;
    }
    let (expected_edges, expected_nodes) =
        (edges_of(&expected["graph"]), nodes_of(&expected["graph"]));
    for id in expected_nodes.keys().chain(nodes.keys()).collect::<BTreeSet<_>>() {
        match (expected_nodes.get(id), nodes.get(id)) {
            (Some(left), Some(right)) => diff_nodes(which, id, left, right, lines),
            (Some(_), None) => lines.push(format!("{which}- node {id}")),
            (None, Some(_)) => lines.push(format!("{which}+ node {id}")),
            (None, None) => {}
        }
    }
    let empty = BTreeSet::new();
    for id in expected_edges.keys().chain(edges.keys()).collect::<BTreeSet<_>>() {
        diff_sets(which, id, expected_edges.get(id).unwrap_or(&empty), edges.get(id), true, lines);
    }
}

fn diff_sets(
    which: &str,
    source: &str,
    expected: &BTreeSet<String>,
    actual: Option<&BTreeSet<String>>,
    complete: bool,
    lines: &mut Vec<String>,
) {
    let empty = BTreeSet::new();
    let actual = actual.unwrap_or(&empty);
    lines.extend(expected.difference(actual).map(|edge| format!("{which}- {source} -> {edge}")));
    if complete {
        lines
            .extend(actual.difference(expected).map(|edge| format!("{which}+ {source} -> {edge}")));
    }
}

fn edges_of(graph: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let sources = graph["edges"].as_object().into_iter().flatten();
    let render = |edge: &Value| {
        let field = |key: &str| edge[key].as_str().unwrap().to_owned();
        format!(
            "{} {} {}",
            field("target").replace("<BASE>", BASE),
            field("kind"),
            field("resolution")
        )
    };
    sources
        .map(|(id, list)| {
            (id.replace("<BASE>", BASE), list.as_array().unwrap().iter().map(render).collect())
        })
        .collect()
}

fn wanted_edges(list: &Value) -> BTreeSet<String> {
    let words = |edge: &Value| {
        let words: Vec<_> =
            edge.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        words.join(" ")
    };
    list.as_array().unwrap().iter().map(words).collect()
}

fn nodes_of(graph: &Value) -> BTreeMap<String, Value> {
    let nodes = graph["nodes"].as_object().into_iter().flatten();
    nodes.map(|(id, node)| (id.replace("<BASE>", BASE), node.clone())).collect()
}

fn diff_nodes(which: &str, id: &str, expected: &Value, actual: &Value, lines: &mut Vec<String>) {
    for key in ["description", "kind", "language", "metadata"] {
        let (mut left, right) = (expected[key].clone(), actual[key].clone());
        // D10: these are TypeScript and JavaScript too.
        if key == "language" && [".mts", ".cts", ".mjs", ".cjs"].iter().any(|end| id.ends_with(end))
        {
            left = if id.ends_with("ts") { "ts".into() } else { "js".into() };
        }
        if left != right {
            lines.push(format!("{which}~ {id}: {key} {left} is {right}"));
        }
    }
}
