//! Elides the parts of the focus decl that are off the focus path, step by step.
//!
//! Each step gives a version of the decl that is not longer, is valid if the decl was, and still
//! has the whole focus at the same path.

use portolan_wire::tree::{NodeIdx, Tree, array_index};

use crate::slice::edit::{self, Edit};
use crate::slice::read::CONTRACT_FIELDS;

/// A step of the pruning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pruning {
    /// The body and the contracts, except for the path.
    Code,
    /// The documentation.
    Doc,
    /// The brands.
    Brands,
}

/// Appends the version of a decl after a step. `path` leads from the decl to the focus. If it is
/// empty, the decl is the focus: nothing is off the path, and only its body can be elided.
pub(crate) fn step(tree: &mut Tree<'_>, decl: NodeIdx, path: &[String], step: Pruning) -> NodeIdx {
    let Some((field, rest)) = path.split_first() else {
        return if step == Pruning::Code { without_body(tree, decl) } else { decl };
    };
    match step {
        Pruning::Code => code(tree, decl, field, rest),
        Pruning::Doc => {
            edit::object(tree, decl, |key| Edit::drop_if(key == "doc" && field != "doc"))
        }
        Pruning::Brands => brands(tree, decl, field, rest),
    }
}

/// A decl with `0` for its body.
pub(crate) fn without_body(tree: &mut Tree<'_>, decl: NodeIdx) -> NodeIdx {
    edit::object(tree, decl, |key| if key == "body" { Edit::Zero } else { Edit::Keep })
}

fn code(tree: &mut Tree<'_>, decl: NodeIdx, field: &str, rest: &[String]) -> NodeIdx {
    edit::object(tree, decl, |key| match key {
        "body" if field == "body" => Edit::with(|tree, body| _ = expression(tree, body, rest)),
        "body" => Edit::Zero,
        _ if !CONTRACT_FIELDS.contains(&key) => Edit::Keep,
        _ if key != field => Edit::Drop,
        "loop_contracts" => Edit::with(|tree, contracts| loop_contracts(tree, contracts, rest)),
        "protocol" => Edit::with(|tree, node| protocol(tree, node, rest)),
        _ => Edit::with(|tree, list| clauses(tree, list, rest)),
    })
}

/// Appends an expression with the lists on the path cut down to it. Heads stay, and so does the
/// text of a literal. Other items before the path become `0`, and items after it are removed.
pub(crate) fn expression(tree: &mut Tree<'_>, expression: NodeIdx, path: &[String]) -> NodeIdx {
    let start = tree.next_index();
    let mut node = expression;
    let mut open = Vec::new();
    for token in path {
        let items: Vec<NodeIdx> = tree.items(node).collect();
        let Some((at, &next)) = array_index(token).and_then(|at| Some((at, items.get(at)?))) else {
            break;
        };
        let is_literal = items.first().is_some_and(|&head| tree.string(head) == Some("bytes.lit"));
        let n_kept = if is_literal { 2 } else { 1 };
        let list = tree.open_array();
        for (index, &item) in items.iter().enumerate().take(at) {
            if index < n_kept {
                tree.copy(item)
            } else {
                tree.push_zero()
            };
        }
        let text = items.get(at + 1).copied().filter(|_| at + 1 < n_kept);
        open.push((list, text));
        node = next;
    }
    tree.copy(node);
    for (list, text) in open.into_iter().rev() {
        if let Some(text) = text {
            tree.copy(text);
        }
        tree.close(list);
    }
    start
}

/// Appends a list with the items before the path minimized, the one on the path cut, and the rest
/// removed.
fn list(
    tree: &mut Tree<'_>,
    node: NodeIdx,
    path: &[String],
    small: impl Fn(&mut Tree<'_>, NodeIdx),
    cut: impl Fn(&mut Tree<'_>, NodeIdx, &[String]),
) {
    let Some((token, rest)) = path.split_first() else {
        tree.copy(node);
        return;
    };
    let on_path = array_index(token).unwrap_or(usize::MAX);
    edit::array(tree, node, |tree, index, item| match index.cmp(&on_path) {
        std::cmp::Ordering::Less => small(tree, item),
        std::cmp::Ordering::Equal => cut(tree, item, rest),
        std::cmp::Ordering::Greater => {}
    });
}

/// Appends an object with the member on the path cut, unless the path ends here.
fn on_path<'e>(
    tree: &mut Tree<'_>,
    node: NodeIdx,
    path: &'e [String],
    edit: impl Fn(&str, bool, &'e [String]) -> Edit<'e>,
) {
    match path.split_first() {
        Some((field, rest)) => _ = edit::object(tree, node, |key| edit(key, key == field, rest)),
        None => _ = tree.copy(node),
    }
}

/// Appends contract clauses cut down to the path.
fn clauses(tree: &mut Tree<'_>, node: NodeIdx, path: &[String]) {
    let small = |tree: &mut Tree<'_>, clause| {
        edit::object(tree, clause, |key| if key == "expr" { Edit::Zero } else { Edit::Drop });
    };
    list(tree, node, path, small, clause);
}

fn clause(tree: &mut Tree<'_>, node: NodeIdx, path: &[String]) {
    on_path(tree, node, path, |key, is_on_path, rest| match key {
        "expr" if is_on_path => Edit::with(|tree, expr| _ = expression(tree, expr, rest)),
        "expr" => Edit::Zero,
        "witness" if is_on_path => Edit::with(|tree, witness| {
            let small = |tree: &mut Tree<'_>, _| _ = tree.push_zero();
            list(tree, witness, rest, small, |tree, expr, rest| _ = expression(tree, expr, rest));
        }),
        _ => Edit::drop_if(!is_on_path),
    });
}

/// Appends loop contracts cut down to the path.
fn loop_contracts(tree: &mut Tree<'_>, node: NodeIdx, path: &[String]) {
    let small = |tree: &mut Tree<'_>, contract| loop_contract(tree, contract, &[String::new()]);
    list(tree, node, path, small, loop_contract);
}

fn loop_contract(tree: &mut Tree<'_>, node: NodeIdx, path: &[String]) {
    on_path(tree, node, path, |key, is_on_path, rest| match key {
        "ptr" => Edit::Keep,
        _ if is_on_path => Edit::with(|tree, list| clauses(tree, list, rest)),
        // A loop contract always has both of its lists.
        _ => Edit::with(|tree, _| {
            let nothing = tree.open_array();
            tree.close(nothing);
        }),
    });
}

/// Appends a protocol cut down to the path.
fn protocol(tree: &mut Tree<'_>, node: NodeIdx, path: &[String]) {
    on_path(tree, node, path, |_, is_on_path, rest| {
        if is_on_path { Edit::with(|tree, list| clauses(tree, list, rest)) } else { Edit::Drop }
    });
}

/// A decl without the brands that are off the path.
fn brands(tree: &mut Tree<'_>, decl: NodeIdx, field: &str, rest: &[String]) -> NodeIdx {
    edit::object(tree, decl, |key| match key {
        "params" => {
            let focus = (field == "params").then_some(rest);
            Edit::with(move |tree, list| {
                edit::array(tree, list, |tree, index, param| {
                    let kept = focus.is_some_and(|path| has_brand_in_focus(path, index));
                    edit::object(tree, param, |key| Edit::drop_if(key == "brand" && !kept));
                });
            })
        }
        _ => Edit::drop_if(key == "result_brand" && field != "result_brand"),
    })
}

/// Whether the brand of a parameter is the focus or part of it. `path` starts at the parameters.
fn has_brand_in_focus(path: &[String], index: usize) -> bool {
    match path {
        [] => true,
        [token, rest @ ..] => {
            array_index(token) == Some(index) && rest.first().is_none_or(|field| field == "brand")
        }
    }
}
