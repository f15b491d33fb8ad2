//! `portolan export`: a repository as tables, for an atlas.

use std::path::{Component, Path, PathBuf};

use clap::Args;
use portolan_atlas::{AtlasError, EncodedSet, Store, encode_set, is_bucket, publish};
use portolan_index::map::{CacheMode, MapRequest};
use portolan_index::session::Session;
use portolan_query::export::{self, ExportReport, Identity, KeptSet};
use portolan_types::Notice;
use portolan_vfs::System as _;
use portolan_wire::atlas_report::{ExportReportV1, ExportedV1, RowCountsV1};
use portolan_workspace::config::Loaded;

use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::context::{Context, escape};
use crate::failure::{Exit, Failure};
use crate::notices;
use portolan_query::text;

/// The arguments of `portolan export`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan atlas export --out ../atlas           into a folder, beside others
  portolan atlas export --out ../atlas --prune   and without what it replaces

`portolan atlas export --out s3://bucket/atlas` writes to a bucket; credentials come from the environment.")]
pub(crate) struct ExportArgs {
    /// The atlas: a folder, or `s3://`, `gs://` or `az://` with bucket and path (default: `<stanPath>/output/atlas` where there is a workspace)
    #[arg(long, value_name = "ATLAS")]
    out: Option<String>,

    /// What to call the repository [default: where it comes from, such as `github.com/owner/name`, or its folder]
    #[arg(long, value_name = "NAME")]
    id: Option<String>,

    /// Remove the files of sets that were replaced: the one replaced now, and older ones after an hour
    #[arg(long)]
    prune: bool,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Runs it.
pub(crate) fn run(args: &ExportArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let config = args.scope.load(ctx)?;
    let store = match &args.out {
        Some(out) => open(ctx, out)?,
        None if !has_workspace(ctx, &config) => {
            return Err(Failure::bad_input("there is no workspace for the atlas")
                .hint("`--out FOLDER` says where it goes"));
        }
        None => own_store(ctx, &config)?,
    };
    let order = Order { id: args.id.as_deref(), prune: args.prune, cache: args.cache.mode() };
    let request = MapRequest { config, threads: args.scope.threads };
    let (exported, all_notices) = export_one(ctx, request, &store, &order)?;
    let report =
        ExportReportV1 { v: 1, atlas: store.shown().to_owned(), repositories: vec![exported] };
    if ctx.format == Format::Json {
        ctx.answer(&report, &all_notices)?;
    } else {
        for line in report.repositories.iter().map(line) {
            ctx.text(&line)?;
        }
        notices::say(ctx, &all_notices);
    }
    Ok(Exit::Done)
}

/// How to export a repository.
pub(crate) struct Order<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) prune: bool,
    pub(crate) cache: CacheMode,
}

/// Exports a repository, unless the atlas has it as it is.
pub(crate) fn export_one(
    ctx: &Context,
    request: MapRequest,
    store: &Store,
    order: &Order<'_>,
) -> Result<(ExportedV1, Vec<Notice>), Failure> {
    let session = Session::open(&ctx.system, request, order.cache);
    let session = session.map_err(|error| map_failure(&error))?;
    let identity = export::identify(&session, order.id, portolan_atlas::FINGERPRINT)
        .map_err(|error| map_failure(&error))?;
    let Identity { id, digest, .. } = &identity;
    let exported =
        ExportedV1 { id: id.clone(), digest: Some(digest.clone()), ..ExportedV1::default() };
    let current = store.current(id).map_err(|error| atlas_failure(&error))?;
    // A set that lost a table, or a part of one, is made anew.
    let is_there = current.as_ref() == Some(digest)
        && store.is_whole(id, digest).map_err(|error| atlas_failure(&error))?;
    if is_there {
        let pruned = if order.prune { store.prune(id, None) } else { Ok(0) };
        let pruned = pruned.map_err(|error| atlas_failure(&error))?;
        return Ok((ExportedV1 { outcome: "unchanged", pruned, ..exported }, Vec::new()));
    }
    let (set, all_notices) = match export::kept(&session, &identity) {
        Some(known) => (known, snapshot_notices(&session)?),
        None => make(&session, &identity)?,
    };
    let [packages, files, edges, declarations, references] = set.rows;
    let rows = RowCountsV1 { packages, files, edges, declarations, references };
    let set = EncodedSet { id: id.clone(), digest: digest.clone(), tables: set.tables };
    let done = publish(store, set, order.prune).map_err(|error| atlas_failure(&error))?;
    let (outcome, bytes, pruned) = ("written", done.bytes, done.pruned);
    Ok((ExportedV1 { outcome, bytes, pruned, rows: Some(rows), ..exported }, all_notices))
}

/// Makes the tables of a repository, and keeps them for the next place.
fn make(session: &Session<'_>, identity: &Identity) -> Result<(KeptSet, Vec<Notice>), Failure> {
    let report = export::export(session, identity);
    let ExportReport { set, mut notices } = report.map_err(|error| map_failure(&error))?;
    let rows = [
        set.packages.len(),
        set.files.len(),
        set.edges.len(),
        set.declarations.len(),
        set.references.len(),
    ];
    let encoded = encode_set(set).map_err(|error| atlas_failure(&error))?;
    let set = KeptSet { rows, tables: encoded.tables };
    notices.extend(export::keep(session, identity, &set));
    Ok((set, notices))
}

fn snapshot_notices(session: &Session<'_>) -> Result<Vec<Notice>, Failure> {
    let snapshot = session.snapshot().map_err(|error| map_failure(&error))?;
    let mut notices = snapshot.map.notices.clone();
    notices.sort();
    notices.dedup();
    Ok(notices)
}

/// A repository in a line.
pub(crate) fn line(it: &ExportedV1) -> String {
    let id = escape(&it.id);
    let pruned = match it.pruned {
        0 => String::new(),
        files => format!(", {} removed", text::count(files, "old file")),
    };
    match (&it.error, &it.rows) {
        (Some(error), _) => format!("{id}: failed: {}\n", escape(error)),
        (None, None) => format!("{id}: unchanged{pruned}\n"),
        (None, Some(rows)) => format!(
            "{id}: {}, {}, {}, {}, {} in {}{pruned}\n",
            text::count(rows.packages, "package"),
            text::count(rows.files, "file"),
            text::count(rows.edges, "edge"),
            text::count(rows.declarations, "declaration"),
            text::count(rows.references, "reference"),
            text::bytes(it.bytes)
        ),
    }
}

/// Opens an atlas by its address, a folder's as seen from where the command works.
pub(crate) fn open(ctx: &Context, address: &str) -> Result<Store, Failure> {
    let address = if is_bucket(address) {
        address.to_owned()
    } else {
        let path = std::path::absolute(ctx.path(Path::new(address)));
        let path = path.map_err(|error| Failure::bad_input(format!("`{address}`: {error}")))?;
        let path = without_steps_up(ctx, &path);
        plain(&path)?
    };
    Store::open(&address, &variables()).map_err(|error| atlas_failure(&error))
}

/// A path without `..`, also where its end is not there yet.
fn without_steps_up(ctx: &Context, path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            // Above a link is what is above the folder that it leads to.
            plain = ctx.system.real_path(&plain).unwrap_or(plain);
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

/// Whether the repository has a workspace: only then something is written into it unasked.
pub(crate) fn has_workspace(ctx: &Context, config: &Loaded) -> bool {
    let folder = config.root.join(config.settings.stan_path.as_str());
    ctx.system.lstat(&folder).is_ok()
}

/// The default folder of an atlas: in the workspace.
pub(crate) fn own_folder(config: &Loaded) -> PathBuf {
    config.root.join(config.settings.stan_path.as_str()).join("output/atlas")
}

/// The default place of an atlas, if it is a real folder of the repository.
pub(crate) fn own_store(ctx: &Context, config: &Loaded) -> Result<Store, Failure> {
    let mut folder: PathBuf = config.root.clone();
    let stan_path = config.settings.stan_path.as_str();
    for part in stan_path.split('/').chain(["output", "atlas"]) {
        folder.push(part);
        let is_elsewhere = match ctx.system.lstat(&folder) {
            Ok(stat) => stat.kind != portolan_vfs::FileKind::Dir,
            Err(_) => false,
        };
        if is_elsewhere {
            let message = format!("`{}` is no folder of the repository", folder.display());
            return Err(Failure::failed(message).hint("`--out` says where the atlas is"));
        }
    }
    Store::open(&plain(&folder)?, &variables()).map_err(|error| atlas_failure(&error))
}

fn plain(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(ToOwned::to_owned);
    text.ok_or_else(|| Failure::bad_input(format!("`{}` is not UTF-8", path.display())))
}

/// What the environment says of clouds, and of the way to them.
pub(crate) fn variables() -> Vec<(String, String)> {
    let is_ours = |name: &str| {
        let is_cloud = ["AWS_", "GOOGLE_", "AZURE_"].iter().any(|it| name.starts_with(it));
        is_cloud || name.to_ascii_uppercase().ends_with("_PROXY")
    };
    let texts = std::env::vars_os();
    let texts = texts
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    texts.filter(|(name, _)| is_ours(name)).collect()
}

/// Tells what is wrong with an atlas.
pub(crate) fn atlas_failure(error: &AtlasError) -> Failure {
    let message = error.to_string();
    let failure =
        if error.is_input() { Failure::bad_input(message) } else { Failure::failed(message) };
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
