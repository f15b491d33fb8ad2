//! Valid configuration files, and the errors for invalid ones.

use std::io;
use std::path::Path;

use portolan_vfs::{CallOutcome, FaultySystem, MemorySystem};

use super::{KEYS, LoadRequest, Loaded, MetaHashes, Settings, load, load_with};

fn system(files: &[(&str, &str)]) -> MemorySystem {
    let system = MemorySystem::default();
    for (path, text) in files {
        system.put(path, *text);
    }
    system
}

fn loaded(name: &str, text: &str) -> Loaded {
    load(&system(&[(&format!("/r/{name}"), text)]), Path::new("/r")).unwrap()
}

/// Checks the error for a `stan.config.yml`: one line per problem.
#[track_caller]
fn check_refused(text: &str, expected: &[&str]) {
    let error = load(&system(&[("/r/stan.config.yml", text)]), Path::new("/r")).unwrap_err();
    let lines: Vec<String> = error.to_string().lines().map(str::to_owned).collect();
    assert_eq!(lines, expected);
}

#[test]
fn the_nearest_file_upward_is_used_and_its_folder_is_the_root() {
    let system = system(&[
        ("/r/.git/HEAD", ""),
        ("/r/stan.config.json", r#"{"stan-core":{"stanPath":"notes"}}"#),
        ("/r/a/b/x", ""),
    ]);
    let loaded = load(&system, Path::new("/r/a/b")).unwrap();
    assert_eq!(loaded.root, Path::new("/r"));
    assert_eq!(loaded.settings.stan_path.as_str(), "notes");
    let said: Vec<_> = loaded.notices.iter().map(|notice| notice.message.as_str()).collect();
    assert_eq!(
        said,
        [
            "the root is `../..`, where `stan.config.json` is; `--scope a/b` limits the map to this folder"
        ]
    );
    assert_eq!(load(&system, Path::new("/r")).unwrap().notices, []);
}

#[test]
fn nothing_above_the_repository_is_looked_at_unless_it_is_named() {
    let system = system(&[
        ("/r/stan.config.json", r#"{"stan-core":{"stanPath":"notes"}}"#),
        ("/r/a/.git/HEAD", ""),
        ("/r/plain/x", ""),
    ]);
    for start in ["/r/a", "/r/plain"] {
        let loaded = load(&system, Path::new(start)).unwrap();
        assert_eq!((loaded.root.as_path(), loaded.config_path), (Path::new(start), None));
    }
    let request = LoadRequest {
        start: "/r/a".into(),
        config: Some("/r/stan.config.json".into()),
        ..LoadRequest::default()
    };
    let loaded = load_with(&system, &request).unwrap();
    assert_eq!(
        (loaded.root.as_path(), loaded.settings.stan_path.as_str()),
        (Path::new("/r"), "notes")
    );
    let missing = LoadRequest { config: Some("/r/none.yml".into()), ..request };
    assert!(load_with(&system, &missing).is_err());
}

#[test]
fn without_a_file_the_root_is_the_nearest_git_folder_or_the_start() {
    let system = system(&[("/r/.git/HEAD", ""), ("/r/a/b/x", ""), ("/other/c/x", "")]);
    assert_eq!(load(&system, Path::new("/r/a/b")).unwrap().root, Path::new("/r"));
    assert_eq!(load(&system, Path::new("/other/c")).unwrap().root, Path::new("/other/c"));
    system.link("/link", "/r/a");
    assert_eq!(
        load(&system, Path::new("/link/b")).unwrap().root,
        Path::new("/r"),
        "links are followed once"
    );
    assert!(load(&system, Path::new("/nowhere")).is_err());
    assert!(load(&system, Path::new("/r/a/b/x")).is_err());
}

#[test]
fn every_key_is_read() {
    let text = "
stan-core:
  stanPath: ./tools/stan/
  includes: [' docs/** ', '']
  excludes: [dist]
  imports: { '@scope/kit': ../kit/**/*.md, empty: [], two: [a, b] }
portolan:
  meta: { hashes: none, budget: 90k }
  descriptions: { limit: 80, tags: [module, '@file'] }
  base: { maxFileBytes: 1000, files: [main.go] }
  scope: [apps/web]
  secrets: { enabled: false, allow: [fixtures/.env] }
stan-cli: { scripts: { build: make } }
";
    let settings = loaded("stan.config.yml", text).settings;
    assert_eq!(settings.stan_path.as_str(), "tools/stan");
    assert_eq!(settings.includes, ["docs/**"]);
    assert_eq!(settings.excludes, ["dist"]);
    let imports: Vec<_> =
        settings.imports.iter().map(|(label, patterns)| (label.as_str(), patterns.len())).collect();
    assert_eq!(imports, [("@scope/kit", 1), ("two", 2)]);
    assert_eq!((settings.meta.hashes, settings.meta.budget), (MetaHashes::None, Some(90_000)));
    assert_eq!((settings.descriptions.limit, settings.base.max_file_bytes), (80, 1000));
    assert_eq!(settings.descriptions.tags, ["@module", "@file"]);
    assert_eq!(
        (settings.base.files, settings.scope),
        (vec!["main.go".into()], vec!["apps/web".into()])
    );
    assert!(!settings.secrets.enabled);
    assert_eq!(settings.secrets.allow[0].as_str(), "fixtures/.env");
}

#[test]
fn a_file_with_only_our_own_section_is_fine() {
    let loaded = loaded("stan.config.yaml", "portolan:\n  meta:\n    budget: none\n");
    assert_eq!(loaded.settings.meta.budget, None);
    assert_eq!(loaded.settings.stan_path.as_str(), ".stan");
    assert_eq!(loaded.notices, []);
}

#[test]
fn keys_of_old_files_are_used_with_a_notice_and_lose_to_the_section() {
    let loaded =
        loaded("stan.config.yml", "stanPath: old\nexcludes: [a]\nstan-core:\n  excludes: [b]\n");
    assert_eq!(loaded.settings.stan_path.as_str(), "old");
    assert_eq!(loaded.settings.excludes, ["b"]);
    let notices: Vec<_> = loaded.notices.iter().map(|notice| notice.message.as_str()).collect();
    assert_eq!(
        notices,
        [
            "`stanPath` belongs in the section `stan-core`; it is used",
            "`excludes` is ignored: `stan-core` has it too",
        ]
    );
}

#[test]
fn a_misspelt_section_and_a_second_file_give_notices() {
    let files =
        [("/r/stan.config.yml", "stan-core: {}\nportlan: {}\n"), ("/r/stan.config.json", "{}")];
    let notices = load(&system(&files), Path::new("/r")).unwrap().notices;
    let notices: Vec<_> = notices.iter().map(|notice| notice.message.as_str()).collect();
    assert_eq!(
        notices,
        ["`portlan` is ignored; did you mean `portolan`?", "ignored: stan.config.yml is used"]
    );
}

#[test]
fn unknown_keys_are_named_with_the_nearest_known_one() {
    check_refused(
        "stan-core:\n  stanpath: .stan\n  exclude: []\n  colour: red\nportolan:\n  meta.hashes: none\n  secret: {}\n",
        &[
            "stan.config.yml:2:3: unknown key `stanpath` in `stan-core`; did you mean `stanPath`?",
            "stan.config.yml:3:3: unknown key `exclude` in `stan-core`; did you mean `excludes`?",
            "stan.config.yml:4:3: unknown key `colour` in `stan-core`",
            "stan.config.yml:6:3: unknown key `meta.hashes` in `portolan`; write `meta:` and below it `hashes:`",
            "stan.config.yml:7:3: unknown key `secret` in `portolan`; did you mean `secrets`?",
        ],
    );
}

#[test]
fn a_file_without_any_section_of_ours_is_refused() {
    let missing =
        "stan.config.yml:1:1: there is no `stan-core` section; add one with `stanPath: .stan`";
    check_refused("", &[missing]);
    check_refused("stan-cli: {}\n", &[missing]);
    check_refused(
        "stancore: {}\n",
        &["stan.config.yml:1:1: unknown key `stancore`; did you mean `stan-core`?"],
    );
    check_refused("[]\n", &["stan.config.yml:1:1: expected a map of sections, found a list"]);
}

#[test]
fn wrong_values_are_reported_together() {
    check_refused(
        "stan-core:\n  includes: src\n  excludes: [1]\nportolan:\n  meta: {hashes: long, budget: many}\n  base: {maxFileBytes: -1}\n  secrets: {enabled: 'no', allow: [../x]}\n",
        &[
            "stan.config.yml:2:13: expected a list of texts, found the text `src`",
            "stan.config.yml:3:14: expected a text (put it in quotes), found the number `1`",
            "stan.config.yml:5:18: expected `short` or `none`, found the text `long`",
            "stan.config.yml:5:32: expected a number of tokens such as `20000` or `20k`, at least 500, or `none`, found the text `many`",
            "stan.config.yml:6:24: expected a whole number, 0 or more, found the number `-1`",
            "stan.config.yml:7:22: expected `true` or `false`, found the text `no`",
            "stan.config.yml:7:35: `secrets.allow` has `../x`: the path leaves the repository (`..`)",
        ],
    );
}

#[test]
fn a_file_from_elsewhere_is_not_quoted() {
    let system = system(&[("/secret", "hunter2"), ("/r/real.yml", "stan-core: {stanPath: in}")]);
    system.link("/r/stan.config.yml", "/secret");
    let error = load(&system, Path::new("/r")).unwrap_err().to_string();
    assert_eq!(error, "stan.config.yml: it is a link that leads outside the repository");
    system.link("/r/stan.config.yml", "real.yml");
    assert_eq!(load(&system, Path::new("/r")).unwrap().settings.stan_path.as_str(), "in");
}

#[test]
fn a_workspace_outside_the_repository_is_refused() {
    for bad in [
        "''",
        ".",
        "..",
        "../x",
        "/x",
        "C:/x",
        "a/../b",
        ".git/x",
        ".GIT/hooks",
        "sub/.git",
        "'.git.'",
        "node_modules",
        "a/Node_Modules/b",
        "\"a\\e[31m\"",
    ] {
        let text = format!("stan-core:\n  stanPath: {bad}\n");
        let error = load(&system(&[("/r/stan.config.yml", &text)]), Path::new("/r")).unwrap_err();
        assert!(
            error.to_string().starts_with("stan.config.yml:2:13: `stanPath` "),
            "{bad}: {error}"
        );
    }
}

#[test]
fn an_import_label_that_would_escape_is_refused() {
    check_refused(
        "stan-core:\n  imports: {../up: a, ok: b}\n",
        &["stan.config.yml:2:13: the label `../up` cannot be a folder's name"],
    );
}

#[test]
fn a_broken_file_is_reported_with_its_position_and_never_replaced_by_defaults() {
    for (name, text, place) in [
        ("stan.config.yml", "stan-core:\n  stanPath: [\n", "stan.config.yml:"),
        ("stan.config.json", "{\n  \"stan-core\": {,}\n}", "stan.config.json:2:"),
        ("stan.config.yml", "a: 1\n---\nb: 2\n", "stan.config.yml:"),
    ] {
        let error = load(&system(&[(&format!("/r/{name}"), text)]), Path::new("/r")).unwrap_err();
        assert!(error.to_string().starts_with(place), "{error}");
    }
    let system = MemorySystem::default();
    system.put("/r/stan.config.yml", b"\xFF\xFE".as_slice());
    assert!(load(&system, Path::new("/r")).is_err());
    system.put("/r/stan.config.yml", vec![b'#'; 2 * 1024 * 1024]);
    assert!(load(&system, Path::new("/r")).is_err());
}

/// `a.b.c` with a value, as one line of YAML.
fn one_key(key: &str, value: &str) -> String {
    let sections: Vec<&str> = key.split('.').collect();
    let nest = |inner: String, name: &&str| format!("{{{name}: {inner}}}");
    let nested = sections.iter().rev().fold(value.to_owned(), nest);
    if key.starts_with("portolan") { nested.replacen('{', "{stan-core: {}, ", 1) } else { nested }
}

#[test]
fn the_reference_has_each_key_with_its_default() {
    for doc in KEYS {
        let settings = |value: &str| loaded("stan.config.yml", &one_key(doc.key, value)).settings;
        assert_eq!(settings(doc.default), Settings::default(), "{}", doc.key);
        let other = settings(doc.example);
        assert_ne!(other, Settings::default(), "{}: the example has no effect", doc.key);
    }
}

#[test]
fn a_file_that_cannot_be_looked_at_is_not_taken_for_none() {
    let config = ("/r/stan.config.yaml", "stan-core: {stanPath: work}");
    let cases: [(&str, &[(&str, &str)]); 3] = [
        ("/r/stan.config.yml", &[config]),
        ("/r/stan.config.json", &[config]),
        ("/r/.git", &[("/r/.git/HEAD", "")]),
    ];
    for (path, files) in cases {
        let faulty = FaultySystem::new(system(files), move |call| {
            let is_refused = call.path == Path::new(path);
            if is_refused {
                CallOutcome::Fail(io::Error::other("broken"))
            } else {
                CallOutcome::Pass
            }
        });
        let error = load(&faulty, Path::new("/r")).unwrap_err();
        assert_eq!((error.to_string(), error.is_io), (format!("{path}: broken"), true));
    }
}

#[test]
fn folders_above_the_start_that_a_sandbox_hides_are_ignored() {
    let files = system(&[("/r/src/a.ts", ""), ("/r/.git/HEAD", "")]);
    let faulty = FaultySystem::new(files, |call| {
        let is_hidden = call.path.parent() == Some(Path::new("/"));
        if is_hidden && call.path != Path::new("/r") {
            return CallOutcome::Fail(io::ErrorKind::PermissionDenied.into());
        }
        CallOutcome::Pass
    });
    assert_eq!(load(&faulty, Path::new("/r/src")).unwrap().root, Path::new("/r"));
}
