//! Names followed through barrels to the files that define them.

use std::fmt::Write as _;

use portolan_testkit::{check_edges, check_notices, edges_of, map_of, reliability};

#[test]
fn a_name_is_followed_through_renames_and_stars_with_its_own_kind() {
    check_edges(
        "//- a.ts\nimport { A, type T } from './barrel';\n//- barrel.ts\nexport * from './mid';\nexport type { T } from './t';\n\
         //- mid.ts\nexport { x as A } from './x';\n//- t.ts\nexport type T = 1;\n//- x.ts\nexport const x = 1;",
        &[
            "a.ts -> barrel.ts runtime",
            "a.ts ~> t.ts type",
            "a.ts ~> x.ts runtime",
            "barrel.ts -> mid.ts runtime",
            "barrel.ts -> t.ts type",
            "mid.ts -> x.ts runtime",
        ],
    );
}

#[test]
fn names_stay_inside_an_installed_package_but_not_inside_a_workspace() {
    check_edges(
        "//- node_modules/p/index.d.ts\nexport * from './lib';\nexport * from 'q';\n//- node_modules/p/lib.d.ts\nexport declare const A: 1;\n\
         //- node_modules/q/index.d.ts\nexport declare const B: 1;\n//- use.ts\nimport { A, B } from 'p';",
        &[
            "use.ts -> node_modules/p/index.d.ts runtime",
            "use.ts ~> node_modules/p/lib.d.ts runtime",
        ],
    );
    check_edges(
        "//- package.json\n{ \"workspaces\": [\"p/*\"] }\n//- p/a/package.json\n{ \"name\": \"a\", \"main\": \"i.ts\" }\n\
         //- p/a/i.ts\nexport * from 'b';\n//- p/b/package.json\n{ \"name\": \"b\", \"main\": \"i.ts\" }\n//- p/b/i.ts\nexport const B = 1;\n\
         //- use.ts\nimport { B } from 'a';",
        &[
            "p/a/i.ts -> p/b/i.ts runtime",
            "use.ts -> p/a/i.ts runtime",
            "use.ts ~> p/b/i.ts runtime",
        ],
    );
}

#[test]
fn a_type_import_in_a_type_is_tunnelled_only_where_that_tells_more() {
    check_edges(
        "//- a.ts\ntype A = import('./direct').D;\ntype B = import('./barrel').D;\n//- barrel.ts\nexport * from './direct';\n\
         //- direct.ts\nexport type D = 1;",
        &[
            "a.ts -> barrel.ts type",
            "a.ts -> direct.ts type",
            "a.ts ~> direct.ts type",
            "barrel.ts -> direct.ts runtime",
        ],
    );
}

#[test]
fn an_export_assignment_gives_the_members_of_its_namespace() {
    check_edges(
        "//- node_modules/@types/react/index.d.ts\nexport = React;\ndeclare namespace React { function useState(): void; }\n\
         //- use.tsx\nimport React, { useState } from 'react';",
        &[
            "use.tsx -> node_modules/@types/react/index.d.ts runtime",
            "use.tsx ~> node_modules/@types/react/index.d.ts runtime",
        ],
    );
}

#[test]
fn a_barrel_of_barrels_that_import_each_other_is_no_trouble() {
    let stars: String = (0..60).map(|other| format!("export * from './b{other}';\n")).collect();
    let barrels: String = (0..60).map(|barrel| format!("//- b{barrel}.ts\n{stars}")).collect();
    let mut fixture = format!("//- use.ts\nimport {{ X }} from './b0';\n{barrels}");
    fixture += "//- b60.ts\nexport const X = 1;\n//- b59.ts\nexport * from './b60';\nexport * from './b0';\n";
    let edges = portolan_testkit::edges_of(&portolan_testkit::map_of(&fixture).raw);
    assert!(edges.contains(&"use.ts ~> b60.ts runtime".to_owned()));
}

/// A package whose entry passes a name on from file to file.
fn chain_of_package_files(hops: usize, pass: impl Fn(usize) -> String) -> String {
    let mut fixture = "//- use.ts\nimport { x } from 'p';\n\
        //- node_modules/p/package.json\n{ \"name\": \"p\", \"version\": \"1.0.0\", \"types\": \"0.d.ts\" }\n"
        .to_owned();
    let files = (0..hops).map(|at| format!("//- node_modules/p/{at}.d.ts\n{}\n", pass(at + 1)));
    fixture.extend(files);
    fixture + &format!("//- node_modules/p/{hops}.d.ts\nexport declare const x: 1;\n")
}

#[test]
fn a_name_is_followed_over_any_number_of_hops() {
    for pass in ["export * from './NEXT';", "export { x } from './NEXT';"] {
        let fixture = chain_of_package_files(450, |next| pass.replace("NEXT", &next.to_string()));
        check_edges(
            &fixture,
            &[
                "use.ts -> node_modules/p/0.d.ts runtime",
                "use.ts ~> node_modules/p/450.d.ts runtime",
            ],
        );
        check_notices(&fixture, &[]);
    }
}

/// Every file augments one interface, and every file uses it: the edges would grow with the square
/// of the files.
#[test]
fn a_name_with_too_many_definers_is_cut_and_that_is_told_and_marked() {
    const FILES: usize = 200;
    let mut fixture =
        "//- base.ts\nexport interface Base {}\n//- few.ts\nexport const few = 1;\n".to_owned();
    fixture.extend((0..FILES).map(|at| {
        format!(
            "//- a{at:03}.ts\nimport {{ Base }} from './base';\nimport {{ few }} from './few';\n\
             declare module './base' {{ interface Base {{ a{at}: 1 }} }}\nexport const x: Base = few;\n"
        )
    }));
    let report = map_of(&fixture);
    let graph = &report.graph;
    let user = graph.index_of("a100.ts").unwrap();
    let implicit = graph.edges(user).iter().filter(|edge| !edge.implicit.is_empty());
    assert!(implicit.count() <= portolan_types::MAX_DEFINERS + 1);
    let base = graph.index_of("base.ts").unwrap();
    assert!(graph.edges(user).iter().any(|edge| edge.target == base && !edge.implicit.is_empty()));
    assert_eq!(graph.partial().len(), FILES);
    assert!(!graph.is_partial(base));
    let cut = report.notices.iter().filter(|notice| notice.code.as_str() == "CTX-GRAPH-0004");
    assert_eq!(cut.count(), FILES);
}

/// Each user of an interface leads to a bounded number of its augmentations, not to all.
#[test]
fn edges_grow_with_augmentations_and_users_and_not_with_their_product() {
    let edges = |count: usize| {
        let mut fixture = "//- base.ts\nexport interface A {}\n".to_owned();
        for at in 0..count {
            let _ = write!(
                fixture,
                "//- a{at}.ts\ndeclare module './base' {{ interface A {{ x{at}: 1 }} }}\nexport {{}};\n\
                 //- u{at}.ts\nimport {{ A }} from './base';\nexport const z: A = null as any;\n"
            );
        }
        edges_of(&map_of(&fixture).raw).len()
    };
    let (small, large) = (edges(150), edges(300));
    assert!(large < small * 5 / 2, "{small} → {large}");
    let what = "300 files that extend one interface, 300 that use it";
    reliability::row("ground", what, 2, "twice as many give about twice the edges");
}
