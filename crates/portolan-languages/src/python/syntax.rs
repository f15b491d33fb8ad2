//! Python: one lexer pass a file. Every branch counts, whatever the version or the platform.
//!
//! An imported name is an import of its own, written `module:name` as entry points are, since each may
//! mean a submodule or something that the module has; which, only the facts of other files tell.

#[cfg(feature = "python")]
mod declarations;
pub(crate) mod lexer;
mod module;

use std::collections::BTreeSet;

use portolan_types::declarations::DeclarationKind;
#[cfg(feature = "python")]
use portolan_types::declarations::{Builtins, Declarations};
use portolan_types::{cmp_utf16, EdgeKind, LanguageName, ScopeId};

use self::module::{Form, Imported, Listed, Module};
use crate::syntax::language::extension_of;
use crate::syntax::recorded::Recorded;
use crate::syntax::summary::first_sentence;
use crate::words::{self, Word};
use crate::{Definition, Facts, Forward, Forwarded, Import, ImportForm, Language, Scratch, Source, Use};

/// The language.
#[derive(Clone, Copy, Debug)]
pub struct Python;

impl Language for Python {
    fn name(&self) -> &'static str {
        "python"
    }

    fn claim(&self, path: &str) -> Option<u8> {
        match extension_of(path)? {
            "py" => Some(0),
            "pyi" => Some(1),
            _ => None,
        }
    }

    fn word(&self, _path: &str) -> LanguageName {
        LanguageName::new("py")
    }

    fn kind_word(&self, kind: DeclarationKind) -> &'static str {
        match kind {
            DeclarationKind::Property => "attribute",
            DeclarationKind::Getter => "property",
            _ => kind.name(),
        }
    }

    fn words<'t>(&self, _path: &str, text: &'t str, take: &mut dyn FnMut(Word<'t>)) {
        words::of_python(text, take);
    }

    fn extract(&self, source: &Source<'_>, _scratch: &mut Scratch) -> Facts {
        let module = module::read(source.text, self.claim(source.path) == Some(1));
        let docstring = module.docstring.map(|token| module::content(source.text, token));
        let description = docstring
            .and_then(|text| first_sentence(text.lines(), source.settings.description_limit));
        Facts { description, ..facts(&module) }
    }

    #[cfg(feature = "python")]
    fn declarations(&self, source: &Source<'_>, scratch: &mut Scratch) -> Declarations {
        declarations::read(source.text, scratch)
    }

    #[cfg(feature = "python")]
    fn builtins(&self) -> &'static dyn Builtins {
        &declarations::PythonBuiltins
    }
}

fn facts(module: &Module<'_>) -> Facts {
    let mut recorded = Recorded::default();
    let (mut stars, mut forwards) = (Vec::new(), Vec::new());
    for imported in &module.imports {
        let number = recorded.import(import(imported), (imported.start, imported.end));
        if imported.item == Some("*") {
            stars.push(number);
        } else if imported.is_global
            && let Some(name) = bound(imported)
        {
            let target = match imported.item {
                Some(item) => Forwarded::Name(item.into()),
                None => Forwarded::Namespace,
            };
            let scope = ScopeId::default();
            forwards.push(Forward { name: name.into(), import: number, target, scope });
        }
    }
    stars.dedup();
    forwards.sort_by(|left, right| cmp_utf16(&left.name, &right.name));
    forwards.dedup();
    for (name, place) in &module.definitions {
        recorded.define(Definition::from(*name), *place);
    }
    Facts { stars, forwards, offered: offered(module), uses: uses(module), ..recorded.finish() }
}

/// The names that `__all__` lists, where all of it is written out.
fn offered(module: &Module<'_>) -> Option<Vec<Box<str>>> {
    let Listed::Names(names) = &module.listed else { return None };
    let mut names: Vec<Box<str>> = names.iter().map(|name| Box::from(*name)).collect();
    names.sort_by(|left, right| cmp_utf16(left, right));
    names.dedup();
    Some(names)
}

fn import(imported: &Imported<'_>) -> Import {
    let specifier = match imported.item {
        Some(item) => format!("{}:{item}", imported.module),
        None => imported.module.clone(),
    };
    let kind = match imported.form {
        Form::Call => EdgeKind::Dynamic,
        _ if imported.is_type => EdgeKind::Type,
        _ => EdgeKind::Runtime,
    };
    Import {
        specifier: specifier.into(),
        kind,
        form: ImportForm(imported.form as u8),
        alias: bound(imported).map(Box::from),
        scope: ScopeId::default(),
    }
}

/// The name that an import binds to what it names. `import a.b` binds `a`, which it does not name.
fn bound<'t>(imported: &'t Imported<'_>) -> Option<&'t str> {
    match (imported.form, imported.alias, imported.item) {
        (Form::Call, ..) | (_, _, Some("*")) => None,
        (_, Some(alias), _) => Some(alias),
        (_, None, Some(item)) => Some(item),
        (_, None, None) => Some(imported.module.as_str()).filter(|name| !name.contains('.')),
    }
}

/// Attributes of names that an import binds: each may be a name of that module.
fn uses(module: &Module<'_>) -> Vec<Use> {
    let names: BTreeSet<&str> = module.imports.iter().filter_map(bound).collect();
    let used = module.attributes.iter().filter(|(owner, _)| names.contains(owner));
    let mut uses: Vec<Use> = used
        .map(|(owner, name)| Use { name: format!("{owner}.{name}").into(), ..Use::default() })
        .collect();
    uses.sort();
    uses
}
