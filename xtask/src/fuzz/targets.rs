//! The readers of text from outside, each with the promise it is held to.
//!
//! A target answers with a sentence (what came of the input), so that new answers can be told from
//! known ones, and panics where a promise is broken.

use std::collections::BTreeSet;
use std::path::Path;

use portolan_engine::declarations::{self, DeclarationStore, ReadRequest};
use portolan_engine::map::{self, CacheMode, MapRequest};
use portolan_engine::reply::{self, ReplyRequest};
use portolan_engine::select::parse_entry;
use portolan_engine::{System, config};
use portolan_pack::{ManifestError, read_diagnostics, read_manifest};
use portolan_resolve::npm::{Form, Resolver};
use portolan_resolve::{Ground, PathSources};
use portolan_scan::{GitEnvironment, Patterns, ScanSettings, scan};
use portolan_slice::{Closure, Enclosure, SliceRequest};
use portolan_syntax::{ExtractSettings, Extractor, Facts};
use portolan_types::RepoPath;
use portolan_types::declarations::Span;
use portolan_vfs::MemorySystem;
use portolan_wire::graph::AnyGraph;
use portolan_wire::history::HistoryV1;
use portolan_wire::journal::JournalV1;
use portolan_wire::map::MapV1;
use portolan_wire::meta::MetaV2;
use portolan_wire::problem::Problem;
use portolan_wire::snapshot::SnapshotV1;
use portolan_wire::state::{self, ReadState};

/// A reader.
pub(super) struct Target {
    /// Its name, and that of its corpus.
    pub(super) name: &'static str,
    /// Reads, and answers what came of it.
    pub(super) check: fn(&[u8]) -> String,
}

pub(super) const TARGETS: &[Target] = &[
    Target { name: "state", check: state },
    Target { name: "entry", check: entry },
    Target { name: "meta", check: meta },
    Target { name: "graph", check: graph },
    Target { name: "map", check: map_file },
    Target { name: "snapshot", check: snapshot },
    Target { name: "history", check: history },
    Target { name: "config-yaml", check: config_yaml },
    Target { name: "config-json", check: config_json },
    Target { name: "manifests", check: manifests },
    Target { name: "ignore", check: ignore },
    Target { name: "globs", check: globs },
    Target { name: "source", check: source },
    Target { name: "component", check: component },
    Target { name: "declarations", check: declarations },
    Target { name: "x07ast", check: x07ast },
    Target { name: "diagnostics", check: diagnostics },
    Target { name: "output", check: output },
    Target { name: "project", check: project },
    Target { name: "reply", check: reply_text },
    Target { name: "diff", check: diff },
    Target { name: "envelope", check: envelope },
    Target { name: "exchange", check: exchange },
    Target { name: "file-ops", check: file_ops },
    Target { name: "journal", check: journal },
    Target { name: "archive", check: archive },
    Target { name: "cache", check: cache },
];

/// Words that mean something to one reader or another.
pub(super) const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    ",",
    ":",
    ";",
    "\"",
    "'",
    "`",
    "\\",
    "/",
    "..",
    "../",
    "*",
    "**/",
    "!",
    "#",
    "@",
    "$",
    "&a ",
    "*a",
    "- ",
    "---\n",
    "\n",
    "\r\n",
    "\t",
    " ",
    "\0",
    "\u{feff}",
    "\u{202e}",
    "\u{e9}",
    "\\ud800",
    "\\u0000",
    "\u{1f600}",
    "null",
    "true",
    "-0",
    "1e999",
    "0.1",
    "99999999999999999999",
    "18446744073709551615",
    "-1",
    "--- a/f\n+++ b/f\n",
    "@@ -1,2 +1,2 @@\n",
    "@@ ... @@\n",
    "*** Update File: g\n",
    "*** Move to: h\n",
    "=======\n",
    "<<<<<<< SEARCH\n",
    ">>>>>>> REPLACE\n",
    "\\ No newline at end of file\n",
    "\"v\":2",
    "\"v\":1",
    "\"i\":",
    "\"x\":",
    "\"n\":",
    "\"e\":",
    "\"files\":",
    "\"nodes\":",
    "\"edges\":",
    "\"sha256\":\"",
    "\"size\":",
    "\"entries\":",
    "\"index\":",
    "stan-core:",
    "stanPath:",
    "excludes:",
    "imports:",
    "portolan:",
    "\"stan-core\":",
    "\"exports\":",
    "\"imports\":",
    "\"types\":",
    "\"main\":",
    "\"paths\":",
    "\"extends\":",
    "\"references\":",
    "\"compilerOptions\":",
    "\"workspaces\":",
    "\"typesVersions\":",
    "./",
    "node_modules/",
    "import ",
    "export ",
    "from ",
    "default ",
    "type ",
    "require(",
    "import(",
    "export * from ",
    "declare module ",
    "infer T extends ",
    "=>",
    "${",
    "/*",
    "*/",
    "//",
    "/**",
    "@module ",
    "<script",
    "</script>",
    "<script setup lang=\"ts\">",
    "<!--",
    "-->",
    "<template>",
    "\"schema_version\":",
    "\"decls\":",
    "\"kind\":",
    "\"body\":",
    "\"diagnostics\":",
    "\"loc\":",
    "\"ptr\":",
    "\"code\":",
    "\"message\":",
    "\"entry\":",
    "\"world\":",
    "```",
    "```diff\n",
    "--- a/",
    "+++ b/",
    "@@ -1,1 +1,1 @@\n",
    "diff --git ",
    "dependency.state.json",
    "ustar",
    "\u{7f}",
    "\u{1b}[31m",
];

fn told(problem: &Problem) -> String {
    assert!(problem.position.is_some_and(|(line, column)| line > 0 && column > 0), "{problem}");
    problem.to_string()
}

fn all_told(problems: &[Problem]) -> String {
    problems.iter().map(told).collect::<Vec<_>>().join("; ")
}

fn state(input: &[u8]) -> String {
    let read = match state::read(input) {
        Err(problem) => return told(&problem),
        Ok(read) => read,
    };
    let answer = format!("{} {}", all_told(&read.problems), all_told(&read.notes));
    let text = read.state.to_text();
    let again = state::read(text.as_bytes()).map_err(|problem| vec![problem]);
    let again = again.and_then(ReadState::strict).map(|read| read.state.to_text());
    assert_eq!(again.as_ref(), Ok(&text));
    answer
}

fn entry(input: &[u8]) -> String {
    match parse_entry(&String::from_utf8_lossy(input)) {
        Ok(entry) => format!("{}", entry.kinds.is_some()),
        Err(error) => error.to_string(),
    }
}

fn meta(input: &[u8]) -> String {
    let read = match MetaV2::read(input) {
        Err(problem) => return told(&problem),
        Ok(read) => read,
    };
    let bytes = read.value.to_bytes();
    let again = MetaV2::read(&bytes).map(|again| again.value.to_bytes());
    assert_eq!(again.as_ref(), Ok(&bytes));
    all_told(&read.problems)
}

fn graph(input: &[u8]) -> String {
    match AnyGraph::read(input) {
        Err(problem) => told(&problem),
        Ok(read) => all_told(&read.problems),
    }
}

fn map_file(input: &[u8]) -> String {
    match MapV1::from_bytes(input) {
        Err(error) => error.message,
        Ok(map) => {
            assert_eq!(MapV1::from_bytes(&map.to_bytes()).as_ref(), Ok(&map));
            format!("{} nodes", map.nodes.len())
        }
    }
}

fn snapshot(input: &[u8]) -> String {
    match SnapshotV1::from_bytes(input) {
        Err(error) => error.message,
        Ok(snapshot) => {
            assert_eq!(SnapshotV1::from_bytes(&snapshot.to_bytes()).as_ref(), Ok(&snapshot));
            format!("{} files", snapshot.files.len())
        }
    }
}

fn history(input: &[u8]) -> String {
    match HistoryV1::from_bytes(input) {
        Err(error) => error.message,
        Ok(history) => {
            assert_eq!(HistoryV1::from_bytes(&history.to_bytes()).as_ref(), Ok(&history));
            format!("{} entries", history.entries.len())
        }
    }
}

fn config_yaml(input: &[u8]) -> String {
    config_named("/r/stan.config.yml", input)
}

fn config_json(input: &[u8]) -> String {
    config_named("/r/stan.config.json", input)
}

fn config_named(name: &str, input: &[u8]) -> String {
    let system = MemorySystem::default();
    system.put(name, input);
    match config::load(&system, Path::new("/r")) {
        Ok(loaded) => format!("{} notices", loaded.notices.len()),
        Err(error) => {
            assert!(!error.problems.is_empty());
            assert!(
                error.problems.iter().all(|problem| problem.place.path.contains("stan.config"))
            );
            error.to_string()
        }
    }
}

/// A tsconfig, a manifest of the repository, one of a package and a workspace file, parted by `~~~`.
fn manifests(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    let mut parts = text.split("~~~");
    let system = MemorySystem::default();
    for name in ["tsconfig.json", "package.json", "p/package.json", "pnpm-workspace.yaml"] {
        let part = parts.next().unwrap_or_default();
        system.put(format!("/r/{name}"), part);
        system.put(format!("/r/node_modules/{name}"), part);
    }
    system.put("/r/src/use.ts", "");
    let paths = ["/r/p/package.json", "/r/package.json", "/r/src/use.ts"].map(str::to_owned);
    let sources = PathSources(paths.to_vec());
    let ground = Ground::new(&system, "/r", std::iter::empty(), &sources);
    let resolver = Resolver::new(&ground);
    let specifiers = ["p", "p/x", "#x", "./x", "@/x", "x"];
    let forms = [Form::Import, Form::Require, Form::ReferenceTypes];
    let found: Vec<String> = specifiers
        .iter()
        .flat_map(|specifier| forms.map(|form| resolver.resolve("/r/src/use.ts", specifier, form)))
        .map(|resolution| format!("{resolution:?}"))
        .collect();
    let notices: Vec<String> = ground.notices().into_iter().map(|notice| notice.message).collect();
    // Not quotations: what is found is the answer.
    format!("{} {}", notices.concat(), found.concat()).replace(['"', '`'], "")
}

fn ignore(input: &[u8]) -> String {
    let system = MemorySystem::default();
    for path in ["/r/a.ts", "/r/dir/b.ts", "/r/dir/deep/c.log", "/r/.hidden"] {
        system.put(path, "");
    }
    system.put("/r/.gitignore", input);
    let Ok(stan_path) = RepoPath::new(".stan") else { return String::new() };
    let settings = ScanSettings {
        root: "/r".into(),
        stan_path,
        includes: Patterns::default(),
        excludes: Patterns::default(),
        git: GitEnvironment::default(),
    };
    let scan = scan(&system, &settings, &|_| Ok(()));
    let lines = String::from_utf8_lossy(input).lines().count();
    for notice in &scan.notices {
        let line = notice.place.as_ref().and_then(|place| place.position).map(|(line, _)| line);
        assert!(line.is_none_or(|line| line as usize <= lines.max(1)), "{notice:?}");
    }
    let files: Vec<_> = scan.files.iter().map(|(file, ())| file.path.as_str()).collect();
    let notices: Vec<_> = scan.notices.iter().map(|notice| notice.message.as_str()).collect();
    format!("{} {}", files.join(" "), notices.join(" "))
}

fn globs(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    let patterns: Vec<&str> = text.lines().collect();
    match Patterns::new(&patterns) {
        Err(error) => error.to_string(),
        Ok(patterns) => {
            let paths = ["a", "src/a.ts", "src/deep/b.d.ts", ".env", "x/y/z/w", "{a}", "é"];
            for path in paths {
                // What covers a folder matches all that is in it.
                let inside = format!("{path}/x");
                assert!(!patterns.covers(path) || patterns.is_match(&inside), "{text:?} {path}");
                assert!(!patterns.is_match(&inside) || patterns.may_match_below(path), "{text:?}");
            }
            paths.map(|path| if patterns.is_match(path) { 'y' } else { 'n' }).iter().collect()
        }
    }
}

fn source(input: &[u8]) -> String {
    let path = match input.first().map_or(0, |byte| byte % 5) {
        0 => "a.ts",
        1 => "a.tsx",
        2 => "a.js",
        3 => "a.d.ts",
        _ => "a.mjs",
    };
    facts_of(path, input)
}

fn component(input: &[u8]) -> String {
    ["a.vue", "a.svelte", "a.astro"].map(|path| facts_of(path, input)).concat()
}

fn facts_of(path: &str, input: &[u8]) -> String {
    let facts = Extractor::new().extract(path, input, &ExtractSettings::default());
    let Facts { imports, requests, forwards, stars, augmentations, problems, .. } = &facts;
    let count = imports.len() as u32;
    assert!(requests.iter().all(|request| request.import < count));
    assert!(forwards.iter().all(|forward| forward.import < count));
    assert!(stars.iter().all(|star| *star < count));
    assert!(augmentations.iter().all(|augmentation| augmentation.import < count));
    let problems: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
    let shape = [imports.len(), requests.len(), forwards.len(), stars.len()]
        .map(|n| "abc"[n.min(3)..].len());
    format!("{} {}", shape.map(|n| ["", "i", "ii", "iii"][n]).join("/"), problems.join(" "))
}

/// Every number leads into its table, every way through them ends, and asking about any of it does too.
fn declarations(input: &[u8]) -> String {
    const PATHS: [&str; 5] = ["a.ts", "a.tsx", "a.js", "a.d.ts", "a.vue"];
    let path = PATHS[input.first().map_or(0, |byte| usize::from(*byte) % PATHS.len())];
    let text = portolan_syntax::text::decode(input);
    let facts = Extractor::new().declarations(path, &text);
    assert!(facts.is_whole());
    let is_span = |span: Span| span.start <= span.end && (span.end as usize) <= text.len();
    for item in &facts.items {
        assert!(is_span(item.span) && is_span(item.body) && item.at <= item.span.end);
        assert!((item.name as usize) < facts.names.len());
        assert_eq!(facts.list(item.members).len(), item.members.len as usize);
    }
    assert!(facts.references.is_sorted_by_key(|it| it.at));
    let system = MemorySystem::default();
    system.put(Path::new("/r").join(path), input.to_vec());
    system.put("/r/b.ts", "import * as a from './a';\nexport const b = () => a.x(new a.Y().z);\n");
    let shown = ask(&system, &format!("{path}:1")) + ask(&system, "b.ts#b");
    let kinds: BTreeSet<&str> = facts.items.iter().map(|item| item.kind.name()).collect();
    let size = facts.references.len().checked_ilog2().unwrap_or_default() + shown;
    format!("{size} {}", kinds.into_iter().collect::<Vec<_>>().join(" "))
}

/// How many files are shown around a place, asked with little room and with much.
fn ask(system: &MemorySystem, target: &str) -> u32 {
    let Ok(config) = config::load(system, Path::new("/r")) else { return 0 };
    let request = MapRequest { config, threads: 1 };
    let Ok(map) = map::build(system, &request) else { return 0 };
    let store = DeclarationStore::default();
    let shown = [100, 4_000].map(|budget| {
        let mut asked = ReadRequest { targets: vec![target.to_owned()], ..ReadRequest::default() };
        asked.slices.budget = budget;
        let report = declarations::read(system, &request.config, &map, &store, &asked);
        report.map(|report| report.set.slices.len() as u32).unwrap_or_default()
    });
    assert!(shown[0] <= shown[1]);
    shown[1]
}

fn x07ast(input: &[u8]) -> String {
    let mut document = match portolan_slice::read(input) {
        Err(error) => return error.to_string(),
        Ok(document) => document,
    };
    let canonical = document.to_canonical();
    let again = portolan_slice::read(&canonical).map(|again| again.to_canonical());
    assert_eq!(again.as_deref(), Ok(&canonical[..]));
    let request = SliceRequest {
        ptr: "/decls/0/body".to_owned(),
        enclosure: Enclosure::Decl,
        closure: Closure::All,
        max_nodes: Some(input.len() as u64 % 50),
        max_bytes: None,
    };
    match portolan_slice::slice(&mut document, &request) {
        Ok(slice) => {
            assert!(portolan_slice::read(&slice.ast).is_ok());
            "sliced".to_owned()
        }
        Err(error) => error.to_string(),
    }
}

/// What tools print: whatever it is, it is read to its end, and places are found for it.
fn output(input: &[u8]) -> String {
    let reading = portolan_pack::readers::read(input, None);
    assert!(reading.unknown <= reading.lines);
    let files = ["src/a.ts", "src/b.py", "m/c.go", "d.rs"].map(str::to_owned);
    let ground = portolan_pack::places::Ground {
        files: portolan_pack::places::Files::new(files),
        root: "/repo".to_owned(),
        folder: "src".to_owned(),
    };
    let formats: Vec<&str> = reading.formats.iter().map(|format| format.name()).collect();
    let mut located = portolan_pack::places::locate(reading.findings, &ground);
    for diagnostic in &mut located.diagnostics {
        diagnostic.settle("a\n\tb 船\n");
        diagnostic.utf16_col("\tb 船");
    }
    let merged = portolan_pack::focus::merge(located.diagnostics);
    portolan_pack::focus::choose(
        &merged.diagnostics,
        &portolan_pack::focus::FocusRule::Ranked,
        &std::collections::BTreeMap::new(),
    );
    format!("{} {}", formats.join(","), merged.diagnostics.len().min(4))
}

fn diagnostics(input: &[u8]) -> String {
    match read_diagnostics(input) {
        Ok(_) => "read".to_owned(),
        Err(error) => error.message,
    }
}

fn project(input: &[u8]) -> String {
    match read_manifest(input) {
        Ok(_) => "read".to_owned(),
        Err(ManifestError::Parse(message) | ManifestError::Invalid(message)) => message,
    }
}

fn reply_text(input: &[u8]) -> String {
    let system = MemorySystem::default();
    system.put("/r/src/a.ts", "export const a = 1;\n");
    system.put("/r/.stan/output/archive.tar", portolan_archive_bytes());
    let Ok(config) = config::load(&system, Path::new("/r")) else { return String::new() };
    let reply = String::from_utf8_lossy(input).into_owned();
    let lines = reply.lines().count() as u64;
    match reply::check(&system, &ReplyRequest { config, reply }) {
        Err(error) => error.to_string(),
        Ok(report) => {
            let is_placed = |line: u64| line <= lines + 1;
            assert!(report.findings.iter().all(|finding| is_placed(finding.line as u64)));
            report.findings.iter().map(|finding| finding.rule.code()).collect::<Vec<_>>().join(" ")
        }
    }
}

fn diff(input: &[u8]) -> String {
    patched("```diff\n", input, "\n```\n")
}

fn envelope(input: &[u8]) -> String {
    patched("*** Begin Patch\n", input, "\n*** End Patch\n")
}

fn exchange(input: &[u8]) -> String {
    patched("f\n<<<<<<< SEARCH\n", input, "\n>>>>>>> REPLACE\n")
}

fn file_ops(input: &[u8]) -> String {
    patched("### File Ops\n```\n", input, "\n```\n")
}

/// What a form of patches gives, in its surroundings and without them. Everything is placed, what is
/// made is the same twice, and what no change touches is not there.
fn patched(before: &str, input: &[u8], after: &str) -> String {
    let text = String::from_utf8_lossy(input);
    let mut said = Vec::new();
    for reply in [format!("{before}{text}{after}"), text.into_owned()] {
        let lines = reply.lines().count();
        let reply = portolan_reply::read(&reply);
        assert!(reply.problems.iter().all(|problem| problem.line <= lines + 1));
        let files = [("f", "a\nb\nc\n"), ("g", "a\r\na\r\nlast"), ("f.ts", "")];
        let bytes = |path: &RepoPath| {
            let file = files.iter().find(|(name, _)| *name == path.as_str());
            file.map(|(_, text)| text.as_bytes())
        };
        let draft = portolan_reply::Draft::new(&reply, &|path| path == "f" || path == "g");
        let outcome = draft.finish(&bytes);
        assert_eq!(outcome.files, draft.finish(&bytes).files);
        let is_touched = |path: &RepoPath| draft.targets.iter().any(|target| target.path == *path);
        assert!(outcome.files.iter().all(|file| is_touched(&file.path)));
        assert!(outcome.misfits.iter().all(|misfit| misfit.line <= lines + 1));
        said.extend(reply.problems.iter().map(|problem| problem.message.clone()));
        said.extend(outcome.misfits.iter().map(|misfit| misfit.message.clone()));
        said.extend(outcome.files.iter().map(|file| format!("{:?}", file.role)));
    }
    said.truncate(4);
    said.join(" ")
}

fn journal(input: &[u8]) -> String {
    match JournalV1::from_bytes(input) {
        Err(error) => error.message,
        Ok(journal) => {
            assert_eq!(JournalV1::from_bytes(&journal.to_bytes()).as_ref(), Ok(&journal));
            let both = journal.files.iter().any(|file| file.before.is_some());
            format!("read {}", if both { "changes" } else { "new files" })
        }
    }
}

/// An archive with one file and a Map.
fn portolan_archive_bytes() -> Vec<u8> {
    let mut writer = portolan_archive::tar::TarWriter::new(Vec::new());
    let meta: &[u8] = br#"{"n":{"src/a.ts":{"k":0,"s":20}},"v":2}"#;
    for (path, bytes) in
        [(".stan/context/dependency.meta.json", meta), ("src/a.ts", b"export const a = 1;\n")]
    {
        assert!(writer.append(path, false, bytes).is_ok());
    }
    writer.finish().map(|(bytes, _)| bytes).unwrap_or_default()
}

fn archive(input: &[u8]) -> String {
    let mut bytes = portolan_archive_bytes();
    // The input is laid over the archive from its start, so that headers are what is mutated.
    for (byte, over) in bytes.iter_mut().zip(input) {
        *byte ^= over;
    }
    match portolan_archive::tar::read(&bytes) {
        Ok(members) => format!("{} members", "abcdef".get(..members.len().min(6)).unwrap_or("")),
        Err(error) => error.to_string(),
    }
}

/// A cache that was tampered with, its check sum put right: a map is made all the same.
fn cache(input: &[u8]) -> String {
    let system = MemorySystem::default();
    system.put("/r/src/a.ts", "import { b } from './b';\nimport 'p';\nexport const a = b;\n");
    system.put("/r/src/b.ts", "export * from './c';\n/** @module b */\nlet x = ;\n");
    system.put("/r/src/c.ts", "export const b = 1;\n");
    system.put("/r/node_modules/p/package.json", r#"{"name":"p","version":"1","types":"i.d.ts"}"#);
    system.put("/r/node_modules/p/i.d.ts", "export {};\n");
    system.put("/r/.stan/x", "");
    let Ok(config) = config::load(&system, Path::new("/r")) else { return String::new() };
    let request = MapRequest { config, threads: 1 };
    let file = Path::new("/r/.stan/cache/facts.bin");
    for _ in 0..2 {
        assert!(map::build_cached(&system, &request, CacheMode::Use).is_ok());
    }
    let Ok(mut bytes) = system.read(file) else { return "no cache".to_owned() };
    // The input is laid over the entries; what is before them is a mark and a sum.
    let body = 24.min(bytes.len());
    for (byte, over) in bytes[body..].iter_mut().zip(input) {
        *byte ^= over;
    }
    let sum = cache_sum(&bytes[body..]);
    if let Some(slot) = bytes.get_mut(16..24) {
        slot.copy_from_slice(&sum);
    }
    system.put(file, bytes);
    match map::build_cached(&system, &request, CacheMode::Use) {
        Ok(report) => {
            let notices: Vec<_> =
                report.notices.iter().map(|notice| notice.message.as_str()).collect();
            format!(
                "{} {}",
                ["", "i", "ii", "iii"][report.graph.nodes().len() % 4],
                notices.join(" ")
            )
        }
        Err(error) => error.to_string(),
    }
}

fn cache_sum(body: &[u8]) -> [u8; 8] {
    use std::hash::Hasher as _;
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(body);
    hasher.finish().to_le_bytes()
}
