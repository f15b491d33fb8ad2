//! Tells the binary which commit and target it is built from. Without git it is just the version:
//! the same sources always give the same text. And has the linker keep code once that many types share.

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
    fold_code();
}

/// In optimised builds for Linux, functions with the same code become one: a twentieth of the binary. The linker that comes
/// with the compiler knows how; where another one was chosen, or there is none, it is left.
fn fold_code() {
    let said = |name: &str| std::env::var(name).unwrap_or_default();
    let (target, flags) = (said("TARGET"), said("CARGO_ENCODED_RUSTFLAGS"));
    let is_usual = target == "x86_64-unknown-linux-gnu"
        && said("PROFILE") == "release"
        && said("RUSTC_LINKER").is_empty()
        && !["linker", "fuse-ld", "link-self-contained"].iter().any(|it| flags.contains(it));
    let own = |sysroot: String| {
        let folder = Path::new(sysroot.trim()).join("lib/rustlib").join(&target);
        folder.join("bin/gcc-ld/ld.lld").exists()
    };
    if is_usual && sysroot().is_some_and(own) {
        println!("cargo::rustc-link-arg-bin=portolan=-Wl,--icf=all");
    }
}

fn sysroot() -> Option<String> {
    let compiler = std::env::var_os("RUSTC")?;
    let output = Command::new(compiler).args(["--print", "sysroot"]).output().ok()?;
    String::from_utf8(output.stdout).ok()
}

fn commit() -> Option<String> {
    let arguments = ["rev-parse", "--short=12", "HEAD"];
    let output =
        Command::new("git").args(arguments).output().ok().filter(|out| out.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|commit| !commit.is_empty())
}
