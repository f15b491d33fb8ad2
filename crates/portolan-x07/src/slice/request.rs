//! What is asked of a slice, and how it can fail.

use std::fmt;

use portolan_types::{Input, Remedy};

use crate::slice::read::Quoted;

/// The region that a slice takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enclosure {
    /// The decl that the pointer is in.
    #[default]
    Decl,
    /// The same, where it is a function with a body.
    Defn,
    /// The whole document.
    Module,
}

impl Enclosure {
    /// As written on the command line and in the meta.
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
    /// As written on the command line and in the meta.
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

/// What is asked of a slice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SliceRequest {
    /// A JSON Pointer into the canonical document.
    pub ptr: String,
    /// The region.
    pub enclosure: Enclosure,
    /// The categories.
    pub closure: Closure,
    /// At most so many decls.
    pub max_nodes: Option<u64>,
    /// At most so many bytes of canonical JSON.
    pub max_bytes: Option<u64>,
}

/// Why there is no slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SliceError {
    /// The pointer is no JSON Pointer.
    InvalidPointer(String),
    /// The pointer leads nowhere in the canonical document.
    PointerNotFound(String),
    /// A bound of 0, and its name.
    ZeroBound(&'static str),
    /// The enclosure needs a pointer into a decl.
    NotInDecl(Enclosure),
    /// The enclosure needs a function with a body; the decl is of this kind.
    NotFunction(String),
    /// The bound on bytes is too small.
    BoundTooSmall {
        /// The bound.
        max_bytes: u64,
        /// The smallest that would do.
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
    /// What to do about it.
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
