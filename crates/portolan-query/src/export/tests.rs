//! A small repository as rows.

use std::collections::BTreeSet;
use std::path::Path;

use portolan_vfs::{MemorySystem, System};
use portolan_wire::atlas::{ReferenceTarget, RepositorySet};

use super::{ExportReport, export, identify};
use portolan_index::map::{CacheMode, MapRequest};
use portolan_index::session::Session;
use portolan_workspace::config;

fn repository(files: &[(&str, &str)]) -> MemorySystem {
    let system = MemorySystem::default();
    system.put("/r/.git/HEAD", "ref: refs/heads/main\n");
    system.put("/r/.git/config", "[remote \"origin\"]\n\turl = https://me:pw@host.org/o/n.git\n");
    for (path, text) in files {
        system.put(format!("/r/{path}"), *text);
    }
    system
}

fn exported(system: &dyn System, threads: usize) -> ExportReport {
    let config = config::load(system, Path::new("/r")).unwrap();
    let session = Session::open(system, MapRequest { config, threads }, CacheMode::Off).unwrap();
    let identity = identify(&session, None, "writer").unwrap();
    export(&session, &identity).unwrap()
}

fn set(files: &[(&str, &str)]) -> RepositorySet {
    exported(&repository(files), 2).set
}

/// References as lines: `path:line in declaration -> target`.
fn references(set: &RepositorySet) -> Vec<String> {
    let shown = set.references.iter().map(|it| {
        let around = it.declaration.as_deref().unwrap_or("-");
        let doubt = if it.is_exact { "" } else { "?" };
        let target = match &it.target {
            ReferenceTarget::Here { path, name, line } => format!("{path}:{line} {name}"),
            ReferenceTarget::Elsewhere { ecosystem, module, name } => {
                format!("{ecosystem}:{module}#{name}")
            }
        };
        format!("{}:{} in {around} -> {target}{doubt}", it.path, it.line)
    });
    shown.collect()
}

const APP: &[(&str, &str)] = &[
    (
        "package.json",
        r#"{"name":"app","version":"1.0.0","main":"src/index.ts","dependencies":{"zod":"^4.1.0"}}"#,
    ),
    ("src/index.ts", "export { parse } from './parse';\nexport * as tools from './tools';\n"),
    (
        "src/parse.ts",
        "import { z } from 'zod';\nimport { trim } from './tools';\n\nexport function parse(text: string) {\n  return z.string().parse(trim(text));\n}\n\nfunction hidden() {}\n",
    ),
    ("src/tools.ts", "export const trim = (text: string) => text.trim();\n"),
];

#[test]
fn a_repository_is_called_by_its_origin_without_credentials() {
    let row = set(APP).repository;
    assert_eq!((row.id.as_str(), row.origin.as_deref()), ("host.org/o/n", Some("host.org/o/n")));
    assert_eq!(row.packages, ["npm:app"]);
    assert_eq!((row.provides, row.uses), (vec!["npm:app".to_owned()], vec!["npm:zod".to_owned()]));
}

#[test]
fn edges_that_leave_say_which_package_and_which_version_is_asked_for() {
    let set = set(APP);
    let leaving = set.edges.iter().filter_map(|edge| Some((&*edge.source, edge.leaves.as_ref()?)));
    let leaving: Vec<_> = leaving
        .map(|(source, it)| (source, &*it.ecosystem, &*it.module, it.requirement.as_deref()))
        .collect();
    assert_eq!(leaving, [("src/parse.ts", "npm", "zod", Some("^4.1.0"))]);
    let inside = set.edges.iter().find(|edge| edge.target == "src/tools.ts").unwrap();
    assert_eq!((&*inside.kinds, inside.resolution), ("runtime", "explicit"));
}

#[test]
fn declarations_know_the_names_that_their_package_exports_them_under() {
    let set = set(APP);
    let shown = set.declarations.iter().map(|it| {
        format!(
            "{}:{}-{} {} {} [{}]",
            it.path,
            it.line,
            it.end_line,
            it.kind,
            it.name,
            it.exported_as.join(" ")
        )
    });
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            "src/parse.ts:4-6 function parse [parse]",
            "src/parse.ts:8-8 function hidden []",
            "src/tools.ts:1-1 variable trim [tools.trim]",
        ]
    );
    assert_eq!(set.declarations[0].head, "export function parse(text: string)");
    assert_eq!(set.packages[0].exports, ["parse", "tools.trim"]);
}

#[test]
fn references_lead_to_declarations_here_and_to_exports_elsewhere() {
    assert_eq!(
        references(&set(APP)),
        [
            "src/parse.ts:5 in parse -> npm:zod#z",
            "src/parse.ts:5 in parse -> npm:zod#z.string",
            "src/parse.ts:5 in parse -> src/tools.ts:1 trim",
        ]
    );
}

#[test]
fn other_languages_leave_by_the_names_of_their_own() {
    let set = set(&[
        ("pyproject.toml", "[project]\nname = \"svc\"\ndependencies = [\"Flask>=3\"]\n"),
        ("svc/__init__.py", "from flask import Flask\n\ndef make():\n    return Flask('x')\n"),
        ("go.mod", "module example.com/svc\n\nrequire github.com/spf13/cobra v1.8.0\n"),
        (
            "main.go",
            "package main\n\nimport \"github.com/spf13/cobra\"\n\nfunc main() {\n\tvar c cobra.Command\n\t_ = c\n}\n",
        ),
    ]);
    assert_eq!(set.repository.uses, ["go:github.com/spf13/cobra", "pypi:flask"]);
    assert_eq!(set.repository.provides, ["go:example.com/svc", "pypi:svc"]);
    let leaving = set.edges.iter().filter_map(|edge| edge.leaves.as_ref()?.requirement.clone());
    assert_eq!(leaving.collect::<Vec<_>>(), ["v1.8.0", ">=3"]);
    let found = references(&set);
    assert!(
        found.contains(&"svc/__init__.py:4 in make -> pypi:flask#Flask".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"main.go:6 in main -> go:github.com/spf13/cobra#Command".to_owned()),
        "{found:?}"
    );
}

#[test]
fn a_reexport_leads_to_its_original_package() {
    let set = set(&[
        ("package.json", r#"{"name":"app","dependencies":{"zod":"^4","yup":"1"}}"#),
        (
            "src/lib.ts",
            "export { z as schema } from 'zod';\nexport * from 'yup';\nexport * as all from 'zod';\nimport def from 'zod';\nexport default def;\n",
        ),
        ("src/barrel.ts", "export * from './lib';\n"),
        (
            "src/use.ts",
            "import { schema, object, all } from './barrel';\nimport * as lib from './lib';\nimport it from './lib';\nexport const a = schema.string();\nexport const b = object();\nexport const c = all.number();\nexport const d = lib.schema;\nexport const e = it;\n",
        ),
    ]);
    assert_eq!(
        references(&set),
        [
            "src/lib.ts:1 in - -> npm:zod#z",
            "src/lib.ts:5 in default -> npm:zod#default",
            "src/use.ts:4 in a -> npm:zod#z",
            "src/use.ts:4 in a -> npm:zod#z.string",
            "src/use.ts:5 in b -> npm:yup#object",
            "src/use.ts:6 in c -> npm:zod#number",
            "src/use.ts:7 in d -> npm:zod#z",
            "src/use.ts:8 in e -> npm:zod#default",
        ]
    );
    let edges = set.edges.iter().filter(|edge| edge.source == "src/use.ts");
    let left = edges.filter_map(|edge| Some((edge.resolution, &*edge.leaves.as_ref()?.module)));
    let left: BTreeSet<_> = left.collect();
    assert_eq!(left, BTreeSet::from([("implicit", "yup"), ("implicit", "zod")]));
}

#[test]
fn other_languages_pass_names_of_packages_on_too() {
    let set = set(&[
        ("pyproject.toml", "[project]\nname = \"svc\"\ndependencies = [\"Flask>=3\"]\n"),
        ("svc/__init__.py", ""),
        ("svc/compat.py", "from flask import Flask\n"),
        ("svc/app.py", "from svc.compat import Flask\n\ndef make():\n    return Flask('x')\n"),
    ]);
    let found = references(&set);
    assert!(found.contains(&"svc/app.py:4 in make -> pypi:flask#Flask".to_owned()), "{found:?}");
}

#[test]
fn a_path_in_code_names_a_crate_that_the_manifest_asks_for() {
    let set = set(&[
        (
            "Cargo.toml",
            "[package]\nname = \"a\"\nversion = \"1.0.0\"\n[dependencies]\nserde_json = \"1\"\nio = { package = \"tokio-io\", version = \"2\" }\n",
        ),
        (
            "src/lib.rs",
            "mod own;\npub fn text() -> String {\n    own::help();\n    unasked::call();\n    io::read();\n    serde_json::to_string(&1).unwrap_or_default()\n}\n",
        ),
        ("src/own.rs", "pub fn help() {}\n"),
    ]);
    assert_eq!(
        references(&set),
        [
            "src/lib.rs:5 in text -> cargo:tokio_io#read",
            "src/lib.rs:6 in text -> cargo:serde_json#to_string",
            "src/lib.rs:3 in text -> src/own.rs:1 help",
        ]
    );
    assert_eq!(set.repository.uses, ["cargo:serde_json", "cargo:tokio_io"]);
    let asked = set.edges.iter().filter_map(|edge| edge.leaves.as_ref()?.requirement.as_deref());
    assert_eq!(asked.collect::<BTreeSet<_>>(), BTreeSet::from(["1", "2"]));
}

#[test]
fn names_taken_out_of_a_module_are_uses_of_it() {
    let set = set(&[
        ("package.json", r#"{"name":"app","dependencies":{"zod":"^4","yup":"1"}}"#),
        (
            "src/use.js",
            "const { z, ZodError: Wrong } = require('zod');\nconst yup = require('yup');\nexports.a = () => z.string();\nexports.b = () => Wrong;\nexports.c = () => yup.object();\nexports.d = () => require('yup').number();\n",
        ),
        (
            "src/lazy.ts",
            "export async function load() {\n  const { z } = await import('zod');\n  const all = await import('yup');\n  return [z.string(), all.mixed(), (await import('yup')).date()];\n}\n",
        ),
    ]);
    let found: Vec<String> =
        references(&set).into_iter().filter(|line| line.contains("npm:")).collect();
    let expected = [
        "src/lazy.ts:4 in load -> npm:yup#date",
        "src/lazy.ts:4 in load -> npm:yup#mixed",
        "src/lazy.ts:2 in load -> npm:zod#z",
        "src/lazy.ts:4 in load -> npm:zod#z.string",
        "src/use.js:3 in a -> npm:zod#z",
        "src/use.js:3 in a -> npm:zod#z.string",
        "src/use.js:4 in b -> npm:zod#ZodError",
        "src/use.js:5 in c -> npm:yup#object",
        "src/use.js:6 in d -> npm:yup#number",
    ];
    for line in expected {
        assert!(found.contains(&line.to_owned()), "{line} is not in {found:#?}");
    }
}

#[test]
fn members_of_a_value_with_a_foreign_type_are_uses_of_that_type() {
    let set = set(&[
        ("go.mod", "module example.com/svc\n\nrequire github.com/spf13/cobra v1.8.0\n"),
        (
            "main.go",
            "package main\n\nimport \"github.com/spf13/cobra\"\n\nfunc run(cmd *cobra.Command) {\n\tcmd.Help()\n\tvar c cobra.Command\n\tc.Execute()\n\td := &cobra.Command{}\n\td.Usage()\n}\n",
        ),
        ("package.json", r#"{"name":"app","dependencies":{"hono":"4"}}"#),
        (
            "src/app.ts",
            "import { Hono, type Made } from 'hono';\nconst app = new Hono();\nexport const a = () => app.get('/');\nexport function b(it: Hono) {\n  return it.post('/');\n}\nexport const c = (it: Made<typeof app>) => it.own;\n",
        ),
        ("pyproject.toml", "[project]\nname = \"svc\"\ndependencies = [\"Flask>=3\"]\n"),
        (
            "svc/__init__.py",
            "from flask import Flask\n\ndef make():\n    app = Flask('x')\n    app.run()\n",
        ),
    ]);
    let found = references(&set);
    for line in [
        "main.go:6 in run -> go:github.com/spf13/cobra#Command.Help",
        "main.go:8 in run -> go:github.com/spf13/cobra#Command.Execute",
        "main.go:10 in run -> go:github.com/spf13/cobra#Command.Usage",
        "src/app.ts:3 in a -> npm:hono#Hono.get",
        "src/app.ts:5 in b -> npm:hono#Hono.post",
        "svc/__init__.py:5 in make -> pypi:flask#Flask.run",
    ] {
        assert!(found.contains(&line.to_owned()), "{line} is not in {found:#?}");
    }
    // A generic type may have the members of its argument.
    assert!(!found.iter().any(|line| line.contains("Made.own")), "{found:#?}");
    // A value is not a use of its type.
    assert!(
        !found.iter().any(|line| line.contains("app.ts:3 in a -> npm:hono#Hono\"")),
        "{found:#?}"
    );
}

#[test]
fn modules_that_are_imported_by_themselves_and_attributes_name_their_crate() {
    let set = set(&[
        (
            "Cargo.toml",
            "[package]\nname = \"a\"\nversion = \"1.0.0\"\n[dependencies]\ntokio = \"1\"\nserde_json = \"1\"\n",
        ),
        (
            "src/main.rs",
            "use tokio::sync::mpsc;\nuse serde_json as json;\n#[tokio::main]\nasync fn main() {\n    let (tx, rx) = mpsc::channel(1);\n    json::to_string(&1);\n    let s: mpsc::Sender<u8> = tx;\n}\n",
        ),
    ]);
    let found = references(&set);
    for line in [
        "src/main.rs:5 in main -> cargo:tokio#channel",
        "src/main.rs:6 in main -> cargo:serde_json#to_string",
        "src/main.rs:7 in main -> cargo:tokio#Sender",
    ] {
        assert!(found.contains(&line.to_owned()), "{line} is not in {found:#?}");
    }
    assert!(
        found.iter().any(|it| it.contains("src/main.rs:3") && it.ends_with("cargo:tokio#main")),
        "{found:#?}"
    );
}

#[test]
fn a_reexport_from_a_sibling_package_is_an_export_of_both() {
    let set = set(&[
        ("package.json", r#"{"name":"root","private":true,"workspaces":["packages/*"]}"#),
        ("packages/core/package.json", r#"{"name":"@s/core","version":"1.0.0","main":"index.ts"}"#),
        ("packages/core/index.ts", "export const ref = 1;\nexport const inner = 2;\n"),
        ("packages/all/package.json", r#"{"name":"all","version":"1.0.0","main":"index.ts"}"#),
        (
            "packages/all/index.ts",
            "export { ref, inner as renamed } from '@s/core';\nexport { z } from 'zod';\nexport const own = 3;\n",
        ),
    ]);
    let exports = |name: &str| {
        let package = set.packages.iter().find(|it| it.name == name).unwrap();
        package.exports.join(" ")
    };
    assert_eq!(
        (exports("@s/core"), exports("all")),
        ("inner ref".to_owned(), "own ref renamed z".to_owned())
    );
    let names: Vec<String> = set
        .declarations
        .iter()
        .map(|it| format!("{}: {}", it.name, it.exported_as.join(" ")))
        .collect();
    assert_eq!(names, ["own: own", "ref: ref npm:all#ref", "inner: inner npm:all#renamed"]);
}

#[test]
fn a_file_that_may_hold_secrets_is_exported_as_a_path_only() {
    let kind = ["RSA PRIVATE", "KEY"].join(" ");
    let body = format!("{}\n", "MIIEpAIBAAKCAQEAx4dYq".repeat(3)).repeat(8);
    let code =
        format!("export const key = `-----BEGIN {kind}-----\n{body}-----END {kind}-----`;\n");
    let set = set(&[("src/key.ts", &code), ("src/b.ts", "import { other } from './key';\n")]);
    let file = set.files.iter().find(|file| file.path == "src/key.ts").unwrap();
    assert_eq!(
        (file.size, file.tokens, &file.sha256, &file.description),
        (None, None, &None, &None)
    );
    assert!(set.declarations.iter().all(|it| it.path != "src/key.ts"), "{:?}", set.declarations);
}

#[test]
fn files_other_than_code_are_guarded_too() {
    let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
    let manifest = format!(r#"{{"name":"x","token":"{token}"}}"#);
    let set = set(&[
        ("package.json", &manifest),
        (".env", "DB_PASSWORD=k3Jf92mQx7Lp\n"),
        ("README.md", "hello\n"),
    ]);
    let row = |path: &str| set.files.iter().find(|file| file.path == path).unwrap();
    for path in ["package.json", ".env"] {
        let file = row(path);
        assert_eq!((file.size, file.tokens, &file.sha256), (None, None, &None), "{path}");
    }
    assert_eq!(row("README.md").size, Some(6));
}

#[test]
fn private_names_and_tests_are_not_exported() {
    let set = set(&[
        ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"1.0.0\"\n"),
        ("src/lib.rs", "pub fn open() {}\npub(crate) fn within() {}\nfn own() {}\n"),
        ("tests/it.rs", "pub fn helper() {}\n"),
    ]);
    let package = set.packages.iter().find(|it| it.name == "a").unwrap();
    assert_eq!(package.exports, ["open"]);
}

#[test]
fn threads_change_nothing_and_an_edit_changes_the_digest() {
    let one = exported(&repository(APP), 1).set;
    assert_eq!(one, exported(&repository(APP), 4).set);
    let system = repository(APP);
    system.put("/r/src/tools.ts", "export const trim = (text: string) => text;\n");
    assert_ne!(one.repository.digest, exported(&system, 1).set.repository.digest);
}
