//! Imports of what is computed: nobody knows where they lead, but how they start says where they may.

use std::collections::BTreeSet;

use portolan_languages::{Language, Languages};

use crate::symbols::db::SymbolDb;

impl SymbolDb<'_> {
    /// How many files import what they compute and may so import one of these.
    pub(super) fn computed_for(&self, files: &BTreeSet<u32>) -> usize {
        if files.is_empty() {
            return 0;
        }
        let targets: Vec<String> = files.iter().map(|file| self.path(*file)).collect();
        let language = |path: &str| Languages::default().of(path).map(Language::name);
        let may_lead = |file: &str, starts: &[Box<str>]| {
            targets.iter().any(|target| {
                // Data is read by code of any language.
                let fits = language(target).is_none_or(|it| Some(it) == language(file));
                fits && file != target && starts.iter().any(|start| may_reach(file, start, target))
            })
        };
        let computed = self.map().ways.computed();
        computed.iter().filter(|(file, starts)| may_lead(file, starts)).count()
    }
}

/// Whether a specifier of a file that starts like this may mean a target. What is not relative may mean anything.
fn may_reach(file: &str, start: &str, target: &str) -> bool {
    if !start.starts_with("./") && !start.starts_with("../") {
        return true;
    }
    let mut folder: Vec<&str> = file.split('/').collect();
    folder.pop();
    let (inner, last) = start.rsplit_once('/').unwrap_or(("", start));
    for part in inner.split('/') {
        match part {
            "" | "." => {}
            ".." if folder.last().is_some_and(|it| *it != "..") => {
                folder.pop();
            }
            part => folder.push(part),
        }
    }
    folder.push(last);
    // What follows may go up again.
    target.starts_with(&folder.join("/"))
}

#[cfg(test)]
mod tests {
    use portolan_query::declarations::may_reach;

    #[test]
    fn how_a_specifier_starts_says_where_it_may_lead() {
        let check = |start: &str, target: &str, expected: bool| {
            assert_eq!(may_reach("src/app/main.ts", start, target), expected, "{start} {target}");
        };
        check("./locales/", "src/app/locales/de.ts", true);
        check("./locales/", "src/app/other.ts", false);
        check("../lib/x-", "src/lib/x-a.ts", true);
        check("../lib/x-", "src/lib/y.ts", false);
        check("./", "src/app/main2.ts", true);
        check("../../../", "src/a.ts", false);
        check("", "anything.ts", true);
        check("@/locales/", "src/locales/de.ts", true);
    }
}
