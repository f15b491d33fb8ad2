//! Attacks on time and memory. Every case is small on disk and would explode if anything grew
//! faster than the product of two sizes; [`super::PATIENCE`] and [`super::MEMORY`] bound those that
//! do.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::process::Command;

use portolan_testkit::reliability;

use super::{CONFIG, Lair, STATE, json};

const MAP: &[&str] = &["graph", "--view", "meta"];
const CONTEXT: &[&str] = &["run", "--context"];

/// A repository with one file that imports.
fn lair(code: &str) -> Lair {
    let lair = Lair::new(&[("src/a.ts", code)]);
    lair.state(r#"{"v":2,"i":[["src/a.ts",1000000]]}"#);
    lair
}

fn repeated(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect()
}

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(",")
}

fn imports(count: usize) -> String {
    repeated(count, |n| format!("import 'p/m{n}'; import './m{n}';\n"))
}

#[test]
fn re_exports_do_not_explode() {
    // Layers of barrels, each with all of the next layer: width to the power of depth paths.
    let layers = |folder: &str, depth: usize, width: usize| -> Vec<(String, String)> {
        let barrel =
            |layer: usize| repeated(width, |n| format!("export * from './l{layer}_{n}';\n"));
        let file = |layer: usize, n: usize| format!("{folder}/l{layer}_{n}.ts");
        let inner = (0..depth).flat_map(|layer| {
            let barrel = barrel(layer + 1);
            (0..width).map(move |n| (file(layer, n), barrel.clone()))
        });
        let last = (0..width).map(|n| (file(depth, n), format!("export const x{n} = 1;\n")));
        inner.chain(last).collect()
    };
    let names = list(30, |n| format!("x{n}"));
    let lair_of = |code: &str, files: &[(String, String)]| {
        let lair = lair(code);
        for (path, text) in files {
            lair.write(path, text);
        }
        lair
    };
    let own = lair_of(&format!("import {{{names}}} from './l0_0';"), &layers("src", 20, 20));
    let package =
        lair_of(&format!("import {{{names}}} from 'p/l0_0';"), &layers("node_modules/p", 8, 8));
    package.write("node_modules/p/package.json", r#"{"name":"p","version":"1.0.0"}"#);
    let chain: Vec<_> = (0..500)
        .map(|n| (format!("src/c{n}.ts"), format!("export * from './c{}';\n", (n + 1) % 500)))
        .collect();
    let circle = lair_of("import { x } from './c0';", &chain);
    let renames: Vec<_> = (0..60)
        .map(|n| {
            let next = (n + 1) % 60;
            let names = list(60, |m| format!("n{m} as n{}", (m + 1) % 60));
            (format!("src/c{n}.ts"), format!("export {{{names}}} from './c{next}';\n"))
        })
        .collect();
    let renamed = lair_of("import { n0 } from './c0';", &renames);
    let bombs = [own, package, circle, renamed];
    for lair in &bombs {
        assert_eq!(lair.run(MAP).code, 0);
        assert_eq!(lair.run(CONTEXT).code, 0);
    }
    reliability::row(
        "attacks",
        "re-exports in 20 × 20 layers, cycles and renames",
        bombs.len(),
        "mapped in seconds",
    );
}

#[test]
fn configuration_files_do_not_explode() {
    let many = 500;
    let options = |text: String| ("tsconfig.json", format!(r#"{{"compilerOptions":{{{text}}}}}"#));
    let package = |text: String| {
        ("node_modules/p/package.json", format!(r#"{{"name":"p","version":"1","exports":{text}}}"#))
    };
    let stars = "*".repeat(1 << 20);
    let cases: Vec<(&str, String)> = vec![
        options(format!(r#""moduleSuffixes":[{}]"#, list(many, |n| format!("\".s{n}\"")))),
        options(format!(r#""rootDirs":["src",{}]"#, list(many, |n| format!("\"r{n}\"")))),
        options(format!(r#""typeRoots":[{}]"#, list(many, |n| format!("\"r{n}\"")))),
        options(format!(r#""customConditions":[{}]"#, list(many, |n| format!("\"r{n}\"")))),
        options(format!(r#""paths":{{"*":[{}]}}"#, list(many, |n| format!("\"r{n}/*\"")))),
        options(format!(r#""paths":{{{}}}"#, list(many, |n| format!("\"r{n}*\":[\"x*\"]")))),
        options(format!(r#""paths":{{"*":["{stars}"]}}"#)),
        package(format!(r#"{{"./*":"./{stars}"}}"#)),
        package(format!(r#"{{"./*":[{}]}}"#, list(many, |n| format!("\"./r{n}/*\"")))),
        package(format!("{{{}}}", list(many, |n| format!("\"./r{n}/*\":\"./x/*\"")))),
        package("{\"import\":".repeat(100_000)),
        package(format!("{}1{}", "{\"a\":[".repeat(50), "]}".repeat(50))),
        (
            "package.json",
            format!(
                r#"{{"workspaces":["{}x","{}","{{{}"]}}"#,
                "**/".repeat(5000),
                "{a,b}".repeat(5000),
                "{a,".repeat(5000)
            ),
        ),
        ("package.json", format!(r#"{{"name":"{}"}}"#, "x".repeat(17 << 20))),
        ("pnpm-workspace.yaml", "packages: ".to_owned() + &"[".repeat(100_000)),
        (
            "pnpm-workspace.yaml",
            format!(
                "a0: &a0 [x]\n{}",
                repeated(20, |n| format!(
                    "a{}: &a{} [{}]\n",
                    n + 1,
                    n + 1,
                    list(10, |_| format!("*a{n}"))
                ))
            ),
        ),
        (
            "tsconfig.json",
            format!(
                r#"{{"include":["{}{}"],"references":[{{"path":"x"}}],"files":[]}}"#,
                "{a,".repeat(5000),
                "}".repeat(5000)
            ),
        ),
        (
            "tsconfig.json",
            format!(
                r#"{{"files":[],"references":[{}]}}"#,
                list(50_000, |n| format!(r#"{{"path":"./p{}"}}"#, n % 7))
            ),
        ),
        ("tsconfig.json", "/*".repeat(500_000)),
        (
            ".gitignore",
            "**/".repeat(50_000) + "x\n" + &"*a".repeat(50_000) + "\n" + &"[".repeat(5000),
        ),
        (".gitignore", repeated(3_000, |n| format!("/dir{n}/**/x*{n}\n"))),
        (
            CONFIG,
            format!(
                r#"{{"stan-core":{{"excludes":[{}]}}}}"#,
                list(500, |n| format!("\"**/x{n}*/**\""))
            ),
        ),
        (
            CONFIG,
            format!(
                r#"{{"stan-core":{{"excludes":["{}{}"]}}}}"#,
                "{a,".repeat(10_000),
                "}".repeat(10_000)
            ),
        ),
        (CONFIG, format!("{{{}}}", list(30_000, |n| format!("\"k{n}\":1")))),
        (
            "stan.config.yml",
            format!(
                "a0: &a0 [x]\n{}",
                repeated(20, |n| format!(
                    "a{}: &a{} [{}]\n",
                    n + 1,
                    n + 1,
                    list(10, |_| format!("*a{n}"))
                ))
            ),
        ),
        ("stan.config.yml", "- ".repeat(300_000)),
        ("stan.config.yml", "x".repeat(2 << 20)),
    ];
    let long = "a".repeat(1 << 20);
    for (path, text) in &cases {
        let lair = lair(&format!("{}import 'p/{long}';\n", imports(100)));
        for n in 0..7 {
            lair.write(&format!("p{n}/tsconfig.json"), r#"{"files":[]}"#);
        }
        lair.write(path, text);
        lair.run(MAP);
    }
    reliability::row(
        "attacks",
        "bombs in tsconfig, package.json, workspace, ignore and configuration files",
        cases.len(),
        "bounded with a notice, or an error with the place",
    );
}

/// The configs that number `n` of `count` extends.
type Extended = fn(n: usize, count: usize) -> Vec<usize>;

#[test]
fn configs_that_extend_each_other_do_not_explode() {
    // Each extends the next twice; each extends all; one extends itself; a long chain.
    let shapes: [(usize, Extended); 4] = [
        (40, |n, _| vec![n + 1, n + 1]),
        (14, |_, count| (0..count).collect()),
        (1, |n, _| vec![n]),
        (1000, |n, _| vec![n + 1]),
    ];
    for (count, next) in shapes {
        let lair = lair("import './b';\n");
        for n in 0..count {
            let bases = next(n, count).into_iter().map(|base| format!("\"./t{base}.json\""));
            let bases: Vec<_> = bases.collect();
            lair.write(&format!("t{n}.json"), format!(r#"{{"extends":[{}]}}"#, bases.join(",")));
        }
        lair.write("tsconfig.json", r#"{"extends":"./t0.json"}"#);
        assert_eq!(lair.run(MAP).code, 0);
    }
    reliability::row(
        "attacks",
        "tsconfigs that extend each other",
        shapes.len(),
        "each read once; cycles cut with a notice",
    );
}

#[test]
fn source_text_does_not_explode() {
    let nested = |open: &str, close: &str, count: usize| open.repeat(count) + &close.repeat(count);
    let cases: Vec<(&str, String)> = vec![
        ("src/x.ts", format!("x={}", nested("(", ")", 20_000))),
        ("src/x.ts", format!("x={}", "[".repeat(20_000))),
        ("src/x.ts", format!("x={}", "`${".repeat(20_000))),
        ("src/x.ts", format!("x={}", "a=>".repeat(20_000))),
        ("src/x.ts", format!("x={}1", "a?b:".repeat(20_000))),
        ("src/x.ts", format!("x={}1", "!".repeat(40_000))),
        ("src/x.ts", format!("x={}1", "1+".repeat(80_000))),
        ("src/x.ts", format!("x=a{}", ".b()".repeat(40_000))),
        ("src/x.ts", format!("type X={}", nested("A<", ">", 20_000))),
        (
            "src/x.ts",
            format!("type X=A extends {}?1:2", nested("(infer U extends ", " ? 1 : 2)", 60)),
        ),
        ("src/x.ts", format!("type X={}D", "A extends B ? C : ".repeat(20_000))),
        ("src/x.ts", format!("x={}", nested("a ? (", ") : c => d", 60))),
        ("src/x.ts", format!("x={}", nested("(a=", ")=>1", 60))),
        ("src/x.ts", format!("x={}", nested("async(a=", ")", 60))),
        ("src/x.ts", format!("x={}", nested("a<", ">(c)", 60))),
        ("src/x.tsx", format!("x={}", "<a>".repeat(20_000))),
        ("src/x.tsx", format!("x={}", nested("<T,>(a=", ")=>1", 60))),
        ("src/x.ts", "if(a){}else ".repeat(20_000) + "{}"),
        ("src/x.ts", "/**\n".repeat(80_000)),
        ("src/x.ts", "/** @module x */\n".repeat(20_000)),
        ("src/x.ts", "/** @type {import('./x').Y} */\n".repeat(20_000)),
        ("src/x.ts", format!("/** {} */", "import(".repeat(40_000))),
        ("src/x.ts", "/// <reference ".repeat(40_000)),
        ("src/x.ts", "'\\\n".repeat(80_000)),
        ("src/x.ts", "/(".repeat(40_000)),
        ("src/x.ts", format!("x=[{}]", "1,".repeat(300_000))),
        ("src/x.ts", imports(5_000)),
        ("src/x.vue", "<script>".repeat(20_000)),
        ("src/x.vue", "<script ".repeat(40_000)),
        ("src/x.vue", "<!--".repeat(40_000)),
        ("src/x.svelte", "<script>x</script >".repeat(30_000)),
        ("src/x.astro", "---\n".repeat(40_000)),
        ("src/x.ts", "\u{feff}".repeat(40_000)),
        ("src/x.ts", "import '\\u{110000}'; import '\\ud800';".to_owned()),
    ];
    // All cases in one repository: they are mapped in parallel.
    let lair = lair("export {};\n");
    for (number, (path, text)) in cases.iter().enumerate() {
        lair.write(&path.replace("src/x", &format!("src/x{number}")), text);
    }
    assert_eq!(lair.run(MAP).code, 0);
    reliability::row(
        "attacks",
        "source bombs: nesting, chains, ambiguous syntax, comments, one-liners, 10,000 imports",
        cases.len(),
        "parsed, or only imports read, with a notice",
    );
}

#[test]
fn states_and_replies_do_not_explode() {
    let lair = Lair::new(&[("src/a.ts", &"export const a = 1;\n".repeat(2000))]);
    assert_eq!(lair.run(&["run", "-c", "-m"]).code, 0);
    let states = [
        format!(r#"{{"v":2,"i":[{}]}}"#, list(20, |_| json(&"a".repeat(1 << 18)))),
        format!(r#"{{"v":2,"i":[{}]}}"#, list(10_000, |n| format!("[\"m{n}\",9]"))),
        format!(r#"{{"v":2,"i":[{}]}}"#, list(20_000, |_| "\"src/a.ts\"".to_owned())),
        format!(r#"{{"v":2,{}}}"#, list(10_000, |n| format!("\"k{n}\":1"))),
        format!(r#"{{"v":2,"i":{}"#, "[".repeat(200_000)),
        r#"{"v":2,"i":[["src/a.ts",18446744073709551615],["src/a.ts",1e308]]}"#.to_owned(),
        "[".repeat(300_000),
        String::new(),
    ];
    for state in &states {
        lair.write(STATE, state);
        lair.run(CONTEXT);
        lair.run(&["select"]);
    }
    let hunk =
        |n: usize| format!("@@ -{n},3 +1,3 @@\n export const a = 1;\n-export const b = 1;\n");
    let head = "```diff\n--- a/src/a.ts\n+++ b/src/a.ts\n";
    let replies = [
        repeated(1_000, |n| format!("```diff\n--- a/x{n}\n+++ b/x{n}\n@@ -1 +1 @@\n-a\n+b\n```\n")),
        format!("{head}{}```\n", repeated(500, hunk)),
        format!(
            "{head}@@ -1,4000000000 +1,4000000000 @@\n{}```\n",
            "-export const a = 1;\n".repeat(3000)
        ),
        format!("{head}@@ -18446744073709551615,1 +99999999999999999999,1 @@\n-a\n```\n"),
        "```\n".repeat(200_000),
        "`".repeat(500_000),
        "> ".repeat(200_000),
        format!("{head}{}", "+".repeat(500_000)),
    ];
    for reply in &replies {
        lair.run_with(&["check-reply", "-"], reply.as_bytes());
    }
    let documents = [
        "[".repeat(200_000),
        format!("[{}1]", "1,".repeat(100_000)),
        format!("{{{}}}", list(10_000, |n| format!("\"k{n}\":{{}}"))),
        format!("\"{}\"", "\\ud800".repeat(100_000)),
    ];
    for document in &documents {
        lair.write(".stan/doc.json", document);
        lair.run(&["ast", "slice", "--in", ".stan/doc.json", "--ptr", &"/a".repeat(5000)]);
        lair.run(&["agent", "context", "--diag", ".stan/doc.json", "--project", ".stan/doc.json"]);
        lair.run(&["agent", "verify", ".stan/doc.json"]);
    }
    reliability::row(
        "attacks",
        "bombs in states, replies, ASTs and diagnostics",
        states.len() + replies.len() + documents.len(),
        "answered, or an error with the place",
    );
}

/// Creates a sparse file of a size.
fn sparse(lair: &Lair, path: &str, size: u64) {
    lair.write(path, "");
    File::options().write(true).open(lair.root().join(path)).unwrap().set_len(size).unwrap();
}

/// Larger than the memory limit of a run that must stream the file.
const HUGE: u64 = 600 << 20;

#[test]
fn huge_files_are_not_held_in_memory() {
    let places = [
        "huge.bin",
        "huge.ts",
        "package.json",
        "pnpm-workspace.yaml",
        ".gitignore",
        CONFIG,
        ".stan/cache/facts.bin",
        ".stan/context/dependency.meta.json",
    ];
    for place in places {
        let lair = lair("import '../huge'; import '../huge.json'; import 'p';\n");
        sparse(&lair, place, HUGE);
        let outcome = super::run_within(&lair.root(), CONTEXT, HUGE / 2);
        assert!(matches!(outcome.code, 0..=2), "{place}: {}", outcome.stderr);
        fs::remove_file(lair.root().join(place)).unwrap();
    }
    reliability::row(
        "attacks",
        "600 MiB files as code, data, configuration or artifacts",
        places.len(),
        "streamed, left out or refused; never in memory",
    );
}

#[test]
fn a_state_of_a_gigabyte_is_refused() {
    let lair = lair("export {};\n");
    sparse(&lair, STATE, 1 << 30);
    assert_eq!(lair.run(CONTEXT).code, 1);
    assert_eq!(lair.run(&["select"]).code, 1);
}

#[test]
fn folders_of_any_depth_and_size_are_walked() {
    let deep = lair("export {};\n");
    // Deeper than the longest possible path, so it is created with relative steps.
    let name = "d".repeat(250);
    let script = format!(
        "for i in $(seq 30); do mkdir {name} && cd -P {name} || exit 1; done; echo x > leaf.ts"
    );
    let made = Command::new("sh").args(["-c", &script]).current_dir(deep.root()).status();
    assert!(made.unwrap().success());
    let outcome = run_without_listing(&deep, MAP);
    assert!(outcome.stderr.contains("CTX-SCAN-0001"), "{}", outcome.stderr);
    assert!(Command::new("rm").arg("-rf").arg(deep.root()).status().unwrap().success());

    let count = crowd();
    let lair = lair("export {};\n");
    fs::create_dir(lair.root().join("many")).unwrap();
    for n in 0..count {
        File::create(lair.root().join(format!("many/f{n}.ts"))).unwrap();
    }
    let mut loops = String::new();
    for n in 0..100 {
        lair.link(&format!("loops/l{n}"), format!("l{}", (n + 1) % 100));
        lair.link(&format!("loops/d{n}"), "..");
        let _ = write!(loops, "import './loops/l{n}'; import './loops/d{n}/d{n}/src/a';");
    }
    lair.write("loops.ts", loops);
    assert_eq!(run_without_listing(&lair, MAP).code, 0);
    assert_eq!(run_without_listing(&lair, CONTEXT).code, 0);
    let outcome = "mapped; a notice for unreachable files";
    if count == CROWD {
        reliability::row(
            "attacks",
            "4,000 files in one folder, too deep folders, link cycles",
            3,
            outcome,
        );
    } else {
        reliability::row(
            "attacks",
            "files in one folder (long run, `PORTOLAN_CROWD=1000000`)",
            count,
            outcome,
        );
    }
}

const CROWD: usize = 4_000;

/// The number of files in one folder; a million takes minutes.
fn crowd() -> usize {
    std::env::var("PORTOLAN_CROWD").ok().and_then(|text| text.parse().ok()).unwrap_or(CROWD)
}

/// For cases where listing everything before and after would take longer than the run.
fn run_without_listing(lair: &Lair, arguments: &[&str]) -> super::Outcome {
    let outcome = super::run_limited(&lair.root(), arguments, b"");
    assert!(matches!(outcome.code, 0..=2), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    outcome
}

#[test]
fn searches_with_very_many_hits_are_bounded() {
    let functions = repeated(20_000, |n| format!("def f{n}():\n    needle({n})\n"));
    let tests =
        repeated(20_000, |n| format!("  it('does {n}', () => {{\n    needle({n});\n  }});\n"));
    let annotated = "@Test(\"needle\")\n".repeat(20_000);
    let long = format!("export function f5() {{\n{}}}\n", "  needle(1);\n".repeat(20_000));
    let texts = [
        ("a.py", functions),
        ("a.test.ts", format!("describe('x', () => {{\n{tests}}});\n")),
        ("ATest.java", annotated),
        ("a.ts", long),
        ("a.txt", "needle\n".repeat(200_000)),
    ];
    let alternatives = "needle|".repeat(3_000);
    let mut tried = 0;
    for (path, text) in &texts {
        let lair = Lair::new(&[(path, text), (".git/HEAD", "")]);
        let place = format!("{path}:9");
        for command in [
            &["search", "needle"][..],
            &["search", "-C", "1000000000", "needle"],
            &["search", "-C", "4294967295", "needle", "--budget", "1000000"],
            &["--format", "json", "search", "needle"],
            &["search", &alternatives],
            &["read", path, "--match", "needle"],
            &["read", &place],
            &["pack", "--at", &place],
            &["look", path],
        ] {
            let start = std::time::Instant::now();
            let outcome = super::run_within(&lair.root(), command, 600 << 20);
            assert!(matches!(outcome.code, 0..=2), "{path} {command:.60?}: {outcome:.500?}");
            let seconds = start.elapsed().as_secs();
            assert!(seconds < 30, "{path} {command:.60?}: {seconds} s");
            tried += 1;
        }
    }
    reliability::row(
        "attacks",
        "20,000 declarations or tests with hits, 200,000 hits, and all lines around them",
        tried,
        "answered within seconds and 600 MiB",
    );
}
