//! Secrets that look harmless, in files whose name says what they are; and what else of a denied file tells: its size and
//! its digest.

use portolan_testkit::reliability;

use super::{Lair, json};

/// A password that is a word: no rule about values finds it.
const WORD: &str = "wohnzimmerlampe";

/// What tells of a file: each may show its text.
const TELLING: [&[&str]; 9] = [
    &["run"],
    &["run", "-c"],
    &["graph", "--view", "meta"],
    &["graph", "--view", "graph"],
    &["chart"],
    &["chart", "--task", "wohnzimmerlampe"],
    &["search", "wohnzimmerlampe"],
    &["select", "--format", "json"],
    &["pack", "--task", "wohnzimmerlampe"],
];

/// Files with their text; `{}` is the word.
const FILES: [(&str, &str); 26] = [
    (".env", "DB_PW={}\n"),
    (".env", "WALLET=apple river stone cloud paper tiger lemon chair music {}\n"),
    (".env", "CACHE=redis://:{}@cache\n"),
    (".env", "PSK={}\n"),
    (".env", "KENNWORT={}\n"),
    (".env", "HOOK=https://hooks.acme.io/in/{}\n"),
    (".env.local", "A={}\n"),
    ("app/.env.production", "NAME={}\n"),
    ("deploy/prod.env", "NAME={}\n"),
    (".envrc", "export NAME={}\n"),
    (".env.test", "NAME={}\n"),
    (".dev.vars", "NAME={}\n"),
    (".env.bak", "NAME={}\n"),
    (".netrc", "machine a.io\n  login svc\n  password\n  {}\n"),
    ("pip.conf", "[global]\nindex-url = https://svc:{}@pypi.acme.io/simple\n"),
    ("gradle.properties", "nexusPassword={}\n"),
    ("settings.xml", "<settings><server><password>{}</password></server></settings>\n"),
    ("ci/settings.xml", "<settings><server><password>\n{}\n</password></server></settings>\n"),
    (".vscode/sftp.json", "{\"host\": \"a.io\", \"password\": \"{}\"}\n"),
    ("sftp.json", "{\"password\":\n\"{}\"}\n"),
    ("deploy/db.yaml", "kind: \"Secret\"\nstringData:\n  password: {}\n"),
    ("deploy/db.yaml", "kind:  Secret\nstringData:\n  password: {}\n"),
    ("deploy/db.yaml", "kind: Service\n---\nkind: 'Secret'\nstringData:\n  password: {}\n"),
    ("deploy/db.json", "{\"kind\" : \"Secret\", \"stringData\" : {\"password\" : \"{}\"}}\n"),
    ("prod.tfvars", "db_pw = \"{}\"\n"),
    ("terraform.tfvars", "psk = \"{}\"\n"),
];

#[test]
fn a_word_is_a_secret_where_the_file_says_so() {
    for (path, text) in FILES {
        let text = text.replacen("{}", WORD, 1);
        let imports = format!("import {};\nexport const a = 1;\n", json(&format!("../{path}")));
        let lair = Lair::new(&[("src/a.ts", &imports), (path, &text)]);
        lair.state(&format!(r#"{{"v":2,"i":[["src/a.ts",3],{}]}}"#, json(path)));
        for command in TELLING {
            let outcome = lair.run(command);
            let said = outcome.stdout.replace("task: wohnzimmerlampe", "");
            let said = said.replace("looked for: wohnzimmerlampe", "");
            let said = said.replace("no line matches `wohnzimmerlampe`", "");
            let lines = said.lines().filter(|line| line.contains(WORD) && !line.starts_with("> "));
            // The question may be repeated, the file may not.
            let shown: Vec<_> = lines.filter(|line| is_of_file(line, &text)).collect();
            assert!(shown.is_empty(), "{path} {command:?}: {shown:?}");
        }
        assert!(!lair.members().contains(&path.to_owned()), "{path}");
        let outcome = lair.run(&["read", path]);
        assert!(!outcome.stdout.contains(WORD), "{path}: {}", outcome.stdout);
    }
    reliability::row(
        "attacks",
        "passwords that are words, in files that are made for them",
        FILES.len() * (TELLING.len() + 1),
        "denied; in no archive, map, search or answer",
    );
}

/// Whether a line of an answer has the line of the file with the word.
fn is_of_file(line: &str, text: &str) -> bool {
    let own = text.lines().find(|line| line.contains(WORD)).unwrap_or_default().trim();
    line.contains(own)
}

#[test]
fn the_map_has_the_path_of_a_denied_file_and_nothing_else() {
    let key = format!("-----BEGIN {} KEY-----\n{}\n", "PRIVATE", "MIIEvQIBADANBgkq".repeat(4));
    let token = format!("const t = '{}_{}';\n", "ghp", "a1B2c3D4e5F6g7H8j9K0a1B2c3D4e5F6g7H8");
    let denied = [
        (".env", "PIN=1234\n".to_owned()),
        ("conf/db.yml", "password: hunter2!x\n".to_owned()),
        ("notes.txt", key.clone()),
        ("id_rsa", "1234\n".to_owned()),
        ("src/token.ts", token),
        ("ignored/.env", "PIN=1234\n".to_owned()),
        ("node_modules/p/.env", "PIN=1234\n".to_owned()),
    ];
    let imports: String = denied
        .iter()
        .map(|(path, _)| format!("import {};\n", json(&format!("../{path}"))))
        .collect();
    let lair = Lair::new(&[("src/a.ts", &imports), (".gitignore", "ignored\nnode_modules\n")]);
    lair.write(".git/HEAD", "ref: refs/heads/main\n");
    lair.write(".git/config", "[core]\nbare = false\n");
    for (path, text) in &denied {
        lair.write(path, text);
    }
    let mut tried = 0;
    for view in ["meta", "graph"] {
        let told = lair.run(&["graph", "--view", view]);
        let told: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
        let nodes = told.get("n").or_else(|| told.get("nodes")).unwrap().as_object().unwrap();
        assert!(nodes["src/a.ts"].to_string().contains("\"s"), "{}", nodes["src/a.ts"]);
        for (path, _) in &denied {
            let Some(node) = nodes.get(*path) else { continue };
            let keys: Vec<&String> = node.as_object().unwrap().keys().collect();
            let is_path =
                |key: &str| !matches!(key, "s" | "h" | "size" | "hash" | "metadata" | "d");
            assert!(
                keys.iter().all(|key| is_path(key) || node[*key] == serde_json::json!({})),
                "{path}: {node}"
            );
            tried += 1;
        }
    }
    assert!(tried >= 2 * (denied.len() - 1), "{tried}");
    reliability::row("attacks", "size and digest of denied files in the map", tried, "path only");
}
