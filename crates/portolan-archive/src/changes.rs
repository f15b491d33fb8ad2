//! Compares an archive with a baseline.

use std::collections::BTreeMap;

use portolan_types::RepoPath;
use portolan_wire::diff_report::{DiffReportV1, FileChange};
use portolan_wire::snapshot::Fingerprint;

type Fingerprints = BTreeMap<RepoPath, Fingerprint>;

/// Compares the files of an archive with those of the baseline. `is_on_disk` distinguishes deselected files
/// from deleted ones.
pub fn compare(
    baseline: Option<&Fingerprints>,
    now: &Fingerprints,
    is_on_disk: impl Fn(&RepoPath) -> bool,
) -> DiffReportV1 {
    let mut report = DiffReportV1 { v: 1, baseline: baseline.is_some(), ..DiffReportV1::default() };
    let none = Fingerprints::new();
    let before = baseline.unwrap_or(&none);
    for (path, fingerprint) in now {
        let change = |before| FileChange { path: path.clone(), fingerprint: *fingerprint, before };
        match before.get(path) {
            None => report.added.push(change(None)),
            Some(old) if old.sha256 != fingerprint.sha256 => {
                report.changed.push(change(Some(*old)));
            }
            Some(_) => {}
        }
    }
    for (path, fingerprint) in before.iter().filter(|(path, _)| !now.contains_key(path)) {
        let change = FileChange { path: path.clone(), fingerprint: *fingerprint, before: None };
        if is_on_disk(path) { report.deselected.push(change) } else { report.deleted.push(change) }
    }
    report
}

#[cfg(test)]
mod tests {
    use portolan_types::RepoPath;
    use portolan_vfs::sha256;
    use portolan_wire::diff_report::FileChange;
    use portolan_wire::snapshot::Fingerprint;

    use super::{Fingerprints, compare};

    fn files(files: &[(&str, &str)]) -> Fingerprints {
        let fingerprint = |text: &str| Fingerprint {
            size: Some(text.len() as u64),
            sha256: sha256(text.as_bytes()),
        };
        files
            .iter()
            .map(|(path, text)| (RepoPath::new(*path).unwrap(), fingerprint(text)))
            .collect()
    }

    fn names(changes: &[FileChange]) -> Vec<&str> {
        changes.iter().map(|change| change.path.as_str()).collect()
    }

    #[test]
    fn each_file_is_in_the_list_for_its_change() {
        let before = files(&[("same", "1"), ("edited", "1"), ("gone", "1"), ("dropped", "1")]);
        let now = files(&[("same", "1"), ("edited", "22"), ("new", "1")]);
        let report = compare(Some(&before), &now, |path| path.as_str() == "dropped");
        assert_eq!(names(&report.added), ["new"]);
        assert_eq!(names(&report.changed), ["edited"]);
        assert_eq!(
            (report.changed[0].fingerprint.size, report.changed[0].before.unwrap().size),
            (Some(2), Some(1))
        );
        assert_eq!(names(&report.deleted), ["gone"]);
        assert_eq!(names(&report.deselected), ["dropped"]);
    }

    #[test]
    fn without_a_baseline_everything_is_new() {
        let report = compare(None, &files(&[("b", ""), ("a", "")]), |_| true);
        assert!(!report.baseline);
        assert_eq!(names(&report.added), ["a", "b"]);
    }
}
