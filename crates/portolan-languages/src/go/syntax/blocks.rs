//! The open blocks of a Go file and the names they bind.

use std::collections::BTreeMap;

/// What a pair of braces contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brace {
    /// Statements.
    Block,
    /// The fields of a type.
    Struct,
    /// The methods of a type.
    Interface,
    /// A literal whose keys are fields.
    Fields,
    /// A literal with computed keys. The literals in it, this many levels deep, have computed keys
    /// too: `[][]T{{…}}`.
    Elements(u32),
}

impl Brace {
    /// What braces without a type contain inside of these.
    pub(super) fn inner(self) -> Self {
        match self {
            Self::Elements(depth @ 2..) => Self::Elements(depth - 1),
            _ => Self::Fields,
        }
    }
}

#[derive(Debug)]
struct OpenBlock<'t> {
    kind: Brace,
    /// The names that it binds, to release them when it closes.
    bound: Vec<&'t str>,
    /// The names that the interrupted statement binds when it ends.
    interrupted: Vec<&'t str>,
    /// The number of open brackets at its start.
    brackets: u32,
}

/// A signature or a header whose block has not started yet.
#[derive(Debug)]
struct PendingBlock<'t> {
    brackets: u32,
    bound: Vec<&'t str>,
    /// Whether a new line ends it: a function type has no body.
    ends_with_line: bool,
}

/// The largest number of blocks that are waited for at once.
const MAX_WAITING: usize = 64;

/// The open blocks.
#[derive(Debug, Default)]
pub(super) struct Blocks<'t> {
    open: Vec<OpenBlock<'t>>,
    brackets: u32,
    waiting: Vec<PendingBlock<'t>>,
    /// Names that are bound from the next statement on.
    pending: Vec<&'t str>,
    /// How often the open blocks bind each name.
    counts: BTreeMap<&'t str, u32>,
    /// The type parameters of the current type declaration.
    of_type: Vec<&'t str>,
    scoped: Vec<&'t str>,
}

impl<'t> Blocks<'t> {
    /// Closes everything.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn kind(&self) -> Option<Brace> {
        self.open.last().map(|open| open.kind)
    }

    pub(super) fn is_top(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn is_literal(&self) -> bool {
        matches!(self.kind(), Some(Brace::Fields | Brace::Elements(_)))
    }

    fn base(&self) -> u32 {
        self.open.last().map_or(0, |open| open.brackets)
    }

    /// Whether no bracket is open inside the innermost braces.
    pub(super) fn is_at_level(&self) -> bool {
        self.brackets == self.base()
    }

    /// The number of open braces and brackets.
    pub(super) fn level(&self) -> (usize, u32) {
        (self.open.len(), self.brackets)
    }

    pub(super) fn open_bracket(&mut self) {
        self.brackets += 1;
    }

    pub(super) fn close_bracket(&mut self) {
        self.brackets = self.brackets.saturating_sub(1).max(self.base());
        let brackets = self.brackets;
        self.waiting.retain(|waiting| waiting.brackets <= brackets);
    }

    /// Starts a line.
    pub(super) fn line(&mut self) {
        if self.is_at_level() {
            self.statement();
            let base = self.base();
            self.waiting.retain(|waiting| !(waiting.ends_with_line && waiting.brackets >= base));
            if self.is_top() {
                self.of_type.clear();
            }
        }
    }

    /// Ends a statement and binds its names.
    pub(super) fn statement(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if let Some(waiting) = self.waiting.last_mut().filter(|waiting| !waiting.ends_with_line) {
            // `if x := f(); x > 0 {`
            waiting.bound.extend(&pending);
            return;
        }
        if let Some(open) = self.open.last_mut() {
            for name in &pending {
                *self.counts.entry(name).or_default() += 1;
            }
            open.bound.extend(pending);
        }
    }

    /// Binds names to the innermost block, from the next statement on.
    pub(super) fn bind(&mut self, names: &[&'t str]) {
        self.pending.extend(names);
    }

    /// Starts a control statement, whose block is the next one at this level.
    pub(super) fn header(&mut self) {
        self.wait(Vec::new(), false);
    }

    /// Waits for a block. In broken code it may never come, so the number is limited.
    fn wait(&mut self, bound: Vec<&'t str>, ends_with_line: bool) {
        if self.waiting.len() >= MAX_WAITING {
            self.waiting.clear();
        }
        self.waiting.push(PendingBlock { brackets: self.brackets, bound, ends_with_line });
    }

    /// Ends a signature. If a block follows, it binds these names.
    pub(super) fn signature(&mut self, bound: Vec<&'t str>) {
        self.wait(bound, true);
    }

    /// Whether a block is expected here.
    pub(super) fn expects_block(&self) -> bool {
        self.waiting.last().is_some_and(|waiting| waiting.brackets == self.brackets)
    }

    pub(super) fn open(&mut self, kind: Brace) {
        let mut bound = Vec::new();
        if kind == Brace::Block {
            if self.expects_block()
                && let Some(waiting) = self.waiting.pop()
            {
                bound = waiting.bound;
                if !waiting.ends_with_line {
                    // `for i := range x {`
                    bound.append(&mut self.pending);
                }
            }
            for name in &bound {
                *self.counts.entry(name).or_default() += 1;
            }
        }
        let interrupted = std::mem::take(&mut self.pending);
        self.open.push(OpenBlock { kind, bound, interrupted, brackets: self.brackets });
    }

    pub(super) fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.brackets = open.brackets;
        self.pending = open.interrupted;
        for name in open.bound {
            if let Some(count) = self.counts.get_mut(name) {
                *count = count.saturating_sub(1);
            }
        }
    }

    /// Binds type parameters until the type declaration ends.
    pub(super) fn type_parameters(&mut self, bound: Vec<&'t str>) {
        self.of_type = bound;
    }

    /// Binds names while a signature is read.
    pub(super) fn scope(&mut self, names: &[&'t str]) {
        self.scoped = names.to_vec();
    }

    pub(super) fn unscope(&mut self) {
        self.scoped.clear();
    }

    /// Whether something open binds the name.
    pub(super) fn binds(&self, name: &str) -> bool {
        self.counts.get(name).is_some_and(|count| *count > 0)
            || self.of_type.contains(&name)
            || self.scoped.contains(&name)
            || self.waiting.iter().any(|waiting| waiting.bound.contains(&name))
    }
}
