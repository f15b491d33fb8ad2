//! Runs the same targets under libFuzzer: `fuzz/` builds one program with all of them.
//!
//! The flags that `cargo fuzz` gives to the compiler are unstable; `RUSTC_BOOTSTRAP` lets the stable one take them.

use std::fs;
use std::process::Command;

use super::targets::FuzzTarget;
use super::words::WORDS;
use super::{FuzzArgs, MAX_INPUT, TIMEOUT, corpus};
use crate::{ChoreResult, programs};

/// Runs a target for the requested time.
pub(super) fn run(target: &FuzzTarget, args: &FuzzArgs) -> ChoreResult<()> {
    let learnt = std::env::temp_dir().join("portolan-fuzz").join(target.name);
    fs::create_dir_all(&learnt)?;
    let words = learnt.with_extension("dict");
    fs::write(&words, dictionary())?;
    let status = Command::new("cargo")
        .args(["fuzz", "run", "--sanitizer", "none", "reader"])
        .args([&learnt, &corpus(target)])
        .arg("--")
        .arg(format!("-dict={}", words.display()))
        .arg(format!("-max_total_time={}", args.seconds))
        .arg(format!("-max_len={MAX_INPUT}"))
        .arg(format!("-timeout={}", TIMEOUT.as_secs()))
        .arg(format!("-seed={}", args.seed))
        .args(["-print_final_stats=1", "-rss_limit_mb=2048"])
        .env("RUSTC_BOOTSTRAP", "1")
        .env("PORTOLAN_TARGET", target.name)
        .current_dir(programs::repository())
        .status()?;
    if !status.success() {
        return Err(
            format!("{}: see above; the input is below `fuzz/artifacts`", target.name).into()
        );
    }
    Ok(())
}

/// The words that readers know, in libFuzzer's dictionary format.
fn dictionary() -> String {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    let quoted =
        WORDS.iter().map(|word| format!("\"{}\"\n", word.bytes().map(escaped).collect::<String>()));
    quoted.collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_are_quoted() {
        let words = super::dictionary();
        assert!(words.lines().all(|line| line.len() > 2 && line.starts_with('"')), "{words}");
        assert!(words.contains("\"\\x0d\\x0a\""), "{words}");
        assert!(words.contains(r#""\"""#) && words.contains(r#""\\""#), "{words}");
    }
}
