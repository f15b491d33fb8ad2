//! The focus: the value that the pointer refers to, and its requirements for the slice.

use portolan_wire::tree::{NodeIdx, Tree, array_index};

use crate::slice::read::{AstDocument, DeclKind};
use crate::slice::request::{Closure, Enclosure, SliceError, SliceRequest};

/// The value that the pointer refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SliceFocus {
    /// The pointer, trimmed.
    pub(crate) ptr: String,
    /// Its tokens, unescaped.
    pub(crate) path: Vec<String>,
    pub(crate) region: Region,
}

/// The part of the document that the focus is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    Decl(usize),
    Solve,
    Meta,
    Imports,
    /// The whole document, or one of its other fields.
    Other,
}

/// The categories that a slice has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Categories {
    pub(crate) locals: bool,
    pub(crate) types: bool,
    pub(crate) imports: bool,
}

/// The optional fields that belong to the types of a function.
pub(crate) const TYPE_FIELDS: [&str; 8] = [
    "type_params",
    "requires",
    "ensures",
    "invariant",
    "decreases",
    "loop_contracts",
    "protocol",
    "result_brand",
];

impl SliceFocus {
    /// Resolves the pointer and checks that the enclosure and the limits are possible.
    pub(crate) fn find(
        document: &AstDocument<'_>,
        request: &SliceRequest,
    ) -> Result<Self, SliceError> {
        let ptr = request.ptr.trim().to_owned();
        let Some(path) = tokens(&ptr) else { return Err(SliceError::InvalidPointer(ptr)) };
        let Some(path) = path.filter(|path| resolve(&document.tree, document.root, path).is_some())
        else {
            return Err(SliceError::PointerNotFound(ptr));
        };
        if request.max_nodes == Some(0) {
            return Err(SliceError::ZeroBound("max_nodes"));
        }
        if request.max_bytes == Some(0) {
            return Err(SliceError::ZeroBound("max_bytes"));
        }
        let region = Region::of(&path);
        let focus = Self { ptr, path, region };
        focus.check_enclosure(document, request.enclosure)?;
        Ok(focus)
    }

    fn check_enclosure(
        &self,
        document: &AstDocument<'_>,
        enclosure: Enclosure,
    ) -> Result<(), SliceError> {
        match (enclosure, self.region) {
            (Enclosure::Module, _) | (Enclosure::Decl, Region::Decl(_)) => Ok(()),
            (Enclosure::Defn, Region::Decl(index)) => {
                let kind = document.decl_kind(index);
                if kind.is_some_and(DeclKind::has_body) {
                    Ok(())
                } else {
                    Err(SliceError::NotFunction(kind.map_or("", DeclKind::as_str).into()))
                }
            }
            _ => Err(SliceError::NotInDecl(enclosure)),
        }
    }

    /// The index of the decl that contains the focus.
    pub(crate) fn decl(&self) -> Option<usize> {
        if let Region::Decl(index) = self.region { Some(index) } else { None }
    }

    /// The path from the focus decl, or from `solve`, to the focus.
    pub(crate) fn inner_path(&self) -> &[String] {
        let outer = match self.region {
            Region::Decl(_) => 2,
            Region::Solve => 1,
            _ => 0,
        };
        self.path.get(outer..).unwrap_or_default()
    }

    /// The categories of the slice: the requested ones, and those that keep the pointer valid.
    pub(crate) fn categories(&self, closure: Closure) -> Categories {
        Categories {
            locals: closure.has(Closure::Locals),
            types: closure.has(Closure::Types) || self.is_in_types(),
            imports: closure.has(Closure::Imports) || self.region == Region::Imports,
        }
    }

    fn is_in_types(&self) -> bool {
        let inner = match self.region {
            Region::Decl(_) => self.inner_path(),
            _ => return false,
        };
        match inner.first().map(String::as_str) {
            Some("params") => inner.len() > 2 && inner.last().is_some_and(|field| field == "brand"),
            Some(field) => TYPE_FIELDS.contains(&field),
            None => false,
        }
    }

    /// The pointer for a focus decl at another index.
    pub(crate) fn ptr_at(&self, index: usize) -> String {
        let rest =
            self.ptr.splitn(4, '/').nth(3).map_or_else(String::new, |rest| format!("/{rest}"));
        format!("/decls/{index}{rest}")
    }
}

impl Region {
    fn of(path: &[String]) -> Self {
        let second = path.get(1).and_then(|token| array_index(token));
        match (path.first().map(String::as_str), second) {
            (Some("decls"), Some(index)) => Self::Decl(index),
            (Some("solve"), _) => Self::Solve,
            (Some("meta"), _) => Self::Meta,
            (Some("imports"), _) => Self::Imports,
            _ => Self::Other,
        }
    }
}

/// The tokens of a JSON Pointer; `None` if it is not one, `Some(None)` if an escape is invalid, so
/// that it refers to nothing.
#[expect(clippy::option_option, reason = "the two failures have different messages")]
fn tokens(ptr: &str) -> Option<Option<Vec<String>>> {
    if ptr.is_empty() {
        return Some(Some(Vec::new()));
    }
    let tokens = ptr.strip_prefix('/')?;
    Some(tokens.split('/').map(unescape).collect())
}

fn unescape(token: &str) -> Option<String> {
    let mut text = String::with_capacity(token.len());
    let mut characters = token.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '~' => match characters.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            character => character,
        });
    }
    Some(text)
}

fn resolve(tree: &Tree<'_>, root: NodeIdx, path: &[String]) -> Option<NodeIdx> {
    path.iter().try_fold(root, |node, token| tree.step(node, token))
}
