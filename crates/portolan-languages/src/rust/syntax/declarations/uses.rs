//! Reads `use` trees.

use portolan_types::declarations::{Export, Exported, NONE};
use tree_sitter::Node;

use super::RustTreeReader;
use crate::syntax::grammar::{child, children};

/// The deepest nesting of braces that is read.
const MAX_DEPTH: usize = 32;

impl RustTreeReader<'_> {
    /// Binds the names of a `use` or an `extern crate`.
    pub(super) fn use_declaration(&mut self, node: Node<'_>) {
        let is_open = child(node, "visibility_modifier").is_some();
        if node.kind() == "extern_crate_declaration" {
            let name = self.field_text(node, "name");
            let alias = self.field_text(node, "alias");
            let local = if alias.is_empty() { name } else { alias };
            self.import(local, name, None);
            return;
        }
        if let Some(argument) = node.child_by_field_name("argument") {
            self.tree(argument, "", is_open, 0);
        }
    }

    fn tree(&mut self, node: Node<'_>, prefix: &str, is_open: bool, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let joined = |path: &str| match prefix {
            "" => path.to_owned(),
            prefix => format!("{prefix}::{path}"),
        };
        match node.kind() {
            "use_list" => {
                for part in children(node) {
                    self.tree(part, prefix, is_open, depth + 1);
                }
            }
            "scoped_use_list" => {
                let path = joined(self.field_text(node, "path"));
                if let Some(list) = node.child_by_field_name("list") {
                    self.tree(list, &path, is_open, depth + 1);
                }
            }
            "use_wildcard" => {
                let path = children(node).first().map_or("", |it| self.text_of(*it));
                let path = joined(path);
                let path = self.name(&path);
                self.facts.stars.push(path);
            }
            "use_as_clause" => {
                let path = joined(self.field_text(node, "path"));
                let alias = self.field_text(node, "alias");
                self.used(&path, Some(alias), is_open);
            }
            "line_comment" | "block_comment" => {}
            _ => {
                let path = joined(self.text_of(node));
                self.used(&path, None, is_open);
            }
        }
    }

    fn used(&mut self, path: &str, alias: Option<&str>, is_open: bool) {
        // `a::b::{self}` is `a::b`.
        let path = path.strip_suffix("::self").unwrap_or(path);
        let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
        let local = alias.unwrap_or(name);
        if local == "_" || name.is_empty() {
            return;
        }
        let binding = self.import(local, module, Some(name));
        if is_open && self.parent == NONE {
            let name = self.name(local);
            self.facts.exports.push(Exported { name, what: Export::Binding(binding) });
        }
    }
}
