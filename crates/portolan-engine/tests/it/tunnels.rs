//! Names followed through barrels to the files that define them.

use portolan_testkit::check_edges;

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
