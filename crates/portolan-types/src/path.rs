//! Validated paths inside the repository.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use crate::cmp_utf16;

/// A path relative to the repository's root: `/` between segments, no `.`, `..` or empty segment,
/// no control character. Joined to the root, it stays below the root (except through links, which the
/// code that opens the file must check).
///
/// A backslash is an ordinary character on POSIX and is kept. [`RepoPath::from_untrusted`] is
/// stricter, for paths that a model wrote.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RepoPath(Arc<str>);

/// Why a text is not a path inside the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepoPathError {
    /// Empty, or only white space.
    Empty,
    /// It starts with a slash, a drive or a share.
    Absolute,
    /// It has a `..` segment.
    Escapes,
    /// It has a `.` or an empty segment.
    NotNormal,
    /// It has a forbidden character: a control character, or a backslash in an untrusted path.
    BadCharacter,
}

impl fmt::Display for RepoPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the path is empty",
            Self::Absolute => "the path is absolute; paths are relative to the repository's root",
            Self::Escapes => "the path leaves the repository (`..`)",
            Self::NotNormal => "the path has a `.` or an empty segment",
            Self::BadCharacter => {
                "the path has a character that is not allowed (a control character or a backslash)"
            }
        })
    }
}

impl std::error::Error for RepoPathError {}

impl RepoPath {
    /// Takes a path that is already in normal form.
    pub fn new(text: impl Into<Arc<str>>) -> Result<Self, RepoPathError> {
        let text = text.into();
        check(&text)?;
        Ok(Self(text))
    }

    /// Takes a path that a model or a person wrote. Drops a leading `./` and a trailing `/`. Rejects
    /// drive prefixes and backslashes, so a state means the same on every platform.
    pub fn from_untrusted(text: &str) -> Result<Self, RepoPathError> {
        let bytes = text.as_bytes();
        if text.trim().is_empty() {
            return Err(RepoPathError::Empty);
        }
        if matches!(bytes, [drive, b':', ..] if drive.is_ascii_alphabetic())
            || text.starts_with('\\')
        {
            return Err(RepoPathError::Absolute);
        }
        if text.contains('\\') {
            return Err(RepoPathError::BadCharacter);
        }
        let mut rest = text;
        while let Some(tail) = rest.strip_prefix("./") {
            rest = tail;
        }
        Self::new(rest.strip_suffix('/').unwrap_or(rest))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Appends a relative path. Two paths without `..` cannot join to one with `..`.
    #[must_use]
    pub fn join(&self, tail: &Self) -> Self {
        Self(format!("{self}/{tail}").into())
    }

    /// Appends a path that is a constant in the code.
    #[must_use]
    pub fn join_static(&self, tail: &'static str) -> Self {
        debug_assert_eq!(check(tail), Ok(()), "{tail}");
        Self(format!("{self}/{tail}").into())
    }

    /// The last segment.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The parent folder; `None` at the top.
    pub fn parent(&self) -> Option<&str> {
        self.0.rsplit_once('/').map(|(parent, _)| parent)
    }

    /// Whether the path is `prefix` or below it.
    pub fn is_under(&self, prefix: &str) -> bool {
        self.0.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

fn check(text: &str) -> Result<(), RepoPathError> {
    if text.is_empty() {
        return Err(RepoPathError::Empty);
    }
    if text.starts_with('/') {
        return Err(RepoPathError::Absolute);
    }
    // A line break in a name could forge records in line-based formats.
    if text.contains(char::is_control) {
        return Err(RepoPathError::BadCharacter);
    }
    for segment in text.split('/') {
        match segment {
            ".." => return Err(RepoPathError::Escapes),
            "." | "" => return Err(RepoPathError::NotNormal),
            _ => {}
        }
    }
    Ok(())
}

/// Whether untrusted text (part of a package name, a version, part of an import label) can be one
/// segment of a path that we write: not empty, not `.` or `..`, no separator, no control
/// character, no drive or stream colon, and not too long for a file system.
pub fn is_safe_segment(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 255
        && text != "."
        && text != ".."
        && !text.chars().any(|c| c.is_control() || matches!(c, '/' | '\\' | ':'))
}

impl Ord for RepoPath {
    fn cmp(&self, other: &Self) -> Ordering {
        cmp_utf16(&self.0, &other.0)
    }
}

impl PartialOrd for RepoPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::{RepoPath, RepoPathError, is_safe_segment};

    #[test]
    fn a_normal_path_is_kept_as_it_is() {
        for text in ["a", "src/a.ts", "a b/ü", "..a/b..", "weird\\name", "C:x"] {
            assert_eq!(RepoPath::new(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn paths_that_could_leave_the_root_are_rejected() {
        use RepoPathError::{Absolute, BadCharacter, Empty, Escapes, NotNormal};
        let cases = [
            ("", Empty),
            ("/etc/passwd", Absolute),
            ("..", Escapes),
            ("../../etc/passwd", Escapes),
            ("a/../b", Escapes),
            ("a//b", NotNormal),
            ("./a", NotNormal),
            ("a/", NotNormal),
            ("a\0b", BadCharacter),
            ("a\nb", BadCharacter),
            ("a\u{1b}[0mb", BadCharacter),
            ("a\u{85}b", BadCharacter),
        ];
        for (text, error) in cases {
            assert_eq!(RepoPath::new(text), Err(error), "{text:?}");
        }
    }

    #[test]
    fn an_untrusted_path_is_cleaned_or_rejected() {
        assert_eq!(RepoPath::from_untrusted("./src/a.ts").unwrap().as_str(), "src/a.ts");
        assert_eq!(RepoPath::from_untrusted("src/").unwrap().as_str(), "src");
        assert_eq!(RepoPath::from_untrusted("C:\\x"), Err(RepoPathError::Absolute));
        assert_eq!(RepoPath::from_untrusted("c:/x"), Err(RepoPathError::Absolute));
        assert_eq!(RepoPath::from_untrusted("\\\\server\\x"), Err(RepoPathError::Absolute));
        assert_eq!(RepoPath::from_untrusted("src\\a.ts"), Err(RepoPathError::BadCharacter));
        assert_eq!(RepoPath::from_untrusted(" "), Err(RepoPathError::Empty));
        assert_eq!(RepoPath::from_untrusted("./../x"), Err(RepoPathError::Escapes));
    }

    #[test]
    fn under_means_equal_or_below_by_whole_segments() {
        let path = RepoPath::new("src/a/b.ts").unwrap();
        assert!(path.is_under("src") && path.is_under("src/a") && path.is_under("src/a/b.ts"));
        assert!(!path.is_under("sr") && !path.is_under("src/a/b") && !path.is_under("lib"));
    }

    #[test]
    fn an_untrusted_segment_cannot_be_a_path() {
        assert!(
            is_safe_segment("zod") && is_safe_segment("@scope") && is_safe_segment("4.3.5-rc+1")
        );
        for bad in ["", ".", "..", "a/b", "a\\b", "a\nb", "a\0", "C:", &"x".repeat(256)] {
            assert!(!is_safe_segment(bad), "{bad:?}");
        }
    }
}
