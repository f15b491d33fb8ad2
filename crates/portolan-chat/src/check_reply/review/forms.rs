//! Detects changes in unsupported formats, and distinguishes them from quotations by the content of
//! the files.

use std::collections::BTreeMap;

use crate::reply::{Claim, ClaimSort, CompareBudget as Patience};
use portolan_types::RepoPath;

use super::{ReplyRule, ReplyVerdict, Review};

const FIX: &str = "write a unified or git diff, `*** Begin Patch`, `SEARCH`/`REPLACE`, lines below \
                   `### File Ops`, or the whole file below `### Patch: path`";

impl Review<'_, '_> {
    /// Reports changes that would otherwise be silently treated as prose.
    pub(super) fn forms(&mut self) {
        let reply = self.reply;
        let patience = Patience::default();
        // A line that mentions many files is reported once.
        let mut told: BTreeMap<usize, (&str, RepoPath)> = BTreeMap::new();
        for claim in &reply.claims {
            let Ok(path) = RepoPath::from_untrusted(&claim.path) else { continue };
            if !told.contains_key(&claim.line) && self.is_change(claim, &path, &patience) {
                told.insert(claim.line, (claim.message, path));
            }
        }
        for (line, (message, path)) in told {
            self.find(line, ReplyRule::PatchUnread, format!("{message} (`{path}`)"), FIX);
        }
    }

    fn is_change(&mut self, claim: &Claim<'_>, path: &RepoPath, patience: &Patience) -> bool {
        // Only people may write settings with secrets.
        if self.evidence.context.secret(path, None).is_some() && !self.evidence.has(path.as_str()) {
            return false;
        }
        match claim.sort {
            ClaimSort::Write => true,
            ClaimSort::Touch => self.is_there(path) || self.is_folder(path),
            ClaimSort::KnownText if !self.is_there(path) => false,
            ClaimSort::Text | ClaimSort::KnownText => !self.is_quotation(claim, path, patience),
        }
    }

    fn is_there(&self, path: &RepoPath) -> bool {
        self.evidence.has(path.as_str()) || self.evidence.context.is_node(path.as_str())
    }

    /// Whether the archive has files below a path.
    fn is_folder(&self, path: &RepoPath) -> bool {
        let below = format!("{path}/");
        let mut next = self.evidence.attached.range(below.clone()..);
        next.next().is_some_and(|(name, _)| name.starts_with(&below))
    }

    /// Whether the text is in the file, before or after the reply.
    fn is_quotation(&mut self, claim: &Claim<'_>, path: &RepoPath, patience: &Patience) -> bool {
        let is_in = |bytes: &[u8]| claim.is_quoted_from(&String::from_utf8_lossy(bytes), patience);
        let files = &self.outcome.files;
        let after = files.binary_search_by(|file| file.path.cmp(path)).ok();
        let after = after.and_then(|at| files[at].bytes.as_deref());
        if after.is_some_and(is_in) || self.evidence.bytes(path).is_some_and(is_in) {
            return true;
        }
        // The user may have shown a file outside the archive in another way.
        !self.evidence.has(path.as_str())
            && matches!(&*self.look(path), ReplyVerdict::File(bytes) if is_in(bytes))
    }
}
