//! Tests the resolution of specifiers, as a table of small repositories.

use portolan_testkit::{check_edges, check_notices, check_targets, reliability};

#[test]
fn the_nearest_tsconfig_governs_a_file() {
    check_targets(
        r#"
//- tsconfig.json
{ "compilerOptions": { "paths": { "@/*": ["./root/*"] } } }
//- packages/a/tsconfig.json
{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }
//- packages/a/src/x.ts
//- root/x.ts
//- packages/a/src/use.ts
import '@/x';
"#,
        "packages/a/src/use.ts",
        "packages/a/src/x.ts",
    );
}

#[test]
fn a_solution_config_hands_over_to_the_project_that_has_the_file() {
    check_targets(
        r#"
//- tsconfig.json
{ "files": [], "references": [{ "path": "./tsconfig.node.json" }, { "path": "./tsconfig.app.json" }] }
//- tsconfig.node.json
{ "compilerOptions": { "paths": { "~/*": ["./wrong/*"] } }, "include": ["vite.config.ts"] }
//- tsconfig.app.json
{ "compilerOptions": { "paths": { "~/*": ["./src/*"] } }, "include": ["src"] }
//- src/x.ts
//- wrong/x.ts
//- src/use.ts
import '~/x';
"#,
        "src/use.ts",
        "src/x.ts",
    );
}

#[test]
fn a_jsconfig_counts_where_there_is_no_tsconfig() {
    check_targets(
        "//- jsconfig.json\n{ \"compilerOptions\": { \"baseUrl\": \"./src\" } }\n//- src/x.js\n//- use.js\nimport 'x';",
        "use.js",
        "src/x.js",
    );
}

#[test]
fn extends_is_followed_through_files_arrays_and_uninstalled_workspace_packages() {
    check_targets(
        r#"
//- package.json
{ "workspaces": ["packages/*"] }
//- packages/config/package.json
{ "name": "@w/config" }
//- packages/config/base.json
{ "compilerOptions": { "paths": { "~a": ["../a/a.ts"] } } }
//- packages/a/a.ts
//- packages/a/extra.json
{ "compilerOptions": { "moduleSuffixes": [".web", ""] } }
//- packages/a/tsconfig.json
{ "extends": ["@w/config/base.json", "./extra"] }
//- packages/a/s.web.ts
//- packages/a/s.ts
//- packages/a/use.ts
import '~a';
import './s';
"#,
        "packages/a/use.ts",
        "packages/a/a.ts packages/a/s.web.ts",
    );
}

#[test]
fn a_config_that_cannot_be_read_whole_is_told_and_used_as_far_as_it_can_be() {
    let fixture = r#"
//- tsconfig.json
{ "extends": "@nowhere/base", "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }
//- broken/tsconfig.json
{ "compilerOptions": { "paths": }
//- broken/near.ts
//- broken/use.ts
import './near';
//- src/x.ts
//- use.ts
import '@/x';
import './src/x';
"#;
    check_targets(fixture, "use.ts", "src/x.ts");
    check_targets(fixture, "broken/use.ts", "broken/near.ts");
    check_notices(
        fixture,
        &["CTX-RESOLVE-0001 broken/tsconfig.json", "CTX-RESOLVE-0001 tsconfig.json"],
    );
}

#[test]
fn configs_that_extend_each_other_end() {
    check_targets(
        "//- tsconfig.json\n{ \"extends\": \"./b.json\" }\n//- b.json\n{ \"extends\": \"./tsconfig.json\" }\n//- x.ts\n//- use.ts\nimport './x';",
        "use.ts",
        "x.ts",
    );
}

#[test]
fn declarations_are_preferred_in_packages() {
    check_targets(
        r#"
//- node_modules/a/package.json
{ "name": "a", "exports": { ".": { "import": { "default": "./a.js", "types": "./never.d.ts" }, "types": "./a.d.ts" }, "./x": "./x.js" } }
//- node_modules/a/a.js
//- node_modules/a/a.d.ts
//- node_modules/a/x.js
//- node_modules/a/x.d.ts
//- node_modules/b/index.js
//- node_modules/@types/b/index.d.ts
//- node_modules/@types/s__c/index.d.ts
//- node_modules/@s/c/package.json
{ "main": "main.js" }
//- node_modules/@s/c/main.js
//- node_modules/d/package.json
{ "typesVersions": { "<4": { "*": ["old/*"] }, "*": { "*": ["ts/*"] } }, "main": "index.js" }
//- node_modules/d/ts/index.d.ts
//- node_modules/d/ts/sub.d.ts
//- node_modules/d/index.js
//- node_modules/e/index.mjs
//- node_modules/e/package.json
{ "exports": { "import": "./index.mjs" } }
//- use.ts
import 'a'; import 'a/x'; import 'b'; import '@s/c'; import 'd'; import 'd/sub'; import 'e';
"#,
        "use.ts",
        "!node_modules/@types/b/index.d.ts !node_modules/@types/s__c/index.d.ts !node_modules/a/a.d.ts \
         !node_modules/a/x.d.ts !node_modules/d/ts/index.d.ts !node_modules/d/ts/sub.d.ts !node_modules/e/index.mjs",
    );
}

#[test]
fn conditions_follow_the_syntax_and_fall_back_to_the_other() {
    check_targets(
        r#"
//- node_modules/dual/package.json
{ "exports": { "import": "./i.d.mts", "require": "./r.d.cts" } }
//- node_modules/dual/i.d.mts
//- node_modules/dual/r.d.cts
//- node_modules/only/package.json
{ "exports": { "require": "./r.d.cts" } }
//- node_modules/only/r.d.cts
//- node_modules/custom/package.json
{ "exports": { "@w/source": "./s.ts", "default": "./d.js" } }
//- node_modules/custom/s.ts
//- node_modules/custom/d.js
//- tsconfig.json
{ "compilerOptions": { "customConditions": ["@w/source"] } }
//- use.ts
import 'dual'; import 'only'; import 'custom';
"#,
        "use.ts",
        "!node_modules/custom/s.ts !node_modules/dual/i.d.mts !node_modules/only/r.d.cts",
    );
    check_targets(
        "//- node_modules/dual/package.json\n{ \"exports\": { \"import\": \"./i.d.mts\", \"require\": \"./r.d.cts\" } }\n\
         //- node_modules/dual/i.d.mts\n//- node_modules/dual/r.d.cts\n//- use.cjs\nrequire('dual');",
        "use.cjs",
        "!node_modules/dual/r.d.cts",
    );
}

#[test]
fn a_package_knows_itself_by_name_and_by_hash() {
    check_targets(
        r##"
//- package.json
{ "name": "me", "exports": { "./x": "./src/x.ts" }, "imports": { "#in/*": "./src/*.ts", "#dep": "dep" } }
//- src/x.ts
//- node_modules/dep/index.d.ts
//- use.ts
import 'me/x'; import '#in/x'; import '#dep'; import '#none';
"##,
        "use.ts",
        "?#none !node_modules/dep/index.d.ts src/x.ts",
    );
}

#[test]
fn json_assets_and_queries_lead_to_their_files() {
    check_targets(
        "//- a.json\n{}\n//- b.css\n//- c.svg\n//- D.vue\n//- use.ts\n\
         import './a.json'; import './b.css'; import './c.svg?raw'; import './D.vue'; import './none.css';",
        "use.ts",
        "?./none.css D.vue a.json b.css c.svg",
    );
}

#[test]
fn pnpm_links_lead_to_real_paths() {
    check_targets(
        "//- node_modules/.pnpm/p@1.0.0/node_modules/p/index.d.ts\n//- node_modules/p -> .pnpm/p@1.0.0/node_modules/p\n\
         //- use.ts\nimport 'p';",
        "use.ts",
        "!node_modules/.pnpm/p@1.0.0/node_modules/p/index.d.ts",
    );
}

const WORKSPACE: &str = r#"
//- packages/src-main/package.json
{ "name": "src-main", "main": "src/index.ts" }
//- packages/src-main/src/index.ts
//- packages/src-main/src/deep/x.ts
//- packages/unbuilt/package.json
{ "name": "@w/unbuilt", "exports": { ".": { "types": "./dist/esm/index.d.ts", "import": "./dist/esm/index.js" }, "./*": "./dist/*.js" } }
//- packages/unbuilt/src/index.ts
//- packages/unbuilt/src/feature.tsx
//- packages/use/package.json
{ "name": "use" }
//- packages/use/use.ts
import 'src-main'; import 'src-main/src/deep/x'; import '@w/unbuilt'; import '@w/unbuilt/feature'; import 'react';
"#;

const WORKSPACE_TARGETS: &str = "packages/src-main/src/deep/x.ts packages/src-main/src/index.ts \
    packages/unbuilt/src/feature.tsx packages/unbuilt/src/index.ts ?react";

#[test]
fn workspace_packages_are_found_although_nothing_is_installed_or_built() {
    for declaration in [
        "//- package.json\n{ \"workspaces\": [\"packages/*\"] }",
        "//- package.json\n{ \"workspaces\": { \"packages\": [\"packages/*\"] } }",
        "//- package.json\n{}\n//- pnpm-workspace.yaml\npackages:\n  - 'packages/*'\n  - '!**/fixtures/**'",
        "//- package.json\n{}\n//- lerna.json\n{ \"packages\": [\"packages/*\"] }",
        "",
    ] {
        check_targets(
            &format!("{declaration}\n{WORKSPACE}"),
            "packages/use/use.ts",
            WORKSPACE_TARGETS,
        );
    }
    let declared = format!("//- package.json\n{{ \"workspaces\": [\"packages/*\"] }}\n{WORKSPACE}");
    check_notices(&declared, &["CTX-RESOLVE-0002 packages/unbuilt/package.json"]);
}

#[test]
fn the_map_is_the_same_before_and_after_a_build() {
    let built = "//- .gitignore\ndist\nnode_modules\n//- packages/unbuilt/dist/esm/index.d.ts\n//- packages/unbuilt/dist/feature.js\n\
        //- node_modules/@w/unbuilt -> ../../packages/unbuilt\n//- package.json\n{ \"workspaces\": [\"packages/*\"] }";
    check_targets(&format!("{built}\n{WORKSPACE}"), "packages/use/use.ts", WORKSPACE_TARGETS);
}

#[test]
fn a_package_that_is_no_member_is_not_found_by_name() {
    check_targets(
        "//- package.json\n{ \"workspaces\": [\"packages/*\"] }\n//- packages/a/package.json\n{ \"name\": \"a\" }\n\
         //- fixtures/react/package.json\n{ \"name\": \"react\" }\n//- fixtures/react/index.ts\n//- packages/a/use.ts\nimport 'react';",
        "packages/a/use.ts",
        "?react",
    );
}

#[test]
fn outside_the_root_only_code_is_followed() {
    check_targets(
        "//- ../out/x.ts\n//- ../out/secret.json\n{}\n//- ../out/passwd\nroot\n//- use.ts\n\
         import '../out/x'; import '../out/secret.json'; import '../out/passwd'; import '/out/x.ts'; new URL('../out/passwd', import.meta.url);",
        "use.ts",
        "?../out/passwd ?../out/secret.json !/out/x.ts",
    );
}

#[test]
fn references_and_urls_are_looked_up_their_own_way() {
    check_targets(
        "//- node_modules/@types/node/index.d.ts\n//- types.d.ts\n//- w.js\n//- use.ts\n\
         /// <reference path=\"types.d.ts\" />\n/// <reference types=\"node\" />\n/// <reference types=\"nope\" />\n\
         new Worker(new URL('./w.js', import.meta.url));",
        "use.ts",
        "!node_modules/@types/node/index.d.ts ?nope types.d.ts w.js",
    );
}

#[test]
fn config_dir_stands_for_the_folder_of_the_config_that_governs() {
    check_targets(
        r#"
//- base/tsconfig.base.json
{ "compilerOptions": { "paths": { "~/*": ["${configDir}/src/*"], "own": ["./own.ts"] }, "rootDirs": ["${configDir}/src", "${configDir}/gen"] } }
//- base/own.ts
//- base/src/x.ts
//- packages/a/tsconfig.json
{ "extends": "../../base/tsconfig.base.json" }
//- packages/a/src/x.ts
//- packages/a/gen/made.ts
//- packages/a/src/use.ts
import '~/x'; import 'own'; import './made';
"#,
        "packages/a/src/use.ts",
        "base/own.ts packages/a/gen/made.ts packages/a/src/x.ts",
    );
}

#[test]
fn an_import_through_a_link_to_a_folder_leads_to_the_file_that_is_in_the_map() {
    let fixture = "//- real/a.ts\nimport './b';\n//- real/b.ts\n//- ln -> real\n//- one.ts -> real/b.ts\n\
        //- use.ts\nimport './ln/a'; import './one';";
    check_edges(
        fixture,
        &[
            "real/a.ts -> real/b.ts runtime",
            "use.ts -> one.ts runtime",
            "use.ts -> real/a.ts runtime",
        ],
    );
}

/// As in Vue's packages: a wrapper for Node is hand-written, and everything else is built.
#[test]
fn a_wrapper_that_nobody_asked_for_does_not_stand_for_a_package_that_is_not_built() {
    let package = r#"
//- p/package.json
{ "name": "p", "main": "index.js", "exports": { "./there": "./there.js", ".": { "import": { "types": "./dist/p.d.ts", "node": "./index.mjs", "default": "./dist/p.js" } }, "./w": { "worker": "./dist/w.js", "browser": "./w.mjs" } } }
//- p/index.js
//- p/index.mjs
//- p/there.js
//- p/there.d.ts
//- p/w.mjs
//- p/src/index.ts
//- use/package.json
{ "name": "use" }
//- use/use.ts
import 'p'; import 'p/w'; import 'p/there';
"#;
    let root = "//- package.json\n{ \"workspaces\": [\"p\", \"use\"] }\n";
    check_targets(&format!("{root}{package}"), "use/use.ts", "p/src/index.ts p/there.d.ts p/w.mjs");
    let installed =
        format!("{root}//- .gitignore\nnode_modules\n//- node_modules/p -> ../p\n{package}");
    check_targets(&installed, "use/use.ts", "p/src/index.ts p/there.d.ts p/w.mjs");
}

#[test]
fn the_reader_and_the_resolver_of_a_language_number_its_forms_alike() {
    let read: Vec<_> = portolan_languages::ecma::syntax::EcmaImportForm::ALL
        .map(|form| (portolan_types::ImportForm::from(form), format!("{form:?}")))
        .to_vec();
    let resolved: Vec<_> = read
        .iter()
        .map(|(code, _)| {
            format!("{:?}", portolan_languages::ecma::resolve::SpecifierForm::of(*code))
        })
        .collect();
    assert_eq!(read.into_iter().map(|(_, name)| name).collect::<Vec<_>>(), resolved);
}

#[test]
fn a_dependency_on_a_folder_is_found_although_nothing_is_installed() {
    check_targets(
        r#"
//- package.json
{ "workspaces": ["apps/*"] }
//- apps/a/package.json
{ "name": "a", "dependencies": { "api": "link:./src/api", "out": "file:../../../out" } }
//- apps/a/src/api/package.json
{ "name": "api", "exports": { "browser": "./client.ts" } }
//- apps/a/src/api/client.ts
//- ../out/index.ts
//- apps/a/use.ts
import 'api'; import 'out';
"#,
        "apps/a/use.ts",
        "apps/a/src/api/client.ts ?out",
    );
}

#[test]
fn a_link_imports_from_where_its_file_really_is() {
    check_edges(
        "//- real/a.ts\nimport './b';\nimport '@/c';\n//- real/b.ts\n//- real/src/c.ts\n//- other/b.ts\n//- other/l.ts -> ../real/a.ts\n\
        //- real/tsconfig.json\n{ \"compilerOptions\": { \"paths\": { \"@/*\": [\"./src/*\"] } } }\n//- x.ts\nimport './other/l';",
        &[
            "other/l.ts -> real/b.ts runtime",
            "other/l.ts -> real/src/c.ts runtime",
            "real/a.ts -> real/b.ts runtime",
            "real/a.ts -> real/src/c.ts runtime",
            "x.ts -> other/l.ts runtime",
        ],
    );
}

#[test]
fn a_name_of_a_package_may_be_that_of_a_builtin() {
    let fixture = "//- package.json\n{ \"imports\": { \"#d\": \"node:fs\", \"#e\": { \"browser\": \"./e.js\", \"default\": \"path\" }, \
        \"#f\": [\"./f.js\", \"node:os\"], \"#g/*\": \"node:*\", \"#h\": \"nowhere\" } }\n//- e.js\n//- f.js\n\
        //- x.ts\nimport '#d';\nimport '#e';\nimport '#f';\nimport '#g/util';\nimport '#h';";
    check_targets(fixture, "x.ts", "?#h f.js node:fs node:path node:util");
}

#[test]
fn exports_that_lead_in_circles_lead_nowhere() {
    let circles = [
        r#""a""#,
        r#"["a", "b", "a"]"#,
        r#"{ ".": { "default": "a" } }"#,
        r#"{ ".": "./../a", "./*": "a/*" }"#,
        r##"["#x", "a"]"##,
    ];
    for exports in circles {
        let manifest = format!(
            r##"{{ "name": "a", "exports": {exports}, "imports": {{ "#x": ["a", "b"] }} }}"##
        );
        let fixture = format!(
            "//- package.json\n{manifest}\n//- node_modules/a/package.json\n{manifest}\n\
             //- node_modules/b/package.json\n{manifest}\n//- x.ts\nimport 'a';\nimport '#x';"
        );
        check_targets(&fixture, "x.ts", "?#x ?a");
    }
    let what = "circular `exports` and `imports` of three packages";
    reliability::row("ground", what, circles.len(), "unresolved, at once");
}

#[test]
fn data_and_modules_of_other_languages_are_files_where_they_are_named() {
    check_targets(
        "//- a.ts\nimport data from './a.json';\nimport init from './b.wasm';\n//- a.json\n{}\n//- b.wasm\n",
        "a.ts",
        "a.json b.wasm",
    );
}
