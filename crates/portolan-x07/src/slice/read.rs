//! Reads x07AST 0.3.0–0.9.0: checks the document and makes it canonical.
//!
//! All pointers, indexes and lengths of a slice refer to the canonical document, never to the file:
//! decls are sorted, and unknown or empty fields are removed.

mod canon;
mod decls;
mod exprs;
mod names;
mod types;

use std::fmt;

use portolan_wire::tree::{Kind, NodeIdx, Tree, parse};

pub(crate) use canon::rebase_loop_pointer;
pub(crate) use decls::{CLAUSE_FIELDS, CONTRACT_FIELDS};
pub(crate) use names::Quoted;
pub use names::check_dotted as check_dotted_name;

/// The first error in a document, and the pointer to it in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AstReadError {
    /// The message.
    pub message: String,
    /// The pointer; empty for the document as a whole.
    pub pointer: String,
}

impl fmt::Display for AstReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.message, self.pointer)
    }
}

impl std::error::Error for AstReadError {}

/// A canonical x07AST document.
#[derive(Clone, Debug)]
pub struct AstDocument<'s> {
    pub(crate) tree: Tree<'s>,
    pub(crate) root: NodeIdx,
    /// The decls in canonical order.
    pub(crate) decls: Vec<NodeIdx>,
}

impl AstDocument<'_> {
    /// The version of the document, as written.
    pub fn schema_version(&self) -> &str {
        self.tree.get(self.root, "schema_version").map_or("", |version| self.tree.text(version))
    }

    /// The module's name.
    pub(crate) fn module_id(&self) -> &str {
        self.tree.get(self.root, "module_id").map_or("", |id| self.tree.text(id))
    }

    /// The document in canonical form.
    pub fn to_canonical(&self) -> Vec<u8> {
        self.tree.to_canonical(self.root)
    }

    pub(crate) fn kind(&self) -> DocumentKind {
        let kind = self.tree.get(self.root, "kind").map(|kind| self.tree.text(kind));
        if kind == Some("entry") { DocumentKind::Entry } else { DocumentKind::Module }
    }

    pub(crate) fn decl_kind(&self, index: usize) -> Option<DeclKind> {
        let kind = self.tree.get(*self.decls.get(index)?, "kind")?;
        DeclKind::parse(self.tree.text(kind))
    }

    /// The name of a decl; empty for an export.
    pub(crate) fn decl_name(&self, index: usize) -> &str {
        let name = self.decls.get(index).and_then(|&decl| self.tree.get(decl, "name"));
        name.map_or("", |name| self.tree.text(name))
    }

    /// The names that an export lists; none for other decls.
    pub(crate) fn export_names(&self, index: usize) -> impl Iterator<Item = NodeIdx> + '_ {
        let names = self.decls.get(index).and_then(|&decl| self.tree.get(decl, "names"));
        names.into_iter().flat_map(|names| self.tree.items(names))
    }
}

/// The kind of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    Entry,
    Module,
}

/// The kind of a decl.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DeclKind {
    Export,
    Extern,
    Defn,
    Defasync,
    Defrecord,
    Defenum,
}

impl DeclKind {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "export" => Self::Export,
            "extern" => Self::Extern,
            "defn" => Self::Defn,
            "defasync" => Self::Defasync,
            "defrecord" => Self::Defrecord,
            "defenum" => Self::Defenum,
            _ => return None,
        })
    }

    /// The kind as written; it is also the label in messages.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Export => "export",
            Self::Extern => "extern",
            Self::Defn => "defn",
            Self::Defasync => "defasync",
            Self::Defrecord => "defrecord",
            Self::Defenum => "defenum",
        }
    }

    /// Whether it is a function with a body.
    pub(crate) fn has_body(self) -> bool {
        matches!(self, Self::Defn | Self::Defasync)
    }
}

/// The supported versions, as the minor number of `x07.x07ast@0.N.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AstVersion(u8);

const SUPPORTED: [&str; 7] = [
    "x07.x07ast@0.3.0",
    "x07.x07ast@0.4.0",
    "x07.x07ast@0.5.0",
    "x07.x07ast@0.6.0",
    "x07.x07ast@0.7.0",
    "x07.x07ast@0.8.0",
    "x07.x07ast@0.9.0",
];

impl AstVersion {
    fn parse(text: &str) -> Option<Self> {
        SUPPORTED.iter().position(|&known| known == text).map(|at| Self(at as u8 + 3))
    }
}

/// A failed check: the message, the value, and the missing field below it, if any.
#[derive(Debug)]
struct CheckFailure {
    message: String,
    at: NodeIdx,
    field: &'static str,
}

type Check<T> = Result<T, CheckFailure>;

fn fault<T>(at: NodeIdx, message: impl Into<String>) -> Check<T> {
    Err(CheckFailure { message: message.into(), at, field: "" })
}

/// Reads and canonicalises a document.
///
/// ```
/// let source = br#"{"schema_version":"x07.x07ast@0.8.0","kind":"module","module_id":"m",
///                   "imports":[],"decls":[]}"#;
/// assert!(portolan_x07::read(source).is_ok());
/// let error = portolan_x07::read(br#"{"kind":1}"#).unwrap_err();
/// assert_eq!(error.to_string(), "missing required field: schema_version at ");
/// ```
pub fn read(source: &[u8]) -> Result<AstDocument<'_>, AstReadError> {
    let (tree, root) = parse(source)
        .map_err(|error| AstReadError { message: error.to_string(), pointer: String::new() })?;
    match check(&tree, root) {
        Ok(parts) => Ok(canon::canonicalize(tree, &parts)),
        Err(CheckFailure { message, at, field }) => {
            let mut pointer = tree.pointer(root, at);
            if !field.is_empty() {
                pointer.push('/');
                pointer.push_str(field);
            }
            Err(AstReadError { message, pointer })
        }
    }
}

/// The results of the checks, as nodes of the file.
struct CheckedNodes {
    root: NodeIdx,
    kind: DocumentKind,
    imports: NodeIdx,
    /// The decls in the order of the file, with their kinds.
    decls: Vec<(DeclKind, NodeIdx)>,
}

fn check(tree: &Tree<'_>, root: NodeIdx) -> Check<CheckedNodes> {
    if tree.kind(root) != Kind::Object {
        return fault(root, "x07ast root must be an object");
    }
    let version = check_version(tree, root)?;
    let kind = check_kind(tree, root)?;
    let (at, module_id) = required_string(tree, root, "module_id")?;
    names::check_dotted(module_id).or_else(|message| fault(at, message))?;
    let imports = required(tree, root, "imports")?;
    for import in strings(tree, imports, "imports")? {
        names::check_dotted(tree.text(import)).or_else(|message| fault(imports, message))?;
    }
    let decls = decls::check(tree, root, version, module_id)?;
    if let Some(solve) = tree.get(root, "solve") {
        exprs::check(tree, solve)?;
    }
    Ok(CheckedNodes { root, kind, imports, decls })
}

fn check_version(tree: &Tree<'_>, root: NodeIdx) -> Check<AstVersion> {
    let (at, text) = required_string(tree, root, "schema_version")?;
    AstVersion::parse(text).map_or_else(|| fault(at, unsupported_version(text)), Ok)
}

fn unsupported_version(text: &str) -> String {
    let hint = if is_newer(text) {
        "this file targets a newer x07AST schema than this toolchain supports; update the toolchain \
         (run `x07up`, or raise the channel/version pin in `x07-toolchain.toml`)"
    } else {
        "if this comes from a dependency package, upgrade to a newer package version"
    };
    format!(
        "unsupported schema_version: got {} (supported: {}) (hint: {hint})",
        Quoted(text),
        SUPPORTED.join(", ")
    )
}

fn is_newer(text: &str) -> bool {
    let numbers: Option<Vec<u64>> = text
        .rsplit_once('@')
        .and_then(|(_, version)| version.split('.').map(|part| part.parse().ok()).collect());
    matches!(numbers.as_deref(), Some(numbers @ [_, _, _]) if numbers > &[0, 9, 0][..])
}

fn check_kind(tree: &Tree<'_>, root: NodeIdx) -> Check<DocumentKind> {
    let (at, text) = required_string(tree, root, "kind")?;
    match text.trim() {
        "entry" => Ok(DocumentKind::Entry),
        "module" => Ok(DocumentKind::Module),
        _ => fault(
            at,
            format!("invalid kind: expected \"entry\" or \"module\" got {}", Quoted(text)),
        ),
    }
}

fn required(tree: &Tree<'_>, object: NodeIdx, field: &str) -> Check<NodeIdx> {
    tree.get(object, field)
        .map_or_else(|| fault(object, format!("missing required field: {field}")), Ok)
}

fn required_string<'t>(
    tree: &'t Tree<'_>,
    object: NodeIdx,
    field: &str,
) -> Check<(NodeIdx, &'t str)> {
    let at = required(tree, object, field)?;
    Ok((at, string(tree, at, field)?))
}

fn string<'t>(tree: &'t Tree<'_>, at: NodeIdx, field: &str) -> Check<&'t str> {
    tree.string(at).map_or_else(|| fault(at, format!("{field} must be a string")), Ok)
}

fn optional_string<'t>(
    tree: &'t Tree<'_>,
    object: NodeIdx,
    field: &str,
) -> Check<Option<(NodeIdx, &'t str)>> {
    tree.get(object, field).map(|at| Ok((at, string(tree, at, field)?))).transpose()
}

fn array(tree: &Tree<'_>, at: NodeIdx, field: &str) -> Check<Vec<NodeIdx>> {
    if tree.kind(at) == Kind::Array {
        Ok(tree.items(at).collect())
    } else {
        fault(at, format!("{field} must be an array"))
    }
}

/// The items of an array of strings.
fn strings(tree: &Tree<'_>, at: NodeIdx, field: &str) -> Check<Vec<NodeIdx>> {
    let items = array(tree, at, field)?;
    for (index, &item) in items.iter().enumerate() {
        if tree.string(item).is_none() {
            return fault(item, format!("{field}[{index}] must be a string"));
        }
    }
    Ok(items)
}

fn object(tree: &Tree<'_>, at: NodeIdx, message: impl FnOnce() -> String) -> Check<()> {
    if tree.kind(at) == Kind::Object { Ok(()) } else { fault(at, message()) }
}

#[cfg(test)]
mod tests;
