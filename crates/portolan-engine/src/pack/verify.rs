//! Checking a pack of real languages: its files as they are today.

use std::path::Path;

use portolan_pack::Change;
use portolan_types::RepoPath;
use portolan_vfs::{System, sha256};
use portolan_wire::context::WrittenContextV2;

use crate::agent::AgentVerifyReport;

/// Checks the digests of a pack's files, and its lines against them.
pub(crate) fn verify(
    system: &dyn System,
    root: &Path,
    pack: &WrittenContextV2,
    diag: Option<&[u8]>,
) -> AgentVerifyReport {
    let mut report = AgentVerifyReport::default();
    // Of a failure the first input is what was printed; a task and a change have none.
    let printed = pack.asked.is_none().then_some(0);
    for (at, input) in pack.digests.inputs.iter().enumerate() {
        let bytes = match (at, diag) {
            (at, Some(bytes)) if Some(at) == printed => Some(bytes.to_vec()),
            _ => RepoPath::from_untrusted(&input.path)
                .ok()
                .and_then(|path| system.read_beneath(root, &path).ok()),
        };
        let Some(bytes) = bytes else {
            let change = Change::new(input.path.clone(), "is not there");
            if Some(at) == printed {
                let how =
                    "is not in the repository; it can be checked only where it is given again";
                report.unverifiable.push(Change::new(input.path.clone(), how));
            } else {
                report.changes.push(change);
            }
            continue;
        };
        report.checked.push(input.path.clone());
        let digest = sha256(&bytes).to_string();
        if digest != input.sha256 || bytes.len() as u64 != input.bytes_len {
            let how = format!(
                "was {} bytes with sha256 {}, is {} bytes with sha256 {digest}",
                input.bytes_len,
                input.sha256,
                bytes.len()
            );
            report.changes.push(Change::new(input.path.clone(), how));
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        for slice in pack.code.slices.iter().filter(|slice| slice.file == at as u64) {
            let numbers =
                slice.lines.iter().flat_map(|[first, last]| *first..=(*last).min(*first + 100_000));
            let is_same = numbers.zip(slice.text.lines()).all(|(number, shown)| {
                let line = lines.get(number as usize - usize::from(number > 0));
                line.is_some_and(|line| *line == shown || shown.contains("… ("))
            });
            if !is_same || sha256(slice.text.as_bytes()).to_string() != slice.sha256 {
                report
                    .changes
                    .push(Change::new(input.path.clone(), "has other lines than the pack shows"));
                break;
            }
        }
    }
    report
}
