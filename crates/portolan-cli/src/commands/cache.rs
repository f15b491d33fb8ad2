//! What every command that builds a map takes: what to do with the cache.

use clap::Args;
use portolan_index::map::CacheMode;

/// Flags about the cache below the workspace. The result is the same with all of them.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Cache")]
pub(crate) struct CacheArgs {
    /// Read every file, and leave the cache alone
    #[arg(long, conflicts_with = "rebuild_cache")]
    no_cache: bool,

    /// Read every file, and write the cache anew
    #[arg(long)]
    rebuild_cache: bool,
}

impl CacheArgs {
    /// What the flags ask for.
    pub(crate) fn mode(&self) -> CacheMode {
        match (self.no_cache, self.rebuild_cache) {
            (true, _) => CacheMode::Off,
            (false, true) => CacheMode::Rebuild,
            (false, false) => CacheMode::Use,
        }
    }
}
