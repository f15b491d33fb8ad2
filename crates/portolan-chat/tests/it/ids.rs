//! Canonical ids, by which archives address files.

use std::path::Path;

use portolan_testkit::{ROOT, check_notices, map_of};

fn ids(fixture: &str) -> Vec<String> {
    let report = map_of(fixture);
    let external = |id: &&str| id.starts_with(".stan/");
    report
        .graph
        .nodes()
        .iter()
        .map(|node| node.id.as_str())
        .filter(external)
        .map(ToOwned::to_owned)
        .collect()
}

#[test]
fn an_installed_file_is_named_by_package_version_and_path() {
    let fixture = "//- node_modules/@s/p/package.json\n{ \"name\": \"@s/p\", \"version\": \"1.2.3-rc.1+x\", \"types\": \"lib/i.d.ts\" }\n\
        //- node_modules/@s/p/lib/package.json\n{ \"type\": \"module\" }\n//- node_modules/@s/p/lib/i.d.ts\n//- use.ts\nimport '@s/p';";
    assert_eq!(ids(fixture), [".stan/context/npm/@s/p/1.2.3-rc.1+x/lib/i.d.ts"]);
}

#[test]
fn a_file_elsewhere_is_named_by_the_digest_of_its_path() {
    let digest = portolan_vfs::sha256(b"/out/x.ts");
    assert_eq!(
        ids("//- ../out/x.ts\n//- use.ts\nimport '../out/x';"),
        [format!(".stan/context/abs/{digest}/x.ts")]
    );
}

#[test]
fn a_hoisted_package_above_the_root_is_a_package() {
    let fixture = "//- ../node_modules/p/package.json\n{ \"name\": \"p\", \"version\": \"1.0.0\" }\n\
        //- ../node_modules/p/index.d.ts\n//- use.ts\nimport 'p';";
    assert_eq!(ids(fixture), [".stan/context/npm/p/1.0.0/index.d.ts"]);
}

#[test]
fn a_package_cannot_choose_where_it_lands() {
    for (name, version) in [
        ("../../evil", "1.0.0"),
        ("p", "1.0.0/../../x"),
        ("p", ".."),
        ("@a/b/c", "1"),
        ("p", "a\\u0000b"),
    ] {
        let fixture = format!(
            "//- node_modules/p/package.json\n{{ \"name\": \"{name}\", \"version\": \"{version}\" }}\n\
             //- node_modules/p/index.d.ts\n//- use.ts\nimport 'p';"
        );
        let ids = ids(&fixture);
        assert!(
            ids.len() == 1 && ids[0].starts_with(".stan/context/abs/"),
            "{name} {version}: {ids:?}"
        );
        let notices = map_of(&fixture).notices;
        assert!(
            notices.iter().any(|notice| notice.code.as_str() == "CTX-GRAPH-0002"),
            "{name} {version}"
        );
    }
}

const TWO_COPIES: &str = "//- node_modules/p/package.json\n{ \"name\": \"p\", \"version\": \"1.0.0\" }\n\
    //- node_modules/b/node_modules/p/package.json\n{ \"name\": \"p\", \"version\": \"1.0.0\" }\n\
    //- use.ts\nimport 'p';\nimport './node_modules/b/node_modules/p';\n//- node_modules/p/index.d.ts\nexport {};\n";

#[test]
fn two_equal_copies_are_one_node() {
    let fixture =
        format!("{TWO_COPIES}//- node_modules/b/node_modules/p/index.d.ts\nexport {{}};\n");
    assert_eq!(ids(&fixture), [".stan/context/npm/p/1.0.0/index.d.ts"]);
    assert_eq!(map_of(&fixture).locators.len(), 1);
}

/// A package that claims the name and version of another one must not block everything.
#[test]
fn of_two_copies_that_differ_the_nearest_keeps_the_id_and_the_other_says_so() {
    let other = ".stan/context/npm/p/1.0.0~differs-";
    let fixture = format!(
        "{TWO_COPIES}//- node_modules/b/node_modules/p/index.d.ts\nexport * from './more';\nexport const patched = 1;\n\
         //- node_modules/b/node_modules/p/more.d.ts\nexport const more = 1;\n\
         //- more.ts\nimport {{ more }} from './node_modules/b/node_modules/p';\n"
    );
    let report = map_of(&fixture);
    let found = ids(&fixture);
    assert_eq!(found[0], ".stan/context/npm/p/1.0.0/index.d.ts");
    assert!(found.len() == 3 && found[1..].iter().all(|id| id.starts_with(other)), "{found:?}");
    let kept = report.locators.iter().find(|locator| locator.id.as_str() == found[0]).unwrap();
    assert_eq!(kept.path, Path::new(ROOT).join("node_modules/p/index.d.ts"));
    check_notices(&fixture, &["CTX-GRAPH-0003 node_modules/b/node_modules/p/package.json"]);
    let message = &report.notices[0].message;
    assert!(
        message.contains("`node_modules/p`") && message.contains("1.0.0~differs-"),
        "{message}"
    );
}
