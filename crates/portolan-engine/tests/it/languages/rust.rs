//! Where imports of rust lead.

use portolan_testkit::{check_edges, check_targets, map_of};

const MANIFEST: &str = "//- Cargo.toml\n[package]\nname = \"my-app\"\nedition = \"2024\"\n";

#[track_caller]
fn check(fixture: &str, expected: &[&str]) {
    check_edges(&format!("{MANIFEST}{fixture}"), expected);
}

#[test]
fn modules_are_files_by_their_rules() {
    check(
        "//- src/lib.rs\nmod a;\npub mod b;\nmod inline { mod c; }\n#[path = \"odd/place.rs\"]\nmod d;\n//- src/a.rs\nmod sub;\n//- src/a/sub.rs\n\
         //- src/b/mod.rs\nmod sub;\n//- src/b/sub.rs\n//- src/inline/c.rs\n//- src/odd/place.rs\nmod beside;\n//- src/odd/beside.rs\n",
        &[
            "src/a.rs -> src/a/sub.rs runtime",
            "src/b/mod.rs -> src/b/sub.rs runtime",
            "src/lib.rs -> src/a.rs runtime",
            "src/lib.rs -> src/b/mod.rs runtime",
            "src/lib.rs -> src/inline/c.rs runtime",
            "src/lib.rs -> src/odd/place.rs runtime",
            "src/odd/place.rs -> src/odd/beside.rs runtime",
        ],
    );
}

#[test]
fn what_a_type_captures_is_no_import() {
    check(
        "//- src/lib.rs\nmod a;\n//- src/a.rs\npub fn f<T>(x: T) -> impl Sized + use<T> { x }\npub fn g() {}\nuse std::fmt;\n",
        &["src/a.rs -> rust:std runtime", "src/lib.rs -> src/a.rs runtime"],
    );
}

#[test]
fn a_path_in_code_that_ends_in_a_function_and_a_module_means_the_function() {
    check(
        "//- src/lib.rs\nmod a;\nfn f() { a::run(); a::run::inner(); }\n//- src/a.rs\npub mod run;\npub fn run() {}\n//- src/a/run.rs\npub fn inner() {}\n\
         //- src/main.rs\nmod a;\nfn main() { a::run() }\n",
        &[
            "src/a.rs -> src/a/run.rs runtime",
            "src/lib.rs -> src/a.rs runtime",
            "src/lib.rs -> src/a/run.rs runtime",
            "src/main.rs -> src/a.rs runtime",
        ],
    );
}

#[test]
fn a_use_leads_to_the_last_module_and_tunnels_to_the_definer() {
    check(
        "//- src/lib.rs\npub mod flags;\nmod user;\n//- src/flags/mod.rs\nmod hi;\npub use self::hi::HiArgs;\npub use hi::{Other as Renamed};\n\
         //- src/flags/hi.rs\npub struct HiArgs;\npub struct Other;\n//- src/user.rs\nuse crate::flags::{HiArgs, Renamed};\nuse std::{fmt, io::{self, Read}};\n",
        &[
            "src/flags/mod.rs -> src/flags/hi.rs runtime",
            "src/lib.rs -> src/flags/mod.rs runtime",
            "src/lib.rs -> src/user.rs runtime",
            "src/user.rs -> rust:std runtime",
            "src/user.rs ~> src/flags/hi.rs runtime",
            "src/user.rs -> src/flags/mod.rs runtime",
        ],
    );
}

#[test]
fn paths_in_code_globs_and_parents_are_followed() {
    check(
        "//- src/lib.rs\nmod a;\nmod b;\nmod prelude;\n//- src/a.rs\npub fn go() { crate::b::run(); }\nmod tests;\n//- src/a/tests.rs\nuse super::*;\nfn t() { go(); }\n\
         //- src/b.rs\nuse crate::prelude::*;\npub fn run(x: Thing) { let s = \"crate::a::go\"; /* crate::a */ }\n//- src/prelude.rs\npub use crate::a::go;\npub struct Thing;\n",
        &[
            "src/a.rs -> src/a/tests.rs runtime",
            "src/a.rs -> src/b.rs runtime",
            "src/a/tests.rs -> src/a.rs runtime",
            "src/b.rs -> src/prelude.rs runtime",
            "src/lib.rs -> src/a.rs runtime",
            "src/lib.rs -> src/b.rs runtime",
            "src/lib.rs -> src/prelude.rs runtime",
            "src/prelude.rs -> src/a.rs runtime",
        ],
    );
}

#[test]
fn a_function_goes_before_a_private_module_of_its_name() {
    check(
        "//- src/lib.rs\npub mod fs;\nmod user;\n//- src/fs/mod.rs\nmod read;\npub use self::read::read;\n//- src/fs/read.rs\npub fn read() {}\n\
         //- src/user.rs\nfn f() { crate::fs::read(); }\n",
        &[
            "src/fs/mod.rs -> src/fs/read.rs runtime",
            "src/lib.rs -> src/fs/mod.rs runtime",
            "src/lib.rs -> src/user.rs runtime",
            "src/user.rs -> src/fs/mod.rs runtime",
            "src/user.rs ~> src/fs/read.rs runtime",
        ],
    );
}

#[test]
fn crates_of_a_workspace_know_each_other_by_name() {
    check_edges(
        "//- Cargo.toml\n[workspace]\nmembers = [\"crates/*\"]\n[workspace.dependencies]\nthe-core = { path = \"crates/core\" }\n\
         //- crates/core/Cargo.toml\n[package]\nname = \"the-core\"\n[lib]\npath = \"lib.rs\"\n//- crates/core/lib.rs\npub struct Core;\n\
         //- crates/app/Cargo.toml\n[package]\nname = \"app\"\nedition = \"2021\"\n[dependencies]\nthe-core.workspace = true\nrenamed = { package = \"the-core\", path = \"../core\" }\nserde = \"1\"\n\
         //- crates/app/src/main.rs\nuse the_core::Core;\nuse serde::Serialize;\nfn main() { renamed::Core; app::lib(); }\n//- crates/app/src/lib.rs\npub fn lib() {}\n\
         //- crates/app/tests/it.rs\nuse app::lib;\n//- crates/app/build.rs\nfn main() {}\n",
        &[
            "crates/app/src/main.rs -> crates/app/src/lib.rs runtime",
            "crates/app/src/main.rs -> crates/core/lib.rs runtime",
            "crates/app/src/main.rs -> serde runtime",
            "crates/app/tests/it.rs -> crates/app/src/lib.rs runtime",
        ],
    );
}

#[test]
fn macros_are_seen_by_their_place_or_by_export() {
    check(
        "//- src/lib.rs\n#[macro_use]\nmod macros;\nmod a;\n//- src/macros.rs\nmacro_rules! local { () => {} }\n#[macro_export]\nmacro_rules! shared { () => {} }\n\
         //- src/a.rs\nfn f() { local!(); println!(); }\n//- src/main.rs\nfn main() { my_app::shared!(); }\n",
        &[
            "src/a.rs ~> src/macros.rs runtime",
            "src/lib.rs -> src/a.rs runtime",
            "src/lib.rs -> src/macros.rs runtime",
            "src/main.rs -> src/lib.rs runtime",
            "src/main.rs ~> src/macros.rs runtime",
        ],
    );
}

#[test]
fn included_files_are_dependencies_of_any_type() {
    check_targets(
        &format!(
            "{MANIFEST}//- src/lib.rs\nconst A: &str = include_str!(\"../data.txt\");\ninclude!(\"gen.rs\");\ninclude!(concat!(env!(\"OUT_DIR\"), \"/x.rs\"));\n//- data.txt\n//- src/gen.rs\n"
        ),
        "src/lib.rs",
        "data.txt src/gen.rs",
    );
}

#[test]
fn modules_in_the_braces_of_a_macro_and_every_cfg_count() {
    check(
        "//- src/lib.rs\ncfg_rt! { pub mod rt; }\n#[cfg(unix)]\n#[path = \"unix.rs\"]\nmod os;\n#[cfg(windows)]\n#[path = \"windows.rs\"]\nmod os;\nmacro_rules! not_here { () => { mod nope; } }\n\
         //- src/rt.rs\nuse crate::os::Handle;\n//- src/unix.rs\npub struct Handle;\n//- src/windows.rs\npub struct Handle;\n//- src/nope.rs\n",
        &[
            "src/lib.rs -> src/rt.rs runtime",
            "src/lib.rs -> src/unix.rs runtime",
            "src/lib.rs -> src/windows.rs runtime",
            "src/rt.rs -> src/unix.rs runtime",
            "src/rt.rs -> src/windows.rs runtime",
        ],
    );
}

#[test]
fn what_no_target_reaches_has_no_edges_of_its_own() {
    check("//- src/lib.rs\n//- src/orphan.rs\nuse super::nothing;\nuse crate::nobody;\n", &[]);
}

#[test]
fn circles_of_reexports_and_globs_end() {
    check(
        "//- src/lib.rs\nmod a;\nmod b;\nmod use_it;\n//- src/a.rs\npub use crate::b::*;\npub use crate::b::Loop;\n//- src/b.rs\npub use crate::a::*;\npub use crate::a::Loop;\n\
         //- src/use_it.rs\nuse crate::a::{Loop, Nope};\n",
        &[
            "src/a.rs -> src/b.rs runtime",
            "src/b.rs -> src/a.rs runtime",
            "src/lib.rs -> src/a.rs runtime",
            "src/lib.rs -> src/b.rs runtime",
            "src/lib.rs -> src/use_it.rs runtime",
            "src/use_it.rs -> src/a.rs runtime",
        ],
    );
}

#[test]
fn broken_code_gives_what_can_be_read() {
    check_targets(
        &format!(
            "{MANIFEST}//- src/lib.rs\nmod a;\nfn broken() {{ if x {{\nmod b;\npub fn next() {{}}\n//- src/a.rs\n//- src/b.rs\n"
        ),
        "src/lib.rs",
        "src/a.rs src/b.rs",
    );
}

#[test]
fn the_inner_doc_comment_describes_the_file() {
    let report = map_of(&format!(
        "{MANIFEST}//- src/lib.rs\n// License\n\n//! Reads things. More.\n//!\n//! Details.\n"
    ));
    let node = report.graph.node(report.graph.index_of("src/lib.rs").unwrap());
    assert_eq!(node.description.as_deref(), Some("Reads things."));
}
