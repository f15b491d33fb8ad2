//! `portolan atlas`: many repositories as one map.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::{Args, Subcommand, ValueEnum};
use portolan_atlas::queries::{AtlasQuery, QUERIES, QueryResult};
use portolan_atlas::sql::{EXAMPLE, Engine};
use portolan_atlas::{Atlas, Store, parse_target};
use portolan_index::map::MapRequest;
use portolan_query::export::{self, is_atlas};
use portolan_types::{Budget, Notice};
use portolan_wire::atlas_report::{AtlasQueryV1, ExportReportV1, ExportedV1};
use portolan_workspace::config::{self, LoadRequest, Loaded};

use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::export::{
    ExportArgs, Order, atlas_failure, export_one, line, open, own_folder, own_store,
    run as export_this,
};
use crate::commands::scope::{config_failure, own_config};
use crate::context::{Context, escape};
use crate::failure::{Exit, Failure};

/// The arguments of `portolan atlas`.
#[derive(Debug, Args)]
pub(crate) struct AtlasArgs {
    #[command(subcommand)]
    command: AtlasCommand,
}

#[derive(Debug, Subcommand)]
enum AtlasCommand {
    /// Put repositories into an atlas; what did not change is left as it is
    Add(AddArgs),
    /// Put this repository into an atlas
    ///
    /// Map, packages, declarations and references become Parquet files in a folder or a bucket, one set for each
    /// repository. A set replaces the one before in one step; one that did not change is left as it is.
    /// See docs/atlas.md; docs/reference/atlas.md has the tables.
    Export(ExportArgs),
    /// Show who uses a package, or one of its exports, across repositories: down to lines
    Look(LookArgs),
    /// List declarations by name, across repositories
    Find(FindArgs),
    /// Show the repositories, their packages, and who depends on whom
    Chart(ChartArgs),
    /// Print the tables as views, and ten questions, for an engine
    Sql(SqlArgs),
    /// Answer one of the ten questions of `atlas sql` without an engine
    Query(QueryArgs),
}

/// The arguments of `portolan atlas add`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan atlas add . --to ../atlas           this repository, beside others
  portolan atlas add . --to ../atlas --prune   and without what it replaces

`portolan atlas add repos/* --to s3://bucket/atlas` puts many into a bucket; credentials come from the environment.")]
struct AddArgs {
    /// Checkouts of repositories
    #[arg(value_name = "REPO", required = true)]
    repositories: Vec<PathBuf>,

    /// The atlas: a folder, or `s3://`, `gs://` or `az://` with bucket and path
    #[arg(long, value_name = "ATLAS")]
    to: String,

    /// Remove the files of sets that were replaced: those replaced now, and older ones after an hour
    #[arg(long)]
    prune: bool,

    /// How many repositories are worked on at once
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: usize,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Where the atlas is.
#[derive(Debug, Args)]
struct AtlasPlace {
    /// The atlas: a folder, or `s3://`, `gs://` or `az://` with bucket and path [default: the current folder if it is one, else what `portolan export` wrote here]
    #[arg(long = "in", value_name = "ATLAS")]
    atlas: Option<String>,

    /// The most tokens that the text may cost: a number or `8k`
    #[arg(long, value_name = "TOKENS", default_value = "4000")]
    budget: Budget,
}

/// The arguments of `portolan atlas look`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan atlas look cargo:a --in ../atlas     who uses a package
  portolan atlas look cargo:a#b --in ../atlas   who uses an export, and where")]
struct LookArgs {
    /// `ecosystem:package` or `ecosystem:package#name`; ecosystems are npm, pypi, cargo, go and maven
    #[arg(value_name = "TARGET")]
    target: String,

    #[command(flatten)]
    place: AtlasPlace,
}

/// The arguments of `portolan atlas find`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan atlas find a --in ../atlas             where it is declared
  portolan atlas find b --in ../atlas --limit 5   at most five")]
struct FindArgs {
    /// A name, or `Class.member`
    #[arg(value_name = "NAME")]
    name: String,

    /// Show at most this many
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,

    #[command(flatten)]
    place: AtlasPlace,
}

/// The arguments of `portolan atlas chart`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan atlas chart --in ../atlas               which repositories there are
  portolan atlas chart --in ../atlas --budget 1k   the most used ones")]
struct ChartArgs {
    #[command(flatten)]
    place: AtlasPlace,
}

/// The arguments of `portolan atlas sql`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan atlas sql duckdb --in ../atlas           for one machine
  portolan atlas sql spark --in s3a://bucket/atlas  for a cluster")]
struct SqlArgs {
    /// The engine
    #[arg(value_enum, value_name = "ENGINE")]
    engine: EngineArg,

    /// The atlas as the engine knows it: a folder, or a bucket with its path [default: the current folder if it is an atlas, else what `portolan export` wrote here]
    #[arg(long = "in", value_name = "ATLAS")]
    atlas: Option<String>,

    /// What the questions about one package are about
    #[arg(long, value_name = "TARGET", default_value = EXAMPLE)]
    about: String,
}

/// The engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EngineArg {
    #[value(name = "duckdb", help = "DuckDB")]
    DuckDb,
    /// Apache Spark
    Spark,
    /// Trino
    Trino,
}

/// The arguments of `portolan atlas query`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan atlas query packages-by-users --in ../atlas
  portolan atlas query version-bump --about cargo:a --in ../atlas")]
struct QueryArgs {
    /// The question: one of those that `atlas sql` prints, such as `packages-by-users`
    #[arg(value_name = "NAME", value_parser = question)]
    query: &'static AtlasQuery,

    /// What a question about one package is about
    #[arg(long, value_name = "TARGET", default_value = EXAMPLE)]
    about: String,

    #[command(flatten)]
    place: AtlasPlace,
}

fn question(text: &str) -> Result<&'static AtlasQuery, String> {
    AtlasQuery::named(text).ok_or_else(|| {
        let names: Vec<&str> = QUERIES.iter().map(|query| query.name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// Runs it.
pub(crate) fn run(args: &AtlasArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    match &args.command {
        AtlasCommand::Add(args) => add(args, ctx),
        AtlasCommand::Export(args) => export_this(args, ctx),
        AtlasCommand::Look(args) => look(args, ctx),
        AtlasCommand::Find(args) => find(args, ctx),
        AtlasCommand::Sql(args) => sql(args, ctx),
        AtlasCommand::Query(args) => query(args, ctx),
        AtlasCommand::Chart(args) => {
            let chart = read(ctx, &args.place)?.chart();
            if ctx.format == Format::Json {
                ctx.answer(&chart.to_wire(), &[])?;
            } else {
                ctx.text(&chart.to_text(args.place.budget.tokens()))?;
            }
            Ok(Exit::Done)
        }
    }
}

fn read(ctx: &Context, place: &AtlasPlace) -> Result<Atlas, Failure> {
    let store = match &place.atlas {
        Some(atlas) => open(ctx, atlas)?,
        None if is_here(ctx) => open(ctx, ".")?,
        None => own_store(ctx, &own_config(ctx)?)?,
    };
    Atlas::open(store).map_err(|error| atlas_failure(&error))
}

/// Whether the current folder is an atlas.
fn is_here(ctx: &Context) -> bool {
    is_atlas(&ctx.system, &ctx.path(Path::new(".")))
}

fn look(args: &LookArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let target = parse_target(&args.target).map_err(|error| atlas_failure(&error))?;
    let atlas = read(ctx, &args.place)?;
    let report = atlas.look(&target).map_err(|error| atlas_failure(&error))?;
    if ctx.format == Format::Json {
        ctx.answer(&report.to_wire(), &[])?;
    } else {
        ctx.text(&report.to_text(args.place.budget.tokens()))?;
    }
    let is_nothing = report.users.is_empty() && report.providers.is_empty();
    Ok(if is_nothing { Exit::Failed } else { Exit::Done })
}

fn find(args: &FindArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let atlas = read(ctx, &args.place)?;
    let report = atlas.find(&args.name, args.limit).map_err(|error| atlas_failure(&error))?;
    if ctx.format == Format::Json {
        ctx.answer(&report.to_wire(), &[])?;
    } else {
        ctx.text(&report.to_text(args.place.budget.tokens()))?;
    }
    Ok(if report.found.is_empty() { Exit::Failed } else { Exit::Done })
}

fn sql(args: &SqlArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let atlas = match &args.atlas {
        Some(atlas) => atlas.clone(),
        None if is_here(ctx) => ctx.path(Path::new(".")).display().to_string(),
        None => own_folder(&own_config(ctx)?).display().to_string(),
    };
    let target = parse_target(&args.about).map_err(|error| atlas_failure(&error))?;
    let engine = match args.engine {
        EngineArg::DuckDb => Engine::DuckDb,
        EngineArg::Spark => Engine::Spark,
        EngineArg::Trino => Engine::Trino,
    };
    if ctx.format == Format::Json {
        let views = engine.views(&atlas).into_iter().map(|view| vec!["view".to_owned(), view]);
        let queries = QUERIES.iter().map(|it| vec![it.name.to_owned(), it.text(&target)]);
        let report = AtlasQueryV1 {
            v: 1,
            name: engine.name().to_owned(),
            columns: vec!["name".to_owned(), "sql".to_owned()],
            rows: views.chain(queries).collect(),
        };
        ctx.answer(&report, &[])?;
    } else {
        ctx.text(&engine.script(&atlas, &target))?;
    }
    Ok(Exit::Done)
}

fn query(args: &QueryArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let target = parse_target(&args.about).map_err(|error| atlas_failure(&error))?;
    let atlas = read(ctx, &args.place)?;
    let answer = atlas.ask(args.query, &target).map_err(|error| atlas_failure(&error))?;
    if ctx.format == Format::Json {
        let (name, QueryResult { columns, rows }) = (args.query.name.to_owned(), answer);
        ctx.answer(&AtlasQueryV1 { v: 1, name, columns, rows }, &[])?;
    } else {
        ctx.text(&answer.to_text(args.place.budget.tokens()))?;
    }
    Ok(Exit::Done)
}

fn add(args: &AddArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let store = open(ctx, &args.to)?;
    // Report a storage that refuses once, before starting the work.
    store.current("portolan").map_err(|error| atlas_failure(&error))?;
    let done = export_all(ctx, args, &store);
    let is_failed = done.iter().any(|(it, _)| it.error.is_some());
    let mut all_notices = Vec::new();
    let mut repositories = Vec::new();
    for (exported, own) in done {
        // Places are from the root of a repository: of several, which one it is must be said.
        let told = if own.is_empty() { None } else { Some((exported.id.clone(), own.len())) };
        if let Some((id, count)) = told {
            ctx.say(&format!(
                "{}: {count} notices; `portolan graph` there shows them",
                escape(&id)
            ));
        }
        all_notices.extend(own);
        repositories.push(exported);
    }
    let report = ExportReportV1 { v: 1, atlas: store.shown().to_owned(), repositories };
    if ctx.format == Format::Json {
        ctx.answer(&report, &all_notices)?;
    } else {
        for line in report.repositories.iter().map(line) {
            ctx.text(&line)?;
        }
    }
    Ok(if is_failed { Exit::Failed } else { Exit::Done })
}

/// Exports all repositories, some at once; in the order they were given.
fn export_all(ctx: &Context, args: &AddArgs, store: &Store) -> Vec<(ExportedV1, Vec<Notice>)> {
    let namesakes = namesakes(ctx, args);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let run = || {
        while let Some((at, folder)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            args.repositories.get(at).map(|folder| (at, folder))
        } {
            if let Some(first) = namesakes.get(&at) {
                let error = Some(format!(
                    "it has the id of `{}`, and would take its place; `portolan export --id` gives it another",
                    first.display()
                ));
                let id = folder.display().to_string();
                let failed = ExportedV1 { id, outcome: "failed", error, ..ExportedV1::default() };
                let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                done.push((at, (failed, Vec::new())));
                continue;
            }
            let order = Order { id: None, prune: args.prune, cache: args.cache.mode() };
            let exported = export_folder(ctx, folder, store, &order).unwrap_or_else(|failure| {
                let (id, error) = (folder.display().to_string(), Some(failure.message));
                (ExportedV1 { id, outcome: "failed", error, ..ExportedV1::default() }, Vec::new())
            });
            done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((at, exported));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..args.jobs.clamp(1, 16).min(args.repositories.len()) {
            scope.spawn(run);
        }
        run();
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, exported)| exported).collect()
}

/// The folders whose repository has the id of one that is given before it, by their places; of one folder given twice, the second
/// is the first.
fn namesakes<'a>(ctx: &Context, args: &'a AddArgs) -> BTreeMap<usize, &'a Path> {
    let mut known: BTreeMap<String, (PathBuf, &Path)> = BTreeMap::new();
    let mut namesakes = BTreeMap::new();
    for (at, folder) in args.repositories.iter().enumerate() {
        let Ok(config) = load_folder(ctx, folder) else { continue };
        let id = export::id_of(&ctx.system, &config.root);
        match known.entry(id) {
            Entry::Vacant(entry) => {
                entry.insert((config.root, folder));
            }
            Entry::Occupied(entry) if entry.get().0 != config.root => {
                namesakes.insert(at, entry.get().1);
            }
            Entry::Occupied(_) => {}
        }
    }
    namesakes
}

fn load_folder(ctx: &Context, folder: &Path) -> Result<Loaded, Failure> {
    let request = LoadRequest { start: ctx.path(folder), config: None, ..ctx.load_request() };
    let mut loaded =
        config::load_with(&ctx.system, &request).map_err(|error| config_failure(&error))?;
    loaded.git = ctx.git.clone();
    Ok(loaded)
}

fn export_folder(
    ctx: &Context,
    folder: &std::path::Path,
    store: &Store,
    order: &Order<'_>,
) -> Result<(ExportedV1, Vec<Notice>), Failure> {
    export_one(ctx, MapRequest { config: load_folder(ctx, folder)?, threads: 0 }, store, order)
}
