//! Runs the conformance scenarios through the binary and checks each step. Where we differ on
//! purpose, the difference is listed here with its reason, and is checked too.

use std::collections::{BTreeMap, BTreeSet};

use portolan_vfs::sha256;
use serde_json::Value;

use crate::support::{Repo, Run};

/// Steps that are out of scope, by scenario and step.
const OUT_OF_SCOPE: &[(&str, usize, &str)] = &[
    ("c10-context-combine", 0, "combine mode is out of scope"),
    ("m05-meta-combine", 0, "combine mode is out of scope"),
    (
        "s13-hash-mismatch",
        1,
        "`--no-rebuild` exists only in the driver; a file that changes after it was mapped is tried in portolan-chat",
    ),
    ("s15-locator-missing", 1, "as s13"),
    ("x05-run-combine", 0, "combine mode and scripts are out of scope"),
    ("x05-run-combine", 1, "scripts are out of scope"),
    ("x05-run-combine", 2, "scripts are out of scope"),
    ("x05-run-combine", 3, "scripts are out of scope"),
    ("x09-cli-plan-and-flags", 1, "`-A` is a flag of the old command line"),
    ("x09-cli-plan-and-flags", 2, "`-s` is a flag of the old command line"),
    ("x09-cli-plan-and-flags", 3, "`-b` and `-A` are flags of the old command line"),
    ("x09-cli-plan-and-flags", 5, "`-P` and `-A` are flags of the old command line"),
];

/// Our differences: scenario, step, member of `expect`, our value, reason.
const DIFFERENCES: &[(&str, usize, &str, Difference, &str)] = &[
    ("p05-binary-exclusion", 0, "full", Adds(&["assets/utf16.txt"]), UTF16),
    ("p05-binary-exclusion", 0, "diff", Adds(&["assets/utf16.txt"]), UTF16),
    ("p05-binary-exclusion", 1, "full", Adds(&["assets/utf16.txt"]), UTF16),
    ("p05-binary-exclusion", 1, "diff", Is(&[".stan/diff/.stan_no_changes"]), SAME_MAP),
    ("p09-subpackage", 0, "full", Adds(SUBPACKAGE), NESTED),
    ("p09-subpackage", 0, "diff", Adds(SUBPACKAGE), NESTED),
    ("x01-config-json-stanpath", 0, "full", Adds(&["stan/system/stan.system.md"]), GUIDE),
    ("x01-config-json-stanpath", 0, "diff", Adds(&["stan/system/stan.system.md"]), GUIDE),
    ("m01-meta-basic", 0, "full", Adds(BESIDE), TABLES),
    ("m03-meta-root-binary", 0, "full", Adds(BESIDE), TABLES),
    ("m07-meta-leaves-staging", 1, "full", Adds(BESIDE), TABLES),
    ("x07-cli-context-as-shipped", 1, "full", Adds(BESIDE), TABLES),
    ("p01-config-excludes-win", 0, "meta", Hides("src/deep.ts"), HIDDEN),
    ("s11-excluded-import-leak", 0, "meta", Hides("src/secret/keys.ts"), HIDDEN),
    ("c04-same-size-change", 1, "diff", Is(&[".stan/diff/.stan_no_changes"]), SAME_MAP),
    (
        "c08-separate-snapshots",
        4,
        "diff",
        Is(&[".stan/diff/.stan_no_changes"]),
        "`snap` moves both baselines",
    ),
];

/// A scenario whose external file has another id here: scenario, expected id, our id, reason.
const RENAMED: (&str, &str, &str, &str) = (
    "s09-hoisted-parent-node-modules",
    ".stan/context/abs/{{sha256:$PARENT/node_modules/alpha/index.d.ts}}/index.d.ts",
    ".stan/context/npm/alpha/1.2.3/index.d.ts",
    "a hoisted `node_modules` above the root is npm too: it is the same package",
);

/// Our wording of each expected warning; scenarios do not fix the words.
const WARNINGS: &[(&str, &str)] = &[
    (
        "invalid bits in kindMask 9 for src/index.ts ignored",
        "Invalid edgeKinds bit(s) for entry[0]: 8; ignoring.",
    ),
    ("selected path not found: src/gone.ts", "src/gone.ts: selected path not found"),
];

const UTF16: &str = "UTF-16 with a byte order mark is text";
const NESTED: &str =
    "nested packages are part of the universe; `--no-subpackages` gives the old rule";
const SUBPACKAGE: &[&str] = &["packages/app/package.json", "packages/app/src/m.ts"];
const GUIDE: &str = "a repository without a system prompt gets the built-in guide in its archives";

const SAME_MAP: &str = "an edit that changes no id and no edge sends no map again";

const HIDDEN: &str = "of what `excludes` names the map has the id, where something imports it";
const BESIDE: &[&str] = &[".stan/system/portolan.guide.md"];
const TABLES: &str =
    "the decode tables must be in the prompt: beside one without them is the guide";

#[derive(Clone, Copy)]
enum Difference {
    /// These additional members.
    Adds(&'static [&'static str]),
    /// Exactly these members.
    Is(&'static [&'static str]),
    /// The map has only the id of this node.
    Hides(&'static str),
}
use Difference::{Adds, Hides, Is};

/// A meta without the details of a node.
fn without(meta: &Value, id: &str) -> Value {
    let mut meta = meta.clone();
    meta["n"][id] = serde_json::json!({"k": meta["n"][id]["k"]});
    meta
}

fn difference(id: &str, step: usize, member: &str) -> Option<Difference> {
    let found = DIFFERENCES.iter().find(|entry| (entry.0, entry.1, entry.2) == (id, step, member));
    found.map(|entry| entry.3)
}

#[test]
fn every_scenario_gives_the_expected_result() {
    let bundle = include_str!("../conformance/scenarios.json");
    let scenarios: Vec<Value> = serde_json::from_str(bundle).unwrap();
    assert_eq!(scenarios.len(), 43);
    let mut failures = Vec::new();
    for scenario in &scenarios {
        let id = scenario["id"].as_str().unwrap();
        let mut stage = ScenarioStage {
            repo: Repo::new(""),
            id,
            stan: scenario["stanPath"].as_str().unwrap(),
            failures: Vec::new(),
        };
        stage.apply(&scenario["setup"]);
        for (number, step) in scenario["steps"].as_array().unwrap().iter().enumerate() {
            stage.step(number, step);
        }
        failures.extend(stage.failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

struct ScenarioStage<'a> {
    repo: Repo,
    id: &'a str,
    stan: &'a str,
    failures: Vec<String>,
}

impl ScenarioStage<'_> {
    fn apply(&self, setup: &Value) {
        let (root, parent) = (&self.repo.path(), &self.repo.parent());
        for (member, base) in [
            ("files", root.clone()),
            ("parent", parent.clone()),
            ("outside", parent.join("outside")),
        ] {
            for (path, content) in setup[member].as_object().into_iter().flatten() {
                let path = base.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, bytes_of(content)).unwrap();
            }
        }
        for (path, target) in setup["symlinks"].as_object().into_iter().flatten() {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(target.as_str().unwrap(), path).unwrap();
        }
        for path in setup["delete"].as_array().into_iter().flatten() {
            let path = root.join(path.as_str().unwrap());
            if path.is_dir() {
                std::fs::remove_dir_all(path).unwrap();
            } else {
                std::fs::remove_file(path).unwrap();
            }
        }
        assert!(setup.get("editJson").is_none(), "{}: editJson", self.id);
    }

    fn step(&mut self, number: usize, step: &Value) {
        if let Some(before) = step.get("before") {
            self.apply(before);
        }
        if OUT_OF_SCOPE.iter().any(|entry| (entry.0, entry.1) == (self.id, number)) {
            return;
        }
        // `-S` (no scripts) is our only mode.
        let argv: Vec<&str> =
            step["argv"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
        let argv: Vec<&str> = argv.into_iter().filter(|arg| *arg != "-S").collect();
        let before = self.repo.files_below("");
        let answer = self.repo.run(&argv);
        let expect = self.replaced(&step["expect"]);
        for (member, expected) in expect.as_object().unwrap() {
            self.check(number, member, expected, &answer, &expect, &before);
        }
    }

    fn check(
        &mut self,
        number: usize,
        member: &str,
        expected: &Value,
        answer: &Run,
        expect: &Value,
        before: &BTreeMap<String, String>,
    ) {
        let context = |name: &str| format!("{}/context/{name}", self.stan);
        let output = |name: &str| format!("{}/output/{name}", self.stan);
        let paths_only = expect.get("comparePathsOnly").is_some();
        let problem = match member {
            "exit" => check_exit(expected, answer),
            "full" => {
                self.check_archive(number, member, &output("archive.tar"), expected, paths_only)
            }
            "diff" => self.check_archive(
                number,
                member,
                &output("archive.diff.tar"),
                expected,
                paths_only,
            ),
            "staged" => self.check_staged(expected),
            "meta" => {
                let hidden = match difference(self.id, number, member) {
                    Some(Hides(id)) => Some(without(expected, id)),
                    _ => None,
                };
                self.check_json(
                    &context("dependency.meta.json"),
                    hidden.as_ref().unwrap_or(expected),
                )
            }
            "map" => self.check_json(&context("dependency.map.json"), expected),
            "stateJson" => self.check_json(&context("dependency.state.json"), expected),
            "warningsAbout" => check_warnings(expected, answer),
            "noSideEffects" => {
                (self.repo.files_below("") != *before).then(|| "files were changed".to_owned())
            }
            "comparePathsOnly" => None,
            other => Some(format!("nobody checks `{other}`")),
        };
        if let Some(problem) = problem {
            self.failures.push(format!(
                "{} step {number} {member}: {problem}\n    {}",
                self.id,
                answer.stderr.trim()
            ));
        }
    }

    fn check_archive(
        &self,
        step: usize,
        member: &str,
        path: &str,
        expected: &Value,
        paths_only: bool,
    ) -> Option<String> {
        let members = self.repo.members(path);
        let Some(list) = expected.as_array() else {
            return members
                .map(|members| format!("unexpected archive of {} members", members.len()));
        };
        let Some(members) = members else { return Some("there is no archive".to_owned()) };
        let mut names: BTreeSet<&str> =
            list.iter().map(|entry| entry["path"].as_str().unwrap()).collect();
        match difference(self.id, step, member) {
            Some(Adds(more)) => {
                assert!(
                    more.iter().all(|name| names.insert(name)),
                    "{}: not a difference",
                    self.id
                );
            }
            Some(Is(instead)) => names = instead.iter().copied().collect(),
            Some(Hides(_)) | None => {}
        }
        let found: BTreeSet<&str> = members.keys().map(String::as_str).collect();
        if found != names {
            return Some(format!("expected {names:?}\n    found {found:?}"));
        }
        let differs = list.iter().find(|entry| {
            let Some(bytes) = members.get(entry["path"].as_str().unwrap()) else { return false };
            let is_made = entry.get("generated").is_some() || paths_only;
            !is_made
                && entry["sha256"].as_str().is_some_and(|digest| digest != sha256(bytes).to_hex())
        });
        differs.map(|entry| format!("{} has other bytes", entry["path"]))
    }

    fn check_staged(&self, expected: &Value) -> Option<String> {
        let staged = ["npm", "abs"]
            .map(|family| self.repo.files_below(&format!("{}/context/{family}", self.stan)));
        let found: BTreeMap<String, String> = staged.into_iter().flatten().collect();
        let list = expected.as_array().unwrap().iter();
        let text = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
        let wanted: BTreeMap<String, String> =
            list.map(|entry| (text(entry, "path"), text(entry, "sha256"))).collect();
        (found != wanted).then(|| format!("expected {wanted:?}\n    found {found:?}"))
    }

    fn check_json(&self, path: &str, expected: &Value) -> Option<String> {
        let Some(bytes) = self.repo.read(path) else {
            return Some("there is no such file".to_owned());
        };
        let found: Value = serde_json::from_slice(&bytes).unwrap();
        (found != *expected).then(|| format!("expected {expected}\n    found {found}"))
    }

    /// The expectation with its placeholders replaced.
    fn replaced(&self, expect: &Value) -> Value {
        let parent = self.repo.parent();
        let parent = parent.to_str().unwrap();
        let mut text = expect.to_string();
        if self.id == RENAMED.0 {
            assert!(text.contains(RENAMED.1), "{}: not a difference", self.id);
            text = text.replace(RENAMED.1, RENAMED.2);
        }
        let text = text.replace("$REPO", &format!("{parent}/repo"));
        let mut text =
            text.replace("$OUT", &format!("{parent}/outside")).replace("$PARENT", parent);
        while let Some(start) = text.find("{{sha256:") {
            let end = text[start..].find("}}").unwrap() + start;
            let digest = sha256(&text.as_bytes()[start + 9..end]).to_hex();
            text.replace_range(start..end + 2, &digest);
        }
        serde_json::from_str(&text).unwrap()
    }
}

fn check_exit(expected: &Value, answer: &Run) -> Option<String> {
    let is_right = match expected.as_str() {
        Some("nonzero") => answer.code == 1 || answer.code == 2,
        Some(_) => true,
        None => Some(i64::from(answer.code)) == expected.as_i64(),
    };
    (!is_right).then(|| format!("expected {expected}, found {}", answer.code))
}

fn check_warnings(expected: &Value, answer: &Run) -> Option<String> {
    let mut topics = expected.as_array().unwrap().iter().map(|topic| topic.as_str().unwrap());
    let missing = topics.find(|topic| {
        let words = WARNINGS.iter().find(|entry| entry.0 == *topic).map(|entry| entry.1);
        !words.is_some_and(|words| answer.stderr.contains(words))
    });
    missing.map(|topic| format!("nothing is said about: {topic}"))
}

fn bytes_of(content: &Value) -> Vec<u8> {
    if let Some(text) = content.as_str() {
        return text.as_bytes().to_vec();
    }
    if let Some(base64) = content["base64"].as_str() {
        return data_encoding::BASE64.decode(base64.as_bytes()).unwrap();
    }
    let times = content["times"].as_u64().unwrap() as usize;
    content["repeat"].as_str().unwrap().repeat(times).into_bytes()
}
