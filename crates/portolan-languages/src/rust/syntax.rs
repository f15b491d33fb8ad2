//! Reads Rust with one pass over the tokens. All branches of `cfg` count.
//!
//! Names are resolved in modules, and a file may contain inline modules. So everything is recorded
//! with its module.

mod declarations;
mod file;
mod inline_tests;
mod uses;

use portolan_types::declarations::{Builtins, DeclarationKind, Declarations};
use portolan_types::{LanguageName, ScopeId};

use self::file::{ItemKind, RustFile, UseLeaf};
use crate::fact_recorder::FactRecorder;
use crate::syntax::language::extension_of;
use crate::syntax::summary::first_sentence;
use crate::syntax::words::{self, Word};
use crate::{Definition, Facts, Import, ImportForm, Language, Scratch, SourceText, Use};

/// Rust.
#[derive(Clone, Copy, Debug)]
pub struct Rust;

/// The import forms, as the resolver numbers them.
mod form {
    use crate::ImportForm;

    /// `mod x;`, private.
    pub(super) const MOD: ImportForm = ImportForm(0);
    /// `pub mod x;`
    pub(super) const PUB_MOD: ImportForm = ImportForm(1);
    /// `#[path = "p"] mod x;`: the specifier is the path, the alias the name.
    pub(super) const MOD_PATH: ImportForm = ImportForm(2);
    pub(super) const PUB_MOD_PATH: ImportForm = ImportForm(3);
    /// `use a::b as c`: the alias is the local name.
    pub(super) const USE: ImportForm = ImportForm(4);
    pub(super) const PUB_USE: ImportForm = ImportForm(5);
    /// `use a::*`
    pub(super) const GLOB: ImportForm = ImportForm(6);
    pub(super) const PUB_GLOB: ImportForm = ImportForm(7);
    /// `extern crate a as b`
    pub(super) const CRATE: ImportForm = ImportForm(8);
    /// `include_str!("x")`
    pub(super) const INCLUDE: ImportForm = ImportForm(9);
}

/// The marks of definitions and uses, as the resolver numbers them.
mod mark {
    use portolan_types::Mark;

    /// An item, or the use of a path or a bare name.
    pub(super) const PLAIN: Mark = Mark(0);
    /// A macro, or the call of one.
    pub(super) const MACRO: Mark = Mark(1);
    /// A macro that is exported from its crate.
    pub(super) const EXPORTED_MACRO: Mark = Mark(2);
    /// An inline module.
    pub(super) const MODULE: Mark = Mark(3);
    pub(super) const PUB_MODULE: Mark = Mark(4);
    /// `#[macro_use] mod x;`: the code after it sees its macros.
    pub(super) const MACRO_USE: Mark = Mark(5);
    /// A path in the rules of a macro.
    pub(super) const RULED: Mark = Mark(6);
}

impl Language for Rust {
    fn name(&self) -> &'static str {
        "rust"
    }

    fn claim(&self, path: &str) -> Option<u8> {
        (extension_of(path)? == "rs").then_some(0)
    }

    fn word(&self, _path: &str) -> LanguageName {
        LanguageName::new("rust")
    }

    fn kind_word(&self, kind: DeclarationKind) -> &'static str {
        match kind {
            DeclarationKind::Class => "struct",
            DeclarationKind::Interface => "trait",
            DeclarationKind::Namespace => "module",
            DeclarationKind::Variable => "constant",
            DeclarationKind::Property => "field",
            DeclarationKind::EnumMember => "variant",
            DeclarationKind::Extension => "impl",
            _ => kind.name(),
        }
    }

    fn words<'t>(&self, _path: &str, text: &'t str, take: &mut dyn FnMut(Word<'t>)) {
        words::of_tokens(text, file::DIALECT, take);
    }

    fn extract(&self, source: &SourceText<'_>, _scratch: &mut Scratch) -> Facts {
        let file = file::read(source.text);
        let lines = source.text.lines().map(str::trim).skip_while(|line| {
            line.is_empty()
                || line.starts_with("#!")
                || !line.starts_with("//!") && line.starts_with("//")
        });
        let doc = lines.map_while(|line| line.strip_prefix("//!"));
        let description = first_sentence(doc, source.settings.description_limit);
        Facts { description, ..facts(&file) }
    }

    fn declarations(&self, source: &SourceText<'_>, scratch: &mut Scratch) -> Declarations {
        declarations::read(source.text, scratch)
    }

    fn inline_tests(&self, text: &[u8]) -> Vec<(usize, usize)> {
        inline_tests::spans(text)
    }

    fn builtins(&self) -> &'static dyn Builtins {
        &declarations::RustBuiltins
    }
}

fn facts(file: &RustFile<'_>) -> Facts {
    let mut recorded = FactRecorder::default();
    for one in &file.mods {
        let form = match (one.path, one.is_pub) {
            (None, false) => form::MOD,
            (None, true) => form::PUB_MOD,
            (Some(_), false) => form::MOD_PATH,
            (Some(_), true) => form::PUB_MOD_PATH,
        };
        let specifier = one.path.unwrap_or(one.name);
        let alias = Some(one.name.into());
        let import = Import {
            specifier: specifier.into(),
            form,
            alias,
            scope: ScopeId(one.scope),
            ..Import::default()
        };
        recorded.import(import, (one.start, one.end));
    }
    for one in &file.uses {
        let form = match (one.is_glob, one.is_pub) {
            (false, false) => form::USE,
            (false, true) => form::PUB_USE,
            (true, false) => form::GLOB,
            (true, true) => form::PUB_GLOB,
        };
        recorded.import(leaf(one, form), (one.start, one.end));
    }
    for one in &file.crates {
        recorded.import(leaf(one, form::CRATE), (one.start, one.end));
    }
    for (path, start, end) in &file.included {
        let import = Import { specifier: (*path).into(), form: form::INCLUDE, ..Import::default() };
        recorded.import(import, (*start, *end));
    }
    for item in &file.items {
        let mark = match item.kind {
            ItemKind::Plain => mark::PLAIN,
            ItemKind::Macro { is_exported: false } => mark::MACRO,
            ItemKind::Macro { is_exported: true } => mark::EXPORTED_MACRO,
            ItemKind::Module { is_pub: false } => mark::MODULE,
            ItemKind::Module { is_pub: true } => mark::PUB_MODULE,
        };
        let definition = Definition { name: item.name.into(), scope: ScopeId(item.scope), mark };
        recorded.define(definition, (item.start, item.end));
    }
    let scopes = file.scopes.iter().map(|path| path.as_str().into()).collect();
    Facts { scopes, uses: used(file), ..recorded.finish() }
}

fn leaf(leaf: &UseLeaf<'_>, form: ImportForm) -> Import {
    let last = leaf.path.rsplit("::").next().unwrap_or_default();
    let alias = (!leaf.is_glob).then(|| leaf.alias.unwrap_or(last).into());
    Import {
        specifier: leaf.path.as_str().into(),
        form,
        alias,
        scope: ScopeId(leaf.scope),
        ..Import::default()
    }
}

/// The paths, bare names and macro calls, each with its module.
fn used(file: &RustFile<'_>) -> Vec<Use> {
    let paths = file.paths.iter().map(|(scope, path)| (*scope, path.as_str(), mark::PLAIN));
    let ruled = file.ruled.iter().map(|(scope, path)| (*scope, path.as_str(), mark::RULED));
    let names = file.names.iter().map(|(scope, name)| (*scope, *name, mark::PLAIN));
    let calls = file.calls.iter().map(|(scope, name)| (*scope, *name, mark::MACRO));
    let macros = file.mods.iter().filter(|one| one.has_macros);
    let macros = macros.map(|one| (one.scope, one.name, mark::MACRO_USE));
    let all = paths.chain(ruled).chain(names).chain(calls).chain(macros);
    let mut uses: Vec<Use> = all
        .map(|(scope, name, mark)| Use {
            name: name.into(),
            scope: ScopeId(scope),
            mark,
            ..Use::default()
        })
        .collect();
    uses.sort();
    uses.dedup();
    uses
}
