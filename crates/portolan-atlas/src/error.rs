//! Why an atlas can't be read or written: what, where, and what to do next.

use thiserror::Error;

/// What went wrong.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AtlasError {
    /// An address that is none.
    #[error("`{place}` is no place for an atlas: {reason}")]
    Place {
        /// As it was written.
        place: String,
        /// Why.
        reason: String,
    },
    /// The storage refused.
    #[error("`{place}` cannot be {what}: {reason}")]
    Storage {
        /// Which object.
        place: String,
        /// `read`, `written`, `listed` or `removed`.
        what: &'static str,
        /// What the storage said.
        reason: String,
        /// Whether it asks who this is.
        is_denied: bool,
        /// Whether there is no such object.
        is_missing: bool,
    },
    /// A file that is not what it should be.
    #[error("`{place}` is damaged or none of ours: {reason}")]
    Broken {
        /// Which.
        place: String,
        /// Why.
        reason: String,
    },
    /// A set of a later version.
    #[error("`{place}` has tables of version {version}, and this is version {own}")]
    Newer {
        /// Which.
        place: String,
        /// Theirs.
        version: u64,
        /// Ours.
        own: u32,
    },
    /// There is nothing in it.
    #[error("`{0}` has no repositories in it")]
    Empty(String),
    /// A target that is none.
    #[error(
        "`{0}` is no target: write `ecosystem:package` or `ecosystem:package#name`, such as `npm:zod#ZodError`"
    )]
    Target(String),
    /// A question that one repository answers, and not many.
    #[error(
        "this root is an atlas of many repositories: ask chart, or look with targets such as npm:zod, npm:zod#ZodError or a declaration's name; read and pack need a checkout as root"
    )]
    NeedsCheckout,
}

impl AtlasError {
    /// What to do next.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Place { .. } => Some(
                "an atlas is a folder, `s3://bucket/path`, `gs://bucket/path` or `az://container/path`",
            ),
            Self::Storage { is_denied: true, .. } => Some(
                "credentials come from the environment: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, `GOOGLE_SERVICE_ACCOUNT`, `AZURE_STORAGE_ACCOUNT_NAME` and `AZURE_STORAGE_ACCOUNT_KEY`",
            ),
            Self::Broken { .. } => Some("export the repository again"),
            Self::Newer { .. } => Some("use the version of portolan that wrote it, or a later one"),
            Self::Empty(_) => Some(
                "`--in ATLAS` asks another place; `portolan export` writes one for a repository, `portolan atlas add REPO… --to ATLAS` one for many",
            ),
            Self::Storage { .. } | Self::Target(_) | Self::NeedsCheckout => None,
        }
    }

    /// Whether the one who asked is at fault.
    pub fn is_input(&self) -> bool {
        matches!(self, Self::Place { .. } | Self::Target(_) | Self::Empty(_) | Self::NeedsCheckout)
    }
}
