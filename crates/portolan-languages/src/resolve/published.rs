//! The published packages of a repository: their names, modules and requirements, as the manifests
//! give them.

use std::collections::BTreeMap;

use crate::resolve::ecosystem::Ecosystems;

/// What a manifest says about a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Published {
    /// The published name; `None` if the manifest has none.
    pub name: Option<String>,
    /// The version, as written.
    pub version: Option<String>,
    /// The modules that other repositories import, sorted.
    pub modules: Vec<String>,
    /// The specifiers of its entry points, if only these can be imported.
    pub entries: Vec<String>,
    /// Renamed modules: the name in its code, and the real name.
    pub renamed: BTreeMap<String, String>,
    /// The required packages with their versions, as written.
    pub requirements: BTreeMap<String, String>,
}

/// A package of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedPackage {
    /// The ecosystem's name.
    pub ecosystem: &'static str,
    /// The folder relative to the root; empty for the root.
    pub folder: String,
    /// What the manifest says.
    pub published: Published,
}

/// The files of a repository by relative path, and how to read them.
pub struct Manifests<'a> {
    paths: Vec<&'a str>,
    read: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> Manifests<'a> {
    /// Creates it from the paths of a universe.
    pub fn new(
        paths: impl Iterator<Item = &'a str>,
        read: &'a dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let mut paths: Vec<&str> = paths.collect();
        paths.sort_unstable();
        Self { paths, read }
    }

    /// The text of a file in a folder, if the universe contains it.
    pub(crate) fn read(&self, folder: &str, name: &str) -> Option<String> {
        let path = below(folder, name);
        self.paths.binary_search(&path.as_str()).ok().and_then(|_| (self.read)(&path))
    }

    /// The files below a folder, relative to it.
    pub(crate) fn below(&self, folder: &str) -> impl Iterator<Item = &'a str> {
        let first = below(folder, "");
        let start = self.paths.partition_point(|path| **path < *first);
        let rest = self.paths.get(start..).unwrap_or_default().iter();
        rest.map_while(move |path| path.strip_prefix(first.as_str()))
    }
}

/// A path below a folder.
fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A folder and those above it, up to the root.
pub(crate) fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder);
    std::iter::from_fn(move || {
        let current = next?;
        next = match current.rsplit_once('/') {
            Some((above, _)) => Some(above),
            None if current.is_empty() => None,
            None => Some(""),
        };
        Some(current)
    })
}

/// The packages of a repository, sorted by folder.
pub fn published(manifests: &Manifests<'_>, ecosystems: Ecosystems) -> Vec<PublishedPackage> {
    let mut found = Vec::new();
    for ecosystem in ecosystems.iter() {
        let mut folders = ecosystem.projects(manifests);
        for path in &manifests.paths {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if ecosystem.is_manifest(name) {
                folders.insert(folder.to_owned());
            }
        }
        folders.retain(|folder| !folder.split('/').any(|it| ecosystem.is_store(it)));
        found.extend(folders.into_iter().filter_map(|folder| {
            let published = ecosystem.published(manifests, &folder)?;
            Some(PublishedPackage { ecosystem: ecosystem.name(), folder, published })
        }));
    }
    found.sort_by(|left, right| {
        (&left.folder, left.ecosystem).cmp(&(&right.folder, right.ecosystem))
    });
    found
}

#[cfg(test)]
mod tests {
    use super::{Manifests, published};
    use crate::Ecosystems;

    /// Compares packages as lines: ecosystem, folder, name, version, modules, requirements.
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let read = |path: &str| {
            files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned())
        };
        let manifests = Manifests::new(files.iter().map(|(path, _)| *path), &read);
        let found = published(&manifests, Ecosystems::default());
        let lines: Vec<String> = found
            .iter()
            .map(|it| {
                let own = &it.published;
                let asked: Vec<String> = own
                    .requirements
                    .iter()
                    .map(|(name, version)| format!("{name}@{version}"))
                    .collect();
                format!(
                    "{} [{}] {} {} <{}> {}",
                    it.ecosystem,
                    it.folder,
                    own.name.as_deref().unwrap_or("-"),
                    own.version.as_deref().unwrap_or("-"),
                    own.modules.join(" "),
                    asked.join(" ")
                )
            })
            .collect();
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn npm_packages_are_imported_by_their_name_unless_they_are_private() {
        check(
            &[
                (
                    "package.json",
                    r#"{"name":"root","private":true,"devDependencies":{"vite":"^7"}}"#,
                ),
                (
                    "packages/a/package.json",
                    r#"{"name":"@s/a","version":"1.2.3","dependencies":{"zod":"^4","z3":"npm:zod@3"}}"#,
                ),
            ],
            &["npm [] root - <> vite@^7", "npm [packages/a] @s/a 1.2.3 <@s/a> z3@npm:zod@3 zod@^4"],
        );
    }

    #[test]
    fn python_distributions_are_imported_by_their_top_modules() {
        let manifest = "[project]\nname = \"My_Tool\"\nversion = \"2\"\ndependencies = [\"Flask >= 3\", \"click\"]\n";
        check(
            &[
                ("pyproject.toml", manifest),
                ("src/my_tool/__init__.py", ""),
                ("src/single.py", ""),
                ("tests/__init__.py", ""),
            ],
            &["pypi [] my-tool 2 <my_tool single> click@* flask@>= 3"],
        );
    }

    #[test]
    fn crates_inherit_from_their_workspace_and_are_imported_with_underscores() {
        check(
            &[
                (
                    "Cargo.toml",
                    "[workspace.package]\nversion = \"0.3.0\"\n[workspace.dependencies]\nserde = { version = \"1.0\" }\n",
                ),
                (
                    "a-b/Cargo.toml",
                    "[package]\nname = \"a-b\"\nversion.workspace = true\n[dependencies]\nserde.workspace = true\nio = { package = \"tokio-io\", version = \"2\" }\n",
                ),
                ("a-b/src/lib.rs", ""),
            ],
            &["cargo [] - - <>", "cargo [a-b] a-b 0.3.0 <a_b> io@2 serde@1.0"],
        );
    }

    #[test]
    fn go_modules_are_imported_by_their_path() {
        check(
            &[("go.mod", "module example.com/a\n\nrequire github.com/b/c v1.2.3\n")],
            &["go [] example.com/a - <example.com/a> github.com/b/c@v1.2.3"],
        );
    }

    #[test]
    fn maven_artifacts_have_coordinates_and_are_imported_by_their_java_packages() {
        let pom = "<project><parent><groupId>org.x</groupId><version>9</version></parent>\
            <artifactId>core</artifactId><!-- <version>1</version> --><dependencies><dependency><groupId>org.y</groupId>\
            <artifactId>z</artifactId><version>3</version></dependency></dependencies></project>";
        check(
            &[
                ("core/pom.xml", pom),
                ("core/src/main/java/org/x/core/A.java", ""),
                ("core/src/test/java/org/x/tests/T.java", ""),
                ("api/build.gradle", "group = 'org.g'\nversion = '1.1'\n"),
                ("api/src/main/java/org/g/api/B.java", ""),
            ],
            &[
                "maven [api] org.g:api 1.1 <org.g.api>",
                "maven [core] org.x:core 9 <org.x.core> org.y:z@3",
            ],
        );
    }

    #[test]
    fn gradle_settings_name_the_projects_whatever_their_scripts_are_called() {
        let settings = "rootProject.name = 'all'\ninclude(\n  \"api\",\n  \":deep:part\",\n)\ninclude 'bare', 'moved' // 'not'\n\
            includeBuild(\"tools\")\nproject(':moved').projectDir = file(\"$rootDir/else/where\")\n\
            rootProject.children.forEach { it.buildFileName = \"${it.name}.gradle.kts\" }\n";
        check(
            &[
                ("settings.gradle.kts", settings),
                ("build.gradle.kts", "group = \"org.root\"\nsubprojects {\n  version = '7'\n}\n"),
                ("gradle.properties", "# group=no\ngroup=org.g\n"),
                ("api/api.gradle.kts", "group = \"org.g.api\"\n"),
                ("api/src/main/java/org/g/api/A.java", ""),
                ("bare/src/main/kotlin/org/g/bare/B.kt", ""),
                ("deep/part/part.gradle", ""),
                ("else/where/build.gradle", ""),
                ("tools/src/main/kotlin/conventions.gradle.kts", "group = 'x'"),
            ],
            &[
                "maven [] org.root:all - <>",
                "maven [api] org.g.api:api 7 <org.g.api>",
                "maven [bare] org.g:bare 7 <org.g.bare>",
                "maven [deep/part] org.g:part 7 <>",
                "maven [else/where] org.g:where 7 <>",
            ],
        );
    }

    #[test]
    fn gradle_dependencies_may_be_coordinates_parts_or_catalog_aliases() {
        let script = "plugins { id 'x' version '1' }\next.two = \"2\"\ndependencies {\n  api 'a:one:1.5' // c:no:1\n  \
            implementation(\"a:two:${two}\")\n  runtimeOnly \"a:three:$unknown\"\n  \
            implementation group: 'b', name: 'parts', version: '3'\n  api(libs.some.lib)\n  api(libs.bundles.both)\n  \
            api(platform(libs.rich.get()))\n  api(projects.other)\n  implementation project(':core')\n  \
            implementation('a:four') {\n    exclude group: 'z', module: 'y'\n  }\n}\ntasks.register('t:u') {}\n";
        let catalog = "[versions]\nv = \"9\"\nr = { strictly = \"[1,2)\", prefer = \"1.5\" }\n[libraries]\n\
            some-lib = { module = \"c:some\", version.ref = \"v\" }\nrich = { group = \"c\", name = \"rich\", version.ref = \"r\" }\n\
            plain = \"c:plain:4\"\nunused = \"c:unused:1\"\n[bundles]\nboth = [\"plain\", \"some-lib\"]\n";
        check(
            &[("core/build.gradle", script), ("gradle/libs.versions.toml", catalog)],
            &[
                "maven [core] core - <> a:four@* a:one@1.5 a:three@* a:two@2 b:parts@3 c:plain@4 c:rich@[1,2) c:some@9",
            ],
        );
    }

    #[test]
    fn package_is_derived_from_the_module_name() {
        let named = |ecosystem: &str, module: &str| {
            let found = Ecosystems::default().iter().find(|it| it.name() == ecosystem);
            found.and_then(|it| it.package_named(module)).unwrap_or_default().into_owned()
        };
        assert_eq!(named("npm", "@s/a/deep/file"), "@s/a");
        assert_eq!(named("npm", "zod/v4"), "zod");
        assert_eq!(named("npm", "@types/s__a"), "@s/a");
        for own in ["./a", "@/components", "~/x", "#internal", "virtual:x", "/abs", ""] {
            assert_eq!(named("npm", own), "", "{own}");
        }
        assert_eq!(named("pypi", "flask"), "flask");
        assert_eq!(named("pypi", ".local"), "");
        assert_eq!(named("go", "github.com/b/c"), "github.com/b/c");
        assert_eq!(named("go", "nodots/x"), "");
        assert_eq!(named("maven", "org.x.core"), "org.x.core");
        assert_eq!(named("cargo", "tokio-util"), "tokio_util");
        let installed = |ecosystem: &str, file: &str| {
            let found = Ecosystems::default().iter().find(|it| it.name() == ecosystem);
            found.and_then(|it| it.module_of_installed(file)).unwrap_or_default().into_owned()
        };
        assert_eq!(installed("npm", "@s/a/1.2.3/index.d.ts"), "@s/a");
        assert_eq!(installed("pypi", "Flask/3.0/flask/app.py"), "flask");
        assert_eq!(installed("cargo", "tokio-util/0.7.1/src/lib.rs"), "tokio_util");
        assert_eq!(installed("go", "github.com/b/c/v2/v2.3.4/doc.go"), "github.com/b/c/v2");
    }
}
