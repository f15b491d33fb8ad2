//! A new language needs no change elsewhere: the toy language of the test kit has every feature of
//! the others, and no other file knows it.

use std::path::Path;

use portolan_index::map::{CacheMode, MapReport, MapRequest, build_through};
use portolan_testkit::toy::TOY_ONLY;
use portolan_testkit::{ROOT, edges_of, memory};
use portolan_vfs::{MemorySystem, System};
use portolan_workspace::config;

fn map_in(system: &dyn System, cache: CacheMode) -> MapReport {
    let config = config::load(system, Path::new(ROOT)).unwrap();
    build_through(system, &MapRequest { config, threads: 2 }, cache, TOY_ONLY).unwrap()
}

#[track_caller]
fn check_edges(fixture: &str, expected: &[&str]) {
    let report = map_in(&memory(fixture), CacheMode::Off);
    assert_eq!(edges_of(&report.graph), expected);
}

#[test]
fn imports_lead_to_files_folders_builtins_and_nowhere() {
    check_edges(
        "//- a.toy\nuse b\nuse many\nuse sys\nuse none\n//- b.toy\n//- many/x.toy\n//- many/y.toy\n//- many/z.md\n",
        &[
            "a.toy -> b.toy runtime",
            "a.toy -> many/x.toy runtime",
            "a.toy -> many/y.toy runtime",
            "a.toy -> toy:none runtime",
            "a.toy -> toy:sys runtime",
        ],
    );
}

#[test]
fn names_are_followed_to_where_they_are_defined() {
    check_edges(
        "//- a.toy\nuse door x\nuse many y\n//- door.toy\npass mid x\n//- mid.toy\nall end\n//- end.toy\ndef x\n\
         //- many/one.toy\ndef q\n//- many/two.toy\ndef y\n",
        &[
            "a.toy -> door.toy runtime",
            "a.toy ~> end.toy runtime",
            "a.toy -> many/one.toy runtime",
            "a.toy -> many/two.toy runtime",
            "a.toy ~> many/two.toy runtime",
            "door.toy -> mid.toy runtime",
            "mid.toy -> end.toy runtime",
        ],
    );
}

#[test]
fn files_of_one_package_need_each_other_without_an_import() {
    check_edges(
        "//- a.toy\npackage p\nneeds x\nneeds gone\n//- b.toy\npackage p\ndef x\n//- c.toy\npackage q\ndef x\n",
        &["a.toy ~> b.toy runtime"],
    );
}

#[test]
fn files_have_descriptions_a_language_and_ids_of_their_packages() {
    let fixture = "//- .gitignore\nbox/\n//- a.toy\n# What it is for.\nuse box/car-1.2/main\n//- box/car-1.2/main.toy\n";
    let report = map_in(&memory(fixture), CacheMode::Off);
    let nodes = report.graph.nodes().iter();
    let shown: Vec<_> = nodes
        .map(|node| {
            let description = node.description.as_deref().unwrap_or_default();
            format!("{} {:?} {description}", node.id, node.language)
        })
        .collect();
    assert_eq!(
        shown,
        [
            ".gitignore other ",
            ".stan/context/toys/car/1.2/main.toy toy ",
            "a.toy toy What it is for."
        ]
    );
}

#[test]
fn a_parser_that_fails_on_a_file_is_a_notice_for_that_file() {
    let system = memory("//- a.toy\nuse b\n//- b.toy\nfail\n//- c.toy\nuse a\n");
    for threads in [1, 8] {
        let config = config::load(&system, Path::new(ROOT)).unwrap();
        let request = MapRequest { config, threads };
        let report = build_through(&system, &request, CacheMode::Off, TOY_ONLY).unwrap();
        assert_eq!(edges_of(&report.graph), ["a.toy -> b.toy runtime", "c.toy -> a.toy runtime"]);
        let [notice] = report.notices.as_slice() else { panic!("{:?}", report.notices) };
        assert_eq!(notice.place.as_ref().unwrap().path, "b.toy");
        assert!(notice.message.contains("parser failed"), "{notice:?}");
    }
}

#[test]
fn what_is_kept_for_other_languages_is_not_taken_for_these() {
    let system: MemorySystem = memory("//- .stan/x\n//- a.toy\nuse b\n//- b.toy\ndef x\n");
    let config = config::load(&system, Path::new(ROOT)).unwrap();
    let request = MapRequest { config, threads: 2 };
    let usual = portolan_index::map::build_cached(&system, &request, CacheMode::Use).unwrap();
    assert_eq!(edges_of(&usual.graph), [""; 0]);
    for _ in 0..2 {
        let report = map_in(&system, CacheMode::Use);
        assert_eq!(edges_of(&report.graph), ["a.toy -> b.toy runtime"]);
    }
}
