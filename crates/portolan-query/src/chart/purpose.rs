//! What folders are for, in their authors' words: a README's first sentence, a package's description, a module's own.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use portolan_guard::redact;
use portolan_index::map::MapReport;
use portolan_index::symbols::{CodeReader, DeclarationStore};
use portolan_languages::FOLDER_DOCUMENTS;
use portolan_vfs::System;
use portolan_workspace::config::Loaded;

/// The most characters of a purpose that are shown.
const LONGEST: usize = 90;
/// Names of Makefiles, the one that `make` takes first.
const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];
/// The most targets of a Makefile that are named.
const MOST_TARGETS: usize = 6;

/// Says what folders are for.
pub(super) struct Purposes<'a> {
    map: &'a MapReport,
    reader: CodeReader<'a>,
    /// What folders were found to be for.
    known: Mutex<BTreeMap<String, Option<String>>>,
}

impl<'a> Purposes<'a> {
    pub(super) fn new(
        system: &'a dyn System,
        config: &Loaded,
        map: &'a MapReport,
        store: &'a DeclarationStore,
    ) -> Self {
        let guard = config.settings.secrets.guard();
        Self { map, reader: CodeReader { system, guard, store }, known: Mutex::default() }
    }

    /// What a folder is for.
    pub(super) fn of_folder(&self, folder: &str) -> Option<String> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(folder) {
            return known.clone();
        }
        let inside = |name: &str| match folder {
            "" => name.to_owned(),
            folder => format!("{folder}/{name}"),
        };
        let found = FOLDER_DOCUMENTS.iter().find_map(|name| self.of_file(&inside(name)));
        known().insert(folder.to_owned(), found.clone());
        found
    }

    /// The first targets of the root's Makefile: how it is built and tested where no manifest says that.
    pub(super) fn targets_of_root(&self) -> Vec<String> {
        let named = |name: &str| self.map.universe.iter().find(|file| file.path.as_str() == name);
        let Some(file) = MAKEFILES.iter().find_map(|name| named(name)) else { return Vec::new() };
        let text = self.reader.plain(file.path.as_str(), &file.absolute);
        let targets = text.map(|text| make_targets(&text.text)).unwrap_or_default();
        targets.iter().map(|target| redact(target).into_owned()).collect()
    }

    /// What a file says that it, or its folder, is for.
    pub(super) fn of_file(&self, path: &str) -> Option<String> {
        let graph = &self.map.graph;
        let node = graph.index_of(path)?;
        let name = path.rsplit('/').next().unwrap_or(path);
        let said = graph.node(node).description.as_deref().map(str::to_owned);
        let said = said.or_else(|| {
            let is_text = name.to_ascii_lowercase().starts_with("readme");
            let extension = std::path::Path::new(name).extension();
            let is_manifest = extension.is_some_and(|it| it == "json" || it == "toml");
            let file = self.map.universe.iter().find(|file| file.path.as_str() == path);
            let file = file.filter(|_| is_text || is_manifest)?;
            let text = &self.reader.plain(path, &file.absolute)?.text;
            if is_text { first_sentence(text) } else { described(text) }
        })?;
        let said = redact(&said).split_whitespace().collect::<Vec<_>>().join(" ");
        let sentence = said.split_once(". ").map_or(said.as_str(), |(first, _)| first);
        let sentence = sentence.trim_end_matches('.');
        (!sentence.is_empty()).then(|| shortened(sentence))
    }
}

/// The targets of a Makefile that a person calls: plain words, in the order in which they are written.
fn make_targets(text: &str) -> Vec<String> {
    let is_word = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
    };
    let mut targets: Vec<String> = Vec::new();
    for line in text.lines() {
        let Some((names, rest)) = line.split_once(':') else { continue };
        if line.starts_with(char::is_whitespace) || rest.starts_with('=') {
            continue;
        }
        for name in names.split_whitespace().filter(|name| is_word(name)) {
            if !targets.iter().any(|known| known == name) {
                targets.push(name.to_owned());
            }
        }
    }
    targets.truncate(MOST_TARGETS);
    targets
}

/// Lines without those of fenced code, which are empty then.
fn without_code<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut is_code = false;
    let prose = lines.map(|line| {
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        is_code ^= is_fence;
        if is_code || is_fence { "" } else { line }
    });
    prose.collect()
}

/// The first sentence of a text that is no title, badge, code or markup.
fn first_sentence(text: &str) -> Option<String> {
    let lines = without_code(text.lines().take(60).map(str::trim));
    let is_rule = |line: &str| line.len() > 2 && line.chars().all(|c| "=-~*#^\"".contains(c));
    let is_prose = |at: usize| {
        let line = lines[at];
        let is_title = lines.get(at + 1).is_some_and(|next| is_rule(next));
        let starts = line.chars().next().is_some_and(|c| c.is_alphanumeric() || "`*_[".contains(c));
        starts && !is_title && !line.starts_with("[![") && !line.starts_with("---")
    };
    let start = (0..lines.len()).find(|at| is_prose(*at))?;
    let paragraph = lines[start..].iter().take_while(|line| !line.is_empty()).take(4);
    Some(unmarked(&paragraph.copied().collect::<Vec<_>>().join(" ")))
}

/// A text without the marks of Markdown: links are their words.
fn unmarked(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        plain.push_str(&rest[..at]);
        rest = rest[at..].split_once(')').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    plain.replace(['*', '`', '[', ']'], "")
}

/// The description in a manifest.
fn described(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let line = line.trim().trim_start_matches('"');
        let value = line.strip_prefix("description")?.trim_start_matches('"').trim_start();
        let value = value.strip_prefix([':', '='])?.trim().trim_end_matches(',');
        let value = value.strip_prefix('"')?.strip_suffix('"')?;
        (!value.is_empty()).then(|| value.replace("\\\"", "\""))
    })
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let cut: String = text.chars().take(LONGEST).collect();
    let end = cut.rfind(' ').unwrap_or(cut.len());
    format!("{}…", &cut[..end])
}

#[cfg(test)]
mod tests {
    use super::{described, first_sentence, make_targets};

    #[test]
    fn targets_of_a_makefile_are_the_words_that_a_person_calls() {
        let text = "CC := gcc\nX=a:b\n.PHONY: all test\nall: main.o\n\t$(CC) x: y\nmain.o: main.c\n%.o: %.c\ntest install: all\nall: more\n";
        assert_eq!(make_targets(text), ["all", "test", "install"]);
        assert!(make_targets("").is_empty());
    }

    #[test]
    fn titles_and_badges_are_no_purpose() {
        let check = |text: &str, expected: &str| {
            assert_eq!(first_sentence(text).as_deref(), Some(expected), "{text}");
        };
        check("# Shop\n\n[![CI](x)](y)\n\nSells *things*. More.\n", "Sells things. More.");
        check("======\nDjango\n======\n\nA web\nframework.\n", "A web framework.");
        check("<p>x</p>\n\nSee [the docs](https://a.b) first.\n", "See the docs first.");
        check("# A\n\n```ts\nimport a from 'a'\n```\n\nSends mail.\n", "Sends mail.");
        assert_eq!(first_sentence("# Title\n"), None);
    }

    #[test]
    fn a_manifest_describes_its_package() {
        assert_eq!(described("{\n  \"description\": \"Sells.\",\n}").as_deref(), Some("Sells."));
        assert_eq!(described("[package]\ndescription = \"Sells\"\n").as_deref(), Some("Sells"));
        assert_eq!(described("description.workspace = true\n"), None);
    }
}
