//! Reads Java with one pass over the tokens.
//!
//! A type is found by its package and name, wherever its file lies. So the package, the declared
//! types and the names that may be types are recorded.

mod declarations;
mod file;

use portolan_types::declarations::{Builtins, DeclarationKind, Declarations};
use portolan_types::{EdgeKind, LanguageName, Mark};

use self::file::JavaFile;
pub(crate) use self::file::loads_resource;
use crate::fact_recorder::FactRecorder;
use crate::syntax::language::extension_of;
use crate::syntax::summary::first_sentence;
use crate::syntax::words::{self, Word};
use crate::{Definition, Facts, Import, ImportForm, Language, Scratch, SourceText, Use};

/// Java.
#[derive(Clone, Copy, Debug)]
pub struct Java;

/// `import a.B`
pub(crate) const SINGLE: ImportForm = ImportForm(0);
/// `import a.*`
pub(crate) const ON_DEMAND: ImportForm = ImportForm(1);
/// `import static a.B.c`
const STATIC: ImportForm = ImportForm(2);
/// `import static a.B.*`
const STATIC_ON_DEMAND: ImportForm = ImportForm(3);
/// `Class.forName("a.B")`
pub(crate) const REFLECTED: ImportForm = ImportForm(4);

/// `getResource("a/b.txt")`
pub(crate) const RESOURCE: ImportForm = ImportForm(5);

/// The mark of a nested type.
pub(crate) const NESTED: Mark = Mark(1);

impl Language for Java {
    fn name(&self) -> &'static str {
        "java"
    }

    /// What Kotlin writes for a getter or setter: `getName` is `name` there, and `isOpen` stays what it is.
    fn accessors(&self, name: &str) -> Vec<String> {
        let property = |rest: &str| {
            let mut letters = rest.chars();
            let first = letters.next().filter(|first| first.is_uppercase())?;
            Some(first.to_lowercase().chain(letters).collect::<String>())
        };
        let accessed = ["get", "set"].iter().find_map(|mark| property(name.strip_prefix(mark)?));
        accessed.into_iter().collect()
    }

    fn claim(&self, path: &str) -> Option<u8> {
        if is_service(path) {
            return Some(1);
        }
        (extension_of(path)? == "java").then_some(0)
    }

    fn word(&self, path: &str) -> LanguageName {
        if is_service(path) { LanguageName::OTHER } else { LanguageName::new("java") }
    }

    fn kind_word(&self, kind: DeclarationKind) -> &'static str {
        if kind == DeclarationKind::Property { "field" } else { kind.name() }
    }

    fn words<'t>(&self, _path: &str, text: &'t str, take: &mut dyn FnMut(Word<'t>)) {
        words::of_tokens(text, file::DIALECT, take);
    }

    fn extract(&self, source: &SourceText<'_>, _scratch: &mut Scratch) -> Facts {
        if is_service(source.path) {
            return services(source.text);
        }
        let file = file::read(source.text);
        let description = file.doc.and_then(|place| documented(source, place));
        Facts { description, ..facts(&file) }
    }

    fn declarations(&self, source: &SourceText<'_>, scratch: &mut Scratch) -> Declarations {
        if is_service(source.path) {
            return Declarations::default();
        }
        declarations::read(source.text, scratch)
    }

    fn builtins(&self) -> &'static dyn Builtins {
        &declarations::JavaBuiltins
    }
}

/// Whether a file lists the providers of a service, judged by its folder.
fn is_service(path: &str) -> bool {
    let Some((folder, _)) = path.rsplit_once('/') else { return false };
    folder == "META-INF/services" || folder.ends_with("/META-INF/services")
}

/// The facts of a service file. Each line is a class that is loaded by name.
fn services(text: &str) -> Facts {
    let mut recorded = FactRecorder::default();
    for line in text.lines() {
        let name = line.split('#').next().unwrap_or(line).trim();
        if !name.is_empty() {
            let (specifier, kind) = (name.into(), EdgeKind::Dynamic);
            let import = Import { specifier, kind, form: REFLECTED, ..Import::default() };
            recorded.import(import, (0, 0));
        }
    }
    recorded.finish()
}

/// The first sentence of a doc comment.
pub(crate) fn documented(
    source: &SourceText<'_>,
    (start, end): (usize, usize),
) -> Option<Box<str>> {
    let doc = source.text.get(start..end)?.trim_start_matches("/**").trim_end_matches("*/");
    let lines = doc.lines().map(|line| line.trim().trim_start_matches('*').trim());
    let prose: Vec<String> =
        lines.take_while(|line| !line.starts_with('@')).map(without_markup).collect();
    first_sentence(prose.iter().map(String::as_str), source.settings.description_limit)
}

/// A line of documentation without markup: `{@code x}` becomes `x`, `<p>` is removed.
fn without_markup(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '{']) {
        let (before, markup) = rest.split_at(at);
        plain.push_str(before);
        let closing = if markup.starts_with('<') { '>' } else { '}' };
        let Some(end) = markup.find(closing) else {
            plain.push_str(markup);
            return plain;
        };
        if let Some(tag) = markup[..end].strip_prefix("{@") {
            plain.push_str(tag.split_once(' ').map_or("", |(_, text)| text));
        }
        rest = &markup[end + 1..];
    }
    plain.push_str(rest);
    plain
}

fn facts(file: &JavaFile<'_>) -> Facts {
    let mut recorded = FactRecorder::default();
    for imported in &file.imports {
        let form = match (imported.is_static, imported.is_on_demand) {
            (false, false) => SINGLE,
            (false, true) => ON_DEMAND,
            (true, false) => STATIC,
            (true, true) => STATIC_ON_DEMAND,
        };
        let specifier = imported.name.as_str().into();
        let place = (imported.start, imported.end);
        recorded.import(Import { specifier, form, ..Import::default() }, place);
    }
    for name in &file.reflected {
        let (specifier, kind) = ((*name).into(), EdgeKind::Dynamic);
        let import = Import { specifier, kind, form: REFLECTED, ..Import::default() };
        recorded.import(import, (0, 0));
    }
    for name in &file.resources {
        let import = Import { specifier: (*name).into(), form: RESOURCE, ..Import::default() };
        recorded.import(import, (0, 0));
    }
    for (name, place) in &file.types {
        recorded.define(Definition::from(*name), *place);
    }
    for name in &file.nested {
        recorded.define(Definition { mark: NESTED, ..Definition::from(*name) }, (0, 0));
    }
    let package = file.package.as_deref().map(Box::from);
    Facts { package, uses: uses(file), ..recorded.finish() }
}

fn uses(file: &JavaFile<'_>) -> Vec<Use> {
    let is_member = |name: &str| file.nested.contains(name) && !file.outside.contains(name);
    let is_own = |name: &&&str| !file.types.contains_key(**name) && !is_member(name);
    let names = file.names.iter().filter(is_own).map(|name| (*name).to_owned());
    let mut uses: Vec<Use> = names
        .chain(file.qualified.iter().cloned())
        .map(|name| Use { name: name.into(), ..Use::default() })
        .collect();
    uses.sort();
    uses
}
