//! The measured programs, each run as a child process.

use std::env;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use crate::ChoreResult;

/// The repository's root.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Builds the binary in a profile and returns its path; `PORTOLAN_BIN` names an existing one.
pub(crate) fn portolan(profile: &str) -> ChoreResult<PathBuf> {
    if let Some(binary) = env::var_os("PORTOLAN_BIN") {
        return Ok(binary.into());
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // A release is built alone; a measured build is the same as that of this program.
    let what: &[&str] = match profile {
        "measured" => &["--workspace", "--bins"],
        _ => &["--package", "portolan-cli"],
    };
    let status = Command::new(cargo)
        .args(["build", "--locked", "--profile", profile])
        .args(what)
        .current_dir(repository())
        .status()?;
    if !status.success() {
        return Err("the build failed".into());
    }
    // This program is in the folder of a profile too.
    let this = env::current_exe()?;
    let target = this.ancestors().nth(2).ok_or("no target folder")?;
    Ok(target.join(profile).join("portolan"))
}

/// The binary of another tool: from the variable, or from an npm install in the repository.
pub(crate) fn peer(variable: &str, package: &str, name: &str) -> Option<PathBuf> {
    let named = env::var_os(variable).map(PathBuf::from);
    let installed = repository().join("node_modules").join(package).join("bin").join(name);
    named.into_iter().chain([installed]).find(|path| path.is_file())
}

/// Whether a command can be started.
pub(crate) fn is_there(name: &str) -> bool {
    let mut command = Command::new(name);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// A command that can be run again and again.
pub(crate) struct Program {
    pub(crate) binary: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) folder: PathBuf,
    /// The file that it reads from stdin.
    pub(crate) input: Option<PathBuf>,
    /// The user's cache folder.
    pub(crate) cache: PathBuf,
}

impl Program {
    pub(crate) fn new(binary: &Path, folder: &Path, arguments: &[&str]) -> Self {
        Self {
            binary: binary.to_path_buf(),
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            folder: folder.to_path_buf(),
            input: None,
            // Not a folder: a question without a workspace is a cold one.
            cache: PathBuf::from("/dev/null/cache"),
        }
    }

    /// The same with a cache folder.
    pub(crate) fn with_cache(self, cache: &Path) -> Self {
        Self { cache: cache.to_path_buf(), ..self }
    }

    fn command(&self, binary: &Path) -> ChoreResult<Command> {
        let mut command = Command::new(binary);
        command.current_dir(&self.folder).env("XDG_CACHE_HOME", &self.cache);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.stdin(match &self.input {
            Some(path) => Stdio::from(File::open(path)?),
            None => Stdio::null(),
        });
        Ok(command)
    }

    /// Milliseconds from start to end, whatever the exit code.
    pub(crate) fn time_any(&self) -> ChoreResult<f64> {
        self.timed().map(|(elapsed, _)| elapsed)
    }

    fn timed(&self) -> ChoreResult<(f64, ExitStatus)> {
        let mut command = self.command(&self.binary)?;
        let start = Instant::now();
        let status = command.args(&self.arguments).status()?;
        Ok((start.elapsed().as_secs_f64() * 1000.0, status))
    }

    /// Milliseconds from start to end.
    pub(crate) fn time(&self) -> ChoreResult<f64> {
        let (elapsed, status) = self.timed()?;
        // Other tools may exit with a code of their own; ours may not.
        if self.binary.ends_with("portolan") && !status.success() {
            return Err(format!("`portolan {}` failed", self.arguments.join(" ")).into());
        }
        Ok(elapsed)
    }

    /// Milliseconds of processor time, if `perf` is installed: other processes are not included.
    pub(crate) fn processor_time(&self) -> Option<f64> {
        let mut command = self.command(Path::new("perf")).ok()?;
        command.args(["stat", "-x", ",", "-e", "task-clock"]);
        command.arg(&self.binary).args(&self.arguments);
        let output = command.stderr(Stdio::piped()).output().ok()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        let line = stderr.lines().rev().find(|line| line.contains("task-clock"))?;
        line.split(',').next()?.parse().ok()
    }

    /// The largest resident size in kilobytes, if GNU time is installed.
    pub(crate) fn peak(&self) -> Option<u64> {
        let mut command = self.command(Path::new("/usr/bin/time")).ok()?;
        command.args(["-f", "%M"]).arg(&self.binary).args(&self.arguments);
        let output = command.stderr(Stdio::piped()).output().ok()?;
        String::from_utf8_lossy(&output.stderr).lines().last()?.trim().parse().ok()
    }

    /// The output on stdout.
    pub(crate) fn output(&self) -> ChoreResult<Vec<u8>> {
        let mut command = self.command(&self.binary)?;
        Ok(command.args(&self.arguments).stdout(Stdio::piped()).output()?.stdout)
    }
}

/// The median.
pub(crate) fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        length if length % 2 == 1 => sorted[length / 2],
        length => f64::midpoint(sorted[length / 2 - 1], sorted[length / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    #[expect(clippy::float_cmp, reason = "small whole numbers are exact")]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&[]), 0.0);
    }
}
