//! The fingerprint that caches are keyed by: any change of a source changes it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use portolan_fingerprint::fingerprint;

fn put(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn any_change_of_a_source_is_another_fingerprint() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [one, two] = [0, 1].map(|at| folders[at].path());
    for folder in [one, two] {
        put(folder, "a.rs", "fn a() {}");
        put(folder, "b/c.rs", "");
    }
    let first = fingerprint(&[one]);
    assert_eq!(first, fingerprint(&[two]), "wherever it is");
    put(two, "b/c.rs", " ");
    assert_ne!(first, fingerprint(&[two]), "a changed text");
    put(two, "b/c.rs", "");
    put(two, "d.rs", "");
    assert_ne!(first, fingerprint(&[two]), "a file more");
    std::fs::remove_file(two.join("d.rs")).unwrap();
    std::fs::rename(two.join("a.rs"), two.join("e.rs")).unwrap();
    assert_ne!(first, fingerprint(&[two]), "another name");
    assert_ne!(fingerprint(&[one, one]), first, "a folder more");
    assert_eq!(fingerprint(&[&one.join("none")]).len(), 16, "a missing file counts as empty");
}
