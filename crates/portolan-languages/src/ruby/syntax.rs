//! Reads what a Ruby file requires, defines and uses from its syntax tree.
//!
//! A constant is looked up in the modules around it, so each use is recorded with its *nesting*: the
//! full names of these modules, innermost first.

use std::collections::{BTreeMap, BTreeSet};

use portolan_types::{Mark, ScopeId};
use tree_sitter::Node;

use crate::fact_recorder::FactRecorder;
use crate::syntax::grammar::{self, TreeVisitor, children};
use crate::{Definition, Facts, Import, ImportForm, Scratch, SourceText, Use};

/// `require "a/b"`
pub(crate) const REQUIRED: ImportForm = ImportForm(0);
/// `require_relative "a"`
pub(crate) const BESIDE: ImportForm = ImportForm(1);
/// `autoload :A`, by the full name of the constant.
pub(crate) const AUTOLOADED: ImportForm = ImportForm(2);

/// The marks of definitions.
pub(crate) const CLASS_MARK: Mark = Mark(0);
pub(crate) const MODULE_MARK: Mark = Mark(1);
pub(crate) const VALUE_MARK: Mark = Mark(2);

/// The facts of a text.
pub(crate) fn facts(source: &SourceText<'_>, scratch: &mut Scratch) -> Facts {
    let language = tree_sitter_ruby::LANGUAGE.into();
    let Some(tree) = grammar::parse(&language, source.text, scratch) else {
        return Facts::default();
    };
    let mut reader = RubyReader {
        text: source.text,
        nesting: Vec::new(),
        names: BTreeSet::new(),
        recorded: FactRecorder::default(),
        scopes: BTreeMap::new(),
        uses: BTreeSet::new(),
    };
    grammar::visit(&tree, &mut reader);
    let RubyReader { scopes, uses, recorded, .. } = reader;
    let mut by_number: Vec<(ScopeId, Box<str>)> =
        scopes.into_iter().map(|(nesting, scope)| (scope, nesting)).collect();
    by_number.sort();
    let scopes = by_number.into_iter().map(|(_, nesting)| nesting).collect();
    Facts { scopes, uses: uses.into_iter().collect(), ..recorded.finish() }
}

struct RubyReader<'t> {
    text: &'t str,
    /// The full names of the modules around, outermost first.
    nesting: Vec<String>,
    /// The nodes that are names of what they declare.
    names: BTreeSet<usize>,
    recorded: FactRecorder,
    scopes: BTreeMap<Box<str>, ScopeId>,
    uses: BTreeSet<Use>,
}

impl<'t> TreeVisitor<'t> for RubyReader<'t> {
    fn enter(&mut self, node: Node<'t>) -> bool {
        match node.kind() {
            "class" | "module" => {
                if let Some(name) = node.child_by_field_name("name") {
                    let is_class = node.kind() == "class";
                    self.names.insert(name.id());
                    let full = self.full_name(self.text_of(name));
                    self.define(&full, name, if is_class { CLASS_MARK } else { MODULE_MARK });
                    self.nesting.push(full);
                }
            }
            "assignment" => {
                let left = node.child_by_field_name("left");
                if let Some(left) = left.filter(|it| it.kind() == "constant") {
                    self.names.insert(left.id());
                    let full = self.full_name(self.text_of(left));
                    self.define(&full, left, VALUE_MARK);
                }
            }
            "call" => self.call(node),
            // A name of what it declares is no use.
            "constant" if self.names.remove(&node.id()) => {}
            "constant" => self.used(self.text_of(node)),
            "scope_resolution" => {
                let is_name = self.names.remove(&node.id());
                let path: String = self.text_of(node).split_whitespace().collect();
                if is_constant_path(&path) {
                    if !is_name {
                        self.used(&path);
                    }
                    return false;
                }
                // The name of a member of a value is no constant of the file.
                self.names.extend(node.child_by_field_name("name").map(|name| name.id()));
            }
            _ => {}
        }
        true
    }

    fn leave(&mut self, node: Node<'t>) {
        let is_module = matches!(node.kind(), "class" | "module") && node.is_named();
        if is_module && node.child_by_field_name("name").is_some() {
            self.nesting.pop();
        }
    }
}

impl<'t> RubyReader<'t> {
    fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The full name of a constant that is defined here.
    fn full_name(&self, name: &str) -> String {
        match (name.strip_prefix("::"), self.nesting.last()) {
            (Some(absolute), _) => absolute.to_owned(),
            (None, Some(around)) => [around, "::", name].concat(),
            (None, None) => name.to_owned(),
        }
    }

    fn define(&mut self, full: &str, name: Node<'_>, mark: Mark) {
        let definition = Definition { mark, ..Definition::from(full) };
        self.recorded.define(definition, (name.start_byte(), name.end_byte()));
    }

    fn used(&mut self, name: &str) {
        let nesting: Vec<&str> = self.nesting.iter().rev().map(String::as_str).collect();
        let scope = if nesting.is_empty() || name.starts_with("::") {
            ScopeId::default()
        } else {
            let next = ScopeId(self.scopes.len() as u32 + 1);
            *self.scopes.entry(nesting.join(" ").into()).or_insert(next)
        };
        let name = name.trim_start_matches("::").into();
        self.uses.insert(Use { name, scope, ..Use::default() });
    }

    fn call(&mut self, node: Node<'_>) {
        let method = node.child_by_field_name("method").map_or("", |it| self.text_of(it));
        if !matches!(method, "require" | "require_relative" | "load" | "autoload") {
            return;
        }
        let receiver = node.child_by_field_name("receiver").map_or("", |it| self.text_of(it));
        if !matches!(receiver, "" | "Kernel" | "self") {
            return;
        }
        let arguments = node.child_by_field_name("arguments").map(children).unwrap_or_default();
        let place = (node.start_byte(), node.end_byte());
        if method == "autoload" {
            return self.autoload(&arguments, place);
        }
        let Some(first) = arguments.first() else { return };
        let (path, form) = match self.string(*first) {
            Some(path) if method == "require_relative" => (path.to_owned(), BESIDE),
            Some(path) => (path.to_owned(), REQUIRED),
            None => match self.expanded(*first) {
                Some(path) => (path, BESIDE),
                None => return,
            },
        };
        self.import(&path, form, place);
    }

    fn import(&mut self, specifier: &str, form: ImportForm, place: (usize, usize)) {
        let import = Import { specifier: specifier.into(), form, ..Import::default() };
        self.recorded.import(import, place);
    }

    /// `autoload :A, "a"`, or `autoload :A` by the names of files.
    fn autoload(&mut self, arguments: &[Node<'_>], place: (usize, usize)) {
        match arguments {
            [_, path] => {
                if let Some(path) = self.string(*path) {
                    self.import(path, REQUIRED, place);
                }
            }
            [name] if name.kind() == "simple_symbol" => {
                let full = self.full_name(self.text_of(*name).trim_start_matches(':'));
                self.import(&full, AUTOLOADED, place);
            }
            _ => {}
        }
    }

    /// The content of a string without interpolation.
    fn string(&self, node: Node<'_>) -> Option<&'t str> {
        let parts = children(node);
        match parts.as_slice() {
            [only] if node.kind() == "string" && only.kind() == "string_content" => {
                Some(self.text_of(*only))
            }
            _ => None,
        }
    }

    /// The path in `File.expand_path("../a", __FILE__)`, `File.expand_path("a", __dir__)` and
    /// `File.join(__dir__, "a")`, relative to the folder of the file.
    fn expanded(&self, node: Node<'_>) -> Option<String> {
        let method = node.child_by_field_name("method").map(|it| self.text_of(it))?;
        let arguments = node.child_by_field_name("arguments").map(children)?;
        let [first, second] = arguments.as_slice() else { return None };
        match (method, self.text_of(*first), self.text_of(*second)) {
            ("expand_path", _, "__dir__") => self.string(*first).map(str::to_owned),
            // The first step leads from the file to its folder.
            ("expand_path", _, "__FILE__") => {
                self.string(*first)?.strip_prefix("../").map(str::to_owned)
            }
            ("join", "__dir__", _) => self.string(*second).map(str::to_owned),
            _ => None,
        }
    }
}

/// Whether a text consists of constants only: `A::B`.
fn is_constant_path(path: &str) -> bool {
    let mut parts = path.trim_start_matches("::").split("::");
    parts.all(|part| {
        part.starts_with(|first: char| first.is_uppercase()) && !part.contains(['.', '(', '['])
    })
}

#[cfg(test)]
mod tests {
    use crate::{ExtractSettings, Extractor};

    #[track_caller]
    fn check(text: &str, imports: &str, definitions: &str, uses: &str) {
        let facts =
            Extractor::default().extract("a.rb", text.as_bytes(), &ExtractSettings::default());
        let joined = |names: Vec<&str>| names.join(" ");
        assert_eq!(joined(facts.imports.iter().map(|it| &*it.specifier).collect()), imports);
        assert_eq!(joined(facts.definitions.iter().map(|it| &*it.name).collect()), definitions);
        let mut shown: Vec<String> = facts
            .uses
            .iter()
            .map(|it| {
                let scope = it.scope.0.checked_sub(1).map_or("", |at| &*facts.scopes[at as usize]);
                format!("{}@{}", it.name, scope.replace(' ', ","))
            })
            .collect();
        shown.sort();
        assert_eq!(shown.join(" "), uses);
    }

    #[test]
    fn constants_have_their_nesting() {
        check(
            "module A\n  class B::C < D\n    E = F::G.new\n    def h = ::I\n    x::J\n  end\nend\nK.l(\"M #{N}\")",
            "",
            "A A::B::C A::B::C::E",
            "D@A::B::C,A F::G@A::B::C,A I@ K@ N@",
        );
    }

    #[test]
    fn required_files_are_imports() {
        check(
            "require 'a/b'\nrequire_relative \"c\"\nrequire \"#{d}\"\nmodule M\n autoload :E\n autoload :F, 'm/f'\nend\n\
             require File.expand_path('../g', __FILE__)\nx.require 'h'",
            "a/b c M::E m/f g",
            "M",
            "File@",
        );
    }
}
