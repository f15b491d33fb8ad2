//! The errors of reading and writing an atlas, each with a hint what to do next.

use thiserror::Error;

/// An error of an atlas.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AtlasError {
    /// An invalid address.
    #[error("`{place}` is not a valid address of an atlas: {reason}")]
    Place {
        /// As written.
        place: String,
        /// The reason.
        reason: String,
    },
    /// The storage returned an error.
    #[error("`{place}` cannot be {what}: {reason}")]
    Storage {
        /// The object.
        place: String,
        /// `read`, `written`, `listed` or `removed`.
        what: &'static str,
        /// The message of the storage.
        reason: String,
        /// Whether the credentials are missing or insufficient.
        is_denied: bool,
        /// Whether the object does not exist.
        is_missing: bool,
    },
    /// A file is not what it should be.
    #[error("`{place}` is damaged or not a table of an atlas: {reason}")]
    Broken {
        /// The file.
        place: String,
        /// The reason.
        reason: String,
    },
    /// A set of a later version.
    #[error("`{place}` has tables of version {version}; this program reads version {own}")]
    Newer {
        /// The file.
        place: String,
        /// Its version.
        version: u64,
        /// Our version.
        own: u32,
    },
    /// It has no repositories.
    #[error("`{0}` has no repositories")]
    Empty(String),
    /// An invalid target.
    #[error(
        "`{0}` is not a target: write `ecosystem:package` or `ecosystem:package#name`, such as `npm:zod#ZodError`"
    )]
    PackageTarget(String),
    /// A question that only a single repository answers.
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
            Self::Storage { .. } | Self::PackageTarget(_) | Self::NeedsCheckout => None,
        }
    }

    /// Whether the user's input is at fault.
    pub fn is_input(&self) -> bool {
        matches!(
            self,
            Self::Place { .. } | Self::PackageTarget(_) | Self::Empty(_) | Self::NeedsCheckout
        )
    }
}
