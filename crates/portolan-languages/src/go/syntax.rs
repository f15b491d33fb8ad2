//! Reads Go with one pass over the tokens. All build tags and platforms count.
//!
//! Imports name packages, not files. The names that a file uses decide which files of a package it
//! needs, so both the qualified and the unqualified names are recorded.

mod blocks;
mod declarations;
mod file;

use portolan_types::declarations::{Builtins, DeclarationKind, Declarations};
use portolan_types::{LanguageName, Mark};

use self::file::GoFile;
use crate::fact_recorder::FactRecorder;
use crate::syntax::language::extension_of;
use crate::syntax::summary::first_sentence;
use crate::syntax::words::{self, Word};
use crate::{Definition, Facts, Import, ImportForm, Language, Scratch, SourceText, Use};

/// Go.
#[derive(Clone, Copy, Debug)]
pub struct Go;

/// `import "path"`
const IMPORT: ImportForm = ImportForm(0);
/// `//go:embed pattern`
const EMBED: ImportForm = ImportForm(1);
/// The mark of `func init`, which cannot be referenced.
const INIT: Mark = Mark(1);

/// The mark of a `//go:build` line.
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

    fn extract(&self, source: &SourceText<'_>, _scratch: &mut Scratch) -> Facts {
        let file = file::read(source.text);
        Facts { description: description(source, &file), ..facts(&file) }
    }

    fn declarations(&self, source: &SourceText<'_>, scratch: &mut Scratch) -> Declarations {
        declarations::read(source.text, scratch)
    }

    fn builtins(&self) -> &'static dyn Builtins {
        &declarations::GoBuiltins
    }
}

/// The comment before `package`, without directives and copyright lines.
fn description(source: &SourceText<'_>, file: &GoFile<'_>) -> Option<Box<str>> {
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

fn facts(file: &GoFile<'_>) -> Facts {
    let mut recorded = FactRecorder::default();
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

fn uses(file: &GoFile<'_>) -> Vec<Use> {
    let selectors = file.selectors.iter().map(|(owner, name)| format!("{owner}.{name}"));
    let own = file.names.iter().filter(|name| !file.definitions.contains_key(*name));
    let names = selectors.chain(own.map(|name| (*name).to_owned()));
    let mut uses: Vec<Use> =
        names.map(|name| Use { name: name.into(), ..Use::default() }).collect();
    uses.extend(file.build.map(|line| Use { name: line.into(), mark: BUILD, ..Use::default() }));
    uses.sort();
    uses
}
