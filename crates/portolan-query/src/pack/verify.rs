//! Checking a pack of real languages: its files as they are today, and what they give.
//!
//! A pack says of itself what its files are, so right digests prove nothing about the rest: diagnostics, lines
//! and reasons could be anybody's. It is made again, and every part is compared.

use std::path::PathBuf;

use crate::pack::context::is_clipped;
use portolan_types::RepoPath;
use portolan_vfs::{System, sha256};
use portolan_wire::context::{AskedV2, WrittenContextV2, WrittenDigest};
use portolan_x07::pack::PackDifference as Change;
use serde_json::Value;

use super::{
    Base, FocusRule, PackForm, PackReport, PackRequest, UndertakingRequest, build_context,
    build_undertaking,
};
use crate::agent::AgentVerifyReport;
use crate::diagnostics::DiagnosticsRequest;
use portolan_index::map::CacheMode;
use portolan_workspace::config::Loaded;

/// A pack to be checked.
pub(crate) struct Check<'a> {
    /// The repository that it is said to be of.
    pub(crate) config: Loaded,
    /// The folder that the tools are thought to have run in.
    pub(crate) directory: PathBuf,
    /// Where the pack itself is: it is no part of what it was made of.
    pub(crate) place: Option<PathBuf>,
    pub(crate) pack: &'a WrittenContextV2,
    /// All of it, as it is written.
    pub(crate) written: &'a Value,
    /// The output, where it is not where the pack says.
    pub(crate) diag: Option<Vec<u8>>,
}

/// Checks the digests of a pack's files, and that they give this pack.
pub(crate) fn verify(system: &dyn System, check: Check<'_>) -> AgentVerifyReport {
    let mut report = AgentVerifyReport::default();
    if let Some(asked) = &check.pack.asked {
        report = verify_files(system, &check);
        match undertaking_of(&check, asked) {
            Some(request) if report.changes.is_empty() => {
                let again = build_undertaking(system, &request).map_err(|error| error.to_string());
                compare(check.written, again, &mut report);
            }
            Some(_) => {}
            None => {
                let how =
                    "is cut short in the pack, so it cannot be made again; its lines were checked";
                report.unverifiable.push(Change::new("asked", how));
            }
        }
        return report;
    }
    let mut output = None;
    for (at, input) in check.pack.digests.inputs.iter().enumerate() {
        let given = check.diag.as_ref().filter(|_| at == 0).cloned();
        let bytes = given.or_else(|| read(system, &check, &input.path));
        match bytes {
            None if at == 0 => {
                let how =
                    "is not in the repository; it can be checked only where it is given again";
                report.unverifiable.push(Change::new(input.path.clone(), how));
            }
            None => report.changes.push(Change::new(input.path.clone(), GONE)),
            Some(bytes) => {
                report.checked.push(input.path.clone());
                report.changes.extend(difference(input, &bytes));
                output = output.or_else(|| (at == 0).then_some(bytes));
            }
        }
    }
    match output {
        Some(output) if report.changes.is_empty() => {
            let written = check.written;
            let again = request_of(check, output).and_then(|request| {
                build_context(system, &request).map_err(|error| error.to_string())
            });
            compare(written, again, &mut report);
        }
        None if report.unverifiable.is_empty() => {
            report.changes.push(Change::new("digests", "has no files"));
        }
        _ => {}
    }
    report
}

/// Checks the files of a pack of a task, a place or a change, and its lines against them.
fn verify_files(system: &dyn System, check: &Check<'_>) -> AgentVerifyReport {
    let mut report = AgentVerifyReport::default();
    for (at, input) in check.pack.digests.inputs.iter().enumerate() {
        let Some(bytes) = read(system, check, &input.path) else {
            report.changes.push(Change::new(input.path.clone(), GONE));
            continue;
        };
        report.checked.push(input.path.clone());
        let change = difference(input, &bytes);
        let is_same = change.is_none();
        report.changes.extend(change);
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        let own = check.pack.code.slices.iter().filter(|slice| slice.file == at as u64);
        let is_other = own.into_iter().any(|slice| {
            let numbers = slice.lines.iter().flat_map(|[first, last]| *first..=*last);
            let is_line = |(number, shown): (u32, &str)| {
                let line = lines.get((number as usize).saturating_sub(1));
                line.is_some_and(|line| *line == shown || shown.contains("… ("))
            };
            !numbers.zip(slice.text.lines()).all(is_line)
                || sha256(slice.text.as_bytes()).to_string() != slice.sha256
        });
        if is_same && is_other {
            let how = "has other lines than the pack shows";
            report.changes.push(Change::new(input.path.clone(), how));
        }
    }
    report
}

/// What is said of a file that cannot be read, or may not: a size or a digest would give a short secret away.
const GONE: &str = "is not there, or may hold secrets";

/// A file of the repository, where it may be shown.
fn read(system: &dyn System, check: &Check<'_>, path: &str) -> Option<Vec<u8>> {
    let path = RepoPath::from_untrusted(path).ok()?;
    let bytes = system.read_beneath(&check.config.root, &path).ok()?;
    let guard = check.config.settings.secrets.guard();
    guard.judge(&path, &bytes).is_none().then_some(bytes)
}

fn difference(input: &WrittenDigest, bytes: &[u8]) -> Option<Change> {
    let digest = sha256(bytes).to_string();
    let is_same = digest == input.sha256 && bytes.len() as u64 == input.bytes_len;
    let how = || {
        format!(
            "was {} bytes with sha256 {}, is {} bytes with sha256 {digest}",
            input.bytes_len,
            input.sha256,
            bytes.len()
        )
    };
    (!is_same).then(|| Change::new(input.path.clone(), how()))
}

/// Tells which parts of a pack are others than in the one that was made again.
fn compare(written: &Value, again: Result<PackReport, String>, report: &mut AgentVerifyReport) {
    let today = again.and_then(|again| {
        serde_json::from_str::<Value>(&again.context.text).map_err(|error| error.to_string())
    });
    let today = match today {
        Ok(today) => today,
        Err(error) => return report.changes.push(Change::new("pack", error)),
    };
    let parts = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let (then, now) = (parts(written), parts(&today));
    let mut names: Vec<&String> = then.keys().chain(now.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let others = names.into_iter().filter(|name| then.get(*name) != now.get(*name));
    let told = others.map(|name| Change::new(name.clone(), "is not what its files give today"));
    report.changes.extend(told);
}

/// What was asked, as far as the pack says.
fn request_of(check: Check<'_>, output: Vec<u8>) -> Result<PackRequest, String> {
    let config = without_itself(&check);
    let Check { directory, pack, .. } = check;
    let focus = match &pack.focus {
        None => FocusRule::Ranked,
        Some(focus) => match (focus.rule.as_str(), &focus.loc) {
            ("ranked", _) => FocusRule::Ranked,
            ("first", _) => FocusRule::First,
            ("number", _) => FocusRule::Index(focus.diag_index as usize),
            ("place", Some(loc)) => FocusRule::At(loc.file.clone(), loc.line.unwrap_or(1)),
            (rule, _) => return Err(format!("its focus was chosen by `{rule}`, which is unknown")),
        },
    };
    let diag = pack.digests.inputs.first().map(|input| input.path.clone()).unwrap_or_default();
    let shown = diag.clone();
    let output = DiagnosticsRequest { config, directory, shown, output, format: None };
    Ok(PackRequest {
        output,
        diag,
        focus,
        base: match &pack.base {
            Some(base) => Base::Revision(base.revision.clone()),
            None => Base::Off,
        },
        budget: pack.code.meta.budget,
        form: PackForm::Json,
        threads: 0,
        // What is checked is not taken from a cache that the same hands could have written.
        cache: CacheMode::Off,
    })
}

/// The request behind a pack of a task, places or a change; `None` if the pack does not contain all of it.
fn undertaking_of(check: &Check<'_>, asked: &AskedV2) -> Option<UndertakingRequest> {
    let is_cut = asked.task.as_ref().is_some_and(|task| is_clipped(task));
    (!is_cut).then(|| UndertakingRequest {
        config: without_itself(check),
        task: asked.task.clone(),
        at: asked.at.clone(),
        changed: asked.changed.clone(),
        tests: asked.tests,
        budget: check.pack.code.meta.budget,
        form: PackForm::Json,
        threads: 0,
        // As above.
        cache: CacheMode::Off,
    })
}

/// The settings, with the pack itself left out of the repository.
fn without_itself(check: &Check<'_>) -> Loaded {
    let mut config = check.config.clone();
    let own = check.place.as_deref().and_then(|place| place.strip_prefix(&config.root).ok());
    let own = own.map(|own| literal(&own.to_string_lossy()));
    config.settings.excludes.extend(own);
    config
}

/// A path as a pattern that matches it alone.
fn literal(path: &str) -> String {
    let escaped = |c: char| if "*?[]{}!\\".contains(c) { format!("[{c}]") } else { c.to_string() };
    path.chars().map(escaped).collect()
}
