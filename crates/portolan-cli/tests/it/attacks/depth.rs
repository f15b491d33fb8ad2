//! Texts that are nested too deep for a parser, or fill what its scanner keeps.

use portolan_testkit::reliability;

use super::Lair;

/// The ways to have a text parsed.
const WAYS: [&[&str]; 6] = [
    &["search", "needle"],
    &["read", "FILE", "--match", "needle"],
    &["look", "needle"],
    &["path", "FILE", "needle"],
    &["chart"],
    &["pack", "--task", "needle fails"],
];

fn stairs(depth: usize, line: &str) -> String {
    (0..depth).map(|level| format!("{}{line}\n", " ".repeat(level))).collect()
}

/// Texts of one language with so many levels, or a word of so many letters.
fn texts(levels: usize) -> Vec<(&'static str, String)> {
    let (many, letters) = (|part: &str| part.repeat(levels), "A".repeat(levels));
    let deep = levels.min(1_000);
    let in_stairs =
        |line: &str, last: &str| format!("{}{}{last}\n", stairs(deep, line), " ".repeat(deep));
    vec![
        ("a.yaml", in_stairs("a:", "needle: 1")),
        ("a.yaml", format!("{}needle\n", many("- "))),
        ("a.yaml", format!("{}needle\n", many("? "))),
        ("a.yaml", format!("a: ]\n{}needle\n", many("| "))),
        ("a.yaml", format!("{}needle{}\n", many("["), many("]"))),
        ("k.yaml", format!("kind: Secret\nneedle: 1\ndata:\n  {}a\n", many("- "))),
        ("k.yaml", format!("kind: Secret\nneedle: 1\ndata: {}{}\n", many("{a: "), many("}"))),
        ("docker-compose.yml", format!("services:\n needle: {}{}\n", many("["), many("]"))),
        ("pnpm-workspace.yaml", format!("packages: []\nneedle: {}{}\n", many("["), many("]"))),
        ("pnpm-workspace.yaml", format!("packages: {}needle{}\n", many("["), many("]"))),
        ("a.py", format!("def needle():\n{}", in_stairs(" if a:", " x = f\"{a}\""))),
        ("a.py", format!("needle = {}1\n", many("f\"{"))),
        ("a.rb", format!("def needle\n x = <<{letters}\n b\n{letters}\nend\n")),
        ("a.rb", format!("def needle\n x = <<~\"{letters}\"\n b\n {letters}\nend\n")),
        ("a.rb", format!("needle = {}<<A{}\n", many("\"#{"), many("}\""))),
        ("a.sh", format!("needle() {{\n cat <<{letters}\n b\n{letters}\n}}\n")),
        ("a.php", format!("<?php function needle() {{ $x = <<<{letters}\n b\n{letters};\n}}\n")),
        ("a.tf", format!("needle = {}1{}\n", many("\"${"), many("}\""))),
        ("a.cs", format!("class needle {{ string x = {}1{}; }}\n", many("$\"{"), many("}\""))),
        ("a.cpp", format!("auto needle = R\"{letters}(x){letters}\";\n")),
        ("a.scala", format!("object needle:\n{}", stairs(deep, " if a then"))),
        ("a.sql", format!("create function needle() as ${letters}$ 1 ${letters}$;\n")),
        ("a.html", format!("{}needle", many("<x-a>"))),
        ("a.md", format!("{}needle\n", many("> "))),
        ("a.R", format!("needle <- {}1{}\n", many("("), many(")"))),
        ("a.proto", format!("message needle {}{}\n", many("{"), many("}"))),
        ("a.ts", format!("const needle = {}1{};\n", many("`${"), many("}`"))),
        ("Cargo.toml", format!("needle = {}{}\n", many("["), many("]"))),
        ("package.json", format!("{{\"needle\":{}{}}}", many("["), many("]"))),
        ("pom.xml", format!("<project><needle/>{}{}</project>", many("<a>"), many("</a>"))),
    ]
}

#[test]
fn no_nesting_ends_the_process() {
    let mut tried = 0;
    for levels in [256, 10_000] {
        for (path, text) in texts(levels) {
            let lair = Lair::new(&[
                (path, &text),
                ("b.py", "def needle():\n    pass\n"),
                (".git/HEAD", ""),
            ]);
            for way in WAYS {
                let way: Vec<&str> =
                    way.iter().map(|it| if *it == "FILE" { path } else { it }).collect();
                lair.run(&way);
                tried += 1;
            }
        }
    }
    reliability::row(
        "attacks",
        "thirty languages and forms nested 256 and 10,000 deep, and words as long",
        tried,
        "read as far as possible, within limits",
    );
}
