//! The fingerprint that the cache is known by: any change of what makes facts changes it.

#[path = "../../build/fingerprint.rs"]
mod made;

use std::path::Path;

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
    let first = made::of(&[one]);
    assert_eq!(first, made::of(&[two]), "wherever it is");
    put(two, "b/c.rs", " ");
    let changed = made::of(&[two]);
    assert_ne!(first, changed);
    put(two, "b/c.rs", "");
    put(two, "d.rs", "");
    assert_ne!(first, made::of(&[two]), "a file more");
    std::fs::remove_file(two.join("d.rs")).unwrap();
    std::fs::rename(two.join("a.rs"), two.join("e.rs")).unwrap();
    assert_ne!(first, made::of(&[two]), "another name");
    assert_ne!(made::of(&[one, one]), first);
    let what =
        "changes of the sources that make facts: a text, a file more, another name, a room more";
    portolan_testkit::reliability::row(
        "ground",
        what,
        4,
        "another fingerprint: no cache of before is used",
    );
    assert_eq!(made::of(&[&one.join("none")]).len(), 16);
}
