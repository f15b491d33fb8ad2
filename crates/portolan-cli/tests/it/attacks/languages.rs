//! The same attacks in other languages: manifests and imports of Python, Rust, Go, Java and Kotlin
//! that lead out of the root, and texts that try to take forever.

use portolan_testkit::reliability;

use super::{CANARY, Lair, put};

/// Runs every command that reads code. None may show the canary.
#[track_caller]
fn check_blind(lair: &Lair, file: &str) {
    lair.state(&format!(r#"{{"v":2,"i":[["{file}",9]]}}"#));
    for arguments in [
        ["graph", "--view", "graph"].as_slice(),
        &["run", "--context"],
        &["look", file],
        &["read", file],
        &["pack", "--at", file],
        &["chart", file],
    ] {
        lair.run(arguments);
    }
    let members = lair.members();
    assert!(!members.iter().any(|name| name.contains("secret")), "{members:?}");
}

/// A repository, and beside it code with the canary in everything that a map would show.
fn lair(files: &[(&str, &str)]) -> Lair {
    let lair = Lair::new(files);
    for (path, text) in [
        ("__init__.py", format!("\"\"\"{CANARY}\"\"\"\nsecret = '{CANARY}'\n")),
        ("secret.py", format!("\"\"\"{CANARY}\"\"\"\nkey = '{CANARY}'\n")),
        ("secret.rs", format!("//! {CANARY}\npub const KEY: &str = \"{CANARY}\";\n")),
        ("Cargo.toml", "[package]\nname = \"outside\"\n[lib]\npath = \"secret.rs\"\n".to_owned()),
        ("go.mod", "module example.org/outside\n".to_owned()),
        (
            "secret.go",
            format!("// Package outside {CANARY}\npackage outside\nconst Key = \"{CANARY}\"\n"),
        ),
        (
            "pom.xml",
            format!(
                "<project><groupId>g</groupId><artifactId>o</artifactId><name>{CANARY}</name></project>"
            ),
        ),
        (
            "src/main/java/o/Secret.java",
            format!(
                "package o;\n/** {CANARY} */\npublic class Secret {{ String key = \"{CANARY}\"; }}\n"
            ),
        ),
        (
            "src/main/kotlin/o/Hidden.kt",
            format!("package o\n/** {CANARY} */\nclass Hidden {{ val key = \"{CANARY}\" }}\n"),
        ),
    ] {
        put(&lair.outside().join(path), text.as_bytes());
    }
    lair
}

/// The files of a repository, and the one that leads out.
type Case = (&'static [(&'static str, &'static str)], &'static str);

const LEADING_OUT: [Case; 17] = [
    (&[("a.py", "from ..outside import secret\nfrom ...outside.secret import key\n")], "a.py"),
    (
        &[
            (
                "pyproject.toml",
                "[tool.setuptools.packages.find]\nwhere = ['../outside', '..', '/etc']\n",
            ),
            ("a.py", "import secret, outside\nfrom outside import secret\n"),
        ],
        "a.py",
    ),
    (
        &[
            ("setup.cfg", "[options]\npackage_dir =\n    = ../outside\n    o = ../outside\n"),
            ("a.py", "import secret\nimport o.secret\n"),
        ],
        "a.py",
    ),
    (
        &[("p/__init__.py", "__path__ = ['../outside']\nfrom p.secret import key\n")],
        "p/__init__.py",
    ),
    (
        &[(
            "src/lib.rs",
            "#[path = \"../../outside/secret.rs\"]\nmod secret;\npub use secret::KEY;\n",
        )],
        "src/lib.rs",
    ),
    (
        &[(
            "src/lib.rs",
            "include!(\"../../outside/secret.rs\");\nconst A: &str = include_str!(\"../../outside/secret.txt\");\n",
        )],
        "src/lib.rs",
    ),
    (
        &[(
            "src/lib.rs",
            "const A: &[u8] = include_bytes!(\"/etc/passwd\");\ninclude!(\"/proc/self/environ\");\n",
        )],
        "src/lib.rs",
    ),
    (
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"a\"\n[lib]\npath = \"../outside/secret.rs\"\n[[bin]]\nname = \"b\"\npath = \"/etc/passwd\"\n",
            ),
            ("src/main.rs", "use a::KEY;\nfn main() {}\n"),
        ],
        "src/main.rs",
    ),
    (
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"a\"\n[workspace]\nmembers = [\"../outside\", \"../*\", \"/\"]\n[dependencies]\noutside = { path = \"../outside\" }\n",
            ),
            ("src/main.rs", "use outside::KEY;\nfn main() { outside::KEY; }\n"),
        ],
        "src/main.rs",
    ),
    (
        &[
            (
                "go.mod",
                "module example.org/m\nreplace example.org/outside => ../outside\nreplace example.org/etc => /etc\n",
            ),
            (
                "a.go",
                "package m\nimport \"example.org/outside\"\nimport _ \"example.org/etc\"\nvar a = outside.Key\n",
            ),
        ],
        "a.go",
    ),
    (
        &[
            ("go.work", "go 1.22\nuse ../outside\nuse .\n"),
            ("go.mod", "module example.org/m\n"),
            ("a.go", "package m\nimport . \"example.org/outside\"\nvar a = Key\n"),
        ],
        "a.go",
    ),
    (
        &[
            ("go.mod", "module example.org/m\n"),
            (
                "a.go",
                "package m\nimport _ \"embed\"\n//go:embed ../outside/secret.txt ../outside/* /etc/passwd\nvar a string\n",
            ),
        ],
        "a.go",
    ),
    (
        &[
            ("go.mod", "module example.org/m\n"),
            ("a.go", "package m\nimport \"../outside\"\nvar a = outside.Key\n"),
        ],
        "a.go",
    ),
    (
        &[
            (
                "pom.xml",
                "<project><modules><module>../outside</module><module>/etc</module></modules><parent><relativePath>../outside/pom.xml</relativePath></parent></project>",
            ),
            (
                "src/main/java/a/A.java",
                "package a;\nimport o.Secret;\nclass A { Secret s; String t = A.class.getResource(\"../../../../../outside/secret.txt\"); }\n",
            ),
        ],
        "src/main/java/a/A.java",
    ),
    (
        &[
            ("settings.gradle", "include ':o'\nproject(':o').projectDir = file('../outside')\n"),
            (
                "build.gradle",
                "sourceSets { main { java { srcDirs = ['../outside/src/main/java'] } } }\n",
            ),
            ("src/main/java/a/A.java", "package a;\nimport o.*;\nclass A extends Secret {}\n"),
        ],
        "src/main/java/a/A.java",
    ),
    (
        &[
            (
                "settings.gradle.kts",
                "include(\":o\")\nproject(\":o\").projectDir = file(\"../outside\")\n",
            ),
            ("src/main/kotlin/a/A.kt", "package a\nimport o.Hidden\nclass A(val h: Hidden)\n"),
        ],
        "src/main/kotlin/a/A.kt",
    ),
    (
        &[(
            "a.py",
            "import importlib\nimportlib.import_module('/etc/passwd')\nimportlib.import_module('../outside.secret')\n__import__('..outside')\n",
        )],
        "a.py",
    ),
];

#[test]
fn manifests_and_imports_of_other_languages_lead_nowhere_outside() {
    for (files, file) in LEADING_OUT {
        check_blind(&lair(files), file);
    }
    let outcome = "in no map, archive, answer or notice";
    let what = "imports, manifests and includes of five languages that lead out";
    reliability::row("attacks", what, LEADING_OUT.len(), outcome);
}

#[test]
fn links_in_place_of_code_and_manifests_lead_nowhere_outside() {
    let links = [
        ("secret.py", "a.py", "import secret\n"),
        ("secret.rs", "src/lib.rs", "mod secret;\n"),
        ("secret.go", "a.go", "package outside\nvar a = Key\n"),
        ("src/main/java/o/Secret.java", "o/A.java", "package o;\nclass A { Secret s; }\n"),
        ("src/main/kotlin/o/Hidden.kt", "o/A.kt", "package o\nclass A(val h: Hidden)\n"),
    ];
    let manifests = ["Cargo.toml", "go.mod", "pom.xml"];
    for (target, file, text) in links {
        let lair = lair(&[(file, text)]);
        let folder =
            file.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let name = target.rsplit('/').next().unwrap();
        lair.link(&format!("{folder}{name}"), lair.outside().join(target));
        for manifest in manifests {
            lair.link(manifest, lair.outside().join(manifest));
        }
        check_blind(&lair, file);
    }
    let outcome = "left out";
    let what = "links to outside code and manifests, five languages";
    reliability::row("attacks", what, links.len(), outcome);
}

/// A text to repeat: a head, a part, a tail.
const NESTED: [(&str, &str, &str, &str); 14] = [
    ("a.py", "x = ", "(", ")"),
    ("a.py", "x = ", "[", "]"),
    ("a.py", "", "if 1:\n ", ""),
    ("a.py", "x = ", "f'{", "}'"),
    ("a.py", "x = '''", "\\'''", ""),
    ("src/lib.rs", "fn a() ", "{", "}"),
    ("src/lib.rs", "", "mod a {", "}"),
    ("src/lib.rs", "use a::", "{a::", "}"),
    ("src/lib.rs", "", "/* ", "*/"),
    ("src/lib.rs", "type A = ", "Vec<", ">"),
    ("a.go", "package a\nvar a = ", "func() {", "}"),
    ("a.go", "package a\nvar a = `", "``", ""),
    ("A.java", "class A ", "{ class B ", "}"),
    ("A.kt", "val a = \"", "${\"", "\"}"),
];

#[test]
fn texts_of_other_languages_take_no_more_than_their_length() {
    const DEPTH: usize = 20_000;
    for (file, head, open, close) in NESTED {
        let closed = [head, &open.repeat(DEPTH), &close.repeat(DEPTH)].concat();
        let broken = [head, &open.repeat(DEPTH)].concat();
        for text in [closed, broken] {
            let lair = Lair::new(&[(file, &text)]);
            lair.run(&["graph", "--view", "meta"]);
            lair.run(&["look", file]);
            lair.run(&["read", &format!("{file}:1"), "--budget", "2000"]);
        }
    }
    let outcome = "read as far as possible, within limits";
    let what = "five languages nested 20,000 deep, closed and truncated";
    reliability::row("attacks", what, NESTED.len() * 2, outcome);
}

#[test]
fn circles_of_other_languages_end() {
    let many = |count: usize, file: &dyn Fn(usize) -> (String, String)| -> Vec<(String, String)> {
        (0..count).map(file).collect()
    };
    let stars = many(400, &|n| {
        let text = format!(
            "from .m{} import *\nfrom .m{} import missing{n}\n",
            (n + 1) % 400,
            (n + 7) % 400
        );
        (format!("p/m{n}.py"), text)
    });
    let globs = many(300, &|n| {
        let text = format!(
            "pub use crate::m{}::*;\npub use crate::m{}::missing{n};\n",
            (n + 1) % 300,
            (n + 7) % 300
        );
        (format!("src/m{n}.rs"), text)
    });
    let modules: String = (0..300).map(|n| format!("pub mod m{n};\n")).collect();
    let classes = many(600, &|n| {
        (
            format!("a/C{n}.java"),
            format!("package a;\nclass C{n} extends C{} {{ Missing{n} m; }}\n", (n + 1) % 600),
        )
    });
    let functions = many(600, &|n| {
        (
            format!("f{n}.go"),
            format!("package a\nfunc F{n}() {{ F{}(); missing{n}() }}\n", (n + 1) % 600),
        )
    });
    let crates = vec![
        ("Cargo.toml".to_owned(), "[package]\nname = \"a\"\n[dependencies]\nb = { path = \"b\" }\n".to_owned()),
        ("b/Cargo.toml".to_owned(), "[package]\nname = \"b\"\n[dependencies]\na = { path = \"..\" }\nb = { path = \".\" }\n".to_owned()),
        ("src/lib.rs".to_owned(), "#[path = \"lib.rs\"]\nmod own;\npub use b::*;\npub use own::*;\n".to_owned()),
        ("b/src/lib.rs".to_owned(), "pub use a::*;\npub use self::*;\npub use crate::*;\n".to_owned()),
    ];
    let replaced = vec![
        (
            "go.mod".to_owned(),
            "module a.org/a\nreplace a.org/a => ./\nreplace a.org/b => ./b\n".to_owned(),
        ),
        (
            "b/go.mod".to_owned(),
            "module a.org/b\nreplace a.org/a => ../\nreplace a.org/b => ./\n".to_owned(),
        ),
        ("a.go".to_owned(), "package a\nimport \"a.org/b\"\nvar A = b.B\n".to_owned()),
        ("b/b.go".to_owned(), "package b\nimport \"a.org/a\"\nvar B = a.A\n".to_owned()),
    ];
    let poms = vec![
        ("pom.xml".to_owned(), "<project><parent><relativePath>m/pom.xml</relativePath></parent><modules><module>m</module><module>.</module></modules></project>".to_owned()),
        ("m/pom.xml".to_owned(), "<project><parent><relativePath>../pom.xml</relativePath></parent><modules><module>..</module></modules></project>".to_owned()),
        ("src/main/java/a/A.java".to_owned(), "package a;\nimport a.*;\nimport static a.A.*;\nclass A extends A {}\n".to_owned()),
    ];
    let lib = vec![("src/lib.rs".to_owned(), modules)];
    let cases = [
        (stars, "p/m0.py"),
        ([lib, globs].concat(), "src/lib.rs"),
        (classes, "a/C0.java"),
        (functions, "f0.go"),
        (crates, "src/lib.rs"),
        (replaced, "a.go"),
        (poms, "src/main/java/a/A.java"),
    ];
    let count = cases.len();
    for (files, file) in cases {
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let lair = Lair::new(&files);
        assert_eq!(lair.run(&["graph", "--view", "meta"]).code, 0, "{file}");
        lair.run(&["look", file]);
        lair.run(&["read", file]);
    }
    let outcome = "mapped within time and memory limits";
    let what = "circular star imports, globs, classes, crates, modules, poms";
    reliability::row("attacks", what, count, outcome);
}
