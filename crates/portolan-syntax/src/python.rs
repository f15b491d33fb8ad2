//! Python: one lexer pass a file. Every branch counts, whatever the version or the platform.
//!
//! An imported name is an import of its own, written `module:name` as entry points are, since each may
//! mean a submodule or something that the module has; which, only the facts of other files tell.

mod lexer;
mod module;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use portolan_types::{EdgeKind, Mark, ScopeId, TextSpan, cmp_utf16};

use self::module::{Form, Imported, Module};
use crate::language::extension_of;
use crate::summary::first_sentence;
use crate::{
    Definition, Facts, Forward, Forwarded, Import, ImportForm, Language, Scratch, Source, Use,
};

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

    fn word(&self, _path: &str) -> portolan_types::LanguageName {
        portolan_types::LanguageName::new("py")
    }

    fn extract(&self, source: &Source<'_>, _scratch: &mut Scratch) -> Facts {
        let module = module::read(source.text, self.claim(source.path) == Some(1));
        let docstring = module.docstring.map(|token| module::content(source.text, token));
        let description = docstring
            .and_then(|text| first_sentence(text.lines(), source.settings.description_limit));
        Facts { description, ..facts(&module) }
    }
}

fn facts(module: &Module<'_>) -> Facts {
    let mut facts = Facts::default();
    for imported in &module.imports {
        let import = import(imported);
        let known = facts.imports.iter().position(|known| *known == import);
        let number = known.unwrap_or_else(|| {
            facts.imports.push(import);
            facts.places.imports.push(span(imported.start, imported.end));
            facts.imports.len() - 1
        }) as u32;
        if imported.item == Some("*") {
            facts.stars.push(number);
        } else if imported.is_global
            && let Some(name) = bound(imported)
        {
            let target = match imported.item {
                Some(item) => Forwarded::Name(item.into()),
                None => Forwarded::Namespace,
            };
            let scope = ScopeId::default();
            facts.forwards.push(Forward { name: name.into(), import: number, target, scope });
        }
    }
    facts.stars.dedup();
    facts.forwards.sort_by(|left, right| cmp_utf16(&left.name, &right.name));
    facts.forwards.dedup();
    let mut definitions: Vec<_> = module.definitions.iter().collect();
    definitions.sort_by(|left, right| cmp_utf16(left.0, right.0));
    for (name, (start, end)) in definitions {
        facts.definitions.push(Definition::from(*name));
        facts.places.definitions.push(span(*start, *end));
    }
    facts.offered = module.listed.as_ref().map(|names| {
        let names: BTreeSet<&str> = names.iter().copied().collect();
        let mut names: Vec<Box<str>> = names.into_iter().map(Box::from).collect();
        names.sort_by(|left, right| cmp_utf16(left, right));
        names
    });
    facts.uses = uses(module);
    facts
}

fn span(start: usize, end: usize) -> TextSpan {
    TextSpan { start: start as u32, end: end as u32 }
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
        .map(|(owner, name)| Use {
            name: format!("{owner}.{name}").into(),
            kind: EdgeKind::Runtime,
            scope: ScopeId::default(),
            mark: Mark::default(),
        })
        .collect();
    uses.sort();
    uses
}
