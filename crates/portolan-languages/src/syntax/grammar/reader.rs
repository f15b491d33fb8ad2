//! What reads the declarations of one language: a walker, and what the language itself adds to it.

use std::ops::{Deref, DerefMut};

use tree_sitter::Node;

use super::{children, Walker};
use crate::syntax::declaring::UNKNOWN;

/// Reads the declarations of one language: a walker, and what that language keeps on its way.
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

/// What a language keeps on its way, and how it walks what gives a value.
pub(crate) trait Walks<'t>: Default {
    /// What an expression gives: a shape.
    fn expression(reader: &mut TreeReader<'t, Self>, node: Node<'_>) -> u32;

    /// What a written type means: a shape.
    fn type_of(reader: &mut TreeReader<'t, Self>, node: Node<'_>) -> u32;
}

impl<'t, O: Walks<'t>> TreeReader<'t, O> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { walker: Walker::new(text), own: O::default() }
    }

    /// What an expression gives; of one that is too deep the names alone are taken.
    pub(crate) fn expression(&mut self, node: Node<'_>) -> u32 {
        if !self.deeper(node) {
            return UNKNOWN;
        }
        let shape = O::expression(self, node);
        self.higher();
        shape
    }

    /// What a written type means.
    pub(crate) fn type_of(&mut self, node: Node<'_>) -> u32 {
        if !self.deeper(node) {
            return UNKNOWN;
        }
        let shape = O::type_of(self, node);
        self.higher();
        shape
    }

    /// What each part of a node gives.
    pub(crate) fn each(&mut self, node: Node<'_>) -> Vec<u32> {
        children(node).into_iter().map(|part| self.expression(part)).collect()
    }

    /// What a field of a node gives.
    pub(crate) fn part(&mut self, node: Node<'_>, field: &str) -> u32 {
        node.child_by_field_name(field).map_or(UNKNOWN, |part| self.expression(part))
    }
}
