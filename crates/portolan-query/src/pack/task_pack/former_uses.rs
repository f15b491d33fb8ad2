//! Where members that are gone were used.
//!
//! What is gone has no declaration that uses could be resolved to, so its name is searched for, in code alone: where it
//! is a member of something, or beside the name of what it was a member of. Where others have the name, too, the uses
//! are possible ones.

use std::collections::BTreeMap;

use portolan_wire::context::{LocV2, VanishedV2};
use portolan_wire::question::{SearchQuestionV1, Within};

use super::change::Impact;
use super::{PackInputs, is_test};
use crate::pack::texts::has_word;
use crate::search::{FileClass, SearchContext, SearchedFile, search};

/// Shorter names are names of too much.
const SHORTEST: usize = 3;
/// The most names that are searched for.
const MOST_NAMES: usize = 40;
/// The most uses of a name that are listed.
const MOST_USES: usize = 60;

/// A declaration that is gone.
#[derive(Clone, Debug)]
pub(super) struct RemovedName {
    /// Its file.
    pub(super) file: String,
    /// Its own name.
    pub(super) name: String,
    /// What it was a member of; empty for none.
    pub(super) container: String,
}

impl RemovedName {
    /// The last part of the name of what it was a member of.
    fn holder(&self) -> &str {
        self.container.rsplit('.').next().unwrap_or_default()
    }
}

/// Adds the former uses of removed members. Removed top-level names are found by their imports.
pub(super) fn former_uses(impact: &mut Impact, inputs: &PackInputs<'_>, removed: &[RemovedName]) {
    let is_told = |it: &&RemovedName| {
        it.name.len() >= SHORTEST && !it.container.is_empty() && !is_test(&it.file)
    };
    let names: Vec<&RemovedName> = removed.iter().filter(is_told).take(MOST_NAMES).collect();
    if names.is_empty() {
        return;
    }
    let request = SearchQuestionV1 {
        patterns: names.iter().map(|it| it.name.clone()).collect(),
        fixed: true,
        word: true,
        within: Some(Within::Code),
        ..SearchQuestionV1::default()
    };
    let Ok(report) = search(SearchContext::new(inputs.system, inputs.config), &request) else {
        return;
    };
    let is_code = |file: &&SearchedFile| {
        matches!(file.class, FileClass::Code | FileClass::Test)
            && portolan_languages::is_program(&file.path)
    };
    let mut uses: BTreeMap<usize, (Vec<LocV2>, bool)> = BTreeMap::new();
    for file in report.files.iter().filter(is_code) {
        // A file that names it beside what it was a member of, as an import does, means it elsewhere, too.
        let texts = || file.groups.iter().flat_map(|group| &group.hits).map(|hit| &hit.text);
        let is_meant: Vec<bool> = names
            .iter()
            .map(|it| texts().any(|text| has_word(text, &it.name) && has_word(text, it.holder())))
            .collect();
        for group in &file.groups {
            let own = group.name.rsplit('.').next().unwrap_or_default();
            for hit in &group.hits {
                let hits = (0..).zip(&names).filter(|(_, it)| has_word(&hit.text, &it.name));
                for (at, it) in hits {
                    let found = uses.entry(at).or_default();
                    if own == it.name && group.definition == Some(hit.line) {
                        found.1 = true;
                    } else if (is_meant[at] || is_use(&hit.text, it, &group.name))
                        && found.0.len() < MOST_USES
                    {
                        let (file, line) = (file.path.clone(), Some(hit.line));
                        found.0.push(LocV2 { file, line, col: None });
                    }
                }
            }
        }
    }
    for (at, (importers, possible)) in uses.into_iter().filter(|(_, (found, _))| !found.is_empty())
    {
        let it = names[at];
        let name = format!("{}.{}", it.container, it.name);
        let file = it.file.clone();
        impact.vanished.push(VanishedV2 { name, file, importers, used: true, possible });
    }
}

/// Whether a line uses a member of this name: it is reached from something, or stands in what it was a member of.
fn is_use(text: &str, removed: &RemovedName, around: &str) -> bool {
    let own = removed.holder();
    let is_reached = text.match_indices(&removed.name).any(|(at, _)| {
        let before = text[..at].trim_end();
        before.ends_with(['.', ':']) || before.ends_with("->")
    });
    is_reached || has_word(text, own) || around.split('.').any(|part| part == own)
}
