//! Variables that stand for types: `T = TypeVar("T")`. A class or a function that names one has a type parameter.

use std::collections::BTreeMap;

use portolan_types::declarations::{List, NONE, Shape};
use tree_sitter::Node;

use super::PythonTreeReader;
use crate::syntax::declaring::UNKNOWN;
use crate::syntax::declaring::scope::Space;
use crate::syntax::grammar::children;

/// A longer call declares no variable.
const LONGEST_CALL: usize = 1000;

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The variables of types that a file declares, each with the name of its bound.
pub(super) fn declared(text: &str) -> BTreeMap<&str, &str> {
    let mut found = BTreeMap::new();
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.contains("TypeVar(") {
            continue;
        }
        let Some((name, value)) = line.split_once('=') else { continue };
        let name = name.split(':').next().unwrap_or(name).trim_end();
        if name.is_empty() || !name.chars().all(is_part) {
            continue;
        }
        // The call may go on in the next lines.
        let rest = text.get(end - value.len()..).unwrap_or(value);
        let longest = rest.char_indices().nth(LONGEST_CALL).map_or(rest.len(), |(at, _)| at);
        let call = rest.get(..longest).unwrap_or(rest);
        let call = call.split(')').next().unwrap_or(call);
        let bound = call.split_once("bound=").map_or("", |(_, rest)| rest);
        let bound = bound.trim_start_matches(['"', '\'']);
        let end = bound.find(|letter| !is_part(letter)).unwrap_or(bound.len());
        found.insert(name, bound.get(..end).unwrap_or_default());
    }
    found
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter| !is_part(letter)).filter(|word| !word.is_empty())
}

/// The name of the parameter that a variable stands for. No code can write it.
fn hidden(variable: &str) -> String {
    format!("'{variable}")
}

impl<'t> PythonTreeReader<'t> {
    /// The type parameters of a class or a function that names variables of types.
    pub(super) fn type_variables(&mut self, node: Node<'_>) -> List {
        let mut named: Vec<&'t str> = Vec::new();
        for field in ["superclasses", "parameters", "return_type"] {
            let Some(part) = node.child_by_field_name(field) else { continue };
            if field == "superclasses" {
                self.listed_variables(part, &mut named);
            }
            if !self.own.known_variables.is_empty() {
                named.extend(
                    words(self.text_of(part))
                        .filter(|it| self.own.known_variables.contains_key(it)),
                );
            }
        }
        let mut bound = Vec::new();
        for name in named {
            if self.own.variables.contains(&name) {
                continue;
            }
            let limit = self.own.known_variables.get(name).copied().unwrap_or_default();
            let constraint = if limit.is_empty() { UNKNOWN } else { self.quiet_type(limit) };
            bound.push(self.type_parameter(&hidden(name), constraint));
            self.own.variables.push(name);
        }
        self.list(&bound)
    }

    /// The variables between the brackets of `Generic[T, U]`, wherever they are declared.
    fn listed_variables(&self, bases: Node<'_>, named: &mut Vec<&'t str>) {
        for base in children(bases).into_iter().filter(|it| it.kind() == "subscript") {
            let of = base.child_by_field_name("value").map_or("", |it| self.text_of(it));
            if matches!(of.rsplit('.').next(), Some("Generic" | "Protocol")) {
                let text = self.text_of(base);
                let inner = text.get(of.len()..).unwrap_or_default();
                named.extend(words(inner));
            }
        }
    }

    /// The type parameter that a name stands for here.
    pub(super) fn variable_type(&mut self, name: &str) -> Option<u32> {
        self.own.variables.contains(&name).then(|| self.quiet_type(&hidden(name)))
    }

    /// A type by its name, which is no use of it.
    fn quiet_type(&mut self, name: &str) -> u32 {
        let name = self.name(name);
        let shape = self.shape(Shape::FreeType { name, arguments: List::default() });
        self.scopes.ask(name, Space::Type, shape, NONE);
        shape
    }
}

#[cfg(test)]
mod tests {

    use super::declared;

    #[test]
    fn variables_are_declared_with_their_bounds() {
        let text =
            "T = TypeVar('T')\nU: Any = TypeVar(\n  'U',\n  bound='Base',\n)\n f(TypeVar('V'))\n";
        let found: Vec<_> = declared(text).into_iter().collect();
        assert_eq!(found, [("T", ""), ("U", "Base")]);
    }

    #[test]
    fn each_line_is_looked_into_once() {
        for part in ["T=TypeVar('T');", "T=TypeVar(\n", "TypeVar(\n", "TypeVar("] {
            declared(&part.repeat(300_000));
        }
        // Linear, it takes a second without optimization; else, this test takes minutes.
    }
}
