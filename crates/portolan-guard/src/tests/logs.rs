//! Private keys in logs, of which each line has something before it.

use crate::{explain, redact};

/// What stands before each line.
const BEFORE: [&str; 18] = [
    "2026-11-19T10:00:00Z ",
    "2026-11-19T10:00:00.123456Z ",
    "2026-11-19 10:00:00,123 ",
    "2026-11-19T10:00:00Z INFO app: ",
    "[10:00:00] ",
    "10:00:00 ",
    "INFO: ",
    "INFO:root:",
    "app: ",
    "web-1  | ",
    "build\tstep\t2026-11-19T10:00:00Z ",
    "2026-11-19T10:00:00Z 01O ",
    "[ci] ",
    "> ",
    "E   ",
    "Nov 19 10:00:00 host app[12]: ",
    "{\"t\":1,\"m\":\"",
    "#12 3.456 ",
];

/// Lines of base64 that differ, as the body of a key has them.
fn body(lines: usize) -> Vec<String> {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut line = |length: usize| {
        let letter = |_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            char::from(letters[(state >> 20) as usize % 64])
        };
        (0..length).map(letter).collect::<String>()
    };
    (0..lines).map(|number| line(if number + 1 == lines { 20 } else { 64 })).collect()
}

fn log(before: &str, lines: &[String], has_begin: bool) -> String {
    let after = if before.starts_with('{') { "\"}" } else { "" };
    let mark = |word: &str| format!("-----{word} RSA PRIVATE {}-----", "KEY");
    let first = has_begin.then(|| mark("BEGIN"));
    let all = first.into_iter().chain(lines.iter().cloned()).chain([mark("END")]);
    let all: Vec<String> = all.map(|line| format!("{before}{line}{after}\n")).collect();
    format!("{before}starting{after}\n{}{before}ended{after}\n", all.concat())
}

#[test]
fn a_key_in_a_log_is_masked_to_its_end() {
    for before in BEFORE {
        for count in [13, 25, 50, 100] {
            let lines = body(count);
            let text = log(before, &lines, true);
            assert!(!explain(text.as_bytes()).is_empty(), "{before} {count}");
            let masked = redact(&text);
            let shown = lines.iter().filter(|line| masked.contains(line.as_str()));
            assert_eq!(shown.count(), 0, "{before} {count}: {masked}");
            assert!(masked.contains("ended"), "{masked}");
        }
    }
}

#[test]
fn the_rest_of_a_key_in_a_log_is_masked() {
    for before in BEFORE.iter().filter(|before| !before.ends_with(['"', 'm'])) {
        let lines = body(20);
        let text = log(before, &lines[5..], false);
        let masked = redact(&text);
        let shown = lines.iter().filter(|line| masked.contains(line.as_str()));
        assert_eq!(shown.count(), 0, "{before}: {masked}");
        assert!(masked.contains("ended") && masked.contains("starting"), "{masked}");
    }
}

#[test]
fn a_log_goes_on_behind_a_key_that_was_cut_off() {
    for before in BEFORE {
        for mark in ["-----END RSA PRIVATE", "-----BEGIN CERTIFICATE-----", "-- END of it"] {
            let lines = body(80);
            let all = log(before, &lines, true);
            let cut = all.find(lines[70].as_str()).unwrap() - before.len();
            let between = format!("{before}the build went on, line by line\n").repeat(100);
            let text = format!("{}{between}{before}{mark}\n", &all[..cut]);
            let masked = redact(&text);
            let shown = lines.iter().filter(|line| masked.contains(line.as_str()));
            assert_eq!(shown.count(), 0, "{before}: {masked}");
            assert!(masked.contains(&between[before.len()..]), "{before} {mark}: {masked}");
        }
    }
}
