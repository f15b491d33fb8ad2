//! The rules of `.gitignore` and `.portolanignore` files at every level.

mod lines;

use std::sync::Arc;

use portolan_types::{Notice, NoticeCode, Place};

use self::lines::IgnoreFileRules;

/// The name of git's ignore files.
pub(crate) const GIT_IGNORE: &str = ".gitignore";
/// The name of our own ignore files. Their rules override all rules of git at any level, and the index too.
pub(crate) const OWN_IGNORE: &str = ".portolanignore";

/// The rules that apply in a folder: its own and those of its parents.
#[derive(Clone, Debug, Default)]
pub(crate) struct IgnoreRules {
    git: Option<Arc<RuleChain>>,
    own: Option<Arc<RuleChain>>,
}

#[derive(Debug)]
struct RuleChain {
    /// The folder that the patterns are relative to.
    folder: String,
    rules: IgnoreFileRules,
    above: Option<Arc<RuleChain>>,
}

/// An ignore file.
pub(crate) struct IgnoreFile<'a> {
    /// Its path, for messages.
    pub(crate) shown: &'a str,
    /// The folder that its patterns are relative to; all paths to match are below it.
    pub(crate) folder: &'a str,
    /// Whether its patterns ignore case.
    pub(crate) ignore_case: bool,
    pub(crate) bytes: &'a [u8],
}

impl IgnoreRules {
    /// Adds a git ignore file.
    pub(crate) fn with_git(self, file: &IgnoreFile<'_>, notices: &mut Vec<Notice>) -> Self {
        Self { git: Some(add(self.git, file, notices)), own: self.own }
    }

    /// Adds a `.portolanignore` file.
    pub(crate) fn with_own(self, file: &IgnoreFile<'_>, notices: &mut Vec<Notice>) -> Self {
        Self { git: self.git, own: Some(add(self.own, file, notices)) }
    }

    /// The rules inside a nested repository, where the outer git rules end.
    pub(crate) fn without_git(&self) -> Self {
        Self { git: None, own: self.own.clone() }
    }

    /// Whether git ignores an entry of this folder. The caller has checked that its parents are not ignored.
    pub(crate) fn is_ignored(&self, path: &str, is_dir: bool) -> bool {
        decide(self.git.as_deref(), path, is_dir).unwrap_or(false)
    }

    /// Whether our own files ignore an entry; `None` if no rule matches.
    pub(crate) fn own(&self, path: &str, is_dir: bool) -> Option<bool> {
        decide(self.own.as_deref(), path, is_dir)
    }
}

fn decide(mut link: Option<&RuleChain>, path: &str, is_dir: bool) -> Option<bool> {
    while let Some(level) = link {
        let below = match &*level.folder {
            "" => Some(path),
            folder => path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')),
        };
        if let Some(is_ignored) = below.and_then(|below| level.rules.decide(below, is_dir)) {
            return Some(is_ignored);
        }
        link = level.above.as_deref();
    }
    None
}

fn add(
    chain: Option<Arc<RuleChain>>,
    file: &IgnoreFile<'_>,
    notices: &mut Vec<Notice>,
) -> Arc<RuleChain> {
    let rules = IgnoreFileRules::new(file.bytes, file.ignore_case, &mut |line, why| {
        let place = Place::at(file.shown, line, 1);
        let message = format!("this line has no effect: {why}");
        notices.push(Notice::at(NoticeCode::ScanIgnoreFile, place, message));
    });
    Arc::new(RuleChain { folder: file.folder.to_owned(), rules, above: chain })
}

#[cfg(test)]
mod tests {
    use portolan_types::Notice;

    use super::{IgnoreFile, IgnoreRules};

    fn file<'a>(folder: &'a str, text: &'a str) -> IgnoreFile<'a> {
        let bytes = text.as_bytes();
        IgnoreFile { shown: "sub/.gitignore", folder, ignore_case: false, bytes }
    }

    fn git(rules: IgnoreRules, folder: &str, text: &str) -> IgnoreRules {
        rules.with_git(&file(folder, text), &mut Vec::new())
    }

    fn root(text: &str) -> IgnoreRules {
        git(IgnoreRules::default(), "", text)
    }

    fn rules_and_notices(folder: &str, text: &str) -> (IgnoreRules, Vec<Notice>) {
        let mut notices = Vec::new();
        let rules = IgnoreRules::default().with_git(&file(folder, text), &mut notices);
        (rules, notices)
    }

    #[test]
    fn deeper_files_win_over_shallower_ones() {
        let rules = git(root("*.log\n"), "sub", "!keep.log\n");
        assert!(rules.is_ignored("sub/a.log", false));
        assert!(!rules.is_ignored("sub/keep.log", false));
    }

    #[test]
    fn our_own_file_overrides_git() {
        let rules = root("a\n").with_own(&file("", "!a\nb\n"), &mut Vec::new());
        assert!(rules.is_ignored("a", false) && rules.own("a", false) == Some(false));
        assert!(!rules.is_ignored("b", false) && rules.own("b", false) == Some(true));
        assert_eq!(rules.own("c", false), None);
        let elsewhere = rules.without_git();
        assert!(!elsewhere.is_ignored("a", false) && elsewhere.own("b", false) == Some(true));
    }

    #[test]
    fn matching_is_anchored_and_case_sensitive_as_in_git() {
        let rules = root("\u{FEFF}Foo.ts\r\n/top\r\ndir/\r\n");
        assert!(rules.is_ignored("Foo.ts", false) && !rules.is_ignored("foo.ts", false));
        assert!(rules.is_ignored("top", false) && !rules.is_ignored("x/top", false));
        assert!(rules.is_ignored("x/dir", true) && !rules.is_ignored("x/dir", false));
        let either = IgnoreFile { ignore_case: true, ..file("", "Foo.ts\n") };
        let rules = IgnoreRules::default().with_git(&either, &mut Vec::new());
        assert!(rules.is_ignored("fOO.ts", false));
    }

    #[test]
    fn a_nested_file_is_anchored_at_its_own_folder() {
        let rules = git(IgnoreRules::default(), "sub/deep", "/only.ts\n");
        assert!(rules.is_ignored("sub/deep/only.ts", false));
        assert!(!rules.is_ignored("sub/deep/x/only.ts", false));
    }

    #[test]
    fn a_bad_line_gives_a_notice_and_the_others_apply() {
        let (rules, notices) = rules_and_notices("sub", "a\n[a-z\nb\n");
        assert!(rules.is_ignored("sub/a", false) && rules.is_ignored("sub/b", false));
        assert_eq!(notices.len(), 1);
        assert_eq!(notices[0].place.as_ref().unwrap().to_string(), "sub/.gitignore:2:1");
        let bomb = format!("a\n{}{}\nb\n", "{a,".repeat(50_000), "}".repeat(50_000));
        let (rules, notices) = rules_and_notices("", &bomb);
        assert!(rules.is_ignored("a", false) && rules.is_ignored("b", false));
        assert_eq!(notices.len(), 1);
    }

    #[test]
    fn a_very_large_file_still_applies() {
        let many: String = (0..20_000).map(|n| format!("/dir{n}/**/x*{n}?y*z\n")).collect();
        let (rules, notices) = rules_and_notices("", &format!("a\n{many}!b\nb\n"));
        assert!(rules.is_ignored("a", false) && rules.is_ignored("b", false), "{notices:?}");
        assert!(rules.is_ignored("dir7/deep/x17ayz", false) && notices.is_empty(), "{notices:?}");
    }
}
