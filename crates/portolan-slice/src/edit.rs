//! New versions of decls: without their types, or with their loop contracts pointed elsewhere.

use portolan_wire::tree::{Member, NodeIdx, Tree};

use crate::focus::TYPE_FIELDS;
use crate::read::rebase_loop_pointer;

/// What becomes of a member in a new version of its object.
pub(crate) enum Edit {
    Keep,
    Drop,
    /// Puts `0` in its place.
    Zero,
    /// Appends the new value.
    Replace(fn(&mut Tree<'_>, NodeIdx)),
}

/// Appends a version of an object with each member kept, dropped or replaced.
pub(crate) fn object(tree: &mut Tree<'_>, node: NodeIdx, edit: impl Fn(&str) -> Edit) -> NodeIdx {
    let members: Vec<Member> = tree.members(node).collect();
    let object = tree.open_object();
    for member in members {
        match edit(tree.text(member.key)) {
            Edit::Keep => tree.copy_member(member),
            Edit::Drop => {}
            Edit::Zero => {
                tree.copy(member.key);
                tree.push_zero();
            }
            Edit::Replace(replace) => {
                tree.copy(member.key);
                replace(tree, member.value);
            }
        }
    }
    tree.close(object)
}

/// A decl without type parameters, contracts and brands.
pub(crate) fn without_types(tree: &mut Tree<'_>, decl: NodeIdx) -> NodeIdx {
    let is_plain = !tree.members(decl).any(|member| TYPE_FIELDS.contains(&tree.text(member.key)));
    if is_plain && !has_brands(tree, decl) {
        return decl;
    }
    object(tree, decl, |key| match key {
        "params" => Edit::Replace(without_brands),
        _ if TYPE_FIELDS.contains(&key) => Edit::Drop,
        _ => Edit::Keep,
    })
}

/// Whether a param of the decl has a brand.
pub(crate) fn has_brands(tree: &Tree<'_>, decl: NodeIdx) -> bool {
    let params = tree.get(decl, "params");
    params
        .into_iter()
        .flat_map(|params| tree.items(params))
        .any(|param| tree.get(param, "brand").is_some())
}

/// Appends a list of params without their brands.
fn without_brands(tree: &mut Tree<'_>, params: NodeIdx) {
    let items: Vec<NodeIdx> = tree.items(params).collect();
    let list = tree.open_array();
    for param in items {
        object(tree, param, |key| if key == "brand" { Edit::Drop } else { Edit::Keep });
    }
    tree.close(list);
}

/// How many loop contracts of a decl point into its body, and so name its index.
pub(crate) fn loop_pointers(tree: &Tree<'_>, decl: NodeIdx) -> usize {
    let contracts = tree.get(decl, "loop_contracts").into_iter().flat_map(|list| tree.items(list));
    contracts
        .filter_map(|contract| tree.get(contract, "ptr"))
        .filter(|&ptr| tree.text(ptr).contains("/body"))
        .count()
}

/// A decl whose loop contracts point to it at another index.
pub(crate) fn at_index(tree: &mut Tree<'_>, decl: NodeIdx, index: usize) -> NodeIdx {
    let members: Vec<Member> = tree.members(decl).collect();
    let object = tree.open_object();
    for member in members {
        if tree.text(member.key) == "loop_contracts" {
            tree.copy(member.key);
            contracts_at_index(tree, member.value, index);
        } else {
            tree.copy_member(member);
        }
    }
    tree.close(object)
}

fn contracts_at_index(tree: &mut Tree<'_>, contracts: NodeIdx, index: usize) {
    let items: Vec<NodeIdx> = tree.items(contracts).collect();
    let list = tree.open_array();
    for contract in items {
        let members: Vec<Member> = tree.members(contract).collect();
        let object = tree.open_object();
        for member in members {
            if tree.text(member.key) == "ptr" {
                tree.copy(member.key);
                let ptr = rebase_loop_pointer(tree.text(member.value), index);
                tree.push_string(&ptr);
            } else {
                tree.copy_member(member);
            }
        }
        tree.close(object);
    }
    tree.close(list);
}
