//! The S-expressions of x07AST.

use portolan_wire::tree::{Kind, NodeIdx, Tree};

use super::{Check, fault};

/// Whether a head starts a list whose first argument may be any text.
pub(crate) fn is_literal_head(head: &str) -> bool {
    matches!(head, "bytes.lit" | "bytes.view_lit")
}

/// Checks an expression, in reading order and without recursion. The head and the text of a literal
/// directly follow their list, so they can be distinguished from other atoms.
pub(super) fn check(tree: &Tree<'_>, expr: NodeIdx) -> Check<()> {
    let mut nodes = tree.walk(expr);
    while let Some(node) = nodes.next() {
        match tree.kind(node) {
            Kind::Array => {
                let head = check_head(tree, node)?;
                nodes.next();
                let argument = tree.following(head).filter(|_| tree.len(node) > 1);
                let is_text = argument.is_some_and(|argument| tree.kind(argument) == Kind::String);
                if is_text && is_literal_head(tree.text(head)) {
                    nodes.next();
                }
            }
            Kind::String if has_space(tree.text(node)) => {
                return fault(node, "atom must not contain whitespace");
            }
            Kind::String => {}
            Kind::Integer | Kind::Double => check_number(tree, node)?,
            Kind::Null | Kind::True | Kind::False | Kind::Object | Kind::Key => {
                return fault(
                    node,
                    format!("unsupported JSON value in expr: {}", debug(tree, node)),
                );
            }
        }
    }
    Ok(())
}

fn check_head(tree: &Tree<'_>, list: NodeIdx) -> Check<NodeIdx> {
    let Some(head) = tree.items(list).next() else {
        return fault(list, "list expression must not be empty");
    };
    match tree.string(head) {
        None => fault(head, "list head must be an atom string"),
        Some(text) if has_space(text) => fault(head, "list head must not contain whitespace"),
        Some(_) => Ok(head),
    }
}

fn check_number(tree: &Tree<'_>, node: NodeIdx) -> Check<()> {
    let text = tree.text(node);
    let integer: Option<i64> = text.parse().ok().filter(|_| tree.kind(node) == Kind::Integer);
    match integer.map(i32::try_from) {
        Some(Ok(_)) => Ok(()),
        Some(Err(_)) => fault(node, format!("number out of i32 range: {text}")),
        None => {
            let number: Option<serde_json::Number> = serde_json::from_str(text).ok();
            let shown = number.map_or_else(|| text.to_owned(), |number| number.to_string());
            fault(node, format!("number is not an i64: {shown}"))
        }
    }
}

fn has_space(text: &str) -> bool {
    // Most atoms are printable ASCII, and bytes are faster to check than characters.
    text.bytes().any(|byte| !byte.is_ascii_graphic()) && text.chars().any(char::is_whitespace)
}

/// A value as the reference prints it, if it is short.
fn debug(tree: &Tree<'_>, node: NodeIdx) -> String {
    const SHORT: usize = 200;
    if tree.width(node) > SHORT {
        return "Object {..}".into();
    }
    let value: Option<serde_json::Value> = serde_json::from_slice(&tree.to_canonical(node)).ok();
    value.map_or_else(String::new, |value| format!("{value:?}"))
}
