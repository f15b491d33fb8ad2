//! The words of Portolan as types: paths, node ids, masks, digests and notices.
//!
//! Nothing here reads a file or knows a file format. A value of one of these types has been
//! checked once, where it entered, and is trusted from there on.

pub mod declarations;
mod digest;
mod facts;
mod glob;
mod id;
mod language;
mod mask;
mod notice;
mod order;
mod path;
mod remedy;
mod text;

pub use digest::{ParseDigestError, Sha256Digest};
pub use facts::{
    Augmentation, Definition, Facts, Forward, Forwarded, Import, ImportForm, MAX_DEFINERS, Mark,
    Places, Problem, ProblemKind, Request, ScopeId, TextSpan, Use,
};
pub use glob::{Glob, GlobError, Globs};
pub use id::{NodeId, NodeKind};
pub use language::LanguageName;
pub use mask::{EdgeKind, KindMask, ResolutionMask};
pub use notice::{Notice, NoticeCode, Place, Severity};
pub use order::cmp_utf16;
pub use path::{is_safe_segment, RepoPath, RepoPathError};
pub use remedy::{Input, Remedy};
pub use text::{code_span, fence_for, is_bounded_glob, is_unseen, written_out};

/// Identifies the sources of this crate, for caches of what they compute.
pub const FINGERPRINT: &str = env!("PORTOLAN_FINGERPRINT");
