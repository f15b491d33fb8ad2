//! Configuration files are untrusted input: whatever they contain, resolution ends and does not
//! panic.

use std::path::Path;

use portolan_languages::ecma::resolve::{NpmResolver, Resolution, SpecifierForm};
use portolan_languages::{Resolve, ResolveContext, Sources};
use portolan_types::Facts;
use portolan_vfs::{MemorySystem, System};
use proptest::prelude::*;

/// A universe of two manifests in which every file is a source.
struct Manifests;

impl Sources for Manifests {
    fn paths(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(["/r/p/package.json", "/r/package.json"].into_iter())
    }

    fn contains(&self, _: &str) -> bool {
        true
    }

    fn facts(&self, _: &str) -> Option<&Facts> {
        None
    }
}

fn resolve(files: &[(&str, &[u8])], specifier: &str) -> Resolution {
    let system = MemorySystem::default();
    system.create_dir_all(Path::new("/r")).unwrap_or_default();
    for (path, bytes) in files {
        system.put(Path::new("/r").join(path), *bytes);
    }
    let ctx = ResolveContext::new(&system, "/r", std::iter::empty(), &Manifests);
    let resolver = NpmResolver::new(&ctx);
    let answer = resolver.resolve("/r/src/use.ts", specifier, SpecifierForm::Import);
    let _ = (ctx.notices(), resolver.package_of("/r/p/x.ts"));
    answer
}

/// JSON that resembles a manifest or a config, with errors.
fn nearly_json() -> impl Strategy<Value = String> {
    let keys = prop::sample::select(vec![
        "name",
        "version",
        "exports",
        "imports",
        "types",
        "main",
        "typesVersions",
        "workspaces",
        "extends",
        "paths",
        "compilerOptions",
        "baseUrl",
        "references",
        "path",
        "rootDirs",
        "*",
        ".",
        "./*",
        "#x",
        "default",
        "files",
    ]);
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("1e999".to_owned()),
        "[a-z./*#@\\\\]{0,8}".prop_map(|text| format!("{text:?}")),
        Just("\"../../..\"".to_owned()),
        Just("\"./tsconfig.json\"".to_owned()),
        Just(String::new()),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        let keys = keys.clone();
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((keys, inner), 0..5).prop_map(|members| {
                let members: Vec<_> =
                    members.iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn no_configuration_breaks_resolution(
        config in nearly_json(), root in nearly_json(), package in nearly_json(), yaml in "(packages:)?[-a-z*&:\\[\\]{}\n ']{0,40}",
        specifier in "[.#@a-z*/:?]{0,8}",
    ) {
        resolve(
            &[
                ("tsconfig.json", config.as_bytes()),
                ("package.json", root.as_bytes()),
                ("p/package.json", package.as_bytes()),
                ("pnpm-workspace.yaml", yaml.as_bytes()),
                ("src/use.ts", b""),
            ],
            &specifier,
        );
    }

    #[test]
    fn no_bytes_break_a_reader(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        resolve(&[("tsconfig.json", &bytes), ("package.json", &bytes), ("pnpm-workspace.yaml", &bytes)], "x");
    }
}

#[test]
fn exponential_yaml_is_refused() {
    let level = |level: usize| {
        let repeated = vec![format!("*a{}", level - 1); 9].join(", ");
        format!("a{level}: &a{level} [{repeated}]\n")
    };
    let levels: String = (1..12).map(level).collect();
    let yaml = format!("a0: &a0 [x, x, x, x, x, x, x, x, x]\n{levels}packages: *a11\n");
    let files: &[(&str, &[u8])] =
        &[("pnpm-workspace.yaml", yaml.as_bytes()), ("package.json", b"{}")];
    assert_eq!(resolve(files, "x"), Resolution::Missing);
}

/// `exports` may only name files of the package, so a package name in it leads nowhere.
#[test]
fn exports_of_package_names_resolve_to_nothing() {
    for exports in
        [r#""a""#, r#"["a", "b"]"#, r#"{ ".": { "default": "a" } }"#, r#"{ "./*": "a/*" }"#]
    {
        let manifest =
            format!(r##"{{ "name": "a", "exports": {exports}, "imports": {{ "#x": "a" }} }}"##);
        let files: &[(&str, &[u8])] = &[
            ("package.json", manifest.as_bytes()),
            ("node_modules/a/package.json", manifest.as_bytes()),
        ];
        for specifier in ["a", "a/x", "#x"] {
            assert_eq!(resolve(files, specifier), Resolution::Missing, "{exports} {specifier}");
        }
    }
}

/// Every alternative of every package names all packages. Following them all would take exponential
/// time.
#[test]
fn alternatives_do_not_multiply_across_packages() {
    const PACKAGES: usize = 12;
    let names: Vec<String> = (0..16).map(|at| format!("\"p{}\"", at % PACKAGES)).collect();
    let names = names.join(",");
    let manifests: Vec<(String, String)> = (0..PACKAGES)
        .map(|at| {
            let text = format!(
                r##"{{ "name": "p{at}", "exports": [{names}], "imports": {{ "#x": [{names}] }} }}"##
            );
            (format!("node_modules/p{at}/package.json"), text)
        })
        .collect();
    let root = format!(r##"{{ "imports": {{ "#x": [{names}, "p0/deep.js"] }} }}"##);
    let mut files: Vec<(&str, &[u8])> = vec![("package.json", root.as_bytes())];
    files.extend(manifests.iter().map(|(path, text)| (path.as_str(), text.as_bytes())));
    for specifier in ["p0", "#x"] {
        assert_eq!(resolve(&files, specifier), Resolution::Missing);
    }
}

#[test]
fn imports_may_name_a_package_whose_exports_name_a_file() {
    let files: &[(&str, &[u8])] = &[
        ("package.json", br##"{ "imports": { "#x": ["none", "p/y"] } }"##),
        ("node_modules/p/package.json", br#"{ "name": "p", "exports": { "./y": "./z.js" } }"#),
        ("node_modules/p/z.js", b""),
    ];
    assert_eq!(resolve(files, "#x"), Resolution::File("/r/node_modules/p/z.js".into()));
}

#[test]
fn number_of_tried_targets_is_limited() {
    let targets = |count: usize| {
        let missing: Vec<_> = (0..count).map(|at| format!("\"./{at}.js\"")).collect();
        format!(r#"{{ "name": "p", "exports": [{}, "./here.js"] }}"#, missing.join(","))
    };
    let found = |count: usize| {
        let manifest = targets(count);
        let files: &[(&str, &[u8])] = &[
            ("package.json", b"{}"),
            ("node_modules/p/package.json", manifest.as_bytes()),
            ("node_modules/p/here.js", b""),
        ];
        resolve(files, "p")
    };
    assert_eq!(found(20), Resolution::File("/r/node_modules/p/here.js".into()));
    assert_eq!(found(1000), Resolution::Missing);
}

/// The config would itself govern the file that it extends.
#[test]
fn config_may_extend_a_package_that_it_governs() {
    let files: &[(&str, &[u8])] = &[
        ("package.json", br#"{ "workspaces": ["p"] }"#),
        ("tsconfig.json", br#"{ "extends": "base/x" }"#),
        ("p/package.json", br#"{ "name": "base", "exports": { "./x": "./y.json" } }"#),
        ("p/y.json", br#"{ "compilerOptions": { "paths": { "~": ["../src/use.ts"] } } }"#),
        ("src/use.ts", b""),
    ];
    assert_eq!(resolve(files, "~"), Resolution::File("/r/src/use.ts".into()));
}
