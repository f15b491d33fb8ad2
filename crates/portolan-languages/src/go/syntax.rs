//! Go: one lexer pass a file. All build tags and platforms count.
//!
//! Imports name packages, not files; which files of a package are meant follows from the names that are
//! used of it, so those are kept, as are the names that are used bare.

mod blocks;
#[cfg(feature = "go")]
mod declarations;
mod file;

use portolan_types::declarations::DeclarationKind;
#[cfg(feature = "go")]
use portolan_types::declarations::{Builtins, Declarations};
use portolan_types::{LanguageName, Mark};

use self::file::File;
use crate::syntax::language::extension_of;
use crate::syntax::recorded::Recorded;
use crate::syntax::summary::first_sentence;
use crate::words::{self, Word};
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

/// The mark of what `//go:build` says.
const BUILD: Mark = Mark(1);

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

    fn kind_word(&self, kind: DeclarationKind) -> &'static str {
        match kind {
            DeclarationKind::Class => "struct",
            DeclarationKind::Property => "field",
            _ => kind.name(),
        }
    }

    fn words<'t>(&self, _path: &str, text: &'t str, take: &mut dyn FnMut(Word<'t>)) {
        words::of_tokens(text, file::DIALECT, take);
    }

    fn extract(&self, source: &Source<'_>, _scratch: &mut Scratch) -> Facts {
        let file = file::read(source.text);
        Facts { description: description(source, &file), ..facts(&file) }
    }

    #[cfg(feature = "go")]
    fn declarations(&self, source: &Source<'_>, scratch: &mut Scratch) -> Declarations {
        declarations::read(source.text, scratch)
    }

    #[cfg(feature = "go")]
    fn builtins(&self) -> &'static dyn Builtins {
        &declarations::GoBuiltins
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
    let mut recorded = Recorded::default();
    for imported in &file.imports {
        let import = Import {
            specifier: imported.path.into(),
            form: IMPORT,
            alias: imported.alias.map(Box::from),
            ..Import::default()
        };
        recorded.import(import, (imported.start, imported.end));
    }
    for pattern in &file.embeds {
        let import = Import { specifier: (*pattern).into(), form: EMBED, ..Import::default() };
        recorded.import(import, (0, 0));
    }
    for (name, place) in &file.definitions {
        recorded.define(Definition::from(*name), *place);
    }
    if file.has_init {
        recorded.define(Definition { mark: INIT, ..Definition::from("init") }, (0, 0));
    }
    let package = file.package.map(Box::from);
    Facts { package, uses: uses(file), ..recorded.finish() }
}

fn uses(file: &File<'_>) -> Vec<Use> {
    let selectors = file.selectors.iter().map(|(owner, name)| format!("{owner}.{name}"));
    let own = file.names.iter().filter(|name| !file.definitions.contains_key(*name));
    let names = selectors.chain(own.map(|name| (*name).to_owned()));
    let mut uses: Vec<Use> =
        names.map(|name| Use { name: name.into(), ..Use::default() }).collect();
    uses.extend(file.build.map(|line| Use { name: line.into(), mark: BUILD, ..Use::default() }));
    uses.sort();
    uses
}
