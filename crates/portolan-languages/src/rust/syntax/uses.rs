//! The tree of a `use`, flattened.

use crate::syntax::tokens::{Kind, Token};

/// One path of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf<'t> {
    pub(super) path: String,
    pub(super) alias: Option<&'t str>,
    pub(super) is_glob: bool,
}

/// No tree is deeper, and no path longer, than this.
const MOST_DEPTH: usize = 128;
/// What a tree may make in all: paths repeat what their branches have in common.
const MOST_BYTES: usize = 1 << 20;

/// The paths of a tree, in order.
pub(super) fn leaves<'t>(text: &'t str, tree: &[Token]) -> Vec<Leaf<'t>> {
    let mut flat = Flat { leaves: Vec::new(), prefixes: Vec::new(), path: String::new(), bytes: 0 };
    let word = |token: &Token| {
        let word = text.get(token.start..token.end).unwrap_or_default();
        word.strip_prefix("r#").unwrap_or(word)
    };
    let mut tokens = tree.iter().peekable();
    let mut alias = None;
    while let Some(token) = tokens.next() {
        match token.kind {
            Kind::Name if word(token) == "as" => {
                alias = tokens.next().map(word);
            }
            Kind::Name => flat.path.push_str(word(token)),
            Kind::Mark(b':') => flat.colon(),
            Kind::Mark(b'{') if !flat.open() => break,
            Kind::Mark(b'*') => flat.leaf(None, true),
            Kind::Mark(b',') => flat.leaf(alias.take(), false),
            Kind::Mark(b'}') => {
                flat.leaf(alias.take(), false);
                flat.close();
            }
            _ => {}
        }
    }
    flat.leaf(alias, false);
    flat.leaves
}

struct Flat<'t> {
    leaves: Vec<Leaf<'t>>,
    /// The path where each open brace began.
    prefixes: Vec<String>,
    path: String,
    bytes: usize,
}

impl<'t> Flat<'t> {
    fn colon(&mut self) {
        if !self.path.ends_with("::") {
            // Two marks make one separator.
            self.path.push(':');
        }
    }

    fn open(&mut self) -> bool {
        self.prefixes.push(self.path.clone());
        self.prefixes.len() <= MOST_DEPTH
    }

    fn close(&mut self) {
        self.prefixes.pop();
        // Behind a brace comes a comma or another brace: nothing to add.
        self.path.clear();
    }

    fn base(&self) -> &str {
        self.prefixes.last().map_or("", |prefix| prefix)
    }

    /// Ends a path, if one was begun since the last.
    fn leaf(&mut self, alias: Option<&'t str>, is_glob: bool) {
        let base = self.base();
        let is_begun = self.path.len() > base.len() || is_glob;
        if is_begun && self.bytes < MOST_BYTES {
            let path = self.path.trim_end_matches("::");
            // `a::{self}` is `a`.
            let path = path.strip_suffix("::self").unwrap_or(path).to_owned();
            self.bytes += path.len();
            if !path.is_empty() || is_glob {
                self.leaves.push(Leaf { path, alias, is_glob });
            }
        }
        self.path = self.base().to_owned();
    }
}
