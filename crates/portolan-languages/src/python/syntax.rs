//! Reads Python with one pass over the tokens. Every branch counts, whatever the version or the
//! platform.
//!
//! Each imported name is a separate import, written `module:name` like an entry point. It may be a
//! submodule or a name of the module; only the facts of other files can tell.

mod declarations;
pub(crate) mod lexer;
mod module;
pub(crate) mod notebook;

use std::collections::BTreeSet;

use portolan_types::declarations::{Builtins, DeclarationKind, Declarations};
use portolan_types::{EdgeKind, LanguageName, ScopeId, cmp_utf16};

use self::module::{DunderAll, PythonImport, PythonImportForm, PythonModule};
use crate::fact_recorder::FactRecorder;
use crate::syntax::language::extension_of;
use crate::syntax::summary::first_sentence;
use crate::syntax::words::{self, Word};
use crate::{
    Definition, Facts, Forward, Forwarded, Import, ImportForm, Language, Scratch, SourceText, Use,
};

/// Python.
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

    fn extract(&self, source: &SourceText<'_>, _scratch: &mut Scratch) -> Facts {
        let module = module::read(source.text, self.claim(source.path) == Some(1));
        let docstring = module.docstring.map(|token| module::content(source.text, token));
        let description = docstring
            .and_then(|text| first_sentence(text.lines(), source.settings.description_limit));
        Facts { description, ..facts(&module) }
    }

    fn declarations(&self, source: &SourceText<'_>, scratch: &mut Scratch) -> Declarations {
        declarations::read(source.text, scratch)
    }

    fn builtins(&self) -> &'static dyn Builtins {
        &declarations::PythonBuiltins
    }
}

fn facts(module: &PythonModule<'_>) -> Facts {
    let mut recorded = FactRecorder::default();
    let (mut glob_reexports, mut forwards) = (Vec::new(), Vec::new());
    for imported in &module.imports {
        let number = recorded.import(import(imported), (imported.start, imported.end));
        if imported.item == Some("*") {
            glob_reexports.push(number);
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
    glob_reexports.dedup();
    forwards.sort_by(|left, right| cmp_utf16(&left.name, &right.name));
    forwards.dedup();
    for (name, place) in &module.definitions {
        recorded.define(Definition::from(*name), *place);
    }
    Facts {
        glob_reexports,
        forwards,
        dunder_all: dunder_all(module),
        uses: uses(module),
        ..recorded.finish()
    }
}

/// The names in `__all__`, if all of it is literal.
fn dunder_all(module: &PythonModule<'_>) -> Option<Vec<Box<str>>> {
    let DunderAll::Names(names) = &module.listed else { return None };
    let mut names: Vec<Box<str>> = names.iter().map(|name| Box::from(*name)).collect();
    names.sort_by(|left, right| cmp_utf16(left, right));
    names.dedup();
    Some(names)
}

fn import(imported: &PythonImport<'_>) -> Import {
    let specifier = match imported.item {
        Some(item) => format!("{}:{item}", imported.module),
        None => imported.module.clone(),
    };
    let kind = match imported.form {
        PythonImportForm::Call => EdgeKind::Dynamic,
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

/// The name that an import binds to its target. `import a.b` binds `a`, which is not its target.
fn bound<'t>(imported: &'t PythonImport<'_>) -> Option<&'t str> {
    match (imported.form, imported.alias, imported.item) {
        (PythonImportForm::Call, ..) | (_, _, Some("*")) => None,
        (_, Some(alias), _) => Some(alias),
        (_, None, Some(item)) => Some(item),
        (_, None, None) => Some(imported.module.as_str()).filter(|name| !name.contains('.')),
    }
}

/// The attributes of imported names. Each may be a name of that module.
fn uses(module: &PythonModule<'_>) -> Vec<Use> {
    let names: BTreeSet<&str> = module.imports.iter().filter_map(bound).collect();
    let used = module.attributes.iter().filter(|(owner, _)| names.contains(owner));
    let mut uses: Vec<Use> = used
        .map(|(owner, name)| Use { name: format!("{owner}.{name}").into(), ..Use::default() })
        .collect();
    uses.sort();
    uses
}
