//! Kotlin: one lexer pass a file.
//!
//! What Java has, and what stands outside of types: functions and properties are found by package and name too. They
//! are told apart by their mark, since Java does not see them so.

mod file;

use portolan_types::{EdgeKind, Mark};

use self::file::File;
use crate::java::syntax;
use crate::syntax::language::extension_of;
use crate::syntax::recorded::Recorded;
use crate::words::{self, Word};
use crate::{Definition, Facts, Import, Language, Scratch, Source, Use};

/// The language.
#[derive(Clone, Copy, Debug)]
pub struct Kotlin;

/// The mark of a function or a property outside of types.
const CALLABLE: Mark = Mark(2);

impl Language for Kotlin {
    fn name(&self) -> &'static str {
        "kotlin"
    }

    fn claim(&self, path: &str) -> Option<u8> {
        matches!(extension_of(path)?, "kt" | "kts").then_some(0)
    }

    fn words<'t>(&self, _path: &str, text: &'t str, take: &mut dyn FnMut(Word<'t>)) {
        words::of_tokens(text, file::DIALECT, take);
    }

    fn extract(&self, source: &Source<'_>, _scratch: &mut Scratch) -> Facts {
        let file = file::read(source.text);
        let description = file.doc.and_then(|place| java::documented(source, place));
        Facts { description, ..facts(&file) }
    }
}

fn facts(file: &File<'_>) -> Facts {
    let mut recorded = Recorded::default();
    for imported in &file.imports {
        let form = if imported.is_on_demand { java::ON_DEMAND } else { java::SINGLE };
        let specifier = imported.name.as_str().into();
        let alias = imported.alias.map(Box::from);
        recorded.import(Import { specifier, form, alias, ..Import::default() }, imported.place);
    }
    for name in &file.reflected {
        let (specifier, kind) = ((*name).into(), EdgeKind::Dynamic);
        let import = Import { specifier, kind, form: java::REFLECTED, ..Import::default() };
        recorded.import(import, (0, 0));
    }
    for name in &file.resources {
        let form = java::RESOURCE;
        recorded.import(Import { specifier: (*name).into(), form, ..Import::default() }, (0, 0));
    }
    for (name, place) in &file.types {
        recorded.define(Definition::from(*name), *place);
    }
    for (name, place) in &file.callables {
        recorded.define(Definition { mark: CALLABLE, ..Definition::from(*name) }, *place);
    }
    for name in &file.nested {
        recorded.define(Definition { mark: java::NESTED, ..Definition::from(*name) }, (0, 0));
    }
    let package = file.package.as_deref().map(Box::from);
    Facts { package, uses: uses(file), ..recorded.finish() }
}

fn uses(file: &File<'_>) -> Vec<Use> {
    let is_foreign = |name: &&&str| {
        !file.types.contains_key(**name)
            && !file.nested.contains(**name)
            && !file.bound.contains(**name)
    };
    let names = file.names.iter().filter(is_foreign).map(|name| (*name).to_owned());
    let mut uses: Vec<Use> = names
        .chain(file.qualified.iter().cloned())
        .map(|name| Use { name: name.into(), ..Use::default() })
        .collect();
    uses.sort();
    uses
}
