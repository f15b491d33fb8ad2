//! Secrets written in another way than usual: each form means the same to the program that reads it.

use super::{check, denial};

/// `sommernacht am see`.
const VALUE: &str = "c29tbWVybmFjaHQgYW0gc2Vl";

/// A name that tells nothing, so that only the structure does.
fn manifests() -> Vec<String> {
    let v = VALUE;
    vec![
        format!("apiVersion: v1\nkind: Secret\ndata:\n  conf: {v}\n"),
        format!("\u{feff}kind: Secret\ndata:\n  conf: {v}\n"),
        format!("x: &s\n  conf: {v}\n---\nkind: Secret\ndata:\n  <<: *s\n"),
        format!("x: &s\n  conf: {v}\nkind: Secret\ndata:\n  <<: *s\n"),
        format!("x: &d\n  conf: {v}\nkind: Secret\ndata: *d\n"),
        format!("x: &d {v}\nkind: Secret\ndata:\n  conf: *d\n"),
        format!("common:\n  data: &d\n    conf: {v}\nitems:\n- kind: Secret\n  data: *d\n"),
        format!("k: &k Secret\n---\nkind: *k\ndata:\n  conf: {v}\n"),
        format!("k: &k Secret\nkind: *k\ndata:\n  conf: {v}\n"),
        format!("kind: !!str Secret\ndata:\n  conf: {v}\n"),
        format!("kind: &k Secret\ndata:\n  conf: {v}\n"),
        format!("kind: # what\n  Secret\ndata:\n  conf: {v}\n"),
        format!("kind:\n  Secret\ndata:\n  conf: {v}\n"),
        format!("kind: >-\n  Secret\ndata:\n  conf: {v}\n"),
        format!("kind: |\n  Secret\ndata:\n  conf: {v}\n"),
        format!("? kind\n: Secret\n? data\n: conf: {v}\n"),
        format!("kind: Secret\ndata: !!map\n  conf: !!str {v}\n"),
        format!("kind: Secret\ndata:\n  conf: !!binary {v}\n"),
        format!("kind: Secret\ndata:\n  {{ conf: {v} }}\n"),
        format!("kind: Secret\ndata: {{'a': 'x', conf: {v}}}\n"),
        format!("kind: Secret\ndata:\n  conf: >-2\n    {}\n    {}\n", &v[..12], &v[12..]),
        format!("kind: ConfigMap\nkind: Secret\ndata:\n  conf: {v}\n"),
        format!(r#"{{"k\u0069nd":"Secret","data":{{"conf":"{v}"}}}}"#),
        format!(r#"{{"kind":"S\u0065cret","data":{{"conf":"{v}"}}}}"#),
        format!(r#"{{"kind":"Secret","d\u0061ta":{{"conf":"{v}"}}}}"#),
        format!(r#"{{"kind":"Secret","metadata":{{"x":"}}"}},"data":{{"conf":"{v}"}}}}"#),
    ]
}

#[test]
fn a_kubernetes_secret_is_denied_however_its_yaml_is_written() {
    for text in manifests() {
        check("k8s/s.yaml", &text, Some("kubernetes-secret"));
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let wide = [&[0xFF, 0xFE], wide.as_slice()].concat();
        let path = portolan_types::RepoPath::new("k8s/s.yaml").unwrap();
        assert!(crate::detect(&path, &wide).is_some(), "{text}");
    }
}

#[test]
fn words_in_a_kubernetes_secret_are_denied_where_they_are_no_example() {
    for text in [
        "kind: Secret\nstringData:\n  conf: sommernacht\n",
        "kind: Secret\ndata:\n  pin: NDcxMQ==\n",
        "kind: Secret\nstringData:\n  pin: '4711'\n",
        "secretGenerator:\n- name: x\n  literals:\n  - password=sommer\n",
    ] {
        check("k8s/s.yaml", text, Some("kubernetes-word"));
        for path in ["docs/s.md", "tests/s.yaml", "src/s.ts", "k8s/s.example.yaml"] {
            check(path, text, None);
        }
    }
    for text in [
        "{{- if x }}\nkind: Secret\ndata:\n  conf: {{ \"Tr0ub4dor&3-prod\" | b64enc }}\n{{ end }}\n",
        "secretGenerator:\n- name: x\n  literals:\n  - conf=Tr0ub4dor&3-prod\n",
    ] {
        assert!(denial("k8s/s.yaml", text).is_some(), "{text}");
    }
    for text in [
        "kind: Secret\nstringData:\n  port: '5432'\n  url: https://acme.io/x\n  on: 'true'\n",
        "kind: Secret\ndata:\n  user: YWRtaW4=\n",
        "kind: !!str ConfigMap\ndata:\n  conf: c29tbWVybmFjaHQgYW0gc2Vl\n",
        "a: &k ConfigMap\nkind: *k\ndata:\n  conf: c29tbWVybmFjaHQgYW0gc2Vl\n",
        "secretGenerator:\n- name: x\n  literals:\n  - password=changeme\n",
        "password: {{ .Values.password | b64enc }}\n",
    ] {
        check("k8s/s.yaml", text, None);
    }
}

/// A token of three parts, put together here so that no scanner takes this file for a leak.
fn jwt(header: &str, claims: &str) -> String {
    let signature = "k7Qz2Xf9Lm4Vt8Rb3Nw6Yc1Hs5Jd0PgTqWeZuKaGxMp";
    format!("{}.{}.{signature}", base64(header), base64(claims))
}

fn base64(text: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let mut bits = 0u32;
        for at in 0..3 {
            bits = bits << 8 | u32::from(chunk.get(at).copied().unwrap_or(0));
        }
        for at in 0..=chunk.len() {
            out.push(char::from(DIGITS[(bits >> (18 - 6 * at) & 63) as usize]));
        }
    }
    out
}

const HEADER: &str = r#"{"alg":"HS256","typ":"JWT"}"#;

#[test]
fn only_whom_a_token_is_for_makes_it_a_sample() {
    for claims in [
        r#"{"sub":"u-88123","env":"test","role":"admin"}"#,
        r#"{"sub":"prod-admin","support":"https://example.com"}"#,
        r#"{"sub":"x81","phone":1234567890123}"#,
        r#"{"sub":12345678901}"#,
        r#"{"sub":"a1","mode":"test","tenant":"acme"}"#,
        r#"{"sub":"a1","tier":"example"}"#,
        r#"{"sub":"a1","d":{"x":"John Doe"}}"#,
        r#"{"aud":"test","sub":"a1"}"#,
    ] {
        check("src/a.py", &jwt(HEADER, claims), Some("jwt"));
    }
    for claims in [
        r#"{"sub":"1234567890","name":"John Doe"}"#,
        r#"{"sub": 1234567890}"#,
        r#"{"iss":"https://example.com"}"#,
        r#"{"role":"admin","email":"a@example.org"}"#,
    ] {
        check("src/a.py", &jwt(HEADER, claims), None);
    }
}

#[test]
fn a_token_with_blanks_in_its_parts_is_a_token() {
    let claims = r#"{"sub":"u-88123","role":"admin"}"#;
    for header in [
        "{ \"alg\" : \"HS256\" }",
        "{\n  \"alg\": \"HS256\"\n}",
        "{\n\t\"alg\": \"HS256\"\n}",
        "{\r\n\"alg\": \"HS256\"}",
        "{\t\"alg\":\"HS256\"}",
        "{  \"alg\":\"HS256\"}",
        r#"{"kid":"k1","alg":"ES256"}"#,
    ] {
        check("src/a.py", &jwt(header, claims), Some("jwt"));
    }
    check("src/a.py", &jwt(HEADER, &format!("  {claims}")), Some("jwt"));
    let part = "k7Qz2Xf9Lm4Vt8Rb3Nw6Yc1Hs5Jd0PgTqWeZuKaGxMp";
    for key in ["", part] {
        let header = base64(r#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#);
        let token = format!("{header}.{key}.{}.{part}{part}.{}", &part[..16], &part[..22]);
        check("src/a.py", &format!("x = '{token}'\n"), Some("jwt"));
    }
    check("src/a.py", "x = eyJhbGciOiJIUzI1NiJ9.b.c.d.e\n", None);
}

/// Lines of a key's body.
fn body() -> String {
    let mut state = 7u64;
    let mut digit = || {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(DIGITS[(state >> 58) as usize])
    };
    let mut lines = String::new();
    for _ in 0..12 {
        lines.extend((0..64).map(|_| digit()));
        lines.push('\n');
    }
    lines
}

#[test]
fn a_key_is_found_by_its_last_line_too() {
    let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
    let body = body();
    let narrow: Vec<String> = body
        .replace('\n', "")
        .as_bytes()
        .chunks(12)
        .map(|it| String::from_utf8_lossy(it).into_owned())
        .collect();
    let commented: String = body.lines().map(|line| format!("# {line}\n")).collect();
    let quoted: String = body.lines().map(|line| format!("  \"{line}\\n\" +\n")).collect();
    for text in [
        format!("{begin}\n-----END\n{body}{end}\n"),
        format!("{begin}\n{end}\n{body}{end}\n"),
        format!("{begin}\n```\n{body}{end}\n"),
        format!("{begin}\n{}\n{body}{end}\n", "# pad".repeat(1000)),
        format!("{body}{end}\n"),
        format!("x\n{commented}# {end}\n"),
        format!("x\n{quoted}\"{end}\"\n"),
        format!("{begin}\n{}\n{end}\n", narrow.join("\n")),
        format!("{}\n{end}\n", narrow.join("\n")),
        format!("{begin}\n{body}{end}\n")
            .replace("PRIVATE KEY", "private key")
            .replace("BEGIN", "begin")
            .replace("END", "end"),
        format!(
            "<RSAKeyValue><Modulus>AQAB</Modulus><D>{}</D></RSAKeyValue>",
            body.replace('\n', "")
        ),
    ] {
        check("src/a.txt", &text, Some("private-key"));
    }
    for text in [
        format!("const A = '{begin}';\nconst B = '{end}';\nconst HASH = '{}';\n", &body[..64]),
        format!("-----BEGIN CERTIFICATE-----\n{body}-----END CERTIFICATE-----\n"),
        format!("a list of\nsome words\nbefore\n{end}\n"),
        "<D>text</D>".to_owned(),
    ] {
        check("src/a.txt", &text, None);
    }
}

#[test]
fn folders_of_settings_and_files_of_the_system_are_denied_by_name() {
    for (path, rule) in [
        (".env/prod", "env-file"),
        ("app/.env/local", "env-file"),
        (".envs/.local/.postgres", "env-file"),
        ("env.local", "env-file"),
        ("etc/shadow", "credential-file"),
        ("shadow-", "credential-file"),
        ("gshadow", "credential-file"),
        ("sudoers", "credential-file"),
        (".aws/config", "credential-file"),
    ] {
        check(path, "a sommer\n", Some(rule));
    }
    for path in
        ["secrets.yml", "config/credentials.json", "client_secret.json", ".streamlit/secrets.toml"]
    {
        check(path, "password: \"sommer\"\n", Some("client-password"));
        check(path, "password: \"${PASSWORD}\"\n", None);
    }
    // A virtual environment of Python.
    for path in [".env/pyvenv.cfg", ".env/lib/python3.12/site-packages/a.py", "shadow.css"] {
        check(path, "a = 1\n", None);
    }
}

#[test]
fn a_token_with_escaped_letters_is_a_token() {
    let body = "a1B2c3D4e5F6g7H8j9K0a1B2c3D4e5F6g7H8";
    for start in [r"\u0067hp_", r"\x67hp_", r"\u{67}hp_", r"g\u0068p_", "ghp_"] {
        for text in [format!("import '{start}{body}'\n"), format!("{{\"a\": \"{start}{body}\"}}\n")]
        {
            check("src/a.js", &text, Some("github-token"));
        }
    }
}
