//! Computed imports: their targets are unknown, but the start of a specifier limits them.

use portolan_types::FileId;
use std::collections::BTreeSet;

use portolan_languages::{Language, Languages};

use crate::symbols::db::SymbolDb;

impl SymbolDb<'_> {
    /// The number of files with computed imports that may mean one of these targets.
    pub fn computed_for(&self, files: &BTreeSet<FileId>) -> usize {
        if files.is_empty() {
            return 0;
        }
        let targets: Vec<String> = files.iter().map(|file| self.path(*file)).collect();
        let languages = Languages::default();
        let language =
            |path: &str| languages.of(path).filter(|_| languages.is_code(path)).map(Language::name);
        let may_lead = |file: &str, starts: &[Box<str>]| {
            targets.iter().any(|target| {
                // Data is read by code of any language.
                let fits = language(target).is_none_or(|it| Some(it) == language(file));
                fits && file != target && starts.iter().any(|start| may_reach(file, start, target))
            })
        };
        let computed = self.map().resolved_imports.computed();
        computed.iter().filter(|(file, starts)| may_lead(file, starts)).count()
    }
}

/// Whether a specifier with this start may mean a target. One that is not relative may mean anything.
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
    // The computed part may go up again.
    target.starts_with(&folder.join("/"))
}

#[cfg(test)]
mod tests {
    use super::may_reach;

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
