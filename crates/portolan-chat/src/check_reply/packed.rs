//! Checks a reply against a pack: it may change only lines that the pack shows, in files that are
//! still those of the pack. There is no archive and no state, so the rules about those do not
//! apply.

use std::collections::{BTreeMap, BTreeSet};

use portolan_archive::{Root, WorkspaceLayout};
use portolan_diagnostics::line_diff::{LineHunk as Hunk, hunks};
use portolan_types::RepoPath;
use portolan_vfs::{System, sha256};
use portolan_wire::context::{CONTEXT_VERSION, WrittenContextV2};

use super::archive_graph::ArchiveGraph;
use super::finding::{Finding, ReplyRule};
use super::{Evidence, ReplyError, ReplyReport, ReplyRequest, review};

/// The content of a pack.
#[derive(Default)]
struct Seen {
    /// The shown lines of each file.
    lines: BTreeMap<String, BTreeSet<u32>>,
    /// The unchanged files.
    files: BTreeMap<String, Vec<u8>>,
    /// The changed files.
    changed: BTreeSet<String>,
}

/// Checks a reply against a pack.
pub fn check_pack(
    system: &dyn System,
    request: &ReplyRequest,
    pack: &[u8],
) -> Result<ReplyReport, ReplyError> {
    let read = serde_json::from_slice::<WrittenContextV2>(pack);
    let pack = read.map_err(|error| ReplyError::Pack(error.to_string()))?;
    if pack.schema_version != CONTEXT_VERSION {
        return Err(ReplyError::Pack(format!("it is of `{}`", pack.schema_version)));
    }
    let root = Root { system, path: &request.config.root };
    let seen = Seen::new(system, request, &pack);
    let attached: BTreeMap<String, &[u8]> =
        seen.files.iter().map(|(path, bytes)| (path.clone(), bytes.as_slice())).collect();
    let workspace = WorkspaceLayout::new(request.config.settings.stan_path.clone());
    let guard = request.config.settings.secrets.guard();
    let archive_graph = ArchiveGraph::open(root, &workspace, &attached, guard);
    let evidence = Evidence {
        workspace: &workspace,
        attached: &attached,
        context: &archive_graph,
        is_thread: false,
    };
    let judged = review::review(&evidence, &request.reply);
    let mut report = judged.report;
    for finding in report.findings.iter_mut().filter(|it| it.rule == ReplyRule::HardGate) {
        let path = report.patches.iter().find(|it| it.line == finding.line).map(|it| &it.path);
        seen.tell(finding, path);
    }
    for file in &judged.outcome.files {
        let (Some(old), Some(new)) = (seen.files.get(file.path.as_str()), &file.bytes) else {
            continue;
        };
        let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
        let blind = hunks(&old, &new).into_iter().find(|it| !seen.shows(&file.path, it));
        report.findings.extend(blind.map(|hunk| Finding {
            line: file.line,
            rule: ReplyRule::HardGate,
            message: format!(
                "line {} of `{}` is changed, and the pack does not show it",
                hunk.before.0, file.path
            ),
            fix: "change only lines that the pack shows, or ask for a pack with this place".into(),
        }));
    }
    report.findings.sort_unstable();
    Ok(report)
}

impl Seen {
    fn new(system: &dyn System, request: &ReplyRequest, pack: &WrittenContextV2) -> Self {
        let mut seen = Self::default();
        for slice in &pack.code.slices {
            let at = usize::try_from(slice.file).unwrap_or(usize::MAX);
            let Some(input) = pack.digests.inputs.get(at) else { continue };
            let lines = seen.lines.entry(input.path.clone()).or_default();
            // In a hand-written pack, a range may be anything.
            let ranges = slice.lines.iter().zip(std::iter::repeat(slice.text.lines().count()));
            for ([first, last], most) in ranges {
                lines.extend((*first..=*last).take(most));
            }
            if seen.files.contains_key(&input.path) || seen.changed.contains(&input.path) {
                continue;
            }
            let path = RepoPath::from_untrusted(&input.path).ok();
            let bytes = path.and_then(|it| system.read_beneath(&request.config.root, &it).ok());
            match bytes.filter(|bytes| sha256(bytes).to_string() == input.sha256) {
                Some(bytes) => drop(seen.files.insert(input.path.clone(), bytes)),
                None => drop(seen.changed.insert(input.path.clone())),
            }
        }
        seen
    }

    /// Whether the pack shows the lines that a hunk removes; for an insertion, a line next to it.
    fn shows(&self, path: &RepoPath, hunk: &Hunk) -> bool {
        let none = BTreeSet::new();
        let lines = self.lines.get(path.as_str()).unwrap_or(&none);
        let (from, to) = hunk.before;
        if from < to {
            return (from..to).all(|line| lines.contains(&line));
        }
        lines.contains(&from) || lines.contains(&from.saturating_sub(1))
    }

    /// Rewords a finding about a file that may not be patched, for packs.
    fn tell(&self, finding: &mut Finding, path: Option<&RepoPath>) {
        let Some(path) = path else { return };
        if self.changed.contains(path.as_str()) {
            finding.rule = ReplyRule::FileChanged;
            finding.message = format!("`{path}` is not as it was when the pack was made");
            "make the pack again, and the reply from it".clone_into(&mut finding.fix);
        } else {
            finding.message = format!("`{path}` is patched, and the pack does not show it");
            "ask for a pack with this file, or leave it alone".clone_into(&mut finding.fix);
        }
    }
}
