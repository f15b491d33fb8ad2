//! The basic types of Portolan: paths, node ids, masks, digests and notices.
//!
//! Nothing here reads a file or knows a file format. A constructor checks a value once; all other
//! code can trust it.

mod budget;
pub mod declarations;
mod digest;
mod facts;
mod glob;
mod id;
mod index;
mod language;
mod mask;
mod notice;
mod numbers;
mod order;
mod path;
mod remedy;
mod text;

pub use budget::{Budget, ParseBudgetError};
pub use digest::{ParseDigestError, Sha256Digest};
pub use facts::{
    Augmentation, Definition, FactPositions, Facts, Forward, Forwarded, Import, ImportForm,
    MAX_DEFINERS, Mark, Problem, ProblemKind, Request, ScopeId, TextSpan, Use,
};
pub use glob::{Glob, GlobError, Globs};
pub use id::{NodeId, NodeKind};
pub use index::{FileId, NodeIndex};
pub use language::LanguageName;
pub use mask::{EdgeKind, KindMask, ResolutionMask};
pub use notice::{Notice, NoticeCode, Place, Severity};
pub use numbers::{count, thousands};
pub use order::cmp_utf16;
pub use path::{RepoPath, RepoPathError, is_safe_segment};
pub use remedy::{Input, Remedy};
pub use text::{code_span, escape_invisible, fence_for, is_bounded_glob, is_invisible};

/// Identifies the sources of this crate, for caches of what they compute.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
