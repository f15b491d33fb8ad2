//! New versions of decls: without their types, or with other loop contract pointers.

use portolan_wire::tree::{Member, NodeIdx, Tree};

use crate::slice::focus::TYPE_FIELDS;
use crate::slice::read::rebase_loop_pointer;

/// Appends a new version of a value.
pub(crate) type Appender<'e> = Box<dyn FnOnce(&mut Tree<'_>, NodeIdx) + 'e>;

/// What happens to a member in a new version of its object.
pub(crate) enum Edit<'e> {
    Keep,
    Drop,
    /// Replaces it with `0`.
    Zero,
    /// Replaces it with an appended value.
    Replace(Appender<'e>),
}

impl<'e> Edit<'e> {
    pub(crate) fn with(replace: impl FnOnce(&mut Tree<'_>, NodeIdx) + 'e) -> Self {
        Self::Replace(Box::new(replace))
    }

    pub(crate) fn drop_if(dropped: bool) -> Self {
        if dropped { Self::Drop } else { Self::Keep }
    }
}

/// Appends a version of an object with each member kept, dropped or replaced.
pub(crate) fn object<'e>(
    tree: &mut Tree<'_>,
    node: NodeIdx,
    edit: impl Fn(&str) -> Edit<'e>,
) -> NodeIdx {
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

/// Appends a version of an array with each item rebuilt.
pub(crate) fn array(
    tree: &mut Tree<'_>,
    node: NodeIdx,
    mut edit: impl FnMut(&mut Tree<'_>, usize, NodeIdx),
) {
    let items: Vec<NodeIdx> = tree.items(node).collect();
    let array = tree.open_array();
    for (index, item) in items.into_iter().enumerate() {
        edit(tree, index, item);
    }
    tree.close(array);
}

/// A decl without type parameters, contracts and brands.
pub(crate) fn without_types(tree: &mut Tree<'_>, decl: NodeIdx) -> NodeIdx {
    let has_types = tree.members(decl).any(|member| TYPE_FIELDS.contains(&tree.text(member.key)));
    if !has_types && !has_brands(tree, decl) {
        return decl;
    }
    object(tree, decl, |key| match key {
        "params" => Edit::with(|tree, params| {
            array(tree, params, |tree, _, param| {
                object(tree, param, |key| Edit::drop_if(key == "brand"));
            });
        }),
        _ => Edit::drop_if(TYPE_FIELDS.contains(&key)),
    })
}

/// Whether a parameter of the decl has a brand.
fn has_brands(tree: &Tree<'_>, decl: NodeIdx) -> bool {
    let params = tree.get(decl, "params").into_iter().flat_map(|params| tree.items(params));
    params.into_iter().any(|param| tree.get(param, "brand").is_some())
}

/// The number of loop contracts of a decl that point into its body, and so contain its index.
pub(crate) fn loop_pointers(tree: &Tree<'_>, decl: NodeIdx) -> usize {
    let contracts = tree.get(decl, "loop_contracts").into_iter().flat_map(|list| tree.items(list));
    contracts
        .filter_map(|contract| tree.get(contract, "ptr"))
        .filter(|&ptr| tree.text(ptr).contains("/body"))
        .count()
}

/// A decl whose loop contracts point to another index.
pub(crate) fn at_index(tree: &mut Tree<'_>, decl: NodeIdx, index: usize) -> NodeIdx {
    let repoint = move |tree: &mut Tree<'_>, ptr: NodeIdx| {
        let ptr = rebase_loop_pointer(tree.text(ptr), index);
        tree.push_string(&ptr);
    };
    object(tree, decl, |key| match key {
        "loop_contracts" => {
            Edit::with(move |tree, contracts| {
                array(tree, contracts, |tree, _, contract| {
                    object(tree, contract, |key| {
                        if key == "ptr" { Edit::with(repoint) } else { Edit::Keep }
                    });
                });
            })
        }
        _ => Edit::Keep,
    })
}
