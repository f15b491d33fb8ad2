//! Eliding what is off the focus path inside the focus decl, step by step.
//!
//! Each step gives a version of the decl that is not longer, is valid where the decl was, and still
//! has the focus where it was, whole.

use portolan_wire::tree::{Member, NodeIdx, Tree, array_index};

use crate::edit::{self, Edit};
use crate::read::CONTRACT_FIELDS;

/// One step of the pruning, in the order in which they are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The body and the contracts, but for what is on the path.
    Code,
    /// The documentation.
    Doc,
    /// The brands.
    Brands,
}

/// The steps, in the order in which they are taken.
pub(crate) const STEPS: [Step; 3] = [Step::Code, Step::Doc, Step::Brands];

/// Appends the version of a decl after a step. `path` leads from the decl to the focus; where it is
/// empty, the decl is the focus, nothing in it is off the path, and only its body can give way.
pub(crate) fn step(tree: &mut Tree<'_>, decl: NodeIdx, path: &[String], step: Step) -> NodeIdx {
    let Some((field, rest)) = path.split_first() else {
        return if step == Step::Code { without_body(tree, decl) } else { decl };
    };
    match step {
        Step::Code => {
            let pruned = body(tree, decl, field, rest);
            contracts(tree, pruned, field, rest)
        }
        Step::Doc => edit::object(tree, decl, |key| drop_if(key == "doc" && field != "doc")),
        Step::Brands => brands(tree, decl, path),
    }
}

fn drop_if(dropped: bool) -> Edit {
    if dropped { Edit::Drop } else { Edit::Keep }
}

/// Appends a version of an object with the members that `edit` takes made anew.
fn members(
    tree: &mut Tree<'_>,
    object: NodeIdx,
    edit: impl Fn(&mut Tree<'_>, Member) -> bool,
) -> NodeIdx {
    let members: Vec<Member> = tree.members(object).collect();
    let object = tree.open_object();
    for member in members {
        if !edit(tree, member) {
            tree.copy_member(member);
        }
    }
    tree.close(object)
}

fn body(tree: &mut Tree<'_>, decl: NodeIdx, field: &str, rest: &[String]) -> NodeIdx {
    if field != "body" {
        return without_body(tree, decl);
    }
    members(tree, decl, |tree, member| {
        let is_body = tree.text(member.key) == "body";
        if is_body {
            tree.copy(member.key);
            expression(tree, member.value, rest);
        }
        is_body
    })
}

fn contracts(tree: &mut Tree<'_>, decl: NodeIdx, field: &str, rest: &[String]) -> NodeIdx {
    members(tree, decl, |tree, member| {
        let key = tree.text(member.key).to_owned();
        let is_contract = CONTRACT_FIELDS.contains(&key.as_str());
        if is_contract && key == field {
            tree.copy(member.key);
            match field {
                "loop_contracts" => loop_contracts(tree, member.value, rest),
                "protocol" => protocol(tree, member.value, rest),
                _ => clauses(tree, member.value, rest),
            }
        }
        is_contract
    })
}

/// Appends an expression with the lists on the path cut down to it: heads stay, what stands before
/// the path becomes `0`, what stands after it goes.
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
        let kept = if is_literal { 2 } else { 1 };
        let list = tree.open_array();
        for (index, &item) in items.iter().enumerate().take(at) {
            if index < kept {
                tree.copy(item);
            } else {
                tree.push_zero();
            }
        }
        let text: Option<NodeIdx> = (at + 1 < kept).then(|| items.get(at + 1).copied()).flatten();
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

/// Appends a list with the items before the path made small, the one on it cut, the rest gone.
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
    let items: Vec<NodeIdx> = tree.items(node).collect();
    let at = array_index(token).unwrap_or(items.len());
    let list = tree.open_array();
    for (index, item) in items.into_iter().enumerate().take(at.saturating_add(1)) {
        if index < at { small(tree, item) } else { cut(tree, item, rest) }
    }
    tree.close(list);
}

/// Appends contract clauses cut down to the path.
fn clauses(tree: &mut Tree<'_>, node: NodeIdx, path: &[String]) {
    list(tree, node, path, |tree, clause| small_clause(tree, clause), clause);
}

/// Appends the smallest clause.
fn small_clause(tree: &mut Tree<'_>, clause: NodeIdx) {
    edit::object(tree, clause, |key| match key {
        "expr" => Edit::Zero,
        _ => Edit::Drop,
    });
}

fn clause(tree: &mut Tree<'_>, clause: NodeIdx, path: &[String]) {
    let Some((field, rest)) = path.split_first() else {
        tree.copy(clause);
        return;
    };
    let members: Vec<Member> = tree.members(clause).collect();
    let object = tree.open_object();
    for member in members {
        let key = tree.text(member.key).to_owned();
        match (key.as_str(), key == *field) {
            ("expr", on_path) => {
                tree.copy(member.key);
                if on_path {
                    expression(tree, member.value, rest);
                } else {
                    tree.push_zero();
                }
            }
            ("witness", true) => {
                tree.copy(member.key);
                let small = |tree: &mut Tree<'_>, _| _ = tree.push_zero();
                list(tree, member.value, rest, small, |tree, expr, rest| {
                    _ = expression(tree, expr, rest)
                });
            }
            (_, true) => tree.copy_member(member),
            (_, false) => {}
        }
    }
    tree.close(object);
}

/// Appends loop contracts cut down to the path.
fn loop_contracts(tree: &mut Tree<'_>, node: NodeIdx, path: &[String]) {
    list(
        tree,
        node,
        path,
        |tree, contract| loop_contract(tree, contract, &[String::new()]),
        loop_contract,
    );
}

fn loop_contract(tree: &mut Tree<'_>, contract: NodeIdx, path: &[String]) {
    let Some((field, rest)) = path.split_first() else {
        tree.copy(contract);
        return;
    };
    let members: Vec<Member> = tree.members(contract).collect();
    let object = tree.open_object();
    for member in members {
        let key = tree.text(member.key).to_owned();
        tree.copy(member.key);
        if key == "ptr" {
            tree.copy(member.value);
        } else if key == *field {
            clauses(tree, member.value, rest);
        } else {
            let nothing = tree.open_array();
            tree.close(nothing);
        }
    }
    tree.close(object);
}

/// Appends a protocol cut down to the path.
fn protocol(tree: &mut Tree<'_>, node: NodeIdx, path: &[String]) {
    let Some((field, rest)) = path.split_first() else {
        tree.copy(node);
        return;
    };
    let members: Vec<Member> = tree.members(node).collect();
    let object = tree.open_object();
    for member in
        members.into_iter().filter(|member| tree.text(member.key) == field).collect::<Vec<_>>()
    {
        tree.copy(member.key);
        clauses(tree, member.value, rest);
    }
    tree.close(object);
}

/// A decl without the brands that are off the path.
fn brands(tree: &mut Tree<'_>, decl: NodeIdx, path: &[String]) -> NodeIdx {
    let members: Vec<Member> = tree.members(decl).collect();
    let object = tree.open_object();
    for member in members {
        let key = tree.text(member.key);
        let on_path = path.first().is_some_and(|field| key == field);
        match key {
            "result_brand" if !on_path => {}
            "params" => {
                tree.copy(member.key);
                let focus = path.get(1..).filter(|_| on_path);
                params(tree, member.value, focus);
            }
            _ => tree.copy_member(member),
        }
    }
    tree.close(object)
}

/// Appends params without brands, but for the one that has the focus or is it. `None`: none has.
fn params(tree: &mut Tree<'_>, node: NodeIdx, focus: Option<&[String]>) {
    let items: Vec<NodeIdx> = tree.items(node).collect();
    let list = tree.open_array();
    for (index, param) in items.into_iter().enumerate() {
        let in_focus = match focus {
            None => false,
            Some([]) => true,
            Some([token, rest @ ..]) => {
                array_index(token) == Some(index)
                    && rest.first().is_none_or(|field| field == "brand")
            }
        };
        edit::object(tree, param, |key| drop_if(key == "brand" && !in_focus));
    }
    tree.close(list);
}

/// A decl with `0` for its body.
pub(crate) fn without_body(tree: &mut Tree<'_>, decl: NodeIdx) -> NodeIdx {
    edit::object(tree, decl, |key| match key {
        "body" => Edit::Zero,
        _ => Edit::Keep,
    })
}
