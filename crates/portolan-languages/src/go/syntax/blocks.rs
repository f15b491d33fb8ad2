//! The blocks of a Go file that are open at a place, with the names they bind.

use std::collections::BTreeMap;

/// What a pair of braces holds.
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
    /// A literal whose keys are computed, and so are those of literals in it, so many deep: `[][]T{{…}}`.
    Elements(u32),
}

impl Brace {
    /// What braces without a type hold inside of these.
    pub(super) fn inner(self) -> Self {
        match self {
            Self::Elements(depth @ 2..) => Self::Elements(depth - 1),
            _ => Self::Fields,
        }
    }
}

#[derive(Debug)]
struct Open<'t> {
    kind: Brace,
    /// What it binds, so that it can be let go.
    bound: Vec<&'t str>,
    /// What the statement that it is part of binds when it ends.
    interrupted: Vec<&'t str>,
    /// How many brackets were open where it began.
    brackets: u32,
}

/// A signature or a header whose block has not begun yet.
#[derive(Debug)]
struct Waiting<'t> {
    brackets: u32,
    bound: Vec<&'t str>,
    /// Whether a new line ends it: a type has no body.
    ends_with_line: bool,
}

/// No code waits for more blocks at once.
const MOST_WAITING: usize = 64;

/// What is open.
#[derive(Debug, Default)]
pub(super) struct Blocks<'t> {
    open: Vec<Open<'t>>,
    brackets: u32,
    waiting: Vec<Waiting<'t>>,
    /// Bound from the next statement on.
    pending: Vec<&'t str>,
    /// How often each name is bound by what is open.
    counts: BTreeMap<&'t str, u32>,
    /// Parameters of the type that is being declared.
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

    /// How many braces and brackets are open.
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

    /// A line begins.
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

    /// A statement ends: what it binds is bound.
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

    /// Binds names to the innermost block.
    pub(super) fn bind(&mut self, names: &[&'t str]) {
        self.pending.extend(names);
    }

    /// A control statement begins: its block is the next one at this level.
    pub(super) fn header(&mut self) {
        self.wait(Vec::new(), false);
    }

    /// Waits for a block. Of what never gets one, broken as it is, only so much is remembered.
    fn wait(&mut self, bound: Vec<&'t str>, ends_with_line: bool) {
        if self.waiting.len() >= MOST_WAITING {
            self.waiting.clear();
        }
        self.waiting.push(Waiting { brackets: self.brackets, bound, ends_with_line });
    }

    /// A signature ended: if a block follows, it binds these.
    pub(super) fn signature(&mut self, bound: Vec<&'t str>) {
        self.wait(bound, true);
    }

    /// Whether a block is waited for here.
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
        self.open.push(Open { kind, bound, interrupted, brackets: self.brackets });
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

    /// Parameters of a type are bound until its declaration ends.
    pub(super) fn type_parameters(&mut self, bound: Vec<&'t str>) {
        self.of_type = bound;
    }

    /// Names that are bound while a signature is read.
    pub(super) fn scope(&mut self, names: &[&'t str]) {
        self.scoped = names.to_vec();
    }

    pub(super) fn unscope(&mut self) {
        self.scoped.clear();
    }

    /// Whether something that is open binds the name.
    pub(super) fn binds(&self, name: &str) -> bool {
        self.counts.get(name).is_some_and(|count| *count > 0)
            || self.of_type.contains(&name)
            || self.scoped.contains(&name)
            || self.waiting.iter().any(|waiting| waiting.bound.contains(&name))
    }
}
