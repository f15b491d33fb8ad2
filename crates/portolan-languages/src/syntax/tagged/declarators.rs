//! Names inside of declarators: in C and its relatives, `*`, `[]` and `()` are written around them.

use portolan_types::declarations::Span;
use tree_sitter::Node;

use crate::syntax::grammar::span;

/// What a declarator declares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclaratorName {
    pub(crate) name: Span,
    /// The type that it is a member of, as written before `::`.
    pub(crate) owner: Span,
    /// Whether it is a function, and not a pointer to one.
    pub(crate) is_function: bool,
}

/// More levels are hostile.
const MOST: usize = 64;

/// What a declarator declares; `None` if it has no name.
pub(crate) fn declared(declarator: Node<'_>) -> Option<DeclaratorName> {
    let (mut at, mut owner, mut is_function) = (declarator, Span::default(), false);
    for _ in 0..MOST {
        let kind = at.kind();
        if kind == "operator_cast" {
            let end = parameters_start(at);
            let name = Span::new(at.start_byte() as u32, end as u32);
            return Some(DeclaratorName { name, owner, is_function: true });
        }
        let inner = match kind {
            "qualified_identifier" => {
                if let Some(scope) = at.child_by_field_name("scope") {
                    owner = span(scope);
                }
                at.child_by_field_name("name")
            }
            "template_function" | "template_method" => at.child_by_field_name("name"),
            _ => {
                if kind.ends_with("_declarator") {
                    is_function = kind == "function_declarator";
                }
                at.child_by_field_name("declarator").or_else(|| wrapped(at))
            }
        };
        let Some(inner) = inner else {
            let is_name = !kind.ends_with("_declarator") && !at.is_missing();
            return is_name.then_some(DeclaratorName { name: span(at), owner, is_function });
        };
        at = inner;
    }
    None
}

/// Where the parameters of a conversion begin. The marks of pointers before them belong to its name:
/// `operator char*()`.
fn parameters_start(conversion: Node<'_>) -> usize {
    let mut next = conversion.child_by_field_name("declarator");
    for _ in 0..MOST {
        let Some(declarator) = next else { break };
        if let Some(parameters) = declarator.child_by_field_name("parameters") {
            return parameters.start_byte();
        }
        let mut cursor = declarator.walk();
        next = declarator
            .child_by_field_name("declarator")
            .or_else(|| declarator.named_children(&mut cursor).last());
    }
    conversion.end_byte()
}

/// What a declarator without fields wraps: parentheses, references, attributes.
fn wrapped(node: Node<'_>) -> Option<Node<'_>> {
    if !node.kind().ends_with("_declarator") {
        return None;
    }
    let mut cursor = node.walk();
    let mut parts = node.named_children(&mut cursor);
    parts.find(|part| part.kind().ends_with("_declarator") || part.kind().ends_with("identifier"))
}
