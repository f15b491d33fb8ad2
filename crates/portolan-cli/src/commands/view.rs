//! `portolan view`: the map as one page, to look at in a browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use portolan_index::store::UserCache;
use portolan_query::page::{self, PageReport, WritePageError};
use portolan_vfs::System as _;
use portolan_workspace::config::Loaded;

use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::export::has_workspace;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::commands::{answer, elsewhere};
use crate::context::{Context, cache_folder, escape, style};
use crate::failure::{Exit, Failure};
use crate::notices;
use portolan_query::text::{bytes, count, thousands};

/// What the browser is asked for with.
const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else if cfg!(windows) {
    "explorer"
} else {
    "xdg-open"
};

/// The arguments of `portolan view`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan view                   write the page, and say where it is
  portolan view --out map.html    write it to a file to pass on
  portolan view src -o -          only a part, to stdout")]
pub(crate) struct ViewArgs {
    /// Another repository, or the part of this one to draw
    #[arg(value_name = "PATH")]
    path: Option<String>,

    /// Write to this file instead of the workspace or your cache folder; `-` is stdout
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Open the page in the browser
    #[arg(long)]
    open: bool,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Runs it.
pub(crate) fn run(args: &ViewArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let is_stdout = args.out.as_deref().is_some_and(|path| path.as_os_str() == "-");
    check(args, ctx, is_stdout)?;
    let scope = scope(args, ctx)?;
    let (mut report, config) = {
        let session = answer::open(ctx, &scope, &args.cache)?;
        let report = page::draw(&session);
        let config = session.config().clone();
        // The process is about to end: freeing a large map piece by piece wastes time.
        std::mem::forget(session);
        (report.map_err(|error| map_failure(&error))?, config)
    };
    if is_stdout {
        ctx.artifact(report.html.as_bytes())?;
        notices::say(ctx, &report.notices);
        return Ok(Exit::Done);
    }
    let (shown, path) = if let Some(out) = &args.out {
        ctx.write_named(out, report.html.as_bytes())?;
        (out.display().to_string(), ctx.path(out))
    } else if !has_workspace(ctx, &config) {
        let path = cached_page(ctx, &config)?;
        let written = ctx.system.write_named(&path, report.html.as_bytes());
        let name = path.display().to_string();
        written.map_err(|error| Failure::failed(format!("cannot write `{name}`: {error}")))?;
        (name, path)
    } else {
        let written = page::write(&ctx.system, &config, &mut report);
        let path = written.map_err(|error| unwritten(&error))?;
        (path.to_string(), config.root.join(path.as_str()))
    };
    tell(args, ctx, &report, &shown)?;
    if args.open {
        open(ctx, &path);
    }
    Ok(Exit::Done)
}

/// The flags with the path that was given: the part of the repository to draw.
fn scope(args: &ViewArgs, ctx: &mut Context) -> Result<ScopeArgs, Failure> {
    let mut scope = args.scope.clone();
    if let Some(path) = &args.path {
        let mut paths = [path.clone()];
        elsewhere::follow(ctx, &mut paths)?;
        let [path] = paths;
        if ctx.system.lstat(&ctx.directory.join(&path)).is_err() {
            return Err(Failure::bad_input(format!("`{path}` is no file or folder here"))
                .hint("`view` takes another repository, or a part of this one"));
        }
        scope.scope.push(path);
    }
    Ok(scope)
}

/// Where the page of a repository without a workspace goes: what the repository has in it stays as it is.
fn cached_page(ctx: &Context, config: &Loaded) -> Result<PathBuf, Failure> {
    let cache = cache_folder().and_then(|folder| UserCache::open(&ctx.system, &folder));
    let Some(cache) = cache else {
        return Err(Failure::failed("there is no cache folder to write the page to")
            .hint("`--out FILE` writes it where you want it"));
    };
    let folder = cache.folder_of(&config.root);
    let made = ctx.system.create_dir_all(&folder);
    let shown = folder.display();
    made.map_err(|error| Failure::failed(format!("cannot make `{shown}`: {error}")))?;
    Ok(folder.join("view.html"))
}

/// Refuses options that exclude each other before starting the work.
fn check(args: &ViewArgs, ctx: &Context, is_stdout: bool) -> Result<(), Failure> {
    if is_stdout && ctx.format == Format::Json {
        return Err(Failure::bad_input("the page and the report cannot both go to stdout")
            .hint("leave `--out -` or `--format json` out"));
    }
    if is_stdout && args.open {
        return Err(Failure::bad_input("a page on stdout cannot be opened")
            .hint("name a file: `--out map.html --open`"));
    }
    Ok(())
}

fn tell(
    args: &ViewArgs,
    ctx: &mut Context,
    report: &PageReport,
    shown: &str,
) -> Result<(), Failure> {
    if ctx.format == Format::Json {
        return ctx.answer(&report.to_wire(shown), &report.notices);
    }
    let (files, edges) = (count(report.files, "file"), count(report.edges, "edge"));
    let tokens = thousands(report.tokens);
    let size = bytes(report.html.len() as u64);
    let text = format!("{}  {files}, {tokens} tokens, {edges} ({size})\n", escape(shown));
    ctx.data(text.as_bytes())?;
    notices::say(ctx, &report.notices);
    if !args.open {
        ctx.say("open it in a browser; `--open` does that");
    }
    Ok(())
}

/// Asks the desktop to open a page. Says so if there is no desktop.
fn open(ctx: &mut Context, path: &Path) {
    let mut command = Command::new(OPENER);
    command.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(error) = command.spawn() {
        let text = format!("`{OPENER}` could not be started ({error}): open the page yourself");
        ctx.tell("hint", style::ACCENT, &text);
    }
}

fn unwritten(error: &WritePageError) -> Failure {
    Failure::failed(error.to_string()).hint("`--out FILE` writes it elsewhere")
}
