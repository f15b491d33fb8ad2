//! Packages made from the binary of this build, installed from their files into an empty folder
//! without a network, and run there. If an installer is missing, its test says so and ends.
#![cfg(unix)]
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use portolan_testkit::reliability::is_installed;
use tempfile::TempDir;

/// The binary is next to this chore if the whole workspace is tested; otherwise it is built.
fn portolan() -> PathBuf {
    let binary = Path::new(env!("CARGO_BIN_EXE_xtask")).with_file_name("portolan");
    if !binary.exists() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let arguments = ["build", "--locked", "--package", "portolan-cli"];
        assert!(Command::new(cargo).args(arguments).status().unwrap().success());
    }
    binary
}

/// Makes the packages of a kind and returns their files, without the checksums.
fn packages(form: &str, folder: &Path) -> Vec<PathBuf> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["package", form, "--level", "0"]);
    command.arg("--binary").arg(portolan()).arg("--out").arg(folder);
    succeeded(command.output().unwrap());
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| !file.ends_with("SHA256SUMS"));
    files.sort();
    files
}

#[track_caller]
fn succeeded(output: Output) -> String {
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

fn names(files: &[PathBuf]) -> Vec<&str> {
    files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect()
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs an installed binary as a new user would, without any toolchain in reach.
#[track_caller]
fn check_installed(binary: &Path, path: &OsStr) {
    let run = |folder: &Path, arguments: &[&str]| {
        let mut command = Command::new(binary);
        command.args(arguments).current_dir(folder).env_clear().env("PATH", path);
        succeeded(command.output().unwrap())
    };
    let folder = tempfile::tempdir().unwrap();
    let version = run(folder.path(), &["--version"]);
    assert!(version.starts_with(&format!("portolan {VERSION} (")), "{version}");
    fs::write(folder.path().join("a.ts"), "import { b } from './b';\nexport const a = b;\n")
        .unwrap();
    fs::write(folder.path().join("b.ts"), "export const b = 1;\n").unwrap();
    let chart = run(folder.path(), &["chart"]);
    assert!(chart.contains("a.ts 14 = a > ./b.ts"), "{chart}");
    fs::write(folder.path().join("log"), "a.ts(2,18): error TS2304: Cannot find name 'c'.\n")
        .unwrap();
    let pack = run(folder.path(), &["pack", "--diag", "log"]);
    assert!(pack.contains("# TS2304 at `a.ts`:"), "{pack}");
}

/// A PATH with only one program of the machine.
fn path_with(program: &str, folder: &TempDir) -> PathBuf {
    let shown = succeeded(
        Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap(),
    );
    let bin = folder.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(shown.trim(), bin.join(program)).unwrap();
    bin
}

#[test]
fn an_archive_is_complete_and_reproducible() {
    let folder = tempfile::tempdir().unwrap();
    let files = packages("tar", folder.path());
    let [archive] = files.as_slice() else { panic!("{files:?}") };
    let bytes = fs::read(archive).unwrap();
    packages("tar", folder.path());
    assert!(bytes == fs::read(archive).unwrap(), "another run gives other bytes");
    if is_installed("sha256sum") {
        let mut check = Command::new("sha256sum");
        succeeded(
            check.args(["--check", "SHA256SUMS"]).current_dir(folder.path()).output().unwrap(),
        );
    }

    let place = tempfile::tempdir().unwrap();
    let mut tar = Command::new("tar");
    succeeded(tar.arg("-xzf").arg(archive).current_dir(place.path()).output().unwrap());
    let stem = names(&files)[0].trim_end_matches(".tar.gz").to_owned();
    assert!(stem.starts_with(&format!("portolan-{VERSION}-")), "{stem}");
    let inside = place.path().join(&stem);
    for file in [
        "completions/_portolan",
        "completions/portolan.bash",
        "completions/portolan.fish",
        "man/man1/portolan.1",
        "man/man1/portolan-chart.1",
        "README.md",
        "CHANGELOG.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "THIRD-PARTY",
        "hooks/pre-commit",
    ] {
        assert!(inside.join(file).metadata().is_ok_and(|file| file.len() > 100), "{file}");
    }
    let others = fs::read_to_string(inside.join("THIRD-PARTY")).unwrap();
    for name in ["oxc_parser ", "tree-sitter-python ", "rmcp ", "mimalloc "] {
        assert!(others.contains(&format!("\n{name}")), "{name} is linked in and not named");
    }
    assert!(!others.contains("\njsonschema "), "what only tests use is not shipped");
    check_installed(&inside.join("portolan"), OsStr::new(""));
}

/// `cargo binstall` makes the address from this; without a release, a test can only check the
/// names.
#[test]
fn cargo_binstall_metadata_names_the_archive_and_the_binary() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/portolan-cli/Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap();
    let (_, section) = manifest.split_once("[package.metadata.binstall]\n").unwrap();
    let stem = "portolan-{ version }-{ target }";
    assert!(
        section.contains(&format!("/v{{ version }}/{stem}{{ archive-suffix }}\"")),
        "{section}"
    );
    assert!(
        section.contains(&format!("bin-dir = \"{stem}/{{ bin }}{{ binary-ext }}\"")),
        "{section}"
    );
}

#[test]
fn npm_installs_the_launcher_and_the_binary_without_a_network() {
    if !is_installed("npm") || !is_installed("node") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let files = packages("npm", folder.path());
    assert_eq!(files.len(), 2, "{files:?}");
    let place = tempfile::tempdir().unwrap();
    let mut npm = Command::new("npm");
    npm.args(["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"]).args(&files);
    npm.env("HOME", folder.path()).env("npm_config_cache", folder.path().join("cache"));
    npm.current_dir(place.path());
    fs::write(place.path().join("package.json"), "{\"private\":true}").unwrap();
    succeeded(npm.output().unwrap());
    let path = path_with("node", &folder);
    check_installed(&place.path().join("node_modules/.bin/portolan"), path.as_os_str());
}

/// Puts a script in the place of a platform's binary.
fn put_fake(modules: &Path, package: &str, script: &str) {
    let folder = modules.join(package).join("bin");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("portolan");
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs the launcher with such packages next to it.
fn launch(packages: &[(&str, &str)], arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let modules = folder.path().join("node_modules");
    let main = modules.join("portolan");
    fs::create_dir_all(main.join("bin")).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/package/npm/launcher.cjs");
    fs::copy(source, main.join("bin/portolan.cjs")).unwrap();
    let platforms = [
        "linux-x64-gnu",
        "linux-x64-musl",
        "linux-arm64-gnu",
        "linux-arm64-musl",
        "darwin-arm64",
        "darwin-x64",
    ];
    let optional =
        platforms.map(|platform| format!("\"@portolan/{platform}\":\"1.0.0\"")).join(",");
    let manifest = format!(
        "{{\"name\":\"portolan\",\"version\":\"1.0.0\",\"optionalDependencies\":{{{optional}}}}}"
    );
    fs::write(main.join("package.json"), manifest).unwrap();
    for (package, script) in packages {
        put_fake(&modules, package, script);
    }
    Command::new("node").arg(main.join("bin/portolan.cjs")).args(arguments).output().unwrap()
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
fn the_launcher_selects_the_c_library_and_forwards_the_exit_code() {
    if !is_installed("node") {
        return;
    }
    let (gnu, musl) = ("@portolan/linux-x64-gnu", "@portolan/linux-x64-musl");
    let printed = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let both = launch(&[(gnu, "echo gnu \"$@\""), (musl, "echo musl")], &["a b", "c"]);
    assert_eq!(printed(&both), "gnu a b c\n");
    // A static binary runs everywhere, so it is the fallback.
    assert_eq!(printed(&launch(&[(musl, "echo musl")], &[])), "musl\n");
    assert_eq!(launch(&[(gnu, "exit 7")], &[]).status.code(), Some(7));
    assert_eq!(launch(&[(gnu, "kill -TERM $$")], &[]).status.code(), Some(128 + 15));
    let none = launch(&[], &[]);
    let said = String::from_utf8_lossy(&none.stderr);
    assert_eq!(none.status.code(), Some(1));
    assert!(
        said.contains("not installed: @portolan/linux-x64-gnu or @portolan/linux-x64-musl"),
        "{said}"
    );
    assert!(said.contains("npm install portolan@1.0.0 --include=optional"), "{said}");
}

#[test]
fn a_wheel_is_installed_by_pip_without_a_network() {
    if !is_installed("pip") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let files = packages("wheel", folder.path());
    let [wheel] = files.as_slice() else { panic!("{files:?}") };
    let place = tempfile::tempdir().unwrap();
    let mut pip = Command::new("pip");
    pip.args([
        "install",
        "--no-index",
        "--no-deps",
        "--no-cache-dir",
        "--disable-pip-version-check",
    ]);
    pip.arg("--prefix").arg(place.path()).arg(wheel).current_dir(place.path());
    // Debian's Python requires this.
    pip.env("PIP_BREAK_SYSTEM_PACKAGES", "1").env("PIP_ROOT_USER_ACTION", "ignore");
    succeeded(pip.output().unwrap());
    check_installed(&find(place.path(), "bin/portolan"), OsStr::new(""));
    let metadata = fs::read_to_string(find(place.path(), "METADATA")).unwrap();
    for line in [
        "Name: portolan-context",
        &format!("Version: {VERSION}"),
        "License-Expression: MIT OR Apache-2.0",
    ] {
        assert!(metadata.lines().any(|found| found == line), "{metadata}");
    }
}

/// The one file whose path ends like this; Python may use `local/`.
#[track_caller]
fn find(folder: &Path, end: &str) -> PathBuf {
    let mut todo = vec![folder.to_path_buf()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.ends_with(end) {
                return path;
            }
        }
    }
    panic!("no {end}")
}

#[test]
fn a_debian_package_is_read_by_dpkg_and_installed_into_an_empty_root() {
    if !is_installed("dpkg-deb") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let files = packages("deb", folder.path());
    let [package] = files.as_slice() else { panic!("{files:?}") };
    let field = |name: &str| {
        let mut dpkg = Command::new("dpkg-deb");
        succeeded(dpkg.arg("--field").arg(package).arg(name).output().unwrap()).trim().to_owned()
    };
    assert_eq!((field("Package"), field("Version")), ("portolan".into(), VERSION.into()));
    let depends = field("Depends");
    assert!(depends.starts_with("libc6 (>= 2.") && depends.contains("libgcc-s1"), "{depends}");

    let root = tempfile::tempdir().unwrap();
    let admin = root.path().join("var/lib/dpkg");
    for inner in ["info", "updates"] {
        fs::create_dir_all(admin.join(inner)).unwrap();
    }
    fs::write(admin.join("status"), "").unwrap();
    let mut dpkg = Command::new("dpkg");
    dpkg.arg("--root").arg(root.path()).args([
        "--force-depends",
        "--force-not-root",
        "--force-bad-path",
        "--install",
    ]);
    succeeded(dpkg.arg(package).output().unwrap());
    for file in [
        "share/man/man1/portolan.1.gz",
        "share/bash-completion/completions/portolan",
        "share/doc/portolan/copyright",
        "share/portolan/hooks/pre-commit",
    ] {
        assert!(root.path().join("usr").join(file).is_file(), "{file}");
    }
    let listed = fs::read_to_string(admin.join("info/portolan.list")).unwrap();
    assert!(listed.lines().any(|line| line == "/usr/bin/portolan"), "{listed}");
    check_installed(&root.path().join("usr/bin/portolan"), OsStr::new(""));
}
