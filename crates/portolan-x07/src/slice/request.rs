//! The request for a slice, and its errors.

use std::fmt;

use portolan_types::{Input, Remedy};

use crate::slice::read::Quoted;

/// The region that a slice covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enclosure {
    /// The decl that contains the pointer.
    #[default]
    Decl,
    /// The same, but it must be a function with a body.
    Defn,
    /// The whole document.
    Module,
}

impl Enclosure {
    /// The name on the command line and in the metadata.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decl => "decl",
            Self::Defn => "defn",
            Self::Module => "module",
        }
    }
}

/// The categories that a slice adds to its region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Closure {
    /// Decls of the module that the region refers to.
    Locals,
    /// Type parameters, contracts and brands.
    Types,
    /// The imports that the region needs.
    Imports,
    /// All of them.
    #[default]
    All,
}

impl Closure {
    /// The name on the command line and in the metadata.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Locals => "locals",
            Self::Types => "types",
            Self::Imports => "imports",
            Self::All => "all",
        }
    }

    pub(crate) fn has(self, category: Self) -> bool {
        self == category || self == Self::All
    }
}

/// A request for a slice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SliceRequest {
    /// A JSON Pointer into the canonical document.
    pub ptr: String,
    /// The region.
    pub enclosure: Enclosure,
    /// The categories.
    pub closure: Closure,
    /// The most decls.
    pub max_nodes: Option<u64>,
    /// The most bytes of canonical JSON.
    pub max_bytes: Option<u64>,
}

/// Why there is no slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SliceError {
    /// The pointer is not a JSON Pointer.
    InvalidPointer(String),
    /// The pointer refers to nothing in the canonical document.
    PointerNotFound(String),
    /// A limit is 0; its name.
    ZeroBound(&'static str),
    /// The enclosure needs a pointer into a decl.
    NotInDecl(Enclosure),
    /// The enclosure needs a function with a body, but the decl is of this kind.
    NotFunction(String),
    /// The limit on bytes is too small.
    BoundTooSmall {
        /// The limit.
        max_bytes: u64,
        /// The smallest possible limit.
        smallest: u64,
    },
}

impl fmt::Display for SliceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidPointer(ptr) => {
                write!(f, "invalid JSON Pointer (expected leading '/'): {}", Quoted(ptr))
            }
            Self::PointerNotFound(ptr) => write!(f, "JSON Pointer not found: {}", Quoted(ptr)),
            Self::ZeroBound(name) => write!(f, "--{name} must be >= 1"),
            Self::NotInDecl(enclosure) => {
                write!(f, "--enclosure {} requires --ptr under /decls/<i>", enclosure.as_str())
            }
            Self::NotFunction(kind) => {
                write!(
                    f,
                    "--enclosure defn requires a defn/defasync decl, got kind={}",
                    Quoted(kind)
                )
            }
            Self::BoundTooSmall { max_bytes, .. } => {
                write!(f, "failed to truncate slice to --max_bytes={max_bytes}")
            }
        }
    }
}

impl std::error::Error for SliceError {}

impl SliceError {
    /// How to fix it.
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::InvalidPointer(_) => {
                Remedy::plain("a JSON Pointer begins with `/`, for example `/decls/0/body`")
            }
            Self::PointerNotFound(_) => Remedy::plain(
                "pointers lead into the canonical document, whose decls are sorted by kind and name",
            ),
            Self::ZeroBound(_) => Remedy::plain("leave the bound out to have the whole slice"),
            Self::NotInDecl(_) => Remedy::give_value(
                Input::Enclosure,
                &Enclosure::Module.as_str(),
                "for a pointer outside of the decls",
            ),
            Self::NotFunction(_) => Remedy::give_value(
                Input::Enclosure,
                &Enclosure::Decl.as_str(),
                "for decls without a body",
            ),
            Self::BoundTooSmall { smallest, .. } => Remedy::give_value(
                Input::MaxBytes,
                smallest,
                "or more: it is the smallest bound that can be met here",
            ),
        }
    }
}
