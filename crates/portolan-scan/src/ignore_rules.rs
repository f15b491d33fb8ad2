//! Ignore files: `.gitignore`, `.ignore` and `.portolanignore`, at every level below the root.
//!
//! The user's global ignore file and `.git/info/exclude` are not read: they differ from machine to
//! machine, and the universe must not.

use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use portolan_types::{Notice, NoticeCode, Place, is_bounded_glob};

/// The names of ignore files, weakest first: a rule in a later one beats every rule in an earlier
/// one, at whatever level it stands.
pub(crate) const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".portolanignore"];

/// The rules in force in a folder: its own and, behind them, those of the folders above.
#[derive(Clone, Debug, Default)]
pub(crate) struct IgnoreRules {
    /// One chain for each of [`IGNORE_FILES`].
    chains: [Option<Arc<Link>>; IGNORE_FILES.len()],
}

#[derive(Debug)]
struct Link {
    rules: Gitignore,
    above: Option<Arc<Link>>,
}

impl IgnoreRules {
    /// The rules one level down, where the ignore file called `IGNORE_FILES[which]` has this text.
    /// `folder` is the repo path of the level, empty for the root.
    pub(crate) fn with_file(
        &self,
        which: usize,
        folder: &str,
        bytes: &[u8],
        notices: &mut Vec<Notice>,
    ) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
        let mut complain = |line: usize, message: String| {
            let name = IGNORE_FILES[which];
            let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            let place = Place::at(path, line as u32, 1);
            notices.push(Notice::at(
                NoticeCode::ScanIgnoreFile,
                place,
                format!("this line has no effect: {message}"),
            ));
        };
        let mut lines: Vec<(usize, &str)> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            match check(line) {
                Ok(()) => lines.push((number, line)),
                Err(message) => complain(number, message),
            }
        }
        let mut rules = self.clone();
        let mut add = |compiled: Gitignore| {
            let above = rules.chains[which].take();
            rules.chains[which] = Some(Arc::new(Link { rules: compiled, above }));
        };
        match compile(folder, &lines) {
            Ok(compiled) => add(compiled),
            // Too much for one machine: in pieces, of which the later ones win, it is the same.
            Err(_) => {
                for piece in lines.chunks(PIECE) {
                    match compile(folder, piece) {
                        Ok(compiled) => add(compiled),
                        Err(message) => complain(piece[0].0, message),
                    }
                }
            }
        }
        rules
    }

    /// Whether an entry of this folder is ignored. Its parents are not: nobody asks otherwise.
    pub(crate) fn is_ignored(&self, path: &str, is_dir: bool) -> bool {
        for chain in self.chains.iter().rev() {
            let mut link = chain.as_deref();
            while let Some(level) = link {
                match level.rules.matched(Path::new(path), is_dir) {
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                    Match::None => link = level.above.as_deref(),
                }
            }
        }
        false
    }
}

/// How many lines are compiled at once where all of them are too many.
const PIECE: usize = 500;

/// Whether a line is a rule, a comment or nothing; else what is wrong with it.
fn check(line: &str) -> Result<(), String> {
    if !is_bounded_glob(line) {
        return Err("it is too long or nested too deeply".to_owned());
    }
    let added = GitignoreBuilder::new("").add_line(None, line).map(|_| ());
    added.map_err(|error| error.to_string())
}

fn compile(folder: &str, lines: &[(usize, &str)]) -> Result<Gitignore, String> {
    let mut builder = GitignoreBuilder::new(folder);
    for (_, line) in lines {
        builder.add_line(None, line).map_err(|error| error.to_string())?;
    }
    builder.build().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::IgnoreRules;

    fn root(which: usize, text: &str) -> IgnoreRules {
        IgnoreRules::default().with_file(which, "", text.as_bytes(), &mut Vec::new())
    }

    #[test]
    fn deeper_files_win_over_shallower_ones() {
        let rules = root(0, "*.log\n").with_file(0, "sub", b"!keep.log\n", &mut Vec::new());
        assert!(rules.is_ignored("sub/a.log", false));
        assert!(!rules.is_ignored("sub/keep.log", false));
    }

    #[test]
    fn our_own_file_beats_ignore_beats_gitignore() {
        let rules = root(0, "a\nb\n").with_file(1, "", b"!a\n!b\n", &mut Vec::new());
        let rules = rules.with_file(2, "", b"b\n", &mut Vec::new());
        assert!(!rules.is_ignored("a", false));
        assert!(rules.is_ignored("b", false));
    }

    #[test]
    fn matching_is_case_sensitive_and_anchored_as_in_git() {
        let rules = root(0, "\u{FEFF}Foo.ts\r\n/top\r\ndir/\r\n");
        assert!(rules.is_ignored("Foo.ts", false) && !rules.is_ignored("foo.ts", false));
        assert!(rules.is_ignored("top", false) && !rules.is_ignored("x/top", false));
        assert!(rules.is_ignored("x/dir", true) && !rules.is_ignored("x/dir", false));
    }

    #[test]
    fn a_nested_file_is_anchored_at_its_own_folder() {
        let rules = IgnoreRules::default().with_file(0, "sub/deep", b"/only.ts\n", &mut Vec::new());
        assert!(rules.is_ignored("sub/deep/only.ts", false));
        assert!(!rules.is_ignored("sub/deep/x/only.ts", false));
    }

    #[test]
    fn a_bad_line_is_told_and_the_others_count() {
        let mut notices = Vec::new();
        let rules = IgnoreRules::default().with_file(0, "sub", b"a\n[z-a]\nb\n", &mut notices);
        assert!(rules.is_ignored("sub/a", false) && rules.is_ignored("sub/b", false));
        assert_eq!(notices.len(), 1);
        assert_eq!(notices[0].place.as_ref().unwrap().to_string(), "sub/.gitignore:2:1");
        let bomb = format!("a\n{}{}\nb\n", "{a,".repeat(50_000), "}".repeat(50_000));
        let rules = IgnoreRules::default().with_file(0, "", bomb.as_bytes(), &mut notices);
        assert!(rules.is_ignored("a", false) && rules.is_ignored("b", false));
        assert_eq!(notices.len(), 2);
    }

    #[test]
    fn a_file_that_is_too_much_for_one_machine_counts_all_the_same() {
        let many: String = (0..20_000).map(|n| format!("/dir{n}/**/x*{n}?y*z\n")).collect();
        let mut notices = Vec::new();
        let text = format!("a\n{many}!b\nb\n");
        let rules = IgnoreRules::default().with_file(0, "", text.as_bytes(), &mut notices);
        assert!(rules.is_ignored("a", false) && rules.is_ignored("b", false), "{notices:?}");
        assert!(rules.is_ignored("dir7/deep/x17ayz", false) && notices.is_empty(), "{notices:?}");
    }
}
