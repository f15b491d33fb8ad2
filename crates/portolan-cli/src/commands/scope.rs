//! What every command that looks at a repository takes: the flags that add to its configuration.

use clap::Args;
use portolan_index::map::MapError;
use portolan_types::Budget;
use portolan_vfs::System as _;
use portolan_workspace::config::{self, ConfigError, Loaded};
use portolan_workspace::path_input::PathInput;

use crate::context::Context;
use crate::failure::Failure;

/// Flags that add to the configuration.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Scope")]
pub(crate) struct ScopeArgs {
    /// Bring back what ignore files leave out: a path or a glob from the root (can be repeated)
    #[arg(long, value_name = "PATTERN", alias = "include")]
    pub(crate) includes: Vec<String>,

    /// Leave out, whatever else is said: a path or a glob from the root (can be repeated)
    #[arg(long, value_name = "PATTERN", alias = "exclude")]
    pub(crate) excludes: Vec<String>,

    /// Map and archive only this part: a path or a glob (can be repeated). What it uses elsewhere stays visible as edges
    #[arg(long, value_name = "PATTERN")]
    pub(crate) scope: Vec<String>,

    /// The longest module description in UTF-16 units; 0 for none
    #[arg(long, value_name = "N")]
    pub(crate) description_limit: Option<u32>,

    /// The doc tag of a module description (can be repeated; `@module` and `@packageDocumentation` by default)
    #[arg(long, value_name = "TAG", value_delimiter = ',', value_parser = parse_tag)]
    pub(crate) description_tags: Vec<String>,

    /// How many threads to use; 0 for one per core. The result is the same
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
}

fn parse_tag(text: &str) -> Result<String, String> {
    let tag = text.trim();
    let name = tag.strip_prefix('@').filter(|name| !name.is_empty());
    match name {
        Some(name) if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
            Ok(tag.to_owned())
        }
        _ => Err("expected `@` and letters, digits or `_`, such as `@module`".to_owned()),
    }
}

impl ScopeArgs {
    /// Whether the flags say no more than the repository's own configuration does.
    pub(crate) fn is_plain(&self) -> bool {
        self.includes.is_empty()
            && self.excludes.is_empty()
            && self.scope.is_empty()
            && self.description_limit.is_none()
            && self.description_tags.is_empty()
    }

    /// The configuration of the repository, with these flags added.
    pub(crate) fn load(&self, ctx: &Context) -> Result<Loaded, Failure> {
        let mut loaded = own_config(ctx)?;
        let path_input = PathInput::here(&loaded);
        let root = loaded.root.clone();
        let is_there = |path: &str| ctx.system.lstat(&root.join(path)).is_ok();
        let scope = self.scope.iter().map(|text| path_input.plain(text, &is_there));
        let scope: Vec<String> = scope.filter(|text| text != ".").collect();
        let settings = &mut loaded.settings;
        if !self.scope.is_empty() {
            settings.scope = scope;
        }
        settings.includes.extend(self.includes.iter().cloned());
        settings.excludes.extend(self.excludes.iter().cloned());
        if let Some(limit) = self.description_limit {
            settings.descriptions.limit = limit;
        }
        if !self.description_tags.is_empty() {
            settings.descriptions.tags.clone_from(&self.description_tags);
        }
        Ok(loaded)
    }
}

/// The configuration of the repository.
pub(crate) fn own_config(ctx: &Context) -> Result<Loaded, Failure> {
    let mut loaded = config::load_with(&ctx.system, &ctx.load_request())
        .map_err(|error| config_failure(&error))?;
    loaded.git = ctx.git.clone();
    Ok(loaded)
}

/// Tells what is wrong with a configuration file.
pub(crate) fn config_failure(error: &ConfigError) -> Failure {
    let message = error.to_string();
    if error.is_io { Failure::failed(message) } else { Failure::bad_input(message) }
}

/// Tells why there is no map.
pub(crate) fn map_failure(error: &MapError) -> Failure {
    let message = error.to_string();
    match error {
        MapError::Pattern(_) => {
            Failure::bad_input(message).hint("patterns are in `includes` and `excludes` of the configuration and the flags of that name")
        }
        MapError::Collision(_) => {
            Failure::failed(message).hint("two copies of one version should be the same: reinstall, or exclude one of the importers")
        }
        MapError::Threads { .. } => Failure::failed(message).hint("try `--threads 1`"),
        MapError::RootUnreadable { .. } | MapError::Stopped => Failure::failed(message),
        MapError::RootName(_) => Failure::bad_input(message).hint("move the repository to a path in UTF-8"),
    }
}

/// A budget in tokens, or none.
pub(crate) type MetaBudget = Option<u64>;

/// Reads `60000`, `60k` or `none`.
pub(crate) fn parse_budget(text: &str) -> Result<MetaBudget, String> {
    match text {
        "none" => Ok(None),
        _ => text
            .parse()
            .map(|budget: Budget| Some(budget.tokens()))
            .map_err(|_| "expected a number such as `60000` or `60k`, or `none`".to_owned()),
    }
}
