//! `portolan export` and `portolan atlas`: several repositories as one map.

use std::fmt::Write as _;

use portolan_atlas::tables::TABLES;
use serde_json::Value;

use crate::docs::check_page;
use crate::support::{Repo, Run, files_below, run_in};

/// Two libraries and two repositories that use them, side by side, with the atlas beside them.
fn organisation() -> Repo {
    let repo = Repo::with(&[
        ("lib/package.json", r#"{"name":"@org/lib","version":"2.1.0","main":"index.ts"}"#),
        ("lib/index.ts", "export class Client {\n  send() {}\n}\nexport const unused = 1;\n"),
        (
            "web/package.json",
            r#"{"name":"web","private":true,"dependencies":{"@org/lib":"^2.0.0"}}"#,
        ),
        (
            "web/src/app.ts",
            "import { Client } from '@org/lib';\n\nexport function start() {\n  return new Client();\n}\n",
        ),
        (
            "job/package.json",
            r#"{"name":"job","dependencies":{"@org/lib":"~1.9.0","left-pad":"1"}}"#,
        ),
        (
            "job/main.ts",
            "import * as lib from '@org/lib';\nimport pad from 'left-pad';\n\nexport const run = () => pad(new lib.Client());\n",
        ),
        ("svc/go.mod", "module example.com/svc\n\nrequire github.com/spf13/cobra v1.8.0\n"),
        (
            "svc/main.go",
            "package main\n\nimport \"github.com/spf13/cobra\"\n\nfunc main() { _ = cobra.Command{} }\n",
        ),
    ]);
    for name in ["lib", "web", "job", "svc"] {
        repo.write(&format!("{name}/.git/HEAD"), b"ref: refs/heads/main\n");
    }
    repo
}

fn added(repo: &Repo) -> Run {
    repo.run(&["atlas", "add", "lib", "web", "job", "svc", "--to", "atlas"])
}

fn json(run: &Run) -> Value {
    let value: Value = serde_json::from_str(&run.stdout).unwrap();
    value["result"].clone()
}

#[test]
fn many_repositories_are_added_and_unchanged_ones_are_skipped() {
    let repo = organisation();
    let first = added(&repo);
    assert_eq!(first.code, 0, "{}", first.stderr);
    assert!(
        first.stdout.starts_with("lib: 1 package, 2 files, 0 edges, 3 declarations"),
        "{}",
        first.stdout
    );
    let before = files_below(&repo.path(), "atlas");
    assert_eq!(before.len(), 24, "{before:?}");
    assert_eq!(
        added(&repo).stdout,
        "lib: unchanged\nweb: unchanged\njob: unchanged\nsvc: unchanged\n"
    );
    assert_eq!(before, files_below(&repo.path(), "atlas"));
}

#[test]
fn the_same_files_give_the_same_bytes_wherever_they_are() {
    let sets = [organisation(), organisation()].map(|repo| {
        assert_eq!(added(&repo).code, 0);
        files_below(&repo.path().join("atlas"), "")
    });
    assert_eq!(sets[0], sets[1]);
}

#[test]
fn a_package_is_looked_at_down_to_lines() {
    let repo = organisation();
    added(&repo);
    let look = |target: &str| repo.run(&["atlas", "look", target, "--in", "atlas"]);
    assert_eq!(
        look("npm:@org/lib").stdout,
        "look npm:@org/lib: used by 2 repositories in 2 lines\n\
         provided by lib at .: @org/lib 2.1.0, 2 exports\n\
         job (~1.9.0) 1 file\n\
         \u{20} main.ts 4 Client in run\n\
         web (^2.0.0) 1 file\n\
         \u{20} src/app.ts 4 Client in start\n"
    );
    let one = look("npm:@org/lib#Client").stdout;
    assert!(one.contains("  index.ts:1 export class Client\n"), "{one}");
    let outside = look("npm:left-pad#default").stdout;
    assert!(
        outside.contains("provided by no repository of this atlas\njob (1) 1 file\n"),
        "{outside}"
    );
    assert!(look("go:github.com/spf13/cobra").stdout.contains("svc (v1.8.0) 1 file"));
    assert_eq!(look("npm:nothing").code, 1);
    let wrong = look("zod");
    assert_eq!((wrong.code, wrong.stderr.contains("write `ecosystem:package`")), (2, true));
}

#[test]
fn an_export_that_is_passed_on_from_a_sibling_has_its_declaration_and_its_users() {
    let repo = Repo::with(&[
        ("lib/package.json", r#"{"private":true,"workspaces":["packages/*"]}"#),
        (
            "lib/packages/core/package.json",
            r#"{"name":"@s/core","version":"1.0.0","main":"index.ts"}"#,
        ),
        ("lib/packages/core/index.ts", "export const ref = 1;\n"),
        (
            "lib/packages/other/package.json",
            r#"{"name":"other","version":"1.0.0","main":"index.ts"}"#,
        ),
        ("lib/packages/other/index.ts", "export const ref = 2;\n"),
        ("lib/packages/all/package.json", r#"{"name":"all","version":"1.0.0","main":"index.ts"}"#),
        ("lib/packages/all/index.ts", "export { ref as signal } from '@s/core';\n"),
        ("web/package.json", r#"{"name":"web","dependencies":{"all":"^1"}}"#),
        ("web/app.ts", "import { signal } from 'all';\nexport const a = signal;\n"),
    ]);
    for name in ["lib", "web"] {
        repo.write(&format!("{name}/.git/HEAD"), b"ref: refs/heads/main\n");
    }
    assert_eq!(repo.run(&["atlas", "add", "lib", "web", "--to", "atlas"]).code, 0);
    let look = |target: &str| repo.run(&["atlas", "look", target, "--in", "atlas"]).stdout;
    assert_eq!(
        look("npm:all#signal"),
        "look npm:all#signal: used by 1 repository in 1 line\n\
         provided by lib at packages/all: all 1.0.0, 1 export\n\
         \u{20} packages/core/index.ts:1 export const ref = 1\n\
         web (^1) 1 file\n\
         \u{20} app.ts 2 signal in a\n"
    );
    let core = look("npm:@s/core#ref");
    assert!(
        core.contains("packages/core/index.ts:1") && !core.contains("packages/other"),
        "{core}"
    );
    assert!(core.contains("passed on as npm:all#signal\nusers: none"), "{core}");
}

#[test]
fn a_set_that_was_written_before_is_written_again_and_not_made() {
    let repo = organisation();
    repo.write("lib/.stan/system/.keep", b"");
    let export = |place: &str| {
        let run = run_in(
            &repo.path().join("lib"),
            &["export", "--out", &format!("../{place}"), "--format", "json"],
            &[],
        );
        assert_eq!(run.code, 0, "{}", run.stderr);
        let mut told = json(&run);
        told["atlas"] = Value::Null;
        (told, files_below(&repo.path().join(place), ""))
    };
    let first = export("one");
    assert_eq!(first, export("two"));
    // The cached tables are enough: no declaration is read again.
    let kept = repo.path().join("lib/.stan/cache/export.bin");
    assert!(kept.is_file());
    let bytes = std::fs::read(&kept).unwrap();
    for damage in [0, bytes.len() / 2, bytes.len() - 1] {
        let mut other = bytes.clone();
        other[damage] ^= 1;
        std::fs::write(&kept, &other).unwrap();
        assert_eq!(first.1, export(&format!("damaged-{damage}")).1);
    }
    assert_eq!(bytes, std::fs::read(&kept).unwrap(), "what is damaged is written anew");
    repo.write("lib/index.ts", b"export class Client {\n  send() {}\n}\nexport const other = 1;\n");
    let changed = export("three").1;
    assert_ne!(first.1, changed);
    std::fs::remove_dir_all(repo.path().join("lib/.stan/cache")).unwrap();
    assert_eq!(changed, export("four").1);
}

#[test]
fn the_default_atlas_is_the_current_folder_or_the_last_export() {
    let repo = organisation();
    added(&repo);
    let chart = |folder: &str| repo.run(&["-C", folder, "atlas", "chart"]);
    assert!(
        chart("atlas").stdout.starts_with("atlas: 4 repositories"),
        "{}",
        chart("atlas").stderr
    );
    let nothing = chart("lib");
    assert_eq!(nothing.code, 2);
    assert!(
        nothing.stderr.contains(".stan/output/atlas` has no repositories"),
        "{}",
        nothing.stderr
    );
    assert!(nothing.stderr.contains("`portolan export` writes one"), "{}", nothing.stderr);
    let refused = repo.run(&["-C", "lib", "export"]);
    assert_eq!(refused.code, 2, "nothing is written into a repository unasked");
    assert!(refused.stderr.contains("`--out FOLDER` says where it goes"), "{}", refused.stderr);
    std::fs::create_dir(repo.path().join("lib/.stan")).unwrap();
    assert_eq!(repo.run(&["-C", "lib", "export"]).code, 0);
    assert!(chart("lib").stdout.starts_with("atlas: 1 repository"), "{}", chart("lib").stderr);
    let find = repo.run(&["-C", "lib", "atlas", "find", "Client"]);
    assert_eq!(find.stdout, "lib index.ts:1 class Client\n");
    let sql = repo.run(&["-C", "lib", "atlas", "sql", "duckdb"]).stdout;
    assert!(sql.contains("/lib/.stan/output/atlas/"), "{sql}");
}

#[test]
fn declarations_are_found_by_name_and_by_its_letters() {
    let repo = organisation();
    added(&repo);
    let find = |name: &str| repo.run(&["atlas", "find", name, "--in", "atlas"]);
    assert_eq!(find("Client").stdout, "lib index.ts:1 class Client\n");
    assert_eq!(find("Client.send").stdout, "lib index.ts:2 method Client.send (not exported)\n");
    assert!(find("START").stdout.contains("web src/app.ts:3 function start"));
    let nothing = find("nowhere");
    assert_eq!(
        (nothing.code, nothing.stdout.as_str()),
        (1, "no declaration `nowhere` in 4 repositories\n")
    );
}

#[test]
fn the_chart_shows_dependencies_between_repositories() {
    let repo = organisation();
    added(&repo);
    assert_eq!(
        repo.run(&["atlas", "chart", "--in", "atlas"]).stdout,
        "atlas: 4 repositories, 4 packages, 8 files; a line each, the most used first\n\
         lib 2 files, used by 2\n\
         \u{20} has npm:@org/lib\n\
         job 2 files\n\
         \u{20} has npm:job\n\
         \u{20} uses lib by npm:@org/lib\n\
         svc 2 files\n\
         \u{20} has go:example.com/svc\n\
         web 2 files\n\
         \u{20} has npm:web\n\
         \u{20} uses lib by npm:@org/lib\n"
    );
}

#[test]
fn a_package_of_two_repositories_is_reported() {
    let repo = organisation();
    repo.write("fork/package.json", br#"{"name":"@org/lib","version":"2.1.0-fork"}"#);
    repo.write("fork/.git/HEAD", b"ref: refs/heads/main\n");
    added(&repo);
    assert_eq!(repo.run(&["atlas", "add", "fork", "--to", "atlas"]).code, 0);
    let look = repo.run(&["atlas", "look", "npm:@org/lib", "--in", "atlas"]).stdout;
    assert!(look.contains("several repositories provide it"), "{look}");
    let asked = json(&repo.run(&[
        "atlas",
        "query",
        "ambiguous-packages",
        "--in",
        "atlas",
        "--format",
        "json",
    ]));
    assert_eq!(asked["rows"], serde_json::json!([["npm", "@org/lib", "2"]]));
}

#[test]
fn a_new_set_replaces_the_old_one_and_pruning_removes_its_files() {
    let repo = organisation();
    added(&repo);
    let tables = |repo: &Repo| {
        let all = files_below(&repo.path(), "atlas");
        all.into_keys().filter(|path| path.contains("/lib-")).count()
    };
    assert_eq!(tables(&repo), 5);
    repo.write("lib/index.ts", b"export class Client {}\n");
    assert_eq!(added(&repo).code, 0);
    assert_eq!(tables(&repo), 10, "readers of the old set may still be at work");
    assert_eq!(repo.run(&["atlas", "find", "Client.send", "--in", "atlas"]).code, 1);
    repo.write("lib/index.ts", b"export class Client2 {}\n");
    let pruned = repo.run(&["export", "-C", "lib", "--out", "../atlas", "--prune"]);
    assert!(pruned.stdout.contains("5 old files removed"), "{}{}", pruned.stdout, pruned.stderr);
    assert_eq!(tables(&repo), 10, "what nobody replaced just now is left for an hour");
    assert_eq!(repo.run(&["atlas", "find", "Client2", "--in", "atlas"]).code, 0);
}

#[test]
fn a_repository_may_be_called_anything() {
    let repo = organisation();
    let long = "a".repeat(200);
    for id in ["git.sr.ht/~a/lib", "my lib", "it's:me", "日本/lib", &long] {
        let run = repo.run(&["export", "-C", "lib", "--id", id, "--out", "../odd"]);
        assert_eq!(run.code, 0, "{id}: {}", run.stderr);
    }
    let chart = repo.run(&["atlas", "chart", "--in", "odd"]);
    assert_eq!(chart.code, 0, "{}", chart.stderr);
    assert!(chart.stdout.contains("git.sr.ht/~a/lib"), "{}", chart.stdout);
    let found = repo.run(&["atlas", "find", "Client", "--in", "odd"]);
    assert_eq!(found.code, 0, "{}", found.stderr);
    let again = repo.run(&["export", "-C", "lib", "--id", "my lib", "--out", "../odd"]);
    assert_eq!(again.stdout, "my lib: unchanged\n");
}

#[test]
fn a_set_that_lost_a_table_is_written_anew() {
    let repo = organisation();
    added(&repo);
    let tables = files_below(&repo.path(), "atlas");
    let table = tables.keys().find(|path| path.contains("declaration/lib-")).unwrap();
    for damage in [None, Some(&b"PAR1"[..])] {
        match damage {
            None => std::fs::remove_file(repo.path().join(table)).unwrap(),
            Some(bytes) => repo.write(table, bytes),
        }
        assert_eq!(repo.run(&["atlas", "find", "Client", "--in", "atlas"]).code, 1);
        assert_eq!(added(&repo).stdout.matches("unchanged").count(), 3);
        assert_eq!(repo.run(&["atlas", "find", "Client", "--in", "atlas"]).code, 0);
    }
}

#[test]
fn the_first_of_two_repositories_with_one_id_is_added_and_the_other_reported() {
    let repo = organisation();
    repo.write("other/lib/index.ts", b"export const other = 1;\n");
    repo.write("other/lib/.git/HEAD", b"ref: refs/heads/main\n");
    let run = repo.run(&["atlas", "add", "lib", "other/lib", "./lib", "--to", "atlas"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("other/lib: failed: it has the id of `lib`"), "{}", run.stdout);
    assert_eq!(repo.run(&["atlas", "find", "Client", "--in", "atlas"]).code, 0);
}

#[test]
fn an_export_is_looked_for_under_all_its_names() {
    let repo = organisation();
    repo.write("lib/index.ts", b"export function make() {}\nexport { make as build };\n");
    repo.write("web/src/app.ts", b"import { build } from '@org/lib';\nexport const x = build();\n");
    added(&repo);
    let look = |target: &str| repo.run(&["atlas", "look", target, "--in", "atlas"]).stdout;
    let made = look("npm:@org/lib#make");
    assert!(made.contains("web ") && made.contains("src/app.ts"), "{made}");
    let none = look("npm:@org/lib#mkae");
    assert!(none.contains("no declaration is known to be exported as `mkae`"), "{none}");
}

#[test]
fn a_distribution_of_python_has_one_name_however_it_is_written() {
    let repo = Repo::with(&[
        ("lib/.git/HEAD", "x\n"),
        ("lib/pyproject.toml", "[project]\nname = \"My_Lib\"\nversion = \"1\"\n"),
        ("lib/my_lib/__init__.py", "def go(): pass\n"),
    ]);
    assert_eq!(repo.run(&["atlas", "add", "lib", "--to", "atlas"]).code, 0);
    for name in ["pypi:My_Lib", "pypi:my-lib", "pypi:MY.LIB"] {
        let look = repo.run(&["atlas", "look", name, "--in", "atlas"]);
        assert!(look.stdout.contains("provided by lib"), "{name}: {}", look.stdout);
    }
}

#[test]
fn a_question_about_a_package_knows_the_modules_it_is_imported_by_and_its_budget() {
    let repo = organisation();
    repo.write("py/.git/HEAD", b"x\n");
    repo.write("py/pyproject.toml", b"[project]\nname = \"my-lib\"\nversion = \"1\"\n");
    repo.write("py/my_lib/__init__.py", b"def go(): pass\n");
    repo.write("use/.git/HEAD", b"x\n");
    repo.write("use/pyproject.toml", b"[project]\nname = \"use\"\ndependencies = [\"my-lib\"]\n");
    repo.write("use/app.py", b"import my_lib\n\nmy_lib.go()\n");
    let add = repo.run(&["atlas", "add", "py", "use", "--to", "atlas"]);
    assert_eq!(add.code, 0, "{}", add.stderr);
    let ask = |query: &str| {
        repo.run(&["atlas", "query", query, "--about", "pypi:my-lib", "--in", "atlas"]).stdout
    };
    assert!(ask("version-bump").contains("use\t*\t1"), "{}", ask("version-bump"));
    assert!(ask("export-users").contains("use\tapp.py\t3\tgo"), "{}", ask("export-users"));
    let cut = repo.run(&[
        "atlas",
        "query",
        "export-users",
        "--about",
        "pypi:my-lib",
        "--in",
        "atlas",
        "--budget",
        "8",
    ]);
    assert!(cut.stdout.contains("more: a larger budget shows them"), "{}", cut.stdout);
}

#[test]
fn without_a_place_the_atlas_is_in_the_workspace() {
    let repo = Repo::with(&[
        ("a.ts", "export const a = 1;\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".stan/x", ""),
    ]);
    assert_eq!(repo.run(&["export"]).code, 0);
    assert_eq!(repo.run(&["atlas", "find", "a", "--in", ".stan/output/atlas"]).code, 0);
    assert!(repo.run(&["export"]).stdout.contains("unchanged"));
}

#[cfg(unix)]
#[test]
fn a_workspace_that_leads_elsewhere_gets_no_atlas() {
    let repo =
        Repo::with(&[("a.ts", "export const a = 1;\n"), (".git/HEAD", "x\n"), (".stan/x", "")]);
    std::fs::create_dir(repo.parent().join("outside")).unwrap();
    std::os::unix::fs::symlink(repo.parent().join("outside"), repo.path().join(".stan/output"))
        .unwrap();
    let refused = repo.run(&["export"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("`--out` says where"), "{}", refused.stderr);
    assert_eq!(files_below(&repo.parent(), "outside").len(), 0);
}

#[test]
fn errors_of_an_atlas_have_clear_messages() {
    let repo = organisation();
    let nothing = repo.run(&["atlas", "chart", "--in", "nowhere"]);
    assert_eq!(nothing.code, 2, "{}", nothing.stderr);
    assert!(nothing.stderr.contains("has no repositories"), "{}", nothing.stderr);
    assert!(nothing.stderr.contains("portolan atlas add"), "{}", nothing.stderr);
    let scheme = repo.run(&["atlas", "chart", "--in", "ftp://x/y"]);
    assert_eq!(
        (scheme.code, scheme.stderr.contains("not one of `s3://`")),
        (2, true),
        "{}",
        scheme.stderr
    );
    added(&repo);
    repo.write("atlas/repository/lib.parquet", b"PAR1 nonsense");
    let broken = repo.run(&["atlas", "chart", "--in", "atlas"]);
    assert_eq!(broken.code, 1);
    assert!(broken.stderr.contains("is damaged or not a table of an atlas"), "{}", broken.stderr);
    assert_eq!(
        added(&repo).stdout.matches("unchanged").count(),
        3,
        "what is damaged is written anew"
    );
    assert_eq!(repo.run(&["atlas", "chart", "--in", "atlas"]).code, 0);
}

#[test]
fn one_that_fails_does_not_keep_the_others_out() {
    let repo = organisation();
    let some = repo.run(&["atlas", "add", "gone", "lib", "--to", "atlas", "--format", "json"]);
    assert_eq!(some.code, 1, "{}", some.stderr);
    let outcomes = json(&some);
    let outcomes: Vec<&str> = outcomes["repositories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["failed", "written"]);
}

#[test]
fn every_report_fits_its_schema() {
    let repo = organisation();
    added(&repo);
    for arguments in ["look npm:@org/lib", "find Client", "chart", "query hubs", "sql duckdb"] {
        let mut words: Vec<&str> = vec!["atlas"];
        words.extend(arguments.split(' '));
        words.extend(["--in", "atlas", "--format", "json"]);
        // The harness checks the output against its schema.
        let run = repo.run(&words);
        assert_eq!(run.code, 0, "{arguments}: {}", run.stderr);
        assert!(json(&run).is_object(), "{arguments}");
    }
}

#[test]
fn docs_reference_atlas_has_every_table() {
    let mut page = String::from(
        "# Atlas tables\n\n<!-- Generated: `UPDATE_DOCS=1 cargo test -p portolan-cli docs` writes this page. -->\n\n\
         Version 1. Tables are `ATLAS/TABLE/*.parquet` files, compressed with zstd, one set of files per repository. A row is current if its\n\
         `digest` equals the one in the `repository` table; the views of `portolan atlas sql` filter by it. See [the guide](../atlas.md).\n\n\
         Every table except `repository` also has the required strings `repository` (the repository's `id`) and `digest`.\n",
    );
    for table in &TABLES {
        let _ = write!(
            page,
            "\n## `{}`\n\n{}\n\n| column | type | meaning |\n| --- | --- | --- |\n",
            table.name, table.about
        );
        let is_common = |name: &str| matches!(name, "repository" | "digest");
        let is_own = |name: &str| table.name == "repository" || !is_common(name);
        for column in table.columns.iter().filter(|column| is_own(column.name)) {
            let _ = writeln!(
                page,
                "| `{}` | {} | {} |",
                column.name,
                column.kind.parquet(),
                column.about
            );
        }
    }
    check_page("reference/atlas.md", &page);
}

#[test]
fn an_unreachable_bucket_has_a_clear_message() {
    let repo =
        Repo::with(&[("a.ts", "export const a = 1;\n"), (".git/HEAD", "ref: refs/heads/main\n")]);
    let environment = [
        ("AWS_ACCESS_KEY_ID", "a"),
        ("AWS_SECRET_ACCESS_KEY", "b"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9"),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_MAX_RETRIES", "0"),
    ];
    let run = run_in(&repo.path(), &["export", "--out", "s3://bucket/atlas"], &environment);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("s3://bucket/atlas/repository/repo.parquet"), "{}", run.stderr);
}
