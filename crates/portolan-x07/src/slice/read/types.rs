//! The types of x07AST.

use std::fmt::Write;

use portolan_wire::tree::{Kind, NodeIdx, Tree};

use super::names::{Quoted, check_local, check_type_name};
use super::{Check, fault};

const NAMED: [&str; 20] = [
    "i32",
    "u32",
    "f64",
    "bytes",
    "bytes_view",
    "vec_u8",
    "option_i32",
    "option_bytes",
    "option_bytes_view",
    "result_i32",
    "result_bytes",
    "result_bytes_view",
    "result_result_bytes",
    "iface",
    "ptr_const_u8",
    "ptr_mut_u8",
    "ptr_const_void",
    "ptr_mut_void",
    "ptr_const_i32",
    "ptr_mut_i32",
];

const EXPECTED: &str = "expected i32, u32, bytes, bytes_view, vec_u8, option_i32, option_bytes, option_bytes_view, \
                        result_i32, result_bytes, result_bytes_view, result_result_bytes, iface, ptr_const_u8, \
                        ptr_mut_u8, ptr_const_void, ptr_mut_void, ptr_const_i32, or ptr_mut_i32";

/// Checks a type, in reading order and without recursion.
pub(super) fn check(tree: &Tree<'_>, ty: NodeIdx) -> Check<()> {
    let mut nodes = tree.walk(ty);
    while let Some(node) = nodes.next() {
        match tree.kind(node) {
            Kind::String => check_named(tree, node)?,
            Kind::Array => {
                check_list(tree, node)?;
                nodes.next();
                if is_variable(tree, node) {
                    nodes.next();
                }
            }
            _ => return fault(node, "type must be a string or a list"),
        }
    }
    Ok(())
}

fn check_named(tree: &Tree<'_>, node: NodeIdx) -> Check<()> {
    let text = tree.text(node);
    check_type_name(text).or_else(|message| fault(node, message))?;
    if NAMED.contains(&text) {
        Ok(())
    } else {
        fault(node, format!("unknown type: {} ({EXPECTED})", Quoted(text)))
    }
}

/// Checks a list without its arguments; a variable completely.
fn check_list(tree: &Tree<'_>, list: NodeIdx) -> Check<()> {
    let Some(head) = tree.items(list).next() else {
        return fault(list, "type expression list must not be empty");
    };
    let Some(text) = tree.string(head) else {
        return fault(head, "type expression head must be a string");
    };
    if text == "t" {
        return check_variable(tree, list);
    }
    check_type_name(text).or_else(|message| fault(head, message))?;
    if tree.len(list) < 2 {
        fault(list, "type application must have at least 1 argument")
    } else {
        Ok(())
    }
}

fn check_variable(tree: &Tree<'_>, list: NodeIdx) -> Check<()> {
    let Some(name) = tree.items(list).nth(1).filter(|_| tree.len(list) == 2) else {
        return fault(list, "type var expression must be [\"t\", <name>]");
    };
    match tree.string(name) {
        None => fault(name, "type var name must be a string"),
        Some(text) => check_local(text).or_else(|message| fault(name, message)),
    }
}

fn is_variable(tree: &Tree<'_>, list: NodeIdx) -> bool {
    tree.items(list).next().is_some_and(|head| tree.string(head) == Some("t"))
}

/// Whether values of the type are bytes: only those can have a brand.
pub(super) fn is_bytes_like(tree: &Tree<'_>, ty: NodeIdx) -> bool {
    let is_plain = |ty: NodeIdx| matches!(tree.string(ty), Some("bytes" | "bytes_view"));
    let is_result_bytes = |ty: NodeIdx| {
        let mut items = tree.items(ty);
        let spelled = items.next().is_some_and(|head| tree.string(head) == Some("result"))
            && items.next().is_some_and(|argument| tree.string(argument) == Some("bytes"));
        tree.string(ty) == Some("result_bytes") || (spelled && tree.len(ty) == 2)
    };
    let mut items = tree.items(ty);
    let (head, argument) = (items.next().and_then(|head| tree.string(head)), items.next());
    match (tree.string(ty), head, argument) {
        (Some(name), _, _) => {
            is_plain(ty)
                || matches!(
                    name,
                    "option_bytes"
                        | "option_bytes_view"
                        | "result_bytes"
                        | "result_bytes_view"
                        | "result_result_bytes"
                )
        }
        (None, Some("option"), Some(argument)) => tree.len(ty) == 2 && is_plain(argument),
        (None, Some("result"), Some(argument)) => {
            tree.len(ty) == 2 && (is_plain(argument) || is_result_bytes(argument))
        }
        _ => false,
    }
}

/// Whether the type can be passed to C.
pub(super) fn is_ffi(tree: &Tree<'_>, ty: NodeIdx) -> bool {
    tree.string(ty).is_some_and(|name| matches!(name, "i32" | "u32") || name.starts_with("ptr_"))
}

/// A type as the reference prints it in messages.
pub(super) fn debug(tree: &Tree<'_>, ty: NodeIdx) -> String {
    // Writing to a string cannot fail.
    let mut shown = String::new();
    // The remaining arguments of each open application.
    let mut open: Vec<usize> = Vec::new();
    let mut nodes = tree.walk(ty);
    while let Some(node) = nodes.next() {
        if tree.kind(node) == Kind::Array {
            let head = nodes.next().map_or("", |head| tree.text(head));
            if is_variable(tree, node) {
                let name = nodes.next().map_or("", |name| tree.text(name));
                _ = write!(shown, "Var({name:?})");
            } else {
                _ = write!(shown, "App {{ head: {head:?}, args: [");
                open.push(tree.len(node).saturating_sub(1));
                continue;
            }
        } else {
            _ = write!(shown, "Named({:?})", tree.text(node));
        }
        while let Some(to_come) = open.last_mut() {
            *to_come = to_come.saturating_sub(1);
            if *to_come > 0 {
                shown.push_str(", ");
                break;
            }
            shown.push_str("] }");
            open.pop();
        }
    }
    shown
}
