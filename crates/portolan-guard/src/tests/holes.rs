//! What attacks got past the rules, class by class.

use super::{check, denial, key, token};
use crate::rules;

/// Values that no rule about values finds.
const HARMLESS_LOOKS: [&str; 9] = [
    "DB_PW=sommer",
    "WALLET=apple river stone cloud paper tiger lemon chair music ocean window bread",
    "CACHE=redis://:pw@cache",
    "PSK=wohnung",
    "KENNWORT=sommer",
    "HOOK=https://hooks.acme.io/in/team/abcdefgh",
    "MODE=production",
    "",
    "not a setting",
];

#[test]
fn settings_files_are_denied_by_name_whatever_their_values() {
    for path in [
        ".env",
        "app/.env.production",
        ".ENV",
        ".envrc",
        ".env-live",
        ".env_live",
        "deploy/prod.env",
        ".env1",
        ".env~",
        ".env copy",
        ".env copy 2",
        "copy of .env",
        ".env.bak",
        ".env.local",
        ".env.local.bak",
        ".env.old",
        ".env (1)",
        ".env.example.local",
        ".env.sample.real",
        ".env-template-prod",
        ".dev.vars",
        ".flaskenv",
        ".flaskenv.local",
        ".secrets",
        ".secrets.toml",
        ".envrc.local",
        "prod.env.local",
        ".env.bak2",
        ".env.~1~",
        ".env (copy)",
        ".env - Copy",
        ".env.",
        "tests/.env",
        "docs/.env.test",
    ] {
        for text in HARMLESS_LOOKS {
            check(path, text, Some("env-file"));
        }
    }
}

#[test]
fn copies_and_variants_of_credentials_are_denied_by_name() {
    for (path, rule) in [
        ("x.tfvars.json", "terraform-variables"),
        ("sample.kdbx", "private-key-file"),
        ("examples.tfstate", "terraform-state"),
        ("id_rsa.bak2", "private-key-file"),
        (".netrc (copy)", "netrc-password"),
        ("kubeconfig - Copy", "credential-file"),
        ("kubeconfig.yaml", "credential-file"),
        (".aws/sso/cache/abc.json", "credential-file"),
        (".config/git/credentials", "credential-file"),
        (".databrickscfg", "credential-file"),
    ] {
        check(path, "{\"db_pw\":\"sommer7\"}\nNAME=sommer7 x", Some(rule));
    }
}

#[test]
fn templates_of_settings_files_are_read() {
    for path in [
        ".env.example",
        ".env.sample",
        "a/.env.template",
        ".env.dist",
        ".env.test.example",
        "src/env.ts",
        ".environment",
        "x.env.md",
        "example.env",
        ".env.d.ts",
    ] {
        check(path, "DB_PASSWORD=changeme\nA=1", None);
    }
    check(".env.example", &format!("GITHUB={}", token()), Some("github-token"));
}

#[test]
fn terraform_variables_are_denied_unless_every_value_is_clearly_harmless() {
    for line in [
        "db_pw = \"sommer\"",
        "psk = \"wohnung\"",
        "seed = \"apple\"",
        "words = \"apple river stone cloud paper tiger lemon chair music ocean window bread\"",
        "cache = \"redis://:pw@cache\"",
        "hook = \"https://hooks.acme.io/in/k7qz2xf9\"",
    ] {
        check("prod.tfvars", line, Some("terraform-variables"));
    }
    check("prod.tfvars", "region = \"eu-central-1\"\nsite = \"https://acme.io/docs\"\n", None);
}

#[test]
fn clients_configurations_are_denied_with_any_password() {
    for (path, text, rule) in [
        (".netrc", "machine a.io\n  login svc\n  password\n  sommer\n", "netrc-password"),
        ("_netrc", "machine a.io login svc", "netrc-password"),
        (
            "pip.conf",
            "[global]\nindex-url = https://svc:sommer@pypi.acme.io/simple\n",
            "pypirc-password",
        ),
        ("ci/pip.ini", "[global]\nextra-index-url=https://__token__:x@a.io/\n", "pypirc-password"),
        ("gradle.properties", "nexusPassword=sommer\n", "client-password"),
        ("android/gradle.properties", "RELEASE_KEY_PASSWORD = sommer\n", "client-password"),
        ("gradle.properties", "repo=https://svc:sommer@maven.acme.io/\n", "client-password"),
        ("settings.xml", "<server><password>sommer</password></server>", "client-password"),
        ("ci/settings.xml", "<password>\n  sommer\n</password>", "client-password"),
        (".mvn/maven-settings.xml", "<passphrase>sommer</passphrase>", "client-password"),
        ("sftp.json", "{\"password\": \"sommer\"}", "client-password"),
        (".vscode/sftp.json", "{\"password\":\n  \"sommer\"}", "client-password"),
        ("sftp-config.json", "{\"passphrase\": \"sommer\"}", "client-password"),
        ("auth.json", "{\"github-oauth\": {\"github.com\": \"sommer\"}}", "client-password"),
        (".yarnrc.yml", "npmAuthToken: >-\n  sommer\n", "npmrc-token"),
        (".npmrc", "registry=https://svc:sommer@npm.acme.io/\n", "npmrc-token"),
        ("settings-security.xml", "<master>{x}</master>", "credential-file"),
    ] {
        check(path, text, Some(rule));
    }
    for (path, text) in [
        ("pip.conf", "[global]\nindex-url = https://pypi.acme.io/simple\n"),
        ("pip.conf", "[global]\nindex-url = https://${USER}:${PASS}@pypi.acme.io/simple\n"),
        ("gradle.properties", "org.gradle.jvmargs=-Xmx2g\nossrhPassword=\nother=1\n"),
        ("gradle.properties", "# password=sommer\nsigning.passwordFile=x\n"),
        ("settings.xml", "<password>${env.PASSWORD}</password>"),
        ("settings.xml", "<password>{jSMOWnoPFgsHVpMvz5VrIt5kRbzGpI8u+9EF1iFQyJQ=}</password>"),
        ("settings.xml", "<settings><offline>true</offline></settings>"),
        ("sftp.json", "{\"password\": \"\", \"host\": \"a.io\"}"),
        ("auth.json", "{}"),
    ] {
        check(path, text, None);
    }
}

#[test]
fn a_line_of_any_length_is_searched_in_data() {
    let fill = "\"name\":\"value\",".repeat(800);
    for (path, text) in [
        ("data/export.json", format!("{{{fill}\"password\":\"hunter2!x\"}}")),
        ("data/export.json", format!("{{\"password\":\"hunter2!x\",{fill}\"a\":1}}")),
        ("conf/all.yaml", format!("{{{fill} db_password: hunter2!x}}")),
        ("dump.sql", format!("INSERT INTO t VALUES ({fill} 'x'); SET PASSWORD = 'hunter2!x';")),
        ("notes", format!("{fill} api_key=k7Qz2Xf9Lm4Vt8Rb3Nw6")),
    ] {
        check(path, &text, Some("long-line-assignment"));
    }
    let bundle = format!("{}password=\"hunter2!x\";", "var a=1;".repeat(800));
    for path in ["dist/app.js", "dist/app.js.map", "page.html", "a.css", "tests/data.json"] {
        check(path, &bundle, None);
    }
}

#[test]
fn a_key_is_found_behind_any_headers() {
    let whole = key("RSA PRIVATE KEY", "\n");
    let (first, rest) = whole.split_once('\n').unwrap();
    let long = format!("Comment: {}\n", "words and words ".repeat(10)).repeat(40);
    for between in [
        long.as_str(),
        &"\n".repeat(6000),
        &format!("Comment: {}\n", "x".repeat(9000)),
        &format!("Proc-Type: 4,ENCRYPTED\nComment: a\n {}\n\n", "b ".repeat(4000)),
    ] {
        check("notes.txt", &format!("{first}\n{between}\n{rest}"), Some("private-key"));
    }
    let inside = format!("{first}\n{long}\n{rest}").replace('\n', "\\n");
    check("service.json", &format!("{{\"k\": \"{inside}\"}}"), Some("private-key"));
    let code = "let value = someFunctionName(anotherFunctionName);\n".repeat(200);
    check("src/a.rs", &format!("{first}\n{code}"), None);
}

#[test]
fn every_form_of_a_kubernetes_secret_is_denied() {
    const VALUE: &str = "aHVudGVyMkAhMjAyNA==";
    let manifest =
        |kind: &str, data: &str| format!("apiVersion: v1\n{kind}\nmetadata:\n  name: db\n{data}");
    let data = format!("data:\n  password: {VALUE}\n");
    for kind in [
        "kind: Secret",
        "kind: \"Secret\"",
        "kind: 'Secret'",
        "kind:  Secret",
        "kind : Secret",
        "kind: Secret # of the database",
        "\"kind\": \"Secret\"",
        "'kind': Secret",
        "kind: Secret\r",
        "kind:\tSecret",
    ] {
        let text = manifest(kind, &data);
        check("deploy/db.yaml", &text, Some("kubernetes-secret"));
        let second = format!("{}---\n{text}", manifest("kind: ConfigMap", "data:\n  a: b\n"));
        check("deploy/db.yaml", &second, Some("kubernetes-secret"));
        let third = format!("{second}---\n{}", manifest("kind: Service", ""));
        check("deploy/db.yaml", &third, Some("kubernetes-secret"));
    }
    for data in [
        "stringData:\n  password: sommer2024\n".to_owned(),
        "stringData:\n  password: sommer\n".to_owned(),
        "stringData:\n  password: |\n    sommer2024\n".to_owned(),
        "stringData:\n  password: >-\n    sommer2024\n".to_owned(),
        "stringData: {password: sommer2024}\n".to_owned(),
        "\"stringData\": {\"password\": \"sommer2024\"}\n".to_owned(),
        "stringData: # here\n  password: !!str sommer2024\n".to_owned(),
        format!("data:\n# a comment\n  password: {VALUE}\n"),
        format!("data:\n  password: {VALUE} # yes\n"),
        format!("annotations:\n{}data:\n  password: {VALUE}\n", "  a: b\n".repeat(2000)),
    ] {
        check("deploy/db.yaml", &manifest("kind: Secret", &data), Some("kubernetes-secret"));
    }
    let fill = "\"a\":\"b\",".repeat(2000);
    for text in [
        format!("{{\"kind\":\"Secret\",\"data\":{{\"p\":\"{VALUE}\"}}}}"),
        format!("{{\"kind\" : \"Secret\" , \"data\" : {{ \"p\" : \"{VALUE}\" }} }}"),
        format!(
            "{{\n  \"kind\":\n    \"Secret\",\n  \"data\": {{\n    \"p\": \"{VALUE}\"\n  }}\n}}"
        ),
        format!(
            "{{\"data\":{{\"p\":\"{VALUE}\"}},\"metadata\":{{{fill}\"x\":\"y\"}},\"kind\":\"Secret\"}}"
        ),
        format!("{{\"kind\":\"Secret\",{fill}\"data\":{{\"n\":null,\"p\":\"{VALUE}\"}}}}"),
        format!("{{\"items\":[{{\"kind\":\"Secret\",\"data\":{{\"p\":\"{VALUE}\"}}}}]}}"),
        format!("{{kind: Secret, data: {{p: {VALUE}}}}}"),
        "{kind: Secret, stringData: {'password': 'sommer2024'}}".to_owned(),
        format!(
            "last: '{{\\\"kind\\\":\\\"Secret\\\",\\\"data\\\":{{\\\"p\\\":\\\"{VALUE}\\\"}}}}'"
        ),
    ] {
        check("deploy/db.json", &text, Some("kubernetes-secret"));
    }
    for text in [
        "kind: Secret\nstringData:\n  user: app\n  host: db.acme.io\n".to_owned(),
        "kind: Secret\nstringData:\n  password: changeme\n".to_owned(),
        "kind: Secret\nstringData:\n  password: {{ .Values.password }}\n".to_owned(),
        format!("kind: SealedSecret\ndata:\n  password: {VALUE}\n"),
        format!("{{\"kind\":\"ConfigMap\",\"data\":{{\"p\":\"{VALUE}\"}}}}"),
        "type Kind = { kind: Secret; data: { name: string } };\n".to_owned(),
    ] {
        check("deploy/other.yaml", &text, None);
    }
}

/// A token with these claims, put together here so that no scanner takes this file for a leak.
fn jwt(claims: &str) -> String {
    let encode = |text: &str| {
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let mut out = String::new();
        for chunk in text.as_bytes().chunks(3) {
            let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
            let bits = bits << (8 * (3 - chunk.len()));
            for place in 0..=chunk.len() {
                out.push(char::from(ALPHABET[(bits >> (18 - 6 * place)) as usize & 63]));
            }
        }
        out
    };
    let signature = "k7Qz2Xf9Lm4Vt8Rb3Nw6Yc1Hs5Jd0PgTqWeZuKaGxMp";
    format!("{}.{}.{signature}", encode("{\"alg\":\"HS256\"}"), encode(claims))
}

#[test]
fn a_word_inside_a_claim_does_not_excuse_a_token() {
    for claims in [
        "{\"sub\":\"latest\",\"iat\":1700000000}",
        "{\"iss\":\"https://attest.acme.io\"}",
        "{\"scope\":\"contest:write\"}",
        "{\"testing\":true,\"sub\":\"u1\"}",
        "{\"sub\":\"counterexamples\"}",
        "{\"sub\":\"91234567890123\"}",
        "{\"email\":\"a@example.com.acme.io\"}",
    ] {
        check("src/a.ts", &format!("const t = '{}'", jwt(claims)), Some("jwt"));
    }
    for claims in [
        "{\"sub\":\"1234567890\",\"name\":\"x\"}",
        "{\"name\":\"John Doe\"}",
        "{\"sub\": \"test\"}",
        "{\"iss\":\"https://example.com\"}",
        "{\"email\":\"a@example.com\"}",
    ] {
        check("src/a.ts", &format!("const t = '{}'", jwt(claims)), None);
    }
}

#[test]
fn an_account_is_secret_only_beside_its_token() {
    let account = format!("{}{}", "AC", "9f86d081884c7d659a2feaa0c55ad015");
    let token = "5d41402abc4b2a76b9719d911017c592";
    for text in
        [format!("Client(\"{account}\", \"{token}\")"), format!("sid: {account}\nvalue: {token}\n")]
    {
        assert_eq!(denial("src/a.txt", &text), Some("twilio-account"), "{text}");
    }
    check("src/a.txt", &format!("account = \"{account}\""), None);
}

#[test]
fn private_web_keys_are_denied_however_they_are_quoted() {
    let d = "k7Qz2Xf9Lm4Vt8Rb3Nw6Yc1Hs5Jd0PgTqWeZuKaGxMp";
    let fill = format!("\"x5c\":[\"{}\"],", "k7Qz2Xf9Lm4Vt8Rb".repeat(500));
    for text in [
        format!("{{\"kty\":\"EC\",\"d\":\"{d}\"}}"),
        format!("{{'kty': 'EC', 'd': '{d}'}}"),
        format!("{{ kty: 'EC', d: '{d}' }}"),
        format!("{{\"kty\":\"EC\",{fill}\"d\":\"{d}\"}}"),
        format!("{{\"d\":\"{d}\",{fill}\"kty\":\"EC\"}}"),
    ] {
        assert_eq!(denial("src/a.json", &text), Some("private-jwk"), "{text:.80}");
    }
    check(
        "src/a.json",
        "{\"kty\":\"EC\",\"x\":\"k7Qz2Xf9Lm4Vt8Rb3Nw6Yc1Hs5Jd0PgTqWeZuKaGxMp\"}",
        None,
    );
}

#[test]
fn the_list_of_covered_names_leads_to_rules() {
    let list = include_str!("../../data/gitleaks.txt");
    let known: Vec<&str> = rules().iter().map(|rule| rule.name).collect();
    let rows: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(rows.is_sorted() && rows.len() > 200, "{}", rows.len());
    for row in rows {
        let (_, rule) = row.split_once(' ').unwrap();
        assert!(rule == "-" || known.contains(&rule), "{row}");
    }
}
