//! Tests the resolution of Rust imports.

use portolan_testkit::{check_edges, check_notices, check_targets, map_of};

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
fn a_module_is_in_all_places_that_a_configuration_gives_it() {
    check(
        "//- src/lib.rs\n#[cfg_attr(unix, path = \"unix.rs\")]\n#[cfg_attr(windows, allow(dead_code), path = \"windows.rs\")]\nmod imp;\nmod user;\n#[cfg_attr(docs, path = \"nowhere.rs\")]\nmod plain;\n\
         //- src/unix.rs\npub fn go() {}\n//- src/windows.rs\npub fn go() {}\n//- src/plain.rs\n//- src/user.rs\nuse crate::imp::go;\n",
        &[
            "src/lib.rs -> src/plain.rs runtime",
            "src/lib.rs -> src/unix.rs runtime",
            "src/lib.rs -> src/user.rs runtime",
            "src/lib.rs -> src/windows.rs runtime",
            "src/user.rs -> src/unix.rs runtime",
            "src/user.rs -> src/windows.rs runtime",
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
fn a_use_of_what_a_private_module_of_its_name_defines_names_that_module_too() {
    check(
        "//- Cargo.toml\n[package]\nname = \"a\"\n//- src/lib.rs\nmod join;\nmod ensure;\nmod other;\npub use self::join::join;\npub use self::other::ensure;\n\
         //- src/join.rs\npub fn join() {}\n//- src/ensure.rs\n//- src/other.rs\npub fn ensure() {}\n//- tests/t.rs\nuse a::join;\nuse a::ensure;\n",
        &[
            "src/lib.rs -> src/ensure.rs runtime",
            "src/lib.rs -> src/join.rs runtime",
            "src/lib.rs -> src/other.rs runtime",
            "tests/t.rs -> src/join.rs runtime",
            "tests/t.rs -> src/lib.rs runtime",
            "tests/t.rs ~> src/other.rs runtime",
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
fn every_target_knows_its_library_and_old_paths_begin_at_the_root() {
    check_edges(
        "//- Cargo.toml\n[package]\nname = \"a\"\nedition = \"2015\"\n[[bin]]\nname = \"tool\"\npath = \"tools/tool.rs\"\n//- src/lib.rs\npub struct A;\nmod inner;\nmod other;\n\
         //- src/inner.rs\nuse other::B;\n//- src/other.rs\npub struct B;\n//- src/bin/one.rs\nuse a::A;\n//- src/bin/two/main.rs\nmod help;\nuse a::A;\n//- src/bin/two/help.rs\n\
         //- examples/e.rs\nextern crate a;\n//- benches/b.rs\nuse a::A;\n//- tools/tool.rs\nuse a::A;\n//- build.rs\nmod made;\n//- made.rs\n",
        &[
            "benches/b.rs -> src/lib.rs runtime",
            "build.rs -> made.rs runtime",
            "examples/e.rs -> src/lib.rs runtime",
            "src/bin/one.rs -> src/lib.rs runtime",
            "src/bin/two/main.rs -> src/bin/two/help.rs runtime",
            "src/bin/two/main.rs -> src/lib.rs runtime",
            "src/inner.rs -> src/other.rs runtime",
            "src/lib.rs -> src/inner.rs runtime",
            "src/lib.rs -> src/other.rs runtime",
            "tools/tool.rs -> src/lib.rs runtime",
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
fn a_use_of_a_macro_by_its_place_makes_a_path_of_it() {
    check(
        "//- src/lib.rs\nmod m;\nmod user;\nmacro_rules! above { () => {} }\nmod below;\n//- src/m.rs\nmacro_rules! local { () => {} }\npub(crate) use local;\n\
         //- src/user.rs\nuse crate::m::local;\nfn f() { local!(); crate::m::local!(); }\n//- src/below.rs\npub(crate) use above;\n",
        &[
            "src/below.rs -> src/lib.rs runtime",
            "src/lib.rs -> src/below.rs runtime",
            "src/lib.rs -> src/m.rs runtime",
            "src/lib.rs -> src/user.rs runtime",
            "src/user.rs -> src/m.rs runtime",
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
    check_targets(
        &format!(
            "{MANIFEST}//- src/lib.rs\n#![doc = include_str!(\"../README.md\")]\n#[cfg_attr(doc, doc = include_str!(\"item.md\"))]\npub fn f() {{}}\n//- README.md\n//- src/item.md\n"
        ),
        "src/lib.rs",
        "README.md src/item.md",
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
fn what_no_target_reaches_is_of_the_root_above_it_and_names_what_its_package_can() {
    check(
        "//- src/lib.rs\n//- src/orphan.rs\nuse super::nothing;\nuse crate::nobody;\nuse undeclared::Thing;\n",
        &["src/orphan.rs -> src/lib.rs runtime"],
    );
    check(
        "//- src/lib.rs\npub mod a;\n//- src/a.rs\npub struct A;\n//- tests/all/main.rs\nautomod::dir!(\"tests/all\");\n//- tests/all/one.rs\nuse my_app::a::A;\nuse super::two::help;\nuse crate::two;\n\
         //- tests/all/two.rs\npub fn help() {}\n//- tests/ui/alone.rs\nuse my_app::a::A;\nmod beside;\n//- tests/ui/beside.rs\n",
        &[
            "src/lib.rs -> src/a.rs runtime",
            "tests/all/one.rs -> src/a.rs runtime",
            "tests/all/one.rs -> tests/all/two.rs runtime",
            "tests/ui/alone.rs -> src/a.rs runtime",
            "tests/ui/alone.rs -> tests/ui/beside.rs runtime",
        ],
    );
}

#[test]
fn a_macro_of_the_name_of_its_crate_does_not_hide_the_crate() {
    check(
        "//- src/lib.rs\npub mod bytes;\nmod inner;\npub use inner::Thing;\n#[macro_export]\nmacro_rules! my_app { () => {} }\n//- src/bytes.rs\npub struct Bytes;\n//- src/inner.rs\npub struct Thing;\n\
         //- tests/imported.rs\nuse my_app::{bytes, my_app, Thing};\nfn f() { my_app::bytes::Bytes; }\n//- tests/local.rs\nmacro_rules! my_app { () => {} }\nuse my_app::*;\nfn f() { my_app::bytes::Bytes; Thing(); }\n",
        &[
            "src/lib.rs -> src/bytes.rs runtime",
            "src/lib.rs -> src/inner.rs runtime",
            "tests/imported.rs -> src/bytes.rs runtime",
            "tests/imported.rs ~> src/inner.rs runtime",
            "tests/imported.rs -> src/lib.rs runtime",
            "tests/local.rs -> src/bytes.rs runtime",
            "tests/local.rs ~> src/inner.rs runtime",
            "tests/local.rs -> src/lib.rs runtime",
        ],
    );
}

#[test]
fn a_macro_that_is_imported_from_another_project_is_not_one_of_this() {
    check_edges(
        "//- Cargo.toml\n[workspace]\nmembers = [\"a\", \"b\"]\n//- a/Cargo.toml\n[package]\nname = \"a\"\n[dependencies]\nb = { path = \"../b\" }\nserde_json = \"1\"\n\
         //- a/src/lib.rs\nuse serde_json::{json, Value};\nfn f() { json!(); }\n//- b/Cargo.toml\n[package]\nname = \"b\"\n//- b/src/lib.rs\n#[macro_export]\nmacro_rules! json { () => {} }\n",
        &["a/src/lib.rs -> serde_json runtime"],
    );
}

#[test]
fn a_derive_does_not_hide_the_trait_of_its_name() {
    check(
        "//- src/lib.rs\nmod build;\nmod derive;\npub use build::*;\npub use derive::Parser;\nmod user;\n//- src/build.rs\npub trait Parser {}\n//- src/derive.rs\nmacro_rules! Parser { () => {} }\n\
         //- src/user.rs\nuse crate::Parser;\n",
        &[
            "src/lib.rs -> src/build.rs runtime",
            "src/lib.rs -> src/derive.rs runtime",
            "src/lib.rs -> src/user.rs runtime",
            "src/user.rs ~> src/build.rs runtime",
            "src/user.rs ~> src/derive.rs runtime",
            "src/user.rs -> src/lib.rs runtime",
        ],
    );
}

#[test]
fn what_a_macro_makes_is_of_the_file_that_it_is_imported_from() {
    check(
        "//- src/lib.rs\npub mod routing;\nmod user;\n//- src/routing/mod.rs\nmod method;\npub use self::method::get;\n//- src/routing/method.rs\ntop_level!(get, GET);\n//- src/user.rs\nuse crate::routing::get;\n",
        &[
            "src/lib.rs -> src/routing/mod.rs runtime",
            "src/lib.rs -> src/user.rs runtime",
            "src/routing/mod.rs -> src/routing/method.rs runtime",
            "src/user.rs ~> src/routing/method.rs runtime",
            "src/user.rs -> src/routing/mod.rs runtime",
        ],
    );
}

/// Modules `m0`, `m1`… of a crate, with the content of each.
#[test]
fn a_variant_a_rule_and_a_quote_tunnel_to_nobody() {
    check(
        "//- Cargo.toml\n[package]\nname = \"a\"\n//- src/lib.rs\nmod all;\nmod one;\nmod two;\nmod user;\n//- src/all.rs\npub use crate::{one::*, two::*};\n\
         //- src/one.rs\npub struct Empty;\npub fn split() {}\npub fn once() {}\npub struct Quoted;\n//- src/two.rs\npub struct Held;\n\
         //- src/user.rs\nuse crate::all::*;\nenum E { #[doc(hidden)] Empty, Full(Held, u8) }\n\
         macro_rules! m { () => { fn split() { once() } } }\nfn f() { quote! { Quoted } }\n",
        &[
            "src/all.rs -> src/one.rs runtime",
            "src/all.rs -> src/two.rs runtime",
            "src/lib.rs -> src/all.rs runtime",
            "src/lib.rs -> src/one.rs runtime",
            "src/lib.rs -> src/two.rs runtime",
            "src/lib.rs -> src/user.rs runtime",
            "src/user.rs -> src/all.rs runtime",
            "src/user.rs ~> src/two.rs runtime",
        ],
    );
}

#[test]
fn a_module_hides_a_type_of_the_language_only_by_what_it_has() {
    check(
        "//- Cargo.toml\n[package]\nname = \"a\"\n//- src/lib.rs\npub mod str;\npub mod u8;\nmod user;\n//- src/str.rs\npub fn mine() {}\n//- src/u8.rs\npub const MAX: u8 = 1;\n\
         //- src/user.rs\nuse crate::*;\nfn f() { str::to_owned; u8::MAX }\n",
        &[
            "src/lib.rs -> src/str.rs runtime",
            "src/lib.rs -> src/u8.rs runtime",
            "src/lib.rs -> src/user.rs runtime",
            "src/user.rs -> src/lib.rs runtime",
            "src/user.rs -> src/u8.rs runtime",
        ],
    );
}

#[test]
fn a_star_brings_no_private_module_but_to_what_is_inside() {
    check(
        "//- src/lib.rs\nmod my_app;\npub mod storage;\nmod inner;\n//- src/my_app.rs\npub fn go() {}\n//- src/storage.rs\npub struct Store;\n\
         //- src/inner.rs\nuse super::*;\nfn f() { my_app::go(); }\n//- tests/t.rs\nuse my_app::storage::Store;\nuse my_app::*;\n",
        &[
            "src/inner.rs -> src/lib.rs runtime",
            "src/inner.rs -> src/my_app.rs runtime",
            "src/lib.rs -> src/inner.rs runtime",
            "src/lib.rs -> src/my_app.rs runtime",
            "src/lib.rs -> src/storage.rs runtime",
            "tests/t.rs -> src/lib.rs runtime",
            "tests/t.rs -> src/storage.rs runtime",
        ],
    );
}

#[test]
fn a_path_through_another_projects_module_ends_there() {
    check(
        "//- Cargo.toml\n[package]\nname = \"a\"\n//- src/lib.rs\nmod user;\npub use std::sync;\npub use std::rc::Rc;\n\
         //- src/user.rs\nuse crate::sync::Mutex;\n//- src/other.rs\nuse crate::Rc;\n",
        &[
            "src/lib.rs -> rust:std runtime",
            "src/lib.rs -> src/user.rs runtime",
            "src/other.rs -> rust:std runtime",
            "src/other.rs -> src/lib.rs runtime",
            "src/user.rs -> rust:std runtime",
        ],
    );
}

fn modules(count: usize, text: impl Fn(usize) -> String) -> String {
    let declared: String = (0..count).map(|at| format!("pub mod m{at};\n")).collect();
    let files: String = (0..count).map(|at| format!("//- src/m{at}.rs\n{}", text(at))).collect();
    format!("{MANIFEST}//- src/lib.rs\n{declared}{files}")
}

#[test]
fn tangles_of_reexports_end_soon() {
    let each =
        |text: &str| (0..10).map(|other| text.replace('N', &other.to_string())).collect::<String>();
    let (names, stars) = (each("pub use crate::mN::x;\n"), each("pub use crate::mN::*;\n"));
    check_targets(
        &modules(10, |_| names.clone()),
        "src/m9.rs",
        &(0..9).map(|at| format!("src/m{at}.rs")).collect::<Vec<_>>().join(" "),
    );
    let unknown = |at: usize| format!("{stars}fn f() {{ x{at}(); y{at}(); }}\n");
    check_targets(
        &modules(10, unknown),
        "src/m9.rs",
        &(0..9).map(|at| format!("src/m{at}.rs")).collect::<Vec<_>>().join(" "),
    );
    let twice = |at: usize| {
        format!(
            "pub use crate::m{0}::*;\npub use crate::m{0}::deep::*;\npub mod deep {{ pub use crate::m{0}::*; }}\nfn f() {{ unknown(); last(); }}\n",
            at + 1
        )
    };
    let chain = modules(31, |at| {
        if at < 30 { twice(at) } else { "pub fn last() {}\npub mod deep {}\n".to_owned() }
    });
    check_targets(&chain, "src/m0.rs", "src/m1.rs");
}

#[test]
fn a_name_that_too_many_files_define_is_told() {
    let stars: String = (0..70).map(|at| format!("pub use crate::m{at}::*;\n")).collect();
    let fixture = modules(70, |_| "pub fn shared() {}\n".to_owned());
    let fixture = format!(
        "{fixture}//- src/main.rs\nuse my_app::prelude::*;\nfn main() {{ shared(); }}\n//- src/prelude.rs\n{stars}"
    );
    let fixture = fixture.replace("pub mod m0;", "pub mod prelude;\npub mod m0;");
    check_notices(&fixture, &["CTX-GRAPH-0004 src/main.rs"]);
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
