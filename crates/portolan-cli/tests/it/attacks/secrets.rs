//! Attempts to smuggle a secret in the repository past the guard.

use std::fs;

use portolan_testkit::reliability;

use super::{CANARY, CONFIG, Lair, STATE, json};

/// Files that are secret by name.
const NAMES: [&str; 19] = [
    ".env",
    ".ENV",
    ".Env.Local",
    ".env.production",
    ".envrc",
    ".env-live",
    "deploy/prod.env",
    "id_rsa",
    "keys/ID_RSA",
    ".ssh/id_ed25519",
    "cert/site.pfx",
    "cert/SITE.P12",
    "android/release.keystore",
    ".aws/credentials",
    ".kube/config",
    ".git-credentials",
    ".htpasswd",
    ".git/config",
    ".GIT/hooks/x",
];

/// Assembled at run time, so that no scanner reports this file as a leak.
fn private_key() -> String {
    let body = "MIIEvQIBADANBgkq".repeat(4);
    format!("-----BEGIN {} KEY-----\n{body}\n{CANARY}\n-----END", "PRIVATE")
}

/// Files that are secret by content.
fn contents() -> Vec<(&'static str, String)> {
    let token = |prefix: &str| {
        let body: String = "a1B2c3D4e5F6g7H8j9K0".chars().cycle().take(36).collect();
        format!("// {CANARY}\nconst t = \"{prefix}{body}\";\n")
    };
    vec![
        ("src/key.pem", private_key()),
        ("src/notes.txt", private_key()),
        (".npmrc", format!("//registry.npmjs.org/:_authToken={CANARY}\n")),
        (".netrc", format!("machine x login y password {CANARY}\n")),
        (".docker/config.json", format!("{{\"auths\":{{\"x\":{{\"auth\":\"{CANARY}=\"}}}}}}")),
        ("src/token.ts", token("ghp_")),
        ("src/npm.ts", token("npm_")),
        ("src/key.svg", "x".repeat(3_000_000).replacen('x', &format!("{}\n", private_key()), 1)),
    ]
}

/// A repository in which everything requests one file: the state, the configuration, an import, a
/// link with a harmless name, and an imported link.
fn asking_for(path: &str, content: &str) -> Lair {
    let from_source = json(&format!("../{path}"));
    let lair = Lair::new(&[
        ("src/a.ts", &format!("import {from_source};\nimport './innocent.txt';\nimport 'p/x';\n")),
        ("node_modules/p/package.json", r#"{"name":"p","version":"1.0.0"}"#),
    ]);
    lair.write(path, content);
    lair.write(&format!("node_modules/p/{path}"), content);
    lair.write(&format!("nested/{path}"), content);
    lair.link("src/innocent.txt", format!("../{path}"));
    lair.link("src/folder", "..");
    lair.link(".stan/system/innocent.md", format!("../../{path}"));
    lair.write(
        CONFIG,
        format!(
            r#"{{"stan-core":{{"includes":["**","**/.*","{path}"],"imports":{{"kit":[{0},"nested/**","{path}*"]}}}}}}"#,
            json(path)
        ),
    );
    let ids = [
        path.to_owned(),
        format!("./{path}"),
        "src/innocent.txt".to_owned(),
        format!("src/folder/{path}"),
        format!("nested/{path}"),
        format!("node_modules/p/{path}"),
        format!(".stan/context/npm/p/1.0.0/{path}"),
        format!(".stan/imports/kit/{path}"),
        ".stan/system/innocent.md".to_owned(),
    ];
    let ids: Vec<String> = ids.iter().map(|id| json(id)).collect();
    lair.state(&format!(r#"{{"v":2,"i":[["src/a.ts",9],{}]}}"#, ids.join(",")));
    lair
}

/// Runs every command that makes an archive, each twice, so that there is also a diff with the file
/// changed.
#[track_caller]
fn check_denied(lair: &Lair, path: &str, content: &str) {
    for command in [["run", "-c"].as_slice(), &["run"], &["run", "-c", "-m"]] {
        if command.contains(&"-m") {
            lair.write(path, content);
        }
        assert_eq!(lair.run(command).code, 0, "{path}");
        lair.write(path, format!("{content}\n"));
        assert_eq!(lair.run(command).code, 0, "{path}");
    }
    lair.run(&["snap"]);
    lair.run(&["select", "--format", "json"]);
}

#[test]
fn a_secret_is_denied_however_it_is_requested() {
    let named = NAMES.map(|name| (name, format!("{CANARY}\n")));
    let cases: Vec<(&str, String)> = named.into_iter().chain(contents()).collect();
    for (path, content) in &cases {
        check_denied(&asking_for(path, content), path, content);
    }
    reliability::row(
        "attacks",
        "secrets requested by state, import, `includes`, `imports`, link or package",
        cases.len() * 6,
        "denied; in no archive, diff, snapshot or message",
    );
}

#[test]
fn a_secret_that_takes_the_place_of_a_selected_file_is_denied() {
    let lair = Lair::new(&[("src/a.ts", "export {};\n"), ("src/b.txt", "harmless\n")]);
    lair.state(r#"{"v":2,"i":["src/a.ts","src/b.txt"]}"#);
    assert_eq!(lair.run(&["run", "-c"]).code, 0);
    lair.write("src/b.txt", private_key());
    assert_eq!(lair.run(&["run", "-c"]).code, 0);
    assert!(!lair.members().contains(&"src/b.txt".to_owned()));
    fs::remove_file(lair.root().join("src/b.txt")).unwrap();
    lair.write(".env", CANARY);
    lair.link("src/b.txt", "../.env");
    assert_eq!(lair.run(&["run", "-c"]).code, 0);
    assert!(!lair.members().contains(&"src/b.txt".to_owned()));
}

#[test]
fn the_state_and_the_reply_are_not_trusted_with_the_rules() {
    let lair = Lair::new(&[("src/a.ts", "export {};\n"), (".env", CANARY)]);
    // A state cannot allow secrets.
    lair.write(STATE, r#"{"v":2,"i":[".env"],"secrets":{"allow":[".env"]}}"#);
    assert_eq!(lair.run(&["run", "-c"]).code, 2);
    lair.write(STATE, r#"{"v":2,"i":[".env"]}"#);
    assert_eq!(lair.run(&["run", "-c"]).code, 0);
    let reply = "```diff\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-x\n+y\n```\n";
    assert_eq!(lair.run_with(&["check-reply", "-"], reply.as_bytes()).code, 1);
}
