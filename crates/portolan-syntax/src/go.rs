//! Go: one lexer pass a file. All build tags and platforms count.
//!
//! Imports name packages, not files; which files of a package are meant follows from the names that are
//! used of it, so those are kept, as are the names that are used bare.

mod blocks;
mod file;

#[cfg(test)]
mod tests;

use portolan_types::{LanguageName, Mark, TextSpan, cmp_utf16};

use self::file::File;
use crate::language::extension_of;
use crate::summary::first_sentence;
use crate::{Definition, Facts, Import, ImportForm, Language, Scratch, Source, Use};

/// The language.
#[derive(Clone, Copy, Debug)]
pub struct Go;

/// `import "path"`
const IMPORT: ImportForm = ImportForm(0);
/// `//go:embed pattern`
const EMBED: ImportForm = ImportForm(1);
/// The mark of `func init`, which nobody can name.
const INIT: Mark = Mark(1);

impl Language for Go {
    fn name(&self) -> &'static str {
        "go"
    }

    fn claim(&self, path: &str) -> Option<u8> {
        (extension_of(path)? == "go").then_some(0)
    }

    fn word(&self, _path: &str) -> LanguageName {
        LanguageName::new("go")
    }

    fn extract(&self, source: &Source<'_>, _scratch: &mut Scratch) -> Facts {
        let file = file::read(source.text);
        Facts { description: description(source, &file), ..facts(&file) }
    }
}

/// The comment before `package`, without `Package name` in front: the path says that.
fn description(source: &Source<'_>, file: &File<'_>) -> Option<Box<str>> {
    let (start, end) = file.comment?;
    let comment = source.text.get(start..end)?;
    let is_directive = |line: &&str| {
        line.starts_with("//go:") || line.starts_with("// +build") || line.contains("Copyright")
    };
    let lines = comment.lines().filter(|line| !is_directive(line)).map(|line| {
        line.trim().trim_start_matches("//").trim_start_matches("/*").trim_end_matches("*/")
    });
    first_sentence(lines, source.settings.description_limit)
}

fn facts(file: &File<'_>) -> Facts {
    let mut facts = Facts { package: file.package.map(Box::from), ..Facts::default() };
    let span = |start: usize, end: usize| TextSpan { start: start as u32, end: end as u32 };
    for imported in &file.imports {
        let import = Import {
            specifier: imported.path.into(),
            form: IMPORT,
            alias: imported.alias.map(Box::from),
            ..Import::default()
        };
        if !facts.imports.contains(&import) {
            facts.imports.push(import);
            facts.places.imports.push(span(imported.start, imported.end));
        }
    }
    for pattern in &file.embeds {
        let import = Import { specifier: (*pattern).into(), form: EMBED, ..Import::default() };
        if !facts.imports.contains(&import) {
            facts.imports.push(import);
            facts.places.imports.push(TextSpan::default());
        }
    }
    let mut definitions: Vec<_> = file.definitions.iter().collect();
    definitions.sort_by(|left, right| cmp_utf16(left.0, right.0));
    for (name, (start, end)) in definitions {
        facts.definitions.push(Definition::from(*name));
        facts.places.definitions.push(span(*start, *end));
    }
    if file.has_init {
        let at = facts.definitions.partition_point(|own| cmp_utf16(&own.name, "init").is_lt());
        facts.definitions.insert(at, Definition { mark: INIT, ..Definition::from("init") });
        facts.places.definitions.insert(at, TextSpan::default());
    }
    facts.uses = uses(file);
    facts
}

fn uses(file: &File<'_>) -> Vec<Use> {
    let selectors = file.selectors.iter().map(|(owner, name)| format!("{owner}.{name}"));
    let own = file.names.iter().filter(|name| !file.definitions.contains_key(*name));
    let names = selectors.chain(own.map(|name| (*name).to_owned()));
    let mut uses: Vec<Use> =
        names.map(|name| Use { name: name.into(), ..Use::default() }).collect();
    uses.sort();
    uses
}
