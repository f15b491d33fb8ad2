//! Reads what a C# file uses and defines from its syntax tree.
//!
//! Other files decide which namespace a name comes from, so names are recorded as written.

pub(crate) mod directives;

use std::collections::BTreeSet;

use portolan_types::Mark;
use tree_sitter::Node;

use crate::fact_recorder::FactRecorder;
use crate::syntax::grammar::{self, TreeVisitor};
use crate::{Definition, Facts, Import, ImportForm, Scratch, SourceText, Use};

/// `using A.B;`
pub(crate) const NAMESPACE: ImportForm = ImportForm(0);
/// `using static A.B;`
pub(crate) const STATIC: ImportForm = ImportForm(1);
/// `using X = A.B;`
pub(crate) const ALIAS: ImportForm = ImportForm(2);
/// `global using A.B;`, for all files of the project.
pub(crate) const GLOBAL: ImportForm = ImportForm(3);

/// The mark of a type in another type.
pub(crate) const NESTED_MARK: Mark = Mark(1);

/// The facts of a text.
pub(crate) fn facts(source: &SourceText<'_>, scratch: &mut Scratch) -> Facts {
    let language = tree_sitter_c_sharp::LANGUAGE.into();
    let text = directives::without_directives(source.text);
    let Some(tree) = grammar::parse(&language, &text, scratch) else {
        return Facts::default();
    };
    let mut reader = CSharpReader {
        text: &text,
        around: Vec::new(),
        file_namespace: String::new(),
        package: None,
        skipped: BTreeSet::new(),
        recorded: FactRecorder::default(),
        uses: BTreeSet::new(),
    };
    grammar::visit(&tree, &mut reader);
    let CSharpReader { uses, package, recorded, .. } = reader;
    let uses = uses.into_iter().map(|name| Use { name: name.into(), ..Use::default() }).collect();
    Facts { package: package.map(String::into), uses, ..recorded.finish() }
}

/// A namespace or a type around the current node.
struct Around {
    /// The full name.
    name: String,
    is_type: bool,
}

struct CSharpReader<'t> {
    text: &'t str,
    around: Vec<Around>,
    /// The namespace of the whole file.
    file_namespace: String,
    /// The first namespace.
    package: Option<String>,
    /// Nodes that are names of declarations and members, or parts of names that are recorded.
    skipped: BTreeSet<usize>,
    recorded: FactRecorder,
    uses: BTreeSet<String>,
}

fn is_type(kind: &str) -> bool {
    matches!(
        kind,
        "class_declaration"
            | "struct_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "delegate_declaration"
    )
}

impl<'t> TreeVisitor<'t> for CSharpReader<'t> {
    fn enter(&mut self, node: Node<'t>) -> bool {
        match node.kind() {
            "using_directive" => {
                self.using(node);
                return false;
            }
            "file_scoped_namespace_declaration" => {
                self.file_namespace = self.name_of(node);
                self.package.get_or_insert_with(|| self.file_namespace.clone());
                return false;
            }
            "namespace_declaration" => self.open(node, false),
            kind if is_type(kind) => {
                let is_nested = self.around.last().is_some_and(|it| it.is_type);
                self.open(node, true);
                self.define(node, is_nested);
            }
            "identifier" => {
                if !self.skipped.remove(&node.id()) {
                    self.uses.insert(self.text_of(node).to_owned());
                }
            }
            "qualified_name" => self.qualified(node),
            "member_access_expression" => self.member(node),
            "attribute" => {
                let name = self.name_of(node);
                self.uses.insert([name.as_str(), "Attribute"].concat());
            }
            "generic_name" => {
                if self.skipped.remove(&node.id()) {
                    self.skipped.extend(node.named_child(0).map(|it| it.id()));
                }
            }
            _ => self.skip_name(node),
        }
        true
    }

    fn leave(&mut self, node: Node<'t>) {
        let kind = node.kind();
        if node.is_named() && (kind == "namespace_declaration" || is_type(kind)) {
            self.around.pop();
        }
    }
}

impl<'t> CSharpReader<'t> {
    fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// A dotted name without white space and type arguments.
    fn dotted(&self, node: Node<'_>) -> String {
        let text = self.text_of(node);
        let bare = text.split('<').next().unwrap_or(text).trim_start_matches("global::");
        bare.split_whitespace().collect()
    }

    fn name_of(&self, node: Node<'_>) -> String {
        node.child_by_field_name("name").map_or_else(String::new, |name| self.dotted(name))
    }

    /// The name of a declaration is no use.
    fn skip_name(&mut self, node: Node<'_>) {
        self.skipped.extend(node.child_by_field_name("name").map(|name| name.id()));
    }

    fn open(&mut self, node: Node<'_>, is_type: bool) {
        self.skip_name(node);
        let around = self.around.last().map_or(self.file_namespace.as_str(), |it| &it.name);
        let own = self.name_of(node);
        let name = if around.is_empty() { own } else { [around, ".", &own].concat() };
        if !is_type {
            self.package.get_or_insert_with(|| name.clone());
        }
        self.around.push(Around { name, is_type });
    }

    fn define(&mut self, node: Node<'_>, is_nested: bool) {
        let (Some(around), Some(name)) = (self.around.last(), node.child_by_field_name("name"))
        else {
            return;
        };
        let mark = if is_nested { NESTED_MARK } else { Mark::default() };
        let definition = Definition { mark, ..Definition::from(around.name.as_str()) };
        self.recorded.define(definition, (name.start_byte(), name.end_byte()));
    }

    /// Reads a `using` line.
    fn using(&mut self, node: Node<'_>) {
        let text = self.text_of(node).trim().trim_end_matches(';');
        let mut words = text.split_whitespace().peekable();
        let is_global = words.next_if_eq(&"global").is_some();
        if words.next() != Some("using") {
            return;
        }
        let is_static = words.next_if_eq(&"static").is_some();
        let rest = words.collect::<Vec<_>>().join("");
        let (alias, name) = match rest.split_once('=') {
            Some((alias, name)) => (Some(alias), name),
            None => (None, rest.as_str()),
        };
        let name = name.split('<').next().unwrap_or(name).trim_start_matches("global::");
        let form = match (is_global, is_static, alias) {
            (true, ..) => GLOBAL,
            (false, true, _) => STATIC,
            (false, false, Some(_)) => ALIAS,
            (false, false, None) => NAMESPACE,
        };
        let alias = alias.map(Box::from);
        let import = Import { specifier: name.into(), form, alias, ..Import::default() };
        self.recorded.import(import, (node.start_byte(), node.end_byte()));
    }

    fn qualified(&mut self, node: Node<'_>) {
        if !self.skipped.remove(&node.id()) {
            self.uses.insert(self.dotted(node));
        }
        self.skip_name(node);
        self.skipped.extend(node.child_by_field_name("qualifier").map(|it| it.id()));
    }

    /// Reads `A.B.c`: `A` may be a type or a namespace.
    fn member(&mut self, node: Node<'_>) {
        /// Longer chains are no names.
        const MOST: usize = 16;
        self.skip_name(node);
        let is_inner = self.skipped.remove(&node.id());
        let Some(mut at) = node.child_by_field_name("expression") else { return };
        if at.kind() == "member_access_expression" {
            self.skipped.insert(at.id());
        }
        if is_inner {
            return;
        }
        for _ in 0..MOST {
            match at.kind() {
                "identifier" | "alias_qualified_name" => {
                    let name = self.dotted(node);
                    if !name.contains(['(', '[', '?', '!']) {
                        self.uses.insert(name);
                    }
                    return;
                }
                "member_access_expression" => match at.child_by_field_name("expression") {
                    Some(inner) => at = inner,
                    None => return,
                },
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ExtractSettings, Extractor};

    #[track_caller]
    fn check(text: &str, imports: &str, definitions: &str, uses: &str) {
        let facts =
            Extractor::default().extract("a.cs", text.as_bytes(), &ExtractSettings::default());
        let joined = |names: Vec<&str>| names.join(" ");
        assert_eq!(joined(facts.imports.iter().map(|it| &*it.specifier).collect()), imports);
        assert_eq!(joined(facts.definitions.iter().map(|it| &*it.name).collect()), definitions);
        assert_eq!(joined(facts.uses.iter().map(|it| &*it.name).collect()), uses);
    }

    #[test]
    fn namespaces_types_and_names_are_read() {
        check(
            "using System; using static A.B; using C = D.E; global using F;\n\
             namespace G.H { [Mark] class I<T> : J<K> { L.M n; class O {} P q(R s) => T.U.V(w.x); } }\n\
             namespace Y { enum Z { A1 } delegate void D1(E1 f); }",
            "System A.B D.E F",
            "G.H.I G.H.I.O Y.D1 Y.Z",
            "E1 J K L.M Mark MarkAttribute P R T T.U.V w w.x",
        );
        check("namespace A;\nclass B { C<D> e = new F(); }", "", "A.B", "C D F");
    }
}
