//! The system that a file is for, by its name: `open_windows.go`, `stat_linux_arm64.go`.

/// The systems that the names of files may end in, in the order of their bytes.
const SYSTEMS: [&str; 17] = [
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "linux",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "zos",
];

/// The processors that may follow.
const PROCESSORS: [&str; 14] = [
    "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64",
    "ppc64le", "riscv64", "s390x", "wasm",
];

/// Systems that compile the files of another one too.
const ALSO: [(&str, &str); 3] = [("android", "linux"), ("illumos", "solaris"), ("ios", "darwin")];

/// Whether no build has both files.
pub(super) fn are_apart(one: &str, other: &str) -> bool {
    match (system(one), system(other)) {
        (Some(one), Some(other)) => {
            one != other && !ALSO.contains(&(one, other)) && !ALSO.contains(&(other, one))
        }
        _ => false,
    }
}

/// The last word of a name, or the one before it where that is a processor; the first word is none.
fn system(path: &str) -> Option<&str> {
    let stem = path.rsplit('/').next()?.strip_suffix(".go")?;
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    let (rest, last) = stem.rsplit_once('_')?;
    let word = match rest.rsplit_once('_') {
        Some((_, before)) if PROCESSORS.contains(&last) => before,
        _ => last,
    };
    Some(word).filter(|word| SYSTEMS.binary_search(word).is_ok())
}

#[cfg(test)]
mod tests {
    use super::{SYSTEMS, are_apart, system};

    #[test]
    fn a_system_is_at_the_end_of_a_name() {
        assert!(SYSTEMS.is_sorted());
        for (path, expected) in [
            ("a/open_windows.go", Some("windows")),
            ("a/open_linux_arm64.go", Some("linux")),
            ("a/open_linux_test.go", Some("linux")),
            ("a/linux.go", None),
            ("a_linux/open.go", None),
            ("a/open_unix.go", None),
            ("a/open_linux_options.go", None),
        ] {
            assert_eq!(system(path), expected, "{path}");
        }
    }

    #[test]
    fn files_of_two_systems_never_meet() {
        assert!(are_apart("/a_linux.go", "/b_windows.go"));
        assert!(!are_apart("/a_linux.go", "/b_linux_amd64.go"));
        assert!(!are_apart("/a_linux.go", "/b_android.go"));
        assert!(!are_apart("/a_linux.go", "/b.go"));
    }
}
