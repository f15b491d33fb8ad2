//! Reads Kotlin with one pass over the tokens.
//!
//! Besides what Java has, there are top-level functions and properties, which are also found by
//! package and name. They have their own mark, because Java sees them differently.

mod file;

use portolan_types::{EdgeKind, Mark};

use self::file::KotlinFile;
use crate::fact_recorder::FactRecorder;
use crate::java::syntax;
use crate::syntax::words::{self, Word};
use crate::{Definition, Facts, Import, Scratch, SourceText, Use};

/// The mark of a top-level function or property.
const CALLABLE: Mark = Mark(2);

/// The words that may be names: also those in the templates of strings.
pub(crate) fn words<'t>(text: &'t str, take: &mut dyn FnMut(Word<'t>)) {
    words::of_tokens(text, file::DIALECT, take);
}

/// The methods that Java calls for a property: `getName` and `setName`, but `isOpen` and `setOpen` for `isOpen`.
pub(crate) fn accessors(name: &str) -> Vec<String> {
    let is_capital = |rest: &&str| rest.starts_with(|c: char| !c.is_lowercase());
    if let Some(rest) = name.strip_prefix("is").filter(is_capital).filter(|it| !it.is_empty()) {
        return vec![name.to_owned(), format!("set{rest}")];
    }
    let mut letters = name.chars();
    let Some(first) = letters.next() else { return Vec::new() };
    let capital: String = first.to_uppercase().chain(letters).collect();
    vec![format!("get{capital}"), format!("set{capital}")]
}

/// The facts of a file.
pub(crate) fn facts(source: &SourceText<'_>, _scratch: &mut Scratch) -> Facts {
    let file = file::read(source.text);
    let description = file.doc.and_then(|place| syntax::documented(source, place));
    Facts { description, ..facts_of(&file) }
}

fn facts_of(file: &KotlinFile<'_>) -> Facts {
    let mut recorded = FactRecorder::default();
    for imported in &file.imports {
        let form = if imported.is_on_demand { syntax::ON_DEMAND } else { syntax::SINGLE };
        let specifier = imported.name.as_str().into();
        let alias = imported.alias.map(Box::from);
        recorded.import(Import { specifier, form, alias, ..Import::default() }, imported.place);
    }
    for name in &file.reflected {
        let (specifier, kind) = ((*name).into(), EdgeKind::Dynamic);
        let import = Import { specifier, kind, form: syntax::REFLECTED, ..Import::default() };
        recorded.import(import, (0, 0));
    }
    for name in &file.resources {
        let form = syntax::RESOURCE;
        recorded.import(Import { specifier: (*name).into(), form, ..Import::default() }, (0, 0));
    }
    for (name, place) in &file.types {
        recorded.define(Definition::from(*name), *place);
    }
    for (name, place) in &file.callables {
        recorded.define(Definition { mark: CALLABLE, ..Definition::from(*name) }, *place);
    }
    for name in &file.nested {
        recorded.define(Definition { mark: syntax::NESTED, ..Definition::from(*name) }, (0, 0));
    }
    let package = file.package.as_deref().map(Box::from);
    Facts { package, uses: uses(file), ..recorded.finish() }
}

fn uses(file: &KotlinFile<'_>) -> Vec<Use> {
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
