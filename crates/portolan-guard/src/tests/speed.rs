//! No text takes long to search, however it is made.

use std::time::Instant;

use super::denial;
use crate::{inspect, redact, steps};

/// Texts of nothing but beginnings.
#[expect(clippy::too_many_lines, reason = "it is a list")]
fn beginnings() -> Vec<String> {
    let header = "eyJhbGciOiJIUzI1NiJ9";
    let mut beginnings: Vec<String> = [
        "-eyJ",
        "eyJ-",
        "/ZXlK",
        "LS0tLS1CRUdJTi",
        "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t",
        "PuTTY-User-Key-File-",
        "password=",
        "password: ",
        "password=\"",
        "password=k7Qz2Xf9Lm4V",
        "token =\n(",
        "secret ",
        "Basic ",
        "Basic QUJDREVGR0hJSktMTU5P",
        "Bearer ",
        "client-key-data",
        "curl -u ",
        "a:b@tcp(",
        "\"kind\":\"Secret\"",
        "{\"kind\":\"Secret\",",
        "kind: Secret\n",
        " kind: Secret\n",
        "kind: Secret data: {",
        "kind: Secret\ndata: {",
        "kind: Secret\n data: {a: b}\n",
        "{kind: Secret, data: {a: b}",
        "{\"kind\":\"Secret\",\"data\":{\"a\":\"b\"",
        "{\"kty\" }",
        "-----BEGIN PRIVATE KEY-----\\n",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nA: b\n",
        "\"auth\": \"",
        "stringData: {",
        "\"kty\"",
        "{\"kty\":\"d\"",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n",
        "X: -----BEGIN PRIVATE KEY-----\n",
        "://",
        "a://b:",
        "a://b:c/",
        "sk-proj-",
        "xoxb-",
        "AKIA",
        "MTIz",
        "jwt.sign(",
        "sshpass -p",
        "docker login ",
        "echo a --password-stdin ",
        "\"Jwt\"",
        "?key=",
        " pass: '",
        "AC9f86d081884c7d659a2feaa0c55ad015 ",
        "variable \"password\" {",
        "Password:\n",
        "password=\n",
        "password=a1 ",
        "token: \"a\" ",
        "password:\n  \n",
        "Password:\n a\n",
        "kind: *k\n",
        "kind: >-\n Secret\n",
        "\\u006B",
        "k\\u0069nd: Secret\n",
        "-----END PRIVATE KEY-----\n",
        "AAAA\n-----END PRIVATE KEY-----\n",
        "<D>AAAA",
        "<D>",
        "eyAi",
        "ewog.",
        "eyJhbGciOiJIUzI1NiJ9.",
        "secretGenerator:\n",
        "secretGenerator:\nliterals:\n- a=b\n",
        "\"a\" | b64enc ",
    ]
    .map(str::to_owned)
    .to_vec();
    beginnings.push(format!("-{header}"));
    beginnings.push(format!("-{header}.{header}"));
    beginnings
}

#[test]
fn no_text_takes_more_steps_than_its_length_allows() {
    for beginning in beginnings() {
        for length in [8_000, 64_000, 512_000] {
            let text = beginning.repeat(length / beginning.len());
            // Masking searches what it leaves again, so it is the first search that counts.
            inspect(text.as_bytes());
            // The check that goes over the limit is finished.
            let most = steps::limit(text.len()) + 16 * text.len();
            assert!(steps::count() <= most, "{beginning}: {} steps", steps::count());
        }
    }
}

/// Tables of numbers, paths of pictures and fonts in base64 are ordinary data.
#[test]
fn data_is_searched_to_its_end() {
    let numbers = "8.000000000000000000e+00 ".repeat(40_000);
    let path = "M0 0000001 122.2 222.7000000000001 188.6 304.2000000000001zM500".repeat(4_000);
    let hex = "000000ff00000000 ".repeat(40_000);
    for text in [numbers, path, hex] {
        assert_eq!(denial("data/a.svg", &text), None, "{text:.40}");
    }
}

/// Letters in the middle of a file in base64 are no token, whatever they begin with.
#[test]
fn a_picture_in_base64_holds_no_token() {
    let body = "k7Qz2Xf9Lm4Vt8Rb3Nw6Yc1Hs5Jd0PgTqWeZuKaGxMpBvCnErSyDhFjUi2Q7z4xV9m8Tb6R";
    let filler = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Q";
    for start in ["EAA", "00"] {
        let found = &body[..if start == "00" { 40 } else { 62 }];
        let amid =
            format!("<image href=\"data:image/png;base64,{filler}/{start}{found}/{filler}\"/>");
        assert_eq!(denial("a.svg", &amid), None, "{start}");
        let lines = format!("{filler}\r\n{start}{found}\r\n{filler}\r\n");
        assert_eq!(denial("a.eml", &lines), None, "{start}");
        let alone = format!("token = \"{start}{found}\"\n");
        assert!(denial("a.py", &alone).is_some(), "{start}");
    }
    assert_eq!(denial("lib/a.rb", "# password: +method+, token: +attr_name+\n"), None);
}

#[test]
fn a_text_that_cannot_be_searched_is_denied_and_masked() {
    let text = format!("{} password=hunter2!x", "sk-proj-".repeat(10_000));
    assert_eq!(denial("src/a.txt", &text), Some("unsearchable"));
    assert!(!redact(&text).contains("hunter2"));
}

/// Prints the files that take the most steps for their length: `PORTOLAN_TEXTS=FOLDER`.
#[test]
#[ignore = "a measurement"]
#[expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "it measures on a real disk"
)]
fn texts() {
    let Some(folder) = std::env::var_os("PORTOLAN_TEXTS") else { return };
    let (mut open, mut found) = (vec![std::path::PathBuf::from(folder)], Vec::new());
    let (mut bytes, clock) = (0, Instant::now());
    while let Some(path) = open.pop() {
        if path.is_dir() && !path.is_symlink() && !path.ends_with(".git") {
            open.extend(
                std::fs::read_dir(path).into_iter().flatten().flatten().map(|it| it.path()),
            );
        } else if let Ok(text) = std::fs::read(&path) {
            let code = inspect(&text).code();
            bytes += text.len();
            let most = steps::limit(text.len());
            found.push((steps::count() * 1000 / most, code, text.len(), path));
        }
    }
    found.sort();
    for (share, code, length, path) in found.iter().rev().take(12) {
        println!("{share:5} thousandths of the limit {code:3} {length:9} {}", path.display());
    }
    let seconds = clock.elapsed().as_secs_f64();
    println!("{} files, {:.0} MiB/s", found.len(), bytes as f64 / seconds / 1_048_576.0);
}

/// Measures the time that this thread worked, where the system tells it: others may be at work, too.
struct Clock {
    worked: Option<u64>,
    started: Instant,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "it asks the system")]
    fn worked() -> Option<u64> {
        let said = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        said.split_ascii_whitespace().next()?.parse().ok()
    }

    #[expect(clippy::disallowed_methods, reason = "it is a measurement")]
    fn start() -> Self {
        Self { worked: Self::worked(), started: Instant::now() }
    }

    #[expect(clippy::cast_precision_loss, reason = "it is a measurement")]
    fn seconds(&self) -> f64 {
        let worked = Self::worked().zip(self.worked).map(|(now, before)| now - before);
        worked.map_or_else(|| self.started.elapsed().as_secs_f64(), |nanos| nanos as f64 / 1e9)
    }
}

/// Prints the speed for each text: `cargo test --release -p portolan-guard speed -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "it is a measurement")]
fn speed() {
    let mut worst = f64::MAX;
    for beginning in beginnings() {
        let text = beginning.repeat((2 << 20) / beginning.len());
        // The best of some runs: the first ones warm up.
        let runs = [(); 5].map(|()| {
            let clock = Clock::start();
            let found = inspect(text.as_bytes());
            (clock.seconds(), found)
        });
        let found = runs[0].1;
        let seconds = runs.iter().map(|run| run.0).fold(f64::MAX, f64::min).max(1e-6);
        let speed = 2.0 / seconds;
        worst = worst.min(speed);
        let steps = steps::count() as f64 / text.len() as f64;
        println!("{speed:8.1} MiB/s {steps:6.1} steps/byte {:3} {:?}", found.code(), beginning);
    }
    println!("worst {worst:.1} MiB/s");
}
