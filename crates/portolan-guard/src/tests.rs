//! Tests each rule with samples generated from its row, so no row goes untested.

mod holes;
mod logs;
mod speed;
mod spellings;

use portolan_types::RepoPath;

use crate::families::{FAMILIES, REQUIRED_PREFIXES, RequiredPrefix};
use crate::shape::{TokenPart, TokenShape};
use crate::{Guard, Inspection, detect, explain, inspect, redact, rules};

#[track_caller]
fn check(path: &str, content: &str, expected: Option<&str>) {
    let denial = detect(&RepoPath::new(path).unwrap(), content.as_bytes());
    assert_eq!(denial.map(|denial| denial.rule), expected, "{path}: {content:.60}");
}

/// The rule that denies a text at a path.
fn denial(path: &str, text: &str) -> Option<&'static str> {
    detect(&RepoPath::new(path).unwrap(), text.as_bytes()).map(|denial| denial.rule)
}

/// Pseudo-random numbers, always the same.
fn dice() -> impl FnMut() -> usize {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize
    }
}

fn alike(piece: TokenPart) -> TokenShape {
    TokenShape { starts: &[""], parts: Box::leak(Box::new([piece])) }
}

/// Lines of base64, as the body of a key has them, each after some blanks.
fn key_lines(indent: &str) -> String {
    let line = "MIIEowIBAAKCAQEAy8Dbv8prpJ/0kKhlGeJYozo2t60EG8L0561g13R29LvMR5hy";
    (0..6)
        .map(|at| format!("{indent}{}{line}\n", ["q", "W3", "e9", "Rt", "zU", "o0"][at]))
        .collect()
}

#[test]
fn an_indented_private_key_is_seen() {
    for (indent, header) in [("    ", ""), ("  ", "  Proc-Type: 4,ENCRYPTED\n  \n"), ("\t", "")] {
        let begin = format!("{indent}-----BEGIN RSA PRIVATE {}-----\n", "KEY");
        let end = format!("{indent}-----END RSA PRIVATE {}-----\n", "KEY");
        let text = format!("tls:\n  key: |\n{begin}{header}{}{end}", key_lines(indent));
        let path = RepoPath::new("values.yaml").unwrap();
        assert!(Guard::default().judge(&path, text.as_bytes()).is_some(), "{text}");
    }
}

#[test]
fn every_family_finds_its_own_tokens_but_not_a_prefix_alone() {
    let (mut number, mut wrong) = (dice(), Vec::new());
    for family in FAMILIES {
        let lead =
            REQUIRED_PREFIXES.iter().find(|(name, _)| *name == family.name).map(|(_, lead)| *lead);
        for shape in family.shapes {
            for start in shape.starts {
                let led = match lead {
                    Some(RequiredPrefix::Run(class, least, _)) => {
                        let mut led =
                            alike(TokenPart::Run(class, least, least)).sample("", &mut number);
                        if family.name == "azure-client-secret" {
                            led.replace_range(3.., "8");
                        }
                        led
                    }
                    _ => String::new(),
                };
                let token = format!("{led}{}", shape.sample(start, &mut number));
                let is_found = |text: &str| {
                    explain(text.as_bytes()).iter().any(|(rule, _)| *rule == family.name)
                };
                // An account is found only beside its token.
                let beside = format!("{token}\", \"{}", "9f86d081884c7d659a2feaa0c55ad015");
                let text = if family.name == "twilio-account" { &beside } else { &token };
                if !is_found(&format!("make(\"{text}\")")) {
                    wrong.push(format!("{} misses {token}", family.name));
                }
                if is_found(&format!("make(\"{led}{start}\")")) {
                    wrong.push(format!("{} takes {start} for a token", family.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_lead_belongs_to_a_family() {
    for (name, _) in REQUIRED_PREFIXES {
        assert!(FAMILIES.iter().any(|family| family.name == *name), "{name}");
    }
}

#[test]
fn names_are_unique_and_survive_caching() {
    let rules = rules();
    let mut names: Vec<_> = rules.iter().map(|rule| rule.name).collect();
    names.sort_unstable();
    // Docker's rule covers a name and a format.
    names.dedup();
    assert_eq!(names.len(), rules.len());
    let none = inspect(b"plain");
    assert_eq!(Inspection::from_code(none.code()), Some(none));
    let found = inspect(key("PRIVATE KEY", "\n").as_bytes());
    assert_eq!(Inspection::from_code(found.code()), Some(found));
    assert_eq!(Inspection::from_code(u16::MAX), None);
}

fn key(label: &str, line_end: &str) -> String {
    let body = "MIIEvQIBADANBgkq".repeat(4);
    format!("-----BEGIN {label}-----{line_end}{body}{line_end}-----END {label}-----")
}

fn token() -> String {
    format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8j9K0a1B2c3D4e5F6g7H8")
}

#[test]
fn files_made_for_secrets_and_their_copies_are_denied_by_name() {
    for path in [
        "id_rsa",
        ".ssh/id_ed25519",
        "cert/site.pfx",
        "android/release.keystore",
        "id_rsa.bak",
        "site.p12~",
        "x.kdbx",
    ] {
        check(path, "", Some("private-key-file"));
    }
    for path in [
        ".aws/credentials",
        "home/.kube/config",
        "kubeconfig",
        ".pgpass",
        ".git-credentials.old",
        ".vault-token",
        ".bash_history",
    ] {
        check(path, "", Some("credential-file"));
    }
    for path in ["id_rsa.pub", "src/keystore.ts", "cert.pem", "src/credentials.ts", "kube/config"] {
        check(path, "", None);
    }
    check("infra/terraform.tfstate", "{}", Some("terraform-state"));
    check("infra/terraform.tfstate.backup", "{}", Some("terraform-state"));
    check("prod.tfvars", "region = \"eu-central-1\"", None);
    check("prod.tfvars", "db_password = \"hunter2\"", Some("terraform-variables"));
    check("config/master.key", "0123456789abcdef0123456789abcdef\n", Some("rails-master-key"));
    check("config/master.key", "see the vault", None);
}

#[test]
fn credential_files_are_denied_only_with_a_value() {
    check(".npmrc", "//registry.npmjs.org/:_authToken=abc123", Some("npmrc-token"));
    check(".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}\nsave-exact=true", None);
    check(".npmrc", "# _authToken=abc", None);
    check(".pypirc", "[pypi]\nusername = __token__\npassword = abc", Some("pypirc-password"));
    check(".netrc", "machine x login y password z", Some("netrc-password"));
    check(".docker/config.json", "{\"auths\":{\"x\":{\"auth\":\"abc=\"}}}", Some("docker-auth"));
    check("src/config.json", "{\"auth\":\"abc=\"}", None);
    check("src/config.json", "{\"auth\":\"bWU6aHVudGVyMg==\"}", Some("docker-auth"));
    check(".my.cnf", "[client]\npassword=abc", Some("client-password"));
}

#[test]
fn keys_are_denied_only_with_their_body() {
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
    {
        check("notes.txt", &key(label, "\n"), Some("private-key"));
    }
    let inside = format!("{{\"private_key\": \"{}\"}}", key("PRIVATE KEY", "\\n"));
    check("service.json", &inside, Some("private-key"));
    check("cert.pem", &key("CERTIFICATE", "\n"), None);
    check(
        "src/pem.ts",
        "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) { return parse(text) }",
        None,
    );
    check("doc.md", &format!("-----BEGIN PRIVATE KEY-----\n{}\n", "x".repeat(64)), None);
    let mock = "key: '-----BEGIN PRIVATE KEY-----\\nMOCK\\n-----END PRIVATE KEY-----', findCredentialWithDelegationByTypeAndUserId9()";
    check("src/a.ts", mock, None);
    check(
        "x.txt",
        "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\nAAAA",
        Some("private-key"),
    );
}

#[test]
fn credentials_in_urls_are_denied_unless_well_known() {
    for url in [
        "postgres://app:hunter2x@db.acme.io/app",
        "amqp://w:S3cure-9x@mq.acme.io",
        "https://9f86d081884c7d659a2feaa0c55ad015a3bf4f1b@git.acme.io/x.git",
        "postgres:\\/\\/app:hunter2x@db.acme.io\\/app",
        "app:hunter2x@tcp(db.acme.io:3306)/app",
        "postgres://app:hunter2x@a.acme.io,app:hunter2x@b.acme.io/app",
    ] {
        check("src/a.ts", &format!("connect('{url}')"), Some("url-credentials"));
    }
    for url in [
        "postgres://postgres:postgres@localhost/db",
        "https://user:pass@example.com",
        "https://${USER}:${PASS}@acme.io",
        "ssh://git@acme.io/x",
        "http://localhost:8080/@scope/name",
        "https://acme.io/@user",
        "https://unpkg.com/a@1.2.3/b",
        "postgres://user:pass1@localhost2:5432/app",
        "postgres://us%40er:p%5Bass@localhost:5432/app",
        "postgres://user:pass@host1.db.net:4321,user2:pass2@host2.db.net:6432/app",
        "root:root@tcp(127.0.0.1:3306)/app",
        "user:pass1@tcp(localhost)/app",
    ] {
        check("src/a.ts", &format!("connect('{url}')"), None);
    }
}

#[test]
fn credentials_of_a_command_are_denied() {
    for line in
        ["curl -u svc:hunter2!x https://a.io", "curl -s --user \"svc:hunter2!x\" https://a.io"]
    {
        check("a.sh", line, Some("authorization-header"));
    }
    for line in
        ["curl -u user:pass https://a.io", "curl -u \"$USER:$PASS\" x", "curl https://a.io/-u/x:1a"]
    {
        check("a.sh", line, None);
    }
}

#[test]
fn assigned_values_are_denied_if_they_look_like_secrets() {
    for line in [
        "password = 'hunter2!x'",
        "\"client_secret\": \"k7Qz2Xf9Lm4Vt8Rb3Nw6\"",
        "api_key: k7Qz2Xf9Lm4Vt8Rb3Nw6",
        "const TOKEN: &str = \"9f86d081884c7d659a2feaa0\";",
        "<password>k7Qz2Xf9Lm4V</password>",
        "export AUTH_TOKEN=9f86d081884c7d659a2feaa0",
        "- name: DB_PASSWORD\n  value: \"k7Qz2Xf9Lm\"",
    ] {
        check("src/a.txt", line, Some("secret-assignment"));
        check("tests/a.txt", line, None);
        check("docs/a.txt", line, None);
    }
    for line in [
        "const s = process.env.JWT_SECRET || \"k7Qz2Xf9Lm4Vt8Rb3Nw6\"",
        "const s = process.env.SECRET ?? 'k7Qz2Xf9Lm4Vt8Rb3Nw6'",
        "export const token =\n  \"k7Qz2Xf9Lm4Vt8Rb3Nw6\"",
        "token = (\n    \"k7Qz2Xf9Lm4Vt8Rb3Nw6\"\n)",
        "let password = r#\"hunter2!x\"#;",
        "PASSWORD = \"\"\"hunter2!x\"\"\"",
        "String secret = \"\"\"\n    k7Qz2Xf9Lm4Vt8Rb3Nw6\n    \"\"\";",
        "ds.setPassword(\"hunter2!x\");",
        "{\"smtp\":{\"user\":\"a\",\"pass\":\"hunter2!x\"}}",
        "FROM x\nENV DB_PASSWORD hunter2!x",
        "db:\n  password: >-\n    hunter2!x\n",
        "{\"key\":\"password\",\"value\":\"hunter2!x\"}",
    ] {
        check("src/a.txt", line, Some("secret-assignment"));
    }
    let notebook = format!(
        "{{\"cells\":[{{\"cell_type\":\"code\",\"source\":[\"{}password = \\\"hunter2!x\\\"\"]}}]}}",
        "x = 1\\n".repeat(2000)
    );
    check("a.ipynb", &notebook, Some("secret-assignment"));
    for line in [
        "password: string;",
        "const token = getToken(request1);",
        "secret = process.env.SECRET_V2",
        "password = models.CharField(max_length=128)",
        "\"password\": \"Your password must have 8 characters\"",
        "tokenUrl: 'k7Qz2Xf9Lm4Vt8Rb3Nw6'",
        "password_encryption = scram-sha-256",
        "token = 'test-token-1'",
        "\"js-tokens@npm:^4.0.0\": \"npm:^4.0.23\"",
        "check(SECRET, ModuleName_2024_04_15)",
        "log \"${MVNW_PASSWORD:+has-password}\"",
        "getPassword(\"hunter2!x\")",
        "[\n  \"QA_PASSWORD\",\n  \"E2E_TEST_V2_NAME\",\n]",
        "if (password || other) { x = \"hunter2!x\" }",
        "Password: b64Pwd,",
        "token: base64Token,",
        "password = b64Password",
    ] {
        check("src/a.txt", line, None);
    }
}

#[test]
fn values_are_found_however_they_are_assigned() {
    for line in [
        "ARG GITHUB_PAT=9f86d081884c7d659a2feaa0",
        "AZURE_OPENAI_KEY = \"9f86d081884c7d659a2feaa0\"",
        "define('AUTH_SALT', 'k7Qz2Xf9Lm4Vt8Rb3Nw6')",
        "<key>ClientSecret</key>\n  <string>k7Qz2Xf9Lm4Vt8Rb3Nw6</string>",
        "variable \"admin_password\" {\n  type = string\n  default = \"hunter2!x\"\n}",
        "  DBPassword:\n    Type: String\n    Default: hunter2!x",
        "buildConfigField \"String\", \"API_KEY\", \"\\\"k7Qz2Xf9Lm4Vt8Rb3Nw6\\\"\"",
        "CREATE LOGIN app WITH PASSWORD = N'hunter2!x'",
        "password: SecretValue.of('k7Qz2Xf9Lm4Vt8Rb')",
        "var secret = []byte(\"k7Qz2Xf9Lm4Vt8Rb3Nw6\")",
        "var password string = \"hunter2!x\"",
        "const SECRET = \"k7Q-z2X_f9Lm-4Vt8Rb3N_w6Yc1\"",
        "password = \"xMqTnHkUdzuCtD\"",
        "auth: { user: 'a', pass: 'hunter2!x' }",
        "new PDO('mysql:host=db', 'app', 'hunter2!x')",
        "jwt.sign({ id: 'a', r: ['b'] }, 'k7Qz2Xf9Lm4Vt8Rb3Nw6')",
        "requests.get(url, auth=('svc', 'hunter2!x'))",
        "sshpass -p 'hunter2!x' ssh a",
        "mysqldump -u root -phunter2x shop",
        "redis-cli -h c -a hunter2!x",
        "requirepass hunter2!x",
        "CREATE USER a IDENTIFIED BY 'hunter2!x'",
        "ConvertTo-SecureString \"hunter2!x\" -AsPlainText",
        "openssl enc -pass pass:hunter2!x -in a",
        "echo \"k7Qz2Xf9Lm4Vt8Rb\" | docker login -u bot --password-stdin",
        "jdbc:oracle:thin:scott/hunter2!x@//db:1521/x",
        "get(\"https://a.io/s?key=k7Qz2Xf9Lm4Vt8Rb3Nw6Yc1H&q=1\")",
        "{ \"Jwt\": { \"Key\": \"k7Qz2Xf9Lm4Vt8Rb3Nw6\" } }",
        "'crypt' => ['key' => '9f86d081884c7d659a2feaa0']",
    ] {
        check("src/a.txt", line, Some("secret-assignment"));
        check("docs/a.txt", line, None);
    }
    for line in [
        "GITHUB_PATH = 'k7Qz2Xf9Lm4Vt8Rb3Nw6'",
        "PUBLIC_SITE_KEY = 'k7Qz2Xf9Lm4Vt8Rb3Nw6'",
        "CACHE_KEY = \"k7Qz2Xf9Lm4Vt8Rb3Nw6\"",
        "post \"reset-password\" => \"users#create_passkey\"",
        "tokenizer: Tokenizer::OpenAiCl100kTokenizer",
        "password: 'pa$$word'",
        "password: 'P@ssw0rd1'",
        "password = \"someIdentifierName\"",
        "sshpass -p $PASSWORD ssh a",
        "mysqldump -u root -p shop",
        "mysql --port 3306 -p\"$PW\"",
        "new PDO($dsn, $user, $password)",
        "jwt.sign(payload, process.env.KEY1)",
        "echo \"$TOKEN\" | docker login --password-stdin",
        "jdbc:oracle:thin:@//db:1521/x",
        "get(\"https://a.io/s?key=value\")",
        "all the tests pass: 'a1 and b2'",
        "DefaultEndpointsProtocol=http;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;",
        "{showPassword ? <EyeOff className=\"size-4\" /> : <Eye />}",
        "<Input password className=\"text-lg2\" />",
        "tokenBuf := base64BufPool.Get()",
        "variable \"password\" {\n  type = string\n}\nvariable \"x\" {\n  default = \"hunter2!x\"\n}",
    ] {
        check("src/a.txt", line, None);
    }
}

#[test]
fn a_value_is_masked_to_its_end_however_long_it_is() {
    let long = "k7Qz2Xf9Lm4Vt8Rb".repeat(100);
    for text in [format!("mysqldump -p{long} x"), format!("get(https://a.io/?key={long}&q=1)")] {
        assert!(!redact(&text).contains("k7Qz2Xf9"), "{text}");
    }
}

#[test]
fn an_example_of_a_key_is_not_a_key() {
    let line = &key("RSA PRIVATE", "\n")[32..92];
    for text in [
        format!("-----BEGIN PRIVATE KEY-----\n{line}\n...\n-----END PRIVATE KEY-----"),
        format!("`-----BEGIN PRIVATE KEY-----x`\n```\n\n{line}{line}\n"),
    ] {
        check("src/a.txt", &text, None);
    }
    check("src/jvmTest/A.kt", "password = 'hunter2!x'", None);
    check("src/contest/A.kt", "password = 'hunter2!x'", Some("secret-assignment"));
    check("src/a.txt", "http://a%3Ab:c%3A%01d1@acme.io/", None);
    check("src/a.txt", "0002580010000100000100030268320003000201bb", None);
}

#[test]
fn an_unquoted_word_is_a_variable_in_code() {
    for (line, quoted) in
        [("password: hunter2x", "password: 'hunter2x'"), ("Pwd = kx2Zebra,", "pwd = 'kx2Zebra'")]
    {
        check("conf/a.yml", line, Some("password-word"));
        check("src/a.go", line, None);
        check("src/a.py", line, None);
        let both = format!("{line}\n{quoted}\n");
        check("src/a.go", &both, Some("secret-assignment"));
        check("src/a.go", &format!("{line}\n{}", token()), Some("github-token"));
    }
}

#[test]
fn text_before_a_token_does_not_hide_it() {
    let token = token();
    for before in [
        "token\\u003d",
        "\u{1b}[32m",
        "\\u001b[32m",
        "\\x1b[1;32m",
        "\\x3d",
        "\\075",
        "\u{1b}[K",
        "[0m",
        "GITHUB_TOKEN_",
        "_",
        "%3D",
        "=3D",
        "\\n",
        "é",
    ] {
        for after in ["", "_", "\u{1b}[0m", "\\n", "-"] {
            let text = format!("x = {before}{token}{after}");
            check("src/a.ts", &text, Some("github-token"));
            assert!(!redact(&text).contains(&token), "{text}");
        }
    }
    let google = format!("{}{}", "AIza", "SyD4k7Qz2Xf9Lm4Vt8Rb3Nw6Yc1Hs5Jd0Pg");
    for after in ["-", "--", "_", "."] {
        check("src/a.ts", &format!("key={google}{after} "), Some("google-api-key"));
    }
    check("src/a.ts", &format!("{google}-a"), None);
}

#[test]
fn kubernetes_secrets_are_denied_only_with_values() {
    let manifest = |data: &str| {
        format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\n{data}")
    };
    for data in [
        "data:\n  password: aHVudGVyMkAhMjAyNA==\n",
        "stringData:\n  url: \"k7Qz2Xf9Lm4Vt8Rb\"\n",
        "data:\n  a: ''\n  tls.key: 'c3VwZXItc2VjLTk5'\n",
    ] {
        check("deploy/db.yaml", &manifest(data), Some("kubernetes-secret"));
        let two = format!("kind: Service\nmetadata:\n  name: x\n---\n{}", manifest(data));
        check("deploy/db.yaml", &two, Some("kubernetes-secret"));
    }
    for data in [
        "data:\n  password: {{ .Values.password | b64enc }}\n",
        "data:\n  password: cGFzc3dvcmQ=\n",
        "data: {}\n",
        "data: {}\n---\nkind: ConfigMap\ndata:\n  password: aHVudGVyMkAhMjAyNA==\n",
    ] {
        check("deploy/db.yaml", &manifest(data), None);
    }
    check("doc.md", "Use `kind: SecretStore`, or kind: Secret with data.", None);
    let list = |first: &str, second: &str| {
        format!(
            "kind: List\nitems:\n- apiVersion: v1\n  kind: {first}\n  data:\n    password: aHVudGVyMkAhMjAyNA==\n\
             - kind: {second}\n  metadata:\n    name: x\n"
        )
    };
    check("deploy/all.yaml", &list("Secret", "ConfigMap"), Some("kubernetes-secret"));
    check("deploy/all.yaml", &list("ConfigMap", "Secret"), None);
    for kind in ["\"kind\":\"Secret\"", "\"kind\": \"Secret\""] {
        let json = format!("{{{kind},\"data\":{{\"a\":\"\",\"b\":\"aHVudGVyMkAhMjAyNA==\"}}}}");
        check("deploy/db.json", &json, Some("kubernetes-secret"));
        check("deploy/db.json", &json.replace("aHVudGVyMkAhMjAyNA==", "cGFzc3dvcmQ="), None);
    }
}

#[test]
fn the_whole_text_is_searched_in_every_encoding() {
    let late = format!("{}{}", "// nothing\n".repeat(20_000), token());
    check("src/a.ts", &late, Some("github-token"));
    let text = token();
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let path = RepoPath::new("src/a.ts").unwrap();
    for bytes in [
        [&[0xFF, 0xFE], little.as_slice()].concat(),
        [&[0xFE, 0xFF], big.as_slice()].concat(),
        [&[0xFF, 0xFE], text.as_bytes()].concat(),
        [&[0xFE, 0xFF], text.as_bytes()].concat(),
        little,
        big,
    ] {
        assert_eq!(detect(&path, &bytes).unwrap().rule, "github-token");
    }
}

#[test]
fn placeholders_are_allowed() {
    check("src/a.ts", &format!("ghp_{}", "x".repeat(36)), None);
    check("src/a.ts", &format!("{}{}", "AKIA", "IOSFODNN7EXAMPLE"), None);
    check("src/a.ts", &format!("my{}", token()), None);
    check("src/a.ts", &format!("'\\n{}'", token()), Some("github-token"));
}

#[test]
fn allowed_paths_are_not_denied() {
    let [open, other] = ["open/.env", ".env"].map(|path| RepoPath::new(path).unwrap());
    let guard = Guard::new(true, std::slice::from_ref(&open));
    assert_eq!(guard.judge(&open, b"PASSWORD=hunter2"), None);
    assert!(guard.judge(&other, b"PASSWORD=hunter2").is_some());
    assert_eq!(Guard::new(false, &[]).judge(&other, b"PASSWORD=hunter2"), None);
}

#[test]
fn a_key_is_masked_to_its_end_however_long_it_is() {
    let label = "PRIVATE KEY";
    let key = format!("-----BEGIN {label}-----\n{}\n-----END", "MIIEvQIB9DANBgk7\n".repeat(900));
    let masked = redact(&key);
    assert!(!masked.contains("MIIE"), "{masked}");
}

#[test]
fn single_texts_are_masked() {
    let token = token();
    for (text, expected) in [
        ("./a".to_owned(), "./a".to_owned()),
        ("https://user:pass@acme.io/x.js".to_owned(), "https://***@acme.io/x.js".to_owned()),
        (format!("https://u:{token}@h/x.js"), "https://***@h/x.js".to_owned()),
        (format!("see {token}, ü"), "see ***, ü".to_owned()),
        (
            "see https://a:https://user:Qup3r9x@one:Qup3r9x@two/x".to_owned(),
            "see https://a:https://***@two/x".to_owned(),
        ),
        (format!("password={}; x", "k7Qz2Xf9Lm4V".repeat(90)), "password=***; x".to_owned()),
        (format!("password=\"{}\"", "k7Qz2Xf9Lm4V".repeat(90)), "password=\"***\"".to_owned()),
        (
            "postgres://postgres:postgres@localhost".to_owned(),
            "postgres://***@localhost".to_owned(),
        ),
    ] {
        assert_eq!(redact(&text), expected);
        assert_eq!(redact(&redact(&text)), expected, "masking again changes nothing");
    }
}

#[test]
fn credentials_of_a_local_machine_do_not_deny_a_test() {
    let made_up = [
        "dsn := \"sqlserver://sa:LoremIpsum86@localhost:9930?database=master\"\n",
        "url = 'mssql+pyodbc://scott:tiger^5HHH@mssql2017:1433/test'\n",
        "db = open(\"ci:Str0ngEnough@tcp(mysql:3306)/app\")\n",
    ];
    for text in made_up {
        let denied = |path: &str| denial(path, text);
        assert_eq!(denied("src/db.go"), Some("local-credentials"), "{text}");
        assert_eq!(denied("tests/db_test.go"), None, "{text}");
        assert_eq!(denied("docs/setup.rst"), None, "{text}");
        // They are masked in single texts.
        assert!(!redact(text).contains("LoremIpsum86") && !redact(text).contains("5HHH"), "{text}");
    }
    for text in [
        // Machine-generated, or for a reachable machine, or a token.
        "http://root:pBU94AGAY85e@localhost:9001\n",
        "mssql://scott:tiger^5HHH@sql.acme.io/test\n",
        "redis://:k7Qz2Xf9Lm4Vt8RbN3w6@cache/0\n",
    ] {
        assert_eq!(denial("tests/db_test.go", text), Some("url-credentials"), "{text}");
    }
}

#[test]
fn an_application_password_differs_from_words() {
    let path = "src/main/resources/application.yml";
    assert_eq!(denial(path, "password: qkzv wxtr mhpl bdnc\n"), Some("secret-assignment"));
    assert_eq!(denial(path, "password: must have more than\n"), None);
    assert_eq!(denial(path, "password: qkzv wxtr mhpl bdnc more\n"), None);
}

#[test]
fn a_word_after_a_name_is_a_value_if_the_line_has_nothing_else() {
    let secret = "k7Qz2Xf9Lm4Vt8Rb";
    let denied = |line: &str| denial("conf/haproxy.cfg", &line.replace("{v}", secret));
    for line in ["  user admin insecure-password {v}\n", "password {v}\n", "password   {v}\r\n"] {
        assert_eq!(denied(line), Some("secret-assignment"), "{line}");
    }
    for line in ["the password {v} is wrong\n", "if (password {v}\n", "password admin1234567\n"] {
        assert_eq!(denied(line), None, "{line}");
    }
}

#[test]
fn the_credentials_of_an_address_are_masked_to_their_end_however_long_they_are() {
    let long = "k7Qz2Xf9Lm4Vt8Rb".repeat(200);
    let address = format!("pip install -i https://aws:{long}@acme.io/simple\n");
    assert_eq!(redact(&address), "pip install -i https://***@acme.io/simple\n");
    let several = format!("https://user:{}@acme.io/x\n", "Sup3r-9x@a".repeat(60));
    assert_eq!(redact(&several), "https://***@acme.io/x\n");
}

#[test]
fn values_of_settings_are_masked_where_a_program_prints_them() {
    let settings = "# KEY=in-a-comment\nexport DB_PW='sommer-2024'\nMODE=development\nPORT=12345678\nURL=redis://:pw@host # why\nSHORT=a1b2\nNOT A NAME=abc-def-ghi\n";
    let values = crate::settings_values(settings);
    assert_eq!(values, ["sommer-2024", "redis://:pw@host"]);
    let printed = b"login sommer-2024 failed in development at redis://:pw@host\n";
    let masked = crate::mask_values(printed, &values);
    assert_eq!(String::from_utf8(masked).unwrap(), "login *** failed in development at ***\n");
    for (name, expected) in [
        (".env", true),
        (".env.local", true),
        ("prod.env", true),
        (".env.example", false),
        ("a.ts", false),
    ] {
        assert_eq!(crate::is_settings_file(name), expected, "{name}");
    }
}
