//! `portolan cache`, and the flags about the cache that every command with a map takes.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use portolan_index::map::CacheMode;
use portolan_index::store::{UserCache, remove_cache};
use portolan_types::Notice;
use portolan_vfs::System as _;
use portolan_wire::reports::{CacheReportV1, CachedRepositoryV1};
use portolan_workspace::config::{LoadRequest, load_with};

use crate::args::Format;
use crate::context::{Context, cache_folder, escape};
use crate::failure::{Exit, Failure};
use portolan_query::text;

/// Flags about the cache. The result is the same with all of them.
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

/// The arguments of `portolan cache`.
#[derive(Debug, Args)]
pub(crate) struct CacheCommandArgs {
    #[command(subcommand)]
    command: CacheCommand,
}

#[derive(Debug, Subcommand)]
enum CacheCommand {
    /// Show where your cache is, and how many bytes each repository has in it
    #[command(after_help = "Examples:
  portolan cache info
  portolan cache info --format json")]
    Info,
    /// Remove your cache: all of it, or that of one repository
    Clean(CleanArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan cache clean      all of it
  portolan cache clean .    that of one repository, also in its workspace")]
struct CleanArgs {
    /// Remove only the cache of this repository, wherever that is; `-C DIR` does so, too
    #[arg(value_name = "DIR", conflicts_with = "all")]
    folder: Option<PathBuf>,

    /// The same
    #[arg(long, value_name = "DIR", hide = true, conflicts_with_all = ["folder", "all"])]
    repo: Option<PathBuf>,

    /// Remove the cache of all repositories, wherever this is run
    #[arg(long)]
    all: bool,
}

/// Runs it.
pub(crate) fn run(args: &CacheCommandArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let cache = cache_folder().and_then(|folder| UserCache::open(&ctx.system, &folder));
    let removed = match &args.command {
        CacheCommand::Info => None,
        CacheCommand::Clean(args) => Some(clean(args, ctx, cache.as_ref())?),
    };
    let report = report(ctx, cache.as_ref(), removed);
    if ctx.format == Format::Json {
        ctx.answer(&report, &Vec::<Notice>::new())?;
    } else {
        ctx.artifact(words(&report).as_bytes())?;
    }
    Ok(Exit::Done)
}

fn clean(args: &CleanArgs, ctx: &Context, cache: Option<&UserCache>) -> Result<u64, Failure> {
    let here = || ctx.is_directory_given.then(|| PathBuf::from(".")).filter(|_| !args.all);
    let removed = match args.folder.clone().or_else(|| args.repo.clone()).or_else(here) {
        None => cache.map_or(Ok(0), |cache| cache.remove_all(&ctx.system)),
        Some(folder) => clean_repository(&ctx.path(&folder), ctx, cache),
    };
    removed.map_err(|error| Failure::failed(format!("cannot remove the cache: {error}")))
}

/// Removes the cache of the repository that a folder is in. The folder may be gone: then it was the root.
fn clean_repository(
    folder: &Path,
    ctx: &Context,
    cache: Option<&UserCache>,
) -> std::io::Result<u64> {
    let request = LoadRequest { start: folder.to_path_buf(), ..ctx.load_request() };
    if let Ok(config) = load_with(&ctx.system, &request) {
        return remove_cache(&ctx.system, &config);
    }
    let root = ctx.system.real_path(folder).unwrap_or_else(|_| folder.to_path_buf());
    cache.map_or(Ok(0), |cache| cache.remove(&ctx.system, &root))
}

fn report(ctx: &Context, cache: Option<&UserCache>, removed: Option<u64>) -> CacheReportV1 {
    let usage = cache.map(|cache| cache.usage(&ctx.system)).unwrap_or_default();
    let repository = |one: &portolan_index::store::RepositoryUsage| CachedRepositoryV1 {
        root: one.root.clone(),
        folder: one.folder.to_string_lossy().into_owned(),
        bytes: one.bytes,
    };
    CacheReportV1 {
        v: 1,
        folder: cache.map(|cache| cache.path().to_string_lossy().into_owned()),
        bytes: usage.bytes(),
        limit: UserCache::MOST_BYTES,
        answers: usage.answers,
        logs: usage.logs,
        repositories: usage.repositories.iter().map(repository).collect(),
        removed,
    }
}

fn words(report: &CacheReportV1) -> String {
    let mut lines = Vec::new();
    lines.extend(report.removed.map(|removed| format!("removed {}", text::bytes(removed))));
    match &report.folder {
        None => lines
            .push("there is no cache folder: neither XDG_CACHE_HOME nor HOME is set".to_owned()),
        Some(folder) => lines.push(format!(
            "{}: {} of at most {}",
            escape(folder),
            text::bytes(report.bytes),
            text::bytes(report.limit)
        )),
    }
    let repositories = report.repositories.iter();
    lines.extend(
        repositories.map(|one| format!("{:>12}  {}", text::bytes(one.bytes), escape(&one.root))),
    );
    if report.answers > 0 {
        lines.push(format!(
            "{:>12}  manifests of answers, for `portolan check`",
            text::bytes(report.answers)
        ));
    }
    if report.logs > 0 {
        lines.push(format!("{:>12}  logs of commands that failed", text::bytes(report.logs)));
    }
    lines.push(String::new());
    lines.join("\n")
}
