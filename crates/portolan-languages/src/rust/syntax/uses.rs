//! Flattens the tree of a `use`.

use crate::syntax::tokens::{Token, TokenKind};

/// One path of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UseTreeLeaf<'t> {
    pub(super) path: String,
    pub(super) alias: Option<&'t str>,
    pub(super) is_glob: bool,
}

/// The deepest tree and the longest path.
const MAX_DEPTH: usize = 128;
/// The largest size of all paths together. Each path repeats the prefix of its branch.
const MAX_BYTES: usize = 1 << 20;

/// The paths of a tree, in order.
pub(super) fn leaves<'t>(text: &'t str, tree: &[Token]) -> Vec<UseTreeLeaf<'t>> {
    let mut flat = UseTreeFlattener {
        leaves: Vec::new(),
        prefixes: Vec::new(),
        path: String::new(),
        bytes: 0,
    };
    let word = |token: &Token| {
        let word = text.get(token.start..token.end).unwrap_or_default();
        word.strip_prefix("r#").unwrap_or(word)
    };
    let mut tokens = tree.iter().peekable();
    let mut alias = None;
    while let Some(token) = tokens.next() {
        match token.kind {
            TokenKind::Name if word(token) == "as" => {
                alias = tokens.next().map(word);
            }
            TokenKind::Name => flat.path.push_str(word(token)),
            TokenKind::Mark(b':') => flat.colon(),
            TokenKind::Mark(b'{') if !flat.open() => break,
            TokenKind::Mark(b'*') => flat.leaf(None, true),
            TokenKind::Mark(b',') => flat.leaf(alias.take(), false),
            TokenKind::Mark(b'}') => {
                flat.leaf(alias.take(), false);
                flat.close();
            }
            _ => {}
        }
    }
    flat.leaf(alias, false);
    flat.leaves
}

struct UseTreeFlattener<'t> {
    leaves: Vec<UseTreeLeaf<'t>>,
    /// The path at each open brace.
    prefixes: Vec<String>,
    path: String,
    bytes: usize,
}

impl<'t> UseTreeFlattener<'t> {
    fn colon(&mut self) {
        if !self.path.ends_with("::") {
            // Two colons make one separator.
            self.path.push(':');
        }
    }

    fn open(&mut self) -> bool {
        self.prefixes.push(self.path.clone());
        self.prefixes.len() <= MAX_DEPTH
    }

    fn close(&mut self) {
        self.prefixes.pop();
        // Only a comma or another brace can follow a brace.
        self.path.clear();
    }

    fn base(&self) -> &str {
        self.prefixes.last().map_or("", |prefix| prefix)
    }

    /// Ends a path, if one was started.
    fn leaf(&mut self, alias: Option<&'t str>, is_glob: bool) {
        let base = self.base();
        let is_begun = self.path.len() > base.len() || is_glob;
        if is_begun && self.bytes < MAX_BYTES {
            let path = self.path.trim_end_matches("::");
            // `a::{self}` is `a`.
            let path = path.strip_suffix("::self").unwrap_or(path).to_owned();
            self.bytes += path.len();
            if !path.is_empty() || is_glob {
                self.leaves.push(UseTreeLeaf { path, alias, is_glob });
            }
        }
        self.path = self.base().to_owned();
    }
}
