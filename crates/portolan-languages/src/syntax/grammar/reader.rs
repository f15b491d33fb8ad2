//! The declaration reader of one language: a shared walker plus the language's own state.

use std::ops::{Deref, DerefMut};

use tree_sitter::Node;

use super::{Walker, children};
use crate::syntax::declaring::UNKNOWN;

/// Reads the declarations of one language: a shared walker plus the language's own state.
pub(crate) struct TreeReader<'t, O> {
    pub(crate) walker: Walker<'t>,
    pub(crate) own: O,
}

impl<'t, O> Deref for TreeReader<'t, O> {
    type Target = Walker<'t>;

    fn deref(&self) -> &Walker<'t> {
        &self.walker
    }
}

impl<O> DerefMut for TreeReader<'_, O> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.walker
    }
}

/// The state of a language during the walk, and how it walks expressions and types.
pub(crate) trait Walks<'t>: Default {
    /// The shape of an expression.
    fn expression(reader: &mut TreeReader<'t, Self>, node: Node<'_>) -> u32;

    /// The shape of a written type.
    fn type_of(reader: &mut TreeReader<'t, Self>, node: Node<'_>) -> u32;
}

impl<'t, O: Walks<'t>> TreeReader<'t, O> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { walker: Walker::new(text), own: O::default() }
    }

    /// The shape of an expression. Beyond the depth limit only its names are collected.
    pub(crate) fn expression(&mut self, node: Node<'_>) -> u32 {
        if !self.deeper(node) {
            return UNKNOWN;
        }
        let shape = O::expression(self, node);
        self.higher();
        shape
    }

    /// The shape of a written type.
    pub(crate) fn type_of(&mut self, node: Node<'_>) -> u32 {
        if !self.deeper(node) {
            return UNKNOWN;
        }
        let shape = O::type_of(self, node);
        self.higher();
        shape
    }

    /// The shapes of the children of a node.
    pub(crate) fn each(&mut self, node: Node<'_>) -> Vec<u32> {
        children(node).into_iter().map(|part| self.expression(part)).collect()
    }

    /// The shape of a field of a node.
    pub(crate) fn part(&mut self, node: Node<'_>, field: &str) -> u32 {
        node.child_by_field_name(field).map_or(UNKNOWN, |part| self.expression(part))
    }
}
