//! Tells the binary which commit and target it is built from. Without git it is just the version:
//! the same sources always give the same text.

use std::path::Path;
use std::process::Command;

fn main() {
    let target = std::env::var("TARGET").unwrap_or_default();
    let build = match commit() {
        Some(commit) => format!("{commit}, {target}"),
        None => target,
    };
    println!("cargo::rustc-env=PORTOLAN_BUILD={build}");
    println!("cargo::rerun-if-changed=build.rs");
    // A commit writes here; without the folder there is nothing to watch.
    let log = Path::new("../../.git/logs/HEAD");
    if log.exists() {
        println!("cargo::rerun-if-changed={}", log.display());
    }
}

fn commit() -> Option<String> {
    let arguments = ["rev-parse", "--short=12", "HEAD"];
    let output =
        Command::new("git").args(arguments).output().ok().filter(|out| out.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|commit| !commit.is_empty())
}
