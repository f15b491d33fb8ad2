//! Renders an archive as one Markdown document for pasting: the same members in the same order.

use std::fmt::Write as _;

use portolan_types::{RepoPath, Sha256Digest, code_span, fence_for};

/// A member and its text.
pub(crate) struct Page {
    pub(crate) path: RepoPath,
    pub(crate) sha256: Sha256Digest,
    pub(crate) bytes: Vec<u8>,
}

/// Writes the document: each member below a heading with its path, in a fence that its text cannot
/// close, and the digests at the end.
pub(crate) fn document(archive: &str, pages: &[Page]) -> String {
    let plural = if pages.len() == 1 { "" } else { "s" };
    let mut out = format!("# {} ({} file{plural})\n", code_span(archive), pages.len());
    let mut digests = String::new();
    for Page { path, sha256, bytes } in pages {
        let path = path.as_str();
        let text = String::from_utf8_lossy(bytes);
        let (title, fence) = (code_span(path), fence_for(&text));
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let _ = writeln!(out, "\n## {title}\n\n{fence}{}\n{text}{end}{fence}", word(path));
        let mut odd = String::new();
        if !end.is_empty() {
            odd.push_str(", without a line end at its end");
        }
        if matches!(text, std::borrow::Cow::Owned(_)) {
            odd.push_str(", not all of it UTF-8");
        }
        let (size, digest) = (bytes.len(), sha256.to_hex());
        let _ = writeln!(digests, "- {title}, {size} bytes, sha256 `{digest}`{odd}");
    }
    let _ = write!(out, "\n## Digests\n\n{digests}");
    out
}

/// The language of a fence: the file's extension, if it is a plain one.
fn word(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_plain = ending.len() <= 10 && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_plain { ending } else { "" }
}

#[cfg(test)]
mod tests {
    use portolan_types::RepoPath;
    use portolan_vfs::sha256;

    use super::{Page, document};

    #[test]
    fn no_content_can_leave_its_fence_and_no_path_its_heading() {
        let page = |path, text: &str| {
            let bytes = text.as_bytes().to_vec();
            Page { path: RepoPath::new(path).unwrap(), sha256: sha256(&bytes), bytes }
        };
        let text = document("a.tar", &[page("a.md", "````\nx\n```"), page("b` # c.t s", "y\n")]);
        let (pages, digests) = text.split_once("\n## Digests\n\n").unwrap();
        assert_eq!(
            pages,
            "# `a.tar` (2 files)\n\n## `a.md`\n\n`````md\n````\nx\n```\n`````\n\n## `b' # c.t s`\n\n```\ny\n```\n"
        );
        let first = digests.lines().next().unwrap();
        assert!(first.starts_with("- `a.md`, 10 bytes, sha256 `"), "{first}");
        assert!(first.ends_with("`, without a line end at its end"), "{first}");
    }
}
